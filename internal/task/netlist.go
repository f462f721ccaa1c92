package task

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"orbitmc/aig"
	"orbitmc/encode/aiger"
	"orbitmc/internal/lists"
	"orbitmc/internal/prog"
	"orbitmc/internal/trace"
	"orbitmc/mc"
	"orbitmc/ts"
)

// This file holds what the front ends of netlists, aiger.go and btor2.go, have in common. The
// properties are the bads and the justice properties, which are bads of a system that
// ts.NewLassos makes.

type netlistFile interface {
	// words returns what a path of the file gives to its inputs, its states and the wires of a property that have names, and
	// which of these matter; nil: that is not known. Without a property, these are the wires of all.
	words(kind byte, number int, path, inputs *ts.Trace, latches [][]bool) ([]word, error)
	WriteWitness(w io.Writer, kind byte, number int, path *ts.Trace) error
}

// word is an input, a state or a wire of a file, along a path.
type word struct {
	trace.Signal
	bits    []string // its values, the most significant bit first
	element bool     // of a large array, which may be any value
	wire    bool
}

// netlistStyle is what is peculiar to the traces of a format.
type netlistStyle struct {
	witness       string // the style of its witnesses
	first, change string // titles of the states in the first frame, and in the others
}

// netlistSource is what the sources of netlists have in common.
type netlistSource struct {
	t      *Task
	own    netlistFile
	style  netlistStyle
	sys    *ts.System                           // what engines see
	covers []int                                // see mc.Problem.Covers
	lassos *ts.Lassos                           // nil without justice properties; else what sys was made by
	replay func(prop int, path *ts.Trace) error // see mc.Problem.Replay
	real   func(prop int, path *ts.Trace) error // see mc.Problem.Real
	sample func(context.Context) error          // see mc.Problem.Sample
}

// newNetlistSource returns the source of a system with justice properties and fairness
// constraints.
func newNetlistSource(t *Task, sys *ts.System, justice []ts.Justice, fair []aig.Lit) netlistSource {
	if len(justice) == 0 {
		return netlistSource{t: t, sys: sys}
	}
	first := 0
	for _, b := range sys.Bads {
		first = max(first, b.Prop+1)
	}
	for i := range justice {
		justice[i].Prop = first + i
	}
	l := ts.NewLassos(sys, justice, fair)
	return netlistSource{t: t, sys: l.Sys, lassos: l}
}

func (s *netlistSource) properties() *mc.Problem {
	p := mc.NewNetlist(s.sys, s.lassos)
	p.Replay, p.Real, p.Sample, p.Covers = s.replay, s.real, s.sample, s.covers
	return p
}

func (s *netlistSource) Title() string { return s.t.File }
func (s *netlistSource) Declared() int { return 0 }
func (s *netlistSource) Inferred() int { return 0 }

// analyse cleans up the netlist, unless it is to be written, or a witness circuit for
// it, and detects symmetry. A system without W is well-formed.
func (s *netlistSource) analyse(ctx context.Context, props []int, _ bool, early func(*mc.Problem)) (*Analysis, error) {
	a := &Analysis{Problem: s.properties()}
	a.Problem.Props = props
	a.Problem.WellFormed = s.sys.W == aig.True
	if !s.t.Raw {
		s.t.Phase("cleaning up")
		a.Problem.Clean()
	}
	if !a.Problem.WellFormed {
		tell(early, a.Problem)
		if err := s.t.ProveWellFormed(ctx, a); err != nil {
			return nil, err
		}
	}
	if s.t.Symmetry == "off" || s.t.Symmetry == "declared" {
		return a, nil
	}
	tell(early, a.Problem)
	return a, s.t.detected(ctx, a, a.Problem.System(), early != nil)
}

func (s *netlistSource) Parts() []Part    { return s.t.detectedParts() }
func (s *netlistSource) Limits() []string { return nil }

