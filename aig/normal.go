// The normal form of n-ary gates: see narycopier.go for its purpose.
//
// The operands of a conjunction form a set whose order and numbers must not
// matter, so that operand sets which differ by a renaming give results which
// differ by that renaming. Normalising it goes in stages, each a function of the
// set, until nothing changes:
//
//  1. A conjunction among the operands is replaced by its own operands. What is
//     left are clauses, the complemented conjunctions, and units.
//  2. Unit propagation to the end. A clause with a true literal is removed, one
//     with a single literal not known to be false becomes a unit.
//  3. All clauses are rebuilt without their false literals; two clauses x∨y and
//     ¬x∨¬y become one exclusive or.
//
// This gives what the rules contradiction, idempotence, subsumption and
// substitution of And give, wherever the operands stand, and hence undoes the
// asymmetry left where And saw only some of the pairs.
//
// A removed operand still counts as known. This is sound: it was removed in
// favour of operands that imply it. These are below it in the graph, or are
// clauses of fewer literals, so no circle of reasons can arise.
//
// Stronger rules were tried and left out: docs/decisions.md.

package aig

// gateCap is the largest number of operands that a gate hands up to the gates
// it is an operand of; larger gates are operands like leaves. Without a bound a
// chain of n prefixes, all of them used, would take time n².
const gateCap = 256

// gates builds gates in normal form in g.
type gates struct {
	g       *Graph
	known   []uint32 // by literal: last conjunction that was found to imply it
	seen    []uint32 // by literal: last walk that met it
	epoch   uint32   // number of the current conjunction
	walks   uint32   // number of walks so far
	units   []Lit    // operands of the current conjunction that are no clauses
	clauses []clause // and those that are
	lits    []Lit    // operands of the conjunctions inside the clauses
	work    []Lit
	walk    []Lit
	odd     []Lit
	buf     []Lit
}

// clause is the operand ¬(x∧y∧…) with x, y, … = lits[from:to].
type clause struct {
	lit      Lit
	from, to int
	open     int // how many of x, y, … are not known
	removed  bool
}

func (g *gates) and(ops []Lit) Lit {
	next(&g.epoch, g.known)
	g.units, g.clauses, g.lits = g.units[:0], g.clauses[:0], g.lits[:0]
	for g.work = append(g.work[:0], ops...); len(g.work) > 0; {
		if !g.learn() || !g.propagate() {
			return False
		}
		g.pair()
		g.shorten()
	}
	g.buf = append(g.buf[:0], g.units...)
	for _, c := range g.clauses {
		if !c.removed {
			g.buf = append(g.buf, c.lit)
		}
	}
	return g.g.andSet(g.buf)
}

// learn makes the literals in work operands, and reports whether the
// conjunction is still possible.
func (g *gates) learn() bool {
	g.known = sized(g.known, 2*g.g.Len())
	for len(g.work) > 0 {
		l := g.work[len(g.work)-1]
		g.work = g.work[:len(g.work)-1]
		switch {
		case l == True || g.known[l] == g.epoch:
			continue
		case l == False || g.known[l^1] == g.epoch:
			return false
		}
		g.known[l] = g.epoch
		from := len(g.lits)
		switch ok := g.operands(l &^ 1); {
		case !ok:
			g.units = append(g.units, l)
		case l.Neg():
			g.clauses = append(g.clauses, clause{lit: l, from: from, to: len(g.lits)})
		default:
			g.work = append(g.work, g.lits[from:]...)
			g.lits = g.lits[:from]
		}
	}
	return true
}

// operands appends the operands of the conjunction l to lits, unless l is none
// or has more than gateCap.
func (g *gates) operands(l Lit) bool {
	if !g.g.isGate(l) {
		return false
	}
	g.seen = sized(g.seen, 2*g.g.Len())
	next(&g.walks, g.seen)
	from := len(g.lits)
	for g.walk = append(g.walk[:0], l); len(g.walk) > 0; {
		l := g.walk[len(g.walk)-1]
		g.walk = g.walk[:len(g.walk)-1]
		if g.seen[l] == g.walks {
			continue
		}
		g.seen[l] = g.walks
		if g.g.isGate(l) {
			g.walk = append(g.walk, g.g.nodes[l>>1].b, g.g.nodes[l>>1].a)
			continue
		}
		g.lits = append(g.lits, l)
		if len(g.lits)-from > gateCap {
			g.lits = g.lits[:from]
			return false
		}
	}
	return true
}

