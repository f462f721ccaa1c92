package mc

import (
	"context"
	"fmt"

	"orbitmc/aig"
	"orbitmc/ts"
)

// This file checks the evidence of symbolic engines on liveness properties, AG EF
// p, one instance of the parameters at a time.
//
// Safe: a sequence of sets S_1, S_2, … of states, each with inputs under which every
// state of it that is in no earlier set steps into an earlier set, where the first of
// all, S_0, is the states in which p holds. By induction each state in one of them
// reaches p. That every reachable state is in one of them is a property of another
// system (Problem.Missing), proved as any other.
//
// Unsafe: a trace that ends in a set which no step leaves and in which p holds
// nowhere.
//
// A step that errs, and one that fails an assumption, stutter in the encoding of a
// model. So does an unfit choice, and a stutter leads into no earlier set: a state
// that has only such steps is in S_0 or in no set. States outside W do not matter,
// as W is inductive, and neither do those of a run that never started, where a
// choice of initial inputs was unfit: they belong to S_0.

// Reaching is evidence on a liveness property in circuits.
type Reaching struct {
	// Safe: by instance, the sets that follow the states in which it holds; and a
	// proof for the only property of Missing.
	Steps [][]Toward
	Proof *Proof

	// Unsafe: an instance, and a set of states that holds the end of the trace.
	Inst int
	Trap *Circuit
}

// Toward is a set of states and inputs that lead from them into an earlier set.
type Toward struct {
	From   *Circuit
	Inputs []bool // by input of the system
}

// Reaching returns a system with the states and steps of p, in which the only
// property is violated where an instance of a liveness property holds, or where no
// run started.
func (p *Problem) Reaching(prop, inst int) *Problem {
	return p.derived(prop, func(state *aig.Copier, g *aig.Graph, _ []aig.Lit) aig.Lit {
		return p.goal(state, g, prop, inst)
	})
}

// Missing returns a system with the states and steps of p, in which the only
// property is violated where, for some instance of a liveness property, a state is
// in none of the sets: neither those that follow nor the first.
func (p *Problem) Missing(prop int, steps [][]Toward) *Problem {
	return p.derived(prop, func(state *aig.Copier, g *aig.Graph, latches []aig.Lit) aig.Lit {
		var missing []aig.Lit
		for inst, sets := range steps {
			in := []aig.Lit{p.goal(state, g, prop, inst)}
			for _, s := range sets {
				k := aig.NewCopier(g, s.From.G)
				for i, l := range s.From.Latches {
					k.Set(l.Node(), latches[i])
				}
				in = append(in, k.Copy(s.From.Out))
			}
			missing = append(missing, g.OrN(in).Not())
		}
		return g.OrN(missing)
	})
}

// goal returns that an instance of a liveness property holds or no run started, in
// the graph g that state copies to.
func (p *Problem) goal(state *aig.Copier, g *aig.Graph, prop, inst int) aig.Lit {
	return g.Or(state.Copy(p.Enc.Instances[prop][inst].Holds), state.Copy(p.Enc.StartedLit()).Not())
}

// derived returns the system of p with another property, in a graph of its own.
// State copies functions of the system to g, where latches has the latches. A
// step that the constraints exclude is none: the system stutters.
func (p *Problem) derived(prop int, bad func(state *aig.Copier, g *aig.Graph, latches []aig.Lit) aig.Lit) *Problem {
	sys := p.System()
	g := aig.New()
	k := aig.NewCopier(g, sys.G)
	leaf := func(node int) aig.Lit {
		l := g.Input()
		k.Set(node, l)
		return l
	}
	d := &ts.System{G: g}
	var latches []aig.Lit
	for _, l := range sys.Latches {
		latches = append(latches, leaf(l.Node))
	}
	for _, s := range sys.Inputs {
		d.Inputs = append(d.Inputs, ts.Signal{Name: s.Name, Node: leaf(s.Node).Node()})
	}
	for _, s := range sys.Init {
		d.Init = append(d.Init, ts.Signal{Name: s.Name, Node: leaf(s.Node).Node()})
	}
	var allowed []aig.Lit
	for _, c := range sys.Constraints {
		allowed = append(allowed, k.Copy(c))
	}
	step := g.AndN(allowed)
	for i, l := range sys.Latches {
		next := g.Mux(step, k.Copy(l.Next), latches[i])
		d.Latches = append(d.Latches, ts.Latch{Name: l.Name, Node: latches[i].Node(), Reset: k.Copy(l.Reset), Next: next})
	}
	d.W = k.Copy(sys.W)
	d.Bads = []ts.Bad{{Name: p.Name(prop), Lit: bad(k, g, latches)}}
	return &Problem{Netlist: d, WellFormed: p.WellFormed, Full: p.Full, Props: []int{0}}
}

