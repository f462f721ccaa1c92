package portfolio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"orbitmc/encode/murphi"
	"orbitmc/internal/every/invariants"
	"orbitmc/internal/every/param"
	"orbitmc/internal/lists"
	"orbitmc/internal/pace"
	"orbitmc/internal/task"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
	"orbitmc/ts"
)

// This file proves a model for every size. pdr proves it at small sizes, the least first; so a
// violation that it finds is one of the smallest size. The lemmas are read as invariants of the
// model (package invariants), and package param drops those that are not inductive at all sizes.
// If the properties follow from the others, they hold at every size. Otherwise the next size gives
// more lemmas. every_open.go says which constants a proof is about, every_prove.go makes the proof, and
// every_counts.go adds lemmas that count.

// leastSize is the least size of a free class, if nothing else is said. With one component,
// many models have no steps left.
const leastSize = 2

// Every is a proof for every size under way, and what it found. The fields up to Tried are
// its input.
type Every struct {
	File     string
	Task     task.Options   // Defines has the constants that are fixed
	Only     []string       // the constants to leave open; nil: all that can be
	Least    map[string]int // least sizes by constant, of those that are not leastSize
	Most     int            // largest size that is searched for lemmas and violations; 0 is no limit
	Literals bool           // sizes that are numbers in the text are left open, too
	Offered  []string       // files of lemmas
	Induct   bool           // no lemma is looked for: the properties and those offered are inductive, or CTIs show why not
	Options
	Watch func() (unwatch func()) // holds work before the engine to a limit; nil is none
	Tried func(*Size)             // called when a size was decided; nil is silent

	Free     []string // constants that are left open
	Opened   []Opened // sizes that are numbers in the text: those of Free that are changes of it
	Fixed    []string // the others, as NAME=VALUE, if they are the sizes of classes or of ranges
	Assumed  []string // the assumptions of the model, with their places; a proof says that start states satisfy them at each size
	Refused  []error  // why constants are not left open, or the model is outside what can be proved
	Sizes    []*Size
	Violated bool
	Stopped  string // why the search ended without an answer
	Proved   *Proof // nil: the properties are not proved for every size
	Partial  *Proof // of all but deadlock, if that is what is left open; nil: none
	Induction

	instead    string           // if no constant is left open: the one whose sizes are decided; "" if there is none
	own        map[string]int64 // the values of constants in the file, or by -D
	source     []byte
	options    murphi.Options
	carrier    Carrier
	meter      *pace.Limit       // nil: no limit
	large      bool              // see Sweep
	lemmas     []string          // those of Offers first, then murphi.Origins
	counters   []counter         // functions that lemmas call
	bare       *param.Conditions // without lemmas
	numbers    *param.Conditions // the same; nil: they are not about numbers, or equations were found
	nested     bool              // what is to be proved has a ∃ inside a ∀
	index      map[string]bool   // constants whose components are indices of state variables
	lasts      map[string]string // see last; by name of the class
	scalarsets map[string]bool   // those that are left open, by name
	small      []*reached        // states of small sizes; nil: none were looked for
	obstacle   string            // what the last attempt to prove it failed at
	stuck      bool              // that was deadlock
}

// Proof is a proof for every size.
type Proof struct {
	Conditions *param.Conditions
	Evidence   *evidence.Every
	Outcome    *param.Outcome
	How        string   // how it was checked
	CPU        float64  // of the check, in seconds
	Lemmas     []string // that are inductive together with the properties
}

// Run searches until there is an answer, or ctx ends. The error is about the input or an
// engine; a model that is outside what can be proved for every size is no error, see Refused. Some
// sizes of such a model are decided, within a limit of work.
func (e *Every) Run(ctx context.Context) error {
	if err := e.Open(ctx); err != nil || e.Stopped != "" || len(e.Free) == 0 && (e.instead == "" || e.Induct) {
		return err
	}
	if err := e.offers(); err != nil {
		return err
	}
	if (e.Induct || e.Offers != nil) && len(e.Free) > 0 { // what is offered may be enough
		if _, _, err := e.attempt(ctx); e.Induct || err != nil || e.Proved != nil || e.Stopped != "" {
			return e.cut(ctx, err)
		}
	}
	if len(e.Free) == 0 {
		var cancel context.CancelFunc
		e.meter, ctx, cancel = pace.NewLimit(ctx, insteadSteps, mc.ErrWork)
		defer cancel()
	}
	if e.Share != "" {
		if err := e.carrier.sharing(e.Share); err != nil {
			return err
		}
	}
	return e.climb(ctx)
}

