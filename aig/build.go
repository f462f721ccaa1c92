// Builders for the other connectives. Each function is brought to one form first,
// so it shares its nodes with its complement. The operands of an exclusive or and
// of a multiplexer are simplified against each other, but the gate is built
// without rewriting: rules that merely rearrange save no node, and they would
// hide the gate from MatchXor and MatchMux.

package aig

// Or returns a ∨ b.
func (g *Graph) Or(a, b Lit) Lit { return g.And(a^1, b^1) ^ 1 }

// Implies returns a → b.
func (g *Graph) Implies(a, b Lit) Lit { return g.And(a, b^1) ^ 1 }

// Equal returns a ↔ b.
func (g *Graph) Equal(a, b Lit) Lit { return g.Xor(a, b) ^ 1 }

// Xor returns a ⊕ b.
func (g *Graph) Xor(a, b Lit) Lit {
	neg := (a ^ b) & 1
	a, b = a&^1, b&^1
	_, _, ok := g.rewrite(a, b)
	if !ok {
		_, _, ok = g.rewrite(a^1, b^1)
	}
	if !ok {
		return g.xorHash(a, b) ^ neg
	}
	// One operand implies the other or its complement: a single AND remains.
	return g.And(g.And(a, b)^1, g.And(a^1, b^1)^1) ^ neg
}

// xorHash is Xor without simplification.
func (g *Graph) xorHash(a, b Lit) Lit {
	neg := (a ^ b) & 1
	a, b = a&^1, b&^1
	return g.hash(g.hash(a, b)^1, g.hash(a^1, b^1)^1) ^ neg
}

// Mux returns t if s, else e.
func (g *Graph) Mux(s, t, e Lit) Lit {
	switch s {
	case True:
		return t
	case False:
		return e
	}
	if s.Neg() {
		s, t, e = s^1, e, t
	}
	t, e = g.under(s, t), g.under(s^1, e)
	switch {
	case t == e:
		return t
	case t^e == 1:
		return g.Xor(s, e)
	case t == True:
		return g.Or(s, e)
	case t == False:
		return g.And(s^1, e)
	case e == True:
		return g.Or(s^1, t)
	case e == False:
		return g.And(s, t)
	}
	neg := t & 1
	t, e = t^neg, e^neg
	return g.hash(g.hash(s, t)^1, g.hash(s^1, e)^1) ^ 1 ^ neg
}

// under returns an existing literal, l or a simpler one, that equals l wherever
// s holds.
func (g *Graph) under(s, l Lit) Lit {
	for {
		a, b, ok := g.rewrite(s, l)
		switch {
		case ok && a == s:
			return True
		case ok && a == False:
			return False
		case ok && !l.Neg() && g.IsAnd(l.Node()) && g.nodes[l>>1].has(s):
			l = g.nodes[l>>1].other(s)
			continue
		case ok:
			return l
		case a == s && b != l:
			l = b
			continue
		case b == s && a != l:
			l = a
			continue
		}
		c, t, e, ok := g.MatchMux(l.Node())
		switch {
		case !ok || g.plain:
			return l
		case c == s:
			l = t ^ l&1
		case c == s^1:
			l = e ^ l&1
		default:
			return l
		}
	}
}
