package explicit_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/certify/states"
	"orbitmc/internal/explicit"
	"orbitmc/internal/testkit/emptiness"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// treeNode is a formula in computation tree logic as the tests mean it.
type treeNode struct {
	op   string // "" is a condition
	x, y *treeNode
	text string

	// The atoms of the property that is read from the text are the largest parts without temporal operators, from left to
	// right.
	is   bool
	atom int
}

// number numbers atoms.
func (n *treeNode) number(atoms *int) {
	if n.is = n.plain() && n.op != "!"; n.is { // a negation is none
		n.atom = *atoms
		*atoms++
		return
	}
	n.x.number(atoms)
	if n.y != nil {
		n.y.number(atoms)
	}
}

// plain reports whether there are no temporal operators.
func (n *treeNode) plain() bool {
	return n == nil || n.op == "" || strings.Contains("! & | ->", n.op) && n.x.plain() && n.y.plain()
}

// randomTree returns a random formula.
func randomTree(r *rand.Rand, depth int, atom func() string) *treeNode {
	n := &treeNode{}
	if depth == 0 || r.IntN(6) == 0 {
		n.text = "(" + atom() + ")"
		return n
	}
	ops := []string{"!", "&", "|", "->", "AX", "AF", "AG", "EX", "EF", "EG", "EY", "EP", "AH", "AU", "AW", "AR", "EU", "EW", "ER", "ES"}
	n.op = ops[r.IntN(len(ops))]
	n.x = randomTree(r, depth-1, atom)
	if strings.Contains("& | ->", n.op) || strings.Contains("UWRS", n.op[len(n.op)-1:]) {
		n.y = randomTree(r, depth-1, atom)
	}
	return n
}

func (n *treeNode) String() string {
	switch {
	case n.op == "":
		return n.text
	case n.y == nil:
		return "(" + n.op + " " + n.x.String() + ")"
	case strings.Contains("& | ->", n.op):
		return "(" + n.x.String() + " " + n.op + " " + n.y.String() + ")"
	}
	return n.op[:1] + " [" + n.x.String() + " " + n.op[1:] + " " + n.y.String() + "]"
}

// plainGraph is the graph of all states and steps.
type plainGraph struct {
	states       []model.State
	depth        []int
	next, before [][]int
	fair         *emptiness.Graph // nil: all paths are fair
	begins       []bool           // a fair path begins here
}

// plain returns the graph. A state in which no rule can fire is its own successor.
func plain(p *model.Program) *plainGraph {
	g, m, number := &plainGraph{}, p.NewMachine(), make(map[string]int)
	add := func(s model.State, d int) int {
		i, ok := number[fmt.Sprint(s)]
		if !ok {
			i = len(g.states)
			number[fmt.Sprint(s)] = i
			g.states, g.depth, g.next, g.before = append(g.states, slices.Clone(s)), append(g.depth, d), append(g.next, nil), append(g.before, nil)
		}
		return i
	}
	m.Starts(func(_ model.Choice, s model.State, _ *model.Violation) bool {
		if s != nil {
			add(s, 0)
		}
		return true
	})
	for i := 0; i < len(g.states); i++ {
		dead := true
		m.Successors(g.states[i], func(_ model.Choice, s model.State, _ *model.Violation) bool {
			dead = false
			if s != nil {
				g.next[i] = append(g.next[i], add(s, g.depth[i]+1))
			}
			return true
		})
		if dead && !m.LeftOut() {
			g.next[i] = []int{i}
		}
		for _, j := range g.next[i] {
			g.before[j] = append(g.before[j], i)
		}
	}
	return g
}

// fairly has formulas speak of fair paths.
func (g *plainGraph) fairly(t *testing.T, p *model.Program) {
	m := *p.Model
	m.Deadlock = model.Stuck // where no rule can fire the state repeats itself
	var err error
	if g.fair, err = emptiness.NewGraph(t.Context(), model.Compile(&m), 10000, false); err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(g.states, g.fair.States, slices.Equal[model.State]) {
		t.Fatal("the states have other numbers")
	}
	g.begins = g.fair.Ever(slices.Repeat([]bool{true}, len(g.states)))
}

