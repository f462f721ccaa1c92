// Two-level rewriting, after R. Brummayer and A. Biere, "Local two-level
// and-inverter graph minimization without blowup", MEMICS 2006.
//
// And looks at the operands and at their operands. With the AND inside an
// operand written in brackets, and up to the order of operands:
//
//	contradiction   (x y) ¬x        = 0      (x y) (¬x z)    = 0
//	idempotence     (x y) x         = (x y)  (x y) (x z)     = (x y) z
//	subsumption     ¬(x y) ¬x       = ¬x     ¬(x y) (¬x z)   = (¬x z)
//	substitution    ¬(x y) x        = ¬y x   ¬(x y) (x z)    = ¬y (x z)
//	resolution      ¬(x y) ¬(x ¬y)  = ¬x
//
// Every rule either answers with an existing literal or goes on with an
// operand replaced by one of smaller node number, so And ends, and creates one
// node at most. The rules that create more nodes (distributivity) are left out:
// they may make the graph larger.

package aig

// And returns the conjunction of a and b. The result is a function of the
// operands and what is below them, whatever else was built before.
func (g *Graph) And(a, b Lit) Lit {
	a, b, ok := g.rewrite(a, b)
	if ok {
		return a
	}
	return g.insert(node{a, b})
}

// rewrite applies the rules to the conjunction of a and b as long as it can. It
// returns the result and true, or two operands in ascending order and false.
func (g *Graph) rewrite(a, b Lit) (Lit, Lit, bool) {
	for {
		if a > b {
			a, b = b, a
		}
		switch {
		case a == False || a^b == 1:
			return False, 0, true
		case a == True || a == b:
			return b, 0, true
		}
		if g.plain {
			return a, b, false
		}
		x, y := g.nodes[a>>1], g.nodes[b>>1]
		aAnd, bAnd := x.a != leaf, y.a != leaf

		// The smaller operand against the operands of the larger.
		if bAnd && (y.has(a) || y.has(a^1)) {
			switch same := y.has(a); {
			case !b.Neg() && same:
				return b, 0, true // idempotence
			case !b.Neg():
				return False, 0, true // contradiction
			case !same:
				return a, 0, true // subsumption
			}
			b = y.other(a) ^ 1 // substitution
			continue
		}
		if !aAnd || !bAnd {
			return a, b, false
		}

		// Operands of both: sameA if y.a is one of x's, oppA if its complement is.
		sameA, sameB := x.has(y.a), x.has(y.b)
		oppA, oppB := x.has(y.a^1), x.has(y.b^1)
		if !sameA && !sameB && !oppA && !oppB {
			return a, b, false
		}
		switch {
		case a.Neg() && b.Neg():
			switch {
			case sameA && oppB:
				return y.a ^ 1, 0, true // resolution
			case sameB && oppA:
				return y.b ^ 1, 0, true
			}
			return a, b, false
		case oppA || oppB:
			switch {
			case a.Neg():
				return b, 0, true // subsumption
			case b.Neg():
				return a, 0, true
			}
			return False, 0, true // contradiction
		case a.Neg() && sameA:
			a = x.other(y.a) ^ 1 // substitution
		case a.Neg():
			a = x.other(y.b) ^ 1
		case sameA:
			b = y.b ^ b&1 // idempotence or substitution
		default:
			b = y.a ^ b&1
		}
	}
}

func (n node) has(l Lit) bool { return n.a == l || n.b == l }

// other returns the operand of n that is not l.
func (n node) other(l Lit) Lit {
	if n.a == l {
		return n.b
	}
	return n.a
}
