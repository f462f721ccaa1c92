package certify

import (
	"errors"
	"slices"

	"orbitmc/aig"
	"orbitmc/sat"
	"orbitmc/sat/gophersat"
	"orbitmc/ts"
)

// This file decides one query of the proof check: is there a path that the target allows
// and on which all assumptions hold? The solver first gets the assumptions inside the cone
// of the target. The others follow when a path breaks them.

// facts are assumptions, the clauses among them by their first latch.
type facts struct {
	list    []assumption
	others  []int
	clauses map[int][]int
	orbits  map[int][]int // clauses by orbit
	large   []*orbit
}

func newFacts(list []assumption) *facts {
	fs := &facts{list: list, clauses: make(map[int][]int), orbits: make(map[int][]int)}
	for i, a := range list {
		if a.large != nil {
			fs.large = append(fs.large, a.large)
		} else if a.clause == nil {
			fs.others = append(fs.others, i)
		} else {
			l := int(a.clause[0] >> 1)
			fs.clauses[l] = append(fs.clauses[l], i)
			fs.orbits[a.orbit] = append(fs.orbits[a.orbit], i)
		}
	}
	return fs
}

// refute reports whether there is no path of the given number of frames that the
// target allows and on which all assumptions hold.
func (c *Checker) refute(free bool, frames int, target func(*path), fs *facts) (bool, error) {
	if err := c.ctx.Err(); err != nil {
		return false, err // ends a long row of easy queries, too
	}
	f := c.spare
	if c.spare = nil; f == nil {
		f = newFormula()
	}
	defer func() { f.restart(); c.spare = f }()
	p := newPath(f, c.sys, c.leaves, free, frames)
	target(p)
	used := make(map[int]bool)
	use := func(i int) {
		used[i] = true
		p.assume(&fs.list[i])
	}
	for _, i := range fs.others {
		if c.inside(p, &fs.list[i]) {
			use(i)
		}
	}
	var clauses []int
	for l, x := range p.first {
		if x == 0 {
			continue
		}
		for _, i := range fs.clauses[l] {
			if c.inside(p, &fs.list[i]) {
				clauses = append(clauses, i)
			}
		}
	}
	slices.SortStableFunc(clauses, func(i, j int) int { return fs.list[i].images - fs.list[j].images })
	at := min(len(clauses), c.steps.clauses)
	for _, i := range clauses[:at] {
		use(i)
	}
	clauses = clauses[at:]
	written := make(map[string]bool) // of large orbits
	for round := 0; ; round++ {
		c.queries++
		answer, err := gophersat.Check(c.ctx, &p.CNF)
		if err != nil {
			return false, err
		}
		if answer.Status == sat.Unsat {
			return true, nil
		}
		run := p.run(answer.Model)
		broken := c.broken(run, fs.list)
		images, err := fs.images(run.states[0], p)
		if err != nil {
			return false, err
		}
		if images != nil && p.sort != nil {
			p.sort() // and so there are fewer
			p.sort = nil
			continue
		}
		for _, image := range images {
			if written[clauseKey(image)] {
				return false, errors.New("internal error: a path breaks what was assumed")
			}
			written[clauseKey(image)] = true
			p.add(p.clause(image, 0)...)
		}
		if broken == nil && images == nil {
			return false, nil
		}
		if len(clauses) > 0 {
			for _, i := range clauses {
				use(i)
			}
			clauses = nil
			broken = slices.DeleteFunc(broken, func(i int) bool { return used[i] })
		}
		for _, i := range broken {
			if used[i] {
				return false, errors.New("internal error: a path breaks what was assumed")
			}
			use(i)
		}
		if round < c.steps.rounds {
			continue
		}
		for _, i := range broken {
			if o := fs.list[i].orbit; o > 0 {
				for _, k := range fs.orbits[o] {
					if !used[k] {
						use(k)
					}
				}
			}
		}
	}
}

