package model

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// A slow interpreter that walks the syntax tree, with a map from variables to
// their leaves and errors as return values; it shares nothing with the compiled
// one. A RefVar maps to the very slice that it stands for.

var (
	errRun      = errors.New("run-time error")
	errReturn   = errors.New("return")
	errDisabled = errors.New("assumption fails")
	errFuel     = errors.New("takes too long")
)

type failure int // index of the violated property

func (failure) Error() string { return "failure" }

type env struct {
	m      *Model
	v      map[*Var][]int64
	result []int64 // of the function
	proc   *Proc
	shared *sharedEnv
}

// sharedEnv is what calls share with their callers.
type sharedEnv struct {
	hits map[int]bool // cover properties
	open int          // calls of recursive procedures
	fuel int
}

func newEnv(m *Model, s State) *env {
	e := &env{m: m, v: map[*Var][]int64{}, shared: &sharedEnv{hits: map[int]bool{}, fuel: 20000}}
	for _, v := range m.Vars {
		e.v[v] = s[v.Offset : v.Offset+v.Type.Leaves]
	}
	return e
}

// slot returns the leaves of a slot, its presence leaf first.
func (e *env) slot(x *IndexSel) (leaves []int64, err error) {
	l, err := e.place(x.X)
	if err != nil {
		return nil, err
	}
	i, err := e.eval(x.Index)
	if err != nil {
		return nil, err
	}
	n := 1 + x.X.Type().Elem.Leaves
	return l[int(i)*n : int(i+1)*n], nil
}

func (e *env) place(x Expr) (leaves []int64, err error) {
	switch x := x.(type) {
	case *Ref:
		return e.v[x.Var], nil
	case *FieldSel:
		l, err := e.place(x.X)
		if err != nil {
			return nil, err
		}
		f := x.X.Type().Fields[x.Field]
		return l[f.Offset : f.Offset+f.Type.Leaves], nil
	case *IndexSel:
		t := x.X.Type()
		if t.Kind == Multiset {
			l, err := e.slot(x)
			if err != nil || l[0] == Undef {
				return nil, errOr(err, errRun)
			}
			return l[1:], nil
		}
		l, err := e.place(x.X)
		if err != nil {
			return nil, err
		}
		i, err := e.eval(x.Index)
		if err != nil {
			return nil, err
		}
		if i < t.Index.Lo || i > t.Index.Hi {
			return nil, errRun
		}
		k := int(i-t.Index.Lo) * t.Elem.Leaves
		return l[k : k+t.Elem.Leaves], nil
	}
	return nil, errors.New("not a designator")
}

func errOr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

func isPlace(x Expr) bool {
	switch x.(type) {
	case *Ref, *FieldSel, *IndexSel:
		return true
	}
	return false
}

// leavesOf returns the leaves of the value of x, of any type, undefined or not.
func (e *env) leavesOf(x Expr) ([]int64, error) {
	if isPlace(x) {
		return e.place(x)
	}
	switch x := x.(type) {
	case *CallExpr:
		return e.call(x.Proc, x.Args)
	case *Let:
		if err := e.name(x.Var, x.X); err != nil {
			return nil, err
		}
		return e.leavesOf(x.Body)
	}
	v, err := e.maybe(x)
	return []int64{v}, err
}

// name does what Let and Alias have in common.
func (e *env) name(v *Var, x Expr) error {
	if isPlace(x) {
		l, err := e.place(x)
		e.v[v] = l
		return err
	}
	e.v[v] = slices.Repeat([]int64{Undef}, v.Type.Leaves)
	return e.stmt(&Assign{LHS: &Ref{Var: v}, RHS: x})
}

func recursive(p *Proc) bool {
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
	return visit(p)
}

