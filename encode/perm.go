package encode

import (
	"fmt"

	"orbitmc/model"
	"orbitmc/ts"
)

// Transposition returns the permutation that exchanges elements i and j of
// scalarset class: rows of arrays indexed by it, hot bits of leaves and
// choices that hold it. That it is an automorphism is for package detect to
// verify.
func (e *Encoding) Transposition(class, i, j int) *ts.Perm {
	t := e.Model.Scalarsets[class]
	p := ts.Identity(e.Sys)
	p.Name = fmt.Sprintf("%s <-> %s", t.Format(int64(i)), t.Format(int64(j)))
	swap := func(v int64) int64 {
		switch int(v) {
		case i:
			return int64(j)
		case j:
			return int64(i)
		}
		return v
	}
	for n, leaf := range e.Model.AllLeaves() {
		to := n
		for _, d := range leaf.Indices {
			if isClass(d.Type, class) {
				to += int(swap(d.Value)-d.Value) * d.Stride
			}
		}
		from, image := e.leaves[n], e.leaves[to]
		for k := range from.n {
			b := k
			if from.hot && isClass(leaf.Type, class) {
				b = int(swap(int64(k)))
			}
			p.Latch[from.first+k] = int32(image.first+b) << 1
		}
		if from.def >= 0 {
			p.Latch[from.def] = int32(image.def) << 1
		}
	}
	e.steps.permute(p.Input, class, i, j)
	e.starts.permute(p.Init, class, i, j)
	return p
}

func isClass(t *model.Type, class int) bool {
	return t.Kind == model.Scalarset && t.Class == class
}
