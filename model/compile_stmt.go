package model

import (
	"cmp"
	"fmt"

	"orbitmc/internal/lists"
)

// block compiles a statement sequence.
func (c *compiler) block(stmts []Stmt) execFn {
	return sequence(lists.Map(stmts, c.stmt))
}

// sequence runs statements until one returns.
func sequence(fs []execFn) execFn {
	switch len(fs) {
	case 0:
		return func([]int64) bool { return false }
	case 1:
		return fs[0]
	case 2:
		a, b := fs[0], fs[1]
		return func(f []int64) bool { return a(f) || b(f) }
	}
	return func(f []int64) bool {
		for _, s := range fs {
			if s(f) {
				return true
			}
		}
		return false
	}
}

func (c *compiler) stmt(s Stmt) execFn {
	switch s := s.(type) {
	case *Assign:
		return c.assign(s)
	case *If:
		return c.ifStmt(s)
	case *For:
		values := c.domain(s.Domain)
		slot := c.bind(s.Var, s.Domain)
		body := c.block(s.Body)
		return func(f []int64) bool {
			d := values(f)
			for i := uint64(0); i < d.n; i++ {
				f[slot] = d.at(i)
				if body(f) {
					return true
				}
			}
			return false
		}
	case *While:
		return c.while(s)
	case *Reset:
		at, n, log := c.place(s.X), s.X.Type().Leaves, c.p.log
		if s.Least {
			values := leastValues(s.X.Type())
			return func(f []int64) bool {
				to := at(f)
				wrote(f, log, to, copy(f[to:], values))
				return false
			}
		}
		return func(f []int64) bool {
			to := at(f)
			undefine(f, to, n)
			wrote(f, log, to, n)
			return false
		}
	case *Alias:
		return c.alias(s)
	case *Call:
		run, _ := c.call(s, s.Pos)
		return func(f []int64) bool {
			run(f)
			return false
		}
	case *Return:
		return c.returnStmt(s)
	case *Insert:
		return c.insert(s)
	case *Remove:
		return c.remove(s)
	case *Assume:
		test := c.test(s.Cond)
		fail := &fault{prop: disabled}
		return func(f []int64) bool {
			if !test(f) {
				panic(fail)
			}
			return false
		}
	case *CoverStmt:
		test, hit := c.test(s.Cond), c.p.hits[s.Prop]
		return func(f []int64) bool {
			if test(f) {
				f[hit] = 1
			}
			return false
		}
	case *Assert:
		return c.assert(s)
	case *Put:
		return c.put(s)
	}
	panic(fmt.Sprintf("model: %v: unknown statement %T", s.Position(), s))
}

func undefine(f []int64, at, n int) {
	f = f[at : at+n]
	for i := 0; i < min(n, blockLeaves); i++ {
		f[i] = Undef
	}
	for i := blockLeaves; i < n; i *= 2 {
		copy(f[i:], f[:i])
	}
}

// leastValues returns the values of the leaves of a cleared variable of type t.
func leastValues(t *Type) []int64 {
	return lists.Map(t.Unfolded(), func(l Leaf) int64 {
		if l.Slot >= 0 {
			return Undef
		}
		return l.Type.Least()
	})
}

func (c *compiler) assign(s *Assign) execFn {
	t := s.LHS.Type()
	if t.Simple() {
		return c.store(s, t, c.value(s.RHS, s.CopiesUndefined))
	}
	dst, src, n, log := c.place(s.LHS), c.whole(s.RHS), t.Leaves, c.p.log
	return func(f []int64) bool {
		to, from := dst(f), src(f)
		copy(f[to:to+n], f[from:from+n])
		wrote(f, log, to, n)
		return false
	}
}

// manyWrites is how many writes of an instance are noted.
const manyWrites = 64

// wrote notes that a body has written n leaves from frame entry at on, which may be
// behind the state. The entry log counts the writes; there may be more than are noted.
func wrote(f []int64, log, at, n int) {
	k := f[log] + 1
	f[log] = k
	if k <= manyWrites {
		f[log+int(k)] = int64(at) | int64(n)<<32
	}
}

