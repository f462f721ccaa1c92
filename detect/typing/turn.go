package typing

import (
	"fmt"
	"maps"

	"orbitmc/model"
)

// This file runs one turn of a loop on abstract values. It finds the places that the turn
// writes, the places that it reads before it writes them, and the errors that it may raise.
// Procedures are run where they are called. The value of a variable without an index is
// followed; of all other variables only the accesses are noted.

// value is what is known of a value in a turn.
type value struct {
	own   bool // it is that of the loop variable
	known bool // it is k; else k is 0
	k     int64
	dep   bool // it may differ from turn to turn
	def   int8 // 1: defined, -1: undefined, 0: perhaps
}

func constant(k int64) value { return value{known: true, k: k, def: 1} }

func truth(b bool) value {
	if b {
		return constant(1)
	}
	return constant(0)
}

func (v value) meet(w value) value {
	u := value{own: v.own && w.own, dep: v.dep || w.dep}
	if v.known && w.known && v.k == w.k {
		u.known, u.k = true, v.k
	}
	if v.def == w.def {
		u.def = v.def
	}
	// Which of the two it is may depend on the turn.
	u.dep = u.dep || !u.known && u.def != -1
	return u
}

const (
	byField selKind = iota
	byOwn           // the index is the loop variable
	byConst         // it is k
	byFixed         // it is the same in all turns
	byAny           // none of these
)

type accessKind uint8

const (
	read accessKind = iota
	write
	add     // n := n + k, the sign of k in sign
	insert  // into the multiset
	present // is there an element in the slot?
)

// access is what a turn does to a place that is not its own.
type access struct {
	kind    accessKind
	p       place
	pos     model.Pos
	sign    int
	value   string // of a write: a name of the value if it is the same in all turns
	tracked bool   // of a write: later reads in the turn see it
	removes bool   // of a write: it takes elements out of a multiset
}

type entry struct {
	value
	weak bool // perhaps the turn has not written it
}

// leaf is a variable, or a part of one that is a field.
type leaf struct {
	root *model.Var
	path string
}

type store map[leaf]entry

// Kinds of errors that are no properties.
const disabled = -1

func covers(prop int) int { return -2 - prop }

type turn struct {
	a       *analysis
	u       *unit
	v       *model.Var // the loop variable; nil to find out about errors only
	accs    []access
	seen    map[string]bool // accesses noted
	kinds   map[int]bool
	present []*model.IndexSel // elements of multisets that are there in the state at hand
	store   store
	env     map[*model.Var]place
	private map[*model.Var]bool
	inner   map[*model.Var]bool
	sure    map[string]bool // places that are the same in all turns and were read without an error
	cond    int             // conditions around
	left    bool            // perhaps what follows is not run
	frames  []*frame
	returns map[string]bool // of the loop itself: names of the values
	vars    map[instance]*model.Var
	site    string
	steps   int
	failed  *Obstacle
	early   bool // known leaves count
}

// instance is a variable of one call: the result, or a copy of an argument, at a call with so many open around it; or any
// variable of the procedure, where so many calls of it are open.
type instance struct {
	call any // nil: any call
	open int
	v    *model.Var // nil: the result
}

type frame struct {
	p      *model.Proc
	result *model.Var
	stores []store
}

func (a *analysis) newTurn(u *unit, v *model.Var) *turn {
	return &turn{a: a, u: u, v: v, seen: make(map[string]bool), kinds: make(map[int]bool), store: make(store), env: make(map[*model.Var]place),
		private: make(map[*model.Var]bool), inner: make(map[*model.Var]bool), sure: make(map[string]bool),
		returns: make(map[string]bool), vars: make(map[instance]*model.Var), early: !a.starting(u)}
}

func (tu *turn) fail(pos model.Pos, format string, args ...any) {
	if tu.failed == nil {
		tu.failed = &Obstacle{Pos: pos, Reason: fmt.Sprintf(format, args...)}
	}
}

func (tu *turn) runtime() { tu.kinds[tu.a.m.Runtime().Index] = true }

// within notes an error unless the number e is surely within a range.
func (tu *turn) within(e model.Expr, t *model.Type) {
	if lo, hi, ok := span(e); !ok || lo < t.Lo || hi > t.Hi {
		tu.runtime()
	}
}

// uniform reports whether what is evaluated here is evaluated in every turn, before any
// error that depends on the turn.
func (tu *turn) uniform() bool {
	return tu.cond == 0 && !tu.left && len(tu.kinds) == 0 && len(tu.returns) == 0
}

