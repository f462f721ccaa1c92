// Package task makes a file ready for engines. It reads a model or a netlist, infers,
// detects and verifies symmetry, encodes models and cleans up netlists. Each of these phases
// has a budget of time and memory. The result is an mc.Problem.
//
//	options.go   options
//	source.go    the table of front ends, and the interface of a source
//	files.go     files, each read once
//	task.go      the order of the work
//	murphi.go    models
//	verified.go  their encoding, and the symmetry that is verified on it
//	promela.go   programs
//	netlist.go   netlists: aiger.go, btor2.go, verilog.go
//	vcd.go       traces of netlists as waves
//	written.go   traces with the options that they want
//	byhand.go    what a file is to someone who steps it by hand
//	formula.go   models with formulas, as netlists with justice
//	detected.go  the symmetry that structure shows, as a reader sees it
//	typed.go     the symmetry that the text of a model shows
//	adaptive.go  the symmetry of each rule by itself
//	limits.go    time and memory; work that cannot be interrupted is left behind
//	panic.go     panics as errors
//	warnings.go  warnings about a model
//	vacuous.go   runs that a verdict is not about, or none at all
package task

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"orbitmc/aig"
	"orbitmc/detect"
	"orbitmc/detect/structure"
	"orbitmc/detect/verify"
	"orbitmc/encode"
	"orbitmc/encode/cnf"
	"orbitmc/internal/front"
	"orbitmc/internal/pace"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/sat"
	"orbitmc/ts"
)

// Analysis is what there is to know before engines run.
type Analysis struct {
	Problem    *mc.Problem
	Report     *detect.Report            // nil when symmetry is off or there is none to look for
	Structures map[int]*structure.Result // detected: see structure.ByProp
	Renamed    int                       // renamings in use, beside what Report has of classes
	Typed      *Typed                    // symmetry by typing, in place of Report; nil: none
	Broken     *Broken                   // partial symmetry, in place of both; nil: none
	Partial    string                    // why Report is not all that there may be, "" if it is

	EncodeTime, WellFormedTime time.Duration
}

// Task is a file with all that engines need of it. It is not safe for concurrent use.
type Task struct {
	File string
	Options
	Source
	Analysis

	// Restarts says that engines may be given an encoding whose quantifiers do not stop early
	// (encode.Strict), if that has more symmetry. Whoever sets it begins anew at mc.ErrHidden.
	Restarts bool

	Began     time.Time
	ParseTime time.Duration

	hidden atomic.Bool // see Hide
}

// Open reads a file. It is left behind when ctx ends; the error may be that of ctx.
func Open(ctx context.Context, file string, opt Options) (*Task, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	return Within(ctx, func() (t *Task, err error) {
		if opt.Files == nil {
			opt.Files = NewFiles(context.Background()) // Within leaves them behind
		}
		if name := opt.unread(file); name != "" {
			return nil, fmt.Errorf("%s: this is %s, which orbitmc does not read; it reads Murphi, Promela, AIGER, BTOR2 and Verilog", file, name)
		}
		reader := opt.readerOf(file)
		verilog := reader.language == "Verilog"
		if opt.Top != "" && !verilog {
			return nil, fmt.Errorf("%s: --top is an option for Verilog", file)
		}
		if name := opt.ofModels(verilog); name != "" && reader.netlists {
			return nil, fmt.Errorf("%s: %s is an option for models, and this is a netlist", file, name)
		}
		t = &Task{File: file, Options: opt.withDefaults(), Began: time.Now()}
		t.Phase("reading")
		if t.Contents, err = t.Read(file); err != nil {
			if file == "-" {
				err = fmt.Errorf("standard input: %w", err)
			}
			return nil, err
		}
		if t.Source, err = reader.open(ctx, t); err != nil {
			return nil, err
		}
		t.Problem = t.properties()
		if t.Problem.Props, err = t.selectProps(); err != nil {
			return nil, err
		}
		t.ParseTime = time.Since(t.Began)
		return t, nil
	})
}

