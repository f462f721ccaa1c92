package counters

import (
	"fmt"
	"maps"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file holds the components that a formula or rule speaks of.
//
// Each variable of the class stands for an object: a component by its name, or some component
// that is counted. Two objects are different components. So whether two variables are equal is
// known when they are translated, and each place that introduces a variable, a quantifier for
// instance, is translated once for each object that is known there and once for a new one.

// object is a component.
type object struct {
	value int          // by name: its number in the class; else -1
	rec   model.Expr   // the record with its leaves; nil: there is none
	vals  []model.Expr // by dim: its local state, as indices of the counters; nil: the counters do not count it
	many  *model.Var   // of rules with counters that are cut off: many are left where many were
}

// env is what is known at some place. It is not changed; with returns a larger one.
type env struct {
	objs  map[*model.Var]*object
	vars  map[*model.Var]*model.Var // bound and local variables
	alias map[*model.Var]model.Expr // names of leaves of components, and what they stand for in the old model
	scope []*object                 // counted components that are known, each once

	rest   model.Expr             // start states: the record of all other components; nil elsewhere
	finish func() []model.Stmt    // what has to be done before the rule returns; nil: it must not return
	locals *[]*model.Var          // of the rule; loops add some
	times  model.Expr             // in a loop: how often it runs; nil is once
	sums   map[*model.Assign]bool // assignments of the loop that add
}

func (e *env) clone() *env {
	c := *e
	c.objs, c.vars, c.alias = maps.Clone(e.objs), maps.Clone(e.vars), maps.Clone(e.alias)
	c.scope = slices.Clip(e.scope)
	return &c
}

// with returns e with a variable for an object, which is new if it is not known.
func (e *env) with(v *model.Var, o *object) *env {
	c := e.clone()
	c.objs[v] = o
	if o.value < 0 && !slices.Contains(c.scope, o) {
		c.scope = append(c.scope, o)
	}
	return c
}

// bind returns e with a copy of a variable, which is returned, too.
func (e *env) bind(v *model.Var) (*env, *model.Var) {
	own := *v
	c := e.clone()
	c.vars[v] = &own
	return c, &own
}

func newEnv() *env {
	return &env{objs: map[*model.Var]*object{}, vars: map[*model.Var]*model.Var{}, alias: map[*model.Var]model.Expr{}}
}

// byName returns a component that is not counted.
func (t *translator) byName(value int) *object {
	return &object{value: value, rec: &model.Ref{Var: t.holders[slices.Index(t.names, value)]}}
}

// object returns the component that an expression stands for.
func (t *translator) object(x model.Expr, e *env) *object {
	switch x := x.(type) {
	case *model.Ref:
		if o := e.objs[x.Var]; o != nil {
			return o
		}
	case *model.ConstExpr:
		value := int(x.Value - t.Class.First)
		if t.isNamed[value] {
			return t.byName(value)
		}
		t.fail(x.Pos, "%v names a component of %v that is counted", x.T.Format(x.Value), t.Class)
	}
	t.fail(x.Position(), "a component of %v that is no variable", t.Class)
	return nil
}

// equal reports whether two objects are the same component.
func equal(a, b *object) bool { return a == b || a.value >= 0 && a.value == b.value }

// ranges returns the components without a counter that a domain over the class contains, and whether
// it contains those that are counted.
func (t *translator) ranges(v *model.Var, d model.Domain, pos model.Pos) (names []int, others bool) {
	if !d.Constant() {
		t.fail(pos, "%s ranges over values of %v that are no constants", v.Name, t.Class)
	}
	in := 0
	for _, value := range d.Values() {
		c := int(value - v.Type.First)
		if t.isNamed[c] {
			names = append(names, c)
		} else {
			in++
		}
	}
	if in != 0 && in != t.n() {
		t.fail(pos, "%s ranges over some of the components of %v that are counted", v.Name, t.Class)
	}
	return names, in > 0
}

// known returns the objects that a variable over the class may stand for, without new ones.
func (t *translator) known(names []int, others bool, e *env) []*object {
	all := lists.Map(names, t.byName)
	if others {
		all = append(all, e.scope...)
	}
	return all
}

// some returns a new counted component in a local state that new variables name.
func (t *translator) some(name string) (*object, []*model.Var) {
	o := &object{value: -1}
	var vars []*model.Var
	for _, d := range t.dims {
		v := &model.Var{Name: fmt.Sprintf("%s_%s", name, d.name), Kind: model.BoundVar, Type: d.index}
		vars = append(vars, v)
		o.vals = append(o.vals, &model.Ref{Var: v})
	}
	return o, vars
}

// counter returns the counter of a local state.
func (t *translator) counter(vals []model.Expr) model.Expr {
	var x model.Expr = &model.Ref{Var: t.count}
	for _, v := range vals {
		x = &model.IndexSel{X: x, Index: v}
	}
	return x
}

// others returns how many components are in a local state that are none of the objects known.
func (t *translator) others(vals []model.Expr, e *env) model.Expr {
	x := t.counter(vals)
	if t.selfAmongOthers {
		return x
	}
	for _, o := range e.scope {
		if o.vals == nil {
			continue
		}
		var same model.Expr = truth(true)
		for i, v := range o.vals {
			same = and(same, &model.Binary{Op: model.Eq, X: v, Y: vals[i]})
		}
		x = &model.Binary{Op: model.Sub, X: x, Y: &model.Cond{If: same, Then: number(1), Else: number(0)}}
	}
	return x
}

// occupied says that there is such a component.
func (t *translator) occupied(vals []model.Expr, e *env) model.Expr {
	known := lists.Count(e.scope, func(o *object) bool { return o.vals != nil })
	if t.Cut > 0 && t.Cut <= known && !t.cutShort {
		t.fail(t.Class.Pos, "%d components of %v are named at once, so counters must go to %d at least", known+1, t.Class, known+1)
	}
	return &model.Binary{Op: model.Gt, X: t.others(vals, e), Y: number(0)}
}

// value returns a leaf whose value is that of v, an index of the counters.
func (t *translator) value(d *dim, v model.Expr) model.Expr {
	if d.none == nil {
		return v
	}
	return &model.Cond{If: t.isNone(d, v), Then: t.undefinedOf(d.typ), Else: d.defined(v)}
}

// defined returns the value for an index that does not stand for undefined.
func (d *dim) defined(v model.Expr) model.Expr {
	switch {
	case d.none == nil:
		return v
	case d.typ == model.BoolType:
		return &model.Binary{Op: model.Eq, X: v, Y: &model.ConstExpr{Value: 1, T: d.index}}
	}
	return &model.Convert{X: v, To: d.typ}
}

// isNone says that the index v stands for undefined.
func (t *translator) isNone(d *dim, v model.Expr) model.Expr {
	if d.typ == model.BoolType {
		return &model.Binary{Op: model.Eq, X: v, Y: &model.ConstExpr{Value: 2, T: d.index}}
	}
	return &model.IsMember{X: v, T: d.none}
}

// index returns the index of the counters for a leaf.
func (t *translator) index(d *dim, leaf model.Expr) model.Expr {
	is := &model.IsUndefined{X: leaf}
	switch {
	case d.none == nil:
		return leaf
	case d.typ == model.BoolType:
		c := func(v int64) model.Expr { return &model.ConstExpr{Value: v, T: d.index} }
		return &model.Cond{If: is, Then: c(2), Else: &model.Cond{If: leaf, Then: c(1), Else: c(0)}}
	}
	none := &model.Convert{X: &model.ConstExpr{T: d.none}, To: d.index}
	return &model.Cond{If: is, Then: none, Else: &model.Convert{X: leaf, To: d.index}}
}

// leaves returns the leaves of a record of the type of components, by dim.
func (t *translator) leaves(rec model.Expr) []model.Expr {
	var all []model.Expr
	var walk func(x model.Expr, u *model.Type)
	walk = func(x model.Expr, u *model.Type) {
		switch u.Kind {
		case model.Record:
			for i, f := range u.Fields {
				walk(&model.FieldSel{X: x, Field: i}, f.Type)
			}
		case model.Array:
			for v := u.Index.Lo; v <= u.Index.Hi; v++ {
				walk(&model.IndexSel{X: x, Index: constOf(u.Index, v)}, u.Elem)
			}
		default:
			all = append(all, x)
		}
	}
	walk(rec, t.record)
	return all
}

// indices returns the indices of the counter for the local state in a record.
func (t *translator) indices(rec model.Expr) []model.Expr {
	var vals []model.Expr
	for i, leaf := range t.leaves(rec) {
		vals = append(vals, t.index(t.dims[i], leaf))
	}
	return vals
}

// fill gives a record, all of which is undefined, the local state vals.
func (t *translator) fill(rec model.Expr, vals []model.Expr) []model.Stmt {
	var all []model.Stmt
	for i, leaf := range t.leaves(rec) {
		d, v := t.dims[i], vals[i]
		var set model.Stmt = &model.Assign{LHS: leaf, RHS: d.defined(v)}
		if d.none != nil {
			set = &model.If{Clauses: []model.Clause{{Cond: not(t.isNone(d, v)), Body: []model.Stmt{set}}}}
		}
		all = append(all, set)
	}
	return all
}

// constOf returns a value of a simple type; of a union, that of a part.
func constOf(u *model.Type, v int64) model.Expr {
	if u.Kind == model.Union {
		p, w := u.Part(v)
		return &model.Convert{X: constOf(p, w), To: u}
	}
	if u.Numeric() {
		return &model.ConstExpr{Value: v, T: model.IntType}
	}
	return &model.ConstExpr{Value: v, T: u}
}

func number(n int64) *model.ConstExpr { return &model.ConstExpr{Value: n, T: model.IntType} }

func truth(b bool) *model.ConstExpr {
	if b {
		return &model.ConstExpr{Value: 1, T: model.BoolType}
	}
	return &model.ConstExpr{T: model.BoolType}
}

// known truth values: v is 0 or 1.
func constant(x model.Expr) (v int64, ok bool) {
	c, ok := x.(*model.ConstExpr)
	if !ok || c.T != model.BoolType {
		return 0, false
	}
	return c.Value, true
}

// and, or and not leave out operands that are constants, as far as no error is lost.

func and(x, y model.Expr) model.Expr { return joined(model.And, 1, x, y) }
func or(x, y model.Expr) model.Expr  { return joined(model.Or, 0, x, y) }

// joined is x op y; neutral is the operand that changes nothing.
func joined(op model.Op, neutral int64, x, y model.Expr) model.Expr {
	switch v, ok := constant(x); {
	case ok && v == neutral:
		return y
	case ok:
		return x
	}
	if v, ok := constant(y); ok && v == neutral {
		return x
	}
	return &model.Binary{Op: op, X: x, Y: y, Pos: x.Position()}
}

func not(x model.Expr) model.Expr {
	if v, ok := constant(x); ok {
		return truth(v == 0)
	}
	return &model.Not{X: x, Pos: x.Position()}
}
