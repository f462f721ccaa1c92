package bmc

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"orbitmc/aig"
	"orbitmc/encode/cnf"
	"orbitmc/internal/lists"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/rep"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file is k-induction (Sheeran, Singh, Stålmarck: Checking safety properties
// using induction and a SAT-solver, FMCAD 2000; incrementally, Eén and Sörensson,
// Temporal induction by incremental SAT solving, BMC 2003) under symmetry.
//
// The base is bounded model checking (bmc.go) to depth k, which covers frames 0 to
// k-1 with the errors in their steps. The step has an unrolling of its own with a
// free first state: no path of k+1 well-formed states that keeps the constraints
// in all of its frames and shows nothing bad in the first k shows it in frame k.
//
// # Properties together
//
// The undecided properties are tried together: each may assume all of them in the
// first k frames. One that fails is dropped, which takes an assumption from the
// others, until the rest is mutually inductive: the greatest such subset (Flanagan
// and Leino, Houdini, an annotation assistant for ESC/Java, FME 2001). It is
// proved, and holds in every frame from then on; the others are tried again with k+1.
// So the invariants of a model are lemmas of each other.
//
// # Paths that may be left out
//
// Let R be the set of the shortest runs from a reset state to a violation of any of the
// properties tried. The step has to exclude the runs of R only, so it may assume whatever
// holds on all of R.
//
// Path constraints hold on R: for no symmetry π of the system is a state s_i the image
// π(s_j) of a later state s_j. Otherwise π⁻¹·(s_0 … s_i) would be a run to s_j. Followed by
// s_{j+1} …, it would be a shorter run to the same violation. So π need not keep the
// properties. π may be the identity, hence stutters are excluded. A path constraint is added
// when the solver finds a path that violates it, for all pairs of frames at the same
// distance.
//
// Rep on the bad frame is sound too. Let G be a group of symmetries that keep each of the
// properties tried, and each property proved before, as these are assumed in all frames. R
// is closed under G. Rep keeps an image in R of each run of R, and this image satisfies all
// path constraints.
//
// But Rep and path constraints are used together only as long as the identity is the only
// permutation in path constraints. The checker checks the proof without Rep. A single
// constraint s_i ≠ π(s_j) is not invariant under conjugation by G, so a proof that holds
// with Rep and such constraints need not hold without Rep. Conjugation does not change the
// identity.

// Inductor is k-induction.
type Inductor struct {
	NewSolver func() sat.Solver
	MaxK      int    // greatest k; 0 means no bound
	Proved    func() // called when properties are proved, and others are left; nil means silent
}

// Name returns "ind".
func (ind *Inductor) Name() string { return "ind" }

// pattern is a path constraint: s_i ≠ π(s_{i+gap}) for all i.
type pattern struct {
	gap  int
	perm *ts.Perm // nil is the identity
}

// induction is one run of the step.
type induction struct {
	p        *mc.Problem
	sys      *ts.System
	frames   *cnf.Frames
	cnf      *cnf.Encoder
	solver   sat.Solver
	good     map[int][]sat.Lit // by property and frame: implies that none of its bads holds
	proved   []int             // ascending
	lemmas   []ts.Clause       // of other engines
	patterns []pattern
	largest  *ts.Symmetry   // of the groups of the system
	orbit    *rep.Invariant // of largest; nil: no two states were compared yet
	lazy     *rep.Lazy      // maps states to representatives under largest; nil: no two states were alike yet

	reps   []*ts.Perm // what Rep breaks for the properties repsOf
	repsOf []int
}

func newInduction(p *mc.Problem, solver sat.Solver) *induction {
	x := &induction{p: p, sys: p.System(), solver: solver, good: make(map[int][]sat.Lit)}
	x.frames = cnf.NewFrames(x.sys, true)
	x.cnf = cnf.New(x.frames.Graph(), solver)
	for _, y := range p.Groups {
		if y.Order().Cmp(x.largest.Order()) > 0 {
			x.largest = y
		}
	}
	return x
}

// Run implements mc.Engine. Without a symbolic encoding it knows nothing and says
// why.
func (ind *Inductor) Run(ctx context.Context, p *mc.Problem, opt mc.Options) (*mc.Result, error) {
	all := opt
	all.All = true // the base asks for every property at every depth
	base := (&Checker{NewSolver: ind.NewSolver}).start(ctx, ind.Name(), p, all)
	r := base.result
	if base.sys == nil {
		return r, nil
	}
	base.maxK = ind.MaxK
	x := newInduction(p, ind.NewSolver())
	return base.deepen(ctx, opt.All, func(k int, done bool) bool {
		if done && k > 0 && !(r.Violated() && !opt.All) {
			var proof *evidence.Proof
			x.learn(base.lemmas)
			if proof, done = x.step(ctx, k, base.props(), opt); proof != nil {
				if base.prove(proof); ind.Proved != nil && len(base.open) > 0 {
					ind.Proved()
				}
			}
		}
		x.count(&r.Stats)
		if !done && ctx.Err() == nil {
			r.Stopped = mc.MemoryLimit
		}
		return done
	})
}

