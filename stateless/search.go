package stateless

import (
	"context"
	"errors"
	"slices"
	"time"

	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/prog"
)

// The search. A node is a path from the start; on the way back from it nothing is left but
// what was found. A step that errs is a step that leaves the state as it is and ends the
// processes that take it: so what others do is explored behind it as well, and an error
// depends on those steps only that write what it reads.

type search struct {
	*Engine
	ctx   context.Context
	p     *mc.Problem
	opt   mc.Options
	steps *prog.Steps
	m     *model.Machine
	sym   *symmetry // nil: there is none

	start  model.Choice
	first  model.State
	nodes  []*node // of the path, and spare ones behind them
	stuck  []bool  // by agent: it took a step that errs
	errs   int     // of these
	wanted []bool  // by property
	found  map[int]*model.Trace
	over   bool // nothing is left to look for
	cut    bool // an execution was cut off
	began  time.Time
	stats  mc.Stats
	visits int64
	clocks []clock // by agent: of its last step
}

// node is a state on the path.
type node struct {
	state model.State
	moves []move
	buf   []int64 // of the states behind the moves
	taken int     // the move that the path takes
	todo  []bool  // by agent: its moves are to be explored
	solo  bool    // the moves are of one process that is alone
	share float64 // of the tree below, of all executions

	event event // the step behind the node
}

// move is a step that is enabled in a node.
type move struct {
	model.Choice
	instance int
	agent    int // that takes it
	next     model.State
	v        *model.Violation // it errs
	foot     *prog.Footprint
	asleep   bool // all that begins with it was explored, up to order and symmetry
	done     bool
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
	s.stuck, s.clocks = make([]bool, steps.Agents()), make([]clock, steps.Agents())
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
	for _, x := range starts {
		s.start, s.first = x.ch, x.state
		if x.v != nil {
			s.report(x.v, nil, 0)
		} else if !s.over {
			share := 1 / float64(len(starts))
			if s.Reduction == DPOR {
				share = 0 // what is to be explored turns out on the way
			}
			s.visit(0, x.state, nil, share)
		}
	}
}

// node returns the node at a depth.
func (s *search) node(k int) *node {
	for len(s.nodes) <= k {
		s.nodes = append(s.nodes, &node{todo: make([]bool, s.steps.Agents())})
	}
	return s.nodes[k]
}

// reportInterval is how many nodes lie between two reports of progress.
const reportInterval = 1 << 12

// visit explores the executions that go on from the path of k steps to a state; those that
// begin with a step of the sleep set may be left out.
func (s *search) visit(k int, state model.State, asleep []sleeper, share float64) {
	if s.visits++; s.visits%1024 == 0 {
		s.over = s.over || s.ctx.Err() != nil
		if s.opt.Event != nil && s.visits%reportInterval == 0 {
			s.opt.Event(mc.Event{Engine: s.Name(), Depth: k, Stats: s.stats})
		}
	}
	if s.over {
		return
	}
	s.stats.Depth = max(s.stats.Depth, k)
	n := s.node(k)
	n.state, n.share = state, share
	halt := s.expand(n, k)
	if s.over {
		return
	}
	if s.Reduction == DPOR {
		s.races(k)
	}
	if len(n.moves) == 0 {
		s.stats.Executions++
		if s.ends != nil && s.errs == 0 {
			s.ends(state)
		}
		s.stats.Explored += share
		if d := s.p.Model.DeadlockProp(); d != nil && !halt && s.errs == 0 && s.wanted[d.Index] && s.m.Deadlocked(state) {
			s.report(&model.Violation{Prop: d.Index}, nil, k)
		}
		return
	}
	if (s.opt.Bounded || s.opt.MaxDepth > 0) && k >= s.opt.MaxDepth {
		s.cut = true
		s.stats.Explored += share
		return
	}
	if s.Reduction != None {
		s.rest(n, asleep)
	}
	s.choose(n)
	left := 0
	for i := range n.moves {
		if m := &n.moves[i]; !m.asleep && n.todo[m.agent] {
			left++
		}
	}
	for explored := 0; !s.over; explored++ {
		i := slices.IndexFunc(n.moves, func(m move) bool { return !m.done && !m.asleep && n.todo[m.agent] })
		if i < 0 {
			s.stats.Pruned += int64(len(n.moves) - explored)
			if explored == 0 {
				s.stats.Explored += share
			}
			return
		}
		m := &n.moves[i]
		m.done = true
		if s.sym != nil && s.sym.covered(n, i) {
			m.asleep = true
			explored--
			s.stats.Explored += share / float64(max(left, 1))
			continue
		}
		s.take(k, i, share/float64(max(left, 1)))
		m.asleep = s.Reduction != None || s.sym != nil
	}
}

// take goes on from the node at depth k by a move.
func (s *search) take(k, i int, share float64) {
	n := s.nodes[k]
	n.taken = i
	m := &n.moves[i]
	if !n.solo || !s.Visible {
		s.stats.Transitions++
	}
	actors := s.steps.Actors(m.instance)
	if m.v != nil {
		s.errs++
		for _, a := range actors {
			s.stuck[a] = true
		}
	}
	var before []clock
	if s.Reduction == DPOR {
		before = s.enter(k, m, actors)
	}
	s.visit(k+1, m.next, s.sleeping(n, i), share)
	if s.Reduction == DPOR {
		for j, a := range actors {
			s.clocks[a] = before[j]
		}
	}
	if m.v != nil {
		s.errs--
		for _, a := range actors {
			s.stuck[a] = false
		}
	}
}

// expand finds the moves of a node, and reports what errs there. It returns whether all
// processes are where they may stay.
func (s *search) expand(n *node, k int) (halt bool) {
	n.moves, n.buf, n.solo = n.moves[:0], n.buf[:0], false
	clear(n.todo)
	size := len(n.state)
	s.m.Successors(n.state, func(ch model.Choice, next model.State, v *model.Violation) bool {
		i := s.steps.Instance(ch)
		agent, kind := s.steps.Owner(i)
		if kind == prog.Halt {
			halt = true
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
	return halt
}

// choose decides which processes move.
func (s *search) choose(n *node) {
	if s.Visible {
		for i := range n.moves {
			if a := n.moves[i].agent; s.steps.Alone(n.state, a) {
				n.todo[a], n.solo = true, true
				for j := range n.todo {
					n.todo[j] = j == a
				}
				return
			}
		}
	}
	switch s.Reduction {
	case Persistent:
		s.persistent(n)
	case DPOR:
		for i := range n.moves {
			if m := &n.moves[i]; !m.asleep {
				n.todo[m.agent] = true
				return
			}
		}
	default:
		n.all()
	}
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
