package ts

import (
	"bufio"
	"fmt"
	"io"

	"orbitmc/aig"
	"orbitmc/internal/lists"
)

// Roots returns every function of the system, in a fixed order.
func (s *System) Roots() []aig.Lit {
	var roots []aig.Lit
	for _, l := range s.Latches {
		roots = append(roots, l.Reset, l.Next)
	}
	roots = append(roots, s.Constraints...)
	roots = append(roots, lists.Map(s.Bads, func(b Bad) aig.Lit { return b.Lit })...)
	return append(roots, s.W)
}

// NumAnds returns the number of AND nodes the functions of the system reach.
func (s *System) NumAnds() int {
	return lists.Count(s.G.Cone(s.Roots()), func(node int) bool { return s.G.IsAnd(node) })
}

// Dump writes the system as text: leaves by name, then the AND nodes its
// functions reach, then the functions. The output depends on the system only.
func (s *System) Dump(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "system latches=%d inputs=%d init=%d ands=%d bads=%d constraints=%d\n",
		len(s.Latches), len(s.Inputs), len(s.Init), s.NumAnds(), len(s.Bads), len(s.Constraints))
	for _, in := range s.Init {
		fmt.Fprintf(b, "init %d %s\n", in.Node, in.Name)
	}
	for _, in := range s.Inputs {
		fmt.Fprintf(b, "input %d %s\n", in.Node, in.Name)
	}
	for _, node := range s.G.Cone(s.Roots()) {
		if s.G.IsAnd(node) {
			x, y := s.G.Fanins(node)
			fmt.Fprintf(b, "and %d = %v %v\n", node, x, y)
		}
	}
	for _, l := range s.Latches {
		fmt.Fprintf(b, "latch %d reset=%v next=%v %s\n", l.Node, l.Reset, l.Next, l.Name)
	}
	for _, c := range s.Constraints {
		fmt.Fprintf(b, "constraint %v\n", c)
	}
	for _, bad := range s.Bads {
		fmt.Fprintf(b, "bad %v delay=%d %s\n", bad.Lit, bad.Delay, bad.Name)
	}
	fmt.Fprintf(b, "wellformed %v\n", s.W)
	return b.Flush()
}
