package murphitest

import (
	"fmt"
	"strings"

	"orbitmc/model"
)

// proc is a procedure or, if it has a result, a function.
type proc struct {
	name   string
	params []formal
	result *typ
	pure   bool // changes nothing but its own locals
}

type formal struct {
	v     *variable
	byRef bool
}

// procedures declares a few.
func (g *gen) procedures() {
	for n := 1 + g.rng.IntN(3); n > 0; n-- {
		g.procedure()
	}
}

func (g *gen) procedure() {
	p := &proc{name: g.name("p")}
	if g.chance(0.65) {
		p.result = pick(g, g.simple)
		if len(g.types) > 0 && g.chance(0.2) {
			t := pick(g, g.types)
			if len(g.parts(func(q part) bool { return q.t == t })) > 0 {
				p.result = t
			}
		}
		p.pure = g.chance(0.5)
	}
	level := g.recursion(p)
	for n := g.rng.IntN(3); n > 0; n-- {
		t := pick(g, g.simple)
		if len(g.types) > 0 && g.chance(0.3) {
			t = pick(g, g.types)
		}
		f := formal{&variable{name: g.name("x"), t: t}, !p.pure && g.chance(0.5)}
		f.v.fixed = !f.byRef
		f.v.loose = g.chance(0.25)
		p.params = append(p.params, f)
	}
	var formals []string
	var vs []*variable
	for _, f := range p.params {
		decl := f.v.name + ": " + f.v.t.spelling
		if f.byRef {
			decl = "var " + decl
		}
		formals, vs = append(formals, decl), append(vs, f.v)
	}
	g.current, g.place = p, inProc
	word, result := "procedure", ""
	if p.result != nil {
		word, result = "function", ": "+p.result.spelling
	}
	g.within(vs, func() {
		g.line("%s %s(%s)%s;", word, p.name, strings.Join(formals, "; "), result)
		g.body(func() {
			if level != nil {
				g.block(fmt.Sprintf("if (%s <= %s) then", level.name, literal(level.t.lo)), g.ret, "endif;")
			}
			g.stmts(1, 1+g.rng.IntN(3))
			if level != nil {
				g.recur(p, level)
			}
			if p.result != nil && (g.opt.Portable || !g.risky()) {
				g.ret()
			}
		})
		g.line("end%s;", word)
	})
	g.current, g.place = nil, inGuard
	g.procs = append(g.procs, p)
}

// recursion makes p recursive sometimes: it gives it a first parameter that
// counts the levels.
func (g *gen) recursion(p *proc) (level *variable) {
	if !g.chance(0.2) {
		return nil
	}
	for _, t := range g.simple {
		if t.kind == number && t.card() <= 4 {
			level = &variable{name: g.name("n"), t: t, fixed: true}
			p.params = []formal{{level, false}}
		}
	}
	return level
}

// recur prints a call of p on the next level in its own body.
func (g *gen) recur(p *proc, level *variable) {
	args, ok := g.args(p, 1)
	if !ok {
		return
	}
	args[0] = "(" + level.name + " - 1)"
	call := p.name + "(" + strings.Join(args, ", ") + ")"
	if p.result == nil {
		g.line("%s;", call)
		return
	}
	ps := g.parts(func(q part) bool { return g.writable(q.root) && len(q.path) == 0 && q.t == p.result })
	switch {
	case len(ps) > 0:
		g.line("%s := %s;", pick(g, ps).root.name, call)
	case p.result.kind < array:
		g.line("return %s;", call)
	}
}

// ret prints a return statement.
func (g *gen) ret() {
	if g.current.result == nil {
		g.line("return;")
		return
	}
	t := g.current.result
	risky := g.risky()
	ps := g.parts(func(p part) bool { return p.t == t && (!p.loose || risky) })
	if len(ps) > 0 && (t.kind >= array || g.chance(0.4)) {
		g.line("return %s;", g.spell(pick(g, ps), 1))
		return
	}
	if t.kind >= array {
		for _, p := range g.parts(func(p part) bool { return p.t == t }) {
			g.line("return %s;", g.spell(p, 1))
			return
		}
	}
	s, ok := g.value(t, 1)
	switch {
	case !ok:
		v := g.name("i") // depends on the order of the elements
		for _, u := range append(t.parts, t) {
			if u.kind == scalarset {
				g.block(fmt.Sprintf("for %s: %s do", v, u.spelling), func() { g.line("return %s;", v) }, "endfor;")
				return
			}
		}
	case t.kind == number && !strings.HasPrefix(s, "("):
		s = "(" + s + " + 0)" // CMurphi cannot compile a variable of another range
	}
	g.line("return %s;", s)
}

// args makes the arguments of a call.
func (g *gen) args(p *proc, depth int) (args []string, ok bool) {
	for _, f := range p.params {
		t := f.v.t
		risky := g.risky()
		ps := g.parts(func(q part) bool {
			return q.t == t && (q.loose == f.v.loose || f.v.loose && !f.byRef || risky) && (!f.byRef || g.writable(q.root))
		})
		switch {
		case (f.byRef || t.kind >= array) && len(ps) == 0:
			return nil, false
		case f.byRef || t.kind >= array || len(ps) > 0 && g.chance(0.4):
			args = append(args, g.spell(pick(g, ps), depth))
		default:
			s, ok := g.value(t, depth)
			if !ok {
				return nil, false
			}
			args = append(args, s)
		}
	}
	return args, true
}

// call makes a call of a function with a wanted result, for use in an
// expression.
func (g *gen) call(want func(t *typ) bool, depth int) (s string, t *typ, ok bool) {
	quiet := g.current != nil && g.current.pure
	var ps []*proc
	for _, p := range g.procs {
		if p.result != nil && want(p.result) && (p.pure || g.place != inGuard && !g.opt.Portable && !quiet) {
			ps = append(ps, p)
		}
	}
	if len(ps) == 0 {
		return "", nil, false
	}
	p := pick(g, ps)
	args, ok := g.args(p, depth)
	return p.name + "(" + strings.Join(args, ", ") + ")", p.result, ok
}

// callValue makes a call whose result is a value of the simple type t.
func (g *gen) callValue(t *typ, depth int) (s string, ok bool) {
	s, _, ok = g.call(t.takes, depth)
	return s, ok
}

// result makes a call to assign to something of type t. It may have side
// effects.
func (g *gen) result(t *typ) (s string, ok bool) {
	var ps []*proc
	for _, p := range g.procs {
		if p.result == t && (p.pure || g.current == nil || !g.current.pure) {
			ps = append(ps, p)
		}
	}
	if len(ps) == 0 {
		return "", false
	}
	p := pick(g, ps)
	args, ok := g.args(p, 1)
	return p.name + "(" + strings.Join(args, ", ") + ")", ok
}

// callStmt prints a call. In CMurphi only procedures can be called so.
func (g *gen) callStmt() bool {
	var ps []*proc
	for _, p := range g.procs {
		if (p.result == nil || g.opt.Dialect == model.Rumur) && (p.pure || g.current == nil || !g.current.pure) {
			ps = append(ps, p)
		}
	}
	if len(ps) == 0 {
		return false
	}
	p := pick(g, ps)
	args, ok := g.args(p, 2)
	if ok {
		g.line("%s(%s);", p.name, strings.Join(args, ", "))
	}
	return ok
}
