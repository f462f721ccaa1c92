package prog

import (
	"fmt"

	"orbitmc/internal/lists"
	"orbitmc/model"
	"orbitmc/model/traces"
)

// Retell returns the trace of p that a trace of q is: of the same program, read with other
// options (processes stay at their ends, claims are left out). Rules are known by their names. Before a
// deadlock, and before a step that is not enabled while a process may end, all processes end that can. The result is accepted by model.Program.Replay of p.
func (p *Program) Retell(q *Program, t *model.Trace) (*model.Trace, error) {
	code := model.Compile(p.Model)
	m := code.NewMachine()
	rules := lists.IndexBy(p.Model.Rules, func(r *model.Rule) string { return r.Name })
	name := q.Model.Props[t.Prop].Name
	out := &model.Trace{Start: t.Start.Clone(), Prop: -1}
	for i, prop := range p.Model.Props {
		if prop.Name == name && prop.Kind == q.Model.Props[t.Prop].Kind {
			out.Prop = i
		}
	}
	if out.Prop < 0 {
		return nil, fmt.Errorf("there is no property %q", name)
	}
	if t.Violation != nil {
		v := *t.Violation
		v.Prop = out.Prop
		out.Violation = &v
	}
	s, _ := m.Start(out.Start)
	out.StartState = s
	fire := func(ch model.Choice) bool {
		next, enabled, v := m.Fire(s, ch)
		if !enabled && v == nil {
			return false
		}
		out.Steps = append(out.Steps, model.TraceStep{Choice: ch, State: next})
		s = next
		return true
	}
	end := func() { // all processes that can
		for ends := true; ends; {
			ends = false
			for i, e := range p.Edges {
				if e.Kind == Step && len(e.Parts) == 1 && e.Parts[0].Text == "-end-" {
					for _, pid := range p.Model.Rules[i].Params[0].Domain.Values() {
						ends = fire(model.Choice{Rule: i, Params: []int64{pid}}) || ends
					}
				}
			}
		}
	}
	for i, step := range t.Steps {
		rule, ok := rules[q.Model.Rules[step.Rule].Name]
		ch := model.Choice{Rule: rule, Params: step.Params}
		if ok = ok && s != nil; ok && !fire(ch) {
			end() // it may be a timeout, which waits for them
			ok = fire(ch)
		}
		if !ok {
			return nil, fmt.Errorf("step %d is none of the program", i+1)
		}
	}
	if p.Model.Props[out.Prop].Kind == model.Deadlock && s != nil {
		end()
	}
	return out, traces.Replay(code, out)
}
