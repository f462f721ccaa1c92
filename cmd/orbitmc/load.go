package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"orbitmc/aig"
	"orbitmc/detect"
	"orbitmc/encode"
	"orbitmc/encode/aiger"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/sat"
	"orbitmc/sat/cdcl"
	"orbitmc/sat/gini"
	"orbitmc/ts"
)

// solvers lists the SAT back ends by the name of --solver.
var solvers = map[string]func() sat.Solver{
	"cdcl": func() sat.Solver { return cdcl.New() },
	"gini": func() sat.Solver { return gini.New() },
}

func solverNames() []string {
	names := []string{"auto"}
	for n := range solvers {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// symmetryFlags are what every command takes that looks for symmetry.
func symmetryFlags() flagSet {
	return flagSet{"symmetry", []cli.Flag{
		&cli.StringFlag{Name: "sym", Value: "auto", Usage: "`SOURCE` of symmetry to verify and use: declared (scalarsets of the model), detected (structure of the netlist), auto (of models declared and inferred, of netlists detected; default) or off"},
		&cli.StringFlag{Name: "solver", Value: "auto", Usage: "`" + strings.Join(solverNames(), "|") + "` the SAT solver; auto: cdcl for the small queries of pdr and of detection, gini otherwise (default auto)"},
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
		&cli.StringFlag{Name: "trace", Usage: "`FILE` write the counterexample that is shown there, too: one of fewest steps, errors before invariants before deadlock; of a netlist, as an AIGER witness"},
		&cli.StringFlag{Name: "trace-style", Value: "plain", Usage: "`STYLE` of counterexamples: plain (default); of models cmurphi or rumur; of netlists aiger"},
		&cli.StringFlag{Name: "progress", Value: "auto", Usage: "`WHEN` to show progress on stderr: auto (on a terminal; default), always or never"},
		&cli.StringFlag{Name: "exit-style", Value: "plain", Usage: "`STYLE` of the exit status: plain (default), or hwmcc: 20 all hold, 10 one is violated, 0 neither"},
		jsonFlag(),
	}}
}

// source is what the file of a task holds: a model (model.go) or a netlist
// (netlist.go). Its methods are what differs between the two.
type source interface {
	// properties returns the problem with all there is but encoding and symmetry,
	// which analyse adds for the properties that are given: the encoding if
	// symbolic engines are to run or if symmetry needs it.
	properties() *mc.Problem
	analyse(ctx context.Context, props []int, symbolic bool) (*analysis, error)

	// title names the file, with its constants.
	title() string
	// declared and inferred count the transpositions that generate the symmetry that
	// the source declares, and that was inferred from it.
	declared() int
	inferred() int

	// parts lists the factors of the verified symmetry, limits what excludes more.
	parts() []part
	limits() []string

	// styles lists the values of --trace-style. writeTrace writes the trace of a
	// property for a reader, saveTrace for --trace.
	styles() []string
	writeTrace(w io.Writer, pr *mc.PropResult) error
	saveTrace(w io.Writer, pr *mc.PropResult) error
	// polish makes traces easier to read.
	polish(r *mc.Result)
	warnings(r *mc.Result) []warning
	// ways lists command lines that may decide what is open.
	ways(r *mc.Result) []string

	// replay checks a trace in the contents of a file; the error is why it is
	// rejected.
	replay(name string, data []byte) (replayed, error)
	// netlist returns what convert writes: all there is, or only the bads of some
	// properties.
	netlist(all bool, props []int) *aiger.File
}

// analysis is what there is to know before engines run.
type analysis struct {
	problem    *mc.Problem
	report     *detect.Report            // nil when symmetry is off or there is none to look for
	structures map[int]*detect.Structure // detected: see detect.ByProp
	renamed    int                       // renamings in use, beside what report has of classes
	part       string                    // why report is not all that there may be, "" if it is

	encodeTime, wellFormedTime time.Duration
}

// task is a file with everything that a command may need.
type task struct {
	c    *cli.Context
	file string
	sym  string
	source
	analysis
	carrier   *carrier // where lemmas of smaller sizes come from; nil: from nowhere
	began     time.Time
	parseTime time.Duration
}

// open reads the first argument of a command, and checks the options common to
// all.
func open(c *cli.Context) (*task, error) { return openWith(c, c.StringSlice("D")) }

// openWith is open with other values of -D.
func openWith(c *cli.Context, defines []string) (*task, error) {
	args, err := arguments(c)
	if err != nil {
		return nil, err
	}
	t := &task{c: c, file: args[0], sym: "off", began: time.Now()}
	if d := c.Duration("timeout"); d < 0 {
		return nil, fmt.Errorf("--timeout %v: want a time, such as 90s", d)
	}
	if s := c.String("sym"); s != "" { // the command looks for symmetry
		t.sym = s
		if err := oneOf("sym", s, "auto", "declared", "detected", "off"); err != nil {
			return nil, err
		}
		if err := oneOf("solver", c.String("solver"), solverNames()...); err != nil {
			return nil, err
		}
	}
	if isNetlist(t.file) {
		t.source, err = openNetlist(t)
	} else {
		t.source, err = openModel(t, defines)
	}
	if err != nil {
		return nil, err
	}
	t.problem = t.properties()
	t.parseTime = time.Since(t.began)
	return t, nil
}

// openEncoded loads a model that must have a symbolic encoding.
func openEncoded(c *cli.Context) (*task, error) {
	t, err := open(c)
	if err != nil {
		return nil, err
	}
	ctx, cancel := t.context()
	defer cancel()
	if err := t.prepare(ctx, true); err != nil {
		if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
			return nil, err
		}
		fmt.Fprintf(c.App.ErrWriter, "the symmetry is not verified; stopped by %s\n", stopNoun(mc.StopReason(ctx)))
		return nil, exitCode(exitUndecided)
	}
	return t, t.problem.EncErr
}

// newSolver returns the back end of --solver.
func (t *task) newSolver() sat.Solver { return t.solver("gini") }

// newFrameSolver is newSolver for pdr.
func (t *task) newFrameSolver() sat.Solver { return t.solver("cdcl") }

func (t *task) solver(auto string) sat.Solver {
	if name := t.c.String("solver"); name != "auto" {
		auto = name
	}
	return solvers[auto]()
}

// newProver is newSolver for detection, whose questions are many and small: 0.5 to 0.7 of the time.
func (t *task) newProver(g *aig.Graph) detect.Prover { return encode.NewProver(g, t.solver("cdcl")) }

// prepare builds the problem: the properties asked for, the symbolic encoding
// if that is wanted or symmetry needs it, and the verified symmetry. Encoding and
// compiling cannot be interrupted: when ctx ends first they are left behind, and
// the problem has its properties only.
func (t *task) prepare(ctx context.Context, symbolic bool) error {
	props, err := t.selectProps()
	if err != nil {
		return err
	}
	t.problem.Props = props
	type outcome struct {
		a   *analysis
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() { done <- o }()
		defer recovered(&o.err)
		o.a, o.err = t.analyse(ctx, props, symbolic)
	}()
	select {
	case o := <-done:
		if o.err == nil {
			t.analysis = *o.a
		}
		return o.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// detected finds the symmetry that the structure of a system shows, for the
// properties that have bads. For engines it takes at most detectionTime and a
// fourth of the time that is left, for `detect` nearly all: what it has found until
// then is used.
func (t *task) detected(ctx context.Context, a *analysis, sys *ts.System) error {
	limited := ctx
	deadline, ok := ctx.Deadline()
	left, limit := time.Until(deadline), detectionTime
	detects := t.c.Command.Name == "detect"
	switch {
	case detects && ok:
		limit = left * 9 / 10
	case ok:
		limit = min(limit, left/4)
	}
	if ok || !detects {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	type outcome struct {
		report     *detect.Report
		structures map[int]*detect.Structure
		err        error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() { done <- o }()
		defer recovered(&o.err)
		o.report, o.structures, o.err = detect.ByProp(limited, sys, a.problem.Props, detect.Options{NewProver: t.newProver, Seed: t.c.Uint64("seed"), Guess: sys.NumAnds() <= manyGuesses})
	}()
	var o outcome
	select {
	case o = <-done:
	case <-limited.Done():
		select {
		case o = <-done:
		case <-time.After(grace): // it is left behind
			o.err = limited.Err()
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case o.err != nil && limited.Err() != nil:
		a.part = "detection was stopped by its time limit"
	case o.err != nil:
		return o.err
	}
	if o.report == nil {
		return nil
	}
	a.report, a.structures = o.report, o.structures
	for len(a.report.ByProp) < a.problem.NumProps() {
		a.report.ByProp = append(a.report.ByProp, &ts.Symmetry{})
	}
	a.problem.Groups = a.report.ByProp
	a.problem.Images = make(map[int]mc.Image)
	for p, x := range a.report.Images {
		a.problem.Images[p] = mc.Image(x)
	}
	return nil
}

// manyGuesses is the number of AND gates beyond which detection keeps to what
// structure shows: truth tables of all small functions took longer there than all
// the rest, and showed nothing more.
const manyGuesses = 50_000

// detectionTime is how long symmetry is looked for at most.
const detectionTime = time.Minute

// proveWellFormed proves W, once, for those who assume it.
func (t *task) proveWellFormed(ctx context.Context) error { return t.analysis.prove(ctx, t.newSolver) }

func (a *analysis) prove(ctx context.Context, newSolver func() sat.Solver) error {
	sys := a.problem.System()
	if sys == nil || a.problem.WellFormed {
		return nil
	}
	began := time.Now()
	if sys.W != aig.True {
		if err := encode.ProveWellFormedByCuts(ctx, sys, newSolver); err != nil {
			return err
		}
	}
	a.wellFormedTime = time.Since(began)
	a.problem.WellFormed = true
	return nil
}

// selectProps returns the properties of --prop, or all.
func (t *task) selectProps() ([]int, error) {
	names := t.c.StringSlice("prop")
	want := make([]bool, t.problem.NumProps())
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

// propNamed returns the property of a name. One of a netlist is also called by
// its number, as in "bad 3".
func (t *task) propNamed(name string) (int, error) {
	var known []string
	var called []int
	for i := range t.problem.NumProps() {
		if known = append(known, fmt.Sprintf("%q", t.problem.Name(i))); t.problem.Name(i) == name {
			called = append(called, i)
		}
	}
	const most = 50
	if n := len(known); n > most {
		known = append(known[:most], fmt.Sprintf("%d more", n-most))
	}
	var n int
	switch {
	case len(called) == 1:
		return called[0], nil
	case t.problem.Netlist == nil:
	case len(called) > 1:
		return 0, fmt.Errorf("%s: there are %d properties %q; use \"bad N\", N being %s", t.file, len(called), name, strings.Trim(fmt.Sprint(called), "[]"))
	default:
		if _, err := fmt.Sscanf(name, "bad %d", &n); err == nil && n >= 0 && n < t.problem.NumProps() && t.problem.Kind(n) != model.Liveness {
			return n, nil
		}
	}
	return 0, fmt.Errorf("%s: there is no property %q; there are %s", t.file, name, strings.Join(known, ", "))
}

// context returns the context of a command, with its --timeout.
func (t *task) context() (context.Context, context.CancelFunc) {
	if d := t.c.Duration("timeout"); d > 0 {
		return context.WithTimeout(t.c.Context, d)
	}
	return context.WithCancel(t.c.Context)
}
