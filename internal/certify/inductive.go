package certify

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file checks proofs by induction (evidence.Proof). It reads the system and shares no
// code with the engines: it has its own translation into clauses (cnf.go) and its own check
// of symmetries (symmetry.go). The queries (refute.go) go to a fresh solver, each step of
// whose refutations is verified, or to gophersat (decide.go).
//
// # One query for each conjunct
//
// The goals of the check are that Inv holds in the reset states, that each step keeps Inv,
// and that no bad holds in frame K. Each goal is split into conjuncts. Each conjunct has
// its own query, over its own cone. A query begins with the assumptions whose leaves all lie in that cone. If the
// solver finds a path, the assumptions that the path breaks are added, and the solver tries
// again. The query ends when no path is left, or with a path that breaks no assumption.
// The conjunct fails in the second case.
//
// # One representative of each orbit
//
// The check shows two facts about runs: no run leaves Inv, and no run ends in a bad. Take a
// shortest run that contradicts one of them. Its image under a verified symmetry of the
// system is a run of the same length. Inv contains all images of its clauses, so it
// suffices to check one clause of each orbit. Conjuncts of "no bad holds" may be images of
// each other, too. One of them is checked for all that normal forms show to be its images.
// Under Problem.Full every clause and every conjunct is checked.
//
// A query may assume whatever holds on every shortest such run, symmetric or not: path
// constraints, and properties that this checker proved before, which hold on all runs.

// tooMany says that a proof is not checked because its clauses have more images.
type tooMany struct{ images int64 }

func (t tooMany) Error() string { return fmt.Sprintf("the clauses have more than %d images", t.images) }

// Checker checks the proofs of one problem, one after the other: what one of them proves
// is known in those that follow. Not safe for concurrent use.
type Checker struct {
	ctx        context.Context
	p          *mc.Problem
	sys        *ts.System
	variant    *variant
	leaves     *leaves
	sym        *symmetries
	w          []aig.Lit                  // conjuncts of W
	known      []int                      // properties proved before, ascending
	facts      []assumption               // clauses that hold in all reachable states
	proved     bool                       // W holds in every reachable state
	closed     map[[sha256.Size]byte]bool // sets of clauses that were shown to be inductive
	invariants map[*evidence.Proof]*invariant
	support    map[aig.Lit][]int
	queries    int
	spare      *formula // empty, for refute; nil if there is none
	cleaned    bool     // the clean-up was checked
	whole      bool     // write all images, whatever their number
}

// New returns a checker that knows of nothing proved. Its checks end with ctx.
func New(ctx context.Context, p *mc.Problem) *Checker { return newChecker(ctx, p, sound()) }

func newChecker(ctx context.Context, p *mc.Problem, s *variant) *Checker {
	if p.Gophersat {
		t := *s
		t.gophersat = true
		s = &t
	}
	c := &Checker{
		ctx: ctx, p: p, sys: p.System(), variant: s,
		whole: p.Full, proved: p.WellFormed && !p.Full,
		support: make(map[aig.Lit][]int), closed: make(map[[sha256.Size]byte]bool), invariants: make(map[*evidence.Proof]*invariant),
	}
	c.leaves = newLeaves(c.sys)
	c.sym = newSymmetries(c)
	c.w = c.conjuncts([]aig.Lit{c.sys.W})
	return c
}

// For returns a checker for another problem, which knows of nothing proved.
func (c *Checker) For(p *mc.Problem) *Checker { return newChecker(c.ctx, p, c.variant) }

// Problem returns the problem that the checker was made for.
func (c *Checker) Problem() *mc.Problem { return c.p }

// Err returns the error of the context, nil if that has not ended.
func (c *Checker) Err() error { return c.ctx.Err() }

// Known returns the properties proved so far, ascending.
func (c *Checker) Known() []int { return c.known }

// assumption holds on the paths of a query. It is a function of the
// system in a frame, or in frame 0 a clause over latches or a function of the
// circuit; or a path constraint.
type assumption struct {
	frame    int
	lit      aig.Lit
	clause   ts.Clause
	images   int               // of the clause
	orbit    int               // which one of the proof it belongs to, from 1
	large    *orbit            // that is not written, of which all clauses hold
	circuit  *evidence.Circuit // lit is of its graph
	distinct *evidence.Distinct
}

// conjuncts splits functions of the system, each once.
func (c *Checker) conjuncts(fs []aig.Lit) []aig.Lit {
	var all []aig.Lit
	seen := make(map[aig.Lit]bool)
	for _, f := range fs {
		for _, l := range c.sys.G.Conjuncts(f, nil, nil) {
			if l != aig.True && !seen[l] {
				seen[l] = true
				all = append(all, l)
			}
		}
	}
	return all
}

