package portfolio

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"orbitmc/bmc"
	"orbitmc/encode"
	"orbitmc/internal/every/param"
	"orbitmc/internal/lists"
	"orbitmc/internal/task"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/model/reference"
)

// This file explains why invariants are not inductive at every size, for people and for programs that propose
// lemmas. Conditions that have a model say which rule breaks which property, and at what size. A condition knows no
// more of pointers than that they are relations, so its model need not be a state. Therefore the state is looked for
// on the encoding of that size, near a start state as in package bmc, and the interpreter replays it.

// Bounds of what is shown.
const (
	mostCTIs  = 16 // pairs of a rule and a property
	ctiLarger = 3  // sizes that are tried beyond that of the model of a condition
)

// Induction is what is shown of induction at every size.
type Induction struct {
	Offers    []*Offer          `json:"offered,omitempty"`
	CTIs      []*Counterexample `json:"ctis,omitempty"`
	MoreCTIs  int               `json:"more_ctis,omitempty"`    // pairs of a rule and a property that are left out
	Prepared  float64           `json:"conditions_s,omitempty"` // seconds until conditions were refuted or not
	Explained float64           `json:"ctis_s,omitempty"`       // seconds for CTIs
	Needs     []Need            `json:"needs,omitempty"`        // of a proof that WriteHTML wrote
}

// Counterexample is a counterexample to induction at every size: a state in which all invariants hold, and a rule
// that errs there, or after which one of them is false.
type Counterexample struct {
	Property   string            `json:"property"`
	Kind       string            `json:"kind"`
	Lemma      string            `json:"lemma,omitempty"`      // where it stands, if the property is one that was offered
	Rule       string            `json:"rule,omitempty"`       // none: deadlock
	At         string            `json:"at,omitempty"`         // where the rule stands
	Start      bool              `json:"start,omitempty"`      // the rule is a start state
	Parameters map[string]string `json:"parameters,omitempty"` // of the rule
	Size       map[string]int    `json:"size"`                 // by constant that is left open; without a state the largest tried
	Before     map[string]string `json:"before,omitempty"`     // by variable; none before a start state
	After      map[string]string `json:"after,omitempty"`      // none behind an error
	// Needed are variables before, or of a start state after, on which the violation depends, or that differ from each
	// start state.
	Needed   []string `json:"needed,omitempty"`
	Changed  []string `json:"changed,omitempty"`  // variables that the step changes
	Violated string   `json:"violated,omitempty"` // how: an error, or that it is false; none without a state

	Step          string `json:"-"` // the rule with its parameters, as traces write it
	Title         string `json:"-"` // the size, as NAME=VALUE
	choice        model.Choice
	before, after model.State
}

