package encode_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"orbitmc/encode"
	"orbitmc/encode/murphi"
	"orbitmc/internal/testkit/murphitest"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/model"
	"orbitmc/ts"
)

// someStrict returns a random set of the quantifiers of a model, and of its properties and
// assumptions with parameters: all, or half of them.
func someStrict(m *model.Model, rng *rand.Rand) model.Strict {
	set, every := make(model.Strict), rng.IntN(2) == 0
	add := func(n any) {
		if every || rng.IntN(2) == 0 {
			set[n] = true
		}
	}
	look := func(n any) {
		if q, ok := n.(*model.Quant); ok {
			add(q)
		}
	}
	for _, p := range slices.Concat(m.Props, m.Assumptions) {
		if len(p.Params) > 0 {
			add(p)
		}
		if p.Expr != nil {
			model.Inspect(p.Expr, look)
		}
	}
	for _, p := range m.Procs {
		model.Inspect(p.Body, look)
	}
	for _, r := range slices.Concat(m.Starts, m.Rules) {
		if r.Guard != nil {
			model.Inspect(r.Guard, look)
		}
		model.Inspect(r.Body, look)
	}
	return set
}

// strictOracle compares an encoding with quantifiers that do not stop with the interpreter that
// evaluates these to the end, and where no error is hidden with the plain one.
type strictOracle struct {
	m             *model.Model
	enc           *encode.Encoding
	strict        *model.Program
	plain         *model.Machine
	v             *ts.Evaluator
	hidden, shown int
}

// outcome is what a system, or an interpreter, does from a state, or at the start.
type strictOutcome struct {
	next  string // state
	bads  []string
	wrong error
}

// read returns what the circuits say: the next state, and the bads that hold.
func (o *strictOracle) read(next []bool, only func(b ts.Bad) bool) (out strictOutcome) {
	if next != nil {
		s, err := o.enc.DecodeState(next)
		out.next, out.wrong = fmt.Sprint(s), err
	}
	for _, b := range o.enc.Sys.Bads {
		if o.v.Value(b.Lit) && only(b) {
			out.bads = append(out.bads, fmt.Sprint(b.Name, "+", b.Delay))
		}
	}
	slices.Sort(out.bads)
	return out
}

// step compares one instance in a state.
func (o *strictOracle) step(s model.State, ch model.Choice) error {
	own := o.strict.NewMachine()
	next, _, v := own.Fire(s, ch)
	if next == nil {
		next = s
	}
	want := strictOutcome{next: fmt.Sprint(next)}
	cmurphi := o.m.Dialect == model.CMurphi
	switch {
	case own.Hid():
		o.hidden++
		want.next = fmt.Sprint(s)
		want.bads = append(want.bads, "hidden error in a step+1")
		if o.m.Deadlock != model.DeadlockOff {
			want.bads = append(want.bads, "hidden error, and so no deadlock+0")
		}
		if cmurphi && v.InGuard {
			want.bads = append(want.bads, "hidden error in a guard+0")
		}
	default:
		same, _, w := o.plain.Fire(s, ch)
		if same == nil {
			same = s
		}
		if fmt.Sprint(same) != want.next || (w == nil) != (v == nil) || w != nil && (w.Prop != v.Prop || w.InGuard != v.InGuard) {
			return fmt.Errorf("state %v, choice %v: nothing is hidden, and the model does something else", s, ch)
		}
		if v != nil && !(cmurphi && v.InGuard) { // in a guard it may be that of a property
			want.bads = append(want.bads, o.m.Props[v.Prop].Name+" (in a step)+1")
		}
	}
	slices.Sort(want.bads)
	x, y := o.enc.EncodeState(s), o.enc.EncodeChoice(ch)
	o.v.Set(x, y)
	got := o.read(o.v.Next(), func(b ts.Bad) bool {
		return b.Delay == 1 || strings.HasPrefix(b.Name, "hidden error in a guard") || strings.HasPrefix(b.Name, "hidden error, and")
	})
	if fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Errorf("state %v, choice %v: %v, want %v", s, ch, got, want)
	}
	return nil
}

// state compares what is evaluated in a state.
func (o *strictOracle) state(s model.State) error {
	var want, err = []string{}, false
	for i, p := range o.m.Props {
		if p.Kind != model.Invariant {
			continue
		}
		own := o.strict.NewMachine()
		v := own.Violated(s, i)
		if own.Hid() {
			o.shown++
			want = append(want, "hidden error in "+p.Name+"+0")
			continue
		}
		w := o.plain.Violated(s, i)
		if (v == nil) != (w == nil) || v != nil && v.Prop != w.Prop {
			return fmt.Errorf("state %v, property %s: nothing is hidden, and the model says something else", s, p.Name)
		}
		switch {
		case v != nil && v.Prop == i:
			want = append(want, p.Name+"+0")
		case v != nil:
			want = append(want, p.Name+"+0") // it cannot be evaluated
			err = true
		}
	}
	if err {
		want = append(want, o.m.Runtime().Name+"+0")
	}
	slices.Sort(want)
	// Inputs that choose no instance: what is evaluated in the state alone.
	x, y := o.enc.EncodeState(s), make([]bool, len(o.enc.Sys.Inputs))
	for i := range y {
		y[i] = true
	}
	if ch, ok := o.enc.DecodeStep(x, y); ok {
		if next, enabled, v := o.plain.Fire(s, ch); enabled || v != nil || next != nil {
			return nil
		}
	}
	o.v.Set(x, y)
	got := o.read(nil, func(b ts.Bad) bool {
		return b.Delay == 0 && b.Name != "hidden error in a guard" && !strings.HasPrefix(b.Name, "hidden error, and") && (b.Prop >= len(o.m.Props) || o.m.Props[b.Prop].Kind != model.Deadlock)
	})
	if fmt.Sprint(got.bads) != fmt.Sprint(want) {
		return fmt.Errorf("state %v: %v, want %v", s, got.bads, want)
	}
	return nil
}