// eval evaluates an expression of simple type; raw says that it may be undefined.
func (tu *turn) eval(e model.Expr, raw bool) value {
	if tu.steps++; tu.steps > 1<<18 {
		tu.fail(e.Position(), "the loop is too large")
	}
	if tu.failed != nil {
		return value{dep: true, def: 1}
	}
	d := tu.a.m.Dialect
	switch e := e.(type) {
	case *model.ConstExpr:
		return constant(e.Value)
	case *model.Ref:
		switch {
		case e.Var == tu.v && tu.v != nil:
			return value{own: true, dep: true, def: 1}
		case e.Var.Kind == model.BoundVar && tu.inner[e.Var]:
			return value{dep: true, def: 1}
		}
		return tu.load(tu.place(e), e.Pos, raw)
	case *model.FieldSel, *model.IndexSel:
		return tu.load(tu.place(e), e.Position(), raw)
	case *model.Not:
		v := tu.eval(e.X, false)
		if v.known {
			return constant(1 - v.k)
		}
		return value{dep: v.dep, def: 1}
	case *model.Binary:
		return tu.binary(e)
	case *model.Cond:
		c := tu.eval(e.If, false)
		if c.known {
			if c.k != 0 {
				return tu.eval(e.Then, raw)
			}
			return tu.eval(e.Else, raw)
		}
		before := maps.Clone(tu.store)
		tu.cond++
		x := tu.eval(e.Then, raw)
		then := tu.store
		tu.store = before
		y := tu.eval(e.Else, raw)
		tu.cond--
		tu.store = tu.joined(then, tu.store)
		v := x.meet(y)
		v.dep = c.dep || x.dep || y.dep
		return v
	case *model.Quant:
		if e.Counts {
			if set, ok := tu.keyed(e.Var, e.Body, true); ok {
				tu.note(access{kind: present, p: set.with(sel{kind: byOwn}, set.t), pos: e.Pos})
				return value{dep: true, def: 1}
			}
		}
		return tu.each(e.Var, e.Domain, e.Body)
	case *model.IsUndefined:
		v := tu.load(tu.place(e.X), e.Pos, true)
		if v.def != 0 {
			return truth(v.def < 0)
		}
		return value{dep: v.dep, def: 1}
	case *model.Present:
		p := tu.place(e.X.X)
		p = p.with(tu.eval(e.X.Index, false).index(), e.X.Type())
		tu.note(access{kind: present, p: p, pos: e.Pos})
		return value{dep: true, def: 1}
	case *model.Convert:
		v := tu.eval(e.X, raw)
		if e.To.Kind != model.Union && e.X.Type() != e.To {
			tu.runtime()
		}
		if v.known {
			k, ok := e.X.Type().Convert(e.To, v.k)
			if !ok {
				return value{dep: true, def: 1}
			}
			v.k = k
		}
		return v
	case *model.RealExpr: // a sum is read and written: its terms have an order
		v := value{def: 1}
		model.Children(e, func(x model.Expr) { v.dep = tu.eval(x, false).dep || v.dep }, nil)
		if e.Op == "round" || e.Op == "numerator" || e.Op == "denominator" {
			tu.runtime()
		}
		return v
	case *model.IsMember:
		v := tu.eval(e.X, d.TestsUndefined(e.X))
		return value{dep: v.dep, def: 1}
	case *model.CallExpr:
		p, _ := tu.call(e, e.Proc, e.Args, e.Pos)
		return tu.load(p, e.Pos, raw)
	case *model.Let:
		tu.bind(e.Var, e.X, e.Pos)
		return tu.eval(e.Body, raw)
	}
	tu.fail(e.Position(), "`%s` is not known", model.Text(e))
	return value{dep: true}
}

// each is a quantifier or count within the turn.
func (tu *turn) each(v *model.Var, d model.Domain, body model.Expr) value {
	tu.bounds(v, d)
	tu.repeat(func() bool { tu.eval(body, false); return false })
	return value{dep: true, def: 1}
}

