package decompose

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"orbitmc/aig"
	"orbitmc/detect/group"
	"orbitmc/detect/verify"
	"orbitmc/ts"
)

// registers returns a system of rows of latches with an input each. All rows are alike.
func registers(rows, width int) *ts.System {
	s := &ts.System{G: aig.NewPlain(), W: aig.True}
	for i := range rows * width {
		l, in := s.G.Input(), s.G.Input()
		s.Latches = append(s.Latches, ts.Latch{Name: fmt.Sprint("l", i), Node: l.Node(), Next: in})
		s.Inputs = append(s.Inputs, ts.Signal{Name: fmt.Sprint("i", i), Node: in.Node()})
	}
	return s
}

// moved returns the permutation that takes each row of s, with its inputs, to another.
func moved(s *ts.System, width int, to func(row int) int) *ts.Perm {
	p := ts.Identity(s)
	for i := range s.Latches {
		p.Latch[i] = ts.MkLit(to(i/width)*width+i%width, false)
		p.Input[i] = p.Latch[i]
	}
	return p
}

// TestLeaves: points and back are the same permutation.
func TestLeaves(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	s := registers(5, 2)
	s.Init = append(s.Init, ts.Signal{Name: "z0", Node: s.G.Input().Node()}, ts.Signal{Name: "z1", Node: s.G.Input().Node()})
	x := NumberingOf(s)
	for range 100 {
		p := ts.Identity(s)
		for _, image := range [][]ts.Lit{p.Latch, p.Input, p.Init} {
			for i, j := range rng.Perm(len(image)) {
				image[i] = ts.MkLit(j, false)
			}
		}
		if q := x.Perm(x.Points(p), "q"); !q.Equal(p) {
			t.Fatalf("%v came back as %v", p, q)
		}
	}
}

// TestSymmetry: rows that two generators exchange in all ways are a block, rows that one
// rotates a ring; the order is kept. A generator that is no symmetry leaves nothing.
func TestSymmetry(t *testing.T) {
	const rows, width = 5, 2
	s := registers(rows, width)
	next := moved(s, width, func(r int) int { return (r + 1) % rows })
	swap := moved(s, width, func(r int) int { return []int{1, 0, 2, 3, 4}[r] })
	for _, c := range []struct {
		gens           []*ts.Perm
		order          int64
		blocks, groups int
	}{{[]*ts.Perm{next, swap}, 120, 1, 0}, {[]*ts.Perm{next}, rows, 0, 1}, {[]*ts.Perm{swap}, 2, 1, 0}} {
		x := NumberingOf(s)
		var gens []group.Sparse
		for _, p := range c.gens {
			gens = append(gens, x.Points(p))
		}
		fs, err := x.Factors(t.Context(), gens, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, broken := range []bool{false, true} {
			sys := *s
			if broken { // rows differ in their first latch
				sys.Latches = append([]ts.Latch(nil), s.Latches...)
				for i := range rows {
					sys.Latches[i*width].Next = sys.InputLit(i * width).NotIf(i == 0)
				}
			}
			check, err := verify.NewChecker(&sys, verify.Options{})
			if err != nil {
				t.Fatal(err)
			}
			y, factors, err := Symmetry(t.Context(), x, check, fs, "factor ")
			if err != nil {
				t.Fatal(err)
			}
			if broken {
				if !y.Trivial() {
					t.Errorf("order %v of a system without symmetry", y.Order())
				}
				continue
			}
			if err := y.Check(&sys); err != nil {
				t.Error(err)
			}
			if y.Order().Cmp(big.NewInt(c.order)) != 0 || len(y.Blocks) != c.blocks || len(y.Groups) != c.groups || len(factors) != 1 || len(factors[0].Latches)%width != 0 {
				t.Errorf("order %v, want %d; %d blocks, %d groups, %+v", y.Order(), c.order, len(y.Blocks), len(y.Groups), factors)
			}
			for _, p := range c.gens {
				if !x.Contain(fs, x.Points(p)) {
					t.Error("a generator is not in its group")
				}
			}
		}
	}
}
