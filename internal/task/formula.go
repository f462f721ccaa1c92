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
	"orbitmc/internal/pace"
	"orbitmc/internal/prog"
	"orbitmc/internal/trace"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/model/traces"
	"orbitmc/ts"
)

// This file is the front end of models with formulas (--ltl). The properties are the instances of the formulas.
// Explicit search decides them on the model. For other engines they are netlists with justice, see encode/fair, which
// are made in the background. A run that violates a formula is replayed in the interpreter before it is believed.

type formulaSource struct {
	netlistSource // of fair, once that is made
	title         string
	model         *model.Model  // as it was read
	prog          *prog.Program // nil: the model is none of a program
	formulas      *mc.Formulas
	fair          *fair.System // nil: it is not made yet, or cannot be
	typing        *mc.Typing
	reference     *programReference // of prog
}

// openFormulas returns the source of the formulas of a model, which may be that of a program.
func openFormulas(t *Task, m *model.Model, program *prog.Program, title string) (Source, error) {
	own := m
	if t.Symmetry == "auto" {
		own, _ = infer.Classes(m)
	}
	f := &mc.Formulas{Model: own, Program: model.Compile(own), Erring: program == nil}
	for _, p := range m.Props {
		if p.Kind == model.ErrorStmt && p.Name == promela.NoRoom || p.Kind == model.RuntimeError && program != nil && program.Loops {
			f.Gaps, f.First = append(f.Gaps, p.Index), 1
		}
	}
	for _, x := range own.Formulas {
		for _, values := range model.InstancesOf(x.Params) {
			f.Of = append(f.Of, model.FormulaInstance{Formula: x, Values: values})
		}
	}
	if len(f.Of) == 0 {
		return nil, fmt.Errorf("%s: the formula has no instance", t.File)
	}
	s := &formulaSource{netlistSource: netlistSource{t: t}, title: title, model: m, prog: program, formulas: f, typing: new(mc.Typing)}
	if program != nil {
		s.reference = &programReference{Program: program, seed: t.Seed}
	}
	return s, nil
}

func (s *formulaSource) properties() *mc.Problem {
	return &mc.Problem{OfModel: mc.OfModel{Formulas: s.formulas, Typing: s.typing}}
}

// analyse makes the netlist. Without one there is nothing but explicit search.
func (s *formulaSource) analyse(ctx context.Context, props []int, symbolic bool, early func(*mc.Problem)) (*Analysis, error) {
	p := s.properties()
	if p.Props = props; !symbolic {
		return &Analysis{Problem: p}, nil
	}
	if s.fair == nil {
		if p.EncErr = s.encode(ctx); ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if p.EncErr != nil {
			return &Analysis{Problem: p}, nil
		}
	}
	a, err := s.netlistSource.analyse(ctx, props, symbolic, early)
	if err == nil {
		a.Problem.Formulas = s.formulas
	}
	return a, err
}

// encode makes the netlist. Nothing is changed if ctx ends.
func (s *formulaSource) encode(ctx context.Context) error {
	s.t.phase(ctx, "encoding")
	var f *fair.System
	enc, err := encode.Stepping(pace.Without(ctx), s.formulas.Model) // there is no system yet to keep pace with
	if err == nil {
		f, err = fair.New(enc, s.formulas.Model, s.formulas.Gaps, s.prog == nil)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.t.File, err)
	}
	own := newNetlistSource(s.t, f.Sys, f.Justice, f.Fair)
	own.replay = s.replayPath
	if s.reference != nil {
		own.sample = func(ctx context.Context) error {
			_, _, err := s.reference.Walk(ctx)
			return err
		}
	}
	if ctx.Err() == nil {
		s.fair, s.netlistSource = f, own
	}
	return ctx.Err()
}

// replayPath replays a path of the netlist that violates a formula.
func (s *formulaSource) replayPath(prop int, path *ts.Trace) error {
	if prop < s.formulas.First {
		return nil
	}
	run, err := s.runOf(prop, path)
	if err == nil && s.reference != nil {
		_, err = s.reference.Replay(&model.Trace{Steps: run.Trace.Steps, Prop: -1})
	}
	return err
}

// ForFormulas returns the analysis that explicit search for formulas begins with at once, with the symmetry that the
// text shows. It changes nothing of the task.
func (t *Task) ForFormulas(ctx context.Context) (*Analysis, error) {
	s := t.Source.(*formulaSource)
	return Within(ctx, func() (*Analysis, error) {
		a := &Analysis{Problem: s.properties()}
		a.Problem.Props = t.Problem.Props
		if s.reference != nil {
			a.Problem.Reference = s.reference
		}
		if t.Symmetry == "auto" || t.Symmetry == "declared" {
			p := &mc.Problem{OfModel: mc.OfModel{Model: s.formulas.Model, Typing: s.typing}, Props: s.formulas.Symmetric()}
			if y := byTyping(p, false); y != nil && s.formulas.Separate(p.Joint) {
				a.Typed, a.Problem.Typed, a.Problem.Blocks, a.Problem.Joint = y, true, p.Blocks, p.Joint
			}
		}
		return a, nil
	})
}

