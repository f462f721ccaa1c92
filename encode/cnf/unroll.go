package cnf

import (
	"context"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file unrolls a transition system from its start states into clauses, without a graph of
// the frames.
//
// The system is covered with gates once (cuts.go). A frame is a row of literals, one for each
// gate and leaf. Ternary simulation with unknown inputs finds the constants of a new frame. As long as no query needs
// more of it than these, it shares the row with other frames that have the same constants. A latch has the literal of
// its next function in the frame before, so frames share variables where they touch. A gate is instantiated when a query first needs it: the
// literals of its leaves are looked up; constants, repeated and complementary literals
// simplify its function; if a gate of the same function and leaves is remembered, its literal
// is taken; otherwise it is a variable with the clauses of its function in both phases. So constants of
// the reset state simplify the frames that depend on them, and only the cone of a query is written. (bmc3 of
// ABC also writes the cone of a query only.)
//
// Predicates over several frames are gates of a graph whose leaves stand for literals of the
// solver, and go through its CNF.

// Unrolling is an incremental unrolling of a system from its start states, in a solver. Frames
// count from 0. It is not safe for concurrent use.
type Unrolling struct {
	sys *ts.System
	s   Clauser

	slot        []int32  // by node of the system: its place in a frame; -1: it has none yet
	kinds       []kind   // by slot; slot 0 is the constant
	reset, next []ref    // by latch
	starts      [][]bool // the states of frame 0, by latch; nil: the reset state
	rows        [][]sat.Lit
	own         []bool    // by frame: its row is its own, and not constants, which others share
	since       int       // the first frame that may share constants
	sharing     int       // so many do
	state       []sat.Lit // of the last frame: constant latches, by latch; others are unset
	constants   []sat.Lit // the row that simulation made of them
	todo        []spot

	gates  int                     // that were written
	known  []instance              // gates that are remembered, by their hash
	shapes map[table][]uint8       // by function: its clauses
	forms  map[aig.Lit][][]aig.Lit // by predicate of the system that was asserted: its clauses

	in      []sat.Lit // scratch
	clause  []sat.Lit // scratch
	lits    []sat.Lit // scratch
	lemma   []aig.Lit // scratch
	scratch []sat.Lit // of Extend
	work    int64

	g     *aig.Graph
	cnf   *Encoder
	stand map[sat.Lit]aig.Lit // by positive literal of the solver: the leaf of g
}

// kind is what stands in a slot: a gate, or a leaf of the system.
type kind struct {
	f      table // of a gate over its leaves; 0: their conjunction
	leaves []ref // of a gate
	latch  int32 // number of the latch, from 1; 0: none
	free   bool  // an input or initial input
}

// ref is twice a slot, plus one when negated.
type ref int32

// spot is a slot of a frame.
type spot struct{ frame, slot int32 }

// The literals of a row are those of the solver, and these.
const (
	never  sat.Lit = 0
	always sat.Lit = 1
	unset          = ^sat.Lit(0)
)

// instance is a gate in normal form: inputs are positive and ascending, and the function
// is false when all of them are.
type instance struct {
	f   table
	in  [tableVars]sat.Lit
	out sat.Lit
}

// NewUnrolling returns an unrolling of sys into the solver s, with no frames yet. The state of
// frame 0 is the reset state over fresh initial inputs. Beside the constraints and W, predicates of
// the system are named that will be asserted. If ctx ends, the gates are those of the graph.
func NewUnrolling(ctx context.Context, sys *ts.System, s Clauser, asserted ...aig.Lit) *Unrolling {
	u := &Unrolling{sys: sys, s: s, g: aig.New(), stand: make(map[sat.Lit]aig.Lit),
		shapes: make(map[table][]uint8), forms: make(map[aig.Lit][][]aig.Lit)}
	u.cnf = New(u.g, s)
	u.slot = slices.Repeat([]int32{-1}, sys.G.Len())
	u.add(0, kind{})
	var roots []aig.Lit
	for i, l := range sys.Latches {
		u.add(l.Node, kind{latch: int32(i + 1)})
		roots = append(roots, l.Reset, l.Next)
	}
	for _, in := range slices.Concat(sys.Inputs, sys.Init) {
		u.add(in.Node, kind{free: true})
	}
	for _, b := range sys.Bads {
		roots = append(roots, b.Lit)
	}
	for _, l := range slices.Concat(sys.Constraints, []aig.Lit{sys.W}, asserted) {
		for _, clause := range u.form(l) {
			roots = append(roots, clause...)
		}
	}
	for _, x := range mapGates(ctx, sys.G, roots) {
		gate := kind{f: x.f, leaves: lists.Map(x.leaves, u.ref)}
		u.add(x.node, gate)
	}
	for _, l := range sys.Latches {
		u.reset, u.next = append(u.reset, u.ref(l.Reset)), append(u.next, u.ref(l.Next))
	}
	n := 1 << 8
	for n < 2*len(u.kinds) && n < 1<<16 {
		n *= 2
	}
	u.known = make([]instance, n)
	return u
}

// From returns an unrolling of the system into another solver, with no frames yet. Its frame 0 is in one of some states; nil:
// in the reset state.
func (u *Unrolling) From(states [][]bool, s Clauser) *Unrolling {
	v := &Unrolling{sys: u.sys, s: s, starts: states, g: aig.New(), stand: make(map[sat.Lit]aig.Lit),
		slot: slices.Clone(u.slot), kinds: slices.Clone(u.kinds), reset: u.reset, next: u.next,
		shapes: u.shapes, forms: u.forms, known: make([]instance, len(u.known)), work: u.work}
	v.cnf = New(v.g, s)
	return v
}

// started returns the states of frame 0 as constants, as far as all have the same, and the function that says that it is
// in one of them.
func (u *Unrolling) started() (state []sat.Lit, any func() aig.Lit) {
	first := u.starts[0]
	var differ []int
	for i, v := range first {
		if slices.ContainsFunc(u.starts, func(s []bool) bool { return s[i] != v }) {
			differ = append(differ, i)
			state = append(state, unset)
		} else if v {
			state = append(state, always)
		} else {
			state = append(state, never)
		}
	}
	return state, func() aig.Lit {
		return u.g.OrN(lists.Map(u.starts, func(s []bool) aig.Lit {
			return u.g.AndN(lists.Map(differ, func(i int) aig.Lit { return u.Latch(0, i).NotIf(!s[i]) }))
		}))
	}
}

// add gives a node of the system a slot.
func (u *Unrolling) add(node int, x kind) {
	u.slot[node] = int32(len(u.kinds))
	u.kinds = append(u.kinds, x)
}

// ref returns the slot of a literal of the system. A node that the cover lacks becomes a gate.
func (u *Unrolling) ref(l aig.Lit) ref {
	g := u.sys.G
	for n := g.Len() - len(u.slot); n > 0; n-- {
		u.slot = append(u.slot, -1)
	}
	todo := []int{l.Node()}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		if u.slot[n] >= 0 {
			todo = todo[:len(todo)-1]
			continue
		}
		a, b := g.Fanins(n)
		i, j := u.slot[a.Node()], u.slot[b.Node()]
		if i < 0 {
			todo = append(todo, a.Node())
		}
		if j < 0 {
			todo = append(todo, b.Node())
		}
		if i >= 0 && j >= 0 {
			u.add(n, kind{leaves: []ref{ref(i<<1) | ref(a&1), ref(j<<1) | ref(b&1)}})
			for k := range u.rows {
				u.rows[k] = append(u.row(k), unset)
			}
		}
	}
	return ref(u.slot[l.Node()]<<1) | ref(l&1)
}

