package report

import (
	"embed"
	"io"
	"strings"
	"sync"
	"text/template"

	"orbitmc/benchmarks"
)

// This file writes the tables of a report, by templates: as Markdown, and as LaTeX for \input into a document with
// the packages booktabs and longtable.

//go:embed *.tmpl
var tableTexts embed.FS

// inMarkdown and inLatex escape texts.
var (
	inMarkdown = strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;", "*", `\*`, "_", `\_`, "`", "\\`")
	inLatex    = strings.NewReplacer(`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`,
		"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`, "[", "{[}", "]", "{]}",
		"–", "--", "×", `$\times$`, "\n", " ")
)

var tableTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.Must(template.New("").Funcs(template.FuncMap{
		"repeat": strings.Repeat, "join": strings.Join, "cell": inMarkdown.Replace, "tex": inLatex.Replace,
		"line":    func(s string) string { return strings.ReplaceAll(s, "\n", " ") }, // of a comment
		"seconds": secondsText, "size": sizeText, "percent": func(part float64) float64 { return 100 * part },
	}).ParseFS(tableTexts, "*.md.tmpl", "*.txt.tmpl")).Delims("<<", ">>").ParseFS(tableTexts, "*.tex.tmpl"))
})

// WriteMarkdown writes the tables of the report as Markdown. Building counts as CPU time if
// building is set.
func WriteMarkdown(w io.Writer, rec *benchmarks.Record, notes []string, building bool) error {
	return writeTables(w, "tables.md.tmpl", rec, notes, building)
}

// WriteLatex does so as LaTeX.
func WriteLatex(w io.Writer, rec *benchmarks.Record, notes []string, building bool) error {
	return writeTables(w, "tables.tex.tmpl", rec, notes, building)
}

func writeTables(w io.Writer, template string, rec *benchmarks.Record, notes []string, building bool) error {
	b := arrange(rec, building)
	return tableTemplates().ExecuteTemplate(w, template, struct {
		Suite, Provenance string
		Notes             []string
		Disputed          bool
		Tables            []*table
	}{rec.Suite, provenance(rec), notes, b.disputeTable() != nil, b.tables()})
}
