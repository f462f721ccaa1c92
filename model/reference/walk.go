package reference

import (
	"errors"
	"slices"

	"orbitmc/model"
)

// Walker is the reference interpreter: it walks the syntax tree, with errors as return
// values. It shares the tree with the compiled one, and nothing that gives the tree a meaning, which
// TestWalkerStandsAlone checks. It is slow. Tests compare the two;
// and it tells which leaves an evaluation depends on, so that the check of a closed set
// can keep what an instance does.
//
// The leaves of the state and, behind them, all other variables are in one slice, and a
// place is an index there. A walker is not safe for concurrent use.
type Walker struct {
	m      *model.Model
	n      int // leaves of a state
	mem    []int64
	at     map[*model.Var]int // of variables in scope but those of the state
	rec    map[*model.Proc]bool
	proc   *model.Proc
	result int // where its result goes
	open   int // calls of recursive procedures
	fuel   int // statements and iterations left

	strict map[any]bool // quantifiers, properties and assumptions of which all operands are evaluated

	flow *Flow // what writes depend on is noted there; nil: nowhere

	ran map[model.Stmt]int64 // how often statements ran; nil: that is not counted

	seen    []bool // by leaf: it was read or written
	put     []bool // by leaf: it was written
	reads   []int
	tests   []Test
	tested  []int // by leaf: 1 plus the index in tests; nil: tests are not told
	writes  []int
	hits    []int
	also    []int // see Violation
	runtime int
}

var (
	errRun      = errors.New("run-time error")
	errReturn   = errors.New("return")
	errDisabled = errors.New("assumption fails")
	errFuel     = errors.New("takes too long")
	errHidden   = errors.New("an error behind an operand that decides")
)

// failure is the error of an assertion or error statement: the index of its property.
type failure int

func (failure) Error() string { return "failure" }

// walkFuel is how many statements and iterations an evaluation may take.
const walkFuel = 1 << 20

// NewWalker returns a walker for m.
func NewWalker(m *model.Model) *Walker {
	n := m.Leaves()
	return &Walker{m: m, n: n, at: map[*model.Var]int{}, rec: map[*model.Proc]bool{}, seen: make([]bool, n), put: make([]bool, n), runtime: m.Runtime().Index}
}

// NewStrictWalker returns a walker for m that evaluates all operands of some quantifiers,
// as a program does that CompileStrict made.
func NewStrictWalker(m *model.Model, strict map[any]bool) *Walker {
	w := NewWalker(m)
	w.strict = strict
	return w
}

// Walked is what an evaluation did.
type Walked struct {
	Holds   bool  // the guard, or the expression; of a rule fired, also all assumptions
	Prop    int   // the property violated by an error, or -1
	Also    []int // other properties that the error violates, see Violation
	LeftOut bool  // an assumption declaration keeps the step from another state
	TooLong bool  // it was given up; nothing else is known
	Hides   bool  // a strict quantifier has an operand that decides and one that errs: a run-time error

	// The leaves read before they were written, in this order, which depends on what was read
	// before only; and what was written. They are valid until the next call.
	Reads  []int
	Tests  []Test // those of Reads that are tests, if they are told
	Writes []int  // each once; Value tells the value
	Hits   []int  // cover statements, perhaps several times
}

// Test says that all that is read of a leaf is whether it is undefined, equal to Than, or neither.
type Test struct {
	At   int // the index in Walked.Reads; the leaf may be there once more, behind it
	Than int64
}

// TellTests has the walker tell tests.
func (w *Walker) TellTests() { w.tested = make([]int, w.n) }

// Value returns what leaf i is after the last evaluation. The slots of multisets that
// were written are in no order, and what is in free ones does not matter.
func (w *Walker) Value(i int) int64 { return w.mem[i] }

