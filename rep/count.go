package rep

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/ts"
)

// This file measures how complete a set of permutations is, by counting the
// states that satisfy Rep_F.
//
// The states of a system are those in which W holds. W speaks of few bits at a
// time, so the states are a product of small sets (Domains): of the values of a
// one-hot pointer, of those of a bit. A search assigns one domain after the other
// and compares, for each permutation, what is known of the state with what is
// known of its image; where the image is less in a prefix no completion is a
// representative. With all elements of the group for F the representatives are the
// least members of the orbits, so that their number is that of the orbits.

// Least reports Rep_F of one state, bits indexed like System.Latches and compared
// in the given order (see Frame.Order).
func Least(state []bool, F []*ts.Perm, order []int) bool {
	for _, p := range F {
		if less(ts.Apply(p.Latch, state), state, order) {
			return false
		}
	}
	return true
}

// less reports a <lex b.
func less(a, b []bool, order []int) bool {
	for i := range a {
		if order != nil {
			i = order[i]
		}
		if a[i] != b[i] {
			return b[i]
		}
	}
	return false
}

// Domain is a set of latches whose values do not depend on those of others.
type Domain struct {
	Latches []int
	Values  [][]bool // of Latches
}

// maxDomain is the number of latches of the largest domain.
const maxDomain = 20

// Domains returns the states of a system, those in which W holds, as a product.
// It fails if W ties more than 20 latches together.
func Domains(sys *ts.System) ([]Domain, error) {
	number := make(map[int]int) // by leaf
	tied := make([]int, len(sys.Latches))
	for i, l := range sys.Latches {
		number[l.Node], tied[i] = i, i
	}
	var find func(int) int
	find = func(i int) int {
		if tied[i] != i {
			tied[i] = find(tied[i])
		}
		return tied[i]
	}
	parts := sys.G.Conjuncts(sys.W, nil, nil)
	of := make(map[int][]aig.Lit) // by number of one latch
	for _, c := range parts {
		support := sys.G.Support([]aig.Lit{c})
		for _, n := range support[min(1, len(support)):] {
			x, y := find(number[n]), find(number[support[0]])
			tied[max(x, y)] = min(x, y)
		}
		if len(support) > 0 {
			of[number[support[0]]] = append(of[number[support[0]]], c)
		}
	}
	members := make(map[int][]int)
	for i := range tied {
		members[find(i)] = append(members[find(i)], i)
	}
	sim := aig.NewSim(sys.G)
	var out []Domain
	for i := range tied {
		if find(i) != i {
			continue
		}
		d := Domain{Latches: members[i]}
		if len(d.Latches) > maxDomain {
			return nil, fmt.Errorf("the values of %d latches depend on each other, too many to list (at most %d)", len(d.Latches), maxDomain)
		}
		var conjuncts []aig.Lit
		for _, l := range d.Latches {
			conjuncts = append(conjuncts, of[l]...)
		}
		for v := range 1 << len(d.Latches) {
			value := make([]bool, len(d.Latches))
			for j, l := range d.Latches {
				value[j] = v>>j&1 == 1
				sim.Set(sys.Latches[l].Node, uint64(v>>j&1))
			}
			sim.Run()
			if !slices.ContainsFunc(conjuncts, func(c aig.Lit) bool { return sim.Word(c)&1 == 0 }) {
				d.Values = append(d.Values, value)
			}
		}
		out = append(out, d)
	}
	return out, nil
}

// ErrTooMany is returned by Representatives.
var ErrTooMany = errors.New("too many states to count")

// Representatives returns the number of states, of those that domains are the
// product of, that satisfy Rep_F in the order. It fails with ErrTooMany if more
// than limit partial states are tried.
func Representatives(domains []Domain, F []*ts.Perm, order []int, limit int64) (int64, error) {
	n := 0
	for _, d := range domains {
		n += len(d.Latches)
	}
	place := make([]int, n)
	word := make([]int, n)
	for i := range word {
		if word[i] = i; order != nil {
			word[i] = order[i]
		}
		place[word[i]] = i
	}
	first := func(d Domain) int {
		at := n
		for _, l := range d.Latches {
			at = min(at, place[l])
		}
		return at
	}
	domains = slices.Clone(domains)
	slices.SortFunc(domains, func(d, e Domain) int { return cmp.Compare(first(d), first(e)) })
	from := make([][]int32, len(F)) // by permutation and latch: the literal that comes there
	for i, p := range F {
		from[i] = make([]int32, n)
		for l, m := range p.Latch {
			from[i][m>>1] = int32(l)<<1 | m&1
		}
	}
	const unknown = 2
	state := slices.Repeat([]uint8{unknown}, n)
	// By depth and permutation: how many positions are equal, n+1 once the state is less.
	equal := make([][]int, len(domains)+1)
	for d := range equal {
		equal[d] = make([]int, len(F))
	}
	var count int64
	var extend func(d int) error
	extend = func(d int) error {
		if limit--; limit < 0 {
			return ErrTooMany
		}
		for i := range F {
			k := equal[max(d-1, 0)][i]
			for ; k < n; k++ {
				own, image := state[word[k]], state[from[i][word[k]]>>1]
				if own == unknown || image == unknown {
					break
				}
				if image ^= uint8(from[i][word[k]] & 1); own != image {
					if own == 1 {
						return nil
					}
					k = n
				}
			}
			equal[d][i] = k
		}
		if d == len(domains) {
			count++
			return nil
		}
		for _, v := range domains[d].Values {
			for j, l := range domains[d].Latches {
				state[l] = 0
				if v[j] {
					state[l] = 1
				}
			}
			if err := extend(d + 1); err != nil {
				return err
			}
		}
		for _, l := range domains[d].Latches {
			state[l] = unknown
		}
		return nil
	}
	err := extend(0)
	return count, err
}
