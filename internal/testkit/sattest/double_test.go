package sattest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"orbitmc/sat"
	"orbitmc/sat/gini"
)

// A double is a good back end with one fault. It overrides what is not nil.
type double struct {
	sat.Solver
	newVar  func() sat.Lit
	add     func(...sat.Lit)
	addTo   func(sat.Group, ...sat.Lit)
	group   func() sat.Group
	release func(sat.Group)
	solve   func(context.Context, ...sat.Lit) sat.Status
	value   func(sat.Lit) bool
	core    func() []sat.Lit
	stats   func() sat.Stats

	calls sat.Stats // clauses and solves, as the caller counts them
}

func (d *double) NewVar() sat.Lit {
	if d.newVar != nil {
		return d.newVar()
	}
	return d.Solver.NewVar()
}

func (d *double) Add(c ...sat.Lit) {
	d.calls.Clauses++
	if d.add != nil {
		d.add(c...)
		return
	}
	d.Solver.Add(c...)
}

func (d *double) AddTo(g sat.Group, c ...sat.Lit) {
	d.calls.Clauses++
	if d.addTo != nil {
		d.addTo(g, c...)
		return
	}
	d.Solver.AddTo(g, c...)
}

func (d *double) Group() sat.Group {
	if d.group != nil {
		return d.group()
	}
	return d.Solver.Group()
}

func (d *double) Release(g sat.Group) {
	if d.release != nil {
		d.release(g)
		return
	}
	d.Solver.Release(g)
}

func (d *double) Solve(ctx context.Context, a ...sat.Lit) sat.Status {
	d.calls.Solves++
	if d.solve != nil {
		return d.solve(ctx, a...)
	}
	return d.Solver.Solve(ctx, a...)
}

func (d *double) Value(l sat.Lit) bool {
	if d.value != nil {
		return d.value(l)
	}
	return d.Solver.Value(l)
}

func (d *double) Core() []sat.Lit {
	if d.core != nil {
		return d.core()
	}
	return d.Solver.Core()
}

func (d *double) Stats() sat.Stats {
	if d.stats != nil {
		return d.stats()
	}
	st := d.calls
	st.Vars = d.Solver.Stats().Vars
	return st
}

