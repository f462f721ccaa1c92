// Package gini is a back end that wraps the CDCL solver
// github.com/go-air/gini (pinned at v1.0.4), which is written in Go and has
// assumptions and activation literals.
//
// The library is correct on the paths that this package takes. On others it gives
// wrong answers or ends the process. Each item states a defect, found in its
// source or by fuzzing, and the rule that follows from it (names in brackets are
// our functions):
//
//   - A call of Solve that fails under assumptions leaves its conflict behind;
//     the next Solve first learns from it and, when that refutes the whole
//     formula, forgets the refutation: it answers SAT or ends the process. So
//     after Unsat the pending conflict is dropped before solving again. The
//     same call backtracks to decision level 0, where values are facts and
//     clauses may be added and removed [atRoot].
//   - A conflict at level 0 is reported once; then the trail counts as
//     propagated and the next answer may be SAT. Its mark is an empty set of
//     failed assumptions, so that set is fetched after every UNSAT and an empty
//     one latches the solver for good [answer].
//   - Adding a clause to an activation literal panics when the clause is
//     tautological or satisfied at level 0, or when all its literals are false
//     there, or when the activation literal itself became false. Clauses are
//     normalised against the level-0 values first [simplify, AddTo].
//   - An activation literal may be recycled only while it has no value at level
//     0; otherwise it is given up. Its clauses are then satisfied for good,
//     so the group is gone in either case [Release].
//   - Recycling matters: each fresh variable makes the next Solve reset all saved
//     phases and walk over all clauses, and dead variables are decided over and
//     over.
//   - Adding a permanent clause the documented way makes the next SAT answer walk
//     over all clauses and watches to check itself, which doubles the time of
//     queries that alternate with clauses. A clause added to an activation
//     literal does not; with one that is true at level 0 the clause becomes
//     permanent, as that literal is false in it and dropped [add].
//   - Try(d) leaves its deadline behind for later calls of Solve and is not used.
//   - Value is given known variables only: past the maximum it panics.
//
// The library gives no minimal cores, no proofs and no control over phases and
// decisions. It counts conflicts, decisions and propagations in fields that no
// method returns; they are read, never written, by reflection [counters]. A test
// fails if another version counts elsewhere, and Stats has zeros then.
package gini

import (
	"context"
	"reflect"

	"github.com/go-air/gini"
	"github.com/go-air/gini/inter"
	"github.com/go-air/gini/z"

	"orbitmc/internal/protocol"
	"orbitmc/sat"
)

// Solver implements sat.Solver. It is not safe for concurrent use.
type Solver struct {
	guard  protocol.Guard[*group]
	g      *gini.Gini
	ctl    inter.Solve // stops a running Solve of g
	truth  z.Lit       // true at level 0; unknown to the caller
	inner  []z.Lit     // indexed by our variable: the positive literal in g
	outer  []sat.Lit   // indexed by g's variable: our positive literal, 0 for hidden ones
	seen   []int8      // indexed by our variable, all 0 between calls of simplify
	active []*group    // groups that own an activation literal
	failed int         // live groups with a clause that is false at level 0

	root    bool // g is at level 0 without a pending conflict
	latched bool // the clauses outside all groups are unsatisfiable
	core    []sat.Lit
	lits    []z.Lit // scratch
	stats   sat.Stats

	conflicts, decisions, propagations reflect.Value // where g counts them, or zero Values
}

// group holds the clauses c of a group as c ∨ ¬act.
type group struct {
	act    z.Lit // 0 until the first clause is stored
	at     int   // index in active, if act is not 0
	failed bool  // some clause is false at level 0
}

// New returns an empty solver.
func New() *Solver {
	s := &Solver{g: gini.New(), inner: make([]z.Lit, 1), seen: make([]int8, 1)}
	s.truth = s.g.Lit()
	s.g.Add(s.truth)
	s.g.Add(z.LitNull)
	s.atRoot()
	s.conflicts, s.decisions, s.propagations = counters(s.g)
	s.ctl = s.g.GoSolve() // the only way to get hold of the control; it stays the same
	s.ctl.Wait()
	return s
}

