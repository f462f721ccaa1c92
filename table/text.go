package table

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"orbitmc/internal/lists"
)

// Formats are the formats of Write.
var Formats = []string{"text", "markdown", "latex"}

// mostColumns is how wide text is, if a single column is not wider.
const mostColumns = 110

// Write writes a table in one of Formats.
func (t *Table) Write(w io.Writer, format string) error {
	var b strings.Builder
	switch format {
	case "markdown":
		t.markdown(&b)
	case "latex":
		t.latex(&b)
	default:
		t.text(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// lines returns the lines of a cell, with how often each outcome is.
func (t *Table) lines(row, column string) (lines []string) {
	c := t.Cell(row, column)
	if c == nil {
		return []string{t.Nothing()}
	}
	return lists.Map(c.Outcomes, func(o *Outcome) string { return fmt.Sprintf("%v (%d)", o, o.Count) })
}

// heading is a title and what is below it.
func (t *Table) heading() (title, options string) {
	if options = t.Options(); t.Guessed {
		options = "guessed: " + options
	}
	return t.Row + ": " + t.Summary(), options
}

// text writes the columns in bands, one below the other.
func (t *Table) text(b *strings.Builder) {
	title, options := t.heading()
	fmt.Fprintf(b, "%s\n%s\n", title, options)
	width := func(lines []string) int { return slices.Max(lists.Map(lines, utf8.RuneCountInString)) }
	for from, to := 0, 0; from < len(t.Events); from = to {
		for all := width(append([]string{t.Row}, t.Rows...)); to < len(t.Events); to++ {
			lines := []string{t.Events[to].Name}
			for _, row := range t.Rows {
				lines = append(lines, t.lines(row, t.Events[to].Name)...)
			}
			if all += 2 + width(lines); all > mostColumns && to > from {
				break
			}
		}
		t.band(b, t.columnNames()[from:to])
	}
}

// band writes some columns.
func (t *Table) band(b *strings.Builder, columns []string) {
	var aligned strings.Builder
	w := tabwriter.NewWriter(&aligned, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\t%s\n", t.Row, strings.Join(columns, "\t"))
	for _, row := range t.Rows {
		cells := lists.Map(columns, func(c string) []string { return t.lines(row, c) })
		for k := range slices.Max(lists.Map(cells, func(c []string) int { return len(c) })) {
			line := []string{""}
			if k == 0 {
				line = []string{row}
			}
			for _, c := range cells {
				line = append(line, append(slices.Clip(c), make([]string, k+1)...)[k])
			}
			fmt.Fprintln(w, strings.Join(line, "\t"))
		}
	}
	w.Flush() // a strings.Builder takes all
	b.WriteString("\n")
	for line := range strings.Lines(aligned.String()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
}

// grid writes the head and each row of a table, given how a line and a cell are made.
func (t *Table) grid(line func(cells []string), cell func(lines []string) string) {
	text := func(s string) string { return cell([]string{s}) }
	line(append([]string{text(t.Row)}, lists.Map(t.columnNames(), text)...))
	for _, row := range t.Rows {
		line(append([]string{text(row)}, lists.Map(t.columnNames(), func(c string) string { return cell(t.lines(row, c)) })...))
	}
}

func (t *Table) markdown(b *strings.Builder) {
	title, options := t.heading()
	fmt.Fprintf(b, "%s\n\n    %s\n\n", title, options)
	first := true
	t.grid(func(cells []string) {
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
		if first {
			fmt.Fprintf(b, "|%s\n", strings.Repeat("---|", len(cells)))
		}
		first = false
	}, func(lines []string) string {
		return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`).Replace(strings.Join(lines, "\x00"))
	})
	text := strings.ReplaceAll(b.String(), "\x00", "<br>")
	b.Reset()
	b.WriteString(text)
}

var latexSigns = strings.NewReplacer(`\`, `\textbackslash{}`, "_", `\_`, "&", `\&`, "%", `\%`, "#", `\#`, "$", `\$`, "{", `\{`, "}", `\}`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`)

func (t *Table) latex(b *strings.Builder) {
	title, options := t.heading()
	fmt.Fprintf(b, "%% %s\n%% %s\n\\begin{tabular}{l%s}\n", title, options, strings.Repeat("l", len(t.Events)))
	first := true
	t.grid(func(cells []string) {
		fmt.Fprintf(b, "%s \\\\\n", strings.Join(cells, " & "))
		if first {
			fmt.Fprintln(b, "\\hline")
		}
		first = false
	}, func(lines []string) string {
		lines = lists.Map(lines, latexSigns.Replace)
		if len(lines) == 1 {
			return lines[0]
		}
		return `\shortstack[l]{` + strings.Join(lines, `\\`) + "}"
	})
	fmt.Fprintln(b, "\\end{tabular}")
}
