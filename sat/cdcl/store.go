package cdcl

import (
	"cmp"
	"slices"
)

// ref is the place of a clause in memory.
type ref uint32

// none is no clause.
const none = ^ref(0)

// watch is a clause that watches a literal, and one of its other literals: if that
// is true, the clause need not be visited. Of a clause of two literals it is the
// other one, and the clause is not visited to propagate.
type watch struct {
	clause  ref
	blocker lit // and, of a clause of two, the bit binary
}

const binary = lit(1) << 31

// store has the clauses one behind the other: a word with the length and flags, the head; of
// learned clauses one with the number of decision levels; and the literals, the two watched ones
// first. In a solver that writes a proof a word with the number of the clause follows.
type store struct {
	blocks   blocks[lit]
	total    int  // words of all clauses
	waste    int  // words of clauses that were removed
	numbered bool // clauses have numbers
}

const (
	isLearned = 1 << iota // 1: so many words are between the head and the literals
	isRemoved
	isUsed // since clauses were dropped the last time
	isVivified
	flagBits = iota
)

func (s *store) newClause(lits []lit, learned bool, number uint32) ref {
	head := lit(len(lits) << flagBits)
	if learned {
		head |= isLearned
	}
	n := s.words(head)
	c := ref(s.blocks.take(n))
	s.total += n
	s.mem(c)[0] = head
	copy(s.lits(c), lits)
	if s.numbered {
		s.mem(c)[n-1] = lit(number)
	}
	return c
}

// mem returns the words of a clause, and what follows.
func (s *store) mem(c ref) []lit { return s.blocks.at(uint32(c)) }

// glue returns the number of decision levels of a learned clause.
func (s *store) glue(c ref) lit { return s.mem(c)[1] }

// words returns the length in memory of a clause.
func (s *store) words(head lit) int {
	n := 1 + int(head&isLearned) + int(head>>flagBits)
	if s.numbered {
		n++
	}
	return n
}

// number returns the number of a clause.
func (s *store) number(c ref) uint32 {
	mem := s.mem(c)
	return uint32(mem[s.words(mem[0])-1])
}

func (s *store) lits(c ref) []lit {
	mem := s.mem(c)
	from := 1 + mem[0]&isLearned
	to := from + mem[0]>>flagBits
	return mem[from:to:to]
}

func (s *store) removed(c ref) bool { return s.mem(c)[0]&isRemoved != 0 }

// attach watches the first two literals of c.
func (s *Solver) attach(c ref) {
	ls := s.lits(c)
	a, b := ls[0], ls[1]
	two := lit(0)
	if len(ls) == 2 {
		two = binary
	}
	s.watches.push(a.Not(), watch{c, b | two})
	s.watches.push(b.Not(), watch{c, a | two})
}

// remove takes c away, at level 0.
func (s *Solver) remove(c ref) {
	s.unwatch(c)
	s.discard(c)
}

// unwatch ends what attach began.
func (s *Solver) unwatch(c ref) {
	for _, l := range s.lits(c)[:2] {
		ws := s.watches.list(l.Not())
		for i := range ws {
			if ws[i].clause == c {
				ws[i] = ws[len(ws)-1]
				s.watches.cut(l.Not(), len(ws)-1)
				break
			}
		}
	}
}

// discard takes a clause away that is not watched.
func (s *Solver) discard(c ref) {
	mem := s.mem(c)
	mem[0] |= isRemoved
	s.waste += s.words(mem[0])
	if s.proof != nil {
		s.proof.log.Delete(s.number(c))
	}
}

// Learned clauses of at most keptLevels decision levels are kept for good, those of at most usedLevels as
// long as they are used (Oh: Between SAT and UNSAT, SAT 2015).
const (
	keptLevels = 2
	usedLevels = 6
)

// moreLearnts is how many more learned clauses there may be after each drop (Audemard, Simon: Predicting
// learnt clauses quality in modern SAT solvers, IJCAI 2009).
const moreLearnts = 300

// drop removes the other ones of the half that has most decision levels, at level 0.
func (s *Solver) drop() {
	s.learnts = slices.DeleteFunc(s.learnts, s.removed)
	if len(s.learnts) <= s.limit {
		return
	}
	slices.SortStableFunc(s.learnts, func(a, b ref) int {
		return cmp.Or(cmp.Compare(s.glue(a), s.glue(b)), cmp.Compare(len(s.lits(a)), len(s.lits(b))))
	})
	keep := s.learnts[:0]
	n := len(s.learnts)
	for i, c := range s.learnts {
		if mem := s.mem(c); mem[1] <= keptLevels || i < n/2 || mem[1] <= usedLevels && mem[0]&isUsed != 0 {
			mem[0] &^= isUsed
			keep = append(keep, c)
		} else {
			s.remove(c)
		}
	}
	s.learnts = keep
	s.limit = max(s.limit, len(keep)) + moreLearnts
	s.compact()
}

// compact closes the gaps in memory when they are a third of it, at level 0.
func (s *Solver) compact() {
	if s.waste < 1<<14 || s.waste < s.total/3 {
		return
	}
	// The new place of a clause is written over the second word of the old one.
	old := s.store
	s.blocks, s.total, s.waste = blocks[lit]{size: old.blocks.size}, 0, 0
	for _, x := range old.blocks.extents() {
		for c := x.first; c < x.end; {
			mem := old.mem(ref(c))
			n := old.words(mem[0])
			if mem[0]&isRemoved == 0 {
				to := s.blocks.take(n)
				s.total += n
				copy(s.mem(ref(to)), mem[:n])
				mem[1] = lit(to)
			}
			c += uint32(n)
		}
	}
	moved := func(list []ref) []ref {
		kept := list[:0]
		for _, c := range list {
			if mem := old.mem(c); mem[0]&isRemoved == 0 {
				kept = append(kept, ref(mem[1]))
			}
		}
		return kept
	}
	for l := range s.watches.of {
		ws := s.watches.list(lit(l))
		for i := range ws {
			ws[i].clause = ref(old.mem(ws[i].clause)[1])
		}
	}
	s.learnts = moved(s.learnts)
	for _, g := range s.groups {
		g.clauses, g.learned = moved(g.clauses), moved(g.learned)
	}
}
