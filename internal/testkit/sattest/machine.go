package sattest

//lint:file-ignore ST1005 errors begin with the method that is wrong

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"

	"orbitmc/sat"
)

// An event is something a run did that the kit must have seen often enough.
type event string

// floors gives for each event how often it must occur in 1000 programs: about
// half of what is usual.
var floors = map[event]int{
	"NewVar": 4000, "Add": 5000, "Group": 2500, "AddTo": 4000, "Release": 1400, "Solve": 6000,
	"Value": 22000, "Core": 8000,

	"answer Sat": 2000, "answer Unsat": 3500, "answer Unknown": 120,
	"core not empty": 2500, "core of several literals": 1000, "core empty because of groups": 500,
	"latched": 60, "Solve when latched": 700,
	"empty clause": 60, "empty clause in a group": 50,
	"repeated literal": 2000, "tautology": 1700,
	"repeated assumption": 1400, "contradictory assumptions": 1300,
	"Release of a solved group": 500, "Unsat, Release, Sat": 120,
	"clause after Sat": 900, "clause after Unsat": 1500,
	"Solve right after Sat": 600, "Solve right after Unsat": 1000,
	"decided after Unknown": 110,
}

// A machine runs a program on a solver and on the oracle side by side.
type machine struct {
	s     sat.Solver
	vars  int
	fixed *set // models of the clauses outside all groups
	group []groupState
	open  int // groups not released

	clauses, solves int // so far

	last        sat.Status // answer still standing
	assumptions []sat.Lit  // of the last Solve
	models      *set       // of the last Solve, assumptions included
	model       int        // seen by the last inspection, -1 if none
	core        []sat.Lit  // likewise, nil if none
	latched     bool
	previous    sat.Status // of the last Solve, whatever came since
	freed       bool       // a group was released since

	count map[event]int
	trace strings.Builder
}

type groupState struct {
	id     sat.Group
	models *set
	open   bool
	solved bool // took part in a Solve and has clauses
}

// run executes prog on a solver from mk. The error tells of the first wrong
// behaviour; the trace of the machine ends there.
func run(prog []op, mk func() sat.Solver, count map[event]int) (m *machine, err error) {
	m = &machine{fixed: all(), model: -1, count: count}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	m.s = mk()
	for _, o := range prog {
		if m.legal(o) {
			if err := m.step(o); err != nil {
				return m, err
			}
		}
	}
	return m, nil
}

func (m *machine) legal(o op) bool {
	for _, l := range o.lits {
		if l.Var() > m.vars {
			return false
		}
	}
	switch o.kind {
	case newVar:
		return m.vars < maxVars
	case addTo, release:
		return o.group < len(m.group) && m.group[o.group].open
	}
	return true
}

func (m *machine) saw(e event, cond bool) {
	if cond {
		m.count[e]++
	}
}

func (m *machine) log(format string, args ...any) {
	fmt.Fprintf(&m.trace, format+"\n", args...)
}

