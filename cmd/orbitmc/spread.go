package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"orbitmc/internal/cluster"
	"orbitmc/internal/portfolio"
	"orbitmc/internal/task"
	"orbitmc/mc"
)

// This file runs check and sweep on a cluster (docs/cluster.md). check has a task for each property, engine
// and seed: a check of its own, which exchanges lemmas with the others by files. The first answer
// about a property ends its other tasks. sweep has a task for each size, and one that tries to prove every
// size (spread_sweep.go).
//
// A task has checked its evidence before it prints a verdict. A counterexample is replayed here once more.

// clusterFlags are for commands that run on a cluster.
func clusterFlags(more ...cli.Flag) flagSet {
	return flagSet{"more than one machine", append([]cli.Flag{
		&cli.StringFlag{Name: "on", Value: "here", Usage: "`here|slurm` slurm: as tasks of a cluster; docs/cluster.md (default here)"},
		&cli.StringFlag{Name: "out", Usage: "`DIR` for the tasks, on all machines; with --on slurm"},
	}, more...)}
}

func shareFlag() cli.Flag {
	return &cli.StringFlag{Name: "share", Usage: "`DIR` exchange lemmas with other runs by files in this folder; each is checked before use"}
}

// spread is a command on a cluster.
type spread struct {
	c     *cli.Context
	model string // its path
	dir   string // of all tasks
	where string
	notes io.Writer
}

const noFolder = "--on slurm goes with --out DIR, a folder that all machines have"

// newSpread prepares a command on a cluster; resumed says that it may go on with what is in its folder, and has one
// verdict, here.
func newSpread(c *cli.Context, resumed bool) (*spread, error) {
	if c.String("out") == "" {
		return nil, errors.New(noFolder)
	}
	for _, name := range []string{"cert", "lemmas", "html", "share", "json-events", "write"} {
		if c.IsSet(name) && !resumed {
			return nil, fmt.Errorf("--%s does not go with --on slurm", name)
		}
	}
	for _, file := range append(c.Args().Slice(), c.String("map")) {
		switch st, err := os.Stat(file); {
		case file == "-":
			return nil, errors.New("--on slurm wants a file: standard input is on this machine only")
		case err == nil && !st.Mode().IsRegular():
			return nil, fmt.Errorf("--on slurm wants a file that each task can read, and %s can be read once", file)
		}
	}
	x := &spread{c: c, notes: c.App.ErrWriter}
	var err error
	if x.where, err = os.Getwd(); err != nil {
		return nil, err
	}
	if x.model, err = filepath.Abs(c.Args().First()); err != nil {
		return nil, err
	}
	if x.dir, err = filepath.Abs(c.String("out")); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(x.dir, 0o755); err != nil {
		return nil, err
	}
	if left, err := os.ReadDir(x.dir); err != nil || len(left) > 0 && !resumed {
		return nil, errors.Join(fmt.Errorf("--out %s: want an empty folder", c.String("out")), err)
	}
	return x, nil
}

// lemmas is the folder in which tasks exchange lemmas.
func (sp *spread) lemmas() string { return filepath.Join(sp.dir, "lemmas") }

// options returns the options of the command line as words, but for some.
func (sp *spread) options(but ...string) (words []string) {
	but = append(but, "on", "out", "json", "progress")
	for _, f := range sp.c.Command.Flags {
		name := f.Names()[0]
		if !sp.c.IsSet(name) || slices.Contains(but, name) {
			continue
		}
		if _, ok := f.(*cli.StringSliceFlag); ok {
			for _, v := range sp.c.StringSlice(name) {
				words = append(words, spelled(name), v)
			}
			continue
		}
		words = append(words, fmt.Sprintf("%s=%v", spelled(name), sp.c.Value(name)))
	}
	return words
}

