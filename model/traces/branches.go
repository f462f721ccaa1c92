package traces

import (
	"bufio"
	"fmt"
	"io"
	"slices"

	"orbitmc/model"
)

// replayBranches checks that branches are paths, from states of a path.
func replayBranches(p *model.Program, m *model.Machine, path []model.State, branches []*model.Branch) error {
	for _, b := range branches {
		if b.At < 0 || b.At >= len(path) || b.Loop > len(b.Steps) {
			return fmt.Errorf("trace: a branch leaves no state, or has no loop")
		}
		own := []model.State{path[b.At]}
		for i, step := range b.Steps {
			if !p.ValidRule(step.Choice) {
				return fmt.Errorf("trace: branch: no such rule")
			}
			next, _, v := m.Fire(own[i], step.Choice)
			if v != nil || next == nil || !slices.Equal(next, step.State) {
				return fmt.Errorf("trace: branch: %s leads elsewhere", p.Model.FormatChoice(step.Choice))
			}
			own = append(own, step.State)
		}
		if b.Loop == len(b.Steps) && !stands(m, own[b.Loop]) || b.Loop >= 0 && !slices.Equal(own[b.Loop], own[len(b.Steps)]) {
			return fmt.Errorf("trace: branch: the loop does not close")
		}
		if b.Loop >= 0 { // where a formula speaks of fair paths, all loops are such paths
			r := &model.Lasso{Trace: &model.Trace{Steps: b.Steps}, States: own, Stuck: b.Loop == len(b.Steps), Loop: b.Loop}
			if !r.Stuck {
				r.States = own[:len(b.Steps)]
			}
			if err := CheckFair(p, m, r); err != nil {
				return fmt.Errorf("trace: branch: %w", err)
			}
		}
		if err := replayBranches(p, m, own, b.Branches); err != nil {
			return err
		}
	}
	return nil
}

// stands reports whether no rule can fire in a state, so that it repeats itself.
func stands(m *model.Machine, s model.State) bool {
	stands := true
	m.Successors(s, func(model.Choice, model.State, *model.Violation) bool {
		stands = false
		return false
	})
	return stands && !m.LeftOut()
}

// WriteBranches prints the branches of a trace.
func WriteBranches(w io.Writer, m *model.Model, t *model.Trace) error {
	tw := &traceWriter{Writer: bufio.NewWriter(w), m: m, leaves: m.AllLeaves(), format: (*model.Type).Format}
	tw.branches(t.States(), t.Branches, "")
	return tw.Flush()
}

// branches prints branches that leave a path, further to the right than what they leave.
func (w *traceWriter) branches(path []model.State, branches []*model.Branch, indent string) {
	for _, b := range branches {
		w.printf("%sstate %d: %s\n", indent, b.At, b.Claim)
		own := []model.State{path[b.At]}
		for i, step := range b.Steps {
			if i == b.Loop {
				w.printf("%s  loop starts here\n", indent)
			}
			w.printf("%s  step %d: %s\n", indent, i+1, w.m.FormatChoice(step.Choice))
			w.indent = indent + "  "
			w.changes(own[i], step.State)
			own = append(own, step.State)
		}
		switch {
		case b.Loop == len(b.Steps):
			w.printf("%s  no rule can fire: this state repeats itself for ever\n", indent)
		case b.Loop >= 0:
			w.printf("%s  this is the state where the loop starts: it repeats itself for ever\n", indent)
		}
		w.branches(own, b.Branches, indent+"  ")
	}
}
