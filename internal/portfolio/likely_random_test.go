package portfolio_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"orbitmc/internal/portfolio"
	"orbitmc/internal/task"
	"orbitmc/internal/testkit/nightly"
)

// process is a random decision process: by state, the actions, and of each the branches.
type process [][][]branch

type branch struct {
	to int
	p  *big.Rat
}

func randomProcess(rng *rand.Rand, chain bool) (p process) {
	n := 2 + rng.IntN(6)
	for range n {
		var actions [][]branch
		k := rng.IntN(4)
		if chain {
			k = min(k, 1)
		}
		for range min(k, 2) {
			var a []branch
			left := big.NewRat(1, 1)
			for b := rng.IntN(3); b > 0; b-- {
				w := new(big.Rat).Mul(left, big.NewRat(int64(1+rng.IntN(9)), 10))
				left.Sub(left, w)
				a = append(a, branch{rng.IntN(n), w})
			}
			actions = append(actions, append(a, branch{rng.IntN(n), left}))
		}
		p = append(p, actions)
	}
	return p
}

// text writes the process as a model. A branch is a rule. A certain one may be a rule without a probability.
func (p process) text(rng *rand.Rand) string {
	var b strings.Builder
	fmt.Fprintf(&b, "var s : 0..%d;\nstartstate s := 0; end;\n", len(p)-1)
	for s, actions := range p {
		for _, a := range actions {
			if len(a) == 1 && rng.IntN(2) == 0 {
				fmt.Fprintf(&b, "rule s = %d ==> s := %d; end;\n", s, a[0].to)
				continue
			}
			fmt.Fprint(&b, "distribution\n")
			for _, x := range a {
				fmt.Fprintf(&b, "  rule s = %d ? %v.0 / %v : 0.0 ==> s := %d; end;\n", s, x.p.Num(), x.p.Denom(), x.to)
			}
			fmt.Fprint(&b, "end;\n")
		}
	}
	return b.String()
}

// policies calls f with each way to take one action in each state.
func (p process) policies(f func(chain [][]branch)) {
	chain := make([][]branch, len(p))
	var from func(s int)
	from = func(s int) {
		if s == len(p) {
			f(chain)
			return
		}
		if len(p[s]) == 0 {
			chain[s] = []branch{{s, big.NewRat(1, 1)}}
			from(s + 1)
		}
		for _, a := range p[s] {
			chain[s] = a
			from(s + 1)
		}
	}
	from(0)
}

// reach solves a chain exactly: the probabilities, and the expected steps to goal, nil where they are infinite.
func reach(chain [][]branch, stay, goal []bool) (likely, steps []*big.Rat) {
	n := len(chain)
	can := append([]bool(nil), goal...)
	for range n {
		for s := range n {
			for _, x := range chain[s] {
				can[s] = can[s] || stay[s] && can[x.to]
			}
		}
	}
	solve := func(open func(s int) bool, known func(s int) *big.Rat, plus int64) []*big.Rat {
		rows := make([][]*big.Rat, n)
		for s := range n {
			rows[s] = make([]*big.Rat, n+1)
			for t := range rows[s] {
				rows[s][t] = new(big.Rat)
			}
			rows[s][s].SetInt64(1)
			if !open(s) {
				rows[s][n].Set(known(s))
				continue
			}
			rows[s][n].SetInt64(plus)
			for _, x := range chain[s] {
				rows[s][x.to].Sub(rows[s][x.to], x.p)
			}
		}
		for i := range n {
			k := i
			for rows[k][i].Sign() == 0 {
				k++
			}
			rows[i], rows[k] = rows[k], rows[i]
			inv := new(big.Rat).Inv(rows[i][i])
			for t := range rows[i] {
				rows[i][t].Mul(rows[i][t], inv)
			}
			for k := range n {
				if f := new(big.Rat).Set(rows[k][i]); k != i && f.Sign() != 0 {
					for t := range rows[k] {
						rows[k][t].Sub(rows[k][t], new(big.Rat).Mul(f, rows[i][t]))
					}
				}
			}
		}
		x := make([]*big.Rat, n)
		for s := range x {
			x[s] = rows[s][n]
		}
		return x
	}
	likely = solve(func(s int) bool { return can[s] && !goal[s] }, func(s int) *big.Rat {
		if goal[s] {
			return big.NewRat(1, 1)
		}
		return new(big.Rat)
	}, 0)
	one := big.NewRat(1, 1)
	steps = solve(func(s int) bool { return likely[s].Cmp(one) == 0 && !goal[s] }, func(int) *big.Rat { return new(big.Rat) }, 1)
	for s := range steps {
		if likely[s].Cmp(one) != 0 {
			steps[s] = nil
		}
	}
	return likely, steps
}

// less compares numbers of which nil is infinite.
func less(x, y *big.Rat) bool { return x != nil && (y == nil || x.Cmp(y) < 0) }

// best returns the least and the greatest value of state 0.
func (p process) best(stay, goal []bool, expected bool) (least, most *big.Rat) {
	first := true
	p.policies(func(chain [][]branch) {
		x, steps := reach(chain, stay, goal)
		v := x[0]
		if expected {
			v = steps[0]
		}
		if first || less(v, least) {
			least = v
		}
		if first || less(most, v) {
			most = v
		}
		first = false
	})
	return least, most
}

