package trace

import (
	"fmt"
	"strings"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// branches adds to the view what leaves states of a path.
func (v *viewer) branches(path []model.State, all []*model.Branch) (out []*Branch) {
	for _, b := range all {
		own := &viewer{cast: v.cast, src: v.src, t: v.t, cell: v.cell, shows: v.shows, play: v.play, source: v.source,
			view: &View{Cells: v.view.Cells}}
		own.play.sent, own.play.pending, own.play.rest = nil, make(map[string][]int), make(map[string]string) // it has no lanes
		to := &Branch{At: b.At, Claim: b.Claim, Loop: b.Loop}
		states := []model.State{path[b.At]}
		for k, step := range b.Steps {
			own.step(k, states[k], step)
			states = append(states, step.State)
		}
		to.Steps = own.view.Steps
		for i := range to.Steps {
			to.Lines = append(to.Lines, own.line(&to.Steps[i]))
		}
		to.Branches = v.branches(states, b.Branches)
		out = append(out, to)
	}
	return out
}

// Standing reports whether the last state repeats itself.
func (b *Branch) Standing() bool { return b.Loop == len(b.Steps) }

// line returns a step as text.
func (v *viewer) line(s *Moment) string {
	var changes []string
	about := lists.Map(s.Params, func(p Param) string { return p.Name + " = " + p.Value })
	for _, c := range s.Changes {
		text := fmt.Sprintf("%s: %s → %s", v.view.Cells[c.Cell].Name, c.Old, c.New)
		if v.view.Cells[c.Cell].Set {
			text = v.view.Cells[c.Cell].Name + strings.Join(append(prefixed(" − ", c.Gone), prefixed(" + ", c.Added)...), "")
		}
		changes = append(changes, text)
	}
	text := s.Rule
	if about != nil {
		text += " (" + strings.Join(about, ", ") + ")"
	}
	if changes != nil {
		text += ": " + strings.Join(changes, ", ")
	}
	return text
}

func prefixed(with string, all []string) []string {
	return lists.Map(all, func(s string) string { return with + s })
}