// props returns the properties that are undecided, ascending.
func (r *run) props() []int {
	props := lists.Map(r.open, func(q *query) int { return q.prop })
	slices.Sort(props)
	return props
}

// prove closes the properties of a proof.
func (r *run) prove(proof *evidence.Proof) {
	r.open = slices.DeleteFunc(r.open, func(q *query) bool {
		if !slices.Contains(proof.Props, q.prop) {
			return false
		}
		r.result.Props[q.i] = mc.PropResult{Prop: q.prop, Status: mc.BySearch(r.p.Kind(q.prop)), Engine: r.engine,
			Bound: r.result.Props[q.i].Bound, Time: time.Since(r.began), Proof: proof}
		return true
	})
}

// step finds the greatest subset of the properties that is inductive together with
// this k, and returns its proof, nil if it is empty; done is false when ctx ended
// or there was too little memory.
func (in *induction) step(ctx context.Context, k int, props []int, opt mc.Options) (proof *evidence.Proof, done bool) {
	in.extend(k)
	set := slices.Clone(props)
	needs := make(map[int][]int) // by property that follows: what was assumed for it
	for i := 0; i < len(set); {
		q := set[i]
		if _, ok := needs[q]; ok {
			i++
			continue
		}
		if opt.Full() {
			return nil, false
		}
		status, its := in.ask(ctx, k, set, q)
		switch status {
		case sat.Unknown:
			return nil, false
		case sat.Unsat:
			needs[q] = its
			i++
		case sat.Sat:
			// Drop all that this path violates, and ask again for what needs them.
			violated := func(q int) bool { return slices.Contains(its, q) }
			set = slices.DeleteFunc(set, violated)
			maps.DeleteFunc(needs, func(_ int, used []int) bool { return slices.ContainsFunc(used, violated) })
			i = 0
		}
	}
	if len(set) == 0 {
		return nil, true
	}
	proof = &evidence.Proof{Props: set, K: k, Clauses: in.lemmas, Distinct: in.distinct(k), Group: common(in.p, set)}
	in.proved = append(in.proved, set...)
	slices.Sort(in.proved)
	for j := range in.frames.Len() {
		in.facts(j, set)
	}
	return proof, true
}

// extend adds frames up to k, with what holds in all of them.
func (in *induction) extend(k int) {
	for j := in.frames.Len(); j <= k; j++ {
		in.frames.Extend()
		if in.p.WellFormed {
			in.cnf.Assert(in.frames.W(j))
		}
		// Constraints bind the frames up to that of the bad, which is the last one.
		in.cnf.Assert(in.frames.Constraint(j))
		in.facts(j, in.proved)
		in.assertLemmas(in.lemmas, j)
		for _, d := range in.patterns {
			if j >= d.gap {
				in.constrain(d, j-d.gap)
			}
		}
	}
}

// facts asserts in frame j that no bad of the properties holds.
func (in *induction) facts(j int, props []int) {
	for _, q := range props {
		in.cnf.Assert(in.bad(q, j).Not())
	}
}

// bad returns that a bad of a property holds in frame k.
func (in *induction) bad(prop, k int) aig.Lit { return in.frames.AnyBad(k, in.p.Bads(prop)) }

// ask decides whether a path of k steps ends in a bad of prop and shows no bad of set
// before. Paths that may be left out do not count. If there is a path, props are the
// properties of set that it violates; otherwise they are those in the core.
func (in *induction) ask(ctx context.Context, k int, set []int, prop int) (status sat.Status, props []int) {
	bad := in.bad(prop, k)
	if bad == aig.False {
		return sat.Unsat, nil
	}
	for {
		assume := []sat.Lit{in.cnf.Implied(bad)}
		from := make(map[sat.Lit]int)
		for _, q := range set {
			for j := len(in.good[q]); j < k; j++ {
				in.good[q] = append(in.good[q], in.cnf.Implied(in.bad(q, j).Not()))
			}
			for _, l := range in.good[q][:k] {
				assume = append(assume, l)
				from[l] = q
			}
		}
		group := in.solver.Group()
		if perms := in.perms(set); len(perms) > 0 {
			// In a group of its own, as in bmc.go: clauses learned from it go with it.
			word := []rep.Frame{{State: in.frames.Latches(k), Order: in.p.WordOrder(prop)}}
			in.solver.AddTo(group, in.cnf.Implied(rep.PathPredicate(in.frames.Graph(), word, nil, perms)))
		}
		status = in.solver.Solve(ctx, assume...)
		var states [][]bool
		switch status {
		case sat.Sat:
			for j := range k + 1 {
				states = append(states, in.cnf.Values(in.frames.Latches(j)))
			}
			props = in.violated(k, set)
		case sat.Unsat:
			for _, l := range in.solver.Core() {
				if q, ok := from[l]; ok && !slices.Contains(props, q) {
					props = append(props, q)
				}
			}
		}
		in.solver.Release(group)
		if status != sat.Sat || !in.repeated(states) {
			return status, props
		}
	}
}

