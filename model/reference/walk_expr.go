package reference

import (
	"errors"

	"orbitmc/model"
)

// This file is the reference interpreter (walk.go) on expressions, designators and calls.

// slot returns where a slot begins, with its presence leaf.
func (w *Walker) slot(x *model.IndexSel) (int, error) {
	at, err := w.place(x.X)
	if err != nil {
		return 0, err
	}
	i, err := w.eval(x.Index)
	if err != nil {
		return 0, err
	}
	t := x.X.Type()
	if i < t.Index.Lo || i > t.Index.Hi {
		return 0, errRun
	}
	return at + int(i)*(1+t.Elem.Leaves), nil
}

// place returns where a designator begins.
func (w *Walker) place(x model.Expr) (int, error) {
	switch x := x.(type) {
	case *model.Ref:
		if x.Var.Kind == model.StateVar {
			return x.Var.Offset, nil
		}
		return w.at[x.Var], nil
	case *model.FieldSel:
		at, err := w.place(x.X)
		return at + x.X.Type().Fields[x.Field].Offset, err
	case *model.IndexSel:
		t := x.X.Type()
		if t.Kind == model.Multiset {
			at, err := w.slot(x)
			if err != nil {
				return 0, err
			}
			if w.read(at, 1); w.mem[at] == model.Undef {
				return 0, errRun
			}
			return at + 1, nil
		}
		at, err := w.place(x.X)
		if err != nil {
			return 0, err
		}
		i, err := w.eval(x.Index)
		if err != nil {
			return 0, err
		}
		if i < t.Index.Lo || i > t.Index.Hi {
			return 0, errRun
		}
		return at + int(i-t.Index.Lo)*t.Elem.Leaves, nil
	}
	return 0, errors.New("not a designator")
}

// whole returns where the value of x, of any type, begins. Where it is in the state it
// is not noted as read yet.
func (w *Walker) whole(x model.Expr) (int, error) {
	switch y := x.(type) {
	case *model.Ref, *model.FieldSel, *model.IndexSel:
		return w.place(x)
	case *model.CallExpr:
		return w.call(y.Proc, y.Args)
	case *model.Let:
		if err := w.name(y.Var, y.X); err != nil {
			return 0, err
		}
		return w.whole(y.Body)
	}
	v, err := w.maybe(x)
	at := w.alloc(1)
	w.mem[at] = v
	return at, err
}

// name does what Let and Alias have in common.
func (w *Walker) name(v *model.Var, x model.Expr) error {
	if v.Kind == model.RefVar {
		at, err := w.place(x)
		w.at[v] = at
		return err
	}
	at := w.alloc(v.Type.Leaves)
	w.at[v] = at
	return w.assign(&model.Assign{LHS: &model.Ref{Var: v}, RHS: x})
}

// walkPlaced reports whether x is a variable, or a part of one.
func walkPlaced(x model.Expr) bool {
	switch x.(type) {
	case *model.Ref, *model.FieldSel, *model.IndexSel:
		return true
	}
	return false
}

// walkCalled returns the procedure that a node calls, or nil.
func walkCalled(n any) *model.Proc {
	switch n := n.(type) {
	case *model.CallExpr:
		return n.Proc
	case *model.Call:
		return n.Proc
	}
	return nil
}

// recursive reports whether p may call itself.
func (w *Walker) recursive(p *model.Proc) bool {
	if r, ok := w.rec[p]; ok {
		return r
	}
	seen := map[*model.Proc]bool{}
	var visit func(q *model.Proc) bool
	visit = func(q *model.Proc) bool {
		found := false
		model.Inspect(q.Body, func(n any) {
			c := walkCalled(n)
			if c == nil || found || seen[c] && c != p {
				return
			}
			seen[c] = true
			found = c == p || visit(c)
		})
		return found
	}
	w.rec[p] = visit(p)
	return w.rec[p]
}

