package graph

import "slices"

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
// of the same colour those with loops are a cell of their own. It returns the
// cells.
func newPartition(g *Graph) (partition, []int32) {
	n := g.N()
	p := partition{
		lab:    make([]int32, n),
		pos:    make([]int32, n),
		cellOf: make([]int32, n),
		size:   make([]int32, n),
	}
	for v := range p.lab {
		p.lab[v] = int32(v)
	}
	loop := func(v int32) int {
		if g.loops && g.HasEdge(int(v), int(v)) {
			return 1
		}
		return 0
	}
	compare := func(v, w int32) int {
		if g.colour[v] != g.colour[w] {
			if g.colour[v] < g.colour[w] {
				return -1
			}
			return 1
		}
		return loop(v) - loop(w)
	}
	slices.SortStableFunc(p.lab, compare)
	var cells []int32
	for q, v := range p.lab {
		p.pos[v] = int32(q)
		if q == 0 || compare(p.lab[q-1], v) != 0 {
			cells = append(cells, int32(q))
		}
		c := cells[len(cells)-1]
		p.cellOf[v] = c
		p.size[c]++
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
