package model_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	. "orbitmc/model"
)

// generator makes random expressions and statements over the variables in
// scope.
type generator struct {
	*rand.Rand
	m     *Model
	scope []*Var
	proc  *Proc
	named int // variables made so far
}

// newVar returns a fresh variable.
func (g *generator) newVar(kind VarKind, t *Type) *Var {
	g.named++
	return &Var{Name: fmt.Sprint("v", g.named), Kind: kind, Type: t}
}

// with runs f with one more variable in scope.
func (g *generator) with(v *Var, f func()) {
	g.scope = append(g.scope, v)
	f()
	g.scope = g.scope[:len(g.scope)-1]
}

// place returns a random designator of a type that ok accepts, or nil.
func (g *generator) place(depth int, ok func(t *Type) bool, write bool) Expr {
	for range 20 {
		v := g.scope[g.IntN(len(g.scope))]
		if write && v.Kind == BoundVar {
			continue
		}
		x := ref(v)
		for !(ok(x.Type()) && g.IntN(4) > 0) && !x.Type().Simple() {
			if t := x.Type(); t.Kind == Record {
				x = field(x, g.IntN(len(t.Fields)))
			} else {
				x = at(x, g.expr(depth-1, t.Index))
			}
		}
		if ok(x.Type()) {
			return x
		}
	}
	return nil
}

// is returns a test of being one type.
func is(t *Type) func(u *Type) bool { return func(u *Type) bool { return t == u } }

// simpleType returns a type that a quantifier may range over.
func (g *generator) simpleType() *Type { return g.m.Types[g.IntN(len(g.m.Types))] }

func (g *generator) constant(t *Type) Expr { return member(t, t.Lo+g.Int64N(t.Card())) }

// args returns arguments for a call, or nil if there are none.
func (g *generator) args(depth int, p *Proc) []Expr {
	as := []Expr{}
	for _, a := range p.Params {
		t := a.Var.Type
		var x Expr
		if a.ByRef {
			x = g.place(depth, is(t), true)
		} else if t.Simple() {
			x = g.expr(depth, t)
		} else {
			x = g.whole(depth, t)
		}
		if x == nil {
			return nil
		}
		as = append(as, x)
	}
	return as
}

// call returns a call of a function with the result type t, or nil.
func (g *generator) call(depth int, t *Type) Expr {
	for _, k := range g.Perm(len(g.m.Procs)) {
		p := g.m.Procs[k]
		if p.Result == nil || !p.Result.Same(t) {
			continue
		}
		if as := g.args(depth-1, p); as != nil {
			return &CallExpr{Proc: p, Args: as}
		}
	}
	return nil
}

// whole returns an expression of a type that is not simple, or nil.
func (g *generator) whole(depth int, t *Type) Expr {
	if depth > 0 && g.IntN(4) == 0 {
		if x := g.call(depth, t); x != nil {
			return x
		}
	}
	if depth > 0 && g.IntN(6) == 0 {
		return g.let(depth, func() Expr { return g.whole(depth-1, t) })
	}
	return g.place(depth, is(t), false)
}

// let names something in what body returns.
func (g *generator) let(depth int, body func() Expr) Expr {
	v, x := g.name(depth)
	var b Expr
	if x != nil {
		g.with(v, func() { b = body() })
	}
	if b == nil {
		return body()
	}
	return &Let{Var: v, X: x, Body: b}
}

// name returns a variable for Let or Alias, and what it stands for.
func (g *generator) name(depth int) (*Var, Expr) {
	if g.IntN(2) == 0 {
		if x := g.place(depth, func(t *Type) bool { return t.Leaves > 0 }, true); x != nil {
			return g.newVar(RefVar, x.Type()), x
		}
	}
	t := g.simpleType()
	x := g.expr(depth-1, t)
	if isPlace(x) {
		return nil, nil
	}
	return g.newVar(LocalVar, t), x
}

