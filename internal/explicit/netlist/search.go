// Package netlist is explicit search of netlists of few states and inputs.
//
//	search.go      the search
//	sim.go         64 pairs of a state and an input at a time
//	components.go  justice: strongly connected components, and lassos in them
//	index.go       numbers of states
package netlist

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"orbitmc/aig"
	"orbitmc/mc"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file searches netlists of few states and inputs, breadth first. Only latches that a property depends on make a state,
// in one word. 64 pairs of a state and an input are simulated at a time (sim.go). That decides
// counters and small controllers with long paths, on which symbolic engines may not end. Symmetry is not used.
const (
	mostInputs     = 20 // each step is tried with all inputs
	mostConditions = 32
	mostEdges      = 1 << 27

	perStep  = 16 // gates simulated in the time of a step of sat.WithPause
	perPause = 1 << 20

	noCertificate = "all states were visited, and a list of states is no certificate"
)

// search is a search of a netlist.
type search struct {
	p   *mc.Problem
	opt mc.Options
	sys *ts.System // of which the functions are
	sim *laneSim

	goals   []goal
	justice bool // some goal is

	states  []uint64
	index   stateIndex
	parents []uint32
	depths  []int // number of the first state of each depth

	edges []edge     // of justice: by member, to each successor once
	ends  []int      // by member
	mark  []edgeMark // by member: the last edge to it
	steps int64      // gates that were simulated
	done  int        // depth up to which all states were seen; -1 is none
}

// goal is a property.
type goal struct {
	prop       int
	justice    bool
	bads       []int  // of sys, if it is no justice
	at, by     int    // the first member at which a bad holds, and which; at is -1 before
	conditions uint32 // bits of an edge
	places     []int  // by condition in the order of evidence.Enumerated, its bit
}

// edgeMark is the member, plus one, that an edge begins at, and the number of the edge.
type edgeMark struct{ from, edge uint32 }

type edge struct {
	to  uint32
	met uint32 // conditions met at steps there
}

// Engine implements mc.Engine.
type Engine struct {
	Steps int64 // how many gates may be simulated, 64 pairs of a state and an input at a time; 0 is no limit
	Bytes int64 // how much memory the states and steps may take; 0 is no limit but that of the options
	Paths bool  // nothing is called safe, as a list of states is no certificate
}

// Name returns "explicit".
func (e *Engine) Name() string { return "explicit" }

// Run implements mc.Engine.
func (e *Engine) Run(ctx context.Context, p *mc.Problem, opt mc.Options) (*mc.Result, error) {
	r := mc.NewResult(e.Name(), p)
	s := &search{p: p, opt: opt, done: -1}
	began := time.Now()
	if r.Stopped = s.begin(); r.Stopped != "" {
		return r, nil
	}
	var failed error
	found := func(g int, path *ts.Trace, depth int) (stop bool) {
		if r.Props[g].Status != mc.Unknown {
			return false
		}
		pr, err := p.Found(e.Name(), s.goals[g].prop, depth, path)
		if err != nil {
			failed = err
			return true
		}
		pr.Bound = min(pr.Bound, s.done)
		r.Props[g] = pr
		return r.Open() == 0 || !opt.All && r.Violated()
	}
	r.Stopped = s.explore(ctx, e, found)
	r.Stats.States, r.Stats.Depth, r.Stats.Latches, r.Stats.Inputs = int64(len(s.states)), len(s.depths)-1, len(s.sim.latches), len(s.sim.inputs)
	r.Stats.Bytes = s.bytes()
	for i, g := range s.goals {
		if pr := &r.Props[i]; pr.Status == mc.Unknown && !g.justice {
			pr.Bound = s.done
		}
	}
	switch {
	case r.Stopped == "":
		s.decide(r, e.Paths, found)
	case r.Open() == 0:
		r.Stopped = ""
	}
	if failed != nil {
		return nil, failed
	}
	for i := range r.Props {
		r.Props[i].Engine, r.Props[i].Time = e.Name(), time.Since(began)
	}
	return r, nil
}

// begin chooses what is simulated. It returns why that cannot be done.
func (s *search) begin() string {
	s.sys = s.p.Netlist
	if s.p.Lassos != nil {
		s.sys = s.p.Lassos.Source
	}
	var roots, conditions []aig.Lit
	roots = append(roots, s.sys.Constraints...)
	for _, prop := range s.p.Props {
		g := goal{prop: prop, at: -1}
		j, fair, ok := s.p.JusticeOf(prop)
		if !ok {
			g.bads = s.p.Sources(prop)
			for _, b := range g.bads {
				roots = append(roots, s.sys.Bads[b].Lit)
			}
			s.goals = append(s.goals, g)
			continue
		}
		s.justice, g.justice = true, true
		for _, l := range slices.Concat(j.Lits, fair) {
			k := slices.Index(conditions, l)
			if k < 0 {
				k = len(conditions)
				conditions = append(conditions, l)
			}
			if k >= mostConditions {
				return fmt.Sprintf("more than %d conditions of justice", mostConditions)
			}
			g.conditions |= 1 << k
			g.places = append(g.places, k)
		}
		s.goals = append(s.goals, g)
	}
	roots = append(roots, conditions...)
	latches := s.sys.Cone(roots)
	if len(latches) > 64 {
		return fmt.Sprintf("%d latches matter, and explicit search of netlists is for 64", len(latches))
	}
	s.sim = newLaneSim(s.sys, latches, roots)
	s.sim.conditions = s.sim.copies(conditions)
	s.sim.bads = make([]aig.Lit, len(s.sys.Bads)) // false, where no property asks for them
	for _, g := range s.goals {
		for _, b := range g.bads {
			s.sim.bads[b] = s.sim.copier.Copy(s.sys.Bads[b].Lit)
		}
	}
	if len(s.sim.inputs) > mostInputs || len(s.sim.init) > mostInputs {
		return fmt.Sprintf("%d inputs and %d first values matter, and explicit search of netlists is for %d", len(s.sim.inputs), len(s.sim.init), mostInputs)
	}
	return ""
}

