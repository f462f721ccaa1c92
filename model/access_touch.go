package model

import (
	"cmp"
	"maps"
	"slices"
)

// What the expressions and statements of one rule instance touch: the walk behind access.go.

// toucher collects what an instance touches.
type toucher struct {
	Effects
	p       *Program
	params  []*Param
	values  []int64
	known   map[*Var]int64 // values of locals
	assumes bool           // something behind the guard may disable it
	reads   []bool
	writes  map[Write]bool

	sureReads, sureWrites []bool
	varying               []Varying
	copies                map[[2]int32]bool // a leaf may become what another one is, perhaps Undef

	on    int32 // the first leaf that indices depend on; -1: none so far
	fixed int32 // a leaf that is assumed to have the value is; -1: none
	is    int64
}

func newToucher(p *Program, params []*Param) *toucher {
	t := &toucher{p: p, params: params, values: make([]int64, len(params)), known: make(map[*Var]int64),
		reads: make([]bool, p.n), writes: make(map[Write]bool),
		sureReads: make([]bool, p.n), sureWrites: make([]bool, p.n), copies: make(map[[2]int32]bool), fixed: -1}
	t.Effects = Effects{Read: func(e Expr) { t.touch(e, false, 0) }, Write: t.write, Bind: t.bind, Stmt: func(s Stmt) {
		_, is := s.(*Assume)
		t.assumes = t.assumes || is
	}}
	return t
}

// Reads returns the leaves that the expression of a declared property may read, by
// leaf, or nil if that may be any. Search evaluates a property again only where something it reads
// has changed.
func (p *Program) Reads(prop int) []bool { return p.readBy(p.Model.Props[prop].Expr, nil) }

// ReadsOf is Reads for an instance.
func (p *Program) ReadsOf(prop int, values []int64) []bool {
	q, known := p.Model.Props[prop], make(map[*Var]int64)
	for i, v := range values {
		known[q.Params[i].Var] = v
	}
	return p.readBy(q.Expr, known)
}

// readBy is Reads for an expression and variables with known values.
func (p *Program) readBy(e Expr, known map[*Var]int64) []bool {
	t := newToucher(p, nil)
	maps.Copy(t.known, known)
	if t.Effects.Reads(e); t.Any {
		return nil
	}
	return t.reads
}

// list returns the numbers that are marked.
func list(marked []bool) (numbers []int32) {
	for i, is := range marked {
		if is {
			numbers = append(numbers, int32(i))
		}
	}
	return numbers
}

func (t *toucher) merge(u *toucher) {
	t.Any = t.Any || u.Any
	for i, is := range u.reads {
		t.reads[i] = t.reads[i] || is
	}
	for i, is := range u.sureReads {
		t.sureReads[i] = t.sureReads[i] || is
	}
	for _, v := range u.varying {
		t.vary(v)
	}
}

// settle makes sure accesses of those that vary with what the instance itself may write, and of all if it may touch
// everything.
func (t *toucher) settle() {
	t.varying = slices.DeleteFunc(t.varying, func(v Varying) bool {
		if !t.writesAny([]int32{v.On}) {
			return false
		}
		sure := t.sureReads
		if v.Write {
			sure = t.sureWrites
		}
		for _, at := range v.at {
			for _, leaf := range at {
				sure[leaf] = true
			}
		}
		return true
	})
	if t.Any {
		for i := range t.sureReads {
			t.sureReads[i], t.sureWrites[i] = true, true
		}
	}
}

func (t *toucher) writesAny(leaves []int32) bool {
	for w := range t.writes {
		if slices.Contains(leaves, w.Leaf) {
			return true
		}
	}
	return t.Any
}

// touched returns the leaves, in order.
func (t *toucher) touched() (reads []int32, writes []Write) {
	for leaf, is := range t.reads {
		if is || t.Any {
			reads = append(reads, int32(leaf))
		}
		if t.Any {
			writes = append(writes, Write{int32(leaf), AnyOrNone})
		}
	}
	if t.Any {
		return reads, writes
	}
	return reads, slices.SortedFunc(maps.Keys(t.writes), func(a, b Write) int {
		return cmp.Or(cmp.Compare(a.Leaf, b.Leaf), cmp.Compare(a.Value, b.Value))
	})
}

// value returns the value of an expression that the parameters decide.
func (t *toucher) value(e Expr) (int64, bool) {
	switch e := e.(type) {
	case *Ref:
		if v, ok := t.known[e.Var]; ok {
			return v, true
		}
		if e.Var.Kind == StateVar || e.Var.Kind == RefVar {
			return t.leaf(e)
		}
	case *FieldSel, *IndexSel:
		return t.leaf(e)
	case *Binary:
		if e.Op >= Add {
			x, ok := t.value(e.X)
			y, ok2 := t.value(e.Y)
			if !ok || !ok2 {
				return 0, false
			}
			return Arith(e.Op, x, y)
		}
	case *Convert:
		if v, ok := t.value(e.X); ok {
			return e.X.Type().Convert(e.To, v)
		}
		return 0, false
	}
	return paramValue(e, t.params, t.values)
}

// place returns what a designator, or a Present, may stand for; ok is false if that is no part of the state.
func (t *toucher) place(e Expr) (Place, bool) { return PlaceOf(e, t.Names, t.value) }

// leaf returns the value of a leaf, if it is assumed to have one.
func (t *toucher) leaf(e Expr) (int64, bool) {
	p, _ := t.place(e)
	at, one := p.Only()
	switch {
	case !one:
	case int32(at) == t.fixed:
		return t.is, true
	case t.on < 0:
		t.on = int32(at)
	}
	return 0, false
}

