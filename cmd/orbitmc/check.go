package main

import (
	"fmt"
	"runtime"

	"github.com/urfave/cli/v2"

	"orbitmc/bmc"
	"orbitmc/internal/explicit"
	"orbitmc/internal/portfolio"
	"orbitmc/mc"
)

// This file holds check, bmc and explore, and what all commands share that decide
// properties.

func checkCommand() *cli.Command {
	return command(&cli.Command{
		Name: "check", ArgsUsage: "MODEL",
		Usage: "find a bug or a proof: bmc, pdr and explore side by side",
		Description: `
The first engine that finds a violation, or proves all properties, ends the run. A long
explicit search also follows random walks; a counterexample from a walk need not be shortest,
and the output says so. On a netlist induct runs, too, to k=5 and for about a second at
most, and so does scorr, which looks for signals that are equal in every frame, with about
two seconds. After a proof check tries to prove the model for every size, with at most a tenth of the
work that was done; orbitmc every has no such limit.`,
		Action: func(c *cli.Context) error {
			if c.String("on") == "slurm" {
				return checkOnCluster(c)
			}
			t, out, err := prove(c, taskOptions(c), func(t *session) ([]mc.Engine, error) {
				engines, err := portfolio.Engines(t.Task, c.String("engine"))
				for _, e := range engines {
					if x, ok := e.(*explicit.Engine); ok && (len(engines) == 1 || c.IsSet("threads")) {
						x.Threads = threads(c)
					}
				}
				return engines, err
			})
			if out != nil && finished(err) && !c.Bool("json") {
				t.tryEvery(out)
			}
			return err
		},
	}, flagSet{"engines", []cli.Flag{
		&cli.StringFlag{Name: "engine", Value: "all", Usage: "`all|bmc|ind|scorr|cofactor|explicit|pdr|klive` what to run (default all)"},
		threadsFlag("; beside other engines one; on netlists N engines run at the same time and the others wait for turns"),
	}}, proofFlags(), modelFlags(), abstractFlags(), formulaFlags(treeFlag()), symmetryFlags(), engineFlags(), clusterFlags(
		&cli.IntFlag{Name: "seeds", Value: 1, Usage: "`N` with --on slurm: a task for each property, engine and seed, 0 to N-1 (default 1)"},
		shareFlag(),
	))
}

func bmcCommand() *cli.Command {
	return command(&cli.Command{
		Name: "bmc", ArgsUsage: "MODEL",
		Usage: "find a shortest counterexample with a SAT solver, depth by depth",
		Description: `
bmc proves no property, except a cover, by hitting it. It leaves liveness undecided.
With --rep auto it begins before symmetry is known, and takes it between two depths.
Without -k it continues until it finds a violation, is interrupted, or runs out of
time or memory.`,
		Action: func(c *cli.Context) error {
			return decides(c, func(t *session) ([]mc.Engine, error) {
				t.begun = collectOften // a model is encoded by then
				if t.Problem.IsNetlist() {
					collectOften()
				}
				return []mc.Engine{&bmc.Checker{Rep: chosen[bmc.RepMode](c, "rep"), From: c.Int("from"), Step: c.Int("step"), NewSolver: t.NewSolver}}, nil
			})
		},
	}, flagSet{"bounded model checking", []cli.Flag{
		&cli.IntFlag{Name: "k", Usage: "`N` greatest number of steps"},
		&cli.StringFlag{Name: "rep", Value: "auto", Usage: "`auto|path|frontier|off` compare symmetric paths by all their states (path) or by the last one (frontier); auto: path, once queries take more conflicts than the comparisons cost (default auto)"},
		&cli.IntFlag{Name: "from", Usage: "`N` look for violations within N steps in the first query (default 0)"},
		&cli.IntFlag{Name: "step", Value: 1, Usage: "`N` look N steps further in each later query (default 1); a violation that is found is then shortened"},
		lemmasFlag(),
	}}, modelFlags(), abstractFlags(), formulaFlags(), symmetryFlags(), engineFlags())
}

