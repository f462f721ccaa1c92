package typing

import (
	"fmt"
	"slices"

	"orbitmc/model"
)

// This file resolves places: it finds the cells that an expression may denote, reads them and
// writes them, and notes that for the turns of loops around.

// region is a place: a row of cells for the leaves of t, which begins at one of starts.
type region struct {
	starts []int
	t      *model.Type
	name   string // regions with the same name, not "", are the same place

	multisets []int // that it is in an element of, by first cell
	knownSlot bool  // it is in the element of a slot that is known
}

// partName returns the name of a part of a region. Parts of places that are not known have no name: they may differ.
func (r region) partName(part ...any) string {
	if r.name == "" {
		return ""
	}
	return r.name + fmt.Sprint(part...)
}

// at returns the place of type t at an offset in a region.
func (r region) at(offset int, t *model.Type) region {
	r.starts, r.t, r.name = slices.Clone(r.starts), t, r.partName("+", offset)
	for i := range r.starts {
		r.starts[i] += offset
	}
	return r
}

// alloc returns a new place, whose cells are undefined and belong to the innermost turn.
func (in *interpreter) alloc(t *model.Type) *region {
	start := in.cells.n
	for range t.Leaves {
		in.cells.add(cell{defined: isUndefined, written: inAllLoops})
	}
	return &region{starts: []int{start}, t: t, name: fmt.Sprint("@", start)}
}

// region resolves a place, or the result of a call.
func (in *interpreter) region(e model.Expr) region {
	switch e := e.(type) {
	case *model.Ref:
		return in.variable(e)
	case *model.FieldSel:
		r := in.region(e.X)
		f := r.t.Fields[e.Field]
		return r.at(f.Offset, f.Type)
	case *model.IndexSel:
		if e.X.Type().Kind == model.Multiset {
			return in.element(e, true)
		}
		return in.elementOfArray(e)
	case *model.CallExpr:
		r, _ := in.call(e.Proc, e.Args, e.Pos)
		return r
	case *model.Let:
		in.bind(e.Var, e.X, e.Pos)
		return in.region(e.Body)
	}
	in.fail(e.Position(), "`%s` is no place", model.Text(e))
	return *in.alloc(e.Type())
}

func (in *interpreter) variable(e *model.Ref) region {
	if e.Var.Kind == model.StateVar {
		return region{starts: []int{e.Var.Offset}, t: e.Var.Type, name: fmt.Sprint("@", e.Var.Offset)}
	}
	b := in.env[e.Var]
	if b == nil || b.place == nil {
		in.fail(e.Pos, "%s is no place", e.Var.Name)
		return *in.alloc(e.Var.Type)
	}
	for _, set := range b.place.multisets {
		if in.reuse.count[set] > b.reused[set] {
			in.fail(e.Pos, "`%s` may name the slot of another element", e.Var.Name)
		}
	}
	return *b.place
}

func (in *interpreter) elementOfArray(e *model.IndexSel) region {
	r := in.region(e.X)
	index, elem := r.t.Index, r.t.Elem
	i := in.eval(e.Index, false)
	constant := i.known && index.Lo <= i.value && i.value <= index.Hi
	if lo, hi, ok := bounds(e.Index); index.Numeric() && (!ok || lo < index.Lo || hi > index.Hi) && !constant {
		in.runtimeError()
	}
	from, to := index.Lo, index.Hi
	switch {
	case constant:
		from, to = i.value, i.value
		r.name = r.partName("[", i.value, "]")
	case i.symbol != 0:
		r.name = r.partName("[#", i.symbol, "]")
	default:
		r.name = ""
	}
	var starts []int
	for _, a := range r.starts {
		for v := from; v <= to; v++ {
			starts = append(starts, a+int(v-index.Lo)*elem.Leaves)
		}
	}
	r.starts, r.t = starts, elem
	in.limit(&r, e)
	return r
}

// limit refuses a region that may begin at too many cells.
func (in *interpreter) limit(r *region, e *model.IndexSel) {
	if len(r.starts) > mostCells {
		in.fail(e.Pos, "`%s` may be too many places", model.Text(e))
		r.starts = r.starts[:1]
	}
}

