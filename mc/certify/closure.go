package certify

import (
	"context"
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// This file checks the evidence of exhaustive search. The claim is a set of
// states that holds, up to permutations of interchangeable values, every start
// state and every successor of its members. The check shares no code with the
// search: successors come from simulating the transition system, 64 rule
// instances at a time, not from the interpreter, and the permutation that leads
// back into the set is applied and compared here, so the search's
// canonicalisation need not be trusted. That the permutations are symmetries was
// verified when they were detected. The slots of multisets are in the order that
// the interpreter gives them, and no permutation moves them.
//
// Models without an encoding are checked in the interpreter, and so are those
// with multisets: there the inputs of the system name the slot an element goes
// to, and the steps for all slots are one.

// closureCheck is one check of a closure.
type closureCheck struct {
	p     *mc.Problem
	c     evidence.Closure
	never []int         // properties of which nothing must show
	live  []*layerCheck // liveness properties
	image model.State   // scratch
	found model.State   // scratch
	block []map[int]int // by scalarset class and value: its block
}

// checkClosure checks that the closure of r contains every start state and
// successor up to symmetry, that no member shows what the verdicts of rest
// exclude, and the layers of liveness properties. It returns how it was done, or
// the error of ctx if that ended first.
func checkClosure(ctx context.Context, p *mc.Problem, r *mc.Result, rest []*mc.PropResult) (how string, err error) {
	k := &closureCheck{p: p, c: r.Closure, image: make(model.State, p.Model.Leaves()), found: make(model.State, p.Model.Leaves())}
	slots := false
	for class, t := range p.Model.Scalarsets {
		k.block = append(k.block, make(map[int]int))
		slots = slots || t.Slots
		if class < len(p.Blocks) && !t.Slots {
			for b, values := range p.Blocks[class] {
				for _, v := range values {
					k.block[class][v] = b
				}
			}
		}
	}
	for _, pr := range rest {
		if p.Model.Props[pr.Prop].Kind != model.Liveness {
			k.never = append(k.never, pr.Prop)
			continue
		}
		l, err := k.newLayerCheck(r, pr)
		if err != nil {
			return "", err
		}
		k.live = append(k.live, l)
	}
	if p.Enc == nil || slots {
		return "its closure checked in the interpreter", k.interpret(ctx)
	}
	return "its closure checked by simulating the encoding", k.simulate(ctx)
}

// start checks that a start state is a member.
func (k *closureCheck) start(s model.State) error {
	if _, _, err := k.member(s); err != nil {
		return fmt.Errorf("start state: %w", err)
	}
	return nil
}

// step checks that a successor of the member that enter was called for last is a
// member, too, and takes note of it for the layers.
func (k *closureCheck) step(s model.State) error {
	i, perm, err := k.member(s)
	for _, l := range k.live {
		if err == nil {
			err = l.step(i, perm)
		}
	}
	return err
}

// enter begins with member number i; holds says which instances of a property hold
// in it.
func (k *closureCheck) enter(i int64, holds func(l *layerCheck, inst int) bool) error {
	for _, l := range k.live {
		if err := l.enter(i, holds); err != nil {
			return err
		}
	}
	return nil
}

// leave ends the check of the current member: all its successors were seen.
func (k *closureCheck) leave() error {
	for _, l := range k.live {
		if err := l.leave(); err != nil {
			return err
		}
	}
	return nil
}

// member checks that a permutation within the blocks maps s into the set; it
// returns the permutation and the number of the member.
func (k *closureCheck) member(s model.State) (i int64, perm model.ScalarPerm, err error) {
	i, perm, ok := k.c.Guess(s)
	if !ok || i < 0 || i >= k.c.Len() {
		return 0, nil, fmt.Errorf("a reachable state is missing")
	}
	image := s
	if perm != nil {
		if len(perm) != len(k.block) {
			return 0, nil, fmt.Errorf("a permutation of %d types, not %d", len(perm), len(k.block))
		}
		for class, images := range perm {
			if images == nil {
				continue
			}
			if t := k.p.Model.Scalarsets[class]; t.Slots || len(images) != int(t.Card()) {
				return 0, nil, fmt.Errorf("a permutation of the wrong size")
			}
			hit := make([]bool, len(images))
			var turned []int
			for _, r := range k.p.Rings {
				if r.Class == class && r.Rotates(images) {
					turned = append(turned, r.Values...)
				}
			}
			for v, w := range images {
				b, ok := k.block[class][v]
				if v != w && !slices.Contains(turned, v) && (w < 0 || w >= len(images) || !ok || b != k.blockOf(class, w)) || hit[w] {
					return 0, nil, fmt.Errorf("value %d of %v goes to %d, which is not interchangeable with it", v, k.p.Model.Scalarsets[class], w)
				}
				hit[w] = true
			}
		}
		k.p.Program.ApplyPerm(perm, s, k.image)
		image = k.image
	}
	if k.c.Member(i, k.found); !slices.Equal(k.found, image) {
		return 0, nil, fmt.Errorf("a reachable state is not the member it is said to be")
	}
	return i, perm, nil
}

func (k *closureCheck) blockOf(class, v int) int {
	if b, ok := k.block[class][v]; ok {
		return b
	}
	return -1
}

// simulate checks the closure on the transition system.
func (k *closureCheck) simulate(ctx context.Context) error {
	enc, sys := k.p.Enc, k.p.Enc.Sys
	sim := aig.NewSim(sys.G)
	var bads []aig.Lit
	for _, p := range k.never {
		for _, b := range enc.PropBads[p] {
			bads = append(bads, sys.Bads[b].Lit)
		}
	}
	latches := make([]bool, len(sys.Latches))
	load := func(state []bool) {
		for i, l := range sys.Latches {
			sim.Set(l.Node, broadcast(state[i]))
		}
	}
	// look simulates the lanes of the current latches and inputs.
	look := func(lanes uint64) error {
		sim.Run()
		for _, b := range bads {
			if sim.Word(b)&lanes != 0 {
				return fmt.Errorf("a state shows what a verdict excludes")
			}
		}
		return nil
	}
	batches := k.batches()

	init := make([]bool, len(sys.Init))
	for _, start := range enumerate(k.p.Model.Starts) {
		copy(init, enc.EncodeStart(start))
		for i, sig := range sys.Init {
			sim.Set(sig.Node, broadcast(init[i]))
		}
		sim.Run()
		for i, l := range sys.Latches {
			latches[i] = sim.Word(l.Reset)&1 == 1
		}
		load(latches)
		for i, in := range sys.Inputs {
			sim.Set(in.Node, batches[0].inputs[i])
		}
		if err := look(batches[0].lanes); err != nil {
			return err
		}
		if !enc.Started(latches) {
			continue // the start state errs
		}
		s, err := enc.DecodeState(latches)
		if err != nil {
			return fmt.Errorf("start state: %w", err)
		}
		if err := k.start(s); err != nil {
			return err
		}
	}

	next := make([]uint64, len(sys.Latches))
	return k.each(ctx, func(i int64, s model.State) error {
		state := enc.EncodeState(s)
		load(state)
		if k.live != nil {
			sim.Run()
			err := k.enter(i, func(l *layerCheck, inst int) bool {
				return sim.Word(enc.Instances[l.prop.Index][inst].Holds)&1 == 1
			})
			if err != nil {
				return err
			}
		}
		for _, batch := range batches {
			for i, in := range sys.Inputs {
				sim.Set(in.Node, batch.inputs[i])
			}
			if err := look(batch.lanes); err != nil {
				return err
			}
			moved := uint64(0)
			for i, l := range sys.Latches {
				next[i] = sim.Word(l.Next)
				moved |= next[i] ^ broadcast(state[i])
			}
			moved &= batch.lanes
			for lane := range 64 {
				if moved>>lane&1 == 0 {
					continue
				}
				for i := range latches {
					latches[i] = next[i]>>lane&1 == 1
				}
				t, err := enc.DecodeState(latches)
				if err == nil {
					err = k.step(t)
				}
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// each calls f for every member until it fails or ctx ends.
func (k *closureCheck) each(ctx context.Context, f func(i int64, s model.State) error) error {
	s := make(model.State, k.p.Model.Leaves())
	for i := range k.c.Len() {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		k.c.Member(i, s)
		if err := f(i, s); err != nil {
			return err
		}
		if err := k.leave(); err != nil {
			return err
		}
	}
	return nil
}

// batch is up to 64 rule instances as words of the inputs.
type batch struct {
	inputs []uint64 // by input
	lanes  uint64   // which lanes are in use
}

func (k *closureCheck) batches() []batch {
	var bs []batch
	n := len(k.p.Enc.Sys.Inputs)
	for i, ch := range enumerate(k.p.Model.Rules) {
		if i%64 == 0 {
			bs = append(bs, batch{inputs: make([]uint64, n)})
		}
		b := &bs[len(bs)-1]
		b.lanes |= 1 << (i % 64)
		for j, on := range k.p.Enc.EncodeChoice(ch) {
			if on {
				b.inputs[j] |= 1 << (i % 64)
			}
		}
	}
	if bs == nil { // no rules: the state is looked at all the same
		bs = append(bs, batch{inputs: make([]uint64, n), lanes: 1})
	}
	return bs
}

// enumerate lists the instances of rules or start states.
func enumerate(rules []*model.Rule) []model.Choice {
	var all []model.Choice
	for i, r := range rules {
		of := []model.Choice{{Rule: i}}
		for _, p := range r.Params {
			var longer []model.Choice
			for _, ch := range of {
				for _, v := range p.Domain.Values() {
					longer = append(longer, model.Choice{Rule: i, Params: append(slices.Clip(ch.Params), v)})
				}
			}
			of = longer
		}
		all = append(all, of...)
	}
	return all
}

func broadcast(b bool) uint64 {
	if b {
		return ^uint64(0)
	}
	return 0
}

// interpret checks the closure in the interpreter, for models without an
// encoding.
func (k *closureCheck) interpret(ctx context.Context) error {
	m := k.p.Program.NewMachine()
	never := make([]bool, len(k.p.Model.Props))
	for _, p := range k.never {
		never[p] = true
	}
	shown := func(prop int, v *model.Violation) error {
		return fmt.Errorf("a state or step shows what the verdict on %q excludes: %v", k.p.Model.Props[prop].Name, v)
	}
	var err error
	look := func(v *model.Violation) {
		if v != nil && never[v.Prop] {
			err = shown(v.Prop, v)
		}
		for _, p := range k.never {
			if q := k.p.Model.Props[p]; q.Kind == model.Cover && q.Expr == nil && m.Hit(p) {
				err = shown(p, nil)
			}
		}
	}
	m.Starts(func(_ model.Choice, s model.State, v *model.Violation) bool {
		if look(v); err == nil && v == nil {
			err = k.start(s)
		}
		return err == nil
	})
	if err != nil {
		return err
	}
	return k.each(ctx, func(i int64, s model.State) error {
		err = k.enter(i, func(l *layerCheck, inst int) bool {
			holds, v := m.Holds(s, l.prop.Index, l.insts[inst].Params)
			return holds && v == nil
		})
		if err != nil {
			return err
		}
		for _, q := range k.p.Model.Props {
			switch q.Kind {
			case model.Invariant:
				if v := m.Violated(s, q.Index); v != nil && never[v.Prop] {
					return shown(v.Prop, v)
				}
			case model.Cover:
				if q.Expr == nil {
					continue
				}
				if ok, v := m.Holds(s, q.Index, nil); v != nil && never[v.Prop] {
					return shown(v.Prop, v)
				} else if ok && never[q.Index] {
					return shown(q.Index, nil)
				}
			case model.Deadlock:
				if never[q.Index] && m.Deadlocked(s) {
					return fmt.Errorf("a deadlocked state")
				}
			}
		}
		m.Successors(s, func(_ model.Choice, t model.State, v *model.Violation) bool {
			if look(v); err == nil && v == nil {
				err = k.step(t)
			}
			return err == nil
		})
		return err
	})
}
