package gotest

import (
	"context"
	"testing"
)

// TestClean explores tests that have no violation: mistakes that were mended, and packages that do things before
// their tests.
func TestClean(t *testing.T) {
	opt := Options{Dir: "testdata/clean", Patterns: []string{"./..."}, Race: racing()}
	r, err := Run(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Tests) < 16 {
		t.Errorf("%d tests", len(r.Tests))
	}
	for _, x := range r.Tests {
		if x.Verdict != Explored {
			t.Errorf("%s: %s: %v %+v", x.Name, x.Verdict, x.Gaps, x.Violations)
		}
	}
}
