// Package bmc is SAT-based bounded model checking (Biere, Cimatti, Clarke, Zhu,
// TACAS 1999) under symmetry: it looks for violations depth by depth, so that
// the first one found is a shortest one.
//
// One solver holds one growing unrolling (Eén, Sörensson: Temporal induction by
// incremental SAT solving, 2003). At depth d the query is: some open property
// is violated at depth d. An error inside a step fired from frame d-1 has depth
// d, so it is asked together with what is wrong in the state of frame d.
//
// # Representatives
//
// A group element maps a whole path to a path that violates the same property
// at the same depth, so it suffices to look for the paths that package rep
// keeps. Each property is asked on its own, with the predicate of its own group:
// its cone of influence is small, and it measured five times faster than one
// disjunction of all. The representative predicate is about the last frame
// (frontier) or compares backwards from it (path), so it is no longer true of
// depth d+1: it is an assumption of its query and never a clause. One query
// carries exactly one such predicate.
//
// Properties are asked for in the order of mc.Problem.Order, so that of several that are
// violated at the same depth the run ends with the first in that order.
//
// A cover is asked for in the same way; when it is hit, that is its proof.
// Liveness is not decided here.
//
// An Unsat answer under the predicate means that no path violates the property
// at depth d, representative or not. That is recorded as a clause.
//
// # Steps
//
// A query may ask for violations at several depths at once: the disjunction over
// them, where the constraints hold in the frames up to that of the bad and need not
// hold later. What it finds is then shortened by queries for lesser depths only.
// The representative predicate is on the whole path of the last depth, the frames
// behind the violation included: the group acts on that.
//
//	bmc.go       the search
//	lemmas.go    what other engines know
//	instance.go  one instance of a quantified property
//	induct*.go   k-induction
package bmc

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"orbitmc/aig"
	"orbitmc/encode"
	"orbitmc/mc"
	"orbitmc/rep"
	"orbitmc/sat"
	"orbitmc/ts"
)

// RepMode selects the representative predicate of a query.
type RepMode uint8

// Modes.
const (
	RepAuto     RepMode = iota // path once the problem is not small; off for run-time errors
	RepPath                    // backward over all frames: measured best
	RepFrontier                // on the last frame only
	RepOff
)

// RepModes lists the modes by name.
var RepModes = []string{"auto", "path", "frontier", "off"}

// autoClauses is how many clauses make a problem that is not small: what is built
// for representatives takes a third of the time of smaller ones, some hundredths of
// a second, and saves nothing.
const autoClauses = 5000

func (r RepMode) String() string { return RepModes[r] }

// ParseRepMode returns the mode of the given name.
func ParseRepMode(name string) (RepMode, error) {
	for i, s := range RepModes {
		if s == name {
			return RepMode(i), nil
		}
	}
	return 0, fmt.Errorf("unknown representative mode %q (%s)", name, strings.Join(RepModes, ", "))
}

// Checker is the engine. The first query looks for violations of depth 0 to From,
// each later one at the next Step depths; 0 and less than 2 are depth by depth.
// Each violation found is then shortened to the least depth for its property.
type Checker struct {
	Rep        RepMode
	From, Step int
	NewSolver  func() sat.Solver
}

// Name returns "bmc".
func (c *Checker) Name() string { return "bmc" }

// query is one property to decide.
type query struct {
	i    int // position in Problem.Props
	prop int

	broken bool       // the fields below are filled in
	perms  []*ts.Perm // what the representative predicate breaks
	order  []int      // the latches as it compares them
	// instance is, if the property is asked for one instance only, what holds when
	// that is violated: a conjunction over the system.
	instance []aig.Lit
}

// run is one run of the engine, or of one of which this is a part.
type run struct {
	*Checker
	engine   string
	p        *mc.Problem
	opt      mc.Options
	sys      *ts.System
	frames   *encode.Frames
	cnf      *encode.CNF
	solver   sat.Solver
	open     []*query
	bound    int           // frames before it keep the constraints for good
	lemmas   [][]int32     // of opt.Lemmas, asserted in all frames
	checking time.Duration // spent on taking lemmas
	result   *mc.Result
	began    time.Time
}

// Run implements mc.Engine. Without a symbolic encoding it knows nothing and
// says why.
func (c *Checker) Run(ctx context.Context, p *mc.Problem, opt mc.Options) (*mc.Result, error) {
	r, err := c.start(c.Name(), p, opt)
	if err != nil || r.sys == nil {
		return r.result, err
	}
	for lo, hi := 0, c.From; ; lo, hi = hi+1, hi+max(c.Step, 1) {
		if len(r.open) == 0 {
			if r.result.Open() > 0 {
				r.result.Stopped = liveness
			}
			break
		}
		if stop := r.limit(ctx, lo); stop != "" {
			r.result.Stopped = stop
			break
		}
		if opt.Bounded || opt.MaxDepth > 0 {
			hi = min(hi, opt.MaxDepth)
		}
		done, err := r.window(ctx, lo, hi)
		if err != nil {
			return nil, err
		}
		r.count(hi)
		if !done {
			r.result.Stopped = mc.StopReason(ctx)
			break
		}
		if r.opt.Event != nil {
			r.opt.Event(mc.Event{Engine: c.Name(), Depth: hi, Stats: r.result.Stats})
		}
		if r.result.Violated() && !opt.All && r.result.Open() > 0 {
			r.result.Stopped = "a property is violated"
			break
		}
	}
	return r.result, nil
}

