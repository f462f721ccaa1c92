package table

import (
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"orbitmc/model/traces"
)

//go:embed page.html
var pageText string

type page struct {
	Title     string
	Tables    []*Table
	Witnesses []pageWitness
	Lines     []string

	numbers map[*Outcome]int // of witnesses, from 1
}

type pageWitness struct {
	Name, Text string
	Steps      int
}

// WriteHTML writes tables of a model as one page that needs nothing else: with a run to each outcome and the source, whose text
// is given. If ctx ends there are fewer runs.
func WriteHTML(ctx context.Context, w io.Writer, title string, text []byte, tables []*Table) error {
	p := page{Title: title, Tables: tables, Lines: strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), numbers: map[*Outcome]int{}}
	for _, t := range tables {
		for _, c := range t.Cells {
			for _, o := range c.Outcomes {
				if ctx.Err() != nil {
					break
				}
				code, run, err := t.Witness(c, o)
				if err != nil {
					return err
				}
				var b strings.Builder
				if err := traces.Write(&b, code.Model, run, traces.Plain); err != nil {
					return err
				}
				p.Witnesses = append(p.Witnesses, pageWitness{fmt.Sprintf("%s, %s: %v", c.Row, c.Column, o), b.String(), o.Depth})
				p.numbers[o] = len(p.Witnesses)
			}
		}
	}
	return template.Must(template.New("page").Parse(pageText)).Execute(w, p)
}

// Run returns the number of the witness of an outcome, 0 if there is none.
func (p page) Run(o *Outcome) int { return p.numbers[o] }

// Number is the number of a line or witness, from 1.
func (p page) Number(i int) int { return i + 1 }
