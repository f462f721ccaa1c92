package group

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"orbitmc/internal/lists"
)

// The chain of stabilisers of a group relative to a base, with a strong generating
// set: Sims, "Computational methods in the study of permutation groups" (1970).
//
// The base consists of all points, in some order. A point that the stabiliser of
// the points before it does not move costs nothing. So the order is known from
// the start, and a strong generator belongs to all levels up to the first point
// that it moves. Factors relies on this: orbits that follow each other in the
// order have levels that follow each other.
//
// Transversals are kept as Schreier trees, each as large as the orbit of the
// whole group. Generators are kept as lists of the points that they move.

// Group is a group of permutations of the points 0..n-1.
type Group struct {
	n      int
	gens   []Sparse
	strong []Sparse
	depth  []int32  // by strong generator: rank of the first point that it moves
	moves  [][]move // by point: the strong generators that move it

	order  []int32 // all points: the base
	rank   []int32 // by point: where it is in order
	orbit  []int32 // by point: number of its orbit under the whole group
	at     []int32 // by point: its number in the orbit
	sizes  []int32 // of the orbits
	levels []*level
	active []int32 // ranks with a level, ascending

	cached *big.Int // order of the group the chain shows; nil if not computed
	w, u   *element // scratch
	rng    *rand.Rand
	draw   func(*element) // makes a random element, see schreier.go
	pool   []Perm         // of product replacement; the last one accumulates
	next   int            // level whose Schreier generators are tried
	idle   int            // how many of them in a row taught nothing
}

// move says what a strong generator does to a point.
type move struct{ gen, image int32 }

// level is one stabiliser in the chain, that of the points before, if it moves the
// next point, base.
type level struct {
	base  int32
	orbit []int32 // of base, in the order in which the tree grew
	via   []int32 // by number in the orbit of the group: the strong generator that leads to the point; root, none
	from  []int32 // likewise: the point it comes from
}

const (
	none = -1
	root = -2
)

// start makes the chain of the generators alone, with the points in the given order.
func start(n int, gens []Sparse, order []int32) *Group {
	g := &Group{n: n, gens: gens, order: order, moves: make([][]move, n), rank: make([]int32, n), orbit: make([]int32, n), at: make([]int32, n),
		levels: make([]*level, n), w: newElement(n), u: newElement(n), rng: rand.New(rand.NewPCG(1, uint64(n)))}
	g.draw = g.replace
	for r, x := range order {
		g.rank[x] = int32(r)
	}
	for k, o := range orbitsOf(n, gens).Lists(1) {
		g.sizes = append(g.sizes, int32(len(o)))
		for i, x := range o {
			g.orbit[x], g.at[x] = int32(k), int32(i)
		}
	}
	for _, s := range gens {
		g.learn(s)
	}
	return g
}

// byOrbits returns the points orbit by orbit, those that generators which come late
// move first. An automorphism search finds first what fixes most: so if the
// generators are strong relative to its base, they often are relative to this one.
func byOrbits(n int, gens []Sparse) []int32 {
	found := make([]int, n) // 1 + the first generator that moves the point
	for k, s := range slices.Backward(gens) {
		for _, x := range s.Points {
			found[x] = k + 1
		}
	}
	sets := orbitsOf(n, gens).Lists(1)
	for _, set := range sets {
		slices.SortStableFunc(set, func(x, y int32) int { return found[y] - found[x] })
	}
	slices.SortStableFunc(sets, func(a, b []int32) int { return found[b[0]] - found[a[0]] })
	return slices.Concat(sets...)
}

// first returns order with the points at the front.
func first(points, order []int32) []int32 {
	in := make([]bool, len(order))
	var out []int32
	for _, x := range points {
		if !in[x] {
			in[x] = true
			out = append(out, x)
		}
	}
	for _, x := range order {
		if !in[x] {
			out = append(out, x)
		}
	}
	return out
}

// add makes s, which is not the identity, a strong generator.
func (g *Group) add(s Sparse) {
	id, depth := int32(len(g.strong)), int32(g.n)
	for k, x := range s.Points {
		depth = min(depth, g.rank[x])
		g.moves[x] = append(g.moves[x], move{id, s.Images[k]})
	}
	g.strong, g.depth, g.cached = append(g.strong, s), append(g.depth, depth), nil
	if g.levels[depth] == nil {
		b := g.order[depth]
		size := g.sizes[g.orbit[b]]
		l := &level{base: b, orbit: []int32{b}, via: slices.Repeat([]int32{none}, int(size)), from: make([]int32, size)}
		l.via[g.at[b]] = root
		g.levels[depth] = l
		at, _ := slices.BinarySearch(g.active, depth)
		g.active = slices.Insert(g.active, at, depth)
	}
	for _, r := range g.active {
		if r > depth {
			break
		}
		l := g.levels[r]
		known := len(l.orbit)
		for k, x := range s.Points {
			if g.in(l, x) {
				g.reach(l, x, move{id, s.Images[k]})
			}
		}
		for k := known; k < len(l.orbit); k++ {
			for _, m := range g.moves[l.orbit[k]] {
				if g.depth[m.gen] >= r {
					g.reach(l, l.orbit[k], m)
				}
			}
		}
	}
}

// in reports whether x is in the orbit of a level.
func (g *Group) in(l *level, x int32) bool {
	return g.orbit[x] == g.orbit[l.base] && l.via[g.at[x]] != none
}

// reach adds the image of a point of the orbit to it.
func (g *Group) reach(l *level, x int32, m move) {
	if i := g.at[m.image]; l.via[i] == none {
		l.via[i], l.from[i] = m.gen, x
		l.orbit = append(l.orbit, m.image)
	}
}

