package ts

import (
	"orbitmc/aig"
	"orbitmc/internal/lists"
)

// CleanWithin is Clean with so many rounds of the search for equal latches.
func CleanWithin(s *System, rounds int) *Cleaned { return clean(s, CleanOptions{}, rounds) }

// Copier copies functions of the cleaned system to the graph of the source,
// which grows.
func (c *Cleaned) Copier() *aig.Copier {
	copier := aig.NewCopier(c.Source.G, c.Sys.G)
	for i, l := range c.at {
		if l == gone || l.Node() == 0 || c.same[i] != c.Source.LatchLit(i) {
			continue
		}
		copier.Set(l.Node(), c.Source.LatchLit(i))
	}
	for i, in := range c.Inputs {
		copier.Set(c.Sys.Inputs[i].Node, c.Source.InputLit(in))
	}
	for i, in := range c.Init {
		copier.Set(c.Sys.Init[i].Node, c.Source.InitLit(in))
	}
	return copier
}

// Facts returns the equalities that clean-up relies on, as literals of the graph of the source, which grows. Those with
// settled say that a latch that is stuck has its value; they hold in all reachable states. Where these hold, the others are
// an inductive invariant; an invariant of the cleaned system, copied to the source, is one relative to all of them.
func (c *Cleaned) Facts() (facts []aig.Lit, settled []bool) {
	stuck := c.Source.stuck()
	for i, l := range c.same {
		if own := c.Source.LatchLit(i); l != own {
			facts = append(facts, c.Source.G.Equal(own, l))
			settled = append(settled, l.Node() == 0 && stuck != nil && stuck[i])
		}
	}
	return facts, settled
}

// Restrict returns the action of an automorphism p of the source on the cleaned
// system. p must keep the bads that are kept. The action is an automorphism of the
// cleaned system: p maps classes of equal latches to such classes, and the next
// functions of a class are one function after substitution. (If p was proved to be an
// automorphism only where W holds, CleanOptions.WithW is needed, except for reachable
// states.) ok is false if p does not map classes to classes, or a kept latch to a kept
// one. That happens if it does not keep the bads, or is no symmetry of the structure.
func (c *Cleaned) Restrict(p *Perm) (q *Perm, ok bool) {
	latches := c.Sys.Numbers()
	q = &Perm{Name: p.Name, Latch: make([]Lit, len(c.Sys.Latches))}
	for i := range q.Latch {
		q.Latch[i] = -1
	}
	for i, l := range c.at {
		to := c.at[p.Latch[i]>>1]
		if l == gone || to == gone {
			if l != to {
				return nil, false
			}
			continue
		}
		to = to.NotIf(l.Neg()).NotIf(p.Latch[i]&1 == 1)
		if l.Node() == 0 && to == aig.False {
			continue
		}
		if l.Node() == 0 || to.Node() == 0 {
			return nil, false
		}
		image := MkLit(latches[to.Node()], to.Neg())
		if at := &q.Latch[latches[l.Node()]]; *at == -1 {
			*at = image
		} else if *at != image {
			return nil, false
		}
	}
	restrict := func(image []Lit, numbers []int) []Lit {
		at := lists.IndexBy(numbers, func(v int) int { return v })
		out := make([]Lit, len(numbers))
		for k, i := range numbers {
			to, in := at[image[i].Index()]
			ok = ok && in
			out[k] = MkLit(to, image[i].Neg())
		}
		return out
	}
	ok = true
	q.Input = restrict(p.Input, c.Inputs)
	q.Init = restrict(p.Init, c.Init)
	return q, ok && q.Check(c.Sys) == nil
}
