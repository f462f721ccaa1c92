package encode

import (
	"slices"

	"orbitmc/model"
)

// A slot variable names an element of one multiset. In another one, or after the
// slot was given to another element, it names what happens to be there, which in
// the interpreter, where slots are sorted, is something else than in the system.
// What uses it so is refused.

// named is the multiset that a slot variable is about.
type named struct {
	set      []place
	refilled bool // what x.refilled was when the variable was bound
}

const slotOrder = "what this does may depend on the order of the elements of a multiset: the symbolic encoding does not support that"

// introduce notes the multiset of the slot variable in the test for its element
// that guards all of its scope.
func (x *exec) introduce(e *model.IndexSel) {
	if v := slotVar(e.Index); v != nil {
		if _, ok := x.names[v]; !ok {
			x.names[v] = named{x.places(e.X), x.refilled}
		}
	}
}

// element checks that the slot selected in the multiset at bases is of it.
func (x *exec) element(e *model.IndexSel, bases []place) {
	v := slotVar(e.Index)
	if n, ok := x.names[v]; v == nil || !ok || !slices.Equal(n.set, bases) || x.refilled && !n.refilled {
		refuse(e.Pos, slotOrder)
	}
}

// compared checks that slots that are compared are of one multiset.
func (x *exec) compared(e *model.Binary) {
	if !e.X.Type().Slots {
		return
	}
	v, w := slotVar(e.X), slotVar(e.Y)
	if v == nil || w == nil || !slices.Equal(x.names[v].set, x.names[w].set) {
		refuse(e.Pos, slotOrder)
	}
}

func slotVar(e model.Expr) *model.Var {
	if r, ok := e.(*model.Ref); ok && r.Var.Kind == model.BoundVar {
		return r.Var
	}
	return nil
}

// overwritten notes that slots of multisets in t became free, or were given other
// elements if refilled.
func (x *exec) overwritten(t *model.Type, refilled bool) {
	switch t.Kind {
	case model.Array:
		x.overwritten(t.Elem, refilled)
	case model.Record:
		for _, f := range t.Fields {
			x.overwritten(f.Type, refilled)
		}
	case model.Multiset:
		x.freed = true
		x.refilled = x.refilled || refilled
	}
}
