// Package group computes with groups of permutations of a finite set, given by
// generators: order, membership, stabilisers, orbits, blocks, disjoint direct
// factors, and which well-known group a factor is.
//
// A symmetry group of a model or netlist is a product of small factors. Each element
// moves few of many points, and many sets of points move in step. So generators are
// sparse (Sparse). They are first split into factors that share no point (Factors). Of
// the sets of a factor that move in step, one is kept. Only the results about a factor,
// on its own points numbered from 0, are dense (Perm).
//
//	perm.go       permutations, sparse and dense
//	element.go    a permutation that is multiplied by sparse ones
//	chain.go      base and strong generating set: order, membership, stabiliser
//	schreier.go   and how they are made
//	orbits.go     orbits and block systems
//	factors.go    disjoint direct factors
//	copies.go     orbits that move in step
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

// sparse returns what p moves.
func (p Perm) sparse() Sparse {
	var s Sparse
	for i, j := range p {
		if int32(i) != j {
			s.Points = append(s.Points, int32(i))
			s.Images = append(s.Images, j)
		}
	}
	return s
}

// dense returns s on the points 0..n-1.
func (s Sparse) dense(n int) Perm {
	p := identity(n)
	for k, x := range s.Points {
		p[x] = s.Images[k]
	}
	return p
}

// normal returns s with its points ascending and without those that stay.
func (s Sparse) normal() Sparse {
	at := make([]int, 0, len(s.Points))
	for k, x := range s.Points {
		if x != s.Images[k] {
			at = append(at, k)
		}
	}
	slices.SortFunc(at, func(a, b int) int { return int(s.Points[a] - s.Points[b]) })
	out := Sparse{make([]int32, len(at)), make([]int32, len(at))}
	for i, k := range at {
		out.Points[i], out.Images[i] = s.Points[k], s.Images[k]
	}
	return out
}

// sparseAll returns permutations as what they move, without identities.
func sparseAll(perms []Perm) []Sparse {
	var out []Sparse
	for _, p := range perms {
		if s := p.sparse(); len(s.Points) > 0 {
			out = append(out, s)
		}
	}
	return out
}
