package model

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// This file reads counterexamples back: those that WriteTrace prints in any of
// its styles, and those of CMurphi and Rumur, which it imitates. What is read
// is the fired instances and the values printed after each; the states
// follow from firing, and a printed value that differs rejects the trace.

// firing is one fired instance as it stands in a trace.
type firing struct {
	line    int
	start   bool
	text    string            // plain: the quoted name; others: name and parameters
	params  map[string]string // plain: parameters by name
	rumur   bool              // values of scalarsets count from 0
	values  []leafValue       // printed after it
	inGuard bool              // CMurphi: its guard caused the error
}

type leafValue struct {
	line        int
	leaf, value string
}

var (
	plainLine = regexp.MustCompile(`^(startstate|step \d+: rule) "(.*)"(?: \((.*)\))?$`)
	firedLine = regexp.MustCompile(`^(Startstate|Rule) (.*) fired\.$`)
	deltaLine = regexp.MustCompile(`^  (\S+): \S+ -> (\S+)$`)
	fullLine  = regexp.MustCompile(`^  (\S+) = (\S+)$`)
	valueLine = regexp.MustCompile(`^(\S+):(\S+)$`)
	nameLine  = regexp.MustCompile(`"([^"]*)"`)
)

// ReadTrace reads a trace of the model from text; file is used in messages
// only. It fires the instances named, so the result satisfies Replay. An error
// says in which line the trace leaves the model.
func (p *Program) ReadTrace(file string, src []byte) (*Trace, error) {
	var fs []firing
	claim := "" // line that says what is violated
	guardNext := false
	for i, line := range strings.Split(string(src), "\n") {
		line = strings.TrimRight(line, "\r \t")
		trimmed := strings.TrimSpace(line)
		n := i + 1
		add := func(leaf, value string) {
			if len(fs) > 0 {
				f := &fs[len(fs)-1]
				f.values = append(f.values, leafValue{n, leaf, value})
			}
		}
		if m := plainLine.FindStringSubmatch(line); m != nil {
			fs = append(fs, firing{line: n, start: m[1] == "startstate", text: m[2], params: splitParams(m[3])})
		} else if m := firedLine.FindStringSubmatch(line); m != nil {
			f := firing{line: n, start: m[1] == "Startstate", text: m[2]}
			f.rumur = strings.HasPrefix(m[2], `"`)
			fs = append(fs, f)
		} else if line == "Guard of the rule" {
			guardNext = true
		} else if guardNext && strings.HasPrefix(line, "\t") {
			guardNext = false
			fs = append(fs, firing{line: n, text: trimmed, inGuard: true})
		} else if m := deltaLine.FindStringSubmatch(line); m != nil {
			add(m[1], m[2])
		} else if m := fullLine.FindStringSubmatch(line); m != nil {
			add(m[1], m[2])
		} else if m := valueLine.FindStringSubmatch(line); m != nil {
			add(m[1], m[2])
		} else if strings.HasPrefix(line, "violated: ") || strings.HasPrefix(line, "\t") && claim == "" {
			claim = trimmed
		}
	}
	if len(fs) == 0 || !fs[0].start {
		return nil, fmt.Errorf("%s:1:1: no start state: not a trace", file)
	}
	r := &traceReader{p: p, m: p.NewMachine(), file: file, fs: fs, claim: claim, names: make([]map[string]int, 2)}
	t := &Trace{}
	if r.search(t, nil, 0) {
		return t, nil
	}
	return nil, r.err
}

func splitParams(s string) map[string]string {
	ps := make(map[string]string)
	if s == "" {
		return ps
	}
	for _, part := range strings.Split(s, ", ") {
		name, value, _ := strings.Cut(part, "=")
		ps[name] = value
	}
	return ps
}

// traceReader fires what a trace names. Names need not be unique, so it
// searches among the rules of one name, depth first.
type traceReader struct {
	p     *Program
	m     *Machine
	file  string
	fs    []firing
	claim string
	names []map[string]int // leaf numbers by spelling: with values from 1, from 0
	err   error            // of the deepest attempt
	deep  int
}

func (r *traceReader) fail(i int, format string, args ...any) bool {
	if r.err == nil || i >= r.deep {
		r.deep = i
		r.err = fmt.Errorf("%s:%d:1: %s", r.file, r.fs[i].line, fmt.Sprintf(format, args...))
	}
	return false
}

// search extends t by firing number i, from state s, and the rest.
func (r *traceReader) search(t *Trace, s State, i int) bool {
	if i == len(r.fs) {
		return r.end(t, s)
	}
	f := r.fs[i]
	if f.start != (i == 0) {
		return r.fail(i, "a start state must come first, and only there")
	}
	choices := r.candidates(f)
	if len(choices) == 0 {
		return r.fail(i, "the model has no such rule: %s", f.text)
	}
	for _, ch := range choices {
		next, enabled, v := State(nil), true, (*Violation)(nil)
		if f.start {
			t.Start = ch
			next, v = r.m.Start(ch)
			t.StartState = next
		} else {
			next, enabled, v = r.m.Fire(s, ch)
		}
		switch {
		case v != nil:
			if i < len(r.fs)-1 {
				r.fail(i, "errs before the end of the trace: %v", v)
				continue
			}
			if !f.start {
				t.Steps = append(t.Steps, TraceStep{Choice: ch})
			}
			t.Violation, t.Prop = v, v.Prop
			return true
		case !enabled:
			r.fail(i, "%s is disabled", r.p.Model.FormatChoice(ch))
			continue
		case !r.agrees(i, next):
			continue
		}
		if f.start {
			if r.search(t, next, i+1) {
				return true
			}
			continue
		}
		t.Steps = append(t.Steps, TraceStep{Choice: ch, State: next})
		if r.search(t, next, i+1) {
			return true
		}
		t.Steps = t.Steps[:len(t.Steps)-1]
	}
	return false
}

