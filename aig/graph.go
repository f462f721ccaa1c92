// The graph: nodes in one slice, and an open-addressing hash table of node
// numbers for structural hashing.
//
// A node is its two fanins, 8 bytes; a table entry is a node number, 4 bytes,
// with linear probing and a load of at most 5/8. The key is not stored in the
// table: a probe compares with the node itself. With the slack of both slices
// a node takes between 14 and 24 bytes.

package aig

import (
	"fmt"
	"slices"
)

// Graph is an and-inverter graph. Nodes are only ever added, in topological
// order: the fanins of a node have smaller numbers, and a literal keeps its
// meaning for ever. Methods that create nodes are not safe for concurrent use;
// the others may run concurrently with each other.
type Graph struct {
	nodes  []node   // nodes[0] is the constant
	inputs []uint32 // leaves in the order of creation
	table  []uint32 // hash of fanins -> node, 0 is empty; length a power of two
	shift  uint     // 64 - log2(len(table))
	plain  bool     // no two-level rewriting
}

// node is an AND of a < b. The constant and the leaves have a == leaf; the b of
// a leaf is its creation index.
type node struct{ a, b Lit }

const (
	leaf     Lit = 1<<32 - 1
	maxNodes     = 1<<31 - 1
	minTable     = 64
)

// New returns a graph of the constant alone, in which And rewrites on two levels.
func New() *Graph { return newGraph(false) }

// NewPlain returns a graph of the constant alone, in which And only folds
// constants and shares nodes. Rewriting acts on the pairs of operands that happen to
// meet, so it may treat symmetric operands differently. A plain graph keeps the
// structure it was given. Use it for a system whose symmetry is to be found, and New
// for functions computed from the system.
func NewPlain() *Graph { return newGraph(true) }

func newGraph(plain bool) *Graph {
	return &Graph{
		plain: plain,
		nodes: append(make([]node, 0, minTable), node{leaf, leaf}),
		table: make([]uint32, minTable),
		shift: 64 - 6,
	}
}

// Clone returns a copy of g, in which nodes have the same numbers.
func (g *Graph) Clone() *Graph {
	c := *g
	c.nodes, c.inputs, c.table = slices.Clone(g.nodes), slices.Clone(g.inputs), slices.Clone(g.table)
	return &c
}

// Input returns a fresh leaf.
func (g *Graph) Input() Lit {
	n := g.add(node{leaf, Lit(len(g.inputs))})
	g.inputs = append(g.inputs, n)
	return Lit(n) << 1
}

// Len returns the number of nodes, the constant included.
func (g *Graph) Len() int { return len(g.nodes) }

// IsInput reports whether node is a leaf.
func (g *Graph) IsInput(node int) bool { return node != 0 && g.nodes[node].a == leaf }

// IsAnd reports whether node is an AND.
func (g *Graph) IsAnd(node int) bool { return g.nodes[node].a != leaf }

// Fanins returns the two operands of an AND, the smaller first. It panics on a
// leaf or the constant.
func (g *Graph) Fanins(node int) (Lit, Lit) {
	n := g.nodes[node]
	if n.a == leaf {
		panic(fmt.Sprintf("aig: Fanins: node %d is not an AND", node))
	}
	return n.a, n.b
}

// NumInputs returns the number of leaves.
func (g *Graph) NumInputs() int { return len(g.inputs) }

func (g *Graph) add(n node) uint32 {
	if len(g.nodes) >= maxNodes {
		panic("aig: more than 2^31 nodes")
	}
	g.nodes = append(g.nodes, n)
	return uint32(len(g.nodes) - 1)
}

// slot returns where the hash table holds, or would hold, the AND of n.a < n.b.
func (g *Graph) slot(n node) uint64 {
	mask := uint64(len(g.table) - 1)
	h := (uint64(n.a)<<32 | uint64(n.b)) * 0x9e3779b97f4a7c15 >> g.shift
	for {
		if i := g.table[h]; i == 0 || g.nodes[i] == n {
			return h
		}
		h = (h + 1) & mask
	}
}

// find returns the node with fanins n.a < n.b, or 0.
func (g *Graph) find(n node) uint32 { return g.table[g.slot(n)] }

// hash is And without two-level rewriting: it knows the rules for constants, x∧x
// and x∧¬x only.
func (g *Graph) hash(a, b Lit) Lit {
	if a > b {
		a, b = b, a
	}
	switch {
	case a == False || a^b == 1:
		return False
	case a == True || a == b:
		return b
	}
	return g.insert(node{a, b})
}

// insert returns the AND of n.a < n.b, creating the node if there is none.
func (g *Graph) insert(n node) Lit {
	h := g.slot(n)
	i := g.table[h]
	if i == 0 {
		i = g.add(n)
		g.table[h] = i
		if ands := len(g.nodes) - 1 - len(g.inputs); ands > len(g.table)/8*5 {
			g.grow()
		}
	}
	return Lit(i) << 1
}

// grow doubles the hash table.
func (g *Graph) grow() {
	g.table = make([]uint32, 2*len(g.table))
	g.shift--
	for i, n := range g.nodes {
		if n.a != leaf {
			g.table[g.slot(n)] = uint32(i)
		}
	}
}