func exploreCommand() *cli.Command {
	return command(&cli.Command{
		Name: "explore", ArgsUsage: "MODEL",
		Usage: "visit all reachable states, one of each orbit of the symmetry",
		Description: `
explore finds shortest counterexamples. When it has visited all states, it proves the
properties that are not violated. Only then does it decide liveness and covers that
are never hit, and warn of rules that are never enabled. Where the order of a loop decides
which of several errors comes first, only the first counterexample is surely shortest
(docs/theory/symmetry.md).

With --por ample it leaves out orders of independent steps (docs/explicit.md): it finds
violations, not shortest ones, and proves what is not violated, but liveness and fairness.
With --store none it searches a program by its executions, and stores no states
(docs/theory/stateless.md); executions have to end, so a program with loops needs -k. It finds
violations, not shortest ones, and proves nothing.

With --on slurm it is one search on many machines, which the same command resumes
(docs/cluster.md).`,
		Action: func(c *cli.Context) error {
			if file := c.Args().First(); taskOptions(c).IsNetlist(file) {
				return fmt.Errorf("%s: explore is for models, and this is a netlist; `orbitmc check --engine explicit` visits the states of small netlists", file)
			}
			opt := taskOptions(c)
			if c.String("on") == "slurm" {
				opt.Adaptive = ""
			}
			executing(c, &opt)
			opt.FirstFree, opt.Holders = opt.Symmetry == "off", c.String("por") == ample && !c.IsSet("ltl")
			_, _, err := decide(c, opt, func(t *session) ([]mc.Engine, error) {
				if executions(c) {
					return byExecutions(t)
				}
				if t.Problem.Formulas != nil && c.String("on") != "slurm" {
					for _, name := range []string{"k", "canon", "threads", "spill", "checkpoint", "coverage", "hash-compact"} {
						if c.IsSet(name) {
							return nil, fmt.Errorf("--%s: not with --ltl", name)
						}
					}
					return []mc.Engine{&explicit.Formulas{Paths: t.Certificate, Ample: c.String("por") == ample}}, nil
				}
				e, err := explicitEngine(c, t)
				return []mc.Engine{e}, err
			})
			return err
		},
	}, flagSet{"exploration", append([]cli.Flag{
		&cli.IntFlag{Name: "k", Usage: "`N` greatest number of steps"},
		&cli.StringFlag{Name: "canon", Value: "exact", Usage: "`exact|sorted|star|none|adaptive|auto|first` states to keep of each orbit: exact: one; sorted: few; star: more, for comparison; none: all; first: the first state of each signature, which finds violations fast and proves nothing; adaptive: one, and symmetry that some rules break counts until they fire; auto: adaptive where few rules break it, else exact (default exact)"},
		threadsFlag(""),
		&cli.StringFlag{Name: "spill", Usage: "`DIR` when --mem is reached, go on with files in this folder; they are removed at the end"},
		&cli.StringFlag{Name: "checkpoint", Usage: "`DIR` save the search in this folder from time to time; the same command resumes it, also after kill -9"},
		coverageFlag(),
		&cli.IntFlag{Name: "hash-compact", Usage: "`BITS` keep hashes of 40 to 64 bits instead of states: finds violations, proves nothing, and prints the probability that a state is left out; --seed chooses the hash function"},
	}, executionFlags()...)}, modelFlags(), abstractFlags(), formulaFlags(treeFlag()), symmetryFlags(), engineFlags(), clusterFlags(
		&cli.IntFlag{Name: "parts", Value: 8, Usage: "`P` with --on slurm: tasks of one search that run side by side, and parts of its states (default 8)"},
	))
}

func threadsFlag(but string) cli.Flag {
	return &cli.IntFlag{Name: "threads", Usage: "`N` threads of explicit search; the result is the same for any number (default all cores" + but + ")"}
}

// threads returns the threads of explicit search.
func threads(c *cli.Context) int {
	if c.IsSet("threads") {
		return c.Int("threads")
	}
	return runtime.GOMAXPROCS(0)
}
