// Package fair makes systems with justice of models with formulas: a run of the system that meets all
// conditions of a justice property infinitely often is a fair run of the model that violates an
// instance of a formula. So the engines for netlists with justice decide formulas.
//
// A monitor guesses a run of the automaton of the negated instance (package ltl). An input is
// the state that the automaton is in now, latches are the one it was in, and a latch falls for ever
// where the guess is no run. The conditions of the justice property are those of the automaton,
// each together with that latch. Monitors have no constraints, so one system has all
// instances of all formulas, and an instance may be the image of another one.
//
// The steps of a run are rules that fire. Where no rule can fire, the state stutters. A
// constraint excludes everything else. A run that errs goes on for ever in a state of which nothing is known: the
// automaton goes on by labels that ask for nothing, and all that fairness asks for is met.
//
// Weak fairness of a set of rule instances is one condition: none can fire, or one fires. Strong
// fairness has a latch that gives up: once it is set, a constraint says that no instance can
// fire. The condition is that it is set or an instance fires.
//
//	system.go  the system
//	replay.go  lassos as runs of the interpreter
package fair

import (
	"fmt"
	"math/bits"
	"slices"

	"orbitmc/aig"
	"orbitmc/encode"
	"orbitmc/internal/ltl"
	"orbitmc/model"
	"orbitmc/ts"
)

// System is the system of a model with formulas.
type System struct {
	Enc     *encode.Encoding
	Model   *model.Model // with the formulas
	Sys     *ts.System   // latches and inputs begin with those of Enc.Sys; bads as New says
	Justice []ts.Justice // by instance
	Fair    []aig.Lit
	Of      []model.FormulaInstance
}

// New returns the system of a model with formulas, whose encoding is by encode.Stepping: of m or of a
// copy with other types. Its bads are those of the properties gaps, errors that say that the model is
// not complete; their Prop is 0. If erring is not set, runs that err have no say, as in pan.
func New(enc *encode.Encoding, m *model.Model, gaps []int, erring bool) (*System, error) {
	s := &System{Enc: enc, Model: m}
	b := &builder{System: s, erred: aig.False}
	// All functions of the encoding are made before it is copied.
	stuck := aig.False
	if dead := m.DeadlockProp(); dead != nil {
		for _, i := range enc.PropBads[dead.Index] {
			stuck = enc.Sys.G.Or(stuck, enc.Sys.Bads[i].Lit)
		}
	}
	fails := aig.False
	if erring {
		fails = enc.Fails()
	}
	step := enc.Sys.G.And(enc.Sys.G.Or(enc.Fires(), stuck), enc.StartedLit())
	var rules [][2]aig.Lit // can fire, and fires
	for _, r := range m.Fair.Rules {
		if r.ByElement {
			return nil, fmt.Errorf("fairness of %s, which chooses an element of a multiset, takes explicit search", r.Name)
		}
		var can, does []aig.Lit
		for _, ch := range r.Instances {
			l, err := enc.Enabled(ch)
			if err != nil {
				return nil, err
			}
			can, does = append(can, l), append(does, enc.Fired(ch))
		}
		for _, ch := range r.Also {
			does = append(does, enc.Fired(ch))
		}
		rules = append(rules, [2]aig.Lit{enc.Sys.G.OrN(can), enc.Sys.G.OrN(does)})
	}
	s.Sys, b.move = enc.Sys.Copy()
	b.g = s.Sys.G
	if fails = b.move.Copy(fails); fails != aig.False {
		b.erred = b.latch("erred", func(x aig.Lit) aig.Lit { return b.g.Or(x, fails) })
	}
	gap := aig.False
	for _, prop := range gaps {
		for _, i := range enc.PropBads[prop] {
			bad := enc.Sys.Bads[i]
			bad.Lit, bad.Prop, bad.Name = b.g.And(b.move.Copy(bad.Lit), b.erred.Not()), 0, m.Props[gaps[0]].Name
			gap = b.g.Or(gap, bad.Lit)
			s.Sys.Bads = append(s.Sys.Bads, bad)
		}
	}
	now := b.g.OrN([]aig.Lit{b.move.Copy(step), fails, b.erred})
	if gap != aig.False { // a run that shows a gap ends there
		over := b.latch("over", func(x aig.Lit) aig.Lit { return b.g.Or(x, gap) })
		now = b.g.And(b.g.Or(now, gap), over.Not())
	}
	s.Sys.Constraints = append(s.Sys.Constraints, now)
	for i, r := range rules {
		b.fairness(m.Fair.Rules[i], b.move.Copy(r[0]), b.move.Copy(r[1]))
	}
	for _, p := range m.Fair.Often {
		for _, inst := range enc.Instances[p.Index] {
			s.Fair = append(s.Fair, b.g.OrN([]aig.Lit{b.move.Copy(inst.Holds), b.move.Copy(inst.Errs), b.erred}))
		}
	}
	b.begun = b.latch("begun", func(aig.Lit) aig.Lit { return aig.True })
	for _, f := range m.Formulas {
		a, err := f.Negated()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		for i, values := range model.InstancesOf(f.Params) {
			s.Of = append(s.Of, model.FormulaInstance{Formula: f, Values: values})
			b.monitor(a, s.Of[len(s.Of)-1], i)
		}
	}
	return s, nil
}