// touch notes an access to all leaves of a designator; if it writes, they get a value.
func (t *toucher) touch(e Expr, write bool, value int64) {
	t.on = -1
	p, ok := t.place(e)
	if !ok {
		return
	}
	sure := t.sureReads
	if write {
		sure = t.sureWrites
	}
	vary := t.on >= 0 && t.fixed < 0 && t.p.leaves[t.on].Type.Card() <= mostCases
	p.Leaves(func(leaf int) {
		if write {
			t.writes[Write{int32(leaf), value}] = true
		} else {
			t.reads[leaf] = true
		}
		sure[leaf] = sure[leaf] || !vary
	})
	if vary {
		v := Varying{On: t.on, Write: write, below: t.p.leaves[t.on].Type.Lo - 1, at: [][]int32{nil}}
		t.assume(t.on, func() {
			var at []int32
			q, _ := t.place(e)
			q.Leaves(func(leaf int) { at = append(at, int32(leaf)) })
			v.at = append(v.at, at)
		})
		t.vary(v)
	}
}

// vary adds a varying access, to the one by the same leaf if there is one.
func (t *toucher) vary(v Varying) {
	for i := range t.varying {
		if w := &t.varying[i]; w.On == v.On && w.Write == v.Write {
			for k, at := range v.at {
				w.at[k] = append(w.at[k], at...)
				slices.Sort(w.at[k])
				w.at[k] = slices.Compact(w.at[k])
			}
			return
		}
	}
	t.varying = append(t.varying, v)
}

// assume calls f for each value of a leaf, which it is assumed to have.
func (t *toucher) assume(leaf int32, f func()) {
	t.fixed = leaf
	for v := t.p.leaves[leaf].Type.Lo; v <= t.p.leaves[leaf].Type.Hi; v++ {
		t.is = v
		f()
	}
	t.fixed = -1
}

// mostCases bounds the values of a leaf that decides an index.
const mostCases = 256

// cases tells a conjunct q of the guard of an instance apart by the leaf that decides indices in it.
func (b *matrixBuilder) cases(c *Condition, q *conjunct, of *toucher) {
	p := b.p
	t := newToucher(p, of.params)
	copy(t.values, of.values)
	t.Effects.Reads(q.expr)
	on := t.varying[0].On
	for _, v := range t.varying {
		if v.On != on {
			return
		}
	}
	var cases []Condition
	undefine(b.f, 0, p.n)
	clear(b.f[p.n:])
	copy(b.f[p.n:], of.values)
	t.assume(on, func() {
		part := newToucher(p, of.params)
		copy(part.values, of.values)
		part.fixed, part.is = on, t.is
		part.Effects.Reads(q.expr)
		k := Condition{Leaf: -1, On: -1}
		for leaf, is := range part.reads {
			switch {
			case !is || int32(leaf) == on:
			case k.Leaf < 0:
				k.Leaf = int32(leaf)
			default:
				part.Any = true
			}
		}
		if part.Any || k.Leaf < 0 || p.leaves[k.Leaf].Type.Card() > mostCodes {
			k.Leaf = -1
			cases = append(cases, k)
			return
		}
		b.f[on] = t.is
		k.below, k.says = p.leaves[k.Leaf].Type.Lo-1, p.saysAll(q, b.f, int(k.Leaf))
		cases = append(cases, k)
	})
	c.On, c.below, c.cases = on, p.leaves[on].Type.Lo-1, append([]Condition{{Leaf: -1}}, cases...)
}

// bind notes the value of a local, if it is known.
func (t *toucher) bind(v *Var, x Expr) {
	delete(t.known, v)
	if x != nil {
		if k, ok := t.value(x); ok {
			t.known[v] = k
		}
	}
}

// write notes that the leaves of a designator get other values.
func (t *toucher) write(to Expr, by Stmt) {
	v := int64(AnyValue)
	switch s := by.(type) {
	case *Assign:
		k, ok := t.value(s.RHS)
		switch {
		case !to.Type().Simple(), !ok && s.CopiesUndefined(t.p.Model.Dialect):
			v = AnyOrNone
			t.copy(to, s.RHS)
		case ok:
			v = k
		}
	case *Reset:
		if !s.Least {
			v = Undef
		}
	case *Insert, *Remove:
		t.Any = true
	}
	t.touch(to, true, v)
}

// effect notes what the body of a rule touches. An assignment to one leaf that is always reached hides
// what was written there before, unless something copied it.
func (t *toucher) effect(body []Stmt) {
	returns := Has(body, func(n any) bool { _, is := n.(*Return); return is })
	for i, s := range body {
		at, one := 0, false
		if a, is := s.(*Assign); is && !returns && !t.Any && a.LHS.Type().Simple() {
			p, _ := t.place(a.LHS)
			at, one = p.Only()
		}
		if !one {
			t.Stmts(body[i : i+1])
			continue
		}
		leaf := int32(at)
		writes, copies := maps.Clone(t.writes), maps.Clone(t.copies)
		maps.DeleteFunc(t.writes, func(w Write, _ bool) bool { return w.Leaf == leaf })
		maps.DeleteFunc(t.copies, func(c [2]int32, _ bool) bool { return c[0] == leaf })
		t.Stmts(body[i : i+1])
		for c := range t.copies {
			if c[1] == leaf {
				maps.Copy(t.writes, writes)
				maps.Copy(t.copies, copies)
				break
			}
		}
	}
}
