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
	w     *model.Walker
	fire  func(s model.State, r *model.Rule, params []int64) model.Walked // of w
	asked []question
	below []int64 // by leaf: the value before the least
	codes []int   // by leaf: how many codes there are

	// Guards and properties. next is indexed by ask and code. It is 0 where it is not known,
	// nothing where there is no more to ask, nothing + 1 + the ask where a single ask
	// follows, else 1 + the branch.
	asks     []ask
	branches []branch
	next     []int32

	// Effects of instances. roots has 1 + the node, by question. The children of a node are
	// in tree, by code: 1 + a node, or -1 - an outcome, 0 where it is not known.
	roots    []int32
	nodes    []treeNode
	tree     []int32
	outcomes []outcome

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
	looked, walked, answered int64
	loaded                   int64    // members
	answers                  []answer // by question: the last; nil before the first
	most                     int      // bytes
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
	leaf  int32
	first int32 // of its children, in next
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
	ask  int32 // -1: the root
	yes  []int32
	asks []int32
}

// treeNode asks what is read of a leaf. If it is a test, the leaf is compared with a code, and the children are for a
// leaf that is undefined, equal or neither.
type treeNode struct {
	leaf, first int32
	test        bool
	than        int32
}

// edge returns where the child of a node is for the member.
func (o *memo) edge(t *treeNode) *int32 {
	c := o.code[t.leaf]
	switch {
	case t.test && c == t.than:
		c = 1
	case t.test && c > 0:
		c = 2
	}
	return &o.tree[t.first+c]
}

// outcome is what an instance does.
type outcome struct {
	moves   bool // it leads to a state
	errs    bool
	leftOut bool
	shows   []int // properties
	put     []putBits
	bags    []int // multisets that are written
}

type putBits struct {
	pos        int
	mask, code uint64
}

// A memo of more than mostMemo bytes is given up, and one for more than mostQuestions is
// not made, and none for leaves of more than mostCodes. Firing an instance costs as much as fireCost guards. After a cost of trialCost
// guards it is compared with the number of outcomes that were looked up (pays).
const (
	mostMemo      = 1 << 27
	mostQuestions = 1 << 16
	mostCodes     = 1 << 12
	fireCost      = 4
	trialCost     = 1 << 19
)

