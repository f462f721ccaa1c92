package ts

import (
	"math/rand/v2"

	"orbitmc/aig"
	"orbitmc/internal/lists"
)

// Latches that are constant, or equal or complementary to others, in every
// reachable state: the largest
// partition into classes that are equal in the reset state and stay equal (van
// Eijk, "Sequential equivalence checking based on structural similarities", IEEE
// TCAD 19, 2000), with equality of next functions decided by structural hashing,
// each latch replaced by the first of its class. The constant is a member of one
// class, which begins with all latches of constant reset. So latches that are
// stuck are found, also those that are stuck because other latches are equal.
// Those that stuck.go finds are members of that class to the end.
//
// The partition is the greatest fixed point of a refinement that knows no order of
// latches. So every symmetry of the structure keeps it, and merging whole classes
// keeps the symmetry. Simulation only makes refinement faster: it separates latches
// that differ in a run, and latches whose next functions differ on some values of the
// classes. Otherwise a chain of latches that separate one after the other would take a
// copy of the system for each latch.

// simulated is how many frames of 64 runs are simulated before refinement.
const simulated = 32

// idleRounds is how many rounds of simulation that part nothing come before the
// next functions are compared.
const idleRounds = 2

// correspond returns, by latch, a literal that equals it in every reachable
// state: a constant, or the first latch of its class, complemented or not. It returns
// nil if refinement takes more rounds than given.
func (s *System) correspond(rounds int) []aig.Lit {
	c := &correspondence{s: s, class: make([]int, len(s.Latches)), phase: make([]bool, len(s.Latches)), stuck: s.stuck()}
	if c.stuck == nil {
		c.stuck = make([]bool, len(s.Latches))
	}
	c.start()
	for c.simulate(); c.refine(); c.simulate() {
		if rounds--; rounds < 0 {
			return nil
		}
	}
	lead := make(map[int]int) // by class: its first latch
	same := make([]aig.Lit, len(s.Latches))
	for i := range s.Latches {
		switch first, ok := lead[c.class[i]]; {
		case c.class[i] == 0:
			same[i] = aig.False.NotIf(c.phase[i])
		case ok:
			same[i] = s.LatchLit(first).NotIf(c.phase[first] != c.phase[i])
		default:
			lead[c.class[i]] = i
			same[i] = s.LatchLit(i)
		}
	}
	return same
}

// correspondence is a partition of latches: those of class 0 are constant.
// Latch i is the function of its class, complemented if phase[i].
type correspondence struct {
	s     *System
	class []int
	phase []bool
	size  []int  // by class
	stuck []bool // by latch: in class 0 to the end
}

// start makes the classes of equal resets and equal simulated runs.
func (c *correspondence) start() {
	s := c.s
	g := aig.New()
	norm := aig.NewNaryCopier(g, s.G, lists.Map(s.Latches, func(l Latch) aig.Lit { return l.Reset }))
	for _, in := range s.Init {
		norm.Set(in.Node, g.Input())
	}
	sim := aig.NewSim(s.G)
	rng := rand.New(rand.NewPCG(1, 1))
	for _, in := range s.Init {
		sim.Set(in.Node, rng.Uint64())
	}
	sim.Run()
	for i, l := range s.Latches {
		reset := norm.Copy(l.Reset)
		c.class[i], c.phase[i] = reset.Node(), reset.Neg()
		c.stuck[i] = c.stuck[i] && reset.Node() == 0
	}
	state := make([]uint64, len(s.Latches))
	seen := make([]uint64, len(s.Latches)) // hash of the run; 0 while constant
	for frame := range simulated {
		for i, l := range s.Latches {
			if frame == 0 {
				state[i] = sim.Word(l.Reset)
			} else {
				state[i] = sim.Word(l.Next)
			}
		}
		for i, l := range s.Latches {
			sim.Set(l.Node, state[i])
			w := state[i]
			if c.phase[i] {
				w = ^w
			}
			if w != 0 || seen[i] != 0 {
				seen[i] = (seen[i]^w+uint64(frame)+1)*0x9e3779b97f4a7c15 | 1
			}
		}
		for _, in := range s.Inputs {
			sim.Set(in.Node, rng.Uint64())
		}
		sim.Run()
	}
	type key struct {
		class int
		seen  uint64
	}
	split(c, func(i int) key { return key{c.class[i], seen[i]} }, key{})
}

// split makes classes of latches with equal keys; those with key constant are in
// class 0. A latch alone in its class stays alone and is not asked for its key. It reports
// whether there are more than before.
func split[K comparable](c *correspondence, key func(i int) K, constant K) bool {
	ids := map[K]int{constant: 0}
	size := []int{0}
	for i := range c.class {
		id := len(size)
		if c.stuck[i] {
			id = 0
		} else if c.size == nil || c.shared(i) {
			k := key(i)
			if known, ok := ids[k]; ok {
				id = known
			} else {
				ids[k] = id
			}
		}
		if id == len(size) {
			size = append(size, 0)
		}
		c.class[i] = id
		size[id]++
	}
	more := len(size) > len(c.size)
	c.size = size
	return more
}

// simulate parts latches whose next functions differ on random values of the classes,
// until no more are found.
func (c *correspondence) simulate() {
	s := c.s
	sim := aig.NewSim(s.G)
	rng := rand.New(rand.NewPCG(1, 2))
	type key struct {
		class int
		next  uint64
	}
	for idle := 0; idle < idleRounds; idle++ {
		function := make([]uint64, len(c.size)) // of each class
		for k := 1; k < len(function); k++ {
			function[k] = rng.Uint64()
		}
		word := func(w uint64, i int) uint64 {
			if c.phase[i] {
				return ^w
			}
			return w
		}
		for i, l := range s.Latches {
			sim.Set(l.Node, word(function[c.class[i]], i))
		}
		for _, in := range s.Inputs {
			sim.Set(in.Node, rng.Uint64())
		}
		sim.Run()
		if split(c, func(i int) key { return key{c.class[i], word(sim.Word(s.Latches[i].Next), i)} }, key{}) {
			idle = -1
		}
	}
}

// refine parts latches whose next functions differ although all classes are
// taken to be equal. It reports whether there were any.
func (c *correspondence) refine() bool {
	s := c.s
	g := aig.New()
	var nexts []aig.Lit
	for i, l := range s.Latches {
		if c.shared(i) {
			nexts = append(nexts, l.Next)
		}
	}
	norm := aig.NewNaryCopier(g, s.G, nexts)
	function := make([]aig.Lit, len(c.size)) // of each class
	for k := 1; k < len(function); k++ {
		function[k] = g.Input()
	}
	for i, l := range s.Latches {
		norm.Set(l.Node, function[c.class[i]].NotIf(c.phase[i]))
	}
	for _, in := range s.Inputs {
		norm.Set(in.Node, g.Input())
	}
	type key struct {
		class int
		next  aig.Lit
	}
	return split(c, func(i int) key { return key{c.class[i], norm.Copy(s.Latches[i].Next).NotIf(c.phase[i])} }, key{})
}

// shared reports whether latch i is equal to something else, as far as is known.
func (c *correspondence) shared(i int) bool { return c.class[i] == 0 || c.size[c.class[i]] > 1 }
