package infer

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"orbitmc/detect/graph"
	"orbitmc/detect/group"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file finds values of several classes that may be renamed together: process 1, its channel 4 and its
// number 0 with process 2, channel 5 and number 1. Clarke, Emerson, Jha and Sistla ("Symmetry reductions in
// model checking", CAV 1998) verify such joint renamings; Donaldson and Miller ("Automatic symmetry
// detection for model checking using computational group theory", FM 2005) find them as the automorphisms of
// a static channel diagram, a graph of processes and the channels that their texts name.
//
// The diagram here is one of values. Each value of a class is a vertex, coloured by its class and its uses. The
// arguments of a process (model.Tie) are a vertex with an edge to each value among them. So is each pair of values of
// which one is computed from the other. So the diagram also covers channels that are made or indexed elsewhere, and
// variables that hold such values.
//
// A factor of the group that permutes n sets of values alike, or rotates them, becomes n elements of one class
// (model.Elem). Of a wreath product, such as of clients that have one of several servers, either the blocks are permuted or what is
// inside of each, whichever promises fewer states. Other actions of a factor are left out, for example permutations of pairs.

// vertex is a value of a class.
type vertex struct {
	n *node
	v int64
}

type diagram struct {
	a        *grouping
	nodes    []*node
	facts    map[*node][]fact // but what was handed over or is in an edge
	lo, hi   map[*node]int64
	vertices []vertex
	number   map[vertex]int
	b        *graph.Builder
	slots    map[int]*model.Type // by vertex of the number of a process: the type of the number
}

// joint returns the classes that ties suggest.
func (gr *grouping) joint() []*candidate {
	if len(gr.m.Ties) == 0 {
		return nil
	}
	d := &diagram{a: gr, facts: make(map[*node][]fact), lo: make(map[*node]int64), hi: make(map[*node]int64),
		number: make(map[vertex]int), b: graph.NewBuilder(0, 0), slots: make(map[int]*model.Type)}
	d.values()
	d.edges()
	g, err := d.b.Graph()
	if err != nil {
		return nil
	}
	found, err := graph.Search(context.Background(), g)
	if err != nil {
		return nil
	}
	var gens []group.Sparse
	for _, p := range found.Generators {
		var s group.Sparse
		for k, x := range p.Moved {
			if int(x) < len(d.vertices) {
				s.Points, s.Images = append(s.Points, x), append(s.Images, p.Image[k])
			}
		}
		if len(s.Points) > 0 {
			gens = append(gens, s)
		}
	}
	factors, err := group.Factors(context.Background(), len(d.vertices), gens, nil, nil)
	if err != nil {
		return nil
	}
	var all []rows
	for _, f := range factors {
		all = append(all, d.rowsOf(f)...)
	}
	return d.candidates(all)
}

// node returns the class of a use, nil if there is none or it is too large.
func (d *diagram) node(u model.Use) *node {
	n, ok := d.a.nodes[u]
	if !ok {
		return nil
	}
	n = n.root()
	if _, ok := d.lo[n]; !ok {
		return nil
	}
	return n
}

func (d *diagram) values() {
	for _, n := range d.a.all {
		if n.parent != nil || n.enum != nil {
			continue
		}
		lo, hi, ok := n.hull()
		if !ok { // it has no uses, and is computed
			for _, l := range d.a.links {
				if x := l.x.root(); l.y.root() == n && x != n {
					if from, to, is := x.hull(); is && l.times > 0 {
						lo, hi, ok = l.times*from+l.plus, l.times*to+l.plus, true
					}
				}
			}
		}
		if !ok || hi-lo >= maxAlike || hi-lo < 0 {
			continue
		}
		d.nodes = append(d.nodes, n)
		d.lo[n], d.hi[n] = lo, hi
		for _, f := range n.facts {
			if f.start = true; f.kind != handed && f.kind != computed { // rules, too, may name them all
				d.facts[n] = append(d.facts[n], f)
			}
		}
	}
	for k, n := range d.nodes {
		c := &candidate{node: n}
		below, occurs := cutsBelow(d.facts[n]), c.occurrences(d.facts[n])
		ordered := d.has(n, order)
		for v := d.lo[n]; v <= d.hi[n]; v++ {
			key := fmt.Sprint("value ", k, c.inside(v), below(v), occurs[v])
			if ordered {
				key = fmt.Sprint("value ", k, " ", v)
			}
			x := vertex{n, v}
			d.number[x] = d.b.AddNamed(key)
			d.vertices = append(d.vertices, x)
		}
	}
}

func (d *diagram) has(n *node, kind factKind) bool {
	return slices.ContainsFunc(d.facts[n], func(f fact) bool { return f.kind == kind })
}

