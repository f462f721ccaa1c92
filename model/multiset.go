package model

import "slices"

// Multisets in a frame. See Type for their leaves. In a state the slots are
// sorted, so that equality of states is equality up to the order of slots.

// setRegion is a multiset in a state.
type setRegion struct {
	base, slots, stride int
	inner               int // how many of those before it are inside its elements
}

func (r *setRegion) end() int { return r.base + r.slots*r.stride }

// findSets appends the multisets in the part of a state that has type t and
// starts at leaf at, those inside the elements of a multiset before it.
func (p *Program) findSets(t *Type, at int) {
	switch t.Kind {
	case Record:
		for _, f := range t.Fields {
			p.findSets(f.Type, at+f.Offset)
		}
	case Array:
		for i := range int(t.Index.Card()) {
			p.findSets(t.Elem, at+i*t.Elem.Leaves)
		}
	case Multiset:
		r := setRegion{at, int(t.Index.Card()), 1 + t.Elem.Leaves, len(p.sets)}
		for i := range r.slots {
			p.findSets(t.Elem, at+i*r.stride+1)
		}
		r.inner = len(p.sets) - r.inner
		p.sets = append(p.sets, r)
		for i := r.base; i < r.end(); i++ {
			p.setOf[i] = len(p.sets)
		}
	}
}

// Normalise sorts the slots of every multiset in s: elements first, in
// increasing lexicographic order of their leaves, where Undef is least, then the
// free slots, in which it undefines what was written through an alias to an
// element that is gone. All states that a Machine delivers are so.
func (p *Program) Normalise(s State) {
	for _, r := range p.sets {
		r.sort(s)
	}
}

// Sorted reports whether s is as Normalise leaves it.
func (p *Program) Sorted(s State) bool {
	for _, r := range p.sets {
		for i := range r.slots {
			b := r.slot(s, i)
			if b[0] == Undef {
				for _, v := range b {
					if v != Undef {
						return false
					}
				}
			}
			if i > 0 {
				if a := r.slot(s, i-1); b[0] != Undef && (a[0] == Undef || slices.Compare(a, b) > 0) {
					return false
				}
			}
		}
	}
	return true
}

func (r setRegion) slot(s []int64, i int) []int64 {
	return s[r.base+i*r.stride : r.base+(i+1)*r.stride]
}

// sort sorts the slots, and undefines the free ones first.
func (r setRegion) sort(s []int64) {
	r.free(s, r.base, r.end())
	r.order(s)
}

// free undefines the free slots that have leaves from lo to hi.
func (r setRegion) free(s []int64, lo, hi int) {
	lo -= (lo - r.base) % r.stride
	for ; lo < hi; lo += r.stride {
		if s[lo] == Undef {
			undefine(s, lo+1, r.stride-1)
		}
	}
}

// order is an insertion sort, as there are few slots and they are nearly sorted.
func (r setRegion) order(s []int64) {
	n := r.stride
	end := r.base + r.slots*n
	for at := r.base + n; at < end; at += n {
		if s[at] == Undef {
			continue
		}
		for at := at; at > r.base && r.before(s[at:at+n], s[at-n:at]); at -= n {
			a, b := s[at-n:at], s[at:at+n]
			for k := range a {
				a[k], b[k] = b[k], a[k]
			}
		}
	}
}

// before reports whether the slot a, which is not free, belongs before b.
func (r setRegion) before(a, b []int64) bool {
	if b[0] == Undef {
		return true
	}
	for k, v := range a {
		if w := b[k]; v != w {
			return v < w
		}
	}
	return false
}

func (c *compiler) insert(s *Insert) execFn {
	t := s.Set.Type()
	slots, stride := int(t.Index.Card()), 1+t.Elem.Leaves
	p, pos := c.p, s.Pos
	free := func(f []int64, base int) int {
		for i := range slots {
			if at := base + i*stride; f[at] == Undef {
				return at
			}
		}
		p.raise(pos, "more than %d elements in a multiset", slots)
		return 0
	}
	if t.Elem.Simple() {
		e := t.Elem
		set, value, log := c.place(s.Set), c.value(s.X, s.CopiesUndefined), p.log
		checked := e.Kind == Range && !c.within(s.X, e.Lo, e.Hi)
		return func(f []int64) bool {
			base, v := set(f), value(f)
			if checked && (v < e.Lo || v > e.Hi) && v != Undef {
				p.raise(pos, "element %d of a multiset is outside %d..%d", v, e.Lo, e.Hi)
			}
			at := free(f, base)
			f[at], f[at+1] = 1, v
			wrote(f, log, at, 2)
			return false
		}
	}
	set, value, log := c.place(s.Set), c.whole(s.X), p.log
	return func(f []int64) bool {
		base, from := set(f), value(f)
		at := free(f, base)
		f[at] = 1
		copy(f[at+1:at+stride], f[from:])
		wrote(f, log, at, stride)
		return false
	}
}

func (c *compiler) remove(s *Remove) execFn {
	a := c.slotAddress(s.X)
	at, p, pos, log := c.locate(a), c.p, s.Pos, c.p.log
	n := 1 + s.X.X.Type().Elem.Leaves
	index := c.eval(s.X.Index)
	return func(f []int64) bool {
		i := at(f)
		if f[i] == Undef {
			p.freeSlot(pos, &a, index(f))
		}
		undefine(f, i, n)
		wrote(f, log, i, n)
		return false
	}
}

// slotInfo says where to find the multiset that a slot parameter of a rule is
// about, by its number among the parameters.
type slotInfo struct {
	param  int
	set    func(f []int64) int
	slots  int
	stride int
}

// slotParams finds the multisets of slot parameters: the guard asks whether the
// slot holds an element.
func (c *compiler) slotParams(r *Rule) (infos []slotInfo) {
	for i, q := range r.Params {
		if !q.Var.Type.Slots {
			continue
		}
		found := false
		Inspect(r.Guard, func(n any) {
			x, ok := n.(*Present)
			if !ok || found || Calls(x.X.X) {
				return
			}
			if v, ok := x.X.Index.(*Ref); ok && v.Var == q.Var && c.inScope(x.X.X) {
				found = true
				t := x.X.X.Type()
				infos = append(infos, slotInfo{i, c.place(x.X.X), int(t.Index.Card()), 1 + t.Elem.Leaves})
			}
		})
	}
	return infos
}

// inScope reports whether all variables in e have an address.
func (c *compiler) inScope(e Expr) bool {
	return !Has(e, func(n any) bool {
		r, is := n.(*Ref)
		if !is || r.Var.Kind == StateVar {
			return false
		}
		_, in := c.slots[r.Var]
		return !in
	})
}
