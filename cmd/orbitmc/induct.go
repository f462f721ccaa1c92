package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"orbitmc/bmc"
	"orbitmc/internal/lists"
	"orbitmc/internal/portfolio"
	"orbitmc/internal/task"
	"orbitmc/internal/trace"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/ts"
)

// This file holds the command that proves by induction, and what it shows of
// properties that are not inductive.

// defaultK is the greatest k that induct tries by itself.
const defaultK = 5

func inductCommand() *cli.Command {
	return command(&cli.Command{
		Name: "induct", ArgsUsage: "MODEL",
		Usage: "prove properties by k-induction, all together, each a lemma of the others",
		Description: `
Properties that are not inductive are dropped until the others are, and are tried again
with a greater k. With --prop, --lemma names further properties to try, and the exit
status is about those of --prop only: 0 if all are proved, 2 if one is not inductive, 10
if one is violated. For each property that is not proved, --show-cti shows a state in
which all properties hold, and the step after which it does not. The state differs from
a start state in as few variables as possible. It may be unreachable; an invariant that
excludes it then helps.`,
		Action: func(c *cli.Context) error {
			maxK := c.Int("k-max")
			switch {
			case c.IsSet("lemma") && !c.IsSet("prop"):
				return errors.New("--lemma goes with --prop; without it all properties are tried together")
			case c.Bool("show-cti") && c.Bool("json"):
				return errors.New("--show-cti prints text, and --json one JSON object: choose one")
			}
			targets, lemmas := c.StringSlice("prop"), c.StringSlice("lemma")
			opt := taskOptions(c)
			opt.Props = append(opt.Props, lemmas...)
			t, out, err := prove(c, opt, func(t *session) ([]mc.Engine, error) {
				return []mc.Engine{&bmc.Inductor{NewSolver: t.NewSolver, MaxK: maxK}}, nil
			})
			if !finished(err) || out == nil || out.Problem == nil {
				return err
			}
			r := out.Each[0]
			if c.Bool("show-cti") {
				k := min(r.Stats.Depth, 1)
				if c.IsSet("k-max") {
					k = r.Stats.Depth
				}
				if err := t.showCTIs(c.App.Writer, out, k); err != nil {
					return err
				}
			}
			if len(targets) > 0 && len(lemmas) > 0 {
				return induced(out.Problem, r, targets)
			}
			return err
		},
	}, flagSet{"induction", []cli.Flag{
		&cli.IntFlag{Name: "k-max", Value: defaultK, Usage: fmt.Sprintf("`N` greatest k, the number of steps that the induction looks back (default %d)", defaultK)},
		&cli.StringSliceFlag{Name: "lemma", Usage: "`NAME` also try this property, as a lemma for those of --prop; repeatable"},
		lemmasFlag(),
		&cli.BoolFlag{Name: "show-cti", Usage: "show counterexamples to induction, one step long, or as long as --k-max; with --html, the first of them as a page"},
	}}, proofFlags(), modelFlags(), abstractFlags(), formulaFlags(), symmetryFlags(), engineFlags())
}

// induced returns the exit code for the properties that were to be proved, leaving
// out their lemmas.
func induced(p *mc.Problem, r *mc.Result, targets []string) error {
	code := exitCode(exitHolds)
	for _, pr := range r.Props {
		switch {
		case !slices.Contains(targets, p.Name(pr.Prop)):
		case pr.Status == mc.Unsafe:
			return exitCode(exitViolated)
		case pr.Status == mc.Unknown:
			code = exitUndecided
		}
	}
	if code == exitHolds {
		return nil
	}
	return code
}

