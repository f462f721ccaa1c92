package model

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// A slow interpreter that walks the syntax tree, with a map from variables to
// values and errors as return values; it shares nothing with the compiled one.

var errRun = errors.New("run-time error")

type failure int // index of the violated property

func (failure) Error() string { return "failure" }

type env struct {
	m *Model
	v map[*Var][]int64
}

func (e *env) place(x Expr) (leaves []int64, err error) {
	switch x := x.(type) {
	case *Ref:
		return e.v[x.Var], nil
	case *FieldSel:
		l, err := e.place(x.X)
		if err != nil {
			return nil, err
		}
		f := x.X.Type().Fields[x.Field]
		return l[f.Offset : f.Offset+f.Type.Leaves], nil
	case *IndexSel:
		l, err := e.place(x.X)
		if err != nil {
			return nil, err
		}
		i, err := e.eval(x.Index)
		t := x.X.Type()
		if err != nil || i < t.Index.Lo || i > t.Index.Hi {
			return nil, errRun
		}
		k := int(i-t.Index.Lo) * t.Elem.Leaves
		return l[k : k+t.Elem.Leaves], nil
	}
	return nil, errors.New("not a designator")
}

func isPlace(x Expr) bool {
	switch x.(type) {
	case *Ref, *FieldSel, *IndexSel:
		return true
	}
	return false
}

func (e *env) eval(x Expr) (int64, error) {
	truth := func(b bool) (int64, error) {
		if b {
			return 1, nil
		}
		return 0, nil
	}
	switch x := x.(type) {
	case *ConstExpr:
		return x.Value, nil
	case *Ref, *FieldSel, *IndexSel:
		l, err := e.place(x)
		if err != nil || l[0] == Undef {
			return 0, errRun
		}
		return l[0], nil
	case *IsUndefined:
		l, err := e.place(x.X)
		if err != nil {
			return 0, err
		}
		return truth(l[0] == Undef)
	case *Cond:
		b, err := e.eval(x.If)
		if err != nil {
			return 0, err
		}
		if b != 0 {
			return e.eval(x.Then)
		}
		return e.eval(x.Else)
	case *Unary:
		v, err := e.eval(x.X)
		if x.Op == Neg {
			return -v, err
		}
		return 1 - v, err
	case *Quant:
		for _, v := range x.Domain.Values() {
			e.v[x.Var] = []int64{v}
			b, err := e.eval(x.Body)
			if err != nil || (b != 0) != x.All {
				return b, err
			}
		}
		return truth(x.All)
	case *Binary:
		eval := e.eval
		if (x.Op == Eq || x.Op == Ne) && e.m.Dialect == CMurphi && x.X.Type().Kind == Scalarset {
			eval = e.maybe
		}
		a, err := eval(x.X)
		if err != nil {
			return 0, err
		}
		switch {
		case x.Op == And && a == 0, x.Op == Or && a == 1:
			return a, nil
		case x.Op == Implies && a == 0:
			return 1, nil
		}
		b, err := eval(x.Y)
		if err != nil {
			return 0, err
		}
		switch x.Op {
		case And, Or, Implies:
			return b, nil
		case Eq:
			return truth(a == b)
		case Ne:
			return truth(a != b)
		case Lt:
			return truth(a < b)
		case Le:
			return truth(a <= b)
		case Gt:
			return truth(a > b)
		case Ge:
			return truth(a >= b)
		case Add:
			return a + b, nil
		case Sub:
			return a - b, nil
		case Mul:
			return a * b, nil
		}
		if b == 0 {
			return 0, errRun
		}
		if x.Op == Div {
			return a / b, nil
		}
		return a % b, nil
	}
	return 0, errors.New("unknown expression")
}

func (e *env) exec(stmts []Stmt) error {
	for _, s := range stmts {
		if err := e.stmt(s); err != nil {
			return err
		}
	}
	return nil
}

// maybe evaluates a simple expression that may be undefined.
func (e *env) maybe(x Expr) (int64, error) {
	if isPlace(x) {
		l, err := e.place(x)
		if err != nil {
			return 0, err
		}
		return l[0], nil
	}
	k, ok := x.(*Cond)
	if !ok {
		return e.eval(x)
	}
	if b, err := e.eval(k.If); err != nil || b == 0 {
		if err != nil {
			return 0, err
		}
		return e.maybe(k.Else)
	}
	return e.maybe(k.Then)
}

