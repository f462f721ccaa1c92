// Package cofactor is backward reachability by circuit cofactoring (Ganai, Gupta,
// Ashar: Efficient SAT-based unbounded symbolic model checking using circuit
// cofactoring, ICCAD 2004) under symmetry (Tang, Malik, Gupta, Ip: Symmetry
// reduction in SAT-based model checking, CAV 2005). It proves properties, and
// finds shortest counterexamples; with another engine, it decides liveness.
//
// # Pre-images by cofactoring
//
// Let F(s, x) say that inputs x lead from state s to a violation at some depth. The
// states from which there is one are ∃x F, and ∃x F is the disjunction of the
// cofactors F(s, c) over all valuations c of the inputs. Each of them is a circuit
// over the state alone, an under-approximation, and what is enumerated are inputs
// and not states: a solution (s, c) of F outside what is covered already gives the
// cofactor F(·, c), which holds s and usually many more states. When F has no
// solution that is not covered, the cofactors found are ∃x F.
//
// Let T(d) be the states with a violation at depth d or less, and S a set that holds
// T(d-1) and nothing outside T(d). At depth d the cofactors of F are added to S until
// it is T(d). If the first query already says that nothing is to be added, T(d) is
// T(d-1), hence is closed under predecessors, and the property holds unless T meets
// the reset states, which is asked after each depth.
//
// # Two ways to build F
//
// Stepwise (default): F says that one step leads into the states added at depth d-1.
// The queries stay small; the sets may grow, as each is composed with the next
// functions, unless they are simplified well.
//
// Unrolled: F is the violation at depth d of a path of d steps from a free state,
// over the inputs of all its frames. A cofactor is the set of states from which one
// sequence of inputs leads to a violation. Sets stay as small as they are, and the
// queries get as hard as those of bounded model checking.
//
// # Representatives
//
// T(d) is closed under the group of the property. So it is enough to look for
// solutions whose state s is a representative: if each representative in T(d) is
// covered, so is, up to symmetry, each state. The predicate constrains one frame of
// the unrolled path, the first, and always that one: it is asserted for good. What S
// holds besides representatives does not matter then, and what is computed is exact
// on representatives only:
//
//   - stored sets are simplified with all other states as don't cares;
//   - reset states are asked for representatives, of which there is one in each
//     orbit of reset states;
//   - an image of a stored set is made of the cofactor, which is right on all states,
//     as it was before it was simplified;
//   - stepwise, the successor need not be a representative, so the set it has to
//     be in is made exact: by all images of the cubes it consists of, see cubes.go,
//     where these are few, otherwise by S(canon(s)), see canon.go.
//
// One sequence of inputs leads from the rows in one order, and the representatives that
// its images lead from are not in its cofactor. So unrolled, a representative that is in
// an image of a stored set blocks this image, in a question about states only, and
// is no enumeration (orbit.go).
//
// Orbits: instead of representatives all states are looked for, and one member of
// each orbit of cofactors is stored. A solution that lies in an image of a stored
// set is no new one; the image is blocked, when it is met and not before. Stepwise this is
// done by default where states are large and rows are not narrow, see canon.go.
//
// # What cannot be reached
//
// Most of what leads to a violation is out of reach. So an inductive invariant is
// found first, and states outside it are treated as those outside W are: nobody asks
// for them, and sets may hold them or not (care.go). Sets are right on the invariant
// only, and it is part of the proof. With its group it is closed under the symmetry
// of a property, so it goes with representatives as with orbits.
//
// # Evidence
//
// A counterexample is a run from the reset state that the cofactors met, replayed. A
// proof is the complement of what can reach a violation, hence inductive: ¬S, and
// under representatives clauses that stand for their orbits (cubes.go) or, where
// these would be many, ¬S(canon(s)). Where there is no canon into the representatives
// and the group is too large to write out all images, the answer is Unknown.
//
//	cofactor.go   the engine
//	search.go     one property, depth by depth
//	target.go     F, unrolled and stepwise
//	minterm.go    which inputs to cofactor by
//	simplify.go   sets modulo what is covered
//	care.go       an inductive invariant to begin with
//	sample.go     well-formed states, to simulate with and to estimate by
//	orbit.go      images of sets, blocked when they are met
//	reaching.go   liveness
//	instance.go   its instances under symmetry
//	canon.go      from states to representatives
//	cubes.go      sets as images of cubes
//	known.go      questions about states that matter
//	stats.go      counters
package cofactor

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"orbitmc/mc"
	"orbitmc/sat"
)

// RepMode says how the symmetry of a property is used.
type RepMode uint8

// Modes.
const (
	RepOn    RepMode = iota // the state that is looked for is a representative; orbits where that would cost more (default)
	RepOff                  // not at all
	RepOrbit                // one cofactor of each orbit is stored
)

// RepModes lists the modes by name.
var RepModes = []string{"on", "off", "orbit"}

func (r RepMode) String() string { return RepModes[r] }

