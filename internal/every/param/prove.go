package param

import (
	"context"
	"fmt"
	"math"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/model"
	"orbitmc/sat"
)

// This file proves conditions by clauses, at all sizes up to the cutoff. Lemmas are candidates, and a proof
// needs few of them. A candidate is added when the core of a refutation contains it. Then the conditions of
// this candidate must be refuted, too. If one of them has a model, the candidate is dropped (Flanagan, Leino:
// Houdini, FME 2001, which begins with all candidates). So a condition has few conjuncts, and a low cutoff.

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

// conditions makes the conditions, but for those about candidates.
func (c *Conditions) conditions(candidate func(*model.Property) bool) {
	for i, steps := range [][]*Step{c.Starts, c.Rules} {
		for _, s := range steps {
			for p, e := range s.Errs {
				c.all = c.with(c.all, &Condition{Step: s, Prop: p, Conjunct: -1, Alone: i == 0, F: e, Params: s.Params})
			}
			for j, k := range c.Conjuncts {
				if k.Assumed || candidate == nil || !candidate(k.Prop) {
					c.all = c.about(c.all, s, j, i == 0)
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
		c.all = c.with(c.all, k)
	}
}

// with appends a condition, unless it is true by form.
func (c *Conditions) with(all []*Condition, k *Condition) []*Condition {
	if k.F == False {
		return all
	}
	k.Known = c.numbers(k)
	k.F = c.And(k.F, k.Known)
	return append(all, k)
}

// about appends the condition that a conjunct holds after a step. A step that says the same of it before
// and after keeps it.
func (c *Conditions) about(all []*Condition, s *Step, conjunct int, start bool) []*Condition {
	a := c.After(s, conjunct)
	if !start && a == c.Conjuncts[conjunct].F {
		return all
	}
	k := &Condition{Step: s, Prop: -1, Conjunct: conjunct, Alone: start, F: c.And(s.Guard, a.Not()), Params: s.Params}
	switch assumed := c.Conjuncts[conjunct].Assumed; {
	case assumed && !start:
		_, err := s.run.judge(c.Conjuncts[conjunct].Prop)
		k.Prop, k.Conjunct, k.F = c.Model.Runtime().Index, -1, c.And(s.Guard, err)
	case !start:
		for j, g := range c.Conjuncts {
			if !g.Assumed {
				continue // what a candidate says after a step is made when a proof asks
			}
			if b := c.After(s, j); b != g.F {
				k.F = c.And(k.F, b)
			}
		}
	}
	return c.with(all, k)
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
	c.applied(n.Args, func(t Term) {
		if c.index(c.Sort(t)) {
			*out = append(*out, s.term(t))
		}
	})
}

// Property returns the property that a condition is about.
func (c *Conditions) Property(k *Condition) *model.Property {
	if k.Conjunct >= 0 {
		return c.Conjuncts[k.Conjunct].Prop
	}
	return c.Model.Props[k.Prop]
}

// Name says what a condition is about.
func (c *Conditions) Name(k *Condition) string {
	if k.Step == nil {
		return "deadlock"
	}
	return fmt.Sprintf("%q after %q", c.Property(k).Name, k.Step.Name)
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
	Kept       []bool     // by conjunct: the proof has it
	Dropped    int        // candidates that are not inductive
	Lost       []bool     // by conjunct: it is one of these
	Conditions int        // that were refuted, besides those true by form
	Cutoff     []int      // by sort: the largest size that had to be looked at
	Failed     *Condition // has a model; nil: all are refuted
	Size       []int      // of that model, by sort
	Weak       bool       // that condition was made weaker, or is heavy; all others but such are refuted
	Heavy      bool       // some condition is, and none was made weaker and has a model
	Open       []Open     // with Each, all that have a model; else those that were made weaker
}

// Open is a condition that has a model, of the given sizes by sort.
type Open struct {
	*Condition
	Size []int
}

// Proved reports whether all conditions were refuted.
func (o *Outcome) Proved() bool { return o.Failed == nil }

// Prove refutes the conditions, at all sizes from the least to the cutoff. The conjuncts that
// candidate selects may be left out. It begins without them; where a condition has a model,
// candidates without which it has one are added, and their conditions with them. Those that there is
// some component are added last, as each raises the cutoff. If conditions are left open since they
// were made weaker, all candidates that are inductive are kept. The error is that of ctx.
func (c *Conditions) Prove(ctx context.Context, newSolver func() sat.Solver, candidate func(j int) bool) (*Outcome, error) {
	o, err := c.prove(ctx, newSolver, candidate, false)
	if err == nil && o.Weak && !o.Heavy {
		return c.prove(ctx, newSolver, candidate, true)
	}
	return o, err
}

// prove is Prove; if all, with all candidates that are inductive.
func (c *Conditions) prove(ctx context.Context, newSolver func() sat.Solver, candidate func(j int) bool, all bool) (*Outcome, error) {
	own := func(j int) bool { return !c.Conjuncts[j].Assumed && candidate(j) }
	p := &prover{c: c, ctx: ctx, newSolver: newSolver, candidate: own, made: make(map[int]bool)}
	for j, k := range c.Conjuncts {
		need, _ := c.Witnesses(k.F)
		p.Kept = append(p.Kept, all || !own(j))
		p.some = append(p.some, slices.Max(append(need, 0)) > 0)
	}
	p.Lost = make([]bool, len(p.Kept))
	p.of = make(map[*Step]int)
	for _, s := range slices.Concat(c.Starts, c.Rules) {
		p.of[s] = len(p.steps)
		p.steps = append(p.steps, nil)
	}
	p.of[nil] = len(p.steps) // deadlock
	p.steps = append(p.steps, nil)
	for _, k := range c.Conditions() {
		p.refute(k)
		p.made[k.Conjunct] = true
	}
	c.ctx = ctx
	defer func() { c.ctx = nil }()
	// Of integers in conditions to come all gates have to be known.
	c.integers = c.integers || slices.ContainsFunc(c.terms, func(t termNode) bool { return t.sort == Ints && t.sum == nil })
	for j, kept := range p.Kept {
		if kept && own(j) {
			if err := p.keep(j); err != nil {
				return nil, err
			}
		}
	}
	p.Cutoff = make([]int, len(c.Sorts))
	p.count()
	for {
		before := p.changes
		if err := p.pass(); err != nil || p.Failed != nil || p.changes == before {
			if err == nil && p.Failed == nil && p.Open == nil {
				for _, k := range p.todo {
					if p.wanted(k) && k.heavy {
						p.Heavy = true
						p.Open = append(p.Open, Open{k.Condition, lists.Map(c.Sorts, func(s Sort) int { return s.Least })})
					}
				}
			}
			if err == nil && p.Failed == nil && p.Open != nil {
				p.Failed, p.Size, p.Weak = p.Open[0].Condition, p.Open[0].Size, !p.strong
			}
			for _, k := range p.todo {
				if p.wanted(k) {
					p.Outcome.Conditions++
				}
			}
			return &p.Outcome, err
		}
	}
}

// refute adds a condition to those that are left.
func (p *prover) refute(k *Condition) {
	if p.c.rules.ignored != nil && p.c.rules.ignored(k) {
		return
	}
	q := &pending{Condition: k}
	p.todo = append(p.todo, q)
	n := p.of[k.Step]
	p.steps[n] = append(p.steps[n], q)
}

// keep adds a candidate, and the conditions about it. One that is outside of what can be proved is dropped.
func (p *prover) keep(j int) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Refusal:
			p.drop(j)
		case stopped:
			err = r.err
		default:
			panic(r)
		}
	}()
	p.Kept[j] = true
	p.changes++
	if p.made[j] {
		return nil
	}
	p.made[j] = true
	var all []*Condition
	for i, steps := range [][]*Step{p.c.Starts, p.c.Rules} {
		for _, s := range steps {
			p.c.pos = s.Pos
			all = p.c.about(all, s, j, i == 0)
		}
	}
	for _, k := range all {
		p.refute(k)
	}
	return nil
}