func (e *env) stmt(s Stmt) error {
	switch s := s.(type) {
	case *Assign:
		dst, err := e.place(s.LHS)
		if err != nil {
			return err
		}
		t := s.LHS.Type()
		if !t.Simple() {
			src, err := e.place(s.RHS)
			copy(dst, slices.Clone(src))
			return err
		}
		v, err := e.maybe(s.RHS)
		if err != nil || v != Undef && (v < t.Lo || v > t.Hi) {
			return errRun
		}
		_, variable := s.RHS.(*Ref)
		if v == Undef && (e.m.Dialect == Rumur || !variable && (t.Kind == Range || t.Kind == Bool)) {
			return errRun
		}
		dst[0] = v
	case *Undefine:
		dst, err := e.place(s.X)
		if err != nil {
			return err
		}
		for i := range dst {
			dst[i] = Undef
		}
	case *If:
		for _, c := range s.Clauses {
			b, err := e.eval(c.Cond)
			if err != nil {
				return err
			}
			if b != 0 {
				return e.exec(c.Body)
			}
		}
		return e.exec(s.Else)
	case *Switch:
		eval := e.eval
		if e.m.Dialect == CMurphi && s.X.Type().Kind == Scalarset {
			eval = e.maybe
		}
		x, err := eval(s.X)
		if err != nil {
			return err
		}
		for _, c := range s.Cases {
			for _, k := range c.Values {
				v, err := e.eval(k)
				if err != nil {
					return err
				}
				if v == x {
					return e.exec(c.Body)
				}
			}
		}
		return e.exec(s.Else)
	case *For:
		vs := []int64{}
		if s.Domain.From == nil {
			vs = s.Domain.Values()
		} else {
			from, err1 := e.eval(s.Domain.From)
			to, err2 := e.eval(s.Domain.To)
			by, err3 := int64(1), error(nil)
			if s.Domain.By != nil {
				by, err3 = e.eval(s.Domain.By)
			}
			if err1 != nil || err2 != nil || err3 != nil || by == 0 {
				return errRun
			}
			if e.m.Dialect == Rumur {
				if s.Domain.By == nil && to < from {
					by = -1
				}
				if _, fixed := s.Domain.constSpan(); !fixed && (from < to && by < 0 || from > to && by > 0) {
					return errRun
				}
			}
			for v := from; by > 0 && v <= to || by < 0 && v >= to; v += by {
				vs = append(vs, v)
			}
		}
		for _, v := range vs {
			e.v[s.Var] = []int64{v}
			if err := e.exec(s.Body); err != nil {
				return err
			}
		}
	case *Assert:
		if s.Cond != nil {
			b, err := e.eval(s.Cond)
			if err != nil {
				return err
			}
			if b != 0 {
				return nil
			}
		}
		return failure(s.Prop)
	}
	return nil
}

// fire returns the next state, nil if disabled, or an error.
func (e *env) fire(r *Rule, params []int64, s State) (next State, inGuard bool, err error) {
	e.v = map[*Var][]int64{}
	next = slices.Clone(s)
	for _, v := range e.m.Vars {
		e.v[v] = next[v.Offset : v.Offset+v.Type.Leaves]
	}
	for i, p := range r.Params {
		e.v[p.Var] = []int64{params[i]}
	}
	if r.Guard != nil {
		b, err := e.eval(r.Guard)
		if err != nil || b == 0 {
			return nil, true, err
		}
	}
	for _, v := range r.Locals {
		e.v[v] = slices.Repeat([]int64{Undef}, v.Type.Leaves)
	}
	if err := e.exec(r.Body); err != nil {
		return nil, false, err
	}
	return next, false, nil
}

// generator makes random expressions and statements over the variables in
// scope.
type generator struct {
	*rand.Rand
	m     *Model
	scope []*Var
	loops int
}

