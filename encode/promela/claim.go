package promela

import (
	"fmt"
	"slices"
	"strings"
)

// Claims are formulas (ltl) and never claims. One that says that nothing bad happens, and
// whose violations are seen after finitely many steps, becomes a monitor: an automaton that
// reads each state, the first one included, and that has matched after a bad prefix. For a
// formula, these are the prefixes that Kupferman and Vardi (Model checking of safety
// properties, 2001) call informative; ltl.go finds them.
//
// A never claim is such an automaton as it stands. It matches where SPIN says that it
// does: at its end, and where an assertion in it fails. A location that is labelled accept
// counts as its end if the claim may stay there whatever happens, and not at all if it is on no cycle.
// With other accept labels the claim is about infinite runs, and is not checked.
//
// SPIN's verifier lets a claim move in the states that it stores, and not inside of atomic
// sequences. So a monitor moves once in each step. Where no process can move, a claim
// goes on alone.

// monitor is a claim that is checked.
type monitor struct {
	states [][]move // by state, the first one is 0
	alone  bool     // the reading of a state again may matter
}

// move is a transition of a monitor.
type move struct {
	guard *expr // of the state that is read; nil: none
	to    int   // matched: the claim is violated
}

// matched is the target of a move that ends in a violation.
const matched = -1

// maxMoves bounds the transitions of a monitor.
const maxMoves = 300

// claims makes the monitors of a file, after all else has been read.
func (p *parser) claims() {
	for _, c := range p.file.claims {
		if p.claim(c, func() { c.monitor = monitorOf(p.formula(0), c.at) }); c.reason != "" {
			c.monitor = nil
		}
	}
}

// claim reads a claim, by formula if it is one.
func (p *parser) claim(c *claim, formula func()) {
	switch c.kind {
	case "ltl":
		c.reason = p.try(c, formula)
	case "never":
		c.reason = p.try(c, func() { c.monitor = p.never(c) })
	default:
		c.reason = "event traces are not supported"
	}
}

// try calls f to read a claim, and says why that is impossible, or "".
func (p *parser) try(c *claim, f func()) string {
	runs, timeout := p.file.runs, p.file.timeout
	end := token{kind: tOp, text: "}", at: c.at}
	p.toks = append(slices.Clone(c.text), end, token{kind: tEOF, at: c.at})
	p.i, p.parens, p.temps, p.last, p.calls = 0, 0, 0, token{}, nil
	e := attempt(func() {
		f()
		p.resolve()
		c.formula.each(func(e *expr) {
			e.each(readable)
			number(e)
		})
		if c.monitor != nil {
			for _, moves := range c.monitor.states {
				for _, m := range moves {
					m.guard.each(readable)
					number(m.guard)
				}
			}
		}
	})
	whole, next := p.is("}"), p.peek()
	p.file.runs, p.file.timeout = runs, timeout
	p.inSeq, p.proc, p.scopes, p.blocks, p.loops = false, nil, nil, nil, nil
	switch {
	case e != nil && e.Pos == c.at.pos:
		return e.Msg
	case e != nil:
		return e.Error()
	case !whole:
		return fmt.Sprintf("%v: a formula does not go on with %s", next.at, next.show())
	}
	return ""
}

// readable refuses what a monitor cannot read in a state.
func readable(e *expr) {
	switch e.op {
	case opRun, opTimeout, opPid:
		fail(e.at, "%s in a claim is not supported", show(e))
	case opVar:
		if s := e.sym; s.typ.base == bChan {
			return
		}
		indexed(e)
		if e.follows() {
			fail(e.at, "%s follows a reference, which in a claim is not supported", show(e))
		}
	case opNew:
		fail(e.at, "%s in a claim is not supported", show(e))
	case opBinary:
		for _, x := range []*expr{e.x, e.y} {
			if v := x.leaf(); v != nil && v.sym.typ.base == bChan {
				fail(e.at, "a channel in a claim is not compared")
			}
		}
	}
}

// conj is the conjunction of conditions; nil is true.
func conj(x, y *expr) *expr {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	return &expr{op: opBinary, at: x.at, text: "&&", x: x, y: y}
}

func negate(x *expr) *expr {
	if x.op == opUnary && x.text == "!" {
		return x.x
	}
	return &expr{op: opUnary, at: x.at, text: "!", x: x}
}

