// The syntax tree. It keeps the source as written, in source order and without
// resolved names; chains of operators that group to the left are flat, so
// that no part of the tree is deeper than the nesting the parser allows.

package murphi

import "orbitmc/model"

// ident is a name in the source.
type ident struct {
	name string
	pos  model.Pos
}

// node is a *constDecl, *typeDecl, *varDecl, *ruleNode, *rulesetNode or
// *propNode.
type node interface{}

type (
	constDecl struct {
		names []ident
		value expr
	}
	typeDecl struct {
		names []ident
		typ   typeExpr
	}
	// varDecl declares variables or record fields.
	varDecl struct {
		names []ident
		typ   typeExpr
	}
	// ruleNode is a rule or a start state.
	ruleNode struct {
		start bool
		name  string
		guard expr // nil when absent
		decls []node
		body  []stmt
		pos   model.Pos
	}
	rulesetNode struct {
		quants []*quantifier
		rules  []node
	}
	// propNode is an invariant.
	propNode struct {
		name string
		cond expr
		pos  model.Pos
	}
)

// quantifier binds a name over a type (typ) or a sequence of numbers (from, to
// and optionally by).
type quantifier struct {
	name         ident
	typ          typeExpr
	from, to, by expr
}

// typeExpr is a *nameType, *enumType, *rangeType, *recordType, *arrayType,
// *scalarsetType or *badNode.
type typeExpr interface{ position() model.Pos }

type (
	nameType struct{ id ident }
	enumType struct {
		members []ident
		pos     model.Pos
	}
	rangeType struct {
		from, to expr
		pos      model.Pos
	}
	recordType struct {
		fields []*varDecl
		pos    model.Pos
	}
	arrayType struct {
		index, elem typeExpr
		pos         model.Pos
	}
	scalarsetType struct {
		size expr
		pos  model.Pos
	}
)

// expr is a *numberLit, *designator, *unaryExpr, *binaryExpr, *condExpr,
// *quantExpr, *isUndefinedExpr or *badNode.
type expr interface{ position() model.Pos }

type (
	numberLit struct {
		value int64
		pos   model.Pos
	}
	// designator is a name followed by field and index selectors.
	designator struct {
		base ident
		sels []selector
	}
	// unaryExpr applies tNot, tMinus or tPlus.
	unaryExpr struct {
		op  kind
		x   expr
		pos model.Pos
	}
	// binaryExpr is first op x op x …, with operators of one precedence,
	// grouped to the left.
	binaryExpr struct {
		first expr
		rest  []operand
	}
	condExpr struct {
		cond, then, els expr
		pos             model.Pos // of the question mark
	}
	// quantExpr is forall or exists.
	quantExpr struct {
		all    bool
		quants []*quantifier
		body   expr
		pos    model.Pos
	}
	isUndefinedExpr struct {
		x   *designator
		pos model.Pos
	}
)

// selector is .field, or [index] if index is not nil.
type selector struct {
	field string
	index expr
	pos   model.Pos
}

// operand is an operator and what stands to its right.
type operand struct {
	op  kind
	pos model.Pos
	x   expr
}

// stmt is an *assignStmt, *ifStmt, *switchStmt, *forStmt, *undefineStmt,
// *assertStmt, *putStmt or *badNode.
type stmt interface{}

type (
	// assignStmt is lhs := rhs; a nil rhs stands for the word undefined.
	assignStmt struct {
		lhs *designator
		rhs expr
		pos model.Pos
	}
	ifStmt struct {
		clauses []ifClause
		els     []stmt
		pos     model.Pos
	}
	ifClause struct {
		cond expr
		body []stmt
	}
	switchStmt struct {
		x     expr
		cases []switchCase
		els   []stmt
		pos   model.Pos
	}
	switchCase struct {
		values []expr
		body   []stmt
	}
	forStmt struct {
		quants []*quantifier
		body   []stmt
		pos    model.Pos
	}
	undefineStmt struct {
		x   *designator
		pos model.Pos
	}
	// assertStmt is an assert statement, or an error statement if cond is nil.
	assertStmt struct {
		cond expr
		msg  string
		pos  model.Pos
	}
	// putStmt prints x, or text if x is nil.
	putStmt struct {
		text string
		x    expr
		pos  model.Pos
	}
)

// badNode stands for something the parser reported; a tree that holds one is
// not checked.
type badNode struct{ pos model.Pos }

func (t *nameType) position() model.Pos      { return t.id.pos }
func (t *enumType) position() model.Pos      { return t.pos }
func (t *rangeType) position() model.Pos     { return t.pos }
func (t *recordType) position() model.Pos    { return t.pos }
func (t *arrayType) position() model.Pos     { return t.pos }
func (t *scalarsetType) position() model.Pos { return t.pos }

func (e *numberLit) position() model.Pos       { return e.pos }
func (e *designator) position() model.Pos      { return e.base.pos }
func (e *unaryExpr) position() model.Pos       { return e.pos }
func (e *binaryExpr) position() model.Pos      { return e.first.position() }
func (e *condExpr) position() model.Pos        { return e.cond.position() }
func (e *quantExpr) position() model.Pos       { return e.pos }
func (e *isUndefinedExpr) position() model.Pos { return e.pos }

func (b *badNode) position() model.Pos { return b.pos }
