package measure

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"orbitmc/aig"
)

// This file counts the nodes of binary decision diagrams: reduced, ordered, with complemented
// edges (Brace, Rudell, Bryant, DAC 1990). It is there to compare their sizes with those of circuits,
// and for nothing else: the order of variables is the one given, and nodes are freed only between conjuncts.

// ErrBDDSize is returned by BDDSize if there are more nodes than it may make.
var ErrBDDSize = errors.New("too many nodes of a decision diagram")

// edge is a node, shifted, and whether its function is complemented. Edge 0 is true.
type edge uint32

const bddTrue, bddFalse edge = 0, 1

// bddNode is "if variable level then hi else lo". hi is not complemented.
type bddNode struct {
	level  int32
	lo, hi edge
}

// bdd is a forest of diagrams. Node 0 is the constant.
type bdd struct {
	nodes []bddNode
	table []uint32 // hashed, open addresses; 0 is free
	cache []bddAnd // direct mapped, replaced when they collide
	limit int
}

type bddAnd struct{ a, b, result edge }

func newBDD(limit int) *bdd {
	return &bdd{nodes: []bddNode{{level: 1<<31 - 1}}, table: make([]uint32, 1<<10), cache: make([]bddAnd, 1<<16), limit: limit}
}

func mix(a, b, c uint64) uint64 {
	h := a*0x9E3779B97F4A7C15 ^ b*0xC2B2AE3D27D4EB4F ^ c*0x165667B19E3779F9
	return h ^ h>>29
}

// node returns the edge to "if level then hi else lo".
func (bd *bdd) node(level int32, lo, hi edge) (edge, error) {
	if lo == hi {
		return lo, nil
	}
	neg := hi & 1
	n := bddNode{level, lo ^ neg, hi ^ neg}
	slot := bd.slot(n)
	if bd.table[slot] == 0 {
		if len(bd.nodes) > bd.limit {
			return 0, ErrBDDSize
		}
		bd.nodes = append(bd.nodes, n)
		bd.table[slot] = uint32(len(bd.nodes) - 1)
		if len(bd.nodes)*2 > len(bd.table) {
			bd.grow()
			slot = bd.slot(n)
		}
	}
	return edge(bd.table[slot]<<1) | neg, nil
}

// slot returns where a node is in the table, or where it would be.
func (bd *bdd) slot(n bddNode) int {
	i := int(mix(uint64(n.level), uint64(n.lo), uint64(n.hi)) % uint64(len(bd.table)))
	for bd.table[i] != 0 && bd.nodes[bd.table[i]] != n {
		if i++; i == len(bd.table) {
			i = 0
		}
	}
	return i
}

func (bd *bdd) grow() {
	bd.table = make([]uint32, 2*len(bd.table))
	for i := range bd.nodes[1:] {
		bd.table[bd.slot(bd.nodes[i+1])] = uint32(i + 1)
	}
	if len(bd.cache) < len(bd.table) && len(bd.cache) < 1<<22 {
		bd.cache = make([]bddAnd, 2*len(bd.cache))
	}
}

// and returns the conjunction of two functions.
func (bd *bdd) and(a, b edge) (edge, error) {
	if a > b {
		a, b = b, a
	}
	switch {
	case a == bddTrue || a == b:
		return b, nil
	case a == bddFalse || a == b^1:
		return bddFalse, nil
	}
	c := int(mix(uint64(a), uint64(b), 0) % uint64(len(bd.cache)))
	if k := &bd.cache[c]; k.a == a && k.b == b {
		return k.result, nil
	}
	level := min(bd.nodes[a>>1].level, bd.nodes[b>>1].level)
	lo, err := bd.and(bd.branch(a, level, false), bd.branch(b, level, false))
	if err != nil {
		return 0, err
	}
	hi, err := bd.and(bd.branch(a, level, true), bd.branch(b, level, true))
	if err != nil {
		return 0, err
	}
	r, err := bd.node(level, lo, hi)
	bd.cache[mix(uint64(a), uint64(b), 0)%uint64(len(bd.cache))] = bddAnd{a, b, r}
	return r, err
}

// branch returns what is left of a function when the variable of a level is known.
func (bd *bdd) branch(e edge, level int32, value bool) edge {
	switch n := &bd.nodes[e>>1]; {
	case n.level != level:
		return e
	case value:
		return n.hi ^ e&1
	default:
		return n.lo ^ e&1
	}
}

// keep frees the nodes that are below none of the edges, and renumbers the others. A node comes behind those
// below it, before and after.
func (bd *bdd) keep(edges ...*edge) {
	live := make([]bool, len(bd.nodes))
	for _, e := range edges {
		live[*e>>1] = true
	}
	live[0] = true
	for i := len(bd.nodes) - 1; i > 0; i-- {
		if live[i] {
			live[bd.nodes[i].lo>>1], live[bd.nodes[i].hi>>1] = true, true
		}
	}
	number := make([]edge, len(bd.nodes))
	n := 0
	for i, x := range bd.nodes {
		if live[i] {
			x.lo, x.hi = number[x.lo>>1]<<1|x.lo&1, number[x.hi>>1]<<1|x.hi&1
			bd.nodes[n], number[i] = x, edge(n)
			n++
		}
	}
	bd.nodes = bd.nodes[:n]
	for _, e := range edges {
		*e = number[*e>>1]<<1 | *e&1
	}
	clear(bd.table)
	clear(bd.cache)
	for i := range bd.nodes[1:] {
		bd.table[bd.slot(bd.nodes[i+1])] = uint32(i + 1)
	}
}

// size returns the nodes below an edge, the constant included.
func (bd *bdd) size(e edge) int {
	seen := map[edge]bool{}
	work := []edge{e >> 1}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[n] {
			continue
		}
		seen[n] = true
		if n != 0 {
			work = append(work, bd.nodes[n].lo>>1, bd.nodes[n].hi>>1)
		}
	}
	return len(seen)
}

// BDDSize returns the number of nodes of the decision diagram of the conjunction of roots, with
// complemented edges and one constant, for an order of inputs of the graph. It keeps at most
// limit nodes, of about 30 bytes each with tables, and fails with ErrBDDSize beyond; and if an input is not
// in the order.
func BDDSize(g *aig.Graph, roots []aig.Lit, order []aig.Lit, limit int) (int, error) {
	d := newBDD(limit)
	of := map[int]edge{0: bddFalse}
	for i, l := range order {
		e, err := d.node(int32(i), bddFalse, bddTrue)
		if err != nil {
			return 0, err
		}
		of[l.Node()] = e ^ edge(l&1)
	}
	at := func(l aig.Lit) edge { return of[l.Node()] ^ edge(l&1) }
	all := bddTrue
	for _, r := range roots {
		if len(d.nodes) > limit/4 {
			edges := []*edge{&all}
			nodes := slices.Sorted(maps.Keys(of))
			kept := make([]edge, len(nodes))
			for i, n := range nodes {
				kept[i] = of[n]
				edges = append(edges, &kept[i])
			}
			d.keep(edges...)
			for i, n := range nodes {
				of[n] = kept[i]
			}
		}
		for _, n := range g.Cone([]aig.Lit{r}) {
			if _, known := of[n]; known {
				continue
			}
			if !g.IsAnd(n) {
				return 0, fmt.Errorf("input %d is not in the order", n)
			}
			a, b := g.Fanins(n)
			e, err := d.and(at(a), at(b))
			if err != nil {
				return 0, err
			}
			of[n] = e
		}
		var err error
		if all, err = d.and(all, at(r)); err != nil {
			return 0, err
		}
	}
	return d.size(all), nil
}
