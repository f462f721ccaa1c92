package group

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
)

// Base and strong generating set: Sims, "Computational methods in the study of
// permutation groups" (1970); in the randomised form of Seress, "Permutation
// Group Algorithms" (2003), ch. 4. Random elements, made by product replacement
// (Celler, Leedham-Green, Murray, Niemeyer and O'Brien, "Generating random
// elements of a finite group", 1995), are sifted through the chain of
// stabilisers; what remains becomes a strong generator. The chain can only be
// too small. It is right when its order is the one known from elsewhere, as that
// of an automorphism search; otherwise every Schreier generator is sifted too, or
// if there are very many, more random elements.
//
// Transversals are kept as Schreier trees: a group of 10,000 points has no room
// for explicit ones.

// Group is a group of permutations of the points 0..Degree-1.
type Group struct {
	n       int
	gens    []Perm
	strong  []Perm
	inverse []Perm // of strong
	levels  []level
	rng     *rand.Rand
	pool    []Perm // of product replacement; the last one accumulates
}

// level is one stabiliser in the chain: of the base points of the levels before.
type level struct {
	base  int32
	gens  []int32 // strong generators that fix all earlier base points
	orbit []int32 // of base under gens
	via   []int32 // by point: the strong generator that leads to it in the tree; root for base, none if not in the orbit
}

const (
	none = -1
	root = -2
)

// New returns the group that the permutations of n points generate. If order is
// not nil it is the order of the group, known from elsewhere; a wrong one is an
// error if it is too small, and never ends if it is too large, so it must be
// right. Without it, the order found for a very large group may be too small, with
// a probability of 2^-128 or so.
func New(n int, gens []Perm, order *big.Int) (*Group, error) {
	return build(context.Background(), n, gens, nil, order)
}

// build makes the chain with a base that begins with prefix. It gives up with the
// error of ctx.
func build(ctx context.Context, n int, gens []Perm, prefix []int32, order *big.Int) (*Group, error) {
	g, err := start(n, gens, prefix)
	if err != nil {
		return nil, err
	}
	return g, g.complete(ctx, order)
}

// start makes the chain of the generators alone.
func start(n int, gens []Perm, prefix []int32) (*Group, error) {
	g := &Group{n: n, rng: rand.New(rand.NewPCG(1, uint64(n)))}
	for _, p := range gens {
		if len(p) != n {
			return nil, fmt.Errorf("group: a generator on %d points, want %d", len(p), n)
		}
		if !p.IsIdentity() {
			g.gens = append(g.gens, p)
		}
	}
	for _, b := range prefix {
		g.extend(b)
	}
	for _, p := range g.gens {
		g.add(p)
	}
	g.seed()
	return g, nil
}

// complete makes the chain complete; order is that of the group, or nil.
func (g *Group) complete(ctx context.Context, order *big.Int) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if order != nil {
			switch c := g.Order().Cmp(order); {
			case c == 0:
				return nil
			case c > 0:
				return fmt.Errorf("group: the order is at least %v, not %v", g.Order(), order)
			}
			g.try()
			continue
		}
		g.likely(ctx, trust)
		if g.schreier() > maxSchreier {
			g.likely(ctx, 8*trust)
			return ctx.Err()
		}
		if len(g.levels) == g.n-1 && g.Order().Cmp(factorial(g.n)) == 0 {
			return nil // all permutations: there are no more
		}
		r := g.unsifted(ctx)
		if r == nil {
			return ctx.Err()
		}
		g.add(r)
	}
}

// trust is how many random elements in a row must teach nothing: each finds what
// is missing with probability at least one half, if it is random enough.
const trust = 16

// maxSchreier is the largest number of Schreier generators that are all sifted.
const maxSchreier = 1 << 15

// schreier returns the number of Schreier generators.
func (g *Group) schreier() int {
	n := 0
	for i := range g.levels {
		n += len(g.levels[i].orbit) * len(g.levels[i].gens)
	}
	return n
}

// likely makes the chain complete in all likelihood: it ends when some random
// elements in a row teach nothing.
func (g *Group) likely(ctx context.Context, trust int) {
	for good := 0; good < trust && ctx.Err() == nil; good++ {
		if !g.try() {
			good = 0
		}
	}
}

// try sifts a random element and makes what remains a strong generator; it
// reports whether nothing remained.
func (g *Group) try() bool {
	r := g.sift(g.random())
	if r.IsIdentity() {
		return true
	}
	g.add(r)
	return false
}

