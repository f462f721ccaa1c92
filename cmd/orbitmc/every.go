package main

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"orbitmc/internal/lists"
	"orbitmc/internal/portfolio"
	"orbitmc/internal/task"
	"orbitmc/mc"
	"orbitmc/model"
)

// This file holds the command that proves a model for every size.

// mostEvery is the largest size that every searches by default.
const mostEvery = 8

func everyCommand() *cli.Command {
	return command(&cli.Command{
		Name: "every", ArgsUsage: "MODEL",
		Usage: "prove a model for every size, or find the smallest one at which it is violated",
		Description: `
Constants that are the sizes of scalarsets, or of ranges that are used like scalarsets, are
left open, unless -D sets them. A size that is a number, scalarset(3), is one, too: the claim
names the change of the text, and where else the number stands. explicit search and pdr decide the model at 2, 3, … components, as in a sweep. Lemmas
become invariants of the model. A theorem says how many components a condition on them can
tell apart (docs/theory/every-n.md): the conditions are checked at the sizes up to that number, and
hold at all sizes.
With --cti nothing is searched: the exit status is 0 if the properties are inductive at every
size, else 2. --lemma has invariants that may help (docs/induction.md).
-D N=3.. leaves N open from 3 on. If there is no proof, every says why, with the place in
the model. A model is refused if the value of such a constant matters other than as a size,
the bound of a range (0..N), or a number that is added, compared or assigned. Then some
sizes are decided in place of all, within a limit of work.`,
		Action: every,
	}, flagSet{"every size", []cli.Flag{
		&cli.IntFlag{Name: "upto", Value: mostEvery, Usage: fmt.Sprintf("`N` largest size that is searched for violations and lemmas (default %d)", mostEvery)},
		&cli.StringFlag{Name: "write", Usage: "`FILE.m` write the model with the lemmas as invariants; every proves that from the file alone. FILE.tla is the same in TLA+, for TLC and TLAPS, and FILE.ivy in Ivy, for ivy_check"},
		&cli.StringFlag{Name: "cert", Usage: "`FILE.smt2` write the conditions for SMT solvers: to all of them z3 answers unsat"},
		&cli.StringFlag{Name: "html", Usage: "`FILE` draw the proof as a page for a browser: which lemma each rule needs to keep which property, or lemma; --json says it, too"},
		&cli.StringSliceFlag{Name: "only", Usage: "`NAME` leave no other constant open; repeatable"},
		&cli.BoolFlag{Name: "cti", Usage: "search nothing: are the properties, with the lemmas of --lemma, inductive at every size? Else show a counterexample to induction for each rule and property that break it"},
		&cli.StringSliceFlag{Name: "lemma", Usage: "`FILE` try its invariants as lemmas, and say of each what became of it; rulesets and functions may be around them; repeatable"},
		shareFlag(),
	}}, modelFlags(), symmetryFlags(), engineFlags().without("trace", "html", "trace-style", "all", "prop"))
}

// leftOpen takes the constants out of defines that are to be left open: NAME=FROM...
func leftOpen(defines []string) (least map[string]int, others []string, err error) {
	least = make(map[string]int)
	for _, d := range defines {
		name, v, _ := strings.Cut(d, "=")
		from, ok := strings.CutSuffix(v, "..")
		if !ok {
			others = append(others, d)
			continue
		}
		if least[name], err = strconv.Atoi(from); err != nil || least[name] < 1 {
			return nil, nil, fmt.Errorf("-D %q: want NAME=VALUE or NAME=FROM.., with a number of components", d)
		}
	}
	return least, others, nil
}

func every(c *cli.Context) error {
	least, others, err := leftOpen(c.StringSlice("D"))
	if err != nil {
		return err
	}
	if file := c.Args().First(); taskOptions(c).Language(file) != "Murphi" {
		return fmt.Errorf("%s: every is for Murphi models, and this is %s", file, taskOptions(c).Language(file))
	}
	x := &everySize{c: c, bar: newProgress(c)}
	e := &portfolio.Every{File: c.Args().First(), Task: taskOptions(c), Only: c.StringSlice("only"), Least: least, Most: c.Int("upto"), Literals: true, Offered: c.StringSlice("lemma"), Induct: c.Bool("cti"), Tried: x.row}
	x.Every = e
	e.Task.Defines = others
	e.Task.Phase = func(what string) { x.bar.phase(what) }
	e.Event = func(v mc.Event) { x.bar.event(v) }
	e.MemLimit, e.Share = memory(c), c.String("share")
	ctx, watch, cancel := limited(c)
	defer cancel()
	e.Watch = watch
	err = e.Run(ctx)
	x.bar.done()
	if err != nil {
		return err
	}
	for _, out := range []struct {
		flag  string
		write func(*bufio.Writer) error
	}{{"write", func(w *bufio.Writer) error { return e.Write(w, c.String("write")) }}, {"cert", func(w *bufio.Writer) error { return e.Write(w, ".smt2") }}, {"html", func(w *bufio.Writer) error { return e.WriteHTML(ctx, w) }}} {
		file := c.String(out.flag)
		if file == "" {
			continue
		}
		if e.Proved == nil {
			fmt.Fprintf(c.App.ErrWriter, "%s is not written: the model is not proved for every size\n", file)
		} else {
			err = cmp.Or(err, writeFile(file, out.write))
		}
	}
	return cmp.Or(err, x.end())
}

