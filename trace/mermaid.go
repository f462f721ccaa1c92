package trace

import (
	"fmt"
	"io"
	"strings"
)

// WriteMermaid writes the view as a sequence diagram in the language of Mermaid.
func (v *View) WriteMermaid(w io.Writer) error {
	var b strings.Builder
	b.WriteString("sequenceDiagram\n")
	for i, l := range v.Lanes {
		fmt.Fprintf(&b, "  participant L%d as %s\n", i, mermaidText(l.Name))
	}
	if len(v.Lanes) == 0 {
		b.WriteString("  participant L0 as model\n")
	}
	for k, s := range v.Steps {
		drawn := false
		for _, m := range v.Messages {
			if m.Sent == k+1 && m.To >= 0 {
				arrow := "->>"
				if m.Blind {
					arrow = "-x"
				}
				fmt.Fprintf(&b, "  L%d%sL%d: %d %s: %s\n", m.From, arrow, m.To, k+1, mermaidText(s.Rule), mermaidText(m.Text))
				drawn = true
			}
		}
		if !drawn {
			fmt.Fprintf(&b, "  Note over L%d: %d %s\n", max(0, s.Actor), k+1, mermaidText(s.Rule))
		}
	}
	last := max(0, len(v.Lanes)-1)
	over := "L0"
	if last > 0 {
		over = fmt.Sprintf("L0,L%d", last)
	}
	fmt.Fprintf(&b, "  Note over %s: %s: %s\n", over, mermaidText(v.Verb), mermaidText(v.Property))
	_, err := io.WriteString(w, b.String())
	return err
}

// mermaidText returns a text without what means something to Mermaid.
func mermaidText(s string) string {
	return strings.NewReplacer("#", "#35;", ";", "#59;", "<", "#60;", ">", "#62;", "\n", " ").Replace(s)
}
