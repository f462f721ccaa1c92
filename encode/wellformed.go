package encode

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/encode/cnf"
	"orbitmc/internal/lists"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file proves that W holds in every reachable state, by induction.
//
// W is proved conjunct by conjunct. One query for all conjuncts would be about
// every leaf of the state together; a query for one conjunct is about one leaf.
//
// Even so, the cone of one next function is most of a large system. A rule writes
// only where its guard holds and nothing in its body errs, and this condition is
// large. What is written is well-formed whatever the condition is, except where
// an error keeps a number in its range. So the condition is cut off first: a next
// function s ? v : x of latch x becomes c ? v : x, with a free input c for s
// (localisation: Kurshan, Computer-aided verification of coordinating processes,
// 1994). The cut system has more successors, so what is proved of it holds of the
// system. A conjunct that the cut system does not prove has a query about the system
// itself.
//
// The cones of the cut system are small, but a solver that knows many other
// functions makes each query slower. So a solver is replaced once it is large
// compared with the conjunct.

// undecided returns why a solver gave no answer.
func undecided(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return errors.New("internal error: the solver gave up without being told to")
}

// ProveWellFormed proves that W holds in every reachable state: in every reset
// state, and in every successor of a state in which it and the constraints
// hold. Whoever assumes W calls it once per system. It asks about the system itself
// only what the cut system leaves open. The solvers it is given must be new. The graph of the
// system stays as it is, for an engine may read it meanwhile.
func ProveWellFormed(ctx context.Context, system *ts.System, newSolver func() sat.Solver) error {
	sys := *system
	sys.G = sys.G.Clone()
	parts := conjuncts(&sys)
	proved, err := newCutSystem(&sys, parts, newSolver).prove(ctx)
	if err != nil {
		return err
	}
	return proveConjuncts(ctx, &sys, parts, proved, newSolver())
}

// proveConjuncts proves that the parts of W hold after reset and that those not
// yet proved by index are kept by steps.
func proveConjuncts(ctx context.Context, sys *ts.System, parts []aig.Lit, proved map[int]bool, solver sat.Solver) error {
	reset := make(map[int]aig.Lit)
	next := make(map[int]aig.Lit)
	for _, l := range sys.Latches {
		reset[l.Node], next[l.Node] = l.Reset, l.Next
	}
	p := cnf.NewProver(sys.G, solver)
	for _, l := range sys.G.Compose(parts, reset) {
		switch p.Solve(ctx, l.Not()) {
		case sat.Sat:
			return fmt.Errorf("internal error: a reset state is not well-formed")
		case sat.Unknown:
			return undecided(ctx)
		}
	}
	p.Assert(sys.W)
	for _, c := range sys.Constraints {
		p.Assert(c)
	}
	var open []aig.Lit
	for i, l := range parts {
		if !proved[i] {
			open = append(open, l)
		}
	}
	for _, l := range sys.G.Compose(open, next) {
		switch p.Solve(ctx, l.Not()) {
		case sat.Sat:
			return fmt.Errorf("internal error: a well-formed state has a successor that is not")
		case sat.Unknown:
			return undecided(ctx)
		}
	}
	return nil
}

// conjuncts returns predicates whose conjunction is W. If W chooses between two
// predicates by a latch, as it does where a start state may err, the conjuncts
// of both are taken apart.
func conjuncts(sys *ts.System) []aig.Lit {
	var parts []aig.Lit
	for _, l := range sys.G.Conjuncts(sys.W, nil, nil) {
		s, t, e, ok := sys.G.MatchMux(l.Node())
		if !ok || sys.G.IsAnd(s.Node()) {
			parts = append(parts, l)
			continue
		}
		for _, branch := range []struct{ cond, then aig.Lit }{{s, t}, {s.Not(), e}} {
			for _, x := range sys.G.Conjuncts(branch.then.NotIf(l.Neg()), nil, nil) {
				parts = append(parts, sys.G.Implies(branch.cond, x))
			}
		}
	}
	return parts
}

const (
	cutNames = 5000 // nodes that a solver may know of beside the goal at hand
	cutGroup = 64   // conjuncts in one query
	cutWide  = 1000 // a latch that more conjuncts read, as the one that tells a started run, brings none of them along
)

// cutSystem is a system whose latches are written under free conditions.
type cutSystem struct {
	parts     []aig.Lit // of W; literals of the system
	g         *aig.Graph
	now, next []aig.Lit     // the parts in a state and in its successor
	of        map[int][]int // by node of a latch: parts that read it
	support   [][]int       // by part: nodes of latches
	newSolver func() sat.Solver

	cnf     *cnf.Encoder
	solver  sat.Solver
	known   int    // of cnf.named: W was asserted for them
	assumed []bool // by part: asserted
}

