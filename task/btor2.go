package task

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"orbitmc/encode/aiger"
	"orbitmc/encode/btor2"
	"orbitmc/mc"
	"orbitmc/trace"
	"orbitmc/ts"
)

// This file is the front end of BTOR2 netlists. A counterexample is replayed on words before
// it is believed.

type btor2Source struct {
	netlistSource
	file *btor2.File
}

func openBTOR2(ctx context.Context, t *Task) (Source, error) {
	data, err := t.Read(t.File)
	if err != nil {
		return nil, err
	}
	f, err := btor2.Read(ctx, data, t.File)
	if err != nil {
		return nil, err
	}
	s := &btor2Source{newNetlistSource(t, f.Sys, f.Justice, f.Fair), f}
	s.replay = s.onWords
	return s, nil
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

// SaveTrace writes a witness for btorsim, or waves of words.
func (s *btor2Source) SaveTrace(w io.Writer, pr *mc.PropResult, style string) error {
	x, err := s.witness(pr.Prop, pr.Path)
	if err != nil {
		return err
	}
	if style == "vcd" {
		return s.waves(w, x.path)
	}
	return s.file.WriteWitness(w, x.kind, x.number, x.path)
}

// waves writes inputs and states; of an array, each element.
func (s *btor2Source) waves(w io.Writer, path *ts.Trace) error {
	run := s.file.Run(s.file.Stimulus(path))
	var all []wave
	for _, g := range s.file.Signals() {
		for e := range max(g.Words, 1) {
			name := g.Name
			if g.Words > 1 {
				name += fmt.Sprintf("[%d]", e)
			}
			all = append(all, wave{name, g.Width, func(k int) string { return fmt.Sprintf("%0*b", g.Width, run.Values[k][g.Node][e]) }})
		}
	}
	return writeVCD(w, len(run.Values), all)
}

func (s *btor2Source) WriteTrace(w io.Writer, pr *mc.PropResult, style string) error {
	if style == "btor2" || style == "vcd" {
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
	run := s.file.Run(s.file.Stimulus(x.path))
	signals := s.file.Signals()
	marks, _ := s.sys.Justify(pr.Path, bad)
	var b strings.Builder
	for k, values := range run.Values {
		fmt.Fprintf(&b, "frame %d\n", k)
		var states, inputs []string
		for _, g := range signals {
			matters := false
			if g.Input >= 0 {
				for _, m := range marks.Inputs[k][g.Input:][:g.Width*g.Words] {
					matters = matters || m
				}
			}
			for e, v := range values[g.Node] {
				text := g.Name
				if g.Words > 1 {
					text += fmt.Sprintf("[%d]", e)
				}
				text += "=" + g.Format(v)
				switch {
				case g.Input >= 0:
					if matters {
						inputs = append(inputs, text)
					}
				case k == 0 && v.Sign() != 0 || k > 0 && v.Cmp(run.Values[k-1][g.Node][e]) != 0:
					states = append(states, text)
				}
			}
		}
		title := "states that change:"
		if k == 0 {
			title = "states that are not 0:"
		}
		wrap(&b, title, states)
		wrap(&b, "inputs that matter:", inputs)
	}
	fmt.Fprintf(&b, "%sviolated: %q\n", x.end(), s.t.Problem.Name(pr.Prop))
	_, err = io.WriteString(w, b.String())
	return err
}

// View implements Source.
func (s *btor2Source) View(pr *mc.PropResult) (*trace.View, error) {
	x, err := s.shown(pr.Prop, pr.Path)
	if err != nil {
		return nil, err
	}
	bad, err := s.violated(pr.Prop, pr.Path)
	if err != nil {
		return nil, err
	}
	inputs, latches := s.sys.Justify(pr.Path, bad)
	return trace.OfPath(s.header(pr.Prop, pr.Engine), s.signals(s.file.Stimulus(x.path), inputs, latches), x.last()), nil
}

// signals returns what the words are in a run, and the inputs and latches that matter; nil: that is
// not known.
func (s *btor2Source) signals(stimulus btor2.Stimulus, inputs *ts.Trace, latches [][]bool) (all []trace.Signal) {
	run := s.file.Run(stimulus)
	for _, g := range s.file.Signals() {
		for e := range max(1, g.Words) {
			x := trace.Signal{Name: g.Name, Input: g.Input >= 0}
			if g.Words > 1 {
				x.Name += fmt.Sprintf("[%d]", e)
			}
			for k, values := range run.Values {
				x.Values = append(x.Values, g.Format(values[g.Node][e]))
				switch {
				case inputs == nil:
				case x.Input:
					x.Matters = append(x.Matters, slices.Contains(inputs.Inputs[k][g.Input+e*g.Width:][:g.Width], true))
				case g.Latch >= 0:
					x.Matters = append(x.Matters, slices.Contains(latches[k][g.Latch+e*g.Width:][:g.Width], true))
				}
			}
			all = append(all, x)
		}
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
	view := func(prop, frames, loop int) func() (*trace.View, error) {
		return func() (*trace.View, error) {
			stimulus := slices.Clone(w.Stimulus)
			if loop >= 0 {
				stimulus = append(stimulus, map[int]btor2.Value{})
			}
			return trace.OfPath(s.header(prop, ""), s.signals(stimulus[:frames], nil, nil), loop), nil
		}
	}
	for _, bad := range w.Bads {
		frame, err := run.Shows(bad)
		if err != nil {
			return nil, fmt.Errorf("%s: bad %d: %w", name, bad, err)
		}
		if r == nil {
			prop := s.sys.Bads[bad].Prop
			r = &Replayed{prop, frame, view(prop, frame+1, -1)}
		}
	}
	for _, j := range w.Justice {
		loop, err := s.file.Lasso(w.Stimulus, j)
		if err != nil {
			return nil, fmt.Errorf("%s: justice %d: %w", name, j, err)
		}
		if r == nil {
			prop := s.lassos.Justice[j].Prop
			r = &Replayed{prop, len(w.Stimulus), view(prop, len(w.Stimulus)+1, loop)}
		}
	}
	return r, nil
}

func (s *btor2Source) Netlist(all bool, props []int) *aiger.File {
	sys := s.sys
	if !all {
		sys = s.only(props)
	}
	return aiger.FromSystem(sys)
}
