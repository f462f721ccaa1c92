package explicit

import (
	"context"
	"slices"

	"orbitmc/model"
)

// This file shortens the trace of a random walk, in two ways by turns. Steps are left out, first many, then few, and the later
// ones are fired again as far as they can (after A. Zeller, R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input",
// IEEE Trans. Softw. Eng. 2002). And from one state of the trace after the other, a search in breadth looks for shortcuts: to
// later states of the trace, or to any violation of the property. It visits some states; in the next turn it visits more.
// All of this looks at as many instances as the search did, so it takes about as long at most.

const (
	shortcutStates = 64 // that the first searches visit
	shortcutGrowth = 4
)

// shorten makes a trace shorter.
func (s *search) shorten(ctx context.Context, m *model.Machine, t *model.Trace) {
	s.unloop(t)
	budget := s.fired
	for states, more := shortcutStates, true; more; states *= shortcutGrowth {
		s.drop(ctx, m, t, &budget)
		more = false
		for i := 0; i < len(t.Steps); {
			if budget <= 0 || ctx.Err() != nil {
				return
			}
			c := s.shortcut(m, t, i, states, &budget)
			if c.gain > 0 {
				c.take(t)
				s.unloop(t)
			}
			more = more || c.capped || c.gain > 0
			i += max(1, c.depth/2)
		}
	}
}

// drop leaves out steps that the violation does not need.
func (s *search) drop(ctx context.Context, m *model.Machine, t *model.Trace, budget *int64) {
	for size := len(t.Steps) / 2; size > 0; size /= 2 {
		for i := 0; i+size <= len(t.Steps) && *budget > 0 && ctx.Err() == nil; {
			x := s.without(m, t, i, i+size, budget)
			if x == nil {
				i += size
				continue
			}
			*t = *x
			s.unloop(t)
		}
	}
}

// without returns a trace whose steps are those of t but for steps from to to-1, and for later ones that cannot fire; nil if it
// does not violate the property.
func (s *search) without(m *model.Machine, t *model.Trace, from, to int, budget *int64) *model.Trace {
	wanted := func(prop int) bool { return prop == t.Prop }
	x := *t
	x.Steps = slices.Clone(t.Steps[:from])
	at := stateAt(t, from)
	for _, step := range t.Steps[to:] {
		*budget--
		next, enabled, v := m.Fire(at, step.Choice)
		if x.Violation = firstOf(v, wanted); x.Violation != nil {
			x.Steps = append(x.Steps, model.TraceStep{Choice: step.Choice})
			return &x
		}
		if v != nil || !enabled || slices.Equal(next, at) {
			continue
		}
		at = next
		x.Steps = append(x.Steps, model.TraceStep{Choice: step.Choice, State: at})
		if x.Violation = s.holdsNot(m, at, wanted); x.Violation != nil {
			return &x
		}
	}
	if t.Prop != s.dead {
		return nil
	}
	x.Violation, _ = s.leads(m, at, wanted, budget, func(model.Choice, model.State) {})
	if x.Violation == nil {
		return nil
	}
	return &x
}

// stateAt returns the state of a trace after some steps.
func stateAt(t *model.Trace, steps int) model.State {
	if steps == 0 {
		return t.StartState
	}
	return t.Steps[steps-1].State
}

// shortcut is a way from state from of a trace that is gain steps shorter.
type shortcut struct {
	from, to int // to is the state of the trace where it ends, if there is no violation
	steps    []model.TraceStep
	v        *model.Violation // in the end
	gain     int

	depth  int  // to which all states were visited
	capped bool // there are more states
}

// take replaces steps of a trace by a shortcut.
func (s *shortcut) take(t *model.Trace) {
	rest := t.Steps[s.to:]
	if s.v != nil {
		rest, t.Violation = nil, s.v
	}
	t.Steps = slices.Concat(t.Steps[:s.from], s.steps, rest)
}

// shortcut returns the best shortcut from state i of a trace within so many states.
func (s *search) shortcut(m *model.Machine, t *model.Trace, i, states int, budget *int64) (best shortcut) {
	type node struct {
		model.TraceStep
		parent, depth int
	}
	best.from = i
	wanted := func(prop int) bool { return prop == t.Prop }
	later := make(map[string]int) // states of the trace
	for k, step := range t.Steps[i:] {
		if step.State != nil {
			later[s.textOf(step.State)] = i + 1 + k
		}
	}
	at := stateAt(t, i)
	nodes := []node{{model.TraceStep{State: at}, -1, 0}}
	// better notes the way to a node, and by a last step, if it is better.
	better := func(n, to, depth int, v *model.Violation, last ...model.TraceStep) {
		if to-i-depth <= best.gain {
			return
		}
		best.to, best.v, best.gain, best.steps = to, v, to-i-depth, last
		for ; n > 0; n = nodes[n].parent {
			best.steps = append(best.steps, nodes[n].TraceStep)
		}
		slices.Reverse(best.steps)
	}
	seen := map[string]bool{s.textOf(at): true}
	end := len(t.Steps)
	for n := 0; n < len(nodes) && i+nodes[n].depth+best.gain < end && *budget > 0; n++ {
		depth := nodes[n].depth
		best.depth = depth
		if to, ok := later[s.textOf(nodes[n].State)]; ok {
			better(n, to, depth, nil)
		}
		if v := s.holdsNot(m, nodes[n].State, wanted); v != nil {
			better(n, end, depth, v)
			continue
		}
		v, by := s.leads(m, nodes[n].State, wanted, budget, func(ch model.Choice, next model.State) {
			k := s.textOf(next)
			if seen[k] || len(nodes) == states {
				best.capped = best.capped || !seen[k]
				return
			}
			seen[k] = true
			nodes = append(nodes, node{model.TraceStep{Choice: ch.Clone(), State: slices.Clone(next)}, n, depth + 1})
		})
		switch {
		case by != nil:
			better(n, end, depth+1, v, model.TraceStep{Choice: *by})
		case v != nil:
			better(n, end, depth, v)
		}
	}
	return best
}
