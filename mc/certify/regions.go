package certify

import (
	"fmt"
	"slices"

	"orbitmc/model"
)

// This file is about regions: where places are, and what is read and written there.

// region is a place: the cells at which it may start.
type region struct {
	at   []int
	t    *model.Type
	name string // regions of one name, not "", are the same
	sets []int  // multisets of which it is in an element, by first cell
	slot bool   // that of a slot that is known
}

// setOp is what a turn does to a multiset.
type setOp struct {
	// look, put, take; peek or touch: an element is read or written by name; slot or change: in a slot
	// that is known, where cells tell who meets whom
	kind string
	key  int64 // the value of the elements concerned
	only bool  // there is a key
}

// region resolves a place, or the result of a call.
func (x *turns) region(e model.Expr) region {
	switch e := e.(type) {
	case *model.Ref:
		if e.Var.Kind == model.StateVar {
			return region{at: []int{e.Var.Offset}, t: e.Var.Type, name: fmt.Sprint("@", e.Var.Offset)}
		}
		b := x.env[e.Var]
		if b == nil || b.r == nil {
			x.fail(e.Pos, "%s is no place", e.Var.Name)
			return *x.alloc(e.Var.Type)
		}
		for _, set := range b.r.sets {
			if x.ages[set] > b.age[set] {
				x.fail(e.Pos, "`%s` may name the slot of another element", e.Var.Name)
			}
		}
		return *b.r
	case *model.FieldSel:
		r := x.region(e.X)
		f := r.t.Fields[e.Field]
		r.at = slices.Clone(r.at)
		for i := range r.at {
			r.at[i] += f.Offset
		}
		r.t = f.Type
		r.name += fmt.Sprint("+", f.Offset)
		return r
	case *model.IndexSel:
		if e.X.Type().Kind == model.Multiset {
			return x.element(e, true)
		}
		r := x.region(e.X)
		t := r.t
		i := x.eval(e.Index, false)
		if lo, hi, ok := bounds(e.Index); t.Index.Numeric() && (!ok || lo < t.Index.Lo || hi > t.Index.Hi) && !(i.known && t.Index.Lo <= i.k && i.k <= t.Index.Hi) {
			x.err2(e.Pos)
		}
		from, to := t.Index.Lo, t.Index.Hi
		switch {
		case i.known && from <= i.k && i.k <= to:
			from, to = i.k, i.k
			r.name += fmt.Sprint("[", i.k, "]")
		case i.sym != 0 && r.name != "":
			r.name += fmt.Sprint("[#", i.sym, "]")
		default:
			r.name = ""
		}
		var at []int
		for _, a := range r.at {
			for v := from; v <= to; v++ {
				at = append(at, a+int(v-t.Index.Lo)*t.Elem.Leaves)
			}
		}
		if len(at) > mostCells {
			x.fail(e.Pos, "`%s` may be too many places", model.Text(e))
			at = at[:1]
		}
		r.at, r.t = at, t.Elem
		return r
	case *model.CallExpr:
		return x.call(e.Proc, e.Args, e.Pos)
	case *model.Let:
		x.name(e.Var, e.X, e.Pos)
		return x.region(e.Body)
	}
	x.fail(e.Position(), "`%s` is no place", model.Text(e))
	return *x.alloc(e.Type())
}

