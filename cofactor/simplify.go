package cofactor

import (
	"context"
	"math/bits"
	"slices"

	"orbitmc/aig"
	"orbitmc/mc/evidence"
	"orbitmc/sat"
)

// This file makes sets small, modulo the states that do not matter.
//
// Sweeping (Kuehlmann, ICCAD 2004; Mishchenko, Chatterjee, Jiang, Brayton:
// FRAIGs, 2005) builds a set bottom up. For each node it takes an older node, or
// a constant, that is equal on all states that matter. Removal of redundancy
// works top down, where most is to be gained: it replaces a node by a constant or
// by one of its operands if the set does not change on these states, though the
// node does. Both guess by simulating states that matter, and ask the solver only
// then. A wrong guess gives a new state to simulate.
//
// Each stored set leaves fewer states that matter. So a cofactor that alone takes
// much logic is often a few gates on top of the sets stored before. Under
// representatives this is most extreme: of sorted components, the one in place n
// tells how many of its kind there are.

// maxPrune is the number of nodes up to which redundancy is removed. The work is
// quadratic in it.
const maxPrune = 3000

// simplify returns a small circuit that equals c on all states that k does not know.
// When ctx ends it returns what it has by then.
func (s *search) simplify(ctx context.Context, c *evidence.Circuit, k *known) *evidence.Circuit {
	c = compact(c)
	if !c.G.IsAnd(c.Out.Node()) || !s.uses(Sweep) && !s.uses(Redundant) {
		return c
	}
	p := s.patterns(k)
	if s.uses(Sweep) {
		c = p.sweep(ctx, c)
	}
	if s.uses(Redundant) {
		c = p.prune(ctx, c)
	}
	return c
}

// patterns are states that matter, 64 in a word.
type patterns struct {
	k     *known
	words [][]uint64 // by word and latch; never empty
	used  int        // lanes of the last word
	base  int        // words that were there at first
}

// patterns collects states that k does not know.
func (s *search) patterns(k *known) *patterns {
	p := &patterns{k: k, words: [][]uint64{make([]uint64, len(s.sys.Latches))}}
	candidates := slices.Clone(s.sample.drawn)
	add := func(states [][]bool) {
		for len(states) > 0 {
			n := min(64, len(states))
			word := make([]uint64, len(s.sys.Latches))
			for i := range 64 {
				setLane(word, i, states[min(i, n-1)])
			}
			candidates, states = append(candidates, word), states[n:]
		}
	}
	add(s.sample.seen)
	add(s.sample.reach)
	var near [][]bool
	for i := len(s.sample.seen) - 1; i >= max(0, len(s.sample.seen)-8); i-- {
		for range 16 {
			near = append(near, s.descend(s.sample.near(s.sample.seen[i])))
		}
	}
	add(near)
	sim := aig.NewSim(k.g)
	matters := make([]aig.Lit, 0, len(k.sets)+1)
	matters = append(matters, s.matters(k.g, k.state))
	for _, c := range k.sets {
		matters = append(matters, c.Place(k.g, k.state).Not())
	}
	for _, word := range candidates {
		for i, l := range k.state {
			sim.Set(l.Node(), word[i])
		}
		sim.Run()
		lanes := ^uint64(0)
		for _, l := range matters {
			lanes &= sim.Word(l)
		}
		for ; lanes != 0; lanes &= lanes - 1 {
			p.addLane(word, bits.TrailingZeros64(lanes))
		}
	}
	p.base = len(p.words)
	return p
}

// addLane adds lane i of a word. Lanes not in use repeat the last one.
func (p *patterns) addLane(word []uint64, i int) {
	if p.used == 64 {
		p.words = append(p.words, make([]uint64, len(word)))
		p.used = 0
	}
	to := p.words[len(p.words)-1]
	for l := range to {
		to[l] &= 1<<p.used - 1
		if word[l]>>i&1 == 1 {
			to[l] |= ^uint64(0) << p.used
		}
	}
	p.used++
}

func (p *patterns) addState(state []bool) {
	word := make([]uint64, len(state))
	setLane(word, 0, state)
	p.addLane(word, 0)
}