// liveness is why properties are undecided that are no business of this package.
const liveness = "liveness, which takes explicit search"

// start returns a run that has not begun; its sys is nil, and its result says why,
// if there is no symbolic encoding.
func (c *Checker) start(engine string, p *mc.Problem, opt mc.Options) (*run, error) {
	r := &run{Checker: c, engine: engine, p: p, opt: opt, result: mc.NewResult(engine, p), began: time.Now()}
	if r.sys = p.System(); r.sys == nil {
		r.result.Stopped = fmt.Sprintf("no symbolic encoding: %v", p.EncErr)
		return r, nil
	}
	r.frames = encode.NewFrames(r.sys, false)
	r.solver = c.NewSolver()
	r.cnf = encode.NewCNF(r.frames.Graph(), r.solver)
	for _, i := range p.Order() {
		if prop := p.Props[i]; mc.HasTrace(p.Kind(prop)) {
			r.open = append(r.open, &query{i: i, prop: prop})
		}
	}
	return r, nil
}

// limit returns why depth d is not to be searched, or "".
func (r *run) limit(ctx context.Context, d int) string {
	switch {
	case (r.opt.Bounded || r.opt.MaxDepth > 0) && d > r.opt.MaxDepth:
		return "depth bound"
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

// window asks every open property for violations of depth lo to hi, until the
// context ends or, unless all are wanted, one is violated; done is false in the
// first case. All depths below lo have been asked.
func (r *run) window(ctx context.Context, lo, hi int) (done bool, err error) {
	for ; r.bound < lo; r.bound++ {
		// Constraints bind every frame up to that of the bad; so from here on
		// those of frames before lo hold in every query.
		r.cnf.Assert(r.frames.Constraint(r.bound))
	}
	if err := r.learn(ctx); err != nil {
		return false, err
	}
	g, kept := r.frames.Graph(), aig.True // the constraints of frames lo to d-1
	for d := lo; d <= hi; d++ {
		r.frames.Extend()
		if d > lo {
			kept = g.And(kept, r.frames.Constraint(d-1))
		}
		if r.p.WellFormed {
			r.cnf.Assert(g.Implies(kept, r.frames.W(d))) // redundant, and a third faster
		}
		assertLemmas(r.cnf, r.frames, r.lemmas, d, kept)
	}
	for _, q := range slices.Clone(r.open) {
		if err := r.breakSymmetry(q); err != nil {
			return false, err
		}
		status, err := r.shortest(ctx, q, lo, hi)
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

// shortest looks for a violation of depth lo to hi, and when it has one for
// shorter ones until there are none. What it found last is recorded. When the
// context ends before that is known to be a shortest one it counts all the same,
// with the depth up to which there certainly is none.
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
			kept = g.And(kept, r.frames.Constraint(d))
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
		r.solver.AddTo(g, r.cnf.Implied(least))
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
				found, err = r.violation(q, lo+i)
				return status, found, err
			}
		}
		return status, 0, fmt.Errorf("the solver's model violates nothing")
	case sat.Unsat:
		// Nor does any path violate it in another instance.
		_, whole := any(func(d int) aig.Lit { return r.frames.Violation(r.p.Bads(q.prop), d) })
		r.cnf.Assert(whole.Not())
	}
	return status, 0, nil
}

// predicate returns the representative predicate for paths of k steps.
func (r *run) predicate(q *query, k int) aig.Lit {
	if len(q.perms) == 0 {
		return aig.True
	}
	var word []rep.Frame
	for ; k >= 0; k-- {
		word = append(word, rep.Frame{State: r.frames.Latches(k), Order: q.order})
		if r.Rep == RepFrontier {
			break
		}
	}
	return rep.PathPredicate(r.frames.Graph(), word, nil, q.perms)
}

// violation reads the path off the solver's model, and returns its depth, which is
// at most d.
func (r *run) violation(q *query, d int) (depth int, err error) {
	pr, err := r.p.Found(r.engine, q.prop, d, r.frames.Trace(d, r.cnf.Value))
	pr.Time = time.Since(r.began)
	if err == nil {
		r.result.Props[q.i] = pr
	}
	return pr.Depth, err
}

func (r *run) count(d int) {
	solver, s := r.solver.Stats(), &r.result.Stats
	s.Depth, s.Frames, s.Ands = d, r.frames.Len(), r.frames.Graph().Len()
	s.Variables, s.Clauses, s.Conflicts, s.Decisions = solver.Vars, solver.Clauses, solver.Conflicts, solver.Decisions
	s.Latches, s.Inputs = len(r.sys.Latches), len(r.sys.Inputs)
}
