package stateless

import "orbitmc/prog"

// Sleep sets (Godefroid, Partial-Order Methods, 1996, chapter 5). A step sleeps in a node if all
// that begins with it there was explored before, from an earlier node, up to the order of independent
// steps and up to symmetry. It goes on sleeping until a step is taken that it depends on.

// sleeper is a step that sleeps.
type sleeper struct {
	instance int
	agent    int
	foot     *prog.Footprint
}

// rest marks the moves of a node that sleep.
func (s *search) rest(n *node, asleep []sleeper) {
	for i := range n.moves {
		m := &n.moves[i]
		m.foot = s.steps.Touches(n.state, m.instance, true)
		for _, z := range asleep {
			m.asleep = m.asleep || z.instance == m.instance
		}
	}
}

// sleeping returns the steps that sleep behind a move.
func (s *search) sleeping(n *node, taken int) (asleep []sleeper) {
	if s.Reduction == None {
		return nil
	}
	t := &n.moves[taken]
	for i := range n.moves {
		m := &n.moves[i]
		if !m.asleep || m.agent == t.agent && i == taken {
			continue
		}
		if s.broken != "dependent steps sleep" && (m.agent == t.agent || m.foot.Conflicts(t.foot)) {
			continue
		}
		asleep = append(asleep, sleeper{m.instance, m.agent, m.foot})
	}
	return asleep
}
