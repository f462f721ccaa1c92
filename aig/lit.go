package aig

import "strconv"

// Lit is an edge into the graph: 2*node, plus 1 if complemented. Node 0 is the
// constant, so False is 0 and True is 1.
type Lit uint32

const (
	False Lit = 0
	True  Lit = 1
)

// MkLit returns the literal of node, complemented if neg.
func MkLit(node int, neg bool) Lit {
	l := Lit(node) << 1
	if neg {
		l |= 1
	}
	return l
}

// Not returns the complement of l.
func (l Lit) Not() Lit { return l ^ 1 }

// NotIf returns the complement of l if c, else l.
func (l Lit) NotIf(c bool) Lit {
	if c {
		return l ^ 1
	}
	return l
}

// Node returns the node l points to.
func (l Lit) Node() int { return int(l >> 1) }

// Neg reports whether l is complemented.
func (l Lit) Neg() bool { return l&1 != 0 }

// String returns 0, 1, n7 or !n7.
func (l Lit) String() string {
	switch {
	case l <= True:
		return strconv.Itoa(int(l))
	case l.Neg():
		return "!n" + strconv.Itoa(l.Node())
	}
	return "n" + strconv.Itoa(l.Node())
}
