package explicit

import (
	"iter"
	"slices"

	"orbitmc/internal/ltl"
	"orbitmc/model"
)

// This file makes the product of a model and the automaton of what a run must not do, state by state. A state of the
// product is one of the model, the values of the parameters of the formula, which no step changes, and a state of the
// automaton whose label the state of the model meets. The parameters are variables, so that a permutation moves them
// like any other value: an instance of the formula about one component keeps no symmetry from the others.
//
// A state of the model is stored once, whatever states of the automaton it is met with; no permutation moves these. If
// there are several, its steps are kept as well.
//
// Where no rule can fire, the state repeats itself. A run that errs goes on in a state of which nothing is known: it
// counts if the automaton accepts by labels that ask for nothing.

// buchi is the product.
type buchi struct {
	*conditions
	automaton *ltl.Automaton
	formula   *model.Formula // nil: the automaton has no labels
	erring    bool           // a run that errs counts
	gaps      []int
	still     bool   // see formulaVariant
	endless   []bool // by state of the automaton: it accepts by labels that ask for nothing

	own    int // leaves of the model
	state  int // the leaf of the state of the automaton; it is undefined in all states that are stored
	packer *model.Packer
	canon  *canonicaliser       // nil without symmetry
	set    *set                 // states of the model, with the parameters
	bases  []base               // by state of set
	pairs  []pair               // by state of the product
	kept   []modelStep          // of some states of the model; those of each are behind one that has their number in to, and in turn from of shown
	read   interned[[]bool]     // by values of the atoms: which states of the automaton have labels that they meet
	joined map[[2]uint32]uint32 // see with

	packed  []byte // the state of the model that is expanded
	changed []int  // scratch
	buf     []byte
	values  []byte        // of the atoms
	known   map[int][]arc // arcs of some states; nil: none are kept
	steps   []modelStep
	orders  *orders // nil: all instances are fired
}

// base is what is known of a state of the model.
type base struct {
	last uint32 // one more than the pair with it that was found last
	read uint32 // its number in buchi.read
	kept uint32 // where its steps begin in buchi.kept; 0: they are not there
}

// pair is a state of the product.
type pair struct {
	base   uint32
	before uint32 // one more than the pair with this base that was found before; 0 is none
	at     uint32 // state of the automaton
	from   int32  // see shown
}

// modelStep is a step of the model, with the permutation to the representative. The label leaves the automaton out.
type modelStep struct{ to, turn, label uint32 }

// arc is a step between states of the product, by number, with the permutation to the representative.
type arc struct{ to, turn, label uint32 }

// shown is what an expansion shows besides arcs.
type shown struct {
	errs *model.Choice // this instance errs, and the automaton accepts what might come
	gap  *model.Violation
	from int32 // one more than the instance that the stubborn set which is fired is closed from; 0: all are
}

// sight is told of each step of the model in order: the instance, of rule -1 if none fires, and where it leads.
type sight func(ch model.Choice, next model.State)

// newBuchi returns the product of p, which is the program of a model.Model.Product. The last variables of it are those of
// params and the state of the automaton.
func newBuchi(p *model.Program, f *model.Formula, a *ltl.Automaton, canon *canonicaliser, packer *model.Packer) *buchi {
	n := p.Model.Leaves()
	params := 0
	if f != nil {
		params = len(f.Params)
	}
	b := &buchi{conditions: newConditions(p, a.Conditions), automaton: a, formula: f, endless: endless(a),
		own: n - 1 - params, state: n - 1, packer: packer, canon: canon, set: newSet(packer.Size()),
		packed: make([]byte, packer.Size()),
		kept:   make([]modelStep, 1), joined: make(map[[2]uint32]uint32)}
	if b.set.size >= largeState {
		b.set.plants = firstTree
	}
	b.m.Delivered()
	return b
}

// endless returns from which states an automaton accepts by labels that ask for nothing.
func endless(a *ltl.Automaton) []bool {
	free := &ltl.Automaton{Conditions: a.Conditions, States: slices.Clone(a.States)}
	out := make([]bool, len(a.States))
	for q := range a.States {
		for k := range free.States {
			free.States[k].Initial = k == q
		}
		out[q] = free.Accepts(1, 0, func(int, int, bool) bool { return false })
	}
	return out
}

// params returns the parameters in a state.
func (b *buchi) params(s model.State) []int64 { return s[b.own:b.state] }

