package states_test

import (
	"slices"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/certify/states"
	"orbitmc/internal/explicit"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// doors: one may enter while a door is open, and leave at any time.
const doors = `type P: scalarset(2);
var open: boolean; in: array[P] of boolean;
startstate begin open := false; for p: P do in[p] := false; end; end;
rule "turn" true ==> begin open := !open; end;
ruleset p: P do
  rule "enter" open & !in[p] ==> begin in[p] := true; end;
  rule "leave" in[p] ==> begin in[p] := false; end;
end;
`

// changed is evidence that is changed.
type changed struct {
	evidence.Components
	guess     func(i int64, perm model.ScalarPerm, ok bool) (int64, model.ScalarPerm, bool)
	component func(i int64, level, number int, waiting []uint32, ok bool) (int, []uint32, bool)
	condition func(x evidence.Condition) evidence.Condition
	sibling   func(i int64) int64
	stubborn  func(i int64, set []int32) []int32
	rank      func(i, rank int64) int64
}

func (c *changed) Stubborn(i int64, s model.State, can []model.Choice) []int32 {
	set := c.Components.Stubborn(i, s, can)
	if c.stubborn != nil {
		return c.stubborn(i, set)
	}
	return set
}

func (c *changed) Rank(i int64) int64 {
	rank := c.Components.Rank(i)
	if c.rank != nil {
		return c.rank(i, rank)
	}
	return rank
}

func (c *changed) Sibling(i int64) int64 {
	if c.sibling != nil {
		return c.sibling(i)
	}
	return c.Components.Sibling(i)
}

func (c *changed) Guess(s []byte) (int64, model.ScalarPerm, bool) {
	i, perm, ok := c.Components.Guess(s)
	if c.guess != nil {
		return c.guess(i, perm, ok)
	}
	return i, perm, ok
}

func (c *changed) Component(i int64, level int) (int, []uint32, bool) {
	number, waiting, ok := c.Components.Component(i, level)
	if c.component != nil {
		return c.component(i, level, number, waiting, ok)
	}
	return number, waiting, ok
}

func (c *changed) Condition(k uint32) evidence.Condition {
	x := c.Components.Condition(k)
	if c.condition != nil {
		return c.condition(x)
	}
	return x
}

// TestComponents: the evidence on a formula is accepted, and is not where something in it is wrong.
func TestComponents(t *testing.T) {
	for _, c := range []struct {
		formula, fair string
		deep          bool // there is a second level
	}{
		{"f: forall p: P: G (in[p] -> F !in[p])", "weak:leave", false},
		{"f: forall p: P: F in[p]", "strong:enter", true},
		{"f: forall p: P: G F in[p]", "strong:*", true},
	} {
		m, err := murphi.Parse("x.m", []byte(doors), murphi.Options{Formulas: []string{c.formula}, Fair: []string{c.fair}})
		if err != nil {
			t.Fatal(err)
		}
		f := &mc.Formulas{Model: m, Program: model.Compile(m), Erring: true}
		p := &mc.Problem{OfModel: mc.OfModel{Formulas: f, Typed: true, Blocks: [][][]int{{{0, 1}}}}, Props: []int{0, 1}}
		for _, values := range model.InstancesOf(m.Formulas[0].Params) {
			f.Of = append(f.Of, model.FormulaInstance{Formula: m.Formulas[0], Values: values})
		}
		r, err := (&explicit.Formulas{}).Run(t.Context(), p, mc.Options{All: true})
		if err != nil || r.Props[0].Status != mc.Safe {
			t.Fatal(c.formula, err, r.Props[0].Status)
		}
		list := r.Components[0]
		check := func(x evidence.Components) error {
			_, err := states.Components(t.Context(), p, x, []int{0, 1})
			return err
		}
		if err := check(list); err != nil {
			t.Fatal(c.formula, err)
		}
		last := list.Len() - 1
		for name, of := range map[string]func(i int64) int64{
			"none": func(int64) int64 { return -1 }, "itself": func(i int64) int64 { return i }, "no member": func(int64) int64 { return last + 1 },
			"another state of the model": func(i int64) int64 { return (i + 1) % list.Len() },
		} {
			if err := check(&changed{Components: list, sibling: of}); err != nil {
				t.Errorf("%s, siblings are %s: %v", c.formula, name, err)
			}
		}
		swap := model.ScalarPerm{{1, 0}}
		for name, x := range map[string]*changed{
			"a member is missing": {guess: func(i int64, perm model.ScalarPerm, ok bool) (int64, model.ScalarPerm, bool) {
				return i, perm, ok && i != last
			}},
			"no permutation":      {guess: func(i int64, perm model.ScalarPerm, ok bool) (int64, model.ScalarPerm, bool) { return i, nil, ok }},
			"another permutation": {guess: func(i int64, perm model.ScalarPerm, ok bool) (int64, model.ScalarPerm, bool) { return i, swap, ok }},
			"no permutation at all": {guess: func(i int64, _ model.ScalarPerm, ok bool) (int64, model.ScalarPerm, bool) {
				return i, model.ScalarPerm{{0, 0}}, ok
			}},
			"another member": {guess: func(i int64, perm model.ScalarPerm, ok bool) (int64, model.ScalarPerm, bool) {
				return last - i, perm, ok
			}},
			"numbers grow": {component: func(_ int64, level, number int, waiting []uint32, ok bool) (int, []uint32, bool) {
				return -number, waiting, ok
			}},
			"one component": {component: func(_ int64, _, _ int, waiting []uint32, ok bool) (int, []uint32, bool) { return 0, waiting, ok }},
			"nothing waits": {component: func(_ int64, _, number int, _ []uint32, ok bool) (int, []uint32, bool) { return number, nil, ok }},
			"no component": {component: func(i int64, _, number int, waiting []uint32, ok bool) (int, []uint32, bool) {
				return number, waiting, ok && i > 0
			}},
			"another set waits": {condition: func(x evidence.Condition) evidence.Condition {
				return evidence.Condition{Kind: evidence.Fires, Index: (x.Index + 1) % len(m.Fair.Rules)}
			}},
			"no fairness": {condition: func(evidence.Condition) evidence.Condition {
				return evidence.Condition{Kind: evidence.Holds, Index: m.Formulas[0].Atoms[0].Index, Values: []int64{0}}
			}},
			"no such condition": {condition: func(evidence.Condition) evidence.Condition {
				return evidence.Condition{Kind: evidence.Accepts, Index: 99}
			}},
			"the second level is missing": {component: func(_ int64, level, number int, waiting []uint32, ok bool) (int, []uint32, bool) {
				return number, waiting, ok && level == 0
			}},
		} {
			if x.Components = list; name == "the second level is missing" && !c.deep {
				continue
			}
			if err := check(x); err == nil {
				t.Errorf("%s: accepted, though %s", c.formula, name)
			}
		}
		// The symmetry is derived again: the start states of the product need not be closed under it, the rules must.
		broken := *p
		asymmetric := *m
		asymmetric.Rules = slices.Clone(m.Rules)
		rule := *m.Rules[1]
		rule.Guard = &model.Binary{Op: model.Eq, X: &model.Ref{Var: rule.Params[0].Var}, Y: &model.ConstExpr{T: rule.Params[0].Var.Type}}
		asymmetric.Rules[1] = &rule
		own := *f
		own.Model, own.Program = &asymmetric, model.Compile(&asymmetric)
		broken.Formulas = &own
		if _, err := states.Components(t.Context(), &broken, list, []int{0}); err == nil {
			t.Errorf("%s: a rule that names a component is taken for symmetric", c.formula)
		}
	}
}

// TestComponentsOrders: evidence with stubborn sets is accepted, and is not where something in it is wrong.
func TestComponentsOrders(t *testing.T) {
	const rooms = `type P: scalarset(2);
var in: array[P] of 0..2; x: 0..2;
startstate begin for p: P do in[p] := 0; end; x := 0; end;
rule "turn" true ==> begin x := (x + 1) % 3; end;
ruleset p: P do rule "go" in[p] < 2 ==> begin in[p] := in[p] + 1; end; end;
`
	problem := func(formula string, fair ...string) *mc.Problem {
		m, err := murphi.Parse("x.m", []byte(rooms), murphi.Options{Formulas: []string{formula}, Fair: fair})
		if err != nil {
			t.Fatal(err)
		}
		f := &mc.Formulas{Model: m, Program: model.Compile(m), Erring: true}
		p := &mc.Problem{OfModel: mc.OfModel{Formulas: f, Typed: true, Blocks: [][][]int{{{0, 1}}}}}
		for i, values := range model.InstancesOf(m.Formulas[0].Params) {
			f.Of, p.Props = append(f.Of, model.FormulaInstance{Formula: m.Formulas[0], Values: values}), append(p.Props, i)
		}
		return p
	}
	p := problem("f: forall p: P: G (in[p] = 2 -> G in[p] = 2)")
	search := func(ample bool) evidence.Components {
		r, err := (&explicit.Formulas{Ample: ample}).Run(t.Context(), p, mc.Options{All: true})
		if err != nil || r.Props[0].Status != mc.Safe {
			t.Fatal(err, r.Props[0].Status)
		}
		return r.Components[0]
	}
	list, all := search(true), search(false)
	check := func(p *mc.Problem, x evidence.Components) error {
		_, err := states.Components(t.Context(), p, x, p.Props)
		return err
	}
	if err := check(p, list); err != nil || list.Len() >= all.Len() {
		t.Fatal(list.Len(), all.Len(), err)
	}
	for name, x := range map[string]*changed{
		"all are fired":        {stubborn: func(int64, []int32) []int32 { return nil }},
		"none is fired":        {stubborn: func(_ int64, set []int32) []int32 { return set[:0] }},
		"one rank":             {rank: func(int64, int64) int64 { return 0 }},
		"ranks rise":           {rank: func(_, rank int64) int64 { return -rank }},
		"the formula sees it":  {stubborn: func(_ int64, set []int32) []int32 { return []int32{1, 2} }},
		"there is no instance": {stubborn: func(_ int64, set []int32) []int32 { return append(slices.Clip(set), 3) }},
	} {
		if x.Components = list; check(p, x) == nil {
			t.Errorf("accepted, though %s", name)
		}
	}
	// Of all states, one is said to leave a rule out: where that closes a cycle, a run stays in it.
	turn := func(int64, []int32) []int32 { return []int32{0} }
	if err := check(p, &changed{Components: all, stubborn: turn, rank: func(i, _ int64) int64 { return i }}); err == nil {
		t.Error("a cycle leaves out what others do all the time")
	}
	for name, q := range map[string]*mc.Problem{
		"fairness": problem("f: forall p: P: G (in[p] = 2 -> G in[p] = 2)", "weak:go"),
		"X":        problem("f: forall p: P: G (in[p] = 2 -> X in[p] = 2)"),
	} {
		if check(q, list) == nil {
			t.Errorf("stubborn sets with %s", name)
		}
		if _, err := (&explicit.Formulas{Ample: true}).Run(t.Context(), q, mc.Options{}); err == nil {
			t.Errorf("partial orders with %s", name)
		}
	}
}

// TestComponentsStart: a start state does not stand for another one, of which fairness says something else.
func TestComponentsStart(t *testing.T) {
	m, err := murphi.Parse("start.m", []byte(`
type P: scalarset(2);
var g: P; x: boolean;
ruleset p: P do startstate begin g := p; x := false; end; end;
ruleset p: P do rule "a" g = p & !x ==> begin x := true; end; end;
rule "stay" true ==> begin end;
`), murphi.Options{Formulas: []string{"f: F x"}, Fair: []string{"weak:a"}})
	if err != nil {
		t.Fatal(err)
	}
	f := &mc.Formulas{Model: m, Program: model.Compile(m), Erring: true, Of: []model.FormulaInstance{{Formula: m.Formulas[0]}}}
	p := &mc.Problem{OfModel: mc.OfModel{Formulas: f, Typed: true, Blocks: [][][]int{{{0, 1}}}}, Props: []int{0}}
	r, err := (&explicit.Formulas{}).Run(t.Context(), p, mc.Options{All: true})
	if err != nil || r.Props[0].Status != mc.Safe {
		t.Fatal(err, r.Props)
	}
	list := r.Components[0]
	if _, err := states.Components(t.Context(), p, list, []int{0}); err != nil {
		t.Fatal(err)
	}
	rules := m.Fair.Rules
	for k := range rules { // the other component may wait for ever
		m.Fair.Rules = rules[k : k+1]
		x := &changed{Components: list, condition: func(x evidence.Condition) evidence.Condition {
			if x.Kind == evidence.Fires {
				x.Index = 0
			}
			return x
		}}
		if _, err := states.Components(t.Context(), p, x, []int{0}); err == nil {
			t.Errorf("accepted with fairness of component %d", k)
		}
	}
}
