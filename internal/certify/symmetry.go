package certify

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file checks, for the check of proofs, that a permutation is a symmetry:
// with x, y, z the latches, inputs and initial inputs,
//
//	reset_{π(l)}(π·z) = reset_l(z),  W(π·x) = W(x), and where W holds
//	next_{π(l)}(π·x, π·y) = next_l(x, y),  C(π·x, π·y) = C(x, y)
//
// Most pairs are equal up to the order and the grouping of the operands of ANDs, so their
// normal forms are equal. Other pairs have equal normal forms once gates were compared one
// by one (sweep.go). A SAT query decides each remaining pair.

// forms numbers functions of a graph so that equal numbers mean equal functions:
// ANDs get the number of the set of their operands. Operands that are ANDs dissolve
// in it if no one else reads them or if they have few operands: n-ary gates are
// trees of ANDs whose shape depends on the numbers of nodes, and which share parts.
// Number 0 is false; complements differ in the last bit.
type forms struct {
	g      *aig.Graph
	fan    []uint32
	number map[string]int32 // by the operands of an AND
	first  int32            // number of an AND; less are leaves
	keys   []string         // of number, by number of an AND, halved, from first on
}

// fewOperands is how many operands an AND may have that dissolves though it is
// shared.
const fewOperands = 64

func newForms(g *aig.Graph, roots []aig.Lit, leaves int) *forms {
	return &forms{g: g, fan: g.FanoutCounts(roots), number: make(map[string]int32), first: 2 * int32(leaves+1)}
}

// formView is the numbers of the nodes with given numbers for leaves.
type formView struct {
	*forms
	leaf func(node int) int32
	node []int32   // by place: the number of a node plus 1; 0: none yet
	sets [][]int32 // by place: the operands of an AND, ascending, each once; nil: none yet

	plain   *formView // nil: none; else what nodes are called that
	differs []bool    // is not set for, by node
	place   []int32   // of those that differ, by node; nil: each node is its own place
}

func (f *forms) view(leaf func(node int) int32) *formView {
	return &formView{forms: f, leaf: leaf}
}

// moved is a view that differs from plain in some leaves, and in what depends on them.
func (f *forms) moved(plain *formView, differs func(leaf int) bool, leaf func(node int) int32) *formView {
	v := &formView{forms: f, leaf: leaf, plain: plain, differs: make([]bool, f.g.Len()), place: make([]int32, f.g.Len())}
	places := 0
	for n := 1; n < f.g.Len(); n++ {
		if f.g.IsAnd(n) {
			a, b := f.g.Fanins(n)
			v.differs[n] = v.differs[a.Node()] || v.differs[b.Node()]
		} else {
			v.differs[n] = differs(n)
		}
		if v.differs[n] {
			v.place[n] = int32(places)
			places++
		}
	}
	v.node, v.sets = make([]int32, places), make([][]int32, places)
	return v
}

// forget drops the numbers of nodes, as those below them have others now.
func (v *formView) forget() {
	clear(v.node)
	clear(v.sets)
}

// at returns the place of a node.
func (v *formView) at(n int) int {
	if v.place != nil {
		return int(v.place[n])
	}
	if more := v.g.Len() - len(v.node); more > 0 { // the graph has grown
		v.node, v.sets = append(v.node, make([]int32, more)...), append(v.sets, make([][]int32, more)...)
	}
	return n
}

func (v *formView) form(l aig.Lit) int32 {
	n := l.Node()
	if v.plain != nil && !v.differs[n] {
		return v.plain.form(l)
	}
	if n == 0 {
		return int32(l & 1)
	}
	at := v.at(n)
	x := v.node[at] - 1
	if x < 0 {
		if v.g.IsAnd(n) {
			x = v.and(v.operands(n))
		} else {
			x = v.leaf(n)
		}
		v.node[at] = x + 1
	}
	return x ^ int32(l&1)
}

