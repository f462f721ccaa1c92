package param

import (
	"context"
	"fmt"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file makes the conditions: formulas that have no model iff the conjuncts of a candidate
// invariant hold in the start states and are kept by each step, and nothing errs.

// Sort is a free class: any number of components, at least Least.
type Sort struct {
	Name     string
	Type     string // its declared name; "" if it has none
	Constant string // that is its size in the model
	Least    int
	Numbers  bool // its components are numbers in the model, from Lo on
	Lo       int64
}

// Named is a component that the model names by a number: N, or the greatest there is. Different
// ones of a sort are different components at every size from the least on.
type Named struct {
	Sort int
	Last bool
	N    int64
	Term Term // a variable, free in the conditions
}

// Conjunct is a part of the invariant: that a declared invariant, or an assumption, is true and its evaluation does
// not err.
type Conjunct struct {
	Prop    *model.Property
	F       Formula
	Assumed bool // there are no steps to states where it is false; start states satisfy it
}

// Step is what a rule does, for one choice of those of its parameters that are of no free class,
// or what a start state does.
type Step struct {
	Name    string
	Pos     model.Pos
	Params  []Term
	Lasts   []Term    // those of Params that no rule has: last components of classes, in loops of start states
	Guard   Formula   // true for start states
	Errs    []Formula // by property: when the step violates an assertion, or errs
	Changes Formula   // the state after differs from the state before

	after map[int]Formula // see After
	run   *run
	rule  *model.Rule
	args  []single // the parameters of the rule, by position
}

// After returns what a conjunct says of the state after a step. It is made when it is asked for: of most
// candidates it never is, and the formulas of some are large.
func (c *Conditions) After(s *Step, conjunct int) Formula {
	f, ok := s.after[conjunct]
	if !ok {
		e, p := s.run.encoder, c.Conjuncts[conjunct].Prop
		names := len(e.names)
		f = s.run.property(p)
		if c.all != nil && (len(e.names) > names || e.marked) {
			refuse(p.Pos, "%s names a component after a step only", p.Name)
		}
		s.after[conjunct] = f
	}
	return f
}

// Conditions are those of one model. Each of the following has no model, with the sizes of sorts
// from their least size on, iff the proof is right:
//
//	S.Errs[p], ¬After(S, j)              for each start state S
//	Inv ∧ R.Guard-or-not ∧ R.Errs[p]     for each rule R; an error of a guard counts
//	Inv ∧ R.Guard ∧ Assumed' ∧ ¬After(R, j)
//	Inv ∧ R.Guard ∧ (the evaluation of an assumption errs after R)
//	Inv ∧ Stuck
//
// where Inv is the conjunction of Conjuncts, and Assumed' says that those that are assumed hold after R; j is none of
// these, but for start states.
type Conditions struct {
	*Logic
	Model     *model.Model
	Sorts     []Sort
	Conjuncts []Conjunct
	Starts    []*Step
	Rules     []*Step
	Stuck     Formula   // no rule leads to another state, or none is enabled; False if deadlock is no property
	Families  []*Family // of the state
	Names     []Named
	Nested    bool      // a declared invariant or an assumption has a ∃ inside a ∀
	Order     []int     // by sort: what a ∃ inside a ∀ may depend on, see cutoff.go; any numbers will do
	facts     []Formula // of constants that are left open: no range is empty

	Watch func(size, most []int, step, steps int) // called when Prove comes to a size, by sort, and a step; nil is silent
	Most  int                                     // Prove leaves conditions open that have more instances of one part than this; 0: none
	Each  bool                                    // Prove goes on behind a condition that has a model
	Met   func(*CTI)                              // called with each state for which Prove finds no candidate; nil is silent

	all         []*Condition
	integers    bool             // some condition is about integers
	regionOf    map[Term]region  // by symbol: the components that it counts
	indicatorOf map[Term]Formula // by symbol: what it is 1 for

	groundOf map[Formula]map[Term]bool // see ground
	rules    rules
}

// rules are what soundness rests on. Tests break them one by one.
type rules struct {
	fewer   int                   // components fewer than a condition can tell apart
	largest bool                  // of the sizes only the largest is looked at
	absent  bool                  // ∀ are also about components that are not there
	common  bool                  // parts that must hold together share their components
	shared  bool                  // a ∃ counts once wherever it occurs, also if it depends on others
	nested  bool                  // a ∃ inside a ∀ is one witness
	cyclic  bool                  // a ∃ inside a ∀ may depend on any component
	copied  bool                  // of all sorts sizes between the first ones and the last one are left out
	total   bool                  // pointers lead to a component among few
	signs   bool                  // a formula and its negation have one definition
	ignored func(*Condition) bool // conditions that are not looked at; nil: none

	// When conditions are made:
	twice   bool // terms that are one component are counted each
	kept    bool // a step does not change what it says of components that it does not name
	one     bool // two components that are counted are one
	falling bool // a loop may add negative numbers
	read    bool // a loop may read what it adds to
	callee  bool // a call further in adds to what its caller does

	// The last iteration of a loop decides:
	lastRule  bool // in a rule, too
	lastGuard bool // if it may write other places than the others
	lastRead  bool // if it reads what the one before wrote
}

type familyKey struct {
	inst *instance
	path string
}

// valueType is a simple type as options.
type valueType struct {
	opts []Option

	// If it has integers:
	lo  int64
	top model.Size
}

// integers reports whether the values are integers: from lo to top.
func (v *valueType) integers() bool { return len(v.opts) == 1 && v.opts[0].Sort == Ints }

// encoder makes the conditions of a model.
type encoder struct {
	*Logic
	m         *model.Model
	sorts     []Sort
	classSort map[int]int // by class of the model
	types     map[*model.Type]*valueType
	states    map[*model.Var]*instance
	families  map[familyKey]*Family
	state     []*Family
	undefined map[string]bool // families of the state that may be undefined, by name
	marked    bool            // there is a new one
	instances int
	names     []Named
	facts     []Formula // of numbers that are left open
	candidate func(*model.Property) bool
	rules     rules
}

// New returns the conditions for a model whose constants were read as opaque (see
// murphi.Options.Opaque): least gives the least size for each. The model may have any size
// itself. The error is a *Refusal if the model is outside what is proved for every size.
// Invariants that are candidates, if that is not nil, are left out where they would be the
// reason, or where they would not help: their truth depends on some component for each other. Conditions
// says nothing of the others, until Prove needs one. New ends with ctx, and counts its work for the limit
// of ctx.
func New(ctx context.Context, m *model.Model, least map[string]int, candidate func(*model.Property) bool) (*Conditions, error) {
	return newConditions(ctx, m, least, candidate, rules{})
}

func newConditions(ctx context.Context, m *model.Model, least map[string]int, candidate func(*model.Property) bool, broken rules) (c *Conditions, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Refusal:
			r.File = m.File
			c, err = nil, r
		case stopped:
			c, err = nil, r.err
		default:
			panic(r)
		}
	}()
	undefined := make(map[string]bool)
	for {
		e := &encoder{
			Logic: NewLogic(), m: m, classSort: make(map[int]int), types: make(map[*model.Type]*valueType),
			states: make(map[*model.Var]*instance), families: make(map[familyKey]*Family), undefined: undefined,
			candidate: candidate, rules: broken,
		}
		e.ctx = ctx
		e.findSorts(least)
		if c := e.conditions(); c != nil {
			c.conditions(candidate)
			c.ctx = nil
			return c, nil
		}
	}
}

