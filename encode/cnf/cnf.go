package cnf

import (
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/sat"
)

// This file translates an and-inverter graph into clauses.
//
// Every node that needs one gets a variable, its name, and clauses that define
// it (Tseitin 1968). A definition has two halves, name → node and node → name. Only the
// half that the use of the name needs is written (Plaisted and Greenbaum 1986). The other
// half is added when a later use needs it. One rule keeps polarities right: a literal may
// stand in a clause for a function only if it implies the function.
//
// Eén, Mishchenko and Sörensson (SAT 2007) choose the nodes that get a name: the graph is
// read as a graph of n-ary ANDs and multiplexers. An AND with a single reference, by another
// AND, dissolves into it. Exclusive ors, multiplexers with complementary branches, and other
// multiplexers have their own clauses. A multiplexer has two redundant clauses, by which
// equal branches determine the output. If only name → node is needed, an OR below an AND
// becomes a clause of its own without a name.
//
// References are counted in the whole graph, not in the cone of one query, because cones are
// encoded one after the other and share nodes. A node that turns out to be shared later gets
// a definition of its own. The clauses into which it was dissolved remain correct.
//
// Asserted functions are not named at all: their conjuncts become clauses, and
// the nodes are the constant true or false for everything encoded afterwards.
//
// Nothing recurses, whatever the depth of the graph.

// Clauser is the part of a sat.Solver that Encoder needs. Encoder.Value also needs its
// method Value(sat.Lit) bool.
type Clauser interface {
	NewVar() sat.Lit
	Add(clause ...sat.Lit)
}

// Encoder encodes functions of one growing graph into one solver, each node at most
// once per polarity. Its clauses are definitions and assertions that hold for
// good. It is not safe for concurrent use.
type Encoder struct {
	g       *aig.Graph
	s       Clauser
	name    []sat.Lit  // by node: the literal that stands for it, 0 when it has none
	wanted  []polarity // by node: halves of the definition that were asked for
	written []polarity // by node: those of them that are not waiting in queue
	fan     []uint8    // by node: references by AND nodes of g; 2 stands for two or more
	queue   []int      // nodes to define, perhaps repeated
	named   []int      // nodes in the order in which they got their names

	constant sat.Lit // a literal that is true; 0 until needed
	clause   []sat.Lit
	stack    []aig.Lit

	cones       []coneNode // by node
	operand     []int32    // of nodes one after the other
	visit       uint32     // calls of Cone
	todo        []int32
	leaves      []int
	value       []uint8 // by node, of Values; all 0 between calls
	vars, gates []sat.Lit
}

// polarity is a set of halves of a definition.
type polarity uint8

const (
	implies polarity = 1 << iota // name → node
	implied                      // node → name
	both    = implies | implied
)

// New returns an encoder of functions of g into s. The graph may grow
// between calls.
func New(g *aig.Graph, s Clauser) *Encoder { return &Encoder{g: g, s: s} }

// Restart goes on with another solver, which is empty: no function has a name.
func (c *Encoder) Restart(s Clauser) {
	for _, n := range c.named {
		c.name[n], c.wanted[n], c.written[n] = 0, 0, 0
	}
	c.named, c.constant, c.s = c.named[:0], 0, s
}

// Named returns the nodes that have names, in the order in which they got them. The caller must not change them.
func (c *Encoder) Named() []int { return c.named }

// Fork returns an encoder of the same graph that takes over the names of c and writes to s. For c what it defines is
// not there, so its clauses may end before those of c. Leaves that it needs must have names in c; others would be leaves
// that have nothing to do with those of c.
func (c *Encoder) Fork(s Clauser) *Encoder {
	c.sync()
	return &Encoder{g: c.g, s: s, name: slices.Clone(c.name), wanted: slices.Clone(c.wanted), written: slices.Clone(c.written),
		fan: slices.Clone(c.fan), constant: c.constant}
}

// bind makes a literal of the solver the name of a leaf, which has none.
func (c *Encoder) bind(leaf aig.Lit, name sat.Lit) {
	c.sync()
	n := leaf.Node()
	c.name[n], c.wanted[n] = name, both
	c.named = append(c.named, n)
}

// Lit returns a literal that is equal to l.
func (c *Encoder) Lit(l aig.Lit) sat.Lit {
	c.sync()
	v := c.ref(l, both)
	c.drain()
	return v
}

// Implied returns a literal v with v → l: assuming or asserting v forces l, but
// v may be false where l is true. It costs about half the clauses of Lit. Its
// negation says nothing about l.
func (c *Encoder) Implied(l aig.Lit) sat.Lit {
	c.sync()
	v := c.ref(l, implies)
	c.drain()
	return v
}

