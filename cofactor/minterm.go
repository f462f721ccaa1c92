package cofactor

import (
	"context"
	"slices"

	"orbitmc/aig"
	"orbitmc/encode/cnf"
	"orbitmc/mc/evidence"
	"orbitmc/sat"
)

// This file chooses the inputs to cofactor F by, so that the set gets large and its
// circuit small.
//
// Greedy: a solution gives a state and inputs that lead from it to a violation.
// The next solution outside the cofactor gives another state. If common inputs do
// for both states, they are better. The states are constants in this query, so it
// is about inputs only and easy. A state without common inputs is the next
// solution to cofactor.
//
// Lift: with the states fixed, an input that may be unknown in ternary simulation
// while F stays true does not matter to them and need not be fixed. It may matter
// to other states, so it is quantified if that is cheap.
//
// Merge: F(x=0) ∨ F(x=1) holds more states than either, at up to twice the nodes.
// So inputs that occur rarely, once the others are fixed, are merged: first those
// that do not matter, then some of the others.

const (
	maxPool   = 6   // states that one set of inputs is to do for
	maxMisses = 2   // states in a row that no common inputs were found for
	maxMerge  = 64  // inputs to try to merge, of those that matter
	mayGrow   = 1.2 // by how much a merge may increase the number of nodes
	mayAdd    = 8   // or by how many
)

// minterm returns sets of states that lead to a violation, with the inputs that do
// it, unless several were merged. The first holds the state of x, which is a solution
// of f.
func (s *search) minterm(ctx context.Context, x *solution) []*set {
	pool := [][]bool{x.state}
	inputs := x.inputs
	if s.uses(Greedy) {
		pool, inputs = s.widen(ctx, x)
	}
	fixed := make([]bool, len(inputs))
	if s.uses(Lift) {
		for _, state := range pool {
			for i, m := range s.matter(state, inputs) {
				fixed[i] = fixed[i] || m
			}
		}
	} else {
		for i := range fixed {
			fixed[i] = true
		}
	}
	c, free := s.cofactor(inputs, s.unfix(fixed))
	sets := []*set{{c: s.quantify(c, free, inputs), inputs: inputs}}
	if s.uses(Several) && slices.Contains(fixed, false) {
		other := slices.Clone(inputs)
		for i, f := range fixed {
			other[i] = inputs[i] != !f
		}
		c, free := s.cofactor(other, fixed)
		sets = append(sets, &set{c: s.quantify(c, free, other), inputs: other})
	}
	return sets
}

// widen looks for inputs that do for several states that are not covered.
func (s *search) widen(ctx context.Context, x *solution) (pool [][]bool, inputs []bool) {
	g := aig.New()
	var in []aig.Lit
	for range s.inputs {
		in = append(in, g.Input())
	}
	fixed := func(state []bool) aig.Lit { return s.cofactorState(state).Place(g, in) }
	pool, inputs = [][]bool{x.state}, x.inputs
	prover := cnf.NewProver(g, s.NewSolver())
	prover.Assert(fixed(x.state))
	misses := 0
	for len(pool) < maxPool && misses < maxMisses {
		c, _ := s.cofactor(inputs, nil)
		group := s.solver.Group()
		not := c.Place(s.frames.Graph(), s.frames.Latches(0)).Not()
		s.solver.AddTo(group, s.cnf.Implied(not))
		y, status := s.solve(ctx)
		s.solver.Release(group)
		if status != sat.Sat {
			break // c covers all that is left
		}
		f := fixed(y.state)
		if prover.Solve(ctx, f) != sat.Sat {
			s.pending = y
			misses++
			continue
		}
		inputs = prover.Values(in)
		prover.Assert(f)
		pool = append(pool, y.state)
		misses = 0
	}
	return pool, inputs
}

