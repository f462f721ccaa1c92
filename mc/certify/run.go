package certify

import (
	"fmt"
	"maps"

	"orbitmc/model"
)

// This file runs expressions and statements on cells.

type call struct {
	p     *model.Proc
	out   int // cells of the result
	ends  []*memory
	depth int // watchers outside
}

// name is Let and Alias.
func (x *turns) name(v *model.Var, e model.Expr, pos model.Pos) {
	if v.Kind == model.RefVar {
		r := x.region(e)
		x.fix(&r)
		x.env[v] = &binding{r: &r, age: maps.Clone(x.ages)}
		return
	}
	x.env[v] = &binding{r: x.alloc(v.Type)}
	x.assign(&model.Assign{LHS: &model.Ref{Var: v, Pos: pos}, RHS: e, Pos: pos})
}

func (x *turns) assign(s *model.Assign) {
	dst := x.region(s.LHS)
	if !dst.t.Simple() {
		x.copy(dst, x.region(s.RHS))
		return
	}
	if b, ok := s.RHS.(*model.Binary); ok && (b.Op == model.Add || b.Op == model.Sub) && len(dst.sets) == 0 && dst.name != "" {
		if c, ok := b.Y.(*model.ConstExpr); ok && isPlace(b.X) {
			outer, left := false, false
			for _, a := range dst.at {
				left = left || x.cells.get(a).left
				for _, w := range x.watchers {
					outer = outer || a < w.top && x.cells.get(a).fresh&w.bit == 0
				}
			}
			if outer && x.region(b.X).name == dst.name {
				x.err2(s.Pos)
				kind := "add+"
				if (c.Value < 0) != (b.Op == model.Sub) {
					kind = "add-"
				}
				if left {
					x.fail(s.Pos, "what the last turn of a loop left is read")
				}
				for _, a := range dst.at {
					x.writeCell(a, cell{sym: x.sum()}, len(dst.at) == 1, kind)
				}
				return
			}
		}
	}
	c := x.eval(s.RHS, s.CopiesUndefined(x.m.Dialect))
	x.inside(s.RHS, c, dst.t)
	x.through(dst, true)
	x.store(dst, 0, c)
}

// inside notes the error of a value outside of a range.
func (x *turns) inside(e model.Expr, c cell, t *model.Type) {
	if t.Kind != model.Range {
		return
	}
	if lo, hi, ok := bounds(e); ok && t.Lo <= lo && hi <= t.Hi || c.known && t.Lo <= c.k && c.k <= t.Hi {
		return
	}
	x.err2(e.Position())
}

// bounds returns the least and the greatest value that a number may have, by its type.
func bounds(e model.Expr) (lo, hi int64, ok bool) {
	const far = 1 << 40
	switch e := e.(type) {
	case *model.ConstExpr:
		return e.Value, e.Value, -far < e.Value && e.Value < far
	case *model.Ref, *model.FieldSel, *model.IndexSel:
		t := e.Type()
		return t.Lo, t.Hi, t.Kind == model.Range && -far < t.Lo && t.Hi < far
	case *model.Count:
		return 0, 1 << 20, e.Domain.From == nil && e.Domain.Type.Card() <= 1<<20
	case *model.Binary:
		a, b, ok1 := bounds(e.X)
		c, d, ok2 := bounds(e.Y)
		if !ok1 || !ok2 || a < -1<<30 || b > 1<<30 || c < -1<<30 || d > 1<<30 {
			return 0, 0, false
		}
		switch e.Op {
		case model.Add:
			return a + c, b + d, true
		case model.Sub:
			return a - d, b - c, true
		}
	}
	return 0, 0, false
}

// converted returns the number of an unknown value in another type.
func (x *turns) converted(sym int, t *model.Type) int {
	if sym == 0 {
		return 0
	}
	key := fmt.Sprintf("%d %p", sym, t)
	if x.conversions[key] == 0 {
		x.conversions[key] = x.sum()
	}
	return x.conversions[key]
}

func truth(b bool) cell {
	if b {
		return cell{known: true, k: 1}
	}
	return cell{known: true}
}