// extend appends a level for the base point b.
func (g *Group) extend(b int32) {
	l := level{base: b, via: make([]int32, g.n)}
	for i, p := range g.strong {
		if g.fixes(p, len(g.levels)) {
			l.gens = append(l.gens, int32(i))
		}
	}
	g.levels = append(g.levels, l)
	g.grow(len(g.levels) - 1)
}

// fixes reports whether p fixes the first k base points.
func (g *Group) fixes(p Perm, k int) bool {
	for _, l := range g.levels[:k] {
		if p[l.base] != l.base {
			return false
		}
	}
	return true
}

// add makes p, which is not the identity, a strong generator.
func (g *Group) add(p Perm) {
	at := int32(len(g.strong))
	g.strong = append(g.strong, slices.Clone(p))
	g.inverse = append(g.inverse, p.Inverse())
	if g.fixes(p, len(g.levels)) {
		g.extend(g.nextBase(p))
	}
	for i := range g.levels {
		l := &g.levels[i]
		if !slices.Contains(l.gens, at) {
			l.gens = append(l.gens, at)
		}
		g.grow(i)
		if p[l.base] != l.base {
			return
		}
	}
}

// nextBase chooses a point that p moves: one in the orbit of a base point, if
// there is any, as the rows of a matrix have all their bits in orbits alike.
func (g *Group) nextBase(p Perm) int32 {
	first := int32(none)
	for i, j := range p {
		if int32(i) == j {
			continue
		}
		if len(g.levels) == 0 || g.levels[0].via[i] != none {
			return int32(i)
		}
		if first == none {
			first = int32(i)
		}
	}
	return first
}

// grow extends the orbit and tree of level i by what its last generator adds.
func (g *Group) grow(i int) {
	l := &g.levels[i]
	if l.orbit == nil {
		for p := range l.via {
			l.via[p] = none
		}
		l.via[l.base] = root
		l.orbit = []int32{l.base}
		g.close(l, 0)
		return
	}
	known := len(l.orbit)
	last := l.gens[len(l.gens)-1]
	for _, x := range l.orbit[:known] {
		l.reach(x, last, g.strong[last])
	}
	g.close(l, known)
}

// close adds the images of the points of an orbit from number k on.
func (g *Group) close(l *level, k int) {
	for ; k < len(l.orbit); k++ {
		for _, s := range l.gens {
			l.reach(l.orbit[k], s, g.strong[s])
		}
	}
}

// reach adds the image of a point of the orbit under strong generator s, p.
func (l *level) reach(x, s int32, p Perm) {
	if q := p[x]; l.via[q] == none {
		l.via[q] = s
		l.orbit = append(l.orbit, q)
	}
}

// sift divides p by elements of the transversals as long as it can, and returns
// what remains: the identity for an element of the group, once the chain is
// complete. p is overwritten.
func (g *Group) sift(p Perm) Perm {
	for i := range g.levels {
		l := &g.levels[i]
		b := p[l.base]
		if l.via[b] == none {
			return p
		}
		for b != l.base {
			p.then(g.inverse[l.via[b]])
			b = p[l.base]
		}
	}
	return p
}

// coset returns the element of transversal i that takes its base point to q.
func (g *Group) coset(i int, q int32) Perm {
	l := &g.levels[i]
	var word []int32
	for q != l.base {
		word = append(word, l.via[q])
		q = g.inverse[l.via[q]][q]
	}
	u := identity(g.n)
	for _, s := range slices.Backward(word) {
		u.then(g.strong[s])
	}
	return u
}

// seed fills the pool of product replacement.
func (g *Group) seed() {
	for _, p := range g.gens {
		g.pool = append(g.pool, slices.Clone(p))
	}
	for len(g.gens) > 0 && len(g.pool) < 10 {
		g.pool = append(g.pool, slices.Clone(g.pool[len(g.pool)%len(g.gens)]))
	}
	g.pool = append(g.pool, identity(g.n))
	for range max(50, 4*len(g.pool)) {
		g.random()
	}
}

// random returns a random element, which the caller may overwrite.
func (g *Group) random() Perm {
	last := len(g.pool) - 1
	if last < 2 {
		return slices.Clone(g.pool[0]) // of the trivial group, or one generator's pool is never this small
	}
	i, j := g.rng.IntN(last), g.rng.IntN(last-1)
	if j >= i {
		j++
	}
	q := g.pool[j]
	if g.rng.IntN(2) == 0 {
		q = q.Inverse()
	}
	g.pool[i].then(q)
	g.pool[last].then(g.pool[i])
	return slices.Clone(g.pool[last])
}

