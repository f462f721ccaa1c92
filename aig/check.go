package aig

import (
	"bufio"
	"fmt"
	"io"
)

// Check returns an error if g breaks an invariant of the data structure: node 0
// is the constant, leaves and their indices agree, the operands of an AND are
// distinct non-constant nodes before it in ascending order, and the hash table
// holds every AND exactly once, under its own operands.
func (g *Graph) Check() error {
	if len(g.nodes) == 0 || g.nodes[0] != (node{leaf, leaf}) {
		return fmt.Errorf("aig: node 0 is not the constant")
	}
	leaves := 0
	for i, n := range g.nodes[1:] {
		i++
		if n.a == leaf {
			if leaves >= len(g.inputs) || n.b != Lit(leaves) || g.inputs[leaves] != uint32(i) {
				return fmt.Errorf("aig: leaf %d is not input %d", i, leaves)
			}
			leaves++
			continue
		}
		switch {
		case n.a.Node() >= i || n.b.Node() >= i:
			return fmt.Errorf("aig: node %d = %v & %v is not in topological order", i, n.a, n.b)
		case n.a <= True || n.a>>1 >= n.b>>1:
			return fmt.Errorf("aig: node %d = %v & %v is trivial or not sorted", i, n.a, n.b)
		case g.find(n) != uint32(i):
			return fmt.Errorf("aig: node %d = %v & %v is found in the hash table as %d", i, n.a, n.b, g.find(n))
		}
	}
	if leaves != len(g.inputs) {
		return fmt.Errorf("aig: %d leaves but %d inputs", leaves, len(g.inputs))
	}
	used := 0
	for _, i := range g.table {
		if i != 0 {
			used++
		}
	}
	if ands := len(g.nodes) - 1 - leaves; used != ands {
		return fmt.Errorf("aig: %d entries in the hash table for %d ANDs", used, ands)
	}
	return nil
}

// Dump writes the cone of roots, one node a line, then the roots: for instance
//
//	n1 = input 0
//	n2 = input 1
//	n3 = n1 & !n2
//	root 0 = !n3
//
// Without roots it writes the whole graph.
func (g *Graph) Dump(w io.Writer, roots ...Lit) error {
	b := bufio.NewWriter(w)
	dump := func(i int) {
		switch n := g.nodes[i]; {
		case i == 0:
		case n.a == leaf:
			fmt.Fprintf(b, "n%d = input %d\n", i, n.b)
		default:
			fmt.Fprintf(b, "n%d = %v & %v\n", i, n.a, n.b)
		}
	}
	if len(roots) == 0 {
		for i := range g.nodes {
			dump(i)
		}
	} else {
		for _, i := range g.Cone(roots) {
			dump(i)
		}
	}
	for k, r := range roots {
		fmt.Fprintf(b, "root %d = %v\n", k, r)
	}
	return b.Flush()
}
