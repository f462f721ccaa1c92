package ts

import "orbitmc/aig"

// Latches that never change: simulation with three values from the reset state,
// all inputs unknown (Bryant, "Boolean analysis of MOS circuits", 1987, as the
// first reduction of ABC's scorr and of most hardware model checkers).
//
// A state that has a value unknown covers both, and the union of the reset
// state and its successors is again such a state: latches only go from a value
// to unknown. Then the nodes above can only do the same, so each node is touched
// once on the way to the fixed point, and the whole takes time linear in the
// graph.

// ternary is what is known of a node.
type ternary uint8

const (
	unknown ternary = iota
	zero
	one
)

func (t ternary) not() ternary {
	switch t {
	case zero:
		return one
	case one:
		return zero
	}
	return unknown
}

// known returns the constant that t is; ok is false for unknown.
func (t ternary) known() (l aig.Lit, ok bool) { return aig.False.NotIf(t == one), t != unknown }

// constants returns, by latch, the value that it has in every reachable state,
// as far as ternary simulation shows.
func (s *System) constants() []ternary {
	value := make([]ternary, s.G.Len())
	at := func(l aig.Lit) ternary {
		if l.Neg() {
			return value[l.Node()].not()
		}
		return value[l.Node()]
	}
	and := func(a, b ternary) ternary {
		switch {
		case a == zero || b == zero:
			return zero
		case a == one && b == one:
			return one
		}
		return unknown
	}
	run := func() {
		value[0] = zero
		for n := range value {
			if s.G.IsAnd(n) {
				a, b := s.G.Fanins(n)
				value[n] = and(at(a), at(b))
			}
		}
	}
	run() // all leaves unknown: the resets
	state := make([]ternary, len(s.Latches))
	for i, l := range s.Latches {
		state[i] = at(l.Reset)
	}
	for i, l := range s.Latches {
		value[l.Node] = state[i]
	}
	run()

	// users[first[n]:first[n+1]] are the nodes with operand n; latches[n] those with
	// this next function.
	first := make([]int32, s.G.Len()+1)
	for n := range value {
		if s.G.IsAnd(n) {
			a, b := s.G.Fanins(n)
			first[a.Node()+1]++
			first[b.Node()+1]++
		}
	}
	for n := range value {
		first[n+1] += first[n]
	}
	users := make([]int32, first[len(value)])
	fill := append([]int32(nil), first...)
	for n := range value {
		if s.G.IsAnd(n) {
			a, b := s.G.Fanins(n)
			for _, l := range [2]aig.Lit{a, b} {
				users[fill[l.Node()]] = int32(n)
				fill[l.Node()]++
			}
		}
	}
	latches := make(map[int][]int)
	var todo []int // nodes that became unknown
	widen := func(i int) {
		if l := s.Latches[i]; value[l.Node] != unknown && at(l.Next) != value[l.Node] {
			value[l.Node] = unknown
			todo = append(todo, l.Node)
		}
	}
	for i, l := range s.Latches {
		latches[l.Next.Node()] = append(latches[l.Next.Node()], i)
	}
	for i, l := range s.Latches {
		if state[i] != unknown {
			widen(i)
		} else {
			value[l.Node] = unknown
		}
	}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, u := range users[first[n]:first[n+1]] {
			a, b := s.G.Fanins(int(u))
			if value[u] != unknown && and(at(a), at(b)) == unknown {
				value[u] = unknown
				todo = append(todo, int(u))
			}
		}
		for _, i := range latches[n] {
			widen(i)
		}
	}
	for i, l := range s.Latches {
		state[i] = value[l.Node]
	}
	return state
}
