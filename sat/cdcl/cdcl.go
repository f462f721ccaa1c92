// Package cdcl is a back end of our own: conflict driven clause learning
// (Marques-Silva, Sakallah: GRASP, 1996; Moskewicz et al.: Chaff, 2001; Eén,
// Sörensson: An extensible SAT-solver, SAT 2003), made for the many small queries
// that property directed reachability asks.
//
// A solver for single large formulas works otherwise in three respects. First, a
// query may be focused on some variables (sat.Focuser; Su et al.: Deeply
// optimizing the SAT solver for the IC3 algorithm, CAV 2025). The other variables
// are neither decided nor propagated, so a query costs as much as its cone, not
// as much as the system. Second, releasing a group removes its clauses and all
// clauses learned from them at once; the activation literal of the group is used
// again. Third, no work before or between queries grows with the number of
// clauses.
//
//	cdcl.go     the interface: variables, clauses, groups
//	search.go   propagation, conflict analysis, decisions
//	modes.go    stable and rapid mode, restarts
//	store.go    clauses in memory
//	lists.go    watches in memory
//	blocks.go   an arena for both
//	vivify.go   shorter learned clauses
//	proof.go    proofs
//	heap.go     variables by activity
//	queue.go    variables by their last conflict
package cdcl

import (
	"context"
	"slices"

	"orbitmc/internal/protocol"
	"orbitmc/sat"
)

type lit = sat.Lit

// Solver implements sat.Solver, sat.Focuser, sat.Grower and sat.Limiter. It is not safe for concurrent use.
type Solver struct {
	guard protocol.Guard[*group]
	inner []lit // by variable of the caller: the positive literal here
	outer []lit // by variable: the positive literal of the caller; 0 of activation literals
	spare []lit // activation literals to use again

	store
	watches lists   // clauses to look at when a literal becomes true
	value   []int8  // by literal: 1 true, -1 false, 0 open
	level   []int32 // by variable
	reason  []ref   // by variable
	phase   []bool  // by variable: the last value
	seed    uint64  // of the first phases; 0: all are false
	trail   []lit
	lims    []int // trail length at each decision
	assumed []lit // of the last query: its first decisions
	room    []lit // for those of the next one
	head    int   // of trail: propagated up to here
	order   heap
	queue   queue
	modes   modes

	focused bool
	focus   []uint32 // by variable: stamp if it is in focus, stamp+1 if it is to be decided
	stamp   uint32   // larger from query to query
	whole   bool     // order holds all variables that are open, and the queue knows the last one

	groups  []*group // open ones that have clauses
	learnts []ref
	limit   int // of learnts until some are dropped

	restart  int   // unit of the sequence of restarts in stable mode (Luby, Sinclair, Zuckerman 1993), in conflicts
	most     int64 // propagations of a query; 0: no limit
	share    int64 // of propagations: one in so many may be of vivify
	vivified int64 // propagations when clauses were vivified the last time
	still    bool  // phases are kept
	newest   bool  // new variables count as those of the last conflict

	looked int64       // watches, and what adding clauses and beginning queries takes in their place
	aside  int64       // what else takes time, in the same unit
	paused int64       // all of this, at the last pause
	pause  func(int64) // of the context of the query; nil: none

	latched bool
	core    []lit

	seen    []mark   // by variable; unseen between analyses
	clause  []lit    // scratch
	marked  []lit    // scratch
	todo    []lit    // scratch
	proof   *proof   // nil: none
	levels  []uint32 // by decision level: the last clause whose levels were noted and that has it
	lbd     uint32   // number of clauses whose levels were noted
	counted sat.Stats
}

// group is a set of clauses c, kept as c ∨ ¬act.
type group struct {
	act     lit // 0 until the first clause
	at      int // in Solver.groups
	clauses []ref
	learned []ref // from these clauses
	failed  bool  // some clause of it is false at level 0
}

// New returns an empty solver.
func New() *Solver {
	s := &Solver{inner: make([]lit, 1), limit: 2000, restart: 100, share: 10}
	s.order.increment = 1
	s.modes = newModes()
	s.variable() // variables count from 1
	return s
}

// Seeded returns an empty solver whose variables have first values by chance; with seed 0 all are false,
// as those of New.
func Seeded(seed uint64) *Solver {
	s := New()
	s.seed = seed
	return s
}

// first returns the first phase of a variable: a bit of a mixture of the seed and its number
// (splitmix64, Steele, Lea and Flood, OOPSLA 2014).
func (s *Solver) first(v int) bool {
	if s.seed == 0 {
		return false
	}
	x := s.seed + uint64(v)*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x>>63 == 1
}

// Limit implements sat.Limiter.
func (s *Solver) Limit(propagations int64) { s.most = propagations }

