package typing

import (
	"maps"
	"slices"

	"orbitmc/model"
)

// This file looks at the slots of multisets. States hold the elements sorted, so a
// permutation of any class may move elements to other slots, each multiset by a
// permutation of its own. A variable over slots therefore names an element of one
// multiset: it must index that one only. And a slot that lost its element must not be
// looked at again once another element may have got it.

// ties looks at the variables over slots of a unit.
func (a *analysis) ties(u *unit) {
	if !slices.ContainsFunc(a.m.Scalarsets, func(t *model.Type) bool { return t.Slots }) {
		return
	}
	homes := make(map[*model.Var][]model.Expr)
	scopes := make(map[*model.Var]model.Expr) // of variables of quantifiers
	var vars []*model.Var
	refs := make(map[*model.Var]int)
	at := make(map[*model.Var]model.Pos)
	visit := func(n any) {
		switch n := n.(type) {
		case *model.Ref:
			if n.Var.Type.Slots {
				if refs[n.Var]++; refs[n.Var] == 1 {
					vars = append(vars, n.Var)
				}
				at[n.Var] = n.Pos
			}
		case *model.Quant:
			scopes[n.Var] = n.Body
		case *model.IndexSel:
			if n.X.Type().Kind != model.Multiset {
				return
			}
			if r, ok := n.Index.(*model.Ref); ok {
				homes[r.Var] = append(homes[r.Var], n.X)
			} else {
				u.all = append(u.all, Obstacle{Pos: n.Pos, Reason: "a slot is named by no variable"})
			}
		}
	}
	u.inspect(visit)
	for _, v := range vars {
		if refs[v] != len(homes[v]) || !a.single(homes[v], scopes[v]) {
			u.all = append(u.all, Obstacle{Pos: at[v], Reason: "the slot " + v.Name + " is not one of a single multiset"})
		}
	}
	if u.proc != nil {
		return // looked at where it is called
	}
	h := &hazards{a: a, u: u, stale: make(map[*model.Var]bool), emptied: make(map[*model.Type]bool), bound: make(map[*model.Var]bool), eventful: make(map[*model.Proc]bool)}
	for _, p := range u.params {
		h.bound[p.Var] = true
	}
	h.stmts(u.body)
}

// single reports whether designators, with names replaced, are written alike and denote one
// place: it stays, or all are evaluated in one state, in scope, where nothing is called.
func (a *analysis) single(xs []model.Expr, scope model.Expr) bool {
	one := func(inOneState bool) (model.Expr, bool) {
		first := a.resolved(xs[0], inOneState)
		return first, !slices.ContainsFunc(xs[1:], func(x model.Expr) bool { return !model.SamePlace(first, a.resolved(x, inOneState)) })
	}
	if first, ok := one(false); ok && stays(first) {
		return true
	}
	if scope == nil || model.Calls(scope) {
		return false
	}
	first, ok := one(true)
	return ok && !bindsIn(scope, first)
}

// bindsIn reports whether an expression binds a variable of another one.
func bindsIn(scope, e model.Expr) bool {
	return model.Has(scope, func(n any) bool {
		v := model.Bound(n)
		return v != nil && model.Mentions(e, v)
	})
}

// findNames finds the names that stand for their places while they are in scope: no change of the state moves
// the place, or there is none, as nothing is called. Any other name stands for the place that it was given to.
func (a *analysis) findNames() {
	a.names = make(map[*model.Var]model.Expr)
	visit := func(n any) {
		switch n := n.(type) {
		case *model.Let:
			if n.Var.Kind == model.RefVar && (stays(n.X) || !model.Calls(n.X) && !model.Calls(n.Body)) {
				a.names[n.Var] = n.X
			}
		case *model.Alias:
			if n.Var.Kind == model.RefVar && stays(n.X) {
				a.names[n.Var] = n.X
			}
		}
	}
	for _, u := range a.units {
		u.inspect(visit)
	}
}

// resolved replaces names by what they stand for: of places that stay, or of all if it is looked at in one state.
func (a *analysis) resolved(e model.Expr, inOneState bool) model.Expr {
	switch e := e.(type) {
	case *model.Ref:
		if x, ok := a.names[e.Var]; ok && (inOneState || stays(x)) {
			return a.resolved(x, inOneState)
		}
	case *model.FieldSel:
		return &model.FieldSel{X: a.resolved(e.X, inOneState), Field: e.Field, Pos: e.Pos}
	case *model.IndexSel:
		return &model.IndexSel{X: a.resolved(e.X, inOneState), Index: e.Index, Pos: e.Pos}
	}
	return e
}

// stays reports whether a designator denotes one place as long as its variables are in
// scope.
func stays(e model.Expr) bool {
	switch e := e.(type) {
	case *model.Ref:
		return true
	case *model.FieldSel:
		return stays(e.X)
	case *model.IndexSel:
		i := e.Index
		for {
			c, ok := i.(*model.Convert)
			if !ok {
				break
			}
			i = c.X
		}
		switch i := i.(type) {
		case *model.ConstExpr:
			return stays(e.X)
		case *model.Ref:
			return i.Var.Kind == model.BoundVar && stays(e.X)
		}
	}
	return false
}

// hazards walks through a rule, and what it calls, in the order of statements.
type hazards struct {
	a        *analysis
	u        *unit
	bound    map[*model.Var]bool  // in scope
	emptied  map[*model.Type]bool // multisets that may have lost elements
	stale    map[*model.Var]bool  // may name a slot that has got another element
	eventful map[*model.Proc]bool
	depth    int
	done     bool
}

