package bmc

import (
	"fmt"
	"testing"

	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/ts"
)

// letters returns the symmetric group on some of six latches, one for each value.
func letters(name string, class int, elems ...int) *ts.Symmetry {
	b := ts.Block{Name: name, Class: class, Elems: elems}
	for i := range elems[1:] {
		p := &ts.Perm{Name: fmt.Sprint(elems[i], elems[i+1]), Latch: []ts.Lit{0, 2, 4, 6, 8, 10}}
		p.Latch[elems[i]], p.Latch[elems[i+1]] = p.Latch[elems[i+1]], p.Latch[elems[i]]
		b.Swaps = append(b.Swaps, p)
	}
	return &ts.Symmetry{Blocks: []ts.Block{b}}
}

// TestCommon: the group of properties with different groups.
func TestCommon(t *testing.T) {
	p := &mc.Problem{OfModel: mc.OfModel{Model: &model.Model{}}}
	ring := func(images ...ts.Lit) *ts.Symmetry {
		perm := &ts.Perm{}
		for _, x := range images {
			perm.Latch = append(perm.Latch, x<<1)
		}
		return &ts.Symmetry{Groups: []ts.Group{{Kind: "ring", Gens: []*ts.Perm{perm}}}}
	}
	for _, c := range []struct {
		a, b *ts.Symmetry
		want string
	}{
		{letters("N", 0, 0, 1, 2, 3), letters("N", 0, 0, 1, 2, 3), "[[0 1 2 3]]"},
		{letters("N", 0, 0, 1, 2, 3, 4, 5), letters("N", 0, 1, 3, 5), "[[1 3 5]]"},
		{letters("N", 0, 1, 3, 5), letters("N", 0, 0, 1, 2, 3, 4, 5), "[[1 3 5]]"},
		{letters("N", 0, 0, 1, 2), letters("N", 0, 2, 3, 4), "[]"},
		{letters("N", 0, 0, 1, 2), letters("M", 1, 0, 1, 2), "[]"},
		{letters("N", 0, 0, 1, 2), nil, "[]"},
		{ring(1, 2, 3, 4, 5, 0), ring(1, 2, 3, 4, 5, 0), "[]+1"},
		{ring(1, 2, 3, 4, 5, 0), ring(2, 3, 4, 5, 0, 1), "[]"},
		{ring(1, 2, 3, 4, 5, 0), letters("N", 0, 0, 1, 2), "[]"},
	} {
		p.Groups = []*ts.Symmetry{c.a, c.b}
		y := common(p, []int{0, 1})
		elems := [][]int{}
		groups := ""
		if y != nil {
			for _, b := range y.Blocks {
				elems = append(elems, b.Elems)
				for i, swap := range b.Swaps {
					want := letters("", 0, b.Elems[i], b.Elems[i+1]).Blocks[0].Swaps[0]
					if !swap.Equal(want) {
						t.Errorf("%v and %v: the exchange of %d and %d is %v", c.a, c.b, b.Elems[i], b.Elems[i+1], swap.Latch)
					}
				}
			}
			if len(y.Groups) > 0 {
				groups = fmt.Sprintf("+%d", len(y.Groups))
			}
		}
		if got := fmt.Sprint(elems) + groups; got != c.want {
			t.Errorf("common group %s, want %s", got, c.want)
		}
	}
}
