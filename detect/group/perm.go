// Package group computes with groups of permutations of a finite set, given by
// generators: order, membership, stabilisers, orbits, blocks, disjoint direct
// factors, and which well-known group a factor is.
//
// Groups of symmetries of models and netlists move few of many points at once,
// and are products of small pieces. So generators come in sparse (Sparse), are
// first split into factors that share no point (Factors), and only within a
// factor, on its own points numbered from 0, are permutations dense.
//
//	perm.go       permutations, sparse and dense
//	schreier.go   base and strong generating set: order, membership, stabiliser
//	orbits.go     orbits and block systems
//	factors.go    disjoint direct factors
//	recognise.go  symmetric groups on rows, their products and wreath products, rings, small groups
//
// Nothing here is safe for concurrent use.
package group

import (
	"fmt"
	"slices"
)

// Perm is a permutation of the points 0..len-1: point i goes to p[i].
type Perm []int32

// identity returns the identity on n points.
func identity(n int) Perm {
	p := make(Perm, n)
	for i := range p {
		p[i] = int32(i)
	}
	return p
}

// IsIdentity reports whether p moves nothing.
func (p Perm) IsIdentity() bool {
	for i, j := range p {
		if int32(i) != j {
			return false
		}
	}
	return true
}

// Then returns the permutation that applies p first and q second.
func (p Perm) Then(q Perm) Perm {
	r := make(Perm, len(p))
	for i, j := range p {
		r[i] = q[j]
	}
	return r
}

// then makes p the permutation that applies p first and q second.
func (p Perm) then(q Perm) {
	for i, j := range p {
		p[i] = q[j]
	}
}

// Inverse returns the inverse of p.
func (p Perm) Inverse() Perm {
	r := make(Perm, len(p))
	for i, j := range p {
		r[j] = int32(i)
	}
	return r
}

// Order returns the least k ≥ 1 such that p applied k times is the identity; ok is
// false if it does not fit into an int.
func (p Perm) Order() (k int, ok bool) {
	k = 1
	seen := make([]bool, len(p))
	for i := range p {
		n := 0
		for j := i; !seen[j]; j = int(p[j]) {
			seen[j] = true
			n++
		}
		if n == 0 {
			continue
		}
		a, b := k, n
		for b != 0 {
			a, b = b, a%b
		}
		if k > int(^uint(0)>>1)/(n/a) {
			return 0, false
		}
		k *= n / a
	}
	return k, true
}

// Sparse is a permutation of many points that moves few: Points[i] goes to
// Images[i], all other points stay.
type Sparse struct {
	Points, Images []int32
}

// check reports whether s permutes its points, which are among 0..n-1.
func (s Sparse) check(n int) error {
	if len(s.Points) != len(s.Images) {
		return fmt.Errorf("group: %d points with %d images", len(s.Points), len(s.Images))
	}
	p, q := slices.Sorted(slices.Values(s.Points)), slices.Sorted(slices.Values(s.Images))
	if !slices.Equal(p, q) || len(slices.Compact(q)) != len(p) {
		return fmt.Errorf("group: a generator is not a permutation")
	}
	if len(p) > 0 && (p[0] < 0 || int(p[len(p)-1]) >= n) {
		return fmt.Errorf("group: a generator moves a point outside 0..%d", n-1)
	}
	return nil
}
