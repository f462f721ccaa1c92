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
func (m *modelGraph) vertex(format string, args ...any) int {
	return m.b.AddNamed(fmt.Sprintf(format, args...))
}

// link gives a vertex a child in some role, and returns the vertex.
func (m *modelGraph) link(parent int, role string, child int) int {
	r := m.vertex("role %s", role)
	m.b.AddEdge(parent, r)
	m.b.AddEdge(r, child)
	return parent
}

// build reports whether the graph is not too large.
func (m *modelGraph) build() bool {
	for _, v := range m.m.Vars {
		m.variable(v)
	}
	each := func(what string, rules []*model.Rule) (all []int) {
		for _, r := range rules {
			v := m.vertex("%s", what)
			m.params(v, r.Params)
			if r.Guard != nil {
				m.link(v, "guard", m.expr(r.Guard, 0))
			}
			m.list(v, "body", r.Body, 0)
			all = append(all, v)
			if m.b.N() > maxModelGraph {
				break
			}
		}
		return all
	}
	m.starts, m.rules = each("start", m.m.Starts), each("rule", m.m.Rules)
	for _, props := range [][]*model.Property{m.m.Props, m.m.Assumptions} {
		for _, p := range props {
			if p.Expr == nil {
				continue // of a statement, which is in the graph
			}
			v := m.vertex("property %v", p.Kind)
			m.params(v, p.Params)
			m.link(v, "expr", m.expr(p.Expr, 0))
		}
	}
	return m.b.N() <= maxModelGraph
}

func (m *modelGraph) params(v int, params []*model.Param) {
	for i, p := range params {
		m.link(v, fmt.Sprint("param ", i), m.variable(p.Var))
		m.domain(v, fmt.Sprint("domain ", i), p.Domain, 0)
	}
}

func (m *modelGraph) domain(v int, role string, d model.Domain, depth int) int {
	if d.From == nil {
		return m.link(v, role, m.typ(d.Type))
	}
	m.link(v, role+" from", m.expr(d.From, depth))
	m.link(v, role+" to", m.expr(d.To, depth))
	if d.By != nil {
		m.link(v, role+" by", m.expr(d.By, depth))
	}
	return v
}

func (m *modelGraph) variable(v *model.Var) int {
	at, ok := m.vars[v]
	if !ok {
		at = m.vertex("variable %d", v.Kind)
		m.vars[v] = at
		if v.Type != nil {
			m.link(at, "type", m.typ(v.Type))
		}
	}
	return at
}

// value returns the vertex of a value of a type, ok is false if it has none.
func (m *modelGraph) value(t *model.Type, v int64) (vertex int, ok bool) {
	t, v = t.Part(v)
	key := valueKey{t: t, v: v}
	if class, w, classed := t.Element(v); classed {
		if m.m.Scalarsets[class].Slots {
			return 0, false
		}
		key = valueKey{class: class, v: w}
	} else if t.Kind != model.Enum {
		return 0, false
	}
	return lists.Memo(m.values, key, func(valueKey) int { return m.vertex("value") }), true
}

// typ returns the vertex of a type. It is entered before its parts are made.
func (m *modelGraph) typ(t *model.Type) int {
	var key any = t
	if t.Kind == model.Range && !t.Alike {
		key = [2]int64{t.Lo, t.Hi}
	}
	at, ok := m.types[key]
	if ok {
		return at
	}
	switch {
	case t.Kind == model.Scalarset && t.Slots:
		at = m.vertex("slots %d %d", t.Class, t.Card())
		m.types[key] = at
	case t.Classed():
		at = m.vertex("classed %d %d %d %d", t.Kind, t.Lo, t.Hi, t.First)
		m.types[key] = at
		m.link(at, "class", m.class(t.Class))
		m.linkValues(at, t)
	case t.Kind == model.Enum:
		at = m.vertex("enum %d", t.Card())
		m.types[key] = at
		m.enums = append(m.enums, t)
		m.linkValues(at, t)
	default:
		at = m.vertex("type %d %d %d", t.Kind, t.Lo, t.Hi)
		m.types[key] = at
		m.linkParts(at, t)
	}
	return at
}

// class returns the vertex of a class. Its colour has its number, so a permutation of
// values stays in its class.
func (m *modelGraph) class(number int) int {
	return lists.Memo(m.types, any(number), func(any) int { return m.vertex("class %d", number) })
}

// linkValues links a type to its values, as far as they have vertices.
func (m *modelGraph) linkValues(at int, t *model.Type) {
	for v := t.Lo; v <= t.Hi; v++ {
		if w, ok := m.value(t, v); ok {
			m.link(at, "value", w)
		}
	}
}

// linkParts links a type to the types and fields that it is made of.
func (m *modelGraph) linkParts(at int, t *model.Type) {
	for _, p := range t.Parts {
		m.link(at, "part", m.typ(p))
	}
	if t.Index != nil {
		m.link(at, "index", m.typ(t.Index))
	}
	if t.Elem != nil {
		m.link(at, "element", m.typ(t.Elem))
	}
	for i, f := range t.Fields {
		v := m.vertex("field")
		m.fields[fieldKey{t, i}] = v
		m.link(at, "field", v)
		m.link(v, "type", m.typ(f.Type))
	}
}

func (m *modelGraph) proc(p *model.Proc) int {
	at, ok := m.procs[p]
	if ok {
		return at
	}
	at = m.vertex("procedure")
	m.procs[p] = at
	for i, f := range p.Params {
		m.link(at, fmt.Sprint("param ", i, f.ByRef), m.variable(f.Var))
	}
	if p.Result != nil {
		m.link(at, "result", m.typ(p.Result))
	}
	m.list(at, "body", p.Body, 0)
	return at
}