// problem returns a problem with the netlist. That of the task has none yet while formulas are decided.
func (s *netlistSource) problem() *mc.Problem {
	if p := s.t.Problem; p.Netlist != nil {
		return p
	}
	return s.properties()
}

// violated returns the bad of a property that a path shows.
func (s *netlistSource) violated(prop int, path *ts.Trace) (bad int, err error) {
	for _, bad = range s.problem().Sources(prop) {
		if err = s.sys.Replay(path, bad); err == nil {
			break
		}
	}
	return bad, err
}

func (s *netlistSource) Polish(*mc.Result) {}

// path returns a path of the file that a path of what engines see stands for.
func (s *netlistSource) path(of *ts.Trace) *ts.Trace {
	if s.lassos == nil {
		return of
	}
	return s.lassos.Trace(of)
}

// shown is what a path that violates a property says of the file.
type shown struct {
	path   *ts.Trace
	kind   byte // 'b' for a bad, 'j' for justice
	number int  // of the property among those of its kind
	loop   int  // of justice: the frame that the last one is equal to, see mc.Problem.Lasso
}

func (s *netlistSource) shown(prop int, path *ts.Trace) (*shown, error) {
	lasso, loop, ok, err := s.problem().Lasso(prop, path)
	if err != nil {
		return nil, err
	}
	if ok {
		return &shown{lasso, 'j', prop - s.lassos.Justice[0].Prop, loop}, nil
	}
	bad, err := s.violated(prop, path)
	return &shown{path: s.path(path), kind: 'b', number: bad}, err
}

// witness is shown, but the successor of the last frame of a lasso is the whole state of frame loop.
func (s *netlistSource) witness(prop int, path *ts.Trace) (*shown, error) {
	x, err := s.shown(prop, path)
	if err == nil && x.kind == 'j' {
		x.path, x.loop, err = s.lassos.Unroll(x.path, x.loop)
	}
	return x, err
}

// end is a line for the end of a trace, "" if there is nothing to say.
func (s *shown) end() string {
	if s.kind != 'j' {
		return ""
	}
	return fmt.Sprintf("all that the property depends on is as in frame %d: this repeats for ever\n", s.loop)
}

// last is the frame that follows the last one, -1 if nothing is said of it.
func (s *shown) last() int {
	if s.kind != 'j' {
		return -1
	}
	return s.loop
}

// SaveTrace implements Source: a witness in the format of the file, or waves.
func (s *netlistSource) SaveTrace(w io.Writer, pr *mc.PropResult, style string) error {
	x, err := s.witness(pr.Prop, pr.Path)
	if err != nil {
		return err
	}
	if style != "vcd" {
		return s.own.WriteWitness(w, x.kind, x.number, x.path)
	}
	words, err := s.own.words(0, 0, x.path, nil, nil)
	if err != nil {
		return err
	}
	return writeVCD(w, words)
}

// along returns what the file has along the path of a property, and what matters.
func (s *netlistSource) along(pr *mc.PropResult) (x *shown, words []word, err error) {
	if x, err = s.shown(pr.Prop, pr.Path); err != nil {
		return nil, nil, err
	}
	bad, err := s.violated(pr.Prop, pr.Path)
	if err != nil {
		return nil, nil, err
	}
	inputs, latches := s.sys.Justify(pr.Path, bad)
	words, err = s.own.words(x.kind, x.number, x.path, inputs, latches)
	return x, words, err
}

