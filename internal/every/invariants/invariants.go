// Package invariants writes lemmas of a proof as invariants in the Murphi language, so
// that a reader, or another tool, can use what a proof rests on.
//
// A lemma is read as a pattern (package transfer): its components become quantified
// variables, all different. What the lemma says of the bits of a leaf becomes a comparison
// of the leaf with values: those that the bits leave. Where the leaf may be undefined the
// comparison is guarded, since reading it would be an error. A lemma about what the
// model has no name for, such as a slot of a multiset, is refused with the reason.
package invariants

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"orbitmc/encode"
	"orbitmc/internal/every/transfer"
	"orbitmc/model"
	"orbitmc/ts"
)

// Write returns an invariant, an expression in the Murphi language, for each
// clause that one can be written for, and why not for the others. The clauses are
// lemmas under y; readings with "all others" are used where a clause names all
// components of a type.
func Write(enc *encode.Encoding, y *ts.Symmetry, clauses []ts.Clause) (exprs []string, refused []error) {
	n := &writer{transfer.NewNames(enc, y), func(*model.Type) string { return "" }}
	seen := make(map[string]bool)
	for _, clause := range clauses {
		list := n.Patterns(clause)
		p := list[len(list)-1] // with others, if there is such a reading
		if p = n.beyondStart(p); p == nil {
			continue
		}
		e, err := n.write(p)
		switch {
		case err != nil:
			refused = append(refused, err)
		case !seen[e]:
			seen[e] = true
			exprs = append(exprs, e)
		}
	}
	return exprs, refused
}

// writer writes patterns as expressions.
type writer struct {
	*transfer.Names
	last func(class *model.Type) string // see Readings
}

// value writes a component of a class.
func (wr *writer) value(class *model.Type, elem int) string {
	v := class.First + int64(elem)
	if class.Kind == model.Range && v == class.Hi {
		if text := wr.last(class); text != "" {
			return text
		}
	}
	return class.Format(v)
}

// beyondStart leaves out of a pattern that there was a start state: so there is in each
// state of the model. A pattern about the others, nil then, says nothing of it.
func (wr *writer) beyondStart(p *transfer.Pattern) *transfer.Pattern {
	i := slices.IndexFunc(p.Terms, func(t transfer.Term) bool {
		latch := wr.Latch(p, t)
		return latch >= 0 && t.Key == "started" && wr.Meaning[latch].Leaf < 0
	})
	switch {
	case i < 0:
		return p
	case p.Terms[i].Neg:
		return nil
	}
	q := *p
	q.Terms = slices.Delete(slices.Clone(p.Terms), i, i+1)
	return &q
}

// atom is what a pattern says of one leaf.
type atom struct {
	leaf  int   // one that stands for all
	vars  []int // in the place of its indices
	terms []transfer.Term
}

// write writes ¬(p ∧ more) for all choices of different components.
func (wr *writer) write(p *transfer.Pattern, more ...conjunct) (string, error) {
	m := wr.Enc.Model
	name := make([]string, len(p.Types))
	typ := make([]string, len(p.Types))       // "" for one component, whose name is a value
	outside := make([][]string, len(p.Types)) // values that do not belong to the others
	for v, s := range p.Types {
		t := m.Scalarsets[s.Class]
		if s.Block < 0 && t.Alike {
			name[v] = wr.value(t, s.Elem)
			continue
		}
		block := wr.Block(s)
		if typ[v] = t.Name; t.Name == "" || t.Slots || s.Block < 0 || len(block) != int(t.Card()) && !t.Alike {
			return "", fmt.Errorf("components of %v are not all interchangeable, or have no type to quantify over", t)
		}
		for elem := range int(t.Card()) {
			if !slices.Contains(block, elem) {
				outside[v] = append(outside[v], wr.value(t, elem))
			}
		}
		name[v] = fmt.Sprintf("c%d", v+1)
		for wr.taken(name[v]) {
			name[v] += "_"
		}
	}
	var conj, each []string
	for _, m := range more {
		e, err := m.text(name)
		if err != nil {
			return "", err
		}
		conj = append(conj, e)
	}
	for _, a := range wr.atoms(p) {
		e, err := wr.atom(p, a, name)
		if err != nil {
			return "", err
		}
		if p.Others >= 0 && slices.ContainsFunc(a.terms, func(t transfer.Term) bool { return slices.Contains(t.Vars, p.Others) }) {
			each = append(each, e)
		} else {
			conj = append(conj, e)
		}
	}
	var differ []string // for each choice but those of others; it comes first, as leaves may exist for these only
	for v := range name {
		for _, value := range outside[v] {
			if v != p.Others {
				differ = append(differ, fmt.Sprintf("%s != %s", name[v], value))
			}
		}
		for w := range v {
			if v != p.Others && w != p.Others && typ[v] != "" && p.Types[v] == p.Types[w] {
				differ = append(differ, fmt.Sprintf("%s != %s", name[w], name[v]))
			}
		}
	}
	if each != nil {
		body := strings.Join(each, " & ")
		for v := range name {
			if v != p.Others && p.Types[v] == p.Types[p.Others] {
				body = fmt.Sprintf("%s = %s | %s", name[p.Others], name[v], body)
			}
		}
		for _, value := range outside[p.Others] {
			body = fmt.Sprintf("%s = %s | %s", name[p.Others], value, body)
		}
		conj = append(conj, fmt.Sprintf("(forall %s: %s do %s end)", name[p.Others], typ[p.Others], body))
	}
	e := "false" // ¬true: no state is reachable
	if parts := append(differ, conj...); len(parts) > 0 {
		e = "!(" + strings.Join(parts, " & ") + ")"
	}
	for v := len(name) - 1; v >= 0; v-- {
		if v != p.Others && typ[v] != "" {
			e = fmt.Sprintf("forall %s: %s do %s end", name[v], typ[v], e)
		}
	}
	return e, nil
}

