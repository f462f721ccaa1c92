package states

import (
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/testkit/murphitest"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/model"
)

// ordersOf returns what is known of a model with a formula, and its start state.
func ordersOf(t *testing.T, text, formula string) (*orders, *model.Program, model.State) {
	t.Helper()
	m, err := murphi.Parse("x.m", []byte(text), murphi.Options{Formulas: []string{formula}})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	p := model.Compile(m)
	o, err := newOrders(&mc.Formulas{Model: m, Program: p}, m.Formulas[0])
	if err != nil {
		t.Fatal(err)
	}
	var start model.State
	p.NewMachine().Starts(func(_ model.Choice, s model.State, v *model.Violation) bool {
		if v == nil {
			start = slices.Clone(s)
		}
		return v != nil
	})
	return o, p, start
}

// TestOrdersRefused: stubborn sets are about formulas that do not see how often a state is repeated, and not about fairness.
func TestOrdersRefused(t *testing.T) {
	for formula, fair := range map[string][]string{"f: G x": nil, "f: F X x": nil, "f: F x": {"weak:go"}, "f: F !x": {"strong:go"}} {
		m, err := murphi.Parse("x.m", []byte(`var x: boolean; startstate begin x := true; end; rule "go" true ==> begin x := !x; end;`), murphi.Options{Formulas: []string{formula}, Fair: fair})
		if err != nil {
			t.Fatal(err)
		}
		f := &mc.Formulas{Model: m, Program: model.Compile(m)}
		if _, err := newOrders(f, m.Formulas[0]); (err == nil) != (formula == "f: G x") {
			t.Errorf("%s, %v: %v", formula, fair, err)
		}
		m.Formulas[0].LTL = nil
		if _, err := newOrders(f, m.Formulas[0]); err == nil {
			t.Error("stubborn sets with a never claim")
		}
	}
}

// after returns what can fire in a state, what errs behind it, and where it leads.
func after(p *model.Program, s model.State) (can []model.Choice, next []model.State) {
	var erring []model.Choice
	p.NewMachine().Successors(s, func(ch model.Choice, to model.State, v *model.Violation) bool {
		if v != nil {
			erring = append(erring, ch.Clone())
		} else {
			can, next = append(can, ch.Clone()), append(next, slices.Clone(to))
		}
		return true
	})
	return append(can, erring...), next
}

// TestOrders: sets of rules that are stubborn in the start state are accepted, and others are not.
func TestOrders(t *testing.T) {
	const one = "var x, y, z, w: 0..2; k: 0..1; q: array[0..1] of 0..2;\nstartstate begin x := 0; y := 0; z := 0; w := 0; k := 1; q[0] := 0; q[1] := 0; end;\n" +
		"rule \"a\" x = 0 ==> begin x := 1; end;\nrule \"w\" w = 0 ==> begin w := 1; end;\n"
	for name, c := range map[string]struct {
		rules, formula string
		right, wrong   [][]int32 // sets
	}{
		"visible, none that can fire, no instance":   {"", "G w = 0", [][]int32{{0}}, [][]int32{{1}, {0, 1}, {}, {-1}, {2}}},
		"what it writes is read":                     {`rule "b" x = 0 ==> begin y := 1; end;`, "G w = 0", [][]int32{{0, 2}}, [][]int32{{0}, {2}}},
		"what it writes is read where it is not yet": {`rule "b" x = 1 & y = 0 ==> begin z := 2; end;`, "G w = 0", [][]int32{{0}, {0, 2}}, [][]int32{{2}}},
		"what it reads is written by one that is disabled": {`rule "b" y = 1 ==> begin x := 2; end; rule "c" y = 0 ==> begin y := 1; end;`, "G w = 0",
			[][]int32{{0, 3}, {0, 2, 3}}, [][]int32{{0}, {0, 2}}},
		"a member is enabled in two steps": {`rule "b" z = 1 ==> begin x := 0; end; rule "c" y = 1 ==> begin z := 1; end; rule "d" true ==> begin y := 1; end;`, "G w = 0",
			[][]int32{{0, 2, 3, 4}}, [][]int32{{0, 2, 3}, {0, 2}}},
		"one errs":                   {`rule "e" x = 0 ==> begin error "e"; end;`, "G w = 0", nil, [][]int32{{0}, {0, 2}, {2}}},
		"one errs that is not in it": {`rule "e" 1 / x = k & y = 1 ==> begin z := 1; end;`, "G w = 0", nil, [][]int32{{0}, {0, 2}}},
		"a conjunct is another one where an index is": {`rule "b" q[k] = k ==> begin x := 2; end; rule "c" y = 0 ==> begin k := 0; end;`, "G w = 0",
			[][]int32{{0, 2, 3}}, [][]int32{{0}, {0, 2}}},
		"a conjunct hides an error": {`rule "e" x = 1 & 1 / w = 1 & y = 1 ==> begin z := 1; end;`, "G z = 1",
			[][]int32{{0, 1, 2}}, [][]int32{{1}, {1, 2}}},
		"a conjunct hides none": {`rule "e" x = 1 & w = 1 & y = 1 ==> begin z := 1; end;`, "G z = 1", [][]int32{{1, 2}}, nil},
		"an index may be another one": {`rule "b" q[0] = 0 ==> begin q[0] := 1; end; rule "c" z = 0 ==> begin q[k] := 2; end; rule "d" y = 1 ==> begin k := 0; end;`, "G w = 0",
			[][]int32{{2, 4}, {2, 3}}, [][]int32{{2}}},
		"another access by an index that may move": {`rule "b" k = 1 ==> begin y := 1; end; rule "c" k = 1 ==> begin q[z] := 1; end; rule "d" z = 0 ==> begin z := 1; end;`, "G w = 0",
			[][]int32{{2}}, nil},
		"an index may become another one": {`rule "b" q[0] = 0 ==> begin q[0] := 1; end; rule "c" z = 0 ==> begin q[k] := 2; end; rule "d" y = 0 ==> begin k := 0; end;`, "G w = 0",
			[][]int32{{2, 3, 4}}, [][]int32{{2}, {2, 3}, {2, 4}}},
		"an assumption": {`rule "b" x = 0 ==> begin assume y = 1; x := 2; end; rule "c" y = 0 ==> begin y := 1; end;`, "G w = 0",
			[][]int32{{0, 2, 3}}, [][]int32{{0}, {0, 2}, {0, 3}}},
	} {
		o, p, s := ordersOf(t, one+c.rules, "f: "+c.formula)
		can, next := after(p, s)
		for _, set := range c.right {
			if _, err := o.stubborn(set, s, can[:len(next)], can[len(next):], nil); err != nil {
				t.Errorf("%s: %v: %v", name, set, err)
			}
		}
		for _, set := range c.wrong {
			if _, err := o.stubborn(set, s, can[:len(next)], can[len(next):], nil); err == nil {
				t.Errorf("%s: %v is accepted", name, set)
			}
		}
	}
}

