package aig

import "fmt"

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
