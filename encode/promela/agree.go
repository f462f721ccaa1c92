package promela

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"orbitmc/internal/lists"
	"orbitmc/internal/prog"
	"orbitmc/model"
)

// This file compares the walker with the model. In a pair of states that stand for each other, each step of the one must
// be one of the other, by the same statements of the same processes, to states with the same values. A step of the model is
// several statements of the walker, up to where no process is in control, or where the model has a state inside
// an atomic sequence. Where several states of the walker go with one of the model, one of them must be right.
//
// Variables of claims are the model's alone.

// agreement implements prog.Reference.
type agreement struct {
	l    *lowering
	w    *walker
	mach *model.Machine
	syms map[*sym]*sym // of the walker: those of the model
	of   map[*proctype]*process
	ways map[*walkState]taken // in a replay: how states were reached
}

// taken is how a state is reached from another one.
type taken struct {
	from *walkState
	by   []event
}

func newAgreement(l *lowering, f *file) *agreement {
	a := &agreement{l: l, w: newWalker(f, l.p.Stays), mach: model.Compile(l.m).NewMachine(), syms: map[*sym]*sym{}, of: map[*proctype]*process{}}
	pair := func(theirs, ours []*sym) {
		for i, s := range theirs {
			a.syms[s] = ours[i]
		}
	}
	pair(f.globals, l.f.globals)
	for i, q := range f.procs {
		a.of[q] = l.procs[i]
		pair(q.locals, l.procs[i].locals)
	}
	return a
}

// event is a statement of a process.
type event struct {
	pid   int64
	text  string
	place string
}

func (e event) String() string { return fmt.Sprintf("%s: process %d: %s", e.place, e.pid, e.text) }

func events(m walkMove) (all []event) {
	for i, n := range m.acts {
		text := n.st.text
		if n.st.kind == sDstep {
			text = "d_step"
		}
		all = append(all, event{int64(m.who[i]), text, n.st.at.String()})
	}
	return all
}

func tell(es []event) string { return lists.Join(es, "; ", event.String) }

type modelStep struct {
	model.Choice
	kind  prog.Kind
	next  model.State
	wrong *model.Violation
	first []event // its statements
	loop  []event // and then any of these, any number of times
	met   bool    // the walker has it
	pairs []*walkState
	errs  []event // the statements up to an error, or an assertion that fails
}

func (a *agreement) step(ch model.Choice, next model.State, wrong *model.Violation) *modelStep {
	e := a.l.p.Edges[ch.Rule]
	s := &modelStep{Choice: model.Choice{Rule: ch.Rule, Params: slices.Clone(ch.Params)}, kind: e.Kind, next: slices.Clone(next), wrong: wrong}
	for i, part := range e.Parts {
		x := event{ch.Params[part.Actor], part.Text, fmt.Sprintf("%s:%v", part.File, part.Pos)}
		if i < len(e.Parts)-e.Turns {
			s.first = append(s.first, x)
		} else {
			s.loop = append(s.loop, x)
		}
	}
	return s
}

// is reports whether statements are those of the step; begins, whether they may be its first ones.
func (s *modelStep) is(es []event) bool {
	n := len(s.first)
	return len(es) >= n && slices.Equal(es[:n], s.first) && s.turns(es[n:])
}

func (s *modelStep) begins(es []event) bool {
	n := min(len(es), len(s.first))
	return slices.Equal(es[:n], s.first[:n]) && s.turns(es[n:])
}

// err notes the first statements that err.
func (s *modelStep) err(es []event) {
	if s.errs == nil {
		s.errs = es
	}
}

func (s *modelStep) turns(es []event) bool {
	return !slices.ContainsFunc(es, func(e event) bool { return !slices.Contains(s.loop, e) })
}

// fails reports whether a step of the model only says that an assertion fails, or is an error of the program.
func (a *agreement) fails(s *modelStep) bool {
	return s.wrong != nil && a.l.m.Props[s.wrong.Prop].Kind == model.Assertion
}

