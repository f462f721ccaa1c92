package task

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"orbitmc/encode/btor2"
	"orbitmc/internal/trace"
	"orbitmc/mc"
	"orbitmc/ts"
)

// This file is the front end of BTOR2 netlists. A counterexample is replayed on words before
// it is believed.

type btor2Source struct {
	netlistSource
	file    *btor2.File
	design  *design                    // in Verilog that it was made of; nil: none
	refined atomic.Pointer[btor2.File] // what takes the place of file, as it has a run that is none of the words
}

type btor2File struct{ *btor2.File }

var btor2Style = netlistStyle{"btor2", "states that are not 0:", "states that change:"}

// largeArray is how many bits the elements of an array may have together if they all become latches while
// that can be chosen. See btor2.ReadLarge.
const largeArray = 1 << 10

func openBTOR2(ctx context.Context, t *Task) (Source, error) {
	data, err := t.Read(t.File)
	if err != nil {
		return nil, err
	}
	var f *btor2.File
	if t.LargeArrays {
		f, err = btor2.ReadLarge(ctx, data, t.File, largeArray)
	} else {
		f, err = btor2.Read(ctx, data, t.File)
	}
	if err != nil {
		return nil, err
	}
	return newBTOR2(t, f), nil
}

func newBTOR2(t *Task, f *btor2.File) *btor2Source {
	s := &btor2Source{netlistSource: newNetlistSource(t, f.Sys, f.Justice, f.Fair), file: f}
	s.own, s.style = btor2File{f}, btor2Style
	s.replay = s.onWords
	s.sample = func(ctx context.Context) error {
		_, err := f.Sample(ctx)
		return err
	}
	if f.Abstract() {
		s.real = s.isReal
	}
	return s
}

// isReal is mc.Problem.Real. Property i is bad i: with large arrays there is no justice.
func (s *btor2Source) isReal(prop int, path *ts.Trace) error {
	g, err := s.file.Refined(context.Background(), path, prop)
	if g == nil || err != nil {
		return err
	}
	s.refined.CompareAndSwap(nil, g)
	return mc.ErrSpurious
}

// Remodelled reports whether the netlist has more runs than the file, as arrays are large. It is not what
// `orbitmc convert` writes.
func (t *Task) Remodelled() bool {
	s, ok := t.Source.(*btor2Source)
	return ok && s.file.Abstract()
}

// Refine has engines begin anew after mc.ErrSpurious.
func (t *Task) Refine() (err error) {
	s, ok := t.Source.(*btor2Source)
	if !ok || s.refined.Load() == nil {
		return fmt.Errorf("%s: internal error: there is nothing to refine", t.File)
	}
	next := newBTOR2(t, s.refined.Load())
	next.covers, next.design = s.covers, s.design
	t.Source = next
	t.Analysis = Analysis{Problem: t.properties()}
	t.Problem.Props, err = t.selectProps()
	return err
}

// Warnings implements Source.
func (s *btor2Source) Warnings(r *mc.Result) []Warning {
	if s.design != nil {
		vacuous := s.vacuous(r, func(i int) Warning { return Warning{Text: fmt.Sprintf("assumption %d", i+1)} })
		return append(vacuous, s.design.warnings...)
	}
	return s.vacuous(r, func(i int) Warning {
		name, line := s.file.Constraint(i)
		if name = strings.TrimSpace("constraint " + name); name == "constraint" {
			name = fmt.Sprintf("the constraint in line %d", line)
		}
		return Warning{line, 1, name}
	})
}

// Notes implements Source.
func (s *btor2Source) Notes(*mc.Result) (notes []string) {
	if s.file.Abstract() {
		notes = append(notes, fmt.Sprintf("arrays of more than %d bits: the system has their elements at %d addresses; what is read elsewhere is any value", largeArray, s.file.Addresses()))
	}
	return notes
}

// onWords replays a path on words. Of justice the loop was looked for in the netlist.
func (s *btor2Source) onWords(prop int, path *ts.Trace) error {
	x, err := s.shown(prop, path)
	if err != nil || x.kind == 'j' {
		return err
	}
	_, err = s.file.Run(s.file.Stimulus(x.path)).Shows(x.number)
	return err
}

// words implements netlistFile.
func (f btor2File) words(kind byte, number int, path, inputs *ts.Trace, latches [][]bool) ([]word, error) {
	return f.along(kind, number, f.Stimulus(path), inputs, latches), nil
}

// along is words of what the inputs of a run are; of an array, each element that Signals lists.
func (f btor2File) along(kind byte, number int, stimulus btor2.Stimulus, inputs *ts.Trace, latches [][]bool) (all []word) {
	run := f.Run(stimulus)
	signals := f.Signals(run)
	states := len(signals)
	for i, g := range append(signals, f.Wires(kind, number)...) {
		x := word{Signal: trace.Signal{Name: g.Name, Place: g.Place, Input: g.Free}, element: g.Free && g.Input < 0, wire: i >= states}
		for k := range run.Values {
			v := run.Value(k, g)
			x.Values = append(x.Values, g.Format(v))
			x.bits = append(x.bits, fmt.Sprintf("%0*b", g.Width, v))
			switch {
			case inputs == nil:
			case g.Input >= 0:
				x.Matters = append(x.Matters, slices.Contains(inputs.Inputs[k][g.Input:][:g.Width], true))
			case g.Latch >= 0:
				x.Matters = append(x.Matters, slices.Contains(latches[k][g.Latch:][:g.Width], true))
			case f.Abstract() && !x.wire:
				x.Matters = append(x.Matters, true)
			}
		}
		all = append(all, x)
	}
	return all
}

// Replay checks the witness in a file: each bad that it names must hold in some frame, while
// all constraints do. The property and the depth are those of the first one.
func (s *btor2Source) Replay(name string, data []byte) (*Replayed, error) {
	w, err := s.file.ReadWitness(data, name)
	if err != nil {
		return nil, err
	}
	run, err := s.file.Replay(w)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var r *Replayed
	view := func(kind byte, number, prop, frames, loop int) func() (*trace.View, error) {
		return func() (*trace.View, error) {
			stimulus := slices.Clone(w.Stimulus)
			if loop >= 0 {
				stimulus = append(stimulus, map[int]btor2.Value{})
			}
			return s.page(prop, "", btor2File{s.file}.along(kind, number, stimulus[:frames], nil, nil), loop), nil
		}
	}
	if w.Run {
		if len(run.Constraints) == 0 {
			return nil, fmt.Errorf("%s: the run has no frame", name)
		}
		return s.ran(name, run.Constraints, run.Bads, func(kind byte, number int) ([]word, error) {
			return btor2File{s.file}.along(kind, number, w.Stimulus, nil, nil), nil
		})
	}
	for _, bad := range w.Bads {
		frame, err := run.Shows(bad)
		if err != nil {
			return nil, fmt.Errorf("%s: bad %d: %w", name, bad, err)
		}
		if r == nil {
			prop := s.sys.Bads[bad].Prop
			r = &Replayed{prop, frame, view('b', bad, prop, frame+1, -1)}
		}
	}
	for _, j := range w.Justice {
		loop, err := s.file.Lasso(w.Stimulus, j)
		if err != nil {
			return nil, fmt.Errorf("%s: justice %d: %w", name, j, err)
		}
		if r == nil {
			prop := s.lassos.Justice[j].Prop
			r = &Replayed{prop, len(w.Stimulus), view('j', j, prop, len(w.Stimulus)+1, loop)}
		}
	}
	return r, nil
}
