package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"orbitmc/cofactor"
	"orbitmc/internal/portfolio"
	"orbitmc/mc"
)

// This file holds the command that proves by backward reachability.

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
				e.Reduction = chosen[cofactor.Reduction](c, "rep")
				var err error
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
