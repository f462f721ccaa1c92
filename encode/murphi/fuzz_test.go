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
