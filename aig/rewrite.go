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

// And returns the conjunction of a and b. Equal operands up to order give equal
// results, whatever was built in between.
func (g *Graph) And(a, b Lit) Lit {
	for {
		if a > b {
			a, b = b, a
		}
		switch {
		case a == False || a^b == 1:
			return False
		case a == True || a == b:
			return b
		}
		x, y := g.nodes[a>>1], g.nodes[b>>1]
		aAnd, bAnd := x.a != leaf, y.a != leaf

		// One operand against the operands of the other.
		if aAnd {
			switch {
			case !x.has(b) && !x.has(b^1):
			case !a.Neg() && x.has(b):
				return a // idempotence
			case !a.Neg():
				return False // contradiction
			case x.has(b ^ 1):
				return b // subsumption
			default:
				a = x.other(b) ^ 1 // substitution
				continue
			}
		}
		if bAnd {
			switch {
			case !y.has(a) && !y.has(a^1):
			case !b.Neg() && y.has(a):
				return b
			case !b.Neg():
				return False
			case y.has(a ^ 1):
				return a
			default:
				b = y.other(a) ^ 1
				continue
			}
		}
		if !aAnd || !bAnd {
			return g.hash(a, b)
		}

		// Operands of both.
		same, same2 := x.has(y.a), x.has(y.b)
		opp, opp2 := x.has(y.a^1), x.has(y.b^1)
		switch {
		case !same && !same2 && !opp && !opp2:
			return g.hash(a, b)
		case !a.Neg() && !b.Neg():
			switch {
			case opp || opp2:
				return False // contradiction
			case same:
				b = y.b // idempotence
			default:
				b = y.a
			}
		case a.Neg() && b.Neg():
			switch {
			case same && opp2:
				return y.a ^ 1 // resolution
			case same2 && opp:
				return y.b ^ 1
			}
			return g.hash(a, b)
		case b.Neg():
			switch {
			case opp || opp2:
				return a // subsumption
			case same:
				b = y.b ^ 1 // substitution
			default:
				b = y.a ^ 1
			}
		default:
			switch {
			case opp || opp2:
				return b
			case same:
				a = x.other(y.a) ^ 1
			default:
				a = x.other(y.b) ^ 1
			}
		}
	}
}

// has reports whether l is an operand of n.
func (n node) has(l Lit) bool { return n.a == l || n.b == l }

// other returns the operand of n that is not l.
func (n node) other(l Lit) Lit {
	if n.a == l {
		return n.b
	}
	return n.a
}
