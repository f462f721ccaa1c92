package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"orbitmc/cofactor"
	"orbitmc/mc"
	"orbitmc/pdr"
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
			_, err := prove(c, func(t *task) ([]mc.Engine, error) {
				e := cofactoring(t)
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
			return err
		},
	}, flagSet{"reachability", []cli.Flag{
		&cli.StringFlag{Name: "rep", Value: "on", Usage: "`on|off|orbit` look for representatives, or store one set of each orbit where rows are wide (default); look for all states; or store one set of each orbit always"},
		&cli.StringFlag{Name: "path", Value: "stepwise", Usage: "`stepwise|unrolled` ask for one step into the last set (default), or about whole paths to a violation"},
		&cli.StringSliceFlag{Name: "without", Usage: "`NAME` switch off what keeps sets small: " + techniqueList() + "; repeatable"},
		&cli.IntFlag{Name: "k", Usage: "`N` greatest number of steps"},
	}}, proofFlags(), modelFlags(), symmetryFlags(), engineFlags())
}

// cofactoring returns the engine, with the one that it asks about reachability.
func cofactoring(t *task) *cofactor.Engine {
	return &cofactor.Engine{NewSolver: t.newSolver, Reach: &pdr.Engine{NewSolver: t.newFrameSolver}}
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

// reachLine is the progress after a step backwards.
func reachLine(e mc.Event) string {
	s := e.Stats
	return fmt.Sprintf("%s: depth %d, %d enumerations of %.3g states, %d ANDs of cofactors, %d of the set, %d queries",
		e.Engine, e.Depth, s.Enumerations, s.StatesPerEnumeration, s.CofactorAnds, s.SetAnds, s.Queries)
}
