package model_test

import (
	"math"
	"slices"
	"testing"

	. "orbitmc/model"
)

func TestArithmetic(t *testing.T) {
	const big = math.MaxInt64
	type row struct {
		x  int64
		op Op
		y  int64
		r  int64
		ok bool
	}
	for _, c := range []row{
		{2, Add, 3, 5, true}, {big, Add, 1, 0, false}, {big, Add, 0, big, true}, {-big, Add, -1, 0, false},
		{-big, Add, 0, -big, true}, {-big, Add, -2, 0, false}, {-3, Add, 3, 0, true},
		{2, Sub, 3, -1, true}, {-big, Sub, 1, 0, false}, {big, Sub, -1, 0, false}, {0, Sub, big, -big, true},
		{3, Mul, -4, -12, true}, {big, Mul, 2, 0, false}, {1 << 32, Mul, 1 << 31, 0, false}, {-(1 << 32), Mul, 1 << 31, 0, false},
		{-1, Mul, big, -big, true}, {0, Mul, big, 0, true}, {1 << 31, Mul, 1 << 31, 1 << 62, true},
		{7, Div, 2, 3, true}, {-7, Div, 2, -3, true}, {7, Div, -2, -3, true}, {7, Div, 0, 0, false},
		{7, Mod, 2, 1, true}, {-7, Mod, 2, -1, true}, {7, Mod, -2, 1, true}, {7, Mod, 0, 0, false}, {0, Mod, 0, 0, false},
	} {
		r, ok := Arith(c.op, c.x, c.y)
		if ok != c.ok || ok && r != c.r {
			t.Errorf("arith: %d %v %d = %d, %v", c.x, c.op, c.y, r, ok)
		}
		// The same in a rule, on operands that are not constants.
		w := rangeType(-big, big)
		x, y, z := stateVar("x", w), stateVar("y", w), stateVar("z", w)
		s, v := run(t, CMurphi, []*Var{x, y, z}, State{c.x, c.y, 0}, nil, set(ref(z), bin(ref(x), c.op, ref(y))))
		if (v == nil) != c.ok || c.ok && s[2] != c.r {
			t.Errorf("rule: %d %v %d = %v, %v", c.x, c.op, c.y, s, v)
		}
	}
}

