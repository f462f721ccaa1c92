package typing

import (
	"maps"
	"slices"

	"orbitmc/model"
)

// This file is about multisets. A multiset is a row of slots, each with a cell for the presence of an
// element and the cells of the element. Slots have no meaning of their own: the interpreter of
// model sorts the elements after each step. So turns are compared by what they do to the
// multiset as a whole (multisetOp), and not by the slots that they happen to use. Only the turns of a
// loop over slots name a slot each; cells then tell who meets whom.
//
// A variable over slots names an element. It must not be used once its slot may hold another
// element (slotReuse), nor for two multisets.

// multisetOp is what a turn does to a multiset.
type multisetOp struct {
	kind   opKind
	key    int64 // the value of the elements concerned
	hasKey bool
}

type opKind uint8

const (
	opLook   opKind = iota // which elements there are, is read
	opPut                  // an element is added
	opTake                 // elements are removed
	opPeek                 // an element that has a name is read
	opTouch                // an element that has a name is written
	opSlot                 // the element of a known slot is read
	opChange               // the element of a known slot is written, or removed
)

func (k opKind) String() string {
	return [...]string{"look", "put", "take", "peek", "touch", "slot", "change"}[k]
}

// changes reports whether the operation may change a multiset, other than in a slot that the turn names.
func (k opKind) changes() bool { return k == opPut || k == opTake || k == opTouch }

// commutation says when two operations of different turns commute.
type commutation uint8

const (
	never commutation = iota
	ifKeysDiffer
	always
)

// commuting has the pairs of kinds that may commute, each in one order.
var commuting = map[[2]opKind]commutation{
	{opLook, opLook}: always, {opLook, opPeek}: always, {opLook, opSlot}: always,
	{opPeek, opPeek}: always, {opPeek, opSlot}: always, {opSlot, opSlot}: always,
	{opPut, opPut}: always, {opPeek, opPut}: always,
	{opChange, opChange}: always, {opChange, opPeek}: always, {opChange, opSlot}: always, // cells tell slots apart
	{opLook, opPut}: ifKeysDiffer, {opLook, opTake}: ifKeysDiffer, {opTake, opTake}: ifKeysDiffer,
}

// commutes reports whether operations of two turns on one multiset commute.
func (m multisetOp) commutes(b multisetOp) bool {
	switch max(commuting[[2]opKind{m.kind, b.kind}], commuting[[2]opKind{b.kind, m.kind}]) {
	case always:
		return true
	case ifKeysDiffer:
		return m.hasKey && b.hasKey && m.key != b.key
	}
	return false
}

// operate notes an operation on each multiset that r may denote.
func (in *interpreter) operate(r region, op multisetOp) {
	for _, a := range r.starts {
		if r.t != nil {
			in.multisets[a] = r.t
		}
	}
	in.note(r.starts, op)
}

// note notes an operation on the multisets that begin at some cells, for the turns that share them.
func (in *interpreter) note(multisets []int, op multisetOp) {
	for _, l := range in.loops {
		for _, a := range multisets {
			if l.shares(a) {
				l.turn.ops[a] = append(l.turn.ops[a], op)
			}
		}
	}
}

// bySlot returns an operation of a kind, by whether its slot is known.
func bySlot(known bool, slot, any opKind) multisetOp {
	if known {
		return multisetOp{kind: slot}
	}
	return multisetOp{kind: any}
}

// readElement notes that the multisets that r is in are read.
func (in *interpreter) readElement(r region) {
	in.note(r.multisets, bySlot(r.knownSlot, opSlot, opPeek))
}

// writeElement notes that the multisets that r is in are written.
func (in *interpreter) writeElement(r region) {
	in.note(r.multisets, bySlot(r.knownSlot, opChange, opTouch))
}

// element resolves an element of a multiset. Its index must be a variable over the slots of that
// multiset alone. exists says that the model errs if the slot is free.
func (in *interpreter) element(e *model.IndexSel, exists bool) region {
	set := in.region(e.X)
	v, ok := e.Index.(*model.Ref)
	if !ok || in.env[v.Var] == nil || !in.env[v.Var].isSlot {
		in.fail(e.Pos, "a slot that is no variable over slots")
		return set
	}
	b := in.env[v.Var]
	if b.multiset == "" {
		if b.multiset = set.name; b.multiset == "" {
			b.multiset = "once" // a place that no other use can be shown to denote
		}
	} else if set.name == "" || b.multiset != set.name {
		in.fail(e.Pos, "a slot of several multisets %q %q", b.multiset, set.name)
	}
	from, to := int64(0), set.t.Index.Hi
	if b.value.known {
		from, to = b.value.value, b.value.value
	}
	out := region{t: set.t.Elem, name: set.partName("{", b.value.symbol, b.value.value, "}"), knownSlot: b.value.known && len(set.multisets) == 0}
	for _, a := range set.starts {
		if in.reuse.count[a] > b.reused[a] {
			in.fail(e.Pos, "a slot may have got another element")
		}
		out.multisets = append(out.multisets, a)
		for s := from; s <= to; s++ {
			out.starts = append(out.starts, a+int(s)*(1+set.t.Elem.Leaves)+1)
		}
	}
	out.multisets = append(out.multisets, set.multisets...)
	if exists {
		if !in.isThere(e) {
			in.runtimeError()
		}
		in.operate(set, bySlot(b.value.known, opSlot, opLook))
	}
	in.limit(&out, e)
	return out
}