// explain finds the counterexamples for the conditions that are open. A pair of a rule and a property has one.
func (e *Every) explain(ctx context.Context, c *param.Conditions, o *param.Outcome, src []byte, first int) error {
	began := time.Now()
	defer func() { e.Explained = time.Since(began).Seconds() }()
	seen := make(map[string]bool)
	problems := make(map[string]*mc.Problem) // by size; nil: there is no such model
	for _, k := range o.Open {
		prop := c.Property(k.Condition)
		x := &Counterexample{Property: prop.Name, Kind: prop.Kind.String(), Start: k.Alone}
		if l := e.offerAt(prop.Pos, first); l != nil {
			x.Property, x.Lemma = l.Name, l.At
		}
		if k.Step != nil {
			x.Rule, x.Step, x.At = k.Step.Name, fmt.Sprintf("rule %q", k.Step.Name), fmt.Sprintf("%s:%v", e.File, k.Step.Pos)
		}
		pair := fmt.Sprint(x.At, prop.Pos, prop.Index) // assumptions have numbers of their own
		if seen[pair] {
			continue
		}
		if seen[pair] = true; len(e.CTIs) == mostCTIs {
			e.MoreCTIs++
			continue
		}
		e.phase("looking for counterexamples to induction, %d of at most %d", len(e.CTIs)+1, min(len(o.Open), mostCTIs))
		e.CTIs = append(e.CTIs, x)
		if k.Conjunct >= 0 && c.Conjuncts[k.Conjunct].Assumed { // there is no such start state to show
			e.larger(c, k.Size, 0, x)
			continue
		}
		for more := 0; more <= ctiLarger && x.Violated == ""; more++ {
			e.larger(c, k.Size, more, x)
			p, ok := problems[x.Title]
			if !ok {
				if m, err := e.sized(src, strings.Fields(x.Title)); err == nil {
					p = &mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m)}, WellFormed: true}
					p.Enc, p.EncErr = encode.Model(ctx, m)
				}
				problems[x.Title] = p
			}
			s := &bmc.Inductor{NewSolver: (&task.Task{Options: e.Task}).NewSolver}
			if err := x.find(ctx, p, k.Condition, prop.Index, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// larger notes a size with more components than some.
func (e *Every) larger(c *param.Conditions, size []int, more int, x *Counterexample) {
	x.Size = make(map[string]int)
	var set []string
	for _, constant := range e.Free {
		n := e.leastOf(constant)
		for i, s := range c.Sorts {
			if s.Constant == constant {
				n = max(n, size[i])
			}
		}
		x.Size[constant] = n + more
		set = append(set, fmt.Sprintf("%s=%d", constant, n+more))
	}
	x.Title = strings.Join(set, " ")
}

// find looks for the counterexample at the size of p, which may be nil, and replays it.
func (c *Counterexample) find(ctx context.Context, p *mc.Problem, cond *param.Condition, prop int, s *bmc.Inductor) error {
	if p == nil || p.Enc == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	m, property := p.Model, p.Model.Props[prop]
	rules := m.Rules
	if c.Start {
		rules = m.Starts
	}
	instances, number := [][]int64{nil}, bmc.AnyRule
	var rule *model.Rule
	if cond.Step != nil {
		number = slices.IndexFunc(rules, func(r *model.Rule) bool { return r.Pos == cond.Step.Pos })
		rule, c.choice.Rule = rules[number], number
		instances = model.InstancesOf(rule.Params)
	}
	var near []int // leaves that differ from a start state
	k, with, facts := 0, []int(nil), []int(nil)
	for _, q := range m.Props {
		if q.Kind == model.Invariant {
			facts = append(facts, q.Index)
		}
	}
	if property.Kind == model.Invariant {
		k, with, facts = 1, facts, nil
	}
	if !c.Start {
		start, _, groups, err := bmc.Near(p)
		if err != nil {
			return nil // each start state errs, and that is a condition of its own
		}
		cti, err := s.CTI(ctx, p, prop, k, number, with, facts, nil, start, groups)
		if cti == nil || err != nil {
			return err
		}
		if c.before, err = p.Enc.DecodeState(cti.States[0]); err != nil {
			return fmt.Errorf("internal error: counterexample to induction: %w", err)
		}
		if ch, ok := p.Enc.DecodeStep(cti.States[0], cti.Inputs[0]); ok && ch.Rule == number {
			instances = slices.Insert(instances, 0, ch.Params)
		}
		near = cti.Changed
	}
	r := &replay{p.Program.NewMachine(), reference.NewWalker(m), property, rule}
	for _, q := range slices.Concat(with, facts) {
		if !c.Start && r.mach.Violated(c.before, q) != nil {
			return fmt.Errorf("internal error: counterexample to induction: %q is false before the step", m.Props[q].Name)
		}
	}
	for _, c.choice.Params = range instances {
		if needed, v := r.step(c); v != nil {
			c.show(m, rule, append(needed, near...), v)
			return nil
		}
	}
	if k == 1 && !c.Start {
		return fmt.Errorf("internal error: counterexample to induction: %q holds after the step", property.Name)
	}
	return nil // the guard of another rule errs
}

// replay runs steps in the interpreter.
type replay struct {
	mach *model.Machine
	w    *reference.Walker // tells what a step depends on
	prop *model.Property
	rule *model.Rule // nil: deadlock
}

// step runs one, and returns how it violates the property, and which leaves that depends on; nil if it does not.
func (r *replay) step(x *Counterexample) (needed []int, v *model.Violation) {
	var did reference.Walked
	enabled := true
	switch {
	case r.rule == nil && r.mach.Deadlocked(x.before):
		for l := range x.before {
			needed = append(needed, l)
		}
		return needed, &model.Violation{Prop: r.prop.Index, Message: "no rule leads to another state"}
	case r.rule == nil:
		return nil, nil
	case x.Start:
		did = r.w.Start(r.rule, x.choice.Params)
		x.after, v = r.mach.Start(x.choice)
		enabled = x.after != nil // an assumption may disable it
	default:
		did = r.w.Fire(x.before, r.rule, x.choice.Params)
		x.after, enabled, v = r.mach.Fire(x.before, x.choice)
	}
	needed, writes := slices.Clone(did.Reads), slices.Clone(did.Writes)
	if x.after = slices.Clone(x.after); v != nil || !enabled {
		x.after = nil
	} else if r.prop.Kind == model.Invariant {
		v = r.mach.Violated(x.after, r.prop.Index)
		says := r.w.Says(x.after, r.prop)
		for _, l := range says.Reads {
			if x.Start || !slices.Contains(writes, l) {
				needed = append(needed, l)
			}
		}
		if v != nil && says.Prop < 0 {
			v.Pos, v.Message = model.Pos{}, "false after the step"
		}
	}
	return needed, v.Of(r.prop.Index)
}

// show writes the counterexample in words of the model.
func (c *Counterexample) show(m *model.Model, rule *model.Rule, needed []int, v *model.Violation) {
	if c.Violated = v.Error(); c.Lemma != "" || v.Pos == (model.Pos{}) { // a lemma is elsewhere in its file
		c.Violated = v.Message
	}
	if rule != nil {
		c.Rule, c.Parameters = cmp.Or(rule.Name, c.Rule), make(map[string]string)
		for i, v := range c.choice.Params {
			c.Parameters[rule.Params[i].Var.Name] = rule.Params[i].Var.Type.Format(v)
		}
		if c.Start {
			c.Step = m.FormatStart(c.choice)
		} else {
			c.Step = m.FormatChoice(c.choice)
		}
	}
	leaves := m.AllLeaves()
	values := func(s model.State) map[string]string {
		all := make(map[string]string)
		for i := range s {
			all[leaves[i].Name] = leaves[i].Type.Format(s[i])
		}
		return all
	}
	c.Before, c.After = values(c.before), values(c.after)
	slices.Sort(needed)
	c.Needed = append(c.Needed, lists.Map(slices.Compact(needed), func(l int) string { return leaves[l].Name })...)
	for l := range c.before {
		if c.after != nil && c.before[l] != c.after[l] {
			c.Changed = append(c.Changed, leaves[l].Name)
		}
	}
}
