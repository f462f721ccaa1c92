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

func (l *loopAccess) look(leaf int) {
	for ; l != nil; l = l.outer {
		if leaf >= l.top {
			continue
		}
		if t, ok := l.writes[leaf]; ok && t != l.turn {
			l.order = true
		}
		if t, ok := l.reads[leaf]; ok && t != l.turn {
			l.reads[leaf] = several
		} else {
			l.reads[leaf] = l.turn
		}
	}
}

func (l *loopAccess) write(leaf int) {
	for ; l != nil; l = l.outer {
		if leaf >= l.top {
			continue
		}
		for _, m := range []map[int]int{l.reads, l.writes} {
			if t, ok := m[leaf]; ok && t != l.turn {
				l.order = true
			}
		}
		l.writes[leaf] = l.turn
	}
}

// turns is each for a variable that may be a slot.
func (ex *exec) turns(v *model.Var, d model.Domain, pos model.Pos, f func(active aig.Lit)) {
	if !v.Type.Slots {
		ex.each(v, d, f)
		return
	}
	w := &loopAccess{outer: ex.watch, top: len(ex.now), reads: make(map[int]int), writes: make(map[int]int)}
	failed, hits := ex.failed, ex.hits()
	top := len(ex.regions) - 1
	wasCut := ex.regions[top].cut
	ex.regions[top].cut = false
	ex.watch = w
	delete(ex.names, v)
	ex.each(v, d, func(active aig.Lit) {
		f(active)
		w.turn++
	})
	ex.watch = w.outer
	ends := ex.regions[top].cut
	ex.regions[top].cut = ends || wasCut
	kinds := 0 // of errors, of which the first counts
	for _, f := range ex.failed {
		if !slices.Contains(failed, f) {
			kinds++
		}
	}
	if w.order || kinds > 1 || kinds > 0 && (ends || ex.hits() > hits) {
		refuse(pos, slotOrder)
	}
}

// hits returns how often cover statements were met.
func (ex *exec) hits() (n int) {
	for _, ls := range ex.covers {
		n += len(ls)
	}
	return n
}
