// Package sat is the boundary between the engines and SAT solvers.
//
// Engines use a Solver. Its back ends are cdcl, our own and the default, and gini. Both pass
// the conformance kit in internal/testkit/sattest. Two others are no Solver, since they are for the check
// of evidence: sat/checked, a cdcl whose every step sat/rup confirms, and gophersat, which
// decides one formula from scratch and whose refutations sat/rup verifies.
//
// # Legal calls
//
//	        NewVar Add AddTo Group Release              Solve → Sat
//	          ┌────┐                     ┌───────────────────────────────┐
//	          ▼    │      Solve          │                               ▼
//	New ──► ADDING ┴────────────────► solving ──► Unsat ─► FAILED     SATISFIED
//	          ▲                          │                  │ Core      │ Value
//	          │                          └─► Unknown        │           │
//	          └──────── any of NewVar Add AddTo Group Release Solve ◄───┘
//
// Value is legal only in SATISFIED, Core only in FAILED; Stats everywhere. Any
// other call leaves these two states. Calls outside the diagram panic: they are
// bugs of the caller, as are literals and groups the solver did not hand out.
//
// Once the clauses outside all groups were shown to be unsatisfiable the solver
// is latched: every later Solve returns Unsat with an empty core. Adding an
// empty clause shows it, and so does an Unsat with an empty core while no group
// is open.
package sat

import (
	"context"
	"strconv"
)

// Lit is a literal: twice the variable, plus one when negated. Variables count
// from 1; the zero Lit is no literal.
type Lit uint32

// MkLit returns the literal of variable v (≥ 1), negated if neg.
func MkLit(v int, neg bool) Lit {
	l := Lit(v) << 1
	if neg {
		l |= 1
	}
	return l
}

// Not returns the negation.
func (l Lit) Not() Lit { return l ^ 1 }

// Var returns the variable, from 1.
func (l Lit) Var() int { return int(l >> 1) }

// Neg reports whether l is negated.
func (l Lit) Neg() bool { return l&1 == 1 }

// Dimacs returns the literal as a signed number.
func (l Lit) Dimacs() int {
	if l.Neg() {
		return -l.Var()
	}
	return l.Var()
}

func (l Lit) String() string { return strconv.Itoa(l.Dimacs()) }

// Status is a formula verdict; the zero value is Unknown.
type Status uint8

// Formula verdicts.
const (
	Unknown Status = iota
	Sat
	Unsat
)

func (s Status) String() string { return [...]string{"unknown", "sat", "unsat"}[s] }

// Group names a set of clauses that can be released together. Its clauses take
// part in every Solve until then. The zero Group is no group.
type Group uint32

// Solver is an incremental SAT solver. It is not safe for concurrent use.
type Solver interface {
	// NewVar returns the positive literal of a fresh variable. Variables are
	// numbered 1, 2, 3, … in every back end.
	NewVar() Lit
	// Add adds a clause for good. The slice is not kept. An empty clause latches
	// Unsat; repeated and complementary literals are allowed.
	Add(clause ...Lit)
	// Group opens an empty clause group; activation literals stay hidden.
	Group() Group
	// AddTo adds a clause to a group that was not released.
	AddTo(g Group, clause ...Lit)
	// Release drops the group and its clauses; g must not be used again.
	Release(g Group)
	// Solve decides all clauses under the assumptions, which may repeat or
	// contradict each other. It returns Unknown only when ctx ended, promptly,
	// or at the limit of a Limiter; the solver stays usable.
	Solve(ctx context.Context, assumptions ...Lit) Status
	// Value returns the value of l in the model; variables that no clause
	// mentions have some fixed value.
	Value(l Lit) bool
	// Core returns the assumptions, a subset of those given, that together with
	// the clauses are unsatisfiable; without repetitions, not necessarily minimal.
	// The slice is the caller's.
	Core() []Lit
	// Stats returns counters since New.
	Stats() Stats
}

// Focuser is a Solver whose queries can leave variables out.
type Focuser interface {
	Solver
	// Focus restricts the next call of Solve to some variables: vars, the variables of
	// the assumptions, and those that open groups hide. Propagation also assigns the
	// variables rest, once vars have values, such as the gates of a circuit. Unsat
	// and its core mean what they mean without focus. Sat means that there are values
	// of vars with which propagation among all these variables falsifies no clause.
	// Value is false for a variable without a value. So the caller must know that
	// clauses over variables out of focus leave these values possible, as definitions
	// do, or do not matter.
	Focus(vars, rest []Lit)
}

// Grower is a Solver that can be told that its formula grows from query to query, as an
// unrolling does.
type Grower interface {
	Solver
	// NewestFirst has each variable made from now on count as one of the last conflict, later ones
	// before earlier ones. So the newest part of the formula is decided before older parts that were in no
	// conflict lately.
	NewestFirst()
}

// Limiter is a Solver whose queries can end after a number of propagations.
type Limiter interface {
	Solver
	// Limit has each later query return Unknown soon after so many propagations; 0 is no limit.
	Limit(propagations int64)
}

type pauseKey struct{}

// WithPause returns a context whose queries call pause from time to time: when they begin, and while they
// search. steps is the work since the last call, of the solver that asks: what it looked at in clauses, one by one, some
// 6 ns each. It does not depend on time. A query goes on when pause returns; the caller holds no lock that another
// engine waits for. A nil pause is none. Back ends that cannot pause do not call it. Explicit search of netlists calls it, too.
func WithPause(ctx context.Context, pause func(steps int64)) context.Context {
	return context.WithValue(ctx, pauseKey{}, pause)
}

// PauseOf returns what queries of ctx call, nil if nothing.
func PauseOf(ctx context.Context) func(steps int64) {
	pause, _ := ctx.Value(pauseKey{}).(func(int64))
	return pause
}

// Stats counts events; fields a back end does not know stay 0.
type Stats struct {
	Vars, Clauses                      int64 // added so far, activation literals and group clauses included
	Solves                             int64 // calls of Solve
	Conflicts, Decisions, Propagations int64
}
