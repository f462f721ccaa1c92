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
// keeps. Properties are asked in classes of one group each. The representative
// predicate is about the last frame (frontier) or compares backwards from it
// (path), so it is no longer true of depth d+1: it is an assumption of its query
// and never a clause. One query carries exactly one such predicate.
//
// An Unsat answer under the predicate means that no path violates the class at
// depth d, representative or not. That is recorded as clauses.
package bmc

import (
	"context"
	"fmt"
	"runtime"
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
	RepPath     RepMode = iota // backward over all frames (default): measured best
	RepFrontier                // on the last frame only
	RepOff
)

// RepModes lists the modes by name.
var RepModes = []string{"path", "frontier", "off"}

func (r RepMode) String() string { return RepModes[r] }

// ParseRepMode returns the mode of the given name.
func ParseRepMode(name string) (RepMode, error) {
	for i, s := range RepModes {
		if s == name {
			return RepMode(i), nil
		}
	}
	return 0, fmt.Errorf("unknown representative mode %q (path, frontier or off)", name)
}

// Checker is the engine.
type Checker struct {
	Rep       RepMode
	NewSolver func() sat.Solver
}

// Name returns "bmc".
func (c *Checker) Name() string { return "bmc" }

// class is a set of open properties that are asked together.
type class struct {
	perms []*ts.Perm // what the representative predicate breaks
	props []int      // positions in Problem.Props, open ones only
}

// run is one run of the engine.
type run struct {
	*Checker
	p       *mc.Problem
	opt     mc.Options
	sys     *ts.System
	frames  *encode.Frames
	cnf     *encode.CNF
	solver  sat.Solver
	classes []*class
	result  *mc.Result
	began   time.Time
}

// Run implements mc.Engine. Without a symbolic encoding it knows nothing and
// says why.
func (c *Checker) Run(ctx context.Context, p *mc.Problem, opt mc.Options) (*mc.Result, error) {
	r := &run{Checker: c, p: p, opt: opt, result: mc.NewResult(c.Name(), p), began: time.Now()}
	if p.Enc == nil {
		r.result.Stopped = fmt.Sprintf("no symbolic encoding: %v", p.EncErr)
		return r.result, nil
	}
	r.sys = p.Enc.Sys
	r.frames = encode.NewFrames(r.sys, false)
	r.solver = c.NewSolver()
	r.cnf = encode.NewCNF(r.frames.Graph(), r.solver)
	if err := r.classify(); err != nil {
		return nil, err
	}
	for d := 0; ; d++ {
		if stop := r.limit(ctx, d); stop != "" {
			r.result.Stopped = stop
			break
		}
		done, err := r.depth(ctx, d)
		if err != nil {
			return nil, err
		}
		r.count(d)
		if !done {
			r.result.Stopped = stopReason(ctx)
			break
		}
		r.result.Stats.Depth = d
		if r.opt.Event != nil {
			r.opt.Event(mc.Event{Engine: c.Name(), Depth: d, Stats: r.result.Stats})
		}
		if r.result.Open() == 0 {
			break
		}
		if r.result.Violated() && !opt.All {
			r.result.Stopped = "a property is violated"
			break
		}
	}
	return r.result, nil
}

// classify groups the properties by the group they may be checked under.
func (r *run) classify() error {
	byGroup := make(map[string]*class)
	for i, prop := range r.p.Props {
		var y *ts.Symmetry
		if r.Rep != RepOff && len(r.p.Groups) > 0 {
			y = r.p.Groups[prop]
		}
		key := ""
		if !y.Trivial() {
			for _, b := range y.Blocks {
				key += fmt.Sprint(b.Name, b.Class, b.Elems)
			}
		}
		c := byGroup[key]
		if c == nil {
			perms, err := rep.Perms(y, rep.Nice)
			if err != nil {
				return err
			}
			c = &class{perms: perms}
			byGroup[key] = c
			r.classes = append(r.classes, c)
		}
		c.props = append(c.props, i)
	}
	return nil
}

// limit returns why depth d is not to be searched, or "".
func (r *run) limit(ctx context.Context, d int) string {
	switch {
	case (r.opt.Bounded || r.opt.MaxDepth > 0) && d > r.opt.MaxDepth:
		return "depth bound"
	case ctx.Err() != nil:
		return stopReason(ctx)
	case r.opt.MemLimit > 0:
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if int64(m.HeapAlloc) > r.opt.MemLimit {
			return "memory limit"
		}
	}
	return ""
}

func stopReason(ctx context.Context) string {
	if ctx.Err() == context.DeadlineExceeded {
		return "time limit"
	}
	return "interrupted"
}

