package verify

import (
	"context"
	"math/bits"
	"time"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/internal/pace"
	"orbitmc/sat"
)

// This file proves functions equal by SAT sweeping (Kuehlmann, "Dynamic
// transition relation simplification for bounded property checking", ICCAD
// 2004; Mishchenko, Chatterjee, Jiang, Brayton, "FRAIGs", 2005).
//
// Typically structure does not show a symmetry because a loop counts rows. Exchanging two
// neighbours changes the order of two additions, and every gate above them differs. A miter
// at the outputs makes the solver reason about all gates at once, which took minutes for ten
// rows. Sweeping builds the image bottom up. If a new node agrees with an old node on all
// valuations seen so far, a query compares the two. If they are equal, the old node replaces
// the new one. Above the two additions the functions are equal again, so structural hashing
// finds the existing nodes.
//
// The functions themselves are built without queries; only their images are swept. The first
// valuations are states like those that occur; hardly any random valuation would be
// well-formed. Later valuations are counterexamples of queries. Graph and solver are kept, so the next permutation finds
// the merged nodes and the learned clauses.

// stepsPerNode is what a node costs in steps of package pace, to make it and to know its values.
const stepsPerNode = 4

// nodesPerStep is of how many nodes a step finds the values in 64 valuations.
const nodesPerStep = 64

const (
	baseWords     = 4 // of 64 valuations each: their values make the hash of a node
	maxCandidates = 8 // old nodes that a new one is compared with
)

// Valuation has a value for every leaf: latches, inputs, initial inputs.
type Valuation []bool

// sweeper compares functions of a verifier's graph where a predicate holds.
type sweeper struct {
	src    *aig.Graph // the verifier's
	g      *aig.Graph // merged functions
	source []aig.Lit  // leaves of src, in the order of valuations
	leaves []aig.Lit  // of g, in the same order
	prover Prover
	image  []aig.Lit // by node of src: literal of g plus 1, 0 if none yet
	known  []bool    // by node of g: is in a class
	class  map[uint64][]aig.Lit
	words  []*word
	base   int  // how many words the hashes are made of; 0 while none are known
	empty  bool // the predicate holds nowhere
	stack  []int
}

// word is 64 valuations, of which used are different.
type word struct {
	sim  *aig.Sim
	bits []uint64 // by leaf
	used int
}

// newSweeper returns a sweeper for functions of v.g where within holds. Those of
// the valuations drawn that satisfy within guide it.
func newSweeper(ctx context.Context, v *Verifier, within aig.Lit, newProver func(*aig.Graph) Prover, draw func() Valuation) *sweeper {
	s := &sweeper{src: v.g, g: aig.New(), class: make(map[uint64][]aig.Lit)}
	s.bind(0, aig.False)
	for _, part := range v.plain {
		for _, l := range part {
			x := s.g.Input()
			s.source = append(s.source, l)
			s.leaves = append(s.leaves, x)
			s.bind(l.Node(), x)
		}
	}
	s.prover = newProver(s.g)
	in := s.insert(ctx, within)
	s.prover.Assert(in)
	for try := 0; try < 4*64*baseWords && s.seen() < 64*baseWords; try++ {
		x := draw()
		pace.Spend(ctx, s.g.Len()/nodesPerStep)
		if s.newWord(x).value(in)&1 == 1 {
			s.add(x)
		}
	}
	if len(s.words) == 0 {
		switch s.prover.Solve(ctx) {
		case sat.Sat:
			s.add(s.model())
		case sat.Unsat:
			s.empty = true
		}
	}
	for _, w := range s.words {
		w.used = 64 // the hashes of nodes depend on it, so nothing may be added
	}
	s.base = len(s.words)
	for i := range s.g.Len() {
		s.enter(i)
	}
	return s
}

// seen returns the number of valuations taken in.
func (s *sweeper) seen() int {
	return lists.Sum(s.words, func(w *word) int { return w.used })
}