// doubles lists faults and what the kit must say about each.
var doubles = []struct {
	fault  string
	says   string
	inject func(d *double, good sat.Solver)
}{
	{"core lacks a literal", "holds together with the clauses", func(d *double, good sat.Solver) {
		d.core = func() []sat.Lit {
			if c := good.Core(); len(c) > 1 {
				return c[1:]
			}
			return good.Core()
		}
	}},
	{"core has a literal that was not assumed", "was not assumed", func(d *double, good sat.Solver) {
		d.core = func() []sat.Lit {
			c := good.Core()
			for i := range c {
				c[i] = c[i].Not()
			}
			return c
		}
	}},
	{"core repeats a literal", "core repeats", func(d *double, good sat.Solver) {
		d.core = func() []sat.Lit { return append(good.Core(), good.Core()...) }
	}},
	{"core is shared with the caller", "core", func(d *double, good sat.Solver) {
		var shared []sat.Lit
		d.solve = func(ctx context.Context, a ...sat.Lit) sat.Status {
			answer := good.Solve(ctx, a...)
			if answer == sat.Unsat {
				shared = good.Core()
			}
			return answer
		}
		d.core = func() []sat.Lit { return shared }
	}},
	{"core of a latched solver", "although the solver is latched", func(d *double, good sat.Solver) {
		var last []sat.Lit
		d.solve = func(ctx context.Context, a ...sat.Lit) sat.Status {
			last = slices.Clone(a)
			return good.Solve(ctx, a...)
		}
		d.core = func() []sat.Lit {
			if c := good.Core(); len(c) > 0 || len(last) == 0 {
				return c
			}
			return last[:1]
		}
	}},
	{"Release does nothing", "Solve returned unsat, want sat", func(d *double, good sat.Solver) {
		d.release = func(sat.Group) {}
	}},
	{"a group stays or goes with its neighbour", "Solve returned", func(d *double, good sat.Solver) {
		// Clauses of even groups live in the odd group before them, unless that was released.
		gone := map[sat.Group]bool{}
		d.addTo = func(g sat.Group, c ...sat.Lit) {
			if h := g - 1 + g%2; h != g && !gone[h] {
				g = h
			}
			good.AddTo(g, c...)
		}
		d.release = func(g sat.Group) {
			gone[g] = true
			good.Release(g)
		}
	}},
	{"group clauses are permanent", "Solve returned unsat, want sat", func(d *double, good sat.Solver) {
		d.addTo = func(_ sat.Group, c ...sat.Lit) { good.Add(c...) }
	}},
	{"model of an earlier Sat", "the model falsifies", func(d *double, good sat.Solver) {
		vars, solves := 0, 0
		model := map[sat.Lit]bool{}
		d.newVar = func() sat.Lit { vars++; return good.NewVar() }
		d.solve = func(ctx context.Context, a ...sat.Lit) sat.Status {
			answer := good.Solve(ctx, a...)
			if answer == sat.Sat {
				if solves++; solves%2 == 1 {
					for l := sat.MkLit(1, false); l.Var() <= vars; l++ {
						model[l] = good.Value(l)
					}
				}
			}
			return answer
		}
		d.value = func(l sat.Lit) bool {
			if _, old := model[l]; !old {
				return good.Value(l)
			}
			return model[l]
		}
	}},
	{"model that changes", "the model", func(d *double, good sat.Solver) {
		vars, calls := 0, 0
		d.newVar = func() sat.Lit { vars++; return good.NewVar() }
		d.value = func(l sat.Lit) bool {
			calls++
			return good.Value(l) != (calls > 2*vars && calls%(2*vars) <= 2)
		}
	}},
	{"both literals of a variable are false", "are both false", func(d *double, good sat.Solver) {
		d.value = func(l sat.Lit) bool { return !l.Neg() && good.Value(l) }
	}},
	{"a clause in twenty is lost", "want unsat", func(d *double, good sat.Solver) {
		calls := 0
		d.add = func(c ...sat.Lit) {
			if calls++; calls%20 != 0 {
				good.Add(c...)
			}
		}
	}},
	{"clauses after Unsat are lost", "", func(d *double, good sat.Solver) {
		lose := false
		d.solve = func(ctx context.Context, a ...sat.Lit) sat.Status {
			answer := good.Solve(ctx, a...)
			lose = answer == sat.Unsat
			return answer
		}
		d.add = func(c ...sat.Lit) {
			if !lose {
				good.Add(c...)
			}
		}
	}},
	{"the empty clause is ignored", "want unsat", func(d *double, good sat.Solver) {
		d.add = func(c ...sat.Lit) {
			if len(c) > 0 {
				good.Add(c...)
			}
		}
	}},
	{"the empty clause of a group latches", "Solve returned unsat, want sat", func(d *double, good sat.Solver) {
		d.addTo = func(g sat.Group, c ...sat.Lit) {
			if len(c) == 0 {
				good.Add()
			}
			good.AddTo(g, c...)
		}
	}},
	{"a tautology refutes", "Solve returned unsat, want sat", func(d *double, good sat.Solver) {
		d.add = func(c ...sat.Lit) {
			if _, taut := special(c); taut {
				c = nil
			}
			good.Add(c...)
		}
	}},
	{"repeated literals cancel out", "", func(d *double, good sat.Solver) {
		d.add = func(c ...sat.Lit) {
			seen := map[sat.Lit]int{}
			for _, l := range c {
				seen[l]++
			}
			good.Add(slices.DeleteFunc(slices.Clone(c), func(l sat.Lit) bool { return seen[l] == 2 })...)
		}
	}},
	{"the slice of a clause is kept", "panic: sat: Add: the zero Lit", func(d *double, good sat.Solver) {
		var kept []sat.Lit
		d.add = func(c ...sat.Lit) {
			if kept != nil {
				good.Add(kept...)
			}
			kept = c
		}
		d.solve = func(ctx context.Context, a ...sat.Lit) sat.Status {
			if kept != nil {
				good.Add(kept...)
				kept = nil
			}
			return good.Solve(ctx, a...)
		}
	}},
	{"assumptions stay", "Solve returned unsat, want sat", func(d *double, good sat.Solver) {
		var last []sat.Lit
		d.solve = func(ctx context.Context, a ...sat.Lit) sat.Status {
			last = append(last[:min(1, len(last))], a...)
			return good.Solve(ctx, last...)
		}
	}},
	{"the assumptions are sorted in place", "changed the slice", func(d *double, good sat.Solver) {
		d.solve = func(ctx context.Context, a ...sat.Lit) sat.Status {
			slices.Sort(a)
			return good.Solve(ctx, a...)
		}
	}},
	{"the last assumption is ignored", "", func(d *double, good sat.Solver) {
		d.solve = func(ctx context.Context, a ...sat.Lit) sat.Status {
			if len(a) > 2 {
				a = a[:len(a)-1]
			}
			return good.Solve(ctx, a...)
		}
	}},
	{"Unknown without reason", "its context did not end", func(d *double, good sat.Solver) {
		solves := 0
		d.solve = func(ctx context.Context, a ...sat.Lit) sat.Status {
			if solves++; solves%10 == 0 {
				return sat.Unknown
			}
			return good.Solve(ctx, a...)
		}
	}},
	{"Unsat once stopped", "Solve returned unsat, want sat", func(d *double, good sat.Solver) {
		stopped := false
		d.solve = func(ctx context.Context, a ...sat.Lit) sat.Status {
			stopped = stopped || ctx.Err() != nil
			if stopped {
				return sat.Unsat
			}
			return good.Solve(ctx, a...)
		}
	}},
	{"variables count from 2", "NewVar returned 2, want 1", func(d *double, good sat.Solver) {
		good.NewVar()
	}},
	{"a group number is used twice", "which is open", func(d *double, good sat.Solver) {
		var g sat.Group
		d.group = func() sat.Group {
			if g == 0 {
				g = good.Group()
			}
			return g
		}
	}},
	{"Stats leaves the state", "panic: sat: ", func(d *double, good sat.Solver) {
		d.stats = func() sat.Stats {
			good.Group()
			st := d.calls
			st.Vars = good.Stats().Vars
			return st
		}
	}},
	{"group clauses are not counted", "Stats: ", func(d *double, good sat.Solver) {
		grouped := int64(0)
		d.addTo = func(g sat.Group, c ...sat.Lit) {
			grouped++
			good.AddTo(g, c...)
		}
		d.stats = func() sat.Stats {
			st := good.Stats()
			st.Clauses -= grouped
			return st
		}
	}},
	{"panic", "panic: released", func(d *double, good sat.Solver) {
		releases := 0
		d.release = func(g sat.Group) {
			if releases++; releases == 3 {
				panic("released")
			}
			good.Release(g)
		}
	}},
}

