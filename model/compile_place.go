package model

import "fmt"

// address is where a designator is in the frame: base plus the terms.
type address struct {
	base  int
	terms []term
	text  string // for messages: the designator with its variable indices elided
}

// term is (index - lo) * stride for an index that is not constant, or the place
// that a RefVar stands for.
type term struct {
	index   evalFn
	lo, hi  int64
	stride  int
	checked bool // the index may lie outside lo..hi
	slot    int  // where the index is kept if it is a bound variable or a RefVar, else -1
	pos     Pos

	// set says that the index is a slot of a multiset that must not be free;
	// its presence leaf is at base plus the terms up to this one.
	set  bool
	base int
}

// row returns base, slot and stride of the common address that is base plus
// stride times a bound variable.
func (a *address) row() (base, slot, stride int, ok bool) {
	if len(a.terms) != 1 || !a.terms[0].plain() {
		return 0, 0, 0, false
	}
	t := &a.terms[0]
	return a.base - int(t.lo)*t.stride, t.slot, t.stride, true
}

func (t *term) plain() bool { return !t.checked && !t.set && t.slot >= 0 }

// raise panics with a run-time error.
func (p *Program) raise(pos Pos, format string, args ...any) {
	panic(&fault{prop: p.runtime, pos: pos, msg: fmt.Sprintf(format, args...)})
}

// address resolves a designator.
func (c *compiler) address(e Expr) address {
	switch e := e.(type) {
	case *Ref:
		if e.Var.Kind == StateVar {
			return address{base: e.Var.Offset, text: e.Var.Name}
		}
		s, ok := c.slots[e.Var]
		if !ok {
			panic(fmt.Sprintf("model: %v: variable %s is not in scope", e.Pos, e.Var.Name))
		}
		if e.Var.Kind == RefVar {
			return address{text: e.Var.Name, terms: []term{{
				index: func(f []int64) int64 { return f[s] }, stride: 1, slot: s, pos: e.Pos,
			}}}
		}
		return address{base: s, text: e.Var.Name}
	case *FieldSel:
		a := c.address(e.X)
		f := e.X.Type().Fields[e.Field]
		a.base += f.Offset
		a.text += "." + f.Name
		return a
	case *IndexSel:
		if e.X.Type().Kind == Multiset {
			a := c.slotAddress(e)
			a.terms[len(a.terms)-1].set = true
			a.base++
			return a
		}
		a := c.address(e.X)
		t := e.X.Type()
		lo, hi, stride := t.Index.Lo, t.Index.Hi, t.Elem.Leaves
		if k, ok := constant(e.Index); ok && k >= lo && k <= hi {
			a.base += int(k-lo) * stride
			a.text += "[" + t.Index.Format(k) + "]"
			return a
		}
		a.text += "[…]"
		a.add(term{index: c.eval(e.Index), lo: lo, hi: hi, stride: stride,
			checked: !c.within(e.Index, lo, hi), slot: c.boundSlot(e.Index), pos: e.Pos})
		return a
	}
	panic(fmt.Sprintf("model: %v: not a designator", e.Position()))
}

func (a *address) add(t term) { a.terms = append(a.terms[:len(a.terms):len(a.terms)], t) }

// slotAddress resolves the slot of a multiset that e selects, which may be free.
func (c *compiler) slotAddress(e *IndexSel) address {
	a, t := c.address(e.X), e.X.Type()
	a.text += "{…}"
	a.add(term{index: c.eval(e.Index), lo: t.Index.Lo, hi: t.Index.Hi, stride: 1 + t.Elem.Leaves,
		checked: !c.within(e.Index, t.Index.Lo, t.Index.Hi), slot: c.boundSlot(e.Index), pos: e.Pos, base: a.base})
	return a
}

// boundSlot returns the slot of a bound variable, and -1 for another expression.
func (c *compiler) boundSlot(e Expr) int {
	if r, ok := e.(*Ref); ok && r.Var.Kind == BoundVar {
		return c.slots[r.Var]
	}
	return -1
}

// within reports whether the value of e, once it is defined, is surely in
// lo..hi.
func (c *compiler) within(e Expr, lo, hi int64) bool {
	if k, ok := constant(e); ok {
		return lo <= k && k <= hi
	}
	if r, ok := e.(*Ref); ok && r.Var.Kind == BoundVar {
		b, ok := c.bounds[r.Var]
		return ok && lo <= b[0] && b[1] <= hi
	}
	t := e.Type()
	if _, ok := e.(*Convert); !ok && !Designator(e) {
		return false
	}
	return t.Kind != Integer && lo <= t.Lo && t.Hi <= hi
}

// place returns where a designator of any type starts in the frame.
func (c *compiler) place(e Expr) func(f []int64) int { return c.locate(c.address(e)) }