// images returns clauses of large orbits that a state breaks, none if it breaks none.
func (fs *facts) images(state []bool, p *path) (images []ts.Clause, err error) {
	for _, o := range fs.large {
		for _, image := range o.broken(state, p.order) {
			if x := o.orbit(image); x == nil || x.key() != o.key() {
				return nil, errors.New("internal error: a clause that is to be assumed is no image of one of the proof")
			}
			images = append(images, image)
		}
	}
	return images, nil
}

// inside reports whether all leaves of an assumption are in the formula.
func (c *Checker) inside(p *path, a *assumption) bool {
	switch {
	case a.distinct != nil || a.circuit != nil:
		return false
	case a.clause != nil:
		for _, l := range a.clause {
			if !p.has(0, c.sys.Latches[l>>1].Node) {
				return false
			}
		}
		return true
	}
	support, ok := c.support[a.lit]
	if !ok {
		support = c.sys.G.Support([]aig.Lit{a.lit})
		c.support[a.lit] = support
	}
	for _, n := range support {
		if !p.has(a.frame, n) {
			return false
		}
	}
	return true
}

// assume adds an assumption to the formula.
func (p *path) assume(a *assumption) {
	switch {
	case a.distinct != nil:
		n := len(p.sys.Latches)
		x, y := make([]sat.Lit, n), make([]sat.Lit, n)
		for i := range n {
			x[i] = p.latch(a.distinct.I, i)
			to := ts.MkLit(i, false)
			if a.distinct.Perm != nil {
				to = a.distinct.Perm.Latch[i]
			}
			y[to>>1] = p.latch(a.distinct.J, i) ^ sat.Lit(to&1)
		}
		p.differ(x, y)
	case a.circuit != nil:
		p.add(p.circuit(a, 0))
	case a.clause != nil:
		p.add(p.clause(a.clause, 0)...)
	default:
		p.add(p.frames[a.frame].lit(a.lit))
	}
}

// violate requires that a function of a state does not hold in the state of frame
// k, 0 or 1.
func (p *path) violate(a *assumption, k int) {
	switch {
	case a.circuit != nil:
		p.add(p.circuit(a, k).Not())
	case a.clause != nil:
		for _, l := range p.clause(a.clause, k) {
			p.add(l.Not())
		}
	default:
		state := newView(p.formula, p.sys.G, func(node int) sat.Lit { return p.latch(k, p.leaves.latch[node]) })
		p.add(state.lit(a.lit).Not())
	}
}

func (p *path) clause(clause ts.Clause, k int) []sat.Lit {
	lits := make([]sat.Lit, len(clause))
	for i, l := range clause {
		lits[i] = p.latch(k, int(l>>1)) ^ sat.Lit(l&1)
	}
	return lits
}

func (p *path) circuit(a *assumption, k int) sat.Lit {
	return circuitView(a.circuit, p.formula, func(i int) sat.Lit { return p.latch(k, i) }).lit(a.lit)
}

// broken returns the assumptions that do not hold on a run.
func (c *Checker) broken(r *run, as []assumption) []int {
	var broken []int
	e := ts.NewEvaluator(c.sys)
	at := -1
	var circuit *aig.Sim
	for i := range as {
		a, ok := &as[i], false
		switch {
		case a.large != nil: // see facts.large
			ok = true
		case a.distinct != nil:
			y := r.states[a.distinct.J]
			if a.distinct.Perm != nil {
				y = ts.Apply(a.distinct.Perm.Latch, y)
			}
			ok = !slices.Equal(r.states[a.distinct.I], y)
		case a.circuit != nil:
			if circuit == nil {
				circuit = aig.NewSim(a.circuit.G)
				for k, l := range a.circuit.Latches {
					if r.states[0][k] {
						circuit.Set(l.Node(), 1)
					}
				}
				circuit.Run()
			}
			ok = circuit.Word(a.lit)&1 == 1
		case a.clause != nil:
			ok = slices.ContainsFunc(a.clause, func(l ts.Lit) bool { return r.states[0][l>>1] != (l&1 == 1) })
		default:
			if a.frame != at {
				at = a.frame
				e.Set(r.states[at], r.inputs[at])
			}
			ok = e.Value(a.lit)
		}
		if !ok {
			broken = append(broken, i)
		}
	}
	return broken
}
