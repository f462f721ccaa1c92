package gotest

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"orbitmc/gotest/shim/sched"
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

// TestKernels explores mistakes of GoKer's kernels, and the same programs mended.
func TestKernels(t *testing.T) {
	text, err := os.ReadFile("testdata/kernels/kernels_test.go")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{}
	for _, m := range regexp.MustCompile(`(?ms)^// [a-z]+/\d+, ([a-z]+): .*?^func (Test\w+)`).FindAllStringSubmatch(string(text), -1) {
		kinds[m[2]] = m[1]
	}
	r, err := Run(context.Background(), Options{Dir: "testdata/kernels", Patterns: []string{"."}, Race: racing()})
	if err != nil {
		t.Fatal(err)
	}
	if len(kinds) < 10 || len(r.Tests) != 2*len(kinds) {
		t.Errorf("%d programs, %d tests", len(kinds), len(r.Tests))
	}
	for _, x := range r.Tests {
		name, mistake := strings.CutSuffix(x.Name, "Mistake")
		kind := kinds[name]
		switch {
		case !mistake && x.Verdict != Explored, kind == "":
			t.Errorf("%s: %s: %v %+v", x.Name, x.Verdict, x.Gaps, x.Violations)
		case mistake && (kind != "race" || racing()) && !slices.ContainsFunc(x.Violations, func(v sched.Violation) bool { return v.Kind == kind }):
			t.Errorf("%s: %s, want %s: %+v", x.Name, x.Verdict, kind, x.Violations)
		}
	}
}
