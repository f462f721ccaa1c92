package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"orbitmc/gotest"
	"orbitmc/mc"
)

// This file holds go: the tests of Go packages, run under every schedule.

func goCommand() *cli.Command {
	return command(&cli.Command{
		Name: "go", ArgsUsage: "[PACKAGE...]",
		Usage: "run Go tests under every schedule",
		Description: `
go builds the tests of Go packages, by default of the one here, with a scheduler of its own, and runs each test under
every schedule: every order of its operations on channels, locks, atomics and timers that can be
told apart. It finds deadlocks, goroutines that are left waiting, panics, failures, data races and misuse of
sync. Nothing in the module changes. What cannot be controlled is refused where it is called. docs/go.md says
what is explored. It takes the go command; the race detector takes a C compiler.`,
		Action: runGo,
	}, flagSet{"tests", []cli.Flag{
		&cli.StringFlag{Name: "run", Usage: "`REGEXP` the tests, as for go test; without, all of them"},
		&cli.StringFlag{Name: "C", Usage: "`DIR` the folder of the module, or one below; without, the one here"},
		&cli.BoolFlag{Name: "race", Value: true, Usage: "run Go's race detector, too (default true; --race=false is faster)"},
		&cli.StringFlag{Name: "timers", Value: "idle", Usage: "`idle|any` when timers fire: when all goroutines wait (default), or each at any moment"},
	}}, flagSet{"search", []cli.Flag{
		&cli.IntFlag{Name: "steps", Value: 20000, Usage: "`N` operations of an execution at most (default 20000); one that is cut leaves the search incomplete"},
		&cli.IntFlag{Name: "max", Usage: "`N` executions of a test at most"},
		&cli.IntFlag{Name: "random", Value: 4, Usage: "`N` one execution in N, of the first ones, has a random schedule (default 4); 0: none"},
		&cli.Uint64Flag{Name: "seed", Usage: "`N` of random schedules (default 0)"},
		&cli.IntFlag{Name: "preemptions", Usage: "`N` only schedules in which a goroutine that could go on is preempted N times at most; incomplete if others are left"},
		&cli.BoolFlag{Name: "all", Usage: "go on behind a violation, to the end of the search, and report deadlocks and leaks by the lines that wait"},
		&cli.StringFlag{Name: "por", Value: "dpor", Usage: "`dpor|none` explore one of the orders that cannot be told apart (default), or each"},
		&cli.StringFlag{Name: "sym", Value: "twins", Usage: "`twins|off` explore one of the orders in which interchangeable goroutines start (default), or each"},
		&cli.BoolFlag{Name: "fresh", Usage: "a process for each execution, for tests that leave something behind"},
		&cli.DurationFlag{Name: "timeout", Usage: "`TIME` such as 90s or 2h: stop then, incomplete"},
		&cli.StringFlag{Name: "mem", Usage: "`SIZE` such as 4GiB: of a process of tests, which then hands over to a new one (default 1GiB)"},
	}}, flagSet{"output", []cli.Flag{
		&cli.StringFlag{Name: "trace", Usage: "`FILE` write the shortest schedule with a violation to FILE"},
		&cli.StringFlag{Name: "replay", Usage: "`FILE` run the schedule that --trace wrote, and no other"},
		&cli.BoolFlag{Name: "delve", Usage: "with --replay: build the tests, and print the command that runs the schedule in the debugger delve"},
		htmlFlag(),
		progressFlag(),
		jsonFlag(),
	}})
}

func runGo(c *cli.Context) error {
	ctx, _, cancel := limited(c)
	defer cancel()
	opt := gotest.Options{Dir: c.String("C"), Patterns: c.Args().Slice(), Run: c.String("run"), Race: c.Bool("race"), AnyTime: c.String("timers") == "any", Fresh: c.Bool("fresh"),
		Steps: c.Int("steps"), Limit: c.Int("max"), Memory: memory(c), Random: cmp.Or(c.Int("random"), -1), Seed: c.Uint64("seed"),
		All: c.Bool("all"), Unreduced: c.String("por") == "none", Plain: c.String("sym") == "off"}
	if n := c.Int("preemptions"); c.IsSet("preemptions") {
		opt.Preemptions = &n
	}
	if len(opt.Patterns) == 0 {
		opt.Patterns = []string{"."}
	}
	if c.Bool("delve") && !c.IsSet("replay") {
		return fmt.Errorf("--delve goes with --replay")
	}
	bar := newProgress(c)
	defer bar.done()
	opt.Event = func(p gotest.Progress) {
		if p.Phase != "" {
			bar.phase(p.Phase)
			return
		}
		r := p.Report
		text := fmt.Sprintf("%s %s, %d schedules, %d given up early", p.Package, p.Test, r.Executions+r.Random, r.Pruned)
		if r.Explored > 0 && !r.Complete {
			text += fmt.Sprintf(", about %.3g in all", float64(r.Executions)/r.Explored)
		}
		bar.phase(text)
	}
	var r *gotest.Result
	var err error
	if file := c.String("replay"); file != "" {
		var saved gotest.Saved
		data, err := read(c, file)
		if err == nil {
			err = json.Unmarshal(data, &saved)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if c.Bool("delve") {
			if opt.Keep, err = os.MkdirTemp("", "orbitmc-go"); err != nil {
				return err
			}
			line, err := gotest.Delve(ctx, opt, saved)
			bar.done()
			if err == nil {
				fmt.Fprintln(c.App.Writer, line)
			}
			return err
		}
		if r, err = gotest.Replay(ctx, opt, saved); err != nil {
			return err
		}
	} else if r, err = gotest.Run(ctx, opt); err != nil {
		return err
	}
	bar.done()
	verdict := map[string]mc.Status{gotest.Violated: mc.Unsafe, gotest.Explored: mc.Safe}[r.Verdict]
	if t, v := r.First(); v != nil {
		if err = writeOption(c, "trace", func(b *bufio.Writer) error { return printJSON(b, gotest.Save(r, t, v)) }); err == nil {
			err = writeOption(c, "html", func(b *bufio.Writer) error { return gotest.View(t, v).WriteHTML(b) })
		}
	}
	switch {
	case err != nil:
	case c.Bool("json"):
		err = printJSON(c.App.Writer, r)
	default:
		for i := range r.Tests {
			r.Tests[i].WriteText(c.App.Writer, r.Timers, r.Race)
		}
		if len(r.Tests) == 0 {
			fmt.Fprintln(c.App.Writer, "stopped before the tests were built")
		}
		_, err = fmt.Fprintf(c.App.Writer, "verdict: %s\n", r.Verdict)
	}
	return cmp.Or(err, exitOf(c, verdict))
}
