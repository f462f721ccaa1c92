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
// In a hard search the predecessor, a counterexample to generalisation (CTG), is blocked first, if the frame before it
// shows that it is unreachable. The lemma learned on the way is often one that is
// needed (Hassan, Bradley, Somenzi: Better generalization in IC3, FMCAD 2013).
// Blocking makes easy searches longer. It pays sooner where the lemmas are for models of
// other sizes: they are fewer and hold at more sizes. docs/decisions.md has the figures.

// A search is hard from hardFrom queries on, or from thoroughFrom if it is
// thorough. In each attempt to drop a literal, maxCTGs are blocked in a row.
const (
	hardFrom     = 20000
	thoroughFrom = 5000
	maxCTGs      = 3
)

// mic returns a part of c, which level steps do not reach, that they do
// not reach either; no literal of it can be dropped easily. Its negation is a minimal inductive clause (MIC), nearly.
func (s *search) mic(ctx context.Context, c ts.Cube, level int) (ts.Cube, error) {
	c, err := s.dropRows(ctx, c, level)
	if err != nil {
		return nil, err
	}
	order := slices.Clone(c)
	slices.SortStableFunc(order, func(a, b ts.Lit) int { return cmp.Compare(s.activity[a], s.activity[b]) })
	keep := make(map[ts.Lit]bool)
	for _, l := range order {
		if _, in := slices.BinarySearch(c, l); !in || len(c) == 1 {
			continue
		}
		smaller, err := s.down(ctx, c.Without(l), level, true, keep)
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
func (s *search) dropRows(ctx context.Context, c ts.Cube, level int) (ts.Cube, error) {
	if s.orbits == nil || s.orbits.rows == nil {
		return c, nil
	}
	named := make(map[component]bool)
	var rows []component
	for _, l := range c {
		for _, r := range s.orbits.rows.latch[l>>1].at {
			if !named[r] {
				named[r] = true
				rows = append(rows, r)
			}
		}
	}
	for _, r := range rows {
		var smaller ts.Cube
		for _, l := range c {
			if !slices.Contains(s.orbits.rows.latch[l>>1].at, r) {
				smaller = append(smaller, l)
			}
		}
		if len(smaller) == 0 || len(smaller) == len(c) {
			continue
		}
		d, err := s.down(ctx, smaller, level, false, nil)
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
func (s *search) down(ctx context.Context, c ts.Cube, level int, join bool, keep map[ts.Lit]bool) (ts.Cube, error) {
	for blocked := 0; ; {
		if meets, err := s.initial(ctx, c); err != nil || meets {
			return nil, err
		}
		core, ctg, err := s.consecution(ctx, level-1, c, true)
		if err != nil || ctg == nil {
			return core, err
		}
		if !join {
			return nil, nil
		}
		if blocked < maxCTGs {
			if ok, err := s.blockCTG(ctx, ctg, c, level-1); err != nil {
				return nil, err
			} else if ok {
				blocked++
				continue
			}
		}
		blocked = 0
		var joined ts.Cube
		for _, l := range c {
			if ctg.state.has(l.Index()) != l.Neg() {
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

// blockCTG blocks a counterexample to generalisation (CTG), a state that leads to c, up to a level at least, if the
// search is hard and one query shows that it is unreachable. It reports whether it blocked it.
func (s *search) blockCTG(ctx context.Context, ctg *point, c ts.Cube, level int) (bool, error) {
	if s.inside || level < 1 || !s.hard() {
		return false, nil
	}
	d, err := s.lift(ctx, ctg, c, aig.True)
	if err != nil {
		return false, err
	}
	if meets, err := s.initial(ctx, d); err != nil || meets {
		return false, err
	}
	core, _, err := s.consecution(ctx, level-1, d, true)
	if err != nil || core == nil {
		return false, err
	}
	s.inside = true
	core, err = s.mic(ctx, core, level)
	s.inside = false
	if err != nil {
		return false, err
	}
	at, err := s.highest(ctx, core, level, len(s.levels)-1)
	if err != nil {
		return false, err
	}
	s.learn(core, at)
	return true, nil
}

// hard reports whether blocking predecessors pays from now on.
func (s *search) hard() bool {
	from := s.variant.hard
	if s.e.Thorough {
		from = min(from, thoroughFrom)
	}
	return s.stats.Queries-s.asked >= from
}
