package main

import (
	"context"
	"fmt"
	"slices"
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

// modelFlags are what every command takes.
func modelFlags() flagSet {
	return flagSet{"the model", []cli.Flag{
		&cli.StringSliceFlag{Name: "D", Usage: "`NAME=VALUE` set a constant of the model; repeatable"},
		&cli.StringFlag{Name: "dialect", Value: "cmurphi", Usage: "`cmurphi|rumur` the tool whose semantics counts where they differ (default cmurphi)"},
		&cli.StringFlag{Name: "deadlock", Value: "stuttering", Usage: "`SENSE` stuttering: no rule leads to another state (default); stuck: no rule can fire; off"},
		&cli.IntFlag{Name: "loop-max", Value: model.DefaultLoopMax, Usage: "`N` more iterations of a while loop than this are an error (default 1000)"},
	}}
}

// symmetryFlags are what every command takes that looks for symmetry.
func symmetryFlags() flagSet {
	return flagSet{"symmetry", []cli.Flag{
		&cli.StringFlag{Name: "sym", Value: "auto", Usage: "`auto|declared|off` the symmetry to verify and use (default auto)"},
		&cli.StringFlag{Name: "solver", Value: "gini", Usage: "`" + strings.Join(solverNames(), "|") + "` the SAT solver (default gini)"},
		&cli.Uint64Flag{Name: "seed", Usage: "`N` seed of everything random (default 0)"},
		&cli.DurationFlag{Name: "timeout", Usage: "`TIME` such as 90s or 2h: stop then, with what is known"},
	}}
}

func jsonFlag() cli.Flag {
	return &cli.BoolFlag{Name: "json", Usage: "print one JSON object instead of text"}
}

// engineFlags are what every command takes that decides properties.
func engineFlags() flagSet {
	return flagSet{"search and output", []cli.Flag{
		&cli.StringSliceFlag{Name: "prop", Usage: "`NAME` check only this property; repeatable"},
		&cli.BoolFlag{Name: "all", Usage: "go on after the first violation until every property is decided"},
		&cli.StringFlag{Name: "mem", Usage: "`SIZE` such as 4GiB: stop at this much live memory, with what is known"},
		&cli.StringFlag{Name: "trace", Usage: "`FILE` write the first counterexample there, too"},
		&cli.StringFlag{Name: "trace-style", Value: "plain", Usage: "`STYLE` of counterexamples: plain (default), cmurphi or rumur"},
		&cli.StringFlag{Name: "progress", Value: "auto", Usage: "`WHEN` to show progress on stderr: auto (on a terminal; default), always or never"},
		jsonFlag(),
	}}
}

// task is a loaded model with everything a command may need.
type task struct {
	c       *cli.Context
	file    string
	model   *model.Model
	options murphi.Options // how it was read
	sym     string
	report  *detect.Report // nil when symmetry is off or there is nothing to detect
	problem *mc.Problem
	began   time.Time
}

// open reads the model, the first argument of a command, and checks the
// options common to all.
func open(c *cli.Context) (*task, error) {
	args, err := arguments(c)
	if err != nil {
		return nil, err
	}
	t := &task{c: c, file: args[0], sym: "off", began: time.Now()}
	t.options.Consts = make(map[string]string)
	for _, d := range c.StringSlice("D") {
		name, value, ok := strings.Cut(d, "=")
		if !ok || name == "" || value == "" {
			return nil, fmt.Errorf("-D %q: want NAME=VALUE", d)
		}
		t.options.Consts[name] = value
	}
	switch c.String("dialect") {
	case "rumur":
		t.options.Dialect = model.Rumur
	case "cmurphi":
	default:
		return nil, oneOf("dialect", c.String("dialect"), "cmurphi", "rumur")
	}
	switch c.String("deadlock") {
	case "stuck":
		t.options.Deadlock = model.Stuck
	case "off":
		t.options.Deadlock = model.DeadlockOff
	case "stuttering":
	default:
		return nil, oneOf("deadlock", c.String("deadlock"), "stuttering", "stuck", "off")
	}
	if d := c.Duration("timeout"); d < 0 {
		return nil, fmt.Errorf("--timeout %v: want a time, such as 90s", d)
	}
	if s := c.String("sym"); s != "" { // the command looks for symmetry
		t.sym = s
		if err := oneOf("sym", s, "auto", "declared", "off"); err != nil {
			return nil, err
		}
		if err := oneOf("solver", c.String("solver"), solverNames()...); err != nil {
			return nil, err
		}
	}
	if n := c.Int("loop-max"); n <= 0 {
		return nil, fmt.Errorf("--loop-max %d: want a number of iterations, 1 or more", n)
	}
	if t.model, err = murphi.ReadFile(t.file, t.options); err != nil {
		return nil, err
	}
	t.model.LoopMax = c.Int("loop-max")
	return t, nil
}

// newSolver returns the back end of --solver.
func (t *task) newSolver() sat.Solver { return solvers[t.c.String("solver")]() }

// symmetric reports whether there is symmetry to look for: that of the declared
// scalarsets, and for symbolic engines that of the slots of multisets, which
// others have no need of.
func (t *task) symmetric(symbolic bool) bool {
	return t.sym != "off" && (len(t.scalarsets()) > 0 || symbolic && len(t.model.Scalarsets) > 0)
}

// scalarsets returns those the model declares.
func (t *task) scalarsets() []*model.Type {
	return slices.DeleteFunc(slices.Clone(t.model.Scalarsets), func(y *model.Type) bool { return y.Slots })
}

// prepare builds the problem: the properties asked for, the symbolic encoding
// if that is wanted or symmetry needs it, and the verified symmetry. Without an
// encoding there is no way to verify symmetry, so none is used. Encoding and
// compiling cannot be interrupted: when ctx ends first they are left behind, and
// the problem has its properties only.
func (t *task) prepare(ctx context.Context, symbolic bool) error {
	props, err := t.selectProps()
	if err != nil {
		return err
	}
	t.problem = &mc.Problem{Model: t.model, Props: props}
	whole := *t // what the work writes to until it is done
	whole.problem = &mc.Problem{Model: t.model, Props: props}
	done := make(chan error, 1)
	go func() { done <- whole.analyse(ctx, symbolic) }()
	select {
	case err := <-done:
		if err == nil {
			t.problem, t.report = whole.problem, whole.report
		}
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// analyse does the work of prepare.
func (t *task) analyse(ctx context.Context, symbolic bool) (err error) {
	m, p := t.model, t.problem
	if symbolic || t.symmetric(symbolic) {
		p.Enc, p.EncErr = encode.Model(m)
	}
	if p.Enc == nil {
		p.Program = model.Compile(m)
		return nil
	}
	p.Program = p.Enc.Program
	if !t.symmetric(symbolic) {
		return nil
	}
	instances := make(map[int][]detect.Instance)
	for prop, insts := range p.Enc.Instances {
		for _, inst := range insts {
			instances[prop] = append(instances[prop], detect.Instance(inst))
		}
	}
	t.report, err = detect.Declared(ctx, m, p.Enc, p.Enc.Sys, p.Enc.PropBads, detect.Options{
		NewProver: func(g *aig.Graph) detect.Prover { return encode.NewProver(g, t.newSolver()) },
		Seed:      t.c.Uint64("seed"),
		Instances: instances,
		NoSlots:   !symbolic,
	})
	if err != nil {
		return err
	}
	if t.report.VerifiedBySAT > 0 { // those proofs assume W
		if err := t.proveWellFormed(ctx); err != nil {
			return err
		}
	}
	p.Groups = t.report.ByProp
	var groups []*ts.Symmetry
	for _, i := range p.Props {
		groups = append(groups, p.Groups[i])
	}
	blocks := detect.CommonBlocks(m, groups)
	for c, class := range blocks {
		if !m.Scalarsets[c].Slots && slices.ContainsFunc(class, func(b []int) bool { return len(b) > 1 }) {
			p.Blocks = blocks
		}
	}
	return nil
}

// proveWellFormed proves W, once, for those who assume it.
func (t *task) proveWellFormed(ctx context.Context) error {
	if t.problem.Enc == nil || t.problem.WellFormed {
		return nil
	}
	if err := encode.ProveWellFormed(ctx, t.problem.Enc.Sys, t.newSolver()); err != nil {
		return err
	}
	t.problem.WellFormed = true
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

func (t *task) propNamed(name string) (int, error) {
	for i, p := range t.model.Props {
		if p.Name == name {
			return i, nil
		}
	}
	var known []string
	for _, p := range t.model.Props {
		known = append(known, fmt.Sprintf("%q", p.Name))
	}
	return 0, fmt.Errorf("%s: there is no property %q; the model has %s", t.file, name, strings.Join(known, ", "))
}

// context returns the context of a command, with its --timeout.
func (t *task) context() (context.Context, context.CancelFunc) {
	if d := t.c.Duration("timeout"); d > 0 {
		return context.WithTimeout(t.c.Context, d)
	}
	return context.WithCancel(t.c.Context)
}
