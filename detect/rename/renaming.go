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
func (x *modelGraph) named(n int) []any {
	at := make([]any, n)
	for v, i := range x.vars {
		at[i] = v
	}
	for v, i := range x.values {
		at[i] = v
	}
	for f, i := range x.fields {
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
func (y *reading) renaming() (r model.Renaming, enums []*model.Type, ok bool) {
	x := y.graph
	y.variables()
	for f, i := range x.fields {
		y.more = y.more || y.image(i).(fieldKey).i != f.i
	}
	y.values()
	y.r.Rules, y.r.Starts = y.rules(x.rules), y.rules(x.starts)
	slices.SortFunc(y.enums, func(a, b *model.Type) int { return slices.Index(x.enums, a) - slices.Index(x.enums, b) })
	identical := slices.IsSorted(y.r.Leaves) // exchanges of equal rules are of no use
	for _, to := range y.r.Values {
		identical = identical && slices.IsSorted(to)
	}
	ok = y.more && y.fits && (!identical || len(y.enums) > 0)
	return y.r, slices.Compact(y.enums), ok
}

// image returns what the image of a vertex stands for.
func (y *reading) image(vertex int) any { return y.at[y.p.Apply(vertex)] }

// variables reads where variables go, and with them their leaves; they make the name.
func (y *reading) variables() {
	y.r.Leaves = make([]int, y.graph.m.Leaves())
	var names []string
	for _, v := range y.graph.m.Vars {
		u := y.image(y.graph.vars[v]).(*model.Var)
		if u != v {
			y.more = true
			if v.Offset < u.Offset {
				names = append(names, fmt.Sprintf("%s <-> %s", v.Name, u.Name))
			}
		}
		y.leaves(v.Type, u.Type, v.Offset, u.Offset)
	}
	y.r.Name = cmp.Or(strings.Join(names, ", "), "fields, rules or values")
}

// leaves reads where the leaves of something of type t go, the first of which is from:
// to something of type u, the first leaf of which is to.
func (y *reading) leaves(t, u *model.Type, from, to int) {
	switch {
	case t.Kind != u.Kind || t.Leaves != u.Leaves:
		y.fits = false
	case t.Simple():
		y.r.Leaves[from] = to
	case t.Kind == model.Record:
		for i, f := range t.Fields {
			g := u.Fields[y.image(y.graph.fields[fieldKey{t, i}]).(fieldKey).i]
			y.leaves(f.Type, g.Type, from+f.Offset, to+g.Offset)
		}
	case t.Kind == model.Array:
		for v := t.Index.Lo; v <= t.Index.Hi; v++ {
			w := y.value(t.Index, v)
			if w < u.Index.Lo || w > u.Index.Hi {
				y.fits = false
				return
			}
			y.leaves(t.Elem, u.Elem, from+int(v-t.Index.Lo)*t.Elem.Leaves, to+int(w-u.Index.Lo)*u.Elem.Leaves)
		}
	default: // slots stay where they are
		for i := range t.Leaves {
			y.r.Leaves[from+i] = to + i
		}
	}
}

// value returns where a value of type t goes.
func (y *reading) value(t *model.Type, v int64) int64 {
	vertex, ok := y.graph.value(t, v)
	if !ok {
		return v
	}
	to := y.image(vertex).(valueKey)
	if to.t != nil { // of an enum, or another one that its variables go to
		return to.v
	}
	return v + to.v - y.at[vertex].(valueKey).v
}

// values reads where the values of classes go, and which enums would have to be classes.
func (y *reading) values() {
	m := y.graph.m
	y.r.Values = make(model.ScalarPerm, len(m.Scalarsets))
	for key, i := range y.graph.values {
		to := y.image(i).(valueKey)
		switch {
		case key == to:
		case key.t != nil:
			y.more = true
			y.enums = append(y.enums, key.t)
			y.fits = y.fits && to.t == key.t // one-hot values move within their class
		default:
			if y.r.Values[key.class] == nil {
				for v := range m.Scalarsets[key.class].Card() {
					y.r.Values[key.class] = append(y.r.Values[key.class], int(v))
				}
			}
			y.r.Values[key.class][key.v] = int(to.v)
		}
	}
}

// rules reads where rules, or start states, with these vertices go.
func (y *reading) rules(vertices []int) []int {
	number := lists.IndexBy(vertices, func(v int) int { return v })
	to := make([]int, len(vertices))
	for i, v := range vertices {
		to[i] = number[y.p.Apply(v)]
		y.more = y.more || to[i] != i
	}
	return to
}
