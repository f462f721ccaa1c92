package explicit_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orbitmc/encode/promela"
	"orbitmc/internal/portfolio"
	"orbitmc/internal/prog"
	"orbitmc/internal/task"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/internal/trace"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/model/traces"
)

// randomTreeProgram returns a small random program of interchangeable processes and another one.
func randomTreeProgram(r *rand.Rand) string {
	of := func(all ...string) string { return all[r.IntN(len(all))] }
	stmt := func() string {
		return of("x = (x + 1) % 3", "y = 1 - y", "z = x % 2", "x = z", "c!z", "c?z", "c?_", "c!1", "x == y", "x > 0", "z = 1 - z", "z == 0", "d_step { y = x % 2; x = 0 }",
			"if :: x > 1 -> y = 1 :: else -> y = 0 fi", "if :: timeout -> x = 2 :: y == 0 fi", "assert(x != 1)", "atomic { y = 1; x = 2 }")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "byte x; bit y; chan c = [%d] of { bit };\n", r.IntN(2))
	body := func(run string) {
		b.WriteString(" { bit z; " + run)
		loop := r.IntN(2) == 0
		if loop {
			b.WriteString("do :: ")
		}
		for range 1 + r.IntN(2) {
			b.WriteString(stmt() + "; ")
		}
		if b.WriteString("L: " + stmt()); loop {
			b.WriteString(" od")
		}
		b.WriteString(" }\n")
	}
	fmt.Fprintf(&b, "active [%d] proctype P()", 1+r.IntN(2))
	body("")
	run := ""
	if r.IntN(4) == 0 {
		b.WriteString("proctype R() { bit k; k = y; x = k }\n")
		run = of("run R(); ", "run R(); run R(); ")
	}
	b.WriteString("active proctype Q()")
	body(run)
	return b.String()
}

// leaves numbers the conditions of a formula and returns them.
func (n *treeNode) leaves(conds []string) []string {
	if n.op == "" {
		n.is, n.atom = true, len(conds)
		return append(conds, n.text)
	}
	conds = n.x.leaves(conds)
	if n.y != nil {
		conds = n.y.leaves(conds)
	}
	return conds
}

// spelled writes a formula as it is written for programs.
func (n *treeNode) spelled() string {
	return strings.NewReplacer(" & ", " && ", " | ", " || ").Replace(n.String())
}

