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
// numbering, see refine.go. The order of the cells then says which value
// each vertex gets, up to the order inside cells.
//
// Sorted stops here and leaves the order inside cells as it is: cheap, and the
// result is in the orbit, but states of one orbit may get several results.
// Exact resolves the cells whose members are not all twins (exchanging two
// twins does not change the state, so their order does not matter) by
// individualisation, see label.go, and takes the least packed state.
//
// Of many vertices that nothing relates to each other, components.go knows more.
//
// The slots of a multiset are no vertices: states hold them sorted, and the
// interpreter sorts them again after it has permuted what is in them. A slot is
// one hyperedge with all that its element mentions: what its leaves add to the
// signatures is mixed with a hash of the whole element, see bag.go.

// canonicaliser turns states into representatives. It is not safe for
// concurrent use.
type canonicaliser struct {
	p      *model.Program
	packer *model.Packer
	exact  bool
	star   bool

	vertices int
	base     []int     // by class: number of its value 0; vertices of one class are consecutive
	classOf  []int     // by vertex
	target   []int64   // by position in order: the scalarset value that is given to the vertex there
	start    []int     // initial order: vertices block by block
	cells    []int     // initial rank: by vertex, first position of its block
	free     []bool    // by vertex: it is in a block of at least two
	unary    []*unary  // by leaf: if it mentions one vertex and is in no multiset
	rows     [][]*edge // by vertex: leaves with it as an index
	related  [][]*edge // of these, the ones that may relate it to others, each once
	pointers [][]*edge // by class: leaves whose values may be vertices of it
	relating []*edge   // of these, the ones with indices
	bags     []bag     // the multisets
	inBags   []bool    // by class: multisets mention it
	perm     model.ScalarPerm
	swap     model.ScalarPerm // the identity, but while two vertices are exchanged
	image    model.State
	packed   []byte
	raw      []byte                       // the state at hand packed, model.PackedPad bytes longer; nil if it is not known
	moved    []byte                       // scratch
	swaps    map[[2]int]*model.PackedPerm // by two vertices: what exchanges them
	sets     *model.PackedSets            // nil if packed states cannot be sorted
	movers   map[uint64]*model.PackedPerm // by the order of the vertices, 4 bits each
	recent   [64]mover                    // some of movers, by a hash of the key
	sig      []uint64                     // scratch, by vertex
	fixed    []int                        // of First: leaves that mention no vertex
	several  []*edge                      // of First: edges that mention several
	nearest  []byte                       // scratch of Star
	tied     []bool                       // scratch, by vertex: its cell has several members
	cur      partition

	// The signatures by edges on one vertex of a state, see follow.
	was     model.State
	first   []uint64
	chained bool // the next state that is followed is given with what it differs in from was

	// What is known of twins, see twins.go.
	edges     []*edge // by leaf, outside of multisets
	run       uint64  // of states that were followed one after the other; from 1
	steps     []int   // the leaves in which each of them differs from the one before
	changed   []int   // the leaves in which the state at hand differs from the one that is followed
	twinships []twinship
	manyEdges int // the constant, but in tests

	label labelling
	comps *components // nil: there are none

	// Rings, if there are any: see rings.go.
	moves           []bool              // by class: some value moves
	rotations       []model.ScalarPerm  // all products of rotations
	packedRotations []*model.PackedPerm // they, but the identity, if no value is in a block; else nil
	rotated         model.State         // scratch
	through         model.ScalarPerm    // by the rotation, then by the blocks
	least           []byte
}