// full reports whether the model has no room for what a step does, or counts too many turns of a loop in it, which says
// nothing of the program.
func (a *agreement) full(s *modelStep) bool {
	return s.wrong != nil && (IsBound(a.l.m.Props[s.wrong.Prop].Name) || strings.HasPrefix(s.wrong.Message, model.TooManyTurns))
}

// meeting is the comparison of a pair of states.
type meeting struct {
	*agreement
	from   *walkState
	steps  []*modelStep
	only   bool // not all steps of the model are given
	faults int  // of the walker
	left   int  // what may be done yet
}

// meet compares what can be done in a state of the walker with steps of the model.
func (a *agreement) meet(s *walkState, steps []*modelStep, only bool) error {
	m := &meeting{agreement: a, from: s, steps: steps, only: only, left: maxWork}
	a.w.polled = false
	for _, move := range a.w.steps(s) {
		if err := m.follow(move, nil); err != nil {
			return err
		}
	}
	errs, room, polls := 0, false, false
	for _, x := range steps {
		switch {
		case m.full(x):
			room, x.met = true, true
		case x.wrong != nil && a.l.m.Props[x.wrong.Prop].Name == polled:
			polls, x.met = true, a.w.polled
		case x.wrong != nil && !m.fails(x):
			errs++
			x.met = m.faults > 0
		}
		if !x.met {
			return fmt.Errorf("the model has a step that the program has not: %s", tell(append(slices.Clip(x.first), x.loop...)))
		}
	}
	if !only && !room && (m.faults > 0 && errs == 0 || a.w.polled && !polls) {
		return fmt.Errorf("the program has an error where the model has none")
	}
	return nil
}

// follow compares a move, behind other ones in the same step.
func (m *meeting) follow(move walkMove, before []event) error {
	es := append(slices.Clip(before), events(move)...)
	begun := slices.ContainsFunc(m.steps, func(s *modelStep) bool { return s.begins(es) })
	switch m.left--; {
	case m.left < 0:
		panic(walkUncovered("a long step"))
	case m.only && !begun:
		return nil
	}
	for _, s := range move.failed {
		if !m.failing(es, s.at) && !m.only {
			return fmt.Errorf("an assertion fails in the program only: %s", tell(es))
		}
	}
	if move.fault != "" {
		m.faults++
		for _, s := range m.steps {
			s.err(es)
		}
		return nil
	}
	why := ""
	for _, s := range m.steps {
		if s.kind != prog.Step || s.wrong != nil || !s.is(es) {
			continue
		}
		if why = m.differs(s.next, move.next); why == "" {
			s.met = true
			s.pairs = append(s.pairs, move.next)
			if m.ways != nil {
				m.ways[move.next] = taken{m.from, es}
			}
			return nil
		}
	}
	if move.next.holder >= 0 {
		for _, next := range m.w.steps(move.next) {
			if err := m.follow(next, es); err != nil {
				return err
			}
		}
		return nil
	}
	if m.only || slices.ContainsFunc(m.steps, func(s *modelStep) bool { return m.full(s) && s.begins(es[:min(len(es), len(s.first))]) }) {
		return nil
	}
	if why != "" {
		why = ", with the same values (" + why + ")"
	}
	return fmt.Errorf("the program has a step that the model has not: %s%s", tell(es), why)
}

// failing finds the steps of the model that say that an assertion fails.
func (m *meeting) failing(es []event, at place) (found bool) {
	for _, s := range m.steps {
		if m.fails(s) && s.is(es) && m.l.m.Props[s.wrong.Prop].Pos == at.pos {
			s.met, found = true, true
			s.err(es)
		}
	}
	return found
}

