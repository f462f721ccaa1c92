package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"orbitmc/bmc"
	"orbitmc/explicit"
	"orbitmc/mc"
)

// This file holds the commands that decide properties. Engines are listed here
// and nowhere else.

func checkCommand() *cli.Command {
	return command(&cli.Command{
		Name: "check", ArgsUsage: "MODEL",
		Usage: "find a bug or a proof: bmc, pdr and explore side by side",
		Description: `
The first one to find a violation or to prove all properties ends the run.`,
		Action: func(c *cli.Context) error {
			_, err := prove(c, func(t *task) ([]mc.Engine, error) {
				b := &bmc.Checker{NewSolver: t.newSolver}
				i := &bmc.Inductor{NewSolver: t.newSolver}
				e := &explicit.Engine{Canon: explicit.Exact}
				switch c.String("engine") {
				case "all":
					return []mc.Engine{b, newPDR(t), e}, nil
				case "bmc":
					return []mc.Engine{b}, nil
				case "ind":
					return []mc.Engine{i}, nil
				case "cofactor":
					return []mc.Engine{cofactoring(t)}, nil
				case "explicit":
					return []mc.Engine{e}, nil
				case "pdr":
					return []mc.Engine{newPDR(t)}, nil
				}
				return nil, oneOf("engine", c.String("engine"), "all", "bmc", "ind", "cofactor", "explicit", "pdr")
			})
			return err
		},
	}, flagSet{"engines", []cli.Flag{
		&cli.StringFlag{Name: "engine", Value: "all", Usage: "`all|bmc|ind|cofactor|explicit|pdr` what to run (default all)"},
	}}, proofFlags(), modelFlags(), symmetryFlags(), engineFlags())
}

func bmcCommand() *cli.Command {
	return command(&cli.Command{
		Name: "bmc", ArgsUsage: "MODEL",
		Usage: "find a shortest counterexample with a SAT solver, depth by depth",
		Description: `
It never proves a property, but a cover by hitting it; liveness it leaves
undecided. Without -k it goes on until it finds a violation, is interrupted, or
runs out of time or memory.`,
		Action: func(c *cli.Context) error {
			return decide(c, func(t *task) ([]mc.Engine, error) {
				mode, err := bmc.ParseRepMode(c.String("rep"))
				if err != nil {
					return nil, oneOf("rep", c.String("rep"), bmc.RepModes...)
				}
				from, step := c.Int("from"), c.Int("step")
				if from < 0 || step < 1 {
					return nil, fmt.Errorf("--from %d --step %d: want 0 or more, and 1 or more", from, step)
				}
				return []mc.Engine{mc.PerOrbit(&bmc.Checker{Rep: mode, From: from, Step: step, NewSolver: t.newSolver})}, nil
			})
		},
	}, flagSet{"bounded model checking", []cli.Flag{
		&cli.IntFlag{Name: "k", Usage: "`N` greatest number of steps"},
		&cli.StringFlag{Name: "rep", Value: "auto", Usage: "`auto|path|frontier|off` compare symmetric paths by all their states or the last one; auto: by all, once the problem is not small (default auto)"},
		&cli.IntFlag{Name: "from", Usage: "`N` look for violations within N steps in the first query (default 0)"},
		&cli.IntFlag{Name: "step", Value: 1, Usage: "`N` look N steps further in each later query (default 1); what is found is shortened"},
		lemmasFlag(),
	}}, modelFlags(), symmetryFlags(), engineFlags())
}

func exploreCommand() *cli.Command {
	return command(&cli.Command{
		Name: "explore", ArgsUsage: "MODEL",
		Usage: "visit all reachable states, one of each orbit of the symmetry",
		Description: `
It finds shortest counterexamples, and proves what is not violated when it comes
to the end. Only then it decides liveness, which covers are never hit, and warns
of rules that are never enabled.`,
		Action: func(c *cli.Context) error {
			return decide(c, func(t *task) ([]mc.Engine, error) {
				canon, err := explicit.ParseCanon(c.String("canon"))
				if err != nil {
					return nil, oneOf("canon", c.String("canon"), "none", "sorted", "exact")
				}
				return []mc.Engine{&explicit.Engine{Canon: canon}}, nil
			})
		},
	}, flagSet{"exploration", []cli.Flag{
		&cli.IntFlag{Name: "k", Usage: "`N` greatest number of steps"},
		&cli.StringFlag{Name: "canon", Value: "exact", Usage: "`exact|sorted|none` keep one state of each orbit, a few, or all (default exact)"},
	}}, modelFlags(), symmetryFlags(), engineFlags())
}

// doubles replaces the engines in tests of what becomes of panics.
var doubles func(*task, []mc.Engine) []mc.Engine

