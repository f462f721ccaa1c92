package promela

import (
	"slices"
	"strings"

	"orbitmc/internal/lists"
)

// The walker is a second interpreter of programs, for what the lowering does. It walks the syntax tree, as the parser
// leaves it, and knows neither automata nor the model: from these files up to walk_moves.go no code of the stages behind
// the parser is used, which TestWalkerStandsAlone checks. What it means is what SPIN's verifier does, statement by
// statement; it is slow and plain.
//
//	walk.go       where a process may be, and what it may take there
//	walk_eval.go  states and expressions
//	walk_moves.go statements
//	agree.go      compares it with the model
//
// A process is at a node: a statement, or the meeting point behind a choice. Gotos, breaks and meeting points are passed
// over where SPIN passes over them: everywhere but as the first statement of an option or behind a label, and where
// the way leads out of an atomic sequence.

// walkNode is a place of a process.
type walkNode struct {
	id    int   // as SPIN numbers places
	st    *stmt // of a meeting point: the choice
	joint bool  // behind a choice, or before the options of a loop

	next *walkNode // what stands behind it; nil: see around
	in   *walkNode // the block that it is the last one of
	step *walkNode // the innermost d_step around it

	parts   []walkSeq  // options, else last; the statements of a block; what is escaped from, and the escape
	escapes []*walkSeq // the outermost first
	atomic  bool       // a process that takes it keeps control
	closes  bool       // it is the last one of an atomic sequence
	end     bool       // a process may stay here for ever
}

// walkSeq is a sequence of statements.
type walkSeq struct{ first, last *walkNode }

// walkProctype is a proctype as the walker sees it.
type walkProctype struct {
	*proctype
	start  *walkNode
	nodes  []*walkNode // as they are read
	loops  map[*stmt]*walkNode
	marks  map[*stmt]*walkNode // of labels
	places map[*sym]int        // of its variables
	width  int
}

// walkPlan is what is around a statement.
type walkPlan struct {
	inside  bool // an atomic sequence, and not last there
	last    bool // the last one of it
	escapes []*walkSeq
	step    *walkNode
}

// readProctype finds the places of a proctype.
func readProctype(q *proctype) *walkProctype {
	p := &walkProctype{proctype: q, loops: map[*stmt]*walkNode{}, marks: map[*stmt]*walkNode{}, places: map[*sym]int{}}
	body := p.sequence(q.body, walkPlan{}, false)
	end := p.node(&stmt{kind: sEnd, at: q.at, text: "-end-"}, walkPlan{})
	body.last.next, end.end = end, true
	p.gotos()
	p.ends()
	for i, n := range p.nodes {
		n.id = i
	}
	p.start = p.settle(body.first, body.first.atomic)
	for _, s := range q.locals {
		p.places[s] = p.width
		p.width += s.n * walkWidth(s.typ)
	}
	return p
}

func (p *walkProctype) node(st *stmt, plan walkPlan) *walkNode {
	n := &walkNode{st: st, atomic: plan.inside, closes: plan.last, escapes: plan.escapes, step: plan.step}
	p.nodes = append(p.nodes, n)
	return n
}

// sequence reads statements; option says that they are an option of a choice, where SPIN drops some skips.
func (p *walkProctype) sequence(stmts []*stmt, plan walkPlan, option bool) (s walkSeq) {
	idle := false // a skip or printf stands before
	for i, st := range stmts {
		passes := st.kind == sPrint || st.kind == sCond && st.e.op == opConst && st.e.val == 1
		if option && passes && idle && st.kind != sPrint && i < len(stmts)-1 {
			continue
		}
		idle = passes
		own := plan
		own.last = plan.last && i == len(stmts)-1
		own.inside = plan.inside || plan.last && !own.last
		part := p.statement(st, own, nil)
		if s.first == nil {
			s.first = part.first
		} else {
			s.last.next = part.first
		}
		s.last = part.last
	}
	return s
}

