package rename_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"orbitmc/aig"
	"orbitmc/bmc"
	"orbitmc/detect"
	"orbitmc/detect/rename"
	"orbitmc/detect/verify"
	"orbitmc/encode"
	"orbitmc/encode/cnf"
	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/pdr"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/sat"
	"orbitmc/sat/cdcl"
	"orbitmc/sat/gini"
	"orbitmc/ts"
)

// rename is what a renaming of namedModel does: variable i gets the name to[i], and
// the values of the enum are exchanged if swap.
type renaming struct {
	to   []int
	swap bool
}

func (r renaming) then(s renaming) renaming {
	out := renaming{swap: r.swap != s.swap}
	for _, j := range r.to {
		out.to = append(out.to, s.to[j])
	}
	return out
}

// namedModel returns a model with variables that have names of their own, of which
// a random renaming is a symmetry, and the order of that.
func namedModel(rng *rand.Rand, n int) (text string, order int) {
	planted := renaming{rng.Perm(n), rng.IntN(2) == 0}
	identity := renaming{to: make([]int, n)}
	for i := range n {
		identity.to[i] = i
	}
	powers := []renaming{identity}
	for r := planted; !slices.Equal(r.to, identity.to) || r.swap; r = r.then(planted) {
		powers = append(powers, r)
	}
	value := func(j int, r renaming) string {
		if r.swap {
			j = 1 - j
		}
		return fmt.Sprintf("E%d", j)
	}
	var b strings.Builder
	b.WriteString("type T: enum {E0, E1};\nvar\n  t: T;\n")
	for i := range n {
		fmt.Fprintf(&b, "  a%d: boolean;\n", i)
	}
	for j := range 2 {
		fmt.Fprintf(&b, "startstate begin t := E%d;", j)
		for i := range n {
			fmt.Fprintf(&b, " a%d := false;", i)
		}
		b.WriteString(" end;\n")
	}
	for range 1 + rng.IntN(3) {
		var guard, body []func(r renaming) string
		literal := func() func(r renaming) string {
			i, j, k := rng.IntN(n), rng.IntN(n), rng.IntN(2)
			switch rng.IntN(4) {
			case 0:
				return func(r renaming) string { return "t = " + value(k, r) }
			case 1:
				return func(r renaming) string { return fmt.Sprintf("a%d = a%d", r.to[i], r.to[j]) }
			case 2:
				return func(r renaming) string { return fmt.Sprintf("a%d", r.to[i]) }
			}
			return func(r renaming) string { return fmt.Sprintf("!a%d", r.to[i]) }
		}
		for range 1 + rng.IntN(2) {
			guard = append(guard, literal())
		}
		if k := rng.IntN(2); rng.IntN(2) == 0 {
			body = append(body, func(r renaming) string { return "t := " + value(k, r) })
		}
		for _, i := range rng.Perm(n)[:1+rng.IntN(2)] {
			l := literal()
			body = append(body, func(r renaming) string { return fmt.Sprintf("a%d := (%s)", r.to[i], l(r)) })
		}
		for _, r := range powers {
			text := func(fs []func(renaming) string, with string) string {
				var all []string
				for _, f := range fs {
					all = append(all, f(r))
				}
				return strings.Join(all, with)
			}
			fmt.Fprintf(&b, "rule %s ==> begin %s; end;\n", text(guard, " & "), text(body, "; "))
		}
	}
	b.WriteString("invariant \"some\" !(a0 & a1);\n")
	return b.String(), len(powers)
}

// graphOf returns the start states and steps of a model with n+1 leaves of two values.
func graphOf(p *model.Program, n int) (starts map[string]bool, steps map[string]map[string]bool) {
	m := p.NewMachine()
	starts, steps = make(map[string]bool), make(map[string]map[string]bool)
	m.Starts(func(_ model.Choice, s model.State, _ *model.Violation) bool {
		starts[fmt.Sprint(s)] = true
		return true
	})
	for x := range 1 << (n + 1) {
		s := make(model.State, n+1)
		for i := range s {
			s[i] = int64(x >> i & 1)
		}
		to := map[string]bool{fmt.Sprint(s): true} // a step into the same state does not count
		m.Successors(s, func(_ model.Choice, next model.State, _ *model.Violation) bool {
			to[fmt.Sprint(next)] = true
			return true
		})
		steps[fmt.Sprint(s)] = to
	}
	return starts, steps
}

// moves reports whether a map of states takes starts to starts and steps to steps.
func moves(n int, starts map[string]bool, steps map[string]map[string]bool, to func(model.State) model.State) bool {
	image := make(map[string]string)
	for x := range 1 << (n + 1) {
		s := make(model.State, n+1)
		for i := range s {
			s[i] = int64(x >> i & 1)
		}
		image[fmt.Sprint(s)] = fmt.Sprint(to(s))
	}
	for s := range starts {
		if !starts[image[s]] {
			return false
		}
	}
	for s, next := range steps {
		for t := range next {
			if !steps[image[s]][image[t]] {
				return false
			}
		}
	}
	return true
}