// matter tells which inputs are to be fixed for f to hold in a state.
func (s *search) matter(state, inputs []bool) []bool {
	c := s.cofactorState(state)
	cone := c.G.Cone([]aig.Lit{c.Out})
	const unknown = 2
	value := make([]uint8, c.G.Len())
	of := func(l aig.Lit) uint8 {
		v := value[l.Node()]
		if v != unknown && l.Neg() {
			return 1 - v
		}
		return v
	}
	holds := func() bool {
		for _, n := range cone {
			if !c.G.IsAnd(n) {
				continue
			}
			a, b := c.G.Fanins(n)
			switch va, vb := of(a), of(b); {
			case va == 0 || vb == 0:
				value[n] = 0
			case va == 1 && vb == 1:
				value[n] = 1
			default:
				value[n] = unknown
			}
		}
		return of(c.Out) == 1
	}
	reads := make(map[int]bool)
	for _, n := range cone {
		reads[n] = true
	}
	for i, l := range c.Latches {
		value[l.Node()] = bit(inputs[i])
	}
	must := make([]bool, len(inputs))
	for i, l := range c.Latches {
		if !reads[l.Node()] {
			continue
		}
		if value[l.Node()] = unknown; !holds() {
			value[l.Node()] = bit(inputs[i])
			must[i] = true
		}
	}
	return must
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// cofactorState returns F in a state, as a circuit over the inputs.
func (s *search) cofactorState(state []bool) *evidence.Circuit {
	c := evidence.NewCircuit(len(s.inputs))
	k := aig.NewCopier(c.G, s.frames.Graph())
	for i, l := range s.frames.Latches(0) {
		k.Set(l.Node(), aig.False.NotIf(state[i]))
	}
	for i, n := range s.inputs {
		k.Set(n, c.Latches[i])
	}
	c.Out = k.Copy(s.f)
	return c
}

// cofactor returns F with inputs that are fixed replaced by their values; nil fixes
// all. The others are further leaves of the circuit, by input; 0 if there is none.
func (s *search) cofactor(inputs, fixed []bool) (*evidence.Circuit, []aig.Lit) {
	c := evidence.NewCircuit(len(s.sys.Latches))
	free := make([]aig.Lit, len(inputs))
	k := aig.NewCopier(c.G, s.frames.Graph())
	for i, l := range s.frames.Latches(0) {
		k.Set(l.Node(), c.Latches[i])
	}
	for i, n := range s.inputs {
		if fixed == nil || fixed[i] {
			k.Set(n, aig.False.NotIf(inputs[i]))
		} else {
			free[i] = c.G.Input()
			k.Set(n, free[i])
		}
	}
	c.Out = k.Copy(s.f)
	return c, free
}

// unfix frees some of the inputs that are fixed: those that occur least.
func (s *search) unfix(fixed []bool) []bool {
	fixed = slices.Clone(fixed)
	if !s.uses(Merge) {
		return fixed
	}
	count := s.frames.Graph().FanoutCounts([]aig.Lit{s.f})
	var order []int
	for i, f := range fixed {
		if f {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return int(count[s.inputs[i]]) - int(count[s.inputs[j]]) })
	for _, i := range order[:min(len(order), maxMerge)] {
		fixed[i] = false
	}
	return fixed
}

// quantify removes the free inputs, those that occur least first: both cofactors are
// merged if they stay small, otherwise the one for the given value is taken.
func (s *search) quantify(c *evidence.Circuit, free []aig.Lit, inputs []bool) *evidence.Circuit {
	for {
		count := c.G.FanoutCounts([]aig.Lit{c.Out})
		at := -1
		for i, l := range free {
			if l != 0 && count[l.Node()] > 0 && (at < 0 || count[l.Node()] < count[free[at].Node()]) {
				at = i
			}
		}
		if at < 0 {
			return compact(c)
		}
		n := free[at].Node()
		out := c.G.Cofactor([]aig.Lit{c.Out}, map[int]bool{n: inputs[at]})[0]
		if s.uses(Merge) {
			other := c.G.Cofactor([]aig.Lit{c.Out}, map[int]bool{n: !inputs[at]})[0]
			both := c.G.Or(out, other)
			if size := c.G.NumAnds(out); c.G.NumAnds(both) <= int(mayGrow*float64(size))+mayAdd {
				out = both
			}
		}
		c.Out = out
	}
}
