package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"orbitmc/mc"
	"orbitmc/pdr"
	"orbitmc/portfolio"
	"orbitmc/task"
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
			if file := c.Args().First(); c.IsSet("carry") && task.IsNetlist(file) {
				return fmt.Errorf("%s: --carry is an option for models, and this is a netlist", file)
			}
			return proves(c, func(t *session) ([]mc.Engine, error) {
				if !c.Bool("orbit-lemmas") && c.IsSet("carry") && c.Bool("carry") {
					return nil, errors.New("--carry takes --orbit-lemmas: what is carried are lemmas about orbits")
				}
				if !c.Bool("orbit-lemmas") {
					return []mc.Engine{&pdr.Engine{NewSolver: t.NewFrameSolver, Plain: true}}, nil
				}
				if !c.Bool("carry") {
					return []mc.Engine{&pdr.Engine{NewSolver: t.NewFrameSolver}}, nil
				}
				return []mc.Engine{portfolio.PDR(t.Task)}, nil
			})
		},
	}, flagSet{"property directed reachability", []cli.Flag{
		&cli.BoolFlag{Name: "orbit-lemmas", Value: true, Usage: "a lemma stands for all its images under the symmetry; =false learns each on its own"},
		&cli.BoolFlag{Name: "carry", Value: true, Usage: "a model with more than 3 components is proved with 3 as well, and then 4 and 5, if that is cheap: what is learned there is tried; =false does without"},
		&cli.IntFlag{Name: "k", Usage: "`N` greatest number of frames"},
	}}, proofFlags(), modelFlags(), symmetryFlags(), engineFlags())
}
