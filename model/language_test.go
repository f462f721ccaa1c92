package model_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	. "orbitmc/model"
)

// fixture has variables of all simple kinds, defined and not, and procedures to
// pass them to.
//
//	x: 0..3 = 1, y: 0..3 undefined, w: 0..9 = 7, wu: 0..9 undefined, b: boolean undefined,
//	e: E = B, eu: E undefined, p: P = P_2, pu: P undefined, u: union {E, P} = P_1, uu undefined
//	bag: multiset [2] of 0..3 = {2}, eset: multiset [1] of E, rec: record y: 0..3; b: boolean end
type fixture struct {
	m                                           *Model
	n, wide, e, p, u                            *Type
	x, y, w, wu, b, ev, eu, pv, pu, uv, uu, rec *Var
	bag, eset                                   *Var
	slot, eslot                                 *Type
}

func newFixture(d Dialect) (*fixture, State) {
	f := &fixture{n: rangeType(0, 3), wide: rangeType(0, 9), e: enumType("E", "A", "B")}
	m := &Model{Dialect: d}
	f.p = newScalarset(m, "P", 2)
	f.u = &Type{Kind: Union, Parts: []*Type{f.e, f.p}, Hi: 3, Leaves: 1}
	bag, eset := multisetType(m, 2, f.n), multisetType(m, 1, f.e)
	f.slot, f.eslot = bag.Index, eset.Index
	f.x, f.y, f.w, f.wu, f.b = stateVar("x", f.n), stateVar("y", f.n), stateVar("w", f.wide), stateVar("wu", f.wide), stateVar("b", BoolType)
	f.ev, f.eu, f.pv, f.pu, f.uv, f.uu = stateVar("e", f.e), stateVar("eu", f.e), stateVar("p", f.p), stateVar("pu", f.p), stateVar("u", f.u), stateVar("uu", f.u)
	f.bag, f.eset = stateVar("bag", bag), stateVar("eset", eset)
	f.rec = stateVar("rec", recordType(Field{Name: "y", Type: f.n}, Field{Name: "e", Type: f.e}))
	vars := newModel(f.x, f.y, f.w, f.wu, f.b, f.ev, f.eu, f.pv, f.pu, f.uv, f.uu, f.bag, f.eset, f.rec)
	m.Vars, m.Props = vars.Vars, vars.Props
	f.m = m
	return f, State{1, Undef, 7, Undef, Undef, 1, Undef, 1, Undef, 2, Undef, 1, 2, Undef, Undef, Undef, Undef, Undef, Undef}
}

func (f *fixture) proc(body []Stmt, result *Type, params ...*Formal) *Proc {
	p := &Proc{Name: fmt.Sprint("f", len(f.m.Procs)), Index: len(f.m.Procs), Body: body, Result: result, Params: params}
	f.m.Procs = append(f.m.Procs, p)
	return p
}

// takes returns a procedure with one value parameter that it does not read.
func (f *fixture) takes(t *Type) *Proc {
	return f.proc(nil, nil, &Formal{Var: localVar("a", t)})
}

// gives returns a function that returns x.
func (f *fixture) gives(t *Type, x Expr) *Proc {
	return f.proc([]Stmt{&Return{X: x}}, t)
}

func call(p *Proc, args ...Expr) Expr { return &CallExpr{Proc: p, Args: args} }
func do(p *Proc, args ...Expr) Stmt   { return &Call{Proc: p, Args: args} }
func to(t *Type, x Expr) Expr         { return &Convert{X: x, To: t} }
func when(c Expr, body ...Stmt) Stmt  { return &If{Clauses: []Clause{{c, body}}} }
func insert(s *Var, x Expr) Stmt      { return &Insert{Set: ref(s), X: x} }
func elem(s *Var, t *Type, k int64) *IndexSel {
	return &IndexSel{X: ref(s), Index: member(t, k)}
}

