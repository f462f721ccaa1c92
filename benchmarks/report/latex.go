package report

import (
	"fmt"
	"io"
	"strings"

	"orbitmc/benchmarks"
)

// WriteLatex writes the tables of the report for \input into a document in LaTeX with the
// packages booktabs and longtable. Building counts as CPU time if building is set.
func WriteLatex(w io.Writer, rec *benchmarks.Record, notes []string, building bool) error {
	var t strings.Builder
	comment := func(s string) { fmt.Fprintf(&t, "%% %s\n", strings.ReplaceAll(s, "\n", " ")) }
	comment("Benchmark report: " + rec.Suite)
	comment("It needs \\usepackage{booktabs,longtable}.")
	for _, n := range notes {
		comment("Note: " + n + ".")
	}
	comment(provenance(rec) + ".")
	for _, x := range arrange(rec, building).tables() {
		x.latex(&t)
	}
	_, err := io.WriteString(w, t.String())
	return err
}

func (x *table) latex(t *strings.Builder) {
	fmt.Fprintf(t, "\n\\begin{longtable}{@{}%s%s@{}}\n", strings.Repeat("l", x.left), strings.Repeat("r", len(x.head)-x.left))
	caption := append([]string{x.title}, x.lines...)
	fmt.Fprintf(t, "\\caption[%s]{%s.}\\label{tab:%s}\\\\\n\\toprule\n", tex(x.title), tex(strings.Join(append(caption, x.notes...), ". ")), x.name)
	for i, h := range x.head {
		fmt.Fprintf(t, "%s%s", []string{"", " & "}[min(i, 1)], tex(h))
	}
	t.WriteString(" \\\\\n\\midrule\n\\endhead\n")
	for _, row := range x.rows {
		for i, f := range row {
			text := tex(f.Text)
			if f.Strong {
				text = `\textbf{` + text + `}`
			}
			fmt.Fprintf(t, "%s%s", []string{"", " & "}[min(i, 1)], text)
		}
		t.WriteString(" \\\\\n")
	}
	t.WriteString("\\bottomrule\n\\end{longtable}\n")
}

// tex escapes text for LaTeX.
func tex(s string) string {
	return strings.NewReplacer(`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`,
		"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`, "[", "{[}", "]", "{]}",
		"–", "--", "×", `$\times$`, "\n", " ").Replace(s)
}