// TestOrdersLemma: in states of random models, whatever others than the members of a set that is accepted do, members that
// can fire still can, and commute, and those that cannot still cannot, and do not err.
func TestOrdersLemma(t *testing.T) {
	models := nightly.Or(150, 20_000)
	sets, small, steps := 0, 0, 0
	for seed := range uint64(models) {
		rng := rand.New(rand.NewPCG(seed, 73))
		text := murphitest.Loose(rng)
		o, p, s := ordersOf(t, text, "f: G true")
		for range 6 {
			can, next := after(p, s)
			if len(next) == 0 {
				break
			}
			in := []int32{int32(o.Number(can[rng.IntN(len(next))]))}
			for _, k := range rng.Perm(len(o.All)) {
				if _, err := o.stubborn(in, s, can[:len(next)], can[len(next):], nil); err == nil {
					break
				}
				in = append(in, int32(k))
			}
			if only, err := o.stubborn(in, s, can[:len(next)], can[len(next):], nil); err == nil {
				sets++
				if len(in) < len(o.All) {
					small++
				}
				if n, why := commutes(o, p, s, slices.Clone(only)); why != "" {
					t.Fatalf("seed %d: %v in %v: %s\n%s", seed, in, s, why, text)
				} else {
					steps += n
				}
			}
			s = next[rng.IntN(len(next))]
		}
	}
	t.Logf("%d sets, %d of them without some instance, %d steps of others", sets, small, steps)
	if small < models/2 || steps < models {
		t.Errorf("%d sets, %d of them without some instance, %d steps of others", sets, small, steps)
	}
}

// commutes explores what others than the members of a set do, and says what is wrong with the set.
func commutes(o *orders, p *model.Program, s model.State, only []bool) (steps int, why string) {
	by := func(s model.State) (to map[int]model.State, errs map[int]bool) {
		can, next := after(p, s)
		to, errs = make(map[int]model.State), make(map[int]bool)
		for i, ch := range can {
			if i < len(next) {
				to[o.Number(ch)] = next[i]
			} else {
				errs[o.Number(ch)] = true
			}
		}
		return to, errs
	}
	first, _ := by(s)
	seen := []model.State{s}
	for i := 0; i < len(seen) && i < 200; i++ {
		to, errs := by(seen[i])
		for t, in := range only {
			if !in {
				continue
			}
			moved, can := to[t]
			if _, could := first[t]; errs[t] || can != could {
				return steps, "a member was enabled or disabled"
			}
			if !can {
				continue
			}
			then, fails := by(moved)
			for u, next := range to {
				if !only[u] {
					steps++
					if both, ok := by(next); fails[u] || ok[t] || !slices.Equal(then[u], both[t]) || then[u] == nil {
						return steps, "a step does not commute"
					}
				}
			}
			for u := range errs {
				if !fails[u] {
					return steps, "one no longer errs"
				}
			}
		}
		for u, next := range to {
			if !only[u] && !slices.ContainsFunc(seen, func(x model.State) bool { return slices.Equal(x, next) }) {
				seen = append(seen, next)
			}
		}
	}
	return steps, ""
}
