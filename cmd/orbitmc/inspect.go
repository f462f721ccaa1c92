package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"orbitmc/detect"
	"orbitmc/encode"
	"orbitmc/encode/aiger"
	"orbitmc/encode/murphi"
	"orbitmc/mc"
	"orbitmc/sat"
)

// This file holds the commands that show what a model is to the engines.

func detectCommand() *cli.Command {
	return command(&cli.Command{
		Name: "detect", ArgsUsage: "MODEL",
		Usage: "verify the symmetry of the model and say what breaks it",
		Description: `
Of a coloured graph, a .dimacs file, it finds the group of automorphisms.`,
		Action: func(c *cli.Context) error {
			if args, err := arguments(c); err == nil && filepath.Ext(args[0]) == ".dimacs" {
				return detectGraph(c, args[0])
			}
			t, err := openEncoded(c)
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return t.detectJSON()
			}
			explain := 1
			if c.Bool("explain") && t.report != nil {
				explain = len(t.report.Refutations)
			}
			t.showSymmetry(explain)
			return nil
		},
	}, flagSet{"output", []cli.Flag{
		&cli.BoolFlag{Name: "explain", Usage: "show the witness of every refutation, not only of the first one"},
		jsonFlag(),
	}}, modelFlags(), symmetryFlags())
}

// openEncoded loads a model that must have a symbolic encoding.
func openEncoded(c *cli.Context) (*task, error) {
	t, err := open(c)
	if err != nil {
		return nil, err
	}
	ctx, cancel := t.context()
	defer cancel()
	if err := t.prepare(ctx, true); err != nil {
		if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
			return nil, err
		}
		fmt.Fprintf(c.App.ErrWriter, "the symmetry is not verified; stopped by %s\n", stopNoun(mc.StopReason(ctx)))
		return nil, exitCode(exitUndecided)
	}
	return t, t.problem.EncErr
}