// call returns where the result is.
func (w *Walker) call(p *model.Proc, args []model.Expr) (int, error) {
	result := 0
	if p.Result != nil {
		result = w.alloc(p.Result.Leaves)
	}
	keep := len(w.mem)
	places := make([]int, len(args))
	for i, a := range p.Params {
		t := a.Var.Type
		at, err := w.whole(args[i])
		if err != nil {
			return 0, err
		}
		if !a.ByRef {
			w.read(at, t.Leaves)
		}
		if !a.ByRef && t.Simple() {
			v := w.mem[at]
			if v == model.Undef && !walkPasses(w.m.Dialect, t, args[i]) {
				return 0, errRun
			}
			if v != model.Undef && (v < t.Lo || v > t.Hi) {
				return 0, errRun
			}
		}
		if !a.ByRef {
			to := w.alloc(t.Leaves)
			if w.flow != nil {
				w.flow.set(to, t.Leaves)
				w.flow.pass(to, at, t.Leaves)
			}
			copy(w.mem[to:], w.mem[at:at+t.Leaves])
			at = to
		}
		places[i] = at
	}
	outer, into := w.proc, w.result
	var at map[*model.Var]int
	if w.recursive(p) {
		if w.open == model.MaxRecursion {
			return 0, errRun
		}
		w.open++
		defer func() { w.open-- }()
		at = make(map[*model.Var]int, len(w.at))
		for v, k := range w.at {
			at[v] = k
		}
	}
	for i, a := range p.Params {
		w.at[a.Var] = places[i]
	}
	w.locals(p.Locals)
	w.proc, w.result = p, result
	err := w.exec(p.Body)
	w.proc, w.result = outer, into
	if at != nil {
		w.at = at
	}
	w.mem = w.mem[:keep]
	if err == nil && p.Result != nil {
		return 0, errRun
	}
	if err == errReturn {
		err = nil
	}
	return result, err
}

// walkStrip returns what conversions convert.
func walkStrip(x model.Expr) model.Expr {
	if c, ok := x.(*model.Convert); ok {
		return walkStrip(c.X)
	}
	return x
}

// walkPasses says whether an undefined simple argument may be passed.
func walkPasses(d model.Dialect, t *model.Type, arg model.Expr) bool {
	x := walkStrip(arg)
	from := x.Type()
	if d == model.Rumur {
		return walkPlaced(x)
	}
	switch from.Kind {
	case model.Scalarset:
		return true
	case model.Union:
		return t.Kind != model.Enum
	case model.Enum:
		return t.Kind == model.Enum
	}
	return walkPlaced(arg) && (t == from || t.Numeric() && t.Lo == from.Lo && t.Hi == from.Hi)
}

// walkCopies says whether an undefined simple right-hand side is copied.
func walkCopies(d model.Dialect, rhs model.Expr) bool {
	if d == model.Rumur {
		return false
	}
	x := walkStrip(rhs)
	_, variable := x.(*model.Ref)
	switch x.Type().Kind {
	case model.Scalarset, model.Union:
		return true
	case model.Enum:
		return variable || rhs.Type().Kind == model.Enum
	}
	return variable
}

// walkTests says whether an undefined operand may be compared.
func walkTests(d model.Dialect, x model.Expr) bool {
	k := walkStrip(x).Type().Kind
	return d == model.CMurphi && (k == model.Scalarset || k == model.Union)
}

// operand evaluates what is compared.
func (w *Walker) operand(x model.Expr) (int64, error) {
	v, err := w.maybe(x)
	if err == nil && v == model.Undef && !walkTests(w.m.Dialect, x) {
		err = errRun
	}
	return v, err
}

// walkAs finds a value in another type: a part of a union keeps its numbers, from the
// least on, behind those of the parts before it.
func walkAs(from *model.Type, v int64, to *model.Type) (int64, error) {
	if to.Kind == model.Integer {
		return v, nil
	}
	for from.Kind == model.Union {
		for _, p := range from.Parts {
			if v <= p.Hi-p.Lo {
				from, v = p, v+p.Lo
				break
			}
			v -= p.Hi - p.Lo + 1
		}
	}
	parts := []*model.Type{to}
	if to.Kind == model.Union {
		parts = to.Parts
	}
	first := int64(0)
	for _, p := range parts {
		if (p == from || p.Numeric() && from.Numeric()) && p.Lo <= v && v <= p.Hi {
			if to.Kind != model.Union {
				return v, nil
			}
			return first + v - p.Lo, nil
		}
		first += p.Hi - p.Lo + 1
	}
	return 0, errRun
}