// findSorts finds the free classes.
func (e *encoder) findSorts(least map[string]int) {
	for i, t := range e.m.Scalarsets {
		n, ok := least[t.SizedBy]
		if !ok || t.SizedBy == "" {
			continue
		}
		if t.Slots || t.Kind == model.Enum {
			refuse(t.Pos, "%v cannot be a free class", t)
		}
		e.classSort[i] = len(e.sorts)
		e.sorts = append(e.sorts, Sort{Name: t.String(), Type: t.Name, Constant: t.SizedBy, Least: max(n, 1), Numbers: t.Kind == model.Range, Lo: t.Lo})
	}
	for _, v := range e.m.Vars {
		e.instances++
		e.states[v] = &instance{v: v, id: e.instances, state: true}
	}
}

func (e *encoder) stateOf(v *model.Var) *instance { return e.states[v] }

// sort returns the sort of a type of components; -1 if it is none.
func (e *encoder) sort(t *model.Type) int {
	if !t.Classed() {
		return -1
	}
	s, ok := e.classSort[t.Class]
	if !ok {
		return -1
	}
	if y := e.m.Scalarsets[t.Class]; t.SizedBy != y.SizedBy || t.Lo != y.Lo || t.Hi != y.Hi {
		return -1
	}
	return s
}

// free reports whether a constant is the size of a free class.
func (e *encoder) free(constant string) bool {
	return constant != "" && slices.ContainsFunc(e.sorts, func(s Sort) bool { return s.Constant == constant })
}