// reads returns which states of the automaton have labels that a state meets, as a number of read. An atom that errs
// counts against the formula.
func (b *buchi) reads(s model.State) uint32 {
	b.values = b.values[:0]
	if b.formula != nil {
		for _, atom := range b.formula.Atoms {
			ok, v := b.m.Holds(s, atom.Index, b.params(s))
			b.values = append(b.values, 0)
			if k := len(b.values) - 1; v != nil {
				b.values[k] = atomErrs
			} else if ok {
				b.values[k] = atomHolds
			}
		}
	}
	return b.read.number(b.values, func() []bool {
		meets := make([]bool, len(b.automaton.States))
		for k, q := range b.automaton.States {
			meets[k] = !slices.ContainsFunc(q.Yes, func(atom int) bool { return b.values[atom] == 0 }) &&
				!slices.ContainsFunc(q.No, func(atom int) bool { return b.values[atom] == atomHolds })
		}
		return meets
	})
}

// Values of an atom; 0 is that it does not hold.
const (
	atomHolds = 1
	atomErrs  = 2
)

// starts calls yield with the start states of the product for some values of the parameters, until it returns false:
// with the representative of each as a state of the model, the permutation to it, and the state of the automaton. The
// states are valid during the call.
func (b *buchi) starts(values []int64, yield func(ch model.Choice, s model.State, i int, turn uint32) bool) {
	b.m.Starts(func(ch model.Choice, s model.State, v *model.Violation) bool {
		if v != nil || s == nil {
			return true
		}
		start := slices.Clone(s)
		copy(start[b.own:], values)
		start[b.state] = model.Undef
		to, turn := b.add(start)
		for q, meets := range b.read.all[b.bases[to].read] {
			if meets && b.automaton.States[q].Initial && !yield(ch, start, int(b.pair(to, q)), turn) {
				return false
			}
		}
		return true
	})
}

// add returns the number of the representative of a state of the model, and the permutation to it.
func (b *buchi) add(s model.State) (i, turn uint32) {
	if b.canon != nil {
		return b.enroll(b.canon.canon(s), s)
	}
	b.buf = b.packer.Pack(b.buf[:0], s)
	return b.enroll(b.buf, s)
}

// successor is add for a state that differs in some leaves, ascending, from the one that is expanded.
func (b *buchi) successor(s model.State, changed []int) (i, turn uint32) {
	b.buf = append(append(b.buf[:0], b.packed...), zeros[:]...)
	b.packer.Repack(b.buf, b.cur, s, changed)
	if b.canon != nil {
		return b.enroll(b.canon.successor(s, changed, b.buf), s)
	}
	return b.enroll(b.buf[:b.packer.Size()], s)
}

// enroll returns the number of the representative of s, to which the canonicaliser has the permutation. What atoms are
// is the same in both.
func (b *buchi) enroll(to []byte, s model.State) (i, turn uint32) {
	if b.canon != nil && !b.still {
		turn = b.turn(b.canon.perm)
	}
	h := hash(to)
	k, ok, slot := b.set.find(to, h)
	if !ok {
		k = b.set.insert(to, slot, h, noParent)
		b.bases = append(b.bases, base{read: b.reads(s)})
	}
	return uint32(k), turn
}

// find returns one more than the number of the state of the product; 0 if there is none yet.
func (b *buchi) find(of uint32, at int) uint32 {
	n := b.bases[of].last
	for n > 0 && b.pairs[n-1].at != uint32(at) {
		n = b.pairs[n-1].before
	}
	return n
}

// pair returns the number of the state of the product.
func (b *buchi) pair(of uint32, at int) uint32 {
	if n := b.find(of, at); n > 0 {
		return n - 1
	}
	b.pairs = append(b.pairs, pair{of, b.bases[of].last, uint32(at), 0})
	b.bases[of].last = uint32(len(b.pairs))
	return b.bases[of].last - 1
}

// unpack stores the representative of state i of the product.
func (b *buchi) unpack(i int, to model.State) {
	b.packer.Unpack(b.set.at(int(b.pairs[i].base)), to)
	to[b.state] = int64(b.pairs[i].at)
}

// expand appends the arcs of state i, and tells see of the steps of the model that they are made of, if it is not nil.
func (b *buchi) expand(i int, arcs []arc, see sight) ([]arc, shown) {
	x := b.pairs[i]
	steps, out := b.fire(x, see)
	b.pairs[i].from = out.from
	if out.errs != nil && !slices.ContainsFunc(b.automaton.States[x.at].Next, func(k int) bool { return b.endless[k] }) {
		out.errs = nil
	}
	for k, at := range b.into(x.at, steps) {
		arcs = append(arcs, arc{b.pair(steps[k].to, at), steps[k].turn, b.with(x.at, steps[k].label)})
	}
	return arcs, out
}

