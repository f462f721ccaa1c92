// Package events explores the executions of a system whose agents take steps, depth first, each
// order of independent steps once where that can be seen: dynamic partial-order reduction (DPOR). It imports nothing but the standard
// library's embed: `orbitmc go` compiles it into the programs that it runs.
//
// The system is run by a driver. In each state the driver says which moves are enabled and what
// every agent, blocked or not, would do next; Explorer.Next says which move is taken. When the
// execution is over, Explorer.End goes back to the last state with something left, and the driver
// runs the system again, along the same path, or takes up a state that it kept.
//
// The reduction: sleep sets (Godefroid, Partial-Order Methods, 1996, chapter 5), and backtracking points by races
// (Flanagan and Godefroid, POPL 2005) with the source sets of Abdulla, Aronis, Jonsson and Sagonas (JACM 2017), for
// moves that several agents take together. A node begins with one agent. Where what an agent does next
// depends on a step on the path that did not have to come first, the node before that step gets an agent that may begin an
// execution in which the order is the other one. Agents that are blocked count as well: what they wait for may have been there
// before. In place of races, the driver may say what a state explores. docs/theory/stateless.md has the argument.
package events

// Dependence relates two operations.
type Dependence uint8

const (
	Independent Dependence = iota // either order, one state
	Ordered                       // dependent, and never enabled both: no race
	Dependent
)

// Foot is what operations touch.
type Foot[F any] interface{ Depends(F) Dependence }

// Move is an enabled step.
type Move[F any] struct {
	ID      uint64 // among the moves of the state, and of later ones in which no actor has moved
	Actors  []int  // the agents that take it; the first leads
	Foot    F
	Barrier bool // it is enabled only where nothing else is: all steps before come before it, all behind after
}

// State is what the driver says of a state.
type State[F any] struct {
	Moves  []Move[F]
	Cut    bool   // the execution ends here all the same
	Next   []F    // by agent: all that its next operation may touch, whatever it chooses
	Waits  []bool // by agent: there is a next operation, enabled or not
	Anew   []bool // by agent, or nothing: it has not moved, and its next operation is not that of the state before
	Single []bool // by agent: its next operation has one outcome and no partner, is enabled by what it touches alone, and of any two steps that may let it move the order counts
	Parent []int  // by agent: who made it; -1: nobody. An agent is first seen in the state behind the step of its parent that made it
	Prefer int    // the agent that goes on if nothing else counts; -1: none
	Sum    uint64 // of the state, to see that a path that is run again is the same one
}

// Clock says, by agent, how many steps of the path are behind the start up to its last step that came before.
type Clock []int

func (c Clock) before(i, agent int) bool { return agent < len(c) && c[agent] > i }

func (c *Clock) join(d Clock) {
	for len(*c) < len(d) {
		*c = append(*c, 0)
	}
	for a, k := range d {
		(*c)[a] = max((*c)[a], k)
	}
}

// Broken names a rule that a test leaves out.
type Broken string

const (
	NoJoint  Broken = "a joint step is one of its leader only" // in sleep sets
	NoWaits  Broken = "blocked agents are left out"
	NoRaces  Broken = "no backtracking points"
	NoClosed Broken = "other steps of an actor are left out"
	Sleepers Broken = "a sleeping step is enough"
)

// Explorer is a search. The zero value begins one.
type Explorer[F Foot[F]] struct {
	Unreduced bool // no reduction: all orders
	Static    bool // no races are looked for: a state explores what Choose says
	Broken    Broken

	// Choose returns the agents that a new state explores, which lead moves of it; asleep says of each move whether all that
	// begins with it was explored. If there is no such function, or it returns nothing, these are all if Unreduced or Static,
	// and else the agents of the first move that is awake and those that races add.
	Choose func(asleep []bool) []int
	// Covered reports whether all that begins with a move of the state at depth k was explored up to symmetry,
	// if all was that begins with the moves that are gone.
	Covered func(k, move int, gone func(move int) bool) bool

	Executions int // that ended
	Pruned     int // that were given up since all that goes on from there was explored
	Left       int // moves that were left out
	nodes      []*node[F]
	spare      []*node[F]
	depth      int
	clocks     []Clock // by agent: of its last step
	loaded     []Frame
	last       []sleeper[F]
}

type node[F Foot[F]] struct {
	moves  []Move[F]
	next   []F
	waits  []bool
	asleep []bool // by move: all that begins with it was explored
	done   []bool // by move
	todo   []bool // by agent: its moves are to be explored
	taken  int
	sum    uint64

	agent int // of the step taken
	foot  []F
	clock Clock
}

