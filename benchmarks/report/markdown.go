package report

import (
	"fmt"
	"io"
	"strings"

	"orbitmc/benchmarks"
)

// WriteMarkdown writes the tables of the report as Markdown.
func WriteMarkdown(w io.Writer, rec *benchmarks.Record, notes []string) error {
	b := arrange(rec)
	var t strings.Builder
	fmt.Fprintf(&t, "# Benchmark report: %s\n\n", cell(rec.Suite))
	for _, n := range notes {
		fmt.Fprintf(&t, "> Note: %s.\n\n", n)
	}
	b.markdownDisputes(&t)
	markdownPublished(&t, b.published())
	if len(rec.Tables) > 0 {
		t.WriteString("\n")
	}
	fmt.Fprintf(&t, "## Summary\n\n")
	b.markdownScores(&t, "")
	fmt.Fprintf(&t, "\n%s. CPU: total over all runs. Build: CPU time spent on building a checker, in no other column. Unique: solved by no other configuration. %s.\n", b.penalty(), conditions(rec))
	if f := b.peers(); f != nil {
		f.markdown(&t)
		fmt.Fprintf(&t, "\n%s. %s.\n", f.Rule(), conditions(rec))
	}
	if len(b.families) > 1 {
		for _, f := range b.families {
			fmt.Fprintf(&t, "\n### %s\n\n", cell(f))
			b.markdownScores(&t, f)
			fmt.Fprintf(&t, "\n%s. %s.\n", b.penalty(), conditions(rec))
		}
	}
	fmt.Fprintf(&t, "\n## Instances\n\nCPU seconds (median over repeats), or how the run ended.\n\n| Instance | Expected |")
	for _, c := range b.configs {
		fmt.Fprintf(&t, " %s |", cell(c))
	}
	t.WriteString("\n|---|---|" + strings.Repeat("---:|", len(b.configs)) + "\n")
	for _, x := range b.instances {
		fmt.Fprintf(&t, "| %s | %s |", cell(x.name()), benchmarks.ShortVerdict(x.expected))
		for _, c := range b.configs {
			text := ""
			if p := x.results[c]; p != nil {
				text = classNames[p.class]
				switch p.class {
				case solved:
					text = fmt.Sprintf("%s %s", benchmarks.ShortVerdict(p.verdict), numberText(p.cpu))
				case wrong:
					text = fmt.Sprintf("**WRONG: %s** %s", benchmarks.ShortVerdict(p.verdict), numberText(p.cpu))
				}
			}
			fmt.Fprintf(&t, " %s |", text)
		}
		t.WriteString("\n")
	}
	fmt.Fprintf(&t, "\n%s.\n\nPrograms: %s. Suite sha256 %s. Command: `%s`.\n", conditions(rec), cell(versionsText(rec)), rec.Digest, commandText(rec.Command))
	_, err := io.WriteString(w, t.String())
	return err
}

func (b *batch) markdownDisputes(t *strings.Builder) {
	var hard []dispute
	for _, d := range b.disputes() {
		if !d.Depths {
			hard = append(hard, d)
		}
	}
	if len(hard) == 0 {
		t.WriteString("No wrong answers, no disagreements.\n\n")
		return
	}
	fmt.Fprintf(t, "## Wrong or contradicting verdicts: %d\n\n| Instance | Expected | Verdict | Given by |\n|---|---|---|---|\n", len(hard))
	for _, d := range hard {
		for _, c := range d.Claims {
			says := c.Says
			if c.Wrong {
				says = "**WRONG: " + says + "**"
			}
			fmt.Fprintf(t, "| %s | %s | %s | %s |\n", cell(d.Instance), orElse(d.Expected, "not stated"), says, cell(c.Configs()))
		}
	}
	t.WriteString("\n")
}

func (f *peerFigures) markdown(t *strings.Builder) {
	fmt.Fprintf(t, "\n### %s beside %s\n\n", cell(f.Config), cell(strings.Join(f.Peers, ", ")))
	for _, l := range f.Lines() {
		fmt.Fprintf(t, "- %s\n", cell(l))
	}
	for _, r := range f.Missed() {
		fmt.Fprintf(t, "- **not decided: %s** (%s; %s takes %s)\n", cell(r.Instance), cell(r.End), cell(r.Peer), secondsText(r.PeerTotal))
	}
	t.WriteString("\n| Instance | Result | Time [s] | Faster peer | Its time [s] | Least run of a peer [s] |\n|---|---|---:|---|---:|---:|\n")
	for _, r := range f.Rows {
		fmt.Fprintf(t, "| %s | %s | %s | %s | %s | %s |\n", cell(r.Instance), cell(r.End), numberText(r.Own), cell(r.Peer), numberText(r.PeerTotal), numberText(r.PeerRun))
	}
}

func (b *batch) markdownScores(t *strings.Builder, family string) {
	t.WriteString("| Configuration | Instances | Solved | Safe | Unsafe | Wrong | Timeouts | Memouts | Failed | Unknown | Skipped | PAR-2 [s] | CPU [s] | Build [s] | Unique |\n")
	t.WriteString("|---|" + strings.Repeat("---:|", 14) + "\n")
	for _, s := range b.scores(family) {
		bad := fmt.Sprint(s.Wrong)
		if s.Wrong > 0 {
			bad = "**" + bad + "**"
		}
		par := "–"
		if s.Scored {
			par = numberText(s.PAR2)
		}
		fmt.Fprintf(t, "| %s | %d | %d | %d | %d | %s | %d | %d | %d | %d | %d | %s | %s | %s | %d |\n", cell(s.Config), s.Instances, s.Solved, s.Safe, s.Unsafe, bad,
			s.Timeout, s.Memout, s.Failed, s.Unknown, s.Skipped, par, numberText(s.CPU), numberText(s.Build), s.Unique)
	}
}

// cell escapes text for a table cell.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;", "*", `\*`, "_", `\_`).Replace(s)
}
