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
	title, options := t.Row+": "+t.Summary(), t.Options()
	if t.Guessed {
		options = "guessed: " + options
	}
	switch format {
	case "markdown":
		fmt.Fprintf(&b, "%s\n\n    %s\n\n", title, options)
		t.markdown(&b)
	case "latex":
		fmt.Fprintf(&b, "%% %s\n%% %s\n", title, options)
		t.latex(&b)
	default:
		fmt.Fprintf(&b, "%s\n%s\n", title, options)
		t.text(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// grid returns the head and the rows: the lines of each cell, with how often each outcome is.
func (t *Table) grid() (all [][][]string) {
	one := func(s string) []string { return []string{s} }
	all = append(all, append([][]string{{t.Row}}, lists.Map(t.columnNames(), one)...))
	for _, row := range t.Rows {
		cells := lists.Map(t.Events, func(e Event) []string {
			c := t.Cell(row, e.Name)
			if c == nil {
				return one(t.Nothing())
			}
			return lists.Map(c.Outcomes, func(o *Outcome) string { return fmt.Sprintf("%v (%d)", o, o.Count) })
		})
		all = append(all, append([][]string{{row}}, cells...))
	}
	return all
}

// text writes the columns in bands, one below the other.
func (t *Table) text(b *strings.Builder) {
	grid := t.grid()
	width := func(column int) (n int) {
		for _, row := range grid {
			n = max(n, slices.Max(lists.Map(row[column], utf8.RuneCountInString)))
		}
		return n
	}
	for from, to := 1, 1; from < len(grid[0]); from = to {
		for all := width(0); to < len(grid[0]); to++ {
			if all += 2 + width(to); all > mostColumns && to > from {
				break
			}
		}
		b.WriteString("\n")
		band(b, lists.Map(grid, func(row [][]string) [][]string { return append([][]string{row[0]}, row[from:to]...) }))
	}
}

// band writes rows side by side.
func band(b *strings.Builder, rows [][][]string) {
	var aligned strings.Builder
	w := tabwriter.NewWriter(&aligned, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for k := range slices.Max(lists.Map(row, func(lines []string) int { return len(lines) })) {
			fmt.Fprintln(w, lists.Join(row, "\t", func(lines []string) string {
				if k < len(lines) {
					return lines[k]
				}
				return ""
			}))
		}
	}
	w.Flush() // a strings.Builder takes all
	for line := range strings.Lines(aligned.String()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
}

var markdownSigns = strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`)

func (t *Table) markdown(b *strings.Builder) {
	for i, row := range t.grid() {
		fmt.Fprintf(b, "| %s |\n", lists.Join(row, " | ", func(lines []string) string { return lists.Join(lines, "<br>", markdownSigns.Replace) }))
		if i == 0 {
			fmt.Fprintf(b, "|%s\n", strings.Repeat("---|", len(row)))
		}
	}
}

var latexSigns = strings.NewReplacer(`\`, `\textbackslash{}`, "_", `\_`, "&", `\&`, "%", `\%`, "#", `\#`, "$", `\$`, "{", `\{`, "}", `\}`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`)

func (t *Table) latex(b *strings.Builder) {
	fmt.Fprintf(b, "\\begin{tabular}{l%s}\n", strings.Repeat("l", len(t.Events)))
	for i, row := range t.grid() {
		fmt.Fprintf(b, "%s \\\\\n", lists.Join(row, " & ", func(lines []string) string {
			text := lists.Join(lines, `\\`, latexSigns.Replace)
			if len(lines) > 1 {
				text = `\shortstack[l]{` + text + "}"
			}
			return text
		}))
		if i == 0 {
			fmt.Fprintln(b, "\\hline")
		}
	}
	fmt.Fprintln(b, "\\end{tabular}")
}
