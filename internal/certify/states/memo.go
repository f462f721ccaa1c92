package states

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"orbitmc/mc/evidence"
	"orbitmc/model"
	"orbitmc/model/reference"
)

// memo computes the steps of the members of a closure. The reference
// interpreter fires a rule instance and says which leaves its effect depends on; the effect is
// kept. This is LTSmin's cache of transition groups (Blom, van de Pol, Weber, CAV 2010),
// except that the dependencies are found while the instance runs.
//
// An evaluation reads one leaf after the other. The next leaf depends only on the values
// so far. So the evaluations of an instance are the paths of a tree: a node asks for a leaf
// and has a child for each value. A path that was seen before ends in an outcome: the
// writes, and the properties that are shown. For guards and properties, the trees of all
// instances are walked together: at a node are the instances that ask for the same leaf
// next. So a disabled instance costs only its share of a node.
type memo struct {
	k     *closureCheck
	w     *reference.Walker
	fire  func(s model.State, r *model.Rule, params []int64) reference.Walked // of w, or of one that also weighs
	value func(leaf int) int64                                                // after it
	weigh func() [2]int64                                                     // the probability then; nil: there is none
	asked []question
	below []int64 // by leaf: the value before the least
	codes []int   // by leaf: how many codes there are

	// Guards and properties. What follows an ask is nothing where there is no more to ask,
	// nothing + 1 + the ask where a single ask follows, else 1 + the branch.
	asks     []ask
	branches []branch
	listed   []int32 // what is in branches

	// Effects of instances. roots has 1 + the node, by question. What follows a node is
	// 1 + a node, or -1 - an outcome.
	roots    []int32
	nodes    []treeNode
	outcomes []outcome

	edges edges // of asks and nodes

	given   []bool      // scratch, by leaf
	askOf   []int32     // scratch, by leaf
	enabled []int32     // scratch
	todo    []int32     // scratch
	code    []int32     // of the member, by leaf
	state   model.State // the member, if known
	known   bool
	member  []byte   // it, packed, model.PackedPad bytes longer
	last    []uint64 // it, by word
	touched byte     // keeps what look reads ahead
	field   []memoField
	ofWord  [][2]int32 // by word: the leaves that have bits in it

	// Outcomes looked up, those of them that were found by the interpreter, and guards that
	// it evaluated.
	looked, walked, answered int64    // since the memo was last empty
	loaded                   int64    // members
	answers                  []answer // by question: the last; nil before the first
	most                     int      // bytes
	size                     int      // bytes of outcomes and of what asks ask for
}

// question is a rule instance, or a part of a property: all parts hold if it does.
type question struct {
	number int // of the rule instance, or -1: see model.Program.Instances
	rule   *model.Rule
	params []int64
	prop   *model.Property // if rule is nil
	names  []*model.Param
	part   model.Expr
	live   bool // an atom of a property whose layers are checked, which has an outcome
}

// ask is a node of the guards.
type ask struct {
	leaf int32
	fan  fan
	*asking
}

// asking is what is needed to make the children.
type asking struct {
	parent    int32   // the branch that the node is in
	questions []int32 // that ask for the leaf
}

const nothing = math.MinInt32

// memoField is where a leaf is in a packed state.
type memoField struct {
	pos  int32
	mask uint32
}

// branch is what is known once a leaf has a value: questions that are answered, and
// the nodes that the others are at.
type branch struct {
	ask            int32 // -1: the root
	yes, asks, end int32 // where they begin and end in listed
}

// treeNode asks what is read of a leaf. If it is a test, the leaf is compared with a code, and the children are for a
// leaf that is undefined, equal or neither.
type treeNode struct {
	leaf int32
	fan  fan
	test bool
	than int32
}

// after returns what follows a node in the member, 0 where that is not known, and the code of the edge to it.
func (m *memo) after(t *treeNode) (to, code int32) {
	c := m.code[t.leaf]
	switch {
	case t.test && c == t.than:
		c = 1
	case t.test && c > 0:
		c = 2
	}
	return m.edges.to(&t.fan, c), c
}

