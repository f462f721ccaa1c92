package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"orbitmc/internal/coverage"
	"orbitmc/internal/portfolio"
	"orbitmc/internal/task"
	"orbitmc/mc"
	"orbitmc/model"
)

// This file turns a command line into a task, runs engines on it, and has the outcome
// printed.

// session is the task of a command line.
type session struct {
	*task.Task
	c        *cli.Context
	bar      *progress
	carrying *portfolio.Carrying // nil: no lemmas of smaller sizes
	covered  *coverage.Report    // nil: it was not counted
	begun    func()              // called at the first event of an engine; nil does nothing
}

// input is what a command line reads.
type input struct {
	files *task.Files
	began time.Time
}

// begin begins the input of a command, which ends with it or with its --timeout.
func begin(c *cli.Context) (end func()) {
	ctx, _, end := task.Limit(c.Context, c.Duration("timeout"), 0)
	c.App.Metadata["input"] = input{task.NewFiles(ctx), time.Now()}
	return end
}

func inputOf(c *cli.Context) input { return c.App.Metadata["input"].(input) }

// read returns the contents of a file that the command line names.
func read(c *cli.Context, file string) ([]byte, error) {
	return inputOf(c).files.Read(file)
}

// stopped returns the error of a command whose input was not read to its end: that this was stopped, whatever
// else came of it, if the command has not said so.
func stopped(c *cli.Context, err error) error {
	file, reason := inputOf(c).files.Stopped()
	if file == "" || finished(err) {
		return err
	}
	fmt.Fprintf(c.App.ErrWriter, "%s: stopped by %s while it was read\n", file, stopNoun(reason))
	return exitCode(exitUndecided)
}

// modelFlags are what every command takes; they are about models only.
func modelFlags() flagSet {
	return flagSet{"the model", []cli.Flag{
		&cli.StringSliceFlag{Name: "D", Usage: "`NAME=VALUE` set a constant of the model, or a macro of Verilog; repeatable"},
		&cli.StringFlag{Name: "top", Usage: "`MODULE` of Verilog: the top module (default: the one that all others are in)"},
		&cli.StringFlag{Name: "dialect", Value: "cmurphi", Usage: "`cmurphi|rumur` the tool whose semantics is used where the two differ (default cmurphi)"},
		&cli.StringFlag{Name: "deadlock", Value: "stuttering", Usage: "`SENSE` stuttering: no rule leads to another state (default); stuck: no rule can fire; off. An error in a rule is no deadlock"},
		&cli.IntFlag{Name: "loop-max", Value: model.DefaultLoopMax, Usage: "`N` more than N iterations of a while loop are an error (default 1000)"},
	}}
}

// abstractFlags are what commands take that can work on a model in which components are counted.
func abstractFlags() flagSet {
	return flagSet{"abstraction", []cli.Flag{
		&cli.StringFlag{Name: "abstract", Value: "none", Usage: "`none|counters|counters:N` counters: keep how many components are in each local state, and nothing of each component; counters:N: up to N, which stands for more, too: this proves properties and refutes none; docs/theory/counters.md (default none)"},
	}}
}

// formulaFlags are what every command takes that decides formulas.
func formulaFlags(more ...cli.Flag) flagSet {
	return flagSet{"temporal logic", append([]cli.Flag{
		&cli.StringSliceFlag{Name: "ltl", Usage: "`FORMULA` decide this property in linear temporal logic, NAME: FORMULA, or the NAME of one in the file; repeatable; docs/liveness.md"},
		&cli.StringSliceFlag{Name: "fair", Usage: "`weak:RULE` an instance of the rule that, from some point on, can always fire, fires again and again; strong:RULE: so does one that can fire again and again; weak:*: weak for each instance of all rules, in a program for each process; repeatable"},
	}, more...)}
}

// treeFlag is for commands that search explicitly.
func treeFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "ctl", Usage: "`FORMULA` decide this property in computation tree logic, as in AG (x = 1 -> EF x = 0): NAME: FORMULA, or the NAME of one in a Murphi model; repeatable; docs/liveness.md"}
}

// symmetryFlags are what every command takes that looks for symmetry.
func symmetryFlags() flagSet {
	return flagSet{"symmetry", []cli.Flag{
		&cli.StringFlag{Name: "sym", Value: "auto", Usage: "`SOURCE` symmetry to verify and use: declared (scalarsets of the model), detected (structure of the netlist), auto (default: declared and inferred for models, detected for netlists) or off"},
		&cli.StringFlag{Name: "solver", Value: "cdcl", Usage: "`" + strings.Join(task.Choices("solver"), "|") + "` the SAT solver; cdcl (default) is our own"},
		&cli.Uint64Flag{Name: "seed", Usage: "`N` seed of all random choices (default 0)"},
		&cli.DurationFlag{Name: "timeout", Usage: "`TIME` such as 90s or 2h: stop then, with a partial result"},
	}}
}

