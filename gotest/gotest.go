// Package gotest runs Go tests under every schedule. The sources of the tests and of what they depend on are
// rewritten, operations on channels, locks, atomics and time calling our scheduler, and built by go test
// with an overlay: nothing of the module changes.
//
//	load.go     packages, parsed and checked; modules.go: where those of the module cache are
//	rewrite.go  their text; variables.go: what begins anew with each execution
//	forward.go  packages in the place of sync, time, testing, ...; shim/ has what they do
//	build.go    the binary of tests
//	gotest.go   running it: search, what was found
//	replay.go   one schedule again
//	report.go   a violation as text, and as a page
//
// docs/go.md says what is explored.
package gotest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"orbitmc/gotest/shim/sched"
)

// Options say what is explored, and how.
type Options struct {
	Dir         string // in which the go command runs; "": here
	Patterns    []string
	Run         string // tests, as for go test
	Exact       bool   // Run is the name of a test, and no pattern
	Race        bool   // with Go's race detector
	AnyTime     bool   // timers fire at any moment
	Fresh       bool   // a process for each execution
	Steps       int    // of an execution, at most; 0: 20,000
	Limit       int    // executions of a test; 0: no limit
	Memory      int64  // of a process, bytes; 0: 1 GiB
	Random      int    // one execution in so many has a random schedule; 0: 4, negative: none
	Seed        uint64
	Preemptions *int                // of goroutines that could go on, at most; nil: any number
	All         bool                // goes on behind a violation, to the end
	Unreduced   bool                // each order is explored, also those that cannot be told apart
	Plain       bool                // goroutines that are interchangeable, too
	Event       func(Progress)      // nil: silent
	Keep        string              // folder of the binaries; "": a temporary one
	Change      func(*sched.Config) // the last word, for tests
	Outcome     func(sched.Report)  // of each execution, for tests

	lines []string // that are visible
}

// Progress is how far a test is.
type Progress struct {
	Phase    string // before tests run
	Package  string
	Test     string
	Report   sched.Report
	Explored float64
}

// Verdicts of a test.
const (
	Violated   = "violated"
	Explored   = "explored"   // no violation in all schedules
	Incomplete = "incomplete" // no violation in those explored, which are not all
)

// Result is what is known of all tests.
type Result struct {
	Verdict string `json:"verdict" enum:"violated explored incomplete"`
	Race    bool   `json:"race"` // Go's race detector ran
	Timers  string `json:"timers" enum:"idle any"`
	Tests   []Test `json:"tests"`
}

// Test is what is known of a test.
type Test struct {
	Package    string            `json:"package"`
	Name       string            `json:"name"`
	Verdict    string            `json:"verdict" enum:"violated explored incomplete"`
	Executions int               `json:"executions"` // of the search
	Random     int               `json:"random"`     // with random schedules, beside it
	Pruned     int               `json:"pruned"`     // given up, since the rest was explored
	Steps      int               `json:"steps"`
	Notes      []string          `json:"notes,omitempty"` // what is the same in all schedules
	Fresh      bool              `json:"fresh"`
	Gaps       []string          `json:"gaps,omitempty"`  // why these are not all schedules
	Lines      []string          `json:"lines,omitempty"` // that race, and were made visible for a second search
	Violations []sched.Violation `json:"violations,omitempty"`

	binary   *binary
	run      string // the test, and the part of it
	diverged string // a replay did
}

func (o *Options) config() sched.Config {
	c := sched.Config{Steps: o.Steps, Any: o.AnyTime, Race: o.Race, Random: o.Random, Seed: o.Seed, Extra: 200, Limit: o.Limit, Memory: uint64(o.Memory)}
	if c.Steps == 0 {
		c.Steps = 20000
	}
	if c.Memory == 0 {
		c.Memory = 1 << 30
	}
	if c.Random == 0 {
		c.Random = 4
	}
	c.Random = max(c.Random, 0)
	c.Preemptions = o.Preemptions
	if c.Unreduced, c.NoTwins = o.Unreduced, o.Plain; o.All {
		c.Extra, c.All = math.MaxInt32, true
	}
	return c
}

func (o *Options) tell(p Progress) {
	if o.Event != nil {
		o.Event(p)
	}
}

