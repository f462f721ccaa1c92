// Package typing proves symmetry of a model by the form of its text, without an
// encoding and without a solver.
//
// A class is a set of interchangeable values: a scalarset, or a range or enum that
// model.Retype made one (Type.Alike). A permutation of the values of a class acts on
// states, parameters and locals. Every expression e is to satisfy e(πs) = π(e(s)), and
// every statement b, b(πs) = π(b(s)), errors among the results. Most forms do so whatever their parts are,
// as long as these do; docs/theory/symmetry.md lists the cases. Three things do not, and are
// looked at one by one:
//
//	form.go    constants, order and arithmetic of values of a class: they split it, or break it
//	order.go   loops, counts and quantifiers over a class: turns must commute
//	slots.go   slots of multisets: another class, whose values stand for elements
//
// The parts that help order.go:
//
//	turn.go      what one turn of a loop reads, writes and raises: expressions
//	run.go       and statements
//	place.go     places in a turn
//	places.go    what variables by reference may stand for
//	defined.go   which leaves of states are defined in every reachable state
//	tables.go    what values of classes the values of expressions tell apart
//	partial.go   each rule by itself
//	live.go      whether what a loop leaves behind in a variable is read later
//
// What is not shown is not refuted: it is NotByForm, with the place and the reason. Reachable
// states may refute it (refute.go).
package typing

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// Report says what typing shows of a model.
type Report struct {
	Classes []Class // by class of Model.Scalarsets

	// Joint are disjoint sets of properties, ascending. An instance that errs may
	// violate another one of the same set than its image does, as the order of turns
	// decides which error is first. That none of a set is violated is symmetric.
	Joint [][]int
}

// Class is what typing shows of the permutations of the values of one class.
type Class struct {
	Rules  Finding   // the rules and assumptions
	Starts Finding   // the start states
	Props  []Finding // by property: what it looks at; asserts are part of the rules
}

// NotByForm returns the first obstacle that rules out every permutation of the rules, or of the
// first of some properties that has one; nil: none does.
func (c *Class) NotByForm(props []int) *Obstacle {
	o := c.Rules.NotByForm()
	for _, p := range props {
		if o == nil {
			o = c.Props[p].NotByForm()
		}
	}
	return o
}

// First returns the first obstacle of the rules, or of some properties, one that rules out every permutation before
// one that splits the class; nil: there is none.
func (c *Class) First(props []int) *Obstacle {
	if o := c.NotByForm(props); o != nil {
		return o
	}
	for _, f := range c.of(props) {
		if len(f.Why) > 0 {
			return &f.Why[0]
		}
	}
	return nil
}

// of returns the findings on the rules and some properties.
func (c *Class) of(props []int) []*Finding {
	return append([]*Finding{&c.Rules}, lists.Map(props, func(p int) *Finding { return &c.Props[p] })...)
}

// Finding is a partition of the values of a class: each permutation that keeps its
// blocks keeps what was looked at.
type Finding struct {
	Blocks [][]int // of numbers of the class, ascending, in the order of their least

	// Strict are the quantifiers that may stop before an operand that errs. The blocks count
	// in states in which none of them does: see model.Machine.Hid.
	Strict model.Strict

	// Why says what splits the values, and what keeps the finding from having any
	// block of two. In order of position.
	Why []Obstacle
}

// NotByForm returns the first obstacle that rules out every permutation, or nil.
func (f *Finding) NotByForm() *Obstacle {
	for i := range f.Why {
		if f.Why[i].keeps == nil && f.Why[i].strict == nil {
			return &f.Why[i]
		}
	}
	return nil
}

// Obstacle is a place where the form alone shows no symmetry, or one that splits a
// class.
type Obstacle struct {
	Pos    model.Pos
	Reason string

	strict any    // a quantifier or property (model.Strict) that may stop before an operand that errs
	keeps  []bool // by value: values that differ here are told apart; nil: nothing is kept
}

// analysis is one run of Check.
type analysis struct {
	m       *model.Model
	units   []*unit
	procs   map[*model.Proc]*unit
	cyclic  map[*model.Proc]bool // by procedure: it may call itself; filled in as asked for
	targets map[*model.Var]*target
	known   map[string]bool           // leaves of state variables, and of copied, that are always defined
	copied  map[*model.Var]string     // locals that are made with a value: their keys in known
	joint   [][]int                   // Report.Joint
	started map[*unit]bool            // what may run in a start state; nil until it is asked for
	tables  *tabulator                // nil: values of expressions are not looked at
	names   map[*model.Var]model.Expr // see findNames
}

