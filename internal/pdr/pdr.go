// Package pdr is property directed reachability, IC3, with lemmas that stand for
// their orbit.
//
// Bradley: SAT-based model checking without unrolling, VMCAI 2011; Eén,
// Mishchenko, Brayton: Efficient implementation of property directed
// reachability, FMCAD 2011. Frame 0 is the reset states. Frame i > 0 is the
// conjunction of the lemmas of level i and above, and holds every state that is
// reached in i steps or fewer. A bad state of the last frame, a
// counterexample to induction (CTI), is an obligation: it is traced back to a reset
// state, or a lemma is found that excludes it. When two
// frames are equal, they are an inductive invariant.
//
// # Symmetry
//
// All images of a lemma are lemmas (orbit.go), so one query gives as many clauses as the
// orbit has members. Frames are closed under the group, so the query for bad states may be
// restricted to representatives. A query for predecessors may not: its target is one state
// of an orbit, and the representative of a predecessor may lead to another state of the
// orbit only. Obligations need no cache modulo the group: block.go
// says why.
//
// The evidence is one member of each orbit, and the group.
//
//	pdr.go         the engine: properties, frames, fixpoint
//	block.go       obligations, counterexamples
//	generalise.go  from a state to a lemma: MIC, CTGs
//	inductive.go   inductive subsets: of candidates, of a proof
//	share.go       lemmas for engines that run beside this one
//	candidates.go  clauses that others propose
//	frame.go       solvers: consecution (relative induction), reset states
//	lift.go        from a state to a cube of states that step to the same target
//	orbit.go       images of lemmas, written out or on demand
//	match.go       the image of a lemma that a state violates, without enumeration
//	variant.go      limits, and the steps that soundness rests on
//	sets.go        sets of literals in a word, and of numbers
package pdr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"orbitmc/aig"
	"orbitmc/encode/cnf"
	"orbitmc/internal/ternary"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/rep"
	"orbitmc/sat"
	"orbitmc/ts"
)

// Engine implements mc.Engine.
type Engine struct {
	NewSolver func() sat.Solver
	Plain     bool // lemmas stand for themselves: no symmetry
	Thorough  bool // lemmas are for other models, too: more work for better ones

	// Candidates, if not nil, is called before each search for a bad state, with the
	// group and the number of queries so far. It returns clauses that may hold in all
	// reachable states, each with its images under the group. The clauses that are
	// inductive together are known from then on. The search ends if more is false.
	Candidates func(ctx context.Context, y *ts.Symmetry, asked int64) (clauses []ts.Clause, more bool)

	variant *variant // nil: the sound one
}

// maxImages is the largest orbit that is written out. Limits from 100 to 3,000 differ
// little (docs/decisions.md).
const maxImages = 300

// Tired is Result.Stopped of a search that Candidates ended.
const Tired = "no more questions allowed"

// Name returns "pdr".
func (e *Engine) Name() string { return "pdr" }

// target is one property to decide.
type target struct {
	i, prop int
	bad     aig.Lit // in trans: violated in the current frame, whose constraints hold
	least   aig.Lit // in trans: the state is a representative
}

// leaf is a latch or an input.
type leaf struct {
	latch bool
	i     int
}

// search decides the properties that keep one group.
type search struct {
	e       *Engine
	variant *variant
	p       *mc.Problem
	opt     mc.Options
	sys     *ts.System
	result  *mc.Result
	began   time.Time
	group   *ts.Symmetry
	orbits  *orbits
	targets []*target

	trans, reset    *cnf.Frames // a step from any state; from the reset states
	constraint      aig.Lit     // in trans
	latches, inputs []int       // the cone of influence
	leaves          []leaf      // by node of trans
	supports        map[aig.Lit][]int32

	levels       []*level
	invariants   []*lemma        // carried: inductive
	given        map[string]bool // candidates by their cubes; true: the solvers have them
	sets         int             // number of sets of lemmas of other processes that were admitted or refused
	shared       []*lemma        // posted for other engines: inductive
	tried        int             // number of lemmas at the last attempt to post some
	sharing      int64           // propagations of these attempts
	propagations int64           // of all queries
	asked        int64           // queries of these attempts
	aside        *solver         // start, for these attempts; nil until the first
	start        *solver         // reset states, no constraints
	values       *ternary.Sim    // of lifting; nil until the first one
	lifter       *solver         // of lifting by queries; nil until the first one
	lazy         bool            // some lemma has images that are not written out
	activity     []float64       // by literal
	bump         float64
	inside       bool // mic blocks a CTG
	stats        *mc.Stats
}

