package orbitmc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"orbitmc/internal/certify"
	"orbitmc/internal/lists"
	"orbitmc/internal/portfolio"
	"orbitmc/internal/task"
	"orbitmc/internal/trace"
	"orbitmc/mc"
)

// Options says how a file is read and which sources propose symmetry; the zero value is
// the default. go doc orbitmc/internal/task.Options has the fields.
type Options = task.Options

// Verdict is a property verdict; the zero value is Unknown.
type Verdict = mc.Status

// Verdicts. A cover that is hit is Safe, and one that is never hit Unsafe.
const (
	Unknown = mc.Unknown
	Safe    = mc.Safe
	Unsafe  = mc.Unsafe
)

// Engine decides properties of a Problem. Verdicts of any engine are checked before they
// are returned: a trace is replayed, an inductive invariant proved anew. Search and check read
// the same Problem; ARCHITECTURE.md, "What both share", says what a check cannot find.
type (
	Engine        = mc.Engine
	Problem       = mc.Problem
	EngineOptions = mc.Options
	EngineResult  = mc.Result
	Event         = mc.Event
)

// Model is a file that was read. It is not safe for concurrent use.
type Model struct{ t *task.Task }

// Open reads a model or a netlist; its extension says which. Errors in the text are
// reported as file:line:col: message, one on a line.
func Open(ctx context.Context, file string, opt Options) (*Model, error) {
	t, err := task.Open(ctx, file, opt)
	if err != nil {
		return nil, err
	}
	return &Model{t}, nil
}

// Properties returns the names of all properties, in the order of the file. What is
// always checked, such as "runtime-error" and "deadlock", comes last.
func (m *Model) Properties() []string {
	return lists.Make(m.t.Problem.NumProps(), func(i int) string { return m.t.Problem.Name(i) })
}

// Search says how properties are decided. The zero value is the default.
type Search struct {
	Engine  string   // "all" (also ""): side by side; or one of bmc, ind, scorr, pdr, klive, cofactor, explicit
	Engines []Engine // if there are any, these run instead

	Depth    int         // greatest depth, counted in steps; 0 is no bound
	All      bool        // go on after the first violation until every property is decided
	MemLimit int64       // bytes of live heap; 0 is no limit
	Full     bool        // check evidence for every image under the symmetry, not for one of each orbit
	Event    func(Event) // progress, which portfolio.Progress says in a line; called from several goroutines; nil is silent
}

// Report is what is known of the properties of a model.
type Report struct {
	Verdict    Verdict // Unsafe if any property is, else Unknown if any is, else Safe
	Properties []Property
	Stopped    string // why properties are Unknown; "" if none is

	t   *task.Task
	out *portfolio.Outcome
}

// Property is what is known of one property.
type Property struct {
	Name, Kind string
	Verdict    Verdict
	Engine     string // that decided it
	Depth      int    // of a violation (of a cover: of the hit), in steps; -1 if there is none
	Bound      int    // no violation within this many steps exists; -1 if nothing is known
	Evidence   string // how the verdict was checked
}

// Check decides the properties by several engines side by side. If ctx ends, the report is
// what is known then.
func (m *Model) Check(ctx context.Context, how Search) (*Report, error) {
	engines := how.Engines
	if len(engines) == 0 {
		var err error
		if engines, err = portfolio.Engines(m.t, cmp.Or(how.Engine, "all")); err != nil {
			return nil, err
		}
	}
	for i, e := range engines {
		engines[i] = portfolio.PerOrbit(e)
	}
	opt := portfolio.Options{Full: how.Full}
	opt.All, opt.MemLimit, opt.Event = how.All, how.MemLimit, how.Event
	opt.MaxDepth, opt.Bounded = how.Depth, how.Depth > 0
	out, err := portfolio.Run(ctx, m.t, engines, opt)
	if err != nil {
		return nil, err
	}
	if out.Crash != nil {
		return nil, out.Crash
	}
	m.t.Polish(out.Result)
	r := &Report{Verdict: out.Result.Verdict(), t: m.t, out: out}
	for _, e := range out.Each {
		if e.Stopped != "" && out.Result.Open() > 0 {
			r.Stopped = strings.TrimPrefix(r.Stopped+"; "+e.Engine+": "+e.Stopped, "; ")
		}
	}
	for _, pr := range out.Result.Props {
		p := Property{Name: m.t.Problem.Name(pr.Prop), Kind: m.t.Problem.Kind(pr.Prop).String(),
			Verdict: pr.Status, Engine: pr.Engine, Depth: -1, Bound: pr.Bound, Evidence: pr.Evidence}
		if pr.HasTrace() {
			p.Depth = pr.Depth
		}
		r.Properties = append(r.Properties, p)
	}
	return r, nil
}

