package counters

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file finds the local states of components: which leaves are indexed by a component, and
// what values they take.
//
// The counters are an array with an index for each leaf of a component. A leaf that may be
// undefined has one more value there. Whether it may is read off the statements; of start
// states, off what they leave.

// locals are the leaves of a component.
type locals struct {
	dims    []*dim
	strides []int // by dim: of the counters
}

// dim is a leaf of a component.
type dim struct {
	name  string
	leaf  int         // number in the record of a component
	typ   *model.Type // of the leaf
	index *model.Type // of its values, as an index of the counters: typ, or one with one more value
	none  *model.Type // the part of index, or index itself for a boolean, that stands for undefined; nil: it is defined always

	at map[int]int // by component: the leaf in the concrete model
}

// card returns the number of values, undefined included.
func (d *dim) card() int { return int(d.index.Card()) }

// number returns the place of a value, which may be Undef, among the values of index.
func (d *dim) number(v int64) (int, bool) {
	switch {
	case v == model.Undef && d.none == nil:
		return 0, false
	case v == model.Undef:
		return d.card() - 1, true
	case d.typ.Kind == model.Union:
		return int(v), true
	}
	return int(v - d.typ.Lo), true
}

// value is the inverse of number.
func (d *dim) value(k int) int64 {
	switch {
	case d.none != nil && k == d.card()-1:
		return model.Undef
	case d.typ.Kind == model.Union:
		return int64(k)
	}
	return int64(k) + d.typ.Lo
}

// Counters returns the number of counters.
func (l *locals) Counters() int {
	n := 1
	for _, d := range l.dims {
		n *= d.card()
	}
	return n
}

// mentions reports whether the type has components as indices or values.
func (t *translator) mentions(u *model.Type) bool {
	return t.stores(u) || u.Has(func(u *model.Type) bool { return t.isC(u.Index) })
}

// strip returns the part of a state variable's type that one component has.
func (t *translator) strip(v *model.Var, u *model.Type) *model.Type {
	switch {
	case u.Kind == model.Array && t.isC(u.Index):
		if u.Index.Card() != t.Class.Card() {
			t.fail(v.Pos, "%s has elements for some values of %v only", v.Name, t.Class)
		}
		if t.mentions(u.Elem) {
			t.fail(v.Pos, "a leaf of %s has two components of %v, as indices or as its value; such leaves cannot be counted", v.Name, t.Class)
		}
		if u.Elem.Has(func(u *model.Type) bool { return u.Kind == model.Multiset }) {
			t.fail(v.Pos, "%s has a multiset for each component of %v", v.Name, t.Class)
		}
		return u.Elem
	case u.Kind == model.Array:
		return &model.Type{Kind: model.Array, Pos: u.Pos, Index: u.Index, Elem: t.strip(v, u.Elem)}
	case u.Kind == model.Record:
		own := &model.Type{Kind: model.Record, Pos: u.Pos}
		for _, f := range u.Fields {
			if !t.mentions(f.Type) {
				t.fail(v.Pos, "some fields of %s are indexed by %v and some are not", v.Name, t.Class)
			}
			own.Fields = append(own.Fields, model.Field{Name: f.Name, Type: t.strip(v, f.Type)})
		}
		return own
	}
	t.fail(v.Pos, "elements of the multiset %s are indexed by %v", v.Name, t.Class)
	return nil
}

// stores reports whether leaves of a type have components as values.
func (t *translator) stores(u *model.Type) bool {
	return u.Has(func(u *model.Type) bool { return t.isC(u) || slices.ContainsFunc(u.Parts, t.isC) })
}

// measure fills in the leaves of a type that strip has made.
func measure(u *model.Type) int {
	if u.Leaves > 0 || u.Simple() {
		return u.Leaves
	}
	switch u.Kind {
	case model.Array:
		u.Leaves = int(u.Index.Card()) * measure(u.Elem)
	case model.Record:
		for i := range u.Fields {
			u.Fields[i].Offset = u.Leaves
			u.Leaves += measure(u.Fields[i].Type)
		}
	}
	return u.Leaves
}

