package promela

import (
	"slices"
)

// walker is the interpreter of a program.
type walker struct {
	f      *file
	procs  map[*proctype]*walkProctype
	places map[*sym]int // of global variables
	width  int
	stays  bool // processes stay at their ends
	work   int  // statements executed
	polled bool // a rendezvous channel was polled
}

// newWalker returns the interpreter of a program as the parser leaves it.
func newWalker(f *file, stays bool) *walker {
	w := &walker{f: f, procs: map[*proctype]*walkProctype{}, places: map[*sym]int{}, stays: stays}
	for _, s := range f.globals {
		w.places[s] = w.width
		w.width += s.n * walkWidth(s.typ)
	}
	for _, q := range f.procs {
		if f.ranks {
			q.locals = append(q.locals, q.rank)
		}
		w.procs[q] = readProctype(q)
	}
	return w
}

func (w *walker) start() *walkState {
	s := &walkState{vars: make([]int64, w.width), holder: -1}
	w.begins(walkEnv{walker: w, s: s, pid: -1}, w.f.globals)
	for _, q := range w.f.procs {
		for range q.active {
			w.create(s, q, nil)
		}
	}
	return s
}

func (w *walker) create(s *walkState, q *proctype, args []int64) {
	p := walkProc{walkProctype: w.procs[q], at: w.procs[q].start}
	p.vars = make([]int64, p.width)
	v := walkEnv{walker: w, s: s, pid: len(s.procs)}
	s.procs = append(s.procs, p)
	for i, a := range args {
		p.vars[p.places[q.params[i]]] = keep(q.params[i].typ, q.params[i].array, a)
	}
	w.begins(v, slices.DeleteFunc(slices.Clone(q.locals), func(s *sym) bool { return s.param }))
}

// begins gives variables their first values, and makes their channels.
func (w *walker) begins(v walkEnv, syms []*sym) {
	for _, x := range syms {
		values, at := v.s.vars, w.places[x]
		if x.proc != nil {
			p := v.s.procs[v.pid]
			values, at = p.vars, p.places[x]
		}
		w.fill(v, x, values[at:])
	}
}

// fill gives a variable its first values, and returns what is behind it.
func (w *walker) fill(v walkEnv, x *sym, values []int64) []int64 {
	for i := range x.n {
		switch {
		case x.ch != nil:
			v.s.chans = append(v.s.chans, walkChan{of: x, index: i, pid: v.pid})
			values[0] = int64(len(v.s.chans))
		case x.typ.base == bStruct:
			for _, f := range x.typ.of.fields {
				if walkStored(f) {
					values = w.fill(v, f, values)
				}
			}
			continue
		default:
			values[0] = w.first(v, x, i)
		}
		values = values[1:]
	}
	return values
}

func (w *walker) first(v walkEnv, x *sym, i int) int64 {
	switch {
	case len(x.list) > 0:
		return keep(x.typ, x.array, x.list[min(i, len(x.list)-1)])
	case x.init != nil:
		return keep(x.typ, x.array, v.eval(x.init))
	}
	return 0
}

// walkMove is a step of a process, of a single statement.
type walkMove struct {
	who    []int       // the processes that move: one, or the sender and the receiver
	acts   []*walkNode // their statements
	next   *walkState
	failed []*stmt // assertions
	fault  string  // an error; "": none
}

// steps returns what processes can do in a state.
func (w *walker) steps(s *walkState) (all []walkMove) {
	if s.holder >= 0 {
		return w.moves(s, s.holder, false)
	}
	for _, timeout := range []bool{false, true} {
		for i := range s.procs {
			all = append(all, w.moves(s, i, timeout)...)
		}
		if len(all) > 0 {
			return all
		}
	}
	return nil
}

// moves returns what a process can do, which is nothing while one of a higher priority can do something.
func (w *walker) moves(s *walkState, i int, timeout bool) []walkMove {
	if w.f.ranks {
		for j := range s.procs {
			if *s.rank(j) > *s.rank(i) && len(w.able(s, j, timeout)) > 0 {
				return nil
			}
		}
	}
	return w.able(s, i, timeout)
}

// rank is the priority of a process.
func (s *walkState) rank(pid int) *int64 {
	p := s.procs[pid]
	return &p.vars[p.places[p.proctype.rank]]
}

// able returns what a process can do if none has priority. As the verifier does, it tries the options in order: where an escape is possible,
// what comes behind is not, and else is possible where nothing before it is. An offer that nobody takes makes it forget
// that an escape was possible.
func (w *walker) able(s *walkState, i int, timeout bool) (all []walkMove) {
	v := walkEnv{walker: w, s: s, pid: i, timeout: timeout}
	p := s.procs[i]
	defer catchFault(&all, &walkMove{who: []int{i}})
	if !w.provided(v) {
		return nil
	}
	var escaped *walkNode
	for _, o := range p.options(p.at) {
		if escaped != nil && o.escape != escaped {
			break
		}
		if w.isElse(o.act) && len(all) > 0 {
			continue
		}
		switch ms := w.try(v, o.act); {
		case len(ms) > 0:
			all = append(all, ms...)
			escaped = o.escape
		case w.offers(v, o.act): // and nobody takes it
			escaped = nil
		}
	}
	return all
}