// readCell notes a read for the turns that see the value of before.
func (in *interpreter) readCell(a int) cell {
	c := in.cells.get(a)
	for _, l := range in.loops {
		if l.isInput(a, c) {
			l.turn.reads[a] = true
		}
	}
	return c
}

// readLeaf reads leaf i of a region: what is known if it may be any of several cells.
func (in *interpreter) readLeaf(r region, i int) cell {
	var out cell
	for k, a := range r.starts {
		if c := in.readCell(a + i); k == 0 {
			out = c
		} else {
			out = out.join(c).widen()
		}
	}
	return out
}

// load reads a place of simple type. raw says that what is undefined may be read.
func (in *interpreter) load(r region, raw bool) cell {
	in.readElement(r)
	out := in.readLeaf(r, 0)
	out.written = 0
	if out.lastTurn && !raw {
		in.readsLastTurn(model.Pos{})
	}
	if out.defined == isDefined || raw {
		return out
	}
	in.events[in.runtimeErrors()] = true
	for _, l := range in.loops {
		a := r.starts[0]
		onlyInput := len(r.starts) == 1 && out.defined == mayBeUndefined && l.isInput(a, in.cells.get(a))
		switch {
		case onlyInput && slices.Contains(l.turn.firstReads, a):
		case onlyInput && in.isSure(l) && len(l.turn.events) == 0:
			l.turn.firstReads = append(l.turn.firstReads, a)
		default:
			l.turn.events[in.runtimeErrors()] = true
		}
	}
	out.defined = isDefined
	return out
}

// writeCell writes a cell; sure says that it is this cell, and not perhaps another one of a region.
func (in *interpreter) writeCell(a int, c cell, sure bool, kind writeKind) {
	in.mayHold(a, c)
	c.written = 0
	for _, l := range in.loops {
		if !l.shares(a) {
			c.written |= l.bit
			continue
		}
		w := write{kind, c}
		if old, again := l.turn.writes[a]; again {
			if old.kind != kind {
				l.turn.reads[a] = true // what is added to may be what another turn wrote
			}
			replaces := sure && kind == assigned && in.isSure(l)
			if same := old.kind == kind && (kind != assigned || old.value.equal(c)); !replaces && !same {
				w = write{kind: assigned}
			}
		}
		l.turn.writes[a] = w
	}
	if !sure {
		in.cells.set(a, in.cells.get(a).join(c))
		return
	}
	if kind == assigned {
		for _, l := range in.loops {
			c.written |= l.bit
		}
	}
	in.cells.set(a, c)
}

// store writes leaf i of a region.
func (in *interpreter) store(r region, i int, c cell) {
	for _, a := range r.starts {
		in.writeCell(a+i, c, len(r.starts) == 1, assigned)
	}
}

// copy copies a whole.
func (in *interpreter) copy(dst, src region) {
	in.readElement(src)
	eachMultiset(src.t, func(t *model.Type, off int) {
		in.operate(src.at(off, t), multisetOp{kind: opLook})
	})
	var values []cell
	for i := range dst.t.Leaves {
		values = append(values, in.readLeaf(src, i))
	}
	in.overwrite(dst, values)
}

// resetValues returns what a reset writes into the leaves of t.
func resetValues(t *model.Type, least bool) []cell {
	values := slices.Repeat([]cell{{defined: isUndefined}}, t.Leaves)
	unfold(t, 0, func(t *model.Type, off int) bool {
		if least && t.Simple() {
			values[off] = cell{known: true, value: t.Least()}
		}
		return t.Kind != model.Multiset
	})
	return values
}

// unfold calls visit for t and the types of all parts, and where these begin. It goes into a part if visit returns true.
func unfold(t *model.Type, off int, visit func(t *model.Type, off int) bool) {
	if !visit(t, off) {
		return
	}
	switch t.Kind {
	case model.Array:
		for i := range int(t.Index.Card()) {
			unfold(t.Elem, off+i*t.Elem.Leaves, visit)
		}
	case model.Record:
		for _, f := range t.Fields {
			unfold(f.Type, off+f.Offset, visit)
		}
	case model.Multiset:
		for i := range int(t.Index.Card()) {
			unfold(t.Elem, off+i*(1+t.Elem.Leaves)+1, visit)
		}
	}
}
