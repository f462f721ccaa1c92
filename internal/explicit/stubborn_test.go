package explicit_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/explicit"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

func searched(t testing.TB, p *model.Program, opt explicit.Options) *explicit.Result {
	t.Helper()
	r, err := explicit.Run(context.Background(), p, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// violated lists the properties that are violated, and the covers that are hit.
func violated(p *model.Program, r *explicit.Result) string {
	shown := make([]bool, len(p.Model.Props))
	for _, f := range append(r.Violations, r.Covered...) {
		shown[f.Prop] = true
	}
	return namesOf(p, shown)
}

func namesOf(p *model.Program, shown []bool) string {
	var names []string
	for i, is := range shown {
		if is {
			names = append(names, p.Model.Props[i].Name)
		}
	}
	return strings.Join(names, ", ")
}

// Each of these has an error that is missed if one condition on stubborn sets is dropped.
func TestStubbornConditions(t *testing.T) {
	for name, src := range map[string]string{
		"a cycle puts the error off": `
			var x: boolean; n: 0..2;
			startstate begin x := false; n := 0; end;
			rule "turn" true ==> begin x := !x; end;
			rule "n" n < 2 ==> begin n := n + 1; if n = 2 then error "two"; end; end;`,
		"a cycle puts the error off, and its last step has the only small set": `
			var x, n: 0..2;
			startstate begin x := 0; n := 0; end;
			rule "turn" x < 2 ==> begin x := 1 - x; end;
			rule "n" n < 2 ==> begin n := n + 1; if n = 2 then error "two"; end; end;
			rule "back" x = 2 ==> begin n := 0; end;`,
		"a step writes what an invariant reads": `
			var x, y: 0..1;
			startstate begin x := 0; y := 0; end;
			rule "x" x = 0 ==> begin x := 1; end;
			rule "y" y = 0 ==> begin y := 1; end;
			invariant "x first" !(y = 1 & x = 0);
			invariant "y first" !(x = 1 & y = 0);`,
		"a step disables another one": `
			var x, y: 0..2;
			startstate begin x := 0; y := 0; end;
			rule "x" x = 0 ==> begin x := 1; end;
			rule "y" x = 0 ==> begin y := 1; end;
			rule "both" y = 1 & x = 1 ==> begin error "y before x"; end;`,
		"a disabled step must be enabled first": `
			var x, y, z: 0..2;
			startstate begin x := 0; y := 0; z := 0; end;
			rule "x" x = 0 ==> begin x := 1; z := 1; end;
			rule "y" y = 0 ==> begin y := 1; end;
			rule "z" y = 1 & z = 0 ==> begin z := 2; end;
			rule "bad" z = 2 & x = 0 ==> begin error "z before x"; end;`,
		"what a step reads is written": `
			var x, y, z: 0..1;
			startstate begin x := 0; y := 0; z := 0; end;
			rule "x" y = 0 & x = 0 ==> begin x := 1; end;
			rule "y" true ==> begin y := 1; end;
			rule "on" x = 1 ==> begin z := 1 - z; end;`,
		"what is true in a guard may err later": `
			var z, c, d, e: 0..1;
			startstate begin z := 0; c := 1; d := 0; e := 0; end;
			rule "z" z = 0 ==> begin z := 1; end;
			rule "undefine" !isundefined(c) ==> begin undefine c; end;
			rule "d" e = 1 ==> begin d := 1; end;
			rule "errs" z = 0 & c = 1 & d = 1 ==> begin end;`,
		"what is false in a guard may err later": `
			var z, d: 0..1;
			startstate begin z := 0; d := 0; end;
			rule "z" z = 0 ==> begin z := 1; end;
			rule "undefine" !isundefined(d) ==> begin undefine d; end;
			rule "errs" z = 0 & d = 1 ==> begin end;`,
		"what is false in a guard hides an error": `
			var x, y, z: 0..1;
			startstate begin x := 0; undefine y; z := 0; end;
			rule "define" isundefined(y) ==> begin y := 0; end;
			rule "x" x = 0 ==> begin x := 1; end;
			rule "errs" x = 1 & y = 0 & z = 1 ==> begin end;`,
		"what is false in a guard hides an error of two leaves": `
			var x, y, z: 0..1; a: array[0..1] of 0..1;
			startstate begin x := 0; undefine y; z := 0; a[0] := 0; a[1] := 0; end;
			rule "define" isundefined(y) ==> begin y := 0; end;
			rule "x" x = 0 ==> begin x := 1; end;
			rule "errs" x = 1 & a[0] = y & z = 1 ==> begin end;`,
		"what was copied while it was undefined may err later": `
			var z, d, p: 0..1;
			startstate begin z := 0; d := 0; p := 0; end;
			rule "z" z = 0 ==> begin z := 1; end;
			rule "copy" !isundefined(d) ==> begin undefine p; d := p; p := 0; end;
			rule "errs" z = 0 & d = 1 ==> begin end;`,
		"a step assumes what another one must do first": `
			var x, y: 0..1;
			startstate begin x := 0; y := 0; end;
			rule "x" x = 0 ==> begin x := 1; end;
			rule "y" y = 0 ==> begin y := 1; end;
			rule "assumes" x = 0 ==> begin assume y = 1; error "y before x"; end;`,
		"what is assumed of all states must be made true first": `
			var x, y, z: 0..1;
			startstate begin x := 0; y := 0; z := 0; end;
			assume "y before z" z = 0 | y = 1;
			rule "x" x = 0 ==> begin x := 1; end;
			rule "y" y = 0 ==> begin y := 1; end;
			rule "z" x = 0 ==> begin z := 1; end;
			rule "bad" z = 1 ==> begin error "z before x"; end;`,
		"an index is written": `
			var x, y: 0..1; a: array[0..1] of 0..2;
			startstate begin x := 0; y := 0; a[0] := 0; a[1] := 0; end;
			rule "use" a[1] = 0 ==> begin a[1] := 1; end;
			rule "index" x = 0 ==> begin x := 1; end;
			rule "other" a[x] = 0 & x = 1 ==> begin error "other first"; end;`,
		"an index is written later": `
			var x, y: 0..1; a: array[0..1] of 0..2;
			startstate begin x := 0; y := 0; a[0] := 0; a[1] := 0; end;
			rule "use" a[1] = 0 ==> begin a[1] := 1; end;
			rule "first" y = 0 ==> begin y := 1; end;
			rule "index" y = 1 & x = 0 ==> begin x := 1; end;
			rule "other" a[x] = 0 & x = 1 ==> begin error "other first"; end;`,
	} {
		p := parse(t, src, murphi.Options{})
		full := searched(t, p, explicit.Options{All: true})
		some := searched(t, p, explicit.Options{All: true, Stubborn: true})
		if a, b := violated(p, full), violated(p, some); a == "" || a != b {
			t.Errorf("%s: %q with all steps, %q with stubborn sets", name, a, b)
		}
	}
}

// independent returns the text of processes that seldom meet.
func independent(r *rand.Rand) string {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	var w strings.Builder
	w.WriteString("type P: scalarset(3); L: 0..3;\nvar pc: array[P] of L; x: array[P] of 0..2; g: P; n: 0..2; f: array[P] of boolean; k: array[P] of 0..1; s: array[0..1] of 0..2;\n")
	w.WriteString("startstate for p: P do pc[p] := 0; x[p] := 0; f[p] := false; k[p] := 0; end; n := 0; s[0] := 0; s[1] := 0; end;\n")
	for i := range 3 + r.IntN(4) {
		fmt.Fprintf(&w, "ruleset p: P do rule \"r%d\" pc[p] = %d", i, r.IntN(4))
		for range r.IntN(2) {
			w.WriteString(" & " + pick("x[p] < 2", "x[p] = 1", "n = 0", "n < 2", "f[p]", "!f[p]", "!isundefined(g)", "g = p", "s[k[p]] = 0", "s[1 - k[p]] < 2"))
		}
		fmt.Fprintf(&w, " ==> begin pc[p] := %d; ", r.IntN(4))
		for range r.IntN(3) {
			w.WriteString(pick("x[p] := (x[p] + 1) % 3; ", "x[p] := 0; ", "x[p] := 2; ", "f[p] := !f[p]; ", "f[p] := true; ", "x[p] := pc[p] % 3; ", "n := n + 1; ", "n := 0; ", "g := p; ", "assume n = 0; ", "assume !f[p]; ",
				`assert n != 2 "n"; `, `if x[p] = 2 & f[p] then error "x"; end; `, "if g = p then undefine g; end; ", "for q: P do f[q] := false; end; ",
				"k[p] := 1 - k[p]; ", "s[k[p]] := 1; ", "s[k[p]] := s[k[p]] + 1; ", "s[0] := 0; ", "k[p] := 1; s[k[p]] := 2; "))
		}
		w.WriteString("end; end;\n")
	}
	if r.IntN(4) == 0 {
		w.WriteString("assume \"a\" " + pick("n != 1 | s[0] = 1", "forall p: P do x[p] = 0 | f[p] end") + ";\n")
	}
	for i := range max(0, r.IntN(4)-1) {
		fmt.Fprintf(&w, "invariant \"i%d\" forall p: P do %s | %s end;\n", i, pick("pc[p] != 3", "f[p]", "x[p] < 2"), pick("n < 2", "x[p] = 0", "pc[p] < 2"))
	}
	return w.String()
}

func TestStubbornRandom(t *testing.T) {
	less := 0
	seeds := []uint64{17894} // of a set that had been given up, and was fired
	for seed := range uint64(rounds()) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 24))
		src := independent(r)
		if seed%3 == 0 {
			src = randomModel(r)
		}
		o := murphi.Options{Deadlock: model.DeadlockMode(r.IntN(3))}
		if r.IntN(2) == 0 {
			o.Dialect = model.Rumur
		}
		p := parse(t, src, o)
		full := searched(t, p, explicit.Options{All: true})
		want := violated(p, full)
		for _, canon := range []explicit.Canon{explicit.None, explicit.Exact, explicit.Sorted} {
			opt := explicit.Options{Canon: canon, Blocks: all(p.Model), All: true, Stubborn: true}
			some := searched(t, p, opt)
			if got := violated(p, some); got != want {
				t.Fatalf("seed %d, %v: %q with stubborn sets, %q without\n%s", seed, canon, got, want, src)
			}
			opt.Threads = 2
			if a, b := written(p, some), outcome(p, opt, 2); a != b {
				t.Fatalf("seed %d, %v: other results with two threads\n%s\n%s", seed, canon, a, b)
			}
			if canon == explicit.None {
				if full.Complete && some.States > full.States {
					t.Fatalf("seed %d: %d states, %d without stubborn sets", seed, some.States, full.States)
				}
				if some.States < full.States {
					less++
				}
			}
		}
	}
	t.Logf("fewer states in %d models", less)
	if less < 25 {
		t.Error("stubborn sets hardly do anything")
	}
}

