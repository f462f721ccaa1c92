package declared

import (
	"context"
	"math/big"
	"slices"

	"orbitmc/detect"
)

// This file finds the transpositions that are missing from the common group of all
// properties, and the places of the model that break each of them (explain.Places).
//
// All transpositions of an element of one block with one of another block have the
// same places, since the elements of the group keep every rule.

// missing finds the places of all transpositions between blocks of the common
// group.
func (ru *run) missing(ctx context.Context) ([]detect.Missing, error) {
	var all []detect.Missing
	blocks := detect.Blocks(ru.m, ru.report.Common)
	for class, t := range ru.m.Scalarsets {
		if t.Slots {
			continue // their order is no place of the model
		}
		// Values that inference keeps apart may have no encoding in common.
		apart := func(a, b int) bool { return false }
		if c, ok := ru.opt.Inferred.Of(t); ok {
			apart = func(a, b int) bool {
				return !slices.ContainsFunc(c.Values, func(vs []int) bool { return slices.Contains(vs, a) && slices.Contains(vs, b) })
			}
		}
		for k, b := range blocks[class] {
			for _, a := range blocks[class][:k] {
				if apart(a[0], b[0]) {
					continue
				}
				m, err := ru.places(ctx, detect.Swap{Class: class, I: a[0], J: b[0]})
				if err != nil {
					return nil, err
				}
				all = append(all, m)
			}
		}
	}
	for i := range all {
		all[i].Order = ru.orderWithout(blocks, all, all[i].Places)
	}
	slices.SortStableFunc(all, func(a, b detect.Missing) int { return len(a.Places) - len(b.Places) })
	return all, nil
}

// orderWithout returns the order of the common group if some places are no
// obstacle: the blocks that transpositions without other places join are one. Rings
// of a class where that is so are not counted: the blocks may contain them.
func (ru *run) orderWithout(blocks [][][]int, all []detect.Missing, gone []detect.Place) *big.Int {
	same := func(p, q detect.Place) bool { return p.Rule == q.Rule && p.Prop == q.Prop }
	obstacle := func(p detect.Place) bool {
		return !slices.ContainsFunc(gone, func(q detect.Place) bool { return same(p, q) })
	}
	order := big.NewInt(1)
	for class, bs := range blocks {
		root := make(map[int]int)
		size := make(map[int]int64)
		for _, b := range bs {
			root[b[0]], size[b[0]] = b[0], int64(len(b))
		}
		joined := false
		for _, m := range all {
			if m.Class != class || root[m.I] == root[m.J] || slices.ContainsFunc(m.Places, obstacle) {
				continue
			}
			joined = true
			from, to := root[m.J], root[m.I]
			for e, r := range root {
				if r == from {
					root[e] = to
				}
			}
			size[to] += size[from]
			delete(size, from)
		}
		for _, n := range size {
			order.Mul(order, new(big.Int).MulRange(1, n))
		}
		for _, g := range ru.report.Common.Groups {
			if g.Class == class && !joined {
				order.Mul(order, g.Order)
			}
		}
	}
	return order
}

// places finds the places that refute a transposition.
func (ru *run) places(ctx context.Context, s detect.Swap) (detect.Missing, error) {
	c, err := ru.candidate(s)
	if err != nil {
		return detect.Missing{}, err
	}
	m := detect.Missing{Swap: s, Perm: c.Perm.Name}
	m.Places, err = ru.refuter.Places(ctx, &c.Move, ru.opt.Choosing, func(prop int) (*detect.Refutation, error) {
		return ru.refuteProp(ctx, c, prop)
	})
	for _, p := range m.Places {
		if p.Why.Undecided {
			m.Undecided++
		}
	}
	return m, err
}

// refuteProp decides whether c keeps a property; nil means that it does.
func (ru *run) refuteProp(ctx context.Context, c *candidate, prop int) (*detect.Refutation, error) {
	r := *ru.report // this check is none of those it counts
	defer func() { *ru.report = r }()
	ru.report.Refutations = nil
	ok, err := ru.check(ctx, c, prop)
	if ok || err != nil {
		return nil, err
	}
	return &ru.report.Refutations[0], nil
}