// showCTIs shows why the properties that are not proved are not inductive.
func (se *session) showCTIs(out io.Writer, run *portfolio.Outcome, k int) error {
	p, r := run.Problem, run.Each[0]
	var open, proved []int
	for _, pr := range r.Props {
		switch {
		case !mc.HasTrace(p.Kind(pr.Prop)):
		case pr.Status == mc.Unknown:
			open = append(open, pr.Prop)
		case pr.Proof != nil:
			proved = append(proved, pr.Prop)
		}
	}
	if len(open) == 0 || k == 0 {
		return nil
	}
	ctx, cancel := se.context()
	defer cancel()
	var lemmas []ts.Clause
	if run.Lemmas != nil {
		var err error
		if lemmas, err = run.Lemmas.Take(ctx, p, 0); err != nil {
			return err
		}
	}
	w := bufio.NewWriter(out)
	defer w.Flush()
	s, err := newCTIPrinter(w, p)
	if err != nil {
		return err
	}
	for _, prop := range open {
		c, err := (&bmc.Inductor{NewSolver: se.NewSolver}).CTI(ctx, p, prop, k, bmc.AnyRule, open, proved, lemmas, s.start, s.groups)
		if err == nil && c != nil {
			err = c.Check(p, append(slices.Clone(open), proved...))
		}
		switch {
		case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled):
			fmt.Fprintf(w, "\nno counterexample to the induction of %q was found in time\n", p.Name(prop))
			return nil
		case err != nil:
			return fmt.Errorf("internal error: counterexample to the induction of %q: %w", p.Name(prop), err)
		case c == nil:
			fmt.Fprintf(w, "\n%q follows from the others, if these were inductive\n", p.Name(prop))
			continue
		}
		if err := s.show(c, append(slices.Clone(open), proved...)); err != nil {
			return err
		}
		if !r.Violated() && prop == open[0] {
			if err := savePage(se.c, func() (*trace.View, error) { return s.view(se, c) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// ctiPrinter prints counterexamples to induction.
type ctiPrinter struct {
	w      *bufio.Writer
	p      *mc.Problem
	start  []bool // latches of a start state
	from   string // which
	groups [][]int
	leaves []model.Leaf // by group, of a model
}

func newCTIPrinter(w *bufio.Writer, p *mc.Problem) (*ctiPrinter, error) {
	s := &ctiPrinter{w: w, p: p}
	var err error
	s.start, s.from, s.groups, err = bmc.Near(p)
	if p.Enc != nil {
		s.leaves = p.Model.AllLeaves()
	}
	return s, err
}

func (cp *ctiPrinter) show(c *bmc.CTI, hold []int) error {
	prop := cp.p.Name(c.Prop)
	fmt.Fprintf(cp.w, "\ncounterexample to the induction of %q (perhaps unreachable):\n\n", prop)
	slices.Sort(hold)
	names := lists.Map(hold, func(q int) string { return fmt.Sprintf("%q", cp.p.Name(q)) })
	fmt.Fprintf(cp.w, "a state as after %s, but for\n", cp.from)
	if err := cp.diff(cp.start, c.States[0], "  %s = %[3]s\n"); err != nil {
		return err
	}
	verb := "hold"
	if len(names) == 1 {
		verb = "holds"
	}
	fmt.Fprintf(cp.w, "in which %s %s\n", strings.Join(names, ", "), verb)
	for j := range c.States {
		last := j == len(c.States)-1
		what, errs := cp.step(c.States[j], c.Inputs[j])
		switch {
		case !last:
			fmt.Fprintf(cp.w, "step %d: %s\n", j+1, what)
			if err := cp.diff(c.States[j], c.States[j+1], "  %s: %s -> %s\n"); err != nil {
				return err
			}
		case errs != "":
			fmt.Fprintf(cp.w, "step %d: %s\nviolated: %v %q (%s)\n", j+1, what, cp.p.Kind(c.Prop), prop, errs)
		default:
			inputs := map[bool]string{true: "at last: " + what + "\n"}[cp.p.Enc == nil] // the property may depend on them
			fmt.Fprintf(cp.w, "%sviolated: %v %q\n", inputs, cp.p.Kind(c.Prop), prop)
		}
	}
	if !c.Least {
		fmt.Fprintf(cp.w, "there may be one with fewer changes\n")
	}
	return nil
}

// view is a counterexample to induction for a page.
func (cp *ctiPrinter) view(t *session, c *bmc.CTI) (*trace.View, error) {
	if cp.p.Enc == nil {
		v := trace.View{Title: t.File, Property: cp.p.Name(c.Prop)}
		var signals []trace.Signal
		for i, l := range cp.p.System().Latches {
			values := lists.Map(c.States, func(state []bool) string { return task.Digit(state[i]) })
			signals = append(signals, trace.Signal{Name: l.Name, Values: values})
		}
		for i, in := range cp.p.System().Inputs {
			values := lists.Map(c.Inputs, func(inputs []bool) string { return task.Digit(inputs[i]) })
			signals = append(signals, trace.Signal{Name: in.Name, Input: true, Values: values})
		}
		u := trace.OfPath(v, signals, -1)
		u.Free, u.Verb = true, "not inductive"
		return u, nil
	}
	tr := &model.Trace{Prop: c.Prop, Start: model.Choice{Rule: -1}}
	for j, state := range c.States {
		x, err := cp.p.Enc.DecodeState(state)
		if err != nil {
			return nil, err
		}
		if j == 0 {
			tr.StartState = x
		} else {
			tr.Steps[j-1].State = x
		}
		ch, ok := cp.p.Enc.DecodeStep(state, c.Inputs[j])
		if j < len(c.States)-1 {
			if !ok {
				return nil, fmt.Errorf("no rule fires in step %d of the counterexample to induction", j+1)
			}
			tr.Steps = append(tr.Steps, model.TraceStep{Choice: ch})
		} else if ok {
			if _, _, v := cp.p.Program.NewMachine().Fire(x, ch); v.Of(c.Prop) != nil {
				tr.Violation = v.Of(c.Prop)
				tr.Steps = append(tr.Steps, model.TraceStep{Choice: ch})
			}
		}
	}
	return t.View(&mc.PropResult{Prop: c.Prop, Trace: tr})
}

// step names what the inputs choose, and the error it ends in.
func (cp *ctiPrinter) step(state, inputs []bool) (what, errs string) {
	if cp.p.Enc == nil {
		var on []string
		for i, v := range inputs {
			if v {
				on = append(on, cp.p.System().Inputs[i].Name)
			}
		}
		if on == nil {
			return "no input is 1", ""
		}
		return "1 are the inputs " + strings.Join(on, ", "), ""
	}
	ch, ok := cp.p.Enc.DecodeStep(state, inputs)
	x, err := cp.p.Enc.DecodeState(state)
	if !ok || err != nil {
		return "no rule fires", ""
	}
	if _, _, v := cp.p.Program.NewMachine().Fire(x, ch); v != nil {
		errs = v.Error()
	}
	return cp.p.Model.FormatChoice(ch), errs
}

// diff prints what differs between two states, in a format for the name, the old
// and the new value.
func (cp *ctiPrinter) diff(old, state []bool, format string) error {
	if cp.p.Enc == nil {
		for i, v := range state {
			if v != old[i] {
				fmt.Fprintf(cp.w, format, cp.p.System().Latches[i].Name, task.Digit(old[i]), task.Digit(v))
			}
		}
		return nil
	}
	x, err := cp.p.Enc.DecodeState(old)
	if err != nil {
		return err
	}
	y, err := cp.p.Enc.DecodeState(state)
	if err != nil {
		return err
	}
	for i, l := range cp.leaves {
		if x[i] != y[i] && l.Type != model.PresentType {
			fmt.Fprintf(cp.w, format, l.Name, l.Type.Format(x[i]), l.Type.Format(y[i]))
		}
	}
	return nil
}
