package portfolio_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"orbitmc/internal/markov"
	"orbitmc/internal/portfolio"
	"orbitmc/internal/task"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/model"
)

const probabilistic = "../../benchmarks/murphi/probabilistic/"

// likely decides formulas about a model.
func likely(t *testing.T, file, text string, o task.Options, formulas ...string) (*portfolio.Likelihoods, error) {
	t.Helper()
	if text != "" {
		o.Contents = []byte(text)
	}
	return portfolio.Likely(context.Background(), file, o, portfolio.LikelyOptions{Formulas: formulas, Precision: 1e-7})
}

// contains reports whether an answer contains a value, such as 49/128, and whether its digits are those of the value.
func contains(f portfolio.Likelihood, value string) error {
	want, _ := new(big.Rat).SetString(value)
	lo, ok := new(big.Rat).SetString(f.Low)
	hi, ok2 := new(big.Rat).SetString(f.High)
	if !ok || !ok2 || f.Verdict != "value" || lo.Cmp(want) > 0 || hi.Cmp(want) < 0 {
		return fmt.Errorf("%s is %+v, want %s", f.Formula, f, want.FloatString(12))
	}
	if _, after, _ := strings.Cut(f.Value, "."); f.Low != f.High && f.Value != want.FloatString(len(after)) {
		return fmt.Errorf("%s is printed as %s, want %s", f.Formula, f.Value, want.FloatString(len(after)))
	}
	return nil
}

// TestPublished compares case studies of PRISM with their published values, which are exact, and with their published
// numbers of states, actions and branches; with symmetry, the values are the same. Of Rabin's protocol only states are published, and
// of Byzantine agreement that the value is at least 1/2.
func TestPublished(t *testing.T) {
	const collided = "(exists s : Station do collisions[s] = K & at[s] = sending & bus = jammed end)"
	const done = "(forall p : Proc do at[p] = finished end)"
	coin := []string{
		"Pmin=? [F forall p : Proc do at[p] = finished & heads[p] end]",
		"Pmax=? [F " + done + " & (exists p : Proc do heads[p] end) & exists p : Proc do !heads[p] end]",
		"Emin=? [F " + done + "]", "Emax=? [F " + done + "]",
	}
	bus := []string{
		"Pmax=? [!" + collided + " U forall s : Station do at[s] = sent end]",
		"Pmin=? [!" + collided + " U forall s : Station do at[s] = sent end]",
		"Pmin=? [F exists s : Station do at[s] = sent & collisions[s] < K end]",
	}
	agreed := []string{"Pmin=? [F (forall p : Party do vote[next][p] = yes end) | forall p : Party do vote[next][p] = no end]"}
	for _, c := range []struct {
		file, size                string
		formulas, values          []string
		states                    int64
		actions, branches, orbits int
		long                      bool
	}{
		{"consensus.m", "N=2 K=2", coin, []string{"49/128", "13/120", "48", "75"}, 272, 400, 492, 154, false},
		{"consensus.m", "N=4 K=2", coin, []string{"325/1024", "170112531/577765376", "192", "363"}, 22656, 60544, 75232, 2151, true},
		{"consensus.m", "N=6 K=2", coin, []string{"462973/1572864", "37101798760906709/102027593703751680", "432", "867"}, 0, 0, 0, 12313, true},
		{"consensus.m", "N=8 K=2", coin[:1], []string{"4744005/16777216"}, 0, 0, 0, 46482, true},
		{"csma.m", "N=2 K=2", bus, []string{"7/8", "7/8", "1/2"}, 1038, 1054, 1282, 533, false},
		{"csma.m", "N=3 K=2", bus, []string{"247767165309057317/288230376151711744", "16047436019417766735/36893488147419103232", "75/128"}, 36850, 38456, 55862, 6795, true},
		{"csma.m", "N=2 K=4 M=16", bus, []string{"1023/1024", "1023/1024", "63/64"}, 7958, 7988, 10594, 4032, true},
		{"rabin.m", "N=3", []string{"Pmin=? [F exists p : Proc do at[p] = critical end]"}, []string{"1"}, 27766, 45636, 137802, 4962, false},
		{"rabin.m", "N=4", []string{"Pmin=? [F exists p : Proc do at[p] = critical end]"}, []string{"1"}, 0, 0, 0, 33250, true},
		{"byzantine.m", "T=1", agreed, []string{"1/2"}, 17875, 50138, 55674, 3477, false},
		{"byzantine.m", "T=2", agreed, []string{"1/2"}, 0, 0, 0, 113736, true},
		{"leader.m", "N=4 K=3", []string{"P=? [F elected]", "E=? [F elected]"}, []string{"1", "27/4"}, 257, 257, 850, 36, false},
	} {
		if c.long && !nightly.On() {
			continue
		}
		for _, sym := range []string{"auto", "off", "counters"} {
			o := task.Options{Symmetry: sym, Defines: strings.Fields(c.size)}
			if sym == "counters" {
				o.Symmetry, o.Abstract = "auto", sym
			}
			if sym == "off" && c.states == 0 || sym == "counters" && slices.Contains([]string{"byzantine.m", "csma.m", "rabin.m"}, c.file) { // they have procedures about components
				continue
			}
			out, err := likely(t, probabilistic+c.file, "", o, c.formulas...)
			if err != nil {
				t.Fatalf("%s %s: %v", c.file, c.size, err)
			}
			for i, f := range out.Formulas {
				if err := contains(f, c.values[i]); err != nil {
					t.Errorf("%s %s, symmetry %s: %v", c.file, c.size, sym, err)
				}
			}
			if sym == "off" && (out.States != c.states || out.Actions != c.actions || out.Branches != c.branches) {
				t.Errorf("%s %s: %d states, %d actions, %d branches, want %d, %d, %d", c.file, c.size, out.States, out.Actions, out.Branches, c.states, c.actions, c.branches)
			}
			if sym == "counters" && (out.States != int64(c.orbits) && c.file == "consensus.m" || out.States > int64(c.orbits) || out.Counters == "") {
				t.Errorf("%s %s: %d states with counters, %d orbits", c.file, c.size, out.States, c.orbits)
			}
			if sym == "auto" && (out.States != int64(c.orbits) || out.Symmetry == "") {
				t.Errorf("%s %s: %d orbits under %q, want %d", c.file, c.size, out.States, out.Symmetry, c.orbits)
			}
		}
	}
}

