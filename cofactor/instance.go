package cofactor

import (
	"context"

	"orbitmc/aig"
	"orbitmc/encode/cnf"
	"orbitmc/internal/lists"
	"orbitmc/mc/evidence"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file divides the instances of a liveness property into orbits. One
// instance of each orbit is decided, under its stabiliser: the symmetries that
// keep the states in which it holds. The others are images of it.
//
// An instance that names some of n components has a stabiliser: a product of
// symmetric groups, first of all the one on the components that it does not name.
// Adjacent transpositions of that group are among those of the whole group if
// these components are neighbours. So of each orbit the instance that most
// generators keep is chosen; it names the first or the last components. A
// generator that is missed costs work but gives no wrong answer.

// maxMoved is the number of instances beyond which images are not searched for.
const maxMoved = 64

// orbits returns, by instance, the instance that it is an image of and the permutations, the
// first one applied first. For an instance that is no image it returns the stabiliser.
func (r *run) orbits(ctx context.Context, prop int) (of []int, by [][]*ts.Perm, groups []*ts.Symmetry) {
	y, n := r.p.Group(prop), len(r.p.Enc.Instances[prop])
	of, by, groups = lists.Make(n, func(i int) int { return i }), make([][]*ts.Perm, n), make([]*ts.Symmetry, n)
	if r.Reduction == NoReduction || y.Trivial() || n > maxMoved {
		return of, by, groups
	}
	gens := y.Generators()
	m := r.newMover(prop)
	to := make([][]int, len(gens)) // by generator and instance; -1: not known
	fixed := make([]int, n)
	for k, g := range gens {
		for i := range n {
			to[k] = append(to[k], m.image(ctx, g, i))
			if to[k][i] == i {
				fixed[i]++
			}
		}
	}
	done := make([]bool, n)
	for {
		rep := -1
		for i := range n {
			if !done[i] && (rep < 0 || fixed[i] > fixed[rep]) {
				rep = i
			}
		}
		if rep < 0 {
			return of, by, groups
		}
		done[rep] = true
		groups[rep] = r.variant.stabiliser(y, func(g *ts.Perm) bool { return m.image(ctx, g, rep) == rep })
		for todo := []int{rep}; len(todo) > 0; todo = todo[1:] {
			for k, g := range gens {
				if i, j := todo[0], to[k][todo[0]]; j >= 0 && !done[j] {
					done[j], of[j] = true, rep
					by[j] = append(by[i][:len(by[i]):len(by[i])], g)
					todo = append(todo, j)
				}
			}
		}
	}
}

// stabiliser returns the product of what is left of the factors of a group by the
// generators that are kept.
func stabiliser(y *ts.Symmetry, kept func(g *ts.Perm) bool) *ts.Symmetry {
	out := &ts.Symmetry{}
	for _, b := range y.Blocks {
		for i := 0; i < len(b.Swaps); i++ {
			from := i
			for i < len(b.Swaps) && kept(b.Swaps[i]) {
				i++
			}
			if i > from {
				out.Blocks = append(out.Blocks, ts.Block{Name: b.Name, Class: b.Class, Elems: b.Elems[from : i+1], Swaps: b.Swaps[from:i]})
			}
		}
	}
groups:
	for _, g := range y.Groups {
		for _, p := range g.Gens {
			if !kept(p) {
				continue groups
			}
		}
		out.Groups = append(out.Groups, g)
	}
	return out
}

// mover tells which instances permutations map to each other.
type mover struct {
	g      *aig.Graph
	state  []aig.Lit
	holds  []aig.Lit // by instance
	place  func(inst int, state []aig.Lit) aig.Lit
	prover *cnf.Prover
}

func (r *run) newMover(prop int) *mover {
	sys := r.p.System()
	c := evidence.NewCircuit(len(sys.Latches))
	m := &mover{g: c.G, state: c.Latches, prover: cnf.NewProver(c.G, r.NewSolver())}
	m.place = func(inst int, state []aig.Lit) aig.Lit {
		f := r.p.Enc.Instances[prop][inst].Holds
		return m.g.Or(sys.Place(m.g, state, f), sys.Place(m.g, state, r.p.Enc.StartedLit()).Not())
	}
	if r.p.WellFormed {
		m.prover.Assert(sys.Place(c.G, c.Latches, sys.W))
	}
	for i := range r.p.Enc.Instances[prop] {
		m.holds = append(m.holds, m.place(i, m.state))
	}
	return m
}

// image returns the instance that holds in π·x just where instance i holds in x, -1 if
// there is none.
func (m *mover) image(ctx context.Context, perm *ts.Perm, i int) int {
	state := ts.ApplyLits(perm.Latch, m.state)
	for pass := range 2 { // by structure, where that does, then by SAT
		for j := range m.holds {
			x := m.g.Xor(m.place(j, state), m.holds[i])
			if x == aig.False || pass == 1 && m.prover.Solve(ctx, x) == sat.Unsat {
				return j
			}
		}
	}
	return -1
}

// numbered collects the permutations that evidence on liveness is by.
type numbered struct {
	perms []*ts.Perm
	at    map[*ts.Perm]int
}

func (n *numbered) number(p *ts.Perm) int {
	i := lists.Number(n.at, p)
	if i == len(n.perms) {
		n.perms = append(n.perms, p)
	}
	return i
}

func (n *numbered) numbers(ps []*ts.Perm) []int {
	return lists.Map(ps, n.number)
}

// toward returns the sets that were found by a step, in order, with its inputs, and
// their images; and all of them as circuits.
func (s *search) toward(e *numbered) (steps []evidence.Toward, circuits []*evidence.Circuit) {
	number := lists.IndexBy(s.frames.Inputs(0), func(l aig.Lit) int { return l.Node() })
	at := make(map[*set]int)
	for _, x := range s.sets {
		if x.of != nil {
			if x.of.depth > 0 {
				steps = append(steps, evidence.Toward{Of: at[x.of], By: e.numbers(x.by)})
				circuits = append(circuits, x.c)
			}
			continue
		}
		if x.depth == 0 {
			continue // where the property holds
		}
		inputs := make([]bool, len(s.sys.Inputs))
		for k, n := range x.leaves {
			inputs[number[n]] = x.inputs[k]
		}
		at[x] = len(steps)
		steps = append(steps, evidence.Toward{From: x.c, Inputs: inputs})
		circuits = append(circuits, x.c)
	}
	return steps, circuits
}
