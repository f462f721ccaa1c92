package benchmarks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orbitmc/benchmarks"
	"orbitmc/bmc"
	"orbitmc/encode/murphi"
	"orbitmc/internal/explicit"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/model"
)

// sized is a model at one size with everything expected of it.
type sized struct {
	file, size string
	rank       int // of the size in the file, from 0
	expect     []benchmarks.Expectation
}

func sizes(t *testing.T) []sized {
	t.Helper()
	files, err := filepath.Glob("murphi/*.m")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d models, %v", len(files), err)
	}
	var all []sized
	for _, f := range files {
		es, err := benchmarks.ReadExpectations(f)
		if err != nil {
			t.Fatal(err)
		}
		if len(es) == 0 {
			t.Errorf("%s has no expectations", f)
		}
		rank := -1
		for i, e := range es {
			if i == 0 || e.Size != es[i-1].Size {
				rank++
				all = append(all, sized{f, e.Size, rank, nil})
			}
			s := &all[len(all)-1]
			s.expect = append(s.expect, e)
		}
	}
	return all
}

// TestExpectations holds explicit search and bounded model checking, with the
// verified symmetry and without, to the expectations of our models. Large sizes
// take ORBITMC_LONG=1; the smallest of every model is always looked at. What is left
// out is printed.
func TestExpectations(t *testing.T) {
	left := 0
	defer func() { t.Logf("left to ORBITMC_LONG=1: %d sizes", left) }()
	for _, s := range sizes(t) {
		first := s.expect[0]
		if !nightly.On() && s.rank > 0 && (first.States > 4_000 || first.Depth > 8 || s.rank > 1) {
			left++
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(s.file), ".m")+" "+s.size, func(t *testing.T) {
			m, err := murphi.ReadFile(s.file, murphi.Options{Consts: first.Consts})
			if err != nil {
				t.Fatal(err)
			}
			if !nightly.On() && s.rank > 0 && manySlots(m) {
				left++
				t.Skip("left to ORBITMC_LONG=1")
			}
			p, report, err := assemble(m, nil)
			if err != nil {
				t.Fatal(err)
			}
			if declared := !strings.Contains(s.file, "false_scalarset"); declared {
				// Every scalarset is one.
				for c, y := range m.Scalarsets {
					if y.Slots {
						continue // states do not tell them apart
					}
					for i, q := range m.Props {
						if got := p.Blocks[c]; len(got) != 1 {
							t.Errorf("%v has the blocks %v for %q: %v", y, got, q.Name, report.ByProp[i].Order())
						}
					}
				}
			}
			if first.Safe {
				expectSafe(t, p, first)
				return
			}
			expectUnsafe(t, p, s.expect)
		})
	}
}

// expectSafe visits all states, without symmetry and with it, and looks for
// counterexamples of few steps.
func expectSafe(t *testing.T, p *mc.Problem, e benchmarks.Expectation) {
	var sum tally
	for c := explicit.None; c <= explicit.Exact; c++ {
		r, err := run(&explicit.Engine{Canon: c}, p, mc.Options{All: true}, &sum)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict() != mc.Safe {
			t.Errorf("canon %v: the model is %v, want safe", c, r.Verdict())
		}
		switch n := r.Stats.States; {
		case c == explicit.None && n != e.States:
			t.Errorf("%d states, want %d", n, e.States)
		case c == explicit.Exact && e.Canon > 0 && n != e.Canon:
			t.Errorf("%d orbits, want %d", n, e.Canon)
		case c.Several() && (n < e.Canon || n > e.States):
			t.Errorf("%d sorted states, with %d orbits and %d states", n, e.Canon, e.States)
		}
	}
	bound := 5
	if manySlots(p.Model) {
		bound = 2
	}
	for mode := bmc.RepPath; mode <= bmc.RepOff; mode++ {
		r, err := run(&bmc.Checker{Rep: mode, NewSolver: newSolver}, p, mc.Options{All: true, MaxDepth: bound}, &sum)
		if err != nil {
			t.Fatal(err)
		}
		for _, pr := range r.Props {
			switch q := p.Model.Props[pr.Prop]; {
			case pr.Status == mc.Unknown && q.Kind == model.Liveness && pr.Bound == -1:
			case pr.Status == mc.Unknown && pr.Bound == bound:
			case pr.Status == mc.Safe && q.Kind == model.Cover && pr.Depth <= bound:
			default:
				t.Errorf("rep %v: %q is %v, bound %d", mode, q.Name, pr.Status, pr.Bound)
			}
		}
	}
}