// good returns, for each bad of the properties, that it does not hold.
func (c *Checker) good(props []int) []aig.Lit {
	var good []aig.Lit
	for _, q := range props {
		good = append(good, lists.Map(c.p.Bads(q), func(b int) aig.Lit { return c.sys.Bads[b].Lit.Not() })...)
	}
	return good
}

// Check checks a proof that is given for a property; its properties are known from then
// on. It returns how it was done, the error of the context if that ended first, or why
// the proof is rejected.
func (c *Checker) Check(f *evidence.Proof, prop int) (string, error) {
	if f.Rounds != 0 {
		return c.counted(f, prop)
	}
	if err := wellFormed(c.p, f, prop); err != nil {
		return "", err
	}
	before := c.queries
	open := lists.Where(f.About(prop), func(q int) bool { return !slices.Contains(c.known, q) })
	if err := c.cleanUp(f.About(prop)); err != nil {
		return "", err
	}
	v, err := c.induction(f)
	if err != nil {
		return "", err
	}
	if err := c.safe(f, open, v); err != nil {
		return "", err
	}
	c.known = append(c.known, open...)
	slices.Sort(c.known)
	how := fmt.Sprintf("induction with k = %d", f.K)
	if n := len(f.About(prop)); n > 1 {
		how += fmt.Sprintf(" over %d properties together", n)
	}
	if len(f.Clauses) > 0 {
		what := fmt.Sprintf("an inductive invariant of %d clauses", len(v.clauses))
		if n := v.images(); n.Cmp(big.NewInt(int64(len(v.clauses)))) > 0 {
			what += fmt.Sprintf(", one of each orbit of %d", n)
		}
		if v.components != nil {
			what += " that are written as needed"
		}
		if f.K == 1 {
			how = what
		} else {
			how += " in " + what
		}
	}
	if f.Circuit != nil {
		how = "an inductive invariant given as a circuit"
	}
	if c.p.Cleaned != nil {
		how += " after clean-up"
	}
	return fmt.Sprintf("%s, checked by %s in %s", how, c.variant.by(), queries(c.queries-before)), nil
}

func queries(n int) string {
	if n == 1 {
		return "1 query"
	}
	return fmt.Sprintf("%d queries", n)
}

// induction checks that the clauses and the circuit of a proof are an inductive
// invariant under its symmetry, and returns it.
func (c *Checker) induction(f *evidence.Proof) (*invariant, error) {
	if err := c.symmetric(f); err != nil {
		return nil, err
	}
	v, err := c.invariant(f)
	if err != nil {
		return nil, err
	}
	if !c.proved {
		if err := c.inductive("W", c.w, &invariant{}); err != nil {
			return nil, err
		}
		c.proved = true
	}
	if f.Circuit != nil || !c.closed[v.set] {
		if err := c.inductive("the invariant", nil, v); err != nil {
			return nil, err
		}
		c.closed[v.set] = f.Circuit == nil
	}
	return v, nil
}

// symmetric checks all permutations of a proof.
func (c *Checker) symmetric(f *evidence.Proof) error {
	if !c.p.Full && (len(f.Clauses) > 0 || f.Circuit != nil) {
		for _, g := range f.Group.Generators() {
			if err := c.sym.system(g); err != nil {
				return c.reason("the permutation %s is no symmetry: %w", g.Name, err)
			}
			if f.Circuit != nil && !c.keepsCircuit(f.Circuit, g) {
				return fmt.Errorf("the circuit is not kept by %s", g.Name)
			}
		}
	}
	seen := make(map[string]bool)
	for _, d := range f.Distinct {
		if d.Perm == nil || seen[d.Perm.Key()] {
			continue
		}
		seen[d.Perm.Key()] = true
		if err := c.sym.system(d.Perm); err != nil {
			return c.reason("the permutation %s is no symmetry: %w", d.Perm.Name, err)
		}
	}
	return nil
}

// reason wraps an error that is one of ctx or a reason to reject.
func (c *Checker) reason(format string, args ...any) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	return fmt.Errorf(format, args...)
}

// keepsCircuit reports whether the circuit holds in g·x where it holds in x.
func (c *Checker) keepsCircuit(circuit *evidence.Circuit, g *ts.Perm) bool {
	f := newFormula()
	x := lists.Make(len(circuit.Latches), func(int) sat.Lit { return f.fresh() })
	image := make([]sat.Lit, len(x))
	for i, l := range g.Latch {
		image[l>>1] = x[i] ^ sat.Lit(l&1)
	}
	f.add(circuitView(circuit, f, func(i int) sat.Lit { return x[i] }, nil).lit(circuit.Out))
	f.add(circuitView(circuit, f, func(i int) sat.Lit { return image[i] }, nil).lit(circuit.Out).Not())
	status, err := c.decide(f)
	return err == nil && status == sat.Unsat
}