// eval evaluates an expression of simple type.
func (x *turns) eval(e model.Expr, raw bool) cell {
	if x.steps++; x.steps > 1<<23 {
		x.fail(e.Position(), "there is too much to run")
	}
	if x.err != nil {
		return cell{}
	}
	d := x.m.Dialect
	switch e := e.(type) {
	case *model.ConstExpr:
		return cell{known: true, k: e.Value}
	case *model.Ref:
		if b := x.env[e.Var]; b != nil && b.r == nil {
			return b.value
		}
		return x.load(x.region(e), raw)
	case *model.FieldSel, *model.IndexSel:
		return x.load(x.region(e), raw)
	case *model.Unary:
		c := x.eval(e.X, false)
		if e.Op == model.Not && c.known {
			return truth(c.k == 0)
		}
		if _, _, ok := bounds(e.X); !ok && e.Op != model.Not {
			x.err2(e.Pos)
		}
		return cell{}
	case *model.Binary:
		return x.binaryOp(e)
	case *model.Cond:
		c := x.eval(e.If, false)
		if c.known {
			if c.k != 0 {
				return x.eval(e.Then, raw)
			}
			return x.eval(e.Else, raw)
		}
		var out []cell
		x.either(func() { out = append(out, x.eval(e.Then, raw)) }, func() { out = append(out, x.eval(e.Else, raw)) })
		if len(out) < 2 {
			return cell{}
		}
		return out[0].join(out[1])
	case *model.Quant:
		x.quantified(e.Var, e.Domain, e, e.Pos, func() { x.eval(e.Body, false) })
		return cell{}
	case *model.Count:
		if set, op, ok := x.ofValue(e.Var, e.Body); ok {
			x.operate(set, op)
			return cell{}
		}
		x.quantified(e.Var, e.Domain, nil, e.Pos, func() { x.eval(e.Body, false) })
		return cell{}
	case *model.IsUndefined:
		c := x.load(x.region(e.X), true)
		if c.left && c.undef == 1 {
			x.fail(e.Pos, "what the last turn of a loop left is read")
		}
		switch c.undef {
		case 0:
			return truth(false)
		case 2:
			return truth(true)
		}
		return cell{}
	case *model.Present:
		r := x.element(e.X, false)
		b := x.env[e.X.Index.(*model.Ref).Var]
		if b != nil && b.value.known { // in a turn of its own
			for _, a := range r.at {
				x.readCell(a - 1)
			}
			x.through(r, false)
			x.operate(region{at: r.sets[:1]}, setOp{kind: "slot"})
		} else {
			x.operate(x.region(e.X.X), setOp{kind: "look"})
		}
		return cell{}
	case *model.Convert:
		c := x.eval(e.X, raw)
		if e.To != e.X.Type() && e.To.Kind != model.Union {
			x.err2(e.Pos)
		}
		if c.known {
			if k, ok := e.X.Type().Convert(e.To, c.k); ok {
				c.k = k
			} else {
				c.known = false
			}
		} else {
			c.sym = x.converted(c.sym, e.To)
		}
		return c
	case *model.IsMember:
		c := x.eval(e.X, d.TestsUndefined(e.X))
		if c.known && c.undef == 0 {
			_, ok := e.X.Type().Convert(e.T, c.k)
			return truth(ok)
		}
		if c.left {
			x.fail(e.Pos, "what the last turn of a loop left is read")
		}
		return cell{}
	case *model.CallExpr:
		return x.load(x.call(e.Proc, e.Args, e.Pos), raw)
	case *model.Let:
		x.name(e.Var, e.X, e.Pos)
		return x.eval(e.Body, raw)
	}
	x.fail(e.Position(), "an unknown expression")
	return cell{}
}

