package stateless

import "orbitmc/prog"

// Dynamic partial-order reduction: Flanagan and Godefroid, POPL 2005, with the source sets of
// Abdulla, Aronis, Jonsson and Sagonas, JACM 2017. A node begins with one process. Where what a process
// does next conflicts with a step on the path that did not have to come first, the node before that step
// gets a process that may begin an execution in which the order is the other one. Processes that
// are blocked count as well: what they wait for may have been there before. All that a process may do at a
// location counts as one operation, also if only some of it is enabled.
//
// docs/theory/stateless.md has the proof that no execution is missed.

// clock says, by agent, how many steps of the path the last step of it, that happened before, is behind
// the start: all steps of the agent up to that one happened before.
type clock []int

// before reports whether the step at depth i, of an agent, happened before what c is the clock of.
func (c clock) before(i, agent int) bool { return c != nil && c[agent] > i }

func (c clock) join(d clock) {
	for a, k := range d {
		c[a] = max(c[a], k)
	}
}

// event is a step of the path.
type event struct {
	agent int
	foot  *prog.Footprint // all that its agent might have done in its place, and what it does to others
	clock clock           // its own, the step itself included
}

// enter makes the event of a move of the node at depth k, and returns the clocks of its actors
// before it.
func (s *search) enter(k int, m *move, actors []int) (before []clock) {
	n := s.nodes[k]
	for _, r := range actors[1:] {
		if s.steps.Moves(n.state, r) && s.broken != "receivers have one way" {
			n.all() // where it is now, nobody will see what it might have done here
		}
	}
	e := &n.event
	e.agent, e.foot = m.agent, s.steps.Next(n.state, m.agent)
	c := make(clock, s.steps.Agents())
	for _, a := range actors {
		before = append(before, s.clocks[a])
		c.join(s.clocks[a])
	}
	for i := k - 1; i >= 0; i-- {
		if d := &s.nodes[i].event; !c.before(i, d.agent) && d.foot.Conflicts(e.foot) {
			c.join(d.clock)
		}
	}
	c[m.agent] = k + 1
	e.clock = c
	for _, a := range actors {
		s.clocks[a] = c
	}
	return before
}

// races adds to the nodes of a path of k steps what has to be explored there because of what
// processes do next.
func (s *search) races(k int) {
	n := s.nodes[k]
	moves := make([]bool, s.steps.Agents())
	for i := range n.moves {
		moves[n.moves[i].agent] = true
	}
	past := make(clock, s.steps.Agents())
	for a := range moves {
		if s.stuck[a] || s.steps.Location(n.state, a) == 0 {
			continue
		}
		if !moves[a] && s.broken == "blocked processes are left out" {
			continue
		}
		foot := s.steps.Next(n.state, a)
		clear(past)
		past.join(s.clocks[a])
		for i := k - 1; i >= 0; i-- {
			e := &s.nodes[i].event
			if past.before(i, e.agent) || e.agent == a || !e.foot.Conflicts(foot) {
				continue
			}
			s.reverse(i, k, a, past, moves[a])
			if moves[a] { // a step between them comes first
				past.join(e.clock)
			}
		}
	}
}

// reverse lets the node at depth i explore an execution in which what agent a does next comes
// before the step there; past is what comes before that in any case, if a can move.
func (s *search) reverse(i, k, a int, past clock, moves bool) {
	n := s.nodes[i]
	first := -1
	for j := i + 1; j < k; j++ {
		e := &s.nodes[j].event
		if !past.before(j, e.agent) {
			continue
		}
		// It can come first if nothing in the past between comes before it.
		begins := true
		for h := i + 1; h < j; h++ {
			if d := &s.nodes[h].event; past.before(h, d.agent) && e.clock.before(h, d.agent) {
				begins = false
			}
		}
		if !begins {
			continue
		}
		if n.todo[e.agent] {
			return
		}
		if first < 0 {
			first = e.agent
		}
	}
	// Without a past it is a itself. If it is blocked behind the step, or would do something else there, other steps may have
	// to come first; then a tells which, if something that begins with it is explored here.
	enough := first >= 0 || moves && s.steps.Next(n.state, a).Equal(s.steps.Next(s.nodes[k].state, a)) || s.broken == "sleepers tell"
	if first < 0 {
		first = a
	}
	found := false
	for j := range n.moves {
		if m := &n.moves[j]; m.agent == first {
			n.todo[first], found = true, true
			enough = enough || !m.asleep || m.done
		}
	}
	if !found || !enough {
		n.all()
	}
}

// all lets a node explore everything.
func (n *node) all() {
	for j := range n.moves {
		n.todo[n.moves[j].agent] = true
	}
}
