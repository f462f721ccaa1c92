package model

import (
	"fmt"
	"math/big"
	"slices"
	"sync"

	"orbitmc/internal/lists"
)

// The compiled interpreter. Every expression and statement is translated once
// into a Go closure over a frame: a flat slice that starts with the leaves of
// the state and goes on with the ruleset parameters, the regions of the
// procedures, and the locals and bound variables of the rule at hand.
// Designators become an offset into the frame plus a term per index that is not
// constant, so nothing is allocated while a rule runs. See undefined.go for what
// the dialects do with undefined values.
//
// Errors are raised by panicking with a *fault and caught at the boundary of a
// rule instance or property, nowhere else; so is a failed assume statement.

type (
	evalFn func(f []int64) int64
	testFn func(f []int64) bool
	execFn func(f []int64) (returned bool) // whether a return statement was run
)

// fault is the panic value of a run-time error, assertion or error statement,
// or, with disabled as its prop, of a failed assume statement.
type fault struct {
	prop int
	pos  Pos
	msg  string
	also []int // see Violation.Also
}

const (
	disabled = -1
	hidden   = -2 // see Strict
)

func (f *fault) violation(inGuard bool) *Violation {
	return &Violation{Prop: f.prop, Pos: f.pos, Message: f.msg, InGuard: inGuard, Also: f.also}
}

// while returns the fault as one that keeps property prop from being evaluated. Those that are no errors stay.
func (f *fault) while(prop int) *fault {
	if f.prop < 0 || f.prop == prop || slices.Contains(f.also, prop) {
		return f
	}
	return &fault{f.prop, f.pos, f.msg, append(slices.Clip(f.also), prop)}
}

// caught turns a recovered panic into its fault and makes the frames fit for
// use again. Other panics go on.
func (p *Program) caught(r any, frames ...[]int64) *fault {
	flt, ok := r.(*fault)
	if !ok {
		panic(r)
	}
	for _, f := range frames {
		f[p.depth] = 0
	}
	return flt
}

// unit is a compiled rule or start state. Its parameters sit in the frame right
// after the state, outermost first.
type unit struct {
	params []span
	// guard[d] holds the conjuncts that can be evaluated once the first d
	// parameters are known: the guard, flattened, is cut into consecutive runs,
	// and a conjunct never moves before an earlier one. So an instance meets the
	// same first false or erring conjunct as if its guard were evaluated alone.
	guard [][]conjunct
	flat  []conjunct // the same, in one piece
	// late are the conjuncts from the first on that calls something with an
	// effect. The body starts from what they make of the state.
	late   []testFn
	body   execFn
	locals [2]int     // frame range of the locals
	slots  []slotInfo // the parameters that range over slots
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

	first   []int // by rule: the number of its first instance, or -1; see Instances
	numbers int

	invariants  []testFn // by property; nil unless an invariant or a cover
	pure        []bool   // by property: its expression has no effect
	instances   []unit   // by property: for a cover or liveness property, the domains of its parameters, and its expression as late guard
	assumptions []testFn
	procs       []*proc
	enabling    func() *matrix // made when it is called first
	sets        []setRegion    // the multisets of a state, inner ones first
	setOf       []int          // by leaf: the index plus 1 of the outermost multiset that it is in, or 0
	places      [][]movable    // see findPlaces; in no two the same
	placeOf     []int          // by leaf: index in places
	pointers    []int          // leaves whose values permutations may change

	// The frame behind the parameters.
	depth   int   // entry that counts the open calls of recursive procedures
	hits    []int // by property: entry that says whether a cover statement was hit, or -1
	hitLo   int   // the range of these entries
	hitHi   int
	strict  Strict
	frozen  int            // entry that says that the state in the frame does not change
	log     int            // entry that counts the writes of an instance; see wrote
	memos   map[string]int // first entry of the memo of a call, by its text
	memoLo  int            // the range of these entries
	memoHi  int
	own     int // first entry of what is not shared by all rules
	runtime int // index of the run-time error property
}

// Compile translates a type-checked model. It panics if m is not one.
func Compile(m *Model) *Program { return CompileStrict(m, nil) }

