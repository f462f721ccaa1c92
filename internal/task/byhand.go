package task

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"

	"orbitmc/encode/btor2"
	"orbitmc/encode/murphi"
	"orbitmc/encode/promela"
	"orbitmc/internal/lists"
	"orbitmc/internal/prog"
	"orbitmc/internal/trace"
	"orbitmc/model"
	"orbitmc/model/traces"
	"orbitmc/ts"
)

// This file says what a file is to someone who steps it by hand.

// ByHand is a model, that of a program, or a netlist.
type ByHand struct {
	Code    *model.Program // of a model; else nil
	Prog    *prog.Program  // what the model was made of, a program; else nil
	Netlist *Wired

	t *Task
}

// Wired is a netlist, as it is in the file.
type Wired struct {
	Sys    *ts.System
	Read   func(name string, data []byte) (path *ts.Trace, loop int, err error) // of a witness; loop is as for OfPath in package trace
	source *netlistSource
}

// ByHand returns what the file of a task is to someone who steps it by hand. In a program all variables have values, also
// where they are dead.
func (t *Task) ByHand() (*ByHand, error) {
	h := &ByHand{t: t}
	switch s := t.Source.(type) {
	case *programSource:
		p, err := readProgram(t, promela.Options{})
		if err != nil {
			return nil, err
		}
		h.Prog, h.Code = p, model.Compile(p.Model)
	case *modelSource:
		h.Code = model.Compile(s.plain)
	case *aigerSource:
		h.Netlist = &Wired{s.file.Sys, func(name string, data []byte) (*ts.Trace, int, error) {
			all, err := s.file.ReadWitnesses(data, name)
			if err != nil {
				return nil, 0, err
			}
			w, loop := all[0], -1
			if len(w.Justice) > 0 {
				w.Trace.Inputs = append(w.Trace.Inputs, make([]bool, len(s.file.Sys.Inputs)))
				loop, err = s.lassos.Loop(w.Trace, w.Justice[0])
			}
			return w.Trace, loop, err
		}, &s.netlistSource}
	case *btor2Source:
		h.Netlist = &Wired{s.file.Sys, func(name string, data []byte) (*ts.Trace, int, error) {
			w, err := s.file.ReadWitness(data, name)
			if err != nil {
				return nil, 0, err
			}
			loop := -1
			if len(w.Justice) > 0 {
				loop, err = s.file.Lasso(w.Stimulus, w.Justice[0])
				w.Stimulus = append(w.Stimulus, map[int]btor2.Value{})
			}
			return s.file.Trace(s.file.Run(w.Stimulus)), loop, err
		}, &s.netlistSource}
	}
	return h, nil
}

// Read reads a run, and says of one that is rejected which options it wants.
func (h *ByHand) Read(name string, data []byte) (run *model.Trace, loop int, err error) {
	run, loop, err = h.read(name, data)
	return run, loop, h.t.written(data, err)
}

// read reads a run of a model or program from the text of a trace. The state after its last step is state number loop, or
// the same for ever, if loop is the last one; -1: it ends. Its property is -1 if it violates nothing at its end. A start of
// rule -1 is that of a counterexample to induction.
func (h *ByHand) read(name string, data []byte) (run *model.Trace, loop int, err error) {
	if h.Prog != nil && prog.IsTrail(data) {
		run, err = h.Prog.ReadTrail(h.Code, name, data)
		return run, -1, err
	}
	if run, err = traces.ReadInduction(h.Code, name, data); run != nil || err != nil {
		return run, -1, err
	}
	if !traces.IsLasso(data) {
		run, err = traces.Read(h.Code, name, data, true)
		return run, -1, err
	}
	if run, loop, _, err = traces.ReadLasso(h.Code, name, data); err == nil || h.Prog == nil {
		return run, loop, err
	}
	p, err := readProgram(h.t, promela.Options{Reset: true})
	if err == nil {
		run, loop, _, err = traces.ReadLasso(model.Compile(p.Model), name, data)
	}
	if err != nil {
		return nil, 0, err
	}
	return h.valued(name, run, loop)
}

