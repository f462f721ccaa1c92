package group

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"orbitmc/internal/disjoint"
	"orbitmc/internal/lists"
)

// This file splits a group into the finest direct product of groups that move different points (C. Chang and C. Jefferson,
// Disjoint direct product decompositions of permutation groups, 2022).

// Factor is a group that acts on points of its own: the whole group is the
// direct product of its factors.
type Factor struct {
	Points []int32 // that it moves, ascending
	Group  *Group  // how it acts on some of them: its point i is the first of fibre i
	fibre  [][]int32
}

// Lift returns a permutation of the points of f.Group as one of all points.
func (f *Factor) Lift(p Perm) Sparse { return f.lift(p.sparse()) }

func (f *Factor) lift(p Sparse) Sparse {
	var s Sparse
	for k, i := range p.Points {
		s.Points = append(s.Points, f.fibre[i]...)
		s.Images = append(s.Images, f.fibre[p.Images[k]]...)
	}
	return s.normal()
}

// Contains reports whether a permutation of the points 0..n-1 is in the product of
// the factors.
func Contains(n int, fs []*Factor, s Sparse) bool {
	s = s.normal()
	image := s.dense(n)
	local := make([]int32, n) // 1 + number of the point in the group of its factor
	left := len(s.Points)
	for _, f := range fs {
		var p Sparse
		for i, x := range f.fibre {
			local[x[0]] = int32(i) + 1
		}
		for i, x := range f.fibre {
			if y := image[x[0]]; y != x[0] {
				if y < 0 || int(y) >= n || local[y] == 0 || f.fibre[local[y]-1][0] != y {
					return false
				}
				p.Points, p.Images = append(p.Points, int32(i)), append(p.Images, local[y]-1)
			}
		}
		for _, x := range f.fibre {
			local[x[0]] = 0
		}
		if len(p.Points) == 0 {
			continue
		}
		whole := f.lift(p)
		for k, x := range whole.Points {
			if image[x] != whole.Images[k] {
				return false
			}
		}
		if left -= len(whole.Points); !f.Group.contains(p) {
			return false
		}
	}
	return left == 0
}

// maxTries is how many times in a row each factor may learn nothing although the
// product of their orders is not what it should be.
const maxTries = 1000

// Factors splits the group that the generators, permutations of the points
// 0..n-1, generate into the finest direct product of factors that share no
// moved point, in the order of their first points. If order is not nil it is the
// order of the group, known to be right; and orderOf, if it is not nil, may know
// that of the subgroup of some of the generators, given by their numbers, ascending:
// those that move points which the others fix. It gives up with the error of ctx.
//
// Orbits that a generator links are first taken for one factor, which is then
// split by the method of Chang and Jefferson, "Disjoint direct product
// decompositions of permutation groups" (J. Symbolic Comput., 2022): relative to
// a base that goes orbit by orbit, divide each strong generator by elements of
// the chain that act on later orbits only, as far as that goes; the orbits that
// are still linked belong together.
func Factors(ctx context.Context, n int, gens []Sparse, order *big.Int, orderOf func(gens []int) *big.Int) ([]*Factor, error) {
	u := disjoint.New[int32](n)
	for i, s := range gens {
		if err := s.check(n); err != nil {
			return nil, err
		}
		gens = slices.Clone(gens)
		gens[i] = s.normal()
		for k, x := range gens[i].Points {
			u.Join(gens[i].Points[0], x)
			u.Join(x, gens[i].Images[k])
		}
	}
	at := make([]int32, n) // by point: number of its factor, then of the point in it
	sets := u.Lists(2)
	for k, points := range sets {
		for _, x := range points {
			at[x] = int32(k)
		}
	}
	own := make([][]Sparse, len(sets))
	numbers := make([][]int, len(sets))
	for i, s := range gens {
		if len(s.Points) > 0 {
			k := at[s.Points[0]]
			own[k] = append(own[k], s)
			numbers[k] = append(numbers[k], i)
		}
	}
	var parts []*Factor
	var orders []*big.Int
	for k, points := range sets {
		parts = append(parts, newFactor(points, own[k], at))
		var known *big.Int
		if orderOf != nil {
			known = orderOf(numbers[k])
		}
		orders = append(orders, known)
	}
	if err := complete(ctx, parts, orders, order); err != nil {
		return nil, err
	}
	var all []*Factor
	for _, f := range parts {
		all = append(all, f.split()...)
	}
	slices.SortFunc(all, func(a, b *Factor) int { return int(a.Points[0] - b.Points[0]) })
	if n := product(all); order != nil && n.Cmp(order) != 0 {
		return nil, fmt.Errorf("group: the generators make a group of order %v, not %v", n, order)
	}
	return all, nil
}

// newFactor starts the chain of the generators, which move the points. at is by
// point, and overwritten.
func newFactor(points []int32, gens []Sparse, at []int32) *Factor {
	local := func(gens []Sparse) []Sparse {
		var out []Sparse
		for _, s := range gens {
			var p Sparse
			for k, x := range s.Points {
				if at[x] != none {
					p.Points, p.Images = append(p.Points, at[x]), append(p.Images, at[s.Images[k]])
				}
			}
			out = append(out, p)
		}
		return out
	}
	for i, x := range points {
		at[x] = int32(i)
	}
	f := &Factor{Points: points, fibre: fibres(len(points), local(gens))}
	for _, x := range points {
		at[x] = none
	}
	for i, fibre := range f.fibre {
		for k, x := range fibre {
			fibre[k] = points[x]
		}
		at[fibre[0]] = int32(i)
	}
	gens = local(gens)
	f.Group = start(len(f.fibre), gens, byOrbits(len(f.fibre), gens))
	return f
}