// fan are the edges from a node. Almost all nodes have one, as the path that an instance takes is mostly its own; it
// is here. The others are in a list, of which rest is 1 + the first, or, if they are many, in a row by
// code, which begins at -1 - rest.
type fan struct{ code, to, rest int32 }

// edges lead from a node, for a code of its leaf, to what follows, which is not 0.
type edges struct {
	list []fan // rest is 1 + the next one
	rows []int32
}

// mostListed is how many edges of a node are in a list at most.
const mostListed = 8

// to returns what follows for a code, 0 where that is not known.
func (e *edges) to(f *fan, code int32) int32 {
	for f.code != code || f.to == 0 {
		if f.rest <= 0 {
			if f.rest < 0 {
				return e.rows[-f.rest-1+code]
			}
			return 0
		}
		f = &e.list[f.rest-1]
	}
	return f.to
}

// add adds an edge, for one of so many codes.
func (e *edges) add(f *fan, codes int, code, to int32) {
	if f.to == 0 {
		f.code, f.to = code, to
		return
	}
	if f.rest < 0 {
		e.rows[-f.rest-1+code] = to
		return
	}
	n := 0
	for i := f.rest; i > 0; i = e.list[i-1].rest {
		n++
	}
	if n < mostListed {
		e.list = append(e.list, fan{code, to, f.rest})
		f.rest = int32(len(e.list))
		return
	}
	row := make([]int32, codes)
	for i := f.rest; i > 0; i = e.list[i-1].rest {
		row[e.list[i-1].code] = e.list[i-1].to
	}
	row[code] = to
	f.rest = -int32(len(e.rows)) - 1
	e.rows = append(e.rows, row...)
}

// outcome is what an instance does.
type outcome struct {
	moves   bool // it leads to a state
	errs    bool
	leftOut bool
	shows   []int // properties
	put     []putBits
	bags    []int // multisets that are written
	weight  [2]int64
}

type putBits struct {
	pos        int
	mask, code uint64
}

// A memo of more than mostMemo bytes is emptied, and one for more than mostQuestions is
// not made, and none for leaves of more than mostCodes. Firing an instance costs as much as fireCost guards. After a cost of trialCost
// guards it is compared with the number of outcomes that were looked up (pays).
const (
	mostMemo      = 1 << 27
	mostQuestions = 1 << 16
	mostCodes     = 1 << 12
	fireCost      = 4
	trialCost     = 1 << 19

	branchBytes, nodeBytes, edgeBytes = 16, 24, 12
	askBytes, outcomeBytes, putBytes  = 72, 96, 24
)

// newMemo returns nil if there are too many rule instances, or values of a leaf.
func newMemo(k *closureCheck) *memo {
	m := k.p.Model
	if n := k.p.Program.NumInstances(); !n.IsInt64() || n.Int64() > mostQuestions {
		return nil
	}
	o := &memo{k: k, w: k.w, most: mostMemo, fire: k.w.Fire, value: k.w.Value, state: make(model.State, m.Leaves())}
	size := k.packer.Size()
	o.member = make([]byte, size+model.PackedPad)
	o.last, o.ofWord = make([]uint64, (size+7)/8), make([][2]int32, (size+7)/8)
	o.code = make([]int32, m.Leaves())
	o.w.TellTests()
	for i, l := range k.leaves {
		t := l.Type
		if t.Card() > mostCodes {
			return nil
		}
		o.below, o.codes = append(o.below, t.Lo-1), append(o.codes, int(t.Card())+1)
		pos, n := k.packer.Field(i)
		o.field = append(o.field, memoField{int32(pos), 1<<n - 1})
		for w := pos / 64; n > 0 && w <= (pos+n-1)/64; w++ {
			if o.ofWord[w][1] == 0 {
				o.ofWord[w][0] = int32(i)
			}
			o.ofWord[w][1] = int32(i) + 1
		}
	}
	for _, ch := range enumerate(m.Rules) {
		o.asked = append(o.asked, question{number: number(k.p.Program, ch), rule: m.Rules[ch.Rule], params: ch.Params})
	}
	o.roots = make([]int32, len(o.asked))
	for _, q := range m.Props {
		switch {
		case !k.evaluates(q.Index):
		case q.Kind == model.Invariant:
			o.split(q, q.Params, nil, q.Expr)
		case q.Kind == model.Cover && q.Expr != nil:
			o.asked = append(o.asked, question{number: -1, prop: q})
		}
	}
	if len(o.asked) > mostQuestions {
		return nil
	}
	return o
}