// checkReaching checks the evidence on a liveness property and returns how it was
// done, the error of ctx if that ended first, or why the evidence is rejected.
func checkReaching(ctx context.Context, p *Problem, pr *PropResult) (string, error) {
	f := pr.Reaching
	if p.Enc == nil {
		return "", fmt.Errorf("the model has no encoding")
	}
	if pr.Status == Unsafe {
		return f.checkTrap(ctx, p, pr)
	}
	if n := len(p.Enc.Instances[pr.Prop]); len(f.Steps) != n || f.Proof == nil {
		return "", fmt.Errorf("sets for %d of %d instances", len(f.Steps), n)
	}
	queries, sets := 0, 0
	for inst, steps := range f.Steps {
		c := newCertifier(ctx, p.Reaching(pr.Prop, inst))
		for i := range steps {
			if err := c.toward(steps, i); err != nil {
				return "", err
			}
		}
		queries += c.queries
		sets += len(steps)
	}
	c := newCertifier(ctx, p.Missing(pr.Prop, f.Steps))
	how, err := c.check(f.Proof, 0) // and W
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d sets of states with a step from each into one before, checked by gophersat in %d queries; every reachable state is in one: %s", sets, queries, how), nil
}

// toward checks that the inputs of set i lead from each state of it that is in no
// earlier set into one, and so that p can be reached from there.
func (c *certifier) toward(steps []Toward, i int) error {
	if err := steps[i].From.check(c.sys); err != nil {
		return err
	}
	if len(steps[i].Inputs) != len(c.sys.Inputs) {
		return fmt.Errorf("a step has %d of %d inputs", len(steps[i].Inputs), len(c.sys.Inputs))
	}
	goal := c.sys.Bads[0].Lit
	ok, err := c.refute(true, 1, func(p *path) {
		p.add(p.circuit(&assumption{circuit: steps[i].From, lit: steps[i].From.Out}, 0))
		for k, on := range steps[i].Inputs {
			l := p.variable(p.inputs[0], k)
			if !on {
				l = l.Not()
			}
			p.add(l)
		}
		for k := range 2 { // neither before the step nor after it
			p.violate(&assumption{lit: goal}, k)
			for _, s := range steps[:i] {
				p.violate(&assumption{circuit: s.From, lit: s.From.Out}, k)
			}
		}
	}, newFacts(c.during(1, 1, nil)))
	if err == nil && !ok {
		err = fmt.Errorf("set %d of states has one without a step into an earlier set", i+1)
	}
	return err
}

// checkTrap checks that the trace ends in a set that no step leaves and in which an
// instance holds nowhere.
func (f *Reaching) checkTrap(ctx context.Context, p *Problem, pr *PropResult) (string, error) {
	if f.Inst < 0 || f.Inst >= len(p.Enc.Instances[pr.Prop]) || f.Trap == nil {
		return "", fmt.Errorf("no set of states for instance %d", f.Inst)
	}
	c := newCertifier(ctx, p.Reaching(pr.Prop, f.Inst))
	if err := f.Trap.check(c.sys); err != nil {
		return "", err
	}
	end := pr.Trace.StartState
	if n := len(pr.Trace.Steps); n > 0 {
		end = pr.Trace.Steps[n-1].State
	}
	if end == nil {
		return "", fmt.Errorf("the trace ends in an error")
	}
	inside, as := assumption{circuit: f.Trap, lit: f.Trap.Out}, c.during(1, 1, nil)
	last := &run{states: [][]bool{p.Enc.EncodeState(end)}, inputs: [][]bool{make([]bool, len(c.sys.Inputs))}}
	if c.broken(last, append(as[:len(as):len(as)], inside)) != nil {
		return "", fmt.Errorf("the trace does not end in the set")
	}
	if !c.proved {
		if err := c.inductive("W", c.w, nil, nil); err != nil {
			return "", err
		}
	}
	ok, err := c.refute(true, 1, func(p *path) {
		p.add(p.circuit(&inside, 0))
		p.add(p.frames[0].lit(c.sys.Bads[0].Lit))
	}, newFacts(as))
	if err == nil && !ok {
		err = fmt.Errorf("it holds in the set")
	}
	if err != nil {
		return "", err
	}
	ok, err = c.refute(true, 1, func(p *path) {
		p.add(p.circuit(&inside, 0))
		p.violate(&inside, 1)
	}, newFacts(as))
	if err == nil && !ok {
		err = fmt.Errorf("a step leaves the set")
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("its end is in a set that no step leaves and in which it holds nowhere, checked by gophersat in %d queries", c.queries), nil
}