// begin loads a state.
func (w *Walker) begin(s model.State, params []*model.Param, values []int64) {
	for _, i := range w.reads {
		w.seen[i] = false
	}
	for _, t := range w.tests {
		w.tested[w.reads[t.At]] = 0
	}
	for _, i := range w.writes {
		w.seen[i], w.put[i] = false, false
	}
	w.reads, w.tests, w.writes, w.hits = w.reads[:0], w.tests[:0], w.writes[:0], w.hits[:0]
	w.mem = append(w.mem[:0], s...)
	w.fuel, w.open, w.proc, w.also = walkFuel, 0, nil, nil
	for i, p := range params {
		w.at[p.Var] = w.alloc(1)
		w.mem[w.at[p.Var]] = values[i]
	}
}

// end returns what was done.
func (w *Walker) end(holds bool, err error) Walked {
	r := Walked{Holds: holds && err == nil, Prop: -1, Reads: w.reads, Tests: w.tests, Writes: w.writes, Hits: w.hits}
	var f failure
	switch {
	case err == errFuel:
		r.TooLong = true
	case err == errRun, err == errHidden:
		r.Prop, r.Hides = w.runtime, err == errHidden
	case errors.As(err, &f):
		r.Prop = int(f)
	}
	if r.Prop >= 0 {
		r.Also = w.also
	}
	return r
}

// Violates returns the properties that an error violates.
func (r *Walked) Violates() []int {
	if r.Prop < 0 {
		return nil
	}
	return append([]int{r.Prop}, r.Also...)
}

// Guard evaluates the guard of an instance of a rule in s.
func (w *Walker) Guard(s model.State, r *model.Rule, params []int64) Walked {
	w.begin(s, r.Params, params)
	return w.end(w.guard(r))
}

func (w *Walker) guard(r *model.Rule) (bool, error) {
	if r.Guard == nil {
		return true, nil
	}
	b, err := w.eval(r.Guard)
	return b != 0, err
}

// Fire runs an instance in s if its guard holds.
func (w *Walker) Fire(s model.State, r *model.Rule, params []int64) Walked {
	w.begin(s, r.Params, params)
	if ok, err := w.guard(r); !ok || err != nil {
		return w.end(false, err)
	}
	return w.run(s, r)
}

// Start runs an instance of a start state.
func (w *Walker) Start(r *model.Rule, params []int64) Walked {
	s := slices.Repeat(model.State{model.Undef}, w.n)
	w.begin(s, r.Params, params)
	return w.run(s, r)
}

func (w *Walker) run(s model.State, r *model.Rule) Walked {
	w.locals(r.Locals)
	if err := w.exec(r.Body); err != nil && err != errReturn {
		return w.end(false, err)
	}
	if len(w.m.Assumptions) == 0 {
		return w.end(true, nil)
	}
	for _, v := range w.m.Vars {
		w.sort(v.Type, v.Offset)
	}
	next := slices.Clone(w.mem[:w.n])
	for _, q := range w.m.Assumptions {
		hits := len(w.hits)
		ok, err := w.quantified(q, q.Params, q.Expr, true)
		copy(w.mem, next) // an assumption changes nothing
		w.hits = w.hits[:hits]
		if err != nil || !ok {
			out := w.end(false, err)
			if err == nil {
				for i := range w.n {
					w.read(i, 1)
				}
				out.Reads = w.reads
				out.LeftOut = !slices.Equal(next, s)
			}
			return out
		}
	}
	return w.end(true, nil)
}

// Evaluate evaluates an expression for all, or any, values of the parameters. A failed
// assume statement counts as true.
func (w *Walker) Evaluate(s model.State, params []*model.Param, x model.Expr, all bool) Walked {
	return w.evaluate(s, nil, params, x, all)
}

// Holds evaluates an instance of a liveness property in s.
func (w *Walker) Holds(s model.State, q *model.Property, params []int64) Walked {
	w.begin(s, q.Params, params)
	b, err := w.eval(q.Expr)
	if err == errDisabled {
		b, err = 1, nil
	}
	w.errs(err, q.Index)
	return w.end(b != 0, err)
}

