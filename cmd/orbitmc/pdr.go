package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"orbitmc/internal/pdr"
	"orbitmc/internal/portfolio"
	"orbitmc/mc"
)

// This file holds the command that proves by property directed reachability.

func pdrCommand() *cli.Command {
	return command(&cli.Command{
		Name: "pdr", ArgsUsage: "MODEL",
		Usage: "prove properties by property directed reachability (IC3)",
		Description: `
A lemma about one component holds for all components that are interchangeable with it. A
proof is an inductive invariant. It is checked before it is reported; --cert keeps it. A
counterexample need not be shortest: the bound printed with it says which depths have none.
pdr leaves liveness undecided.`,
		Action: func(c *cli.Context) error {
			if file := c.Args().First(); c.IsSet("carry") && taskOptions(c).IsNetlist(file) {
				return fmt.Errorf("%s: --carry is an option for models, and this is a netlist", file)
			}
			return proves(c, func(t *session) ([]mc.Engine, error) {
				if !c.Bool("orbit-lemmas") && c.IsSet("carry") && c.Bool("carry") {
					return nil, errors.New("--carry takes --orbit-lemmas: what is carried are lemmas about orbits")
				}
				if !c.Bool("orbit-lemmas") {
					return []mc.Engine{&pdr.Engine{NewSolver: t.NewSolver, Plain: true}}, nil
				}
				if !c.Bool("carry") {
					return []mc.Engine{&pdr.Engine{NewSolver: t.NewSolver}}, nil
				}
				return []mc.Engine{portfolio.PDR(t.Task)}, nil
			})
		},
	}, flagSet{"property directed reachability", []cli.Flag{
		&cli.BoolFlag{Name: "orbit-lemmas", Value: true, Usage: "a lemma stands for all its images under the symmetry; =false learns each on its own"},
		&cli.BoolFlag{Name: "carry", Value: true, Usage: "a model with more than 3 components is also proved with 3, and with 4 and 5 if that is cheap, and the lemmas are tried; =false switches this off"},
		&cli.IntFlag{Name: "k", Usage: "`N` greatest number of frames"},
	}}, proofFlags(), modelFlags(), abstractFlags(), formulaFlags(), symmetryFlags(), engineFlags())
}
