package rename

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"orbitmc/detect/graph"
	"orbitmc/model"
)

// The graph has a vertex for each variable, type, field, value, rule, property,
// expression and statement.
//
//	vertex                       edges to, by way of a vertex for the role
//	variable, parameter, local   its type
//	type                         index, element, fields, values of an enum or a class
//	value of an enum or a class  –
//	rule, start state, property  parameters, guard, body
//	expression, statement        operands; a variable, field, value, type that it names
//
// Colours are kinds, operators, numbers and depths; no names. Operands of & and | and
// of commutative operators have one role, and so have the statements of a list: `left :=
// 0; right := 0` is as good the other way round. Where another order means something
// else, the renaming is none, and verification says so.

// Find proposes renamings of a model that do more than permute the values of
// its classes. They are about the model that is returned with them, which means what m
// means and has more enums as classes; it is m if there are none.
func Find(ctx context.Context, m *model.Model) (*model.Model, []model.Renaming, error) {
	rs, enums, err := renamings(ctx, m)
	if err != nil || len(rs) == 0 || len(enums) == 0 {
		return m, rs, err
	}
	typ := make(map[model.Use]*model.Type)
	var classes []*model.Type
	for _, t := range enums {
		c := *t
		c.Alike, c.Class = true, len(m.Scalarsets)+len(classes)
		classes = append(classes, &c)
		typ[model.Use{Type: t}] = &c
	}
	m = model.Retype(m, classes, typ)
	rs, _, err = renamings(ctx, m)
	return m, rs, err
}

// maxModelGraph bounds the vertices of the graph of a model. Models that are larger are
// generated, their graph takes seconds, and their encoding is beyond what renamings are
// tried on.
const maxModelGraph = 1 << 17

// renamings finds those of m, and the enums that are no classes and move: those that
// keep all properties, and those of the model without them.
func renamings(ctx context.Context, m *model.Model) (rs []model.Renaming, enums []*model.Type, err error) {
	without := *m
	without.Props = nil
	for _, m := range []*model.Model{m, &without} {
		own, moved, err := automorphisms(ctx, m)
		if err != nil {
			return nil, nil, err
		}
		rs = append(rs, own...)
		for _, t := range moved {
			if !slices.Contains(enums, t) {
				enums = append(enums, t)
			}
		}
	}
	return rs, enums, nil
}

func automorphisms(ctx context.Context, m *model.Model) (rs []model.Renaming, enums []*model.Type, err error) {
	x := &modelGraph{m: m, b: graph.NewBuilder(0, 0), colours: make(map[string]int), vars: make(map[*model.Var]int),
		types: make(map[any]int), values: make(map[valueKey]int), fields: make(map[fieldKey]int), procs: make(map[*model.Proc]int)}
	if !x.build() {
		return nil, nil, nil
	}
	g, err := x.b.Graph()
	if err != nil {
		return nil, nil, err
	}
	found, err := graph.Search(ctx, g, graph.Options{})
	if err != nil {
		return nil, nil, err
	}
	at := make([]any, g.N()) // by vertex: what it stands for, if renamings move that
	for v, i := range x.vars {
		at[i] = v
	}
	for v, i := range x.values {
		at[i] = v
	}
	for f, i := range x.fields {
		at[i] = f
	}
	for _, p := range found.Generators {
		if !slices.ContainsFunc(p.Moved, func(v int32) bool { return at[v] != nil }) {
			continue // equal rules, or operands
		}
		r, moved, ok := x.renaming(p, at)
		if !ok {
			continue
		}
		rs = append(rs, r)
		for _, t := range moved {
			if !slices.Contains(enums, t) {
				enums = append(enums, t)
			}
		}
	}
	return rs, enums, nil
}

type valueKey struct {
	t     *model.Type // an enum that is no class; nil: a class
	class int
	v     int64
}

type fieldKey struct {
	t *model.Type
	i int
}

