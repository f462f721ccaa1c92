package explicit_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/certify/states"
	"orbitmc/internal/explicit"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// lives returns the least depth of a state from which an instance of a liveness
// property cannot be reached, -1 if there is none, by property: by definition, on
// the graph of all states.
func lives(p *model.Program) map[int]int {
	m := p.NewMachine()
	number := make(map[string]int)
	var states []model.State
	var depth []int
	add := func(s model.State, d int) int {
		key := fmt.Sprint(s)
		i, ok := number[key]
		if !ok {
			i = len(states)
			number[key] = i
			states = append(states, slices.Clone(s))
			depth = append(depth, d)
		}
		return i
	}
	m.Starts(func(_ model.Choice, s model.State, _ *model.Violation) bool {
		if s != nil {
			add(s, 0)
		}
		return true
	})
	var next [][]int
	for i := 0; i < len(states); i++ {
		next = append(next, nil)
		m.Successors(states[i], func(_ model.Choice, s model.State, _ *model.Violation) bool {
			if s != nil {
				next[i] = append(next[i], add(s, depth[i]+1))
			}
			return true
		})
	}
	worst := make(map[int]int)
	for prop, q := range p.Model.Props {
		if q.Kind != model.Liveness {
			continue
		}
		worst[prop] = -1
		insts := [][]int64{{}}
		for _, param := range q.Params {
			var longer [][]int64
			for _, inst := range insts {
				for _, v := range param.Domain.Values() {
					longer = append(longer, append(slices.Clone(inst), v))
				}
			}
			insts = longer
		}
		for _, inst := range insts {
			can, errs := make([]bool, len(states)), make([]bool, len(states))
			for i, s := range states {
				holds, v := m.Holds(s, prop, inst)
				can[i], errs[i] = holds && v == nil, v != nil
			}
			for changed := true; changed; {
				changed = false
				for i := range states {
					if !can[i] && slices.ContainsFunc(next[i], func(j int) bool { return can[j] }) {
						can[i], changed = true, true
					}
				}
			}
			for i := range states {
				if (!can[i] || errs[i]) && (worst[prop] < 0 || depth[i] < worst[prop]) {
					worst[prop] = depth[i]
				}
			}
		}
	}
	return worst
}

// TestLivenessAgainstDefinition compares verdicts and depths on random models
// symmetric in their scalarset, with and without symmetry, and has the evidence
// checked.
func TestLivenessAgainstDefinition(t *testing.T) {
	violated, held, quotient := 0, 0, 0
	for seed := range uint64(nightly.Or(50, 1500)) {
		r := rand.New(rand.NewPCG(seed, 12))
		src := liveModel(r)
		p := parse(t, src, murphi.Options{Dialect: model.Dialect(r.IntN(2)), Deadlock: model.DeadlockMode(r.IntN(3))})
		m := p.Model
		if tr := enumerate(p); tr.states > 3000 {
			continue
		}
		want := lives(p)
		for canon := explicit.None; canon <= explicit.Exact; canon++ {
			problem := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: p, Blocks: all(m)}}
			if canon == explicit.None {
				problem.Blocks = nil
			}
			for i := range m.Props {
				problem.Props = append(problem.Props, i)
			}
			opt := mc.Options{All: true}
			if seed%2 == 1 {
				opt.Watch = func(ctx context.Context, p *mc.Problem, cores *mc.Cores) evidence.Watch {
					return states.NewWatch(ctx, p, cores, 0)
				}
			}
			res, err := (&explicit.Engine{Canon: canon}).Run(context.Background(), problem, opt)
			if err == nil {
				err = certify.Verify(context.Background(), problem, res)
			}
			if err != nil {
				t.Fatalf("seed %d: %v: %v\n%s", seed, canon, err, src)
			}
			for _, pr := range res.Props {
				d, ok := want[pr.Prop]
				if !ok {
					continue
				}
				name := m.Props[pr.Prop].Name
				switch {
				case d < 0 && pr.Status != mc.Safe || d >= 0 && (pr.Status != mc.Unsafe || pr.Depth != d):
					t.Fatalf("seed %d: %v: %q is %v at depth %d, want %d\n%s", seed, canon, name, pr.Status, pr.Depth, d, src)
				case !strings.Contains(pr.Evidence, "closure checked in the reference interpreter, and") && (d < 0 || pr.Trace.Violation.Also == nil):
					t.Fatalf("evidence %q", pr.Evidence)
				case d < 0:
					held++
				default:
					violated++
				}
			}
			if canon == explicit.Exact && res.Stats.States > 20 {
				quotient++
			}
		}
	}
	if violated < 200 || held < 100 || quotient < 10 {
		t.Errorf("only %d violations, %d properties that hold and %d larger models", violated, held, quotient)
	}
}