// CompileStrict is Compile with quantifiers that are evaluated to the end.
func CompileStrict(m *Model, strict Strict) *Program {
	p := &Program{Model: m, strict: strict, leaves: m.AllLeaves(), n: m.Leaves(), runtime: m.Runtime().Index}
	p.setOf = make([]int, p.n)
	for _, v := range m.Vars {
		p.findSets(v.Type, v.Offset)
	}
	p.findPlaces()
	p.layout()
	p.starts = lists.Map(m.Starts, p.compileRule)
	p.rules = lists.Map(m.Rules, p.compileRule)
	p.number()
	p.invariants, p.instances = make([]testFn, len(m.Props)), make([]unit, len(m.Props))
	for i, q := range m.Props {
		p.pure = append(p.pure, q.Expr != nil && !p.effects(q.Expr))
		switch q.Kind {
		case Invariant:
			p.invariants[i] = p.freeze(q.Expr, p.compileProp(q, true))
		case Cover:
			if q.Expr != nil {
				p.invariants[i] = p.freeze(q.Expr, p.compileProp(q, false))
				p.instances[i] = p.compileRule(&Rule{Params: q.Params, Guard: q.Expr})
			}
		case Liveness:
			p.instances[i] = p.compileRule(&Rule{Params: q.Params, Guard: q.Expr})
		}
	}
	p.assumptions = lists.Map(m.Assumptions, p.compileAssumption)
	p.enabling = sync.OnceValue(func() *matrix { return p.makeMatrix((*certain).holds) })
	return p
}

// layout divides the frame up.
func (p *Program) layout() {
	params := 0
	for _, r := range slices.Concat(p.Model.Starts, p.Model.Rules) {
		params = max(params, len(r.Params))
	}
	for _, q := range p.Model.Props {
		params = max(params, len(q.Params))
	}
	p.depth = p.n + params
	p.hitLo = p.depth + 1
	p.hitHi = p.hitLo
	for _, q := range p.Model.Props {
		if q.Kind == Cover && q.Expr == nil {
			p.hits = append(p.hits, p.hitHi)
			p.hitHi++
		} else {
			p.hits = append(p.hits, -1)
		}
	}
	p.frozen = p.hitHi
	p.findEffects()
	p.log = p.frozen + 1
	p.layoutMemos(p.log + 1 + manyWrites)
	p.own = p.layoutProcs(p.memoHi)
	p.frame = p.own
}

// NumStarts returns the number of start state instances.
func (p *Program) NumStarts() *big.Int { return instances(p.starts) }

// NumInstances returns the number of rule instances.
func (p *Program) NumInstances() *big.Int { return instances(p.rules) }

// ValidStart reports whether ch names an instance of a start state.
func (p *Program) ValidStart(ch Choice) bool {
	return ch.Rule >= 0 && ch.Rule < len(p.starts) && p.starts[ch.Rule].has(ch.Params)
}

// ValidRule reports whether ch names an instance of a rule.
func (p *Program) ValidRule(ch Choice) bool {
	return ch.Rule >= 0 && ch.Rule < len(p.rules) && p.rules[ch.Rule].has(ch.Params)
}

// has reports whether the parameters may have these values.
func (u *unit) has(params []int64) bool {
	if len(params) != len(u.params) {
		return false
	}
	for i, s := range u.params {
		if _, ok := s.index(params[i]); !ok {
			return false
		}
	}
	return true
}

// compiler translates one unit, property or procedure.
type compiler struct {
	p      *Program
	slots  map[*Var]int      // parameters, locals and bound variables met so far
	bounds map[*Var][2]int64 // least and greatest value of the bound variables whose domain is constant
	temps  map[any]int       // first entry for the arguments of a call
	next   int               // first free frame entry

	proc   *proc // nil outside procedures
	depth  int   // which of the regions of a recursive procedure this is for
	result int   // entry of the result of a function
}

func (p *Program) newCompiler(next int) *compiler {
	return &compiler{p: p, slots: map[*Var]int{}, bounds: map[*Var][2]int64{}, temps: map[any]int{}, next: next}
}

// close makes frames large enough for the unit.
func (c *compiler) close() { c.p.frame = max(c.p.frame, c.next) }

// slot reserves the frame entries of a variable.
func (c *compiler) slot(v *Var) int {
	s, ok := c.slots[v]
	if !ok {
		s = c.next
		c.slots[v] = s
		c.next += entries(v)
	}
	return s
}

// entries returns the number of frame entries of a variable.
func entries(v *Var) int {
	if v.Kind == RefVar {
		return 1
	}
	return v.Type.Leaves
}

// bind reserves a slot for a bound variable and notes its bounds if the domain
// is constant.
func (c *compiler) bind(v *Var, d Domain) int {
	noteBounds(c.bounds, v, d)
	return c.slot(v)
}

