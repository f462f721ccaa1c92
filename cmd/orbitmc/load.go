package main

import (
	"context"
	"fmt"
	"io"
	"sort"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"orbitmc/aig"
	"orbitmc/detect"
	"orbitmc/detect/structure"
	"orbitmc/detect/verify"
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
		&cli.StringFlag{Name: "sym", Value: "auto", Usage: "`SOURCE` of symmetry to verify and use: declared (scalarsets of the model), detected (structure of the netlist), auto (default: declared and inferred for models, detected for netlists) or off"},
		&cli.StringFlag{Name: "solver", Value: "auto", Usage: "`" + strings.Join(solverNames(), "|") + "` the SAT solver; auto (default) is cdcl for pdr and detection, gini otherwise"},
		&cli.Uint64Flag{Name: "seed", Usage: "`N` seed of all random choices (default 0)"},
		&cli.DurationFlag{Name: "timeout", Usage: "`TIME` such as 90s or 2h: stop then, with a partial result"},
	}}
}

func jsonFlag() cli.Flag {
	return &cli.BoolFlag{Name: "json", Usage: "print one JSON object instead of text"}
}

// engineFlags are what every command takes that decides properties.
func engineFlags() flagSet {
	return flagSet{"search and output", []cli.Flag{
		&cli.StringSliceFlag{Name: "prop", Usage: "`NAME` check only this property; repeatable"},
		&cli.BoolFlag{Name: "all", Usage: "continue after the first violation until every property is decided"},
		&cli.StringFlag{Name: "mem", Usage: "`SIZE` such as 4GiB: stop at this much live memory, with a partial result"},
		&cli.StringFlag{Name: "trace", Usage: "`FILE` also write the shown counterexample to FILE: one of fewest steps, errors before invariants before deadlock; for a netlist, an AIGER witness"},
		&cli.StringFlag{Name: "trace-style", Value: "plain", Usage: "`STYLE` of counterexamples: plain (default); of models cmurphi or rumur; of netlists aiger"},
		progressFlag(),
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
	structures map[int]*structure.Result // detected: see structure.ByProp
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
	bar       *progress
	began     time.Time
	parseTime time.Duration
}

// open reads the first argument of a command. The error may be that of ctx.
func open(ctx context.Context, c *cli.Context) (*task, error) {
	bar := newProgress(c)
	t, err := within(ctx, func() (*task, error) { return openWith(c, c.StringSlice("D"), bar) })
	if err != nil {
		bar.done()
	}
	return t, err
}

// openWith is open with other values of -D; it cannot be interrupted.
func openWith(c *cli.Context, defines []string, bar *progress) (t *task, err error) {
	t = &task{c: c, file: c.Args().First(), sym: "off", began: time.Now(), bar: bar}
	if s := c.String("sym"); s != "" { // the command looks for symmetry
		t.sym = s
	}
	t.bar.phase("reading")
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

// openEncoded loads a model that must have a symbolic encoding. If ctx ends first, that
// is printed, and the error is the exit code.
func openEncoded(ctx context.Context, c *cli.Context) (*task, error) {
	t, err := open(ctx, c)
	if err == nil {
		err = t.prepare(ctx, true)
		t.bar.done()
	}
	switch {
	case cutShort(ctx, err):
		return nil, t.early(c, mc.StopReason(ctx))
	case err != nil:
		return nil, err
	}
	return t, t.problem.EncErr
}

// early prints what is known if a command that decides nothing ends before the symmetry
// is verified, or before the file is read, when t is nil.
func (t *task) early(c *cli.Context, reason string) error {
	fmt.Fprintf(c.App.ErrWriter, "the symmetry is not verified; stopped by %s\n", stopNoun(reason))
	if c.Bool("json") {
		out := jsonDetect{Model: c.Args().First(), Symmetry: jsonSymmetry{Order: "1"}, Stopped: reason, Parts: []part{}, Refutations: []jsonRefutation{}}
		if t != nil {
			out.Symmetry = t.symmetryJSON()
		}
		if err := printJSON(c.App.Writer, out); err != nil {
			return err
		}
	}
	return exitCode(exitUndecided)
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
func (t *task) newProver(g *aig.Graph) verify.Prover { return encode.NewProver(g, t.solver("cdcl")) }

// verification says how permutations are verified.
func (t *task) verification() verify.Options {
	return verify.Options{NewProver: t.newProver, Seed: t.c.Uint64("seed")}
}

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
	a, err := within(ctx, func() (*analysis, error) { return t.analyse(ctx, props, symbolic) })
	if err == nil {
		t.analysis = *a
	}
	return err
}

// detected finds the symmetry that the structure of a system shows, for the
// properties that have bads. For engines it takes at most detectionTime and a
// fourth of the time that is left, for `detect` nearly all: what it has found until
// then is used.
func (t *task) detected(ctx context.Context, a *analysis, sys *ts.System) error {
	t.bar.phase("detecting symmetry")
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
		structures map[int]*structure.Result
		err        error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() { done <- o }()
		defer recovered(&o.err)
		o.report, o.structures, o.err = structure.ByProp(limited, sys, a.problem.Props, structure.Options{Verify: t.verification(), Guess: sys.NumAnds() <= manyGuesses})
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
	a.problem.Images = a.report.Images
	return nil
}

// manyGuesses is the number of AND gates beyond which detection keeps to what
// structure shows: truth tables of all small functions took longer there than all
// the rest, and showed nothing more.
const manyGuesses = 50_000

// detectionTime is how long symmetry is looked for at most.
const detectionTime = time.Minute

// proveWellFormed proves W, once, for those who assume it.
func (t *task) proveWellFormed(ctx context.Context) error {
	t.bar.phase("proving that states are well-formed")
	return t.analysis.prove(ctx, t.newSolver)
}

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

// context returns the context of what comes after a verdict, with a --timeout of its own.
func (t *task) context() (context.Context, context.CancelFunc) {
	if d := t.c.Duration("timeout"); d > 0 {
		return context.WithTimeout(t.c.Context, d)
	}
	return context.WithCancel(t.c.Context)
}