// until returns from where a state of y can be reached along steps through states of x.
func until(before [][]int, x, y []bool) []bool {
	out := slices.Clone(y)
	var queue []int
	for i := range out {
		if out[i] {
			queue = append(queue, i)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, i := range before[queue[0]] {
			if x[i] && !out[i] {
				out[i], queue = true, append(queue, i)
			}
		}
	}
	return out
}

// ever returns from where there is a path without end in x: it comes to a state of x that it can come back to within x.
func (g *plainGraph) ever(x []bool) []bool {
	if g.fair != nil {
		return g.fair.Ever(x)
	}
	round := make([]bool, len(x))
	for i := range x {
		from := make([]bool, len(x))
		for _, j := range g.next[i] {
			from[j] = from[j] || x[j]
		}
		round[i] = x[i] && until(g.next, x, from)[i]
	}
	return until(g.before, x, round)
}

// of evaluates a formula in all states by the meaning of each operator, with few dualities.
func (g *plainGraph) of(n *treeNode, atoms [][]bool) []bool {
	if n.is {
		return atoms[n.atom]
	}
	each := func(f func(i int) bool) []bool {
		out := make([]bool, len(g.states))
		for i := range out {
			out[i] = f(i)
		}
		return out
	}
	not := func(x []bool) []bool { return each(func(i int) bool { return !x[i] }) }
	and := func(x, y []bool) []bool { return each(func(i int) bool { return x[i] && y[i] }) }
	or := func(x, y []bool) []bool { return each(func(i int) bool { return x[i] || y[i] }) }
	some := func(next [][]int, x []bool) []bool {
		return each(func(i int) bool { return slices.ContainsFunc(next[i], func(j int) bool { return x[j] }) })
	}
	yes := each(func(int) bool { return true })
	here := func(x []bool) []bool { return each(func(i int) bool { return x[i] && (g.fair == nil || g.begins[i]) }) }
	x := g.of(n.x, atoms)
	var y []bool
	if n.y != nil {
		y = g.of(n.y, atoms)
	}
	switch n.op {
	case "!":
		return not(x)
	case "&":
		return and(x, y)
	case "|":
		return or(x, y)
	case "->":
		return or(not(x), y)
	case "EX":
		return some(g.next, here(x))
	case "AX":
		return not(some(g.next, here(not(x))))
	case "EF":
		return until(g.before, yes, here(x))
	case "AG":
		return not(until(g.before, yes, here(not(x))))
	case "EG":
		return g.ever(x)
	case "AF":
		return not(g.ever(not(x)))
	case "EY":
		return some(g.before, x)
	case "EP":
		return until(g.next, yes, x)
	case "AH":
		return not(until(g.next, yes, not(x)))
	case "ES":
		return until(g.next, x, y)
	case "EU":
		return until(g.before, x, here(y))
	case "EW":
		return or(until(g.before, x, here(y)), g.ever(x))
	case "ER":
		return or(until(g.before, y, here(and(x, y))), g.ever(y))
	case "AU": // no path comes to a state of neither before y, or stays out of y for ever
		return not(or(until(g.before, not(y), here(and(not(x), not(y)))), g.ever(not(y))))
	case "AW":
		return not(until(g.before, not(y), here(and(not(x), not(y)))))
	default: // AR
		return not(until(g.before, not(x), here(not(y))))
	}
}

// verdict returns the least depths at which a property is violated as an atom errs, and as the formula does not hold in a
// start state or, of AG, any state; -1 if it is not. exact is false where the second is not known.
func (g *plainGraph) verdict(m *model.Machine, q *model.Property, n *treeNode) (errs, fails int, exact bool) {
	errs, fails = -1, -1
	violated := func(depth *int, d int) {
		if *depth < 0 || d < *depth {
			*depth = d
		}
	}
	top, always := n, n.op == "AG"
	if always {
		top = n.x
	}
	for _, inst := range model.InstancesOf(q.Params) {
		atoms := make([][]bool, len(q.Tree.Atoms))
		for k, a := range q.Tree.Atoms {
			for i, s := range g.states {
				holds, v := m.Holds(s, a.Index, inst)
				if atoms[k] = append(atoms[k], holds && v == nil); v != nil {
					violated(&errs, g.depth[i])
				}
			}
		}
		for i, holds := range g.of(top, atoms) {
			if !holds && (always && (g.fair == nil || g.begins[i]) || !always && g.depth[i] == 0) {
				violated(&fails, g.depth[i])
			}
		}
	}
	return errs, fails, n.op == "AG" || len(n.op) == 2 && n.op != "->"
}

// treeAtom returns a random condition on p.
func treeAtom(r *rand.Rand) string {
	num := func() string { return fmt.Sprint(r.IntN(3)) }
	as := []string{"a[p] = " + num(), "n = " + num(), "isundefined(b[p])", "isundefined(g)", "forall q: P do a[q] < 2 end", "exists q: P do a[q] = " + num() + " & q != p end", "a[p] > n"}
	if r.IntN(8) == 0 {
		as = []string{"g = p", "b[p] = p", "h[p]"} // these may err
	}
	return as[r.IntN(len(as))]
}

// randomFairness returns fairness of some of the rules of a random model; nil for most models.
func randomFairness(r *rand.Rand, src string) (fair []string) {
	if r.IntN(2) == 0 {
		return nil
	}
	for k := range strings.Count(src, "rule \"r") {
		if r.IntN(2) == 0 {
			fair = append(fair, fmt.Sprintf("%s:r%d", []string{"weak", "strong"}[r.IntN(2)], k))
		}
	}
	return fair
}

// TestTrees: verdicts on random formulas in computation tree logic are those of their meaning on the graph of all states,
// with and without symmetry, for any number of threads, steps kept and size of a tree, and the evidence is accepted.
func TestTrees(t *testing.T) {
	violated, held, quotient, deep, fair, moved := 0, 0, 0, 0, 0, 0
	for seed := range uint64(nightly.Or(90, 8000)) {
		r := rand.New(rand.NewPCG(seed, 23))
		src := randomModel(r)
		if r.IntN(4) == 0 {
			src += "assume n < 2 | forall p: P do a[p] = 0 end;\n"
		}
		opt := murphi.Options{Dialect: model.Dialect(r.IntN(2)), Deadlock: model.DeadlockMode(r.IntN(3))}
		trees := make(map[string]*treeNode)
		for k := range 3 {
			n := randomTree(r, 1+r.IntN(4), func() string { return treeAtom(r) })
			if r.IntN(2) == 0 {
				n = &treeNode{op: "AG", x: n}
			}
			n.number(new(int))
			name := fmt.Sprint("t", k)
			trees[name], opt.Trees = n, append(opt.Trees, fmt.Sprintf("%s: forall p: P: %v", name, n))
		}
		if opt.Fair = randomFairness(r, src); opt.Fair != nil && r.IntN(2) == 0 {
			src += "fairness \"f\" forall p: P do a[p] != 1 end;\n"
		}
		p := parse(t, src, opt)
		if n := enumerate(p).states; n > 1200 || n > 200 && opt.Fair != nil {
			continue
		}
		g, m := plain(p), p.NewMachine()
		if opt.Fair != nil {
			g.fairly(t, p)
		}
		for canon := explicit.None; canon <= explicit.Exact; canon++ {
			problem := &mc.Problem{OfModel: mc.OfModel{Model: p.Model, Program: p, Blocks: all(p.Model)}}
			if canon == explicit.None {
				problem.Blocks = nil
			}
			for i, q := range p.Model.Props {
				if q.Kind == model.Branching {
					problem.Props = append(problem.Props, i)
				}
			}
			if opt.Fair != nil && canon != explicit.None {
				joint, strict, err := states.TypedSets(problem, problem.Blocks, problem.Props)
				if problem.Joint, problem.Typed = joint, err == nil && len(strict) == 0; problem.EachRule() {
					moved++
				}
			}
			if opt.Fair != nil {
				fair++
			}
			opt := mc.Options{All: true}
			if seed%2 == 1 {
				opt.Watch = func(ctx context.Context, p *mc.Problem, cores *mc.Cores) evidence.Watch {
					return states.NewWatch(ctx, p, cores, 0)
				}
			}
			res, err := (&explicit.Engine{Canon: canon, Threads: 1 + r.IntN(3)}).Run(t.Context(), problem, opt)
			if err == nil {
				err = certify.Verify(t.Context(), problem, res)
			}
			if err != nil {
				t.Fatalf("seed %d: %v: %v\n%s%v", seed, canon, err, src, trees)
			}
			for _, pr := range res.Props {
				q := p.Model.Props[pr.Prop]
				n := trees[q.Name]
				errs, fails, exact := g.verdict(m, q, n)
				safe, d := errs < 0 && fails < 0, fails
				if pr.Status == mc.Unsafe && pr.Trace.Violation.Also != nil {
					d, exact = errs, true
				}
				switch {
				case safe && pr.Status != mc.Safe, !safe && (pr.Status != mc.Unsafe || exact && pr.Depth != d):
					t.Fatalf("seed %d: %v: %v is %v at depth %d, want %d; fair %v\n%s", seed, canon, n, pr.Status, pr.Depth, d, p.Model.Fair, src)
				case safe:
					held++
				default:
					violated++
				}
				if q.Claim().Body.Depth() > 1 && len(g.states) > 20 {
					deep++
				}
			}
			if canon == explicit.Exact && res.Stats.States > 20 {
				quotient++
			}
		}
	}
	if violated < 200 || held < 200 || quotient < 20 || deep < 100 || fair < 30 || moved < 5 {
		t.Errorf("only %d violations, %d formulas that hold, %d larger models, %d nested formulas, %d runs with fairness, %d with symmetry", violated, held, quotient, deep, fair, moved)
	}
	t.Logf("%d violations, %d formulas that hold, %d larger models, %d nested formulas, %d runs with fairness, %d with symmetry", violated, held, quotient, deep, fair, moved)
}

// TestFairTrees: what holds on fair paths, with and without symmetry, where it takes fairness that is strong, weak, or about
// one node at a time.
func TestFairTrees(t *testing.T) {
	const locks = `
type P: scalarset(3);
var at: array [P] of enum { Idle, Try, Crit }; off: boolean;
startstate begin for p: P do at[p] := Idle; end; off := false; end;
ruleset p: P do
  rule "try" at[p] = Idle ==> begin at[p] := Try; end;
  rule "enter" at[p] = Try & forall q: P do at[q] != Crit end ==> begin at[p] := Crit; end;
  rule "leave" at[p] = Crit ==> begin at[p] := Idle; end;
end;
rule "off" forall p: P do at[p] = Idle end ==> begin off := true; end;
rule "on" off ==> begin off := false; end;
`
	for _, c := range []struct {
		formula, fair string
		holds         bool
	}{
		{"forall p: P: AG (at[p] = Try -> AF at[p] = Crit)", "", false},
		{"forall p: P: AG (at[p] = Try -> AF at[p] = Crit)", "weak:*", false}, // the others may enter by turns
		{"forall p: P: AG (at[p] = Try -> AF at[p] = Crit)", "strong:*", true},
		{"forall p: P: AG (at[p] = Try -> AF at[p] = Crit)", "strong:enter weak:leave", true},
		{"forall p: P: AG (at[p] = Try -> AF at[p] = Crit)", "strong:enter", true}, // nothing else is left than to leave
		{"forall p: P: AF at[p] = Crit", "strong:enter weak:leave weak:try", true},
		{"forall p: P: AF at[p] = Crit", "strong:enter weak:leave", false}, // p need not try
		{"AG AF exists p: P do at[p] = Crit end", "weak:*", true},
		{"AG AF exists p: P do at[p] = Crit end", "weak:enter weak:leave", false},
		{"AG (off -> AF !off)", "weak:on", true},
		{"AF off", "strong:*", false}, // they need not all be idle
		{"AF off", "weak:*", false},
		{"AG EF off", "strong:*", true},
		{"EG !off", "strong:off", true}, // off can fire only so many times
		{"forall p: P: E [at[p] = Idle U AG EF at[p] = Try]", "strong:*", true},
		{"forall p: P: EG at[p] = Idle", "weak:try", false},
		{"forall p: P: EG at[p] != Crit", "weak:enter weak:leave weak:try", true},
		{"forall p: P: EG at[p] != Crit", "strong:enter weak:leave weak:try", false},
	} {
		m, err := murphi.Parse("locks.m", []byte(locks), murphi.Options{Trees: []string{"x: " + c.formula}, Fair: strings.Fields(c.fair)})
		if err != nil {
			t.Fatal(err)
		}
		for canon := explicit.None; canon <= explicit.Exact; canon++ {
			p, r, err := decideTree(t, m, canon)
			if want := map[bool]mc.Status{true: mc.Safe, false: mc.Unsafe}[c.holds]; err != nil || r.Props[0].Status != want {
				t.Errorf("%s, %s, %v: %v, %v", c.formula, c.fair, canon, r.Props, err)
			}
			if states := r.Stats.States; p.Typed != (states < 30) {
				t.Errorf("%s, %s, %v: %d states", c.formula, c.fair, canon, states)
			}
		}
	}
}

// TestTreesRealStates: a loop of real states goes through images of successors of members, which a search that keeps several
// states of an orbit need not have met.
func TestTreesRealStates(t *testing.T) {
	const src = `
type P: scalarset(3); Q: scalarset(2);
var h: array [Q] of P; g: P; b: boolean;
startstate begin undefine h; undefine g; b := false; end;
ruleset p: P do startstate begin undefine h; g := p; b := true; end; end;
ruleset p: P; q: Q do rule "set" isundefined(h[q]) ==> begin h[q] := p; end; end;
ruleset q: Q do rule "unset" isundefined(g) ==> begin undefine h[q]; end; end;
rule "b" b ==> begin b := false; end;
`
	m, err := murphi.Parse("real.m", []byte(src), murphi.Options{Trees: []string{"x: forall q: Q: AG EG !isundefined(h[q])"}, Fair: []string{"strong:*"}})
	if err != nil {
		t.Fatal(err)
	}
	for canon := explicit.None; canon <= explicit.Exact; canon++ {
		_, r, err := decideTree(t, m, canon)
		if err != nil || r.Props[0].Status != mc.Unsafe {
			t.Errorf("%v: %v, %v", canon, r.Props, err)
		}
	}
}

// decideTree decides the formula of a model whose scalarsets are symmetric, and checks the evidence.
func decideTree(t *testing.T, m *model.Model, canon explicit.Canon) (*mc.Problem, *mc.Result, error) {
	p := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m), Typed: canon != explicit.None, Typing: new(mc.Typing)}, Props: []int{slices.IndexFunc(m.Props, func(q *model.Property) bool { return q.Kind == model.Branching })}}
	if p.Typed {
		p.Blocks = all(m)
	}
	r, err := (&explicit.Engine{Canon: canon, Threads: 1}).Run(t.Context(), p, mc.Options{All: true})
	if err == nil {
		err = certify.Verify(t.Context(), p, r)
	}
	return p, r, err
}