// liveModel is a random model with liveness properties.
func liveModel(r *rand.Rand) string {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	num := func() string { return fmt.Sprint(r.IntN(3)) }
	src := randomModel(r)
	src += fmt.Sprintf("liveness \"global\" %s;\n", pick("n = "+num(), "isundefined(g)", "exists p: P do a[p] = "+num()+" end", "forall p: P do a[p] < 2 end"))
	src += fmt.Sprintf("ruleset p: P do liveness \"each\" %s; end;\n", pick("a[p] = "+num(), "isundefined(b[p])", "g = p", "!isundefined(g) & a[g] = "+num()+" & g != p", "h[p]"))
	src += fmt.Sprintf("ruleset k: 0..2; p: P; q: P do liveness \"pairs\" %s; end;\n", pick("a[p] = k -> a[q] != k | p = q", "b[p] = q | p = q", "a[p] = k", "n = k | g = p"))
	return src
}

// TestLivenessPasses: what the search says of liveness is the same whether the steps of all states are kept, those of
// the first ones, or none, for any number of threads.
func TestLivenessPasses(t *testing.T) {
	decided, told := 0, 0
	for seed := range uint64(nightly.Or(40, 1000)) {
		r := rand.New(rand.NewPCG(seed, 19))
		tree := &treeNode{op: "AG", x: randomTree(r, 3, func() string { return treeAtom(r) })}
		p := parse(t, liveModel(r), murphi.Options{Trees: []string{fmt.Sprint("tree: forall p: P: ", tree)}})
		opt := explicit.Options{All: true, Canon: explicit.Canon(r.IntN(int(explicit.Exact) + 1))}
		if opt.Canon != explicit.None {
			opt.Blocks = all(p.Model)
		}
		opt.Progress = func(s explicit.Stats) {
			if s.Pass > 1 && s.Unmarked > 0 {
				told++
			}
		}
		says := func(r *explicit.Result) string {
			out := fmt.Sprint(r.States, r.Fired, r.FiredBy, r.Deadlocks)
			for _, v := range r.Violations {
				out += fmt.Sprint(" ", v.Prop, v.Depth, len(v.Trace.Steps))
			}
			return out
		}
		run := func(threads, bytes int) *explicit.Result {
			opt.Threads = threads
			res, err := explicit.RunKeeping(t.Context(), p, opt, bytes)
			if err != nil {
				t.Fatal(err)
			}
			return res
		}
		want := run(1, 1<<30)
		for _, bytes := range []int{0, r.IntN(1000)} {
			got := run(1+r.IntN(3), bytes)
			if says(got) != says(want) {
				t.Fatalf("seed %d, %v, %d bytes: %+v, want %+v", seed, opt.Canon, bytes, got, want)
			}
			for prop, l := range want.Layers {
				q := p.Model.Props[prop]
				for op := range q.Claim().Temporal {
					for _, inst := range model.InstancesOf(q.Params) {
						for i := range want.States {
							a, b := l.Layer(op, i, inst), got.Layers[prop].Layer(op, i, inst)
							if late := 254 * int(want.States); a != b && (a < 0 || b < 0 || a < late) { // from a queue, if all steps are kept
								t.Fatalf("seed %d, %v, %d bytes: state %d has layer %d for %v, want %d", seed, opt.Canon, bytes, i, b, inst, a)
							} else if a > 1 {
								decided++
							}
						}
					}
				}
			}
		}
	}
	if decided < 1000 || told < 20 {
		t.Errorf("only %d states led to others, and %d passes were told", decided, told)
	}
}

