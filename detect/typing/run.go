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
func (w *turn) bind(v *model.Var, x model.Expr, pos model.Pos) {
	if v.Kind == model.RefVar {
		w.env[v] = w.place(x)
		return
	}
	w.fresh(v)
	w.assign(&model.Assign{LHS: &model.Ref{Var: v, Pos: pos}, RHS: x, Pos: pos})
}

func (w *turn) assign(s *model.Assign) {
	t := s.LHS.Type()
	if !t.Simple() {
		dst := w.place(s.LHS)
		w.copy(dst, w.place(s.RHS), s.Pos)
		return
	}
	if k, ok := addend(s); ok {
		p := w.place(s.LHS)
		at, followed := w.followed(p)
		e, known := w.store[at]
		if !w.private[p.root] && !(followed && known && !e.weak) {
			w.runtime()
			sign := 1
			if k < 0 {
				sign = -1
			}
			w.note(access{kind: add, p: p, pos: s.Pos, sign: sign})
			if followed {
				w.store[at] = entry{value{dep: true}, true}
			}
			return
		}
	}
	p := w.place(s.LHS)
	v := w.eval(s.RHS, s.CopiesUndefined(w.a.m.Dialect))
	if t.Kind == model.Range {
		w.within(s.RHS, t)
	}
	w.save(p, v, fmt.Sprintf("%p%s", s, w.site), s.Pos)
}

// repeat runs something any number of times.
func (w *turn) repeat(body func() bool) {
	w.cond++
	defer func() { w.cond-- }()
	for range 8 {
		before := maps.Clone(w.store)
		if body() {
			w.store, w.left = before, true
			return
		}
		w.store = w.joined(before, w.store)
		if maps.Equal(before, w.store) || w.failed != nil {
			return
		}
	}
	w.fail(w.u.pos(), "a loop within the loop is not followed to its end")
}

// call runs a procedure and returns the place of the result, and whether it always errs. Each call at has a result,
// and copies of arguments, of its own: others may be run before they are looked at.
func (w *turn) call(at any, p *model.Proc, args []model.Expr, pos model.Pos) (out place, errs bool) {
	here := instance{call: at, open: len(w.frames)}
	if p.Result != nil {
		out = place{root: w.instance(here, p.Name, p.Result), t: p.Result}
	}
	open := lists.Count(w.frames, func(f *frame) bool { return f.p == p })
	if w.u.proc == p || open == mostOpen {
		w.fail(pos, "%s is recursive", p.Name)
	}
	if w.steps++; w.failed != nil {
		return out, false
	}
	if w.a.recursive(p) { // too many calls may be open, also around the loop
		w.runtime()
	}
	d := w.a.m.Dialect
	places, values := make([]place, len(args)), make([]value, len(args))
	for i, f := range p.Params {
		t := f.Var.Type
		switch {
		case f.ByRef:
			places[i] = w.place(args[i])
		case !t.Simple():
			places[i] = w.fresh(w.instance(instance{here.call, here.open, f.Var}, f.Var.Name, t))
			w.copy(places[i], w.place(args[i]), pos)
		default:
			values[i] = w.eval(args[i], f.CopiesUndefined(args[i], d))
			if t.Kind == model.Range {
				w.within(args[i], t)
			}
		}
	}
	if open > 0 {
		defer w.renamed(p, open)()
	}
	for i, f := range p.Params {
		switch {
		case f.ByRef:
			w.env[f.Var] = places[i]
		case !f.Var.Type.Simple():
			w.copy(w.fresh(f.Var), places[i], pos)
		default:
			w.save(w.fresh(f.Var), values[i], "", pos)
		}
	}
	for _, v := range p.Locals {
		w.fresh(v)
	}
	if p.Result != nil {
		w.fresh(out.root)
	}
	f := &frame{p: p, result: out.root}
	w.frames = append(w.frames, f)
	site, left := w.site, w.left
	w.site += fmt.Sprint("@", pos)
	ended := w.exec(p.Body)
	w.site, w.left = site, left
	w.frames = w.frames[:len(w.frames)-1]
	if p.Result != nil && !ended {
		w.runtime()
	}
	errs = ended && len(f.stores) == 0
	if ended && !errs {
		w.store = f.stores[0]
		f.stores = f.stores[1:]
	}
	for _, s := range f.stores {
		w.store = w.joined(w.store, s)
	}
	return out, errs
}

