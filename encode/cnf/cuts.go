package cnf

import (
	"context"
	"math/bits"
	"slices"

	"orbitmc/aig"
)

// This file covers a graph with gates that become clauses: technology mapping for CNF (Eén,
// Mishchenko, Sörensson: Applying logic synthesis for speeding up SAT, SAT 2007).
//
// A cut of a node is a set of nodes, its leaves, that determine the node. Cuts of up to
// cutSize leaves are found from those of the fanins, and the best cutsKept of each node are
// kept. A gate costs its clauses, those of the function of its cut in both phases. The flow of a
// node is its clauses and the flows of the leaves, each divided by the references of the leaf.
// References are guessed by fanout first, and then taken from the cover found.
//
// In the end conjunctions with a single reference, by another conjunction, dissolve into it:
// a gate is a function of few variables or a conjunction of any number of literals.

const (
	cutSize  = 6
	cutsKept = 6
	mapRuns  = 2
)

// cut is a set of leaves and the function of the node over them.
type cut struct {
	leaves [cutSize]int32 // nodes, ascending
	n      int32          // of leaves
	sign   uint32         // of leaves: the bits of their numbers modulo 32
	f      table
	flow   float32
}

// gate is a node of the cover.
type gate struct {
	node   int
	f      table     // over the leaves, which are positive; 0: the conjunction of the leaves
	leaves []aig.Lit // of the graph; the only one of a constant gate is the constant
}

// mapper finds a cover.
type mapper struct {
	ctx   context.Context
	g     *aig.Graph
	cone  []int
	cost  map[table]float32
	refs  []float32 // by node
	flow  []float32 // by node, divided by the references
	best  []cut     // by node
	cuts  [][]cut   // by node, as long as they are needed
	spare [][]cut
}

// mapGates returns gates for the cones of roots, operands first; none if ctx ends.
func mapGates(ctx context.Context, g *aig.Graph, roots []aig.Lit) []gate {
	m := &mapper{ctx: ctx, g: g, cone: g.Cone(roots), cost: make(map[table]float32)}
	fanout := g.FanoutCounts(roots)
	m.refs = make([]float32, len(fanout))
	for n, c := range fanout {
		m.refs[n] = float32(c)
	}
	m.flow, m.best, m.cuts = make([]float32, len(fanout)), make([]cut, len(fanout)), make([][]cut, len(fanout))
	var used []int32
	for range mapRuns {
		if !m.run(fanout) {
			return nil
		}
		used = m.choose(roots)
		for n := range m.refs {
			m.refs[n] = (m.refs[n] + 2*float32(used[n])) / 3
		}
	}
	return m.gates(used)
}

// run finds the best cut of each node of the cone. It returns false if the context ends.
func (m *mapper) run(fanout []uint32) bool {
	waiting := slices.Clone(fanout) // references that still come
	done := func(n int) {
		if waiting[n]--; waiting[n] == 0 {
			m.spare, m.cuts[n] = append(m.spare, m.cuts[n]), nil
		}
	}
	for i, n := range m.cone {
		if i&0xfff == 0 && m.ctx.Err() != nil {
			return false
		}
		var list []cut
		if k := len(m.spare); k > 0 {
			list, m.spare = m.spare[k-1][:0], m.spare[:k-1]
		} else {
			list = make([]cut, 0, cutsKept+1)
		}
		if m.g.IsAnd(n) {
			a, b := m.g.Fanins(n)
			list = m.find(list, a, b)
			m.best[n] = list[0]
			m.flow[n] = list[0].flow / max(m.refs[n], 1)
			done(a.Node())
			done(b.Node())
		}
		if len(list) == 0 || list[0].n > 0 { // not constant
			own := cut{n: 1, sign: 1 << (n % 32), f: variables[0], flow: m.flow[n]}
			own.leaves[0] = int32(n)
			list = append(list, own)
		}
		m.cuts[n] = list
	}
	for n := range m.cuts {
		if m.cuts[n] != nil {
			m.spare, m.cuts[n] = append(m.spare, m.cuts[n]), nil
		}
	}
	return true
}

// find appends the best cuts of the conjunction of a and b to list, which is empty. If one shows that
// the conjunction is constant, it is the only one, without leaves.
func (m *mapper) find(list []cut, a, b aig.Lit) []cut {
	for i := range m.cuts[a.Node()] {
		x := &m.cuts[a.Node()][i]
	next:
		for j := range m.cuts[b.Node()] {
			y := &m.cuts[b.Node()][j]
			var c cut
			if !c.join(x, y) {
				continue
			}
			fx, fy := c.over(x), c.over(y)
			if a.Neg() {
				fx = ^fx
			}
			if b.Neg() {
				fy = ^fy
			}
			if c.f = fx & fy; c.f == 0 || ^c.f == 0 {
				return append(list[:0], cut{f: c.f})
			}
			c.reduce()
			c.flow = m.clauses(c.f)
			for _, l := range c.leaves[:c.n] {
				c.flow += m.flow[l]
			}
			for k := range list {
				if d := &list[k]; d.flow <= c.flow && d.within(&c) {
					continue next
				}
			}
			list = insert(list, &c)
		}
	}
	return list
}

