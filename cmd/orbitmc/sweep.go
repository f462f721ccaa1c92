package main

import (
	"bufio"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"orbitmc/internal/portfolio"
	"orbitmc/internal/task"
	"orbitmc/mc"
)

// This file holds the command that proves a model at many sizes.

func sweepCommand() *cli.Command {
	return command(&cli.Command{
		Name: "sweep", ArgsUsage: "MODEL",
		Usage: "prove a model at many sizes, with the lemmas of the small ones",
		Description: `
One constant is given as a range: -D N=2..16. pdr proves the smallest size. From 3 on,
the lemmas of the proofs are instantiated at each larger size. The inductive ones are
kept, and most often they are the proof; otherwise pdr continues from them. As long as all
states fit in 8 MiB, explicit search goes first at each size, and decides it if pdr does not. Each size is
checked on its own. sweep reports the size from which no new lemma was needed. At the end it
tries to prove every size with these lemmas, as every does, and says what it proved, or what
the lemmas leave open, unless the range has one size. A sweep that begins above 3 also proves
3, for its lemmas, unless it finds lemmas in the folder of --share.`,
		Action: sweep,
	}, flagSet{"sweep", []cli.Flag{
		&cli.StringFlag{Name: "write", Usage: "`FILE.m` write the model with the lemmas of the last size as invariants, and the constants of that size; induct --k-max 1 proves them"},
	}}, proofFlags().without("cert"), modelFlags(), symmetryFlags(), engineFlags().without("trace", "html", "trace-style", "all"), clusterFlags(shareFlag()))
}

func sweep(c *cli.Context) error {
	name, from, to, others, err := sweepRange(c.StringSlice("D"))
	if err != nil {
		if t, failed := task.Open(c.Context, c.Args().First(), taskOptions(c)); err == errNoRange && failed == nil {
			if constant, v := t.Smaller(); constant != "" { // the same with a constant of the model
				err = fmt.Errorf("orbitmc sweep: want one range, as in -D %s=2..%d", constant, v+3)
			}
		}
		return err
	}
	if c.String("on") == "slurm" {
		return sweepOnCluster(c, name, from, to, others)
	}
	x := &sweeping{c: c, bar: newProgress(c)}
	s := &portfolio.Sweep{File: c.Args().First(), Constant: name, From: from, To: to, Task: taskOptions(c), Row: x.row}
	x.Sweep = s
	s.Task.Defines = others
	s.Task.Phase = func(what string) { x.bar.phase(what) }
	s.Event = func(e mc.Event) { x.bar.event(e) }
	s.Share = c.String("share")
	s.MemLimit, s.Full, s.Gophersat = memory(c), c.String("verify") == "full", c.String("verify") == "gophersat"
	ctx, watch, cancel := limited(c)
	s.Watch = watch
	defer cancel()
	err = s.Run(ctx)
	x.bar.done()
	if s.Stopped != "" {
		fmt.Fprintln(c.App.ErrWriter, stopNoun(s.Stopped))
	}
	if err != nil {
		if errors.As(err, new(*task.Panic)) {
			if failed := x.end(); !finished(failed) {
				return failed
			}
		}
		return err
	}
	if err := x.write(c.String("write")); err != nil {
		return err
	}
	if from < to && len(s.Task.Props) == 0 && ctx.Err() == nil && s.Task.Language(s.File) == "Murphi" {
		if x.every, err = s.Every(ctx); err != nil && !errors.Is(err, portfolio.ErrNotProved) {
			return err
		}
	}
	return x.end()
}

// sweeping prints a sweep.
type sweeping struct {
	*portfolio.Sweep
	c       *cli.Context
	bar     *progress
	Printed bool
	every   *portfolio.Every // nil: it was not tried
}

func (s *sweeping) write(file string) error {
	var refused []error
	err := writeOption(s.c, "write", func(b *bufio.Writer) (err error) {
		refused, err = s.Write(b)
		return err
	})
	if errors.Is(err, portfolio.ErrNotProved) {
		fmt.Fprintf(s.c.App.ErrWriter, "%s is not written: %v\n", file, err)
		return nil
	}
	for _, r := range refused {
		fmt.Fprintf(s.c.App.ErrWriter, "%s: a lemma is left out: %v\n", file, r)
	}
	return err
}

// errNoRange is the error where no constant has a range.
var errNoRange = errors.New("orbitmc sweep: want one range, as in -D N=2..10")