// isThere reports whether a conjunct to the left found the element, in the same state.
func (in *interpreter) isThere(e *model.IndexSel) bool {
	return slices.ContainsFunc(in.there, func(y *model.IndexSel) bool { return in.sameSpelling(y, e) })
}

// present runs the test whether a slot holds an element.
func (in *interpreter) present(e *model.Present) {
	r := in.element(e.X, false)
	if b := in.env[e.X.Index.(*model.Ref).Var]; b == nil || !b.value.known {
		in.operate(in.region(e.X.X), multisetOp{kind: opLook})
		return
	}
	for _, a := range r.starts {
		in.readCell(a - 1)
	}
	in.readElement(r)
	in.operate(region{starts: r.multisets[:1]}, multisetOp{kind: opSlot})
}

// insert runs multisetadd.
func (in *interpreter) insert(s *model.Insert) {
	set := in.region(s.Set)
	op := multisetOp{kind: opPut}
	var element []cell
	if t := set.t.Elem; t.Simple() {
		c := in.eval(s.X, s.CopiesUndefined(in.m.Dialect))
		op.key, op.hasKey = c.value, c.isConstant()
		element = append(element, c)
	} else {
		src, dst := in.region(s.X), *in.alloc(t)
		in.copy(dst, src)
		for i := range t.Leaves {
			element = append(element, in.cells.get(dst.starts[0]+i))
		}
	}
	for _, c := range element {
		if c.lastTurn {
			in.fail(s.Pos, "what the last turn of a loop left is put into a multiset")
		}
	}
	in.runtimeError() // there may be no room
	for _, a := range set.starts {
		for i, c := range element {
			in.mayHold(a+1+i, c)
		}
	}
	in.forget(set)
	in.operate(set, op)
	in.reuse.filled(set)
}

// remove runs multisetremove.
func (in *interpreter) remove(s *model.Remove) {
	r := in.element(s.X, true)
	set := in.region(s.X.X)
	if b := in.env[s.X.Index.(*model.Ref).Var]; b != nil && b.value.known {
		for _, a := range r.starts {
			for i := range 1 + r.t.Leaves {
				in.writeCell(a-1+i, cell{defined: mayBeUndefined}, false, assigned)
			}
		}
		in.operate(set, multisetOp{kind: opChange})
	} else {
		in.operate(set, multisetOp{kind: opTake})
	}
	in.forget(set)
	in.reuse.freed(set)
}

// overwrite writes the leaves of a place, with the multisets in it and around it.
func (in *interpreter) overwrite(r region, values []cell) {
	in.writeElement(r)
	eachMultiset(r.t, func(t *model.Type, off int) {
		for _, a := range r.starts {
			set := region{starts: []int{a + off}, t: t}
			in.operate(set, multisetOp{kind: opTake})
			in.operate(set, multisetOp{kind: opPut})
			in.reuse.freed(set)
			in.reuse.filled(set)
		}
	})
	for i, c := range values {
		in.store(r, i, c)
	}
}

// eachMultiset calls f for the multisets in t, and where they begin.
func eachMultiset(t *model.Type, f func(t *model.Type, off int)) {
	unfold(t, 0, func(t *model.Type, off int) bool {
		if t.Kind == model.Multiset {
			f(t, off)
		}
		return true
	})
}

// forget makes the elements of a multiset unknown: which slot one is in cannot be told.
func (in *interpreter) forget(set region) {
	for _, a := range set.starts {
		for i := range set.t.Leaves {
			c := in.cells.get(a + i).widen()
			if !in.alwaysDefined(a + i) {
				c.defined = mayBeUndefined
			}
			in.cells.set(a+i, c)
		}
	}
}

// slotReuse tells whether a slot may have got another element. Multisets are named by their
// first cells. Both maps only grow during a run.
type slotReuse struct {
	count   map[int]int  // how often an element may have gone into a slot that had held another one
	removed map[int]bool // whether an element may have been removed
}

func newSlotReuse() slotReuse { return slotReuse{make(map[int]int), make(map[int]bool)} }

