package cdcl

import (
	"cmp"
	"slices"
)

// vivifyMost is the largest number of decision levels of learned clauses that are vivified.
const vivifyMost = 6

// vivify shortens learned clauses at level 0 (Luo et al.: An effective learnt clause
// minimization approach for CDCL SAT solvers, IJCAI 2017), each once, for as long as a share
// of the propagations of the search allows. The literals of a clause are made false one by
// one. If the others follow from some of them or contradict, these are a shorter clause. A
// group is a literal as any other here.
func (s *Solver) vivify() {
	if s.focused || s.proof != nil {
		return
	}
	stop := s.counted.Propagations + (s.counted.Propagations-s.vivified)/s.share
	s.still = true
	for i, c := range s.learnts {
		if s.counted.Propagations >= stop || s.latched {
			break
		}
		if mem := s.mem(c); mem[0]&(isRemoved|isVivified) == 0 && mem[1] <= vivifyMost && len(s.lits(c)) > 2 {
			mem[0] |= isVivified
			s.learnts[i] = s.shorter(c)
		}
	}
	s.still = false
	s.vivified = s.counted.Propagations
	s.compact()
}

// shorter replaces a clause by a shorter one if it finds one, and returns the one that is
// there then. It may be removed.
func (s *Solver) shorter(c ref) ref {
	lits := append(s.clause[:0], s.lits(c)...)
	s.clause = lits
	slices.SortStableFunc(lits, func(a, b lit) int {
		return cmp.Compare(s.order.activity[b.Var()], s.order.activity[a.Var()])
	})
	s.unwatch(c)
	n := 0 // literals that are left
	for _, l := range lits {
		if s.value[l] < 0 {
			continue
		}
		if s.value[l] > 0 {
			if s.level[l.Var()] == 0 {
				n = 0
				break
			}
			n = copy(lits, append(s.decisions(s.reason[l.Var()], l), l))
			break
		}
		lits[n] = l
		n++
		s.lims = append(s.lims, len(s.trail))
		s.assign(l.Not(), none)
		if conflict := s.propagate(); conflict != none {
			n = copy(lits, s.decisions(conflict, 0))
			break
		}
	}
	lits = lits[:n]
	s.back(0)
	levels := s.glue(c)
	switch {
	case n == len(s.lits(c)):
		s.attach(c)
		return c
	case n == 1:
		s.assign(lits[0], none)
		s.latched = s.propagateAll() != none
	case n > 1:
		r := s.newClause(lits, true, 0)
		s.mem(r)[0] |= isVivified | s.mem(c)[0]&isUsed
		s.mem(r)[1] = min(levels, lit(n))
		s.attach(r)
		s.listed(r)
		s.discard(c)
		return r
	}
	s.discard(c) // it is a unit, or satisfied
	return c
}

// decisions returns the negations of the decisions that make c false but for l, which may
// be 0. The result is valid until the next analysis.
func (s *Solver) decisions(c ref, l lit) []lit {
	found := s.todo[:0]
	for _, q := range s.lits(c) {
		if q != l && s.level[q.Var()] > 0 {
			s.seen[q.Var()] = seen
		}
	}
	s.decided(func(p lit) { found = append(found, p.Not()) })
	s.todo = found
	return found
}

// listed notes a learned clause in the groups whose literals it has.
func (s *Solver) listed(c ref) {
	for _, q := range s.lits(c) {
		if s.outer[q.Var()] == 0 {
			for _, g := range s.groups {
				if g.act.Var() == q.Var() {
					g.learned = append(g.learned, c)
				}
			}
		}
	}
}