// walkFixed reports whether a bound, which may be nil, is made of constants alone.
func walkFixed(x model.Expr) bool {
	switch x := x.(type) {
	case nil, *model.ConstExpr:
		return true
	case *model.Binary:
		return x.Op >= model.Add && walkFixed(x.X) && walkFixed(x.Y)
	case *model.Convert:
		return walkFixed(x.X)
	}
	return false
}

// each calls f for the values of a domain until it returns false or an error.
func (w *Walker) each(d model.Domain, f func(v int64) (bool, error)) error {
	from, to, by := int64(0), int64(0), int64(1)
	if d.From == nil {
		from, to = d.Type.Lo, d.Type.Hi
	} else {
		var err error
		if from, err = w.eval(d.From); err != nil {
			return err
		}
		if to, err = w.eval(d.To); err != nil {
			return err
		}
		if d.By != nil {
			if by, err = w.eval(d.By); err != nil {
				return err
			}
		}
		if by == 0 {
			return errRun
		}
		if w.m.Dialect == model.Rumur && !(walkFixed(d.From) && walkFixed(d.To) && walkFixed(d.By)) {
			if d.By == nil && to < from {
				by = -1
			}
			if from < to && by < 0 || from > to && by > 0 {
				return errRun
			}
		}
	}
	for v := from; by > 0 && v <= to || by < 0 && v >= to; {
		if w.fuel--; w.fuel < 0 {
			return errFuel
		}
		if on, err := f(v); err != nil || !on {
			return err
		}
		next := v + by
		if (next > v) != (by > 0) {
			break
		}
		v = next
	}
	return nil
}

func (w *Walker) eval(x model.Expr) (int64, error) {
	v, err := w.maybe(x)
	if err == nil && v == model.Undef {
		err = errRun
	}
	return v, err
}

func walkTruth(b bool) (int64, error) {
	if b {
		return 1, nil
	}
	return 0, nil
}

// maybe evaluates a simple expression that may be undefined.
func (w *Walker) maybe(x model.Expr) (int64, error) {
	switch x := x.(type) {
	case *model.ConstExpr:
		return x.Value, nil
	case *model.Ref, *model.FieldSel, *model.IndexSel, *model.CallExpr, *model.Let:
		at, err := w.whole(x)
		if err != nil {
			return 0, err
		}
		w.read(at, 1)
		return w.mem[at], nil
	case *model.IsUndefined:
		at, err := w.place(x.X)
		if err != nil {
			return 0, err
		}
		w.read(at, 1)
		return walkTruth(w.mem[at] == model.Undef)
	case *model.Present:
		at, err := w.slot(x.X)
		if err != nil {
			return 0, err
		}
		w.read(at, 1)
		return walkTruth(w.mem[at] != model.Undef)
	case *model.Convert:
		v, err := w.maybe(x.X)
		if err != nil || v == model.Undef {
			return v, err
		}
		return walkAs(x.X.Type(), v, x.To)
	case *model.RealExpr:
		return w.real(x)
	case *model.IsMember:
		v, err := w.operand(x.X)
		if err != nil || v == model.Undef {
			return 0, err
		}
		_, err = walkAs(x.X.Type(), v, x.T)
		return walkTruth(err == nil)
	case *model.Cond:
		b, err := w.eval(x.If)
		if err != nil {
			return 0, err
		}
		if b != 0 {
			return w.maybe(x.Then)
		}
		return w.maybe(x.Else)
	case *model.Not:
		v, err := w.eval(x.X)
		return 1 - v, err
	case *model.Quant:
		if x.Counts {
			return w.count(x)
		}
		b, err := w.quantifier(x.All, w.strict[x], x.Var, x.Domain, func() (bool, error) {
			b, err := w.eval(x.Body)
			return b != 0, err
		})
		if err != nil {
			return 0, err
		}
		return walkTruth(b)
	case *model.Binary:
		return w.binary(x)
	}
	return 0, errors.New("unknown expression")
}

// count evaluates a quantifier that counts.
func (w *Walker) count(x *model.Quant) (n int64, err error) {
	err = w.iterate(x.Var, x.Domain, func() (bool, error) {
		b, err := w.eval(x.Body)
		n += b
		return true, err
	})
	return n, err
}

