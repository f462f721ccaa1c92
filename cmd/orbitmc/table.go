package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"orbitmc/internal/explicit"
	"orbitmc/internal/lists"
	"orbitmc/internal/portfolio"
	"orbitmc/internal/table"
	"orbitmc/internal/task"
	"orbitmc/internal/trace"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/model/traces"
)

// This file holds table: what controllers do, as tables.

func tableCommand() *cli.Command {
	return command(&cli.Command{
		Name: "table", ArgsUsage: "MODEL",
		Usage: "make the table of a controller: what it does in each state at each message and event",
		Description: `
table visits all states of a Murphi model. A row is a value of --row, the state of a controller, such as
Procs[p].state; a column is a type of message, of a --column, or a rule of the controller
that takes no message. A cell says which messages are sent, then / and the next state; stall: a
message waits, as no rule takes it then or all that is done is to put it back; error; - is
never reached. With ? for it the search ended early: it was not seen. What is not given is
guessed, and printed as options. Behind each is how often it happens, counted in representatives
of orbits. docs/coherence.md is about it.`,
		Action: makeTables,
	}, flagSet{"the table", []cli.Flag{
		&cli.StringFlag{Name: "row", Usage: "`EXPR` the state of the controller: a variable, or a part of one; names in its indices stand for any component"},
		&cli.StringSliceFlag{Name: "column", Usage: "`EXPR` the type of a message to it, as in 'Net[p][m].mtype', or 'Net[m].mtype where Net[m].dst = p'; in an array a message is a value other than the first one, and a number in an index the front of a queue; repeatable"},
		&cli.StringSliceFlag{Name: "channel", Usage: "`EXPR` another place of messages, which it sends; those of the same type are known; repeatable"},
		&cli.StringFlag{Name: "compare", Usage: "`OTHER` print the cells in which the tables of this model differ"},
		&cli.StringFlag{Name: "witness", Usage: "`ROW,COLUMN` print a shortest run to the first outcome of a cell; ROW,COLUMN#2 to the second"},
	}}, flagSet{"search and output", []cli.Flag{
		threadsFlag(""),
		&cli.StringFlag{Name: "mem", Usage: "`SIZE` such as 4GiB: stop at this much live memory, with a partial result"},
		&cli.StringFlag{Name: "format", Usage: "`text|markdown|latex|html` (default: by the ending of -o: .md, .tex, .html; else text); html: with a run to each outcome and the source"},
		&cli.StringFlag{Name: "o", Usage: "`FILE` the output, instead of stdout"},
		progressFlag(),
		jsonFlag(),
	}}, modelFlags(), symmetryFlags())
}

// jsonTables is what table prints.
type jsonTables struct {
	Model       string             `json:"model"`
	Tables      []*table.Table     `json:"tables"`
	Compared    string             `json:"compared,omitempty"`
	Others      []*table.Table     `json:"others,omitempty"`
	Differences []table.Difference `json:"differences,omitempty"`
}

func makeTables(c *cli.Context) error {
	if c.IsSet("column") && !c.IsSet("row") {
		return fmt.Errorf("--column goes with --row")
	}
	ctx, _, cancel := limited(c)
	defer cancel()
	out := jsonTables{Model: c.Args().First(), Compared: c.String("compare")}
	t, tables, err := tablesOf(ctx, c, out.Model)
	if err != nil {
		return err
	}
	out.Tables = tables
	if out.Compared != "" {
		if _, out.Others, err = tablesOf(ctx, c, out.Compared); err != nil {
			return err
		}
		if len(out.Others) != len(tables) {
			return fmt.Errorf("%s has %d tables, %s %d: give --row", out.Model, len(tables), out.Compared, len(out.Others))
		}
		for i := range tables {
			out.Differences = append(out.Differences, tables[i].Compare(out.Others[i])...)
		}
	}
	text, err := t.Read(t.File)
	if err != nil {
		return err
	}
	byEnd := map[string]string{".md": "markdown", ".tex": "latex", ".html": "html"}
	format := cmp.Or(c.String("format"), byEnd[filepath.Ext(c.String("o"))], "text")
	show := func(w io.Writer) error { return t.showTables(w, out, format, text) }
	if name := c.String("witness"); name != "" {
		code, run, err := witness(tables, name)
		if err != nil {
			return err
		}
		show = func(w io.Writer) error {
			if format == "html" {
				return trace.OfModel(code.Model, run, trace.Source{Title: t.Title() + ": " + name, Text: text, Engine: "explicit"}).WriteHTML(w)
			}
			fmt.Fprintf(w, "%s\n\nwitness of %q, %s:\n\n", t.Title(), name, task.Plural(len(run.Steps), "step"))
			return traces.Write(w, code.Model, run, traces.Plain)
		}
	}
	if err = writeOut(c, show); err == nil && slices.ContainsFunc(append(tables, out.Others...), func(x *table.Table) bool { return !x.Complete }) {
		err = exitCode(exitUndecided)
	}
	return err
}