// into yields the arcs that steps are part of, from a state of the automaton: which of steps, and the state of the
// automaton that it leads to.
func (b *buchi) into(from uint32, steps []modelStep) iter.Seq2[int, int] {
	return func(yield func(k, at int) bool) {
		for k, s := range steps {
			meets := b.read.all[b.bases[s.to].read]
			for _, at := range b.automaton.States[from].Next {
				if meets[at] && !yield(k, at) {
					return
				}
			}
		}
	}
}

// with returns a label with what waits in a state of the automaton.
func (b *buchi) with(at, number uint32) uint32 {
	key := [2]uint32{at, number}
	n, ok := b.joined[key]
	if !ok {
		l := b.labels.all[number]
		var waits []uint32
		for k, is := range b.automaton.States[at].Accepts {
			if !is {
				waits = append(waits, uint32(k))
			}
		}
		l.waits = append(waits, l.waits...)
		n = b.label(l)
		b.joined[key] = n
	}
	return n
}

// fire returns the steps of the state of the model of x, valid until the next call, and tells see of them, if it is not
// nil. With partial orders they are those of a stubborn set, for which the state of the automaton matters as well.
func (b *buchi) fire(x pair, see sight) (steps []modelStep, out shown) {
	i := x.base
	if at := b.bases[i].kept; at > 0 && see == nil {
		steps, out.from = b.kept[at+1:][:b.kept[at].to], int32(b.kept[at].turn)
		if out.from == 0 || b.orders != nil && !slices.ContainsFunc(steps, func(s modelStep) bool { return b.returns(x.at, s) }) {
			return steps, out
		}
		b.bases[i].kept, out.from = 0, 0
	}
	read := b.set.at(int(i))
	b.changed = b.packer.Update(b.cur, b.packed, read, b.changed[:0])
	copy(b.packed, read)
	if b.canon != nil {
		b.canon.follow(b.cur, b.changed)
	}
	o, stuck := b.orders, true
	if o != nil {
		o.reset()
		o.known = o.known[:0]
	}
	note := func(ch model.Choice, next model.State, changed []int) {
		if stuck = false; o != nil {
			o.enabled(b.cur, ch, next, changed)
		}
	}
	b.steps = b.steps[:0]
	labels := b.each(b.changed, func(ch model.Choice, v *model.Violation) {
		b.fails(&out, ch, v)
		note(ch, nil, b.m.Changed())
	}, func(ch model.Choice, next model.State, changed []int) {
		switch {
		case ch.Rule < 0 || o == nil:
			b.enter(i, ch, next, changed, see)
		default:
			b.fires(ch) // of what is fired all labels are alike, as there is no fairness
			note(ch, next, changed)
		}
	})
	if o != nil && !stuck {
		out.from = b.choose(i, x.at)
	}
	for k := range b.steps {
		b.steps[k].label = labels[b.steps[k].label]
	}
	if x := &b.bases[i]; x.kept == 0 && out.errs == nil && b.pairs[x.last-1].before > 0 {
		x.kept = uint32(len(b.kept))
		b.kept = append(append(b.kept, modelStep{to: uint32(len(b.steps)), turn: uint32(out.from)}), b.steps...)
	}
	return b.steps, out
}

// fails notes an instance that errs.
func (b *buchi) fails(out *shown, ch model.Choice, v *model.Violation) {
	for _, x := range v.Each() {
		if slices.Contains(b.gaps, x.Prop) {
			out.gap = x
		}
	}
	if b.erring && out.errs == nil {
		step := ch.Clone()
		out.errs = &step
	}
}

// enter adds a step of the model from state i, which changes some leaves, ascending. Its label is a number of fired.
func (b *buchi) enter(i uint32, ch model.Choice, next model.State, changed []int, see sight) {
	s := modelStep{to: i, label: b.fires(ch)}
	if len(changed) > 0 {
		s.to, s.turn = b.successor(next, changed)
	}
	b.steps = append(b.steps, s)
	if see != nil {
		see(ch, next)
	}
}

// memory returns about how many bytes are in use.
func (b *buchi) memory() int64 {
	used, _ := b.set.memory()
	return used + int64(12*(cap(b.bases)+cap(b.kept))+16*cap(b.pairs)) + b.conditions.memory()
}
