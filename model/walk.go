package model

import (
	"errors"
	"slices"
)

// Walker is the reference interpreter: it walks the syntax tree, with errors as return
// values, and shares nothing with the compiled one. It is slow. Tests compare the two;
// and it tells which leaves an evaluation depends on, so that the check of a closed set
// can keep what an instance does.
//
// The leaves of the state and, behind them, all other variables are in one slice, and a
// place is an index there. A walker is not safe for concurrent use.
type Walker struct {
	m      *Model
	n      int // leaves of a state
	mem    []int64
	at     map[*Var]int // of variables in scope but those of the state
	rec    map[*Proc]bool
	proc   *Proc
	result int // where its result goes
	open   int // calls of recursive procedures
	fuel   int // statements and iterations left

	seen    []bool // by leaf: it was read or written
	put     []bool // by leaf: it was written
	reads   []int
	writes  []int
	hits    []int
	runtime int
}

var (
	errRun      = errors.New("run-time error")
	errReturn   = errors.New("return")
	errDisabled = errors.New("assumption fails")
	errFuel     = errors.New("takes too long")
)

// failure is the error of an assertion or error statement: the index of its property.
type failure int

func (failure) Error() string { return "failure" }

// walkFuel is how many statements and iterations an evaluation may take.
const walkFuel = 1 << 20

// NewWalker returns a walker for m.
func NewWalker(m *Model) *Walker {
	n := m.Leaves()
	return &Walker{m: m, n: n, at: map[*Var]int{}, rec: map[*Proc]bool{}, seen: make([]bool, n), put: make([]bool, n), runtime: m.Runtime().Index}
}

// Walked is what an evaluation did.
type Walked struct {
	Holds   bool // the guard, or the expression; of a rule fired, also all assumptions
	Prop    int  // the property violated by an error, or -1
	LeftOut bool // an assumption declaration keeps the step from another state
	TooLong bool // it was given up; nothing else is known

	// The leaves read before they were written, in this order, which depends on the values
	// of those before only; and what was written. They are valid until the next call.
	Reads  []int
	Writes []int // each once; Value tells the value
	Hits   []int // cover statements, perhaps several times
}

// Value returns what leaf i is after the last evaluation. The slots of multisets that
// were written are in no order, and what is in free ones does not matter.
func (w *Walker) Value(i int) int64 { return w.mem[i] }

// begin loads a state.
func (w *Walker) begin(s State, params []*Param, values []int64) {
	for _, i := range w.reads {
		w.seen[i] = false
	}
	for _, i := range w.writes {
		w.seen[i], w.put[i] = false, false
	}
	w.reads, w.writes, w.hits = w.reads[:0], w.writes[:0], w.hits[:0]
	w.mem = append(w.mem[:0], s...)
	w.fuel, w.open, w.proc = walkFuel, 0, nil
	for i, p := range params {
		w.at[p.Var] = w.alloc(1)
		w.mem[w.at[p.Var]] = values[i]
	}
}

// end returns what was done.
func (w *Walker) end(holds bool, err error) Walked {
	r := Walked{Holds: holds && err == nil, Prop: -1, Reads: w.reads, Writes: w.writes, Hits: w.hits}
	var f failure
	switch {
	case err == errFuel:
		r.TooLong = true
	case err == errRun:
		r.Prop = w.runtime
	case errors.As(err, &f):
		r.Prop = int(f)
	}
	return r
}

// Guard evaluates the guard of an instance of a rule in s.
func (w *Walker) Guard(s State, r *Rule, params []int64) Walked {
	w.begin(s, r.Params, params)
	return w.end(w.guard(r))
}

func (w *Walker) guard(r *Rule) (bool, error) {
	if r.Guard == nil {
		return true, nil
	}
	b, err := w.eval(r.Guard)
	return b != 0, err
}

// Fire runs an instance in s if its guard holds.
func (w *Walker) Fire(s State, r *Rule, params []int64) Walked {
	w.begin(s, r.Params, params)
	if ok, err := w.guard(r); !ok || err != nil {
		return w.end(false, err)
	}
	return w.run(s, r)
}

