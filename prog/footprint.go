package prog

import (
	"orbitmc/model"
)

// Footprints of rule instances, from their text. An index that is known once the processes
// are known gives one leaf. One that depends on the state gives all elements, or, if
// nothing in the step writes what it is made of, the element that it is in the state at hand:
// what it is made of is read, so a step that changes it conflicts.

// place is a part of the state that a designator stands for.
type place struct {
	base, n int
	dims    []dim
	plain   bool // the indices mean in the state before the step what they mean where they stand
}

// dim is an array index that depends on the state.
type dim struct {
	index  model.Expr
	lo     int64
	card   int
	stride int
}

// access is a place that is touched.
type access struct {
	place
	write, up, down bool
}

// reader collects what a rule instance touches.
type reader struct {
	a        *agents
	rule     *model.Rule
	params   []int64
	names    map[*model.Var]model.Expr // what aliases stand for
	calls    map[*model.Proc]bool
	accesses []access
	places   []int        // objects that are read: a process is at a location
	moves    []move       // where agents go
	facts    []model.Expr // conjuncts of the guard
	any      bool         // it may touch everything
	loops    int          // loops and quantifiers around
}

// move is that a step may leave an agent at a location; to is -1 if that may be any.
type move struct{ agent, to int }

// env evaluates expressions for given parameters, and a state if there is one.
type env struct {
	rule   *model.Rule
	params []int64
	s      model.State // nil: only what no state decides
}

// eval returns the value of an expression; ok is false if it is not known, or an error.
func (v env) eval(e model.Expr) (x int64, ok bool) {
	switch e := e.(type) {
	case *model.ConstExpr:
		return e.Value, true
	case *model.Ref:
		for i, p := range v.rule.Params {
			if p.Var == e.Var {
				return v.params[i], true
			}
		}
		return v.leaf(e)
	case *model.FieldSel, *model.IndexSel:
		return v.leaf(e)
	case *model.Unary:
		x, ok := v.eval(e.X)
		switch {
		case !ok:
		case e.Op == model.Not:
			return 1 - x, true
		case e.Op == model.Neg:
			return model.Arith(model.Sub, 0, x)
		}
	case *model.Binary:
		x, ok := v.eval(e.X)
		if !ok {
			return 0, false
		}
		switch {
		case e.Op == model.And && x == 0, e.Op == model.Or && x != 0:
			return x, true
		case e.Op == model.Implies && x == 0:
			return 1, true
		}
		y, ok := v.eval(e.Y)
		if !ok {
			return 0, false
		}
		return model.Apply(e.Op, x, y)
	case *model.Cond:
		x, ok := v.eval(e.If)
		switch {
		case !ok:
		case x != 0:
			return v.eval(e.Then)
		default:
			return v.eval(e.Else)
		}
	}
	return 0, false
}

// leaf reads a leaf of the state.
func (v env) leaf(e model.Expr) (int64, bool) {
	at, ok := v.at(e)
	if !ok || v.s == nil || v.s[at] == model.Undef {
		return 0, false
	}
	return v.s[at], true
}

// at returns the first leaf of what a designator stands for.
func (v env) at(e model.Expr) (int, bool) {
	switch e := e.(type) {
	case *model.Ref:
		return e.Var.Offset, e.Var.Kind == model.StateVar
	case *model.FieldSel:
		at, ok := v.at(e.X)
		return at + e.X.Type().Fields[e.Field].Offset, ok
	case *model.IndexSel:
		t := e.X.Type()
		if t.Kind != model.Array {
			return 0, false
		}
		at, ok := v.at(e.X)
		if !ok {
			return 0, false
		}
		k, ok := v.eval(e.Index)
		return at + int(k-t.Index.Lo)*t.Elem.Leaves, ok && k >= t.Index.Lo && k <= t.Index.Hi
	}
	return 0, false
}

// place returns what a designator stands for; ok is false if it is no part of the state.
func (r *reader) place(e model.Expr) (p place, ok bool) {
	switch e := e.(type) {
	case *model.Ref:
		if x := r.names[e.Var]; x != nil {
			p, ok = r.place(x)
			p.plain = p.plain && len(p.dims) == 0
			return p, ok
		}
		return place{base: e.Var.Offset, n: e.Var.Type.Leaves, plain: true}, e.Var.Kind == model.StateVar
	case *model.FieldSel:
		if p, ok = r.place(e.X); ok {
			f := e.X.Type().Fields[e.Field]
			p.base, p.n = p.base+f.Offset, f.Type.Leaves
		}
		return p, ok
	case *model.IndexSel:
		t := e.X.Type()
		if t.Kind != model.Array {
			r.any = true
			return place{}, false
		}
		if p, ok = r.place(e.X); !ok {
			return p, false
		}
		n := t.Elem.Leaves
		p.n = n
		if k, known := (env{r.rule, r.params, nil}).eval(e.Index); known {
			if k < t.Index.Lo || k > t.Index.Hi {
				return place{}, true // an error
			}
			p.base += int(k-t.Index.Lo) * n
			return p, true
		}
		p.dims = append(p.dims[:len(p.dims):len(p.dims)], dim{e.Index, t.Index.Lo, int(t.Index.Card()), n})
		p.plain = p.plain && r.loops == 0
		return p, true
	case *model.Let, *model.CallExpr:
		r.any = true
	}
	return place{}, false
}

