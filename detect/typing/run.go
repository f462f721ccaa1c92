package typing

import (
	"fmt"
	"maps"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file runs the statements of a turn.

// bind is Let and Alias.
func (tu *turn) bind(v *model.Var, x model.Expr, pos model.Pos) {
	if v.Kind == model.RefVar {
		tu.env[v] = tu.place(x)
		return
	}
	tu.fresh(v)
	tu.assign(&model.Assign{LHS: &model.Ref{Var: v, Pos: pos}, RHS: x, Pos: pos})
}

func (tu *turn) assign(s *model.Assign) {
	t := s.LHS.Type()
	if !t.Simple() {
		dst := tu.place(s.LHS)
		tu.copy(dst, tu.place(s.RHS), s.Pos)
		return
	}
	if k, ok := addend(s); ok {
		p := tu.place(s.LHS)
		at, followed := tu.followed(p)
		e, known := tu.store[at]
		if !tu.private[p.root] && !(followed && known && !e.weak) {
			tu.runtime()
			sign := 1
			if k < 0 {
				sign = -1
			}
			tu.note(access{kind: add, p: p, pos: s.Pos, sign: sign})
			if followed {
				tu.store[at] = entry{value{dep: true}, true}
			}
			return
		}
	}
	p := tu.place(s.LHS)
	v := tu.eval(s.RHS, s.CopiesUndefined(tu.a.m.Dialect))
	if t.Kind == model.Range {
		tu.within(s.RHS, t)
	}
	tu.save(p, v, fmt.Sprintf("%p%s", s, tu.site), s.Pos)
}

// repeat runs something any number of times.
func (tu *turn) repeat(body func() bool) {
	tu.cond++
	defer func() { tu.cond-- }()
	for range 8 {
		before := maps.Clone(tu.store)
		if body() {
			tu.store, tu.left = before, true
			return
		}
		tu.store = tu.joined(before, tu.store)
		if maps.Equal(before, tu.store) || tu.failed != nil {
			return
		}
	}
	tu.fail(tu.u.pos(), "a loop within the loop is not followed to its end")
}

// call runs a procedure and returns the place of the result, and whether it always errs. Each call at has a result,
// and copies of arguments, of its own: others may be run before they are looked at.
func (tu *turn) call(at any, p *model.Proc, args []model.Expr, pos model.Pos) (out place, errs bool) {
	here := instance{call: at, open: len(tu.frames)}
	if p.Result != nil {
		out = place{root: tu.instance(here, p.Name, p.Result), t: p.Result}
	}
	open := lists.Count(tu.frames, func(f *frame) bool { return f.p == p })
	if tu.u.proc == p || open == mostOpen {
		tu.fail(pos, "%s is recursive", p.Name)
	}
	if tu.steps++; tu.failed != nil {
		return out, false
	}
	if tu.a.recursive(p) { // too many calls may be open, also around the loop
		tu.runtime()
	}
	d := tu.a.m.Dialect
	places, values := make([]place, len(args)), make([]value, len(args))
	for i, f := range p.Params {
		t := f.Var.Type
		switch {
		case f.ByRef:
			places[i] = tu.place(args[i])
		case !t.Simple():
			places[i] = tu.fresh(tu.instance(instance{here.call, here.open, f.Var}, f.Var.Name, t))
			tu.copy(places[i], tu.place(args[i]), pos)
		default:
			values[i] = tu.eval(args[i], f.CopiesUndefined(args[i], d))
			if t.Kind == model.Range {
				tu.within(args[i], t)
			}
		}
	}
	if open > 0 {
		defer tu.renamed(p, open)()
	}
	for i, f := range p.Params {
		switch {
		case f.ByRef:
			tu.env[f.Var] = places[i]
		case !f.Var.Type.Simple():
			tu.copy(tu.fresh(f.Var), places[i], pos)
		default:
			tu.save(tu.fresh(f.Var), values[i], "", pos)
		}
	}
	for _, v := range p.Locals {
		tu.fresh(v)
	}
	if p.Result != nil {
		tu.fresh(out.root)
	}
	f := &frame{p: p, result: out.root}
	tu.frames = append(tu.frames, f)
	site, left := tu.site, tu.left
	tu.site += fmt.Sprint("@", pos)
	ended := tu.exec(p.Body)
	tu.site, tu.left = site, left
	tu.frames = tu.frames[:len(tu.frames)-1]
	if p.Result != nil && !ended {
		tu.runtime()
	}
	errs = ended && len(f.stores) == 0
	if ended && !errs {
		tu.store = f.stores[0]
		f.stores = f.stores[1:]
	}
	for _, s := range f.stores {
		tu.store = tu.joined(tu.store, s)
	}
	return out, errs
}

// mostOpen is how many calls of one procedure may be open in a turn.
const mostOpen = 4

// renamed gives the variables of a procedure other names for a call within open calls of it, until restore is called.
func (tu *turn) renamed(p *model.Proc, open int) (restore func()) {
	env := maps.Clone(tu.env)
	rename := func(v *model.Var) {
		if v.Kind == model.RefVar {
			return
		}
		tu.env[v] = place{root: tu.instance(instance{open: open, v: v}, v.Name, v.Type), t: v.Type}
	}
	for _, f := range p.Params {
		rename(f.Var)
	}
	for _, v := range p.Locals {
		rename(v)
	}
	model.Inspect(p.Body, func(n any) {
		if v, _ := model.Named(n); v != nil {
			rename(v)
		}
	})
	return func() { tu.env = env }
}

// fresh returns a variable of the turn, which is undefined, and private.
func (tu *turn) fresh(v *model.Var) place {
	if p, ok := tu.env[v]; ok {
		v = p.root // renamed
	}
	tu.private[v] = true
	maps.DeleteFunc(tu.store, func(at leaf, _ entry) bool { return at.root == v })
	return place{root: v, t: v.Type}
}

// instance returns a variable of a call, the same one whenever the call is run.
func (tu *turn) instance(key instance, name string, t *model.Type) *model.Var {
	v := tu.vars[key]
	if v == nil {
		v = &model.Var{Name: name, Kind: model.LocalVar, Type: t}
		tu.vars[key], tu.private[v] = v, true
	}
	return v
}

// recursive reports whether a procedure may call itself.
func (a *analysis) recursive(p *model.Proc) bool {
	return lists.Memo(a.cyclic, p, func(p *model.Proc) bool {
		called := lists.Map(a.procs[p].calls, func(q *model.Proc) *unit { return a.procs[q] })
		return slices.Contains(a.reach(called), a.procs[p])
	})
}

// exec runs statements; ended says that none of them goes on to what follows.
func (tu *turn) exec(stmts []model.Stmt) (ended bool) {
	return slices.ContainsFunc(stmts, func(s model.Stmt) bool { return tu.failed != nil || tu.stmt(s) })
}

func (tu *turn) stmt(s model.Stmt) (ended bool) {
	d := tu.a.m.Dialect
	switch s := s.(type) {
	case *model.Assign:
		tu.assign(s)
	case *model.If:
		return tu.branch(s.Clauses, s.Else)
	case *model.For:
		if len(s.Body) == 1 {
			if c, ok := s.Body[0].(*model.If); ok && len(c.Clauses) == 1 && c.Else == nil && len(c.Clauses[0].Body) == 1 {
				if r, ok := c.Clauses[0].Body[0].(*model.Remove); ok {
					if set, ok := tu.keyed(s.Var, c.Clauses[0].Cond, false); ok && element(r.X, s.Var) {
						tu.note(access{kind: write, p: set.with(sel{kind: byOwn}, set.t.Elem), pos: s.Pos, removes: true})
						return false
					}
				}
			}
		}
		tu.bounds(s.Var, s.Domain)
		tu.repeat(func() bool { return tu.exec(s.Body) })
	case *model.While:
		tu.runtime()
		tu.repeat(func() bool { tu.eval(s.Cond, false); return tu.exec(s.Body) })
		tu.eval(s.Cond, false) // the last time: it may write
	case *model.Reset:
		p, name := tu.place(s.X), "undefined"
		if s.Least {
			name = "cleared"
		}
		if _, ok := tu.followed(p); !ok {
			tu.note(access{kind: write, p: p, pos: s.Pos, value: name})
			return false
		}
		parts(p, func(p place) {
			v := value{def: -1}
			switch {
			case s.Least && p.t.Simple():
				v = constant(p.t.Least())
			case s.Least:
				v = value{dep: true}
			}
			tu.save(p, v, "", s.Pos)
		})
	case *model.Alias:
		tu.bind(s.Var, s.X, s.Pos)
		return tu.exec(s.Body)
	case *model.Call:
		_, errs := tu.call(s, s.Proc, s.Args, s.Pos)
		return errs
	case *model.Return:
		return tu.leave(s)
	case *model.Insert:
		p := tu.place(s.Set)
		if t := s.Set.Type().Elem; t.Simple() {
			if v := tu.eval(s.X, s.CopiesUndefined(d)); v.own {
				p = p.with(sel{kind: byOwn}, p.t)
			}
		} else {
			from := tu.place(s.X)
			if !tu.private[from.root] {
				parts(from, func(p place) {
					if p.t.Simple() {
						tu.load(p, s.Pos, true)
					} else {
						tu.note(access{kind: read, p: p, pos: s.Pos})
					}
				})
			}
		}
		tu.runtime()
		tu.note(access{kind: insert, p: p, pos: s.Pos})
	case *model.Remove:
		tu.note(access{kind: write, p: tu.place(s.X), pos: s.Pos, removes: true})
	case *model.Assume:
		tu.eval(s.Cond, false)
		tu.kinds[disabled] = true
		tu.left = true
	case *model.CoverStmt:
		tu.eval(s.Cond, false)
		tu.kinds[covers(s.Prop)] = true
	case *model.Assert:
		if s.Cond != nil {
			if c := tu.eval(s.Cond, false); c.known && c.k != 0 {
				if len(tu.kinds) > 0 { // an error in the condition violates the assertion
					tu.kinds[s.Prop] = true
				}
				return false
			}
		}
		tu.kinds[s.Prop] = true
		tu.left = true
		return s.Cond == nil
	case *model.Put:
		switch {
		case s.X == nil:
		case !s.X.Type().Simple():
			tu.place(s.X)
		default:
			tu.eval(s.X, model.Designator(s.X))
		}
	default:
		tu.fail(s.Position(), "an unknown statement")
	}
	return false
}

func (tu *turn) branch(cs []model.Clause, els []model.Stmt) bool {
	if len(cs) == 0 {
		return tu.exec(els)
	}
	c := tu.eval(cs[0].Cond, false)
	if c.known {
		if c.k != 0 {
			return tu.exec(cs[0].Body)
		}
		return tu.branch(cs[1:], els)
	}
	tu.cond++
	defer func() { tu.cond-- }()
	before := maps.Clone(tu.store)
	e1 := tu.exec(cs[0].Body)
	s1 := tu.store
	tu.store = before
	e2 := tu.branch(cs[1:], els)
	return tu.merge(e1, s1, e2)
}

func (tu *turn) merge(e1 bool, s1 store, e2 bool) bool {
	tu.left = tu.left || e1 || e2
	switch {
	case e1 && e2:
		return true
	case e2:
		tu.store = s1
	case !e1:
		tu.store = tu.joined(s1, tu.store)
	}
	return false
}

// leave is a return statement.
func (tu *turn) leave(s *model.Return) bool {
	d := tu.a.m.Dialect
	if len(tu.frames) == 0 {
		name := ""
		if s.X != nil {
			k, ok := s.X.(*model.ConstExpr)
			if !ok {
				tu.fail(s.Pos, "a loop returns what is no constant")
				return true
			}
			name = fmt.Sprint(k.Value)
		}
		tu.returns[name] = true
		return true
	}
	f := tu.frames[len(tu.frames)-1]
	if s.X != nil {
		p := place{root: f.result, t: f.p.Result}
		if p.t.Simple() {
			v := tu.eval(s.X, s.CopiesUndefined(d))
			if p.t.Kind == model.Range && s.ChecksRange(d) {
				tu.within(s.X, p.t)
			}
			tu.save(p, v, "", s.Pos)
		} else {
			tu.copy(p, tu.place(s.X), s.Pos)
		}
	}
	f.stores = append(f.stores, maps.Clone(tu.store))
	return true
}