// locate returns the function from frame to offset of an address.
func (c *compiler) locate(a address) func(f []int64) int {
	p := c.p
	if base := a.base; len(a.terms) == 0 {
		return func([]int64) int { return base }
	}
	if base, slot, stride, ok := a.row(); ok {
		return func(f []int64) int { return base + int(f[slot])*stride }
	}
	if len(a.terms) == 1 && !a.terms[0].set {
		t, base := a.terms[0], a.base
		index, stride, lo := t.index, t.stride, t.lo
		if !t.checked {
			base -= int(lo) * stride
			return func(f []int64) int { return base + int(index(f))*stride }
		}
		return func(f []int64) int {
			i := index(f)
			if i < lo || i > t.hi {
				p.badIndex(&t, &a, i)
			}
			return base + int(i-lo)*stride
		}
	}
	if len(a.terms) == 2 && a.terms[0].plain() && a.terms[1].plain() {
		t, u := a.terms[0], a.terms[1]
		base := a.base - int(t.lo)*t.stride - int(u.lo)*u.stride
		slot, stride, slot2, stride2 := t.slot, t.stride, u.slot, u.stride
		return func(f []int64) int { return base + int(f[slot])*stride + int(f[slot2])*stride2 }
	}
	if len(a.terms) == 1 && !a.terms[0].checked && a.terms[0].slot >= 0 { // an element of a multiset
		t := a.terms[0]
		slot, stride, start := t.slot, t.stride, -int(t.lo)*t.stride
		present, base := start+t.base, start+a.base
		return func(f []int64) int {
			at := int(f[slot]) * stride
			if f[present+at] == Undef {
				p.freeSlot(t.pos, &a, f[slot])
			}
			return base + at
		}
	}
	steps := make([]step, len(a.terms))
	for k := range steps {
		t := &a.terms[k]
		steps[k] = step{index: t.index, slot: t.slot, lo: t.lo, most: uint64(t.hi - t.lo), stride: t.stride, checked: t.checked, set: t.set, base: t.base}
	}
	return func(f []int64) int {
		at := 0
		for k := range steps {
			t := &steps[k]
			var i int64
			if t.slot >= 0 {
				i = f[t.slot]
			} else {
				i = t.index(f)
			}
			if t.checked && (i < t.lo || uint64(i-t.lo) > t.most) {
				p.badIndex(&a.terms[k], &a, i)
			}
			at += int(i-t.lo) * t.stride
			if t.set && f[at+t.base] == Undef {
				p.freeSlot(a.terms[k].pos, &a, i)
			}
		}
		return a.base + at
	}
}

// step is what locate needs of a term.
type step struct {
	index        evalFn
	slot         int // or -1: the index is what index returns
	lo           int64
	most         uint64 // hi - lo
	stride, base int
	checked, set bool
}

func (p *Program) badIndex(t *term, a *address, i int64) {
	p.raise(t.pos, "index %d of %s is outside %d..%d", i, a.text, t.lo, t.hi)
}

func (p *Program) freeSlot(pos Pos, a *address, slot int64) {
	p.raise(pos, "slot %d of %s holds no element", slot, a.text)
}

// undefined raises the error of reading the undefined frame entry at. note is
// appended to the message.
func (p *Program) undefined(pos Pos, a *address, at int, note string) {
	name := a.text
	if at < p.n {
		name = p.leaves[at].Name
	}
	p.raise(pos, "%s is undefined%s", name, note)
}

// load reads a designator of simple type as it is, undefined or not.
func (c *compiler) load(e Expr) evalFn {
	a := c.address(e)
	if base := a.base; len(a.terms) == 0 {
		return func(f []int64) int64 { return f[base] }
	}
	if base, slot, stride, ok := a.row(); ok {
		return func(f []int64) int64 { return f[base+int(f[slot])*stride] }
	}
	at := c.locate(a)
	return func(f []int64) int64 { return f[at(f)] }
}

// read reads a designator of simple type; undefined is an error, with a note.
func (c *compiler) read(e Expr, note string) evalFn {
	a, p, pos := c.address(e), c.p, e.Position()
	if len(a.terms) == 0 {
		base := a.base
		if r, ok := e.(*Ref); ok && r.Var.Kind == BoundVar {
			return func(f []int64) int64 { return f[base] }
		}
		return func(f []int64) int64 {
			v := f[base]
			if v == Undef {
				p.undefined(pos, &a, base, note)
			}
			return v
		}
	}
	if base, slot, stride, ok := a.row(); ok {
		return func(f []int64) int64 {
			i := base + int(f[slot])*stride
			v := f[i]
			if v == Undef {
				p.undefined(pos, &a, i, note)
			}
			return v
		}
	}
	at := c.locate(a)
	return func(f []int64) int64 {
		i := at(f)
		v := f[i]
		if v == Undef {
			p.undefined(pos, &a, i, note)
		}
		return v
	}
}
