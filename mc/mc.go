// Package mc is what all engines share: the problem they are given, the result
// they return, the events they emit on the way, and the check of their
// evidence.
//
// An engine never prints and never decides what is shown. It returns at any
// time, also when its context ends, the best partial result it has. No
// Unsafe leaves this package without a trace that the interpreter replayed;
// see Verify.
package mc

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"orbitmc/encode"
	"orbitmc/model"
	"orbitmc/ts"
)

// Status is a property verdict; the zero value is Unknown.
type Status uint8

// Property verdicts.
const (
	Unknown Status = iota
	Safe           // holds in every reachable state
	Unsafe         // violated, with a trace
)

func (s Status) String() string { return [...]string{"unknown", "safe", "unsafe"}[s] }

// Problem is what an engine is given. It is read-only for engines.
type Problem struct {
	Model   *model.Model
	Program *model.Program
	Enc     *encode.Encoding // nil when the model has no symbolic encoding; see EncErr
	EncErr  error
	// WellFormed says that W of the encoding was proved to hold in every
	// reachable state, so that engines may assume it in any frame.
	WellFormed bool

	Props  []int          // properties to decide, ascending indices into Model.Props
	Groups []*ts.Symmetry // by property of the model: a verified group under which it may be checked; nil entries are trivial
	Blocks [][][]int      // by scalarset class, the values that are interchangeable for all Props at once; nil is none
}

// Options steer every engine. The zero value is the default.
type Options struct {
	MaxDepth int         // largest depth to search; 0 means no bound unless Bounded
	Bounded  bool        // MaxDepth is a bound even if 0
	All      bool        // go on after the first violated depth until every property is decided
	MemLimit int64       // bytes of live heap; 0 means no limit
	Event    func(Event) // called from the engine's goroutine; nil means silent
}

// Event reports progress.
type Event struct {
	Engine string
	Depth  int // depth that was just finished without a violation of an open property
	Stats  Stats
}

// Stats counts what an engine did; fields that do not apply stay 0.
type Stats struct {
	Depth       int   `json:"depth,omitempty"`
	States      int64 `json:"states,omitempty"`      // explicit: states (or representatives) stored
	Transitions int64 `json:"transitions,omitempty"` // explicit: rule instances fired
	Frames      int   `json:"frames,omitempty"`
	Conflicts   int64 `json:"conflicts,omitempty"`
	Decisions   int64 `json:"decisions,omitempty"`
	Clauses     int64 `json:"clauses,omitempty"`
	Variables   int64 `json:"variables,omitempty"`
	Latches     int   `json:"latches,omitempty"`
	Inputs      int   `json:"inputs,omitempty"`
	Ands        int   `json:"ands,omitempty"`  // of the transition system, or of the unrolling
	Bytes       int64 `json:"bytes,omitempty"` // explicit: memory of the visited set
}

// PropResult is the verdict on one property.
type PropResult struct {
	Prop     int
	Status   Status
	Engine   string
	Depth    int           // Unsafe: steps of the trace, see model.Trace.Depth
	Bound    int           // Unknown: no violation of depth ≤ Bound exists; -1 if nothing is known
	Time     time.Duration // since the start of the run
	Trace    *model.Trace  // Unsafe
	Evidence string        // how the verdict was checked
}

// Result is what an engine knows when it stops. Props follow Problem.Props.
type Result struct {
	Engine  string
	Props   []PropResult
	Stopped string // why properties are undecided: "depth bound", "interrupted", "memory limit", …
	Stats   Stats
	Closure Closure // evidence of every Safe of exhaustive search
}

// NewResult returns the result that knows nothing.
func NewResult(engine string, p *Problem) *Result {
	r := &Result{Engine: engine}
	for _, i := range p.Props {
		r.Props = append(r.Props, PropResult{Prop: i, Bound: -1})
	}
	return r
}

// Open returns how many properties are undecided.
func (r *Result) Open() int {
	n := 0
	for _, p := range r.Props {
		if p.Status == Unknown {
			n++
		}
	}
	return n
}

// Violated returns whether any property is violated.
func (r *Result) Violated() bool {
	for _, p := range r.Props {
		if p.Status == Unsafe {
			return true
		}
	}
	return false
}

// Verdict summarises: Unsafe if any property is, else Unknown if any is, else Safe.
func (r *Result) Verdict() Status {
	switch {
	case r.Violated():
		return Unsafe
	case r.Open() > 0:
		return Unknown
	}
	return Safe
}

// Engine decides properties. Run returns an error only for failures of the
// engine itself; a stopped run is a partial result.
type Engine interface {
	Name() string
	Run(ctx context.Context, p *Problem, opt Options) (*Result, error)
}

