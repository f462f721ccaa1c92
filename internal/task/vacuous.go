package task

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"orbitmc/aig"
	"orbitmc/encode/cnf"
	"orbitmc/internal/lists"
	"orbitmc/internal/pace"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/model/reference"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file finds out whether assumptions or constraints leave any run, and which runs a verdict leaves out. What
// holds of no run says nothing.

// holdsOfRuns reports whether a verdict is about all runs, or about all that are not too long.
func holdsOfRuns(p *mc.Problem, r *mc.Result) bool {
	return slices.ContainsFunc(r.Props, func(pr mc.PropResult) bool {
		return p.Kind(pr.Prop) != model.Cover && (pr.Status == mc.Safe || pr.Status == mc.Unknown && pr.Bound >= 0)
	})
}

// erring returns the error properties that were not looked for, and that may end a run.
func (s *modelSource) erring(r *mc.Result) (names []string) {
	p := s.t.Problem
	for i, q := range s.model.Props {
		if q.Kind != model.RuntimeError && q.Kind != model.Assertion && q.Kind != model.ErrorStmt || slices.Contains(p.Props, i) {
			continue
		}
		if r.Raised == nil && p.Enc != nil && len(p.Enc.PropBads[i]) == 0 || r.Raised != nil && !slices.Contains(r.Raised, i) {
			continue
		}
		names = append(names, fmt.Sprintf("%q", q.Name))
	}
	return names
}

// leftOut says which runs a verdict leaves out, "" if there are none.
func (s *modelSource) leftOut(r *mc.Result) string {
	names := s.erring(r)
	if !holdsOfRuns(s.t.Problem, r) || len(names) == 0 {
		return ""
	}
	may := "may violate"
	if r.Raised != nil {
		may = "violate"
	}
	return fmt.Sprintf("runs end where they %s %s, which was not asked about; what holds, holds of what comes before", may, strings.Join(FirstFew(names, 3), ", "))
}

// mostTried is how many states and start states are looked at for a run without end.
const mostTried = 1 << 12

// excluder looks for a run that assumptions allow.
type excluder struct {
	m     *model.Machine
	bare  *model.Machine // of the model without its assumptions
	w     *reference.Walker
	seen  map[string]bool // states from which no run goes on for ever
	path  map[string]bool // of the run at hand
	why   []model.Pos     // what excludes steps and start states
	names []string
	tried int
}

// vacuous says that the assumptions of a model leave no start state, or no run without end; ok is false if they do, or if
// that is not found out soon.
func vacuous(m *model.Model) (x Warning, ok bool) {
	bare := *m
	bare.Assumptions = nil
	e := &excluder{m: model.Compile(m).NewMachine(), bare: model.Compile(&bare).NewMachine(), w: reference.NewWalker(m), seen: make(map[string]bool), path: make(map[string]bool)}
	starts, runs := 0, false
	e.m.Starts(func(_ model.Choice, s model.State, v *model.Violation) bool {
		starts++
		runs = v != nil || e.goesOn(slices.Clone(s))
		return !runs
	})
	if runs {
		return Warning{}, false
	}
	none := "no run without end"
	if starts == 0 {
		none = "no start state"
		e.bare.Starts(func(_ model.Choice, s model.State, _ *model.Violation) bool {
			e.excluded(s)
			e.tried++
			return e.tried < mostTried
		})
	}
	if len(e.why) == 0 { // assume statements in bodies
		e.statements(m)
	}
	if len(e.why) == 0 {
		return Warning{}, false
	}
	return Warning{e.why[0].Line, e.why[0].Col, fmt.Sprintf("%s leaves %s, so what holds says nothing", strings.Join(FirstFew(e.names, 3), ", "), none)}, true
}

// goesOn reports whether a run from s comes back to a state of its own, or ends otherwise than by an assumption; also if
// that is not found out soon.
func (e *excluder) goesOn(s model.State) bool {
	key := fmt.Sprint(s)
	if e.tried++; e.path[key] || e.tried > mostTried {
		return true
	}
	if e.seen[key] {
		return false
	}
	e.path[key] = true
	defer delete(e.path, key)
	var next []model.State
	errs := false
	e.m.Successors(s, func(_ model.Choice, to model.State, v *model.Violation) bool {
		if errs = errs || v != nil; v == nil {
			next = append(next, slices.Clone(to))
		}
		return !errs
	})
	excluded := false
	e.bare.Successors(s, func(_ model.Choice, to model.State, v *model.Violation) bool {
		excluded = excluded || v == nil && e.excluded(to)
		return true
	})
	if errs || len(next) == 0 && !excluded && e.m.Deadlocked(s) {
		return true
	}
	if slices.ContainsFunc(next, e.goesOn) {
		return true
	}
	e.seen[key] = true
	return false
}

