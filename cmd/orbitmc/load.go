package main

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"orbitmc/aig"
	"orbitmc/detect"
	"orbitmc/encode"
	"orbitmc/encode/murphi"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/sat"
	"orbitmc/sat/gini"
	"orbitmc/ts"
)

// solvers lists the SAT back ends by the name of --solver.
var solvers = map[string]func() sat.Solver{
	"gini": func() sat.Solver { return gini.New() },
}

func solverNames() []string {
	var names []string
	for n := range solvers {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// modelFlags are what every command that reads a model takes.
func modelFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "D", Usage: "set the constant of the model `NAME=VALUE`; repeatable"},
		&cli.StringFlag{Name: "dialect", Value: "cmurphi", Usage: "semantics where the tools differ: cmurphi or rumur"},
		&cli.StringFlag{Name: "deadlock", Value: "stuttering", Usage: "what a deadlock is: stuttering, stuck or off"},
		&cli.StringFlag{Name: "sym", Value: "auto", Usage: "symmetry to verify and use: auto, declared or off"},
		&cli.Uint64Flag{Name: "seed", Usage: "seed of everything random"},
		&cli.StringFlag{Name: "solver", Value: "gini", Usage: "SAT solver: " + strings.Join(solverNames(), ", ")},
		&cli.DurationFlag{Name: "timeout", Usage: "stop after this time, with the partial result"},
		&cli.BoolFlag{Name: "json", Usage: "print one JSON object instead of text"},
	}
}

// engineFlags are what every command that decides properties takes.
func engineFlags() []cli.Flag {
	return append(modelFlags(),
		&cli.StringSliceFlag{Name: "prop", Usage: "check only the property `NAME`; repeatable"},
		&cli.BoolFlag{Name: "all", Usage: "go on after the first violation until every property is decided"},
		&cli.StringFlag{Name: "trace", Usage: "also write the first counterexample to `FILE`"},
		&cli.StringFlag{Name: "trace-style", Value: "plain", Usage: "how counterexamples look: plain, cmurphi or rumur"},
		&cli.StringFlag{Name: "mem", Usage: "stop with the partial result at this much live memory, e.g. 4GiB"},
		&cli.StringFlag{Name: "progress", Value: "auto", Usage: "progress on stderr: auto, always or never"},
	)
}

// task is a loaded model with everything a command may need.
type task struct {
	c       *cli.Context
	file    string
	model   *model.Model
	sym     string
	report  *detect.Report // nil when symmetry is off or there is nothing to detect
	problem *mc.Problem
	began   time.Time
}

// open reads the model of a command and checks the options common to all.
func open(c *cli.Context) (*task, error) {
	file, err := modelArg(c)
	if err != nil {
		return nil, err
	}
	return openFile(c, file)
}

func openFile(c *cli.Context, file string) (*task, error) {
	t := &task{c: c, file: file, sym: c.String("sym"), began: time.Now()}
	opt := murphi.Options{Consts: make(map[string]string)}
	for _, d := range c.StringSlice("D") {
		name, value, ok := strings.Cut(d, "=")
		if !ok || name == "" || value == "" {
			return nil, fmt.Errorf("-D %q: want NAME=VALUE", d)
		}
		opt.Consts[name] = value
	}
	switch c.String("dialect") {
	case "rumur":
		opt.Dialect = model.Rumur
	case "cmurphi":
	default:
		return nil, oneOf("dialect", c.String("dialect"), "cmurphi", "rumur")
	}
	switch c.String("deadlock") {
	case "stuck":
		opt.Deadlock = model.Stuck
	case "off":
		opt.Deadlock = model.DeadlockOff
	case "stuttering":
	default:
		return nil, oneOf("deadlock", c.String("deadlock"), "stuttering", "stuck", "off")
	}
	if err := oneOf("sym", t.sym, "auto", "declared", "off"); err != nil {
		return nil, err
	}
	if err := oneOf("solver", c.String("solver"), solverNames()...); err != nil {
		return nil, err
	}
	var err error
	t.model, err = murphi.ReadFile(file, opt)
	return t, err
}

// newSolver returns the back end of --solver.
func (t *task) newSolver() sat.Solver { return solvers[t.c.String("solver")]() }

// prepare builds the problem: the properties asked for, the symbolic encoding
// and the verified symmetry. Without an encoding there is no way to verify
// symmetry, so none is used.
func (t *task) prepare(ctx context.Context, symbolic bool) error {
	m := t.model
	p := &mc.Problem{Model: m}
	t.problem = p
	var err error
	if p.Props, err = t.selectProps(); err != nil {
		return err
	}
	if symbolic || t.sym != "off" && len(m.Scalarsets) > 0 {
		p.Enc, p.EncErr = encode.Model(m)
	}
	if p.Enc == nil {
		p.Program = model.Compile(m)
		return nil
	}
	p.Program = p.Enc.Program
	if err := encode.ProveWellFormed(ctx, p.Enc.Sys, t.newSolver()); err == nil {
		p.WellFormed = true
	} else if ctx.Err() == nil {
		return err
	}
	if t.sym == "off" || len(m.Scalarsets) == 0 {
		return nil
	}
	t.report, err = detect.Declared(ctx, m, p.Enc, p.Enc.Sys, p.Enc.PropBads, detect.Options{
		NewProver: func(g *aig.Graph) detect.Prover { return encode.NewProver(g, t.newSolver()) },
		Seed:      t.c.Uint64("seed"),
	})
	if err != nil {
		return err
	}
	p.Groups = t.report.ByProp
	var groups []*ts.Symmetry
	for _, i := range p.Props {
		groups = append(groups, p.Groups[i])
	}
	p.Blocks = detect.CommonBlocks(m, groups)
	return nil
}

// selectProps returns the properties of --prop, or all.
func (t *task) selectProps() ([]int, error) {
	names := t.c.StringSlice("prop")
	want := make([]bool, len(t.model.Props))
	for _, n := range names {
		i, err := t.propNamed(n)
		if err != nil {
			return nil, err
		}
		want[i] = true
	}
	var props []int
	for i := range want {
		if want[i] || len(names) == 0 {
			props = append(props, i)
		}
	}
	return props, nil
}

// context returns the context of a command, with its --timeout.
func (t *task) context() (context.Context, context.CancelFunc) {
	if d := t.c.Duration("timeout"); d > 0 {
		return context.WithTimeout(t.c.Context, d)
	}
	return context.WithCancel(t.c.Context)
}
