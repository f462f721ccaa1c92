// Package mc is the contract between engines and those who run them: the problem that an
// engine is given, the result it returns, and the events it emits on the way.
//
// An engine never prints. When its context ends it returns its best partial result. No
// verdict is shown before its evidence was checked.
//
// Most properties say that something never happens. A trace shows Unsafe; a set of states
// that is closed under steps, or a proof, shows Safe. For a cover it is the other way round:
// a trace that hits it shows Safe, and a closed set or a proof shows Unsafe. For a liveness
// property both verdicts need a closed set or circuits; Unsafe needs a trace as well.
//
// Other packages handle the results: mc/evidence defines evidence, internal/certify checks it,
// internal/certfile writes and reads it, and internal/board passes lemmas between engines.
//
//	mc.go        options, result, engine
//	problem.go   what engines are given, of a model or of a netlist
//	typing.go    what was derived of the symmetry by typing
//	verified.go  permutations that checks verified
//	derived.go   the same states and steps with another property
//	merge.go     the answers of several engines
//	cores.go     cores that goroutines share
package mc

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"orbitmc/internal/lists"
	"orbitmc/mc/evidence"
	"orbitmc/model"
	"orbitmc/ts"
)

// Status is a property verdict; the zero value is Unknown.
type Status uint8

// Property verdicts.
const (
	Unknown Status = iota
	Safe           // holds; of a cover: hit, with a trace
	Unsafe         // violated, with a trace; of a cover: never hit
)

func (s Status) String() string { return [...]string{"unknown", "safe", "unsafe"}[s] }

// Options steer every engine. The zero value is the default.
type Options struct {
	MaxDepth int         // largest depth to search; 0 means no bound unless Bounded
	Bounded  bool        // MaxDepth is a bound even if 0
	All      bool        // go on after the first violated depth until every property is decided
	MemLimit int64       // bytes of live heap; 0 means no limit
	Lemmas   Lemmas      // what other engines know; nil means nothing
	Event    func(Event) // called from the engine's goroutine; nil means silent

	// Later returns the problem once its symmetry is known: with Groups, and with those Props that are
	// still to be decided. Until then it returns nil. It is not called again after that. The problem may have
	// another system, of the same model. It is the problem that the engine began with if the engine is to go on
	// without symmetry. A nil Later means that the symmetry is known from the start. An engine
	// calls it between two depths, or never: then it is begun anew when the symmetry is known.
	Later func(Work) *Problem

	// Alone is closed when the task is prepared and the engines beside explicit search begin. Until then
	// explicit search may have several threads. nil: it has those that it is told.
	Alone <-chan struct{}

	// Watch returns what checks the evidence of exhaustive search while that goes on, until
	// ctx ends, on one of the cores; nil leaves the check to the end.
	Watch func(ctx context.Context, p *Problem, cores *Cores) evidence.Watch
}

// Work is what an engine did so far.
type Work struct {
	Depth int   // that is searched next; all lesser ones were
	Steps int64 // of all queries and between them; a step takes the time of a propagation
	Hard  []int // the properties whose queries are hard, and get harder so fast that symmetry may save much
}

// Beyond reports whether a depth is beyond MaxDepth.
func (o Options) Beyond(depth int) bool {
	return (o.Bounded || o.MaxDepth > 0) && depth > o.MaxDepth
}

// Full reports whether more memory is in use than MemLimit.
func (o Options) Full() bool {
	if o.MemLimit <= 0 {
		return false
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc) > o.MemLimit
}

// Lemmas is where engines that run side by side post lemmas for each other. It is safe
// for concurrent use.
type Lemmas interface {
	// Post adds lemmas. The slices are kept.
	Post(l evidence.Lemmas)
	// Take returns all lemmas except the first n, checked, with all images, in a fixed order.
	// It returns an error if a check fails, and the error of ctx if that ends first.
	Take(ctx context.Context, p *Problem, n int) ([]ts.Clause, error)
}

// Event reports progress.
type Event struct {
	Engine string
	Depth  int // depth that was just finished without a violation of an open property
	Stats  Stats
	Search *Search // of a search that visits all states; or nil
}

// Search is how far a search is.
type Search struct {
	Frontier  int64   `json:"frontier"`               // states that are not expanded
	PerSecond float64 `json:"states_per_s,omitempty"` // states found
	Limit     int64   `json:"memory_limit,omitempty"` // of the visited set, in bytes
	Part      float64 `json:"part,omitempty"`         // of all states, a guess from the sizes of the layers; 0 is none
	Pass      int     `json:"pass,omitempty"`         // over the states, where liveness is decided
	Unmarked  int64   `json:"unmarked,omitempty"`     // states, by instance of a property, of which that is open
}

