package traces

import (
	"fmt"
	"slices"

	"orbitmc/model"
)

// This file says why a lasso is fair, and which rule instances fairness would have made fire in it. All of it is
// evaluated in the states of its loop.

// Chance is what a set of rule instances does in the loop of a lasso. State n is the one after n steps.
type Chance struct {
	Name   string // of the set; of what counts for each element on its own, with the element
	Strong bool
	Cond   bool         // it is an instance of Fairness.Often, and Can are the states in which that is met
	Fires  int          // the number of the first step that fires one; 0: none does
	Can    []int        // states in which one can fire, ascending
	By     model.Choice // one that can fire in the first of them, or does
}

// Misses returns the first state of the loop that is not in Can, -1 if there is none.
func (u *Chance) Misses(r *model.Lasso) int {
	for i := r.Loop; i < len(r.States); i++ {
		if !slices.Contains(u.Can, i) {
			return i
		}
	}
	return -1
}

// uses returns what a set of rule instances does in the loop of a run: all that can fire or fires in it. If each
// element counts on its own, those that fire with the same one are one use.
func uses(p *model.Program, m *model.Machine, rules model.FairRules, r *model.Lasso) (all []*Chance) {
	at := make(map[string]*Chance)
	use := func(state model.State, ch model.Choice) *Chance {
		key := ""
		if rules.ByElement {
			key = fmt.Sprint(p.Named(state, ch))
		}
		if at[key] == nil {
			at[key] = &Chance{Name: rules.Name, Strong: rules.Strong, By: ch}
			if rules.ByElement {
				at[key].Name = nameOf(p, state, ch)
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
func nameOf(p *model.Program, s model.State, ch model.Choice) string {
	r := p.Model.Rules[ch.Rule]
	return model.SpellChoice("rule", r, func(i int) string {
		t := r.Params[i].Var.Type
		if t.Slots && s == nil {
			return "any"
		}
		if base, stride, ok := p.Chosen(s, ch, i); ok {
			return FormatElement(p.Model.ElementOf(t), s[base+int(ch.Params[i])*stride+1:])
		}
		return t.Format(ch.Params[i])
	})
}

// often returns in which states of the loop of a run the conditions of Fairness.Often are met.
func often(p *model.Program, m *model.Machine, r *model.Lasso) (all []*Chance) {
	for _, q := range p.Model.Fair.Often {
		for _, values := range model.InstancesOf(q.Params) {
			u := &Chance{Name: q.Name, Cond: true}
			for i := r.Loop; i < len(r.States); i++ {
				if ok, v := m.Holds(r.States[i], q.Index, values); ok || v != nil {
					u.Can = append(u.Can, i)
				}
			}
			all = append(all, u)
		}
	}
	return all
}

// Account returns what the fairness of the model asks for in the loop of a run, first what can fire in it and never
// does, and all that can and never does. Who returns the sets to which a rule instance belongs, the one that takes it
// first; without it each instance is one.
func Account(p *model.Program, r *model.Lasso, who func(model.Choice) []string) (kept, idle []*Chance) {
	m := p.NewMachine()
	kept = often(p, m, r)
	for _, rules := range p.Model.Fair.Rules {
		all := uses(p, m, rules, r)
		if all == nil {
			all = []*Chance{{Name: rules.Name, Strong: rules.Strong}}
			if rules.ByElement {
				all[0].Name = nameOf(p, nil, rules.Instances[0])
			}
		}
		kept = append(kept, all...)
	}
	var sets []*model.FairRules
	known := make(map[string]*model.FairRules)
	for i := r.Loop; i < len(r.States); i++ {
		m.Successors(r.States[i], func(ch model.Choice, _ model.State, v *model.Violation) bool {
			names := []string{fmt.Sprint(ch.Rule)}
			if who != nil {
				names = who(ch)
			}
			for k, name := range names {
				s := known[name]
				if s == nil {
					s = &model.FairRules{Name: name, ByElement: who == nil}
					known[name], sets = s, append(sets, s)
				}
				if k > 0 {
					s.Also = append(s.Also, ch.Clone())
				} else if v == nil && !slices.ContainsFunc(s.Instances, ch.Equal) {
					s.Instances = append(s.Instances, ch.Clone())
				}
			}
			return true
		})
	}
	for _, s := range sets {
		idle = append(idle, slices.DeleteFunc(uses(p, m, *s, r), func(u *Chance) bool { return u.Fires > 0 })...)
	}
	later := func(c *Chance) int {
		if c.Fires > 0 || c.Can == nil {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(kept, func(a, b *Chance) int { return later(a) - later(b) })
	return kept, idle
}
