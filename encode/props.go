package encode

import (
	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file encodes declared properties. rule.go encodes deadlock, path.go errors.

// buildProps makes the conditions of declared properties. As in the interpreter, evaluation
// stops at the first combination of parameters that decides the property, or at the first
// one that errs, which is a run-time error. Those of builder.strict do not stop.
func (b *builder) buildProps() {
	clear(b.memo)
	for _, p := range b.m.Props {
		if p.Expr == nil {
			continue
		}
		switch p.Kind {
		case model.Invariant, model.Cover:
			x := b.exec(b.base, nil)
			on := b.quantified(x, p, p.Kind == model.Invariant).NotIf(p.Kind == model.Invariant)
			shown := b.g.AndN([]aig.Lit{b.started, on, x.pc, x.anyFailed().Not()})
			if errs := b.evaluated(x, p); p.Kind == model.Invariant { // one that cannot be evaluated is violated
				shown = b.g.Or(shown, errs)
			}
			b.now[p.Index] = append(b.now[p.Index], shown)
		case model.Liveness:
			insts := model.InstancesOf(p.Params)
			var all []Instance
			b.forParams(p.Params, make(map[*model.Var]value), func(bound map[*model.Var]value) {
				x := b.exec(b.base, nil)
				x.bound = bound
				holds := x.needLit(p.Expr)
				errs := b.evaluated(x, p)
				all = append(all, Instance{insts[len(all)], b.g.AndN([]aig.Lit{holds, x.pc, x.anyFailed().Not()}), errs})
			})
			b.holds[p.Index] = all
		}
	}
}

// evaluated collects the errors of a property in a state, and returns when there is one.
func (b *builder) evaluated(x *exec, p *model.Property) aig.Lit {
	var all []aig.Lit
	for q, ls := range lists.InOrder(x.errs) {
		on := b.g.And(b.started, b.g.OrN(ls))
		if q == hiddenError {
			b.hides.props[p.Index] = append(b.hides.props[p.Index], on)
			continue
		}
		if all = append(all, on); q != p.Index {
			b.now[q] = append(b.now[q], on)
		}
	}
	return b.g.OrN(all)
}

// quantified evaluates a property for all, or any, values of its parameters.
func (b *builder) quantified(x *exec, p *model.Property, all bool) aig.Lit {
	if x.strict[p] {
		o := x.strictly(all)
		b.forParams(p.Params, x.bound, func(map[*model.Var]value) { o.add(aig.True, p.Expr) })
		return o.value()
	}
	var terms []aig.Lit
	open := aig.True
	b.forParams(p.Params, x.bound, func(map[*model.Var]value) {
		l := aig.True
		x.when(open, func() { l = x.needLit(p.Expr).NotIf(!all) })
		terms = append(terms, l)
		open = b.g.And(open, l)
	})
	return b.g.AndN(terms).NotIf(!all)
}

// forParams calls f with the parameters bound to each combination of values.
func (b *builder) forParams(params []*model.Param, bound map[*model.Var]value, f func(map[*model.Var]value)) {
	if len(params) == 0 {
		f(bound)
		return
	}
	p := params[0]
	for _, v := range p.Domain.Values() {
		bound[p.Var] = constantOf(p.Var, v)
		b.forParams(params[1:], bound, f)
	}
}
