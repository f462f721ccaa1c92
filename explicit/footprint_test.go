package explicit

import (
	"context"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/mc"
	"orbitmc/mc/certify"
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
	problem := &mc.Problem{Model: m, Program: model.Compile(m)}
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
