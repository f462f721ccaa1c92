package table

import (
	"fmt"
	"io"
	"strings"
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
		return []string{t.nothing()}
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

// text writes the columns in bands that are side by side.
func (t *Table) text(b *strings.Builder) {
	title, options := t.heading()
	fmt.Fprintf(b, "%s\n%s\n", title, options)
	label := utf8.RuneCountInString(t.Row)
	for _, r := range t.Rows {
		label = max(label, utf8.RuneCountInString(r))
	}
	pad := func(s string, n int) string {
		return s + strings.Repeat(" ", max(0, n-utf8.RuneCountInString(s)))
	}
	for from := 0; from < len(t.Events); {
		var width []int
		all, to := label, from
		for ; to < len(t.Events); to++ {
			n := utf8.RuneCountInString(t.Events[to].Name)
			for _, row := range t.Rows {
				for _, l := range t.lines(row, t.Events[to].Name) {
					n = max(n, utf8.RuneCountInString(l))
				}
			}
			if all += 2 + n; all > mostColumns && to > from {
				break
			}
			width = append(width, n)
		}
		line := pad(t.Row, label)
		for i, n := range width {
			line += "  " + pad(t.Events[from+i].Name, n)
		}
		fmt.Fprintf(b, "\n%s\n", strings.TrimRight(line, " "))
		for _, row := range t.Rows {
			for k := 0; ; k++ {
				more, line := k == 0, pad("", label)
				if k == 0 {
					line = pad(row, label)
				}
				for i, n := range width {
					cell := ""
					if lines := t.lines(row, t.Events[from+i].Name); k < len(lines) {
						more, cell = true, lines[k]
					}
					line += "  " + pad(cell, n)
				}
				if !more {
					break
				}
				fmt.Fprintln(b, strings.TrimRight(line, " "))
			}
		}
		from = to
	}
}

// grid writes the head and each row of a table, given how a line and a cell are made.
func (t *Table) grid(line func(cells []string), cell func(lines []string) string) {
	line(append([]string{cell([]string{t.Row})}, lists.Map(t.Events, func(e Event) string { return cell([]string{e.Name}) })...))
	for _, row := range t.Rows {
		line(append([]string{cell([]string{row})}, lists.Map(t.Events, func(e Event) string { return cell(t.lines(row, e.Name)) })...))
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