// expr returns a random expression whose values can be those of t.
func (g *generator) expr(depth int, t *Type) Expr {
	if depth <= 0 || g.IntN(6) == 0 {
		return g.constant(t)
	}
	if g.IntN(2) > 0 {
		if x := g.place(depth, t.Same, false); x != nil {
			return x
		}
	}
	switch k := g.IntN(12); {
	case k == 0:
		return cond(g.expr(depth-1, BoolType), g.expr(depth-1, t), g.expr(depth-1, t))
	case k == 1:
		return g.let(depth, func() Expr { return g.expr(depth-1, t) })
	case k < 4:
		if x := g.call(depth, t); x != nil {
			return x
		}
	case k < 7 && t.Kind == Union:
		p := t.Parts[g.IntN(len(t.Parts))]
		return &Convert{X: g.expr(depth-1, p), To: t}
	case k < 7:
		for _, u := range g.m.Types {
			if slices.Contains(u.Parts, t) && u.Kind == Union {
				return &Convert{X: g.expr(depth-1, u), To: t}
			}
		}
	case t.Numeric():
		switch g.IntN(8) {
		case 0:
			return Negative(g.expr(depth-1, t), Pos{})
		case 1:
			return Complement(g.expr(depth-1, t), Pos{})
		case 2:
			v := g.newVar(BoundVar, g.simpleType())
			c := &Quant{Counts: true, Var: v, Domain: g.domain(v)}
			g.with(v, func() { c.Body = g.expr(depth-1, BoolType) })
			return c
		}
		return bin(g.expr(depth-1, t), Add+Op(g.IntN(int(Shr-Add+1))), g.expr(depth-1, t))
	case t == BoolType:
		return g.boolean(depth)
	}
	return g.constant(t)
}

// domain returns a domain for a bound variable.
func (g *generator) domain(v *Var) Domain {
	if v.Type.Numeric() && g.IntN(2) == 0 {
		return upto(num(g.Int64N(4)), num(g.Int64N(4)), num(2*g.Int64N(2)-1))
	}
	return Domain{Type: v.Type}
}

// slot returns a random slot of a multiset, or nil.
func (g *generator) slot(depth int) *IndexSel {
	if x := g.place(depth, func(t *Type) bool { return t.Kind == Multiset }, true); x != nil {
		return at(x, g.expr(1, x.Type().Index)).(*IndexSel)
	}
	return nil
}

func (g *generator) boolean(depth int) Expr {
	switch g.IntN(10) {
	case 0:
		return not(g.expr(depth-1, BoolType))
	case 1:
		if x := g.place(depth, (*Type).Simple, false); x != nil {
			return isUndef(x)
		}
	case 2:
		v := g.newVar(BoundVar, g.simpleType())
		q := &Quant{All: g.IntN(2) == 0, Var: v, Domain: g.domain(v)}
		g.with(v, func() { q.Body = g.expr(depth-1, BoolType) })
		return q
	case 3, 4:
		return bin(g.expr(depth-1, BoolType), And+Op(g.IntN(3)), g.expr(depth-1, BoolType))
	case 5:
		t := g.m.Types[0]
		return bin(g.expr(depth-1, t), Lt+Op(g.IntN(4)), g.expr(depth-1, t))
	case 6:
		if x := g.slot(depth); x != nil {
			return &Present{X: x}
		}
	case 7:
		t := g.simpleType()
		u := t
		if t.Kind == Union {
			u = t.Parts[g.IntN(len(t.Parts))]
		}
		return &IsMember{X: g.expr(depth-1, t), T: u}
	}
	t := g.simpleType()
	return bin(g.expr(depth-1, t), Eq+Op(g.IntN(2)), g.expr(depth-1, t))
}

// chosen adds a parameter to the rule that is a slot of a multiset of type t, and
// returns conjuncts about it: the first says that there is an element.
func (g *generator) chosen(rule *Rule, t *Type) (guard []Expr) {
	v := boundVar("s", t.Index)
	rule.Params = append(rule.Params, param(v))
	set := g.place(2, is(t), true)
	g.scope = append(g.scope, v)
	if set == nil {
		return nil
	}
	slot := at(set, ref(v)).(*IndexSel)
	guard = append(guard, &Present{X: slot})
	for range g.IntN(3) {
		x := Expr(slot)
		for !x.Type().Simple() {
			if u := x.Type(); u.Kind == Record {
				x = field(x, g.IntN(len(u.Fields)))
			} else {
				x = at(x, g.expr(1, u.Index))
			}
		}
		switch op := Eq + Op(g.IntN(2)); g.IntN(4) {
		case 0:
			guard = append(guard, not(isUndef(x)))
		case 1:
			guard = append(guard, bin(x, op, g.expr(1, x.Type())))
		default:
			guard = append(guard, bin(x, op, g.constant(x.Type())))
		}
	}
	return guard
}

