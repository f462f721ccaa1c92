package model

import (
	"fmt"
	"math/big"
)

// The compiled interpreter. Every expression and statement is translated once
// into a Go closure over a frame: a flat slice that starts with the leaves of
// the state and goes on with the ruleset parameters, locals and bound variables
// of the rule at hand. Designators become an offset into the frame plus a term
// per index that is not constant, so nothing is allocated while a rule runs.
//
// What the dialects do with undefined values was read in the code CMurphi
// generates and confirmed by running both tools:
//
//   - CMurphi reads a scalarset leaf without a check and keeps one code for
//     "undefined" beside the values. So `=` on scalarsets is false if exactly one
//     operand is undefined, and true if both are; `!=` is its negation. All
//     other reads of an undefined leaf stop CMurphi: of ranges, booleans and
//     enums in any expression, and of anything used as an index.
//   - CMurphi copies an undefined value if the right-hand side of an assignment
//     is a variable, or an enum or scalarset anywhere. It means to copy fields
//     and elements of all simple types, but the flag that says so is never set
//     for them (class designator in its expr.hpp); then the assignment operator
//     of the range and boolean classes checks, and those of the others do not.
//   - Rumur stops at every read of an undefined leaf, in copies as well.
//   - Both carry undefined leaves along in copies of arrays and records, both
//     evaluate index expressions inside isundefined and put, and both print an
//     undefined value in put without complaint.
//
// Errors are raised by panicking with a *fault and caught at the boundary of a
// rule instance or property, nowhere else.

type (
	evalFn func(f []int64) int64
	testFn func(f []int64) bool
	execFn func(f []int64)
)

// fault is the panic value of a run-time error, assertion or error statement.
type fault struct {
	prop int
	pos  Pos
	msg  string
}

func (f *fault) violation(inGuard bool) *Violation {
	return &Violation{Prop: f.prop, Pos: f.pos, Message: f.msg, InGuard: inGuard}
}

// unit is a compiled rule, start state or invariant. Its parameters sit in the
// frame right after the state, outermost first.
type unit struct {
	params []span
	// guard[d] holds the conjuncts that can be evaluated once the first d
	// parameters are known: the guard, flattened, is cut into consecutive runs,
	// and a conjunct never moves before an earlier one. So an instance meets the
	// same first false or erring conjunct as if its guard were evaluated alone.
	guard  [][]testFn
	body   execFn
	locals [2]int // frame range of the locals
}

// Program is a compiled model. It is immutable and may be shared by any number
// of machines.
type Program struct {
	Model  *Model
	leaves []Leaf
	n      int // leaves of a state
	frame  int // length of a frame
	starts []unit
	rules  []unit
	props  []testFn // by property; nil unless an invariant

	runtime int // index of the run-time error property
}

// Compile translates a type-checked model. It panics if m is not one.
func Compile(m *Model) *Program {
	p := &Program{Model: m, leaves: m.AllLeaves(), n: m.Leaves()}
	p.frame = p.n
	p.runtime = m.Runtime().Index
	for _, r := range m.Starts {
		p.starts = append(p.starts, p.compileRule(r))
	}
	for _, r := range m.Rules {
		p.rules = append(p.rules, p.compileRule(r))
	}
	p.props = make([]testFn, len(m.Props))
	for i, q := range m.Props {
		if q.Kind == Invariant {
			c := p.newCompiler()
			p.props[i] = c.forall(q.Params, q.Expr)
			c.close()
		}
	}
	return p
}

// NumStarts returns the number of start state instances.
func (p *Program) NumStarts() *big.Int { return instances(p.starts) }

// NumInstances returns the number of rule instances.
func (p *Program) NumInstances() *big.Int { return instances(p.rules) }

// ValidStart reports whether ch names an instance of a start state.
func (p *Program) ValidStart(ch Choice) bool { return valid(p.starts, ch) }

// ValidRule reports whether ch names an instance of a rule.
func (p *Program) ValidRule(ch Choice) bool { return valid(p.rules, ch) }

func valid(units []unit, ch Choice) bool {
	if ch.Rule < 0 || ch.Rule >= len(units) || len(ch.Params) != len(units[ch.Rule].params) {
		return false
	}
	for i, s := range units[ch.Rule].params {
		if _, ok := s.index(ch.Params[i]); !ok {
			return false
		}
	}
	return true
}

// compiler translates one unit.
type compiler struct {
	p      *Program
	slots  map[*Var]int      // parameters, locals and bound variables met so far
	bounds map[*Var][2]int64 // least and greatest value of the bound variables whose domain is constant
	next   int               // first free frame entry
}

func (p *Program) newCompiler() *compiler {
	return &compiler{p: p, slots: map[*Var]int{}, bounds: map[*Var][2]int64{}, next: p.n}
}

// close makes frames large enough for the unit.
func (c *compiler) close() { c.p.frame = max(c.p.frame, c.next) }

// slot reserves the frame entries of a variable.
func (c *compiler) slot(v *Var) int {
	s := c.next
	c.slots[v] = s
	c.next += v.Type.Leaves
	return s
}

// bind reserves a slot for a bound variable and notes its bounds if the domain
// is constant.
func (c *compiler) bind(v *Var, d Domain) int {
	delete(c.bounds, v)
	if s, ok := d.constSpan(); ok && s.n > 0 {
		lo, hi := s.bounds()
		c.bounds[v] = [2]int64{lo, hi}
	}
	return c.slot(v)
}

func (p *Program) compileRule(r *Rule) unit {
	c := p.newCompiler()
	u := unit{guard: make([][]testFn, len(r.Params)+1)}
	depth := map[*Var]int{}
	for i, q := range r.Params {
		s, ok := q.Domain.constSpan()
		if !ok {
			panic(fmt.Sprintf("model: %v: domain of ruleset parameter %s is not constant", q.Var.Pos, q.Var.Name))
		}
		c.bind(q.Var, q.Domain)
		u.params = append(u.params, s)
		depth[q.Var] = i + 1
	}
	u.locals[0] = c.next
	for _, v := range r.Locals {
		c.slot(v)
	}
	u.locals[1] = c.next
	if r.Guard != nil {
		d := 0
		for _, e := range conjuncts(r.Guard, nil) {
			d = max(d, deepest(e, depth))
			u.guard[d] = append(u.guard[d], c.test(e))
		}
	}
	u.body = c.block(r.Body)
	c.close()
	return u
}

// conjuncts appends the conjuncts of e in the order of their evaluation.
func conjuncts(e Expr, dst []Expr) []Expr {
	if b, ok := e.(*Binary); ok && b.Op == And {
		return conjuncts(b.Y, conjuncts(b.X, dst))
	}
	return append(dst, e)
}

// deepest returns the greatest depth of the variables that e mentions.
func deepest(e Expr, depth map[*Var]int) int {
	switch e := e.(type) {
	case *Ref:
		return depth[e.Var]
	case *FieldSel:
		return deepest(e.X, depth)
	case *IndexSel:
		return max(deepest(e.X, depth), deepest(e.Index, depth))
	case *Unary:
		return deepest(e.X, depth)
	case *Binary:
		return max(deepest(e.X, depth), deepest(e.Y, depth))
	case *Cond:
		return max(deepest(e.If, depth), deepest(e.Then, depth), deepest(e.Else, depth))
	case *IsUndefined:
		return deepest(e.X, depth)
	case *Quant:
		d := deepest(e.Body, depth)
		for _, b := range []Expr{e.Domain.From, e.Domain.To, e.Domain.By} {
			if b != nil {
				d = max(d, deepest(b, depth))
			}
		}
		return d
	}
	return 0
}
