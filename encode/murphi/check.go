// The checker turns a syntax tree into a model: declarations and scopes here,
// types in check_type.go, constants in check_const.go, expressions in
// check_expr.go, unions and multisets in check_multiset.go, statements in
// check_stmt.go, procedures and calls in check_proc.go, aliases in
// check_alias.go, rules and properties in check_rule.go, rule priorities in
// check_priority.go.
//
// Names are declared before use and share one name space per scope; an inner
// scope may hide an outer name. A nil type or expression stands for something
// already reported, and whatever holds one is silently given up.

package murphi

import (
	"maps"
	"math/big"
	"slices"
	"strings"

	"orbitmc/internal/front"
	"orbitmc/model"
)

// maxLeaves limits the leaves of a type, of a state and of a rule's locals.
const maxLeaves = 1 << 24

// symbol is what a name stands for: exactly one of the fields is set, or none
// if its declaration was in error.
type symbol struct {
	pos   model.Pos
	typ   *model.Type
	value *model.ConstExpr // Pos is not used
	exact *big.Rat         // of a real constant: its value, if that is known
	size  string           // of an opaque constant: the name in Options.Opaque
	num   model.Size       // of a number that depends on an opaque constant: what it is at every size
	v     *model.Var
	proc  *proc
	alias model.Expr // a settled designator; Pos is not used
}

// scope is one level of declarations.
type scope struct {
	outer *scope
	names map[string]*symbol
}

type checker struct {
	*reporter
	m          *model.Model
	opt        Options
	scope      *scope
	universe   *scope
	global     *scope
	overridden map[string]bool                 // the names in opt.Consts that were declared
	fields     map[*model.Type]map[string]int  // of records: the number of each field
	depth      map[*model.Type]int             // of arrays and records: levels of types in it
	params     []*model.Param                  // of the rulesets around, outermost first
	locals     []*model.Var                    // of the rule or procedure at hand
	undefined  map[*model.Type]*model.Var      // those that stand for an undefined value
	around     []wrap                          // what stands around the rules at hand, outermost first
	inBody     bool                            // the statements of a rule or procedure are at hand
	proc       *proc                           // the procedure at hand, or nil
	broken     map[*proc]bool                  // procedures whose head is in error
	readOnly   map[*model.Var]string           // variables that cannot be assigned, and what they are
	roots      map[*model.Var]*model.Var       // of aliases for places: the variable of that place
	elements   map[*model.Var]bool             // aliases for fields and elements
	pure       string                          // what is at hand must not change the state; its name
	stated     []stated                        // properties that are statements
	priorities []int64                         // of the rules so far
	leaves     int                             // of the state variables so far; in a rule, of its locals
	constOnly  bool                            // the expression at hand must be constant
	sized      map[*model.ConstExpr]model.Size // numbers that depend on opaque constants, whose use is not known to be one for all sizes
	sizes      bool                            // the expression at hand is the size of a type
	dead       int                             // conditions around the statement at hand that are never true
	same       map[[2]*model.Type]bool         // results of sameShape
	parts      int                             // lowered so far, see lower.go
	atoms      []*model.Property               // of the formula at hand
	texts      []string                        // of atoms
	exact      map[*model.ConstExpr]*big.Rat   // of real constants, where it is known
	rational   map[string]bool                 // functions that have halves, see real.go
	halves     map[model.Expr][2]model.Expr    // of calls of these, where a probability may be asked for
	half       string                          // which of these is at hand
	weights    [2]*model.Var                   // of Options.Weights: numerator and denominator
	drawn      *model.Draw                     // of the distribution at hand, or nil
	draws      int                             // distributions so far
	later      map[string]model.Pos            // where names are declared first, all over the file
	note       func(front.Name)                // is told each name that is declared or found; nil: nobody is
	fieldAt    map[*model.Type][]front.Place   // of records: where each field is declared
}

// checkFile builds the model, and tells note about names; r tells whether it is any good.
func checkFile(items []node, formulas []*formulaNode, opt Options, r *reporter, note func(front.Name)) *model.Model {
	c := &checker{
		note:       note,
		fieldAt:    make(map[*model.Type][]front.Place),
		reporter:   r,
		m:          &model.Model{File: r.file, Dialect: opt.Dialect, Deadlock: opt.Deadlock, LoopMax: opt.LoopMax},
		opt:        opt,
		overridden: make(map[string]bool),
		fields:     make(map[*model.Type]map[string]int),
		depth:      make(map[*model.Type]int),
		same:       make(map[[2]*model.Type]bool),
		broken:     make(map[*proc]bool),
		readOnly:   make(map[*model.Var]string),
		roots:      make(map[*model.Var]*model.Var),
		elements:   make(map[*model.Var]bool),
		sized:      make(map[*model.ConstExpr]model.Size),
		exact:      make(map[*model.ConstExpr]*big.Rat),
		rational:   make(map[string]bool),
		halves:     make(map[model.Expr][2]model.Expr),
	}
	c.open()
	c.universe = c.scope
	c.scope.names = map[string]*symbol{
		"boolean": {typ: model.BoolType},
		"false":   {value: &model.ConstExpr{Value: 0, T: model.BoolType}},
		"true":    {value: &model.ConstExpr{Value: 1, T: model.BoolType}},
	}
	c.open()
	c.global = c.scope
	c.later = declared(items)
	if opt.Weights {
		c.ghosts()
	}
	for _, n := range items {
		if c.full {
			return nil
		}
		switch n := n.(type) {
		case *ruleNode, *rulesetNode, *chooseNode, *distributionNode, *aliasNode, *propNode:
			c.rule(n)
		case *chanceNode:
			formulas = append(formulas, c.chanceNode(n)...)
		case *procDecl:
			c.function(n)
		default:
			c.decl(n)
		}
	}
	c.prioritise()
	c.unknownOverrides()
	if len(c.m.Starts) == 0 && len(c.errs) == 0 {
		c.errorf(model.Pos{Line: 1, Col: 1}, "the model has no start state: add startstate … end")
	}
	for _, f := range formulas {
		c.formula(f)
	}
	c.fair()
	c.properties()
	c.counted()
	return c.m
}