// newCanonicaliser prepares for a program, blocks of interchangeable values by class,
// and rings of values that can be rotated.
func newCanonicaliser(p *model.Program, packer *model.Packer, blocks [][][]int, rings []model.Ring, exact bool) (*canonicaliser, error) {
	c := &canonicaliser{p: p, packer: packer, exact: exact, manyEdges: manyEdges}
	m := p.Model
	if len(blocks) > len(m.Scalarsets) {
		return nil, fmt.Errorf("explicit: blocks for %d scalarset classes, the model has %d", len(blocks), len(m.Scalarsets))
	}
	c.perm, c.swap = m.Identity(), m.Identity()
	for k, t := range m.Scalarsets {
		c.base = append(c.base, c.vertices)
		if t.Slots {
			continue
		}
		n := int(t.Card())
		c.vertices += n
		c.classOf = append(c.classOf, slices.Repeat([]int{k}, n)...)
		c.cells, c.free = append(c.cells, make([]int, n)...), append(c.free, make([]bool, n)...)
		seen := make([]bool, n)
		var all [][]int
		if k < len(blocks) {
			all = blocks[k]
		}
		for _, block := range all {
			for _, v := range block {
				if v < 0 || v >= n || seen[v] {
					return nil, fmt.Errorf("explicit: blocks of class %d: value %d is out of range or in two blocks", k, v)
				}
				seen[v] = true
			}
		}
		for v := range n {
			if !seen[v] {
				all = append(slices.Clip(all), []int{v})
			}
		}
		for _, block := range all {
			at := len(c.start)
			for _, v := range slices.Sorted(slices.Values(block)) {
				x := c.base[k] + v
				c.start = append(c.start, x)
				c.cells[x] = at
				c.free[x] = len(block) > 1
				c.target = append(c.target, int64(v))
			}
		}
	}
	c.sig, c.first, c.tied = make([]uint64, c.vertices), make([]uint64, c.vertices), make([]bool, c.vertices)
	c.rows, c.related = make([][]*edge, c.vertices), make([][]*edge, c.vertices)
	c.unary, c.edges, c.inBags = make([]*unary, m.Leaves()), make([]*edge, m.Leaves()), make([]bool, len(m.Scalarsets))
	c.pointers = make([][]*edge, len(m.Scalarsets))
	w := walker{c: c, pointers: make(map[*model.Type]*pointer)}
	for _, v := range m.Vars {
		w.walk(v.Type, v.Offset, place{})
	}
	c.was = slices.Repeat(model.State{model.Undef}, m.Leaves()) // what that adds is the same for all vertices of a block
	c.image = make(model.State, m.Leaves())
	c.moved = make([]byte, packer.Size()+model.PackedPad)
	c.movers = make(map[uint64]*model.PackedPerm)
	c.swaps, c.sets = make(map[[2]int]*model.PackedPerm), p.NewPackedSets(packer)
	c.comps = c.findComponents(manyVertices)
	c.moves = make([]bool, len(m.Scalarsets))
	for x, free := range c.free {
		k := c.classOf[x]
		c.moves[k] = c.moves[k] || free
	}
	return c, c.addRings(rings)
}

// canon returns the packed representative of s, valid until the next call; perm
// is then the permutation that maps s to it.
func (c *canonicaliser) canon(s model.State) []byte {
	c.packing(nil)
	if c.rotations != nil {
		return c.canonRotated(s)
	}
	return c.canonUnrotated(s)
}

// canonUnrotated is canon without rings.
func (c *canonicaliser) canonUnrotated(s model.State) []byte {
	if c.star {
		return c.stars(s)
	}
	c.follow(s, nil)
	return c.straight(s, nil)
}

// successor is canon for a state of which the packing is known as well, with
// model.PackedPad bytes behind it, and that differs in some leaves, ascending, from the
// state that is followed.
func (c *canonicaliser) successor(s model.State, changed []int, raw []byte) []byte {
	switch {
	case c.packedRotations != nil:
		return c.canonRotatedPacked(raw)
	case c.rotations != nil || c.star:
		return c.canon(s)
	}
	c.packing(raw)
	return c.straight(s, changed)
}

// packing notes the packing of the state at hand, if that is of use.
func (c *canonicaliser) packing(raw []byte) {
	if c.raw = raw; c.vertices > manyVertices || c.sets == nil {
		c.raw = nil
	}
	if c.comps != nil {
		c.comps.raw = raw
	}
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
	if c.comps != nil && c.comps.raw != nil {
		if dst, ok := c.repacked(dst, s, p); ok {
			return dst
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
	r := &c.recent[key*0x9e3779b97f4a7c15>>58]
	if r.perm != nil && r.key == key {
		return r.perm
	}
	q, ok := c.movers[key]
	if !ok && len(c.movers) < manyMovers {
		q, _ = c.p.NewPackedPerm(c.packer, c.perm)
		c.movers[key] = q
	}
	*r = mover{key, q}
	return q
}

// mover is an entry of movers.
type mover struct {
	key  uint64
	perm *model.PackedPerm
}
