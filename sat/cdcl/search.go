package cdcl

import (
	"context"

	"orbitmc/sat"
)

// This file has the search: decisions, conflict analysis (learn) and going back.

// search decides the clauses under assumptions; on sat.Unsat it sets the core.
func (s *Solver) search(ctx context.Context, assumed []lit) sat.Status {
	if len(s.lims) == 0 && s.propagateAll() != none {
		s.latched = true
		return sat.Unsat
	}
	conflicts, round, before := 0, 1, s.counted.Propagations
	budget := s.restart
	for steps := 1; ; steps++ {
		if steps&0xff == 0 && s.pause != nil {
			s.rest()
		}
		if steps&0xff == 0 && ctx.Err() != nil || s.most > 0 && s.counted.Propagations-before > s.most {
			s.back(0)
			return sat.Unknown
		}
		if c := s.propagate(); c != none {
			s.counted.Conflicts++
			if len(s.lims) == 0 {
				s.proveEmpty(c)
				s.latched = true
				return sat.Unsat
			}
			conflicts++
			if !s.learn(c) {
				return sat.Unsat
			}
			continue
		}
		if s.rapid() && conflicts >= leastRun && (s.modes.worse() || s.due()) || !s.rapid() && conflicts >= budget {
			conflicts = 0
			if !s.rapid() {
				round++
				budget = s.restart * luby(round)
			}
			s.switchMode()
			s.back(s.keep(len(assumed)))
			s.widen()
			if len(s.learnts) > s.limit {
				s.back(0)
				s.drop()
				if s.vivify(); s.latched {
					return sat.Unsat
				}
			}
			continue
		}
		next := lit(0)
		for len(s.lims) < len(assumed) {
			l := assumed[len(s.lims)]
			if s.value[l] > 0 {
				s.lims = append(s.lims, len(s.trail))
				continue
			}
			if s.value[l] < 0 {
				s.fail(l)
				return sat.Unsat
			}
			next = l
			break
		}
		if next == 0 {
			if s.rapid() {
				next = s.latest()
			} else {
				next = s.active()
			}
			if next == 0 {
				return sat.Sat
			}
		}
		s.counted.Decisions++
		s.lims = append(s.lims, len(s.trail))
		s.assign(next, none)
	}
}

// active returns the decision of stable mode, 0 if all variables have values.
func (s *Solver) active() lit {
	for len(s.order.vars) > 0 {
		v := s.order.pop()
		s.aside += perPop
		if p := sat.MkLit(v, !s.phase[v]); s.value[p] == 0 {
			return p
		}
	}
	return 0
}

// luby returns member i, from 1, of 1, 1, 2, 1, 1, 2, 4, …
func luby(i int) int {
	for {
		k := 1
		for 1<<k-1 < i {
			k++
		}
		if 1<<k-1 == i {
			return 1 << (k - 1)
		}
		i -= 1<<(k-1) - 1
	}
}

func (s *Solver) assign(l lit, because ref) {
	v := l.Var()
	s.value[l], s.value[l.Not()] = 1, -1
	s.level[v] = int32(len(s.lims))
	s.reason[v] = because
	if s.proof != nil {
		s.proof.place[v] = uint32(len(s.trail))
	}
	s.trail = append(s.trail, l)
}

// back undoes all decisions but n.
func (s *Solver) back(n int) {
	if len(s.lims) <= n {
		return
	}
	from := s.lims[n]
	for i := len(s.trail) - 1; i >= from; i-- {
		l := s.trail[i]
		v := l.Var()
		s.value[l], s.value[l.Not()] = 0, 0
		if !s.still {
			s.phase[v] = !l.Neg()
		}
		if s.whole || s.focus[v] > s.stamp {
			s.order.insert(v)
		}
		if s.whole {
			s.queue.undo(v)
		}
	}
	s.trail = s.trail[:from]
	s.lims = s.lims[:n]
	s.head = from
}

// propagateAll propagates at level 0, whatever is in focus.
func (s *Solver) propagateAll() ref {
	focused := s.focused
	s.focused = false
	c := s.propagate()
	s.focused = focused
	if s.proof != nil {
		s.proveUnits()
		if c != none {
			s.proveEmpty(c)
		}
	}
	return c
}