type sleeper[F Foot[F]] struct {
	id     uint64
	actors []int
	foot   F
}

// Frame is what has to be known of a node to go on from it in another process.
type Frame struct {
	Taken int    `json:"taken"`
	Done  []int  `json:"done,omitempty"` // moves
	Todo  []int  `json:"todo,omitempty"` // agents
	Sum   uint64 `json:"sum"`            // of the state
}

// Verdict says how an execution goes on.
type Verdict uint8

const (
	Go       Verdict = iota
	Over             // no move is enabled
	Asleep           // all that goes on from here was explored
	Diverged         // the state is not the one that was here before
)

// Begin begins an execution.
func (e *Explorer[F]) Begin() {
	e.depth, e.clocks = 0, e.clocks[:0]
}

func (e *Explorer[F]) clockOf(a int) *Clock {
	for len(e.clocks) <= a {
		e.clocks = append(e.clocks, nil)
	}
	return &e.clocks[a]
}

// Next returns the move that the execution takes from a state.
func (e *Explorer[F]) Next(s *State[F]) (int, Verdict) {
	k := e.depth
	for a := len(e.clocks); a < len(s.Parent); a++ {
		var c Clock
		if p := s.Parent[a]; p >= 0 {
			c = e.clocks[p]
		}
		e.clocks = append(e.clocks, c)
	}
	if k < len(e.nodes) {
		n := e.nodes[k]
		if n.sum != s.Sum || len(n.moves) != len(s.Moves) {
			return 0, Diverged
		}
		switch {
		case e.Static:
		case k == len(e.nodes)-1:
			e.enter(k) // another move than before
		default:
			e.pass(n)
		}
		e.depth++
		return n.taken, Go
	}
	frame := len(e.loaded) > k
	if frame && (e.loaded[k].Sum != s.Sum || e.loaded[k].Taken >= len(s.Moves)) {
		return 0, Diverged
	}
	n := e.push(s)
	var asleep []sleeper[F]
	if k > 0 && !e.Unreduced {
		asleep = e.sleeping(e.nodes[k-1])
	}
	for i := range n.moves {
		for _, z := range asleep {
			n.asleep[i] = n.asleep[i] || z.id == n.moves[i].ID
		}
	}
	if !e.Unreduced && !e.Static && !frame {
		e.races(k, s)
	}
	if len(n.moves) == 0 || s.Cut {
		e.pop()
		return 0, Over
	}
	if frame { // explored in another process, up to here
		f := e.loaded[k]
		for _, a := range f.Todo {
			n.todo[a] = true
		}
		for _, i := range f.Done {
			n.done[i], n.asleep[i] = true, !e.Unreduced
		}
		n.taken = f.Taken
	} else if e.choose(k, n, s.Prefer); n.taken < 0 {
		e.Left += len(n.moves)
		e.pop()
		return 0, Asleep
	}
	if !e.Static {
		e.enter(k)
	}
	e.depth++
	return n.taken, Go
}

// choose decides what a new node explores, and takes the first move of it.
func (e *Explorer[F]) choose(k int, n *node[F], prefer int) {
	var agents []int
	if e.Choose != nil {
		agents = e.Choose(n.asleep)
	}
	for _, a := range agents {
		n.todo[a] = true
	}
	one := agents == nil && !e.Unreduced && !e.Static
	if agents == nil {
		n.all()
	}
	if n.taken = e.pick(k, n, prefer); one && n.taken >= 0 {
		clear(n.todo)
		e.add(n, n.moves[n.taken].Actors[0])
	}
}

func (e *Explorer[F]) push(s *State[F]) *node[F] {
	var n *node[F]
	if l := len(e.spare); l > 0 {
		n, e.spare = e.spare[l-1], e.spare[:l-1]
	} else {
		n = &node[F]{}
	}
	*n = node[F]{moves: n.moves[:0], next: n.next[:0], waits: append(n.waits[:0], s.Waits...),
		asleep: n.asleep[:0], done: n.done[:0], todo: n.todo[:0], foot: n.foot[:0], sum: s.Sum, taken: -1}
	// Elements with pointers are copied one by one: the race detector sees copies of slices.
	for _, m := range s.Moves {
		n.moves, n.asleep, n.done = append(n.moves, m), append(n.asleep, false), append(n.done, false)
	}
	//lint:ignore S1011 see above
	for _, f := range s.Next {
		n.next = append(n.next, f)
	}
	for range s.Parent {
		n.todo = append(n.todo, false)
	}
	e.nodes = append(e.nodes, n)
	return n
}

