package cofactor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"orbitmc/aig"
	"orbitmc/encode/cnf"
	"orbitmc/internal/lists"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/rep"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file searches one property. A step of the search is one query; if the
// query has a solution, the step is one enumeration.

// set is a set of states from which there is a violation at depth or less. Under
// representatives it is right on those only.
type set struct {
	c      *evidence.Circuit
	exact  *evidence.Circuit // exact on all states, if images of the set are needed; nil: c is
	depth  int
	inputs []bool     // that it is the cofactor by; nil for images
	leaves []int      // by input: search.inputs when it was found
	of     *set       // the set it is an image of, nil if it was found as a cofactor
	by     []*ts.Perm // with of: the permutations, the first one applied first
	group  sat.Group  // of the clause that blocks it
}

// search is the search for violations of one property.
type search struct {
	*run
	ctx     context.Context
	i       int // position in Problem.Props
	prop    int
	sys     *ts.System
	bads    []int
	byOrbit bool // one set of each orbit is stored, with images where they are met
	whole   bool // all sets are wanted, whether or not they meet the reset states
	errs    bool // some bad is an error of a step, so that depth 0 may be empty and depth 1 not
	perms   []*ts.Perm
	order   []int
	canon   canoniser  // into the representatives; nil if there is none
	close   []*ts.Perm // all elements of the group but the identity, if they are needed and few
	care    *invariant // closed under the group of the property; nil: none

	frames *cnf.Frames
	cnf    *cnf.Encoder
	solver sat.Solver
	sets   []*set
	known  *known
	init   *initial
	sample *sampler

	depth  int // being searched; -1 at first
	f      aig.Lit
	inputs []int // leaves of f that are no state, ascending
	done   bool
	stats  stats

	inverses map[*ts.Perm]*ts.Perm // of elements of groups that are not their own
}

// stats counts what one search did.
type stats struct {
	enumerations int     // solutions that were cofactored
	cofactors    int     // sets made of them
	images       int     // of sets, blocked
	cofactorAnds int     // of all sets when they were stored
	states       float64 // estimate of the states in all sets when they were stored
	queries      int
	permutations int
}

func (r *run) newSearch(ctx context.Context, i, prop int) (*search, error) {
	s := &search{run: r, ctx: ctx, i: i, prop: prop, sys: r.p.System(), bads: r.p.Bads(prop), depth: -1, byOrbit: r.Reduction == ByOrbits, inverses: make(map[*ts.Perm]*ts.Perm)}
	s.errs = slices.ContainsFunc(s.bads, func(b int) bool { return s.sys.Bads[b].Delay > 0 })
	y := r.p.Group(prop)
	if r.care != nil && (r.Reduction == NoReduction || r.care.KeptBy(y)) {
		s.care = r.care
	}
	s.frames = cnf.NewFrames(s.sys, true)
	s.frames.Extend()
	if r.Reduction == ByRepresentatives && !y.Trivial() && s.possiblyBad(ctx) {
		s.order = s.p.WordOrder(s.prop)
		if s.wide(y) {
			s.byOrbit = true
		} else if err := s.breakSymmetry(y); err != nil {
			return nil, err
		}
	}
	s.sample = newSampler(s.sys, s.wellFormed(), uint64(prop), s.descend)
	if s.care != nil {
		s.sample.reach = append(s.sample.reach, lists.Map(s.care.States, s.descend)...)
	}
	s.init = s.newInitial()
	s.known = s.newKnown()
	return s, nil
}

// possiblyBad reports whether a bad can hold in a state of the invariant. If not there is
// nothing to search, and no need for symmetry.
func (s *search) possiblyBad(ctx context.Context) bool {
	g := s.frames.Graph()
	p := cnf.NewProver(g, s.NewSolver())
	p.Assert(s.possible(g, s.frames.Latches(0)))
	p.Assert(s.frames.Constraint(0))
	return p.Solve(ctx, s.frames.AnyBad(0, s.bads)) != sat.Unsat
}

func (s *search) uses(t Techniques) bool { return s.Without&t == 0 }

// wellFormed returns W, if it may be assumed.
func (s *search) wellFormed() aig.Lit {
	if s.p.WellFormed {
		return s.sys.W
	}
	return aig.True
}

// least returns the predicate of representatives.
func (s *search) least(g *aig.Graph, state []aig.Lit) aig.Lit {
	return rep.PathPredicate(g, []rep.Frame{{State: state, Order: s.order}}, nil, s.perms)
}

// step searches for one more solution.
func (s *search) step(ctx context.Context) error {
	s.ctx = ctx
	if s.depth < 0 {
		s.enter(0)
	}
	x, status := s.solve(ctx)
	switch status {
	case sat.Sat:
		return s.enumerate(ctx, x)
	case sat.Unsat:
		return s.leave(ctx)
	}
	return nil
}