// TestDialects pins what each dialect makes of undefined values and values out
// of range: ok, or an error, and what its message must contain.
func TestDialects(t *testing.T) {
	type body func(f *fixture) []Stmt
	one := func(g func(f *fixture) Stmt) body { return func(f *fixture) []Stmt { return []Stmt{g(f)} } }
	const byRumur, byCMurphi = "(accepted by --dialect rumur)", "(accepted by --dialect cmurphi)"
	for _, tc := range []struct {
		name      string
		body      body
		cm, rumur string // part of the message; "" if there is no error
	}{
		{"argument of the type", one(func(f *fixture) Stmt { return do(f.takes(f.n), ref(f.y)) }), "", ""},
		{"argument that is a field", one(func(f *fixture) Stmt { return do(f.takes(f.n), field(ref(f.rec), 0)) }), "", ""},
		{"argument of another range", one(func(f *fixture) Stmt { return do(f.takes(f.n), ref(f.wu)) }), "wu is undefined " + byRumur, ""},
		{"argument out of range", one(func(f *fixture) Stmt { return do(f.takes(f.n), ref(f.w)) }), "value 7 of parameter a is outside 0..3", "value 7 of parameter a"},
		{"argument that is an expression", one(func(f *fixture) Stmt { return do(f.takes(f.n), bin(ref(f.y), Add, num(0))) }), "y is undefined", "y is undefined"},
		{"scalarset to a union", one(func(f *fixture) Stmt { return do(f.takes(f.u), to(f.u, ref(f.pu))) }), "", ""},
		{"enum to a union", one(func(f *fixture) Stmt { return do(f.takes(f.u), to(f.u, ref(f.eu))) }), "eu is undefined " + byRumur, ""},
		{"union to an enum", one(func(f *fixture) Stmt { return do(f.takes(f.e), to(f.e, ref(f.uu))) }), "uu is undefined " + byRumur, ""},
		{"union to a scalarset", one(func(f *fixture) Stmt { return do(f.takes(f.p), to(f.p, ref(f.uu))) }), "", ""},
		{"union holds no enum", one(func(f *fixture) Stmt { return set(ref(f.ev), to(f.e, ref(f.uv))) }), "P_1 is no value of E", "P_1 is no value of E"},
		{"union holds the scalarset", one(func(f *fixture) Stmt { return set(ref(f.pv), to(f.p, ref(f.uv))) }), "", ""},
		{"return of an enum", one(func(f *fixture) Stmt { return set(ref(f.ev), call(f.gives(f.e, ref(f.eu)))) }), "", "eu is undefined " + byCMurphi},
		{"return of a range", one(func(f *fixture) Stmt { return set(ref(f.x), call(f.gives(f.n, ref(f.y)))) }), "y is undefined", "y is undefined"},
		{"return of a boolean", one(func(f *fixture) Stmt { return do(f.gives(BoolType, ref(f.b))) }), "b is undefined", "b is undefined"},
		{"return out of range", one(func(f *fixture) Stmt { return set(ref(f.w), call(f.gives(f.n, ref(f.w)))) }), "value 7 returned by f0 is outside 0..3", ""},
		{"no return", one(func(f *fixture) Stmt { return do(f.proc(nil, f.n)) }), "the end of function f0 was reached", "the end of function f0 was reached"},
		{"assignment of a variable", one(func(f *fixture) Stmt { return set(ref(f.x), ref(f.y)) }), "", "y is undefined " + byCMurphi},
		{"assignment of a field", one(func(f *fixture) Stmt { return set(ref(f.x), field(ref(f.rec), 0)) }), "rec.y is undefined", "rec.y is undefined"},
		{"assignment of an enum field", one(func(f *fixture) Stmt { return set(ref(f.ev), field(ref(f.rec), 1)) }), "", "rec.e is undefined " + byCMurphi},
		{"assignment of an enum field to a union", one(func(f *fixture) Stmt { return set(ref(f.uv), to(f.u, field(ref(f.rec), 1))) }), "rec.e is undefined", "rec.e is undefined"},
		{"assignment of an enum to a union", one(func(f *fixture) Stmt { return set(ref(f.uv), to(f.u, ref(f.eu))) }), "", "eu is undefined " + byCMurphi},
		{"assignment of a union to an enum", one(func(f *fixture) Stmt { return set(ref(f.ev), to(f.e, ref(f.uu))) }), "", "uu is undefined " + byCMurphi},
		{"comparison of a scalarset", one(func(f *fixture) Stmt { return when(bin(ref(f.pu), Eq, ref(f.pv))) }), "", "pu is undefined " + byCMurphi},
		{"comparison of an enum as union", one(func(f *fixture) Stmt { return when(bin(ref(f.uv), Eq, to(f.u, ref(f.eu)))) }), "eu is undefined", "eu is undefined"},
		{"comparison with a constant of a union", one(func(f *fixture) Stmt { return when(bin(ref(f.uu), Eq, to(f.u, member(f.e, 0)))) }), "", "uu is undefined " + byCMurphi},
		{"comparison of a scalarset as union", one(func(f *fixture) Stmt { return when(bin(ref(f.uv), Ne, to(f.u, ref(f.pu))), set(ref(f.x), num(1))) }), "", "pu is undefined " + byCMurphi},
		{"switch on a scalarset", one(func(f *fixture) Stmt { return NewSwitch(ref(f.pu), nil, nil, nil, Pos{}) }), "", "pu is undefined " + byCMurphi},
		{"switch on an enum", one(func(f *fixture) Stmt { return NewSwitch(ref(f.eu), nil, nil, nil, Pos{}) }), "eu is undefined", "eu is undefined"},
		{"switch on a call", one(func(f *fixture) Stmt { return NewSwitch(call(f.gives(f.n, ref(f.w))), nil, nil, nil, Pos{}) }), "value 7 returned by f0 is outside 0..3", ""},
		{"switch on an enum as union, a case that calls", one(func(f *fixture) Stmt {
			return NewSwitch(to(f.u, ref(f.eu)), [][]Expr{{call(f.gives(f.u, ref(f.uv)))}}, [][]Stmt{nil}, nil, Pos{})
		}), "switched is undefined", "eu is undefined " + byCMurphi},
		{"ismember of a union", one(func(f *fixture) Stmt { return when(&IsMember{X: ref(f.uu), T: f.p}, &Assert{Prop: 0}) }), "", "uu is undefined " + byCMurphi},
		{"ismember of an enum", one(func(f *fixture) Stmt { return when(&IsMember{X: ref(f.eu), T: f.e}) }), "eu is undefined", "eu is undefined"},
		{"insertion of a range", one(func(f *fixture) Stmt { return insert(f.bag, ref(f.y)) }), "y is undefined", "y is undefined"},
		{"insertion of an enum", one(func(f *fixture) Stmt { return insert(f.eset, ref(f.eu)) }), "", "eu is undefined " + byCMurphi},
		{"insertion out of range", one(func(f *fixture) Stmt { return insert(f.bag, ref(f.w)) }), "element 7 of a multiset is outside 0..3", "element 7"},
		{"insertion into a full multiset", func(f *fixture) []Stmt { return []Stmt{insert(f.bag, num(1)), insert(f.bag, num(1))} }, "more than 2 elements", "more than 2 elements"},
		{"free slot read", one(func(f *fixture) Stmt { return set(ref(f.x), elem(f.bag, f.slot, 1)) }), "slot 1 of bag{…} holds no element", "slot 1 of bag{…} holds no element"},
		{"free slot removed", one(func(f *fixture) Stmt { return &Remove{elem(f.bag, f.slot, 1), Pos{}} }), "slot 1 of bag{…} holds no element", "slot 1"},
		{"free slot tested", one(func(f *fixture) Stmt { return when(isUndef(elem(f.bag, f.slot, 1))) }), "slot 1", "slot 1"},
		{"alias of an undefined place", one(func(f *fixture) Stmt { return &Alias{Var: &Var{Name: "r", Kind: RefVar, Type: f.n}, X: ref(f.y)} }), "", ""},
		{"alias of an undefined value", one(func(f *fixture) Stmt {
			return &Alias{Var: localVar("r", IntType), X: bin(ref(f.y), Add, num(1))}
		}), "y is undefined", "y is undefined"},
		{"loop towards", one(func(f *fixture) Stmt {
			return &For{Var: boundVar("i", IntType), Domain: upto(ref(f.x), num(0), nil), Body: []Stmt{set(ref(f.y), ref(f.w))}}
		}), "", "value 7 assigned to y"},
		{"loop away", one(func(f *fixture) Stmt {
			return &For{Var: boundVar("i", IntType), Domain: upto(ref(f.x), num(3), num(-1))}
		}), "", "step of -1 leads away from 3"},
	} {
		for d := CMurphi; d <= Rumur; d++ {
			f, s := newFixture(d)
			addRule(f.m, "r", nil, tc.body(f)...)
			_, enabled, v := Compile(f.m).NewMachine().Fire(s, Choice{})
			want, got := []string{tc.cm, tc.rumur}[d], ""
			if v != nil {
				got = v.Message
			}
			if !enabled || (want == "") != (v == nil) || !strings.Contains(got, want) || strings.Contains(got, "accepted") != strings.Contains(want, "accepted") {
				t.Errorf("%v: %s: got %q, want %q", d, tc.name, got, want)
			}
		}
	}
}

