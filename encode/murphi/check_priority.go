// Rule priorities of CMurphi. Of the rules enabled in a state only those fire
// whose number is the least; a rule without a number has 0. So the guard of every
// rule gets the condition that no rule of a lesser number is enabled.

package murphi

import (
	"slices"

	"orbitmc/model"
)

// maxPairs limits how many guards become part of other guards.
const maxPairs = 1 << 16

// prioritise makes priorities part of the guards.
func (c *checker) prioritise() {
	levels := slices.Compact(slices.Sorted(slices.Values(c.priorities)))
	if len(levels) < 2 || len(c.errs) > 0 {
		return
	}
	rules := make(map[int64][]*model.Rule)
	for i, r := range c.m.Rules {
		rules[c.priorities[i]] = append(rules[c.priorities[i]], r)
	}
	var enabled []model.Expr // of the rules of all lesser numbers
	var at []model.Pos
	pairs := 0
	for i, level := range levels {
		var here []model.Expr
		for _, r := range rules[level] {
			if pairs += len(enabled); pairs > maxPairs {
				c.errorf(r.Pos, "rule priorities relate more than %d pairs of rules", maxPairs)
				return
			}
			here = append(here, anyEnabled(r))
		}
		if i > 0 {
			for _, r := range rules[level] {
				none := &model.Not{X: c.balance(model.Or, enabled, at), Pos: r.Pos}
				if r.Guard == nil {
					r.Guard = none
				} else {
					r.Guard = &model.Binary{Op: model.And, X: r.Guard, Y: none, Pos: r.Pos}
				}
			}
		}
		for j, r := range rules[level] {
			enabled, at = append(enabled, here[j]), append(at, r.Pos)
		}
	}
}

// anyEnabled returns the condition that some instance of r is enabled.
func anyEnabled(r *model.Rule) model.Expr {
	var x model.Expr = &model.ConstExpr{Value: 1, T: model.BoolType, Pos: r.Pos}
	if r.Guard != nil {
		x = model.Substitute(r.Guard, nil)
	}
	for _, p := range slices.Backward(r.Params) {
		v := *p.Var
		x = model.Substitute(x, map[*model.Var]model.Expr{p.Var: &model.Ref{Var: &v, Pos: r.Pos}})
		x = &model.Quant{Var: &v, Domain: p.Domain, Body: x, Pos: r.Pos}
	}
	return x
}
