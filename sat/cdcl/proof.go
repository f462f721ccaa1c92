package cdcl

import (
	"math"
	"slices"

	"orbitmc/sat"
)

// Log receives a proof in LRAT as it arises: for each clause that is learned, and for
// each literal that follows for good, the clauses that they follow from by unit
// propagation, in order (Pollitt, Fleury, Biere: Faster LRAT checking than solving with
// CaDiCaL, SAT 2023). Clauses have numbers from 1 in the order in which they are added or
// learned. Slices are valid during the call only.
type Log interface {
	// Learn is called for each lemma. Before Solve returns sat.Unsat, the last lemma says
	// that some assumption of the core is false; it is deleted then. Once the clauses alone
	// are unsatisfiable, the empty clause was learned.
	Learn(number uint32, clause []sat.Lit, hints []uint32)
	Delete(number uint32)
}

// NewLogged returns an empty solver that writes a proof. Groups have no clauses in it.
func NewLogged(log Log) *Solver {
	s := New()
	s.numbered = true
	s.proof = &proof{log: log}
	s.proof.grow()
	return s
}

// proof is what a solver knows of its proof; nil: it writes none.
type proof struct {
	log    Log
	last   uint32   // number of clauses so far
	unit   []uint32 // by variable that has a value for good: the number of the clause that says so
	place  []uint32 // by variable that has a value: its place in the trail
	proved int      // of the trail, at level 0: these have units

	// Of the lemma that is being derived.
	units []uint32 // hints of one literal
	chain []uint64 // other hints; above their number, the place of the literal that they imply
	hints []uint32 // scratch
}

// grow makes room for a variable.
func (p *proof) grow() {
	p.unit = append(p.unit, 0)
	p.place = append(p.place, 0)
}

// axiom numbers a clause that is added.
func (p *proof) axiom() uint32 {
	if p == nil {
		return 0
	}
	p.last++
	return p.last
}

// setUnit says that clause number n is the literal l.
func (p *proof) setUnit(l lit, n uint32) {
	if p != nil {
		p.unit[l.Var()] = n
	}
}

// hint says that the lemma follows from c, which implies l; l is 0 if c is false.
func (s *Solver) hint(c ref, l lit) {
	place := uint64(math.MaxUint32)
	if l != 0 {
		place = uint64(s.proof.place[l.Var()])
	}
	s.proof.chain = append(s.proof.chain, place<<32|uint64(s.number(c)))
	for _, q := range s.lits(c) {
		if s.level[q.Var()] == 0 && q != l {
			s.hintUnit(q)
		}
	}
}

// hintUnit says that the lemma follows from the value that q has for good.
func (s *Solver) hintUnit(q lit) {
	if v := q.Var(); s.seen[v] == unseen {
		s.mark(q, seen)
		s.proof.units = append(s.proof.units, s.proof.unit[v])
	}
}

// prove learns a lemma from the hints since the last one.
func (s *Solver) prove(clause []lit) uint32 {
	p := s.proof
	slices.Sort(p.chain)
	p.hints = append(p.hints[:0], p.units...)
	for _, h := range p.chain {
		p.hints = append(p.hints, uint32(h))
	}
	p.units, p.chain = p.units[:0], p.chain[:0]
	s.unmark()
	p.last++
	p.log.Learn(p.last, clause, p.hints)
	return p.last
}

// proveUnits learns a unit for each literal that follows at level 0. So the clauses that
// imply them may go.
func (s *Solver) proveUnits() {
	p := s.proof
	for ; p.proved < len(s.trail); p.proved++ {
		l := s.trail[p.proved]
		if c := s.reason[l.Var()]; c != none {
			s.hint(c, l)
			p.setUnit(l, s.prove([]lit{l}))
		}
	}
}

// proveEmpty learns the empty clause from c, which is false at level 0.
func (s *Solver) proveEmpty(c ref) {
	if s.proof != nil {
		s.hint(c, 0)
		s.prove(nil)
	}
}

// proveCore learns that some assumption of the core is false; l is one that is.
func (s *Solver) proveCore(l lit) {
	p := s.proof
	if p == nil {
		return
	}
	if s.level[l.Var()] == 0 {
		s.hintUnit(l)
	}
	for i, a := range s.core {
		s.core[i] = a.Not()
	}
	p.log.Delete(s.prove(s.core))
	for i, a := range s.core {
		s.core[i] = a.Not()
	}
}

// shorten learns an added clause without the literals that simplify leaves out, and
// returns its number.
func (s *Solver) shorten(number uint32, clause, lits []lit, satisfied bool) uint32 {
	p := s.proof
	short := number
	if !satisfied && len(lits) < len(clause) {
		for _, q := range clause {
			if s.value[q] < 0 {
				s.hintUnit(q)
			}
		}
		p.chain = append(p.chain, uint64(number))
		short = s.prove(lits)
	}
	if satisfied || short != number {
		p.log.Delete(number)
	}
	return short
}
