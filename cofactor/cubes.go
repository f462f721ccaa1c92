package cofactor

import (
	"context"
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/encode"
	"orbitmc/mc"
	"orbitmc/sat"
)

// This file writes sets of representatives as cubes that stand for their orbits.
//
// S(canon(s)) is the set that S stands for, but it is hard to reason about. As
// the frontier it would be sorted after each step. A checker of the proof would
// compare the sorted states before and after a step. But most sets are the images
// of few cubes. As the frontier, these are a circuit without canon(s), of at most
// maxFrontier cubes. As a proof they are clauses, of which one of each orbit is
// checked. docs/decisions.md has the figures.
//
// A representative in the set that no cube covers is widened to a cube within T,
// literal by literal. This query contains canon(s), but is easy; hard ones are
// given up. The images of cubes are found and blocked as those of sets are
// (orbit.go).

const (
	maxCubes  = 400   // that are worth it
	maxBlocks = 20000 // images of them
)

// cube is a conjunction of latches: number<<1, plus 1 if negated.
type cube []int32

// clauses returns a proof by clauses that the states which whole stands for are not
// reachable; nil if there would be many.
func (s *search) clauses(ctx context.Context, whole *mc.Circuit) *mc.Proof {
	cubes, ok := s.cover(ctx, whole, whole)
	if !ok {
		return nil
	}
	f := &mc.Proof{K: 1, Group: s.p.Group(s.prop), Clauses: s.care.proof()}
	for _, q := range cubes {
		clause := make([]int32, len(q))
		for i, l := range q {
			clause[i] = l ^ 1
		}
		f.Clauses = append(f.Clauses, clause)
	}
	if len(cubes) == 0 {
		f.Circuit = newCircuit(len(s.sys.Latches))
		f.Circuit.Out = aig.True
	}
	return f
}

// images returns all images of cubes; ok is false if there are more than most.
func (s *search) images(cubes []cube, most int) (all []cube, ok bool) {
	gens := s.p.Group(s.prop).Generators()
	seen := make(map[string]bool)
	enter := func(q cube) {
		slices.Sort(q)
		if k := fmt.Sprint(q); !seen[k] {
			seen[k] = true
			all = append(all, q)
		}
	}
	for _, q := range cubes {
		enter(slices.Clone(q))
	}
	for i := 0; i < len(all); i++ {
		if len(all) > most {
			return nil, false
		}
		for _, g := range gens {
			image := make(cube, len(all[i]))
			for k, l := range all[i] {
				image[k] = g.Latch[l>>1] ^ l&1
			}
			enter(image)
		}
	}
	return all, true
}

// cover returns cubes, within the set that whole stands for, whose images are all
// states that part stands for; ok is false if there would be many.
func (s *search) cover(ctx context.Context, part, whole *mc.Circuit) (cubes []cube, ok bool) {
	n := len(s.sys.Latches)
	left := newCircuit(n) // representatives in the set that are not covered
	find := encode.NewProver(left.G, s.NewSolver())
	find.Assert(s.possible(left.G, left.Latches))
	find.Assert(s.least(left.G, left.Latches))
	find.Assert(place(left.G, left.Latches, part))

	outside := newCircuit(n)
	solver := s.NewSolver()
	cnf := encode.NewCNF(outside.G, solver)
	cnf.Assert(s.possible(outside.G, outside.Latches))
	cnf.Assert(s.placeClosed(outside.G, outside.Latches, whole).Not())
	names := make([]sat.Lit, n)
	for i, l := range outside.Latches {
		names[i] = cnf.Lit(l)
	}
	// inside returns a part of a cube that is within the set, nil if it is not.
	inside := func(q cube) cube {
		assume := make([]sat.Lit, len(q))
		of := make(map[sat.Lit]int32)
		for i, l := range q {
			assume[i] = names[l>>1] ^ sat.Lit(l&1)
			of[assume[i]] = l
		}
		if solver.Solve(ctx, assume...) != sat.Unsat {
			return nil
		}
		part := cube{}
		core := make(map[int32]bool)
		for _, l := range solver.Core() {
			core[of[l]] = true
		}
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
		state := make([]bool, n)
		for i, l := range left.Latches {
			state[i] = find.Value(l)
		}
		q := s.imageOf(ctx, cubes, state)
		if q == nil {
			if len(cubes) == maxCubes {
				return nil, false
			}
			for i := n - 1; i >= 0; i-- {
				q = append(q, literal(s.order[i], state[s.order[i]]))
			}
			if q = inside(q); q == nil {
				return nil, false // ctx ended, or the set is not what it should be: the circuit will show
			}
			for i := 0; i < len(q); {
				without := append(append(cube{}, q[:i]...), q[i+1:]...)
				if part := inside(without); part != nil {
					q = part
				} else {
					i++
				}
			}
			cubes = append(cubes, q)
		}
		lits := make([]aig.Lit, len(q))
		for i, l := range q {
			lits[i] = left.Latches[l>>1].NotIf(l&1 == 1)
		}
		find.Assert(left.G.AndN(lits).Not())
	}
	return nil, false
}

// literal returns the literal of a latch that is set or not.
func literal(latch int, on bool) int32 {
	l := int32(latch) << 1
	if !on {
		l |= 1
	}
	return l
}

// imageOf returns the image of a cube that a state is in, nil if there is none.
func (s *search) imageOf(ctx context.Context, cubes []cube, state []bool) cube {
	g := aig.New()
	lits := make([]aig.Lit, len(state))
	for i, b := range state {
		lits[i] = aig.False.NotIf(b)
	}
	choices, lits := network(g, s.p.Group(s.prop), lits)
	in := make([]aig.Lit, len(cubes))
	for i, q := range cubes {
		ls := make([]aig.Lit, len(q))
		for k, l := range q {
			ls[k] = lits[l>>1].NotIf(l&1 == 1)
		}
		in[i] = g.AndN(ls)
	}
	p := encode.NewProver(g, s.NewSolver())
	if p.Solve(ctx, g.OrN(in)) != sat.Sat {
		return nil
	}
	from := origins(choices, len(state), p.Value)
	for i, q := range cubes {
		if p.Value(in[i]) {
			image := make(cube, len(q))
			for k, l := range q {
				image[k] = int32(from[l>>1]) ^ l&1
			}
			return image
		}
	}
	return nil
}