// unit is a part of the model with a body of its own.
type unit struct {
	proc   *model.Proc
	rule   *model.Rule
	start  bool // the rule makes a start state
	params []*model.Param
	cond   model.Expr // guard, or the expression of a property
	prop   *model.Property
	body   []model.Stmt

	own   map[int][]Obstacle // by class
	all   []Obstacle         // for every class
	calls []*model.Proc
	kinds map[int]bool // of a property: what its evaluation may raise

	tables []*table // of expressions whose values say what they tell apart
}

func newAnalysis(m *model.Model) *analysis {
	return &analysis{m: m, procs: make(map[*model.Proc]*unit), cyclic: make(map[*model.Proc]bool)}
}

// Check looks at all classes of m.
func Check(m *model.Model) *Report {
	a := newAnalysis(m)
	rules, assumptions, starts, props := a.run()
	rules = append(rules, assumptions...)
	types := a.typeRanges()
	r := &Report{Classes: make([]Class, len(m.Scalarsets))}
	rulesReach, startsReach := a.reach(rules), a.reach(starts)
	for c, t := range m.Scalarsets {
		if t.Elems != nil {
			types[c] = append(types[c], Obstacle{Pos: t.Pos, Reason: fmt.Sprintf("several values stand for one of %v", t)})
		}
		k := &r.Classes[c]
		k.Rules = a.finding(c, rulesReach, types[c])
		k.Starts = a.finding(c, startsReach, types[c])
		for i := range m.Props {
			k.Props = append(k.Props, a.finding(c, a.reach(raising(m, props, i)), types[c]))
		}
	}
	slices.SortFunc(a.joint, slices.Compare)
	r.Joint = a.joint
	return r
}

// raising returns the units on which a property depends.
func raising(m *model.Model, props []*unit, i int) (us []*unit) {
	if props[i] != nil {
		us = append(us, props[i])
	}
	if m.Props[i].Tree != nil {
		us = append(us, lists.Map(m.Conditions([]int{i}), func(k int) *unit { return props[k] })...)
	}
	switch m.Props[i].Kind {
	case model.Assertion, model.ErrorStmt, model.RuntimeError:
		for _, q := range props { // evaluating them may raise it
			if q != nil && q.kinds[i] {
				us = append(us, q)
			}
		}
	}
	return us
}

// inspect is model.Inspect of the condition and the body.
func (u *unit) inspect(visit func(n any)) {
	if u.cond != nil {
		model.Inspect(u.cond, visit)
	}
	model.Inspect(u.body, visit)
}

// run looks at all units and returns those of rules, assumptions, start states and
// properties.
func (a *analysis) run() (rules, assumptions, starts, props []*unit) {
	m := a.m
	props = make([]*unit, len(m.Props))
	add := func(u *unit) *unit {
		u.own = make(map[int][]Obstacle)
		a.units = append(a.units, u)
		return u
	}
	for _, p := range m.Procs {
		a.procs[p] = add(&unit{proc: p, body: p.Body})
	}
	for _, r := range m.Rules {
		rules = append(rules, add(&unit{rule: r, params: r.Params, cond: r.Guard, body: r.Body}))
	}
	for _, p := range m.Assumptions {
		assumptions = append(assumptions, add(&unit{params: p.Params, cond: p.Expr, prop: p}))
	}
	for _, r := range m.Starts {
		starts = append(starts, add(&unit{rule: r, start: true, params: r.Params, body: r.Body}))
	}
	for i, p := range m.Props {
		if p.Expr != nil {
			props[i] = add(&unit{params: p.Params, cond: p.Expr, prop: p})
		}
	}
	a.findTargets()
	a.findDefined()
	a.findNames()
	for _, u := range a.units {
		a.form(u)
	}
	for _, u := range a.units {
		a.order(u)
		a.ties(u)
	}
	return rules, assumptions, starts, props
}

// reach returns the units and all procedures that they call.
func (a *analysis) reach(us []*unit) []*unit {
	seen := make(map[*unit]bool)
	var out []*unit
	var visit func(u *unit)
	visit = func(u *unit) {
		if seen[u] {
			return
		}
		seen[u] = true
		out = append(out, u)
		for _, p := range u.calls {
			visit(a.procs[p])
		}
	}
	for _, u := range us {
		visit(u)
	}
	return out
}

