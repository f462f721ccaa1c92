package param

import (
	"context"
	"fmt"
	"slices"

	"orbitmc/model"
	"orbitmc/sat"
)

// This file proves conditions by clauses, at all sizes up to the cutoff, and drops candidates of
// which they show that they are not inductive (Flanagan, Leino: Houdini, FME 2001).

// Condition is one condition: that Inv and F have no model together, or F alone.
type Condition struct {
	Step     *Step // nil: the condition of deadlock
	Prop     int   // of the model: the property that it is about; -1: an invariant, see Conjunct
	Conjunct int   // that is to hold after the step; -1: none
	Alone    bool  // without Inv: it is about a start state
	F        Formula
	Params   []Term

	// Total are pointers that are demanded to lead to a component, if they are what their
	// family holds, besides those that are outside of every ∀.
	Total []Term
}

// Conditions returns the conditions to refute, but for those that are true by form.
func (c *Conditions) Conditions() []*Condition {
	var out []*Condition
	add := func(k *Condition) {
		if k.F != False {
			out = append(out, k)
		}
	}
	for i, steps := range [][]*Step{c.Starts, c.Rules} {
		for _, s := range steps {
			for p, e := range s.Errs {
				add(&Condition{Step: s, Prop: p, Conjunct: -1, Alone: i == 0, F: e, Params: s.Params})
			}
			for j, a := range s.After {
				if i == 0 || a != c.Conjuncts[j].F {
					add(&Condition{Step: s, Prop: -1, Conjunct: j, Alone: i == 0, F: c.And(s.Guard, a.Not()), Params: s.Params})
				}
			}
		}
	}
	if p := c.Model.DeadlockProp(); p != nil {
		// No rule names a component here. An arbitrary one of each sort, with what its pointers
		// lead to, is there in any case, and often is what can move.
		k := &Condition{Prop: p.Index, Conjunct: -1, F: c.Stuck}
		one := make(map[int]Term)
		for i := range c.Sorts {
			one[i] = c.Fresh(i)
			k.Params = append(k.Params, one[i])
		}
		seen := make(map[Formula]bool)
		c.pointersAt(k.F, one, seen, &k.Total)
		slices.Sort(k.Total)
		k.Total = slices.Compact(k.Total)
		add(k)
	}
	return out
}

// pointersAt collects the pointers of f, with each variable replaced by the one of its sort.
func (c *Conditions) pointersAt(f Formula, one map[int]Term, seen map[Formula]bool, out *[]Term) {
	f &^= 1
	if seen[f] {
		return
	}
	seen[f] = true
	n := c.Node(f)
	for _, k := range n.Kids {
		c.pointersAt(k, one, seen, out)
	}
	s := substitution{l: c.Logic, by: make(map[Term]Term)}
	for _, v := range c.freeOf(n.Args) {
		s.by[v] = one[c.Sort(v)]
	}
	var visit func(ts []Term)
	visit = func(ts []Term) {
		for _, t := range ts {
			if fam, _, args := c.Applied(t); fam != nil {
				*out = append(*out, s.term(t))
				visit(args)
			}
		}
	}
	visit(n.Args)
}

// Name says what a condition is about.
func (c *Conditions) Name(k *Condition) string {
	what := "deadlock"
	switch {
	case k.Conjunct >= 0:
		what = fmt.Sprintf("%q", c.Conjuncts[k.Conjunct].Prop.Name)
	case k.Step != nil:
		what = fmt.Sprintf("%q", c.Model.Props[k.Prop].Name)
	}
	if k.Step == nil {
		return what
	}
	return fmt.Sprintf("%s after %q", what, k.Step.Name)
}

// Pos returns where the step of a condition is, or its property.
func (c *Conditions) Pos(k *Condition) model.Pos {
	switch {
	case k.Step != nil:
		return k.Step.Pos
	case k.Conjunct >= 0:
		return c.Conjuncts[k.Conjunct].Prop.Pos
	}
	return model.Pos{}
}

// Outcome is what Prove found.
type Outcome struct {
	Kept       []bool // by conjunct: it was not dropped
	Dropped    int
	Conditions int        // that were refuted, besides those true by form
	Cutoff     []int      // by sort: the largest size that had to be looked at
	Failed     *Condition // has a model; nil: all are refuted
	Size       []int      // of that model, by sort
	Weak       bool       // that condition was made weaker
}

// Proved reports whether all conditions were refuted.
func (o *Outcome) Proved() bool { return o.Failed == nil }

// Prove refutes the conditions, at all sizes from the least to the cutoff, with the conjuncts that
// candidate selects as candidates: they may be dropped. The error is that of ctx.
func (c *Conditions) Prove(ctx context.Context, newSolver func() sat.Solver, candidate func(j int) bool) (*Outcome, error) {
	p := &prover{c: c, ctx: ctx, newSolver: newSolver, candidate: candidate, at: make(map[string]*atSize)}
	p.Kept = make([]bool, len(c.Conjuncts))
	inv := make([]Formula, len(c.Conjuncts))
	for j, k := range c.Conjuncts {
		p.Kept[j], inv[j] = true, k.F
	}
	common, _ := c.Witnesses(nil, nil, inv...)
	p.Cutoff = make([]int, len(c.Sorts))
	for _, k := range c.Conditions() {
		need, weak := c.Witnesses(k.Params, k.Total, k.F)
		for i := range need {
			if !k.Alone {
				need[i] += common[i]
			}
			need[i] = max(need[i], c.Sorts[i].Least)
			p.Cutoff[i] = max(p.Cutoff[i], need[i])
		}
		p.todo = append(p.todo, &pending{k, need, weak})
	}
	for {
		before := p.Dropped
		if err := p.pass(); err != nil || p.Failed != nil || p.Dropped == before {
			for _, k := range p.todo {
				if k.Conjunct < 0 || p.Kept[k.Conjunct] {
					p.Outcome.Conditions++
				}
			}
			return &p.Outcome, err
		}
	}
}