// Start runs an instance of a start state.
func (w *Walker) Start(r *Rule, params []int64) Walked {
	s := slices.Repeat(State{Undef}, w.n)
	w.begin(s, r.Params, params)
	return w.run(s, r)
}

func (w *Walker) run(s State, r *Rule) Walked {
	w.locals(r.Locals)
	if err := w.exec(r.Body); err != nil && err != errReturn {
		return w.end(false, err)
	}
	if len(w.m.Assumptions) == 0 {
		return w.end(true, nil)
	}
	for _, v := range w.m.Vars {
		w.sort(v.Type, v.Offset)
	}
	next := slices.Clone(w.mem[:w.n])
	for _, q := range w.m.Assumptions {
		hits := len(w.hits)
		ok, err := w.quantified(q.Params, q.Expr, true)
		copy(w.mem, next) // an assumption changes nothing
		w.hits = w.hits[:hits]
		if err != nil || !ok {
			out := w.end(false, err)
			if err == nil {
				for i := range w.n {
					w.read(i, 1)
				}
				out.Reads = w.reads
				out.LeftOut = !slices.Equal(next, s)
			}
			return out
		}
	}
	return w.end(true, nil)
}

// Evaluate evaluates an expression for all, or any, values of the parameters. A failed
// assume statement counts as true.
func (w *Walker) Evaluate(s State, params []*Param, x Expr, all bool) Walked {
	w.begin(s, nil, nil)
	ok, err := w.quantified(params, x, all)
	if err == errDisabled {
		ok, err = true, nil
	}
	return w.end(ok, err)
}

func (w *Walker) quantified(params []*Param, x Expr, all bool) (bool, error) {
	b, err := w.eval(quantified(params, x, all))
	return b != 0, err
}

// quantified returns x for all, or any, values of the parameters.
func quantified(params []*Param, x Expr, all bool) Expr {
	for i := len(params) - 1; i >= 0; i-- {
		x = &Quant{All: all, Var: params[i].Var, Domain: params[i].Domain, Body: x}
	}
	return x
}

// alloc returns room for n undefined values.
func (w *Walker) alloc(n int) int {
	at := len(w.mem)
	for range n {
		w.mem = append(w.mem, Undef)
	}
	return at
}

func (w *Walker) locals(vars []*Var) {
	for _, v := range vars {
		w.at[v] = w.alloc(v.Type.Leaves)
	}
}

// read notes that n values from at on are looked at.
func (w *Walker) read(at, n int) {
	for i := at; i < min(at+n, w.n); i++ {
		if !w.seen[i] {
			w.seen[i] = true
			w.reads = append(w.reads, i)
		}
	}
}

// wrote notes that n values from at on are written.
func (w *Walker) wrote(at, n int) {
	for i := at; i < min(at+n, w.n); i++ {
		if !w.put[i] {
			w.seen[i], w.put[i] = true, true
			w.writes = append(w.writes, i)
		}
	}
}

// copy copies values that are already noted as read.
func (w *Walker) copy(to, from, n int) {
	w.wrote(to, n)
	copy(w.mem[to:to+n], w.mem[from:from+n])
}

func (w *Walker) undefine(at, n int) {
	w.wrote(at, n)
	for i := range n {
		w.mem[at+i] = Undef
	}
}

