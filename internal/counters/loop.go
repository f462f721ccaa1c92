package counters

import (
	"slices"

	"orbitmc/model"
)

// This file translates loops over components.
//
// A loop is taken if its order is no matter, by form. What it does for a component may
//
//	write leaves of that component, which no other iteration reads,
//	add numbers to a variable, or subtract them, but not both, and nothing else reads it,
//	set a variable to a constant, always the same, and nothing reads it.
//
// Then all components in a local state are done at once. If leaves of components are written, the
// counters are made anew. What is added is added as often as there are components: all terms have
// one sign, so some sum on the way is out of range iff the last one is. An iteration can only fail
// by a run-time error, so which one fails first is no matter.

// loopForm is what a loop writes.
type loopForm struct {
	*translator
	of     *object                      // the component
	own    map[*model.Var]bool          // state variables with leaves of components
	writes map[*model.Var]*model.Assign // other variables: the first assignment
	sums   map[*model.Assign]bool       // those that add
}

func (t *translator) loop(s *model.For, e *env) []model.Stmt {
	names, others := t.ranges(s.Var, s.Domain, s.Pos)
	f := &loopForm{t, &object{value: -1}, map[*model.Var]bool{}, map[*model.Var]*model.Assign{}, map[*model.Assign]bool{}}
	f.written(s.Body, e.with(s.Var, f.of))
	if !t.loopReads {
		f.reads(s.Body, e.with(s.Var, f.of))
	}
	body := func(o *object, times model.Expr) []model.Stmt {
		in := e.with(s.Var, o)
		in.finish, in.times, in.sums = nil, times, f.sums
		return t.stmts(s.Body, in)
	}
	var all []model.Stmt
	for _, o := range t.known(names, others, e) {
		all = append(all, body(o, nil)...)
	}
	switch {
	case !others:
		return all
	case e.rest != nil:
		if n := t.n() - len(e.scope); n > 0 {
			all = append(all, body(&object{value: -1, rec: e.rest}, number(int64(n)))...)
		}
		return all
	}
	o, vars := t.some(s.Var.Name)
	if t.Cut > 0 && len(f.sums) > 0 {
		t.fail(s.Pos, "the loop over %v adds for each component, and counters that are cut off do not say how many there are", t.Class)
	}
	times := t.others(o.vals, e)
	var next *model.Ref
	var do []model.Stmt
	if len(f.own) > 0 {
		o.rec = t.local(e, s.Var.Name, t.record)
		next = t.local(e, "Next_"+s.Var.Name, t.count.Type)
		all = append(all, &model.Reset{X: next, Least: true, Pos: s.Pos})
		do = append(one(&model.Reset{X: o.rec, Pos: s.Pos}), t.fill(o.rec, o.vals)...)
	}
	do = append(do, body(o, times)...)
	if next != nil {
		do = append(do, t.add(next, o.rec, times))
	}
	do = one(&model.If{Clauses: []model.Clause{{Cond: t.occupied(o.vals, e), Body: do}}, Pos: s.Pos})
	for _, v := range slices.Backward(vars) {
		do = one(&model.For{Var: v, Domain: model.Domain{Type: v.Type}, Body: do, Pos: s.Pos})
	}
	all = append(all, do...)
	if next != nil {
		all = append(all, &model.Assign{LHS: &model.Ref{Var: t.count}, RHS: next, Pos: s.Pos})
	}
	return all
}

// local adds a variable to the rule.
func (t *translator) local(e *env, name string, u *model.Type) *model.Ref {
	v := &model.Var{Name: name, Kind: model.LocalVar, Type: u}
	*e.locals = append(*e.locals, v)
	return &model.Ref{Var: v}
}

// add adds a number to the counter, in some array of them, of the local state in a record. There are
// never more than all components; that this is so need not be proved. A counter that is cut off stays at its end.
func (t *translator) add(counters, rec, n model.Expr) model.Stmt {
	x := counters
	for _, v := range t.indices(rec) {
		x = &model.IndexSel{X: x, Index: v}
	}
	sum, most := &model.Binary{Op: model.Add, X: x, Y: n}, number(int64(t.most()))
	return &model.Assign{LHS: x, RHS: &model.Cond{If: &model.Binary{Op: model.Le, X: sum, Y: most}, Then: sum, Else: most}}
}

