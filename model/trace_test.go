package model_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	. "orbitmc/model"
	"orbitmc/model/traces"
)

// lockModel is a lock over a scalarset of n processes: a process tries, takes
// the lock when it is free, and releases it. With bug, release forgets nothing
// but a second process may also take a lock held by its neighbour pointer last.
//
//	var pc: array[P] of enum{idle, try, crit}; owner: P; last: P; n: 0..n
func lockModel(n int64, bug bool) *Model {
	m := newModel()
	P := newScalarset(m, "P", n)
	pcT := enumType("PC", "idle", "try", "crit")
	pc, owner, last := stateVar("pc", arrayType(P, pcT)), stateVar("owner", P), stateVar("last", P)
	count := stateVar("count", rangeType(0, n))
	props := m.Props
	*m = Model{Types: []*Type{P, pcT}, Scalarsets: m.Scalarsets, Vars: newModel(pc, owner, last, count).Vars}
	i, j := boundVar("i", P), boundVar("j", P)
	loop := &For{Var: i, Domain: Domain{Type: P}, Body: []Stmt{set(at(ref(pc), ref(i)), member(pcT, 0))}}
	addStart(m, loop, set(ref(count), num(0)))
	pcIs := func(v *Var, k int64) Expr {
		return bin(at(ref(pc), ref(v)), Eq, member(pcT, k))
	}
	addRule(m, "try", pcIs(i, 0), set(at(ref(pc), ref(i)), member(pcT, 1))).Params = []*Param{param(i)}
	free := isUndef(ref(owner))
	if bug {
		free = bin(free, Or, bin(bin(not(isUndef(ref(last))), And, bin(ref(owner), Eq, ref(last))), And, bin(ref(last), Ne, ref(i))))
	}
	addRule(m, "take", bin(pcIs(i, 1), And, free),
		set(at(ref(pc), ref(i)), member(pcT, 2)), set(ref(owner), ref(i)), set(ref(count), bin(ref(count), Add, num(1)))).Params = []*Param{param(i)}
	addRule(m, "release", pcIs(i, 2),
		set(at(ref(pc), ref(i)), member(pcT, 0)), &Reset{X: ref(owner)}, set(ref(last), ref(i)), set(ref(count), bin(ref(count), Sub, num(1)))).Params = []*Param{param(i)}
	both := bin(pcIs(i, 2), And, pcIs(j, 2))
	addProp(m, &Property{Name: "mutex", Kind: Invariant, Params: []*Param{param(i), param(j)},
		Expr: bin(bin(ref(i), Ne, ref(j)), Implies, not(both))})
	addProp(m, props[0])
	addProp(m, &Property{Name: "deadlock", Kind: Deadlock})
	return m
}

// fire extends t by an instance and returns the step's violation.
func fireNext(t *Trace, tt *testing.T, m *Machine, rule int, params ...int64) *Violation {
	tt.Helper()
	ch := Choice{rule, params}
	next, enabled, v := m.Fire(t.End(), ch)
	if !enabled && v == nil {
		tt.Fatalf("%v is disabled", m.Of().FormatChoice(ch))
	}
	t.Steps = append(t.Steps, TraceStep{ch, next})
	return v
}

// then appends a step without a state.
func then(t *Trace, ch Choice) *Trace {
	t.Steps = append(t.Steps, TraceStep{ch, nil})
	return t
}

// mutexTrace is the counterexample to mutex: process 2 takes and releases the
// lock and takes it again, then 1 takes it as well.
func mutexTrace(t *testing.T, p *Program) *Trace {
	m := p.NewMachine()
	tr := &Trace{}
	tr.StartState, _ = m.Start(Choice{})
	fireNext(tr, t, m, 0, 2)
	fireNext(tr, t, m, 1, 2)
	fireNext(tr, t, m, 2, 2)
	fireNext(tr, t, m, 0, 2)
	fireNext(tr, t, m, 0, 1)
	fireNext(tr, t, m, 1, 2)
	fireNext(tr, t, m, 1, 1)
	tr.Violation = m.Violated(tr.End(), 0)
	return tr
}