func (x *turns) binaryOp(e *model.Binary) cell {
	d := x.m.Dialect
	if e.Op <= model.Implies {
		a := x.eval(e.X, false)
		ends := e.Op == model.Or // the left operand that decides
		if a.known && (a.k != 0) == ends {
			return truth(e.Op != model.And)
		}
		if a.known {
			return x.eval(e.Y, false)
		}
		var b cell
		x.either(func() { b = x.eval(e.Y, false) }, func() {})
		if b.known && (b.k != 0) == (e.Op != model.And) {
			return truth(b.k != 0)
		}
		return cell{}
	}
	raw := func(y model.Expr) bool { return e.Op <= model.Ne && d.TestsUndefined(y) }
	a, b := x.eval(e.X, raw(e.X)), x.eval(e.Y, raw(e.Y))
	if a.left || b.left {
		x.fail(e.Pos, "what the last turn of a loop left is read")
	}
	if e.Op <= model.Ne {
		if a.known && b.known && a.undef == 0 && b.undef == 0 {
			return truth((a.k == b.k) == (e.Op == model.Eq))
		}
		return cell{}
	}
	if e.Op >= model.Add {
		_, _, ok := bounds(e)
		if k, c := e.Y.(*model.ConstExpr); c && k.Value != 0 && (e.Op == model.Div || e.Op == model.Mod) {
			_, _, ok = bounds(e.X)
		}
		if !ok {
			x.err2(e.Pos)
		}
	}
	return cell{}
}

// either runs one of two things.
func (x *turns) either(f, g func()) {
	before, ages, emptied := x.cells.clone(), maps.Clone(x.ages), maps.Clone(x.emptied)
	x.cond++
	f()
	c1, a1, e1 := x.cells, x.ages, x.emptied
	x.cells, x.ages, x.emptied = before, ages, emptied
	g()
	x.cond--
	x.cells = c1.join(x.cells)
	x.later(a1, e1)
}

func (x *turns) later(ages map[int]int, emptied map[int]bool) {
	for a, n := range ages {
		x.ages[a] = max(x.ages[a], n)
	}
	maps.Copy(x.emptied, emptied)
}

func (x *turns) ends(d model.Domain) {
	for _, e := range []model.Expr{d.From, d.To, d.By} {
		if e != nil {
			x.eval(e, false)
		}
	}
	if k, ok := d.By.(*model.ConstExpr); d.By != nil && (!ok || k.Value == 0) {
		x.err2(d.By.Position())
	}
}

// again runs something any number of times.
func (x *turns) again(body func() bool) {
	x.cond++
	defer func() { x.cond-- }()
	for range 12 {
		before, ages, emptied := x.cells.clone(), maps.Clone(x.ages), maps.Clone(x.emptied)
		if body() {
			for _, w := range x.watchers {
				w.log.after = true
			}
			x.cells = before
			x.later(ages, emptied)
			return
		}
		x.cells.join(before)
		x.later(ages, emptied)
		more := false
		x.cells.differ(before, func(a int) { more = true })
		if !more || x.err != nil {
			return
		}
	}
	x.fail(model.Pos{}, "a loop is not run to its end")
}

// call runs a procedure.
func (x *turns) call(p *model.Proc, args []model.Expr, pos model.Pos) region {
	out := region{t: p.Result}
	if p.Result != nil {
		out = *x.alloc(p.Result)
	}
	for _, c := range x.calls {
		if c.p == p {
			x.fail(pos, "%s is recursive", p.Name)
		}
	}
	if x.err != nil {
		return out
	}
	binds := make([]*binding, len(args))
	for i, f := range p.Params {
		switch {
		case f.ByRef:
			r := x.region(args[i])
			x.fix(&r)
			binds[i] = &binding{r: &r, age: maps.Clone(x.ages)}
		case f.Var.Type.Simple():
			c := x.eval(args[i], f.CopiesUndefined(args[i], x.m.Dialect))
			x.inside(args[i], c, f.Var.Type)
			r := x.alloc(f.Var.Type)
			x.store(*r, 0, c)
			binds[i] = &binding{r: r}
		default:
			src := x.region(args[i])
			r := x.alloc(f.Var.Type)
			x.copy(*r, src)
			binds[i] = &binding{r: r}
		}
	}
	for i, f := range p.Params {
		x.env[f.Var] = binds[i]
	}
	for _, v := range p.Locals {
		x.env[v] = &binding{r: x.alloc(v.Type)}
	}
	top := x.cells.n
	c := &call{p: p, depth: len(x.watchers)}
	outer := x.returned
	x.returned = make(map[string]bool)
	if p.Result != nil {
		c.out = out.at[0]
		for i := range p.Result.Leaves {
			x.cells.set(c.out+i, cell{undef: 2, fresh: ^uint64(0)})
		}
	}
	x.calls = append(x.calls, c)
	ended := x.block(p.Body)
	x.calls = x.calls[:len(x.calls)-1]
	x.returned = outer
	if p.Result != nil && !ended {
		x.err2(pos)
	}
	if ended && len(c.ends) > 0 {
		x.cells, c.ends = c.ends[0], c.ends[1:]
	}
	for _, e := range c.ends {
		x.cells.join(e)
	}
	x.cells.cut(top)
	for _, f := range p.Params {
		delete(x.env, f.Var)
	}
	for _, v := range p.Locals {
		delete(x.env, v)
	}
	return out
}

