package mc_test

import (
	"errors"
	"testing"

	"orbitmc/mc"
	"orbitmc/model"
)

// TestTyping asks for derivations: the same one is made once, for copies of the problem too, and
// a change of what was asked for or returned reaches no other caller.
func TestTyping(t *testing.T) {
	m, quant := &model.Model{}, &model.Quant{}
	p := &mc.Problem{OfModel: mc.OfModel{Model: m, Typing: new(mc.Typing), Blocks: [][][]int{{{0, 1}, {2}}}}, Props: []int{0, 1}}
	made := 0
	ask := func(y *mc.Typing, m *model.Model, blocks [][][]int, props []int, fails bool) (model.Strict, error) {
		_, strict, err := y.Derive(m, blocks, props, func() ([][]int, model.Strict, error) {
			if made++; fails {
				return nil, nil, errors.New("not shown")
			}
			return nil, model.Strict{quant: true}, nil
		})
		return strict, err
	}
	q := *p
	for i, c := range []struct {
		y      *mc.Typing
		m      *model.Model
		blocks [][][]int
		props  []int
		fails  bool
		made   int
	}{
		{p.Typing, m, p.Blocks, p.Props, false, 1},
		{q.Typing, m, [][][]int{{{0, 1}, {2}}}, []int{0, 1}, false, 1},
		{p.Typing, m, p.Blocks, []int{0}, false, 2},
		{p.Typing, m, [][][]int{{{0}, {1, 2}}}, []int{0}, true, 3},
		{q.Typing, m, [][][]int{{{0}, {1, 2}}}, []int{0}, true, 3},
		{p.Typing, &model.Model{}, [][][]int{{{0}, {1, 2}}}, []int{0}, false, 4},
		{nil, m, p.Blocks, p.Props, false, 5},
		{nil, m, p.Blocks, p.Props, false, 6},
		{p.Typing, m, p.Blocks, p.Props, false, 7},
	} {
		strict, err := ask(c.y, c.m, c.blocks, c.props, c.fails)
		if made != c.made || (err != nil) != c.fails || !c.fails && len(strict) != 1 {
			t.Fatalf("question %d: %d derivations, %v, %v", i, made, strict, err)
		}
		clear(strict)
	}
	p.Blocks[0][0][0] = 2
	if _, err := ask(p.Typing, m, p.Blocks, p.Props, false); err != nil || made != 8 {
		t.Errorf("blocks that were changed: %d derivations", made)
	}
}
