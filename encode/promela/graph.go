package promela

import (
	"slices"
	"strings"
)

// The automaton of a process is built as SPIN builds it (flow.c, pangen2.c): statements
// become elements, chained in sequences; locations are elements; the edges of a location
// are the basic statements that can be first there. Gotos and the joins behind branches
// are passed over on the way to a location, except where that would leave an atomic
// sequence unseen.

// element is a node of the graph of a process.
type element struct {
	*stmt
	id     int
	nxt    *element
	sub    []*sequence // options of if and do; the two sequences of unless; the one of a block
	esc    []*sequence // the escapes, the innermost first
	atom   bool        // in an atomic sequence or d_step, and not last there
	last   bool        // last in it
	dstep  bool        // in a d_step
	within int         // the d_step that it stands in, counted from 1; 0: none
	label  bool        // some label names it
	named  labels      // by labels that mean something
	emit   bool        // its edges have been made
	to     *element    // of a basic statement: the location behind it
	escs   []*element  // of a basic statement: where its escapes begin
	edges  []*edge     // of a location
	number int         // of a location: its code, from 1; 0 if it is none
}

// sequence is a chain of elements.
type sequence struct {
	frst, last, extent *element
}

// labels are what the labels of a location say, by their prefixes.
type labels uint8

const (
	endLabel      labels = 1 << iota // a process may end here
	acceptLabel                      // no run comes here again and again
	progressLabel                    // each run does
)

var labelPrefixes = map[string]labels{"end": endLabel, "accept": acceptLabel, "progress": progressLabel}

// edge is one way to leave a location.
type edge struct {
	from, to *element
	act      *element // the basic statement, or d_step
	escape   *element // where the escape begins that it belongs to; nil if it is none
}

// keeps reports whether a process that takes the edge keeps control.
func (e *edge) keeps() bool { return e.act.atom }

type label struct {
	name  string
	scope []int
	el    *element
}

// automaton is the graph of a process.
type automaton struct {
	els     []*element
	labels  []*label
	breaks  map[*stmt]*element // behind a loop
	start   *element
	end     *element
	locs    []*element // by number - 1, the start first
	unless  bool
	claim   bool // of a never claim, which may wait in a place
	first   int  // SPIN's number of the first element, as it numbers those of all processes; -1 if it is not known
	split   bool // a label on a goto is looked at from outside
	read    int  // elements that SPIN numbers as it reads the process
	cur     []*sequence
	current *proctype
	dsteps  int // that have been read
	inside  int // the one at hand; 0: none
}

// build makes the automaton of a process.
func build(q *proctype, claim bool) {
	a := &automaton{breaks: map[*stmt]*element{}, current: q, claim: claim}
	q.automaton = a
	s := a.sequence(append(slices.Clone(q.body), &stmt{kind: sEnd, at: q.at, text: "-end-"}))
	a.read = len(a.els)
	a.end = s.last
	a.end.named = endLabel
	a.remoteLabels()
	a.tie()
	a.refuse()
	a.emitSeq(s)
	a.stops()
	a.start = a.hunt(s.frst, s.frst.atom)
	for _, e := range a.els {
		if e.isChoice() {
			a.flatten(e, e, map[*element]bool{})
		} else if e.to != nil || e.kind == sEnd && !q.stay {
			e.edges = []*edge{{e, e.to, e, nil}}
		}
	}
	a.passStops()
	a.escapes()
	a.reach(a.start)
}

// add appends an element to the sequence at hand.
func (a *automaton) add(e *element) {
	s := a.cur[len(a.cur)-1]
	addTo(e, s, a)
}

func addTo(e *element, s *sequence, a *automaton) {
	if e.kind == sGoto && e.named != 0 {
		y := a.element(skip(e.at))
		for _, l := range a.labels {
			if l.el == e {
				l.el = y
			}
		}
		y.label, y.named = true, e.named
		e.label, e.named = false, 0
		addTo(y, s, a)
	}
	if s.frst == nil {
		s.frst = e
	} else {
		s.last.nxt = e
	}
	s.last = e
}

// sequence makes a chain of statements.
func (a *automaton) sequence(stmts []*stmt) *sequence {
	s := &sequence{}
	a.cur = append(a.cur, s)
	for _, st := range stmts {
		a.statement(st)
	}
	a.cur = a.cur[:len(a.cur)-1]
	s.extent = s.last
	return s
}

// statement adds a statement to the sequence at hand.
func (a *automaton) statement(st *stmt) {
	inner := st
	for inner.kind == sLabel {
		inner = inner.subs[0][0]
	}
	e := a.labelled(st)
	if inner.kind != sIf && inner.kind != sDo && inner.kind != sUnless {
		a.add(e)
	}
}

