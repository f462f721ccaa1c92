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
	perm := make(model.ScalarPerm, len(e.Model.Scalarsets))
	for v := range t.Card() {
		perm[class] = append(perm[class], int(v))
	}
	perm[class][i], perm[class][j] = j, i
	p := e.Permutation(perm)
	p.Name = fmt.Sprintf("%s <-> %s", t.ElementName(i), t.ElementName(j))
	return p
}

// Permutation returns the permutation that acts on states and choices in the way of
// perm; slots, too, are permuted. Perm must map every type of a class to itself.
func (e *Encoding) Permutation(perm model.ScalarPerm) *ts.Perm {
	p := ts.Identity(e.Sys)
	to := valuesUnder(perm)
	for n, leaf := range e.Model.AllLeaves() {
		at := n
		for _, d := range leaf.Indices {
			if isHot(d.Type) {
				at += (to(d.Type, int(d.Value)) - int(d.Value)) * d.Stride
			}
		}
		e.leaves[n].permute(p, e.leaves[at], leaf.Type, to)
	}
	e.permuteInputs(p, to)
	return p
}

// permute sets what p does to the latches of a leaf of type t that moves to image, for a map of
// values.
func (l leafBits) permute(p *ts.Perm, image leafBits, t *model.Type, to func(t *model.Type, v int) int) {
	for k := range l.n {
		b := k
		if l.hot {
			b = to(t, k+int(l.off)) - int(l.off)
		}
		p.Latch[l.first+k] = ts.MkLit(image.first+b, false)
	}
	if l.def >= 0 {
		p.Latch[l.def] = ts.MkLit(image.def, false)
	}
}

// valuesUnder returns the map of values under perm.
func valuesUnder(perm model.ScalarPerm) func(t *model.Type, v int) int {
	return func(t *model.Type, v int) int {
		if c, w, ok := t.Element(int64(v)); ok && perm[c] != nil {
			return int(t.Image(int64(v), w, int64(perm[c][w])))
		}
		return v
	}
}

// permuteInputs sets what p does to inputs for a map of values.
func (e *Encoding) permuteInputs(p *ts.Perm, to func(t *model.Type, v int) int) {
	e.steps.permute(p.Input, to)
	e.starts.permute(p.Init, to)
	e.stepTargets.permute(e.Model.Scalarsets, p.Input, to)
	e.startTargets.permute(e.Model.Scalarsets, p.Init, to)
}

// Renaming returns the permutation that acts in the way of r, or why there is none: a
// renaming of rules takes an encoding by Named, and leaves take each other's place only
// if they have as many bits.
func (e *Encoding) Renaming(r model.Renaming) (*ts.Perm, error) {
	p := ts.Identity(e.Sys)
	p.Name = r.Name
	to := valuesUnder(r.Values)
	for n, leaf := range e.Model.AllLeaves() {
		from, image := e.leaves[n], e.leaves[r.Leaves[n]]
		if from.n != image.n || from.hot != image.hot || from.off != image.off || (from.def < 0) != (image.def < 0) {
			return nil, fmt.Errorf("%s and %s are encoded in different ways", leaf.Name, e.Model.LeafName(r.Leaves[n]))
		}
		from.permute(p, image, leaf.Type, to)
	}
	e.permuteInputs(p, to)
	if err := e.steps.rename(p.Input, r.Rules); err != nil {
		return nil, err
	}
	if err := e.starts.rename(p.Init, r.Starts); err != nil {
		return nil, err
	}
	return p, p.Check(e.Sys)
}