func product(fs []*Factor) *big.Int {
	return multiply(lists.Map(fs, func(f *Factor) *big.Int { return f.Group.Order() }))
}

// complete makes the chains of factors complete, whose orders are those given, where
// they are known. The product of their orders is order, if that is known. No chain
// is too large: if the product is the order, all are complete, and as long as it is
// not, there is more to learn.
func complete(ctx context.Context, fs []*Factor, orders []*big.Int, order *big.Int) error {
	var open []*Factor
	for k, f := range fs {
		if orders[k] == nil {
			open = append(open, f)
		} else if err := f.Group.complete(ctx, orders[k]); err != nil {
			return err
		}
	}
	if order != nil && len(open) > 0 {
		for idle := 0; idle < maxTries && product(fs).Cmp(order) < 0; {
			for _, f := range open {
				if err := f.Group.spend(ctx, 1); err != nil {
					return err
				}
			}
			for learned := false; !learned && idle < maxTries; idle++ {
				for _, f := range open {
					learned = f.Group.try() || learned
				}
				if learned {
					idle = 0
				}
			}
		}
		if product(fs).Cmp(order) >= 0 {
			return nil
		}
	}
	for _, f := range open {
		if err := f.Group.complete(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}

// split divides a factor into its finest disjoint direct factors.
func (f *Factor) split() []*Factor {
	g := f.Group
	u := disjoint.New[int32](len(g.sizes))
	for _, s := range g.strong {
		g.separate(s, u)
	}
	sets := u.Lists(1)
	if len(sets) == 1 {
		return []*Factor{f}
	}
	number := make([]int32, len(g.sizes)) // of the part, by orbit
	for k, set := range sets {
		for _, o := range set {
			number[o] = int32(k)
		}
	}
	out := make([]*Factor, len(sets))
	points := make([][]int32, len(sets)) // of g
	local := make([]int32, g.n)
	order := make([][]int32, len(sets))
	for k := range out {
		out[k] = &Factor{}
	}
	for x := range int32(g.n) {
		k := number[g.orbit[x]]
		local[x] = int32(len(points[k]))
		points[k] = append(points[k], x)
		out[k].fibre = append(out[k].fibre, f.fibre[x])
		out[k].Points = append(out[k].Points, f.fibre[x]...)
	}
	for _, x := range g.order {
		k := number[g.orbit[x]]
		order[k] = append(order[k], local[x])
	}
	// What each generator does on a part alone.
	parts := func(s Sparse) (of map[int32]*Sparse) {
		of = make(map[int32]*Sparse)
		for i, x := range s.Points {
			k := number[g.orbit[x]]
			if of[k] == nil {
				of[k] = &Sparse{}
			}
			of[k].Points, of[k].Images = append(of[k].Points, x), append(of[k].Images, s.Images[i])
		}
		return of
	}
	restricted := func(all []Sparse, check bool) (gens [][]Sparse, ok bool) {
		gens = make([][]Sparse, len(sets))
		for _, s := range all {
			for k, p := range parts(s) {
				if check && !g.contains(*p) {
					return nil, false
				}
				for i, x := range p.Points {
					p.Points[i], p.Images[i] = local[x], local[p.Images[i]]
				}
				gens[k] = append(gens[k], *p)
			}
		}
		return gens, true
	}
	// Strong generators, deepest first, make complete chains.
	deepest := lists.Make(len(g.strong), func(i int) int { return i })
	slices.SortStableFunc(deepest, func(a, b int) int { return int(g.depth[b] - g.depth[a]) })
	chains, ok := restricted(lists.Map(deepest, func(i int) Sparse { return g.strong[i] }), true)
	if !ok {
		return []*Factor{f} // not a product after all: leave it whole
	}
	gens, _ := restricted(g.gens, false)
	for k, part := range out {
		slices.Sort(part.Points)
		part.Group = start(len(points[k]), chains[k], order[k])
		part.Group.gens = gens[k]
	}
	return out
}

// separate links in u the orbits on which s, divided by elements that act on
// later orbits only, still acts together. The base goes orbit by orbit.
func (g *Group) separate(s Sparse, u disjoint.Sets[int32]) {
	e := g.w
	e.reset()
	e.then(s)
	depth := g.n
	for _, x := range s.Points {
		depth = min(depth, int(g.rank[x]))
	}
	own := g.orbit[g.order[depth]] // the action on the first orbit is what s is for
	for r := depth; r < g.n; r++ {
		b := g.order[r]
		if e.image[b] == b || g.orbit[b] == own {
			continue
		}
		// Cosets of later levels fix the points of all earlier orbits.
		if l := g.levels[r]; l != nil && g.in(l, e.image[b]) {
			for e.image[b] != b {
				e.thenInverse(g.strong[l.via[g.at[e.image[b]]]])
			}
		}
	}
	for _, x := range e.touched {
		if e.image[x] != x {
			u.Join(own, g.orbit[x])
		}
	}
}