// split makes questions of an invariant: one for each conjunct and value of the
// quantified variables in front of it.
func (m *memo) split(q *model.Property, quantified, names []*model.Param, x model.Expr) {
	if len(quantified) > 0 {
		m.split(q, quantified[1:], append(slices.Clip(names), quantified[0]), x)
		return
	}
	switch e := x.(type) {
	case *model.Quant:
		if e.Domain.Constant() && e.All {
			m.split(q, nil, append(slices.Clip(names), &model.Param{Var: e.Var, Domain: e.Domain}), e.Body)
			return
		}
	case *model.Binary:
		if e.Op == model.And {
			m.split(q, nil, names, e.X)
			m.split(q, nil, names, e.Y)
			return
		}
	}
	for _, params := range model.InstancesOf(names) {
		m.asked = append(m.asked, question{number: -1, prop: q, names: names, params: params, part: x})
	}
}

// layers makes questions of the atoms of the properties whose layers are checked.
func (m *memo) layers() {
	for _, l := range m.k.live {
		l.first = int32(len(m.asked))
		for _, inst := range l.insts {
			for _, q := range l.claim.Atoms {
				m.asked = append(m.asked, question{number: -1, prop: q, params: inst, live: true})
			}
		}
	}
	m.roots = append(m.roots, make([]int32, len(m.asked)-len(m.roots))...)
}

// load makes b the member.
func (m *memo) load(b []byte) {
	m.known = false
	m.loaded++
	copy(m.member, b)
	for w := range m.last {
		x := binary.LittleEndian.Uint64(m.member[8*w:])
		if x == m.last[w] {
			continue
		}
		m.last[w] = x
		for i := m.ofWord[w][0]; i < m.ofWord[w][1]; i++ {
			f := m.field[i]
			m.code[i] = int32(uint32(binary.LittleEndian.Uint64(m.member[f.pos>>3:])>>(f.pos&7)) & f.mask)
		}
	}
}

// values returns the member as a state.
func (m *memo) values() model.State {
	if !m.known {
		m.known = true
		for i, c := range m.code {
			if m.state[i] = model.Undef; c > 0 {
				m.state[i] = m.below[i] + int64(c)
			}
		}
	}
	return m.state
}

// answer returns what evaluate says of question q in the member. A question that is new at
// one ask is so at those that follow it.
func (m *memo) answer(q int32) (yes bool, reads []int) {
	if m.answers == nil {
		m.answers = make([]answer, len(m.asked))
	}
	a := &m.answers[q]
	if a.member != m.loaded {
		yes, reads = m.evaluate(q)
		*a = answer{m.loaded, yes, append(a.reads[:0], reads...)}
	}
	return a.yes, a.reads
}

// answer is that of a question in the member that was loaded so many others before.
type answer struct {
	member int64
	yes    bool
	reads  []int // in order
}

// evaluate evaluates question q in the member: whether its answer is yes, that of a rule if
// it is enabled or errs, that of a part of a property if it is not true; and the leaves that
// it depends on.
func (m *memo) evaluate(q int32) (yes bool, reads []int) {
	m.answered++
	x := &m.asked[q]
	switch {
	case x.rule != nil:
		r := m.w.Guard(m.values(), x.rule, x.params)
		m.k.hid = m.k.hid || r.Hides
		return r.Holds || r.Prop >= 0 || r.TooLong, r.Reads
	case x.part != nil:
		r := m.w.Guard(m.values(), &model.Rule{Params: x.names, Guard: x.part}, x.params)
		return !r.Holds, r.Reads
	}
	r := m.w.Says(m.values(), x.prop)
	return r.Holds || r.Prop >= 0 || r.TooLong, r.Reads
}