// ParseRepMode returns the mode of the given name.
func ParseRepMode(name string) (RepMode, error) {
	for i, s := range RepModes {
		if s == name {
			return RepMode(i), nil
		}
	}
	return 0, fmt.Errorf("unknown representative mode %q (on, off or orbit)", name)
}

// Techniques is a set of what keeps sets small and enumerations few.
type Techniques uint16

// The techniques.
const (
	Greedy      Techniques = 1 << iota // inputs that cover several of the states not covered yet
	Lift                               // inputs that do not matter to these states are not fixed
	Merge                              // inputs that occur little are quantified
	Several                            // inputs that do not matter are also tried with their other value
	Sweep                              // nodes equal wherever nothing is covered yet become one
	Redundant                          // operands that nobody can observe there are removed
	Contain                            // sets that others cover are dropped
	Frontier                           // stepwise: what was added last is simplified against the rest
	Cubes                              // stepwise: the images of what was added last are written out as cubes
	Incremental                        // one solver for all depths
	Images                             // unrolled, under representatives: images of cofactors are blocked when they are met
	Care                               // what an inductive invariant excludes does not matter
)

// TechniqueNames lists them by name, in order.
var TechniqueNames = []string{"greedy", "lift", "merge", "several", "sweep", "redundant", "contain", "frontier", "cubes", "incremental", "images", "care"}

// ParseTechniques returns the set of the names.
func ParseTechniques(names []string) (Techniques, error) {
	var t Techniques
next:
	for _, name := range names {
		for i, s := range TechniqueNames {
			if s == name {
				t |= 1 << i
				continue next
			}
		}
		return 0, fmt.Errorf("unknown technique %q", name)
	}
	return t, nil
}

// Engine is the engine. The zero value but for NewSolver is the default.
type Engine struct {
	Rep       RepMode
	Unrolled  bool       // instead of stepwise
	Without   Techniques // what is switched off
	NewSolver func() sat.Solver

	// Reach decides whether states are reachable from which a liveness property
	// cannot be reached; nil leaves liveness undecided.
	Reach mc.Engine

	fault fault
}

// Name returns "cofactor".
func (e *Engine) Name() string { return "cofactor" }

// run is one run of the engine.
type run struct {
	*Engine
	p      *mc.Problem
	opt    mc.Options
	result *mc.Result
	began  time.Time
	nested []mc.Stats // of Reach
	care   *care      // nil: none
}

// Run implements mc.Engine. It searches all properties at once, one enumeration of
// each in turn, so that none keeps the others from being decided, but for liveness,
// which comes after them. Without a symbolic
// encoding it knows nothing and says why.
func (e *Engine) Run(ctx context.Context, p *mc.Problem, opt mc.Options) (*mc.Result, error) {
	r := &run{Engine: e, p: p, opt: opt, result: mc.NewResult(e.Name(), p), began: time.Now()}
	if p.System() == nil {
		r.result.Stopped = fmt.Sprintf("no symbolic encoding: %v", p.EncErr)
		return r.result, nil
	}
	if r.Without&Care == 0 {
		r.care = r.newCare(ctx)
	}
	var open []*search
	var live []int // positions in p.Props
	for _, i := range p.Order() {
		prop := p.Props[i]
		if !mc.HasTrace(p.Kind(prop)) {
			live = append(live, i)
			continue
		}
		s, err := r.newSearch(ctx, i, prop)
		if err != nil {
			return nil, r.failed(prop, err)
		}
		open = append(open, s)
	}
	all := open
	for len(open) > 0 && r.limit(ctx) == "" {
		var still []*search
		for _, s := range open {
			if err := s.step(ctx); err != nil {
				return nil, r.failed(s.prop, err)
			}
			if !s.done {
				still = append(still, s)
			}
			if r.result.Violated() && !opt.All {
				break
			}
		}
		if open = still; r.result.Violated() && !opt.All && r.result.Open() > 0 {
			r.result.Stopped = "a property is violated"
			break
		}
	}
	if len(open) > 0 && !(r.result.Violated() && !opt.All) {
		r.result.Stopped = r.limit(ctx)
	}
	for _, i := range live {
		switch {
		case r.Reach == nil || p.Enc == nil:
			r.result.Stopped = "liveness, which takes explicit search"
			continue
		case r.result.Violated() && !opt.All:
			r.result.Stopped = "a property is violated"
			continue
		}
		searches, err := r.live(ctx, i, p.Props[i])
		all = append(all, searches...)
		if err != nil {
			return nil, r.failed(p.Props[i], err)
		}
	}
	r.count(all)
	return r.result, nil
}

func (r *run) failed(prop int, err error) error {
	return fmt.Errorf("internal error: cofactor, property %q: %w", r.p.Name(prop), err)
}

// limit returns why the search is not to go on, or "".
func (r *run) limit(ctx context.Context) string {
	switch {
	case ctx.Err() != nil:
		return mc.StopReason(ctx)
	case r.opt.MemLimit > 0:
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if int64(m.HeapAlloc) > r.opt.MemLimit {
			return "memory limit"
		}
	}
	return ""
}
