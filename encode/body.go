package encode

import (
	"fmt"

	"orbitmc/aig"
	"orbitmc/model"
)

// run executes statements under the path condition pc.
func (x *exec) run(body []model.Stmt, pc aig.Lit) {
	for _, s := range body {
		x.statement(s, pc)
	}
}

func (x *exec) statement(s model.Stmt, pc aig.Lit) {
	switch s := s.(type) {
	case *model.Assign:
		x.assign(s, pc)
	case *model.If:
		x.clauses(s.Clauses, s.Else, pc)
	case *model.Switch:
		x.cases(s, pc)
	case *model.For:
		x.each(s.Var, s.Domain, pc, func(active aig.Lit) {
			x.branch(active, pc, func(pc aig.Lit) { x.run(s.Body, pc) }, nil)
		})
	case *model.Undefine:
		ps := x.places(s.X, pc)
		for k := range s.X.Type().Leaves {
			for _, p := range ps {
				x.store.write(x.arith, p.leaf+k, p.cond, undefined(x.layouts[p.leaf+k]))
			}
		}
	case *model.Assert:
		if s.Cond == nil {
			x.fail(s.Prop, pc)
			return
		}
		x.fail(s.Prop, x.g.And(pc, x.needLit(s.Cond, pc).Not()))
	case *model.Put: // no effect on the state
		x.put(s, pc)
	default:
		panic(fmt.Sprintf("encode: unknown statement %T", s))
	}
}

// branch runs yes where c holds and no (which may be nil) elsewhere.
func (x *exec) branch(c, pc aig.Lit, yes, no func(pc aig.Lit)) {
	if no == nil {
		no = func(aig.Lit) {}
	}
	switch c {
	case aig.True:
		yes(pc)
		return
	case aig.False:
		no(pc)
		return
	}
	parent := x.store
	x.store = newStore(parent)
	yes(x.g.And(pc, c))
	then := x.store
	x.store = newStore(parent)
	no(x.g.And(pc, c.Not()))
	other := x.store
	x.store = parent
	parent.join(x.arith, c, then, other)
}

func (x *exec) clauses(cs []model.Clause, otherwise []model.Stmt, pc aig.Lit) {
	if len(cs) == 0 {
		x.run(otherwise, pc)
		return
	}
	x.branch(x.needLit(cs[0].Cond, pc), pc,
		func(pc aig.Lit) { x.run(cs[0].Body, pc) },
		func(pc aig.Lit) { x.clauses(cs[1:], otherwise, pc) })
}

func (x *exec) cases(s *model.Switch, pc aig.Lit) {
	v := x.need(s.X, pc)
	var rest func(i int, pc aig.Lit)
	rest = func(i int, pc aig.Lit) {
		if i == len(s.Cases) {
			x.run(s.Else, pc)
			return
		}
		match := aig.False
		for _, e := range s.Cases[i].Values {
			match = x.g.Or(match, x.eq(v, x.need(e, x.g.And(pc, match.Not()))))
		}
		x.branch(match, pc,
			func(pc aig.Lit) { x.run(s.Cases[i].Body, pc) },
			func(pc aig.Lit) { rest(i+1, pc) })
	}
	rest(0, pc)
}

func (x *exec) assign(s *model.Assign, pc aig.Lit) {
	t := s.LHS.Type()
	if !t.Simple() {
		// Both sides first, then the copy: they may overlap.
		to := x.places(s.LHS, pc)
		from := x.places(s.RHS, pc)
		codes := make([]code, t.Leaves)
		for k := range codes {
			codes[k] = x.read(from, k)
		}
		for k, c := range codes {
			for _, p := range to {
				x.store.write(x.arith, p.leaf+k, p.cond, c)
			}
		}
		return
	}
	to := x.places(s.LHS, pc)
	v := x.eval(s.RHS, pc)
	if !s.CopiesUndefined(x.m.Dialect) {
		x.runtime(x.g.And(pc, v.def.Not()))
		v.def = aig.True
	}
	if v.hot == nil {
		x.runtime(x.g.AndN([]aig.Lit{pc, v.def, x.outside(v, t.Lo, t.Hi)}))
	}
	for _, p := range to {
		x.store.write(x.arith, p.leaf, p.cond, x.layouts[p.leaf].toCode(x.arith, v))
	}
}

func isDesignator(e model.Expr) bool {
	switch e.(type) {
	case *model.Ref, *model.FieldSel, *model.IndexSel:
		return true
	}
	return false
}

// put evaluates what is printed: an undefined designator prints as such, but
// an error inside an expression or an index is an error.
func (x *exec) put(s *model.Put, pc aig.Lit) {
	switch {
	case s.X == nil:
	case isDesignator(s.X):
		if r, ok := s.X.(*model.Ref); !ok || r.Var.Kind != model.BoundVar {
			x.places(s.X, pc)
		}
	default:
		x.need(s.X, pc)
	}
}