func (s *Solver) variable() lit {
	n := len(s.level)
	s.outer = append(s.outer, 0)
	s.watches.grow()
	s.watches.grow()
	s.value = append(s.value, 0, 0)
	s.level = append(s.level, 0)
	s.reason = append(s.reason, none)
	s.phase = append(s.phase, s.first(n))
	s.focus = append(s.focus, 0)
	s.seen = append(s.seen, unseen)
	if s.proof != nil {
		s.proof.grow()
	}
	s.order.grow()
	s.queue.grow()
	if s.newest {
		s.order.activity[n] = s.order.increment * (1 + 1e-9*float64(n)) // the last one first
	}
	if s.whole {
		s.order.insert(n)
	}
	return sat.MkLit(n, false)
}

// NewestFirst implements sat.Grower.
func (s *Solver) NewestFirst() { s.newest = true }

// NewVar implements sat.Solver.
func (s *Solver) NewVar() sat.Lit {
	l := s.guard.NewVar()
	m := s.variable()
	s.outer[m.Var()] = l
	s.inner = append(s.inner, m)
	s.counted.Vars++
	return l
}

// Add implements sat.Solver.
func (s *Solver) Add(clause ...sat.Lit) {
	s.guard.Add(clause)
	s.counted.Clauses++
	number := s.proof.axiom()
	if s.latched {
		return
	}
	s.back(0)
	lits, satisfied := s.simplify(clause)
	if s.proof != nil {
		number = s.shorten(number, clause, lits, satisfied)
	}
	switch {
	case satisfied:
	case len(lits) == 0:
		s.latched = true
	case len(lits) == 1:
		s.assign(lits[0], none)
		s.proof.setUnit(lits[0], number)
		s.latched = s.propagateAll() != none
	default:
		s.attach(s.newClause(lits, false, number))
	}
}

// Group implements sat.Solver.
func (s *Solver) Group() sat.Group { return s.guard.Open(&group{}) }

// AddTo implements sat.Solver. It panics if the solver writes a proof.
func (s *Solver) AddTo(id sat.Group, clause ...sat.Lit) {
	if s.proof != nil {
		panic("cdcl: proofs have no groups")
	}
	g := s.guard.AddTo(id, clause)
	s.counted.Clauses++
	if s.latched || g.failed {
		return
	}
	s.back(0)
	lits, satisfied := s.simplify(clause)
	if satisfied {
		return
	}
	if g.act == 0 {
		if n := len(s.spare); n > 0 {
			g.act, s.spare = s.spare[n-1], s.spare[:n-1]
		} else {
			g.act = s.variable()
			s.counted.Vars++
		}
		g.at = len(s.groups)
		s.groups = append(s.groups, g)
	}
	if len(lits) == 0 || s.value[g.act] < 0 {
		g.failed = true
		return
	}
	c := s.newClause(append(lits, g.act.Not()), false, 0)
	s.attach(c)
	g.clauses = append(g.clauses, c)
}

// Release implements sat.Solver.
func (s *Solver) Release(id sat.Group) {
	g := s.guard.Release(id)
	if g.act == 0 {
		return
	}
	last := s.groups[len(s.groups)-1]
	s.groups[g.at], last.at = last, g.at
	s.groups = s.groups[:len(s.groups)-1]
	if s.latched {
		return
	}
	s.back(0)
	for _, c := range g.clauses {
		s.remove(c)
	}
	for _, c := range g.learned {
		if !s.removed(c) { // with another group
			s.remove(c)
		}
	}
	if s.value[g.act] == 0 {
		s.spare = append(s.spare, g.act)
	}
	s.compact()
}

// simplify translates a clause and leaves out repeated literals and those false at
// level 0. It reports whether the clause is satisfied there or tautological. The
// result is valid until the next call.
func (s *Solver) simplify(clause []sat.Lit) (lits []lit, satisfied bool) {
	lits = s.clause[:0]
	for _, l := range clause {
		lits = append(lits, s.translate(l))
	}
	slices.Sort(lits)
	n := 0
	for i, l := range lits {
		switch {
		case s.value[l] > 0 || n > 0 && lits[n-1] == l.Not():
			s.clause = lits
			return nil, true
		case s.value[l] < 0 || i > 0 && lits[i-1] == l:
		default:
			lits[n] = l
			n++
		}
	}
	s.clause = lits
	return lits[:n], false
}

func (s *Solver) translate(l sat.Lit) lit { return s.inner[l.Var()] ^ l&1 }

