package explicit

import "orbitmc/model"

// Cells are split by signatures: that of a vertex sums hashes of the edges on it with the
// cells of the other vertices on them. Signatures may collide; then a cell stays larger,
// which costs time but is still the same for all states of an orbit.
//
// Edges on one vertex come first. What they add does not change as cells are split, so the
// signatures of a state are those of the state before and the difference that its changed
// leaves make. They mostly tell all vertices apart. If not, the edges on several vertices
// are looked at, as far as they are on one that shares its cell with others.

// A share is what an edge adds to the signature of a vertex; -1 is none.
type share struct {
	vertex int
	hash   uint64
}

// manyShares is how many values an edge may have whose shares are known beforehand.
const manyShares = 256

// unary is an edge on one vertex at most.
type unary struct {
	edge   *edge
	below  int64   // the least value minus 1
	shares []share // by code; nil if there are too many
}

func newUnary(e *edge, t *model.Type) *unary {
	u := &unary{edge: e, below: t.Lo - 1}
	if t.Card() <= manyShares {
		shares := []share{u.share(model.Undef)}
		for v := t.Lo; v <= t.Hi; v++ {
			shares = append(shares, u.share(v))
		}
		u.shares = shares
	}
	return u
}

// share returns what the edge adds if it has value v.
func (u *unary) share(v int64) share {
	e := u.edge
	switch {
	case u.shares != nil && v == model.Undef:
		return u.shares[0]
	case u.shares != nil:
		return u.shares[v-u.below]
	case e.pointer == nil:
		return share{e.dims[0].vertex, mix(e.label, uint64(v))}
	}
	return share{e.pointer.at(v), mix(e.label, e.pointer.copy(v))}
}

// change adds the difference between two values to signatures.
func (u *unary) change(sig []uint64, from, to int64) {
	if h := u.share(from); h.vertex >= 0 {
		sig[h.vertex] -= h.hash
	}
	if h := u.share(to); h.vertex >= 0 {
		sig[h.vertex] += h.hash
	}
}

// partition is an ordered partition of the vertices.
type partition struct {
	order []int // vertices, cell by cell
	rank  []int // by vertex: position in order of the first member of its cell
	open  int   // where the first cell begins that is not made of twins, or -1; of refine
}

func (p *partition) copyFrom(q *partition) {
	p.order = append(p.order[:0], q.order...)
	p.rank = append(p.rank[:0], q.rank...)
	p.open = q.open
}

// end returns the position behind the cell that starts at position i.
func (p *partition) end(i int) int {
	j := i + 1
	for j < len(p.order) && p.rank[p.order[j]] == i {
		j++
	}
	return j
}

// straight is canon without rings for a state that differs in some leaves from the one
// that is followed.
func (c *canonicaliser) straight(s model.State, changed []int) []byte {
	c.label.leaves, c.changed = 0, changed
	c.cur.order = append(c.cur.order[:0], c.start...)
	c.cur.rank = append(c.cur.rank[:0], c.cells...)
	c.differ(s, changed)
	if c.comps != nil {
		c.locate(s, changed)
	}
	c.split(&c.cur)
	if c.comps != nil {
		c.bySize(&c.cur)
	}
	c.refine(s, &c.cur)
	if c.exact && c.branch(s) {
		return c.packed
	}
	c.packed = c.pack(c.packed[:0], s, &c.cur)
	return c.packed
}

// follow makes s the state that successors differ from. If changed is not nil, it lists the
// leaves in which s differs from the state of the call before, if that had such a list as well.
func (c *canonicaliser) follow(s model.State, changed []int) {
	c.changed = nil
	if c.chained && changed != nil {
		c.step(changed)
		for _, i := range changed {
			c.set(i, s[i])
		}
		return
	}
	c.step(nil)
	for i, v := range s {
		if v != c.was[i] {
			c.set(i, v)
		}
	}
	c.chained = changed != nil
}

// set gives leaf i of the state that is followed the value v.
func (c *canonicaliser) set(i int, v int64) {
	if u := c.unary[i]; u != nil {
		u.change(c.first, c.was[i], v)
		if c.comps != nil && len(u.edge.dims) == 1 && c.comps.are[u.edge.dims[0].vertex] {
			c.comps.touch(u.edge.dims[0].vertex)
		}
	}
	c.was[i] = v
}

