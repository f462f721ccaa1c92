package task

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"orbitmc/encode"
	"orbitmc/encode/promela"
	"orbitmc/internal/lists"
	"orbitmc/internal/prog"
	"orbitmc/internal/trace"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/model/traces"
)

// This file is the front end of Promela programs. All but reading is that of models.

// programSource is a program and the model made of it.
type programSource struct {
	modelSource
	prog *prog.Program

	told   *prog.Program        // the program as replay reads it, for traces
	retold map[int]*model.Trace // by property: its trace, of told, if that is another one
}

// programStyles are the ways to write a trace of a program.
var programStyles = []string{"plain", "last", "full", "spin"}

// Macros returns the macros that options NAME=VALUE define.
func Macros(defines []string) map[string]string {
	all := map[string]string{}
	for _, d := range defines {
		name, value, _ := strings.Cut(d, "=")
		all[name] = value
	}
	return all
}

func openProgram(ctx context.Context, t *Task) (Source, error) {
	if t.Dialect == "rumur" {
		return nil, fmt.Errorf("%s: --dialect is an option for Murphi models, and this is a program", t.File)
	}
	if len(t.Trees) > 0 && t.Executions {
		return nil, fmt.Errorf("%s: --store none searches programs without formulas", t.File)
	}
	p, err := readProgram(t, promela.Options{NoClaims: t.Executions, Stay: t.Staying, FirstFree: t.FirstFree, Holders: t.Holders,
		Reset: t.resets(), Formulas: t.Formulas, Fair: t.Fair, Trees: t.Trees})
	if err != nil {
		return nil, err
	}
	if len(t.Formulas) > 0 {
		return openFormulas(t, p.Model, p, t.File)
	}
	s := &programSource{modelSource{t: t, typing: new(mc.Typing), model: p.Model, encode: encode.Model, reference: &programReference{Program: p, seed: t.Seed}}, p, p, map[int]*model.Trace{}}
	return s, s.infer(ctx)
}

// readProgram reads the program of a task, with options for how.
func readProgram(t *Task, opt promela.Options) (*prog.Program, error) {
	opt.Defines, opt.Source, opt.Read = Macros(t.Defines), t.Contents, t.Files.Read
	// Of formulas a run that ends stutters. With trees no rule says which ends are valid.
	opt.NoDeadlock = t.Deadlock == "off" && len(opt.Formulas) == 0 || len(opt.Trees) > 0
	p, err := promela.ReadFile(t.File, opt)
	if err == nil {
		p.Model.LoopMax = t.LoopMax
	}
	return p, err
}

// programReference is the interpreter of a program as evidence wants it. It walks once, for all results of engines.
type programReference struct {
	*prog.Program
	seed uint64

	mu     sync.Mutex
	done   bool
	left   string
	states int
}

// Replay implements mc.Reference.
func (r *programReference) Replay(t *model.Trace) (left string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.Reference().Replay(t)
}

// Walk implements mc.Reference.
func (r *programReference) Walk(ctx context.Context) (left string, states int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.done {
		r.left, r.states, err = r.Reference().Walk(ctx, r.seed)
		r.done = err == nil
	}
	return r.left, r.states, err
}

// ProgramOf returns the program that a task is about, nil if it is about something else.
func ProgramOf(t *Task) *prog.Program {
	if s, ok := t.Source.(*programSource); ok {
		return s.prog
	}
	return nil
}

// Title names the file, with the macros that are given.
func (s *programSource) Title() string {
	if len(s.t.Defines) == 0 {
		return s.t.File
	}
	return fmt.Sprintf("%s (%s)", s.t.File, strings.Join(s.t.Defines, ", "))
}

// Smaller implements Source: the macros of a program are not looked at.
func (s *programSource) Smaller() (constant string, value int64) { return "", 0 }

// Warnings says nothing of rules that are never enabled: in a program that is common.
func (s *programSource) Warnings(r *mc.Result) []Warning {
	all := lists.Map(s.plain.Warnings, func(w model.Warning) Warning { return Warning{w.Pos.Line, w.Pos.Col, w.Text} })
	if text := s.leftOut(r); text != "" {
		all = append(all, Warning{Text: text})
	}
	return all
}

// Room reports whether a property is about what the model of a program has room for. What holds of
// others holds of the program only if this does.
func (t *Task) Room(prop int) bool {
	switch s := t.Source.(type) {
	case *programSource:
		return s.room(prop)
	case *formulaSource:
		return prop < s.formulas.First
	}
	return false
}