// TestExpressions evaluates boolean expressions on x = 1, u undefined (range),
// p = 0, q and r undefined (scalarset), b true, c undefined (boolean),
// a = [true, false, undefined], by dialect: 't', 'f' or 'e' for an error.
func TestExpressions(t *testing.T) {
	m := newModel()
	P := newScalarset(m, "P", 3)
	n := rangeType(0, 2)
	x, u, p, q, r := stateVar("x", n), stateVar("u", n), stateVar("p", P), stateVar("q", P), stateVar("r", P)
	b, c, a := stateVar("b", BoolType), stateVar("c", BoolType), stateVar("a", arrayType(n, BoolType))
	s := State{1, Undef, 0, Undef, Undef, 1, Undef, 1, 0, Undef}
	i := boundVar("i", n)
	boom := bin(bin(num(1), Div, num(0)), Eq, num(1))
	T, F := boolean(true), boolean(false)
	quant := func(all bool, body Expr) Expr {
		return &Quant{All: all, Var: i, Domain: Domain{Type: n}, Body: body}
	}
	for _, tc := range []struct {
		name    string
		e       Expr
		results string // CMurphi, Rumur
	}{
		{"undefined read", bin(ref(u), Eq, num(1)), "ee"},
		{"undefined read, constant first", bin(num(1), Ne, ref(u)), "ee"},
		{"undefined boolean", ref(c), "ee"},
		{"undefined boolean comparison", bin(ref(c), Eq, ref(b)), "ee"},
		{"undefined order", bin(ref(u), Lt, num(1)), "ee"},
		{"scalarset = one undefined", bin(ref(p), Eq, ref(q)), "fe"},
		{"scalarset != one undefined", bin(ref(p), Ne, ref(q)), "te"},
		{"scalarset = both undefined", bin(ref(q), Eq, ref(r)), "te"},
		{"scalarset != both undefined", bin(ref(q), Ne, ref(r)), "fe"},
		{"scalarset = conditional", bin(ref(p), Eq, cond(T, ref(q), ref(p))), "fe"},
		{"scalarset = defined", bin(ref(p), Eq, ref(p)), "tt"},
		{"isundefined", isUndef(ref(u)), "tt"},
		{"isundefined of defined", isUndef(ref(x)), "ff"},
		{"isundefined element", isUndef(at(ref(a), num(2))), "tt"},
		{"isundefined, undefined index", isUndef(at(ref(a), ref(u))), "ee"},
		{"isundefined, bad index", isUndef(at(ref(a), bin(ref(x), Add, num(2)))), "ee"},
		{"index", at(ref(a), bin(ref(x), Sub, num(1))), "tt"},
		{"index below", at(ref(a), bin(ref(x), Sub, num(2))), "ee"},
		{"index above", at(ref(a), num(3)), "ee"},
		{"index undefined", at(ref(a), ref(u)), "ee"},
		{"undefined element", at(ref(a), num(2)), "ee"},
		{"and short", bin(F, And, boom), "ff"},
		{"and", bin(T, And, boom), "ee"},
		{"and left", bin(boom, And, F), "ee"},
		{"or short", bin(T, Or, boom), "tt"},
		{"or", bin(F, Or, boom), "ee"},
		{"implies short", bin(F, Implies, boom), "tt"},
		{"implies", bin(T, Implies, boom), "ee"},
		{"implies value", bin(T, Implies, F), "ff"},
		{"not", not(ref(b)), "ff"},
		{"neg", bin(Negative(ref(x), Pos{}), Eq, num(-1)), "tt"},
		{"complement", bin(Complement(ref(x), Pos{}), Eq, num(-2)), "tt"},
		{"cond lazy", cond(T, T, boom), "tt"},
		{"cond lazy else", cond(F, boom, F), "ff"},
		{"cond number", bin(cond(ref(b), ref(x), ref(u)), Ge, num(1)), "tt"},
		{"forall stops at false", quant(true, cond(bin(ref(i), Eq, num(1)), F, cond(bin(ref(i), Eq, num(2)), boom, T))), "ff"},
		{"forall errs first", quant(true, cond(bin(ref(i), Eq, num(0)), boom, F)), "ee"},
		{"exists stops at true", quant(false, bin(bin(ref(i), Eq, num(1)), Or, bin(bin(ref(i), Eq, num(2)), And, boom))), "tt"},
		{"exists", quant(false, bin(ref(i), Gt, num(2))), "ff"},
		{"forall", quant(true, bin(ref(i), Le, num(2))), "tt"},
		{"forall over elements errs", quant(true, bin(at(ref(a), ref(i)), Or, bin(ref(i), Ne, num(0)))), "ee"},
	} {
		for d := CMurphi; d <= Rumur; d++ {
			m := newModel(x, u, p, q, r, b, c, a)
			m.Dialect = d
			inv := addProp(m, &Property{Kind: Invariant, Expr: tc.e})
			v := Compile(m).NewMachine().Violated(s, inv)
			got := byte('t')
			if v != nil && v.Prop == inv {
				got = 'f'
			} else if v != nil {
				got = 'e'
			}
			if got != tc.results[d] {
				t.Errorf("%s: %v: %c, want %c (%v)", tc.name, d, got, tc.results[d], v)
			}
		}
	}
}

const undef = Undef