// TestRenamings: of random models of variables with names of their own the planted
// renaming is found, and whatever is verified, of what is found and of random proposals,
// is a symmetry of the steps of the interpreter.
func TestRenamings(t *testing.T) {
	const n = 4
	rng := rand.New(rand.NewPCG(101, 102))
	planted, verified, refused := 0, 0, 0
	for k := range nightly.Or(80, 2500) {
		text, order := namedModel(rng, n)
		m, err := murphi.Parse("named.m", []byte(text), murphi.Options{})
		if err != nil {
			t.Fatal(err, text)
		}
		m, renamings, err := rename.Find(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		enc, err := encode.Named(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		starts, steps := graphOf(enc.Program, n)
		check := func(renamings []model.Renaming) (*detect.Report, int) {
			var proposals []*ts.Perm
			for _, r := range renamings {
				p, err := enc.Renaming(r)
				if err != nil {
					continue
				}
				proposals = append(proposals, p)
			}
			r := &detect.Report{System: &ts.Symmetry{}, Common: &ts.Symmetry{}}
			for range m.Props {
				r.ByProp = append(r.ByProp, &ts.Symmetry{})
			}
			used, err := rename.Add(context.Background(), r, enc.Sys, proposals, verify.Options{NewProver: func(g *aig.Graph) verify.Prover { return cnf.NewFocusedProver(g, cdcl.New()) }})
			if err != nil {
				t.Fatal(err)
			}
			if err := r.System.Check(enc.Sys); err != nil {
				t.Fatal(err)
			}
			for _, g := range r.System.Generators() {
				verified++
				if !moves(n, starts, steps, func(s model.State) model.State {
					to, err := enc.DecodeState(ts.Apply(g.Latch, enc.EncodeState(s)))
					if err != nil {
						t.Fatal(err)
					}
					return to
				}) {
					t.Fatalf("model %d: %s is no symmetry\n%s", k, g.Name, text)
				}
			}
			return r, used
		}
		r, _ := check(renamings)
		if k%5 == 0 {
			checkEngines(t, enc, r, text)
		}
		if order > 1 {
			planted++
		}
		if new(big.Int).Rem(r.System.Order(), big.NewInt(int64(order))).Sign() != 0 {
			t.Fatalf("model %d: a group of order %v, a renaming of order %d is a symmetry\n%s", k, r.System.Order(), order, text)
		}
		// Random renamings, of the rules too, most of which are wrong.
		for range 3 {
			wrong := model.Renaming{Name: "wrong", Leaves: append([]int{0}, rng.Perm(n)...), Values: make(model.ScalarPerm, len(m.Scalarsets)), Rules: rng.Perm(len(m.Rules)), Starts: rng.Perm(len(m.Starts))}
			for i := range n {
				wrong.Leaves[i+1]++
			}
			for c := range wrong.Values {
				wrong.Values[c] = rng.Perm(2)
			}
			if _, used := check([]model.Renaming{wrong}); used == 0 {
				refused++
			}
		}
	}
	t.Logf("%d with a planted renaming; %d generators verified, %d random proposals refused", planted, verified, refused)
	if planted < 60 || verified < 60 || refused < 180 {
		t.Error("too little happened")
	}
}

// checkEngines compares the verdicts of engines on the invariant, under its group, with
// exhaustive search.
func checkEngines(t *testing.T, enc *encode.Encoding, r *detect.Report, text string) {
	t.Helper()
	m := enc.Program.NewMachine()
	depth := make(map[string]int)
	var queue []model.State
	enter := func(s model.State, d int) {
		if _, seen := depth[fmt.Sprint(s)]; !seen {
			depth[fmt.Sprint(s)] = d
			queue = append(queue, slices.Clone(s))
		}
	}
	m.Starts(func(_ model.Choice, s model.State, _ *model.Violation) bool { enter(s, 0); return true })
	want := -1
	for ; len(queue) > 0 && want < 0; queue = queue[1:] {
		s := queue[0]
		if m.Violated(s, 0) != nil {
			want = depth[fmt.Sprint(s)]
		}
		m.Successors(s, func(_ model.Choice, next model.State, _ *model.Violation) bool {
			enter(next, depth[fmt.Sprint(s)]+1)
			return true
		})
	}
	newSolver := func() sat.Solver { return gini.New() }
	for _, e := range []mc.Engine{&bmc.Checker{Rep: bmc.RepPath, NewSolver: newSolver}, &pdr.Engine{NewSolver: newSolver}} {
		p := &mc.Problem{OfModel: mc.OfModel{Model: enc.Model, Program: enc.Program, Enc: enc}, Props: []int{0}, Groups: r.ByProp}
		if err := encode.ProveWellFormed(context.Background(), enc.Sys, newSolver); err != nil {
			t.Fatal(err)
		}
		p.WellFormed = true
		opt := mc.Options{}
		if e.Name() == "bmc" {
			opt.MaxDepth, opt.Bounded = 12, true
		}
		result, err := e.Run(context.Background(), p, opt)
		if err == nil {
			err = certify.Verify(context.Background(), p, result)
		}
		if err != nil {
			t.Fatal(err)
		}
		pr := result.Props[0]
		if (pr.Status == mc.Unsafe) != (want >= 0) || e.Name() == "bmc" && want >= 0 && pr.Depth != want || e.Name() == "pdr" && pr.Status == mc.Unknown {
			t.Fatalf("%s: %v at depth %d, want %d\n%s", e.Name(), pr.Status, pr.Depth, want, text)
		}
	}
}
