// Procedures, functions and calls.
//
// Value parameters are read-only, as in both tools. CMurphi passes them by
// reference when the argument is a variable of the very type of the parameter, so
// that a procedure sees changes of that variable; everything else it stores
// first. So under that dialect all formals are by reference, and arguments that
// are no such variable become aliases around the call. Rumur copies.
//
// For every procedure the checker knows whether it changes the state, directly
// or through a var parameter: conditions, which may be evaluated at any time,
// call only those that do not.

package murphi

import (
	"fmt"
	"slices"
	"strings"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// proc is a procedure with what it changes.
type proc struct {
	*model.Proc
	state  *effect            // on the state; nil if none
	args   []*effect          // by formal: on what it stands for; nil if none
	number map[*model.Var]int // of the formals
	found  int                // effects so far
	self   []*call            // calls of itself
	values []*model.Var       // the formals that the text does not call var
}

// effect is the first change found: what the procedure does, where, and, if that is
// to a parameter, which variable that may stand for; "" if it was not passed yet.
type effect struct {
	what string
	pos  model.Pos
	of   string
}

// changesText begins the text of an effect on the state.
const changesText = "changes "

// String describes the effect for messages.
func (e *effect) String() string {
	s := fmt.Sprintf("%s at %v", e.what, e.pos)
	if e.of != "" {
		s += ", which may be a part of " + clip(e.of)
	}
	return s
}

// on returns the effect on a place of v that was passed as an argument.
func (e *effect) on(v *model.Var) *effect {
	return &effect{e.what, e.pos, v.Name}
}

// call is a call whose effects are yet to be looked at.
type call struct {
	callee *proc
	args   []model.Expr
	pos    model.Pos
	pure   string // what it stands in that must not change the state, or ""
}

// alias is a name for x around a statement or an expression.
type alias struct {
	v   *model.Var
	x   model.Expr
	pos model.Pos
}

func (c *checker) procDecl(d *procDecl) {
	p := &proc{Proc: &model.Proc{Name: d.name.name, Index: len(c.m.Procs), Pos: d.pos}, number: make(map[*model.Var]int)}
	if d.result != nil {
		p.Result = c.typ(d.result)
		if p.Result == nil {
			c.broken[p] = true
		} else if p.Result.Numeric() && c.opt.Dialect == model.Rumur {
			p.Result = model.IntType // what is returned is not checked there
		}
	}
	c.m.Procs = append(c.m.Procs, p.Proc)
	c.declare(d.name, &symbol{proc: p})
	c.open()
	state := c.leaves
	c.newBody()
	c.proc = p
	for _, f := range d.params {
		t := c.typ(f.typ)
		for _, id := range f.names {
			c.formal(p, id, t, f.byRef)
		}
	}
	p.args = make([]*effect, len(p.Params))
	for _, n := range d.decls {
		c.decl(n)
	}
	p.Body = c.stmts(d.body)
	p.Locals = c.locals
	c.selfCalls(p)
	c.leaves, c.proc = state, nil
	c.close()
}

func (c *checker) formal(p *proc, id ident, t *model.Type, byRef bool) {
	if t == nil {
		c.broken[p] = true
		c.declare(id, &symbol{})
		return
	}
	v := &model.Var{Name: id.name, Kind: model.LocalVar, Type: t, Pos: id.pos}
	if !byRef {
		c.readOnly[v] = "a value parameter"
		p.values = append(p.values, v)
	}
	if byRef || c.opt.Dialect == model.CMurphi {
		v.Kind = model.RefVar
	}
	p.number[v] = len(p.Params)
	c.declare(id, &symbol{v: v})
	p.Params = append(p.Params, &model.Formal{Var: v, ByRef: v.Kind == model.RefVar})
}

// root returns the variable that v stands for a part of, as far as is known.
func (c *checker) root(v *model.Var) *model.Var {
	for {
		w, ok := c.roots[v]
		if !ok {
			return v
		}
		v = w
	}
}

// effectOn records in the procedure at hand that the place x is changed.
func (c *checker) effectOn(x model.Expr, e *effect) {
	p := c.proc
	v := c.root(model.Root(x))
	switch {
	case p == nil:
	case v.Kind == model.StateVar:
		c.effect(e)
	case v.Kind == model.RefVar:
		if i := p.number[v]; p.args[i] == nil {
			p.args[i] = e
			p.found++
		}
	}
}

// effect records an effect of the procedure at hand.
func (c *checker) effect(e *effect) {
	if c.proc != nil && c.proc.state == nil {
		c.proc.state = e
		c.proc.found++
	}
}

// called looks at the effects of a call.
func (c *checker) called(k *call) {
	if k.callee.state != nil {
		c.effect(k.callee.state)
	}
	for i, e := range k.callee.args {
		if e != nil {
			c.effectOn(k.args[i], e.on(c.root(model.Root(k.args[i]))))
		}
	}
	if k.pure == "" {
		return
	}
	e := k.callee.state
	for i, f := range k.callee.args {
		if e == nil && f != nil {
			if v := c.root(model.Root(k.args[i])); v.Kind != model.LocalVar {
				e = f.on(v)
			}
		}
	}
	if e == nil {
		return
	}
	instead := ""
	if k.pure == guardText && c.opt.Dialect == model.CMurphi && strings.HasPrefix(e.what, changesText) {
		// It evaluates all guards, the last rule first, each on what those before it left, and then fires the enabled
		// rules from what all of them left. So a rule may fire in a state that its guard rules out.
		instead = "; CMurphi keeps the change for the guards and the steps of all rules, also where this guard is false: change a local copy, or change it in the body of the rule"
	}
	c.errorf(k.pos, "%s cannot be called in %s, which must not change anything: it %v%s", clip(k.callee.Name), k.pure, e, instead)
}

// selfCalls looks at the calls of p in its own body until they add nothing.
func (c *checker) selfCalls(p *proc) {
	for before := -1; before != p.found; {
		before = p.found
		for _, k := range p.self {
			silent := *k
			silent.pure = ""
			c.called(&silent)
		}
	}
	for _, k := range p.self {
		c.called(k)
	}
}

// call checks the call d. The aliases belong around it, the first outermost.
func (c *checker) call(d *designator) (p *proc, args []model.Expr, around []alias) {
	s := c.lookup(d.base, isProc)
	if s == nil {
		return nil, nil, nil
	}
	if s.proc == nil {
		if s.typ != nil || s.value != nil || s.v != nil || s.alias != nil {
			c.errorf(d.base.pos, "%s is not a procedure or function", clip(d.base.name))
		}
		return nil, nil, nil
	}
	p = s.proc
	if c.broken[p] {
		return nil, nil, nil
	}
	if len(d.args) != len(p.Params) {
		c.errorf(d.base.pos, "%s has %d parameters, not %d", clip(p.Name), len(p.Params), len(d.args))
		return nil, nil, nil
	}
	ok := true
	var open []int // arguments whose place is not fixed and not yet found
	for i, f := range p.Params {
		x, a := c.argument(d.args[i], f)
		ok = ok && x != nil
		args = append(args, x)
		if !ok {
			continue
		}
		if a != nil {
			around = append(around, lists.Map(open, func(j int) alias { return c.aliasPlace(&args[j]) })...)
			open = nil
			around = append(around, *a)
		} else if f.ByRef && !c.settled(x) {
			open = append(open, i)
		}
	}
	if !ok {
		return nil, nil, nil
	}
	k := &call{p, args, d.base.pos, c.pure}
	if p == c.proc {
		p.self = append(p.self, k)
	} else {
		c.called(k)
	}
	return p, args, around
}

// aliasPlace gives the place *x a name and puts the name there.
func (c *checker) aliasPlace(x *model.Expr) alias {
	y := *x
	v := &model.Var{Name: model.Root(y).Name, Kind: model.RefVar, Type: y.Type(), Pos: y.Position()}
	c.roots[v] = model.Root(y)
	*x = &model.Ref{Var: v, Pos: y.Position()}
	return alias{v, y, y.Position()}
}

// argument checks the argument e for f. If it must be stored first, a says where
// and x is that variable.
func (c *checker) argument(e expr, f *model.Formal) (x model.Expr, a *alias) {
	t, pos := f.Var.Type, e.position()
	value := c.readOnly[f.Var] != ""
	if c.isUndefined(e) {
		if !value {
			c.errorf(pos, "undefined cannot be passed to the var parameter %s", clip(f.Var.Name))
			return nil, nil
		}
		return c.undefinedValue(t, pos), nil
	}
	if !value {
		if u, ok := e.(*undefinedLit); ok {
			e = &designator{base: u.id}
		}
		d, ok := e.(*designator)
		if !ok || d.call {
			c.errorf(pos, "the var parameter %s needs a variable", clip(f.Var.Name))
			return nil, nil
		}
		x := c.target(d, "passed to a var parameter")
		if x != nil && !c.samePart(t, x.Type()) {
			c.errorf(pos, "the var parameter %s is of type %v, not %v", clip(f.Var.Name), t, x.Type())
			return nil, nil
		}
		return x, nil
	}
	if x = c.expr(e); x == nil {
		return nil, nil
	}
	u := x.Type()
	if !c.assignable(t, u) || !t.Simple() && !c.samePart(t, u) {
		c.errorf(pos, "the parameter %s is of type %v, not %v", clip(f.Var.Name), t, u)
		return nil, nil
	}
	c.fits(x, t, "the call")
	if !f.ByRef {
		return c.convert(x, t), nil
	}
	if isPlace(x) && c.samePart(t, u) {
		return x, nil
	}
	if _, ok := x.(*model.Ref); ok && isPlace(x) && (u.Kind == model.Range || u.Kind == model.Enum) {
		x = read(x)
	}
	v := &model.Var{Name: f.Var.Name, Kind: model.LocalVar, Type: t, Pos: pos}
	return &model.Ref{Var: v, Pos: pos}, &alias{v, c.convert(x, t), pos}
}

// read returns an expression with the value of the variable x, of a range, boolean
// or enum, that cannot be copied undefined: an undefined x is an error.
func read(x model.Expr) model.Expr {
	pos := x.Position()
	switch x.Type().Kind {
	case model.Range:
		return &model.Binary{Op: model.Add, X: x, Y: &model.ConstExpr{T: model.IntType, Pos: pos}, Pos: pos}
	case model.Bool:
		return &model.Binary{Op: model.And, X: x, Y: &model.ConstExpr{Value: 1, T: model.BoolType, Pos: pos}, Pos: pos}
	}
	return &model.Cond{If: &model.Binary{Op: model.Eq, X: x, Y: x, Pos: pos}, Then: x, Else: x, Pos: pos}
}

// undefinedValue returns a variable of type t that is never assigned.
func (c *checker) undefinedValue(t *model.Type, pos model.Pos) model.Expr {
	if c.pure != "" {
		c.errorf(pos, "undefined cannot be an argument in %s", c.pure)
		return nil
	}
	v := c.undefined[t]
	if v == nil {
		if c.undefined == nil {
			c.undefined = make(map[*model.Type]*model.Var)
		}
		v = &model.Var{Name: "undefined", Kind: model.LocalVar, Type: t}
		c.undefined[t] = v
		c.locals = append(c.locals, v)
	}
	return &model.Ref{Var: v, Pos: pos}
}

// callExpr checks the call of a function in an expression.
func (c *checker) callExpr(d *designator) model.Expr {
	p, args, around := c.call(d)
	if p == nil {
		return nil
	}
	if p.Result == nil {
		c.errorf(d.base.pos, "%s is a procedure and has no value", clip(p.Name))
		return nil
	}
	return inLets(around, &model.CallExpr{Proc: p.Proc, Args: args, Pos: d.base.pos})
}

func (c *checker) callStmt(s *callStmt) model.Stmt {
	p, args, around := c.call(s.call)
	if p == nil {
		return nil
	}
	body := inAliases(around, []model.Stmt{&model.Call{Proc: p.Proc, Args: args, Pos: s.call.base.pos}})
	return body[0]
}

// inLets puts the aliases around x, the first outermost.
func inLets(around []alias, x model.Expr) model.Expr {
	for _, a := range slices.Backward(around) {
		x = &model.Let{Var: a.v, X: a.x, Body: x, Pos: a.pos}
	}
	return x
}

// inAliases puts the aliases around the statements, the first outermost.
func inAliases(around []alias, body []model.Stmt) []model.Stmt {
	for _, a := range slices.Backward(around) {
		body = []model.Stmt{&model.Alias{Var: a.v, X: a.x, Body: body, Pos: a.pos}}
	}
	return body
}

func (c *checker) returnStmt(s *returnStmt) model.Stmt {
	var result *model.Type
	if c.proc != nil {
		if c.broken[c.proc] {
			return nil
		}
		result = c.proc.Result
	}
	switch {
	case s.x == nil && result != nil:
		c.errorf(s.pos, "%s must return a value", clip(c.proc.Name))
		return nil
	case s.x == nil:
		return &model.Return{Pos: s.pos}
	case result == nil && c.proc != nil:
		c.errorf(s.pos, "%s is a procedure and returns no value", clip(c.proc.Name))
		return nil
	case result == nil:
		c.errorf(s.pos, "a rule returns no value")
		return nil
	}
	x := c.expr(s.x)
	if x != nil && c.half != "" && mixes(model.Eq, model.RealType, x.Type()) {
		num, den := c.fraction(c.float(x))
		if x = num; c.half == "@den" {
			x = den
		}
	}
	if x == nil {
		return nil
	}
	if t := x.Type(); !c.assignable(result, t) || !result.Simple() && !c.samePart(result, t) {
		c.errorf(s.x.position(), "%s returns type %v, not %v", clip(c.proc.Name), result, t)
		return nil
	}
	c.fits(x, result, "the return")
	return &model.Return{X: c.convert(x, result), Pos: s.pos}
}
