package model

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// TraceStyle selects how WriteTrace prints.
type TraceStyle uint8

// Trace styles.
const (
	Plain        TraceStyle = iota // ours: the start state in full, then changes as "leaf: old -> new"
	CMurphiStyle                   // as CMurphi: parameters innermost first, changed leaves, the last state in full
	RumurStyle                     // as Rumur: parameters outermost first, changed leaves, scalarset values from 0
)

// FormatChoice returns the source spelling of a rule instance, as in
// `rule "send" (i=NODE_1, d=2)`.
func (m *Model) FormatChoice(ch Choice) string { return m.formatChoice("rule", m.Rules[ch.Rule], ch) }

// FormatStart returns the source spelling of a start state instance, as in
// `startstate "init" (i=NODE_1)`.
func (m *Model) FormatStart(ch Choice) string {
	return m.formatChoice("startstate", m.Starts[ch.Rule], ch)
}

func (m *Model) formatChoice(kind string, r *Rule, ch Choice) string {
	name := r.Name
	if name == "" {
		name = fmt.Sprintf("%s@%d", kind, r.Pos.Line)
	}
	s := fmt.Sprintf("%s %q", kind, name)
	if len(ch.Params) == 0 {
		return s
	}
	var ps []string
	for i, q := range r.Params {
		ps = append(ps, q.Var.Name+"="+q.Var.Type.Format(ch.Params[i]))
	}
	return s + " (" + strings.Join(ps, ", ") + ")"
}

// formatFromZero spells values as Rumur does in traces.
func formatFromZero(t *Type, v int64) string {
	if t.Kind == Scalarset && v != Undef {
		return t.Format(v - 1)
	}
	return t.Format(v)
}

// WriteTrace prints a trace. It does not check it; see Program.Replay.
func WriteTrace(w io.Writer, m *Model, t *Trace, style TraceStyle) error {
	b := bufio.NewWriter(w)
	tw := &traceWriter{b, m, m.AllLeaves(), (*Type).Format}
	switch style {
	case Plain:
		tw.plain(t)
	case CMurphiStyle:
		tw.cmurphi(t)
	case RumurStyle:
		tw.format = formatFromZero
		tw.leaves = tw.leaves[:0]
		for _, v := range m.Vars {
			tw.leaves = unfold(tw.leaves, v, v.Type, v.Name, nil, tw.format)
		}
		tw.rumur(t)
	default:
		panic("model: unknown trace style")
	}
	return b.Flush()
}

type traceWriter struct {
	*bufio.Writer
	m      *Model
	leaves []Leaf
	format func(*Type, int64) string
}

func (w *traceWriter) printf(format string, args ...any) { fmt.Fprintf(w, format, args...) }

func (w *traceWriter) plain(t *Trace) {
	w.printf("%s\n", w.m.FormatStart(t.Start))
	for i, v := range t.StartState {
		w.printf("  %s = %s\n", w.leaves[i].Name, w.format(w.leaves[i].Type, v))
	}
	old := t.StartState
	for k, step := range t.Steps {
		w.printf("step %d: %s\n", k+1, w.m.FormatChoice(step.Choice))
		for i, v := range step.State {
			if v != old[i] {
				l := w.leaves[i]
				w.printf("  %s: %s -> %s\n", l.Name, w.format(l.Type, old[i]), w.format(l.Type, v))
			}
		}
		old = step.State
	}
	prop := w.m.Props[t.Prop]
	w.printf("violated: %v %q", prop.Kind, prop.Name)
	if v := t.Violation; v != nil && prop.Kind != Invariant && v.Message != "" {
		where := ""
		if v.InGuard {
			where = " in the guard"
		}
		w.printf(" (%v: %s%s)", v.Pos, v.Message, where)
	}
	w.printf("\n")
}

// message returns what the tools print as the error of a trace.
func (w *traceWriter) message(t *Trace, invariant, deadlock string) string {
	prop, msg := w.m.Props[t.Prop], ""
	if t.Violation != nil {
		msg = t.Violation.Message
	}
	switch prop.Kind {
	case Invariant:
		return fmt.Sprintf(invariant, prop.Name)
	case Deadlock:
		return deadlock
	case Assertion:
		return "Assertion failed: " + msg
	}
	return msg
}

// values prints the leaves of s, only those that differ from old unless old is
// nil.
func (w *traceWriter) values(old, s State) {
	for i, v := range s {
		if old == nil || old[i] != v {
			w.printf("%s:%s\n", w.leaves[i].Name, w.format(w.leaves[i].Type, v))
		}
	}
}

func (w *traceWriter) cmurphi(t *Trace) {
	msg := w.message(t, "Invariant %q failed.", "Deadlocked state found.")
	if w.m.Props[t.Prop].Kind == ErrorStmt {
		msg = "Error: " + msg
	}
	w.printf("The following is the error trace for the error:\n\n\t%s\n\n", msg)
	name := func(r *Rule, kind string, ch Choice) string {
		s := r.Name
		if s == "" {
			s = fmt.Sprintf("%s %d", kind, r.Index)
		}
		for i := len(r.Params) - 1; i >= 0; i-- {
			q := r.Params[i].Var
			s += ", " + q.Name + ":" + w.format(q.Type, ch.Params[i])
		}
		return s
	}
	w.printf("Startstate %s fired.\n", name(w.m.Starts[t.Start.Rule], "Startstate", t.Start))
	w.values(nil, t.StartState)
	w.printf("----------\n\n")
	old := t.StartState
	for k, step := range t.Steps {
		rule := name(w.m.Rules[step.Rule], "Rule", step.Choice)
		last := k == len(t.Steps)-1
		switch {
		case last && step.State == nil && t.Violation != nil && t.Violation.InGuard:
			w.printf("Guard of the rule\n\t%s\nchecked and caused Error.\n", rule)
		case last && step.State == nil:
			w.printf("Rule %s fired.\nThe last state of the trace (in full) is:\n", rule)
			w.values(nil, old)
		case last:
			w.printf("Rule %s fired.\nThe last state of the trace (in full) is:\n", rule)
			w.values(nil, step.State)
		default:
			w.printf("Rule %s fired.\n", rule)
			w.values(old, step.State)
		}
		w.printf("----------\n\n")
		old = step.State
	}
	w.printf("End of the error trace.\n")
}

func (w *traceWriter) rumur(t *Trace) {
	msg := w.message(t, "invariant %q failed", "deadlock")
	w.printf("The following is the error trace for the error:\n\n\t%s\n\n", msg)
	name := func(r *Rule, ch Choice) string {
		s := fmt.Sprint(r.Index + 1)
		if r.Name != "" {
			s = `"` + r.Name + `"`
		}
		for i, q := range r.Params {
			s += ", " + q.Var.Name + ": " + w.format(q.Var.Type, ch.Params[i])
		}
		return s
	}
	w.printf("Startstate %s fired.\n", name(w.m.Starts[t.Start.Rule], t.Start))
	w.values(nil, t.StartState)
	w.printf("----------\n\n")
	old := t.StartState
	for _, step := range t.Steps {
		w.printf("Rule %s fired.\n", name(w.m.Rules[step.Rule], step.Choice))
		w.values(old, step.State)
		w.printf("----------\n\n")
		old = step.State
	}
	w.printf("End of the error trace.\n")
}
