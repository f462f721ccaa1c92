// Package explicit is explicit-state search: breadth-first exploration of the
// reachable states of a model in its interpreter, with a choice of how states
// of one orbit are identified (see Canon).
//
// It finds shortest counterexamples to all properties and, when it runs to the
// end, proves the others and decides liveness. When memory or time run out it says to which depth it
// has looked. It trusts the symmetry it is given: blocks that are not
// interchangeable can hide states. Violations it reports are replayed without
// symmetry, so these are real in any case.
//
//	engine.go     the engine that portfolios run
//	explicit.go   options, results, why a search ended; aims.go: what it looks for
//	search.go     the search, level by level
//	worker.go     states expanded; check.go: properties evaluated
//	round.go      several threads; number.go: new states get their numbers
//	set.go        the visited set
//	row.go        its states
//	tree.go       its states, if they are large: a tree table; shape.go: the order of words in it
//	ascending.go  their parents
//	compact.go    hashes instead of states
//	spill.go      states on disk: delayed duplicate detection
//	parts.go      one search by tasks on many machines; blocks.go: its files; partsclosure.go: its evidence
//	sorter.go     sorting on disk
//	log.go        states by number on disk
//	forecast.go   how far it is
//	checkpoint.go a search that is resumed, and by one process at a time: lock_*.go; stream.go: its states; kept.go: how far
//	              its check is
//	closure.go    it as evidence, and what the check is told on the way
//	canon.go      representatives
//	edges.go      representatives: what leaves mention
//	refine.go     representatives: signatures and refinement
//	rings.go      representatives: rings of values that can be rotated
//	first.go      the first state met stands for all with its signature
//	star.go       several representatives, for comparison
//	stabiliser.go rule instances that lead to states of one orbit
//	label.go      representatives: individualisation where refinement leaves ties
//	twins.go      representatives: components whose exchange changes nothing
//	bag.go        representatives: multisets
//	ctl.go        AG EF p and computation tree logic; fairpaths.go: on fair paths; branches.go: counterexamples as trees
//	stubborn.go   partial orders: not all steps are taken, for some can wait
//	adaptive.go   symmetry that some rules break: states annotated with what is left of it
//	subsume.go    those that subsume others
//	unwind.go     their orbits, divided
//	virtual.go    is the quotient bisimilar although rules break the symmetry?
//	lift.go       from annotated states back to a real path
//	trace.go      from representatives back to a real path
//	formulas.go   formulas in linear temporal logic
//	product.go    the model with the automaton of a formula, state by state
//	conditions.go what a fair and accepted run meets again and again
//	emptiness.go  components without a fair run; levels.go: strong fairness, and the components as evidence
//	ample.go      partial orders there
//	lasso.go      from a component to a run; nearby.go: to a shorter one
//	shorten.go    traces of random walks (walk.go), made shorter
package explicit

