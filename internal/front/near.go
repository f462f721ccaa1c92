package front

import "strings"

// DidYouMean is the end of a message about a name that does not exist: "" or
// "; did you mean NAME?".
func DidYouMean(name string, candidates []string) string {
	if n := Meant(name, candidates); n != "" {
		return "; did you mean " + n + "?"
	}
	return ""
}

// Meant returns the name among candidates, in the order given, that is likely to have
// been meant by name: the first with the fewest changes, of at most a third of its
// letters; "" if there is none.
func Meant(name string, candidates []string) string {
	best, found := len(name)/3+1, ""
	if len(name) < 3 {
		best = 1 // only the case of letters may differ
	}
	for _, c := range candidates {
		if len(c)-len(name) >= best || len(name)-len(c) >= best || len(c) > 200 {
			continue
		}
		if d := distance(strings.ToLower(name), strings.ToLower(c)); d < best {
			best, found = d, c
		}
	}
	return found
}

// distance counts the bytes to insert, to remove, to replace and the neighbours to
// exchange that make b of a.
func distance(a, b string) int {
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