// taken reports whether a name means something in the model.
func (wr *writer) taken(name string) bool {
	m := wr.Enc.Model
	for _, v := range m.Vars {
		if strings.EqualFold(v.Name, name) {
			return true
		}
	}
	for _, t := range m.Types {
		if strings.EqualFold(t.Name, name) || slices.Contains(t.Members, name) {
			return true
		}
	}
	for _, l := range wr.Leaves { // whose types may have no name
		for v := l.Type.Lo; !l.Type.Numeric() && v <= l.Type.Hi; v++ {
			if l.Type.Format(v) == name {
				return true
			}
		}
	}
	return slices.ContainsFunc(m.Consts, func(c model.Const) bool { return strings.EqualFold(c.Name, name) })
}

// atoms groups the terms of a pattern by leaf.
func (wr *writer) atoms(p *transfer.Pattern) []*atom {
	var out []*atom
	for _, t := range p.Terms {
		latch := wr.sample(p, t)
		leaf, indices := -1, 0
		if latch >= 0 {
			leaf = wr.Meaning[latch].Leaf
			for _, d := range wr.Leaves[leaf].Indices {
				if _, _, ok := d.Type.Element(d.Value); ok {
					indices++
				}
			}
		}
		vars := t.Vars[:min(indices, len(t.Vars))]
		i := slices.IndexFunc(out, func(a *atom) bool {
			return leaf >= 0 && a.leaf >= 0 && slices.Equal(a.vars, vars) && wr.Base(wr.sample(p, a.terms[0])) == wr.Base(latch)
		})
		if i < 0 {
			i = len(out)
			out = append(out, &atom{leaf: leaf, vars: vars})
		}
		out[i].terms = append(out[i].terms, t)
	}
	return out
}

// sample returns a latch that a term is about; -1 if it belongs to no leaf.
func (wr *writer) sample(p *transfer.Pattern, t transfer.Term) int {
	if i := wr.Latch(p, t); i >= 0 && wr.Meaning[i].Leaf >= 0 {
		return i
	}
	return -1
}

// atom writes what the terms of one leaf say of it.
func (wr *writer) atom(p *transfer.Pattern, a *atom, name []string) (string, error) {
	if a.leaf < 0 {
		return "", fmt.Errorf("a lemma is about a bit that the model does not have: %s", a.terms[0].Key)
	}
	leaf := wr.Leaves[a.leaf]
	if leaf.Slot >= 0 {
		return "", fmt.Errorf("a lemma is about a slot of a multiset: %s", leaf.Name)
	}
	text, err := spell(leaf, a.vars, name)
	if err != nil {
		return "", err
	}
	x := &reading{text: text, typ: leaf.Type, allows: func(value int64) bool { return wr.allows(p, a, value) }}
	wr.compare(p, a, x, name)
	e := x.defined()
	if wr.Enc.MayBeUndefined(a.leaf) {
		if e, err = x.guarded(e); err != nil {
			return "", err
		}
	}
	return "(" + e + ")", nil
}

