package mc

import (
	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// This file derives systems that have the states and steps of a problem and another property.
// A liveness property is decided by two of them: Reaching and Missing.

// Reaching returns a system with the states and steps of p. Its only property is violated in
// each goal state of the instance of the liveness property (Goal).
func (p *Problem) Reaching(prop, inst int) *Problem {
	return p.Derived(prop, func(state *aig.Copier, g *aig.Graph, _ []aig.Lit) aig.Lit {
		return p.Goal(state, g, prop, inst)
	})
}

// Missing returns a system with the states and steps of p. Its only property is violated in
// each state that is neither a goal state of the instance of the liveness property (Goal)
// nor in one of sets. Its W is that of p and the clauses of known, an inductive invariant.
func (p *Problem) Missing(prop, inst int, sets []*evidence.Circuit, known *evidence.Proof) *Problem {
	var inside aig.Lit
	d := p.Derived(prop, func(state *aig.Copier, g *aig.Graph, latches []aig.Lit) aig.Lit {
		in := []aig.Lit{p.Goal(state, g, prop, inst)}
		in = append(in, lists.Map(sets, func(s *evidence.Circuit) aig.Lit { return s.Place(g, latches) })...)
		inside = known.Place(g, latches)
		return g.OrN(in).Not()
	})
	d.Netlist.W = d.Netlist.G.And(d.Netlist.W, inside)
	return d
}

// Counting returns a problem without justice. Its only property is violated where a run ends
// round n of a justice property: see ts.NewCounted.
func (p *Problem) Counting(prop, n int) *Problem {
	j, fair, ok := p.JusticeOf(prop)
	if !ok {
		return nil
	}
	return p.Counted(ts.NewCounted(p.Lassos.Source, *j, fair, n))
}

// Counted returns the problem of a system that counts: like p it is cleaned up, or not.
func (p *Problem) Counted(sys *ts.System) *Problem {
	q := NewNetlist(sys, nil)
	q.WellFormed, q.Full, q.Gophersat, q.Props = p.WellFormed, p.Full, p.Gophersat, []int{0}
	if p.Cleaned != nil {
		q.Clean()
	}
	return q
}

// Goal returns the goal states of an instance of a liveness property, as a literal of the
// graph g that state copies to: those in which it holds, and those of no started run.
func (p *Problem) Goal(state *aig.Copier, g *aig.Graph, prop, inst int) aig.Lit {
	return g.Or(state.Copy(p.Enc.Instances[prop][inst].Holds), state.Copy(p.Enc.StartedLit()).Not())
}

// Derived returns the system of p with another property, in a graph g of its own. The
// argument state of bad copies functions of the system to g, and latches are the latches in
// g. In place of a step that the constraints exclude, the system stutters.
func (p *Problem) Derived(prop int, bad func(state *aig.Copier, g *aig.Graph, latches []aig.Lit) aig.Lit) *Problem {
	sys := p.System()
	g := aig.New()
	d, k := sys.Skeleton(g)
	latches := lists.Make(len(d.Latches), func(i int) aig.Lit { return d.LatchLit(i) })
	step := g.AndN(lists.Map(sys.Constraints, k.Copy))
	for i, l := range sys.Latches {
		next := g.Mux(step, k.Copy(l.Next), latches[i])
		d.Latches[i].Reset, d.Latches[i].Next = k.Copy(l.Reset), next
	}
	d.W = k.Copy(sys.W)
	d.Bads = []ts.Bad{{Name: p.Name(prop), Lit: bad(k, g, latches)}}
	return &Problem{OfNetlist: OfNetlist{Netlist: d}, WellFormed: p.WellFormed, Full: p.Full, Gophersat: p.Gophersat, Props: []int{0}}
}