// drop leaves a candidate out for good.
func (p *prover) drop(j int) {
	p.Kept[j], p.Lost[j] = false, true
	p.Dropped++
	p.changes++
}

// wanted reports whether a condition is about what is kept, or an error or deadlock.
func (p *prover) wanted(k *pending) bool { return k.Conjunct < 0 || p.Kept[k.Conjunct] }

// count computes how many components the conditions need that are left.
func (p *prover) count() {
	c := p.c
	p.counted = p.changes
	common := c.newWitnesses()
	for j, k := range c.Conjuncts {
		if p.Kept[j] {
			common.demand(k.F)
		}
	}
	clear(p.Cutoff)
	for _, k := range p.todo {
		if !p.wanted(k) {
			continue
		}
		w := c.newWitnesses()
		if !k.Alone {
			w = common.clone()
		}
		w.with(k.Condition)
		k.need, k.weak, k.fused = w.sizes(), w.weak, w.fused
		k.heavy = c.Most > 0 && c.instances(k.F, k.need, make(map[Formula]int)) > c.Most
		for j, x := range c.Conjuncts {
			k.heavy = k.heavy || c.Most > 0 && !k.Alone && p.Kept[j] && c.instances(x.F, k.need, make(map[Formula]int)) > c.Most
		}
		for i := range k.need {
			k.need[i] = max(k.need[i]-c.rules.fewer, c.Sorts[i].Least)
			p.Cutoff[i] = max(p.Cutoff[i], k.need[i])
		}
	}
}

