package explicit

import (
	"context"
	"slices"
	"time"

	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// This file is adaptive symmetry reduction (Wahl, CAV 2007): search where rules are symmetric
// under some permutations only, each under its own (model.Family). docs/adaptive.md has the
// theorem and its proof.
//
// A state is annotated with cells of values: (s, P) stands for all p(s), p in <P>, its orbit. A
// rule that is symmetric under Q turns P into R, the meet of P and Q. For its instances (s, P) is unwound:
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
	rules  []ruleSet // by cells
	whole  *cellSet  // the coarsest cells of any state
	common *cellSet  // what all rules keep
	table  map[string]*cellSet
	cells  []*cellSet // by number
	kept   []*cellSet // by property: its cells
	errors *cellSet   // of what the evaluation of properties may raise

	packed  []byte // states, packed, one after the other: each is least in its orbit
	under   []int32
	parent  []int32
	depths  []int32
	dropped []bool
	known   index

	expanded, taken, older model.State // scratch

	layer  []int // of states to be expanded
	next   []int
	fired  int64
	live   int64 // states that were not dropped
	spared int64 // states that were dropped, or not taken, as others stand for them
	reason string
	idle   []bool
	steps  adaptiveSteps

	position []int // by state: its number in the evidence
}

// ruleSet is the instances of all families with the same cells.
type ruleSet struct {
	cells     *cellSet
	instances []model.Choice
}

// cellSet is cells that occur in the search.
type cellSet struct {
	number int
	cells  model.Cells
	blocks [][][]int
	canon  *canonicaliser
	meets  map[int]*cellSet
	inside map[int]bool  // by number of other cells: these are within them
	plans  map[int]*plan // by number of other cells: how these are divided into them
}

// adaptiveSteps are the steps on which soundness depends. Tests replace them.
type adaptiveSteps struct {
	meet   func(a *adaptive, p, q *cellSet) *cellSet // the annotation of successors
	across bool                                      // a state may replace one of an earlier layer
}

func defaultAdaptive() adaptiveSteps {
	return adaptiveSteps{
		meet: (*adaptive).meet,
	}
}

// newAdaptive prepares a search under Options.Partial.
func newAdaptive(p *model.Program, opt Options) (*adaptive, error) {
	m := p.Model
	looks, err := newAims(m, opt)
	if err != nil {
		return nil, err
	}
	a := &adaptive{aims: looks, p: p, m: p.NewMachine(), packer: model.NewPacker(m), table: make(map[string]*cellSet),
		known: newIndex(), idle: slices.Repeat([]bool{true}, len(m.Rules)), steps: defaultAdaptive()}
	coarsest := model.SingleCells(m)
	for i := range opt.Partial.Families {
		f := &opt.Partial.Families[i]
		coarsest = coarsest.Join(m, f.Cells)
	}
	for i := range opt.Partial.Families {
		f := &opt.Partial.Families[i]
		c, err := a.set(f.Cells)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(a.rules, func(r ruleSet) bool { return r.cells == c })
		if at < 0 {
			at = len(a.rules)
			a.rules = append(a.rules, ruleSet{cells: c})
		}
		a.rules[at].instances = append(a.rules[at].instances, f.Instances(m)...)
	}
	if a.whole, err = a.set(coarsest); err != nil {
		return nil, err
	}
	common := coarsest
	for _, f := range opt.Partial.Families {
		common = common.Meet(m, f.Cells)
	}
	a.common = a.mustSet(common)
	slices.SortStableFunc(a.rules, func(r, q ruleSet) int { return count(r.cells.cells) - count(q.cells.cells) })
	errors := model.WholeCells(m)
	for i, q := range m.Props {
		c, err := a.set(opt.Partial.Props[i])
		if err != nil {
			return nil, err
		}
		if a.kept = append(a.kept, c); isError(q.Kind) {
			errors = errors.Meet(m, c.cells)
		}
	}
	a.errors = a.mustSet(errors)
	return a, nil
}

// set returns the cells as they occur in the search.
func (a *adaptive) set(c model.Cells) (*cellSet, error) {
	key := c.Key()
	if s, ok := a.table[key]; ok {
		return s, nil
	}
	canon, err := newCanonicaliser(a.p, a.packer, c.Blocks(), nil, true)
	if err != nil {
		return nil, err
	}
	s := &cellSet{number: len(a.cells), cells: c, blocks: c.Blocks(), canon: canon, meets: make(map[int]*cellSet), inside: make(map[int]bool), plans: make(map[int]*plan)}
	a.table[key] = s
	a.cells = append(a.cells, s)
	return s, nil
}