// propagate assigns the literals that follow, and returns a clause that is false, or none.
//
// Variables out of focus have no value but at level 0. A clause that has such a
// variable as its blocker or as its other watched literal is passed over: it can
// still be satisfied. At level 0 the focus does not count, so that every clause
// watches two open literals there or is satisfied.
func (s *Solver) propagate() ref {
	focused := s.focused && len(s.lims) > 0
	value := s.value
	for s.head < len(s.trail) {
		l := s.trail[s.head]
		s.head++
		s.counted.Propagations++
		ws := s.watches.list(l)
		s.looked += int64(len(ws)) + perLiteral
		n := 0
		for i := 0; i < len(ws); i++ {
			w := ws[i]
			blocker := w.blocker &^ binary
			bv := value[blocker]
			if bv > 0 || focused && bv == 0 && s.focus[blocker>>1] < s.stamp {
				ws[n] = w
				n++
				continue
			}
			if w.blocker&binary != 0 {
				ws[n] = w
				n++
				if bv < 0 {
					n += copy(ws[n:], ws[i+1:])
					s.watches.cut(l, n)
					s.head = len(s.trail)
					return w.clause
				}
				s.assign(blocker, w.clause)
				continue
			}
			s.looked += perClause
			c := s.lits(w.clause)
			not := l.Not()
			if c[0] == not {
				c[0], c[1] = c[1], not
			}
			first := c[0]
			fv := value[first]
			if fv > 0 {
				ws[n] = watch{w.clause, first}
				n++
				continue
			}
			found := false
			for k := 2; k < len(c); k++ {
				if value[c[k]] >= 0 {
					c[1], c[k] = c[k], not
					s.watches.push(c[1].Not(), watch{w.clause, first})
					found = true
					break
				}
			}
			if found {
				continue
			}
			ws[n] = watch{w.clause, first}
			n++
			switch {
			case fv < 0:
				n += copy(ws[n:], ws[i+1:])
				s.watches.cut(l, n)
				s.head = len(s.trail)
				return w.clause
			case !focused || s.focus[first>>1] >= s.stamp:
				s.assign(first, w.clause)
			}
		}
		s.watches.cut(l, n)
	}
	return none
}

// because returns the other literals of the reason of l, all false.
func (s *Solver) because(c ref, l lit) []lit {
	ls := s.lits(c)
	if l != 0 && ls[0] != l { // a clause of two is not put in order when it propagates
		ls[0], ls[1] = ls[1], ls[0]
	}
	if l == 0 {
		return ls
	}
	return ls[1:]
}

// mark is what an analysis knows of a variable.
type mark uint8

const (
	unseen mark = iota
	seen        // it is in the clause, or follows from the others
	needed      // it does not follow

	deepest = 1000 // implications behind a literal that are followed
)