// edges makes the vertices of ties and links.
func (d *diagram) edges() {
	for _, t := range d.a.m.Ties {
		colour := fmt.Sprint("tie ", t.Kind)
		var to []int
		for k, u := range t.Uses {
			n := d.node(u)
			x, ok := d.number[vertex{n, t.Values[k]}]
			if !ok { // it is what it is
				colour += fmt.Sprint(" ", k, ": ", t.Values[k])
				continue
			}
			if k == 0 {
				d.slots[x] = u.Type.Index
			}
			role := d.b.AddNamed(fmt.Sprint("role ", k))
			d.b.AddEdge(role, x)
			to = append(to, role)
		}
		v := d.b.AddNamed(colour)
		for _, role := range to {
			d.b.AddEdge(v, role)
		}
	}
	for k, l := range d.a.links {
		x, y := l.x.root(), l.y.root()
		for v := d.lo[x]; v <= d.hi[x]; v++ {
			from, ok := d.number[vertex{x, v}]
			to, both := d.number[vertex{y, l.times*v + l.plus}]
			if !ok || !both {
				continue
			}
			begin, end := d.b.AddNamed(fmt.Sprint("from ", k)), d.b.AddNamed(fmt.Sprint("to ", k))
			d.b.AddEdge(from, begin)
			d.b.AddEdge(begin, end)
			d.b.AddEdge(end, to)
		}
	}
}

// rows are sets of values that are permuted alike: entry [r][c] goes to [r'][c].
type rows struct {
	at   [][]int32
	ring bool // only rotations are
}

// rowsOf returns disjoint rows on which elements of a factor act alike.
func (d *diagram) rowsOf(f *group.Factor) []rows {
	s, err := f.Group.Recognise(context.Background())
	if err != nil {
		return nil
	}
	var all []rows
	taken := make(map[int32]bool)
	add := func(r rows) {
		if r.at == nil || slices.ContainsFunc(slices.Concat(r.at...), func(x int32) bool { return taken[x] }) {
			return
		}
		for _, x := range slices.Concat(r.at...) {
			taken[x] = true
		}
		all = append(all, d.rotated(r))
	}
	for _, axis := range s.Axes {
		add(rows{at: swapped(lists.Map(axis.Swaps, f.Lift))})
	}
	if s.Kind == group.Wreath {
		if inner := d.within(f, s); d.gain(inner) > d.gain(all) {
			return inner
		}
	}
	if len(all) > 0 {
		return all
	}
	var longest rows
	for _, p := range f.Group.Elements(group.MaxElements) {
		if r := turned(f.Lift(p)); len(r) > len(longest.at) {
			longest = rows{at: r, ring: len(r) > 2}
		}
	}
	add(longest)
	return all
}

// within returns the rows inside of the blocks of a wreath product, such as the clients of each of several servers.
func (d *diagram) within(f *group.Factor, s *group.Structure) (all []rows) {
	kernel := lists.Map(s.Kernel, f.Lift)
	factors, err := group.Factors(context.Background(), len(d.vertices), kernel, nil, nil)
	if err != nil {
		return nil
	}
	for _, inner := range factors {
		all = append(all, d.rowsOf(inner)...)
	}
	return all
}

// gain estimates how many times fewer states there are if rows are permuted, each of which has four states for each process in it:
// q^n states of n rows are C(q+n-1, n) up to their order.
func (d *diagram) gain(all []rows) float64 {
	gain := 1.0
	for _, r := range all {
		q, n := 1.0, float64(len(r.at))
		for _, x := range r.at[0] {
			if d.slots[int(x)] != nil {
				q *= 4
			}
		}
		if r.ring {
			gain *= n
			continue
		}
		for i := 0.0; i < n; i++ {
			gain *= q * (i + 1) / (q + i)
		}
	}
	return gain
}

// swapped returns the rows that permutations exchange, each a row and the next one; nil if they do more.
func swapped(swaps []group.Sparse) [][]int32 {
	image := make([]map[int32]int32, len(swaps))
	for i, s := range swaps {
		image[i] = make(map[int32]int32)
		for k, x := range s.Points {
			image[i][x] = s.Images[k]
		}
	}
	at := make([][]int32, len(swaps)+1)
	for _, x := range slices.Sorted(slices.Values(swaps[0].Points)) {
		y := image[0][x]
		if len(swaps) == 1 && x > y {
			continue
		}
		if len(swaps) > 1 {
			_, first := image[1][x]
			_, second := image[1][y]
			if first == second {
				return nil
			}
			if first {
				continue
			}
		}
		at[0] = append(at[0], x)
	}
	for i := range swaps {
		for _, x := range at[i] {
			y, ok := image[i][x]
			if !ok || image[i][y] != x || i > 0 && slices.Contains(at[i-1], y) {
				return nil
			}
			at[i+1] = append(at[i+1], y)
		}
		if len(image[i]) != 2*len(at[0]) {
			return nil
		}
	}
	return at
}

// turned returns the rows that a permutation rotates, if all cycles are of one length, else nil.
func turned(p group.Sparse) (at [][]int32) {
	image := make(map[int32]int32)
	for k, x := range p.Points {
		image[x] = p.Images[k]
	}
	seen := make(map[int32]bool)
	for _, x := range slices.Sorted(slices.Values(p.Points)) {
		if seen[x] {
			continue
		}
		n := 0
		for y := x; !seen[y]; y = image[y] {
			seen[y] = true
			if n == len(at) {
				if at = append(at, nil); len(at[0]) > 1 {
					return nil
				}
			}
			at[n] = append(at[n], y)
			n++
		}
		if n != len(at) {
			return nil
		}
	}
	return at
}

