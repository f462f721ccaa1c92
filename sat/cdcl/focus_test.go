package cdcl_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/sat"
	"orbitmc/sat/cdcl"
)

// TestFocus asks random circuits, of which some gates are in clauses, focused on
// the cone of one gate, among groups that come and go. Unsat must be right of all
// clauses; Sat must be right of the cone: its leaves give the gate the value asked
// for and falsify no clause over the cone.
func TestFocus(t *testing.T) {
	const leaves, gates = 9, 14
	answers := map[sat.Status]int{}
	partial := 0 // satisfiable in focus only
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 7))
		s := cdcl.New()
		var vars []sat.Lit
		for range leaves + gates {
			vars = append(vars, s.NewVar())
		}
		pick := func(n int) sat.Lit { return vars[rng.IntN(n)] ^ sat.Lit(rng.IntN(2)) }
		var clauses [][]sat.Lit
		add := func(c ...sat.Lit) {
			clauses = append(clauses, c)
			s.Add(c...)
		}
		fanin := make([][2]sat.Lit, leaves+gates)
		for i := leaves; i < leaves+gates; i++ {
			a, b := pick(i), pick(i)
			fanin[i] = [2]sat.Lit{a, b}
			add(vars[i].Not(), a)
			add(vars[i].Not(), b)
			add(vars[i], a.Not(), b.Not())
		}
		cone := func(i int) []bool {
			in := make([]bool, leaves+gates)
			in[i] = true
			for j := i; j >= leaves; j-- {
				if in[j] {
					in[fanin[j][0].Var()-1], in[fanin[j][1].Var()-1] = true, true
				}
			}
			return in
		}
		// falsified reports whether the values of the leaves of a cone falsify a clause
		// over it, or one of the literals.
		falsified := func(x int, in []bool, clauses [][]sat.Lit, lits []sat.Lit) bool {
			value := make([]bool, leaves+gates)
			get := func(l sat.Lit) bool { return value[l.Var()-1] != l.Neg() }
			for i := range value {
				if i < leaves {
					value[i] = x>>i&1 == 1
				} else {
					value[i] = get(fanin[i][0]) && get(fanin[i][1])
				}
			}
			for _, c := range clauses {
				if !slices.ContainsFunc(c, func(l sat.Lit) bool { return !in[l.Var()-1] || get(l) }) {
					return true
				}
			}
			return slices.ContainsFunc(lits, func(l sat.Lit) bool { return !get(l) })
		}
		all := make([]bool, leaves+gates)
		for i := range all {
			all[i] = true
		}
		for range 40 {
			if rng.IntN(3) == 0 {
				add(pick(leaves+gates), pick(leaves), pick(leaves))
			}
			root := leaves + rng.IntN(gates)
			in := cone(root)
			var inputs, rest, assumed []sat.Lit
			for i := range in {
				switch {
				case in[i] && i < leaves:
					inputs = append(inputs, vars[i])
				case in[i]:
					rest = append(rest, vars[i])
				}
			}
			assumed = append(assumed, vars[root]^sat.Lit(rng.IntN(2)))
			for _, l := range inputs[:rng.IntN(len(inputs)+1)] {
				assumed = append(assumed, l^sat.Lit(rng.IntN(2)))
			}
			group := s.Group()
			extra := []sat.Lit{inputs[0] ^ sat.Lit(rng.IntN(2)), inputs[len(inputs)-1] ^ sat.Lit(rng.IntN(2))}
			s.AddTo(group, extra...)
			now := append(slices.Clone(clauses), extra)
			s.Focus(inputs, rest)
			status := s.Solve(context.Background(), assumed...)
			answers[status]++
			possible := false
			for x := range 1 << leaves {
				possible = possible || !falsified(x, all, now, assumed)
			}
			switch status {
			case sat.Sat:
				x := 0
				for i := range leaves {
					if in[i] && s.Value(vars[i]) {
						x |= 1 << i
					}
				}
				if falsified(x, in, now, assumed) {
					t.Fatalf("seed %d: the model is none", seed)
				}
				if !possible {
					partial++
				}
			case sat.Unsat:
				core := s.Core()
				for x := range 1 << leaves {
					if !falsified(x, all, now, core) {
						t.Fatalf("seed %d: unsatisfiable, but %b is a model", seed, x)
					}
				}
			}
			s.Release(group)
			if rng.IntN(4) == 0 && s.Solve(context.Background()) == sat.Unsat { // without focus
				for x := range 1 << leaves {
					if !falsified(x, all, clauses, nil) {
						t.Fatalf("seed %d: unsatisfiable, but %b is a model", seed, x)
					}
				}
				break
			}
		}
	}
	if answers[sat.Sat] < 1000 || answers[sat.Unsat] < 1000 || partial < 10 {
		t.Errorf("%v, %d satisfiable in focus only: the circuits are too easy", answers, partial)
	}
}