func (g *generator) stmts(depth int) (ss []Stmt) {
	for range 1 + g.IntN(3) {
		if s := g.stmt(depth); s != nil {
			ss = append(ss, s)
		}
	}
	return ss
}

func (g *generator) stmt(depth int) Stmt {
	any := func(*Type) bool { return true }
	switch k := g.IntN(24); {
	case k < 7 || depth <= 0:
		dst := g.place(2, func(t *Type) bool { return t.Simple() || g.IntN(3) == 0 }, true)
		if dst == nil {
			return nil
		}
		if t := dst.Type(); t.Simple() {
			return set(dst, g.expr(3, t))
		}
		if src := g.whole(2, dst.Type()); src != nil {
			return set(dst, src)
		}
	case k < 8:
		if dst := g.place(2, any, true); dst != nil {
			return &Reset{X: dst}
		}
	case k < 9:
		if dst := g.place(2, any, true); dst != nil {
			return &Reset{X: dst, Least: true}
		}
	case k < 11:
		s := &If{Else: g.stmts(depth - 1)}
		for range 1 + g.IntN(2) {
			s.Clauses = append(s.Clauses, Clause{g.expr(2, BoolType), g.stmts(depth - 1)})
		}
		return s
	case k < 12:
		t := g.simpleType()
		x, els := g.expr(2, t), g.stmts(depth-1)
		var values [][]Expr
		var bodies [][]Stmt
		label := func() Expr { return g.constant(t) }
		if g.IntN(3) == 0 {
			label = func() Expr { return g.expr(1, t) }
		}
		for range 1 + g.IntN(2) {
			values, bodies = append(values, []Expr{label(), label()}), append(bodies, g.stmts(depth-1))
		}
		return NewSwitch(x, values, bodies, els, Pos{})
	case k < 13:
		v := g.newVar(BoundVar, g.simpleType())
		s := &For{Var: v, Domain: Domain{Type: v.Type}}
		if v.Type.Numeric() && g.IntN(2) == 0 {
			s.Domain = upto(g.expr(2, v.Type), g.expr(2, v.Type), g.expr(1, v.Type))
			if g.IntN(2) == 0 {
				s.Domain.By = nil
			}
		}
		g.with(v, func() { s.Body = g.stmts(depth - 1) })
		return s
	case k < 14:
		return &While{Cond: g.expr(2, BoolType), Body: g.stmts(depth - 1)}
	case k < 16:
		v, x := g.name(2)
		if x == nil {
			return nil
		}
		s := &Alias{Var: v, X: x}
		g.with(v, func() { s.Body = g.stmts(depth - 1) })
		return s
	case k < 18:
		if len(g.m.Procs) > 0 {
			p := g.m.Procs[g.IntN(len(g.m.Procs))]
			if as := g.args(2, p); as != nil {
				return &Call{Proc: p, Args: as}
			}
		}
	case k < 20:
		if x := g.place(2, func(t *Type) bool { return t.Kind == Multiset }, true); x != nil {
			t := x.Type().Elem
			var v Expr
			if t.Simple() {
				v = g.expr(2, t)
			} else {
				v = g.whole(2, t)
			}
			if v != nil {
				return &Insert{Set: x, X: v}
			}
		}
	case k < 21:
		if x := g.slot(2); x != nil {
			return &Remove{X: x}
		}
	case k < 22:
		switch g.IntN(4) {
		case 0:
			return &Assume{Cond: g.expr(2, BoolType)}
		case 1:
			return &CoverStmt{Cond: g.expr(2, BoolType), Prop: coverProp}
		case 2:
			return &Put{X: g.expr(2, g.simpleType())}
		}
		r := &Return{}
		if g.proc != nil && g.proc.Result != nil {
			if r.X = g.result(); r.X == nil {
				return nil
			}
		}
		return r
	default:
		return &Assert{Cond: g.expr(2, BoolType), Message: "m", Prop: assertProp}
	}
	return nil
}