// Assert makes l true for good. Conjuncts become clauses of their own, a
// disjunction one clause.
func (c *Encoder) Assert(l aig.Lit) {
	c.sync()
	todo := []aig.Lit{l}
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n := x.Node()
		if !c.g.IsAnd(n) || c.name[n] != 0 {
			c.add(0, x)
			continue
		}
		_, _, _, mux := c.mux(n)
		if !x.Neg() && !mux {
			a, b := c.g.Fanins(n)
			todo = append(todo, b, a)
		} else {
			c.require(0, x)
		}
		c.name[n], c.wanted[n] = c.verum()^sat.Lit(x&1), both
		c.undissolve(n)
		c.named = append(c.named, n)
	}
	c.drain()
}

// Value returns the value of l in the model the solver holds. Leaves that were
// never encoded are don't cares: they count as false.
func (c *Encoder) Value(l aig.Lit) bool {
	if n := l.Node(); n < len(c.name) && n != 0 && !c.g.IsAnd(n) {
		if c.name[n] == 0 {
			return l.Neg()
		}
		return c.model().Value(c.name[n]) != l.Neg()
	}
	return c.Values([]aig.Lit{l})[0]
}

// model returns the solver as one that holds a model.
func (c *Encoder) model() interface{ Value(sat.Lit) bool } {
	m, ok := c.s.(interface{ Value(sat.Lit) bool })
	if !ok {
		panic(fmt.Sprintf("cnf: %T holds no model to read values from", c.s))
	}
	return m
}

// Values returns the values of ls as Value does, visiting their cones once.
func (c *Encoder) Values(ls []aig.Lit) []bool {
	m := c.model()
	c.sync()
	c.value = append(c.value, make([]uint8, len(c.name)-len(c.value))...)
	value := c.value    // of the AND nodes whose name does not tell: 1 false, 2 true; 0: not known yet
	var set, todo []int // the nodes that have one; those to be given one
	known := func(n int) (v, ok bool) {
		if name := c.name[n]; name != 0 {
			// One half of a definition still decides one of the values.
			v := m.Value(name)
			if v && c.wanted[n]&implies != 0 || !v && c.wanted[n]&implied != 0 {
				return v, true
			}
		} else if !c.g.IsAnd(n) {
			return false, true
		}
		return value[n] == 2, value[n] != 0
	}
	out := make([]bool, len(ls))
	for i, l := range ls {
		todo = append(todo, l.Node())
		for len(todo) > 0 {
			n := todo[len(todo)-1]
			if _, ok := known(n); ok {
				todo = todo[:len(todo)-1]
				continue
			}
			a, b := c.g.Fanins(n)
			va, oka := known(a.Node())
			vb, okb := known(b.Node())
			if !oka {
				todo = append(todo, a.Node())
			}
			if !okb {
				todo = append(todo, b.Node())
			}
			if oka && okb {
				value[n] = 1
				if va != a.Neg() && vb != b.Neg() {
					value[n] = 2
				}
				set = append(set, n)
				todo = todo[:len(todo)-1]
			}
		}
		v, _ := known(l.Node())
		out[i] = v != l.Neg()
	}
	for _, n := range set {
		value[n] = 0
	}
	return out
}

// sync takes in the nodes the graph gained since the last call.
func (c *Encoder) sync() {
	old, n := len(c.name), c.g.Len()
	if n == old {
		return
	}
	c.name = append(c.name, make([]sat.Lit, n-old)...)
	c.wanted = append(c.wanted, make([]polarity, n-old)...)
	c.written = append(c.written, make([]polarity, n-old)...)
	c.fan = append(c.fan, make([]uint8, n-old)...)
	for i := old; i < n; i++ {
		if c.g.IsAnd(i) {
			a, b := c.g.Fanins(i)
			c.fan[a.Node()] = min(c.fan[a.Node()]+1, 2)
			c.fan[b.Node()] = min(c.fan[b.Node()]+1, 2)
		}
	}
}

// verum returns a literal that is true.
func (c *Encoder) verum() sat.Lit {
	if c.constant == 0 {
		c.constant = c.s.NewVar()
		c.s.Add(c.constant)
	}
	return c.constant
}

