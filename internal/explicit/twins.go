package explicit

import "orbitmc/model"

// Two vertices of a class are twins in a state if exchanging them maps the state to itself. On the
// vertices of a class this is an equivalence relation.
//
// To find that out, all leaves in the row of a vertex are looked at, which is most of the time that a representative
// takes. But a successor differs from the state before it in few leaves. Of twins of that state only these leaves need a
// look: an exchange is its own inverse, so where neither a leaf nor its image has changed, nothing has. Of others the
// leaf that told them apart is looked at first: mostly it still does. The states that are followed differ in few leaves from
// each other, too, so what is known of one goes over to the next in the same way.

// twinship is what is known of two vertices in a state that was followed.
type twinship struct {
	run   uint64 // of states, see canonicaliser.steps
	steps int    // to this state
	apart *edge  // tells them apart; nil if none does
}

// Twinships are kept of at most manyTwinships vertices, and where at least manyEdges edges would be looked at. A run has
// manySteps at most.
const (
	manyTwinships = 1 << 7
	manyEdges     = 1 << 5
	manySteps     = 1 << 12
)

// step notes that the state that is followed differs from the one before it in some leaves, or, if changed is nil, in any.
func (c *canonicaliser) step(changed []int) {
	if c.steps = append(c.steps, changed...); changed == nil || len(c.steps) > manySteps {
		c.run, c.steps = c.run+1, c.steps[:0]
	}
}

// alike reports whether x and y are twins in s, which differs in the leaves of c.changed from the state that is followed.
func (c *canonicaliser) alike(s model.State, x, y int) bool {
	if c.comps != nil && c.comps.are[x] {
		return c.comps.now[x] == c.comps.now[y]
	}
	looks := len(c.rows[x]) + len(c.pointers[c.classOf[x]])
	if c.vertices > manyTwinships || looks < c.manyEdges {
		return c.twins(s, x, y)
	}
	if c.twinships == nil {
		c.twinships = make([]twinship, c.vertices*c.vertices)
	}
	t := &c.twinships[x*c.vertices+y]
	switch {
	case t.run != c.run || len(c.steps)-t.steps > looks || t.apart != nil && c.exchanged(c.was, t.apart, x, y):
		t.apart = c.apart(c.was, x, y)
	case t.apart == nil:
		t.apart = c.among(c.steps[t.steps:], c.was, x, y)
	}
	t.run, t.steps = c.run, len(c.steps)
	if t.apart != nil {
		return c.exchanged(s, t.apart, x, y) && c.twins(s, x, y)
	}
	return c.among(c.changed, s, x, y) == nil && c.twinsInBags(s, x, y)
}

// among is apart for the edges of some leaves.
func (c *canonicaliser) among(leaves []int, s model.State, x, y int) *edge {
	for _, i := range leaves {
		if e := c.edges[i]; e != nil && !c.exchanged(s, e, x, y) {
			return e
		}
	}
	return nil
}

// twins reports whether exchanging the vertices x and y, which may move, maps s to itself.
func (c *canonicaliser) twins(s model.State, x, y int) bool {
	return c.apart(s, x, y) == nil && c.twinsInBags(s, x, y)
}

// apart returns an edge outside of multisets that exchanging x and y does not map to one of s, or nil. The rows of y need no
// look, as exchanging is its own inverse. Nor do leaves of other rows that hold neither.
func (c *canonicaliser) apart(s model.State, x, y int) *edge {
	for _, e := range c.rows[x] {
		if !c.exchanged(s, e, x, y) {
			return e
		}
	}
	for _, e := range c.pointers[c.classOf[x]] {
		if at := e.pointer.at(s[e.leaf]); (at == x || at == y) && !c.exchanged(s, e, x, y) {
			return e
		}
	}
	return nil
}

// exchanged reports whether the leaf of e goes, with what it holds, where s has the same, when x and y are exchanged.
func (c *canonicaliser) exchanged(s model.State, e *edge, x, y int) bool {
	to, v := e.leaf, s[e.leaf]
	for _, d := range e.dims {
		switch d.vertex {
		case x:
			to += c.move(d, y)
		case y:
			to += c.move(d, x)
		}
	}
	base := c.base[c.classOf[x]]
	switch e.pointer.at(v) {
	case -1:
	case x:
		v = e.pointer.t.Image(v, int64(x-base), int64(y-base))
	case y:
		v = e.pointer.t.Image(v, int64(y-base), int64(x-base))
	}
	return s[to] == v
}
