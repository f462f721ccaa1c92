package reference

import (
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file says why an invariant is violated: for which values of its quantified variables,
// and which leaves of the state decide it. It is an explanation for the reader of a
// counterexample, and no evidence.

// Cause is why a state violates an invariant.
type Cause struct {
	Instance []Binding // the quantified variables, outermost first, whose values decide it
	Reads    []Read    // the leaves that decide it, in the order of evaluation
}

// Binding is a quantified variable and its value.
type Binding struct {
	Var   *model.Var
	Value int64
}

func (b Binding) String() string { return b.Var.Name + "=" + b.Var.Type.Format(b.Value) }

// Read is a leaf of a state that decides a property.
type Read struct {
	Leaf        int
	Name, Value string
	// Step is that in which the leaf got its value, 0 for the start state, and -1 for the
	// leaves of multisets, whose elements have no fixed place.
	Step int
}

// Why returns why the last state of a trace violates an invariant; nil if the trace ends in
// something else, or the invariant calls a function that writes.
func Why(m *model.Model, t *model.Trace) *Cause {
	p := m.Props[t.Prop]
	last := t.End()
	if p.Kind != model.Invariant || p.Expr == nil || last == nil {
		return nil
	}
	x := &explainer{w: NewWalker(m)}
	x.w.begin(last, nil, nil)
	if !x.why(quantified(p.Params, p.Expr, true), false) {
		return nil
	}
	leaves := m.AllLeaves()
	for _, i := range x.w.reads {
		l := &leaves[i]
		if l.Type == model.PresentType {
			continue
		}
		r := Read{Leaf: i, Name: l.Name, Value: l.Type.Format(last[i]), Step: -1}
		if l.Slot < 0 {
			r.Step = lastChange(t, i)
		}
		x.cause.Reads = append(x.cause.Reads, r)
	}
	if len(x.cause.Instance)+len(x.cause.Reads) == 0 {
		return nil
	}
	return &x.cause
}

// WhyNot returns the first conjunct of the guard of a rule instance that is false in s, and the leaves that decide it; nil if
// none is, or if one before it errs.
func WhyNot(m *model.Model, s model.State, ch model.Choice) (conjunct model.Expr, reads []int) {
	x, r := &explainer{w: NewWalker(m)}, m.Rules[ch.Rule]
	for _, e := range model.Conjuncts(r.Guard) {
		x.w.begin(s, r.Params, ch.Params)
		if v, ok := x.decides(e); !ok {
			break
		} else if v == 1 {
			continue
		}
		if x.w.begin(s, r.Params, ch.Params); !x.why(e, false) {
			break
		}
		return e, slices.Clone(x.w.reads)
	}
	return nil, nil
}

// Goal returns the leaves that decide, in the last state of a trace, what it shows, ascending: an
// invariant that is violated, a cover that is hit, a liveness property that does not hold, a
// deadlock; nil if a step errs, or if that takes too long.
func Goal(m *model.Model, t *model.Trace) []int {
	last, p, x := t.End(), m.Props[t.Prop], &explainer{w: NewWalker(m)}
	if last == nil {
		return nil
	}
	x.w.begin(last, nil, nil)
	switch {
	case p.Kind == model.Deadlock:
		return x.stuck(m, last)
	case p.Expr == nil:
		return nil
	case !x.why(quantified(p.Params, p.Expr, p.Kind != model.Cover), p.Kind == model.Cover):
		return nil
	}
	return slices.Sorted(slices.Values(x.w.reads))
}

// manyInstances bounds the guards that are looked at.
const manyInstances = 10_000

// stuck returns the leaves that decide that no guard holds, as far as none does.
func (x *explainer) stuck(m *model.Model, s model.State) (all []int) {
	n := 0
	for _, r := range m.Rules {
		for inst := range model.Instances(r.Params) {
			if n++; n > manyInstances || r.Guard == nil {
				break
			}
			if x.w.begin(s, r.Params, inst); x.why(r.Guard, false) {
				all = lists.Union(all, slices.Sorted(slices.Values(x.w.reads)))
			}
		}
	}
	if n > manyInstances {
		return nil
	}
	return all
}

// lastChange returns the last step that changed a leaf, 0 if none did.
func lastChange(t *model.Trace, leaf int) int {
	states := t.States()
	k := len(states) - 1
	for k > 0 && states[k-1][leaf] == states[k][leaf] {
		k--
	}
	return k
}

// explainer evaluates expressions, and leaves in w the reads of those that decide.
type explainer struct {
	w     *Walker
	cause Cause
}

// value evaluates an expression that may not decide; ok is false if it errs or writes.
func (x *explainer) value(e model.Expr) (v int64, ok bool) {
	n := len(x.w.reads)
	v, ok = x.decides(e)
	for _, i := range x.w.reads[n:] {
		x.w.seen[i] = false
	}
	x.w.reads = x.w.reads[:n]
	return v, ok
}

// decides is value of what does.
func (x *explainer) decides(e model.Expr) (v int64, ok bool) {
	top := len(x.w.mem)
	v, err := x.w.eval(e)
	x.w.mem = x.w.mem[:top]
	return v, err == nil && len(x.w.writes) == 0
}

// why evaluates what makes e have a value, and reports whether it has it.
func (x *explainer) why(e model.Expr, value bool) bool {
	switch e := e.(type) {
	case *model.Not:
		return x.why(e.X, !value)
	case *model.Binary:
		if e.Op == model.And || e.Op == model.Or || e.Op == model.Implies {
			return x.junction(e, value)
		}
	case *model.Cond:
		v, ok := x.value(e.If)
		if !ok || !x.why(e.If, v == 1) {
			return false
		}
		if v == 1 {
			return x.why(e.Then, value)
		}
		return x.why(e.Else, value)
	case *model.Let:
		return x.w.name(e.Var, e.X) == nil && x.why(e.Body, value)
	case *model.Quant:
		return x.quantifier(e, value)
	}
	v, ok := x.decides(e)
	return ok && (v == 1) == value
}

// junction is why for and, or and implies, all read as a disjunction: it holds if the left
// operand has the value left, or the right one the value right.
func (x *explainer) junction(e *model.Binary, value bool) bool {
	left, right := e.Op == model.Or, e.Op != model.And
	if e.Op == model.And {
		value = !value
	}
	if !value {
		return x.why(e.X, !left) && x.why(e.Y, !right)
	}
	if v, ok := x.value(e.X); ok && (v == 1) == left {
		return x.why(e.X, left)
	}
	return x.why(e.Y, right)
}

// quantifier is why for a quantifier: the first value that decides it, or all.
func (x *explainer) quantifier(e *model.Quant, value bool) bool {
	at := x.w.alloc(1)
	holds := value == e.All
	err := x.w.each(e.Domain, func(v int64) (bool, error) {
		x.w.at[e.Var], x.w.mem[at] = at, v
		b, ok := x.value(e.Body)
		switch {
		case !ok:
			holds = false
			return false, nil
		case value == e.All:
			holds = x.why(e.Body, value)
			return holds, nil
		case (b == 1) != value:
			return true, nil
		}
		x.cause.Instance = append(x.cause.Instance, Binding{e.Var, v})
		holds = x.why(e.Body, value)
		return false, nil
	})
	return err == nil && holds
}

// quantified returns x for all, or any, values of the parameters.
func quantified(params []*model.Param, x model.Expr, all bool) model.Expr {
	for i := len(params) - 1; i >= 0; i-- {
		x = &model.Quant{All: all, Var: params[i].Var, Domain: params[i].Domain, Body: x}
	}
	return x
}
