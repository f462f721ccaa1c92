package task

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"orbitmc/aig"
	"orbitmc/detect/infer"
	"orbitmc/encode"
	"orbitmc/encode/fair"
	"orbitmc/encode/promela"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/prog"
	"orbitmc/trace"
	"orbitmc/ts"
)

// This file is the front end of models with formulas (--ltl). They are netlists with justice: see
// encode/fair. The properties are the instances of the formulas. A lasso is replayed in the
// interpreter before it is believed.

type formulaSource struct {
	netlistSource
	title string
	model *model.Model
	prog  *prog.Program // nil: the model is none of a program
	fair  *fair.System

	reference *programReference // of prog
}

// openFormulas returns the source of the formulas of a model, which may be that of a program.
func openFormulas(ctx context.Context, t *Task, m *model.Model, program *prog.Program, title string) (Source, error) {
	var gaps []int
	for _, p := range m.Props {
		if p.Kind == model.ErrorStmt && p.Name == promela.NoRoom || p.Kind == model.RuntimeError && program != nil && program.Loops {
			gaps = append(gaps, p.Index)
		}
	}
	own := m
	if t.Symmetry == "auto" {
		own, _ = infer.Classes(m)
	}
	enc, err := encode.Stepping(ctx, own)
	if err != nil {
		return nil, err
	}
	f, err := fair.New(enc, m, gaps, program == nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.File, err)
	}
	if len(f.Justice) == 0 {
		return nil, fmt.Errorf("%s: the formula has no instance", t.File)
	}
	s := &formulaSource{newNetlistSource(t, f.Sys, f.Justice, f.Fair), title, m, program, f, nil}
	s.replay = func(prop int, path *ts.Trace) error {
		if prop < s.lassos.Justice[0].Prop {
			return nil
		}
		run, err := s.run(prop, path)
		if err == nil && s.reference != nil {
			_, err = s.reference.Replay(&model.Trace{Steps: run.Trace.Steps, Prop: -1})
		}
		return err
	}
	if program != nil {
		s.reference = &programReference{Program: program, seed: t.Seed}
		s.sample = func(ctx context.Context) error {
			_, _, err := s.reference.Walk(ctx)
			return err
		}
	}
	return s, nil
}

// Polish takes back what is not known as the model may lack processes (promela.NoRoom), or turns of a loop in a step
// (prog.Program.Loops). The depth of a violation becomes the number of steps of the run that is shown.
func (s *formulaSource) Polish(r *mc.Result) {
	gaps := s.lassos.Justice[0].Prop
	whole := gaps == 0 || slices.ContainsFunc(r.Props, func(pr mc.PropResult) bool { return pr.Prop < gaps && pr.Status == mc.Safe })
	for i := range r.Props {
		pr := &r.Props[i]
		if pr.Prop < gaps && pr.Status == mc.Unsafe || pr.Prop >= gaps && pr.Status == mc.Safe && !whole {
			r.Stopped = fmt.Sprintf("the property %q does not hold, or is not decided: the model may lack runs of the program", s.t.Problem.Name(0))
			*pr = mc.PropResult{Prop: pr.Prop, Engine: pr.Engine, Bound: -1, Time: pr.Time}
			continue
		}
		if pr.Prop >= gaps && pr.Status == mc.Unsafe { // the path has the steps of the automaton
			if run, err := s.run(pr.Prop, pr.Path); err == nil {
				pr.Depth = len(run.Trace.Steps)
			}
		}
	}
}

// Warnings implements Source.
func (s *formulaSource) Warnings(r *mc.Result) (all []Warning) {
	if !holdsOfRuns(s.t.Problem, r) {
		return nil
	}
	if x, ok := vacuous(s.model); ok {
		all = append(all, x)
	}
	switch {
	case s.fair.Enc.Fails() == aig.False:
	case s.prog != nil:
		all = append(all, Warning{Text: "runs that violate an assertion or err in another way are left out: `check` without --ltl looks for them"})
	default:
		all = append(all, Warning{Text: "a run that errs is left out, unless the formula is false whatever might come after it: `check` without --ltl looks for errors"})
	}
	return all
}

// Title implements Source.
func (s *formulaSource) Title() string { return s.title }

// run returns the run of the interpreter that violates a property. Steps that it does not need are left out.
func (s *formulaSource) run(prop int, path *ts.Trace) (*fair.Run, error) {
	x, err := s.witness(prop, path)
	if err != nil {
		return nil, err
	}
	run, err := s.fair.Replay(x.number, x.path, x.loop)
	if err != nil {
		return nil, err
	}
	return s.fair.Shorten(x.number, run), nil
}

// WriteTrace implements Source.
func (s *formulaSource) WriteTrace(w io.Writer, pr *mc.PropResult, _ string) error {
	r, err := s.run(pr.Prop, pr.Path)
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := model.WriteLasso(&b, s.model, r.Trace, r.Loop); err != nil {
		return err
	}
	fmt.Fprintf(&b, "violated: %q\n", s.t.Problem.Name(pr.Prop))
	_, err = io.WriteString(w, b.String())
	return err
}

// View implements Source.
func (s *formulaSource) View(pr *mc.PropResult) (*trace.View, error) {
	r, err := s.run(pr.Prop, pr.Path)
	if err != nil {
		return nil, err
	}
	return s.viewOf(pr.Prop, pr.Engine, r), nil
}

func (s *formulaSource) viewOf(prop int, engine string, r *fair.Run) *trace.View {
	text, _ := s.t.Read(s.t.File)
	src := trace.Source{Title: s.title, Text: text, Engine: engine, Formula: s.t.Problem.Name(prop), Loop: r.Loop}
	if r.Stuck {
		src.Note = "No rule can fire: the last state repeats itself for ever."
	}
	if r.Erred {
		src.Note, src.Loop = "The last step errs: the formula is violated whatever might come after it.", -1
	}
	if src.Prog = s.prog; src.Prog != nil {
		src.Text = nil
	}
	return trace.OfModel(s.model, r.Trace, src)
}

// SaveTrace implements Source.
func (s *formulaSource) SaveTrace(w io.Writer, pr *mc.PropResult, style string) error {
	return s.WriteTrace(w, pr, style)
}

// Replay implements Source.
func (s *formulaSource) Replay(name string, data []byte) (*Replayed, error) {
	t, loop, claimed, err := s.fair.Enc.Program.ReadLasso(name, data)
	if err != nil {
		return nil, err
	}
	first := s.lassos.Justice[0].Prop
	prop := first
	for ; s.t.Problem.Name(prop) != claimed; prop++ {
		if prop == first+len(s.lassos.Justice)-1 {
			return nil, fmt.Errorf("there is no formula %q", claimed)
		}
	}
	n := len(t.Steps)
	r := &fair.Run{Trace: t, States: []model.State{t.StartState}, Erred: n > 0 && t.Steps[n-1].State == nil, Loop: loop}
	r.Stuck = loop == n && !r.Erred
	for _, step := range t.Steps {
		r.States = append(r.States, step.State)
	}
	if !r.Stuck {
		r.States = r.States[:len(t.Steps)] // the last one is that where the loop starts
	}
	if err := s.fair.Check(prop-first, r); err != nil {
		return nil, err
	}
	return &Replayed{prop, len(t.Steps), func() (*trace.View, error) { return s.viewOf(prop, "", r), nil }}, nil
}