// Run builds the tests and explores them. If ctx ends, the result is what is known by then: no tests, if they were not
// built yet.
func Run(ctx context.Context, opt Options) (*Result, error) {
	if opt.Exact {
		opt.Run = exactly(opt.Run)
	}
	run, err := regexp.Compile(first(opt.Run))
	if err != nil {
		return nil, err
	}
	folder, end, err := opt.folder()
	if err != nil {
		return nil, err
	}
	defer end()
	opt.tell(Progress{Phase: "building the tests"})
	r := &Result{Verdict: Incomplete, Race: opt.Race, Timers: "idle", Tests: []Test{}}
	binaries, err := build(ctx, &opt, folder, opt.Patterns, opt.racy())
	if ctx.Err() != nil {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	if opt.AnyTime {
		r.Timers = "any"
	}
	left := 0
	for _, b := range binaries {
		b.tests = slices.DeleteFunc(b.tests, func(name string) bool { return !run.MatchString(name) })
		left += len(b.tests)
	}
	for _, b := range binaries {
		from := len(r.Tests)
		for _, name := range b.tests {
			r.Tests = append(r.Tests, Test{Package: b.path, Name: name, binary: b})
			mine, cancel := share(ctx, left)
			err := r.Tests[len(r.Tests)-1].explore(mine, &opt, folder)
			cancel()
			if err != nil {
				return nil, err
			}
			left--
		}
		if err := again(ctx, &opt, folder, b, r.Tests[from:]); err != nil && ctx.Err() == nil {
			return nil, err
		}
	}
	if len(r.Tests) == 0 {
		return nil, fmt.Errorf("no test of %s matches %q", strings.Join(opt.Patterns, " "), opt.Run)
	}
	r.Verdict = Explored
	for _, v := range []string{Incomplete, Violated} {
		if slices.ContainsFunc(r.Tests, func(t Test) bool { return t.Verdict == v }) {
			r.Verdict = v
		}
	}
	return r, nil
}

// share gives the first of some tests its part of the time that is left.
func share(ctx context.Context, tests int) (context.Context, func()) {
	end, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Until(end)/time.Duration(tests))
}

// again explores the tests of a package with races once more, with the lines of these visible: what happens in an
// order of theirs that nothing else depends on was not seen yet.
func again(ctx context.Context, opt *Options, folder string, b *binary, tests []Test) error {
	racy, count := map[string][]int{}, 0
	for i := range tests {
		for _, v := range tests[i].Violations {
			if v.Kind == "race" {
				for _, at := range raceLines(v.Text) {
					if at != "" && !slices.Contains(racy[at], count) {
						racy[at] = append(racy[at], count)
					}
				}
				count++
			}
		}
	}
	if len(racy) == 0 || ctx.Err() != nil || opt.Change != nil && opt.Outcome == nil {
		return nil
	}
	opt.tell(Progress{Phase: "building the tests, with racing lines visible"})
	folder = filepath.Join(folder, "again", filepath.Base(b.file))
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	binaries, err := build(ctx, opt, folder, []string{b.path}, racy)
	if err != nil {
		return err
	}
	for i := range tests {
		t := &tests[i]
		if !slices.ContainsFunc(t.Violations, func(v sched.Violation) bool { return v.Kind == "race" }) {
			continue
		}
		more := Test{Package: t.Package, Name: t.Name, binary: binaries[0]}
		if err := more.explore(ctx, opt, folder); err != nil {
			return err
		}
		t.Lines = slices.Sorted(maps.Keys(racy))
		for _, v := range more.Violations {
			if v.Kind != "race" && !slices.ContainsFunc(t.Violations, func(old sched.Violation) bool { return old.Kind == v.Kind && old.Text == v.Text }) {
				v.Lines = true
				t.Violations = append(t.Violations, v)
			}
		}
		t.Executions, t.Random, t.Pruned, t.Steps = t.Executions+more.Executions, t.Random+more.Random, t.Pruned+more.Pruned, t.Steps+more.Steps
	}
	return nil
}

func first(run string) string {
	head, _, _ := strings.Cut(run, "/")
	return head
}

