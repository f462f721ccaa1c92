// Package pctl is probabilistic computation tree logic over numbered atoms (Hansson and Jonsson, A logic for reasoning
// about time and reliability, 1994; Bianco and de Alfaro, 1995, with nondeterminism), with expected numbers of steps. A
// formula speaks of a state of a Markov chain or a Markov decision process. Whoever reads a formula numbers its atoms.
package pctl

import (
	"math"
	"math/big"
)

// Op is the operator of a formula.
type Op uint8

// Operators.
const (
	True  Op = iota
	Atom     // number N
	Not      // of X
	And      // of X and Y
	Asked    // what Ask says of X and Y
)

// Formula is a formula. It is not changed once it is made.
type Formula struct {
	Op   Op
	N    int // of an atom
	X, Y *Formula
	Ask  *Ask // of Asked
}

// Ask asks how likely it is that Y holds at some time and X until then, or how many steps that takes on average. A chooser
// decides what is not left to chance: a bound has to hold whatever the chooser does.
type Ask struct {
	Expected bool     // the number of steps to Y, infinite if it is not certain that Y comes; X is true
	Next     bool     // Y holds after one step; X is true
	Always   bool     // the probability that this does not happen: of G, whose operand is not Y
	Steps    int      // at most so many; negative: any number
	Which    string   // of a question: "min", "max", or "", where nothing is left to a chooser
	Cmp      string   // "<", "<=", ">" or ">=" Bound; "": what is it?
	Bound    *big.Rat // not negative
}

// Yes holds everywhere.
var Yes = &Formula{Op: True}

// Of returns atom number n.
func Of(n int) *Formula { return &Formula{Op: Atom, N: n} }

// No returns the negation of x.
func No(x *Formula) *Formula {
	if x.Op == Not {
		return x.X
	}
	return &Formula{Op: Not, X: x}
}

// Both says that x and y hold.
func Both(x, y *Formula) *Formula { return &Formula{Op: And, X: x, Y: y} }

// Or says that one of two holds.
func Or(x, y *Formula) *Formula { return No(Both(No(x), No(y))) }

// Most reports whether the answer is about the chooser that makes the path of X and Y most likely, or longest.
func (a *Ask) Most() bool {
	most := a.Which != "min"
	if a.Cmp != "" {
		most = a.Cmp[0] == '<'
	}
	return most != a.Always
}

// Test returns the bound as one of the probability of the path of X and Y.
func (a *Ask) Test() (cmp string, bound *big.Rat) {
	if !a.Always {
		return a.Cmp, a.Bound
	}
	return map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}[a.Cmp], new(big.Rat).Sub(big.NewRat(1, 1), a.Bound)
}

// Truth is what is known of a state.
type Truth int8

// Truths.
const (
	Open Truth = iota
	Holds
	Fails
)

// Decided returns what the comparison says of a path whose probability, or number of steps, is between lo and hi.
func (a *Ask) Decided(lo, hi float64) Truth {
	cmp, bound := a.Test()
	if cmp[0] == '>' {
		lo, hi = hi, lo
	}
	in := func(x float64) bool {
		c := 1
		if !math.IsInf(x, 1) {
			c = new(big.Rat).SetFloat64(x).Cmp(bound)
		}
		return c == 0 && len(cmp) == 2 || c < 0 && cmp[0] == '<' || c > 0 && cmp[0] == '>'
	}
	switch {
	case in(hi):
		return Holds
	case !in(lo):
		return Fails
	}
	return Open
}

// Asks returns what a formula asks, what is within a question before it.
func (f *Formula) Asks() (all []*Formula) {
	if f == nil {
		return nil
	}
	all = append(f.X.Asks(), f.Y.Asks()...)
	if f.Op == Asked {
		all = append(all, f)
	}
	return all
}

// Horizon returns how many steps from a state f looks at; -1: any number.
func (f *Formula) Horizon() int {
	if f == nil {
		return 0
	}
	n, m, own := f.X.Horizon(), f.Y.Horizon(), 0
	if f.Op == Asked {
		if own = f.Ask.Steps; f.Ask.Next {
			own = 1
		}
	}
	if min(n, m, own) < 0 {
		return -1
	}
	return max(n, m) + own
}

// Holds evaluates f where it is known what atoms and questions say.
func (f *Formula) Holds(atom func(n int) bool, asked func(f *Formula) bool) bool {
	switch f.Op {
	case True:
		return true
	case Atom:
		return atom(f.N)
	case Not:
		return !f.X.Holds(atom, asked)
	case And:
		return f.X.Holds(atom, asked) && f.Y.Holds(atom, asked)
	}
	return asked(f)
}
