package structure_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/aig"
	"orbitmc/detect/structure"
	"orbitmc/ts"
)

// flags returns a system of n latches that inputs of their own set, and which are
// all alike but for what reads them.
func flags(n int) *ts.System {
	s := &ts.System{G: aig.NewPlain(), W: aig.True}
	for i := range n {
		in, l := s.G.Input(), s.G.Input()
		s.Inputs = append(s.Inputs, ts.Signal{Name: fmt.Sprint("set", i), Node: in.Node()})
		s.Latches = append(s.Latches, ts.Latch{Name: fmt.Sprint("flag", i), Node: l.Node(), Next: s.G.Or(l, in)})
	}
	return s
}

// all returns the conjunction of some flags.
func all(s *ts.System, set []int) aig.Lit {
	var ls []aig.Lit
	for _, i := range set {
		ls = append(ls, s.LatchLit(i))
	}
	return s.G.AndN(ls)
}

func factorial(n int) *big.Int { return new(big.Int).MulRange(1, int64(n)) }

// TestByProp: the group of a property that reads some of n flags is that which
// permutes these and the others; that of several is what is common.
func TestByProp(t *testing.T) {
	const n = 7
	rng := rand.New(rand.NewPCG(5, 6))
	for range 30 {
		s := flags(n)
		sets := make([][]int, 4)
		var props []int
		for p := range sets {
			for i := range n {
				if rng.IntN(2) == 0 {
					sets[p] = append(sets[p], i)
				}
			}
			if p == 3 {
				sets[p] = sets[0] // the same bads, the same group
			}
			s.Bads = append(s.Bads, ts.Bad{Lit: all(s, sets[p]), Prop: p})
			if rng.IntN(4) > 0 {
				props = append(props, p)
			}
		}
		r, structures, err := structure.ByProp(context.Background(), s, props, provers())
		if err != nil {
			t.Fatal(err)
		}
		order := func(of []int) *big.Int {
			cells := make(map[string]int)
			for i := range n {
				key := ""
				for _, p := range of {
					key += fmt.Sprint(slices.Contains(sets[p], i))
				}
				cells[key]++
			}
			want := big.NewInt(1)
			for _, k := range cells {
				want.Mul(want, factorial(k))
			}
			return want
		}
		if got, want := r.Common.Order(), order(props); got.Cmp(want) != 0 || r.System != r.Common {
			t.Errorf("%v of %v: the common order is %v, want %v", props, sets, got, want)
		}
		for p := range sets {
			want := big.NewInt(1)
			if slices.Contains(props, p) {
				want = order([]int{p})
			}
			if got := r.ByProp[p].Order(); got.Cmp(want) != 0 {
				t.Errorf("%v of %v: property %d has order %v, want %v", props, sets, p, got, want)
			}
			if s := structures[p]; s != nil && s.Order.Cmp(want) != 0 {
				t.Errorf("%v of %v: property %d has a structure of order %v, want %v", props, sets, p, s.Order, want)
			}
		}
		if slices.Contains(props, 0) && slices.Contains(props, 3) && r.ByProp[0] != r.ByProp[3] {
			t.Errorf("%v of %v: properties with the same bads are looked at twice", props, sets)
		}
		if r.Tried != r.VerifiedStructurally+r.VerifiedBySAT+r.Refuted+r.Unproved {
			t.Errorf("%d checks, %d by structure, %d by SAT, %d refuted", r.Tried, r.VerifiedStructurally, r.VerifiedBySAT, r.Refuted)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if r, _, err := structure.ByProp(ctx, s, props, provers()); err != context.Canceled || r != nil && !r.System.Trivial() && len(r.System.Generators()) == 0 {
			t.Errorf("a cancelled search: %v, %v", r, err)
		}
	}
}

// TestObstacles takes away what breaks the symmetry of equal flags.
func TestObstacles(t *testing.T) {
	s := flags(4)
	s.Latches[3].Reset = aig.True
	extra := s.G.Input()
	s.Latches = append(s.Latches, ts.Latch{Name: "extra", Node: extra.Node(), Next: all(s, []int{0})})
	s.Constraints = []aig.Lit{all(s, []int{1}).Not()}
	s.Bads = []ts.Bad{{Name: "any", Lit: all(s, []int{0, 1, 2, 3})}}
	order := func(s *ts.System) *big.Int {
		d, err := structure.Detect(context.Background(), s, provers())
		if err != nil {
			t.Fatal(err)
		}
		return d.Order
	}
	found, tried, places, err := structure.Obstacles(context.Background(), s, order(s), provers())
	var got []string
	for _, o := range found {
		got = append(got, fmt.Sprint(o.Kind, " ", o.Index, " ", o.Order))
	}
	slices.Sort(got)
	// Flags 0, 1, 2 and 3 are told apart by extra, the constraint and the reset; the
	// flag that is left goes with flag 2.
	want := []string{"constraint 0 2", "latch 4 2", "reset 3 2"}
	if err != nil || tried != places || places != 1+1+1+5 || !slices.Equal(got, want) {
		t.Errorf("%v, tried %d of %d, %v; want %v", got, tried, places, err, want)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, tried, _, err := structure.Obstacles(ctx, s, big.NewInt(1), provers()); err != context.Canceled || tried != 0 {
		t.Errorf("a cancelled search: tried %d, %v", tried, err)
	}
}
