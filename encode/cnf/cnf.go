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
func (en *Encoder) Restart(s Clauser) {
	for _, n := range en.named {
		en.name[n], en.wanted[n], en.written[n] = 0, 0, 0
	}
	en.named, en.constant, en.s = en.named[:0], 0, s
}

// Named returns the nodes that have names, in the order in which they got them. The caller must not change them.
func (en *Encoder) Named() []int { return en.named }

// Fork returns an encoder of the same graph that takes over the names of en and writes to s. For en what it defines is
// not there, so its clauses may end before those of en. Leaves that it needs must have names in en; others would be leaves
// that have nothing to do with those of en.
func (en *Encoder) Fork(s Clauser) *Encoder {
	en.sync()
	return &Encoder{g: en.g, s: s, name: slices.Clone(en.name), wanted: slices.Clone(en.wanted), written: slices.Clone(en.written),
		fan: slices.Clone(en.fan), constant: en.constant}
}

// bind makes a literal of the solver the name of a leaf, which has none.
func (en *Encoder) bind(leaf aig.Lit, name sat.Lit) {
	en.sync()
	n := leaf.Node()
	en.name[n], en.wanted[n] = name, both
	en.named = append(en.named, n)
}

// Lit returns a literal that is equal to l.
func (en *Encoder) Lit(l aig.Lit) sat.Lit {
	en.sync()
	v := en.ref(l, both)
	en.drain()
	return v
}

// Implied returns a literal v with v → l: assuming or asserting v forces l, but
// v may be false where l is true. It costs about half the clauses of Lit. Its
// negation says nothing about l.
func (en *Encoder) Implied(l aig.Lit) sat.Lit {
	en.sync()
	v := en.ref(l, implies)
	en.drain()
	return v
}

// Assert makes l true for good. Conjuncts become clauses of their own, a
// disjunction one clause.
func (en *Encoder) Assert(l aig.Lit) {
	en.sync()
	todo := []aig.Lit{l}
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n := x.Node()
		if !en.g.IsAnd(n) || en.name[n] != 0 {
			en.add(0, x)
			continue
		}
		_, _, _, mux := en.mux(n)
		if !x.Neg() && !mux {
			a, b := en.g.Fanins(n)
			todo = append(todo, b, a)
		} else {
			en.require(0, x)
		}
		en.name[n], en.wanted[n] = en.verum()^sat.Lit(x&1), both
		en.undissolve(n)
		en.named = append(en.named, n)
	}
	en.drain()
}

// Value returns the value of l in the model the solver holds. Leaves that were
// never encoded are don't cares: they count as false.
func (en *Encoder) Value(l aig.Lit) bool {
	if n := l.Node(); n < len(en.name) && n != 0 && !en.g.IsAnd(n) {
		if en.name[n] == 0 {
			return l.Neg()
		}
		return en.model().Value(en.name[n]) != l.Neg()
	}
	return en.Values([]aig.Lit{l})[0]
}

// model returns the solver as one that holds a model.
func (en *Encoder) model() interface{ Value(sat.Lit) bool } {
	m, ok := en.s.(interface{ Value(sat.Lit) bool })
	if !ok {
		panic(fmt.Sprintf("cnf: %T holds no model to read values from", en.s))
	}
	return m
}

