package prog

import (
	"orbitmc/model"
	"slices"
)

// Footprints of rule instances, from their text. An index that is known once the processes
// are known gives one leaf. One that depends on the state gives all elements, or, if
// nothing in the step writes what it is made of, the element that it is in the state at hand:
// what it is made of is read, so a step that changes it conflicts.

// access is a place that is touched.
type access struct {
	model.Place
	plain           bool // the indices mean in the state before the step what they mean where they stand
	write, up, down bool
}

// reader collects what a rule instance touches.
type reader struct {
	model.Effects
	a        *agents
	rule     *model.Rule
	params   []int64
	accesses []access
	places   []int        // objects that are read: a process is at a location
	moves    []move       // where agents go
	facts    []model.Expr // conjuncts of the guard
}

func (s *Steps) reader(rule *model.Rule, params []int64) *reader {
	r := &reader{a: s.agents, rule: rule, params: params}
	r.Effects = model.Effects{Expr: r.location, Read: r.read, Write: r.write, Stmt: func(s model.Stmt) {
		_, covers := s.(*model.CoverStmt)
		r.Any = r.Any || covers
	}}
	return r
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
func (en env) eval(e model.Expr) (x int64, ok bool) {
	switch e := e.(type) {
	case *model.ConstExpr:
		return e.Value, true
	case *model.Ref:
		for i, p := range en.rule.Params {
			if p.Var == e.Var {
				return en.params[i], true
			}
		}
		return en.leaf(e)
	case *model.FieldSel, *model.IndexSel:
		return en.leaf(e)
	case *model.Not:
		x, ok := en.eval(e.X)
		return 1 - x, ok
	case *model.Binary:
		x, ok := en.eval(e.X)
		if !ok {
			return 0, false
		}
		switch {
		case e.Op == model.And && x == 0, e.Op == model.Or && x != 0:
			return x, true
		case e.Op == model.Implies && x == 0:
			return 1, true
		}
		y, ok := en.eval(e.Y)
		if !ok {
			return 0, false
		}
		return model.Apply(e.Op, x, y)
	case *model.Cond:
		x, ok := en.eval(e.If)
		switch {
		case !ok:
		case x != 0:
			return en.eval(e.Then)
		default:
			return en.eval(e.Else)
		}
	}
	return 0, false
}

// leaf reads a leaf of the state.
func (en env) leaf(e model.Expr) (int64, bool) {
	if en.s == nil {
		return 0, false
	}
	p, ok := model.PlaceOf(e, nil, en.eval)
	if !ok || p.N == 0 || len(p.Dims) > 0 || en.s[p.At] == model.Undef {
		return 0, false
	}
	return en.s[p.At], true
}

// place returns what a designator stands for; ok is false if it is no part of the state.
func (r *reader) place(e model.Expr) (p model.Place, ok bool) {
	return model.PlaceOf(e, r.Names, env{r.rule, r.params, nil}.eval)
}

// one returns the leaf that a designator stands for in all states.
func (r *reader) one(e model.Expr) (leaf int, ok bool) {
	p, ok := r.place(e)
	return p.At, ok && len(p.Dims) == 0 && p.N == 1
}

func (r *reader) access(p model.Place) access {
	return access{Place: p, plain: r.Loops == 0 && len(r.Names) == 0}
}

// isPC reports whether an expression is the location of an agent.
func (r *reader) isPC(e model.Expr) (agent int, ok bool) {
	if _, is := e.(*model.FieldSel); !is {
		return 0, false
	}
	leaf, ok := r.one(e)
	if !ok || r.a.owner[leaf] < 0 {
		return 0, false
	}
	n := r.a.owner[leaf]
	return n, r.a.all[n].pc == leaf
}

// location notes the question whether an agent is at a location, of which no more is to be read.
func (r *reader) location(e model.Expr) (more bool) {
	b, is := e.(*model.Binary)
	if !is || b.Op != model.Eq && b.Op != model.Ne {
		return true
	}
	n, ok := r.isPC(b.X)
	k, known := b.Y.(*model.ConstExpr)
	if !ok || !known {
		return true
	}
	g := &r.a.all[n]
	r.places = append(r.places, g.place+g.number(k.Value))
	return false
}

// read notes that a designator is read.
func (r *reader) read(e model.Expr) {
	_, slot := e.(*model.Present)
	r.Any = r.Any || slot
	if p, ok := r.place(e); ok {
		r.accesses = append(r.accesses, r.access(p))
	}
}

// write notes that a designator gets another value.
func (r *reader) write(e model.Expr, by model.Stmt) {
	var x model.Expr // nil: any
	switch s := by.(type) {
	case *model.Assign:
		x = s.RHS
	case *model.Reset:
		r.Any = r.Any || s.Least
	default:
		r.Any = true
	}
	p, ok := r.place(e)
	if !ok {
		return
	}
	a := r.access(p)
	a.write, a.up, a.down = true, true, true
	if len(p.Dims) == 0 && p.N == 1 {
		a.up, a.down = r.direction(p.At, e, x)
	}
	r.accesses = append(r.accesses, a)
	p.Leaves(func(leaf int) {
		if n := r.a.owner[leaf]; n >= 0 && leaf == r.a.all[n].pc {
			to := -1
			if c, ok := x.(*model.ConstExpr); ok {
				to = r.a.all[n].number(c.Value)
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
	at, same := r.one(b.X)
	t := e.Type()
	if !known || !same || c.Value <= 0 || at != leaf || t.Kind != model.Range || t.Lo < 0 {
		return true, true
	}
	if b.Op == model.Add {
		return true, cut >= 0
	}
	if cut < 0 || cut >= t.Hi && cut&(cut+1) == 0 && r.Loops == 0 && !r.writes(leaf) && r.atLeast(leaf, c.Value) {
		return false, true
	}
	return true, true
}

// writes reports whether a leaf may have been written so far.
func (r *reader) writes(leaf int) (is bool) {
	for _, a := range r.accesses {
		if a.write {
			a.Leaves(func(l int) { is = is || l == leaf })
		}
	}
	return is
}

// atLeast reports whether the guard says that a leaf is k or more.
func (r *reader) atLeast(leaf int, k int64) bool {
	return slices.ContainsFunc(r.facts, func(f model.Expr) bool {
		at, op, c, ok := r.bound(f)
		return ok && at == leaf && (op == model.Gt && c >= k-1 || op == model.Ge && c >= k || op == model.Ne && c == 0 && k == 1)
	})
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
	leaf, same := r.one(b.X)
	if t := b.X.Type(); !is || !same || t.Kind != model.Range || t.Lo < 0 {
		return 0, 0, 0, false
	}
	return leaf, b.Op, k.Value, true
}