// result returns something for the function to return, or nil.
func (g *generator) result() Expr {
	t := g.proc.Result
	if t.Simple() {
		return g.expr(2, t)
	}
	return g.whole(2, t)
}

// The properties of random models.
const (
	runtimeProp = iota
	assertProp
	coverProp
	invariantProp // has a parameter
	coverExpr     // has a parameter
	livenessProp  // has a parameter
	deadlockProp
)

// slotType returns the type of a multiset.
func multisetType(m *Model, n int64, elem *Type) *Type {
	s := newScalarset(m, "", n)
	s.Slots = true
	return &Type{Kind: Multiset, Index: s, Elem: elem, Leaves: int(n) * (1 + elem.Leaves)}
}

// randomModel returns a model with random rules over variables of all kinds.
func randomModel(r *rand.Rand) *Model {
	m := &Model{Dialect: Dialect(r.IntN(2)), Deadlock: DeadlockMode(r.IntN(3)), LoopMax: 4}
	n, e, p := rangeType(-1, 2), enumType("E", "A", "B"), newScalarset(m, "P", 2)
	narrow := rangeType(0, 1)
	u := &Type{Kind: Union, Name: "U", Parts: []*Type{e, p, rangeType(3, 4)}, Hi: 5, Leaves: 1}
	rec := recordType(Field{Name: "n", Type: n}, Field{Name: "p", Type: p})
	bag, recs := multisetType(m, 2, n), multisetType(m, 2, rec)
	deep := recordType(Field{Name: "bag", Type: bag}, Field{Name: "u", Type: u})
	deeps := multisetType(m, 2, deep)
	m.Types = []*Type{n, e, p, BoolType, u, bag.Index, recs.Index, deeps.Index}
	vars := newModel(stateVar("x", n), stateVar("w", rangeType(0, 9)), stateVar("b", BoolType), stateVar("e", e), stateVar("p", p),
		stateVar("u", u), stateVar("a", arrayType(p, rec)), stateVar("c", arrayType(n, p)), stateVar("d", arrayType(u, narrow)),
		stateVar("m", bag), stateVar("ms", arrayType(p, recs)), stateVar("deep", deep), stateVar("deeps", deeps))
	m.Vars, m.Props = vars.Vars, vars.Props
	all := []*Type{n, narrow, e, p, BoolType, u, rec, bag, deep, recs}
	// The heads of the procedures come first, so that all may call all.
	for k := range r.IntN(4) {
		q := &Proc{Name: fmt.Sprint("q", k), Index: k}
		for i := range r.IntN(3) {
			f := &Formal{Var: &Var{Name: fmt.Sprint("a", i), Kind: LocalVar, Type: all[r.IntN(len(all))]}, ByRef: r.IntN(3) == 0}
			if f.ByRef {
				f.Var.Kind = RefVar
			}
			q.Params = append(q.Params, f)
		}
		if r.IntN(3) > 0 {
			q.Result = all[r.IntN(len(all))]
		}
		m.Procs = append(m.Procs, q)
	}
	for _, q := range m.Procs {
		g := &generator{Rand: r, m: m, scope: slices.Clone(m.Vars), proc: q}
		for _, f := range q.Params {
			g.scope = append(g.scope, f.Var)
		}
		for i := range r.IntN(3) {
			v := localVar(fmt.Sprint("l", i), all[r.IntN(len(all))])
			q.Locals = append(q.Locals, v)
			g.scope = append(g.scope, v)
		}
		q.Body = g.stmts(2)
		if q.Result != nil && r.IntN(5) > 0 {
			if x := g.result(); x != nil {
				q.Body = append(q.Body, &Return{X: x})
			}
		}
	}
	prop := func(kind PropertyKind) {
		g := &generator{Rand: r, m: m, scope: slices.Clone(m.Vars)}
		q := &Property{Name: kind.String(), Kind: kind, Params: []*Param{param(boundVar("i", g.simpleType()))}}
		g.scope = append(g.scope, q.Params[0].Var)
		q.Expr = g.expr(3, BoolType)
		addProp(m, q)
	}
	addProp(m, &Property{Name: "assert", Kind: Assertion})
	addProp(m, &Property{Name: "hit", Kind: Cover})
	prop(Invariant)
	prop(Cover)
	prop(Liveness)
	if m.Deadlock != DeadlockOff {
		addProp(m, &Property{Name: "deadlock", Kind: Deadlock})
	}
	if r.IntN(4) == 0 {
		g := &generator{Rand: r, m: m, scope: slices.Clone(m.Vars)}
		v := boundVar("i", g.simpleType())
		g.scope = append(g.scope, v)
		m.Assumptions = append(m.Assumptions, &Property{Params: []*Param{param(v)}, Expr: g.expr(3, BoolType)})
	}
	for k := range 4 {
		g := &generator{Rand: r, m: m, scope: slices.Clone(m.Vars)}
		rule := addRule(m, fmt.Sprint("r", k), nil)
		for i := range r.IntN(4) {
			v := boundVar(fmt.Sprint("i", i), g.simpleType())
			q := param(v)
			if v.Type == n && r.IntN(2) == 0 {
				q.Domain = Domain{Type: n, From: num(2), To: num(r.Int64N(4) - 1), By: num(-2)}
			}
			rule.Params = append(rule.Params, q)
			g.scope = append(g.scope, v)
		}
		var guard []Expr
		if r.IntN(3) == 0 {
			guard = g.chosen(rule, []*Type{bag, recs, deeps}[r.IntN(3)])
		}
		for range r.IntN(5) {
			guard = append(guard, g.expr(3, BoolType))
		}
		for _, c := range guard {
			if rule.Guard == nil {
				rule.Guard = c
			} else {
				rule.Guard = bin(rule.Guard, And, c)
			}
		}
		for i := range r.IntN(3) {
			v := localVar(fmt.Sprint("l", i), []*Type{n, p, rec, bag, deep}[r.IntN(5)])
			rule.Locals = append(rule.Locals, v)
			g.scope = append(g.scope, v)
		}
		rule.Body = g.stmts(2)
	}
	return m
}

