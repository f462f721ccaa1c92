package certify_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"orbitmc/encode"
	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/certify/states"
	"orbitmc/internal/explicit"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// trap lets two nodes stop, which are then not served any more.
const trap = `
type NODE: scalarset(3);
var at: NODE; done: array [NODE] of boolean; n: 0..2;
startstate
begin
  for j: NODE do done[j] := false; end;
  n := 0; undefine at;
end;
ruleset i: NODE do rule "take" isundefined(at) & !done[i] ==>
begin
  at := i;
end; end;
rule "give" !isundefined(at) ==>
begin
  undefine at;
end;
rule "stop" !isundefined(at) & n < 2 ==>
begin
  done[at] := true; undefine at; n := n + 1;
  cover "last" n = 2;
end;
ruleset i: NODE do liveness "served" !isundefined(at) & at = i; end;
ruleset i: NODE do liveness "served or done" done[i] | !isundefined(at) & at = i; end;
liveness "free" isundefined(at);
cover "two" n = 2;
cover "all" forall i: NODE do done[i] end;
`

// forged says something else for some pairs than true layers do.
type forged struct {
	evidence.Layers
	f func(i int64, inst []int64, layer int) int
}

func (f forged) Layer(op int, i int64, inst []int64) int {
	layer := 0
	if f.Layers != nil {
		layer = f.Layers.Layer(op, i, inst)
	}
	return f.f(i, inst, layer)
}

func TestLayersAreChecked(t *testing.T) {
	t.Run("interpreter", func(t *testing.T) { layersAreChecked(t, false, false) })
	t.Run("encoding", func(t *testing.T) { layersAreChecked(t, true, false) })
	t.Run("interpreter, told", func(t *testing.T) { layersAreChecked(t, false, true) })
	t.Run("encoding, told", func(t *testing.T) { layersAreChecked(t, true, true) })
}

func layersAreChecked(t *testing.T, symbolic, told bool) {
	m, err := murphi.Parse("trap.m", []byte(trap), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m), Blocks: [][][]int{{{0, 1, 2}}}}}
	if symbolic {
		if p.Enc, err = encode.Model(context.Background(), m); err != nil {
			t.Fatal(err)
		}
	}
	index := make(map[string]int)
	for i, q := range m.Props {
		p.Props = append(p.Props, i)
		index[q.Name] = i
	}
	opt := mc.Options{All: true}
	search := func() *mc.Result {
		if told {
			opt.Watch = func(ctx context.Context, p *mc.Problem, cores *mc.Cores) evidence.Watch {
				return states.NewWatch(ctx, p, cores, 0)
			}
		}
		result, err := (&explicit.Engine{Canon: explicit.Exact}).Run(context.Background(), p, opt)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	result := search()
	// verify checks a copy of the result that was tampered with.
	verify := func(change func(r *mc.Result)) (*mc.Result, error) {
		r := *result
		if told {
			r.Watch = search().Watch // it has checked the closure, once
		}
		r.Props = slices.Clone(result.Props)
		r.Layers = make(map[int]evidence.Layers)
		for prop, l := range result.Layers {
			r.Layers[prop] = l
		}
		change(&r)
		return &r, certify.Verify(context.Background(), p, &r)
	}
	r, err := verify(func(*mc.Result) {})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]mc.Status{"served": mc.Unsafe, "served or done": mc.Safe, "free": mc.Safe, "two": mc.Safe, "last": mc.Safe, "all": mc.Unsafe} {
		pr := r.Props[index[name]]
		if pr.Status != want || pr.Evidence == "" || (pr.Trace != nil) != (want == mc.ByTrace(m.Props[pr.Prop].Kind)) {
			t.Errorf("%q: %+v, want %v", name, pr, want)
		}
	}
	if r.Props[index["served"]].Depth != 2 {
		t.Errorf("depth %d", r.Props[index["served"]].Depth)
	}
	rejected := func(what, why string, change func(r *mc.Result)) {
		t.Helper()
		if _, err := verify(change); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: error %v, want one about %q", what, err, why)
		}
	}
	forge := func(name string, f func(i int64, inst []int64, layer int) int) func(*mc.Result) {
		return func(r *mc.Result) { r.Layers[index[name]] = forged{r.Layers[index[name]], f} }
	}
	served, either := index["served"], index["served or done"]
	rejected("no layers", "without evidence", func(r *mc.Result) { delete(r.Layers, either) })
	rejected("a violation called safe", "does not hold", func(r *mc.Result) {
		r.Props[served].Status, r.Props[served].Trace = mc.Safe, nil
	})
	rejected("and layers to match", "whose steps do not show that", func(r *mc.Result) {
		r.Props[served].Status, r.Props[served].Trace = mc.Safe, nil
		forge("served", func(_ int64, _ []int64, l int) int {
			if l < 0 {
				return 7
			}
			return l
		})(r)
	})
	rejected("holds everywhere", "wrong layer", forge("served or done", func(int64, []int64, int) int { return 0 }))
	rejected("holds nowhere", "wrong layer", func(r *mc.Result) {
		forge("served or done", func(int64, []int64, int) int { return -1 })(r)
		r.Props[either].Status, r.Props[either].Depth, r.Props[either].Bound = mc.Unsafe, 0, -1
		u := *result.Props[served].Trace
		u.Prop, u.Steps, u.Violation = either, nil, nil
		r.Props[either].Trace = &u
	})
	rejected("a trap that is none", "a step into, or out of", func(r *mc.Result) {
		forge("served or done", func(_ int64, _ []int64, l int) int {
			if l > 0 {
				return -1
			}
			return l
		})(r)
		r.Props[either].Status, r.Props[either].Depth, r.Props[either].Bound = mc.Unsafe, 0, -1
		u := *result.Props[served].Trace
		u.Prop, u.Steps, u.Violation = either, nil, nil
		r.Props[either].Trace = &u
	})
	rejected("a trace that ends too early", "ends where it holds", func(r *mc.Result) {
		u := *r.Props[served].Trace
		u.Steps, u.Violation = nil, nil
		r.Props[served].Trace, r.Props[served].Depth, r.Props[served].Bound = &u, 0, -1
	})
	rejected("layers of one instance for all", "", forge("served or done", func(i int64, _ []int64, _ int) int {
		return result.Layers[either].Layer(0, i, []int64{0})
	}))
	rejected("a step too far", "whose steps do not show that", forge("served or done", func(_ int64, _ []int64, l int) int { return min(l, 1) }))
	for _, name := range []string{"two", "last"} {
		rejected("a cover never hit that is", "excludes", func(r *mc.Result) {
			r.Props[index[name]].Status, r.Props[index[name]].Trace = mc.Unsafe, nil
		})
	}
	rejected("a cover hit without a trace", "without a trace", func(r *mc.Result) { r.Props[index["two"]].Trace = nil })
	rejected("a cover that is not hit", "", func(r *mc.Result) {
		u := *r.Props[index["two"]].Trace
		u.Prop = index["all"]
		r.Props[index["all"]] = mc.PropResult{Prop: index["all"], Status: mc.Safe, Trace: &u, Depth: r.Props[index["two"]].Depth, Bound: -1}
	})

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := *result
	c.Props = slices.Clone(result.Props)
	if err := certify.Verify(ctx, p, &c); err != nil && c.Verdict() != mc.Unknown {
		t.Errorf("interrupted: %v, %v", err, c.Verdict())
	}
}

