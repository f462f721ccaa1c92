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
func (en *Encoder) Cone(roots ...aig.Lit) (leaves []int, vars, gates []sat.Lit) {
	en.sync()
	if n := len(en.name) - len(en.cones); n > 0 {
		en.cones = append(en.cones, make([]coneNode, n)...)
	}
	en.visit++
	en.leaves, en.vars, en.gates, en.todo = en.leaves[:0], en.vars[:0], en.gates[:0], en.todo[:0]
	for _, l := range roots {
		en.todo = append(en.todo, int32(l.Node()))
	}
	for len(en.todo) > 0 {
		n := en.todo[len(en.todo)-1]
		en.todo = en.todo[:len(en.todo)-1]
		x := &en.cones[n]
		if x.visited == en.visit {
			continue
		}
		if x.visited = en.visit; !x.known {
			en.findOperands(x, int(n))
		}
		switch l := en.name[n]; {
		case x.n > 0:
			if l != 0 {
				en.gates = append(en.gates, l&^1)
			}
			for _, y := range en.operand[x.first : x.first+x.n] {
				if en.cones[y].visited != en.visit {
					en.todo = append(en.todo, y)
				}
			}
		case l != 0 && n != 0:
			en.leaves = append(en.leaves, int(n))
			en.vars = append(en.vars, l)
		}
	}
	return en.leaves, en.vars, en.gates
}

// findOperands finds the nodes next below n, private ones dissolved: they are entered
// from there only.
func (en *Encoder) findOperands(x *coneNode, n int) {
	x.known = true
	if !en.g.IsAnd(n) {
		return
	}
	end := len(en.operand)
	en.stack = append(en.stack[:0], aig.MkLit(n, false))
	for len(en.stack) > 0 {
		m := en.stack[len(en.stack)-1].Node()
		en.stack = en.stack[:len(en.stack)-1]
		if m != n && !en.private(m) {
			en.operand = append(en.operand, int32(m))
			continue
		}
		a, b := en.g.Fanins(m)
		for _, l := range [2]aig.Lit{b, a} {
			if en.private(l.Node()) {
				en.cones[l.Node()].above = int32(m)
			}
			en.stack = append(en.stack, l)
		}
	}
	found := en.operand[end:]
	if len(found) <= int(x.n) { // as always once some are no longer dissolved
		copy(en.operand[x.first:], found)
		en.operand = en.operand[:end]
	} else {
		x.first = int32(end)
	}
	x.n = int32(len(found))
}

// undissolve has Cone see a node from now on.
func (en *Encoder) undissolve(n int) {
	for ; n < len(en.cones) && en.cones[n].above != 0; n = int(en.cones[n].above) {
		en.cones[en.cones[n].above].known = false
	}
}