// findLocals makes the record of a component, and its leaves.
func (t *translator) findLocals() {
	t.locals = &locals{}
	t.record = &model.Type{Kind: model.Record}
	for _, v := range t.Concrete.Vars {
		if t.stores(v.Type) {
			t.fail(v.Pos, "%s stores a value of %v", v.Name, t.Class)
		}
		if t.mentions(v.Type) {
			t.self[v] = len(t.record.Fields)
			t.record.Fields = append(t.record.Fields, model.Field{Name: v.Name, Type: t.strip(v, v.Type)})
		}
	}
	if len(t.record.Fields) == 0 {
		t.fail(t.Class.Pos, "no leaf is indexed by %v: there is nothing to count", t.Class)
	}
	measure(t.record)
	at := make([]map[int]int, t.record.Leaves)
	undef := t.undefinable(at)
	whole := &model.Model{Vars: []*model.Var{{Name: "", Type: t.record}}}
	var names []string
	n := 1
	for i, l := range whole.AllLeaves() {
		d := &dim{name: strings.TrimPrefix(l.Name, "."), leaf: i, typ: l.Type, index: l.Type, at: at[i]}
		if undef[i] {
			d.extend()
		}
		t.dims = append(t.dims, d)
		names = append(names, fmt.Sprintf("%s (%d)", d.name, d.card()))
		if n *= d.card(); n > Most {
			t.fail(t.Class.Pos, "a component of %v has more than %d local states, by the leaves %s: explicit search without counters sorts components by their local states, and visits as many states", t.Class, Most, strings.Join(names, ", "))
		}
	}
	stride := n
	for _, d := range t.dims {
		stride /= d.card()
		t.strides = append(t.strides, stride)
	}
}

// extend adds the value undefined to the index type.
func (d *dim) extend() {
	if d.typ == model.BoolType {
		d.index = &model.Type{Kind: model.Enum, Lo: 0, Hi: 2, Members: []string{"false", "true", "Undefined"}, Leaves: 1}
		d.none = d.index
		return
	}
	d.none = &model.Type{Kind: model.Enum, Members: []string{"Undefined"}, Leaves: 1}
	d.index = &model.Type{Kind: model.Union, Parts: append(slices.Clone(d.typ.Alternatives()), d.none), Leaves: 1}
	for _, p := range d.index.Parts {
		d.index.Hi += p.Card()
	}
	d.index.Hi--
}

// startsTried is how many start states are looked at; of more, every leaf may be undefined.
const startsTried = 1 << 12

// undefinable returns which leaves of a component may be undefined, fills in where these leaves
// are, and sets undef.
func (t *translator) undefinable(at []map[int]int) []bool {
	t.undef = make(map[string]bool)
	m := t.Concrete
	dirty := make([]bool, m.Leaves())
	prog := model.Compile(m)
	if n := prog.NumStarts(); n.IsInt64() && n.Int64() <= startsTried {
		prog.NewMachine().Starts(func(_ model.Choice, s model.State, _ *model.Violation) bool {
			for i, v := range s {
				dirty[i] = dirty[i] || v == model.Undef
			}
			return true
		})
	} else {
		for i := range dirty {
			dirty[i] = true
		}
	}
	undef := make([]bool, t.record.Leaves)
	paths := make([]string, t.record.Leaves)
	for i, l := range m.AllLeaves() {
		path := pathOf(l)
		if dirty[i] && l.Slot < 0 {
			t.undef[path] = true
		}
		f, ok := t.self[l.Var]
		if !ok {
			continue
		}
		k, c := i-l.Var.Offset, 0
		for _, x := range l.Indices {
			if t.isC(x.Type) {
				c = int(x.Value - x.Type.First)
				// The leaves before it that belong to other components, and those behind.
				outer := x.Stride * int(x.Type.Card())
				k = k/outer*x.Stride + k%x.Stride
			}
		}
		k += t.record.Fields[f].Offset
		if at[k] == nil {
			at[k] = make(map[int]int)
		}
		at[k][c] = i
		paths[k] = path
		undef[k] = undef[k] || dirty[i]
	}
	for known := -1; known < len(t.undef); {
		known = len(t.undef)
		for _, code := range codeOf(m) {
			model.Inspect(code, func(n any) { t.undefines(n) })
		}
	}
	for k := range undef {
		undef[k] = undef[k] || t.may(paths[k])
	}
	return undef
}

