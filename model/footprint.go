package model

// What properties read: leaves of a state, at least those that matter. Search evaluates a
// property again only where something it reads has changed.

// Reads returns the leaves that the expression of a declared property may read, by
// leaf, or nil if that may be any.
func (p *Program) Reads(prop int) []bool {
	return p.footprint().of(p.Model.Props[prop].Expr)
}

func (p *Program) footprint() *footprint {
	return &footprint{names: map[*Var]Expr{}, inner: map[Expr]bool{}, seen: map[*Proc]bool{}, reads: make([]bool, p.n)}
}

// of returns what e may read, as Reads does.
func (f *footprint) of(e Expr) []bool {
	Inspect(e, f.visit)
	if f.any {
		return nil
	}
	return f.reads
}

// footprint is what expressions read.
type footprint struct {
	names  map[*Var]Expr  // what aliases stand for
	values map[*Var]int64 // of variables that are known
	inner  map[Expr]bool  // designators that are part of others
	seen   map[*Proc]bool
	reads  []bool // by leaf
	any    bool   // perhaps others, too
}

func (f *footprint) visit(n any) {
	switch n := n.(type) {
	case *CallExpr:
		f.call(n.Proc)
	case *Call:
		f.call(n.Proc)
	case *Let:
		f.name(n.Var, n.X)
	case *Alias:
		f.name(n.Var, n.X)
	case *FieldSel:
		f.inner[n.X] = true
	case *IndexSel:
		f.inner[n.X] = true
	}
	e, ok := n.(Expr)
	if !ok || !designator(e) || f.inner[e] {
		return
	}
	at, size, _, ok := f.part(e)
	for i := range size {
		f.reads[at+i] = f.reads[at+i] || ok
	}
}

func (f *footprint) name(v *Var, x Expr) {
	if v.Kind == RefVar {
		f.names[v] = x
	}
}

// call looks at what a procedure reads; what it is passed was looked at where it is called.
func (f *footprint) call(p *Proc) {
	for _, a := range p.Params {
		f.any = f.any || a.ByRef // that may be another place in each call
	}
	if !f.seen[p] {
		f.seen[p] = true
		Inspect(p.Body, f.visit)
	}
}

// value returns the value of an index, if it is known.
func (f *footprint) value(e Expr) (int64, bool) {
	if r, ok := e.(*Ref); ok {
		k, ok := f.values[r.Var]
		return k, ok
	}
	return constant(e)
}

// part returns n leaves of a state, from at on, that hold what a designator stands for;
// exact says that they are no more than that. ok is false if it is no part of the state.
func (f *footprint) part(e Expr) (at, n int, exact, ok bool) {
	switch e := e.(type) {
	case *Ref:
		if x := f.names[e.Var]; x != nil {
			return f.part(x)
		}
		if e.Var.Kind == StateVar {
			return e.Var.Offset, e.Var.Type.Leaves, true, true
		}
	case *FieldSel:
		at, n, exact, ok = f.part(e.X)
		if exact {
			field := e.X.Type().Fields[e.Field]
			at, n = at+field.Offset, field.Type.Leaves
		}
	case *IndexSel:
		at, n, exact, ok = f.part(e.X)
		t := e.X.Type()
		k, known := f.value(e.Index)
		if exact = exact && t.Kind == Array && known && k >= t.Index.Lo && k <= t.Index.Hi; exact {
			at, n = at+int(k-t.Index.Lo)*t.Elem.Leaves, t.Elem.Leaves
		}
	}
	return at, n, exact, ok
}