func (s *programSource) room(prop int) bool {
	if prop >= len(s.model.Props) {
		return false
	}
	q := s.model.Props[prop]
	return promela.IsBound(q.Name) || q.Kind == model.RuntimeError && s.prog.Loops
}

// NoRoom begins the reason why a run stopped where a process was made for which the model has no room.
const NoRoom = "a process that there is no room for"

// Polish also takes back violations of what the model has room for, which say nothing of the program, and
// what holds of others unless there is room in all states.
func (s *programSource) Polish(r *mc.Result) {
	s.modelSource.Polish(r)
	if len(s.prog.Claims) > 0 && len(s.t.Props) == 0 && !s.t.NoLTL {
		c := s.prog.Claims[0]
		r.Unchecked = c.Kind + " " + c.Name
	}
	for _, room := range r.Props {
		if room.Status == mc.Safe || !s.room(room.Prop) {
			continue
		} else if r.Stopped == "" {
			r.Stopped = fmt.Sprintf("the property %q does not hold, or is not decided, and the others depend on it", s.model.Props[room.Prop].Name)
		}
		for i := range r.Props {
			if pr := &r.Props[i]; pr.Status == mc.Safe || s.missing(pr) {
				*pr = mc.PropResult{Prop: pr.Prop, Engine: pr.Engine, Bound: -1, Time: pr.Time}
			}
		}
	}
	for i := range r.Props {
		switch pr := &r.Props[i]; {
		case pr.Status != mc.Unsafe:
		case s.room(pr.Prop) && !promela.IsBound(s.model.Props[pr.Prop].Name):
			if len(s.t.Props)+len(s.t.Trees) > 0 && !slices.Contains(s.t.Props, s.model.Props[pr.Prop].Name) { // nobody asked
				r.Stopped = fmt.Sprintf("%q is violated, on which the others depend: %s", s.model.Props[pr.Prop].Name, pr.Trace.Violation.Message)
				*pr = mc.PropResult{Prop: pr.Prop, Engine: pr.Engine, Bound: pr.Depth - 1, Time: pr.Time}
			}
		case s.room(pr.Prop):
			r.Stopped = fmt.Sprintf(NoRoom+", in step %d: a search of its own finds the processes of a program, and ended before", pr.Depth)
			if s.model.Props[pr.Prop].Name == promela.HeapFull {
				r.Stopped = fmt.Sprintf("an object that there is no room for, in step %d: heap says how many there may be", pr.Depth)
			}
			*pr = mc.PropResult{Prop: pr.Prop, Engine: pr.Engine, Bound: pr.Depth - 1, Time: pr.Time}
		}
	}
	if s.t.Executions || s.t.Holders || s.t.resets() && len(s.t.Trees) == 0 {
		s.tell(r)
	}
}

// missing reports whether a property is violated by what may be missing of the model: what some paths show, as nothing is
// known of others.
func (s *programSource) missing(pr *mc.PropResult) bool {
	return pr.Status == mc.Unsafe && s.model.Props[pr.Prop].Kind == model.Branching && pr.Trace.Violation.Also == nil
}

// resets reports whether steps take the values of variables that are dead.
func (t *Task) resets() bool { return !t.FirstFree && !t.Executions }

// tell finds, for each trace of a search by executions, of one in which objects say who holds their mutex, or of one without
// dead values, the trace of the program as all else reads it, in which processes end, claims move, and all variables have
// values. If there is none, the verdict is taken back.
func (s *programSource) tell(r *mc.Result) {
	var err error
	for i := range r.Props {
		pr := &r.Props[i]
		if pr.Trace == nil || err != nil {
			continue
		}
		if s.told == s.prog {
			s.told, err = readProgram(s.t, promela.Options{FirstFree: s.t.FirstFree})
		}
		var t *model.Trace
		if err == nil {
			t, err = s.told.Retell(s.prog, pr.Trace)
		}
		if err == nil {
			_, err = s.told.Reference().Replay(t)
		}
		if err != nil {
			r.Stopped = fmt.Sprintf("internal error: a trace of the search is none of the program: %v", err)
			*pr = mc.PropResult{Prop: pr.Prop, Engine: pr.Engine, Bound: -1, Time: pr.Time}
			continue
		}
		s.retold[pr.Prop], pr.Depth = t, t.Depth(s.told.Model)
	}
}

