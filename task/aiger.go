package task

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"orbitmc/aig"
	"orbitmc/encode/aiger"
	"orbitmc/mc"
	"orbitmc/trace"
	"orbitmc/ts"
)

// This file is the front end of AIGER netlists.

type aigerSource struct {
	netlistSource
	file *aiger.File
}

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
	var fair []aig.Lit
	for _, c := range f.Fairness {
		fair = append(fair, c.Lit)
	}
	return &aigerSource{newNetlistSource(t, f.Sys, f.Justice, fair), f}, nil
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

// SaveTrace writes an AIGER witness, or waves.
func (s *aigerSource) SaveTrace(w io.Writer, pr *mc.PropResult, style string) error {
	x, err := s.witness(pr.Prop, pr.Path)
	if err != nil {
		return err
	}
	if style == "vcd" {
		return s.waves(w, x.path)
	}
	return s.file.WriteWitness(w, x.kind, x.number, x.path)
}

// waves writes inputs and latches.
func (s *aigerSource) waves(w io.Writer, path *ts.Trace) error {
	frames, err := s.file.Sys.Run(path)
	if err != nil {
		return err
	}
	var all []wave
	for i, in := range s.file.Sys.Inputs {
		all = append(all, wave{in.Name, 1, func(k int) string { return digit(path.Inputs[k][i]) }})
	}
	for i, l := range s.file.Sys.Latches {
		all = append(all, wave{l.Name, 1, func(k int) string { return digit(frames[k].State[i]) }})
	}
	return writeVCD(w, len(frames), all)
}

func (s *aigerSource) WriteTrace(w io.Writer, pr *mc.PropResult, style string) error {
	if style == "aiger" || style == "vcd" {
		return s.SaveTrace(w, pr, style)
	}
	x, err := s.shown(pr.Prop, pr.Path)
	if err != nil {
		return err
	}
	bad, err := s.violated(pr.Prop, pr.Path)
	if err != nil {
		return err
	}
	marks, _ := s.sys.Justify(pr.Path, bad)
	return writePath(w, s.file.Sys, x.path, marks, x.end(), s.t.Problem.Name(pr.Prop))
}

// View implements Source.
func (s *aigerSource) View(pr *mc.PropResult) (*trace.View, error) {
	x, err := s.shown(pr.Prop, pr.Path)
	if err != nil {
		return nil, err
	}
	bad, err := s.violated(pr.Prop, pr.Path)
	if err != nil {
		return nil, err
	}
	inputs, latches := s.sys.Justify(pr.Path, bad)
	return s.view(pr.Prop, pr.Engine, x, inputs, latches)
}

// view returns the view of a path of the file, and of the inputs and latches that matter; nil: that is
// not known.
func (s *aigerSource) view(prop int, engine string, x *shown, inputs *ts.Trace, latches [][]bool) (*trace.View, error) {
	frames, err := s.file.Sys.Run(x.path)
	if err != nil {
		return nil, err
	}
	var all []trace.Signal
	for i, l := range s.file.Sys.Latches {
		g := trace.Signal{Name: l.Name}
		for k, f := range frames {
			g.Values = append(g.Values, bit(f.State[i]))
			if latches != nil {
				g.Matters = append(g.Matters, latches[k][i])
			}
		}
		all = append(all, g)
	}
	for i, in := range s.file.Sys.Inputs {
		g := trace.Signal{Name: in.Name, Input: true}
		for k := range frames {
			g.Values = append(g.Values, bit(x.path.Inputs[k][i]))
			if inputs != nil {
				g.Matters = append(g.Matters, inputs.Inputs[k][i])
			}
		}
		all = append(all, g)
	}
	return trace.OfPath(s.header(prop, engine), all, x.last()), nil
}

func bit(b bool) string {
	if b {
		return "1"
	}
	return "0"
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
		if w.Claim != '1' {
			return nil, errors.New(at + "it claims no violation, and so there is nothing to replay")
		}
		frames, err := s.file.Sys.Run(w.Trace)
		if err != nil {
			return nil, err
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
					return s.view(prop, "", &shown{path: path, kind: 'b'}, inputs, latches)
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
					return s.view(prop, "", &shown{path: closed, kind: 'j', loop: loop}, nil, nil)
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
		return aiger.FromSystem(s.only(props))
	}
	return &aiger.File{Sys: s.only(props), OutputsAreBads: s.file.OutputsAreBads, ConstraintName: s.file.ConstraintName, Comments: s.file.Comments}
}

// writePath writes a path of a netlist: which latches are 1 in the first frame, which change in the
// others, and the inputs that matter; behind it a line end, if that is not "", and which property
// is violated.
func writePath(w io.Writer, sys *ts.System, path *ts.Trace, marks *ts.Trace, end, name string) error {
	frames, err := sys.Run(path)
	if err != nil {
		return err
	}
	var b strings.Builder
	for k, f := range frames {
		fmt.Fprintf(&b, "frame %d\n", k)
		var latches, inputs []string
		for i, l := range sys.Latches {
			if v := f.State[i]; k == 0 && v || k > 0 && v != frames[k-1].State[i] {
				latches = append(latches, assignment(l.Name, v))
			}
		}
		for i, in := range sys.Inputs {
			if marks.Inputs[k][i] {
				inputs = append(inputs, assignment(in.Name, path.Inputs[k][i]))
			}
		}
		title := "latches that change:"
		if k == 0 {
			title = "latches that are 1:"
		}
		wrap(&b, title, latches)
		wrap(&b, "inputs that matter:", inputs)
	}
	fmt.Fprintf(&b, "%sviolated: %q\n", end, name)
	_, err = io.WriteString(w, b.String())
	return err
}

func assignment(name string, v bool) string {
	if v {
		return name + "=1"
	}
	return name + "=0"
}
