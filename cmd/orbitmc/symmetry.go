package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"orbitmc/detect"
	"orbitmc/detect/decompose"
	"orbitmc/detect/dot"
	"orbitmc/detect/structure"
	"orbitmc/mc"
	"orbitmc/ts"
)

// This file holds detect: which symmetry there is, and what breaks the rest.

func detectCommand() *cli.Command {
	return command(&cli.Command{
		Name: "detect", ArgsUsage: "MODEL",
		Usage: "verify the symmetry of a model or netlist and say what breaks it",
		Description: `
For a model, --explain names the places that break each exchange of components which is
no symmetry: rules, start states, properties. For a netlist, it removes single bads,
constraints, resets and latches and shows what changes. For a coloured graph (a .dimacs
file), detect finds the group of automorphisms.`,
		Action: func(c *cli.Context) error {
			ctx, _, cancel := limited(c)
			defer cancel()
			if file := c.Args().First(); filepath.Ext(file) == ".dimacs" {
				return detectGraph(ctx, c, file)
			}
			if file := c.String("dot"); file != "" {
				if err := writable(file); err != nil {
					return err
				}
			}
			t, err := openEncoded(ctx, c)
			if err != nil {
				return err
			}
			if c.Bool("explain") && t.problem.Model != nil && t.sym == "detected" {
				return errors.New("--explain: of a model it explains declared symmetry, not --sym detected")
			}
			if file := c.String("dot"); file != "" {
				if err := t.drawSymmetry(file); err != nil {
					return err
				}
			}
			var o *obstacles
			if c.Bool("explain") && t.problem.Netlist != nil && t.report != nil && t.part == "" {
				if o, err = t.findObstacles(); err != nil {
					return err
				}
			}
			if !c.Bool("json") {
				t.showSymmetry(o)
			} else if err := t.detectJSON(o); err != nil {
				return err
			}
			if t.part != "" {
				return exitCode(exitUndecided)
			}
			return nil
		},
	}, flagSet{"output", []cli.Flag{
		&cli.BoolFlag{Name: "explain", Usage: "show all witnesses, and the places to change for a larger group"},
		&cli.StringFlag{Name: "dot", Usage: "`FILE` draw what the group moves there, for Graphviz"},
		progressFlag(),
		jsonFlag(),
	}}, modelFlags(), symmetryFlags())
}

func (t *task) drawSymmetry(file string) error {
	if t.report == nil {
		return fmt.Errorf("%s: no symmetry to draw: %s", t.file, t.whyNone())
	}
	return writeFile(file, func(b *bufio.Writer) error { return dot.Write(b, t.problem.System(), t.report.System) })
}

// part is a factor of the group, as detect lists them.
type part struct {
	Source  string     `json:"source"`           // declared, inferred, renamed or detected
	Of      string     `json:"of"`               // the type; the variables that are exchanged; the property for which it was detected, or "all"
	Group   string     `json:"group"`            // such as Sym(3)
	Order   string     `json:"order"`            // decimal
	Latches int        `json:"latches"`          // that it moves
	Inputs  int        `json:"inputs"`           // inputs and initial inputs that it moves
	Values  [][]string `json:"values,omitempty"` // of a type: the interchangeable ones
}

// moved counts the latches, and the other leaves, that some of the permutations
// move.
func moved(perms []*ts.Perm) (latches, inputs int) {
	seen := make(map[[2]int]bool)
	for _, p := range perms {
		for k, image := range [][]ts.Lit{p.Latch, p.Input, p.Init} {
			for i, l := range image {
				if l != ts.MkLit(i, false) && !seen[[2]int{k, i}] {
					seen[[2]int{k, i}] = true
					if k == 0 {
						latches++
					} else {
						inputs++
					}
				}
			}
		}
	}
	return latches, inputs
}