// quantifier evaluates forall (all) or exists. If it is strict, all operands are evaluated.
func (w *Walker) quantifier(all, strict bool, v *model.Var, d model.Domain, operand func() (bool, error)) (bool, error) {
	decided := false
	var failed error // of the first operand that errs
	var also []int
	err := w.iterate(v, d, func() (bool, error) {
		b, err := operand()
		if err != nil && strict && err != errFuel && err != errHidden {
			if failed == nil {
				failed, also = err, w.also
			}
			w.also = nil
			return true, nil
		}
		decided = decided || err == nil && b != all
		return strict || !decided, err
	})
	switch {
	case err != nil:
		return false, err
	case failed != nil && decided:
		return false, errHidden
	}
	if failed != nil {
		w.also = also
	}
	return decided != all, failed
}

// iterate calls f for the values of a domain until it returns false or an error.
func (w *Walker) iterate(v *model.Var, d model.Domain, f func() (bool, error)) error {
	at := w.alloc(1)
	return w.each(d, func(k int64) (bool, error) {
		w.at[v], w.mem[at] = at, k
		top := len(w.mem)
		on, err := f()
		w.mem = w.mem[:top]
		return on, err
	})
}

// walkNumber is r unless it does not fit.
func walkNumber(r int64, ok bool) (int64, error) {
	if !ok || r == model.Undef {
		return 0, errRun
	}
	return r, nil
}

// apart reports whether the value of x is in no leaf of the state.
func (w *Walker) apart(x model.Expr) bool {
	switch x := x.(type) {
	case *model.ConstExpr:
		return true
	case *model.Ref:
		return x.Var.Kind != model.StateVar && w.at[x.Var] >= w.n
	case *model.Convert:
		return w.apart(x.X)
	}
	return false
}

// compare compares a designator with a value that is apart. It reads of the designator what a Test says.
func (w *Walker) compare(x *model.Binary) (int64, error) {
	at, err := w.place(x.X)
	if err != nil {
		return 0, err
	}
	b, err := w.maybe(x.Y)
	if err != nil {
		b = model.Undef
	}
	w.test(at, b)
	a := w.mem[at]
	if err != nil || a == model.Undef && !walkTests(w.m.Dialect, x.X) || b == model.Undef && !walkTests(w.m.Dialect, x.Y) {
		return 0, errRun
	}
	return walkTruth((a == b) == (x.Op == model.Eq))
}

func (w *Walker) binary(x *model.Binary) (int64, error) {
	eval := w.eval
	if x.Op == model.Eq || x.Op == model.Ne {
		if w.tested != nil && walkPlaced(x.X) && w.apart(x.Y) {
			return w.compare(x)
		}
		eval = w.operand
	}
	a, err := eval(x.X)
	if err != nil {
		return 0, err
	}
	switch {
	case x.Op == model.And && a == 0, x.Op == model.Or && a == 1:
		return a, nil
	case x.Op == model.Implies && a == 0:
		return 1, nil
	}
	b, err := eval(x.Y)
	if err != nil {
		return 0, err
	}
	switch x.Op {
	case model.And, model.Or, model.Implies:
		return b, nil
	case model.Eq:
		return walkTruth(a == b)
	case model.Ne:
		return walkTruth(a != b)
	case model.Lt:
		return walkTruth(a < b)
	case model.Le:
		return walkTruth(a <= b)
	case model.Gt:
		return walkTruth(a > b)
	case model.Ge:
		return walkTruth(a >= b)
	case model.Add:
		return walkNumber(a+b, !(a > 0 && b > 0 && a+b < 0 || a < 0 && b < 0 && a+b >= 0))
	case model.Sub:
		return walkNumber(a-b, !(a >= 0 && b < 0 && a-b < 0 || a < 0 && b > 0 && a-b >= 0))
	case model.Mul:
		return walkNumber(a*b, a == 0 || b == 0 || a*b/b == a)
	case model.BitAnd:
		return walkNumber(a&b, true)
	case model.BitOr:
		return walkNumber(a|b, true)
	case model.BitXor:
		return walkNumber(a^b, true)
	case model.Shl, model.Shr:
		if x.Op == model.Shr {
			b = -b
		}
		for ; b > 0 && a != 0; b-- {
			a *= 2
		}
		for ; b < 0 && a != 0 && a != -1; b++ {
			a = (a - a&1) / 2
		}
		return walkNumber(a, true)
	}
	if b == 0 {
		return 0, errRun
	}
	if x.Op == model.Div {
		return walkNumber(a/b, true)
	}
	return walkNumber(a%b, true)
}