// Run implements mc.Engine. Properties that keep the same group are decided
// together: frames do not depend on the property.
func (e *Engine) Run(ctx context.Context, p *mc.Problem, opt mc.Options) (*mc.Result, error) {
	result := mc.NewResult(e.Name(), p)
	sys := p.System()
	if sys == nil {
		result.Stopped = fmt.Sprintf("no symbolic encoding: %v", p.EncErr)
		return result, nil
	}
	began := time.Now()
	var classes [][]int // positions in p.Props
	for _, i := range p.Order() {
		prop := p.Props[i]
		if !mc.HasTrace(p.Kind(prop)) {
			continue
		}
		c := slices.IndexFunc(classes, func(c []int) bool {
			return e.Plain || sameGroup(p.Group(p.Props[c[0]]).OnLatches(), p.Group(prop).OnLatches())
		})
		if c < 0 {
			c = len(classes)
			classes = append(classes, nil)
		}
		classes[c] = append(classes[c], i)
	}
	how := cmp.Or(e.variant, sound())
	for _, c := range classes {
		x := &search{e: e, variant: how, p: p, opt: opt, sys: sys, result: result, began: began, stats: &result.Stats}
		if !e.Plain {
			x.group = p.Group(p.Props[c[0]]).OnLatches() // permutations of inputs alone leave every clause as it is
		}
		err := x.run(ctx, c)
		switch {
		case errors.Is(err, errStopped):
			result.Stopped = mc.StopReason(ctx)
			return result, nil
		case errors.Is(err, errTired):
			result.Stopped = Tired
			return result, nil
		case errors.Is(err, errMemory):
			result.Stopped = errMemory.Error()
			return result, nil
		case err != nil:
			return nil, err
		}
		if result.Stopped != "" || result.Violated() && !opt.All {
			break
		}
	}
	switch {
	case result.Stopped != "" || result.Open() == 0:
	case result.Violated() && !opt.All:
		result.Stopped = mc.Violation
	default:
		result.Stopped = mc.Live
	}
	return result, nil
}

// sameGroup reports whether two groups have the same generators.
func sameGroup(y, z *ts.Symmetry) bool {
	return y == z || slices.EqualFunc(y.Generators(), z.Generators(), (*ts.Perm).Equal)
}

// run decides the properties at the given positions.
func (s *search) run(ctx context.Context, positions []int) error {
	if err := s.prepare(positions); err != nil {
		return err
	}
	for k := 0; ; k++ {
		if stop := s.limit(k); stop != "" {
			s.result.Stopped = stop
			return nil
		}
		if k > 0 {
			s.levels = append(s.levels, &level{solver: s.variant.frame(s, k)})
			fixed, err := s.propagate(ctx)
			if err != nil {
				return err
			}
			if fixed > 0 {
				return s.proved(ctx, fixed)
			}
			if err := s.share(ctx); err != nil {
				return err
			}
		}
		for _, t := range slices.Clone(s.targets) {
			if err := s.exclude(ctx, t, k); err != nil {
				return err
			}
			if s.result.Violated() && !s.opt.All {
				return nil
			}
		}
		if len(s.targets) == 0 {
			return nil
		}
		s.stats.Depth, s.stats.Levels = k, k+1
		if s.opt.Event != nil {
			s.opt.Event(mc.Event{Engine: s.e.Name(), Depth: k, Stats: *s.stats})
		}
	}
}

// limit returns why the search stops before frame k, or "".
func (s *search) limit(k int) string {
	if s.opt.Beyond(k) {
		return mc.DepthBound
	}
	if s.opt.Full() {
		return errMemory.Error()
	}
	return ""
}

// prepare builds the step relation, the targets, frame 0 and the solvers that belong to no frame.
func (s *search) prepare(positions []int) error {
	sys := s.sys
	s.trans, s.reset = cnf.NewFrames(sys, true), cnf.NewFrames(sys, false)
	for range 2 {
		s.trans.Extend()
		s.reset.Extend()
	}
	s.constraint = s.trans.Constraint(0)
	s.leaves = make([]leaf, s.trans.Graph().Len())
	s.supports = make(map[aig.Lit][]int32)
	for i, l := range s.trans.Latches(0) {
		s.leaves[l.Node()] = leaf{true, i}
	}
	for i, l := range s.trans.Inputs(0) {
		s.leaves[l.Node()] = leaf{false, i}
	}
	s.activity = make([]float64, 2*len(sys.Latches))
	s.bump = 1
	if !s.group.Trivial() {
		s.orbits = s.variant.orbits(s.group, len(sys.Latches), s.variant.images)
	}
	perms, err := rep.Perms(s.group, rep.Nice)
	if err != nil {
		return err
	}
	roots := []aig.Lit{s.constraint}
	g := s.trans.Graph()
	for _, i := range positions {
		t := &target{i: i, prop: s.p.Props[i], least: aig.True}
		t.bad = s.trans.AnyBad(0, s.p.Bads(t.prop))
		roots = append(roots, t.bad)
		s.targets = append(s.targets, t)
	}
	s.cone(roots)
	gates := g.Len()
	for _, t := range s.targets {
		if s.orbits != nil && t.bad != aig.False {
			word := []rep.Frame{{State: s.trans.Latches(0), Order: s.p.WordOrder(t.prop)}}
			t.least = rep.PathPredicate(g, word, nil, s.variant.compared(perms, word[0].Order, gates))
		}
	}
	s.start = s.newSolver(s.reset)
	s.levels = []*level{{solver: s.variant.frame(s, 0)}}
	s.stats.Latches, s.stats.Inputs = len(s.latches), len(s.inputs)
	return nil
}