func (m *machine) step(o op) error {
	if o.kind == inspect {
		return m.inspect()
	}
	before := m.last
	m.last, m.model, m.core = sat.Unknown, -1, nil
	switch o.kind {
	case newVar:
		m.log("NewVar()")
		m.saw("NewVar", true)
		m.vars++
		if l := m.s.NewVar(); l != sat.MkLit(m.vars, false) {
			return fmt.Errorf("NewVar returned %v, want %d", l, m.vars)
		}
	case add:
		m.log("Add(%v)", o.lits)
		m.saw("Add", true)
		m.clause(o.lits, before)
		m.saw("empty clause", len(o.lits) == 0)
		m.latched = m.latched || len(o.lits) == 0
		m.fixed.require(o.lits)
		return lend(o.lits, func(c []sat.Lit) { m.s.Add(c...) })
	case group:
		m.saw("Group", true)
		g := groupState{id: m.s.Group(), models: all(), open: true}
		m.log("Group() = %d", g.id)
		for _, h := range m.group {
			if h.open && h.id == g.id {
				return fmt.Errorf("Group returned %d, which is open", g.id)
			}
		}
		if g.id == 0 {
			return fmt.Errorf("Group returned the zero Group")
		}
		m.group = append(m.group, g)
		m.open++
	case addTo:
		g := &m.group[o.group]
		m.log("AddTo(%d, %v)", g.id, o.lits)
		m.saw("AddTo", true)
		m.clause(o.lits, before)
		m.saw("empty clause in a group", len(o.lits) == 0)
		g.models.require(o.lits)
		return lend(o.lits, func(c []sat.Lit) { m.s.AddTo(g.id, c...) })
	case release:
		g := &m.group[o.group]
		m.log("Release(%d)", g.id)
		m.saw("Release", true)
		m.saw("Release of a solved group", g.solved)
		m.freed = true
		m.s.Release(g.id)
		g.open = false
		m.open--
	case solve:
		return m.solve(o, before)
	}
	return nil
}

// lend passes a copy of lits, which the call must neither change nor keep.
func lend(lits []sat.Lit, call func([]sat.Lit)) error {
	lent := slices.Clone(lits)
	call(lent)
	if !slices.Equal(lent, lits) {
		return fmt.Errorf("the call changed the slice %v to %v", lits, lent)
	}
	clear(lent)
	return nil
}

// clause counts a clause and notes what is special about it.
func (m *machine) clause(c []sat.Lit, before sat.Status) {
	m.clauses++
	repeated, taut := special(c)
	m.saw("repeated literal", repeated)
	m.saw("tautology", taut)
	m.saw("clause after Sat", before == sat.Sat)
	m.saw("clause after Unsat", before == sat.Unsat)
}

// special reports repeated and complementary literals.
func special(lits []sat.Lit) (repeated, complementary bool) {
	for i, l := range lits {
		repeated = repeated || slices.Contains(lits[:i], l)
		complementary = complementary || slices.Contains(lits[:i], l.Not())
	}
	return
}

func (m *machine) solve(o op, before sat.Status) error {
	m.solves++
	ctx, stop := context.Background(), context.CancelFunc(func() {})
	switch {
	case o.cancel > 0:
		ctx, stop = context.WithTimeout(ctx, o.cancel)
	case o.cancel == begun:
		ctx = &lateContext{Context: ctx}
	case o.cancel != never:
		ctx, stop = context.WithCancel(ctx)
	}
	defer stop()
	if o.cancel == already {
		stop()
	}
	var got sat.Status
	if err := lend(o.lits, func(a []sat.Lit) { got = m.s.Solve(ctx, a...) }); err != nil {
		return err
	}
	m.log("Solve(%v) = %v   (context: %s)", o.lits, got, contextName(o))

	m.models = all()
	m.models.and(m.fixed)
	for i := range m.group {
		if g := &m.group[i]; g.open {
			m.models.and(g.models)
			g.solved = *g.models != *all()
		}
	}
	m.models.requireAll(o.lits)
	want := sat.Sat
	if m.models.empty() {
		want = sat.Unsat
	}
	repeated, contradictory := special(o.lits)
	m.saw("Solve", true)
	m.saw("answer Sat", got == sat.Sat)
	m.saw("answer Unsat", got == sat.Unsat)
	m.saw("answer Unknown", got == sat.Unknown)
	m.saw("Solve when latched", m.latched)
	m.saw("repeated assumption", repeated)
	m.saw("contradictory assumptions", contradictory)
	m.saw("Solve right after Sat", before == sat.Sat)
	m.saw("Solve right after Unsat", before == sat.Unsat)
	m.saw("decided after Unknown", m.solves > 1 && m.previous == sat.Unknown && got != sat.Unknown)
	m.saw("Unsat, Release, Sat", m.previous == sat.Unsat && m.freed && got == sat.Sat)

	m.previous, m.freed = got, false
	m.last, m.assumptions = got, o.lits
	if got == sat.Unknown {
		if o.cancel == never || o.cancel == idle {
			return fmt.Errorf("Solve returned unknown, but its context did not end")
		}
		return nil
	}
	if got != want {
		return fmt.Errorf("Solve returned %v, want %v", got, want)
	}
	return nil
}

