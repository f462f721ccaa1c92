package detect

import (
	"encoding/binary"
	"slices"

	"orbitmc/aig"
)

// Symmetries that negate, as between a latch and another one that holds the
// opposite. In the graph for them a leaf is two vertices, joined by an edge, and
// functions are in negation normal form: ANDs and ORs of these. What an
// automorphism does to the two vertices of each leaf is a signed permutation.
//
//	vertex                   colour                     edges to
//	leaf and its negation    latch, input, initial      each other
//	n-ary AND, n-ary OR      kind and level             its operands
//	next, reset of a latch   kind                       the latch, the function; and
//	                                                    both negated
//
// Clauses have such graphs too (Aloul, Ramani, Markov and Sakallah, "Solving
// difficult instances of Boolean satisfiability in the presence of symmetry", IEEE
// TCAD 22, 2003). Exclusive ors are their two ANDs and an OR here, so the symmetry
// of long parities is left to the other graphs.

// leafPair makes the two vertices of a leaf, the plain one first.
func (c *circuit) leafPair(l aig.Lit, k kind) []int {
	v, w := c.vertex(colour{kind: k}, 0), c.vertex(colour{kind: k}, 0)
	c.b.AddEdge(v, w)
	c.normal[l], c.normal[l.Not()] = v, w
	return []int{v, w}
}

// negationNormal returns the vertex of l, making what it needs.
func (c *circuit) negationNormal(l aig.Lit) int {
	for stack := []aig.Lit{l}; len(stack) > 0; {
		l := stack[len(stack)-1]
		if _, done := c.normal[l]; done {
			stack = stack[:len(stack)-1]
			continue
		}
		ops := c.conjuncts(l.Node(), nil)
		ready := true
		for i, op := range ops {
			ops[i] = op.NotIf(l.Neg())
			if _, done := c.normal[ops[i]]; !done {
				stack = append(stack, ops[i])
				ready = false
			}
		}
		if ready {
			c.normal[l] = c.junction(ops, l.Neg())
			stack = stack[:len(stack)-1]
		}
	}
	return c.normal[l]
}

// junction returns the vertex of the AND of ops, of their OR if or.
func (c *circuit) junction(ops []aig.Lit, or bool) int {
	k := andVertex
	if or {
		k = orVertex
	}
	var vs []int
	level := int32(0)
	for _, op := range ops {
		v := c.normal[op]
		level = max(level, c.level[v]+1)
		vs = append(vs, v)
	}
	slices.Sort(vs)
	vs = slices.Compact(vs)
	if len(vs) == 1 {
		return vs[0]
	}
	key := []byte{byte(k)}
	for _, v := range vs {
		key = binary.AppendUvarint(key, uint64(v))
	}
	g, ok := c.gates[string(key)]
	if !ok {
		g.vertex = c.vertex(colour{k, int(level), len(vs)}, level)
		for _, v := range vs {
			c.b.AddEdge(g.vertex, v)
		}
		c.gates[string(key)] = g
	}
	return g.vertex
}
