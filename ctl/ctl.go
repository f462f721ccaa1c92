// Package ctl is computation tree logic over numbered atoms, with operators that look back (Clarke, Emerson and Sistla,
// TOPLAS 1986; Lichtenstein, Pnueli and Zuck, 1985). A formula speaks of a state in a graph of all steps. Whoever reads a
// formula numbers its atoms, and whoever decides it takes the temporal operators one after the other.
package ctl

import "fmt"

// Op is the operator of a formula.
type Op uint8

// Operators. The others are combinations of these: see the functions below.
const (
	True  Op = iota
	Atom     // number N
	Not      // of X
	And      // of X and Y
	Next     // some successor meets X
	Some     // on some path from here X holds until Y does, and Y does
	All      // on all paths from here X holds until Y does, and Y does
	Last     // some predecessor meets X
	Since    // on some path to here Y held, and X has held since
)

// Formula is a formula. It is not changed once it is made.
type Formula struct {
	Op   Op
	N    int      // of an atom, or of a temporal operator: see Number
	X, Y *Formula // as many as Op has operands
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

// Two returns an operator of two operands.
func Two(op Op, x, y *Formula) *Formula { return &Formula{Op: op, X: x, Y: y} }

// Or says that one of two holds.
func Or(x, y *Formula) *Formula { return No(Two(And, No(x), No(y))) }

// Implies says that y holds where x does.
func Implies(x, y *Formula) *Formula { return Or(No(x), y) }

// Iff says that both hold or neither does.
func Iff(x, y *Formula) *Formula { return Two(And, Implies(x, y), Implies(y, x)) }

// Prefix applies an operator of one operand, by its name: AX, AF, AG, EX, EF, EG, EY, EP or AH.
func Prefix(op string, x *Formula) *Formula {
	switch op {
	case "EY":
		return &Formula{Op: Last, X: x}
	case "EP":
		return Two(Since, Yes, x)
	case "AH":
		return No(Two(Since, Yes, No(x)))
	}
	return Path(op[0] == 'A', op[1:], x)
}

// Path quantifies the temporal operators X, F and G, of one operand: on all paths, or on some.
func Path(all bool, op string, x *Formula) *Formula {
	if all { // on no path the opposite
		return No(Path(false, map[string]string{"X": "X", "F": "G", "G": "F"}[op], No(x)))
	}
	switch op {
	case "X":
		return &Formula{Op: Next, X: x}
	case "F":
		return Two(Some, Yes, x)
	}
	return No(Two(All, Yes, No(x)))
}

// Paths quantifies the temporal operators U, W (weak until) and R, of two operands. S looks back, on some path.
func Paths(all bool, op string, x, y *Formula) *Formula {
	switch {
	case op == "S":
		return Two(Since, x, y)
	case op == "U" && all:
		return Two(All, x, y)
	case op == "U":
		return Two(Some, x, y)
	case op == "W": // y comes, and x holds until then, or for ever
		return Paths(all, "R", y, Or(x, y))
	}
	return No(Paths(!all, "U", No(x), No(y)))
}

// Everywhere returns x if f says that x holds in all states that can be reached.
func (f *Formula) Everywhere() (x *Formula, ok bool) {
	if f.Op == Not && f.X.Op == Some && f.X.X.Op == True {
		return No(f.X.Y), true
	}
	return nil, false
}

// Number returns f with equal parts shared, and its temporal operators, each after those within it and with its place in
// the list as its number.
func Number(f *Formula) (*Formula, []*Formula) {
	known := make(map[string]*Formula)
	var temporal []*Formula
	var share func(f *Formula) *Formula
	share = func(f *Formula) *Formula {
		if f == nil {
			return nil
		}
		key := f.String()
		if g := known[key]; g != nil {
			return g
		}
		g := &Formula{Op: f.Op, N: f.N, X: share(f.X), Y: share(f.Y)}
		if g.Op >= Next {
			g.N = len(temporal)
			temporal = append(temporal, g)
		}
		known[key] = g
		return g
	}
	return share(f), temporal
}

// Back reports whether an operator looks back.
func (f *Formula) Back() bool {
	return f != nil && (f.Op == Last || f.Op == Since || f.X.Back() || f.Y.Back())
}

// Holds evaluates f where it is known what atoms and, by their numbers, temporal operators say.
func (f *Formula) Holds(atom, temporal func(n int) bool) bool {
	switch f.Op {
	case True:
		return true
	case Atom:
		return atom(f.N)
	case Not:
		return !f.X.Holds(atom, temporal)
	case And:
		return f.X.Holds(atom, temporal) && f.Y.Holds(atom, temporal)
	}
	return temporal(f.N)
}

// Depth returns how deep temporal operators are within each other.
func (f *Formula) Depth() int {
	if f == nil {
		return 0
	}
	n := max(f.X.Depth(), f.Y.Depth())
	if f.Op >= Next {
		n++
	}
	return n
}

// String writes a formula with atoms as a0, a1, and so on.
func (f *Formula) String() string { return f.Text(func(n int) string { return fmt.Sprint("a", n) }) }

// Text writes a formula with this text of its atoms.
func (f *Formula) Text(atom func(n int) string) string {
	of := func(x *Formula) string { return x.Text(atom) }
	switch f.Op {
	case True:
		return "true"
	case Atom:
		return atom(f.N)
	case Not:
		return negated(f.X, of)
	case And:
		return "(" + of(f.X) + " & " + of(f.Y) + ")"
	case Next:
		return "EX " + of(f.X)
	case Last:
		return "EY " + of(f.X)
	}
	if op := map[Op]string{Some: "EF ", All: "AF ", Since: "EP "}[f.Op]; f.X.Op == True {
		return op + of(f.Y)
	}
	return map[Op]string{Some: "E", All: "A", Since: "E"}[f.Op] + " [" + of(f.X) + map[Op]string{Some: " U ", All: " U ", Since: " S "}[f.Op] + of(f.Y) + "]"
}

// negated writes the negation of a formula as people do, who know R, and that x and not y is what x -> y rules out.
func negated(f *Formula, of func(*Formula) string) string {
	switch {
	case f.Op == And && f.X.Op == Not:
		return "(" + of(f.X.X) + " | " + of(No(f.Y)) + ")"
	case f.Op == And:
		return "(" + of(f.X) + " -> " + of(No(f.Y)) + ")"
	case f.Op == Next:
		return "AX " + of(No(f.X))
	case f.Op == Some && f.X.Op == True:
		return "AG " + of(No(f.Y))
	case f.Op == All && f.X.Op == True:
		return "EG " + of(No(f.Y))
	case f.Op == Since && f.X.Op == True:
		return "AH " + of(No(f.Y))
	case f.Op == Some:
		return "A [" + of(No(f.X)) + " R " + of(No(f.Y)) + "]"
	case f.Op == All:
		return "E [" + of(No(f.X)) + " R " + of(No(f.Y)) + "]"
	}
	return "!" + of(f)
}
