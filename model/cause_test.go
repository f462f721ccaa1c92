package model_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	. "orbitmc/model"
	"orbitmc/model/reference"
)

// text spells a cause.
func text(c *reference.Cause) string {
	var bound, reads []string
	for _, b := range c.Instance {
		bound = append(bound, b.String())
	}
	for _, r := range c.Reads {
		reads = append(reads, r.Name+" = "+r.Value)
	}
	return strings.Join(bound, ", ") + ": " + strings.Join(reads, " & ")
}

// TestCause checks on random models that the leaves in a cause decide: an invariant that is
// violated in a state holds in no state that agrees with it on them, and on the contents of
// multisets, whose presence leaves a cause does not list.
func TestCause(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	causes, others, reads := 0, 0, 0
	for range 3000 {
		m := randomModel(r)
		prop := slices.IndexFunc(m.Props, func(p *Property) bool { return p.Kind == Invariant })
		p := Compile(m)
		x := p.NewMachine()
		leaves := m.AllLeaves()
		for range 6 {
			s := randomState(r, m)
			if v := x.Violated(s, prop); v == nil || v.Prop != prop {
				continue
			}
			c := reference.Why(m, &Trace{StartState: s, Prop: prop})
			if c == nil {
				continue
			}
			causes++
			reads += len(c.Reads)
			for range 10 {
				u := randomState(r, m)
				for i, l := range leaves {
					if l.Slot >= 0 || l.Type == PresentType {
						u[i] = s[i]
					}
				}
				for _, read := range c.Reads {
					u[read.Leaf] = s[read.Leaf]
				}
				others++
				if x.Violated(u, prop) == nil {
					t.Fatalf("%s\n%s: it holds in another state that agrees on these leaves", Text(m.Props[prop].Expr), text(c))
				}
			}
		}
	}
	if causes < 500 || reads < 1000 {
		t.Errorf("%d causes with %d leaves", causes, reads)
	}
	t.Logf("%d causes, %d leaves, %d other states", causes, reads, others)
}

// TestCauseSteps checks what a cause says of a trace.
func TestCauseSteps(t *testing.T) {
	p, b := rangeType(0, 2), BoolType
	m := newModel(stateVar("a", arrayType(p, b)), stateVar("n", p))
	i, j := boundVar("i", p), boundVar("j", p)
	a := func(v *Var) Expr { return at(ref(m.Vars[0]), ref(v)) }
	// forall i: i = n | !(exists j: j != i & a[i] & a[j])
	e := bin(bin(ref(i), Eq, ref(m.Vars[1])), Or, (&Not{X: &Quant{Var: j, Domain: Domain{Type: p},
		Body: bin(bin(ref(j), Ne, ref(i)), And, bin(a(i), And, a(j)))}}))
	addProp(m, &Property{Name: "one", Kind: Invariant, Params: []*Param{param(i)}, Expr: e})
	prop := len(m.Props) - 1
	trace := &Trace{Prop: prop, StartState: State{1, 0, 0, 0}, Steps: []TraceStep{
		{State: State{1, 0, 0, 1}}, {State: State{1, 1, 0, 1}}, {State: State{1, 1, 1, 1}},
	}}
	c := reference.Why(m, trace)
	if c == nil {
		t.Fatal("there is no cause")
	}
	if got, want := text(c), "i=0, j=1: n = 1 & a[0] = true & a[1] = true"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var steps []int
	for _, r := range c.Reads {
		steps = append(steps, r.Step)
	}
	if !slices.Equal(steps, []int{1, 0, 2}) {
		t.Errorf("the leaves got their values in steps %v", steps)
	}
}

// TestWhyNot checks on random models that the conjunct is false, those before it are true, and that the leaves decide: it
// is false in all states that agree with this one on them.
func TestWhyNot(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	found, others, enabled := 0, 0, 0
	for range 600 {
		m := randomModel(r)
		x, w, leaves := Compile(m).NewMachine(), reference.NewWalker(m), m.AllLeaves()
		s := randomState(r, m)
		for _, rule := range m.Rules {
			for values := range Instances(rule.Params) {
				ch := Choice{rule.Index, values}
				e, reads := reference.WhyNot(m, s, ch)
				if _, can, v := x.Fire(s, ch); can || v != nil {
					if enabled++; e != nil {
						t.Fatalf("it can fire, in spite of %s", Text(e))
					}
				}
				if e == nil {
					continue
				}
				found++
				for _, c := range Conjuncts(rule.Guard) {
					if holds := w.Test(s, rule, values, c); holds == (c == e) {
						t.Fatalf("%s: %v", Text(c), holds)
					}
					if c == e {
						break
					}
				}
				for range 5 {
					u := randomState(r, m)
					for i, l := range leaves {
						if l.Slot >= 0 || l.Type == PresentType || slices.Contains(reads, i) {
							u[i] = s[i]
						}
					}
					if others++; w.Test(u, rule, values, e) {
						t.Fatalf("%s holds in a state that agrees on %v", Text(e), reads)
					}
				}
			}
		}
	}
	if found < 1000 || enabled < 100 {
		t.Errorf("%d conjuncts, %d other states, %d instances that can fire", found, others, enabled)
	}
}
