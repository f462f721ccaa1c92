package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"text/tabwriter"
	"text/template"

	"github.com/urfave/cli/v2"

	"orbitmc/internal/portfolio"
	"orbitmc/internal/task"
)

// This file prints what commands find: with --json as an object, else by the template of the same name.

//go:embed output.tmpl
var outputText string

// outputTemplates are read when they are asked for: that takes longer than a small model.
var outputTemplates = sync.OnceValue(func() *template.Template {
	t := template.New("")
	return template.Must(t.Funcs(template.FuncMap{
		"join": strings.Join, "trim": strings.TrimSpace, "leaves": stateText, "noun": stopNoun, "change": portfolio.Change,
		"is": func(v any, word string) bool { return fmt.Sprint(v) == word }, "few": task.FirstFew, "size": task.Size,
		"number": func(i int) int { return i + 1 }, // of an element, from 1
		"plural": func(n any, what string) string {
			return task.Plural(int(reflect.Indirect(reflect.ValueOf(n)).Int()), what)
		},
		"columns": func(name string, v any) (string, error) { // of a template with tabs
			var b strings.Builder
			tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
			err := t.ExecuteTemplate(tw, name, v)
			tw.Flush()
			return b.String(), err
		},
		"shorten": func(names []string, most int) string {
			if len(names) <= most {
				return strings.Join(names, " ")
			}
			return fmt.Sprintf("%s … (%d more)", strings.Join(names[:most], " "), len(names)-most)
		},
		"nodes": func(n int) string { // of a decision diagram; 0: too many
			if n == 0 {
				return fmt.Sprintf("more than %d", maxDiagram)
			}
			return fmt.Sprint(n)
		},
		"indented": func(text string) string { return strings.ReplaceAll(text, "\n", "\n    ") },
		"group":    groupText, "broken": brokenText, "places": brokenPlaces, "obstacle": obstacleName,
		"parts": (*session).rows, "lesser": (*session).lesser, "images": (*session).orbits, "refuted": (*session).refuted,
		"exchanges": (*session).exchanges, "leftOut": (*session).leftOutText, "explain": (*session).explains,
		"whyNone": (*session).whyNone, "reported": (*session).reported,
		"executions": executed, "explored": (*session).explored, "unrolled": (*session).unrolled, "carried": (*session).carried, "evidence": evidenceOf,
		"verdict": verdictText, "since": (*session).since, "covered": (*session).coverage, "reached": (*session).reached,
		"outcome": (*session).outcome, "hint": (*session).hint,
	}).Parse(outputText))
})

// output prints v, of the schema of that name.
func output(c *cli.Context, name string, v any) error {
	if c.Bool("json") {
		return printJSON(c.App.Writer, v)
	}
	return show(c.App.Writer, name, v)
}

// show writes v by a template.
func show(w io.Writer, name string, v any) error {
	return outputTemplates().ExecuteTemplate(w, name, v)
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
