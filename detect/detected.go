package detect

import (
	"context"
	"encoding/binary"
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
	// of the graph. Otherwise it is that of the group of Generators, nil if the
	// analysis of the group did not end.
	Complete   bool
	Order      *big.Int
	Generators []*ts.Perm // verified
	Unverified int        // generators that were found, not verified, and left out

	Factors []Factor
	// Symmetry is the whole group: what representatives are made of. It is a part of
	// it only if the context ended before all of it was analysed.
	Symmetry *ts.Symmetry
	Time     time.Duration
}

// Factor is one direct factor of a detected group, or of the kernel of one.
type Factor struct {
	Kind    group.Kind
	Order   *big.Int
	Degrees []int // of the symmetric groups it is a product of; of a ring its length
	Latches int   // that it moves
	Inputs  int   // inputs and initial inputs that it moves
	Kernel  []Factor
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
	}
	order := found.Order
	if !found.Complete || out.Unverified > 0 {
		order = nil
	}
	err = out.analyse(ctx, check, order)
	switch {
	case err == nil:
	case ctx.Err() == nil:
		return nil, fmt.Errorf("internal error: %w", err)
	case stopped == nil:
		stopped = err
	}
	out.Time = time.Since(began)
	return out, stopped
}

// analyse finds out what the group of the generators is; order is its order, or
// nil.
func (out *Structure) analyse(ctx context.Context, check *checker, order *big.Int) error {
	out.Order = order
	var sparse []group.Sparse
	for _, p := range out.Generators {
		sparse = append(sparse, points(check.v.sys, p))
	}
	a := &analysis{ctx: ctx, check: check, symmetry: &ts.Symmetry{}}
	var err error
	out.Factors, err = a.factors("factor ", sparse, order)
	if !a.symmetry.Trivial() {
		out.Symmetry = a.symmetry
	}
	if err == nil {
		out.Order = big.NewInt(1)
		for _, f := range out.Factors {
			out.Order.Mul(out.Order, f.Order)
		}
	}
	return err
}

// analysis makes a ts.Symmetry of groups of leaves.
type analysis struct {
	ctx      context.Context
	check    *checker
	symmetry *ts.Symmetry
}

// factors adds the group of some generators to the symmetry, and returns what it
// consists of. Its order is order, if that is not nil.
func (a *analysis) factors(prefix string, gens []group.Sparse, order *big.Int) ([]Factor, error) {
	sys := a.check.v.sys
	parts, err := group.Factors(a.ctx, len(sys.Latches)+len(sys.Inputs)+len(sys.Init), gens, order)
	if err != nil {
		return nil, err
	}
	var all []Factor
	for i, f := range parts {
		x, err := a.factor(f, fmt.Sprint(prefix, i+1))
		if err != nil {
			return all, err
		}
		all = append(all, x)
	}
	return all, nil
}

func (a *analysis) factor(f *group.Factor, name string) (Factor, error) {
	order := f.Group.Order()
	x := Factor{Order: order}
	for _, p := range f.Points {
		if int(p) < len(a.check.v.sys.Latches) {
			x.Latches++
		} else {
			x.Inputs++
		}
	}
	s, err := f.Group.Recognise(a.ctx)
	if err != nil {
		return x, err
	}
	x.Kind = s.Kind
	switch s.Kind {
	case group.Symmetric, group.Wreath, group.Split:
		kernel := new(big.Int).Set(order)
		for j, axis := range s.Axes {
			n := len(axis.Swaps) + 1
			x.Degrees = append(x.Degrees, n)
			kernel.Div(kernel, new(big.Int).MulRange(1, int64(n)))
			if err := a.block(f, axis, fmt.Sprintf("%s.%d", name, j+1)); err != nil {
				return x, err
			}
		}
		if len(s.Kernel) > 0 {
			var gens []group.Sparse
			for _, p := range s.Kernel {
				gens = append(gens, f.Lift(p))
			}
			x.Kernel, err = a.factors(name+", kernel ", gens, kernel)
		}
		return x, err
	case group.Cyclic, group.Dihedral:
		x.Degrees = []int{len(s.Ring)}
	}
	return x, a.group(f, s.Kind, name)
}

// block adds the group of an axis to the symmetry. Its swaps are products of
// verified generators and are verified all the same.
func (a *analysis) block(f *group.Factor, axis group.Axis, name string) error {
	b := ts.Block{Name: name, Class: -1, Elems: []int{0}}
	for i := range axis.Swaps {
		b.Elems = append(b.Elems, i+1)
	}
	var err error
	b.Swaps, err = a.verified(f, axis.Swaps, func(i int) string { return fmt.Sprintf("%s: %d <-> %d", name, i+1, i+2) })
	if b.Swaps != nil {
		a.symmetry.Blocks = append(a.symmetry.Blocks, b)
	}
	return err
}

// maxTransversals bounds the elements of transversals that are listed.
const maxTransversals = 256

// group adds a factor to the symmetry as it is.
func (a *analysis) group(f *group.Factor, kind group.Kind, name string) error {
	g := ts.Group{Name: name, Class: -1, Order: f.Group.Order(), Kind: map[group.Kind]string{
		group.Cyclic: "ring", group.Dihedral: "dihedral", group.Small: "small", group.Other: "other",
	}[kind]}
	number := 0
	named := func(int) string {
		number++
		return fmt.Sprintf("%s: element %d", name, number)
	}
	var err error
	if g.Gens, err = a.verified(f, f.Group.Generators(), named); g.Gens == nil {
		return err
	}
	if all := f.Group.Elements(ts.MaxMembers); all != nil {
		g.Members, err = a.verified(f, all[1:], named) // the identity is the first one
	} else {
		for _, u := range f.Group.Transversals(maxTransversals) {
			ps, failed := a.verified(f, u, named)
			if ps == nil {
				g.Transversals, err = nil, failed
				break
			}
			g.Transversals = append(g.Transversals, ps)
		}
	}
	a.symmetry.Groups = append(a.symmetry.Groups, g)
	return err
}

// verified returns elements of a factor as permutations of the system, all of them
// verified; nil if one is not.
func (a *analysis) verified(f *group.Factor, elements []group.Perm, name func(i int) string) ([]*ts.Perm, error) {
	var all []*ts.Perm
	for i, e := range elements {
		p := permOf(a.check.v.sys, f.Lift(e), name(i))
		if ok, err := a.check.keeps(a.ctx, p); !ok {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
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
	seen   map[string]bool // keys of permutations that were verified
}

func newChecker(sys *ts.System, opt Options) *checker {
	v := newVerifier(sys, nil)
	rng := rand.New(rand.NewPCG(opt.Seed, 3))
	n := len(sys.Latches) + len(sys.Inputs) + len(sys.Init)
	return &checker{v: v, seen: make(map[string]bool), prover: &prover{
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
	key := keyOf(p)
	if c.seen[key] {
		return true, nil
	}
	system, props := c.v.differences(p, nil)
	if len(system)+len(props) > 0 {
		if st, _, _ := c.prover.prove(ctx, append(system, props...)); st != sat.Unsat {
			return false, ctx.Err()
		}
	}
	c.seen[key] = true
	return true, nil
}

// keyOf tells permutations of one system apart: what they move, and where to.
func keyOf(p *ts.Perm) string {
	var key []byte
	for k, image := range [][]int32{p.Latch, p.Input, p.Init} {
		for i, l := range image {
			if l != int32(i)<<1 {
				key = binary.AppendUvarint(key, uint64(i)*3+uint64(k))
				key = binary.AppendUvarint(key, uint64(l))
			}
		}
	}
	return string(key)
}