// finding joins the obstacles of units for a class.
func (a *analysis) finding(class int, us []*unit, types []Obstacle) Finding {
	f := Finding{Why: slices.Clone(types)}
	for _, u := range us {
		f.Why = append(append(f.Why, u.own[class]...), u.all...)
	}
	slices.SortStableFunc(f.Why, func(x, y Obstacle) int {
		return cmp.Or(cmp.Compare(x.Pos.Line, y.Pos.Line), cmp.Compare(x.Pos.Col, y.Pos.Col))
	})
	n := int(a.m.Scalarsets[class].Card())
	key := make([]string, n)
	broken := f.NotByForm() != nil
	for v := range n {
		if broken {
			key[v] = fmt.Sprint(v)
			continue
		}
		for _, o := range f.Why {
			if o.strict == nil {
				key[v] += fmt.Sprint(o.keeps[v], ",")
			}
		}
	}
	for _, o := range f.Why {
		if o.strict != nil && !broken {
			if f.Strict == nil {
				f.Strict = make(model.Strict)
			}
			f.Strict[o.strict] = true
		}
	}
	f.Blocks = lists.Groups(key)
	return f
}

// Blocks returns the interchangeable values of every class under the rules and the
// given properties together, and whether they count for these properties: a property
// of a joint set counts only together with the whole set. If strict is not nil, blocks may
// count only where nothing is hidden (Finding.Strict); the quantifiers are added to it.
func (r *Report) Blocks(m *model.Model, props []int, strict model.Strict) (blocks [][][]int, ok bool) {
	for _, set := range r.Joint {
		in := lists.Count(set, func(p int) bool { return slices.Contains(props, p) })
		if in != 0 && in != len(set) {
			return nil, false
		}
	}
	for c := range r.Classes {
		k := &r.Classes[c]
		var parts [][][]int
		for _, f := range k.of(props) {
			if len(f.Strict) > 0 && strict == nil {
				parts = append(parts, nil)
				continue
			}
			parts = append(parts, f.Blocks)
			maps.Copy(strict, f.Strict)
		}
		if m.Scalarsets[c].Slots {
			parts = append(parts, nil)
		}
		blocks = append(blocks, common(int(m.Scalarsets[c].Card()), parts))
	}
	return blocks, true
}

// Strict returns all quantifiers that may stop before an operand that errs, if they are what keeps
// values of a class apart under the rules or one of some properties; else nil.
func (r *Report) Strict(m *model.Model, props []int) model.Strict {
	set, needed := make(model.Strict), false
	for c := range r.Classes {
		k := &r.Classes[c]
		maps.Copy(set, k.Rules.Strict)
		maps.Copy(set, k.Starts.Strict)
		for i := range k.Props {
			maps.Copy(set, k.Props[i].Strict)
		}
		for _, p := range props {
			of := k.of([]int{p})
			together := common(int(m.Scalarsets[c].Card()), [][][]int{of[0].Blocks, of[1].Blocks})
			needed = needed || len(of[0].Strict)+len(of[1].Strict) > 0 && slices.ContainsFunc(together, func(b []int) bool { return len(b) > 1 })
		}
	}
	if !needed {
		return nil
	}
	return set
}

// ByForm reports whether no obstacle rules out every permutation of the rules and some
// properties; those that are strict do if strict is not set.
func (c *Class) ByForm(props []int, strict bool) bool {
	return !slices.ContainsFunc(c.of(props), func(f *Finding) bool {
		return f.NotByForm() != nil || len(f.Strict) > 0 && !strict
	})
}

// common returns the coarsest partition of 0..n-1 that refines all; what a partition
// leaves out is alone.
func common(n int, parts [][][]int) [][]int {
	key := make([]string, n)
	for _, part := range parts {
		in := lists.Make(n, func(i int) int { return -1 - i })
		for k, b := range part {
			for _, v := range b {
				in[v] = k
			}
		}
		for v := range n {
			key[v] += fmt.Sprint(in[v], ",")
		}
	}
	return lists.Groups(key)
}

// join makes properties one joint set, with all sets that have one of them.
func (a *analysis) join(kinds map[int]bool) {
	set := slices.Collect(maps.Keys(kinds))
	a.joint = slices.DeleteFunc(a.joint, func(t []int) bool {
		meets := slices.ContainsFunc(t, func(p int) bool { return kinds[p] })
		if meets {
			set = append(set, t...)
		}
		return meets
	})
	slices.Sort(set)
	a.joint = append(a.joint, slices.Compact(set))
}