// Len returns the number of frames.
func (u *Unrolling) Len() int { return len(u.rows) }

// Extend adds the next frame, with its constants: those of a ternary simulation, in which inputs
// are unknown. A gate that a constant decides needs no other leaf.
func (u *Unrolling) Extend() {
	k := len(u.rows)
	state := u.scratch[:0]
	constants := func(before []sat.Lit, from []ref) {
		for _, r := range from {
			v := unset
			if w := before[r>>1]; w <= always {
				v = w ^ sat.Lit(r&1)
			}
			state = append(state, v)
		}
	}
	switch {
	case k > 0:
		constants(u.rows[k-1], u.next)
	case u.starts != nil:
		var any func() aig.Lit
		state, any = u.started()
		defer func() { u.cnf.Assert(any()) }()
	default:
		before := u.blank(nil)
		u.simulate(before)
		constants(before, u.reset)
	}
	if k == 0 || len(u.constants) < len(u.kinds) || !slices.Equal(state, u.state) {
		if u.sharing > 0 {
			u.constants = nil
		}
		u.constants, u.since, u.sharing = u.blank(u.constants), k, 0
		for i, v := range state {
			u.constants[u.slot[u.sys.Latches[i].Node]] = v
		}
		u.simulate(u.constants)
		u.state, state = state, u.state
	}
	u.scratch = state
	u.work += int64(len(state))
	u.rows, u.own = append(u.rows, u.constants), append(u.own, false)
	u.sharing++
}