import (
	"context"
	"fmt"

	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// Canon says how states are identified.
type Canon uint8

// Ways to identify states.
const (
	None     Canon = iota // not at all
	Sorted                // by a cheap normal form that may leave several states of an orbit
	Star                  // by a state that is least among as many images as there are values; for comparison
	Exact                 // by the least state of the orbit: one state per orbit
	Adaptive              // by the least state of an orbit that depends on the path: Options.Partial
	First                 // by the first state met with a signature; finds violations and proves nothing
)

func (c Canon) String() string {
	return [...]string{"none", "sorted", "star", "exact", "adaptive", "first"}[c]
}

// Several reports whether states of one orbit may get several representatives.
func (c Canon) Several() bool { return c == Sorted || c == Star }

// ParseCanon reads the name of a Canon.
func ParseCanon(s string) (Canon, error) {
	for c := range First + 1 {
		if c.String() == s {
			return c, nil
		}
	}
	return None, fmt.Errorf("unknown canonicalisation %q (none, sorted, star, exact, adaptive or first)", s)
}

// Ownership says which instances concern nobody else.
type Ownership interface {
	// Owner returns two functions for one thread. See is called in each state that is expanded; if it returns true, all
	// instances are fired there, but for those of others where owns holds. Owns reports whether an instance, which is
	// enabled in s, is of a process all of whose steps in s are independent of all that others may do before it moves, up
	// to the symmetry. The first parameter of its rule is the process.
	Owner() (see func(s model.State) bool, owns func(s model.State, ch model.Choice) bool)

	// Refuted reports, after a search, whether it rested on what has turned out to be wrong. Then it must be done anew;
	// that is no longer assumed.
	Refuted() bool
}

// Options of a search. The zero value explores without symmetry or limits and
// stops at the first violation.
type Options struct {
	Canon Canon

	// Blocks lists, for each scalarset class, disjoint sets of values that may be
	// exchanged with each other: all permutations inside the sets must be
	// automorphisms of the model and of the properties looked at; those of a
	// liveness property they may permute among its instances. Values in no set are
	// fixed. It is not used by None, nor for the slots of multisets.
	Blocks [][][]int

	// ByRule says that the permutations map what an instance of a rule does to what its image does.
	// Then one instance of each orbit of the stabiliser of a state is fired, but for liveness.
	ByRule bool

	// Joint are sets of properties of which an instance may violate another one than its image does.
	// A violation of one of them is reported for the one that the path shows.
	Joint [][]int

	// Rings are disjoint sequences of values, in none of the blocks, that may be
	// rotated in the same sense.
	Rings []model.Ring

	// Partial is used by Adaptive in the place of Blocks and Rings. Liveness is not decided then.
	Partial *model.Partial

	// Strict are quantifiers that may hide an error; see model.Strict. The search ends where
	// one does, and then knows nothing.
	Strict model.Strict

	// Stubborn fires only a stubborn set of the enabled instances in each state, where that is
	// sound. A search to the end finds every property that is violated. The states are evidence, with the sets
	// (evidence.Ordered), unless Own, Strict, Spill or a Checkpoint that was resumed came in; then the search is never
	// complete. Depths are upper bounds. Liveness is not decided.
	Stubborn bool

	// Own, if not nil, says which instances concern nobody else. Used with Stubborn.
	Own Ownership

	// Threads is how many threads expand states; 0 is one. The result is the same for any
	// number, but where it tells of time.
	Threads int

	// HashBits, if not 0, is the number of bits of hashes that stand for states in the
	// visited set, 40 to 64. The search is never complete then, does not decide liveness,
	// and may miss shorter counterexamples. Seed chooses among hash functions.
	HashBits int
	Seed     uint64

	// MemLimit bounds the memory of the visited set, in bytes; 0 is no limit.
	MemLimit int64

	// Spill, if not "", is a folder: when MemLimit is reached, the search goes on with files
	// there. They go when it ends. A search that decides liveness ends instead, and so does
	// one with HashBits.
	Spill string

	// Checkpoint, if not "", is a folder in which the search writes down now and then how far
	// it is, and from which it goes on, if it was there before. Searches of other models or
	// with other options, limits and threads excepted, do not disturb each other; the same search
	// cannot run twice at a time. It does not go with liveness or HashBits.
	Checkpoint string

	// All goes on until each property is either violated or proved. Otherwise the
	// search stops at the depth of the first violation, after it has looked for
	// other violations at that depth.
	All bool

	// Whole goes on until all states are visited, whatever is found.
	Whole bool

	// Walks, if not nil, lets a long search look for violations of these properties by random walks, too,
	// chosen by Seed. A violation ends the search; it may be deeper than Result.Depth + 1, and need not
	// be of least depth. It does not go with All, Bounded, Stubborn, Spill, Checkpoint and HashBits.
	Walks func(prop int) bool

	// Props are the indices of the properties to look at; nil means all.
	Props []int

	// MaxDepth, if Bounded, is the depth at which the search ends; violations
	// beyond it are not looked for.
	MaxDepth int
	Bounded  bool

	// Watch, if not nil, is told where steps lead. Cores are what threads share with it.
	Watch evidence.Watch
	Cores *mc.Cores

	// Progress, if not nil, is called now and then.
	Progress func(Stats)
}

// Stats is the state of a search.
type Stats struct {
	Depth    int   // depth of the states that are being expanded
	States   int64 // states found so far, after identification
	Expanded int64 // states whose successors have been computed
	Fired    int64 // rule instances fired, erring ones and images that they stand for included
	Memory   int64 // bytes of the visited set

	PerSecond float64 // states found
	Part      float64 // of all states, as forecast has it; 0 if it has nothing

	Pass     int   // over the states, where liveness is decided; the search is the first
	Unmarked int64 // pairs of a state and an instance of a property that are open
}

// Result of a search.
type Result struct {
	// Complete says that all reachable states were found: a property that is not
	// among Violations holds, and a cover that is not among Covered is never hit.
	Complete bool
	// Depth is the depth to which the search is complete: every property that is
	// violated at this depth or before is among Violations, but for liveness, which
	// only a complete search decides; and every cover that is hit is among
	// Covered. It is -1 if not even
	// the start states were looked at. In a complete search it is the number of
	// the last level: the greatest depth of a state, or more with Sorted and Star, which
	// may meet another state of an orbit again later.
	Depth      int
	States     int64   // after identification
	Fired      int64   // rule instances, erring ones included
	Memory     int64   // bytes of the visited set
	Subsumed   int64   // of Adaptive: annotated states for which others stand, dropped or not taken
	Violations []Found // by property
	Covered    []Found // covers that are hit, by property
	Reason     Reason  // why the search ended early; "" if it is complete
	Omission   float64 // the probability that hash compaction has left out a state; 0 without
	Hidden     bool    // a quantifier of Options.Strict hides an error: nothing else is said

	// Visited is the visited set of a complete search, as evidence; else nil.
	// Layers are those of the liveness properties, by property. Idle are the rules
	// that are enabled in no reachable state; nil with Stubborn.
	// Annotated is in the place of Visited under Adaptive.
	// Seen is, with Options.Whole, the visited set of any search that keeps whole states in memory. It is no evidence if the
	// search is not complete.
	Visited   evidence.Closure
	Seen      evidence.Closure
	Annotated *evidence.Annotated
	Layers    map[int]evidence.Layers
	Idle      []int

	// FiredBy is, in a complete search that was not resumed, fired all and kept all states whole,
	// how many instances of each rule were fired, erring ones included; Deadlocks is how
	// many states are deadlocked, if that property is looked at.
	FiredBy   []int64
	Deadlocks int64

	// Raised are, where FiredBy is known, the error properties that steps raised, looked at or not; not nil then.
	Raised []int
}

// Found is a violated property or a cover that is hit.
type Found struct {
	Prop  int
	Depth int          // of the trace; the least there is, unless it is greater than Result.Depth
	Trace *model.Trace // accepted by traces.Replay
}

// Run searches. When it ends early because of the context or the memory limit
// it returns what it knows, and no error. An error means that the options are
// wrong, that the symmetry is not real, that there is a BadCheckpoint, or NoOrders.
func Run(ctx context.Context, p *model.Program, opt Options) (*Result, error) {
	if opt.Canon == Adaptive && opt.Partial != nil {
		a, err := newAdaptive(p, opt)
		if err != nil {
			return nil, err
		}
		a.run(ctx)
		return a.result()
	}
	s, err := newSearch(p, opt)
	if err != nil {
		return nil, err
	}
	defer s.unlock()
	s.run(ctx)
	return s.result()
}

// Reason is why a search ended before it had visited all states, in words; "" if it did visit all. Other reasons than these
// are texts of errors.
type Reason string

const (
	interrupted     = Reason("context canceled")          // as context.Canceled has it
	timeLimit       = Reason("context deadline exceeded") // as context.DeadlineExceeded has it
	outOfMemory     = Reason("out of memory")
	tooManyStates   = Reason("too many states")
	depthBound      = Reason("depth bound")
	violationFound  = Reason("violation found")
	allViolated     = Reason("every property is violated")
	errorHidden     = Reason("an error is hidden")
	tooManyOrbits   = Reason("too many orbits") // of Virtual
	firstStates     = Reason("first representatives")
	hashCompaction  = Reason("hash compaction")
	stubbornReduced = Reason("stubborn sets")
	taskDone        = Reason("a task is done")
)

// reasonOf returns why ctx ended; "" if it did not.
func reasonOf(ctx context.Context) Reason {
	if err := ctx.Err(); err != nil {
		return Reason(err.Error())
	}
	return ""
}