// invariant is what a proof says of states.
type invariant struct {
	clauses []assumption      // to be checked
	all     []assumption      // all that Inv has: images of clauses, conjuncts of the circuit
	set     [sha256.Size]byte // names the set of all clauses

	components *components // nil: all images are written
}

// images returns how many clauses and conjuncts Inv has.
func (i *invariant) images() *big.Int {
	n := new(big.Int)
	for _, a := range i.all {
		if a.large != nil {
			n.Add(n, a.large.size)
		} else {
			n.Add(n, big.NewInt(1))
		}
	}
	return n
}

// invariant writes the invariant of a proof.
func (c *Checker) invariant(f *evidence.Proof) (*invariant, error) {
	if v := c.invariants[f]; v != nil {
		return v, nil
	}
	v := &invariant{}
	gens := f.Group.Generators()
	moving := make([][]int, len(c.sys.Latches)) // by latch: the generators that move it
	for k, g := range gens {
		for i, l := range g.Latch {
			if l != ts.MkLit(i, false) {
				moving[i] = append(moving[i], k)
			}
		}
	}
	asked := make([]int, len(gens)) // by generator: the clause, from 1, that it was applied to last
	seen := make(map[string]bool)
	add := func(clause ts.Clause) bool {
		slices.Sort(clause)
		k := clauseKey(clause)
		if seen[k] {
			return false
		}
		seen[k] = true
		v.all = append(v.all, assumption{clause: clause})
		return true
	}
	tables := newComponents(f.Group, len(c.sys.Latches))
	for _, clause := range f.Clauses {
		if o := tables.orbit(clause); !c.whole && o != nil && c.large(o) {
			if k := o.key(); !seen[k] {
				seen[k], v.components = true, tables
				v.all = append(v.all, assumption{large: o})
				v.clauses = append(v.clauses, assumption{clause: clause})
			}
			continue
		}
		first := len(v.all)
		if !add(slices.Clone(clause)) {
			continue
		}
		for at := first; at < len(v.all); at++ {
			a := v.all[at]
			if at == first || c.p.Full {
				v.clauses = append(v.clauses, a)
			}
			if int64(len(v.all)) > c.variant.images {
				return nil, tooMany{c.variant.images}
			}
			for _, l := range a.clause {
				for _, k := range moving[l>>1] {
					if asked[k] == at+1 {
						continue
					}
					asked[k] = at + 1
					image := make(ts.Clause, len(a.clause))
					for n, l := range a.clause {
						image[n] = l.Under(gens[k].Latch)
					}
					add(image)
				}
			}
		}
		for i := first; i < len(v.all); i++ {
			v.all[i].images, v.all[i].orbit = len(v.all)-first, first+1
		}
	}
	h := sha256.New()
	if v.components != nil { // the names of orbits are about its tables, which the generators do not tell
		for _, t := range tables.tables {
			fmt.Fprint(h, t.lits)
		}
	}
	fmt.Fprintln(h, len(seen))
	for _, k := range slices.Sorted(maps.Keys(seen)) {
		io.WriteString(h, k)
	}
	h.Sum(v.set[:0])
	if f.Circuit != nil {
		for _, l := range f.Circuit.G.Conjuncts(f.Circuit.Out, nil, nil) {
			v.all = append(v.all, assumption{circuit: f.Circuit, lit: l})
			v.clauses = append(v.clauses, assumption{circuit: f.Circuit, lit: l})
		}
	}
	c.invariants[f] = v
	return v, nil
}

// written returns an invariant with all images of the clauses of a proof, or, if there
// are more than steps.images, with those of small orbits.
func (c *Checker) written(f *evidence.Proof) (*invariant, error) {
	v, err := c.invariant(f)
	if err != nil || v.components == nil || v.images().Cmp(big.NewInt(c.variant.images)) > 0 {
		return v, err
	}
	all := c.For(c.p)
	all.whole = true
	return all.invariant(f)
}

// clauseKey names a sorted clause by its literals.
func clauseKey(clause ts.Clause) string {
	key := binary.AppendUvarint(nil, uint64(len(clause)))
	for _, l := range clause {
		key = binary.AppendUvarint(key, uint64(l))
	}
	return string(key)
}

