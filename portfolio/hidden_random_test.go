package portfolio

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orbitmc/explicit"
	"orbitmc/mc"
	"orbitmc/task"
)

// hidingModel returns the text of a random model with quantifiers that may stop before an
// operand that errs: in guards, bodies, functions, properties and their parameters.
func hidingModel(r *rand.Rand) string {
	pick := func(ss ...string) string { return ss[r.IntN(len(ss))] }
	// Of component x: what is always defined, and what may be undefined.
	sure := func(x string) string {
		return strings.ReplaceAll(pick("a[$] = 0", "a[$] > 0", "a[$] = 1", "!isundefined(u[$])", "n > 0", "isundefined(g)"), "$", x)
	}
	maybe := func(x string) string {
		return strings.ReplaceAll(pick("u[$]", "!u[$]", "w[$] = 1", "v[$] = $", "a[v[$]] = 1", "u[v[$]]"), "$", x)
	}
	term := func(x string) string {
		return fmt.Sprintf(pick("(%[1]s & %[2]s)", "(%[1]s -> %[2]s)", "(%[2]s | %[1]s)", "%[2]s", "(%[1]s | %[2]s)"), sure(x), maybe(x))
	}
	quant := func() string {
		inner := term("q")
		if r.IntN(4) == 0 {
			inner = fmt.Sprintf("%s (%s p: P do %s end)", sure("q")+pick(" &", " |", " ->"), pick("forall", "exists"), term("p"))
		}
		return fmt.Sprintf("%s q: P do %s end", pick("forall", "exists"), inner)
	}
	write := func(x string) string {
		s := pick("a[$] := 1 - a[$]", "u[$] := true", "u[$] := false", "undefine u[$]", "w[$] := 1", "undefine w[$]", "v[$] := $", "undefine v[$]",
			"n := 1 - n", "g := $", "undefine g", "a[$] := 1; u[$] := true; v[$] := $", "if "+term("$")+" then a[$] := 0; end",
			"if "+quant()+" then n := 1; end", "if some() then n := 0; end", "for y: P do if a[y] = 1 then u[y] := true; end; end")
		return strings.ReplaceAll(s, "$", x)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `type P: scalarset(3);
var a: array [P] of 0..1; u: array [P] of boolean; w: array [P] of 0..1; v: array [P] of P; n: 0..1; g: P;
function some(): boolean; begin return %s; end;
startstate for p: P do a[p] := 0; undefine u[p]; undefine w[p]; undefine v[p]; end; n := 0; undefine g; end;
`, quant())
	for i := range 2 + r.IntN(2) {
		guard := pick(sure("p"), sure("p"), sure("p")+" & "+maybe("p"), "("+quant()+")", sure("p")+" & ("+quant()+")", "some()")
		fmt.Fprintf(&b, "ruleset p: P do rule \"r%d\" %s ==> %s; %s; end; end;\n", i, guard, write("p"), write("p"))
	}
	if r.IntN(2) == 0 {
		fmt.Fprintf(&b, "rule \"all\" %s ==> n := 1 - n; end;\n", quant())
	}
	fmt.Fprintf(&b, "invariant \"i\" %s;\n", quant())
	fmt.Fprintf(&b, "ruleset p: P do invariant \"j\" %s; end;\n", term("p"))
	if r.IntN(3) == 0 {
		fmt.Fprintf(&b, "assume \"k\" %s;\n", quant())
	}
	return b.String()
}

// TestHiddenRandom compares explicit search under symmetry that counts as long as no error is
// hidden, by one thread and by two, with search without symmetry.
func TestHiddenRandom(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hiding.m")
	models, from := 250, uint64(0)
	if os.Getenv("ORBITMC_LONG") != "" {
		models = 20_000
	}
	if s := os.Getenv("ORBITMC_FROM"); s != "" {
		if _, err := fmt.Sscan(s, &from); err != nil {
			t.Fatal(err)
		}
	}
	kept, fell, fewer := 0, 0, 0
	for k := range models {
		src := hidingModel(rand.New(rand.NewPCG(from+uint64(k), 5)))
		if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		fail := func(err error) { t.Fatalf("model %d: %v\n%s", from+uint64(k), err, src) }
		for _, all := range []bool{true, false} {
			ref, err := decide(file, "explicit", "off", task.Options{}, mc.Options{All: true})
			if err != nil {
				fail(err)
			}
			e, err := decide(file, "explicit", "auto", task.Options{}, mc.Options{All: all})
			if err == nil {
				err = e.agrees(ref, all)
			}
			if err != nil {
				fail(err)
			}
			p := e.out.Problem
			if !all || p == nil {
				continue
			}
			x, err := task.Open(t.Context(), file, task.Options{})
			if err != nil {
				fail(err)
			}
			plain, err := x.Plain(t.Context())
			if err != nil {
				fail(err)
			}
			quick, err := x.Quick(t.Context(), plain)
			if err != nil {
				fail(err)
			}
			if len(quick.Problem.Strict) == 0 {
				continue
			}
			if len(p.Strict) == 0 {
				fell++
			} else if kept++; e.out.Each[0].Stats.States < ref.out.Each[0].Stats.States {
				fewer++
			}
			// By two threads what is hidden is found, or not, as by one.
			one, err := (&explicit.Engine{Canon: explicit.Exact}).Run(t.Context(), quick.Problem, mc.Options{All: true})
			if err != nil {
				fail(err)
			}
			two, err := (&explicit.Engine{Canon: explicit.Exact, Threads: 2}).Run(t.Context(), quick.Problem, mc.Options{All: true})
			if err != nil {
				fail(err)
			}
			if one.Hidden != two.Hidden || !one.Hidden && one.Stats.States != two.Stats.States || one.Hidden != (len(p.Strict) == 0) {
				fail(fmt.Errorf("one thread: hidden %v, %d states; two: %v, %d", one.Hidden, one.Stats.States, two.Hidden, two.Stats.States))
			}
		}
	}
	t.Logf("%d models keep the symmetry, %d of them with fewer states; %d fall back", kept, fewer, fell)
	if kept < models/50 || fewer < models/100 || fell < models/50 {
		t.Errorf("of %d models %d keep the symmetry, %d of them with fewer states; %d fall back", models, kept, fewer, fell)
	}
}
