package model

import "slices"

// This file says why an invariant is violated: for which values of its quantified variables,
// and which leaves of the state decide it. It is an explanation for the reader of a
// counterexample, and no evidence. Its evaluator knows expressions without calls and local
// names; of others it has nothing to say.

// Cause is why a state violates an invariant.
type Cause struct {
	Instance []Binding // the quantified variables, outermost first, whose values decide it
	Reads    []Read    // the leaves that decide it, each once, in the order of evaluation
}

// Binding is a quantified variable and its value.
type Binding struct {
	Var   *Var
	Value int64
}

func (b Binding) String() string { return b.Var.Name + "=" + b.Var.Type.Format(b.Value) }

// Read is a leaf of a state that decides a property.
type Read struct {
	Leaf        int
	Name, Value string
	// Step is that in which the leaf got its value, 0 for the start state, and -1 for the
	// leaves of multisets, whose elements have no fixed place.
	Step int
}

// Cause returns why the last state of a trace violates an invariant; nil if the trace ends in
// something else, or there is nothing to say.
func (m *Model) Cause(t *Trace) *Cause {
	p := m.Props[t.Prop]
	last := t.StartState
	if n := len(t.Steps); n > 0 {
		last = t.Steps[n-1].State
	}
	if p.Kind != Invariant || p.Expr == nil || last == nil {
		return nil
	}
	x := &explainer{s: last, env: make(map[*Var]int64)}
	if !x.params(p.Params, p.Expr) || len(x.cause.Instance)+len(x.cause.Reads) == 0 {
		return nil
	}
	leaves := m.AllLeaves()
	for i := range x.cause.Reads {
		r := &x.cause.Reads[i]
		l := &leaves[r.Leaf]
		r.Name, r.Value = l.Name, l.Type.Format(last[r.Leaf])
		if r.Step = -1; l.Slot < 0 {
			r.Step = t.lastChange(r.Leaf)
		}
	}
	return &x.cause
}

// lastChange returns the last step that changed a leaf, 0 if none did.
func (t *Trace) lastChange(leaf int) int {
	k := len(t.Steps)
	for ; k > 0; k-- {
		before := t.StartState
		if k > 1 {
			before = t.Steps[k-2].State
		}
		if before[leaf] != t.Steps[k-1].State[leaf] {
			break
		}
	}
	return k
}

// explainer evaluates expressions in a state.
type explainer struct {
	s     State
	env   map[*Var]int64 // bound variables
	cause Cause
}

// maxTried bounds the values of quantified variables that are tried, all together.
const maxTried = 1 << 16

// params explains why e does not hold for all values of the parameters.
func (x *explainer) params(params []*Param, e Expr) bool {
	if len(params) == 0 {
		v, ok := x.eval(e)
		return ok && v == 0 && x.why(e, false)
	}
	p := params[0]
	if p.Domain.Size() > maxTried {
		return false
	}
	for _, v := range p.Domain.Values() {
		n := len(x.cause.Instance)
		x.env[p.Var] = v
		x.cause.Instance = append(x.cause.Instance, Binding{p.Var, v})
		if x.params(params[1:], e) {
			return true
		}
		x.cause.Instance = x.cause.Instance[:n]
	}
	return false
}

// why adds what makes e, whose value is known, have that value.
func (x *explainer) why(e Expr, value bool) bool {
	switch e := e.(type) {
	case *Unary:
		if e.Op == Not {
			return x.why(e.X, !value)
		}
	case *Binary:
		left, right := e.X, e.Y
		// The operator as a disjunction of one sign: it has the value if an operand has its own.
		lv, rv := true, true
		switch e.Op {
		case And:
			lv, rv, value = false, false, !value
		case Or:
		case Implies:
			lv = false
		default:
			return x.reads(e)
		}
		if !value { // no operand has
			return x.why(left, !lv) && x.why(right, !rv)
		}
		if v, ok := x.eval(left); ok && (v == 1) == lv {
			return x.why(left, lv)
		}
		return x.why(right, rv)
	case *Cond:
		v, ok := x.eval(e.If)
		if !ok || !x.why(e.If, v == 1) {
			return false
		}
		if v == 1 {
			return x.why(e.Then, value)
		}
		return x.why(e.Else, value)
	case *Quant:
		return x.quantified(e, value)
	}
	return x.reads(e)
}

// quantified is why for a quantifier: the first value that decides it, or all.
func (x *explainer) quantified(e *Quant, value bool) bool {
	vs, ok := x.values(e.Domain)
	if !ok {
		return false
	}
	for _, v := range vs {
		x.env[e.Var] = v
		b, ok := x.eval(e.Body)
		switch {
		case !ok:
			return false
		case value != e.All && (b == 1) == value:
			x.cause.Instance = append(x.cause.Instance, Binding{e.Var, v})
			return x.why(e.Body, value)
		case value == e.All && !x.why(e.Body, value):
			return false
		}
	}
	return true
}

// values lists the values of a domain.
func (x *explainer) values(d Domain) ([]int64, bool) {
	from, to, by := d.Type.Lo, d.Type.Hi, int64(1)
	for _, b := range []struct {
		e  Expr
		to *int64
	}{{d.From, &from}, {d.To, &to}, {d.By, &by}} {
		if b.e == nil {
			continue
		}
		v, ok := x.eval(b.e)
		if !ok {
			return nil, false
		}
		*b.to = v
	}
	if by == 0 {
		return nil, false
	}
	s := newSpan(from, to, by)
	if s.n > maxTried {
		return nil, false
	}
	vs := make([]int64, s.n)
	for i := range vs {
		vs[i] = s.at(uint64(i))
	}
	return vs, true
}

