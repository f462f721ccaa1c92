package model

// Stmt is a statement.
type Stmt interface {
	Position() Pos
}

// Assign copies RHS to the designator LHS. For arrays and records of one type
// it copies leaf by leaf, undefined leaves included. For simple types a value
// outside the type of LHS is a run-time error. CopiesUndefined says what an
// undefined RHS does.
type Assign struct {
	LHS, RHS Expr
	Pos
}

// If runs the body of the first clause whose condition holds, else Else. It is
// also what NewSwitch makes of a switch statement.
type If struct {
	Clauses []Clause
	Else    []Stmt
	Switch  *Switch // the conditions are made of it; nil: of nothing
	Pos
}

// Clause is one branch of an If.
type Clause struct {
	Cond Expr
	Body []Stmt
}

// Switch is a switch statement as it was written: X is evaluated once, and the first
// case runs of which a value equals X. What is undefined is compared as by Eq.
type Switch struct {
	X      Expr
	Values [][]Expr // by clause; they need not be constants
}

// For runs Body for each value of the domain, in order; the bounds are
// evaluated once.
type For struct {
	Var    *Var
	Domain Domain
	Body   []Stmt
	Pos
}

// Reset makes every leaf of the designator X undefined, or gives it the least
// value of its type (Least). Multisets in X are empty then.
type Reset struct {
	X     Expr
	Least bool
	Pos
}

// While runs Body as long as Cond holds. Running it more than Model.LoopMax
// times is a run-time error.
type While struct {
	Cond Expr
	Body []Stmt
	Pos
}

// Alias evaluates X once and gives it the name Var in Body. If X is a designator,
// Var is a RefVar and stands for the place that X denoted then; else it is a
// LocalVar, never assigned, with the value of X: a value outside the type of Var
// is a run-time error, and an undefined X is one too unless Assign would copy it.
type Alias struct {
	Var  *Var
	X    Expr
	Body []Stmt
	Pos
}

// Call calls a procedure, or a function whose result is dropped.
type Call struct {
	Proc *Proc
	Args []Expr // by formal parameter; designators for var parameters
	Pos
}

// Return leaves the procedure, function, rule or start state. X is nil unless it
// is in a function. ChecksRange says what a value outside the result type does.
type Return struct {
	X Expr
	Pos
}

// Insert puts the value X into a free slot of the multiset Set; that there is none
// is a run-time error. Which slot it is cannot be told. Set is evaluated first.
type Insert struct {
	Set Expr
	X   Expr
	Pos
}

// Remove takes the element out of the slot X of a multiset; a free slot is a
// run-time error.
type Remove struct {
	X *IndexSel
	Pos
}

// Assume disables the instance whose body runs it when Cond is false.
type Assume struct {
	Cond Expr
	Pos
}

// CoverStmt hits the Cover property Prop when it is run and Cond holds.
type CoverStmt struct {
	Cond Expr
	Prop int
	Pos
}

// Assert is an assert statement, or an error statement when Cond is nil. Prop
// is the index in Model.Props of the property it belongs to.
type Assert struct {
	Cond    Expr
	Message string
	Prop    int
	Pos
}

// Put prints; it has no effect on the state. X is nil when Text is printed. X is
// evaluated, and errors in it are raised, except that a bare designator may be
// undefined (its index expressions may not).
type Put struct {
	Text string
	X    Expr
	Pos
}