// valuesOf returns a simple type as options.
func (e *encoder) valuesOf(t *model.Type, pos model.Pos) *valueType {
	v, ok := e.types[t]
	if ok {
		return v
	}
	v = &valueType{}
	s := e.sort(t)
	switch {
	case s >= 0:
		v.opts = []Option{{Sort: s}}
	case t.Kind == model.Union:
		for _, p := range t.Parts {
			if p.Top.Const != "" && e.sort(p) < 0 {
				refuse(pos, "%v is no part of a union that is proved for every size", p)
			}
			v.opts = append(v.opts, e.valuesOf(p, pos).opts...)
		}
	case t.Top.Const != "":
		v.opts, v.lo, v.top = []Option{{Sort: Ints}}, t.Lo, t.Top
		e.facts = append(e.facts, e.LessEq(e.Number(t.Lo), e.size(t.Top))) // it is not empty
	case e.free(t.SizedBy):
		refuse(pos, "%v is no class, and %s is left open", t, t.SizedBy)
	case t.Kind == model.Integer:
		return v
	case !t.Simple():
		refuse(pos, "%v is no simple type", t)
	case t.Card() > maxCases:
		refuse(pos, "%v has more than %d values", t, maxCases)
	default:
		for n := t.Lo; n <= t.Hi; n++ {
			c := Const{Type: t, N: n}
			if t.Numeric() {
				c.Type = nil
			}
			v.opts = append(v.opts, Option{Sort: -1, Const: c})
		}
	}
	e.types[t] = v
	return v
}

// enumerated returns a simple type as options, of which none is an integer.
func (e *encoder) enumerated(t *model.Type, pos model.Pos) *valueType {
	v := e.valuesOf(t, pos)
	if v.integers() {
		refuse(pos, "the values of %v are not interchangeable, and %s is left open", t, t.Top.Const)
	}
	return v
}

// mark notes that a family may be undefined.
func (e *encoder) mark(f *Family) {
	if !e.undefined[f.Name] {
		e.undefined[f.Name], e.marked = true, true
	}
}

// conditions runs all rules. It returns nil if a family that was taken to be defined is not:
// then it is marked.
func (e *encoder) conditions() *Conditions {
	m := e.m
	c := &Conditions{Logic: e.Logic, Model: m, Sorts: e.sorts, Stuck: False, rules: e.rules}
	for _, p := range m.Props {
		switch p.Kind {
		case model.Cover, model.Liveness:
			refuse(p.Pos, "%v properties are not proved for every size", p.Kind)
		}
	}
	for _, r := range m.Starts {
		c.Starts = append(c.Starts, e.steps(r, true)...)
	}
	for _, s := range c.Starts {
		e.startDefines(s.run)
	}
	for _, r := range m.Rules {
		c.Rules = append(c.Rules, e.steps(r, false)...)
	}
	if e.marked {
		return nil
	}
	e.conjuncts(c)
	if p := m.DeadlockProp(); p != nil {
		stuck := []Formula{}
		for _, s := range c.Rules {
			moves := s.Guard
			if m.Deadlock == model.Stuttering {
				moves = e.And(moves, s.Changes)
			}
			none := moves.Not()
			for _, v := range s.Params {
				none = e.All(v, none)
			}
			stuck = append(stuck, none)
		}
		c.Stuck = e.And(stuck...)
	}
	if e.marked {
		panic("param: a property changes the state")
	}
	c.Families, c.Names, c.facts = e.state, e.names, e.facts
	return c
}

// conjuncts makes the invariant: what is declared and assumed, then candidates, without those that cannot be used.
func (e *encoder) conjuncts(c *Conditions) {
	before := e.newRun(false)
	d := c.newDependencies()
	c.Names = e.names
	declare := func(k Conjunct) {
		k.F = before.property(k.Prop)
		own := d.of(k.F, nil)
		c.Nested = c.Nested || own != nil
		for _, x := range slices.Concat(own, d.of(k.F.Not(), nil)) {
			d.respect(x)
		}
		c.Conjuncts = append(c.Conjuncts, k)
		for _, s := range slices.Concat(c.Starts, c.Rules) {
			c.After(s, len(c.Conjuncts)-1)
		}
	}
	for _, p := range e.m.Props {
		if p.Kind == model.Invariant && (e.candidate == nil || !e.candidate(p)) {
			declare(Conjunct{Prop: p})
		}
	}
	for _, p := range e.m.Assumptions {
		declare(Conjunct{Prop: p, Assumed: true})
	}
	for _, s := range c.Rules {
		for _, x := range d.of(s.Guard, s.Params) {
			d.respect(x)
		}
	}
	var more []Conjunct
	for _, p := range e.m.Props {
		k := Conjunct{Prop: p}
		if p.Kind == model.Invariant && e.candidate != nil && e.candidate(p) && e.says(before, &k) {
			c.Names = e.names
			d.respect(slices.Concat(d.of(k.F, nil), d.of(k.F.Not(), nil))...)
			more = append(more, k)
		}
	}
	c.Order, c.groundOf = d.order(), nil
	for _, k := range more {
		if _, weak := c.Witnesses(k.F); !weak {
			c.Conjuncts = append(c.Conjuncts, k)
		}
	}
}

