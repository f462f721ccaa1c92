package encode

import (
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// A slot variable names an element of one multiset, by its slot. If it is used with another
// multiset, or after the slot got another element, it names whatever element is in the slot.
// That element differs between the interpreter, which sorts the slots, and the system, which
// does not. So such uses are refused, and so are references to elements.

const slotOrder = "what this does may depend on the order of the elements of a multiset: the symbolic encoding does not support that"

// named says which multiset a slot variable, or a reference to an element, is about.
type named struct {
	set      []place
	refilled []int // what x.refilled was when the variable was bound
}

// changed are first leaves of multisets, ascending; not changed in place.
type changed struct {
	freed    []int // perhaps some slot became free
	refilled []int // perhaps an element was added after that
}

func leavesOf(ps []place) (ls []int) {
	return lists.Map(ps, func(p place) int { return p.leaf })
}

// eachSet calls f for the multisets in a variable of type t, with the first leaf of each; leaf is that of the variable.
func eachSet(t *model.Type, leaf int, f func(set *model.Type, leaf int)) {
	switch t.Kind {
	case model.Array:
		for k := range int(t.Index.Card()) {
			eachSet(t.Elem, leaf+k*t.Elem.Leaves, f)
		}
	case model.Record:
		for _, x := range t.Fields {
			eachSet(x.Type, leaf+x.Offset, f)
		}
	case model.Multiset:
		f(t, leaf)
	}
}

// overwritten notes that variables of type t at ps lost what was in them, and were
// given something else if refilled.
func (ex *exec) overwritten(ps []place, t *model.Type, refilled bool) {
	var sets []int
	for _, p := range ps {
		eachSet(t, p.leaf, func(_ *model.Type, leaf int) { sets = append(sets, leaf) })
	}
	ex.freed = lists.Union(ex.freed, sets)
	if refilled {
		ex.refilled = lists.Union(ex.refilled, sets)
	}
}

// added notes that an element is put into the multisets at ps.
func (ex *exec) added(ps []place) {
	sets := slices.DeleteFunc(leavesOf(ps), func(leaf int) bool { return !slices.Contains(ex.freed, leaf) })
	ex.refilled = lists.Union(ex.refilled, sets)
}

// stale reports whether what v stands for may have been replaced.
func (ex *exec) stale(v *model.Var) bool {
	n := ex.names[v]
	return slices.ContainsFunc(n.set, func(p place) bool {
		return slices.Contains(ex.refilled, p.leaf) && !slices.Contains(n.refilled, p.leaf)
	})
}

// introduce notes the multiset of the slot variable in the test for its element
// that guards all of its scope.
func (ex *exec) introduce(e *model.IndexSel) {
	if v := slotVar(e.Index); v != nil {
		if _, ok := ex.names[v]; !ok {
			ex.names[v] = named{ex.places(e.X), ex.refilled}
		}
	}
}

// element checks the slot that e selects in the multisets at bases.
func (ex *exec) element(e *model.IndexSel, bases []place) {
	v := slotVar(e.Index)
	if v == nil || !slices.Equal(ex.names[v].set, bases) || ex.stale(v) {
		refuse(e.Pos, slotOrder)
	}
}

// compared checks that slots that are compared are of one multiset.
func (ex *exec) compared(e *model.Binary) {
	if !e.X.Type().Slots {
		return
	}
	v, w := slotVar(e.X), slotVar(e.Y)
	if v == nil || w == nil || !slices.Equal(ex.names[v].set, ex.names[w].set) {
		refuse(e.Pos, slotOrder)
	}
}

func slotVar(e model.Expr) *model.Var {
	if r, ok := e.(*model.Ref); ok {
		return r.Var
	}
	return nil
}

// refer binds v to places, in elements of the multisets at set if there are any.
func (ex *exec) refer(v *model.Var, ps, set []place) {
	ex.where[v] = ps
	delete(ex.names, v)
	if set != nil {
		ex.names[v] = named{set, ex.refilled}
	}
}