func (t *task) showSymmetry(explain int) {
	w := t.c.App.Writer
	fmt.Fprintf(w, "%s\n\n", t.title())
	if t.report == nil {
		fmt.Fprintf(w, "symmetry: %s\n", t.whyNone())
		return
	}
	t.table(w)
	fmt.Fprintln(w)
	t.showGroups(w, explain)
	r := t.report
	if r.Functions > 0 {
		fmt.Fprintf(w, "compared: %d functions, of them %d by SAT\n", r.Functions, r.Queries)
	}
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

func (t *task) detectJSON() error {
	out := struct {
		Model       string           `json:"model"`
		Symmetry    jsonSymmetry     `json:"symmetry"`
		Refutations []jsonRefutation `json:"refutations"`
	}{t.file, t.symmetryJSON(), []jsonRefutation{}}
	if t.report != nil {
		for _, f := range t.report.Refutations {
			j := jsonRefutation{Perm: f.Perm, Function: f.What, Undecided: f.Undecided, Line: f.Pos.Line, Text: f.Text}
			if f.Prop >= 0 {
				j.Property = t.problem.Name(f.Prop)
			}
			if f.Rule != nil {
				j.Rule, j.Line = f.Rule.Name, f.Rule.Pos.Line
			}
			out.Refutations = append(out.Refutations, j)
		}
	}
	return printJSON(t.c.App.Writer, out)
}

func convertCommand() *cli.Command {
	return command(&cli.Command{
		Name: "convert", ArgsUsage: "MODEL",
		Usage: "write the model, its transition system as AIGER, text or graph, or a bounded query as DIMACS",
		Description: `
A .m file is MODEL in the standard layout, with the same constants. An .aig (binary)
or .aag (ascii) file is a netlist for other model checkers: of a netlist with all it
has, of a model with a bad for each property that can be violated in a state, and one
for errors inside a step, which is seen in the frame where the step begins, one less
than our depth; covers and liveness are left out. A .dimacs file is the coloured graph
whose automorphisms are symmetries of the system, for detect and other tools.`,
		Action: func(c *cli.Context) error {
			file := c.String("o")
			switch ext := filepath.Ext(file); {
			case file == "":
				return fmt.Errorf("orbitmc convert: no output file given; use -o FILE.m, .aig, .aag, .txt, .dimacs or .cnf")
			case ext == ".m":
				return formatModel(c, file)
			case !slices.Contains([]string{".aig", ".aag", ".txt", ".dimacs", ".cnf"}, ext):
				return fmt.Errorf("-o %s: cannot write %q files, want .m, .aig, .aag, .txt, .dimacs or .cnf", file, ext)
			}
			t, err := openEncoded(c)
			if err != nil {
				return err
			}
			switch filepath.Ext(file) {
			case ".txt":
				return writeFile(file, func(b *bufio.Writer) error { return t.problem.System().Dump(b) })
			case ".dimacs":
				return detect.WriteGraph(file, t.problem.System())
			case ".cnf":
				return t.writeUnrolling(file)
			default:
				return writeFile(file, func(b *bufio.Writer) error { return aiger.Write(b, t.netlist(), filepath.Ext(file) == ".aig") })
			}
		},
	}, flagSet{"output", []cli.Flag{
		&cli.StringFlag{Name: "o", Usage: "`FILE` the output: .m for the model, .aig or .aag for a netlist, .txt for the transition system, .dimacs for its graph, .cnf for a query"},
		&cli.IntFlag{Name: "k", Value: 10, Usage: "`N` query: is the property violated after exactly N steps? (default 10)"},
		&cli.StringSliceFlag{Name: "prop", Usage: "`NAME` query: the property (default: the first one)"},
	}}, modelFlags())
}

// formatModel writes the source of a model, which must be without errors, in the
// standard layout.
func formatModel(c *cli.Context, file string) error {
	if len(c.StringSlice("D")) > 0 {
		return fmt.Errorf("-D: constants are not set in a .m file")
	}
	t, err := open(c)
	if err != nil {
		return err
	}
	s, ok := t.source.(*modelSource)
	if !ok {
		return fmt.Errorf("-o %s: a netlist is no model", file)
	}
	src, err := os.ReadFile(t.file)
	if err != nil {
		return err
	}
	out, err := murphi.Format(t.file, src, s.options.Dialect)
	if err != nil {
		return err
	}
	return writeFile(file, func(b *bufio.Writer) error {
		_, err := b.Write(out)
		return err
	})
}

// writeUnrolling writes the formula "the property is violated after k steps",
// satisfiable iff that is so.
func (t *task) writeUnrolling(file string) error {
	k, _, err := bound(t.c)
	if err != nil {
		return err
	}
	if n := len(t.c.StringSlice("prop")); n > 1 {
		return fmt.Errorf("orbitmc convert: %d properties, want one", n)
	}
	p := t.problem
	if len(p.Props) == 0 {
		return fmt.Errorf("%s: it has no properties", t.file)
	}
	prop := p.Props[0]
	rec := &sat.Recorder{}
	f := encode.NewFrames(p.System(), false)
	for range k + 1 {
		f.Extend()
	}
	cnf := encode.NewCNF(f.Graph(), rec)
	for i := range k {
		cnf.Assert(f.Constraint(i))
	}
	cnf.Assert(f.Violation(p.Bads(prop), k))
	return writeFile(file, func(b *bufio.Writer) error {
		return rec.CNF().WriteDIMACS(b, fmt.Sprintf("%s: %v %q is violated after %s", t.title(), p.Kind(prop), p.Name(prop), plural(k, "step")))
	})
}

// writable reports an error if a file cannot be created, before the work for its
// contents is done.
func writable(name string) error {
	_, missing := os.Stat(name)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	if missing != nil {
		os.Remove(name)
	}
	return f.Close()
}

// writeFile creates a file and reports the first error.
func writeFile(name string, write func(*bufio.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(f)
	if err := write(b); err != nil {
		f.Close()
		return err
	}
	if err := b.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// structureTable lists the factors of detected groups.
func (t *task) structureTable(w io.Writer) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "property\tfactor\torder\tlatches moved\tinputs moved\n")
	for p := -1; p < t.problem.NumProps(); p++ {
		name := "all"
		if p >= 0 {
			name = t.problem.Name(p)
		}
		if s := t.structures[p]; s != nil {
			for _, f := range s.Factors {
				var degrees []string
				for _, d := range f.Degrees {
					degrees = append(degrees, fmt.Sprint(d))
				}
				fmt.Fprintf(tw, "%s\t%v(%s)\t%v\t%d\t%d\n", name, f.Kind, strings.Join(degrees, ", "), f.Order, f.Latches, f.Inputs)
			}
		}
	}
	tw.Flush()
}
