package certify

import (
	"errors"
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file decides the queries of the proof check: is there a path that the target allows
// and on which all assumptions hold? Queries about paths of one form make up a session. They
// share one formula and one solver, and each is about its own cone in it. The solver knows
// the assumptions inside the cones so far; the others follow when a path breaks them.

// errBroken says that a solver or this file is wrong.
var errBroken = errors.New("internal error: a path breaks what was assumed")

// facts are assumptions.
type facts struct {
	list   []assumption
	orbits map[int][]int // clauses by orbit
	large  []*orbit
}

func newFacts(list []assumption) *facts {
	fs := &facts{list: list, orbits: make(map[int][]int)}
	for i, a := range list {
		if a.large != nil {
			fs.large = append(fs.large, a.large)
		} else if a.clause != nil {
			fs.orbits[a.orbit] = append(fs.orbits[a.orbit], i)
		}
	}
	return fs
}

// session is queries about paths of one form, on which the same facts hold.
type session struct {
	*Checker
	free   bool
	frames int
	fs     *facts

	// From the first query on, until waste is half of the clauses.
	path    *path
	decider *decider
	used    map[int]span     // facts in the formula, and their clauses
	images  map[string]span  // the same of images of large orbits
	waiting map[[2]int][]int // by leaf that has no literal: facts that wait for it
	ready   []int            // clauses inside the cones that are not yet used
	waste   int              // clauses of queries that are over
}

// session begins queries about paths of the given number of frames.
func (c *Checker) session(free bool, frames int, fs *facts) *session {
	return &session{Checker: c, free: free, frames: frames, fs: fs}
}

// refuted returns an error, with a text that says what it is, if there is a path from any state, of one step,
// that the target allows and on which all assumptions hold.
func (c *Checker) refuted(target func(*path), as []assumption, format string, args ...any) error {
	s := c.session(true, 1, newFacts(as))
	defer s.end()
	return s.refuted(target, format, args...)
}

func (s *session) begin() {
	f := s.spare
	if s.spare = nil; f == nil {
		f = newFormula()
	}
	s.path = newPath(f, s.sys, s.leaves, s.free, s.frames)
	s.decider = s.variant.decider(f)
	s.used, s.images, s.waste, s.ready = make(map[int]span), make(map[string]span), 0, nil
	s.waiting = make(map[[2]int][]int)
	for i := range s.fs.list {
		s.wait(i)
	}
}

// end gives the memory of the formula back.
func (s *session) end() {
	if s.path != nil {
		s.path.restart()
		s.spare, s.path = s.path.formula, nil
	}
}

// refute reports whether there is no path that the target allows and on which all facts
// hold.
func (s *session) refute(target func(*path)) (bool, error) {
	if err := s.ctx.Err(); err != nil {
		return false, err // ends a long row of easy queries, too
	}
	if s.path == nil {
		s.begin()
	}
	p := s.path
	p.begin()
	p.required, p.sort, p.order = nil, nil, nil
	target(p)
	refuted, err := s.search()
	if s.decider.solver == nil || s.waste > len(p.Clauses)/2 {
		s.end()
	}
	return refuted, err
}

// refuted is refute; that there is such a path is an error with the given text.
func (s *session) refuted(target func(*path), format string, args ...any) error {
	ok, err := s.refute(target)
	if err == nil && !ok {
		err = fmt.Errorf(format, args...)
	}
	return err
}

func (s *session) search() (bool, error) {
	p := s.path
	for round := 0; ; round++ {
		s.inside(s.variant.clauses)
		s.queries++
		status, err := s.decider.solve(s.ctx, &p.focus, p.required...)
		if err != nil {
			return false, err
		}
		if status == sat.Unsat {
			return true, nil
		}
		run := p.run(s.decider.value)
		broken := s.broken(run, s.fs.list)
		images, err := s.fs.images(run.states[0], p)
		if err != nil {
			return false, err
		}
		if images != nil && p.sort != nil {
			first := len(p.Clauses)
			p.sort() // and so there are fewer
			p.sort = nil
			s.waste += len(p.Clauses) - first
			continue
		}
		if broken == nil && images == nil {
			return false, nil
		}
		for _, i := range broken {
			if at, ok := s.used[i]; ok && p.about(at) {
				return false, errBroken
			}
		}
		var spans []span // of what is broken
		for _, image := range images {
			key := clauseKey(image)
			at, ok := s.images[key]
			if ok && p.about(at) {
				return false, errBroken
			}
			if !ok {
				at.first = len(p.Clauses)
				p.add(p.clause(image, 0)...)
				at.last = len(p.Clauses)
				s.images[key] = at
			}
			spans = append(spans, at)
		}
		for _, at := range spans {
			p.markSpan(at)
		}
		if len(s.ready) > 0 {
			s.inside(len(s.ready))
			broken = slices.DeleteFunc(broken, func(i int) bool {
				at, ok := s.used[i]
				return ok && p.about(at)
			})
		}
		for _, i := range broken {
			s.use(i)
			p.markSpan(s.used[i])
		}
		if round < s.variant.rounds {
			continue
		}
		for _, i := range broken {
			if o := s.fs.list[i].orbit; o > 0 {
				for _, k := range s.fs.orbits[o] {
					s.use(k)
					p.markSpan(s.used[k])
				}
			}
		}
	}
}

// use has a fact in the formula.
func (s *session) use(i int) {
	if _, ok := s.used[i]; ok {
		return
	}
	p, a := s.path, &s.fs.list[i]
	at := span{first: len(p.Clauses)}
	p.assume(a)
	at.last = len(p.Clauses)
	s.used[i] = at
	if a.distinct != nil || a.circuit != nil || a.clause != nil {
		return
	}
	leaves := lists.Map(s.supportOf(a), func(n int) sat.Lit { return p.frames[a.frame].lit(aig.MkLit(n, false)) })
	p.addBundle(at, leaves)
}

// inside uses the facts whose leaves all have literals by now; of clauses at most so many,
// those of small orbits first.
func (s *session) inside(clauses int) {
	p := s.path
	sorted := true
	for len(p.came) > 0 {
		leaf := p.came[len(p.came)-1]
		p.came = p.came[:len(p.came)-1]
		list := s.waiting[leaf]
		delete(s.waiting, leaf)
		for _, i := range list {
			s.wait(i)
		}
		sorted = sorted && list == nil
	}
	if !sorted {
		slices.Sort(s.ready)
		slices.SortStableFunc(s.ready, func(i, j int) int { return s.fs.list[i].images - s.fs.list[j].images })
	}
	n := min(clauses, len(s.ready))
	for _, i := range s.ready[:n] {
		s.use(i)
	}
	s.ready = s.ready[n:]
}

// wait has a fact wait for the first of its leaves without a literal, or uses it.
func (s *session) wait(i int) {
	a := &s.fs.list[i]
	switch {
	case a.distinct != nil || a.circuit != nil || a.large != nil:
		return
	case a.clause != nil:
		for _, l := range a.clause {
			if node := s.sys.Latches[l>>1].Node; !s.path.has(0, node) {
				s.waiting[[2]int{0, node}] = append(s.waiting[[2]int{0, node}], i)
				return
			}
		}
		s.ready = append(s.ready, i)
		return
	}
	for _, n := range s.supportOf(a) {
		if !s.path.has(a.frame, n) {
			s.waiting[[2]int{a.frame, n}] = append(s.waiting[[2]int{a.frame, n}], i)
			return
		}
	}
	s.use(i)
}

// supportOf returns the leaves of an assumption that is a function of the system.
func (c *Checker) supportOf(a *assumption) []int {
	return lists.Memo(c.support, a.lit, func(l aig.Lit) []int { return c.sys.G.Support([]aig.Lit{l}) })
}

// require has something hold in this query.
func (p *path) require(lits ...sat.Lit) {
	p.required = append(p.required, lits...)
	for _, l := range lits {
		p.mark(l)
	}
}

// images returns clauses of large orbits that a state breaks, none if it breaks none.
func (f *facts) images(state []bool, p *path) (images []ts.Clause, err error) {
	for _, o := range f.large {
		for _, image := range o.broken(state, p.order) {
			if x := o.orbit(image); x == nil || x.key() != o.key() {
				return nil, errors.New("internal error: a clause that is to be assumed is no image of one of the proof")
			}
			images = append(images, image)
		}
	}
	return images, nil
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
		p.add(p.disjuncts(a.frame, a.lit)...)
	}
}

