package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"orbitmc/internal/certify/states"
	"orbitmc/internal/cluster"
	"orbitmc/internal/explicit"
	"orbitmc/mc"
)

// This file runs one search on a cluster: explore, in parts (internal/explicit/parts.go). The command that was started does
// phase after phase, with an array of tasks for each. A task is this program as well, by a hidden command with the same
// options, and finds in the folder what it is to do. What it leaves there are files that the next phase reads.

// explorePart is the command that does one task, whose name is the value of taskFlag.
const (
	explorePart = "explore-part"
	taskFlag    = "task"
)

func explorePartCommand() *cli.Command {
	c := exploreCommand()
	c.Name, c.Hidden = explorePart, true
	c.Usage = "do one task of explore --on slurm; called by it"
	c.Flags = append(c.Flags, &cli.StringFlag{Name: taskFlag, Usage: "`NAME` what to do"})
	return c
}

// partsMistakes are those of explore on a cluster.
func partsMistakes(c *cli.Context) (all []mistake) {
	on := c.String("on") == "slurm"
	for _, name := range []string{"spill", "checkpoint", "hash-compact", "coverage", "ltl", "ctl", "abstract"} {
		all = append(all, mistake{on && c.IsSet(name), spelled(name) + " does not go with --on slurm"})
	}
	for _, canon := range []string{"adaptive", "auto", "first"} {
		all = append(all, mistake{on && c.String("canon") == canon, "--canon " + canon + " does not go with --on slurm"})
	}
	return append(all,
		mistake{on && c.String("out") == "", noFolder},
		mistake{on && (c.String("por") == ample || executions(c)), "--por ample and --store none do not go with --on slurm"},
		mistake{c.Int("parts") > explicit.MostParts, fmt.Sprintf("--parts %d: want %d or fewer", c.Int("parts"), explicit.MostParts)})
}

// inParts returns how explore is done by tasks; nil if it is done here.
func inParts(c *cli.Context, t *session) (*explicit.Parts, error) {
	name := c.String(taskFlag)
	if c.String("on") != "slurm" && name == "" {
		return nil, nil
	}
	if t.Problem.Formulas != nil {
		return nil, errors.New("formulas are not decided with --on slurm; --no-ltl leaves them out")
	}
	dir, err := filepath.Abs(c.String("out"))
	if err != nil {
		return nil, err
	}
	parts := &explicit.Parts{Dir: dir, Of: c.Int("parts"), Small: programOf(c).small, Task: name, Look: states.Look, Meet: states.Meet}
	if name != "" {
		return parts, nil
	}
	x, err := newSpread(c, true)
	if err != nil {
		return nil, err
	}
	self, err := programOf(c).path()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(dir, "tasks"), 0o755); err != nil {
		return nil, err
	}
	cores := max(1, c.Int("threads"))
	args := append([]string{self, explorePart}, x.options("parts", "threads", "timeout", "trace", "trace-style", "html", "json-events", "exit-style")...)
	args = append(args, "--out", dir, "--parts", strconv.Itoa(parts.Of), "--threads", strconv.Itoa(cores), "--progress", "never", "--"+taskFlag)
	parts.Run = func(ctx context.Context, tasks []explicit.PartTask) error {
		var all []*cluster.Task
		for _, t := range tasks {
			all = append(all, &cluster.Task{Name: t.Name, Args: slices.Concat(args, []string{t.Name, "--", c.Args().First()}),
				Stdout: filepath.Join(dir, "tasks", t.Name), Fresh: func() error { return nil }, Ended: func() (bool, error) { return t.Ended(), nil }})
		}
		if err := x.jobs(cores).Run(ctx, all); err != nil {
			return err
		}
		if file := inputOf(c).files.Changed(); file != "" {
			return fmt.Errorf("%s was changed while tasks read it", file)
		}
		return nil
	}
	return parts, nil
}

// explicitEngine returns the engine of explore with stored states.
func explicitEngine(c *cli.Context, t *session) (mc.Engine, error) {
	name := c.String("canon")
	if name == "auto" {
		name = "exact"
	}
	canon, err := explicit.ParseCanon(name)
	if err != nil {
		return nil, err
	}
	parts, err := inParts(c, t)
	if err != nil {
		return nil, err
	}
	e := &explicit.Engine{Canon: canon, Threads: threads(c), Parts: parts, HashBits: c.Int("hash-compact"), Seed: c.Uint64("seed"),
		Spill: c.String("spill"), Checkpoint: c.String("checkpoint"), Stubborn: c.String("por") == ample, Own: owners(t)}
	if parts != nil {
		e.Threads = max(1, c.Int("threads"))
	}
	return e, nil
}

// goesOn returns the command that goes on with a search on a cluster; "" if there is none.
func (se *session) goesOn() string {
	if se.c.Command.Name != "explore" || se.c.String("on") != "slurm" {
		return ""
	}
	return se.again("explore", "--on", "slurm", "--out", se.c.String("out"), "--parts", strconv.Itoa(se.c.Int("parts")))
}
