package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"orbitmc/internal/cluster"
	"orbitmc/internal/litmus"
	"orbitmc/internal/task"
	"orbitmc/mc"
)

// This file runs litmus on a cluster: a task for each test. A task leaves its answer in files whose name is made of all
// that it is about, so that the same command goes on, and asks again only for tests that are undecided.

// litmusTask is a test on a cluster.
type litmusTask struct {
	stem   string    // of its files
	answer *jsonTest // nil: none yet
}

// read looks for the answer of the task.
func (l *litmusTask) read() {
	var out jsonLitmus
	text, err := os.ReadFile(l.stem + ".json")
	if err == nil && json.Unmarshal(text, &out) == nil && len(out.Tests) == 1 && !strings.Contains(out.Tests[0].Stopped, mc.Interrupted) {
		l.answer = &out.Tests[0]
	}
}

// spread has tasks run tests, and returns those that have an answer then.
func (r *litmusRun) spread(t *session, tests []*litmus.Test) ([]*litmus.Test, error) {
	x, err := newSpread(r.c, true)
	if err != nil {
		return nil, err
	}
	self, err := programOf(r.c).path()
	if err != nil {
		return nil, err
	}
	r.tasks = map[*litmus.Test]*litmusTask{}
	of := map[string]*litmusTask{}
	var jobs []*cluster.Task
	cores := max(1, r.c.Int("threads"))
	for i, test := range tests {
		p, err := r.product(t, test)
		if err != nil {
			return nil, err
		}
		about := fmt.Sprintf("%q", slices.Concat([]string{programVersion(), test.Name, test.Quantifier, test.Condition, string(p.Text)}, x.options("timeout", "mem", "trace", "html", "threads")))
		id := fmt.Sprintf("%x", sha256.Sum256([]byte(about)))[:32]
		if r.tasks[test] = of[id]; of[id] != nil { // it is given twice
			continue
		}
		a := &litmusTask{stem: filepath.Join(x.dir, id)}
		r.tasks[test], of[id] = a, a
		if a.read(); a.answer != nil && a.answer.Verdict != mc.Unknown.String() {
			continue
		}
		a.answer = nil
		name := test.Name
		if r.c.NArg() > 1 {
			name = r.c.Args().Get(1 + i)
		}
		jobs = append(jobs, &cluster.Task{
			Name: name, Stdout: a.stem + ".json", Stderr: a.stem + ".err",
			Args: slices.Concat([]string{self, "litmus"}, x.options("trace", "html", "threads"),
				[]string{"--threads", strconv.Itoa(cores), "--trace", a.stem + ".trace", "--json", "--progress", "never", "--", r.file, name}),
			Fresh: func() error { return os.RemoveAll(a.stem + ".json") },
			Ended: func() (bool, error) {
				if a.read(); a.answer != nil {
					fmt.Fprintf(x.notes, "%s: %s\n", name, a.answer.Verdict)
				}
				return a.answer != nil, nil
			},
		})
	}
	if err := x.run(jobs, cores); r.c.Context.Err() != nil {
		return nil, errors.New("interrupted; the same command goes on")
	} else if err != nil {
		return nil, err
	}
	ended := slices.DeleteFunc(slices.Clone(tests), func(test *litmus.Test) bool { return r.tasks[test].answer == nil })
	if open := len(tests) - len(ended); open > 0 {
		fmt.Fprintf(x.notes, "%s without an answer; the same command goes on\n", task.Plural(open, "test"))
	}
	return ended, nil
}

// take returns what the task of a test has found. A counterexample is replayed here once more.
func (r *litmusRun) take(t *session, x *litmus.Test, a *litmusTask) (jsonTest, mc.Status, error) {
	switch a.answer.Verdict {
	case mc.Safe.String():
		return *a.answer, mc.Safe, nil
	case mc.Unknown.String():
		return *a.answer, mc.Unknown, nil
	}
	text, err := os.ReadFile(a.stem + ".trace")
	if err != nil {
		return jsonTest{}, 0, err
	}
	p, err := r.product(t, x)
	if err != nil {
		return jsonTest{}, 0, err
	}
	s, err := r.open(r.c.Context, p, nil)
	if err != nil {
		return jsonTest{}, 0, err
	}
	s.bar.done()
	found, err := s.Replay(a.stem+".trace", text)
	if err != nil {
		return jsonTest{}, 0, fmt.Errorf("internal error: the counterexample of %s is rejected: %w", x.Name, err)
	}
	return *a.answer, mc.Unsafe, r.violated(s, x, found.Prop, found.Depth, func() error {
		if err := writeOption(r.c, "trace", contents(text)); err != nil {
			return err
		}
		return savePage(r.c, found.View)
	}, func(w io.Writer) error { _, err := w.Write(text); return err })
}
