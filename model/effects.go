package model

import "slices"

// What expressions and statements may do: one walk in the order of their evaluation, through all
// branches and into the procedures that are called. It tells which designators are read and
// written; PlaceOf says which leaves of the state these may be. The partial orders of this package and of
// package prog, and what properties read, follow from it.

// Effects is such a walk. Functions that are nil are not called.
type Effects struct {
	Expr  func(e Expr) bool      // of each expression first; false: nothing else is to be told of it
	Read  func(e Expr)           // a designator, or a Present; the indices in it were read
	Write func(to Expr, by Stmt) // Written of a statement, whose operands and the indices in it were read
	Stmt  func(s Stmt)           // of each statement first
	Bind  func(v *Var, x Expr)   // v, which is no place, is from now on what x was; nil: it may change

	Names map[*Var]Expr // what aliases and var parameters stand for
	Loops int           // loops, quantifiers and calls around
	Any   bool          // there may be effects that are not told
	open  []*Proc
}

// Reads walks over expressions, which may be nil.
func (w *Effects) Reads(es ...Expr) {
	for _, e := range es {
		if e != nil && (w.Expr == nil || w.Expr(e)) {
			w.read(e)
		}
	}
}

func (w *Effects) read(e Expr) {
	switch e := e.(type) {
	case *Ref, *FieldSel, *IndexSel:
		w.indices(e)
		w.tell(e)
	case *Present:
		w.slot(e.X)
		w.tell(e)
	case *Quant:
		w.turns(e.Domain, func() { w.Reads(e.Body) })
	case *Let:
		w.name(e.Var, e.X)
		w.Reads(e.Body)
	case *CallExpr:
		w.call(e.Proc, e.Args)
	case *ConstExpr, *Not, *Binary, *Cond, *IsUndefined, *Convert, *IsMember, *RealExpr:
		w.below(e)
	default:
		w.Any = true
	}
}

// below walks over what is directly below a node.
func (w *Effects) below(n any) { Children(n, func(e Expr) { w.Reads(e) }, w.Stmts) }

func (w *Effects) tell(e Expr) {
	if w.Read != nil {
		w.Read(e)
	}
}

// indices reads the indices in a designator, also those in what it is another name for, and whether the
// elements of multisets in it are there.
func (w *Effects) indices(e Expr) {
	switch e := e.(type) {
	case *Ref:
		if x := w.Names[e.Var]; x != nil {
			w.indices(x)
		} else if e.Var.Kind == RefVar {
			w.Any = true
		}
	case *FieldSel:
		w.indices(e.X)
	case *IndexSel:
		if w.slot(e); e.X.Type().Kind == Multiset {
			w.tell(&Present{X: e})
		}
	case *Let:
		w.name(e.Var, e.X)
		w.indices(e.Body)
	case *CallExpr:
		w.call(e.Proc, e.Args)
	}
}

func (w *Effects) slot(e *IndexSel) {
	w.indices(e.X)
	w.Reads(e.Index)
}

// turns walks over a domain, and over what is done for each value in it.
func (w *Effects) turns(d Domain, body func()) {
	w.Reads(d.From, d.To, d.By)
	w.Loops++
	body()
	w.Loops--
}

// name gives x another name.
func (w *Effects) name(v *Var, x Expr) {
	if v.Kind == RefVar {
		w.indices(x)
		w.place(v, x)
		return
	}
	w.Reads(x)
	w.bind(v, x)
}

func (w *Effects) place(v *Var, x Expr) {
	if w.Names == nil {
		w.Names = make(map[*Var]Expr)
	}
	w.Names[v] = x
}

func (w *Effects) bind(v *Var, x Expr) {
	if w.Bind != nil {
		w.Bind(v, x)
	}
}

func (w *Effects) call(p *Proc, args []Expr) {
	if slices.Contains(w.open, p) {
		w.Any = true
		return
	}
	for i, f := range p.Params {
		switch x := args[i]; {
		case f.ByRef:
			w.indices(x)
			w.place(f.Var, x)
		case assigned(p.Body, f.Var):
			w.Reads(x)
			w.bind(f.Var, nil)
		default:
			w.Reads(x)
			w.bind(f.Var, x)
		}
	}
	w.open = append(w.open, p)
	w.Loops++
	w.Stmts(p.Body)
	w.Loops--
	w.open = w.open[:len(w.open)-1]
}

// assigned reports whether statements may change a local variable.
func assigned(body []Stmt, v *Var) (is bool) {
	changes := func(es ...Expr) {
		for _, e := range es {
			is = is || e != nil && Designator(e) && Root(e) == v
		}
	}
	Inspect(body, func(n any) {
		_, args := Called(n)
		_, x := Named(n)
		changes(args...)
		changes(Written(n), x)
	})
	return is
}

