package param

import (
	"context"
	"fmt"

	"orbitmc/internal/lists"
	"orbitmc/sat"
)

// This file finds what the conditions of a proof need.

// Need is a condition with conjuncts that refute it at all sizes, of which none can be left out.
type Need struct {
	*Condition
	Of []int // ascending
}

// Needs returns what conditions need, but for those about start states, which need nothing. What a step is to keep is
// left out last: "it was so before" is no reason where there is another one. The error is that of ctx, or says which
// condition is not refuted by all conjuncts.
func (c *Conditions) Needs(ctx context.Context, newSolver func() sat.Solver) ([]Need, error) {
	all := lists.Make(len(c.Conjuncts), func(j int) int { return j })
	var out []Need
	for _, k := range c.all {
		if k.Alone {
			continue
		}
		o, err := c.refute(ctx, newSolver, k, all, func(j int) bool { return j != k.Conjunct })
		if err != nil {
			return nil, err
		}
		if !o.Proved() {
			return nil, fmt.Errorf("%s is not refuted at few sizes", c.Name(k))
		}
		need := lists.Where(all, func(j int) bool { return o.Kept[j] })
		for _, j := range append(lists.Where(need, func(j int) bool { return j != k.Conjunct }), k.Conjunct) {
			fewer := lists.Where(need, func(i int) bool { return i != j })
			if o, err = c.refute(ctx, newSolver, k, fewer, func(int) bool { return false }); err != nil {
				return nil, err
			}
			if o.Proved() {
				need = fewer
			}
		}
		out = append(out, Need{k, need})
	}
	return out, nil
}

// refute proves a condition alone, with conjuncts of which those that candidate selects may be left out.
func (c *Conditions) refute(ctx context.Context, newSolver func() sat.Solver, k *Condition, of []int, candidate func(int) bool) (*Outcome, error) {
	d, alone := *c, *k
	d.Starts, d.Rules = nil, nil // a conjunct that is added has no conditions
	d.Conjuncts = lists.Map(of, func(j int) Conjunct { return c.Conjuncts[j] })
	alone.Conjunct = -1
	d.all = []*Condition{&alone}
	return d.prove(ctx, newSolver, candidate, false)
}