// ref returns the name of l and queues the missing halves of its definition:
// for l, not for its node, implies is name → l.
func (c *Encoder) ref(l aig.Lit, want polarity) sat.Lit {
	n := l.Node()
	if c.name[n] == 0 {
		c.named = append(c.named, n)
		switch {
		case n == 0:
			c.name[n], c.wanted[n] = c.verum().Not(), both
		case c.g.IsAnd(n):
			c.name[n] = c.s.NewVar()
			c.undissolve(n)
		default:
			c.name[n], c.wanted[n] = c.s.NewVar(), both
		}
	}
	if l.Neg() {
		want = want>>1 | want<<1&both
	}
	if want&^c.wanted[n] != 0 {
		c.wanted[n] |= want
		c.queue = append(c.queue, n)
	}
	return c.name[n] ^ sat.Lit(l&1)
}

// drain writes all queued definitions.
func (c *Encoder) drain() {
	for len(c.queue) > 0 {
		n := c.queue[len(c.queue)-1]
		c.queue = c.queue[:len(c.queue)-1]
		c.define(n)
	}
}

// define writes the halves of the definition of n that were asked for and are
// missing.
func (c *Encoder) define(n int) {
	missing := c.wanted[n] &^ c.written[n]
	if missing == 0 {
		return
	}
	c.written[n] |= missing
	v, l := c.name[n], aig.MkLit(n, false)
	if missing&implies != 0 {
		c.require(v.Not(), l)
	}
	if missing&implied != 0 {
		c.require(v, l.Not())
	}
	if _, t, e, ok := c.mux(n); ok && c.written[n] == both {
		c.add(v.Not(), t, e)
		c.add(v, t.Not(), e.Not())
	}
}

// require writes clauses equivalent to w ∨ l without naming the AND node of l;
// w = 0 is no literal.
func (c *Encoder) require(w sat.Lit, l aig.Lit) {
	n := l.Node()
	if s, t, e, ok := c.mux(n); ok {
		c.add(w, s.Not(), t.NotIf(l.Neg()))
		c.add(w, s, e.NotIf(l.Neg()))
		return
	}
	leaves := c.conjuncts(n)
	if l.Neg() {
		for i, x := range leaves {
			leaves[i] = x.Not()
		}
		c.add(w, leaves...)
		return
	}
	for _, x := range leaves {
		// A private leaf is an OR or a multiplexer, never again an AND. With
		// both halves wanted it is going to be named anyway.
		if c.private(x.Node()) && c.wanted[n] != both {
			c.require(w, x)
		} else {
			c.add(w, x)
		}
	}
}

// add writes the clause w ∨ l₁ ∨ l₂ …, naming every lᵢ with the half that makes
// the name imply it; w = 0 is no literal. Repeated and false literals are left
// out, a clause with a true literal or a complementary pair altogether.
func (c *Encoder) add(w sat.Lit, ls ...aig.Lit) {
	c.clause = c.clause[:0]
	if w != 0 {
		c.clause = append(c.clause, w)
	}
	for _, l := range ls {
		c.clause = append(c.clause, c.ref(l, implies))
	}
	slices.Sort(c.clause)
	k := 0
	for _, x := range c.clause {
		switch {
		case x == c.constant || k > 0 && x == c.clause[k-1].Not():
			return
		case x == c.constant.Not() || k > 0 && x == c.clause[k-1]:
		default:
			c.clause[k] = x
			k++
		}
	}
	c.s.Add(c.clause[:k]...)
}

// private reports whether n is an AND node without a name and with one reference.
func (c *Encoder) private(n int) bool {
	return c.fan[n] == 1 && c.name[n] == 0 && c.g.IsAnd(n)
}

// mux returns s, t, e with n = s ? t : e. A node whose two inner ANDs are both
// wanted for themselves counts as the AND it is.
func (c *Encoder) mux(n int) (s, t, e aig.Lit, ok bool) {
	s, t, e, ok = c.g.MatchMux(n)
	if ok {
		a, b := c.g.Fanins(n)
		ok = c.private(a.Node()) || c.private(b.Node())
	}
	return s, t, e, ok
}

// conjuncts returns the leaves of the n-ary AND that ends in node n, ascending
// and each once, dissolving private ANDs that are no multiplexers. The slice is
// the caller's.
func (c *Encoder) conjuncts(n int) []aig.Lit {
	var leaves []aig.Lit
	a, b := c.g.Fanins(n)
	c.stack = append(c.stack[:0], a, b)
	for len(c.stack) > 0 {
		l := c.stack[len(c.stack)-1]
		c.stack = c.stack[:len(c.stack)-1]
		if !l.Neg() && c.private(l.Node()) {
			if _, _, _, mux := c.mux(l.Node()); !mux {
				a, b := c.g.Fanins(l.Node())
				c.stack = append(c.stack, a, b)
				continue
			}
		}
		leaves = append(leaves, l)
	}
	slices.Sort(leaves)
	return slices.Compact(leaves)
}
