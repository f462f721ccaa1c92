package explicit

import (
	"encoding/binary"
	"slices"
)

// Vertices that nothing relates to others are components: each leaf on one mentions no other vertex, and no leaf or multiset
// has one as its value. Then two of a block are twins iff they are in the same *local state*, which is what the leaves hold
// that have them as an index. Where blocks are large, local states are numbered as they are met. So twins are told by one
// comparison, and a representative, which sorts the components, differs from the packed state in few rows: where a
// component takes the place of one in another local state.
//
// G. Basler, M. Mazzucchi, T. Wahl, D. Kroening (Symbolic counter abstraction for concurrent software, CAV 2009) store lists
// of local states, each with the number of components in it. A sorted state is such a list, written out; a tree of states
// stores the parts that states share once. docs/theory/counters.md compares the two.

// components are what is known of the vertices in large blocks.
type components struct {
	are    []bool // by vertex
	number map[string]uint32
	most   int      // numbers: with more, all are given anew
	base   []uint32 // by vertex: its local state in the state that is followed
	now    []uint32 // by vertex: in the state at hand
	stale  []int    // vertices for which base is out of date
	is     []bool   // by vertex: it is in stale
	key    []byte
	raw    []byte   // the state at hand packed, with model.PackedPad bytes behind it; nil if it is not known
	moved  []int    // scratch: leaves
	spans  [][2]int // scratch
	order  []int    // scratch
}

const (
	manyVertices = 16      // with more of them, components are looked for
	manyNumbers  = 1 << 16 // of some hundred bytes each at most, for each thread
)

// findComponents returns nil if there are none, or not more than so many vertices.
func (c *canonicaliser) findComponents(many int) *components {
	if c.vertices <= many {
		return nil
	}
	k := &components{are: make([]bool, c.vertices), number: make(map[string]uint32), base: make([]uint32, c.vertices),
		now: make([]uint32, c.vertices), is: make([]bool, c.vertices), most: manyNumbers}
	other := make([]bool, c.vertices) // by block
	for x := range c.vertices {
		class := c.classOf[x]
		k.are[x] = c.free[x] && len(c.pointers[class]) == 0 && !c.inBags[class] && c.plain(x, c.start[c.cells[x]])
		other[c.cells[x]] = other[c.cells[x]] || !k.are[x]
	}
	for x := range c.vertices { // all of a block, or none
		k.are[x] = k.are[x] && !other[c.cells[x]]
	}
	if !slices.Contains(k.are, true) {
		return nil
	}
	k.all()
	return k
}

// plain reports whether no leaf of x mentions more than x, and they are those of y in the same order.
func (c *canonicaliser) plain(x, y int) bool {
	if len(c.rows[x]) != len(c.rows[y]) {
		return false
	}
	for i, e := range c.rows[x] {
		if len(e.dims) > 1 || e.pointer != nil || e.label != c.rows[y][i].label {
			return false
		}
	}
	return true
}

// all makes all vertices stale.
func (k *components) all() {
	for x, is := range k.are {
		if is {
			k.touch(x)
		}
	}
}

func (k *components) touch(x int) {
	if !k.is[x] {
		k.is[x] = true
		k.stale = append(k.stale, x)
	}
}

// locate stores in now the local states in s, which differs in some leaves from the state that is followed.
func (c *canonicaliser) locate(s []int64, changed []int) {
	k := c.comps
	if len(k.number) > k.most {
		clear(k.number)
		k.all()
	}
	for _, x := range k.stale {
		k.base[x], k.is[x] = c.local(c.was, x), false
	}
	k.stale = k.stale[:0]
	copy(k.now, k.base)
	last := -1
	for _, i := range changed {
		if e := c.edges[i]; e != nil && len(e.dims) == 1 && k.are[e.dims[0].vertex] && e.dims[0].vertex != last {
			last = e.dims[0].vertex
			k.now[last] = c.local(s, last)
		}
	}
}

// local returns the number of the local state of x in s.
func (c *canonicaliser) local(s []int64, x int) uint32 {
	k := c.comps
	k.key = binary.AppendVarint(k.key[:0], int64(c.cells[x]))
	for _, e := range c.rows[x] {
		k.key = binary.AppendVarint(k.key, s[e.leaf])
	}
	n, ok := k.number[string(k.key)]
	if !ok {
		n = uint32(len(k.number))
		k.number[string(k.key)] = n
	}
	return n
}

// repacked is pack from the packed state: rows change where a component takes the place of one in another local state.
// ok is false if others than components move.
func (c *canonicaliser) repacked(dst []byte, s []int64, p *partition) (out []byte, ok bool) {
	k := c.comps
	copy(c.image, s)
	k.moved = k.moved[:0]
	for i, x := range p.order {
		y := c.base[c.classOf[x]] + int(c.target[i])
		switch {
		case x == y:
		case !k.are[x]:
			return dst, false
		case k.now[x] != k.now[y]:
			for j, e := range c.rows[y] {
				if v := s[c.rows[x][j].leaf]; v != s[e.leaf] {
					c.image[e.leaf] = v
					k.moved = append(k.moved, e.leaf)
				}
			}
		}
	}
	n := len(dst)
	dst = append(dst, k.raw[:c.packer.Size()]...)
	c.packer.Repack(dst[n:], s, c.image, k.moved)
	return dst, true
}

// bySize puts the cells of components in descending order of size, inside their block. What a step changes is then mostly
// near the end of a block, and large runs of equal rows stay where they are: more is shared in a tree of states.
func (c *canonicaliser) bySize(p *partition) {
	k := c.comps
	for i := 0; i < len(p.order); {
		block := c.cells[p.order[i]]
		k.spans = k.spans[:0]
		from := i
		for i < len(p.order) && c.cells[p.order[i]] == block {
			j := p.end(i)
			k.spans = append(k.spans, [2]int{i, j})
			i = j
		}
		if len(k.spans) < 2 || !k.are[p.order[from]] {
			continue
		}
		slices.SortStableFunc(k.spans, func(a, b [2]int) int { return (b[1] - b[0]) - (a[1] - a[0]) })
		k.order = append(k.order[:0], p.order[from:i]...)
		at := from
		for _, s := range k.spans {
			start := at
			for _, x := range k.order[s[0]-from : s[1]-from] {
				p.order[at], p.rank[x] = x, start
				at++
			}
		}
	}
}
