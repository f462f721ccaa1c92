package stateless

import (
	"orbitmc/internal/prog"
	"orbitmc/model"
)

// Persistent sets (Godefroid 1996, chapter 4), of processes. A set of processes is closed in a state if
//
//   - whoever may at some time conflict with a step that a process in it, of which one is enabled,
//     may take where it is, is in it, and
//   - whoever may at some time write what a process in it waits for is in it.
//
// Then no process outside changes what those inside can do, however long it runs. The
// moves of the set are a persistent set. Among the closures of each process that can
// move, the one with the fewest moves that do not sleep is taken, of these the first.

func (s *search) persistent(n *node, asleep []bool) []int {
	count, awake := make([]int, s.steps.Agents()), make([]int, s.steps.Agents())
	for i := range n.moves {
		count[n.moves[i].agent]++
		if !asleep[i] {
			awake[n.moves[i].agent]++
		}
	}
	best, least := []bool(nil), 0
	for a, c := range count {
		if c == 0 {
			continue
		}
		p := s.closure(n.state, a, count)
		moves := 0
		for b, in := range p {
			if in {
				moves += awake[b]
			}
		}
		if best == nil || moves < least {
			best, least = p, moves
		}
		if least == 0 {
			break
		}
	}
	s.set = s.set[:0]
	for a, in := range best {
		if in {
			s.set = append(s.set, a)
		}
	}
	return s.set
}

// closure returns the least closed set that a process is in; count has the moves of each.
func (s *search) closure(state model.State, a int, count []int) []bool {
	in := make([]bool, len(count))
	in[a] = true
	for work := []int{a}; len(work) > 0; {
		b := work[0]
		work = work[1:]
		for c := range in {
			if in[c] || s.stuck[c] || !s.disturbs(state, c, b, count[b] > 0) {
				continue
			}
			in[c] = true
			work = append(work, c)
		}
	}
	return in
}

// disturbs reports whether agent c may at some time conflict with what b, which has a move, may
// do next, or may give b, which has none, a move.
func (s *search) disturbs(state model.State, c, b int, moves bool) bool {
	if s.steps.Location(state, c) == 0 {
		return false // what it will do is among what its maker may do
	}
	if moves {
		return s.steps.Next(state, b).Conflicts(s.steps.Future(state, c))
	}
	if s.broken == "blocked processes are left out" {
		return false
	}
	found, first := false, true
	s.steps.Wakes(state, b, func(objects prog.Set, up, down bool) {
		if first && s.broken == "handshakes wake nobody" {
			first = false
			return
		}
		found = found || s.steps.MayWrite(state, c, objects, up, down)
	})
	return found
}
