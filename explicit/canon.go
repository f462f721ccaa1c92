package explicit

import (
	"fmt"
	"slices"

	"orbitmc/model"
)

// Canonicalisation of states under the permutations of interchangeable
// scalarset values, in the manner of canonical graph labelling (McKay and
// Piperno, Practical graph isomorphism II, 2014).
//
// The values in blocks are the vertices. A leaf that mentions vertices, as
// indices of the arrays around it or as its own value, is a labelled hyperedge.
// The state of the search is an ordered partition of the vertices, at first one
// cell per block, refined until stable by signatures that do not depend on the
// numbering: a vertex's signature sums hashes of its hyperedges with the cells
// of the other vertices on them. The order of the cells then says which value
// each vertex gets, up to the order inside cells. Signatures may collide; then a
// cell stays larger, which costs time but is still the same for all states of
// an orbit.
//
// Sorted stops here and leaves the order inside cells as it is: cheap, and the
// result is in the orbit, but states of one orbit may get several results.
// Exact resolves the cells whose members are not all twins (exchanging two
// twins does not change the state, so their order does not matter) by
// individualisation, see label.go, and takes the least packed state.

// edge is a leaf that mentions at least one vertex, or may do so by its value.
type edge struct {
	leaf    int
	label   uint64 // same for the leaves that permutations map to each other
	dims    []dim
	pointer int // the leaf's values are values of the class of this first vertex; -1: plain values
}

// dim is an array index around a leaf: vertex number and stride in leaves.
type dim struct {
	vertex, stride int
}

// canonicaliser turns states into representatives. It is not safe for
// concurrent use.
type canonicaliser struct {
	p      *model.Program
	packer *model.Packer
	exact  bool

	vertices int
	base     []int    // by class: number of its value 0; vertices of one class are consecutive
	classOf  []int    // by vertex
	target   []int64  // by position in order: the scalarset value that is given to the vertex there
	start    []int    // initial order: vertices block by block
	cells    []int    // initial rank: by vertex, first position of its block
	free     []bool   // by vertex: it is in a block of at least two
	unary    []edge   // leaves with one index and plain values, or no index and a pointer
	multi    []edge   // leaves that relate several vertices
	rows     [][]edge // by vertex: leaves with it as an index
	pointers []edge   // leaves whose values are vertices
	perm     model.ScalarPerm
	image    model.State
	packed   []byte
	sig      []uint64 // scratch, by vertex
	cur      partition
	label    labelling
}

// partition is an ordered partition of the vertices.
type partition struct {
	order []int // vertices, cell by cell
	rank  []int // by vertex: position in order of the first member of its cell
}

func (p *partition) copyFrom(q *partition) {
	p.order = append(p.order[:0], q.order...)
	p.rank = append(p.rank[:0], q.rank...)
}

// end returns the position behind the cell that starts at position i.
func (p *partition) end(i int) int {
	j := i + 1
	for j < len(p.order) && p.rank[p.order[j]] == i {
		j++
	}
	return j
}

// newCanonicaliser prepares for a program and blocks of interchangeable values
// by class.
func newCanonicaliser(p *model.Program, packer *model.Packer, blocks [][][]int, exact bool) (*canonicaliser, error) {
	c := &canonicaliser{p: p, packer: packer, exact: exact}
	m := p.Model
	if len(blocks) > len(m.Scalarsets) {
		return nil, fmt.Errorf("explicit: blocks for %d scalarset classes, the model has %d", len(blocks), len(m.Scalarsets))
	}
	for k, t := range m.Scalarsets {
		c.base = append(c.base, c.vertices)
		n := int(t.Card())
		c.vertices += n
		for range n {
			c.classOf = append(c.classOf, k)
		}
		perm := make([]int, n)
		for v := range perm {
			perm[v] = v
		}
		c.perm = append(c.perm, perm)
	}
	c.cells = make([]int, c.vertices)
	c.free = make([]bool, c.vertices)
	c.sig = make([]uint64, c.vertices)
	for k, t := range m.Scalarsets {
		n := int(t.Card())
		seen := make([]bool, n)
		add := func(block []int) error {
			block = slices.Sorted(slices.Values(block))
			at := len(c.start)
			for _, v := range block {
				if v < 0 || v >= n || seen[v] {
					return fmt.Errorf("explicit: blocks of class %d: value %d is out of range or in two blocks", k, v)
				}
				seen[v] = true
				x := c.base[k] + v
				c.start = append(c.start, x)
				c.cells[x] = at
				c.free[x] = len(block) > 1
				c.target = append(c.target, int64(v))
			}
			return nil
		}
		if k < len(blocks) {
			for _, b := range blocks[k] {
				if err := add(b); err != nil {
					return nil, err
				}
			}
		}
		for v := range n {
			if !seen[v] {
				if err := add([]int{v}); err != nil {
					return nil, err
				}
			}
		}
	}
	c.edges(m)
	c.image = make(model.State, m.Leaves())
	return c, nil
}