// task returns a task that runs this program and leaves one JSON object, which is decoded into out. Then ended
// is called.
func (sp *spread) task(name, id, command string, args []string, out any, ended func() error) (*cluster.Task, error) {
	self, err := programOf(sp.c).path()
	if err != nil {
		return nil, err
	}
	stem := filepath.Join(sp.dir, id)
	args = append([]string{self, command}, args...)
	return &cluster.Task{
		Name: name, Args: append(args, "--json", "--progress", "never", "--", sp.model), Stdout: stem + ".json", Stderr: stem + ".err",
		Fresh: func() error { return os.RemoveAll(stem + ".json") },
		Ended: func() (bool, error) {
			text, err := os.ReadFile(stem + ".json")
			if err != nil || json.Unmarshal(text, out) != nil { // it has not ended
				return false, nil
			}
			return true, ended()
		},
	}, nil
}

// jobs runs tasks with so many cores each.
func (sp *spread) jobs(cores int) *cluster.Jobs {
	return &cluster.Jobs{Dir: filepath.Join(sp.dir, "jobs"), Where: sp.where, Cores: cores, Poll: programOf(sp.c).poll,
		Lost: func(t *cluster.Task) { fmt.Fprintf(sp.notes, "%s: lost, submitted again\n", t.Name) }}
}

func (sp *spread) run(tasks []*cluster.Task, cores int) error {
	ctx, _, cancel := task.Limit(sp.c.Context, sp.c.Duration("timeout"), 0)
	defer cancel()
	files := inputOf(sp.c).files
	if _, err := files.Read(sp.c.Args().First()); err != nil {
		return err
	}
	err := sp.jobs(cores).Run(ctx, tasks)
	if err != nil && ctx.Err() != nil && sp.c.Context.Err() == nil { // the timeout: what is known counts
		err = nil
	}
	if name := files.Changed(); err == nil && name != "" {
		return fmt.Errorf("%s was changed while tasks read it, so their answers may be about different texts", name)
	}
	return err
}

// spreadTask is one task of check.
type spreadTask struct {
	prop, engine string
	seed         int
	trace        string // file
	out          jsonResult
	task         *cluster.Task
}

// checkOnCluster is check with --on slurm.
func checkOnCluster(c *cli.Context) error {
	x, err := newSpread(c, false)
	if err != nil {
		return err
	}
	t, err := open(c.Context, c, taskOptions(c)) // errors in the file are found here
	if err != nil {
		return err
	}
	t.bar.done()
	engines, err := portfolio.Engines(t.Task, c.String("engine"))
	if err != nil {
		return err
	}
	if engines = portfolio.Fit(t.Task, engines); len(engines) == 0 {
		return fmt.Errorf("%s: no engine for its properties", t.File)
	}
	answers := make(map[string]jsonProperty)
	var names []string // of properties
	var all []*spreadTask
	var tasks []*cluster.Task
	var result jsonResult
	for _, q := range t.Problem.Props {
		name := t.Problem.Name(q)
		if _, again := answers[name]; again {
			return fmt.Errorf("%s: --on slurm asks for properties by name, and several are called %q", t.File, name)
		}
		names = append(names, name)
		answers[name] = jsonProperty{Name: name, Kind: t.Problem.Kind(q).String(), Verdict: mc.Unknown.String()}
	}
	// Where there are fewer cores than tasks, those go first that may both find a violation and prove that there is none.
	bounded := func(e mc.Engine) int { return strings.Count(e.Name(), "bmc") }
	slices.SortStableFunc(engines, func(a, b mc.Engine) int { return bounded(a) - bounded(b) })
	for seed := range max(1, c.Int("seeds")) {
		for _, e := range engines {
			for _, name := range names {
				s := &spreadTask{prop: name, engine: e.Name(), seed: seed, trace: filepath.Join(x.dir, fmt.Sprintf("%d.trace", len(all)))}
				args := append(x.options("prop", "engine", "seed", "seeds", "trace", "trace-style", "exit-style", "all"),
					"--prop", name, "--engine", s.engine, "--seed", strconv.Itoa(seed), "--trace", s.trace, "--share", x.lemmas())
				s.task, err = x.task(fmt.Sprintf("%s by %s, seed %d", name, s.engine, seed), strconv.Itoa(len(all)), "check", args, &s.out, func() error {
					return x.ended(t, s, all, answers, &result)
				})
				if err != nil {
					return err
				}
				all = append(all, s)
				tasks = append(tasks, s.task)
			}
		}
	}
	if err := x.run(tasks, 1); err != nil {
		return err
	}
	result.Model, result.Properties = t.File, []jsonProperty{}
	verdict := mc.Safe
	for _, name := range names {
		a := answers[name]
		result.Properties = append(result.Properties, a)
		switch {
		case a.Verdict == mc.Unsafe.String():
			verdict = mc.Unsafe
		case a.Verdict == mc.Unknown.String() && verdict == mc.Safe:
			verdict = mc.Unknown
		}
	}
	result.Verdict = verdict.String()
	if c.Bool("json") {
		err = printJSON(c.App.Writer, result)
	} else {
		err = x.showText(t, &result, all)
	}
	return cmp.Or(err, exitOf(c, verdict))
}

