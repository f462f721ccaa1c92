package model

import "fmt"

// block compiles a statement sequence.
func (c *compiler) block(stmts []Stmt) execFn {
	var fs []execFn
	for _, s := range stmts {
		fs = append(fs, c.stmt(s))
	}
	switch len(fs) {
	case 0:
		return func([]int64) {}
	case 1:
		return fs[0]
	}
	return func(f []int64) {
		for _, s := range fs {
			s(f)
		}
	}
}

func (c *compiler) stmt(s Stmt) execFn {
	switch s := s.(type) {
	case *Assign:
		return c.assign(s)
	case *If:
		return c.ifStmt(s)
	case *Switch:
		return c.switchStmt(s)
	case *For:
		values := c.domain(s.Domain)
		slot := c.bind(s.Var, s.Domain)
		body := c.block(s.Body)
		return func(f []int64) {
			d := values(f)
			for i := uint64(0); i < d.n; i++ {
				f[slot] = d.at(i)
				body(f)
			}
		}
	case *Undefine:
		at, n := c.place(s.X), s.X.Type().Leaves
		return func(f []int64) { undefine(f, at(f), n) }
	case *Assert:
		return c.assert(s)
	case *Put:
		return c.put(s)
	}
	panic(fmt.Sprintf("model: %v: unknown statement %T", s.Position(), s))
}

func undefine(f []int64, at, n int) {
	for i := at; i < at+n; i++ {
		f[i] = Undef
	}
}

// place returns where a designator of any type starts in the frame.
func (c *compiler) place(e Expr) func(f []int64) int {
	a := c.address(e)
	if base := a.base; len(a.terms) == 0 {
		return func([]int64) int { return base }
	}
	return c.locate(a)
}

func (c *compiler) assign(s *Assign) execFn {
	t := s.LHS.Type()
	dst := c.place(s.LHS)
	if !t.Simple() {
		src, n := c.place(s.RHS), t.Leaves
		return func(f []int64) {
			to, from := dst(f), src(f)
			copy(f[to:to+n], f[from:from+n])
		}
	}
	value := c.eval
	if s.CopiesUndefined(c.p.Model.Dialect) {
		value = c.raw
	}
	return c.store(s, t, dst, value(s.RHS))
}

// store compiles the assignment of a value, which may be Undef.
func (c *compiler) store(s *Assign, t *Type, dst func(f []int64) int, value evalFn) execFn {
	if c.within(s.RHS, t.Lo, t.Hi) || t.Kind != Range {
		if a := c.address(s.LHS); len(a.terms) == 0 {
			base := a.base
			if k, ok := constant(s.RHS); ok {
				return func(f []int64) { f[base] = k }
			}
			return func(f []int64) { f[base] = value(f) }
		}
		return func(f []int64) { f[dst(f)] = value(f) }
	}
	p, pos, name, lo, hi := c.p, s.Pos, c.address(s.LHS).text, t.Lo, t.Hi
	return func(f []int64) {
		at, v := dst(f), value(f)
		if (v < lo || v > hi) && v != Undef {
			p.raise(pos, "value %d assigned to %s is outside %d..%d", v, name, lo, hi)
		}
		f[at] = v
	}
}

func (c *compiler) ifStmt(s *If) execFn {
	els := c.block(s.Else)
	for i := len(s.Clauses) - 1; i >= 0; i-- {
		test, then, rest := c.test(s.Clauses[i].Cond), c.block(s.Clauses[i].Body), els
		els = func(f []int64) {
			if test(f) {
				then(f)
			} else {
				rest(f)
			}
		}
	}
	return els
}

func (c *compiler) switchStmt(s *Switch) execFn {
	type arm struct {
		value evalFn
		body  execFn
	}
	var arms []arm
	for _, k := range s.Cases {
		body := c.block(k.Body)
		for _, v := range k.Values {
			arms = append(arms, arm{c.eval(v), body})
		}
	}
	x, els := c.eval(s.X), c.block(s.Else)
	return func(f []int64) {
		v := x(f)
		for i := range arms {
			if arms[i].value(f) == v {
				arms[i].body(f)
				return
			}
		}
		els(f)
	}
}

func (c *compiler) assert(s *Assert) execFn {
	fail := &fault{s.Prop, s.Pos, s.Message}
	if s.Cond == nil {
		return func([]int64) { panic(fail) }
	}
	test := c.test(s.Cond)
	return func(f []int64) {
		if !test(f) {
			panic(fail)
		}
	}
}

// put evaluates what is printed, for the errors in it: those of a designator's
// indices, but not that its value is undefined, and all those of another
// expression.
func (c *compiler) put(s *Put) execFn {
	switch {
	case s.X == nil:
		return func([]int64) {}
	case designator(s.X):
		at := c.place(s.X)
		return func(f []int64) { at(f) }
	}
	x := c.eval(s.X)
	return func(f []int64) { x(f) }
}
