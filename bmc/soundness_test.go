package bmc_test

import (
	"context"
	"os"
	"testing"

	"orbitmc/aig"
	"orbitmc/bmc"
	"orbitmc/detect"
	"orbitmc/detect/declared"
	"orbitmc/detect/verify"
	"orbitmc/encode/cnf"
	"orbitmc/encode/murphi"
	"orbitmc/internal/explicit"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/ts"
)

// withSymmetry finds and verifies the symmetry of a problem, and fills it in.
func withSymmetry(t testing.TB, p *mc.Problem) *detect.Report {
	t.Helper()
	instances := make(map[int][]detect.Instance)
	for prop, insts := range p.Enc.Instances {
		for _, inst := range insts {
			instances[prop] = append(instances[prop], detect.Instance(inst))
		}
	}
	r, err := declared.Check(context.Background(), p.Model, p.Enc, p.Enc.Sys, p.Enc.PropBads, declared.Options{
		Instances: instances,
		Verify:    verify.Options{NewProver: func(g *aig.Graph) verify.Prover { return cnf.NewProver(g, newSolver()) }},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Groups = r.ByProp
	var groups []*ts.Symmetry
	for _, i := range p.Props {
		groups = append(groups, p.Groups[i])
	}
	p.Blocks = detect.Blocks(p.Model, groups...)
	return r
}

// handOver is a counterexample in which the node that matters changes: one that
// is least in one frame is not in the next.
const handOver = `
type NODE: scalarset(2);
var
  A, B: array [NODE] of boolean;
startstate
  for i: NODE do A[i] := false; B[i] := false; end;
end;
ruleset i: NODE do
  rule "take" (forall k: NODE do !A[k] & !B[k] end) ==>
  begin
    A[i] := true;
  end;
end;
ruleset i: NODE; j: NODE do
  rule "hand over" i != j & A[i] ==>
  begin
    A[i] := false;
    B[j] := true;
  end;
end;
invariant "none" !(exists i: NODE do B[i] end);
`

// TestOnePredicate: one representative predicate per query, on one word, and
// only as long as the query lasts (rules 1 to 3).
func TestOnePredicate(t *testing.T) {
	const bound = 6
	p := parse(t, handOver, murphi.Options{})
	none := propNamed(t, p.Model, "none")
	r := withSymmetry(t, p)
	if got := r.ByProp[none].Order().Int64(); got != 2 {
		t.Fatalf("group of order %d", got)
	}
	if got := check(t, p, none, bound); got != 2 {
		t.Fatalf("violated at depth %d, want 2", got)
	}
	F := nice(t, r.ByProp[none])
	for _, c := range []struct {
		what string
		want int
		ask  ask
	}{
		{"nothing", 2, ask{}},
		{"frontier", 2, ask{assume: frontier(F)}},
		{"backward", 2, ask{assume: backward(F)}},
		{"forward", 2, ask{assume: forward(F)}},
		{"forward, for good", 2, ask{assert: forward(F)}},
		{"frontier and backward, which implies it", 2, ask{assume: both(frontier(F), backward(F))}},

		{"Rep on every frame", -1, ask{assume: everywhere(F)}},
		{"frontier and forward", -1, ask{assume: both(frontier(F), forward(F))}},
		{"backward and forward", -1, ask{assume: both(backward(F), forward(F))}},
		{"backward, with forward for good", -1, ask{assume: backward(F), assert: forward(F)}},
		{"frontier, for good", -1, ask{assert: frontier(F)}},
		{"backward, for good", -1, ask{assert: backward(F)}},
	} {
		c.ask.prop = none
		if got := search(t, p.Enc, bound, c.ask); got[0] != c.want {
			t.Errorf("%s: depth %d, want %d", c.what, got[0], c.want)
		}
	}
}

// TestRepEveryFrameDeepens: with other ways to the violation, Rep on every frame
// does not miss it but reports a longer path.
func TestRepEveryFrameDeepens(t *testing.T) {
	src, err := os.ReadFile("../benchmarks/murphi/german_bug2.m")
	if err != nil {
		t.Fatal(err)
	}
	const bound, want = 16, 15
	p := parse(t, string(src), murphi.Options{Consts: map[string]string{"NODE_NUM": "2"}})
	ctrl := propNamed(t, p.Model, "CtrlProp")
	p.Props = []int{ctrl}
	r := withSymmetry(t, p)
	if got := checkMode(t, p, bmc.RepPath, ctrl, bound); got != want {
		t.Fatalf("violated at depth %d, want %d", got, want)
	}
	got := search(t, p.Enc, bound, ask{prop: ctrl, assume: everywhere(nice(t, r.ByProp[ctrl]))})
	if got[0] == want {
		t.Errorf("Rep on every frame is right: depth %d", got[0])
	}
	t.Log("Rep on every frame:", got[0])
}

// firstIn has a system in which nodes are interchangeable, and an assertion
// about the first of them that is inside.
const firstIn = `
type NODE: scalarset(3);
var C: array [NODE] of boolean;
startstate
  for i: NODE do C[i] := false; end;
end;
ruleset i: NODE do
  rule "enter" ENABLED ==>
  begin
    C[i] := true;
  end;
end;
rule "probe"
var first: NODE;
begin
  for k: NODE do
    if isundefined(first) then first := k; end;
  end;
  assert !C[first] "first";
end;
`

// TestStabiliser: a property is checked under the permutations that keep it, not
// under all that keep the system (rule 6).
func TestStabiliser(t *testing.T) {
	for _, c := range []struct {
		enabled string
		wrong   int // depth under the group of the system
	}{
		{"!C[i]", 4}, // only when all are inside is the first one
		{"(forall k: NODE do !C[k] end)", -1},
	} {
		const bound = 6
		src := replace(t, firstIn, "ENABLED", c.enabled)
		p := parse(t, src, murphi.Options{Deadlock: model.DeadlockOff})
		first := propNamed(t, p.Model, "first")
		r := withSymmetry(t, p)
		if r.System.Order().Int64() != 6 || r.ByProp[first].Order().Int64() != 2 {
			t.Fatalf("%s: groups of order %v and %v, want 6 and 2", c.enabled, r.System.Order(), r.ByProp[first].Order())
		}
		if got := check(t, p, first, bound); got != 2 {
			t.Errorf("%s: violated at depth %d, want 2", c.enabled, got)
		}
		for mode := bmc.RepPath; mode < bmc.RepOff; mode++ {
			q := *p
			q.Groups = make([]*ts.Symmetry, len(p.Groups))
			q.Groups[first] = r.System
			if got := checkMode(t, &q, mode, first, bound); got != c.wrong {
				t.Errorf("%s: rep %v under the wrong group: depth %d, want %d", c.enabled, mode, got, c.wrong)
			}
		}
	}
}

// crossed has two invariants, the same twice, whose evaluation returns at the
// first node that tells: they are false if the node that failed comes before
// the one that excuses it, and so keep no permutation.
const crossed = `
type NODE: scalarset(2);
var
  F: array [NODE] of boolean;
  X: array [NODE] of 0..1;
startstate
  for i: NODE do F[i] := false; X[i] := 0; end;
end;
ruleset i: NODE; j: NODE do
  rule "break" i != j & (forall k: NODE do !F[k] end) ==>
  begin
    F[i] := true;
    X[j] := 1;
  end;
end;
function fine(): boolean;
begin
  for k: NODE do
    if X[k] = 1 then return true; end;
    if F[k] then return false; end;
  end;
  return true;
end;
invariant "q" fine();
invariant "p" fine();
`

// TestLearntUnderWrongGroup: what is learnt for good about one property under a
// group that is not its own spoils another one (rule 6).
func TestLearntUnderWrongGroup(t *testing.T) {
	const bound = 4
	p := parse(t, crossed, murphi.Options{Deadlock: model.DeadlockOff})
	q1, p1 := propNamed(t, p.Model, "q"), propNamed(t, p.Model, "p")
	r := withSymmetry(t, p)
	if r.System.Order().Int64() != 2 || !r.ByProp[q1].Trivial() || !r.ByProp[p1].Trivial() {
		t.Fatalf("groups of order %v, %v and %v, want 2, 1 and 1", r.System.Order(), r.ByProp[q1].Order(), r.ByProp[p1].Order())
	}
	for _, prop := range []int{q1, p1} {
		if got := check(t, p, prop, bound); got != 1 {
			t.Errorf("%q is violated at depth %d, want 1", p.Model.Props[prop].Name, got)
		}
	}
	for mode := bmc.RepPath; mode < bmc.RepOff; mode++ {
		wrong := *p
		wrong.Groups = make([]*ts.Symmetry, len(p.Groups))
		wrong.Groups[q1] = r.System
		for _, prop := range []int{q1, p1} { // p is asked under its own group, after q
			if got := checkMode(t, &wrong, mode, prop, bound); got != -1 {
				t.Errorf("rep %v under the wrong group: %q is violated at depth %d, want a miss", mode, p.Model.Props[prop].Name, got)
			}
		}
	}
}

// TestUnverified: a declaration that is not true, taken at its word, hides the
// bug from both engines; the verified symmetry does not.
func TestUnverified(t *testing.T) {
	src, err := os.ReadFile("../benchmarks/murphi/false_scalarset.m")
	if err != nil {
		t.Fatal(err)
	}
	const bound = 9
	p := parse(t, string(src), murphi.Options{Consts: map[string]string{"N": "3"}})
	ranked := propNamed(t, p.Model, "Ranked")
	p.Props = []int{ranked}
	if r := withSymmetry(t, p); !r.System.Trivial() {
		t.Fatalf("group of order %v", r.System.Order())
	}
	if got := check(t, p, ranked, bound); got != 5 {
		t.Errorf("violated at depth %d, want 5", got)
	}
	exact := func(p *mc.Problem) (mc.PropResult, error) {
		r, err := (&explicit.Engine{Canon: explicit.Exact}).Run(context.Background(), p, mc.Options{})
		if err != nil {
			return mc.PropResult{}, err
		}
		return r.Props[0], nil
	}
	if pr, err := exact(p); err != nil || pr.Status != mc.Unsafe || pr.Depth != 5 {
		t.Errorf("explicit: %v at depth %d, %v", pr.Status, pr.Depth, err)
	}
	wrong := *p
	wrong.Groups = make([]*ts.Symmetry, len(p.Groups))
	wrong.Groups[ranked] = trusted(p.Enc)
	wrong.Blocks = [][][]int{{{0, 1, 2}}}
	for mode := bmc.RepPath; mode < bmc.RepOff; mode++ {
		if got := checkMode(t, &wrong, mode, ranked, bound); got == 5 {
			t.Errorf("rep %v: found with a symmetry that is none", mode)
		}
	}
	if pr, err := exact(&wrong); err == nil && pr.Status == mc.Unsafe && pr.Depth == 5 {
		t.Error("explicit: found with a symmetry that is none")
	}
}