// codeOf returns what a model evaluates, but for start states. Functions of guards may write, too.
func codeOf(m *model.Model) (all []any) {
	all = lists.Map(m.Procs, func(p *model.Proc) any { return p.Body })
	for _, r := range m.Rules {
		if all = append(all, r.Body); r.Guard != nil {
			all = append(all, r.Guard)
		}
	}
	for _, q := range slices.Concat(m.Props, m.Assumptions) {
		if q.Expr != nil {
			all = append(all, q.Expr)
		}
	}
	return all
}

// pathOf names a leaf without its indices: variable and fields.
func pathOf(l model.Leaf) string {
	var b strings.Builder
	depth := 0
	for _, c := range l.Name {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		default:
			if depth == 0 {
				b.WriteRune(c)
			}
		}
	}
	return b.String()
}

// pathTo names a designator in the same way, with the type at its end; "" if it is rooted in
// something else than a state variable.
func pathTo(x model.Expr) string {
	switch x := x.(type) {
	case *model.Ref:
		if x.Var.Kind == model.StateVar {
			return x.Var.Name
		}
	case *model.IndexSel:
		return pathTo(x.X)
	case *model.FieldSel:
		if p := pathTo(x.X); p != "" {
			return p + "." + x.X.Type().Fields[x.Field].Name
		}
	}
	return ""
}

// everything is the path of what is undefined if it cannot be told what is.
const everything = "*"

// undefines notes what a statement or call may leave undefined.
func (t *translator) undefines(n any) {
	mark := func(x model.Expr) {
		if p := pathTo(x); p != "" {
			t.undef[p] = true
		} else if v := model.Root(x); v == nil || v.Kind != model.LocalVar && v.Kind != model.RefVar {
			t.undef[everything] = true
		}
	}
	p, args := model.Called(n)
	for i, a := range args {
		if p.Params[i].ByRef {
			mark(a)
		}
	}
	if v, x := model.Named(n); v != nil && v.Kind == model.RefVar {
		mark(x)
	}
	switch n := n.(type) {
	case *model.Reset:
		if !n.Least {
			mark(n.X)
		}
	case *model.Assign:
		if !n.LHS.Type().Simple() || !t.defined(n.RHS) && n.CopiesUndefined(t.Concrete.Dialect) {
			mark(n.LHS)
		}
	}
}

// defined reports whether an expression is never undefined, as far as is known.
func (t *translator) defined(x model.Expr) bool {
	switch x := x.(type) {
	case *model.ConstExpr, *model.Not, *model.Binary, *model.Quant:
		return true
	case *model.Ref:
		if x.Var.Kind == model.BoundVar {
			return true
		}
	}
	path := pathTo(x)
	return path != "" && !t.may(path)
}

// may reports whether a leaf with this path, or one of the leaves in it, may be undefined.
func (t *translator) may(path string) bool {
	if t.undef[everything] {
		return true
	}
	for p := range t.undef {
		if p == path || strings.HasPrefix(path, p+".") || strings.HasPrefix(p, path+".") {
			return true
		}
	}
	return false
}

// variables makes the state variables of the new model.
func (t *translator) variables() {
	for _, v := range t.Concrete.Vars {
		if _, ok := t.self[v]; !ok {
			own := *v
			t.vars[v] = &own
		}
	}
	for _, c := range t.names {
		t.holders = append(t.holders, &model.Var{Name: t.Class.ElementName(c), Type: t.record})
	}
	u := &model.Type{Kind: model.Range, Lo: 0, Hi: int64(t.most()), Leaves: 1}
	for _, d := range slices.Backward(t.dims) {
		u = &model.Type{Kind: model.Array, Index: d.index, Elem: u, Leaves: d.card() * u.Leaves}
	}
	name := cmp.Or(t.Class.Name, fmt.Sprint("Class", t.class+1))
	t.count = &model.Var{Name: "Count_" + name, Type: u}
}

// undefinedOf returns a designator of a type that is undefined always.
func (t *translator) undefinedOf(u *model.Type) model.Expr {
	v := lists.Memo(t.never, u, func(*model.Type) *model.Var {
		return &model.Var{Name: fmt.Sprintf("Undefined_%d", len(t.never)), Type: u}
	})
	return &model.Ref{Var: v}
}