// enter begins with depth d.
func (s *search) enter(d int) {
	if s.opt.Beyond(d) {
		s.done, s.result.Stopped = true, mc.DepthBound
		return
	}
	s.depth = d
	s.f = s.target(d)
	state := lists.SetOf(s.frames.Latches(0), func(l aig.Lit) int { return l.Node() })
	s.inputs = slices.DeleteFunc(s.frames.Graph().Support([]aig.Lit{s.f}), func(n int) bool { return state[n] })
	if s.solver == nil || !s.uses(Incremental) {
		s.newSolver()
	}
	if s.p.WellFormed && d > 0 && s.Unrolled {
		s.cnf.Assert(s.frames.W(d)) // W is inductive under the constraints, so this is redundant
	}
}

// newSolver starts a solver that knows what is covered.
func (s *search) newSolver() {
	s.solver = s.NewSolver()
	s.cnf = cnf.New(s.frames.Graph(), s.solver)
	s.cnf.Assert(s.possible(s.frames.Graph(), s.frames.Latches(0)))
	s.cnf.Assert(s.least(s.frames.Graph(), s.frames.Latches(0)))
	for _, x := range s.sets {
		s.block(x)
	}
}

// block excludes a set from the solutions.
func (s *search) block(x *set) {
	l := x.c.Place(s.frames.Graph(), s.frames.Latches(0))
	x.group = s.solver.Group()
	s.solver.AddTo(x.group, s.cnf.Implied(l.Not()))
}

// solution is a state and inputs of f.
type solution struct {
	state  []bool // by latch
	inputs []bool // by search.inputs
}

// solve asks for a solution of f that is not covered.
func (s *search) solve(ctx context.Context) (*solution, sat.Status) {
	if s.f == aig.False {
		return nil, sat.Unsat
	}
	s.stats.queries++
	status := s.solver.Solve(ctx, s.cnf.Implied(s.f))
	if status != sat.Sat {
		return nil, status
	}
	inputs := lists.Map(s.inputs, func(n int) aig.Lit { return aig.MkLit(n, false) })
	bits, n := s.cnf.Values(slices.Concat(s.frames.Latches(0), inputs)), len(s.sys.Latches)
	return &solution{bits[:n], bits[n:]}, status
}

// enumerate adds what the inputs of a solution lead to a violation from.
func (s *search) enumerate(ctx context.Context, x *solution) error {
	if (s.byOrbit || s.closing()) && s.blockImage(ctx, x.state) {
		return nil
	}
	s.stats.enumerations++
	s.sample.saw(x.state)
	y := &set{c: s.cofactor(x.inputs), inputs: x.inputs}
	if ctx.Err() != nil {
		return nil // what is stored is right, but perhaps not small
	}
	if s.closing() {
		y.exact = y.c
	}
	y.c, y.depth, y.leaves = s.simplify(ctx, y.c, s.known), s.depth, s.inputs
	s.add(y)
	s.stats.cofactors++
	s.stats.cofactorAnds += y.c.G.NumAnds(y.c.Out)
	s.stats.states += s.sample.count(y.c)
	return nil
}

// cofactor returns F with the inputs replaced by their values.
func (s *search) cofactor(inputs []bool) *evidence.Circuit {
	c := evidence.NewCircuit(len(s.sys.Latches))
	k := aig.NewCopier(c.G, s.frames.Graph())
	for i, l := range s.frames.Latches(0) {
		k.Set(l.Node(), c.Latches[i])
	}
	for i, n := range s.inputs {
		k.Set(n, aig.False.NotIf(inputs[i]))
	}
	c.Out = k.Copy(s.f)
	return compact(c)
}

// closing reports whether images of cofactors are blocked under representatives.
func (s *search) closing() bool { return s.Unrolled && len(s.perms) > 0 && s.uses(Images) }

func (s *search) add(x *set) {
	s.sets = append(s.sets, x)
	s.known.exclude(x.c)
	s.block(x)
}

// leave ends the current depth: its stored sets cover all solutions.
func (s *search) leave(ctx context.Context) error {
	added := slices.ContainsFunc(s.sets, func(x *set) bool { return x.depth == s.depth })
	if added {
		if s.uses(Contain) {
			s.dropCovered(ctx)
		}
		if !s.whole {
			start, status := s.init.meets(ctx, s.sets, s.depth)
			switch status {
			case sat.Sat:
				return s.violation(ctx, start)
			case sat.Unknown:
				return nil
			}
		}
	}
	pr := &s.result.Props[s.i]
	pr.Bound, pr.Engine = s.depth, s.Name()
	s.progress()
	if !added && (s.depth > 0 || !s.errs) {
		s.done = true
		if s.whole {
			return nil
		}
		if proof := s.proof(ctx); proof != nil {
			pr.Status, pr.Proof, pr.Time = mc.BySearch(s.p.Kind(s.prop)), proof, time.Since(s.began)
		} else {
			s.result.Stopped = fmt.Sprintf("no predicate that proves %q could be written down: its group has %v elements", s.p.Name(s.prop), s.p.Group(s.prop).Order())
		}
		return nil
	}
	s.enter(s.depth + 1)
	return nil
}

