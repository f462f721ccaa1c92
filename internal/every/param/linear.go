package param

import (
	"fmt"
	"slices"
	"strings"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file holds linear integer arithmetic in a normal form: sums k + c1*t1 + c2*t2 …, and the atom that a sum is at
// most 0, made as strong as the common divisor of the coefficients allows. A t is what a family holds, a constant that
// is left open, or how many components satisfy a formula.

// Ints is the sort of integers. It is no free class.
const Ints = -2

// Addend is a part of a sum: a multiple of a term that is none.
type Addend struct {
	Coef int64
	T    Term
}

// sum is a linear term: k and all parts, ascending by term, no coefficient of which is 0.
type sum struct {
	k     int64
	parts []Addend
}

// Bounds of sums. Where constants that are left open are less than 1<<31, no number that the model
// computes needs more than 64 bits, so numbers are integers without end here.
const (
	maxCoef   = 1 << 20 // of coefficients
	maxNumber = 1 << 32 // of what is added
	maxParts  = 64      // of a sum that the model computes
)

// Symbol returns an integer of which nothing is known but that it depends on the values of some
// variables only.
func (l *Logic) Symbol(name string, free ...Term) Term {
	l.begin('n')
	l.put(len(free))
	for _, v := range free {
		l.put(int(v))
	}
	l.key = append(l.key, name...)
	free = slices.Compact(slices.Sorted(slices.Values(free)))
	return l.integer(termNode{symbol: name, free: free})
}

// integer returns the term with the key at hand.
func (l *Logic) integer(n termNode) Term {
	t, ok := l.at[string(l.key)]
	if !ok {
		t = int32(len(l.terms))
		n.sort = Ints
		l.at[string(l.key)] = t
		l.terms = append(l.terms, n)
	}
	return Term(t)
}

// Count returns how many values of v satisfy body.
func (l *Logic) Count(v Term, body Formula) Term {
	h := l.Node(body).height + 1
	w := l.variable(l.terms[v].sort, -h)
	body = l.Substitute(body, map[Term]Term{v: w})
	free := slices.DeleteFunc(slices.Clone(l.Node(body).Free), func(t Term) bool { return t == w })
	l.begin('c')
	l.put(int(body), int(w))
	return l.integer(termNode{counted: w, body: body, height: h, free: free})
}

// Counted returns what a term counts; ok is false if it is no count.
func (l *Logic) Counted(t Term) (v Term, body Formula, ok bool) {
	n := &l.terms[t]
	return n.counted, n.body, n.height > 0
}

// Number returns an integer.
func (l *Logic) Number(n int64) Term { return l.Sum(n) }

// Sum returns k and all parts, which may be sums.
func (l *Logic) Sum(k int64, parts ...Addend) Term {
	s := sum{k: k}
	for _, p := range parts {
		l.bounded(p.Coef, maxCoef)
		n := l.terms[p.T]
		if n.sum == nil {
			s.parts = append(s.parts, p)
			continue
		}
		s.k += p.Coef * n.sum.k
		for _, q := range n.sum.parts {
			s.parts = append(s.parts, Addend{p.Coef * q.Coef, q.T})
		}
	}
	slices.SortFunc(s.parts, func(p, q Addend) int { return int(p.T - q.T) })
	all := s.parts
	s.parts = nil
	for _, p := range all {
		if n := len(s.parts); n > 0 && s.parts[n-1].T == p.T {
			s.parts[n-1].Coef += p.Coef
		} else {
			s.parts = append(s.parts, p)
		}
	}
	s.parts = slices.DeleteFunc(s.parts, func(p Addend) bool { return p.Coef == 0 })
	l.bounded(s.k, maxNumber)
	l.begin('+')
	l.put(int(s.k))
	n := termNode{sum: &s}
	var free []Term
	for _, p := range s.parts {
		l.bounded(p.Coef, maxCoef)
		l.put(int(p.Coef), int(p.T))
		free = append(free, p.T)
		n.height = max(n.height, l.terms[p.T].height)
	}
	n.free = l.freeOf(free)
	if n.height > 0 {
		n.height = -n.height // no count itself
	}
	return l.integer(n)
}

func (l *Logic) bounded(n, limit int64) {
	if n < -limit || n > limit {
		refuse(l.pos, "a number beyond %d is not proved for every size", limit)
	}
}

// Addends returns the parts of an integer.
func (l *Logic) Addends(t Term) (k int64, parts []Addend) {
	if s := l.terms[t].sum; s != nil {
		return s.k, s.parts
	}
	return 0, []Addend{{1, t}}
}

// applied calls yield for what families hold in some terms, and in the arguments and addends of these.
func (l *Logic) applied(ts []Term, yield func(t Term)) {
	for _, t := range ts {
		n := l.terms[t]
		if n.fam != nil {
			yield(t)
		}
		l.applied(n.args, yield)
		if n.sum != nil {
			for _, p := range n.sum.parts {
				l.applied([]Term{p.T}, yield)
			}
		}
	}
}

// AtMost says that an integer is at most 0. Its negation says that it is at least 1.
func (l *Logic) AtMost(t Term) Formula {
	k, parts := l.Addends(t)
	if len(parts) == 0 {
		if k <= 0 {
			return True
		}
		return False
	}
	if parts[0].Coef < 0 {
		return l.AtMost(l.Sum(1, Addend{-1, t})).Not()
	}
	d := parts[0].Coef
	for _, p := range parts {
		d = gcd(d, p.Coef)
	}
	if d > 1 {
		s := sum{k: -floor(-k, d)}
		for _, p := range parts {
			s.parts = append(s.parts, Addend{p.Coef / d, p.T})
		}
		t = l.Sum(s.k, s.parts...)
	} else {
		t = l.Sum(k, parts...)
	}
	l.begin('l')
	l.put(int(t))
	n := &l.terms[t]
	return l.node(Node{Kind: AtMost, Args: []Term{t}, Free: n.free, height: -n.height})
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// floor returns a/d rounded down; d is positive.
func floor(a, d int64) int64 {
	q := a / d
	if a%d < 0 {
		q--
	}
	return q
}

// LessEq says that a ≤ b.
func (l *Logic) LessEq(a, b Term) Formula { return l.AtMost(l.Sum(0, Addend{1, a}, Addend{-1, b})) }

// SameNumber says that a = b.
func (l *Logic) SameNumber(a, b Term) Formula { return l.And(l.LessEq(a, b), l.LessEq(b, a)) }

// linear returns an integer with another term for each variable; see substitution.
func (s *substitution) linear(n termNode) Term {
	switch {
	case n.sum != nil:
		parts := lists.Map(n.sum.parts, func(p Addend) Addend { return Addend{p.Coef, s.term(p.T)} })
		return s.l.Sum(n.sum.k, parts...)
	case n.height > 0:
		v := s.l.Fresh(s.l.Sort(n.counted))
		return s.l.Count(v, s.formula(s.l.Substitute(n.body, map[Term]Term{n.counted: v})))
	}
	return s.l.Symbol(n.symbol, s.args(n.free)...)
}

// size returns a number that depends on a constant that is left open.
func (l *Logic) size(s model.Size) Term { return l.Sum(s.Plus, Addend{1, l.Symbol(s.Const)}) }

// text writes an integer for messages.
func (l *Logic) text(t Term) string {
	k, parts := l.Addends(t)
	var b strings.Builder
	write := func(n int64, what string) {
		sign := ""
		switch {
		case n < 0 && b.Len() > 0:
			sign, n = " - ", -n
		case b.Len() > 0:
			sign = " + "
		}
		b.WriteString(sign)
		if n != 1 || what == "" {
			fmt.Fprint(&b, n)
		}
		b.WriteString(what)
	}
	for _, p := range parts {
		n := &l.terms[p.T]
		switch {
		case n.fam != nil:
			write(p.Coef, n.fam.String())
		case n.height > 0:
			write(p.Coef, "a count")
		default:
			write(p.Coef, n.symbol)
		}
	}
	if k != 0 || len(parts) == 0 {
		write(k, "")
	}
	return b.String()
}
