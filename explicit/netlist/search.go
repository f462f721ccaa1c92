// Package netlist is explicit search of netlists of few states and inputs.
//
//	search.go  the search, components and lassos
//	sim.go     64 pairs of a state and an input at a time
package netlist

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"orbitmc/aig"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// This file searches netlists of few states and inputs, breadth first. Only latches that a property depends on make a state,
// in one word. A simulation takes 64 pairs of a state and an input at a time: gates are words (sim.go). That decides
// counters and small controllers with long paths, on which symbolic engines may not end. Symmetry is not used.
//
// A justice property is violated if a strongly connected component meets all its conditions, each at one of the steps
// within it. Components are found after R. Tarjan, "Depth-First Search and Linear Graph Algorithms", SIAM J. Comput. 1972, and
// their numbers are the evidence where there is no such one: a run stays in one of them in the end.

const (
	mostInputs     = 20 // each step is tried with all inputs
	mostConditions = 32
	mostEdges      = 1 << 27

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
		return !opt.All || r.Open() == 0
	}
	r.Stopped = s.explore(ctx, e.Steps, found)
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
	s.sim = newLaneSim(s.sys, append(roots, conditions...))
	s.sim.conditions = s.sim.lits(conditions)
	for _, b := range s.sys.Bads {
		if s.sim.has(b.Lit) {
			s.sim.bads = append(s.sim.bads, s.sim.lit(b.Lit))
		} else {
			s.sim.bads = append(s.sim.bads, 0) // of no property that is asked for
		}
	}
	switch {
	case len(s.sim.latches) > 64:
		return fmt.Sprintf("%d latches matter, and explicit search of netlists is for 64", len(s.sim.latches))
	case len(s.sim.inputs) > mostInputs || len(s.sim.init) > mostInputs:
		return fmt.Sprintf("%d inputs and %d first values matter, and explicit search of netlists is for %d", len(s.sim.inputs), len(s.sim.init), mostInputs)
	}
	return ""
}