// detectedParts lists the factors of detected groups, and the factors of their
// kernels behind them.
func (t *task) detectedParts() []part {
	var all []part
	var add func(of string, fs []decompose.Factor)
	add = func(of string, fs []decompose.Factor) {
		for _, f := range fs {
			var degrees []string
			for _, d := range f.Degrees {
				degrees = append(degrees, fmt.Sprint(d))
			}
			all = append(all, part{Source: "detected", Of: of, Group: fmt.Sprintf("%v(%s)", f.Kind, strings.Join(degrees, ", ")),
				Order: f.Order.String(), Latches: t.sources(f.Latches), Inputs: f.Inputs})
			add(of+", kernel", f.Kernel)
		}
	}
	for p := -1; p < t.problem.NumProps(); p++ {
		of := "all"
		if p >= 0 {
			of = t.problem.Name(p)
		}
		if s := t.structures[p]; s != nil && (p < 0 || t.more(s)) {
			add(of, s.Factors)
		}
	}
	return all
}

// sources counts the latches of a netlist that latches of the cleaned one stand for.
func (t *task) sources(latches []int) int {
	c := t.problem.Cleaned
	if c == nil {
		return len(latches)
	}
	moved := make(map[int]bool) // by node
	for _, k := range latches {
		moved[c.Sys.Latches[k].Node] = true
	}
	n := 0
	for i := range c.Source.Latches {
		if l, ok := c.Latch(i); ok && moved[l.Node()] {
			n++
		}
	}
	return n
}

// cleanUp counts what clean-up left out of a netlist.
type cleanUp struct {
	Constant int `json:"constant"` // latches
	Equal    int `json:"equal"`    // latches that equal another one, or its complement
	Unused   int `json:"unused"`   // latches on which no property and no constraint depends
	Inputs   int `json:"inputs"`   // inputs and initial inputs, unused

	GaveUp bool `json:"gave_up,omitempty"` // constant and equal latches were not found: that took too long
}

func (t *task) cleanUp() *cleanUp {
	c := t.problem.Cleaned
	if c == nil {
		return nil
	}
	out := &cleanUp{GaveUp: c.GaveUp, Inputs: len(c.Source.Inputs) - len(c.Inputs) + len(c.Source.Init) - len(c.Init)}
	for i := range c.Source.Latches {
		switch same := c.Equal(i); {
		case same.Node() == 0:
			out.Constant++
		case same != c.Source.LatchLit(i):
			out.Equal++
		default:
			if _, ok := c.Latch(i); !ok {
				out.Unused++
			}
		}
	}
	return out
}

// more reports whether the group of a property is larger than that of all.
func (t *task) more(s *structure.Result) bool {
	all := t.structures[-1]
	return s.Order != nil && (all.Order == nil || s.Order.Cmp(all.Order) > 0)
}

func (t *task) showSymmetry(o *obstacles) {
	w := t.c.App.Writer
	fmt.Fprintf(w, "%s\n\n", t.title())
	if t.report == nil {
		fmt.Fprintf(w, "symmetry: %s\n", t.whyNone())
		return
	}
	if parts := t.parts(); len(parts) > 0 {
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintf(tw, "source\tof\tgroup\torder\tlatches\tinputs\tvalues\n")
		times := make(map[string]int) // of rows that are the same
		for _, p := range parts {
			times[fmt.Sprint(p)]++
		}
		for _, p := range parts {
			n := times[fmt.Sprint(p)]
			if n == 0 {
				continue // shown
			}
			times[fmt.Sprint(p)] = 0
			if n > 1 {
				p.Group = fmt.Sprintf("%d x %s", n, p.Group)
			}
			var blocks []string
			for _, b := range p.Values {
				blocks = append(blocks, "{"+strings.Join(b, " ")+"}")
			}
			if blocks == nil {
				blocks = []string{"-"}
			}
			fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%d\t%d\t%s\n", p.Source, p.Of, p.Group, p.Order, p.Latches, p.Inputs, strings.Join(blocks, " "))
		}
		tw.Flush()
		fmt.Fprintln(w)
	}
	for _, limit := range t.limits() {
		fmt.Fprintln(w, limit)
	}
	explain := 1
	if t.c.Bool("explain") {
		explain = len(t.report.Refutations)
	}
	t.showGroups(w, explain)
	if r := t.report; r.Functions > 0 {
		fmt.Fprintf(w, "compared: %d functions, of them %d by SAT\n", r.Functions, r.Queries)
	}
	if c := t.cleanUp(); c != nil && *c != (cleanUp{}) {
		fmt.Fprintf(w, "left out before: %d of %d latches (%d constant, %d equal to others, %d unused), %d of %s\n",
			c.Constant+c.Equal+c.Unused, len(t.problem.Netlist.Latches), c.Constant, c.Equal, c.Unused,
			c.Inputs, plural(len(t.problem.Netlist.Inputs)+len(t.problem.Netlist.Init), "input"))
		if c.GaveUp {
			fmt.Fprintln(w, "  there may be more: constant and equal latches took too long to find")
		}
	}
	if s := t.structures[-1]; s != nil {
		fmt.Fprintf(w, "graph: %d vertices, %d edges, %s\n", s.Vertices, s.Edges, plural(len(s.Generators), "generator"))
	}
	switch {
	case !t.c.Bool("explain"):
	case o != nil:
		o.show(w)
	default:
		t.showMissing(w)
	}
}

