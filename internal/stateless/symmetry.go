package stateless

import (
	"fmt"
	"slices"

	"orbitmc/internal/lists"
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
	var perms []model.ScalarPerm
	for c, blocks := range s.p.Blocks {
		if m.Scalarsets[c].Slots {
			continue
		}
		for _, b := range blocks {
			for i := range b {
				for _, v := range b[:i] {
					perms = append(perms, m.Exchange(c, v, b[i]))
				}
			}
		}
	}
	for _, r := range s.p.Rings {
		for by := 1; by < r.Order(); by++ {
			perms = append(perms, m.Rotation(r, by*r.Step))
		}
	}
	if len(perms) == 0 && !s.Twins {
		return nil
	}
	if all := products(m, perms); all != nil {
		perms = all[1:]
	}
	return &symmetry{s: s, perms: perms, keeps: make([]int8, len(perms))}
}

// products returns the group that permutations generate, the identity first; nil if it is of a larger order than manyPerms.
func products(m *model.Model, generators []model.ScalarPerm) []model.ScalarPerm {
	key := func(p model.ScalarPerm) string { return fmt.Sprint(p) }
	all, whole := lists.Orbit(m.Identity(), key, manyPerms, func(p model.ScalarPerm) []model.ScalarPerm {
		return lists.Map(generators, func(g model.ScalarPerm) model.ScalarPerm { // p, and then g
			q := make(model.ScalarPerm, len(g))
			for c, images := range p {
				q[c] = lists.Map(images, func(v int) int { return g[c][v] })
			}
			return q
		})
	})
	if !whole {
		return nil
	}
	return all
}

// covered reports whether a move is the image of one that is gone, as it sleeps or was explored, under a
// permutation that keeps the state of the node.
func (s *symmetry) covered(n *node, i int, gone func(move int) bool) bool {
	if n.errs > 0 {
		return false
	}
	t := &n.moves[i]
	for j := range n.moves {
		u := &n.moves[j]
		if j == i || !gone(j) {
			continue
		}
		if s.s.Twins && s.twins(n, u, t) {
			return true
		}
		if u.Rule != t.Rule {
			continue
		}
		for k, q := range s.perms {
			if s.s.p.Program.PermChoice(q, u.Choice).Equal(t.Choice) && s.keep(n, k) {
				return true
			}
		}
	}
	return false
}

// keep reports whether a permutation keeps the state of a node.
func (s *symmetry) keep(n *node, k int) bool {
	if s.s.broken == "any state is symmetric" {
		return true
	}
	if s.of != n || s.visit != s.s.visits {
		s.of, s.visit = n, s.s.visits
		clear(s.keeps)
		s.plain = append(s.plain[:0], n.state...)
		s.s.steps.Forget(s.plain)
	}
	if s.keeps[k] == 0 {
		s.image = append(s.image[:0], s.plain...)
		s.s.p.Program.ApplyPerm(s.perms[k], s.plain, s.image)
		if s.keeps[k] = -1; slices.Equal(s.plain, s.image) {
			s.keeps[k] = 1
		}
	}
	return s.keeps[k] > 0
}

// twins reports whether a move is the image of another one if two processes are exchanged that are
// twins in a node.
func (s *symmetry) twins(n *node, u, t *move) bool {
	v, w := s.s.steps.Actors(u.instance), s.s.steps.Actors(t.instance)
	for k := range min(len(v), len(w)) {
		if v[k] == w[k] {
			continue
		}
		if q := s.s.steps.Twins(n.state, v[k], w[k]); q != nil {
			if image, ok := q.Image(u.instance); ok && image == t.instance {
				return true
			}
		}
	}
	return false
}
