package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"orbitmc/benchmarks"
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
			var cells []figure
			for _, c := range t.Columns {
				cells = append(cells, b.figure(&t, row, c))
			}
			t.Cells = append(t.Cells, cells)
		}
		all = append(all, t)
	}
	return all
}

// figure makes one cell.
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
	if f.Ours != "" {
		return f.Ours
	}
	return f.Why
}

// publishedRule says what the kinds are.
const publishedRule = "Exact: the model is given and the figure defined by it, so ours must be equal. Ratio: of the two columns, as encodings differ. Reconstructed: the model or a rule of the algorithm is not published; ours is made after the description, and nothing follows from a difference"

func markdownPublished(t *strings.Builder, tables []publishedTable) {
	if len(tables) == 0 {
		return
	}
	fmt.Fprintf(t, "\n## Published figures beside ours\n\n%s.\n", publishedRule)
	for k := range tables {
		x := &tables[k]
		fmt.Fprintf(t, "\n### %s\n\n`%s`", cell(x.Title), x.Model)
		if x.Note != "" {
			fmt.Fprintf(t, ". %s", cell(x.Note))
		}
		t.WriteString("\n\n| |")
		for i, c := range x.Columns {
			if c.Values != nil {
				fmt.Fprintf(t, " %s: published |", cell(x.Heading(i)))
			}
			fmt.Fprintf(t, " %s: ours |", cell(x.Heading(i)))
		}
		t.WriteString("\n|---|")
		for _, c := range x.Columns {
			if t.WriteString("---:|"); c.Values != nil {
				t.WriteString("---:|")
			}
		}
		t.WriteString("\n")
		for row, cells := range x.Cells {
			fmt.Fprintf(t, "| %s |", cell(x.Rows[row]))
			for i, f := range cells {
				if x.Columns[i].Values != nil {
					fmt.Fprintf(t, " %s |", cell(f.Published))
				}
				if f.Differs {
					fmt.Fprintf(t, " **differs: %s** |", f.Ours)
				} else {
					fmt.Fprintf(t, " %s |", cell(f.Text()))
				}
			}
			t.WriteString("\n")
		}
		fmt.Fprintf(t, "\n%s\n", x.Tally())
	}
}