// climb decides one size after the other, and tries to prove all with what it learnt.
func (e *Every) climb(ctx context.Context) error {
	e.All = true
	for n := e.first(); e.Most == 0 || n <= e.Most; n++ {
		run, err := e.search(ctx, n)
		if len(e.Free) == 0 && errors.As(err, new(murphi.ErrorList)) && int64(n) < e.own[e.instead] {
			continue // the model has no such size, and larger ones
		}
		if err != nil && len(e.Free) == 0 && !errors.As(err, new(*task.Panic)) {
			e.Stopped = err.Error() // there is no such size, or no engine for the model
			return nil
		}
		if errors.As(err, new(murphi.ErrorList)) {
			return fmt.Errorf("%w\nthis is so at %s; -D %s=%d.. begins at a larger size", err, e.at(n), e.Free[0], n+1)
		}
		if err != nil || run == nil {
			return err
		}
		if e.Tried != nil {
			e.Tried(run)
		}
		if run.Result.Violated() {
			e.Violated = true
			return nil
		}
		if run.Result.Open() > 0 {
			e.Stopped = cmp.Or(run.Result.Stopped, "undecided") + fmt.Sprintf(" at %s", e.at(n))
			return nil
		}
		if len(e.Free) > 0 && (n >= firstSize || n == e.Most) {
			if err := e.prove(ctx); err != nil || e.Proved != nil || e.Stopped != "" {
				return err
			}
		}
	}
	if len(e.Free) > 0 {
		e.Stopped = fmt.Sprintf("no proof was found with the lemmas of sizes up to %d", e.Most)
	}
	return nil
}

// phase says what is done besides the search at a size.
func (e *Every) phase(format string, args ...any) {
	if e.Task.Phase != nil {
		e.Task.Phase(fmt.Sprintf(format, args...))
	}
}

// insteadSteps is how many steps the sizes of a model take that is refused: a few
// seconds.
const insteadSteps = 10e6

// Every tries to prove for every size, from the least one, what the sweep proved at some. It
// takes the lemmas of one size after the other. Its limit is behindSweep, or the work of the
// sweep if that was more.
func (s *Sweep) Every(ctx context.Context) (*Every, error) {
	var steps int64
	for _, run := range s.Sizes {
		steps += work(run.Result)
	}
	m, ctx, cancel := pace.NewLimit(ctx, max(behindSweep, steps), mc.ErrWork)
	defer cancel()
	e := &Every{meter: m, File: s.File, Task: s.Task, Only: []string{s.Constant}, Options: s.Options, Sizes: s.Sizes}
	if s.Violated || s.Open || len(s.Sizes) == 0 {
		return nil, ErrNotProved
	}
	e.Least = map[string]int{s.Constant: s.Sizes[0].N}
	if err := e.Open(ctx); err != nil || len(e.Free) == 0 {
		return e, err
	}
	last := len(s.Sizes) - 1
	for i, run := range s.Sizes {
		if run.N < firstSize && i < last {
			continue
		}
		if run.N > lastLearned {
			break
		}
		known := len(e.lemmas)
		if e.learn(run); len(e.lemmas) == known && e.obstacle != "" {
			continue // no more than was tried
		}
		if err := e.prove(ctx); err != nil || e.Proved != nil || e.Stopped != "" {
			return e, err
		}
	}
	return e, nil
}

// lastLearned is the largest size of a sweep whose lemmas are read as invariants. Of larger
// sizes lemmas may name so many components that conditions on them do not fit in memory.
const lastLearned = 8

// behindSweep is how many steps a proof for every size may take behind a sweep: about a minute.
const behindSweep = 240e6

// Behind tries to prove for every size what engines proved at one, with no more than a tenth of
// their work; ctx ends it, too. It begins at the least size, as the lemmas of a large one
// may be about many components at once. It is nil if it was not tried: some property is not
// proved, or the engines did too little. What -D sets and is the size of a class is left open; if
// there is no such constant, all that can be.
func Behind(ctx context.Context, t *task.Task, out *Outcome) (*Every, error) {
	if out.Crash != nil || out.Problem == nil || out.Result.Verdict() != mc.Safe || len(t.Options.Props)+len(t.Options.Formulas) > 0 || out.Problem.Counters != nil || t.Language(t.File) != "Murphi" {
		return nil, nil
	}
	e := &Every{File: t.File, Task: t.Options, Most: lastSize}
	e.Task.Phase = nil
	var err error
	if e.source, err = t.Read(t.File); err != nil {
		return nil, err
	}
	m, ctx, cancel := pace.NewLimit(ctx, spent(out)/10, mc.ErrWork)
	defer cancel()
	e.meter = m
	if m.Spend(int64(len(e.source)) * perByte); ctx.Err() != nil {
		return nil, nil
	}
	if e.options, err = task.ModelOptions(e.Task); err != nil {
		return nil, err
	}
	var fixed []string
	for _, d := range e.Task.Defines {
		name, _, _ := strings.Cut(d, "=")
		if m, err := e.parse(e.source, []string{name}, nil); err == nil && sized(m, name) {
			e.Only = append(e.Only, name)
		} else {
			fixed = append(fixed, d)
		}
	}
	e.Task.Defines = fixed
	if err := e.Open(ctx); err != nil || len(e.Free) == 0 {
		return nil, err
	}
	return e, e.climb(ctx)
}