// tampered is a closure in whose stubborn sets something is left out, or to which no set belongs.
type tampered struct {
	evidence.Ordered
	sets   int // members with one
	leaves func(set []int32) []int32
	whole  bool // no member has a set
}

func (t *tampered) Reduced(i int64) bool {
	if !t.Ordered.Reduced(i) || t.whole {
		return false
	}
	t.sets++
	return true
}

func (t *tampered) Stubborn(i int64, s model.State, can []model.Choice) []int32 {
	return t.leaves(t.Ordered.Stubborn(i, s, can))
}

// proofOf runs a search with stubborn sets for some properties, or all, checks its evidence, and returns what is violated or
// hit, too. None of them is open.
func proofOf(t *testing.T, p *model.Program, canon explicit.Canon, threads int, props ...int) (problem *mc.Problem, r *mc.Result, bad string) {
	t.Helper()
	problem = &mc.Problem{OfModel: mc.OfModel{Model: p.Model, Program: p, Blocks: all(p.Model)}, Props: props}
	for i := range p.Model.Props {
		if props == nil {
			problem.Props = append(problem.Props, i)
		}
	}
	r, err := (&explicit.Engine{Canon: canon, Threads: threads, Stubborn: true}).Run(t.Context(), problem, mc.Options{All: true})
	if err == nil {
		err = certify.Verify(t.Context(), problem, r)
	}
	if err != nil {
		t.Fatal(err)
	}
	shown := make([]bool, len(p.Model.Props))
	for _, pr := range r.Props {
		if pr.Status == mc.Unknown {
			t.Fatalf("%q is open", p.Model.Props[pr.Prop].Name)
		}
		shown[pr.Prop] = pr.Status == mc.ByTrace(p.Model.Props[pr.Prop].Kind)
	}
	return problem, r, namesOf(p, shown)
}

