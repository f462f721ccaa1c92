package report

import (
	"fmt"
	"io"
	"strings"

	"orbitmc/benchmarks"
)

// WriteMarkdown writes the tables of the report as Markdown. Building counts as CPU time if
// building is set.
func WriteMarkdown(w io.Writer, rec *benchmarks.Record, notes []string, building bool) error {
	b := arrange(rec, building)
	var t strings.Builder
	fmt.Fprintf(&t, "# Benchmark report: %s\n\n", cell(rec.Suite))
	for _, n := range notes {
		fmt.Fprintf(&t, "> Note: %s.\n\n", n)
	}
	if b.disputeTable() == nil {
		t.WriteString("No wrong answers, no disagreements.\n\n")
	}
	for _, x := range b.tables() {
		x.markdown(&t)
	}
	fmt.Fprintf(&t, "%s.\n", cell(provenance(rec)))
	_, err := io.WriteString(w, t.String())
	return err
}

func (x *table) markdown(t *strings.Builder) {
	fmt.Fprintf(t, "%s %s\n\n", strings.Repeat("#", x.level), cell(x.title))
	for _, l := range x.lines {
		fmt.Fprintf(t, "- %s\n", cell(l))
	}
	if len(x.lines) > 0 {
		t.WriteString("\n")
	}
	for _, h := range x.head {
		fmt.Fprintf(t, "| %s ", cell(h))
	}
	t.WriteString("|\n" + strings.Repeat("|---", x.left) + strings.Repeat("|---:", len(x.head)-x.left) + "|\n")
	for _, row := range x.rows {
		for _, f := range row {
			text := cell(f.Text)
			if f.Strong {
				text = "**" + text + "**"
			}
			fmt.Fprintf(t, "| %s ", text)
		}
		t.WriteString("|\n")
	}
	if len(x.notes) > 0 {
		fmt.Fprintf(t, "\n%s.\n", cell(strings.Join(x.notes, ". ")))
	}
	t.WriteString("\n")
}

// cell escapes text for Markdown.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;", "*", `\*`, "_", `\_`, "`", "\\`").Replace(s)
}