// Prove decides the properties by property directed reachability. What it proves can be
// written as a certificate.
func (m *Model) Prove(ctx context.Context, how Search) (*Report, error) {
	how.Engine = cmp.Or(how.Engine, "pdr")
	return m.Check(ctx, how)
}

// ErrNothing says that there is no such trace, or proof.
var ErrNothing = errors.New("there is none")

// WriteTrace writes a shortest counterexample of the report for a reader, in the style
// "plain", or one that task.Styles lists. Without a violation it returns ErrNothing.
func (r *Report) WriteTrace(w io.Writer, style string) error {
	if styles := r.t.Styles(r.t.File); style != "plain" && !slices.Contains(styles, style) {
		return fmt.Errorf("there is no style %q of traces; there are %s", style, strings.Join(styles, ", "))
	}
	pr := r.t.Problem.First(r.out.Result)
	if pr == nil {
		return ErrNothing
	}
	return r.t.WriteTrace(w, pr, style)
}

// Trace is a counterexample, or the run that reaches a cover, as data: the first state by the names of its leaves, and for
// each step the rule, its parameters by name and what changes. Its JSON is in the output of --json. go doc orbitmc/trace.JSON
// has the fields.
type Trace = trace.JSON

// Trace returns the trace of a property by its name. If there is none, the error is ErrNothing; if there is no such property,
// another one.
func (r *Report) Trace(property string) (*Trace, error) {
	known := false
	for i := range r.out.Result.Props {
		pr := &r.out.Result.Props[i]
		if r.t.Problem.Name(pr.Prop) != property {
			continue
		}
		if known = true; pr.HasTrace() {
			v, err := r.t.View(pr)
			if err != nil {
				return nil, err
			}
			return v.JSON(), nil
		}
	}
	if !known {
		return nil, fmt.Errorf("there is no property %q", property)
	}
	return nil, ErrNothing
}

// WriteCertificate writes the proofs of the report, which Certify checks. Without a proof
// by induction it returns ErrNothing.
func (r *Report) WriteCertificate(ctx context.Context, w io.Writer) error {
	cert := portfolio.Certificate(r.t, r.out)
	if len(cert.Proofs) == 0 {
		return ErrNothing
	}
	return cert.Write(w, certify.New(ctx, r.out.Problem))
}

// Certification is the result of the check of a certificate.
type Certification = portfolio.Certification

// Certify reads a model and a certificate, and checks the certificate: by queries of its own, each
// refutation step by step. The circuits that a proof is about are made by the code that makes them for
// engines. The certificate must be about the model as opt reads it.
func Certify(ctx context.Context, file, certificate string, opt Options) (*Certification, error) {
	return portfolio.Certify(ctx, file, certificate, opt)
}

// Symmetry is the verified symmetry of a model.
type Symmetry struct {
	Order   *big.Int // of the group
	Factors []Factor
	Refuted []string // permutations that are no symmetries, and why
	Open    []string // permutations of which it is not known, and why
}

// Factor is a factor of the group.
type Factor = task.Part

// Detect returns the symmetry that holds, for all properties and each rule.
func (m *Model) Detect(ctx context.Context) (*Symmetry, error) {
	if err := m.t.Prepare(ctx, true); err != nil {
		return nil, err
	}
	y := &Symmetry{Order: big.NewInt(1)}
	if m.t.Report == nil {
		return y, nil
	}
	y.Order, y.Factors = m.t.Report.System.Order(), m.t.Parts()
	for _, f := range m.t.Report.Refutations {
		to := map[bool]*[]string{false: &y.Refuted, true: &y.Open}[f.Undecided]
		*to = append(*to, f.Text)
	}
	return y, nil
}

// Size is one size of a sweep.
type Size struct {
	N       int // value of the constant
	Verdict Verdict
	Lemmas  int // in the largest proof, one of each orbit
	Carried int // of them, lemmas of smaller sizes that are inductive here
}

// Sweep proves a model at the sizes from..to of a constant, and tries at each what the
// smaller ones needed. Below 3 components nothing is carried over. If ctx ends, the sizes
// are those that were decided.
func Sweep(ctx context.Context, file, constant string, from, to int, opt Options) ([]Size, error) {
	if from > to {
		return nil, fmt.Errorf("%s: %d is above %d", constant, from, to)
	}
	s := &portfolio.Sweep{File: file, Constant: constant, From: from, To: to, Task: opt}
	err := s.Run(ctx)
	var sizes []Size
	for _, x := range s.Sizes {
		sizes = append(sizes, Size{x.N, x.Result.Verdict(), x.Clauses, int(x.Result.Stats.Carried)})
	}
	return sizes, err
}
