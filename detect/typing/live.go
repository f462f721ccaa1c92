package typing

import (
	"slices"
	"strconv"
	"strings"

	"orbitmc/model"
)

// This file asks whether the value that a statement leaves in a variable may be read
// later, before the variable is written again. The value after a loop may depend on the
// order of turns.

// liveness walks backwards through a unit.
type liveness struct {
	a      *analysis
	root   *model.Var
	path   string // fields from root on
	hook   any    // the statement
	behind bool   // the part may be read behind it
	left   bool   // the part may be read behind the procedure
	depth  int    // of calls
}

// deadAfter reports whether the part of root at path, of type t, is not read after the
// statement at.
func (a *analysis) deadAfter(u *unit, at any, root *model.Var, path string, t *model.Type, open map[*unit]bool) bool {
	formal := -1
	if u.proc != nil {
		for i, f := range u.proc.Params {
			if f.Var == root {
				formal = i
			}
		}
	}
	if root.Kind == model.RefVar && formal < 0 || root.Kind == model.StateVar || open[u] {
		return false
	}
	// Nothing else in the unit stands for it.
	named := false
	u.inspect(func(n any) {
		if r, ok := n.(*model.Ref); ok && r.Var != root && r.Var.Kind == model.RefVar {
			named = named || a.meet(r.Var, root) && overlap(r.Var.Type, t)
		}
	})
	if named {
		return false
	}
	l := &liveness{a: a, root: root, path: path, hook: at}
	l.stmts(u.body, false)
	if l.behind {
		return false
	}
	if root.Kind != model.RefVar {
		return true
	}
	open[u] = true
	defer delete(open, u)
	for _, v := range a.units {
		ok := true
		call := func(n any) {
			if p, args := model.Called(n); p != nil && p == u.proc {
				c, isCall := n.(*model.Call)
				r, p, fields := fieldsOf(args[formal])
				ok = ok && isCall && fields && a.deadAfter(v, c, r, p+path, t, open)
			}
		}
		v.inspect(call)
		if !ok {
			return false
		}
	}
	return true
}

// fieldsOf returns the variable of a designator and the path to the part, if it has no
// index.
func fieldsOf(e model.Expr) (root *model.Var, path string, ok bool) {
	switch e := e.(type) {
	case *model.Ref:
		return e.Var, "", true
	case *model.FieldSel:
		root, path, ok = fieldsOf(e.X)
		return root, path + "." + strconv.Itoa(e.Field), ok
	}
	return nil, "", false
}

// reads reports whether the part is mentioned in e, an expression or statements.
func (l *liveness) reads(n any) bool {
	if e, ok := n.(model.Expr); ok {
		if e == nil {
			return false
		}
		if root, path, ok := fieldsOf(e); ok {
			return root == l.root && l.related(path)
		}
	}
	return model.Mentions(n, l.root)
}

// related reports whether a part contains the one asked for, or is contained in it.
func (l *liveness) related(path string) bool {
	return strings.HasPrefix(l.path+".", path+".") || strings.HasPrefix(path+".", l.path+".")
}

// written returns whether the part may be read from before a designator is written on, if it may be from behind that on.
func (l *liveness) written(e model.Expr, live bool) bool {
	root, path, ok := fieldsOf(e)
	if !ok {
		return live || l.reads(e)
	}
	return live && !(root == l.root && strings.HasPrefix(l.path+".", path+"."))
}

// stmts returns whether the part may be read from before the statements on, if it may
// be from behind them on.
func (l *liveness) stmts(list []model.Stmt, live bool) bool {
	for i := len(list) - 1; i >= 0; i-- {
		live = l.stmt(list[i], live)
	}
	return live
}

func (l *liveness) domain(d model.Domain) bool {
	return slices.ContainsFunc(d.Bounds(), func(e model.Expr) bool { return l.reads(e) })
}

func (l *liveness) stmt(s model.Stmt, live bool) bool {
	if s == l.hook {
		l.behind = l.behind || live
	}
	switch s := s.(type) {
	case *model.Assign:
		return l.reads(s.RHS) || l.written(s.LHS, live)
	case *model.Reset:
		return l.written(s.X, live)
	case *model.If:
		out := l.stmts(s.Else, live)
		for _, c := range s.Clauses {
			out = l.stmts(c.Body, live) || out
		}
		return out || slices.ContainsFunc(s.Clauses, func(c model.Clause) bool { return l.reads(c.Cond) })
	case *model.For:
		for range 2 {
			live = l.stmts(s.Body, live) || live
		}
		return live || l.domain(s.Domain)
	case *model.While:
		live = live || l.reads(s.Cond)
		for range 2 {
			live = l.stmts(s.Body, live) || live
		}
		return live
	case *model.Alias:
		return l.stmts(s.Body, live) || l.reads(s.X)
	case *model.Return:
		return l.left || s.X != nil && l.reads(s.X)
	case *model.Call:
		for i, e := range s.Args {
			if !l.reads(e) {
				continue
			}
			// A parameter that is written before it is read reads nothing.
			root, path, ok := fieldsOf(e)
			if !ok || root != l.root || !s.Proc.Params[i].ByRef || !strings.HasPrefix(l.path+".", path+".") {
				return true
			}
			in := &liveness{a: l.a, root: s.Proc.Params[i].Var, path: l.path[len(path):], left: live}
			if l.depth > 4 {
				return true
			}
			in.depth = l.depth + 1
			if in.stmts(s.Proc.Body, live) {
				return true
			}
			live = false
		}
		return live
	}
	return live || l.reads(s)
}