// reads adds the leaves that an expression reads.
func (x *explainer) reads(e Expr) bool {
	switch e := e.(type) {
	case *ConstExpr:
		return true
	case *Ref, *FieldSel, *IndexSel:
		if r, is := e.(*Ref); is && r.Var.Kind == BoundVar {
			return true
		}
		at, ok := x.place(e)
		if !ok || !x.indices(e) {
			return false
		}
		if !slices.ContainsFunc(x.cause.Reads, func(r Read) bool { return r.Leaf == at }) {
			x.cause.Reads = append(x.cause.Reads, Read{Leaf: at})
		}
		return true
	case *Unary:
		return x.reads(e.X)
	case *Binary:
		return x.reads(e.X) && x.reads(e.Y)
	case *Convert:
		return x.reads(e.X)
	case *IsMember:
		return x.reads(e.X)
	case *IsUndefined:
		return x.reads(e.X)
	case *Present:
		return x.indices(e.X)
	case *Cond:
		return x.reads(e.If) && x.reads(e.Then) && x.reads(e.Else)
	case *Quant:
		return x.each(e.Var, e.Domain, func() bool { return x.reads(e.Body) })
	case *Count:
		return x.each(e.Var, e.Domain, func() bool { return x.reads(e.Body) })
	}
	return false
}

// indices adds the leaves that the indices in a designator read.
func (x *explainer) indices(e Expr) bool {
	switch e := e.(type) {
	case *FieldSel:
		return x.indices(e.X)
	case *IndexSel:
		return x.indices(e.X) && x.reads(e.Index)
	}
	return true
}

// each calls f for each value of a variable until it returns false.
func (x *explainer) each(v *Var, d Domain, f func() bool) bool {
	vs, ok := x.values(d)
	for _, k := range vs {
		x.env[v] = k
		ok = ok && f()
	}
	return ok
}

// place returns the first leaf that a designator names.
func (x *explainer) place(e Expr) (leaf int, ok bool) {
	switch e := e.(type) {
	case *Ref:
		return e.Var.Offset, e.Var.Kind == StateVar
	case *FieldSel:
		at, ok := x.place(e.X)
		return at + e.X.Type().Fields[e.Field].Offset, ok
	case *IndexSel:
		t := e.X.Type()
		at, ok := x.place(e.X)
		i, known := x.eval(e.Index)
		if !ok || !known || i < t.Index.Lo || i > t.Index.Hi {
			return 0, false
		}
		if t.Kind == Multiset {
			at += int(i) * (1 + t.Elem.Leaves)
			return at + 1, x.s[at] != Undef
		}
		return at + int(i-t.Index.Lo)*t.Elem.Leaves, true
	}
	return 0, false
}

// eval returns the value of a simple expression. It does not know what calls and local names
// are, nor what is an error.
func (x *explainer) eval(e Expr) (int64, bool) {
	if v, ok := constant(e); ok {
		return v, true
	}
	switch e := e.(type) {
	case *Ref, *FieldSel, *IndexSel:
		if r, is := e.(*Ref); is && r.Var.Kind == BoundVar {
			v, ok := x.env[r.Var]
			return v, ok
		}
		at, ok := x.place(e)
		if !ok || x.s[at] == Undef {
			return 0, false
		}
		return x.s[at], true
	case *Unary:
		v, ok := x.eval(e.X)
		switch e.Op {
		case Not:
			return 1 - v, ok
		case Neg:
			return -v, ok
		}
	case *Binary:
		return x.binary(e)
	case *Convert:
		if v, ok := x.eval(e.X); ok {
			return e.X.Type().Convert(e.To, v)
		}
	case *IsMember:
		if v, ok := x.eval(e.X); ok {
			if e.X.Type().Kind != Union {
				return truth(e.X.Type() == e.T), true
			}
			part, _ := e.X.Type().Part(v)
			return truth(part == e.T), true
		}
	case *IsUndefined:
		at, ok := x.place(e.X)
		return truth(ok && x.s[at] == Undef), ok
	case *Present:
		at, ok := x.place(e.X.X)
		i, known := x.eval(e.X.Index)
		if !ok || !known {
			return 0, false
		}
		return truth(x.s[at+int(i)*(1+e.X.X.Type().Elem.Leaves)] != Undef), true
	case *Cond:
		v, ok := x.eval(e.If)
		switch {
		case ok && v == 1:
			return x.eval(e.Then)
		case ok:
			return x.eval(e.Else)
		}
	case *Quant:
		vs, ok := x.values(e.Domain)
		for _, v := range vs {
			x.env[e.Var] = v
			b, known := x.eval(e.Body)
			if !known || (b == 1) != e.All {
				return b, known
			}
		}
		return truth(e.All), ok
	case *Count:
		n := int64(0)
		return n, x.each(e.Var, e.Domain, func() bool {
			b, ok := x.eval(e.Body)
			n += b
			return ok
		})
	}
	return 0, false
}

func (x *explainer) binary(e *Binary) (int64, bool) {
	a, ok := x.eval(e.X)
	if !ok {
		return 0, false
	}
	switch {
	case e.Op == And && a == 0, e.Op == Or && a == 1:
		return a, true
	case e.Op == Implies && a == 0:
		return 1, true
	}
	b, ok := x.eval(e.Y)
	if !ok {
		return 0, false
	}
	switch e.Op {
	case And, Or, Implies:
		return b, true
	case Eq:
		return truth(a == b), true
	case Ne:
		return truth(a != b), true
	case Lt:
		return truth(a < b), true
	case Le:
		return truth(a <= b), true
	case Gt:
		return truth(a > b), true
	case Ge:
		return truth(a >= b), true
	case Add:
		return a + b, true
	case Sub:
		return a - b, true
	case Mul:
		return a * b, true
	}
	return 0, false
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