// modelGraph makes the graph.
type modelGraph struct {
	m       *model.Model
	b       *graph.Builder
	n       int
	colours map[string]int
	vars    map[*model.Var]int
	types   map[any]int // by *model.Type; of ranges that are no classes by their bounds; of classes by their number
	values  map[valueKey]int
	fields  map[fieldKey]int
	procs   map[*model.Proc]int

	rules, starts []int
	enums         []*model.Type // that are no classes
}

func (x *modelGraph) vertex(format string, args ...any) int {
	colour := fmt.Sprintf(format, args...)
	id, ok := x.colours[colour]
	if !ok {
		id = len(x.colours)
		x.colours[colour] = id
	}
	x.n++
	return x.b.AddVertex(id)
}

// link gives a vertex a child in some role.
func (x *modelGraph) link(parent int, role string, child int) {
	r := x.vertex("role %s", role)
	x.b.AddEdge(parent, r)
	x.b.AddEdge(r, child)
}

// build reports whether the graph is not too large.
func (x *modelGraph) build() bool {
	for _, v := range x.m.Vars {
		x.variable(v)
	}
	each := func(what string, rules []*model.Rule) (all []int) {
		for _, r := range rules {
			v := x.vertex("%s", what)
			x.params(v, r.Params)
			if r.Guard != nil {
				x.link(v, "guard", x.expr(r.Guard, 0))
			}
			x.list(v, "body", r.Body, 0)
			all = append(all, v)
			if x.n > maxModelGraph {
				break
			}
		}
		return all
	}
	x.starts, x.rules = each("start", x.m.Starts), each("rule", x.m.Rules)
	for _, props := range [][]*model.Property{x.m.Props, x.m.Assumptions} {
		for _, p := range props {
			if p.Expr == nil {
				continue // of a statement, which is in the graph
			}
			v := x.vertex("property %v", p.Kind)
			x.params(v, p.Params)
			x.link(v, "expr", x.expr(p.Expr, 0))
		}
	}
	return x.n <= maxModelGraph
}

func (x *modelGraph) params(v int, params []*model.Param) {
	for i, p := range params {
		x.link(v, fmt.Sprint("param ", i), x.variable(p.Var))
		x.domain(v, fmt.Sprint("domain ", i), p.Domain, 0)
	}
}

func (x *modelGraph) domain(v int, role string, d model.Domain, depth int) {
	if d.From == nil {
		x.link(v, role, x.typ(d.Type))
		return
	}
	x.link(v, role+" from", x.expr(d.From, depth))
	x.link(v, role+" to", x.expr(d.To, depth))
	if d.By != nil {
		x.link(v, role+" by", x.expr(d.By, depth))
	}
}

func (x *modelGraph) variable(v *model.Var) int {
	at, ok := x.vars[v]
	if !ok {
		at = x.vertex("variable %d", v.Kind)
		x.vars[v] = at
		if v.Type != nil {
			x.link(at, "type", x.typ(v.Type))
		}
	}
	return at
}

// value returns the vertex of a value of a type, ok is false if it has none.
func (x *modelGraph) value(t *model.Type, v int64) (vertex int, ok bool) {
	if t.Kind == model.Union {
		t, v = t.Part(v)
	}
	key := valueKey{t: t, v: v}
	if class, w, classed := t.Element(v); classed {
		if x.m.Scalarsets[class].Slots {
			return 0, false
		}
		key = valueKey{class: class, v: w}
	} else if t.Kind != model.Enum {
		return 0, false
	}
	vertex, ok = x.values[key]
	if !ok {
		vertex = x.vertex("value")
		x.values[key] = vertex
	}
	return vertex, true
}

