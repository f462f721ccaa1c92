package cofactor

import (
	"context"
	"slices"

	"orbitmc/aig"
	"orbitmc/encode/cnf"
	"orbitmc/internal/lists"
	"orbitmc/mc/evidence"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file writes sets of representatives as cubes that stand for their orbits.
//
// S(canon(s)) is the set that S stands for, but queries about it are hard. As a frontier,
// states would be sorted after each step. In a proof, the checker would compare the sorted
// states before and after a step. Most sets are the images of few cubes. As a frontier, at
// most maxFrontier cubes are a circuit without canon(s). In a proof, cubes are clauses, and
// one clause of each orbit is checked. docs/decisions.md has the figures.
//
// The cubes are found as follows. A representative in the set that no cube covers is widened
// to a cube within T, literal by literal. The query contains canon(s) but is easy; hard
// queries are given up. Images of cubes are found and blocked like images of sets
// (orbit.go).

const (
	maxCubes  = 400   // that are worth it
	maxBlocks = 20000 // images of them
)

// clauses returns a proof by clauses that the states which whole stands for are not
// reachable; nil if there would be many.
func (s *search) clauses(ctx context.Context, whole *evidence.Circuit) *evidence.Proof {
	cubes, ok := s.cover(ctx, whole, whole)
	if !ok {
		return nil
	}
	f := &evidence.Proof{K: 1, Group: s.p.Group(s.prop)}
	f.Clauses = append(s.care.Clauses(), lists.Map(cubes, func(q ts.Cube) ts.Clause { return q.Negation() })...)
	if len(cubes) == 0 {
		f.Circuit = evidence.NewCircuit(len(s.sys.Latches))
		f.Circuit.Out = aig.True
	}
	return f
}

// images returns all images of cubes; ok is false if there are more than most.
func (s *search) images(cubes []ts.Cube, most int) (all []ts.Cube, ok bool) {
	gens := s.p.Group(s.prop).Generators()
	seen := make(map[string]bool)
	enter := func(q ts.Cube) {
		if k := q.Key(); !seen[k] {
			seen[k] = true
			all = append(all, q)
		}
	}
	for _, q := range cubes {
		enter(slices.Sorted(slices.Values(q)))
	}
	for i := 0; i < len(all); i++ {
		if len(all) > most {
			return nil, false
		}
		for _, g := range gens {
			enter(all[i].Image(g.Latch))
		}
	}
	return all, true
}

// cover returns cubes, within the set that whole stands for, whose images are all
// states that part stands for; ok is false if there would be many.
func (s *search) cover(ctx context.Context, part, whole *evidence.Circuit) (cubes []ts.Cube, ok bool) {
	n := len(s.sys.Latches)
	left := evidence.NewCircuit(n) // representatives in the set that are not covered
	find := cnf.NewProver(left.G, s.NewSolver())
	find.Assert(s.possible(left.G, left.Latches))
	find.Assert(s.least(left.G, left.Latches))
	find.Assert(part.Place(left.G, left.Latches))

	outside := evidence.NewCircuit(n)
	solver := s.NewSolver()
	cnf := cnf.New(outside.G, solver)
	cnf.Assert(s.possible(outside.G, outside.Latches))
	cnf.Assert(s.placeClosed(outside.G, outside.Latches, whole).Not())
	names := make([]sat.Lit, n)
	for i, l := range outside.Latches {
		names[i] = cnf.Lit(l)
	}
	// inside returns a part of a cube that is within the set, nil if it is not.
	inside := func(q ts.Cube) ts.Cube {
		assume := make([]sat.Lit, len(q))
		of := make(map[sat.Lit]ts.Lit)
		for i, l := range q {
			assume[i] = names[l>>1] ^ sat.Lit(l&1)
			of[assume[i]] = l
		}
		if solver.Solve(ctx, assume...) != sat.Unsat {
			return nil
		}
		part := ts.Cube{}
		core := lists.SetOf(solver.Core(), func(l sat.Lit) ts.Lit { return of[l] })
		for _, l := range q { // in the order of q
			if core[l] {
				part = append(part, l)
			}
		}
		return part
	}

	for blocks := 0; blocks < maxBlocks; blocks++ {
		switch find.Solve(ctx) {
		case sat.Unknown:
			return nil, false
		case sat.Unsat:
			return cubes, true
		}
		state := find.Values(left.Latches)
		q := s.imageOf(ctx, cubes, state)
		if q == nil {
			if len(cubes) == maxCubes {
				return nil, false
			}
			for i := n - 1; i >= 0; i-- {
				q = append(q, ts.MkLit(s.order[i], !state[s.order[i]]))
			}
			if q = inside(q); q == nil {
				return nil, false // ctx ended, or the set is not what it should be: the circuit will show
			}
			for i := 0; i < len(q); {
				without := append(append(ts.Cube{}, q[:i]...), q[i+1:]...)
				if part := inside(without); part != nil {
					q = part
				} else {
					i++
				}
			}
			cubes = append(cubes, q)
		}
		find.Assert(left.G.AndN(q.Of(left.Latches)).Not())
	}
	return nil, false
}

// imageOf returns the image of a cube that a state is in, nil if there is none.
func (s *search) imageOf(ctx context.Context, cubes []ts.Cube, state []bool) ts.Cube {
	i, _, from := s.intoOne(ctx, state, len(cubes), func(g *aig.Graph, image []aig.Lit, i int) aig.Lit { return g.AndN(cubes[i].Of(image)) })
	if i < 0 {
		return nil
	}
	image := make(ts.Cube, len(cubes[i]))
	for k, l := range cubes[i] {
		image[k] = l.Under(from)
	}
	return image
}
