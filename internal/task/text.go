package task

import (
	"fmt"
	"slices"
	"strings"
)

// Plural counts things: "1 step", "2 steps", "3 properties".
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if stem, ok := strings.CutSuffix(what, "y"); ok {
		what = stem + "ie"
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// FirstFew returns at most n of the names, and how many more there are.
func FirstFew(names []string, n int) []string {
	if len(names) <= n {
		return names
	}
	return append(slices.Clone(names[:n]), fmt.Sprintf("%d more", len(names)-n))
}

// Size formats a number of bytes.
func Size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}

// ShellCommand returns a command line of words, in quotes where they need it.
func ShellCommand(words ...string) string {
	words = slices.Clone(words)
	for i, w := range words {
		if strings.ContainsAny(w, " \t'\"$&|;<>()*?!\\`") {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