// insert puts c in its place by flow; of too many cuts the worst goes.
func insert(list []cut, c *cut) []cut {
	at := len(list)
	for at > 0 && better(c, &list[at-1]) {
		at--
	}
	if at == cutsKept {
		return list
	}
	// What c makes superfluous goes.
	kept := list[:at]
	for k := at; k < len(list); k++ {
		if !c.within(&list[k]) {
			kept = append(kept, list[k])
		}
	}
	return slices.Insert(kept[:min(len(kept), cutsKept-1)], at, *c)
}

func better(c, d *cut) bool {
	if c.flow != d.flow {
		return c.flow < d.flow
	}
	return c.n < d.n
}

// clauses returns what a gate costs.
func (m *mapper) clauses(f table) float32 {
	if f&1 == 1 {
		f = ^f
	}
	c, ok := m.cost[f]
	if !ok {
		c = float32(len(cover(f)) + len(cover(^f)))
		if c == 2 { // a single literal, which is no gate
			c = 0
		}
		m.cost[f] = c
	}
	return c
}

// join sets the leaves of c to those of x and y; it returns false if there are too many.
func (c *cut) join(x, y *cut) bool {
	if bits.OnesCount32(x.sign|y.sign) > cutSize {
		return false
	}
	i, j := int32(0), int32(0)
	for i < x.n || j < y.n {
		if c.n == cutSize {
			return false
		}
		switch {
		case j == y.n || i < x.n && x.leaves[i] < y.leaves[j]:
			c.leaves[c.n] = x.leaves[i]
			i++
		case i == x.n || x.leaves[i] > y.leaves[j]:
			c.leaves[c.n] = y.leaves[j]
			j++
		default:
			c.leaves[c.n] = x.leaves[i]
			i++
			j++
		}
		c.n++
	}
	c.sign = x.sign | y.sign
	return true
}

// over returns the function of x over the leaves of c.
func (c *cut) over(x *cut) table {
	f := x.f
	k := x.n - 1
	for i := c.n - 1; i >= 0 && k >= 0; i-- {
		if c.leaves[i] > x.leaves[k] {
			continue
		}
		if k < i {
			f = f.swap(int(k), int(i))
		}
		k--
	}
	return f
}

// reduce drops leaves on which the function does not depend.
func (c *cut) reduce() {
	n := int32(0)
	for i := range c.n {
		if !c.f.depends(int(i)) {
			continue
		}
		if n < i {
			c.leaves[n] = c.leaves[i]
			c.f = c.f.swap(int(n), int(i))
		}
		n++
	}
	if n < c.n {
		c.n, c.sign = n, 0
		for _, l := range c.leaves[:n] {
			c.sign |= 1 << (l % 32)
		}
	}
}

// within reports whether all leaves of c are leaves of d.
func (c *cut) within(d *cut) bool {
	if c.n > d.n || c.sign&^d.sign != 0 {
		return false
	}
	j := int32(0)
	for _, l := range c.leaves[:c.n] {
		for j < d.n && d.leaves[j] < l {
			j++
		}
		if j == d.n || d.leaves[j] != l {
			return false
		}
	}
	return true
}

// choose returns, by node, how often the cover by the best cuts refers to it.
func (m *mapper) choose(roots []aig.Lit) []int32 {
	used := make([]int32, len(m.best))
	for _, r := range roots {
		used[r.Node()]++
	}
	for _, n := range slices.Backward(m.cone) {
		if used[n] > 0 && m.g.IsAnd(n) {
			for _, l := range m.best[n].leaves[:m.best[n].n] {
				used[l]++
			}
		}
	}
	return used
}

// gates returns the cover.
func (m *mapper) gates(used []int32) []gate {
	var out []gate
	at := make(map[int]int) // by node: its gate, if that is a conjunction with one reference
	dead := make(map[int]bool)
	for _, n := range m.cone {
		if used[n] == 0 || !m.g.IsAnd(n) {
			continue
		}
		c := &m.best[n]
		if c.n == 0 {
			out = append(out, gate{node: n, leaves: []aig.Lit{aig.False.NotIf(c.f != 0)}})
			continue
		}
		x := gate{node: n, f: c.f}
		negated, ok := c.f.conjunction(int(c.n))
		for i, l := range c.leaves[:c.n] {
			leaf := aig.MkLit(int(l), ok && negated>>i&1 == 1)
			if j, one := at[int(l)]; ok && one && !leaf.Neg() {
				x.leaves = append(x.leaves, out[j].leaves...)
				dead[int(l)] = true
			} else {
				x.leaves = append(x.leaves, leaf)
			}
		}
		if ok {
			x.f = 0
			slices.Sort(x.leaves)
			x.leaves = slices.Compact(x.leaves)
			if used[n] == 1 {
				at[n] = len(out)
			}
		}
		out = append(out, x)
	}
	return slices.DeleteFunc(out, func(x gate) bool { return dead[x.node] })
}
