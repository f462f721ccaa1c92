// Package protocol keeps the legal-call diagram of sat.Solver for the back
// ends: it numbers variables and groups, knows in which state the solver is,
// and panics, naming the rule, when a call breaks one. Back ends stay free of
// such tests and all of them enforce the same rules with the same words.
package protocol

import (
	"fmt"
	"maps"
	"slices"

	"orbitmc/sat"
)

// A Guard watches the calls of one solver. G is what the back end keeps for a
// group. The zero Guard is ready.
type Guard[G any] struct {
	vars   int
	opened sat.Group // last group number given out; numbers are never reused
	live   map[sat.Group]G
	last   sat.Status // answer still standing: Sat = SATISFIED, Unsat = FAILED, Unknown = ADDING
}

// NewVar numbers a fresh variable and returns its positive literal.
func (g *Guard[G]) NewVar() sat.Lit {
	g.last = sat.Unknown
	g.vars++
	return sat.MkLit(g.vars, false)
}

// Vars returns the number of variables made so far.
func (g *Guard[G]) Vars() int { return g.vars }

// Add admits a clause.
func (g *Guard[G]) Add(clause []sat.Lit) {
	g.last = sat.Unknown
	g.known("Add", clause)
}

// Open numbers a new group and keeps data for it.
func (g *Guard[G]) Open(data G) sat.Group {
	g.last = sat.Unknown
	if g.live == nil {
		g.live = map[sat.Group]G{}
	}
	g.opened++
	g.live[g.opened] = data
	return g.opened
}

// AddTo admits a clause for group id and returns the group's data.
func (g *Guard[G]) AddTo(id sat.Group, clause []sat.Lit) G {
	g.last = sat.Unknown
	data := g.group("AddTo", id)
	g.known("AddTo", clause)
	return data
}

// Release ends group id and returns its data.
func (g *Guard[G]) Release(id sat.Group) G {
	g.last = sat.Unknown
	data := g.group("Release", id)
	delete(g.live, id)
	return data
}

// Live calls f for every group not released, in order of opening.
func (g *Guard[G]) Live(f func(G)) {
	for _, id := range slices.Sorted(maps.Keys(g.live)) {
		f(g.live[id])
	}
}

// NumLive returns the number of groups not released.
func (g *Guard[G]) NumLive() int { return len(g.live) }

// Solve admits a call of Solve.
func (g *Guard[G]) Solve(assumptions []sat.Lit) {
	g.last = sat.Unknown
	g.known("Solve", assumptions)
}

// Solved notes the answer of Solve, which stands until the next other call.
func (g *Guard[G]) Solved(answer sat.Status) { g.last = answer }

// Value admits a call of Value.
func (g *Guard[G]) Value(l sat.Lit) {
	if g.last != sat.Sat {
		panic("sat: Value: legal only after Solve returned Sat and before any other call")
	}
	g.knownLit("Value", l)
}

// Core admits a call of Core.
func (g *Guard[G]) Core() {
	if g.last != sat.Unsat {
		panic("sat: Core: legal only after Solve returned Unsat and before any other call")
	}
}

func (g *Guard[G]) known(call string, lits []sat.Lit) {
	for _, l := range lits {
		g.knownLit(call, l)
	}
}

func (g *Guard[G]) knownLit(call string, l sat.Lit) {
	if l.Var() == 0 {
		panic(fmt.Sprintf("sat: %s: the zero Lit is no literal", call))
	}
	if l.Var() > g.vars {
		panic(fmt.Sprintf("sat: %s: literal %s of a variable that NewVar did not return (%d so far)", call, l, g.vars))
	}
}

func (g *Guard[G]) group(call string, id sat.Group) G {
	data, ok := g.live[id]
	if !ok {
		if id == 0 || id > g.opened {
			panic(fmt.Sprintf("sat: %s: %d is no group of this solver", call, id))
		}
		panic(fmt.Sprintf("sat: %s: group %d was released", call, id))
	}
	return data
}
