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
	Pos      Pos
}

// CopiesUndefined reports whether an undefined RHS of simple type makes LHS
// undefined; otherwise it is a run-time error. Only CMurphi copies: every
// variable, and enum and scalarset values from anywhere, but no range or
// boolean that is a field, an element or the result of ?:.
func (s *Assign) CopiesUndefined(d Dialect) bool {
	if d != CMurphi {
		return false
	}
	switch s.RHS.Type().Kind {
	case Enum, Scalarset:
		return true
	}
	_, ok := s.RHS.(*Ref)
	return ok
}

// If runs the body of the first clause whose condition holds, else Else.
type If struct {
	Clauses []Clause
	Else    []Stmt
	Pos     Pos
}

// Clause is one branch of an If.
type Clause struct {
	Cond Expr
	Body []Stmt
}

// Switch runs the first case one of whose values equals X, else Else.
type Switch struct {
	X     Expr
	Cases []Case
	Else  []Stmt
	Pos   Pos
}

// Case is one branch of a Switch; values need not be constants.
type Case struct {
	Values []Expr
	Body   []Stmt
}

// For runs Body for each value of the domain, in order; the bounds are
// evaluated once.
type For struct {
	Var    *Var
	Domain Domain
	Body   []Stmt
	Pos    Pos
}

// Undefine makes every leaf of the designator X undefined.
type Undefine struct {
	X   Expr
	Pos Pos
}

// Assert is an assert statement, or an error statement when Cond is nil. Prop
// is the index in Model.Props of the property it belongs to.
type Assert struct {
	Cond    Expr
	Message string
	Prop    int
	Pos     Pos
}

// Put prints; it has no effect on the state. X is nil when Text is printed. X is
// evaluated, and errors in it are raised, except that a bare designator may be
// undefined (its index expressions may not).
type Put struct {
	Text string
	X    Expr
	Pos  Pos
}

func (s *Assign) Position() Pos   { return s.Pos }
func (s *If) Position() Pos       { return s.Pos }
func (s *Switch) Position() Pos   { return s.Pos }
func (s *For) Position() Pos      { return s.Pos }
func (s *Undefine) Position() Pos { return s.Pos }
func (s *Assert) Position() Pos   { return s.Pos }
func (s *Put) Position() Pos      { return s.Pos }
