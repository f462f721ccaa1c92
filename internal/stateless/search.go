package stateless

import (
	"context"
	"errors"
	"slices"
	"time"

	"orbitmc/internal/prog"
	"orbitmc/internal/stateless/events"
	"orbitmc/mc"
	"orbitmc/model"
)

// The search, as a driver of package events: this keeps the states of the path. A step that errs is a step that leaves
// the state as it is and ends the processes that take it: so what others do is explored behind it as well, and an error
// depends on those steps only that write what it reads.

type search struct {
	*Engine
	ctx      context.Context
	p        *mc.Problem
	opt      mc.Options
	steps    *prog.Steps
	m        *model.Machine
	sym      *symmetry // nil: there is none
	explorer *events.Explorer[foot]

	start  model.Choice
	first  model.State
	starts int
	past   int     // starts that were explored
	nodes  []*node // of the path, and spare ones behind them
	now    *node   // the last one
	set    []int   // persistent, of the last node
	stuck  []bool  // by agent: it took a step that errs
	wanted []bool  // by property
	found  map[int]*model.Trace
	over   bool // nothing is left to look for
	cut    bool // an execution was cut off
	began  time.Time
	stats  mc.Stats
	visits int64
}

// node is a state on the path.
type node struct {
	state model.State
	moves []move
	buf   []int64 // of the states behind the moves
	taken int     // the move that the path takes
	halt  bool    // all processes are where they may stay
	solo  bool    // the moves explored are of one process that is alone
	errs  int     // steps before that err
	view  events.State[foot]
}

// move is a step that is enabled in a node.
type move struct {
	model.Choice
	instance int
	agent    int // that takes it
	next     model.State
	v        *model.Violation // it errs
}

// foot is what steps touch; of none, that they touch nothing.
type foot struct{ *prog.Footprint }

// Depends implements events.Foot.
func (f foot) Depends(g foot) events.Dependence {
	if f.Footprint != nil && g.Footprint != nil && f.Conflicts(g.Footprint) {
		return events.Dependent
	}
	return events.Independent
}

func newSearch(ctx context.Context, e *Engine, p *mc.Problem, opt mc.Options) (*search, error) {
	if e.Twins && e.Reduction == DPOR && e.broken == "" {
		return nil, errors.New("steps that are left out may race with earlier ones, so twins do not go with dpor")
	}
	steps, err := Check(e.Program, p.Model, opt.Bounded || opt.MaxDepth > 0)
	if err != nil {
		return nil, err
	}
	code := p.Program
	if len(p.Strict) > 0 {
		code = model.CompileStrict(p.Model, p.Strict)
	}
	s := &search{Engine: e, ctx: ctx, p: p, opt: opt, steps: steps, m: code.NewMachine(), began: time.Now(), found: map[int]*model.Trace{}}
	s.m.Delivered()
	s.stuck = make([]bool, steps.Agents())
	s.wanted = make([]bool, len(p.Model.Props))
	for _, i := range p.Props {
		s.wanted[i] = true
	}
	if e.Reduction != DPOR || e.broken == "dpor leaves out images" {
		s.sym = newSymmetry(s)
	}
	return s, nil
}

func (s *search) run() {
	type start struct {
		ch    model.Choice
		state model.State
		v     *model.Violation
	}
	var starts []start // the machine is slower while it passes them on
	s.m.Starts(func(ch model.Choice, state model.State, v *model.Violation) bool {
		starts = append(starts, start{ch.Clone(), slices.Clone(state), v})
		return true
	})
	s.starts = len(starts)
	for _, x := range starts {
		s.start, s.first = x.ch, x.state
		if x.v != nil {
			s.report(x.v, nil, 0)
		} else if !s.over {
			s.explore()
		}
		if s.over {
			return
		}
		s.past++
	}
}

