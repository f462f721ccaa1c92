package certify

import (
	"context"
	"fmt"
	"strings"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// This file checks the evidence of symbolic engines on liveness properties, AG EF p, one
// instance of the parameters at a time.
//
// Safe: the evidence is a sequence of sets of states S_1, S_2, …. S_0 is the set of the goal
// states, in which p holds. Each S_n has inputs. From each state of S_n that is in no
// earlier set, these inputs lead into an earlier set. By induction p can be reached from
// every state of every set. It remains that every reachable state is in one of the sets.
// This is the property of another system (Problem.Missing), proved like any other. If the
// evidence has an inductive invariant, states outside the invariant are don't cares.
//
// Unsafe: the evidence is a trace that ends in a set which no step leaves and in which p
// holds nowhere.
//
// In the encoding of a model, an erring step stutters, and so do a step that fails an
// assumption and an invalid choice. A stutter leads into no earlier set, so a state that has
// only such steps is in S_0 or in no set. States outside W are don't cares, as W is
// inductive. If the initial inputs are an invalid choice, no run starts; the states of such
// a run belong to S_0.
//
// # Under symmetry
//
// A set may be the image of an earlier set under symmetries of the system that keep the goal
// states of the instance. These symmetries also keep the set of states from which the goal
// can be reached, so the image of a checked set need not be checked. An instance p_j may be
// the image of another instance p_i: a symmetry π maps the goal states of p_i to those of
// p_j. Then π maps the states that reach p_i to those that reach p_j, and reachable states
// to reachable states. So p_j holds if p_i holds. Each permutation is checked to be a
// symmetry of the system, and a query checks that it maps goal states to goal states.

// product returns the product of permutations that are given by their numbers.
func product(f *evidence.Reaching, sys *ts.System, by []int) (*ts.Perm, error) {
	perm := ts.Identity(sys)
	for _, i := range by {
		if i < 0 || i >= len(f.Perms) {
			return nil, fmt.Errorf("permutation %d of %d", i, len(f.Perms))
		}
		perm = perm.Then(f.Perms[i])
	}
	return perm, nil
}

// checkReaching checks the evidence on a liveness property and returns how it was
// done, the error of ctx if that ended first, or why the evidence is rejected.
func checkReaching(ctx context.Context, p *mc.Problem, pr *mc.PropResult, s *variant) (string, error) {
	f := pr.Reaching
	if p.Enc == nil {
		return "", fmt.Errorf("the model has no encoding")
	}
	if p.Enc.Errs(pr.Prop) {
		return "", fmt.Errorf("its evaluation may err")
	}
	if pr.Status == mc.Unsafe {
		return checkTrap(ctx, p, pr, s)
	}
	if n := len(p.Enc.Instances[pr.Prop]); len(f.Insts) != n {
		return "", fmt.Errorf("sets for %d of %d instances", len(f.Insts), n)
	}
	nowhere := p.Derived(pr.Prop, func(*aig.Copier, *aig.Graph, []aig.Lit) aig.Lit { return aig.False })
	whole := newChecker(ctx, nowhere, s)
	for _, g := range f.Perms {
		if err := g.Check(whole.sys); err != nil {
			return "", err
		}
		if err := whole.sym.system(g); err != nil {
			return "", whole.reason("the permutation %s is no symmetry: %w", g.Name, err)
		}
	}
	if f.Known != nil {
		if f.Known.K != 1 || f.Known.Props != nil || f.Known.Circuit != nil || f.Known.Distinct != nil {
			return "", fmt.Errorf("what is known is not given by clauses")
		}
		if _, err := whole.Check(f.Known, 0); err != nil {
			return "", err
		}
	}
	asked, sets, all, shown := whole.queries, 0, 0, 0
	how := ""
	for inst, x := range f.Insts {
		if x.Of != inst {
			if x.Of < 0 || x.Of >= len(f.Insts) || f.Insts[x.Of].Of != x.Of {
				return "", fmt.Errorf("instance %d is the image of none", inst)
			}
			perm, err := product(f, whole.sys, x.By)
			if err == nil {
				err = whole.moves(p, pr.Prop, x.Of, inst, perm)
			}
			if err != nil {
				return "", err
			}
			continue
		}
		circuits, reps, err := expand(f, whole, p, pr.Prop, inst)
		if err != nil {
			return "", err
		}
		missing := p.Missing(pr.Prop, inst, circuits, f.Known)
		c := whole.For(p.Reaching(pr.Prop, inst))
		latches := lists.Make(len(c.sys.Latches), c.sys.LatchLit)
		c.sys.W = c.sys.G.And(c.sys.W, f.Known.Place(c.sys.G, latches))
		c.w = c.conjuncts([]aig.Lit{c.sys.W})
		for i := range reps {
			if reps[i] {
				if err := c.toward(circuits, x.Steps[i].Inputs, i); err != nil {
					return "", err
				}
				sets++
			}
		}
		if x.Proof == nil {
			return "", fmt.Errorf("no proof that every state is in the sets of instance %d", inst)
		}
		d := whole.For(missing)
		d.proved = d.proved || f.Known != nil // W by the check of what is known, and that itself
		if how, err = d.Check(x.Proof, 0); err != nil {
			return "", err
		}
		asked += c.queries + d.queries
		all += len(reps)
		shown++
	}
	of := ""
	if all > sets {
		of = fmt.Sprintf(", one of each orbit of %d,", all)
	}
	if shown < len(f.Insts) {
		of = strings.TrimSuffix(of, ",") + fmt.Sprintf(", for %d of %d instances, of which the others are images,", shown, len(f.Insts))
	}
	return fmt.Sprintf("%d sets of states%s with a step from each into one before, checked by %s in %s; every reachable state is in one: %s", sets, of, whole.variant.by(), queries(asked), how), nil
}

// expand returns the sets of an instance, and which are no images.
func expand(f *evidence.Reaching, c *Checker, p *mc.Problem, prop, inst int) (sets []*evidence.Circuit, reps []bool, err error) {
	kept := make(map[int]bool)
	for i, s := range f.Insts[inst].Steps {
		if s.From != nil {
			if err := s.From.Check(c.sys); err != nil {
				return nil, nil, err
			}
			sets, reps = append(sets, s.From), append(reps, true)
			continue
		}
		if s.Of < 0 || s.Of >= i || !reps[s.Of] {
			return nil, nil, fmt.Errorf("set %d is an image of set %d", i+1, s.Of+1)
		}
		perm, err := product(f, c.sys, s.By)
		if err != nil {
			return nil, nil, err
		}
		for _, g := range s.By {
			if !kept[g] {
				if err := c.moves(p, prop, inst, inst, f.Perms[g]); err != nil {
					return nil, nil, err
				}
				kept[g] = true
			}
		}
		sets, reps = append(sets, sets[s.Of].Image(perm)), append(reps, false)
	}
	return sets, reps, nil
}

// moves checks that a permutation maps the states in which one instance holds to
// those in which another does.
func (c *Checker) moves(p *mc.Problem, prop, from, to int, perm *ts.Perm) error {
	d := c.For(p.Derived(prop, func(state *aig.Copier, g *aig.Graph, latches []aig.Lit) aig.Lit {
		image := aig.NewCopier(g, p.System().G)
		for i, l := range ts.ApplyLits(perm.Latch, latches) {
			image.Set(p.System().Latches[i].Node, l)
		}
		return g.Xor(p.Goal(state, g, prop, from), p.Goal(image, g, prop, to))
	}))
	defer func() { c.queries += d.queries }()
	return d.refuted(func(q *path) { q.require(q.frames[0].lit(d.sys.Bads[0].Lit)) }, d.during(1, 0, nil),
		"the permutation %s does not map instance %d to instance %d", perm.Name, from, to)
}

// toward checks that the inputs of set i lead from each state of it that is in no
// earlier set into one, and so that p can be reached from there.
func (c *Checker) toward(sets []*evidence.Circuit, inputs []bool, i int) error {
	if len(inputs) != len(c.sys.Inputs) {
		return fmt.Errorf("a step has %d of %d inputs", len(inputs), len(c.sys.Inputs))
	}
	goal := c.sys.Bads[0].Lit
	return c.refuted(func(p *path) {
		p.require(p.circuit(&assumption{circuit: sets[i], lit: sets[i].Out}, 0))
		for k, on := range inputs {
			l := p.variable(p.inputs[0], k)
			if !on {
				l = l.Not()
			}
			p.require(l)
		}
		for k := range 2 { // neither before the step nor after it
			p.violate(&assumption{lit: goal}, k)
			for _, s := range sets[:i] {
				p.violate(&assumption{circuit: s, lit: s.Out}, k)
			}
		}
	}, c.during(1, 1, nil), "set %d of states has one without a step into an earlier set", i+1)
}

// checkTrap checks that the trace ends in a set that no step leaves and in which an
// instance holds nowhere.
func checkTrap(ctx context.Context, p *mc.Problem, pr *mc.PropResult, s *variant) (string, error) {
	f := pr.Reaching
	if f.Inst < 0 || f.Inst >= len(p.Enc.Instances[pr.Prop]) || f.Trap == nil {
		return "", fmt.Errorf("no set of states for instance %d", f.Inst)
	}
	c := newChecker(ctx, p.Reaching(pr.Prop, f.Inst), s)
	if err := f.Trap.Check(c.sys); err != nil {
		return "", err
	}
	end := pr.Trace.End()
	if end == nil {
		return "", fmt.Errorf("the trace ends in an error")
	}
	inside, as := assumption{circuit: f.Trap, lit: f.Trap.Out}, c.during(1, 1, nil)
	last := &run{states: [][]bool{p.Enc.EncodeState(end)}, inputs: [][]bool{make([]bool, len(c.sys.Inputs))}}
	if c.broken(last, append(as[:len(as):len(as)], inside)) != nil {
		return "", fmt.Errorf("the trace does not end in the set")
	}
	if !c.proved {
		if err := c.inductive("W", c.w, &invariant{}); err != nil {
			return "", err
		}
	}
	err := c.refuted(func(p *path) {
		p.require(p.circuit(&inside, 0))
		p.require(p.frames[0].lit(c.sys.Bads[0].Lit))
	}, as, "it holds in the set")
	if err != nil {
		return "", err
	}
	err = c.refuted(func(p *path) {
		p.require(p.circuit(&inside, 0))
		p.violate(&inside, 1)
	}, as, "a step leaves the set")
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("its end is in a set that no step leaves and in which it holds nowhere, checked by %s in %s", c.variant.by(), queries(c.queries)), nil
}
