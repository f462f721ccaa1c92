package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"orbitmc/benchmarks/measure"
	"orbitmc/detect"
	"orbitmc/detect/structure"
	"orbitmc/explicit"
	"orbitmc/internal/lists"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/task"
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
			if file := c.String("dot"); file != "" {
				if err := t.drawSymmetry(file); err != nil {
					return err
				}
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
			if !c.Bool("json") {
				t.showSymmetry(o)
			} else if err := t.detectJSON(o); err != nil {
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

func (t *session) drawSymmetry(file string) error {
	if t.Report == nil {
		return fmt.Errorf("%s: no symmetry to draw: %s", t.File, t.whyNone())
	}
	return writeFile(file, func(b *bufio.Writer) error { return measure.WriteDot(b, t.Problem.System(), t.Report.System) })
}

func (t *session) showSymmetry(o *obstacles) {
	w := t.c.App.Writer
	fmt.Fprintf(w, "%s\n\n", t.Title())
	if t.Report == nil {
		if t.Typed != nil {
			t.showTyped(w, ", not verified on circuits")
		} else {
			fmt.Fprintf(w, "symmetry: %s\n", t.whyNone())
			for _, why := range task.FirstFew(t.NotShown(), mostAlike) {
				fmt.Fprintf(w, "  the text does not show that of %s\n", why)
			}
		}
		t.showRules(w)
		return
	}
	if parts := t.Parts(); len(parts) > 0 {
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
			blocks := lists.Map(p.Values, func(b []string) string { return "{" + strings.Join(b, " ") + "}" })
			if blocks == nil {
				blocks = []string{"-"}
			}
			fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%d\t%d\t%s\n", p.Source, p.Of, p.Group, p.Order, p.Latches, p.Inputs, strings.Join(blocks, " "))
		}
		tw.Flush()
		fmt.Fprintln(w)
	}
	for _, limit := range t.Limits() {
		fmt.Fprintln(w, limit)
	}
	explain := 1
	if t.c.Bool("explain") {
		explain = len(t.Report.Refutations)
	}
	t.showGroups(w, explain)
	t.showRules(w)
	if r := t.Report; r.Functions > 0 {
		fmt.Fprintf(w, "compared: %d functions, of them %d by SAT\n", r.Functions, r.Queries)
	}
	if c := t.LeftOut(); c != nil && *c != (task.CleanUp{}) {
		fmt.Fprintf(w, "left out before: %d of %d latches (%d constant, %d equal to others, %d unused), %d of %s\n",
			c.Constant+c.Equal+c.Unused, len(t.Problem.Netlist.Latches), c.Constant, c.Equal, c.Unused,
			c.Inputs, task.Plural(len(t.Problem.Netlist.Inputs)+len(t.Problem.Netlist.Init), "input"))
		if c.GaveUp {
			fmt.Fprintln(w, "  there may be more: constant and equal latches took too long to find")
		}
	}
	if s := t.Structures[-1]; s != nil {
		fmt.Fprintf(w, "graph: %d vertices, %d edges, %s\n", s.Vertices, s.Edges, task.Plural(len(s.Generators), "generator"))
	}
	switch {
	case !t.c.Bool("explain"):
	case o != nil:
		o.show(w)
	default:
		t.showMissing(w)
	}
}

// virtual prints whether the model is virtually symmetric.
func (t *session) virtual(ctx context.Context, a *task.Analysis) error {
	w := t.c.App.Writer
	fmt.Fprintf(w, "%s\n\n", t.Title())
	if a == nil {
		fmt.Fprintln(w, "virtual symmetry: no rule breaks symmetry, or it cannot be verified rule by rule")
		return nil
	}
	p := a.Problem
	q, err := explicit.Virtual(ctx, p.Program, p.Partial, math.MaxInt64)
	if err != nil {
		return err
	}
	t.showRules(w)
	var cells []string
	for c, y := range p.Model.Scalarsets {
		if !y.Slots {
			cells = append(cells, fmt.Sprintf("%v: %s", y, task.KeptText(y, q.Kept, c)))
		}
	}
	within := fmt.Sprintf("the quotient by the permutations within %s", strings.Join(cells, "; "))
	switch x := q.Witness; {
	case q.Reason != "":
		fmt.Fprintf(w, "virtual symmetry: undecided after %d orbits; stopped by %s\n", q.Orbits, stopNoun(mc.StopReason(ctx)))
		return exitCode(exitUndecided)
	case x == nil:
		fmt.Fprintf(w, "virtual symmetry: yes: %s is bisimilar to the model; %d orbits\n", within, q.Orbits)
	default:
		to := "errs: "
		if x.To != nil {
			to = "leads to " + stateText(p.Model, x.To)
		} else {
			to += x.V.Message
		}
		fmt.Fprintf(w, "virtual symmetry: no: %s is not bisimilar to the model\n  in %s\n  %s %s\n  no step leads from the image %s to an image of that\n",
			within, stateText(p.Model, x.From), p.Model.FormatChoice(x.Step), to, stateText(p.Model, x.Image))
	}
	return nil
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

// showRules says what each rule keeps that breaks symmetry, and where it does so: of the first few rules
// the first few places, with --explain all.
func (t *session) showRules(w io.Writer) {
	if t.Broken == nil {
		return
	}
	rules, places := mostBroken, mostPlaces
	if t.c.Bool("explain") {
		rules, places = math.MaxInt, math.MaxInt
	}
	fmt.Fprintln(w, "rules that break symmetry, and what they keep of it; the others keep all, see explore --canon adaptive")
	for i, r := range t.Broken.Rules {
		if i == rules {
			fmt.Fprintf(w, "  and %d more; --explain shows all\n", len(t.Broken.Rules)-i)
			break
		}
		fmt.Fprintf(w, "  %s\n", brokenText(r))
		why := brokenPlaces(r.Why)
		for k, line := range why {
			if k == places {
				fmt.Fprintf(w, "    and %s more\n", task.Plural(len(why)-k, "place"))
				break
			}
			fmt.Fprintf(w, "    %s\n", line)
		}
	}
}

// mostPlaces is how many places of a rule are shown.
const mostPlaces = 4

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

// showMissing says which places are in the way of which exchanges.
func (t *session) showMissing(w io.Writer) {
	missing, m := t.Report.Missing, t.Problem.Model
	if len(missing) == 0 {
		fmt.Fprintf(w, "every exchange of components that was tried is a symmetry\n")
		return
	}
	best := missing[0]
	fmt.Fprintf(w, "\nThe fewest places to change for a larger group of all properties, of order %v instead of %v: %d\n",
		best.Order, t.Report.Common.Order(), len(best.Places))
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

func (t *session) findObstacles() (*obstacles, error) {
	ctx, cancel := t.context()
	defer cancel()
	if d := t.c.Duration("timeout"); d > 0 { // of which detection has had its part
		ctx, cancel = context.WithDeadline(ctx, t.Began.Add(d))
		defer cancel()
	}
	o := &obstacles{}
	wanted := *t.Problem.System()
	wanted.Bads = slices.DeleteFunc(slices.Clone(wanted.Bads), func(b ts.Bad) bool { return !slices.Contains(t.Problem.Props, b.Prop) })
	var err error
	o.found, o.tried, o.places, err = structure.Obstacles(ctx, &wanted, t.Structures[-1].Order, structure.Options{Verify: t.Verification(), Guess: wanted.NumAnds() <= task.ManyGuesses})
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

func (t *session) refutationJSON(f detect.Refutation) jsonRefutation {
	j := jsonRefutation{Perm: f.Perm, Function: f.What, Undecided: f.Undecided, Line: f.Pos.Line, Text: f.Text}
	if f.Prop >= 0 {
		j.Property = t.Problem.Name(f.Prop)
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

func (t *session) detectJSON(o *obstacles) error {
	out := jsonDetect{Model: t.File, Symmetry: t.symmetryJSON(), CleanUp: t.LeftOut(), Parts: []task.Part{}, Refutations: []jsonRefutation{}}
	out.Stopped = t.Partial
	if t.Report == nil {
		return printJSON(t.c.App.Writer, out)
	}
	out.Time = t.Report.Time.Seconds()
	out.Orbits = t.orbits(false)
	out.Parts, out.Limits = append(out.Parts, t.Parts()...), t.Limits()
	out.Refutations = append(out.Refutations, lists.Map(t.Report.Refutations, t.refutationJSON)...)
	for _, x := range t.Report.Missing {
		j := jsonMissing{Perm: x.Perm, Order: x.Order.String(), Undecided: x.Undecided}
		for _, p := range x.Places {
			why := t.refutationJSON(p.Why)
			j.Places = append(j.Places, jsonPlace{Name: p.Name(t.Problem.Model), Line: p.Line(), Witness: &why})
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