// offers reports whether a statement sends to a rendezvous channel.
func (w *walker) offers(v walkEnv, n *walkNode) bool {
	return !n.joint && n.st.kind == sSend && v.s.offer == 0 && w.used(v, n.st).of.ch.slots == 0
}

func (w *walker) provided(v walkEnv) bool {
	q := v.s.procs[v.pid].proctype
	return q.provided == nil || v.eval(q.provided) != 0
}

// isElse reports whether a statement is else, or a d_step that begins so.
func (w *walker) isElse(n *walkNode) bool {
	for !n.joint && (n.st.kind == sDstep || n.st.kind == sBlock && n.step != nil) {
		n = n.parts[0].first
	}
	return !n.joint && n.st.kind == sElse
}

// try returns the ways in which a process can take a statement. If a message is being passed, it is a receive of it.
func (w *walker) try(v walkEnv, n *walkNode) (all []walkMove) {
	move := walkMove{who: []int{v.pid}, acts: []*walkNode{n}}
	defer catchFault(&all, &move)
	w.work++
	if !w.can(v, n) {
		return nil
	}
	t := v
	t.s = v.s.clone()
	offered := t.s.offer
	p := t.s.procs[v.pid]
	if n.st.kind == sDstep {
		w.runStep(t, n, &move)
	} else {
		w.do(t, n, &move)
	}
	switch to := p.to(n); {
	case to == nil:
		w.remove(t.s)
	default:
		t.s.procs[v.pid].at = to
	}
	t.s.holder = -1
	if n.atomic {
		t.s.holder = v.pid
	}
	if offered != 0 || t.s.offer == 0 {
		move.next = t.s
		w.release(move.next)
		return []walkMove{move}
	}
	for i := range t.s.procs { // the message is offered
		if i == v.pid {
			continue
		}
		for _, r := range w.moves(t.s, i, false) {
			r.who, r.acts = append([]int{v.pid}, r.who...), append([]*walkNode{n}, r.acts...)
			all = append(all, r)
		}
	}
	return all
}

// catchFault makes an error the only move.
func catchFault(all *[]walkMove, move *walkMove) {
	switch r := recover().(type) {
	case nil:
	case walkFault:
		move.fault = string(r)
		*all = []walkMove{*move}
	default:
		panic(r)
	}
}

// release takes control from a process that cannot go on.
func (w *walker) release(s *walkState) {
	if s.holder >= 0 && len(w.moves(s, s.holder, false)) == 0 {
		s.holder = -1
	}
}

// can tests whether a process can take a statement.
func (w *walker) can(v walkEnv, n *walkNode) bool {
	st := n.st
	if n.joint || st.kind != sRecv && st.kind != sDstep && v.s.offer != 0 {
		return v.s.offer == 0
	}
	switch st.kind {
	case sCond:
		v.made = int64(len(v.s.procs))
		return v.eval(st.e) != 0 || st.e.op == opRun
	case sSend:
		c := w.used(v, st)
		return c.of.ch.slots == 0 || len(c.msgs) < c.of.ch.slots
	case sRecv:
		c := w.used(v, st)
		if passing := c.of.ch.slots == 0; passing != (v.s.offer != 0) || passing && v.eval(st.ch) != v.s.offer {
			return false
		}
		return v.find(c, st.args, st.mode) >= 0
	case sEnd:
		return v.pid == len(v.s.procs)-1 && !w.stays
	case sDstep:
		return w.canBegin(v, n.parts[0].first)
	case sDelete, sSync:
		panic(walkUncovered(st.text))
	}
	return true
}

// used returns the channel that a send or receive is on.
func (w *walker) used(v walkEnv, st *stmt) *walkChan {
	c, _ := v.channel(st.ch)
	walkFail(c == nil || len(c.of.ch.fields) != len(st.args), "no such channel, or other messages")
	return c
}

// canBegin tests whether a d_step can begin with n. Of a choice only options count that begin with something that
// may block, if there are any.
func (w *walker) canBegin(v walkEnv, n *walkNode) bool {
	if n.joint {
		n = n.follow()
	}
	switch n.st.kind {
	case sBlock, sAtomic, sDstep:
		return w.canBegin(v, n.parts[0].first)
	case sCond, sSend, sRecv:
		return w.can(v, n)
	case sIf, sDo:
		some, count := w.guards(v, n)
		return some || count == 0 && v.s.offer == 0
	}
	return v.s.offer == 0
}

