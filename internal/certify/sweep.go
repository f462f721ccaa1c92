package certify

import (
	"math/rand/v2"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file shows that a permutation π keeps a gate although the normal forms of the gate
// and its image differ. An example is a sum over components: the image adds them in another
// order. The method is SAT sweeping (Kuehlmann, "Dynamic transition relation simplification
// for bounded property checking", ICCAD 2004) from the leaves upwards. Each gate f has one
// candidate, its own image. If f(x) and f(π·x) agree on random valuations, a query compares
// them. If they are equal, both get the same normal form. The gates above are then compared
// by structure again.
//
// A query uses cutpoints (Kuehlmann and Krohn, "Equivalence checking using cuts and heaps",
// DAC 1997). It contains the gates below one of the two functions only. Gates below both
// are free variables. If two neighbours of a sum are exchanged, the sum of the components
// before them is below both, so the query is about the two neighbours. Equality under free
// variables is equality. If the query finds a difference, the definitions of more gates are
// added. A valuation that distinguishes f(x) from f(π·x) is kept for later gates.
//
// Soundness depends neither on the valuations nor on the cut. Two gates are merged only
// after a solver has refuted that they differ.

const (
	sweepRandom = 4     // words of 64 random valuations
	sweepWords  = 8     // of valuations at most; a new one replaces the oldest that is not random
	sweepLooked = 10000 // gates visited in search of those below one function only
	sweepMore   = 100   // gates below both that the first query defines
	sweepMost   = 2000  // gates below both that the last query defines; also the bound of gates below one only
	sweepFailed = 50    // comparisons that may fail without a distinguishing valuation
)

// sweeper holds valuations, and what was compared.
type sweeper struct {
	rng          *rand.Rand
	words        [][]uint64 // 64 valuations each: a word by number of a leaf, halved
	plain, image []*aig.Sim // of f(x) and of f(π·x), by word
	next         int        // the one to replace if there are many
	same         map[[2]int32]bool
}

func (s *symmetries) newSweeper() {
	w := &sweeper{rng: rand.New(rand.NewPCG(1, 1)), same: make(map[[2]int32]bool)}
	s.sweeper = w
	for range sweepRandom {
		s.try(w.valuations(s.numLeaves(), nil), ts.Identity(s.c.sys))
		w.keep()
	}
}

// numLeaves is a bound of the numbers of leaves, halved.
func (s *symmetries) numLeaves() int {
	return len(s.c.sys.Latches) + len(s.c.sys.Inputs) + len(s.c.sys.Init) + 1
}

// valuations returns 64 random ones that have the given values.
func (s *sweeper) valuations(leaves int, fixed map[int32]bool) []uint64 {
	word := make([]uint64, leaves)
	for i := range word {
		word[i] = s.rng.Uint64()
		if v, ok := fixed[int32(i)<<1]; ok {
			word[i] = 0
			if v {
				word[i] = ^uint64(0)
			}
		}
	}
	return word
}

// try puts a word of valuations in the next place, and simulates the system on it and on its
// image under p.
func (s *symmetries) try(word []uint64, p *ts.Perm) {
	w := s.sweeper
	if w.next == len(w.words) {
		w.words = append(w.words, nil)
		w.plain = append(w.plain, aig.NewSim(s.c.sys.G))
		w.image = append(w.image, aig.NewSim(s.c.sys.G))
	}
	w.words[w.next] = word
	s.simulate(w.plain[w.next], word, ts.Identity(s.c.sys))
	s.simulate(w.image[w.next], word, p)
}

// keep keeps the word that was tried last.
func (s *sweeper) keep() {
	if s.next++; s.next == sweepWords {
		s.next = sweepRandom
	}
}

// simulate evaluates the system where leaves have the values of those in their place.
func (s *symmetries) simulate(sim *aig.Sim, word []uint64, p *ts.Perm) {
	number := s.numbers(p)
	for _, part := range []map[int]int{s.c.leaves.latch, s.c.leaves.input, s.c.leaves.init} {
		for node := range part {
			x := number(node)
			sim.Set(node, word[x>>1]^-uint64(x&1))
		}
	}
	sim.Run()
}

// sweep finds gates below the roots that p keeps. From then on image, the view of p, gives
// them the normal forms of f(x).
func (s *symmetries) sweep(p *ts.Perm, image *formView, roots []aig.Lit) {
	if s.sweeper == nil {
		s.newSweeper()
	}
	w, g := s.sweeper, s.c.sys.G
	for k, word := range w.words {
		s.simulate(w.image[k], word, p)
	}
	image.forget()
	cone := g.Cone(roots)
	slices.Sort(cone)
	failed := 0
	for _, n := range cone {
		if !image.differs[n] || !g.IsAnd(n) {
			continue
		}
		a, b := g.Fanins(n)
		l := aig.MkLit(n, false)
		switch {
		case !image.differs[a.Node()] && !image.differs[b.Node()], image.form(l) == s.plain.form(l):
			image.differs[n] = false
		case failed == sweepFailed || !w.alike(n) || s.c.ctx.Err() != nil:
		default:
			same, leaves := s.sameForm(image.form(l), s.plain.form(l))
			if image.differs[n] = !same; same {
				continue
			}
			if s.try(w.valuations(s.numLeaves(), leaves), p); w.alike(n) {
				failed++
			} else {
				w.keep()
			}
		}
	}
}

// alike reports whether a gate has the same values under both on all valuations.
func (s *sweeper) alike(n int) bool {
	l := aig.MkLit(n, false)
	for k, sim := range s.plain {
		if sim.Word(l) != s.image[k].Word(l) {
			return false
		}
	}
	return true
}

// sameForm compares the functions of two numbers. If they are not the same, or that
// takes too much, it returns values of leaves for which they may differ.
func (s *symmetries) sameForm(x, y int32) (same bool, leaves map[int32]bool) {
	x, y = x&^1, y^x&1
	same, ok := s.sweeper.same[[2]int32{x, y}]
	if ok {
		return same, nil
	}
	f := newFormFormula(s.forms)
	f.add(f.lit(x), f.lit(y))
	f.add(f.lit(x).Not(), f.lit(y).Not())
	cut := f.private(x&^1, y&^1)
	d := s.c.variant.decider(f.formula)
	for most, more := f.gates+sweepMost, sweepMore; ; more *= 4 {
		cut = f.expand(cut, min(f.gates+more, most))
		s.c.queries++
		status, err := d.solve(s.c.ctx, nil)
		if err != nil {
			return false, nil
		}
		if status == sat.Unsat {
			s.sweeper.same[[2]int32{x, y}] = true
			return true, nil
		}
		if len(cut) == 0 || f.gates >= most {
			s.sweeper.same[[2]int32{x, y}] = false
			return false, f.leaves(d.value)
		}
	}
}

// formFormula is normal forms in a formula.
type formFormula struct {
	*formula
	of    *forms
	value map[int32]sat.Lit // by number, even
	gates int               // that are said to be the AND of their operands
}

func newFormFormula(of *forms) *formFormula {
	return &formFormula{newFormula(), of, map[int32]sat.Lit{0: verum.Not()}, 0}
}

func (f *formFormula) lit(x int32) sat.Lit {
	return lists.Memo(f.value, x&^1, func(int32) sat.Lit { return f.fresh() }) ^ sat.Lit(x&1)
}

// gate defines an AND by its operands.
func (f *formFormula) gate(n int32) {
	f.gates++
	out := f.lit(n)
	all := []sat.Lit{out}
	for _, x := range f.of.operandsOf(n) {
		f.add(out.Not(), f.lit(x))
		all = append(all, f.lit(x).Not())
	}
	f.add(all...)
}

// private defines the ANDs that are below exactly one of x and y. It returns the cut: the
// numbers of the other ANDs that occur, ascending.
func (f *formFormula) private(x, y int32) (cut []int32) {
	// Numbers are larger than those of operands: when the largest one is looked at,
	// all that have it for an operand were.
	const both = 3
	below := map[int32]int{x: 1}
	below[y] |= 2
	var todo []int32 // ascending
	open := 0        // of them, that are not below both
	visit := func(n int32, from int) {
		at, ok := slices.BinarySearch(todo, n)
		switch {
		case n < f.of.first:
			return
		case !ok:
			todo = slices.Insert(todo, at, n)
			open++
		case below[n] == both:
			return
		}
		if below[n] |= from; below[n] == both {
			open--
		}
	}
	visit(x, below[x])
	visit(y, below[y])
	for looked := 0; open > 0 && looked < sweepLooked && f.gates < sweepMost; looked++ {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if below[n] != both {
			open--
			f.gate(n)
		} else if f.value[n] != 0 {
			cut = append(cut, n)
		}
		for _, l := range f.of.operandsOf(n) {
			visit(l&^1, below[n])
		}
	}
	cut = append(cut, lists.Where(todo, func(n int32) bool { return f.value[n] != 0 })...)
	slices.Sort(cut)
	return cut
}

// expand defines the ANDs of a cut, largest number first, until the formula has most gates.
// Their operands join the cut. It returns the cut that remains.
func (f *formFormula) expand(cut []int32, most int) []int32 {
	for len(cut) > 0 && f.gates < most {
		n := cut[len(cut)-1]
		cut = cut[:len(cut)-1]
		for _, l := range f.of.operandsOf(n) {
			if m := l &^ 1; f.value[m] == 0 && m >= f.of.first {
				at, _ := slices.BinarySearch(cut, m)
				cut = slices.Insert(cut, at, m)
			}
			f.lit(l)
		}
		f.gate(n)
	}
	return cut
}

// leaves returns the values that leaves have in a model.
func (f *formFormula) leaves(value func(sat.Lit) bool) map[int32]bool {
	values := make(map[int32]bool)
	for n, v := range f.value {
		if n != 0 && n < f.of.first {
			values[n] = value(v)
		}
	}
	return values
}
