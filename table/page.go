package table

import (
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"orbitmc/model"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

type page struct {
	Title     string
	Tables    []pageTable
	Witnesses []pageWitness
	Lines     []string
}

type pageTable struct {
	*Table
	Grid [][]pageCell // by row and column
}

type pageCell struct {
	Outcomes []pageOutcome
	Nothing  string
}

type pageOutcome struct {
	*Outcome
	Witness int // index + 1
}

type pageWitness struct {
	Name, Text string
	Steps      int
}

// WriteHTML writes tables of a model as one page that needs nothing else: with a run to each outcome and the source, whose text
// is given. If ctx ends there are fewer runs.
func WriteHTML(ctx context.Context, w io.Writer, title string, text []byte, tables []*Table) error {
	p := page{Title: title, Lines: strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")}
	for _, t := range tables {
		x := pageTable{Table: t}
		for _, row := range t.Rows {
			var cells []pageCell
			for _, e := range t.Events {
				cell := pageCell{Nothing: t.nothing()}
				if c := t.Cell(row, e.Name); c != nil {
					cell.Nothing = ""
					for _, o := range c.Outcomes {
						if ctx.Err() != nil { // there are fewer runs
							cell.Outcomes = append(cell.Outcomes, pageOutcome{o, 0})
							continue
						}
						code, run, err := t.Witness(c, o)
						if err != nil {
							return err
						}
						var b strings.Builder
						if err := model.WriteTrace(&b, code.Model, run, model.Plain); err != nil {
							return err
						}
						p.Witnesses = append(p.Witnesses, pageWitness{fmt.Sprintf("%s, %s: %v", c.Row, c.Column, o), b.String(), o.Depth})
						cell.Outcomes = append(cell.Outcomes, pageOutcome{o, len(p.Witnesses)})
					}
				}
				cells = append(cells, cell)
			}
			x.Grid = append(x.Grid, cells)
		}
		p.Tables = append(p.Tables, x)
	}
	return pageTemplate.Execute(w, p)
}

// RowOf returns the row with a number.
func (t pageTable) RowOf(i int) string { return t.Rows[i] }

// Number is the number of a line or witness, from 1.
func (p page) Number(i int) int { return i + 1 }
