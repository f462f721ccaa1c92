package model

import (
	"fmt"
	"sync"

	"orbitmc/internal/lists"
)

// Procedures. Each has a region of the frame for its parameters, result, locals
// and whatever its body binds; a procedure that can be called while it runs has
// MaxRecursion regions, one for each depth. So all variables keep fixed
// addresses. The body is compiled once for each region that is used, the deeper
// ones only when a call first gets there.

// proc is a procedure in a program.
type proc struct {
	*Proc
	base, size int // first frame entry, and entries of one region
	group      int // procedures that can call each other have the same number; 0: not recursive
	effect     bool
	bodies     []procBody // by depth
}

type procBody struct {
	once sync.Once
	run  execFn
}

// findEffects fills in which procedures there are, which of them are recursive
// and which may change the state.
func (p *Program) findEffects() {
	p.procs = lists.Map(p.Model.Procs, func(q *Proc) *proc { return &proc{Proc: q} })
	reached := p.Model.Reached()
	for i, q := range p.procs {
		for j, r := range p.procs {
			if r.group == 0 && reached[i][i] && reached[i][j] && reached[j][i] {
				r.group = i + 1
			}
			q.effect = q.effect || (i == j || reached[i][j]) && changes(r.Proc)
		}
	}
}

// layoutProcs lays the regions out from frame entry next on and returns the
// first entry behind them.
func (p *Program) layoutProcs(next int) int {
	for _, q := range p.procs {
		q.base, q.size = next, regionSize(q.Proc)
		q.bodies = make([]procBody, 1)
		if q.group > 0 {
			q.bodies = make([]procBody, MaxRecursion)
		}
		next += q.size * len(q.bodies)
	}
	return next
}

// effects reports whether the evaluation of e may change anything.
func (p *Program) effects(e Expr) bool {
	return Has(e, func(n any) bool {
		q, _ := Called(n)
		return q != nil && p.procs[q.Index].effect
	})
}

// changes reports whether the body of q itself, without what it calls, may
// change anything but its own locals.
func changes(q *Proc) bool {
	return Has(q.Body, func(n any) bool {
		if x := Written(n); x != nil {
			v := Root(x)
			return v.Kind == StateVar || v.Kind == RefVar
		}
		_, covers := n.(*CoverStmt)
		return covers
	})
}

// regionSize returns the number of frame entries that the body of q needs.
func regionSize(q *Proc) int {
	size := lists.Sum(q.Params, func(a *Formal) int { return entries(a.Var) })
	if q.Result != nil {
		size += q.Result.Leaves
	}
	for _, v := range q.Locals {
		size += entries(v)
	}
	Inspect(q.Body, func(n any) {
		if v := Bound(n); v != nil {
			size += entries(v)
		} else if callee, _ := Called(n); callee != nil {
			size += tempSize(callee)
		}
	})
	return size
}

// tempSize returns the number of frame entries of the arguments of a call.
func tempSize(callee *Proc) int {
	return lists.Sum(callee.Params, func(a *Formal) int { return entries(a.Var) })
}

// compileBody compiles the body of q for its region at a depth.
func (p *Program) compileBody(q *proc, depth int) execFn {
	c := p.newCompiler(q.base + depth*q.size)
	end := c.next + q.size
	c.proc, c.depth = q, depth
	for _, a := range q.Params {
		c.slot(a.Var)
	}
	c.result = c.next
	if q.Result != nil {
		c.next += q.Result.Leaves
	}
	lo := c.next
	for _, v := range q.Locals {
		c.slot(v)
	}
	n := c.next - lo
	body := c.block(q.Body)
	if c.next > end {
		panic(fmt.Sprintf("model: %v: region of %s is too small", q.Pos, q.Name))
	}
	if q.Result == nil {
		return func(f []int64) bool {
			undefine(f, lo, n)
			body(f)
			return false
		}
	}
	return func(f []int64) bool {
		undefine(f, lo, n)
		if !body(f) {
			p.raise(q.Pos, "the end of function %s was reached without a return", q.Name)
		}
		return false
	}
}

// call compiles a call. The arguments are evaluated in order, and none is put
// where the callee looks for it while a later one may still call something.
// node is the call; result is where the callee leaves its result.
func (c *compiler) call(node any, pos Pos) (run execFn, result int) {
	callee, args := Called(node)
	q, depth := c.p.procs[callee.Index], 0
	inner := c.proc != nil && q.group > 0 && c.proc.group == q.group
	if inner {
		depth = c.depth + 1
	}
	tooDeep := func(f []int64) bool {
		c.p.raise(pos, "recursion deeper than %d in %s", MaxRecursion, q.Name)
		return false
	}
	base := q.base + depth*q.size
	result = base + tempSize(callee)
	temp, ok := c.temps[node]
	if !ok {
		temp = c.next
		c.temps[node] = temp
		c.next += result - base
	}
	later := len(args) // arguments before this one go to temporary entries
	for later > 0 && !Calls(args[later-1]) {
		later--
	}
	var passes []execFn
	kept, at := 0, 0
	for i, a := range callee.Params {
		to := base
		if i+1 < later || depth == len(q.bodies) {
			to, kept = temp, at+entries(a.Var)
		}
		passes = append(passes, c.pass(a, args[i], to+at))
		at += entries(a.Var)
	}
	if depth == len(q.bodies) {
		return sequence(append(passes, tooDeep)), result - q.size
	}
	if kept > 0 {
		passes = append(passes, func(f []int64) bool {
			copy(f[base:base+kept], f[temp:temp+kept])
			return false
		})
	}
	b := &q.bodies[depth]
	if q.group == 0 {
		b.once.Do(func() { b.run = c.p.compileBody(q, 0) })
		return sequence(append(passes, b.run)), result
	}
	open := c.p.depth
	return sequence(append(passes, func(f []int64) bool {
		if f[open] == MaxRecursion {
			tooDeep(f)
		}
		b.once.Do(func() { b.run = c.p.compileBody(q, depth) })
		f[open]++
		b.run(f)
		f[open]--
		return false
	})), result
}