// differs says how a state of the model and one of the walker differ; "" if they do not.
func (a *agreement) differs(ms model.State, s *walkState) string {
	l := a.l
	holder := int64(model.Undef)
	if s.holder >= 0 {
		holder = int64(s.holder)
	}
	if l.excl == nil && s.holder >= 0 || l.excl != nil && ms[l.excl.Offset] != holder {
		return "who is in control"
	}
	if l.nrpr != nil && ms[l.nrpr.Offset] != int64(len(s.procs)) {
		return "_nr_pr"
	}
	for i, x := range a.w.f.globals {
		if v := l.vars[l.f.globals[i]]; v != nil && !a.same(s, x, ms[v.Offset:v.Offset+v.Type.Leaves], s.vars[a.w.places[x]:]) {
			return x.name
		}
	}
	for i, q := range l.procs {
		if why := a.processes(ms, s, a.w.f.procs[i], q); why != "" {
			return why
		}
	}
	for n := range s.chans {
		if c := &s.chans[n]; !a.sameChannel(ms, s, c, int64(n+1)) {
			return c.of.name
		}
	}
	return ""
}

func (a *agreement) processes(ms model.State, s *walkState, theirs *proctype, q *process) string {
	here := func(pid int64) bool { return pid < int64(len(s.procs)) && s.procs[pid].proctype == theirs }
	if q.v == nil {
		if slices.ContainsFunc(s.procs, func(p walkProc) bool { return p.proctype == theirs }) {
			return "the number of processes"
		}
		return ""
	}
	for pid := range int64(len(s.procs)) {
		if here(pid) && (pid < q.index.Lo || pid > q.index.Hi) {
			return "the number of processes"
		}
	}
	for i := range q.index.Card() {
		pid := q.index.Lo + int64(i)
		at := q.v.Offset + int(i)*q.rec.Leaves
		code := ms[at]
		if q.gone {
			code--
		}
		if here(pid) != (code >= 0 && ms[at] != model.Undef) {
			return fmt.Sprintf("whether process %d exists", pid)
		}
		if !here(pid) {
			continue
		}
		p := s.procs[pid]
		if e := q.locs[code]; e.at != p.at.st.at || (e.named&endLabel != 0) != p.at.end {
			return fmt.Sprintf("where process %d is: %v, %v", pid, e.at, p.at.st.at)
		}
		for _, x := range theirs.locals {
			field, ok := q.fields[a.syms[x]]
			if !ok {
				continue
			}
			f := q.rec.Fields[field]
			values := ms[at+f.Offset : at+f.Offset+f.Type.Leaves]
			if !a.same(s, x, values, p.vars[p.places[x]:]) {
				return fmt.Sprintf("%s of process %d", x.name, pid)
			}
		}
	}
	return ""
}

// same compares the values of a variable. Where the model has none, it is dead: it would err where its value is read.
func (a *agreement) same(s *walkState, x *sym, ours, theirs []int64) bool {
	equal := func(our, their int64) bool { return our == their || our == model.Undef && a.l.f.opt.Reset }
	if x.typ.base != bStruct && x.typ.base != bChan {
		return slices.EqualFunc(ours, theirs[:len(ours)], equal)
	}
	for range x.n {
		if x.typ.base == bChan {
			if !equal(ours[0], a.number(s, theirs[0])) {
				return false
			}
			ours, theirs = ours[1:], theirs[1:]
			continue
		}
		for _, f := range x.typ.of.fields {
			if !walkStored(f) {
				continue
			}
			n := f.n * walkWidth(f.typ)
			if !a.same(s, f, ours[:n], theirs[:n]) {
				return false
			}
			ours, theirs = ours[n:], theirs[n:]
		}
	}
	return true
}

// number returns the number that a channel has in the model, where channels may stand in another order.
func (a *agreement) number(s *walkState, v int64) int64 {
	if v < 1 || v > int64(len(s.chans)) {
		return v
	}
	c := s.chans[v-1]
	x := a.syms[c.of]
	n := x.first + int64(c.index)
	if lay := x.group.lay; lay.of != nil {
		n += lay.ids[c.pid]
		for _, u := range a.l.uneven {
			if u.pid < c.pid {
				n -= int64(u.least)
			}
		}
		for _, o := range s.chans {
			if o.pid < c.pid && slices.ContainsFunc(a.l.uneven, func(u uneven) bool { return u.pid == o.pid }) {
				n++
			}
		}
	}
	return n
}

