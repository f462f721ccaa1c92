package murphitest

import (
	"fmt"
	"slices"
	"strings"

	"orbitmc/model"
)

// part is a designator whose indices are still open.
type part struct {
	root  *variable
	path  []selector
	t     *typ
	loose bool // may be undefined
}

// selector is a field, or an index of the given type.
type selector struct {
	field string
	index *typ
}

// parts returns the designators in scope that satisfy want and whose indices
// can be filled.
func (g *gen) parts(want func(p part) bool) []part {
	var found []part
	var walk func(p part)
	walk = func(p part) {
		if want(p) {
			found = append(found, p)
		}
		path := p.path[:len(p.path):len(p.path)]
		switch p.t.kind {
		case array:
			if !g.indexable(p.t.index) {
				return
			}
			walk(part{p.root, append(path, selector{index: p.t.index}), p.t.elem, p.loose})
		case record:
			for _, f := range p.t.fields {
				walk(part{p.root, append(path, selector{field: f.name}), f.t, p.loose || f.loose})
			}
		}
	}
	for _, v := range g.scope {
		walk(part{root: v, t: v.t, loose: v.loose})
	}
	return found
}

// indexable reports whether some value of t is at hand.
func (g *gen) indexable(t *typ) bool {
	switch t.kind {
	case union:
		return slices.ContainsFunc(t.parts, g.indexable) || len(g.holders(t)) > 0
	case scalarset:
		return len(g.holders(t)) > 0
	}
	return true
}

// holders returns the variables whose value can be used as an index of the
// scalarset or union t.
func (g *gen) holders(t *typ) []*variable {
	var bound, others []*variable
	for _, v := range g.scope {
		switch {
		case t.takes(v.t) && v.bound:
			bound = append(bound, v)
		case t.takes(v.t) && (!v.loose || g.risky()):
			others = append(others, v)
		}
	}
	if len(bound) > 0 && g.chance(0.8) {
		return bound
	}
	return append(bound, others...)
}

// spell fills the indices of p.
func (g *gen) spell(p part, depth int) string {
	var b strings.Builder
	b.WriteString(p.root.name)
	for _, s := range p.path {
		if s.index == nil {
			b.WriteString("." + s.field)
			continue
		}
		b.WriteString("[" + g.index(s.index, depth) + "]")
	}
	return b.String()
}

// index makes an index expression.
func (g *gen) index(t *typ, depth int) string {
	if t.kind == scalarset || t.kind == union {
		if hs := g.holders(t); len(hs) > 0 && (t.kind == scalarset || g.chance(0.7)) {
			return pick(g, hs).name
		}
		for _, u := range t.parts {
			if u.kind == enum {
				return u.value(g.rng.IntN(u.card()))
			}
		}
		for _, v := range g.scope { // the holders were loose ones
			if t.takes(v.t) {
				return v.name
			}
		}
	}
	var names []string
	for _, v := range g.scope {
		if v.bound && t.takes(v.t) {
			names = append(names, v.name)
		}
	}
	switch {
	case t.kind == number && g.risky():
		s, _, _ := g.number(1)
		return s
	case len(names) > 0 && g.chance(0.6):
		return pick(g, names)
	}
	if depth <= 0 || g.chance(0.4) {
		return t.value(t.lo + g.rng.IntN(t.card()))
	}
	s, _ := g.value(t, depth-1)
	return s
}

// nested picks a part, rather one with indices or fields.
func (g *gen) nested(ps []part) part {
	p := pick(g, ps)
	for range 3 {
		if q := pick(g, ps); len(q.path) > len(p.path) {
			p = q
		}
	}
	return p
}

// readable returns the parts of a kind that may be read; loose ones seldom.
func (g *gen) readable(want func(t *typ) bool) []part {
	loose := g.risky()
	return g.parts(func(p part) bool { return want(p.t) && (loose || !p.loose) })
}

