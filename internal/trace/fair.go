package trace

import (
	"cmp"

	"orbitmc/internal/prog"
	"orbitmc/model"
	"orbitmc/model/traces"
)

// Fair says why a loop counts as fair, and what fairness of rules, or of processes, would exclude it.
type Fair struct {
	Kept   []Kept `json:"kept,omitempty"`
	Weak   []Idle `json:"weak,omitempty"`   // what can fire in every state of the loop and never does
	Strong []Idle `json:"strong,omitempty"` // what can fire in some state of the loop and never does
	Option string `json:"option,omitempty"` // of --fair, which excludes the loop
	Stands bool   `json:"stands,omitempty"` // no rule can fire: the state repeats itself

	Of string `json:"-"` // rules or processes: fairness is of these
}

// Kept is fairness that was asked for. If nothing is said of it, it can fire in no state of the loop.
type Kept struct {
	Set    string `json:"set"`
	Fires  int    `json:"fires,omitempty"`  // step of the loop that does it
	Cannot *int   `json:"cannot,omitempty"` // number of a state of the loop in which it cannot fire, 0 the first one of the trace
	Met    *int   `json:"met,omitempty"`    // of a condition: number of a state of the loop that meets it
}

// Idle is what never fires in the loop.
type Idle struct {
	Set   string `json:"set"`
	Rule  string `json:"rule,omitempty"` // of a process: a step that it could take
	State int    `json:"state"`          // number of a state of the loop in which it could
}

// NewFair says why the loop of a run of a model, or of a program, is fair; nil if it has none.
func NewFair(p *model.Program, r *model.Lasso, of *prog.Program) *Fair {
	if r.Erred {
		return nil
	}
	f := &Fair{Stands: r.Stuck, Of: "rules"}
	var who func(model.Choice) []string
	if of != nil {
		f.Of, who = "processes", of.Who
	}
	kept, idle := traces.Account(p, r, who)
	for _, c := range kept {
		k := Kept{Set: map[bool]string{false: "weak ", true: "strong "}[c.Strong] + c.Name, Fires: c.Fires}
		switch out := c.Misses(r); {
		case c.Cond:
			k.Set, k.Met = c.Name, &c.Can[0]
		case r.Stuck: // nothing can fire
			continue
		case !c.Strong && c.Fires == 0 && len(c.Can) > 0:
			k.Cannot = &out
		}
		f.Kept = append(f.Kept, k)
	}
	var weak, strong string
	for _, c := range idle {
		x := Idle{Set: c.Name, State: c.Can[0]}
		name := cmp.Or(p.Model.Rules[c.By.Rule].Name, "*")
		if of != nil {
			x.Rule, name = p.Model.FormatChoice(c.By), of.Protos[of.Edges[c.By.Rule].Actors[0]].Name
		}
		if c.Misses(r) < 0 {
			f.Weak, weak = append(f.Weak, x), cmp.Or(weak, "weak:"+name)
		} else {
			f.Strong, strong = append(f.Strong, x), cmp.Or(strong, "strong:"+name)
		}
	}
	f.Option = cmp.Or(weak, strong)
	return f
}