// explore visits all states. It stops after so many steps; 0 is no limit. It returns why it stopped, "" if all are visited.
// found is told violations of invariants, the nearest one first, and says whether to stop.
func (s *search) explore(ctx context.Context, limit int64, found func(g int, path *ts.Trace, depth int) (stop bool)) string {
	s.index.grow(1 << 10)
	s.sim.starts(func(state uint64) { s.member(state, 0) })
	s.depths = []int{0}
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
			s.steps += int64(len(s.sim.gates)) + 256 + 8*int64(bits.OnesCount64(w.ok))
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
		switch {
		case ctx.Err() != nil:
			return mc.StopReason(ctx)
		case limit > 0 && s.steps > limit:
			return fmt.Sprintf("%d states of the netlist within the limit of work", len(s.states))
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

func (s *search) bytes() int64 { return 40*int64(len(s.states)) + 8*int64(len(s.edges)) }

// member returns the number of a state, which is new if it was not met yet.
func (s *search) member(state uint64, parent int) int {
	i, known := s.index.add(state, s.states)
	if !known {
		s.states, s.parents = append(s.states, state), append(s.parents, uint32(parent))
	}
	return i
}

// edge adds a step to the edges. Members are given in order.
func (s *search) edge(from, to int, met uint32) {
	for len(s.mark) < len(s.states) {
		s.mark = append(s.mark, edgeMark{})
	}
	for len(s.ends) < from {
		s.ends = append(s.ends, len(s.edges))
	}
	m := &s.mark[to]
	if m.from != uint32(from)+1 {
		*m = edgeMark{uint32(from) + 1, uint32(len(s.edges))}
		s.edges = append(s.edges, edge{to: uint32(to)})
	}
	s.edges[m.edge].met |= met
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

// decide decides what is open when all states were visited. paths: see Engine.
func (s *search) decide(r *mc.Result, paths bool, found func(g int, path *ts.Trace, depth int) (stop bool)) {
	f := &evidence.Enumerated{Latches: s.sim.latches, States: s.states}
	var met []uint32 // by component: conditions met at steps within it
	var inner []bool // by component: there is a step within it
	if s.justice {
		var n int
		f.Components, n = s.components()
		f.Missing = make(map[int][]int32)
		met, inner = make([]uint32, n), make([]bool, n)
		s.each(func(from int, e edge) {
			if c := f.Components[from]; c == f.Components[e.to] {
				inner[c] = true
				met[c] |= e.met
			}
		})
	}
	for i := range r.Props {
		pr := &r.Props[i]
		g := s.goals[i]
		switch {
		case pr.Status != mc.Unknown:
		case !g.justice && !paths:
			pr.Status = mc.Safe
		case !g.justice:
			r.Stopped = noCertificate
		default:
			fair := -1
			for c := range inner {
				if inner[c] && met[c]&g.conditions == g.conditions {
					fair = c
					break
				}
			}
			if fair >= 0 {
				path, loop := s.lasso(g, f.Components, uint32(fair))
				path = s.p.Lassos.Path(path, loop)
				found(i, path, len(path.Inputs)-1)
				pr.Bound = -1
				continue
			}
			if paths {
				r.Stopped = noCertificate
				continue
			}
			pr.Status = mc.Safe
			missing := make([]int32, len(inner))
			for c := range inner {
				missing[c] = -1
				if inner[c] {
					missing[c] = int32(slices.Index(g.places, bits.TrailingZeros32(g.conditions&^met[c])))
				}
			}
			f.Missing[g.prop] = missing
		}
	}
	r.Enumerated = f
}

// each calls do for each edge.
func (s *search) each(do func(from int, e edge)) {
	at := 0
	for from, end := range s.ends {
		for ; at < end; at++ {
			do(from, s.edges[at])
		}
	}
}

// from returns the edges of a member.
func (s *search) from(i int) []edge {
	first := 0
	if i > 0 {
		first = s.ends[i-1]
	}
	return s.edges[first:s.ends[i]]
}

// components numbers the strongly connected components such that no edge leads to a larger number.
func (s *search) components() (of []uint32, n int) {
	const none = ^uint32(0)
	of = make([]uint32, len(s.states))
	low := make([]uint32, len(s.states)) // number in the order of visits, plus one; 0: not visited
	for i := range of {
		of[i] = none
	}
	type call struct {
		state uint32
		edge  int // that is next
		first uint32
	}
	var calls []call
	var stack []uint32
	visited := uint32(0)
	enter := func(i uint32) {
		visited++
		low[i] = visited
		stack = append(stack, i)
		calls = append(calls, call{i, 0, visited})
	}
	for root := range s.states {
		if low[root] != 0 {
			continue
		}
		enter(uint32(root))
		for len(calls) > 0 {
			c := &calls[len(calls)-1]
			if edges := s.from(int(c.state)); c.edge < len(edges) {
				to := edges[c.edge].to
				c.edge++
				switch {
				case low[to] == 0:
					enter(to)
				case of[to] == none:
					low[c.state] = min(low[c.state], low[to])
				}
				continue
			}
			state, first := c.state, c.first
			calls = calls[:len(calls)-1]
			if low[state] == first { // the root of a component
				for {
					top := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					of[top] = uint32(n)
					if top == state {
						break
					}
				}
				n++
			}
			if len(calls) > 0 {
				before := calls[len(calls)-1].state
				low[before] = min(low[before], low[state])
			}
		}
	}
	return of, n
}

// lasso returns a trace of the source into a component and around it, through steps that meet all conditions of a goal, and the frame in
// which the loop begins, which is the state behind the last frame.
func (s *search) lasso(g goal, of []uint32, c uint32) (t *ts.Trace, loop int) {
	start := slices.Index(of, c)
	t = s.path(start, -1)
	loop = len(t.Inputs)
	at, open := start, g.conditions
	step := func(to int, bit uint32) {
		t.Inputs = append(t.Inputs, s.sim.inputTo(s.states[at], func(w *lanes64, lane int) bool {
			return w.next[lane] == s.states[to] && w.met(lane)&bit == bit
		}))
		at = to
	}
	for open != 0 || at != start || len(t.Inputs) == loop {
		bit := open & -open
		// The way to the nearest step that meets the condition, or back.
		before := map[int]int{at: -1}
		queue := []int{at}
		var way []int
		for len(queue) > 0 && way == nil {
			i := queue[0]
			queue = queue[1:]
			for _, e := range s.from(i) {
				to := int(e.to)
				if of[to] != c {
					continue
				}
				if bit != 0 && e.met&bit != 0 || bit == 0 && to == start {
					for way = []int{to, i}; before[way[len(way)-1]] >= 0; {
						way = append(way, before[way[len(way)-1]])
					}
					break
				}
				if _, seen := before[to]; !seen {
					before[to] = i
					queue = append(queue, to)
				}
			}
		}
		slices.Reverse(way)
		for k, to := range way[1:] {
			if k == len(way)-2 {
				step(to, bit)
			} else {
				step(to, 0)
			}
		}
		open &^= bit
	}
	return t, loop
}

// stateIndex is a hash table of the numbers of states, with open addressing.
type stateIndex struct {
	slots []uint32 // a number plus one
	n     int
}

// add returns the number of a state, the next one if it is not in states.
func (x *stateIndex) add(state uint64, states []uint64) (i int, known bool) {
	if 2*(x.n+1) > len(x.slots) {
		x.grow(4 * len(x.slots))
		for i, s := range states {
			x.slots[x.free(s, states)] = uint32(i) + 1
		}
	}
	at := x.free(state, states)
	if x.slots[at] != 0 {
		return int(x.slots[at]) - 1, true
	}
	x.n++
	x.slots[at] = uint32(len(states)) + 1
	return len(states), false
}

// free returns the slot of a state, or the one that it would have.
func (x *stateIndex) free(state uint64, states []uint64) int {
	mask := len(x.slots) - 1
	at := int(state*0x9e3779b97f4a7c15>>20) & mask
	for x.slots[at] != 0 && states[x.slots[at]-1] != state {
		at = (at + 1) & mask
	}
	return at
}

func (x *stateIndex) grow(n int) { x.slots = make([]uint32, n) }
