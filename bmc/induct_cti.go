package bmc

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file finds counterexamples to induction that people can read. Of all paths
// that show that a property is not inductive, it picks one whose first state
// differs least from a start state. The number of differing groups of latches,
// one group for each variable of a model, is counted in unary (Sinz, Towards an
// optimal CNF encoding of Boolean cardinality constraints, CP 2005). The bound is
// lowered until no path is left.

// CTI is a counterexample to the induction of a property: a path of well-formed
// states that keeps the constraints, shows nothing bad of the properties that may
// be assumed but in the last state, and there a bad of the property. No state is
// repeated, modulo symmetry. Perhaps the states are unreachable.
type CTI struct {
	Prop    int
	States  [][]bool // by frame, and latch
	Inputs  [][]bool // by frame, and input
	Changed []int    // groups in which the first state differs from the given one, ascending
	Least   bool     // none differs in fewer groups; false if ctx ended before that was known
}

// CTI returns a counterexample to the induction of prop with k steps, when with,
// which includes prop, is assumed in all frames but the last, and facts and lemmas in all. In the
// first frame the inputs choose a rule, if it is not AnyRule. The latches of each group count once if they differ from start, a state. It returns
// nil if prop follows, and an error if ctx ended before it was known.
func (ind *Inductor) CTI(ctx context.Context, p *mc.Problem, prop, k, rule int, with, facts []int, lemmas []ts.Clause, start []bool, groups [][]int) (*CTI, error) {
	x := newInduction(p, ind.NewSolver())
	x.proved, x.lemmas = facts, lemmas
	x.extend(k)
	g := x.frames.Graph()
	chosen := aig.True
	if rule != AnyRule {
		chosen = x.frames.Copy(0, p.Enc.StartedLit())
		code := p.Enc.Choosing(false, rule)
		for i, in := range p.Enc.Sys.Inputs {
			if v, ok := code[in.Node]; ok {
				chosen = g.And(chosen, x.frames.Inputs(0)[i].NotIf(!v))
			}
		}
	}
	changed := make([]aig.Lit, len(groups))
	for i, latches := range groups {
		differ := lists.Map(latches, func(l int) aig.Lit { return x.frames.Latches(0)[l].NotIf(start[l]) })
		changed[i] = g.OrN(differ)
	}
	var best *CTI
	var atLeast []aig.Lit // by number: so many groups are changed
	for {
		bad := g.And(x.bad(prop, k), chosen)
		if best != nil {
			bad = g.And(bad, atLeast[len(best.Changed)].Not())
		}
		status, cti := x.path(ctx, k, with, bad, changed)
		switch {
		case status == sat.Unknown && best == nil:
			return nil, fmt.Errorf("counterexample to induction: %w", ctx.Err())
		case status == sat.Unknown:
			return best, nil
		case status == sat.Unsat:
			if best != nil {
				best.Least = true
			}
			return best, nil
		}
		best = cti
		best.Prop = prop
		if atLeast == nil {
			atLeast = counter(g, changed, len(best.Changed))
		}
	}
}

// AnyRule is a rule of CTI that stands for all.
const AnyRule = -1

// Near returns a start state, and the latches by variable, for CTI; from says which state it is.
func Near(p *mc.Problem) (start []bool, from string, groups [][]int, err error) {
	if sys := p.System(); p.Enc == nil {
		for i := range sys.Latches {
			groups = append(groups, []int{i})
		}
		return ts.NewEvaluator(sys).Reset(make([]bool, len(sys.Init))), "the reset state", groups, nil
	}
	for i := range p.Model.Leaves() {
		groups = append(groups, p.Enc.LeafLatches(i))
	}
	p.Program.NewMachine().Starts(func(ch model.Choice, x model.State, v *model.Violation) bool {
		if v == nil {
			start, from = p.Enc.EncodeState(x), p.Model.FormatStart(ch)
		}
		return v != nil
	})
	if start == nil {
		err = errors.New("there is no start state without an error")
	}
	return start, from, groups, err
}

// counter returns, for each number up to most, that at least so many of ls hold.
func counter(g *aig.Graph, ls []aig.Lit, most int) []aig.Lit {
	at := make([]aig.Lit, most+1)
	at[0] = aig.True
	for _, l := range ls {
		for n := most; n > 0; n-- {
			at[n] = g.Or(at[n], g.And(at[n-1], l))
		}
	}
	return at
}

// path looks for a path of k steps that ends where bad holds.
func (in *induction) path(ctx context.Context, k int, with []int, bad aig.Lit, changed []aig.Lit) (sat.Status, *CTI) {
	for {
		assume := []sat.Lit{in.cnf.Implied(bad)}
		for _, q := range with {
			for j := range k {
				assume = append(assume, in.cnf.Implied(in.bad(q, j).Not()))
			}
		}
		status := in.solver.Solve(ctx, assume...)
		if status != sat.Sat {
			return status, nil
		}
		cti := &CTI{}
		for j := range k + 1 {
			cti.States = append(cti.States, in.cnf.Values(in.frames.Latches(j)))
			cti.Inputs = append(cti.Inputs, in.cnf.Values(in.frames.Inputs(j)))
		}
		for i, v := range in.cnf.Values(changed) {
			if v {
				cti.Changed = append(cti.Changed, i)
			}
		}
		if !in.repeated(cti.States) {
			return status, cti
		}
	}
}

// Check simulates the counterexample. It returns an error if it is not one.
func (c *CTI) Check(p *mc.Problem, with []int) error {
	sys, e := p.System(), ts.NewEvaluator(p.System())
	holds := func(prop int) bool {
		return slices.ContainsFunc(p.Bads(prop), func(b int) bool { return e.Value(sys.Bads[b].Lit) })
	}
	for j, s := range c.States {
		e.Set(s, c.Inputs[j])
		last := j == len(c.States)-1
		switch {
		case !e.Value(sys.W) || !e.Constraints():
			return fmt.Errorf("state %d is not well-formed or breaks a constraint", j)
		case !last && slices.ContainsFunc(with, holds):
			return fmt.Errorf("a property is violated in state %d", j)
		case last && !holds(c.Prop):
			return fmt.Errorf("the property is not violated in the last state")
		case !last && !slices.Equal(e.Next(), c.States[j+1]):
			return fmt.Errorf("state %d does not follow", j+1)
		}
	}
	return nil
}
