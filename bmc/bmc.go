// Package bmc is SAT-based bounded model checking (Biere, Cimatti, Clarke, Zhu,
// TACAS 1999) under symmetry. It searches for violations depth by depth, so the
// first one found is a shortest one.
//
// One solver holds one growing unrolling (Eén, Sörensson: Temporal induction by
// incremental SAT solving, 2003). The query of depth d asks whether a property is
// violated at depth d. An error in the step from frame d-1 has depth d, as has a
// violation in the state of frame d. One query covers both.
//
// # Representatives
//
// A permutation of the group maps a path to a path that violates the same property at
// the same depth. So it suffices to search for the paths that package rep keeps. Each
// property has its own query, so the cone of influence stays small, and its own group,
// which is larger than a common one. The word of the representative predicate is the last
// state (frontier) or the whole path, backwards (path). The predicate of depth d need not
// hold at depth d+1. So its clauses are a group of the solver that is released after the
// query, and a query has exactly one predicate.
//
// Unsat under the predicate means that no path violates the property at depth d,
// representative or not. This fact becomes a permanent clause.
//
// Properties are decided in the order of mc.Problem.Order. If several are violated at the
// same depth, the run ends with the first in that order.
//
// Covers have the same queries; a path that hits a cover decides it. This package does not
// decide liveness.
//
// A search may begin before the group is known (mc.Options.Later). It takes the group between
// two depths. What was asserted for good until then is true without symmetry, so the queries that
// follow are those of a search that knew the group from the start.
//
// The group may come with another encoding of the model. Then the search goes on in a new solver, with one unrolling of the
// new system to the same depth, in which no path violates an open property before that. So the depths that were searched
// need not be searched again. What was learned about the old system is lost.
//
// # Multisets
//
// A model path has many encodings, one for each choice of slots for the elements of
// multisets. The search asserts in each frame that new elements are put into the least free
// slots. The group is then that of permutations that keep the numbers of slots
// (encode.LeastSlots).
//
// # Choices
//
// Where the symmetry of a model is inferred, its inputs choose by one of several bits. The predicate is about
// states, so the search has the choices in binary (ts.NewCoded). It then uses only permutations that take choices
// to choices.
//
// # Steps
//
// A query may cover several depths, as a disjunction. The constraints then bind only the
// frames up to that of the bad. Further queries shorten the violation. The word of the
// representative predicate is the whole path to the last depth, frames after the violation
// included, since the group acts on the whole path.
//
//	bmc.go       the search
//	lemmas.go    lemmas of other engines
//	instance.go  one instance of a quantified property
//	pays.go      when symmetry is used
//	distance.go  which latches are compared
//	image.go     states in place of old frames
//	induct*.go   k-induction
//	correspond.go signals that are equal in every frame
package bmc

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"orbitmc/aig"
	"orbitmc/encode/cnf"
	"orbitmc/mc"
	"orbitmc/rep"
	"orbitmc/sat"
	"orbitmc/ts"
)

// RepMode selects the representative predicate of a query.
type RepMode uint8

// Modes.
const (
	RepAuto     RepMode = iota // path where it pays; off for run-time errors
	RepPath                    // on the whole path, backwards
	RepFrontier                // on the last frame only
	RepOff
)

// RepModes returns the names of the modes.
func RepModes() []string { return []string{"auto", "path", "frontier", "off"} }

// Checker is the engine. The first query covers the depths 0 to From, each later query the
// next Step depths. With From = 0 and Step < 2 each query covers one depth. A violation is
// then shortened to the least depth for its property.
type Checker struct {
	Rep        RepMode
	From, Step int
	NewSolver  func() sat.Solver

	always bool                    // frames are replaced by the states at each depth, as far as there are few
	lose   func([][]bool) [][]bool // of a test: what becomes of these states
}

// Name returns "bmc".
func (c *Checker) Name() string { return "bmc" }

// query is one property to decide.
type query struct {
	i    int // position in Problem.Props
	prop int

	known bool       // the next four are filled in
	perms []*ts.Perm // under which paths are compared by the representative predicate
	order []int      // the latches as the predicate compares them
	path  *rep.Path  // the predicate; nil without one
	// instance is the violation of one instance of the property, as a conjunction; nil if
	// the query is about the whole property.
	instance []aig.Lit

	broken  bool     // the query is under the predicate
	work    work     // of the last window
	without [4]work  // of windows before the predicate was used, the last one first
	paid    bool     // the first window with the predicate took less
	total   int64    // conflicts of all windows
	recent  [4]int64 // of the last ones
	needed  int64    // the predicate is used again once a window takes so many conflicts
}

// work is what a window took in the solver.
type work struct{ Conflicts, Propagations int64 }

