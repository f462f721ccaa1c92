package declared_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"orbitmc/detect"
	"orbitmc/detect/declared"
	"orbitmc/detect/verify"
	"orbitmc/encode"
	"orbitmc/encode/murphi"
)

// marks returns Murphi text that sets x of the values of a set, told apart from
// the others by counting in the order of the loop.
func marks(x string, set []int) string {
	var conds []string
	for _, v := range set {
		conds = append(conds, fmt.Sprintf("n = %d", v+1))
	}
	return fmt.Sprintf("n := 0; for j: P do n := n + 1; %s[j] := %s; end;", x, strings.Join(append(conds, "false"), " | "))
}

// TestPlaces makes models whose rules, start states and invariants tell some
// components from the others, and compares the places that break each exchange,
// and what becomes of the group without the fewest, with what follows from the
// sets.
func TestPlaces(t *testing.T) {
	const n = 4
	rng := rand.New(rand.NewPCG(11, 4))
	several, none := 0, 0
	for round := range 25 {
		subset := func() []int {
			var set []int
			if round%5 == 0 || rng.IntN(2) == 0 {
				return set // tells nothing
			}
			for v := range n {
				if rng.IntN(3) == 0 {
					set = append(set, v)
				}
			}
			return set
		}
		var b strings.Builder
		sets := make(map[string][]int) // by name of the place
		fmt.Fprintf(&b, "type P: scalarset(%d);\nvar x, y: array [P] of boolean;\n", n)
		for i := range 2 {
			name := fmt.Sprint("inv", i)
			sets[name] = subset()
			fmt.Fprintf(&b, "function f%d(): boolean; var n: 0..9; ok: boolean; z: array [P] of boolean; begin ok := true; %s for j: P do if z[j] & y[j] then ok := false; end; end; return ok; end;\n", i, marks("z", sets[name]))
		}
		start := subset()
		sets["start"] = start
		fmt.Fprintf(&b, "startstate \"start\" var n: 0..9; begin %s for j: P do y[j] := false; end; end;\n", marks("x", start))
		for i := range 3 {
			name := fmt.Sprint("rule", i)
			sets[name] = subset()
			fmt.Fprintf(&b, "rule %q var n: 0..9; begin %s end;\n", name, marks("x", sets[name]))
		}
		b.WriteString("ruleset i: P do rule \"turn\" begin y[i] := !y[i]; end; end;\n")
		for i := range 2 {
			fmt.Fprintf(&b, "invariant \"inv%d\" f%d();\n", i, i)
		}
		m, err := murphi.Parse("places.m", []byte(b.String()), murphi.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		enc, err := encode.Model(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		opt := declared.Options{Verify: verify.Options{NewProver: newProver}}
		opt.Choosing = enc.Choosing
		r, err := declared.Check(context.Background(), m, enc, enc.Sys, enc.PropBads, opt)
		if err != nil {
			t.Fatal(err)
		}
		// breakers returns the places whose sets hold one of i and j.
		breakers := func(i, j int, without []string) (names []string) {
			for name, set := range sets {
				if slices.Contains(set, i) != slices.Contains(set, j) && !slices.Contains(without, name) {
					names = append(names, name)
				}
			}
			slices.Sort(names)
			return names
		}
		order := func(without []string) *big.Int {
			order, done := big.NewInt(1), make([]bool, n)
			for i := range n {
				size := int64(0)
				for j := i; j < n; j++ {
					if !done[j] && breakers(i, j, without) == nil {
						done[j] = true
						size++
					}
				}
				order.Mul(order, new(big.Int).MulRange(1, max(size, 1)))
			}
			return order
		}
		if got := r.Common.Order(); got.Cmp(order(nil)) != 0 {
			t.Fatalf("round %d: order %v, want %v\n%s", round, got, order(nil), b.String())
		}
		blocks := detect.Blocks(m, r.Common)[0]
		if len(r.Missing) != len(blocks)*(len(blocks)-1)/2 {
			t.Fatalf("round %d: %d exchanges between %d blocks", round, len(r.Missing), len(blocks))
		}
		for k, x := range r.Missing {
			var got []string
			for _, p := range x.Places {
				name := ""
				if p.Prop != nil {
					name = p.Prop.Name
				} else {
					name = p.Rule.Name
				}
				if p.Start != (name == "start") || p.Why.Text == "" || p.Why.Undecided || (p.Rule != p.Why.Rule && p.Why.Rule != nil) {
					t.Fatalf("round %d: %+v", round, p)
				}
				got = append(got, name)
			}
			slices.Sort(got)
			if want := breakers(x.I, x.J, nil); !slices.Equal(got, want) || x.Undecided > 0 {
				t.Fatalf("round %d: %s is broken by %v, want %v\n%s", round, x.Perm, got, want, b.String())
			}
			if want := order(got); x.Order.Cmp(want) != 0 {
				t.Fatalf("round %d: without %v the order is %v, want %v", round, got, x.Order, want)
			}
			if k > 0 && len(x.Places) < len(r.Missing[k-1].Places) {
				t.Fatalf("round %d: not the fewest places first", round)
			}
			if len(got) > 1 {
				several++
			}
		}
		if len(r.Missing) == 0 {
			none++
		}
	}
	if several < 20 || none == 0 {
		t.Errorf("%d exchanges broken by several places, %d models without any", several, none)
	}
}
