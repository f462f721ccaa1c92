package pdr

import (
	"context"

	"orbitmc/ts"
)

// steps are the limits of a search, and those of its steps that soundness rests on. An
// engine runs with the default ones. Tests try other limits, and show of each rule of
// soundness that it is needed: with a step that breaks it the engine is wrong.
type steps struct {
	images int   // the largest orbit that is written out
	hard   int64 // how many questions make a search a hard one

	orbits    func(y *ts.Symmetry, latches, limit int) *orbits
	frame     func(x *search, k int) *solver
	lifter    func(x *search) *solver
	apart     func(x *search, ctx context.Context, part, whole ts.Cube) (ts.Cube, error)
	inductive func(x *search, ctx context.Context, candidates []*lemma) ([]*lemma, error)

	// watch is told of each obligation that a solver is asked about, and of the level
	// up to which it is blocked then; 0: before the question.
	watch func(o *obligation, blocked int)
}

func defaultSteps() *steps {
	return &steps{
		images: maxImages, hard: hardFrom,
		orbits: newOrbits, frame: (*search).frameSolver, lifter: (*search).liftSolver,
		apart: (*search).apart, inductive: (*search).inductive,
		watch: func(*obligation, int) {},
	}
}