// randomState returns a state in the form that the interpreter delivers.
func randomState(r *rand.Rand, m *Model) State {
	s := slices.Repeat(State{Undef}, m.Leaves())
	for _, v := range m.Vars {
		l := s[v.Offset : v.Offset+v.Type.Leaves]
		randomLeaves(r, v.Type, l)
		sortSets(v.Type, l)
	}
	return s
}

// randomChange gives one variable of s, which is in that form, another value.
func randomChange(r *rand.Rand, m *Model, s State) {
	v := m.Vars[r.IntN(len(m.Vars))]
	l := s[v.Offset : v.Offset+v.Type.Leaves]
	for i := range l {
		l[i] = Undef
	}
	randomLeaves(r, v.Type, l)
	sortSets(v.Type, l)
}

func randomLeaves(r *rand.Rand, t *Type, l []int64) {
	switch t.Kind {
	case Record:
		for _, f := range t.Fields {
			randomLeaves(r, f.Type, l[f.Offset:f.Offset+f.Type.Leaves])
		}
	case Array:
		for part := range slices.Chunk(l, t.Elem.Leaves) {
			randomLeaves(r, t.Elem, part)
		}
	case Multiset:
		for slot := range slices.Chunk(l, 1+t.Elem.Leaves) {
			if r.IntN(3) > 0 {
				slot[0] = 1
				randomLeaves(r, t.Elem, slot[1:])
			}
		}
	default:
		if r.IntN(6) > 0 {
			l[0] = t.Lo + r.Int64N(t.Card())
		}
	}
}

// tuples calls f for all parameter values of a rule, innermost fastest.
func tuples(params []*Param, prefix []int64, f func([]int64)) {
	if len(params) == 0 {
		f(prefix)
		return
	}
	for _, v := range params[0].Domain.Values() {
		tuples(params[1:], append(slices.Clip(prefix), v), f)
	}
}
