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

func (n *gates) and(ops []Lit) Lit {
	next(&n.epoch, n.known)
	n.units, n.clauses, n.lits = n.units[:0], n.clauses[:0], n.lits[:0]
	for n.work = append(n.work[:0], ops...); len(n.work) > 0; {
		if !n.learn() || !n.propagate() {
			return False
		}
		n.pair()
		n.shorten()
	}
	n.buf = append(n.buf[:0], n.units...)
	for _, c := range n.clauses {
		if !c.removed {
			n.buf = append(n.buf, c.lit)
		}
	}
	return n.g.andSet(n.buf)
}

// learn makes the literals in work operands, and reports whether the
// conjunction is still possible.
func (n *gates) learn() bool {
	n.known = sized(n.known, 2*n.g.Len())
	for len(n.work) > 0 {
		l := n.work[len(n.work)-1]
		n.work = n.work[:len(n.work)-1]
		switch {
		case l == True || n.known[l] == n.epoch:
			continue
		case l == False || n.known[l^1] == n.epoch:
			return false
		}
		n.known[l] = n.epoch
		from := len(n.lits)
		switch ok := n.operands(l &^ 1); {
		case !ok:
			n.units = append(n.units, l)
		case l.Neg():
			n.clauses = append(n.clauses, clause{lit: l, from: from, to: len(n.lits)})
		default:
			n.work = append(n.work, n.lits[from:]...)
			n.lits = n.lits[:from]
		}
	}
	return true
}

// operands appends the operands of the conjunction l to lits, unless l is none
// or has more than gateCap.
func (n *gates) operands(l Lit) bool {
	if !n.g.isGate(l) {
		return false
	}
	n.seen = sized(n.seen, 2*n.g.Len())
	next(&n.walks, n.seen)
	from := len(n.lits)
	for n.walk = append(n.walk[:0], l); len(n.walk) > 0; {
		l := n.walk[len(n.walk)-1]
		n.walk = n.walk[:len(n.walk)-1]
		if n.seen[l] == n.walks {
			continue
		}
		n.seen[l] = n.walks
		if n.g.isGate(l) {
			n.walk = append(n.walk, n.g.nodes[l>>1].b, n.g.nodes[l>>1].a)
			continue
		}
		n.lits = append(n.lits, l)
		if len(n.lits)-from > gateCap {
			n.lits = n.lits[:from]
			return false
		}
	}
	return true
}

// propagate brings unit propagation to its end, and reports whether the
// conjunction is still possible.
func (n *gates) propagate() bool {
	for again := true; again; {
		again = false
		for i := 0; i < len(n.clauses); i++ {
			c := &n.clauses[i]
			if c.removed {
				continue
			}
			var last Lit
			c.open = 0
			for _, l := range n.lits[c.from:c.to] {
				if n.known[l^1] == n.epoch {
					c.removed = true
				}
				if n.known[l] != n.epoch {
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
				n.work = append(n.work, last^1)
				if !n.learn() {
					return false
				}
			}
		}
	}
	return true
}

// shorten puts into work, in place of every clause with known literals, the
// clause without them.
func (n *gates) shorten() {
	for i := range n.clauses {
		if c := &n.clauses[i]; !c.removed && c.open < c.to-c.from {
			c.removed = true
			n.buf = n.buf[:0]
			for _, l := range n.lits[c.from:c.to] {
				if n.known[l] != n.epoch {
					n.buf = append(n.buf, l)
				}
			}
			n.work = append(n.work, n.g.andSet(n.buf)^1)
		}
	}
}

// pair puts into work, in place of ¬(x∧y) and ¬(¬x∧¬y), their exclusive or.
func (n *gates) pair() {
	for i := range n.clauses {
		c := &n.clauses[i]
		if c.removed || c.to-c.from != 2 {
			continue
		}
		x, y := n.lits[c.from], n.lits[c.from+1]
		other := Lit(n.g.find(node{min(x, y) ^ 1, max(x, y) ^ 1})) << 1
		if other == False || int(other) >= len(n.known) || n.known[other^1] != n.epoch {
			continue
		}
		for j := range n.clauses {
			if d := &n.clauses[j]; d.lit == other^1 && !d.removed {
				c.removed, d.removed = true, true
				n.work = append(n.work, n.xor(x, y))
			}
		}
	}
}

// xor returns the parity of ops. An exclusive or among them is replaced by its own
// operands unless it has more than gateCap.
func (n *gates) xor(ops ...Lit) Lit {
	n.odd = n.odd[:0]
	var neg Lit
	for _, op := range ops {
		from, before := len(n.odd), neg
		for n.walk = append(n.walk[:0], op); len(n.walk) > 0; {
			l := n.walk[len(n.walk)-1]
			n.walk = n.walk[:len(n.walk)-1]
			neg ^= l & 1
			if a, b, ok := n.g.MatchXor(l.Node()); ok {
				n.walk = append(n.walk, b, a)
				continue
			}
			n.odd = append(n.odd, l&^1)
			if len(n.odd)-from > gateCap {
				n.odd, neg = append(n.odd[:from], op&^1), before^op&1
				break
			}
		}
	}
	return n.g.xorSet(pairsCancelled(n.odd)) ^ neg
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