// sweepRange finds the one constant that has a range of values.
func sweepRange(defines []string) (name string, from, to int, others []string, err error) {
	for _, d := range defines {
		n, v, _ := strings.Cut(d, "=")
		a, b, ok := strings.Cut(v, "..")
		if !ok {
			others = append(others, d)
			continue
		}
		if name != "" {
			return "", 0, 0, nil, errNoRange
		}
		name = n
		var err1, err2 error
		from, err1 = strconv.Atoi(a)
		to, err2 = strconv.Atoi(b)
		if err1 != nil || err2 != nil || name == "" {
			return "", 0, 0, nil, fmt.Errorf("-D %q: want NAME=FROM..TO", d)
		}
		if from > to {
			return "", 0, 0, nil, fmt.Errorf("-D %q: %d is above %d", d, from, to)
		}
	}
	if name == "" {
		return "", 0, 0, nil, errNoRange
	}
	return name, from, to, others, nil
}

func (s *sweeping) row(run *portfolio.Size) {
	s.bar.done()
	s.bar = newProgress(s.c)
	if s.c.Bool("json") {
		return
	}
	show(s.c.App.Writer, "sweep of size", struct {
		*portfolio.Size
		Sweep *sweeping
	}{run, s})
	s.Printed = true
	fmt.Fprintf(s.c.App.ErrWriter, "%s = %d: %.2f s of CPU\n", s.Constant, run.N, run.CPU)
}

type jsonSweep struct {
	Constant string     `json:"constant"`
	Stable   *int       `json:"stable_from,omitempty"`
	Changing []string   `json:"changing_constants,omitempty"`
	Every    *jsonEvery `json:"every,omitempty"` // whether it is proved for every size
	Runs     []jsonSize `json:"runs"`
}

type jsonSize struct {
	N          int            `json:"n"`
	Model      string         `json:"model"`
	Verdict    string         `json:"verdict" enum:"safe unsafe unknown"`
	Stopped    string         `json:"stopped,omitempty"`
	Properties []jsonProperty `json:"properties"`
	Symmetry   jsonSymmetry   `json:"symmetry"`
	Lemmas     int            `json:"lemmas"`   // orbits of lemmas in the proof
	Patterns   int            `json:"patterns"` // readings of lemmas that were new
	CPU        float64        `json:"cpu_s"`
	Stats      mc.Stats       `json:"stats"`
}

func sizeJSON(c *cli.Context, run *portfolio.Size) (jsonSize, error) {
	t := &session{Task: run.Task, c: c}
	properties, err := t.propertiesJSON(run.Result)
	return jsonSize{
		N: run.N, Model: run.Task.File, Verdict: run.Result.Verdict().String(), Stopped: run.Result.Stopped,
		Properties: properties, Symmetry: t.symmetryJSON(),
		Lemmas: run.Clauses, Patterns: run.Learned, CPU: run.CPU, Stats: run.Result.Stats,
	}, err
}

// sizesJSON returns what --json says of runs.
func sizesJSON(c *cli.Context, runs []*portfolio.Size) ([]jsonSize, error) {
	all := []jsonSize{} // in JSON [] and not null
	for _, run := range runs {
		size, err := sizeJSON(c, run)
		if err != nil {
			return nil, err
		}
		all = append(all, size)
	}
	return all, nil
}

// end prints what is to be said of all sizes and returns the exit code as an error.
func (s *sweeping) end() error {
	stable, changing, verdict := s.Stable(), s.Changing(), mc.Safe
	switch {
	case s.Violated:
		verdict = mc.Unsafe
	case s.Open:
		verdict = mc.Unknown
	}
	if s.c.Bool("json") {
		runs, err := sizesJSON(s.c, s.Sizes)
		if err != nil {
			return err
		}
		out := jsonSweep{Constant: s.Constant, Changing: changing, Runs: runs}
		if stable > 0 {
			out.Stable = &stable
		}
		if s.every != nil {
			every := mc.Unknown
			if s.every.Proved != nil {
				every = mc.Safe
			}
			out.Every = newJSONEvery(s.every, every)
		}
		if err := printJSON(s.c.App.Writer, out); err != nil {
			return err
		}
	} else if n := len(s.Sizes); n > 0 {
		last, next := s.Sizes[n-1], ""
		if i := slices.IndexFunc(s.Sizes, func(run *portfolio.Size) bool { return run.Result.Violated() }); i >= 0 {
			least := &session{Task: s.Sizes[i].Task, c: s.c}
			next = least.again("check", "-D", fmt.Sprintf("%s=%d", s.Constant, s.Sizes[i].N))
		}
		err := show(s.c.App.Writer, "sweep", struct {
			told
			*portfolio.Sweep
			Tried    *portfolio.Every
			Changing []string
			Stable   int
			Verdict  mc.Status
			Next     string
		}{(&session{Task: last.Task, c: s.c}).told(last.Result, nil), s.Sweep, s.every, changing, stable, verdict, next})
		if err != nil {
			return err
		}
	}
	return exitOf(s.c, verdict)
}
