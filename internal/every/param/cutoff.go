package param

import (
	"maps"
	"slices"
)

// This file computes how many components a condition can tell apart (Theorem B of
// docs/theory/every-n.md). Formulas are read in negation normal form. Where a ∃ is in the scope of a ∀ it
// is one of two things:
//
//	named    nothing in it is bound outside of it: it is true or false as a whole, and counts as if
//	         it stood outside
//	weak     otherwise. It is taken to be true, which only makes the condition weaker
//
// A pointer, a term that is no variable, is read as a relation. Outside of every ∀ it is demanded
// to lead to a component, which then is a witness.

// witnesses collects what a condition needs.
type witnesses struct {
	c      *Conditions
	params []Term
	need   []int            // by sort
	terms  map[Term]bool    // that are counted, without variables but for params
	named  map[Formula]bool // that are counted
	weak   bool             // some ∃ is taken to be true

	counted map[Formula][]int // see count
	seen    map[Formula]bool  // by under
}

// Witnesses returns, by sort, how many components a model of f needs at most. weak says that
// some ∃ was taken to be true.
func (c *Conditions) Witnesses(f Formula) (need []int, weak bool) {
	w := c.newWitnesses()
	w.demand(f)
	return w.need, w.weak
}

func (c *Conditions) newWitnesses() *witnesses {
	return &witnesses{
		c: c, need: make([]int, len(c.Sorts)), terms: make(map[Term]bool), named: make(map[Formula]bool),
		counted: make(map[Formula][]int), seen: make(map[Formula]bool),
	}
}

// clone returns a copy to which more can be added, with other parameters.
func (w *witnesses) clone() *witnesses {
	v := w.c.newWitnesses()
	v.need, v.terms, v.named, v.weak = slices.Clone(w.need), maps.Clone(w.terms), maps.Clone(w.named), w.weak
	return v
}

// with adds a condition with free variables, and pointers that are to lead to components.
func (w *witnesses) with(k *Condition) {
	w.params = k.Params
	for _, n := range w.c.Names {
		w.need[n.Sort]++
	}
	for _, p := range k.Params {
		w.need[w.c.Sort(p)]++
	}
	for _, t := range k.Total {
		if !w.terms[t] {
			w.terms[t] = true
			w.need[w.c.Sort(t)]++
		}
	}
	w.demand(k.F)
}

// demand adds a formula that holds together with the others.
func (w *witnesses) demand(f Formula) {
	w.add(w.count(f))
	w.outer(f)
}

func (w *witnesses) add(n []int) {
	for i, k := range n {
		w.need[i] += k
	}
}

// outer counts the terms of f that have no variables but params.
func (w *witnesses) outer(f Formula) {
	for t := range w.c.ground(f) {
		if !w.terms[t] {
			w.terms[t] = true
			w.need[w.c.Sort(t)]++
		}
	}
}

// count returns what f needs, but for terms without variables of its own. Parts may be shared, so
// each is visited once. The result must not be changed.
func (w *witnesses) count(f Formula) []int {
	if need, ok := w.counted[f]; ok {
		return need
	}
	n := w.c.Node(f)
	need := make([]int, len(w.c.Sorts))
	switch {
	case n.Kind == And && !f.Negated():
		for _, k := range n.Kids {
			for i, m := range w.count(k) {
				if w.c.rules.common {
					m = max(need[i], m) - need[i]
				}
				need[i] += m
			}
		}
	case n.Kind == And:
		for _, k := range n.Kids {
			for i, m := range w.count(k.Not()) {
				need[i] = max(need[i], m)
			}
		}
	case n.Kind == All && f.Negated():
		copy(need, w.count(n.Kids[0].Not()))
		need[w.c.Sort(n.Var)]++
		for _, t := range w.c.termsOf(n) {
			need[w.c.Sort(t)]++
		}
	case n.Kind == All:
		w.under(n.Kids[0])
	}
	w.counted[f] = need
	return need
}

// under looks for ∃ in f, which is in the scope of a ∀.
func (w *witnesses) under(f Formula) {
	if w.seen[f] {
		return
	}
	w.seen[f] = true
	n := w.c.Node(f)
	switch {
	case n.Kind == And:
		for _, k := range n.Kids {
			w.under(k ^ f&1)
		}
	case n.Kind == All && f.Negated() && w.c.rules.nested:
		w.need[w.c.Sort(n.Var)]++
	case n.Kind == All && f.Negated() && !w.c.closed(n, w.params):
		w.weak = true
	case n.Kind == All && f.Negated():
		if !w.named[f] {
			w.named[f] = true
			w.add(w.count(f))
			w.outer(f)
		}
	case n.Kind == All:
		w.under(n.Kids[0])
	}
}

// named reports whether a variable is a component that the model names.
func (c *Conditions) named(v Term) bool {
	return slices.ContainsFunc(c.Names, func(n Named) bool { return n.Term == v })
}

// closed reports whether a node has no free variables but params and components with names.
func (c *Conditions) closed(n *Node, params []Term) bool {
	return !slices.ContainsFunc(n.Free, func(v Term) bool { return !slices.Contains(params, v) && !c.named(v) })
}

// termsOf returns the pointers with the variable of a ∃ that are in no ∀ or ∃ inside it,
// ascending. Those with variables of an inner ∃ belong to that.
func (c *Conditions) termsOf(n *Node) []Term {
	var out []Term
	for t := range c.ground(n.Kids[0].Not()) {
		if slices.Contains(c.FreeIn(t), n.Var) {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return out
}

// ground returns the pointers in f that are in the scope of no ∀ and mention no variable that f
// binds.
func (c *Conditions) ground(f Formula) map[Term]bool {
	if c.groundOf == nil {
		c.groundOf = make(map[Formula]map[Term]bool)
	}
	if s, ok := c.groundOf[f]; ok {
		return s
	}
	s := make(map[Term]bool)
	n := c.Node(f)
	switch n.Kind {
	case And:
		for _, k := range n.Kids {
			for t := range c.ground(k ^ f&1) {
				s[t] = true
			}
		}
	case All:
		if f.Negated() {
			for t := range c.ground(n.Kids[0].Not()) {
				if !slices.Contains(c.FreeIn(t), n.Var) {
					s[t] = true
				}
			}
		}
	default:
		c.applied(n.Args, func(t Term) {
			if c.Sort(t) != Ints {
				s[t] = true
			}
		})
	}
	c.groundOf[f] = s
	return s
}
