package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"orbitmc/cofactor"
	"orbitmc/mc"
	"orbitmc/pdr"
	"orbitmc/portfolio"
)

// This file holds the commands that prove by property directed and by backward reachability.

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

func reachCommand() *cli.Command {
	return command(&cli.Command{
		Name: "reach", ArgsUsage: "MODEL",
		Usage: "prove properties by backward reachability, with sets of states as circuits",
		Description: `
reach computes backwards the states that can reach a violation. It ends with a proof when
a step adds no state, or with a shortest counterexample when a start state is reached.
It first finds an inductive invariant; the sets may hold any states outside it. For
liveness it computes the states that can reach the goal, for one instance and one set of
each orbit. It then asks pdr whether a state outside is reachable; that counterexample
need not be shortest.`,
		Action: func(c *cli.Context) error {
			return proves(c, func(t *session) ([]mc.Engine, error) {
				e := portfolio.Cofactoring(t.Task)
				var err error
				if e.Reduction, err = cofactor.ParseReduction(c.String("rep")); err != nil {
					return nil, err
				}
				if e.Without, err = cofactor.ParseTechniques(c.StringSlice("without")); err != nil {
					return nil, err
				}
				e.Unrolled = c.String("path") == "unrolled"
				return []mc.Engine{e}, nil
			})
		},
	}, flagSet{"reachability", []cli.Flag{
		&cli.StringFlag{Name: "rep", Value: "on", Usage: "`on|off|orbit` on (default): search for representatives, or store one set of each orbit where components have many bits; off: search for all states; orbit: always store one set of each orbit"},
		&cli.StringFlag{Name: "path", Value: "stepwise", Usage: "`stepwise|unrolled` a query is about one step into the last set (default), or about a whole path to a violation"},
		&cli.StringSliceFlag{Name: "without", Usage: "`NAME` switch off a technique that keeps sets small: " + techniqueList() + "; repeatable"},
		&cli.IntFlag{Name: "k", Usage: "`N` greatest number of steps"},
	}}, proofFlags(), modelFlags(), abstractFlags(), formulaFlags(), symmetryFlags(), engineFlags())
}

func techniqueList() string {
	names := cofactor.TechniqueNames()
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
