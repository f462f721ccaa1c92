package group

import (
	"context"
	"fmt"
	"math/big"

	"orbitmc/internal/lists"
	"orbitmc/internal/pace"
)

// This is how a chain is completed: the algorithm of Schreier and Sims in the
// randomised form of Seress, "Permutation Group Algorithms" (2003), ch. 4.
// Elements are sifted through the chain. The remainder of a sift becomes a strong
// generator. The chain can only be too small. It is complete when its order is
// the known order of the group, from an automorphism search or from another chain
// of the same group. If the order is not known, every Schreier generator is
// sifted too, or, if there are very many, more random elements.
//
// Elements are sifted in this order. First come the generators, which are sparse
// and often strong already. Then come Schreier generators, level by level, which
// are nearly as sparse. Then come random elements. They are uniform if another
// chain of the same group is known; otherwise product replacement makes them
// (Celler, Leedham-Green, Murray, Niemeyer and O'Brien, "Generating random
// elements of a finite group", 1995).

// New returns the group that the permutations of n points generate. If order is
// not nil it is the order of the group, known from elsewhere; a wrong one is an
// error if it is too small, and never ends if it is too large, so it must be
// right. Without it, the order found for a very large group may be too small, with
// a probability of 2^-128 or so.
func New(n int, gens []Perm, order *big.Int) (*Group, error) {
	all, err := normalise(n, gens)
	if err != nil {
		return nil, err
	}
	g := start(n, all, byOrbits(n, all))
	return g, g.complete(context.Background(), order)
}

// complete makes the chain complete; order is that of the group, or nil. It gives up
// with the error of ctx.
func (g *Group) complete(ctx context.Context, order *big.Int) error {
	if order != nil {
		for {
			switch c := g.Order().Cmp(order); {
			case c == 0:
				return nil
			case c > 0:
				return fmt.Errorf("group: the order is at least %v, not %v", g.Order(), order)
			}
			for !g.try() {
				if err := g.spend(ctx, 1); err != nil {
					return err
				}
			}
		}
	}
	// There are no more than all permutations of the orbits.
	most := multiply(lists.Map(g.sizes, func(k int32) *big.Int { return factorial(int(k)) }))
	for {
		g.likely(ctx, trust, most)
		if g.Order().Cmp(most) == 0 {
			return nil
		}
		if g.schreier() > maxSchreier {
			g.likely(ctx, 8*trust, nil)
			return ctx.Err()
		}
		if !g.unsifted(ctx) {
			return ctx.Err()
		}
	}
}

// trust is how many random elements in a row must teach nothing: each finds what
// is missing with probability at least one half, if it is random enough.
const trust = 16

// maxSchreier is the largest number of Schreier generators that are all sifted.
const maxSchreier = 1 << 15

// spend counts elements that are sifted, waits for the pace if there is one, and returns the error
// of ctx.
func (g *Group) spend(ctx context.Context, elements int) error {
	pace.Spend(ctx, elements*(1+g.n/16))
	return ctx.Err()
}

// schreier returns the number of Schreier generators.
func (g *Group) schreier() int {
	return lists.Sum(g.active, func(r int32) int {
		return len(g.levels[r].orbit) * lists.Count(g.depth, func(d int32) bool { return d >= r })
	})
}

// likely makes the chain complete in all likelihood: it ends when some random
// elements in a row teach nothing, or the order is most, if that is not nil.
func (g *Group) likely(ctx context.Context, trust int, most *big.Int) {
	for good := 0; good < trust && g.spend(ctx, 1) == nil; good++ {
		if most != nil && good == 0 && g.Order().Cmp(most) == 0 {
			return
		}
		if g.random() {
			good = -1
		}
	}
}

// random sifts a random element, and reports whether that taught anything.
func (g *Group) random() bool {
	if len(g.gens) == 0 {
		return false
	}
	g.draw(g.w)
	return g.take()
}