// NewSolver returns a solver of the back end that the option Solver names.
func (t *Task) NewSolver() sat.Solver { return solvers[cmp.Or(t.Solver, choices["solver"][0])](t.Seed) }

// NewProver returns a solver for detection.
func (t *Task) NewProver(g *aig.Graph) verify.Prover {
	return cnf.NewFocusedProver(g, pace.Counted(t.NewSolver(), nil))
}

// Verification says how permutations are verified.
func (t *Task) Verification() verify.Options {
	return verify.Options{NewProver: t.NewProver, Seed: t.Seed}
}

// Analyse builds the problem for engines: the symbolic encoding if that is wanted or
// symmetry needs it, and the verified symmetry. It changes nothing of the task, so other
// work on the task may go on beside it. Compiling and clean-up cannot be interrupted:
// when ctx ends first they are left behind. If there is a system before its symmetry is known,
// early is called with a problem of its own, and once more when W is proved; nil does nothing. The
// problem for engines may have another system.
func (t *Task) Analyse(ctx context.Context, symbolic bool, early func(*mc.Problem)) (*Analysis, error) {
	props := t.Problem.Props
	return Within(ctx, func() (*Analysis, error) { return t.analyse(ctx, props, symbolic, early) })
}

// tell calls early, if there is one, with a problem of its own.
func tell(early func(*mc.Problem), p *mc.Problem) {
	if early != nil {
		q := *p
		early(&q)
	}
}

// Prepare is Analyse for the task itself, which keeps the outcome. Until then, or if ctx
// ends first, the problem has its properties only.
func (t *Task) Prepare(ctx context.Context, symbolic bool) error {
	a, err := t.Analyse(ctx, symbolic, nil)
	if err == nil {
		t.Analysis = *a
	}
	return err
}

// phase shows a phase of work, unless it has a pace: then the search has begun.
func (t *Task) phase(ctx context.Context, name string) {
	if pace.Of(ctx) {
		name = ""
	}
	t.Phase(name)
}

// detected finds the symmetry that the structure of a system shows, for the
// properties that have bads. For engines it takes at most detectionTime, and at most a
// fourth of the time that is left, or half of it beside engines; for `detect` it may take nearly
// all. The symmetry found until then is used. A pace takes the place of these limits.
func (t *Task) detected(ctx context.Context, a *Analysis, sys *ts.System, beside bool) error {
	t.phase(ctx, "detecting symmetry")
	return t.detect(ctx, a, sys, beside)
}

