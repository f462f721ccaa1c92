package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/urfave/cli/v2"

	"orbitmc/benchmarks"
	"orbitmc/benchmarks/runner"
	"orbitmc/internal/task"
)

func benchCommand() *cli.Command {
	c := describe(&cli.Command{
		Name: "bench", ArgsUsage: "COMMAND ...",
		Usage:       "run suites of models, configurations and other tools, and compare what came out",
		Description: "orbitmc help bench COMMAND lists the options of a COMMAND.",
		Subcommands: append([]*cli.Command{benchInitCommand(), benchRunCommand(), benchExportCommand()}, reportCommands()...),
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return fmt.Errorf("unknown command bench %q; see orbitmc bench --help", c.Args().First())
			}
			return cli.ShowSubcommandHelp(c)
		},
	})
	for _, sub := range c.Subcommands {
		sub.Category, sub.HelpName = "commands", "orbitmc bench "+sub.Name
	}
	return c
}

func benchInitCommand() *cli.Command {
	return describe(&cli.Command{
		Name: "init", ArgsUsage: "MODEL...",
		Usage: "write a suite to begin with: check beside the tools that take the models",
		Action: func(c *cli.Context) error {
			if !c.Args().Present() {
				return errors.New("orbitmc bench init: no model given; usage: orbitmc bench init MODEL... -o SUITE.yaml")
			}
			var models []string
			for _, m := range c.Args().Slice() {
				if _, err := os.Stat(m); err != nil {
					return err
				}
				path, err := relative(filepath.Dir(c.String("o")), m)
				if err != nil {
					return err
				}
				models = append(models, path)
			}
			if file := c.String("o"); file != "" {
				if _, err := os.Stat(file); err == nil {
					return fmt.Errorf("%s is there, and stays as it is", file)
				}
			}
			return writeOut(c, func(w io.Writer) error { return runner.Init(w, models) })
		},
	}, flagSet{"options", []cli.Flag{
		&cli.StringFlag{Name: "o", Usage: "`FILE` the suite, instead of stdout; the models' paths in it are relative to its folder"},
	}})
}

func benchRunCommand() *cli.Command {
	return describe(&cli.Command{
		Name: "run", ArgsUsage: "SUITE.yaml",
		Usage:  "run a suite, or continue it; exit status 3 if any answer is wrong",
		Action: benchRun,
	}, flagSet{"options", []cli.Flag{
		&cli.StringFlag{Name: "out", Usage: "`DIR` the directory of the record; one of the same suite is continued"},
		&cli.IntFlag{Name: "jobs", Value: 1, Usage: "`N` runs at a time, each on cores of its own (default 1)"},
		&cli.StringFlag{Name: "on", Value: "here", Usage: "`here|slurm` slurm: each run is a task of a job array; --jobs is then the most at a time, and none by default; docs/cluster.md (default here)"},
		&cli.StringFlag{Name: "only", Usage: "`REGEXP` only runs whose key it matches, model|params|config|repeat; without it the rest follows"},
		&cli.BoolFlag{Name: "dry-run", Usage: "only list the runs"},
		progressFlag(),
	}})
}

