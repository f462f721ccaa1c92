package aig

// MatchXor recognises a node that has the structure of an exclusive or: an AND
// of ¬(a∧b) and ¬(¬a∧¬b). Then the uncomplemented literal of node is a ⊕ b; a
// is uncomplemented, b may be complemented, and a has the smaller node.
func (g *Graph) MatchXor(node int) (a, b Lit, ok bool) {
	p, q, ok := g.negatedAnds(node)
	if !ok || p.a^q.a != 1 || p.b^q.b != 1 {
		return 0, 0, false
	}
	neg := p.a & 1
	return p.a ^ neg, p.b ^ neg, true
}

// MatchMux recognises a node that has the structure of a multiplexer: an AND of
// ¬(s∧¬t) and ¬(¬s∧¬e). Then the uncomplemented literal of node is t if s, else
// e; s is uncomplemented. An exclusive or is also a multiplexer: call MatchXor
// first.
func (g *Graph) MatchMux(node int) (s, t, e Lit, ok bool) {
	p, q, ok := g.negatedAnds(node)
	if !ok {
		return 0, 0, 0, false
	}
	switch {
	case p.a^q.a == 1:
		s, t, e = p.a, p.b, q.b
	case p.a^q.b == 1:
		s, t, e = p.a, p.b, q.a
	case p.b^q.a == 1:
		s, t, e = p.b, p.a, q.b
	case p.b^q.b == 1:
		s, t, e = p.b, p.a, q.a
	default:
		return 0, 0, 0, false
	}
	if s.Neg() {
		s, t, e = s^1, e, t
	}
	return s, t ^ 1, e ^ 1, true
}

// negatedAnds returns the operands of both fanins if node i is an AND of two
// complemented ANDs.
func (g *Graph) negatedAnds(i int) (p, q node, ok bool) {
	n := g.nodes[i]
	if n.a == leaf || !n.a.Neg() || !n.b.Neg() {
		return
	}
	p, q = g.nodes[n.a>>1], g.nodes[n.b>>1]
	return p, q, p.a != leaf && q.a != leaf
}