func (p *Program) compileRule(r *Rule) unit {
	c := p.newCompiler(p.n)
	u := unit{guard: make([][]conjunct, len(r.Params)+1)}
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
	c.next = p.own
	u.locals[0] = c.next
	for _, v := range r.Locals {
		c.slot(v)
	}
	u.locals[1] = c.next
	if r.Guard != nil {
		d := 0
		for _, e := range Conjuncts(r.Guard) {
			if u.late != nil || p.effects(e) {
				u.late = append(u.late, c.test(e))
				continue
			}
			d = max(d, deepest(e, depth))
			q := c.conjunct(e)
			u.guard[d], u.flat = append(u.guard[d], q), append(u.flat, q)
		}
		u.slots = c.slotParams(r)
	}
	u.body = c.block(r.Body)
	c.close()
	return u
}

// conjunct is a compiled conjunct of a guard. Most compare a leaf with a constant,
// which takes no call. The leaf is at base plus twice a frame entry times a stride.
type conjunct struct {
	expr   Expr
	test   testFn
	quick  bool
	eq     bool // the leaf is to be k; else not
	undef  bool // it may be undefined; else that is an error, which test raises
	base   int
	slot   [2]int
	stride [2]int
	k      int64
}

// holds evaluates a conjunct.
func (c *conjunct) holds(f []int64) bool {
	if c.quick {
		v := f[c.base+int(f[c.slot[0]])*c.stride[0]+int(f[c.slot[1]])*c.stride[1]]
		if v != Undef || c.undef {
			return (v == c.k) == c.eq
		}
	}
	return c.test(f)
}

// conjunct compiles a conjunct of a guard.
func (c *compiler) conjunct(e Expr) conjunct {
	q := conjunct{expr: e, test: c.test(e), eq: true}
	x := e
	if u, ok := x.(*Not); ok {
		x, q.eq = u.X, false
	}
	switch e := x.(type) {
	case *Ref, *FieldSel, *IndexSel:
		q.k, q.eq, x = 0, !q.eq, e
	case *IsUndefined:
		q.k, q.undef, x = Undef, true, e.X
	case *Present:
		a := c.slotAddress(e.X)
		q.k, q.undef, q.eq = Undef, true, !q.eq
		c.fast(&q, &a)
		return q
	case *Binary:
		if e.Op != Eq && e.Op != Ne {
			return q
		}
		x = e.X
		k, ok := constant(e.Y)
		if !ok {
			x = e.Y
			if k, ok = constant(e.X); !ok {
				return q
			}
		}
		q.k, q.eq, q.undef = k, q.eq == (e.Op == Eq), c.p.Model.Dialect.TestsUndefined(x)
	default:
		return q
	}
	if Designator(x) {
		a := c.address(x)
		c.fast(&q, &a)
	}
	return q
}

// fast makes q quick if the address allows it.
func (c *compiler) fast(q *conjunct, a *address) {
	if len(a.terms) > len(q.slot) || c.p.n == 0 {
		return
	}
	q.base = a.base
	for i := range a.terms {
		t := &a.terms[i]
		if t.checked || t.slot < 0 || t.set {
			return
		}
		q.slot[i], q.stride[i] = t.slot, t.stride
		q.base -= int(t.lo) * t.stride
	}
	q.quick = true
}

// compileProp compiles the expression of a property for all, or for any, values
// of its parameters.
func (p *Program) compileProp(q *Property, all bool) testFn {
	c := p.newCompiler(p.own)
	defer c.close()
	return c.quantified(all, p.strict[q], q.Params, q.Expr)
}

// freeze is test, which has no effect unless e has one, with memos.
func (p *Program) freeze(e Expr, test testFn) testFn {
	if p.effects(e) {
		return test
	}
	return func(f []int64) bool {
		f[p.frozen] = 1
		ok := test(f)
		f[p.frozen] = 0
		return ok
	}
}

// compileAssumption compiles an assumption declaration. If what it calls has an
// effect, that is undone.
func (p *Program) compileAssumption(q *Property) testFn {
	test := p.compileProp(q, true)
	if !p.effects(q.Expr) {
		return test
	}
	return func(f []int64) bool {
		keep := append(slices.Clone(f[:p.n]), f[p.hitLo:p.hitHi]...)
		defer func() { copy(f[p.hitLo:p.hitHi], keep[copy(f[:p.n], keep):]) }()
		return test(f)
	}
}

// deepest returns the greatest depth of the variables that e mentions.
func deepest(e Expr, depth map[*Var]int) int {
	d := 0
	Inspect(e, func(n any) {
		if r, ok := n.(*Ref); ok {
			d = max(d, depth[r.Var])
		}
	})
	return d
}