func jsonFlag() cli.Flag {
	return &cli.BoolFlag{Name: "json", Usage: "print one JSON object instead of text; orbitmc schema describes it"}
}

// eventsFlag is for commands with progress.
func eventsFlag() cli.Flag {
	return &cli.BoolFlag{Name: "json-events", Usage: "with --json: progress on stderr as JSON objects, one in each line"}
}

func htmlFlag() cli.Flag {
	return &cli.StringFlag{Name: "html", Usage: "`FILE` also write the counterexample as a page for a browser, which needs no other file"}
}

// engineFlags are what every command takes that decides properties.
func engineFlags() flagSet {
	return flagSet{"search and output", []cli.Flag{
		&cli.StringSliceFlag{Name: "prop", Usage: "`NAME` check only this property; repeatable"},
		&cli.BoolFlag{Name: "no-ltl", Usage: "formulas and claims of a program that take --ltl are left out; without it, the verdict is unknown until they are decided, too, unless something is violated"},
		&cli.BoolFlag{Name: "all", Usage: "continue after the first violation until every property is decided"},
		&cli.StringFlag{Name: "mem", Usage: "`SIZE` such as 4GiB: stop at this much live memory, with a partial result"},
		&cli.StringFlag{Name: "trace", Usage: "`FILE` also write the shown counterexample to FILE: one of fewest steps, errors before invariants before deadlock; for a netlist, a witness in its format"},
		htmlFlag(),
		&cli.StringFlag{Name: "trace-style", Value: "plain", Usage: "`STYLE` of counterexamples: plain (default): what each step changes; last: the last state in full, too; full: each state in full; of models also cmurphi or rumur; of programs spin, a trail for spin -t; of netlists plain, aiger, btor2 or vcd (waves). With --trace the last four are for the file, and plain is printed"},
		progressFlag(),
		&cli.StringFlag{Name: "exit-style", Value: "plain", Usage: "`STYLE` of the exit status: plain (default), or hwmcc: 20 all hold, 10 one is violated, 0 neither"},
		jsonFlag(),
		eventsFlag(),
	}}
}

// taskOptions returns what the command line says of how a file is read. Options of models
// that are not set stay empty, as a netlist has none.
func taskOptions(c *cli.Context) task.Options {
	opt := task.Options{
		Files:    inputOf(c).files,
		Defines:  c.StringSlice("D"),
		Top:      c.String("top"),
		Formulas: c.StringSlice("ltl"),
		Trees:    c.StringSlice("ctl"),
		Fair:     c.StringSlice("fair"),
		NoLTL:    c.Bool("no-ltl"),
		Symmetry: c.String("sym"),
		Solver:   c.String("solver"),
		Seed:     c.Uint64("seed"),
		Props:    c.StringSlice("prop"),
		Explain:  c.Bool("explain"),
		Adaptive: map[string]string{"adaptive": "always", "auto": "auto"}[c.String("canon")],
		TextOnly: c.String("canon") == "none",
	}
	if c.IsSet("spill") || c.IsSet("checkpoint") || c.IsSet("hash-compact") {
		opt.Adaptive = "" // that is for exact search
	}
	if opt.Symmetry == "" { // the command does not look for any
		opt.Symmetry = "off"
	}
	for name, word := range map[string]*string{"dialect": &opt.Dialect, "deadlock": &opt.Deadlock, "abstract": &opt.Abstract, "encoding": &opt.Encoding} {
		if c.IsSet(name) {
			*word = c.String(name)
		}
	}
	if c.IsSet("loop-max") {
		opt.LoopMax = c.Int("loop-max")
	}
	return opt
}

// open reads the first argument of a command. The error may be that of ctx.
func open(ctx context.Context, c *cli.Context, opt task.Options) (*session, error) {
	return openFile(ctx, c, c.Args().First(), opt)
}

func openFile(ctx context.Context, c *cli.Context, file string, opt task.Options) (*session, error) {
	bar := newProgress(c)
	opt.Phase = bar.phase
	t, err := task.Open(ctx, file, opt)
	if err != nil {
		bar.done()
		return nil, err
	}
	return &session{Task: t, c: c, bar: bar}, nil
}

// openEncoded loads a model that must have a symbolic encoding. If ctx ends first, that
// is printed, and the error is the exit code.
func openEncoded(ctx context.Context, c *cli.Context, opt task.Options) (*session, error) {
	t, err := open(ctx, c, opt)
	if err == nil {
		err = t.Prepare(ctx, true)
		t.bar.done()
	}
	switch {
	case task.CutShort(ctx, err):
		return nil, t.early(c, mc.StopReason(ctx))
	case err != nil:
		return nil, err
	}
	return t, t.Problem.EncErr
}

