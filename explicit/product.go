package explicit

import (
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/ltl"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// This file makes the product of a model and the automaton of what a run must not do, state by state. A state of the
// product is one of the model, the values of the parameters of the formula, which no step changes, and a state of the
// automaton whose label the state of the model meets. The parameters are variables, so that a permutation moves them
// like any other value: an instance of the formula about one component keeps no symmetry from the others.
//
// Where no rule can fire, the state repeats itself. A run that errs goes on in a state of which nothing is known: it
// counts if the automaton accepts by labels that ask for nothing.

// buchi is the product.
type buchi struct {
	*conditions
	automaton *ltl.Automaton
	formula   *model.Formula // nil: the automaton has no labels
	often     []*model.Property
	erring    bool // a run that errs counts
	gaps      []int
	still     bool   // see formulaVariant
	endless   []bool // by state of the automaton: it accepts by labels that ask for nothing

	own    int // leaves of the model
	state  int // the leaf of the state of the automaton
	m      *model.Machine
	packer *model.Packer
	canon  *canonicaliser // nil without symmetry
	set    *set

	cur     model.State // the state that is expanded
	packed  []byte      // it, packed
	changed []int       // scratch
	next    model.State
	buf     []byte
	known   map[int][]arc // arcs of some states; nil: none are kept
	met     []int8        // by atom: 0 not known, 1 it holds, 2 it does not, 3 it errs
	fired   [][]uint32
	steps   []rawStep
}

// rawStep is a step of the product before it is known what waits in it.
type rawStep struct {
	to, turn uint32
	fires    int // of fired
}

// arc is a step between states of the product, by number, with the permutation to the representative.
type arc struct{ to, turn, label uint32 }

// shown is what an expansion shows besides arcs.
type shown struct {
	errs *model.Choice // this instance errs, and the automaton accepts what might come
	gap  *model.Violation
}

// sight is told of each arc in order: the instance, of rule -1 if none fires, and the state that it leads to.
type sight func(ch model.Choice, next model.State)

// newBuchi returns the product of p, which is the program of a model.Model.Product. The last variables of it are those of
// params and the state of the automaton.
func newBuchi(p *model.Program, f *model.Formula, a *ltl.Automaton, canon *canonicaliser, packer *model.Packer) *buchi {
	n := p.Model.Leaves()
	params := 0
	if f != nil {
		params = len(f.Params)
	}
	b := &buchi{conditions: newConditions(p, a.Conditions), automaton: a, formula: f, often: p.Model.Fair.Often, endless: endless(a),
		own: n - 1 - params, state: n - 1, m: p.NewMachine(), packer: packer, canon: canon, set: newSet(packer.Size()),
		cur: slices.Repeat(model.State{model.Undef}, n), packed: make([]byte, packer.Size()), next: make(model.State, n)}
	if b.set.size >= largeState {
		b.set.plants = firstTree
	}
	if f != nil {
		b.met = make([]int8, len(f.Atoms))
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

// values returns the parameters in a state.
func (b *buchi) values(s model.State) []int64 { return s[b.own:b.state] }

// meets reports whether a state meets the label of a state of the automaton. An atom that errs counts against the
// formula. What is known of atoms is kept until forget.
func (b *buchi) meets(s model.State, q *ltl.State) bool {
	is := func(atom int) int8 {
		if b.met[atom] == 0 {
			ok, v := b.m.Holds(s, b.formula.Atoms[atom].Index, b.values(s))
			switch {
			case v != nil:
				b.met[atom] = 3
			case ok:
				b.met[atom] = 1
			default:
				b.met[atom] = 2
			}
		}
		return b.met[atom]
	}
	return !slices.ContainsFunc(q.Yes, func(k int) bool { return is(k) == 2 }) && !slices.ContainsFunc(q.No, func(k int) bool { return is(k) == 1 })
}

func (b *buchi) forget() { clear(b.met) }

// starts calls yield with the start states of the product for some values of the parameters, until it returns false.
// The states are valid during the call.
func (b *buchi) starts(values []int64, yield func(ch model.Choice, s model.State) bool) {
	b.m.Starts(func(ch model.Choice, s model.State, v *model.Violation) bool {
		if v != nil || s == nil {
			return true
		}
		start := slices.Clone(s)
		copy(start[b.own:], values)
		b.forget()
		for q := range b.automaton.States {
			if a := &b.automaton.States[q]; a.Initial && b.meets(start, a) {
				if start[b.state] = int64(q); !yield(ch, start) {
					return false
				}
			}
		}
		return true
	})
}

// add returns the number of the representative of a state, and the permutation to it.
func (b *buchi) add(s model.State) (i, turn uint32) {
	if b.canon != nil {
		return b.enroll(b.canon.canon(s))
	}
	b.buf = b.packer.Pack(b.buf[:0], s)
	return b.enroll(b.buf)
}

// successor is add for a state that differs in some leaves, ascending, from the one that is expanded.
func (b *buchi) successor(s model.State, changed []int) (i, turn uint32) {
	b.buf = append(append(b.buf[:0], b.packed...), zeros[:]...)
	b.packer.Repack(b.buf, b.cur, s, changed)
	if b.canon != nil {
		return b.enroll(b.canon.successor(s, changed, b.buf))
	}
	return b.enroll(b.buf[:b.packer.Size()])
}

// enroll returns the number of a representative, to which the canonicaliser has the permutation.
func (b *buchi) enroll(to []byte) (i, turn uint32) {
	if b.canon != nil && !b.still {
		turn = b.turn(b.canon.perm)
	}
	h := hash(to)
	k, ok, slot := b.set.find(to, h)
	if !ok {
		k = b.set.insert(to, slot, h, noParent)
	}
	return uint32(k), turn
}

// expand appends the arcs of state i, and tells see of them, if it is not nil.
func (b *buchi) expand(i int, arcs []arc, see sight) ([]arc, shown) {
	read := b.set.at(i)
	b.changed = b.packer.Update(b.cur, b.packed, read, b.changed[:0])
	copy(b.packed, read)
	if b.canon != nil {
		b.canon.follow(b.cur, b.changed)
	}
	b.steps, b.fired = b.steps[:0], b.fired[:0]
	var out shown
	var can, could []uint32 // weak and strong conditions that could be met
	stuck := true
	q := &b.automaton.States[b.cur[b.state]]
	b.m.SuccessorsBut(b.cur, b.changed, nil, func(ch model.Choice, next model.State, v *model.Violation) bool {
		stuck = false
		if v != nil {
			b.fails(&out, q, ch, v)
			return true
		}
		can, could = b.enabled(ch, can, could)
		b.enter(i, q, ch, next, b.m.Changed(), see)
		return true
	})
	if stuck && !b.m.LeftOut() {
		b.enter(i, q, model.Choice{Rule: -1}, b.cur, nil, see)
	}
	slices.Sort(can)
	slices.Sort(could)
	can, could = slices.Compact(can), slices.Compact(could)
	always := b.waiting(q)
	labels := make([]uint32, len(b.fired))
	for k, fired := range b.fired {
		l := label{waits: always}
		for _, c := range can {
			if !slices.Contains(fired, c) {
				l.waits = append(slices.Clip(l.waits), c)
			}
		}
		if len(could) > 0 {
			l.could = could
			for _, c := range could {
				if slices.Contains(fired, c) {
					l.meets = append(l.meets, c)
				}
			}
		}
		slices.Sort(l.waits)
		labels[k] = b.label(l)
	}
	for _, s := range b.steps {
		arcs = append(arcs, arc{s.to, s.turn, labels[s.fires]})
	}
	return arcs, out
}

// fails notes an instance that errs.
func (b *buchi) fails(out *shown, q *ltl.State, ch model.Choice, v *model.Violation) {
	for _, x := range v.Each() {
		if slices.Contains(b.gaps, x.Prop) {
			out.gap = x
		}
	}
	if b.erring && out.errs == nil && slices.ContainsFunc(q.Next, func(k int) bool { return b.endless[k] }) {
		step := ch.Clone()
		out.errs = &step
	}
}

// enter adds the steps of the product for one of the model from state i, which changes some leaves, ascending.
func (b *buchi) enter(i int, q *ltl.State, ch model.Choice, next model.State, changed []int, see sight) {
	fires := b.fires(ch)
	copy(b.next, next)
	b.forget()
	changed = append(slices.Clip(changed), b.state)
	for _, k := range q.Next {
		if a := &b.automaton.States[k]; b.meets(b.next, a) {
			b.next[b.state] = int64(k)
			to, turn := uint32(i), uint32(0)
			if len(changed) > 1 || b.next[b.state] != b.cur[b.state] {
				to, turn = b.successor(b.next, changed)
			}
			b.steps = append(b.steps, rawStep{to, turn, fires})
			if see != nil {
				see(ch, b.next)
			}
		}
	}
}

// conditionOf returns the condition of a set of fair rules that an instance is in.
func (b *buchi) conditionOf(set int, ch model.Choice) uint32 {
	if !b.sets[set].ByElement {
		return b.number(evidence.Condition{Kind: evidence.Fires, Index: set}, nil)
	}
	return b.number(evidence.Condition{Kind: evidence.Fires, Index: set, Values: b.p.Named(b.cur, ch)}, b.p.NamedTypes(ch.Rule))
}

// enabled adds the conditions that an instance which can fire could meet.
func (b *buchi) enabled(ch model.Choice, can, could []uint32) (_, _ []uint32) {
	if len(b.sets) == 0 {
		return can, could
	}
	for _, u := range b.entries[instanceKey(ch)] {
		switch {
		case u.also:
		case b.sets[u.set].Strong:
			could = append(could, b.conditionOf(u.set, ch))
		default:
			can = append(can, b.conditionOf(u.set, ch))
		}
	}
	return can, could
}

// fires returns which conditions an instance meets, as a number of fired.
func (b *buchi) fires(ch model.Choice) int {
	var met []uint32
	if len(b.sets) > 0 && ch.Rule >= 0 {
		for _, u := range b.entries[instanceKey(ch)] {
			met = append(met, b.conditionOf(u.set, ch))
		}
	}
	if k := slices.IndexFunc(b.fired, func(f []uint32) bool { return slices.Equal(f, met) }); k >= 0 {
		return k
	}
	b.fired = append(b.fired, met)
	return len(b.fired) - 1
}

// waiting returns the conditions on states that wait in the state that is expanded.
func (b *buchi) waiting(q *ltl.State) (all []uint32) {
	for k, is := range q.Accepts {
		if !is {
			all = append(all, uint32(k))
		}
	}
	for _, prop := range b.often {
		types := lists.Map(prop.Params, func(p *model.Param) *model.Type { return p.Var.Type })
		for _, values := range model.InstancesOf(prop.Params) {
			if ok, v := b.m.Holds(b.cur, prop.Index, values); v == nil && !ok {
				all = append(all, b.number(evidence.Condition{Kind: evidence.Holds, Index: prop.Index, Values: values}, types))
			}
		}
	}
	slices.Sort(all)
	return all
}