// sameChannel compares the messages of a channel.
func (a *agreement) sameChannel(ms model.State, s *walkState, c *walkChan, number int64) bool {
	g := a.syms[c.of].group
	lay := g.lay
	at := 0
	switch {
	case g.rendezvous():
		return len(c.msgs) == 0
	case lay.of != nil && !g.named:
		q := lay.of
		at = q.v.Offset + (c.pid-int(q.index.Lo))*q.rec.Leaves + q.rec.Fields[q.private[g]].Offset + c.index*lay.rec.Leaves
	case lay.index == nil:
		at = lay.v.Offset
	case !g.named:
		at = lay.v.Offset + c.index*lay.rec.Leaves
	default:
		at = lay.v.Offset + int(a.number(s, number)-lay.index.Lo)*lay.rec.Leaves
	}
	if ms[at] != int64(len(c.msgs)) {
		return false
	}
	at++
	for _, msg := range c.msgs {
		for i, v := range msg {
			if c.of.ch.fields[i].base == bChan {
				v = a.number(s, v)
			}
			if ms[at] != v {
				return false
			}
			at++
		}
	}
	return true
}

// compare compares all steps from a state of the model with those from states of the walker, one of which must have
// the same. It returns the steps, with the states to which the walker comes by them.
func (a *agreement) compare(ms model.State, all []*walkState) (steps []*modelStep, err error) {
	halt := false
	a.mach.Successors(ms, func(ch model.Choice, next model.State, wrong *model.Violation) bool {
		if a.l.p.Edges[ch.Rule].Kind == prog.Halt {
			halt = true
		} else {
			steps = append(steps, a.step(ch, next, wrong))
		}
		return true
	})
	agreed := false
	for _, s := range all {
		had := make([]int, len(steps))
		for i, x := range steps {
			x.met, had[i] = false, len(x.pairs)
		}
		why := a.meet(s, steps, false)
		if why == nil && len(steps) == 0 && !a.l.f.wants() && s.ended() != halt {
			why = fmt.Errorf("whether all processes are where they may stay differs")
		}
		if why == nil {
			agreed = true
			continue
		}
		err = why
		for i, x := range steps {
			x.pairs = x.pairs[:had[i]]
		}
	}
	if agreed {
		err = nil
	}
	for _, x := range steps {
		x.pairs = unlike(x.pairs)
	}
	return steps, err
}

func unlike(all []*walkState) []*walkState {
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(s *walkState) bool {
		k := s.key()
		defer func() { seen[k] = true }()
		return seen[k]
	})
}

// begin returns the first state of both.
func (a *agreement) begin() (ms model.State, s *walkState, err error) {
	ms, wrong := a.mach.Start(model.Choice{})
	if wrong != nil {
		panic(walkUncovered("an error in the first state"))
	}
	s = a.w.start()
	if why := a.differs(ms, s); why != "" {
		return nil, nil, fmt.Errorf("the first state of the model is another one than that of the program: %s", why)
	}
	return ms, s, nil
}

// Walk ends after walkSteps states, or after about walkWork statements if it has seen a few states. A walk has at most
// walkLength steps.
const (
	walkSteps  = 400
	walkSome   = 8
	walkWork   = 1 << 15
	walkLength = 64
)

// Walk implements prog.Reference.
func (a *agreement) Walk(ctx context.Context, seed uint64) (left string, states int, err error) {
	defer uncovered(&left)
	rng := rand.New(rand.NewPCG(seed, 1))
	seen := map[string][]*modelStep{}
	for cost := a.cost(); states < walkSteps && (cost < walkWork || states < walkSome); {
		ms, s, err := a.begin()
		if err != nil {
			return "", states, err
		}
		all := []*walkState{s}
		for n := 0; n < walkLength && states < walkSteps && (cost < walkWork || states < walkSome); n++ {
			if err := ctx.Err(); err != nil {
				return "", states, err
			}
			key := fmt.Sprint(ms)
			for _, s := range all {
				key += s.key()
			}
			steps, ok := seen[key]
			if !ok {
				a.w.work = 0
				if steps, err = a.compare(ms, all); err != nil {
					return "", states, err
				}
				cost += a.w.work*(1+len(ms)/32) + a.cost()
				seen[key] = steps
			}
			states++
			if steps = slices.DeleteFunc(slices.Clone(steps), func(x *modelStep) bool { return len(x.pairs) == 0 }); len(steps) == 0 {
				break
			}
			x := steps[rng.IntN(len(steps))]
			ms, all = x.next, x.pairs
		}
	}
	return "", states, nil
}

