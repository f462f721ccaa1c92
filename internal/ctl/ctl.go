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
	Stay     // on some fair path from here, without end, X holds always
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

// fair says that a fair path begins here.
var fair = &Formula{Op: Stay, X: Yes}

// Fairly returns f with quantifiers that range over fair paths (Emerson and Lei, Modalities for model checking, 1987).
// A path is fair if and only if what is left of it is after any step. So some fair path meets y at a state if and only if
// some path does and a fair one begins there. Operators that look back speak of all paths to here.
func (f *Formula) Fairly() *Formula {
	if f == nil || f.Op == True || f.Op == Atom {
		return f
	}
	x, y := f.X.Fairly(), f.Y.Fairly()
	switch f.Op {
	case Not:
		return No(x)
	case Next:
		return &Formula{Op: Next, X: x.here()}
	case Some:
		return Two(Some, x, y.here())
	case All: // no fair path comes to a state of neither before one of y, or stays out of y
		stays := No(&Formula{Op: Stay, X: No(y)})
		if x.Op == True {
			return stays
		}
		return Two(And, No(Two(Some, No(y), Two(And, No(x), No(y)).here())), stays)
	}
	return &Formula{Op: f.Op, X: x, Y: y}
}

// here says that f holds, and that a fair path begins here.
func (f *Formula) here() *Formula {
	if f.begins() {
		return f
	}
	return Two(And, f, fair)
}

// begins reports whether a fair path begins wherever f holds, by its form.
func (f *Formula) begins() bool {
	switch f.Op {
	case Stay:
		return true
	case And:
		return f.X.begins() || f.Y.begins()
	case Next:
		return f.X.begins()
	case Some:
		return f.Y.begins()
	}
	return false
}

// Fair reports whether f speaks of fair paths.
func (f *Formula) Fair() bool {
	return f != nil && (f.Op == Stay || f.X.Fair() || f.Y.Fair())
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
	known := make(map[Formula]*Formula) // by what it is, its operands shared
	shared := make(map[*Formula]*Formula)
	var temporal []*Formula
	var share func(f *Formula) *Formula
	share = func(f *Formula) *Formula {
		if f == nil || shared[f] != nil {
			return shared[f]
		}
		is := Formula{Op: f.Op, N: f.N, X: share(f.X), Y: share(f.Y)}
		if f.Op >= Next {
			is.N = 0
		}
		g := known[is]
		if g == nil {
			g = &Formula{is.Op, is.N, is.X, is.Y}
			if g.Op >= Next {
				g.N = len(temporal)
				temporal = append(temporal, g)
			}
			known[is] = g
		}
		shared[f] = g
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
func (f *Formula) String() string {
	return writer{func(n int) string { return fmt.Sprint("a", n) }, true}.text(f)
}

// Text writes a formula with this text of its atoms. Where a fair path begins is left out, as paths are fair ones in a
// formula that says so.
func (f *Formula) Text(atom func(n int) string) string { return writer{atom, false}.text(f) }

// writer writes formulas.
type writer struct {
	atom  func(n int) string
	whole bool // nothing is left out, so that different formulas have different texts
}

func (w writer) text(f *Formula) string {
	switch f.Op {
	case True:
		return "true"
	case Atom:
		return w.atom(f.N)
	case Not:
		return w.negated(f.X)
	case And:
		if w.hides(f) {
			return w.text(f.X)
		}
		return "(" + w.text(f.X) + " & " + w.text(f.Y) + ")"
	case Next:
		return "EX " + w.text(f.X)
	case Stay:
		return map[bool]string{true: "fair ", false: ""}[w.whole] + "EG " + w.text(f.X)
	case Last:
		return "EY " + w.text(f.X)
	}
	if op := map[Op]string{Some: "EF ", All: "AF ", Since: "EP "}[f.Op]; f.X.Op == True {
		return op + w.text(f.Y)
	}
	return map[Op]string{Some: "E", All: "A", Since: "E"}[f.Op] + " [" + w.text(f.X) + map[Op]string{Some: " U ", All: " U ", Since: " S "}[f.Op] + w.text(f.Y) + "]"
}

// hides reports whether the second operand of a conjunction is left out.
func (w writer) hides(f *Formula) bool { return !w.whole && f.Y.Op == Stay && f.Y.X.Op == True }

// negated writes the negation of a formula as people do, who know R, and that x and not y is what x -> y rules out.
func (w writer) negated(f *Formula) string {
	switch {
	case f.Op == And && w.hides(f):
		return w.text(No(f.X))
	case f.Op == And && f.X.Op == Not:
		return "(" + w.text(f.X.X) + " | " + w.text(No(f.Y)) + ")"
	case f.Op == And:
		return "(" + w.text(f.X) + " -> " + w.text(No(f.Y)) + ")"
	case f.Op == Next:
		return "AX " + w.text(No(f.X))
	case f.Op == Stay && !w.whole:
		return "AF " + w.text(No(f.X))
	case f.Op == Some && f.X.Op == True:
		return "AG " + w.text(No(f.Y))
	case f.Op == All && f.X.Op == True:
		return "EG " + w.text(No(f.Y))
	case f.Op == Since && f.X.Op == True:
		return "AH " + w.text(No(f.Y))
	case f.Op == Some:
		return "A [" + w.text(No(f.X)) + " R " + w.text(No(f.Y)) + "]"
	case f.Op == All:
		return "E [" + w.text(No(f.X)) + " R " + w.text(No(f.Y)) + "]"
	}
	return "!" + w.text(f)
}
