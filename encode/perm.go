package encode

import (
	"fmt"

	"orbitmc/model"
	"orbitmc/ts"
)

// Transposition returns the permutation that exchanges elements i and j of
// scalarset class: rows of arrays indexed by it, hot bits of leaves and
// choices that hold it; for a slot type, slots of all multisets of that type, and
// targets. That it is an automorphism is for package detect to verify.
func (e *Encoding) Transposition(class, i, j int) *ts.Perm {
	t := e.Model.Scalarsets[class]
	p := ts.Identity(e.Sys)
	p.Name = fmt.Sprintf("%s <-> %s", t.Format(int64(i)), t.Format(int64(j)))
	to := func(t *model.Type, v int) int {
		switch c, w, ok := t.Element(int64(v)); {
		case !ok || c != class:
		case int(w) == i:
			return v + j - i
		case int(w) == j:
			return v + i - j
		}
		return v
	}
	for n, leaf := range e.Model.AllLeaves() {
		at := n
		for _, d := range leaf.Indices {
			if isHot(d.Type) {
				at += (to(d.Type, int(d.Value)) - int(d.Value)) * d.Stride
			}
		}
		from, image := e.leaves[n], e.leaves[at]
		for k := range from.n {
			b := k
			if from.hot {
				b = to(leaf.Type, k)
			}
			p.Latch[from.first+k] = int32(image.first+b) << 1
		}
		if from.def >= 0 {
			p.Latch[from.def] = int32(image.def) << 1
		}
	}
	e.steps.permute(p.Input, to)
	e.starts.permute(p.Init, to)
	e.stepTargets.permute(e.Model.Scalarsets, p.Input, to)
	e.startTargets.permute(e.Model.Scalarsets, p.Init, to)
	return p
}
