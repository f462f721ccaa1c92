package traces

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"orbitmc/internal/lists"
	"orbitmc/model"
)

// This file reads counterexamples back: those that Write prints in any of
// its styles, and those of CMurphi and Rumur, which it imitates. What is read
// is the fired instances, the values printed after each, and what is claimed to
// be violated; the states follow from firing, and a printed value that differs
// rejects the trace, as does a claim that is not true.

// traceText is a trace as it is written.
type traceText struct {
	firings []firing
	plain   bool // in our own style
	rumur   bool // looks more like Rumur than like CMurphi
	claim   line // what says which property is violated; may be empty
	free    bool // a counterexample to induction: the values of the start make its state

	loop   line // of a lasso: what says where its loop starts; number 0 if nothing does
	loopAt int  // the state where it starts
	stuck  bool // no rule can fire in the last state
	errs   bool // the last step errs, and there is no loop
}

type line struct {
	number int // from 1
	text   string
}

// firing is one fired instance.
type firing struct {
	line
	start  bool
	values []leafValue // printed after it
}

// leafValue is a printed value, and that of the state before if it was printed; with a sign, "+" or
// "-", an element that a multiset has got or lost.
type leafValue struct {
	line
	sign, leaf, old, new string
}

var (
	plainLine  = regexp.MustCompile(`^(startstate|step \d+: rule) (".*)$`)
	firedLine  = regexp.MustCompile(`^(Startstate|Rule) (.*) fired\.$`)
	rumurLine  = regexp.MustCompile(`^("|\d+(,|$))|, \w+: `)
	freeLine   = regexp.MustCompile(`^(?:counterexample to the induction of .*:|a state as after startstate (".*), but for)$`)
	freeStep   = regexp.MustCompile(`^(?:step \d+: )?rule (".*)$`)
	deltaLine  = regexp.MustCompile(`^  (\S+): (\S+) -> (\S+)$`)
	fullLine   = regexp.MustCompile(`^  (\S+) = (\S.*)$`)
	setLine    = regexp.MustCompile(`^  ([+-]) (\S+) (\S.*)$`)
	valueLine  = regexp.MustCompile(`^(\S+):(\S+)$`)
	slotNumber = regexp.MustCompile(`\{\d+\}`)
)

// claims are the lines that name a violated property, by style.
var claims = [...]*regexp.Regexp{
	Plain:        regexp.MustCompile(`^(?:violated|covered): (\S+) (".*?")(?: \(.*\))?$`),
	CMurphiStyle: regexp.MustCompile(`^(Invariant|cover|liveness property) (".*") (?:failed\.|hit|violated)$`),
	RumurStyle:   regexp.MustCompile(`^(invariant|cover|liveness property) (\d+|".*") (?:failed|hit|violated:?)$`),
}

// splitTrace finds the first trace in a text, which may be all that a tool
// prints.
func splitTrace(src []byte) traceText {
	var t traceText
	header := false // the next indented line is the error
	guard := false  // the next line names a rule whose guard causes it
	n := 0
	for text := range strings.Lines(string(src)) {
		n++
		l := line{n, strings.TrimRight(text, "\n\r \t")}
		value := func(sign, leaf, old, new string) {
			if k := len(t.firings); k > 0 {
				t.firings[k-1].values = append(t.firings[k-1].values, leafValue{l, sign, leaf, old, new})
			}
		}
		fire := func(start bool, instance string) {
			t.firings = append(t.firings, firing{line: line{n, instance}, start: start})
		}
		if m := freeLine.FindStringSubmatch(l.text); m != nil {
			t.plain, t.free, t.firings = true, true, nil
			fire(true, m[1])
		} else if m := freeStep.FindStringSubmatch(l.text); m != nil && t.free {
			fire(false, m[1])
		} else if m := plainLine.FindStringSubmatch(l.text); m != nil {
			t.plain = true
			fire(m[1] == "startstate", m[2])
		} else if m := firedLine.FindStringSubmatch(l.text); m != nil {
			t.rumur = t.rumur || rumurLine.MatchString(m[2])
			fire(m[1] == "Startstate", m[2])
		} else if l.text == "The following is the error trace for the error:" {
			header = true
		} else if l.text == "Guard of the rule" {
			guard = true
		} else if rule, ok := strings.CutPrefix(l.text, "\t"); ok && guard {
			guard = false
			fire(false, rule)
		} else if ok && header {
			header = false
			t.claim = line{n, rule}
		} else if m := deltaLine.FindStringSubmatch(l.text); m != nil {
			value("", m[1], m[2], m[3])
		} else if m := fullLine.FindStringSubmatch(l.text); m != nil {
			value("", m[1], "", m[2])
		} else if m := loopLine.FindStringSubmatch(l.text); m != nil {
			if t.stuck, t.errs = m[1] != "", m[2] != ""; t.loop.number == 0 {
				t.loop, t.loopAt = l, len(t.firings)-1
			}
		} else if m := setLine.FindStringSubmatch(l.text); m != nil {
			value(m[1], m[2], "", m[3])
		} else if m := valueLine.FindStringSubmatch(l.text); m != nil {
			value("", m[1], "", m[2])
		} else if strings.HasPrefix(l.text, "violated: ") || strings.HasPrefix(l.text, "covered: ") {
			t.claim = l
			break
		} else if l.text == "End of the error trace." {
			break
		}
	}
	return t
}

