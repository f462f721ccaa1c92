package rename

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"orbitmc/detect/graph"
	"orbitmc/internal/lists"
	"orbitmc/model"
)

// named returns, by vertex of n, what it stands for, if renamings move that: a variable,
// a value or a field; nil otherwise.
func (m *modelGraph) named(n int) []any {
	at := make([]any, n)
	for v, i := range m.vars {
		at[i] = v
	}
	for v, i := range m.values {
		at[i] = v
	}
	for f, i := range m.fields {
		at[i] = f
	}
	return at
}

// reading reads an automorphism of the graph of a model back into the model.
type reading struct {
	graph *modelGraph
	p     graph.Perm
	at    []any // by vertex: see named

	r     model.Renaming
	enums []*model.Type // that are no classes and whose values move
	more  bool          // it does more than permute values of classes
	fits  bool          // it is one of the leaves and values of the model
}

// renaming returns what the automorphism does, and which enums that are no classes it
// moves values of; ok is false if it does not do more than permute values of classes.
func (re *reading) renaming() (r model.Renaming, enums []*model.Type, ok bool) {
	x := re.graph
	re.variables()
	for f, i := range x.fields {
		re.more = re.more || re.image(i).(fieldKey).i != f.i
	}
	re.values()
	re.r.Rules, re.r.Starts = re.rules(x.rules), re.rules(x.starts)
	slices.SortFunc(re.enums, func(a, b *model.Type) int { return slices.Index(x.enums, a) - slices.Index(x.enums, b) })
	identical := slices.IsSorted(re.r.Leaves) // exchanges of equal rules are of no use
	for _, to := range re.r.Values {
		identical = identical && slices.IsSorted(to)
	}
	ok = re.more && re.fits && (!identical || len(re.enums) > 0)
	return re.r, slices.Compact(re.enums), ok
}

// image returns what the image of a vertex stands for.
func (re *reading) image(vertex int) any { return re.at[re.p.Apply(vertex)] }

// variables reads where variables go, and with them their leaves; they make the name.
func (re *reading) variables() {
	re.r.Leaves = make([]int, re.graph.m.Leaves())
	var names []string
	for _, v := range re.graph.m.Vars {
		u := re.image(re.graph.vars[v]).(*model.Var)
		if u != v {
			re.more = true
			if v.Offset < u.Offset {
				names = append(names, fmt.Sprintf("%s <-> %s", v.Name, u.Name))
			}
		}
		re.leaves(v.Type, u.Type, v.Offset, u.Offset)
	}
	re.r.Name = cmp.Or(strings.Join(names, ", "), "fields, rules or values")
}

// leaves reads where the leaves of something of type t go, the first of which is from:
// to something of type u, the first leaf of which is to.
func (re *reading) leaves(t, u *model.Type, from, to int) {
	switch {
	case t.Kind != u.Kind || t.Leaves != u.Leaves:
		re.fits = false
	case t.Simple():
		re.r.Leaves[from] = to
	case t.Kind == model.Record:
		for i, f := range t.Fields {
			g := u.Fields[re.image(re.graph.fields[fieldKey{t, i}]).(fieldKey).i]
			re.leaves(f.Type, g.Type, from+f.Offset, to+g.Offset)
		}
	case t.Kind == model.Array:
		for v := t.Index.Lo; v <= t.Index.Hi; v++ {
			w := re.value(t.Index, v)
			if w < u.Index.Lo || w > u.Index.Hi {
				re.fits = false
				return
			}
			re.leaves(t.Elem, u.Elem, from+int(v-t.Index.Lo)*t.Elem.Leaves, to+int(w-u.Index.Lo)*u.Elem.Leaves)
		}
	default: // slots stay where they are
		for i := range t.Leaves {
			re.r.Leaves[from+i] = to + i
		}
	}
}

// value returns where a value of type t goes.
func (re *reading) value(t *model.Type, v int64) int64 {
	vertex, ok := re.graph.value(t, v)
	if !ok {
		return v
	}
	to := re.image(vertex).(valueKey)
	if to.t != nil { // of an enum, or another one that its variables go to
		return to.v
	}
	return v + to.v - re.at[vertex].(valueKey).v
}

// values reads where the values of classes go, and which enums would have to be classes.
func (re *reading) values() {
	m := re.graph.m
	re.r.Values = make(model.ScalarPerm, len(m.Scalarsets))
	for key, i := range re.graph.values {
		to := re.image(i).(valueKey)
		switch {
		case key == to:
		case key.t != nil:
			re.more = true
			re.enums = append(re.enums, key.t)
			re.fits = re.fits && to.t == key.t // one-hot values move within their class
		default:
			if re.r.Values[key.class] == nil {
				for v := range m.Scalarsets[key.class].Card() {
					re.r.Values[key.class] = append(re.r.Values[key.class], int(v))
				}
			}
			re.r.Values[key.class][key.v] = int(to.v)
		}
	}
}

// rules reads where rules, or start states, with these vertices go.
func (re *reading) rules(vertices []int) []int {
	number := lists.IndexBy(vertices, func(v int) int { return v })
	to := make([]int, len(vertices))
	for i, v := range vertices {
		to[i] = number[re.p.Apply(v)]
		re.more = re.more || to[i] != i
	}
	return to
}
