package benchmarks_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"orbitmc/benchmarks"
	"orbitmc/bmc"
	"orbitmc/detect"
	"orbitmc/detect/infer"
	"orbitmc/encode/murphi"
	"orbitmc/internal/explicit"
	"orbitmc/internal/testkit/murphitest"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/ts"
)

// This file is about symmetry that is not declared: models with subranges in the
// place of scalarsets are as symmetric, and all engines use it.

// inferred reads a model, infers its symmetry and verifies it.
func inferred(m *model.Model, props []int) (*mc.Problem, *detect.Report, error) {
	m, inf := infer.Classes(m)
	return assembleInferred(m, inf, props)
}

// groups describes a symmetry by its orders and the numbers of the values it moves.
func groups(y *ts.Symmetry) string {
	var parts []string
	for _, b := range y.Blocks {
		parts = append(parts, fmt.Sprint(b.Name, b.Elems))
	}
	for _, g := range y.Groups {
		parts = append(parts, fmt.Sprint(g.Kind, " ", g.Name, g.Elems, " ", g.Order))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// TestTwins compares each model that has a twin with subranges with it: the same
// groups, orbits, verdicts and depths, with symmetry and without.
func TestTwins(t *testing.T) {
	twins, err := filepath.Glob("murphi/*_range*.m")
	if err != nil || len(twins) != 10 {
		t.Fatalf("%d twins, %v", len(twins), err)
	}
	for _, twin := range twins {
		file := strings.Replace(twin, "_range", "", 1)
		es, err := benchmarks.ReadExpectations(file)
		if err != nil {
			t.Fatal(err)
		}
		sizes := make(map[string]bool)
		most := 1
		if nightly.On() {
			most = 3
		}
		for _, e := range es {
			if sizes[e.Size] || e.Safe && e.States > 10_000 || len(sizes) == most {
				continue
			}
			sizes[e.Size] = true
			t.Run(strings.TrimSuffix(filepath.Base(twin), ".m")+" "+e.Size, func(t *testing.T) { twinsAgree(t, file, twin, e) })
		}
	}
}

func twinsAgree(t *testing.T, file, twin string, e benchmarks.Expectation) {
	m, err := murphi.ReadFile(file, murphi.Options{Consts: e.Consts})
	if err != nil {
		t.Fatal(err)
	}
	p, want, err := assemble(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err = murphi.ReadFile(twin, murphi.Options{Consts: e.Consts})
	if err != nil {
		t.Fatal(err)
	}
	q, got, err := inferred(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(q.Model.Props) != len(p.Model.Props) {
		t.Fatalf("%d properties and %d", len(p.Model.Props), len(q.Model.Props))
	}
	if a, b := groups(want.System), groups(got.System); a != b || a == "" {
		t.Errorf("declared: %s; inferred: %s", a, b)
	}
	for i, prop := range p.Model.Props {
		if a, b := groups(want.ByProp[i]), groups(got.ByProp[i]); a != b {
			t.Errorf("%s, declared: %s; inferred: %s", prop.Name, a, b)
		}
	}
	off := *q
	off.Groups, off.Blocks = nil, nil
	var sum tally
	// Without symmetry all states of an unsafe model can be very many.
	opt := mc.Options{All: e.Safe}
	results := func(engine mc.Engine, opt mc.Options, problems ...*mc.Problem) {
		t.Helper()
		var all []*mc.Result
		for _, p := range problems {
			r, err := run(engine, p, opt, &sum)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, r)
		}
		for _, r := range all[1:] {
			for i, pr := range r.Props {
				if w := all[0].Props[i]; pr.Status != w.Status || pr.Status == mc.Unsafe && pr.Depth != w.Depth {
					t.Errorf("%s: %s is %v at %d, its twin %v at %d", engine.Name(), p.Model.Props[pr.Prop].Name, pr.Status, pr.Depth, w.Status, w.Depth)
				}
			}
		}
		if s := all[0].Stats.States; s != all[1].Stats.States {
			t.Errorf("%s: %d states, its twin %d", engine.Name(), all[1].Stats.States, s)
		}
	}
	results(&explicit.Engine{Canon: explicit.Exact}, opt, p, q)
	results(&explicit.Engine{Canon: explicit.Sorted}, opt, p, q)
	results(&explicit.Engine{}, opt, p, q, &off)
	depth := 5
	if !e.Safe {
		depth = min(e.Depth+1, 9)
	}
	results(&bmc.Checker{Rep: bmc.RepPath, NewSolver: newSolver}, mc.Options{All: true, MaxDepth: depth}, p, q, &off)
}

// TestInferredGroups: nearly symmetric models and rings.
func TestInferredGroups(t *testing.T) {
	for _, c := range []struct {
		file, size, value, want string
		orbits                  int64
	}{
		{"readers_writers", "N", "3", "PROC[0 1]", 15},
		{"readers_writers", "N", "5", "PROC[0 1 2 3]", 0},
		{"token_ring", "N", "2", "NODE[0 1]", 0},
		{"token_ring", "N", "3", "ring NODE[0 1 2] 3", 0},
		{"token_ring", "N", "4", "ring NODE[0 1 2 3] 4", 0},
		{"token_ring_bug", "N", "3", "ring NODE[0 1 2] 3", 0},
		{"dining", "N", "3", "ring PHIL[0 1 2] 3", 0},
		{"dining", "N", "5", "ring PHIL[0 1 2 3 4] 5", 0},
	} {
		m, err := murphi.ReadFile("murphi/"+c.file+".m", murphi.Options{Consts: map[string]string{c.size: c.value}})
		if err != nil {
			t.Fatal(err)
		}
		p, report, err := inferred(m, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := groups(report.System); got != c.want {
			t.Errorf("%s %s=%s: group %s, want %s: %v", c.file, c.size, c.value, got, c.want, report.Refutations)
		}
		for i, y := range report.ByProp {
			if got := groups(y); got != c.want {
				t.Errorf("%s: %s keeps %s", c.file, m.Props[i].Name, got)
			}
		}
		if c.orbits == 0 {
			continue
		}
		var sum tally
		r, err := run(&explicit.Engine{Canon: explicit.Exact}, p, mc.Options{All: true}, &sum)
		if err != nil {
			t.Fatal(err)
		}
		if r.Stats.States != c.orbits || r.Verdict() != mc.Safe {
			t.Errorf("%s %s=%s: %v, %d orbits, want %d", c.file, c.size, c.value, r.Verdict(), r.Stats.States, c.orbits)
		}
	}
}

var scalarsetText = regexp.MustCompile(`scalarset\(([^()]*)\)`)

// subranges returns a source with subranges in the place of scalarsets.
func subranges(src string, first int) string {
	return scalarsetText.ReplaceAllStringFunc(src, func(s string) string {
		size := scalarsetText.FindStringSubmatch(s)[1]
		return fmt.Sprintf("%d..%d+%s", first, first-1, size)
	})
}

// randomSubranges returns random model number seed in which subranges are used like
// scalarsets, and some rings.
func randomSubranges(seed uint64) (x sample, src string) {
	x = sample{seed: seed, infer: true, limit: limit}
	x.opt = murphi.Options{Dialect: model.Dialect(seed / 3 % 2), Deadlock: model.DeadlockMode(seed % 3)}
	rng := rand.New(rand.NewPCG(seed, 5))
	for {
		switch seed % 3 {
		case 0:
			src = murphitest.Random(rng, murphitest.Options{Dialect: x.opt.Dialect, Bits: 8 + rng.IntN(4)})
		case 1:
			src = symmetric(rng, x.opt.Dialect, 8+rng.IntN(4), rng.IntN(4) == 0)
		case 2:
			return x, ring(rng)
		}
		src = subranges(src, rng.IntN(2))
		if _, err := murphi.Parse("random.m", []byte(src), x.opt); err == nil {
			return x, src
		}
	}
}

// ring returns a random model of a ring of nodes, perhaps with a rule that breaks it.
func ring(rng *rand.Rand) string {
	n, lo := 2+rng.IntN(4), rng.IntN(2)
	pick := func(texts ...string) string { return texts[rng.IntN(len(texts))] }
	next := []string{"(i + 1) % N", "(i + N - 1) % N", "((i + K) % N)", "(i = N - 1 ? 0 : i + 1)"}
	if lo == 1 {
		next = []string{"i % N + 1", "(i + N - 2) % N + 1", "(i = N ? 1 : i + 1)", "(i = 1 ? N : i - 1)"}
	}
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	at := func() string {
		return pick("i", "i", pick(next...), "p")
	}
	value := func() string {
		return pick("a["+at()+"]", "b["+at()+"]", "true", "false", "!a["+at()+"]", "p = "+at(), "!b["+at()+"]")
	}
	line("const N: %d; K: %d;", n, rng.IntN(3))
	line("type NODE: %d..%d;", lo, lo+n-1)
	line("var a: array[NODE] of boolean; b: array[NODE] of boolean; p: NODE;")
	if rng.IntN(4) > 0 {
		line("ruleset f: NODE do startstate p := f; for i: NODE do a[i] := i = f; b[i] := false; end; end; end;")
	} else {
		line("startstate p := %d; for i: NODE do a[i] := false; b[i] := false; end; end;", lo+rng.IntN(n))
	}
	line("ruleset i: NODE do")
	for range 2 + rng.IntN(2) {
		line("rule %s & %s ==> a[%s] := %s; b[%s] := %s;", value(), value(), at(), value(), at(), value())
		if rng.IntN(2) == 0 {
			line("p := %s;", at())
		}
		line("end;")
	}
	line("end;")
	if rng.IntN(4) == 0 {
		line("rule a[%d] ==> a[%d] := false; end;", lo, lo+n-1)
	}
	line("invariant \"one\" forall i: NODE do a[i] -> %s end;", value())
	line("invariant \"two\" a[p] | exists i: NODE do %s end;", value())
	line("invariant \"three\" !(b[%d] & p = %d);", lo, lo+n-1)
	return b.String()
}

// TestInferredRandom holds all engines, under what was inferred, to the oracle on
// random models.
func TestInferredRandom(t *testing.T) {
	models := uint64(nightly.Or(50, 3000))
	var sum tally
	for seed := range models {
		x, src := randomSubranges(seed)
		if err := x.check(src, &sum); err != nil {
			var scratch tally
			reduced := murphitest.Shrink(src, func(src string) bool {
				return errors.As(x.check(src, &scratch), new(disagreement))
			})
			t.Fatalf("model %d, dialect %v, deadlock %v: %v\nshrunk to\n%s%v", seed, x.opt.Dialect, x.opt.Deadlock, err, reduced, x.check(reduced, &scratch))
		}
	}
	t.Logf("%+v", sum)
	if sum.inferred < int(models)/3 || sum.rings < int(models)/5 || sum.violations < int(models) {
		t.Errorf("the random models are too tame: %+v", sum)
	}
}

// TestInferredDouble: what reading a model suggests is not to be trusted. Without
// verification violations are lost.
func TestInferredDouble(t *testing.T) {
	for _, c := range []struct {
		src   string
		rings bool
	}{
		{`
type P: 1..3; var up: array [P] of boolean; down, rise: boolean;
startstate for i: P do up[i] := false; end; down := false; rise := false; end;
ruleset p: P do rule true ==> up[p] := !up[p]; end; end;
rule "look" true ==> var on, off: boolean; begin
  on := false; off := false;
  for i: P do
    if up[i] then on := true; if off then rise := true; end;
    else off := true; if on then down := true; end;
    end;
  end;
end;
invariant "monotone" !(down & rise);`, false},
		{`
type P: 0..3; var n: P;
startstate n := 0; end;
ruleset p: P do rule n = p ==> n := (p + 1) % 4; end; end;
invariant "never" n != 3;`, true},
	} {
		m, err := murphi.Parse("double.m", []byte(c.src), murphi.Options{Deadlock: model.DeadlockOff})
		if err != nil {
			t.Fatal(err)
		}
		m, inf := infer.Classes(m)
		p, report, err := assembleInferred(m, inf, nil)
		if err != nil {
			t.Fatal(err)
		}
		trusted := *p
		trusted.Groups, trusted.Blocks, trusted.Rings = nil, make([][][]int, len(m.Scalarsets)), nil
		for _, class := range inf.Classes {
			if class.Type == nil {
				continue
			}
			trusted.Blocks[class.Type.Class] = class.Values
			for _, r := range class.Rings {
				trusted.Rings = append(trusted.Rings, model.Ring{Class: class.Type.Class, Values: r, Step: 1})
			}
		}
		if (len(trusted.Rings) > 0) != c.rings || !report.System.Trivial() && c.rings {
			t.Errorf("inferred %+v, verified %s", inf, groups(report.System))
		}
		// Run the engine alone: certify.Verify and the replay of traces would not let it
		// through.
		verdict := func(p *mc.Problem, canon explicit.Canon) string {
			r, err := (&explicit.Engine{Canon: canon}).Run(t.Context(), p, mc.Options{All: true})
			if err != nil {
				return "an error: " + err.Error()
			}
			return fmt.Sprintf("%v, %d steps", r.Verdict(), r.Props[0].Depth)
		}
		wrong := 0
		for _, canon := range []explicit.Canon{explicit.Sorted, explicit.Star, explicit.Exact} {
			want := verdict(p, explicit.None)
			if got := verdict(p, canon); got != want || !strings.HasPrefix(got, "unsafe") {
				t.Errorf("with what was verified the model is %s, want %s", got, want)
			}
			if verdict(&trusted, canon) != want {
				wrong++
			}
		}
		if wrong == 0 {
			t.Errorf("what was only inferred gives the right verdicts: no double")
		}
	}
}

// TestPublicInferred holds all engines, under what was inferred, to the oracle on the
// public models of which something is and that are small enough.
func TestPublicInferred(t *testing.T) {
	dir := publicModels(t)
	files, err := filepath.Glob(filepath.Join(dir, "murphi", "*", "*.m"))
	if err != nil {
		t.Fatal(err)
	}
	var sum tally
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		x := sample{limit: limit, infer: true}
		m, err := murphi.Parse(f, src, x.opt)
		if err != nil || m.Leaves() > nightly.Or(50, 100) {
			continue
		}
		if _, inf := infer.Classes(m); inf.Generators() == 0 || !search(m, limit).full {
			continue
		}
		if err := x.check(string(src), &sum); err != nil {
			t.Errorf("%s: %v", filepath.Base(f), err)
		}
	}
	t.Logf("%+v", sum)
	if sum.inferred < 5 || sum.models < 10 {
		t.Errorf("too few public models: %+v", sum)
	}
}
