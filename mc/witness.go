package mc

import (
	"context"
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/ts"
)

// This file makes witness circuits of proofs, for checkers of the hardware model
// checking competition: E. Yu, N. Froleyks, A. Biere, K. Heljanko, "Towards
// Compositional Hardware Model Checking Certification", FMCAD 2023. In general a
// witness circuit simulates the model, and its property is inductive. Ours is the
// model itself, with a stronger property: the invariant and all that was proved.

// Witness returns the properties that are proved, ascending, and the system of p
// with a single bad in place of all others: that W, a clause, an image of one or a
// circuit of a proof does not hold, or that a bad of these properties does. No
// reset state in which the constraints hold has this bad; nor has a state, if they
// hold there, that follows a state without it in which they hold.
//
// That is checked on the result, image by image: proofs may rely on more, such as
// path constraints, or properties proved before whose images are not. The error says
// why there is no such system, or is that of ctx.
func (c *Certificate) Witness(ctx context.Context, p *Problem) (sys *ts.System, props []int, err error) {
	from := p.System()
	sys = &ts.System{G: aig.NewPlain(), W: aig.True}
	copier := aig.NewCopier(sys.G, from.G)
	leaf := func(node int) int {
		l := sys.G.Input()
		copier.Set(node, l)
		return l.Node()
	}
	for _, s := range from.Inputs {
		sys.Inputs = append(sys.Inputs, ts.Signal{Name: s.Name, Node: leaf(s.Node)})
	}
	for _, l := range from.Latches {
		sys.Latches = append(sys.Latches, ts.Latch{Name: l.Name, Node: leaf(l.Node)})
	}
	for _, s := range from.Init {
		sys.Init = append(sys.Init, ts.Signal{Name: s.Name, Node: leaf(s.Node)})
	}
	for i, l := range from.Latches {
		sys.Latches[i].Reset, sys.Latches[i].Next = copier.Copy(l.Reset), copier.Copy(l.Next)
	}
	for _, l := range from.Constraints {
		sys.Constraints = append(sys.Constraints, copier.Copy(l))
	}

	holds := []aig.Lit{copier.Copy(from.W)}
	k := newCertifier(ctx, p)
	for _, f := range c.Proofs {
		if f.K > 1 {
			return nil, nil, fmt.Errorf("the proof of %q is by induction with k = %d, and a witness circuit needs one with k = 1", p.Name(f.Props[0]), f.K)
		}
		if err := f.check(p, f.Props[0]); err != nil {
			return nil, nil, err
		}
		v, err := k.invariant(f)
		if err != nil {
			return nil, nil, err
		}
		var circuit *aig.Copier
		if f.Circuit != nil {
			circuit = aig.NewCopier(sys.G, f.Circuit.G)
			for i, l := range f.Circuit.Latches {
				circuit.Set(l.Node(), sys.LatchLit(i))
			}
		}
		for _, a := range v.all {
			if a.circuit != nil {
				holds = append(holds, circuit.Copy(a.lit))
				continue
			}
			var clause []aig.Lit
			for _, l := range a.clause {
				clause = append(clause, sys.LatchLit(int(l>>1)).NotIf(l&1 == 1))
			}
			holds = append(holds, sys.G.OrN(clause))
		}
		props = append(props, f.Props...)
	}
	slices.Sort(props)
	props = slices.Compact(props)
	for _, l := range k.good(props) {
		holds = append(holds, copier.Copy(l))
	}
	slices.Sort(holds) // those of one proof may be those of another
	holds = slices.Compact(holds)
	sys.Bads = []ts.Bad{{Lit: sys.G.AndN(holds).Not()}}
	alone := &Problem{Netlist: sys, WellFormed: true, Props: []int{0}}
	if _, err := CheckProof(ctx, alone, 0, &Proof{K: 1}); err != nil {
		if ctx.Err() == nil {
			err = fmt.Errorf("the invariant is not inductive by itself: %w", err)
		}
		return nil, nil, err
	}
	return sys, props, nil
}
