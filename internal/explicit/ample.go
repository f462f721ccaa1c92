package explicit

import (
	"fmt"
	"slices"

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
	known   []modelStep       // by index in instances: its step; with the label unknown, what of leaves it changes; or erring
	leave   formulaVariant
}

// Labels of steps that were not looked up.
const unknown, erring = ^uint32(0), ^uint32(1)

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

// enabled notes an instance of the state that is expanded; if it errs, next is nil.
func (o *orders) enabled(s model.State, ch model.Choice, next model.State, changed []int) {
	begin := uint32(len(o.leaves))
	o.note(s, ch, next, changed)
	x := modelStep{begin, uint32(len(o.leaves)), unknown}
	if next == nil {
		x.label = erring
	}
	o.known = append(o.known, x)
}

// stepOf returns the step of an instance of state i of the model, by its index in instances.
func (b *buchi) stepOf(i uint32, k int) modelStep {
	o := b.orders
	if x := o.known[k]; x.label == unknown {
		s := modelStep{to: i, label: b.fires(o.All[o.instances[k]].Choice)}
		if x.to < x.turn {
			copy(o.next, b.cur)
			for j := x.to; j < x.turn; j++ {
				o.next[o.leaves[j]] = o.values[j]
			}
			s.to, s.turn = b.successor(o.next, o.leaves[x.to:x.turn])
		}
		o.known[k] = s
	}
	return o.known[k]
}

// returns reports whether a step from a state of the automaton may lead to a state of the product whose search has not ended.
func (b *buchi) returns(at uint32, s modelStep) bool {
	return !b.orders.leave.round && slices.ContainsFunc(b.automaton.States[at].Next, func(q int) bool {
		n := b.find(s.to, q)
		return n > 0 && b.orders.open(int(n-1))
	})
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
// set, if it is smaller than all. It returns from of shown.
func (b *buchi) choose(i, at uint32) (from int32) {
	o := b.orders
	o.fire = o.fire[:0]
	best := o.begin(o.instances, o.loops)
	seen := o.seen(b.formula, b.params(b.cur))
	for k, t := range o.instances {
		o.fire = append(o.fire, o.known[k].label != erring)
		if o.loops[k] || seen[t] { // a loop errs, or repeats the state
			o.failed[t] = o.choice
		}
	}
	for _, t := range o.instances {
		if best <= 1 || o.failed[t] == o.choice {
			continue
		}
		if n := o.close(b.cur, t, best); n < best && b.ends(i, at) {
			best, from = n, t+1
			o.take(o.instances, o.fire)
		}
	}
	for k, fire := range o.fire {
		if fire {
			b.steps = append(b.steps, b.stepOf(i, k))
		}
	}
	return from
}