// makeBranch makes the branch of ask a, or the root, for the questions that are there.
func (m *memo) makeBranch(a int32, from []int32) int32 {
	if m.given == nil {
		m.given, m.askOf = make([]bool, len(m.code)), make([]int32, len(m.code))
	}
	for i := a; i >= 0; i = m.branches[m.asks[i].parent].ask {
		m.given[m.asks[i].leaf] = true
	}
	id := int32(len(m.branches))
	var yes, asks []int32
	for _, q := range from {
		is, reads := m.answer(q)
		i := slices.IndexFunc(reads, func(leaf int) bool { return !m.given[leaf] })
		if i < 0 {
			if is {
				yes = append(yes, q)
			}
			continue
		}
		leaf := reads[i]
		n := m.askOf[leaf] - 1
		if n < 0 {
			n = int32(len(m.asks))
			m.askOf[leaf] = n + 1
			m.asks = append(m.asks, ask{leaf: int32(leaf), asking: &asking{parent: id}})
			asks = append(asks, n)
		}
		m.asks[n].questions = append(m.asks[n].questions, q)
	}
	at := int32(len(m.listed))
	m.listed = append(append(m.listed, yes...), asks...)
	m.branches = append(m.branches, branch{a, at, at + int32(len(yes)), int32(len(m.listed))})
	for i := a; i >= 0; i = m.branches[m.asks[i].parent].ask {
		m.given[m.asks[i].leaf] = false
	}
	for _, n := range asks {
		m.askOf[m.asks[n].leaf] = 0
		m.size += askBytes + 4*cap(m.asks[n].questions)
	}
	return id
}

// questions stores in enabled the questions with answer yes, ascending.
func (m *memo) questions() {
	if m.branches == nil {
		var all []int32
		for i := range m.asked {
			if !m.asked[i].live {
				all = append(all, int32(i))
			}
		}
		m.makeBranch(-1, all)
	}
	b := &m.branches[0]
	enabled := append(m.enabled[:0], m.listed[b.yes:b.asks]...)
	todo := append(m.todo[:0], m.listed[b.asks:b.end]...)
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for i >= 0 {
			a := &m.asks[i]
			c := m.code[a.leaf]
			n := m.edges.to(&a.fan, c)
			if n == 0 {
				n = m.child(i, a.questions)
				m.edges.add(&m.asks[i].fan, m.codes[a.leaf], c, n)
			}
			if n < 0 {
				i = n - nothing - 1
				continue
			}
			b := &m.branches[n-1]
			enabled = append(enabled, m.listed[b.yes:b.asks]...)
			todo = append(todo, m.listed[b.asks:b.end]...)
			i = -1
		}
	}
	slices.Sort(enabled)
	m.enabled, m.todo = enabled, todo
}

// child returns what follows ask a in the member, as next has it.
func (m *memo) child(a int32, from []int32) int32 {
	id := m.makeBranch(a, from)
	switch b := &m.branches[id]; {
	case b.yes < b.asks || b.asks+1 < b.end:
		return id + 1
	case b.asks < b.end:
		return nothing + 1 + m.listed[b.asks]
	}
	return nothing
}

// enter begins with the layers of member i; ok is false if an evaluation takes too long.
func (m *memo) enter(i int64) (ok bool, err error) {
	ok = true
	for _, l := range m.k.live {
		err := l.enter(i, func(inst, atom int) bool {
			e := m.outcome(l.first + int32(inst*len(l.claim.Atoms)+atom))
			if e == nil {
				ok = false
				return false
			}
			m.k.shown.All(e.shows)
			return e.moves
		})
		if !ok {
			return false, nil // what l.enter says was guessed
		}
		if err != nil {
			return true, err
		}
	}
	return true, nil
}

