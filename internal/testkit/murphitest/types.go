package murphitest

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

type kind int

const (
	boolean kind = iota
	enum
	number
	scalarset
	union
	array
	record
	multiset
)

// typ is a type. Two types are the same if they are the same pointer.
type typ struct {
	kind        kind
	spelling    string // how it is referred to
	lo, hi      int    // of a number; 0..n-1 for the other simple kinds
	members     []string
	parts       []*typ // union: enums and scalarsets
	index, elem *typ   // array; a multiset has no index
	fields      []field
	size        int // multiset: number of slots
}

type field struct {
	name  string
	t     *typ
	loose bool // may be undefined
}

func (t *typ) card() int { return t.hi - t.lo + 1 }

// bits returns the logarithm of the number of valuations.
func (t *typ) bits(loose bool) float64 {
	switch t.kind {
	case array:
		return float64(t.index.card()) * t.elem.bits(loose)
	case record:
		b := 0.0
		for _, f := range t.fields {
			b += f.t.bits(loose || f.loose)
		}
		return b
	case multiset:
		return float64(t.size) * math.Log2(math.Exp2(t.elem.bits(loose))+1)
	}
	if loose {
		return math.Log2(float64(t.card() + 1))
	}
	return math.Log2(float64(t.card()))
}

// contains reports whether t or something in it satisfies is.
func (t *typ) contains(is func(*typ) bool) bool {
	if is(t) || t.elem != nil && t.elem.contains(is) {
		return true
	}
	for _, u := range t.parts {
		if u.contains(is) {
			return true
		}
	}
	for _, f := range t.fields {
		if f.t.contains(is) {
			return true
		}
	}
	return false
}

// takes reports whether every value of type u is one of the simple type t.
func (t *typ) takes(u *typ) bool {
	return t == u || slices.Contains(t.parts, u) || t.kind == number && u.kind == number && u.lo >= t.lo && u.hi <= t.hi
}

// value spells value v of a boolean, enum or number.
func (t *typ) value(v int) string {
	if t.members != nil {
		return t.members[v]
	}
	return literal(v)
}

func literal(v int) string {
	if v < 0 {
		return fmt.Sprintf("(-%d)", -v)
	}
	return fmt.Sprint(v)
}

var booleanType = &typ{kind: boolean, spelling: "boolean", hi: 1, members: []string{"false", "true"}}

func (g *gen) constants() {
	g.line("const")
	g.indent++
	for n := g.rng.IntN(4); n >= 0; n-- {
		k := constant{g.name("K"), g.rng.IntN(8) - 3}
		g.consts = append(g.consts, k)
		g.line("%s: %d;", k.name, k.value)
	}
	g.indent--
}

// bound spells the number v as a constant expression, perhaps by name.
func (g *gen) bound(v int) string {
	for _, k := range g.consts {
		if g.chance(0.5) {
			switch {
			case k.value == v:
				return k.name
			case k.value < v:
				return fmt.Sprintf("%s + %d", k.name, v-k.value)
			}
		}
	}
	return fmt.Sprint(v)
}

// declareTypes prints named simple types, then arrays and records of them.
func (g *gen) declareTypes() {
	g.line("type")
	g.indent++
	for n := g.rng.IntN(3); n > 0; n-- {
		size := 1 + g.rng.IntN(4)
		t := &typ{kind: scalarset, spelling: g.name("S"), hi: size - 1}
		g.line("%s: scalarset(%s);", t.spelling, g.bound(size))
		g.simple = append(g.simple, t)
	}
	for n := g.rng.IntN(3); n > 0; n-- {
		t := &typ{kind: enum, spelling: g.name("E")}
		for k := 1 + g.rng.IntN(4); k > 0; k-- {
			t.members = append(t.members, g.name("m"))
		}
		t.hi = len(t.members) - 1
		g.line("%s: enum {%s};", t.spelling, strings.Join(t.members, ", "))
		g.simple = append(g.simple, t)
	}
	for n := 1 + g.rng.IntN(2); n > 0; n-- {
		t := g.rangeType()
		decl := t.spelling
		t.spelling = g.name("R")
		g.line("%s: %s;", t.spelling, decl)
		g.simple = append(g.simple, t)
	}
	g.simple = append(g.simple, booleanType)
	if g.with.union {
		g.unionType()
	}
	for n := g.rng.IntN(4); n > 0; n-- {
		t, decl := g.aggregate()
		g.named(t, decl)
	}
	if g.with.multiset {
		for n := 1 + g.rng.IntN(2); n > 0; n-- {
			g.multisetType()
		}
	}
	g.indent--
}

// named declares an array, record or multiset type.
func (g *gen) named(t *typ, decl string) {
	t.spelling = g.name("T")
	g.line("%s: %s;", t.spelling, decl)
	g.types = append(g.types, t)
}