func (a *automaton) labelled(st *stmt) *element {
	if st.kind != sLabel {
		return a.compound(st)
	}
	e := a.labelled(st.subs[0][0])
	for _, l := range a.labels {
		if l.name == st.name && slices.Equal(l.scope, st.scope) {
			fail(st.at, "label %s is set twice", st.name)
		}
	}
	a.labels = append(a.labels, &label{st.name, st.scope, e})
	e.label = true
	for prefix, as := range labelPrefixes {
		if strings.HasPrefix(st.name, prefix) {
			e.named |= as
		}
	}
	return e
}

// element makes an element that is in no sequence yet.
func (a *automaton) element(st *stmt) *element {
	e := &element{stmt: st, id: len(a.els) + 1, within: a.inside}
	a.els = append(a.els, e)
	return e
}

// compound makes the element of a statement.
func (a *automaton) compound(st *stmt) *element {
	switch st.kind {
	case sIf, sDo:
		return a.branch(st)
	case sUnless:
		a.unless = true
		main := a.sequence(st.subs[0])
		n := len(a.els)
		esc := a.sequence(st.subs[1])
		if st.bare {
			a.later(st.subs[0][0], n)
		}
		e := a.element(st)
		t := a.element(&stmt{kind: sJoin, at: st.at, text: "(join)"})
		e.sub = []*sequence{main, esc}
		addTo(t, main, a)
		addTo(t, esc, a)
		attach(main, esc)
		a.add(e)
		a.add(t)
		return e
	case sBlock, sAtomic, sDstep:
		outer := a.inside
		if st.kind == sDstep && outer == 0 {
			a.dsteps++
			a.inside = a.dsteps
		}
		in := a.sequence(st.subs[0])
		own := *st
		a.inside = outer
		e := &element{stmt: &own, sub: []*sequence{in}, within: outer}
		if st.kind != sBlock {
			makeAtomic(in, st.kind == sDstep)
		}
		a.els = append(a.els, e)
		e.id = len(a.els)
		return e
	}
	return a.element(st)
}

// later numbers the elements of a statement, which are the last of the first n but for
// those of its parts, behind all others: SPIN makes them when it has read the escape.
func (a *automaton) later(st *stmt, n int) {
	for st.kind == sLabel {
		st = st.subs[0][0]
	}
	from := n - 1
	switch st.kind {
	case sIf:
		from = n - 2
	case sDo:
		from = n - 3
	}
	a.els = slices.Concat(a.els[:from], a.els[n:], a.els[from:n])
	for i, e := range a.els[from:] {
		e.id = from + i + 1
	}
}

// isSkip reports whether SPIN takes two such statements in a row for one.
func isSkip(st *stmt) bool {
	return st.kind == sPrint || st.kind == sCond && st.e.op == opConst && st.e.val == 1
}

// branch makes the elements of if and do.
func (a *automaton) branch(st *stmt) *element {
	var seqs []*sequence
	for _, opt := range st.subs {
		s := a.sequence(opt)
		a.prune(s)
		seqs = append(seqs, s)
	}
	e := a.element(st)
	t := a.element(&stmt{kind: sJoin, at: st.at, text: "(join)"})
	for i, s := range seqs { // else goes last
		if s.frst.kind != sElse {
			continue
		}
		for _, r := range seqs[i+1:] {
			if r.frst.kind == sElse {
				fail(r.frst.at, "there are two else")
			}
		}
		seqs = append(slices.Delete(slices.Clone(seqs), i, i+1), s)
		break
	}
	e.sub = seqs
	for _, s := range seqs {
		addTo(t, s, a)
	}
	if st.kind == sDo {
		a.add(t)
		t = a.element(&stmt{kind: sBreak, at: st.at, text: "(join)"})
		a.breaks[st] = t
	}
	a.add(e)
	a.add(t)
	return e
}

// prune drops skips that follow a skip.
func (a *automaton) prune(s *sequence) {
	n := 0
	var before *element
	for e := s.frst; e != nil; before, e = e, e.nxt {
		if !isSkip(e.stmt) || e.label {
			n = 0
			continue
		}
		if n++; n > 1 && e.kind != sPrint && e != s.frst && e != s.last && e != s.extent {
			before.nxt = e.nxt
			e = before
		}
	}
}

