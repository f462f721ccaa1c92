package counters

import (
	"fmt"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file translates rules, start states and properties.
//
// A rule becomes one for each way in which its parameters over the class may be components with names,
// components that are counted, or the same one twice. The local state of a counted one is a
// parameter.

// draft is a rule whose parameters are chosen so far.
type draft struct {
	e      *env
	params []*model.Param
	roles  []role
	occ    model.Expr // each component chosen exists
	ways   model.Expr // of a probabilistic rule: how many ways there are to choose those that chance decides between
	locals []*model.Var
}

// ofRule adds what a rule or start state becomes.
func (t *translator) ofRule(r *model.Rule, start bool) {
	d := &draft{e: newEnv(), occ: truth(true), ways: number(1)}
	if start {
		d.e.rest = &model.Ref{Var: &model.Var{Name: "Others", Kind: model.LocalVar, Type: t.record}}
	}
	t.choose(r, start, d)
}

// choose chooses the next parameter in all ways.
func (t *translator) choose(r *model.Rule, start bool, d *draft) {
	i := len(d.roles)
	if i == len(r.Params) {
		t.finished(r, start, d)
		return
	}
	p := r.Params[i]
	take := func(e *env, k role, params []*model.Param, occ model.Expr, locals ...*model.Var) {
		t.choose(r, start, &draft{e, append(slices.Clip(d.params), params...), append(slices.Clip(d.roles), k),
			and(d.occ, occ), t.ways(r, d, e), append(slices.Clip(d.locals), locals...)})
	}
	if !t.isC(p.Var.Type) {
		e, v := d.e.bind(p.Var)
		take(e, role{kept, len(d.params)}, []*model.Param{{Var: v, Domain: p.Domain}}, truth(true))
		return
	}
	names, others := t.ranges(p.Var, p.Domain, r.Pos)
	for _, c := range names {
		take(d.e.with(p.Var, t.byName(c)), role{named, c}, nil, truth(true))
	}
	if !others {
		return
	}
	for j, q := range r.Params[:i] {
		if d.roles[j].kind == counted && !t.noSame {
			take(d.e.with(p.Var, d.e.objs[q.Var]), role{same, j}, nil, truth(true))
		}
	}
	switch {
	case len(d.e.scope) == t.n():
	case start:
		v := &model.Var{Name: p.Var.Name, Kind: model.LocalVar, Type: t.record}
		take(d.e.with(p.Var, &object{value: -1, rec: &model.Ref{Var: v}}), role{counted, -1}, nil, truth(true), v)
	default:
		o, vars := t.some(p.Var.Name)
		var params []*model.Param
		for _, v := range vars {
			params = append(params, &model.Param{Var: v, Domain: model.Domain{Type: v.Type}})
		}
		if t.Cut > 0 {
			o.many = &model.Var{Name: p.Var.Name + "_many", Kind: model.BoundVar, Type: model.BoolType}
			params = append(params, &model.Param{Var: o.many, Domain: model.Domain{Type: o.many.Type}})
		}
		take(d.e.with(p.Var, o), role{counted, len(d.params)}, params, t.occupied(o.vals, d.e))
	}
}

// finished adds a rule all of whose parameters are chosen.
func (t *translator) finished(r *model.Rule, start bool, d *draft) {
	guard := d.occ
	if r.Guard != nil {
		guard = and(guard, t.expr(r.Guard, d.e))
	}
	if v, ok := constant(guard); ok {
		if v == 0 {
			return
		}
		guard = nil
	}
	own := &model.Rule{Name: r.Name, Params: d.params, Guard: guard, Locals: d.locals, Pos: r.Pos}
	e := d.e.clone()
	e.locals = &own.Locals
	var init []model.Stmt
	if start {
		own.Locals = append(own.Locals, e.rest.(*model.Ref).Var)
		known := e.scope
		e.finish = func() []model.Stmt {
			all := append(one(&model.Reset{X: &model.Ref{Var: t.count}, Least: true}), t.putBack(known)...)
			if n := t.n() - len(known); n > 0 {
				all = append(all, t.add(&model.Ref{Var: t.count}, e.rest, number(int64(n))))
			}
			return all
		}
	} else {
		init = t.takeOut(e)
	}
	own.Locals = append(own.Locals, t.copies(r.Locals, e)...)
	body := t.stmts(r.Body, e)
	if r.Draw != nil && t.Cut == 0 {
		init = append(t.drawn(r, own, d, body), init...)
	}
	own.Body = slices.Concat(init, body, e.finish())
	rules, origins := &t.Model.Rules, &t.rules
	if start {
		rules, origins = &t.Model.Starts, &t.starts
	}
	own.Index = len(*rules)
	*rules, *origins = append(*rules, own), append(*origins, origin{r.Index, d.roles})
}

// ways returns in how many ways components that chance decides between can be chosen, for the parameters of r up to the
// next one, which e knows. Of those that a chooser takes one is as good as another.
func (t *translator) ways(r *model.Rule, d *draft, e *env) model.Expr {
	if r.Draw == nil || len(d.roles) < r.Draw.Params && !t.allDrawn || len(e.scope) == len(d.e.scope) || t.oneWay {
		return d.ways
	}
	return &model.Binary{Op: model.Mul, X: d.ways, Y: t.others(e.scope[len(d.e.scope)].vals, d.e)}
}

// drawn makes a rule probabilistic: chance decides between instances for which the parameters outside of the distribution
// are the same components, or components that are counted together. If the body begins with storing the probability of
// one instance, that of all is stored instead; what is returned comes first.
func (t *translator) drawn(r, own *model.Rule, d *draft, body []model.Stmt) []model.Stmt {
	outer, params := d.roles[:r.Draw.Params], 0
	for _, k := range outer {
		switch k.kind {
		case kept:
			params++
		case counted:
			params += len(t.dims)
		}
	}
	group := lists.Number(t.draws, fmt.Sprint(r.Draw.Group, outer))
	if own.Draw = (&model.Draw{Group: group, Params: params, Stored: r.Draw.Stored}); t.oneGroup {
		own.Draw.Group = r.Draw.Group
	}
	if !r.Draw.Stored {
		return nil
	}
	at := body[0]
	for a, ok := at.(*model.Alias); ok; a, ok = at.(*model.Alias) {
		at = a.Body[0]
	}
	first := at.(*model.Assign)
	first.RHS = &model.Binary{Op: model.Mul, X: first.LHS, Y: first.RHS}
	return one(&model.Assign{LHS: first.LHS, RHS: d.ways})
}

// putBack returns statements that count components.
func (t *translator) putBack(known []*object) []model.Stmt {
	return lists.Map(known, func(o *object) model.Stmt { return t.add(&model.Ref{Var: t.count}, o.rec, number(1)) })
}

// takeOut returns statements that put the components a rule names into records, and no longer count
// them. It changes e, which is of the body, accordingly.
func (t *translator) takeOut(e *env) (init []model.Stmt) {
	out := make(map[*object]*object)
	for i, o := range e.scope {
		var name string
		for v, p := range e.objs {
			if p == o && (name == "" || v.Name < name) {
				name = v.Name
			}
		}
		x := t.counter(o.vals)
		var less model.Expr = &model.Binary{Op: model.Sub, X: x, Y: number(1)}
		if o.many != nil && !t.fewer {
			many := and(&model.Ref{Var: o.many}, &model.Binary{Op: model.Eq, X: x, Y: number(int64(t.Cut))})
			less = &model.Cond{If: many, Then: x, Else: less}
		}
		init = append(init, &model.Assign{LHS: x, RHS: less})
		out[o] = &object{value: -1, rec: t.local(e, name, t.record)}
		init = append(init, t.fill(out[o].rec, o.vals)...)
		e.scope = slices.Clone(e.scope)
		e.scope[i] = out[o]
	}
	for v, o := range e.objs {
		if out[o] != nil {
			e.objs[v] = out[o]
		}
	}
	known := e.scope
	e.finish = func() []model.Stmt { return t.putBack(known) }
	return init
}

// property translates a property, or an assumption.
func (t *translator) property(q *model.Property) *model.Property {
	own := *q
	if q.Kind.Graph() && t.Concrete.Chances == nil {
		t.fail(q.Pos, "%q is a %v property, which counters do not decide", q.Name, q.Kind)
	}
	if q.Expr == nil {
		return &own
	}
	x := q.Expr
	for _, p := range slices.Backward(q.Params) {
		x = &model.Quant{All: q.Kind != model.Cover, Var: p.Var, Domain: p.Domain, Body: x, Pos: q.Pos}
	}
	own.Params, own.Expr = nil, t.expr(x, newEnv())
	return &own
}
