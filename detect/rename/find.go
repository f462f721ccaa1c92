package rename

import (
	"context"
	"slices"

	"orbitmc/detect/graph"
	"orbitmc/model"
)

// Find proposes renamings of a model that do more than permute the values of
// its classes. They are about the model that is returned with them, which means what m
// means and has more enums as classes; it is m if there are none.
func Find(ctx context.Context, m *model.Model) (*model.Model, []model.Renaming, error) {
	if slices.ContainsFunc(m.Scalarsets, func(t *model.Type) bool { return t.Elems != nil }) {
		return m, nil, nil // its values are renamed already
	}
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
		enums = union(enums, moved)
	}
	return rs, enums, nil
}

// union adds the types that are not in enums yet.
func union(enums, more []*model.Type) []*model.Type {
	for _, t := range more {
		if !slices.Contains(enums, t) {
			enums = append(enums, t)
		}
	}
	return enums
}

// automorphisms returns the renamings that the graph of m shows, and the enums that are
// no classes and move.
func automorphisms(ctx context.Context, m *model.Model) (rs []model.Renaming, enums []*model.Type, err error) {
	x := newGraph(m)
	if !x.build() {
		return nil, nil, nil
	}
	g, err := x.b.Graph()
	if err != nil {
		return nil, nil, err
	}
	found, err := graph.Search(ctx, g)
	if err != nil {
		return nil, nil, err
	}
	at := x.named(g.N())
	for _, p := range found.Generators {
		if !slices.ContainsFunc(p.Moved, func(v int32) bool { return at[v] != nil }) {
			continue // equal rules, or operands
		}
		y := &reading{graph: x, p: p, at: at, fits: true}
		if r, moved, ok := y.renaming(); ok {
			rs = append(rs, r)
			enums = union(enums, moved)
		}
	}
	return rs, enums, nil
}
