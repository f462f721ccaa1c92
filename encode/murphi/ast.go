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

// node is a *constDecl, *typeDecl, *varDecl, *procDecl, *ruleNode, *rulesetNode,
// *chooseNode, *distributionNode, *aliasNode, *propNode or *chanceNode.
type node interface{}

type (
	constDecl struct {
		names []ident
		value expr
		// Offsets in the source: of the first name, behind the colon, behind the value.
		from, colon, to int
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
	// procDecl is a procedure or, if result is not nil, a function.
	procDecl struct {
		name   ident
		params []*formalParam
		result typeExpr
		decls  []node
		body   []stmt
		uses   []*designator // in the declarations and the body
		pos    model.Pos
	}
	// formalParam declares parameters of one type; byRef says var stands before
	// them.
	formalParam struct {
		names []ident
		typ   typeExpr
		byRef bool
	}
	// ruleNode is a rule or a start state. written are the names bound by the
	// rulesets around it that the body may assign.
	ruleNode struct {
		start    bool
		priority *numberLit // nil when absent
		name     string
		guard    expr // nil when absent
		decls    []node
		body     []stmt
		written  []ident
		returns  bool // a start state has a return
		pos      model.Pos
	}
	rulesetNode struct {
		quants []*quantifier
		rules  []node
	}
	// chooseNode stands for the rules in it, once for each element of a multiset.
	chooseNode struct {
		name  ident
		set   *designator
		rules []node
		pos   model.Pos
	}
	// distributionNode stands around rules of which one is drawn: those with the same values of the parameters around it.
	distributionNode struct {
		rules []node
		pos   model.Pos
	}
	// chanceNode is a formula of PCTL.
	chanceNode struct {
		body expr
		pos  model.Pos
	}
	// aliasNode gives names to expressions in the rules in it.
	aliasNode struct {
		binds []binding
		rules []node
	}
	// propNode is an invariant (word "invariant") or what the word says: "assume",
	// "cover" or "liveness".
	propNode struct {
		word kind
		name string
		cond expr
		pos  model.Pos
	}
)

// binding gives the name id to x.
type binding struct {
	id ident
	x  expr
}

// quantifier binds a name over a type (typ) or a sequence of numbers (from, to
// and optionally by).
type quantifier struct {
	name         ident
	typ          typeExpr
	from, to, by expr
}

// typeExpr is a *nameType, *enumType, *rangeType, *recordType, *arrayType,
// *scalarsetType, *unionType, *multisetType, *realType or *badNode.
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
	unionType struct {
		parts []typeExpr
		pos   model.Pos
	}
	multisetType struct {
		size expr
		elem typeExpr
		pos  model.Pos
	}
	realType struct {
		digits, exponent expr
		pos              model.Pos
	}
)

// expr is a *numberLit, *realLit, *chanceExpr, *designator, *unaryExpr, *binaryExpr, *condExpr,
// *quantExpr, *isUndefinedExpr, *isMemberExpr, *countExpr, *undefinedLit or
// *badNode.
type expr interface{ position() model.Pos }

type (
	numberLit struct {
		value int64
		text  string
		pos   model.Pos
	}
	realLit struct {
		text string
		pos  model.Pos
	}
	// chanceExpr asks how likely a path is: see parse_chance.go.
	chanceExpr struct {
		chance
		x, y expr // y comes, and x holds until then
		pos  model.Pos
	}
	// designator is a name, or the call of a function, followed by field and
	// index selectors.
	designator struct {
		base ident
		call bool
		args []expr // of the call
		sels []selector
	}
	// undefinedLit is the word undefined as an argument or the right side of an
	// assignment. It may also be a name: Rumur has no such word.
	undefinedLit struct{ id ident }
	// unaryExpr applies "!", "-", "+" or "~".
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
	// pathsExpr is A [x op y] or E [x op y], in a formula.
	pathsExpr struct {
		all  bool
		op   string
		x, y expr
		pos  model.Pos
		at   model.Pos // of op
	}
	isUndefinedExpr struct {
		x   *designator
		pos model.Pos
	}
	isMemberExpr struct {
		x   expr
		typ typeExpr
		pos model.Pos
	}
	// countExpr is the number of some elements of a multiset.
	countExpr struct {
		elements
		pos model.Pos
	}
)

// elements are those of a multiset for which cond holds; name stands for their slots.
type elements struct {
	name ident
	set  *designator
	cond expr
}

// selector is .field, or [index] if index is not nil.
type selector struct {
	field string
	index expr
	pos   model.Pos
	at    model.Pos // of the field
}

// operand is an operator and what stands to its right.
type operand struct {
	op  kind
	pos model.Pos
	x   expr
}

// stmt is an *assignStmt, *ifStmt, *switchStmt, *forStmt, *whileStmt,
// *aliasStmt, *undefineStmt, *clearStmt, *callStmt, *returnStmt, *addStmt,
// *removeStmt, *removePredStmt, *assertStmt, *putStmt or *badNode.
type stmt interface{}

type (
	// assignStmt is lhs := rhs.
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
	// forStmt is a loop; written are the names bound by it that the body may assign.
	forStmt struct {
		quants  []*quantifier
		body    []stmt
		written []ident
		pos     model.Pos
	}
	whileStmt struct {
		cond expr
		body []stmt
		pos  model.Pos
	}
	aliasStmt struct {
		binds []binding
		body  []stmt
		pos   model.Pos
	}
	undefineStmt struct {
		x   *designator
		pos model.Pos
	}
	clearStmt struct {
		x   *designator
		pos model.Pos
	}
	callStmt struct{ call *designator }
	// returnStmt returns x, or nothing if x is nil.
	returnStmt struct {
		x   expr
		pos model.Pos
	}
	// addStmt puts x into a multiset.
	addStmt struct {
		x   expr
		set *designator
		pos model.Pos
	}
	// removeStmt takes the element in a slot out of a multiset.
	removeStmt struct {
		slot expr
		set  *designator
		pos  model.Pos
	}
	// removePredStmt takes some elements out of a multiset.
	removePredStmt struct {
		elements
		pos model.Pos
	}
	// assertStmt is what the word says, "assert", "assume" or "cover", or an error
	// statement if cond is nil.
	assertStmt struct {
		word kind
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
func (t *unionType) position() model.Pos     { return t.pos }
func (t *multisetType) position() model.Pos  { return t.pos }
func (t *realType) position() model.Pos      { return t.pos }

func (e *numberLit) position() model.Pos       { return e.pos }
func (e *realLit) position() model.Pos         { return e.pos }
func (e *chanceExpr) position() model.Pos      { return e.pos }
func (e *designator) position() model.Pos      { return e.base.pos }
func (e *unaryExpr) position() model.Pos       { return e.pos }
func (e *binaryExpr) position() model.Pos      { return e.first.position() }
func (e *condExpr) position() model.Pos        { return e.cond.position() }
func (e *quantExpr) position() model.Pos       { return e.pos }
func (e *pathsExpr) position() model.Pos       { return e.pos }
func (e *isUndefinedExpr) position() model.Pos { return e.pos }
func (e *isMemberExpr) position() model.Pos    { return e.pos }
func (e *countExpr) position() model.Pos       { return e.pos }
func (e *undefinedLit) position() model.Pos    { return e.id.pos }

func (b *badNode) position() model.Pos { return b.pos }