// blank returns a row of which nothing is known, in the memory of row.
func (u *Unrolling) blank(row []sat.Lit) []sat.Lit {
	row = slices.Grow(row[:0], len(u.kinds))[:len(u.kinds)]
	for i := range row {
		row[i] = unset
	}
	row[0] = never
	u.work += int64(len(row))
	return row
}

// row returns the row of frame k, to write to.
func (u *Unrolling) row(k int) []sat.Lit {
	if !u.own[k] {
		u.rows[k], u.own[k] = slices.Clone(u.rows[k]), true
		u.work += int64(len(u.rows[k]))
		if k >= u.since {
			u.sharing--
		}
	}
	return u.rows[k]
}

// Work returns how many places of rows were written for new frames.
func (u *Unrolling) Work() int64 { return u.work }

// simulate sets the gates of a row that its constants decide.
func (u *Unrolling) simulate(row []sat.Lit) {
	for i := range u.kinds {
		x := &u.kinds[i]
		if len(x.leaves) == 0 || row[i] != unset {
			continue
		}
		if x.f == 0 {
			v := always
			for _, r := range x.leaves {
				switch w := row[r>>1]; {
				case w == unset:
					v = max(v, unset)
				case w^sat.Lit(r&1) == never:
					v = never
				}
				if v == never {
					break
				}
			}
			row[i] = v
			continue
		}
		f := x.f
		for j, r := range x.leaves {
			if v := row[r>>1]; v <= always {
				f = f.with(j, v == always)
			}
		}
		if f == 0 || ^f == 0 {
			row[i] = sat.Lit(f & 1)
		}
	}
}

// lit returns the literal of a function of the system in frame k, or never or always.
func (u *Unrolling) lit(k int, l aig.Lit) sat.Lit {
	r := u.ref(l)
	u.todo = append(u.todo[:0], spot{int32(k), int32(r >> 1)})
	for len(u.todo) > 0 {
		p := u.todo[len(u.todo)-1]
		row := u.rows[p.frame]
		if row[p.slot] == unset {
			row = u.row(int(p.frame))
			row[p.slot] = u.instantiate(p, row)
		}
		if row[p.slot] != unset {
			u.todo = u.todo[:len(u.todo)-1]
		}
	}
	return u.rows[k][r>>1] ^ sat.Lit(r&1)
}

// instantiate returns the literal of a spot, or puts into todo what it depends on.
func (u *Unrolling) instantiate(p spot, row []sat.Lit) sat.Lit {
	x := &u.kinds[p.slot]
	switch {
	case x.free:
		return u.s.NewVar()
	case x.latch > 0:
		from, r := p.frame-1, u.next[x.latch-1]
		if p.frame == 0 {
			if u.starts != nil {
				return u.s.NewVar()
			}
			from, r = 0, u.reset[x.latch-1]
		}
		if v := u.rows[from][r>>1]; v != unset {
			return v ^ sat.Lit(r&1)
		}
		u.todo = append(u.todo, spot{from, int32(r >> 1)})
		return unset
	}
	top := len(u.todo)
	u.in = u.in[:0]
	for _, r := range x.leaves {
		v := row[r>>1]
		if v == unset {
			u.todo = append(u.todo, spot{p.frame, int32(r >> 1)})
		}
		u.in = append(u.in, v^sat.Lit(r&1))
	}
	switch {
	case len(u.todo) > top:
		return unset
	case x.f == 0:
		return u.and(u.in)
	}
	return u.gate(x.f, u.in)
}