// outcome returns what rule instance q does in the member, or whether an instance of a property holds; nil if that
// takes too long.
func (m *memo) outcome(q int32) *outcome {
	m.looked++
	n := m.roots[q]
	for n > 0 {
		n, _ = m.after(&m.nodes[n-1])
	}
	if n < 0 {
		return &m.outcomes[-n-1]
	}
	m.walked++
	x := &m.asked[q]
	var r reference.Walked
	if x.live {
		r = m.w.Holds(m.values(), x.prop, x.params)
		r.Hits, r.Writes = nil, nil // no step is taken
	} else {
		r = m.fire(m.values(), x.rule, x.params)
	}
	if r.TooLong {
		return nil
	}
	m.k.hid = m.k.hid || r.Hides
	tests := r.Tests
	at, last, code := m.roots[q], int32(0), int32(0) // 1 + the node at hand, that before it, and the code of the edge between
	link := func(to int32) {
		if last == 0 {
			m.roots[q] = to
			return
		}
		t := &m.nodes[last-1]
		codes := 3
		if !t.test {
			codes = m.codes[t.leaf]
		}
		m.edges.add(&t.fan, codes, code, to)
	}
	for i, leaf := range r.Reads {
		n := treeNode{leaf: int32(leaf)}
		if len(tests) > 0 && tests[0].At == i {
			n.test, n.than = true, m.codeOf(leaf, tests[0].Than)
			tests = tests[1:]
		}
		if at == 0 {
			m.nodes = append(m.nodes, n)
			at = int32(len(m.nodes))
			link(at)
		}
		t := &m.nodes[at-1]
		if t.leaf != n.leaf || t.test != n.test || t.than != n.than {
			panic("certify: an evaluation does not depend on what it read alone")
		}
		last = at
		at, code = m.after(t)
	}
	e := m.makeOutcome(&r)
	m.size += outcomeBytes + putBytes*cap(e.put)
	m.outcomes = append(m.outcomes, e)
	link(-int32(len(m.outcomes)))
	return &m.outcomes[len(m.outcomes)-1]
}

// codeOf returns the code of a value of a leaf, or -1 if it cannot have the value.
func (m *memo) codeOf(leaf int, v int64) int32 {
	if t := m.k.leaves[leaf].Type; v < t.Lo || v > t.Hi {
		return -1
	}
	return int32(v - m.below[leaf])
}

func (m *memo) makeOutcome(r *reference.Walked) outcome {
	e := outcome{moves: r.Holds, errs: r.Prop >= 0, leftOut: r.LeftOut}
	if r.Holds || r.Prop >= 0 {
		e.shows = slices.Clone(r.Hits)
	}
	e.shows = append(e.shows, r.Violates()...)
	if !r.Holds {
		return e
	}
	if m.weigh != nil {
		e.weight = m.weigh()
	}
	writes := slices.Sorted(slices.Values(r.Writes))
	for _, i := range writes {
		if b := m.k.bagOf[i] - 1; b >= 0 && !slices.Contains(e.bags, b) {
			e.bags = append(e.bags, b)
		}
		pos, n := m.k.packer.Field(i)
		code := m.k.packer.Code(i, m.value(i))
		if k := len(e.put) - 1; k >= 0 {
			p := &e.put[k]
			if have := bits.Len64(p.mask); p.pos+have == pos && have+n <= widest {
				p.mask |= (1<<n - 1) << have
				p.code |= code << have
				continue
			}
		}
		e.put = append(e.put, putBits{pos, 1<<n - 1, code})
	}
	return e
}

// pays reports whether the memo pays: evaluations cost less than the outcomes that were
// looked up. One that is full and has paid is emptied, as what instances do changes from layer to layer.
func (m *memo) pays() bool {
	size := m.size + 4*(len(m.listed)+len(m.edges.rows)) + branchBytes*len(m.branches) + nodeBytes*len(m.nodes) + edgeBytes*len(m.edges.list)
	cost := m.answered + fireCost*m.walked
	if size >= m.most && cost < m.looked {
		m.empty()
		return true
	}
	return size < m.most && (cost < trialCost || cost < m.looked)
}

// empty forgets all.
func (m *memo) empty() {
	m.asks, m.branches, m.listed = nil, nil, nil
	clear(m.roots)
	m.nodes, m.outcomes, m.edges = nil, nil, edges{}
	m.looked, m.walked, m.answered, m.size = 0, 0, 0, 0
}