// rotated returns rows that are exchanged as rows that are rotated, in the order of numbers that are
// computed with, if some are.
func (d *diagram) rotated(r rows) rows {
	if len(r.at) < 3 || r.ring {
		return r
	}
	for c, x := range r.at[0] {
		if d.has(d.vertices[x].n, sum) {
			r.ring = true
			slices.SortFunc(r.at, func(p, q []int32) int { return int(d.vertices[p[c]].v - d.vertices[q[c]].v) })
			break
		}
	}
	return r
}

// candidates makes classes of rows. Rows that move values of one class of uses belong together.
func (d *diagram) candidates(all []rows) (cs []*candidate) {
	var parts [][]rows
	for _, r := range all {
		together := []rows{r}
		if !slices.ContainsFunc(r.at[0], func(x int32) bool { return d.slots[int(x)] != nil }) {
			continue // no process
		}
		parts = slices.DeleteFunc(parts, func(p []rows) bool {
			meet := slices.ContainsFunc(p, func(q rows) bool {
				return slices.ContainsFunc(q.at[0], func(x int32) bool {
					return slices.ContainsFunc(r.at[0], func(y int32) bool { return d.vertices[x].n == d.vertices[y].n })
				})
			})
			if meet {
				together = append(slices.Clone(p), together...)
			}
			return meet
		})
		parts = append(parts, together)
	}
	for _, p := range parts {
		if slices.ContainsFunc(p, func(r rows) bool { return len(r.at[0]) > 1 }) {
			cs = append(cs, d.candidate(p, len(d.a.m.Scalarsets)+len(cs)))
		}
	}
	return cs
}

// candidate makes a class of rows. Its elements have the numbers of processes in them.
func (d *diagram) candidate(part []rows, class int) *candidate {
	c := &candidate{tables: make(map[*node][]model.Elem), types: make(map[model.Use]*model.Type)}
	var name string
	lo, hi := int64(1<<62), int64(-1)
	process := func(row []int32) int64 {
		for _, x := range row {
			if t := d.slots[int(x)]; t != nil {
				name = cmp.Or(name, t.String())
				return d.vertices[x].v
			}
		}
		return -1
	}
	for _, r := range part {
		for _, row := range r.at {
			lo, hi = min(lo, process(row)), max(hi, process(row))
		}
	}
	copies := make(map[*node]int)
	for _, r := range part {
		elems := lists.Map(r.at, func(row []int32) int { return int(process(row) - lo) })
		for col, x := range r.at[0] {
			n := d.vertices[x].n
			table := c.tables[n]
			if table == nil {
				table = slices.Repeat([]model.Elem{{Number: -1}}, int(d.hi[n]-d.lo[n]+1))
				c.tables[n] = table
				c.nodes = append(c.nodes, n)
			}
			for k, row := range r.at {
				table[d.vertices[row[col]].v-d.lo[n]] = model.Elem{Number: elems[k], Copy: copies[n]}
			}
			copies[n]++
		}
		if r.ring {
			c.Rings = append(c.Rings, elems)
		} else {
			c.Values = append(c.Values, slices.Sorted(slices.Values(elems)))
		}
	}
	c.Name, c.base = name, lo
	c.Type = &model.Type{Kind: model.Range, Name: name, Lo: lo, Hi: hi, First: lo, Class: class, Alike: true, Leaves: 1}
	for e := range int(hi - lo + 1) {
		c.Type.Elems = append(c.Type.Elems, model.Elem{Number: e})
	}
	for _, n := range c.nodes {
		d.spans(c, n)
	}
	return c
}

// spans makes the types of the uses of a class of uses.
func (d *diagram) spans(c *candidate, n *node) {
	types := make(map[span]*model.Type)
	for _, u := range n.uses {
		s := span{u.t.Lo, u.t.Hi}
		t, ok := types[s]
		if !ok {
			if s.lo < d.lo[n] || s.hi > d.hi[n] {
				continue // of a property
			}
			elems := c.tables[n][s.lo-d.lo[n] : s.hi-d.lo[n]+1]
			if whole(elems, c.tables[n]) {
				copied := *u.t
				t = &copied
				t.Alike, t.Class, t.First, t.Elems = true, c.Type.Class, s.lo, elems
			}
			types[s] = t
		}
		if t != nil {
			c.types[u.Use] = t
		}
	}
}

// whole reports whether a part of a table has, of each copy, all values or none; and some.
func whole(part, table []model.Elem) bool {
	count := func(in []model.Elem, number int) int {
		return lists.Count(in, func(e model.Elem) bool { return e.Number >= 0 && e.Copy == number })
	}
	some := false
	for _, e := range part {
		if e.Number < 0 {
			continue
		}
		some = true
		if count(part, e.Copy) != count(table, e.Copy) {
			return false
		}
	}
	return some
}