// TestStatements runs rule bodies on x = 1, u undefined (0..3), y = 3 (0..9), b
// true, p = 0, q undefined (scalarset), c undefined (boolean),
// r = [{1, true}, {undefined, false}].
func TestStatements(t *testing.T) {
	m := newModel()
	P := newScalarset(m, "P", 2)
	n, wide := rangeType(0, 3), rangeType(0, 9)
	rec := recordType(Field{Name: "n", Type: n}, Field{Name: "f", Type: BoolType})
	x, u, y, b := stateVar("x", n), stateVar("u", n), stateVar("y", wide), stateVar("b", BoolType)
	p, q, c := stateVar("p", P), stateVar("q", P), stateVar("c", BoolType)
	r := stateVar("r", arrayType(rangeType(0, 1), rec))
	l, la := localVar("l", n), localVar("la", rec)
	i := boundVar("i", IntType)
	s0 := State{1, Undef, 3, 1, 0, Undef, Undef, 1, 1, Undef, 0}
	with := func(kv ...int64) State {
		s := slices.Clone(s0)
		for k := 0; k < len(kv); k += 2 {
			s[kv[k]] = kv[k+1]
		}
		return s
	}
	loop := func(d Domain, body ...Stmt) Stmt { return &For{Var: i, Domain: d, Body: body} }
	acc := set(ref(y), bin(bin(bin(ref(y), Mul, num(2)), Add, ref(i)), Mod, num(10)))
	for _, tc := range []struct {
		name  string
		body  []Stmt
		cm, r State // nil: an error
	}{
		{"assign", []Stmt{set(ref(x), num(3))}, with(0, 3), with(0, 3)},
		{"assign out of range", []Stmt{set(ref(x), num(4))}, nil, nil},
		{"assign below range", []Stmt{set(ref(x), bin(ref(x), Sub, num(2)))}, nil, nil},
		{"narrowing copy", []Stmt{set(ref(x), ref(y))}, with(0, 3), with(0, 3)},
		{"narrowing copy out of range", []Stmt{set(ref(y), num(4)), set(ref(x), ref(y))}, nil, nil},
		{"copy of undefined", []Stmt{set(ref(x), ref(u))}, with(0, undef), nil},
		{"narrowing copy of undefined", []Stmt{&Reset{X: ref(y)}, set(ref(x), ref(y))}, with(0, undef, 2, undef), nil},
		{"copy of undefined scalarset", []Stmt{set(ref(p), ref(q))}, with(4, undef), nil},
		{"copy of undefined boolean", []Stmt{set(ref(b), ref(c))}, with(3, undef), nil},
		{"expression of undefined", []Stmt{set(ref(x), bin(ref(u), Add, num(0)))}, nil, nil},
		{"conditional copy of undefined scalarset", []Stmt{set(ref(p), cond(boolean(true), ref(q), ref(p)))}, with(4, undef), nil},
		{"conditional copy of undefined range", []Stmt{set(ref(x), cond(boolean(true), ref(u), ref(x)))}, nil, nil},
		{"copy of undefined field", []Stmt{set(ref(x), field(at(ref(r), num(1)), 0))}, nil, nil},
		{"record copy", []Stmt{set(at(ref(r), num(0)), at(ref(r), ref(x)))}, with(7, undef, 8, 0), with(7, undef, 8, 0)},
		{"record self-copy", []Stmt{set(at(ref(r), ref(x)), at(ref(r), ref(x)))}, s0, s0},
		{"record through local", []Stmt{set(ref(la), at(ref(r), num(1))), set(at(ref(r), num(0)), ref(la))}, with(7, undef, 8, 0), with(7, undef, 8, 0)},
		{"local is undefined", []Stmt{set(field(at(ref(r), num(0)), 0), ref(l))}, with(7, undef), nil},
		{"local record is undefined", []Stmt{set(at(ref(r), num(0)), ref(la))}, with(7, undef, 8, undef), with(7, undef, 8, undef)},
		{"field", []Stmt{set(field(at(ref(r), bin(ref(x), Sub, num(1))), 0), num(2))}, with(7, 2), with(7, 2)},
		{"index out of range on the left", []Stmt{set(at(ref(r), bin(ref(x), Add, ref(x))), at(ref(r), num(0)))}, nil, nil},
		{"undefined index on the left", []Stmt{set(at(ref(r), ref(u)), at(ref(r), num(0)))}, nil, nil},
		{"undefine record", []Stmt{&Reset{X: at(ref(r), num(0))}}, with(7, undef, 8, undef), with(7, undef, 8, undef)},
		{"undefine all", []Stmt{&Reset{X: ref(r)}}, with(7, undef, 8, undef, 10, undef), with(7, undef, 8, undef, 10, undef)},
		{"undefine with bad index", []Stmt{&Reset{X: at(ref(r), num(2))}}, nil, nil},
		{"for", []Stmt{set(ref(y), num(0)), loop(upto(num(1), num(3), nil), acc)}, with(2, 1), with(2, 1)},               // 1, 2+2, 8+3
		{"for down", []Stmt{set(ref(y), num(0)), loop(upto(num(3), num(1), num(-1)), acc)}, with(2, 7), with(2, 7)},      // 3, 8, 17
		{"for by 2", []Stmt{set(ref(y), num(0)), loop(upto(num(1), num(4), num(2)), acc)}, with(2, 5), with(2, 5)},       // 1, 5
		{"for down by 2", []Stmt{set(ref(y), num(0)), loop(upto(num(4), num(1), num(-2)), acc)}, with(2, 0), with(2, 0)}, // 4, 10
		{"for empty", []Stmt{loop(upto(num(2), num(1), nil), acc)}, s0, s0},
		{"for bounds evaluated once", []Stmt{set(ref(y), num(1)), loop(upto(ref(y), bin(ref(y), Add, num(2)), nil), acc)}, with(2, 9), with(2, 9)}, // 3, 8, 19
		{"for step 0", []Stmt{loop(upto(num(0), num(1), bin(ref(x), Sub, num(1))), acc)}, nil, nil},
		{"for undefined bound", []Stmt{loop(upto(num(0), ref(u), nil), acc)}, nil, nil},
		{"for index checked", []Stmt{loop(upto(num(0), ref(y), nil), &Reset{X: at(ref(r), ref(i))})}, nil, nil},
		{"for index", []Stmt{loop(upto(num(0), ref(x), nil), &Reset{X: at(ref(r), ref(i))})}, with(7, undef, 8, undef, 10, undef), with(7, undef, 8, undef, 10, undef)},
		{"for assigns out of range", []Stmt{loop(upto(num(2), num(4), nil), set(ref(x), ref(i)))}, nil, nil},
		{"if", []Stmt{&If{Clauses: []Clause{{bin(ref(x), Eq, num(2)), []Stmt{set(ref(x), num(0))}}, {ref(b), []Stmt{set(ref(x), num(2))}}, {ref(c), nil}}, Else: []Stmt{set(ref(x), num(3))}}}, with(0, 2), with(0, 2)},
		{"else", []Stmt{&If{Clauses: []Clause{{bin(ref(x), Eq, num(2)), nil}}, Else: []Stmt{set(ref(x), num(3))}}}, with(0, 3), with(0, 3)},
		{"if undefined", []Stmt{&If{Clauses: []Clause{{ref(c), nil}}}}, nil, nil},
		{"switch", []Stmt{NewSwitch(ref(x), [][]Expr{{num(0), num(1)}, {num(1)}}, [][]Stmt{{set(ref(x), num(2))}, {set(ref(x), num(3))}}, nil, Pos{})}, with(0, 2), with(0, 2)},
		{"switch stops before an error", []Stmt{NewSwitch(ref(x), [][]Expr{{num(1), ref(u)}}, [][]Stmt{{set(ref(x), num(2))}}, nil, Pos{})}, with(0, 2), with(0, 2)},
		{"switch errs", []Stmt{NewSwitch(ref(x), [][]Expr{{ref(u), num(1)}}, [][]Stmt{nil}, nil, Pos{})}, nil, nil},
		{"switch else", []Stmt{NewSwitch(ref(x), [][]Expr{{num(0)}}, [][]Stmt{nil}, []Stmt{set(ref(x), num(3))}, Pos{})}, with(0, 3), with(0, 3)},
		{"switch undefined", []Stmt{NewSwitch(ref(u), nil, nil, nil, Pos{})}, nil, nil},
		{"put text", []Stmt{&Put{Text: "hello"}}, s0, s0},
		{"put undefined", []Stmt{&Put{X: ref(u)}}, s0, s0},
		{"put record", []Stmt{&Put{X: at(ref(r), ref(x))}}, s0, s0},
		{"put bad index", []Stmt{&Put{X: at(ref(r), ref(u))}}, nil, nil},
		{"put expression of undefined", []Stmt{&Put{X: bin(ref(u), Add, num(1))}}, nil, nil},
	} {
		for d := CMurphi; d <= Rumur; d++ {
			want := tc.cm
			if d == Rumur {
				want = tc.r
			}
			got, v := run(t, d, []*Var{x, u, y, b, p, q, c, r}, s0, []*Var{l, la}, tc.body...)
			if (v == nil) != (want != nil) || !slices.Equal(got, want) {
				t.Errorf("%s: %v: got %v, %v; want %v", tc.name, d, got, v, want)
			}
			if v != nil && (v.Prop != 0 || v.InGuard || v.Message == "") {
				t.Errorf("%s: %v: violation %+v", tc.name, d, v)
			}
		}
	}
}

