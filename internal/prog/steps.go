package prog

import (
	"fmt"
	"slices"

	"orbitmc/model"
)

// Steps is what partial orders need of a program: which process takes a rule instance, what
// that touches, and what a process may touch from a location on. The process that takes an
// instance is its first parameter, which begins; a receiver in a handshake takes no step of
// its own.
//
// It is read-only once made, but for At, which is not safe for concurrent use.
type Steps struct {
	*agents
	p *Program
	m *model.Model

	instances []instance
	first     []int // by rule: its first instance
	nodes     []node
	cyclic    *Loc // on a cycle of locations; nil: there is none
	shared    Set  // written, and touched by several processes
	always    Set  // leaves of processes that are never dead
	at        Footprint
	twins     map[twinKey]*Twin
}

type instance struct {
	model.Choice
	kind    Kind
	owner   int   // the agent that takes it; -1: none
	actors  []int // agents, by parameter
	from    []int // by parameter: the location
	moves   []move
	foot    Footprint // all that it may touch in any state
	sure    Footprint // without what depends on the state
	varying []access  // that: places whose indices the state decides
	facts   []fact    // what its guard asks, in order
	kills   Set       // leaves that it surely overwrites
}

// fact is a conjunct of a guard.
type fact struct {
	e     model.Expr
	foot  Set  // reads
	plain bool // its evaluation cannot err
	up    bool // if it is false, only a greater value can make it true
	down  bool // ... or a smaller one
}

// node is an agent at a location.
type node struct {
	agent  int
	steps  []int     // instances that the agent may take there
	op     Footprint // of all of them
	future Footprint // of all that may follow, too
	next   []int     // nodes
	alone  bool      // nothing that op touches is shared, and no loop of such nodes leads back here
	live   Set       // leaves of the agent that may be read before they are written
}

// maxInstances bounds the rule instances of a program whose footprints are kept.
const maxInstances = 200_000

// NewSteps analyses a program; m is p.Model, or the same with classes of values. The error
// says what keeps it from being analysed.
func NewSteps(p *Program, m *model.Model) (*Steps, error) {
	s := &Steps{agents: newAgents(p, m), p: p, m: m, twins: map[twinKey]*Twin{}}
	s.at, s.shared, s.always = s.footprint(), s.set(), s.set()
	s.nodes = make([]node, s.agents.nodes)
	total := uint64(0)
	for _, r := range m.Rules {
		n := uint64(1)
		for _, q := range r.Params {
			n *= q.Domain.Size()
		}
		if total += n; total > maxInstances {
			return nil, fmt.Errorf("%s: the program has more than %d instances of steps", m.File, maxInstances)
		}
	}
	for _, r := range m.Rules {
		s.first = append(s.first, len(s.instances))
		for _, params := range model.InstancesOf(r.Params) {
			s.addInstance(r, params)
		}
	}
	for n := range s.all {
		for l := range s.all[n].locs + 1 {
			s.nodes[s.all[n].node+l] = node{agent: n, op: s.footprint(), live: s.set()}
		}
	}
	s.tie()
	s.findShared()
	s.findFutures()
	s.findLive()
	return s, nil
}

// addInstance adds an instance of a rule.
func (s *Steps) addInstance(r *model.Rule, params []int64) {
	e := &s.p.Edges[r.Index]
	x := instance{Choice: model.Choice{Rule: r.Index, Params: params}, kind: e.Kind, owner: -1}
	rd := s.reader(r, params)
	for k, proto := range e.Actors {
		n := -1
		if leaf, ok := s.p.Protos[proto].record(params[k]); ok {
			n = s.owner[leaf]
		}
		from := 0
		if i := slices.IndexFunc(e.Parts, func(q Part) bool { return q.Actor == k }); i >= 0 {
			from = e.Parts[i].From
		}
		x.actors, x.from = append(x.actors, n), append(x.from, from)
	}
	if len(x.actors) > 0 {
		x.owner = x.actors[0]
	}
	rd.facts = model.Conjuncts(r.Guard)
	for _, f := range rd.facts {
		if v, known := (env{r, params, nil}).eval(f); known && v == 0 { // never, as a handshake with itself
			s.instances = append(s.instances, instance{Choice: x.Choice, kind: x.kind, owner: -1, foot: s.footprint()})
			return
		}
	}
	for _, f := range rd.facts {
		k, places := len(rd.accesses), len(rd.places)
		rd.Reads(f)
		x.facts = append(x.facts, s.fact(rd, f, rd.accesses[k:], rd.places[places:]))
	}
	rd.Stmts(r.Body)
	x.kills = s.set()
	for _, b := range r.Body {
		switch b.(type) {
		case *model.Assign, *model.Reset:
			s.kill(rd, x.kills, model.Written(b))
		}
	}
	s.collect(&x, rd)
	s.instances = append(s.instances, x)
}

