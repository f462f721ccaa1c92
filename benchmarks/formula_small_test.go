package benchmarks_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orbitmc/internal/certify"
	"orbitmc/internal/explicit"
	"orbitmc/internal/task"
	"orbitmc/internal/testkit/emptiness"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/model"
)

// Small models are made of these: what a rule of component p asks and does, what one of two components does, what the
// rule does that chooses a message, start states, and fairness.
var (
	smallGuards = []string{"true", "a[p] = 0", "a[p] = 1", "a[p] = x", "a[p] != x", "x = 0", "exists q: P do q != p & a[q] = 1 end", "o = p", "o != p"}
	smallBodies = []string{"", "a[p] := 1 - a[p];", "a[p] := 0;", "a[p] := 1;", "x := 1 - x;", "x := a[p];", "a[p] := x;", "a[p] := 1 - a[p]; x := 1 - x;",
		"for q: P do a[q] := 1 - a[q]; end;", "o := p;", "o := p; a[p] := 1 - a[p];", "undefine o;", "error \"e\";", "send(p);", "send(o);"}
	smallPairs = []string{"o = p|o := q;", "o = p & a[p] = 1|o := q; a[p] := 0;", "a[p] = 1 & a[q] = 0|a[p] := 0; a[q] := 1;", "o = p|o := q; x := 1 - x;",
		"a[p] != a[q]|x := a[p];", "o = p|a[q] := 1 - a[q];", "isundefined(o)|o := q;", "o = p & x = a[q]|o := q; a[p] := 1 - a[p];"}
	smallTakes = []string{"true|multisetremove(i, m);", "isundefined(m[i].d) | x = 0|multisetremove(i, m); x := 1;", "a[m[i].d] = 0|o := m[i].d; multisetremove(i, m);",
		"true|a[m[i].d] := 1 - a[m[i].d];", "x = 0|x := 1; a[m[i].d] := 1 - a[m[i].d];", "o = m[i].d|multisetremove(i, m); x := 1 - x;"}
	smallStarts   = []string{"x := 0; undefine o;", "a[s] := 1; x := 0; o := s;", "x := 1; o := s;"}
	smallOften    = []string{"", "", "fairness \"j\" x = 1;", "fairness \"j\" exists p: P do a[p] = 1 & o = p end;", "fairness \"j\" a[o] = 1;"}
	smallFairs    = []string{"", "weak:*", "strong:*", "weak:r0", "strong:r0", "weak:r0 strong:r1", "strong:r0 strong:r1", "strong:r1 strong:*", "weak:take", "strong:take", "weak:r1 strong:take"}
	smallFormulas = []string{"forall p: P: G F (a[p] = 1)", "forall p: P: F G (a[p] = 0)", "forall p: P: G (a[p] = 1 -> F (a[p] = 0))", "forall p: P: G (a[p] = 0 -> X (a[p] = 0 | x = 1))",
		"forall p: P: (a[p] = 0) U (x = 1)", "forall p: P: G F (a[p] = 1 & x = 0)", "forall p: P: F G (a[p] = 1) | G F (x = 1)", "forall p: P: X X (a[p] = 1)", "G F (x = 0)", "G (x = 0)",
		"forall p: P: forall q: P: G F (a[p] = 1) -> G F (a[q] = 1)", "forall p: P: G F (o = p)", "forall p: P: G F (o = p & a[p] = 1) | F G (a[p] = x)", "true", "false",
		"forall p: P: G F (o != p) & F (x = 1)", "forall p: P: F G !(o = p)"}
)

