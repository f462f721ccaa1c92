package explicit

import (
	"context"
	"slices"
	"time"

	"orbitmc/internal/lists"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// This file is adaptive symmetry reduction (Wahl, CAV 2007): search where rules are symmetric
// under some permutations only, each under its own (model.Family). docs/theory/adaptive.md has the
// theorem and its proof.
//
// A state is annotated with a group, of permutations within cells of values and of rotations of rings
// (model.Kept): (s, P) stands for all p(s), p in <P>, its orbit. A rule that is symmetric under Q turns P into R, the meet of P and Q. For its instances (s, P) is unwound:
// divided into states u such that the orbits of the (u, R) are that of (s, P). An annotated
// state is subsumed by another one whose orbit contains its own, and dropped.
//
// One thing differs from the paper: a state that is subsumed by one that was found later is
// dropped only if both are of one layer. Otherwise what the first leads to would be found a
// layer later, and depths would not be least.

// adaptive is one search.
type adaptive struct {
	aims
	p      *model.Program
	m      *model.Machine
	packer *model.Packer
	rules  []ruleSet    // by what they keep
	whole  *keptSet     // contains the annotations of all states
	common *keptSet     // what all rules keep
	rings  []model.Ring // that some rule keeps
	table  map[string]*keptSet
	groups []*keptSet // by number
	kept   []*keptSet // by property: what it keeps
	errors *keptSet   // of what the evaluation of properties may raise

	packed row // states, packed: each is least in its orbit
	states []annotated
	known  index

	expanded, taken, older model.State // scratch

	layer   []int // of states to be expanded
	next    []int
	fired   int64
	live    int64 // states that were not dropped
	spared  int64 // states that were dropped, or not taken, as others stand for them
	reason  Reason
	idle    []bool
	variant adaptiveVariant

	position []int // by state: its number in the evidence
}

// annotated is a state that was taken into the search.
type annotated struct {
	under   int32 // number of its annotation
	parent  int32 // the state that it was first reached from, or noParent
	depth   int32
	dropped bool // another state stands for it

	// See index, by numbers from 1; 0 is none.
	chain int32 // the state before in the same bucket
	same  int32 // the state before with the same hash of annotation and least state
}

// ruleSet is the instances of all families that keep the same permutations.
type ruleSet struct {
	kept      *keptSet
	instances []model.Choice
}

// keptSet is a group that occurs in the search.
type keptSet struct {
	model.Kept
	number int
	blocks [][][]int
	canon  *canonicaliser
	meets  map[int]*keptSet
	inside map[int]bool  // by number of another group: this one is part of it
	plans  map[int]*plan // by number of a part: how it is divided into that
}

// adaptiveVariant has the steps on which soundness depends. Tests break them.
type adaptiveVariant struct {
	meet   func(a *adaptive, p, q *keptSet) *keptSet // the annotation of successors
	across bool                                      // a state may replace one of an earlier layer
}

// newAdaptive prepares a search under Options.Partial.
func newAdaptive(p *model.Program, opt Options) (*adaptive, error) {
	m := p.Model
	looks, err := newAims(m, opt)
	if err != nil {
		return nil, err
	}
	packer := model.NewPacker(m)
	a := &adaptive{aims: looks, p: p, m: p.NewMachine(), packer: packer, packed: newRow(packer.Size()), table: make(map[string]*keptSet),
		known: newIndex(), idle: slices.Repeat([]bool{true}, len(m.Rules)), variant: adaptiveVariant{meet: (*adaptive).meet}}
	coarsest := model.Kept{Cells: model.SingleCells(m)}
	for i := range opt.Partial.Families {
		f := &opt.Partial.Families[i]
		coarsest = coarsest.Join(m, f.Kept)
	}
	for i := range opt.Partial.Families {
		f := &opt.Partial.Families[i]
		c, err := a.set(f.Kept)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(a.rules, func(r ruleSet) bool { return r.kept == c })
		if at < 0 {
			at = len(a.rules)
			a.rules = append(a.rules, ruleSet{kept: c})
		}
		a.rules[at].instances = append(a.rules[at].instances, f.Instances(m)...)
	}
	if a.whole, err = a.set(coarsest); err != nil {
		return nil, err
	}
	common := coarsest
	for _, f := range opt.Partial.Families {
		common = common.Meet(m, f.Kept)
		for _, r := range f.Rings {
			if r.Step = 1; !slices.ContainsFunc(a.rings, func(q model.Ring) bool { return q.Class == r.Class && slices.Equal(q.Values, r.Values) }) {
				a.rings = append(a.rings, r)
			}
		}
	}
	a.common = a.mustSet(common)
	slices.SortStableFunc(a.rules, func(r, q ruleSet) int { return count(r.kept.Cells) - count(q.kept.Cells) })
	errors := model.Kept{Cells: model.WholeCells(m)}
	for i, q := range m.Props {
		c, err := a.set(opt.Partial.Props[i])
		if err != nil {
			return nil, err
		}
		if a.kept = append(a.kept, c); isError(q.Kind) {
			errors = errors.Meet(m, c.Kept)
		}
	}
	a.errors = a.mustSet(errors)
	return a, nil
}

// set returns the group as it occurs in the search.
func (a *adaptive) set(c model.Kept) (*keptSet, error) {
	key := c.Key()
	if s, ok := a.table[key]; ok {
		return s, nil
	}
	canon, err := newCanonicaliser(a.p, a.packer, c.Cells.Blocks(), c.Rings, true)
	if err != nil {
		return nil, err
	}
	s := &keptSet{Kept: c, number: len(a.groups), blocks: c.Cells.Blocks(), canon: canon, meets: make(map[int]*keptSet), inside: make(map[int]bool), plans: make(map[int]*plan)}
	a.table[key] = s
	a.groups = append(a.groups, s)
	return s, nil
}

// meet returns the intersection of p and q.
func (a *adaptive) meet(p, q *keptSet) *keptSet {
	if p == q {
		return p
	}
	if r, ok := p.meets[q.number]; ok {
		return r
	}
	r := a.mustSet(p.Kept.Meet(a.p.Model, q.Kept))
	p.meets[q.number] = r
	return r
}

// unpacked puts state i into a scratch.
func (a *adaptive) unpacked(into *model.State, i int) model.State {
	if *into == nil {
		*into = make(model.State, a.p.Model.Leaves())
	}
	a.packer.Unpack(a.packed.at(i), *into)
	return *into
}

// least returns the least state of the orbit of (s, P), packed. It is valid until the next call
// for the same group.
func (a *adaptive) least(s model.State, p *keptSet) []byte { return p.canon.canon(s) }

func (a *adaptive) run(ctx context.Context) {
	a.depth = -1
	a.start()
	a.depth = 0
	reported := time.Now()
	for {
		a.layer = slices.DeleteFunc(a.next, func(i int) bool { return a.states[i].dropped })
		a.next = nil
		if len(a.layer) == 0 {
			a.done = max(a.depth-1, 0)
			return
		}
		for _, i := range a.layer {
			if a.states[i].dropped {
				continue
			}
			if a.reason = reasonOf(ctx); a.reason != "" {
				return
			}
			a.expand(i)
			if a.reason != "" {
				return
			}
			if a.opt.Progress != nil && time.Since(reported) >= reportInterval {
				reported = time.Now()
				a.opt.Progress(a.stats())
			}
		}
		if a.reason = a.layerDone(); a.reason != "" {
			return
		}
		a.depth++
	}
}

func (a *adaptive) stats() Stats {
	return Stats{Depth: a.depth, States: a.live, Fired: a.fired, Memory: a.memory()}
}

// memory returns about how many bytes the visited set takes.
func (a *adaptive) memory() int64 {
	packed, _ := a.packed.memory()
	return packed + 24*int64(cap(a.states)) + a.known.memory()
}

// start looks at the start states. The first annotation of a start state s is the coarsest
// under which the set of start states is closed; cells that only have twins in s are one.
func (a *adaptive) start() {
	var starts []model.State
	set := make(map[string]bool)
	a.m.Starts(func(ch model.Choice, s model.State, v *model.Violation) bool {
		a.covered(noParent, 0, nil, ch)
		if v != nil {
			a.note(finding{Depth: 0, State: noParent, Violation: v}, &ch)
			return true
		}
		if key := string(a.packer.Pack(nil, s)); !set[key] {
			set[key] = true
			starts = append(starts, slices.Clone(s))
		}
		return true
	})
	image := make(model.State, a.p.Model.Leaves())
	keeps := func(perm model.ScalarPerm) bool {
		for _, s := range starts {
			a.p.ApplyPerm(perm, s, image)
			if !set[string(a.packer.Pack(nil, image))] {
				return false
			}
		}
		return true
	}
	closed := model.NewCells(a.p.Model, func(c, v, w int) bool {
		if a.whole.Cells[c][v] != a.whole.Cells[c][w] {
			return false
		}
		return keeps(a.p.Model.Exchange(c, v, w))
	})
	for _, s := range starts {
		c := a.whole.canon
		// An exchange of twins keeps s; a permutation that keeps closed cells maps it to a start
		// state. Cells of closed are joined where all their values are twins.
		least := closed.Blocks()
		twins := func(k, v, w int) bool { return c.twins(s, c.base[k]+v, c.base[k]+w) }
		all := func(k, cell int) bool {
			b := least[k][cell]
			return !slices.ContainsFunc(b[1:], func(v int) bool { return !twins(k, b[0], v) })
		}
		cells := model.NewCells(a.p.Model, func(k, v, w int) bool {
			if closed[k][v] == closed[k][w] {
				return true
			}
			return a.whole.Cells[k][v] == a.whole.Cells[k][w] && all(k, closed[k][v]) && all(k, closed[k][w]) && twins(k, v, w)
		})
		own := model.Kept{Cells: cells}
		for _, r := range a.rings { // of values that are alone
			for by := 1; by < len(r.Values); by++ {
				perm := a.p.Model.Rotation(r, by)
				with := own.Rotated(a.p.Model, r, by)
				if len(r.Values)%by == 0 && with.Cells.Equal(cells) && a.whole.Holds(perm) && keeps(perm) {
					own = with
					break
				}
			}
		}
		a.update(s, a.mustSet(own), noParent)
	}
}

// evaluate evaluates the properties in all concrete states that a new one stands for: each in
// those that its cells tell apart. Errors have cells of their own, and which property raises one
// may differ from state to state, so all are evaluated in those that the cells of errors tell
// apart.
func (a *adaptive) evaluate(n int, s model.State, p *keptSet) {
	note := func(u model.State, v *model.Violation, ch *model.Choice) {
		if v != nil {
			a.note(finding{Depth: a.depth + 1, State: n, concrete: u, Violation: v}, ch)
		}
	}
	a.unwind(s, p, a.meet(p, a.errors), func(u model.State) bool {
		for _, prop := range a.checks {
			note(u, a.finds(a.m, u, prop), nil)
		}
		if a.opt.Partial.Guards {
			a.m.Successors(u, func(ch model.Choice, _ model.State, v *model.Violation) bool {
				if v != nil && v.InGuard {
					note(u, v, &ch)
				}
				return true
			})
		}
		return true
	})
	for _, prop := range a.checks {
		c := a.kept[prop]
		if r := a.meet(p, c); !a.within(a.errors, c) && r != a.meet(p, a.errors) {
			a.unwind(s, p, r, func(u model.State) bool {
				note(u, a.finds(a.m, u, prop), nil)
				return true
			})
		}
	}
}

// note notes a finding, for each property that is violated, unless the property has one as early. If ch is not
// nil, it is the instance that shows it.
func (a *adaptive) note(f finding, ch *model.Choice) {
	for _, v := range f.Violation.Each() {
		if f.Violation = v; !a.news(f) {
			continue
		}
		f.concrete = slices.Clone(f.concrete)
		if ch != nil {
			step := ch.Clone()
			f.Step = &step
		}
		a.record(f)
	}
}

func (a *adaptive) covered(at, depth int, s model.State, ch model.Choice) {
	for _, prop := range a.hits {
		if a.m.Hit(prop) {
			a.note(finding{Depth: depth, State: at, concrete: s, Violation: &model.Violation{Prop: prop, Message: "covered"}}, &ch)
		}
	}
}

// expand fires the instances of all rules in the states that state i stands for.
func (a *adaptive) expand(i int) {
	s := a.unpacked(&a.expanded, i)
	p := a.groups[a.states[i].under]
	dead := a.dead >= 0 && a.found[a.dead].Depth < 0
	for k := range a.rules {
		set := &a.rules[k]
		r := a.variant.meet(a, p, set.kept)
		a.unwind(s, p, r, func(u model.State) bool {
			moves := a.fire(i, set, u, r)
			dead = dead && !(moves && r == p) // in all states that (s, P) stands for
			return a.reason == ""
		})
		if a.reason != "" {
			return
		}
	}
	if dead {
		a.deadlocks(i, s, p)
	}
}

// fire fires instances in u, which state i stands for, and reports whether one leads to another
// state, or errs.
func (a *adaptive) fire(i int, set *ruleSet, u model.State, r *keptSet) (moves bool) {
	a.successors(set, u, r, func(ch model.Choice, next model.State, v *model.Violation) bool {
		moves = moves || v != nil || !slices.Equal(next, u)
		if v != nil && v.InGuard {
			depth := a.depth + 1
			if a.p.Model.Dialect == model.CMurphi {
				depth = a.depth
			}
			a.note(finding{Depth: depth, State: i, concrete: u, Violation: v}, &ch)
			return true
		}
		a.idle[ch.Rule] = false
		a.fired++
		a.covered(i, a.depth+1, u, ch)
		switch {
		case v != nil:
			a.note(finding{Depth: a.depth + 1, State: i, concrete: u, Violation: v}, &ch)
		case !slices.Equal(next, u) && a.goesOn():
			a.update(next, r, i)
		}
		return a.reason == ""
	})
	return moves
}

// successors calls yield for the enabled instances of a set in u, and for those with a guard
// that errs, until it returns false. Of those that permutations of R that keep u map to each
// other, it is called for one.
func (a *adaptive) successors(set *ruleSet, u model.State, r *keptSet, yield func(ch model.Choice, next model.State, v *model.Violation) bool) {
	like := a.twins(u, r)
	for _, ch := range set.instances {
		if !a.first(ch, like) {
			continue
		}
		if next, enabled, v := a.m.Fire(u, ch); (enabled || v != nil) && !yield(ch, next, v) {
			return
		}
	}
}

// count returns the number of cells.
func count(c model.Cells) (n int) {
	for _, of := range c {
		if len(of) > 0 {
			n += slices.Max(of) + 1
		}
	}
	return n
}

// deadlocks looks for a deadlocked state among those that (s, P) stands for. Those in which an
// instance leads on are left out, family by family, the most symmetric one first.
func (a *adaptive) deadlocks(i int, s model.State, p *keptSet) {
	left := []model.State{s}
	for k := range a.rules {
		set := &a.rules[k]
		r := a.meet(p, set.kept)
		var more []model.State
		for _, t := range left {
			a.unwind(t, p, r, func(u model.State) bool {
				on := false
				a.successors(set, u, r, func(_ model.Choice, next model.State, v *model.Violation) bool {
					on = v != nil || !slices.Equal(next, u)
					return !on
				})
				if !on {
					more = append(more, slices.Clone(u))
				}
				return true
			})
		}
		left, p = more, r
		if len(left) == 0 {
			return
		}
	}
	last := a.meet(p, a.kept[a.dead])
	for _, t := range left {
		a.unwind(t, p, last, func(u model.State) bool {
			if a.m.Deadlocked(u) {
				a.note(finding{Depth: a.depth, State: i, concrete: u, Violation: &model.Violation{Prop: a.dead, Message: "deadlock"}}, nil)
				return false
			}
			return true
		})
	}
}

// mustSet is set for a group that is part of others that were accepted.
func (a *adaptive) mustSet(c model.Kept) *keptSet {
	s, err := a.set(c)
	if err != nil {
		panic(err)
	}
	return s
}

// result says what the search found.
func (a *adaptive) result() (*Result, error) {
	st := a.stats()
	r := &Result{Complete: a.reason == "", Depth: a.done, States: st.States, Fired: a.fired, Memory: st.Memory, Subsumed: a.spared, Reason: a.reason}
	if r.Complete {
		r.Annotated = a.evidence()
		r.Idle = numbers(a.idle)
	}
	return r, a.tell(r, a.trace)
}

// evidence lists the annotated states.
func (a *adaptive) evidence() *evidence.Annotated {
	e := &evidence.Annotated{Kept: lists.Map(a.groups, func(c *keptSet) model.Kept { return c.Kept })}
	for i, x := range a.states {
		a.position = append(a.position, len(e.States))
		if !x.dropped {
			e.States = append(e.States, evidence.AnnotatedState{Packed: a.packed.at(i), Kept: int(x.under)})
		}
	}
	e.Guess = func(s model.State, kept model.Kept) (int, model.ScalarPerm, bool) {
		return a.guess(s, a.mustSet(kept))
	}
	return e
}