// early prints what is known if a command that decides nothing ends before the symmetry
// is verified, or before the file is read, when se is nil. What the text of a model shows is known at once.
func (se *session) early(c *cli.Context, reason string) error {
	if se != nil && se.Problem.Model != nil {
		a, err := se.Plain(context.Background())
		if err == nil {
			a, err = se.Quick(context.Background(), a)
		}
		if err != nil {
			return err
		}
		if se.Typed = a.Typed; se.Typed != nil && !c.Bool("json") {
			fmt.Fprintf(c.App.Writer, "%s\n\n", se.Title())
			if err := show(c.App.Writer, "unverified", se); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(c.App.ErrWriter, "the symmetry is not verified; stopped by %s\n", stopNoun(reason))
	if c.Bool("json") {
		out := jsonDetect{Model: c.Args().First(), Symmetry: jsonSymmetry{Order: "1"}, Stopped: reason, Parts: []task.Part{}, Refutations: []jsonRefutation{}}
		if se != nil {
			out.Symmetry = se.symmetryJSON()
		}
		if err := printJSON(c.App.Writer, out); err != nil {
			return err
		}
	}
	return exitCode(exitUndecided)
}

// limited returns the context of a command, with its --timeout and --mem: see task.Limit.
func limited(c *cli.Context) (ctx context.Context, watch func() (unwatch func()), cancel func()) {
	timeout := c.Duration("timeout")
	if timeout > 0 { // reading began before
		timeout = max(1, timeout-time.Since(inputOf(c).began))
	}
	return task.Limit(c.Context, timeout, memory(c))
}

// memory returns what --mem says, which validate has looked at.
func memory(c *cli.Context) int64 {
	n, _ := parseSize(c.String("mem"))
	return n
}

// context returns the context of what comes after a verdict, with a --timeout of its own.
func (se *session) context() (context.Context, context.CancelFunc) {
	ctx, _, cancel := task.Limit(se.c.Context, se.c.Duration("timeout"), 0)
	return ctx, cancel
}

// decide loads the model, runs the engines, checks their evidence, prints. The outcome is
// nil if there is none; the error may be an exit code.
func decide(c *cli.Context, opt task.Options, engines func(*session) ([]mc.Engine, error)) (*session, *portfolio.Outcome, error) {
	run := portfolio.Options{Full: c.String("verify") == "full", Gophersat: c.String("verify") == "gophersat", Lemmas: c.String("lemmas"), Share: c.String("share"), Cores: c.Int("threads")}
	run.All, run.MaxDepth, run.Bounded = c.Bool("all"), c.Int("k"), c.IsSet("k")
	run.MemLimit = memory(c)
	ctx, watch, cancel := limited(c)
	defer cancel()
	unwatch := watch()
	defer unwatch()
	opt.LargeArrays = c.String("cert") == "" // a certificate is about the netlist that the file is, latch by latch
	t, err := open(ctx, c, opt)
	if task.CutShort(ctx, err) {
		return nil, nil, unread(c, mc.StopReason(ctx))
	}
	if err != nil {
		return nil, nil, err
	}
	defer t.bar.done()
	if t.Problem.NumProps() == 0 {
		return t, nil, fmt.Errorf("%s: it has no properties", t.File)
	}
	if t.Problem.IsNetlist() {
		collectLarge()
	}
	es, err := engines(t)
	if err != nil {
		return t, nil, err
	}
	es = programOf(c).engines(t, es)
	for i, e := range es {
		if k, ok := e.(*portfolio.Carrying); ok {
			t.carrying = k
		}
		es[i] = portfolio.PerOrbit(e)
	}
	run.Event, run.Ready = t.bar.event, func() { unwatch(); t.bar.phase("") }
	if t.begun != nil {
		begun := sync.OnceFunc(t.begun)
		run.Event = func(e mc.Event) { begun(); t.bar.event(e) }
	}
	out, err := portfolio.Run(ctx, t.Task, es, run)
	t.bar.done()
	if err != nil {
		return t, nil, err
	}
	err = t.show(out.Result, out.Each)
	if out.Crash != nil {
		err = out.Crash
	}
	return t, out, err
}

// decides is decide for commands that need only the exit code.
func decides(c *cli.Context, engines func(*session) ([]mc.Engine, error)) error {
	_, _, err := decide(c, taskOptions(c), engines)
	return err
}

// finished reports whether an error is none, or an exit code: then the command did its work.
func finished(err error) bool {
	var code exitCode
	return err == nil || errors.As(err, &code)
}

// unread prints the result of a command that decides properties if it ends before it has
// read its file.
func unread(c *cli.Context, reason string) error {
	file := c.Args().First()
	if c.Bool("json") {
		out := jsonResult{Model: file, Verdict: mc.Unknown.String(), Stopped: reason, Properties: []jsonProperty{}, Symmetry: jsonSymmetry{Order: "1"},
			Stats: jsonStats{CPU: task.CPUSeconds(), MaxRSS: task.MaxRSS(), Seed: c.Uint64("seed")}}
		if err := printJSON(c.App.Writer, out); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(c.App.Writer, "%s\n\nverdict: %v; stopped by %s while it was read\n", file, mc.Unknown, stopNoun(reason))
	}
	return exitOf(c, mc.Unknown)
}