// Heavy reports whether some condition has more than Most instances already without candidates.
func (c *Conditions) Heavy() bool {
	return slices.ContainsFunc(c.all, func(k *Condition) bool {
		w := c.newWitnesses()
		w.with(k)
		return c.instances(k.F, w.sizes(), make(map[Formula]int)) > c.Most
	})
}

// instances returns how many choices of components quantifiers of f inside each other make, at most.
func (c *Conditions) instances(f Formula, size []int, known map[Formula]int) int {
	f &^= 1
	n := c.Node(f)
	if n.height == 0 {
		return 1
	}
	most, ok := known[f]
	if !ok {
		for _, k := range n.Kids {
			most = max(most, c.instances(k, size, known))
		}
		if n.Kind == All {
			most = min(most*size[c.Sort(n.Var)], math.MaxInt32)
		}
		known[f] = most
	}
	return most
}

// tried is how many of the first sizes are looked at though a larger one would do: they have simple models, if any.
const tried = 3

type pending struct {
	*Condition
	need  []int
	weak  bool
	fused []bool // by sort: all sizes matter, and not only need
	heavy bool   // only the first sizes are looked at
	open  bool   // it has a model, and is weak or one of all
	done  []refutation
}

// refutation is that a condition has no model of sizes from sure to size, by sort, with the candidates that were left after some
// were dropped.
type refutation struct {
	sure, size []int
	drops      int
}

type prover struct {
	Outcome
	c          *Conditions
	ctx        context.Context
	newSolver  func() sat.Solver
	candidate  func(j int) bool
	some       []bool       // by conjunct: it says that there is some component
	made       map[int]bool // by conjunct: its conditions are made
	todo       []*pending
	steps      [][]*pending          // the same by step
	of         map[*Step]int         // by step: its index in steps; nil is deadlock
	sure, size []int                 // at hand: the sizes from sure to size
	changes    int                   // of what is kept
	counted    int                   // how many there were when need was computed
	shared     *invariant            // of the size at hand: what is kept; nil: none so far
	all        map[string]*invariant // by size: candidates, too
	strong     bool                  // some condition is open that was not made weaker
}

// pass asks all queries that are left: at a few first sizes, where a candidate that is not inductive fails without many
// components, and then at all sizes that matter to a condition at once.
func (p *prover) pass() error {
	least := lists.Map(p.c.Sorts, func(s Sort) int { return s.Least })
	for more := 0; more < tried || 2*more <= slices.Max(append(p.Cutoff, 0)); more = max(more+1, 2*more) {
		size := slices.Clone(least)
		for i := range size {
			size[i] = min(size[i]+more, max(p.Cutoff[i], size[i]))
		}
		if err := p.at(size, size, false); err != nil || p.Failed != nil {
			return err
		}
	}
	for {
		if p.counted < p.changes {
			p.count()
		}
		var size []int
		sure := slices.Clone(least)
		for _, k := range p.todo {
			if p.left(k, k.need, true) && (size == nil || slices.Compare(k.need, size) < 0) {
				size = k.need
			}
		}
		if size == nil {
			return nil
		}
		for i := range sure {
			if !slices.ContainsFunc(p.todo, func(k *pending) bool { return slices.Equal(k.need, size) && !p.copies(k, i) }) {
				sure[i] = size[i]
			}
		}
		if err := p.at(sure, size, true); err != nil || p.Failed != nil {
			return err
		}
	}
}

// copies reports whether a condition that has a model has one with more components of a sort.
func (p *prover) copies(k *pending, sort int) bool {
	return !k.fused[sort] && !p.c.integers || p.c.rules.copied || p.c.rules.largest
}

