// Package pdr is property directed reachability, IC3, with lemmas that stand for
// their orbit.
//
// Bradley: SAT-based model checking without unrolling, VMCAI 2011; Eén,
// Mishchenko, Brayton: Efficient implementation of property directed
// reachability, FMCAD 2011. Frame 0 is the reset states. Frame i > 0 is the
// conjunction of the lemmas of level i and above, and holds every state that is
// reached in i steps or fewer. A bad state of the last frame is an obligation: it
// is traced back to a reset state, or a lemma is found that excludes it. When two
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
//	generalise.go  from a state to a lemma
//	inductive.go   inductive subsets: of candidates, of a proof
//	share.go       lemmas for engines that run beside this one
//	candidates.go  clauses that others propose
//	frame.go       solvers: steps from a frame, reset states, lifting
//	orbit.go       images of lemmas, written out or on demand
//	match.go       the image of a lemma that a state violates, without enumeration
//	steps.go       limits, and the steps that soundness rests on
//	signature.go   sets of literals in a word
//	bitset.go      states
package pdr

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"orbitmc/aig"
	"orbitmc/encode"
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

	steps *steps // nil: the default ones
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

// level holds the lemmas of a frame that are not lemmas of the next frame, and the solver of the frame.
type level struct {
	solver *solver
	lemmas []*lemma
	lazy   []*lemma // those of them that have further images
}

// add adds a lemma.
func (v *level) add(l *lemma) {
	v.lemmas = append(v.lemmas, l)
	if l.lazy != nil {
		v.lazy = append(v.lazy, l)
	}
}

// drop removes the lemmas for which gone is true.
func (v *level) drop(gone func(*lemma) bool) {
	v.lemmas = slices.DeleteFunc(v.lemmas, gone)
	v.lazy = slices.DeleteFunc(v.lazy, gone)
}

// leaf is a latch or an input.
type leaf struct {
	latch bool
	i     int
}

