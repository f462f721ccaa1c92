package states

import (
	"slices"

	"orbitmc/internal/certify/typing"
	"orbitmc/mc"
	"orbitmc/model"
)

// TypedSets checks for the model of p that every permutation within the blocks of every class
// maps steps to steps, and each of props, at a state, to itself at the image. blocks[c] are
// sets of values of class c, by number; other values stay. The error says what was not
// shown, which does not refute it. joint are the sets of props that must be decided together, as
// an instance may violate another one of a set than its image does: disjoint, ascending, and
// merged with sets. What is shown counts at states where none of strict hides an error
// (model.Machine.Hid).
func TypedSets(p *mc.Problem, blocks [][][]int, props []int, sets ...[]int) (joint [][]int, strict model.Strict, err error) {
	own, strict, err := p.Typing.Derive(p.Model, blocks, props, func() ([][]int, model.Strict, error) {
		return typing.Derive(p.Model, blocks, props)
	})
	if err != nil {
		return nil, nil, err
	}
	for _, s := range slices.Concat(sets, own) {
		merged := slices.Clone(s)
		joint = slices.DeleteFunc(joint, func(t []int) bool {
			meets := slices.ContainsFunc(t, func(p int) bool { return slices.Contains(s, p) })
			if meets {
				merged = append(merged, t...)
			}
			return meets
		})
		slices.Sort(merged)
		joint = append(joint, slices.Compact(merged))
	}
	return joint, strict, nil
}
