package explicit

import (
	"slices"

	"orbitmc/model"
)

// This file finds, once for a model, the hypergraph of its states: which leaves mention which vertices (canon.go).

// edge is a leaf that mentions at least one vertex that may move, or may do so by its
// value; in the elements of multisets it is any leaf.
type edge struct {
	leaf    int
	label   uint64   // same for the leaves that permutations map to each other
	dims    []dim    // of vertices that may move
	pointer *pointer // nil: plain values
}

// pointer says which values of a type are vertices that may move.
type pointer struct {
	t       *model.Type
	vertex  []int // by value, from the least: the vertex, or -1
	classes []int // of vertices
}

// at returns the vertex that v is, or -1.
func (p *pointer) at(v int64) int {
	if p == nil || v == model.Undef {
		return -1
	}
	return p.vertex[v-p.t.Lo]
}

// copy tells the values apart that are one vertex, from 1.
func (p *pointer) copy(v int64) uint64 {
	if v == model.Undef {
		return 1
	}
	return uint64(p.t.Copy(v)) + 1
}

// dim is an array index around a leaf: vertex number and stride in leaves.
type dim struct {
	vertex, stride int
	index          *model.Type // if it is a type with Elems, else nil
	value          int64       // of index
}

// move returns by how many leaves the leaf moves if vertex y takes the place of that of d.
func (c *canonicaliser) move(d dim, y int) int {
	by := y - d.vertex
	if d.index != nil {
		base := c.base[c.classOf[y]]
		by = int(d.index.Image(d.value, int64(d.vertex-base), int64(y-base)) - d.value)
	}
	return by * d.stride
}

// walker finds the edges of a model.
type walker struct {
	c        *canonicaliser
	pointers map[*model.Type]*pointer
}

// place is where a part of a state stands.
type place struct {
	dims []dim
	row  int  // leaves from the first row of everything around the part to its own
	bag  *bag // the multiset around it, or nil
	slot int  // of bag
}

// walk goes through the leaves of a part of type t, the first of which is at.
func (w *walker) walk(t *model.Type, at int, p place) {
	switch t.Kind {
	case model.Array:
		for i := t.Index.Lo; i <= t.Index.Hi; i++ {
			q := p
			if class, v, ok := t.Index.Element(i); ok {
				if x := w.c.base[class] + int(v); w.c.free[x] {
					d := dim{vertex: x, stride: t.Elem.Leaves}
					first := i - v
					if t.Index.Elems != nil { // that of the first vertex of the block
						d.index, d.value = t.Index, i
						first = t.Index.Image(i, v, int64(w.c.start[w.c.cells[x]]-w.c.base[class]))
					}
					q.dims = append(slices.Clip(p.dims), d)
					q.row += int(i-first) * t.Elem.Leaves
				}
			}
			w.walk(t.Elem, at+int(i-t.Index.Lo)*t.Elem.Leaves, q)
		}
	case model.Record:
		for _, f := range t.Fields {
			w.walk(f.Type, at+f.Offset, p)
		}
	case model.Multiset:
		w.multiset(t, at, p)
	default:
		w.leaf(t, at, p)
	}
}

// leaf notes the edge that a leaf is.
func (w *walker) leaf(t *model.Type, at int, p place) {
	c := w.c
	e := &edge{leaf: at, label: uint64(at-p.row) + 1, dims: p.dims, pointer: w.pointer(t)}
	if p.bag != nil {
		l := &p.bag.slots[p.slot]
		l.edges = append(l.edges, e)
		for _, d := range e.dims {
			c.inBags[c.classOf[d.vertex]] = true
		}
		if e.pointer != nil {
			for _, x := range e.pointer.vertex {
				if x >= 0 {
					c.inBags[c.classOf[x]] = true
				}
			}
		}
		return
	}
	if len(e.dims) == 0 && e.pointer == nil {
		return
	}
	c.edges[at] = e
	if len(e.dims) == 0 || len(e.dims) == 1 && e.pointer == nil {
		c.unary[at] = newUnary(e, t)
	}
	for k, d := range e.dims {
		c.rows[d.vertex] = append(c.rows[d.vertex], e)
		if !e.mentions(d.vertex, k) && (len(e.dims) > 1 || e.pointer != nil) {
			c.related[d.vertex] = append(c.related[d.vertex], e)
		}
	}
	if e.pointer != nil {
		for _, class := range e.pointer.classes {
			c.pointers[class] = append(c.pointers[class], e)
		}
		if len(e.dims) > 0 {
			c.relating = append(c.relating, e)
		}
	}
}

// mentions reports whether x is among the first n indices.
func (e *edge) mentions(x, n int) bool {
	for _, d := range e.dims[:n] {
		if d.vertex == x {
			return true
		}
	}
	return false
}

// pointer returns the vertices that values of t are; nil if none is one.
func (w *walker) pointer(t *model.Type) *pointer {
	if p, ok := w.pointers[t]; ok {
		return p
	}
	var p *pointer
	if t.Classed() || t.Kind == model.Union {
		p = &pointer{t: t}
		for v := t.Lo; v <= t.Hi; v++ {
			x := -1
			if class, i, ok := t.Element(v); ok && !w.c.p.Model.Scalarsets[class].Slots && w.c.free[w.c.base[class]+int(i)] {
				if x = w.c.base[class] + int(i); !slices.Contains(p.classes, class) {
					p.classes = append(p.classes, class)
				}
			}
			p.vertex = append(p.vertex, x)
		}
		if p.classes == nil {
			p = nil
		}
	}
	w.pointers[t] = p
	return p
}