// newMemo returns nil if there are too many rule instances, or values of a leaf.
func newMemo(k *closureCheck) *memo {
	m := k.p.Model
	if n := k.p.Program.NumInstances(); !n.IsInt64() || n.Int64() > mostQuestions {
		return nil
	}
	o := &memo{k: k, w: k.w, most: mostMemo, fire: k.w.Fire, state: make(model.State, m.Leaves())}
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
func (o *memo) split(q *model.Property, quantified, names []*model.Param, x model.Expr) {
	if len(quantified) > 0 {
		o.split(q, quantified[1:], append(slices.Clip(names), quantified[0]), x)
		return
	}
	switch e := x.(type) {
	case *model.Quant:
		if e.Domain.Constant() && e.All {
			o.split(q, nil, append(slices.Clip(names), &model.Param{Var: e.Var, Domain: e.Domain}), e.Body)
			return
		}
	case *model.Binary:
		if e.Op == model.And {
			o.split(q, nil, names, e.X)
			o.split(q, nil, names, e.Y)
			return
		}
	}
	for _, params := range model.InstancesOf(names) {
		o.asked = append(o.asked, question{number: -1, prop: q, names: names, params: params, part: x})
	}
}

// layers makes questions of the atoms of the properties whose layers are checked.
func (o *memo) layers() {
	for _, l := range o.k.live {
		l.first = int32(len(o.asked))
		for _, inst := range l.insts {
			for _, q := range l.claim.Atoms {
				o.asked = append(o.asked, question{number: -1, prop: q, params: inst, live: true})
			}
		}
	}
	o.roots = append(o.roots, make([]int32, len(o.asked)-len(o.roots))...)
}

// load makes b the member.
func (o *memo) load(b []byte) {
	o.known = false
	o.loaded++
	copy(o.member, b)
	for w := range o.last {
		x := binary.LittleEndian.Uint64(o.member[8*w:])
		if x == o.last[w] {
			continue
		}
		o.last[w] = x
		for i := o.ofWord[w][0]; i < o.ofWord[w][1]; i++ {
			f := o.field[i]
			o.code[i] = int32(uint32(binary.LittleEndian.Uint64(o.member[f.pos>>3:])>>(f.pos&7)) & f.mask)
		}
	}
}

// values returns the member as a state.
func (o *memo) values() model.State {
	if !o.known {
		o.known = true
		for i, c := range o.code {
			if o.state[i] = model.Undef; c > 0 {
				o.state[i] = o.below[i] + int64(c)
			}
		}
	}
	return o.state
}

// answer returns what evaluate says of question q in the member. A question that is new at
// one ask is so at those that follow it.
func (o *memo) answer(q int32) (yes bool, reads []int) {
	if o.answers == nil {
		o.answers = make([]answer, len(o.asked))
	}
	a := &o.answers[q]
	if a.member != o.loaded {
		yes, reads = o.evaluate(q)
		*a = answer{o.loaded, yes, append(a.reads[:0], reads...)}
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
func (o *memo) evaluate(q int32) (yes bool, reads []int) {
	o.answered++
	x := &o.asked[q]
	switch {
	case x.rule != nil:
		r := o.w.Guard(o.values(), x.rule, x.params)
		o.k.hid = o.k.hid || r.Hides
		return r.Holds || r.Prop >= 0 || r.TooLong, r.Reads
	case x.part != nil:
		r := o.w.Guard(o.values(), &model.Rule{Params: x.names, Guard: x.part}, x.params)
		return !r.Holds, r.Reads
	}
	r := o.w.Says(o.values(), x.prop)
	return r.Holds || r.Prop >= 0 || r.TooLong, r.Reads
}

// makeBranch makes the branch of ask a, or the root, for the questions that are there.
func (o *memo) makeBranch(a int32, from []int32) int32 {
	if o.given == nil {
		o.given, o.askOf = make([]bool, len(o.code)), make([]int32, len(o.code))
	}
	for i := a; i >= 0; i = o.branches[o.asks[i].parent].ask {
		o.given[o.asks[i].leaf] = true
	}
	b := branch{ask: a}
	id := int32(len(o.branches))
	o.branches = append(o.branches, b)
	for _, q := range from {
		yes, reads := o.answer(q)
		i := slices.IndexFunc(reads, func(leaf int) bool { return !o.given[leaf] })
		if i < 0 {
			if yes {
				b.yes = append(b.yes, q)
			}
			continue
		}
		leaf := reads[i]
		n := o.askOf[leaf] - 1
		if n < 0 {
			n = int32(len(o.asks))
			o.askOf[leaf] = n + 1
			o.asks = append(o.asks, ask{int32(leaf), int32(len(o.next)), &asking{parent: id}})
			o.next = append(o.next, make([]int32, o.codes[leaf])...)
			b.asks = append(b.asks, n)
		}
		o.asks[n].questions = append(o.asks[n].questions, q)
	}
	o.branches[id] = b
	for i := a; i >= 0; i = o.branches[o.asks[i].parent].ask {
		o.given[o.asks[i].leaf] = false
	}
	for _, n := range b.asks {
		o.askOf[o.asks[n].leaf] = 0
	}
	return id
}

// questions stores in enabled the questions with answer yes, ascending.
func (o *memo) questions() {
	if o.branches == nil {
		var all []int32
		for i := range o.asked {
			if !o.asked[i].live {
				all = append(all, int32(i))
			}
		}
		o.makeBranch(-1, all)
	}
	enabled := append(o.enabled[:0], o.branches[0].yes...)
	todo := append(o.todo[:0], o.branches[0].asks...)
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for i >= 0 {
			a := &o.asks[i]
			at := a.first + o.code[a.leaf]
			n := o.next[at]
			if n == 0 {
				n = o.child(i, a.questions)
				o.next[at] = n
			}
			if n < 0 {
				i = n - nothing - 1
				continue
			}
			b := &o.branches[n-1]
			enabled = append(enabled, b.yes...)
			todo = append(todo, b.asks...)
			i = -1
		}
	}
	slices.Sort(enabled)
	o.enabled, o.todo = enabled, todo
}

// child returns what follows ask a in the member, as next has it.
func (o *memo) child(a int32, from []int32) int32 {
	id := o.makeBranch(a, from)
	switch b := &o.branches[id]; {
	case len(b.yes) > 0 || len(b.asks) > 1:
		return id + 1
	case len(b.asks) == 1:
		return nothing + 1 + b.asks[0]
	}
	return nothing
}

// enter begins with the layers of member i; ok is false if an evaluation takes too long.
func (o *memo) enter(i int64) (ok bool, err error) {
	ok = true
	for _, l := range o.k.live {
		err := l.enter(i, func(inst, atom int) bool {
			e := o.outcome(l.first + int32(inst*len(l.claim.Atoms)+atom))
			if e == nil {
				ok = false
				return false
			}
			o.k.shown.All(e.shows)
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
func (o *memo) outcome(q int32) *outcome {
	o.looked++
	n := o.roots[q]
	for n > 0 {
		n = *o.edge(&o.nodes[n-1])
	}
	if n < 0 {
		return &o.outcomes[-n-1]
	}
	o.walked++
	x := &o.asked[q]
	var r model.Walked
	if x.live {
		r = o.w.Holds(o.values(), x.prop, x.params)
		r.Hits, r.Writes = nil, nil // no step is taken
	} else {
		r = o.fire(o.values(), x.rule, x.params)
	}
	if r.TooLong {
		return nil
	}
	o.k.hid = o.k.hid || r.Hides
	link := &o.roots[q] // where the next node belongs
	tests := r.Tests
	for i, leaf := range r.Reads {
		n, children := treeNode{leaf: int32(leaf), first: int32(len(o.tree))}, o.codes[leaf]
		if len(tests) > 0 && tests[0].At == i {
			n.test, n.than, children = true, o.codeOf(leaf, tests[0].Than), 3
			tests = tests[1:]
		}
		if *link == 0 {
			*link = int32(len(o.nodes)) + 1
			o.nodes = append(o.nodes, n)
			o.tree = append(o.tree, make([]int32, children)...)
		}
		t := &o.nodes[*link-1]
		if t.leaf != n.leaf || t.test != n.test || t.than != n.than {
			panic("certify: an evaluation does not depend on what it read alone")
		}
		link = o.edge(t)
	}
	o.outcomes = append(o.outcomes, o.makeOutcome(&r))
	*link = -int32(len(o.outcomes))
	return &o.outcomes[len(o.outcomes)-1]
}

// codeOf returns the code of a value of a leaf, or -1 if it cannot have the value.
func (o *memo) codeOf(leaf int, v int64) int32 {
	if t := o.k.leaves[leaf].Type; v < t.Lo || v > t.Hi {
		return -1
	}
	return int32(v - o.below[leaf])
}

func (o *memo) makeOutcome(r *model.Walked) outcome {
	e := outcome{moves: r.Holds, errs: r.Prop >= 0, leftOut: r.LeftOut}
	if r.Holds || r.Prop >= 0 {
		e.shows = slices.Clone(r.Hits)
	}
	e.shows = append(e.shows, r.Violates()...)
	if !r.Holds {
		return e
	}
	writes := slices.Sorted(slices.Values(r.Writes))
	for _, i := range writes {
		if b := o.k.bagOf[i] - 1; b >= 0 && !slices.Contains(e.bags, b) {
			e.bags = append(e.bags, b)
		}
		pos, n := o.k.packer.Field(i)
		code := o.k.packer.Code(i, o.w.Value(i))
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

// pays reports whether the memo pays so far: evaluations cost less than the outcomes that were
// looked up.
func (o *memo) pays() bool {
	size := 4*(len(o.next)+len(o.tree)) + 128*(len(o.outcomes)+len(o.branches))
	cost := o.answered + fireCost*o.walked
	return size < o.most && (cost < trialCost || cost < o.looked)
}

// says looks at a property as a whole.
func (o *memo) says(q *model.Property) bool {
	k := o.k
	r := o.w.Says(o.values(), q)
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
func (o *memo) look(i int64, steps *evidence.Steps) (ok bool, err error) {
	k := o.k
	b := k.from.member(i)
	at, as := start(steps, i), true
	if steps != nil && len(b) > 0 { // have the members fetched, all at once
		var sum byte
		for _, to := range steps.Targets[at.at:at.end] {
			sum += k.to.touch(int64(to))
		}
		o.touched = sum
	}
	o.load(b)
	if ok, err := o.enter(i); !ok || err != nil || k.lowered() {
		return ok, err
	}
	o.questions()
	var but []uint64
	if z := k.leavesOut(steps); z != nil {
		but = z.at(o.member)
	}
	if ok, err := k.ordered.enter(i, o.values, o.fireable); !ok || err != nil {
		return err != nil, err
	}
	stuck, still := true, false // no step or error counts against a deadlock
	for _, q := range o.enabled {
		x := &o.asked[q]
		if n := x.number; but != nil && n >= 0 && but[n/64]>>(n%64)&1 != 0 {
			continue
		}
		if x.rule == nil {
			if !o.says(x.prop) {
				return false, nil
			}
			continue
		}
		e := o.outcome(q)
		if e == nil {
			return false, nil
		}
		if k.shown.All(e.shows); !e.moves {
			stuck = stuck && !e.errs && !e.leftOut
			continue
		}
		s := k.packed
		copy(s, b)
		for i := range e.put {
			p := &e.put[i]
			model.PutBits(s, p.pos, p.mask, p.code)
		}
		if len(e.bags) > 0 {
			k.sort(s, e.bags)
		}
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

// fireable calls can for the instances that can fire or err in the member; ok is false if some evaluation takes too long.
func (o *memo) fireable(can func(ch model.Choice, errs bool)) (ok bool) {
	for _, q := range o.enabled {
		if x := &o.asked[q]; x.rule != nil {
			e := o.outcome(q)
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
func (o *memo) members(first int64, n int, steps *evidence.Steps) (done int, err error) {
	for ; done < n; done++ {
		if !o.pays() {
			return done, nil
		}
		ok, err := o.look(first+int64(done), steps)
		if err != nil {
			return done, fmt.Errorf("member %d: %w", first+int64(done), err)
		}
		if !ok {
			return done, nil
		}
	}
	return done, nil
}
