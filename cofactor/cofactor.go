// Package cofactor is backward reachability by circuit cofactoring (Ganai, Gupta,
// Ashar: Efficient SAT-based unbounded symbolic model checking using circuit
// cofactoring, ICCAD 2004) under symmetry (Tang, Malik, Gupta, Ip: Symmetry
// reduction in SAT-based model checking, CAV 2005). It proves properties and
// finds shortest counterexamples. Together with another engine it decides
// liveness.
//
// # Pre-images by cofactoring
//
// Let F(s, x) say that inputs x lead from state s to a violation at some depth.
// The states from which a violation can be reached are ∃x F. This set is the
// disjunction of the cofactors F(s, c) over all valuations c of the inputs. Each
// cofactor is a circuit over the state alone, and an under-approximation of the
// set. So inputs are enumerated, not states: a solution (s, c) of F outside the
// sets found so far gives the cofactor F(·, c), which holds s and usually many
// more states. When F has no further solution, the cofactors found are ∃x F.
//
// Let T(d) be the states with a violation at depth d or less. Let S be a set that
// holds T(d-1) and nothing outside T(d). At depth d cofactors of F are added to S
// until it is T(d). If the first query of a depth adds nothing, T(d) is T(d-1),
// hence closed under predecessors. The property then holds unless T meets the
// reset states; a query decides this after each depth.
//
// # Two ways to build F
//
// Stepwise (default): F says that one step leads into the states added at depth
// d-1. Queries stay small. Sets may grow, since each is composed with the next
// functions, unless they are simplified well.
//
// Unrolled: F is the violation at depth d of a path of d steps from a free state,
// over the inputs of all its frames. A cofactor is the set of states from which
// one sequence of inputs leads to a violation. Sets stay small, and queries get
// as hard as those of bounded model checking.
//
// # Representatives
//
// T(d) is closed under the group of the property. So it is enough to search for
// solutions whose state s is a representative: if each representative in T(d) is
// covered, each state is covered up to symmetry. The predicate constrains one
// frame of the unrolled path, the first, and always that one, so it is asserted
// for good. The sets are then exact on representatives only, and other states are
// don't cares:
//
//   - stored sets are simplified with all other states as don't cares;
//   - the query for reset states is restricted to representatives; each
//     orbit of reset states has one;
//   - an image of a stored set is made of the cofactor as it was before
//     it was simplified, which is right on all states;
//   - stepwise, the successor need not be a representative, so the set
//     that it must be in is made exact: by all images of its cubes
//     (cubes.go), if these are few, otherwise by S(canon(s)) (canon.go).
//
// Unrolled, a cofactor belongs to one sequence of inputs, which names particular components.
// An image of the sequence leads to a violation from other representatives, which the
// cofactor does not hold. So when a representative lies in an image of a stored set, this
// image is blocked as well. The query for the image is about states only, and it replaces an
// enumeration (orbit.go).
//
// With orbits instead of representatives, the search is for all states, and one member of
// each orbit of cofactors is stored. A solution in an image of a stored set is not new. Then
// the image is blocked, and not before.
// Stepwise this is the default where states are large and components have many
// bits (canon.go).
//
// # Unreachable states
//
// Most states that lead to a violation are unreachable. So an inductive invariant is found
// first (invariant.go). States outside the invariant or outside W are don't cares:
// queries exclude them, and sets may contain them or not. Sets are exact on the invariant
// only, so the invariant is part of the proof. It is closed under the symmetry of the
// property, so it is sound with representatives and with orbits.
//
// # Evidence
//
// A counterexample is a run from a reset state in a cofactor, replayed. A proof
// is the complement of the states that can reach a violation, hence inductive:
// ¬S. Under representatives it consists of clauses that stand for their orbits
// (cubes.go), or, where these would be many, of ¬S(canon(s)). If there is no
// canon into the representatives and the group is too large to write out all
// images, the answer is Unknown.
//
//	cofactor.go   the engine
//	search.go     one property, depth by depth
//	target.go     F, unrolled and stepwise
//	invariant.go  an inductive invariant; parts.go: what W does not relate
//	simplify.go   sets modulo the states that do not matter
//	sample.go     well-formed states, to simulate with and to estimate by
//	orbit.go      images of sets, blocked when they are met
//	reaching.go   liveness
//	instance.go   its instances under symmetry
//	canon.go      from states to representatives
//	cubes.go      sets as images of cubes
//	dontcare.go   queries modulo the don't cares
//	variant.go     the steps that soundness rests on
//	stats.go      counters
package cofactor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"orbitmc/mc"
	"orbitmc/sat"
)

