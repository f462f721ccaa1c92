package trace

import (
	"maps"

	"orbitmc/internal/lists"
)

// JSON is a view for programs.
type JSON struct {
	Start JSONStart  `json:"start"`
	Steps []JSONStep `json:"steps"`
	Loop  *int       `json:"loop,omitempty"`     // the last state is as the one after so many steps, and what follows repeats
	Fair  *Fair      `json:"fairness,omitempty"` // of a loop that violates a formula
	Final []Param    `json:"inputs,omitempty"`   // of a netlist: inputs of the last frame that matter

	Branches []JSONBranch `json:"branches,omitempty"` // why a formula in computation tree logic does not hold in the last state
}

// JSONBranch shows part of a formula by a path, or, without steps, by what no path shows.
type JSONBranch struct {
	At       int          `json:"at"`    // number of the state that it leaves, 0 the first one of the trace or branch
	Claim    string       `json:"claim"` // what holds there
	Steps    []JSONStep   `json:"steps"`
	Loop     *int         `json:"loop,omitempty"`
	Branches []JSONBranch `json:"branches,omitempty"`
}

// JSONStart is the first state.
type JSONStart struct {
	Rule   string            `json:"rule,omitempty"` // none: the state need not be reachable
	Params map[string]string `json:"params,omitempty"`
	Line   int               `json:"line,omitempty"`
	State  map[string]string `json:"state,omitempty"` // none: it errs
}

// JSONStep is a step.
type JSONStep struct {
	Rule       string            `json:"rule"`
	Params     map[string]string `json:"params,omitempty"`
	Line       int               `json:"line,omitempty"`
	Actor      string            `json:"actor,omitempty"`
	Statements []string          `json:"statements,omitempty"` // of a program
	Inputs     []Param           `json:"inputs,omitempty"`     // of a netlist: those that matter
	Changes    []JSONChange      `json:"changes"`
	Errs       bool              `json:"errs,omitempty"`
	Blind      []string          `json:"blind,omitempty"` // components that it changes without reading anything of them
	Relevant   *bool             `json:"relevant,omitempty"`
}

// JSONChange is what a step changed.
type JSONChange struct {
	Name  string   `json:"name"`
	Old   string   `json:"old"`
	New   string   `json:"new"`
	Gone  []string `json:"gone,omitempty"` // elements of a multiset
	Added []string `json:"added,omitempty"`
	For   []int    `json:"for,omitempty"` // later steps that depend on it; 0 is the property
}

// States returns the values of the leaves by their names: in the first state, and after each step.
func (j *JSON) States() []map[string]string {
	states := []map[string]string{j.Start.State}
	for _, s := range j.Steps {
		next := maps.Clone(states[len(states)-1])
		for _, c := range s.Changes {
			next[c.Name] = c.New
		}
		states = append(states, next)
	}
	return states
}

func paramMap(params []Param) map[string]string {
	if params == nil {
		return nil
	}
	all := make(map[string]string)
	for _, p := range params {
		all[p.Name] = p.Value
	}
	return all
}

// JSON returns the view for programs.
func (v *View) JSON() *JSON {
	out := &JSON{Start: JSONStart{Params: paramMap(v.Start.Params), Line: v.Start.Line, State: map[string]string{}}, Steps: []JSONStep{}}
	if !v.Free {
		out.Start.Rule = v.Start.Rule
	}
	for i, x := range v.Start.Values {
		out.Start.State[v.Cells[i].Name] = x
	}
	out.Steps = v.steps(v.Steps)
	out.Branches = v.branches(v.Branches)
	if v.Loop >= 0 {
		out.Loop, out.Fair = &v.Loop, v.Fair
	}
	for _, r := range v.Reads {
		if r.Cell < 0 {
			out.Final = append(out.Final, Param{r.Name, r.Value})
		}
	}
	return out
}

// steps returns steps for programs.
func (v *View) steps(all []Moment) []JSONStep {
	out := []JSONStep{}
	for i := range all {
		s := &all[i]
		j := JSONStep{Rule: s.Rule, Params: paramMap(s.Params), Line: s.Line, Statements: s.Text, Inputs: s.Inputs, Changes: []JSONChange{}, Errs: s.Errs}
		if s.Actor >= 0 {
			j.Actor = v.Lanes[s.Actor].Name
		}
		if v.Sliced {
			relevant := s.Relevant()
			j.Relevant = &relevant
		}
		for _, c := range s.Changes {
			j.Changes = append(j.Changes, JSONChange{v.Cells[c.Cell].Name, c.Old, c.New, c.Gone, c.Added, c.For})
		}
		j.Blind = lists.Map(s.Blind, func(b Blind) string { return v.Lanes[b.Lane].Name })
		out = append(out, j)
	}
	return out
}

func (v *View) branches(all []*Branch) (out []JSONBranch) {
	for _, b := range all {
		j := JSONBranch{At: b.At, Claim: b.Claim, Steps: v.steps(b.Steps), Branches: v.branches(b.Branches)}
		if b.Loop >= 0 {
			j.Loop = &b.Loop
		}
		out = append(out, j)
	}
	return out
}