// showMissing says which places are in the way of which exchanges.
func (t *task) showMissing(w io.Writer) {
	missing, m := t.report.Missing, t.problem.Model
	if len(missing) == 0 {
		fmt.Fprintf(w, "every exchange of components that was tried is a symmetry\n")
		return
	}
	best := missing[0]
	fmt.Fprintf(w, "\nThe fewest places to change for a larger group of all properties, of order %v instead of %v: %d\n",
		best.Order, t.report.Common.Order(), len(best.Places))
	for _, p := range best.Places {
		fmt.Fprintf(w, "  %s\n", p.Name(m))
		fmt.Fprintf(w, "    %s\n", strings.ReplaceAll(p.Why.Text, "\n", "\n    "))
	}
	fmt.Fprintf(w, "\nWhat breaks which exchange:\n")
	var sets []string
	exchanges := make(map[string][]string)
	for _, x := range missing {
		var names []string
		for _, p := range x.Places {
			name := p.Name(m)
			if p.Why.Undecided {
				name += " (undecided)"
			}
			names = append(names, name)
		}
		set := strings.Join(names, "\n    ")
		if exchanges[set] == nil {
			sets = append(sets, set)
		}
		exchanges[set] = append(exchanges[set], x.Perm)
	}
	for _, set := range sets {
		fmt.Fprintf(w, "  %s:\n    %s\n", strings.Join(exchanges[set], ", "), set)
	}
}

// obstacles are the places of a netlist that are in the way of a larger group.
type obstacles struct {
	found         []structure.Obstacle
	tried, places int
	stopped       string
}

func (t *task) findObstacles() (*obstacles, error) {
	ctx, cancel := t.context()
	defer cancel()
	if d := t.c.Duration("timeout"); d > 0 { // of which detection has had its part
		ctx, cancel = context.WithDeadline(ctx, t.began.Add(d))
		defer cancel()
	}
	o := &obstacles{}
	wanted := *t.problem.System()
	wanted.Bads = slices.DeleteFunc(slices.Clone(wanted.Bads), func(b ts.Bad) bool { return !slices.Contains(t.problem.Props, b.Prop) })
	var err error
	o.found, o.tried, o.places, err = structure.Obstacles(ctx, &wanted, t.structures[-1].Order, structure.Options{Verify: t.verification(), Guess: wanted.NumAnds() <= manyGuesses})
	if err != nil {
		if ctx.Err() == nil || !errors.Is(err, context.Cause(ctx)) {
			return nil, err
		}
		o.stopped = stopNoun(mc.StopReason(ctx))
	}
	return o, nil
}

func (o *obstacles) show(w io.Writer) {
	if len(o.found) == 0 {
		fmt.Fprintf(w, "\nNo single place is in the way of a larger group")
	} else {
		fmt.Fprintf(w, "\nThe group is larger without any one of these places")
	}
	fmt.Fprintf(w, "; tried: %d of %d", o.tried, o.places)
	if o.stopped != "" {
		fmt.Fprintf(w, ", stopped by %s", o.stopped)
	}
	fmt.Fprintln(w)
	for _, x := range o.found {
		fmt.Fprintf(w, "  %s: order %v\n", obstacleName(x), x.Order)
	}
}