// element resolves an element of a multiset. Its slot must be one of that multiset.
func (x *turns) element(e *model.IndexSel, there bool) region {
	set := x.region(e.X)
	v, ok := e.Index.(*model.Ref)
	if !ok || x.env[v.Var] == nil || !x.env[v.Var].slot {
		x.fail(e.Pos, "a slot that is no variable over slots")
		return set
	}
	b := x.env[v.Var]
	if b.home == "" {
		if b.home = set.name; b.home == "" {
			b.home = "once"
		}
	} else if set.name == "" || b.home != set.name {
		x.fail(e.Pos, "a slot of several multisets %q %q", b.home, set.name)
	}
	var at, sets []int
	stride := 1 + set.t.Elem.Leaves
	from, to := int64(0), set.t.Index.Hi
	if b.value.known {
		from, to = b.value.k, b.value.k
	}
	for _, a := range set.at {
		if x.ages[a] > b.age[a] {
			x.fail(e.Pos, "a slot may have got another element")
		}
		sets = append(sets, a)
		for s := from; s <= to; s++ {
			at = append(at, a+int(s)*stride+1)
		}
	}
	if there {
		x.err2(e.Pos) // it may be free
		if b.value.known {
			x.operate(set, setOp{kind: "slot"})
		} else {
			x.operate(set, setOp{kind: "look"})
		}
	}
	if len(at) > mostCells {
		x.fail(e.Pos, "`%s` may be too many places", model.Text(e))
		at = at[:1]
	}
	return region{at: at, t: set.t.Elem, name: fmt.Sprint(set.name, "{", b.value.sym, b.value.k, "}"), sets: append(sets, set.sets...), slot: b.value.known && len(set.sets) == 0}
}

func (x *turns) alloc(t *model.Type) *region {
	at := x.cells.n
	for range t.Leaves {
		x.cells.add(cell{undef: 2, fresh: ^uint64(0)})
	}
	return &region{at: []int{at}, t: t, name: fmt.Sprint("@", at)}
}

// operate notes what happens to a multiset.
func (x *turns) operate(r region, op setOp) {
	for _, a := range r.at {
		if r.t != nil {
			x.sets[a] = r.t
		}
	}
	for _, w := range x.watchers {
		for _, a := range r.at {
			if a < w.top {
				w.log.ops[a] = append(w.log.ops[a], op)
			}
		}
	}
}

// through notes that an element of a multiset is read or written.
func (x *turns) through(r region, write bool) {
	kind := "peek"
	switch {
	case r.slot && write:
		kind = "change"
	case r.slot:
		kind = "slot"
	case write:
		kind = "touch"
	}
	for _, w := range x.watchers {
		for _, a := range r.sets {
			if a < w.top {
				w.log.ops[a] = append(w.log.ops[a], setOp{kind: kind})
			}
		}
	}
}

func (x *turns) readCell(a int) cell {
	c := x.cells.get(a)
	for _, w := range x.watchers {
		if a < w.top && c.fresh&w.bit == 0 {
			w.log.reads[a] = true
		}
	}
	return c
}

// load reads a leaf.
func (x *turns) load(r region, raw bool) cell {
	var out cell
	x.through(r, false)
	for i, a := range r.at {
		c := x.readCell(a)
		if i == 0 {
			out = c
		} else {
			out = out.join(c)
		}
	}
	out.fresh = 0
	if len(r.at) > 1 {
		out.sym, out.known = 0, false
	}
	if out.left && !raw {
		x.fail(model.Pos{}, "what the last turn of a loop left is read")
	}
	if out.undef == 0 || raw {
		return out
	}
	x.kinds[x.m.Runtime().Index] = true
	for _, w := range x.watchers {
		one := len(r.at) == 1 && r.at[0] < w.top && x.cells.get(r.at[0]).fresh&w.bit == 0 && out.undef == 1
		switch {
		case one && w.log.sure[r.at[0]]:
		case one && x.cond == w.cond && !w.log.after && len(w.log.kinds) == 0:
			w.log.sure[r.at[0]] = true
			w.log.lead += fmt.Sprint(r.at[0], " ")
		default:
			w.log.kinds[x.m.Runtime().Index] = true
		}
	}
	out.undef = 0
	return out
}

// writeCell writes a leaf; sure says that it is the one written.
func (x *turns) writeCell(a int, c cell, sure bool, kind string) {
	if a < len(x.groups) && c.undef != 0 && !x.maybe[x.groups[a]] {
		x.maybe[x.groups[a]], x.dropped = true, true
	}
	c.fresh = 0
	for _, w := range x.watchers {
		if a >= w.top {
			c.fresh |= w.bit
			continue
		}
		e := effect{kind, c}
		old, ok := w.log.writes[a]
		if ok && old.kind != kind {
			w.log.reads[a] = true // what is added to may be what another turn wrote
		}
		if ok && !(sure && kind == "set" && x.cond == w.cond && !w.log.after) && (old.kind != e.kind || kind == "set" && !old.c.same(c)) {
			e = effect{kind: "set"}
		}
		w.log.writes[a] = e
	}
	if !sure {
		x.cells.set(a, x.cells.get(a).join(c))
		return
	}
	if kind == "set" {
		for _, w := range x.watchers {
			c.fresh |= w.bit
		}
	}
	x.cells.set(a, c)
}

