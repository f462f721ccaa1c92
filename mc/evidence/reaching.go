package evidence

import (
	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// Reaching is evidence on a liveness property in circuits.
type Reaching struct {
	// Safe: one entry for each instance; the clauses of an inductive invariant that the
	// entries rely on, nil if there is none; the permutations that By fields refer to.
	Insts []ReachingInst
	Known *Proof
	Perms []*ts.Perm

	// Unsafe: an instance, and a set of states that holds the end of the trace.
	Inst int
	Trap *Circuit
}

// ReachingInst is the evidence on one instance. Either the instance is an image of another
// one. Or Steps lists sets of states after the goal states, in which the instance holds, and
// Proof proves the only property of Problem.Missing.
type ReachingInst struct {
	Of    int   // an instance, not an image; its own number if it is none
	By    []int // permutations, the first one is applied first
	Steps []Toward
	Proof *Proof
}

// Toward is a set of states, with inputs that lead from each of its states into an earlier
// set. If From is nil, it is the image of the earlier set Of, whose From is not nil.
type Toward struct {
	From   *Circuit
	Inputs []bool // by input of the system
	Of     int    // number of the earlier set
	By     []int  // permutations, the first one is applied first
}

// Place copies the circuit into g.
func (c *Circuit) Place(g *aig.Graph, latches []aig.Lit) aig.Lit {
	k := aig.NewCopier(g, c.G)
	for i, l := range c.Latches {
		k.Set(l.Node(), latches[i])
	}
	return k.Copy(c.Out)
}

// Place returns the conjunction of the clauses in g, without their images; that of no proof is true.
func (p *Proof) Place(g *aig.Graph, latches []aig.Lit) aig.Lit {
	if p == nil {
		return aig.True
	}
	var all []aig.Lit
	for _, clause := range p.Clauses {
		any := lists.Map(clause, func(l ts.Lit) aig.Lit { return latches[l>>1].NotIf(l&1 == 1) })
		all = append(all, g.OrN(any))
	}
	return g.AndN(all)
}

// Image returns the set of the images of the states of a set.
func (c *Circuit) Image(perm *ts.Perm) *Circuit {
	out := NewCircuit(len(c.Latches))
	at := make([]aig.Lit, len(c.Latches)) // of a state whose image is the input
	for i, l := range perm.Latch {
		at[i] = out.Latches[l>>1].NotIf(l&1 == 1)
	}
	out.Out = c.Place(out.G, at)
	return out
}
