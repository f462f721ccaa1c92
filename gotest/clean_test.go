package gotest

import (
	"context"
	"testing"
)

// TestClean explores tests that have no violation: mistakes that were mended, and packages that do things before
// their tests, or leave them behind.
func TestClean(t *testing.T) {
	for pattern, least := range map[string]int{".": 15, "./kept": 1} {
		r, err := Run(context.Background(), Options{Dir: "testdata/clean", Patterns: []string{pattern}, Race: racing()})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Tests) < least {
			t.Errorf("%s: %d tests", pattern, len(r.Tests))
		}
		for _, x := range r.Tests {
			if x.Verdict != Explored {
				t.Errorf("%s: %s: %v %+v", x.Name, x.Verdict, x.Gaps, x.Violations)
			}
		}
	}
}