func obstacleName(x structure.Obstacle) string {
	if x.Name == "" {
		return fmt.Sprintf("%s %d", x.Kind, x.Index)
	}
	return fmt.Sprintf("%s %q", x.Kind, x.Name)
}

type jsonRefutation struct {
	Perm      string `json:"permutation"`
	Property  string `json:"property,omitempty"` // none: it is no symmetry of the model itself
	Function  string `json:"function"`
	Undecided bool   `json:"undecided,omitempty"`
	Rule      string `json:"rule,omitempty"`
	Line      int    `json:"line,omitempty"`
	Text      string `json:"text"`
}

func (t *task) refutationJSON(f detect.Refutation) jsonRefutation {
	j := jsonRefutation{Perm: f.Perm, Function: f.What, Undecided: f.Undecided, Line: f.Pos.Line, Text: f.Text}
	if f.Prop >= 0 {
		j.Property = t.problem.Name(f.Prop)
	}
	if f.Rule != nil {
		j.Rule, j.Line = f.Rule.Name, f.Rule.Pos.Line
	}
	return j
}

// jsonPlace is a place of a model, or of a netlist, that breaks symmetry.
type jsonPlace struct {
	Name    string          `json:"name"`
	Line    int             `json:"line,omitempty"`
	Order   string          `json:"order,omitempty"` // of a netlist: of the group without it
	Witness *jsonRefutation `json:"witness,omitempty"`
}

type jsonMissing struct {
	Perm      string      `json:"permutation"`
	Order     string      `json:"order"` // of the group of all properties without the places
	Undecided int         `json:"undecided,omitempty"`
	Places    []jsonPlace `json:"places"`
}

type jsonDetect struct {
	Model       string           `json:"model"`
	Symmetry    jsonSymmetry     `json:"symmetry"`
	Stopped     string           `json:"stopped,omitempty"` // why there may be more
	Time        float64          `json:"time_s"`
	Parts       []part           `json:"parts"`
	Refutations []jsonRefutation `json:"refutations"`
	Orbits      [][]string       `json:"orbits,omitempty"`    // of netlists: properties that are images of each other
	CleanUp     *cleanUp         `json:"left_out,omitempty"`  // of netlists
	Limits      []string         `json:"limits,omitempty"`    // of models: what was not tried, and why
	Missing     []jsonMissing    `json:"missing,omitempty"`   // of models: fewest places first
	Obstacles   []jsonPlace      `json:"obstacles,omitempty"` // of netlists: largest group first
}

func (t *task) detectJSON(o *obstacles) error {
	out := jsonDetect{Model: t.file, Symmetry: t.symmetryJSON(), CleanUp: t.cleanUp(), Parts: []part{}, Refutations: []jsonRefutation{}}
	if t.report == nil {
		return printJSON(t.c.App.Writer, out)
	}
	out.Stopped, out.Time = t.part, t.report.Time.Seconds()
	out.Orbits = t.orbits(false)
	out.Parts, out.Limits = append(out.Parts, t.parts()...), t.limits()
	for _, f := range t.report.Refutations {
		out.Refutations = append(out.Refutations, t.refutationJSON(f))
	}
	for _, x := range t.report.Missing {
		j := jsonMissing{Perm: x.Perm, Order: x.Order.String(), Undecided: x.Undecided}
		for _, p := range x.Places {
			why := t.refutationJSON(p.Why)
			j.Places = append(j.Places, jsonPlace{Name: p.Name(t.problem.Model), Line: p.Line(), Witness: &why})
		}
		out.Missing = append(out.Missing, j)
	}
	if o != nil {
		for _, x := range o.found {
			out.Obstacles = append(out.Obstacles, jsonPlace{Name: obstacleName(x), Order: x.Order.String()})
		}
	}
	return printJSON(t.c.App.Writer, out)
}
