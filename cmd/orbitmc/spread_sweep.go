package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"orbitmc/internal/cluster"
	"orbitmc/internal/portfolio"
	"orbitmc/mc"
)

// This file runs sweep on a cluster: a task for each size, and for a Murphi model one that tries to prove
// every size. All exchange the lemmas of their proofs by files. A proof for every size ends the tasks of the sizes.

// leastGrace is the least time that the proof for every size has once all sizes are decided. It has as long again as they took.
const leastGrace = time.Minute

type spreadSweep struct {
	*spread
	constant string
	from     int
	runs     []*jsonSize // by size; nil: it has no answer yet
	sizes    []*cluster.Task
	began    time.Time
	last     time.Time // the last size was decided

	every  *portfolio.Every // what is to be proved; nil: it is not tried
	trying *cluster.Task    // nil: no constant can be left open
	answer *jsonEvery       // of that task; nil: none yet
}

// sweepOnCluster is sweep with --on slurm.
func sweepOnCluster(c *cli.Context, constant string, from, to int, others []string) error {
	x, err := newSpread(c, false)
	if err != nil {
		return err
	}
	s := &spreadSweep{spread: x, constant: constant, from: from, runs: make([]*jsonSize, to-from+1), began: time.Now()}
	if err := s.tryEvery(others); err != nil {
		return err
	}
	for n := from; n <= to; n++ {
		if err := s.size(n, others); err != nil {
			return err
		}
	}
	tasks := s.sizes
	if s.trying != nil { // it begins with the small sizes, whose lemmas the others take
		tasks = append([]*cluster.Task{s.trying}, tasks...)
	}
	if err := x.run(tasks, 1); err != nil {
		return err
	}
	return s.show()
}

// define writes constants as options.
func define(all ...string) (words []string) {
	for _, d := range all {
		words = append(words, "-D", d)
	}
	return words
}

func (s *spreadSweep) size(n int, others []string) error {
	var out jsonSweep
	args := append(s.options("D", "exit-style"), define(append(slices.Clone(others), fmt.Sprintf("%s=%d..%d", s.constant, n, n))...)...)
	t, err := s.task(fmt.Sprintf("%s=%d", s.constant, n), strconv.Itoa(n), "sweep", append(args, "--share", s.lemmas()), &out, func() error {
		i := slices.IndexFunc(out.Runs, func(r jsonSize) bool { return r.N == n })
		if i < 0 {
			return errors.New("its result has no such size")
		}
		s.runs[n-s.from] = &out.Runs[i]
		if !s.c.Bool("json") {
			fmt.Fprintf(s.notes, "%s = %d: %s, %.2f s of CPU\n", s.constant, n, out.Runs[i].Verdict, out.Runs[i].CPU)
		}
		if s.trying != nil && out.Runs[i].Verdict == mc.Unsafe.String() {
			s.trying.Drop()
		}
		if !slices.Contains(s.runs, nil) {
			s.last = time.Now()
		}
		return s.agree()
	})
	s.sizes = append(s.sizes, t)
	return err
}

// tryEvery makes the task that tries to prove every size, as a sweep on one machine does at its end.
func (s *spreadSweep) tryEvery(others []string) error {
	file := s.c.Args().First()
	if len(s.c.StringSlice("prop")) > 0 || taskOptions(s.c).Language(file) != "Murphi" {
		return nil
	}
	least := max(1, min(s.from, 3))
	s.every = &portfolio.Every{File: file, Task: taskOptions(s.c), Only: []string{s.constant}, Least: map[string]int{s.constant: least}}
	s.every.Task.Defines = others
	if err := s.every.Open(s.c.Context); err != nil || len(s.every.Free) == 0 {
		return err
	}
	but := []string{"D", "exit-style"}
	for _, f := range s.c.Command.Flags {
		if !slices.ContainsFunc(everyCommand().Flags, func(g cli.Flag) bool { return g.Names()[0] == f.Names()[0] }) {
			but = append(but, f.Names()[0])
		}
	}
	var out jsonEvery
	args := append(s.options(but...), define(append(slices.Clone(others), fmt.Sprintf("%s=%d..", s.constant, least))...)...)
	args = append(args, "--only", s.constant, "--share", s.lemmas())
	t, err := s.task("every "+s.constant, "every", "every", args, &out, func() error {
		s.answer = &out
		for i, t := range s.sizes {
			if s.proved(s.from + i) {
				t.Drop()
			}
		}
		return s.agree()
	})
	if err != nil {
		return err
	}
	look := t.Ended
	t.Ended = func() (bool, error) {
		ended, err := look()
		if !s.last.IsZero() && time.Since(s.last) > max(leastGrace, s.last.Sub(s.began)) {
			t.Drop()
		}
		return ended, err
	}
	t.Spare = true
	s.trying = t
	return nil
}

// proved reports whether the proof for every size is about size n.
func (s *spreadSweep) proved(n int) bool {
	if s.answer == nil || s.answer.Verdict != mc.Safe.String() || len(s.answer.Least) != 1 {
		return false
	}
	least, ok := s.answer.Least[s.constant]
	return ok && n >= least
}

// agree returns an error if tasks contradict each other.
func (s *spreadSweep) agree() error {
	for i, r := range s.runs {
		if r != nil && r.Verdict == mc.Unsafe.String() && s.proved(s.from+i) {
			return fmt.Errorf("internal error: %s = %d is %s, and there is a proof for every size", s.constant, s.from+i, r.Verdict)
		}
	}
	return nil
}

// sweptView is what a sweep on a cluster prints.
type sweptView struct {
	jsonSweep
	Title  string           `json:"-"`
	Rows   []string         `json:"-"`
	Folder string           `json:"-"` // of the tasks
	Tried  *portfolio.Every `json:"-"` // nil: it was not
	Answer *jsonEvery       `json:"-"` // nil: none
	Unsafe bool             `json:"-"`
}

// show prints the result and returns the exit code as an error.
func (s *spreadSweep) show() error {
	out := sweptView{jsonSweep: jsonSweep{Constant: s.constant, Runs: []jsonSize{}, Every: s.answer}, Title: s.c.Args().First(), Folder: s.c.String("out"), Tried: s.every, Answer: s.answer}
	verdict := mc.Safe
	for i, r := range s.runs {
		n := s.from + i
		if verdict == mc.Safe && (r == nil || r.Verdict == mc.Unknown.String()) && !s.proved(n) {
			verdict = mc.Unknown
		}
		if r != nil {
			if r.Verdict == mc.Unsafe.String() {
				verdict = mc.Unsafe
			}
			out.Runs = append(out.Runs, *r)
			out.Rows = append(out.Rows, fmt.Sprintf("%8d  %-8s  %7d", n, r.Verdict, r.Lemmas))
		} else if s.proved(n) {
			out.Rows = append(out.Rows, fmt.Sprintf("%8d  %-8v  by the proof for every size", n, mc.Safe))
		}
	}
	if out.Unsafe = verdict == mc.Unsafe; s.every != nil && s.answer == nil && !out.Unsafe {
		if s.trying != nil {
			s.every.Stopped = "no answer in time"
		}
		out.Every = newJSONEvery(s.every, mc.Unknown)
	}
	return cmp.Or(output(s.c, "swept", out), exitOf(s.c, verdict))
}