// TestCalls pins results: of recursion and its limit, of var parameters that are
// one place, of arguments that call the callee, of records by value.
func TestCalls(t *testing.T) {
	f, s := newFixture(CMurphi)
	a := localVar("a", f.wide)
	// sum(a) = a + sum(a-1)
	sum := f.proc(nil, f.wide, &Formal{Var: a})
	sum.Body = []Stmt{when(bin(ref(a), Eq, num(0)), &Return{X: num(0)}), &Return{X: bin(ref(a), Add, call(sum, bin(ref(a), Sub, num(1))))}}
	// down(var a, n) decrements a until it is 0 and returns how deep that was, plus n
	va, n := &Var{Name: "a", Kind: RefVar, Type: f.wide}, localVar("n", f.wide)
	down := f.proc(nil, f.wide, &Formal{Var: va, ByRef: true}, &Formal{Var: n})
	down.Body = []Stmt{
		when(bin(ref(va), Eq, num(0)), &Return{X: ref(n)}),
		set(ref(va), bin(ref(va), Sub, num(1))),
		&Return{X: call(down, ref(va), bin(ref(n), Add, num(1)))},
	}
	// forever(a) calls itself at the same depth twice
	va2 := localVar("a", f.wide)
	forever := f.proc(nil, nil, &Formal{Var: va2})
	forever.Body = []Stmt{do(forever, ref(va2)), do(forever, ref(va2))}
	// both(var a, var b): a := 1; b := b + 1
	v1, v2 := &Var{Name: "a", Kind: RefVar, Type: f.wide}, &Var{Name: "b", Kind: RefVar, Type: f.wide}
	both := f.proc([]Stmt{set(ref(v1), num(1)), set(ref(v2), bin(ref(v2), Add, num(1)))}, nil, &Formal{v1, true}, &Formal{v2, true})
	// sub(a, b) = a - b
	sa, sb := localVar("a", f.wide), localVar("b", f.wide)
	sub := f.proc([]Stmt{&Return{X: bin(ref(sa), Sub, ref(sb))}}, f.wide, &Formal{Var: sa}, &Formal{Var: sb})
	// twice(r): record r by value, changes it and the original, returns it
	r := localVar("r", f.rec.Type)
	twice := f.proc([]Stmt{
		set(field(ref(f.rec), 0), num(3)), set(field(ref(r), 1), member(f.e, 1)), &Return{X: ref(r)},
	}, f.rec.Type, &Formal{Var: r})
	// bump(): w := w + 1, returns it; choose makes a switch that sets x to 0, 2 or 3
	bump := f.proc([]Stmt{set(ref(f.w), bin(ref(f.w), Add, num(1))), &Return{X: ref(f.w)}}, f.wide)
	choose := func(x, a, b Expr) []Stmt {
		return []Stmt{NewSwitch(x, [][]Expr{{a}, {b}}, [][]Stmt{{set(ref(f.x), num(0))}, {set(ref(f.x), num(2))}}, []Stmt{set(ref(f.x), num(3))}, Pos{})}
	}
	i := boundVar("i", IntType)
	// first(): the first number whose square is above 5
	first := f.proc([]Stmt{&For{Var: i, Domain: upto(num(0), num(9), nil), Body: []Stmt{
		&While{Cond: bin(bin(ref(i), Mul, ref(i)), Gt, num(5)), Body: []Stmt{when(boolean(true), &Return{X: ref(i)})}},
	}}}, f.wide)
	for _, tc := range []struct {
		name string
		body []Stmt
		at   int
		want int64
		err  string
	}{
		{"recursion", []Stmt{set(ref(f.w), call(sum, num(3)))}, 2, 6, ""},
		{"var recursion", []Stmt{set(ref(f.x), num(0)), set(ref(f.w), num(5)), set(ref(f.wu), call(down, ref(f.w), num(2)))}, 3, 7, ""},
		{"var recursion, place", []Stmt{set(ref(f.wu), call(down, ref(f.w), num(1)))}, 2, 0, ""},
		{"endless recursion", []Stmt{do(forever, num(1))}, 0, 0, "recursion deeper than 100 in f2"},
		{"one place twice", []Stmt{do(both, ref(f.w), ref(f.w))}, 2, 2, ""},
		{"two places", []Stmt{set(ref(f.wu), num(4)), do(both, ref(f.w), ref(f.wu))}, 3, 5, ""},
		{"argument calls the callee", []Stmt{set(ref(f.w), call(sub, num(9), call(sub, num(7), num(3))))}, 2, 5, ""},
		{"first argument calls the callee", []Stmt{set(ref(f.w), call(sub, call(sub, num(9), num(1)), num(3)))}, 2, 5, ""},
		{"both arguments call the callee", []Stmt{set(ref(f.w), call(sub, call(sub, num(9), num(1)), call(sub, num(7), num(3))))}, 2, 4, ""},
		{"record by value", []Stmt{set(field(ref(f.rec), 0), num(2)), set(ref(f.rec), call(twice, ref(f.rec)))}, 17, 2, ""},
		{"record result", []Stmt{set(field(ref(f.rec), 0), num(2)), set(ref(f.rec), call(twice, ref(f.rec)))}, 18, 1, ""},
		{"return from loops", []Stmt{set(ref(f.w), call(first))}, 2, 3, ""},
		{"return from a rule", []Stmt{&Return{}, set(ref(f.x), num(0))}, 0, 1, ""},
		{"while", []Stmt{set(ref(f.w), num(0)), &While{Cond: bin(ref(f.w), Lt, num(5)), Body: []Stmt{set(ref(f.w), bin(ref(f.w), Add, num(1)))}}}, 2, 5, ""},
		{"while too long", []Stmt{set(ref(f.w), num(0)), &While{Cond: bin(ref(f.w), Lt, num(6)), Body: []Stmt{set(ref(f.w), bin(ref(f.w), Add, num(1)))}}}, 2, 0, "while statement runs more than 5 times"},
		{"what a switch is on is evaluated once", choose(call(bump), num(7), num(8)), 0, 2, ""},
		{"a case that changes it", choose(ref(f.w), call(bump), num(8)), 0, 3, ""},
		{"clear", []Stmt{&Reset{X: ref(f.ev), Least: true}}, 5, 0, ""},
		{"clear a multiset", []Stmt{&Reset{X: ref(f.bag), Least: true}}, 11, Undef, ""},
		{"sorted slots", []Stmt{insert(f.bag, num(1))}, 12, 1, ""},
		{"sorted slots, second", []Stmt{insert(f.bag, num(1))}, 14, 2, ""},
		{"stale alias", []Stmt{&Alias{Var: &Var{Name: "q", Kind: RefVar, Type: f.n}, X: elem(f.bag, f.slot, 0), Body: []Stmt{&Remove{X: elem(f.bag, f.slot, 0)}}}}, 12, Undef, ""},
	} {
		m := *f.m
		m.LoopMax = 5
		addRule(&m, "r", nil, tc.body...)
		next, _, v := Compile(&m).NewMachine().Fire(s, Choice{})
		switch {
		case v != nil && (tc.err == "" || !strings.Contains(v.Message, tc.err)):
			t.Errorf("%s: %v", tc.name, v)
		case v == nil && (tc.err != "" || next[tc.at] != tc.want):
			t.Errorf("%s: %v", tc.name, next)
		}
	}
}