func (x *modelGraph) typ(t *model.Type) int {
	var key any = t
	if t.Kind == model.Range && !t.Alike {
		key = [2]int64{t.Lo, t.Hi}
	}
	at, ok := x.types[key]
	if ok {
		return at
	}
	switch {
	case t.Kind == model.Scalarset && t.Slots:
		at = x.vertex("slots %d %d", t.Class, t.Card())
		x.types[key] = at
	case t.Classed():
		at = x.vertex("classed %d %d %d %d", t.Kind, t.Lo, t.Hi, t.First)
		x.types[key] = at
		class, ok := x.types[t.Class]
		if !ok {
			class = x.vertex("class %d", t.Class) // a permutation of values stays in its class
			x.types[t.Class] = class
		}
		x.link(at, "class", class)
		for v := t.Lo; v <= t.Hi; v++ {
			if w, ok := x.value(t, v); ok {
				x.link(at, "value", w)
			}
		}
	case t.Kind == model.Enum:
		at = x.vertex("enum %d", t.Card())
		x.types[key] = at
		x.enums = append(x.enums, t)
		for v := t.Lo; v <= t.Hi; v++ {
			w, _ := x.value(t, v)
			x.link(at, "value", w)
		}
	default:
		at = x.vertex("type %d %d %d", t.Kind, t.Lo, t.Hi)
		x.types[key] = at
		for _, p := range t.Parts {
			x.link(at, "part", x.typ(p))
		}
		if t.Index != nil {
			x.link(at, "index", x.typ(t.Index))
		}
		if t.Elem != nil {
			x.link(at, "element", x.typ(t.Elem))
		}
		for i, f := range t.Fields {
			v := x.vertex("field")
			x.fields[fieldKey{t, i}] = v
			x.link(at, "field", v)
			x.link(v, "type", x.typ(f.Type))
		}
	}
	return at
}

func (x *modelGraph) proc(p *model.Proc) int {
	at, ok := x.procs[p]
	if ok {
		return at
	}
	at = x.vertex("procedure")
	x.procs[p] = at
	for i, f := range p.Params {
		x.link(at, fmt.Sprint("param ", i, f.ByRef), x.variable(f.Var))
	}
	if p.Result != nil {
		x.link(at, "result", x.typ(p.Result))
	}
	x.list(at, "body", p.Body, 0)
	return at
}

// operands returns the operands of & or |, whatever way they are nested.
func operands(op model.Op, e model.Expr) []model.Expr {
	if b, ok := e.(*model.Binary); ok && b.Op == op {
		return append(operands(op, b.X), operands(op, b.Y)...)
	}
	return []model.Expr{e}
}

func (x *modelGraph) expr(e model.Expr, depth int) int {
	if x.n > maxModelGraph {
		return 0
	}
	node := func(format string, args ...any) int {
		return x.vertex("%d "+format, append([]any{depth}, args...)...)
	}
	under := func(at int, role string, e model.Expr) int {
		if e != nil {
			x.link(at, role, x.expr(e, depth+1))
		}
		return at
	}
	switch e := e.(type) {
	case *model.ConstExpr:
		if v, ok := x.value(e.T, e.Value); ok {
			at := node("constant")
			x.link(at, "value", v)
			return at
		}
		return node("constant %d %d", e.T.Kind, e.Value)
	case *model.Ref:
		at := node("reference")
		x.link(at, "variable", x.variable(e.Var))
		return at
	case *model.FieldSel:
		at := node("field")
		x.typ(e.X.Type())
		x.link(at, "name", x.fields[fieldKey{e.X.Type(), e.Field}])
		return under(at, "of", e.X)
	case *model.IndexSel:
		return under(under(node("element"), "of", e.X), "index", e.Index)
	case *model.Unary:
		return under(node("unary %d", e.Op), "of", e.X)
	case *model.Binary:
		at := node("binary %d", e.Op)
		switch e.Op {
		case model.And, model.Or:
			for _, o := range operands(e.Op, e) {
				under(at, "operand", o)
			}
			return at
		case model.Eq, model.Ne, model.Add, model.Mul, model.BitAnd, model.BitOr, model.BitXor:
			return under(under(at, "operand", e.X), "operand", e.Y)
		}
		return under(under(at, "left", e.X), "right", e.Y)
	case *model.Cond:
		return under(under(under(node("conditional"), "if", e.If), "then", e.Then), "else", e.Else)
	case *model.Quant:
		at := node("quantifier %v", e.All)
		x.link(at, "variable", x.variable(e.Var))
		x.domain(at, "domain", e.Domain, depth+1)
		return under(at, "body", e.Body)
	case *model.Count:
		at := node("count")
		x.link(at, "variable", x.variable(e.Var))
		x.domain(at, "domain", e.Domain, depth+1)
		return under(at, "body", e.Body)
	case *model.IsUndefined:
		return under(node("undefined"), "of", e.X)
	case *model.Present:
		return under(node("present"), "of", e.X)
	case *model.Convert:
		at := node("convert")
		x.link(at, "type", x.typ(e.To))
		return under(at, "of", e.X)
	case *model.IsMember:
		at := node("member")
		x.link(at, "type", x.typ(e.T))
		return under(at, "of", e.X)
	case *model.CallExpr:
		at := node("call")
		x.link(at, "procedure", x.proc(e.Proc))
		for i, a := range e.Args {
			under(at, fmt.Sprint("argument ", i), a)
		}
		return at
	case *model.Let:
		at := node("let")
		x.link(at, "variable", x.variable(e.Var))
		return under(under(at, "of", e.X), "body", e.Body)
	}
	panic(fmt.Sprintf("detect: an expression %T", e))
}

