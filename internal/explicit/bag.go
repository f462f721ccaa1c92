package explicit

import (
	"bytes"
	"slices"

	"orbitmc/model"
)

// This file is about multisets as seen by the canonicaliser. The order of their
// slots must not show: the elements of a multiset are summed up.

// bag is a multiset somewhere in a state.
type bag struct {
	dims  []dim
	slots []slot
}

// slot is a slot of a multiset, with the leaves of the element in it.
type slot struct {
	present int // leaf
	edges   []*edge
	bags    []bag // multisets in the element
}

// multiset notes a multiset.
func (w *walker) multiset(t *model.Type, at int, p place) {
	n, size := int(t.Index.Card()), 1+t.Elem.Leaves
	b := &bag{dims: p.dims, slots: make([]slot, n)}
	for _, d := range p.dims {
		w.c.inBags[w.c.classOf[d.vertex]] = true
	}
	for i := range n {
		b.slots[i].present = at + i*size
		w.walk(t.Elem, at+i*size+1, place{p.dims, p.row + i*size, b, i})
	}
	if p.bag == nil {
		w.c.bags = append(w.c.bags, *b)
		return
	}
	l := &p.bag.slots[p.slot]
	l.bags = append(l.bags, *b)
}

// color hashes the element of a slot, which is not free, as nobody sees it: the
// cells of all vertices that it mentions count.
func (sl *slot) color(s model.State, rank []int) (h uint64) {
	for i := range sl.edges {
		h += sl.edges[i].hash(s[sl.edges[i].leaf], rank, 0, -1)
	}
	for i := range sl.bags {
		for k := range sl.bags[i].slots {
			if in := &sl.bags[i].slots[k]; s[in.present] != model.Undef {
				h += mix(in.color(s, rank), 1)
			}
		}
	}
	return h
}

// relateBag adds the contribution of a multiset to the signatures of the
// vertices that its elements mention.
func (c *canonicaliser) relateBag(s model.State, b *bag, rank []int, in uint64) {
	for i := range b.slots {
		l := &b.slots[i]
		if s[l.present] == model.Undef {
			return // elements come first
		}
		h := mix(in, l.color(s, rank))
		for _, e := range l.edges {
			c.relate(s, e, rank, h)
		}
		for k := range l.bags {
			c.relateBag(s, &l.bags[k], rank, h)
		}
	}
}

// mentions reports whether x or y is an index around a multiset that is not empty, or
// something in its elements.
func (b *bag) mentions(s model.State, x, y int) bool {
	for i := range b.slots {
		l := &b.slots[i]
		if s[l.present] == model.Undef {
			continue
		}
		for _, d := range b.dims {
			if d.vertex == x || d.vertex == y {
				return true
			}
		}
		for _, e := range l.edges {
			if v := e.pointer.at(s[e.leaf]); v >= 0 && (v == x || v == y) || e.mentions(x, len(e.dims)) || e.mentions(y, len(e.dims)) {
				return true
			}
		}
		for k := range l.bags {
			if l.bags[k].mentions(s, x, y) {
				return true
			}
		}
	}
	return false
}

// twinsInBags reports whether exchanging the vertices x and y of one class maps
// s to itself, as far as multisets go.
func (c *canonicaliser) twinsInBags(s model.State, x, y int) bool {
	if !c.inBags[c.classOf[x]] {
		return true
	}
	some := false
	for i := range c.bags {
		some = some || c.bags[i].mentions(s, x, y)
	}
	if !some {
		return true
	}
	if c.raw != nil {
		size := c.packer.Size()
		return bytes.Equal(c.exchange(c.raw, x, y)[:size], c.raw[:size])
	}
	swap := c.swap[c.classOf[x]]
	i, j := x-c.base[c.classOf[x]], y-c.base[c.classOf[x]]
	swap[i], swap[j] = j, i
	defer func() { swap[i], swap[j] = i, j }()
	c.p.ApplyPerm(c.swap, s, c.image)
	return slices.Equal(c.image, s)
}