func (e *env) call(p *Proc, args []Expr) ([]int64, error) {
	in := &env{m: e.m, v: maps.Clone(e.v), proc: p, shared: e.shared}
	values := make([][]int64, len(args))
	for i, a := range p.Params {
		t := a.Var.Type
		var l []int64
		var err error
		if a.ByRef || !t.Simple() {
			l, err = e.leavesOf(args[i])
		} else {
			l, err = e.leavesOf(args[i])
			if err == nil && l[0] == Undef && !refPasses(e.m.Dialect, t, args[i]) {
				err = errRun
			}
			if err == nil && l[0] != Undef && (l[0] < t.Lo || l[0] > t.Hi) {
				err = errRun
			}
		}
		if err != nil {
			return nil, err
		}
		if !a.ByRef {
			l = slices.Clone(l)
		}
		values[i] = l
	}
	if recursive(p) {
		if e.shared.open == MaxRecursion {
			return nil, errRun
		}
		e.shared.open++
		defer func() { e.shared.open-- }()
	}
	for i, a := range p.Params {
		in.v[a.Var] = values[i]
	}
	for _, v := range p.Locals {
		in.v[v] = slices.Repeat([]int64{Undef}, v.Type.Leaves)
	}
	err := in.exec(p.Body)
	if err == nil && p.Result != nil {
		return nil, errRun
	}
	if err == errReturn {
		err = nil
	}
	return in.result, err
}

func strip(x Expr) Expr {
	if c, ok := x.(*Convert); ok {
		return strip(c.X)
	}
	return x
}

// refPasses says whether an undefined simple argument may be passed.
func refPasses(d Dialect, t *Type, arg Expr) bool {
	x := strip(arg)
	from := x.Type()
	if d == Rumur {
		return isPlace(x)
	}
	switch from.Kind {
	case Scalarset:
		return true
	case Union:
		return t.Kind != Enum
	case Enum:
		return t.Kind == Enum
	}
	return isPlace(arg) && (t == from || t.Numeric() && t.Lo == from.Lo && t.Hi == from.Hi)
}

// refCopies says whether an undefined simple right-hand side is copied.
func refCopies(d Dialect, rhs Expr) bool {
	if d == Rumur {
		return false
	}
	x := strip(rhs)
	_, variable := x.(*Ref)
	switch x.Type().Kind {
	case Scalarset, Union:
		return true
	case Enum:
		return variable || rhs.Type().Kind == Enum
	}
	return variable
}

// refTests says whether an undefined operand may be compared.
func refTests(d Dialect, x Expr) bool {
	k := strip(x).Type().Kind
	return d == CMurphi && (k == Scalarset || k == Union)
}

// operand evaluates what is compared.
func (e *env) operand(x Expr) (int64, error) {
	v, err := e.maybe(x)
	if err == nil && v == Undef && !refTests(e.m.Dialect, x) {
		err = errRun
	}
	return v, err
}

// spell names a value so that equal values of different types have equal names.
func spell(t *Type, v int64) string {
	if t.Kind == Union {
		for _, p := range t.Parts {
			if v <= p.Hi-p.Lo {
				return spell(p, v+p.Lo)
			}
			v -= p.Hi - p.Lo + 1
		}
	}
	if t.Numeric() {
		return fmt.Sprint(v)
	}
	return fmt.Sprint(t.Name, v)
}

// as finds a value in another type.
func as(from *Type, v int64, to *Type) (int64, error) {
	if to.Kind == Integer {
		return v, nil
	}
	for w := to.Lo; w <= to.Hi; w++ {
		if spell(to, w) == spell(from, v) {
			return w, nil
		}
	}
	return 0, errRun
}

// values lists a domain.
func (e *env) values(d Domain) ([]int64, error) {
	if d.From == nil {
		return d.Values(), nil
	}
	from, err := e.eval(d.From)
	if err != nil {
		return nil, err
	}
	to, err := e.eval(d.To)
	if err != nil {
		return nil, err
	}
	by := int64(1)
	if d.By != nil {
		if by, err = e.eval(d.By); err != nil {
			return nil, err
		}
	}
	if by == 0 {
		return nil, errRun
	}
	if e.m.Dialect == Rumur {
		if d.By == nil && to < from {
			by = -1
		}
		if _, fixed := d.constSpan(); !fixed && (from < to && by < 0 || from > to && by > 0) {
			return nil, errRun
		}
		if _, fixed := d.constSpan(); fixed && d.By == nil {
			by = 1
		}
	}
	var vs []int64
	for v := from; by > 0 && v <= to || by < 0 && v >= to; v += by {
		vs = append(vs, v)
	}
	return vs, nil
}