// TestStubbornProof: what a search with stubborn sets calls safe is so by the search that fires all, the check of the states
// and sets accepts it, and it notices most sets from which something is missing.
func TestStubbornProof(t *testing.T) {
	proofs, refused, still := 0, 0, 0
	for seed := range uint64(rounds()) {
		r := rand.New(rand.NewPCG(seed, 25))
		src := independent(r)
		if seed%3 == 0 {
			src = randomModel(r)
		}
		o := murphi.Options{Deadlock: model.DeadlockMode(r.IntN(3)), Dialect: model.Dialect(r.IntN(2))}
		p := parse(t, src, o)
		canon := []explicit.Canon{explicit.None, explicit.Exact, explicit.Sorted}[r.IntN(3)]
		problem, got, bad := proofOf(t, p, canon, 1+r.IntN(2))
		if want := violated(p, searched(t, p, explicit.Options{All: true})); bad != want {
			t.Fatalf("seed %d, %v: %q with stubborn sets, %q without\n%s", seed, canon, bad, want, src)
		}
		one := r.IntN(len(p.Model.Props))
		_, _, alone := proofOf(t, p, canon, 1, one)
		if want := violated(p, searched(t, p, explicit.Options{All: true, Props: []int{one}})); alone != want {
			t.Fatalf("seed %d, %v, one property: %q with stubborn sets, %q without\n%s", seed, canon, alone, want, src)
		}
		if got.Closure == nil { // nothing was left to look for
			continue
		}
		in := got.Closure.(evidence.Ordered)
		for _, c := range []*tampered{
			{whole: true},
			{leaves: func(set []int32) []int32 { return set[:len(set)-1] }},
			{leaves: func(set []int32) []int32 { return set[1:] }},
			{leaves: func(set []int32) []int32 { k := r.IntN(len(set)); return set[k : k+1] }},
		} {
			c.Ordered, got.Closure = in, c
			err := certify.Verify(t.Context(), problem, got)
			switch {
			case err != nil:
				refused++
			case c.sets > 0:
				still++
			}
		}
		sets := 0
		for i := range in.Len() {
			if in.Reduced(i) {
				sets++
			}
		}
		if sets > 0 && strings.Count(bad, ",") < len(got.Props)-1 {
			proofs++
		}
	}
	t.Logf("%d proofs with stubborn sets; of those with less, %d are refused and %d are not", proofs, refused, still)
	if proofs < 25 || refused < 2*still {
		t.Error("hardly anything is shown")
	}
}

