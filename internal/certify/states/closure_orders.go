package states

import (
	"fmt"
	"slices"

	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// This file checks members of a closed set of which only a stubborn set of instances is fired. All instances are
// looked at there, but those that are not in the set may lead elsewhere. The set is stubborn (orders.go), and one of its
// steps leads to a member with a larger number, or to one where all are fired: docs/explicit.md has the proof that what
// is violated then shows in a member or at a step from one.

// orderedCheck is that of one closure. If it is nil, all instances are fired everywhere.
type orderedCheck struct {
	*orders
	in   evidence.Ordered
	sets int    // members that had one
	at   int64  // the member at hand
	only []bool // its set; nil: all
	goes bool   // a step of it leads where one has to

	can, erring []model.Choice
}

// order prepares the check of the sets.
func (cc *closureCheck) order(in evidence.Ordered, rest []*mc.PropResult) error {
	var looks []*model.Property
	says := func(right func(q *model.Property) bool) bool {
		return slices.ContainsFunc(rest, func(pr *mc.PropResult) bool { return right(cc.p.Model.Props[pr.Prop]) })
	}
	errs := says(func(q *model.Property) bool {
		return q.Kind == model.RuntimeError || q.Kind == model.Assertion || q.Kind == model.ErrorStmt
	})
	for _, q := range cc.p.Model.Props {
		if q.Expr != nil && (errs || says(func(p *model.Property) bool { return p == q })) {
			looks = append(looks, q)
		}
	}
	o, err := ordersFor(cc.p.Program, false, looks)
	if err != nil {
		return err
	}
	cc.ordered, cc.exchanges = &orderedCheck{orders: o, in: in}, nil
	return nil
}

// enter begins with member i, in state s. each calls can for all instances that can fire or err there, and returns false if it
// gives up.
func (c *orderedCheck) enter(i int64, s func() model.State, each func(can func(ch model.Choice, errs bool)) bool) (ok bool, err error) {
	if c == nil {
		return true, nil
	}
	c.at, c.only, c.goes = i, nil, false
	if !c.in.Reduced(i) {
		return true, nil
	}
	c.can, c.erring = c.can[:0], c.erring[:0]
	if !each(func(ch model.Choice, errs bool) {
		if errs {
			c.erring = append(c.erring, ch)
		} else {
			c.can = append(c.can, ch)
		}
	}) {
		return false, nil
	}
	c.sets++
	set := c.in.Stubborn(i, s(), slices.Concat(c.can, c.erring))
	c.only, err = c.stubborn(set, s(), c.can, c.erring, nil)
	return err == nil, err
}

// leavesOut reports whether an instance is not in the set.
func (c *orderedCheck) leavesOut(ch model.Choice) bool {
	return c != nil && c.only != nil && !c.only[c.Number(ch)]
}

// leads notes that a step leads to member i.
func (c *orderedCheck) leads(i int64) {
	if c != nil && c.only != nil {
		c.goes = c.goes || i > c.at || !c.in.Reduced(i)
	}
}

// end ends with the member.
func (c *orderedCheck) end() error {
	if c != nil && c.only != nil && !c.goes {
		return fmt.Errorf("no step of a stubborn set leads to a later member, or to one where all are fired")
	}
	return nil
}
