package graph

import (
	"cmp"
	"slices"
)

// The ordered partition (McKay, “Practical graph isomorphism”, Congressus
// Numerantium 30, 1981; McKay and Piperno, J. Symbolic Computation 60, 2014). The
// vertices stand in one array, each cell a run of it, named by its first
// position. A split cuts a tail off a cell; the front keeps the name. Undo
// joins tails to fronts again, last split first, and leaves the order within
// cells alone: only the sets matter. A split and its undo cost the tail, which
// refinement touched anyway.

// split says that the cell from was cut at position at.
type split struct {
	from, at int32
}

type partition struct {
	lab    []int32 // vertex by position
	pos    []int32 // position by vertex
	cellOf []int32 // cell by vertex
	size   []int32 // by cell
}

// newPartition makes one cell of every colour, colours ascending; among vertices
// of the same colour those with loops are a cell of their own, after the others. It
// returns the cells.
func newPartition(g *Graph) (partition, []int32) {
	n := g.N()
	p := partition{
		lab:    make([]int32, n),
		pos:    make([]int32, n),
		cellOf: make([]int32, n),
		size:   make([]int32, n),
	}
	type class struct {
		colour int
		loop   bool
	}
	of := func(v int) class { return class{g.colour[v], g.loops && g.HasEdge(v, v)} }
	number := map[class]int32{} // how many, then the cell
	var last class
	run := int32(0) // vertices of class last not yet in number
	var classes []class
	flush := func() {
		if run == 0 {
			return
		}
		if number[last] == 0 {
			classes = append(classes, last)
		}
		number[last] += run
	}
	for v := range n {
		k := of(v)
		if k != last {
			flush()
			last, run = k, 0
		}
		run++
	}
	flush()
	slices.SortFunc(classes, func(a, b class) int {
		switch {
		case a.colour != b.colour:
			return cmp.Compare(a.colour, b.colour)
		case a.loop:
			return 1
		}
		return -1
	})
	cells := make([]int32, len(classes))
	start := int32(0)
	for i, k := range classes {
		cells[i] = start
		start += number[k]
		number[k] = cells[i]
	}
	c := int32(0)
	for v := range n {
		if k := of(v); v == 0 || k != last {
			c, last = number[k], k
		}
		q := c + p.size[c]
		p.size[c]++
		p.lab[q], p.pos[v], p.cellOf[v] = int32(v), q, c
	}
	return p, cells
}

// moveTo swaps v to position q.
func (p *partition) moveTo(v, q int32) {
	old := p.pos[v]
	w := p.lab[q]
	p.lab[q], p.pos[v] = v, q
	p.lab[old], p.pos[w] = w, old
}

// cut cuts the tail from position at on off the cell c.
func (p *partition) cut(c, at int32) {
	tail := c + p.size[c] - at
	p.size[c] = at - c
	p.size[at] = tail
	for _, v := range p.lab[at : at+tail] {
		p.cellOf[v] = at
	}
}

// join undoes the last cut that is not undone.
func (p *partition) join(s split) {
	tail := p.size[s.at]
	p.size[s.from] += tail
	for _, v := range p.lab[s.at : s.at+tail] {
		p.cellOf[v] = s.from
	}
}