func (h *hazards) use(e model.Expr) {
	if h.done || len(h.stale) == 0 {
		return
	}
	model.Inspect(e, func(n any) {
		if r, ok := n.(*model.Ref); ok && h.stale[r.Var] && !h.done {
			h.done = true
			h.u.all = append(h.u.all, Obstacle{Pos: r.Pos, Reason: "the element that " + r.Var.Name + " names may have been removed, and another one put there"})
		}
	})
}

// lose and gain note that multisets in a place of type t lose or get elements.
func (h *hazards) lose(t *model.Type) {
	for s := range t.All() {
		if isSet(s) {
			h.emptied[s] = true
		}
	}
}

func (h *hazards) gain(t *model.Type) {
	for s := range t.All() {
		if !h.emptied[s] {
			continue
		}
		for v := range h.bound {
			if v.Type == s.Index || h.a.targets[v] != nil && h.a.targets[v].sets[s] {
				h.stale[v] = true
			}
		}
	}
}

func isSet(t *model.Type) bool { return t.Kind == model.Multiset }

func (h *hazards) bind(v *model.Var) {
	h.bound[v] = true
	delete(h.stale, v)
}

func (h *hazards) unbind(v *model.Var) {
	delete(h.bound, v)
	delete(h.stale, v)
}

// exprs looks at expressions: at their uses, and at the calls in them.
func (h *hazards) exprs(es ...model.Expr) {
	for _, e := range es {
		if e == nil {
			continue
		}
		var inner []*model.Var
		var calls []*model.Proc
		model.Inspect(e, func(n any) {
			if v := model.Bound(n); v != nil {
				inner = append(inner, v)
			}
			if p, _ := model.Called(n); p != nil {
				calls = append(calls, p)
			}
		})
		for _, v := range inner {
			h.bind(v)
		}
		h.use(e)
		for _, p := range calls {
			h.call(p)
		}
		if calls != nil {
			h.use(e)
		}
		for _, v := range inner {
			h.unbind(v)
		}
	}
}

func (h *hazards) call(p *model.Proc) {
	if !h.events(p) || h.done {
		return
	}
	if h.depth++; h.depth > 50 {
		h.done = true
		h.u.all = append(h.u.all, Obstacle{Pos: p.Pos, Reason: "procedures that call each other change multisets"})
	}
	for _, f := range p.Params {
		h.bind(f.Var)
	}
	h.stmts(p.Body)
	for _, f := range p.Params {
		h.unbind(f.Var)
	}
	h.depth--
}

// events reports whether a procedure, or what it calls, may change multisets.
func (h *hazards) events(p *model.Proc) bool {
	found, known := h.eventful[p]
	if known {
		return found
	}
	model.InspectCalls(p.Body, func(n any) {
		_, removes := n.(*model.Remove)
		found = found || removes
		if e := model.Written(n); e != nil {
			found = found || e.Type().Has(isSet)
		}
	})
	h.eventful[p] = found
	return found
}

func (h *hazards) stmts(list []model.Stmt) {
	for _, s := range list {
		h.stmt(s)
	}
}

// branches runs one of several bodies: each begins with what holds before, and what any
// of them leaves counts behind.
func (h *hazards) branches(bodies [][]model.Stmt) {
	emptied, stale := maps.Clone(h.emptied), maps.Clone(h.stale)
	allEmptied, allStale := maps.Clone(emptied), maps.Clone(stale)
	for _, b := range bodies {
		h.emptied, h.stale = maps.Clone(emptied), maps.Clone(stale)
		h.stmts(b)
		maps.Copy(allEmptied, h.emptied)
		maps.Copy(allStale, h.stale)
	}
	h.emptied, h.stale = allEmptied, allStale
}

func (h *hazards) stmt(s model.Stmt) {
	if h.done {
		return
	}
	switch s := s.(type) {
	case *model.Assign:
		h.exprs(s.LHS, s.RHS)
		h.lose(s.LHS.Type())
		h.gain(s.LHS.Type())
	case *model.If:
		var bodies [][]model.Stmt
		for _, c := range s.Clauses {
			h.exprs(c.Cond)
			bodies = append(bodies, c.Body)
		}
		h.branches(append(bodies, s.Else))
	case *model.For:
		h.exprs(s.Domain.From, s.Domain.To, s.Domain.By)
		for range 2 {
			h.bind(s.Var)
			h.stmts(s.Body)
		}
		h.unbind(s.Var)
	case *model.While:
		for range 2 {
			h.exprs(s.Cond)
			h.stmts(s.Body)
		}
		h.exprs(s.Cond)
	case *model.Alias:
		h.exprs(s.X)
		h.bind(s.Var)
		h.stmts(s.Body)
		h.unbind(s.Var)
	case *model.Reset:
		h.exprs(s.X)
		h.lose(s.X.Type())
	case *model.Call:
		h.exprs(s.Args...)
		h.call(s.Proc)
	case *model.Insert:
		h.exprs(s.X, s.Set)
		h.gain(s.Set.Type())
	case *model.Remove:
		h.exprs(s.X)
		h.emptied[s.X.X.Type()] = true
		if s.X.X.Type().Elem != nil {
			h.lose(s.X.X.Type().Elem)
		}
	default:
		model.Children(s, func(e model.Expr) { h.exprs(e) }, nil)
	}
}