// and returns a literal of the conjunction of in, which it overwrites.
func (u *Unrolling) and(in []sat.Lit) sat.Lit {
	slices.Sort(in)
	n := 0
	for _, v := range in {
		switch {
		case v == never || n > 0 && v == in[n-1].Not():
			return never
		case v != always && (n == 0 || v != in[n-1]):
			in[n] = v
			n++
		}
	}
	in = in[:n]
	if n <= tableVars {
		f := ^table(0)
		for i := range in {
			f &= variables[i]
		}
		return u.gate(f, in)
	}
	out := u.s.NewVar()
	u.gates++
	u.clause = append(u.clause[:0], out)
	for _, v := range in {
		u.s.Add(out.Not(), v)
		u.clause = append(u.clause, v.Not())
	}
	u.s.Add(u.clause...)
	return out
}

// gate returns a literal of f over in, which it overwrites.
func (u *Unrolling) gate(f table, in []sat.Lit) sat.Lit {
	for i, v := range in {
		switch {
		case v <= always:
			f = f.with(i, v == always)
		case v.Neg():
			f, in[i] = f.flip(i), v.Not()
		}
	}
	in, f = support(in, f)
	for i := 1; i < len(in); i++ {
		for j := i; j > 0 && in[j-1] > in[j]; j-- {
			in[j-1], in[j] = in[j], in[j-1]
			f = f.swap(j-1, j)
		}
	}
	for i := len(in) - 1; i > 0; i-- {
		if in[i] == in[i-1] {
			f = f.merge(i-1, i)
		}
	}
	in, f = support(in, f)
	if len(in) == 0 {
		return sat.Lit(f & 1)
	}
	neg := sat.Lit(f & 1)
	if neg == 1 {
		f = ^f
	}
	if len(in) == 1 {
		return in[0] ^ neg
	}
	x := instance{f: f}
	copy(x.in[:], in)
	at := &u.known[x.hash()&uint64(len(u.known)-1)]
	if at.f != x.f || at.in != x.in {
		x.out = u.define(f, in)
		*at = x
	}
	return at.out ^ neg
}

// support leaves out the inputs on which f does not depend.
func support(in []sat.Lit, f table) ([]sat.Lit, table) {
	n := 0
	for i := range in {
		if !f.depends(i) {
			continue
		}
		if n < i {
			in[n], f = in[i], f.swap(n, i)
		}
		n++
	}
	return in[:n], f
}