// slot returns where a slot begins, with its presence leaf.
func (w *Walker) slot(x *IndexSel) (int, error) {
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
func (w *Walker) place(x Expr) (int, error) {
	switch x := x.(type) {
	case *Ref:
		if x.Var.Kind == StateVar {
			return x.Var.Offset, nil
		}
		return w.at[x.Var], nil
	case *FieldSel:
		at, err := w.place(x.X)
		return at + x.X.Type().Fields[x.Field].Offset, err
	case *IndexSel:
		t := x.X.Type()
		if t.Kind == Multiset {
			at, err := w.slot(x)
			if err != nil {
				return 0, err
			}
			if w.read(at, 1); w.mem[at] == Undef {
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
func (w *Walker) whole(x Expr) (int, error) {
	switch y := x.(type) {
	case *Ref, *FieldSel, *IndexSel:
		return w.place(x)
	case *CallExpr:
		return w.call(y.Proc, y.Args)
	case *Let:
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
func (w *Walker) name(v *Var, x Expr) error {
	if designator(x) {
		at, err := w.place(x)
		w.at[v] = at
		return err
	}
	at := w.alloc(v.Type.Leaves)
	w.at[v] = at
	return w.assign(&Assign{LHS: &Ref{Var: v}, RHS: x})
}

// recursive reports whether p may call itself.
func (w *Walker) recursive(p *Proc) bool {
	if r, ok := w.rec[p]; ok {
		return r
	}
	seen := map[*Proc]bool{}
	var visit func(q *Proc) bool
	visit = func(q *Proc) bool {
		found := false
		Inspect(q.Body, func(n any) {
			c, _ := callOf(n)
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
func (w *Walker) call(p *Proc, args []Expr) (int, error) {
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
			if v == Undef && !walkPasses(w.m.Dialect, t, args[i]) {
				return 0, errRun
			}
			if v != Undef && (v < t.Lo || v > t.Hi) {
				return 0, errRun
			}
		}
		if !a.ByRef {
			to := w.alloc(t.Leaves)
			copy(w.mem[to:], w.mem[at:at+t.Leaves])
			at = to
		}
		places[i] = at
	}
	outer, into := w.proc, w.result
	var at map[*Var]int
	if w.recursive(p) {
		if w.open == MaxRecursion {
			return 0, errRun
		}
		w.open++
		defer func() { w.open-- }()
		at = make(map[*Var]int, len(w.at))
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
func walkStrip(x Expr) Expr {
	if c, ok := x.(*Convert); ok {
		return walkStrip(c.X)
	}
	return x
}

// walkPasses says whether an undefined simple argument may be passed.
func walkPasses(d Dialect, t *Type, arg Expr) bool {
	x := walkStrip(arg)
	from := x.Type()
	if d == Rumur {
		return designator(x)
	}
	switch from.Kind {
	case Scalarset:
		return true
	case Union:
		return t.Kind != Enum
	case Enum:
		return t.Kind == Enum
	}
	return designator(arg) && (t == from || t.Numeric() && t.Lo == from.Lo && t.Hi == from.Hi)
}

// walkCopies says whether an undefined simple right-hand side is copied.
func walkCopies(d Dialect, rhs Expr) bool {
	if d == Rumur {
		return false
	}
	x := walkStrip(rhs)
	_, variable := x.(*Ref)
	switch x.Type().Kind {
	case Scalarset, Union:
		return true
	case Enum:
		return variable || rhs.Type().Kind == Enum
	}
	return variable
}

// walkTests says whether an undefined operand may be compared.
func walkTests(d Dialect, x Expr) bool {
	k := walkStrip(x).Type().Kind
	return d == CMurphi && (k == Scalarset || k == Union)
}

// operand evaluates what is compared.
func (w *Walker) operand(x Expr) (int64, error) {
	v, err := w.maybe(x)
	if err == nil && v == Undef && !walkTests(w.m.Dialect, x) {
		err = errRun
	}
	return v, err
}

// walkAs finds a value in another type: a part of a union keeps its numbers, from the
// least on, behind those of the parts before it.
func walkAs(from *Type, v int64, to *Type) (int64, error) {
	if to.Kind == Integer {
		return v, nil
	}
	for from.Kind == Union {
		for _, p := range from.Parts {
			if v <= p.Hi-p.Lo {
				from, v = p, v+p.Lo
				break
			}
			v -= p.Hi - p.Lo + 1
		}
	}
	parts := []*Type{to}
	if to.Kind == Union {
		parts = to.Parts
	}
	first := int64(0)
	for _, p := range parts {
		if (p == from || p.Numeric() && from.Numeric()) && p.Lo <= v && v <= p.Hi {
			if to.Kind != Union {
				return v, nil
			}
			return first + v - p.Lo, nil
		}
		first += p.Hi - p.Lo + 1
	}
	return 0, errRun
}

// each calls f for the values of a domain until it returns false or an error.
func (w *Walker) each(d Domain, f func(v int64) (bool, error)) error {
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
		if _, fixed := d.constSpan(); w.m.Dialect == Rumur && !fixed {
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

func (w *Walker) eval(x Expr) (int64, error) {
	v, err := w.maybe(x)
	if err == nil && v == Undef {
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
func (w *Walker) maybe(x Expr) (int64, error) {
	switch x := x.(type) {
	case *ConstExpr:
		return x.Value, nil
	case *Ref, *FieldSel, *IndexSel, *CallExpr, *Let:
		at, err := w.whole(x)
		if err != nil {
			return 0, err
		}
		w.read(at, 1)
		return w.mem[at], nil
	case *IsUndefined:
		at, err := w.place(x.X)
		if err != nil {
			return 0, err
		}
		w.read(at, 1)
		return walkTruth(w.mem[at] == Undef)
	case *Present:
		at, err := w.slot(x.X)
		if err != nil {
			return 0, err
		}
		w.read(at, 1)
		return walkTruth(w.mem[at] != Undef)
	case *Convert:
		v, err := w.maybe(x.X)
		if err != nil || v == Undef {
			return v, err
		}
		return walkAs(x.X.Type(), v, x.To)
	case *IsMember:
		v, err := w.operand(x.X)
		if err != nil || v == Undef {
			return 0, err
		}
		_, err = walkAs(x.X.Type(), v, x.T)
		return walkTruth(err == nil)
	case *Cond:
		b, err := w.eval(x.If)
		if err != nil {
			return 0, err
		}
		if b != 0 {
			return w.maybe(x.Then)
		}
		return w.maybe(x.Else)
	case *Unary:
		v, err := w.eval(x.X)
		if err != nil {
			return 0, err
		}
		switch x.Op {
		case Neg:
			return walkNumber(-v, true)
		case BitNot:
			return walkNumber(-v-1, true)
		}
		return 1 - v, nil
	case *Quant:
		r := x.All
		err := w.iterate(x.Var, x.Domain, x.Body, func(b bool) bool {
			if b != x.All {
				r = b
			}
			return b == x.All
		})
		if err != nil {
			return 0, err
		}
		return walkTruth(r)
	case *Count:
		n := int64(0)
		err := w.iterate(x.Var, x.Domain, x.Body, func(b bool) bool {
			if b {
				n++
			}
			return true
		})
		return n, err
	case *Binary:
		return w.binary(x)
	}
	return 0, errors.New("unknown expression")
}

// iterate evaluates body for the values of a domain until f returns false.
func (w *Walker) iterate(v *Var, d Domain, body Expr, f func(b bool) bool) error {
	at := w.alloc(1)
	return w.each(d, func(k int64) (bool, error) {
		w.at[v], w.mem[at] = at, k
		top := len(w.mem)
		b, err := w.eval(body)
		w.mem = w.mem[:top]
		return err == nil && f(b != 0), err
	})
}

// walkNumber is r unless it does not fit.
func walkNumber(r int64, ok bool) (int64, error) {
	if !ok || r == Undef {
		return 0, errRun
	}
	return r, nil
}

func (w *Walker) binary(x *Binary) (int64, error) {
	eval := w.eval
	if x.Op == Eq || x.Op == Ne {
		eval = w.operand
	}
	a, err := eval(x.X)
	if err != nil {
		return 0, err
	}
	switch {
	case x.Op == And && a == 0, x.Op == Or && a == 1:
		return a, nil
	case x.Op == Implies && a == 0:
		return 1, nil
	}
	b, err := eval(x.Y)
	if err != nil {
		return 0, err
	}
	switch x.Op {
	case And, Or, Implies:
		return b, nil
	case Eq:
		return walkTruth(a == b)
	case Ne:
		return walkTruth(a != b)
	case Lt:
		return walkTruth(a < b)
	case Le:
		return walkTruth(a <= b)
	case Gt:
		return walkTruth(a > b)
	case Ge:
		return walkTruth(a >= b)
	case Add:
		return walkNumber(a+b, !(a > 0 && b > 0 && a+b < 0 || a < 0 && b < 0 && a+b >= 0))
	case Sub:
		return walkNumber(a-b, !(a >= 0 && b < 0 && a-b < 0 || a < 0 && b > 0 && a-b >= 0))
	case Mul:
		return walkNumber(a*b, a == 0 || b == 0 || a*b/b == a)
	case BitAnd:
		return walkNumber(a&b, true)
	case BitOr:
		return walkNumber(a|b, true)
	case BitXor:
		return walkNumber(a^b, true)
	case Shl, Shr:
		if x.Op == Shr {
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
	if x.Op == Div {
		return walkNumber(a/b, true)
	}
	return walkNumber(a%b, true)
}

func (w *Walker) exec(stmts []Stmt) error {
	for _, s := range stmts {
		top := len(w.mem)
		if err := w.stmt(s); err != nil {
			return err
		}
		w.mem = w.mem[:top]
	}
	return nil
}

// clear gives all leaves of t the least value.
func (w *Walker) clear(t *Type, at int) {
	switch t.Kind {
	case Record:
		for _, f := range t.Fields {
			w.clear(f.Type, at+f.Offset)
		}
	case Array:
		for i := range int(t.Index.Hi - t.Index.Lo + 1) {
			w.clear(t.Elem, at+i*t.Elem.Leaves)
		}
	case Multiset:
		w.undefine(at, t.Leaves)
	default:
		w.wrote(at, 1)
		w.mem[at] = t.Lo
	}
}

// sort puts the multisets among the leaves of t in order; all of what is in them counts
// as read.
func (w *Walker) sort(t *Type, at int) {
	switch t.Kind {
	case Record:
		for _, f := range t.Fields {
			w.sort(f.Type, at+f.Offset)
		}
	case Array:
		for i := range int(t.Index.Hi - t.Index.Lo + 1) {
			w.sort(t.Elem, at+i*t.Elem.Leaves)
		}
	case Multiset:
		l := w.mem[at : at+t.Leaves]
		if !slices.Contains(w.put[at:at+t.Leaves], true) {
			return // it is in order
		}
		w.read(at, t.Leaves)
		w.wrote(at, t.Leaves)
		var full, free [][]int64
		for i := range int(t.Index.Hi - t.Index.Lo + 1) {
			k := at + i*(1+t.Elem.Leaves)
			w.sort(t.Elem, k+1)
			slot := slices.Clone(w.mem[k : k+1+t.Elem.Leaves])
			if slot[0] == Undef {
				free = append(free, slices.Repeat([]int64{Undef}, len(slot)))
			} else {
				full = append(full, slot)
			}
		}
		slices.SortFunc(full, slices.Compare)
		copy(l, slices.Concat(append(full, free...)...))
	}
}

func (w *Walker) assign(s *Assign) error {
	t := s.LHS.Type()
	to, err := w.place(s.LHS)
	if err != nil {
		return err
	}
	from, err := w.whole(s.RHS)
	if err != nil {
		return err
	}
	w.read(from, t.Leaves)
	if t.Simple() {
		v := w.mem[from]
		if v == Undef && !walkCopies(w.m.Dialect, s.RHS) || v != Undef && t.Kind != Integer && (v < t.Lo || v > t.Hi) {
			return errRun
		}
	}
	w.copy(to, from, t.Leaves)
	return nil
}

func (w *Walker) stmt(s Stmt) error {
	if w.fuel--; w.fuel < 0 {
		return errFuel
	}
	switch s := s.(type) {
	case *Assign:
		return w.assign(s)
	case *Undefine:
		at, err := w.place(s.X)
		if err == nil {
			w.undefine(at, s.X.Type().Leaves)
		}
		return err
	case *Clear:
		at, err := w.place(s.X)
		if err == nil {
			w.clear(s.X.Type(), at)
		}
		return err
	case *If:
		for _, c := range s.Clauses {
			b, err := w.eval(c.Cond)
			if err != nil {
				return err
			}
			if b != 0 {
				return w.exec(c.Body)
			}
		}
		return w.exec(s.Else)
	case *Switch:
		x, err := w.operand(s.X)
		if err != nil {
			return err
		}
		for _, c := range s.Cases {
			for _, k := range c.Values {
				v, err := w.eval(k)
				if err != nil {
					return err
				}
				if v == x {
					return w.exec(c.Body)
				}
			}
		}
		return w.exec(s.Else)
	case *For:
		at := w.alloc(1)
		return w.each(s.Domain, func(v int64) (bool, error) {
			w.at[s.Var], w.mem[at] = at, v
			err := w.exec(s.Body)
			return err == nil, err
		})
	case *While:
		most := w.m.LoopMax
		if most == 0 {
			most = DefaultLoopMax
		}
		for i := 0; ; i++ {
			b, err := w.eval(s.Cond)
			if err != nil || b == 0 {
				return err
			}
			if i == most {
				return errRun
			}
			if err := w.exec(s.Body); err != nil {
				return err
			}
		}
	case *Alias:
		if err := w.name(s.Var, s.X); err != nil {
			return err
		}
		return w.exec(s.Body)
	case *Call:
		_, err := w.call(s.Proc, s.Args)
		return err
	case *Return:
		return w.returns(s)
	case *Insert:
		return w.insert(s)
	case *Remove:
		at, err := w.slot(s.X)
		if err != nil {
			return err
		}
		if w.read(at, 1); w.mem[at] == Undef {
			return errRun
		}
		w.undefine(at, 1+s.X.X.Type().Elem.Leaves)
	case *Assume:
		b, err := w.eval(s.Cond)
		if err == nil && b == 0 {
			err = errDisabled
		}
		return err
	case *CoverStmt:
		b, err := w.eval(s.Cond)
		if b != 0 && err == nil {
			w.hits = append(w.hits, s.Prop)
		}
		return err
	case *Put:
		if s.X == nil {
			return nil
		}
		if designator(s.X) {
			_, err := w.place(s.X)
			return err
		}
		if !s.X.Type().Simple() {
			_, err := w.whole(s.X)
			return err
		}
		_, err := w.eval(s.X)
		return err
	case *Assert:
		if s.Cond != nil {
			b, err := w.eval(s.Cond)
			if err != nil {
				return err
			}
			if b != 0 {
				return nil
			}
		}
		return failure(s.Prop)
	default:
		return errors.New("unknown statement")
	}
	return nil
}

func (w *Walker) returns(s *Return) error {
	if s.X == nil {
		return errReturn
	}
	from, err := w.whole(s.X)
	if err != nil {
		return err
	}
	t := w.proc.Result
	w.read(from, t.Leaves)
	v := w.mem[from]
	copy(w.mem[w.result:], w.mem[from:from+t.Leaves])
	if !t.Simple() {
		return errReturn
	}
	k := walkStrip(s.X).Type().Kind
	loose := w.m.Dialect == CMurphi && (k == Scalarset || k == Union || k == Enum && s.X.Type().Kind == Enum)
	if v == Undef && !loose {
		return errRun
	}
	if w.m.Dialect == CMurphi && v != Undef && (v < t.Lo || v > t.Hi) {
		return errRun
	}
	return errReturn
}

func (w *Walker) insert(s *Insert) error {
	set, err := w.place(s.Set)
	if err != nil {
		return err
	}
	from, err := w.whole(s.X)
	if err != nil {
		return err
	}
	t := s.Set.Type()
	n := t.Elem.Leaves
	w.read(from, n)
	if u := t.Elem; u.Simple() {
		k, v := s.X.Type().Kind, w.mem[from]
		if v == Undef && (w.m.Dialect == Rumur || k != Enum && k != Scalarset && k != Union) {
			return errRun
		}
		if v != Undef && (v < u.Lo || v > u.Hi) {
			return errRun
		}
	}
	for i := range int(t.Index.Hi - t.Index.Lo + 1) {
		at := set + i*(1+n)
		if w.read(at, 1); w.mem[at] == Undef {
			w.wrote(at, 1)
			w.mem[at] = 1
			w.copy(at+1, from, n)
			return nil
		}
	}
	return errRun
}
