package cofactor

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"orbitmc/aig"
	"orbitmc/encode/cnf"
	"orbitmc/internal/lists"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file finds an inductive invariant of a system, independent of any property.
// The invariant says which values of leaves occur together, up to three of them. States
// outside it are unreachable, so they are don't cares for an engine. Backward search gains
// most: most states that lead to a violation are unreachable, and sets of them are irregular
// (Cabodi, Nocco, Quer: Strengthening model checking techniques with inductive invariants,
// TCAD 2009).
//
// A state is a tuple of parts (parts.go): the leaves of the model, or the factors of W. A
// value of a part is an atom. The clauses of the invariant exclude up to three atoms each,
// and the invariant is the strongest one of such clauses. Houdini finds it (Flanagan, Leino:
// Houdini, an annotation assistant for ESC/Java, FME 2001). It starts with the clauses that
// the reset states satisfy, and drops each clause that a step violates, until the rest is
// inductive. The code keeps the complement of the clauses: the triples of atoms that
// occurred in a state. A solver finds a step from a state of seen triples to a state with a
// new triple. One such state adds thousands of triples. Simulation does not help, since
// random inputs rarely fire a rule. Pairs take less than half the time of triples, but are
// too weak: "who shares the line" in German's protocol takes three atoms.
//
// A symmetry of resets and steps that maps parts to parts maps triples to triples. So the
// strongest invariant is closed under it, and the search needs one triple of each orbit.
// A symmetry that does not map parts to parts is not used.

const (
	// Beyond each of the first three limits there is no invariant.
	maxAtoms      = 300    // values of all parts
	maxStates     = 3000   // states with a new triple
	maxExclusions = 50_000 // exclusions at any time; German's protocol with 5 nodes has 12,000
	samples       = 1024   // states kept to simulate with
)

// invariant is an inductive invariant of a system, relative to W. The nil one is
// true of all states.
type invariant struct {
	Excluded []ts.Cube // the states outside it
	States   [][]bool  // some that satisfy it, by latch
}

// houdini looks for the strongest invariant that excludes up to three atoms together.
type houdini struct {
	p      *mc.Problem
	solver func() sat.Solver
	sys    *ts.System
	w      aig.Lit // that may be assumed
	parts  []part
	atoms  []atom
	perms  [][]int // symmetries, by atom
	gens   []*ts.Perm
	seen   [][][]bool // by atoms, a ≥ b ≥ c: together in a state, or an image of one
	first  [][]int    // by pair: the least in its orbit, as a number
	states [][]bool
}

// atom is a value of a part.
type atom struct {
	part int
	cube ts.Cube // tells it from the other values
}

// findInvariant returns the strongest invariant of a problem's system that excludes up to three
// values of leaves together, closed under those symmetries of the properties that map
// leaves to leaves. It is nil if the system has too many values, if too many of them
// have to be excluded, or if ctx ends.
func findInvariant(ctx context.Context, of *mc.Problem, solver func() sat.Solver) *invariant {
	p := &houdini{p: of, solver: solver, sys: of.System(), w: aig.True}
	if of.WellFormed {
		p.w = p.sys.W
	}
	var leaves [][]int
	if enc := of.Enc; enc != nil {
		for i := range enc.Model.Leaves() {
			if ls := enc.LeafLatches(i); len(ls) > 1 && len(ls) <= maxPart {
				leaves = append(leaves, ls)
			}
		}
	}
	p.parts = partsOf(p.sys, p.w, leaves)
	number := make(map[string]int)
	for i, x := range p.parts {
		for _, v := range x.values {
			a := atom{i, x.tell(v)}
			slices.Sort(a.cube)
			number[a.cube.Key()] = len(p.atoms)
			p.atoms = append(p.atoms, a)
		}
	}
	if len(p.atoms) > maxAtoms {
		return nil
	}
	have := make(map[string]bool)
	for _, prop := range of.Props {
		for _, g := range of.Group(prop).Generators() {
			perm := make([]int, len(p.atoms))
			ok := true
			for a, x := range p.atoms {
				var to int
				to, ok = number[x.cube.Image(g.Latch).Key()]
				if perm[a] = to; !ok {
					break
				}
			}
			if k := fmt.Sprint(g.Latch); ok && !have[k] {
				have[k] = true
				p.gens, p.perms = append(p.gens, g), append(p.perms, perm)
			}
		}
	}
	for a := range p.atoms {
		p.seen = append(p.seen, make([][]bool, a+1))
		p.first = append(p.first, make([]int, a+1))
		for b := range a + 1 {
			p.seen[a][b] = make([]bool, b+1)
			p.first[a][b] = -1
		}
	}
	for a := range p.atoms {
		for b := range a + 1 {
			p.orbit(a, b)
		}
	}
	if !p.start(ctx) || !p.steps(ctx) {
		return nil
	}
	return p.write(ctx)
}