// disjuncts returns literals of frame k one of which holds exactly if f holds.
func (p *path) disjuncts(k int, f aig.Lit) (any []sat.Lit) {
	for _, l := range p.sys.G.Conjuncts(f.Not(), nil, nil) {
		any = append(any, p.frames[k].lit(l).Not())
	}
	return any
}

// violate requires that a function of a state does not hold in the state of frame
// k, 0 or 1.
func (p *path) violate(a *assumption, k int) {
	switch {
	case a.circuit != nil:
		p.require(p.circuit(a, k).Not())
	case a.clause != nil:
		for _, l := range p.clause(a.clause, k) {
			p.require(l.Not())
		}
	default:
		state := newView(p.formula, p.sys.G, func(node int) sat.Lit { return p.latch(k, p.leaves.latch[node]) })
		p.require(state.lit(a.lit).Not())
	}
}

func (p *path) clause(clause ts.Clause, k int) []sat.Lit {
	return lists.Map(clause, func(l ts.Lit) sat.Lit { return p.latch(k, int(l>>1)) ^ sat.Lit(l&1) })
}

func (p *path) circuit(a *assumption, k int) sat.Lit {
	latch := func(i int) sat.Lit { return p.latch(k, i) }
	return circuitView(a.circuit, p.formula, latch, func(i int) sat.Lit { return p.variable(p.inputs[k], i) }).lit(a.lit)
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
				for k, l := range a.circuit.Inputs {
					if r.inputs[0][k] {
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