func makeDouble(fault func(*double, sat.Solver)) func() sat.Solver {
	return func() sat.Solver {
		good := gini.New()
		d := &double{Solver: good}
		fault(d, good)
		return d
	}
}

// Every faulty back end fails, for the right reason and with a short trace.
func TestProgramsRejectDoubles(t *testing.T) {
	for _, d := range doubles {
		_, err := fuzz(makeDouble(d.inject), 1, 2000)
		if err == nil {
			t.Errorf("%s: passed", d.fault)
			continue
		}
		head, trace, _ := strings.Cut(err.Error(), "shrunk to\n")
		if !strings.Contains(head, d.says) {
			t.Errorf("%s: %v, want %q", d.fault, err, d.says)
		}
		if n := strings.Count(trace, "\n"); n == 0 || n > 45 {
			t.Errorf("%s: trace of %d calls:\n%s", d.fault, n, trace)
		}
	}
}

// stoppable lists faults in stopping and what the kit must say about each.
var stoppable = []struct {
	fault, says string
	inject      func(d *double, good sat.Solver)
}{
	{"stops late", "after the end of the context", func(d *double, good sat.Solver) {
		d.solve = func(ctx context.Context, a ...sat.Lit) sat.Status {
			answer := good.Solve(ctx, a...)
			if answer == sat.Unknown {
				time.Sleep(1200 * time.Millisecond)
			}
			return answer
		}
	}},
	{"guesses when stopped", "search 0: unsat, want unknown", func(d *double, good sat.Solver) {
		d.solve = func(ctx context.Context, a ...sat.Lit) sat.Status {
			if answer := good.Solve(ctx, a...); answer != sat.Unknown {
				return answer
			}
			return sat.Unsat
		}
	}},
	{"stays stopped", "after stopped search 0: unknown", func(d *double, good sat.Solver) {
		stopped := false
		d.solve = func(ctx context.Context, a ...sat.Lit) sat.Status {
			if stopped {
				return sat.Unknown
			}
			answer := good.Solve(ctx, a...)
			stopped = answer == sat.Unknown
			return answer
		}
	}},
	{"leaves goroutines", "goroutines", func(d *double, good sat.Solver) {
		d.solve = func(ctx context.Context, a ...sat.Lit) sat.Status {
			if answer := good.Solve(ctx, a...); answer != sat.Unknown {
				return answer
			}
			go func() { <-leaked }()
			return sat.Unknown
		}
	}},
}