// compared returns the permutations of a predicate: the first ones, as far as they compare a state with its images in at
// most half as many positions as the step relation has gates. A comparison takes three gates or four. Each solver has a
// predicate, and its queries look at it, so it is to have at most about twice the gates of the step. Any permutations of
// the group will do, as the least member of an orbit is least under each of them.
func compared(perms []*ts.Perm, order []int, gates int) []*ts.Perm {
	most := gates / 2
	for i, p := range perms {
		if most -= rep.Length(p, order); most < 0 {
			return perms[:i]
		}
	}
	return perms
}

// cone computes the latches and inputs that roots depend on, in any number of
// steps.
func (s *search) cone(roots []aig.Lit) {
	latch, input := make([]bool, len(s.sys.Latches)), make([]bool, len(s.sys.Inputs))
	for len(roots) > 0 {
		var next []aig.Lit
		for _, node := range s.trans.Graph().Support(roots) {
			switch n := s.leaves[node]; {
			case !n.latch:
				input[n.i] = true
			case !latch[n.i]:
				latch[n.i] = true
				next = append(next, s.trans.Latches(1)[n.i])
			}
		}
		roots = next
	}
	for i, in := range latch {
		if in {
			s.latches = append(s.latches, i)
		}
	}
	for i, in := range input {
		if in {
			s.inputs = append(s.inputs, i)
		}
	}
}

// exclude blocks the counterexamples to induction (CTIs) of frame k, states that violate a property, or finds a
// counterexample.
func (s *search) exclude(ctx context.Context, t *target, k int) error {
	for {
		if err := s.admit(ctx); err != nil {
			return err
		}
		cti, err := s.violation(ctx, t, k)
		if err != nil {
			return err
		}
		if cti == nil {
			s.result.Props[t.i].Bound = k
			s.result.Props[t.i].Engine = s.e.Name()
			return nil
		}
		c, err := s.lift(ctx, cti, nil, t.bad)
		if err != nil {
			return err
		}
		end, err := s.block(ctx, &obligation{cube: c, level: k, point: cti}, k)
		if err != nil {
			return err
		}
		if end != nil {
			s.targets = slices.DeleteFunc(s.targets, func(u *target) bool { return u == t })
			return s.violated(t, end)
		}
	}
}

// violation returns a representative state of frame k that violates t, with
// inputs; nil if there is none.
func (s *search) violation(ctx context.Context, t *target, k int) (*point, error) {
	if t.bad == aig.False {
		return nil, nil
	}
	solver := s.levels[k].solver
	bad, least := t.bad, t.least
	if k == 0 {
		if bad, least = s.reset.AnyBad(0, s.p.Bads(t.prop)), aig.True; bad == aig.False {
			return nil, nil
		}
	}
	assumptions := []sat.Lit{solver.cnf.Implied(bad)}
	if least != aig.True {
		assumptions = append(assumptions, solver.cnf.Implied(least))
	}
	status, err := s.solve(ctx, solver, 0, nil, assumptions, []aig.Lit{bad, least})
	if err != nil || status == sat.Unsat {
		return nil, err
	}
	return s.point(solver), nil
}

// proved records that all open properties are safe, as the lemmas above level k are
// inductive.
func (s *search) proved(ctx context.Context, k int) error {
	lemmas := slices.Clone(s.invariants)
	for _, l := range s.levels[k+1:] {
		lemmas = append(lemmas, l.lemmas...)
	}
	lemmas, err := s.needed(ctx, lemmas)
	if err != nil {
		return err
	}
	s.post(lemmas) // for properties that keep another group
	proof := &evidence.Proof{K: 1, Group: s.group}
	for _, l := range lemmas {
		proof.Clauses = append(proof.Clauses, l.cube.Negation())
	}
	for _, t := range s.targets {
		kind := s.p.Kind(t.prop)
		s.result.Props[t.i] = mc.PropResult{Prop: t.prop, Status: mc.BySearch(kind), Engine: s.e.Name(),
			Bound: s.result.Props[t.i].Bound, Time: time.Since(s.began), Proof: proof}
	}
	s.targets = nil
	return nil
}
