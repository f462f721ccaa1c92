package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"orbitmc/bmc"
	"orbitmc/explicit"
	"orbitmc/mc"
)

// This file holds the commands that decide properties. Engines are listed here
// and nowhere else.

func checkCommand() *cli.Command {
	return &cli.Command{
		Name: "check", Category: "1. hunt", ArgsUsage: "MODEL",
		Usage: "decide the properties: bounded model checking and explicit search side by side",
		Flags: append(engineFlags(),
			&cli.StringFlag{Name: "engine", Value: "all", Usage: "all, bmc or explicit"}),
		Action: func(c *cli.Context) error {
			return decide(c, func(t *task) ([]mc.Engine, error) {
				b := &bmc.Checker{NewSolver: t.newSolver}
				e := &explicit.Engine{Canon: explicit.Exact}
				switch c.String("engine") {
				case "all":
					return []mc.Engine{b, e}, nil
				case "bmc":
					return []mc.Engine{b}, nil
				case "explicit":
					return []mc.Engine{e}, nil
				}
				return nil, oneOf("engine", c.String("engine"), "all", "bmc", "explicit")
			})
		},
	}
}

func bmcCommand() *cli.Command {
	return &cli.Command{
		Name: "bmc", Category: "1. hunt", ArgsUsage: "MODEL",
		Usage: "search for a shortest counterexample of at most k steps",
		Flags: append(engineFlags(),
			&cli.IntFlag{Name: "k", Value: -1, Usage: "largest number of steps; without it the search goes on"},
			&cli.StringFlag{Name: "rep", Value: "path", Usage: "representatives: path, frontier or off"}),
		Action: func(c *cli.Context) error {
			return decide(c, func(t *task) ([]mc.Engine, error) {
				mode, err := bmc.ParseRepMode(c.String("rep"))
				if err != nil {
					return nil, err
				}
				if c.IsSet("k") && c.Int("k") < 0 {
					return nil, fmt.Errorf("-k %d: want a number of steps, 0 or more", c.Int("k"))
				}
				return []mc.Engine{&bmc.Checker{Rep: mode, NewSolver: t.newSolver}}, nil
			})
		},
	}
}

func exploreCommand() *cli.Command {
	return &cli.Command{
		Name: "explore", Category: "1. hunt", ArgsUsage: "MODEL",
		Usage: "visit all reachable states, one per orbit",
		Flags: append(engineFlags(),
			&cli.IntFlag{Name: "k", Value: -1, Usage: "largest number of steps; without it the search goes on"},
			&cli.StringFlag{Name: "canon", Value: "exact", Usage: "canonical states: none, sorted or exact"}),
		Action: func(c *cli.Context) error {
			return decide(c, func(t *task) ([]mc.Engine, error) {
				canon, err := explicit.ParseCanon(c.String("canon"))
				return []mc.Engine{&explicit.Engine{Canon: canon}}, err
			})
		},
	}
}

// decide loads the model, runs the engines, checks their evidence, prints.
func decide(c *cli.Context, engines func(*task) ([]mc.Engine, error)) error {
	t, err := open(c)
	if err != nil {
		return err
	}
	es, err := engines(t)
	if err != nil {
		return err
	}
	if err := oneOf("trace-style", c.String("trace-style"), traceStyles...); err != nil {
		return err
	}
	if err := oneOf("progress", c.String("progress"), "auto", "always", "never"); err != nil {
		return err
	}
	mem, err := parseSize(c.String("mem"))
	if err != nil {
		return err
	}
	ctx, cancel := t.context()
	defer cancel()
	symbolic := false
	for _, e := range es {
		symbolic = symbolic || e.Name() != "explicit"
	}
	if err := t.prepare(ctx, symbolic); err != nil {
		return err
	}
	p := t.problem
	if p.Enc == nil && symbolic && len(es) == 1 {
		return p.EncErr
	}
	bar := newProgress(c)
	opt := mc.Options{All: c.Bool("all"), MemLimit: mem, Event: bar.event}
	if k := c.Int("k"); c.IsSet("k") {
		opt.MaxDepth, opt.Bounded = k, true
	}
	result, err := sideBySide(ctx, p, es, opt)
	bar.done()
	if err != nil {
		return err
	}
	return t.show(result)
}

// sideBySide runs the engines concurrently until one decides everything it is
// asked for, checks what each of them claims, and merges the results.
func sideBySide(ctx context.Context, p *mc.Problem, engines []mc.Engine, opt mc.Options) (*mc.Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make([]*mc.Result, len(engines))
	errs := make([]error, len(engines))
	done := make(chan int)
	for i, e := range engines {
		go func() {
			defer func() { done <- i }()
			if results[i], errs[i] = e.Run(ctx, p, opt); errs[i] == nil {
				errs[i] = mc.Verify(ctx, p, results[i])
			}
		}()
	}
	for range engines {
		i := <-done
		if errs[i] != nil {
			cancel()
			continue
		}
		if r := results[i]; r.Open() == 0 || r.Violated() && !opt.All {
			cancel()
		}
	}
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return mc.Merge(p, results...)
}
