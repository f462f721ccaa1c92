package cdcl

import "orbitmc/sat"

// This file has the two modes of search. In stable mode variables are decided by activity, and restarts
// are rare. In rapid mode the variables of the last conflict are decided first, and the search restarts
// as soon as learned clauses get worse (Audemard, Simon: Refining restarts strategies for SAT and
// UNSAT, CP 2012). Some formulas need one, some the other, so they alternate (Oh: Between SAT and
// UNSAT, SAT 2015; Kissat calls rapid mode focused, which is another thing here). Queries in focus are
// small, and always in stable mode.

const (
	firstSpan  = 1000 // conflicts of the first span, which is in stable mode
	fastWindow = 33   // learned clauses
	slowWindow = 1e5  // learned clauses
	worse      = 1.1  // a restart comes when the fast average is so many times the slow one
	leastRun   = 2    // conflicts between two restarts in rapid mode
)

// modes says which mode the solver is in.
type modes struct {
	rapid      bool
	fast, slow average // of the decision levels of clauses that were learned in rapid mode
	first      int64   // conflicts of the first span
	switches   int64   // of the mode
	unit       int64   // Solver.looked at the end of the first span
	end        int64   // Solver.looked at the end of this span, but for the first
}

func newModes() modes {
	return modes{fast: newAverage(fastWindow), slow: newAverage(slowWindow), first: firstSpan}
}

// rapid reports whether the query is in rapid mode.
func (s *Solver) rapid() bool { return s.modes.rapid && !s.focused }

// due reports whether the mode is to change: of pairs of spans, the k-th has k² times the length of the first
// span, by what was looked at.
func (s *Solver) due() bool {
	if s.modes.switches == 0 {
		return s.counted.Conflicts >= s.modes.first
	}
	return s.looked >= s.modes.end
}

// switchMode changes the mode if that is due.
func (s *Solver) switchMode() {
	if !s.due() {
		return
	}
	m := &s.modes
	if m.switches == 0 {
		m.unit = s.looked
	}
	m.switches++
	m.rapid = !m.rapid
	k := m.switches/2 + 1
	m.end = s.looked + m.unit*k*k
}

// learned notes the number of decision levels of a clause that was learned in rapid mode.
func (m *modes) learned(levels lit) {
	m.fast.add(float64(levels))
	m.slow.add(float64(levels))
}

// worse reports whether clauses get worse.
func (m *modes) worse() bool { return m.fast.value >= worse*m.slow.value }

// latest returns the decision of rapid mode, 0 if all variables have values.
func (s *Solver) latest() lit {
	q := &s.queue
	for ; q.open != 0; q.open = q.links[q.open].prev {
		s.aside++
		v := int(q.open)
		if p := sat.MkLit(v, !s.phase[v]); s.value[p] == 0 {
			return p
		}
	}
	return 0
}

// bumpLatest makes the variables of a conflict the last ones, in the order that they have.
func (s *Solver) bumpLatest() {
	lits := s.todo[:0]
	for _, l := range s.marked {
		if s.level[l.Var()] > 0 {
			lits = append(lits, l)
		}
	}
	s.queue.sort(lits)
	for _, l := range lits {
		s.queue.bump(int32(l.Var()))
	}
	s.todo = lits
}

// keep returns how many decisions a restart keeps: the assumptions, of which there are n, and in
// rapid mode those behind whose variables no variable is without a value (van der Tak, Ramos,
// Heule: Reusing the assignment trail in CDCL solvers, JSAT 2011).
func (s *Solver) keep(n int) int {
	n = min(n, len(s.lims))
	if !s.rapid() {
		return n
	}
	if next := s.latest(); next != 0 {
		for n < len(s.lims) && s.queue.stamp(s.trail[s.lims[n]].Var()) > s.queue.stamp(next.Var()) {
			n++
		}
	}
	return n
}

// average is an exponential moving average that begins at the first value (Biere, Fröhlich:
// Evaluating CDCL restart schemes, POS 2015).
type average struct {
	value float64
	sum   float64 // the average, as if there had been zeros before the first value
	alpha float64 // weight of a value
	rest  float64 // weight of the zeros
}

func newAverage(window float64) average { return average{alpha: 1 / window, rest: 1} }

func (a *average) add(x float64) {
	a.sum += a.alpha * (x - a.sum)
	a.rest *= 1 - a.alpha
	a.value = a.sum / (1 - a.rest)
}
