package main

import (
	"bufio"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"orbitmc/detect/structure"
	"orbitmc/encode/aiger"
	"orbitmc/encode/cnf"
	"orbitmc/encode/murphi"
	"orbitmc/encode/promela"
	"orbitmc/internal/task"
	"orbitmc/mc"
	"orbitmc/sat"
)

// This file holds convert, which writes what the engines are given.

func convertCommand() *cli.Command {
	return command(&cli.Command{
		Name: "convert", ArgsUsage: "MODEL",
		Usage: "write the model, its transition system as AIGER, text or graph, or a bounded query as DIMACS",
		Description: `
The extension of FILE chooses the output. An .m file is a Murphi MODEL in the standard layout,
with the same constants; a .pml file is a program, with macros and inlines expanded. An .aig (binary) or .aag (ascii) file is a netlist for other
model checkers. An AIGER netlist is written in full; of a BTOR2 file what its properties
depend on, with lassos that violate justice as bads. The netlist of a model has a bad for each
property, and one for errors inside a step. That one holds in the frame where the step
begins, one less than our depth. The bad of a property that nothing violates is 0.
Covers and liveness are left out. With --prop, the netlist has the bads of these
properties only, and covers may be among them; --cert FILE.aig of the engines needs this
netlist. A .dimacs file is the coloured graph whose automorphisms are symmetries of the
system, for detect and other tools.`,
		Action: func(c *cli.Context) error {
			file := c.String("o")
			switch ext := filepath.Ext(file); {
			case file == "":
				return fmt.Errorf("orbitmc convert: no output file given; use -o FILE.m, .pml, .aig, .aag, .txt, .dimacs or .cnf")
			case ext == ".m" || ext == ".pml":
				return formatModel(c, file)
			case !slices.Contains([]string{".aig", ".aag", ".txt", ".dimacs", ".cnf"}, ext):
				return fmt.Errorf("-o %s: cannot write %q files, want .m, .pml, .aig, .aag, .txt, .dimacs or .cnf", file, ext)
			}
			for _, name := range []string{"k", "prop", "encoding"} {
				if c.IsSet(name) && !slices.Contains(convertOptions[filepath.Ext(file)], name) {
					return fmt.Errorf("%s has no meaning for %s files", spelled(name), filepath.Ext(file))
				}
			}
			if n := len(c.StringSlice("prop")); n > 1 && filepath.Ext(file) == ".cnf" {
				return fmt.Errorf("orbitmc convert: %d properties, want one", n)
			}
			ctx, _, cancel := limited(c)
			defer cancel()
			opt := taskOptions(c)
			opt.Raw = true
			t, err := openEncoded(ctx, c, opt)
			if err != nil {
				return err
			}
			switch filepath.Ext(file) {
			case ".txt":
				return writeFile(file, func(b *bufio.Writer) error { return t.Problem.System().Dump(b) })
			case ".dimacs":
				return writeFile(file, func(b *bufio.Writer) error { return structure.WriteGraph(b, t.Problem.System()) })
			case ".cnf":
				return t.writeUnrolling(file)
			default:
				if i := slices.IndexFunc(t.Problem.Props, func(q int) bool { return !mc.HasTrace(t.Problem.Kind(q)) }); i >= 0 && c.IsSet("prop") {
					return fmt.Errorf("--prop %q: liveness has no bad", t.Problem.Name(t.Problem.Props[i]))
				}
				f := t.Netlist(!c.IsSet("prop"), t.Problem.Props)
				return writeFile(file, func(b *bufio.Writer) error { return aiger.Write(b, f, filepath.Ext(file) == ".aig") })
			}
		},
	}, flagSet{"output", []cli.Flag{
		&cli.StringFlag{Name: "o", Usage: "`FILE` the output: .m or .pml for the source, .aig or .aag for a netlist, .txt for the transition system, .dimacs for its graph, .cnf for a query"},
		&cli.IntFlag{Name: "k", Value: 10, Usage: "`N` query: is the property violated after exactly N steps? (default 10)"},
		&cli.StringSliceFlag{Name: "prop", Usage: "`NAME` query: the property (default: the first one); netlist: only this property, repeatable (default: all)"},
		&cli.StringFlag{Name: "encoding", Value: "plain", Usage: "`plain|inferred|renamed|strict|inferred-strict` the encoding: inferred is one-hot where --sym auto infers symmetry, renamed also has an input for each rule, strict evaluates quantifiers to the end that may stop before an error (default plain)"},
	}}, modelFlags(), abstractFlags())
}

// convertOptions are the options that have a meaning for a kind of output, beside those
// of the model.
var convertOptions = map[string][]string{
	".aig": {"prop", "encoding"}, ".aag": {"prop", "encoding"}, ".txt": {"encoding"}, ".dimacs": {"encoding"}, ".cnf": {"k", "prop", "encoding"},
}

// formatModel writes the source of a model or program, which must be without errors, in the
// standard layout.
func formatModel(c *cli.Context, file string) error {
	ext := filepath.Ext(file)
	language, options := "Murphi", []string{"o", "dialect"}
	if ext == ".pml" {
		language, options = "Promela", []string{"o", "D"}
	}
	if taskOptions(c).Language(c.Args().First()) != language {
		return fmt.Errorf("-o %s: only a %s model is written in standard layout as %s file", file, language, ext)
	}
	for _, name := range c.LocalFlagNames() {
		if !slices.Contains(options, name) {
			return fmt.Errorf("%s has no meaning for %s files", spelled(name), ext)
		}
	}
	t, err := open(c.Context, c, taskOptions(c))
	if err != nil {
		return err
	}
	src, err := t.Read(t.File)
	if err != nil {
		return err
	}
	var out []byte
	if ext == ".pml" {
		out, err = promela.Format(t.File, src, promela.Options{Defines: task.Macros(t.Defines)})
	} else {
		out, err = murphi.Format(t.File, src, t.Problem.Model.Dialect)
	}
	if err != nil {
		return err
	}
	return writeFile(file, contents(out))
}

// writeUnrolling writes the formula "the property is violated after k steps",
// satisfiable iff that is so.
func (se *session) writeUnrolling(file string) error {
	p, k := se.Problem, se.c.Int("k")
	if len(p.Props) == 0 {
		return fmt.Errorf("%s: it has no properties", se.File)
	}
	prop := p.Props[0]
	rec := &sat.Recorder{}
	f := cnf.NewFrames(p.System(), false)
	for range k + 1 {
		f.Extend()
	}
	cnf := cnf.New(f.Graph(), rec)
	for i := range k {
		cnf.Assert(f.Constraint(i))
	}
	cnf.Assert(f.Violation(p.Bads(prop), k))
	return writeFile(file, func(b *bufio.Writer) error {
		return rec.CNF().WriteDIMACS(b, fmt.Sprintf("%s: %v %q is violated after %s", se.Title(), p.Kind(prop), p.Name(prop), task.Plural(k, "step")))
	})
}
