package group

import (
	"context"
	"fmt"
	"math/big"
	"slices"
)

// Factor is a group that acts on points of its own: the whole group is the
// direct product of its factors.
type Factor struct {
	Points []int32 // that it moves, ascending; point i of Group is Points[i]
	Group  *Group
}

// Lift returns a permutation of the points of the factor as one of all points.
func (f *Factor) Lift(p Perm) Sparse {
	var s Sparse
	for i, j := range p {
		if int32(i) != j {
			s.Points = append(s.Points, f.Points[i])
			s.Images = append(s.Images, f.Points[j])
		}
	}
	return s
}

// Restrict returns what a permutation of all points does on those of the factor;
// ok is false if it does not map them to themselves.
func (f *Factor) Restrict(s Sparse) (p Perm, ok bool) {
	p = identity(len(f.Points))
	for k, x := range s.Points {
		i, in := slices.BinarySearch(f.Points, x)
		if !in {
			continue
		}
		j, in := slices.BinarySearch(f.Points, s.Images[k])
		if !in {
			return nil, false
		}
		p[i] = int32(j)
	}
	return p, true
}

// maxTries is how many random elements are tried to reach a known order.
const maxTries = 1000

// Factors splits the group that the generators, permutations of the points
// 0..n-1, generate into the finest direct product of factors that share no
// moved point, in the order of their first points. If order is not nil it is the
// order of the group, known to be right. It gives up with the error of ctx.
//
// Orbits that a generator links are first taken for one factor, which is then
// split by the method of Chang and Jefferson, "Disjoint direct product
// decompositions of permutation groups" (J. Symbolic Comput., 2022): relative to
// a base that goes orbit by orbit, divide each strong generator by elements of
// the chain that act on later orbits only, as far as that goes; the orbits that
// are still linked belong together.
func Factors(ctx context.Context, n int, gens []Sparse, order *big.Int) ([]*Factor, error) {
	u := newUnionFind(n)
	for _, s := range gens {
		if err := s.check(n); err != nil {
			return nil, err
		}
		for i, x := range s.Points {
			if x != s.Images[i] {
				u.union(s.Points[0], x)
				u.union(x, s.Images[i])
			}
		}
	}
	var parts []*Factor
	for _, points := range u.sets(2) {
		f := &Factor{Points: points}
		local, err := f.restricted(gens)
		if err != nil {
			return nil, err
		}
		if f.Group, err = start(len(points), local, nil); err != nil {
			return nil, err
		}
		parts = append(parts, f)
	}
	if err := complete(ctx, parts, order); err != nil {
		return nil, err
	}
	var all []*Factor
	for _, f := range parts {
		fs, err := f.split(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, fs...)
	}
	slices.SortFunc(all, func(a, b *Factor) int { return int(a.Points[0] - b.Points[0]) })
	if n := product(all); order != nil && n.Cmp(order) != 0 {
		return nil, fmt.Errorf("group: the generators make a group of order %v, not %v", n, order)
	}
	return all, nil
}

// product returns the product of the orders of factors.
func product(fs []*Factor) *big.Int {
	n := big.NewInt(1)
	for _, f := range fs {
		n.Mul(n, f.Group.Order())
	}
	return n
}

// complete makes the chains of factors complete. The product of their orders is
// order, if that is known. No chain is too large: if the product is the order, all
// are complete, and as long as it is not, there is more to learn.
func complete(ctx context.Context, fs []*Factor, order *big.Int) error {
	if order != nil {
		for tries := 0; product(fs).Cmp(order) < 0 && tries < maxTries && ctx.Err() == nil; tries++ {
			for _, f := range fs {
				f.Group.try()
			}
		}
		if product(fs).Cmp(order) >= 0 {
			return nil
		}
	}
	for _, f := range fs {
		if err := f.Group.complete(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}

// restricted returns the generators on the points of f, without identities.
func (f *Factor) restricted(gens []Sparse) ([]Perm, error) {
	var local []Perm
	for _, s := range gens {
		p, ok := f.Restrict(s)
		if !ok {
			return nil, fmt.Errorf("group: a generator maps points of a factor out of it")
		}
		if !p.IsIdentity() {
			local = append(local, p)
		}
	}
	return local, nil
}

// split divides a factor into its finest disjoint direct factors.
func (f *Factor) split(ctx context.Context) ([]*Factor, error) {
	g := f.Group
	orbits := g.Orbits()
	if len(orbits) == 1 {
		return []*Factor{f}, nil
	}
	of := make([]int32, g.n) // orbit of each point
	for k, o := range orbits {
		for _, x := range o {
			of[x] = int32(k)
		}
	}
	var base []int32
	// A base that takes each orbit as far as it goes before the next one.
	h := g
	for _, o := range orbits {
		var err error
		if h, err = g.rebase(ctx, append(slices.Clone(base), o...)); err != nil {
			return nil, err
		}
		base = base[:0]
		left := h.Order()
		for _, l := range h.levels {
			if len(l.orbit) > 1 {
				base = append(base, l.base)
			}
			if left.Div(left, big.NewInt(int64(len(l.orbit)))).IsInt64() && left.Int64() == 1 {
				break
			}
		}
		if left.IsInt64() && left.Int64() == 1 {
			break
		}
		// Points behind those of the orbits so far were chosen by rebase.
		base = slices.DeleteFunc(base, func(x int32) bool { return of[x] > of[o[0]] })
	}
	h, err := g.rebase(ctx, base)
	if err != nil {
		return nil, err
	}
	u := newUnionFind(len(orbits))
	for _, p := range h.strong {
		h.separate(p, of, u)
	}
	sets := u.sets(1)
	if len(sets) == 1 {
		return []*Factor{f}, nil
	}
	var out []*Factor
	for _, set := range sets {
		part := &Factor{}
		var local []int32
		for x := range of {
			if slices.Contains(set, of[x]) {
				local = append(local, int32(x))
				part.Points = append(part.Points, f.Points[x])
			}
		}
		index := make([]int32, g.n)
		for i, x := range local {
			index[x] = int32(i)
		}
		var gens []Perm
		for _, p := range g.gens {
			q := make(Perm, len(local))
			for i, x := range local {
				q[i] = index[p[x]]
			}
			gens = append(gens, q)
		}
		var err error
		if part.Group, err = start(len(local), gens, nil); err != nil {
			return nil, err
		}
		part.Group.likely(ctx, trust) // it may be no product, and be larger than g
		out = append(out, part)
	}
	if err := complete(ctx, out, g.Order()); err != nil {
		return nil, err
	}
	if product(out).Cmp(g.Order()) != 0 {
		return []*Factor{f}, nil // not a product after all: leave it whole
	}
	return out, nil
}

// separate links in u the orbits on which p, divided by elements that act on
// later orbits only, still acts together. of is the orbit of each point, and the
// base goes orbit by orbit.
func (g *Group) separate(p Perm, of []int32, u unionFind) {
	p = slices.Clone(p)
	first := int32(none)
	for i := range g.levels {
		l := &g.levels[i]
		b := p[l.base]
		if b == l.base {
			continue
		}
		if first == none {
			first = of[l.base]
		}
		if of[l.base] == first {
			continue // the action on the first orbit is what p is for
		}
		// The coset of later levels fixes the first orbit pointwise only if all base
		// points of that orbit come before; then dividing by it keeps the action there.
		if l.via[b] == none {
			continue
		}
		p.then(g.coset(i, b).Inverse())
	}
	for x, y := range p {
		if int32(x) != y {
			u.union(first, of[x])
		}
	}
}
