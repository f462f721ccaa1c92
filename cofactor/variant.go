package cofactor

import (
	"context"

	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/sat"
	"orbitmc/ts"
)

// variant has the steps of a search on which soundness depends. An engine runs in the sound
// variant. For each rule of soundness a test has one that breaks the rule, and shows that the
// engine is then wrong.
type variant struct {
	// invariant finds an inductive invariant; nil if there is none.
	invariant func(ctx context.Context, p *mc.Problem, solver func() sat.Solver) *invariant
	// imaged returns what images of a set are made of.
	imaged func(s *search, x *set) *evidence.Circuit
	// stabiliser returns a group, made of elements of y, of which all elements are kept.
	stabiliser func(y *ts.Symmetry, kept func(g *ts.Perm) bool) *ts.Symmetry
	// exact returns the engine, and the group, for sets of which the complement is taken.
	exact func(r *run, prop int, y *ts.Symmetry) (*Engine, *ts.Symmetry)
}

func sound() *variant {
	return &variant{invariant: findInvariant, imaged: (*search).imaged, stabiliser: stabiliser, exact: (*run).exact}
}