// did notes what a window took.
func (q *query) did(w work) {
	q.work = w
	q.total += w.Conflicts
	copy(q.recent[1:], q.recent[:])
	q.recent[0] = w.Conflicts
}

// run is one run of the engine, or of one of which this is a part.
type run struct {
	*Checker
	engine   string
	p        *mc.Problem
	opt      mc.Options
	sys      *ts.System
	coded    *ts.Coded // sys as a code of the problem's system; nil: sys is that
	least    aig.Lit   // of a model: elements are put into the least free slots
	frames   *cnf.Unrolling
	cnf      *cnf.Encoder
	solver   sat.Solver
	open     []*query
	earlier  sat.Stats     // of the solver before this one
	maxK     int           // of induction; 0 is no bound
	bound    int           // frames before this depth keep the constraints for good
	images   []image       // what stands for the frames before a depth; frames begins with the last one
	large    int64         // clauses, from which on frames are replaced
	lemmas   []ts.Clause   // of opt.Lemmas, asserted in all frames
	checking time.Duration // spent on taking lemmas
	result   *mc.Result
	began    time.Time
}

// Run implements mc.Engine. Without a symbolic encoding it knows nothing and
// says why.
func (c *Checker) Run(ctx context.Context, p *mc.Problem, opt mc.Options) (*mc.Result, error) {
	r := c.start(ctx, c.Name(), p, opt)
	if r.sys == nil {
		return r.result, nil
	}
	return r.deepen(ctx, opt.All, func(_ int, done bool) bool { return done })
}

// deepen searches window after window until all properties are decided, or a limit ends the search. After each one it
// calls also, with its last depth and whether it was searched to the end, and goes on if also returns true. It goes on
// after a violation if all is set.
func (r *run) deepen(ctx context.Context, all bool, also func(hi int, done bool) bool) (*mc.Result, error) {
	for lo, hi := 0, r.From; ; lo, hi = hi+1, hi+max(r.Step, 1) {
		if len(r.open) == 0 {
			if r.result.Open() > 0 {
				r.result.Stopped = mc.Live
			}
			break
		}
		if stop := r.limit(ctx, lo); stop != "" {
			r.result.Stopped = stop
			break
		}
		if r.opt.Bounded || r.opt.MaxDepth > 0 {
			hi = min(hi, r.opt.MaxDepth)
		}
		done, err := r.window(ctx, lo, hi)
		if err != nil {
			return nil, err
		}
		r.count(hi)
		if done {
			r.shed(ctx, hi)
		}
		if !also(hi, done) {
			r.result.Stopped = cmp.Or(r.result.Stopped, r.limit(ctx, lo), mc.StopReason(ctx))
			break
		}
		if r.opt.Event != nil {
			r.opt.Event(mc.Event{Engine: r.engine, Depth: hi, Stats: r.result.Stats})
		}
		if r.result.Violated() && !all && r.result.Open() > 0 {
			r.result.Stopped = mc.Violation
			break
		}
	}
	return r.result, nil
}

// start returns a run that has not begun; its sys is nil, and its result says why,
// if there is no symbolic encoding.
func (c *Checker) start(ctx context.Context, engine string, p *mc.Problem, opt mc.Options) *run {
	r := &run{Checker: c, engine: engine, p: p, opt: opt, result: mc.NewResult(engine, p), began: time.Now()}
	if r.sys = p.System(); r.sys == nil {
		r.result.Stopped = fmt.Sprintf("no symbolic encoding: %v", p.EncErr)
		return r
	}
	r.unroll(ctx)
	for _, i := range p.Order() {
		if prop := p.Props[i]; mc.HasTrace(p.Kind(prop)) {
			r.open = append(r.open, &query{i: i, prop: prop})
		}
	}
	return r
}

// unroll begins to unroll the system of the problem, in a solver of its own.
func (r *run) unroll(ctx context.Context) {
	r.sys, r.coded = r.p.System(), nil
	if r.p.Enc != nil && len(r.p.Enc.Choices) > 0 {
		r.coded = ts.NewCoded(r.sys, r.p.Enc.Choices)
		r.sys = r.coded.System
	}
	r.least = aig.True
	if r.p.Enc != nil {
		r.least = r.own(r.p.Enc.LeastSlots())
	}
	r.solver = r.grower()
	r.frames = cnf.NewUnrolling(ctx, r.sys, r.solver, r.least)
	r.cnf = r.frames.CNF()
	r.bound = 0
}

// grower returns a solver for frames.
func (r *run) grower() sat.Solver {
	solver := r.NewSolver()
	if s, ok := solver.(sat.Grower); ok {
		s.NewestFirst()
	}
	return solver
}