// randomSymmetric returns a model of a few components, of which chance or a chooser takes one at a time, and formulas.
func randomSymmetric(rng *rand.Rand) (text string, formulas []string) {
	n, k := 2+rng.IntN(2), 2+rng.IntN(2)
	var b strings.Builder
	fmt.Fprintf(&b, "type P : scalarset(%d);\nvar at : array [P] of 0..%d; g : 0..2;\n", n, k)
	fmt.Fprintf(&b, "function count(v : 0..%d) : 0..%d; var c : 0..%d; begin c := 0; for p : P do if at[p] = v then c := c + 1; end; end; return c; end;\n", k, n, n)
	fmt.Fprintf(&b, "startstate for p : P do at[p] := 0; end; g := 0; end;\n")
	chance := func() string {
		switch rng.IntN(3) {
		case 0:
			return fmt.Sprintf("%d.0 / 10", 1+rng.IntN(9))
		case 1:
			return fmt.Sprintf("1.0 / (2 + count(%d))", rng.IntN(k+1))
		}
		return "0.25 + g / 8.0"
	}
	effect := func() string {
		return [...]string{fmt.Sprintf("at[p] := %d;", rng.IntN(k+1)), "g := (g + 1) % 3;", fmt.Sprintf("at[p] := %d; g := count(%d) %% 3;", rng.IntN(k+1), rng.IntN(k+1))}[rng.IntN(3)]
	}
	for v := range k {
		cond := [...]string{fmt.Sprintf("at[p] = %d", v), fmt.Sprintf("at[p] = %d & g != %d", v, rng.IntN(3)), fmt.Sprintf("at[p] = %d & exists q : P do q != p & at[q] <= %d end", v, rng.IntN(k+1))}[rng.IntN(3)]
		w := chance()
		fmt.Fprintf(&b, "ruleset p : P do distribution\n  rule %s ? %s : 0.0 ==> %s end;\n  rule %s ? 1 - (%s) : 0.0 ==> %s end;\nend; end;\n", cond, w, effect(), cond, w, effect())
	}
	if rng.IntN(2) == 0 { // chance takes one of all
		fmt.Fprintf(&b, "ruleset p : P do rule g = 2 ? 1.0 / %d : 0.0 ==> %s end; end;\n", n, effect())
	}
	goals := []string{fmt.Sprintf("exists p : P do at[p] = %d end", k), fmt.Sprintf("forall p : P do at[p] >= %d end", rng.IntN(k+1)), fmt.Sprintf("count(%d) = %d", rng.IntN(k+1), rng.IntN(n+1)), "g = 2"}
	goal, other := goals[rng.IntN(4)], goals[rng.IntN(4)]
	for _, w := range []string{"min", "max"} {
		formulas = append(formulas, "P"+w+"=? [F "+goal+"]", "P"+w+"=? [!("+other+") U "+goal+"]", "P"+w+"=? [F<=5 "+goal+"]", "E"+w+"=? [F "+goal+"]")
	}
	return b.String(), append(formulas, "P>=0.5 [F P<0.35 [X "+goal+"]]")
}