// TestStubbornSmall: all pairs of rules over two bits, one of them of another process, with a third rule that makes a
// cycle: stubborn sets and all instances give the same verdicts, and the evidence is accepted.
func TestStubbornSmall(t *testing.T) {
	guards := []string{"true", "x", "!x", "y", "!y", "x & y", "x | y", "k != 0 & y", "k = 1 | q[k]"}
	bodies := []string{"x := true;", "x := false;", "y := true;", "y := !x;", "x := y;", "k := 1;", "q[k] := true;", "if y then x := true; end;", `if x then error "e"; end;`, "assume y; x := true;"}
	n, sets := 0, int64(0)
	for _, guard1 := range guards {
		for _, body1 := range bodies {
			for _, guard2 := range guards {
				for _, body2 := range bodies {
					for _, rule := range []string{"", `rule "c" true ==> begin z := !z; end;`, `rule "c" !z ==> begin z := true; end;`} {
						if n++; !nightly.On() && n%7 != 0 {
							continue
						}
						src := fmt.Sprintf(`var x, y, z: boolean; k: 0..1; q: array[0..1] of boolean;
startstate begin x := false; y := false; z := false; k := 0; q[0] := false; q[1] := false; end;
rule "a" %s ==> begin %s end; rule "b" %s ==> begin %s end; %s
invariant "i" !(x & y); invariant "j" !q[1] | x; cover "h" z & y;`, guard1, body1, guard2, body2, rule)
						p := parse(t, src, murphi.Options{Dialect: model.Dialect(n % 2), Deadlock: model.DeadlockMode(n % 3)})
						_, got, bad := proofOf(t, p, explicit.None, 1)
						if want := violated(p, searched(t, p, explicit.Options{All: true})); bad != want {
							t.Fatalf("%q with stubborn sets, %q without\n%s", bad, want, src)
						}
						for i := int64(0); got.Closure != nil && i < got.Closure.Len(); i++ {
							if got.Closure.(evidence.Ordered).Reduced(i) {
								sets++
							}
						}
					}
				}
			}
		}
	}
	t.Logf("%d models, %d stubborn sets", n, sets)
	if sets < 100 {
		t.Error("hardly any stubborn sets")
	}
}

func TestStubbornLimits(t *testing.T) {
	p := parse(t, `var s: multiset[2] of 0..1; startstate undefine s; end; rule true ==> begin end;`, murphi.Options{})
	if _, err := explicit.Run(context.Background(), p, explicit.Options{Stubborn: true}); err == nil || !strings.Contains(err.Error(), "multisets") {
		t.Error(err)
	}
}

func rounds() int {
	if nightly.On() {
		return 20_000
	}
	return 300
}
