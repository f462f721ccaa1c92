package detect

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"orbitmc/detect/group"
	"orbitmc/ts"
)

// analyse makes a symmetry of the factors.
func (x *detection) analyse() (err error) {
	a := &analysis{ctx: x.ctx, leaves: x.leaves, check: x.check, symmetry: &ts.Symmetry{}}
	x.out.Factors, err = a.factors("factor ", x.factors)
	if !a.symmetry.Trivial() {
		x.out.Symmetry = a.symmetry
	}
	return err
}

// analysis makes a ts.Symmetry of groups of leaves.
type analysis struct {
	ctx      context.Context
	leaves   leafPoints
	check    *checker
	symmetry *ts.Symmetry
}

// factors adds factors to the symmetry, and returns what they are.
func (a *analysis) factors(prefix string, parts []*group.Factor) ([]Factor, error) {
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
	x.Latches, x.Inputs = a.leaves.count(f.Points)
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
			parts, err := group.Factors(a.ctx, a.leaves.n, gens, kernel, nil)
			if err != nil {
				return x, err
			}
			if x.Kernel, err = a.factors(name+", kernel ", parts); err != nil {
				return x, err
			}
		}
		return x, nil
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
		p := a.leaves.perm(f.Lift(e), name(i))
		if ok, err := a.check.keeps(a.ctx, p); !ok {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// leafPoints numbers the leaves of a system for package group: latches, then
// inputs, then initial inputs; each of them twice, plain and negated, if signed.
type leafPoints struct {
	sys    *ts.System
	signed bool
	n      int // points
}

func pointsOf(sys *ts.System, signed bool) leafPoints {
	n := len(sys.Latches) + len(sys.Inputs) + len(sys.Init)
	if signed {
		n *= 2
	}
	return leafPoints{sys, signed, n}
}

// points returns what a permutation does; one that negates needs signed points.
func (x leafPoints) points(p *ts.Perm) (s group.Sparse) {
	move := func(from, to int32) {
		if from != to {
			s.Points = append(s.Points, from)
			s.Images = append(s.Images, to)
		}
	}
	off := int32(0)
	for _, image := range [][]ts.Lit{p.Latch, p.Input, p.Init} {
		for i, l := range image {
			from, to := off+int32(i), off+int32(l>>1)
			if x.signed {
				move(2*from, 2*to|int32(l&1))
				move(2*from|1, (2*to|int32(l&1))^1)
			} else {
				move(from, to)
			}
		}
		off += int32(len(image))
	}
	return s
}

// perm is the inverse of points.
func (x leafPoints) perm(s group.Sparse, name string) *ts.Perm {
	p := ts.Identity(x.sys)
	p.Name = name
	for k, from := range s.Points {
		to := s.Images[k]
		if !x.signed {
			from, to = 2*from, 2*to
		}
		for _, image := range [][]ts.Lit{p.Latch, p.Input, p.Init} {
			if n := 2 * int32(len(image)); from >= n {
				from, to = from-n, to-n
				continue
			}
			image[from>>1] = ts.Lit(to ^ from&1)
			break
		}
	}
	return p
}

// count returns the latches among the points, ascending, and how many other leaves
// there are.
func (x leafPoints) count(points []int32) (latches []int, inputs int) {
	seen := make(map[int32]bool)
	for _, p := range points {
		if x.signed {
			p >>= 1
		}
		if seen[p] {
			continue
		}
		seen[p] = true
		if int(p) < len(x.sys.Latches) {
			latches = append(latches, int(p))
		} else {
			inputs++
		}
	}
	slices.Sort(latches)
	return latches, inputs
}
