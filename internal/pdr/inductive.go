package pdr

import (
	"context"
	"errors"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file finds inductive subsets of lemmas. Of candidates, which may be false, it finds
// the largest inductive subset (Flanagan, Leino: Houdini, FME 2001). Of a proof it finds a
// small subset that is still a proof. One solver has all lemmas, each with a switch. A query
// is about one member of an orbit and assumes all members.

// errMissed says that a refutation needs an image of a lemma that is not in the solver.
var errMissed = errors.New("an image of a lemma is missed")

// choice is a set of lemmas that can be switched.
type choice struct {
	x      *search
	s      *solver
	lemmas []*lemma
	on     map[*lemma]sat.Lit
}

// newChoice returns a solver for steps from states in which all of the lemmas,
// which it then owns, may be assumed.
func (s *search) newChoice(lemmas []*lemma) *choice {
	c := &choice{x: s, s: s.newSolver(s.trans), lemmas: lemmas, on: make(map[*lemma]sat.Lit)}
	c.s.cnf.Assert(s.constraint)
	if s.p.WellFormed {
		c.s.cnf.Assert(s.trans.W(0))
	}
	for _, l := range lemmas {
		c.on[l] = c.s.s.NewVar()
		for _, d := range l.images {
			c.block(l, d)
		}
	}
	c.s.known, c.s.add = func(yield func(*lemma) bool) {
		for _, l := range c.lemmas {
			if !yield(l) {
				return
			}
		}
	}, c.block
	return c
}

func (c *choice) block(l *lemma, d ts.Cube) { c.s.s.Add(append(c.s.clause(d), c.on[l].Not())...) }

// ask asks for a state in all lemmas under assumptions; used are the lemmas that
// an unsatisfiable answer needs. The lemmas come first, so that the solver keeps what follows from them.
func (c *choice) ask(ctx context.Context, about []sat.Lit) (status sat.Status, used []*lemma, err error) {
	assumptions := lists.Map(c.lemmas, func(l *lemma) sat.Lit { return c.on[l] })
	assumptions = append(assumptions, about...)
	status, err = c.x.solve(ctx, c.s, 0, nil, assumptions, nil)
	if err != nil || status == sat.Sat {
		return status, nil, err
	}
	core := c.s.core()
	return status, lists.Where(c.lemmas, func(l *lemma) bool { return core[c.on[l]] }), nil
}

// into returns the assumptions that the next state is in d.
func (c *choice) into(d ts.Cube) []sat.Lit {
	return lists.Map(d, func(l ts.Lit) sat.Lit { return c.s.next(l) })
}

// inductive returns the largest subset of the lemmas that no step leaves and no
// reset state violates.
func (s *search) inductive(ctx context.Context, lemmas []*lemma) ([]*lemma, error) {
	var alive []*lemma
	for _, l := range lemmas {
		meets, err := s.initial(ctx, l.cube)
		if err != nil {
			return nil, err
		}
		if !meets {
			alive = append(alive, l)
		}
	}
	c := s.newChoice(alive)
	needs := make(map[*lemma][]*lemma) // why no step leaves a lemma
	for {
		i := slices.IndexFunc(c.lemmas, func(l *lemma) bool { _, ok := needs[l]; return !ok })
		if i < 0 {
			return c.lemmas, nil
		}
		l := c.lemmas[i]
		status, used, err := c.ask(ctx, c.into(l.cube))
		if err != nil {
			return nil, err
		}
		if status == sat.Unsat {
			needs[l] = used
			continue
		}
		state := &point{state: newBitset(len(s.sys.Latches))}
		c.s.read(state.state, s.trans.Latches(1), s.latches)
		s.propagations += int64(len(s.latches)) // about what reading them costs
		gone := make(map[*lemma]bool)
		c.lemmas = slices.DeleteFunc(c.lemmas, func(o *lemma) bool {
			gone[o] = o == l || s.violates(state, o)
			return gone[o]
		})
		for o, used := range needs {
			if slices.ContainsFunc(used, func(u *lemma) bool { return gone[u] }) {
				delete(needs, o)
			}
		}
	}
}

// violates reports whether a state is in an image of the lemma.
func (s *search) violates(state *point, l *lemma) bool {
	if l.lazy != nil {
		image, _ := l.lazy(state.holds)
		return image != nil
	}
	return slices.ContainsFunc(l.images, state.in)
}

// needed returns a subset of an inductive set of lemmas that is inductive and
// excludes the targets, too: what the refutations use. If they use images that are
// not at hand, since orbits are written out in part only and the lemmas that had
// these images have been replaced, it returns all lemmas.
func (s *search) needed(ctx context.Context, lemmas []*lemma) ([]*lemma, error) {
	c := s.newChoice(lemmas)
	in := make(map[*lemma]bool)
	var todo []*lemma
	use := func(assumptions []sat.Lit) error {
		status, used, err := c.ask(ctx, assumptions)
		if err == nil && status == sat.Sat {
			err = errMissed
		}
		for _, l := range used {
			if !in[l] {
				in[l] = true
				todo = append(todo, l)
			}
		}
		return err
	}
	for _, t := range s.targets {
		if t.bad == aig.False {
			continue
		}
		assumptions := []sat.Lit{c.s.cnf.Implied(t.bad)}
		if t.least != aig.True {
			assumptions = append(assumptions, c.s.cnf.Implied(t.least))
		}
		if err := use(assumptions); err == errMissed {
			return lemmas, nil
		} else if err != nil {
			return nil, err
		}
	}
	for ; len(todo) > 0; todo = todo[1:] {
		if err := use(c.into(todo[0].cube)); err == errMissed {
			return lemmas, nil
		} else if err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(slices.Clone(lemmas), func(l *lemma) bool { return !in[l] }), nil
}
