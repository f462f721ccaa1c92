package encode

import (
	"orbitmc/aig"
	"orbitmc/model"
)

// Calls are inlined. So is recursion: until the condition to go on folds to
// false, or to the depth at which it is a run-time error.

// call runs a procedure or function and returns its result, as a value if that is
// simple and leaf by leaf if not.
func (x *exec) call(p *model.Proc, args []model.Expr, pos model.Pos) (result value, whole []*code) {
	x.pos = pos
	x.checkBudget()
	// The arguments first, then their places: an argument may call p.
	passed := make([]func() []place, len(p.Params))
	for i, a := range p.Params {
		passed[i] = x.argument(a, args[i])
	}
	recursive := x.recursive[p.Index]
	if recursive && x.open == model.MaxRecursion {
		x.runtime(aig.True)
	}
	if x.dead() {
		return x.anything(p.Result)
	}
	if recursive {
		x.open++
		defer func() { x.open-- }()
	}
	before := x.path
	outer := x.enter(p)
	var vars []*model.Var
	var saved [][]place
	bind := func(v *model.Var, ps []place) {
		vars, saved = append(vars, v), append(saved, x.where[v])
		x.where[v] = ps
	}
	for i, a := range p.Params {
		ps := passed[i]()
		bind(a.Var, ps)
	}
	for _, v := range p.Locals {
		bind(v, x.local(v.Type))
	}
	x.run(p.Body)
	switch {
	case x.dead():
	case p.Result != nil:
		x.runtime(aig.True)
	default:
		x.exit(value{}, nil)
	}
	for i, v := range vars {
		x.where[v] = saved[i]
	}
	result, whole = x.leave(outer, before)
	if x.dead() {
		return x.anything(p.Result)
	}
	return result, whole
}

// argument evaluates an argument; the function it returns gives the parameter
// its place.
func (x *exec) argument(a *model.Formal, arg model.Expr) func() []place {
	t := a.Var.Type
	switch {
	case a.ByRef:
		ps := x.places(arg)
		return func() []place { return ps }
	case t.Simple():
		v := x.checked(x.needUnless(a.CopiesUndefined(arg, x.m.Dialect), arg), t)
		return func() []place {
			ps := x.local(t)
			x.write(ps[0].leaf, aig.True, x.lay[ps[0].leaf].toCode(x.arith, v))
			return ps
		}
	}
	cs := x.whole(arg)()
	return func() []place {
		ps := x.local(t)
		for k, c := range cs {
			x.write(ps[0].leaf+k, aig.True, c)
		}
		return ps
	}
}

// local makes room for a local variable of type t.
func (x *exec) local(t *model.Type) []place {
	ys, ok := x.layouts[t]
	if !ok {
		ys = layoutsOf(nil, t)
		x.layouts[t] = ys
	}
	return []place{{aig.True, x.push(ys)}}
}

// name binds the variable of an alias; the function it returns ends that.
func (x *exec) name(v *model.Var, e model.Expr) (end func()) {
	outer, shadows := x.where[v]
	end = func() {
		delete(x.where, v)
		if shadows {
			x.where[v] = outer
		}
	}
	switch {
	case v.Kind == model.RefVar:
		x.where[v] = x.places(e)
	case v.Type.Kind == model.Integer:
		val := x.need(e)
		outer, shadows := x.bound[v]
		x.bound[v] = val
		return func() {
			delete(x.bound, v)
			if shadows {
				x.bound[v] = outer
			}
		}
	case v.Type.Simple():
		may := (&model.Assign{LHS: &model.Ref{Var: v}, RHS: e}).CopiesUndefined(x.m.Dialect)
		val := x.checked(x.needUnless(may, e), v.Type)
		ps := x.local(v.Type)
		x.write(ps[0].leaf, aig.True, x.lay[ps[0].leaf].toCode(x.arith, val))
		x.where[v] = ps
	default:
		cs := x.whole(e)()
		ps := x.local(v.Type)
		for k, c := range cs {
			x.write(ps[0].leaf+k, aig.True, c)
		}
		x.where[v] = ps
	}
	return end
}

func (x *exec) returnStmt(s *model.Return) {
	if s.X == nil {
		x.exit(value{}, nil)
		return
	}
	t := x.act.proc.Result
	var v value
	var cs []*code
	if t.Simple() {
		v = x.needUnless(s.CopiesUndefined(x.m.Dialect), s.X)
		if s.ChecksRange(x.m.Dialect) {
			v = x.checked(v, t)
		}
	} else {
		cs = x.whole(s.X)()
	}
	if !x.dead() {
		x.exit(v, cs)
	}
}

// anything is the result of a call that is never used, of type t, which may be nil.
func (x *exec) anything(t *model.Type) (value, []*code) {
	switch {
	case t == nil:
		return value{}, nil
	case !t.Simple():
		var cs []*code
		for _, y := range layoutsOf(nil, t) {
			cs = append(cs, x.none(y))
		}
		return value{}, cs
	case isHot(t):
		return hotConstant(0, int(t.Card())), nil
	}
	return constant(t.Lo), nil
}