// TestRandomSymmetric compares random models of equal components under symmetry with the same without.
func TestRandomSymmetric(t *testing.T) {
	runs, used := nightly.Or(60, 1500), 0
	for seed := range runs {
		text, formulas := randomSymmetric(rand.New(rand.NewPCG(uint64(seed), 65)))
		on, err := likely(t, "random.m", text, task.Options{}, formulas...)
		off, err2 := likely(t, "random.m", text, task.Options{Symmetry: "off"}, formulas...)
		if err != nil || err2 != nil {
			t.Fatalf("seed %d: %v, %v\n%s", seed, err, err2, text)
		}
		if on.Symmetry == "" || on.States > off.States {
			t.Errorf("seed %d: %d states under %q, %d without\n%s", seed, on.States, on.Symmetry, off.States, text)
		}
		if on.States < off.States {
			used++
		}
		agree(t, on, off, fmt.Sprintf("seed %d\n%s", seed, text))
	}
	if used < runs/2 {
		t.Errorf("symmetry saved states in %d of %d models only", used, runs)
	}
}

// randomCounted returns a model of a few components that can be counted, and formulas. Chance or a chooser takes one component,
// or one and then another.
func randomCounted(rng *rand.Rand) (text string, formulas []string) {
	n, k := 2+rng.IntN(3), 1+rng.IntN(2)
	var b strings.Builder
	class := fmt.Sprintf("scalarset(%d)", n)
	if rng.IntN(3) == 0 {
		class = fmt.Sprintf("1..%d", n)
	}
	fmt.Fprintf(&b, "type P : %s;\nvar at : array [P] of 0..%d; up : array [P] of boolean; g : 0..2;\n", class, k)
	fmt.Fprintf(&b, "startstate for p : P do at[p] := 0; up[p] := false; end; g := 0; end;\n")
	of := func(xs ...string) string { return xs[rng.IntN(len(xs))] }
	cond := func(p string) string {
		return of(fmt.Sprintf("at[%s] = %d", p, rng.IntN(k+1)), "up["+p+"]", "!up["+p+"]", fmt.Sprintf("(exists x : P do x != %s & at[x] = %d end)", p, rng.IntN(k+1)))
	}
	weight := func() string {
		return of(fmt.Sprintf("%d.0 / 10", 1+rng.IntN(9)), "0.25 + g / 8.0", fmt.Sprintf("((exists x : P do at[x] = %d end) ? 0.125 : 2.0 / 3)", rng.IntN(k+1)))
	}
	effect := func(ps ...string) string {
		p := of(ps...)
		return of(fmt.Sprintf("at[%s] := %d;", p, rng.IntN(k+1)), "up["+p+"] := !up["+p+"];", "g := (g + 1) % 3;", "for x : P do if up[x] then at[x] := 0; end; end; up["+p+"] := true;")
	}
	for range 1 + rng.IntN(3) { // a chooser takes the component
		c, w := cond("p"), weight()
		fmt.Fprintf(&b, "ruleset p : P do distribution\n  rule %s ? %s : 0.0 ==> %s end;\n  rule %s ? 1 - (%s) : 0.0 ==> %s end;\nend; end;\n", c, w, effect("p"), c, w, effect("p"))
	}
	if rng.IntN(2) == 0 { // and chance another one, or any
		c, different := cond("p"), rng.IntN(2) == 0
		guard, of := c, n
		if different {
			guard, of = c+" & p != q", n-1
		}
		fmt.Fprintf(&b, "ruleset p : P do distribution ruleset q : P do rule %s ? 1.0 / %d : 0.0 ==> %s end; end; end; end;\n", guard, of, effect("p", "q"))
	}
	switch rng.IntN(3) {
	case 0: // chance takes one of all
		fmt.Fprintf(&b, "ruleset p : P do rule g = 2 ? 1.0 / %d : 0.0 ==> %s end; end;\n", n, effect("p"))
	case 1: // and then another one
		fmt.Fprintf(&b, "ruleset p : P; q : P do rule g = 1 & p != q ? 1.0 / %d : 0.0 ==> %s %s end; end;\n", n*(n-1), effect("p", "q"), effect("q"))
	}
	goals := []string{fmt.Sprintf("exists p : P do at[p] = %d & up[p] end", k), "forall p : P do up[p] end", "g = 2"}
	goal, other := of(goals...), of(goals...)
	for _, w := range []string{"min", "max"} {
		formulas = append(formulas, "P"+w+"=? [F "+goal+"]", "P"+w+"=? [!("+other+") U "+goal+"]", "P"+w+"=? [F<=5 "+goal+"]", "E"+w+"=? [F "+goal+"]")
	}
	return b.String(), append(formulas, "P>=0.5 [F P<0.35 [X "+goal+"]]")
}

