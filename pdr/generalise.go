package pdr

import (
	"cmp"
	"context"
	"slices"

	"orbitmc/aig"
	"orbitmc/ts"
)

// This file generalises states to lemmas. Literals are dropped from a cube as
// long as the rest is unreachable from the frame before. If a predecessor of the
// new cube prevents that, the cube is joined with the predecessor: the literals
// that the predecessor violates are dropped too, and so on (Bradley,
// Manna: Checking safety by inductive generalization of counterexamples to
// induction, FMCAD 2007).
//
// In a hard search the predecessor is blocked first, if the frame before it shows
// that it is unreachable. The lemma learned on the way is often one that is
// needed (Hassan, Bradley, Somenzi: Better generalization in IC3, FMCAD 2013).
// Blocking makes easy searches longer. It pays sooner where the lemmas are for models of
// other sizes: they are fewer and hold at more sizes. docs/decisions.md has the figures.

// A search is hard from hardFrom queries on, or from thoroughFrom if it is
// thorough. In each attempt to drop a literal, maxPredecessors are blocked in a row.
const (
	hardFrom        = 20000
	thoroughFrom    = 5000
	maxPredecessors = 3
)

// generalise returns a part of c, which level steps do not reach, that they do
// not reach either; no literal of it can be dropped easily.
func (x *search) generalise(ctx context.Context, c ts.Cube, level int) (ts.Cube, error) {
	c, err := x.dropRows(ctx, c, level)
	if err != nil {
		return nil, err
	}
	order := slices.Clone(c)
	slices.SortStableFunc(order, func(a, b ts.Lit) int { return cmp.Compare(x.activity[a], x.activity[b]) })
	keep := make(map[ts.Lit]bool)
	for _, l := range order {
		if _, in := slices.BinarySearch(c, l); !in || len(c) == 1 {
			continue
		}
		smaller, err := x.down(ctx, c.Without(l), level, true, keep)
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
func (x *search) dropRows(ctx context.Context, c ts.Cube, level int) (ts.Cube, error) {
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
		var smaller ts.Cube
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
func (x *search) down(ctx context.Context, c ts.Cube, level int, join bool, keep map[ts.Lit]bool) (ts.Cube, error) {
	for blocked := 0; ; {
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
		if blocked < maxPredecessors {
			if ok, err := x.predecessor(ctx, p, c, level-1); err != nil {
				return nil, err
			} else if ok {
				blocked++
				continue
			}
		}
		blocked = 0
		var joined ts.Cube
		for _, l := range c {
			if p.state.has(l.Index()) != l.Neg() {
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

// predecessor blocks a state that leads to c, up to a level at least, if the search is
// hard and one query shows that it is unreachable. It reports whether it blocked it.
func (x *search) predecessor(ctx context.Context, p *point, c ts.Cube, level int) (bool, error) {
	if x.inside || level < 1 || !x.hard() {
		return false, nil
	}
	d, err := x.lift(ctx, p, c, aig.True)
	if err != nil {
		return false, err
	}
	if meets, err := x.initial(ctx, d); err != nil || meets {
		return false, err
	}
	core, _, err := x.blocked(ctx, level-1, d, true)
	if err != nil || core == nil {
		return false, err
	}
	x.inside = true
	core, err = x.generalise(ctx, core, level)
	x.inside = false
	if err != nil {
		return false, err
	}
	at, err := x.highest(ctx, core, level, len(x.levels)-1)
	if err != nil {
		return false, err
	}
	x.learn(core, at)
	return true, nil
}

// hard reports whether blocking predecessors pays from now on.
func (x *search) hard() bool {
	from := x.steps.hard
	if x.e.Thorough {
		from = min(from, thoroughFrom)
	}
	return x.stats.Queries-x.asked >= from
}

// bumpCube makes the literals of a lemma the last to be dropped from others.
func (x *search) bumpCube(c ts.Cube) {
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
