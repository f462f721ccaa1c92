package model

import (
	"bufio"
	"fmt"
	"io"
	"slices"
)

// Branch shows why part of a formula in computation tree logic holds, or does not, in a state of a trace: by a path from
// there, with branches of its own, or, without steps, by what no path shows.
type Branch struct {
	At       int         // the state that it leaves, 0 the first one of the trace or branch
	Claim    string      // what holds in that state
	Steps    []TraceStep // none of them errs
	Loop     int         // the state of the branch, 0 being that which it leaves, that follows the last one and all after it; the last one if it repeats itself. -1: the path ends
	Branches []*Branch
}

// end returns the number of the last state.
func (b *Branch) end() int { return len(b.Steps) }

// replayBranches checks that branches are paths, from states of a path.
func (p *Program) replayBranches(m *Machine, path []State, branches []*Branch) error {
	for _, b := range branches {
		if b.At < 0 || b.At >= len(path) || b.Loop > b.end() {
			return fmt.Errorf("trace: a branch leaves no state, or has no loop")
		}
		own := []State{path[b.At]}
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
		if b.Loop == b.end() && !m.stands(own[b.Loop]) || b.Loop >= 0 && !slices.Equal(own[b.Loop], own[b.end()]) {
			return fmt.Errorf("trace: branch: the loop does not close")
		}
		if b.Loop >= 0 { // where a formula speaks of fair paths, all loops are such paths
			r := &Lasso{Trace: &Trace{Steps: b.Steps}, States: own, Stuck: b.Loop == b.end(), Loop: b.Loop}
			if !r.Stuck {
				r.States = own[:b.end()]
			}
			if err := p.CheckFair(m, r); err != nil {
				return fmt.Errorf("trace: branch: %w", err)
			}
		}
		if err := p.replayBranches(m, own, b.Branches); err != nil {
			return err
		}
	}
	return nil
}

// stands reports whether no rule can fire in a state, so that it repeats itself.
func (m *Machine) stands(s State) bool {
	stands := true
	m.Successors(s, func(Choice, State, *Violation) bool {
		stands = false
		return false
	})
	return stands && !m.LeftOut()
}

// States returns the states of a trace, but that after an erring step.
func (t *Trace) States() (all []State) {
	all = append(all, t.StartState)
	for _, s := range t.Steps {
		if s.State != nil {
			all = append(all, s.State)
		}
	}
	return all
}

// WriteBranches prints the branches of a trace.
func WriteBranches(w io.Writer, m *Model, t *Trace) error {
	tw := &traceWriter{Writer: bufio.NewWriter(w), m: m, leaves: m.AllLeaves(), format: (*Type).Format}
	tw.branches(t.States(), t.Branches, "")
	return tw.Flush()
}

// branches prints branches that leave a path, further to the right than what they leave.
func (w *traceWriter) branches(path []State, branches []*Branch, indent string) {
	for _, b := range branches {
		w.printf("%sstate %d: %s\n", indent, b.At, b.Claim)
		own := []State{path[b.At]}
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
		case b.Loop == b.end():
			w.printf("%s  no rule can fire: this state repeats itself for ever\n", indent)
		case b.Loop >= 0:
			w.printf("%s  this is the state where the loop starts: it repeats itself for ever\n", indent)
		}
		w.branches(own, b.Branches, indent+"  ")
	}
}