// meet returns the coarsest cells within those of p and q.
func (a *adaptive) meet(p, q *cellSet) *cellSet {
	if p == q {
		return p
	}
	if r, ok := p.meets[q.number]; ok {
		return r
	}
	r, err := a.set(p.cells.Meet(a.p.Model, q.cells))
	if err != nil {
		panic(err) // they are within cells that were accepted
	}
	p.meets[q.number] = r
	return r
}

func (a *adaptive) size() int { return a.packer.Size() }

// at returns state i, packed.
func (a *adaptive) at(i int) []byte { n := a.size(); return a.packed[i*n : (i+1)*n : (i+1)*n] }

// unpacked puts state i into a scratch.
func (a *adaptive) unpacked(into *model.State, i int) model.State {
	if *into == nil {
		*into = make(model.State, a.p.Model.Leaves())
	}
	a.packer.Unpack(a.at(i), *into)
	return *into
}

// least returns the least state of the orbit of (s, P), packed. It is valid until the next call
// for the same cells.
func (a *adaptive) least(s model.State, p *cellSet) []byte { return p.canon.canon(s) }

func (a *adaptive) run(ctx context.Context) {
	a.depth = -1
	a.start()
	a.depth = 0
	reported := time.Now()
	for {
		a.layer = slices.DeleteFunc(a.next, func(i int) bool { return a.dropped[i] })
		a.next = nil
		if len(a.layer) == 0 {
			a.done = max(a.depth-1, 0)
			return
		}
		for _, i := range a.layer {
			if a.dropped[i] {
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

func reasonOf(ctx context.Context) string {
	if err := ctx.Err(); err != nil {
		return err.Error()
	}
	return ""
}

func (a *adaptive) stats() Stats {
	return Stats{Depth: a.depth, States: a.live, Fired: a.fired, Memory: a.memory()}
}

// memory returns about how many bytes the visited set takes.
func (a *adaptive) memory() int64 {
	return int64(cap(a.packed)) + 13*int64(cap(a.under)) + a.known.memory()
}

// start looks at the start states. The first annotation of a start state s is the coarsest
// under which the set of start states is closed; cells that only have twins in s are one.
func (a *adaptive) start() {
	var starts []model.State
	set := make(map[string]bool)
	a.m.Starts(func(ch model.Choice, s model.State, v *model.Violation) bool {
		a.covered(noParent, 0, nil, ch)
		if v != nil {
			a.note(finding{depth: 0, state: noParent, v: v}, &ch)
			return true
		}
		if key := string(a.packer.Pack(nil, s)); !set[key] {
			set[key] = true
			starts = append(starts, slices.Clone(s))
		}
		return true
	})
	image := make(model.State, a.p.Model.Leaves())
	closed := model.NewCells(a.p.Model, func(c, v, w int) bool {
		if a.whole.cells[c][v] != a.whole.cells[c][w] {
			return false
		}
		perm := exchange(a.p.Model, c, v, w)
		for _, s := range starts {
			a.p.ApplyPerm(perm, s, image)
			if !set[string(a.packer.Pack(nil, image))] {
				return false
			}
		}
		return true
	})
	for _, s := range starts {
		c := a.whole.canon
		// An exchange of twins keeps s; a permutation that keeps closed cells maps it to a start
		// state. Cells of closed are joined where all their values are twins.
		least := closed.Blocks()
		twins := func(k, v, w int) bool { return c.twins(s, c.base[k]+v, c.base[k]+w) }
		all := func(k, cell int) bool {
			b := least[k][cell]
			for _, v := range b[1:] {
				if !twins(k, b[0], v) {
					return false
				}
			}
			return true
		}
		cells := model.NewCells(a.p.Model, func(k, v, w int) bool {
			if closed[k][v] == closed[k][w] {
				return true
			}
			return a.whole.cells[k][v] == a.whole.cells[k][w] && all(k, closed[k][v]) && all(k, closed[k][w]) && twins(k, v, w)
		})
		p, err := a.set(cells)
		if err != nil {
			panic(err)
		}
		a.update(s, p, noParent)
	}
}

// exchange returns the permutation that exchanges two values of a class.
func exchange(m *model.Model, class, v, w int) model.ScalarPerm {
	perm := identity(m)
	perm[class][v], perm[class][w] = w, v
	return perm
}

// identity returns the permutation that maps each value to itself.
func identity(m *model.Model) model.ScalarPerm {
	perm := make(model.ScalarPerm, len(m.Scalarsets))
	for k, t := range m.Scalarsets {
		for v := range int(t.Card()) {
			if !t.Slots {
				perm[k] = append(perm[k], v)
			}
		}
	}
	return perm
}

// evaluate evaluates the properties in all concrete states that a new one stands for: each in
// those that its cells tell apart. Errors have cells of their own, and which property raises one
// may differ from state to state, so all are evaluated in those that the cells of errors tell
// apart.
func (a *adaptive) evaluate(n int, s model.State, p *cellSet) {
	note := func(u model.State, v *model.Violation, ch *model.Choice) {
		if v != nil {
			a.note(finding{depth: a.depth + 1, state: n, concrete: u, v: v}, ch)
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
		if r := a.meet(p, c); !a.errors.cells.Within(c.cells) && r != a.meet(p, a.errors) {
			a.unwind(s, p, r, func(u model.State) bool {
				note(u, a.finds(a.m, u, prop), nil)
				return true
			})
		}
	}
}

// note notes a finding unless the property has one as early. If ch is not nil, it is the
// instance that shows it.
func (a *adaptive) note(f finding, ch *model.Choice) {
	if !a.news(f) {
		return
	}
	f.concrete = slices.Clone(f.concrete)
	if ch != nil {
		step := ch.Clone()
		f.step = &step
	}
	a.record(f)
}

func (a *adaptive) covered(at, depth int, s model.State, ch model.Choice) {
	for _, prop := range a.hits {
		if a.m.Hit(prop) {
			a.note(finding{depth: depth, state: at, concrete: s, v: &model.Violation{Prop: prop, Message: "covered"}}, &ch)
		}
	}
}

// expand fires the instances of all rules in the states that state i stands for.
func (a *adaptive) expand(i int) {
	s := a.unpacked(&a.expanded, i)
	p := a.cells[a.under[i]]
	dead := a.dead >= 0 && a.found[a.dead].depth < 0
	for k := range a.rules {
		set := &a.rules[k]
		r := a.steps.meet(a, p, set.cells)
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
func (a *adaptive) fire(i int, set *ruleSet, u model.State, r *cellSet) (moves bool) {
	a.successors(set, u, r, func(ch model.Choice, next model.State, v *model.Violation) bool {
		moves = moves || v != nil || !slices.Equal(next, u)
		if v != nil && v.InGuard {
			depth := a.depth + 1
			if a.p.Model.Dialect == model.CMurphi {
				depth = a.depth
			}
			a.note(finding{depth: depth, state: i, concrete: u, v: v}, &ch)
			return true
		}
		a.idle[ch.Rule] = false
		a.fired++
		a.covered(i, a.depth+1, u, ch)
		switch {
		case v != nil:
			a.note(finding{depth: a.depth + 1, state: i, concrete: u, v: v}, &ch)
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
func (a *adaptive) successors(set *ruleSet, u model.State, r *cellSet, yield func(ch model.Choice, next model.State, v *model.Violation) bool) {
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
func (a *adaptive) deadlocks(i int, s model.State, p *cellSet) {
	left := []model.State{s}
	for k := range a.rules {
		set := &a.rules[k]
		r := a.meet(p, set.cells)
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
				a.note(finding{depth: a.depth, state: i, concrete: u, v: &model.Violation{Prop: a.dead, Message: "deadlock"}}, nil)
				return false
			}
			return true
		})
	}
}

func (a *adaptive) mustSet(c model.Cells) *cellSet {
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
	e := &evidence.Annotated{}
	for _, c := range a.cells {
		e.Cells = append(e.Cells, c.cells)
	}
	for i := range a.under {
		a.position = append(a.position, len(e.States))
		if !a.dropped[i] {
			e.States = append(e.States, evidence.AnnotatedState{Packed: a.at(i), Cells: int(a.under[i])})
		}
	}
	e.Guess = func(s model.State, cells model.Cells) (int, model.ScalarPerm, bool) {
		return a.guess(s, a.mustSet(cells))
	}
	return e
}