// TestErringLiveness: a property whose evaluation errs is called safe nowhere, whatever layer the state has where it
// errs.
func TestErringLiveness(t *testing.T) {
	m, err := murphi.Parse("errs.m", []byte(`var x: 0..2; y: 0..1;
startstate x := 0; end;
rule x < 2 ==> x := x + 1; end;
liveness "late" x = 2 | x = 1 & y = 0;
invariant "small" x <= 2;
`), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	named := func(name string) int {
		return slices.IndexFunc(m.Props, func(q *model.Property) bool { return q.Name == name })
	}
	late := named("late")
	p := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m)}, Props: []int{late, named("small")}}
	r, err := (&explicit.Engine{}).Run(t.Context(), p, mc.Options{All: true})
	if err != nil || r.Verdict() != mc.Unsafe || r.Closure == nil {
		t.Fatalf("%v, %v", r, err)
	}
	r.Layers = map[int]evidence.Layers{late: forged{f: func(i int64, _ []int64, _ int) int { return 2 - int(i) }}}
	i := slices.IndexFunc(r.Props, func(q mc.PropResult) bool { return q.Prop == late })
	r.Props[i] = mc.PropResult{Prop: late, Status: mc.Safe, Bound: -1}
	if err := certify.Verify(t.Context(), p, r); err == nil || !strings.Contains(err.Error(), "excludes") {
		t.Errorf("error %v, want one about what the verdict excludes", err)
	}
}

// TestLongLiveness: where the reference interpreter gives up on a property, the check goes on without it.
func TestLongLiveness(t *testing.T) {
	m, err := murphi.Parse("long.m", []byte(`var x: 0..1;
startstate x := 0; end;
rule x < 1 ==> x := x; end;
liveness "long" forall i: 0..1100 do forall j: 0..1100 do x = 0 end end;
`), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	long := slices.IndexFunc(m.Props, func(q *model.Property) bool { return q.Name == "long" })
	p := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m)}, Props: []int{long}}
	r, err := (&explicit.Engine{}).Run(t.Context(), p, mc.Options{All: true})
	if err == nil {
		err = certify.Verify(t.Context(), p, r)
	}
	if err != nil || r.Verdict() != mc.Safe {
		t.Errorf("%v, %v", r, err)
	}
}