// Stats counts what an engine did; fields that do not apply stay 0. Merge adds them up, but for those of
// which it takes the largest.
type Stats struct {
	Depth       int   `json:"depth,omitempty" merge:"max"`
	States      int64 `json:"states,omitempty"`      // explicit: states (or representatives) stored
	Transitions int64 `json:"transitions,omitempty"` // explicit: rule instances fired
	Subsumed    int64 `json:"subsumed,omitempty"`    // adaptive search: annotated states for which others stand, dropped or not taken
	Frames      int   `json:"frames,omitempty"`
	Conflicts   int64 `json:"conflicts,omitempty"`
	Decisions   int64 `json:"decisions,omitempty"`
	Clauses     int64 `json:"clauses,omitempty"`
	Variables   int64 `json:"variables,omitempty"`
	Latches     int   `json:"latches,omitempty" merge:"max"`
	Inputs      int   `json:"inputs,omitempty" merge:"max"`
	Ands        int   `json:"ands,omitempty"`  // of the transition system, or gates of the unrolling
	Bytes       int64 `json:"bytes,omitempty"` // explicit: memory of the visited set

	// Search by executions: executions that were explored to their end, steps that were enabled and not
	// explored, and which part of the tree of executions was explored or pruned, as far as that can be guessed.
	Executions int64   `json:"executions,omitempty"`
	Pruned     int64   `json:"pruned,omitempty"`
	Explored   float64 `json:"explored,omitempty"`

	Certify float64 `json:"certify_s"` // seconds that the check of the evidence took, see certify.Verify

	// What pdr did: frames, orbits learned, images of them given to a solver, states to be
	// blocked, queries.
	Levels      int   `json:"levels,omitempty"`
	Orbits      int64 `json:"orbits,omitempty"`
	Images      int64 `json:"images,omitempty"`
	Obligations int64 `json:"obligations,omitempty"`
	Queries     int64 `json:"queries,omitempty"`
	InPart      int64 `json:"in_part,omitempty"`    // of Orbits, those too large to be looked at as a whole
	Candidates  int64 `json:"candidates,omitempty"` // lemmas carried over from another size
	Carried     int64 `json:"carried,omitempty"`    // those of them that are inductive

	Lemmas int64 `json:"lemmas,omitempty"` // of other engines, images counted, that bmc asserted in each frame

	// What representatives cost bmc: the permutations of one predicate, the most
	// of any property, and how many of Variables and Clauses are for predicates.
	Permutations int   `json:"permutations,omitempty" merge:"max"`
	RepVariables int64 `json:"rep_variables,omitempty"`
	RepClauses   int64 `json:"rep_clauses,omitempty"`

	// Cofactoring: solutions enumerated, the sets made of them, images of sets that
	// were blocked, AND nodes of all sets as they were stored and of what is left of
	// them, and an estimate of how many states, up to symmetry, one solution brought.
	Enumerations         int     `json:"enumerations,omitempty"`
	Cofactors            int     `json:"cofactors,omitempty"`
	CofactorAnds         int     `json:"cofactor_ands,omitempty"`
	SetAnds              int     `json:"set_ands,omitempty"`
	StatesPerEnumeration float64 `json:"states_per_enumeration,omitempty" merge:"max"`
}

// PropResult is the verdict on one property.
type PropResult struct {
	Prop     int
	Status   Status
	Engine   string
	Depth    int                // with a trace: its steps, see model.Trace.Depth
	Bound    int                // no violation (of a cover: no hit) of depth ≤ Bound exists; -1 if nothing is known
	Time     time.Duration      // since the start of the run
	Trace    *model.Trace       // Unsafe; of a cover: Safe; nil for netlists
	Path     *ts.Trace          // the same for netlists, of Problem.Netlist
	Lasso    *model.Lasso       // in the place of Path: a run that violates a formula (Problem.Formulas), of explicit search
	Proof    *evidence.Proof    // Safe, or a cover that is Unsafe: the evidence of inductive engines
	Reaching *evidence.Reaching // liveness: the evidence of symbolic engines, besides the trace if Unsafe
	Evidence string             // how the verdict was checked
}

// HasTrace reports whether a trace shows the verdict.
func (r *PropResult) HasTrace() bool { return r.Trace != nil || r.Path != nil || r.Lasso != nil }