// WriteTrace implements Source: which states are not 0 in the first frame, which change in the others, and the inputs
// that matter.
func (s *netlistSource) WriteTrace(w io.Writer, pr *mc.PropResult, style string) error {
	if style == s.style.witness || style == "vcd" {
		return s.SaveTrace(w, pr, style)
	}
	x, words, err := s.along(pr)
	if err != nil {
		return err
	}
	var b strings.Builder
	for k := range len(x.path.Inputs) {
		fmt.Fprintf(&b, "frame %d\n", k)
		var states, wires, inputs []string
		for _, g := range words {
			text, zero := g.Name+"="+g.Values[k], strings.Trim(g.bits[k], "0") == ""
			switch {
			case g.element && !zero, g.Input && !g.element && g.Matters[k]:
				inputs = append(inputs, text)
			case g.Input:
			case k == 0 && zero || k > 0 && g.bits[k] == g.bits[k-1]:
			case g.wire:
				wires = append(wires, text)
			default:
				states = append(states, text)
			}
		}
		title := s.style.change
		if k == 0 {
			title = s.style.first
		}
		wrap(&b, title, states)
		wrap(&b, strings.Replace(title, "states", "wires", 1), wires)
		wrap(&b, "inputs that matter:", inputs)
	}
	named := lists.Where(words, func(g word) bool { return g.Place != "" && strings.Contains(b.String(), " "+g.Name+"=") })
	wrap(&b, "in the source:", lists.Map(named, func(g word) string { return g.Name + "=" + g.Place }))
	fmt.Fprintf(&b, "%s%s: %q\n", x.end(), s.verb(pr.Prop), s.t.Problem.Name(pr.Prop))
	_, err = io.WriteString(w, b.String())
	return err
}

// View implements Source.
func (s *netlistSource) View(pr *mc.PropResult) (*trace.View, error) {
	x, words, err := s.along(pr)
	if err != nil {
		return nil, err
	}
	return s.page(pr.Prop, pr.Engine, words, x.last()), nil
}

// ran is what a run says that claims nothing: the first bad at its end, if one holds there. Constraints and bads are by frame.
func (s *netlistSource) ran(name string, constraints []bool, bads [][]bool, words func(kind byte, number int) ([]word, error)) (*Replayed, error) {
	r, kind, bad := &Replayed{Prop: -1, Depth: len(constraints) - 1}, byte(0), 0
	if k := slices.Index(constraints, false); k >= 0 && k < r.Depth {
		return nil, fmt.Errorf("%s: a constraint fails in frame %d", name, k)
	} else if b := slices.Index(bads[r.Depth], true); k < 0 && b >= 0 {
		r.Prop, kind, bad = s.sys.Bads[b].Prop, 'b', b
	}
	r.View = func() (*trace.View, error) {
		all, err := words(kind, bad)
		return s.page(r.Prop, "", all, -1), err
	}
	return r, nil
}

// page returns the view of a path; without a property it is a run.
func (s *netlistSource) page(prop int, engine string, words []word, loop int) *trace.View {
	v := trace.View{Title: s.t.File, Engine: engine, Kind: "run"}
	if prop >= 0 {
		v.Property, v.Kind, v.Verb = s.t.Problem.Name(prop), "", s.verb(prop)
	}
	return trace.OfPath(v, lists.Map(words, func(x word) trace.Signal { return x.Signal }), loop)
}

// Program implements Source.
func (s *netlistSource) Program() *prog.Program { return nil }

// Notes implements Source.
func (s *netlistSource) Notes(*mc.Result) []string { return nil }

func (s *netlistSource) Smaller() (string, int64) { return "", 0 }

// verb says what becomes of a property at the end of a path.
func (s *netlistSource) verb(prop int) string {
	if slices.Contains(s.covers, prop) {
		return "covered"
	}
	return "violated"
}

// Netlist leaves out covers, which are not bad.
func (s *netlistSource) Netlist(all bool, props []int) *aiger.File {
	if all && s.covers == nil {
		return aiger.FromSystem(s.sys)
	} else if all {
		props = slices.DeleteFunc(slices.Clone(props), func(q int) bool { return slices.Contains(s.covers, q) })
	}
	return aiger.FromSystem(s.only(props))
}

// only returns the system with the bads of some properties.
func (s *netlistSource) only(props []int) *ts.System {
	sys := *s.sys
	sys.Bads = slices.DeleteFunc(slices.Clone(sys.Bads), func(b ts.Bad) bool { return !slices.Contains(props, b.Prop) })
	return &sys
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