// candidates returns the instances a firing may name.
func (r *traceReader) candidates(f firing) []Choice {
	rules, kind := r.p.Model.Rules, "Rule"
	if f.start {
		rules, kind = r.p.Model.Starts, "Startstate"
	}
	var out []Choice
	for _, rule := range rules {
		var spelt []string // parameter values, outermost first
		switch {
		case f.params != nil:
			name := rule.Name
			if name == "" {
				name = fmt.Sprintf("%s@%d", strings.ToLower(kind), rule.Pos.Line)
			}
			if name != f.text || len(f.params) != len(rule.Params) {
				continue
			}
			for _, q := range rule.Params {
				spelt = append(spelt, f.params[q.Var.Name])
			}
		default:
			names := []string{rule.Name}
			if rule.Name == "" {
				names = []string{fmt.Sprintf("%s %d", kind, rule.Index), fmt.Sprint(rule.Index + 1)}
			} else if f.rumur {
				names[0] = `"` + rule.Name + `"`
			}
			rest, ok := "", false
			for _, name := range names {
				if rest, ok = strings.CutPrefix(f.text, name); ok {
					break
				}
			}
			if !ok {
				continue
			}
			vars := slices.Clone(rule.Params)
			if !f.rumur {
				slices.Reverse(vars)
			}
			for _, q := range vars {
				var v string
				if rest, ok = strings.CutPrefix(rest, ", "+q.Var.Name+":"); !ok {
					break
				}
				v, rest = rest, ""
				if at := strings.Index(v, ", "); at >= 0 {
					v, rest = v[:at], v[at:]
				}
				spelt = append(spelt, strings.TrimSpace(v))
			}
			if rest != "" || len(spelt) != len(vars) {
				continue
			}
			if !f.rumur {
				slices.Reverse(spelt)
			}
		}
		if ch, ok := r.choice(rule, spelt, f.rumur); ok {
			out = append(out, ch)
		}
	}
	return out
}

// choice reads the parameter values of a rule.
func (r *traceReader) choice(rule *Rule, spelt []string, fromZero bool) (Choice, bool) {
	ch := Choice{Rule: rule.Index, Params: make([]int64, len(spelt))}
	for i, q := range rule.Params {
		found := false
		for _, v := range q.Domain.Values() {
			if format(q.Var.Type, v, fromZero) == spelt[i] {
				ch.Params[i], found = v, true
			}
		}
		if !found {
			return ch, false
		}
	}
	return ch, true
}

func format(t *Type, v int64, fromZero bool) string {
	if fromZero {
		return formatFromZero(t, v)
	}
	return t.Format(v)
}

// agrees compares the values printed after firing i with state s.
func (r *traceReader) agrees(i int, s State) bool {
	f := r.fs[i]
	k := 0
	if f.rumur {
		k = 1
	}
	if r.names[k] == nil {
		r.names[k] = make(map[string]int)
		var leaves []Leaf
		for _, v := range r.p.Model.Vars {
			leaves = unfold(leaves, v, v.Type, v.Name, nil, func(t *Type, v int64) string { return format(t, v, f.rumur) })
		}
		for n, l := range leaves {
			r.names[k][l.Name] = n
		}
	}
	for _, lv := range f.values {
		n, ok := r.names[k][lv.leaf]
		if !ok {
			continue // a line of another tool that only looks like a value
		}
		if got := format(r.p.Model.Leaf(n).Type, s[n], f.rumur); got != lv.value {
			return r.fail(i, "line %d says %s is %s; in the model it is %s", lv.line, lv.leaf, lv.value, got)
		}
	}
	return true
}

// end finds the property that the last state violates: the one that the trace
// names, else the first.
func (r *traceReader) end(t *Trace, s State) bool {
	var found []*Violation
	for i, q := range r.p.Model.Props {
		switch q.Kind {
		case Invariant:
			if v := r.m.Violated(s, i); v != nil {
				found = append(found, v)
			}
		case Deadlock:
			if r.m.Deadlocked(s) {
				found = append(found, &Violation{Prop: i, Message: "deadlock"})
			}
		}
	}
	if len(found) == 0 {
		return r.fail(len(r.fs)-1, "the trace ends in a state that violates nothing")
	}
	v := found[0]
	if m := nameLine.FindStringSubmatch(r.claim); m != nil {
		for _, f := range found {
			if r.p.Model.Props[f.Prop].Name == m[1] {
				v = f
			}
		}
	}
	t.Violation, t.Prop = v, v.Prop
	return true
}
