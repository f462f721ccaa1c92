package traces

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// Style selects how Write prints.
type Style uint8

// Trace styles.
const (
	Plain        Style = iota // ours: the start state, equal rows once, then changes as "leaf: old -> new", those of multisets as "+ set element"
	CMurphiStyle              // as CMurphi: parameters that a guard mentions last and innermost first, changed leaves, the last state in full
	RumurStyle                // as Rumur: parameters outermost first (those of nested rulesets too), changed leaves, scalarset values from 0
	LastStyle                 // as Plain, with the last state in full
	FullStyle                 // ours: each state in full, leaf by leaf; a multiset with its slots, which the parameters of rules name
)

// formatFromZero spells values as Rumur does in traces.
func formatFromZero(t *model.Type, v int64) string {
	if v == model.Undef {
		return t.Format(v)
	}
	t, v = t.Part(v)
	if t.Kind == model.Scalarset && !t.Slots {
		v--
	}
	return t.Format(v)
}

// Write prints a trace. It does not check it; see Replay. In our own styles a trace may violate nothing: its
// property is -1.
func Write(w io.Writer, m *model.Model, t *model.Trace, style Style) error {
	b := bufio.NewWriter(w)
	tw := &traceWriter{b, m, m.AllLeaves(), (*model.Type).Format, -1, ""}
	switch style {
	case Plain, LastStyle, FullStyle:
		tw.plain(t, style)
		tw.end(t)
	case CMurphiStyle:
		tw.tool(t, style)
	case RumurStyle:
		tw.format = formatFromZero
		tw.leaves = m.LeavesSpelled(tw.format)
		tw.tool(t, style)
	default:
		panic("model: unknown trace style")
	}
	return b.Flush()
}

type traceWriter struct {
	*bufio.Writer
	m      *model.Model
	leaves []model.Leaf
	format func(*model.Type, int64) string
	loop   int    // the state where the loop of a lasso begins; -1: none
	indent string // of changes
}

// WriteLasso prints a trace whose last state is state number loop, 0 being the start state, or repeats
// itself for ever, if loop is the last one. If its last step errs, there is no loop. It does not say what is violated.
func WriteLasso(w io.Writer, m *model.Model, t *model.Trace, loop int) error {
	b := bufio.NewWriter(w)
	tw := &traceWriter{b, m, m.AllLeaves(), (*model.Type).Format, loop, ""}
	tw.plain(t, Plain)
	if n := len(t.Steps); n > 0 && t.Steps[n-1].State == nil {
		tw.printf("this step errs: the run is violated whatever might come after it\n")
	} else if loop == n {
		tw.printf("no rule can fire: this state repeats itself for ever\n")
	} else {
		tw.printf("this is the state where the loop starts: it repeats itself for ever\n")
	}
	return b.Flush()
}

func (w *traceWriter) printf(format string, args ...any) { fmt.Fprintf(w, format, args...) }

func (w *traceWriter) plain(t *model.Trace, style Style) {
	w.printf("%s\n", w.m.FormatStart(t.Start))
	full := w.rows
	if style == FullStyle {
		full = w.each
	}
	full(t.StartState)
	last := t.StartState
	for k, step := range t.Steps {
		if k == w.loop {
			w.printf("loop starts here\n")
		}
		w.printf("step %d: %s\n", k+1, w.m.FormatChoice(step.Choice))
		switch {
		case step.State == nil:
			continue
		case style == FullStyle:
			w.each(step.State)
		default:
			w.changes(last, step.State)
		}
		last = step.State
	}
	if style == LastStyle && last != nil {
		w.printf("last state:\n")
		w.rows(last)
	}
}

// Lines returns what is in a state, or, if old is not nil, what a step from there changes, in lines of our own style.
func Lines(m *model.Model, old, s model.State) (lines []string) {
	var b strings.Builder
	w := &traceWriter{Writer: bufio.NewWriter(&b), m: m, format: (*model.Type).Format}
	if old == nil {
		w.rows(s)
	} else {
		w.changes(old, s)
	}
	w.Flush()
	for line := range strings.Lines(b.String()) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}

