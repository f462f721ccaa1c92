package stateless

import (
	"slices"

	"orbitmc/model"
)

// Symmetry on transitions (Godefroid, Exploiting Symmetry when Model-Checking Software, FORTE 1999). If a
// verified permutation keeps the state of a node and maps one of its moves to another, the executions behind
// one are images of those behind the other, so one of the moves is explored. The paper, which stores no state
// and cannot look at one, asks that the permutation maps the path to a path that differs in the order of
// independent steps only; that is a way to see that it keeps the state. Here the state is at hand. It is
// compared without the variables that are dead in it: they say nothing of what follows.

// symmetry is what permutations there are.
type symmetry struct {
	s     *search
	perms []model.ScalarPerm
	keeps []int8 // by permutation: whether it keeps the state at hand; 0: not known
	plain model.State
	image model.State
	of    *node // whose state plain is of
	visit int64
}

// manyPerms is the order of the largest group of which all elements are looked at. Of a larger one
// they are the exchanges of two values, and the rotations.
const manyPerms = 120

func newSymmetry(s *search) *symmetry {
	m := s.p.Model
	identity := make(model.ScalarPerm, len(m.Scalarsets))
	all := []model.ScalarPerm{identity}
	images := func(q model.ScalarPerm, class int) []int {
		if q[class] != nil {
			return slices.Clone(q[class])
		}
		n := make([]int, m.Scalarsets[class].Card())
		for v := range n {
			n[v] = v
		}
		return n
	}
	with := func(q model.ScalarPerm, class int, change func(images []int)) model.ScalarPerm {
		p := slices.Clone(q)
		p[class] = images(q, class)
		change(p[class])
		return p
	}
	order := 1
	for c, blocks := range s.p.Blocks {
		if m.Scalarsets[c].Slots {
			continue
		}
		for _, b := range blocks {
			for k := 2; k <= len(b) && order <= manyPerms; k++ {
				order *= k
			}
		}
	}
	for _, r := range s.p.Rings {
		order = min(order*r.Order(), manyPerms+1)
	}
	for c, blocks := range s.p.Blocks {
		if m.Scalarsets[c].Slots {
			continue
		}
		for _, b := range blocks {
			old := all
			for i := range b {
				if i > 0 && order <= manyPerms {
					old = all // each product of exchanges with the values before, in one way
				}
				for j := range i {
					for _, q := range old {
						all = append(all, with(q, c, func(images []int) {
							x, y := slices.Index(images, b[i]), slices.Index(images, b[j])
							images[x], images[y] = b[j], b[i]
						}))
						if order > manyPerms {
							break // of the identity
						}
					}
				}
			}
		}
	}
	for _, r := range s.p.Rings {
		old := all
		for by := 1; by < r.Order(); by++ {
			for _, q := range old {
				all = append(all, with(q, r.Class, func(images []int) { r.Rotate(images, by) }))
				if order > manyPerms {
					break
				}
			}
		}
	}
	if len(all) == 1 && !s.Twins {
		return nil
	}
	return &symmetry{s: s, perms: all[1:], keeps: make([]int8, len(all)-1)}
}

// covered reports whether a move is the image of one that sleeps, or was explored, under a
// permutation that keeps the state of the node.
func (y *symmetry) covered(n *node, i int) bool {
	if y.s.errs > 0 {
		return false
	}
	t := &n.moves[i]
	for j := range n.moves {
		u := &n.moves[j]
		if j == i || !u.asleep {
			continue
		}
		if y.s.Twins && y.twins(n, u, t) {
			return true
		}
		if u.Rule != t.Rule {
			continue
		}
		for k, q := range y.perms {
			if y.s.p.Program.PermChoice(q, u.Choice).Equal(t.Choice) && y.keep(n, k) {
				return true
			}
		}
	}
	return false
}

// keep reports whether a permutation keeps the state of a node.
func (y *symmetry) keep(n *node, k int) bool {
	if y.s.broken == "any state is symmetric" {
		return true
	}
	if y.of != n || y.visit != y.s.visits {
		y.of, y.visit = n, y.s.visits
		clear(y.keeps)
		y.plain = append(y.plain[:0], n.state...)
		y.s.steps.Forget(y.plain)
	}
	if y.keeps[k] == 0 {
		y.image = append(y.image[:0], y.plain...)
		y.s.p.Program.ApplyPerm(y.perms[k], y.plain, y.image)
		if y.keeps[k] = -1; slices.Equal(y.plain, y.image) {
			y.keeps[k] = 1
		}
	}
	return y.keeps[k] > 0
}

// twins reports whether a move is the image of another one if two processes are exchanged that are
// twins in a node.
func (y *symmetry) twins(n *node, u, t *move) bool {
	v, w := y.s.steps.Actors(u.instance), y.s.steps.Actors(t.instance)
	for k := range min(len(v), len(w)) {
		if v[k] == w[k] {
			continue
		}
		if q := y.s.steps.Twins(n.state, v[k], w[k]); q != nil {
			if image, ok := q.Image(u.instance); ok && image == t.instance {
				return true
			}
		}
	}
	return false
}
