// Package mctest has problems for tests of engines and of checks: small systems, whose states
// give the meaning of clauses and circuits by enumeration, and models (load.go).
package mctest

import (
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// Problem returns the problem of a random system.
func Problem(c *tstest.Case) *mc.Problem {
	p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: c.Sys}, WellFormed: true, Groups: c.Groups}
	for i := range c.Groups {
		p.Props = append(p.Props, i)
	}
	return p
}

// Outside returns the clauses that exclude the states of which in is false.
func Outside(sys *ts.System, in []bool) []ts.Clause {
	var clauses []ts.Clause
	for x, ok := range in {
		if ok {
			continue
		}
		var c []ts.Lit
		for i := range sys.Latches {
			c = append(c, ts.Lit(i)<<1|ts.Lit(x>>i&1))
		}
		clauses = append(clauses, c)
	}
	return clauses
}

// Satisfies reports whether all images of the clauses and the circuit hold in x.
func Satisfies(sys *ts.System, f *evidence.Proof, gens []*ts.Perm, x uint32) bool {
	orbit := []uint32{x}
	for i := 0; i < len(orbit); i++ {
		bits := tstest.Bits(orbit[i], len(sys.Latches))
		for _, c := range f.Clauses {
			if !slices.ContainsFunc(c, func(l ts.Lit) bool { return bits[l>>1] != (l&1 == 1) }) {
				return false
			}
		}
		for _, g := range gens {
			if y := tstest.Number(ts.Apply(g.Latch, bits)); !slices.Contains(orbit, y) {
				orbit = append(orbit, y)
			}
		}
	}
	if c := f.Circuit; c != nil {
		sim := aig.NewSim(c.G)
		for i, l := range c.Latches {
			sim.Set(l.Node(), uint64(x>>i&1))
		}
		sim.Run()
		return sim.Word(c.Out)&1 == 1
	}
	return true
}

// Counting returns a netlist with two latches that count while an input is 1, bads
// for the counts 2 and 3 and one for an error in the step from 1. The bads of count 3 are of one property.
func Counting() *mc.Problem {
	g := aig.NewPlain()
	in, lo, hi := g.Input(), g.Input(), g.Input()
	s := &ts.System{G: g, W: aig.True, Inputs: []ts.Signal{{Name: "tick", Node: in.Node()}}, Latches: []ts.Latch{
		{Name: "lo", Node: lo.Node(), Next: g.Xor(lo, in)},
		{Name: "hi", Node: hi.Node(), Next: g.Xor(hi, g.And(lo, in))},
	}}
	s.Bads = []ts.Bad{
		{Name: "two", Lit: g.And(hi, lo.Not()), Prop: 0},
		{Lit: g.And(hi, lo), Prop: 1},
		{Lit: g.AndN([]aig.Lit{hi.Not(), lo, in}), Prop: 2, Delay: 1},
		{Lit: g.AndN([]aig.Lit{hi, lo, in}), Prop: 1},
	}
	return &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: s}, WellFormed: true, Props: []int{0, 1, 2}}
}
