package cofactor

import (
	"fmt"
	"math/big"
	"slices"

	"orbitmc/aig"
	"orbitmc/encode/cnf"
	"orbitmc/internal/lists"
	"orbitmc/mc/evidence"
	"orbitmc/rep"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file maps states to representatives.
//
// Under representatives a set S is known on representatives only. canon(s) is the
// representative of the orbit of s, so S(canon(s)) is the exact set that S stands
// for. Two users need the exact set: the frontier of stepwise search, which
// successors must be in, and the proof.
//
// If the components of a block have few bits, and each bit belongs to one
// component, the n-th component in order is found by counting: it is at most v if
// at least n components are at most v. The counters are decision diagrams. They
// are easier to reason about than other sorting circuits: when a step changes one
// component, its effect on a counter follows level by level, while in a sorting
// network it moves about. docs/decisions.md has the figures.
//
// A small group has a minimum: each state is compared with all its images, and
// all images of the least one are among these. So the least one is a
// representative, if the permutations are a group; this is checked.
//
// Otherwise the components of a block are sorted by insertion, compared by s ≤lex
// π(s) for the adjacent transpositions π, the conjuncts of the predicate. It is
// then proved, insertion by insertion, that the result is a representative: with
// components 0 to i-1 in order, after the insertion of i components 0 to i are.
// An insertion that is not proved is not used. In a large state where components
// share bits no proof is tried, as it would rarely succeed and might take for
// ever.

// canoniser returns a state in the orbit of state.
type canoniser func(g *aig.Graph, state []aig.Lit) []aig.Lit

const (
	narrow       = 6   // columns of a row that are few enough to count its values
	fewElements  = 24  // of a group, to take the minimum over
	allElements  = 720 // of a group, to write all images of sets
	wideElements = 4   // of a group, to compare the images of large states
	maxShared    = 40  // latches of a state that is not large
)

// breakSymmetry chooses the permutations to break a group with, and the way into the
// representatives they leave.
func (s *search) breakSymmetry(y *ts.Symmetry) error {
	perms, err := rep.Perms(y, rep.Nice)
	if err != nil {
		return err
	}
	var all []*ts.Perm
	if y.Order().Cmp(big.NewInt(allElements)) <= 0 {
		if all, err = rep.Perms(y, rep.All); err != nil {
			return err
		}
	}
	s.perms = perms
	s.close = all
	for _, try := range []struct {
		canon canoniser
		perms []*ts.Perm
		by    func() bool
	}{
		{s.counted(y), perms, s.proveLeast},
		{s.minimum(all), all, func() bool { return isGroup(all) }},
		{s.sorted(y), perms, func() bool { return s.proveInsertion(y) }},
	} {
		if try.canon == nil {
			continue
		}
		s.canon, s.perms = try.canon, try.perms
		if try.by() {
			s.close = nil
			break
		}
		s.canon, s.perms = nil, perms
	}
	if !s.Unrolled && s.canon == nil && s.close == nil {
		s.perms = nil // the frontier could not be written down
	}
	s.stats.permutations = len(s.perms)
	return nil
}

// lesser returns the lesser of two states.
func (s *search) lesser(g *aig.Graph, a, b []aig.Lit) []aig.Lit {
	x, y := make([]aig.Lit, len(s.order)), make([]aig.Lit, len(s.order))
	for i, l := range s.order {
		x[i], y[i] = a[l], b[l]
	}
	first := rep.Leq(g, x, y)
	return lists.Make(len(a), func(i int) aig.Lit { return g.Mux(first, a[i], b[i]) })
}

// wide reports whether states are too large, and the symmetries too many, for a canon
// that compares images of whole states. Each comparison is a chain over the state, and
// sets would be full of pieces of such chains. To store one set of each orbit is better
// (docs/decisions.md).
func (s *search) wide(y *ts.Symmetry) bool {
	if s.Unrolled || len(s.sys.Latches) <= maxShared || y.Order().Cmp(big.NewInt(wideElements)) <= 0 {
		return false
	}
	return s.counted(y) == nil
}

// minimum is the least of all images under a group with these elements and the
// identity; nil if they are many or not listed.
func (s *search) minimum(all []*ts.Perm) canoniser {
	if len(all) == 0 || len(all) >= fewElements {
		return nil
	}
	return func(g *aig.Graph, state []aig.Lit) []aig.Lit {
		least := state
		for _, p := range all {
			least = s.lesser(g, least, ts.ApplyLits(p.Latch, state))
		}
		return least
	}
}

// counted sorts rows by counting; nil if some are wide, or share bits.
func (s *search) counted(y *ts.Symmetry) canoniser {
	var blocks [][][]int
	for _, b := range y.Blocks {
		rows := s.rows(b)
		if rows == nil || len(rows[0]) > narrow {
			return nil
		}
		blocks = append(blocks, rows)
	}
	if len(y.Groups) > 0 {
		return nil
	}
	return func(g *aig.Graph, state []aig.Lit) []aig.Lit {
		out := slices.Clone(state)
		for _, rows := range blocks {
			n, width := len(rows), len(rows[0])
			// Of the sorted rows: by row and column, terms.
			bits := lists.Make(n, func(int) [][]aig.Lit { return make([][]aig.Lit, width) })
			least := slices.Repeat([]aig.Lit{aig.False}, n) // by place: the row there is less than v
			for v := range 1 << width {
				le := make([]aig.Lit, n)
				for i, row := range rows {
					le[i] = aig.True
					for c := width - 1; c >= 0; c-- { // the first column is the most significant
						if x := state[row[c]]; v>>(width-1-c)&1 == 1 {
							le[i] = g.Or(x.Not(), le[i])
						} else {
							le[i] = g.And(x.Not(), le[i])
						}
					}
				}
				at := count(g, le)
				for i := range n {
					here := g.And(at[i], least[i].Not())
					for c := range width {
						if v>>(width-1-c)&1 == 1 {
							bits[i][c] = append(bits[i][c], here)
						}
					}
				}
				least = at
			}
			for i, row := range rows {
				for c, l := range row {
					out[l] = g.OrN(bits[i][c])
				}
			}
		}
		return out
	}
}

// count returns, at place i, whether more than i of the literals hold.
func count(g *aig.Graph, ls []aig.Lit) []aig.Lit {
	var more []aig.Lit
	for _, l := range ls {
		next := make([]aig.Lit, len(more)+1)
		for i := range next {
			before, now := aig.True, aig.False
			if i > 0 {
				before = more[i-1]
			}
			if i < len(more) {
				now = more[i]
			}
			next[i] = g.Mux(l, before, now)
		}
		more = next
	}
	return more
}

// rows returns the latches that belong to each element of a block, by element and
// column, the columns in order; nil if some latch belongs to two, or is negated.
func (s *search) rows(b ts.Block) [][]int {
	n := len(b.Elems)
	rows := make([][]int, n)
	taken := make([]bool, len(s.order))
	for _, l := range s.order {
		if taken[l] {
			continue
		}
		at := -1 // the first swap that moves l
		for i, p := range b.Swaps {
			if to := p.Latch[l]; to != ts.MkLit(l, false) {
				if to&1 == 1 {
					return nil
				}
				at = i
				break
			}
		}
		if at < 0 {
			continue
		}
		if at > 0 {
			return nil // the rows of a column are not in order
		}
		for i := range n {
			if taken[l] {
				return nil
			}
			taken[l] = true
			rows[i] = append(rows[i], l)
			for k, p := range b.Swaps {
				if moved := p.Latch[l] != ts.MkLit(l, false); moved != (k == i || k == i-1) || p.Latch[l]&1 == 1 {
					return nil
				}
			}
			if i < n-1 {
				l = int(b.Swaps[i].Latch[l] >> 1)
			}
		}
	}
	if rows[0] == nil {
		return nil
	}
	return rows
}

// sorted sorts the rows of each block in turn by insertion.
func (s *search) sorted(y *ts.Symmetry) canoniser {
	if len(s.sys.Latches) > maxShared && (len(y.Blocks) > 1 || len(y.Groups) > 0 || s.rows(y.Blocks[0]) == nil) {
		return nil
	}
	return func(g *aig.Graph, state []aig.Lit) []aig.Lit {
		for _, b := range y.Blocks {
			for i := range b.Swaps {
				state = s.insert(g, state, b.Swaps[:i+1])
			}
		}
		return state
	}
}

// insert moves the last row of the swaps to its place among those before.
func (s *search) insert(g *aig.Graph, state []aig.Lit, swaps []*ts.Perm) []aig.Lit {
	for j := len(swaps) - 1; j >= 0; j-- {
		state = s.lesser(g, state, ts.ApplyLits(swaps[j].Latch, state))
	}
	return state
}

// isGroup reports whether the identity and some permutations are closed under
// products.
func isGroup(perms []*ts.Perm) bool {
	have := lists.SetOf(perms, func(p *ts.Perm) string { return fmt.Sprint(p.Latch) })
	for _, p := range perms {
		for _, q := range perms {
			if r := p.Then(q); !r.IsIdentity() && r.MovesLatches() && !have[fmt.Sprint(r.Latch)] {
				return false
			}
		}
	}
	return true
}

// proveLeast reports whether canon leads into the representatives.
func (s *search) proveLeast() bool {
	c := evidence.NewCircuit(len(s.sys.Latches))
	p := cnf.NewProver(c.G, s.NewSolver())
	p.Assert(s.sys.Place(c.G, c.Latches, s.wellFormed()))
	out := s.canon(c.G, c.Latches)
	for _, perm := range s.perms {
		one := *s
		one.perms = []*ts.Perm{perm}
		if p.Solve(s.ctx, one.least(c.G, out).Not()) != sat.Unsat {
			return false
		}
	}
	return true
}

// proveInsertion does the same for insertion into the rows of a single block.
func (s *search) proveInsertion(y *ts.Symmetry) bool {
	if len(y.Groups) > 0 || len(y.Blocks) > 1 {
		return s.proveLeast()
	}
	swaps := y.Blocks[0].Swaps
	for i := range swaps {
		c := evidence.NewCircuit(len(s.sys.Latches))
		p := cnf.NewProver(c.G, s.NewSolver())
		p.Assert(s.sys.Place(c.G, c.Latches, s.wellFormed()))
		before, after := *s, *s
		before.perms, after.perms = swaps[:i], swaps[:i+1]
		p.Assert(before.least(c.G, c.Latches))
		if p.Solve(s.ctx, after.least(c.G, s.insert(c.G, c.Latches, swaps[:i+1])).Not()) != sat.Unsat {
			return false
		}
	}
	return true
}

// placeClosed copies a set into g, made exact on all states.
func (s *search) placeClosed(g *aig.Graph, state []aig.Lit, c *evidence.Circuit) aig.Lit {
	if s.canon != nil {
		return c.Place(g, s.canon(g, state))
	}
	any := []aig.Lit{c.Place(g, state)}
	for _, p := range s.close {
		any = append(any, c.Place(g, ts.ApplyLits(p.Latch, state)))
	}
	return g.OrN(any)
}

// descend returns a state in the orbit of a state from which no permutation of the
// predicate leads to a lesser one.
func (s *search) descend(state []bool) []bool {
	for i := 0; i < len(s.perms); i++ {
		image := ts.Apply(s.perms[i].Latch, state)
		for _, l := range s.order {
			if state[l] != image[l] {
				if state[l] {
					state, i = image, -1
				}
				break
			}
		}
	}
	return state
}
