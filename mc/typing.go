package mc

import (
	"maps"
	"reflect"
	"slices"
	"sync"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// Typing keeps the last derivation of symmetry by typing (states.TypedSets): the check of a
// closed set asks again what was asked before the search. All problems of one task share
// it. It is safe for concurrent use. A nil Typing keeps nothing.
type Typing struct {
	mu     sync.Mutex
	m      *model.Model
	blocks [][][]int
	props  []int
	joint  [][]int
	strict model.Strict
	err    error
}

// Derive returns what derive returned for the same model, blocks and properties, or calls it.
// The caller may change strict; joint is shared.
func (t *Typing) Derive(m *model.Model, blocks [][][]int, props []int, derive func() (joint [][]int, strict model.Strict, err error)) (joint [][]int, strict model.Strict, err error) {
	if t == nil {
		return derive()
	}
	t.mu.Lock()
	if t.m == m && slices.Equal(t.props, props) && reflect.DeepEqual(t.blocks, blocks) {
		defer t.mu.Unlock()
		return t.joint, maps.Clone(t.strict), t.err
	}
	t.mu.Unlock()
	joint, strict, err = derive()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m, t.blocks, t.props = m, copied(blocks), slices.Clone(props)
	t.joint, t.strict, t.err = joint, strict, err
	return joint, maps.Clone(strict), err
}

func copied(blocks [][][]int) (all [][][]int) {
	return lists.Map(blocks, func(class [][]int) [][]int { return lists.Map(class, slices.Clone) })
}
