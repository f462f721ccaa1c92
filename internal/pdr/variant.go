package pdr

import (
	"context"

	"orbitmc/aig"

	"orbitmc/ts"
)

// variant has the limits of a search and the steps on which soundness depends. An engine runs
// in the sound variant. Tests try other limits. For each rule of soundness a test has a variant
// that breaks the rule, and shows that the engine is then wrong.
type variant struct {
	images int   // the largest orbit that is written out
	hard   int64 // from this number of queries on a search is hard

	worth    int64 // lemmaWorth
	patience int64 // firstPatience

	orbits     func(y *ts.Symmetry, latches, limit int) *orbits
	compared   func(perms []*ts.Perm, order []int, gates int) []*ts.Perm
	frame      func(x *search, k int) *solver
	goal       func(x *search, target ts.Cube, bad aig.Lit) []aig.Lit
	lift       func(x *search, ctx context.Context, p *point, roots []aig.Lit) (ts.Cube, error)
	initiation func(x *search, ctx context.Context, part, whole ts.Cube) (ts.Cube, error)
	inductive  func(x *search, ctx context.Context, candidates []*lemma) ([]*lemma, error)

	// observe is called before each query about an obligation, with blocked = 0, and after it
	// with the level up to which the obligation is blocked.
	observe func(o *obligation, blocked int)
}

func sound() *variant {
	return &variant{
		images: maxImages, hard: hardFrom, worth: lemmaWorth, patience: firstPatience,
		orbits: newOrbits, compared: compared, frame: (*search).frameSolver, goal: (*search).goal, lift: (*search).lifted,
		initiation: (*search).initiation, inductive: (*search).inductive,
		observe: func(*obligation, int) {},
	}
}
