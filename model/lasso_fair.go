package model

import (
	"fmt"
	"slices"
	"strings"
)

// This file says why a lasso is fair, and which rule instances fairness would have made fire in it. All of it is
// evaluated in the states of its loop.

// Chance is what a set of rule instances does in the loop of a lasso. State n is the one after n steps.
type Chance struct {
	Name   string // of the set; of what counts for each element on its own, with the element
	Strong bool
	Cond   bool   // it is an instance of Fairness.Often, and Can are the states in which that is met
	Fires  int    // the number of the first step that fires one; 0: none does
	Can    []int  // states in which one can fire, ascending
	By     Choice // one that can fire in the first of them, or does
}

// Misses returns the first state of the loop that is not in Can, -1 if there is none.
func (u *Chance) Misses(r *Lasso) int {
	for i := r.Loop; i < len(r.States); i++ {
		if !slices.Contains(u.Can, i) {
			return i
		}
	}
	return -1
}

// uses returns what a set of rule instances does in the loop of a run: all that can fire or fires in it. If each
// element counts on its own, those that fire with the same one are one use.
func (p *Program) uses(m *Machine, rules FairRules, r *Lasso) (all []*Chance) {
	at := make(map[string]*Chance)
	use := func(state State, ch Choice) *Chance {
		key := ""
		if rules.ByElement {
			key = fmt.Sprint(p.Named(state, ch))
		}
		if at[key] == nil {
			at[key] = &Chance{Name: rules.Name, Strong: rules.Strong, By: ch}
			if rules.ByElement {
				at[key].Name = p.nameOf(state, ch)
			}
			all = append(all, at[key])
		}
		return at[key]
	}
	for i := r.Loop; i < len(r.States); i++ {
		for _, ch := range rules.Instances {
			if _, on, v := m.Fire(r.States[i], ch); on && v == nil {
				if u := use(r.States[i], ch); len(u.Can) == 0 || u.Can[len(u.Can)-1] != i {
					u.Can = append(u.Can, i)
				}
			}
		}
		if r.Stuck {
			continue
		}
		if fired := r.Trace.Steps[i].Choice; slices.ContainsFunc(rules.Instances, fired.Equal) || slices.ContainsFunc(rules.Also, fired.Equal) {
			if u := use(r.States[i], fired); u.Fires == 0 {
				u.Fires = i + 1
			}
		}
	}
	return all
}

// nameOf returns the source spelling of a rule instance with the elements that it chooses in a state in the place of their
// slots; without a state they are any.
func (p *Program) nameOf(s State, ch Choice) string {
	var params []string
	for i, q := range p.Model.Rules[ch.Rule].Params {
		value := q.Var.Type.Format(ch.Params[i])
		if q.Var.Type.Slots && s == nil {
			value = "any"
		} else if q.Var.Type.Slots {
			base, stride, ok := p.chosen(s, ch, i)
			for _, v := range p.Model.Vars {
				if t := v.Type.chosenBy(q.Var.Type); t != nil && ok {
					value = FormatElement(t, s[base+int(ch.Params[i])*stride+1:])
				}
			}
		}
		params = append(params, q.Var.Name+"="+value)
	}
	return fmt.Sprintf("rule %q (%s)", plainName("rule", p.Model.Rules[ch.Rule]), strings.Join(params, ", "))
}

// Account returns what the fairness of the model asks for in the loop of a run, and what can fire in it and never does:
// first what can in every state of the loop. Who returns the sets to which a rule instance belongs, the one that takes
// it first; without it each instance is one.
func (p *Program) Account(r *Lasso, who func(Choice) []string) (kept, idle []*Chance) {
	if r.Erred {
		return nil, nil
	}
	m := p.NewMachine()
	for _, q := range p.Model.Fair.Often {
		for _, values := range InstancesOf(q.Params) {
			u := &Chance{Name: (&Formula{Name: q.Name, Params: q.Params}).Title(values), Cond: true}
			for i := r.Loop; i < len(r.States); i++ {
				if ok, v := m.Holds(r.States[i], q.Index, values); ok || v != nil {
					u.Can = append(u.Can, i)
				}
			}
			kept = append(kept, u)
		}
	}
	for _, rules := range p.Model.Fair.Rules {
		all := p.uses(m, rules, r)
		if all == nil {
			all = []*Chance{{Name: rules.Name, Strong: rules.Strong}}
			if rules.ByElement {
				all[0].Name = p.nameOf(nil, rules.Instances[0])
			}
		}
		kept = append(kept, all...)
	}
	var sets []FairRules
	at := make(map[string]int)
	for i := r.Loop; i < len(r.States); i++ {
		var here []Choice
		m.Successors(r.States[i], func(ch Choice, _ State, v *Violation) bool {
			if v == nil {
				here = append(here, Choice{Rule: ch.Rule, Params: slices.Clone(ch.Params)})
			}
			return true
		})
		for _, ch := range here {
			names := []string{p.Model.FormatChoice(ch)}
			chooses := who == nil && len(p.rules[ch.Rule].slots) > 0
			if who != nil {
				names = who(ch)
			} else if chooses {
				names[0] = fmt.Sprint(ch.Rule)
			}
			for k, name := range names {
				if _, ok := at[name]; !ok {
					at[name] = len(sets)
					sets = append(sets, FairRules{Name: name, ByElement: chooses})
				}
				if s := &sets[at[name]]; k > 0 {
					s.Also = append(s.Also, ch)
				} else if !slices.ContainsFunc(s.Instances, ch.Equal) {
					s.Instances = append(s.Instances, ch)
				}
			}
		}
	}
	for _, s := range sets {
		for _, u := range p.uses(m, s, r) {
			if u.Fires == 0 {
				idle = append(idle, u)
			}
		}
	}
	slices.SortStableFunc(idle, func(a, b *Chance) int { return min(a.Misses(r), 0) - min(b.Misses(r), 0) })
	return kept, idle
}