func (x *turns) store(r region, i int, c cell) {
	for _, a := range r.at {
		x.writeCell(a+i, c, len(r.at) == 1, "set")
	}
}

// copy copies a whole.
func (x *turns) copy(dst, src region) {
	x.through(src, false)
	each(src.t, 0, func(t *model.Type, off int) {
		for _, a := range src.at {
			x.operate(region{at: []int{a + off}, t: t}, setOp{kind: "look"})
		}
	})
	var vs []cell
	for i := range dst.t.Leaves {
		var out cell
		for j, a := range src.at {
			c := x.readCell(a + i)
			if j == 0 {
				out = c
			} else {
				out = out.join(c)
				out.sym, out.known = 0, false
			}
		}
		vs = append(vs, out)
	}
	x.write(dst)
	for i, c := range vs {
		x.store(dst, i, c)
	}
}

// write notes that a place is written that may be part of an element or hold multisets.
func (x *turns) write(r region) {
	x.through(r, true)
	x.overwrite(r, r.t)
}

func (x *turns) overwrite(r region, t *model.Type) {
	each(t, 0, func(t *model.Type, off int) {
		for _, a := range r.at {
			s := region{at: []int{a + off}, t: t}
			x.operate(s, setOp{kind: "take"})
			x.operate(s, setOp{kind: "put"})
			x.lost(s)
			x.got(s)
		}
	})
}

// each calls f for the multisets in t, and where they begin.
func each(t *model.Type, off int, f func(t *model.Type, off int)) {
	switch t.Kind {
	case model.Array:
		for i := range int(t.Index.Card()) {
			each(t.Elem, off+i*t.Elem.Leaves, f)
		}
	case model.Record:
		for _, q := range t.Fields {
			each(q.Type, off+q.Offset, f)
		}
	case model.Multiset:
		f(t, off)
		for i := range int(t.Index.Card()) {
			each(t.Elem, off+i*(1+t.Elem.Leaves)+1, f)
		}
	}
}

func (x *turns) lost(set region) {
	for _, a := range set.at {
		x.emptied[a] = true
	}
}

func (x *turns) got(set region) {
	for _, a := range set.at {
		if x.emptied[a] {
			x.ages[a]++
		}
	}
}

// fix gives a region a name: that of a variable stands for one place.
func (x *turns) fix(r *region) {
	if r.name == "" {
		r.name = fmt.Sprint("?", x.sum())
	}
}

func isPlace(e model.Expr) bool {
	switch e.(type) {
	case *model.Ref, *model.FieldSel, *model.IndexSel:
		return true
	}
	return false
}

// forget makes the elements of a multiset unknown: which slot one is in cannot be told.
func (x *turns) forget(set region) {
	for _, a := range set.at {
		for i := range set.t.Leaves {
			c := x.cells.get(a + i)
			c.known, c.sym, c.k = false, 0, 0
			if a+i >= len(x.groups) || x.maybe[x.groups[a+i]] {
				c.undef = 1
			}
			x.cells.set(a+i, c)
		}
	}
}

func least(dst []int64, t *model.Type) []int64 {
	switch t.Kind {
	case model.Array:
		for range t.Index.Card() {
			dst = least(dst, t.Elem)
		}
	case model.Record:
		for _, f := range t.Fields {
			dst = least(dst, f.Type)
		}
	case model.Multiset:
		for range t.Leaves {
			dst = append(dst, model.Undef)
		}
	default:
		dst = append(dst, t.Lo)
	}
	return dst
}