func (s *Steps) kill(rd *reader, kills Set, e model.Expr) {
	if p, ok := rd.place(e); ok && len(p.Dims) == 0 {
		p.Leaves(func(leaf int) { kills.add(leaf) })
	}
}

// fact describes a conjunct of a guard.
func (s *Steps) fact(rd *reader, e model.Expr, accesses []access, places []int) fact {
	f := fact{e: e, foot: s.set(), plain: true}
	for _, a := range accesses {
		a.Leaves(func(leaf int) { s.addLeaf(f.foot, leaf) })
	}
	for _, o := range places {
		f.foot.add(o)
	}
	model.InspectIf(e, func(n any) bool {
		if x, ok := n.(model.Expr); ok {
			if _, known := (env{rd.rule, rd.params, nil}).eval(x); known {
				return false
			}
		}
		switch n := n.(type) {
		case *model.IndexSel:
			_, known := env{rd.rule, rd.params, nil}.eval(n.Index)
			f.plain = f.plain && known
		case *model.Binary:
			f.plain = f.plain && n.Op != model.Div && n.Op != model.Mod
		case *model.CallExpr, *model.Let, *model.Convert, *model.Quant:
			f.plain = false
		}
		return true
	})
	if _, op, c, ok := rd.bound(e); ok {
		f.up = op == model.Gt || op == model.Ge || op == model.Ne && c == 0
		f.down = op == model.Lt || op == model.Le || op == model.Eq && c == 0
	}
	return f
}

// addLeaf adds a leaf to a set. That of a location stands for all locations of its agent.
func (s *Steps) addLeaf(to Set, leaf int) {
	if n := s.owner[leaf]; n >= 0 && s.all[n].pc == leaf {
		g := &s.all[n]
		for l := range g.locs + 1 {
			to.add(g.place + l)
		}
		return
	}
	to.add(leaf)
}

// collect makes the footprints of an instance.
func (s *Steps) collect(x *instance, rd *reader) {
	x.foot, x.sure = s.footprint(), s.footprint()
	for _, o := range rd.places {
		x.sure.Reads.add(o)
	}
	x.moves = rd.moves
	for _, v := range x.moves {
		if k := slices.Index(x.actors, v.agent); k >= 0 && v.to >= 0 { // not a process that is made
			g := &s.all[v.agent]
			x.sure.Writes.add(g.place + x.from[k])
			x.sure.Writes.add(g.place + v.to)
		}
	}
	for _, a := range rd.accesses {
		varies := len(a.Dims) > 0 && a.plain
		if varies {
			x.varying = append(x.varying, a)
		}
		a.Leaves(func(leaf int) {
			s.touch(&x.foot, x, leaf, &a)
			if !varies {
				s.touch(&x.sure, x, leaf, &a)
			}
		})
	}
	if rd.Any {
		x.varying = nil
		for o := range s.objects {
			for _, t := range []Set{x.sure.Reads, x.sure.Writes, x.sure.Up, x.sure.Down} {
				t.add(o)
			}
		}
	}
	x.foot.or(&x.sure)
	// An index may be looked up before the step only if the step does not write what it reads.
	written := x.foot.Writes
	for _, a := range x.varying {
		for _, d := range a.Dims {
			before := s.reader(rd.rule, rd.params)
			before.Reads(d.Index)
			bad := before.Any
			for _, b := range before.accesses {
				b.Leaves(func(leaf int) { bad = bad || written.Has(leaf) })
			}
			if bad {
				x.sure, x.varying = x.foot, nil
				return
			}
		}
	}
}

// touch adds a leaf that is accessed. The location of an actor is no leaf: its moves say what
// is written.
func (s *Steps) touch(f *Footprint, x *instance, leaf int, a *access) {
	if n := s.owner[leaf]; n >= 0 && s.all[n].pc == leaf && a.write && slices.Contains(x.actors, n) &&
		!slices.ContainsFunc(x.moves, func(v move) bool { return v.agent == n && v.to < 0 }) {
		return
	}
	if !a.write {
		s.addLeaf(f.Reads, leaf)
		return
	}
	s.addLeaf(f.Writes, leaf)
	if a.up {
		s.addLeaf(f.Up, leaf)
	}
	if a.down {
		s.addLeaf(f.Down, leaf)
	}
}