// counters returns the fields in which g counts, zero Values for those it has not.
// The library sets them back only when it prints statistics, which nobody asks of it.
func counters(g *gini.Gini) (conflicts, decisions, propagations reflect.Value) {
	find := func(path ...string) reflect.Value {
		v := reflect.ValueOf(g)
		for _, name := range path {
			if v.Kind() == reflect.Pointer {
				v = v.Elem()
			}
			if v.Kind() != reflect.Struct {
				return reflect.Value{}
			}
			v = v.FieldByName(name)
		}
		if v.IsValid() && !v.CanInt() {
			return reflect.Value{}
		}
		return v
	}
	return find("xo", "Driver", "Conflicts"), find("xo", "Guess", "guesses"), find("xo", "Trail", "Props")
}

// atRoot brings g to level 0 and drops a pending conflict. The library does so
// on entry to each call that concerns activation literals; taking one and
// giving it back has no other effect.
func (s *Solver) atRoot() {
	if !s.root {
		s.g.Deactivate(s.g.ActivationLit())
		s.root = true
	}
}

// NewVar implements sat.Solver.
func (s *Solver) NewVar() sat.Lit {
	l := s.guard.NewVar()
	m := s.g.Lit()
	s.inner = append(s.inner, m)
	s.seen = append(s.seen, 0)
	for len(s.outer) < int(m.Var()) {
		s.outer = append(s.outer, 0)
	}
	s.outer = append(s.outer, l)
	return l
}

// Add implements sat.Solver.
func (s *Solver) Add(clause ...sat.Lit) {
	s.guard.Add(clause)
	s.stats.Clauses++
	if s.latched {
		return
	}
	s.atRoot()
	lits, satisfied := s.simplify(clause)
	switch {
	case satisfied:
	case len(lits) == 0:
		s.latched = true
	case len(lits) == 1: // an activation literal refuses it
		s.g.Add(lits[0])
		s.g.Add(z.LitNull)
	default:
		s.add(lits, s.truth)
	}
}

// Group implements sat.Solver.
func (s *Solver) Group() sat.Group { return s.guard.Open(&group{}) }

// AddTo implements sat.Solver.
func (s *Solver) AddTo(id sat.Group, clause ...sat.Lit) {
	gr := s.guard.AddTo(id, clause)
	s.stats.Clauses++
	if s.latched || gr.failed {
		return
	}
	s.atRoot()
	lits, satisfied := s.simplify(clause)
	if satisfied {
		return
	}
	if len(lits) == 0 || gr.act != 0 && s.g.Value(gr.act.Not()) {
		gr.failed = true
		s.failed++
		return
	}
	if gr.act == 0 {
		gr.act, gr.at = s.g.ActivationLit(), len(s.active)
		s.active = append(s.active, gr)
	}
	s.add(lits, gr.act)
}

// Release implements sat.Solver.
func (s *Solver) Release(id sat.Group) {
	gr := s.guard.Release(id)
	if gr.failed {
		s.failed--
	}
	if gr.act == 0 {
		return
	}
	last := s.active[len(s.active)-1]
	s.active[gr.at], last.at = last, gr.at
	s.active = s.active[:len(s.active)-1]
	if s.latched {
		return
	}
	s.atRoot()
	if !s.g.Value(gr.act) && !s.g.Value(gr.act.Not()) {
		s.g.Deactivate(gr.act)
	}
}

