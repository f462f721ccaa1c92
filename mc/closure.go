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

// Closure is a list of states claimed to be closed under steps up to
// permutations of interchangeable values.
type Closure interface {
	// Len returns the number of members.
	Len() int64
	// Member stores member i, from 0, in s, which has an entry for each leaf.
	Member(i int64, s model.State)
	// Guess names the member i that s is mapped to by a permutation; nil is the
	// identity. The permutation is valid until the next call. ok is false if no
	// member is known.
	Guess(s model.State) (i int64, perm model.ScalarPerm, ok bool)
}

// closureCheck is one check of a closure.
type closureCheck struct {
	p     *Problem
	c     Closure
	props []int         // whose bads must not occur
	image model.State   // scratch
	found model.State   // scratch
	block []map[int]int // by scalarset class and value: its block
}

// checkClosure checks that the set contains every start state and successor up
// to symmetry, and that no member shows a violation of the properties. It
// returns how it was done, or the error of ctx if that ended first.
func checkClosure(ctx context.Context, p *Problem, c Closure, props []int) (how string, err error) {
	k := &closureCheck{p: p, c: c, props: props, image: make(model.State, p.Model.Leaves()), found: make(model.State, p.Model.Leaves())}
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
	i, perm, ok := k.c.Guess(s)
	if !ok || i < 0 || i >= k.c.Len() {
		return fmt.Errorf("a reachable state is missing")
	}
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
	if k.c.Member(i, k.found); !slices.Equal(k.found, image) {
		return fmt.Errorf("a reachable state is not the member it is said to be")
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

	next := make([]uint64, len(sys.Latches))
	return k.each(ctx, func(s model.State) error {
		state := enc.EncodeState(s)
		load(state)
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
					err = k.member(t)
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
func (k *closureCheck) each(ctx context.Context, f func(model.State) error) error {
	s := make(model.State, k.p.Model.Leaves())
	for i := range k.c.Len() {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		k.c.Member(i, s)
		if err := f(s); err != nil {
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
	return k.each(ctx, func(s model.State) error {
		for _, q := range k.p.Model.Props {
			switch q.Kind {
			case model.Invariant:
				if v := m.Violated(s, q.Index); v != nil && wanted[v.Prop] {
					return fmt.Errorf("a state violates a property called safe: %w", v)
				}
			case model.Deadlock:
				if wanted[q.Index] && m.Deadlocked(s) {
					return fmt.Errorf("a deadlocked state")
				}
			}
		}
		m.Successors(s, step)
		return err
	})
}
