// Package rep turns a verified symmetry into predicates that keep one path, or
// few paths, of each orbit: Rep_F(s) = ∧_{π∈F} s ≤lex π(s) and its extension to
// paths.
//
// # Why they are sound
//
// A path p of k steps is its initial inputs z, its states s_0 … s_k and its
// inputs x_0 … x_k. An automorphism π permutes all of them at once, and π·p is
// again a path; constraints hold on it and the bad holds in its last frame if
// they do on p. Take any sequence of positions of a path ("latch 3 of frame k,
// then latch 0 of frame 2, …"), the same for all paths, and let word(p) be the
// bits of p there. Then p ⊑ q iff word(p) ≤lex word(q) is a total preorder on
// paths: which positions were chosen, in which order, and whether all of them
// were, decides how many paths tie and nothing else. The orbit G·p is finite, so
// it has a ⊑-least member m, and word(m) ≤lex word(π·m) for every π in G, hence
// for every π in any F ⊆ G. So every orbit of paths keeps a member under
//
//	Path_F(p) = ∧_{π∈F} word(p) ≤lex word(π·p)
//
// whatever F is, and a larger F keeps fewer. The predicate reads word(π·p) off
// p by permuting each vector as a whole, so it may mention bits of p that are
// not in the word. Rep_F on one frame is the case of a word of one state.
//
// # What may not be done
//
// The member that is kept depends on the word. Two predicates with different
// words, and Rep_F on two frames is that, each keep a member of every orbit, but
// perhaps never the same one: together they can exclude all images of a real
// counterexample. So at most one of these predicates may hold in a query. As
// the word of bound k begins with frame k, it belongs under an assumption that
// is dropped when the bound moves on.
//
// # Which word
//
// States newest first ("backward") break symmetry where the property constrains
// the path, measured best on bounded model checking. States come before inputs:
// an input that the step ignores is free to be chosen so that it decides the
// comparison, and what follows it is never compared. Within a state the order of
// the latches matters most of all: Frame.Order.
package rep

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"

	"orbitmc/aig"
	"orbitmc/ts"
)

// Set names a set of permutations to break a symmetry with.
type Set uint8

// The sets. Nice and Star are as large as the factors, up to products, All as the
// group. Of a factor that is no block, Nice and Star have all members if they are
// listed, otherwise the transversals, otherwise the generators.
const (
	Nice Set = iota // adjacent transpositions of each block; for each two factors, products of one generator of each
	Star            // transpositions of the first element of each block with the others
	All             // every element of the group but the identity
)

func (s Set) String() string { return [...]string{"nice", "star", "all"}[s] }

// maxAll bounds the order of a group that All lists.
const maxAll = 1 << 16

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
				perms = append(perms, products(f, g)...)
			}
		}
	case Star:
		for _, b := range y.Blocks {
			swap := b.Swaps[0] // of the first element and element i
			perms = append(perms, swap)
			for i, p := range b.Swaps[1:] {
				swap = p.Then(swap).Then(p)
				swap.Name = fmt.Sprintf("%s %d <-> %d", b.Name, b.Elems[0], b.Elems[i+2])
				perms = append(perms, swap)
			}
		}
		for _, g := range y.Groups {
			perms = append(perms, some(g)...)
		}
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
	then := func(p, q *ts.Perm) *ts.Perm {
		if p == nil {
			return q
		}
		return p.Then(q)
	}
	group := []*ts.Perm{nil}
	for _, b := range y.Blocks {
		for n := range b.Swaps {
			old := group
			var c *ts.Perm
			for i := n; i >= 0; i-- {
				c = then(c, b.Swaps[i])
				for _, p := range old {
					group = append(group, then(p, c))
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
				group = append(group, then(p, q))
			}
		}
	}
	return group
}

// closure lists the group of the generators but for the identity.
func closure(gens []*ts.Perm) []*ts.Perm {
	seen := make(map[string]bool)
	var all []*ts.Perm
	enter := func(p *ts.Perm) {
		var key []byte
		for _, part := range [][]int32{p.Latch, p.Input, p.Init} {
			for _, l := range part {
				key = binary.AppendUvarint(key, uint64(l))
			}
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			all = append(all, p)
		}
	}
	enter(gens[0].Then(gens[0].Inverse()))
	for i := 0; i < len(all); i++ {
		for _, q := range gens {
			if i == 0 {
				enter(q) // by its own name
				continue
			}
			enter(all[i].Then(q))
		}
	}
	return all[1:]
}

// Predicate returns Rep_F(state): the state is least among its images under F.
// Literals index like System.Latches. Use it positively, under an assumption,
// on one frame of a query, and with no other predicate of this package.
func Predicate(g *aig.Graph, state []aig.Lit, F []*ts.Perm) aig.Lit {
	return PathPredicate(g, []Frame{{State: state}}, nil, F)
}

// Frame is what a word holds of one time frame.
type Frame struct {
	State  []aig.Lit // indexed like System.Latches
	Inputs []aig.Lit // indexed like System.Inputs; nil leaves them out of the word
	Order  []int     // the latches as they stand in the word, most significant first; nil: all, by number
}

// PathPredicate returns Path_F for the word made of the states of the frames in
// the given order, then their inputs in the given order, then the initial
// inputs (nil leaves them out). Frames newest first give the backward word;
// leaving out frames at the end bounds its cost. All frames are of one path. Use
// it as Predicate.
//
// Words without inputs grow at the front only as the bound grows, and the
// predicate of the next bound shares the nodes of the last one; inputs in the
// word cost a chain of their own for every bound.
func PathPredicate(g *aig.Graph, frames []Frame, init []aig.Lit, F []*ts.Perm) aig.Lit {
	least := make([]aig.Lit, len(F))
	for i, p := range F {
		le := aig.True
		if init != nil {
			le = leq(g, init, ts.ApplyLits(p.Init, init), le)
		}
		for j := len(frames) - 1; j >= 0; j-- {
			if in := frames[j].Inputs; in != nil {
				le = leq(g, in, ts.ApplyLits(p.Input, in), le)
			}
		}
		for j := len(frames) - 1; j >= 0; j-- {
			state, order := frames[j].State, frames[j].Order
			image := ts.ApplyLits(p.Latch, state)
			le = leq(g, inOrder(state, order), inOrder(image, order), le)
		}
		least[i] = le
	}
	return g.AndN(least)
}

func inOrder(ls []aig.Lit, order []int) []aig.Lit {
	if order == nil {
		return ls
	}
	out := make([]aig.Lit, len(order))
	for i, j := range order {
		out[i] = ls[j]
	}
	return out
}