// smallModel returns a model of two components.
func smallModel(rng *rand.Rand) string {
	var b strings.Builder
	fmt.Fprintf(&b, "type P: %s;\nvar a: array[P] of 0..1; x: 0..1; o: P;\n", pickOf(rng, "scalarset(2)", "scalarset(2)", "0..1"))
	mails := rng.IntN(2) == 0
	if mails {
		n := 1 + rng.IntN(2)
		fmt.Fprintf(&b, "m: multiset[%d] of record d: P; end;\nprocedure send(p: P); var e: record d: P; end; begin if multisetcount(i: m, true) < %d then %s multisetadd(e, m); end; end;\n",
			n, n, pickOf(rng, "e.d := p;", "if x = 0 then e.d := p; end;"))
	}
	fmt.Fprintf(&b, "ruleset s: P do startstate for p: P do a[p] := 0; end; %s end; end;\nruleset p: P do\n", pickOf(rng, smallStarts...))
	for r := range 3 {
		bodies := smallBodies
		if !mails {
			bodies = bodies[:len(bodies)-2]
		}
		fmt.Fprintf(&b, "rule \"r%d\" %s ==> %s end;\n", r, pickOf(rng, smallGuards...), pickOf(rng, bodies...))
	}
	b.WriteString("end;\n")
	if guard, body, _ := strings.Cut(pickOf(rng, smallPairs...), "|"); rng.IntN(2) == 0 {
		fmt.Fprintf(&b, "ruleset p: P; q: P do rule \"r1\" p != q & %s ==> %s end; end;\n", guard, body)
	}
	if take := pickOf(rng, smallTakes...); mails {
		at := strings.LastIndex(take, "|")
		fmt.Fprintf(&b, "choose i: m do rule \"take\" %s ==> %s end; end;\n", take[:at], take[at+1:])
	} else {
		b.WriteString("rule \"take\" x = 1 ==> x := 0; end;\n")
	}
	return b.String() + pickOf(rng, smallOften...) + "\n"
}

// TestFormulasSmall: of small models with much symmetry and little else, explicit search decides each of a list of
// formulas, all at once, as the components of the graph of all states do, with symmetry and without.
func TestFormulasSmall(t *testing.T) {
	models, from := nightly.Or(12, 3_000), 0
	if nightly.On() {
		fmt.Sscan(os.Getenv("ORBITMC_SYSTEMS"), &models)
		fmt.Sscan(os.Getenv("ORBITMC_FROM"), &from)
	}
	file := filepath.Join(t.TempDir(), "x.m")
	var formulas []string
	for i, f := range smallFormulas {
		formulas = append(formulas, fmt.Sprintf("f%d: %s", i, f))
	}
	decided := make(map[mc.Status]int)
	for seed := from; seed < from+models; seed++ {
		rng := rand.New(rand.NewPCG(uint64(seed), 62))
		text, fair := smallModel(rng), strings.Fields(pickOf(rng, smallFairs...))
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		var g *emptiness.Graph
		for _, symmetry := range []string{"off", "auto"} {
			x, err := task.Open(t.Context(), file, task.Options{Symmetry: symmetry, Formulas: formulas, Fair: fair})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			a, err := x.ForFormulas(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			f := a.Problem.Formulas
			if g == nil {
				if g, err = emptiness.NewGraph(t.Context(), model.Compile(f.Model), 20_000, true); err != nil {
					t.Fatal(err)
				}
			}
			a.Problem.Blocks, _ = explicit.FairBlocks(f.Program, a.Problem.Blocks)
			r, err := (&explicit.Formulas{}).Run(t.Context(), a.Problem, mc.Options{All: true})
			if err == nil {
				err = certify.Verify(t.Context(), a.Problem, r)
			}
			if err != nil {
				t.Fatalf("seed %d, symmetry %s: %v\n%s%v", seed, symmetry, err, text, fair)
			}
			for i, of := range f.Of {
				violated, err := g.Violates(of.Formula, of.Values)
				if err != nil {
					t.Fatal(err)
				}
				s := r.Props[i].Status
				if decided[s]++; s != map[bool]mc.Status{true: mc.Unsafe, false: mc.Safe}[violated] {
					t.Fatalf("seed %d, symmetry %s: %s is %v; violated: %v\n%s%v", seed, symmetry, a.Problem.Name(i), s, violated, text, fair)
				}
			}
		}
	}
	t.Logf("%v instances", decided)
	if decided[mc.Safe] < models || decided[mc.Unsafe] < models {
		t.Errorf("%v instances of %d models", decided, models)
	}
}
