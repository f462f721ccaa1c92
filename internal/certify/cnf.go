package certify

import (
	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/mc/evidence"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file turns functions of a system into clauses for the check of proofs, in
// the plainest way: one variable and three clauses for an AND (Tseitin 1968),
// equal ANDs once, constants folded. Nothing is shared with the engines, whose
// translation is clever.

// formula is a growing formula. Variable 1 is true.
type formula struct {
	sat.CNF
	ands map[[2]sat.Lit]sat.Lit
	gate [][2]sat.Lit // by variable: its operands if it is an AND
	most int          // ANDs there ever were
	room []sat.Lit    // where clauses are put, many in one allocation
}

const verum = sat.Lit(2)

func newFormula() *formula {
	return &formula{CNF: sat.CNF{NumVars: 1, Clauses: [][]sat.Lit{{verum}}}, ands: make(map[[2]sat.Lit]sat.Lit), gate: make([][2]sat.Lit, 2)}
}

// restart empties the formula and keeps its memory, since a check may have thousands of small
// queries.
func (f *formula) restart() {
	f.NumVars, f.Clauses, f.gate, f.room = 1, f.Clauses[:1], f.gate[:2], f.room[:0]
	if f.most = max(f.most, len(f.ands)); len(f.ands) < f.most/8 {
		f.most, f.ands = 0, make(map[[2]sat.Lit]sat.Lit) // clearing takes as long as if it was full
	}
	clear(f.ands)
}

// literals returns the number of literals of all clauses.
func (f *formula) literals() (n int64) {
	for _, c := range f.Clauses {
		n += int64(len(c))
	}
	return n
}

func (f *formula) fresh() sat.Lit {
	f.NumVars++
	f.gate = append(f.gate, [2]sat.Lit{})
	return sat.MkLit(f.NumVars, false)
}

func (f *formula) add(clause ...sat.Lit) {
	if cap(f.room)-len(f.room) < len(clause) {
		f.room = make([]sat.Lit, 0, max(len(clause), 2*cap(f.room), 1<<8))
	}
	n := len(f.room)
	f.room = append(f.room, clause...)
	f.Clauses = append(f.Clauses, f.room[n:len(f.room):len(f.room)])
}

func (f *formula) and(a, b sat.Lit) sat.Lit {
	if a > b {
		a, b = b, a
	}
	switch { // the constants are the two least literals
	case a == verum.Not() || a == b.Not():
		return verum.Not()
	case a == verum || a == b:
		return b
	}
	v, ok := f.ands[[2]sat.Lit{a, b}]
	if !ok {
		v = f.fresh()
		f.gate[v.Var()] = [2]sat.Lit{a, b}
		f.ands[[2]sat.Lit{a, b}] = v
		f.add(v.Not(), a)
		f.add(v.Not(), b)
		f.add(v, a.Not(), b.Not())
	}
	return v
}

// view is a graph in a formula: a literal for each leaf and each node that was used.
type view struct {
	f    *formula
	g    *aig.Graph
	leaf func(node int) sat.Lit
	node []sat.Lit // by node; 0: not used
}

func newView(f *formula, g *aig.Graph, leaf func(node int) sat.Lit) *view {
	v := &view{f, g, leaf, make([]sat.Lit, g.Len())}
	v.node[0] = verum.Not()
	return v
}

// lit returns a literal that is equal to l.
func (v *view) lit(l aig.Lit) sat.Lit {
	n := l.Node()
	x := v.node[n]
	if x == 0 {
		if v.g.IsAnd(n) {
			a, b := v.g.Fanins(n)
			x = v.f.and(v.lit(a), v.lit(b))
		} else {
			x = v.leaf(n)
		}
		v.node[n] = x
	}
	if l.Neg() {
		return x.Not()
	}
	return x
}

// circuitView is a circuit over the given latches and inputs; input is nil if it is over latches.
func circuitView(c *evidence.Circuit, f *formula, latch, input func(i int) sat.Lit) *view {
	number, in := lists.IndexBy(c.Latches, aig.Lit.Node), lists.IndexBy(c.Inputs, aig.Lit.Node)
	return newView(f, c.G, func(node int) sat.Lit {
		if i, ok := in[node]; ok {
			return input(i)
		}
		return latch(number[node])
	})
}

// leaves says what each leaf of the graph of a system is.
type leaves struct {
	latch, input, init map[int]int // by node: number
}

func newLeaves(sys *ts.System) *leaves {
	node := func(s ts.Signal) int { return s.Node }
	return &leaves{sys.Numbers(), lists.IndexBy(sys.Inputs, node), lists.IndexBy(sys.Init, node)}
}

// has reports whether a node is a leaf of the system.
func (l *leaves) has(node int) bool {
	_, latch := l.latch[node]
	_, input := l.input[node]
	_, init := l.init[node]
	return latch || input || init
}

// path is a path of a system in a formula, from a reset state or from any state. It contains
// only the functions that were used.
type path struct {
	*formula
	focus
	sys      *ts.System
	leaves   *leaves
	free     bool
	first    []sat.Lit // free: by latch, in frame 0; 0: not used
	reset    *view
	init     []sat.Lit // by initial input; 0: not used
	frames   []*view
	inputs   [][]sat.Lit // by frame, and one more, and input; 0: not used
	came     [][2]int    // frame and node of leaves that have a literal now; some are there twice
	required []sat.Lit   // by the query
	sort     func()      // requires that the first state is least; nil if that is not known
	order    [][]int     // components by table, see path.least; nil: by number
}

func newPath(f *formula, sys *ts.System, ls *leaves, free bool, frames int) *path {
	p := &path{formula: f, focus: focus{formula: f}, sys: sys, leaves: ls, free: free, first: make([]sat.Lit, len(sys.Latches)), init: make([]sat.Lit, len(sys.Init))}
	if !free {
		p.reset = newView(p.formula, sys.G, func(node int) sat.Lit { return p.variable(p.init, ls.init[node]) })
	}
	for range frames + 1 {
		p.inputs = append(p.inputs, make([]sat.Lit, len(sys.Inputs)))
	}
	for k := range frames {
		p.frames = append(p.frames, newView(p.formula, sys.G, func(node int) sat.Lit {
			p.came = append(p.came, [2]int{k, node})
			if i, ok := ls.latch[node]; ok {
				return p.latch(k, i)
			}
			return p.variable(p.inputs[k], ls.input[node])
		}))
	}
	return p
}

func (p *path) variable(of []sat.Lit, i int) sat.Lit {
	if of[i] == 0 {
		of[i] = p.fresh()
	}
	return of[i]
}

// latch returns latch i in frame k, which may be the one after the last.
func (p *path) latch(k, i int) sat.Lit {
	switch {
	case k > 0:
		return p.frames[k-1].lit(p.sys.Latches[i].Next)
	case p.free:
		if p.first[i] == 0 {
			p.came = append(p.came, [2]int{0, p.sys.Latches[i].Node})
		}
		return p.variable(p.first, i)
	}
	return p.reset.lit(p.sys.Latches[i].Reset)
}

// has reports whether a leaf has a literal in frame k.
func (p *path) has(k, node int) bool {
	ok := p.frames[k].node[node] != 0
	if i, latch := p.leaves.latch[node]; latch && k == 0 && p.free {
		ok = p.first[i] != 0
	}
	return ok
}

// run is what a path is in a model: states and inputs by frame.
// What the formula does not mention is 0.
type run struct {
	states, inputs [][]bool
}

func (p *path) run(value func(sat.Lit) bool) *run {
	read := func(of []sat.Lit) []bool { return lists.Map(of, func(l sat.Lit) bool { return l != 0 && value(l) }) }
	r, e := &run{}, ts.NewEvaluator(p.sys)
	state := read(p.first)
	if !p.free {
		state = e.Reset(read(p.init))
	}
	for k := range p.frames {
		r.states = append(r.states, state)
		r.inputs = append(r.inputs, read(p.inputs[k]))
		e.Set(state, r.inputs[k])
		state = e.Next()
	}
	r.states = append(r.states, state)
	return r
}

// differ requires two states to be different.
func (f *formula) differ(a, b []sat.Lit) {
	var some []sat.Lit
	for i, x := range a {
		if x != b[i] {
			d := f.fresh()
			f.add(d.Not(), x, b[i])
			f.add(d.Not(), x.Not(), b[i].Not())
			some = append(some, d)
		}
	}
	f.add(some...)
}
