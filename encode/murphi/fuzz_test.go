package murphi

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orbitmc/model"
)

// FuzzParse checks that reading ends, in a model or in errors that lie in the
// file, that a model can be dumped and is the same when read again, and that it
// is the same when printed and read. The index has the same errors, and indentation moves blanks only.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/ok/*.m", "testdata/bad/*.m"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(src, false)
			f.Add(src, true)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte, rumur bool) {
		opt := Options{}
		if rumur {
			opt.Dialect = model.Rumur
		}
		m, err := Parse("f.m", src, opt)
		if x := Index("f.m", src, opt); x.Whole != (err == nil) {
			t.Errorf("Parse says %v, and the index has the problems %v", err, x.Problems)
		}
		if out, err := Indent("f.m", src, "  ", opt.Dialect); err == nil {
			if bare(string(out)) != bare(strings.TrimPrefix(string(src), "\ufeff")) {
				t.Errorf("indented it is\n%s", out)
			}
			if again, err := Indent("f.m", out, "  ", opt.Dialect); err != nil || string(again) != string(out) {
				t.Errorf("indented twice: %v\n%s\n%s", err, out, again)
			}
		}
		if err == nil {
			if text := dump(m); text == "" {
				t.Error("empty dump")
			} else if m, err := Parse("f.m", src, opt); err != nil || dump(m) != text {
				t.Errorf("reading again differs: %v", err)
			}
			checkFormat(t, "f.m", src, opt)
			return
		}
		list, ok := err.(ErrorList)
		if !ok || len(list) == 0 || m != nil {
			t.Fatalf("got model %v and error %T", m, err)
		}
		lines := strings.Split(string(src), "\n")
		for _, e := range list {
			if e.File != "f.m" || e.Pos.Line < 1 || e.Pos.Line > len(lines) ||
				e.Pos.Col < 1 || e.Pos.Col > len(lines[e.Pos.Line-1])+1 {
				t.Errorf("error outside the file: %v", e)
			}
		}
	})
}

// FuzzFormula checks that reading a formula ends, in a formula whose automaton is made or too large, or in errors.
func FuzzFormula(f *testing.F) {
	const src = `type P: scalarset(2); R: record n: 0..3; set: boolean; end;
var a: array[P] of R; b: boolean; own: P;
startstate begin b := true; end;
rule "go" b ==> begin b := false; end;
`
	for _, text := range []string{
		"x: G a", "x: forall p: P: G (a[p].n = 1 -> F a[p].set)", "x: b U (X !b W [] <> b)", "x: forall i := 0 to 2 do F a[own].n = i",
		"x: (exists p: P do a[p].set end) R b", "x: !(G b = F b)", "x: AG (b -> A [b W EF !b])", "x: E [b S EP b] & AH EY b", ": ", "x: forall p: P; q: P: X X a[p].n < a[q].n + 1",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if m, err := Parse("f.m", []byte(src), Options{Trees: []string{text}}); (m == nil) != (err != nil) {
			t.Fatalf("got model %v and error %v", m, err)
		}
		m, err := Parse("f.m", []byte(src), Options{Formulas: []string{text}, Fair: []string{"weak:go"}})
		if err != nil {
			if list, ok := err.(ErrorList); !ok || len(list) == 0 || m != nil {
				t.Fatalf("got model %v and error %T", m, err)
			}
			return
		}
		own := m.Formulas[0]
		for _, p := range own.Atoms {
			if m.Props[p.Index] != p || p.Kind != model.Liveness {
				t.Errorf("%q: a condition is not among the properties", text)
			}
		}
		if len(own.LTL.String()) < 200 {
			_, _ = own.Negated()
		}
	})
}
