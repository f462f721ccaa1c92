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
//
// The slots of a multiset are no vertices: states hold them sorted, and the
// interpreter sorts them again after it has permuted what is in them. A slot is
// one hyperedge with all that its element mentions: what its leaves add to the
// signatures is mixed with a hash of the whole element, see bag.go.

// edge is a leaf that mentions at least one vertex, or may do so by its value.
type edge struct {
	leaf    int
	label   uint64 // same for the leaves that permutations map to each other
	dims    []dim
	pointer *pointer // nil: plain values
}

// pointer says which values of a type are vertices.
type pointer struct {
	lo     int64
	vertex []int // by value, from lo: the vertex, or -1
}

// at returns the vertex that v is, or -1.
func (p *pointer) at(v int64) int {
	if p == nil || v == model.Undef {
		return -1
	}
	return p.vertex[v-p.lo]
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
	pointers []edge   // leaves whose values may be vertices
	bags     []bag    // the multisets
	inBags   []bool   // by class: multisets mention it
	perm     model.ScalarPerm
	swap     model.ScalarPerm // the identity, but while two vertices are exchanged
	image    model.State
	packed   []byte
	raw      []byte                       // the state at hand packed, model.PackedPad bytes longer; nil if it is not known
	moved    []byte                       // scratch
	swaps    map[[2]int]*model.PackedPerm // by two vertices: what exchanges them
	sets     *model.PackedSets            // nil if packed states cannot be sorted
	movers   map[uint64]*model.PackedPerm // by the order of the vertices, 4 bits each
	sig      []uint64                     // scratch, by vertex
	cur      partition
	label    labelling

	// Rings, if there are any: see rings.go.
	moves     []bool             // by class: some value moves
	rotations []model.ScalarPerm // all products of rotations
	turned    model.State        // scratch
	through   model.ScalarPerm   // by the rotation, then by the blocks
	least     []byte
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

// newCanonicaliser prepares for a program, blocks of interchangeable values by class,
// and rings of values that can be rotated.
func newCanonicaliser(p *model.Program, packer *model.Packer, blocks [][][]int, rings []model.Ring, exact bool) (*canonicaliser, error) {
	c := &canonicaliser{p: p, packer: packer, exact: exact}
	m := p.Model
	if len(blocks) > len(m.Scalarsets) {
		return nil, fmt.Errorf("explicit: blocks for %d scalarset classes, the model has %d", len(blocks), len(m.Scalarsets))
	}
	for k, t := range m.Scalarsets {
		c.base = append(c.base, c.vertices)
		if t.Slots {
			c.perm, c.swap = append(c.perm, nil), append(c.swap, nil)
			continue
		}
		n := int(t.Card())
		c.vertices += n
		for range n {
			c.classOf = append(c.classOf, k)
		}
		perm := make([]int, n)
		for v := range perm {
			perm[v] = v
		}
		c.perm, c.swap = append(c.perm, perm), append(c.swap, slices.Clone(perm))
	}
	c.cells = make([]int, c.vertices)
	c.free = make([]bool, c.vertices)
	c.sig = make([]uint64, c.vertices)
	for k, t := range m.Scalarsets {
		if t.Slots {
			continue
		}
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
	c.rows = make([][]edge, c.vertices)
	c.inBags = make([]bool, len(m.Scalarsets))
	w := walker{c: c, pointers: make(map[*model.Type]*pointer)}
	for _, v := range m.Vars {
		w.walk(v.Type, v.Offset, place{})
	}
	c.image = make(model.State, m.Leaves())
	c.moved = make([]byte, packer.Size()+model.PackedPad)
	c.movers = make(map[uint64]*model.PackedPerm)
	c.swaps, c.sets = make(map[[2]int]*model.PackedPerm), p.NewPackedSets(packer)
	c.moves = make([]bool, len(m.Scalarsets))
	for x, free := range c.free {
		k := c.classOf[x]
		c.moves[k] = c.moves[k] || free
	}
	return c, c.addRings(rings)
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
				q.dims = append(slices.Clip(p.dims), dim{w.c.base[class] + int(v), t.Elem.Leaves})
				q.row += int(v) * t.Elem.Leaves
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

// leaf sorts the leaves by the number of vertices they mention.
func (w *walker) leaf(t *model.Type, at int, p place) {
	c := w.c
	e := edge{leaf: at, label: uint64(at-p.row) + 1, dims: p.dims, pointer: w.pointer(t)}
	n := len(e.dims)
	if e.pointer != nil {
		n++
	}
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
	for _, d := range e.dims {
		c.rows[d.vertex] = append(c.rows[d.vertex], e)
	}
	if e.pointer != nil {
		c.pointers = append(c.pointers, e)
	}
	switch {
	case n == 1:
		c.unary = append(c.unary, e)
	case n > 1:
		c.multi = append(c.multi, e)
	}
}

// pointer returns the vertices that values of t are; nil if none is one.
func (w *walker) pointer(t *model.Type) *pointer {
	if p, ok := w.pointers[t]; ok {
		return p
	}
	var p *pointer
	if t.Classed() || t.Kind == model.Union {
		some := false
		p = &pointer{lo: t.Lo}
		for v := t.Lo; v <= t.Hi; v++ {
			x := -1
			if class, i, ok := t.Element(v); ok && !w.c.p.Model.Scalarsets[class].Slots {
				x, some = w.c.base[class]+int(i), true
			}
			p.vertex = append(p.vertex, x)
		}
		if !some {
			p = nil
		}
	}
	w.pointers[t] = p
	return p
}

// canon returns the packed representative of s, valid until the next call; perm
// is then the permutation that maps s to it.
func (c *canonicaliser) canon(s model.State) []byte {
	c.raw = nil
	if c.rotations != nil {
		return c.turn(s)
	}
	return c.straight(s)
}

// canonPacked is canon for a state of which the packing is known as well, with
// model.PackedPad bytes behind it.
func (c *canonicaliser) canonPacked(s model.State, raw []byte) []byte {
	if c.rotations != nil || c.vertices > 16 || c.sets == nil {
		return c.canon(s)
	}
	c.raw = raw
	return c.straight(s)
}

// straight is canon without rings.
func (c *canonicaliser) straight(s model.State) []byte {
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
	if c.raw != nil {
		if identity {
			return append(dst, c.raw[:len(c.raw)-model.PackedPad]...)
		}
		if q := c.mover(p); q != nil {
			q.Apply(c.raw, c.moved)
			c.sets.Sort(c.moved)
			return append(dst, c.moved[:len(c.moved)-model.PackedPad]...)
		}
	}
	if identity {
		return c.packer.Pack(dst, s)
	}
	c.p.ApplyPerm(c.perm, s, c.image)
	return c.packer.Pack(dst, c.image)
}

// manyMovers is how many permutations are prepared for packed states.
const manyMovers = 1 << 13

// mover returns perm, which is that of the partition p, for packed states, or nil.
func (c *canonicaliser) mover(p *partition) *model.PackedPerm {
	key := uint64(0)
	for _, x := range p.order {
		key = key<<4 | uint64(x)
	}
	q, ok := c.movers[key]
	if !ok && len(c.movers) < manyMovers {
		q, _ = c.p.NewPackedPerm(c.packer, c.perm)
		c.movers[key] = q
	}
	return q
}

// sortUnary splits the blocks by the leaves that mention one vertex; their
// signatures do not change as cells are split.
func (c *canonicaliser) sortUnary(s model.State) {
	clear(c.sig)
	for i := range c.unary {
		e := &c.unary[i]
		v := s[e.leaf]
		if e.pointer == nil {
			c.sig[e.dims[0].vertex] += mix(e.label, uint64(v))
		} else if x := e.pointer.at(v); x >= 0 {
			c.sig[x] += mix(e.label, 1)
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
	if len(c.multi) == 0 && len(c.bags) == 0 {
		return 0
	}
	for !c.discrete(p) {
		clear(c.sig)
		for i := range c.multi {
			c.relate(s, &c.multi[i], p.rank, 0)
		}
		for i := range c.bags {
			c.relateBag(s, &c.bags[i], p.rank, 0)
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
// hash of what it stands in, its label, its plain value or whether it is
// undefined, and for each vertex on it, in order, its cell or that it is the very
// vertex at hand.
func (c *canonicaliser) relate(s model.State, e *edge, rank []int, in uint64) {
	target := e.pointer.at(s[e.leaf])
	add := func(x int) {
		if c.free[x] {
			c.sig[x] += e.hash(s, rank, in, x)
		}
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

// hash hashes an edge as vertex x sees it; -1 is none on it.
func (e *edge) hash(s model.State, rank []int, in uint64, x int) uint64 {
	v := s[e.leaf]
	target := e.pointer.at(v)
	if target >= 0 {
		v = 0
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
