package gotest

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"orbitmc/gotest/shim/sched"
	"orbitmc/internal/trace"
)

// place is file:line, from the folder in which we are where it is below; ours is named by the package.
func place(at string) string {
	if at == "" {
		return ""
	}
	if _, ours, ok := strings.Cut(filepath.ToSlash(at), "/src/"+shim+"/"); ok {
		return filepath.Dir(ours)
	}
	if _, module, ok := strings.Cut(filepath.ToSlash(at), "/"+links); ok {
		_, module, _ = strings.Cut(module, "/")
		return module
	}
	if dir, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(dir, at); err == nil && !strings.HasPrefix(rel, "..") {
			return rel
		}
	}
	return at
}

// quote returns the line of source at a place.
func quote(at string) string {
	i := strings.LastIndexByte(at, ':')
	if i < 0 || place(at) != at && !strings.Contains(place(at), ":") {
		return ""
	}
	text, err := os.ReadFile(at[:i])
	if err != nil {
		return ""
	}
	line := 0
	fmt.Sscan(at[i+1:], &line)
	if lines := strings.Split(string(text), "\n"); 0 < line && line <= len(lines) {
		return strings.TrimSpace(lines[line-1])
	}
	return ""
}

// what names an operation and its object.
func what(s sched.Step) string { return strings.TrimSpace(s.Op + " " + s.Object) }

// actor names a goroutine of a violation.
func actor(v *sched.Violation, id int) string {
	i := slices.IndexFunc(v.Agents, func(a sched.Agent) bool { return a.ID == id })
	if id == 0 || i < 0 {
		return "clock"
	}
	return v.Agents[i].Name
}

var raceFrame = regexp.MustCompile(`(?m)^((?:Previous )?(?:[Aa]tomic )?(?:[Rr]ead|[Ww]rite)) at .* by (?:main )?goroutine.*:\n((?:  .*\n)+)`)

// races returns what the race detector says of each access, and where.
func races(text string) (all []string) {
	for i, at := range raceLines(text) {
		m := raceFrame.FindAllStringSubmatch(text, 2)[i]
		all = append(all, fmt.Sprintf("%s at %s  %s", strings.ToLower(m[1]), place(at), quote(at)))
	}
	return all
}

// raceLines returns where the two accesses of a race are.
func raceLines(text string) (all []string) {
	for _, m := range raceFrame.FindAllStringSubmatch(text, 2) {
		at := ""
		for _, l := range strings.Split(m[2], "\n") {
			l, _, _ = strings.Cut(strings.TrimSpace(l), " +0x")
			if strings.HasPrefix(l, "/") && !strings.Contains(l, "/src/"+shim+"/") && !strings.Contains(l, "/src/runtime/") && !strings.Contains(l, "/src/internal/") {
				at = l
				break
			}
		}
		all = append(all, at)
	}
	return all
}

// Headline says what a violation is.
func Headline(v *sched.Violation) string {
	switch v.Kind {
	case "race":
		text := "data race: " + strings.Join(races(v.Text), ", ")
		if strings.Contains(v.Text, "runtime.racewrite()\n") { // which nothing else calls
			text = "data race: the first Add of a WaitGroup is not ordered with a Wait"
		}
		return text
	case "leak":
		return "goroutine leak: " + v.Text
	case "failure":
		return "the test fails: " + cmp.Or(v.Text, "no message")
	}
	return strings.TrimSuffix(v.Kind+": "+v.Text, ": ")
}

