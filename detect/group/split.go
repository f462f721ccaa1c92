package group

import (
	"slices"

	"orbitmc/internal/disjoint"
)

// A component that can be permuted may have parts of its own that can be
// exchanged, such as values that do not matter. The group then acts on the
// components as a product of symmetric groups, with a kernel. This file searches
// for a complement of the kernel: lifts of the adjacent transpositions of
// components that satisfy the relations of Coxeter,
//
//	t² = 1    (t u)³ = 1 for neighbours    (t u)² = 1 for others
//
// and so generate a product of symmetric groups again (Coxeter, Moser,
// "Generators and relations for discrete groups", 6.2). A lift of the exchange of
// two components is made point by point along a stabiliser chain: it fixes the
// points that belong to other components only, and is an involution where
// possible. The other lifts are its conjugates, or, if these do not satisfy the
// relations, are made in the same way. There is no backtracking: a group whose
// components interact may be missed.

// Bounds of what is looked at: pairs of a point and a component, and points moved
// by the kernel. Larger groups are left as they are.
const (
	maxPairs  = 1 << 22
	maxKernel = 1 << 12
)

// split returns the structure of a group that normalises a kernel, or nil.
func (r *recogniser) split() (*Structure, error) {
	axes, _, err := r.choose(true)
	if err != nil || len(axes) == 0 || r.n*degree(axes) > maxPairs {
		return nil, err
	}
	h, err := r.with(axes)
	if err != nil {
		return nil, err
	}
	sets := setsOf(r.n, axes)
	kernel, order := h.behind(len(sets))
	free := slices.Concat(orbitsOf(r.n, kernel).Lists(2)...)
	if len(free) > maxKernel {
		return nil, nil
	}
	slices.Sort(free)
	s := &Structure{Kind: Split, Kernel: r.dense(kernel)}
	lift := func(i, k int, apart [][]int32) (Perm, error) {
		above, ok := h.mapping(swapped(sets, degree(axes[:i])+k))
		if !ok {
			return nil, nil
		}
		element := above.perm()[:r.n]
		// First the points that should be fixed, then those that cannot.
		base := slices.Clone(free)
		slices.SortStableFunc(base, func(x, y int32) int { return touches(apart[x], k) - touches(apart[y], k) })
		chain := start(r.n, kernel, first(base, r.order))
		if err := chain.complete(r.ctx, order); err != nil {
			return nil, err
		}
		return chain.involution(element, base), nil
	}
	for _, conjugate := range []bool{true, false} {
		for i, a := range axes {
			apart := r.belongs(a)
			a.swaps = nil
			for k := range len(a.sets) - 1 {
				var p Perm
				if k > 0 && conjugate {
					to := moved(sets, degree(axes[:i]), k)
					c, ok := h.mapping(to)
					if !ok {
						return nil, nil
					}
					q := c.perm()[:r.n]
					p = q.Inverse().Then(a.swaps[0]).Then(q)
				} else if p, err = lift(i, k, apart); p == nil || err != nil {
					return nil, err
				}
				a.swaps = append(a.swaps, p)
			}
		}
		if coxeter(axes) {
			break
		}
		if !conjugate {
			return nil, nil
		}
	}
	return r.axes(s, axes), nil
}

// moved returns a copy of s in which the elements off and off+1 have changed places
// with the k behind them.
func moved(s []int32, off, k int) []int32 {
	s = slices.Clone(s)
	copy(s[off:], append(slices.Clone(s[off+k:off+k+2]), s[off:off+k]...))
	return s
}

// touches is 1 if k or k+1 are among the elements, else 0.
func touches(elems []int32, k int) int {
	if slices.Contains(elems, int32(k)) || slices.Contains(elems, int32(k+1)) {
		return 1
	}
	return 0
}

// belongs returns, by point, the elements of the sets that are distinguished by
// it: those that its stabiliser fixes.
func (r *recogniser) belongs(a *action) [][]int32 {
	k := int32(len(a.sets))
	u := disjoint.New[int32](r.n * int(k)) // of pairs
	r.generators(func(e *element) {
		sets := a.acts(e, 0, Sparse{}).dense(int(k))
		for x := range int32(r.n) {
			for y := range k {
				u.Join(x*k+y, e.image[x]*k+sets[y])
			}
		}
	})
	out := make([][]int32, r.n)
	for x := range int32(r.n) {
		count := make(map[int32]int)
		for y := range k {
			count[u.Find(x*k+y)]++
		}
		for y := range k {
			if count[u.Find(x*k+y)] == 1 {
				out[x] = append(out[x], y)
			}
		}
	}
	return out
}

// involution returns an involution in the coset of p; nil if none is found. base
// holds the points that the group moves, and is the beginning of that of the chain. The
// involution fixes the first base points as far as it can.
func (g *Group) involution(p Perm, base []int32) Perm {
	from := slices.Repeat([]int32{none}, g.n) // by point: what is mapped to it for sure
	done := slices.Repeat([]bool{true}, g.n)
	for _, x := range base {
		done[x] = false
	}
	for x, y := range p {
		if done[x] {
			from[y] = int32(x)
		}
	}
	for r, x := range base {
		l := g.levels[r]
		orbit := []int32{x}
		if l != nil {
			orbit = l.orbit
		}
		best := int32(none) // the point that p takes where x should go
		for _, q := range orbit {
			switch y := p[q]; {
			case from[x] != none:
				if y == from[x] {
					best = q
				}
			case from[y] != none || done[y]:
			case best == none || p[best] != x && (y == x || y < p[best]):
				best = q
			}
		}
		if best == none {
			return nil
		}
		if best != x {
			p = g.transversal(l, best).Then(p)
		}
		from[p[x]] = x
		done[x] = true
	}
	if !p.Then(p).IsIdentity() {
		return nil
	}
	return p
}

// coxeter reports whether the swaps of the axes satisfy the relations.
func coxeter(axes []*action) bool {
	for i, a := range axes {
		for j, b := range axes[:i+1] {
			for k, p := range a.swaps {
				for m, q := range b.swaps {
					pq := p.Then(q)
					switch {
					case i == j && k == m:
						if !pq.IsIdentity() {
							return false
						}
					case i == j && (k == m+1 || m == k+1):
						if !pq.Then(pq).Then(pq).IsIdentity() {
							return false
						}
					case !pq.Then(pq).IsIdentity():
						return false
					}
				}
			}
		}
	}
	return true
}