// ReadInduction reads the first counterexample to induction in what induct or every prints. The start of the result is of
// rule -1: its state may be unreachable. The property is -1 if no property of the model is violated at the end, as the text is
// about a lemma. The result is nil if the text has none, or a trace before it.
func ReadInduction(p *model.Program, file string, src []byte) (*model.Trace, error) {
	if !splitTrace(src).free {
		return nil, nil
	}
	return readTrace(p, file, src, true)
}

// anywhere returns the state that a counterexample to induction starts in: that of a start state, but for some values.
func (r *traceReader) anywhere(ch model.Choice, values []leafValue) (model.State, bool) {
	s, v := r.m.Start(ch)
	if v != nil || s == nil {
		return nil, r.fail(r.firings[0].line, "%s leads to no state", r.p.Model.FormatStart(ch))
	}
	s = slices.Clone(s)
	for _, lv := range values {
		i, ok := r.index[lv.leaf]
		if !ok {
			return nil, r.fail(lv.line, "the model has no %s", lv.leaf)
		}
		t, of := r.leaves[i].Type, r.leaves[i].Slot
		n, err := strconv.ParseInt(lv.new, 10, 64)
		if t.Kind == model.Real {
			n = model.Undef
			if x, wrong := strconv.ParseFloat(lv.new, 64); wrong == nil {
				n, _ = t.Nearest(x)
			}
			err = nil
		}
		for s[i] = model.Undef; err != nil && t.Format(s[i]) != lv.new && s[i] < t.Hi; {
			s[i] = max(s[i]+1, t.Lo)
		}
		if err == nil && t.Lo <= n && n <= t.Hi {
			s[i] = n
		}
		if t.Format(s[i]) != lv.new {
			return nil, r.fail(lv.line, "%s is never %s", lv.leaf, lv.new)
		}
		if of >= 0 && of != i { // an element is there if it has a value
			s[of] = model.Undef
			for j := range r.leaves {
				if r.leaves[j].Slot == of && j != of && s[j] != model.Undef {
					s[of] = model.PresentType.Lo
				}
			}
		}
	}
	return s, r.p.Sorted(s) || r.fail(r.firings[0].line, "the elements of a multiset have an order, and these are out of it")
}

// Read reads a trace of the model from text; file is used in messages
// only. It fires the instances named, so the result satisfies Replay. An error
// begins with file:line:col, where the trace leaves the model. With runs, it takes a text that says of no error and violates
// nothing, too: the property of the result is -1 then, and Replay does not take it.
func Read(p *model.Program, file string, src []byte, runs bool) (*model.Trace, error) {
	t, err := readTrace(p, file, src, false)
	if err != nil && runs {
		if run, _ := readTrace(p, file, src, true); run != nil && run.Start.Rule >= 0 {
			return run, nil
		}
	}
	return t, err
}

func readTrace(p *model.Program, file string, src []byte, run bool) (*model.Trace, error) {
	text := splitTrace(src)
	if len(text.firings) == 0 || !text.firings[0].start {
		return nil, fmt.Errorf("%s:1:1: no start state: not a trace", file)
	}
	if text.free && !run {
		return nil, fmt.Errorf("%s:%d:1: a counterexample to induction begins in a state that may be unreachable: not a trace; simulate opens it", file, text.firings[0].number)
	}
	styles := []Style{CMurphiStyle, RumurStyle}
	if text.plain {
		styles = []Style{Plain}
	} else if text.rumur {
		slices.Reverse(styles)
	}
	var first error
	for _, style := range styles {
		for _, anySlot := range []bool{false, true} {
			if anySlot && (text.plain || !slices.ContainsFunc(p.Model.AllLeaves(), func(l model.Leaf) bool { return l.Slot >= 0 })) {
				continue
			}
			r := newTraceReader(p, text, style)
			r.run = run
			if anySlot {
				r.forgetSlots()
			}
			t := &model.Trace{}
			if r.claims() && r.search(t, nil, 0) {
				return t, nil
			}
			if first == nil {
				first = fmt.Errorf("%s:%d:1: %s", file, r.where, r.why)
			}
		}
	}
	return nil, first
}

