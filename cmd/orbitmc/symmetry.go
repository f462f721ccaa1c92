package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"orbitmc/benchmarks/measure"
	"orbitmc/detect"
	"orbitmc/detect/structure"
	"orbitmc/internal/explicit"
	"orbitmc/internal/lists"
	"orbitmc/internal/task"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/ts"
)

// This file holds detect: which symmetry there is, and what breaks the rest.

func detectCommand() *cli.Command {
	return command(&cli.Command{
		Name: "detect", ArgsUsage: "MODEL",
		Usage: "verify the symmetry of a model or netlist and say what breaks it",
		Description: `
For a model, the work has a limit that does not depend on the machine, about 20 seconds;
--timeout or --explain lifts it. --explain names the places that break each exchange of
components which is no symmetry: rules, start states, properties. For a netlist, it removes single bads,
constraints, resets and latches and shows what changes. For a coloured graph (a .dimacs
file), detect finds the group of automorphisms.`,
		Action: func(c *cli.Context) error {
			ctx, _, cancel := limited(c)
			defer cancel()
			if file := c.Args().First(); filepath.Ext(file) == ".dimacs" {
				return detectGraph(ctx, c, file)
			}
			opt := taskOptions(c)
			opt.Thorough = true
			t, err := openEncoded(ctx, c, opt)
			if err != nil {
				return err
			}
			if c.Bool("explain") && t.Problem.Model != nil && t.Symmetry == "detected" {
				return errors.New("--explain: of a model it explains declared symmetry, not --sym detected")
			}
			if t.Report == nil && c.String("dot") != "" {
				return fmt.Errorf("%s: no symmetry to draw: %s", t.File, t.whyNone())
			}
			draw := func(b *bufio.Writer) error { return measure.WriteDot(b, t.Problem.System(), t.Report.System) }
			if err := writeOption(c, "dot", draw); err != nil {
				return err
			}
			var o *obstacles
			if c.Bool("explain") && t.Problem.Netlist != nil && t.Report != nil && t.Partial == "" {
				if o, err = t.findObstacles(); err != nil {
					return err
				}
			}
			if t.Problem.Model != nil {
				byRule, err := t.ByRule(ctx)
				t.bar.done()
				if err != nil && !task.CutShort(ctx, err) {
					return err
				}
				if byRule != nil {
					t.Broken = byRule.Broken
				}
				if c.Bool("virtual") {
					return t.virtual(ctx, byRule)
				}
			}
			if c.Bool("json") {
				err = t.detectJSON(o)
			} else {
				err = show(c.App.Writer, "detect", struct {
					T         *session
					Obstacles *obstacles
				}{t, o})
			}
			if err != nil {
				return err
			}
			if t.Partial != "" {
				return exitCode(exitUndecided)
			}
			return nil
		},
	}, flagSet{"output", []cli.Flag{
		&cli.BoolFlag{Name: "explain", Usage: "show all witnesses, all rules that break symmetry, and the places to change for a larger group"},
		&cli.BoolFlag{Name: "virtual", Usage: "of a model: is the quotient by the permutations that some rule keeps bisimilar to the model, although other rules break them? With a step that some image of its state has not, if it is not"},
		&cli.StringFlag{Name: "dot", Usage: "`FILE` draw what the group moves there, for Graphviz"},
		progressFlag(),
		jsonFlag(),
	}}, modelFlags(), formulaFlags(), symmetryFlags())
}

// explains reports whether all is to be explained that breaks symmetry.
func (se *session) explains() bool { return se.c.Bool("explain") }

// row is a factor of the group, or several that are the same.
type row struct {
	task.Part
	Blocks string // of values
}

// rows lists the factors of the group.
func (se *session) rows() (all []row) {
	times := make(map[string]int) // of those that are the same
	for _, p := range se.Parts() {
		times[fmt.Sprint(p)]++
	}
	for _, p := range se.Parts() {
		n := times[fmt.Sprint(p)]
		if n == 0 {
			continue // shown
		}
		times[fmt.Sprint(p)] = 0
		if n > 1 {
			p.Group = fmt.Sprintf("%d x %s", n, p.Group)
		}
		blocks := lists.Join(p.Values, " ", func(b []string) string { return "{" + strings.Join(b, " ") + "}" })
		all = append(all, row{p, cmp.Or(blocks, "-")})
	}
	return all
}

// leftOutText says what clean-up left out of a netlist, "" if nothing.
func (se *session) leftOutText() string {
	c := se.LeftOut()
	if c == nil || *c == (task.CleanUp{}) {
		return ""
	}
	text := fmt.Sprintf("%d of %d latches (%d constant, %d equal to others, %d unused), %d of %s",
		c.Constant+c.Equal+c.Unused, len(se.Problem.Netlist.Latches), c.Constant, c.Equal, c.Unused,
		c.Inputs, task.Plural(len(se.Problem.Netlist.Inputs)+len(se.Problem.Netlist.Init), "input"))
	if c.GaveUp {
		text += "\n  there may be more: constant and equal latches took too long to find"
	}
	return text
}

