package main

import (
	"encoding/json"
	"flag"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"orbitmc/internal/certify"
	"orbitmc/internal/task"
	"orbitmc/mc"
)

// TestHints follows each command line that a run without a verdict recommends, and finds
// better off: a verdict, more steps without a violation, or, of induction, the state that is
// in its way.
func TestHints(t *testing.T) {
	const dir = "../../benchmarks/murphi/"
	inLine := regexp.MustCompile("`(orbitmc [^`]*)`")
	result := func(args []string) (verdict string, steps int) {
		_, out, errs := orbitmc(append(args, "--json", "--progress", "never")...)
		var r struct {
			Verdict    string
			Properties []struct {
				Verdict string
				Bound   *int
			}
		}
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatalf("%q: %v\n%s%s", args, err, out, errs)
		}
		steps = 1 << 30
		for _, p := range r.Properties {
			switch {
			case p.Verdict != "unknown":
			case p.Bound == nil:
				steps = -1
			default:
				steps = min(steps, *p.Bound)
			}
		}
		return r.Verdict, steps
	}
	followed := 0
	for _, line := range []string{
		"bmc " + dir + "german.m -k 3",
		"bmc " + dir + "german_bug1.m -k 5",
		"bmc " + dir + "mutex_sem.m -D N=3 -k 2",
		"explore " + dir + "german_bug1.m -k 4",
		"explore " + dir + "german.m -D NODE_NUM=5 --canon none --timeout 100ms",
		"explore " + dir + "german.m -D NODE_NUM=5 --sym off --timeout 100ms",
		"check " + dir + "german.m -D NODE_NUM=6 --timeout 50ms",
		"check " + dir + "german_bug2.m",
		"induct " + dir + "german.m --k-max 1",
	} {
		args := strings.Fields(line)
		before, steps := result(args)
		_, out, _ := orbitmc(append(args, "--progress", "never")...)
		_, hints, ok := strings.Cut(out, "\nnext: ")
		if !ok || !strings.Contains(hints, "`") && !strings.HasPrefix(hints, "leave out --sym off") {
			t.Errorf("%s: no hint\n%s", line, out)
			continue
		}
		if strings.HasPrefix(hints, "leave out --sym off") {
			hints = "`orbitmc " + strings.Replace(line, " --sym off", "", 1) + "`"
		}
		for _, m := range inLine.FindAllStringSubmatch(hints, -1) {
			followed++
			args := strings.Fields(m[1])[1:]
			if strings.Contains(m[1], "--show-cti") {
				if _, out, _ := orbitmc(args...); !strings.Contains(out, "counterexample to the induction of") {
					t.Errorf("%s: %s shows no state:\n%s", line, m[1], out)
				}
				continue
			}
			limits := []string{"5s", "20s", "80s"} // bmc goes on without an end; how far it comes depends on the machine
			if args[0] == "explore" || strings.Contains(m[1], " -k ") {
				limits = []string{"10m"}
			}
			after, more, better := "", 0, false
			for k := 0; k < len(limits) && !better; k++ {
				after, more = result(append(slices.Clone(args), "--timeout", limits[k]))
				better = after != "unknown" && after != before || more > steps
			}
			if !better {
				t.Errorf("%s: %s with %d steps; %s: %s with %d steps", line, before, steps, m[1], after, more)
			}
		}
	}
	if followed < 12 {
		t.Errorf("%d hints were followed", followed)
	}
}

// TestHintOfCheck: where all states were visited, what is left is their check.
func TestHintOfCheck(t *testing.T) {
	for dir, want := range map[string]string{
		"":      "`orbitmc explore m.m` with more time; with --checkpoint DIR a later run goes on with the check",
		"saved": "`orbitmc explore m.m --checkpoint saved` goes on with the check",
	} {
		set := flag.NewFlagSet("explore", flag.ContinueOnError)
		set.String("checkpoint", dir, "")
		c := cli.NewContext(nil, set, nil)
		c.Command = &cli.Command{Name: "explore"}
		s := &session{Task: &task.Task{File: "m.m", Analysis: task.Analysis{Problem: &mc.Problem{}}}, c: c}
		r := &mc.Result{Engine: "explicit", Stopped: "time limit; all 7 states were visited, " + certify.CheckUnfinished + " at 5 %", Props: make([]mc.PropResult, 1)}
		if got := s.hint(r); got != want {
			t.Errorf("%q: %q, want %q", dir, got, want)
		}
	}
}
