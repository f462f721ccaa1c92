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
func (in *interpreter) unwritten() bool {
	return len(in.loops) == 0 && !in.slots && in.cells.shares(in.first)
}

// recall runs a procedure without parameters where the state is unwritten, or takes what its last run left behind.
func (in *interpreter) recall(p *model.Proc, result region) (_ region, errs bool) {
	k := in.memo[p]
	if k == nil || k.depth < len(in.calls) { // deeper, more calls would be open than in that run
		events := in.events
		in.events = make(map[event]bool)
		result, errs = in.run(p, nil, result, false)
		k = &remembered{events: in.events, depth: len(in.calls)}
		in.events = events
		maps.Copy(events, k.events)
		if errs || in.err != nil || !in.unwritten() {
			return result, errs
		}
		for i := range leavesOf(p) {
			c := in.cells.get(result.starts[0] + i)
			if c.symbol > len(in.groups) { // it stands for something in this rule only
				c.symbol = 0
			}
			k.result = append(k.result, c)
		}
		in.memo[p] = k
	}
	maps.Copy(in.events, k.events)
	for i, c := range k.result {
		in.cells.set(result.starts[0]+i, c)
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
