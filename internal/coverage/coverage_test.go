package coverage_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/coverage"
	"orbitmc/internal/explicit"
	"orbitmc/model"
)

// collect searches a model, without symmetry, and counts.
func collect(t *testing.T, file string) (*coverage.Report, *explicit.Result) {
	t.Helper()
	m, err := murphi.ReadFile(file, murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := model.Compile(m)
	found, err := explicit.Run(context.Background(), p, explicit.Options{Props: []int{m.Runtime().Index}})
	if err != nil || found.Visited == nil {
		t.Fatal("not complete", err)
	}
	packer, s := model.NewPacker(m), make(model.State, m.Leaves())
	r, err := coverage.Collect(context.Background(), p, found.Visited.Len(), func(i int64) model.State {
		packer.Unpack(found.Visited.Member(i), s)
		return s
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r, found
}

// TestFired compares with what the search counts.
func TestFired(t *testing.T) {
	r, found := collect(t, "../../benchmarks/murphi/german.m")
	if r.States != found.States || len(r.Rules) != len(found.FiredBy) {
		t.Fatalf("%d states", r.States)
	}
	for i, n := range found.FiredBy {
		if r.Rules[i].Fired != n || n == 0 {
			t.Errorf("rule %q fired %d times, not %d", r.Rules[i].Name, n, r.Rules[i].Fired)
		}
	}
	if r.Statements.Covered != r.Statements.Total || len(r.Missed) > 0 {
		t.Errorf("missed %+v", r.Missed)
	}
}

// TestMissed has rules that never fire for three reasons, branches never taken, and a multiset.
func TestMissed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.m")
	text := `var n: 0..3; b: boolean; bag: multiset[4] of 0..1;
procedure unused(); begin n := 0; end;
startstate n := 0; b := false; undefine bag; end;
rule "up" n < 3 ==> begin
  n := n + 1;
  if n > 5 then
    b := true;
  elsif n < 4 then multisetadd(0, bag);
  end;
end;
rule "one" n = 2 & b ==> begin n := 0; end;
rule "together" n < 1 & n > 0 & !b ==> begin n := 0; end;
rule "down" n = 3 ==> begin n := 3; end;
`
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	r, _ := collect(t, file)
	var got strings.Builder
	for _, x := range r.Rules {
		fmt.Fprintf(&got, "%s %d %q\n", x.Name, x.Fired, x.Never)
	}
	for _, x := range r.Missed {
		fmt.Fprintf(&got, "%d:%d %s\n", x.Line, x.Column, x.Text)
	}
	fmt.Fprintf(&got, "%v %v %v %d\n", r.Statements, r.Branches, r.Multisets[0], r.Multisets[0].Most())
	want := `up 3 []
one 0 ["b"]
together 0 ["n > 0, together with what is before it"]
down 1 []
2:27 this never runs
6:3 one of the conditions always holds here
7:5 this never runs
11:32 this never runs
12:46 this never runs
{7 11} {1 3} {bag 4 [1 1 1 1 0]} 3
`
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
	var page strings.Builder
	if err := r.WriteHTML(&page, "m.m", []byte(text)); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{`<div id="L7" class="not"><i>0</i><b>7</b>    b := true;`, `<div id="L5" class="ran"><i>3</i><b>5</b>`, `<div id="L10"><i></i>`} {
		if !strings.Contains(page.String(), line) {
			t.Errorf("no %s", line)
		}
	}
}