type builder struct {
	*System
	g     *aig.Graph
	move  *aig.Copier
	begun aig.Lit // this is not the first frame
	erred aig.Lit // the run erred before
}

func (b *builder) input(name string) aig.Lit {
	x := b.g.Input()
	b.Sys.Inputs = append(b.Sys.Inputs, ts.Signal{Name: name, Node: x.Node()})
	return x
}

func (b *builder) latch(name string, next func(aig.Lit) aig.Lit) aig.Lit {
	x := b.g.Input()
	b.Sys.Latches = append(b.Sys.Latches, ts.Latch{Name: name, Node: x.Node(), Next: next(x)})
	return x
}

// fairness adds what one set of rule instances asks for.
func (b *builder) fairness(r model.FairRules, can, does aig.Lit) {
	if !r.Strong {
		b.Fair = append(b.Fair, b.g.OrN([]aig.Lit{can.Not(), does, b.erred}))
		return
	}
	give := b.input("give up " + r.Name)
	given := give
	b.latch("given up "+r.Name, func(x aig.Lit) aig.Lit {
		given = b.g.Or(x, give)
		return given
	})
	b.Sys.Constraints = append(b.Sys.Constraints, b.g.Or(b.g.And(given, can).Not(), b.erred))
	b.Fair = append(b.Fair, b.g.OrN([]aig.Lit{given, does, b.erred}))
}

// monitor adds the automaton of what an instance must not do; number counts instances of the
// formula.
func (b *builder) monitor(a *ltl.Automaton, of model.FormulaInstance, number int) {
	g, title := b.g, of.Title(of.Values)
	n := bits.Len(uint(max(len(a.States), 1) - 1))
	var now, was []aig.Lit
	for i := range n {
		x := b.input(fmt.Sprintf("%s.state.%d", title, i))
		now = append(now, x)
		was = append(was, b.latch(fmt.Sprintf("%s.last.%d", title, i), func(aig.Lit) aig.Lit { return x }))
	}
	is := func(code []aig.Lit, q int) aig.Lit {
		var all []aig.Lit
		for i, l := range code {
			all = append(all, l.NotIf(q>>i&1 == 0))
		}
		return g.AndN(all)
	}
	into := make([][]aig.Lit, len(a.States)) // by state: the states before it
	for q, s := range a.States {
		for _, next := range s.Next {
			into[next] = append(into[next], is(was, q))
		}
	}
	accepts := make([][]aig.Lit, a.Conditions)
	var moves []aig.Lit
	for q, s := range a.States {
		label := []aig.Lit{is(now, q)}
		if len(s.Yes)+len(s.No) > 0 {
			label = append(label, b.erred.Not())
		}
		for _, i := range s.Yes { // an atom that errs counts against the formula
			atom := b.Enc.Instances[of.Atoms[i].Index][number]
			label = append(label, g.Or(b.move.Copy(atom.Holds), b.move.Copy(atom.Errs)))
		}
		for _, i := range s.No {
			label = append(label, b.move.Copy(b.Enc.Instances[of.Atoms[i].Index][number].Holds).Not())
		}
		moves = append(moves, g.And(g.AndN(label), g.Mux(b.begun, g.OrN(into[q]), aig.False.NotIf(s.Initial))))
		for c, yes := range s.Accepts {
			if yes {
				accepts[c] = append(accepts[c], is(now, q))
			}
		}
	}
	run := g.OrN(moves)
	b.latch(title+".lost", func(lost aig.Lit) aig.Lit {
		next := g.And(lost.Not(), run).Not()
		run = next.Not()
		return next
	})
	j := ts.Justice{Name: title}
	for _, any := range accepts {
		j.Lits = append(j.Lits, g.And(run, g.OrN(any)))
	}
	if len(j.Lits) == 0 {
		j.Lits = []aig.Lit{run}
	}
	slices.Sort(j.Lits)
	j.Lits = slices.Compact(j.Lits)
	b.Justice = append(b.Justice, j)
}
