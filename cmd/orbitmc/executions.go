package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"orbitmc/internal/explicit"
	"orbitmc/internal/prog"
	"orbitmc/internal/stateless"
	"orbitmc/internal/task"
	"orbitmc/mc"
)

// This file holds explore --store none: search by executions.

// executionFlags say how explore searches if it stores no states.
func executionFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "store", Value: "states", Usage: "`states|none` none: search a program by its executions; that finds violations and proves nothing (default states)"},
		&cli.StringFlag{Name: "por", Usage: "`none|ample|sleep|persistent|dpor` leave out orders of independent steps. With stored states: ample, which goes with --ltl too, without X and fairness. With --store none: by sleep sets alone, with persistent sets (default), or by dpor, which backtracks where steps race"},
		&cli.StringFlag{Name: "grain", Value: "visible", Usage: "`statement|visible` with --store none: a step is one statement; or one that other processes can see, with those behind it that they cannot see; then processes stay at their ends (default visible)"},
		&cli.BoolFlag{Name: "twins", Usage: "with --store none: processes are interchangeable where the rest of what they run is the same, even if they began differently"},
	}
}

// ample is the value of --por for stored states.
const ample = "ample"

// executions reports whether the command searches by executions.
func executions(c *cli.Context) bool { return c.String("store") == "none" }

// validateExecutions refuses what does not go together, with the reason.
func validateExecutions(c *cli.Context, file string) error {
	por, canon := c.String("por"), c.String("canon")
	stored := por == ample
	if !executions(c) {
		return first([]mistake{
			{stored && (canon == "adaptive" || canon == "auto"),
				"--por ample goes with --canon exact, sorted, star or none: rules that break the symmetry are not looked at apart"},
			{stored && canon == "first", "--por ample goes with --canon exact, sorted, star or none: each of ample and first leaves out states"},
			{!stored && c.IsSet("por") && por != "none",
				"--por " + por + " goes with --store none: where a state is stored, a step that was left out on one path to it is missing on the others"},
			{!stored && (c.IsSet("grain") || c.IsSet("twins")), "--grain and --twins go with --store none"},
		})
	}
	language := taskOptions(c).Language(file)
	counting, _ := task.Counting(c.String("abstract"))
	all := []mistake{
		{language != "Promela", fmt.Sprintf("--store none is for programs in Promela, and %s is read as %s", file, language)},
		{counting, "--store none does not go with --abstract counters, which have no processes"},
		{stored, "--por ample goes with --store states: which steps may wait depends on what was visited"},
	}
	for _, name := range []string{"canon", "threads", "spill", "checkpoint", "hash-compact"} {
		all = append(all, mistake{c.IsSet(name), spelled(name) + " is about stored states, and --store none keeps none"})
	}
	return first(append(all,
		mistake{c.String("sym") == "detected", "--sym detected is about circuits, and --store none searches the program itself"},
		mistake{por == "dpor" && (c.Bool("twins") || c.IsSet("sym") && c.String("sym") != "off"),
			"--por dpor goes with --sym off, and without --twins: steps behind one that is left out by symmetry may race with steps before it; --por persistent uses symmetry"},
	))
}

// executing sets the options of a task for a search by executions.
func executing(c *cli.Context, opt *task.Options) {
	if !executions(c) {
		return
	}
	opt.Executions, opt.Staying = true, c.String("grain") == "visible"
	if c.String("por") == "dpor" {
		opt.Symmetry = "off"
	}
}

func byExecutions(t *session) ([]mc.Engine, error) {
	r := stateless.Persistent
	if t.c.String("por") != "" {
		r = chosen[stateless.Reduction](t.c, "por")
	}
	p := task.ProgramOf(t.Task)
	if p == nil {
		return nil, fmt.Errorf("%s: --store none searches programs without formulas", t.File)
	}
	if _, err := stateless.Check(p, t.Problem.Model, t.c.IsSet("k")); err != nil {
		return nil, err
	}
	return []mc.Engine{&stateless.Engine{Program: p, Reduction: r, Visible: t.c.String("grain") == "visible", Twins: t.c.Bool("twins")}}, nil
}

// owners tells stubborn sets which steps of a program with references concern nobody else; nil: nothing is known.
func owners(t *session) explicit.Ownership {
	if counting, _ := task.Counting(t.c.String("abstract")); counting {
		return nil
	}
	if o := prog.NewOwnership(task.ProgramOf(t.Task), !t.c.IsSet("checkpoint")); o != nil { // what is refuted is not in a checkpoint
		return o
	}
	return nil
}
