package structure

import (
	"context"
	"io"
	"math"
	"slices"

	"orbitmc/aig"
	"orbitmc/detect/graph"
	"orbitmc/detect/group"
	"orbitmc/internal/lists"
	"orbitmc/internal/pace"
	"orbitmc/ts"
)

// The coloured graph of a system: its automorphisms are symmetries of the
// system, and the group is as large as the structure shows.
//
//	vertex                      colour                 edges to
//	leaf                        latch, input, initial  –
//	latch as a function         its own                the latch
//	constant true               its own                –
//	n-ary AND, n-ary XOR        kind and level         its operands, as literals
//	negation                    its own and level      what it negates
//	next, reset of a latch      kind                   the latch, the function
//	constraint, bad, W          kind; of a bad its     the function; in the loose
//	                            number, or delay       view a bad's property
//
// A literal is its node's vertex, or the one negation of it. Edges have no
// direction: the level of a gate, the longest way from it to a leaf, is in its
// colour, and so operands and uses of a gate cannot be taken for each other.
//
// The functions are first brought into the normal form of n-ary gates that
// verification compares (aig.NewNaryCopier), or taken as they are: see view. Then
// conjunctions are flattened into those that use them, and exclusive ors likewise,
// with the negations of operands drawn out: how a chain was nested, what it shared,
// and which of the ways to write an exclusive or was taken, would hide symmetry
// otherwise. A multiplexer needs no recognition: as two ANDs it has the symmetry it
// should have. Equal gates get one vertex.
//
// Darga, Sakallah and Markov (DAC 2008) make such graphs of clauses; gates of a
// circuit take the place of the clauses here.
type circuit struct {
	leafVertices
	sys   *ts.System
	view  view
	g     *aig.Graph      // the functions, in normal form or not
	flat  *aig.Conjuncter // of g
	norm  *aig.Copier     // into g
	b     *graph.Builder
	level []int32 // by vertex

	colours map[colour]int
	uses    []uint32       // by node: how often it occurs
	xor     []bool         // by node: it is taken for an exclusive or
	width   []int32        // by node: operands of an AND into which those below are flattened, see measure
	gate    []literal      // by node, as far as known; 0: not made yet
	not     []int32        // by vertex: its negation, or 0
	first   []int32        // by vertex: the number of its first edge
	gates   []int32        // hash table of ANDs and exclusive ors, by their edges; 0 is empty
	count   int            // of gates
	ops     []int          // scratch
	tables  map[string]int // by function, see cone.go: its vertex
	roots   map[rootKey]bool
	buffers map[int]int // by latch

	cones   [][]int32 // by node: the leaves of a function that is looked at, see cone.go; nil if none is
	known   tableau
	visited int // nodes, for tables that were made
}

// leafVertices are the vertices of leaves, and of bads in the loose view: what is left of a
// circuit while its graph is searched.
type leafVertices struct {
	leaf [3][]int // see ts.System.Leaves
	bad  []int
}

// literal is a function: its vertex plus 1, doubled, and 1 if the vertex is to be negated.
type literal uint32

func literalOf(vertex int, neg bool) literal {
	l := literal(vertex+1) << 1
	if neg {
		l |= 1
	}
	return l
}

func (l literal) vertex() int { return int(l>>1) - 1 }
func (l literal) neg() bool   { return l&1 == 1 }

type kind uint8

const (
	latchVertex kind = iota
	inputVertex
	initVertex
	trueVertex
	andVertex
	xorVertex
	notVertex
	bufferVertex
	nextVertex
	resetVertex
	constraintVertex
	badVertex
	wVertex
	coneVertex
	coneLeafVertex
	propertyVertex
)

// colour is what two vertices must have in common to be exchanged.
type colour struct {
	kind kind
	a, b int
}

// view is what is made of the functions of a system before gates are read off.
type view uint8

const (
	normalised view = iota // the normal form of n-ary gates that verification compares
	plain                  // as they are, n-ary ANDs and no exclusive ors
	tabled                 // normalised, and functions of few leaves as truth tables
	loose                  // normalised, and properties may be exchanged: see images.go
)

// stepsPerNode is what a gate or a vertex costs in steps of package pace.
const stepsPerNode = 4