func (x *turns) block(body []model.Stmt) (ended bool) {
	for _, s := range body {
		if x.err != nil {
			return true
		}
		top := x.cells.n
		if x.stmt(s) {
			return true
		}
		x.cells.cut(top)
	}
	return false
}

// oneOf runs one of several bodies.
func (x *turns) oneOf(bodies ...func() bool) (ended bool) {
	before, ages, emptied := x.cells, maps.Clone(x.ages), maps.Clone(x.emptied)
	var out *memory
	ended = true
	x.cond++
	allAges, allEmptied := maps.Clone(ages), maps.Clone(emptied)
	for _, b := range bodies {
		x.cells, x.ages, x.emptied = before.clone(), maps.Clone(ages), maps.Clone(emptied)
		e := b()
		if e {
			for _, w := range x.watchers {
				w.log.after = true
			}
		} else if ended {
			out, ended = x.cells, false
		} else {
			out.join(x.cells)
		}
		for a, n := range x.ages {
			allAges[a] = max(allAges[a], n)
		}
		maps.Copy(allEmptied, x.emptied)
	}
	x.cond--
	x.ages, x.emptied = allAges, allEmptied
	if !ended {
		x.cells = out
	}
	return ended
}

func (x *turns) branch(cs []model.Clause, els []model.Stmt) bool {
	if len(cs) == 0 {
		return x.block(els)
	}
	c := x.eval(cs[0].Cond, false)
	if c.known {
		if c.k != 0 {
			return x.block(cs[0].Body)
		}
		return x.branch(cs[1:], els)
	}
	return x.oneOf(func() bool { return x.block(cs[0].Body) }, func() bool { return x.branch(cs[1:], els) })
}