func TestReplay(t *testing.T) {
	p := Compile(lockModel(3, true))
	ok := mutexTrace(t, p)
	if err := traces.Replay(p, ok); err != nil {
		t.Fatal(err)
	}
	if d := ok.Depth(p.Model); d != 7 {
		t.Errorf("depth %d, want 7", d)
	}
	other := func(s State) State {
		s = slices.Clone(s)
		s[0] = (s[0] + 1) % 3
		return s
	}
	for _, tc := range []struct {
		change func(t *Trace)
		err    string
	}{
		{func(t *Trace) { t.Prop = 1 }, "end: property runtime-error is not violated"},
		{func(t *Trace) { t.Prop, t.Violation = 2, nil }, "end: property deadlock is not violated"},
		{func(t *Trace) { t.Prop = 3 }, "there is no property 3"},
		{func(t *Trace) { t.Steps = t.Steps[:6] }, "end: property mutex is not violated"},
		{func(t *Trace) { t.Start.Rule = 1 }, "start: no such start state"},
		{func(t *Trace) { t.StartState = other(t.StartState) }, "start: leads to another state"},
		{func(t *Trace) { t.StartState = nil }, "start: should err"},
		{func(t *Trace) { t.Steps[2].State = other(t.Steps[2].State) }, "step 3: leads to another state"},
		{func(t *Trace) { t.Steps[6].State = nil }, "step 7: should err"},
		{func(t *Trace) { t.Steps[6].State = t.Steps[6].State[1:] }, "step 7: leads to another state"},
		{func(t *Trace) { t.Steps[3].Rule = 2 }, `step 4: rule "release" (i=P_3) is disabled`},
		{func(t *Trace) { t.Steps[3].Rule = 3 }, "step 4: no such rule"},
		{func(t *Trace) { t.Steps[3].Params = []int64{3} }, "step 4: no such rule"},
		{func(t *Trace) { t.Steps[3].Params = nil }, "step 4: no such rule"},
		{func(t *Trace) { t.Violation = &Violation{Prop: 0, InGuard: true} }, "not the one claimed"},
	} {
		bad := *ok
		bad.Steps = slices.Clone(ok.Steps)
		tc.change(&bad)
		if err := traces.Replay(p, &bad); err == nil || !strings.Contains(err.Error(), tc.err) {
			t.Errorf("got %v, want an error with %q", err, tc.err)
		}
	}
}

// TestErrorTraces replays traces that end in an error, in a deadlock, or in an
// invariant that errs, and checks their depths.
func TestErrorTraces(t *testing.T) {
	x, y := stateVar("x", rangeType(0, 3)), stateVar("y", rangeType(0, 3))
	m := newModel(x, y)
	boom := addProp(m, &Property{Name: "boom", Kind: ErrorStmt})
	inv := addProp(m, &Property{Name: "inv", Kind: Invariant, Expr: bin(bin(ref(x), Ne, num(3)), Or, bin(ref(y), Eq, num(0)))})
	dead := addProp(m, &Property{Name: "deadlock", Kind: Deadlock})
	addStart(m, set(ref(x), num(0)))
	addStart(m, set(ref(x), num(4)))
	addRule(m, "inc", bin(ref(x), Lt, num(3)), set(ref(x), bin(ref(x), Add, num(1))))
	addRule(m, "boom", bin(ref(x), Eq, num(2)), &Assert{Message: "boom", Prop: boom})
	addRule(m, "guard", bin(bin(ref(x), Eq, num(1)), And, bin(ref(y), Eq, num(0))))
	inc, guard := Choice{Rule: 0}, Choice{Rule: 2}
	for d := CMurphi; d <= Rumur; d++ {
		m.Dialect = d
		p := Compile(m)
		mach := p.NewMachine()
		build := func(prop int, v *Violation, chs ...Choice) *Trace {
			tr := &Trace{Prop: prop, Violation: v}
			tr.StartState, _ = mach.Start(Choice{})
			for _, ch := range chs {
				fireNext(tr, t, mach, ch.Rule)
			}
			return tr
		}
		guardDepth := 1
		if d == Rumur {
			guardDepth = 2
		}
		for _, tc := range []struct {
			name  string
			t     *Trace
			depth int
			err   string
		}{
			{"start", &Trace{Start: Choice{Rule: 1}, Violation: &Violation{}}, 0, ""},
			{"start ok", build(0, nil), 0, "not violated"},
			{"error", build(boom, &Violation{Prop: boom}, inc, inc, Choice{Rule: 1}), 3, ""},
			{"error, other property", build(0, nil, inc, inc, Choice{Rule: 1}), 3, "another property"},
			{"error before the end", then(build(boom, &Violation{Prop: boom}, inc, inc, Choice{Rule: 1}), Choice{Rule: 1}), 4, "before the last step"},
			{"guard", build(0, &Violation{InGuard: true}, inc, guard), guardDepth, ""},
			{"guard not said", build(0, nil, inc, guard), 2, "in a guard"},
			{"invariant errs", build(0, nil, inc, inc, inc), 3, ""},
			{"invariant that errs", build(inv, nil, inc, inc, inc), 3, ""},
			{"invariant that holds", build(inv, nil, inc, inc), 2, "not violated"},
			{"deadlock", build(dead, nil, inc, inc, inc), 3, ""},
			{"no deadlock", build(dead, nil, inc, inc), 2, "not violated"},
		} {
			err := traces.Replay(p, tc.t)
			if tc.err == "" && err != nil || tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)) {
				t.Errorf("%v: %s: %v", d, tc.name, err)
			}
			if got := tc.t.Depth(m); got != tc.depth {
				t.Errorf("%v: %s: depth %d, want %d", d, tc.name, got, tc.depth)
			}
		}
	}
	m.Deadlock = Stuck
	if !Compile(m).NewMachine().Deadlocked(State{3, Undef}) {
		t.Error("a state without enabled instances is not stuck")
	}
}

