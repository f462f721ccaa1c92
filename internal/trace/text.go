package trace

import (
	_ "embed"
	"fmt"
	"io"
	"strings"
	"sync"
	"text/template"

	"orbitmc/internal/lists"
)

// This file writes views, and parts of them, as text.

//go:embed text.tmpl
var textsText string

var texts = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"add":     func(a, b int) int { return a + b },
		"max":     func(a, b int) int { return max(a, b) },
		"mermaid": strings.NewReplacer("#", "#35;", ";", "#59;", "<", "#60;", ">", "#62;", "\n", " ").Replace, // without what means something there
		"quoted":  func(s string) string { return strings.ReplaceAll(s, "'", `'\''`) },
		"after": func(n int) string { // names a state
			if n == 0 {
				return "the start state"
			}
			return fmt.Sprintf("the state after step %d", n)
		},
	}).Parse(textsText))
})

// WriteMermaid writes the view as a sequence diagram in the language of Mermaid.
func (v *View) WriteMermaid(w io.Writer) error { return texts().ExecuteTemplate(w, "mermaid", v) }

// SentIn returns the messages of step k, from 0, whose receivers are known.
func (v *View) SentIn(k int) []Message {
	return lists.Where(v.Messages, func(m Message) bool { return m.Sent == k+1 && m.To >= 0 })
}

// Lines returns it as text: of each list the first ones.
func (f *Fair) Lines() []string {
	var b strings.Builder
	if err := texts().ExecuteTemplate(&b, "fair", f); err != nil {
		panic(err) // the template is wrong
	}
	return strings.Split(b.String(), "\n")
}