// guards tests whether some option of a choice in a d_step can be taken, of so many that may block.
func (w *walker) guards(v walkEnv, n *walkNode) (some bool, count int) {
	for _, s := range n.parts {
		switch g := begin(s.first); g.st.kind {
		case sBlock, sAtomic, sDstep:
			if g = g.parts[0].first; g.joint || !g.chooses() {
				break
			}
			fallthrough
		case sIf, sDo:
			is, k := w.guards(v, g)
			some, count = some || is, count+k
		case sElse:
			some, count = some || v.s.offer == 0, count+1
		case sCond, sSend, sRecv:
			some, count = some || w.can(v, g), count+1
		}
	}
	return some, count
}

// maxWork bounds the statements of a d_step, and of a step.
const maxWork = 20_000

// runStep runs a d_step, which takes the first option that is possible.
func (w *walker) runStep(v walkEnv, step *walkNode, m *walkMove) {
	p := v.s.procs[v.pid]
	n := step.parts[0].first
	for range maxWork {
		w.work++
		switch {
		case n == nil || n.step != step:
			return
		case n.joint:
			n = n.follow()
			continue
		case n.st.kind == sGoto:
			n = p.target(n)
			continue
		case !n.chooses():
			walkFail(!w.can(v, n), blocks)
		case n.st.kind != sIf && n.st.kind != sDo:
			n = n.parts[0].first
			continue
		default:
			i := slices.IndexFunc(n.parts, func(s walkSeq) bool { return w.mayTake(v, begin(s.first)) })
			walkFail(i < 0, blocks)
			if n = begin(n.parts[i].first); n.chooses() || n.st.kind == sGoto {
				continue
			}
		}
		w.do(v, n, m)
		n = n.follow()
	}
	panic(walkUncovered("a long loop in a d_step"))
}

const blocks = "a d_step blocks"

// mayTake tests whether a d_step takes an option that begins with n.
func (w *walker) mayTake(v walkEnv, n *walkNode) bool {
	if n.chooses() {
		return v.s.offer == 0 || w.canBegin(v, n)
	}
	return w.can(v, n)
}

// do executes a statement that can be taken.
func (w *walker) do(v walkEnv, n *walkNode, m *walkMove) {
	st := n.st
	if n.joint {
		return
	}
	if run := findRun(st.e); run != nil {
		var args []int64
		for _, a := range run.args {
			args = append(args, v.eval(a))
		}
		v.made = int64(len(v.s.procs))
		w.create(v.s, run.proc, args)
		if w.f.ranks {
			*v.s.rank(len(v.s.procs) - 1) = run.val
		}
	}
	switch st.kind {
	case sAssign:
		v.assign(st.lhs, v.eval(st.e))
	case sAssert:
		if v.eval(st.e) == 0 {
			m.failed = append(m.failed, st)
		}
	case sPriority:
		pid, rank := v.eval(st.args[0]), v.eval(st.args[1])
		if pid >= 0 && pid < int64(len(v.s.procs)) {
			walkFail(rank < 1 || rank > 255, "a priority out of range")
			*v.s.rank(int(pid)) = rank
		}
	case sPrint:
		for _, a := range st.args {
			v.eval(a)
		}
	case sSend:
		c, number := v.channel(st.ch)
		fields := c.of.ch.fields
		var raw, msg []int64
		for i, a := range st.args {
			x := v.eval(a)
			raw, msg = append(raw, x), append(msg, keep(fields[i], len(fields) == 1, x))
		}
		at := len(c.msgs)
		if st.mode&sorted != 0 {
			for at = 0; at < len(c.msgs) && slices.Compare(raw, c.msgs[at]) >= 0; at++ {
			}
		}
		c.msgs = slices.Insert(c.msgs, at, msg)
		if c.of.ch.slots == 0 {
			v.s.offer = number
		}
	case sRecv:
		c, _ := v.channel(st.ch)
		k := v.find(c, st.args, st.mode)
		msg := c.msgs[k]
		if st.mode&peek == 0 {
			c.msgs = slices.Delete(c.msgs, k, k+1)
		}
		v.s.offer = 0
		for i, a := range st.args {
			if a.op == opVar {
				v.assign(a, msg[i])
			}
		}
	}
}

// findRun returns the part of an expression that runs a process, nil if there is none.
func findRun(e *expr) (run *expr) {
	e.each(func(x *expr) {
		if x.op == opRun {
			run = x
		}
	})
	return run
}

// remove takes away the process that was made last, with its channels.
func (w *walker) remove(s *walkState) {
	pid := len(s.procs) - 1
	s.procs = s.procs[:pid]
	s.chans = slices.DeleteFunc(s.chans, func(c walkChan) bool { return c.pid == pid })
}

// ended reports whether all processes are where they may stay for ever.
func (s *walkState) ended() bool {
	return !slices.ContainsFunc(s.procs, func(p walkProc) bool { return !p.at.end })
}