// Says evaluates a property in s: whether an invariant holds, or a cover is hit.
func (w *Walker) Says(s model.State, q *model.Property) Walked {
	return w.evaluate(s, q, q.Params, q.Expr, q.Kind != model.Cover)
}

func (w *Walker) evaluate(s model.State, q *model.Property, params []*model.Param, x model.Expr, all bool) Walked {
	w.begin(s, nil, nil)
	ok, err := w.quantified(q, params, x, all)
	if err == errDisabled {
		ok, err = true, nil
	}
	if q != nil && q.Kind != model.Cover {
		w.errs(err, q.Index)
	}
	return w.end(ok, err)
}

// errs notes that an error keeps a property from being evaluated.
func (w *Walker) errs(err error, prop int) {
	var f failure
	if is := errors.As(err, &f); (is || err == errRun) && !(is && int(f) == prop) && !slices.Contains(w.also, prop) {
		w.also = append(w.also, prop)
	}
}

// Static returns the value of an expression that depends on some bound variables, and on nothing
// else. ok is false if its evaluation errs, reads the state, or does anything but return a value.
func (w *Walker) Static(x model.Expr, vars []*model.Var, values []int64) (v int64, ok bool) {
	w.begin(slices.Repeat(model.State{model.Undef}, w.n), nil, nil)
	for i, v := range vars {
		w.at[v] = w.alloc(1)
		w.mem[w.at[v]] = values[i]
	}
	v, err := w.eval(x)
	return v, err == nil && v != model.Undef && len(w.reads)+len(w.writes)+len(w.hits) == 0
}

// quantified evaluates x for all, or any, values of the parameters, those of property q if
// that is not nil.
func (w *Walker) quantified(q *model.Property, params []*model.Param, x model.Expr, all bool) (bool, error) {
	if len(params) == 0 {
		b, err := w.eval(x)
		return b != 0, err
	}
	return w.quantifier(all, q != nil && w.strict[q], params[0].Var, params[0].Domain, func() (bool, error) {
		return w.quantified(q, params[1:], x, all)
	})
}

// alloc returns room for n undefined values.
func (w *Walker) alloc(n int) int {
	at := len(w.mem)
	for range n {
		w.mem = append(w.mem, model.Undef)
	}
	if w.flow != nil {
		w.flow.forget(at, n)
	}
	return at
}

func (w *Walker) locals(vars []*model.Var) {
	for _, v := range vars {
		w.at[v] = w.alloc(v.Type.Leaves)
	}
}

// read notes that n values from at on are looked at.
func (w *Walker) read(at, n int) {
	if w.flow != nil && n == 1 {
		w.flow.use(at)
	}
	for i := at; i < min(at+n, w.n); i++ {
		if !w.seen[i] {
			w.seen[i] = true
			w.reads = append(w.reads, i)
		}
	}
}

// test notes that the value at a place is compared with another. A second comparison, with something else, reads
// the value.
func (w *Walker) test(at int, than int64) {
	switch {
	case at >= w.n || w.seen[at]:
	case w.tested[at] == 0:
		w.tests = append(w.tests, Test{len(w.reads), than})
		w.tested[at] = len(w.tests)
		w.reads = append(w.reads, at)
	case w.tests[w.tested[at]-1].Than != than:
		w.read(at, 1)
	}
}

// wrote notes that n values from at on are written.
func (w *Walker) wrote(at, n int) {
	if w.flow != nil {
		w.flow.set(at, n)
	}
	for i := at; i < min(at+n, w.n); i++ {
		if !w.put[i] {
			w.seen[i], w.put[i] = true, true
			w.writes = append(w.writes, i)
		}
	}
}

// copy copies values that are already noted as read.
func (w *Walker) copy(to, from, n int) {
	w.wrote(to, n)
	if w.flow != nil {
		w.flow.pass(to, from, n)
	}
	copy(w.mem[to:to+n], w.mem[from:from+n])
}

func (w *Walker) undefine(at, n int) {
	w.wrote(at, n)
	for i := range n {
		w.mem[at+i] = model.Undef
	}
}
