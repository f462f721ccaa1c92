package model_test

import (
	"slices"
	"strings"
	"testing"

	. "orbitmc/model"
	"orbitmc/model/traces"
)

func plainText(t *testing.T, p *Program, tr *Trace) string {
	t.Helper()
	var b strings.Builder
	if err := traces.Write(&b, p.Model, tr, traces.Plain); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestEqualRows(t *testing.T) {
	p := Compile(lockModel(7, true))
	tr := mutexTrace(t, p) // of P_2 and P_3
	text := plainText(t, p, tr)
	start, _, _ := strings.Cut(text, "step 1")
	if want := `startstate "init"
  pc[P_1..P_7] = idle
  owner = Undefined
  last = Undefined
  count = 0
`; start != want {
		t.Errorf("got\n%s", start)
	}
	got, err := traces.Read(p, "f", []byte(text), false)
	if err != nil || traces.Replay(p, got) != nil || !slices.Equal(got.StartState, tr.StartState) {
		t.Errorf("read back: %v", err)
	}
	for _, tc := range []struct{ old, new, err string }{
		{"P_1..P_7] = idle", "P_1..P_7] = try", "f:2:1: pc[P_1] is idle in the model, not try"},
		{"P_1..P_7]", "P_4..P_8]", "f:2:1: the model has no pc[P_4..P_8]"},
		{"P_1..P_7]", "P_7..P_4]", "f:2:1: the model has no pc[P_7..P_4]"},
		{"P_1..P_7]", "P_0..P_7]", "f:2:1: the model has no pc[P_0..P_7]"},
		{"pc[P_1..P_7]", "cp[P_1..P_7]", "f:2:1: the model has no cp[P_1..P_7]"},
		{"pc[P_1..P_7]", "pc", "f:2:1: the model has no pc"},
		{"P_1..P_7]", "P_2..P_6]", ""}, // as true as the other
	} {
		_, err := traces.Read(p, "f", []byte(strings.Replace(text, tc.old, tc.new, 1)), false)
		if tc.err == "" && err != nil || tc.err != "" && (err == nil || err.Error() != tc.err) {
			t.Errorf("%s for %s: %v", tc.new, tc.old, err)
		}
	}
}

// TestRows is about arrays of two dimensions, records, and rows that differ.
func TestRows(t *testing.T) {
	m := newModel()
	P, Q := newScalarset(m, "P", 6), newScalarset(m, "Q", 2)
	grid := stateVar("grid", arrayType(P, arrayType(P, BoolType)))
	row := stateVar("row", arrayType(Q, arrayType(P, recordType(Field{Name: "a", Type: rangeType(0, 3)}, Field{Name: "b", Type: P}))))
	ptr := stateVar("ptr", P)
	props := m.Props
	*m = Model{Types: []*Type{P, Q}, Scalarsets: m.Scalarsets, Vars: newModel(grid, row, ptr).Vars, Props: props}
	i := boundVar("i", P)
	addStart(m).Params = []*Param{param(i)}
	addRule(m, "up", nil, set(field(at(at(ref(row), member(Q, 0)), ref(i)), 0), num(1))).Params = []*Param{param(i)}
	addRule(m, "point", nil, set(ref(ptr), member(P, 5)))
	inv := addProp(m, &Property{Name: "inv", Kind: Invariant, Expr: isUndef(ref(ptr))})
	p := Compile(m)
	tr := &Trace{Start: Choice{0, []int64{1}}, Prop: inv}
	mach := p.NewMachine()
	tr.StartState, _ = mach.Start(tr.Start)
	fireNext(tr, t, mach, 0, 0)
	fireNext(tr, t, mach, 1)
	text := plainText(t, p, tr)
	start, _, _ := strings.Cut(text, "step 1")
	want := `startstate "init" (i=P_2)
  grid[P_1..P_6][P_1..P_6] = Undefined
  row[Q_1..Q_2][P_1..P_6] = {Undefined, Undefined}
  ptr = Undefined
`
	if start != want {
		t.Errorf("got\n%swant\n%s", start, want)
	}
	if bad := strings.Replace(text, "{Undefined, Undefined}", "{Undefined, P_1}", 1); true {
		_, err := traces.Read(p, "f", []byte(bad), false)
		if err == nil || err.Error() != "f:3:1: row[Q_1][P_1] is {Undefined, Undefined} in the model, not {Undefined, P_1}" {
			t.Errorf("another row: %v", err)
		}
	}
	if got, err := traces.Read(p, "f", []byte(text), false); err != nil || traces.Replay(p, got) != nil {
		t.Errorf("read back: %v", err)
	}

	// Rows that differ are shown one by one: here grid, which has a diagonal.
	m.Starts[0].Body = []Stmt{&For{Var: i, Domain: Domain{Type: P}, Body: []Stmt{set(at(at(ref(grid), ref(i)), ref(i)), boolean(true))}}}
	m.Starts[0].Params = nil
	p = Compile(m)
	mach = p.NewMachine()
	tr = &Trace{Prop: inv}
	tr.StartState, _ = mach.Start(tr.Start)
	fireNext(tr, t, mach, 0, 0)
	fireNext(tr, t, mach, 1)
	text = plainText(t, p, tr)
	for line, n := range map[string]int{
		"  grid[P_1][P_1] = true\n": 1, "  grid[P_1][P_2..P_6] = Undefined\n": 1, "  grid[P_2][P_1] = Undefined\n": 1,
		"  grid[P_2][P_2] = true\n": 1, "  grid[P_6][P_1..P_5] = Undefined\n": 1, "grid[P_1..": 0,
	} {
		if got := strings.Count(text, line); got != n {
			t.Errorf("%q: %d times", line, got)
		}
	}
}

// TestReadTraceErrors tampers with everything but values.
func TestReadTraceErrors(t *testing.T) {
	p := Compile(lockModel(3, true))
	text := plainText(t, p, mutexTrace(t, p))
	for _, tc := range []struct{ old, new, err string }{
		{"startstate", "start", "f:1:1: no start state: not a trace"},
		{`step 3: rule "release" (i=P_3)`, `step 3: rule "release" (i=P_2)`, `f:12:1: rule "release" (i=P_2) is disabled`},
		{`step 3: rule "release" (i=P_3)`, `step 3: rule "release" (i=P_4)`, `f:12:1: the model has no such rule: "release" (i=P_4)`},
		{`step 3: rule "release" (i=P_3)`, `step 3: rule "release" (j=P_3)`, `f:12:1: the model has no such rule: "release" (j=P_3)`},
		{`step 3: rule "release" (i=P_3)`, `step 3: rule "release" (i=P_3, i=P_3)`, `f:12:1: the model has no such rule: "release" (i=P_3, i=P_3)`},
		{`step 3: rule "release" (i=P_3)`, `step 3: rule "release" i=P_3`, `f:12:1: the model has no such rule: "release" i=P_3`},
		{`step 3: rule "release" (i=P_3)`, `step 3: rule "release"`, `f:12:1: the model has no such rule: "release"`},
		{`step 3: rule "release"`, `step 3: rule "relax"`, `f:12:1: the model has no such rule: "relax" (i=P_3)`},
		{`step 3: rule "release" (i=P_3)`, `startstate "init"`, `f:12:1: a start state must come first, and only there`},
		{`invariant "mutex"`, `invariant "mute"`, `f:29:1: the model has no such property: invariant "mute"`},
		{`invariant "mutex"`, `deadlock "mutex"`, `f:29:1: the model has no such property: deadlock "mutex"`},
		{`invariant "mutex"`, `deadlock "deadlock"`, `f:29:1: deadlock is not violated at the end of the trace`},
		{`violated: invariant "mutex"`, ``, ""},
		{"step 7: rule \"take\" (i=P_2)\n  pc[P_2]: try -> crit\n  owner: P_3 -> P_2\n  count: 1 -> 2\n", "", `f:25:1: mutex is not violated at the end of the trace`},
		{"step 7: rule \"take\" (i=P_2)\n  pc[P_2]: try -> crit\n  owner: P_3 -> P_2\n  count: 1 -> 2\nviolated: invariant \"mutex\"\n", "", `f:21:1: the trace ends in a state that violates nothing`},
		{"startstate \"init\"\n", "startstate \"init\"\n  count: 0 -> 0\n", "f:2:1: count has no value before the start"},
		{"startstate \"init\"\n", "startstate \"init\"\n  coun = 0\n", "f:2:1: the model has no coun"},
	} {
		if !strings.Contains(text, tc.old) {
			t.Fatalf("the trace has no %q:\n%s", tc.old, text)
		}
		_, err := traces.Read(p, "f", []byte(strings.Replace(text, tc.old, tc.new, 1)), false)
		if tc.err == "" && err != nil || tc.err != "" && (err == nil || err.Error() != tc.err) {
			t.Errorf("%s: %v", tc.new, err)
		}
	}
	// CRLF, and text around the trace.
	noisy := "\tx: 1 -> 2\n  x = 4\r\n\r\nThis: is not\r\n" + strings.ReplaceAll(text, "\n", "\r\n") + "\r\n  count = 99\r\n"
	if tr, err := traces.Read(p, "f", []byte(noisy), false); err != nil || traces.Replay(p, tr) != nil {
		t.Errorf("noise: %v", err)
	}
}

// TestReadRun: what ends before the violation is a run, unless it says of an error, whatever that is.
func TestReadRun(t *testing.T) {
	p := Compile(lockModel(3, true))
	tr := mutexTrace(t, p)
	for style, last := range map[traces.Style]string{traces.Plain: "step 7: ", traces.CMurphiStyle: "Rule ", traces.RumurStyle: "Rule "} {
		var b strings.Builder
		if err := traces.Write(&b, p.Model, tr, style); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		part := text[:strings.LastIndex(text, last)]
		_, run, _ := strings.Cut(part, "\n\n\t") // without the error
		if style == traces.Plain {
			run = part
		}
		got, err := traces.Read(p, "f", []byte(run), true)
		if err != nil || got.Prop != -1 || len(got.Steps) != len(tr.Steps)-1 {
			t.Errorf("%v: %v, %v\n%s", style, err, got, run)
		}
		if got, err := traces.Read(p, "f", []byte(text), true); err != nil || got.Prop != tr.Prop {
			t.Errorf("%v: %v, %v", style, err, got)
		}
		wrong := []string{part + "violated: something else\n"}
		if style != traces.Plain {
			head, rest, _ := strings.Cut(part, "\n\n\t")
			_, rest, _ = strings.Cut(rest, "\n")
			wrong = []string{part, head + "\n\n\tAssertion failed: no.\n" + rest, head + "\n\n\tError: no.\n" + rest}
		}
		for _, text := range wrong {
			if got, err := traces.Read(p, "f", []byte(text), true); err == nil {
				t.Errorf("%v: %v is accepted\n%s", style, got, text)
			}
		}
	}
}

// TestReadTraceAmbiguous has rules of one name, all of which agree with what is
// printed; only one sequence of them leads to the end, and the others meet in
// the same states again and again.
func TestReadTraceAmbiguous(t *testing.T) {
	x, y := stateVar("x", rangeType(0, 100)), stateVar("y", rangeType(0, 100))
	m := newModel(x, y)
	inv := addProp(m, &Property{Name: "inv", Kind: Invariant, Expr: bin(bin(ref(x), Lt, num(40)), Or, bin(ref(y), Ne, num(40)))})
	addStart(m, set(ref(x), num(0)), set(ref(y), num(0)))
	addRule(m, "r", nil, set(ref(x), bin(ref(x), Add, num(1))))
	addRule(m, "r", nil, set(ref(x), bin(ref(x), Add, num(1))), set(ref(y), bin(ref(y), Add, num(1))))
	p := Compile(m)
	text := "startstate \"init\"\n" + strings.Repeat("step 1: rule \"r\"\n", 40)
	tr, err := traces.Read(p, "f", []byte(text), false)
	if err != nil || tr.Prop != inv || !slices.Equal(tr.End(), State{40, 40}) {
		t.Errorf("%v", err)
	}
	if _, err := traces.Read(p, "f", []byte(text[:len(text)-1-len("step 1: rule \"r\"")]), false); err == nil || !strings.HasPrefix(err.Error(), "f:40:1: the trace ends in a state that violates nothing") {
		t.Errorf("one step less: %v", err)
	}
}

// TestEqualChanges is about a step that changes many elements alike.
func TestEqualChanges(t *testing.T) {
	m := newModel()
	P := newScalarset(m, "P", 5)
	up := stateVar("up", arrayType(P, BoolType))
	props := m.Props
	*m = Model{Types: []*Type{P}, Scalarsets: m.Scalarsets, Vars: newModel(up).Vars, Props: props}
	i := boundVar("i", P)
	all := func(b bool) Stmt {
		return &For{Var: i, Domain: Domain{Type: P}, Body: []Stmt{set(at(ref(up), ref(i)), boolean(b))}}
	}
	addStart(m, all(false), set(at(ref(up), member(P, 2)), boolean(true)))
	addRule(m, "all", nil, all(true))
	inv := addProp(m, &Property{Name: "inv", Kind: Invariant, Expr: not(at(ref(up), member(P, 0)))})
	p := Compile(m)
	tr := &Trace{Prop: inv}
	mach := p.NewMachine()
	tr.StartState, _ = mach.Start(tr.Start)
	fireNext(tr, t, mach, 0)
	text := plainText(t, p, tr)
	want := `startstate "init"
  up[P_1..P_2] = false
  up[P_3] = true
  up[P_4..P_5] = false
step 1: rule "all"
  up[P_1..P_2]: false -> true
  up[P_4..P_5]: false -> true
violated: invariant "inv"
`
	if text != want {
		t.Errorf("got\n%s", text)
	}
	_, err := traces.Read(p, "f", []byte(strings.Replace(text, "up[P_4..P_5]: false", "up[P_3..P_5]: false", 1)), false)
	if err == nil || err.Error() != "f:7:1: up[P_3] was true in the model, not false" {
		t.Error(err)
	}
}
