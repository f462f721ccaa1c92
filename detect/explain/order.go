package explain

import (
	"fmt"
	"slices"

	"orbitmc/detect"
	"orbitmc/model"
)

// To show that the order of a loop over a scalarset matters, the loop is run in another
// order: in a copy of the model one loop for each value takes its place, and two of the
// values change places.

// orders fires the instance of x in its state twice: with the loop f of its rule as it is, and
// with the two values that t exchanges in the opposite order. It returns a text of the
// differences, or "".
func (w *world) orders(f *model.For, t detect.Swap, x *witness) string {
	if f.Domain.From != nil || !x.hasChoice {
		return ""
	}
	m := *w.p.Model
	rules := &m.Rules
	if x.start {
		rules = &m.Starts
	}
	rule := *(*rules)[x.ch.Rule]
	values := f.Domain.Values()
	a, b := slices.IndexFunc(values, is(t, f.Domain.Type, t.I)), slices.IndexFunc(values, is(t, f.Domain.Type, t.J))
	if a < 0 || b < 0 { // the loop is over some values of the class only
		return ""
	}
	values[a], values[b] = values[b], values[a]
	var unrolled []model.Stmt
	for _, v := range values {
		c := &model.ConstExpr{Value: v, T: f.Domain.Type, Pos: f.Pos}
		unrolled = append(unrolled, &model.For{Var: f.Var, Domain: model.Domain{Type: f.Domain.Type, From: c, To: c}, Body: f.Body, Pos: f.Pos})
	}
	rule.Body = replace(rule.Body, f, unrolled)
	*rules = slices.Clone(*rules)
	(*rules)[x.ch.Rule] = &rule
	other := model.Compile(&m).NewMachine()
	var here, there model.State
	if x.start {
		here, _ = w.m.Start(x.ch)
		there, _ = other.Start(x.ch)
	} else {
		here, _, _ = w.m.Fire(x.s, x.ch)
		there, _, _ = other.Fire(x.s, x.ch)
	}
	format := func(v int) string { return m.Scalarsets[t.Class].ElementName(v) }
	order := fmt.Sprintf("%s before %s", format(t.I), format(t.J))
	swapped := fmt.Sprintf("%s before %s", format(t.J), format(t.I))
	if here == nil || there == nil {
		if here == nil && there == nil {
			return ""
		}
		outcome := map[bool]string{true: "an error", false: "none"}
		return fmt.Sprintf("%s gives %s, %s %s", order, outcome[here == nil], swapped, outcome[there == nil])
	}
	var one, two []string
	for i, l := range w.leaves {
		if here[i] != there[i] {
			one = append(one, fmt.Sprintf("%s = %s", l.Name, l.Type.Format(here[i])))
			two = append(two, fmt.Sprintf("%s = %s", l.Name, l.Type.Format(there[i])))
		}
	}
	if one == nil {
		return ""
	}
	return fmt.Sprintf("%s gives %s, %s gives %s", order, list(one), swapped, list(two))
}

// is returns a test for the value of type y that is number v of the class of t.
func is(t detect.Swap, y *model.Type, v int) func(int64) bool {
	return func(u int64) bool {
		class, w, ok := y.Element(u)
		return ok && class == t.Class && int(w) == v
	}
}

// replace returns body with other statements in the place of f.
func replace(body []model.Stmt, f *model.For, with []model.Stmt) []model.Stmt {
	var out []model.Stmt
	for _, s := range body {
		if s == model.Stmt(f) {
			out = append(out, with...)
			continue
		}
		same := func(e model.Expr) model.Expr { return e }
		out = append(out, model.MapStmt(s, same, func(b []model.Stmt) []model.Stmt { return replace(b, f, with) }))
	}
	return out
}
