package report

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPlotFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plots")
	rec := synthetic()
	keep := rec.Runs[:0]
	for _, r := range rec.Runs {
		if r.Config == "explicit" || r.Config == "rumur" {
			keep = append(keep, r)
		}
	}
	rec.Runs = keep
	files, err := WritePlots(dir, rec, false)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	first := make(map[string][]byte)
	for _, f := range files {
		names = append(names, strings.TrimPrefix(f, dir+string(filepath.Separator)))
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		first[f] = text
		if strings.HasSuffix(f, ".svg") {
			count := wellFormed(t, string(text))
			if count["path"] < 20 || count["text"] < 8 || !strings.Contains(string(text), "memory limit 4 GiB") {
				t.Errorf("%s: %v", f, count)
			}
			continue
		}
		img, err := png.Decode(bytes.NewReader(text))
		if err != nil {
			t.Fatal(f, err)
		}
		colours := make(map[any]int) // marks of both configurations, or of both verdicts
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				colours[img.At(x, y)]++
			}
		}
		if colours[palette[0]] < 100 || colours[palette[1]] < 50 {
			t.Errorf("%s: an empty plot: %d and %d pixels in the colours of the marks", f, colours[palette[0]], colours[palette[1]])
		}
	}
	want := "cactus.svg cactus.png memory.svg memory.png scatter-explicit-vs-rumur.svg scatter-explicit-vs-rumur.png scaling-german.svg scaling-german.png " +
		"scaling-mesi.svg scaling-mesi.png scaling-peterson-bug.svg scaling-peterson-bug.png"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if _, err := WritePlots(dir, rec, false); err != nil {
		t.Fatal(err)
	}
	for f, text := range first {
		if again, err := os.ReadFile(f); err != nil || !bytes.Equal(again, text) {
			t.Errorf("%s: the same record gives other bytes (%v)", f, err)
		}
	}
}