// TestLivenessBackwards: where numbers rise and fall by turns along a path, few passes are made and the rest is searched
// backwards, or not, if the steps are not kept. The evidence is accepted.
func TestLivenessBackwards(t *testing.T) {
	p := parse(t, `var x: 0..201;
ruleset k: 0..100 do startstate x := k; end; end;
rule x < 100 ==> x := x + 101; end;
rule x > 100 & x < 201 ==> x := x - 100; end;
liveness "last" x = 100;
`, murphi.Options{Deadlock: model.DeadlockOff})
	last := slices.IndexFunc(p.Model.Props, func(q *model.Property) bool { return q.Name == "last" })
	problem := &mc.Problem{OfModel: mc.OfModel{Model: p.Model, Program: p}, Props: []int{last}}
	r, err := (&explicit.Engine{}).Run(t.Context(), problem, mc.Options{All: true})
	if err == nil {
		err = certify.Verify(t.Context(), problem, r)
	}
	if err != nil || r.Verdict() != mc.Safe {
		t.Fatalf("%v, %v", r, err)
	}
	passes := func(l evidence.Layers) (most int) {
		for i := range r.Closure.Len() {
			most = max(most, l.Layer(0, i, nil)/int(r.Closure.Len()))
		}
		return most
	}
	again, err := explicit.RunKeeping(t.Context(), p, explicit.Options{All: true}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if kept, none := passes(r.Layers[last]), passes(again.Layers[last]); kept < 254 || none < 50 || none >= 254 {
		t.Errorf("%d passes, %d if no steps are kept", kept, none)
	}
}

// TestLateLayers: layers rise along a path, however many passes it takes.
func TestLateLayers(t *testing.T) {
	layers := explicit.LayersOfChain(1000)
	for i := 1; i < len(layers); i++ {
		if layers[0] != 0 || layers[i] <= layers[i-1] {
			t.Fatalf("%d, behind %d", layers[i], layers[i-1])
		}
	}
}

// TestLivenessNeedsTheWholeGraph: nothing is said of liveness by a search that
// ends early.
func TestLivenessNeedsTheWholeGraph(t *testing.T) {
	p := parse(t, counter+"\nliveness \"low\" x = 0;\nliveness \"high\" y = 0;\nliveness \"five\" y < 6;\ncover \"seventy\" x = 70;\ncover \"y\" y = 3;", murphi.Options{})
	index := make(map[string]int)
	for i, q := range p.Model.Props {
		index[q.Name] = i
	}
	run := func(opt mc.Options, names ...string) map[string]mc.PropResult {
		t.Helper()
		problem := &mc.Problem{OfModel: mc.OfModel{Model: p.Model, Program: p}}
		for _, n := range names {
			problem.Props = append(problem.Props, index[n])
		}
		slices.Sort(problem.Props)
		res, err := (&explicit.Engine{}).Run(context.Background(), problem, opt)
		if err == nil {
			err = certify.Verify(context.Background(), problem, res)
		}
		if err != nil {
			t.Fatal(err)
		}
		found := make(map[string]mc.PropResult)
		for _, pr := range res.Props {
			found[p.Model.Props[pr.Prop].Name] = pr
		}
		return found
	}
	for what, opt := range map[string]mc.Options{"stopped": {}, "bounded": {All: true, MaxDepth: 10}, "memory": {All: true, MemLimit: 1 << 17}} {
		got := run(opt, "sum", "low", "high", "seventy", "y")
		if got["low"].Status != mc.Unknown || got["high"].Status != mc.Unknown || got["low"].Bound != -1 || got["seventy"].Status != mc.Unknown {
			t.Errorf("%s: %+v", what, got)
		}
	}
	got := run(mc.Options{}, "low", "high", "five", "seventy", "y")
	if got["low"].Status != mc.Safe || got["high"].Status != mc.Unsafe || got["high"].Depth != 1 || got["five"].Status != mc.Unsafe || got["five"].Depth != 6 {
		t.Errorf("%+v", got)
	}
	if x, y := got["seventy"], got["y"]; x.Status != mc.Safe || x.Depth != 70 || y.Status != mc.Safe || y.Depth != 3 || len(y.Trace.Steps) != 3 {
		t.Errorf("covers %+v, %+v", x, y)
	}
	// The first violation, at depth 50, ends the search before x is 70.
	got = run(mc.Options{}, "sum", "seventy", "y")
	if got["sum"].Depth != 50 || got["seventy"].Status != mc.Unknown || got["y"].Status != mc.Safe || got["y"].Depth != 3 {
		t.Errorf("%+v", got)
	}
	if got = run(mc.Options{All: true}, "sum", "seventy", "y"); got["seventy"].Depth != 70 || got["sum"].Status != mc.Unsafe {
		t.Errorf("%+v", got)
	}
}

// TestCovers: covers that are hit at the start, in a step, in one that errs, and
// never; and rules that are never enabled.
func TestCovers(t *testing.T) {
	const src = `type P: scalarset(3); var a: array[P] of 0..2; n: 0..2; b: boolean;
startstate begin for p: P do a[p] := 0; end; n := 0; b := false; cover "start" n = 0; end;
ruleset p: P do rule "up" a[p] < 2 & n = 0 ==> begin a[p] := a[p] + 1; cover "two" a[p] = 2; if a[p] = 2 & forall q: P do a[q] > 0 end then n := 1; end; end; end;
rule "err" n = 1 & !b ==> begin cover "before" true; if b then cover "not" true; end; error "stop"; cover "behind" true; end;
rule "idle" n = 2 ==> begin b := true; end;
rule "false" false ==> begin end;
cover "zero" n = 0;
ruleset p: P do cover "one" a[p] = 1 & n = 1; end;
cover "never" b;
invariant "n" n < 2;`
	p := parse(t, src, murphi.Options{Deadlock: model.DeadlockOff})
	want := map[string]int{"start": 0, "two": 2, "before": 5, "not": -1, "behind": -1, "zero": 0, "one": 4, "never": -1}
	for canon := explicit.None; canon <= explicit.Exact; canon++ {
		problem := &mc.Problem{OfModel: mc.OfModel{Model: p.Model, Program: p, Blocks: all(p.Model)}}
		for i := range p.Model.Props {
			problem.Props = append(problem.Props, i)
		}
		res, err := (&explicit.Engine{Canon: canon}).Run(context.Background(), problem, mc.Options{All: true})
		if err == nil {
			err = certify.Verify(context.Background(), problem, res)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, pr := range res.Props {
			q := p.Model.Props[pr.Prop]
			d, ok := want[q.Name]
			switch {
			case !ok:
			case d < 0 && pr.Status != mc.Unsafe || d >= 0 && (pr.Status != mc.Safe || pr.Depth != d):
				t.Errorf("%v: %q is %v at depth %d, want %d", canon, q.Name, pr.Status, pr.Depth, d)
			case d < 0 && !strings.Contains(pr.Evidence, "closure checked"), d >= 0 && pr.Evidence != "trace replayed in the interpreter":
				t.Errorf("%q: evidence %q", q.Name, pr.Evidence)
			}
		}
		if fmt.Sprint(res.Idle) != "[2 3]" {
			t.Errorf("%v: rules %v are idle", canon, res.Idle)
		}
	}
}
