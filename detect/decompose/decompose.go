// Package decompose turns a group of verified permutations into a ts.Symmetry: what
// representatives are made of.
//
// Package group splits the group into direct factors and recognises each one. A product
// of symmetric groups becomes blocks, with the exchanges of neighbouring rows as swaps. A
// cyclic, dihedral or small group becomes a list of its elements, and any other group
// the transversals of a stabiliser chain. What acts inside the rows, the kernel of a
// wreath product, is split again.
//
// The permutations made on the way are products of verified generators, and are
// verified all the same.
package decompose

import (
	"context"
	"fmt"
	"math/big"

	"orbitmc/detect/group"
	"orbitmc/detect/verify"
	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// Factor is one direct factor of a group, or of the kernel of one.
type Factor struct {
	Kind    group.Kind
	Order   *big.Int
	Degrees []int // of the symmetric groups it is a product of; of a ring its length
	Latches []int // that it moves, ascending
	Inputs  int   // inputs and initial inputs that it moves
	Kernel  []Factor
}

// Symmetry makes a symmetry of direct factors of a group of latches and inputs, and returns what
// they are. Their names begin with prefix. check verifies each permutation of the
// symmetry; a factor with a generator that is not verified is left out. The error is
// that of ctx, or that of check; the symmetry has the factors that were done until then.
func Symmetry(ctx context.Context, numbering Numbering, check *verify.Checker, factors []*group.Factor, prefix string) (*ts.Symmetry, []Factor, error) {
	a := &decomposition{ctx: ctx, numbering: numbering, check: check, symmetry: &ts.Symmetry{}}
	all, err := a.factors(prefix, factors)
	return a.symmetry, all, err
}

// decomposition is one run of Symmetry.
type decomposition struct {
	ctx       context.Context
	numbering Numbering
	check     *verify.Checker
	symmetry  *ts.Symmetry
}

// factors adds factors to the symmetry, and returns what they are.
func (d *decomposition) factors(prefix string, parts []*group.Factor) ([]Factor, error) {
	var all []Factor
	for i, f := range parts {
		x, err := d.factor(f, fmt.Sprint(prefix, i+1))
		if err != nil {
			return all, err
		}
		all = append(all, x)
	}
	return all, nil
}

func (d *decomposition) factor(f *group.Factor, name string) (Factor, error) {
	order := f.Group.Order()
	x := Factor{Order: order}
	x.Latches, x.Inputs = d.numbering.count(f.Points)
	s, err := f.Group.Recognise(d.ctx)
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
			if err := d.block(f, axis, fmt.Sprintf("%s.%d", name, j+1)); err != nil {
				return x, err
			}
		}
		if len(s.Kernel) > 0 {
			gens := lists.Map(s.Kernel, f.Lift)
			parts, err := group.Factors(d.ctx, d.numbering.n, gens, kernel, nil)
			if err != nil {
				return x, err
			}
			if x.Kernel, err = d.factors(name+", kernel ", parts); err != nil {
				return x, err
			}
		}
		return x, nil
	case group.Cyclic, group.Dihedral:
		x.Degrees = []int{len(s.Ring)}
	}
	return x, d.group(f, s.Kind, name)
}

// block adds the group of an axis to the symmetry. Its swaps are products of
// verified generators and are verified all the same.
func (d *decomposition) block(f *group.Factor, axis group.Axis, name string) error {
	b := ts.Block{Name: name, Class: -1, Elems: []int{0}}
	for i := range axis.Swaps {
		b.Elems = append(b.Elems, i+1)
	}
	var err error
	b.Swaps, err = d.verified(f, axis.Swaps, func(i int) string { return fmt.Sprintf("%s: %d <-> %d", name, i+1, i+2) })
	if b.Swaps != nil {
		d.symmetry.Blocks = append(d.symmetry.Blocks, b)
	}
	return err
}

// maxTransversals bounds the elements of transversals that are listed.
const maxTransversals = 256

// group adds a factor to the symmetry as it is.
func (d *decomposition) group(f *group.Factor, kind group.Kind, name string) error {
	g := ts.Group{Name: name, Class: -1, Order: f.Group.Order(), Kind: map[group.Kind]string{
		group.Cyclic: "ring", group.Dihedral: "dihedral", group.Small: "small", group.Other: "other",
	}[kind]}
	number := 0
	named := func(int) string {
		number++
		return fmt.Sprintf("%s: element %d", name, number)
	}
	var err error
	if g.Gens, err = d.verified(f, f.Group.Generators(), named); g.Gens == nil {
		return err
	}
	if all := f.Group.Elements(ts.MaxMembers); all != nil {
		g.Members, err = d.verified(f, all[1:], named) // the identity is the first one
	} else {
		for _, u := range f.Group.Transversals(maxTransversals) {
			ps, failed := d.verified(f, u, named)
			if ps == nil {
				g.Transversals, err = nil, failed
				break
			}
			g.Transversals = append(g.Transversals, ps)
		}
	}
	d.symmetry.Groups = append(d.symmetry.Groups, g)
	return err
}

// verified returns elements of a factor as permutations of the system, all of them
// verified; nil if one is not.
func (d *decomposition) verified(f *group.Factor, elements []group.Perm, name func(i int) string) ([]*ts.Perm, error) {
	var all []*ts.Perm
	for i, e := range elements {
		p := d.numbering.Perm(f.Lift(e), name(i))
		if ok, err := d.check.Keeps(d.ctx, p); !ok {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}
