package task

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"

	"orbitmc/encode/murphi"
	"orbitmc/encode/promela"
	"orbitmc/internal/lists"
	"orbitmc/model"
	"orbitmc/prog"
	"orbitmc/trace"
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
	Read   func(name string, data []byte) (*ts.Trace, error) // the path of a witness
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
		h.Netlist = &Wired{s.file.Sys, func(name string, data []byte) (*ts.Trace, error) {
			all, err := s.file.ReadWitnesses(data, name)
			if err != nil {
				return nil, err
			}
			return all[0].Trace, nil
		}, &s.netlistSource}
	case *btor2Source:
		h.Netlist = &Wired{s.file.Sys, func(name string, data []byte) (*ts.Trace, error) {
			w, err := s.file.ReadWitness(data, name)
			if err != nil {
				return nil, err
			}
			return s.file.Trace(s.file.Run(w.Stimulus)), nil
		}, &s.netlistSource}
	}
	return h, nil
}

// Read reads a run of a model or program from the text of a trace. The state after its last step is state number loop, or
// the same for ever, if loop is the last one; -1: it ends. Its property is -1 if it violates nothing at its end. A start of
// rule -1 is that of a counterexample to induction.
func (h *ByHand) Read(name string, data []byte) (run *model.Trace, loop int, err error) {
	if h.Prog != nil && prog.IsTrail(data) {
		run, err = h.Prog.ReadTrail(h.Code, name, data)
		return run, -1, err
	}
	if run, err = h.Code.ReadInduction(name, data); run != nil || err != nil {
		return run, -1, err
	}
	if run, loop, _, err = h.Code.ReadLasso(name, data); err == nil {
		return run, loop, nil
	}
	run, err = h.Code.ReadRun(name, data)
	return run, -1, err
}

// Condition reads a condition on states, in the language of formulas. The result says whether it holds in a state; the
// error is what its evaluation raises.
func (h *ByHand) Condition(text string) (holds func(model.State) (bool, error), err error) {
	opt, m, p := h.t.Options, (*model.Model)(nil), (*prog.Program)(nil)
	opt.Trees = []string{"condition: (" + text + ")"}
	if h.Prog != nil {
		if p, err = readProgram(h.t, promela.Options{Trees: opt.Trees}); err == nil {
			m = p.Model
		}
	} else {
		var own murphi.Options
		if own, err = ModelOptions(opt); err == nil {
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
func (n *Wired) View(path *ts.Trace) (*trace.View, error) {
	words, err := n.source.own.words(0, 0, path, nil, nil)
	return n.source.page(-1, "", words, -1), err
}

// Lines lists, as text, the states in the last frame of a path, the outputs, and the wires that have names.
func (n *Wired) Lines(path *ts.Trace) ([]string, error) {
	words, err := n.source.own.words(0, 0, path, nil, nil)
	words = slices.DeleteFunc(words, func(x word) bool { return x.Input })
	return lists.Map(words, func(x word) string { return x.Name + " = " + x.Values[len(path.Inputs)-1] }), err
}

// Write writes a path: as a witness of a bad that holds in its last frame, or as a run, if bad is negative.
func (n *Wired) Write(w io.Writer, path *ts.Trace, bad int) error {
	return n.source.own.WriteWitness(w, map[bool]byte{false: 'b', true: 0}[bad < 0], bad, path)
}