// learn learns a clause from a clause that is false, and backtracks to the level where
// the learned clause assigns a literal. It returns false if that refutes the formula.
func (s *Solver) learn(c ref) bool {
	learnt := append(s.clause[:0], 0)
	now := int32(len(s.lims))
	open := 0
	rapid := s.rapid()
	p := lit(0)
	i := len(s.trail) - 1
	s.lbd++
	for {
		if mem := s.mem(c); mem[0]&isLearned != 0 {
			mem[0] |= isUsed
		}
		if s.proof != nil {
			s.hint(c, p)
		}
		s.aside += perReason
		for _, q := range s.because(c, p) {
			v := q.Var()
			if s.seen[v] != unseen || s.level[v] == 0 {
				continue
			}
			s.mark(q, seen)
			if !rapid {
				s.order.bump(v)
			}
			if s.level[v] >= now {
				open++
			} else {
				learnt = append(learnt, q)
				s.levels[s.level[v]] = s.lbd
			}
		}
		for s.seen[s.trail[i].Var()] == unseen {
			i--
		}
		p = s.trail[i]
		i--
		c = s.reason[p.Var()]
		s.seen[p.Var()] = unseen
		if open--; open == 0 {
			break
		}
	}
	learnt[0] = p.Not()
	if rapid {
		s.bumpLatest()
	} else {
		s.order.increment /= 0.95
	}

	// Literals that the others imply are left out (Sörensson, Biere: Minimizing learned clauses, SAT 2009).
	n := 1
	for _, q := range learnt[1:] {
		if s.reason[q.Var()] == none || !s.redundant(q, 0) {
			learnt[n] = q
			n++
		}
	}
	learnt = learnt[:n]
	s.clause = learnt
	s.unmark()
	number := uint32(0)
	if s.proof != nil {
		number = s.prove(learnt)
	}

	to := int32(0)
	if n > 1 {
		best := 1
		for k := 2; k < n; k++ {
			if s.level[learnt[k].Var()] > s.level[learnt[best].Var()] {
				best = k
			}
		}
		learnt[1], learnt[best] = learnt[best], learnt[1]
		to = s.level[learnt[1].Var()]
	}
	lbd := lit(0)
	s.lbd++
	for _, q := range learnt {
		if d := s.level[q.Var()]; s.levels[d] != s.lbd {
			s.levels[d] = s.lbd
			lbd++
		}
	}
	if rapid {
		s.modes.learned(lbd)
	}
	s.back(int(to))
	if n == 1 {
		s.assign(learnt[0], none)
		s.proof.setUnit(learnt[0], number)
		if s.propagateAll() != none {
			s.latched = true
			return false
		}
		return true
	}
	r := s.newClause(learnt, true, number)
	s.mem(r)[1] = lbd
	s.attach(r)
	s.learnts = append(s.learnts, r)
	s.listed(r)
	s.assign(learnt[0], r)
	return true
}

// mark notes something about a variable until the analysis ends.
func (s *Solver) mark(q lit, as mark) {
	s.seen[q.Var()] = as
	s.marked = append(s.marked, q)
}

// unmark ends an analysis.
func (s *Solver) unmark() {
	for _, q := range s.marked {
		s.seen[q.Var()] = unseen
	}
	s.marked = s.marked[:0]
}

// redundant reports whether a literal of the clause, or one that implies one, follows from the others. What it finds
// about a literal is kept until the analysis ends. It searches only the levels of the clause: a literal can follow only
// if another one of its level is in the clause (Van Gelder: Improved conflict-clause minimization leads to improved
// propositional proof traces, SAT 2009).
func (s *Solver) redundant(q lit, depth int) bool {
	c := s.reason[q.Var()]
	s.aside += perReason
	for _, m := range s.because(c, q.Not()) {
		v := m.Var()
		if s.seen[v] == seen || s.level[v] == 0 {
			continue
		}
		if s.seen[v] == needed || s.reason[v] == none || s.levels[s.level[v]] != s.lbd || depth == deepest || !s.redundant(m, depth+1) {
			if depth > 0 {
				s.mark(q, needed)
			}
			return false
		}
	}
	if depth > 0 {
		s.mark(q, seen)
	}
	if s.proof != nil {
		s.hint(c, q.Not())
	}
	return true
}

// fail sets the core: the assumptions that make l, one of them, false.
func (s *Solver) fail(l lit) {
	add := func(l lit) {
		if o := s.outer[l.Var()]; o != 0 {
			s.core = append(s.core, o^l&1)
		}
	}
	add(l)
	if s.level[l.Var()] == 0 {
		s.proveCore(l)
		return
	}
	s.seen[l.Var()] = seen
	s.decided(add) // decisions are assumptions
	s.proveCore(l)
}

// decided calls each for the decisions from which the literals follow that are seen, and ends the analysis.
func (s *Solver) decided(each func(p lit)) {
	for i := len(s.trail) - 1; i >= s.lims[0]; i-- {
		p := s.trail[i]
		v := p.Var()
		if s.seen[v] == unseen {
			continue
		}
		s.seen[v] = unseen
		if s.reason[v] == none {
			each(p)
			continue
		}
		if s.proof != nil {
			s.hint(s.reason[v], p)
		}
		for _, m := range s.because(s.reason[v], p) {
			if s.level[m.Var()] > 0 {
				s.seen[m.Var()] = seen
			}
		}
	}
}