// excluded reports whether an assumption does not hold in s, and notes which.
func (e *excluder) excluded(s model.State) bool {
	if s == nil {
		return false
	}
	for _, q := range e.m.Program().Model.Assumptions {
		if r := e.w.Says(s, q); r.Prop < 0 && !r.TooLong && !r.Holds {
			e.note(q.Pos, fmt.Sprintf("assume %q", q.Name))
			return true
		}
	}
	return false
}

func (e *excluder) note(pos model.Pos, name string) {
	if !slices.Contains(e.why, pos) {
		e.why, e.names = append(e.why, pos), append(e.names, name)
	}
}

// statements notes the assume statements.
func (e *excluder) statements(m *model.Model) {
	note := func(n any) {
		if a, ok := n.(*model.Assume); ok {
			e.note(a.Pos, fmt.Sprintf("the assume statement at %v", a.Pos))
		}
	}
	for _, r := range slices.Concat(m.Starts, m.Rules) {
		model.Inspect(r.Body, note)
	}
	for _, p := range m.Procs {
		model.Inspect(p.Body, note)
	}
}

// How far constraints are looked at: frames, AND gates of all of them, and propagations of the queries.
const (
	mostFrames = 32
	mostGates  = 1 << 21
	mostSteps  = 20e6
)

// unsatisfied returns the constraints of a system that leave no run of so many frames, as few as one gets by leaving out
// one after the other; none if some run is as long as is looked at, or if that is not found out soon.
func (t *Task) unsatisfied(sys *ts.System) (numbers []int, frames int) {
	n := min(mostFrames, mostGates/max(1, sys.NumAnds()))
	if len(sys.Constraints) == 0 || n == 0 {
		return nil, 0
	}
	limit, ctx, cancel := pace.NewLimit(context.Background(), mostSteps, nil)
	defer cancel()
	ctx = limit.With(ctx)
	solver := func() sat.Solver { return pace.Counted(t.NewSolver(), limit) }
	if walks(ctx, sys, n, solver) {
		return nil, 0
	}
	f := cnf.NewFrames(sys, false)
	for range n {
		f.Extend()
	}
	prover := cnf.NewProver(f.Graph(), solver())
	without := make([]bool, len(sys.Constraints))
	excluded := func(n int) bool {
		var all []aig.Lit
		for k := range n {
			for i, c := range sys.Constraints {
				if !without[i] {
					all = append(all, f.Copy(k, c))
				}
			}
		}
		return prover.Solve(ctx, all...) == sat.Unsat
	}
	if !excluded(n) {
		return nil, 0
	}
	for frames = 1; !excluded(frames); frames++ {
		if limit.Over() {
			return nil, 0
		}
	}
	for i := range without {
		if without[i] = true; !excluded(frames) {
			without[i] = false
			numbers = append(numbers, i)
		}
	}
	return numbers, frames
}

// walks reports whether it finds a run of so many frames frame by frame, without looking ahead: that takes a fraction of the
// work of one query.
func walks(ctx context.Context, sys *ts.System, frames int, solver func() sat.Solver) bool {
	e := ts.NewEvaluator(sys)
	var f *cnf.Frames
	var prover *cnf.Prover
	from := func(free bool) {
		f = cnf.NewFrames(sys, free)
		f.Extend()
		prover = cnf.NewProver(f.Graph(), solver())
	}
	from(false)
	var state []bool
	for k := range frames {
		assume := []aig.Lit{f.Constraint(0)}
		for i, in := range state {
			assume = append(assume, f.Latches(0)[i].NotIf(!in))
		}
		if prover.Solve(ctx, assume...) != sat.Sat {
			return false
		}
		if k == 0 {
			state = e.Reset(prover.Values(f.Init()))
		}
		e.Set(state, prover.Values(f.Inputs(0)))
		state = e.Next()
		if k == 0 {
			from(true)
		}
	}
	return true
}

// Warnings implements Source.
func (s *netlistSource) Warnings(r *mc.Result) []Warning {
	return s.vacuous(r, func(i int) Warning { return Warning{Text: fmt.Sprint("constraint ", i)} })
}

// vacuous warns of constraints that leave no run; name says where a constraint is, and what it is called.
func (s *netlistSource) vacuous(r *mc.Result, name func(i int) Warning) []Warning {
	if !holdsOfRuns(s.t.Problem, r) {
		return nil
	}
	numbers, frames := s.t.unsatisfied(s.sys)
	if numbers == nil {
		return nil
	}
	out := name(numbers[0])
	names := lists.Map(numbers, func(i int) string { return name(i).Text })
	none := "no initial state"
	if frames > 1 {
		none = fmt.Sprintf("no run of more than %s", Plural(frames-1, "state"))
	}
	leave := "leave"
	if len(names) == 1 {
		leave = "leaves"
	}
	out.Text = fmt.Sprintf("%s %s %s, so what holds says nothing", strings.Join(FirstFew(names, 3), ", "), leave, none)
	return []Warning{out}
}