func (e *env) eval(x Expr) (int64, error) {
	v, err := e.maybe(x)
	if err == nil && v == Undef {
		err = errRun
	}
	return v, err
}

// maybe evaluates a simple expression that may be undefined.
func (e *env) maybe(x Expr) (int64, error) {
	truth := func(b bool) (int64, error) {
		if b {
			return 1, nil
		}
		return 0, nil
	}
	switch x := x.(type) {
	case *ConstExpr:
		return x.Value, nil
	case *Ref, *FieldSel, *IndexSel, *CallExpr, *Let:
		l, err := e.leavesOf(x)
		if err != nil {
			return 0, err
		}
		return l[0], nil
	case *IsUndefined:
		l, err := e.place(x.X)
		if err != nil {
			return 0, err
		}
		return truth(l[0] == Undef)
	case *Present:
		l, err := e.slot(x.X)
		if err != nil {
			return 0, err
		}
		return truth(l[0] != Undef)
	case *Convert:
		v, err := e.maybe(x.X)
		if err != nil || v == Undef {
			return v, err
		}
		return as(x.X.Type(), v, x.To)
	case *IsMember:
		v, err := e.operand(x.X)
		if err != nil || v == Undef {
			return 0, err
		}
		_, err = as(x.X.Type(), v, x.T)
		return truth(err == nil)
	case *Cond:
		b, err := e.eval(x.If)
		if err != nil {
			return 0, err
		}
		if b != 0 {
			return e.maybe(x.Then)
		}
		return e.maybe(x.Else)
	case *Unary:
		v, err := e.eval(x.X)
		switch x.Op {
		case Neg:
			return -v, err
		case BitNot:
			return -v - 1, err
		}
		return 1 - v, err
	case *Quant, *Count:
		var v *Var
		var d Domain
		var body Expr
		q, quant := x.(*Quant)
		if quant {
			v, d, body = q.Var, q.Domain, q.Body
		} else {
			c := x.(*Count)
			v, d, body = c.Var, c.Domain, c.Body
		}
		vs, err := e.values(d)
		if err != nil {
			return 0, err
		}
		n := int64(0)
		for _, k := range vs {
			e.v[v] = []int64{k}
			b, err := e.eval(body)
			if err != nil || quant && (b != 0) != q.All {
				return b, err
			}
			n += b
		}
		if quant {
			return truth(q.All)
		}
		return n, nil
	case *Binary:
		return e.binary(x)
	}
	return 0, errors.New("unknown expression")
}

func (e *env) binary(x *Binary) (int64, error) {
	truth := func(b bool) (int64, error) {
		if b {
			return 1, nil
		}
		return 0, nil
	}
	eval := e.eval
	if x.Op == Eq || x.Op == Ne {
		eval = e.operand
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
		return truth(a == b)
	case Ne:
		return truth(a != b)
	case Lt:
		return truth(a < b)
	case Le:
		return truth(a <= b)
	case Gt:
		return truth(a > b)
	case Ge:
		return truth(a >= b)
	case Add:
		return a + b, nil
	case Sub:
		return a - b, nil
	case Mul:
		return a * b, nil
	case BitAnd:
		return a & b, nil
	case BitOr:
		return a | b, nil
	case BitXor:
		return a ^ b, nil
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
		return a, nil
	}
	if b == 0 {
		return 0, errRun
	}
	if x.Op == Div {
		return a / b, nil
	}
	return a % b, nil
}

