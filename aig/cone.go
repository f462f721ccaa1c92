// Cones of influence. Node numbers are a topological order, so a cone is a set
// of numbers and its order is ascending.

package aig

import (
	"fmt"
	"slices"
)

// Cone returns the nodes the roots depend on, the roots' own included and the
// constant if it is a root, in ascending and thus topological order.
func (g *Graph) Cone(roots []Lit) []int {
	cone := g.cone("Cone", roots)
	slices.Sort(cone)
	return cone
}

// cone is Cone in any order.
func (g *Graph) cone(caller string, roots []Lit) []int {
	seen := make([]uint64, (len(g.nodes)+63)/64)
	var cone []int
	visit := func(l Lit) {
		i := l >> 1
		if w, m := &seen[i/64], uint64(1)<<(i%64); *w&m == 0 {
			*w |= m
			cone = append(cone, int(i))
		}
	}
	for _, r := range roots {
		g.mustHave(caller, r)
		visit(r)
	}
	for k := 0; k < len(cone); k++ {
		if n := g.nodes[cone[k]]; n.a != leaf {
			visit(n.a)
			visit(n.b)
		}
	}
	return cone
}

// NumAnds returns the number of AND nodes that the roots depend on, their own included.
func (g *Graph) NumAnds(roots ...Lit) int {
	n := 0
	for _, i := range g.cone("NumAnds", roots) {
		if g.IsAnd(i) {
			n++
		}
	}
	return n
}

// Support returns the leaves the roots depend on structurally, ascending.
func (g *Graph) Support(roots []Lit) []int {
	support := slices.DeleteFunc(g.cone("Support", roots), func(i int) bool { return !g.IsInput(i) })
	slices.Sort(support)
	return support
}

// FanoutCounts returns, for every node of the graph, how many times it occurs as
// an operand in the cone of roots or as a root; 0 outside the cone.
func (g *Graph) FanoutCounts(roots []Lit) []uint32 {
	counts := make([]uint32, len(g.nodes))
	top := 0
	for _, r := range roots {
		g.mustHave("FanoutCounts", r)
		counts[r>>1]++
		top = max(top, r.Node())
	}
	for i := top; i > 0; i-- {
		if n := g.nodes[i]; n.a != leaf && counts[i] > 0 {
			counts[n.a>>1]++
			counts[n.b>>1]++
		}
	}
	return counts
}

// mustHave panics if l is no literal of g.
func (g *Graph) mustHave(op string, l Lit) {
	if l.Node() >= len(g.nodes) {
		panic(fmt.Sprintf("aig: %s: literal %v in a graph of %d nodes", op, l, len(g.nodes)))
	}
}
