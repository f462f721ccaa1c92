package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"orbitmc/benchmarks"
	"orbitmc/benchmarks/report"
	"orbitmc/internal/lists"
	"orbitmc/internal/task"
)

// reportCommands are the commands that read records of batches.
func reportCommands() []*cli.Command {
	return []*cli.Command{
		describe(&cli.Command{
			Name: "report", ArgsUsage: "DIR",
			Usage:  "write tables and plots of a batch as a page, as Markdown, as LaTeX, as pictures",
			Action: benchReport,
		}, flagSet{"options, of which one is needed", []cli.Flag{
			&cli.StringSliceFlag{Name: "o", Aliases: []string{"output"}, Usage: "`FILE` .html: all on one page; .md and .tex: the tables, in Markdown or LaTeX; repeatable"},
			&cli.StringFlag{Name: "plots", Usage: "`DIR` every plot, as SVG, PNG and PDF"},
			buildingFlag(),
		}}),
		describe(&cli.Command{
			Name: "compare", ArgsUsage: "A B",
			Usage: "compare batch B with batch A; exit status 3 if B is worse",
			Description: `
B is worse if the interval of a ratio B/A lies above the threshold, if a run that was
solved is not solved any more, if a verdict changed, or if a wrong answer is new.`,
			Action: benchCompare,
		}, flagSet{"options", []cli.Flag{
			&cli.Float64Flag{Name: "threshold", Value: 1.1, Usage: "`R` ratio B/A, at least 1, beyond which B is worse (default 1.1)"},
			&cli.StringFlag{Name: "metric", Value: "cpu", Usage: "`" + strings.Join(report.Metrics, "|") + "` what is compared (default cpu)"},
			buildingFlag(),
			jsonFlag(),
		}}),
	}
}

func buildingFlag() cli.Flag {
	return &cli.BoolFlag{Name: "building", Usage: "the time in which a checker is built counts, too (Rumur, CMurphi, SPIN); a page has a switch for it"}
}

// reports are the ways to write a report, by the suffix of its file.
var reports = map[string]func(w io.Writer, rec *benchmarks.Record, notes []string, logs string, building bool) error{
	".html": report.WriteHTML,
	".md": func(w io.Writer, rec *benchmarks.Record, notes []string, _ string, building bool) error {
		return report.WriteMarkdown(w, rec, notes, building)
	},
	".tex": func(w io.Writer, rec *benchmarks.Record, notes []string, _ string, building bool) error {
		return report.WriteLatex(w, rec, notes, building)
	},
}

func benchReport(c *cli.Context) error {
	if c.NArg() != 1 {
		return fmt.Errorf("orbitmc bench report: want the directory of one batch, got %d arguments", c.NArg())
	}
	dir, files, plots, building := c.Args().First(), c.StringSlice("o"), c.String("plots"), c.Bool("building")
	if len(files) == 0 && plots == "" {
		return fmt.Errorf("orbitmc bench report: nothing to write; name a file with -o, or a folder with --plots")
	}
	for _, file := range files {
		if reports[filepath.Ext(file)] == nil {
			return fmt.Errorf("-o %s: want a file that ends with %s", file, strings.Join(slices.Sorted(maps.Keys(reports)), ", "))
		}
	}
	rec, notes, err := report.Load(dir)
	if err != nil {
		return err
	}
	for _, n := range notes {
		fmt.Fprintf(c.App.ErrWriter, "note: %s\n", n)
	}
	for _, file := range files {
		logs, err := relative(filepath.Dir(file), dir)
		if err != nil {
			return err
		}
		if err := writeFile(file, func(w *bufio.Writer) error { return reports[filepath.Ext(file)](w, rec, notes, logs, building) }); err != nil {
			return err
		}
	}
	if plots != "" {
		if _, err := report.WritePlots(plots, rec, building); err != nil {
			return err
		}
	}
	return nil
}

// relative returns the path from one directory to another, with slashes.
func relative(from, to string) (string, error) {
	from, err := filepath.Abs(from)
	if err != nil {
		return "", err
	}
	if to, err = filepath.Abs(to); err != nil {
		return "", err
	}
	rel, err := filepath.Rel(from, to)
	return filepath.ToSlash(rel), err
}

func benchCompare(c *cli.Context) error {
	if c.NArg() != 2 {
		return fmt.Errorf("orbitmc bench compare: want the directories of two batches, got %d arguments", c.NArg())
	}
	if c.Float64("threshold") < 1 {
		return fmt.Errorf("--threshold %g: want at least 1", c.Float64("threshold"))
	}
	if err := task.OneOf("metric", c.String("metric"), report.Metrics...); err != nil {
		return err
	}
	a, notesA, err := report.Load(c.Args().Get(0))
	if err != nil {
		return err
	}
	b, notesB, err := report.Load(c.Args().Get(1))
	if err != nil {
		return err
	}
	cmp, err := report.Compare(a, b, report.Options{Metric: c.String("metric"), Threshold: c.Float64("threshold"), Building: c.Bool("building")})
	if err != nil {
		return err
	}
	cmp.Warnings = append(cmp.Warnings, lists.Map(notesA, func(n string) string { return "A: " + n })...)
	cmp.Warnings = append(cmp.Warnings, lists.Map(notesB, func(n string) string { return "B: " + n })...)
	if c.Bool("json") {
		err = printJSON(c.App.Writer, cmp)
	} else {
		err = cmp.WriteText(c.App.Writer)
	}
	if err != nil {
		return err
	}
	if len(cmp.Regressions) > 0 {
		return exitCode(exitRegressed)
	}
	return nil
}