// explore visits all states, within the limits of e. It returns why it stopped, "" if all are visited.
// found is told violations of invariants, the nearest one first, and says whether to stop.
func (s *search) explore(ctx context.Context, e *Engine, found func(g int, path *ts.Trace, depth int) (stop bool)) string {
	s.index.grow(1 << 10)
	s.sim.eachStart(func(state uint64, _ int) bool {
		s.member(state, 0)
		return true
	})
	s.depths = []int{0}
	pause, rested := sat.PauseOf(ctx), int64(0)
	for i, level := 0, len(s.states); i < len(s.states); {
		if i == level {
			s.done = len(s.depths) - 1
			if s.opt.Event != nil {
				s.opt.Event(mc.Event{Engine: "explicit", Depth: len(s.depths) - 1, Stats: mc.Stats{States: int64(len(s.states))}})
			}
			if s.opt.Beyond(len(s.depths)) {
				return mc.DepthBound
			}
			s.depths, level = append(s.depths, i), len(s.states)
		}
		n := min(level-i, s.sim.together())
		s.sim.steps(s.states[i:i+n], func(w *lanes64) {
			s.steps += int64(s.sim.gates) + 256 + 8*int64(bits.OnesCount64(w.ok))
			for k, g := range s.goals {
				for _, b := range g.bads {
					if bad := w.bads[b] & w.ok; bad != 0 && s.goals[k].at < 0 {
						s.goals[k].at, s.goals[k].by = i+bits.TrailingZeros64(bad)>>w.shift, b
					}
				}
			}
			last := -1 // lane
			for ok := w.ok; ok != 0; ok &= ok - 1 {
				lane := bits.TrailingZeros64(ok)
				from, next := i+lane>>w.shift, w.next[lane]
				if s.justice {
					s.edge(from, s.member(next, from), w.met(lane))
				} else if last < 0 || next != w.next[last] {
					s.member(next, from)
				}
				last = lane
			}
		})
		for k, g := range s.goals { // paths need the simulator
			if g.at >= i && found(k, s.path(g.at, g.by), len(s.depths)-1+s.sys.Bads[g.by].Delay) {
				return mc.Violation
			}
		}
		i += n
		if pause != nil && s.steps-rested > perPause {
			pause((s.steps - rested) / perStep)
			rested = s.steps
		}
		switch {
		case ctx.Err() != nil:
			return mc.StopReason(ctx)
		case e.Steps > 0 && s.steps > e.Steps:
			return fmt.Sprintf("%d states of the netlist within the limit of work", len(s.states))
		case e.Bytes > 0 && s.bytes() > e.Bytes:
			return fmt.Sprintf("%d states of the netlist within the limit of memory", len(s.states))
		case len(s.edges) > mostEdges || len(s.states) > mostEdges || s.opt.MemLimit > 0 && 2*s.bytes() > s.opt.MemLimit:
			return mc.MemoryLimit
		}
	}
	for len(s.ends) < len(s.states) {
		s.ends = append(s.ends, len(s.edges))
	}
	s.done = len(s.depths) - 1
	return ""
}

// bytes returns what states and steps take.
func (s *search) bytes() int64 {
	return 28*int64(len(s.states)) + 8*int64(len(s.edges)) + 4*int64(len(s.index.slots))
}

// member returns the number of a state, which is new if it was not met yet.
func (s *search) member(state uint64, parent int) int {
	i, known := s.index.add(state, s.states)
	if !known {
		s.states, s.parents = append(s.states, state), append(s.parents, uint32(parent))
	}
	return i
}

// path returns a trace from a reset state to a member at which a bad holds; bad is -1 for any input.
func (s *search) path(to, bad int) *ts.Trace {
	chain := s.chain(to)
	t := &ts.Trace{Init: s.sim.startOf(s.states[chain[0]])}
	for i, n := range chain[1:] {
		t.Inputs = append(t.Inputs, s.sim.inputTo(s.states[chain[i]], func(w *lanes64, lane int) bool { return w.next[lane] == s.states[n] }))
	}
	if bad >= 0 {
		t.Inputs = append(t.Inputs, s.sim.inputTo(s.states[to], func(w *lanes64, lane int) bool { return w.bads[bad]>>lane&1 == 1 }))
		if s.p.Lassos != nil {
			return s.p.Lassos.Path(t, -1)
		}
	}
	return t
}

// chain returns the members on a shortest path to one.
func (s *search) chain(to int) []int {
	chain := []int{to}
	for i := to; i >= s.firstStep(); i = int(s.parents[i]) {
		chain = append(chain, int(s.parents[i]))
	}
	slices.Reverse(chain)
	return chain
}

// firstStep is the number of reset states.
func (s *search) firstStep() int {
	if len(s.depths) > 1 {
		return s.depths[1]
	}
	return len(s.states)
}