// unionType declares a union of two or three of the enums and scalarsets, one of
// which may be declared within.
func (g *gen) unionType() {
	t := &typ{kind: union}
	var decl []string
	for _, i := range g.rng.Perm(len(g.simple)) {
		if u := g.simple[i]; (u.kind == enum || u.kind == scalarset) && len(t.parts) < 3 {
			t.parts, decl = append(t.parts, u), append(decl, u.spelling)
		}
	}
	if len(t.parts) < 2 || g.chance(0.1) {
		u := &typ{kind: enum, members: []string{g.name("m"), g.name("m")}, hi: 1}
		t.parts, decl = append(t.parts, u), append(decl, "enum {"+strings.Join(u.members, ", ")+"}")
	}
	if len(t.parts) < 2 {
		u := &typ{kind: enum, members: []string{g.name("m")}}
		t.parts, decl = append(t.parts, u), append(decl, "enum {"+u.members[0]+"}")
	}
	for _, u := range t.parts {
		t.hi += u.card()
	}
	t.hi--
	t.spelling = g.name("U")
	g.line("%s: union {%s};", t.spelling, strings.Join(decl, ", "))
	g.simple = append(g.simple, t)
}

// multisetType declares a multiset, and sometimes an array or a record with it.
func (g *gen) multisetType() {
	var elems []*typ
	for _, t := range append(slices.Clone(g.simple), g.types...) {
		if t.bits(false) <= 4 && !t.contains(func(u *typ) bool { return u.kind == multiset }) {
			elems = append(elems, t)
		}
	}
	t := &typ{kind: multiset, elem: pick(g, elems), size: 1 + g.rng.IntN(3)}
	if t.elem.bits(false) > 3 {
		t.size = min(t.size, 2)
	}
	g.named(t, fmt.Sprintf("multiset [%s] of %s", g.bound(t.size), t.elem.spelling))
	switch g.rng.IntN(4) {
	case 0:
		a := &typ{kind: array, index: g.simpleType(), elem: t}
		for range 3 {
			if u := g.simpleType(); u.card() < a.index.card() {
				a.index = u
			}
		}
		g.named(a, "array ["+a.index.spelling+"] of "+t.spelling)
	case 1:
		f, u := g.name("f"), g.simpleType()
		r := &typ{kind: record, fields: []field{{f, t, false}, {g.name("f"), u, false}}}
		g.named(r, fmt.Sprintf("record %s: %s; %s: %s; end", f, t.spelling, r.fields[1].name, u.spelling))
	}
}

// rangeType makes an anonymous range.
func (g *gen) rangeType() *typ {
	lo := g.rng.IntN(7) - 3
	t := &typ{kind: number, lo: lo, hi: lo + 1 + g.rng.IntN(4)}
	if g.chance(0.2) {
		t.hi = lo + g.rng.IntN(12)
	}
	t.spelling = g.bound(t.lo) + ".." + g.bound(t.hi)
	return t
}

// component is the type of an element or a field.
func (g *gen) component() *typ {
	if len(g.types) > 0 && g.chance(0.3) {
		return pick(g, g.types)
	}
	return g.simpleType()
}

func (g *gen) simpleType() *typ {
	if g.chance(0.1) {
		return g.rangeType()
	}
	return pick(g, g.simple)
}

// aggregate makes an array or a record and its declaration.
func (g *gen) aggregate() (t *typ, decl string) {
	if g.chance(0.6) {
		t = &typ{kind: array, index: g.simpleType(), elem: g.component()}
		return t, "array [" + t.index.spelling + "] of " + t.elem.spelling
	}
	t = &typ{kind: record}
	decl = "record "
	for n := 1 + g.rng.IntN(3); n > 0; n-- {
		f := field{g.name("f"), g.component(), g.chance(0.2)}
		t.fields = append(t.fields, f)
		decl += f.name + ": " + f.t.spelling + "; "
	}
	return t, decl + "end"
}

// variables declares state variables until the limit on bits is reached.
func (g *gen) variables() {
	limit := 1 + g.rng.Float64()*float64(g.opt.Bits-1)
	g.line("var")
	g.indent++
	used := 0.0
	for tries := 0; tries < 12; tries++ {
		t := g.simpleType()
		if len(g.types) > 0 && g.chance(0.5) {
			t = pick(g, g.types)
		}
		v := &variable{name: g.name("v"), t: t, loose: g.chance(0.25)}
		if t.kind == scalarset {
			v.loose = g.chance(0.6)
		}
		if b := t.bits(v.loose); used+b <= limit || tries == 11 && len(g.scope) == 0 && b <= float64(g.opt.Bits) {
			used += b
			g.scope = append(g.scope, v)
		}
	}
	if len(g.scope) == 0 {
		g.scope = append(g.scope, &variable{name: g.name("v"), t: booleanType})
	}
	for _, v := range g.scope {
		g.line("%s: %s;", v.name, v.t.spelling)
	}
	g.globals = len(g.scope)
	g.indent--
}
