package portfolio

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"orbitmc/encode/murphi"
	"orbitmc/internal/every/invariants"
	"orbitmc/internal/lists"
	"orbitmc/internal/pace"
	"orbitmc/internal/task"
	"orbitmc/mc"
	"orbitmc/sat"
)

// This file proves a model at many sizes, one after the other. The lemmas of each size are
// candidates at the sizes after it, and with Share at sizes that other processes prove.

// Sweep is a sweep under way, and what it found. The fields up to Row are its input.
type Sweep struct {
	File     string
	Constant string // that changes
	From, To int
	Task     task.Options // of each size; Defines has the other constants
	Options
	Watch func() (unwatch func()) // holds work before the engine to a limit; nil is none
	Row   func(*Size)             // called when a size is done; nil is silent

	Sizes    []*Size
	Stopped  string // why the next size was not even read; "" if it was
	Violated bool
	Open     bool // some size is undecided

	carrier Carrier
	meter   *pace.Limit // nil: no limit
	large   bool        // explicit search did not decide the size before
}

// Size is one size of a sweep.
type Size struct {
	N       int
	Task    *task.Task
	Result  *mc.Result
	CPU     float64 // seconds
	Clauses int     // of the largest proof
	Learned int     // patterns that are new

	set []string // the constants that it sets, as NAME=VALUE
}

// Run decides the sizes in order, until ctx ends. The error is about the input, or an
// engine; what was found before is kept. A panic is an error of type *task.Panic.
func (s *Sweep) Run(ctx context.Context) error {
	s.All = true
	if s.Share != "" {
		if err := s.carrier.sharing(s.Share); err != nil {
			return err
		}
		if s.carrier.exchange(); s.carrier.failed != nil {
			return s.carrier.failed
		}
	}
	var sizes []int
	if s.From > firstSize && s.carrier.Len() == 0 {
		sizes = append(sizes, firstSize)
	}
	for n := s.From; n <= s.To; n++ {
		sizes = append(sizes, n)
	}
	for _, n := range sizes {
		done, err := s.size(ctx, n, fmt.Sprintf("%s=%d", s.Constant, n))
		switch {
		case errors.As(err, new(*task.Panic)):
			s.Open = true
			return err
		case err != nil && n < s.From: // the model may not exist at that size
			continue
		case err != nil:
			return err
		}
		if done {
			break
		}
	}
	return nil
}

