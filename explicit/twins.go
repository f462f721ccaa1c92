package explicit

import "orbitmc/model"

// Two vertices of a class are twins in a state if exchanging them maps the state to itself. On the
// vertices of a class this is an equivalence relation.
//
// To find that out, all leaves in the row of a vertex are looked at, which is most of the time that a representative
// takes. But a successor differs from the state before it in few leaves. Of twins of that state only these leaves need a
// look: an exchange is its own inverse, so where neither a leaf nor its image has changed, nothing has. Of others the
// leaf that told them apart is looked at first: mostly it still does.

// twinship is what is known of two vertices in the state that is followed.
type twinship struct {
	state uint64 // its number; of another one nothing is known
	apart *edge  // tells them apart; nil if none does
}

// Twinships are kept of at most manyTwinships vertices, and where at least manyEdges edges would be looked at.
const (
	manyTwinships = 1 << 7
	manyEdges     = 1 << 5
)

// alike reports whether x and y are twins in s, which differs in the leaves of c.changed from the state that is followed.
func (c *canonicaliser) alike(s model.State, x, y int) bool {
	if c.vertices > manyTwinships || len(c.rows[x])+len(c.pointers[c.classOf[x]]) < c.manyEdges {
		return c.twins(s, x, y)
	}
	if c.twinships == nil {
		c.twinships = make([]twinship, c.vertices*c.vertices)
	}
	t := &c.twinships[x*c.vertices+y]
	if t.state != c.followed {
		*t = twinship{c.followed, c.apart(c.was, x, y)}
	}
	if t.apart != nil {
		return c.exchanged(s, t.apart, x, y) && c.twins(s, x, y)
	}
	for _, i := range c.changed {
		if e := c.edges[i]; e != nil && !c.exchanged(s, e, x, y) {
			return false
		}
	}
	return c.twinsInBags(s, x, y)
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
