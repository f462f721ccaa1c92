package invariants

import (
	"fmt"
	"slices"
	"strings"

	"orbitmc/encode"
	"orbitmc/internal/every/transfer"
	"orbitmc/internal/lists"
	"orbitmc/model"
	"orbitmc/ts"
)

// This file reads a lemma in several ways. Which of them hold at all sizes is for others to
// decide: a reading is a candidate.

// Readings returns, for each clause, invariants that may be meant by it, without repetitions. A
// reading in which "all others" than some component occur is left out: whether it holds at all
// sizes is hard to decide. last returns an expression for the greatest value of a class of numbers that
// is the greatest one at each size; "" if there is none. With some, clauses are also read as "there is a component with …".
func Readings(enc *encode.Encoding, y *ts.Symmetry, clauses []ts.Clause, last func(class *model.Type) string, some bool) (exprs []string) {
	n := &writer{transfer.NewNames(enc, y), last}
	seen := make(map[string]bool)
	add := func(e string, err error) {
		if err == nil && !seen[e] {
			seen[e] = true
			exprs = append(exprs, e)
		}
	}
	for _, clause := range clauses {
		for _, p := range n.Patterns(clause) {
			if p = n.beyondStart(p); p == nil || p.Others >= 0 && n.alike(p, p.Types[p.Others]) > 1 {
				continue
			}
			if q, more := n.nowhere(p, 1); more != nil {
				add(n.write(q, more...))
			}
			q, more := n.nowhere(p, 0)
			add(n.write(q, more...))
			if p.Others < 0 {
				for v, s := range q.Types {
					if slices.Index(q.Types, s) == v && s.Block >= 0 && n.alike(q, s) == len(n.Block(s)) {
						add(n.beside(q, s, more))
						add(n.together(q, s, slices.Clone(more)))
					}
				}
				if some {
					for _, over := range n.whole(q) {
						add(n.alikeIn(q, over, slices.Clone(more)))
					}
				}
			}
		}
	}
	return exprs
}

// whole returns the sorts all of whose components a pattern names: each, two of them, and all.
func (wr *writer) whole(p *transfer.Pattern) (out [][]transfer.Sort) {
	var all []transfer.Sort
	for _, s := range p.Types {
		t := wr.Enc.Model.Scalarsets[s.Class]
		if !slices.Contains(all, s) && s.Block >= 0 && t.Name != "" && !t.Slots && wr.alike(p, s) == len(wr.Block(s)) && wr.alike(p, s) == int(t.Card()) {
			all = append(all, s)
		}
	}
	for i, s := range all {
		out = append(out, []transfer.Sort{s})
		for _, t := range all[:i] {
			out = append(out, []transfer.Sort{t, s})
		}
	}
	if len(all) > 2 {
		out = append(out, all)
	}
	return out
}

// alikeIn reads a pattern that says the same of all components of some sorts, wherever one of them stands, as one about
// each of them: "no node has the key, and no message with the key is under way" (Goel, Sakallah: On symmetry and
// quantification, NFM 2021). The lemma, its negation, says that there is some component.
func (wr *writer) alikeIn(p *transfer.Pattern, over []transfer.Sort, more []conjunct) (string, error) {
	bound := func(v int) bool { return slices.Contains(over, p.Types[v]) }
	rest := &transfer.Pattern{Types: p.Types, Others: -1}
	groups := make(map[string][]*atom)
	var order []string
	for _, a := range wr.atoms(p) {
		key, some := "", false
		for _, t := range a.terms {
			key += fmt.Sprintf("%s %v", t.Key, t.Neg)
			for _, v := range t.Vars {
				if bound(v) {
					key, some = key+fmt.Sprintf(" all %v", p.Types[v]), true
				} else {
					key += fmt.Sprintf(" %d", v)
				}
			}
		}
		if !some {
			rest.Terms = append(rest.Terms, a.terms...)
			continue
		}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], a)
	}
	for _, m := range more {
		if slices.ContainsFunc(m.vars, bound) {
			return "", errMixed
		}
	}
	for _, key := range order {
		a := groups[key][0]
		var in, out []int // variables
		for _, t := range a.terms {
			for _, v := range t.Vars {
				if bound(v) {
					in = lists.With(in, v)
				} else {
					out = lists.With(out, v)
				}
			}
		}
		count := 1
		for i, v := range in {
			count *= wr.alike(p, p.Types[v])
			if slices.ContainsFunc(in[:i], func(w int) bool { return p.Types[w] == p.Types[v] }) {
				return "", errMixed
			}
		}
		if len(groups[key]) != count {
			return "", errMixed
		}
		more = append(slices.Clip(more), conjunct{out, func(name []string) (string, error) {
			own := make([]string, len(p.Types))
			copy(own, name)
			text := ""
			for i, v := range in {
				own[v] = fmt.Sprintf("a%d", i+1)
				for wr.taken(own[v]) {
					own[v] += "_"
				}
				text += fmt.Sprintf("forall %s: %s do ", own[v], wr.Enc.Model.Scalarsets[p.Types[v].Class].Name)
			}
			e, err := wr.atom(p, a, own)
			return "(" + text + e + strings.Repeat(" end", len(in)) + ")", err
		}})
	}
	q, number := rest.Only(lists.Map(p.Types, func(s transfer.Sort) bool { return !slices.Contains(over, s) }))
	for i, m := range more {
		more[i] = m.renamed(number)
	}
	return wr.write(q, more...)
}