// differ stores the signatures of a state that differs in some leaves from the one that is
// followed.
func (c *canonicaliser) differ(s model.State, changed []int) {
	copy(c.sig, c.first)
	for _, i := range changed {
		if u := c.unary[i]; u != nil {
			u.change(c.sig, c.was[i], s[i])
		}
	}
}

// split divides each cell by the signatures, in ascending order of them, and
// reports whether there was anything to divide.
func (c *canonicaliser) split(p *partition) bool {
	changed := false
	for i := 0; i < len(p.order); {
		j := p.end(i)
		if j == i+1 {
			i = j
			continue
		}
		cell := p.order[i:j]
		for a := 1; a < len(cell); a++ { // insertion sort: cells are small, and stable is what Sorted needs
			x := cell[a]
			b := a
			for ; b > 0 && c.sig[cell[b-1]] > c.sig[x]; b-- {
				cell[b] = cell[b-1]
			}
			cell[b] = x
		}
		r := i
		for a := 1; a < len(cell); a++ {
			if c.sig[cell[a]] != c.sig[cell[a-1]] {
				r = i + a
				changed = true
			}
			p.rank[cell[a]] = r
		}
		i = j
	}
	return changed
}

// refine splits cells by the edges that relate several vertices until nothing
// changes, or twins alone are left. It returns a hash of what it saw, which is the same
// for isomorphic states and partitions.
func (c *canonicaliser) refine(s model.State, p *partition) (seen uint64) {
	for c.ties(p) {
		if c.exact {
			if p.open = c.open(s, p); p.open < 0 {
				return seen
			}
		}
		clear(c.sig)
		for _, x := range p.order {
			if !c.tied[x] {
				continue
			}
			for _, e := range c.related[x] {
				c.sig[x] += e.hash(s[e.leaf], p.rank, 0, x)
			}
		}
		for _, e := range c.relating {
			if x := e.pointer.at(s[e.leaf]); x >= 0 && c.tied[x] && !e.mentions(x, len(e.dims)) {
				c.sig[x] += e.hash(s[e.leaf], p.rank, 0, x)
			}
		}
		for i := range c.bags {
			c.relateBag(s, &c.bags[i], p.rank, 0)
		}
		changed := c.split(p)
		for _, x := range p.order {
			if c.tied[x] {
				seen = mix(seen, c.sig[x]+uint64(p.rank[x]))
			}
		}
		if !changed {
			return seen
		}
	}
	p.open = -1
	return seen
}

// ties stores which vertices share their cell with others, and reports whether some do.
func (c *canonicaliser) ties(p *partition) bool {
	some := false
	for i := 0; i < len(p.order); {
		j := p.end(i)
		for _, x := range p.order[i:j] {
			c.tied[x] = j > i+1
		}
		some = some || j > i+1
		i = j
	}
	return some
}

// relate adds the contribution of an edge to the signatures of its vertices that share
// their cells with others: a hash of what it stands in, its label,
// its plain value or whether it is undefined, and for each vertex on it, in order, its cell
// or that it is the very vertex at hand.
func (c *canonicaliser) relate(s model.State, e *edge, rank []int, in uint64) {
	v := s[e.leaf]
	for k, d := range e.dims {
		if c.tied[d.vertex] && !e.mentions(d.vertex, k) {
			c.sig[d.vertex] += e.hash(v, rank, in, d.vertex)
		}
	}
	if x := e.pointer.at(v); x >= 0 && c.tied[x] && !e.mentions(x, len(e.dims)) {
		c.sig[x] += e.hash(v, rank, in, x)
	}
}

// hash hashes an edge of value v as vertex x sees it; -1 is none on it.
func (e *edge) hash(v int64, rank []int, in uint64, x int) uint64 {
	target := e.pointer.at(v)
	if target >= 0 {
		v = int64(e.pointer.copy(v) - 1)
	}
	h := mix(e.label+in, uint64(v))
	for _, d := range e.dims {
		if d.vertex == x {
			h = mix(h, 1)
		} else {
			h = mix(h, uint64(rank[d.vertex])+2)
		}
	}
	switch {
	case target < 0:
	case target == x:
		h = mix(h, 1)
	default:
		h = mix(h, uint64(rank[target])+2)
	}
	return h
}