// Focus implements sat.Focuser.
func (s *Solver) Focus(vars, rest []sat.Lit) {
	if s.stamp += 2; s.stamp == 0 {
		clear(s.focus)
		s.stamp = 2
	}
	s.aside += perFocus * int64(len(vars)+len(rest))
	s.back(0)
	s.focused, s.whole = true, false
	s.order.clear()
	for _, l := range vars {
		s.decide(s.inner[l.Var()].Var())
	}
	// The other variables need not be decided. Variables of recent conflicts are decided
	// all the same, so that learned clauses are stronger.
	lately := s.order.increment * 1e-6
	for _, l := range rest {
		v := s.inner[l.Var()].Var()
		if s.order.activity[v] > lately {
			s.decide(v)
		} else {
			s.focus[v] = max(s.focus[v], s.stamp)
		}
	}
}

// decide has a variable in focus and decided.
func (s *Solver) decide(v int) {
	if s.focus[v] <= s.stamp {
		s.focus[v] = s.stamp + 1
		if s.value[sat.MkLit(v, false)] == 0 {
			s.order.append(v)
		}
	}
}

// widen has those variables decided, too, that conflicts had to do with since the query
// began: a hard query is not decided on its leaves.
func (s *Solver) widen() {
	if !s.focused {
		return
	}
	lately := s.order.increment * 1e-6
	for v, focus := range s.focus {
		if focus == s.stamp && s.order.activity[v] > lately {
			s.focus[v]++
			if s.value[sat.MkLit(v, false)] == 0 {
				s.order.insert(v)
			}
		}
	}
}

// Solve implements sat.Solver.
func (s *Solver) Solve(ctx context.Context, assumptions ...sat.Lit) sat.Status {
	s.guard.Solve(assumptions)
	s.counted.Solves++
	s.looked += perQuery
	if s.pause = sat.PauseOf(ctx); s.pause != nil {
		s.rest()
	}
	answer := s.solve(ctx, assumptions)
	s.focused = false
	s.guard.Solved(answer)
	return answer
}

// What else takes time, in watches that are looked at.
const (
	perQuery   = 1000
	perAdded   = 100 // clause
	perFocus   = 2   // variable that is put into focus, and was found before
	perReason  = 6   // clause that an analysis looks at
	perPop     = 4   // variable that is taken off the heap
	perLiteral = 4   // that is propagated
	perClause  = 4   // whose literals are looked at
)

// rest pauses.
func (s *Solver) rest() {
	all := s.looked + s.aside + perAdded*s.counted.Clauses
	s.pause(all - s.paused)
	s.paused = all
}

func (s *Solver) solve(ctx context.Context, assumptions []sat.Lit) sat.Status {
	s.core = s.core[:0]
	if s.latched {
		return sat.Unsat
	}
	for _, g := range s.groups {
		if g.failed {
			return sat.Unsat
		}
	}
	if ctx.Err() != nil {
		return sat.Unknown
	}
	assumed := s.assume(assumptions)
	for len(s.levels) <= len(assumed)+len(s.level) {
		s.levels = append(s.levels, 0)
	}
	switch {
	case s.focused:
		for _, l := range assumed {
			s.focus[l.Var()] = max(s.focus[l.Var()], s.stamp)
		}
		s.order.heapify()
	case !s.whole:
		s.whole = true
		s.queue.rewind()
		s.order.clear()
		for v := 1; v < len(s.level); v++ {
			if s.value[sat.MkLit(v, false)] == 0 {
				s.order.append(v)
			}
		}
		s.order.heapify()
	}
	if len(s.learnts) > s.limit {
		s.back(0)
		s.drop()
	}
	answer := s.search(ctx, assumed)
	if answer == sat.Unsat && !s.latched && len(s.core) == 0 && len(s.groups) == 0 {
		s.latched = true
	}
	return answer
}

// assume returns the assumptions of a query, groups first. If the query before was whole, as this one is, and began
// with the same assumptions, what follows from these is kept.
func (s *Solver) assume(assumptions []sat.Lit) []lit {
	before, assumed := s.assumed, s.room[:0]
	for _, g := range s.groups {
		assumed = append(assumed, g.act)
	}
	for _, l := range assumptions {
		assumed = append(assumed, s.translate(l))
	}
	n := 0
	for s.whole && n < min(len(s.lims), len(before), len(assumed)) && before[n] == assumed[n] {
		n++
	}
	s.back(n)
	s.assumed, s.room = assumed, before
	return assumed
}

// Value implements sat.Solver.
func (s *Solver) Value(l sat.Lit) bool {
	s.guard.Value(l)
	return s.value[s.inner[l.Var()]] > 0 != l.Neg()
}

// Core implements sat.Solver.
func (s *Solver) Core() []sat.Lit {
	s.guard.Core()
	return slices.Clone(s.core)
}

// Stats implements sat.Solver.
func (s *Solver) Stats() sat.Stats { return s.counted }
