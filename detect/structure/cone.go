package structure

import (
	"encoding/binary"
	"slices"

	"orbitmc/aig"
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

// truth returns the table of a small node.
func (c *circuit) truth(node int) table {
	tables := make(map[int]table)
	for i, n := range c.cones[node] {
		tables[int(n)] = projections[i]
	}
	at := func(l aig.Lit) table {
		t := tables[l.Node()]
		if l.Neg() {
			for w := range t {
				t[w] = ^t[w]
			}
		}
		return t
	}
	for _, n := range c.g.Cone([]aig.Lit{aig.MkLit(node, false)}) {
		if c.g.IsAnd(n) {
			a, b := c.g.Fanins(n)
			x, y := at(a), at(b)
			for w := range x {
				x[w] &= y[w]
			}
			tables[n] = x
		}
	}
	return tables[node]
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
		for k := range 1 << maxCone {
			if k>>i&1 == 0 {
				low, high := t.at(k), t.at(k|1<<i)
				if low != high {
					l.changes++
				}
				if high && !low {
					l.rises++
				}
			}
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
	for k := range 1 << len(sorted) {
		valuation := 0
		for i, l := range sorted {
			valuation |= k >> i & 1 << l.bit
		}
		if t.at(valuation) {
			ones++
			key = binary.AppendUvarint(key, uint64(k))
		}
	}
	for _, l := range sorted {
		key = binary.AppendUvarint(key, uint64(l.vertex)+1<<maxCone)
	}
	return string(key), ones
}

// at returns the value of a table.
func (t *table) at(k int) bool { return t[k/64]>>(k%64)&1 == 1 }
