package murphi

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"orbitmc/model"
)

// line is where the name of a property without a name of its own, or of a second
// one of the same name, says on which line it stands.
var line = regexp.MustCompile(`@\d+(:\d+)*`)

// checkFormat checks that a readable model is the same after printing, and that
// printing what was printed changes nothing.
func checkFormat(t *testing.T, file string, src []byte, opt Options) {
	m, err := Parse("f.m", src, opt)
	if err != nil {
		return
	}
	text, err := Format("f.m", src, opt.Dialect)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	again, err := Parse("f.m", text, opt)
	if err != nil {
		t.Fatalf("%s, printed: %v\n%s", file, err, text)
	}
	want, got := line.ReplaceAllString(dump(m), "@"), line.ReplaceAllString(dump(again), "@")
	if got != want {
		t.Fatalf("%s is another model after printing:\n%s\nwas\n%s", file, got, want)
	}
	if twice, err := Format("f.m", text, opt.Dialect); err != nil || string(twice) != string(text) {
		t.Fatalf("%s: printing again gives %v\n%s\nnot\n%s", file, err, twice, text)
	}
}

// TestFormatModels prints every model at hand.
func TestFormatModels(t *testing.T) {
	files, err := filepath.Glob("testdata/ok/*.m")
	ours, err2 := filepath.Glob("../../benchmarks/murphi/*.m")
	if err != nil || err2 != nil || len(files) == 0 || len(ours) == 0 {
		t.Fatal("no models")
	}
	public, _ := filepath.Glob("../../../shared/models/murphi/*/*.m")
	for _, file := range append(append(files, ours...), public...) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		checkFormat(t, file, src, Options{})
		checkFormat(t, file, src, Options{Dialect: model.Rumur})
	}
}
