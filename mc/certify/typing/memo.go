package typing

import (
	"maps"

	"orbitmc/model"
)

// This file remembers what procedures without parameters do at the state that a rule begins in. Generated
// models ask in the guard of each rule whether the whole state has some property. All rules begin
// in the same unknown state, so one run of such a procedure is enough. It must not write the state.

// remembered is what a run of a procedure left behind.
type remembered struct {
	result []cell
	events map[event]bool
	depth  int // calls that were open around it
}

// unwritten reports whether nothing has been written to the state since begin, and no turn of a loop notes what is
// read. What is known of slots of multisets is not in cells alone, so models with multisets are left out.
func (x *interpreter) unwritten() bool {
	return len(x.loops) == 0 && !x.slots && x.cells.shares(x.first)
}

// recall runs a procedure without parameters where the state is unwritten, or takes what its last run left behind.
func (x *interpreter) recall(p *model.Proc, result region) (_ region, errs bool) {
	k := x.memo[p]
	if k == nil || k.depth < len(x.calls) { // deeper, more calls would be open than in that run
		events := x.events
		x.events = make(map[event]bool)
		result, errs = x.run(p, nil, result, false)
		k = &remembered{events: x.events, depth: len(x.calls)}
		x.events = events
		maps.Copy(events, k.events)
		if errs || x.err != nil || !x.unwritten() {
			return result, errs
		}
		for i := range leavesOf(p) {
			c := x.cells.get(result.starts[0] + i)
			if c.symbol > len(x.groups) { // it stands for something in this rule only
				c.symbol = 0
			}
			k.result = append(k.result, c)
		}
		x.memo[p] = k
	}
	maps.Copy(x.events, k.events)
	for i, c := range k.result {
		x.cells.set(result.starts[0]+i, c)
	}
	return result, false
}

// leavesOf returns how many leaves the result of a procedure has.
func leavesOf(p *model.Proc) int {
	if p.Result == nil {
		return 0
	}
	return p.Result.Leaves
}
