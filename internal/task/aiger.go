package task

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/encode/aiger"
	"orbitmc/internal/lists"
	"orbitmc/internal/trace"
	"orbitmc/mc"
	"orbitmc/ts"
)

// This file is the front end of AIGER netlists.

type aigerSource struct {
	netlistSource
	file *aiger.File
}

type aigerFile struct{ *aiger.File }

var aigerStyle = netlistStyle{"aiger", "latches that are 1:", "latches that change:"}

func openAIGER(_ context.Context, t *Task) (Source, error) {
	data, err := t.Read(t.File)
	if err != nil {
		return nil, err
	}
	f, err := aiger.Read(bytes.NewReader(data), t.File)
	if err != nil {
		return nil, err
	}
	bads := f.Sys.Bads
	for i := range bads {
		if own := map[bool]string{false: "b", true: "o"}[f.OutputsAreBads] + fmt.Sprint(i); bads[i].Name == own {
			bads[i].Name = "" // it has no symbol; mc.Problem calls it by its number
		}
	}
	fair := lists.Map(f.Fairness, func(c aiger.Named) aig.Lit { return c.Lit })
	s := &aigerSource{newNetlistSource(t, f.Sys, f.Justice, fair), f}
	s.own, s.style = aigerFile{f}, aigerStyle
	return s, nil
}

// Warnings implements Source.
func (s *aigerSource) Warnings(r *mc.Result) []Warning {
	return s.vacuous(r, func(i int) Warning {
		if names := s.file.ConstraintName; i < len(names) && names[i] != "" && names[i] != fmt.Sprint("c", i) {
			return Warning{Text: fmt.Sprintf("constraint %d %q", i, names[i])}
		}
		return Warning{Text: fmt.Sprint("constraint ", i)}
	})
}

// words implements netlistFile.
func (f aigerFile) words(kind byte, _ int, path, inputs *ts.Trace, latches [][]bool) (all []word, err error) {
	frames, err := f.Sys.Run(path)
	if err != nil {
		return nil, err
	}
	add := func(name string, input bool, value func(k int) bool, matters func(k int) bool) {
		x := word{Signal: trace.Signal{Name: name, Input: input}}
		for k := range frames {
			x.Values = append(x.Values, Digit(value(k)))
			if inputs != nil {
				x.Matters = append(x.Matters, matters(k))
			}
		}
		x.bits = x.Values
		all = append(all, x)
	}
	for i, in := range f.Sys.Inputs {
		add(in.Name, true, func(k int) bool { return path.Inputs[k][i] }, func(k int) bool { return inputs.Inputs[k][i] })
	}
	for i, l := range f.Sys.Latches {
		add(l.Name, false, func(k int) bool { return frames[k].State[i] }, func(k int) bool { return latches[k][i] })
	}
	e := ts.NewEvaluator(f.Sys)
	for i := 0; kind == 0 && i < len(f.Outputs); i++ {
		add(f.Outputs[i].Name, false, func(k int) bool {
			e.Set(frames[k].State, path.Inputs[k])
			return e.Value(f.Outputs[i].Lit)
		}, nil)
	}
	return all, nil
}

// Replay checks the witnesses in a file. A bad must hold in some frame, as in
// aigsim, while all constraints do. The property and the depth are those of the first one.
func (s *aigerSource) Replay(name string, data []byte) (*Replayed, error) {
	ws, err := s.file.ReadWitnesses(data, name)
	if err != nil {
		return nil, err
	}
	var r *Replayed
	for _, w := range ws {
		at := fmt.Sprintf("%s:%d:1: ", name, w.Line)
		if w.Claim != '1' && w.Claim != 'r' {
			return nil, errors.New(at + "it claims no violation, and so there is nothing to replay")
		}
		frames, err := s.file.Sys.Run(w.Trace)
		if err != nil {
			return nil, err
		}
		if w.Claim == 'r' {
			constraints := lists.Map(frames, func(f ts.Frame) bool { return f.Constraints })
			return s.ran(name, constraints, lists.Map(frames, func(f ts.Frame) []bool { return f.Bads }), func(kind byte, number int) ([]word, error) {
				return s.own.words(kind, number, w.Trace, nil, nil)
			})
		}
		for _, bad := range w.Bads {
			frame, err := shows(frames, bad)
			if err != nil {
				return nil, fmt.Errorf("%sbad %d: %w", at, bad, err)
			}
			if r == nil {
				prop := s.file.Sys.Bads[bad].Prop
				path := &ts.Trace{Init: w.Trace.Init, Inputs: w.Trace.Inputs[:frame+1]}
				r = &Replayed{prop, frame, func() (*trace.View, error) {
					inputs, latches := s.file.Sys.Justify(path, bad)
					words, err := s.own.words('b', bad, path, inputs, latches)
					return s.page(prop, "", words, -1), err
				}}
			}
		}
		for _, j := range w.Justice {
			closed := &ts.Trace{Init: w.Trace.Init, Inputs: append(slices.Clone(w.Trace.Inputs), make([]bool, len(s.file.Sys.Inputs)))}
			loop, err := s.lassos.Loop(closed, j)
			if err != nil {
				return nil, fmt.Errorf("%sjustice %d: %w", at, j, err)
			}
			if r == nil {
				prop := s.lassos.Justice[j].Prop
				r = &Replayed{prop, len(w.Trace.Inputs), func() (*trace.View, error) {
					words, err := s.own.words('j', 0, closed, nil, nil)
					return s.page(prop, "", words, loop), err
				}}
			}
		}
	}
	return r, nil
}

// shows returns the first frame in which a bad holds, provided that all
// constraints hold up to there.
func shows(frames []ts.Frame, bad int) (depth int, err error) {
	for k, f := range frames {
		switch {
		case !f.Constraints:
			return 0, fmt.Errorf("a constraint fails in frame %d, and the bad holds in none before", k)
		case f.Bads[bad]:
			return k, nil
		}
	}
	return 0, fmt.Errorf("it holds in none of %s", Plural(len(frames), "frame"))
}

func (s *aigerSource) Netlist(all bool, props []int) *aiger.File {
	if all {
		return s.file
	}
	if s.lassos != nil {
		return s.netlistSource.Netlist(all, props)
	}
	return &aiger.File{Sys: s.only(props), OutputsAreBads: s.file.OutputsAreBads, ConstraintName: s.file.ConstraintName, Comments: s.file.Comments}
}
