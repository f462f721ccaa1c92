package encode

import (
	"slices"

	"orbitmc/aig"
	"orbitmc/model"
)

// This file checks loops over the slots of a multiset. The interpreter keeps the slots sorted;
// the system does not. So a loop must have the same effect in any order: no iteration may
// read or write a leaf that another iteration writes. A loop is refused if this cannot be
// shown.

// loopAccess notes what a loop over slots reads and writes.
type loopAccess struct {
	outer         *loopAccess
	turn          int
	top           int         // leaves from here on are local to a turn
	reads, writes map[int]int // by leaf: the turn, or several
	order         bool        // a turn depends on another
}

const several = -1

func (w *loopAccess) look(leaf int) {
	for ; w != nil; w = w.outer {
		if leaf >= w.top {
			continue
		}
		if t, ok := w.writes[leaf]; ok && t != w.turn {
			w.order = true
		}
		if t, ok := w.reads[leaf]; ok && t != w.turn {
			w.reads[leaf] = several
		} else {
			w.reads[leaf] = w.turn
		}
	}
}

func (w *loopAccess) write(leaf int) {
	for ; w != nil; w = w.outer {
		if leaf >= w.top {
			continue
		}
		for _, m := range []map[int]int{w.reads, w.writes} {
			if t, ok := m[leaf]; ok && t != w.turn {
				w.order = true
			}
		}
		w.writes[leaf] = w.turn
	}
}

// turns is each for a variable that may be a slot.
func (x *exec) turns(v *model.Var, d model.Domain, pos model.Pos, f func(active aig.Lit)) {
	if !v.Type.Slots {
		x.each(v, d, f)
		return
	}
	w := &loopAccess{outer: x.watch, top: len(x.now), reads: make(map[int]int), writes: make(map[int]int)}
	failed, hits := x.failed, x.hits()
	top := len(x.regions) - 1
	wasCut := x.regions[top].cut
	x.regions[top].cut = false
	x.watch = w
	delete(x.names, v)
	x.each(v, d, func(active aig.Lit) {
		f(active)
		w.turn++
	})
	x.watch = w.outer
	ends := x.regions[top].cut
	x.regions[top].cut = ends || wasCut
	kinds := 0 // of errors, of which the first counts
	for _, f := range x.failed {
		if !slices.Contains(failed, f) {
			kinds++
		}
	}
	if w.order || kinds > 1 || kinds > 0 && (ends || x.hits() > hits) {
		refuse(pos, slotOrder)
	}
}

// hits returns how often cover statements were met.
func (x *exec) hits() (n int) {
	for _, ls := range x.covers {
		n += len(ls)
	}
	return n
}