// perms returns the permutations to break with Rep where a set of properties is
// tried.
func (in *induction) perms(set []int) []*ts.Perm {
	if slices.ContainsFunc(in.patterns, func(d pattern) bool { return d.perm != nil }) {
		return nil
	}
	if props := append(slices.Clone(set), in.proved...); in.repsOf == nil || !slices.Equal(in.repsOf, props) {
		in.reps, _ = rep.Perms(common(in.p, props), rep.Nice) // which fails for rep.All only
		in.repsOf = props
	}
	return in.reps
}

// repeated adds path constraints that a path breaks, and reports whether there are
// any.
func (in *induction) repeated(states [][]bool) bool {
	var found []pattern
	orbits := in.orbits(states)
	least := make([][]bool, len(states))
	by := make([]*ts.Perm, len(states)) // maps states to least
	reduce := func(j int) []bool {
		if least[j] == nil {
			least[j], by[j] = in.reduce(states[j])
		}
		return least[j]
	}
	for j := range states {
		for i := range j {
			switch {
			case slices.Equal(states[i], states[j]):
				found = append(found, pattern{gap: j - i})
			case orbits != nil && orbits[i] == orbits[j] && slices.Equal(reduce(i), reduce(j)):
				p := by[j].Then(by[i].Inverse())
				p.Name = fmt.Sprintf("of states %d and %d on a path", i, j)
				found = append(found, pattern{gap: j - i, perm: p})
			}
		}
	}
	added := false
	for _, d := range found {
		known := func(e pattern) bool {
			return e.gap == d.gap && (e.perm == nil) == (d.perm == nil) && (d.perm == nil || e.perm.Equal(d.perm))
		}
		if slices.ContainsFunc(in.patterns, known) {
			continue // of an earlier pair of this path
		}
		added = true
		in.patterns = append(in.patterns, d)
		for i := 0; i+d.gap < in.frames.Len(); i++ {
			in.constrain(d, i)
		}
	}
	return added
}

// orbits returns values that are equal where states are of one orbit; nil without a group or a second state.
func (in *induction) orbits(states [][]bool) []string {
	if in.largest.Trivial() || len(states) < 2 {
		return nil
	}
	if in.orbit == nil {
		in.orbit = rep.NewInvariant(in.largest, len(states[0]))
	}
	return lists.Map(states, func(s []bool) string { return in.orbit.Of(s) })
}

// reduce returns a representative of a state, and a permutation that maps the state to it.
func (in *induction) reduce(s []bool) ([]bool, *ts.Perm) {
	if in.lazy == nil {
		in.lazy = rep.NewLazy(in.largest, nil)
	}
	by := ts.Identity(in.sys)
	for p := in.lazy.Violated(s); p != nil; p = in.lazy.Violated(s) {
		s, by = ts.Apply(p.Latch, s), by.Then(p)
	}
	return s, by
}

// constrain adds a path constraint for frames i and i+gap.
func (in *induction) constrain(d pattern, i int) {
	g := in.frames.Graph()
	a, b := in.frames.Latches(i), in.frames.Latches(i+d.gap)
	if d.perm != nil {
		b = ts.ApplyLits(d.perm.Latch, b)
	}
	in.cnf.Assert(g.OrN(lists.Make(len(a), func(n int) aig.Lit { return g.Xor(a[n], b[n]) })))
}

// violated returns those of set that are violated in frame k of the path found.
func (in *induction) violated(k int, set []int) []int {
	bads := lists.Map(set, func(q int) aig.Lit { return in.bad(q, k) })
	var props []int
	for i, v := range in.cnf.Values(bads) {
		if v {
			props = append(props, set[i])
		}
	}
	return props
}

// distinct returns the path constraints that a proof with this k uses.
func (in *induction) distinct(k int) []evidence.Distinct {
	var ds []evidence.Distinct
	for _, d := range in.patterns {
		for i := 0; i+d.gap <= k; i++ {
			ds = append(ds, evidence.Distinct{I: i, J: i + d.gap, Perm: d.perm})
		}
	}
	return ds
}

// count adds what the step cost to the statistics of the base.
func (in *induction) count(s *mc.Stats) {
	solver := in.solver.Stats()
	s.Ands += in.frames.Graph().Len()
	s.Variables += solver.Vars
	s.Clauses += solver.Clauses
	s.Conflicts += solver.Conflicts
	s.Decisions += solver.Decisions
}
