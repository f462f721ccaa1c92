package task

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"orbitmc/encode/aiger"
	"orbitmc/mc"
	"orbitmc/ts"
)

// This file is the front end of AIGER netlists. The properties are the bads. Justice
// properties are named and get no verdict.

// netlistSource is a netlist as it was read.
type netlistSource struct {
	t    *Task
	file *aiger.File
}

func openNetlist(_ context.Context, t *Task) (Source, error) {
	data, err := os.ReadFile(t.File)
	if err != nil {
		return nil, err
	}
	s := &netlistSource{t: t}
	if s.file, err = aiger.Read(bytes.NewReader(data), t.File); err != nil {
		return nil, err
	}
	bads := s.file.Sys.Bads
	for i := range bads {
		if own := map[bool]string{false: "b", true: "o"}[s.file.OutputsAreBads] + fmt.Sprint(i); bads[i].Name == own {
			bads[i].Name = "" // it has no symbol; mc.Problem calls it by its number
		}
	}
	return s, nil
}

func (s *netlistSource) properties() *mc.Problem {
	var justice []string
	for _, j := range s.file.Justice {
		justice = append(justice, j.Name)
	}
	return mc.NewNetlist(s.file.Sys, justice)
}

func (s *netlistSource) Title() string { return s.t.File }
func (s *netlistSource) Declared() int { return 0 }
func (s *netlistSource) Inferred() int { return 0 }

// analyse cleans up the netlist, unless it is to be written, or a witness circuit for
// it, and detects symmetry. A system without W is well-formed.
func (s *netlistSource) analyse(ctx context.Context, props []int, _ bool, early func(*mc.Problem)) (*Analysis, error) {
	a := &Analysis{Problem: s.properties()}
	a.Problem.Props = props
	a.Problem.WellFormed = true
	if !s.t.Raw {
		s.t.Phase("cleaning up")
		a.Problem.Clean()
	}
	if s.t.Symmetry == "off" || s.t.Symmetry == "declared" {
		return a, nil
	}
	if early != nil {
		q := *a.Problem
		early(&q)
	}
	return a, s.t.detected(ctx, a, a.Problem.System(), early != nil)
}

func (s *netlistSource) Parts() []Part    { return s.t.detectedParts() }
func (s *netlistSource) Limits() []string { return nil }

// SaveTrace writes an AIGER witness.
func (s *netlistSource) SaveTrace(w io.Writer, pr *mc.PropResult, _ string) error {
	bad, err := s.violated(pr)
	if err != nil {
		return err
	}
	return s.file.WriteWitness(w, bad, pr.Path)
}

func (s *netlistSource) WriteTrace(w io.Writer, pr *mc.PropResult, style string) error {
	bad, err := s.violated(pr)
	switch {
	case err != nil:
		return err
	case style == "aiger":
		return s.file.WriteWitness(w, bad, pr.Path)
	}
	return writePath(w, s.file.Sys, pr.Path, bad, s.t.Problem.Name(pr.Prop))
}

// violated returns the bad of a property that its path shows.
func (s *netlistSource) violated(pr *mc.PropResult) (bad int, err error) {
	for _, bad = range s.t.Problem.Sources(pr.Prop) {
		if err = s.file.Sys.Replay(pr.Path, bad); err == nil {
			break
		}
	}
	return bad, err
}

func (s *netlistSource) Polish(*mc.Result) {}

// Warnings says what of the file is not checked.
func (s *netlistSource) Warnings(r *mc.Result) []Warning {
	n := 0
	for _, pr := range r.Props {
		if s.t.IsJustice(pr.Prop) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	text := fmt.Sprintf("no verdict is given on justice: %d of %s", n, Plural(len(r.Props), "property"))
	if k := len(s.file.Fairness); k > 0 {
		text += fmt.Sprintf(", with %s", Plural(k, "fairness constraint"))
	}
	return []Warning{{Text: text}}
}

// Notes implements Source.
func (s *netlistSource) Notes(*mc.Result) []string { return nil }

func (s *netlistSource) Smaller() (string, int64) { return "", 0 }

// Replay checks the witnesses in a file. A bad must hold in some frame, as in
// aigsim, while all constraints do. The property and the depth are those of the first one.
func (s *netlistSource) Replay(name string, data []byte) (prop, depth int, err error) {
	ws, err := s.file.ReadWitnesses(data, name)
	if err != nil {
		return 0, 0, err
	}
	for k, w := range ws {
		at := fmt.Sprintf("%s:%d:1: ", name, w.Line)
		if w.Claim != '1' {
			return 0, 0, errors.New(at + "it claims no violation, and so there is nothing to replay")
		}
		if len(w.Justice) > 0 {
			return 0, 0, errors.New(at + "no verdict is given on justice")
		}
		frames, err := s.file.Sys.Run(w.Trace)
		if err != nil {
			return 0, 0, err
		}
		for _, bad := range w.Bads {
			frame, err := shows(frames, bad)
			if err != nil {
				return 0, 0, fmt.Errorf("%sbad %d: %w", at, bad, err)
			}
			if k == 0 && bad == w.Bads[0] {
				prop, depth = s.file.Sys.Bads[bad].Prop, frame
			}
		}
	}
	return prop, depth, nil
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

func (s *netlistSource) Netlist(all bool, props []int) *aiger.File {
	if all {
		return s.file
	}
	sys := *s.file.Sys
	sys.Bads = slices.DeleteFunc(slices.Clone(sys.Bads), func(b ts.Bad) bool { return !slices.Contains(props, b.Prop) })
	return &aiger.File{Sys: &sys, OutputsAreBads: s.file.OutputsAreBads, ConstraintName: s.file.ConstraintName, Comments: s.file.Comments}
}

// writePath writes a path of a netlist that ends with a bad: which latches are 1
// in the first frame, which change in the others, and the inputs that matter.
func writePath(w io.Writer, sys *ts.System, path *ts.Trace, bad int, name string) error {
	frames, err := sys.Run(path)
	if err != nil {
		return err
	}
	marks := sys.Justify(path, bad)
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
	fmt.Fprintf(&b, "violated: %q\n", name)
	_, err = io.WriteString(w, b.String())
	return err
}

func assignment(name string, v bool) string {
	if v {
		return name + "=1"
	}
	return name + "=0"
}

// wrap writes words behind a title, in lines of at most 80 columns if the words
// fit; nothing if there are none.
func wrap(b *strings.Builder, title string, words []string) {
	if len(words) == 0 {
		return
	}
	const indent, width = "  ", 80
	b.WriteString(indent + title)
	at := len(indent) + len(title)
	for _, x := range words {
		if at+1+len(x) > width {
			b.WriteString("\n" + indent + indent[1:])
			at = 2*len(indent) - 1
		}
		b.WriteString(" " + x)
		at += 1 + len(x)
	}
	b.WriteString("\n")
}
