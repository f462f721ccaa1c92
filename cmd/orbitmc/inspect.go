package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"orbitmc/detect"
	"orbitmc/encode"
	"orbitmc/model"
	"orbitmc/rep"
	"orbitmc/sat"
	"orbitmc/ts"
)

// This file holds the commands that show what a model is to the engines.

func detectCommand() *cli.Command {
	return &cli.Command{
		Name: "detect", Category: "3. understand", ArgsUsage: "MODEL",
		Usage: "verify the symmetry of the model and say what breaks it",
		Flags: append(modelFlags(),
			&cli.BoolFlag{Name: "explain", Usage: "print the witnesses of refuted symmetries in full"}),
		Action: func(c *cli.Context) error {
			t, err := openEncoded(c)
			if err != nil {
				return err
			}
			if c.Bool("json") {
				e := json.NewEncoder(c.App.Writer)
				e.SetIndent("", "  ")
				return e.Encode(struct {
					Model    string       `json:"model"`
					Symmetry jsonSymmetry `json:"symmetry"`
				}{t.file, t.symmetryJSON()})
			}
			t.showSymmetry(c.Bool("explain"))
			return nil
		},
	}
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
		return nil, err
	}
	return t, t.problem.EncErr
}

func (t *task) showSymmetry(explain bool) {
	w := t.c.App.Writer
	fmt.Fprintf(w, "%s\n\n", t.title())
	if t.report == nil {
		fmt.Fprintln(w, "no symmetry: the model declares no scalarset, or --sym off")
		return
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "type\tsize\tinterchangeable values\n")
	blocks := t.blocks(t.report.System)
	for c, y := range t.model.Scalarsets {
		var parts []string
		for _, b := range blocks[c] {
			var vs []string
			for _, v := range b {
				vs = append(vs, y.Format(int64(v)))
			}
			parts = append(parts, "{"+strings.Join(vs, " ")+"}")
		}
		fmt.Fprintf(tw, "%v\t%d\t%s\n", y, y.Card(), strings.Join(parts, " "))
	}
	tw.Flush()
	r := t.report
	fmt.Fprintf(w, "\ngroup: %s\n", groupText(r.System))
	fmt.Fprintf(w, "verified: %d checks by structure, %d by SAT (%d of %d functions), %d refuted\n",
		r.VerifiedStructurally, r.VerifiedBySAT, r.Queries, r.Functions, r.Refuted)
	for i, p := range t.model.Props {
		if g := r.ByProp[i]; g.Order().Cmp(r.System.Order()) != 0 {
			fmt.Fprintf(w, "property %q keeps only %s\n", p.Name, groupText(g))
		}
	}
	for _, f := range r.Refutations {
		text := f.Text
		if !explain {
			text, _, _ = strings.Cut(text, "\n")
		}
		fmt.Fprintf(w, "refuted: %s\n", strings.ReplaceAll(text, "\n", "\n  "))
	}
}

// blocks returns the interchangeable values of every scalarset class.
func (t *task) blocks(y *ts.Symmetry) [][][]int { return detect.Blocks(t.model, y) }

func repCommand() *cli.Command {
	return &cli.Command{
		Name: "rep", Category: "3. understand", ArgsUsage: "MODEL",
		Usage: "show the representative predicate; write it as DIMACS",
		Flags: append(modelFlags(),
			&cli.StringFlag{Name: "cnf", Usage: "write the predicate on the latches to `FILE`"}),
		Action: func(c *cli.Context) error {
			t, err := openEncoded(c)
			if err != nil {
				return err
			}
			return t.showRep()
		},
	}
}

func (t *task) showRep() error {
	if t.report == nil {
		return fmt.Errorf("%s: no symmetry: the model declares no scalarset, or --sym off", t.file)
	}
	sys, w := t.problem.Enc.Sys, t.c.App.Writer
	perms, err := rep.Perms(t.report.System, rep.Nice)
	if err != nil {
		return err
	}
	f := encode.NewFrames(sys, true)
	f.Extend()
	pred := rep.Predicate(f.Graph(), f.Latches(0), perms)
	rec := &sat.Recorder{}
	cnf := encode.NewCNF(f.Graph(), rec)
	vars := make([]sat.Lit, len(sys.Latches))
	for i, l := range f.Latches(0) {
		vars[i] = cnf.Lit(l)
	}
	cnf.Assert(pred)
	fmt.Fprintf(w, "%s\n\n", t.title())
	fmt.Fprintf(w, "group: %s\n", groupText(t.report.System))
	fmt.Fprintf(w, "F: %d permutations (adjacent transpositions and their products across types)\n", len(perms))
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, p := range perms {
		moved := 0
		for i, l := range p.Latch {
			if l != int32(i)<<1 {
				moved++
			}
		}
		fmt.Fprintf(tw, "  %s\tmoves %d of %d latches\n", p.Name, moved, len(sys.Latches))
	}
	tw.Flush()
	formula := rec.CNF()
	fmt.Fprintf(w, "predicate: %d variables, %d clauses\n", formula.NumVars, len(formula.Clauses))
	file := t.c.String("cnf")
	if file == "" {
		return nil
	}
	var comments []string
	comments = append(comments, "representative predicate of "+t.title())
	for i, l := range sys.Latches {
		comments = append(comments, fmt.Sprintf("latch %s = %d", l.Name, vars[i].Dimacs()))
	}
	return writeFile(file, func(b *bufio.Writer) error { return formula.WriteDIMACS(b, comments...) })
}