// newWord returns a word of 64 times the valuation x.
func (s *sweeper) newWord(x Valuation) *word {
	w := &word{sim: aig.NewSim(s.g), bits: make([]uint64, len(x)), used: 1}
	for i, b := range x {
		if b {
			w.bits[i] = ^uint64(0)
		}
		w.sim.Set(s.leaves[i].Node(), w.bits[i])
	}
	return w
}

func (w *word) value(l aig.Lit) uint64 {
	w.sim.Run()
	return w.sim.Word(l)
}

// valuation returns number k of the word.
func (w *word) valuation(k int) Valuation {
	x := make(Valuation, len(w.bits))
	for i := range x {
		x[i] = w.bits[i]>>k&1 == 1
	}
	return x
}

// add takes in another valuation.
func (s *sweeper) add(x Valuation) {
	if len(s.words) == 0 || s.words[len(s.words)-1].used == 64 {
		s.words = append(s.words, s.newWord(x))
		return
	}
	w := s.words[len(s.words)-1]
	for i, b := range x {
		if m := uint64(1) << w.used; b != (w.bits[i]&m != 0) {
			w.bits[i] ^= m
			w.sim.Set(s.leaves[i].Node(), w.bits[i])
		}
	}
	w.used++
}

// model reads the valuation the prover found.
func (s *sweeper) model() Valuation {
	x := make(Valuation, len(s.leaves))
	for i, l := range s.leaves {
		x[i] = s.prover.Value(l)
	}
	return x
}

// bind gives a node of src its image.
func (s *sweeper) bind(node int, l aig.Lit) {
	if node >= len(s.image) {
		s.image = append(s.image, make([]aig.Lit, max(node+1, s.src.Len())-len(s.image))...)
	}
	s.image[node] = l + 1
}

func (s *sweeper) imageOf(l aig.Lit) aig.Lit {
	return (s.image[l.Node()] - 1).NotIf(l.Neg())
}

// insert builds a function as it is.
func (s *sweeper) insert(ctx context.Context, l aig.Lit) aig.Lit {
	s.build(ctx, l, func(x aig.Lit) aig.Lit { return x })
	return s.imageOf(l)
}

// merge builds a function out of nodes that are there, as far as queries show
// that they will do.
func (s *sweeper) merge(ctx context.Context, l aig.Lit, slice time.Duration) aig.Lit {
	s.build(ctx, l, func(x aig.Lit) aig.Lit {
		if n := x.Node(); n < len(s.known) && s.known[n] || ctx.Err() != nil {
			return x
		}
		return s.replace(ctx, x, slice)
	})
	return s.imageOf(l)
}

// build gives the nodes of a function images: what replace makes of the
// conjunction of the images of the operands.
func (s *sweeper) build(ctx context.Context, l aig.Lit, replace func(aig.Lit) aig.Lit) {
	built := 0
	defer func() { pace.Spend(ctx, built*stepsPerNode) }()
	s.stack = append(s.stack[:0], l.Node())
	for len(s.stack) > 0 {
		n := s.stack[len(s.stack)-1]
		if n < len(s.image) && s.image[n] != 0 {
			s.stack = s.stack[:len(s.stack)-1]
			continue
		}
		a, b := s.src.Fanins(n)
		ready := true
		for _, x := range [2]aig.Lit{a, b} {
			if m := x.Node(); m >= len(s.image) || s.image[m] == 0 {
				s.stack = append(s.stack, m)
				ready = false
			}
		}
		if !ready {
			continue
		}
		if built++; built == 64 {
			pace.Spend(ctx, built*stepsPerNode)
			built = 0
		}
		x := replace(s.g.And(s.imageOf(a), s.imageOf(b)))
		s.enter(x.Node())
		s.bind(n, x)
	}
}

// enter puts a node into its class, unless it is in one.
func (s *sweeper) enter(node int) {
	if s.base == 0 {
		return
	}
	for len(s.known) < s.g.Len() {
		s.known = append(s.known, false)
	}
	if s.known[node] {
		return
	}
	s.known[node] = true
	key, l := s.hash(aig.MkLit(node, false))
	s.class[key] = append(s.class[key], l)
}