// always reports whether a condition is surely true.
func always(x *expr) bool {
	if x == nil {
		return true
	}
	k, ok := constant(x)
	return ok && k != 0
}

func (p *parser) never(c *claim) *monitor {
	q := &proctype{name: c.name, at: c.at}
	p.proc, p.scopes, p.blocks, p.inSeq = q, []map[string]*sym{{}}, []int{0}, true
	q.body = p.sequence("}")
	a := &automaton{marked: map[*stmt]*element{}, breaks: map[*stmt]*element{}, current: q}
	a.body()
	c.size = a.read
	if len(q.locals) > 0 {
		fail(q.locals[0].at, "a variable in a claim is not supported")
	}
	eachStmt(q.body, func(s *stmt) {
		switch s.kind {
		case sAssign, sSend, sRecv, sUnless, sDstep:
			fail(s.at, "only conditions and assertions in a claim are supported")
		}
	})
	build(q, true)
	m := &monitor{states: make([][]move, len(q.locs)), alone: true}
	n := 0
	var from func(m *monitor, state int, at *element, guard *expr, depth int)
	from = func(m *monitor, state int, at *element, guard *expr, depth int) {
		if depth > len(q.locs) {
			fail(at.at, "a loop in an atomic sequence of a claim is not supported")
		}
		var others *expr // no edge so far can be taken
		for _, x := range at.edges {
			g := guard
			switch x.act.kind {
			case sCond:
				g = conj(g, x.act.e)
				others = conj(others, negate(x.act.e))
			case sElse:
				g = conj(g, others)
			case sAssert:
				m.states[state] = append(m.states[state], move{conj(g, negate(x.act.e)), matched})
			}
			if n++; n > maxMoves {
				fail(c.at, "the claim is too large")
			}
			switch {
			case x.to == nil:
			case x.keeps():
				from(m, state, x.to, g, depth+1)
			default:
				m.states[state] = append(m.states[state], move{g, x.to.number - 1})
			}
		}
	}
	for _, e := range q.locs {
		if e != q.end {
			from(m, e.number-1, e, nil, 0)
		}
	}
	over := make([]bool, len(m.states)) // the claim has matched there
	c.accepts = make([]bool, len(m.states))
	for _, l := range q.labels {
		if strings.HasPrefix(l.name, "accept") {
			el := q.marked[l]
			at := el.number - 1
			switch {
			case p.file.wants() && at >= 0:
				c.accepts[at] = true
			case p.file.wants() && (el.isChoice() || el.kind == sCond): // the claim never comes here
			case p.file.wants():
				fail(el.stmt.at, "the label %s on a goto or a block is not supported in a claim", l.name)
			case at >= 0 && m.stays(at):
				over[at] = true
			case at < 0 || m.reaches(at, at):
				fail(el.stmt.at, "the claim is about infinite runs, as it accepts cycles at %s", l.name)
			}
		}
	}
	if q.end.number > 0 {
		over[q.end.number-1] = true
	}
	if over[0] {
		fail(c.at, "the claim matches at once")
	}
	for i := range m.states {
		for j := range m.states[i] {
			if x := &m.states[i][j]; x.to != matched && over[x.to] {
				x.to = matched
			}
		}
		if over[i] {
			m.states[i] = nil
		}
	}
	return m
}

// stays reports whether a monitor that is in a state surely may stay there, unless it has matched: a
// transition to itself has no condition, or is taken if none of those to matched is.
func (m *monitor) stays(at int) bool {
	var others *expr
	for _, x := range m.states[at] {
		if x.to == matched && x.guard != nil {
			others = conj(others, negate(x.guard))
		}
	}
	return slices.ContainsFunc(m.states[at], func(x move) bool {
		return x.to == at && (always(x.guard) || others != nil && show(x.guard) == show(others))
	})
}

// reaches reports whether a monitor may come from one state to another, in one move or more.
func (m *monitor) reaches(from, to int) bool {
	seen := make([]bool, len(m.states))
	work := []int{from}
	for len(work) > 0 {
		at := work[0]
		work = work[1:]
		for _, x := range m.states[at] {
			if x.to == to {
				return true
			}
			if x.to != matched && !seen[x.to] {
				seen[x.to] = true
				work = append(work, x.to)
			}
		}
	}
	return false
}