// valued returns a run without end in which all variables of a program have values, of one in which dead ones have none. They were
// given last before the loop or in it, so that all is the same after its second turn as after the first.
func (h *ByHand) valued(name string, run *model.Trace, loop int) (*model.Trace, int, error) {
	m, out, turn := h.Code.NewMachine(), &model.Trace{Start: run.Start, Prop: -1}, len(run.Steps)
	out.StartState, _ = m.Start(run.Start)
	for s := out.StartState; len(out.Steps) < 2*turn-loop; {
		k := len(out.Steps)
		if k >= turn {
			k += loop - turn
		}
		next, enabled, v := m.Fire(s, run.Steps[k].Choice)
		if !enabled || v != nil {
			return nil, 0, fmt.Errorf("%s: step %d cannot be made by hand, where assertions count", name, k+1)
		}
		s, out.Steps = next, append(out.Steps, model.TraceStep{Choice: run.Steps[k].Choice, State: next})
	}
	if all := out.States(); slices.Equal(all[loop], all[turn]) {
		out.Steps, turn = out.Steps[:turn], loop
	} else if !slices.Equal(all[turn], all[len(all)-1]) {
		return nil, 0, fmt.Errorf("%s: the loop does not close where dead variables have values", name)
	}
	return out, turn, nil
}

// Condition reads a condition on states, in the language of formulas, in which components may have the names that
// traces print. The result says whether it holds in a state; the error is what its evaluation raises.
func (h *ByHand) Condition(text string) (holds func(model.State) (bool, error), err error) {
	opt, m, p := h.t.Options, (*model.Model)(nil), (*prog.Program)(nil)
	formula := "condition: (" + text + ")"
	if h.Prog != nil {
		for _, r := range h.Prog.Protos { // station[1].x is a remote reference
			formula = regexp.MustCompile(`\b`+r.Name+`(\[[^\]]*\])\.`).ReplaceAllString(formula, r.Name+"$1:")
		}
	}
	if opt.Trees = []string{formula}; h.Prog != nil {
		if p, err = readProgram(h.t, promela.Options{Trees: opt.Trees}); err == nil {
			m = p.Model
		}
	} else {
		var own murphi.Options
		if own, err = ModelOptions(opt); err == nil {
			own.Values = true
			m, err = murphi.ReadFile(h.t.File, own)
		}
	}
	if err != nil {
		return nil, errors.New(inFormula.ReplaceAllString(err.Error(), ""))
	}
	locations := func(p prog.Proto) []prog.Loc { return p.Locs }
	same := slices.EqualFunc(m.AllLeaves(), h.Code.Model.AllLeaves(), func(a, b model.Leaf) bool {
		return a.Name == b.Name && a.Type.Lo == b.Type.Lo && a.Type.Hi == b.Type.Hi
	})
	if !same || p != nil && !reflect.DeepEqual(lists.Map(p.Protos, locations), lists.Map(h.Prog.Protos, locations)) {
		return nil, fmt.Errorf("%s: it is about more than the states of steps by hand", text)
	}
	q := m.Props[slices.IndexFunc(m.Props, func(q *model.Property) bool { return q.Kind == model.Branching })]
	if claim := q.Claim(); claim.Always || len(claim.Temporal) > 0 {
		return nil, fmt.Errorf("%s: want a condition on a state, without temporal operators", text)
	}
	machine := model.Compile(m).NewMachine()
	return func(s model.State) (bool, error) {
		atoms, v := machine.Atoms(s, q, nil, nil)
		if v != nil {
			return false, fmt.Errorf("%s: %s", text, inFormula.ReplaceAllString(v.Message, ""))
		}
		return q.Tree.Formula.Holds(func(n int) bool { return atoms[n] }, nil), nil
	}, nil
}

// inFormula is the position of an error in a condition.
var inFormula = regexp.MustCompile(`(?m)^(condition: |formula:[\d:]+ )+`)

// File names what is stepped.
func (h *ByHand) File() string { return h.t.Title() }

// Source returns what a view of a run needs besides the model.
func (h *ByHand) Source() trace.Source {
	text, _ := h.t.Read(h.t.File)
	return trace.Source{Title: h.File(), Text: text, Prog: h.Prog}
}

// View returns the view of a path.
func (wi *Wired) View(path *ts.Trace) (*trace.View, error) {
	words, err := wi.source.own.words(0, 0, path, nil, nil)
	return wi.source.page(-1, "", words, -1), err
}

// Lines lists, as text, the states in the last frame of a path, the outputs, and the wires that have names.
func (wi *Wired) Lines(path *ts.Trace) ([]string, error) {
	words, err := wi.source.own.words(0, 0, path, nil, nil)
	words = slices.DeleteFunc(words, func(x word) bool { return x.Input })
	return lists.Map(words, func(x word) string { return x.Name + " = " + x.Values[len(path.Inputs)-1] }), err
}

// Write writes a path: as a witness of a bad that holds in its last frame, or as a run, if bad is negative.
func (wi *Wired) Write(w io.Writer, path *ts.Trace, bad int) error {
	return wi.source.own.WriteWitness(w, map[bool]byte{false: 'b', true: 0}[bad < 0], bad, path)
}
