package model

import (
	"maps"
	"slices"
)

// What the expressions and statements of one rule instance touch: the walk behind access.go.

// toucher collects what an instance touches.
type toucher struct {
	p       *Program
	params  []*Param
	values  []int64
	known   map[*Var]int64 // values of locals
	names   map[*Var]Expr  // what aliases and var parameters stand for
	open    []*Proc
	any     bool // it may touch everything
	assumes bool // something behind the guard may disable it
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
	return &toucher{p: p, params: params, values: make([]int64, len(params)), known: make(map[*Var]int64),
		names: make(map[*Var]Expr), reads: make([]bool, p.n), writes: make(map[Write]bool),
		sureReads: make([]bool, p.n), sureWrites: make([]bool, p.n), copies: make(map[[2]int32]bool), fixed: -1}
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
	t.any = t.any || u.any
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
	if t.any {
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
	return t.any
}

// touched returns the leaves, in order.
func (t *toucher) touched() (reads []int32, writes []Write) {
	for leaf, is := range t.reads {
		if is || t.any {
			reads = append(reads, int32(leaf))
		}
		if t.any {
			writes = append(writes, Write{int32(leaf), AnyOrNone})
		}
	}
	if t.any {
		return reads, writes
	}
	for w := range t.writes {
		writes = append(writes, w)
	}
	slices.SortFunc(writes, func(a, b Write) int {
		if a.Leaf != b.Leaf {
			return int(a.Leaf) - int(b.Leaf)
		}
		switch {
		case a.Value < b.Value:
			return -1
		case a.Value > b.Value:
			return 1
		}
		return 0
	})
	return reads, writes
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

// leaf returns the value of a leaf, if it is assumed to have one.
func (t *toucher) leaf(e Expr) (int64, bool) {
	at, n := 0, 0
	t.place(e, func(leaf int) { at, n = leaf, n+1 })
	switch {
	case n != 1:
	case int32(at) == t.fixed:
		return t.is, true
	case t.on < 0:
		t.on = int32(at)
	}
	return 0, false
}

// touch notes an access to all leaves of a designator; if it writes, they get a value.
func (t *toucher) touch(e Expr, write bool, value int64) {
	n := e.Type().Leaves
	t.on = -1
	sure := t.sureReads
	if write {
		sure = t.sureWrites
	}
	var leaves []int
	t.place(e, func(leaf int) { leaves = append(leaves, leaf) })
	vary := t.on >= 0 && t.fixed < 0 && t.p.leaves[t.on].Type.Card() <= mostCases
	for _, leaf := range leaves {
		for i := range n {
			if write {
				t.writes[Write{int32(leaf + i), value}] = true
			} else {
				t.reads[leaf+i] = true
			}
			sure[leaf+i] = sure[leaf+i] || !vary
		}
	}
	if vary {
		v := Varying{On: t.on, Write: write, below: t.p.leaves[t.on].Type.Lo - 1, at: [][]int32{nil}}
		t.assume(t.on, func() {
			var at []int32
			t.place(e, func(leaf int) {
				for i := range n {
					at = append(at, int32(leaf+i))
				}
			})
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
	t.read(q.expr)
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
		part.read(q.expr)
		k := Condition{Leaf: -1, On: -1}
		for leaf, is := range part.reads {
			switch {
			case !is || int32(leaf) == on:
			case k.Leaf < 0:
				k.Leaf = int32(leaf)
			default:
				part.any = true
			}
		}
		if part.any || k.Leaf < 0 || p.leaves[k.Leaf].Type.Card() > mostCodes {
			k.Leaf = -1
			cases = append(cases, k)
			return
		}
		b.f[on] = t.is
		k.below = p.leaves[k.Leaf].Type.Lo - 1
		k.says = append(k.says, p.saysAt(q, b.f, int(k.Leaf), Undef))
		for v := k.below + 1; v <= p.leaves[k.Leaf].Type.Hi; v++ {
			k.says = append(k.says, p.saysAt(q, b.f, int(k.Leaf), v))
		}
		b.f[k.Leaf] = Undef
		cases = append(cases, k)
	})
	c.On, c.below, c.cases = on, p.leaves[on].Type.Lo-1, append([]Condition{{Leaf: -1}}, cases...)
}

// saysAt evaluates a conjunct if a leaf has a value.
func (p *Program) saysAt(c *conjunct, f []int64, leaf int, v int64) uint8 {
	f[leaf] = v
	return p.says(c, f)
}

// place calls f with the first leaf of all that a designator may stand for. It says whether
// that is part of the state.
func (t *toucher) place(e Expr, f func(leaf int)) {
	switch e := e.(type) {
	case *Ref:
		if x := t.names[e.Var]; x != nil {
			t.place(x, f)
		} else if e.Var.Kind == StateVar {
			f(e.Var.Offset)
		} else if e.Var.Kind == RefVar {
			t.any = true
		}
	case *FieldSel:
		offset := e.X.Type().Fields[e.Field].Offset
		t.place(e.X, func(leaf int) { f(leaf + offset) })
	case *IndexSel:
		a := e.X.Type()
		n := a.Elem.Leaves
		if v, ok := t.value(e.Index); ok {
			if a.Index.Lo <= v && v <= a.Index.Hi { // else it is an error
				t.place(e.X, func(leaf int) { f(leaf + int(v-a.Index.Lo)*n) })
			}
			return
		}
		t.place(e.X, func(leaf int) {
			for k := range int(a.Index.Card()) {
				f(leaf + k*n)
			}
		})
	case *Let: // around a designator
		t.name(e.Var, e.X)
		t.place(e.Body, f)
	case *CallExpr: // its result
	default:
		t.any = true
	}
}

// read notes what the evaluation of an expression touches.
func (t *toucher) read(e Expr) {
	switch e := e.(type) {
	case nil, *ConstExpr:
	case *Ref, *FieldSel, *IndexSel:
		t.indices(e)
		t.touch(e, false, 0)
	case *Unary:
		t.read(e.X)
	case *Binary:
		t.read(e.X)
		t.read(e.Y)
	case *Cond:
		t.read(e.If)
		t.read(e.Then)
		t.read(e.Else)
	case *Quant:
		t.domain(e.Domain)
		t.read(e.Body)
	case *Count:
		t.domain(e.Domain)
		t.read(e.Body)
	case *IsUndefined:
		t.read(e.X)
	case *Convert:
		t.read(e.X)
	case *IsMember:
		t.read(e.X)
	case *Let:
		t.name(e.Var, e.X)
		t.read(e.Body)
	case *CallExpr:
		t.call(e.Proc, e.Args)
	default:
		t.any = true
	}
}

// indices reads the indices in a designator, also those in what it is another name for.
func (t *toucher) indices(e Expr) {
	switch e := e.(type) {
	case *Ref:
		if x := t.names[e.Var]; x != nil {
			t.indices(x)
		}
	case *FieldSel:
		t.indices(e.X)
	case *IndexSel:
		t.indices(e.X)
		t.read(e.Index)
	case *Let:
		t.name(e.Var, e.X)
		t.indices(e.Body)
	case *CallExpr:
		t.call(e.Proc, e.Args)
	}
}

func (t *toucher) domain(d Domain) {
	t.read(d.From)
	t.read(d.To)
	t.read(d.By)
}

// name gives x another name.
func (t *toucher) name(v *Var, x Expr) {
	if v.Kind == RefVar {
		t.indices(x)
		t.names[v] = x
		return
	}
	t.read(x)
	if k, ok := t.value(x); ok {
		t.known[v] = k
	} else {
		delete(t.known, v)
	}
}

// call notes what a call touches.
func (t *toucher) call(p *Proc, args []Expr) {
	if slices.Contains(t.open, p) {
		t.any = true
		return
	}
	for i, f := range p.Params {
		if f.ByRef {
			t.indices(args[i])
			t.names[f.Var] = args[i]
			continue
		}
		t.read(args[i])
		delete(t.known, f.Var)
		if k, ok := t.value(args[i]); ok && !assigned(p.Body, f.Var) {
			t.known[f.Var] = k
		}
	}
	t.open = append(t.open, p)
	t.body(p.Body)
	t.open = t.open[:len(t.open)-1]
}

// assigned reports whether statements may change a local variable.
func assigned(body []Stmt, v *Var) (is bool) {
	changes := func(e Expr) {
		if designator(e) && root(e) == v {
			is = true
		}
	}
	Inspect(body, func(n any) {
		switch n := n.(type) {
		case *Assign:
			changes(n.LHS)
		case *Undefine:
			changes(n.X)
		case *Clear:
			changes(n.X)
		case *Call:
			for _, a := range n.Args {
				changes(a)
			}
		case *CallExpr:
			for _, a := range n.Args {
				changes(a)
			}
		case *Alias:
			changes(n.X)
		case *Let:
			changes(n.X)
		}
	})
	return is
}

// write notes that the leaves of a designator get a value.
func (t *toucher) write(e Expr, value int64) {
	t.indices(e)
	t.touch(e, true, value)
}

// effect notes what the body of a rule touches. An assignment to one leaf that is always reached hides
// what was written there before, unless something copied it.
func (t *toucher) effect(body []Stmt) {
	straight := true
	Inspect(body, func(n any) {
		if _, is := n.(*Return); is {
			straight = false
		}
	})
	for i, s := range body {
		leaf, one := int32(-1), false
		if a, is := s.(*Assign); is && straight && a.LHS.Type().Simple() {
			leaf, one = t.only(a.LHS)
		}
		if !one {
			t.body(body[i : i+1])
			continue
		}
		writes, copies := maps.Clone(t.writes), maps.Clone(t.copies)
		maps.DeleteFunc(t.writes, func(w Write, _ bool) bool { return w.Leaf == leaf })
		maps.DeleteFunc(t.copies, func(c [2]int32, _ bool) bool { return c[0] == leaf })
		t.body(body[i : i+1])
		for c := range t.copies {
			if c[1] == leaf {
				maps.Copy(t.writes, writes)
				maps.Copy(t.copies, copies)
				break
			}
		}
	}
}

// only returns the leaf that a designator stands for, if it is one in all states.
func (t *toucher) only(e Expr) (leaf int32, one bool) {
	n := 0
	t.place(e, func(at int) { leaf, n = int32(at), n+1 })
	return leaf, n == 1 && !t.any
}

func (t *toucher) body(stmts []Stmt) {
	for _, s := range stmts {
		switch s := s.(type) {
		case *Assign:
			t.read(s.RHS)
			v, ok := t.value(s.RHS)
			switch {
			case !s.LHS.Type().Simple(), !ok && s.CopiesUndefined(t.p.Model.Dialect):
				v = AnyOrNone
			case !ok:
				v = AnyValue
			}
			if v == AnyOrNone {
				t.copy(s.LHS, s.RHS)
			}
			t.write(s.LHS, v)
		case *If:
			for _, c := range s.Clauses {
				t.read(c.Cond)
				t.body(c.Body)
			}
			t.body(s.Else)
		case *Switch:
			t.read(s.X)
			for _, c := range s.Cases {
				for _, v := range c.Values {
					t.read(v)
				}
				t.body(c.Body)
			}
			t.body(s.Else)
		case *For:
			t.domain(s.Domain)
			t.body(s.Body)
		case *While:
			t.read(s.Cond)
			t.body(s.Body)
		case *Undefine:
			t.write(s.X, Undef)
		case *Clear:
			t.write(s.X, AnyValue)
		case *Alias:
			t.name(s.Var, s.X)
			t.body(s.Body)
		case *Call:
			t.call(s.Proc, s.Args)
		case *Return:
			t.read(s.X)
		case *Assume:
			t.read(s.Cond)
			t.assumes = true
		case *CoverStmt:
			t.read(s.Cond)
		case *Assert:
			t.read(s.Cond)
		case *Put:
			t.read(s.X)
		default: // of multisets
			t.any = true
		}
	}
}