// TestRandomCounted compares random models whose components are counted with the same without symmetry. There are as many
// states as orbits.
func TestRandomCounted(t *testing.T) {
	runs, used := nightly.Or(60, 2500), 0
	for seed := range runs {
		text, formulas := randomCounted(rand.New(rand.NewPCG(uint64(seed), 66)))
		own, err := likely(t, "random.m", text, task.Options{Abstract: "counters"}, formulas...)
		off, err2 := likely(t, "random.m", text, task.Options{Symmetry: "off"}, formulas...)
		if err != nil || err2 != nil {
			t.Fatalf("seed %d: %v, %v\n%s", seed, err, err2, text)
		}
		agree(t, own, off, fmt.Sprintf("seed %d\n%s", seed, text))
		if seed%10 == 0 { // the symmetry of nothing else
			alone, err := likely(t, "random.m", text, task.Options{Abstract: "counters", Symmetry: "off"}, formulas...)
			if err != nil || alone.Symmetry != "" {
				t.Fatalf("seed %d: %v, %+v\n%s", seed, err, alone, text)
			}
			agree(t, alone, off, fmt.Sprintf("seed %d\n%s", seed, text))
		}
		if own.Counters == "" || own.States > off.States {
			t.Errorf("seed %d: %d states with %q, %d without\n%s", seed, own.States, own.Counters, off.States, text)
		}
		if own.States < off.States {
			used++
		}
		if strings.Contains(text, "scalarset") {
			if on, err := likely(t, "random.m", text, task.Options{}, formulas...); err != nil || on.States != own.States {
				t.Errorf("seed %d: %d states, %d orbits, %v\n%s", seed, own.States, on.States, err, text)
			}
		}
	}
	if used < runs/2 {
		t.Errorf("counters saved states in %d of %d models only", used, runs)
	}
}