// simplify translates a clause and removes repeated literals and those false
// at level 0. It reports whether the clause is satisfied there or tautological.
// The result is valid until the next call.
func (s *Solver) simplify(clause []sat.Lit) (lits []z.Lit, satisfied bool) {
	lits = s.lits[:0]
	for _, l := range clause {
		v, sign := l.Var(), int8(1)
		m := s.inner[v]
		if l.Neg() {
			m, sign = m.Not(), -1
		}
		if s.g.Value(m) || s.seen[v] == -sign {
			satisfied = true
			break
		}
		if s.seen[v] == 0 && !s.g.Value(m.Not()) {
			s.seen[v] = sign
			lits = append(lits, m)
		}
	}
	for _, l := range clause {
		s.seen[l.Var()] = 0
	}
	s.lits = lits
	return lits, satisfied
}

// add stores lits ∨ ¬act. At level 0 the literals are distinct and without a
// value, and act is not false; if act is true, there are at least two of them.
func (s *Solver) add(lits []z.Lit, act z.Lit) {
	for _, m := range lits {
		s.g.Add(m)
	}
	s.g.ActivateWith(act)
}

// Solve implements sat.Solver. Without a ctx that can end it runs in the
// calling goroutine alone. An end of ctx is noticed within 20,000 propagations.
func (s *Solver) Solve(ctx context.Context, assumptions ...sat.Lit) sat.Status {
	s.guard.Solve(assumptions)
	s.stats.Solves++
	answer := s.solve(ctx, assumptions)
	s.guard.Solved(answer)
	return answer
}

func (s *Solver) solve(ctx context.Context, assumptions []sat.Lit) sat.Status {
	s.core = s.core[:0]
	if s.latched || s.failed > 0 {
		return sat.Unsat
	}
	if ctx.Err() != nil {
		return sat.Unknown
	}
	s.atRoot()
	s.root = false
	for _, gr := range s.active {
		s.g.Assume(gr.act)
	}
	for _, l := range assumptions {
		s.g.Assume(s.translate(l))
	}
	if ctx.Done() == nil {
		return s.answer(s.g.Solve())
	}

	// A watcher stops the solver when ctx ends. Once it has begun it waits for
	// a result on the channel that only GoSolve serves, whether or not its
	// request was heard: a query that fails at once delivers one.
	stopped := make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		s.ctl.Stop()
		close(stopped)
	})
	answer := s.answer(s.g.Solve())
	if unwatch() {
		return answer
	}
	s.atRoot()
	s.g.Assume(s.truth.Not()) // false at level 0: g stays there, without a conflict
	s.g.GoSolve()
	<-stopped
	if answer == sat.Sat { // its model is gone
		return sat.Unknown
	}
	return answer
}

// answer translates a result of g and keeps the core.
func (s *Solver) answer(result int) sat.Status {
	switch result {
	case 1:
		return sat.Sat
	case -1:
		s.lits = s.g.Why(s.lits[:0])
		s.latched = len(s.lits) == 0
		for _, m := range s.lits {
			if v := int(m.Var()); v < len(s.outer) && s.outer[v] != 0 {
				s.core = append(s.core, sat.MkLit(s.outer[v].Var(), !m.IsPos()))
			}
		}
		return sat.Unsat
	}
	return sat.Unknown
}

// Value implements sat.Solver.
func (s *Solver) Value(l sat.Lit) bool {
	s.guard.Value(l)
	return s.g.Value(s.inner[l.Var()]) != l.Neg()
}

// Core implements sat.Solver.
func (s *Solver) Core() []sat.Lit {
	s.guard.Core()
	return append([]sat.Lit(nil), s.core...)
}

// Stats implements sat.Solver.
func (s *Solver) Stats() sat.Stats {
	st := s.stats
	st.Vars = int64(s.g.MaxVar())
	for _, c := range []struct {
		to   *int64
		from reflect.Value
	}{{&st.Conflicts, s.conflicts}, {&st.Decisions, s.decisions}, {&st.Propagations, s.propagations}} {
		if c.from.IsValid() {
			*c.to = c.from.Int()
		}
	}
	return st
}

func (s *Solver) translate(l sat.Lit) z.Lit {
	m := s.inner[l.Var()]
	if l.Neg() {
		return m.Not()
	}
	return m
}