func newCutSystem(sys *ts.System, parts []aig.Lit, newSolver func() sat.Solver) *cutSystem {
	c := &cutSystem{parts: parts, g: aig.New(), of: make(map[int][]int), newSolver: newSolver}
	same, step := aig.NewCopier(c.g, sys.G), aig.NewCopier(c.g, sys.G)
	for _, l := range sys.Latches {
		same.Set(l.Node, c.g.Input())
	}
	for _, in := range sys.Inputs {
		same.Set(in.Node, c.g.Input())
	}
	cut := make(map[int]bool)
	for _, l := range sys.Latches {
		s, t, e, ok := sys.G.MatchMux(l.Next.Node())
		if ok && sys.G.IsAnd(s.Node()) && (t.Node() == l.Node || e.Node() == l.Node) && !cut[s.Node()] {
			cut[s.Node()] = true
			same.Set(s.Node(), c.g.Input())
		}
	}
	for _, l := range sys.Latches {
		step.Set(l.Node, same.Copy(l.Next))
	}
	for _, l := range parts {
		c.now, c.next = append(c.now, same.Copy(l)), append(c.next, step.Copy(l))
	}
	often := make(map[int]int)
	for _, l := range c.now {
		ns := readBy(c.g, l)
		c.support = append(c.support, ns)
		for _, n := range ns {
			often[n]++
		}
	}
	for i, ns := range c.support {
		for _, n := range ns {
			if often[n] <= cutWide {
				c.of[n] = append(c.of[n], i)
			}
		}
	}
	return c
}

// readBy returns the leaves that a small function reads.
func readBy(g *aig.Graph, l aig.Lit) []int {
	seen := map[int]bool{l.Node(): true}
	var leaves []int
	for todo := []int{l.Node()}; len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if g.IsInput(n) {
			leaves = append(leaves, n)
		}
		if !g.IsAnd(n) {
			continue
		}
		a, b := g.Fanins(n)
		for _, m := range [2]int{a.Node(), b.Node()} {
			if !seen[m] {
				seen[m] = true
				todo = append(todo, m)
			}
		}
	}
	return leaves
}

// prove returns the parts, by index, that it proved to hold in all successors of
// well-formed states.
func (c *cutSystem) prove(ctx context.Context) (proved map[int]bool, err error) {
	proved = make(map[int]bool)
	for first := 0; first < len(c.parts); {
		var open []int
		last := c.group(first)
		for ; first < last; first++ {
			if c.next[first] == c.now[first] { // nothing writes it
				proved[first] = true
			} else {
				open = append(open, first)
			}
		}
		// All of them by one query, or each by its own.
		queries := [][]int{open}
		for k := 0; k < len(queries); k++ {
			q := queries[k]
			fails := lists.Map(q, func(i int) aig.Lit { return c.next[i].Not() })
			switch c.ask(ctx, c.g.OrN(fails)) {
			case sat.Unsat:
				for _, i := range q {
					proved[i] = true
				}
			case sat.Sat:
				for j := range q {
					if len(q) > 1 {
						queries = append(queries, q[j:j+1])
					}
				}
			case sat.Unknown:
				return nil, undecided(ctx)
			}
		}
	}
	return proved, nil
}

// group returns the end of the run of parts from first on that belong together:
// each of them reads a latch that one before it does.
func (c *cutSystem) group(first int) int {
	reads := make(map[int]bool)
	last := first
	for ; last < len(c.parts) && last < first+cutGroup; last++ {
		if last > first && !slices.ContainsFunc(c.support[last], func(n int) bool { return reads[n] }) {
			break
		}
		for _, n := range c.support[last] {
			reads[n] = true
		}
	}
	return last
}

// ask searches for a well-formed state and a step in which goal holds.
func (c *cutSystem) ask(ctx context.Context, goal aig.Lit) sat.Status {
	if goal == aig.False {
		return sat.Unsat
	}
	if c.cnf == nil || len(c.cnf.Named()) > cutNames && len(c.cnf.Named()) > cutNames+2*len(c.g.Cone([]aig.Lit{goal})) {
		c.solver = c.newSolver()
		if c.cnf == nil {
			c.cnf = cnf.New(c.g, c.solver)
		}
		c.cnf.Restart(c.solver)
		c.known, c.assumed = 0, make([]bool, len(c.parts))
	}
	name := c.cnf.Implied(goal)
	for ; c.known < len(c.cnf.Named()); c.known++ {
		for _, i := range c.of[c.cnf.Named()[c.known]] {
			if !c.assumed[i] {
				c.assumed[i] = true
				c.cnf.Assert(c.now[i])
			}
		}
	}
	return c.solver.Solve(ctx, name)
}
