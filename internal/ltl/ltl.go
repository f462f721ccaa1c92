// Package ltl is linear temporal logic over numbered atoms: formulas, their meaning on lassos,
// and the automaton of a formula. It knows nothing of models. Whoever reads a formula
// numbers its atoms.
//
//	ltl.go        formulas
//	lasso.go      what a formula means on a lasso
//	automaton.go  the tableau of Gerth, Peled, Vardi and Wolper
package ltl

import "fmt"

// Op is the operator of a formula.
type Op uint8

// Operators. The others are combinations of these: see the functions below.
const (
	True Op = iota
	False
	Atom    // number Atom
	Not     // of X
	And     // of X and Y
	Or      // of X and Y
	Next    // X holds in the next state
	Until   // X holds until Y does, and Y does
	Release // Y holds up to the state in which X does too, for ever if there is none
)

// Formula is a formula. It is not changed once it is made.
type Formula struct {
	Op   Op
	Atom int
	X, Y *Formula // as many as Op has operands
}

// Constants.
var (
	Yes = &Formula{Op: True}
	No  = &Formula{Op: False}
)

// Of returns atom number n.
func Of(n int) *Formula { return &Formula{Op: Atom, Atom: n} }

// One returns an operator of one operand.
func One(op Op, x *Formula) *Formula { return &Formula{Op: op, X: x} }

// Two returns an operator of two operands.
func Two(op Op, x, y *Formula) *Formula { return &Formula{Op: op, X: x, Y: y} }

// Finally says that x holds now or later.
func Finally(x *Formula) *Formula { return Two(Until, Yes, x) }

// Globally says that x holds now and always.
func Globally(x *Formula) *Formula { return Two(Release, No, x) }

// Implies says that y holds where x does, now.
func Implies(x, y *Formula) *Formula { return Two(Or, One(Not, x), y) }

// Iff says that both hold or neither does, now.
func Iff(x, y *Formula) *Formula { return Two(And, Implies(x, y), Implies(y, x)) }

// Weak says that x holds until y does, or for ever.
func Weak(x, y *Formula) *Formula { return Two(Release, y, Two(Or, x, y)) }

// String writes a formula with operators as letters and atoms as a0, a1, and so on.
func (f *Formula) String() string {
	switch f.Op {
	case True:
		return "true"
	case False:
		return "false"
	case Atom:
		return fmt.Sprint("a", f.Atom)
	case Not:
		return "!" + f.X.String()
	case Next:
		return "X " + f.X.String()
	}
	return fmt.Sprintf("(%v %s %v)", f.X, map[Op]string{And: "&", Or: "|", Until: "U", Release: "R"}[f.Op], f.Y)
}

// normal returns the negation normal form of f, or of its negation: Not stands before
// atoms only.
func (f *Formula) normal(negated bool) *Formula {
	dual := map[Op]Op{True: False, False: True, And: Or, Or: And, Until: Release, Release: Until}
	switch f.Op {
	case Not:
		return f.X.normal(!negated)
	case Atom:
		if negated {
			return One(Not, f)
		}
		return f
	case Next:
		return One(Next, f.X.normal(negated))
	}
	op := f.Op
	if negated {
		op = dual[op]
	}
	if f.X == nil {
		return &Formula{Op: op}
	}
	return Two(op, f.X.normal(negated), f.Y.normal(negated))
}

// Stutters reports whether the formula has no Next, so that it does not see how often a
// state is repeated.
func (f *Formula) Stutters() bool {
	return f == nil || f.Op != Next && f.X.Stutters() && f.Y.Stutters()
}