// Claim says what the sizes are that a proof is about.
func (e *Every) Claim() string {
	var all []string
	least := e.Leasts()
	for _, c := range e.Free {
		all = append(all, fmt.Sprintf("every %s ≥ %d", c, least[c]))
	}
	text := strings.Join(all, " and ")
	if len(e.Fixed) > 0 {
		text += ", with " + strings.Join(e.Fixed, ", ")
	}
	if e.Proved == nil && e.Partial != nil {
		text += ", but for freedom from deadlock"
	}
	for _, a := range e.Assumed {
		text += fmt.Sprintf("\n  for all that satisfies %s, as start states do at each size", a)
	}
	for _, o := range e.Opened {
		text += fmt.Sprintf("\n  in the text with, at %v", o)
	}
	return text
}

// Obstacle says why there is no proof, with a place in the model if there is one; "" if there is
// a proof, or a violation.
func (e *Every) Obstacle() string {
	switch {
	case e.Proved != nil || e.Violated:
		return ""
	case len(e.Free) == 0:
		all := lists.Map(e.Refused, func(r error) string { return r.Error() })
		if e.Stopped != "" {
			all = append(all, "no more sizes were decided: "+e.Stopped)
		}
		return strings.Join(all, "\n")
	case e.Stopped != "" && e.obstacle != "":
		return e.Stopped + "; " + e.obstacle
	}
	return cmp.Or(e.Stopped, e.obstacle)
}

// first returns the size that the search begins with.
func (e *Every) first() int {
	if len(e.Free) == 0 {
		return e.leastOf(e.instead)
	}
	return slices.Min(slices.Collect(maps.Values(e.Leasts())))
}

// at returns the values of the free constants for size n. Components that are no indices are
// fewer, as they matter one or two at a time.
func (e *Every) at(n int) string {
	if len(e.Free) == 0 {
		return fmt.Sprintf("%s=%d", e.instead, n)
	}
	var set []string
	for _, c := range e.Free {
		k := n
		if !e.index[c] && len(e.index) > 0 {
			k = max(2, n-2)
		}
		set = append(set, fmt.Sprintf("%s=%d", c, max(k, e.Leasts()[c])))
	}
	return strings.Join(set, " ")
}

// Title names a size by the constants that it sets.
func (s *Size) Title() string { return strings.Join(s.set, " ") }

// search decides one size. The size is nil if ctx ended before.
func (e *Every) search(ctx context.Context, n int) (*Size, error) {
	s := &Sweep{File: e.File, Task: e.Task, Options: e.Options, Watch: e.Watch, carrier: e.carrier, meter: e.meter, large: e.large}
	s.Task.Phase = func(what string) {
		if what != "" {
			e.phase("%s: %s", e.at(n), what)
		}
	}
	_, err := s.size(ctx, n, strings.Fields(e.at(n))...)
	e.carrier, e.large = s.carrier, s.large
	if err != nil {
		return nil, err
	}
	if s.Stopped != "" {
		e.Stopped = s.Stopped
		return nil, nil
	}
	run := s.Sizes[0]
	e.Sizes = append(e.Sizes, run)
	if n >= firstSize {
		e.learn(run)
	}
	return run, nil
}

// learn takes the lemmas of the proofs at one size.
func (e *Every) learn(run *Size) {
	enc := run.Task.Problem.Enc
	for _, f := range run.Result.Proofs() {
		for _, l := range invariants.Readings(enc, e.alike(enc.Model, f.Group), f.Clauses, e.last, e.nested) {
			e.lemmas = lists.With(e.lemmas, l)
		}
	}
}

// alike returns the symmetry under which lemmas are read: all components of a scalarset that is left
// open are alike, though the last one may not be where a loop of a start state ends with it.
func (e *Every) alike(m *model.Model, y *ts.Symmetry) *ts.Symmetry {
	out := new(ts.Symmetry)
	whole := make(map[int]bool)
	for i, t := range m.Scalarsets {
		if e.scalarsets[t.Name] && t.Card() > 1 {
			b := ts.Block{Name: t.Name, Class: i}
			for elem := range int(t.Card()) {
				b.Elems = append(b.Elems, elem)
			}
			whole[i], out.Blocks = true, append(out.Blocks, b)
		}
	}
	if y != nil {
		for _, b := range y.Blocks {
			if !whole[b.Class] {
				out.Blocks = append(out.Blocks, b)
			}
		}
	}
	return out
}

// last writes the greatest value of a class of numbers for all sizes; "" if it has a fixed one.
func (e *Every) last(class *model.Type) string { return e.lasts[class.Name] }
