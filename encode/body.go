package encode

import (
	"cmp"
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// run executes statements until the path ends.
func (ex *exec) run(body []model.Stmt) {
	for _, s := range body {
		if ex.dead() {
			return
		}
		ex.statement(s)
	}
}

func (ex *exec) statement(s model.Stmt) {
	switch s := s.(type) {
	case *model.Assign:
		ex.assign(s)
	case *model.If:
		if s.Switch == nil || !ex.cases(s) {
			ex.clause(s, 0)
		}
	case *model.For:
		outer := ex.loops
		ex.turns(s.Var, s.Domain, s.Pos, func(active aig.Lit) {
			if isHot(s.Var.Type) {
				v, _ := ex.bound[s.Var].constVal()
				ex.loops = append(outer[:len(outer):len(outer)], loopValue{s.Var.Type, int(v)})
			}
			ex.when(active, func() { ex.run(s.Body) })
		})
		ex.loops = outer
	case *model.While:
		ex.while(s)
	case *model.Reset:
		ps := ex.places(s.X)
		ex.overwritten(ps, s.X.Type(), false)
		for k, c := range ex.reset(s.X.Type(), s.Least) {
			ex.assignTo(ps, k, c)
		}
	case *model.Alias:
		defer ex.name(s.Var, s.X)()
		ex.run(s.Body)
	case *model.Call:
		ex.call(s.Proc, s.Args, s.Pos)
	case *model.Return:
		ex.returnStmt(s)
	case *model.Insert:
		ex.insert(s)
	case *model.Remove:
		ex.remove(s)
	case *model.Assume:
		ex.cut(ex.needLit(s.Cond))
	case *model.CoverStmt:
		hit := ex.needLit(s.Cond)
		ex.covers[s.Prop] = append(ex.covers[s.Prop], ex.g.AndN([]aig.Lit{ex.pc, hit, ex.anyFailed().Not()}))
	case *model.Assert:
		if s.Cond == nil {
			ex.fail(s.Prop, aig.True)
			return
		}
		var holds aig.Lit
		ex.evaluating(s.Prop, func() { holds = ex.needLit(s.Cond) })
		ex.fail(s.Prop, holds.Not())
	case *model.Put: // no effect on the state
		ex.put(s)
	default:
		panic(fmt.Sprintf("encode: unknown statement %T", s))
	}
}

// assignTo gives leaf k after each place the content c.
func (ex *exec) assignTo(ps []place, k int, c *code) {
	for _, p := range ps {
		ex.write(p.leaf+k, p.cond, c)
	}
}

// clause runs an if statement from clause i on: a condition is evaluated where
// the ones before do not hold.
func (ex *exec) clause(s *model.If, i int) {
	if i == len(s.Clauses) {
		ex.run(s.Else)
		return
	}
	c := ex.needLit(s.Clauses[i].Cond)
	ex.split([]aig.Lit{c, c.Not()}, func(k int) {
		if k == 0 {
			ex.run(s.Clauses[i].Body)
		} else {
			ex.clause(s, i+1)
		}
	})
}

// cases runs a switch statement if all its values are constants: the cases are told apart at once.
func (ex *exec) cases(s *model.If) bool {
	on := s.Switch
	fixed := func(e model.Expr) bool { _, ok := e.(*model.ConstExpr); return ok }
	if all := slices.Concat(on.Values...); abstract(on.X.Type()) || len(lists.Where(all, fixed)) < len(all) {
		return false
	}
	v := ex.needUnless(ex.m.Dialect.TestsUndefined(on.X), on.X)
	equals := func(w value) aig.Lit {
		if v.hot != nil {
			return ex.eq(v, w)
		}
		return ex.g.And(v.def, ex.eq(v, w))
	}
	var conds, all []aig.Lit
	done := make(map[int64]bool)
	for _, values := range on.Values {
		var ls []aig.Lit
		for _, e := range values {
			if k := e.(*model.ConstExpr).Value; !done[k] {
				done[k] = true
				ls = append(ls, equals(constant(k)))
			}
		}
		conds = append(conds, ex.g.OrN(ls))
		all = append(all, ls...)
	}
	conds = append(conds, ex.g.OrN(all).Not())
	ex.split(conds, func(i int) {
		if i == len(s.Clauses) {
			ex.run(s.Else)
		} else {
			ex.run(s.Clauses[i].Body)
		}
	})
	return true
}

// while unrolls a loop until the condition to go on folds to false, or the path
// ends.
func (ex *exec) while(s *model.While) {
	most := cmp.Or(ex.m.LoopMax, model.DefaultLoopMax)
	j := ex.fork()
	at := len(ex.regions)
	ex.regions = append(ex.regions, region{cond: aig.True, here: aig.True})
	for i := 0; !ex.dead(); i++ {
		ex.checkBudget()
		c := ex.needLit(s.Cond)
		if i == most {
			ex.runtime(c)
			c = aig.False
		}
		r := &ex.regions[at]
		if c != aig.True {
			out := ex.path
			out.pc = ex.g.And(ex.pc, c.Not())
			if out.pc != aig.False {
				j.arms = append(j.arms, arm{
					cond: ex.g.AndN([]aig.Lit{r.cond, r.here, c.Not()}), path: out, writes: ex.writes(j.mark, j.top),
				})
			}
		}
		r.cond = ex.g.And(r.cond, c)
		if ex.pc = ex.g.And(ex.pc, c); !ex.dead() {
			ex.run(s.Body)
		}
	}
	r := ex.regions[at]
	ex.regions = ex.regions[:at]
	j.cut, j.returned = r.cut, r.here != aig.True
	j.back(ex)
	ex.join(&j)
}

func (ex *exec) assign(s *model.Assign) {
	t := s.LHS.Type()
	to := ex.places(s.LHS)
	if !t.Simple() {
		// Both sides first, then the copy: they may overlap.
		ex.overwritten(to, t, true)
		for k, c := range ex.whole(s.RHS)() {
			ex.assignTo(to, k, c)
		}
		return
	}
	v := ex.checked(ex.needUnless(s.CopiesUndefined(ex.m.Dialect), s.RHS), t)
	ex.assignTo(to, 0, ex.lay[to[0].leaf].toCode(ex.arith, v))
}

// checked returns v after the check that it is a value of type t.
func (ex *exec) checked(v value, t *model.Type) value {
	if t.Kind == model.Range {
		ex.runtime(ex.g.And(v.def, ex.outside(v, t.Lo, t.Hi)))
	}
	return v
}

// reset returns what a reset leaves in a variable of type t.
func (ex *exec) reset(t *model.Type, least bool) []*code {
	return lists.Map(t.Unfolded(), func(l model.Leaf) *code {
		if y := layoutOf(l.Type); least && l.Slot < 0 {
			return y.least(ex.arith)
		} else {
			return ex.none(y)
		}
	})
}

// put evaluates what is printed: an undefined designator prints as such, but
// an error inside an expression or an index is an error.
func (ex *exec) put(s *model.Put) {
	switch {
	case s.X == nil:
	case !s.X.Type().Simple():
		ex.whole(s.X)
	case model.Designator(s.X):
		ex.designator(s.X)
	default:
		ex.need(s.X)
	}
}
