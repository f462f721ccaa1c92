package promela

import (
	"slices"
	"strings"

	"orbitmc/internal/lists"
)

// The automaton of a process is the one that SPIN builds (flow.c, pangen2.c): statements
// become elements, chained in sequences; locations are elements; the edges of a location
// are the basic statements that can be first there. Gotos and the joins behind branches
// are passed over on the way to a location, except where that would leave an atomic
// sequence unseen.
//
// SPIN reads a program from the inside out, and changes elements when it has read what is around them. Here
// an element is made with all that is around it.

// element is a node of the graph of a process.
type element struct {
	*stmt
	around
	id     int
	nxt    *element    // what stands behind it; nil: what stands behind in
	in     *element    // the block that it is the last one of
	sub    []*sequence // options of if and do; the two sequences of unless; the one of a block
	named  labels      // by labels that mean something
	to     *element    // of a basic statement: the location behind it
	escs   []*element  // of a basic statement: where its escapes begin
	edges  []*edge     // of a location
	number int         // of a location: its code, from 1; 0 if it is none
}

// around is what stands around a statement.
type around struct {
	atom   bool        // an atomic sequence or d_step, and it is not last there
	last   bool        // it is last in one
	within int         // the d_step that it stands in, counted from 1; 0: none
	esc    []*sequence // the escapes, the outermost first
}

// inside is what stands around a part of a statement behind which something of it follows.
func (a around) inside() around {
	a.atom, a.last = a.atom || a.last, false
	return a
}

// sequence is a chain of elements.
type sequence struct{ frst, last *element }

func (s *sequence) add(es ...*element) {
	for _, e := range es {
		if s.frst == nil {
			s.frst = e
		} else {
			s.last.nxt = e
		}
		s.last = e
	}
}

