package murphitest

import (
	"fmt"
	"slices"
	"strings"

	"orbitmc/model"
)

// start prints a start state that initialises most of what is not loose.
func (g *gen) start() {
	var params []*variable
	var domains []string
	for _, t := range g.simple {
		if t.kind == scalarset && g.holds(t) && g.chance(0.9) {
			v := &variable{name: g.name("i"), t: t, bound: true}
			params, domains = append(params, v), append(domains, ": "+t.spelling)
		}
	}
	if g.chance(0.15) {
		v, d := g.domain()
		params, domains = append(params, v), append(domains, d)
	}
	g.ruleset(params, domains, func() {
		head := "startstate"
		if g.chance(0.5) {
			head += fmt.Sprintf(" %q", g.name("start "))
		}
		locals := g.header(head)
		g.within(locals, func() {
			for _, v := range g.scope[:g.globals] {
				if !g.risky() {
					g.initialise(part{root: v, t: v.t, loose: v.loose}, v.name)
				}
			}
			g.stmts(1, g.rng.IntN(2))
		})
		g.indent--
		g.line("endstartstate;")
	})
}

// holds reports whether some part that is not loose has type t.
func (g *gen) holds(t *typ) bool {
	var walk func(u *typ) bool
	walk = func(u *typ) bool {
		if u.kind == array {
			return walk(u.elem)
		}
		for _, f := range u.fields {
			if !f.loose && walk(f.t) {
				return true
			}
		}
		return u == t
	}
	for _, v := range g.scope {
		if !v.loose && walk(v.t) {
			return true
		}
	}
	return false
}

// initialise prints assignments to all of p, whose spelling is s, but for loose
// parts.
func (g *gen) initialise(p part, s string) {
	if p.loose && g.chance(0.5) {
		return
	}
	switch p.t.kind {
	case array:
		v := &variable{name: g.name("i"), t: p.t.index, bound: true}
		if p.t.index.kind != scalarset && p.t.index.card() <= 3 && g.chance(0.5) {
			for k := p.t.index.lo; k <= p.t.index.hi; k++ {
				g.initialise(part{t: p.t.elem, loose: p.loose}, s+"["+p.t.index.value(k)+"]")
			}
			return
		}
		g.block(fmt.Sprintf("for %s: %s do", v.name, v.t.spelling), func() {
			g.initialise(part{t: p.t.elem, loose: p.loose}, s+"["+v.name+"]")
		}, "endfor;")
	case record:
		for _, f := range p.t.fields {
			g.initialise(part{t: f.t, loose: p.loose || f.loose}, s+"."+f.name)
		}
	case scalarset:
		var names []string
		for _, v := range g.scope {
			if v.bound && v.t == p.t {
				names = append(names, v.name)
			}
		}
		switch {
		case len(names) > 0:
			g.line("%s := %s;", s, pick(g, names))
		case g.chance(0.7): // depends on the order of the elements
			v := g.name("i")
			g.block(fmt.Sprintf("for %s: %s do", v, p.t.spelling), func() {
				g.line("%s := %s;", s, v)
			}, "endfor;")
		}
	case number:
		g.line("%s := %s;", s, p.t.value(p.t.lo+g.rng.IntN(p.t.card())))
	default:
		g.line("%s := %s;", s, p.t.value(g.rng.IntN(p.t.card())))
	}
}

// maxInstances limits how many instances a rule has.
const maxInstances = 24

// group prints one to three things, perhaps within a ruleset.
func (g *gen) group(depth int, f func()) {
	if depth == 0 || g.chance(0.3) {
		f()
		return
	}
	var params []*variable
	var domains []string
	instances := 1
	for _, v := range g.scope[g.globals:] {
		instances *= v.t.card()
	}
	for n := 1 + g.rng.IntN(2); n > 0; n-- {
		v, d := g.domain()
		if instances *= v.t.card(); instances > maxInstances {
			break
		}
		params, domains = append(params, v), append(domains, d)
	}
	g.ruleset(params, domains, func() {
		for n := 1 + g.rng.IntN(2)*g.rng.IntN(2); n > 0; n-- {
			g.group(depth-1, f)
		}
		if g.chance(0.1) {
			g.invariant()
		}
	})
}