// tie gives the nodes their steps, and what checks of assertions read to the steps there.
func (s *Steps) tie() {
	for i := range s.instances {
		x := &s.instances[i]
		if x.owner < 0 {
			continue
		}
		n := &s.nodes[s.all[x.owner].node+x.from[0]]
		switch x.kind {
		case Step:
			n.steps = append(n.steps, i)
			n.op.or(&x.foot)
			s.follow(x)
		case Check:
			n.op.Reads.or(x.foot.Reads)
		}
	}
	for i := range s.instances {
		x := &s.instances[i]
		if x.kind != Check || x.owner < 0 {
			continue
		}
		for _, k := range s.nodes[s.all[x.owner].node+x.from[0]].steps {
			s.instances[k].foot.Reads.or(x.foot.Reads)
			s.instances[k].sure.Reads.or(x.foot.Reads)
		}
	}
	// Objects that stand for locations have no order.
	for i := range s.nodes {
		for o := s.leaves; o < s.objects; o++ {
			if s.nodes[i].op.Writes.Has(o) {
				s.nodes[i].op.Up.add(o)
				s.nodes[i].op.Down.add(o)
			}
		}
	}
}

// follow adds where an instance takes its actors, and the processes that it makes.
func (s *Steps) follow(x *instance) {
	for _, v := range x.moves {
		from := s.all[x.owner].node + x.from[0]
		if k := slices.Index(x.actors, v.agent); k >= 0 {
			from = s.all[v.agent].node + x.from[k]
		} else {
			v.to = -1
		}
		for _, t := range s.targets(v) {
			if n := &s.nodes[from]; !slices.Contains(n.next, t) {
				n.next = append(n.next, t)
			}
		}
	}
}

// targets returns the nodes at which a move may leave its agent.
func (s *Steps) targets(v move) (nodes []int) {
	g := &s.all[v.agent]
	for l := range g.locs + 1 {
		if v.to < 0 || v.to == l {
			nodes = append(nodes, g.node+l)
		}
	}
	return nodes
}

// findShared finds the objects that one process writes and another one touches.
func (s *Steps) findShared() {
	written, touched, several := s.set(), s.set(), s.set()
	for n := range s.all {
		g := &s.all[n]
		mine := s.footprint()
		for l := range g.locs + 1 {
			mine.or(&s.nodes[g.node+l].op)
		}
		written.or(mine.Writes)
		mine.Reads.or(mine.Writes)
		mine.Reads.each(func(o int) {
			if touched.Has(o) {
				several.add(o)
			}
		})
		touched.or(mine.Reads)
	}
	for i := range s.shared {
		s.shared[i] = written[i] & several[i]
	}
	for i := range s.nodes {
		n := &s.nodes[i]
		n.alone = len(n.steps) > 0 && !n.op.Reads.Meets(s.shared) && !n.op.Writes.Meets(s.shared)
	}
	var loops []int
	for i := range s.nodes {
		if s.nodes[i].alone && s.reached(i, func(k int) bool { return s.nodes[k].alone })[i] {
			loops = append(loops, i)
		}
	}
	for _, i := range loops { // others would never have a turn
		s.nodes[i].alone = false
	}
}

// reached returns the nodes to which one or more steps lead from a node, by nodes that may be passed.
func (s *Steps) reached(from int, pass func(node int) bool) []bool {
	seen := make([]bool, len(s.nodes))
	for work := []int{from}; len(work) > 0; {
		k := work[len(work)-1]
		work = work[:len(work)-1]
		for _, t := range s.nodes[k].next {
			if !seen[t] && pass(t) {
				seen[t] = true
				work = append(work, t)
			}
		}
	}
	return seen
}

// findFutures finds what follows each node, and a cycle.
func (s *Steps) findFutures() {
	for i := range s.nodes {
		f := s.footprint()
		f.or(&s.nodes[i].op)
		for k, is := range s.reached(i, func(int) bool { return true }) {
			if is {
				f.or(&s.nodes[k].op)
			}
			if is && k == i && s.cyclic == nil {
				s.cyclic = s.loc(i)
			}
		}
		s.nodes[i].future = f
	}
}

func (s *Steps) loc(node int) *Loc {
	g := &s.all[s.nodes[node].agent]
	return g.loc(node - g.node)
}

// Cycle returns a location to which a process may come back, or nil if there is none: then
// all runs end.
func (s *Steps) Cycle() *Loc { return s.cyclic }

// instance returns the number of a rule instance.
func (s *Steps) Instance(ch model.Choice) int {
	k := 0
	for i, q := range s.m.Rules[ch.Rule].Params {
		t := q.Var.Type
		k = k*int(t.Hi-t.Lo+1) + int(ch.Params[i]-t.Lo)
	}
	return s.first[ch.Rule] + k
}