func (i *instance) hash() uint64 {
	h := uint64(i.f)
	for _, v := range i.in {
		h = (h ^ uint64(v)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

// define returns a variable that is f over in.
func (u *Unrolling) define(f table, in []sat.Lit) sat.Lit {
	shape := lists.Memo(u.shapes, f, definition)
	var lits [tableVars + 1]sat.Lit
	copy(lits[:], in)
	out := u.s.NewVar()
	u.gates++
	lits[output] = out
	for len(shape) > 0 {
		n := shape[0]
		u.clause = u.clause[:0]
		for _, l := range shape[1 : n+1] {
			u.clause = append(u.clause, lits[l>>1]^sat.Lit(l&1))
		}
		u.s.Add(u.clause...)
		shape = shape[n+1:]
	}
	return out
}

// form returns a predicate of the system as clauses of literals of the system: a conjunction
// is several clauses, a disjunction one.
func (u *Unrolling) form(l aig.Lit) [][]aig.Lit {
	form, ok := u.forms[l]
	if !ok {
		g := u.sys.G
		for _, c := range g.Conjuncts(l, nil, nil) {
			clause := []aig.Lit{c}
			if c.Neg() && g.IsAnd(c.Node()) {
				clause = g.Conjuncts(c.Not(), nil, nil)
				for i := range clause {
					clause[i] = clause[i].Not()
				}
			}
			form = append(form, clause)
		}
		u.forms[l] = form
	}
	return form
}

// Assert makes a predicate of the system true for good in frame k if unless, a literal of
// Graph, is false.
func (u *Unrolling) Assert(k int, l, unless aig.Lit) {
	for _, c := range u.form(l) {
		u.require(k, c, unless)
	}
}

// AssertLemma makes a clause over the latches true for good in frame k if unless, a literal of
// Graph, is false.
func (u *Unrolling) AssertLemma(k int, lemma ts.Clause, unless aig.Lit) {
	u.lemma = u.lemma[:0]
	for _, l := range lemma {
		u.lemma = append(u.lemma, u.sys.LatchLit(l.Index()).NotIf(l.Neg()))
	}
	u.require(k, u.lemma, unless)
}

// require makes a clause of literals of the system true for good in frame k if unless is false.
func (u *Unrolling) require(k int, clause []aig.Lit, unless aig.Lit) {
	u.lits = u.lits[:0]
	for _, l := range clause {
		switch v := u.lit(k, l); v {
		case always:
			return
		case never:
		default:
			u.lits = append(u.lits, v)
		}
	}
	if unless != aig.False {
		u.lits = append(u.lits, u.cnf.Implied(unless))
	}
	u.s.Add(u.lits...)
}

// Graph returns the graph of predicates over frames. Callers may add to it.
func (u *Unrolling) Graph() *aig.Graph { return u.g }

// Gates returns the number of gates that were written.
func (u *Unrolling) Gates() int { return u.gates }

// CNF returns the encoder of Graph.
func (u *Unrolling) CNF() *Encoder { return u.cnf }

// Copy returns a literal of Graph that is function l of the system in frame k.
func (u *Unrolling) Copy(k int, l aig.Lit) aig.Lit {
	v := u.lit(k, l)
	if v <= always {
		return aig.False.NotIf(v == always)
	}
	leaf := lists.Memo(u.stand, v&^1, func(v sat.Lit) aig.Lit {
		leaf := u.g.Input()
		u.cnf.bind(leaf, v)
		return leaf
	})
	return leaf.NotIf(v.Neg())
}

// Latch returns latch i of frame k.
func (u *Unrolling) Latch(k, i int) aig.Lit { return u.Copy(k, u.sys.LatchLit(i)) }

// Latches returns the state of frame k, indexed like System.Latches.
func (u *Unrolling) Latches(k int) []aig.Lit {
	return lists.Make(len(u.sys.Latches), func(i int) aig.Lit { return u.Latch(k, i) })
}

// Bad returns bad number i in frame k.
func (u *Unrolling) Bad(k, i int) aig.Lit { return u.Copy(k, u.sys.Bads[i].Lit) }

// Constraint returns the conjunction of all constraints in frame k.
func (u *Unrolling) Constraint(k int) aig.Lit {
	var all, any []aig.Lit
	for _, l := range u.sys.Constraints {
		for _, c := range u.form(l) {
			any = any[:0]
			for _, l := range c {
				any = append(any, u.Copy(k, l))
			}
			all = append(all, u.g.OrN(any))
		}
	}
	return u.g.AndN(all)
}

// Violation is Frames.Violation.
func (u *Unrolling) Violation(bads []int, d int) aig.Lit { return violation(u.sys, u, bads, d) }

// Trace reads the trace of frames 0 to k from the model that the solver holds. Inputs that the
// query did not need are false.
func (u *Unrolling) Trace(k int) *ts.Trace {
	read := func(k int, signals []ts.Signal) []bool {
		bits := make([]bool, len(signals))
		for i, in := range signals {
			if v := u.rows[k][u.slot[in.Node]]; v != unset {
				bits[i] = u.cnf.model().Value(v)
			}
		}
		return bits
	}
	t := &ts.Trace{Init: read(0, u.sys.Init)}
	for i := range k + 1 {
		t.Inputs = append(t.Inputs, read(i, u.sys.Inputs))
	}
	return t
}