// alike counts the variables of a sort.
func (wr *writer) alike(p *transfer.Pattern, s transfer.Sort) (count int) {
	for _, t := range p.Types {
		if s == t {
			count++
		}
	}
	return count
}

// nowhere leaves out of a pattern that a leaf differs from every component that there is, or all
// but some that other lemmas may exclude: more says that it is undefined.
func (wr *writer) nowhere(p *transfer.Pattern, but int) (q *transfer.Pattern, more []conjunct) {
	if p.Others >= 0 {
		return p, nil
	}
	q = &transfer.Pattern{Types: p.Types, Others: -1}
	for _, a := range wr.atoms(p) {
		rest := a.terms
		if a.leaf >= 0 && wr.Leaves[a.leaf].Type.Classed() {
			rest = slices.DeleteFunc(slices.Clone(a.terms), func(t transfer.Term) bool { return t.Neg && len(t.Vars) > len(a.vars) })
		}
		if s := wr.Leaves[max(a.leaf, 0)].Type; len(a.terms) == len(rest) || len(a.terms)-len(rest) < int(s.Card())-but || len(rest) > 0 {
			q.Terms = append(q.Terms, a.terms...)
			continue
		}
		leaf, vars := wr.Leaves[a.leaf], a.vars
		more = append(more, conjunct{vars, func(name []string) (string, error) {
			text, err := spell(leaf, vars, name)
			return fmt.Sprintf("(isundefined(%s))", text), err
		}})
	}
	if more == nil {
		return p, nil
	}
	// Variables that no longer occur are left out.
	used := make([]bool, len(p.Types))
	for _, t := range q.Terms {
		for _, v := range t.Vars {
			used[v] = true
		}
	}
	for _, c := range more {
		for _, v := range c.vars {
			used[v] = true
		}
	}
	q, to := q.Only(used)
	for i, c := range more {
		more[i] = c.renamed(to)
	}
	return q, more
}

// conjunct is a part of a cube that is no term: its text, given the names of all variables.
type conjunct struct {
	vars []int // that occur in it
	text func(name []string) (string, error)
}

// renamed returns the conjunct for a pattern in which variable v is to[v].
func (c conjunct) renamed(to map[int]int) conjunct {
	vars := lists.Map(c.vars, func(v int) int { return to[v] })
	return conjunct{vars, func(name []string) (string, error) {
		old := make([]string, slices.Max(append(slices.Clone(c.vars), 0))+1)
		for _, v := range c.vars { // others may have no name any more
			old[v] = name[to[v]]
		}
		return c.text(old)
	}}
}

// together reads a pattern that names all components of a sort as one about all of them alike:
// each leaf has one of the values that it has for some component. So bits of enumerations
// become sets of values.
func (wr *writer) together(p *transfer.Pattern, s transfer.Sort, more []conjunct) (string, error) {
	of := func(vars []int) []int { // those of the sort
		return lists.Where(vars, func(v int) bool { return p.Types[v] == s })
	}
	atoms := wr.atoms(p)
	rest := &transfer.Pattern{Types: p.Types, Others: -1} // without the variables of the sort
	others := lists.Map(p.Types, func(t transfer.Sort) bool { return t != s })
	sets := make(map[string][]*atom) // by leaf
	var order []string
	for _, a := range atoms {
		in := of(a.vars)
		if a.leaf < 0 || len(in) > 1 || len(in) == 0 && slices.ContainsFunc(a.terms, func(t transfer.Term) bool { return len(of(t.Vars)) > 0 }) {
			return "", errMixed
		}
		if len(in) == 0 {
			rest.Terms = append(rest.Terms, a.terms...)
			continue
		}
		if slices.ContainsFunc(a.terms, func(t transfer.Term) bool { return len(t.Vars) > len(a.vars) }) || len(a.vars) > 1 {
			return "", errMixed
		}
		base := wr.Base(wr.sample(p, a.terms[0]))
		if sets[base] == nil {
			order = append(order, base)
		}
		sets[base] = append(sets[base], a)
	}
	all := wr.union(p, s, order, sets)
	if all == "" {
		return "", errMixed
	}
	q, number := rest.Only(others)
	for i, m := range more {
		if len(of(m.vars)) > 0 {
			return "", errMixed
		}
		more[i] = m.renamed(number)
	}
	return wr.write(q, append(slices.Clip(more), conjunct{text: func([]string) (string, error) { return all, nil }})...)
}