func (e *Explorer[F]) pop() {
	l := len(e.nodes) - 1
	e.spare, e.nodes = append(e.spare, e.nodes[l]), e.nodes[:l]
}

// pick returns the move of a node that is explored next: one of an agent if there is one; -1 if nothing is left.
func (e *Explorer[F]) pick(k int, n *node[F], prefer int) int {
	best := -1
	for i, m := range n.moves {
		switch {
		case n.done[i] || n.asleep[i] || !n.todo[m.Actors[0]] || best >= 0 && !has(m.Actors, prefer):
		case e.Covered != nil && e.Covered(k, i, func(j int) bool { return n.done[j] || n.asleep[j] }):
			n.asleep[i] = true
		case prefer < 0 || has(m.Actors, prefer):
			return i
		default:
			best = i
		}
	}
	return best
}

// add lets a node explore all moves of an agent; and of those that take part in one of them, since what
// an agent does here it does in place of what else it could do.
func (e *Explorer[F]) add(n *node[F], a int) {
	if n.todo[a] {
		return
	}
	n.todo[a] = true
	for _, m := range n.moves {
		if has(m.Actors, a) {
			for _, b := range m.Actors {
				if e.Broken == NoClosed && b != m.Actors[0] {
					continue
				}
				e.add(n, b)
			}
		}
	}
}

func (n *node[F]) all() {
	for _, m := range n.moves {
		for _, a := range m.Actors {
			n.todo[a] = true
		}
	}
}

func has(list []int, a int) bool {
	for _, b := range list {
		if a == b {
			return true
		}
	}
	return false
}

// enter makes the event of the move that a node takes.
func (e *Explorer[F]) enter(k int) {
	n := e.nodes[k]
	m := &n.moves[n.taken]
	n.agent, n.foot, n.clock = m.Actors[0], n.foot[:0], nil
	for i, a := range m.Actors { // what they might have done in its place, too
		if a < len(n.next) && n.waits[a] && (i == 0 || e.Broken != NoClosed) {
			n.foot = append(n.foot, n.next[a])
		}
	}
	if len(n.foot) == 0 {
		n.foot = append(n.foot, m.Foot)
	}
	for _, a := range m.Actors {
		n.clock.join(*e.clockOf(a))
	}
	for i := k - 1; i >= 0; i-- {
		if d := e.nodes[i]; m.Barrier || !n.clock.before(i, d.agent) && d.depends(n.foot) != Independent {
			n.clock.join(d.clock)
		}
	}
	for len(n.clock) <= n.agent {
		n.clock = append(n.clock, 0)
	}
	n.clock[n.agent] = k + 1
	e.pass(n)
}

// pass goes on along a path that was explored before.
func (e *Explorer[F]) pass(n *node[F]) {
	m := &n.moves[n.taken]
	for _, a := range m.Actors {
		*e.clockOf(a) = n.clock
	}
	if m.Barrier {
		for a := range n.next {
			*e.clockOf(a) = n.clock
		}
	}
}

// depends relates the step of a node to an operation.
func (n *node[F]) depends(foot []F) (d Dependence) {
	for _, f := range foot {
		d = max(d, n.on(f))
	}
	return d
}

func (n *node[F]) on(f F) (d Dependence) {
	for _, g := range n.foot {
		d = max(d, g.Depends(f))
	}
	return d
}

// Before reports whether the step at depth i of the path came before what an agent does next.
func (e *Explorer[F]) Before(i, agent int) bool {
	return i < len(e.nodes) && e.clockOf(agent).before(i, e.nodes[i].agent)
}

// Kept returns how many states of the path are those of the execution before; from the last of them another move is taken.
func (e *Explorer[F]) Kept() int { return len(e.nodes) }

// sleeping returns the moves that sleep behind the step of a node.
func (e *Explorer[F]) sleeping(n *node[F]) []sleeper[F] {
	asleep := e.last[:0]
	t := &n.moves[n.taken]
	for i := range n.moves {
		m := &n.moves[i]
		if !n.asleep[i] || i == n.taken || t.Barrier || m.Foot.Depends(t.Foot) != Independent {
			continue
		}
		shared := m.Actors[0] == t.Actors[0]
		for _, a := range m.Actors {
			shared = shared || e.Broken != NoJoint && has(t.Actors, a)
		}
		if !shared {
			asleep = append(asleep, sleeper[F]{m.ID, m.Actors, m.Foot})
		}
	}
	e.last = asleep
	return asleep
}

