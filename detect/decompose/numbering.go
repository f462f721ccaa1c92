package decompose

import (
	"context"
	"math/big"
	"slices"

	"orbitmc/detect/group"
	"orbitmc/ts"
)

// Numbering gives the latches and inputs of a system numbers, points of package group: latches, then
// inputs, then initial inputs.
type Numbering struct {
	sys *ts.System
	n   int // points
}

// NumberingOf returns the numbering of sys.
func NumberingOf(sys *ts.System) Numbering {
	return Numbering{sys, len(sys.Latches) + len(sys.Inputs) + len(sys.Init)}
}

// Points returns a permutation of latches and inputs as one of points. Package group cannot
// tell a latch from its negation, so p negates none.
func (nu Numbering) Points(p *ts.Perm) (s group.Sparse) {
	off := int32(0)
	for _, image := range p.Parts() {
		for i, l := range image {
			if from, to := int32(i), int32(l.Index()); from != to {
				s.Points = append(s.Points, off+from)
				s.Images = append(s.Images, off+to)
			}
		}
		off += int32(len(image))
	}
	return s
}

// Perm is the inverse of Points.
func (nu Numbering) Perm(s group.Sparse, name string) *ts.Perm {
	p := ts.Identity(nu.sys)
	p.Name = name
	for k, from := range s.Points {
		to := s.Images[k]
		for _, image := range p.Parts() {
			if n := int32(len(image)); from >= n {
				from, to = from-n, to-n
				continue
			}
			image[from] = ts.MkLit(int(to), false)
			break
		}
	}
	return p
}

// count returns the latches among the points, ascending, and how many inputs
// there are.
func (nu Numbering) count(points []int32) (latches []int, inputs int) {
	for _, p := range points {
		if int(p) < len(nu.sys.Latches) {
			latches = append(latches, int(p))
		} else {
			inputs++
		}
	}
	slices.Sort(latches)
	return latches, inputs
}

// Factors returns the direct factors of the group that gens generate. orderOf, if not
// nil, returns the orders of groups of some of gens, given by their numbers, as far
// as they are known.
func (nu Numbering) Factors(ctx context.Context, gens []group.Sparse, orderOf func(gens []int) *big.Int) ([]*group.Factor, error) {
	return group.Factors(ctx, nu.n, gens, nil, orderOf)
}

// Contain reports whether p is in the product of direct factors.
func (nu Numbering) Contain(factors []*group.Factor, p group.Sparse) bool {
	return group.Contains(nu.n, factors, p)
}