// statement reads one statement with its labels.
func (p *walkProctype) statement(st *stmt, plan walkPlan, labels []*stmt) walkSeq {
	if st.kind == sLabel {
		return p.statement(st.subs[0][0], plan, append(labels, st))
	}
	within := plan
	within.inside, within.last = plan.inside || plan.last, false
	var named *walkNode
	var s walkSeq
	switch st.kind {
	case sIf, sDo:
		s, named = p.choice(st, plan, within)
	case sUnless:
		main, esc := within, &walkSeq{}
		main.escapes = append(slices.Clip(plan.escapes), esc)
		body := p.sequence(st.subs[0], main, false)
		before := len(p.nodes)
		if *esc = p.sequence(st.subs[1], within, false); st.bare {
			p.behind(st.subs[0][0], before)
		}
		n := p.node(st, within)
		n.parts = []walkSeq{body, *esc}
		j := joint(st, plan)
		p.nodes = append(p.nodes, j)
		n.next, body.last.next, esc.last.next = j, j, j
		s, named = walkSeq{n, j}, n
	case sBlock, sAtomic, sDstep:
		named = &walkNode{st: st, escapes: plan.escapes, step: plan.step, atomic: plan.inside || plan.last && st.kind != sDstep, closes: plan.last && st.kind == sDstep}
		inner := plan
		if st.kind != sBlock && !plan.inside {
			inner.last = true
		}
		if st.kind == sDstep && plan.step == nil {
			inner.step = named
		}
		body := p.sequence(st.subs[0], inner, false)
		named.parts = []walkSeq{body}
		body.last.in = named
		p.nodes = append(p.nodes, named)
		s = walkSeq{named, named}
	default:
		named = p.node(st, plan)
		s = walkSeq{named, named}
	}
	return p.label(s, named, plan, within, labels)
}

// behind puts a statement that is no block, which was read last before so many places, behind those: SPIN makes the statement
// when it has read the escape from it.
func (p *walkProctype) behind(st *stmt, before int) {
	for st.kind == sLabel {
		st = st.subs[0][0]
	}
	own := map[stKind]int{sIf: 2, sDo: 3}[st.kind] // with the joints
	from := before - max(own, 1)
	p.nodes = slices.Concat(p.nodes[:from], p.nodes[before:], p.nodes[from:before])
}

// label names a statement. Where a goto has a label that says something, SPIN puts a skip before it.
func (p *walkProctype) label(s walkSeq, n *walkNode, plan, within walkPlan, labels []*stmt) walkSeq {
	says := slices.ContainsFunc(labels, func(l *stmt) bool {
		return strings.HasPrefix(l.name, "end") || strings.HasPrefix(l.name, "accept") || strings.HasPrefix(l.name, "progress")
	})
	looked := slices.ContainsFunc(labels, func(l *stmt) bool { return p.watched[l.name] && p.seen(l.name) == l })
	if n.st.kind == sGoto && (says || looked) {
		if says {
			plan = within
		}
		skip := p.node(&stmt{kind: sCond, at: n.st.at, text: "1", e: &expr{op: opConst, at: n.st.at, val: 1}}, plan)
		skip.next = n
		n, s.first = skip, skip
	}
	for _, l := range labels {
		p.marks[l] = n
		n.end = n.end || strings.HasPrefix(l.name, "end")
	}
	return s
}

// joint makes a meeting point, which is no place yet.
func joint(st *stmt, plan walkPlan) *walkNode {
	meets := &stmt{kind: st.kind, at: st.at, text: "(join)"}
	return &walkNode{st: meets, joint: true, atomic: plan.inside, closes: plan.last, step: plan.step}
}

// choice reads if and do. Before the options of a loop there is a joint as well.
func (p *walkProctype) choice(st *stmt, plan, within walkPlan) (walkSeq, *walkNode) {
	before, behind := joint(st, within), joint(st, plan)
	n := &walkNode{st: st, next: behind, atomic: within.inside, escapes: plan.escapes, step: plan.step}
	first, next := n, behind // where the choice begins, and where its options lead
	if st.kind == sDo {
		first, next, p.loops[st] = before, before, behind
		before.next, behind.escapes = n, plan.escapes // a loop ends like a goto
	}
	var others []walkSeq
	for _, opt := range st.subs {
		s := p.sequence(opt, within, true)
		s.last.next = next
		if s.first.st.kind == sElse {
			others = append(others, s)
		} else {
			n.parts = append(n.parts, s)
		}
	}
	n.parts = append(n.parts, others...)
	if p.nodes = append(p.nodes, n); st.kind == sDo {
		p.nodes = append(p.nodes, before)
	}
	p.nodes = append(p.nodes, behind)
	return walkSeq{first, behind}, n
}

// follow returns what stands behind a node, nil behind the end.
func (n *walkNode) follow() *walkNode {
	for ; n != nil; n = n.in {
		if n.next != nil {
			return n.next
		}
	}
	return nil
}

// target returns where a goto or break leads.
func (p *walkProctype) target(n *walkNode) *walkNode {
	if n.st.exit != nil {
		return p.loops[n.st.exit]
	}
	return p.marked(p.goal(n.st))
}