// sift divides e by elements of the transversals as long as it can, and reports
// whether nothing remains: so it is for an element of the group, once the chain is
// complete.
func (g *Group) sift(e *element) bool {
	r := g.n
	for _, x := range e.touched {
		if e.image[x] != x {
			r = min(r, int(g.rank[x]))
		}
	}
	for ; e.moved > 0; r++ {
		b := g.order[r]
		if e.image[b] == b {
			continue
		}
		l := g.levels[r]
		if l == nil || !g.in(l, e.image[b]) {
			return false
		}
		for e.image[b] != b {
			e.thenInverse(g.strong[l.via[g.at[e.image[b]]]])
		}
	}
	return true
}

// learn makes what remains of s a strong generator.
func (g *Group) learn(s Sparse) {
	g.w.reset()
	g.w.then(s)
	g.take()
}

// take does the same with scratch element w; it reports whether anything remained.
func (g *Group) take() bool {
	if g.sift(g.w) {
		return false
	}
	g.add(g.w.sparse())
	return true
}

// word returns the strong generators that lead from the base point of a level to q,
// last first.
func (g *Group) word(l *level, q int32) (word []int32) {
	for q != l.base {
		i := g.at[q]
		word = append(word, l.via[i])
		q = l.from[i]
	}
	return word
}

// coset multiplies e by the element of the transversal that takes the base point of
// a level to q.
func (g *Group) coset(e *element, l *level, q int32) {
	for _, s := range slices.Backward(g.word(l, q)) {
		e.then(g.strong[s])
	}
}

// transversal returns that element.
func (g *Group) transversal(l *level, q int32) Perm {
	g.u.reset()
	g.coset(g.u, l, q)
	return g.u.perm()
}

// Order returns the number of elements.
func (g *Group) Order() *big.Int {
	if g.cached == nil {
		_, g.cached = g.behind(0)
	}
	return new(big.Int).Set(g.cached)
}

// Generators returns the permutations the group was made of, without identities.
func (g *Group) Generators() []Perm { return g.dense(g.gens) }

func (g *Group) dense(gens []Sparse) []Perm {
	return lists.Map(gens, func(s Sparse) Perm { return s.dense(g.n) })
}

// contains reports whether a permutation of the points is an element.
func (g *Group) contains(s Sparse) bool {
	g.w.reset()
	g.w.then(s)
	return g.sift(g.w)
}

// behind returns generators and order of the subgroup that fixes the first k points
// of the base, moved or not.
func (g *Group) behind(k int) (gens []Sparse, order *big.Int) {
	var sizes []*big.Int
	for _, r := range g.active {
		if int(r) >= k {
			sizes = append(sizes, big.NewInt(int64(len(g.levels[r].orbit))))
		}
	}
	for i, s := range g.strong {
		if int(g.depth[i]) >= k {
			gens = append(gens, s)
		}
	}
	return gens, multiply(sizes)
}

// multiply returns a product, multiplied like with like.
func multiply(ns []*big.Int) *big.Int {
	switch len(ns) {
	case 0:
		return big.NewInt(1)
	case 1:
		return ns[0]
	}
	return new(big.Int).Mul(multiply(ns[:len(ns)/2]), multiply(ns[len(ns)/2:]))
}

// mapping returns an element that takes the first points of the base to the given
// ones; ok is false if there is none. It is made in scratch element u.
func (g *Group) mapping(to []int32) (p *element, ok bool) {
	p = g.u
	p.reset()
	for i, t := range to {
		q := p.source[t]
		if q == g.order[i] {
			continue
		}
		l := g.levels[i]
		if l == nil || !g.in(l, q) {
			return nil, false
		}
		for _, s := range g.word(l, q) {
			p.before(g.strong[s]) // the next factor acts before the ones so far
		}
	}
	return p, true
}

// Elements returns all elements, sorted, if there are at most limit; else nil.
func (g *Group) Elements(limit int) []Perm {
	if g.Order().Cmp(big.NewInt(int64(limit))) > 0 {
		return nil
	}
	all := []Perm{identity(g.n)}
	for _, r := range slices.Backward(g.active) {
		var next []Perm
		for _, q := range g.levels[r].orbit {
			u := g.transversal(g.levels[r], q)
			for _, p := range all {
				next = append(next, p.Then(u))
			}
		}
		all = next
	}
	slices.SortFunc(all, func(p, q Perm) int { return slices.Compare(p, q) })
	return all
}

// Transversals returns, for each base point, one element for each other point of
// its orbit under the stabiliser of the base points before, that takes it there.
// Every element of the group is in exactly one way a product of one of them, or
// the identity, for each base point, those of the last base point first. It
// returns nil if they are more than limit.
func (g *Group) Transversals(limit int) [][]Perm {
	n := lists.Sum(g.active, func(r int32) int { return len(g.levels[r].orbit) - 1 })
	if n > limit {
		return nil
	}
	var all [][]Perm
	for _, r := range g.active {
		ps := lists.Map(g.levels[r].orbit[1:], func(q int32) Perm { return g.transversal(g.levels[r], q) })
		all = append(all, ps)
	}
	return all
}

// normalise checks dense generators and makes them sparse.
func normalise(n int, gens []Perm) ([]Sparse, error) {
	for _, p := range gens {
		if len(p) != n {
			return nil, fmt.Errorf("group: a generator on %d points, want %d", len(p), n)
		}
	}
	return sparseAll(gens), nil
}