// ruleset prints what f prints, within a ruleset unless params is empty.
func (g *gen) ruleset(params []*variable, domains []string, f func()) {
	if len(params) == 0 {
		f()
		return
	}
	var qs []string
	for i, v := range params {
		qs = append(qs, v.name+" "+domains[i])
	}
	g.block("ruleset "+strings.Join(qs, "; ")+" do", func() { g.within(params, f) }, "endruleset;")
}

// header prints the head of a rule with local variables.
func (g *gen) header(head string) []*variable {
	g.line("%s", head)
	g.indent++
	if !g.chance(0.25) {
		g.line("begin")
		return nil
	}
	var locals []*variable
	g.line("var")
	for n := 1 + g.rng.IntN(2); n > 0; n-- {
		v := &variable{name: g.name("l"), t: g.component()}
		v.loose = v.t.kind == scalarset && g.chance(0.5)
		locals = append(locals, v)
		g.line("%s: %s;", v.name, v.t.spelling)
	}
	g.line("begin")
	for _, v := range locals {
		if !g.risky() {
			g.initialise(part{root: v, t: v.t}, v.name)
		}
	}
	return locals
}

func (g *gen) rule() {
	head := "rule"
	if g.chance(0.8) {
		head += fmt.Sprintf(" %q", g.name("rule "))
	}
	if g.chance(0.7) {
		head += " " + g.cond(g.rng.IntN(3)) + " ==>"
	}
	locals := g.header(head)
	g.within(locals, func() { g.stmts(2, 1+g.rng.IntN(4)) })
	g.indent--
	g.line("endrule;")
}

func (g *gen) invariant() {
	g.line("invariant %q %s;", g.name("inv "), g.cond(3))
}

// stmts prints n statements with blocks of the given depth.
func (g *gen) stmts(depth, n int) {
	for ; n > 0; n-- {
		g.stmt(depth)
	}
}

func (g *gen) stmt(depth int) {
	if depth > 0 && g.chance(0.35) {
		switch g.rng.IntN(3) {
		case 0:
			g.ifStmt(depth)
		case 1:
			g.switchStmt(depth)
		default:
			g.forStmt(depth)
		}
		return
	}
	switch n := g.rng.IntN(40); {
	case n == 0:
		g.line("assert %s %q;", g.cond(2), g.name("assert "))
	case n == 1 && g.chance(0.5):
		g.line("error %q;", g.name("error "))
	case n == 2:
		g.put()
	case n < 6 && g.undefine():
	case n < 12 && g.copyAggregate():
	default:
		g.assign()
	}
}

// assign prints an assignment to a simple part, within loops over scalarsets if
// no part can be reached or given a value without.
func (g *gen) assign() {
	ps := g.parts(func(p part) bool {
		if p.root.bound || p.t.kind >= array {
			return false
		}
		_, ok := g.value(p.t, 0)
		return ok || p.loose
	})
	if len(ps) == 0 {
		v := &variable{name: g.name("i"), t: g.unbound(), bound: true}
		g.block(fmt.Sprintf("for %s: %s do", v.name, v.t.spelling), func() {
			g.within([]*variable{v}, g.assign)
		}, "endfor;")
		return
	}
	p := pick(g, ps)
	s := g.spell(p, 2)
	if p.loose && g.chance(0.5) || g.risky() {
		copies := g.parts(func(q part) bool {
			return q.loose && (q.t == p.t || q.t.kind == number && p.t.kind == number && q.t.lo >= p.t.lo && q.t.hi <= p.t.hi)
		})
		if g.opt.Dialect == model.CMurphi && len(copies) > 0 && g.chance(0.5) {
			g.line("%s := %s;", s, g.spell(pick(g, copies), 1))
			return
		}
	}
	if (!p.loose || g.risky()) && g.chance(0.4) {
		if v := g.successor(p.t, s); v != "" {
			g.line("%s := %s;", s, v)
			return
		}
	}
	v, ok := g.value(p.t, 2)
	if !ok {
		g.line("undefine %s;", s)
		return
	}
	g.line("%s := %s;", s, v)
}

