package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"orbitmc/internal/portfolio"
	"orbitmc/internal/task"
	"orbitmc/mc"
)

// This file holds pctl: how likely something is.

func pctlCommand() *cli.Command {
	return command(&cli.Command{
		Name: "pctl", ArgsUsage: "MODEL",
		Usage: "compute probabilities and expected numbers of steps of a model with probabilistic rules",
		Description: `
pctl visits all states of a Murphi model in which the guards of some rules are probabilities, one
of each orbit, and bounds what formulas ask from below and from above. Other code checks both
bounds. Printed are the digits that are certain. Without --pctl, the formulas are those of the
file. With --abstract counters, a state says how many components are in each local state.
docs/probability.md is about it.`,
		Action: func(c *cli.Context) error {
			ctx, _, cancel := limited(c)
			defer cancel()
			opt := taskOptions(c)
			precision := c.Float64("precision")
			if !(precision > 0) {
				return fmt.Errorf("--precision %v: want a number greater than 0", precision)
			}
			out, err := task.Within(ctx, func() (*portfolio.Likelihoods, error) {
				return portfolio.Likely(ctx, c.Args().First(), opt, portfolio.LikelyOptions{Formulas: c.StringSlice("pctl"), Precision: precision, Threads: c.Int("threads"), Memory: memory(c)})
			})
			if task.CutShort(ctx, err) {
				fmt.Fprintf(c.App.ErrWriter, "nothing is decided; stopped by %s\n", stopNoun(mc.StopReason(ctx)))
				return exitCode(exitUndecided)
			}
			if err != nil {
				return err
			}
			if err := output(c, "pctl", out); err != nil {
				return err
			}
			is := func(verdict string) bool {
				return slices.ContainsFunc(out.Formulas, func(f portfolio.Likelihood) bool { return f.Verdict == verdict })
			}
			switch {
			case is("fails"):
				return exitCode(exitViolated)
			case is("unknown"):
				return exitCode(exitUndecided)
			}
			return nil
		},
	}, flagSet{"what is asked", []cli.Flag{
		&cli.StringSliceFlag{Name: "pctl", Usage: "`FORMULA` such as 'P<=0.01 [F<=20 x = 1]', 'P=? [x = 0 U y = 1]', or, where something is left to a chooser, 'Pmin=? [F x = 1]' and 'Pmax=? …'; 'E=? [F x = 1]' is an expected number of steps; repeatable"},
		&cli.Float64Flag{Name: "precision", Value: 1e-8, Usage: "`D` how far apart the two bounds of an answer may be, for an answer of more than 1 relative to it (default 1e-08)"},
	}}, flagSet{"search and output", []cli.Flag{
		threadsFlag(""),
		&cli.StringFlag{Name: "mem", Usage: "`SIZE` such as 4GiB: stop the search at this much live memory"},
		jsonFlag(),
	}}, modelFlags(), abstractFlags(), symmetryFlags())
}
