package cnf

import (
	"orbitmc/aig"
	"orbitmc/sat"
)

// This file finds the named nodes in the cones of some functions: the variables
// that a query is about. An engine with thousands of small queries would spend nearly as
// much time on these cones as on the solver. Many nodes have no name, as they
// dissolve into others (cnf.go). So each node keeps a list of the next nodes
// below it that are named or shared. When a node gets its name later, the lists
// that left it out are rebuilt.

// coneNode is what Cone knows of a node.
type coneNode struct {
	visited uint32 // the last call that came there
	known   bool   // its operands are
	first   int32  // of them
	n       int32  // of them; 0 for leaves
	above   int32  // the node that it was dissolved into, with what that was dissolved into; 0: none
}

// Cone returns the leaves in the cones of roots, as far as they have names; the
// names, positive literals; and those of the gates. These are what to focus on
// (sat.Focuser) in a query about roots. The slices are valid until the next call.
func (c *Encoder) Cone(roots ...aig.Lit) (leaves []int, vars, gates []sat.Lit) {
	c.sync()
	if n := len(c.name) - len(c.cones); n > 0 {
		c.cones = append(c.cones, make([]coneNode, n)...)
	}
	c.visit++
	c.leaves, c.vars, c.gates, c.todo = c.leaves[:0], c.vars[:0], c.gates[:0], c.todo[:0]
	for _, l := range roots {
		c.todo = append(c.todo, int32(l.Node()))
	}
	for len(c.todo) > 0 {
		n := c.todo[len(c.todo)-1]
		c.todo = c.todo[:len(c.todo)-1]
		x := &c.cones[n]
		if x.visited == c.visit {
			continue
		}
		if x.visited = c.visit; !x.known {
			c.findOperands(x, int(n))
		}
		switch l := c.name[n]; {
		case x.n > 0:
			if l != 0 {
				c.gates = append(c.gates, l&^1)
			}
			for _, y := range c.operand[x.first : x.first+x.n] {
				if c.cones[y].visited != c.visit {
					c.todo = append(c.todo, y)
				}
			}
		case l != 0 && n != 0:
			c.leaves = append(c.leaves, int(n))
			c.vars = append(c.vars, l)
		}
	}
	return c.leaves, c.vars, c.gates
}

// findOperands finds the nodes next below n, private ones dissolved: they are entered
// from there only.
func (c *Encoder) findOperands(x *coneNode, n int) {
	x.known = true
	if !c.g.IsAnd(n) {
		return
	}
	end := len(c.operand)
	c.stack = append(c.stack[:0], aig.MkLit(n, false))
	for len(c.stack) > 0 {
		m := c.stack[len(c.stack)-1].Node()
		c.stack = c.stack[:len(c.stack)-1]
		if m != n && !c.private(m) {
			c.operand = append(c.operand, int32(m))
			continue
		}
		a, b := c.g.Fanins(m)
		for _, l := range [2]aig.Lit{b, a} {
			if c.private(l.Node()) {
				c.cones[l.Node()].above = int32(m)
			}
			c.stack = append(c.stack, l)
		}
	}
	found := c.operand[end:]
	if len(found) <= int(x.n) { // as always once some are no longer dissolved
		copy(c.operand[x.first:], found)
		c.operand = c.operand[:end]
	} else {
		x.first = int32(end)
	}
	x.n = int32(len(found))
}

// undissolve has Cone see a node from now on.
func (c *Encoder) undissolve(n int) {
	for ; n < len(c.cones) && c.cones[n].above != 0; n = int(c.cones[n].above) {
		c.cones[c.cones[n].above].known = false
	}
}
