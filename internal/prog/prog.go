// Package prog says what the rules of a model are that was made of a program: which
// processes move, from which location to which, and what the text of the step is.
//
// The model has all the semantics; nothing here is needed to run it. But a trail of SPIN names
// the statements of a program, so it is read and written here. And partial orders need to know what a step
// touches (footprint.go), and what its process may touch later (steps.go, independent.go, live.go). A slot is a process
// number. A process type has one state variable, an array over the slots in which it may
// live, of records: the location, then parameters and locals.
package prog

import (
	"context"

	"orbitmc/model"
)

// Program is a model made of a program, and what is known of its rules.
type Program struct {
	Model  *model.Model
	Edges  []Edge  // by rule index
	Protos []Proto // process types, in source order
	Claims []Claim // properties in the source that are not checked
	Inside bool    // a state may be inside an atomic sequence, where SPIN stores none

	Monitored bool  // a state also says what claims remember
	Loops     bool  // a step may have a loop in it; too many turns are a run-time error, which SPIN has not
	DSPIN     bool  // there are references, semaphores, mutexes or conditions, which SPIN has not
	Heap      *Heap // where references are; nil: there are none
	Stays     bool  // processes stay at their ends, where in SPIN they are gone

	Reference func() Reference
}

// Reference is an interpreter of the source that shares no code with what made the model. It knows nothing of claims. What it
// does not cover of a program, and so was not compared, is its first result; "": nothing.
type Reference interface {
	// Replay checks that a trace of the model is a run of the program, with the same violation.
	Replay(t *model.Trace) (left string, err error)

	// Parts returns which parts of its edge each step of a trace takes, in order.
	Parts(t *model.Trace) ([][]int, error)

	// Walk compares all steps of both in the states of random walks, and says in how many.
	Walk(ctx context.Context, seed uint64) (left string, states int, err error)
}

// Kind says what firing a rule is.
type Kind uint8

// Kinds of rules.
const (
	Step  Kind = iota // a step of the program
	Check             // no step: it errs if an assertion fails on the way, and is disabled otherwise
	Halt              // no step: all processes are at their end, so the state is no deadlock
)

// Edge is what a rule is.
type Edge struct {
	Kind    Kind
	Proto   int    // of the first parameter, the process that begins; -1 for Halt
	Parts   []Part // the statements, in order
	Actors  []int  // process types, by parameter
	Own     bool   // it may concern nobody else: see Ownership
	Follows []Follow
	Turns   int // so many of the last parts are of a loop, and happen in any order and number
}

// Part is a statement of a step.
type Part struct {
	Actor int   // which parameter of the rule
	From  int   // location
	ID    int64 // SPIN's number of the statement, in trails; -1 if it is not known
	Text  string
	Pos   model.Pos
	File  string
}

// Proto is a process type.
type Proto struct {
	Name string
	Var  *model.Var // the array of its processes; nil if none can exist
	Gone bool       // a process may not exist yet, or no more: its location is 0 then
	Locs []Loc      // by location code; the first is unused if Gone
}

// record returns the first leaf of a process, that of its location; ok is false if there can be none of the number.
func (p *Proto) record(pid int64) (leaf int, ok bool) {
	if p.Var == nil || pid < p.Var.Type.Index.Lo || pid > p.Var.Type.Index.Hi {
		return 0, false
	}
	return p.Var.Offset + int(pid-p.Var.Type.Index.Lo)*p.Var.Type.Elem.Leaves, true
}

// number returns the number of a location, from 1, by its code; 0: there is no process.
func (p *Proto) number(code int64) int {
	switch {
	case code == model.Undef:
		return 0
	case !p.Gone:
		code++
	}
	return int(code)
}

// Location returns the number of the location, from 1, of a process in a state; 0 if it is
// none of this type.
func (p *Proto) Location(s model.State, pid int64) int {
	leaf, ok := p.record(pid)
	if !ok {
		return 0
	}
	return p.number(s[leaf])
}

// loc returns the location of a number.
func (p *Proto) loc(n int) *Loc {
	if !p.Gone {
		n--
	}
	return &p.Locs[max(n, 0)]
}

// Loc is a location of a process.
type Loc struct {
	Pos  model.Pos
	File string
	End  bool // a process may stay here for ever
}

// Claim is a property in the source that is not checked.
type Claim struct {
	Kind, Name string
	Pos        model.Pos
	Reason     string // why; "" if claims are off
}

// Counts are what SPIN's verifier counts in an exhaustive search, without reduction.
type Counts struct {
	States      int64 // stored
	Transitions int64
	Errors      int64 // invalid end states, and steps in which an assertion fails
}

// Counts returns what SPIN counts, given the states, how often each rule fired or erred,
// and the deadlocked states, of a search that ran to its end.
func (p *Program) Counts(states int64, fired []int64, deadlocks int64) Counts {
	c := Counts{States: states, Transitions: 1, Errors: deadlocks}
	for rule, n := range fired {
		switch p.Edges[rule].Kind {
		case Step:
			c.Transitions += n
		case Check:
			c.Errors += n
		}
	}
	return c
}