// cost estimates what the model takes for a state, in statements of the walker.
func (a *agreement) cost() int {
	if n := a.mach.Program().NumInstances(); n.IsInt64() {
		return len(a.l.m.Rules)/16 + int(min(n.Int64()/16, walkWork))
	}
	return walkWork
}

// uncovered ends a comparison where the walker does not know what a program does. Its faults are moves, but for those in the
// first state.
func uncovered(left *string) {
	switch r := recover().(type) {
	case nil:
	case walkUncovered:
		*left = string(r)
	case walkFault:
		*left = string(r)
	default:
		panic(r)
	}
}

// without implements prog.Reference for programs in a language that the walker does not know.
type without string

func (w without) Replay(*model.Trace) (left string, err error) { return string(w), nil }
func (w without) Parts(*model.Trace) ([][]int, error)          { return nil, uncompared(string(w)) }
func (w without) Walk(context.Context, uint64) (left string, states int, err error) {
	return string(w), 0, nil
}

func uncompared(left string) error { return fmt.Errorf("not compared with the program: %s", left) }

// Replay implements prog.Reference.
func (a *agreement) Replay(t *model.Trace) (left string, err error) {
	left, _, err = a.replay(t)
	return left, err
}

// replay also returns how the last state is reached, or what errs.
func (a *agreement) replay(t *model.Trace) (left string, last taken, err error) {
	defer uncovered(&left)
	ms, s, err := a.begin()
	if err != nil {
		return "", taken{}, err
	}
	a.ways = map[*walkState]taken{}
	all := []*walkState{s}
	for i, step := range t.Steps {
		next, _, wrong := a.mach.Fire(ms, step.Choice)
		x := a.step(step.Choice, next, wrong)
		if x.kind == prog.Halt {
			continue
		}
		var pairs []*walkState
		for _, s := range all {
			x.pairs, x.met = nil, false
			if why := a.meet(s, []*modelStep{x}, true); why != nil {
				err = why
				continue
			}
			pairs = append(pairs, x.pairs...)
			if wrong != nil {
				return "", taken{s, x.errs}, nil
			}
		}
		if len(pairs) == 0 {
			return "", taken{}, fmt.Errorf("step %d: %w", i+1, err)
		}
		ms, all = next, unlike(pairs)
	}
	if t.Prop >= 0 && a.l.m.Props[t.Prop].Kind == model.Deadlock && !slices.ContainsFunc(all, func(s *walkState) bool { return len(a.w.steps(s)) == 0 && !s.ended() }) {
		return "", taken{}, fmt.Errorf("the last state is no invalid end state of the program")
	}
	return "", a.ways[all[0]], nil
}

// Parts implements prog.Reference.
func (a *agreement) Parts(t *model.Trace) (all [][]int, err error) {
	left, at, err := a.replay(t)
	if left != "" && err == nil {
		err = uncompared(left)
	}
	if err != nil {
		return nil, err
	}
	all = make([][]int, len(t.Steps))
	for i := len(all) - 1; i >= 0; i-- {
		x := a.step(t.Steps[i].Choice, nil, nil)
		if x.kind == prog.Halt {
			continue
		}
		for k, e := range at.by {
			if n := len(x.first); k >= n {
				k = n + slices.Index(x.loop, e)
			}
			all[i] = append(all[i], k)
		}
		at = a.ways[at.from]
	}
	return all, nil
}
