package model

import "slices"

// Which conjuncts of guards surely are no error: their leaves are always defined, and their
// indices in range.

// copies are the ways by which leaves may become undefined.
type copies struct {
	p     *Program
	loose []bool    // by leaf: something undefined may be assigned to it
	from  [][]int32 // by leaf: what may be copied to it
}

// nowhere is the source of a copy that is no leaf.
const nowhere = -1

func newCopies(p *Program) *copies { return &copies{p, make([]bool, p.n), make([][]int32, p.n)} }

// note adds what an instance does.
func (c *copies) note(t *toucher) {
	for w := range t.writes {
		c.loose[w.Leaf] = c.loose[w.Leaf] || w.Value == Undef
	}
	for q := range t.copies {
		if q[1] == nowhere {
			c.loose[q[0]] = true
		} else {
			c.from[q[0]] = append(c.from[q[0]], q[1])
		}
	}
	if t.Any {
		for i := range c.loose {
			c.loose[i] = true
		}
	}
}

// mostStarts bounds the start states that are run to see what they define.
const mostStarts = 1 << 12

// defined returns the leaves that are defined in all reachable states.
func (c *copies) defined() []bool {
	is := slices.Repeat([]bool{true}, c.p.n)
	for i := range is {
		is[i] = !c.loose[i]
	}
	n := 0
	c.p.NewMachine().Starts(func(_ Choice, s State, v *Violation) bool {
		for i := range is {
			is[i] = is[i] && v == nil && s[i] != Undef
		}
		n++
		return n <= mostStarts
	})
	for changed := n > 0; changed; {
		changed = false
		for i := range is {
			if is[i] && slices.ContainsFunc(c.from[i], func(leaf int32) bool { return !is[leaf] }) {
				is[i], changed = false, true
			}
		}
	}
	if n > mostStarts {
		clear(is)
	}
	return is
}

// copy notes that a designator may become what x is, undefined leaves included.
func (t *toucher) copy(to, x Expr) {
	var from []int
	if x = source(x); designator(x) && !t.Any {
		p, _ := t.place(x)
		p.First(func(leaf int) { from = append(from, leaf) })
	}
	p, _ := t.place(to)
	p.First(func(leaf int) {
		for i := range p.N {
			at := int32(leaf + i)
			if from == nil {
				t.copies[[2]int32{at, nowhere}] = true
			}
			for _, f := range from {
				t.copies[[2]int32{at, int32(f + i)}] = true
			}
		}
	})
}

// sureness finds conjuncts that are no error in a reachable state.
type sureness struct {
	p       *Program
	params  []*Param
	values  []int64
	defined []bool            // by leaf
	bound   map[*Var][2]int64 // of variables of quantifiers
}

func (s *sureness) condition(c *Condition) {
	errs := func(q *Condition) bool {
		if q.Leaf >= 0 && s.defined[q.Leaf] {
			return slices.Contains(q.says[1:], saysError)
		}
		return slices.Contains(q.says, saysError)
	}
	c.Sure = !errs(c) && len(c.says) > 0 || s.p.certain(s.params).holds(c.expr) || s.sure(c.expr)
	for i := range c.cases {
		q := &c.cases[i]
		q.Sure = c.Sure || q.Leaf >= 0 && !errs(q)
	}
}

// sure reports whether the evaluation of an expression is no error.
func (s *sureness) sure(e Expr) bool {
	switch e := e.(type) {
	case *ConstExpr:
		return true
	case *Ref, *FieldSel, *IndexSel:
		_, _, ok := s.bounds(e)
		return ok
	case *Unary:
		return s.sure(e.X)
	case *Binary:
		if e.Op >= Add {
			_, _, ok := s.bounds(e)
			return ok
		}
		return s.sure(e.X) && s.sure(e.Y)
	case *Quant:
		d, ok := e.Domain.constSpan()
		if !ok || d.n == 0 {
			return ok
		}
		lo, hi := d.bounds()
		s.bound[e.Var] = [2]int64{lo, hi}
		return s.sure(e.Body)
	}
	return false
}

// bounds returns the least and greatest value that an expression may have; ok is false if it may be an error
// or is not known.
func (s *sureness) bounds(e Expr) (lo, hi int64, ok bool) {
	switch e := e.(type) {
	case *ConstExpr:
		return e.Value, e.Value, true
	case *Ref:
		for i, q := range s.params {
			if q.Var == e.Var {
				return s.values[i], s.values[i], true
			}
		}
		if b, is := s.bound[e.Var]; is {
			return b[0], b[1], true
		}
		if !s.place(e) {
			return 0, 0, false
		}
		return e.Type().Lo, e.Type().Hi, e.Type().Simple()
	case *FieldSel, *IndexSel:
		if !s.place(e) {
			return 0, 0, false
		}
		return e.Type().Lo, e.Type().Hi, e.Type().Simple()
	case *Binary:
		a, b, ok := s.bounds(e.X)
		c, d, ok2 := s.bounds(e.Y)
		if !ok || !ok2 || max(-a, b, -c, d) > 1<<30 {
			return 0, 0, false
		}
		switch e.Op {
		case Add:
			return a + c, b + d, true
		case Sub:
			return a - d, b - c, true
		case Mod:
			if c > 0 && a >= 0 {
				return 0, min(b, d-1), true
			}
		}
	}
	return 0, 0, false
}

// place reports whether all leaves that a designator may denote are defined, and its indices in range.
func (s *sureness) place(e Expr) bool {
	places, ok := s.places(e)
	for _, at := range places {
		for i := range e.Type().Leaves {
			ok = ok && s.defined[at+i]
		}
	}
	return ok
}

// places returns the first leaves of all that a designator may denote.
func (s *sureness) places(e Expr) (at []int, ok bool) {
	switch e := e.(type) {
	case *Ref:
		return []int{e.Var.Offset}, e.Var.Kind == StateVar
	case *FieldSel:
		at, ok := s.places(e.X)
		for i := range at {
			at[i] += e.X.Type().Fields[e.Field].Offset
		}
		return at, ok
	case *IndexSel:
		from, ok := s.places(e.X)
		t := e.X.Type()
		lo, hi, known := s.bounds(e.Index)
		if !ok || !known || t.Kind != Array || lo < t.Index.Lo || hi > t.Index.Hi {
			return nil, false
		}
		for _, at0 := range from {
			for k := lo; k <= hi; k++ {
				at = append(at, at0+int(k-t.Index.Lo)*t.Elem.Leaves)
			}
		}
		return at, true
	}
	return nil, false
}
