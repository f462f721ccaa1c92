package certfile

import (
	"context"
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/certify"
	"orbitmc/internal/lists"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// This file makes witness circuits of proofs, for checkers of the hardware model
// checking competition: E. Yu, N. Froleyks, A. Biere, K. Heljanko, "Towards
// Compositional Hardware Model Checking Certification", FMCAD 2023. In general a
// witness circuit simulates the model, and its property is inductive. Ours is the
// model itself, with a stronger property: the invariant and all that was proved.
//
// A proof by induction with k > 1 is about paths, so its circuit remembers one (E. Yu,
// A. Biere, K. Heljanko, "Progress in Certifying Hardware Model Checking Results", CAV 2021):
// more latches hold the last k-1 states and their inputs. The stronger property says that
// these are a path to the current state on which all proved facts hold, and that a shorter
// path begins in a reset state. This property is inductive: a path of k states and the next
// state are a path of k+1 states, and the step of the proof is about such paths; shorter
// paths are the base of the proof. The latches of the model are unchanged.

// Witness returns the proved properties, ascending, and the system of p with a single bad in
// place of all others. The bad says that W, a clause, an image of a clause or a circuit of a
// proof does not hold, or that a bad of the proved properties does. Two facts hold in all
// frames whose constraints hold: no reset state has this bad, and no step leads from a state
// without it to a state with it.
//
// Both facts are checked on the result, image by image, since a proof may rely on more: on
// path constraints, or on properties proved before whose images are not proved. The error
// says why there is no witness, or is the error of ctx.
func (c *Certificate) Witness(ctx context.Context, p *mc.Problem) (sys *ts.System, props []int, err error) {
	from := p.System()
	sys, copier := from.Copy()
	sys.W = aig.True

	// What holds of a state: what is proved, W and the invariants, for a copy of the
	// latches and inputs of p.
	checker := certify.New(ctx, p)
	images := checker.Images()
	depth, distinct := 1, false
	var clauses [][]ts.Clause // by proof
	for _, f := range c.Proofs {
		if f.Rounds > 0 {
			return nil, nil, fmt.Errorf("the proof of %q counts rounds, which a witness circuit of the netlist cannot say", p.Name(f.Props[0]))
		}
		all, err := images.All(f)
		if err != nil {
			return nil, nil, err
		}
		clauses = append(clauses, all)
		props = append(props, f.Props...)
		depth, distinct = max(depth, f.K), distinct || len(f.Distinct) > 0
	}
	slices.Sort(props)
	props = slices.Compact(props)
	var good []aig.Lit
	for _, q := range props {
		good = append(good, lists.Map(p.Bads(q), func(b int) aig.Lit { return from.Bads[b].Lit.Not() })...)
	}
	holdsOf := func(copier *aig.Copier, latch func(i int) aig.Lit) []aig.Lit {
		holds := []aig.Lit{copier.Copy(from.W)}
		for i, f := range c.Proofs {
			for _, clause := range clauses[i] {
				some := lists.Map(clause, func(l ts.Lit) aig.Lit { return latch(int(l >> 1)).NotIf(l&1 == 1) })
				holds = append(holds, sys.G.OrN(some))
			}
			if f.Circuit == nil {
				continue
			}
			circuit := aig.NewCopier(sys.G, f.Circuit.G)
			for i, l := range f.Circuit.Latches {
				circuit.Set(l.Node(), latch(i))
			}
			for i, l := range f.Circuit.Inputs {
				circuit.Set(l.Node(), copier.Copy(aig.MkLit(from.Inputs[i].Node, false)))
			}
			holds = append(holds, lists.Map(f.Circuit.G.Conjuncts(f.Circuit.Out, nil, nil), circuit.Copy)...)
		}
		return append(holds, lists.Map(good, copier.Copy)...)
	}
	holds := holdsOf(copier, sys.LatchLit)
	if depth > 1 {
		holds = append(holds, history(sys, from, depth, holdsOf)...)
	}
	slices.Sort(holds) // those of one proof may be those of another
	holds = slices.Compact(holds)
	sys.Bads = []ts.Bad{{Lit: sys.G.AndN(holds).Not()}}
	alone := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: sys}, WellFormed: true, Props: []int{0}}
	if _, err := checker.For(alone).Check(&evidence.Proof{K: 1}, 0); err != nil {
		switch {
		case ctx.Err() != nil:
		case distinct:
			err = fmt.Errorf("the proof relies on states of a path being distinct, which a witness circuit cannot say: %w", err)
		default:
			err = fmt.Errorf("the invariant is not inductive by itself: %w", err)
		}
		return nil, nil, err
	}
	return sys, props, nil
}