func (t *Task) detect(ctx context.Context, a *Analysis, sys *ts.System, beside bool) error {
	limited := ctx
	deadline, ok := ctx.Deadline()
	left, limit := time.Until(deadline), detectionTime
	switch {
	case t.Thorough && ok:
		limit = left * 9 / 10
	case ok && beside:
		limit = min(limit, left/2)
	case ok:
		limit = min(limit, left/4)
	}
	switch {
	case pace.Of(ctx): // how much is left does not depend on time
		var cancel context.CancelFunc
		limited, cancel = context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		defer context.AfterFunc(ctx, cancel)()
	case ok || !t.Thorough:
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	type outcome struct {
		report     *detect.Report
		structures map[int]*structure.Result
	}
	o, err := within(limited, Grace, func() (o outcome, err error) {
		o.report, o.structures, err = structure.ByProp(limited, sys, a.Problem.Props, structure.Options{Verify: t.Verification(), Guess: sys.NumAnds() <= ManyGuesses})
		return o, err
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && limited.Err() != nil:
		a.Partial = "detection was stopped by its time limit"
	case err != nil:
		return err
	}
	if o.report == nil {
		return nil
	}
	a.Report, a.Structures = o.report, o.structures
	for len(a.Report.ByProp) < a.Problem.NumProps() {
		a.Report.ByProp = append(a.Report.ByProp, &ts.Symmetry{})
	}
	a.Problem.Groups = a.Report.ByProp
	if a.Problem.Real == nil { // else the image of a run of the file may be none
		a.Problem.Images = a.Report.Images
	}
	return nil
}

// Detect adds to the problem of a netlist the symmetry that its structure shows, if that is found
// soon: engines call it for systems that they make.
func (t *Task) Detect(ctx context.Context, p *mc.Problem) error {
	soon, cancel := context.WithTimeout(ctx, detectionTime/6)
	defer cancel()
	if err := t.detect(soon, &Analysis{Problem: p}, p.System(), true); err != nil && soon.Err() == nil {
		return err
	}
	return ctx.Err()
}

// ManyGuesses is the number of AND gates beyond which detection makes no guesses: there the
// truth tables of all small functions took longer than all other detection, and gave no more
// symmetry.
const ManyGuesses = 50_000

// detectionTime bounds the detection of symmetry for engines.
const detectionTime = time.Minute

// LargeSystem is the number of AND gates beyond which bounded model checking
// does without W: it is true in a run from reset anyway, and on the generated models
// of that size its proof and its clauses cost more than they save.
const LargeSystem = 300_000

// ProveWellFormed proves W, once, for those who assume it.
func (t *Task) ProveWellFormed(ctx context.Context, a *Analysis) error {
	sys := a.Problem.System()
	if sys == nil || a.Problem.WellFormed {
		return nil
	}
	t.phase(ctx, "proving that states are well-formed")
	began := time.Now()
	if sys.W != aig.True {
		newSolver := t.NewSolver
		if pace.LimitOf(ctx) != nil {
			newSolver = func() sat.Solver { return pace.Counted(t.NewSolver(), nil) }
		}
		if err := encode.ProveWellFormed(ctx, sys, newSolver); err != nil {
			return err
		}
	}
	a.WellFormedTime = time.Since(began)
	a.Problem.WellFormed = true
	return nil
}

// Select chooses the properties to decide, by name; none are all.
func (t *Task) Select(names []string) (err error) {
	t.Props = names
	t.Problem.Props, err = t.selectProps()
	return err
}

// selectProps returns the properties that Options names, with those on which what holds of them depends, or all.
func (t *Task) selectProps() ([]int, error) {
	want := make([]bool, t.Problem.NumProps())
	for _, n := range t.Props {
		instances := t.Problem.Formulas.Instances(n)
		for _, i := range instances {
			want[i] = true
		}
		if instances != nil {
			continue
		}
		i, err := t.Prop(n)
		if err != nil {
			return nil, err
		}
		want[i] = true
	}
	var props []int
	for i := range want {
		if want[i] || len(t.Props) == 0 && (len(t.Trees) == 0 || t.Problem.Kind(i) == model.Branching) || t.Room(i) {
			props = append(props, i)
		}
	}
	return props, nil
}

// Prop returns the property of a name. One of a netlist is also called by
// its number, as in "bad 3".
func (t *Task) Prop(name string) (int, error) {
	var known []string
	var called []int
	for i := range t.Problem.NumProps() {
		if known = append(known, fmt.Sprintf("%q", t.Problem.Name(i))); t.Problem.Name(i) == name {
			called = append(called, i)
		}
	}
	var n int
	switch {
	case len(called) == 1:
		return called[0], nil
	case t.Problem.Netlist == nil:
	case len(called) > 1:
		return 0, fmt.Errorf("%s: there are %d properties %q; use \"bad N\", N being %s", t.File, len(called), name, strings.Trim(fmt.Sprint(called), "[]"))
	default:
		if _, err := fmt.Sscanf(name, "bad %d", &n); err == nil && n >= 0 && n < t.Problem.NumProps() && t.Problem.Kind(n) != model.Justice {
			return n, nil
		}
	}
	return 0, fmt.Errorf("%s: there is no property %q%s; there are %s", t.File, name, front.DidYouMean(fmt.Sprintf("%q", name), known), strings.Join(FirstFew(known, 50), ", "))
}
