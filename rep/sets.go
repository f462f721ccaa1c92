package rep

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// This file chooses the permutations F of a predicate.

// Set names a set of permutations for a predicate.
type Set uint8

// The sets. For a factor that is no block, Nice and Star have all members if they are
// listed, otherwise the transversals, otherwise the generators.
const (
	Nice       Set = iota // adjacent transpositions of each block; for each two factors, products of one generator of each
	Star                  // transpositions of the first element of each block with the others
	All                   // every element of the group but the identity
	Generators            // ts.Symmetry.Generators
)

// maxAll bounds the order of a group that All lists, maxProducts how many products
// of generators of two factors Nice has: two blocks of 17 elements. Beyond
// it, Nice has none (docs/decisions.md has the figures).
const (
	maxAll      = 1 << 16
	maxProducts = 1 << 8
)

// Perms returns the permutations of a set, in a fixed order. It fails only for
// All, if the group has more than 65536 elements.
func Perms(y *ts.Symmetry, set Set) ([]*ts.Perm, error) {
	if y.Trivial() {
		return nil, nil
	}
	var perms []*ts.Perm
	switch set {
	case Nice:
		var factors [][]*ts.Perm // generators of each
		for _, b := range y.Blocks {
			perms = append(perms, b.Swaps...)
			factors = append(factors, b.Swaps)
		}
		for _, g := range y.Groups {
			perms = append(perms, some(g)...)
			factors = append(factors, g.Gens)
		}
		for i, f := range factors {
			for _, g := range factors[i+1:] {
				if len(f)*len(g) <= maxProducts {
					perms = append(perms, products(f, g)...)
				}
			}
		}
	case Star:
		for _, b := range y.Blocks {
			swap := transpositions(b)
			for j := range b.Swaps {
				perms = append(perms, swap(0, j+1))
			}
		}
		for _, g := range y.Groups {
			perms = append(perms, some(g)...)
		}
	case Generators:
		perms = y.Generators()
	case All:
		if order := y.Order(); order.Cmp(big.NewInt(maxAll)) > 0 {
			return nil, fmt.Errorf("the group has %v elements, too many to list (at most %d)", order, maxAll)
		}
		perms = elements(y)[1:]
	}
	return perms, nil
}

// some returns the permutations that Nice and Star take of a group.
func some(g ts.Group) []*ts.Perm {
	switch {
	case g.Members != nil:
		return g.Members
	case g.Transversals != nil:
		return slices.Concat(g.Transversals...)
	}
	return g.Gens
}

// products returns the products of one of each list. It leaves out those of
// permutations that share no leaf: a word that is least under both is least
// under their product, as the first place where it differs from the image is
// moved by one of them alone.
func products(F, G []*ts.Perm) []*ts.Perm {
	var perms []*ts.Perm
	for _, p := range F {
		for _, q := range G {
			if !p.Disjoint(q) {
				perms = append(perms, p.Then(q))
			}
		}
	}
	return perms
}

// elements lists the group, the identity (nil) first. Sym(n+1) is the union of
// the cosets Sym(n)·c where c moves the new element down to each place.
func elements(y *ts.Symmetry) []*ts.Perm {
	group := []*ts.Perm{nil}
	for _, b := range y.Blocks {
		for n := range b.Swaps {
			old := group
			var c *ts.Perm
			for i := n; i >= 0; i-- {
				c = compose(c, b.Swaps[i])
				for _, p := range old {
					group = append(group, compose(p, c))
				}
			}
		}
	}
	for _, g := range y.Groups {
		members := g.Members
		if members == nil {
			members = closure(g.Gens)
		}
		old := group
		for _, q := range members {
			for _, p := range old {
				group = append(group, compose(p, q))
			}
		}
	}
	return group
}

// closure lists the group of the generators but for the identity.
func closure(gens []*ts.Perm) []*ts.Perm {
	identity := gens[0].Then(gens[0].Inverse())
	all, _ := lists.Orbit(identity, (*ts.Perm).Key, math.MaxInt, func(p *ts.Perm) []*ts.Perm {
		if p == identity {
			return gens // by their own names
		}
		return lists.Map(gens, p.Then)
	})
	return all[1:]
}