func (o *Options) folder() (string, func(), error) {
	if o.Keep != "" {
		return o.Keep, func() {}, os.MkdirAll(o.Keep, 0o777)
	}
	folder, err := os.MkdirTemp("", "orbitmc-go")
	return folder, func() { os.RemoveAll(folder) }, err
}

// errCrash says that a child ended without a report.
type errCrash struct{ output string }

func (e errCrash) Error() string { return e.output }

// child runs the binary with a configuration, and passes its reports on.
func (b *binary) child(ctx context.Context, folder string, c sched.Config, report func(sched.Report)) (output string, err error) {
	races := filepath.Join(folder, "race")
	c.Races, c.Old = races, b.old
	conf, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	file := filepath.Join(folder, "config.json") // a search that is taken up is longer than a variable of the environment may be
	if err := os.WriteFile(file, conf, 0o666); err != nil {
		return "", err
	}
	from, to, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer from.Close()
	cmd := exec.CommandContext(ctx, b.file)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), "ORBITMC="+file, "GOMAXPROCS=1", "GORACE=log_path="+races+" halt_on_error=0 exitcode=0 atexit_sleep_ms=0")
	cmd.ExtraFiles = []*os.File{to}
	out := &tail{}
	cmd.Stdout, cmd.Stderr = out, out
	err = cmd.Start()
	to.Close()
	if err != nil {
		return "", err
	}
	ended := false
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		var r sched.Report
		if json.Unmarshal(line, &r) == nil && r.Event != "" {
			ended = ended || r.Event == "done" || r.Event == "hand-over" || r.Event == "hang"
			report(r)
		}
		if err != nil {
			break
		}
	}
	err = cmd.Wait()
	old, _ := filepath.Glob(races + ".*")
	for _, f := range old {
		os.Remove(f)
	}
	switch {
	case ctx.Err() != nil:
		return out.String(), ctx.Err()
	case !ended:
		return out.String(), errCrash{out.String()}
	}
	return out.String(), nil
}

// tail keeps the end of what is written.
type tail struct{ b bytes.Buffer }

const tailSize = 1 << 16

func (t *tail) Write(p []byte) (int, error) {
	if t.b.Len() > 4*tailSize {
		rest := bytes.Clone(t.b.Bytes()[t.b.Len()-tailSize:])
		t.b.Reset()
		t.b.Write(rest)
	}
	return t.b.Write(p)
}

func (t *tail) String() string {
	s := t.b.String()
	return s[max(0, len(s)-tailSize):]
}

