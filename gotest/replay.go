package gotest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"orbitmc/gotest/shim/sched"
)

// Saved is a schedule in a file.
type Saved struct {
	Package string   `json:"package"`
	Test    string   `json:"test"`
	Run     string   `json:"run"` // with the part of the test, if there is one
	Kind    string   `json:"kind"`
	Text    string   `json:"text"`
	Race    bool     `json:"race"`
	AnyTime bool     `json:"any_time"`
	Lines   []string `json:"lines,omitempty"` // that are visible
	Steps   []string `json:"steps"`           // for people
	Moves   []uint64 `json:"moves"`
}

// First returns the violation with the fewest steps.
func (r *Result) First() (t *Test, v *sched.Violation) {
	for i := range r.Tests {
		for j := range r.Tests[i].Violations {
			if x := &r.Tests[i].Violations[j]; v == nil || len(x.Replay) < len(v.Replay) {
				t, v = &r.Tests[i], x
			}
		}
	}
	return t, v
}

// Save returns the schedule of a violation.
func Save(r *Result, t *Test, v *sched.Violation) Saved {
	s := Saved{Package: t.Package, Test: t.Name, Run: t.run, Kind: v.Kind, Text: v.Text, Race: r.Race, AnyTime: r.Timers == "any", Moves: v.Replay}
	if v.Lines {
		s.Lines = t.Lines
	}
	for _, x := range v.Steps {
		s.Steps = append(s.Steps, strings.TrimSpace(fmt.Sprintf("%s: %s %s", actor(v, x.Agent), what(x), place(x.At))))
	}
	return s
}

func (o *Options) saved(s Saved) {
	o.Patterns, o.Run, o.Race, o.AnyTime, o.lines = []string{s.Package}, s.Run, s.Race, s.AnyTime, s.Lines
	o.Change = func(c *sched.Config) {
		c.Replay = s.Moves
		if c.Replay == nil {
			c.Replay = []uint64{}
		}
	}
}

// Replay runs the test under one schedule.
func Replay(ctx context.Context, opt Options, s Saved) (*Result, error) {
	opt.saved(s)
	r, err := Run(ctx, opt)
	if err != nil {
		return nil, err
	}
	for i := range r.Tests {
		if t := &r.Tests[i]; t.diverged != "" {
			return nil, fmt.Errorf("%s: the schedule does not fit the test: %s", t.Name, t.diverged)
		}
	}
	return r, nil
}

// Delve returns a command that runs the schedule in a debugger. The binary stays in opt.Keep.
func Delve(ctx context.Context, opt Options, s Saved) (string, error) {
	opt.saved(s)
	if err := os.MkdirAll(opt.Keep, 0o777); err != nil {
		return "", err
	}
	binaries, err := build(ctx, &opt, opt.Keep, opt.Patterns, opt.racy())
	if err != nil {
		return "", err
	}
	c := opt.config()
	opt.Change(&c)
	c.Run = s.Run
	conf, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	file, err := filepath.Abs(binaries[0].file)
	return fmt.Sprintf("cd '%s' && ORBITMC='%s' GOMAXPROCS=1 dlv exec '%s' 3>/dev/null", binaries[0].dir, conf, file), err
}

// exactly turns a test, with the part of it, into a pattern of it alone.
func exactly(run string) string {
	parts := strings.Split(run, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(strings.TrimSuffix(strings.TrimPrefix(p, "^"), "$")) + "$"
	}
	return strings.Join(parts, "/")
}

// racy numbers lines that are visible.
func (o *Options) racy() map[string][]int {
	all := map[string][]int{}
	for _, at := range o.lines {
		all[at] = []int{0}
	}
	return all
}
