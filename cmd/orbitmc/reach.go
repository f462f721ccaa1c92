package main

import (
	"github.com/urfave/cli/v2"

	"orbitmc/cofactor"
	"orbitmc/mc"
	"orbitmc/pdr"
	"orbitmc/portfolio"
)

// This file holds the command that proves by backward reachability.

func reachCommand() *cli.Command {
	return command(&cli.Command{
		Name: "reach", ArgsUsage: "MODEL",
		Usage: "prove properties by backward reachability, with sets of states as circuits",
		Description: `
It enumerates the inputs that lead to a violation, step by step backwards, until
no state is added, which is a proof, or a start state is met, which gives a
shortest counterexample. First it finds an inductive invariant, outside which states
do not matter. For liveness it enumerates what leads to where the property holds, for
one instance of each orbit and with one set of each orbit, and asks pdr whether a
state outside the set is reachable; a counterexample need not be a shortest one then.`,
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
		&cli.StringFlag{Name: "rep", Value: "on", Usage: "`on|off|orbit` look for representatives, or store one set of each orbit where rows are wide (default); look for all states; or store one set of each orbit always"},
		&cli.StringFlag{Name: "path", Value: "stepwise", Usage: "`stepwise|unrolled` ask for one step into the last set (default), or about whole paths to a violation"},
		&cli.StringSliceFlag{Name: "without", Usage: "`NAME` switch off what keeps sets small: " + techniqueList() + "; repeatable"},
		&cli.IntFlag{Name: "k", Usage: "`N` greatest number of steps"},
	}}, proofFlags(), modelFlags(), symmetryFlags(), engineFlags())
}

// cofactoring returns the engine, with the one that it asks about reachability.
func cofactoring(t *session) *cofactor.Engine {
	return &cofactor.Engine{NewSolver: t.NewSolver, Reach: &pdr.Engine{NewSolver: t.NewFrameSolver}}
}

func techniqueList() string {
	list := ""
	for i, name := range cofactor.TechniqueNames() {
		switch {
		case i == 0:
			list = name
		case i+1 == len(cofactor.TechniqueNames()):
			list += " or " + name
		default:
			list += ", " + name
		}
	}
	return list
}