// search decides the properties that keep one group.
type search struct {
	e       *Engine
	steps   *steps
	p       *mc.Problem
	opt     mc.Options
	sys     *ts.System
	result  *mc.Result
	began   time.Time
	group   *ts.Symmetry
	orbits  *orbits
	targets []*target

	trans, reset    *encode.Frames // a step from any state; from the reset states
	constraint      aig.Lit        // in trans
	latches, inputs []int          // the cone of influence
	leaves          []leaf         // by node of trans
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
	lifter       *solver
	lazy         bool      // some lemma has images that are not written out
	activity     []float64 // by literal
	bump         float64
	inside       bool // generalise blocks a predecessor
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
	how := e.steps
	if how == nil {
		how = defaultSteps()
	}
	for _, c := range classes {
		x := &search{e: e, steps: how, p: p, opt: opt, sys: sys, result: result, began: began, stats: &result.Stats}
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
func (x *search) run(ctx context.Context, positions []int) error {
	if err := x.prepare(positions); err != nil {
		return err
	}
	for k := 0; ; k++ {
		if stop := x.limit(k); stop != "" {
			x.result.Stopped = stop
			return nil
		}
		if k > 0 {
			x.levels = append(x.levels, &level{solver: x.steps.frame(x, k)})
			fixed, err := x.push(ctx)
			if err != nil {
				return err
			}
			if fixed > 0 {
				return x.proved(ctx, fixed)
			}
			if err := x.share(ctx); err != nil {
				return err
			}
		}
		for _, t := range slices.Clone(x.targets) {
			if err := x.exclude(ctx, t, k); err != nil {
				return err
			}
			if x.result.Violated() && !x.opt.All {
				return nil
			}
		}
		if len(x.targets) == 0 {
			return nil
		}
		x.stats.Depth, x.stats.Levels = k, k+1
		if x.opt.Event != nil {
			x.opt.Event(mc.Event{Engine: x.e.Name(), Depth: k, Stats: *x.stats})
		}
	}
}

// limit returns why the search stops before frame k, or "".
func (x *search) limit(k int) string {
	if x.opt.Beyond(k) {
		return mc.DepthBound
	}
	if x.opt.Full() {
		return errMemory.Error()
	}
	return ""
}

// prepare builds the step relation, the targets, frame 0 and the solvers that belong to no frame.
func (x *search) prepare(positions []int) error {
	sys := x.sys
	x.trans, x.reset = encode.NewFrames(sys, true), encode.NewFrames(sys, false)
	for range 2 {
		x.trans.Extend()
		x.reset.Extend()
	}
	x.constraint = x.trans.Constraint(0)
	x.leaves = make([]leaf, x.trans.Graph().Len())
	x.supports = make(map[aig.Lit][]int32)
	for i, l := range x.trans.Latches(0) {
		x.leaves[l.Node()] = leaf{true, i}
	}
	for i, l := range x.trans.Inputs(0) {
		x.leaves[l.Node()] = leaf{false, i}
	}
	x.activity = make([]float64, 2*len(sys.Latches))
	x.bump = 1
	if !x.group.Trivial() {
		x.orbits = x.steps.orbits(x.group, len(sys.Latches), x.steps.images)
	}
	perms, err := rep.Perms(x.group, rep.Nice)
	if err != nil {
		return err
	}
	roots := []aig.Lit{x.constraint}
	g := x.trans.Graph()
	for _, i := range positions {
		t := &target{i: i, prop: x.p.Props[i], least: aig.True}
		t.bad = x.trans.AnyBad(0, x.p.Bads(t.prop))
		roots = append(roots, t.bad)
		x.targets = append(x.targets, t)
	}
	x.cone(roots)
	gates := g.Len()
	for _, t := range x.targets {
		if x.orbits != nil && t.bad != aig.False {
			word := []rep.Frame{{State: x.trans.Latches(0), Order: x.p.WordOrder(t.prop)}}
			t.least = rep.PathPredicate(g, word, nil, x.steps.compared(perms, word[0].Order, gates))
		}
	}
	x.start = x.newSolver(x.reset)
	x.lifter = x.steps.lifter(x)
	x.levels = []*level{{solver: x.steps.frame(x, 0)}}
	x.stats.Latches, x.stats.Inputs = len(x.latches), len(x.inputs)
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

// liftSolver returns a solver for steps from any state. It does not assert the constraints: they are
// part of the goal of a lifting.
func (x *search) liftSolver() *solver {
	s := x.newSolver(x.trans)
	if x.p.WellFormed {
		s.cnf.Assert(x.trans.W(0))
	}
	return s
}

// frameSolver returns a solver for the steps from frame k that the constraints
// allow.
func (x *search) frameSolver(k int) *solver {
	frames := x.trans
	if k == 0 {
		frames = x.reset
	}
	s := x.newSolver(frames)
	s.cnf.Assert(frames.Constraint(0))
	if k == 0 {
		return s
	}
	if x.p.WellFormed {
		s.cnf.Assert(frames.W(0))
	}
	for _, l := range x.invariants {
		for _, d := range l.images {
			s.block(d)
		}
	}
	s.add = func(_ *lemma, image ts.Cube) { s.block(image) }
	s.known = func(yield func(*lemma) bool) {
		for _, l := range x.invariants {
			if !yield(l) {
				return
			}
		}
		for _, level := range x.levels[k:] {
			for _, l := range level.lazy {
				if !yield(l) {
					return
				}
			}
		}
	}
	return s
}

// cone computes the latches and inputs that roots depend on, in any number of
// steps.
func (x *search) cone(roots []aig.Lit) {
	latch, input := make([]bool, len(x.sys.Latches)), make([]bool, len(x.sys.Inputs))
	for len(roots) > 0 {
		var next []aig.Lit
		for _, node := range x.trans.Graph().Support(roots) {
			switch n := x.leaves[node]; {
			case !n.latch:
				input[n.i] = true
			case !latch[n.i]:
				latch[n.i] = true
				next = append(next, x.trans.Latches(1)[n.i])
			}
		}
		roots = next
	}
	for i, in := range latch {
		if in {
			x.latches = append(x.latches, i)
		}
	}
	for i, in := range input {
		if in {
			x.inputs = append(x.inputs, i)
		}
	}
}

// support returns the latches and inputs that roots depend on, by node.
func (x *search) support(roots []aig.Lit) []leaf {
	in := newBitset(len(x.leaves)) // of nodes
	for _, r := range roots {
		s, ok := x.supports[r]
		if !ok {
			for _, n := range x.trans.Graph().Support([]aig.Lit{r}) {
				s = append(s, int32(n))
			}
			x.supports[r] = s
		}
		for _, n := range s {
			in.add(int(n))
		}
	}
	var out []leaf
	for i, w := range in {
		for ; w != 0; w &= w - 1 {
			out = append(out, x.leaves[i*64+bits.TrailingZeros64(w)])
		}
	}
	return out
}

// exclude blocks the states of frame k that violate a property, or finds a
// counterexample.
func (x *search) exclude(ctx context.Context, t *target, k int) error {
	for {
		if err := x.admit(ctx); err != nil {
			return err
		}
		p, err := x.violation(ctx, t, k)
		if err != nil {
			return err
		}
		if p == nil {
			x.result.Props[t.i].Bound = k
			x.result.Props[t.i].Engine = x.e.Name()
			return nil
		}
		c, err := x.lift(ctx, p, nil, t.bad)
		if err != nil {
			return err
		}
		end, err := x.block(ctx, &obligation{cube: c, level: k, point: p}, k)
		if err != nil {
			return err
		}
		if end != nil {
			x.targets = slices.DeleteFunc(x.targets, func(u *target) bool { return u == t })
			return x.violated(t, end)
		}
	}
}

// violation returns a representative state of frame k that violates t, with
// inputs; nil if there is none.
func (x *search) violation(ctx context.Context, t *target, k int) (*point, error) {
	if t.bad == aig.False {
		return nil, nil
	}
	s := x.levels[k].solver
	bad, least := t.bad, t.least
	if k == 0 {
		if bad, least = x.reset.AnyBad(0, x.p.Bads(t.prop)), aig.True; bad == aig.False {
			return nil, nil
		}
	}
	assumptions := []sat.Lit{s.cnf.Implied(bad)}
	if least != aig.True {
		assumptions = append(assumptions, s.cnf.Implied(least))
	}
	status, err := x.solve(ctx, s, 0, nil, assumptions, []aig.Lit{bad, least})
	if err != nil || status == sat.Unsat {
		return nil, err
	}
	return x.point(s), nil
}

// proved records that all open properties are safe, as the lemmas above level k are
// inductive.
func (x *search) proved(ctx context.Context, k int) error {
	lemmas := slices.Clone(x.invariants)
	for _, l := range x.levels[k+1:] {
		lemmas = append(lemmas, l.lemmas...)
	}
	lemmas, err := x.needed(ctx, lemmas)
	if err != nil {
		return err
	}
	x.post(lemmas) // for properties that keep another group
	proof := &evidence.Proof{K: 1, Group: x.group}
	for _, l := range lemmas {
		proof.Clauses = append(proof.Clauses, l.cube.Negation())
	}
	for _, t := range x.targets {
		kind := x.p.Kind(t.prop)
		x.result.Props[t.i] = mc.PropResult{Prop: t.prop, Status: mc.BySearch(kind), Engine: x.e.Name(),
			Bound: x.result.Props[t.i].Bound, Time: time.Since(x.began), Proof: proof}
	}
	x.targets = nil
	return nil
}