// TestEffects pins what becomes of what guards, assumptions and properties do to
// the state by calling something, and of memos.
func TestEffects(t *testing.T) {
	f, s := newFixture(Rumur)
	inc := f.proc([]Stmt{set(ref(f.x), bin(ref(f.x), Add, num(1))), &Return{X: boolean(true)}}, BoolType)
	isTwo := f.gives(BoolType, bin(ref(f.x), Eq, num(2)))
	assert := addProp(f.m, &Property{Name: "assert", Kind: Assertion})
	inv := addProp(f.m, &Property{Name: "inv", Kind: Invariant, Expr: bin(bin(not(call(isTwo)), And, call(inc)), And, call(isTwo))})
	addRule(f.m, "effect", bin(bin(not(call(isTwo)), And, call(inc)), And, call(isTwo)), &Assert{Cond: call(isTwo), Prop: assert})
	addRule(f.m, "discarded", bin(call(inc), And, boolean(false)))
	addRule(f.m, "kept", call(isTwo), set(ref(f.x), num(0)), &Assert{Cond: not(call(isTwo)), Prop: assert})
	addRule(f.m, "memo", not(call(isTwo)), set(ref(f.x), num(2)), &Assert{Cond: call(isTwo), Prop: assert})
	f.m.Assumptions = []*Property{{Expr: bin(call(inc), And, bin(ref(f.x), Le, num(3)))}}
	m := Compile(f.m).NewMachine()
	var got []string
	see := func(s State) {
		m.Successors(s, func(ch Choice, next State, v *Violation) bool {
			got = append(got, fmt.Sprint(f.m.Rules[ch.Rule].Name, next[:1], v))
			return true
		})
	}
	see(s)
	two := slices.Clone(s)
	two[0] = 2
	see(two)
	see(s)
	want := "[effect[2] <nil> memo[2] <nil> kept[0] <nil> effect[2] <nil> memo[2] <nil>]"
	if fmt.Sprint(got) != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if v := m.Violated(s, inv); v != nil {
		t.Error(v)
	}
	if v := m.Violated(two, inv); v == nil || s[0] != 1 {
		t.Error("the invariant must be false in the second state")
	}
}