// store compiles the assignment of a value, which may be Undef.
func (c *compiler) store(s *Assign, t *Type, value evalFn) execFn {
	a := c.address(s.LHS)
	dst := c.locate(a)
	if t.Kind == Range && !c.within(s.RHS, t.Lo, t.Hi) {
		p, pos, name, lo, hi, log := c.p, s.Pos, a.text, t.Lo, t.Hi, c.p.log
		return func(f []int64) bool {
			at, v := dst(f), value(f)
			if (v < lo || v > hi) && v != Undef {
				p.raise(pos, "value %d assigned to %s is outside %d..%d", v, name, lo, hi)
			}
			f[at] = v
			wrote(f, log, at, 1)
			return false
		}
	}
	log := c.p.log
	if base := a.base; len(a.terms) == 0 {
		if base >= c.p.n {
			return func(f []int64) bool {
				f[base] = value(f)
				return false
			}
		}
		if k, ok := constant(s.RHS); ok {
			return func(f []int64) bool {
				f[base] = k
				wrote(f, log, base, 1)
				return false
			}
		}
		return func(f []int64) bool {
			f[base] = value(f)
			wrote(f, log, base, 1)
			return false
		}
	}
	if k, ok := constant(s.RHS); ok {
		return func(f []int64) bool {
			at := dst(f)
			f[at] = k
			wrote(f, log, at, 1)
			return false
		}
	}
	return func(f []int64) bool {
		at := dst(f)
		f[at] = value(f)
		wrote(f, log, at, 1)
		return false
	}
}

func (c *compiler) ifStmt(s *If) execFn {
	if s.Switch != nil {
		if run := c.switchTable(s); run != nil {
			return run
		}
	}
	els := c.block(s.Else)
	for i := len(s.Clauses) - 1; i >= 0; i-- {
		test, then, rest := c.test(s.Clauses[i].Cond), c.block(s.Clauses[i].Body), els
		els = func(f []int64) bool {
			if test(f) {
				return then(f)
			}
			return rest(f)
		}
	}
	return els
}

func (c *compiler) while(s *While) execFn {
	test, body := c.test(s.Cond), c.block(s.Body)
	p, pos, most := c.p, s.Pos, cmp.Or(c.p.Model.LoopMax, DefaultLoopMax)
	return func(f []int64) bool {
		for i := 0; test(f); i++ {
			if i == most {
				p.raise(pos, "%s %d times", TooManyTurns, most)
			}
			if body(f) {
				return true
			}
		}
		return false
	}
}

func (c *compiler) assert(s *Assert) execFn {
	fail := &fault{prop: s.Prop, pos: s.Pos, msg: s.Message}
	if s.Cond == nil {
		return func([]int64) bool { panic(fail) }
	}
	test := evaluating(s.Prop, c.test(s.Cond))
	return func(f []int64) bool {
		if !test(f) {
			panic(fail)
		}
		return false
	}
}

// evaluating returns the test of a property. An error in it violates the property, too.
func evaluating(prop int, test testFn) testFn {
	return func(f []int64) bool {
		defer func() {
			if r := recover(); r != nil {
				if flt, ok := r.(*fault); ok {
					r = flt.while(prop)
				}
				panic(r)
			}
		}()
		return test(f)
	}
}

// put evaluates what is printed, for the errors in it: those of a designator's
// indices, but not that its value is undefined, and all those of another
// expression.
func (c *compiler) put(s *Put) execFn {
	switch {
	case s.X == nil:
		return sequence(nil)
	case Designator(s.X) || !s.X.Type().Simple():
		at := c.whole(s.X)
		return func(f []int64) bool {
			at(f)
			return false
		}
	}
	x := c.eval(s.X)
	return func(f []int64) bool {
		x(f)
		return false
	}
}