// mostOpen is how many calls of one procedure may be open in a turn.
const mostOpen = 4

// renamed gives the variables of a procedure other names for a call within open calls of it, until restore is called.
func (w *turn) renamed(p *model.Proc, open int) (restore func()) {
	env := maps.Clone(w.env)
	rename := func(v *model.Var) {
		if v.Kind == model.RefVar {
			return
		}
		w.env[v] = place{root: w.instance(instance{open: open, v: v}, v.Name, v.Type), t: v.Type}
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
	return func() { w.env = env }
}

// fresh returns a variable of the turn, which is undefined, and private.
func (w *turn) fresh(v *model.Var) place {
	if p, ok := w.env[v]; ok {
		v = p.root // renamed
	}
	w.private[v] = true
	maps.DeleteFunc(w.store, func(at leaf, _ entry) bool { return at.root == v })
	return place{root: v, t: v.Type}
}

// instance returns a variable of a call, the same one whenever the call is run.
func (w *turn) instance(key instance, name string, t *model.Type) *model.Var {
	v := w.vars[key]
	if v == nil {
		v = &model.Var{Name: name, Kind: model.LocalVar, Type: t}
		w.vars[key], w.private[v] = v, true
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
func (w *turn) exec(stmts []model.Stmt) (ended bool) {
	return slices.ContainsFunc(stmts, func(s model.Stmt) bool { return w.failed != nil || w.stmt(s) })
}

func (w *turn) stmt(s model.Stmt) (ended bool) {
	d := w.a.m.Dialect
	switch s := s.(type) {
	case *model.Assign:
		w.assign(s)
	case *model.If:
		return w.branch(s.Clauses, s.Else)
	case *model.Switch:
		w.eval(s.X, d.TestsUndefined(s.X))
		w.cond++
		var cs [][]model.Stmt
		for _, k := range s.Cases {
			for _, v := range k.Values {
				if calls(v) { // it may write, and is not reached if an earlier one fits
					w.fail(v.Position(), "a case calls a function")
				}
				w.eval(v, false)
			}
			cs = append(cs, k.Body)
		}
		ended = w.choose(append(cs, s.Else))
		w.cond--
		return ended
	case *model.For:
		if len(s.Body) == 1 {
			if c, ok := s.Body[0].(*model.If); ok && len(c.Clauses) == 1 && c.Else == nil && len(c.Clauses[0].Body) == 1 {
				if r, ok := c.Clauses[0].Body[0].(*model.Remove); ok {
					if set, ok := w.keyed(s.Var, c.Clauses[0].Cond, false); ok && element(r.X, s.Var) {
						w.note(access{kind: write, p: set.with(sel{kind: byOwn}, set.t.Elem), pos: s.Pos, removes: true})
						return false
					}
				}
			}
		}
		w.bounds(s.Var, s.Domain)
		w.repeat(func() bool { return w.exec(s.Body) })
	case *model.While:
		w.runtime()
		w.repeat(func() bool { w.eval(s.Cond, false); return w.exec(s.Body) })
		w.eval(s.Cond, false) // the last time: it may write
	case *model.Undefine:
		p := w.place(s.X)
		if _, ok := w.followed(p); ok {
			parts(p, func(p place) { w.save(p, value{def: -1}, "", s.Pos) })
		} else {
			w.note(access{kind: write, p: p, pos: s.Pos, value: "undefined"})
		}
	case *model.Clear:
		p := w.place(s.X)
		if _, ok := w.followed(p); ok {
			parts(p, func(p place) {
				v := value{dep: true}
				if p.t.Simple() {
					v = constant(p.t.Lo)
				}
				w.save(p, v, "", s.Pos)
			})
		} else {
			w.note(access{kind: write, p: p, pos: s.Pos, value: "cleared"})
		}
	case *model.Alias:
		w.bind(s.Var, s.X, s.Pos)
		return w.exec(s.Body)
	case *model.Call:
		_, errs := w.call(s, s.Proc, s.Args, s.Pos)
		return errs
	case *model.Return:
		return w.leave(s)
	case *model.Insert:
		p := w.place(s.Set)
		if t := s.Set.Type().Elem; t.Simple() {
			if v := w.eval(s.X, s.CopiesUndefined(d)); v.own {
				p = p.with(sel{kind: byOwn}, p.t)
			}
		} else {
			from := w.place(s.X)
			if !w.private[from.root] {
				parts(from, func(p place) {
					if p.t.Simple() {
						w.load(p, s.Pos, true)
					} else {
						w.note(access{kind: read, p: p, pos: s.Pos})
					}
				})
			}
		}
		w.runtime()
		w.note(access{kind: insert, p: p, pos: s.Pos})
	case *model.Remove:
		w.note(access{kind: write, p: w.place(s.X), pos: s.Pos, removes: true})
	case *model.Assume:
		w.eval(s.Cond, false)
		w.kinds[disabled] = true
		w.left = true
	case *model.CoverStmt:
		w.eval(s.Cond, false)
		w.kinds[covers(s.Prop)] = true
	case *model.Assert:
		if s.Cond != nil {
			if c := w.eval(s.Cond, false); c.known && c.k != 0 {
				if len(w.kinds) > 0 { // an error in the condition violates the assertion
					w.kinds[s.Prop] = true
				}
				return false
			}
		}
		w.kinds[s.Prop] = true
		w.left = true
		return s.Cond == nil
	case *model.Put:
		switch {
		case s.X == nil:
		case !s.X.Type().Simple():
			w.place(s.X)
		default:
			w.eval(s.X, model.Designator(s.X))
		}
	default:
		w.fail(s.Position(), "an unknown statement")
	}
	return false
}

func (w *turn) branch(cs []model.Clause, els []model.Stmt) bool {
	if len(cs) == 0 {
		return w.exec(els)
	}
	c := w.eval(cs[0].Cond, false)
	if c.known {
		if c.k != 0 {
			return w.exec(cs[0].Body)
		}
		return w.branch(cs[1:], els)
	}
	w.cond++
	defer func() { w.cond-- }()
	before := maps.Clone(w.store)
	e1 := w.exec(cs[0].Body)
	s1 := w.store
	w.store = before
	e2 := w.branch(cs[1:], els)
	return w.merge(e1, s1, e2)
}

func (w *turn) merge(e1 bool, s1 store, e2 bool) bool {
	w.left = w.left || e1 || e2
	switch {
	case e1 && e2:
		return true
	case e2:
		w.store = s1
	case !e1:
		w.store = w.joined(s1, w.store)
	}
	return false
}

func (w *turn) choose(bodies [][]model.Stmt) bool {
	before := maps.Clone(w.store)
	ended := w.exec(bodies[0])
	for _, b := range bodies[1:] {
		s1 := w.store
		w.store = maps.Clone(before)
		ended = w.merge(ended, s1, w.exec(b))
	}
	return ended
}

// leave is a return statement.
func (w *turn) leave(s *model.Return) bool {
	d := w.a.m.Dialect
	if len(w.frames) == 0 {
		name := ""
		if s.X != nil {
			k, ok := s.X.(*model.ConstExpr)
			if !ok {
				w.fail(s.Pos, "a loop returns what is no constant")
				return true
			}
			name = fmt.Sprint(k.Value)
		}
		w.returns[name] = true
		return true
	}
	f := w.frames[len(w.frames)-1]
	if s.X != nil {
		p := place{root: f.result, t: f.p.Result}
		if p.t.Simple() {
			v := w.eval(s.X, s.CopiesUndefined(d))
			if p.t.Kind == model.Range && s.ChecksRange(d) {
				w.within(s.X, p.t)
			}
			w.save(p, v, "", s.Pos)
		} else {
			w.copy(p, w.place(s.X), s.Pos)
		}
	}
	f.stores = append(f.stores, maps.Clone(w.store))
	return true
}
