package structure

import (
	"encoding/binary"
	"slices"

	"orbitmc/aig"
)

// Small functions by their truth tables. How a function of a few leaves is
// written hides nothing then: in the graph it is one vertex, joined to each of its
// leaves by one that tells what the leaf does to the function. Equal functions of
// the same leaves share a vertex. An automorphism of such a graph is a guess,
// as it keeps these numbers only and not the functions.
//
//	vertex                   colour                           edges to
//	function                 its number of leaves and ones    –
//	leaf of a function       how often it changes the value,  the function, the leaf
//	                         and how often to 1
//
// Only leaves that matter are leaves of a function, and of a function and its
// complement the one that is false where all leaves are has a vertex. Both are
// the same whatever the leaves are called.

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
	neg := t[0]&1 == 1
	if neg {
		for w := range t {
			t[w] = ^t[w]
		}
	}
	// The leaves that matter, and what each of them does.
	type leaf struct{ vertex, changes, rises int }
	var leaves []leaf
	var matter []int
	for i, n := range c.cones[node] {
		changes, rises := 0, 0
		for k := range 1 << maxCone {
			if k>>i&1 == 0 {
				low, high := t.at(k), t.at(k|1<<i)
				if low != high {
					changes++
				}
				if high && !low {
					rises++
				}
			}
		}
		if changes > 0 {
			leaves = append(leaves, leaf{c.gate[int(n)].vertex, changes, rises})
			matter = append(matter, i)
		}
	}
	switch {
	case len(leaves) == 0:
		return literal{c.gate[0].vertex, !neg} // the vertex is that of true
	case len(leaves) == 1:
		return literal{leaves[0].vertex, neg}
	}
	// The table over these leaves in the order of their vertices.
	order := make([]int, len(leaves))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return leaves[i].vertex - leaves[j].vertex })
	key := []byte{byte(coneVertex)}
	ones := 0
	for k := range 1 << len(leaves) {
		valuation := 0
		for i, j := range order {
			valuation |= k >> i & 1 << matter[j]
		}
		if t.at(valuation) {
			ones++
			key = binary.AppendUvarint(key, uint64(k))
		}
	}
	for _, j := range order {
		key = binary.AppendUvarint(key, uint64(leaves[j].vertex)+1<<maxCone)
	}
	g, ok := c.gates[string(key)]
	if !ok {
		v := c.vertex(colour{coneVertex, len(leaves), ones}, 1)
		for _, l := range leaves {
			w := c.vertex(colour{coneLeafVertex, l.changes, l.rises}, 1)
			c.b.AddEdge(w, v)
			c.b.AddEdge(w, l.vertex)
		}
		g = literal{v, false}
		c.gates[string(key)] = g
	}
	return literal{g.vertex, neg}
}

// at returns the value of a table.
func (t *table) at(k int) bool { return t[k/64]>>(k%64)&1 == 1 }
