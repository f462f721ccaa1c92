package pdr

import (
	"context"
	"slices"
)

// This file makes lemmas of states: literals are dropped from a cube as long as
// what remains is unreachable from the frame before. Where a predecessor of the
// larger cube is in the way, the cube is joined with it, that is, the literals are
// dropped that it violates, and so on (Bradley, Manna: Checking safety by inductive
// generalization of counterexamples to induction, FMCAD 2007). To block the
// predecessor first (Hassan, Bradley, Somenzi, FMCAD 2013) takes more questions than
// it saves.

// generalise returns a part of c, which level steps do not reach, that they do
// not reach either; no literal of it can be dropped easily.
func (x *search) generalise(ctx context.Context, c cube, level int) (cube, error) {
	c, err := x.dropRows(ctx, c, level)
	if err != nil {
		return nil, err
	}
	order := slices.Clone(c)
	slices.SortStableFunc(order, func(a, b lit) int {
		switch x, y := x.activity[a], x.activity[b]; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	keep := make(map[lit]bool)
	for _, l := range order {
		if _, in := slices.BinarySearch(c, l); !in || len(c) == 1 {
			continue
		}
		smaller, err := x.down(ctx, c.without(l), level, true, keep)
		if err != nil {
			return nil, err
		}
		if smaller != nil {
			c = smaller
		} else {
			keep[l] = true
		}
	}
	return c, nil
}

// dropRows drops all literals of a component at once: most components have no
// part in why the cube is unreachable.
func (x *search) dropRows(ctx context.Context, c cube, level int) (cube, error) {
	if x.orbits == nil || x.orbits.rows == nil {
		return c, nil
	}
	named := make(map[component]bool)
	var rows []component
	for _, l := range c {
		for _, r := range x.orbits.rows.latch[l>>1].at {
			if !named[r] {
				named[r] = true
				rows = append(rows, r)
			}
		}
	}
	for _, r := range rows {
		var smaller cube
		for _, l := range c {
			if !slices.Contains(x.orbits.rows.latch[l>>1].at, r) {
				smaller = append(smaller, l)
			}
		}
		if len(smaller) == 0 || len(smaller) == len(c) {
			continue
		}
		d, err := x.down(ctx, smaller, level, false, nil)
		if err != nil {
			return nil, err
		}
		if d != nil {
			c = d
		}
	}
	return c, nil
}

// down returns a part of c that is not reached, without a literal of keep being
// dropped from it; nil if it finds none. Without join it looks at c alone.
func (x *search) down(ctx context.Context, c cube, level int, join bool, keep map[lit]bool) (cube, error) {
	for {
		if meets, err := x.initial(ctx, c); err != nil || meets {
			return nil, err
		}
		core, p, err := x.blocked(ctx, level-1, c, true)
		if err != nil || p == nil {
			return core, err
		}
		if !join {
			return nil, nil
		}
		var joined cube
		for _, l := range c {
			if p.state[l>>1] == (l&1 == 0) {
				joined = append(joined, l)
			} else if keep[l] {
				return nil, nil
			}
		}
		if len(joined) == 0 || len(joined) == len(c) {
			return nil, nil
		}
		c = joined
	}
}

// bumpCube makes the literals of a lemma the last to be dropped from others.
func (x *search) bumpCube(c cube) {
	x.bump /= 0.99
	for _, l := range c {
		x.activity[l] += x.bump
	}
	if x.bump > 1e100 {
		for i := range x.activity {
			x.activity[i] *= 1e-100
		}
		x.bump *= 1e-100
	}
}
