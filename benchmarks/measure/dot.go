package measure

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"orbitmc/internal/disjoint"
	"orbitmc/ts"
)

// This file draws a group of symmetries, as text for Graphviz.
//
// The picture is the Schreier graph of the group on the latches, inputs and initial
// inputs that it moves: an edge joins two of them if a generator takes one to the
// other. Orbits are the connected components, and each has its colour. Clusters show
// the factors of the group and the rows that they permute.

// Limits of a picture that Graphviz lays out in about a minute and that people can read.
const (
	maxLeaves = 2000
	maxEdges  = 10000
)

// WriteDot writes the orbits of y on the leaves of sys as an undirected graph in
// the language of Graphviz. Latches are boxes, inputs ellipses, initial inputs
// diamonds. There is a cluster for what the same factors move, and in that of a
// block one for each of its rows. Edges of generators that negate are dashed.
// Leaves that are not moved are counted in the title only. A graph of more than
// 2,000 leaves or 10,000 edges is refused.
func WriteDot(w io.Writer, sys *ts.System, y *ts.Symmetry) error {
	if err := y.Check(sys); err != nil {
		return err
	}
	if y == nil {
		y = new(ts.Symmetry)
	}
	d := newDrawing(sys, y)
	if len(d.moved) > maxLeaves || len(d.edges) > maxEdges {
		return fmt.Errorf("detect: the graph of the symmetry has %d vertices and %d edges; none is drawn of more than %d vertices or %d edges",
			len(d.moved), len(d.edges), maxLeaves, maxEdges)
	}
	d.findRows()
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "graph symmetry {\n\tlabel=%s\n\tnode [style=filled, fontsize=10]\n", quoted(fmt.Sprintf(
		"order %v; %d orbits; fixed and left out: %d of %d latches and inputs", y.Order(), d.orbits, len(d.leaves)-len(d.moved), len(d.leaves))))
	clusters, place := 0, []string(nil) // open ones, outermost first
	for _, v := range d.moved {
		l := &d.leaves[v]
		want := d.place(l)
		common := 0
		for common < min(len(place), len(want)) && place[common] == want[common] {
			common++
		}
		for ; len(place) > common; place = place[:len(place)-1] {
			fmt.Fprintf(b, "%s}\n", indent(len(place)))
		}
		for ; len(place) < len(want); place = append(place, want[len(place)]) {
			fmt.Fprintf(b, "%ssubgraph cluster%d { label=%s\n", indent(len(place)+1), clusters, quoted(want[len(place)]))
			clusters++
		}
		// Neighbouring numbers get hues that are far apart, by the golden ratio.
		_, hue := math.Modf(float64(l.orbit) * math.Phi)
		fmt.Fprintf(b, "%s%s [label=%s, shape=%s, fillcolor=\"%.3f 0.4 0.95\"]\n", indent(len(place)+1), l.id, quoted(l.name), l.shape, hue)
	}
	for ; len(place) > 0; place = place[:len(place)-1] {
		fmt.Fprintf(b, "%s}\n", indent(len(place)))
	}
	for _, e := range d.edges {
		style := ""
		if e.negates {
			style = ", style=dashed"
		}
		fmt.Fprintf(b, "\t%s -- %s [tooltip=%s%s]\n", d.leaves[e.v].id, d.leaves[e.w].id, quoted(e.by), style)
	}
	fmt.Fprint(b, "}\n")
	return b.Flush()
}

func indent(n int) string { return strings.Repeat("\t", n) }

// quoted is a string of Graphviz that shows s as it is.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(s) + `"`
}

type drawing struct {
	y      *ts.Symmetry
	leaves []leaf // latches, inputs, initial inputs
	moved  []int  // leaves in the order of factors, rows, leaves
	orbits int
	edges  []arc
}

type leaf struct {
	id, name, shape string
	factors         []int // that move it: of the blocks, then the groups
	row             int   // in the block that alone moves it; -1 without
	orbit           int   // numbered by least moved leaf
}

type arc struct {
	v, w    int // leaves, v ≤ w; equal if a generator negates it in its place
	by      string
	negates bool
}

