package gotest

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"orbitmc/gotest/shim/sched"
)

// expected reads from the comments of the cases what is expected of each.
func expected(t *testing.T) map[string][]string {
	text, err := os.ReadFile("testdata/cases/cases_test.go")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, m := range regexp.MustCompile(`(?m)^// ([a-z, ]+).*\nfunc (Test\w+)`).FindAllStringSubmatch(string(text), -1) {
		all[m[2]] = strings.Split(m[1], ", ")
	}
	return all
}

// racing reports whether the race detector can be used: it takes a C compiler.
func racing() bool {
	_, err := exec.LookPath("gcc")
	return err == nil
}

func TestCases(t *testing.T) {
	want := expected(t)
	for _, race := range []bool{false, true} {
		if race && !racing() {
			t.Skip("no C compiler, and so no race detector")
		}
		r, err := Run(context.Background(), Options{Dir: "testdata/cases", Patterns: []string{"."}, Race: race, Steps: 2000, Limit: 3000})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Tests) != len(want) {
			t.Errorf("%d tests, %d are described", len(r.Tests), len(want))
		}
		for _, x := range r.Tests {
			got := []string{x.Verdict}
			if x.Verdict == Violated {
				got = nil
				for _, v := range x.Violations {
					if !slices.Contains(got, v.Kind) {
						got = append(got, v.Kind)
					}
				}
			}
			slices.Sort(got)
			w := want[x.Name]
			if !race && slices.Contains(w, "race") {
				w = []string{Explored}
			}
			if !slices.Equal(got, w) {
				t.Errorf("race=%v %s: %v, want %v: %+v", race, x.Name, got, w, x)
			}
		}
	}
}

// TestAll: deadlocks in which other lines wait are told apart if all are asked for.
func TestAll(t *testing.T) {
	for _, all := range []bool{false, true} {
		r, err := Run(context.Background(), Options{Dir: "testdata/cases", Patterns: []string{"."}, Run: "^TestTwoWays$", All: all})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(r.Tests[0].Violations); n != 1 && !all || n != 2 && all {
			t.Errorf("all=%v: %d violations", all, n)
		}
	}
}

// TestPreemptions: a lost update takes one preemption, and without one nothing is claimed.
func TestPreemptions(t *testing.T) {
	for n, want := range []string{Incomplete, Violated} {
		r, err := Run(context.Background(), Options{Dir: "testdata/cases", Patterns: []string{"."}, Run: "^TestLostUpdate$", Preemptions: &n})
		if err != nil {
			t.Fatal(err)
		}
		x := r.Tests[0]
		if x.Verdict != want || n == 0 && !slices.ContainsFunc(x.Gaps, func(g string) bool { return strings.Contains(g, "more than 0 preemptions") }) {
			t.Errorf("%d preemptions: %+v", n, x)
		}
	}
	n := 3
	r, err := Run(context.Background(), Options{Dir: "testdata/cases", Patterns: []string{"."}, Run: "^TestHandOver$", Preemptions: &n})
	if err != nil {
		t.Fatal(err)
	}
	if x := r.Tests[0]; x.Verdict != Explored {
		t.Errorf("no schedule has so many preemptions: %+v", x)
	}
}

// TestFresh explores a test that leaves something behind.
func TestFresh(t *testing.T) {
	r, err := Run(context.Background(), Options{Dir: "testdata/cases", Patterns: []string{"./left"}})
	if err != nil {
		t.Fatal(err)
	}
	if x := r.Tests[0]; x.Verdict != Explored || !x.Fresh || x.Executions < 2 {
		t.Errorf("%+v", x)
	}
}

// TestNotRepeated: an execution in a process of its own finds a file that the one before has left.
func TestNotRepeated(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	r, err := Run(context.Background(), Options{Dir: "testdata/cases", Patterns: []string{"./file"}, Fresh: true})
	if err != nil {
		t.Fatal(err)
	}
	if x := r.Tests[0]; x.Verdict != Incomplete || !slices.ContainsFunc(x.Gaps, func(g string) bool { return strings.Contains(g, "did not repeat") }) {
		t.Errorf("%+v", x)
	}
}

// TestClaimDoubles leaves out what forbids a claim.
func TestClaimDoubles(t *testing.T) {
	if !racing() {
		t.Skip("no C compiler, and so no race detector")
	}
	folder := t.TempDir()
	opt := Options{Dir: "testdata/cases", Patterns: []string{"."}, Race: true, Steps: 300, Keep: folder}
	for _, c := range []struct {
		test   string
		change func(*sched.Config)
	}{
		{"TestSpinUnfair", func(c *sched.Config) { c.Broken, c.Limit = sched.CutClaims, 0 }},
		{"TestRace", func(c *sched.Config) { c.Broken = sched.RaceClaims }},
		{"TestUnlockBefore", func(c *sched.Config) { c.Broken = sched.OwnLocks }},
		{"TestTwinsNotFresh", func(c *sched.Config) { c.Broken = sched.StaleTwins }},
	} {
		opt.Run, opt.Change = "^"+c.test+"$", c.change
		r, err := Run(context.Background(), opt)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != Explored {
			t.Errorf("%s: %s, though the rule is left out: %+v", c.test, r.Verdict, r.Tests)
		}
	}
}

// TestStandard explores a test that writes to a variable of the standard library.
func TestStandard(t *testing.T) {
	r, err := Run(context.Background(), Options{Dir: "testdata/cases", Patterns: []string{"./std"}, Run: "^TestArgs$"})
	if err != nil {
		t.Fatal(err)
	}
	if x := r.Tests[0]; x.Verdict != Violated || !x.Fresh {
		t.Errorf("%+v", x)
	}
}

// TestOuterValue explores a test that calls what is not controlled by a variable.
func TestOuterValue(t *testing.T) {
	r, err := Run(context.Background(), Options{Dir: "testdata/cases", Patterns: []string{"./std"}, Run: "^TestValue$"})
	if err != nil {
		t.Fatal(err)
	}
	if x := r.Tests[0]; x.Verdict != Incomplete || len(x.Gaps) != 1 || !strings.Contains(x.Gaps[0], "exec.Cmd") {
		t.Errorf("%+v", x)
	}
}

// TestSynctest explores a test with a bubble, which is refused, beside one without.
func TestSynctest(t *testing.T) {
	r, err := Run(context.Background(), Options{Dir: "testdata/cases", Patterns: []string{"./bubble"}})
	if err != nil {
		if strings.Contains(err.Error(), "no test of") {
			t.Skip("the toolchain has no testing/synctest")
		}
		t.Fatal(err)
	}
	if x := r.Tests[0]; x.Verdict != Incomplete || len(x.Gaps) != 1 || !strings.Contains(x.Gaps[0], "testing/synctest.Test at ") {
		t.Errorf("%+v", x)
	}
	if x := r.Tests[1]; x.Verdict != Explored {
		t.Errorf("%+v", x)
	}
}

// TestLongSearch takes up a search whose frames are longer than the environment may be.
func TestLongSearch(t *testing.T) {
	r, err := Run(context.Background(), Options{Dir: "testdata/cases", Patterns: []string{"./long"}, Fresh: true})
	if err != nil {
		t.Fatal(err)
	}
	if x := r.Tests[0]; x.Verdict != Explored || x.Executions != 2 || x.Steps < 6000 {
		t.Errorf("%+v", x)
	}
}