// A lateContext seems alive to the first look, if that is at its error, and has
// ended then: the shortest time a Solve can have, without a race.
type lateContext struct {
	context.Context
	looked atomic.Bool
}

var closed = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

func (c *lateContext) Done() <-chan struct{} {
	c.looked.Store(true)
	return closed
}

func (c *lateContext) Err() error {
	if !c.looked.Swap(true) {
		return nil
	}
	return context.Canceled
}

func contextName(o op) string {
	switch o.cancel {
	case never:
		return "cannot end"
	case idle:
		return "can end"
	case already:
		return "ended before"
	case begun:
		return "ends in Solve"
	}
	return o.cancel.String()
}

// inspect looks at the statistics, which must disturb nothing, and then at the
// model or the core.
func (m *machine) inspect() error {
	st := m.s.Stats()
	if st.Vars < int64(m.vars) || st.Clauses != int64(m.clauses) || st.Solves != int64(m.solves) {
		return fmt.Errorf("Stats: %+v after %d variables, %d clauses and %d solves", st, m.vars, m.clauses, m.solves)
	}
	switch m.last {
	case sat.Sat:
		return m.checkModel()
	case sat.Unsat:
		return m.checkCore()
	}
	return nil
}

// checkModel demands a total assignment that satisfies every clause and
// assumption, the same at every look.
func (m *machine) checkModel() error {
	model := 0
	for v := 1; v <= m.vars; v++ {
		pos, neg := m.s.Value(sat.MkLit(v, false)), m.s.Value(sat.MkLit(v, true))
		m.saw("Value", true)
		if pos == neg {
			return fmt.Errorf("Value(%d) and Value(-%d) are both %v", v, v, pos)
		}
		if pos {
			model |= 1 << (v - 1)
		}
	}
	m.log("Value: %0*b (variable 1 last)", m.vars, model)
	if !m.models.has(model) {
		return fmt.Errorf("the model falsifies a clause or an assumption")
	}
	if m.model >= 0 && m.model != model {
		return fmt.Errorf("the model changed between two looks")
	}
	m.model = model
	return nil
}

// checkCore demands assumptions, without repetition, that do not hold together
// with the clauses, and none once the solver is latched.
func (m *machine) checkCore() error {
	core := m.s.Core()
	m.log("Core() = %v", core)
	m.saw("Core", true)
	m.saw("core not empty", len(core) > 0)
	m.saw("core of several literals", len(core) > 1)
	m.saw("core empty because of groups", len(core) == 0 && !m.latched && m.open > 0)
	for i, l := range core {
		if !slices.Contains(m.assumptions, l) {
			return fmt.Errorf("core literal %v was not assumed", l)
		}
		if slices.Contains(core[:i], l) {
			return fmt.Errorf("core repeats %v", l)
		}
	}
	models := all()
	models.and(m.fixed)
	for _, g := range m.group {
		if g.open {
			models.and(g.models)
		}
	}
	models.requireAll(core)
	if !models.empty() {
		return fmt.Errorf("the core holds together with the clauses")
	}
	if m.latched && len(core) > 0 {
		return fmt.Errorf("core is not empty although the solver is latched")
	}
	if m.core != nil && !slices.Equal(core, m.core) {
		return fmt.Errorf("the core changed between two looks")
	}
	m.saw("latched", !m.latched && len(core) == 0 && m.open == 0)
	m.latched = m.latched || len(core) == 0 && m.open == 0
	m.core = append([]sat.Lit{}, core...)
	clear(core) // the slice is ours: a later look must not notice
	return nil
}