// explore explores a test, by one process after the other.
func (t *Test) explore(ctx context.Context, opt *Options, folder string) error {
	c := opt.config()
	t.run = exactly(t.Name)
	if _, rest, ok := strings.Cut(opt.Run, "/"); ok {
		t.run += "/" + rest
	}
	c.Run = t.run
	c.Once = opt.Fresh || t.binary.fresh
	t.Fresh = c.Once
	if opt.Change != nil {
		opt.Change(&c)
	}
	var keys []string
	found := map[string]sched.Violation{}
	crashed := false
	var base Test // of the processes before
	for more := true; more; {
		more = false
		var last sched.Report
		var schedule sched.Report
		_, err := t.binary.child(ctx, folder, c, func(r sched.Report) {
			switch r.Event {
			case "violation":
				if old, ok := found[r.Text]; !ok {
					keys = append(keys, r.Text)
				} else if len(old.Replay) <= len(r.Violation.Replay) {
					return
				}
				r.Violation.At += base.Executions + base.Random
				found[r.Text] = *r.Violation
			case "outcome":
				if opt.Outcome != nil {
					opt.Outcome(r)
				}
			case "schedule":
				schedule = r
			case "hang":
				t.gap("a goroutine blocks, or runs for %d s, in code that is not controlled:\n%s", 20, r.Text)
			default:
				last = r
				t.Executions, t.Random, t.Pruned, t.Steps = base.Executions+r.Executions, base.Random+r.Random, base.Pruned+r.Pruned, base.Steps+r.Steps
				opt.tell(Progress{Package: t.Package, Test: t.Name, Report: r, Explored: r.Explored})
			}
		})
		var crash errCrash
		switch {
		case ctx.Err() != nil:
			t.gap("the search was stopped")
		case errors.As(err, &crash) && !crashed: // again, to see under which schedule
			crashed, c.Loud, more = true, true, true
			continue
		case errors.As(err, &crash):
			v := sched.Violation{Kind: "fatal", Text: fatal(crash.output), Test: t.Name, At: schedule.Executions + 1, Output: crash.output}
			found["fatal"], keys = v, append(keys, "fatal")
			t.gap("the process died")
		case err != nil:
			return err
		}
		for _, n := range last.Notes {
			if !slices.Contains(t.Notes, n) {
				t.Notes = append(t.Notes, n)
			}
		}
		for _, x := range last.Refused {
			t.gap("%s", x)
		}
		if last.Cut > 0 && c.Broken != sched.CutClaims {
			t.gap("%d executions were cut at %d steps", last.Cut, c.Steps)
		}
		if last.Running > 0 {
			t.gap("after the test, goroutines went on sleeping and waking in %d executions", last.Running)
		}
		if last.Diverged > 0 {
			if c.Replay != nil {
				t.diverged = last.Text
				return nil
			}
			if !c.Once { // what one execution leaves behind changes the next
				c.Once, t.Fresh, more, base = true, true, true, Test{}
				t.Gaps = nil
				c.Frames = nil
				continue
			}
			t.gap("an execution did not repeat: %s", last.Text)
		}
		if last.Event == "hand-over" && ctx.Err() == nil {
			more = true
			c.Frames, c.Exact, c.Yields = last.Frames, last.Exact, last.Yields
			base = Test{Executions: t.Executions, Random: t.Random, Pruned: t.Pruned, Steps: t.Steps}
			if c.Limit > 0 {
				if c.Limit -= last.Executions + last.Random; c.Limit <= 0 {
					more = false
				}
			}
			if len(found) > 0 {
				more = more && c.Extra > 0
				c.Extra -= last.Executions
			}
			if more {
				continue
			}
		}
		if !c.Once && c.Replay == nil && opt.Change == nil {
			ok, err := t.confirm(ctx, folder, c, last, found)
			if err != nil {
				return err
			}
			if !ok { // what one execution leaves behind changes the next
				c.Once, t.Fresh, more, base = true, true, true, Test{}
				c.Frames, t.Gaps, keys, found = nil, nil, nil, map[string]sched.Violation{}
				continue
			}
		}
		if !last.Complete && len(t.Gaps) == 0 {
			t.gap("the search was not completed")
		}
	}
	for _, k := range keys {
		t.Violations = append(t.Violations, found[k])
	}
	slices.SortStableFunc(t.Violations, func(a, b sched.Violation) int { return len(a.Replay) - len(b.Replay) })
	switch {
	case len(t.Violations) > 0:
		t.Verdict = Violated
	case len(t.Gaps) == 0:
		t.Verdict = Explored
	default:
		t.Verdict = Incomplete
	}
	return nil
}

// confirm runs the schedules of violations again, each in a process of its own, and reports whether they come to the same.
func (t *Test) confirm(ctx context.Context, folder string, c sched.Config, last sched.Report, found map[string]sched.Violation) (bool, error) {
	for _, v := range found {
		if v.At == 1 || v.Kind == "race" || v.Kind == "fatal" {
			continue
		}
		c.Replay, c.Frames, c.Exact, c.Yields = append([]uint64{}, v.Replay...), nil, last.Exact, last.Yields
		same := false
		_, err := t.binary.child(ctx, folder, c, func(r sched.Report) {
			same = same || r.Event == "violation" && r.Violation.Kind == v.Kind
		})
		var crash errCrash
		if ctx.Err() == nil && err != nil && !errors.As(err, &crash) {
			return false, err
		}
		if !same && ctx.Err() == nil {
			return false, nil
		}
	}
	return true, nil
}

func (t *Test) gap(format string, args ...any) {
	if s := fmt.Sprintf(format, args...); !slices.Contains(t.Gaps, s) {
		t.Gaps = append(t.Gaps, s)
	}
}

// fatal finds what a program said that died.
func fatal(output string) string {
	for _, l := range strings.Split(output, "\n") {
		if strings.HasPrefix(l, "fatal error: ") || strings.HasPrefix(l, "panic: ") {
			return l
		}
	}
	return "the process died"
}