// explore explores the executions from a start state.
func (s *search) explore() {
	e := &events.Explorer[foot]{Unreduced: s.Reduction == None, Static: s.Reduction != DPOR, Choose: s.choose}
	if s.sym != nil {
		e.Covered = func(k, i int, gone func(int) bool) bool { return s.sym.covered(s.nodes[k], i, gone) }
	}
	switch s.broken {
	case "blocked processes are left out":
		e.Broken = events.NoWaits
	case "receivers have one way":
		e.Broken = events.NoClosed
	case "sleepers tell":
		e.Broken = events.Sleepers
	}
	s.explorer = e
	pruned := s.stats.Pruned
	for more := true; more; {
		if more = e.End(s.execute()); s.over {
			return // what is left out behind a violation was not looked at
		}
		s.stats.Pruned = pruned + int64(e.Left)
	}
	s.explorer = nil
}

// execute runs an execution: along the path that stays, and on.
func (s *search) execute() (v events.Verdict) {
	e, state, k := s.explorer, s.first, 0
	e.Begin()
	clear(s.stuck)
	for last := e.Kept() - 1; k <= last; k++ {
		n := s.nodes[k]
		n.taken, _ = e.Next(&n.view)
		state = s.take(n, k == last)
	}
	for ; ; k++ {
		n := s.node(k)
		if n.state = state; !s.enter(n, k) {
			return events.Over
		}
		if n.taken, v = e.Next(&n.view); v != events.Go {
			return v
		}
		state = s.take(n, true)
	}
}

// take takes the move of a node; anew says that it was not taken before. It returns the state behind it.
func (s *search) take(n *node, anew bool) model.State {
	if anew && !(n.solo && s.Visible) {
		s.stats.Transitions++
	}
	m := &n.moves[n.taken]
	if m.v != nil {
		for _, a := range s.steps.Actors(m.instance) {
			s.stuck[a] = true
		}
	}
	return m.next
}

// node returns the node at a depth.
func (s *search) node(k int) *node {
	for len(s.nodes) <= k {
		s.nodes = append(s.nodes, &node{})
	}
	return s.nodes[k]
}

// reportInterval is how many nodes lie between two reports of progress.
const reportInterval = 1 << 12

// enter looks at a state behind k steps. It reports whether the search goes on.
func (s *search) enter(n *node, k int) bool {
	if s.visits++; s.visits%1024 == 0 {
		s.over = s.over || s.ctx.Err() != nil
		if s.opt.Event != nil && s.visits%reportInterval == 0 {
			s.opt.Event(mc.Event{Engine: s.Name(), Depth: k, Stats: s.told()})
		}
	}
	if s.over {
		return false
	}
	s.stats.Depth = max(s.stats.Depth, k)
	n.errs = 0
	if k > 0 {
		if d := s.nodes[k-1]; d.moves[d.taken].v != nil {
			n.errs = 1
		}
		n.errs += s.nodes[k-1].errs
	}
	s.expand(n, k)
	if s.over {
		return false
	}
	if len(n.moves) == 0 {
		s.stats.Executions++
		if s.ends != nil && n.errs == 0 {
			s.ends(n.state)
		}
		if d := s.p.Model.DeadlockProp(); d != nil && !n.halt && n.errs == 0 && s.wanted[d.Index] && s.m.Deadlocked(n.state) {
			s.report(&model.Violation{Prop: d.Index}, nil, k)
		}
	}
	s.look(n, k)
	if n.view.Cut = (s.opt.Bounded || s.opt.MaxDepth > 0) && k >= s.opt.MaxDepth && len(n.moves) > 0; n.view.Cut {
		s.cut = true
	}
	s.now = n
	return true
}

// told returns the counts, with an estimate of how much was explored.
func (s *search) told() mc.Stats {
	st := s.stats
	st.Explored = float64(s.past)
	if s.explorer != nil {
		st.Explored += s.explorer.Explored()
	}
	st.Explored /= float64(max(1, s.starts))
	return st
}