// newCircuit builds the graph of a system. The error is that of ctx.
func newCircuit(ctx context.Context, sys *ts.System, view view) (*circuit, error) {
	roots := sys.Roots()
	g := aig.NewPlain()
	norm := aig.NewCopier(g, sys.G)
	if view != plain {
		norm = aig.NewNaryCopier(g, sys.G, roots)
	}
	c := &circuit{
		sys: sys, view: view, g: g, flat: aig.NewConjuncter(g), norm: norm, b: graph.NewBuilder(0, 0),
		colours: make(map[colour]int), gates: make([]int32, 64), tables: make(map[string]int), roots: make(map[rootKey]bool), buffers: make(map[int]int),
	}
	c.leaves()
	copied := 0
	for i, l := range roots {
		roots[i] = c.norm.Copy(l)
		pace.Spend(ctx, stepsPerNode*(g.Len()-copied))
		if copied = g.Len(); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	c.gate = append(c.gate, make([]literal, g.Len()-len(c.gate))...)
	c.uses = g.FanoutCounts(roots)
	c.measure()
	if view == tabled {
		c.findCones()
	}
	made := len(c.level)
	for i, l := range sys.Latches {
		c.b.AddEdge(c.root(colour{kind: nextVertex}, l.Next), c.leaf[0][i])
		c.b.AddEdge(c.root(colour{kind: resetVertex}, l.Reset), c.leaf[0][i])
		pace.Spend(ctx, stepsPerNode*(len(c.level)-made)+c.visited)
		if made, c.visited = len(c.level), 0; ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	for _, l := range sys.Constraints {
		c.once(colour{kind: constraintVertex}, l)
	}
	c.bads()
	if sys.W != aig.True {
		c.once(colour{kind: wVertex}, sys.W)
	}
	return c, nil
}

// leaves makes the vertices of leaves and of the constant. Those of latches come first:
// their numbers are those of the latches.
func (c *circuit) leaves() {
	c.gate = []literal{0}
	for k, part := range c.sys.Leaves() {
		for _, leaf := range part {
			c.norm.Set(leaf.Node, c.g.Input())
			v := c.vertex(colour{kind: [...]kind{latchVertex, inputVertex, initVertex}[k]}, 0)
			c.gate = append(c.gate, literalOf(v, false)) // leaves are nodes 1, 2, …
			c.leaf[k] = append(c.leaf[k], v)
		}
	}
	yes := c.vertex(colour{kind: trueVertex}, 0)
	c.gate[0] = literalOf(yes, true) // node 0 is false
}

// bads makes the roots of bads. Each has a colour of its own, but in the loose view: there
// the bads of a property are joined to a vertex of it, and properties may be exchanged.
func (c *circuit) bads() {
	of := make(map[int]int) // by property: its vertex
	for i, b := range c.sys.Bads {
		if c.view != loose {
			c.root(colour{badVertex, i, 0}, b.Lit)
			continue
		}
		v := lists.Memo(of, b.Prop, func(int) int { return c.vertex(colour{kind: propertyVertex}, -1) })
		c.bad = append(c.bad, c.root(colour{badVertex, b.Delay, 0}, b.Lit))
		c.b.AddEdge(c.bad[i], v)
	}
}

type rootKey struct {
	colour   colour
	function int
}

// once makes the root of a function unless there is an equal one: two equal
// roots would be exchanged without moving a leaf.
func (c *circuit) once(k colour, l aig.Lit) {
	key := rootKey{k, c.of(l)}
	if !c.roots[key] {
		c.roots[key] = true
		c.root(k, l)
	}
}

func (c *circuit) vertex(k colour, level int32) int {
	c.level = append(c.level, level)
	c.not = append(c.not, 0)
	c.first = append(c.first, int32(c.b.Edges()))
	return c.b.AddVertex(lists.Number(c.colours, k))
}

// root makes a vertex that stands for what a function is for.
func (c *circuit) root(k colour, l aig.Lit) int {
	v := c.vertex(k, -1)
	f := c.of(l)
	if f < len(c.sys.Latches) {
		f = c.buffer(f)
	}
	c.b.AddEdge(v, f)
	return v
}

// of returns the vertex of a function of the system.
func (c *circuit) of(l aig.Lit) int { return c.lit(c.function(c.norm.Copy(l))) }

// buffer returns the vertex that stands for a latch as a function, so that its
// next function is told from those that it is: both are at one edge from it.
func (c *circuit) buffer(latch int) int {
	return lists.Memo(c.buffers, latch, func(int) int {
		v := c.vertex(colour{kind: bufferVertex}, 0)
		c.b.AddEdge(v, latch)
		return v
	})
}

func (c *circuit) lit(l literal) int {
	of := l.vertex()
	if !l.neg() {
		return of
	}
	if c.not[of] == 0 {
		v := c.vertex(colour{notVertex, int(c.level[of]), 0}, c.level[of])
		c.b.AddEdge(v, of)
		c.not[of] = int32(v)
	}
	return int(c.not[of])
}

// function returns the literal of l, making what it needs. It keeps its own
// stack: circuits may be deep.
func (c *circuit) function(l aig.Lit) literal {
	type gate struct {
		node int
		kind kind
		ops  []aig.Lit // nil: not known yet
		neg  bool
	}
	stack := []gate{{node: l.Node()}}
	for len(stack) > 0 {
		x := &stack[len(stack)-1]
		switch {
		case c.gate[x.node] != 0:
		case c.small(x.node):
			c.gate[x.node] = c.cone(x.node)
		case x.ops == nil:
			x.kind, x.ops, x.neg = c.operands(x.node)
			for _, op := range x.ops {
				if c.gate[op.Node()] == 0 {
					stack = append(stack, gate{node: op.Node()})
				}
			}
			continue
		default:
			c.gate[x.node] = c.make(x.kind, x.ops, x.neg)
		}
		stack = stack[:len(stack)-1]
	}
	return c.gate[l.Node()] ^ literal(l&1)
}

// maxShared is the largest gate that is flattened into others although it is used
// several times. Without a bound a chain of n prefixes, all of them used, would
// have n² edges.
const maxShared = 256

// tooWide is how many operands, equal ones counted each time, are taken for more than maxShared different ones.
const tooWide = 4 * maxShared

// measure finds the exclusive ors, and the widths of ANDs: how many operands one has if all ANDs below are flattened
// into it, equal ones counted each time, and at most tooWide. So long conjunctions need not be walked to see that they
// are too wide. It is called when all functions are in c.g.
func (c *circuit) measure() {
	c.xor, c.width = make([]bool, c.g.Len()), make([]int32, c.g.Len())
	for n := range c.xor {
		if !c.g.IsAnd(n) {
			continue
		}
		if c.view != plain {
			_, _, c.xor[n] = c.g.MatchXor(n)
		}
		a, b := c.g.Fanins(n)
		for _, l := range [2]aig.Lit{a, b} {
			if m := l.Node(); !l.Neg() && c.g.IsAnd(m) && !c.xor[m] {
				c.width[n] += c.width[m]
			} else {
				c.width[n]++
			}
		}
		c.width[n] = min(c.width[n], tooWide)
	}
}

// operands takes a node of g apart: it is the AND or the XOR of literals, negated
// if neg.
func (c *circuit) operands(node int) (k kind, ops []aig.Lit, neg bool) {
	if c.xor[node] {
		if ops, neg = c.parity(node, maxShared, func(n int) bool { return !c.xor[n] }); len(ops) > maxShared {
			// Inside an exclusive or a node is used twice, by both halves of the one above.
			ops, neg = c.parity(node, math.MaxInt, func(n int) bool { return !c.xor[n] || c.uses[n] > 2 })
		}
		return xorVertex, ops, neg
	}
	return andVertex, c.conjuncts(node), false
}

// conjuncts returns the operands of an AND.
func (c *circuit) conjuncts(node int) []aig.Lit {
	root := aig.MkLit(node, false)
	if c.width[node] < tooWide {
		if ops := c.flat.Conjuncts(root, func(n int) bool { return c.xor[n] }, nil); len(ops) <= maxShared {
			return ops
		}
	}
	return c.flat.Conjuncts(root, func(n int) bool { return c.uses[n] > 1 || c.xor[n] }, nil)
}

// parity flattens a tree of exclusive ors below node, which is the parity of ops,
// negated if neg; the tree ends at the nodes for which end is true. It gives up
// once there are more than most.
func (c *circuit) parity(node, most int, end func(node int) bool) (ops []aig.Lit, neg bool) {
	for todo := []int{node}; len(todo) > 0 && len(ops) <= most; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		a, b, _ := c.g.MatchXor(n)
		for _, l := range []aig.Lit{a, b} {
			neg = neg != l.Neg()
			l = l.NotIf(l.Neg())
			if end(l.Node()) {
				ops = append(ops, l)
			} else {
				todo = append(todo, l.Node())
			}
		}
	}
	return ops, neg
}

// make returns the literal of a gate whose operands are made.
func (c *circuit) make(k kind, ops []aig.Lit, neg bool) literal {
	var vs []int
	level := int32(0)
	for _, op := range ops {
		l := c.gate[op.Node()] ^ literal(op&1)
		if k == xorVertex && l.neg() {
			l ^= 1
			neg = !neg
		}
		level = max(level, c.level[l.vertex()]+1)
		vs = append(vs, c.lit(l))
	}
	slices.Sort(vs)
	if k == xorVertex {
		vs = odd(vs)
		switch len(vs) {
		case 0:
			return literalOf(c.gate[0].vertex(), !neg)
		case 1:
			return literalOf(vs[0], neg)
		}
	} else {
		vs = slices.Compact(vs)
	}
	at := c.slot(k, vs)
	v := int(c.gates[at] >> 1)
	if c.gates[at] == 0 {
		v = c.vertex(colour{k, int(level), len(vs)}, level)
		for _, op := range vs {
			c.b.AddEdge(v, op)
		}
		c.gates[at] = entry(k, v)
		if c.count++; c.count > len(c.gates)/2 {
			c.rehash()
		}
	}
	return literalOf(v, neg)
}

// entry is what the table of gates has of a gate: twice its vertex, and 1 for an exclusive or.
func entry(k kind, v int) int32 {
	e := int32(v) << 1
	if k == xorVertex {
		e |= 1
	}
	return e
}

// slot returns where the table has the gate of some operands, or where it may be put.
func (c *circuit) slot(k kind, ops []int) int {
	h := uint64(k)
	for _, op := range ops {
		h = (h ^ uint64(op)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	mask := len(c.gates) - 1
	for i := int(h) & mask; ; i = (i + 1) & mask {
		if e := c.gates[i]; e == 0 || e == entry(k, int(e>>1)) && slices.Equal(c.edges(int(e>>1)), ops) {
			return i
		}
	}
}

// edges returns the operands of a gate. The result is valid until the next call.
func (c *circuit) edges(v int) []int {
	c.ops = c.ops[:0]
	for i := int(c.first[v]); i < c.b.Edges(); i++ {
		from, to := c.b.Edge(i)
		if from != v {
			break
		}
		c.ops = append(c.ops, to)
	}
	return c.ops
}

// rehash doubles the table of gates.
func (c *circuit) rehash() {
	old := c.gates
	c.gates = make([]int32, 2*len(old))
	for _, e := range old {
		if e != 0 {
			k := andVertex
			if e&1 == 1 {
				k = xorVertex
			}
			c.gates[c.slot(k, slices.Clone(c.edges(int(e>>1))))] = e
		}
	}
}

// odd keeps one of each value that occurs an odd number of times in a sorted list.
func odd(vs []int) []int {
	var out []int
	for _, v := range vs {
		if n := len(out); n > 0 && out[n-1] == v {
			out = out[:n-1]
		} else {
			out = append(out, v)
		}
	}
	return out
}

// perm returns what an automorphism of the graph does to the leaves, as points of decompose.Numbering that
// ascend.
func (l *leafVertices) perm(p graph.Perm) (s group.Sparse) {
	off := 0
	for _, vertices := range l.leaf {
		n := len(vertices)
		leaf := func(v int32) int32 { // its number
			i, _ := slices.BinarySearch(vertices, int(v))
			return int32(off + i)
		}
		for k, v := range p.Moved {
			if n > 0 && v >= int32(vertices[0]) && v <= int32(vertices[n-1]) {
				s.Points = append(s.Points, leaf(v))
				s.Images = append(s.Images, leaf(p.Image[k]))
			}
		}
		off += n
	}
	return s
}

func graphOf(ctx context.Context, sys *ts.System, v view) (*graph.Graph, *leafVertices, error) {
	c, err := newCircuit(ctx, sys, v)
	if err != nil {
		return nil, nil, err
	}
	leaves, b := c.leafVertices, c.b // the circuit itself is large, and a search may take long
	g, err := b.Graph()
	return g, &leaves, err
}

// WriteGraph writes the graph of a system in the DIMACS format of
// other tools.
func WriteGraph(w io.Writer, sys *ts.System) error { return writeGraph(w, sys, normalised) }

func writeGraph(w io.Writer, sys *ts.System, v view) error {
	g, _, err := graphOf(context.Background(), sys, v)
	if err != nil {
		return err
	}
	return graph.WriteDIMACS(w, g)
}