// agree compares answers to the same formulas.
func agree(t *testing.T, a, b *portfolio.Likelihoods, about string) {
	t.Helper()
	rat := func(s string) *big.Rat { r, _ := new(big.Rat).SetString(s); return r }
	for i, x := range a.Formulas {
		y := b.Formulas[i]
		if x.Verdict != y.Verdict || (x.Value == "infinity") != (y.Value == "infinity") {
			t.Errorf("%s: %+v and %+v", about, x, y)
		}
		if x.Value == "infinity" || x.Low == "" {
			continue
		}
		if rat(x.Low).Cmp(rat(y.High)) > 0 || rat(y.Low).Cmp(rat(x.High)) > 0 {
			t.Errorf("%s: %s is between %s and %s, and without symmetry between %s and %s", about, x.Formula, x.Low, x.High, y.Low, y.High)
		}
	}
}

// unequal is a model of components that the rules treat alike, as far as what can happen goes; the probabilities tell them apart.
const unequal = `
type P : scalarset(2);
var at : array [P] of 0..1; last : boolean;
function first(p : P) : boolean;
var seen : boolean; is : boolean;
begin
  seen := false; is := false;
  for q : P do
    if !seen then is := p = q; end;
    seen := true;
  end;
  return is;
end;
startstate for p : P do at[p] := 0; end; last := false; end;
ruleset p : P do
  rule !last & (forall q : P do at[q] = 0 end) ? (first(p) ? 0.9 : 0.1) : 0.0 ==> at[p] := 1; end;
  distribution
    rule at[p] = 1 & !last ? (first(p) ? 0.5 : 0.25) : 0.0 ==> last := true; end;
    rule at[p] = 1 & !last ? (first(p) ? 0.5 : 0.75) : 0.0 ==> at[p] := 0; last := true; end;
  end;
end;
`

// TestCountedRefused: what cannot be counted, or has no probabilities then, is refused with a reason.
func TestCountedRefused(t *testing.T) {
	const half = "type P : scalarset(2);\nvar a : array [P] of boolean;\nstartstate for p : P do a[p] := false; end; end;\nruleset p : P do rule 0.25 ==> a[p] := true; end; end;"
	for _, c := range []struct{ text, abstract, want string }{
		{half, "counters", "c.m:4:18: the probabilities of the instances that chance decides between add up to 1/2, not to 1, in the state Count_P[false] = 2, Count_P[true] = 0"},
		{half, "counters:2", "counters that stop do not say how likely a step is"},
		{unequal, "counters", "c.m:16:51: first is about components of P; procedures are not taken apart"},
		{"var x : 0..1; startstate x := 0; end; rule 1.0 ==> x := 1; end;", "counters", "no type of interchangeable components is known"},
	} {
		_, err := likely(t, "c.m", c.text, task.Options{Abstract: c.abstract}, "P=? [F true]")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.abstract, err, c.want)
		}
	}
}

// TestUnverifiedLumping: probabilities that tell components apart are seen, so states are not lumped; if they are
// nevertheless, that gives another value, and the check of the evidence refuses it.
func TestUnverifiedLumping(t *testing.T) {
	const formula = "P=? [F last & exists p : P do at[p] = 1 end]"
	out, err := likely(t, "unequal.m", unequal, task.Options{}, formula)
	if err != nil || out.Symmetry != "" {
		t.Fatalf("%+v, %v: want no symmetry", out, err)
	}
	if err := contains(out.Formulas[0], "19/40"); err != nil { // 0.9 * 0.5 + 0.1 * 0.25
		t.Error(err)
	}
	lump := portfolio.LikelyVariant{Blocks: func(*model.Model) [][][]int { return [][][]int{{{0, 1}}} }}
	_, err = portfolio.Likely(context.Background(), "unequal.m", task.Options{Contents: []byte(unequal)},
		portfolio.LikelyOptions{Formulas: []string{formula}, Precision: 1e-7, Variant: lump})
	if err == nil || !strings.Contains(err.Error(), "symmetry") {
		t.Errorf("states lumped by an unverified permutation: %v", err)
	}
}