// end says what is violated at the end of a trace.
func (w *traceWriter) end(t *model.Trace) {
	if t.Prop < 0 {
		return
	}
	prop := w.m.Props[t.Prop]
	verb := "violated"
	if prop.Kind == model.Cover {
		verb = "covered"
	}
	w.printf("%s: %v %q", verb, prop.Kind, prop.Name)
	if v := t.Violation; v != nil && v.Pos == (model.Pos{}) && prop.Tree != nil {
		w.printf(" (%s)", v.Message)
	} else if v != nil && v.Pos != (model.Pos{}) && (prop.Expr == nil || v.Also != nil) && v.Message != "" {
		where := ""
		if v.InGuard {
			where = " in the guard"
		}
		w.printf(" (%v: %s%s)", v.Pos, v.Message, where)
	}
	w.printf("\n")
}

// rows prints a state, equal rows once.
func (w *traceWriter) rows(s model.State) {
	if s == nil {
		return
	}
	for _, v := range w.m.Vars {
		eachPart(part{v.Name, v.Type, v.Offset}, []model.State{s}, w.format, oneRow, func(p part) {
			w.printf("  %s = %s\n", p.name, p.spell(s, w.format))
		})
	}
}

// each prints a state leaf by leaf.
func (w *traceWriter) each(s model.State) {
	for i, l := range w.leaves {
		if s != nil && used(&l, s) && !isPresence(&l) {
			w.printf("  %s = %s\n", l.Name, w.format(l.Type, s[i]))
		}
	}
}

// changes prints what a step changes, equal changes once.
func (w *traceWriter) changes(old, s model.State) {
	stop := func(t *model.Type) bool { return t.Simple() || t.Kind == model.Multiset || t.Shown == model.AsQueue }
	for _, v := range w.m.Vars {
		eachPart(part{v.Name, v.Type, v.Offset}, []model.State{old, s}, w.format, stop, func(p part) {
			if p.t.Kind != model.Multiset {
				if was, is := p.spell(old, w.format), p.spell(s, w.format); was != is {
					w.printf("%s  %s: %s -> %s\n", w.indent, p.name, was, is)
				}
				return
			}
			gone, added := exchanged(p.t, p.at, old, s, w.format)
			for _, e := range gone {
				w.printf("%s  - %s %s\n", w.indent, p.name, e)
			}
			for _, e := range added {
				w.printf("%s  + %s %s\n", w.indent, p.name, e)
			}
		})
	}
}

// deadlocked is what the tools call a deadlock.
func deadlocked(style Style) string {
	if style == RumurStyle {
		return "deadlock"
	}
	return "Deadlocked state found."
}

// message returns what the tools print as the error of a trace.
func (w *traceWriter) message(t *model.Trace, style Style) string {
	prop, msg := w.m.Props[t.Prop], ""
	if t.Violation != nil {
		msg = t.Violation.Message
	}
	rumur := style == RumurStyle
	switch prop.Kind {
	case model.Invariant:
		if rumur {
			return "invariant " + invariantName(w.m, prop, style) + " failed"
		}
		return "Invariant " + invariantName(w.m, prop, style) + " failed."
	case model.Deadlock:
		return deadlocked(style)
	case model.Assertion:
		msg = cmp.Or(msg, fmt.Sprintf("%s, line %d.", w.m.File, prop.Pos.Line))
		return "Assertion failed: " + msg
	case model.ErrorStmt:
		if !rumur {
			return "Error: " + msg
		}
	case model.Cover:
		return fmt.Sprintf("cover %q hit", prop.Name)
	case model.Liveness, model.Branching:
		return prop.Kind.String() + " property " + invariantName(w.m, prop, style) + " violated"
	}
	return msg
}

// invariantName returns what a tool calls an invariant or liveness property. It
// does not know the line that we append where names are missing or repeated:
// CMurphi counts invariants without a name from 0, Rumur uses the number among
// all of the kind, from 1.
func invariantName(m *model.Model, p *model.Property, style Style) string {
	all, unnamed := 0, 0
	own, named := "", false
	for _, q := range m.Props[:p.Index+1] {
		if q.Kind != p.Kind {
			continue
		}
		own, _, _ = strings.Cut(q.Name, fmt.Sprintf("@%d", q.Pos.Line))
		named = own == q.Name || own != p.Kind.String()
		all++
		if !named {
			unnamed++
		}
	}
	switch {
	case named:
		return `"` + own + `"`
	case style == RumurStyle:
		return fmt.Sprint(all)
	}
	return fmt.Sprintf(`"Invariant %d"`, unnamed-1)
}