// unsifted returns what remains of a Schreier generator that does not sift to
// the identity, or nil: then the chain is complete, unless ctx ended.
func (g *Group) unsifted(ctx context.Context) Perm {
	for i := len(g.levels) - 1; i >= 0; i-- {
		l := &g.levels[i]
		for _, q := range l.orbit {
			if ctx.Err() != nil {
				return nil
			}
			u := g.coset(i, q)
			for _, s := range l.gens {
				if l.via[g.strong[s][q]] == s {
					continue // a branch of the tree: trivial
				}
				if r := g.sift(u.Then(g.strong[s])); !r.IsIdentity() {
					return r
				}
			}
		}
	}
	return nil
}

// Degree returns the number of points.
func (g *Group) Degree() int { return g.n }

// Order returns the number of elements.
func (g *Group) Order() *big.Int {
	n := big.NewInt(1)
	for i := range g.levels {
		n.Mul(n, big.NewInt(int64(len(g.levels[i].orbit))))
	}
	return n
}

// Base returns points of which only the identity fixes all.
func (g *Group) Base() []int32 {
	var base []int32
	for i := range g.levels {
		base = append(base, g.levels[i].base)
	}
	return base
}

// Generators returns the permutations the group was made of, without identities.
func (g *Group) Generators() []Perm { return g.gens }

// Strong returns the strong generating set relative to Base: those of its
// members that fix the first k base points generate their stabiliser.
func (g *Group) Strong() []Perm { return g.strong }

// Contains reports whether p is an element.
func (g *Group) Contains(p Perm) bool {
	return len(p) == g.n && g.sift(slices.Clone(p)).IsIdentity()
}

// rebase returns the same group with a base that begins with points.
func (g *Group) rebase(ctx context.Context, points []int32) (*Group, error) {
	h, err := build(ctx, g.n, g.gens, points, g.Order())
	if err != nil && ctx.Err() == nil {
		panic("group: the order of the same group is another one: " + err.Error())
	}
	return h, err
}

// Stabiliser returns the subgroup that fixes each of the points.
func (g *Group) Stabiliser(points ...int32) *Group {
	h, _ := g.rebase(context.Background(), points)
	gens, order := h.behind(len(points))
	s, err := New(g.n, gens, order)
	if err != nil {
		panic("group: strong generators of a stabiliser generate another group: " + err.Error())
	}
	return s
}

// behind returns generators and order of the subgroup that fixes the first k base
// points.
func (g *Group) behind(k int) (gens []Perm, order *big.Int) {
	order = big.NewInt(1)
	for _, l := range g.levels[k:] {
		order.Mul(order, big.NewInt(int64(len(l.orbit))))
	}
	for _, p := range g.strong {
		if g.fixes(p, k) {
			gens = append(gens, p)
		}
	}
	return gens, order
}

// Mapping returns an element that takes from[i] to to[i] for all i; ok is false
// if there is none.
func (g *Group) Mapping(from, to []int32) (p Perm, ok bool) {
	h, _ := g.rebase(context.Background(), from)
	return h.mapping(to)
}

// mapping returns an element that takes the first base points to the given ones.
func (g *Group) mapping(to []int32) (p Perm, ok bool) {
	p = identity(g.n)
	back := identity(g.n) // inverse of p
	for i, t := range to {
		q := back[t]
		switch g.levels[i].via[q] {
		case none:
			return nil, false
		case root:
			continue
		}
		// The next factor acts before the ones so far.
		u := g.coset(i, q)
		p = u.Then(p)
		back = p.Inverse()
	}
	return p, true
}

// Elements returns all elements, sorted, if there are at most limit; else nil.
func (g *Group) Elements(limit int) []Perm {
	if g.Order().Cmp(big.NewInt(int64(limit))) > 0 {
		return nil
	}
	all := []Perm{identity(g.n)}
	for i := len(g.levels) - 1; i >= 0; i-- {
		var next []Perm
		for _, q := range g.levels[i].orbit {
			u := g.coset(i, q)
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
	n := 0
	for i := range g.levels {
		n += len(g.levels[i].orbit) - 1
	}
	if n > limit {
		return nil
	}
	var all [][]Perm
	for i := range g.levels {
		var ps []Perm
		for _, q := range g.levels[i].orbit[1:] {
			ps = append(ps, g.coset(i, q))
		}
		if ps != nil {
			all = append(all, ps)
		}
	}
	return all
}
