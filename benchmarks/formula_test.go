package benchmarks_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/portfolio"
	"orbitmc/internal/task"
	"orbitmc/internal/testkit/emptiness"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/internal/trace"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/model/traces"
)

// randomProtocol returns a random model of components with few states, symmetric but for what a
// shared variable or an owner breaks.
func randomProtocol(rng *rand.Rand, mails bool) string {
	var b strings.Builder
	n := 2 + rng.IntN(2)
	kind := fmt.Sprintf("scalarset(%d)", n)
	if rng.IntN(4) == 0 {
		kind = fmt.Sprintf("0..%d", n-1)
	}
	fmt.Fprintf(&b, "type P: %s; S: 0..2;\nvar a: array[P] of S; x: 0..1; o: P;\n", kind)
	sends := ""
	if mails {
		fmt.Fprintf(&b, "mail: multiset[2] of record dst: P; what: 0..1; end;\n")
		b.WriteString("procedure send(p: P; w: 0..1); var m: record dst: P; what: 0..1; end; begin if multisetcount(i: mail, true) < 2 then m.dst := p; if x = 0 then m.what := w; end; multisetadd(m, mail); end; end;\n")
		sends = fmt.Sprintf("send(p, %d);", rng.IntN(2))
	}
	local := func() string { return fmt.Sprintf("a[p] %s %d", pickOf(rng, "=", "=", "!="), rng.IntN(3)) }
	cond := func() string {
		return pickOf(rng, local(), local(), "x = "+fmt.Sprint(rng.IntN(2)), "!isundefined(o) & o = p", "isundefined(o)", "exists q: P do a[q] = "+fmt.Sprint(rng.IntN(3))+" end")
	}
	set := func() string {
		return pickOf(rng, "", fmt.Sprintf("a[p] := %d;", rng.IntN(3)), fmt.Sprintf("a[p] := %d;", rng.IntN(3)), fmt.Sprintf("x := %d;", rng.IntN(2)), "x := 1 - x;", "o := p;", "undefine o;", sends, sends)
	}
	fmt.Fprintf(&b, "startstate \"go\" begin for p: P do a[p] := %d; end; x := %d; undefine o; end;\n", rng.IntN(2), rng.IntN(2))
	fmt.Fprintf(&b, "ruleset p: P do\n")
	for r := range 2 + rng.IntN(3) {
		fmt.Fprintf(&b, "rule \"r%d\" (%s) & (%s) ==> begin %s %s end;\n", r, local(), cond(), set(), set())
	}
	if rng.IntN(3) == 0 { // some run errs
		fmt.Fprintf(&b, "rule \"err\" %s & %s ==> begin %s end;\n", local(), cond(), pickOf(rng, "error \"e\";", "a[o] := 1;", "a[p] := a[p] + 1;"))
	}
	b.WriteString("end;\n")
	if mails {
		fmt.Fprintf(&b, "choose i: mail do rule \"take\" %s ==> begin %s; multisetremove(i, mail); end; end;\n", pickOf(rng, "true", "mail[i].what = 0", "x = 0", "a[mail[i].dst] = 0"),
			pickOf(rng, "a[mail[i].dst] := 0", "a[mail[i].dst] := 1", "x := mail[i].what", "a[mail[i].dst] := 2", "o := mail[i].dst"))
	}
	fmt.Fprintf(&b, "rule \"flip\" %s ==> begin x := %d; end;\n", pickOf(rng, "true", "x = 0", "x = 1"), rng.IntN(2))
	return b.String()
}

func pickOf(rng *rand.Rand, among ...string) string { return among[rng.IntN(len(among))] }