// bind asserts the constraints of the frames before a depth.
func (r *run) bind(depth int) {
	for ; r.bound < depth; r.bound++ {
		for _, l := range r.sys.Constraints {
			r.frames.Assert(r.bound-r.base(), l, aig.False)
		}
	}
}

// take goes on with a problem whose symmetry is known, from a depth on. If it has another system, that is
// unrolled to this depth. No path violates an open property at a lesser one. It returns false if a limit ends the search.
func (r *run) take(ctx context.Context, p *mc.Problem, depth int) bool {
	same := p.System() == r.p.System()
	r.p, r.opt.Later = p, nil
	r.open = slices.DeleteFunc(r.open, func(q *query) bool { return !slices.Contains(p.Props, q.prop) })
	if same {
		return true
	}
	r.opt.Lemmas, r.lemmas, r.result.Stats.Lemmas = nil, nil, 0 // they are about the other system
	r.earlier = r.solver.Stats()
	r.unroll(ctx)
	for _, q := range r.open {
		q.work = work{} // the next query is to show what it takes here without the predicate
	}
	for d := range depth {
		if r.limit(ctx, d) != "" {
			return false
		}
		r.extend(d, aig.True)
		for _, q := range r.open {
			r.cnf.Assert(r.frames.Violation(p.Bads(q.prop), d).Not())
		}
	}
	return true
}

// extend adds frame d, with what is true of its state if the constraints of the frames before it hold. kept is
// those of them that are not asserted.
func (r *run) extend(d int, kept aig.Lit) {
	r.frames.Extend()
	k := d - r.base()
	if r.p.WellFormed {
		r.frames.Assert(k, r.sys.W, kept.Not()) // redundant, but it prunes the search: docs/decisions.md
	}
	r.frames.Assert(k, r.least, aig.False)
	r.assertLemmas(r.lemmas, k, kept)
}

// own returns a function of the problem's system as one of sys.
func (r *run) own(l aig.Lit) aig.Lit {
	if r.coded == nil {
		return l
	}
	return r.coded.Copy(l)
}

// limit returns why depth d is not to be searched, or "".
func (r *run) limit(ctx context.Context, d int) string {
	switch {
	case r.maxK > 0 && d > r.maxK:
		return "the bound on k"
	case r.opt.Beyond(d):
		return mc.DepthBound
	case ctx.Err() != nil:
		return mc.StopReason(ctx)
	case r.opt.Full():
		return mc.MemoryLimit
	}
	return ""
}

// window searches for violations of depth lo to hi of every open property. It ends early if
// the context ends; only then is done false. Unless opt.All is set, it also ends with the
// first violation. All depths below lo were searched before.
func (r *run) window(ctx context.Context, lo, hi int) (done bool, err error) {
	if r.opt.Later != nil {
		if p := r.opt.Later(r.done(lo)); p != nil && !r.take(ctx, p, lo) {
			return false, nil
		}
	}
	// Constraints bind every frame up to that of the bad; so from here on those of frames before lo hold in every query.
	r.bind(lo)
	if err := r.learn(ctx); err != nil {
		return false, err
	}
	g, kept := r.frames.Graph(), aig.True // the constraints of frames lo to d-1
	for d := lo; d <= hi; d++ {
		if d > lo {
			kept = g.And(kept, r.frames.Constraint(d-1-r.base()))
		}
		r.extend(d, kept)
	}
	for _, q := range slices.Clone(r.open) {
		if err := r.breakSymmetry(q); err != nil {
			return false, err
		}
		before := r.solver.Stats()
		status, err := r.shortest(ctx, q, lo, hi)
		after := r.solver.Stats()
		q.did(work{after.Conflicts - before.Conflicts, after.Propagations - before.Propagations})
		switch {
		case err != nil:
			return false, fmt.Errorf("internal error: %s at depth %d, property %q: %w", r.engine, hi, r.p.Name(q.prop), err)
		case status == sat.Unknown:
			return false, nil
		case status == sat.Unsat:
			r.result.Props[q.i].Bound = hi
			r.result.Props[q.i].Engine = r.engine
		case status == sat.Sat:
			r.open = slices.DeleteFunc(r.open, func(o *query) bool { return o == q })
			if r.result.Violated() && !r.opt.All {
				return true, nil
			}
		}
	}
	return true, nil
}