// place returns a random designator of a type that ok accepts, or nil.
func (g *generator) place(depth int, ok func(t *Type) bool, write bool) Expr {
	for range 20 {
		v := g.scope[g.IntN(len(g.scope))]
		if write && v.Kind == BoundVar {
			continue
		}
		x := ref(v)
		for !ok(x.Type()) && !x.Type().Simple() {
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

// expr returns a random expression whose values can be those of t.
func (g *generator) expr(depth int, t *Type) Expr {
	if depth <= 0 || g.IntN(5) == 0 {
		return member(t, t.Lo+g.Int64N(t.Card()))
	}
	if g.IntN(3) > 0 {
		if x := g.place(depth, t.Same, false); x != nil {
			return x
		}
	}
	switch {
	case g.IntN(5) == 0:
		return cond(g.expr(depth-1, BoolType), g.expr(depth-1, t), g.expr(depth-1, t))
	case t.Numeric():
		if g.IntN(6) == 0 {
			return un(Neg, g.expr(depth-1, t))
		}
		return bin(g.expr(depth-1, t), Add+Op(g.IntN(5)), g.expr(depth-1, t))
	case t == BoolType:
		return g.boolean(depth)
	}
	return member(t, t.Lo+g.Int64N(t.Card()))
}

func (g *generator) boolean(depth int) Expr {
	switch g.IntN(8) {
	case 0:
		return un(Not, g.expr(depth-1, BoolType))
	case 1:
		if x := g.place(depth, (*Type).Simple, false); x != nil {
			return isUndef(x)
		}
	case 2:
		v := boundVar(fmt.Sprint("q", len(g.scope)), g.m.Types[g.IntN(len(g.m.Types))])
		g.scope = append(g.scope, v)
		defer func() { g.scope = g.scope[:len(g.scope)-1] }()
		d := Domain{Type: v.Type}
		if v.Type.Numeric() && g.IntN(2) == 0 {
			d = upto(num(g.Int64N(4)), num(g.Int64N(4)), num(2*g.Int64N(2)-1))
		}
		return &Quant{All: g.IntN(2) == 0, Var: v, Domain: d, Body: g.expr(depth-1, BoolType)}
	case 3, 4:
		return bin(g.expr(depth-1, BoolType), And+Op(g.IntN(3)), g.expr(depth-1, BoolType))
	case 5:
		t := g.m.Types[0]
		return bin(g.expr(depth-1, t), Lt+Op(g.IntN(4)), g.expr(depth-1, t))
	}
	t := g.m.Types[g.IntN(len(g.m.Types))]
	return bin(g.expr(depth-1, t), Eq+Op(g.IntN(2)), g.expr(depth-1, t))
}

func (g *generator) stmts(depth int) (ss []Stmt) {
	for range 1 + g.IntN(3) {
		switch k := g.IntN(12); {
		case k < 6 || depth <= 0:
			dst := g.place(2, func(t *Type) bool { return t.Simple() || g.IntN(3) == 0 }, true)
			if dst == nil {
				continue
			}
			t := dst.Type()
			if !t.Simple() {
				if src := g.place(2, func(u *Type) bool { return u == t }, false); src != nil {
					ss = append(ss, set(dst, src))
				}
				continue
			}
			ss = append(ss, set(dst, g.expr(3, t)))
		case k < 7:
			if dst := g.place(2, func(*Type) bool { return true }, true); dst != nil {
				ss = append(ss, &Undefine{X: dst})
			}
		case k < 9:
			s := &If{Else: g.stmts(depth - 1)}
			for range 1 + g.IntN(2) {
				s.Clauses = append(s.Clauses, Clause{g.expr(2, BoolType), g.stmts(depth - 1)})
			}
			ss = append(ss, s)
		case k < 10:
			t := g.m.Types[g.IntN(len(g.m.Types))]
			s := &Switch{X: g.expr(2, t), Else: g.stmts(depth - 1)}
			for range 1 + g.IntN(2) {
				s.Cases = append(s.Cases, Case{[]Expr{g.expr(1, t), g.expr(1, t)}, g.stmts(depth - 1)})
			}
			ss = append(ss, s)
		case k < 11:
			v := boundVar("i", g.m.Types[0])
			d := Domain{Type: v.Type}
			if g.IntN(2) == 0 {
				d = upto(g.expr(2, v.Type), g.expr(2, v.Type), g.expr(1, v.Type))
			}
			g.scope = append(g.scope, v)
			ss = append(ss, &For{Var: v, Domain: d, Body: g.stmts(depth - 1)})
			g.scope = g.scope[:len(g.scope)-1]
		default:
			ss = append(ss, &Assert{Cond: g.expr(2, BoolType), Message: "m", Prop: 1})
		}
	}
	return ss
}

// randomModel returns a model with random rules over variables of all kinds.
func randomModel(r *rand.Rand) *Model {
	m := &Model{Dialect: Dialect(r.IntN(2)), Deadlock: DeadlockMode(r.IntN(3))}
	n, e, p := rangeType(-1, 2), enumType("E", "A", "B"), m.scalarset("P", 2)
	m.Types = []*Type{n, e, p, BoolType}
	rec := recordType(Field{Name: "n", Type: n}, Field{Name: "p", Type: p})
	nm := newModel(stateVar("x", n), stateVar("w", rangeType(0, 9)), stateVar("b", BoolType), stateVar("e", e), stateVar("p", p),
		stateVar("a", arrayType(p, rec)), stateVar("c", arrayType(n, p)), stateVar("d", arrayType(BoolType, arrayType(e, n))))
	m.Vars, m.Props = nm.Vars, nm.Props
	m.addProp(&Property{Name: "assert", Kind: Assertion})
	if m.Deadlock != DeadlockOff {
		m.addProp(&Property{Name: "deadlock", Kind: Deadlock})
	}
	for k := range 4 {
		g := &generator{Rand: r, m: m, scope: slices.Clone(m.Vars)}
		rule := m.rule(fmt.Sprint("r", k), nil)
		for i := range r.IntN(4) {
			v := boundVar(fmt.Sprint("i", i), m.Types[r.IntN(len(m.Types))])
			q := param(v)
			if v.Type == n && r.IntN(2) == 0 {
				q.Domain = Domain{Type: n, From: num(2), To: num(r.Int64N(4) - 1), By: num(-2)}
			}
			rule.Params = append(rule.Params, q)
			g.scope = append(g.scope, v)
		}
		for range r.IntN(5) {
			c := g.expr(3, BoolType)
			if rule.Guard == nil {
				rule.Guard = c
			} else {
				rule.Guard = bin(rule.Guard, And, c)
			}
		}
		for i := range r.IntN(3) {
			v := localVar(fmt.Sprint("l", i), []*Type{n, p, rec}[r.IntN(3)])
			rule.Locals = append(rule.Locals, v)
			g.scope = append(g.scope, v)
		}
		rule.Body = g.stmts(2)
	}
	return m
}

func randomState(r *rand.Rand, m *Model) State {
	s := make(State, m.Leaves())
	for i, l := range m.AllLeaves() {
		if s[i] = Undef; r.IntN(6) > 0 {
			s[i] = l.Type.Lo + r.Int64N(l.Type.Card())
		}
	}
	return s
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

// TestAgainstReference compares Successors and Fire with the slow interpreter
// on random models and states: the instances reported, their order, the next
// states, the errors, and deadlocks.
func TestAgainstReference(t *testing.T) {
	type result struct {
		ch   Choice
		next State
		prop int // of the violation; -1: none
		in   bool
	}
	same := func(a, b result) bool {
		return a.ch.Equal(b.ch) && slices.Equal(a.next, b.next) && a.prop == b.prop && a.in == b.in
	}
	var fired, guardErrors, bodyErrors, asserts, disabled, dead int
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := randomModel(r)
		p := Compile(m)
		mach := p.NewMachine()
		for range 4 {
			s := randomState(r, m)
			var want, got []result
			stuck, stutter := true, true
			for k, rule := range m.Rules {
				tuples(rule.Params, nil, func(params []int64) {
					res := result{Choice{k, params}, nil, -1, false}
					next, inGuard, err := (&env{m: m}).fire(rule, params, s)
					res.next = next
					var f failure
					switch {
					case errors.As(err, &f):
						res.prop = int(f)
						asserts++
					case err != nil:
						res.prop, res.in = 0, inGuard
						if inGuard {
							guardErrors++
						} else {
							bodyErrors++
						}
					case next == nil:
						disabled++
						if n, enabled, v := mach.Fire(s, res.ch); n != nil || enabled || v != nil {
							t.Fatalf("seed %d: Fire of a disabled instance: %v %v %v", seed, n, enabled, v)
						}
						return
					default:
						fired++
						stuck = false
						stutter = stutter && slices.Equal(next, s)
					}
					want = append(want, res)
					n, enabled, v := mach.Fire(s, res.ch)
					one := result{res.ch, n, -1, false}
					if v != nil {
						one.prop, one.in = v.Prop, v.InGuard
					}
					if !same(one, res) || enabled == res.in {
						t.Fatalf("seed %d: Fire: got %v, %v, want %v", seed, one, enabled, res)
					}
				})
			}
			mach.Successors(s, func(ch Choice, next State, v *Violation) bool {
				res := result{ch.Clone(), slices.Clone(next), -1, false}
				if v != nil {
					res.prop, res.in = v.Prop, v.InGuard
				}
				got = append(got, res)
				return true
			})
			if !slices.EqualFunc(got, want, same) {
				t.Fatalf("seed %d: Successors:\ngot  %v\nwant %v", seed, got, want)
			}
			deadlocked := m.Deadlock == Stuck && stuck || m.Deadlock == Stuttering && stutter
			if mach.Deadlocked(s) != deadlocked {
				t.Fatalf("seed %d: Deadlocked is %v", seed, !deadlocked)
			}
			if deadlocked {
				dead++
			}
		}
	}
	for _, n := range []int{fired, guardErrors, bodyErrors, asserts, disabled, dead} {
		if n < 200 {
			t.Errorf("too few cases: fired %d, guard errors %d, body errors %d, asserts %d, disabled %d, deadlocks %d",
				fired, guardErrors, bodyErrors, asserts, disabled, dead)
			break
		}
	}
	t.Log(fired, guardErrors, bodyErrors, asserts, disabled, dead)
}
