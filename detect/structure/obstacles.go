package structure

import (
	"context"
	"math/big"
	"slices"

	"orbitmc/aig"
	"orbitmc/ts"
)

// An obstacle is a place of a netlist without which the group is larger. Each bad,
// constraint, reset and latch is removed in turn; a removed latch keeps its value. This finds
// a single latch, reset, bad or constraint that tells components apart. It does not find a
// component whose own next function differs from those of the other components, since a
// latch that keeps its value differs from theirs as well.

// Obstacle is a place of a netlist without which its group is larger.
type Obstacle struct {
	Kind  string   // "bad", "constraint", "reset" or "latch"
	Index int      // of the bad, the constraint or the latch
	Name  string   // of the bad or latch, if it has one
	Order *big.Int // of the group without it
}

// Obstacles tries the places of a system one by one, latches last, against the
// order of its group; it returns those that matter, largest order first, and how
// many of how many places it tried until ctx ended, whose error it returns.
func Obstacles(ctx context.Context, sys *ts.System, order *big.Int, opt Options) (found []Obstacle, tried, places int, err error) {
	type trial struct {
		Obstacle
		remove func(s *ts.System)
	}
	var trials []trial
	add := func(kind string, index int, name string, remove func(s *ts.System)) {
		trials = append(trials, trial{Obstacle{Kind: kind, Index: index, Name: name}, remove})
	}
	for i, b := range sys.Bads {
		add("bad", i, b.Name, func(s *ts.System) { s.Bads = slices.Delete(s.Bads, i, i+1) })
	}
	for i := range sys.Constraints {
		add("constraint", i, "", func(s *ts.System) { s.Constraints = slices.Delete(s.Constraints, i, i+1) })
	}
	for i, l := range sys.Latches {
		if l.Reset != aig.False {
			add("reset", i, l.Name, func(s *ts.System) { s.Latches[i].Reset = aig.False })
		}
	}
	for i, l := range sys.Latches {
		add("latch", i, l.Name, func(s *ts.System) {
			s.Latches[i].Reset, s.Latches[i].Next = aig.False, s.LatchLit(i)
		})
	}
	for _, t := range trials {
		without := *sys
		without.Bads, without.Constraints, without.Latches = slices.Clone(sys.Bads), slices.Clone(sys.Constraints), slices.Clone(sys.Latches)
		t.remove(&without)
		s, err := Detect(ctx, &without, opt)
		if err != nil {
			return found, tried, len(trials), err
		}
		tried++
		if t.Order = s.Order; t.Order.Cmp(order) > 0 {
			found = append(found, t.Obstacle)
			slices.SortStableFunc(found, func(a, b Obstacle) int { return b.Order.Cmp(a.Order) })
		}
	}
	return found, tried, len(trials), nil
}