// each calls f for all leaves that a place may be.
func (p *place) each(f func(leaf int)) { p.some(p.base, p.dims, f) }

func (p *place) some(at int, dims []dim, f func(leaf int)) {
	if len(dims) == 0 {
		for i := range p.n {
			f(at + i)
		}
		return
	}
	for k := range dims[0].card {
		p.some(at+k*dims[0].stride, dims[1:], f)
	}
}

// isPC reports whether an expression is the location of an agent.
func (r *reader) isPC(e model.Expr) (agent int, ok bool) {
	f, is := e.(*model.FieldSel)
	if !is {
		return 0, false
	}
	p, ok := r.place(f)
	if !ok || len(p.dims) > 0 || p.n != 1 || r.a.owner[p.base] < 0 {
		return 0, false
	}
	n := r.a.owner[p.base]
	return n, r.a.all[n].pc == p.base
}

// read notes what the evaluation of an expression touches.
func (r *reader) read(e model.Expr) {
	if e == nil {
		return
	}
	switch e := e.(type) {
	case *model.Binary:
		if e.Op == model.Eq || e.Op == model.Ne {
			if n, ok := r.isPC(e.X); ok {
				if k, ok := e.Y.(*model.ConstExpr); ok {
					g := &r.a.all[n]
					r.places = append(r.places, g.place+g.location(k.Value))
					return
				}
			}
		}
		r.read(e.X)
		r.read(e.Y)
	case *model.Ref, *model.FieldSel, *model.IndexSel:
		if p, ok := r.place(e); ok {
			r.accesses = append(r.accesses, access{place: p})
		}
		r.indices(e)
	case *model.Quant:
		r.domain(e.Domain)
		r.loops++
		r.read(e.Body)
		r.loops--
	case *model.Count:
		r.domain(e.Domain)
		r.loops++
		r.read(e.Body)
		r.loops--
	case *model.CallExpr:
		r.call(e.Proc, e.Args)
	case *model.Let:
		r.name(e.Var, e.X)
		r.read(e.Body)
	case *model.Unary:
		r.read(e.X)
	case *model.Cond:
		r.read(e.If)
		r.read(e.Then)
		r.read(e.Else)
	case *model.IsUndefined:
		r.read(e.X)
	case *model.Convert:
		r.read(e.X)
	case *model.IsMember:
		r.read(e.X)
	case *model.ConstExpr:
	default:
		r.any = true
	}
}

// indices reads the indices in a designator.
func (r *reader) indices(e model.Expr) {
	switch e := e.(type) {
	case *model.FieldSel:
		r.indices(e.X)
	case *model.IndexSel:
		r.indices(e.X)
		r.read(e.Index)
	}
}

func (r *reader) domain(d model.Domain) {
	r.read(d.From)
	r.read(d.To)
	r.read(d.By)
}

func (r *reader) name(v *model.Var, x model.Expr) {
	r.read(x)
	if v.Kind == model.RefVar {
		r.names[v] = x
	}
}

func (r *reader) call(p *model.Proc, args []model.Expr) {
	for i, f := range p.Params {
		r.any = r.any || f.ByRef
		if i < len(args) {
			r.read(args[i])
		}
	}
	if !r.calls[p] {
		r.calls[p] = true
		r.loops++
		r.body(p.Body)
		r.loops--
	}
}

// write notes that a designator gets the value x; nil: any.
func (r *reader) write(e, x model.Expr) {
	r.indices(e)
	p, ok := r.place(e)
	if !ok {
		return
	}
	a := access{place: p, write: true, up: true, down: true}
	if len(p.dims) == 0 && p.n == 1 {
		a.up, a.down = r.direction(p.base, e, x)
	}
	r.accesses = append(r.accesses, a)
	p.each(func(leaf int) {
		if n := r.a.owner[leaf]; n >= 0 && leaf == r.a.all[n].pc {
			to := -1
			if c, ok := x.(*model.ConstExpr); ok {
				to = r.a.all[n].location(c.Value)
			} else if x == nil {
				to = 0
			}
			r.moves = append(r.moves, move{n, to})
		}
	})
}