// dropCovered removes the sets that the others cover.
func (s *search) dropCovered(ctx context.Context) {
	k := s.newKnown()
	not := make([]aig.Lit, len(s.sets)) // of the sets that stay
	for i, x := range s.sets {
		not[i] = x.c.Place(k.g, k.state).Not()
	}
	var kept []*set
	for i, x := range s.sets {
		if !s.byOrbit || x.of != nil {
			in := not[i].Not()
			not[i] = in
			if k.prover.Solve(ctx, not...) == sat.Unsat {
				not[i] = aig.True
				s.solver.Release(x.group)
				continue
			}
			not[i] = in.Not()
		}
		kept = append(kept, x)
	}
	if len(kept) < len(s.sets) {
		s.sets = kept
		s.known = s.newKnown()
		for _, x := range kept {
			s.known.exclude(x.c)
		}
	}
}

// violation finds a run from a start state to the violation, and records it. That
// there is one was shown.
func (s *search) violation(ctx context.Context, start []bool) error {
	f := cnf.NewFrames(s.sys, false)
	solver := s.NewSolver()
	cnf := cnf.New(f.Graph(), solver)
	for k := range s.depth + 1 {
		f.Extend()
		if k == 0 {
			for i, l := range f.Init() {
				cnf.Assert(l.NotIf(!start[i]))
			}
		}
		if k < s.depth {
			cnf.Assert(f.Constraint(k))
		}
	}
	cnf.Assert(f.Violation(s.bads, s.depth))
	switch solver.Solve(ctx) {
	case sat.Unknown:
		return nil
	case sat.Unsat:
		return fmt.Errorf("no run from the start state that was reached at depth %d", s.depth)
	}
	pr, err := s.p.Found(s.Name(), s.prop, s.depth, f.Trace(s.depth, cnf.Value))
	if err != nil {
		return err
	}
	pr.Time = time.Since(s.began)
	s.result.Props[s.i], s.done = pr, true
	return nil
}

// proof returns the complement of what can reach a violation, nil if it cannot be
// written down.
func (s *search) proof(ctx context.Context) *evidence.Proof {
	if len(s.perms) > 0 && s.canon == nil && s.close == nil {
		return nil
	}
	whole := s.union(s.sets)
	if s.uses(Frontier) {
		whole = s.simplify(ctx, whole, s.newKnown())
	}
	if len(s.perms) > 0 {
		if f := s.clauses(ctx, whole); f != nil {
			return f
		}
	}
	c := evidence.NewCircuit(len(s.sys.Latches))
	c.Out = s.placeClosed(c.G, c.Latches, whole).Not()
	if s.canon != nil {
		all := *s // all states matter now
		all.canon, all.perms = nil, nil
		c = all.simplify(ctx, c, all.newKnown())
	}
	if c.Out == aig.True && s.Reduction != NoReduction && s.care != nil && len(s.care.Excluded) > 0 {
		return &evidence.Proof{K: 1, Clauses: s.care.Clauses(), Group: s.p.Group(s.prop)}
	}
	return &evidence.Proof{K: 1, Clauses: s.care.Clauses(), Circuit: compact(c)}
}

// union returns the states in any of the sets.
func (s *search) union(sets []*set) *evidence.Circuit {
	c := evidence.NewCircuit(len(s.sys.Latches))
	c.Out = c.G.OrN(lists.Map(sets, func(x *set) aig.Lit { return x.c.Place(c.G, c.Latches) }))
	return c
}

// initial asks which reset states are in a set.
type initial struct {
	g      *aig.Graph
	leaves []aig.Lit // initial inputs
	state  []aig.Lit // reset
	prover *cnf.Prover
}

func (s *search) newInitial() *initial {
	t := &initial{g: aig.New()}
	k := aig.NewCopier(t.g, s.sys.G)
	for _, sig := range s.sys.Init {
		l := t.g.Input()
		k.Set(sig.Node, l)
		t.leaves = append(t.leaves, l)
	}
	t.state = lists.Map(s.sys.Latches, func(l ts.Latch) aig.Lit { return k.Copy(l.Reset) })
	t.prover = cnf.NewProver(t.g, s.NewSolver())
	t.prover.Assert(s.least(t.g, t.state)) // of each orbit of reset states one is a representative
	return t
}

// meets returns the initial inputs of a reset state in a set of a depth.
func (i *initial) meets(ctx context.Context, sets []*set, depth int) ([]bool, sat.Status) {
	var any []aig.Lit
	for _, x := range sets {
		if x.depth == depth {
			any = append(any, x.c.Place(i.g, i.state))
		}
	}
	status := i.prover.Solve(ctx, i.g.OrN(any))
	if status != sat.Sat {
		return nil, status
	}
	return i.prover.Values(i.leaves), status
}