// successor makes an expression for another value than that of the designator
// s, or the value of a bound variable; "" if it cannot.
func (g *gen) successor(t *typ, s string) string {
	for _, v := range g.scope {
		if v.bound && (v.t == t || t.kind == number && v.t.kind == number && v.t.lo >= t.lo && v.t.hi <= t.hi) && g.chance(0.5) {
			return v.name
		}
	}
	switch k := g.rng.IntN(t.card()); t.kind {
	case boolean:
		return "(!" + s + ")"
	case enum:
		return fmt.Sprintf("((%s = %s) ? %s : %s)", s, t.value(k), t.value((k+1)%t.card()), t.value(k))
	case number:
		if g.chance(0.2) {
			return fmt.Sprintf("((%s = %s) ? %s : (%s - 1))", s, t.value(t.lo), t.value(t.hi), s)
		}
		return fmt.Sprintf("((%s < %s) ? (%s + 1) : %s)", s, t.value(t.hi), s, t.value(t.lo))
	}
	return ""
}

// unbound returns a scalarset of which no bound variable is in scope.
func (g *gen) unbound() *typ {
	for _, t := range g.simple {
		if t.kind == scalarset && !slices.ContainsFunc(g.scope, func(v *variable) bool { return v.bound && v.t == t }) {
			return t
		}
	}
	panic("murphitest: every scalarset has a bound variable and no part can be assigned")
}

func (g *gen) undefine() bool {
	risky := g.risky()
	ps := g.parts(func(p part) bool { return !p.root.bound && (p.loose || risky) })
	if len(ps) == 0 {
		return false
	}
	g.line("undefine %s;", g.spell(pick(g, ps), 1))
	return true
}

// copyAggregate prints a copy of an array or record.
func (g *gen) copyAggregate() bool {
	ps := g.parts(func(p part) bool { return p.t.kind >= array })
	if len(ps) == 0 {
		return false
	}
	p := pick(g, ps)
	risky := g.risky()
	qs := g.parts(func(q part) bool { return q.t == p.t && (p.loose || !q.loose || risky) })
	if len(qs) == 0 {
		return false
	}
	g.line("%s := %s;", g.spell(p, 1), g.spell(pick(g, qs), 1))
	return true
}

func (g *gen) put() {
	ps := g.parts(func(p part) bool { return p.t.kind < array })
	switch {
	case len(ps) == 0 || g.chance(0.3):
		g.line("put %q;", "text")
	case g.chance(0.5):
		g.line("put %s;", g.spell(pick(g, ps), 1))
	default:
		g.line("put %s;", g.cond(2))
	}
}

func (g *gen) ifStmt(depth int) {
	g.line("if %s then", g.cond(2))
	g.body(depth)
	if g.chance(0.25) {
		g.line("elsif %s then", g.cond(2))
		g.body(depth)
	}
	if g.chance(0.5) {
		g.line("else")
		g.body(depth)
	}
	g.line("endif;")
}

func (g *gen) body(depth int) {
	g.indent++
	g.stmts(depth-1, 1+g.rng.IntN(2))
	g.indent--
}

// switchStmt prints a switch. CMurphi wants constant and different cases.
func (g *gen) switchStmt(depth int) {
	rumur := g.opt.Dialect == model.Rumur
	ps := g.readable(func(t *typ) bool { return t.kind < scalarset || t.kind == scalarset && rumur })
	if len(ps) == 0 {
		g.assign()
		return
	}
	p := pick(g, ps)
	g.line("switch %s", g.spell(p, 1))
	g.indent++
	labels := g.rng.Perm(p.t.card())
	for i := 0; i < len(labels) && g.chance(0.7); i++ {
		label := p.t.value(p.t.lo + labels[i])
		if rumur && (p.t.kind == scalarset || g.chance(0.3)) {
			s, ok := g.value(p.t, 1)
			if !ok {
				break
			}
			label = s
		} else if i+1 < len(labels) && g.chance(0.2) {
			i++
			label += ", " + p.t.value(p.t.lo+labels[i])
		}
		g.line("case %s:", label)
		g.body(depth)
	}
	if g.chance(0.5) {
		g.line("else")
		g.body(depth)
	}
	g.indent--
	g.line("endswitch;")
}

// forStmt prints a loop.
func (g *gen) forStmt(depth int) {
	v, domain := g.iteration()
	g.block(fmt.Sprintf("for %s %s do", v.name, domain), func() {
		g.within([]*variable{v}, func() { g.stmts(depth-1, 1+g.rng.IntN(2)) })
	}, "endfor;")
}