// SaveTrace implements Source: a trail of SPIN, or a trace as of a model, with what each process does.
func (s *programSource) SaveTrace(w io.Writer, pr *mc.PropResult, style string) error {
	t := cmp.Or(s.retold[pr.Prop], pr.Trace)
	if style == "spin" {
		return s.told.WriteTrail(w, t)
	}
	return s.told.WriteTrace(w, t, modelStyle(style))
}

// WriteTrace implements Source.
func (s *programSource) WriteTrace(w io.Writer, pr *mc.PropResult, style string) error {
	if err := s.SaveTrace(w, pr, style); err != nil {
		return err
	}
	return traces.WriteBranches(w, s.model, pr.Trace)
}

// Program implements Source.
func (s *programSource) Program() *prog.Program { return s.prog }

// View implements Source.
func (s *programSource) View(pr *mc.PropResult) (*trace.View, error) {
	if t := s.retold[pr.Prop]; t != nil {
		src := s.source(pr.Trace, pr.Engine)
		src.Prog = s.told
		return trace.OfModel(s.told.Model, t, src), nil
	}
	return s.view(pr.Trace, pr.Engine), nil
}

func (s *programSource) view(t *model.Trace, engine string) *trace.View {
	src := s.source(t, engine)
	src.Prog = s.prog
	return trace.OfModel(s.model, t, src)
}

// asCounted returns the program as a search without symmetry reads it, which counts what SPIN counts.
func (s *programSource) asCounted() (*programSource, error) {
	p, err := readProgram(s.t, promela.Options{Trees: s.t.Trees})
	if err != nil {
		return nil, err
	}
	other := *s
	other.model, other.plain, other.prog, other.told = p.Model, p.Model, p, p
	return &other, nil
}

// Replay also reads trails of SPIN.
func (s *programSource) Replay(name string, data []byte) (*Replayed, error) {
	of := func(t *model.Trace, err error) (*model.Trace, error) {
		if err == nil {
			_, err = s.prog.Reference().Replay(t)
		}
		return t, err
	}
	if !prog.IsTrail(data) {
		read := func(s *programSource) (*Replayed, error) {
			p := model.Compile(s.model)
			t, err := of(traces.Read(p, name, data, true))
			return replayed(p, t, err, s.view)
		}
		if r, err := read(s); err == nil || s.counted != nil {
			return r, err
		}
		other, err := s.asCounted() // all variables have values there, and mostly in traces
		if err != nil {
			return nil, err
		}
		return read(other)
	}
	p := model.Compile(s.plain)
	t, err := of(s.prog.ReadTrail(p, name, data))
	return replayed(p, t, err, s.view)
}

// Notes lists the claims that are not checked, and what SPIN counts.
func (s *programSource) Notes(r *mc.Result) []string {
	all := s.modelSource.Notes(r)
	for _, c := range s.prog.Claims {
		note := fmt.Sprintf("not checked: %s %s at %v", c.Kind, c.Name, c.Pos)
		switch {
		case c.Reason != "":
			note += ": " + c.Reason
		case s.t.Executions:
			note += ": it is about states, and executions in which independent steps are exchanged go through other states"
		}
		if c.Kind == "ltl" || c.Kind == "never" || c.Kind == "label" {
			note += "; --ltl " + c.Name + " decides it"
		}
		all = append(all, note)
	}
	if c, ok := s.Counts(r); ok {
		all = append(all, fmt.Sprintf("as SPIN counts: %d states, stored; %d transitions; errors: %d", c.States, c.Transitions, c.Errors))
	}
	return all
}

// Counts returns what SPIN's verifier counts, if the result is of a search of all states
// without symmetry, no state is inside an atomic sequence or has a claim in it, and no
// step errs.
func (s *programSource) Counts(r *mc.Result) (c prog.Counts, ok bool) {
	for _, pr := range r.Props { // where a step errs, SPIN goes on
		if k := s.model.Props[pr.Prop].Kind; (k == model.RuntimeError || k == model.ErrorStmt) && pr.Status != mc.Safe {
			return c, false
		}
	}
	if r.FiredBy == nil || s.counted != nil || s.t.Symmetry != "off" || s.prog.Inside || s.prog.Monitored || s.prog.DSPIN || s.model.Props[len(s.model.Props)-1].Kind != model.Deadlock {
		return c, false
	}
	return s.prog.Counts(r.Stats.States, r.FiredBy, r.Deadlocks), true
}