// hash returns the hash of the values of a literal, and which of it and its
// complement it is of: the one that is false in the first valuation.
func (s *sweeper) hash(l aig.Lit) (uint64, aig.Lit) {
	l = l.NotIf(s.words[0].value(l)&1 == 1)
	h := uint64(14695981039346656037) // FNV-1a, by words
	for _, w := range s.words[:s.base] {
		h = (h ^ w.value(l)) * (1<<40 + 0x1b3)
		h ^= h >> 29
	}
	return h, l
}

// agree reports whether two literals have equal values in all valuations.
func (s *sweeper) agree(a, b aig.Lit) bool {
	for _, w := range s.words {
		if w.value(a) != w.value(b) {
			return false
		}
	}
	return true
}

// differ searches for a valuation in which two literals differ, and takes it in.
func (s *sweeper) differ(ctx context.Context, a, b aig.Lit) sat.Status {
	for _, x := range [2]aig.Lit{a, a.Not()} {
		switch st := s.prover.Solve(ctx, x, b.NotIf(x == a)); st {
		case sat.Sat:
			s.add(s.model())
			return st
		case sat.Unknown:
			return st
		}
	}
	return sat.Unsat
}

// replace returns a node known to equal the new one of x, or x itself.
func (s *sweeper) replace(ctx context.Context, x aig.Lit, slice time.Duration) aig.Lit {
	key, l := s.hash(x)
	tried, looked := 0, 0
	defer func() { pace.Spend(ctx, looked) }()
	for _, old := range s.class[key] {
		if tried == maxCandidates {
			break
		}
		if looked++; !s.agree(l, old) {
			continue
		}
		tried++
		query, cancel := pace.Within(ctx, slice)
		st := s.differ(query, l, old)
		cancel()
		if st == sat.Unsat {
			return old.NotIf(l != x)
		}
	}
	return x
}

// distinguish searches the valuations for one in which two literals differ.
func (s *sweeper) distinguish(a, b aig.Lit) Valuation {
	for _, w := range s.words {
		d := w.value(a) ^ w.value(b)
		if d == 0 {
			continue
		}
		return w.valuation(bits.TrailingZeros64(d))
	}
	return nil
}

// differSeen searches the valuations seen so far for one in which a pair differs, and
// returns the first such pair. No query is needed for it. Most guesses from names and truth
// tables end here.
func (s *sweeper) differSeen(ds []Difference) (at int, x Valuation) {
	sim := aig.NewSim(s.src)
	for _, w := range s.words {
		for i, l := range s.source {
			sim.Set(l.Node(), w.bits[i])
		}
		sim.Run()
		for i, d := range ds {
			if diff := sim.Word(d.Want) ^ sim.Word(d.Got); diff != 0 {
				at, x, ds = i, w.valuation(bits.TrailingZeros64(diff)), ds[:i]
				break
			}
		}
	}
	return at, x
}

// prove decides whether all pairs are equal where the predicate holds. Sat means
// that the pair number at differs in x, Unknown that it was not decided before
// ctx ended.
func (s *sweeper) prove(ctx context.Context, ds []Difference, slice time.Duration) (st sat.Status, at int, x Valuation) {
	switch {
	case s.empty:
		return sat.Unsat, 0, nil
	case s.base == 0: // ctx ended before one valuation was found
		return sat.Unknown, 0, nil
	}
	if at, x := s.differSeen(ds); x != nil {
		return sat.Sat, at, x
	}
	for _, d := range ds {
		s.insert(ctx, d.Want)
	}
	for i, d := range ds {
		want, got := s.insert(ctx, d.Want), s.merge(ctx, d.Got, slice)
		if want == got {
			continue
		}
		if x := s.distinguish(want, got); x != nil {
			return sat.Sat, i, x
		}
		switch st := s.differ(ctx, want, got); st {
		case sat.Sat:
			return st, i, s.model()
		case sat.Unknown:
			return st, i, nil
		}
	}
	return sat.Unsat, 0, nil
}