// makeAtomic marks the elements of an atomic sequence or d_step.
func makeAtomic(s *sequence, dstep bool) {
	walkAtomic(s.frst, s.last, dstep)
	f := s.last
	switch f.kind {
	case sBlock, sAtomic, sUnless:
		makeAtomic(f.sub[0], dstep)
	default:
		f.atom, f.last = false, true
	}
}

func walkAtomic(f, last *element, dstep bool) {
	for ; ; f = f.nxt {
		f.atom = true
		f.dstep = f.dstep || dstep
		switch f.kind {
		case sAtomic:
			f.kind = sBlock
		case sDstep:
			if dstep {
				f.kind = sBlock
			}
		case sUnless:
			if dstep {
				fail(f.at, "unless in a d_step is not supported")
			}
		}
		if f.kind != sDstep {
			for _, h := range f.sub {
				walkAtomic(h.frst, h.last, dstep)
			}
		}
		if f == last {
			return
		}
	}
}

// find returns what a goto names.
func (a *automaton) find(g *element) *element {
	if g.exit != nil {
		return a.breaks[g.exit]
	}
	var best *label
	for _, l := range slices.Backward(a.labels) {
		if l.name != g.name {
			continue
		}
		if slices.Equal(l.scope, g.scope) {
			return l.el
		}
		if len(l.scope) <= len(g.scope) && slices.Equal(l.scope, g.scope[:len(l.scope)]) || best == nil {
			best = l
		}
	}
	if best == nil {
		fail(g.at, "there is no label %s", g.name)
	}
	return best.el
}

// remoteLabels puts a skip where a label is on a goto and another process, or a formula,
// may look at it.
func (a *automaton) remoteLabels() {
	for name := range a.current.watched {
		l := a.named(name)
		if l == nil || l.el.kind != sGoto {
			continue
		}
		e := l.el
		own := *e.stmt
		y := a.element(&own)
		y.nxt = e.nxt
		y.atom, y.last, y.dstep, y.esc = e.atom, e.last, e.dstep, e.esc
		e.stmt = skip(e.at)
		e.nxt = y
		a.split = true
	}
}

// named returns a label that is looked at from outside, nil if there is none.
func (a *automaton) named(name string) *label {
	for _, l := range a.labels {
		if l.name == name {
			return l
		}
	}
	return nil
}

// tie joins the ends of blocks to what follows them.
func (a *automaton) tie() {
	for _, e := range slices.Backward(a.els) {
		if e.nxt == nil || e.kind != sAtomic && e.kind != sBlock && e.kind != sDstep {
			continue
		}
		f := e.nxt
		for f != nil && f.kind == sJoin {
			f = f.nxt
		}
		in := e.sub[0]
		switch n := in.last.nxt; {
		case n == nil:
			in.last.nxt = f
		case n.kind == sGoto:
			in.last = n
		}
	}
}

// hunt passes over gotos and joins from e to a location; atom says that the way comes
// from inside an atomic sequence, which it does not leave.
func (a *automaton) hunt(e *element, atom bool) *element {
	for n := 0; n < 500; n++ {
		var g *element
		switch e.kind {
		case sGoto:
			g = a.find(e)
		case sJoin, sBreak:
			if e.nxt == nil {
				return e
			}
			g = e.nxt
		case sUnless:
			g = a.hunt(e.sub[0].frst, atom)
		default:
			return e
		}
		if atom && !g.atom {
			return e
		}
		e = g
	}
	fail(e.at, "gotos lead to each other without end")
	return nil
}

// refuse reports what SPIN refuses: jumps into the middle of a d_step or out of one, and an unless on one of several
// options, of which it is open what it escapes from. SPIN also refuses jumps to the beginning of a d_step, such as the
// break of a loop before it; they mean what they say.
func (a *automaton) refuse() {
	for _, e := range a.els {
		switch e.kind {
		case sGoto:
			switch g := a.find(e); {
			case g.within == e.within:
			case g.within != 0:
				fail(e.at, "a jump into a d_step")
			default:
				fail(e.at, "a jump out of a d_step")
			}
		case sIf, sDo:
			for _, h := range e.sub {
				g := first(h.frst)
				if len(e.sub) > 1 && g.kind != sGoto && g.kind != sJoin && len(g.esc) > 0 && !slices.Equal(g.esc, e.esc) {
					fail(g.at, "an unless on an option: it may stand around the choice, or behind a condition")
				}
			}
		}
	}
}

// first passes over joins to the first statement of an option.
func first(e *element) *element {
	for n := 0; n < 500; n++ {
		switch {
		case e.kind == sJoin && e.nxt != nil:
			e = e.nxt
		case e.kind == sUnless:
			e = e.sub[0].frst
		default:
			return e
		}
	}
	fail(e.at, "the option has no first statement")
	return nil
}