// traceReader fires what a trace names. Names need not be unique, so it
// searches among the rules of one name, depth first.
type traceReader struct {
	traceText
	style Style
	// anySlot says that the numbers of slots mean nothing, as in the output of
	// CMurphi, which does not print sorted multisets: slot parameters may have
	// any value, and a leaf in a multiset is one of those in any slot.
	anySlot bool
	inSlots map[string][]int // leaf numbers by spelling without slots
	p       *model.Program
	m       *model.Machine
	run     bool // it may violate nothing, if it says of no error
	format  func(*model.Type, int64) string
	leaves  []model.Leaf
	index   map[string]int  // leaf numbers by spelling
	failed  map[string]bool // firing number and state from which the rest fails
	named   []int           // the properties one of which is claimed to be violated; empty if that is not said

	where int // line of the failure that came latest in the trace
	why   string
}

func newTraceReader(p *model.Program, text traceText, style Style) *traceReader {
	r := &traceReader{traceText: text, style: style, p: p, m: p.NewMachine(), format: (*model.Type).Format,
		index: make(map[string]int), failed: make(map[string]bool)}
	if text.free && text.firings[0].text == "" { // every says no more: the first one that does not err
		r.m.Starts(func(ch model.Choice, _ model.State, v *model.Violation) bool {
			text.firings[0].text = strings.TrimPrefix(p.Model.FormatStart(ch), "startstate ")
			return v != nil
		})
	}
	if style == RumurStyle {
		r.format = formatFromZero
	}
	r.leaves = p.Model.LeavesSpelled(r.format)
	for i, l := range r.leaves {
		r.index[l.Name] = i
	}
	return r
}

func (r *traceReader) fail(at line, format string, args ...any) bool {
	if at.number > r.where {
		r.where, r.why = at.number, fmt.Sprintf(format, args...)
	}
	return false
}

// claims looks up the properties that the trace says are violated.
func (r *traceReader) claims() bool {
	m := claims[r.style].FindStringSubmatch(r.claim.text)
	if m == nil {
		if d := r.p.Model.DeadlockProp(); d != nil && r.style != Plain && r.claim.text == deadlocked(r.style) {
			r.named = []int{d.Index}
		}
		return true
	}
	for i, p := range r.p.Model.Props {
		kind, name := p.Kind.String(), strconv.Quote(p.Name)
		if r.style != Plain && p.Kind != model.Cover {
			name = invariantName(r.p.Model, p, r.style)
		}
		claimed := strings.ToLower(strings.TrimSuffix(m[1], " property"))
		if claimed == kind && (m[2] == name ||
			p.Kind == model.Invariant && strings.HasPrefix(m[2], strings.TrimSuffix(name, `"`)+", ")) { // CMurphi adds the parameters
			r.named = append(r.named, i)
		}
	}
	if len(r.named) == 0 {
		return r.fail(r.claim, "the model has no such property: %s %s", m[1], m[2])
	}
	return true
}

// search extends t by firing number i, from state s, and the rest.
func (r *traceReader) search(t *model.Trace, s model.State, i int) bool {
	switch {
	case i < len(r.firings):
	case r.loop.number > 0:
		return r.closes(t, s)
	default:
		return r.end(t, s)
	}
	key := fmt.Sprint(i, s)
	if r.failed[key] {
		return false
	}
	f := r.firings[i]
	if f.start != (i == 0) {
		return r.fail(f.line, "a start state must come first, and only there")
	}
	choices := r.candidates(f)
	if len(choices) == 0 {
		return r.fail(f.line, "the model has no such rule: %s", f.text)
	}
	for _, ch := range choices {
		if r.fire(t, s, i, ch) {
			return true
		}
	}
	r.failed[key] = true
	return false
}