func convertCommand() *cli.Command {
	return &cli.Command{
		Name: "convert", Category: "3. understand", ArgsUsage: "MODEL",
		Usage: "write the transition system as text, or its unrolling as DIMACS",
		Flags: append(modelFlags(),
			&cli.StringFlag{Name: "o", Usage: "output `FILE`: .txt for the transition system, .cnf for an unrolling", Required: true},
			&cli.IntFlag{Name: "k", Value: 10, Usage: ".cnf: depth of the violation asked for"},
			&cli.StringFlag{Name: "prop", Usage: ".cnf: the property `NAME`; the first one by default"}),
		Action: func(c *cli.Context) error {
			t, err := openEncoded(c)
			if err != nil {
				return err
			}
			file := c.String("o")
			switch ext := filepath.Ext(file); ext {
			case ".txt":
				return writeFile(file, func(b *bufio.Writer) error { return t.problem.Enc.Sys.Dump(b) })
			case ".cnf":
				return t.writeUnrolling(file)
			default:
				return fmt.Errorf("convert: cannot write %q files; want .txt or .cnf", ext)
			}
		},
	}
}

// writeUnrolling writes the formula "the property is violated at depth k"; it
// is satisfiable iff that is so.
func (t *task) writeUnrolling(file string) error {
	k, prop := t.c.Int("k"), t.model.Props[0]
	if k < 0 {
		return fmt.Errorf("-k %d: want a number of steps, 0 or more", k)
	}
	if name := t.c.String("prop"); name != "" {
		i, err := t.propNamed(name)
		if err != nil {
			return err
		}
		prop = t.model.Props[i]
	}
	enc := t.problem.Enc
	rec := &sat.Recorder{}
	f := encode.NewFrames(enc.Sys, false)
	for range k + 1 {
		f.Extend()
	}
	cnf := encode.NewCNF(f.Graph(), rec)
	for i := range k {
		cnf.Assert(f.Constraint(i))
	}
	cnf.Assert(enc.Violation(f, prop.Index, k))
	return writeFile(file, func(b *bufio.Writer) error {
		return rec.CNF().WriteDIMACS(b, fmt.Sprintf("%s: %v %q is violated after %d steps", t.title(), prop.Kind, prop.Name, k))
	})
}

func (t *task) propNamed(name string) (int, error) {
	for i, p := range t.model.Props {
		if p.Name == name {
			return i, nil
		}
	}
	var known []string
	for _, p := range t.model.Props {
		known = append(known, fmt.Sprintf("%q", p.Name))
	}
	return 0, fmt.Errorf("%s: there is no property %q; the model has %s", t.file, name, strings.Join(known, ", "))
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

func replayCommand() *cli.Command {
	return &cli.Command{
		Name: "replay", Category: "4. evidence", ArgsUsage: "MODEL TRACE",
		Usage: "check a counterexample, of ours, CMurphi or Rumur, in the interpreter",
		Flags: modelFlags(),
		Action: func(c *cli.Context) error {
			if c.NArg() != 2 {
				return fmt.Errorf("orbitmc replay: want a model and a trace, got %s", plural(c.NArg(), "argument"))
			}
			t, err := openFile(c, c.Args().First())
			if err != nil {
				return err
			}
			return t.replay(c.Args().Get(1))
		},
	}
}

func (t *task) replay(file string) error {
	src, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	p := model.Compile(t.model)
	trace, err := p.ReadTrace(file, src)
	if err == nil {
		err = p.Replay(trace)
	}
	if err != nil {
		fmt.Fprintf(t.c.App.Writer, "rejected: %v\n", err)
		return exitCode(exitViolated)
	}
	prop := t.model.Props[trace.Prop]
	fmt.Fprintf(t.c.App.Writer, "accepted: %v %q is violated after %s\n", prop.Kind, prop.Name, plural(trace.Depth(t.model), "step"))
	return nil
}