// Stmts walks over statements.
func (w *Effects) Stmts(list []Stmt) {
	for _, s := range list {
		if w.Stmt != nil {
			w.Stmt(s)
		}
		w.stmt(s)
		if to := Written(s); to != nil {
			w.indices(to)
			if w.Write != nil {
				w.Write(to, s)
			}
		}
	}
}

func (w *Effects) stmt(s Stmt) {
	switch s := s.(type) {
	case *Assign:
		w.Reads(s.RHS)
	case *Reset, *Remove:
	case *Insert:
		w.Reads(s.X)
	case *For:
		w.turns(s.Domain, func() { w.Stmts(s.Body) })
	case *While:
		w.turns(Domain{}, func() { w.below(s) })
	case *Alias:
		w.name(s.Var, s.X)
		w.Stmts(s.Body)
	case *Call:
		w.call(s.Proc, s.Args)
	case *If, *Return, *Assume, *CoverStmt, *Assert, *Put:
		w.below(s)
	default:
		w.Any = true
	}
}

// Place is the part of a state that a designator stands for: N leaves from At on, where the indices that
// are not known have their least values.
type Place struct {
	At, N int // N is 0 if an index is surely an error
	Dims  []Dim
}

// Dim is an index of an array, or a slot of a multiset, that is not known.
type Dim struct {
	Index        Expr
	Lo           int64
	Card, Stride int
}

// PlaceOf returns the part of the state that a designator, or a Present, stands for. It is given what names stand
// for, and the values of indices as far as they are known. ok is false if it is no part of the state.
func PlaceOf(e Expr, names map[*Var]Expr, value func(index Expr) (int64, bool)) (p Place, ok bool) {
	switch e := e.(type) {
	case *Ref:
		if x := names[e.Var]; x != nil {
			return PlaceOf(x, names, value)
		}
		if e.Var.Kind == StateVar {
			return Place{At: e.Var.Offset, N: e.Var.Type.Leaves}, true
		}
	case *FieldSel:
		if p, ok = PlaceOf(e.X, names, value); p.N > 0 {
			f := e.X.Type().Fields[e.Field]
			p.At, p.N = p.At+f.Offset, f.Type.Leaves
		}
		return p, ok
	case *IndexSel:
		if p, ok = elementOf(e, names, value); p.N > 0 && e.X.Type().Kind == Multiset {
			p.At, p.N = p.At+1, p.N-1
		}
		return p, ok
	case *Present:
		if p, ok = elementOf(e.X, names, value); p.N > 0 {
			p.N = 1
		}
		return p, ok
	case *Let:
		return PlaceOf(e.Body, names, value)
	}
	return Place{}, false
}

// elementOf returns an element of an array, or a slot of a multiset, its presence leaf first.
func elementOf(e *IndexSel, names map[*Var]Expr, value func(Expr) (int64, bool)) (p Place, ok bool) {
	if p, ok = PlaceOf(e.X, names, value); !ok || p.N == 0 {
		return p, ok
	}
	t := e.X.Type()
	if p.N = t.Elem.Leaves; t.Kind == Multiset {
		p.N++
	}
	switch k, known := value(e.Index); {
	case !known:
		p.Dims = append(p.Dims[:len(p.Dims):len(p.Dims)], Dim{e.Index, t.Index.Lo, int(t.Index.Card()), p.N})
	case k < t.Index.Lo || k > t.Index.Hi:
		return Place{}, true
	default:
		p.At += int(k-t.Index.Lo) * p.N
	}
	return p, true
}

// First calls f with the first leaf of all that it may be.
func (p *Place) First(f func(leaf int)) {
	if p.N > 0 {
		eachElement(p.At, p.Dims, f)
	}
}

func eachElement(at int, dims []Dim, f func(leaf int)) {
	if len(dims) == 0 {
		f(at)
		return
	}
	for k := range dims[0].Card {
		eachElement(at+k*dims[0].Stride, dims[1:], f)
	}
}

// Leaves calls f with all leaves that it may be.
func (p *Place) Leaves(f func(leaf int)) {
	p.First(func(leaf int) {
		for i := range p.N {
			f(leaf + i)
		}
	})
}

// Only returns its first leaf, if that is one whatever the indices are.
func (p *Place) Only() (leaf int, one bool) {
	n := 0
	p.First(func(at int) { leaf, n = at, n+1 })
	return leaf, n == 1
}