func (s slotReuse) clone() slotReuse { return slotReuse{maps.Clone(s.count), maps.Clone(s.removed)} }

// join takes over what may have happened on another path.
func (s slotReuse) join(v slotReuse) {
	for a, n := range v.count {
		s.count[a] = max(s.count[a], n)
	}
	maps.Copy(s.removed, v.removed)
}

func (s slotReuse) freed(set region) {
	for _, a := range set.starts {
		s.removed[a] = true
	}
}

func (s slotReuse) filled(set region) {
	for _, a := range set.starts {
		if s.removed[a] {
			s.count[a]++
		}
	}
}

// valueTest is the condition that a slot holds an element, and that this element has a value:
// what multisetcount and multisetremovepred ask of each slot to find the elements of that value.
type valueTest struct {
	set         model.Expr
	item, value model.Expr
}

// asValueTest recognises the condition that the slot v holds an element equal to a value that does not depend on v.
func (in *interpreter) asValueTest(v *model.Var, cond model.Expr) (t valueTest, ok bool) {
	and, ok := cond.(*model.Binary)
	if !ok || and.Op != model.And || !v.Type.Slots {
		return t, false
	}
	present, ok1 := and.X.(*model.Present)
	eq, ok2 := and.Y.(*model.Binary)
	if !ok1 || !ok2 || eq.Op != model.Eq {
		return t, false
	}
	t = valueTest{set: present.X.X, item: eq.X, value: eq.Y}
	if !in.isElement(t.item, t.set, v) {
		t.item, t.value = t.value, t.item
	}
	return t, in.isElement(t.item, t.set, v) && isIndependent(t.value, v)
}

// isElement reports whether e is the element of a multiset in slot v, perhaps as a value of a union.
func (in *interpreter) isElement(e, set model.Expr, v *model.Var) bool {
	for {
		c, ok := e.(*model.Convert)
		if !ok || c.To.Kind != model.Union {
			break
		}
		e = c.X
	}
	i, ok := e.(*model.IndexSel)
	if !ok || i.X.Type() != set.Type() {
		return false
	}
	r, ok := i.Index.(*model.Ref)
	return ok && r.Var == v && in.sameSpelling(i.X, set)
}

// sameSpelling reports whether two designators consist of the same variables, fields and constants, where names may stand
// for what they were given to. They denote the same place in one state, as no variable is bound twice.
func (in *interpreter) sameSpelling(a, b model.Expr) bool {
	a, b = in.spelled(a), in.spelled(b)
	switch a := a.(type) {
	case *model.Ref:
		b, ok := b.(*model.Ref)
		return ok && a.Var == b.Var
	case *model.ConstExpr:
		b, ok := b.(*model.ConstExpr)
		return ok && a.T == b.T && a.Value == b.Value
	case *model.FieldSel:
		b, ok := b.(*model.FieldSel)
		return ok && a.Field == b.Field && in.sameSpelling(a.X, b.X)
	case *model.IndexSel:
		b, ok := b.(*model.IndexSel)
		return ok && in.sameSpelling(a.X, b.X) && in.sameSpelling(a.Index, b.Index)
	case *model.Convert:
		b, ok := b.(*model.Convert)
		return ok && a.To == b.To && in.sameSpelling(a.X, b.X)
	}
	return false
}

// spelled replaces a name by what it was given to.
func (in *interpreter) spelled(e model.Expr) model.Expr {
	for {
		r, ok := e.(*model.Ref)
		if !ok || in.env[r.Var] == nil || in.env[r.Var].given == nil {
			return e
		}
		e = in.env[r.Var].given
	}
}

// isIndependent reports whether e is a variable other than v, perhaps converted.
func isIndependent(e model.Expr, v *model.Var) bool {
	for {
		c, ok := e.(*model.Convert)
		if !ok {
			break
		}
		e = c.X
	}
	r, ok := e.(*model.Ref)
	return ok && r.Var != v
}

// operateOnValue runs an operation on all elements that pass a test. It does nothing, and returns false, if
// the value or the multiset of the test is not known.
func (in *interpreter) operateOnValue(t valueTest, kind opKind) (set region, ok bool) {
	c := in.eval(t.value, in.m.Dialect.TestsUndefined(t.value))
	if !c.isConstant() {
		return set, false
	}
	if !in.m.Dialect.TestsUndefined(t.item) {
		in.runtimeError()
	}
	if set = in.region(t.set); set.name == "" {
		return set, false
	}
	key := c.value
	if from, to := t.value.Type(), set.t.Elem; from != to {
		if key, ok = from.Convert(to, key); !ok {
			return set, false
		}
	}
	in.operate(set, multisetOp{kind: kind, key: key, hasKey: true})
	return set, true
}