// randomFormula returns a random formula about a component p.
func randomFormula(rng *rand.Rand, depth int) string {
	if depth == 0 || rng.IntN(8) == 0 {
		return pickOf(rng, fmt.Sprintf("a[p] = %d", rng.IntN(3)), fmt.Sprintf("a[p] != %d", rng.IntN(3)), "x = 0", "x = 1", "isundefined(o)", "o = p")
	}
	x, y := randomFormula(rng, depth-1), randomFormula(rng, depth-1)
	switch rng.IntN(10) {
	case 0, 1:
		return "F (" + x + ")"
	case 2, 3:
		return "G (" + x + ")"
	case 4:
		return "X (" + x + ")"
	case 5:
		return "!(" + x + ")"
	case 6:
		return fmt.Sprintf("(%s) %s (%s)", x, pickOf(rng, "U", "W", "R"), y)
	case 7:
		return fmt.Sprintf("(%s) & (%s)", x, y)
	case 8:
		return fmt.Sprintf("(%s) | (%s)", x, y)
	}
	return fmt.Sprintf("(%s) -> (%s)", x, y)
}

// graphOf writes a model to a file in a folder, and returns the file, the model with a formula, and its graph of all
// states.
func graphOf(t *testing.T, dir, text, formula string, fair []string) (file string, m *model.Model, g *emptiness.Graph) {
	t.Helper()
	file = filepath.Join(dir, "x.m")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	m, err := murphi.ReadFile(file, murphi.Options{Formulas: []string{formula}, Fair: fair})
	if err == nil {
		g, err = emptiness.NewGraph(t.Context(), model.Compile(m), 20_000, true)
	}
	if err != nil {
		t.Fatalf("%v\n%s%s %v", err, text, formula, fair)
	}
	return file, m, g
}

// TestFormulasRandom: on random models with random formulas and fairness, the engines agree with the
// components of the graph of all states. Lassos are replayed in the interpreter before a verdict.
func TestFormulasRandom(t *testing.T) {
	models, from := 10, 0
	if nightly.On() {
		models = 3_000
		fmt.Sscan(os.Getenv("ORBITMC_SYSTEMS"), &models)
		fmt.Sscan(os.Getenv("ORBITMC_FROM"), &from)
	}
	dir := t.TempDir()
	safe, unsafe, frames, steps := 0, 0, 0, 0
	for seed := from; seed < from+models; seed++ {
		rng := rand.New(rand.NewPCG(uint64(seed), 26))
		text := randomProtocol(rng, false)
		formula := "f: forall p: P: " + pickOf(rng, "", "G ", "G F ", "F G ") + "(" + randomFormula(rng, 3) + ")"
		var fair []string
		for range rng.IntN(4) {
			fair = append(fair, pickOf(rng, "weak:", "strong:")+pickOf(rng, "*", "r0", "r1", "flip"))
		}
		file, m, g := graphOf(t, dir, text, formula, fair)
		var want []bool
		for _, values := range model.InstancesOf(m.Formulas[0].Params) {
			v, err := g.Violates(m.Formulas[0], values)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, v)
		}
		for _, engine := range []string{"bmc", "pdr", "klive", "explicit"} {
			symmetry := pickOf(rng, "auto", "auto", "off")
			x, err := task.Open(t.Context(), file, task.Options{Symmetry: symmetry, Formulas: []string{formula}, Fair: fair})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			engines, err := portfolio.Engines(x, engine)
			if err != nil {
				t.Fatal(err)
			}
			depth := 40
			if engine == "klive" {
				depth = 12
			}
			out, err := portfolio.Run(t.Context(), x, engines, portfolio.Options{Options: mc.Options{All: true, MaxDepth: depth}})
			if err != nil {
				t.Fatalf("seed %d, %s, symmetry %s: %v\n%s%s %v", seed, engine, symmetry, err, text, formula, fair)
			}
			x.Polish(out.Result)
			for i, pr := range out.Result.Props {
				switch {
				case pr.Status == mc.Safe && want[i], pr.Status == mc.Unsafe && !want[i], pr.Status == mc.Unknown && (engine == "bmc" && want[i] || engine == "explicit"):
					t.Fatalf("seed %d, %s, symmetry %s: %s is %v; violated: %v\n%s%s %v", seed, engine, symmetry, x.Problem.Name(pr.Prop), pr.Status, want[i], text, formula, fair)
				case pr.Status == mc.Safe:
					safe++
				case pr.Status == mc.Unsafe:
					unsafe++
					var lasso bytes.Buffer
					if err := x.WriteTrace(&lasso, &pr, ""); err != nil {
						t.Fatalf("seed %d, %s: %v\n%s%s %v", seed, engine, err, text, formula, fair)
					}
					steps += pr.Depth
					most := pr.Depth
					if pr.Path != nil {
						most = len(pr.Path.Inputs) - 1
					}
					frames += most
					if r, err := x.Replay("lasso", lasso.Bytes()); err != nil || r.Depth != pr.Depth {
						t.Fatalf("seed %d, %s: %v, %d frames, %d steps\n%s\n%s%s %v", seed, engine, err, most, pr.Depth, lasso.String(), text, formula, fair)
					}
				}
			}
		}
	}
	t.Logf("%d proofs, %d lassos, %d frames, %d steps", safe, unsafe, frames, steps)
	if safe < models/2 || unsafe < models/2 {
		t.Errorf("%d proofs, %d lassos of %d models", safe, unsafe, models)
	}
	if steps > frames { // a single one may be longer, where it goes around until a variable that does not matter is back
		t.Error("lassos are longer than the paths that they were found on")
	}
}