// look says what the explorer is to know of a node.
func (s *search) look(n *node, k int) {
	v := &n.view
	v.Prefer = -1
	v.Moves, v.Next, v.Waits, v.Anew = v.Moves[:0], v.Next[:0], v.Waits[:0], v.Anew[:0]
	for i := range n.moves {
		m := &n.moves[i]
		f := foot{}
		if s.Reduction != None && s.broken != "dependent steps sleep" {
			f.Footprint = s.steps.Touches(n.state, m.instance, true)
		}
		actors := s.steps.Actors(m.instance)
		v.Moves = append(v.Moves, events.Move[foot]{ID: uint64(m.instance), Actors: actors, Foot: f})
	}
	if v.Parent == nil {
		v.Single, v.Parent = make([]bool, len(s.stuck)), make([]int, len(s.stuck))
		for a := range v.Parent {
			v.Parent[a] = -1
		}
	}
	if s.Reduction != DPOR {
		return
	}
	for a, stuck := range s.stuck {
		v.Waits = append(v.Waits, !stuck && s.steps.Location(n.state, a) != 0)
		v.Next = append(v.Next, foot{s.steps.Next(n.state, a)})
		v.Anew = append(v.Anew, k > 0 && !v.Next[a].Equal(s.nodes[k-1].view.Next[a].Footprint))
	}
}

// expand finds the moves of a node, and reports what errs there.
func (s *search) expand(n *node, k int) {
	n.moves, n.buf, n.solo, n.halt = n.moves[:0], n.buf[:0], false, false
	size := len(n.state)
	s.m.Successors(n.state, func(ch model.Choice, next model.State, v *model.Violation) bool {
		i := s.steps.Instance(ch)
		agent, kind := s.steps.Owner(i)
		if kind == prog.Halt {
			n.halt = true
			return true
		}
		for _, a := range s.steps.Actors(i) {
			if s.stuck[a] {
				return true
			}
		}
		if v != nil {
			s.report(v, &ch, k)
		}
		if kind == prog.Step {
			if next != nil {
				n.buf = append(n.buf, next...)
			} else {
				n.buf = append(n.buf, n.state...)
			}
			n.moves = append(n.moves, move{Choice: ch.Clone(), instance: i, agent: agent, v: v})
		}
		return !s.over
	})
	for i := range n.moves {
		n.moves[i].next = n.buf[i*size : (i+1)*size : (i+1)*size]
	}
	// In the order of processes more steps sleep than in that of rules.
	slices.SortStableFunc(n.moves, func(a, b move) int { return a.agent - b.agent })
}

// choose decides which processes move.
func (s *search) choose(asleep []bool) []int {
	n := s.now
	if s.Visible {
		for i := range n.moves {
			if a := n.moves[i].agent; s.steps.Alone(n.state, a) {
				n.solo = true
				return []int{a}
			}
		}
	}
	if s.Reduction == Persistent {
		return s.persistent(n, asleep)
	}
	return nil
}

// report keeps the path of k steps, and perhaps one more, as a counterexample to all that is violated. The shortest
// of those that are met counts.
func (s *search) report(v *model.Violation, last *model.Choice, k int) {
	for _, v := range v.Each() {
		s.reportOne(v, last, k)
	}
}

func (s *search) reportOne(v *model.Violation, last *model.Choice, k int) {
	if !s.wanted[v.Prop] {
		return
	}
	t := &model.Trace{Start: s.start, StartState: s.first, Prop: v.Prop, Violation: v}
	for i := range k {
		n := s.nodes[i]
		if m := &n.moves[n.taken]; m.v == nil { // one that errs is no step
			t.Steps = append(t.Steps, model.TraceStep{Choice: m.Choice, State: slices.Clone(m.next)})
		}
	}
	if last != nil {
		t.Steps = append(t.Steps, model.TraceStep{Choice: last.Clone()})
	}
	if old := s.found[v.Prop]; old == nil || len(t.Steps) < len(old.Steps) {
		s.found[v.Prop] = t
	}
	s.over = s.over || !s.opt.All || len(s.found) == len(s.p.Props)
}