// at asks the queries that are left at the sizes from sure to size; if last, about conditions to which no others matter.
func (p *prover) at(sure, size []int, last bool) error {
	if p.counted < p.changes {
		p.count()
	}
	p.sure, p.size, p.shared, p.all = sure, size, nil, make(map[string]*invariant)
	for n, all := range p.steps {
		if p.c.Watch != nil {
			p.c.Watch(size, p.Cutoff, n+1, len(p.steps))
		}
		for again := true; again; {
			conds := lists.Where(all, func(k *pending) bool { return p.left(k, size, last) })
			if len(conds) == 0 {
				break
			}
			dropped := p.Dropped
			if err := p.decide(conds); err != nil || p.Failed != nil {
				return err
			}
			if again = p.Dropped > dropped; !again {
				for _, k := range conds {
					k.done = append(k.done, refutation{sure, size, dropped})
				}
			}
		}
	}
	return nil
}

// left reports whether a condition is to be refuted at a size; if last, at all that matter to it, and size is what it needs.
// What was refuted stays so when candidates are added, and is open again when one is dropped.
func (p *prover) left(k *pending, size []int, last bool) bool {
	if k.open || k.need == nil || !p.wanted(k) || last && (k.heavy || !slices.Equal(k.need, size)) {
		return false
	}
	for i, n := range size {
		if n > k.need[i] || p.c.rules.largest && n < k.need[i] {
			return false
		}
	}
	return !slices.ContainsFunc(k.done, func(d refutation) bool {
		fits := k.Alone || d.drops == p.Dropped
		for i, n := range size {
			from := n
			switch {
			case last && p.copies(k, i):
				from = d.size[i]
			case last:
				from = p.c.Sorts[i].Least
			}
			fits = fits && d.sure[i] <= from && n <= d.size[i]
		}
		return fits
	})
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

// invariant is a solver that has conjuncts at a size.
type invariant struct {
	s    sat.Solver
	g    *grounding
	acts map[int]sat.Lit // by conjunct: implies it
}

// invariant returns a new solver for sizes.
func (p *prover) invariant(sure, size []int) *invariant {
	i := &invariant{s: p.newSolver(), acts: make(map[int]sat.Lit)}
	i.g = newGrounding(p.ctx, p.c, i.s, sure, size)
	return i
}

func (p *prover) add(i *invariant, j int) {
	i.g.begin(nil, nil)
	i.acts[j] = i.g.assert(p.c.Conjuncts[j].F)
}

// decide decides conditions about a step at the size at hand. It ends when a candidate is dropped.
func (p *prover) decide(conds []*pending) error {
	i := p.shared
	switch {
	case conds[0].Alone:
		i = p.invariant(p.sure, p.size)
	case i == nil:
		i = p.invariant(p.sure, p.size)
		for j, kept := range p.Kept {
			if kept {
				p.add(i, j)
				i.s.Add(i.acts[j])
			}
		}
		p.shared = i
	}
	dropped := p.Dropped
	var err error
	p.c.choices(conds[0].Params, p.size, func(values []int) {
		if err != nil || p.Failed != nil || p.Dropped > dropped {
			return
		}
		sel := i.s.NewVar()
		i.g.begin(conds[0].Params, values)
		var bad []sat.Lit // by condition: implies it
		for _, k := range conds {
			bad = append(bad, i.g.assert(k.F, k.Total...))
		}
		i.s.Add(append([]sat.Lit{sel.Not()}, bad...)...)
		for err == nil && p.Failed == nil && p.Dropped == dropped {
			assume := []sat.Lit{sel}
			for n, k := range conds {
				if k.open {
					assume = append(assume, bad[n].Not())
				}
			}
			var status sat.Status
			if status, err = p.solve(i, assume, bad); status != sat.Sat {
				break
			}
			kept := slices.Clone(p.Kept)
			var size []int
			var is []bool
			if size, is, err = p.fewest(i, assume, bad); err != nil {
				break
			}
			for n, k := range conds {
				if is[n] && !k.open && err == nil && p.Failed == nil {
					err = p.strengthen(k, values, size)
				}
			}
			for j, is := range p.Kept {
				if is && !kept[j] && !conds[0].Alone {
					p.add(i, j)
					i.s.Add(i.acts[j])
				}
			}
		}
		i.s.Add(sel.Not())
	})
	if p.Dropped > dropped {
		p.shared = nil
	}
	return err
}

// fewest returns the sizes of a model of which no sort can have fewer components, the others staying as they are, and which
// of bad are true in it. The solver has a model.
func (p *prover) fewest(i *invariant, assume, bad []sat.Lit) (size []int, is []bool, err error) {
	size, is = i.sizes(), lists.Map(bad, i.s.Value)
	for sort, all := range i.g.there {
		n := size[sort] - i.g.sure[sort]
		for ; n > 0; n = size[sort] - i.g.sure[sort] {
			status, err := p.solve(i, append(slices.Clip(assume), all[n-1].Not()), bad)
			if err != nil {
				return nil, nil, err
			}
			if status == sat.Unsat {
				break
			}
			size, is = i.sizes(), lists.Map(bad, i.s.Value)
		}
		if n < len(all) {
			assume = append(slices.Clip(assume), all[n].Not())
		}
	}
	return size, is, nil
}

// strengthen keeps candidates with which a condition has no model for some values of its parameters. If
// there are none, it drops the candidate that the condition is about, or the proof has failed. It has a model of the given
// sizes with what is kept so far.
func (p *prover) strengthen(k *pending, values, size []int) error {
	for _, some := range []bool{false, true} {
		if k.Alone {
			break
		}
		i := p.all[fmt.Sprint(size)]
		if i == nil {
			i = p.invariant(size, size)
			p.all[fmt.Sprint(size)] = i
		}
		var acts []sat.Lit // those that may be left out come last
		of := make(map[sat.Lit]int)
		for _, kept := range []bool{true, false} {
			for j := range p.Kept {
				if p.Kept[j] != kept || p.Lost[j] || !kept && p.some[j] && !some {
					continue
				}
				if _, ok := i.acts[j]; !ok {
					p.add(i, j)
				}
				acts, of[i.acts[j]] = append(acts, i.acts[j]), j
			}
		}
		i.g.begin(k.Params, values)
		bad := i.g.assert(k.F, k.Total...)
		acts = append(acts, bad)
		status, err := p.solve(i, acts, []sat.Lit{bad})
		if err != nil {
			return err
		}
		if status == sat.Sat {
			if some && p.c.Met != nil {
				p.c.Met(i.cti(p.c.Families))
			}
			continue
		}
		acts = ordered(i.s.Core(), acts)
		for n := len(acts) - 1; n >= 0; n-- {
			if j, ok := of[acts[n]]; !ok || p.Kept[j] {
				continue
			}
			fewer := slices.Delete(slices.Clone(acts), n, n+1)
			if status, err = p.solve(i, fewer, []sat.Lit{bad}); err != nil {
				return err
			}
			if status == sat.Unsat {
				acts = ordered(i.s.Core(), fewer)
				n = min(n, len(acts))
			}
		}
		for _, l := range acts {
			if j, ok := of[l]; ok && !p.Kept[j] {
				if err := p.keep(j); err != nil {
					return err
				}
			}
		}
		return nil
	}
	switch {
	case k.Conjunct >= 0 && p.candidate(k.Conjunct):
		p.drop(k.Conjunct)
	case k.weak || p.c.Each:
		k.open, p.strong = true, p.strong || !k.weak
		p.Open = append(p.Open, Open{k.Condition, size})
	default:
		p.Failed, p.Size = k.Condition, size
	}
	return nil
}

// ordered returns a core in the order of the assumptions.
func ordered(core, assumed []sat.Lit) []sat.Lit {
	return slices.DeleteFunc(slices.Clone(assumed), func(l sat.Lit) bool { return !slices.Contains(core, l) })
}

// solve solves until the integers have a solution where the formulas say what they say. Of bad
// those are meant that are true.
func (p *prover) solve(i *invariant, assume, bad []sat.Lit) (sat.Status, error) {
	for {
		// What was left out after the end of the context makes queries weaker.
		if err := p.ctx.Err(); err != nil {
			return sat.Unknown, err
		}
		status := i.s.Solve(p.ctx, assume...)
		if status == sat.Unknown {
			return status, p.ctx.Err()
		}
		if status == sat.Unsat {
			return status, nil
		}
		var roots []sat.Lit // what the model makes true
		for j := range p.c.Conjuncts {
			if l, ok := i.acts[j]; ok && i.s.Value(l) {
				roots = append(roots, l)
			}
		}
		for _, l := range bad {
			if i.s.Value(l) {
				roots = append(roots, l)
			}
		}
		clause := i.g.contradiction(roots)
		if clause == nil {
			return status, nil
		}
		i.s.Add(clause...)
	}
}
