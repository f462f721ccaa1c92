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
func (a multisetOp) commutes(b multisetOp) bool {
	switch max(commuting[[2]opKind{a.kind, b.kind}], commuting[[2]opKind{b.kind, a.kind}]) {
	case always:
		return true
	case ifKeysDiffer:
		return a.hasKey && b.hasKey && a.key != b.key
	}
	return false
}

// operate notes an operation on each multiset that r may denote.
func (x *interpreter) operate(r region, op multisetOp) {
	for _, a := range r.starts {
		if r.t != nil {
			x.multisets[a] = r.t
		}
	}
	x.note(r.starts, op)
}

// note notes an operation on the multisets that begin at some cells, for the turns that share them.
func (x *interpreter) note(multisets []int, op multisetOp) {
	for _, l := range x.loops {
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
func (x *interpreter) readElement(r region) { x.note(r.multisets, bySlot(r.knownSlot, opSlot, opPeek)) }

// writeElement notes that the multisets that r is in are written.
func (x *interpreter) writeElement(r region) {
	x.note(r.multisets, bySlot(r.knownSlot, opChange, opTouch))
}

// element resolves an element of a multiset. Its index must be a variable over the slots of that
// multiset alone. exists says that the model errs if the slot is free.
func (x *interpreter) element(e *model.IndexSel, exists bool) region {
	set := x.region(e.X)
	v, ok := e.Index.(*model.Ref)
	if !ok || x.env[v.Var] == nil || !x.env[v.Var].isSlot {
		x.fail(e.Pos, "a slot that is no variable over slots")
		return set
	}
	b := x.env[v.Var]
	if b.multiset == "" {
		if b.multiset = set.name; b.multiset == "" {
			b.multiset = "once" // a place that no other use can be shown to denote
		}
	} else if set.name == "" || b.multiset != set.name {
		x.fail(e.Pos, "a slot of several multisets %q %q", b.multiset, set.name)
	}
	from, to := int64(0), set.t.Index.Hi
	if b.value.known {
		from, to = b.value.value, b.value.value
	}
	out := region{t: set.t.Elem, name: set.partName("{", b.value.symbol, b.value.value, "}"), knownSlot: b.value.known && len(set.multisets) == 0}
	for _, a := range set.starts {
		if x.reuse.count[a] > b.reused[a] {
			x.fail(e.Pos, "a slot may have got another element")
		}
		out.multisets = append(out.multisets, a)
		for s := from; s <= to; s++ {
			out.starts = append(out.starts, a+int(s)*(1+set.t.Elem.Leaves)+1)
		}
	}
	out.multisets = append(out.multisets, set.multisets...)
	if exists {
		if !x.isThere(e) {
			x.runtimeError()
		}
		x.operate(set, bySlot(b.value.known, opSlot, opLook))
	}
	x.limit(&out, e)
	return out
}

// isThere reports whether a conjunct to the left found the element, in the same state.
func (x *interpreter) isThere(e *model.IndexSel) bool {
	return slices.ContainsFunc(x.there, func(y *model.IndexSel) bool { return x.sameSpelling(y, e) })
}

// present runs the test whether a slot holds an element.
func (x *interpreter) present(e *model.Present) {
	r := x.element(e.X, false)
	if b := x.env[e.X.Index.(*model.Ref).Var]; b == nil || !b.value.known {
		x.operate(x.region(e.X.X), multisetOp{kind: opLook})
		return
	}
	for _, a := range r.starts {
		x.readCell(a - 1)
	}
	x.readElement(r)
	x.operate(region{starts: r.multisets[:1]}, multisetOp{kind: opSlot})
}

// insert runs multisetadd.
func (x *interpreter) insert(s *model.Insert) {
	set := x.region(s.Set)
	op := multisetOp{kind: opPut}
	var element []cell
	if t := set.t.Elem; t.Simple() {
		c := x.eval(s.X, s.CopiesUndefined(x.m.Dialect))
		op.key, op.hasKey = c.value, c.isConstant()
		element = append(element, c)
	} else {
		src, dst := x.region(s.X), *x.alloc(t)
		x.copy(dst, src)
		for i := range t.Leaves {
			element = append(element, x.cells.get(dst.starts[0]+i))
		}
	}
	for _, c := range element {
		if c.lastTurn {
			x.fail(s.Pos, "what the last turn of a loop left is put into a multiset")
		}
	}
	x.runtimeError() // there may be no room
	for _, a := range set.starts {
		for i, c := range element {
			x.mayHold(a+1+i, c)
		}
	}
	x.forget(set)
	x.operate(set, op)
	x.reuse.filled(set)
}

// remove runs multisetremove.
func (x *interpreter) remove(s *model.Remove) {
	r := x.element(s.X, true)
	set := x.region(s.X.X)
	if b := x.env[s.X.Index.(*model.Ref).Var]; b != nil && b.value.known {
		for _, a := range r.starts {
			for i := range 1 + r.t.Leaves {
				x.writeCell(a-1+i, cell{defined: mayBeUndefined}, false, assigned)
			}
		}
		x.operate(set, multisetOp{kind: opChange})
	} else {
		x.operate(set, multisetOp{kind: opTake})
	}
	x.forget(set)
	x.reuse.freed(set)
}

// overwrite writes the leaves of a place, with the multisets in it and around it.
func (x *interpreter) overwrite(r region, values []cell) {
	x.writeElement(r)
	eachMultiset(r.t, func(t *model.Type, off int) {
		for _, a := range r.starts {
			set := region{starts: []int{a + off}, t: t}
			x.operate(set, multisetOp{kind: opTake})
			x.operate(set, multisetOp{kind: opPut})
			x.reuse.freed(set)
			x.reuse.filled(set)
		}
	})
	for i, c := range values {
		x.store(r, i, c)
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
func (x *interpreter) forget(set region) {
	for _, a := range set.starts {
		for i := range set.t.Leaves {
			c := x.cells.get(a + i).widen()
			if !x.alwaysDefined(a + i) {
				c.defined = mayBeUndefined
			}
			x.cells.set(a+i, c)
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

func (u slotReuse) clone() slotReuse { return slotReuse{maps.Clone(u.count), maps.Clone(u.removed)} }

// join takes over what may have happened on another path.
func (u slotReuse) join(v slotReuse) {
	for a, n := range v.count {
		u.count[a] = max(u.count[a], n)
	}
	maps.Copy(u.removed, v.removed)
}

func (u slotReuse) freed(set region) {
	for _, a := range set.starts {
		u.removed[a] = true
	}
}

func (u slotReuse) filled(set region) {
	for _, a := range set.starts {
		if u.removed[a] {
			u.count[a]++
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
func (x *interpreter) asValueTest(v *model.Var, cond model.Expr) (t valueTest, ok bool) {
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
	if !x.isElement(t.item, t.set, v) {
		t.item, t.value = t.value, t.item
	}
	return t, x.isElement(t.item, t.set, v) && isIndependent(t.value, v)
}

// isElement reports whether e is the element of a multiset in slot v, perhaps as a value of a union.
func (x *interpreter) isElement(e, set model.Expr, v *model.Var) bool {
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
	return ok && r.Var == v && x.sameSpelling(i.X, set)
}

// sameSpelling reports whether two designators consist of the same variables, fields and constants, where names may stand
// for what they were given to. They denote the same place in one state, as no variable is bound twice.
func (x *interpreter) sameSpelling(a, b model.Expr) bool {
	a, b = x.spelled(a), x.spelled(b)
	switch a := a.(type) {
	case *model.Ref:
		b, ok := b.(*model.Ref)
		return ok && a.Var == b.Var
	case *model.ConstExpr:
		b, ok := b.(*model.ConstExpr)
		return ok && a.T == b.T && a.Value == b.Value
	case *model.FieldSel:
		b, ok := b.(*model.FieldSel)
		return ok && a.Field == b.Field && x.sameSpelling(a.X, b.X)
	case *model.IndexSel:
		b, ok := b.(*model.IndexSel)
		return ok && x.sameSpelling(a.X, b.X) && x.sameSpelling(a.Index, b.Index)
	case *model.Convert:
		b, ok := b.(*model.Convert)
		return ok && a.To == b.To && x.sameSpelling(a.X, b.X)
	}
	return false
}

// spelled replaces a name by what it was given to.
func (x *interpreter) spelled(e model.Expr) model.Expr {
	for {
		r, ok := e.(*model.Ref)
		if !ok || x.env[r.Var] == nil || x.env[r.Var].given == nil {
			return e
		}
		e = x.env[r.Var].given
	}
}

// callsNothing reports whether the evaluation of an expression cannot change the state.
func callsNothing(e model.Expr) bool {
	found := false
	model.Inspect(e, func(n any) {
		_, ok := n.(*model.CallExpr)
		found = found || ok
	})
	return !found
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
func (x *interpreter) operateOnValue(t valueTest, kind opKind) (set region, ok bool) {
	c := x.eval(t.value, x.m.Dialect.TestsUndefined(t.value))
	if !c.isConstant() {
		return set, false
	}
	if !x.m.Dialect.TestsUndefined(t.item) {
		x.runtimeError()
	}
	if set = x.region(t.set); set.name == "" {
		return set, false
	}
	key := c.value
	if from, to := t.value.Type(), set.t.Elem; from != to {
		if key, ok = from.Convert(to, key); !ok {
			return set, false
		}
	}
	x.operate(set, multisetOp{kind: kind, key: key, hasKey: true})
	return set, true
}