// value makes an expression of simple type t whose value is in range. It fails
// only for a scalarset or union no value of which is at hand.
func (g *gen) value(t *typ, depth int) (s string, ok bool) {
	if depth > 0 && g.chance(0.2) {
		if s, ok := g.callValue(t, depth-1); ok {
			return s, true
		}
	}
	switch t.kind {
	case boolean:
		return g.cond(depth), true
	case number:
		return g.fit(t, depth), true
	}
	narrow := !g.opt.Portable && g.risky() // a union, whose value may belong to another part
	ps := g.readable(func(u *typ) bool { return t.takes(u) || narrow && u.takes(t) })
	switch {
	case depth > 0 && t.kind != union && g.ternary() && g.chance(0.15):
		x, okx := g.value(t, depth-1)
		y, oky := g.value(t, depth-1)
		if okx && oky {
			return fmt.Sprintf("(%s ? %s : %s)", g.cond(depth-1), x, y), true
		}
	case len(ps) > 0 && (t.kind == scalarset || g.chance(0.5)):
		return g.spell(pick(g, ps), depth-1), true
	}
	enums := []*typ{t}
	if t.kind == union {
		enums = t.parts
	}
	for _, u := range enums {
		if u.kind == enum {
			return u.value(g.rng.IntN(u.card())), true
		}
	}
	if len(ps) == 0 {
		return "", false
	}
	return g.spell(pick(g, ps), depth-1), true
}

// ternary reports whether ?: may be used. CMurphi evaluates parts of both
// branches, and cannot compile one that mixes constants and variables.
func (g *gen) ternary() bool { return !g.opt.Portable || g.opt.Dialect == model.Rumur }

// fit makes a number in the range t.
func (g *gen) fit(t *typ, depth int) string {
	s, lo, hi := g.number(depth)
	switch {
	case t.lo <= lo && hi <= t.hi || g.risky():
		return s
	case depth <= 0 || g.chance(0.2):
		return t.value(t.lo + g.rng.IntN(t.card()))
	case lo >= t.lo && t.lo == 0:
		return fmt.Sprintf("(%s %% %d)", s, t.card())
	case lo >= t.lo:
		return fmt.Sprintf("(((%s - %s) %% %d) + %s)", s, literal(t.lo), t.card(), literal(t.lo))
	case !g.ternary():
		return fmt.Sprintf("((((%s %% %d) + %d) %% %d) + %s)", s, t.card(), t.card(), t.card(), literal(t.lo))
	}
	return fmt.Sprintf("(((%s >= %s) & (%s <= %s)) ? %s : %s)",
		s, literal(t.lo), s, literal(t.hi), s, t.value(t.lo+g.rng.IntN(t.card())))
}

// number makes a number and returns bounds on it.
func (g *gen) number(depth int) (s string, lo, hi int) {
	if depth > 0 && g.chance(0.6) {
		if s, lo, hi := g.operation(depth); lo > -300 && hi < 300 {
			return s, lo, hi
		}
	}
	if g.with.multiset && g.chance(0.2) {
		if s, hi, ok := g.count(depth); ok {
			return s, 0, hi
		}
	}
	if depth > 0 && g.chance(0.2) {
		if s, t, ok := g.call(func(t *typ) bool { return t.kind == number }, depth-1); ok {
			return s, t.lo, t.hi
		}
	}
	ps := g.readable(func(t *typ) bool { return t.kind == number })
	if len(ps) > 0 && g.chance(0.75) {
		p := pick(g, ps)
		return g.spell(p, depth-1), p.t.lo, p.t.hi
	}
	if g.chance(0.3) {
		k := pick(g, g.consts)
		return k.name, k.value, k.value
	}
	v := g.rng.IntN(9) - 3
	return literal(v), v, v
}

// operation makes an arithmetic operation or a conditional number.
func (g *gen) operation(depth int) (s string, lo, hi int) {
	x, a, b := g.number(depth - 1)
	if g.with.bits && g.chance(0.3) {
		return g.bitOperation(x, a, b, depth)
	}
	switch n := g.rng.IntN(10); {
	case n == 0:
		return "(-" + x + ")", -b, -a
	case n == 1 && g.ternary():
		y, c, d := g.number(depth - 1)
		return fmt.Sprintf("(%s ? %s : %s)", g.cond(depth-1), x, y), min(a, c), max(b, d)
	}
	y, c, d := g.number(depth - 1)
	op := pick(g, []string{"+", "+", "-", "-", "*", "/", "%"})
	if (op == "/" || op == "%") && c <= 0 && d >= 0 && (g.opt.Portable || !g.chance(5*g.risk)) {
		c = pick(g, []int{-3, -2, 1, 2, 3})
		y, d = literal(c), c
	}
	big := max(b, -a)
	switch op {
	case "+":
		lo, hi = a+c, b+d
	case "-":
		lo, hi = a-d, b-c
	case "*":
		lo, hi = min(a*c, a*d, b*c, b*d), max(a*c, a*d, b*c, b*d)
	default:
		lo, hi = -big, big
	}
	return fmt.Sprintf("(%s %s %s)", x, op, y), lo, hi
}

