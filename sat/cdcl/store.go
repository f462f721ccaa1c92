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

// store has the clauses one behind the other: a word with the length and flags,
// one with the number of decision levels, and the literals, the two watched ones
// first. In a solver that writes a proof a word with the number of the clause follows.
type store struct {
	mem      []lit
	waste    int  // words of mem in clauses that were removed
	numbered bool // clauses have numbers
}

const (
	isLearned = 1 << iota
	isRemoved
	isUsed // since clauses were dropped the last time
	isVivified
	flagBits = iota
)

func (s *store) newClause(lits []lit, learned bool, number uint32) ref {
	c := ref(len(s.mem))
	head := lit(len(lits) << flagBits)
	if learned {
		head |= isLearned
	}
	s.mem = append(append(s.mem, head, 0), lits...)
	if s.numbered {
		s.mem = append(s.mem, lit(number))
	}
	return c
}

// words returns the length in memory of a clause of n literals.
func (s *store) words(n int) int {
	if s.numbered {
		return n + 3
	}
	return n + 2
}

// number returns the number of a clause.
func (s *store) number(c ref) uint32 { return uint32(s.mem[c+2+ref(s.mem[c]>>flagBits)]) }

func (s *store) lits(c ref) []lit {
	n := s.mem[c] >> flagBits
	return s.mem[c+2 : c+2+ref(n) : c+2+ref(n)]
}

func (s *store) removed(c ref) bool { return s.mem[c]&isRemoved != 0 }

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
	s.mem[c] |= isRemoved
	s.waste += s.words(len(s.lits(c)))
	if s.proof != nil {
		s.proof.log.Delete(s.number(c))
	}
}

// drop removes the half of the learned clauses that is least useful, at level 0.
func (s *Solver) drop() {
	s.learnts = slices.DeleteFunc(s.learnts, s.removed)
	if len(s.learnts) <= s.limit {
		return
	}
	slices.SortStableFunc(s.learnts, func(a, b ref) int { return cmp.Compare(s.mem[a+1], s.mem[b+1]) })
	keep := s.learnts[:0]
	n := len(s.learnts)
	for i, c := range s.learnts {
		if s.mem[c+1] <= 2 || i < n/2 || s.mem[c]&isUsed != 0 {
			s.mem[c] &^= isUsed
			keep = append(keep, c)
		} else {
			s.remove(c)
		}
	}
	s.learnts = keep
	if len(keep) > s.limit*3/4 {
		s.limit = len(keep) * 3 / 2
	}
	s.compact()
}

// compact closes the gaps in memory when they are a third of it, at level 0.
func (s *Solver) compact() {
	if s.waste < 1<<14 || s.waste < len(s.mem)/3 {
		return
	}
	// The new place of a clause is written over the second word of the old one.
	old := s.mem
	s.mem = make([]lit, 0, len(old)-s.waste)
	for c := 0; c < len(old); {
		n := s.words(int(old[c] >> flagBits))
		if old[c]&isRemoved == 0 {
			to := len(s.mem)
			s.mem = append(s.mem, old[c:c+n]...)
			old[c+1] = lit(to)
		}
		c += n
	}
	moved := func(list []ref) []ref {
		kept := list[:0]
		for _, c := range list {
			if old[c]&isRemoved == 0 {
				kept = append(kept, ref(old[c+1]))
			}
		}
		return kept
	}
	for l := range s.watches.of {
		ws := s.watches.list(lit(l))
		for i := range ws {
			ws[i].clause = ref(old[ws[i].clause+1])
		}
	}
	s.learnts = moved(s.learnts)
	for _, g := range s.groups {
		g.clauses, g.learned = moved(g.clauses), moved(g.learned)
	}
	s.waste = 0
}