// says looks at a property as a whole.
func (m *memo) says(q *model.Property) bool {
	k := m.k
	r := m.w.Says(m.values(), q)
	if r.TooLong {
		return false
	}
	k.hid = k.hid || r.Hides
	if r.Prop >= 0 {
		k.shown.All(r.Violates())
	} else if r.Holds == (q.Kind == model.Cover) {
		k.shown[q.Index] = true
	}
	return true
}

// look looks at member i; ok is false if some evaluation takes too long.
func (m *memo) look(i int64, steps *evidence.Steps) (ok bool, err error) {
	k := m.k
	b := k.from.member(i)
	at, as := start(steps, i), true
	if steps != nil && len(b) > 0 { // have the members fetched, all at once
		var sum byte
		for _, to := range steps.Targets[at.at:at.end] {
			sum += k.to.touch(int64(to))
		}
		m.touched = sum
	}
	m.load(b)
	if ok, err := m.enter(i); !ok || err != nil || k.lowered() {
		return ok, err
	}
	m.questions()
	var but []uint64
	if z := k.leavesOut(steps); z != nil {
		but = z.at(m.member)
	}
	if ok, err := k.ordered.enter(i, m.values, m.fireable); !ok || err != nil {
		return err != nil, err
	}
	stuck, still := true, false // no step or error counts against a deadlock
	for _, q := range m.enabled {
		x := &m.asked[q]
		if n := x.number; but != nil && n >= 0 && but[n/64]>>(n%64)&1 != 0 {
			continue
		}
		if x.rule == nil {
			if !m.says(x.prop) {
				return false, nil
			}
			continue
		}
		e := m.outcome(q)
		if e == nil {
			return false, nil
		}
		if k.shown.All(e.shows); !e.moves {
			stuck = stuck && !e.errs && !e.leftOut
			continue
		}
		s := m.put(e)
		if bytes.Equal(s[:len(b)], b) {
			still = true
			stuck = stuck && k.p.Model.Deadlock == model.Stuttering
			continue
		}
		stuck = false
		if k.ordered.leavesOut(model.Choice{Rule: x.rule.Index, Params: x.params}) {
			continue
		}
		to, perm, told, err := k.step(s, steps, &at)
		if err != nil {
			return true, err
		}
		k.ordered.leads(to)
		as = as && told
		for _, l := range k.live {
			if err := l.step(to, perm.perm); err != nil {
				return true, err
			}
		}
		if k.lowered() {
			return true, nil
		}
	}
	if err := k.ordered.end(); err != nil {
		return true, err
	}
	if err := k.leave(i, still || stuck); err != nil {
		return true, err
	}
	if dead := k.p.Model.DeadlockProp(); dead != nil && stuck {
		k.shown[dead.Index] = true
	}
	if !as || at.at != at.end {
		k.later = append(k.later, i)
	}
	return true, nil
}

// put returns what an outcome makes of the member.
func (m *memo) put(e *outcome) []byte {
	s := m.k.packed
	copy(s, m.member[:m.k.packer.Size()])
	for i := range e.put {
		p := &e.put[i]
		model.PutBits(s, p.pos, p.mask, p.code)
	}
	if len(e.bags) > 0 {
		m.k.sort(s, e.bags)
	}
	return s
}

// fireable calls can for the instances that can fire or err in the member; ok is false if some evaluation takes too long.
func (m *memo) fireable(can func(ch model.Choice, errs bool)) (ok bool) {
	for _, q := range m.enabled {
		if x := &m.asked[q]; x.rule != nil {
			e := m.outcome(q)
			if e == nil {
				return false
			}
			if e.moves || e.errs {
				can(model.Choice{Rule: x.rule.Index, Params: x.params}, e.errs)
			}
		}
	}
	return true
}

// members is members of a closureCheck; done are those looked at, less than n if the
// memo does not pay.
func (m *memo) members(first int64, n int, steps *evidence.Steps) (done int, err error) {
	for ; done < n; done++ {
		if !m.pays() {
			return done, nil
		}
		ok, err := m.look(first+int64(done), steps)
		if err != nil {
			return done, fmt.Errorf("member %d: %w", first+int64(done), err)
		}
		if !ok {
			return done, nil
		}
	}
	return done, nil
}