// values prints the leaves of s, only those that differ from old unless old is
// nil. Free slots are not printed, or as undefined if they were not free in old.
func (w *traceWriter) values(old, s model.State) {
	if s == nil {
		return
	}
	for i, l := range w.leaves {
		if old == nil && used(&l, s) && !isPresence(&l) || old != nil && changed(&l, i, old, s) {
			w.printf("%s:%s\n", l.Name, w.format(l.Type, s[i]))
		}
	}
}

// isPresence reports whether l is a presence leaf; traces do not show them.
func isPresence(l *model.Leaf) bool { return l.Type == model.PresentType }

// used reports whether l is not in a free slot in s.
func used(l *model.Leaf, s model.State) bool { return l.Slot < 0 || s[l.Slot] != model.Undef }

// changed reports whether leaf number i, which is l, or whether it is in a free
// slot, differs between two states.
func changed(l *model.Leaf, i int, old, s model.State) bool {
	return !isPresence(l) && (old[i] != s[i] || used(l, old) != used(l, s))
}

// cmurphiName returns what CMurphi calls a rule or start state: those without a
// name are counted from 0.
func cmurphiName(rules []*model.Rule, r *model.Rule, kind string) string {
	if r.Name != "" {
		return r.Name
	}
	n := lists.Count(rules[:r.Index], func(q *model.Rule) bool { return q.Name == "" })
	return fmt.Sprintf("%s %d", kind, n)
}

// rumurName returns what Rumur calls a rule or start state: those without a
// name by their number, from 1.
func rumurName(r *model.Rule) string {
	if r.Name != "" {
		return `"` + r.Name + `"`
	}
	return fmt.Sprint(r.Index + 1)
}

// cmurphiOrder returns the order in which CMurphi prints the parameters of r:
// those that the guard does not mention, outermost first, then the others,
// innermost first.
func cmurphiOrder(r *model.Rule) []int {
	mentioned := make(map[*model.Var]bool)
	if r.Guard != nil {
		for _, e := range model.Conjuncts(r.Guard) {
			if _, ok := e.(*model.Present); ok { // not in the source
				continue
			}
			model.Inspect(e, func(n any) {
				if x, ok := n.(*model.Ref); ok {
					mentioned[x.Var] = true
				}
			})
		}
	}
	var first, last []int
	for i, q := range r.Params {
		if mentioned[q.Var] {
			last = append(last, i)
		} else {
			first = append(first, i)
		}
	}
	slices.Reverse(last)
	return append(first, last...)
}

// tool prints a trace as CMurphi or Rumur does.
func (w *traceWriter) tool(t *model.Trace, style Style) {
	w.printf("The following is the error trace for the error:\n\n\t%s\n\n", w.message(t, style))
	name := func(rules []*model.Rule, kind string, ch model.Choice) string {
		r := rules[ch.Rule]
		s, order, colon := cmurphiName(rules, r, kind), cmurphiOrder(r), ":"
		if style == RumurStyle {
			s, order, colon = rumurName(r), nil, ": "
			for i := range r.Params {
				order = append(order, i)
			}
		}
		for _, i := range order {
			q := r.Params[i].Var
			s += ", " + q.Name + colon + w.format(q.Type, ch.Params[i])
		}
		return s
	}
	w.printf("Startstate %s fired.\n", name(w.m.Starts, "Startstate", t.Start))
	w.values(nil, t.StartState)
	w.printf("----------\n\n")
	old := t.StartState
	for k, step := range t.Steps {
		rule := name(w.m.Rules, "Rule", step.Choice)
		last := k == len(t.Steps)-1
		switch {
		case style == RumurStyle || !last:
			w.printf("Rule %s fired.\n", rule)
			w.values(old, step.State)
		case step.State == nil && t.Violation != nil && t.Violation.InGuard:
			w.printf("Guard of the rule\n\t%s\nchecked and caused Error.\n", rule)
		default:
			w.printf("Rule %s fired.\nThe last state of the trace (in full) is:\n", rule)
			full := step.State
			if full == nil { // the step errs
				full = old
			}
			w.values(nil, full)
		}
		w.printf("----------\n\n")
		old = step.State
	}
	w.printf("End of the error trace.\n")
}
