package networks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"orbitmc/internal/lists"
)

// Summary says what is wrong if some types share networks.
func (w *Witness) Summary() string {
	text := string(w.Verdict)
	if len(w.Merged) == 0 {
		text += " with each type apart"
	} else {
		merged := lists.Join(w.Merged, " and with ", func(g []string) string { return strings.Join(g, ", ") })
		text += " with " + merged + " together"
	}
	if w.Message != "" {
		text += ": " + w.Message
	}
	return text
}

// Found says how many assignments have which verdict.
func (l *Level) Found() string {
	var found []string
	for _, v := range []Verdict{Deadlock, Overflow, Error, Undecided, Free} {
		if n := l.Verdicts[v]; n > 0 {
			found = append(found, fmt.Sprintf("%d %s", n, v))
		}
	}
	if l.Left > 0 {
		found = append(found, fmt.Sprintf("%d not looked at", l.Left))
	}
	return strings.Join(found, ", ")
}

// undecided reports whether some assignment to one of the numbers of networks is not decided.
func undecided(levels []*Level) bool {
	return slices.ContainsFunc(levels, func(l *Level) bool { return l.Verdicts[Undecided] > 0 })
}

// Conclusion says how many networks are enough.
func (r *Result) Conclusion() string {
	tried := len(r.Levels)
	switch {
	case r.Stopped != "" && tried > 1 && !undecided(r.Levels[:tried-1]):
		return fmt.Sprintf("not decided; %s: %s", notEnough(tried-1), r.Stopped)
	case r.Open != "" && r.Least > 0:
		return fmt.Sprintf("%s enough; whether fewer are is not decided: %s", are(r.Least), r.Open)
	case r.Stopped+r.Open != "":
		return "not decided: " + cmp.Or(r.Stopped, r.Open)
	case r.Only && r.Least > 0:
		return "no deadlock, overflow or error is reachable"
	case r.Only:
		return "a deadlock, overflow or error is reachable"
	case r.Least == 1:
		return are(1) + " enough"
	case r.Least > 1:
		return are(r.Least) + " enough, and fewer are not"
	}
	return notEnough(tried)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func are(n int) string {
	if n == 1 {
		return "1 network is"
	}
	return plural(n, "network") + " are"
}

func notEnough(n int) string {
	if n == 1 {
		return are(1) + " not enough"
	}
	return "up to " + are(n) + " not enough"
}