// direction says in which direction x may differ from the leaf that it is assigned to. What
// is added may be cut off to the bits of the leaf; then the sum may be smaller. What is taken off may
// be more than there is, unless the guard says that there is enough and the step has not changed it since.
func (r *reader) direction(leaf int, e, x model.Expr) (up, down bool) {
	cut := int64(-1)
	b, ok := x.(*model.Binary)
	if ok && b.Op == model.BitAnd {
		if c, known := b.Y.(*model.ConstExpr); known {
			cut = c.Value
			b, ok = b.X.(*model.Binary)
		}
	}
	if !ok || b == nil || b.Op != model.Add && b.Op != model.Sub {
		return true, true
	}
	c, known := b.Y.(*model.ConstExpr)
	p, same := r.place(b.X)
	t := e.Type()
	if !known || !same || c.Value <= 0 || len(p.dims) > 0 || p.n != 1 || p.base != leaf || t.Kind != model.Range || t.Lo < 0 {
		return true, true
	}
	if b.Op == model.Add {
		return true, cut >= 0
	}
	if cut < 0 || cut >= t.Hi && cut&(cut+1) == 0 && r.loops == 0 && !r.writes(leaf) && r.atLeast(leaf, c.Value) {
		return false, true
	}
	return true, true
}

// writes reports whether a leaf may have been written so far.
func (r *reader) writes(leaf int) (is bool) {
	for _, a := range r.accesses {
		if a.write {
			a.each(func(l int) { is = is || l == leaf })
		}
	}
	return is
}

// atLeast reports whether the guard says that a leaf is k or more.
func (r *reader) atLeast(leaf int, k int64) bool {
	for _, f := range r.facts {
		if at, op, c, ok := r.bound(f); ok && at == leaf && (op == model.Gt && c >= k-1 || op == model.Ge && c >= k || op == model.Ne && c == 0 && k == 1) {
			return true
		}
	}
	return false
}

// bound takes a comparison of a leaf, which is not negative, with a constant apart.
func (r *reader) bound(e model.Expr) (leaf int, op model.Op, c int64, ok bool) {
	b, is := e.(*model.Binary)
	if !is || b.Op < model.Eq || b.Op > model.Ge {
		return 0, 0, 0, false
	}
	switch b.X.(type) {
	case *model.Ref, *model.FieldSel, *model.IndexSel:
	default:
		return 0, 0, 0, false
	}
	k, is := b.Y.(*model.ConstExpr)
	p, same := r.place(b.X)
	if t := b.X.Type(); !is || !same || len(p.dims) > 0 || p.n != 1 || t.Kind != model.Range || t.Lo < 0 {
		return 0, 0, 0, false
	}
	return p.base, b.Op, k.Value, true
}

// body notes what statements touch.
func (r *reader) body(stmts []model.Stmt) {
	for _, s := range stmts {
		switch s := s.(type) {
		case *model.Assign:
			r.read(s.RHS)
			r.write(s.LHS, s.RHS)
		case *model.If:
			for _, c := range s.Clauses {
				r.read(c.Cond)
				r.body(c.Body)
			}
			r.body(s.Else)
		case *model.Switch:
			r.read(s.X)
			for _, c := range s.Cases {
				for _, v := range c.Values {
					r.read(v)
				}
				r.body(c.Body)
			}
			r.body(s.Else)
		case *model.For:
			r.domain(s.Domain)
			r.loops++
			r.body(s.Body)
			r.loops--
		case *model.While:
			r.loops++
			r.read(s.Cond)
			r.body(s.Body)
			r.loops--
		case *model.Undefine:
			r.write(s.X, nil)
		case *model.Alias:
			r.name(s.Var, s.X)
			r.body(s.Body)
		case *model.Call:
			r.call(s.Proc, s.Args)
		case *model.Return:
			r.read(s.X)
		case *model.Assume:
			r.read(s.Cond)
		case *model.Assert:
			r.read(s.Cond)
		case *model.Put:
			r.read(s.X)
		default:
			r.any = true
		}
	}
}

// conjuncts appends the conjuncts of a guard, in the order of their evaluation.
func conjuncts(e model.Expr, to []model.Expr) []model.Expr {
	if b, ok := e.(*model.Binary); ok && b.Op == model.And {
		return conjuncts(b.Y, conjuncts(b.X, to))
	}
	if e == nil {
		return to
	}
	return append(to, e)
}