// union writes that each leaf of some families, for all components of a sort, has a value that
// the pattern allows for some component; "" if that cannot be written, or says nothing.
func (wr *writer) union(p *transfer.Pattern, s transfer.Sort, order []string, sets map[string][]*atom) string {
	t := wr.Enc.Model.Scalarsets[s.Class]
	size := len(wr.Block(s))
	if t.Name == "" || t.Slots || size != int(t.Card()) {
		return ""
	}
	var conj []string
	c := "c0"
	for wr.taken(c) {
		c += "_"
	}
	for _, base := range order {
		as := sets[base]
		if len(as) < size {
			continue // some component has any value
		}
		leaf := wr.Leaves[as[0].leaf]
		text, err := spell(leaf, []int{0}, []string{c})
		if err != nil || leaf.Slot >= 0 {
			return ""
		}
		x := &reading{text: text, typ: leaf.Type, named: make(map[int64]bool), allows: func(value int64) bool {
			return slices.ContainsFunc(as, func(a *atom) bool { return wr.allows(p, a, value) })
		}}
		e := x.defined()
		if wr.Enc.MayBeUndefined(as[0].leaf) {
			if e, err = x.guarded(e); err != nil {
				continue
			}
		}
		conj = append(conj, "("+e+")")
	}
	if conj == nil {
		return ""
	}
	return fmt.Sprintf("(forall %s: %s do %s end)", c, t.Name, strings.Join(conj, " & "))
}

// beside reads a pattern that names all components of a sort as one about few of them, and about all
// alike. The few are those of which it says what it does not say of all: "one cache is shared
// and holds other data than memory, and each cache is exclusive, shared or invalid".
func (wr *writer) beside(p *transfer.Pattern, s transfer.Sort, more []conjunct) (string, error) {
	plain := func(a *atom) bool { // about one component of the sort, and nothing else
		return a.leaf >= 0 && len(a.vars) == 1 && p.Types[a.vars[0]] == s && !slices.ContainsFunc(a.terms, func(t transfer.Term) bool { return len(t.Vars) > 1 })
	}
	atoms := wr.atoms(p)
	sets := make(map[string][]*atom) // by leaf
	var order []string
	for _, a := range atoms {
		if plain(a) {
			base := wr.Base(wr.sample(p, a.terms[0]))
			if sets[base] == nil {
				order = append(order, base)
			}
			sets[base] = append(sets[base], a)
		}
	}
	size := len(wr.Block(s))
	kept := lists.Map(p.Types, func(t transfer.Sort) bool { return t != s })
	keep := func(vars []int) {
		for _, v := range vars {
			kept[v] = true
		}
	}
	for _, a := range atoms {
		if plain(a) && len(sets[wr.Base(wr.sample(p, a.terms[0]))]) == size {
			continue
		}
		for _, t := range a.terms {
			keep(t.Vars)
		}
	}
	for _, m := range more {
		keep(m.vars)
	}
	part := &transfer.Pattern{Types: p.Types, Others: -1}
	for _, a := range atoms {
		if !slices.ContainsFunc(a.vars, func(v int) bool { return !kept[v] }) {
			part.Terms = append(part.Terms, a.terms...)
		}
	}
	q, number := part.Only(kept)
	few := wr.alike(q, s)
	all := wr.union(p, s, order, sets)
	if few == 0 || few == size || all == "" {
		return "", errMixed
	}
	renamed := lists.Map(more, func(m conjunct) conjunct { return m.renamed(number) })
	return wr.write(q, append(renamed, conjunct{text: func([]string) (string, error) { return all, nil }})...)
}

var errMixed = fmt.Errorf("the components of a lemma cannot be told apart")
