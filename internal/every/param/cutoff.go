package param

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"orbitmc/internal/lists"
)

// This file computes how many components a condition can tell apart (Theorem B of
// docs/theory/every-n.md). Formulas are read in negation normal form. Where a ∃ is in the scope of a ∀ it
// is one of two things:
//
//	named    nothing in it is bound outside of it: it is true or false as a whole, and counts as if
//	         it stood outside
//	chosen   all that ∀ bind outside of it, and on which it depends, is of sorts that come earlier in
//	         Order: it is one component for each choice of these
//	weak     otherwise. It is taken to be true, which only makes the condition weaker
//
// A pointer, a term that is no variable, is read as a relation. Outside of every ∀ it is demanded
// to lead to a component, which then is a witness.

// witnesses collects what a condition needs.
type witnesses struct {
	c      *Conditions
	params []Term
	need   []int              // by sort, without what is chosen
	terms  map[Term]bool      // that are counted, without variables but for params
	named  map[Formula]bool   // that are counted
	chosen map[string]*choice // by text
	weak   bool               // some ∃ is taken to be true
	fused  []bool             // by sort: that a component is a copy of another one may make the condition false

	counted [2]map[Formula]amount // see count
	places  map[Formula]int       // see meet
	seen    map[string]bool       // by under
}

// choice is a component that a ∃ inside a ∀ stands for.
type choice struct {
	text string // the same for what is the same function of the same
	sort int
	on   []Term // the variables of ∀ on which it depends
}

// choose returns what the ∃ of a node stands for, inside a ∀; by are the variables of such ∃ around it. All other variables
// that are no constants count as those of ∀. ok says that they are of sorts that come earlier in Order.
func (c *Conditions) choose(n *Node, f Formula, by map[Term]*choice, params []Term) (x *choice, ok bool) {
	x, ok = &choice{text: fmt.Sprint(f), sort: c.Sort(n.Var)}, true
	for _, v := range n.Free {
		switch y := by[v]; {
		case y != nil:
			x.text += "(" + y.text + ")"
			x.on = append(x.on, y.on...)
		case !c.constant(v, params):
			x.on = append(x.on, v)
		}
	}
	slices.Sort(x.on)
	x.on = slices.Compact(x.on)
	for _, v := range x.on {
		ok = ok && c.Order != nil && c.Order[c.Sort(v)] < c.Order[x.sort]
	}
	return x, ok || c.rules.cyclic
}

// partOf names a formula with what its variables stand for.
func (c *Conditions) partOf(f Formula, by map[Term]*choice) string {
	text := fmt.Sprint(f)
	if len(by) > 0 {
		for _, v := range c.Node(f).Free {
			if y := by[v]; y != nil {
				text += fmt.Sprintf(" %d=%s", v, y.text)
			}
		}
	}
	return text
}

// bind adds a variable to those of ∃.
func bind(by map[Term]*choice, v Term, x *choice) map[Term]*choice {
	out := map[Term]*choice{v: x}
	for w, y := range by {
		if w != v {
			out[w] = y
		}
	}
	return out
}

// Witnesses returns, by sort, how many components a model of f needs at most. weak says that
// some ∃ was taken to be true.
func (c *Conditions) Witnesses(f Formula) (need []int, weak bool) {
	w := c.newWitnesses()
	w.demand(f)
	return w.sizes(), w.weak
}

func (c *Conditions) newWitnesses() *witnesses {
	return &witnesses{
		c: c, need: make([]int, len(c.Sorts)), terms: make(map[Term]bool), named: make(map[Formula]bool),
		chosen: make(map[string]*choice), fused: make([]bool, len(c.Sorts)), places: make(map[Formula]int),
		counted: [2]map[Formula]amount{make(map[Formula]amount), make(map[Formula]amount)}, seen: make(map[string]bool),
	}
}

