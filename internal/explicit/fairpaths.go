package explicit

import (
	"context"
	"errors"
	"math"
	"slices"

	"orbitmc/internal/ctl"
	"orbitmc/internal/lists"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// This file decides EG x on fair paths, for formulas in computation tree logic: E. A. Emerson and C.-L. Lei, Modalities for
// model checking, 1987. Among the pairs in which x holds, strongly connected components are looked for that have a fair run
// (emptiness.go, with its conditions and threads; levels.go for strong fairness). Of each such component one run without
// end is made, and its pairs are layer 0 of the operator; the passes of ctl.go find all from which a path leads there.
// Pairs of a component with a fair run are among them, as each leads to each other one.

// fairSteps are the steps of all states, with what each does about fairness.
type fairSteps struct {
	*conditions
	l     *ctlCheck
	rep   model.State
	ends  []int // by state: where its steps end
	steps []modelStep
	perms []uint32 // by turn: the number of the permutation in ctlCheck.known
}

// fairPaths is what is known of an operator ctl.Stay. As a graph it has the pairs in which the operand holds.
type fairPaths struct {
	*fairSteps
	prop  *ctlProp
	o     *ctlOp
	top   *level
	loops []evidence.Loop
	on    map[int]int // by pair of a loop: which

	ctx    context.Context
	looked int
	reason Reason // why it stopped early; "" if it did not
}

// mostPairs is how many pairs components are looked for in.
const mostPairs = math.MaxInt32 - 1

// fairly decides the operators ctl.Stay of the depth at hand as far as that layer 0 is marked. It returns why it stopped
// early, or "".
func (cc *ctlCheck) fairly(ctx context.Context) Reason {
	var all []*fairPaths
	for _, p := range cc.props {
		for _, o := range p.ops {
			if o.Op == ctl.Stay && o.depth == cc.depth {
				o.fair = &fairPaths{prop: p, o: o, on: make(map[int]int), ctx: ctx}
				all = append(all, o.fair)
			}
		}
	}
	if len(all) == 0 {
		return ""
	}
	if cc.fair == nil {
		cc.fair = &fairSteps{conditions: newConditions(cc.s.p, 0), l: cc, rep: make(model.State, cc.s.p.Model.Leaves()), perms: []uint32{uint32(cc.identity())}}
		if r := cc.fair.expand(ctx); r != "" {
			return r
		}
	}
	for _, f := range all {
		if f.fairSteps = cc.fair; cc.s.set.n*len(f.prop.insts) > mostPairs {
			return outOfMemory
		}
		if f.components(); f.reason != "" {
			return f.reason
		}
	}
	return ""
}

// expand finds the steps of all states.
func (f *fairSteps) expand(ctx context.Context) Reason {
	s := f.l.s
	packed := make([]byte, s.packer.Size())
	var changed []int
	missing := false
	for i := range s.set.n {
		if r := f.tick(ctx, i, 0); r != "" {
			return r
		}
		read := s.set.at(i)
		changed = s.packer.Update(f.cur, packed, read, changed[:0])
		copy(packed, read)
		first := len(f.steps)
		labels := f.each(changed, func(model.Choice, *model.Violation) {}, func(ch model.Choice, next model.State, _ []int) {
			step := modelStep{to: uint32(i), label: f.fires(ch)}
			if ch.Rule >= 0 {
				to, perm := f.l.lookup(next)
				if to < 0 {
					missing = true
					return
				}
				step.to, step.turn = uint32(to), f.turn(perm)
				if int(step.turn) == len(f.perms) {
					f.perms = append(f.perms, uint32(f.l.number(f.l.tell(nil, s.canon))))
				}
			}
			f.steps = append(f.steps, step)
		})
		for k := first; k < len(f.steps); k++ {
			f.steps[k].label = labels[f.steps[k].label]
		}
		if f.ends = append(f.ends, len(f.steps)); missing {
			return "internal error: a successor is missing"
		}
	}
	return ""
}

// lookup returns the number of the representative of a state, -1 if there is none, and the permutation to it, nil without
// symmetry.
func (cc *ctlCheck) lookup(st model.State) (i int, perm model.ScalarPerm) {
	s := cc.s
	if s.canon != nil {
		s.buf = append(s.buf[:0], s.canon.canon(st)...)
		perm = s.canon.perm
	} else {
		s.buf = s.packer.Pack(s.buf[:0], st)
	}
	i, ok, _ := s.set.find(s.buf, hash(s.buf))
	if !ok {
		i = -1
	}
	return i, perm
}

// pair returns the number of the pair to which the permutation at hand, to state i, maps an instance.
func (cc *ctlCheck) pair(p *ctlProp, i, inst int) int {
	return i*len(p.insts) + int(p.next[cc.number(cc.tell(nil, cc.s.canon))][inst])
}

// tick looks at limits now and then; more is how many bytes are in use besides.
func (f *fairSteps) tick(ctx context.Context, n int, more int64) Reason {
	if n%stepBlock != 0 {
		return ""
	}
	s := f.l.s
	f.l.progress(1)
	used, _ := s.memory()
	used += more + f.conditions.memory() + int64(8*cap(f.ends)+12*cap(f.steps))
	switch {
	case ctx.Err() != nil:
		return reasonOf(ctx)
	case s.opt.MemLimit > 0 && used > s.opt.MemLimit:
		return outOfMemory
	}
	return ""
}

// components looks at all components of pairs in which the operand holds.
func (f *fairPaths) components() {
	e := newEmptiness(f.conditions, f)
	e.every = true
	f.top = &level{e: e}
	for pair := 0; pair < f.size() && !f.stop(); pair++ {
		if f.prop.holds(f.o.X, pair) {
			e.visit(pair)
		}
	}
	if f.reason != "" {
		return
	}
	f.top.refine(f.arcsOf, f.stop)
	f.top.fair(func(states []int) bool {
		if f.stop() {
			return false
		}
		if err := f.loop(states); err != nil {
			f.reason = Reason(err.Error())
		}
		return f.reason == ""
	})
}

// stop looks at limits now and then, and reports whether to stop.
func (f *fairPaths) stop() bool {
	if f.looked++; f.reason == "" {
		f.reason = f.tick(f.ctx, f.looked, f.top.e.memory())
	}
	return f.reason != ""
}

// loop makes a run that stays in a component, and marks its pairs.
func (f *fairPaths) loop(states []int) error {
	n := len(f.prop.insts)
	f.unpack(states[0] / n)
	p := &lassoPath{conditions: f.conditions, g: f, own: len(f.rep), at: states[0], states: []model.State{slices.Clone(f.rep)}}
	if _, err := p.around(lists.Set(states)); err != nil {
		return err
	}
	loop := evidence.Loop{Member: int64(states[0] / n), Values: f.prop.insts[states[0]%n], Steps: p.steps}
	for _, s := range p.states[:len(p.steps)] {
		pair, _ := f.passes(loop, s)
		if pair < 0 {
			return errors.New("internal error: the symmetry does not hold: a state of a loop is missing")
		}
		if f.o.pass[pair] == unmarked {
			f.o.pass[pair], f.on[pair] = 0, len(f.loops)
			f.o.open--
		}
	}
	f.loops = append(f.loops, loop)
	return nil
}

// passes returns the pair of a state of a loop, and the permutation to its representative: that where the loop begins stands
// for itself.
func (f *fairPaths) passes(loop evidence.Loop, s model.State) (pair int, perm model.ScalarPerm) {
	inst := f.prop.number(loop.Values)
	if f.unpack(int(loop.Member)); slices.Equal(s, f.rep) {
		return int(loop.Member)*len(f.prop.insts) + inst, nil
	}
	i, perm := f.l.lookup(s)
	return f.l.pair(f.prop, i, inst), perm
}

func (f *fairSteps) unpack(i int) {
	f.l.s.packer.Unpack(f.l.s.set.at(i), f.rep)
}

// size implements graph.
func (f *fairPaths) size() int { return len(f.ends) * len(f.prop.insts) }

// successors implements graph.
func (f *fairPaths) successors(pair int, arcs []arc) ([]arc, bool) {
	f.arcs(pair, func(_ int, a arc) bool {
		arcs = append(arcs, a)
		return true
	})
	return arcs, f.stop()
}

// arcs calls do with the arcs of a pair, and the number of the step of the state that each is, until it returns false.
func (f *fairPaths) arcs(pair int, do func(step int, a arc) bool) {
	n := len(f.prop.insts)
	i, first := pair/n, 0
	if i > 0 {
		first = f.ends[i-1]
	}
	for k, s := range f.steps[first:f.ends[i]] {
		to := f.prop.target(ctlStep{to: s.to, perm: f.perms[s.turn]}, pair%n)
		if f.prop.holds(f.o.X, to) && !do(k, arc{uint32(to), s.turn, s.label}) {
			return
		}
	}
}

// arcsOf implements lassoGraph.
func (f *fairPaths) arcsOf(pair int) (all []arc) {
	all, _ = f.successors(pair, nil)
	return all
}

// take implements lassoGraph.
func (f *fairPaths) take(pair, n int) (a arc, ch model.Choice, next, rep model.State) {
	step := -1
	f.arcs(pair, func(k int, x arc) bool {
		if n == 0 {
			step, a = k, x
		}
		n--
		return step < 0
	})
	f.unpack(pair / len(f.prop.insts))
	copy(f.cur, f.rep)
	f.each(nil, func(model.Choice, *model.Violation) {}, func(x model.Choice, to model.State, _ []int) {
		if step == 0 {
			ch, next = x.Clone(), slices.Clone(to)
		}
		step--
	})
	return a, ch, next, slices.Clone(f.rep)
}

// from returns the steps of a run without end from a state, whose pair is on a loop, to that state again: at most one, of
// rule -1, if the state repeats itself.
func (f *fairPaths) from(pair int, st model.State, perm model.ScalarPerm) (steps []model.TraceStep) {
	loop := f.loops[f.on[pair]]
	f.unpack(int(loop.Member))
	own, n := slices.Clone(f.rep), len(loop.Steps)
	states := []model.State{own}
	for _, ch := range loop.Steps[:n-1] {
		own, _, _ = f.m.Fire(own, ch)
		own = slices.Clone(own)
		states = append(states, own)
	}
	moves := perm // to st, from the state of the loop
	k := slices.IndexFunc(states, func(s model.State) bool {
		at, to := f.passes(loop, s)
		switch {
		case perm == nil:
		case to == nil:
			moves = inverse(perm)
		default:
			moves = product(to, inverse(perm))
		}
		return at == pair
	})
	for j := range n {
		at := (k + j) % n
		step := model.TraceStep{Choice: loop.Steps[at], State: st}
		if step.Choice.Rule >= 0 {
			if moves != nil {
				step.Choice = f.p.PermStep(moves, states[at], st, step.Choice)
			}
			next, _, _ := f.m.Fire(st, step.Choice)
			step.State = slices.Clone(next)
		}
		steps, st = append(steps, step), step.State
	}
	return steps
}

// Loops implements evidence.Fair.
func (f *fairPaths) Loops() []evidence.Loop { return f.loops }

// Component implements evidence.Fair.
func (f *fairPaths) Component(i int64, inst []int64, level int) (number int, waiting []uint32, ok bool) {
	return f.top.component(int(i)*len(f.prop.insts)+f.prop.number(inst), level)
}

// Condition implements evidence.Fair.
func (f *fairPaths) Condition(number uint32) evidence.Condition { return f.list.all[number] }
