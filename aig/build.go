// Builders for the other connectives, each brought to one normal form first so
// that a function and its complement share their nodes.

package aig

// Or returns a ∨ b.
func (g *Graph) Or(a, b Lit) Lit { return g.And(a^1, b^1) ^ 1 }

// Implies returns a → b.
func (g *Graph) Implies(a, b Lit) Lit { return g.And(a, b^1) ^ 1 }

// Equal returns a ↔ b.
func (g *Graph) Equal(a, b Lit) Lit { return g.Xor(a, b) ^ 1 }

// Xor returns a ⊕ b. Complements are moved from the operands to the result.
func (g *Graph) Xor(a, b Lit) Lit {
	neg := (a ^ b) & 1
	a, b = a&^1, b&^1
	return g.And(g.And(a, b)^1, g.And(a^1, b^1)^1) ^ neg
}

// Mux returns t if s, else e. The select and then t are made uncomplemented.
func (g *Graph) Mux(s, t, e Lit) Lit {
	switch {
	case s == True || t == e:
		return t
	case s == False:
		return e
	case t^e == 1:
		return g.Xor(s, e)
	}
	if s.Neg() {
		s, t, e = s^1, e, t
	}
	// A constant or repeated operand leaves one AND; the others are muxes.
	switch {
	case t == True || t == s:
		return g.Or(s, e)
	case t == False || t == s^1:
		return g.And(s^1, e)
	case e == True || e == s^1:
		return g.Or(s^1, t)
	case e == False || e == s:
		return g.And(s, t)
	}
	neg := t & 1
	t, e = t^neg, e^neg
	return g.And(g.And(s, t)^1, g.And(s^1, e)^1) ^ 1 ^ neg
}
