package explain

import (
	"slices"

	"orbitmc/model"
)

// This file guesses the loop that breaks a symmetry. The most common asymmetry is a loop over
// components whose order matters: `for i: P do if up[i] then last := i; end; end`. Its body
// writes a variable that the loop variable does not index, so iterations overwrite each
// other. Such loops are suspected first.

// suspect returns the loop over values of a class whose order probably matters, in r or in a
// procedure that r calls. It is the first loop whose body writes a variable that the loop
// variable does not index, else the first loop, else nil. own says that it is in r itself.
func suspect(r *model.Rule, class int) (loop *model.For, own bool) {
	var loops, suspects []*model.For
	bodies := [][]model.Stmt{r.Body}
	called := make(map[*model.Proc]bool)
	inRule := 0
	for k := 0; k < len(bodies); k++ {
		model.Inspect(bodies[k], func(n any) {
			if f, ok := n.(*model.For); ok && over(f.Domain.Type, class) {
				if loops = append(loops, f); writesShared(f) {
					suspects = append(suspects, f)
				}
			}
			if p, _ := model.Called(n); p != nil && !called[p] {
				called[p] = true
				bodies = append(bodies, p.Body)
			}
		})
		if k == 0 {
			inRule = len(loops)
		}
	}
	if len(loops) == 0 {
		return nil, false
	}
	loop = loops[0]
	if len(suspects) > 0 {
		loop = suspects[0]
	}
	return loop, slices.Contains(loops[:inRule], loop)
}

// over reports whether a domain of type t, or nil, has values of the class.
func over(t *model.Type, class int) bool {
	of := func(p *model.Type) bool { return p.Classed() && p.Class == class }
	return t != nil && (of(t) || slices.ContainsFunc(t.Parts, of))
}

// writesShared reports whether the body of a loop writes what the loop variable
// does not index.
func writesShared(f *model.For) bool {
	shared := false
	model.Inspect(f.Body, func(n any) {
		switch n.(type) {
		case *model.Return, *model.Call, *model.CallExpr:
			shared = true
		}
		to := model.Written(n)
		shared = shared || to != nil && !mentions(to, f.Var)
	})
	return shared
}

// mentions reports whether the designator e is indexed by v.
func mentions(e model.Expr, v *model.Var) bool {
	for x := range model.Within(e) {
		if i, ok := x.(*model.IndexSel); ok {
			if r, ok := i.Index.(*model.Ref); ok && r.Var == v {
				return true
			}
		}
	}
	return false
}
