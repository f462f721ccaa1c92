package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"orbitmc/benchmarks"
	"orbitmc/internal/lists"
)

// This file puts the figures of the runs beside those that somebody published.

// publishedTable is a table with both figures in each cell.
type publishedTable struct {
	*benchmarks.Table
	Cells [][]figure // by row and column
}

// figure is a published figure and ours.
type figure struct {
	Published string // "" if there is none
	Ours      string // "" if it was not measured: Why
	Why       string // how the run ended
	Differs   bool   // it is exact, and ours is another one
	Equal     bool
}

// published arranges the tables of the suite.
func (b *batch) published() []publishedTable {
	var all []publishedTable
	for i := range b.rec.Tables {
		t := publishedTable{Table: &b.rec.Tables[i]}
		for row := range t.Rows {
			cells := lists.Map(t.Columns, func(c benchmarks.Column) figure { return b.figure(&t, row, c) })
			t.Cells = append(t.Cells, cells)
		}
		all = append(all, t)
	}
	return all
}

func (b *batch) figure(t *publishedTable, row int, c benchmarks.Column) figure {
	var f figure
	if c.Values != nil {
		f.Published = c.Values[row]
	}
	ours, why := b.counter(t.Model, t.Rows[row], c.Config, c.Stat)
	f.Why = why
	if c.Over == "" {
		ours += c.Add
		if why == "" {
			f.Ours = grouped(ours)
		}
		want, err := number(f.Published)
		if c.Kind == benchmarks.Exact && err == nil && why == "" {
			f.Equal = want == ours
			f.Differs = !f.Equal
		}
		return f
	}
	base := t.Columns[slices.IndexFunc(t.Columns, func(y benchmarks.Column) bool { return y.Config == c.Over && y.Stat == c.Stat && y.Over == "" })]
	if f.Published != "" {
		x, err1 := number(f.Published)
		f.Published = ""
		if base.Values != nil {
			if y, err2 := number(base.Values[row]); err1 == nil && err2 == nil && y != 0 {
				f.Published = numberText(x / y)
			}
		}
	}
	of, why := b.counter(t.Model, t.Rows[row], c.Over, c.Stat)
	switch {
	case f.Why != "":
	case why != "":
		f.Why = why
	case of != 0:
		f.Ours = numberText(ours / of)
	}
	return f
}

// counter returns what a run counted, or why there is none.
func (b *batch) counter(model, params, config, stat string) (float64, string) {
	for _, x := range b.instances {
		p := x.results[config]
		if x.model != model || x.params != params || p == nil {
			continue
		}
		if v, ok := p.decider.Stats[stat]; ok && p.decider.Status == benchmarks.OK {
			return v, ""
		} else if p.decider.Status == benchmarks.OK {
			return 0, "not counted"
		}
		return 0, classNames[p.class]
	}
	return 0, "not run"
}

// number reads a number with commas between thousands.
func number(s string) (float64, error) { return strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64) }

// grouped writes a number, a whole one with commas between thousands.
func grouped(v float64) string {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if strings.Contains(text, ".") {
		return text
	}
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Heading names a column.
func (t *publishedTable) Heading(i int) string {
	c := t.Columns[i]
	return fmt.Sprintf("%s, %s (%s)", c.Name, strings.ReplaceAll(c.Stat, "_", " "), c.Kind)
}

// Tally says how many exact figures are equal.
func (t *publishedTable) Tally() string {
	equal, differ, open := 0, 0, 0
	for i, c := range t.Columns {
		for _, row := range t.Cells {
			_, err := number(row[i].Published)
			switch {
			case c.Kind != benchmarks.Exact || err != nil:
			case row[i].Equal:
				equal++
			case row[i].Differs:
				differ++
			default:
				open++
			}
		}
	}
	if equal+differ+open == 0 {
		return "No figure here is exact."
	}
	text := fmt.Sprintf("Of the exact figures %d are equal", equal)
	if differ > 0 {
		text += fmt.Sprintf(", %d differ", differ)
	}
	if open > 0 {
		text += fmt.Sprintf(", %d are not measured", open)
	}
	return text + "."
}

// Text is our figure, or why there is none.
func (f figure) Text() string {
	return cmp.Or(f.Ours, f.Why)
}

// publishedRule says what the kinds are.
const publishedRule = "Exact: the model is given and the figure defined by it, so ours must be equal. Ratio: of the two columns, as encodings differ. Reconstructed: the model or a rule of the algorithm is not published; ours is made after the description, and nothing follows from a difference"

// table returns a table as Markdown and LaTeX have it; k is its number, from 0.
func (t *publishedTable) table(k int) *table {
	x := &table{Name: fmt.Sprint("published-", k+1), Title: t.Title + ", published and ours", Level: 3, Left: 1, Head: []string{""}, Lines: []string{t.Model}}
	if t.Note != "" {
		x.Lines = append(x.Lines, t.Note)
	}
	if k == 0 {
		x.Lines = append(x.Lines, publishedRule)
	}
	for i, c := range t.Columns {
		if c.Values != nil {
			x.Head = append(x.Head, t.Heading(i)+": published")
		}
		x.Head = append(x.Head, t.Heading(i)+": ours")
	}
	for row, cells := range t.Cells {
		fields := []field{plain(t.Rows[row])}
		for i, f := range cells {
			if t.Columns[i].Values != nil {
				fields = append(fields, plain(f.Published))
			}
			if f.Differs {
				fields = append(fields, field{"differs: " + f.Ours, true})
			} else {
				fields = append(fields, plain(f.Text()))
			}
		}
		x.row(fields...)
	}
	x.Notes = []string{strings.TrimSuffix(t.Tally(), ".")}
	return x
}