// TestSpoiledBounds: bounds that do not hold, or are not shown, are refused.
func TestSpoiledBounds(t *testing.T) {
	const walk = `
var x : 0..4;
startstate x := 2; end;
rule 0.5 ==> if x != 0 & x != 4 then x := x + 1; end; end;
rule 0.5 ==> if x != 0 & x != 4 then x := x - 1; end; end;
`
	const loop = `
var x : 0..2;
startstate x := 0; end;
rule x = 0 ==> end;
rule x = 0 ==> x := 1; end;
distribution
  rule x = 1 ? 0.5 : 0.0 ==> x := 2; end;
  rule x = 1 ? 0.5 : 0.0 ==> x := 0; end;
end;
`
	each := func(b []*markov.Bounds, f func(b *markov.Bounds, s int)) {
		for _, x := range b {
			for s := range x.Lo {
				f(x, s)
			}
		}
	}
	for _, c := range []struct {
		name, text, formula string
		spoil               func(b []*markov.Bounds)
	}{
		{"a self-loop with the lower bound 1", walk, "P=? [F x = 4]", func(b []*markov.Bounds) {
			each(b, func(b *markov.Bounds, s int) { b.Lo[s], b.Hi[s] = 1, 1 })
		}},
		{"an end component with the lower bound 1", loop, "Pmin=? [F x = 2]", func(b []*markov.Bounds) {
			each(b, func(b *markov.Bounds, s int) { b.Lo[s], b.Hi[s] = 1, 1 })
		}},
		{"iteration stopped early", walk, "P=? [F x = 4]", func(b []*markov.Bounds) {
			each(b, func(b *markov.Bounds, s int) {
				if b.Lo[s] > 0 && b.Lo[s] < 1 {
					b.Hi[s] = b.Lo[s] - 1.0/1024
				}
			})
		}},
		{"steps of an iteration stopped early", walk, "E=? [F x = 4 | x = 0]", func(b []*markov.Bounds) {
			each(b, func(b *markov.Bounds, s int) { b.Hi[s] = b.Lo[s] / 2 })
		}},
		{"a lower bound of steps that is too large", walk, "E=? [F x = 4 | x = 0]", func(b []*markov.Bounds) {
			each(b, func(b *markov.Bounds, s int) { b.Lo[s] *= 2; b.Hi[s] *= 2 })
		}},
		{"no ranks", walk, "P=? [F x = 4]", func(b []*markov.Bounds) {
			for _, x := range b {
				clear(x.Ranks)
			}
		}},
		{"steps that are said to be infinite", walk, "E=? [F x = 4 | x = 0]", func(b []*markov.Bounds) {
			each(b, func(b *markov.Bounds, s int) { b.Lo[s], b.Hi[s] = inf, inf })
		}},
		{"steps that a bad certificate says to be infinite", walk, "E=? [F x = 4 | x = 0]", func(b []*markov.Bounds) {
			for _, x := range b {
				x.Never = make([]float64, len(x.Lo))
			}
			each(b, func(b *markov.Bounds, s int) { b.Lo[s], b.Hi[s] = inf, inf })
		}},
	} {
		for _, spoil := range []func(b []*markov.Bounds){nil, c.spoil} {
			opt := portfolio.LikelyOptions{Formulas: []string{c.formula}, Precision: 1e-7, Variant: portfolio.LikelyVariant{Spoil: spoil}}
			_, err := portfolio.Likely(context.Background(), "walk.m", task.Options{Contents: []byte(c.text)}, opt)
			if (err != nil) != (spoil != nil) {
				t.Errorf("%s: spoiled %v: %v", c.name, spoil != nil, err)
			}
		}
	}
}