func TestWriteTrace(t *testing.T) {
	p := Compile(lockModel(3, true))
	tr := mutexTrace(t, p)
	for style, want := range map[traces.Style]string{
		traces.Plain: `startstate "init"
  pc[P_1..P_3] = idle
  owner = Undefined
  last = Undefined
  count = 0
step 1: rule "try" (i=P_3)
  pc[P_3]: idle -> try
step 2: rule "take" (i=P_3)
  pc[P_3]: try -> crit
  owner: Undefined -> P_3
  count: 0 -> 1
step 3: rule "release" (i=P_3)
  pc[P_3]: crit -> idle
  owner: P_3 -> Undefined
  last: Undefined -> P_3
  count: 1 -> 0
step 4: rule "try" (i=P_3)
  pc[P_3]: idle -> try
step 5: rule "try" (i=P_2)
  pc[P_2]: idle -> try
step 6: rule "take" (i=P_3)
  pc[P_3]: try -> crit
  owner: Undefined -> P_3
  count: 0 -> 1
step 7: rule "take" (i=P_2)
  pc[P_2]: try -> crit
  owner: P_3 -> P_2
  count: 1 -> 2
violated: invariant "mutex"
`,
		traces.CMurphiStyle: "The following is the error trace for the error:\n\n\tInvariant \"mutex\" failed.\n\n" + `Startstate init fired.
pc[P_1]:idle
pc[P_2]:idle
pc[P_3]:idle
owner:Undefined
last:Undefined
count:0
----------

Rule try, i:P_3 fired.
pc[P_3]:try
----------

Rule take, i:P_3 fired.
pc[P_3]:crit
owner:P_3
count:1
----------

Rule release, i:P_3 fired.
pc[P_3]:idle
owner:Undefined
last:P_3
count:0
----------

Rule try, i:P_3 fired.
pc[P_3]:try
----------

Rule try, i:P_2 fired.
pc[P_2]:try
----------

Rule take, i:P_3 fired.
pc[P_3]:crit
owner:P_3
count:1
----------

Rule take, i:P_2 fired.
The last state of the trace (in full) is:
pc[P_1]:idle
pc[P_2]:crit
pc[P_3]:crit
owner:P_2
last:P_3
count:2
----------

End of the error trace.
`,
		traces.RumurStyle: "The following is the error trace for the error:\n\n\tinvariant \"mutex\" failed\n\n" + `Startstate "init" fired.
pc[P_0]:idle
pc[P_1]:idle
pc[P_2]:idle
owner:Undefined
last:Undefined
count:0
----------

Rule "try", i: P_2 fired.
pc[P_2]:try
----------

Rule "take", i: P_2 fired.
pc[P_2]:crit
owner:P_2
count:1
----------

Rule "release", i: P_2 fired.
pc[P_2]:idle
owner:Undefined
last:P_2
count:0
----------

Rule "try", i: P_2 fired.
pc[P_2]:try
----------

Rule "try", i: P_1 fired.
pc[P_1]:try
----------

Rule "take", i: P_2 fired.
pc[P_2]:crit
owner:P_2
count:1
----------

Rule "take", i: P_1 fired.
pc[P_1]:crit
owner:P_1
count:2
----------

End of the error trace.
`,
	} {
		var b strings.Builder
		if err := traces.Write(&b, p.Model, tr, style); err != nil {
			t.Fatal(err)
		}
		if b.String() != want {
			t.Errorf("style %d: got\n%s", style, b.String())
		}
	}
}