// sorted returns three atoms, the greatest first.
func sorted3(a, b, c int) (int, int, int) {
	if a < b {
		a, b = b, a
	}
	if b < c {
		b, c = c, b
	}
	if a < b {
		a, b = b, a
	}
	return a, b, c
}

// orbit numbers the pairs in the orbit of one that has no number yet.
func (ho *houdini) orbit(a, b int) {
	if ho.first[a][b] >= 0 {
		return
	}
	id := a*len(ho.atoms) + b
	ho.first[a][b] = id
	for todo := [][2]int{{a, b}}; len(todo) > 0; {
		q := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, perm := range ho.perms {
			x, y := perm[q[0]], perm[q[1]]
			x, y = max(x, y), min(x, y)
			if ho.first[x][y] < 0 {
				ho.first[x][y] = id
				todo = append(todo, [2]int{x, y})
			}
		}
	}
}

// saw takes note of the atoms of a state, and of their images, and returns the pairs
// that have new ones.
func (ho *houdini) saw(state []bool) map[int]bool {
	ho.states = append(ho.states, state)
	var in []int
	for a := range ho.atoms {
		if ho.atoms[a].cube.Holds(state) {
			in = append(in, a)
		}
	}
	grown := make(map[int]bool)
	var todo [][3]int
	enter := func(a, b, c int) {
		if a, b, c = sorted3(a, b, c); !ho.seen[a][b][c] {
			ho.seen[a][b][c] = true
			todo = append(todo, [3]int{a, b, c})
		}
	}
	for i, a := range in {
		for k, b := range in[:i+1] {
			for _, c := range in[:k+1] {
				enter(a, b, c)
			}
		}
	}
	for len(todo) > 0 {
		q := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for i, a := range q { // the pairs of the three
			b := q[(i+1)%3]
			grown[ho.first[max(a, b)][min(a, b)]] = true
		}
		for _, perm := range ho.perms {
			enter(perm[q[0]], perm[q[1]], perm[q[2]])
		}
	}
	return grown
}

// excludes reports whether atoms never occur together as far as is known.
func (ho *houdini) excludes(a, b, c int) bool {
	a, b, c = sorted3(a, b, c)
	return !ho.seen[a][b][c]
}

// with returns the atoms that are excluded with a pair, which is the least of its
// orbit, and not said to be by another.
func (ho *houdini) with(a, b int) []int {
	var out []int
	x, y := ho.atoms[a].part, ho.atoms[b].part
	for c := range ho.atoms {
		z := ho.atoms[c].part
		if c != a && c != b && (x == z || y == z) || !ho.excludes(a, b, c) {
			continue
		}
		if id := ho.first[a][b]; id <= ho.first[max(a, c)][min(a, c)] && id <= ho.first[max(b, c)][min(b, c)] {
			out = append(out, c)
		}
	}
	return out
}

// hunt looks for states that show exclusions wrong.
type hunt struct {
	*houdini
	cnf    *cnf.Encoder
	solver sat.Solver
	state  []aig.Lit
	name   []sat.Lit       // by atom: that it holds
	wrong  map[int]sat.Lit // by pair: that an exclusion with it is wrong
}

func (ho *houdini) newHunt(solver sat.Solver, cnf *cnf.Encoder, f *cnf.Frames, k int) *hunt {
	h := &hunt{houdini: ho, cnf: cnf, solver: solver, state: f.Latches(k), wrong: make(map[int]sat.Lit)}
	for _, a := range ho.atoms {
		h.name = append(h.name, cnf.Lit(f.Graph().AndN(a.cube.Of(h.state))))
	}
	var any []sat.Lit
	for a := range ho.atoms {
		for b := range a + 1 {
			if id := a*len(ho.atoms) + b; ho.first[a][b] == id && (a == b || ho.atoms[a].part != ho.atoms[b].part) && len(ho.with(a, b)) > 0 {
				x := solver.NewVar()
				h.wrong[id] = x
				any = append(any, x)
				solver.Add(x.Not(), h.name[a])
				solver.Add(x.Not(), h.name[b])
				h.restrict(id)
			}
		}
	}
	solver.Add(any...)
	return h
}

