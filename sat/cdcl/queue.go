package cdcl

import (
	"cmp"
	"slices"
)

// queue has all variables in the order in which conflicts met them the last time (VMTF; Biere,
// Fröhlich: Evaluating CDCL variable scoring schemes, SAT 2015). A new variable is the last one.
// The next decision is the last variable that has no value.
type queue struct {
	links []link // by variable; 0 stands before the first and behind the last one
	open  int32  // all variables behind it have values
	clock int64
}

// link is the place of a variable.
type link struct {
	stamp      int64 // larger than those of the variables before it
	prev, next int32
}

// grow adds a variable.
func (q *queue) grow() {
	q.links = append(q.links, link{})
	if v := int32(len(q.links) - 1); v > 0 {
		q.append(v)
		q.open = v
	}
}

func (q *queue) append(v int32) {
	q.clock++
	last := q.links[0].prev
	q.links[v] = link{stamp: q.clock, prev: last}
	q.links[last].next, q.links[0].prev = v, v
}

// bump makes v, which has a value, the last one.
func (q *queue) bump(v int32) {
	l := q.links[v]
	if l.next == 0 {
		return
	}
	if q.open == v {
		q.open = l.prev
	}
	q.links[l.prev].next, q.links[l.next].prev = l.next, l.prev
	q.append(v)
}

// undo notes that v lost its value.
func (q *queue) undo(v int) {
	if q.links[v].stamp > q.links[q.open].stamp {
		q.open = int32(v)
	}
}

// rewind has the search for the next decision begin at the last variable.
func (q *queue) rewind() { q.open = q.links[0].prev }

// stamp returns a number that is larger the later a variable stands.
func (q *queue) stamp(v int) int64 { return q.links[v].stamp }

// sort puts the variables of literals in order.
func (q *queue) sort(lits []lit) {
	slices.SortFunc(lits, func(a, b lit) int { return cmp.Compare(q.stamp(a.Var()), q.stamp(b.Var())) })
}