func (v *formView) operands(n int) []int32 {
	if v.plain != nil && !v.differs[n] {
		return v.plain.operands(n)
	}
	at := v.at(n)
	if v.sets[at] != nil {
		return v.sets[at]
	}
	var set []int32
	a, b := v.g.Fanins(n)
	for _, l := range []aig.Lit{a, b} {
		if !l.Neg() && v.g.IsAnd(l.Node()) {
			if of := v.operands(l.Node()); v.fan[l.Node()] == 1 || len(of) <= fewOperands {
				set = append(set, of...)
				continue
			}
		}
		set = append(set, v.form(l))
	}
	slices.Sort(set)
	set = slices.Compact(set)
	if set[0] == 1 && len(set) > 1 {
		set = set[1:]
	}
	v.sets[at] = set
	return set
}

// and returns the number of the AND of a set.
func (v *formView) and(set []int32) int32 {
	if len(set) == 1 || set[0] == 0 {
		return set[0]
	}
	for i := 1; i < len(set); i++ {
		if set[i] == set[i-1]^1 {
			return 0
		}
	}
	var key []byte
	for _, x := range set {
		key = binary.LittleEndian.AppendUint32(key, uint32(x))
	}
	x, ok := v.number[string(key)]
	if !ok {
		x = v.first + 2*int32(len(v.keys))
		v.keys = append(v.keys, string(key))
		v.number[v.keys[len(v.keys)-1]] = x
	}
	return x
}

// operandsOf returns the set of an AND; all are less than its number. It is empty for a
// leaf and for false.
func (f *forms) operandsOf(x int32) []int32 {
	if x < f.first {
		return nil
	}
	key := f.keys[(x-f.first)/2]
	return lists.Make(len(key)/4, func(i int) int32 { return int32(binary.LittleEndian.Uint32([]byte(key[4*i:]))) })
}

// symmetries checks permutations of one system.
type symmetries struct {
	c     *Checker
	quick bool // ask no solver: what the normal forms do not show is not known
	forms *forms
	plain *formView
	known map[string]error // by permutation: whether it keeps the system

	sweeper *sweeper // nil until it is needed
}

func newSymmetries(c *Checker) *symmetries {
	s := &symmetries{c: c, known: make(map[string]error)}
	sys := c.sys
	s.forms = newForms(sys.G, sys.Roots(), len(sys.Latches)+len(sys.Inputs)+len(sys.Init))
	s.plain = s.forms.view(s.numbers(ts.Identity(sys)))
	return s
}

// view returns the normal forms of f(π·x), for all f.
func (s *symmetries) view(p *ts.Perm) *formView {
	number, plain := s.numbers(p), s.numbers(ts.Identity(s.c.sys))
	return s.forms.moved(s.plain, func(leaf int) bool { return s.c.leaves.has(leaf) && number(leaf) != plain(leaf) }, number)
}

// numbers returns what a permutation makes of leaves.
func (s *symmetries) numbers(p *ts.Perm) func(node int) int32 {
	sys, ls := s.c.sys, s.c.leaves
	from := func(part []ts.Lit) []ts.Lit { // by leaf: what stands there, and its sign
		return (&ts.Perm{Latch: part}).Inverse().Latch
	}
	latch, input, init := from(p.Latch), from(p.Input), from(p.Init)
	n, m := len(sys.Latches), len(sys.Inputs)
	return func(node int) int32 {
		if i, ok := ls.latch[node]; ok {
			return int32(latch[i]) + 2
		} else if i, ok := ls.input[node]; ok {
			return int32(input[i]) + 2 + 2*int32(n)
		}
		return int32(init[ls.init[node]]) + 2 + 2*int32(n+m)
	}
}

// system checks that p, a permutation of the right sizes, keeps the system.
func (s *symmetries) system(p *ts.Perm) error {
	key := p.Key()
	err, ok := s.known[key]
	if ok || s.c.p.Verified.Has(s.c.sys, key) {
		return err
	}
	if err = s.keeps(p); err == nil || !s.quick && s.c.ctx.Err() == nil {
		s.known[key] = err
	}
	if err == nil {
		s.c.p.Verified.Add(s.c.sys, key)
	}
	return err
}

