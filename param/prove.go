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
	Step     *Step   // nil: the condition of deadlock
	Prop     int     // of the model: the property that it is about; -1: an invariant, see Conjunct
	Conjunct int     // that is to hold after the step; -1: none
	Alone    bool    // without Inv: it is about a start state
	F        Formula // it says Known, too
	Known    Formula // what is true of its numbers
	Params   []Term

	// Total are pointers that are demanded to lead to a component, if they are what their
	// family holds, besides those that are outside of every ∀.
	Total []Term
}

// Conditions returns the conditions to refute, but for those that are true by form.
func (c *Conditions) Conditions() []*Condition { return c.all }

func (c *Conditions) conditions() []*Condition {
	var out []*Condition
	add := func(k *Condition) {
		if k.F != False {
			k.Known = c.numbers(k)
			k.F = c.And(k.F, k.Known)
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
		// lead to, is there in any case, and often is what can move. Pointers that are no
		// indices matter less.
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

// index reports whether components of a sort are indices of the state.
func (c *Conditions) index(sort int) bool {
	return slices.ContainsFunc(c.Families, func(f *Family) bool { return slices.Contains(f.Args, sort) })
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
		if !c.named(v) {
			s.by[v] = one[c.Sort(v)]
		}
	}
	var visit func(ts []Term)
	visit = func(ts []Term) {
		for _, t := range ts {
			if fam, _, args := c.Applied(t); fam != nil {
				if c.index(c.Sort(t)) {
					*out = append(*out, s.term(t))
				}
				visit(args)
			}
			for _, p := range c.summands(t) {
				visit([]Term{p.T})
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
	Weak       bool       // that condition was made weaker; all others but such are refuted
}

// Proved reports whether all conditions were refuted.
func (o *Outcome) Proved() bool { return o.Failed == nil }

// Prove refutes the conditions, at all sizes from the least to the cutoff, with the conjuncts that
// candidate selects as candidates: they may be dropped. It first does without candidates that
// there is some component, as each of them raises the cutoff; if it needs some, it leaves out
// again each of them that the proof can do without. The error is that of ctx.
func (c *Conditions) Prove(ctx context.Context, newSolver func() sat.Solver, candidate func(j int) bool) (*Outcome, error) {
	kept := make([]bool, len(c.Conjuncts))
	all := true
	for j, k := range c.Conjuncts {
		need, _ := c.Witnesses(k.F)
		kept[j] = !candidate(j) || slices.Max(append(need, 0)) == 0
		all = all && kept[j]
	}
	o, err := c.prove(ctx, newSolver, candidate, slices.Clone(kept))
	if err != nil || o.Proved() || all {
		return o, err
	}
	witness := make([]bool, len(kept))
	for j := range kept {
		witness[j], kept[j] = !kept[j], true
	}
	if o, err = c.prove(ctx, newSolver, candidate, kept); err != nil || !o.Proved() {
		return o, err
	}
	for j := range witness {
		if !witness[j] || !o.Kept[j] {
			continue
		}
		fewer := slices.Clone(o.Kept)
		fewer[j] = false
		without, err := c.prove(ctx, newSolver, candidate, fewer)
		if err != nil {
			return nil, err
		}
		if without.Proved() {
			o = without
		}
	}
	return o, nil
}

func (c *Conditions) prove(ctx context.Context, newSolver func() sat.Solver, candidate func(j int) bool, kept []bool) (*Outcome, error) {
	p := &prover{c: c, ctx: ctx, newSolver: newSolver, candidate: candidate}
	p.Kept = kept
	for _, k := range c.Conditions() {
		if k.Conjunct >= 0 && !kept[k.Conjunct] || c.rules.ignored != nil && c.rules.ignored(k) {
			continue
		}
		if n := len(p.todo); n == 0 || p.todo[n-1].Step != k.Step {
			p.steps = append(p.steps, nil)
		}
		p.todo = append(p.todo, &pending{Condition: k})
		p.steps[len(p.steps)-1] = append(p.steps[len(p.steps)-1], p.todo[len(p.todo)-1])
	}
	p.Cutoff = make([]int, len(c.Sorts))
	p.count()
	for {
		before := p.Dropped
		if err := p.pass(); err != nil || p.Failed != nil || p.Dropped == before {
			if err == nil && p.Failed == nil {
				p.Failed, p.Size, p.Weak = p.open, p.openSize, p.open != nil
			}
			for _, k := range p.todo {
				if k.Conjunct < 0 || p.Kept[k.Conjunct] {
					p.Outcome.Conditions++
				}
			}
			return &p.Outcome, err
		}
	}
}

// count computes how many components the conditions need that are left.
func (p *prover) count() {
	c := p.c
	p.counted = p.Dropped
	common := c.newWitnesses()
	for j, k := range c.Conjuncts {
		if p.Kept[j] {
			common.demand(k.F)
		}
	}
	clear(p.Cutoff)
	for _, k := range p.todo {
		if k.Conjunct >= 0 && !p.Kept[k.Conjunct] {
			continue
		}
		w := c.newWitnesses()
		if !k.Alone {
			w = common.clone()
		}
		w.with(k.Condition)
		k.need, k.weak = w.need, w.weak
		for i := range k.need {
			k.need[i] = max(k.need[i]-c.rules.fewer, c.Sorts[i].Least)
			p.Cutoff[i] = max(p.Cutoff[i], k.need[i])
		}
	}
}

type pending struct {
	*Condition
	need []int
	weak bool
	open bool // it has a model, and is weak
}

type prover struct {
	Outcome
	c         *Conditions
	ctx       context.Context
	newSolver func() sat.Solver
	candidate func(j int) bool
	todo      []*pending
	steps     [][]*pending // the same by step
	size      []int        // at hand
	counted   int          // how many were dropped when need was computed
	shared    *invariant   // of the size at hand, without candidates that were dropped; nil: none so far
	open      *Condition   // the first that is open
	openSize  []int
}

// query asks for a model of any of some conditions about one step, for one choice of its
// parameters.
type query struct {
	sel   sat.Lit
	inv   *invariant
	conds []*pending
	bad   []sat.Lit // by condition: implies it
}

// pass asks all queries.
func (p *prover) pass() error {
	for size := range vectors(p.c.Sorts, p.Cutoff) {
		if p.counted < p.Dropped {
			p.count() // fewer conjuncts need fewer components
		}
		p.shared = nil
		if p.c.Watch != nil {
			p.c.Watch(size, p.Cutoff)
		}
		for _, conds := range p.steps {
			conds = slices.DeleteFunc(slices.Clone(conds), func(k *pending) bool {
				over := k.open || k.Conjunct >= 0 && !p.Kept[k.Conjunct]
				for i, n := range size {
					over = over || n > k.need[i] || p.c.rules.largest && n < k.need[i]
				}
				return over
			})
			if len(conds) == 0 {
				continue
			}
			before := p.Dropped
			p.size = size
			err := p.decide(size, conds, true)
			if err == nil && p.Failed == nil && p.Dropped > before {
				err = p.decide(size, conds, false)
			}
			if err != nil {
				return err
			}
			if p.Failed != nil {
				p.Size = slices.Clone(size)
				return nil
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
	for _, n := range c.Names {
		used[n.Sort]++
	}
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

// invariant is a solver that has the conjuncts at a size.
type invariant struct {
	s    sat.Solver
	g    *grounding
	acts map[int]sat.Lit // by conjunct: implies it
}

// invariant returns a new solver with the conjuncts that are kept, if any is wanted. If fixed, they
// are true for good.
func (p *prover) invariant(size []int, wanted, fixed bool) *invariant {
	i := &invariant{s: p.newSolver(), acts: make(map[int]sat.Lit)}
	i.g = newGrounding(p.ctx, p.c, i.s, size)
	i.g.begin(nil, nil)
	for j, k := range p.c.Conjuncts {
		if wanted && p.Kept[j] {
			i.acts[j] = i.g.assert(k.F)
			if fixed {
				i.s.Add(i.acts[j])
			}
		}
	}
	return i
}

// decide decides the conditions about a step at a size. If fixed, the conjuncts are true for good,
// which is fast, and it ends when one is dropped; steps share a solver then.
func (p *prover) decide(size []int, conds []*pending, fixed bool) error {
	i := p.shared
	switch {
	case conds[0].Alone || !fixed:
		i = p.invariant(size, !conds[0].Alone, fixed)
	case i == nil:
		i = p.invariant(size, true, true)
		p.shared = i
	}
	s, g, acts := i.s, i.g, i.acts
	dropped := p.Dropped
	defer func() {
		if p.Dropped > dropped {
			p.shared = nil
		}
	}()
	var err error
	p.c.choices(conds[0].Params, size, func(values []int) {
		if err != nil || p.Failed != nil {
			return
		}
		q := &query{sel: s.NewVar(), inv: i, conds: conds}
		g.begin(conds[0].Params, values)
		any := []sat.Lit{q.sel.Not()}
		for _, k := range conds {
			q.bad = append(q.bad, g.assert(k.F, k.Total...))
		}
		s.Add(append(any, q.bad...)...)
		// What was left out after the end of the context makes queries weaker.
		for more := true; more && p.Failed == nil; {
			if err = p.ctx.Err(); err != nil {
				return
			}
			assume := []sat.Lit{q.sel}
			for j := range p.c.Conjuncts {
				if l, ok := acts[j]; ok && p.Kept[j] && !fixed {
					assume = append(assume, l)
				}
			}
			before := p.Dropped
			if more, err = p.ask(s, q, assume); err != nil {
				return
			}
			if fixed && p.Dropped > before {
				return
			}
		}
		s.Add(q.sel.Not())
	})
	return err
}

// ask drops candidates that a model of a query refutes; more says that there was one.
func (p *prover) ask(s sat.Solver, q *query, assume []sat.Lit) (more bool, err error) {
	for i, k := range q.conds {
		if k.open || k.Conjunct >= 0 && !p.Kept[k.Conjunct] {
			assume = append(assume, q.bad[i].Not())
		}
	}
	for solved := false; !solved; {
		switch s.Solve(p.ctx, assume...) {
		case sat.Unknown:
			return false, p.ctx.Err()
		case sat.Unsat:
			return false, nil
		}
		var roots []sat.Lit // what the model makes true
		for j := range p.c.Conjuncts {
			if l, ok := q.inv.acts[j]; ok && s.Value(l) {
				roots = append(roots, l)
			}
		}
		for _, l := range q.bad {
			if s.Value(l) {
				roots = append(roots, l)
			}
		}
		clause := q.inv.g.contradiction(roots)
		if solved = clause == nil; !solved {
			s.Add(clause...)
		}
	}
	for i, k := range q.conds {
		if k.open || k.Conjunct >= 0 && !p.Kept[k.Conjunct] || !s.Value(q.bad[i]) {
			continue
		}
		if k.Conjunct < 0 || !p.candidate(k.Conjunct) {
			if k.weak {
				k.open = true
				if p.open == nil {
					p.open, p.openSize = k.Condition, slices.Clone(p.size)
				}
				continue
			}
			p.Failed = k.Condition
			return true, nil
		}
		p.Kept[k.Conjunct] = false
		p.Dropped++
	}
	return true, nil
}
