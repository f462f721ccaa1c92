package main

import (
	"github.com/urfave/cli/v2"

	"orbitmc/mc"
	"orbitmc/pdr"
)

// This file holds the command that proves by property directed reachability.

func pdrCommand() *cli.Command {
	return command(&cli.Command{
		Name: "pdr", ArgsUsage: "MODEL",
		Usage: "prove properties by property directed reachability (IC3)",
		Description: `
What it learns of one component holds of all that are interchangeable with it. A
proof is an inductive invariant, which is checked before it is reported; --cert
keeps it. A counterexample need not be a shortest one: the bound that is printed
with it says which depths are excluded. Liveness it leaves undecided.`,
		Action: func(c *cli.Context) error {
			_, err := prove(c, func(t *task) ([]mc.Engine, error) {
				return []mc.Engine{&pdr.Engine{NewSolver: t.newFrameSolver, Plain: !c.Bool("orbit-lemmas")}}, nil
			})
			return err
		},
	}, flagSet{"property directed reachability", []cli.Flag{
		&cli.BoolFlag{Name: "orbit-lemmas", Value: true, Usage: "a lemma stands for all its images under the symmetry; =false learns each on its own"},
		&cli.IntFlag{Name: "k", Usage: "`N` greatest number of frames"},
	}}, proofFlags(), modelFlags(), symmetryFlags(), engineFlags())
}