// says states a candidate. It reports false if it cannot.
func (e *encoder) says(before *run, k *Conjunct) (ok bool) {
	defer func() {
		e.most = maxNodes
		if r := recover(); r != nil {
			if _, refused := r.(*Refusal); !refused {
				panic(r)
			}
			ok = false
		}
	}()
	e.most = min(len(e.nodes)+perCandidate, maxNodes/2)
	k.F = before.property(k.Prop)
	return true
}

// startDefines marks the families that a start state does not define.
func (e *encoder) startDefines(x *run) {
	for _, v := range e.m.Vars {
		inst := e.states[v]
		for _, r := range x.leavesOf(v.Type, v.Pos) {
			fam := e.familyOf(inst, r.path, r.t, r.args)
			if fam.Defined && x.leaf(fam, inst, r.args, v.Pos).undef() != False {
				e.mark(fam)
			}
		}
	}
}

// steps runs a rule for all choices of the parameters that are of no free class.
func (e *encoder) steps(r *model.Rule, start bool) []*Step {
	e.pos = r.Pos
	var out []*Step
	args := make([]single, len(r.Params))
	var choose func(i int, env map[*model.Var]binding, params []Term, name string)
	choose = func(i int, env map[*model.Var]binding, params []Term, name string) {
		if i == len(r.Params) {
			x := e.newRun(start)
			for v, b := range env {
				x.env[v] = b
			}
			for _, v := range r.Locals {
				x.env[v] = binding{inst: x.local(v)}
			}
			s := &Step{Name: name, Pos: r.Pos, Params: slices.Clone(params), Guard: True, after: make(map[int]Formula), run: x, rule: r, args: slices.Clone(args)}
			if r.Guard != nil {
				s.Guard = x.bool(r.Guard)
				x.pc = s.Guard
			}
			if start || x.rules.lastRule {
				x.lasts = &s.Lasts
			}
			x.block(r.Body)
			x.lasts = nil
			s.Params = append(s.Params, s.Lasts...)
			s.Errs = lists.Map(x.errs, func(e []Formula) Formula { return x.Or(e...) })
			s.Changes = x.changes()
			out = append(out, s)
			return
		}
		p := r.Params[i]
		for _, o := range e.newRun(start).domain(p.Domain, p.Var.Pos) {
			var val single
			next, text := params, ""
			if o.Sort >= 0 {
				t := e.Fresh(o.Sort)
				val, next = single{kind: component, class: o.Sort, t: t}, append(slices.Clip(params), t)
			} else {
				val, text = single{kind: constant, c: o.Const}, fmt.Sprintf(" (%s=%v)", p.Var.Name, o.Const)
			}
			args[i] = val
			env[p.Var] = bound(val)
			choose(i+1, env, next, name+text)
		}
	}
	name := r.Name
	if name == "" {
		name = fmt.Sprintf("rule at %v", r.Pos)
		if start {
			name = fmt.Sprintf("start state at %v", r.Pos)
		}
	}
	choose(0, make(map[*model.Var]binding), nil, name)
	return out
}

// changes says when the state after differs from that before.
func (ru *run) changes() Formula {
	f := False
	for _, fam := range ru.order {
		if !fam.inst.state {
			continue
		}
		args := lists.Map(fam.Args, ru.Fresh)
		differs := ru.same(ru.before(fam, args), ru.leaf(fam, fam.inst, args, model.Pos{})).Not()
		for _, v := range args {
			differs = ru.Exists(v, differs)
		}
		f = ru.Or(f, differs)
	}
	return f
}

// property says that an invariant is true in the state after the run, and that its evaluation
// does not err.
func (ru *run) property(p *model.Property) Formula {
	f, err := ru.judge(p)
	return ru.And(f, err.Not())
}

// judge says that an invariant is true in the state after the run, and that its evaluation errs.
func (ru *run) judge(p *model.Property) (is, err Formula) {
	y := *ru
	y.pc, y.returned, y.errs = True, False, make([][]Formula, len(ru.errs))
	y.env = make(map[*model.Var]binding)
	y.frozen = ru.instances + 1
	var holds func(i int) Formula
	holds = func(i int) Formula {
		if i == len(p.Params) {
			return y.bool(p.Expr)
		}
		q := p.Params[i]
		return y.quant(true, q.Var, q.Domain, p.Pos, func() Formula { return holds(i + 1) })
	}
	is = holds(0)
	return is, y.anyErr()
}
