package certify

import (
	"context"
	"slices"

	"orbitmc/encode"
	"orbitmc/model"
)

// This file finds what of a proposal of partial symmetry holds (partial.go), and makes families of it.

// rotated returns a group that is verified with rings in the place of all else that moves their values, where
// it has not all of the rotations that pass. A ring has the least step that passes.
func (pa *partial) rotated(of model.Kept, rings []model.Ring, passes func(model.Kept) (bool, error)) (model.Kept, error) {
	m := pa.enc.Model
	for _, r := range rings {
		for step, all := 1, of.Step(m, r); step < all; step++ {
			if len(r.Values)%step != 0 {
				continue
			}
			with := of.Rotated(m, r, step)
			ok, err := passes(with)
			if err != nil {
				return of, err
			}
			if ok {
				of = with
				break
			}
		}
	}
	return of, nil
}

// mostPairs is how many exchanges of instances are tried where not all that was proposed holds.
const mostPairs = 1 << 14

// refined returns the coarsest cells within those proposed such that exchanges within them pass,
// or single ones if that takes too many exchanges.
func (pa *partial) refined(proposed model.Cells, cost int, passes func(perm model.ScalarPerm) (bool, error)) (model.Kept, error) {
	m := pa.enc.Model
	pairs := 0
	for _, blocks := range proposed.Blocks() {
		for _, b := range blocks {
			pairs += len(b) * (len(b) - 1) / 2
		}
	}
	if pairs*cost > mostPairs {
		return model.Kept{Cells: model.SingleCells(m)}, nil
	}
	var failed error
	cells := model.NewCells(m, func(c, v, w int) bool {
		if failed != nil || proposed[c][v] != proposed[c][w] || pa.types[c][v] != pa.types[c][w] {
			return false
		}
		ok, err := passes(m.Exchange(c, v, w))
		if err != nil {
			failed = err
		}
		return ok
	})
	return model.Kept{Cells: cells}, failed
}

// Partial returns what circuits show of a proposal: for each rule families with cells that are
// within those proposed, or one with rings.
func Partial(ctx context.Context, enc *encode.Encoding, proposal *model.Partial) (*model.Partial, error) {
	k, err := newPartial(ctx, enc, proposal.Families)
	if err != nil {
		return nil, err
	}
	m := enc.Model
	if err := k.wellFormed(proposal); err != nil {
		return nil, err
	}
	var rings []model.Ring
	for _, r := range proposal.Rings {
		ok, err := k.keepsWellFormed(m.Rotation(r, 1))
		if err != nil {
			return nil, err
		}
		if ok {
			rings = append(rings, r)
		}
	}
	out := &model.Partial{Guards: len(k.mixed) > 0}
	join := model.SingleCells(m)
	for _, f := range proposal.Families {
		join = join.Join(m, f.Cells)
	}
	meet := model.Kept{Cells: model.WholeCells(m)}
	var rules []*choice
	many := 0 // that keep more rotations than other permutations
	for from := 0; from < len(proposal.Families); {
		to := from + 1
		for to < len(proposal.Families) && proposal.Families[to].Rule == proposal.Families[from].Rule {
			to++
		}
		c, err := k.rule(proposal.Families[from:to], model.Kept{Cells: join}, rings)
		if err != nil {
			return nil, err
		}
		if rules = append(rules, c); c.whole != nil {
			many++
		}
		from = to
	}
	// Where many rules keep no more than rotations, cells are soon lost.
	prefers := func(rotated, other model.Kept) bool {
		return many*fewRotated > len(m.Rules) || rotated.Order().Cmp(other.Order()) > 0
	}
	for _, c := range rules {
		if c.whole != nil && prefers(c.whole.Kept, c.meet) {
			c.families, c.meet = []model.Family{*c.whole}, c.whole.Kept
		}
		out.Families = append(out.Families, c.families...)
		meet = meet.Meet(m, c.meet)
	}
	for prop, q := range m.Props {
		of := proposal.Props[prop]
		bound := model.Kept{Cells: model.WholeCells(m)}
		if q.Kind == model.Deadlock || k.mixed[prop] {
			bound = meet
			of = of.Meet(m, bound)
		}
		ok, err := k.keepsProp(prop, of)
		if err == nil && !ok {
			of, err = k.refined(of.Cells, 1, func(perm model.ScalarPerm) (bool, error) { return k.mapsProp(prop, perm) })
		}
		with := of
		if err == nil {
			with, err = k.rotated(of, rings, func(of model.Kept) (bool, error) {
				if !of.Within(m, bound) {
					return false, nil
				}
				return k.keepsProp(prop, of)
			})
		}
		if err != nil {
			return nil, err
		}
		if prefers(with, of) {
			of = with
		}
		out.Props = append(out.Props, of)
	}
	return out, nil
}

// fewRotated: if at most one of so many rules keeps more rotations than its families do together, only those
// become one family of which that leaves more permutations.
const fewRotated = 3

// choice is what is verified of a rule.
type choice struct {
	families []model.Family
	meet     model.Kept    // what these keep together
	whole    *model.Family // all of it, if it keeps more rotations; else nil
}

// rule returns what is verified of a rule. The families proposed, which are all of it, are
// tried after all of it with what some family keeps.
func (pa *partial) rule(proposed []model.Family, join model.Kept, rings []model.Ring) (c *choice, err error) {
	m := pa.enc.Model
	whole := model.Family{Rule: proposed[0].Rule, Kept: join}
	if slices.ContainsFunc(proposed, func(f model.Family) bool { return !f.Kept.Equal(join) }) {
		if ok, err := pa.keeps(&whole, join); ok || err != nil {
			return &choice{families: []model.Family{whole}, meet: join}, err
		}
	}
	c = &choice{meet: join}
	for _, f := range proposed {
		ok, err := pa.keeps(&f, f.Kept)
		if err == nil && !ok {
			all := f.Instances(m)
			f.Kept, err = pa.refined(f.Cells, len(all), func(perm model.ScalarPerm) (bool, error) {
				for _, a := range all {
					b := pa.enc.Program.PermChoice(perm, a)
					if !f.Has(b) {
						return false, nil
					}
					if ok, err := pa.step(pa.permutation(perm), a, b); !ok {
						return false, err
					}
				}
				return true, nil
			})
		}
		if err != nil {
			return nil, err
		}
		c.families = append(c.families, f)
		c.meet = c.meet.Meet(m, f.Kept)
	}
	whole.Kept, err = pa.rotated(c.meet, rings, func(of model.Kept) (bool, error) { return pa.keeps(&whole, of) })
	if !whole.Kept.Equal(c.meet) {
		whole.Why = proposed[0].Why
		c.whole = &whole
	}
	return c, err
}
