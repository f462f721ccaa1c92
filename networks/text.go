package networks

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"orbitmc/internal/lists"
)

func plural(n int, what string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", what)
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Summary says what is wrong if some types share networks.
func (w *Witness) Summary() string {
	text := string(w.Verdict)
	if len(w.Merged) == 0 {
		text += " with each type apart"
	} else {
		text += " with " + lists.Join(w.Merged, " and with ", func(g []string) string { return strings.Join(g, ", ") }) + " together"
	}
	if w.Message != "" {
		text += ": " + w.Message
	}
	return text
}

// conclusion says how many networks are enough.
func (r *Result) conclusion() string {
	tried := len(r.Levels)
	switch {
	case r.Stopped != "" && tried > 1 && !slices.ContainsFunc(r.Levels[:tried-1], func(l *Level) bool { return l.Undecided > 0 }):
		return fmt.Sprintf("not decided; %s not enough: %s", isNot(tried-1), r.Stopped)
	case r.Open != "" && r.Least > 0:
		return fmt.Sprintf("%s enough; whether fewer are is not decided: %s", are(r.Least), r.Open)
	case r.Stopped+r.Open != "":
		return "not decided: " + cmp.Or(r.Stopped, r.Open)
	case r.Only && r.Least > 0:
		return "no deadlock, overflow or error is reachable"
	case r.Only:
		return "a deadlock, overflow or error is reachable"
	case r.Least == 1:
		return "1 network is enough"
	case r.Least > 1:
		return fmt.Sprintf("%d networks are enough, and fewer are not", r.Least)
	}
	return isNot(tried) + " not enough"
}

func are(n int) string {
	if n == 1 {
		return "1 network is"
	}
	return fmt.Sprintf("%d networks are", n)
}

func isNot(n int) string {
	if n == 1 {
		return are(n)
	}
	return "up to " + are(n)
}

// Write writes the result as text or Markdown.
func (r *Result) Write(w io.Writer, markdown bool) error {
	var b strings.Builder
	item, end := "  ", "\n"
	if markdown {
		item, end = "* ", "\n"
		fmt.Fprintf(&b, "# %s\n\n", r.Model)
	} else {
		fmt.Fprintf(&b, "%s\n\n", r.Model)
	}
	guessed := "options: "
	if r.Guessed {
		guessed = "guessed: "
	}
	fmt.Fprintf(&b, "%s%s\n", guessed, r.Options())
	fmt.Fprintf(&b, "queues: %s\n", orders[r.Order])
	switch {
	case r.Capacity > 0 && r.Full == "wait":
		fmt.Fprintf(&b, "capacity: %s in a queue; a step that would put more into it waits\n", plural(r.Capacity, "message"))
	case r.Capacity > 0:
		fmt.Fprintf(&b, "capacity: %s in a queue\n", plural(r.Capacity, "message"))
	case r.Order != "none" && r.Longest > 0:
		fmt.Fprintf(&b, "capacity: %s in a queue at most: the least number is the same for each capacity from %d on\n", plural(r.Longest, "message"), r.Longest)
	}
	if len(r.Looking) > 0 {
		fmt.Fprintf(&b, "not blocked: messages behind others are counted by %s\n", strings.Join(r.Looking, ", "))
	}
	if r.Apart != "" && r.Apart != Free {
		fmt.Fprintf(&b, "a network for each of %s: %s\n", plural(len(r.Types), "type"), r.Apart)
	}
	fmt.Fprintf(&b, "\n%s\n", r.conclusion())
	for i, g := range r.Groups {
		fmt.Fprintf(&b, "%snetwork %d: %s%s", item, i+1, strings.Join(g, " "), end)
	}
	if r.Least > 0 {
		fmt.Fprintf(&b, "%s%s visited, all there are up to symmetry%s", item, plural(int(r.States), "state"), end)
	}
	if len(r.Levels) > 0 {
		b.WriteString("\n")
	}
	for _, l := range r.Levels {
		var found []string
		for _, x := range []struct {
			n    int
			what Verdict
		}{{l.Deadlock, Deadlock}, {l.Overflow, Overflow}, {l.Error, Error}, {l.Undecided, Undecided}} {
			if x.n > 0 {
				found = append(found, fmt.Sprintf("%d %s", x.n, x.what))
			}
		}
		if l.Networks == r.Least {
			found = append(found, "1 free")
		}
		if l.Left > 0 {
			found = append(found, fmt.Sprintf("%d not looked at", l.Left))
		}
		fmt.Fprintf(&b, "%s%s: %s: %s; %d searched%s", item, plural(l.Networks, "network"), plural(l.Assignments, "assignment"), strings.Join(found, ", "), l.Searched, end)
	}
	for _, p := range r.Unsure {
		fmt.Fprintf(&b, "%snot decided: %s%s", item, p, end)
	}
	for i, m := range r.Merges {
		minimal := ""
		if m.Minimal && len(m.Merged) > 0 {
			minimal = ", minimal"
		}
		fmt.Fprintf(&b, "\n%d. %s (%s%s)\n", i+1, m.Summary(), plural(m.Depth, "step"), minimal)
		for _, s := range m.Steps {
			fmt.Fprintf(&b, "%s%s%s", item, s, end)
		}
		switch {
		case len(m.Waiting) > 0:
			fmt.Fprintf(&b, "%sthen no run consumes: %s%s", item, strings.Join(m.Waiting, "; "), end)
		case m.Verdict == Deadlock:
			fmt.Fprintf(&b, "%sthen no rule leads to another state%s", item, end)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