// clone returns a copy to which more can be added, with other parameters.
func (w *witnesses) clone() *witnesses {
	v := w.c.newWitnesses()
	v.need, v.terms, v.named, v.weak = slices.Clone(w.need), maps.Clone(w.terms), maps.Clone(w.named), w.weak
	v.chosen, v.fused = maps.Clone(w.chosen), slices.Clone(w.fused)
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

// sizes returns how many components are needed, by sort.
func (w *witnesses) sizes() []int {
	out := slices.Clone(w.need)
	order := lists.Make(len(out), func(i int) int { return i })
	slices.SortFunc(order, func(a, b int) int { return w.c.Order[a] - w.c.Order[b] })
	for _, i := range order {
		for _, x := range w.chosen {
			if x.sort != i {
				continue
			}
			each := 1
			for _, v := range x.on {
				s := w.c.Sort(v)
				each = min(each*max(out[s], w.c.Sorts[s].Least), math.MaxInt32)
			}
			out[i] = min(out[i]+each, math.MaxInt32)
		}
	}
	return out
}

// demand adds a formula that holds together with the others.
func (w *witnesses) demand(f Formula) {
	need := w.count(f, 0).need
	w.meet(f)
	once := w.count(f, 1)
	sum, whole := slices.Clone(once.need), slices.Clone(once.whole)
	for i := 0; i < len(whole); i++ {
		if g := whole[i]; !w.named[g] {
			n := w.c.Node(g)
			a := w.count(n.Kids[0].Not(), 1)
			for j, k := range w.bound(n, a.need) {
				sum[j] += k
			}
			for _, h := range a.whole {
				whole = lists.With(whole, h)
			}
		}
	}
	better := true
	for i, k := range sum {
		better = better && k <= need[i]
	}
	if better {
		need = sum
		for _, g := range whole {
			w.named[g] = true
		}
	}
	w.add(need)
	w.outer(f)
}

// amount is what a part needs, and closed ∃ besides, each of which counts once, ascending.
type amount struct {
	need  []int
	whole []Formula
}

// meet counts the places of each part outside of every ∀, up to two.
func (w *witnesses) meet(f Formula) {
	if w.places[f] == 2 {
		return
	}
	w.places[f]++
	if n := w.c.Node(f); n.Kind == And || f.Negated() {
		for _, k := range n.Kids {
			w.meet(k ^ f&1)
		}
	}
}

// bound returns what a ∃ needs whose body needs that.
func (w *witnesses) bound(n *Node, need []int) []int {
	need = slices.Clone(need)
	need[w.c.Sort(n.Var)]++
	for _, t := range w.c.termsOf(n) {
		need[w.c.Sort(t)]++
	}
	return need
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

// count returns what f needs, but for terms without variables of its own. If once is 1, a closed ∃ at several places is kept
// apart, also if it is in parts of which only one must hold: it is true or false as a whole, and one witness does for all
// places. Parts may be shared, so each is visited once. The result must not be changed.
func (w *witnesses) count(f Formula, once int) amount {
	if a, ok := w.counted[once][f]; ok {
		return a
	}
	n := w.c.Node(f)
	a := amount{need: make([]int, len(w.c.Sorts))}
	switch {
	case n.Kind == And:
		for _, k := range n.Kids {
			b := w.count(k^f&1, once)
			for i, m := range b.need {
				if f.Negated() || w.c.rules.common {
					m = max(a.need[i], m) - a.need[i]
				}
				a.need[i] += m
			}
			a.whole = append(a.whole, b.whole...)
		}
		slices.Sort(a.whole)
		a.whole = slices.Compact(a.whole)
	case n.Kind == All && f.Negated() && once == 1 && w.places[f] > 1 && (w.c.rules.shared || w.c.closed(n, w.params)):
		a.whole = []Formula{f}
	case n.Kind == All && f.Negated():
		b := w.count(n.Kids[0].Not(), once)
		a = amount{w.bound(n, b.need), b.whole}
	case n.Kind == All:
		w.under(n.Kids[0], nil)
	}
	w.counted[once][f] = a
	return a
}

// under looks for ∃ in f, which is in the scope of a ∀.
func (w *witnesses) under(f Formula, by map[Term]*choice) {
	part := w.c.partOf(f, by)
	if w.seen[part] {
		return
	}
	w.seen[part] = true
	n := w.c.Node(f)
	switch {
	case n.Kind == And:
		for _, k := range n.Kids {
			w.under(k^f&1, by)
		}
	case n.Kind == All && f.Negated() && w.c.rules.nested:
		w.need[w.c.Sort(n.Var)]++
	case n.Kind == All && f.Negated() && !w.c.closed(n, w.params):
		x, ok := w.c.choose(n, f, by, w.params)
		if !ok {
			w.weak = true
			return
		}
		w.chosen[x.text] = x
		w.under(n.Kids[0].Not(), bind(by, n.Var, x))
	case n.Kind == Equal && !f.Negated():
		w.fused[w.c.Sort(n.Args[0])] = true
	case n.Kind == All && f.Negated():
		if !w.named[f] {
			w.named[f] = true
			w.add(w.count(f, 0).need)
			w.outer(f)
		}
	case n.Kind == All:
		w.under(n.Kids[0], by)
	}
}

// named reports whether a variable is a component that the model names.
func (c *Conditions) named(v Term) bool {
	return slices.ContainsFunc(c.Names, func(n Named) bool { return n.Term == v })
}

// closed reports whether a node has no free variables but params and components with names.
func (c *Conditions) closed(n *Node, params []Term) bool {
	return !slices.ContainsFunc(n.Free, func(v Term) bool { return !c.constant(v, params) })
}

// constant reports whether a variable is one of params, or a component with a name.
func (c *Conditions) constant(v Term, params []Term) bool {
	return slices.Contains(params, v) || c.named(v)
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

// ground returns the pointers in f that mention no variable that f binds and are in the scope of no ∀; and, where some ∃
// inside a ∀ may be kept, those in the scope of a ∀ that mention no variable at all.
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
		for t := range c.ground(n.Kids[0] ^ f&1) {
			if free := c.FreeIn(t); f.Negated() && !slices.Contains(free, n.Var) || len(free) == 0 && Kept(c.Order) {
				s[t] = true
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

// Kept reports whether with an order of sorts a ∃ inside a ∀ may be kept.
func Kept(order []int) bool {
	return slices.ContainsFunc(order, func(place int) bool { return place > 0 })
}
