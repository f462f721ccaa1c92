package structure

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// This file makes a graph from truth tables of small functions. It does not depend on how a
// function of few leaves is written. A function is one vertex. It is joined to each of its
// leaves by a vertex that says how the leaf influences the function. Equal functions of the
// same leaves share a vertex. An automorphism of the graph is a guess, since it keeps the
// numbers below and perhaps not the functions.
//
//	vertex                   colour                           edges to
//	function                 its number of leaves and ones    –
//	leaf of a function       how often it changes the value,  the function, the leaf
//	                         and how often to 1
//
// Leaves without influence are left out. Of a function and its complement, the one that is
// false where all leaves are false has the vertex. So the graph does not depend on the names
// of leaves.

// maxCone is the largest number of leaves of a function that is looked at.
const maxCone = 10

// table is a truth table: bit k of it is the value where leaf i has the value of
// bit i of k.
type table [1 << (maxCone - 6)]uint64

// projections are the tables of the leaves.
var projections = func() (all [maxCone]table) {
	for i := range all {
		for k := range 1 << maxCone {
			if k>>i&1 == 1 {
				all[i][k/64] |= 1 << (k % 64)
			}
		}
	}
	return all
}()

// findCones notes which nodes depend on few leaves. It is called when all functions
// are in c.g.
func (c *circuit) findCones() {
	c.cones = make([][]int32, c.g.Len())
	c.known.slot = make([]int32, c.g.Len())
	for n := range c.cones {
		switch {
		case n == 0:
			c.cones[n] = []int32{}
		case c.g.IsInput(n):
			c.cones[n] = []int32{int32(n)}
		default:
			a, b := c.g.Fanins(n)
			x, y := c.cones[a.Node()], c.cones[b.Node()]
			if x == nil || y == nil {
				continue
			}
			both := slices.Concat(x, y)
			slices.Sort(both)
			if both = slices.Compact(both); len(both) <= maxCone {
				c.cones[n] = slices.Clip(both)
			}
		}
	}
}

// small reports whether node is an AND whose function is looked at.
func (c *circuit) small(node int) bool {
	return node < len(c.cones) && c.cones[node] != nil && c.g.IsAnd(node)
}

// tableau has the tables of the nodes below one that is asked for. It is kept for the next one, as maps took most of the
// time.
type tableau struct {
	slot   []int32 // by node: 1 plus the number of its table, or 0
	nodes  []int   // that have one
	tables []table
	todo   []int
}

func (ta *tableau) put(node int, t table) {
	ta.slot[node] = int32(len(ta.tables) + 1)
	ta.nodes, ta.tables = append(ta.nodes, node), append(ta.tables, t)
}

func (ta *tableau) clear() {
	for _, n := range ta.nodes {
		ta.slot[n] = 0
	}
	ta.nodes, ta.tables = ta.nodes[:0], ta.tables[:0]
}

// truth returns the table of a small node.
func (c *circuit) truth(node int) table {
	x := &c.known
	defer x.clear()
	for i, n := range c.cones[node] {
		x.put(int(n), projections[i])
	}
	words := max(1, 1<<len(c.cones[node])>>6) // the others repeat them
	x.todo = append(x.todo, node)
	for len(x.todo) > 0 {
		n := x.todo[len(x.todo)-1]
		if x.slot[n] != 0 {
			x.todo = x.todo[:len(x.todo)-1]
			continue
		}
		a, b := c.g.Fanins(n)
		p, q := x.slot[a.Node()], x.slot[b.Node()]
		if p == 0 {
			x.todo = append(x.todo, a.Node())
		}
		if q == 0 {
			x.todo = append(x.todo, b.Node())
		}
		if p == 0 || q == 0 {
			continue
		}
		var t table
		for w := range words {
			t[w] = (x.tables[p-1][w] ^ -uint64(a&1)) & (x.tables[q-1][w] ^ -uint64(b&1))
		}
		x.put(n, t)
	}
	c.visited += len(x.nodes)
	t := x.tables[x.slot[node]-1]
	for w := words; w < len(t); w++ {
		t[w] = t[w%words]
	}
	return t
}

// cone returns the literal of a small node.
func (c *circuit) cone(node int) literal {
	t := c.truth(node)
	neg := t.at(0)
	if neg {
		for w := range t {
			t[w] = ^t[w]
		}
	}
	leaves := c.influences(node, &t)
	switch len(leaves) {
	case 0:
		return literalOf(c.gate[0].vertex(), !neg) // the vertex is that of true
	case 1:
		return literalOf(leaves[0].vertex, neg)
	}
	key, ones := tableKey(leaves, &t)
	v, ok := c.tables[key]
	if !ok {
		v = c.vertex(colour{coneVertex, len(leaves), ones}, 1)
		for _, l := range leaves {
			w := c.vertex(colour{coneLeafVertex, l.changes, l.rises}, 1)
			c.b.AddEdge(w, v)
			c.b.AddEdge(w, l.vertex)
		}
		c.tables[key] = v
	}
	return literalOf(v, neg)
}

// influence says what a leaf does to a function.
type influence struct {
	vertex  int // of the leaf
	bit     int // of valuations
	changes int // how often it changes the value, over all values of the other leaves
	rises   int // how often of these to 1
}

// influences returns the leaves of a small node that matter to its function t.
func (c *circuit) influences(node int, t *table) (leaves []influence) {
	for i, n := range c.cones[node] {
		l := influence{vertex: c.gate[n].vertex(), bit: i}
		for w := range t {
			// The values where the leaf is false, those where it is true, and which bits to count.
			low, high, here := t[w], t[w], ^projections[i][w]
			if i < 6 {
				high >>= 1 << i
			} else {
				high = t[w|1<<(i-6)]
			}
			l.changes += bits.OnesCount64((low ^ high) & here)
			l.rises += bits.OnesCount64(^low & high & here)
		}
		if l.changes > 0 {
			leaves = append(leaves, l)
		}
	}
	return leaves
}

// tableKey returns the key of the function t of some leaves, the same whatever bits they
// have: its ones over the leaves in the order of their vertices, and these. It returns
// the number of ones, too.
func tableKey(leaves []influence, t *table) (text string, ones int) {
	sorted := slices.SortedFunc(slices.Values(leaves), func(a, b influence) int { return a.vertex - b.vertex })
	key := []byte{byte(coneVertex)}
	var valuation [1 << maxCone]int // by valuation of the sorted leaves: that of the table
	for k := range 1 << len(sorted) {
		if k > 0 {
			valuation[k] = valuation[k&(k-1)] | 1<<sorted[bits.TrailingZeros(uint(k))].bit
		}
		if t.at(valuation[k]) {
			ones++
			key = binary.AppendUvarint(key, uint64(k))
		}
	}
	for _, l := range sorted {
		key = binary.AppendUvarint(key, uint64(l.vertex)+1<<maxCone)
	}
	return string(key), ones
}

func (t *table) at(k int) bool { return t[k/64]>>(k%64)&1 == 1 }