// TestFormulasExplicit: on random models, with multisets and without, explicit search decides each instance of a
// random formula under random fairness as the components of the graph of all states do, with symmetry and without.
func TestFormulasExplicit(t *testing.T) {
	models, from := 250, 0
	if nightly.On() {
		models = 20_000
		fmt.Sscan(os.Getenv("ORBITMC_SYSTEMS"), &models)
		fmt.Sscan(os.Getenv("ORBITMC_FROM"), &from)
	}
	dir := t.TempDir()
	safe, unsafe, reduced, strong := 0, 0, 0, 0
	for seed := from; seed < from+models; seed++ {
		rng := rand.New(rand.NewPCG(uint64(seed), 59))
		mails := rng.IntN(2) == 0
		text := randomProtocol(rng, mails)
		formula := "f: " + pickOf(rng, "forall p: P: ", "forall p: P: ", "forall p: P: forall q: P: ") + pickOf(rng, "", "G ", "G F ", "F G ") + "(" + randomFormula(rng, 2) + ")"
		var fair []string
		for range rng.IntN(4) {
			name := pickOf(rng, "*", "r0", "r1", "flip")
			if mails && rng.IntN(2) == 0 {
				name = "take"
			}
			fair = append(fair, pickOf(rng, "weak:", "strong:")+name)
		}
		file, m, g := graphOf(t, dir, text, formula, fair)
		states := make(map[string]int64)
		for _, symmetry := range []string{"auto", "off"} {
			x, err := task.Open(t.Context(), file, task.Options{Symmetry: symmetry, Formulas: []string{formula}, Fair: fair})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			engines, err := portfolio.Engines(x, "explicit")
			if err != nil {
				t.Fatal(err)
			}
			out, err := portfolio.Run(t.Context(), x, engines, portfolio.Options{Options: mc.Options{All: true}})
			if err != nil {
				t.Fatalf("seed %d, symmetry %s: %v\n%s%s %v", seed, symmetry, err, text, formula, fair)
			}
			states[symmetry] = out.Result.Stats.States
			for i, values := range model.InstancesOf(m.Formulas[0].Params) {
				violated, err := g.Violates(m.Formulas[0], values)
				if err != nil {
					t.Fatal(err)
				}
				pr := out.Result.Props[i]
				if want := map[bool]mc.Status{true: mc.Unsafe, false: mc.Safe}[violated]; pr.Status != want {
					t.Fatalf("seed %d, symmetry %s: %s is %v, not %v\n%s%s %v", seed, symmetry, x.Problem.Name(pr.Prop), pr.Status, want, text, formula, fair)
				}
				if violated {
					unsafe++
					of := model.FormulaInstance{Formula: m.Formulas[0], Values: values}
					if why := accounted(m, of, pr.Lasso, func(more string) *model.Program {
						other, err := murphi.ReadFile(file, murphi.Options{Formulas: []string{formula}, Fair: append(fair[:len(fair):len(fair)], more)})
						if err != nil {
							t.Fatal(err)
						}
						return model.Compile(other)
					}); why != "" {
						t.Fatalf("seed %d, symmetry %s: %s\n%s%s %v", seed, symmetry, why, text, formula, fair)
					}
				} else if safe++; len(m.Fair.Rules) > 0 && m.Fair.Rules[0].Strong {
					strong++
				}
			}
		}
		if states["auto"] < states["off"] {
			reduced++
		}
	}
	t.Logf("%d proofs, %d under strong fairness, %d lassos; %d of %d models have fewer states under symmetry", safe, strong, unsafe, reduced, models)
	if safe < models/2 || unsafe < models/2 || reduced < models/10 || strong < models/10 {
		t.Errorf("%d proofs, %d under strong fairness, %d lassos, %d with fewer states of %d models", safe, strong, unsafe, reduced, models)
	}
}