// bitOperation makes a bit operation on x, which is between a and b.
func (g *gen) bitOperation(x string, a, b, depth int) (s string, lo, hi int) {
	switch op := pick(g, []string{"&", "|", "^", "^", "~", "<<", ">>"}); op {
	case "~":
		return "(~" + x + ")", -b - 1, -a - 1
	case "<<", ">>":
		by, c, d := literal(g.rng.IntN(5)-1), 0, 0
		if ps := g.readable(func(t *typ) bool { return t.kind == number && t.lo >= -2 && t.hi <= 3 }); len(ps) > 0 && g.chance(0.5) {
			by = g.spell(pick(g, ps), 0)
		}
		if a < 0 {
			c = a << 3
		}
		if b > 0 {
			d = b << 3
		}
		return "(" + x + " " + op + " " + by + ")", c, d
	default:
		y, c, d := g.number(depth - 1)
		most := 1 // the least power of two above all of them
		for most <= max(b, d, -a-1, -c-1) {
			most *= 2
		}
		if lo, hi = 0, most-1; a < 0 || c < 0 {
			lo = -most
		}
		return "(" + x + " " + op + " " + y + ")", lo, hi
	}
}

// cond makes a boolean expression.
func (g *gen) cond(depth int) string {
	if depth <= 0 || g.chance(0.35) {
		if depth > 0 && g.chance(0.2) {
			if s, _, ok := g.call(func(t *typ) bool { return t == booleanType }, depth-1); ok {
				return s
			}
		}
		return g.atom(depth)
	}
	x := func() string { return g.cond(depth - 1) }
	switch n := g.rng.IntN(9); {
	case n == 0:
		return "(!" + x() + ")"
	case n <= 2:
		return "(" + x() + " & " + x() + ")"
	case n <= 4:
		return "(" + x() + " | " + x() + ")"
	case n == 5:
		return "(" + x() + " -> " + x() + ")"
	case n == 6 && g.ternary():
		return "(" + x() + " ? " + x() + " : " + x() + ")"
	case n == 7:
		return g.quantified(depth)
	}
	return "(" + x() + pick(g, []string{" = ", " != "}) + x() + ")"
}

// quantified makes a forall or exists.
func (g *gen) quantified(depth int) string {
	v, domain := g.iteration()
	q := pick(g, []string{"forall", "exists"})
	body := g.quietly(depth-1, v)
	return fmt.Sprintf("(%s %s %s do %s end%s)", q, v.name, domain, body, q)
}

// quietly makes a boolean expression that has no side effects, with more
// variables in scope.
func (g *gen) quietly(depth int, vs ...*variable) (s string) {
	defer func(p place) { g.place = p }(g.place)
	g.place = inGuard
	g.within(vs, func() { s = g.cond(depth) })
	return s
}

// domain makes a bound variable and its domain, which is constant. Under CMurphi
// it may be empty.
func (g *gen) domain() (v *variable, domain string) {
	v = &variable{name: g.name("i"), bound: true}
	if g.chance(0.75) {
		v.t = g.simpleType()
		return v, ": " + v.t.spelling
	}
	from := g.rng.IntN(6) - 2
	step := pick(g, []int{1, 1, 1, 2, 3, -1, -2})
	to := from + step*g.rng.IntN(4)
	if step > 1 {
		to += g.rng.IntN(step)
	}
	if g.opt.Dialect == model.CMurphi && g.chance(0.05) {
		to = from - step
	}
	v.t = &typ{kind: number, lo: min(from, to), hi: max(from, to)}
	domain = fmt.Sprintf(":= %d to %d", from, to)
	if step != 1 || g.chance(0.1) {
		domain += fmt.Sprintf(" by %d", step)
	}
	return v, domain
}