// Reduction says how the symmetry of a property is used.
type Reduction uint8

// The reductions.
const (
	ByRepresentatives Reduction = iota // search for representatives; ByOrbits where that would cost more (default)
	NoReduction                        // not at all
	ByOrbits                           // one cofactor of each orbit is stored
)

// Reductions returns their names.
func Reductions() []string { return []string{"on", "off", "orbit"} }

// Techniques is a set of techniques that keep sets small and enumerations few.
type Techniques uint16

// The techniques.
const (
	Sweep       Techniques = 1 << iota // merge nodes that are equal on all states not covered yet
	Redundant                          // remove operands that do not change the set on these states
	Contain                            // drop sets that others cover
	Frontier                           // stepwise: simplify the set that was added last against the rest
	Cubes                              // stepwise: write out the images of the set that was added last as cubes
	Incremental                        // use one solver for all depths
	Images                             // unrolled, under representatives: block images of cofactors when they are met
	Care                               // begin with an inductive invariant; states outside it are don't cares
)

// TechniqueNames returns their names, in order.
func TechniqueNames() []string {
	return []string{"sweep", "redundant", "contain", "frontier", "cubes", "incremental", "images", "care"}
}

// ParseTechniques returns the set of the names.
func ParseTechniques(names []string) (Techniques, error) {
	var t Techniques
	for _, name := range names {
		i := slices.Index(TechniqueNames(), name)
		if i < 0 {
			return 0, fmt.Errorf("unknown technique %q", name)
		}
		t |= 1 << i
	}
	return t, nil
}

// Engine is the engine. The zero value but for NewSolver is the default.
type Engine struct {
	Reduction Reduction
	Unrolled  bool       // instead of stepwise
	Without   Techniques // switched off
	NewSolver func() sat.Solver

	// Reach decides whether states are reachable from which a liveness property
	// cannot be reached; nil leaves liveness undecided.
	Reach mc.Engine

	variant *variant // nil: the sound one
}

// Name returns "cofactor".
func (e *Engine) Name() string { return "cofactor" }

type run struct {
	*Engine
	variant *variant
	p       *mc.Problem
	opt     mc.Options
	result  *mc.Result
	began   time.Time
	nested  []mc.Stats // of Reach
	care    *invariant // nil: none
}

func (e *Engine) newRun(p *mc.Problem, opt mc.Options) *run {
	return &run{Engine: e, variant: cmp.Or(e.variant, sound()), p: p, opt: opt, result: mc.NewResult(e.Name(), p), began: time.Now()}
}

// Run implements mc.Engine. It searches all properties at once, one enumeration of
// each in turn, so that none keeps the others from being decided, but for liveness,
// which comes after them. Without a symbolic
// encoding it knows nothing and says why.
func (e *Engine) Run(ctx context.Context, p *mc.Problem, opt mc.Options) (*mc.Result, error) {
	r := e.newRun(p, opt)
	if p.System() == nil {
		r.result.Stopped = fmt.Sprintf("no symbolic encoding: %v", p.EncErr)
		return r.result, nil
	}
	if r.Without&Care == 0 {
		r.care = r.variant.invariant(ctx, p, r.NewSolver)
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
			r.result.Stopped = mc.Violation
			break
		}
	}
	if len(open) > 0 && !(r.result.Violated() && !opt.All) {
		r.result.Stopped = r.limit(ctx)
	}
	for _, i := range live {
		switch {
		case r.Reach == nil || p.Enc == nil || p.Enc.Errs(p.Props[i]): // sets of states do not see errors
			r.result.Stopped = mc.Live
			continue
		case r.result.Violated() && !opt.All:
			r.result.Stopped = mc.Violation
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
	case r.opt.Full():
		return mc.MemoryLimit
	}
	return ""
}