// fire fires ch as number i and goes on; t is as before if that fails.
func (r *traceReader) fire(t *model.Trace, s model.State, i int, ch model.Choice) bool {
	f := r.firings[i]
	next, enabled, v := model.State(nil), true, (*model.Violation)(nil)
	if f.start && r.free {
		if next, enabled = r.anywhere(ch, f.values); !enabled {
			return false
		}
		ch = model.Choice{Rule: -1}
	} else if f.start {
		next, v = r.m.Start(ch)
	} else {
		next, enabled, v = r.m.Fire(s, ch)
	}
	switch {
	case v != nil && r.errs && i == len(r.firings)-1:
		t.Steps = append(t.Steps, model.TraceStep{Choice: ch})
		return true
	case v != nil && (i < len(r.firings)-1 || r.loop.number > 0):
		return r.fail(f.line, "errs before the end of the trace: %v", v)
	case v != nil && r.hit():
		v = &model.Violation{Prop: r.named[0]}
	case v != nil && s != nil && r.style == Plain && !r.agrees(f, s, s):
		return false // the last state is the one before
	case v != nil && r.asNamed(v) == nil:
		return r.fail(f.line, "does not violate what line %d says: %v", r.claim.number, v)
	case v == nil && (!enabled || next == nil && f.start):
		if f.start {
			return r.fail(f.line, "%s is disabled", r.p.Model.FormatStart(ch))
		}
		return r.fail(f.line, "%s is disabled", r.p.Model.FormatChoice(ch))
	case v == nil && !(f.start && r.free) && !r.agrees(f, s, next):
		return false
	}
	if f.start {
		t.Start, t.StartState = ch, next
	} else {
		t.Steps = append(t.Steps, model.TraceStep{Choice: ch, State: next})
	}
	if v = r.asNamed(v); v != nil {
		t.Violation, t.Prop = v, v.Prop
		return true
	}
	if r.search(t, next, i+1) {
		return true
	}
	if !f.start {
		t.Steps = t.Steps[:len(t.Steps)-1]
	}
	return false
}

// asNamed returns a violation as one of a property that the trace names, or as it is if that names none; nil
// if it is none of those.
func (r *traceReader) asNamed(v *model.Violation) *model.Violation {
	if len(r.named) == 0 {
		return v
	}
	for _, u := range v.Each() {
		if slices.Contains(r.named, u.Prop) {
			return u
		}
	}
	return nil
}

// hit reports whether the instance run last hit the one cover property that is
// claimed to be hit.
func (r *traceReader) hit() bool { return len(r.named) == 1 && r.m.Hit(r.named[0]) }

// candidates returns the instances that f may name.
func (r *traceReader) candidates(f firing) []model.Choice {
	rules, kind := r.p.Model.Rules, "Rule"
	if f.start {
		rules, kind = r.p.Model.Starts, "Startstate"
	}
	var out []model.Choice
	for _, rule := range rules {
		var name string
		switch r.style {
		case Plain:
			name = strconv.Quote(rule.PlainName(strings.ToLower(kind)))
		case CMurphiStyle:
			name = cmurphiName(rules, rule, kind)
		case RumurStyle:
			name = rumurName(rule)
		}
		if rest, ok := strings.CutPrefix(f.text, name); ok {
			if ch, ok := r.choice(rule, rest); ok {
				out = append(out, r.slotChoices(rule, ch)...)
			}
		}
	}
	return out
}

// slotChoices returns the instances of a rule that differ from ch in slots that
// mean nothing.
func (r *traceReader) slotChoices(rule *model.Rule, ch model.Choice) (out []model.Choice) {
	if !r.anySlot {
		return []model.Choice{ch}
	}
instances:
	for params := range model.Instances(rule.Params) {
		for i, q := range rule.Params {
			if !q.Var.Type.Slots && params[i] != ch.Params[i] {
				continue instances
			}
		}
		out = append(out, model.Choice{Rule: ch.Rule, Params: params})
	}
	return out
}

// choice reads the parameters that follow the name of a rule. Their order does
// not matter: Rumur prints those of nested rulesets innermost first, those of
// one ruleset in the order of the source.
func (r *traceReader) choice(rule *model.Rule, text string) (ch model.Choice, ok bool) {
	separator := ":"
	if r.style == Plain {
		separator = "="
		if text != "" {
			inner, open := strings.CutPrefix(text, " (")
			inner, closed := strings.CutSuffix(inner, ")")
			if !open || !closed {
				return ch, false
			}
			text = ", " + inner
		}
	}
	spelt := make(map[string]string)
	if text != "" {
		parts := strings.Split(text, ", ")
		if parts[0] != "" || len(parts) != len(rule.Params)+1 {
			return ch, false
		}
		for _, part := range parts[1:] {
			name, value, _ := strings.Cut(part, separator)
			spelt[name] = strings.TrimSpace(value)
		}
	}
	ch.Rule = rule.Index
	for _, q := range rule.Params {
		found := false
		if r.anySlot && q.Var.Type.Slots {
			ch.Params, found = append(ch.Params, 0), true
		}
		for _, v := range q.Domain.Values() {
			// Rumur without symmetry reduction prints parameters as numbers.
			text := spelt[q.Var.Name]
			number := r.style == RumurStyle && q.Var.Type.Kind == model.Scalarset && text == strconv.FormatInt(v, 10)
			if !found && (number || r.format(q.Var.Type, v) == text) {
				ch.Params, found = append(ch.Params, v), true
			}
		}
		if !found {
			return ch, false
		}
	}
	return ch, true
}