// Result is what an engine knows when it stops. Props follow Problem.Props.
type Result struct {
	Engine  string
	Props   []PropResult
	Stopped string // why properties are undecided: DepthBound and others, or what StopReason returns
	Stats   Stats

	// Closure is the evidence of exhaustive search: of every verdict but those
	// for which a trace is enough. Layers is further evidence for the liveness
	// properties that are decided, by property.
	// Annotated is in the place of Closure after adaptive search.
	Closure   evidence.Closure
	Annotated *evidence.Annotated
	// Seen are the states that explicit search has visited, if it was asked to keep them. They are no evidence.
	Seen evidence.Closure
	// Enumerated is the evidence on netlists.
	Enumerated *evidence.Enumerated
	// Components is the evidence on formulas that hold, by property.
	Components map[int]evidence.Components
	Layers     map[int]evidence.Layers
	Watch      evidence.Watch // has checked some of Closure while it was made; or nil

	// Idle are the rules no instance of which is enabled in any reachable state,
	// ascending; known after a complete search only.
	Idle []int

	// Raised are the error properties that steps raise in states that were visited, wanted or not, ascending; known, and
	// not nil, after a complete search only.
	Raised []int

	// Unchecked says what else the file asks that was not asked of the engines; "" is nothing.
	Unchecked string

	// Hidden says that one of Problem.Strict hides an error, so that Blocks do not count:
	// nothing is decided.
	Hidden bool

	// FiredBy says, if the engine has visited all reachable states, how many instances of
	// each rule it fired in them, erring ones included; Deadlocks how many of the states
	// are deadlocked, if that property was looked at.
	FiredBy   []int64
	Deadlocks int64
}

// NewResult returns the result that knows nothing.
func NewResult(engine string, p *Problem) *Result {
	return &Result{Engine: engine, Props: lists.Map(p.Props, func(i int) PropResult { return PropResult{Prop: i, Bound: -1} })}
}

// Open returns how many properties are undecided.
func (r *Result) Open() int {
	return lists.Count(r.Props, func(p PropResult) bool { return p.Status == Unknown })
}

// Violated returns whether any property is violated.
func (r *Result) Violated() bool {
	return slices.ContainsFunc(r.Props, func(p PropResult) bool { return p.Status == Unsafe })
}

// HasTrace reports whether a trace alone decides a property of kind k one way. A
// violation of a property about the graph of all steps needs the states behind the trace too.
func HasTrace(k model.PropertyKind) bool { return !k.Graph() }

// ByTrace returns the verdict on a property of kind k that a trace shows.
func ByTrace(k model.PropertyKind) Status {
	if k == model.Cover {
		return Safe
	}
	return Unsafe
}

// BySearch returns the other verdict, which takes a complete search.
func BySearch(k model.PropertyKind) Status {
	if k == model.Cover {
		return Unsafe
	}
	return Safe
}

// Proofs returns the proofs of the verdicts, each once, in the order of Props.
func (r *Result) Proofs() (all []*evidence.Proof) {
	for _, pr := range r.Props {
		if pr.Proof != nil {
			all = lists.With(all, pr.Proof)
		}
	}
	return all
}

// Verdict summarises: Unsafe if any property is, else Unknown if any is, there
// are none, or something is Unchecked, else Safe.
func (r *Result) Verdict() Status {
	switch {
	case r.Violated():
		return Unsafe
	case r.Open() > 0 || len(r.Props) == 0 || r.Unchecked != "":
		return Unknown
	}
	return Safe
}

// Answers checks that the results are about the properties of p, in order.
func (r *Result) Answers(p *Problem) error {
	got := lists.Map(r.Props, func(pr PropResult) int { return pr.Prop })
	if !slices.Equal(got, p.Props) {
		return fmt.Errorf("internal error: %s answers for properties %v, not %v", r.Engine, got, p.Props)
	}
	return nil
}

// Engine decides properties. Run returns an error only for failures of the
// engine itself; a stopped run is a partial result.
type Engine interface {
	Name() string
	Run(ctx context.Context, p *Problem, opt Options) (*Result, error)
}

// ErrMemory is the cause of a context that ends because too much memory is in use.
var ErrMemory = fmt.Errorf("memory limit: %w", context.Canceled)

// ErrWork is the cause of a context that ends because as much was done as was allowed.
var ErrWork = fmt.Errorf("limit of work: %w", context.Canceled)

// Values of Result.Stopped that several engines have.
const (
	DepthBound  = "depth bound"
	MemoryLimit = "memory limit"
	TimeLimit   = "time limit"
	WorkLimit   = "limit of work"
	Interrupted = "interrupted"
	Violation   = "a property is violated"
	Live        = "liveness, which takes explicit search"
)

// StopReason says in words why an engine stopped that ctx was to stop.
func StopReason(ctx context.Context) string {
	switch {
	case ctx.Err() == nil:
		return "the solver gave up"
	case context.Cause(ctx) == ErrMemory:
		return MemoryLimit
	case context.Cause(ctx) == ErrWork:
		return WorkLimit
	case ctx.Err() == context.DeadlineExceeded:
		return TimeLimit
	}
	return Interrupted
}