// Polish takes back what is not known as the model may lack processes (promela.NoRoom), or turns of a loop in a step
// (prog.Program.Loops). The depth of a violation becomes the number of steps of the run that is shown.
func (s *formulaSource) Polish(r *mc.Result) {
	gaps := s.formulas.First
	whole := gaps == 0 || slices.ContainsFunc(r.Props, func(pr mc.PropResult) bool { return pr.Prop < gaps && pr.Status == mc.Safe })
	for i := range r.Props {
		pr := &r.Props[i]
		if pr.Prop < gaps && pr.Status == mc.Unsafe || pr.Prop >= gaps && pr.Status == mc.Safe && !whole {
			r.Stopped = fmt.Sprintf("the property %q does not hold, or is not decided: the model may lack runs of the program", s.t.Problem.Name(0))
			*pr = mc.PropResult{Prop: pr.Prop, Engine: pr.Engine, Bound: -1, Time: pr.Time}
			continue
		}
		if pr.Prop >= gaps && pr.Status == mc.Unsafe { // the path has the steps of the automaton
			if run, err := s.run(pr); err == nil {
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
	case s.fair != nil && s.fair.Enc.Fails() == aig.False:
	case s.prog != nil:
		all = append(all, Warning{Text: "runs that violate an assertion or err in another way are left out: `check` without --ltl looks for them"})
	default:
		all = append(all, Warning{Text: "a run that errs is left out, unless the formula is false whatever might come after it: `check` without --ltl looks for errors"})
	}
	return all
}

// Title implements Source.
func (s *formulaSource) Title() string { return s.title }

// run returns the run of the interpreter that violates a property.
func (s *formulaSource) run(pr *mc.PropResult) (*model.Lasso, error) {
	if pr.Lasso != nil {
		return pr.Lasso, nil
	}
	return s.runOf(pr.Prop, pr.Path)
}

// runOf returns the run that a path of the netlist stands for. Steps that it does not need are left out.
func (s *formulaSource) runOf(prop int, path *ts.Trace) (*model.Lasso, error) {
	x, err := s.witness(prop, path)
	if err != nil {
		return nil, err
	}
	run, err := s.fair.Replay(x.number, x.path, x.loop)
	if err != nil {
		return nil, err
	}
	return traces.Shorten(s.fair.Enc.Program, s.fair.Of[x.number], run), nil
}

// WriteTrace implements Source.
func (s *formulaSource) WriteTrace(w io.Writer, pr *mc.PropResult, _ string) error {
	r, err := s.run(pr)
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := traces.WriteLasso(&b, s.model, r.Trace, r.Loop); err != nil {
		return err
	}
	fmt.Fprintf(&b, "violated: %q\n", s.t.Problem.Name(pr.Prop))
	if f := s.fairness(r); f != nil {
		fmt.Fprintf(&b, "%s\n", strings.Join(f.Lines(), "\n"))
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// fairness says why a run is fair.
func (s *formulaSource) fairness(r *model.Lasso) *trace.Fair {
	return trace.NewFair(model.Compile(s.model), r, s.prog)
}

// View implements Source.
func (s *formulaSource) View(pr *mc.PropResult) (*trace.View, error) {
	r, err := s.run(pr)
	if err != nil {
		return nil, err
	}
	return s.viewOf(pr.Prop, pr.Engine, r), nil
}

func (s *formulaSource) viewOf(prop int, engine string, r *model.Lasso) *trace.View {
	text, _ := s.t.Read(s.t.File)
	src := trace.Source{Title: s.title, Text: text, Engine: engine, Formula: s.t.Problem.Name(prop), Loop: r.Loop, Fair: s.fairness(r)}
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
	t, loop, claimed, err := traces.ReadLasso(s.formulas.Program, name, data)
	if err != nil {
		return nil, err
	}
	first := s.formulas.First
	prop := first
	for ; s.t.Problem.Name(prop) != claimed; prop++ {
		if prop == first+len(s.formulas.Of)-1 {
			return nil, fmt.Errorf("there is no formula %q", claimed)
		}
	}
	r := model.NewLasso(t, loop)
	if err := traces.CheckLasso(s.formulas.Program, s.formulas.Of[prop-first], r); err != nil {
		return nil, err
	}
	return &Replayed{prop, len(t.Steps), func() (*trace.View, error) { return s.viewOf(prop, "", r), nil }}, nil
}
