package bmc

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file replaces the frames before a depth by the states that paths have at this depth, where these are few. A deep
// search of a netlist holds many frames, and most of its queries are easy: what the solver knows of old frames is worth
// little, and is most of the memory.
//
// The solver enumerates the states in which a path of d steps ends that keeps the constraints of the frames before. Most
// are found by random simulation, and a query shows that there are no others. A longer path passes through one of them.
// So a path of n steps from these states violates a property iff one of d+n steps from the reset state does: nothing is lost,
// and nothing is added. The search goes on in a new solver, whose frame 0 is in one of these states.
//
// A counterexample begins in one of the last such states. A query finds a path to it from the states at the depth before, and
// so on to the first frame.

const (
	imageClauses = 1 << 20 // of a solver; fewer take little memory, 100 MB
	imageFrames  = 64      // of a solver; otherwise the new ones are as many soon
	imageStates  = 40      // at most, as a query may have to find each
	metStates    = 32      // most of them that are found by simulation
	imagePart    = 16      // the queries take one part in so many of the work until then
)

// image is the states at a depth.
type image struct {
	depth  int
	states [][]bool // by latch
}

// shed replaces the frames before depth d, which was searched, if they take much memory and there are few states.
func (r *run) shed(ctx context.Context, d int) {
	solver, ok := r.solver.(sat.Limiter)
	clauses, large := r.solver.Stats().Clauses, max(r.large, imageClauses)
	hard := func(q *query) bool { return q.path != nil || q.work.Conflicts >= fewConflicts }
	if r.always {
		large, hard = 0, func(q *query) bool { return q.path != nil }
	} else if r.frames.Len() < imageFrames {
		return
	}
	if !ok || clauses < large || r.p.Enc != nil || r.opt.Later != nil || slices.ContainsFunc(r.open, hard) {
		return
	}
	states := r.statesAt(ctx, solver, d)
	if len(states) == 0 {
		r.large = 2 * clauses
		return
	}
	if r.lose != nil {
		states = r.lose(states)
	}
	r.images = append(r.images, image{d, states})
	s := r.solver.Stats()
	r.earlier.Conflicts += s.Conflicts
	r.earlier.Decisions += s.Decisions
	r.large = 0
	r.solver = r.grower()
	r.frames = r.frames.From(states, r.solver)
	r.cnf = r.frames.CNF()
	r.bound = d
	r.extend(d, aig.True)
	for _, q := range r.open {
		r.cnf.Assert(r.frames.Violation(r.p.Bads(q.prop), 0).Not())
	}
}

// statesAt returns the states of the paths to depth d; nil if they are too many.
func (r *run) statesAt(ctx context.Context, s sat.Limiter, d int) (states [][]bool) {
	if states = r.met(d); states == nil {
		return nil
	}
	r.bind(d)
	latches := r.frames.Latches(d - r.base())
	var lits []sat.Lit
	for _, l := range latches {
		if l.Node() == 0 { // a constant
			lits = append(lits, 0)
		} else {
			lits = append(lits, r.cnf.Lit(l))
		}
	}
	group := s.Group()
	defer s.Release(group)
	defer s.Limit(0)
	other := func(state []bool) {
		var clause []sat.Lit
		for i, l := range lits {
			if l != 0 {
				clause = append(clause, l^sat.Lit(btoi(state[i])))
			}
		}
		s.AddTo(group, clause...)
	}
	for _, state := range states {
		other(state)
	}
	before := s.Stats()
	until := before.Propagations + (before.Propagations+before.Clauses)/imagePart
	for len(states) < imageStates {
		left := until - s.Stats().Propagations
		if left <= 0 && !r.always {
			return nil
		}
		s.Limit(max(0, left))
		switch s.Solve(ctx) {
		case sat.Unsat:
			return states
		case sat.Unknown:
			return nil
		}
		state := r.cnf.Values(latches)
		states = append(states, state)
		other(state)
	}
	return nil
}

// met returns states that random paths to depth d end in; nil if it seems that there are many.
func (r *run) met(d int) (states [][]bool) {
	rng := rand.New(rand.NewPCG(1, uint64(d)))
	sim := aig.NewSim(r.sys.G)
	draw := func(leaves []ts.Signal) {
		for _, in := range leaves {
			sim.Set(in.Node, rng.Uint64())
		}
	}
	draw(r.sys.Init)
	sim.Run()
	state := lists.Map(r.sys.Latches, func(l ts.Latch) uint64 { return sim.Word(l.Reset) })
	if n := len(r.images); n > 0 {
		starts := r.images[n-1].states
		for i := range state {
			state[i] = 0
			for lane := range 64 {
				state[i] |= uint64(btoi(starts[lane%len(starts)][i])) << lane
			}
		}
	}
	alive := ^uint64(0) // lanes whose constraints hold
	for k := range d - r.base() + 1 {
		if last := k == d-r.base(); last || k == imageFrames {
			states = [][]bool{}
			for lane := range 64 {
				x := lists.Map(state, func(w uint64) bool { return w>>lane&1 == 1 })
				if alive>>lane&1 == 1 && !slices.ContainsFunc(states, func(y []bool) bool { return slices.Equal(x, y) }) {
					states = append(states, x)
				}
			}
			if last || len(states) > metStates {
				break
			}
		}
		for i, l := range r.sys.Latches {
			sim.Set(l.Node, state[i])
		}
		draw(r.sys.Inputs)
		sim.Run()
		for i, l := range r.sys.Latches {
			state[i] = sim.Word(l.Next)
		}
		for _, l := range r.sys.Constraints {
			alive &= sim.Word(l)
		}
	}
	if len(states) > metStates && !r.always {
		return nil
	}
	return states
}

// base returns the depth of the first frame.
func (r *run) base() int {
	if n := len(r.images); n > 0 {
		return r.images[n-1].depth
	}
	return 0
}

// trace reads the trace to depth d from the solver's model, and finds the frames before. It returns nil if ctx ends.
func (r *run) trace(ctx context.Context, d int) (*ts.Trace, error) {
	t, last := r.frames.Trace(d-r.base()), r.frames
	for i := len(r.images) - 1; i >= 0; i-- {
		state := last.CNF().Values(last.Latches(0))
		// A path to the state from the states of the image before, or from the first frame.
		solver, steps, states := r.NewSolver(), r.images[i].depth, [][]bool(nil)
		if i > 0 {
			steps, states = steps-r.images[i-1].depth, r.images[i-1].states
		}
		u := r.frames.From(states, solver)
		for k := range steps + 1 {
			u.Extend()
			if k < steps {
				u.CNF().Assert(u.Constraint(k))
			}
		}
		for l, v := range u.Latches(steps) {
			u.CNF().Assert(v.NotIf(!state[l]))
		}
		switch solver.Solve(ctx) {
		case sat.Unknown:
			return nil, nil
		case sat.Unsat:
			return nil, fmt.Errorf("no path of %d steps ends in a state that a path was found to", steps)
		}
		before := u.Trace(steps)
		last = u
		t = &ts.Trace{Init: before.Init, Inputs: append(before.Inputs[:steps:steps], t.Inputs...)}
	}
	return t, nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