func (x *modelGraph) list(parent int, role string, ss []model.Stmt, depth int) {
	for _, s := range ss {
		if v, ok := x.stmt(s, depth); ok {
			x.link(parent, role, v)
		}
	}
}

// stmt returns the vertex of a statement, if it has an effect.
func (x *modelGraph) stmt(s model.Stmt, depth int) (vertex int, ok bool) {
	node := func(format string, args ...any) int {
		return x.vertex("%d "+format, append([]any{depth}, args...)...)
	}
	under := func(at int, role string, e model.Expr) {
		if e != nil {
			x.link(at, role, x.expr(e, depth+1))
		}
	}
	switch s := s.(type) {
	case *model.Assign:
		vertex = node("assign")
		under(vertex, "to", s.LHS)
		under(vertex, "value", s.RHS)
	case *model.If:
		vertex = node("if")
		for _, c := range s.Clauses {
			v := node("clause")
			under(v, "condition", c.Cond)
			x.list(v, "body", c.Body, depth+1)
			x.link(vertex, "clause", v)
		}
		x.list(vertex, "else", s.Else, depth+1)
	case *model.Switch:
		vertex = node("switch")
		under(vertex, "on", s.X)
		for _, c := range s.Cases {
			v := node("case")
			for _, e := range c.Values {
				under(v, "value", e)
			}
			x.list(v, "body", c.Body, depth+1)
			x.link(vertex, "case", v)
		}
		x.list(vertex, "else", s.Else, depth+1)
	case *model.For:
		vertex = node("for")
		x.link(vertex, "variable", x.variable(s.Var))
		x.domain(vertex, "domain", s.Domain, depth+1)
		x.list(vertex, "body", s.Body, depth+1)
	case *model.Undefine:
		vertex = node("undefine")
		under(vertex, "of", s.X)
	case *model.Clear:
		vertex = node("clear")
		under(vertex, "of", s.X)
	case *model.While:
		vertex = node("while")
		under(vertex, "condition", s.Cond)
		x.list(vertex, "body", s.Body, depth+1)
	case *model.Alias:
		vertex = node("alias")
		x.link(vertex, "variable", x.variable(s.Var))
		under(vertex, "of", s.X)
		x.list(vertex, "body", s.Body, depth+1)
	case *model.Call:
		vertex = node("call")
		x.link(vertex, "procedure", x.proc(s.Proc))
		for i, a := range s.Args {
			under(vertex, fmt.Sprint("argument ", i), a)
		}
	case *model.Return:
		vertex = node("return")
		under(vertex, "value", s.X)
	case *model.Insert:
		vertex = node("insert")
		under(vertex, "to", s.Set)
		under(vertex, "value", s.X)
	case *model.Remove:
		vertex = node("remove")
		under(vertex, "slot", s.X)
	case *model.Assume:
		vertex = node("assume")
		under(vertex, "condition", s.Cond)
	case *model.CoverStmt:
		vertex = node("cover")
		under(vertex, "condition", s.Cond)
	case *model.Assert:
		vertex = node("assert")
		under(vertex, "condition", s.Cond)
	case *model.Put:
		return 0, false
	default:
		panic(fmt.Sprintf("detect: a statement %T", s))
	}
	return vertex, true
}