// agrees compares the values printed after f with state s, and those printed as
// what they were with the state before.
func (r *traceReader) agrees(f firing, before, s model.State) bool {
	for i, lv := range f.values {
		places := r.places(lv.leaf)
		if places == nil && r.style == Plain {
			return r.fail(lv.line, "the model has no %s", lv.leaf)
		} // in the output of a tool, a line that only looks like a value
		for _, p := range places {
			if lv.sign != "" {
				if !r.exchanges(f.values[:i+1], p, before, s) {
					return false
				}
				continue
			}
			if r.anySlot && r.leaves[p.at].Slot >= 0 {
				if !r.inAnySlot(&r.leaves[p.at], s, lv.new) {
					return r.fail(lv.line, "no %s is %s in the model", p.name, lv.new)
				}
				continue
			}
			if got := r.spelling(p, s); got != lv.new {
				return r.fail(lv.line, "%s is %s in the model, not %s", p.name, got, lv.new)
			}
			if lv.old == "" {
				continue
			}
			if before == nil {
				return r.fail(lv.line, "%s has no value before the start", p.name)
			}
			if got := r.spelling(p, before); got != lv.old {
				return r.fail(lv.line, "%s was %s in the model, not %s", p.name, got, lv.old)
			}
		}
	}
	return true
}

// exchanges reports whether the multiset p gets, or loses, the element of the last of the values,
// as often as they say so.
func (r *traceReader) exchanges(values []leafValue, p part, before, s model.State) bool {
	lv := values[len(values)-1]
	if p.t.Kind != model.Multiset || before == nil {
		return r.fail(lv.line, "%s is no multiset that a step changes", p.name)
	}
	changed, added := exchanged(p.t, p.at, before, s, r.format)
	if lv.sign == "+" {
		changed = added
	}
	n := lists.Count(values, func(x leafValue) bool { return x.sign == lv.sign && x.leaf == lv.leaf && x.new == lv.new })
	for _, e := range changed {
		if e == lv.new {
			n--
		}
	}
	if n > 0 {
		return r.fail(lv.line, "the model has no such change: %s %s %s", lv.sign, p.name, lv.new)
	}
	return true
}

// forgetSlots makes r take slots for any.
func (r *traceReader) forgetSlots() {
	r.anySlot, r.inSlots = true, make(map[string][]int)
	for i, l := range r.leaves {
		if l.Slot >= 0 {
			key := slotNumber.ReplaceAllString(l.Name, "{}")
			r.inSlots[key] = append(r.inSlots[key], i)
		}
	}
}

// inAnySlot reports whether l, or the same leaf of another slot, has a value.
func (r *traceReader) inAnySlot(l *model.Leaf, s model.State, value string) bool {
	return slices.ContainsFunc(r.inSlots[slotNumber.ReplaceAllString(l.Name, "{}")], func(n int) bool {
		return r.format(r.leaves[n].Type, s[n]) == value
	})
}

// spelling returns how the style spells what is in p.
func (r *traceReader) spelling(p part, s model.State) string {
	if r.style == Plain && !r.free && p.t.Simple() && !used(&r.leaves[p.at], s) {
		return "free"
	}
	return p.spell(s, r.format)
}

// end finds the property that the last state violates: one that the trace
// names, else the first.
func (r *traceReader) end(t *model.Trace, s model.State) bool {
	last := r.firings[len(r.firings)-1].line
	for i, q := range r.p.Model.Props {
		if (q.Kind == model.Cover || q.Kind.Graph()) && !slices.Contains(r.named, i) {
			continue
		}
		if v := r.asNamed(r.m.Shown(s, i)); v != nil {
			t.Violation, t.Prop = v, v.Prop
			return true
		}
	}
	if len(r.named) > 0 {
		return r.fail(r.claim, "%s is not violated at the end of the trace", r.p.Model.Props[r.named[0]].Name)
	}
	t.Prop = -1
	return r.run && (r.claim.text == "" || r.free) || r.fail(last, "the trace ends in a state that violates nothing")
}