// inductive checks that functions of a state, and the clauses of v, hold in the reset
// states and after each step from a state in which all of them, W and v hold.
func (c *Checker) inductive(name string, fs []aig.Lit, v *invariant) error {
	targets := slices.Clone(v.clauses)
	targets = append(targets, lists.Map(fs, func(f aig.Lit) assumption { return assumption{lit: f} })...)
	base := c.session(false, 1, newFacts(nil))
	step := c.session(true, 1, newFacts(slices.Concat(c.during(1, 1, nil), c.facts, v.all)))
	defer base.end()
	defer step.end()
	for _, t := range targets {
		if err := base.refuted(func(p *path) { p.violate(&t, 0) }, "%s does not hold in a reset state", name); err != nil {
			return err
		}
		err := step.refuted(func(p *path) {
			p.violate(&t, 1)
			if v.components != nil && t.clause != nil {
				p.sort = func() { p.least(v.components, c.variant.alikeClause(v.components, t.clause)) }
			}
		}, "%s is not kept by a step", name)
		if err != nil {
			return err
		}
	}
	return nil
}

// during returns what holds on a path: W and what is known in its first n frames,
// constraints in its first m, and that no bad of props holds before the last.
func (c *Checker) during(n, m int, props []int) []assumption {
	var as []assumption
	known := c.conjuncts(c.good(c.known))
	constraints := c.conjuncts(c.sys.Constraints)
	good := c.conjuncts(c.good(props))
	for k := range n {
		for _, part := range []struct {
			fs     []aig.Lit
			frames int
		}{{c.w, n}, {known, n}, {constraints, m}, {good, n - 1}} {
			for i := 0; i < len(part.fs) && k < part.frames; i++ {
				as = append(as, assumption{frame: k, lit: part.fs[i]})
			}
		}
	}
	return as
}

// safe checks that no bad of the open properties holds on a run.
func (c *Checker) safe(f *evidence.Proof, open []int, v *invariant) error {
	targets := c.conjuncts(c.good(open))
	targets = c.representatives(f, targets)
	alike := make(map[aig.Lit][][][]int)
	// ends requires that t is violated in frame k of a path from any state.
	ends := func(t aig.Lit, k int) func(*path) {
		return func(p *path) {
			p.require(p.frames[k].lit(t).Not())
			if v.components == nil {
				return
			}
			p.sort = func() {
				if alike[t] == nil {
					alike[t] = c.variant.alikeBad(v.components, c.sym, t)
				}
				p.least(v.components, alike[t])
			}
		}
	}
	if f.K == 1 && len(v.all) > 0 {
		all := true
		bad := c.session(true, 1, newFacts(append(c.during(1, 1, nil), v.all...)))
		defer bad.end()
		for _, t := range targets {
			ok, err := bad.refute(ends(t, 0))
			if err != nil {
				return err
			}
			if !ok {
				all = false
				break
			}
		}
		if all {
			return nil
		}
	}
	for k := range f.K {
		base := c.session(false, k+1, newFacts(c.during(k+1, k+1, open)))
		defer base.end()
		for _, t := range targets {
			if err := base.refuted(func(p *path) { p.require(p.frames[k].lit(t).Not()) }, "a violation in frame %d of a run", k); err != nil {
				return err
			}
		}
	}
	list := append(c.during(f.K+1, f.K+1, open), v.all...)
	for i := range f.Distinct {
		list = append(list, assumption{distinct: &f.Distinct[i]})
	}
	last := c.session(true, f.K+1, newFacts(list))
	defer last.end()
	for _, t := range targets {
		if err := last.refuted(ends(t, f.K), "a violation can follow %d states without one", f.K); err != nil {
			return err
		}
	}
	return nil
}

// representatives returns one of each orbit of targets, which are conjuncts of
// "no bad of the open properties holds", as far as normal forms show it.
func (c *Checker) representatives(f *evidence.Proof, targets []aig.Lit) []aig.Lit {
	if c.p.Full {
		return targets
	}
	at := make(map[int32]int)
	up := make([]int, len(targets))
	for i, t := range targets {
		at[c.sym.plain.form(t)] = i
		up[i] = i
	}
	find := func(i int) int {
		for up[i] != i {
			i = up[i]
		}
		return i
	}
	c.sym.quick = true // a solver takes longer for that than for what it saves
	defer func() { c.sym.quick = false }()
	for _, g := range f.Group.Generators() {
		if c.sym.system(g) != nil {
			continue
		}
		image := c.sym.view(g)
		for i, t := range targets {
			if j, ok := at[image.form(t)]; ok {
				a, b := find(i), find(j)
				up[max(a, b)] = min(a, b)
			}
		}
	}
	var reps []aig.Lit
	for i, t := range targets {
		if find(i) == i {
			reps = append(reps, t)
		}
	}
	return reps
}