// expectUnsafe looks for the shortest violation of each of the properties: by
// explicit search and by bounded model checking, without or with the weaker
// representatives only where the depth is not great: 11 with ORBITMC_LONG=1, else 9.
// Without that, deep violations of properties after the first are left to explicit search.
func expectUnsafe(t *testing.T, p *mc.Problem, es []benchmarks.Expectation) {
	var sum tally
	deepest := 9
	if nightly.On() {
		deepest = 11
	}
	for i, e := range es {
		var prop *model.Property
		for _, q := range p.Model.Props {
			if q.Name == e.Prop {
				prop = q
			}
		}
		if prop == nil {
			t.Fatalf("there is no property %q", e.Prop)
		}
		one, _, err := assemble(p.Model, []int{prop.Index})
		if err != nil {
			t.Fatal(err)
		}
		engines := map[string]mc.Engine{}
		for c := explicit.None; c <= explicit.Exact; c++ {
			engines[fmt.Sprint("canon ", c)] = &explicit.Engine{Canon: c}
		}
		for mode := bmc.RepPath; mode <= bmc.RepOff; mode++ {
			if prop.Kind != model.Liveness && (e.Depth <= deepest || mode == bmc.RepPath && !manySlots(p.Model) && (i == 0 || nightly.On())) {
				engines[fmt.Sprint("rep ", mode)] = &bmc.Checker{Rep: mode, NewSolver: newSolver}
			} else {
				t.Logf("%q: bounded model checking with rep %v is left out", e.Prop, mode)
			}
		}
		for name, engine := range engines {
			r, err := run(engine, one, mc.Options{}, &sum)
			if err != nil {
				t.Fatal(err)
			}
			if pr := r.Props[0]; pr.Status != mc.Unsafe || pr.Depth != e.Depth {
				t.Errorf("%s: %q is %v at depth %d, want %d", name, e.Prop, pr.Status, pr.Depth, e.Depth)
			}
		}
	}
}

// TestFalseScalarset checks that the declaration which is not true is refuted, by
// the rule and the loop that make it so.
func TestFalseScalarset(t *testing.T) {
	const file = "murphi/false_scalarset.m"
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rule, loop := 0, 0
	line := 0
	for text := range strings.Lines(string(src)) {
		line++
		if strings.Contains(text, `rule "Grant"`) {
			rule = line
		}
		if rule > 0 && loop == 0 && strings.Contains(text, "for i: NODE do") {
			loop = line
		}
	}
	for n := 2; n <= 4; n++ {
		m, err := murphi.Parse(file, src, murphi.Options{Consts: map[string]string{"N": fmt.Sprint(n)}})
		if err != nil {
			t.Fatal(err)
		}
		_, report, err := assemble(m, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !report.System.Trivial() || report.Refuted != n*(n-1)/2 || len(report.Refutations) != report.Refuted {
			t.Errorf("N=%d: group of order %v, %d refuted: %v", n, report.System.Order(), report.Refuted, report.Refutations)
		}
		for _, f := range report.Refutations {
			if f.Prop != -1 || f.Undecided || f.Rule == nil || f.Rule.Name != "Grant" || f.Pos.Line != loop || f.State == nil {
				t.Errorf("N=%d: refuted for %+v; want rule Grant, loop at line %d", n, f, loop)
			}
			for _, want := range []string{`rule "Grant"`, fmt.Sprintf("%s:%d", file, rule), fmt.Sprintf("%d:", loop)} {
				if !strings.Contains(f.Text, want) {
					t.Errorf("N=%d: %q does not mention %q", n, f.Text, want)
				}
			}
			// The witness is one.
			o := &truth{m: m, mach: model.Compile(m).NewMachine()}
			commutes := 0
			for i := range n {
				for j := range i {
					perm := swap{0, j, i}.perm(m)
					image := o.image(perm, f.State)
					want, _, _ := o.mach.Fire(f.State, f.Choice)
					got, _, _ := o.mach.Fire(image, o.mach.Program().PermChoice(perm, f.Choice))
					if want != nil && got != nil && slices.Equal(o.image(perm, want), got) {
						commutes++
					}
				}
			}
			if commutes == n*(n-1)/2 {
				t.Errorf("N=%d: every transposition commutes with the witness %+v", n, f)
			}
		}
	}
}

// TestReadExpectations checks what is read and what is refused.
func TestReadExpectations(t *testing.T) {
	dir := t.TempDir()
	read := func(text string) ([]benchmarks.Expectation, error) {
		file := filepath.Join(dir, "x.m")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return benchmarks.ReadExpectations(file)
	}
	es, err := read("-- story\n-- expect: A=2 B=true safe states=30 canon=8\n-- expect: unsafe prop=\"p\" depth=0\nvar x: boolean;\n")
	if err != nil || len(es) != 2 {
		t.Fatalf("%+v, %v", es, err)
	}
	if e := es[0]; !e.Safe || e.States != 30 || e.Canon != 8 || e.Size != "A=2 B=true" || e.Consts["A"] != "2" || e.Consts["B"] != "true" || e.Line != 2 || e.Prop != "" {
		t.Errorf("%+v", e)
	}
	if e := es[1]; e.Safe || e.Prop != "p" || e.Depth != 0 || len(e.Consts) != 0 || e.Line != 3 {
		t.Errorf("%+v", e)
	}
	for _, bad := range []string{
		"", "N=2", "safe", "N=2 safe", "safe states=x", "safe states=-1", "safe states=1 depth=2", "safe states=1 states=1", "unsafe depth=1",
		"unsafe prop=p depth=1", `unsafe prop="p"`, `unsafe prop="p" depth=1 states=2`, "safe unsafe states=1", "N= safe states=1", "odd safe states=1",
	} {
		if es, err := read("-- expect: " + bad + "\n"); err == nil || !strings.Contains(err.Error(), "x.m:1: expectation: ") {
			t.Errorf("%q: %+v, %v", bad, es, err)
		}
	}
	if _, err := benchmarks.ReadExpectations(filepath.Join(dir, "none.m")); err == nil {
		t.Error("a file that is not there is read")
	}
}
