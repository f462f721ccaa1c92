package pdr

import "orbitmc/ts"

// vary returns e in another variant.
func (e Engine) vary(change func(*variant)) *Engine {
	s := *sound()
	if e.variant != nil {
		s = *e.variant
	}
	change(&s)
	e.variant = &s
	return &e
}

// Eager returns e that writes orbits of up to n images out.
func (e Engine) Eager(n int) *Engine { return e.vary(func(s *variant) { s.images = n }) }

// Watched returns e that tells f of each obligation that a solver is asked about, and,
// with the level up to which it is blocked then instead of 0, when it is.
func (e Engine) Watched(f func(cube ts.Cube, level, blocked int)) *Engine {
	return e.vary(func(s *variant) {
		s.observe = func(o *obligation, blocked int) { f(o.cube, o.level, blocked) }
	})
}

// WithChains returns e without use of the structure of groups.
func (e Engine) WithChains() *Engine {
	return e.vary(func(s *variant) {
		s.orbits = func(y *ts.Symmetry, latches, limit int) *orbits {
			o := newOrbits(y, latches, limit)
			if o != nil {
				o.rows, o.others = nil, nil
			}
			return o
		}
	})
}

// Half returns e whose predicates have half of the permutations.
func (e Engine) Half() *Engine {
	return e.vary(func(s *variant) {
		s.compared = func(perms []*ts.Perm, _ []int, _ int) []*ts.Perm { return perms[:len(perms)/2] }
	})
}

// Hard returns e for which each search is a hard one.
func (e Engine) Hard() *Engine { return e.vary(func(s *variant) { s.hard = 0 }) }

// ByQuery returns e that lifts by queries.
func (e Engine) ByQuery() *Engine { return e.vary(func(s *variant) { s.lift = (*search).liftByQuery }) }

// Restless returns e that gives up obligations after the first query, then after two, and so on.
func (e Engine) Restless() *Engine { return e.vary(func(s *variant) { s.worth, s.patience = 0, 1 }) }
