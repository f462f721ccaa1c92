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
		v, d := g.parameter()
		params, domains = append(params, v), append(domains, d)
	}
	g.place = inStart
	g.ruleset(params, domains, func() {
		head := "startstate"
		if g.chance(0.5) {
			head += fmt.Sprintf(" %q", g.name("start "))
		}
		g.line("%s", head)
		g.body(func() {
			for _, v := range g.scope[:g.globals] {
				if !g.risky() {
					g.initialise(part{root: v, t: v.t, loose: v.loose}, v.name)
				}
			}
			g.stmts(1, g.rng.IntN(2))
		})
		g.line("endstartstate;")
	})
	g.place = inGuard
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
		if p.t.index.kind < scalarset && p.t.index.card() <= 3 && g.chance(0.5) {
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
	case scalarset, union:
		var names []string
		for _, v := range g.scope {
			if v.bound && p.t.takes(v.t) {
				names = append(names, v.name)
			}
		}
		for _, u := range p.t.parts {
			if u.kind == enum {
				names = append(names, u.value(g.rng.IntN(u.card())))
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
	case multiset:
		if p.root == nil || g.isGlobal(p.root) && g.chance(0.5) || !g.isGlobal(p.root) {
			g.line("undefine %s;", s)
		}
		if g.place == inStart && g.chance(0.5) {
			g.add(p.t, s, p.loose)
		}
	case number:
		g.line("%s := %s;", s, p.t.value(p.t.lo+g.rng.IntN(p.t.card())))
	default:
		g.line("%s := %s;", s, p.t.value(g.rng.IntN(p.t.card())))
	}
}

// maxInstances limits how many instances a rule has.
const maxInstances = 24

// group prints one to three things, perhaps within a ruleset or aliases, and
// rules also within a choose.
func (g *gen) group(depth int, rules bool, f func()) {
	if depth == 0 || g.chance(0.3) {
		f()
		return
	}
	inner := func() {
		for n := 1 + g.rng.IntN(2)*g.rng.IntN(2); n > 0; n-- {
			g.group(depth-1, rules, f)
		}
		if g.chance(0.1) && len(g.chosen) == 0 {
			g.property()
		}
	}
	instances := 1
	for _, v := range g.scope[g.globals:] {
		if v.bound && v.t.kind != number || v.t.spelling == "" {
			instances *= v.t.card()
		}
	}
	for _, c := range g.chosen {
		instances *= c.size
	}
	switch {
	case rules && g.with.multiset && instances <= maxInstances/3 && g.chance(0.5) && g.choose(inner):
		return
	case g.with.alias && g.chance(0.25) && (len(g.chosen) == 0 || !g.opt.Portable):
		g.aliases(inner)
		return
	}
	var params []*variable
	var domains []string
	for n := 1 + g.rng.IntN(2); n > 0; n-- {
		v, d := g.parameter()
		if instances *= v.t.card(); instances > maxInstances {
			break
		}
		params, domains = append(params, v), append(domains, d)
	}
	g.ruleset(params, domains, inner)
}

// parameter makes a ruleset parameter and its domain. CMurphi cannot compile
// bounds, and Rumur crashes on them.
func (g *gen) parameter() (v *variable, domain string) {
	if g.opt.Portable {
		t := g.simpleType()
		return &variable{name: g.name("i"), t: t, bound: true}, ": " + t.spelling
	}
	return g.domain()
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

// body prints the locals and statements of a rule or procedure after its head.
func (g *gen) body(f func()) {
	g.indent++
	locals := g.locals()
	g.line("begin")
	for _, v := range locals {
		if v.t.kind == multiset || !g.risky() {
			g.initialise(part{root: v, t: v.t}, v.name)
		}
	}
	g.within(locals, f)
	g.counters = nil
	g.indent--
}

// locals prints declarations of local variables.
func (g *gen) locals() []*variable {
	var locals []*variable
	if g.chance(0.25) || g.current != nil && g.chance(0.4) {
		for n := 1 + g.rng.IntN(2); n > 0; n-- {
			v := &variable{name: g.name("l"), t: g.component()}
			v.loose = v.t.kind == scalarset && g.chance(0.5)
			locals = append(locals, v)
		}
	}
	if g.with.while {
		for n := g.rng.IntN(3); n > 0; n-- {
			g.counters = append(g.counters, g.name("w"))
		}
	}
	if len(locals)+len(g.counters) > 0 {
		g.line("var")
	}
	for _, v := range locals {
		g.line("%s: %s;", v.name, v.t.spelling)
	}
	for _, w := range g.counters {
		g.line("%s: 0..%d;", w, maxIterations)
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
	g.line("%s", head)
	g.place = inRule
	g.body(func() {
		g.stmts(2, 1+g.rng.IntN(4))
		for _, c := range g.chosen {
			if g.chance(0.5) {
				g.line("multisetremove(%s, %s);", c.slot, c.set)
			}
		}
	})
	g.place = inGuard
	g.line("endrule;")
}

// property prints a property, or an assumption.
func (g *gen) property() {
	n := g.rng.IntN(8)
	switch {
	case n < 2 && g.with.cover:
		g.line("cover %q %s;", g.name("cover "), g.cond(3))
	case n == 2 && g.with.assume:
		g.line("assume %q %s;", g.name("assume "), g.cond(3))
	case n < 5 && g.with.liveness:
		g.line("liveness %q %s;", g.name("live "), g.cond(3))
	default:
		g.line("invariant %q %s;", g.name("inv "), g.cond(3))
	}
}

// stmts prints n statements with blocks of the given depth.
func (g *gen) stmts(depth, n int) {
	for ; n > 0; n-- {
		g.stmt(depth)
	}
}

func (g *gen) stmt(depth int) {
	if depth > 0 && g.chance(0.35) {
		switch n := g.rng.IntN(5); {
		case n == 0:
			g.switchStmt(depth)
		case n == 1:
			g.forStmt(depth)
		case n == 2 && g.with.alias:
			g.aliases(func() { g.stmts(depth-1, 1+g.rng.IntN(2)) })
		case n == 3 && g.while(depth):
		default:
			g.ifStmt(depth)
		}
		return
	}
	// A pure function may be called in an invariant, from where the tools report
	// failed assertions in ways of their own.
	quiet := g.current != nil && g.current.pure
	switch n := g.rng.IntN(48); {
	case n == 0 && !quiet:
		g.line("assert %s %q;", g.cond(2), g.name("assert "))
	case n == 1 && !quiet && g.chance(0.5):
		g.line("error %q;", g.name("error "))
	case n == 2:
		g.put()
	case n < 5 && g.undefine():
	case n == 5 && g.clear():
	case n < 12 && g.copyAggregate():
	case n == 12 && g.with.assume && !quiet:
		g.line("assume %s %q;", g.quietly(2), g.name("assume "))
	case n == 13 && g.with.cover && !quiet:
		g.line("cover %s %q;", g.quietly(2), g.name("cover "))
	case n == 14 && g.current != nil:
		g.ret()
	case n == 15 && g.place == inRule && g.chance(0.3):
		g.line("return;")
	case n < 23 && g.with.multiset && g.multisetStmt():
	case n < 29 && g.callStmt():
	default:
		g.assign()
	}
}

// assign prints an assignment to a simple part, within loops over scalarsets if
// no part can be reached or given a value without.
func (g *gen) assign() {
	ps := g.parts(func(p part) bool {
		if !g.writable(p.root) || p.t.kind >= array {
			return false
		}
		_, ok := g.value(p.t, 0)
		return ok || p.loose
	})
	if len(ps) == 0 {
		t := g.unbound()
		if t == nil || g.current != nil && g.current.pure { // there may be nothing to assign
			g.put()
			return
		}
		v := &variable{name: g.name("i"), t: t, bound: true}
		g.block(fmt.Sprintf("for %s: %s do", v.name, v.t.spelling), func() {
			g.within([]*variable{v}, g.assign)
		}, "endfor;")
		return
	}
	p := pick(g, ps)
	s := g.spell(p, 2)
	if p.loose && g.chance(0.5) || g.risky() {
		copies := g.parts(func(q part) bool {
			return q.loose && p.t.takes(q.t)
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
	if v, ok := g.result(p.t); ok && g.chance(0.3) && (!g.opt.Portable || len(p.path) == 0) {
		g.line("%s := %s;", s, v)
		return
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
		if v.bound && t.takes(v.t) && g.chance(0.5) {
			return v.name
		}
	}
	switch k := g.rng.IntN(t.card()); {
	case t.kind == boolean:
		return "(!" + s + ")"
	case !g.ternary() && t.kind == number:
		return fmt.Sprintf("(((%s - %s) %% %d) + %s)", s, literal(t.lo-1), t.card(), literal(t.lo))
	case !g.ternary():
		return ""
	case t.kind == enum:
		return fmt.Sprintf("((%s = %s) ? %s : %s)", s, t.value(k), t.value((k+1)%t.card()), t.value(k))
	case t.kind == number:
		if g.chance(0.2) {
			return fmt.Sprintf("((%s = %s) ? %s : (%s - 1))", s, t.value(t.lo), t.value(t.hi), s)
		}
		return fmt.Sprintf("((%s < %s) ? (%s + 1) : %s)", s, t.value(t.hi), s, t.value(t.lo))
	}
	return ""
}

// unbound returns a scalarset of which no bound variable is in scope, or nil.
func (g *gen) unbound() *typ {
	for _, t := range g.simple {
		if t.kind == scalarset && !slices.ContainsFunc(g.scope, func(v *variable) bool { return v.bound && v.t == t }) {
			return t
		}
	}
	return nil
}

func (g *gen) undefine() bool {
	risky := g.risky()
	ps := g.parts(func(p part) bool {
		return g.writable(p.root) && (p.loose || risky || p.t.kind == multiset && g.chance(0.3))
	})
	if len(ps) == 0 {
		return false
	}
	g.line("undefine %s;", g.spell(pick(g, ps), 1))
	return true
}

// clear prints a clear statement. CMurphi does not take a target with values of
// scalarsets in it, and gives a union no value of it.
func (g *gen) clear() bool {
	kinds := []kind{scalarset}
	switch {
	case g.opt.Dialect == model.Rumur:
		kinds = nil
	case g.opt.Portable:
		kinds = append(kinds, union)
	}
	ps := g.parts(func(p part) bool {
		return g.writable(p.root) && !p.t.contains(func(t *typ) bool { return slices.Contains(kinds, t.kind) })
	})
	if len(ps) == 0 {
		return false
	}
	g.line("clear %s;", g.spell(pick(g, ps), 1))
	return true
}

// copyAggregate prints a copy of an array or record.
func (g *gen) copyAggregate() bool {
	ps := g.parts(func(p part) bool { return p.t.kind >= array && g.writable(p.root) })
	if len(ps) == 0 {
		return false
	}
	p := pick(g, ps)
	risky := g.risky()
	if s, ok := g.result(p.t); ok && g.chance(0.5) && (!g.opt.Portable || len(p.path) == 0) {
		g.line("%s := %s;", g.spell(p, 0), s)
		return true
	}
	qs := g.parts(func(q part) bool { return q.t == p.t && (p.loose || !q.loose || risky) })
	if len(qs) == 0 {
		return false
	}
	g.line("%s := %s;", g.spell(p, 1), g.spell(pick(g, qs), 1))
	return true
}

func (g *gen) put() {
	ps := g.parts(func(p part) bool { return p.t.kind < array || !g.opt.Portable })
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
	g.branch(depth)
	if g.chance(0.25) {
		g.line("elsif %s then", g.cond(2))
		g.branch(depth)
	}
	if g.chance(0.5) {
		g.line("else")
		g.branch(depth)
	}
	g.line("endif;")
}

func (g *gen) branch(depth int) {
	g.indent++
	g.stmts(depth-1, 1+g.rng.IntN(2))
	g.indent--
}

// switchStmt prints a switch. CMurphi wants constant and different cases.
func (g *gen) switchStmt(depth int) {
	rumur := g.opt.Dialect == model.Rumur
	ps := g.readable(func(t *typ) bool { return t.kind < scalarset || t.kind == union || t.kind == scalarset && rumur })
	if len(ps) == 0 {
		g.assign()
		return
	}
	p := pick(g, ps)
	g.line("switch %s", g.spell(p, 1))
	g.indent++
	var labels []string
	for _, u := range append(p.t.parts, p.t) {
		for v := u.lo; v <= u.hi && u.kind < scalarset; v++ {
			labels = append(labels, u.value(v))
		}
	}
	g.rng.Shuffle(len(labels), func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
	for g.chance(0.7) {
		label := ""
		risk := g.risk
		g.risk = 0 // a label must be of the very type
		s, ok := g.value(p.t, 1)
		g.risk = risk
		switch {
		case rumur && ok && (p.t.kind == scalarset || g.chance(0.3)):
			label = s
		case len(labels) > 1 && g.chance(0.2):
			label = labels[0] + ", " + labels[1]
			labels = labels[2:]
		case len(labels) > 0:
			label = labels[0]
			labels = labels[1:]
		}
		if label == "" {
			break
		}
		g.line("case %s:", label)
		g.branch(depth)
	}
	if g.chance(0.5) {
		g.line("else")
		g.branch(depth)
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

// maxIterations is how often a while statement iterates at most.
const maxIterations = 3

// while prints a while statement with a counter that nothing else knows.
func (g *gen) while(depth int) bool {
	if len(g.counters) == 0 {
		return false
	}
	w := g.counters[0]
	g.counters = g.counters[1:]
	g.line("%s := 0;", w)
	g.block(fmt.Sprintf("while ((%s < %d) & %s) do", w, 1+g.rng.IntN(maxIterations), g.cond(1)), func() {
		g.line("%s := (%s + 1);", w, w)
		g.stmts(depth-1, 1+g.rng.IntN(2))
	}, "endwhile;")
	g.counters = append(g.counters, w)
	return true
}

// aliases prints what f prints within an alias statement or an alias around
// rules and properties. Some aliases are for values, which stay.
func (g *gen) aliases(f func()) {
	var vs []*variable
	var decl []string
	n := len(g.scope)
	for k := 1 + g.rng.IntN(2)*g.rng.IntN(2); k > 0; k-- {
		v := &variable{name: g.name("a")}
		var s string
		ps := g.parts(func(p part) bool { return !p.root.bound })
		if g.chance(0.7) && len(ps) > 0 {
			p := g.nested(ps)
			s = g.spell(p, 1)
			v.t, v.loose, v.fixed = p.t, p.loose, !g.writable(p.root)
		} else {
			x, lo, hi := g.number(1)
			s, v.t, v.bound = x, &typ{kind: number, lo: lo, hi: hi, spelling: "?"}, true
			if !strings.HasPrefix(s, "(") {
				s = "(" + s + " + 0)"
			}
		}
		vs, decl = append(vs, v), append(decl, v.name+": "+s)
		g.scope = append(g.scope[:len(g.scope):len(g.scope)], v) // the next may use it
	}
	g.scope = g.scope[:n]
	g.block("alias "+strings.Join(decl, "; ")+" do", func() { g.within(vs, f) }, "endalias;")
}
