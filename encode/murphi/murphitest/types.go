package murphitest

import (
	"fmt"
	"math"
	"strings"
)

type kind int

const (
	boolean kind = iota
	enum
	number
	scalarset
	array
	record
)

// typ is a type. Two types are the same if they are the same pointer.
type typ struct {
	kind        kind
	spelling    string // how it is referred to
	lo, hi      int    // of a number; 0..n-1 for the other simple kinds
	members     []string
	index, elem *typ // array
	fields      []field
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
	}
	if loose {
		return math.Log2(float64(t.card() + 1))
	}
	return math.Log2(float64(t.card()))
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
	for n := g.rng.IntN(4); n > 0; n-- {
		t, decl := g.aggregate()
		t.spelling = g.name("T")
		g.text.WriteString(strings.Repeat("  ", g.indent) + t.spelling + ": " + decl + ";\n")
		g.types = append(g.types, t)
	}
	g.indent--
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
		if b := t.bits(v.loose); used+b <= limit || tries == 11 && len(g.scope) == 0 {
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
