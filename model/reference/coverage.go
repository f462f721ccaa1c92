package reference

import "orbitmc/model"

// What the reference interpreter tells of rules, for statistics.

// Counting makes the walker count how often each statement runs; nil: nothing.
func (w *Walker) Counting(ran map[model.Stmt]int64) { w.ran = ran }

// Test evaluates a boolean expression of a rule, for the values of its parameters. One that errs
// does not hold.
func (w *Walker) Test(s model.State, r *model.Rule, params []int64, e model.Expr) bool {
	w.begin(s, r.Params, params)
	v, err := w.eval(e)
	return err == nil && v != 0
}
