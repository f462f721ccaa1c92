package prog_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/encode/promela"
	"orbitmc/internal/prog"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/internal/testkit/promelatest"
	"orbitmc/model"
)

// bisimilar walks through pairs of states of a program and of it without dead values, which the same steps lead to, and
// says in how many of them they have the same steps, the same properties are violated, and variables of processes that have
// values have the same.
func bisimilar(p, q *prog.Program) (pairs int, err error) {
	code, bare := model.Compile(p.Model), model.Compile(q.Model)
	m, n := code.NewMachine(), bare.NewMachine()
	rules := map[string]int{}
	for i, r := range q.Model.Rules {
		rules[r.Name] = i
	}
	s, v := m.Start(model.Choice{})
	t, w := n.Start(model.Choice{})
	if v != nil || w != nil {
		if v == nil || w == nil || v.Prop != w.Prop {
			return 0, fmt.Errorf("at the start: %v, %v", v, w)
		}
		return 1, nil
	}
	pack, packed := model.NewPacker(p.Model), model.NewPacker(q.Model)
	seen := map[string]bool{}
	type pair struct{ s, t model.State }
	queue := []pair{}
	add := func(s, t model.State) {
		k := string(packed.Pack(pack.Pack(nil, s), t))
		if !seen[k] && len(seen) < 1000 {
			seen[k] = true
			queue = append(queue, pair{slices.Clone(s), slices.Clone(t)})
		}
	}
	add(s, t)
	for ; len(queue) > 0 && err == nil; queue = queue[1:] {
		s, t := queue[0].s, queue[0].t
		for leaf, v := range t {
			if v != s[leaf] && v != model.Undef {
				return len(seen), fmt.Errorf("%s is %d and %d", p.Model.LeafName(leaf), s[leaf], v)
			}
		}
		for i, prop := range p.Model.Props {
			if prop.Kind != model.Invariant {
				continue
			}
			if v, w := m.Violated(s, i), n.Violated(t, i); (v == nil) != (w == nil) || v != nil && v.Prop != w.Prop {
				return len(seen), fmt.Errorf("%s: %v and %v", prop.Name, v, w)
			}
		}
		enabled := 0
		m.Successors(s, func(ch model.Choice, next model.State, v *model.Violation) bool {
			enabled++
			r, ok := rules[p.Model.Rules[ch.Rule].Name]
			after, can, w := n.Fire(t, model.Choice{Rule: r, Params: ch.Params})
			switch {
			case !ok || !can && w == nil:
				err = fmt.Errorf("%s: only with dead values", p.Model.Rules[ch.Rule].Name)
			case (v == nil) != (w == nil) || v != nil && v.Prop != w.Prop:
				err = fmt.Errorf("%s: %v, %v", p.Model.Rules[ch.Rule].Name, v, w)
			case v == nil:
				add(next, after)
			}
			return err == nil
		})
		n.Successors(t, func(model.Choice, model.State, *model.Violation) bool { enabled--; return true })
		if err == nil && enabled != 0 {
			err = fmt.Errorf("%d steps more, or fewer, without dead values", enabled)
		}
	}
	return len(seen), err
}

// TestReset compares programs with what is left of them without dead values, random ones and small ones, more with
// ORBITMC_LONG=1.
func TestReset(t *testing.T) {
	random, every := 300, promelatest.SmallPrograms/1000
	if nightly.On() {
		random, every = 5_000, promelatest.SmallPrograms/10_000
	}
	reset, pairs := 0, 0
	compare := func(name, src string) {
		p, err := promela.Parse("f", []byte(src), promela.Options{})
		if err != nil {
			return // SPIN refuses them, too
		}
		q, err := promela.Parse("f", []byte(src), promela.Options{Reset: true})
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, src)
		}
		if len(p.Model.Rules) != len(q.Model.Rules) {
			t.Fatalf("%s: %d rules, and %d without dead values\n%s", name, len(p.Model.Rules), len(q.Model.Rules), src)
		}
		for i, r := range p.Model.Rules {
			if len(r.Body) != len(q.Model.Rules[i].Body) {
				reset++
				break
			}
		}
		n, err := bisimilar(p, q)
		if pairs += n; err != nil {
			t.Fatalf("%s: %v\n%s", name, err, src)
		}
	}
	compare("a claim about a dead variable", "byte x; active proctype P() { byte z = 1; x = 1; z = 2; x = z } ltl f { (P[0]:z == 1) W (x == 2) }")
	for seed := range uint64(random) {
		rng := rand.New(rand.NewPCG(seed, 21))
		src := promelatest.Random(rng)
		switch seed % 4 {
		case 0:
			src, _ = promelatest.RandomClaims(rng)
		case 1:
			src = promelatest.Wild(rng)
		}
		compare(fmt.Sprint("seed ", seed), src)
	}
	for i := 0; i < promelatest.SmallPrograms; i += every {
		compare(fmt.Sprint("small program ", i), promelatest.Small(i))
	}
	if t.Logf("%d programs with dead values, %d pairs of states", reset, pairs); reset < random/4 {
		t.Errorf("only %d programs have dead values", reset)
	}
}

// TestResetBroken: a value that is still read is missed, whichever rule of the analysis is broken.
func TestResetBroken(t *testing.T) {
	for _, c := range []struct {
		src               string
		properties, later bool
	}{
		{"active proctype A() { byte a; a = 1; a = 2; a = 3 } ltl p { [] (A[0]:a < 3) }", true, false},
		{"byte x; active proctype A() { byte a; a = 1; x = 1; x = 2; x = a }", false, true},
	} {
		p, err := promela.Parse("f", []byte(c.src), promela.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bisimilar(p, prog.Reset(p)); err != nil {
			t.Errorf("%s: %v", c.src, err)
		}
		q, err := prog.ResetWithout(p, c.properties, c.later)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bisimilar(p, q); err == nil {
			t.Errorf("%s: that a value is missing is not noticed", c.src)
		}
	}
}

// TestResetMerges: how many states are left.
func TestResetMerges(t *testing.T) {
	for _, c := range []struct {
		src      string
		all, few int
	}{
		{"byte x; active proctype A() { byte a; if :: a = 1 :: a = 2 :: a = 3 fi; x = a; x = 0; x = 5 }", 14, 10},
		{"chan c = [1] of { byte }; active proctype A() { byte a; do :: c?a -> skip od } active proctype B() { do :: c!1 :: c!2 od }", 15, 6},
	} {
		for i, want := range []int{c.all, c.few} {
			p, err := promela.Parse("f", []byte(c.src), promela.Options{Reset: i == 1})
			if err != nil {
				t.Fatal(err)
			}
			if n, err := bisimilar(p, p); err != nil || n != want {
				t.Errorf("%s: %d states, want %d: %v", c.src, n, want, err)
			}
		}
	}
}