// isChoice reports whether an element has the edges of what is inside it.
func (e *element) isChoice() bool {
	return e.kind == sIf || e.kind == sDo || e.kind == sAtomic || e.kind == sBlock
}

// emitSeq finds where the statements of a sequence lead.
func (a *automaton) emitSeq(s *sequence) {
	for e := s.frst; e != nil; e = e.nxt {
		if !e.emit {
			e.emit = true
			a.emitOne(e)
		}
		if e == s.last {
			return
		}
	}
}

func (a *automaton) emitOne(e *element) {
	switch e.kind {
	case sUnless:
		a.emitSeq(e.sub[0])
		return
	case sIf, sDo:
		for _, h := range e.sub {
			a.emitSeq(h)
		}
		return
	case sAtomic, sBlock, sDstep:
		in := e.sub[0]
		a.patch(in)
		in.last.nxt = e.nxt
		if e.kind != sDstep {
			a.emitSeq(in)
			return
		}
		e.to = a.hunt(e.nxt, e.atom)
	case sGoto:
		e.to = a.hunt(a.find(e), e.atom)
	default:
		if e.nxt != nil {
			e.to = a.hunt(e.nxt, e.atom)
		}
	}
	if e.kind == sJoin {
		return
	}
	for _, x := range e.esc {
		e.escs = append(e.escs, a.hunt(x.frst, e.atom))
	}
	for _, x := range e.esc {
		a.emitSeq(x)
	}
}

// patch finds the gotos that leave an atomic sequence, or lead from one to another.
func (a *automaton) patch(s *sequence) {
	for f := s.frst; f != nil; f = f.nxt {
		if f.kind == sGoto {
			g := a.find(f)
			in := g.atom || g.last
			if (f.atom || f.last) && !in {
				f.atom, f.last = false, true
			}
			if f.last && in {
				f.atom, f.last = true, false
			}
		} else if f.kind == sIf || f.kind == sDo || f.kind == sUnless {
			for _, h := range f.sub {
				a.patch(h)
			}
		}
		if f == s.extent {
			return
		}
	}
}

// flatten gives the location e the edges of the options of c.
func (a *automaton) flatten(e, c *element, on map[*element]bool) {
	if on[c] {
		fail(c.at, "a choice contains itself")
	}
	on[c] = true
	for _, h := range c.sub {
		g := first(h.frst)
		if c.kind != sAtomic && c.kind != sBlock && g.kind == sCond && g.e.op == opConst && g.e.val == 0 && len(g.esc) == 0 {
			continue
		}
		switch {
		case g.isChoice():
			a.flatten(e, g, on)
		case g.to != nil || g.kind == sEnd && !a.current.stay:
			e.edges = append(e.edges, &edge{e, g.to, g, nil})
		}
	}
	delete(on, c)
}

// stops carries labels that mean something from choices to what is inside.
func (a *automaton) stops() {
	for _, c := range a.els {
		if !c.isChoice() {
			continue
		}
		for _, h := range c.sub {
			if g := first(h.frst); g.isChoice() && g.named != 0 {
				a.leaves(g, func(l *element) { l.named |= g.named })
			}
		}
	}
}

func (a *automaton) leaves(c *element, f func(*element)) {
	for _, h := range c.sub {
		if g := first(h.frst); g.isChoice() {
			a.leaves(g, f)
		} else {
			f(g)
		}
	}
}

// passStops carries them on from an option to what is behind its first statement.
func (a *automaton) passStops() {
	for _, e := range a.els {
		if e.isChoice() {
			for _, x := range e.edges {
				if x.to != nil {
					x.to.named |= x.act.named
				}
			}
		}
	}
	for _, e := range a.els {
		if e.kind == sJoin && e.to != nil {
			e.to.named |= e.named
		}
	}
}

// reach numbers the locations.
func (a *automaton) reach(e *element) {
	if e.number > 0 {
		return
	}
	a.locs = append(a.locs, e)
	e.number = len(a.locs)
	others := 0
	for _, x := range e.edges {
		if x.act.kind == sElse {
			others++
		}
		if !a.claim && x.to == e && x.act.kind == sCond && x.act.e.op == opConst && x.act.e.val == 1 {
			fail(x.act.at, "a step without effect that leads to itself")
		}
	}
	if others > 1 {
		fail(e.at, "there are two else among the choices here")
	}
	for _, x := range e.edges {
		if x.to != nil {
			a.reach(x.to)
		}
	}
}