// TestWrongProbabilities: probabilities that do not add up are errors with their place, and so are questions that a chooser
// would have to answer.
func TestWrongProbabilities(t *testing.T) {
	const head = "var x : 0..3;\nstartstate x := 0; end;\n"
	for _, c := range []struct{ text, want string }{
		{"rule x < 2 ? 0.5 : 1.0 ==> x := 2; end;\nrule x < 3 ? 0.5 : 0.0 ==> x := 3; end;", "w.m:3:1: the probabilities of the instances that chance decides between add up to 3/2, not to 1, in the state x = 2"},
		{"rule 0.5 / x ==> end;", "w.m:3:1: the probability of the rule is a division by zero"},
		{"rule (1.0 / x) / (1.0 / x) ==> end;", "w.m:3:1: the probability of the rule is a division by zero"},
		{"rule 0.5 - x ==> x := x + 1; end;\nrule 0.5 + x ==> end;", "w.m:3:1: the probability of the rule is -1/2"},
		{"rule 1.0 ==> x := 4; end;", "w.m:3:"},
		{"rule x = 0 ==> x := 1; end;\nrule x = 0 ==> x := 2; end;", "not all is left to chance"},
		{"startstate x := 1; end; rule 1.0 ==> end;", "not all is left to chance"},
		{"rule 1.0 ==> assume x = 1; end;", "add up to"},
	} {
		_, err := likely(t, "w.m", head+c.text, task.Options{}, "P=? [F x = 2]")
		if c.want == "add up to" { // a step that an assumption takes away leaves nothing
			if err != nil {
				t.Errorf("%s: %v", c.text, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
}

var inf = func() float64 { x := 1e308; return x * 10 }()

// TestRealProbabilities: a probability that is a real variable, or made of such and of functions of them, is the decimal number
// that it holds, and sums are exact.
func TestRealProbabilities(t *testing.T) {
	const text = `
type R : real(3, 20); P : scalarset(2);
var p : R; x : 0..3; n : 0..2; a : array [P] of R;
function half(y : R) : R; begin return y / 2; end;
startstate p := 1.0 / 3; x := 0; n := 0; clear a; end;
rule "won" x = 0 & n < 2 ? half(p) : 0.0 ==> x := 1; end;
rule "lost" x = 0 & n < 2 ? half(p) : 0.0 ==> x := 2; end;
rule "again" x = 0 & n < 2 ? 1 - 2 * half(p) : 0.0 ==> n := n + 1; p := p * 2; end;
ruleset q : P do rule "end" x = 0 & n = 2 ? 0.5 : 0.0 ==> x := 3; a[q] := p; end; end;
`
	// p is 0.333, 0.666, 1.33; half(p) is 0.166 or 0.167, as 0.1665 is rounded: in binary it is a little less or more.
	half := "167/1000"
	if fmt.Sprintf("%.2e", 0.333/2) == "1.66e-01" {
		half = "166/1000"
	}
	first, _ := new(big.Rat).SetString(half)
	rest := new(big.Rat).Sub(big.NewRat(1, 1), new(big.Rat).Mul(first, big.NewRat(2, 1)))
	won := new(big.Rat).Add(first, new(big.Rat).Mul(rest, big.NewRat(333, 1000)))
	left := new(big.Rat).Mul(rest, big.NewRat(334, 1000))
	for _, symmetry := range []string{"", "off"} {
		r, err := likely(t, "real.m", text, task.Options{Symmetry: symmetry}, "P=? [F x = 1]", "P=? [F<=1 x = 1]", "P=? [F exists q : P do a[q] > 1.32 end]", "P=? [F p >= 0.667]")
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []*big.Rat{won, first, left, left} {
			if err := contains(r.Formulas[i], want.String()); err != nil {
				t.Error(err)
			}
		}
		if want := map[string]int64{"": 8, "off": 9}[symmetry]; r.States != want {
			t.Errorf("%d states with symmetry %q, want %d", r.States, symmetry, want)
		}
	}
	if _, err := likely(t, "real.m", strings.Replace(text, "1 - 2 * half(p)", "1 - p", 1), task.Options{}, "P=? [F x = 1]"); err == nil || !strings.Contains(err.Error(), "add up to") {
		t.Errorf("half(0.333) twice and 1 - 0.333: %v", err)
	}
}
