package structure_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/aig"
	"orbitmc/detect/structure"
	"orbitmc/ts"
)

// TestImages compares the orbits of properties that read sets of flags with those
// under all permutations of the flags that keep the family of the sets; and checks
// what the permutations do in random states.
func TestImages(t *testing.T) {
	const n = 5
	rng := rand.New(rand.NewPCG(81, 82))
	perms := [][]int{{}}
	for k := range n {
		var longer [][]int
		for _, p := range perms {
			for at := range k + 1 {
				longer = append(longer, slices.Insert(slices.Clone(p), at, k))
			}
		}
		perms = longer
	}
	images, several := 0, 0
	for range 600 {
		s := flags(n)
		m := 2 + rng.IntN(4)
		sets := make([]uint, m)
		var props []int
		for p := range sets {
			var set []int
			for i := range n {
				if rng.IntN(2) == 0 {
					set = append(set, i)
					sets[p] |= 1 << i
				}
			}
			if p > 1 && rng.IntN(5) == 0 { // the same bads
				sets[p] = sets[0]
				s.Bads = append(s.Bads, ts.Bad{Lit: s.Bads[0].Lit, Prop: p})
			} else {
				s.Bads = append(s.Bads, ts.Bad{Lit: all(s, set), Prop: p})
			}
			if rng.IntN(5) > 0 {
				props = append(props, p)
			}
		}
		first := make(map[int]int) // by property: the first one of its orbit
		for _, p := range props {
			first[p] = p
			for _, perm := range perms {
				image := func(set uint) (to uint) {
					for i, j := range perm {
						to |= set >> i & 1 << j
					}
					return to
				}
				keeps := true
				for _, q := range props {
					keeps = keeps && slices.ContainsFunc(props, func(r int) bool { return sets[r] == image(sets[q]) })
				}
				for _, q := range props {
					if keeps && image(sets[q]) == sets[p] {
						first[p] = min(first[p], q)
					}
				}
			}
		}
		r, _, err := structure.ByProp(context.Background(), s, props, provers())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range props {
			x, ok := r.Images[p]
			if !ok {
				if sets[first[p]] != sets[p] {
					t.Fatalf("sets %b of %v: property %d is no image, want of %d", sets, props, p, first[p])
				}
				continue
			}
			images++
			if sets[x.Of] != sets[first[p]] || slices.Contains(props, x.Of) == false {
				t.Fatalf("sets %b of %v: property %d is an image of %d, want of %d", sets, props, p, x.Of, first[p])
			}
			checkImage(t, rng, s, p, x)
			if !r.ByProp[p].Trivial() {
				several++
			}
			if err := r.ByProp[p].Check(s); err != nil {
				t.Fatal(err)
			}
			for _, g := range r.ByProp[p].Generators() {
				for range 20 {
					state, in := random(rng, n), random(rng, n)
					if value(s, s.Bads[p].Lit, state, in) != value(s, s.Bads[p].Lit, ts.Apply(g.Latch, state), ts.Apply(g.Input, in)) {
						t.Fatalf("sets %b: %s does not keep property %d, an image", sets, g.Name, p)
					}
				}
			}
		}
	}
	if images < 100 || several < 50 {
		t.Errorf("only %d images, %d of them with a group", images, several)
	}
}

func random(rng *rand.Rand, n int) []bool {
	out := make([]bool, n)
	for i := range out {
		out[i] = rng.IntN(2) == 0
	}
	return out
}

func value(s *ts.System, l aig.Lit, state, in []bool) bool {
	e := ts.NewEvaluator(s)
	e.Set(state, in)
	return e.Value(l)
}

// checkImage checks by simulation that an image is one, and a symmetry of the system.
func checkImage(t *testing.T, rng *rand.Rand, s *ts.System, p int, x ts.Image) {
	t.Helper()
	a, b := ts.NewEvaluator(s), ts.NewEvaluator(s)
	for range 50 {
		state, in := random(rng, len(s.Latches)), random(rng, len(s.Inputs))
		a.Set(state, in)
		b.Set(ts.Apply(x.Perm.Latch, state), ts.Apply(x.Perm.Input, in))
		if !slices.Equal(ts.Apply(x.Perm.Latch, a.Next()), b.Next()) {
			t.Fatalf("the permutation for property %d is no symmetry", p)
		}
		for _, bad := range s.Bads {
			to, ok := x.To[bad.Prop]
			if !ok {
				continue
			}
			if bad.Prop == x.Of && !slices.Contains(to, p) {
				t.Fatalf("property %d goes to %d, not to %d", x.Of, to, p)
			}
			for _, q := range to {
				if a.Value(bad.Lit) != b.Value(s.Bads[q].Lit) {
					t.Fatalf("property %d does not go to %d", bad.Prop, q)
				}
			}
		}
	}
}