// TestAsserts checks which property a body violates, and that the first error wins.
func TestAsserts(t *testing.T) {
	x := stateVar("x", rangeType(0, 3))
	fail := &Assert{Cond: bin(ref(x), Gt, num(1)), Message: "small", Prop: 1}
	stop := &Assert{Message: "stop", Prop: 2}
	bad := set(ref(x), num(9))
	for _, tc := range []struct {
		body []Stmt
		prop int // -1: none
		msg  string
	}{
		{[]Stmt{fail, stop, bad}, 1, "small"},
		{[]Stmt{stop, fail}, 2, "stop"},
		{[]Stmt{bad, fail}, 0, "value 9 assigned to x is outside 0..3"},
		{[]Stmt{set(ref(x), num(2)), fail, stop}, 2, "stop"},
		{[]Stmt{set(ref(x), num(2)), fail}, -1, ""},
		{[]Stmt{&Reset{X: ref(x)}, fail}, 0, "x is undefined"},
	} {
		_, v := run(t, CMurphi, []*Var{x}, State{1}, nil, tc.body...)
		if tc.prop < 0 {
			if v != nil {
				t.Errorf("%v", v)
			}
		} else if v == nil || v.Prop != tc.prop || v.Message != tc.msg || v.InGuard {
			t.Errorf("got %+v, want property %d, %q", v, tc.prop, tc.msg)
		}
	}
}
