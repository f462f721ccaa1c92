package tstest

import (
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/ts"
)

// Check validates the invariants stated on ts.System: the leaves are those of the
// graph, each exactly once, and each function reads only the leaves it may.
func Check(s *ts.System) error {
	if s.G.Len() == 0 {
		return fmt.Errorf("the graph has no constant")
	}
	const (
		latch uint8 = 1 << iota
		input
		initial
	)
	sort := make([]uint8, s.G.Len())
	claim := func(node int, as uint8, name string) error {
		if node <= 0 || node >= s.G.Len() || !s.G.IsInput(node) {
			return fmt.Errorf("%q: node %d is not a leaf", name, node)
		}
		if sort[node] != 0 {
			return fmt.Errorf("%q: leaf %d is used twice", name, node)
		}
		sort[node] = as
		return nil
	}
	for _, l := range s.Latches {
		if err := claim(l.Node, latch, l.Name); err != nil {
			return err
		}
	}
	for _, in := range s.Inputs {
		if err := claim(in.Node, input, in.Name); err != nil {
			return err
		}
	}
	for _, in := range s.Init {
		if err := claim(in.Node, initial, in.Name); err != nil {
			return err
		}
	}
	for n := range s.G.Len() {
		if s.G.IsInput(n) && sort[n] == 0 {
			return fmt.Errorf("leaf %d of the graph is no latch, input or initial input", n)
		}
	}
	// By node, the sorts of leaves in its cone; nodes are in topological order.
	below := make([]uint8, s.G.Len())
	for n := range below {
		if s.G.IsAnd(n) {
			x, y := s.G.Fanins(n)
			if x.Node() >= n || y.Node() >= n {
				return fmt.Errorf("node %d = %v & %v is not in topological order", n, x, y)
			}
			below[n] = below[x.Node()] | below[y.Node()]
		} else {
			below[n] = sort[n]
		}
	}
	reads := func(what, name string, allowed uint8, f aig.Lit) error {
		if f.Node() >= s.G.Len() {
			return fmt.Errorf("%s %q is %v, in a graph of %d nodes", what, name, f, s.G.Len())
		}
		if below[f.Node()]&^allowed == 0 {
			return nil
		}
		support := s.G.Support([]aig.Lit{f})
		i := slices.IndexFunc(support, func(n int) bool { return sort[n]&^allowed != 0 })
		return fmt.Errorf("%s %q reads leaf %d, which it may not", what, name, support[i])
	}
	for _, l := range s.Latches {
		if err := reads("reset of latch", l.Name, initial, l.Reset); err != nil {
			return err
		}
		if err := reads("next of latch", l.Name, latch|input, l.Next); err != nil {
			return err
		}
	}
	for i, c := range s.Constraints {
		if err := reads("constraint", fmt.Sprint(i), latch|input, c); err != nil {
			return err
		}
	}
	for _, b := range s.Bads {
		if err := reads("bad", b.Name, latch|input, b.Lit); err != nil {
			return err
		}
		if b.Delay < 0 || b.Delay > 1 {
			return fmt.Errorf("bad %q has delay %d, want 0 or 1", b.Name, b.Delay)
		}
	}
	return reads("predicate", "W", latch, s.W)
}