// races adds to the nodes of the path what has to be explored there because of what agents do next.
func (e *Explorer[F]) races(k int, s *State[F]) {
	if e.Broken == NoRaces {
		return
	}
	n := e.nodes[k]
	var past Clock
	for a, foot := range n.next {
		if !n.waits[a] {
			continue
		}
		moves, joint := false, false
		for i := range n.moves {
			if has(n.moves[i].Actors, a) {
				moves, joint = true, joint || len(n.moves[i].Actors) > 1
			}
		}
		if !moves && e.Broken == NoWaits {
			continue
		}
		past = past[:0]
		past.join(*e.clockOf(a))
		ordered := false // behind i is a step that may let the agent move
		least := 0
		if k > 0 {
			if d := e.nodes[k-1]; a < len(d.waits) && d.waits[a] && !has(d.moves[d.taken].Actors, a) && (s.Anew == nil || !s.Anew[a]) {
				least = k - 1 // the others were looked at before
			}
		}
		for i := k - 1; i >= least; i-- {
			d := e.nodes[i]
			if past.before(i, d.agent) {
				continue
			}
			switch d.on(foot) {
			case Ordered:
				ordered = true // what it depends on need not come first
			case Dependent:
				e.reverse(i, k, a, past, moves, moves && !joint && !ordered && s.Single[a])
				if moves { // a step between them comes first
					past.join(d.clock)
				}
			}
		}
	}
}

// reverse lets the node at depth i explore an execution in which what agent a does next comes
// before the step there; past is what comes before that in any case, if a can move.
func (e *Explorer[F]) reverse(i, k, a int, past Clock, moves, single bool) {
	n := e.nodes[i]
	first := -1
	for j := i + 1; j < k; j++ {
		d := e.nodes[j]
		if !past.before(j, d.agent) {
			continue
		}
		begins := true // nothing in the past between comes before it
		for h := i + 1; h < j && begins; h++ {
			c := e.nodes[h]
			begins = !past.before(h, c.agent) || !d.clock.before(h, c.agent)
		}
		if !begins {
			continue
		}
		if d.agent < len(n.todo) && n.todo[d.agent] {
			return
		}
		if first < 0 {
			first = d.agent
		}
	}
	// If a is blocked behind the step, or has other steps then, others may have to come first: a tells which, if
	// something that begins with it is explored here.
	enough := first >= 0 || e.Broken == Sleepers
	if first < 0 {
		first = a
	}
	found := false
	for j := range n.moves {
		if m := &n.moves[j]; has(m.Actors, first) {
			found = true
			enough = enough || !n.asleep[j] || n.done[j]
		}
	}
	if found {
		e.add(n, first)
	} else if single && first == a && a < len(n.waits) && n.waits[a] {
		return // the step there is what let it move
	}
	if !found || !enough {
		n.all()
	}
}

// End ends an execution and reports whether there is another one.
func (e *Explorer[F]) End(v Verdict) bool {
	if v == Asleep {
		e.Pruned++
	} else {
		e.Executions++
	}
	e.loaded = nil
	for len(e.nodes) > 0 {
		n := e.nodes[len(e.nodes)-1]
		n.done[n.taken], n.asleep[n.taken] = true, !e.Unreduced
		if i := e.pick(len(e.nodes)-1, n, -1); i >= 0 {
			n.taken = i
			return true
		}
		for _, d := range n.done {
			if !d {
				e.Left++
			}
		}
		e.pop()
	}
	return false
}

// Explored estimates which part of all executions was explored, from what is known to be left (Knuth 1975).
func (e *Explorer[F]) Explored() float64 {
	share, sum := 1.0, 0.0
	for _, n := range e.nodes {
		all, done := 0, 0
		for i, m := range n.moves {
			if n.done[i] && n.todo[m.Actors[0]] {
				done++
			}
			if (n.done[i] || !n.asleep[i]) && n.todo[m.Actors[0]] {
				all++
			}
		}
		all = max(all, done+1)
		sum += share * float64(done) / float64(all)
		share /= float64(all)
	}
	return sum
}

// Frames returns the path that is explored next, for Load.
func (e *Explorer[F]) Frames() []Frame {
	var all []Frame
	for _, n := range e.nodes {
		f := Frame{Taken: n.taken, Sum: n.sum}
		for i, d := range n.done {
			if d {
				f.Done = append(f.Done, i)
			}
		}
		for a, t := range n.todo {
			if t {
				f.Todo = append(f.Todo, a)
			}
		}
		all = append(all, f)
	}
	return all
}

// Load takes up a search where Frames left it.
func (e *Explorer[F]) Load(frames []Frame) { e.loaded = frames }
