package transfer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// This file reads a lemma as a pattern, a formula over variables that stand for components.
// It also writes the instance of a pattern at another size.
//
// A lemma may name every component of a type, most of them in the same way. Such a lemma has
// a second reading: the components named in the same way are "all others": ∀x ∃y ….

// Term is a literal of a pattern: a latch, but for the components it names.
type Term struct {
	Key  string // the leaf with its first components, and what the latch says of it
	Vars []int  // variables of the pattern, in the order of the components
	Neg  bool   // the latch is 0
}

// Pattern is a cube over variables; it stands for a lemma for each choice of
// different components.
type Pattern struct {
	Types []Sort // by variable
	Terms []Term
	// Others, if it is not -1, is a variable that stands for every component of its
	// sort that no other variable is.
	Others int
}

// Sort is a block of interchangeable components of a scalarset, or a component
// that is not interchangeable with others.
type Sort struct {
	Class int
	Block int // among those of the class; -1: the component Elem
	Elem  int
}

// String is a canonical text of pa: patterns that differ in the order of literals
// or of variables only have the same one in most cases.
func (pa *Pattern) String() string {
	var parts []string
	for _, t := range pa.Terms {
		s := t.Key
		if t.Neg {
			s = "!" + s
		}
		for _, v := range t.Vars {
			x := pa.Types[v]
			s += fmt.Sprintf(" x%d:%d.%d.%d", v, x.Class, x.Block, x.Elem)
			if v == pa.Others {
				s += "*"
			}
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, " & ")
}

// Patterns returns the readings of a lemma: the first one is about the components that
// it names, the others about all but some of them.
func (n *Names) Patterns(clause ts.Clause) []*Pattern {
	p := &Pattern{Others: -1}
	number := make(map[[2]int]int)
	for _, l := range clause {
		x := n.places[l>>1]
		t := Term{Key: x.key, Neg: !l.Neg()}
		for _, e := range x.elems {
			v := lists.Number(number, e)
			if v == len(p.Types) {
				s, ok := n.sorts[e]
				if !ok {
					s = Sort{e[0], -1, e[1]}
				}
				p.Types = append(p.Types, s)
			}
			t.Vars = append(t.Vars, v)
		}
		p.Terms = append(p.Terms, t)
	}
	p = p.normal()
	list := []*Pattern{p}
	for key, elems := range n.blocks {
		if q := p.withOthers(key[0], key[1], len(elems)); q != nil {
			list = append(list, q)
		}
	}
	slices.SortFunc(list[1:], func(a, b *Pattern) int { return cmp.Compare(a.String(), b.String()) })
	return list
}

// normal sorts terms and numbers variables so that most images of a cube look the
// same.
func (pa *Pattern) normal() *Pattern {
	color := lists.Map(pa.Types, func(t Sort) string { return fmt.Sprintf("%d.%d.%d", t.Class, t.Block, t.Elem) })
	for range 3 {
		next := make([][]string, len(color))
		for _, t := range pa.Terms {
			s := fmt.Sprint(t.Key, t.Neg)
			for _, v := range t.Vars {
				s += "," + color[v]
			}
			for i, v := range t.Vars {
				next[v] = append(next[v], fmt.Sprint(s, "@", i))
			}
		}
		ranks := make([]string, len(color))
		for i := range color {
			slices.Sort(next[i])
			ranks[i] = color[i] + "|" + strings.Join(next[i], ";")
		}
		sorted := slices.Compact(slices.Sorted(slices.Values(ranks)))
		for i := range color {
			k, _ := slices.BinarySearch(sorted, ranks[i])
			color[i] = fmt.Sprintf("%d.%d.%d#%d", pa.Types[i].Class, pa.Types[i].Block, pa.Types[i].Elem, k)
		}
	}
	order := lists.Make(len(color), func(i int) int { return i })
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(color[a], color[b]) })
	q := &Pattern{Others: -1, Types: make([]Sort, len(pa.Types))}
	to := make([]int, len(order))
	for i, v := range order {
		to[v] = i
		q.Types[i] = pa.Types[v]
	}
	q.take(pa, func(v int) int { return to[v] })
	sign := map[bool]int{true: 1}
	slices.SortFunc(q.Terms, func(a, b Term) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), sign[a.Neg]-sign[b.Neg], slices.Compare(a.Vars, b.Vars))
	})
	return q
}