// Values returns the values of ls as Value does, visiting their cones once.
func (en *Encoder) Values(ls []aig.Lit) []bool {
	m := en.model()
	en.sync()
	en.value = append(en.value, make([]uint8, len(en.name)-len(en.value))...)
	value := en.value   // of the AND nodes whose name does not tell: 1 false, 2 true; 0: not known yet
	var set, todo []int // the nodes that have one; those to be given one
	known := func(n int) (v, ok bool) {
		if name := en.name[n]; name != 0 {
			// One half of a definition still decides one of the values.
			v := m.Value(name)
			if v && en.wanted[n]&implies != 0 || !v && en.wanted[n]&implied != 0 {
				return v, true
			}
		} else if !en.g.IsAnd(n) {
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
			a, b := en.g.Fanins(n)
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
func (en *Encoder) sync() {
	old, n := len(en.name), en.g.Len()
	if n == old {
		return
	}
	en.name = append(en.name, make([]sat.Lit, n-old)...)
	en.wanted = append(en.wanted, make([]polarity, n-old)...)
	en.written = append(en.written, make([]polarity, n-old)...)
	en.fan = append(en.fan, make([]uint8, n-old)...)
	for i := old; i < n; i++ {
		if en.g.IsAnd(i) {
			a, b := en.g.Fanins(i)
			en.fan[a.Node()] = min(en.fan[a.Node()]+1, 2)
			en.fan[b.Node()] = min(en.fan[b.Node()]+1, 2)
		}
	}
}

// verum returns a literal that is true.
func (en *Encoder) verum() sat.Lit {
	if en.constant == 0 {
		en.constant = en.s.NewVar()
		en.s.Add(en.constant)
	}
	return en.constant
}

// ref returns the name of l and queues the missing halves of its definition:
// for l, not for its node, implies is name → l.
func (en *Encoder) ref(l aig.Lit, want polarity) sat.Lit {
	n := l.Node()
	if en.name[n] == 0 {
		en.named = append(en.named, n)
		switch {
		case n == 0:
			en.name[n], en.wanted[n] = en.verum().Not(), both
		case en.g.IsAnd(n):
			en.name[n] = en.s.NewVar()
			en.undissolve(n)
		default:
			en.name[n], en.wanted[n] = en.s.NewVar(), both
		}
	}
	if l.Neg() {
		want = want>>1 | want<<1&both
	}
	if want&^en.wanted[n] != 0 {
		en.wanted[n] |= want
		en.queue = append(en.queue, n)
	}
	return en.name[n] ^ sat.Lit(l&1)
}

// drain writes all queued definitions.
func (en *Encoder) drain() {
	for len(en.queue) > 0 {
		n := en.queue[len(en.queue)-1]
		en.queue = en.queue[:len(en.queue)-1]
		en.define(n)
	}
}

// define writes the halves of the definition of n that were asked for and are
// missing.
func (en *Encoder) define(n int) {
	missing := en.wanted[n] &^ en.written[n]
	if missing == 0 {
		return
	}
	en.written[n] |= missing
	v, l := en.name[n], aig.MkLit(n, false)
	if missing&implies != 0 {
		en.require(v.Not(), l)
	}
	if missing&implied != 0 {
		en.require(v, l.Not())
	}
	if _, t, e, ok := en.mux(n); ok && en.written[n] == both {
		en.add(v.Not(), t, e)
		en.add(v, t.Not(), e.Not())
	}
}

// require writes clauses equivalent to w ∨ l without naming the AND node of l;
// w = 0 is no literal.
func (en *Encoder) require(w sat.Lit, l aig.Lit) {
	n := l.Node()
	if s, t, e, ok := en.mux(n); ok {
		en.add(w, s.Not(), t.NotIf(l.Neg()))
		en.add(w, s, e.NotIf(l.Neg()))
		return
	}
	leaves := en.conjuncts(n)
	if l.Neg() {
		for i, x := range leaves {
			leaves[i] = x.Not()
		}
		en.add(w, leaves...)
		return
	}
	for _, x := range leaves {
		// A private leaf is an OR or a multiplexer, never again an AND. With
		// both halves wanted it is going to be named anyway.
		if en.private(x.Node()) && en.wanted[n] != both {
			en.require(w, x)
		} else {
			en.add(w, x)
		}
	}
}

// add writes the clause w ∨ l₁ ∨ l₂ …, naming every lᵢ with the half that makes
// the name imply it; w = 0 is no literal. Repeated and false literals are left
// out, a clause with a true literal or a complementary pair altogether.
func (en *Encoder) add(w sat.Lit, ls ...aig.Lit) {
	en.clause = en.clause[:0]
	if w != 0 {
		en.clause = append(en.clause, w)
	}
	for _, l := range ls {
		en.clause = append(en.clause, en.ref(l, implies))
	}
	slices.Sort(en.clause)
	k := 0
	for _, x := range en.clause {
		switch {
		case x == en.constant || k > 0 && x == en.clause[k-1].Not():
			return
		case x == en.constant.Not() || k > 0 && x == en.clause[k-1]:
		default:
			en.clause[k] = x
			k++
		}
	}
	en.s.Add(en.clause[:k]...)
}

// private reports whether n is an AND node without a name and with one reference.
func (en *Encoder) private(n int) bool {
	return en.fan[n] == 1 && en.name[n] == 0 && en.g.IsAnd(n)
}

// mux returns s, t, e with n = s ? t : e. A node whose two inner ANDs are both
// wanted for themselves counts as the AND it is.
func (en *Encoder) mux(n int) (s, t, e aig.Lit, ok bool) {
	s, t, e, ok = en.g.MatchMux(n)
	if ok {
		a, b := en.g.Fanins(n)
		ok = en.private(a.Node()) || en.private(b.Node())
	}
	return s, t, e, ok
}

// conjuncts returns the leaves of the n-ary AND that ends in node n, ascending
// and each once, dissolving private ANDs that are no multiplexers. The slice is
// the caller's.
func (en *Encoder) conjuncts(n int) []aig.Lit {
	var leaves []aig.Lit
	a, b := en.g.Fanins(n)
	en.stack = append(en.stack[:0], a, b)
	for len(en.stack) > 0 {
		l := en.stack[len(en.stack)-1]
		en.stack = en.stack[:len(en.stack)-1]
		if !l.Neg() && en.private(l.Node()) {
			if _, _, _, mux := en.mux(l.Node()); !mux {
				a, b := en.g.Fanins(l.Node())
				en.stack = append(en.stack, a, b)
				continue
			}
		}
		leaves = append(leaves, l)
	}
	slices.Sort(leaves)
	return slices.Compact(leaves)
}