// newDrawing finds leaves, orbits and edges; rows are left to findRows.
func newDrawing(sys *ts.System, y *ts.Symmetry) *drawing {
	d := &drawing{y: y}
	for i, l := range sys.Latches {
		d.leaves = append(d.leaves, leaf{id: fmt.Sprintf("l%d", i), name: l.Name, shape: "box", row: -1})
	}
	for i, in := range sys.Inputs {
		d.leaves = append(d.leaves, leaf{id: fmt.Sprintf("i%d", i), name: in.Name, shape: "ellipse", row: -1})
	}
	for i, in := range sys.Init {
		d.leaves = append(d.leaves, leaf{id: fmt.Sprintf("z%d", i), name: in.Name, shape: "diamond", row: -1})
	}
	type pair struct{ v, w int }
	drawn := make(map[pair]bool)
	factor := func(f int, gens []*ts.Perm) {
		for _, g := range gens {
			eachMoved(g, func(v, w int, negated bool) {
				if fs := d.leaves[v].factors; len(fs) == 0 || fs[len(fs)-1] != f {
					d.leaves[v].factors = append(fs, f)
				}
				if e := (pair{min(v, w), max(v, w)}); !drawn[e] {
					drawn[e] = true
					d.edges = append(d.edges, arc{e.v, e.w, g.Name, negated})
				}
			})
		}
	}
	for f, b := range y.Blocks {
		factor(f, b.Swaps)
	}
	for f, g := range y.Groups {
		factor(len(y.Blocks)+f, g.Gens)
	}
	least := d.components(y.Generators())
	number := make(map[int]int)
	for v := range d.leaves {
		if len(d.leaves[v].factors) == 0 {
			continue
		}
		d.moved = append(d.moved, v)
		if least[v] == v {
			number[v] = len(number)
		}
		d.leaves[v].orbit = number[least[v]]
	}
	d.orbits = len(number)
	return d
}

// eachMoved calls f with the leaves that p moves or negates, and where they go.
func eachMoved(p *ts.Perm, f func(v, w int, negated bool)) {
	off := 0
	for _, image := range [][]ts.Lit{p.Latch, p.Input, p.Init} {
		for i, l := range image {
			if l != ts.MkLit(i, false) {
				f(off+i, off+int(l>>1), l&1 == 1)
			}
		}
		off += len(image)
	}
}

// components returns the least leaf of the orbit of each leaf.
func (d *drawing) components(gens []*ts.Perm) []int {
	orbits := disjoint.New[int](len(d.leaves))
	for _, g := range gens {
		eachMoved(g, func(v, w int, _ bool) { orbits.Join(v, w) })
	}
	return orbits.Leasts()
}

// findRows finds the leaves that belong to one row of the block that moves them, and
// orders the leaves. A block of n rows permutes such leaves as it does the rows: n
// of them are an orbit, and that of row i is moved by the swaps i-1 and i, as far as
// they are there. Of two rows neither is the first; we take the least leaf.
func (d *drawing) findRows() {
	for f, b := range d.y.Blocks {
		n := len(b.Elems)
		swaps := make(map[int][]int) // by leaf: those that move it
		for i, g := range b.Swaps {
			eachMoved(g, func(v, _ int, _ bool) { swaps[v] = append(swaps[v], i) })
		}
		least := d.components(b.Swaps)
		members := make(map[int]int)
		for v := range swaps {
			members[least[v]]++
		}
		for v, by := range swaps {
			l := &d.leaves[v]
			if len(l.factors) > 1 || l.factors[0] != f || members[least[v]] != n {
				continue
			}
			switch {
			case n == 2 && v == least[v], n > 2 && slices.Equal(by, []int{0}):
				l.row = 0
			case n == 2, slices.Equal(by, []int{n - 2}):
				l.row = n - 1
			case len(by) == 2 && by[1] == by[0]+1:
				l.row = by[1]
			}
		}
	}
	slices.SortStableFunc(d.moved, func(v, w int) int {
		p, q := &d.leaves[v], &d.leaves[w]
		return cmp.Or(slices.Compare(p.factors, q.factors), cmp.Compare(p.row, q.row))
	})
}

// place names the clusters of a moved leaf, outermost first.
func (d *drawing) place(l *leaf) []string {
	var names []string
	for _, f := range l.factors {
		if f < len(d.y.Blocks) {
			b := &d.y.Blocks[f]
			names = append(names, fmt.Sprintf("%s: Sym(%d)", b.Name, len(b.Elems)))
		} else {
			g := &d.y.Groups[f-len(d.y.Blocks)]
			names = append(names, fmt.Sprintf("%s: %s, order %v", g.Name, g.Kind, g.Order))
		}
	}
	place := []string{strings.Join(names, " and ")}
	if l.row >= 0 {
		place = append(place, fmt.Sprintf("%s, row %d", d.y.Blocks[l.factors[0]].Name, l.row+1))
	}
	return place
}