// shortest searches for a violation of depth lo to hi, then for shorter ones until there is
// none, and records the last. If the context ends before, the last violation is recorded
// all the same, and Bound is the depth up to which there is none.
func (r *run) shortest(ctx context.Context, q *query, lo, hi int) (sat.Status, error) {
	answer := sat.Unsat
	for {
		status, found, err := r.ask(ctx, q, lo, hi)
		switch {
		case err != nil:
			return status, err
		case status == sat.Sat && found > lo:
			answer, hi = sat.Sat, found-1
			continue
		case status == sat.Unknown && answer == sat.Sat: // a shorter one may exist
			r.result.Props[q.i].Bound = lo - 1
		case answer != sat.Sat:
			answer = status
		}
		return answer, nil
	}
}

// ask decides whether the property is violated at a depth from lo to hi, and
// records the answer: a trace, whose depth is found, or a clause. The
// representative predicate is a clause group of its own and not an assumption:
// releasing the group takes what the solver learned from it along.
func (r *run) ask(ctx context.Context, q *query, lo, hi int) (status sat.Status, found int, err error) {
	g := r.frames.Graph()
	any := func(violated func(d int) aig.Lit) (by []aig.Lit, any aig.Lit) {
		kept := aig.True // the constraints of frames lo to d-1
		for d := lo; d <= hi; d++ {
			by = append(by, g.And(kept, violated(d)))
			kept = g.And(kept, r.frames.Constraint(d-r.base()))
		}
		return by, g.OrN(by)
	}
	byDepth, bad := any(func(d int) aig.Lit { return r.violated(q, d) })
	if bad == aig.False {
		return sat.Unsat, 0, nil
	}
	if least := r.predicate(q, hi); least != aig.True {
		before := r.solver.Stats()
		g := r.solver.Group()
		defer r.solver.Release(g)
		cnf := r.cnf
		if r.onTrial(q) {
			cnf = cnf.Fork(grouped{r.solver, g})
		}
		r.solver.AddTo(g, cnf.Implied(least))
		after, s := r.solver.Stats(), &r.result.Stats
		s.Permutations = max(s.Permutations, len(q.perms))
		s.RepVariables += after.Vars - before.Vars
		s.RepClauses += after.Clauses - before.Clauses
	}
	status = r.solver.Solve(ctx, r.cnf.Implied(bad))
	switch status {
	case sat.Sat:
		for i, holds := range r.cnf.Values(byDepth) {
			if holds {
				t, err := r.trace(ctx, lo+i)
				if t == nil {
					return sat.Unknown, 0, err
				}
				found, err = r.violation(q, lo+i, t)
				return status, found, err
			}
		}
		return status, 0, fmt.Errorf("the solver's model violates nothing")
	case sat.Unsat:
		// No path violates another instance either.
		_, whole := any(func(d int) aig.Lit { return r.frames.Violation(r.p.Bads(q.prop), d-r.base()) })
		r.cnf.Assert(whole.Not())
	}
	return status, 0, nil
}

// grouped writes clauses to a group.
type grouped struct {
	sat.Solver
	group sat.Group
}

func (g grouped) Add(clause ...sat.Lit) { g.AddTo(g.group, clause...) }

// predicate returns the representative predicate for paths of k steps.
func (r *run) predicate(q *query, k int) aig.Lit {
	if !q.broken {
		return aig.True
	}
	if r.Rep == RepFrontier {
		return rep.PathPredicate(r.frames.Graph(), []rep.Frame{{State: r.frames.Latches(k), Order: q.order}}, nil, q.perms)
	}
	return q.path.Predicate(k)
}

// violation notes a path that violates a property, and returns its depth, which is at most d.
func (r *run) violation(q *query, d int, t *ts.Trace) (depth int, err error) {
	if r.coded != nil {
		t = r.coded.Decode(t)
	}
	pr, err := r.p.Found(r.engine, q.prop, d, t)
	pr.Time = time.Since(r.began)
	if err == nil {
		r.result.Props[q.i] = pr
	}
	return pr.Depth, err
}

// done estimates the work done before a depth: its steps are propagations, clauses and rows of frames. It does not
// depend on time.
func (r *run) done(depth int) mc.Work {
	s := r.solver.Stats()
	w := mc.Work{Depth: depth, Steps: s.Propagations + s.Clauses + r.frames.Work()/64}
	for _, q := range r.open {
		if r.hard(q) {
			w.Hard = append(w.Hard, q.prop)
		}
	}
	return w
}

func (r *run) count(d int) {
	solver, s := r.solver.Stats(), &r.result.Stats
	s.Depth, s.Frames, s.Ands = d, r.base()+r.frames.Len(), r.frames.Gates()+r.frames.Graph().Len()
	s.Variables, s.Clauses = solver.Vars, solver.Clauses
	s.Conflicts, s.Decisions = r.earlier.Conflicts+solver.Conflicts, r.earlier.Decisions+solver.Decisions
	s.Latches, s.Inputs = len(r.sys.Latches), len(r.p.System().Inputs)
}
