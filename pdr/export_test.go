package pdr

import "orbitmc/ts"

// Watched returns e that tells f of each obligation that a solver is asked about, and,
// with the level up to which it is blocked then instead of 0, when it is.
func (e Engine) Watched(f func(cube ts.Cube, level, blocked int)) *Engine {
	e.watch = func(o *obligation, blocked int) { f(o.cube, o.level, blocked) }
	return &e
}

// WithChains returns e without use of the structure of groups.
func (e Engine) WithChains() *Engine {
	e.chains = true
	return &e
}

// Hard returns e for which each search is a hard one.
func (e Engine) Hard() *Engine {
	e.hard = true
	return &e
}
