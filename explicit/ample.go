package explicit

import (
	"cmp"
	"fmt"
	"slices"

	"orbitmc/mc"
	"orbitmc/model"
)

// Partial orders in the search for formulas: in a state of the product only the instances of a stubborn set of the
// state of the model are fired (stubborn.go), if none of them errs or writes what an atom reads, and all of their steps
// lead to states that are finished before it: to new ones, or to ones off the stack. So no cycle leaves a step out all
// the time (D. Peled, Combining partial order reductions with on-the-fly model checking, FMSD 1996). What each state of
// the automaton accepts has to allow for that (S. Siegel, What's wrong with on-the-fly partial order reduction, CAV
// 2019). docs/theory/liveness.md has the proof.

// orders chooses stubborn sets in states of the product.
type orders struct {
	*reduced
	p       *model.Program
	open    func(i int) bool  // whether the search of a state of the product has begun and not ended
	visible map[string][]bool // see seen
	from    []int32           // by state of the product: the instance that its stubborn set is closed from; noInstance: all are fired
	known   []modelStep       // by index in instances: its step, perhaps unknown
	erring  []bool            // ... and whether it errs
	leave   formulaVariant
}

// noInstance is where all instances are fired.
const noInstance = -1

// unknown is the label of a step that was not looked up.
const unknown = ^uint32(0)

// ordered returns why partial orders do not go with some formulas; nil if they do.
func ordered(f *mc.Formulas) error {
	if len(f.Model.Fair.Often)+len(f.Model.Fair.Rules) > 0 {
		return fmt.Errorf("%s: partial orders do not go with fairness: a run that is left out may be fair where the one that is kept is not", f.Model.File)
	}
	for _, x := range f.Model.Formulas {
		if x.LTL == nil {
			return fmt.Errorf("%s: partial orders do not go with the never claim %s, which may see how often a state is repeated", f.Model.File, x.Name)
		}
		if !x.LTL.Stutters() {
			return fmt.Errorf("%s: partial orders do not go with the formula %s, which has X and so sees how often a state is repeated", f.Model.File, x.Name)
		}
	}
	return nil
}

// newOrders returns the choice of stubborn sets in a product of so many leaves.
func newOrders(x *stubborn, p *model.Program, leaves int, open func(i int) bool, leave formulaVariant) *orders {
	return &orders{reduced: newReduced(x, leaves), p: p, open: open, visible: make(map[string][]bool), leave: leave}
}

// seen says by instance whether it may write what an atom reads, for some values of the parameters.
func (o *orders) seen(f *model.Formula, values []int64) []bool {
	key := fmt.Sprint(values)
	if o.visible[key] != nil {
		return o.visible[key]
	}
	all := make([]bool, len(o.All))
	for k := 0; f != nil && k < len(f.Atoms) && !o.leave.blind; k++ {
		reads := o.p.ReadsOf(f.Atoms[k].Index, values)
		for i := range o.All {
			all[i] = all[i] || slices.ContainsFunc(o.All[i].Writes, func(w model.Write) bool { return reads == nil || reads[w.Leaf] })
		}
	}
	o.visible[key] = all
	return all
}

// enabled notes an instance of the state that is expanded; one that errs has no successor.
func (o *orders) enabled(s model.State, ch model.Choice, next model.State, changed []int, errs bool) {
	if errs {
		next, changed = nil, nil
	}
	o.note(s, ch, next, changed)
	o.erring = append(o.erring, errs)
}

// fires notes what is fired in a state of the product.
func (o *orders) fires(i int, from int32) {
	for len(o.from) <= i {
		o.from = append(o.from, noInstance)
	}
	o.from[i] = from
}

// closed makes the stubborn set of an instance: see chooser.close.
func (o *orders) closed(s model.State, t int32, most int) int {
	if o.leave.alone {
		o.set++
		o.in[t] = o.set
		return 1
	}
	return o.close(s, t, most)
}

// stepOf returns the step of an instance of state i of the model, by its index in instances.
func (b *buchi) stepOf(i uint32, k int) modelStep {
	o := b.orders
	if o.known[k].label == unknown {
		s := modelStep{to: i, label: b.fires(o.All[o.instances[k]].Choice)}
		if !o.loops[k] {
			x := o.steps[o.at[k]]
			leaves := o.leaves[x.begin:x.end]
			copy(o.next, b.cur)
			for j, leaf := range leaves {
				o.next[leaf] = o.values[x.begin+j]
			}
			s.to, s.turn = b.successor(o.next, leaves)
		}
		o.known[k] = s
	}
	return o.known[k]
}

// returns reports whether a step from a state of the automaton may lead to a state of the product whose search has not ended.
func (b *buchi) returns(at uint32, s modelStep) bool {
	for _, q := range b.automaton.States[at].Next {
		if n := b.find(s.to, q); n > 0 && b.orders.open(int(n-1)) {
			return !b.orders.leave.round
		}
	}
	return false
}

// ends reports whether all steps of the set at hand, from state i of the model and one of the automaton, lead to states
// whose search ends before.
func (b *buchi) ends(i, at uint32) bool {
	o := b.orders
	for k, t := range o.instances {
		if o.in[t] == o.set && b.returns(at, b.stepOf(i, k)) {
			o.failed[t] = o.choice
			return false
		}
	}
	return true
}

// choose enters the steps of state i of the model, which is expanded with a state of the automaton: those of a stubborn
// set, if it is smaller than all. It returns the instance that the set is closed from, or noInstance.
func (b *buchi) choose(i, at uint32) (from int32) {
	o := b.orders
	o.at, o.known = slices.Grow(o.at[:0], len(o.instances))[:len(o.instances)], o.known[:0]
	for j, x := range o.steps {
		o.at[x.instance] = j
	}
	all := o.begin(o.instances, o.loops)
	seen := o.seen(b.formula, b.params(b.cur))
	for k, t := range o.instances {
		o.known = append(o.known, modelStep{label: unknown})
		if o.loops[k] || seen[t] { // a loop errs, or repeats the state
			o.failed[t] = o.choice
		}
	}
	type set struct {
		from int32
		n    int
	}
	var sets []set
	from = noInstance
	for _, t := range o.instances {
		if o.failed[t] == o.choice {
			continue
		}
		n := o.closed(b.cur, t, all)
		if n == 1 && n < all && b.ends(i, at) {
			from = t
			break
		}
		if n > 1 && n < all {
			sets = append(sets, set{t, n})
		}
	}
	slices.SortStableFunc(sets, func(x, y set) int { return cmp.Compare(x.n, y.n) })
	for k := 0; k < len(sets) && from == noInstance; k++ {
		if o.closed(b.cur, sets[k].from, all) < all && b.ends(i, at) {
			from = sets[k].from
		}
	}
	for k, t := range o.instances {
		if !o.erring[k] && (from == noInstance || o.in[t] == o.set) {
			b.steps = append(b.steps, b.stepOf(i, k))
		}
	}
	return from
}

// unordered lets all instances be fired from now on.
func (b *buchi) unordered() {
	for i := range b.bases {
		b.bases[i].kept = 0
	}
	b.orders = nil
}
