package detect

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"time"

	"orbitmc/detect/graph"
	"orbitmc/detect/group"
	"orbitmc/sat"
	"orbitmc/ts"
)

// Structure is the symmetry that the structure of a system shows.
type Structure struct {
	Vertices, Edges int
	Search          graph.Stats
	// Complete says that the search ended: Order is then that of all automorphisms
	// of the graph. Otherwise it is that of the group of Generators.
	Complete   bool
	Order      *big.Int
	Generators []*ts.Perm // verified
	BySAT      int        // of these, how many with the help of the prover; they rest on W
	Unverified int        // generators that were found, not verified, and left out

	Factors []Factor
	// Symmetry is the product of the axes of all factors that are products of
	// symmetric groups: what representatives are made of.
	Symmetry *ts.Symmetry
	Time     time.Duration
}

// Factor is one direct factor of a detected group.
type Factor struct {
	Kind    group.Kind
	Order   *big.Int
	Degrees []int // of the symmetric groups it is a product of; of a ring its length
	Latches int   // that it moves
	Inputs  int   // inputs and initial inputs that it moves
}

// Detected finds the permutations of latches and inputs that the structure of a
// system shows to keep it and its bads, all of them: to look for the symmetry
// of one property, leave the bads of the others out. Every generator is
// verified like a declared one. When ctx ends, what was found until then is
// returned with the error of ctx.
func Detected(ctx context.Context, sys *ts.System, opt Options) (*Structure, error) {
	began := time.Now()
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	c := newCircuit(sys)
	g, err := c.b.Graph()
	if err != nil {
		return nil, err
	}
	out := &Structure{Vertices: g.N(), Edges: g.M()}
	found, err := graph.Search(ctx, g, graph.Options{})
	if err != nil && found == nil {
		return nil, err
	}
	stopped := err
	out.Search, out.Complete = found.Stats, found.Complete
	check := newChecker(sys, opt)
	var sparse []group.Sparse
	for _, p := range found.Generators {
		perm := c.perm(p)
		if perm == nil {
			continue
		}
		ok, err := check.keeps(ctx, perm)
		if err != nil && stopped == nil {
			stopped = err
		}
		if !ok {
			out.Unverified++
			continue
		}
		out.Generators = append(out.Generators, perm)
		sparse = append(sparse, points(sys, perm))
	}
	out.BySAT = check.bySAT
	order := found.Order
	if !found.Complete || out.Unverified > 0 {
		order = nil
	}
	factors, err := group.Factors(len(sys.Latches)+len(sys.Inputs)+len(sys.Init), sparse, order)
	if err != nil {
		return nil, fmt.Errorf("internal error: %w", err)
	}
	out.Order = big.NewInt(1)
	var blocks []ts.Block
	for i, f := range factors {
		out.Order.Mul(out.Order, f.Group.Order())
		s, err := f.Group.Recognise()
		if err != nil {
			return nil, fmt.Errorf("internal error: %w", err)
		}
		x := Factor{Kind: s.Kind, Order: f.Group.Order()}
		for _, p := range f.Points {
			if int(p) < len(sys.Latches) {
				x.Latches++
			} else {
				x.Inputs++
			}
		}
		switch s.Kind {
		case group.Symmetric:
			for j, a := range s.Axes {
				x.Degrees = append(x.Degrees, len(a.Rows))
				b, err := check.block(ctx, sys, f, a, fmt.Sprintf("factor %d.%d", i+1, j+1))
				if err != nil && stopped == nil {
					stopped = err
				}
				if b != nil {
					blocks = append(blocks, *b)
				}
			}
		case group.Wreath:
			x.Degrees = []int{len(s.Inner[0]), len(s.Inner)}
		case group.Cyclic, group.Dihedral:
			x.Degrees = []int{len(s.Ring)}
		}
		out.Factors = append(out.Factors, x)
	}
	if blocks != nil {
		out.Symmetry = &ts.Symmetry{Blocks: blocks}
	}
	out.Time = time.Since(began)
	return out, stopped
}

// points numbers the leaves that a permutation moves: latches, then inputs, then
// initial inputs.
func points(sys *ts.System, p *ts.Perm) group.Sparse {
	var s group.Sparse
	off := int32(0)
	for _, image := range [][]int32{p.Latch, p.Input, p.Init} {
		for i, l := range image {
			if l>>1 != int32(i) {
				s.Points = append(s.Points, off+int32(i))
				s.Images = append(s.Images, off+l>>1)
			}
		}
		off += int32(len(image))
	}
	return s
}

// permOf is the inverse of points.
func permOf(sys *ts.System, s group.Sparse, name string) *ts.Perm {
	p := ts.Identity(sys)
	p.Name = name
	for k, x := range s.Points {
		y := s.Images[k]
		for _, image := range [][]int32{p.Latch, p.Input, p.Init} {
			if n := int32(len(image)); x >= n {
				x, y = x-n, y-n
				continue
			}
			image[x] = y << 1
			break
		}
	}
	return p
}

// checker verifies permutations of a system with all its bads.
type checker struct {
	v      *verifier
	prover *prover
	bySAT  int // permutations verified with the help of prover
}

func newChecker(sys *ts.System, opt Options) *checker {
	v := newVerifier(sys, nil)
	rng := rand.New(rand.NewPCG(opt.Seed, 3))
	n := len(sys.Latches) + len(sys.Inputs) + len(sys.Init)
	return &checker{v: v, prover: &prover{
		v: v, newProver: opt.NewProver, budget: opt.Budget, rng: rng,
		draw: func() valuation {
			x := make(valuation, n)
			for i := range x {
				x[i] = rng.IntN(2) == 0
			}
			return x
		},
	}}
}

// keeps reports whether p was verified.
func (c *checker) keeps(ctx context.Context, p *ts.Perm) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	system, props := c.v.differences(p, nil)
	if len(system)+len(props) == 0 {
		return true, nil
	}
	st, _, _ := c.prover.prove(ctx, append(system, props...))
	if st == sat.Unsat {
		c.bySAT++
	}
	return st == sat.Unsat, nil
}

// block makes a block of an axis, whose swaps are products of verified generators
// and are verified all the same; nil if that fails.
func (c *checker) block(ctx context.Context, sys *ts.System, f *group.Factor, a group.Axis, name string) (*ts.Block, error) {
	b := &ts.Block{Name: name, Class: -1, Elems: []int{0}}
	for i, swap := range a.Swaps {
		p := permOf(sys, f.Lift(swap), fmt.Sprintf("%s: %d <-> %d", name, i+1, i+2))
		if ok, err := c.keeps(ctx, p); !ok {
			return nil, err
		}
		b.Elems = append(b.Elems, i+1)
		b.Swaps = append(b.Swaps, p)
	}
	return b, nil
}