// accounted says what is wrong with what is told of a lasso: more returns the model with one more option --fair.
func accounted(m *model.Model, of model.FormulaInstance, r *model.Lasso, more func(fair string) *model.Program) string {
	p := model.Compile(m)
	f := trace.NewFair(p, r, nil)
	if f == nil || f.Stands {
		if r.Erred == (f == nil) && r.Stuck == (f != nil) && (f == nil || f.Weak == nil && f.Strong == nil) {
			return ""
		}
		return fmt.Sprintf("a run that ends, stuck %v, erring %v: %+v", r.Stuck, r.Erred, f)
	}
	excluded := func(fair string) bool { return traces.CheckLasso(more(fair), of, r) != nil }
	if weak, strong := excluded("weak:*"), excluded("strong:*"); weak != (f.Weak != nil) || strong != (f.Weak != nil || f.Strong != nil) {
		return fmt.Sprintf("weak fairness excludes it: %v, strong: %v; but %+v", weak, strong, f)
	}
	if (f.Option == "") != (f.Weak == nil && f.Strong == nil) || f.Option != "" && !excluded(f.Option) {
		return fmt.Sprintf("--fair %q does not exclude it", f.Option)
	}
	can := func(state int) (names []string) {
		p.NewMachine().Successors(r.States[state], func(ch model.Choice, next model.State, _ *model.Violation) bool {
			if next != nil {
				names = append(names, m.FormatChoice(ch))
			}
			return true
		})
		return names
	}
	for _, x := range append(slices.Clone(f.Weak), f.Strong...) {
		if x.State < r.Loop || !strings.Contains(x.Set, `"take"`) && !slices.Contains(can(x.State), x.Set) {
			return fmt.Sprintf("%s cannot fire in state %d", x.Set, x.State)
		}
	}
	for _, k := range f.Kept {
		how, name, _ := strings.Cut(k.Set, " ")
		switch {
		case strings.Contains(name, `"take"`): // an element that it chooses
		case k.Fires > r.Loop && m.FormatChoice(r.Trace.Steps[k.Fires-1].Choice) == name:
		case k.Cannot != nil && how == "weak" && *k.Cannot >= r.Loop && !slices.Contains(can(*k.Cannot), name):
		case k.Fires != 0 || k.Cannot != nil:
			return fmt.Sprintf("%+v", k)
		default:
			for i := r.Loop; i < len(r.States); i++ {
				if slices.Contains(can(i), name) {
					return fmt.Sprintf("%s can fire in state %d", k.Set, i)
				}
			}
		}
	}
	return ""
}
