package mc

import (
	"context"
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/model"
)

// This file checks the evidence of exhaustive search. The claim is a set of
// states that holds, up to permutations of interchangeable values, every start
// state and every successor of its members. The check shares no code with the
// search: successors come from simulating the transition system, 64 rule
// instances at a time, not from the interpreter, and the permutation that leads
// back into the set is applied and compared here, so the search's
// canonicalisation need not be trusted. That the permutations are symmetries was
// verified when they were detected.

// Closure is a set of states claimed to be closed under steps up to
// permutations of interchangeable values.
type Closure interface {
	// Len returns the number of members.
	Len() int64
	// States calls yield for each member until it returns false. The state is
	// valid during the call only.
	States(yield func(model.State) bool)
	// Guess proposes a permutation that maps s to a member; nil is the identity.
	// It is valid until the next call.
	Guess(s model.State) model.ScalarPerm
	// Has reports whether s itself is a member.
	Has(s model.State) bool
}

// closureCheck is one check of a closure.
type closureCheck struct {
	p     *Problem
	c     Closure
	props []int // whose bads must not occur
	image model.State
	block []map[int]int // by scalarset class and value: its block
}

// checkClosure checks that the set contains every start state and successor up
// to symmetry, and that no member shows a violation of the properties. It
// returns how it was done, or the error of ctx if that ended first.
func checkClosure(ctx context.Context, p *Problem, c Closure, props []int) (how string, err error) {
	k := &closureCheck{p: p, c: c, props: props, image: make(model.State, p.Model.Leaves())}
	for class := range p.Model.Scalarsets {
		k.block = append(k.block, make(map[int]int))
		if class < len(p.Blocks) {
			for b, values := range p.Blocks[class] {
				for _, v := range values {
					k.block[class][v] = b
				}
			}
		}
	}
	if p.Enc == nil {
		return "its closure checked in the interpreter", k.interpret(ctx)
	}
	return "its closure checked by simulating the encoding", k.simulate(ctx)
}

// member checks that a permutation within the blocks maps s into the set.
func (k *closureCheck) member(s model.State) error {
	perm := k.c.Guess(s)
	image := s
	if perm != nil {
		if len(perm) != len(k.block) {
			return fmt.Errorf("a permutation of %d types, not %d", len(perm), len(k.block))
		}
		for class, images := range perm {
			if len(images) != int(k.p.Model.Scalarsets[class].Card()) {
				return fmt.Errorf("a permutation of the wrong size")
			}
			hit := make([]bool, len(images))
			for v, w := range images {
				b, ok := k.block[class][v]
				if v != w && (w < 0 || w >= len(images) || !ok || b != k.blockOf(class, w)) || hit[w] {
					return fmt.Errorf("value %d of %v goes to %d, which is not interchangeable with it", v, k.p.Model.Scalarsets[class], w)
				}
				hit[w] = true
			}
		}
		k.p.Program.ApplyPerm(perm, s, k.image)
		image = k.image
	}
	if !k.c.Has(image) {
		return fmt.Errorf("a reachable state is missing")
	}
	return nil
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
	for _, p := range k.props {
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
				return fmt.Errorf("a state shows a violation of a property called safe")
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
		if err == nil {
			err = k.member(s)
		}
		if err != nil {
			return fmt.Errorf("start state: %w", err)
		}
	}

	var err error
	count := int64(0)
	next := make([]uint64, len(sys.Latches))
	k.c.States(func(s model.State) bool {
		if count++; count%256 == 0 && ctx.Err() != nil {
			err = ctx.Err()
			return false
		}
		state := enc.EncodeState(s)
		load(state)
		for _, batch := range batches {
			for i, in := range sys.Inputs {
				sim.Set(in.Node, batch.inputs[i])
			}
			if err = look(batch.lanes); err != nil {
				return false
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
				var t model.State
				if t, err = enc.DecodeState(latches); err == nil {
					err = k.member(t)
				}
				if err != nil {
					return false
				}
			}
		}
		return true
	})
	if err == nil && count != k.c.Len() {
		return fmt.Errorf("%d members, not %d", count, k.c.Len())
	}
	return err
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
	wanted := make([]bool, len(k.p.Model.Props))
	for _, p := range k.props {
		wanted[p] = true
	}
	var err error
	step := func(_ model.Choice, s model.State, v *model.Violation) bool {
		switch {
		case v != nil && wanted[v.Prop]:
			err = fmt.Errorf("a step violates a property called safe: %w", v)
		case v == nil:
			err = k.member(s)
		}
		return err == nil
	}
	if m.Starts(step); err != nil {
		return err
	}
	count := int64(0)
	k.c.States(func(s model.State) bool {
		if count++; count%256 == 0 && ctx.Err() != nil {
			err = ctx.Err()
			return false
		}
		for _, q := range k.p.Model.Props {
			switch q.Kind {
			case model.Invariant:
				if v := m.Violated(s, q.Index); v != nil && wanted[v.Prop] {
					err = fmt.Errorf("a state violates a property called safe: %w", v)
				}
			case model.Deadlock:
				if wanted[q.Index] && m.Deadlocked(s) {
					err = fmt.Errorf("a deadlocked state")
				}
			}
		}
		if err == nil {
			m.Successors(s, step)
		}
		return err == nil
	})
	if err == nil && count != k.c.Len() {
		return fmt.Errorf("%d members, not %d", count, k.c.Len())
	}
	return err
}