// allows reports whether all terms of a leaf hold when it has a value.
func (wr *writer) allows(p *transfer.Pattern, a *atom, value int64) bool {
	for _, t := range a.terms {
		if wr.Enc.Holds(wr.Meaning[wr.sample(p, t)], value) == t.Neg {
			return false
		}
	}
	return true
}

// compare reads the terms that compare a leaf with a component: they name a variable
// behind those of the indices.
func (wr *writer) compare(p *transfer.Pattern, a *atom, x *reading, name []string) {
	x.named = make(map[int64]bool)
	for _, t := range a.terms {
		if len(t.Vars) == len(a.vars) {
			continue
		}
		v := name[t.Vars[len(a.vars)]]
		x.named[wr.Meaning[wr.sample(p, t)].Value] = true
		if t.Neg {
			x.not = append(x.not, x.text+" != "+v)
		} else {
			x.is = append(x.is, x.text+" = "+v)
		}
	}
}

// reading is what is known of the values of a leaf.
type reading struct {
	text    string // the leaf
	typ     *model.Type
	allows  func(value int64) bool // also of model.Undef
	is, not []string               // comparisons with components
	named   map[int64]bool         // the components compared with
}

// constants returns comparisons with the values of the leaf that are no components:
// that it is one of those allowed, and that it is none of the others.
func (r *reading) constants() (some, none []string) {
	for v := r.typ.Lo; v <= r.typ.Hi; v++ {
		if _, _, ok := r.typ.Element(v); ok {
			continue
		}
		if r.allows(v) {
			some = append(some, r.text+" = "+r.typ.Format(v))
		} else {
			none = append(none, r.text+" != "+r.typ.Format(v))
		}
	}
	return some, none
}

// anyComponent reports whether the leaf may be a component that no term names; if
// there is none, whether it might be.
func (r *reading) anyComponent() bool {
	for v := r.typ.Lo; v <= r.typ.Hi; v++ {
		if _, _, ok := r.typ.Element(v); ok && !r.named[v] {
			return r.allows(v)
		}
	}
	return true
}

// defined writes what is said of the leaf if it is defined.
func (r *reading) defined() string {
	some, none := r.constants()
	components := len(some)+len(none) < int(r.typ.Card())
	switch {
	case len(r.is) > 0:
		return strings.Join(r.is, " & ")
	case components && r.anyComponent(): // any but those named, or one of the constants
		return cmp.Or(strings.Join(append(r.not, none...), " & "), "true")
	case components: // a union of which a constant is demanded
		return cmp.Or(strings.Join(some, " | "), "false")
	case len(some) == 0:
		return "false"
	case len(none) == 0:
		return "true"
	case len(some) <= len(none):
		return strings.Join(some, " | ")
	}
	return strings.Join(none, " & ")
}

// guarded guards what is said of a leaf that may be undefined, since to read it would
// be an error then.
func (r *reading) guarded(e string) (string, error) {
	switch undefined := r.allows(model.Undef); {
	case e == "true" && undefined:
		return "", fmt.Errorf("a lemma says nothing of %s", r.text)
	case e == "true":
		return fmt.Sprintf("!isundefined(%s)", r.text), nil
	case undefined && e == "false":
		return fmt.Sprintf("isundefined(%s)", r.text), nil
	case undefined:
		return fmt.Sprintf("isundefined(%s) | (%s)", r.text, e), nil
	}
	return fmt.Sprintf("!isundefined(%s) & (%s)", r.text, e), nil
}

// spell writes a leaf with variables for the indices that are components.
func spell(leaf model.Leaf, vars []int, name []string) (string, error) {
	parts := strings.Split(leaf.Name, "[")
	if len(parts) != len(leaf.Indices)+1 {
		return "", fmt.Errorf("a lemma is about %s", leaf.Name)
	}
	k := 0
	for i, d := range leaf.Indices {
		_, rest, _ := strings.Cut(parts[i+1], "]")
		index := d.Type.Format(d.Value)
		if _, _, ok := d.Type.Element(d.Value); ok {
			index = name[vars[k]]
			k++
		}
		parts[i+1] = index + "]" + rest
	}
	return strings.Join(parts, "["), nil
}