// sweep merges nodes.
func (p *patterns) sweep(ctx context.Context, c *evidence.Circuit) *evidence.Circuit {
	d := evidence.NewCircuit(len(c.Latches))
	to := aig.NewCopier(p.k.g, d.G)
	image := make([]aig.Lit, c.G.Len())
	for i, l := range c.Latches {
		image[l.Node()] = d.Latches[i]
		to.Set(d.Latches[i].Node(), p.k.state[i])
	}
	of := func(l aig.Lit) aig.Lit { return image[l.Node()].NotIf(l.Neg()) }
	var sims []*aig.Sim
	load := func(w int) {
		for i, l := range d.Latches {
			sims[w].Set(l.Node(), p.words[w][i])
		}
	}
	value := func(w int, l aig.Lit) uint64 {
		sims[w].Run()
		return sims[w].Word(l)
	}
	for w := range p.words {
		sims = append(sims, aig.NewSim(d.G))
		load(w)
	}
	fixed := p.base - 1 // the last word may still grow
	key := func(l aig.Lit) (uint64, aig.Lit) {
		l = l.NotIf(value(0, l)&1 == 1)
		h := uint64(14695981039346656037)
		for w := range fixed {
			h = (h ^ value(w, l)) * (1<<40 + 0x1b3)
			h ^= h >> 29
		}
		return h, l
	}
	class := make(map[uint64][]aig.Lit)
	known := make(map[int]bool)
	enter := func(l aig.Lit) {
		if known[l.Node()] {
			return
		}
		known[l.Node()] = true
		h, l := key(l)
		class[h] = append(class[h], l)
	}
	enter(aig.False)
	for _, l := range d.Latches {
		enter(l)
	}
	const most = 4 // older nodes to compare with
	for _, n := range c.G.Cone([]aig.Lit{c.Out}) {
		if !c.G.IsAnd(n) {
			continue
		}
		a, b := c.G.Fanins(n)
		x := d.G.And(of(a), of(b))
		image[n] = x
		if known[x.Node()] || ctx.Err() != nil {
			continue
		}
		h, y := key(x)
		tried := 0
	candidates:
		for _, old := range class[h] {
			for w := range p.words {
				if value(w, old) != value(w, y) {
					continue candidates
				}
			}
			if tried++; tried > most {
				break
			}
			switch p.k.distinct(ctx, to.Copy(old), to.Copy(y)) {
			case sat.Unsat:
				image[n] = old.NotIf(x != y)
				break candidates
			case sat.Sat:
				p.addState(p.k.read())
				if len(p.words) > len(sims) {
					sims = append(sims, aig.NewSim(d.G))
				}
				load(len(sims) - 1)
			}
		}
		enter(image[n])
	}
	d.Out = of(c.Out)
	return compact(d)
}

// distinct asks for a state that is not known on which two functions differ.
func (k *known) distinct(ctx context.Context, a, b aig.Lit) sat.Status {
	if status := k.prover.Solve(ctx, a, b.Not()); status != sat.Unsat {
		return status
	}
	return k.prover.Solve(ctx, a.Not(), b)
}

// prune removes what cannot be observed.
func (p *patterns) prune(ctx context.Context, c *evidence.Circuit) *evidence.Circuit {
	if c.G.NumAnds(c.Out) > maxPrune {
		return c
	}
	v := p.evaluate(c)
	for n := c.Out.Node(); n > len(c.Latches) && ctx.Err() == nil; n-- {
		if n > c.Out.Node() { // of a smaller circuit by now; nodes above may be left over
			continue
		}
		a, b := c.G.Fanins(n)
		for _, x := range []aig.Lit{aig.False, aig.True, a, b} {
			if !v.same(n, x) {
				continue
			}
			d := substitute(c, n, x)
			state, status := p.k.differ(ctx, c, d)
			if status == sat.Sat {
				p.addState(state)
				v = p.evaluate(c)
				continue
			}
			if status == sat.Unsat {
				c, v = d, p.evaluate(d)
				break
			}
		}
	}
	return c
}

// substitute returns c with a node replaced by a literal.
func substitute(c *evidence.Circuit, node int, x aig.Lit) *evidence.Circuit {
	d := evidence.NewCircuit(len(c.Latches))
	k := aig.NewCopier(d.G, c.G)
	for i, l := range c.Latches {
		k.Set(l.Node(), d.Latches[i])
	}
	k.Set(node, k.Copy(x))
	d.Out = k.Copy(c.Out)
	return compact(d)
}

// values are those of all nodes of a circuit on the patterns.
type values struct {
	c       *evidence.Circuit
	words   [][]uint64 // by word and node
	changed []bool     // by node: scratch of same
	other   []uint64
}

func (p *patterns) evaluate(c *evidence.Circuit) *values {
	v := &values{c: c, changed: make([]bool, c.G.Len()), other: make([]uint64, c.G.Len())}
	for _, word := range p.words {
		w := make([]uint64, c.G.Len())
		for i, l := range c.Latches {
			w[l.Node()] = word[i]
		}
		for n := range w {
			if c.G.IsAnd(n) {
				a, b := c.G.Fanins(n)
				w[n] = at(w, a) & at(w, b)
			}
		}
		v.words = append(v.words, w)
	}
	return v
}

func at(w []uint64, l aig.Lit) uint64 { return w[l.Node()] ^ -uint64(l&1) }

// same reports whether replacing a node by an older literal changes nothing.
func (v *values) same(node int, x aig.Lit) bool {
	out := v.c.Out.Node()
	for _, w := range v.words {
		v.other[node] = at(w, x)
		v.changed[node] = v.other[node] != w[node]
		if !v.changed[node] {
			continue
		}
		for n := node + 1; n <= out; n++ {
			a, b := v.c.G.Fanins(n)
			ca, cb := v.changed[a.Node()], v.changed[b.Node()]
			if v.changed[n] = ca || cb; !v.changed[n] {
				continue
			}
			va, vb := at(w, a), at(w, b)
			if ca {
				va = at(v.other, a)
			}
			if cb {
				vb = at(v.other, b)
			}
			v.other[n] = va & vb
			v.changed[n] = v.other[n] != w[n]
		}
		differs := v.changed[out]
		clear(v.changed[node : out+1])
		if differs {
			return false
		}
	}
	return true
}