// start compares a start state.
func (o *strictOracle) start(ch model.Choice) (model.State, error) {
	own := o.strict.NewMachine()
	s, v := own.Start(ch)
	want := []string{}
	switch {
	case own.Hid():
		o.hidden++
		want, s = []string{"hidden error in a start state+0"}, nil
	case v != nil:
		want, s = []string{o.m.Props[v.Prop].Name + "+0"}, nil
	default:
		same, w := o.plain.Start(ch)
		if !slices.Equal(s, same) || w != nil {
			return nil, fmt.Errorf("start %v: nothing is hidden, and the model does something else", ch)
		}
	}
	x := o.v.Reset(o.enc.EncodeStart(ch))
	if o.enc.Started(x) != (s != nil) {
		return nil, fmt.Errorf("start %v: started %v", ch, s == nil)
	}
	if s != nil {
		got, err := o.enc.DecodeState(x)
		if err != nil || !slices.Equal(got, s) {
			return nil, fmt.Errorf("start %v: %v, %v, want %v", ch, got, err, s)
		}
		return s, nil
	}
	o.v.Set(x, make([]bool, len(o.enc.Sys.Inputs)))
	if got := o.read(nil, func(ts.Bad) bool { return true }); !slices.Equal(got.bads, want) {
		return nil, fmt.Errorf("start %v: %v, want %v", ch, got.bads, want)
	}
	return nil, nil
}

// TestStrict compares encodings of random models, some or all of whose quantifiers are evaluated to the
// end, with the interpreter: start states, steps, properties, and where an error is hidden.
func TestStrict(t *testing.T) {
	models := 300
	switch {
	case testing.Short():
		models = 80
	case nightly.On():
		models = 20_000
	}
	hidden, shown, steps := 0, 0, 0
	for k := range models {
		rng := rand.New(rand.NewPCG(uint64(k), 9))
		src := murphitest.Hiding(rng)
		opt := murphi.Options{Dialect: model.Dialect(k % 2)}
		opt.Deadlock = []model.DeadlockMode{model.Stuttering, model.Stuck, model.DeadlockOff}[rng.IntN(3)]
		m, err := murphi.Parse("random.m", []byte(src), opt)
		if err != nil {
			t.Fatal(err)
		}
		set := someStrict(m, rng)
		enc, err := encode.Strict(context.Background(), m, set)
		if err != nil {
			t.Fatalf("model %d: %v\n%s", k, err, src)
		}
		if err := tstest.Check(enc.Sys); err != nil {
			t.Fatalf("model %d: %v\n%s", k, err, src)
		}
		o := &strictOracle{m: m, enc: enc, strict: model.CompileStrict(m, set), plain: model.Compile(m).NewMachine(), v: ts.NewEvaluator(enc.Sys)}
		fail := func(err error) {
			if err != nil {
				t.Fatalf("model %d: %v\n%s", k, err, src)
			}
		}
		var queue []model.State
		known := make(map[string]bool)
		visit := func(s model.State) {
			if s != nil && !known[fmt.Sprint(s)] && len(queue) < 30 {
				known[fmt.Sprint(s)] = true
				queue = append(queue, slices.Clone(s))
			}
		}
		for _, ch := range instances(m.Starts) {
			s, err := o.start(ch)
			fail(err)
			visit(s)
		}
		rules := instances(m.Rules)
		for i := 0; i < len(queue); i++ {
			fail(o.state(queue[i]))
			for _, ch := range rules {
				steps++
				fail(o.step(queue[i], ch))
				next, _, _ := o.plain.Fire(queue[i], ch)
				visit(next)
			}
		}
		hidden, shown = hidden+o.hidden, shown+o.shown
	}
	t.Logf("%d steps, %d of them hide an error; so do %d evaluations of properties", steps, hidden, shown)
	if hidden < models/2 || shown < models/4 {
		t.Errorf("of %d steps %d hide an error, and %d evaluations of properties", steps, hidden, shown)
	}
}

// TestStrictRefused: what may have an effect is not evaluated to the end.
func TestStrictRefused(t *testing.T) {
	for _, c := range []struct{ name, function, message string }{
		{"a write", "n := 0; return true", "may write"},
		{"a write by reference", "set(n); return true", "may write"},
		{"an assumption", "assume n = 0; return true", "fail an assumption"},
		{"a cover", "cover n = 0; return true", "hit a cover"},
		{"a write to a local", "x := n; return x = 0", ""},
	} {
		src := `type P: scalarset(2); var n: 0..1;
procedure set(var y: 0..1); begin y := 0; end;
function f(p: P): boolean; var x: 0..1; begin ` + c.function + `; end;
startstate n := 0; end; rule if exists p: P do f(p) end then n := 1 - n; end; end;`
		m, err := murphi.Parse("effects.m", []byte(src), murphi.Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		_, err = encode.Strict(context.Background(), m, someStrict(m, rand.New(rand.NewPCG(1, 1))))
		for seed := uint64(2); err == nil && c.message != "" && seed < 9; seed++ { // some sets are empty
			_, err = encode.Strict(context.Background(), m, someStrict(m, rand.New(rand.NewPCG(seed, 1))))
		}
		if c.message == "" && err != nil || c.message != "" && (err == nil || !strings.Contains(err.Error(), c.message)) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