func (e *env) exec(stmts []Stmt) error {
	for _, s := range stmts {
		if err := e.stmt(s); err != nil {
			return err
		}
	}
	return nil
}

// clear gives all leaves of t the least value.
func clearLeaves(t *Type, l []int64) {
	switch t.Kind {
	case Record:
		for _, f := range t.Fields {
			clearLeaves(f.Type, l[f.Offset:f.Offset+f.Type.Leaves])
		}
	case Array:
		for n := t.Elem.Leaves; len(l) > 0; l = l[n:] {
			clearLeaves(t.Elem, l[:n])
		}
	case Multiset:
		for i := range l {
			l[i] = Undef
		}
	default:
		l[0] = t.Lo
	}
}

// sortSets puts the multisets in l in order.
func sortSets(t *Type, l []int64) {
	switch t.Kind {
	case Record:
		for _, f := range t.Fields {
			sortSets(f.Type, l[f.Offset:f.Offset+f.Type.Leaves])
		}
	case Array:
		for n := t.Elem.Leaves; len(l) > 0; l = l[n:] {
			sortSets(t.Elem, l[:n])
		}
	case Multiset:
		var full, free [][]int64
		for slot := range slices.Chunk(slices.Clone(l), 1+t.Elem.Leaves) {
			sortSets(t.Elem, slot[1:])
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

func (e *env) stmt(s Stmt) error {
	if e.shared.fuel--; e.shared.fuel < 0 {
		return errFuel
	}
	switch s := s.(type) {
	case *Assign:
		dst, err := e.place(s.LHS)
		if err != nil {
			return err
		}
		t := s.LHS.Type()
		src, err := e.leavesOf(s.RHS)
		if err != nil {
			return err
		}
		if t.Simple() {
			v := src[0]
			if v == Undef && !refCopies(e.m.Dialect, s.RHS) || v != Undef && t.Kind != Integer && (v < t.Lo || v > t.Hi) {
				return errRun
			}
		}
		copy(dst, slices.Clone(src))
	case *Undefine:
		dst, err := e.place(s.X)
		if err != nil {
			return err
		}
		for i := range dst {
			dst[i] = Undef
		}
	case *Clear:
		dst, err := e.place(s.X)
		if err != nil {
			return err
		}
		clearLeaves(s.X.Type(), dst)
	case *If:
		for _, c := range s.Clauses {
			b, err := e.eval(c.Cond)
			if err != nil {
				return err
			}
			if b != 0 {
				return e.exec(c.Body)
			}
		}
		return e.exec(s.Else)
	case *Switch:
		x, err := e.operand(s.X)
		if err != nil {
			return err
		}
		for _, c := range s.Cases {
			for _, k := range c.Values {
				v, err := e.eval(k)
				if err != nil {
					return err
				}
				if v == x {
					return e.exec(c.Body)
				}
			}
		}
		return e.exec(s.Else)
	case *For:
		vs, err := e.values(s.Domain)
		if err != nil {
			return err
		}
		for _, v := range vs {
			e.v[s.Var] = []int64{v}
			if err := e.exec(s.Body); err != nil {
				return err
			}
		}
	case *While:
		for i := 0; ; i++ {
			b, err := e.eval(s.Cond)
			if err != nil || b == 0 {
				return err
			}
			if i == e.m.LoopMax {
				return errRun
			}
			if err := e.exec(s.Body); err != nil {
				return err
			}
		}
	case *Alias:
		if err := e.name(s.Var, s.X); err != nil {
			return err
		}
		return e.exec(s.Body)
	case *Call:
		_, err := e.call(s.Proc, s.Args)
		return err
	case *Return:
		return e.returns(s)
	case *Insert:
		return e.insert(s)
	case *Remove:
		l, err := e.slot(s.X)
		if err != nil || l[0] == Undef {
			return errOr(err, errRun)
		}
		for i := range l {
			l[i] = Undef
		}
	case *Assume:
		b, err := e.eval(s.Cond)
		if err == nil && b == 0 {
			err = errDisabled
		}
		return err
	case *CoverStmt:
		b, err := e.eval(s.Cond)
		if b != 0 && err == nil {
			e.shared.hits[s.Prop] = true
		}
		return err
	case *Put:
		if s.X == nil {
			return nil
		}
		if isPlace(s.X) {
			_, err := e.place(s.X)
			return err
		}
		_, err := e.eval(s.X)
		return err
	case *Assert:
		if s.Cond != nil {
			b, err := e.eval(s.Cond)
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

func (e *env) returns(s *Return) error {
	if s.X == nil {
		return errReturn
	}
	l, err := e.leavesOf(s.X)
	if err != nil {
		return err
	}
	e.result = slices.Clone(l)
	t := e.proc.Result
	if !t.Simple() {
		return errReturn
	}
	k := strip(s.X).Type().Kind
	loose := e.m.Dialect == CMurphi && (k == Scalarset || k == Union || k == Enum && s.X.Type().Kind == Enum)
	if l[0] == Undef && !loose {
		return errRun
	}
	if e.m.Dialect == CMurphi && l[0] != Undef && (l[0] < t.Lo || l[0] > t.Hi) {
		return errRun
	}
	return errReturn
}

func (e *env) insert(s *Insert) error {
	set, err := e.place(s.Set)
	if err != nil {
		return err
	}
	x, err := e.leavesOf(s.X)
	if err != nil {
		return err
	}
	x = slices.Clone(x)
	t := s.Set.Type()
	if u := t.Elem; u.Simple() {
		k := s.X.Type().Kind
		if x[0] == Undef && (e.m.Dialect == Rumur || k != Enum && k != Scalarset && k != Union) {
			return errRun
		}
		if x[0] != Undef && (x[0] < u.Lo || x[0] > u.Hi) {
			return errRun
		}
	}
	for slot := range slices.Chunk(set, 1+t.Elem.Leaves) {
		if slot[0] == Undef {
			slot[0] = 1
			copy(slot[1:], x)
			return nil
		}
	}
	return errRun
}

// fire returns the next state, nil if disabled, or an error, and the covers hit.
func fireSlowly(m *Model, r *Rule, params []int64, s State) (next State, inGuard, leftOut bool, hits map[int]bool, err error) {
	next = slices.Clone(s)
	e := newEnv(m, next)
	hits = e.shared.hits
	for i, p := range r.Params {
		e.v[p.Var] = []int64{params[i]}
	}
	if r.Guard != nil {
		b, err := e.eval(r.Guard)
		if err == errDisabled || err == nil && b == 0 {
			return nil, true, false, hits, nil
		}
		if err != nil {
			return nil, true, false, hits, err
		}
	}
	for _, v := range r.Locals {
		e.v[v] = slices.Repeat([]int64{Undef}, v.Type.Leaves)
	}
	switch err := e.exec(r.Body); err {
	case nil, errReturn:
	case errDisabled:
		return nil, false, false, hits, nil
	default:
		return nil, false, false, hits, err
	}
	for _, v := range m.Vars {
		sortSets(v.Type, next[v.Offset:v.Offset+v.Type.Leaves])
	}
	for _, q := range m.Assumptions {
		ok, err := holdsSlowly(m, q.Params, q.Expr, next, true)
		if err == errDisabled {
			return nil, false, false, hits, nil
		}
		if err != nil || !ok {
			return nil, false, err == nil && !slices.Equal(next, s), hits, err
		}
	}
	return next, false, false, hits, nil
}

// holdsSlowly evaluates an expression for all, or any, values of parameters.
func holdsSlowly(m *Model, params []*Param, x Expr, s State, all bool) (bool, error) {
	e := newEnv(m, slices.Clone(s))
	for i := len(params) - 1; i >= 0; i-- {
		x = &Quant{All: all, Var: params[i].Var, Domain: params[i].Domain, Body: x}
	}
	b, err := e.eval(x)
	return b != 0, err
}