// Verify checks the evidence of a result with code that no engine uses: every
// trace of an Unsafe property is replayed in the interpreter and its depth
// recomputed, and the set behind Safe properties is checked to be closed (see
// Closure). An error means that an engine is wrong. When ctx ends before a
// closure is checked, its properties become Unknown.
func Verify(ctx context.Context, p *Problem, r *Result) error {
	if err := r.answers(p); err != nil {
		return err
	}
	var safe []int
	for i := range r.Props {
		pr := &r.Props[i]
		name := p.Model.Props[pr.Prop].Name
		switch pr.Status {
		case Unsafe:
			if pr.Trace == nil {
				return fmt.Errorf("internal error: %s calls %q violated without a trace", r.Engine, name)
			}
			if pr.Trace.Prop != pr.Prop {
				return fmt.Errorf("internal error: the trace of %s for %q is about another property", r.Engine, name)
			}
			if err := p.Program.Replay(pr.Trace); err != nil {
				return fmt.Errorf("internal error: the trace of %s for %q does not replay: %w", r.Engine, name, err)
			}
			if d := pr.Trace.Depth(p.Model); d != pr.Depth {
				return fmt.Errorf("internal error: %s reports depth %d for %q, its trace has depth %d", r.Engine, pr.Depth, name, d)
			}
			if pr.Bound >= pr.Depth {
				return fmt.Errorf("internal error: %s excludes violations of %q up to depth %d and has one of depth %d", r.Engine, name, pr.Bound, pr.Depth)
			}
			pr.Evidence = "trace replayed in the interpreter"
		case Safe:
			if r.Closure == nil {
				return fmt.Errorf("internal error: %s calls %q safe without evidence", r.Engine, name)
			}
			safe = append(safe, pr.Prop)
		}
	}
	if safe == nil {
		return nil
	}
	how, err := checkClosure(ctx, p, r.Closure, safe)
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("internal error: the states that %s visited are not closed: %w", r.Engine, err)
	}
	for i := range r.Props {
		pr := &r.Props[i]
		switch {
		case pr.Status != Safe:
		case err != nil:
			pr.Status = Unknown
			r.Stopped = StopReason(ctx) + " while the evidence was checked"
		default:
			pr.Evidence = fmt.Sprintf("%d states visited, %s", r.Closure.Len(), how)
		}
	}
	return nil
}

// StopReason says in words why ctx ended.
func StopReason(ctx context.Context) string {
	if ctx.Err() == context.DeadlineExceeded {
		return "time limit"
	}
	return "interrupted"
}

// answers checks that the results are about the properties of p, in order.
func (r *Result) answers(p *Problem) error {
	got := make([]int, len(r.Props))
	for i, pr := range r.Props {
		got[i] = pr.Prop
	}
	if !slices.Equal(got, p.Props) {
		return fmt.Errorf("internal error: %s answers for properties %v, not %v", r.Engine, got, p.Props)
	}
	return nil
}

// Merge combines the results of several engines on one problem: for each
// property the first decided verdict in order, else the largest bound. Two
// results that contradict each other are an error: verdicts that differ, or a
// violation of a depth that another result excludes.
func Merge(p *Problem, results ...*Result) (*Result, error) {
	out := NewResult("", p)
	results = slices.DeleteFunc(slices.Clone(results), func(r *Result) bool { return r == nil })
	var names, stops []string
	for k, r := range results {
		if err := r.answers(p); err != nil {
			return nil, err
		}
		names = append(names, r.Engine)
		if r.Stopped != "" {
			stops = append(stops, r.Engine+": "+r.Stopped)
		}
		for i := range r.Props {
			have, got := &out.Props[i], &r.Props[i]
			for _, before := range results[:k] {
				if old := &before.Props[i]; old.contradicts(got) || got.contradicts(old) {
					return nil, fmt.Errorf("internal error: on %q, %s says %s and %s says %s", p.Model.Props[got.Prop].Name, before.Engine, old.claim(), r.Engine, got.claim())
				}
			}
			switch {
			case have.Status == Unknown && got.Status != Unknown:
				*have = *got
			case have.Status == Unknown && got.Bound > have.Bound:
				have.Bound = got.Bound
				have.Engine = got.Engine
			}
		}
		out.Stats = addStats(out.Stats, r.Stats)
	}
	out.Engine = strings.Join(names, "+")
	if out.Open() > 0 {
		out.Stopped = strings.Join(stops, "; ")
	}
	return out, nil
}

// contradicts reports whether the violation r has is one that q excludes.
func (r *PropResult) contradicts(q *PropResult) bool {
	return r.Status == Unsafe && (q.Status == Safe || q.Bound >= r.Depth)
}

// claim says what r knows of its property.
func (r *PropResult) claim() string {
	switch r.Status {
	case Safe:
		return "safe"
	case Unsafe:
		return fmt.Sprintf("violated at depth %d, at none up to %d", r.Depth, r.Bound)
	}
	return fmt.Sprintf("not violated up to depth %d", r.Bound)
}

func addStats(a, b Stats) Stats {
	a.Depth = max(a.Depth, b.Depth)
	a.States += b.States
	a.Transitions += b.Transitions
	a.Frames += b.Frames
	a.Conflicts += b.Conflicts
	a.Decisions += b.Decisions
	a.Clauses += b.Clauses
	a.Variables += b.Variables
	a.Latches += b.Latches
	a.Inputs += b.Inputs
	a.Ands += b.Ands
	a.Bytes += b.Bytes
	return a
}