var leaked = make(chan struct{})

func TestCancellationsRejectDoubles(t *testing.T) {
	defer close(leaked)
	for _, d := range stoppable {
		_, err := cancellations(makeDouble(d.inject), time.Second)
		if err == nil || !strings.Contains(err.Error(), d.says) {
			t.Errorf("%s: %v, want %q", d.fault, err, d.says)
		}
	}
}

// A back end that lets illegal calls pass, or panics without naming the rule,
// fails in every one of them.
func TestIllegalRejectsDoubles(t *testing.T) {
	for _, c := range illegal {
		if err := c.check(lenient{gini.New(), false}); err == nil || !strings.HasSuffix(err.Error(), "no panic") {
			t.Errorf("%s: without a panic: %v", c.name, err)
		}
		if err := c.check(lenient{gini.New(), true}); err == nil || !strings.Contains(err.Error(), "misuse") {
			t.Errorf("%s: with a nameless panic: %v", c.name, err)
		}
	}
}

// lenient passes over illegal calls or panics without saying why.
type lenient struct {
	good sat.Solver
	loud bool
}

func (l lenient) forgive() {
	if p := recover(); p != nil && l.loud {
		panic("misuse")
	}
}

func (l lenient) NewVar() sat.Lit                 { return l.good.NewVar() }
func (l lenient) Group() sat.Group                { return l.good.Group() }
func (l lenient) Stats() sat.Stats                { return l.good.Stats() }
func (l lenient) Add(c ...sat.Lit)                { defer l.forgive(); l.good.Add(c...) }
func (l lenient) AddTo(g sat.Group, c ...sat.Lit) { defer l.forgive(); l.good.AddTo(g, c...) }
func (l lenient) Release(g sat.Group)             { defer l.forgive(); l.good.Release(g) }
func (l lenient) Value(x sat.Lit) (value bool)    { defer l.forgive(); return l.good.Value(x) }
func (l lenient) Core() (core []sat.Lit)          { defer l.forgive(); return l.good.Core() }
func (l lenient) Solve(ctx context.Context, a ...sat.Lit) (answer sat.Status) {
	defer l.forgive()
	return l.good.Solve(ctx, a...)
}

// Each floor is watched.
func TestFloors(t *testing.T) {
	count := map[event]int{}
	for e, n := range floors {
		count[e] = n
	}
	if err := enough(count, 1000); err != nil {
		t.Errorf("floors met: %v", err)
	}
	for e, n := range floors {
		count[e] = n - 1
		if err := enough(count, 1000); err == nil || !strings.Contains(err.Error(), string(e)) {
			t.Errorf("%q below its floor: %v", e, err)
		}
		count[e] = n
	}
}