// edges sorts the leaves by the number of vertices they mention.
func (c *canonicaliser) edges(m *model.Model) {
	c.rows = make([][]edge, c.vertices)
	for i, l := range m.AllLeaves() {
		e := edge{leaf: i, pointer: -1, label: uint64(i) + 1}
		for _, d := range l.Indices {
			if d.Type.Kind == model.Scalarset {
				e.dims = append(e.dims, dim{c.base[d.Type.Class] + int(d.Value), d.Stride})
				e.label -= uint64(int(d.Value) * d.Stride)
			}
		}
		n := len(e.dims)
		if l.Type.Kind == model.Scalarset {
			e.pointer = c.base[l.Type.Class]
			n++
		}
		for _, d := range e.dims {
			c.rows[d.vertex] = append(c.rows[d.vertex], e)
		}
		if e.pointer >= 0 {
			c.pointers = append(c.pointers, e)
		}
		switch {
		case n == 1:
			c.unary = append(c.unary, e)
		case n > 1:
			c.multi = append(c.multi, e)
		}
	}
}

// canon returns the packed representative of s, valid until the next call; perm
// is then the permutation that maps s to it.
func (c *canonicaliser) canon(s model.State) []byte {
	c.label.leaves = 0
	c.cur.order = append(c.cur.order[:0], c.start...)
	c.cur.rank = append(c.cur.rank[:0], c.cells...)
	c.sortUnary(s)
	c.refine(s, &c.cur)
	if c.exact && c.branch(s) {
		return c.packed
	}
	c.packed = c.pack(c.packed[:0], s, &c.cur)
	return c.packed
}

// pack appends the packed image of s under the permutation that numbers the
// vertices in the order of p, and leaves the permutation in perm.
func (c *canonicaliser) pack(dst []byte, s model.State, p *partition) []byte {
	identity := true
	for i, x := range p.order {
		k := c.classOf[x]
		v := x - c.base[k]
		c.perm[k][v] = int(c.target[i])
		identity = identity && int64(v) == c.target[i]
	}
	if identity {
		return c.packer.Pack(dst, s)
	}
	c.p.ApplyPerm(c.perm, s, c.image)
	return c.packer.Pack(dst, c.image)
}

// sortUnary splits the blocks by the leaves that mention one vertex; their
// signatures do not change as cells are split.
func (c *canonicaliser) sortUnary(s model.State) {
	clear(c.sig)
	for i := range c.unary {
		e := &c.unary[i]
		v := s[e.leaf]
		switch {
		case e.pointer < 0:
			c.sig[e.dims[0].vertex] += mix(e.label, uint64(v))
		case v != model.Undef:
			c.sig[e.pointer+int(v)] += mix(e.label, 1)
		}
	}
	c.split(&c.cur)
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

// refine splits cells by the leaves that relate several vertices until nothing
// changes. It returns a hash of what it saw, which is the same for isomorphic
// states and partitions.
func (c *canonicaliser) refine(s model.State, p *partition) (seen uint64) {
	if len(c.multi) == 0 {
		return 0
	}
	for !c.discrete(p) {
		clear(c.sig)
		for i := range c.multi {
			c.relate(s, &c.multi[i], p.rank)
		}
		changed := c.split(p)
		for _, x := range p.order {
			seen = mix(seen, c.sig[x]+uint64(p.rank[x]))
		}
		if !changed {
			break
		}
	}
	return seen
}

func (c *canonicaliser) discrete(p *partition) bool {
	for i, x := range p.order {
		if p.rank[x] != i {
			return false
		}
	}
	return true
}

// relate adds the contribution of an edge to the signatures of its vertices: a
// hash of its label, its plain value or whether it is undefined, and for each
// vertex on it, in order, its cell or that it is the very vertex at hand.
func (c *canonicaliser) relate(s model.State, e *edge, rank []int) {
	v := s[e.leaf]
	target := -1
	if e.pointer >= 0 {
		if v != model.Undef {
			target = e.pointer + int(v)
			v = 0
		}
	}
	add := func(x int) {
		if !c.free[x] {
			return
		}
		h := mix(e.label, uint64(v))
		for _, d := range e.dims {
			if d.vertex == x {
				h = mix(h, 1)
			} else {
				h = mix(h, uint64(rank[d.vertex])+2)
			}
		}
		switch {
		case target == x:
			h = mix(h, 1)
		case target >= 0:
			h = mix(h, uint64(rank[target])+2)
		}
		c.sig[x] += h
	}
	for k, d := range e.dims {
		first := true
		for _, b := range e.dims[:k] {
			first = first && b.vertex != d.vertex
		}
		if first {
			add(d.vertex)
		}
	}
	if target >= 0 {
		for _, d := range e.dims {
			if d.vertex == target {
				return
			}
		}
		add(target)
	}
}