// marked returns the place of a label.
func (p *walkProctype) marked(l *stmt) *walkNode {
	if l == nil {
		panic(walkUncovered("a label that is not there"))
	}
	return p.marks[l]
}

// gotos finds those that give up control, as they leave an atomic sequence, and those that keep it, as they lead into one.
func (p *walkProctype) gotos() {
	for _, n := range p.nodes {
		if n.st.kind != sGoto || !n.atomic && !n.closes {
			continue
		}
		to := p.target(n)
		n.atomic = to.atomic || to.closes
		n.closes = !n.atomic
	}
}

// maxPasses bounds the gotos in a row.
const maxPasses = 500

// settle returns where a process comes to rest that is on its way to n; inside says that it is in an atomic sequence,
// which it does not leave on the way.
func (p *walkProctype) settle(n *walkNode, inside bool) *walkNode {
	for range maxPasses {
		to := n
		switch {
		case n.joint:
			if to = n.follow(); to == nil {
				return n
			}
		case n.st.kind == sGoto:
			to = p.target(n)
		case n.st.kind == sUnless:
			to = p.settle(n.parts[0].first, inside)
		default:
			return n
		}
		if inside && !to.atomic {
			return n
		}
		n = to
	}
	panic(walkUncovered("gotos without end"))
}

// begin returns the first statement of an option.
func begin(n *walkNode) *walkNode {
	for range maxPasses {
		switch {
		case n.joint && n.follow() != nil:
			n = n.follow()
		case n.joint:
			return n
		case n.st.kind == sUnless:
			n = n.parts[0].first
		default:
			return n
		}
	}
	panic(walkUncovered("an option without a statement"))
}

// chooses reports whether a process at n takes what is inside it.
func (n *walkNode) chooses() bool {
	k := n.st.kind
	return !n.joint && (k == sIf || k == sDo || k == sBlock || k == sAtomic || k == sDstep && n.step != nil)
}

// basics returns the basic statements and d_steps that may be first at n, without escapes.
func (n *walkNode) basics() []*walkNode {
	if !n.chooses() {
		return []*walkNode{n}
	}
	var all []*walkNode
	for _, s := range n.parts {
		all = append(all, begin(s.first).basics()...)
	}
	return all
}

// walkOption is a statement that a process may take at its place; escape is the place where the escape begins that it
// belongs to.
type walkOption struct{ act, escape *walkNode }

// options returns what there is at n. An escape comes before what it escapes from. The verifier looks for escapes place by
// place, in the order of their numbers, and puts each one that it finds before those that it has: at a place of a smaller number
// it has found those that escape from the escape itself.
func (p *walkProctype) options(n *walkNode) []walkOption {
	all := n.plain()
	for _, b := range n.basics() {
		for _, esc := range slices.Backward(b.escapes) {
			e := p.settle(esc.first, b.atomic)
			from := e.plain()
			if e.id < n.id {
				from = p.options(e)
			}
			for _, o := range from {
				if !slices.ContainsFunc(all, func(x walkOption) bool { return x.act == o.act }) {
					all = append([]walkOption{{o.act, e}}, all...)
				}
			}
		}
	}
	return all
}

// plain returns the options at n without escapes.
func (n *walkNode) plain() []walkOption {
	return lists.Map(n.basics(), func(b *walkNode) walkOption { return walkOption{b, nil} })
}

// to returns where a process is that has taken a statement.
func (p *walkProctype) to(n *walkNode) *walkNode {
	switch {
	case n.st.kind == sEnd:
		return nil
	case !n.joint && n.st.kind == sGoto:
		return p.settle(p.target(n), n.atomic)
	case n.follow() == nil:
		return n
	}
	return p.settle(n.follow(), n.atomic)
}

// ends carries labels of valid ends to where SPIN has them: from a choice in a choice to what is first in it, and from
// the first statement of an option to what is behind it.
func (p *walkProctype) ends() {
	for _, n := range p.nodes {
		if !n.chooses() {
			continue
		}
		for _, s := range n.parts {
			if g := begin(s.first); g.chooses() && g.end {
				for _, b := range g.basics() {
					b.end = true
				}
			}
		}
	}
	for _, n := range p.nodes {
		if !n.chooses() || n.step != nil {
			continue
		}
		for _, b := range n.basics() {
			if to := p.to(b); b.end && to != nil {
				to.end = true
			}
		}
	}
	for _, n := range p.nodes {
		if n.joint && n.end {
			p.to(n).end = true
		}
	}
}