// keyed reports whether a condition on the slot v holds for the elements that equal the
// loop variable, and for no others; it returns their multiset. Its elements of one value
// are then like a component of an array with that index. inOneState says that nothing changes while the
// condition is evaluated for all slots.
func (tu *turn) keyed(v *model.Var, cond model.Expr, inOneState bool) (set place, ok bool) {
	b, ok := cond.(*model.Binary)
	if !ok || b.Op != model.And || !v.Type.Slots {
		return set, false
	}
	p, ok1 := b.X.(*model.Present)
	eq, ok2 := b.Y.(*model.Binary)
	if !ok1 || !ok2 || eq.Op != model.Eq || !element(p.X, v) {
		return set, false
	}
	x, y := eq.X, eq.Y
	i, ok := ofUnion(x).(*model.IndexSel)
	if !ok || !element(i, v) {
		x, y = y, x
		i, ok = ofUnion(x).(*model.IndexSel)
	}
	r, plain := ofUnion(y).(*model.Ref)
	if !ok || !element(i, v) || !plain || r.Var == v {
		return set, false
	}
	if at := tu.a.resolved(i.X, inOneState); !model.SamePlace(at, tu.a.resolved(p.X.X, inOneState)) || !inOneState && !stays(at) {
		return set, false
	}
	if k := tu.eval(y, tu.a.m.Dialect.TestsUndefined(y)); !k.own {
		return set, false
	}
	if !tu.a.m.Dialect.TestsUndefined(x) {
		tu.runtime()
	}
	return tu.place(i.X), true
}

// element reports whether e is an element of a multiset with the slot v.
func element(e *model.IndexSel, v *model.Var) bool {
	r, ok := e.Index.(*model.Ref)
	return ok && r.Var == v && e.X.Type().Kind == model.Multiset
}

// ofUnion returns what is converted to a union, which never errs; e if that is no conversion.
func ofUnion(e model.Expr) model.Expr {
	for {
		c, ok := e.(*model.Convert)
		if !ok || c.To.Kind != model.Union {
			return e
		}
		e = c.X
	}
}

func (tu *turn) bounds(v *model.Var, d model.Domain) {
	for _, e := range d.Bounds() {
		tu.eval(e, false)
	}
	if d.By != nil {
		if k, ok := d.By.(*model.ConstExpr); !ok || k.Value == 0 {
			tu.runtime()
		}
	}
	tu.inner[v] = true
}

func (tu *turn) binary(e *model.Binary) value {
	d := tu.a.m.Dialect
	switch {
	case e.Op <= model.Implies:
		x := tu.eval(e.X, false)
		if x.known {
			if (x.k != 0) == (e.Op == model.Or) { // the left operand decides
				return truth(e.Op != model.And)
			}
			return tu.eval(e.Y, false)
		}
		before := maps.Clone(tu.store)
		tu.cond++
		there := tu.present
		if p, ok := e.X.(*model.Present); ok && e.Op == model.And && !model.Calls(e.Y) {
			tu.present = append(tu.present, p.X) // it stays there, as nothing changes the state
		}
		y := tu.eval(e.Y, false)
		tu.present = there
		tu.cond--
		tu.store = tu.joined(before, tu.store)
		return value{dep: x.dep || y.dep, def: 1}
	case e.Op <= model.Ne:
		x := tu.eval(e.X, d.TestsUndefined(e.X))
		y := tu.eval(e.Y, d.TestsUndefined(e.Y))
		if x.known && y.known && x.def == 1 && y.def == 1 {
			return truth((x.k == y.k) == (e.Op == model.Eq))
		}
		return value{dep: x.dep || y.dep, def: 1}
	}
	x, y := tu.eval(e.X, false), tu.eval(e.Y, false)
	if e.Op >= model.Add {
		_, _, ok := span(e)
		if e.Op == model.Div || e.Op == model.Mod {
			k, c := e.Y.(*model.ConstExpr)
			_, _, small := span(e.X)
			ok = c && k.Value != 0 && small
		}
		if !ok {
			tu.runtime()
		}
	}
	return value{dep: x.dep || y.dep, def: 1}
}

// joined joins what is known after two branches.
func (tu *turn) joined(s, t store) store {
	out := make(store)
	for _, x := range []store{s, t} {
		for key := range x {
			e, ok1 := s[key]
			f, ok2 := t[key]
			if (!ok1 || !ok2) && !tu.private[key.root] {
				out[key] = entry{value{dep: true}, true}
				continue
			}
			if !ok1 {
				e.def = -1 // undefined there
			} else if !ok2 {
				f.def = -1
			}
			out[key] = entry{e.meet(f.value), e.weak || f.weak}
		}
	}
	return out
}