// tryEvery prints a proof for every size behind the verdict on one, if there is one. It
// changes nothing of that verdict: an error is a warning.
func (se *session) tryEvery(out *portfolio.Outcome) {
	ctx, cancel := se.context()
	defer cancel()
	e, err := portfolio.Behind(ctx, se.Task, out)
	switch {
	case err != nil:
		fmt.Fprintf(se.c.App.ErrWriter, "%s: no proof for every size: %v\n", se.File, err)
	case e != nil && e.Proved != nil:
		show(se.c.App.Writer, "every", e)
	case e != nil && e.Violated:
		fmt.Fprintf(se.c.App.Writer, "violated at %s\n", e.Sizes[len(e.Sizes)-1].Title())
	}
}

// everySize prints a proof for every size.
type everySize struct {
	*portfolio.Every
	c       *cli.Context
	bar     *progress
	printed bool
}

// row prints one size.
func (e *everySize) row(run *portfolio.Size) {
	e.bar.done()
	e.bar = newProgress(e.c)
	if e.c.Bool("json") || run.Result.Violated() {
		return
	}
	w := e.c.App.Writer
	if !e.printed {
		e.printed = true
		fmt.Fprintf(w, "%s\n\n", e.File)
	}
	fmt.Fprintf(w, "%-28s %v\n", run.Title(), run.Result.Verdict())
	if e.c.String("progress") != "never" {
		fmt.Fprintf(e.c.App.ErrWriter, "%s: %.2f s of CPU\n", run.Title(), run.CPU)
	}
}

type jsonEvery struct {
	portfolio.Induction
	Model    string         `json:"model"`
	Verdict  string         `json:"verdict" enum:"safe unsafe unknown"`
	Least    map[string]int `json:"least"` // by constant that was left open
	Fixed    []string       `json:"fixed,omitempty"`
	Refused  []string       `json:"refused,omitempty"`
	Opened   []string       `json:"opened,omitempty"`  // sizes that are numbers in the text, and what stands there instead
	Assumed  []string       `json:"assumed,omitempty"` // assumptions of the model, with their places; if it is proved, start states satisfy them at each size
	Obstacle string         `json:"obstacle,omitempty"`
	But      string         `json:"but,omitempty"` // the property that is left open where the others are proved for every size
	Lemmas   []string       `json:"lemmas,omitempty"`
	Checked  string         `json:"evidence,omitempty"`
	Runs     []jsonSize     `json:"runs"`
	Stats    map[string]int `json:"stats,omitempty"` // of a proof
	CheckCPU float64        `json:"check_cpu_s"`     // of all
	CPU      float64        `json:"cpu_s"`
}

func newJSONEvery(e *portfolio.Every, verdict mc.Status) *jsonEvery {
	out := &jsonEvery{Model: e.File, Verdict: verdict.String(), Least: e.Leasts(), Fixed: e.Fixed, Assumed: e.Assumed, Obstacle: e.Obstacle(), Runs: []jsonSize{}, CPU: task.CPUSeconds(), Induction: e.Induction}
	out.Refused = lists.Map(e.Refused, func(r error) string { return r.Error() })
	out.Opened = lists.Map(e.Opened, portfolio.Opened.String)
	if p := cmp.Or(e.Proved, e.Partial); p != nil {
		out.But = map[bool]string{true: model.Deadlock.String()}[e.Proved == nil]
		out.Lemmas, out.Checked, out.CheckCPU = p.Lemmas, p.How, p.CPU
		out.Stats = map[string]int{
			"lemmas": len(p.Lemmas), "conditions": len(p.Conditions.Conditions()), "cutoff": slices.Max(p.Outcome.Cutoff),
		}
	}
	return out
}

// end prints the answer and returns the exit code as an error.
func (e *everySize) end() error {
	verdict := mc.Unknown
	switch {
	case e.Violated:
		verdict = mc.Unsafe
	case e.Proved != nil:
		verdict = mc.Safe
	}
	w := e.c.App.Writer
	switch {
	case e.c.Bool("json"):
		out := newJSONEvery(e.Every, verdict)
		var err error
		if out.Runs, err = sizesJSON(e.c, e.Sizes); err != nil {
			return err
		}
		if err := printJSON(w, out); err != nil {
			return err
		}
	case e.Violated:
		if n := len(e.Sizes); n > 1 {
			fmt.Fprintf(w, "\n")
		}
		last := e.Sizes[len(e.Sizes)-1]
		err := (&session{Task: last.Task, c: e.c, bar: e.bar}).show(last.Result, []*mc.Result{last.Result})
		if finished(err) {
			fmt.Fprintf(w, "violated at %s, and at no smaller size that was tried\n", last.Title())
			for _, o := range e.Opened {
				fmt.Fprintf(w, "  in the text with, at %v\n", o)
			}
		}
		return err
	default:
		err := show(w, "answer of every", struct {
			*portfolio.Every
			Begun   bool
			Verdict mc.Status
		}{e.Every, e.printed, verdict})
		if err != nil {
			return err
		}
		if e.Induct && e.c.String("progress") != "never" {
			fmt.Fprintf(e.c.App.ErrWriter, "%.2f s to decide the conditions, %.2f s for counterexamples\n", e.Prepared, e.Explained)
		}
	}
	return exitOf(e.c, verdict)
}
