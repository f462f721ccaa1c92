package pdr

import (
	"context"
	"errors"
	"iter"
	"slices"

	"orbitmc/aig"
	"orbitmc/encode/cnf"
	"orbitmc/internal/lists"
	"orbitmc/mc"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file holds the solvers.
//
// Every frame has its own solver (as in Bradley's reference implementation). The
// clauses of frame i are those of all lemmas of level i and above. A solver has only the
// cones of the transition relation that its queries needed. Frame
// 0 is the reset function itself, so its states are real. A solver is kept to the
// end: a new one would miss the images that were added to the old one on demand.
// docs/decisions.md has the figures of the alternatives.

// errStopped says that a solver was interrupted, errMemory that the limit of memory
// was met.
var (
	errStopped = errors.New("stopped")
	errMemory  = errors.New(mc.MemoryLimit)
)

// lemma is a cube that is unreachable in level steps, with all its images.
type lemma struct {
	cube    ts.Cube
	level   int
	covered bool        // by another lemma, which took its place
	images  []ts.Cube   // that the solvers have from the start: cube, then other members of the orbit
	sigs    []signature // of images
	lazy    finder      // not nil: a further image is added when a state violates it
	inPart  bool        // some images are never looked at
}

// solver is a SAT solver for steps from one set of states.
type solver struct {
	s      sat.Solver
	cnf    *cnf.Encoder
	frames *cnf.Frames
	now    []sat.Lit // by latch, 0 until used
	leaves []int     // the leaves in focus; nil if all are
	found  *point    // of the last answer of search.solve, if it has been read

	// known yields lemmas that hold in the states, at least those with missing images; add adds such an image. Both
	// are nil if none are missing.
	known iter.Seq[*lemma]
	add   func(*lemma, ts.Cube)
}

func (s *search) newSolver(frames *cnf.Frames) *solver {
	solver := &solver{s: s.e.NewSolver(), frames: frames, now: make([]sat.Lit, len(s.sys.Latches))}
	solver.cnf = cnf.New(frames.Graph(), solver.s)
	return solver
}

// frameSolver returns a solver for the steps from frame k that the constraints
// allow.
func (s *search) frameSolver(k int) *solver {
	frames := s.trans
	if k == 0 {
		frames = s.reset
	}
	solver := s.newSolver(frames)
	solver.cnf.Assert(frames.Constraint(0))
	if k == 0 {
		return solver
	}
	if s.p.WellFormed {
		solver.cnf.Assert(frames.W(0))
	}
	for _, l := range s.invariants {
		for _, d := range l.images {
			solver.block(d)
		}
	}
	solver.add = func(_ *lemma, image ts.Cube) { solver.block(image) }
	solver.known = func(yield func(*lemma) bool) {
		for _, l := range s.invariants {
			if !yield(l) {
				return
			}
		}
		for _, level := range s.levels[k:] {
			for _, l := range level.lazy {
				if !yield(l) {
					return
				}
			}
		}
	}
	return solver
}

// state returns the solver's literal that is true if l holds in the current state.
func (s *solver) state(l ts.Lit) sat.Lit {
	n := l >> 1
	if s.now[n] == 0 {
		s.now[n] = s.cnf.Lit(s.frames.Latches(0)[n])
	}
	return s.now[n] ^ sat.Lit(l&1)
}

// next returns what implies that l holds in the successor.
func (s *solver) next(l ts.Lit) sat.Lit {
	return s.cnf.Implied(l.Of(s.frames.Latches(1)))
}

// block adds the clause ¬c over the current state.
func (s *solver) block(c ts.Cube) { s.s.Add(s.clause(c)...) }

func (s *solver) clause(c ts.Cube) []sat.Lit {
	return lists.Map(c, func(l ts.Lit) sat.Lit { return s.state(l).Not() })
}

// core returns the assumptions that refute the last query.
func (s *solver) core() map[sat.Lit]bool {
	return lists.Set(s.s.Core())
}

// read adds the numbers of those leaves that are true in the model.
func (s *solver) read(into bitset, leaves []aig.Lit, of []int) {
	roots := lists.Map(of, func(n int) aig.Lit { return leaves[n] })
	for i, b := range s.cnf.Values(roots) {
		if b {
			into.add(of[i])
		}
	}
}

// focus restricts the next query to the cones of roots, of a cube of the current state, of
// constraints and of well-formedness, if the solver is a sat.Focuser and there are roots. It sets
// s.leaves to the leaves that a model then has values of.
//
// Lemmas over other latches may be violated by such a model. That does no harm: the obligation
// that is made of it still leads to its target, and a lemma that blocks it is about latches in
// focus.
func (s *search) focus(solver *solver, states ts.Cube, roots ...aig.Lit) {
	solver.leaves = nil
	f, ok := solver.s.(sat.Focuser)
	if !ok || roots == nil || solver.frames == s.reset {
		return
	}
	roots = append(roots, solver.frames.Constraint(0))
	if s.p.WellFormed {
		roots = append(roots, solver.frames.W(0))
	}
	for _, l := range states {
		solver.state(l)
		roots = append(roots, solver.frames.Latches(0)[l>>1])
	}
	leaves, vars, gates := solver.cnf.Cone(roots...)
	f.Focus(vars, gates)
	solver.leaves = leaves
}

// nexts returns the functions of the literals of c in the next state.
func (s *solver) nexts(c ts.Cube) []aig.Lit {
	return lists.Map(c, func(l ts.Lit) aig.Lit { return s.frames.Latches(1)[l>>1] })
}

// point is a state with inputs, read from a model of a solver.
type point struct {
	state, inputs bitset
	known         bitset // latches that were in focus; nil: all
	init          []bool
}

// holds reports whether l is known to hold.
func (p *point) holds(l ts.Lit) bool {
	return p.state.has(l.Index()) != l.Neg() && (p.known == nil || p.known.has(l.Index()))
}

// in reports whether the state is known to be in c.
func (p *point) in(c ts.Cube) bool {
	return !slices.ContainsFunc(c, func(l ts.Lit) bool { return !p.holds(l) })
}

// point returns the state that search.solve found.
func (s *search) point(solver *solver) *point {
	if solver.found != nil {
		return solver.found
	}
	p := &point{state: newBitset(len(s.sys.Latches)), inputs: newBitset(len(s.sys.Inputs))}
	solver.found = p
	if solver.leaves != nil {
		p.known = newBitset(len(s.sys.Latches))
		for _, n := range solver.leaves {
			into, y := p.inputs, s.leaves[n]
			if y.latch {
				into = p.state
				p.known.add(y.i)
			}
			if solver.cnf.Value(aig.MkLit(n, false)) {
				into.add(y.i)
			}
		}
		return p
	}
	solver.read(p.state, solver.frames.Latches(0), s.latches)
	solver.read(p.inputs, solver.frames.Inputs(0), s.inputs)
	if solver.frames == s.reset {
		p.init = append(p.init, solver.cnf.Values(solver.frames.Init())...)
	}
	return p
}

// solve asks for a state of the frame under assumptions that violates no image of a lemma of the
// frame. roots and about are those of focus. If a clause group is given, the state is also
// outside of all images of the cube about. Images that are not in the solver are added when
// the state violates them, and the query is asked again.
func (s *search) solve(ctx context.Context, solver *solver, group sat.Group, about ts.Cube, assumptions []sat.Lit, roots []aig.Lit) (sat.Status, error) {
	var own finder
	for {
		if s.stats.Queries++; s.stats.Queries%1000 == 0 && s.opt.Full() {
			return sat.Unknown, errMemory
		}
		s.focus(solver, about, roots...)
		before := solver.s.Stats().Propagations
		solver.found = nil
		status := solver.s.Solve(ctx, assumptions...)
		s.propagations += solver.s.Stats().Propagations - before
		if status == sat.Unknown {
			return status, errStopped
		}
		also := group != 0 && s.orbits != nil && s.orbits.direct()
		if status == sat.Unsat || solver.known == nil || !s.lazy && !also {
			return status, nil
		}
		p := s.point(solver)
		missed := false
		for l := range solver.known {
			if l.lazy == nil {
				continue
			}
			image, all := l.lazy(p.holds)
			if image != nil {
				solver.add(l, image)
				s.stats.Images++
				missed = true
			} else if !all {
				s.inPart(l)
			}
		}
		if !missed && also {
			if own == nil {
				own = s.orbits.finder(about)
			}
			if image, _ := own(p.holds); image != nil {
				solver.s.AddTo(group, solver.clause(image)...)
				missed = true
			}
		}
		if !missed {
			return status, nil
		}
	}
}

// inPart counts a lemma whose orbit cannot be searched as a whole. States that are found may
// violate an image of it; blocking them gives another lemma.
func (s *search) inPart(l *lemma) {
	if !l.inPart {
		l.inPart = true
		s.stats.InPart++
	}
}

// consecution asks whether a step leads from level i to c. If none does, core is a part of c that no
// step leads to either, and that no reset state is in. Otherwise core is nil and p is a step.
// With relative, it asks for induction relative to the frame: only steps from states outside of c and all its images
// count.
func (s *search) consecution(ctx context.Context, i int, c ts.Cube, relative bool) (core ts.Cube, p *point, err error) {
	solver := s.levels[i].solver
	var group sat.Group
	if relative && i > 0 {
		group = solver.s.Group()
		defer solver.s.Release(group)
		solver.s.AddTo(group, solver.clause(c)...)
	}
	assumptions := lists.Map(c, solver.next)
	status, err := s.solve(ctx, solver, group, c, assumptions, solver.nexts(c))
	if err != nil {
		return nil, nil, err
	}
	if status == sat.Sat {
		return nil, s.point(solver), nil
	}
	in := solver.core()
	for k, l := range c {
		if in[assumptions[k]] {
			core = append(core, l)
			delete(in, assumptions[k]) // two latches may have one next function
		}
	}
	core, err = s.variant.initiation(s, ctx, core, c)
	return core, nil, err
}

// neverReset reports whether l contradicts a constant reset value.
func (s *search) neverReset(l ts.Lit) bool {
	return s.reset.Latches(0)[l>>1] == aig.False.NotIf(l.Neg())
}

// initial reports whether a reset state is in c.
func (s *search) initial(ctx context.Context, c ts.Cube) (bool, error) {
	fixed := true
	for _, l := range c {
		if s.neverReset(l) {
			return false, nil
		}
		fixed = fixed && s.reset.Latches(0)[l>>1].Node() == 0
	}
	if fixed {
		return true, nil
	}
	_, status, err := s.initialCore(ctx, c)
	return status == sat.Sat, err
}

// initialCore asks for a reset state in c. If there is none, core is a part of c without one.
func (s *search) initialCore(ctx context.Context, c ts.Cube) (core ts.Cube, status sat.Status, err error) {
	solver := s.start
	assumptions := lists.Map(c, solver.state)
	s.stats.Queries++
	if status = solver.s.Solve(ctx, assumptions...); status == sat.Unknown {
		return nil, status, errStopped
	}
	if status == sat.Unsat {
		failed := solver.s.Core()
		for k, l := range c {
			if slices.Contains(failed, assumptions[k]) {
				core = append(core, l)
			}
		}
	}
	return core, status, nil
}

// initiation restores that of a lemma: it adds literals of whole to part until no reset state is in it. No reset state
// is in whole.
func (s *search) initiation(ctx context.Context, part, whole ts.Cube) (ts.Cube, error) {
	meets, err := s.initial(ctx, part)
	if err != nil || !meets {
		return part, err
	}
	for _, l := range whole {
		if s.neverReset(l) {
			return part.Union(ts.Cube{l}), nil
		}
	}
	core, _, err := s.initialCore(ctx, whole)
	return part.Union(core), err
}