// written notes what a loop writes, and refuses what makes its order matter.
func (f *loopForm) written(list []model.Stmt, e *env) {
	for _, s := range list {
		switch s := s.(type) {
		case *model.Assign:
			f.assigned(s, e)
		case *model.Reset:
			f.ownLeaf(s.X, e)
		case *model.If:
			model.Children(s, func(model.Expr) {}, func(b []model.Stmt) { f.written(b, e) })
		case *model.For:
			if f.isC(s.Var.Type) {
				f.fail(s.Pos, "a loop over %v inside another one", f.Class)
			}
			f.written(s.Body, e)
		case *model.Alias:
			in := f.name(s.Var, s.X, e)
			if in == nil {
				f.fail(s.Pos, "a name, inside a loop over %v, for what belongs to no component", f.Class)
			}
			f.written(s.Body, in)
		case *model.Put:
			if s.X != nil {
				f.fail(s.Pos, "put, inside a loop over %v", f.Class)
			}
		default:
			f.fail(s.Position(), "this statement, inside a loop over %v, cannot be done for all components in a local state at once", f.Class)
		}
	}
}

// ownLeaf notes that a designator is written, which must be of the component of the iteration.
func (f *loopForm) ownLeaf(x model.Expr, e *env) {
	v := f.rootOf(x, e)
	if v == nil || f.owner(x, e) != f.of {
		f.fail(x.Position(), "the loop over %v writes %s, which is not of the component it is at", f.Class, model.Text(x))
	}
	f.own[v] = true
}

// assigned notes an assignment.
func (f *loopForm) assigned(s *model.Assign, e *env) {
	if f.rootOf(s.LHS, e) != nil {
		f.ownLeaf(s.LHS, e)
		return
	}
	v := model.Root(s.LHS)
	before := f.writes[v]
	if v == nil || v.Kind == model.RefVar || !s.LHS.Type().Simple() {
		f.fail(s.Pos, "the loop over %v writes %s", f.Class, model.Text(s.LHS))
	}
	if before == nil {
		f.writes[v] = s
	}
	if x, ok := s.RHS.(*model.Binary); ok && (x.Op == model.Add || x.Op == model.Sub) && model.Text(x.X) == model.Text(s.LHS) {
		lo, _, ok := bounds(x.Y)
		was, same := before, true
		if was != nil {
			y, isSum := was.RHS.(*model.Binary)
			same = isSum && f.sums[was] && y.Op == x.Op
		}
		if !ok || lo < 0 || !same {
			f.fail(s.Pos, "the loop over %v adds to %s what may have either sign: its order matters", f.Class, v.Name)
		}
		f.sums[s] = true
		return
	}
	c, ok := s.RHS.(*model.ConstExpr)
	if ok && before != nil {
		d, isConst := before.RHS.(*model.ConstExpr)
		ok = isConst && d.Value == c.Value && d.T == c.T
	}
	if !ok {
		f.fail(s.Pos, "the loop over %v writes %s: its order matters, or how often it runs", f.Class, v.Name)
	}
}

// reads refuses that a loop reads what another iteration writes.
func (f *loopForm) reads(list []model.Stmt, e *env) {
	for _, s := range list {
		switch s := s.(type) {
		case *model.Assign:
			if f.sums[s] {
				f.indexReads(s.LHS, e)
				f.read1(s.RHS.(*model.Binary).Y, e)
				continue
			}
			f.indexReads(s.LHS, e)
			f.read1(s.RHS, e)
		case *model.Reset:
			f.indexReads(s.X, e)
		case *model.Alias:
			f.indexReads(s.X, e)
			f.reads(s.Body, f.name(s.Var, s.X, e))
		default:
			model.Children(s, func(x model.Expr) { f.read1(x, e) }, func(b []model.Stmt) { f.reads(b, e) })
		}
	}
}

// indexReads is read1 for the indices of what is written.
func (f *loopForm) indexReads(x model.Expr, e *env) {
	switch x := x.(type) {
	case *model.FieldSel:
		f.indexReads(x.X, e)
	case *model.IndexSel:
		f.indexReads(x.X, e)
		f.read1(x.Index, e)
	}
}

// read1 refuses an expression that reads what another iteration writes.
func (f *loopForm) read1(x model.Expr, e *env) {
	model.Inspect(x, func(n any) {
		switch n := n.(type) {
		case *model.Ref:
			if a := e.alias[n.Var]; a != nil {
				f.read1(a, e)
				return
			}
			if f.writes[n.Var] != nil || n.Var.Kind == model.RefVar && len(f.writes) > 0 {
				f.fail(n.Pos, "the loop over %v reads %s, which it writes", f.Class, n.Var.Name)
			}
		case *model.IndexSel:
			if u := n.X.Type(); u.Kind != model.Array || !f.isC(u.Index) {
				return
			}
			r, ok := n.Index.(*model.Ref)
			if v := model.Root(f.expand(n.X, e)); f.own[v] && !(ok && e.objs[r.Var] == f.of) {
				f.fail(n.Pos, "the loop over %v reads %s of other components, which it writes", f.Class, v.Name)
			}
		case *model.CallExpr:
			f.fail(n.Pos, "the loop over %v calls %s", f.Class, n.Proc.Name)
		}
	})
}
