package traces

import (
	"fmt"
	"slices"

	"orbitmc/model"
)

// RenumberActors permutes the scalarset values of a trace so that actors are
// numbered in the order of their first action: first those that are a ruleset
// parameter of the start state or of a step, then those that a state refers to
// or whose row a step changes; idle ones come last. blocks[c] partitions the
// values of class c into sets of interchangeable ones; values in no block and
// those of a class without blocks stay. Each block keeps its set of numbers. The
// result is replayed: if the symmetry does not hold, RenumberActors returns an
// error.
func RenumberActors(p *model.Program, t *model.Trace, blocks [][][]int) (*model.Trace, error) {
	r := renumbering{perm: make(model.ScalarPerm, len(p.Model.Scalarsets))}
	for c, class := range p.Model.Scalarsets {
		n := int(class.Card())
		r.block = append(r.block, make([]int, n))
		r.free = append(r.free, [][]int{})
		r.perm[c] = make([]int, n)
		for v := range n {
			r.block[c][v], r.perm[c][v] = -1, -1
		}
		if c >= len(blocks) {
			continue
		}
		for k, b := range blocks[c] {
			b = slices.Sorted(slices.Values(b))
			r.free[c] = append(r.free[c], b)
			for _, v := range b {
				r.block[c][v] = k
			}
		}
	}
	leaves := p.Model.AllLeaves()
	params := func(rule *model.Rule, ch model.Choice) {
		for i, q := range rule.Params {
			r.meet(q.Var.Type, ch.Params[i])
		}
	}
	params(p.Model.Starts[t.Start.Rule], t.Start)
	for _, step := range t.Steps {
		params(p.Model.Rules[step.Rule], step.Choice)
	}
	r.state(leaves, nil, t.StartState)
	old := t.StartState
	for _, step := range t.Steps {
		r.state(leaves, old, step.State)
		old = step.State
	}
	for _, class := range p.Model.Scalarsets {
		for v := class.Lo; v <= class.Hi; v++ {
			r.meet(class, v)
		}
	}
	u := p.PermTrace(r.perm, t)
	if err := Replay(p, u); err != nil {
		return nil, fmt.Errorf("renumbering actors: %w", err)
	}
	return u, nil
}

// renumbering hands out numbers; all slices are indexed by class first.
type renumbering struct {
	perm  model.ScalarPerm // -1: not met yet
	block [][]int          // block of each value, or -1
	free  [][][]int        // by block: numbers not handed out yet, ascending
}

// meet gives v the next number of its block.
func (r *renumbering) meet(t *model.Type, v int64) {
	if v == model.Undef {
		return
	}
	c, v, ok := t.Element(v)
	if !ok || r.perm[c][v] >= 0 {
		return
	}
	k := r.block[c][v]
	if k < 0 || t.Slots {
		r.perm[c][v] = int(v)
		return
	}
	free := &r.free[c][k]
	r.perm[c][v] = (*free)[0]
	*free = (*free)[1:]
}

// state meets the values that s refers to; with old, only in the leaves that
// changed, the rows of which it meets as well.
func (r *renumbering) state(leaves []model.Leaf, old, s model.State) {
	for i, v := range s {
		if old != nil && old[i] == v {
			continue
		}
		l := &leaves[i]
		if old != nil {
			for _, d := range l.Indices {
				r.meet(d.Type, d.Value)
			}
		}
		r.meet(l.Type, v)
	}
}