// propagate brings unit propagation to its end, and reports whether the
// conjunction is still possible.
func (g *gates) propagate() bool {
	for again := true; again; {
		again = false
		for i := 0; i < len(g.clauses); i++ {
			c := &g.clauses[i]
			if c.removed {
				continue
			}
			var last Lit
			c.open = 0
			for _, l := range g.lits[c.from:c.to] {
				if g.known[l^1] == g.epoch {
					c.removed = true
				}
				if g.known[l] != g.epoch {
					c.open++
					last = l
				}
			}
			switch {
			case c.removed:
			case c.open == 0:
				return false
			case c.open == 1:
				c.removed, again = true, true
				g.work = append(g.work, last^1)
				if !g.learn() {
					return false
				}
			}
		}
	}
	return true
}

// shorten puts into work, in place of every clause with known literals, the
// clause without them.
func (g *gates) shorten() {
	for i := range g.clauses {
		if c := &g.clauses[i]; !c.removed && c.open < c.to-c.from {
			c.removed = true
			g.buf = g.buf[:0]
			for _, l := range g.lits[c.from:c.to] {
				if g.known[l] != g.epoch {
					g.buf = append(g.buf, l)
				}
			}
			g.work = append(g.work, g.g.andSet(g.buf)^1)
		}
	}
}

// pair puts into work, in place of ¬(x∧y) and ¬(¬x∧¬y), their exclusive or.
func (g *gates) pair() {
	for i := range g.clauses {
		c := &g.clauses[i]
		if c.removed || c.to-c.from != 2 {
			continue
		}
		x, y := g.lits[c.from], g.lits[c.from+1]
		other := Lit(g.g.find(node{min(x, y) ^ 1, max(x, y) ^ 1})) << 1
		if other == False || int(other) >= len(g.known) || g.known[other^1] != g.epoch {
			continue
		}
		for j := range g.clauses {
			if d := &g.clauses[j]; d.lit == other^1 && !d.removed {
				c.removed, d.removed = true, true
				g.work = append(g.work, g.xor(x, y))
			}
		}
	}
}

// xor returns the parity of ops. An exclusive or among them is replaced by its own
// operands unless it has more than gateCap.
func (g *gates) xor(ops ...Lit) Lit {
	g.odd = g.odd[:0]
	var neg Lit
	for _, op := range ops {
		from, before := len(g.odd), neg
		for g.walk = append(g.walk[:0], op); len(g.walk) > 0; {
			l := g.walk[len(g.walk)-1]
			g.walk = g.walk[:len(g.walk)-1]
			neg ^= l & 1
			if a, b, ok := g.g.MatchXor(l.Node()); ok {
				g.walk = append(g.walk, b, a)
				continue
			}
			g.odd = append(g.odd, l&^1)
			if len(g.odd)-from > gateCap {
				g.odd, neg = append(g.odd[:from], op&^1), before^op&1
				break
			}
		}
	}
	return g.g.xorSet(pairsCancelled(g.odd)) ^ neg
}

// isGate reports whether l is a conjunction: an uncomplemented AND that is not
// the top of an exclusive or.
func (g *Graph) isGate(l Lit) bool {
	if l.Neg() || g.nodes[l>>1].a == leaf {
		return false
	}
	_, _, xor := g.MatchXor(l.Node())
	return !xor
}

// next starts a new epoch of marks.
func next(epoch *uint32, marks []uint32) {
	*epoch++
	if *epoch == 0 {
		clear(marks)
		*epoch = 1
	}
}

// sized returns s extended by zeros to at least n elements.
func sized[T any](s []T, n int) []T {
	if n <= len(s) {
		return s
	}
	return append(s, make([]T, n-len(s))...)
}