// patience is how many Schreier generators of a level in a row may teach nothing
// before a random element and the next level are tried.
const patience = 8

// try sifts a random Schreier generator, or a random element, and reports whether
// that taught anything.
func (g *Group) try() bool {
	if g.idle > patience || len(g.active) == 0 {
		g.idle = 0
		g.next++
		return g.random()
	}
	g.idle++
	r := g.active[g.next%len(g.active)]
	l := g.levels[r]
	s := g.rng.IntN(len(g.strong))
	for range len(g.strong) {
		if g.depth[s] >= r {
			break
		}
		s = (s + 1) % len(g.strong)
	}
	g.w.reset()
	g.coset(g.w, l, l.orbit[g.rng.IntN(len(l.orbit))])
	g.w.then(g.strong[s])
	if g.take() {
		g.idle = 0
		return true
	}
	return false
}

// unsifted looks for a Schreier generator that does not sift to the identity. It
// makes what remains a strong generator, or reports that there is none: then the
// chain is complete, unless ctx ended.
func (g *Group) unsifted(ctx context.Context) bool {
	for i := len(g.active) - 1; i >= 0; i-- {
		r := g.active[i]
		l := g.levels[r]
		for _, q := range l.orbit {
			if g.spend(ctx, len(g.depth)) != nil {
				return false
			}
			g.u.reset()
			g.coset(g.u, l, q)
			u := g.u.sparse()
			for s, d := range g.depth {
				if d < r {
					continue
				}
				g.w.reset()
				g.w.then(u)
				g.w.then(g.strong[s])
				if g.take() {
					return true
				}
			}
		}
	}
	return false
}

// uniform makes e a random element of a complete chain; all are as likely.
func (g *Group) uniform(e *element) {
	e.reset()
	for i := len(g.active) - 1; i >= 0; i-- {
		l := g.levels[g.active[i]]
		g.coset(e, l, l.orbit[g.rng.IntN(len(l.orbit))])
	}
}

// replace makes e the next element of product replacement.
func (g *Group) replace(e *element) {
	if g.pool == nil {
		for _, s := range g.gens {
			g.pool = append(g.pool, s.dense(g.n))
		}
		for len(g.pool) < 10 {
			g.pool = append(g.pool, g.gens[len(g.pool)%len(g.gens)].dense(g.n))
		}
		g.pool = append(g.pool, identity(g.n))
		for range max(50, 4*len(g.pool)) {
			g.product()
		}
	}
	e.reset()
	e.then(g.product().sparse())
}

// product multiplies one member of the pool by another one, and the last one by it.
func (g *Group) product() Perm {
	last := len(g.pool) - 1
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
	return g.pool[last]
}

// again returns another chain of a group that is complete: on its own points and,
// if extend is not nil, on more of them, n in all, on which its elements act as
// extend says. The points of the order given come first.
func (g *Group) again(ctx context.Context, n int, points []int32, extend func(*element) Sparse) (*Group, error) {
	if extend == nil {
		extend = (*element).sparse
	}
	extended := func(gens []Sparse) (out []Sparse) {
		for _, s := range gens {
			g.u.reset()
			g.u.then(s)
			out = append(out, extend(g.u))
		}
		return out
	}
	order := g.order
	for x := g.n; x < n; x++ {
		order = append(order[:len(order):len(order)], int32(x))
	}
	h := start(n, extended(g.gens), first(points, order))
	h.draw = func(e *element) {
		g.uniform(g.u)
		e.reset()
		e.then(extend(g.u))
	}
	want := g.Order()
	for _, s := range g.strong {
		if h.Order().Cmp(want) == 0 {
			break
		}
		h.learn(extended([]Sparse{s})[0])
	}
	err := h.complete(ctx, want)
	if err != nil && ctx.Err() == nil {
		panic("group: the order of the same group is another one: " + err.Error())
	}
	return h, err
}