func (x *turns) stmt(s model.Stmt) (ended bool) {
	d := x.m.Dialect
	switch s := s.(type) {
	case *model.Assign:
		x.assign(s)
	case *model.If:
		return x.branch(s.Clauses, s.Else)
	case *model.Switch:
		if x.eval(s.X, d.TestsUndefined(s.X)).left {
			x.fail(s.Pos, "what the last turn of a loop left is read")
		}
		var bodies []func() bool
		x.cond++
		for _, c := range s.Cases {
			for _, v := range c.Values {
				model.Inspect(v, func(n any) {
					if call, ok := n.(*model.CallExpr); ok { // it may write, and is perhaps not reached
						x.fail(call.Pos, "a case calls a function")
					}
				})
				x.eval(v, false)
			}
			bodies = append(bodies, func() bool { return x.block(c.Body) })
		}
		x.cond--
		return x.oneOf(append(bodies, func() bool { return x.block(s.Else) })...)
	case *model.For:
		return x.loop(s)
	case *model.While:
		x.err2(s.Pos)
		x.again(func() bool { x.eval(s.Cond, false); return x.block(s.Body) })
		x.eval(s.Cond, false) // the last time: it may write
	case *model.Undefine:
		r := x.region(s.X)
		x.write(r)
		for i := range r.t.Leaves {
			x.store(r, i, cell{undef: 2})
		}
	case *model.Clear:
		r := x.region(s.X)
		x.write(r)
		for i, v := range least(nil, r.t) {
			c := cell{known: true, k: v}
			if v == model.Undef {
				c = cell{undef: 2}
			}
			x.store(r, i, c)
		}
	case *model.Alias:
		x.name(s.Var, s.X, s.Pos)
		return x.block(s.Body)
	case *model.Call:
		x.call(s.Proc, s.Args, s.Pos)
	case *model.Return:
		return x.leave(s)
	case *model.Insert:
		set := x.region(s.Set)
		op := setOp{kind: "put"}
		var maybe func(i int) bool
		if t := set.t.Elem; t.Simple() {
			c := x.eval(s.X, s.CopiesUndefined(d))
			op.key, op.only = c.k, c.known && c.undef == 0
			if c.left {
				x.fail(s.Pos, "what the last turn of a loop left is put into a multiset")
			}
			maybe = func(int) bool { return c.undef != 0 }
		} else {
			src := x.region(s.X)
			tmp := *x.alloc(t)
			x.copy(tmp, src)
			for i := range t.Leaves {
				if x.cells.get(tmp.at[0] + i).left {
					x.fail(s.Pos, "what the last turn of a loop left is put into a multiset")
				}
			}
			maybe = func(i int) bool { return x.cells.get(tmp.at[0]+i).undef != 0 }
		}
		x.err2(s.Pos)
		for _, a := range set.at {
			for i := range set.t.Elem.Leaves {
				if leaf := a + 1 + i; leaf < len(x.groups) && maybe(i) && !x.maybe[x.groups[leaf]] {
					x.maybe[x.groups[leaf]], x.dropped = true, true
				}
			}
		}
		x.forget(set)
		x.operate(set, op)
		x.got(set)
	case *model.Remove:
		r := x.element(s.X, true)
		set := x.region(s.X.X)
		op := setOp{kind: "take"}
		if b := x.env[s.X.Index.(*model.Ref).Var]; b != nil && b.value.known {
			for _, a := range r.at {
				for i := range 1 + r.t.Leaves {
					x.writeCell(a-1+i, cell{undef: 1}, false, "set")
				}
			}
			x.operate(set, setOp{kind: "change"})
		} else {
			x.operate(set, op)
		}
		x.forget(set)
		x.lost(set)
	case *model.Assume:
		x.eval(s.Cond, false)
		x.raise(kindDisabled)
	case *model.CoverStmt:
		x.eval(s.Cond, false)
		x.raise(-2 - s.Prop)
	case *model.Assert:
		if s.Cond != nil {
			if c := x.eval(s.Cond, false); c.known && c.k != 0 {
				return false
			}
		}
		x.raise(s.Prop)
		return s.Cond == nil
	case *model.Put:
		if s.X != nil {
			if !s.X.Type().Simple() {
				x.region(s.X)
			} else {
				x.eval(s.X, isPlace(s.X))
			}
		}
	default:
		x.fail(s.Position(), "an unknown statement")
	}
	return false
}

// leave is a return statement.
func (x *turns) leave(s *model.Return) bool {
	name := ""
	if s.X != nil {
		if c, ok := s.X.(*model.ConstExpr); ok {
			name = fmt.Sprint(c.Value)
		} else {
			name = fmt.Sprintf("%p", s)
			if x.looping() {
				x.fail(s.Pos, "a loop returns what is not written out")
			}
		}
	}
	if len(x.calls) == 0 {
		x.returned[name] = true
		x.final(s.Pos)
		return true
	}
	c := x.calls[len(x.calls)-1]
	if s.X != nil {
		out := region{at: []int{c.out}, t: c.p.Result}
		if out.t.Simple() {
			v := x.eval(s.X, s.CopiesUndefined(x.m.Dialect))
			if s.ChecksRange(x.m.Dialect) {
				x.inside(s.X, v, out.t)
			}
			v.fresh = ^uint64(0)
			x.cells.set(c.out, v) // what loops return is compared by its name
		} else {
			x.copy(out, x.region(s.X))
		}
	}
	x.returned[name] = true
	c.ends = append(c.ends, x.cells.clone())
	return true
}

// looping reports whether a return statement is in a loop over a class of the procedure
// it leaves.
func (x *turns) looping() bool {
	depth := 0
	if n := len(x.calls); n > 0 {
		depth = x.calls[n-1].depth
	}
	return len(x.watchers) > depth
}