// size decides one size, at which constants have the values of set, as NAME=VALUE; done
// says that the sweep ends with it.
func (s *Sweep) size(ctx context.Context, n int, set ...string) (done bool, err error) {
	before := task.CPUSeconds()
	unwatch := func() {}
	if s.Watch != nil {
		unwatch = s.Watch()
	}
	defer unwatch()
	opt := s.Task
	opt.Defines = append(slices.Clone(opt.Defines), set...)
	t, err := task.Open(ctx, s.File, opt)
	if task.CutShort(ctx, err) {
		s.Stopped, s.Open = fmt.Sprintf("%s: stopped by %s", strings.ReplaceAll(strings.Join(set, ", "), "=", " = "), mc.StopReason(ctx)), true
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if t.Problem.IsNetlist() {
		return false, fmt.Errorf("%s: a netlist has one size", t.File)
	}
	run := &Size{N: n, Task: t, set: set}
	visited, err := s.visit(ctx, opt)
	if err == nil && (visited == nil || !visited.Violated() || visited.Open() > 0) {
		err = s.prove(ctx, run, visited != nil && visited.Open() == 0, unwatch)
	}
	switch {
	case err != nil || visited == nil:
	case run.Result == nil:
		run.Result = visited
	case run.Result.Open() > 0 || visited.Violated(): // whose counterexamples are shortest
		run.Result, err = mc.Merge(t.Problem, visited, run.Result)
	}
	if err == nil {
		s.carrier.exchange()
		err = s.carrier.failed
	}
	if err != nil {
		return false, err
	}
	for _, f := range run.Result.Proofs() {
		run.Clauses = max(run.Clauses, len(f.Clauses))
	}
	run.CPU = task.CPUSeconds() - before
	s.Sizes = append(s.Sizes, run)
	s.Violated = s.Violated || run.Result.Violated()
	s.Open = s.Open || run.Result.Open() > 0
	if s.Row != nil {
		s.Row(run)
	}
	return ctx.Err() != nil, nil
}

// Explicit search goes first at small sizes: it has this much for its states, in bytes. If it visited all of them, pdr
// has so many steps to find lemmas for larger sizes, which is half a minute to a minute.
const (
	smallBytes = 8 << 20
	lemmaSteps = 100e6
)

// visit has explicit search decide one size, unless that was too much at the size before; nil: it found nothing.
func (s *Sweep) visit(ctx context.Context, opt task.Options) (*mc.Result, error) {
	if s.large {
		return nil, nil
	}
	o := s.Options
	if o.Cores, o.Share = 1, ""; o.MemLimit == 0 || o.MemLimit > smallBytes {
		o.MemLimit = smallBytes
	}
	var engines []mc.Engine
	var out *Outcome
	t, err := task.Open(ctx, s.File, opt)
	if err == nil {
		engines, err = Engines(t, "explicit")
	}
	if err == nil {
		if out, err = Run(ctx, t, engines, o); err == nil && out.Crash != nil {
			err = out.Crash
		}
	}
	switch {
	case task.CutShort(ctx, err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	s.large = out.Result.Open() > 0
	if s.large && !out.Result.Violated() {
		return nil, nil
	}
	return out.Result, nil
}

// prove has pdr decide one size, if lemmas says so only to find lemmas.
func (s *Sweep) prove(ctx context.Context, run *Size, lemmas bool, ready func()) error {
	within, count := ctx, func(newSolver func() sat.Solver) func() sat.Solver { return counted(s.meter, newSolver) }
	if lemmas {
		l, limited, cancel := pace.NewLimit(ctx, lemmaSteps, mc.ErrWork)
		defer cancel()
		within, count = l.With(limited), func(newSolver func() sat.Solver) func() sat.Solver { return counted(l, counted(s.meter, newSolver)) }
	}
	e, err := s.carrier.ready(s.meter.With(within), run.Task)
	p := run.Task.Problem
	switch {
	case task.CutShort(within, err):
		run.Result = mc.NewResult("pdr", p)
		run.Result.Stopped = mc.StopReason(within)
		return nil
	case err != nil:
		return err
	}
	e.NewSolver = count(e.NewSolver)
	p.Full, p.Gophersat = s.Full, s.Gophersat
	ready()
	if run.Result, err = alone(within, p, e, s.Options.Options); err == nil && run.N >= firstSize {
		run.Learned = s.carrier.Learn(p, run.Result)
	}
	return err
}

// Stable returns the least size whose lemmas, with those of smaller sizes, prove all larger
// sizes of the sweep, at least two. It returns 0 if there is none, or lemmas may be of other processes.
func (s *Sweep) Stable() int {
	at, n := 0, 0
	if s.Share != "" {
		return 0
	}
	for _, run := range s.Sizes {
		switch {
		case run.Result.Verdict() != mc.Safe:
			return 0
		case run.Result.Stats.Candidates > 0 && run.Result.Stats.Orbits == 0:
			n++
		default:
			at, n = run.N, 0
		}
	}
	if n < 2 || at < firstSize {
		return 0
	}
	return at
}

// Changing returns the constants and ranges that change along with the size.
func (s *Sweep) Changing() []string {
	n := len(s.Sizes)
	if n < 2 {
		return nil
	}
	return changed(s.Sizes[0].Task.Problem.Model, s.Sizes[n-1].Task.Problem.Model, s.Constant+"=")
}

// Write writes the model with the constants of the last size, and its lemmas as
// invariants. Lemmas that are left out are returned as errors.
func (s *Sweep) Write(b *bufio.Writer) (refused []error, err error) {
	if s.Violated || s.Open || len(s.Sizes) == 0 {
		return nil, ErrNotProved
	}
	last := s.Sizes[len(s.Sizes)-1]
	if lang := last.Task.Language(last.Task.File); lang != "Murphi" {
		return nil, fmt.Errorf("%s: lemmas are written into Murphi models only, and this is %s", last.Task.File, lang)
	}
	src, err := last.Task.Read(last.Task.File)
	if err != nil {
		return nil, err
	}
	consts := make(map[string]string) // that -D sets
	var set []string
	for _, x := range last.Task.Problem.Model.Consts {
		if slices.ContainsFunc(last.Task.Defines, func(d string) bool { return strings.HasPrefix(d, x.Name+"=") }) {
			consts[x.Name] = x.Type.Format(x.Value)
			set = append(set, x.Name+"="+consts[x.Name])
		}
	}
	if src, err = murphi.SetConsts(last.Task.File, src, consts, last.Task.Problem.Model.Dialect); err != nil {
		return nil, err
	}
	var exprs []string
	for _, f := range last.Result.Proofs() {
		es, out := invariants.Write(last.Task.Problem.Enc, f.Group, f.Clauses)
		refused = append(refused, out...)
		for _, e := range es {
			exprs = lists.With(exprs, e)
		}
	}
	src = fmt.Appendf(bytes.TrimRight(src, "\n"), "\n\n-- Invariants that orbitmc sweep found with %s.\n", strings.Join(set, ", "))
	out, _ := withLemmas(src, exprs)
	_, err = b.Write(out)
	return refused, err
}

// ErrNotProved says that there are no lemmas to write.
var ErrNotProved = errors.New("not all sizes are proved")