func TestRenumberActors(t *testing.T) {
	p := Compile(lockModel(4, true))
	tr := mutexTrace(t, p)
	params := func(t *Trace) (ps []int64) {
		for _, s := range t.Steps {
			ps = append(ps, s.Params...)
		}
		return ps
	}
	for _, tc := range []struct {
		blocks [][][]int
		want   []int64
	}{
		{[][][]int{{{0, 1, 2, 3}}}, []int64{0, 0, 0, 0, 1, 0, 1}},
		{[][][]int{{{3, 2, 1}}}, []int64{1, 1, 1, 1, 2, 1, 2}},
		{[][][]int{{{0, 2}, {1, 3}}}, []int64{0, 0, 0, 0, 1, 0, 1}},
		{[][][]int{{{2, 3}}}, []int64{2, 2, 2, 2, 1, 2, 1}},
		{nil, []int64{2, 2, 2, 2, 1, 2, 1}},
	} {
		u, err := traces.RenumberActors(p, tr, tc.blocks)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(params(u), tc.want) {
			t.Errorf("blocks %v: %v, want %v", tc.blocks, params(u), tc.want)
		}
		if err := traces.Replay(p, u); err != nil {
			t.Error(err)
		}
	}
	// A model that singles out a value: the symmetry is not real.
	m := lockModel(3, true)
	m.Rules[1].Body = append(m.Rules[1].Body, &If{Clauses: []Clause{{bin(ref(m.Rules[1].Params[0].Var), Eq, member(m.Scalarsets[0], 2)), []Stmt{set(ref(m.Vars[3]), num(3))}}}})
	q := Compile(m)
	mach := q.NewMachine()
	bad := &Trace{}
	bad.StartState, _ = mach.Start(Choice{})
	fireNext(bad, t, mach, 0, 2)
	fireNext(bad, t, mach, 0, 1)
	fireNext(bad, t, mach, 1, 2)
	if _, err := traces.RenumberActors(q, bad, [][][]int{{{0, 1, 2}}}); err == nil {
		t.Error("renumbering by a symmetry that is not real was accepted")
	}
}

// TestApplyPerm checks that permutations act as a group, and that firing
// commutes with them on a symmetric model.
func TestApplyPerm(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	m := lockModel(4, true)
	p := Compile(m)
	mach := p.NewMachine()
	apply := func(sp ScalarPerm, s State) State {
		dst := make(State, len(s))
		p.ApplyPerm(sp, s, dst)
		return dst
	}
	if got := apply(ScalarPerm{{1, 2, 0, 3}}, State{0, 1, 2, 0, 0, Undef, 2}); !slices.Equal(got, State{2, 0, 1, 0, 1, Undef, 2}) {
		t.Errorf("got %v", got)
	}
	fired := 0
	for range 300 {
		s := randomState(r, m)
		a, b := ScalarPerm{r.Perm(4)}, ScalarPerm{r.Perm(4)}
		ab := ScalarPerm{make([]int, 4)}
		for i := range 4 {
			ab[0][i] = a[0][b[0][i]]
		}
		if !slices.Equal(apply(a, apply(b, s)), apply(ab, s)) {
			t.Fatalf("not a group action: %v %v %v", a, b, s)
		}
		packer := NewPacker(m)
		packed, image := packer.Pack(nil, s), make([]byte, packer.Size()+PackedPad)
		q, err := p.NewPackedPerm(packer, a)
		if err != nil {
			t.Fatal(err)
		}
		q.Apply(append(packed, make([]byte, PackedPad)...), image)
		if want := packer.Pack(nil, apply(a, s)); !slices.Equal(image[:packer.Size()], want) {
			t.Fatalf("%v of %v packed: %v, want %v", a, s, image, want)
		}
		if !slices.Equal(apply(ScalarPerm{nil}, s), s) {
			t.Fatal("nil is not the identity")
		}
		for rule := range m.Rules {
			ch := Choice{rule, []int64{r.Int64N(4)}}
			next, enabled, v := mach.Fire(s, ch)
			next2, enabled2, v2 := mach.Fire(apply(a, s), p.PermChoice(a, ch))
			if enabled != enabled2 || (v == nil) != (v2 == nil) || next != nil && !slices.Equal(apply(a, next), next2) {
				t.Fatalf("firing does not commute: %v %v %v", s, ch, a)
			}
			if next != nil {
				fired++
			}
		}
	}
	if fired < 100 {
		t.Errorf("only %d fired", fired)
	}
}