// pass compiles the passing of an argument: what the parameter a needs is put
// into the frame from entry to on.
func (c *compiler) pass(a *Formal, arg Expr, to int) execFn {
	t := a.Var.Type
	if a.ByRef {
		at := c.place(arg)
		return func(f []int64) bool {
			f[to] = int64(at(f))
			return false
		}
	}
	if !t.Simple() {
		return c.copyWhole(to, arg)
	}
	value := c.value(arg, func(d Dialect) bool { return a.CopiesUndefined(arg, d) })
	if c.within(arg, t.Lo, t.Hi) || t.Kind != Range {
		return func(f []int64) bool {
			f[to] = value(f)
			return false
		}
	}
	p, pos, name, lo, hi := c.p, arg.Position(), a.Var.Name, t.Lo, t.Hi
	return func(f []int64) bool {
		v := value(f)
		if (v < lo || v > hi) && v != Undef {
			p.raise(pos, "value %d of parameter %s is outside %d..%d", v, name, lo, hi)
		}
		f[to] = v
		return false
	}
}

// copyWhole compiles the copying of a value that is not simple to a fixed place.
func (c *compiler) copyWhole(to int, x Expr) execFn {
	at, n := c.whole(x), x.Type().Leaves
	return func(f []int64) bool {
		from := at(f)
		copy(f[to:to+n], f[from:from+n])
		return false
	}
}

// whole returns where the value of an expression that is not simple starts in
// the frame, until the next call.
func (c *compiler) whole(x Expr) func(f []int64) int {
	switch x := x.(type) {
	case *CallExpr:
		run, result := c.call(x, x.Pos)
		return func(f []int64) int {
			run(f)
			return result
		}
	case *Let:
		bind := c.bindName(x.Var, x.X)
		body := c.whole(x.Body)
		return func(f []int64) int {
			bind(f)
			return body(f)
		}
	}
	return c.place(x)
}

// bindName compiles the part of Let and Alias that gives x the name v.
func (c *compiler) bindName(v *Var, x Expr) execFn {
	if v.Kind == RefVar {
		at := c.place(x)
		s := c.slot(v)
		return func(f []int64) bool {
			f[s] = int64(at(f))
			return false
		}
	}
	c.slot(v)
	return c.assign(&Assign{LHS: &Ref{v, x.Position()}, RHS: x, Pos: x.Position()})
}

// let compiles a simple Let, given the compiled body.
func let[T int64 | bool](bind execFn, body func(f []int64) T) func(f []int64) T {
	return func(f []int64) T {
		bind(f)
		return body(f)
	}
}

func (c *compiler) alias(s *Alias) execFn {
	bind := c.bindName(s.Var, s.X)
	body := c.block(s.Body)
	return func(f []int64) bool {
		bind(f)
		return body(f)
	}
}

func (c *compiler) returnStmt(s *Return) execFn {
	if s.X == nil {
		return func([]int64) bool { return true }
	}
	t, to := c.proc.Result, c.result
	if !t.Simple() {
		store := c.copyWhole(to, s.X)
		return func(f []int64) bool {
			store(f)
			return true
		}
	}
	value := c.value(s.X, s.CopiesUndefined)
	p, pos, name, lo, hi := c.p, s.Pos, c.proc.Name, t.Lo, t.Hi
	if t.Kind != Range || !s.ChecksRange(p.Model.Dialect) || c.within(s.X, lo, hi) {
		return func(f []int64) bool {
			f[to] = value(f)
			return true
		}
	}
	return func(f []int64) bool {
		v := value(f)
		if (v < lo || v > hi) && v != Undef {
			p.raise(pos, "value %d returned by %s is outside %d..%d", v, name, lo, hi)
		}
		f[to] = v
		return true
	}
}

// callValue compiles a call for its simple result; an undefined one is an error
// unless raw.
func (c *compiler) callValue(e *CallExpr, raw bool, note string) evalFn {
	run, result := c.call(e, e.Pos)
	if memo, ok := c.p.memos[memoKey(e)]; ok {
		run = c.p.memoised(run, result, memo)
	}
	if raw {
		return func(f []int64) int64 {
			run(f)
			return f[result]
		}
	}
	p, pos, name := c.p, e.Pos, e.Proc.Name
	return func(f []int64) int64 {
		run(f)
		v := f[result]
		if v == Undef {
			p.raise(pos, "result of %s is undefined%s", name, note)
		}
		return v
	}
}