// WriteText writes what is known of a test.
func (t *Test) WriteText(w io.Writer, timers string, race bool) {
	fmt.Fprintf(w, "%s %s: ", t.Package, t.Name)
	count := fmt.Sprintf("%s, %d steps", plural(t.Executions, "schedule"), t.Steps)
	if t.Random > 0 {
		count += fmt.Sprintf(", %d of them at random", t.Random)
		count = strings.Replace(count, plural(t.Executions, "schedule"), plural(t.Executions+t.Random, "schedule"), 1)
	}
	switch t.Verdict {
	case Explored:
		fmt.Fprintf(w, "no violation in all schedules (%s)\n", count)
		said := []string{"time passes only while all goroutines wait"}
		if timers == "any" {
			said[0] = "each timer fires at any moment"
		}
		said = append(said, t.Notes...)
		if race {
			said = append(said, "no race was reported by Go's detector")
		} else {
			said = append(said, "races were not looked for")
		}
		fmt.Fprintf(w, "  where %s\n", strings.Join(said, ", "))
	case Incomplete:
		fmt.Fprintf(w, "no violation so far (%s); not all schedules were explored:\n", count)
		for _, g := range t.Gaps {
			fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(g, "\n", "\n  "))
		}
	case Violated:
		fmt.Fprintf(w, "%s (%s)\n", plural(len(t.Violations), "violation"), count)
		for i := range t.Violations {
			fmt.Fprintln(w)
			WriteViolation(w, &t.Violations[i])
		}
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// WriteViolation writes a violation: the schedule, and who waits for what.
func WriteViolation(w io.Writer, v *sched.Violation) {
	fmt.Fprintf(w, "%s\n", strings.ReplaceAll(Headline(v), "\n", "\n  "))
	if v.Agent > 0 {
		fmt.Fprintf(w, "  in %s\n", actor(v, v.Agent))
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "  schedule, %s:\n", plural(len(v.Steps), "step"))
	for i := 0; i < len(v.Steps); i++ {
		s := v.Steps[i]
		op, from := what(s), i
		if s.Partner > 0 {
			op += " to " + actor(v, s.Partner)
		}
		for i+1 < len(v.Steps) && v.Steps[i+1].Agent == s.Agent && place(v.Steps[i+1].At) == place(s.At) && s.Agent > 0 && s.Partner == 0 && v.Steps[i+1].Partner == 0 {
			i++ // what a call of context or testing does, or a loop in one line
		}
		if n := i - from; n > 0 {
			op += ", and " + plural(n, "step") + " more"
		}
		fmt.Fprintf(tw, "    %s\t%s\t%s\t%s\n", actor(v, s.Agent), op, place(s.At), quote(s.At))
	}
	tw.Flush()
	waits := false
	for _, a := range v.Agents {
		if a.Waits == "" || v.Kind != "deadlock" && v.Kind != "leak" {
			continue
		}
		if !waits {
			fmt.Fprintln(w, "  who waits:")
			waits = true
		}
		fmt.Fprintf(tw, "    %s\t%s\t%s\t%s\n", a.Name, a.Waits, place(a.At), quote(a.At))
	}
	tw.Flush()
	if v.Stack != "" {
		fmt.Fprintf(w, "  stack:\n    %s\n", strings.ReplaceAll(strings.TrimSpace(v.Stack), "\n", "\n    "))
	}
}

// View returns a violation as a page: a lane for each goroutine, and for each channel.
func View(t *Test, v *sched.Violation) *trace.View {
	r := &trace.View{Title: t.Package + " " + t.Name, Property: strings.TrimPrefix(Headline(v), v.Kind+": "), Kind: v.Kind, Verb: "found", Depth: len(v.Steps), Loop: -1, Start: trace.Moment{Rule: "start", Actor: -1}}
	lane := map[string]int{}
	add := func(name string) int {
		if i, ok := lane[name]; ok {
			return i
		}
		lane[name] = len(r.Lanes)
		r.Lanes = append(r.Lanes, trace.Lane{Name: name})
		return lane[name]
	}
	for _, a := range v.Agents {
		add(a.Name)
		if a.Waits != "" {
			r.Places = append(r.Places, fmt.Sprintf("%s: %s, %s  %s", a.Name, a.Waits, place(a.At), quote(a.At)))
		}
	}
	of := func(id int) int { return add(actor(v, id)) }
	queued := map[string][]int{} // by channel: messages in it
	for k, s := range v.Steps {
		m := trace.Moment{Rule: what(s), Actor: -1, Text: []string{place(s.At), quote(s.At)}}
		if s.Agent > 0 {
			m.Actor = of(s.Agent)
		}
		r.Steps = append(r.Steps, m)
		switch {
		case s.Partner > 0:
			r.Messages = append(r.Messages, trace.Message{From: m.Actor, To: of(s.Partner), Text: s.Object, Sent: k + 1, Received: k + 1})
		case s.Op == "send" && s.Object != "":
			queued[s.Object] = append(queued[s.Object], len(r.Messages))
			r.Messages = append(r.Messages, trace.Message{From: m.Actor, To: add(s.Object), Text: "send", Sent: k + 1})
		case s.Op == "receive" && s.Object != "":
			text := "closed"
			if q := queued[s.Object]; len(q) > 0 {
				text, queued[s.Object] = "receive", q[1:]
				r.Messages[q[0]].Received = k + 1
			}
			r.Messages = append(r.Messages, trace.Message{From: add(s.Object), To: m.Actor, Text: text, Sent: k + 1, Received: k + 1})
		}
	}
	return r
}
