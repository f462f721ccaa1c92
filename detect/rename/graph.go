package rename

import (
	"fmt"

	"orbitmc/detect/graph"
	"orbitmc/internal/lists"
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

type valueKey struct {
	t     *model.Type // an enum that is no class; nil: a class
	class int
	v     int64
}

type fieldKey struct {
	t *model.Type
	i int
}

type modelGraph struct {
	m      *model.Model
	b      *graph.Builder
	vars   map[*model.Var]int
	types  map[any]int // by *model.Type; of ranges that are no classes by their bounds; of classes by their number
	values map[valueKey]int
	fields map[fieldKey]int
	procs  map[*model.Proc]int

	rules, starts []int
	enums         []*model.Type // that are no classes
}

func newGraph(m *model.Model) *modelGraph {
	return &modelGraph{
		m: m, b: graph.NewBuilder(0, 0), vars: make(map[*model.Var]int), types: make(map[any]int),
		values: make(map[valueKey]int), fields: make(map[fieldKey]int), procs: make(map[*model.Proc]int),
	}
}

// vertex makes a vertex; the text tells its colour.
func (x *modelGraph) vertex(format string, args ...any) int {
	return x.b.AddNamed(fmt.Sprintf(format, args...))
}

// link gives a vertex a child in some role, and returns the vertex.
func (x *modelGraph) link(parent int, role string, child int) int {
	r := x.vertex("role %s", role)
	x.b.AddEdge(parent, r)
	x.b.AddEdge(r, child)
	return parent
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
			if x.b.N() > maxModelGraph {
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
	return x.b.N() <= maxModelGraph
}

func (x *modelGraph) params(v int, params []*model.Param) {
	for i, p := range params {
		x.link(v, fmt.Sprint("param ", i), x.variable(p.Var))
		x.domain(v, fmt.Sprint("domain ", i), p.Domain, 0)
	}
}

func (x *modelGraph) domain(v int, role string, d model.Domain, depth int) int {
	if d.From == nil {
		return x.link(v, role, x.typ(d.Type))
	}
	x.link(v, role+" from", x.expr(d.From, depth))
	x.link(v, role+" to", x.expr(d.To, depth))
	if d.By != nil {
		x.link(v, role+" by", x.expr(d.By, depth))
	}
	return v
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
	t, v = t.Part(v)
	key := valueKey{t: t, v: v}
	if class, w, classed := t.Element(v); classed {
		if x.m.Scalarsets[class].Slots {
			return 0, false
		}
		key = valueKey{class: class, v: w}
	} else if t.Kind != model.Enum {
		return 0, false
	}
	return lists.Memo(x.values, key, func(valueKey) int { return x.vertex("value") }), true
}

// typ returns the vertex of a type. It is entered before its parts are made.
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
		x.link(at, "class", x.class(t.Class))
		x.linkValues(at, t)
	case t.Kind == model.Enum:
		at = x.vertex("enum %d", t.Card())
		x.types[key] = at
		x.enums = append(x.enums, t)
		x.linkValues(at, t)
	default:
		at = x.vertex("type %d %d %d", t.Kind, t.Lo, t.Hi)
		x.types[key] = at
		x.linkParts(at, t)
	}
	return at
}

// class returns the vertex of a class. Its colour has its number, so a permutation of
// values stays in its class.
func (x *modelGraph) class(number int) int {
	return lists.Memo(x.types, any(number), func(any) int { return x.vertex("class %d", number) })
}

// linkValues links a type to its values, as far as they have vertices.
func (x *modelGraph) linkValues(at int, t *model.Type) {
	for v := t.Lo; v <= t.Hi; v++ {
		if w, ok := x.value(t, v); ok {
			x.link(at, "value", w)
		}
	}
}

// linkParts links a type to the types and fields that it is made of.
func (x *modelGraph) linkParts(at int, t *model.Type) {
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
