package promela

import (
	"encoding/json"
	"os"
	"regexp"
	"testing"
)

// TestGrammar: the grammar of editors knows every keyword, and takes no other word for one.
func TestGrammar(t *testing.T) {
	text, err := os.ReadFile("../../editors/vscode/syntaxes/promela.tmLanguage.json")
	if err != nil {
		t.Fatal(err)
	}
	var g struct {
		ScopeName string
		Patterns  []struct{ Name, Match, Begin, End string }
	}
	if err := json.Unmarshal(text, &g); err != nil {
		t.Fatal(err)
	}
	scope := func(word string) string {
		for _, p := range g.Patterns {
			if p.Match != "" {
				if at := regexp.MustCompile(p.Match).FindStringIndex(word); at != nil && at[0] == 0 && at[1] == len(word) {
					return p.Name
				}
			}
		}
		return ""
	}
	for w := range keywords {
		if s := scope(w); s == "" || g.ScopeName != "source.promela" {
			t.Errorf("%q has scope %q", w, s)
		}
	}
	for _, w := range []string{"dodo", "skipped", "x1"} {
		if s := scope(w); s != "" {
			t.Errorf("%q has scope %q", w, s)
		}
	}
}