// follow returns what stands behind an element; nil behind the end.
func (e *element) follow() *element {
	for ; e != nil; e = e.in {
		if e.nxt != nil {
			return e.nxt
		}
	}
	return nil
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

// automaton is the graph of a process.
type automaton struct {
	els     []*element
	marked  map[*stmt]*element // by label
	breaks  map[*stmt]*element // behind a loop
	start   *element
	end     *element
	locs    []*element // by number - 1, the start first
	claim   bool       // of a never claim, which may wait in a place
	first   int        // SPIN's number of the first element, as it numbers those of all processes; -1 if it is not known
	split   bool       // a label on a goto is looked at from outside
	read    int        // elements that SPIN numbers as it reads the process
	current *proctype
	dsteps  int   // that have been read
	unless  *stmt // the first one in the d_step at hand
}

// build makes the automaton of a process.
func build(q *proctype, claim bool) {
	a := &automaton{marked: map[*stmt]*element{}, breaks: map[*stmt]*element{}, current: q, claim: claim}
	q.automaton = a
	s := a.body()
	a.remoteLabels()
	a.refuse()
	a.lead()
	a.stops()
	a.start = a.hunt(s.frst, s.frst.atom)
	for _, e := range a.els {
		if e.isChoice() {
			a.flatten(e)
		} else if e.to != nil || e.kind == sEnd && !q.stay {
			e.edges = []*edge{{e, e.to, e, nil}}
		}
	}
	a.passStops()
	a.escapes()
	a.reach(a.start)
}

// body makes the elements of a process.
func (a *automaton) body() *sequence {
	q := a.current
	s := a.sequence(append(slices.Clone(q.body), &stmt{kind: sEnd, at: q.at, text: "-end-"}), around{}, false)
	a.end = s.last
	a.end.named = endLabel
	a.read = len(a.els)
	for i, e := range a.els {
		e.id = i + 1
	}
	return s
}

// element makes an element that is in no sequence yet.
func (a *automaton) element(st *stmt, p around) *element {
	e := &element{stmt: st, around: p}
	a.els = append(a.els, e)
	return e
}

// join makes an element where branches of a statement meet.
func (a *automaton) join(st *stmt, kind stKind, p around) *element {
	return a.element(&stmt{kind: kind, at: st.at, text: "(join)"}, p)
}

// isSkip reports whether SPIN takes two such statements in a row for one.
func isSkip(st *stmt) bool {
	return st.kind == sPrint || st.kind == sCond && st.e.op == opConst && st.e.val == 1
}

// sequence makes a chain of statements. Of an option of a choice it leaves skips out that follow a skip.
func (a *automaton) sequence(stmts []*stmt, p around, option bool) *sequence {
	s := &sequence{}
	idle := false // a skip stands before
	for i, st := range stmts {
		own := p
		own.last = p.last && i == len(stmts)-1
		own.atom = p.atom || p.last && !own.last
		if option && idle && isSkip(st) && st.kind != sPrint && i < len(stmts)-1 {
			a.element(st, own)
			continue
		}
		idle = isSkip(st)
		a.statement(s, st, own)
	}
	return s
}

// statement adds a statement to a sequence. SPIN puts a skip before a goto with a label that means something.
func (a *automaton) statement(s *sequence, st *stmt, p around) {
	inner := st
	for inner.kind == sLabel {
		inner = inner.subs[0][0]
	}
	e := a.compound(s, inner, p)
	named := a.label(st)
	to := e
	if e.kind == sGoto && named != 0 {
		to = a.element(skip(e.at), p.inside())
		s.add(to)
	}
	to.named = named
	for l := st; l.kind == sLabel; l = l.subs[0][0] {
		a.marked[l] = to
	}
	if e.kind != sIf && e.kind != sDo && e.kind != sUnless {
		s.add(e)
	}
}

// label returns what the labels of a statement say.
func (a *automaton) label(st *stmt) labels {
	if st.kind != sLabel {
		return 0
	}
	named := a.label(st.subs[0][0])
	for _, l := range a.current.labels[:slices.Index(a.current.labels, st)] {
		if l.name == st.name && slices.Equal(l.scope, st.scope) {
			fail(st.at, "label %s is set twice", st.name)
		}
	}
	for prefix, as := range labelPrefixes {
		if strings.HasPrefix(st.name, prefix) {
			named |= as
		}
	}
	return named
}

// compound makes the element of a statement. It adds if, do and unless, with their joins, to the sequence.
func (a *automaton) compound(s *sequence, st *stmt, p around) *element {
	switch st.kind {
	case sIf, sDo:
		return a.branch(s, st, p)
	case sUnless:
		if p.within > 0 && a.unless == nil {
			a.unless = st
		}
		esc, main := &sequence{}, p.inside()
		main.esc = append(slices.Clip(p.esc), esc)
		from := a.sequence(st.subs[0], main, false)
		n := len(a.els)
		*esc = *a.sequence(st.subs[1], p.inside(), false)
		if st.bare {
			a.later(st.subs[0][0], n)
		}
		e, t := a.element(st, p.inside()), a.join(st, sJoin, p)
		e.sub = []*sequence{from, esc}
		from.add(t)
		esc.add(t)
		s.add(e, t)
		return e
	case sBlock, sAtomic, sDstep:
		own, inner := *st, p
		if p.within > 0 || st.kind == sAtomic && (p.atom || p.last) {
			own.kind = sBlock
		}
		inner.last = p.last || st.kind != sBlock && !p.atom
		if own.kind == sDstep {
			a.dsteps++
			inner.within = a.dsteps
		} else {
			p = p.inside() // what is last in it is last
		}
		e := &element{stmt: &own, around: p}
		e.sub = []*sequence{a.sequence(st.subs[0], inner, false)}
		if st.kind == sDstep && a.unless != nil {
			fail(a.unless.at, "unless in a d_step is not supported")
		}
		e.sub[0].last.in = e
		a.els = append(a.els, e)
		return e
	}
	return a.element(st, p)
}

// later puts the elements of a statement, which are the last of the first n but for those of its parts, behind
// all others: SPIN makes them when it has read the escape.
func (a *automaton) later(st *stmt, n int) {
	for st.kind == sLabel {
		st = st.subs[0][0]
	}
	own := map[stKind]int{sIf: 2, sDo: 3}[st.kind] // with the joins
	from := n - max(own, 1)
	a.els = slices.Concat(a.els[:from], a.els[n:], a.els[from:n])
}

// branch makes the elements of if and do.
func (a *automaton) branch(s *sequence, st *stmt, p around) *element {
	seqs := lists.Map(st.subs, func(opt []*stmt) *sequence { return a.sequence(opt, p.inside(), true) })
	e := a.element(st, p.inside())
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
	t := a.join(st, sJoin, p)
	for _, h := range seqs {
		h.add(t)
	}
	if st.kind == sIf {
		s.add(e, t)
		return e
	}
	t.around = p.inside()
	a.breaks[st] = a.join(st, sBreak, p)
	s.add(t, e, a.breaks[st])
	return e
}

// find returns what a goto names.
func (a *automaton) find(g *element) *element {
	if g.exit != nil {
		return a.breaks[g.exit]
	}
	l := a.current.goal(g.stmt)
	if l == nil {
		fail(g.at, "there is no label %s", g.name)
	}
	return a.marked[l]
}

// remoteLabels puts a skip where a label is on a goto and another process, or a formula,
// may look at it.
func (a *automaton) remoteLabels() {
	for name := range a.current.watched {
		e := a.marked[a.current.seen(name)]
		if e == nil || e.kind != sGoto {
			continue
		}
		y := a.element(e.stmt, e.around)
		y.id, y.nxt, y.in = len(a.els), e.nxt, e.in
		e.stmt, e.nxt, e.in = skip(e.at), y, nil
		a.split = true
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
			if g = e.follow(); g == nil {
				return e
			}
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
	switch {
	case e.kind == sJoin && e.nxt != nil: // before a loop
		return first(e.nxt)
	case e.kind == sUnless:
		return first(e.sub[0].frst)
	}
	return e
}

// isChoice reports whether an element has the edges of what is inside it.
func (e *element) isChoice() bool {
	return e.kind == sIf || e.kind == sDo || e.kind == sAtomic || e.kind == sBlock
}

// lead finds where the statements lead that are in no d_step. A goto that leaves an atomic sequence gives up control, and
// one that leads into one keeps it.
func (a *automaton) lead() {
	for _, e := range a.els {
		if e.kind == sGoto && (e.atom || e.last) {
			g := a.find(e)
			e.atom = g.atom || g.last
			e.last = !e.atom
		}
	}
	for _, e := range a.els {
		g := e.follow()
		if e.kind == sGoto {
			g = a.find(e)
		}
		if e.within > 0 || g == nil || e.isChoice() || e.kind == sUnless {
			continue
		}
		if e.to = a.hunt(g, e.atom); e.kind != sJoin {
			e.escs = lists.Map(e.esc, func(x *sequence) *element { return a.hunt(x.frst, e.atom) })
		}
	}
}

// firsts calls f for the basic statements that can be first in a choice c, each with the innermost choice around it.
func firsts(c *element, f func(c, g *element)) {
	for _, h := range c.sub {
		if g := first(h.frst); g.isChoice() {
			firsts(g, f)
		} else {
			f(c, g)
		}
	}
}

// flatten gives a choice its edges.
func (a *automaton) flatten(e *element) {
	firsts(e, func(c, g *element) {
		option := c.kind == sIf || c.kind == sDo
		if option && g.kind == sCond && g.e.op == opConst && g.e.val == 0 && len(g.esc) == 0 {
			return // never
		}
		if g.to != nil || g.kind == sEnd && !a.current.stay {
			e.edges = append(e.edges, &edge{e, g.to, g, nil})
		}
	})
}

// stops carries labels that mean something from choices to what is inside.
func (a *automaton) stops() {
	for _, c := range a.els {
		if !c.isChoice() {
			continue
		}
		for _, h := range c.sub {
			if g := first(h.frst); g.isChoice() && g.named != 0 {
				firsts(g, func(_, l *element) { l.named |= g.named })
			}
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
