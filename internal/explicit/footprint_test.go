package explicit

import (
	"context"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/mc"
	"orbitmc/model"
)

// TestReadsMatter: a search that takes properties to read nothing, and so evaluates
// them in start states only, misses violations; the check of its evidence does not.
func TestReadsMatter(t *testing.T) {
	m, err := murphi.Parse("count.m", []byte(`
var n: 0..5;
startstate begin n := 0; end;
rule "up" n < 5 ==> begin n := n + 1; end;
rule "down" n = 5 ==> begin n := 0; end;
invariant "small" n < 4;
`), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	problem := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m)}}
	for i := range m.Props {
		problem.Props = append(problem.Props, i)
	}
	for _, double := range []bool{false, true} {
		s, err := newSearch(problem.Program, Options{All: true})
		if err != nil {
			t.Fatal(err)
		}
		if double {
			clear(s.reads)
		}
		s.run(context.Background())
		r, err := s.result()
		if err != nil || !r.Complete || r.States != 6 {
			t.Fatalf("double %v: %v, %+v", double, err, r)
		}
		if found := len(r.Violations) > 0; found == double {
			t.Errorf("double %v: violations %+v", double, r.Violations)
		}
		if !double {
			continue
		}
		claim := mc.NewResult("double", problem)
		claim.Closure = r.Visited
		for i := range claim.Props {
			claim.Props[i].Status = mc.Safe
		}
		if err := certify.Verify(context.Background(), problem, claim); err == nil {
			t.Errorf("the check accepts what the double claims")
		}
	}
}

// TestPartsBehindFailure: a part of an invariant that errs is found in a state in which nothing that it reads
// has changed, as it was behind one that did not hold in the state before.
func TestPartsBehindFailure(t *testing.T) {
	m, err := murphi.Parse("parts.m", []byte(`
var n: 0..2; d: 0..1;
startstate begin n := 0; d := 1; end;
rule "fail" n = 0 ==> begin n := 1; d := 0; end;
rule "go on" n = 1 ==> begin n := 2; end;
rule "again" n = 2 ==> begin n := 0; d := 1; end;
invariant "both" n != 1 & 1 / d = 1;
`), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{1, 2} {
		s, err := newSearch(model.Compile(m), Options{All: true, Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		if len(s.parts) != 2 {
			t.Fatalf("the invariant has %d parts", len(s.parts))
		}
		s.run(context.Background())
		r, err := s.result()
		if err != nil || len(r.Violations) != 2 {
			t.Fatalf("%v: %+v", err, r)
		}
		for _, f := range r.Violations {
			want := 1
			if m.Props[f.Prop].Kind == model.RuntimeError {
				want = 2
			}
			if f.Depth != want {
				t.Errorf("%q at depth %d, not %d", m.Props[f.Prop].Name, f.Depth, want)
			}
		}
	}
}
