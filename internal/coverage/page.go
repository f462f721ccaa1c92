package coverage

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"orbitmc/internal/lists"
)

//go:embed page.html
var pageText string

type page struct {
	*Report
	Title string
	Lines []line
}

type line struct {
	Number int
	Text   string
	Class  string // ran, not, or ""
	Count  string
}

// WriteHTML writes the report as one page that needs nothing else. Text is the source.
func (r *Report) WriteHTML(w io.Writer, title string, text []byte) error {
	p := &page{Report: r, Title: title}
	for i, l := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		x := line{Number: i + 1, Text: strings.TrimRight(l, "\r")}
		switch n, ok := r.lines[i+1]; {
		case ok && n < 0:
			x.Class, x.Count = "not", "0"
		case ok:
			x.Class, x.Count = "ran", fmt.Sprint(n)
		}
		p.Lines = append(p.Lines, x)
	}
	return template.Must(template.New("page").Parse(pageText)).Execute(w, p)
}

// Silent counts the rules that never fire.
func (r *Report) Silent() int { return lists.Count(r.Rules, func(x Rule) bool { return x.Fired == 0 }) }