// history adds to sys, which has the latches, inputs and initial inputs of from, the
// depth-1 states before the current one, and returns what holds of them.
func history(sys, from *ts.System, depth int, holds func(*aig.Copier, func(i int) aig.Lit) []aig.Lit) []aig.Lit {
	g, n := sys.G, len(sys.Latches)
	add := func(name string, reset aig.Lit) aig.Lit {
		l := g.Input()
		sys.Latches = append(sys.Latches, ts.Latch{Name: name, Node: l.Node(), Reset: reset})
		return l
	}
	next := func(of int, is aig.Lit) { sys.Latches[of].Next = is }

	// The initial inputs that reset functions read, kept for ever. A latch whose reset is
	// an initial input of its own has any value.
	resets := make([]aig.Lit, n)
	for i, l := range from.Latches {
		resets[i] = l.Reset
	}
	readers := from.G.FanoutCounts(resets)
	var functions []int
	for i, l := range resets {
		if !(l.Node() != 0 && !l.Neg() && from.G.IsInput(l.Node()) && readers[l.Node()] == 1) {
			functions = append(functions, i)
			continue
		}
		resets[i] = aig.False
	}
	read := lists.Set(from.G.Support(resets))
	reset := aig.NewCopier(g, from.G)
	for i, z := range from.Init {
		if read[z.Node] {
			l := add("choice "+z.Name, sys.InitLit(i))
			next(len(sys.Latches)-1, l)
			reset.Set(z.Node, l)
		}
	}
	isReset := func(latch func(i int) aig.Lit) aig.Lit {
		same := []aig.Lit{aig.True}
		for _, i := range functions {
			same = append(same, g.Xor(latch(i), reset.Copy(resets[i])).Not())
		}
		return g.AndN(same)
	}

	var out []aig.Lit
	valid, later := aig.True, sys.LatchLit // of the frame behind
	inputs := sys.InputLit
	for k := 1; k < depth; k++ {
		at := len(sys.Latches)
		v := add(fmt.Sprintf("valid %d", k), aig.False)
		next(at, valid)
		for i, l := range from.Latches {
			add(fmt.Sprintf("%s before %d", l.Name, k), aig.False)
			next(at+1+i, later(i))
		}
		for i, in := range from.Inputs {
			add(fmt.Sprintf("%s before %d", in.Name, k), aig.False)
			next(at+1+n+i, inputs(i))
		}
		latch := func(i int) aig.Lit { return sys.LatchLit(at + 1 + i) }
		input := func(i int) aig.Lit { return sys.LatchLit(at + 1 + n + i) }
		copier := aig.NewCopier(g, from.G)
		for i, l := range from.Latches {
			copier.Set(l.Node, latch(i))
		}
		for i, in := range from.Inputs {
			copier.Set(in.Node, input(i))
		}
		out = append(out, g.Or(v.Not(), valid), g.OrN([]aig.Lit{valid.Not(), v, isReset(later)}))
		for _, l := range holds(copier, latch) {
			out = append(out, g.Or(v.Not(), l))
		}
		for _, l := range from.Constraints {
			out = append(out, g.Or(v.Not(), copier.Copy(l)))
		}
		for i, l := range from.Latches {
			out = append(out, g.Or(v.Not(), g.Xor(later(i), copier.Copy(l.Next)).Not()))
		}
		valid, later, inputs = v, latch, input
	}
	return out
}