// decide loads the model, runs the engines, checks their evidence, prints.
func decide(c *cli.Context, engines func(*task) ([]mc.Engine, error)) error {
	if err := oneOf("exit-style", c.String("exit-style"), "plain", "hwmcc"); err != nil {
		return err
	}
	if err := oneOf("progress", c.String("progress"), "auto", "always", "never"); err != nil {
		return err
	}
	opt := mc.Options{All: c.Bool("all")}
	var err error
	if opt.MaxDepth, opt.Bounded, err = bound(c); err != nil {
		return err
	}
	if opt.MemLimit, err = parseSize(c.String("mem")); err != nil {
		return err
	}
	if file := c.String("trace"); file != "" {
		if err := writable(file); err != nil {
			return err
		}
	}
	t, err := open(c)
	if err != nil {
		return err
	}
	if err := oneOf("trace-style", c.String("trace-style"), t.styles()...); err != nil {
		return err
	}
	if t.problem.NumProps() == 0 {
		return fmt.Errorf("%s: it has no properties", t.file)
	}
	es, err := engines(t)
	if err != nil {
		return err
	}
	if doubles != nil {
		es = doubles(t, es)
	}
	needsEncoding := func(e mc.Engine) bool { return e.Name() != "explicit" }
	if t.problem.Netlist != nil {
		es = slices.DeleteFunc(es, func(e mc.Engine) bool { return !needsEncoding(e) })
		if len(es) == 0 {
			return fmt.Errorf("%s: explicit search is for models, and this is a netlist; use bmc", t.file)
		}
	}
	symbolic := slices.ContainsFunc(es, needsEncoding)
	ctx, cancel := t.context()
	defer cancel()
	err = t.prepare(ctx, symbolic)
	if err == nil && symbolic && (!isBMC(es) || t.problem.System() == nil || t.problem.System().NumAnds() <= largeSystem) {
		err = t.proveWellFormed(ctx)
	}
	if err != nil {
		if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
			return err
		}
		r := mc.NewResult("", t.problem)
		r.Stopped = mc.StopReason(ctx)
		return t.show(r, []*mc.Result{r})
	}
	p := t.problem
	p.Full = c.String("verify") == "full"
	if p.System() == nil {
		if es = slices.DeleteFunc(es, needsEncoding); len(es) == 0 {
			return p.EncErr
		}
	}
	if len(es) > 1 {
		opt.Lemmas = &mc.Board{}
	}
	if file := c.String("lemmas"); file != "" {
		if opt.Lemmas, err = t.lemmas(ctx, file); err != nil {
			return err
		}
	}
	bar := newProgress(c)
	opt.Event = bar.event
	results, err := sideBySide(ctx, p, es, opt)
	bar.done()
	var crash *panicked
	if err != nil && !errors.As(err, &crash) {
		return err
	}
	merged, err := mc.Merge(p, results...)
	if err != nil {
		return err
	}
	err = t.show(merged, results)
	if crash != nil {
		return crash
	}
	return err
}

// sideBySide runs the engines concurrently until one decides everything it is
// asked for, and checks what each of them claims. If one panics all are stopped; the
// results are what is known then, and the error is that panic.
func sideBySide(whole context.Context, p *mc.Problem, engines []mc.Engine, opt mc.Options) ([]*mc.Result, error) {
	ctx, cancel := context.WithCancel(whole)
	defer cancel()
	type answer struct {
		i   int
		r   *mc.Result
		err error
	}
	answers := make(chan answer, len(engines))
	for i, e := range engines {
		go func() {
			a := answer{i: i}
			defer func() { answers <- a }()
			defer recovered(&a.err)
			r, err := e.Run(ctx, p, opt)
			if a.err = err; err != nil && (r == nil || !errors.As(err, new(*panicked))) {
				return
			}
			ctx := ctx
			if whole.Err() != nil { // a moment for what was found until then
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(context.WithoutCancel(whole), grace/2)
				defer cancel()
			}
			if err := mc.Verify(ctx, p, r); err != nil {
				a.err = err
				return
			}
			a.r = r
		}()
	}
	var crash *panicked
	results := make([]*mc.Result, len(engines))
	var late <-chan time.Time
	stopped := ctx.Done()
	for n := 0; n < len(engines); {
		select {
		case a := <-answers:
			n++
			var v *panicked
			if errors.As(a.err, &v) {
				crash = cmp.Or(crash, v)
				cancel()
			} else if a.err != nil {
				return nil, fmt.Errorf("%s: %w", engines[a.i].Name(), a.err)
			}
			if a.r == nil {
				a.r = mc.NewResult(engines[a.i].Name(), p)
				a.r.Stopped = internalError
			}
			if results[a.i] = a.r; a.r.Open() == 0 || a.r.Violated() && !opt.All {
				cancel()
			}
		case <-stopped:
			stopped, late = nil, time.After(grace)
		case <-late: // inside one endless step of the model
			n = len(engines)
		}
	}
	for i, r := range results {
		if r == nil {
			results[i] = mc.NewResult(engines[i].Name(), p)
			results[i].Stopped = mc.StopReason(ctx)
		}
		if crash != nil && whole.Err() == nil && results[i].Stopped == "interrupted" {
			results[i].Stopped = internalError
		}
	}
	if crash != nil {
		return results, crash
	}
	return results, nil
}

// internalError is why properties are undecided when an engine panicked.
const internalError = "an internal error"

// largeSystem is the number of AND gates beyond which bounded model checking
// does without W: it is true in a run from reset anyway, and on the generated models
// of that size its proof and its clauses cost more than they save.
const largeSystem = 300_000

// isBMC reports whether bounded model checking is the only engine that reads the
// encoding.
func isBMC(es []mc.Engine) bool {
	return !slices.ContainsFunc(es, func(e mc.Engine) bool { return e.Name() != "bmc" && e.Name() != "explicit" })
}

// grace is how long an engine may go on after its context ended, before it is
// left behind without a result.
const grace = 2 * time.Second