// withOthers returns the reading of pa in which the largest set of variables of a
// block that occur in the same way stands for all others of it; nil unless pa names
// all of its size members and two are alike.
func (pa *Pattern) withOthers(class, block, size int) *Pattern {
	var vars []int
	for v, s := range pa.Types {
		if s.Class == class && s.Block == block {
			vars = append(vars, v)
		}
	}
	if len(vars) < size || size < 2 {
		return nil
	}
	about := func(v int) string { // the terms of v, which must not relate it to its like
		var terms []string
		for _, t := range pa.Terms {
			if !slices.Contains(t.Vars, v) {
				continue
			}
			s := fmt.Sprint(t.Key, t.Neg)
			for _, w := range t.Vars {
				if w == v {
					s += ",it"
				} else {
					s += fmt.Sprint(",", w)
				}
			}
			terms = append(terms, s)
		}
		slices.Sort(terms)
		return strings.Join(terms, ";")
	}
	alike := make(map[string][]int)
	best := ""
	for _, v := range vars {
		a := about(v)
		alike[a] = append(alike[a], v)
		if n, m := len(alike[a]), len(alike[best]); n > m || n == m && a < best {
			best = a
		}
	}
	group := alike[best]
	if len(group) < 2 {
		return nil
	}
	q := &Pattern{Others: group[0], Types: pa.Types}
	for _, t := range pa.Terms {
		if !slices.ContainsFunc(t.Vars, func(v int) bool { return slices.Contains(group[1:], v) }) {
			q.Terms = append(q.Terms, t)
		}
	}
	kept := lists.Make(len(pa.Types), func(v int) bool { return !slices.Contains(group[1:], v) })
	q, _ = q.Only(kept)
	return q.normal()
}

// Only returns pa with some of its variables only, among them those of its terms, and their new numbers.
func (pa *Pattern) Only(kept []bool) (q *Pattern, to map[int]int) {
	q, to = &Pattern{Others: -1}, make(map[int]int)
	for v, s := range pa.Types {
		if kept[v] {
			to[v] = len(q.Types)
			q.Types = append(q.Types, s)
		}
	}
	q.take(pa, func(v int) int { return to[v] })
	return q, to
}

// take takes over what p says of its variables, which have new numbers.
func (pa *Pattern) take(p *Pattern, to func(v int) int) {
	if p.Others >= 0 {
		pa.Others = to(p.Others)
	}
	pa.Terms = lists.Map(p.Terms, func(t Term) Term { return Term{Key: t.Key, Neg: t.Neg, Vars: lists.Map(t.Vars, to)} })
}

// instance returns the clause of one choice of components of another encoding of
// the same model, under a group of it; the group gives all others. It is nil if
// there are too few components, a latch does not exist there, or it says nothing.
func (n *Names) instance(p *Pattern) []ts.Lit {
	elem := make([]int, len(p.Types))
	used := make(map[[2]int]int)
	for v, s := range p.Types {
		switch key := [2]int{s.Class, s.Block}; {
		case s.Block < 0:
			elem[v] = s.Elem
		case v == p.Others:
		default:
			if used[key] >= len(n.blocks[key]) {
				return nil
			}
			elem[v] = n.blocks[key][used[key]]
			used[key]++
		}
	}
	others := []int{-1}
	if p.Others >= 0 {
		key := [2]int{p.Types[p.Others].Class, p.Types[p.Others].Block}
		others = n.blocks[key][used[key]:]
	}
	var clause ts.Clause
	for _, t := range p.Terms {
		each := others
		if !slices.Contains(t.Vars, p.Others) {
			each = others[:min(1, len(others))]
			if len(each) == 0 {
				each = []int{-1}
			}
		}
		for _, o := range each {
			at := place{key: t.Key}
			for _, v := range t.Vars {
				e := elem[v]
				if v == p.Others {
					e = o
				}
				at.elems = append(at.elems, [2]int{p.Types[v].Class, e})
			}
			i, ok := n.latch[at.text()]
			if !ok {
				return nil
			}
			clause = append(clause, ts.MkLit(i, !t.Neg))
		}
	}
	if len(clause) == 0 {
		return nil
	}
	slices.SortFunc(clause, func(a, b ts.Lit) int { return cmp.Compare(a^1, b^1) })
	clause = slices.Compact(clause)
	for i, l := range clause[1:] {
		if l.Index() == clause[i].Index() { // it says nothing
			return nil
		}
	}
	return clause
}