type pending struct {
	*Condition
	need []int
	weak bool
}

type prover struct {
	Outcome
	c         *Conditions
	ctx       context.Context
	newSolver func() sat.Solver
	candidate func(j int) bool
	todo      []*pending
	at        map[string]*atSize
}

// atSize is the conditions at one size.
type atSize struct {
	size    []int
	acts    []sat.Lit // by conjunct: implies it
	s       sat.Solver
	queries []*query
}

// query asks for a model of any of some conditions about one step, for one choice of its
// parameters.
type query struct {
	sel   sat.Lit
	conds []*pending
	bad   []sat.Lit // by condition: implies it
}

// pass asks all queries.
func (p *prover) pass() error {
	for size := range vectors(p.c.Sorts, p.Cutoff) {
		a := p.at[fmt.Sprint(size)]
		if a == nil {
			a = p.ground(size)
			p.at[fmt.Sprint(size)] = a
		}
		for _, q := range a.queries {
			for {
				more, err := p.ask(a, q)
				if err != nil {
					return err
				}
				if p.Failed != nil {
					p.Size = slices.Clone(size)
					return nil
				}
				if !more {
					break
				}
			}
		}
	}
	return nil
}

// vectors yields all sizes from the least to the largest, the small ones first.
func vectors(sorts []Sort, most []int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		size := make([]int, len(sorts))
		var choose func(i int) bool
		choose = func(i int) bool {
			if i == len(size) {
				return yield(slices.Clone(size))
			}
			for n := sorts[i].Least; n <= most[i]; n++ {
				size[i] = n
				if !choose(i + 1) {
					return false
				}
			}
			return true
		}
		choose(0)
	}
}

// choices yields the values of params up to a renaming of components.
func (c *Conditions) choices(params []Term, size []int, yield func(values []int)) {
	used := make([]int, len(size))
	values := make([]int, len(params))
	var choose func(i int)
	choose = func(i int) {
		if i == len(params) {
			yield(values)
			return
		}
		s := c.Sort(params[i])
		for v := range min(used[s]+1, size[s]) {
			values[i] = v
			old := used[s]
			used[s] = max(old, v+1)
			choose(i + 1)
			used[s] = old
		}
	}
	choose(0)
}

// ground encodes the conditions that count at a size.
func (p *prover) ground(size []int) *atSize {
	a := &atSize{size: size, s: p.newSolver()}
	g := newGrounding(p.c, a.s, size)
	g.begin(nil, nil)
	for _, k := range p.c.Conjuncts {
		a.acts = append(a.acts, g.assert(k.F))
	}
	byStep := make(map[*Step][]*pending)
	var steps []*Step
	for _, k := range p.todo {
		fits := true
		for i, n := range size {
			fits = fits && n <= k.need[i]
		}
		if !fits {
			continue
		}
		if byStep[k.Step] == nil {
			steps = append(steps, k.Step)
		}
		byStep[k.Step] = append(byStep[k.Step], k)
	}
	for _, s := range steps {
		conds := byStep[s]
		p.c.choices(conds[0].Params, size, func(values []int) {
			q := &query{sel: a.s.NewVar(), conds: conds}
			g.begin(conds[0].Params, values)
			any := []sat.Lit{q.sel.Not()}
			for _, k := range conds {
				q.bad = append(q.bad, g.assert(k.F, k.Total...))
			}
			a.s.Add(append(any, q.bad...)...)
			a.queries = append(a.queries, q)
		})
	}
	return a
}

// ask drops candidates that a model of a query refutes; more says that there was one.
func (p *prover) ask(a *atSize, q *query) (more bool, err error) {
	assume := []sat.Lit{q.sel}
	for i, k := range q.conds {
		if k.Conjunct >= 0 && !p.Kept[k.Conjunct] {
			assume = append(assume, q.bad[i].Not())
		}
	}
	if !q.conds[0].Alone {
		for j, l := range a.acts {
			if p.Kept[j] {
				assume = append(assume, l)
			}
		}
	}
	switch a.s.Solve(p.ctx, assume...) {
	case sat.Unknown:
		return false, p.ctx.Err()
	case sat.Unsat:
		return false, nil
	}
	for i, k := range q.conds {
		if k.Conjunct >= 0 && !p.Kept[k.Conjunct] || !a.s.Value(q.bad[i]) {
			continue
		}
		if k.Conjunct < 0 || !p.candidate(k.Conjunct) {
			p.Failed, p.Weak = k.Condition, k.weak
			return true, nil
		}
		p.Kept[k.Conjunct] = false
		p.Dropped++
	}
	return true, nil
}