// restrict says which exclusions a pair has. They get fewer.
func (h *hunt) restrict(id int) {
	x, ok := h.wrong[id]
	if !ok {
		return
	}
	with := []sat.Lit{x.Not()}
	for _, c := range h.with(id/len(h.atoms), id%len(h.atoms)) {
		with = append(with, h.name[c])
	}
	h.solver.Add(with...)
}

// all drops what the states that the solver has show wrong; ok is false if that
// takes too long.
func (h *hunt) all(ctx context.Context) (any, ok bool) {
	for len(h.states) < maxStates {
		switch h.solver.Solve(ctx) {
		case sat.Unknown:
			return any, false
		case sat.Unsat:
			return any, true
		}
		grown := h.saw(h.cnf.Values(h.state))
		for _, id := range slices.Sorted(maps.Keys(grown)) {
			h.restrict(id)
		}
		any = true
	}
	return any, false
}

// start drops what is wrong in reset states.
func (ho *houdini) start(ctx context.Context) bool {
	f := cnf.NewFrames(ho.sys, false)
	f.Extend()
	solver := ho.solver()
	_, ok := ho.newHunt(solver, cnf.New(f.Graph(), solver), f, 0).all(ctx)
	return ok
}

// steps drops what is wrong after steps from states in which what is left holds.
func (ho *houdini) steps(ctx context.Context) bool {
	f := cnf.NewFrames(ho.sys, true)
	f.Extend()
	f.Extend()
	solver := ho.solver()
	cnf := cnf.New(f.Graph(), solver)
	cnf.Assert(f.Constraint(0))
	if ho.p.WellFormed {
		cnf.Assert(f.W(0))
		cnf.Assert(f.W(1)) // which follows
	}
	before := lists.Make(len(ho.atoms), func(a int) sat.Lit { return cnf.Lit(f.Graph().AndN(ho.atoms[a].cube.Of(f.Latches(0)))) })
	h := ho.newHunt(solver, cnf, f, 1)
	for {
		n := 0
		if ho.exclusions(func([]int) { n++ }); n > maxExclusions {
			return false
		}
		group := solver.Group()
		ho.exclusions(func(atoms []int) {
			solver.AddTo(group, lists.Map(atoms, func(a int) sat.Lit { return before[a].Not() })...)
		})
		any, ok := h.all(ctx)
		if !any || !ok {
			return ok
		}
		solver.Release(group)
	}
}

// exclusions lists what is excluded, of one atom, of two and of three, as far as those
// of fewer do not imply it.
func (ho *houdini) exclusions(of func(atoms []int)) {
	pair := func(a, b int) bool { return ho.atoms[a].part != ho.atoms[b].part && ho.seen[a][b][b] }
	for a := range ho.atoms {
		if !ho.seen[a][a][a] {
			of([]int{a})
		}
	}
	for a := range ho.atoms {
		for b := range a {
			if ho.seen[a][a][a] && ho.seen[b][b][b] && !ho.seen[a][b][b] && ho.atoms[a].part != ho.atoms[b].part {
				of([]int{a, b})
			}
		}
	}
	for a := range ho.atoms {
		for b := range a {
			for c := range b {
				if pair(a, b) && pair(a, c) && pair(b, c) && !ho.seen[a][b][c] {
					of([]int{a, b, c})
				}
			}
		}
	}
}

// tell returns literals that tell a value of a part from the others, those of
// latches that are set first.
func (p *part) tell(v []bool) ts.Cube {
	var q ts.Cube
	left := p.values
	for _, set := range []bool{true, false} {
		for i, l := range p.latches {
			same := func(o []bool) bool { return o[i] == v[i] }
			if v[i] == set && !allOf(left, same) {
				left = slices.DeleteFunc(slices.Clone(left), func(o []bool) bool { return !same(o) })
				q = append(q, ts.MkLit(l, !v[i]))
			}
		}
	}
	return q
}

func allOf(values [][]bool, is func(v []bool) bool) bool {
	return !slices.ContainsFunc(values, func(v []bool) bool { return !is(v) })
}

