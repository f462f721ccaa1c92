package netlist

import (
	"math/bits"
	"slices"

	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// This file decides justice once all states were visited. A property is violated if a strongly connected component meets all
// its conditions, each at one of the steps within it. Components are found after R. Tarjan, "Depth-First Search and Linear Graph
// Algorithms", SIAM J. Comput. 1972. Their numbers are the evidence where there is no such one: a run stays in one of them in
// the end, and that one names a condition that it does not meet.

// decide decides what is open when all states were visited. paths: see Engine.
func (s *search) decide(r *mc.Result, paths bool, found func(g int, path *ts.Trace, depth int) (stop bool)) {
	f := &evidence.Enumerated{Latches: s.sim.latches, States: s.states}
	var met []uint32 // by component: conditions met at steps within it
	var inner []bool // by component: there is a step within it
	if s.justice {
		var n int
		f.Components, n = s.components()
		f.Missing = make(map[int][]int32)
		met, inner = make([]uint32, n), make([]bool, n)
		s.each(func(from int, e edge) {
			if c := f.Components[from]; c == f.Components[e.to] {
				inner[c] = true
				met[c] |= e.met
			}
		})
	}
	for i := range r.Props {
		pr := &r.Props[i]
		g := s.goals[i]
		switch {
		case pr.Status != mc.Unknown:
		case !g.justice && !paths:
			pr.Status = mc.BySearch(s.p.Kind(pr.Prop))
		case !g.justice:
			r.Stopped = noCertificate
		default:
			fair := -1
			for c := range inner {
				if inner[c] && met[c]&g.conditions == g.conditions {
					fair = c
					break
				}
			}
			if fair >= 0 {
				path, loop := s.lasso(g, f.Components, uint32(fair))
				path = s.p.Lassos.Path(path, loop)
				found(i, path, len(path.Inputs)-1)
				pr.Bound = -1
				continue
			}
			if paths {
				r.Stopped = noCertificate
				continue
			}
			pr.Status = mc.Safe
			missing := make([]int32, len(inner))
			for c := range inner {
				missing[c] = -1
				if inner[c] {
					missing[c] = int32(slices.Index(g.places, bits.TrailingZeros32(g.conditions&^met[c])))
				}
			}
			f.Missing[g.prop] = missing
		}
	}
	r.Enumerated = f
}

// edge adds a step to the edges. Members are given in order.
func (s *search) edge(from, to int, met uint32) {
	for len(s.mark) < len(s.states) {
		s.mark = append(s.mark, edgeMark{})
	}
	for len(s.ends) < from {
		s.ends = append(s.ends, len(s.edges))
	}
	m := &s.mark[to]
	if m.from != uint32(from)+1 {
		*m = edgeMark{uint32(from) + 1, uint32(len(s.edges))}
		s.edges = append(s.edges, edge{to: uint32(to)})
	}
	s.edges[m.edge].met |= met
}

// each calls do for each edge.
func (s *search) each(do func(from int, e edge)) {
	at := 0
	for from, end := range s.ends {
		for ; at < end; at++ {
			do(from, s.edges[at])
		}
	}
}

// from returns the edges of a member.
func (s *search) from(i int) []edge {
	first := 0
	if i > 0 {
		first = s.ends[i-1]
	}
	return s.edges[first:s.ends[i]]
}

// components numbers the strongly connected components such that no edge leads to a larger number.
func (s *search) components() (of []uint32, n int) {
	const none = ^uint32(0)
	of = make([]uint32, len(s.states))
	low := make([]uint32, len(s.states)) // number in the order of visits, plus one; 0: not visited
	for i := range of {
		of[i] = none
	}
	type call struct {
		state uint32
		edge  int // that is next
		first uint32
	}
	var calls []call
	var stack []uint32
	visited := uint32(0)
	enter := func(i uint32) {
		visited++
		low[i] = visited
		stack = append(stack, i)
		calls = append(calls, call{i, 0, visited})
	}
	for root := range s.states {
		if low[root] != 0 {
			continue
		}
		enter(uint32(root))
		for len(calls) > 0 {
			c := &calls[len(calls)-1]
			if edges := s.from(int(c.state)); c.edge < len(edges) {
				to := edges[c.edge].to
				c.edge++
				switch {
				case low[to] == 0:
					enter(to)
				case of[to] == none:
					low[c.state] = min(low[c.state], low[to])
				}
				continue
			}
			state, first := c.state, c.first
			calls = calls[:len(calls)-1]
			if low[state] == first { // the root of a component
				for {
					top := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					of[top] = uint32(n)
					if top == state {
						break
					}
				}
				n++
			}
			if len(calls) > 0 {
				before := calls[len(calls)-1].state
				low[before] = min(low[before], low[state])
			}
		}
	}
	return of, n
}

// lasso returns a trace of the source into a component and around it, through steps that meet all conditions of a goal, and the frame in
// which the loop begins, which is the state behind the last frame.
func (s *search) lasso(g goal, of []uint32, c uint32) (t *ts.Trace, loop int) {
	start := slices.Index(of, c)
	t = s.path(start, -1)
	loop = len(t.Inputs)
	at, open := start, g.conditions
	step := func(to int, bit uint32) {
		t.Inputs = append(t.Inputs, s.sim.inputTo(s.states[at], func(w *lanes64, lane int) bool {
			return w.next[lane] == s.states[to] && w.met(lane)&bit == bit
		}))
		at = to
	}
	for open != 0 || at != start || len(t.Inputs) == loop {
		bit := open & -open
		// The way to the nearest step that meets the condition, or back.
		before := map[int]int{at: -1}
		queue := []int{at}
		var way []int
		for len(queue) > 0 && way == nil {
			i := queue[0]
			queue = queue[1:]
			for _, e := range s.from(i) {
				to := int(e.to)
				if of[to] != c {
					continue
				}
				if bit != 0 && e.met&bit != 0 || bit == 0 && to == start {
					for way = []int{to, i}; before[way[len(way)-1]] >= 0; {
						way = append(way, before[way[len(way)-1]])
					}
					break
				}
				if _, seen := before[to]; !seen {
					before[to] = i
					queue = append(queue, to)
				}
			}
		}
		slices.Reverse(way)
		for k, to := range way[1:] {
			if k == len(way)-2 {
				step(to, bit)
			} else {
				step(to, 0)
			}
		}
		open &^= bit
	}
	return t, loop
}