// TestProgramTrees: verdicts on random formulas in computation tree logic of random programs are those of their meaning
// on the graph of all states, with and without symmetry; AG (p -> AF q) is what linear temporal logic says of all runs.
func TestProgramTrees(t *testing.T) {
	violated, held, quotient, back, excluded, fairs := 0, 0, 0, 0, 0, 0
	file := filepath.Join(t.TempDir(), "x.pml")
	decide := func(src string, opt task.Options) *mc.Result {
		x, err := task.Open(t.Context(), file, opt)
		if err != nil {
			t.Fatalf("%v\n%s%v", err, src, opt)
		}
		engines, err := portfolio.Engines(x, "explicit")
		if err != nil {
			t.Fatal(err)
		}
		out, err := portfolio.Run(t.Context(), x, engines, portfolio.Options{Options: mc.Options{All: true}})
		if err != nil {
			t.Fatalf("%v\n%s%v", err, src, opt)
		}
		x.Polish(out.Result)
		return out.Result
	}
	for seed := range uint64(nightly.Or(120, 8000)) {
		r := rand.New(rand.NewPCG(seed, 31))
		src := randomTreeProgram(r)
		if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
			t.Fatal(err)
		}
		cond := func() string {
			as := []string{"x == 0", "x == 1", "x < 2", "y == 0", "y == x", "Q@L", "len(c) == 0", "P@L", "P[0]@L", "x == 0 && y == 1", "P[0]@L -> x == 1"}
			return as[r.IntN(len(as))]
		}
		n := randomTree(r, 1+r.IntN(4), cond)
		if r.IntN(2) == 0 {
			n = &treeNode{op: "AG", x: n}
		}
		conds := n.leaves(nil)
		trees := []string{"t: " + n.spelled()}
		for k, c := range conds {
			trees = append(trees, fmt.Sprintf("c%d: AX (%s)", k, c))
		}
		read, err := promela.ReadFile(file, promela.Options{Trees: trees})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s%v", seed, err, src, trees)
		}
		p := model.Compile(read.Model)
		g, m := plain(p), p.NewMachine()
		var fair []string
		if r.IntN(2) == 0 {
			fair = [][]string{{"weak:*"}, {"strong:*"}, {"weak:P"}, {"strong:Q", "weak:P"}}[r.IntN(4)]
		}
		if len(g.states) > 3000 || len(g.states) > 300 && fair != nil {
			continue
		}
		if fair != nil {
			fairly, err := promela.ReadFile(file, promela.Options{Trees: trees, Fair: fair})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s%v", seed, err, src, fair)
			}
			g.fairly(t, model.Compile(fairly.Model))
			fairs++
		}
		atoms := make([][]bool, len(conds))
		props := make(map[string]*model.Property)
		for _, q := range p.Model.Props {
			props[q.Name] = q
		}
		for k := range conds {
			q := props[fmt.Sprint("c", k)]
			for _, s := range g.states {
				next := q.Tree.Formula.X.X.X.Holds(func(i int) bool { // of !EX !x
					ok, v := m.Holds(s, q.Tree.Atoms[i].Index, nil)
					return ok && v == nil
				}, nil)
				atoms[k] = append(atoms[k], next)
			}
		}
		top := n
		if n.op == "AG" {
			top = n.x
		}
		depth := -1
		for i, holds := range g.of(top, atoms) {
			if !holds && (top != n && (g.fair == nil || g.begins[i]) || top == n && g.depth[i] == 0) && (depth < 0 || g.depth[i] < depth) {
				depth = g.depth[i]
			}
		}
		sizes := make(map[string]int64)
		for _, symmetry := range []string{"auto", "off"} {
			res := decide(src, task.Options{Symmetry: symmetry, Trees: trees[:1], Fair: fair})
			pr := res.Props[len(res.Props)-1]
			for _, x := range res.Props {
				if read.Model.Props[x.Prop].Kind == model.Branching {
					pr = x
				}
			}
			if want := map[bool]mc.Status{true: mc.Safe, false: mc.Unsafe}[depth < 0]; pr.Status != want || depth >= 0 && len(n.op) == 2 && n.op != "->" && pr.Depth != depth {
				t.Fatalf("seed %d, symmetry %s: %s is %v at depth %d, not %v at %d\n%s", seed, symmetry, trees[0], pr.Status, pr.Depth, want, depth, src)
			}
			sizes[symmetry] = res.Stats.States
		}
		if depth < 0 {
			held++
		} else {
			violated++
		}
		if sizes["auto"] < sizes["off"] {
			quotient++
		}
		if props["t"].Tree.Formula.Back() {
			if back++; sizes["off"] != int64(len(g.states)) || sizes["auto"] != sizes["off"] {
				t.Fatalf("seed %d: %v states of %d\n%s%s", seed, sizes, len(g.states), src, trees[0])
			}
		}
		x, y := cond(), cond()
		tree := decide(src, task.Options{Trees: []string{fmt.Sprintf("f: AG ((%s) -> AF (%s))", x, y)}, Fair: fair})
		formula := fmt.Sprintf("f: [] ((%s) -> <> (%s))", x, y)
		line := decide(src, task.Options{Formulas: []string{formula}, Fair: fair})
		if tree.Verdict() != line.Verdict() || tree.Verdict() == mc.Unknown {
			t.Fatalf("seed %d: %s leads to %s: %v, and of runs %v\n%s", seed, x, y, tree.Verdict(), line.Verdict(), src)
		}
		if run := line.Props[len(line.Props)-1].Lasso; run != nil && fair == nil {
			excluded += excludedBy(t, file, formula, run)
		}
	}
	t.Logf("%d violations, %d formulas that hold, %d with fewer states under symmetry, %d that look back, %d runs that fairness excludes, %d programs with fairness", violated, held, quotient, back, excluded, fairs)
	if violated < 30 || held < 30 || quotient < 8 || back < 10 || excluded < 5 || fairs < 30 {
		t.Errorf("%d violations, %d formulas that hold, %d with fewer states under symmetry, %d that look back", violated, held, quotient, back)
	}
}

// TestLooksBackStates: a formula that looks back speaks of the states that SPIN has. Where variables begin without a
// value there are others, which have the same future.
func TestLooksBackStates(t *testing.T) {
	states := func(formula string, reset bool) int {
		p, err := promela.ReadFile("../../benchmarks/promela/mail_handed.pml", promela.Options{Defines: map[string]string{"N": "2"}, Reset: reset, Trees: []string{"f: " + formula}})
		if err != nil {
			t.Fatal(err)
		}
		return len(plain(model.Compile(p.Model)).states)
	}
	spin := states("AG EF full(box[0])", false)
	for _, formula := range []string{"AG (full(box[0]) -> EY nfull(box[0]))", "EF !EP full(box[0])", "AX AH nfull(box[0])", "EF E [nfull(box[0]) S full(box[0])]"} {
		if n := states(formula, true); n != spin {
			t.Errorf("%s: %d states, not %d", formula, n, spin)
		}
	}
	if n := states("AG EF full(box[0])", true); n == spin {
		t.Errorf("no variable begins without a value: %d states", n)
	}
}

// excludedBy checks what is told of a run that violates a formula of a program by adding fairness of all processes, and
// returns 1 if some excludes the run.
func excludedBy(t *testing.T, file, formula string, r *model.Lasso) int {
	read := func(fair ...string) *prog.Program {
		p, err := promela.ReadFile(file, promela.Options{Formulas: []string{formula}, Fair: fair, Reset: true})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	excludes := func(fair string) bool {
		p := read(fair)
		return traces.CheckLasso(model.Compile(p.Model), model.FormulaInstance{Formula: p.Model.Formulas[0]}, r) != nil
	}
	p := read()
	f := trace.NewFair(model.Compile(p.Model), r, p)
	weak, strong := excludes("weak:*"), excludes("strong:*")
	if weak != (f.Weak != nil) || strong != (f.Weak != nil || f.Strong != nil) || f.Option != "" && !excludes(f.Option) {
		t.Fatalf("%s: weak fairness excludes the run: %v, strong fairness: %v; %q", formula, weak, strong, f.Lines())
	}
	if strong {
		return 1
	}
	return 0
}