// renaming returns what an automorphism does, and which enums that are no classes it
// moves values of; ok is false if it does not do more than permute values of classes.
func (x *modelGraph) renaming(p graph.Perm, at []any) (r model.Renaming, enums []*model.Type, ok bool) {
	field := func(t *model.Type, i int) int { return at[p.Apply(x.fields[fieldKey{t, i}])].(fieldKey).i }
	value := func(t *model.Type, v int64) int64 {
		vertex, ok := x.value(t, v)
		if !ok {
			return v
		}
		to := at[p.Apply(vertex)].(valueKey)
		if to.t != nil { // of an enum, or another one that its variables go to
			return to.v
		}
		return v + to.v - at[vertex].(valueKey).v
	}
	r.Leaves = make([]int, x.m.Leaves())
	fits := true
	var walk func(t, u *model.Type, from, to int)
	walk = func(t, u *model.Type, from, to int) {
		switch {
		case t.Kind != u.Kind || t.Leaves != u.Leaves:
			fits = false
		case t.Simple():
			r.Leaves[from] = to
		case t.Kind == model.Record:
			for i, f := range t.Fields {
				g := u.Fields[field(t, i)]
				walk(f.Type, g.Type, from+f.Offset, to+g.Offset)
			}
		case t.Kind == model.Array:
			for v := t.Index.Lo; v <= t.Index.Hi; v++ {
				w := value(t.Index, v)
				if w < u.Index.Lo || w > u.Index.Hi {
					fits = false
					return
				}
				walk(t.Elem, u.Elem, from+int(v-t.Index.Lo)*t.Elem.Leaves, to+int(w-u.Index.Lo)*u.Elem.Leaves)
			}
		default: // slots stay where they are
			for i := range t.Leaves {
				r.Leaves[from+i] = to + i
			}
		}
	}
	more := false
	var names []string
	for _, v := range x.m.Vars {
		u := at[p.Apply(x.vars[v])].(*model.Var)
		if u != v {
			more = true
			if v.Offset < u.Offset {
				names = append(names, fmt.Sprintf("%s <-> %s", v.Name, u.Name))
			}
		}
		walk(v.Type, u.Type, v.Offset, u.Offset)
	}
	for f, i := range x.fields {
		more = more || at[p.Apply(i)].(fieldKey).i != f.i
	}
	r.Values = make(model.ScalarPerm, len(x.m.Scalarsets))
	for key, i := range x.values {
		to := at[p.Apply(i)].(valueKey)
		switch {
		case key == to:
		case key.t != nil:
			more = true
			if enums = append(enums, key.t); to.t != key.t {
				fits = false // one-hot values move within their class
			}
		default:
			if r.Values[key.class] == nil {
				for v := range x.m.Scalarsets[key.class].Card() {
					r.Values[key.class] = append(r.Values[key.class], int(v))
				}
			}
			r.Values[key.class][key.v] = int(to.v)
		}
	}
	rules := func(vertices []int) []int {
		number := make(map[int]int)
		for i, v := range vertices {
			number[v] = i
		}
		to := make([]int, len(vertices))
		for i, v := range vertices {
			to[i] = number[p.Apply(v)]
			more = more || to[i] != i
		}
		return to
	}
	r.Rules, r.Starts = rules(x.rules), rules(x.starts)
	slices.SortFunc(enums, func(a, b *model.Type) int { return slices.Index(x.enums, a) - slices.Index(x.enums, b) })
	identical := slices.IsSorted(r.Leaves) // exchanges of equal rules are of no use
	for _, to := range r.Values {
		identical = identical && slices.IsSorted(to)
	}
	more = more && (!identical || len(enums) > 0)
	r.Name = strings.Join(names, ", ")
	if r.Name == "" {
		r.Name = "fields, rules or values"
	}
	return r, slices.Compact(enums), more && fits
}