// declared returns where the names of the outermost scope are declared first.
func declared(items []node) map[string]model.Pos {
	at := make(map[string]model.Pos)
	add := func(ids ...ident) {
		for _, id := range ids {
			if _, ok := at[id.name]; !ok {
				at[id.name] = id.pos
			}
		}
	}
	for _, n := range items {
		switch n := n.(type) {
		case *constDecl:
			add(n.names...)
		case *typeDecl:
			add(n.names...)
		case *varDecl:
			add(n.names...)
		case *procDecl:
			add(n.name)
		}
	}
	return at
}

func (c *checker) open()  { c.scope = &scope{outer: c.scope} }
func (c *checker) close() { c.scope = c.scope.outer }

// declare binds a name in the current scope.
func (c *checker) declare(id ident, s *symbol) {
	if old, ok := c.scope.names[id.name]; ok {
		c.errorf(id.pos, "%s is already declared at %v: choose another name", clip(id.name), old.pos)
		return
	}
	if _, ok := c.universe.names[id.name]; ok {
		c.errorf(id.pos, "%s cannot be redeclared", id.name)
		return
	}
	if c.scope.names == nil {
		c.scope.names = make(map[string]*symbol)
	}
	s.pos = id.pos
	c.scope.names[id.name] = s
	c.noteName(id, s)
}

// lookup finds what a name stands for, or reports that it is not declared, with the
// nearest name that fits.
func (c *checker) lookup(id ident, fits func(*symbol) bool) *symbol {
	s := c.find(id.name)
	if s == nil {
		if at, ok := c.later[id.name]; ok {
			c.errorf(id.pos, "%s is not declared before %v: move its declaration up", clip(id.name), at)
			return nil
		}
		if s = c.given(id); s != nil {
			return s
		}
		if i := strings.LastIndex(id.name, "_"); i > 0 && strings.Trim(id.name[i+1:], "0123456789") == "" {
			if t := c.find(id.name[:i]); t != nil && t.typ != nil && t.typ.Kind == model.Scalarset {
				for v := t.typ.Lo; v <= t.typ.Hi && c.opt.Values; v++ {
					if t.typ.Format(v) == id.name {
						return &symbol{value: &model.ConstExpr{Value: v, T: t.typ}}
					}
				}
				c.errorf(id.pos, "%s is not declared: traces call a value of %s so; in the text its values have no names, only variables and parameters of the type do", clip(id.name), id.name[:i])
				return nil
			}
		}
		c.errorf(id.pos, "%s is not declared%s", clip(id.name), front.DidYouMean(id.name, c.visible(fits)))
	} else {
		c.noteName(id, s)
	}
	return s
}

// What a name may stand for where it is looked up.
func isType(s *symbol) bool  { return s.typ != nil }
func isProc(s *symbol) bool  { return s.proc != nil }
func isValue(s *symbol) bool { return s.v != nil || s.value != nil || s.alias != nil }

// visible lists the names in use whose symbol fits, those of inner scopes first and
// each scope in order.
func (c *checker) visible(fits func(*symbol) bool) (names []string) {
	for s := c.scope; s != nil; s = s.outer {
		for _, name := range slices.Sorted(maps.Keys(s.names)) {
			if fits(s.names[name]) {
				names = append(names, name)
			}
		}
	}
	return names
}

// find finds what a name stands for; nil if it is not declared. The predeclared
// names may be written in any case.
func (c *checker) find(name string) *symbol {
	for s := c.scope; s != nil; s = s.outer {
		if sym, ok := s.names[name]; ok {
			return sym
		}
	}
	if len(name) <= len("boolean") {
		return c.universe.names[strings.ToLower(name)]
	}
	return nil
}

// decl checks a declaration in the current scope.
func (c *checker) decl(n node) {
	switch n := n.(type) {
	case *constDecl:
		c.constDecl(n)
	case *typeDecl:
		for _, id := range n.names {
			c.declare(id, &symbol{typ: c.namedType(n.typ, id.name)})
		}
	case *varDecl:
		t := c.typ(n.typ)
		for _, id := range n.names {
			c.declare(id, &symbol{v: c.variable(id, t)})
		}
	}
}

// newBody begins a rule or procedure: it has no locals yet.
func (c *checker) newBody() { c.leaves, c.locals, c.undefined = 0, nil, nil }

// variable makes a state variable or, within a rule, a local one.
func (c *checker) variable(id ident, t *model.Type) *model.Var {
	if t == nil {
		return nil
	}
	if c.leaves += t.Leaves; c.leaves > maxLeaves {
		c.errorf(id.pos, "the variables have more than %d simple parts", maxLeaves)
		c.leaves = 0
		return nil
	}
	v := &model.Var{Name: id.name, Type: t, Pos: id.pos}
	if c.scope != c.global {
		v.Kind = model.LocalVar
		c.locals = append(c.locals, v)
		return v
	}
	v.Offset = c.leaves - t.Leaves
	c.m.Vars = append(c.m.Vars, v)
	return v
}