// depth searches depth d; done is false when the context ended first.
func (r *run) depth(ctx context.Context, d int) (done bool, err error) {
	r.frames.Extend()
	if d > 0 {
		// Constraints bind every frame up to that of the bad; so from here on
		// those of frame d-1 hold in every query.
		r.cnf.Assert(r.frames.Constraint(d - 1))
	}
	for _, c := range r.classes {
		if done, err = r.class(ctx, c, d); !done || err != nil {
			return done, err
		}
	}
	return true, nil
}

// class finds every property of c that is violated at depth d.
func (r *run) class(ctx context.Context, c *class, d int) (done bool, err error) {
	g := r.frames.Graph()
	for len(c.props) > 0 {
		query := g.OrN(r.bads(c, d))
		if query == aig.False {
			break
		}
		assume := []sat.Lit{r.cnf.Implied(query)}
		if least := r.least(c, d); least != aig.True {
			assume = append(assume, r.cnf.Implied(least))
		}
		switch r.solver.Solve(ctx, assume...) {
		case sat.Unknown:
			return false, nil
		case sat.Unsat:
			r.cnf.Assert(query.Not())
			query = aig.False
		case sat.Sat:
			err = r.violations(c, d)
		}
		if query == aig.False || err != nil {
			break
		}
	}
	for _, i := range c.props {
		r.result.Props[i].Bound = d
		r.result.Props[i].Engine = r.Name()
	}
	return true, err
}

// bads returns the conditions under which a property of c is violated at depth d.
func (r *run) bads(c *class, d int) []aig.Lit {
	g := r.frames.Graph()
	var bads []aig.Lit
	for _, i := range c.props {
		for _, b := range r.p.Enc.PropBads[r.p.Props[i]] {
			switch delay := r.sys.Bads[b].Delay; {
			case delay == 0:
				bads = append(bads, g.And(r.frames.Bad(d, b), r.frames.Constraint(d)))
			case d > 0:
				bads = append(bads, r.frames.Bad(d-1, b))
			}
		}
	}
	return bads
}

// least returns the representative predicate of the class for paths of d steps.
func (r *run) least(c *class, d int) aig.Lit {
	g := r.frames.Graph()
	switch {
	case len(c.perms) == 0:
		return aig.True
	case r.Rep == RepFrontier:
		return rep.Predicate(g, r.frames.Latches(d), c.perms)
	}
	var word []rep.Frame
	for k := d; k >= 0; k-- {
		word = append(word, rep.Frame{State: r.frames.Latches(k)})
	}
	return rep.PathPredicate(g, word, nil, c.perms)
}

// violations reads the model: the properties it violates are decided and leave
// the class.
func (r *run) violations(c *class, d int) error {
	t := r.frames.Trace(d, r.cnf.Value)
	frames, err := r.sys.Run(t)
	if err != nil {
		return err
	}
	found := false
	var open []int
	for _, i := range c.props {
		prop := r.p.Props[i]
		violated := false
		for _, b := range r.p.Enc.PropBads[prop] {
			end := d - r.sys.Bads[b].Delay
			if violated || end < 0 || !frames[end].Bads[b] {
				continue
			}
			cut := &ts.Trace{Init: t.Init, Inputs: t.Inputs[:end+1]}
			if err := r.sys.Replay(cut, b); err != nil {
				return fmt.Errorf("internal error: bmc at depth %d: %w", d, err)
			}
			trace, err := r.p.Enc.DecodeTrace(cut, prop)
			if err != nil {
				return fmt.Errorf("internal error: bmc at depth %d, property %q: %w", d, r.p.Model.Props[prop].Name, err)
			}
			r.result.Props[i] = mc.PropResult{
				Prop: prop, Status: mc.Unsafe, Engine: r.Name(), Depth: d, Bound: d - 1,
				Time: time.Since(r.began), Trace: trace,
			}
			violated = true
		}
		found = found || violated
		if !violated {
			open = append(open, i)
		}
	}
	if !found {
		return fmt.Errorf("internal error: bmc at depth %d: the solver's model violates no property", d)
	}
	c.props = open
	return nil
}

func (r *run) count(d int) {
	s := r.solver.Stats()
	r.result.Stats = mc.Stats{
		Depth: d, Frames: r.frames.Len(), Ands: r.frames.Graph().Len(),
		Variables: s.Vars, Clauses: s.Clauses, Conflicts: s.Conflicts, Decisions: s.Decisions,
		Latches: len(r.sys.Latches), Inputs: len(r.sys.Inputs),
	}
}
