package litmus

import (
	_ "embed"
	"strings"
)

// classics are tests that the literature has names for, with the outcome that SC forbids, or that coherence does.
//
//go:embed classics.txt
var classics string

// Classics returns the tests that are known by name.
func Classics() (all []*Test) {
	for text := range strings.SplitSeq(strings.TrimSpace(classics), "\n\n") {
		t, err := Parse("", text)
		if err != nil {
			panic("litmus: " + err.Error())
		}
		all = append(all, t)
	}
	return all
}
