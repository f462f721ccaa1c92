package murphi

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"testing"
)

// TestGrammar: the grammar of editors knows every word of the lexer and of the parser, and
// takes no other word for one.
func TestGrammar(t *testing.T) {
	text, err := os.ReadFile("../../editors/vscode/syntaxes/murphi.tmLanguage.json")
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
	words := map[string]bool{"boolean": true, "true": true, "false": true}
	maps.Copy(words, notNames)
	maps.Copy(words, keywords)
	for w := range words {
		if s := scope(w); s == "" || g.ScopeName != "source.murphi" {
			t.Errorf("%q has scope %q", w, s)
		}
	}
	for _, list := range symbolsBy[:0x80] {
		for _, s := range list {
			if operator := precedence[kind(s)] > precCond || s == "==" || s == "!" || s == "~"; operator && scope(s) == "" {
				t.Errorf("the operator %q has no scope", s)
			}
		}
	}
	for _, w := range []string{"nodes", "endless", "rule1"} {
		if s := scope(w); s != "" {
			t.Errorf("%q has scope %q", w, s)
		}
	}
}

// TestExtension: the files that the extension for VS Code names are there.
func TestExtension(t *testing.T) {
	const dir = "../../editors/vscode/"
	text, err := os.ReadFile(dir + "package.json")
	if err != nil {
		t.Fatal(err)
	}
	var p struct {
		Main        string
		Contributes struct {
			Languages []struct{ ID, Configuration string }
			Grammars  []struct{ Language, Path string }
		}
	}
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	files := []string{p.Main}
	for _, l := range p.Contributes.Languages {
		files = append(files, l.Configuration)
	}
	for _, g := range p.Contributes.Grammars {
		files = append(files, g.Path)
	}
	if len(files) != 5 {
		t.Errorf("it names %v", files)
	}
	for _, f := range files {
		data, err := os.ReadFile(dir + f)
		if err != nil || f != p.Main && !json.Valid(data) {
			t.Errorf("%s: %v, or no JSON", f, err)
		}
	}
}