// ended takes over what a task of check found.
func (sp *spread) ended(t *session, s *spreadTask, all []*spreadTask, answers map[string]jsonProperty, result *jsonResult) error {
	result.Stats.CPU += s.out.Stats.CPU
	result.Stats.MaxRSS = max(result.Stats.MaxRSS, s.out.Stats.MaxRSS)
	i := slices.IndexFunc(s.out.Properties, func(p jsonProperty) bool { return p.Name == s.prop })
	if i < 0 {
		return fmt.Errorf("its result has no property %q", s.prop)
	}
	p, unknown := s.out.Properties[i], mc.Unknown.String()
	switch known := answers[s.prop]; {
	case p.Verdict != unknown && known.Verdict != unknown && p.Verdict != known.Verdict:
		return fmt.Errorf("internal error: %q is %s here, and %s by %s", s.prop, p.Verdict, known.Verdict, known.Engine)
	case known.Verdict != unknown:
		return nil
	case p.Verdict == unknown:
		if p.Bound != nil && (known.Bound == nil || *p.Bound > *known.Bound) {
			answers[s.prop] = p
		}
		return nil
	}
	if s.out.First == s.prop {
		text, err := os.ReadFile(s.trace)
		if err != nil {
			return err
		}
		if _, err := t.Replay(s.trace, text); err != nil {
			return fmt.Errorf("internal error: its counterexample is rejected: %w", err)
		}
	}
	answers[s.prop] = p
	if result.First == "" && s.out.First == s.prop {
		result.First = s.prop
	}
	result.Symmetry = s.out.Symmetry
	for _, other := range all {
		if other != s && (other.prop == s.prop || s.out.Verdict == mc.Unsafe.String() && !sp.c.Bool("all")) {
			other.task.Drop()
		}
	}
	return nil
}

func (sp *spread) showText(t *session, r *jsonResult, all []*spreadTask) error {
	w := sp.c.App.Writer
	if err := show(w, "spread verdicts", struct {
		Title string
		*jsonResult
	}{t.Title(), r}); err != nil {
		return err
	}
	for _, s := range all {
		if s.out.First == "" || s.prop != r.First || s.out.First != r.First {
			continue
		}
		text, err := os.ReadFile(s.trace)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "\ncounterexample to %q:\n\n%s", s.prop, text)
		if err := writeOption(sp.c, "trace", contents(text)); err != nil {
			return err
		}
		break
	}
	fmt.Fprintf(w, "\nevidence: checked by each task; their output is in %s\nverdict: %s\n", sp.c.String("out"), r.Verdict)
	fmt.Fprintf(sp.notes, "%s, %.2f s of CPU\n", task.Plural(len(all), "task"), r.Stats.CPU)
	return nil
}