// iteration makes the variable of a loop or a quantifier and its domain, which
// may be between bounds computed from the state.
func (g *gen) iteration() (v *variable, domain string) {
	v, domain = g.domain()
	if !g.chance(0.2) {
		return v, domain
	}
	ps := g.readable(func(t *typ) bool { return t.kind == number && t.card() <= 6 })
	if len(ps) == 0 {
		return v, domain
	}
	p, q := pick(g, ps), pick(g, ps)
	lo, hi := p.t.lo, p.t.hi
	s := g.spell(p, 1)
	switch g.rng.IntN(5) {
	case 0:
		domain = fmt.Sprintf(":= %s to %d", s, hi)
	case 1:
		domain = fmt.Sprintf(":= %d to %s by %d", lo, s, 1+g.rng.IntN(2))
	case 2:
		domain = fmt.Sprintf(":= %d to %s by %d", hi, s, -1-g.rng.IntN(2))
	case 3:
		domain = fmt.Sprintf(":= %s to %d by -1", s, lo)
	case 4:
		lo, hi = min(lo, q.t.lo), max(hi, q.t.hi)
		domain = fmt.Sprintf(":= %s to %s", s, g.spell(q, 1))
	}
	v.t = &typ{kind: number, lo: lo, hi: hi}
	return v, domain
}

// atom makes a boolean expression from one designator or constant, testing a
// loose one for definedness first.
func (g *gen) atom(depth int) string {
	ps := g.parts(func(p part) bool { return p.t.kind < array })
	if len(ps) == 0 || g.chance(0.05) {
		return pick(g, booleanType.members)
	}
	p := pick(g, ps)
	s := g.spell(p, depth-1)
	if p.loose && g.chance(0.2) {
		return fmt.Sprintf(pick(g, []string{"isundefined(%s)", "(!isundefined(%s))"}), s)
	}
	lax := (p.t.kind == scalarset || p.t.kind == union) && g.opt.Dialect == model.CMurphi // undefined is one more value
	text := g.compared(p, s, depth-1)
	if p.t.kind == union && g.chance(0.4) || p.t.kind == enum && g.with.union && g.chance(0.05) {
		if u := g.partOf(p.t); u != "" {
			text = "ismember(" + s + ", " + u + ")"
		}
	}
	if !p.loose || g.risky() || lax {
		return text
	}
	return fmt.Sprintf(pick(g, []string{"((!isundefined(%s)) & %s)", "(isundefined(%s) | %s)", "((!isundefined(%s)) -> %s)"}), s, text)
}

// partOf returns the name of a part of the union t, or of t itself if it is none.
func (g *gen) partOf(t *typ) string {
	var names []string
	for _, u := range append(t.parts, t) {
		if u.kind != union && u.spelling != "" {
			names = append(names, u.spelling)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return pick(g, names)
}

// compared makes a comparison of the designator s.
func (g *gen) compared(p part, s string, depth int) string {
	ops := []string{"=", "!="}
	var y string
	switch p.t.kind {
	case boolean:
		if g.chance(0.7) {
			return s
		}
		y = g.cond(depth)
	case number:
		ops = []string{"=", "!=", "<", "<=", ">", ">="}
		y, _, _ = g.number(depth)
	case enum:
		y, _ = g.value(p.t, depth)
	case scalarset, union:
		qs := g.parts(func(q part) bool {
			return (p.t.takes(q.t) || q.t.takes(p.t)) && (!q.loose || g.opt.Dialect == model.CMurphi || g.risky())
		})
		value, ok := g.value(p.t, 0)
		switch {
		case len(qs) > 0 && (p.t.kind == scalarset || g.chance(0.6)):
			y = g.spell(pick(g, qs), depth)
		case ok:
			y = value
		default:
			return "true"
		}
	}
	if g.chance(0.15) {
		s, y = y, s
	}
	return fmt.Sprintf("(%s %s %s)", s, pick(g, ops), y)
}