// bounded returns the least and the greatest probability of state 0 in at most k steps; next: after one.
func (p process) bounded(stay, goal []bool, k int, next bool) (least, most *big.Rat) {
	value := func(more bool) *big.Rat {
		now := make([]*big.Rat, len(p))
		for s := range now {
			if now[s] = new(big.Rat); goal[s] {
				now[s].SetInt64(1)
			}
		}
		for range k {
			then := make([]*big.Rat, len(p))
			for s := range then {
				switch {
				case goal[s] && !next:
					then[s] = big.NewRat(1, 1)
				case !stay[s] && !next:
					then[s] = new(big.Rat)
				case len(p[s]) == 0:
					then[s] = now[s]
				default:
					for _, a := range p[s] {
						sum := new(big.Rat)
						for _, x := range a {
							sum.Add(sum, new(big.Rat).Mul(x.p, now[x.to]))
						}
						if then[s] == nil || (sum.Cmp(then[s]) > 0) == more {
							then[s] = sum
						}
					}
				}
			}
			now = then
		}
		return now[0]
	}
	return value(false), value(true)
}

// set returns a random set of states, and its condition.
func set(rng *rand.Rand, n int) (in []bool, text string) {
	in = make([]bool, n)
	text = "false"
	for s := range in {
		if in[s] = rng.IntN(3) == 0; in[s] {
			text += fmt.Sprintf(" | s = %d", s)
		}
	}
	return in, "(" + text + ")"
}

// TestRandomProcesses compares answers about random chains and decision processes with exact ones.
func TestRandomProcesses(t *testing.T) {
	runs := 300
	if nightly.On() {
		runs = 6000
	}
	const precision = 1e-7
	saved := false
	for seed := range runs {
		rng := rand.New(rand.NewPCG(uint64(seed), 64))
		p := randomProcess(rng, seed%3 == 0)
		stay, stayText := set(rng, len(p))
		goal, goalText := set(rng, len(p))
		k := rng.IntN(5)
		var no []bool
		all := make([]bool, len(p))
		for s := range all {
			all[s] = true
			no = append(no, !goal[s])
		}
		var formulas []string
		var want []*big.Rat
		add := func(what, path string, least, most *big.Rat) {
			formulas = append(formulas, what+"min=? ["+path+"]", what+"max=? ["+path+"]")
			want = append(want, least, most)
		}
		least, most := p.best(all, goal, false)
		add("P", "F "+goalText, least, most)
		least, most = p.best(stay, goal, false)
		add("P", stayText+" U "+goalText, least, most)
		least, most = p.best(all, goal, true)
		add("E", "F "+goalText, least, most)
		least, most = p.bounded(stay, goal, k, false)
		add("P", fmt.Sprintf("%s U<=%d %s", stayText, k, goalText), least, most)
		least, most = p.bounded(stay, goal, 1, true)
		add("P", "X "+goalText, least, most)
		least, most = p.best(all, no, false)
		one := big.NewRat(1, 1)
		add("P", "G "+goalText, new(big.Rat).Sub(one, most), new(big.Rat).Sub(one, least))
		// A comparison with a bound other than the value is decided, one with the value unless it is known exactly.
		least, most = p.best(all, goal, false)
		bound := int64(rng.IntN(11))
		formulas = append(formulas, fmt.Sprintf("P<=%v [F %s]", float64(bound)/10, goalText), fmt.Sprintf("P>%v [F %s]", float64(bound)/10, goalText))
		text := p.text(rng)
		out, err := portfolio.Likely(context.Background(), "random.m", task.Options{Contents: []byte(text)}, portfolio.LikelyOptions{Formulas: formulas, Precision: precision})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		// Of bounded paths alone, states are visited as deep as these go.
		near, err := portfolio.Likely(context.Background(), "random.m", task.Options{Contents: []byte(text)}, portfolio.LikelyOptions{Formulas: formulas[6:10], Precision: precision})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if near.States > out.States {
			t.Errorf("seed %d: %d states to some depth, %d in all", seed, near.States, out.States)
		}
		saved = saved || near.States < out.States
		for i, f := range near.Formulas {
			if f.Low != out.Formulas[6+i].Low || f.High != out.Formulas[6+i].High {
				t.Errorf("seed %d: %+v, and with all states %+v\n%s", seed, f, out.Formulas[6+i], text)
			}
		}
		for i, w := range want {
			f := out.Formulas[i]
			if w == nil {
				if f.Value != "infinity" {
					t.Errorf("seed %d: %s is %+v, want infinity\n%s", seed, f.Formula, f, text)
				}
				continue
			}
			lo, ok := new(big.Rat).SetString(f.Low)
			hi, ok2 := new(big.Rat).SetString(f.High)
			if !ok || !ok2 || lo.Cmp(w) > 0 || hi.Cmp(w) < 0 || f.Verdict != "value" {
				t.Fatalf("seed %d: %s is %+v, want %s\n%s", seed, f.Formula, f, w.FloatString(12), text)
			}
			if _, after, _ := strings.Cut(f.Value, "."); f.Low != f.High && f.Value != w.FloatString(len(after)) {
				t.Errorf("seed %d: %s is printed as %s, want %s", seed, f.Formula, f.Value, w.FloatString(len(after)))
			}
			if gap, _ := new(big.Rat).Sub(hi, lo).Float64(); w.Cmp(one) <= 0 && gap > precision {
				t.Errorf("seed %d: %s is between %s and %s", seed, f.Formula, f.Low, f.High)
			}
		}
		for i, holds := range []bool{most.Cmp(big.NewRat(bound, 10)) <= 0, least.Cmp(big.NewRat(bound, 10)) > 0} {
			f := out.Formulas[len(want)+i]
			verdict := map[bool]string{true: "holds", false: "fails"}[holds]
			close := []*big.Rat{most, least}[i].Cmp(big.NewRat(bound, 10)) == 0 && bound%10 != 0
			if f.Verdict != verdict && !(close && f.Verdict == "unknown") {
				t.Errorf("seed %d: %s: %s, want %s\n%s", seed, f.Formula, f.Verdict, verdict, text)
			}
		}
	}
	if !saved {
		t.Error("bounded paths were never shorter than all there is")
	}
}