// write writes the exclusions as few cubes.
func (ho *houdini) write(ctx context.Context) *invariant {
	of := make([][]int, len(ho.parts)) // atoms
	for a := range ho.atoms {
		of[ho.atoms[a].part] = append(of[ho.atoms[a].part], a)
	}
	within := func(q ts.Cube, part int) []int { // the values of a part that are in a cube
		var in []int
		for k, a := range of[part] {
			x := ho.parts[part]
			if !slices.ContainsFunc(q, func(l ts.Lit) bool {
				at := slices.Index(x.latches, l.Index())
				return at >= 0 && x.values[k][at] == l.Neg()
			}) {
				in = append(in, a)
			}
		}
		return in
	}
	// excluded reports whether a cube over some parts is.
	var excluded func(q ts.Cube, parts, atoms []int) bool
	excluded = func(q ts.Cube, parts, atoms []int) bool {
		if len(parts) == 0 {
			return ho.excludes(atoms[0], atoms[len(atoms)/2], atoms[len(atoms)-1])
		}
		return !slices.ContainsFunc(within(q, parts[0]), func(a int) bool {
			return !excluded(q, parts[1:], append(atoms[:len(atoms):len(atoms)], a))
		})
	}
	var cubes []ts.Cube
	have := make(map[string]bool)
	ho.exclusions(func(atoms []int) {
		var q ts.Cube
		var parts []int
		whole := true
		for _, a := range atoms {
			q = append(q, ho.atoms[a].cube...)
			parts = append(parts, ho.atoms[a].part)
			whole = whole && ho.parts[ho.atoms[a].part].whole
		}
		for i := 0; i < len(q) && whole; {
			if without := append(append(ts.Cube{}, q[:i]...), q[i+1:]...); excluded(without, parts, nil) {
				q = without
			} else {
				i++
			}
		}
		slices.Sort(q)
		if k := q.Key(); !have[k] {
			have[k] = true
			cubes = append(cubes, q)
		}
	})
	slices.SortStableFunc(cubes, func(a, b ts.Cube) int { return len(a) - len(b) })
	out := &invariant{States: ho.states[max(0, len(ho.states)-samples):]}
	if out.Excluded = ho.reduce(ctx, cubes); ctx.Err() != nil {
		return nil
	}
	return out
}

// reduce keeps the cubes that others do not make superfluous, with their images.
func (ho *houdini) reduce(ctx context.Context, cubes []ts.Cube) []ts.Cube {
	all := ho.newImplied(cubes)
	kept := ho.newImplied(nil)
	var out []ts.Cube
	for _, q := range cubes {
		if kept.excludes(ctx, q) == sat.Unsat {
			continue
		}
		orbit, have := []ts.Cube{q}, map[string]bool{q.Key(): true}
		for i := 0; i < len(orbit); i++ {
			kept.add(orbit[i])
			for _, g := range ho.gens {
				image := orbit[i].Image(g.Latch)
				if k := image.Key(); !have[k] && all.excludes(ctx, image) == sat.Unsat {
					have[k] = true
					orbit = append(orbit, image)
				}
			}
		}
		out = append(out, orbit...)
	}
	return out
}

// implied decides what W and clauses imply.
type implied struct {
	state  []aig.Lit
	g      *aig.Graph
	prover *cnf.Prover
}

func (ho *houdini) newImplied(cubes []ts.Cube) *implied {
	c := evidence.NewCircuit(len(ho.sys.Latches))
	m := &implied{c.Latches, c.G, cnf.NewProver(c.G, ho.solver())}
	m.prover.Assert(ho.sys.Place(c.G, c.Latches, ho.w))
	for _, q := range cubes {
		m.add(q)
	}
	return m
}

func (i *implied) add(q ts.Cube) { i.prover.Assert(i.g.AndN(q.Of(i.state)).Not()) }

// excludes asks for a state in a cube.
func (i *implied) excludes(ctx context.Context, q ts.Cube) sat.Status {
	return i.prover.Solve(ctx, q.Of(i.state)...)
}

// Place returns that a state, a literal for each latch, satisfies the invariant.
func (i *invariant) Place(g *aig.Graph, state []aig.Lit) aig.Lit {
	if i == nil {
		return aig.True
	}
	lits := lists.Map(i.Excluded, func(q ts.Cube) aig.Lit { return g.AndN(q.Of(state)).Not() })
	return g.AndN(lits)
}

// Clauses returns the invariant as clauses.
func (i *invariant) Clauses() []ts.Clause {
	if i == nil {
		return nil
	}
	return lists.Map(i.Excluded, func(q ts.Cube) ts.Clause { return q.Negation() })
}

// KeptBy reports whether the images of the clauses under a group are clauses.
func (i *invariant) KeptBy(y *ts.Symmetry) bool {
	key := lists.SetOf(i.Excluded, func(q ts.Cube) string { return q.Key() })
	for _, g := range y.Generators() {
		for _, q := range i.Excluded {
			if !key[q.Image(g.Latch).Key()] {
				return false
			}
		}
	}
	return true
}