func benchRun(c *cli.Context) error {
	switch {
	case c.NArg() != 1:
		return fmt.Errorf("orbitmc bench run: one suite at a time, got %d arguments; usage: orbitmc bench run SUITE.yaml --out DIR", c.NArg())
	case c.String("out") == "" && !c.Bool("dry-run"):
		return errors.New("orbitmc bench run: no directory given; usage: orbitmc bench run SUITE.yaml --out DIR")
	case c.Int("jobs") < 1:
		return fmt.Errorf("--jobs %d: want 1 or more", c.Int("jobs"))
	}
	if err := task.OneOf("on", c.String("on"), choices["on"]...); err != nil {
		return err
	}
	if err := task.OneOf("progress", c.String("progress"), choices["progress"]...); err != nil {
		return err
	}
	suite, err := runner.Load(c.Args().First())
	if err != nil {
		return err
	}
	only, err := regexp.Compile(c.String("only"))
	if err != nil {
		return fmt.Errorf("--only: %w", err)
	}
	if err := suite.Only(only); err != nil {
		return err
	}
	for _, n := range suite.Notes {
		fmt.Fprintf(c.App.ErrWriter, "%s\n", n)
	}
	if c.Bool("dry-run") {
		for _, k := range suite.Keys() {
			fmt.Fprintf(c.App.Writer, "%s\n", k)
		}
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	bar := &benchProgress{progress: newProgress(c), mode: c.String("progress")}
	opt := runner.Options{
		Dir: c.String("out"), Jobs: c.Int("jobs"), Program: self, Supervisor: []string{self, benchExecName},
		Command: os.Args, Commit: runner.Commit(suite.File), Event: bar.event,
	}
	if opt.Commit == "" || strings.HasSuffix(opt.Commit, "+") {
		fmt.Fprintln(c.App.ErrWriter, "warning: this program was not built from a commit: the record cannot say what it measured")
	}
	if c.String("on") == "slurm" {
		opt.Remote = []string{self, "bench", "run"}
		if opt.Where, err = os.Getwd(); err != nil {
			return err
		}
		if !c.IsSet("jobs") {
			opt.Jobs = 0
		}
	}
	rec, err := runner.Run(c.Context, suite, opt)
	bar.done()
	if c.Context.Err() != nil {
		return fmt.Errorf("interrupted; the same command continues")
	} else if err != nil {
		return err
	}
	if err := runner.WriteSummary(c.App.Writer, rec); err != nil {
		return err
	}
	if wrong := runner.Wrong(rec); len(wrong) > 0 {
		fmt.Fprintf(c.App.ErrWriter, "%s\n", task.Plural(len(wrong), "wrong answer"))
		return exitCode(exitRegressed)
	}
	return nil
}

func benchExportCommand() *cli.Command {
	return describe(&cli.Command{
		Name: "export", ArgsUsage: "SUITE.yaml",
		Usage: "write a suite for BenchExec: benchmark definition, task definitions, tool-info module",
		Description: `
BenchExec runs the configurations of orbitmc. orbitmc bench report reads its results.`,
		Action: benchExport,
	}, flagSet{"options", []cli.Flag{
		&cli.StringFlag{Name: "out", Usage: "`DIR` the folder to write to"},
	}})
}

func benchExport(c *cli.Context) error {
	switch {
	case c.NArg() != 1:
		return fmt.Errorf("orbitmc bench export: one suite at a time, got %d arguments; usage: orbitmc bench export SUITE.yaml --out DIR", c.NArg())
	case c.String("out") == "":
		return errors.New("orbitmc bench export: no folder given; usage: orbitmc bench export SUITE.yaml --out DIR")
	}
	suite, err := runner.Load(c.Args().First())
	if err != nil {
		return err
	}
	definition, notes, err := runner.Export(suite, c.String("out"))
	for _, n := range notes {
		fmt.Fprintf(c.App.ErrWriter, "not exported: %s\n", n)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.App.Writer, "%s\n", definition)
	return err
}

// benchProgress shows how far a batch is: a line for each run that ends or, on a terminal,
// the run at hand, and above it what was answered wrongly.
type benchProgress struct {
	*progress
	mode string // of --progress
}

func (p *benchProgress) event(e runner.Event) {
	if p.mode == "never" {
		return
	}
	if !p.tty {
		if e.Run != nil {
			fmt.Fprintf(os.Stderr, "[%d/%d] %s\n", e.Done, e.Total, runLine(e.Run))
		}
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Run != nil && e.Run.Wrong {
		p.wipe()
		fmt.Fprintf(p.w, "[%d/%d] %s\n", e.Done, e.Total, runLine(e.Run))
	}
	p.what = fmt.Sprintf("[%d/%d] %s", e.Done, e.Total, e.Key)
}

// runLine tells of a run that ended.
func runLine(r *benchmarks.Run) string {
	words := []string{strings.ReplaceAll(r.Key, "|", " "), string(r.Status)}
	if r.Status == benchmarks.OK {
		words[1] = benchmarks.ShortVerdict(r.Verdict)
	}
	if r.Wrong {
		words = append(words, "WRONG, expected "+r.Expected)
	}
	if r.Status != benchmarks.Skipped {
		words = append(words, fmt.Sprintf("%.2f s of CPU, %s", r.CPU, task.Size(r.Memory)))
	}
	if r.Note != "" {
		words = append(words, r.Note)
	}
	return strings.Join(words, "; ")
}

// benchExecName is the command that holds a run to its limits.
const benchExecName = "bench-exec"

func benchExecCommand() *cli.Command {
	return &cli.Command{
		Name: benchExecName, Hidden: true,
		Usage: "hold the processes of one run to limits; called by bench run",
		Action: func(*cli.Context) error {
			if status := runner.Supervise(); status != 0 {
				return exitCode(status)
			}
			return nil
		},
	}
}