func (se *session) showTables(w io.Writer, out jsonTables, format string, text []byte) error {
	switch {
	case se.c.Bool("json"):
		return printJSON(w, out)
	case format == "html":
		return table.WriteHTML(se.c.Context, w, se.Title(), text, out.Tables)
	case format == "text" && out.Compared == "":
		fmt.Fprintf(w, "%s\n\n", se.Title())
	}
	for i, x := range out.Tables {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if out.Compared != "" {
			fmt.Fprint(w, x.Differences(out.Others[i]))
		} else if err := x.Write(w, format); err != nil {
			return err
		}
	}
	return nil
}

// witness returns a run to what is named as ROW,COLUMN or ROW,COLUMN#NUMBER.
func witness(tables []*table.Table, name string) (*model.Program, *model.Trace, error) {
	row, column, _ := strings.Cut(name, ",")
	number := 1
	if i := strings.LastIndex(column, "#"); i >= 0 {
		if n, err := strconv.Atoi(column[i+1:]); err == nil {
			column, number = column[:i], n
		}
	}
	for _, t := range tables {
		if c := t.Cell(strings.TrimSpace(row), strings.TrimSpace(column)); c != nil && number >= 1 && number <= len(c.Outcomes) {
			return t.Witness(c, c.Outcomes[number-1])
		}
	}
	if c := tables[0]; !c.Complete {
		return nil, nil, fmt.Errorf("--witness %s: that was not seen", name)
	}
	return nil, nil, fmt.Errorf("--witness %s: that is no state and event of the table, or never happens", name)
}

// tablesOf makes the tables of a model: that of --row, or all that are guessed.
func tablesOf(ctx context.Context, c *cli.Context, file string) (*session, []*table.Table, error) {
	opt := taskOptions(c)
	if opt.IsNetlist(file) || opt.Language(file) == "Promela" {
		return nil, nil, fmt.Errorf("%s: table is for Murphi models", file)
	}
	t, err := openFile(ctx, c, file, opt)
	if task.CutShort(ctx, err) {
		fmt.Fprintf(c.App.ErrWriter, "%s: stopped by %s while it was read\n", file, stopNoun(mc.StopReason(ctx)))
		return nil, nil, exitCode(exitUndecided)
	}
	if err != nil {
		return nil, nil, err
	}
	defer t.bar.done()
	rows := []string{c.String("row")}
	if rows[0] == "" {
		if rows, err = table.Rows(t.Problem.Model); err != nil {
			return nil, nil, err
		}
	}
	specs := lists.Map(rows, func(row string) table.Spec {
		return table.Spec{Row: row, Columns: c.StringSlice("column"), Channels: c.StringSlice("channel")}
	})
	for _, x := range specs {
		if err := table.Check(t.Problem.Model, x); err != nil {
			return nil, nil, err
		}
	}
	out, err := portfolio.Run(ctx, t.Task, []mc.Engine{&explicit.Engine{Canon: explicit.Exact, Threads: threads(c), Whole: true}},
		portfolio.Options{Options: mc.Options{All: true, MemLimit: memory(c), Event: t.bar.event}, Ready: func() { t.bar.phase("") }, Cores: threads(c)})
	if err == nil && out.Crash != nil {
		err = out.Crash
	}
	if err != nil {
		return nil, nil, err
	}
	found := out.Each[0]
	states, ok := found.Seen.(table.States)
	if !ok {
		fmt.Fprintf(c.App.ErrWriter, "%s: no state was visited; stopped by %s\n", file, stopNoun(found.Stopped))
		return nil, nil, exitCode(exitUndecided)
	}
	src := table.Source{Program: t.Problem.Program, States: states, Stopped: found.Stopped}
	if src.Stopped == "" && !checked(found) {
		src.Stopped = "that no state is missing was not checked: " + cmp.Or(out.Result.Unchecked, out.Result.Stopped, "every property is violated")
	}
	t.bar.phase("making the table")
	within, limit := c.Context, c.Duration("timeout") // as much time as the search had
	if within.Err() != nil {                          // an interrupt ended the search: what it has seen is looked at
		within, limit = context.WithoutCancel(within), afterInterrupt
	}
	var all []*table.Table
	for _, x := range specs {
		ctx, _, end := task.Limit(within, limit/time.Duration(len(specs)), 0)
		defer end()
		made, err := table.Collect(ctx, src, x, func() string { return mc.StopReason(ctx) })
		if err != nil {
			return nil, nil, err
		}
		all = append(all, made)
	}
	return t, all, nil
}

// afterInterrupt is how long a table is made after an interrupt.
const afterInterrupt = 10 * time.Second

// checked reports whether the evidence that all states were visited has been accepted: some verdict rests on it.
func checked(r *mc.Result) bool {
	return r.Closure != nil && slices.ContainsFunc(r.Props, func(pr mc.PropResult) bool { return pr.Status == mc.Safe && !pr.HasTrace() })
}
