package encode

import (
	"cmp"
	"fmt"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// run executes statements until the path ends.
func (x *exec) run(body []model.Stmt) {
	for _, s := range body {
		if x.dead() {
			return
		}
		x.statement(s)
	}
}

func (x *exec) statement(s model.Stmt) {
	switch s := s.(type) {
	case *model.Assign:
		x.assign(s)
	case *model.If:
		x.clause(s, 0)
	case *model.Switch:
		x.cases(s)
	case *model.For:
		outer := x.loops
		x.turns(s.Var, s.Domain, s.Pos, func(active aig.Lit) {
			if isHot(s.Var.Type) {
				v, _ := x.bound[s.Var].constVal()
				x.loops = append(outer[:len(outer):len(outer)], loopValue{s.Var.Type, int(v)})
			}
			x.when(active, func() { x.run(s.Body) })
		})
		x.loops = outer
	case *model.While:
		x.while(s)
	case *model.Undefine:
		ps := x.places(s.X)
		for k := range s.X.Type().Leaves {
			x.assignTo(ps, k, x.none(x.lay[ps[0].leaf+k]))
		}
		x.overwritten(ps, s.X.Type(), false)
	case *model.Clear:
		ps := x.places(s.X)
		x.overwritten(ps, s.X.Type(), false)
		for k, c := range x.least(s.X.Type()) {
			x.assignTo(ps, k, c)
		}
	case *model.Alias:
		defer x.name(s.Var, s.X)()
		x.run(s.Body)
	case *model.Call:
		x.call(s.Proc, s.Args, s.Pos)
	case *model.Return:
		x.returnStmt(s)
	case *model.Insert:
		x.insert(s)
	case *model.Remove:
		x.remove(s)
	case *model.Assume:
		x.cut(x.needLit(s.Cond))
	case *model.CoverStmt:
		hit := x.needLit(s.Cond)
		x.covers[s.Prop] = append(x.covers[s.Prop], x.g.AndN([]aig.Lit{x.pc, hit, x.anyFailed().Not()}))
	case *model.Assert:
		if s.Cond == nil {
			x.fail(s.Prop, aig.True)
			return
		}
		var holds aig.Lit
		x.evaluating(s.Prop, func() { holds = x.needLit(s.Cond) })
		x.fail(s.Prop, holds.Not())
	case *model.Put: // no effect on the state
		x.put(s)
	default:
		panic(fmt.Sprintf("encode: unknown statement %T", s))
	}
}

// assignTo gives leaf k after each place the content c.
func (x *exec) assignTo(ps []place, k int, c *code) {
	for _, p := range ps {
		x.write(p.leaf+k, p.cond, c)
	}
}

// clause runs an if statement from clause i on: a condition is evaluated where
// the ones before do not hold.
func (x *exec) clause(s *model.If, i int) {
	if i == len(s.Clauses) {
		x.run(s.Else)
		return
	}
	c := x.needLit(s.Clauses[i].Cond)
	x.split([]aig.Lit{c, c.Not()}, func(k int) {
		if k == 0 {
			x.run(s.Clauses[i].Body)
		} else {
			x.clause(s, i+1)
		}
	})
}

// cases runs a switch statement. If all case values are constants the cases are
// told apart at once.
func (x *exec) cases(s *model.Switch) {
	v := x.needUnless(x.m.Dialect.TestsUndefined(s.X), s.X)
	equals := func(w value) aig.Lit {
		if v.hot != nil {
			return x.eq(v, w)
		}
		return x.g.And(v.def, x.eq(v, w))
	}
	conds := make([]aig.Lit, 0, len(s.Cases)+1)
	done := make(map[int64]bool)
	var all []aig.Lit
	for _, c := range s.Cases {
		var ls []aig.Lit
		for _, e := range c.Values {
			k, ok := e.(*model.ConstExpr)
			if !ok || abstract(s.X.Type()) {
				x.tryCases(s, 0, equals)
				return
			}
			if !done[k.Value] {
				done[k.Value] = true
				ls = append(ls, equals(constant(k.Value)))
			}
		}
		conds = append(conds, x.g.OrN(ls))
		all = append(all, ls...)
	}
	conds = append(conds, x.g.OrN(all).Not())
	x.split(conds, func(i int) {
		if i == len(s.Cases) {
			x.run(s.Else)
		} else {
			x.run(s.Cases[i].Body)
		}
	})
}

// tryCases runs the first case from number i on that matches.
func (x *exec) tryCases(s *model.Switch, i int, equals func(value) aig.Lit) {
	if i == len(s.Cases) {
		x.run(s.Else)
		return
	}
	match := aig.False
	for _, e := range s.Cases[i].Values {
		l := aig.False
		x.when(match.Not(), func() { l = equals(x.need(e)) })
		match = x.g.Or(match, l)
	}
	x.split([]aig.Lit{match, match.Not()}, func(k int) {
		if k == 0 {
			x.run(s.Cases[i].Body)
		} else {
			x.tryCases(s, i+1, equals)
		}
	})
}

// while unrolls a loop until the condition to go on folds to false, or the path
// ends.
func (x *exec) while(s *model.While) {
	most := cmp.Or(x.m.LoopMax, model.DefaultLoopMax)
	j := x.fork()
	at := len(x.regions)
	x.regions = append(x.regions, region{cond: aig.True, here: aig.True})
	for i := 0; !x.dead(); i++ {
		x.checkBudget()
		c := x.needLit(s.Cond)
		if i == most {
			x.runtime(c)
			c = aig.False
		}
		r := &x.regions[at]
		if c != aig.True {
			out := x.path
			out.pc = x.g.And(x.pc, c.Not())
			if out.pc != aig.False {
				j.arms = append(j.arms, arm{
					cond: x.g.AndN([]aig.Lit{r.cond, r.here, c.Not()}), path: out, writes: x.writes(j.mark, j.top),
				})
			}
		}
		r.cond = x.g.And(r.cond, c)
		if x.pc = x.g.And(x.pc, c); !x.dead() {
			x.run(s.Body)
		}
	}
	r := x.regions[at]
	x.regions = x.regions[:at]
	j.cut, j.returned = r.cut, r.here != aig.True
	j.back(x)
	x.join(&j)
}

func (x *exec) assign(s *model.Assign) {
	t := s.LHS.Type()
	to := x.places(s.LHS)
	if !t.Simple() {
		// Both sides first, then the copy: they may overlap.
		x.overwritten(to, t, true)
		for k, c := range x.whole(s.RHS)() {
			x.assignTo(to, k, c)
		}
		return
	}
	v := x.checked(x.needUnless(s.CopiesUndefined(x.m.Dialect), s.RHS), t)
	x.assignTo(to, 0, x.lay[to[0].leaf].toCode(x.arith, v))
}

// checked returns v after the check that it is a value of type t.
func (x *exec) checked(v value, t *model.Type) value {
	if t.Kind == model.Range {
		x.runtime(x.g.And(v.def, x.outside(v, t.Lo, t.Hi)))
	}
	return v
}

// least returns the contents of a cleared variable of type t.
func (x *exec) least(t *model.Type) []*code {
	return lists.Map(t.Unfolded(), func(l model.Leaf) *code {
		if y := layoutOf(l.Type); l.Slot < 0 {
			return y.least(x.arith)
		} else {
			return x.none(y)
		}
	})
}

// put evaluates what is printed: an undefined designator prints as such, but
// an error inside an expression or an index is an error.
func (x *exec) put(s *model.Put) {
	switch {
	case s.X == nil:
	case !s.X.Type().Simple():
		x.whole(s.X)
	case model.Designator(s.X):
		x.designator(s.X)
	default:
		x.need(s.X)
	}
}
