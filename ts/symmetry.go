package ts

import (
	"fmt"
	"math/big"
	"slices"

	"orbitmc/internal/lists"
)

// Symmetry is a verified group of automorphisms: the product of its factors,
// which are the symmetric groups on its blocks, then its groups. Every element
// is, in exactly one way, b·…·c·g·…·h with one element of each factor. The
// product is direct but for one case: a factor may normalise a later one instead
// of commuting with it, as when components can be permuted and each of them has
// bits that can be exchanged. The nil Symmetry is the trivial group.
type Symmetry struct {
	Blocks []Block
	Groups []Group
}

// Block is a set of interchangeable components: every permutation of Elems
// acts on the system.
type Block struct {
	Name  string  // of the type: "NODE"
	Class int     // index in model.Model.Scalarsets; -1 when the model has no such type
	Elems []int   // at least two, ascending, values of the type
	Swaps []*Perm // Swaps[i] exchanges Elems[i] and Elems[i+1]; len(Elems)-1 of them
}

// MaxMembers is the order of the largest Group whose members are listed.
const MaxMembers = 128

// Group is a factor that is not known as a symmetric group on components.
type Group struct {
	Name  string
	Class int      // index in model.Model.Scalarsets of the values it permutes; -1 if there is none
	Elems []int    // these values, in the order of a ring; nil if there are none
	Kind  string   // "ring" (rotations), "dihedral" (and reflections), "wreath", "small" or "other"
	Order *big.Int // at least 2
	Gens  []*Perm  // at least one
	// Members are all elements but the identity, if the group has at most
	// MaxMembers; nil if it is larger.
	Members []*Perm
	// Transversals are those of a stabiliser chain, if one is known: a list for
	// each base point, of one element for each other point of its orbit under the
	// stabiliser of the base points before.
	Transversals [][]*Perm
}

// Order returns the number of elements of the group.
func (sy *Symmetry) Order() *big.Int {
	order := big.NewInt(1)
	if sy.Trivial() {
		return order
	}
	for _, b := range sy.Blocks {
		var f big.Int
		order.Mul(order, f.MulRange(1, int64(len(b.Elems))))
	}
	for _, g := range sy.Groups {
		order.Mul(order, g.Order)
	}
	return order
}

// Generators returns the adjacent transpositions of all blocks and the
// generators of all groups.
func (sy *Symmetry) Generators() []*Perm {
	if sy.Trivial() {
		return nil
	}
	var gens []*Perm
	for _, b := range sy.Blocks {
		gens = append(gens, b.Swaps...)
	}
	for _, g := range sy.Groups {
		gens = append(gens, g.Gens...)
	}
	return gens
}

// Conjugate returns the group of the elements p⁻¹·g·p (p⁻¹ is applied first) for g in
// sy: if sy keeps a function, it keeps the image of the function under p.
func (sy *Symmetry) Conjugate(p *Perm) *Symmetry {
	if sy.Trivial() {
		return sy
	}
	back := p.Inverse()
	all := func(gs []*Perm) []*Perm {
		return lists.Map(gs, func(g *Perm) *Perm {
			image := back.Then(g).Then(p)
			image.Name = g.Name
			return image
		})
	}
	out := &Symmetry{}
	for _, b := range sy.Blocks {
		b.Swaps = all(b.Swaps)
		out.Blocks = append(out.Blocks, b)
	}
	for _, g := range sy.Groups {
		g.Gens, g.Members = all(g.Gens), all(g.Members)
		g.Transversals = lists.Map(g.Transversals, all)
		out.Groups = append(out.Groups, g)
	}
	return out
}

// Trivial reports whether the group is trivial.
func (sy *Symmetry) Trivial() bool { return sy == nil || len(sy.Blocks) == 0 && len(sy.Groups) == 0 }

// OnLatches returns sy without the blocks and groups that move no latch. It moves clauses over
// latches as sy does.
func (sy *Symmetry) OnLatches() *Symmetry {
	return sy.Where(func(gens []*Perm) bool { return slices.ContainsFunc(gens, (*Perm).MovesLatches) })
}

// Where returns the factors of sy of whose generators keep holds; nil if sy is trivial.
func (sy *Symmetry) Where(keep func(gens []*Perm) bool) *Symmetry {
	if sy.Trivial() {
		return nil
	}
	return &Symmetry{
		Blocks: lists.Where(sy.Blocks, func(b Block) bool { return keep(b.Swaps) }),
		Groups: lists.Where(sy.Groups, func(g Group) bool { return keep(g.Gens) }),
	}
}

// Check reports whether the parts of sy fit together and s: sizes, orders, the
// shape of each list. It does not verify that permutations are automorphisms.
func (sy *Symmetry) Check(s *System) error {
	if sy.Trivial() {
		return nil
	}
	check := func(name string, perms []*Perm) error {
		for _, p := range perms {
			if err := p.Check(s); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if p.IsIdentity() {
				return fmt.Errorf("%s lists the identity", name)
			}
		}
		return nil
	}
	for _, b := range sy.Blocks {
		if len(b.Elems) < 2 || len(b.Swaps) != len(b.Elems)-1 {
			return fmt.Errorf("block %s: %d elements and %d swaps", b.Name, len(b.Elems), len(b.Swaps))
		}
		for i := range b.Elems[1:] {
			if b.Elems[i] >= b.Elems[i+1] {
				return fmt.Errorf("block %s: the elements do not ascend", b.Name)
			}
		}
		if err := check("block "+b.Name, b.Swaps); err != nil {
			return err
		}
	}
	for _, g := range sy.Groups {
		name := "group " + g.Name
		if len(g.Gens) == 0 || g.Order == nil || g.Order.Cmp(big.NewInt(2)) < 0 {
			return fmt.Errorf("%s: %d generators, order %v", name, len(g.Gens), g.Order)
		}
		if g.Members != nil && g.Order.Cmp(big.NewInt(int64(len(g.Members)+1))) != 0 {
			return fmt.Errorf("%s: %d members, order %v", name, len(g.Members), g.Order)
		}
		product := big.NewInt(1)
		for _, u := range g.Transversals {
			product.Mul(product, big.NewInt(int64(len(u)+1)))
			if err := check(name, u); err != nil {
				return err
			}
		}
		if g.Transversals != nil && product.Cmp(g.Order) != 0 {
			return fmt.Errorf("%s: transversals of %v elements, order %v", name, product, g.Order)
		}
		for _, ps := range [][]*Perm{g.Gens, g.Members} {
			if err := check(name, ps); err != nil {
				return err
			}
		}
	}
	return nil
}

// Image says that the property of a system it is for is an image of another one.
type Image struct {
	Of int // that property, which is no image itself
	// Perm is an automorphism but for the bads: it takes those of Of to those of the
	// image.
	Perm *Perm
	To   map[int][]int // by property: all that have the images of its bads under Perm
}