// virtual prints whether the model is virtually symmetric.
func (se *session) virtual(ctx context.Context, a *task.Analysis) error {
	w := se.c.App.Writer
	fmt.Fprintf(w, "%s\n\n", se.Title())
	if a == nil {
		fmt.Fprintln(w, "virtual symmetry: no rule breaks symmetry, or it cannot be verified rule by rule")
		return nil
	}
	p := a.Problem
	q, err := explicit.Virtual(ctx, p.Program, p.Partial, math.MaxInt64)
	if err != nil {
		return err
	}
	if err := show(w, "rules", se); err != nil {
		return err
	}
	v := struct {
		*explicit.Quotient
		Model     *model.Model
		Cells     []string
		StoppedBy string
	}{q, p.Model, nil, mc.StopReason(ctx)}
	for c, y := range p.Model.Scalarsets {
		if !y.Slots {
			v.Cells = append(v.Cells, fmt.Sprintf("%v: %s", y, task.KeptText(y, q.Kept, c)))
		}
	}
	if err = show(w, "virtual", v); err == nil && q.Reason != "" {
		err = exitCode(exitUndecided)
	}
	return err
}

// stateText lists the leaves of a state that are defined.
func stateText(m *model.Model, s model.State) string {
	var all []string
	for i, l := range m.AllLeaves() {
		if s[i] != model.Undef {
			all = append(all, l.Name+" = "+l.Type.Format(s[i]))
		}
	}
	return strings.Join(all, ", ")
}

// brokenPlaces lists places once, those in the text first. A place that stands nowhere was made of the text.
func brokenPlaces(why []model.Split) (lines []string) {
	for _, written := range []bool{true, false} {
		for _, y := range why {
			line := y.Text
			if written {
				line = fmt.Sprintf("%v: %s", y.Pos, y.Text)
			}
			if written == (y.Pos != model.Pos{}) && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// exchanges says which exchanges break at which places: a set of places, and all that it breaks.
func (se *session) exchanges() []string {
	var sets []string
	broken := make(map[string][]string)
	for _, x := range se.Report.Missing {
		var names []string
		for _, p := range x.Places {
			name := p.Name(se.Problem.Model)
			if p.Why.Undecided {
				name += " (undecided)"
			}
			names = append(names, name)
		}
		set := strings.Join(names, "\n    ")
		sets = lists.With(sets, set)
		broken[set] = append(broken[set], x.Perm)
	}
	return lists.Map(sets, func(set string) string { return strings.Join(broken[set], ", ") + ":\n    " + set })
}

// obstacles are the places of a netlist that are in the way of a larger group.
type obstacles struct {
	Found         []structure.Obstacle
	Tried, Places int
	Stopped       string
}

func (se *session) findObstacles() (*obstacles, error) {
	ctx, cancel := se.context()
	defer cancel()
	if d := se.c.Duration("timeout"); d > 0 { // of which detection has had its part
		ctx, cancel = context.WithDeadline(ctx, se.Began.Add(d))
		defer cancel()
	}
	o := &obstacles{}
	wanted := *se.Problem.System()
	wanted.Bads = slices.DeleteFunc(slices.Clone(wanted.Bads), func(b ts.Bad) bool { return !slices.Contains(se.Problem.Props, b.Prop) })
	var err error
	o.Found, o.Tried, o.Places, err = structure.Obstacles(ctx, &wanted, se.Structures[-1].Order, structure.Options{Verify: se.Verification(), Guess: wanted.NumAnds() <= task.ManyGuesses})
	if err != nil {
		if ctx.Err() == nil || !errors.Is(err, context.Cause(ctx)) {
			return nil, err
		}
		o.Stopped = stopNoun(mc.StopReason(ctx))
	}
	return o, nil
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

func (se *session) refutationJSON(f detect.Refutation) jsonRefutation {
	j := jsonRefutation{Perm: f.Perm, Function: f.What, Undecided: f.Undecided, Line: f.Pos.Line, Text: f.Text}
	if f.Prop >= 0 {
		j.Property = se.Problem.Name(f.Prop)
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
	Parts       []task.Part      `json:"parts"`
	Refutations []jsonRefutation `json:"refutations"`
	Orbits      [][]string       `json:"orbits,omitempty"`    // of netlists: properties that are images of each other
	CleanUp     *task.CleanUp    `json:"left_out,omitempty"`  // of netlists
	Limits      []string         `json:"limits,omitempty"`    // of models: what was not tried, and why
	Missing     []jsonMissing    `json:"missing,omitempty"`   // of models: fewest places first
	Obstacles   []jsonPlace      `json:"obstacles,omitempty"` // of netlists: largest group first
}

func (se *session) detectJSON(o *obstacles) error {
	out := jsonDetect{Model: se.File, Symmetry: se.symmetryJSON(), CleanUp: se.LeftOut(), Parts: []task.Part{}, Refutations: []jsonRefutation{}}
	out.Stopped = se.Partial
	if se.Report == nil {
		return printJSON(se.c.App.Writer, out)
	}
	out.Time = se.Report.Time.Seconds()
	out.Orbits = se.orbits(false)
	out.Parts, out.Limits = append(out.Parts, se.Parts()...), se.Limits()
	out.Refutations = append(out.Refutations, lists.Map(se.Report.Refutations, se.refutationJSON)...)
	for _, x := range se.Report.Missing {
		j := jsonMissing{Perm: x.Perm, Order: x.Order.String(), Undecided: x.Undecided}
		for _, p := range x.Places {
			why := se.refutationJSON(p.Why)
			j.Places = append(j.Places, jsonPlace{Name: p.Name(se.Problem.Model), Line: p.Line(), Witness: &why})
		}
		out.Missing = append(out.Missing, j)
	}
	if o != nil {
		for _, x := range o.Found {
			out.Obstacles = append(out.Obstacles, jsonPlace{Name: obstacleName(x), Order: x.Order.String()})
		}
	}
	return printJSON(se.c.App.Writer, out)
}