func (s *symmetries) keeps(p *ts.Perm) error {
	sys, image := s.c.sys, s.view(p)
	if !s.quick {
		if roots := s.differing(p, image); roots != nil {
			s.sweep(p, image, roots)
		}
	}
	for i, l := range sys.Latches {
		to, sign := sys.Latches[p.Latch[i]>>1], p.Latch[i]&1 == 1
		if err := s.equal(p, image, l.Reset, to.Reset.NotIf(sign), false); err != nil {
			return fmt.Errorf("reset of %s: %w", l.Name, err)
		}
		if err := s.equal(p, image, l.Next, to.Next.NotIf(sign), true); err != nil {
			return fmt.Errorf("next of %s: %w", l.Name, err)
		}
	}
	if err := s.same(p, image, []aig.Lit{sys.W}, false); err != nil {
		return fmt.Errorf("well-formedness: %w", err)
	}
	if err := s.same(p, image, sys.Constraints, true); err != nil {
		return fmt.Errorf("constraints: %w", err)
	}
	return nil
}

// differing returns functions of the system whose normal forms do not show that p keeps
// them.
func (s *symmetries) differing(p *ts.Perm, image *formView) (roots []aig.Lit) {
	for i, l := range s.c.sys.Latches {
		to, sign := s.c.sys.Latches[p.Latch[i]>>1], p.Latch[i]&1 == 1
		for _, x := range [][2]aig.Lit{{l.Reset, to.Reset}, {l.Next, to.Next}} {
			if s.plain.form(x[0]) != image.form(x[1].NotIf(sign)) {
				roots = append(roots, x[1])
			}
		}
	}
	return roots
}

// same checks that the conjunction of fs keeps its value under p.
func (s *symmetries) same(p *ts.Perm, image *formView, fs []aig.Lit, within bool) error {
	fs = s.c.conjuncts(fs)
	plain := lists.SetOf(fs, s.plain.form)
	missing := lists.Where(fs, func(f aig.Lit) bool { return !plain[image.form(f)] })
	if missing == nil {
		return nil // the image of the set is in the set, so each implies the other: p has finite order
	}
	for _, f := range missing {
		// Where all hold, so does the image of each; the converse follows by the
		// finite order of p.
		q := newPath(newFormula(), s.c.sys, s.c.leaves, true, 1)
		if within {
			q.add(q.frames[0].lit(s.c.sys.W))
		}
		for _, g := range fs {
			q.add(q.frames[0].lit(g))
		}
		q.add(q.leafView(p).lit(f).Not())
		if err := s.refuted(q); err != nil {
			return err
		}
	}
	return nil
}

// equal checks a = b∘π, where W holds if within.
func (s *symmetries) equal(p *ts.Perm, image *formView, a, b aig.Lit, within bool) error {
	if s.plain.form(a) == image.form(b) {
		return nil
	}
	q := newPath(newFormula(), s.c.sys, s.c.leaves, true, 1)
	if within {
		q.add(q.frames[0].lit(s.c.sys.W))
	}
	x, y := q.leafView(ts.Identity(s.c.sys)).lit(a), q.leafView(p).lit(b)
	q.add(x, y)
	q.add(x.Not(), y.Not())
	return s.refuted(q)
}

// keepsFunction reports whether p keeps f, as far as normal forms and sweeping show it.
func (s *symmetries) keepsFunction(p *ts.Perm, f aig.Lit) bool {
	image := s.view(p)
	if s.plain.form(f) != image.form(f) {
		s.sweep(p, image, []aig.Lit{f})
	}
	return s.plain.form(f) == image.form(f)
}

// leafView is the graph of the system over the leaves of frame 0 and the initial
// inputs, permuted.
func (p *path) leafView(perm *ts.Perm) *view {
	back := perm.Inverse()
	at := func(of []sat.Lit, from ts.Lit) sat.Lit {
		l := p.variable(of, int(from>>1))
		return l ^ sat.Lit(from&1)
	}
	return newView(p.formula, p.sys.G, func(node int) sat.Lit {
		if i, ok := p.leaves.latch[node]; ok {
			return at(p.first, back.Latch[i])
		} else if i, ok := p.leaves.input[node]; ok {
			return at(p.inputs[0], back.Input[i])
		}
		return at(p.init, back.Init[p.leaves.init[node]])
	})
}

func (s *symmetries) refuted(q *path) error {
	if s.quick {
		return errors.New("the normal forms do not show it")
	}
	status, err := s.c.decide(q.formula)
	if err == nil && status != sat.Unsat {
		err = fmt.Errorf("the permutation is not a symmetry")
	}
	return err
}
