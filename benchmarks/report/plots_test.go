package report

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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
		if strings.HasSuffix(f, ".pdf") {
			drawn := readPDF(t, f, text)
			if strings.Count(drawn, ") Tj") < 8 || strings.Count(drawn, " l\n") < 10 || !strings.Contains(drawn, "(memory limit 4 GiB") {
				t.Errorf("%s draws\n%.2000s", f, drawn)
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
	var want []string
	for _, stem := range []string{"cactus", "memory", "scatter-explicit-vs-rumur", "scaling-german", "scaling-mesi", "scaling-peterson-bug"} {
		want = append(want, stem+".svg", stem+".png", stem+".pdf")
	}
	if got := names; !slices.Equal(got, want) {
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

// readPDF checks the table of objects of a file in PDF, and returns what it draws. Where pdftotext is
// installed, it reads the file, too.
func readPDF(t *testing.T, file string, data []byte) (drawn string) {
	t.Helper()
	end := regexp.MustCompile(`startxref\n(\d+)\n%%EOF\n$`).FindSubmatch(data)
	if !bytes.HasPrefix(data, []byte("%PDF-1.")) || end == nil {
		t.Fatalf("%s is no PDF", file)
	}
	at, _ := strconv.Atoi(string(end[1]))
	entries := strings.Split(string(data[at:]), "\n")
	var n int
	if _, err := fmt.Sscanf(entries[1], "0 %d", &n); err != nil || entries[0] != "xref" || n < 4 {
		t.Fatalf("%s: its table begins with %q", file, entries[:2])
	}
	for i := 1; i < n; i++ {
		offset, _ := strconv.Atoi(entries[2+i][:10])
		if want := fmt.Sprintf("%d 0 obj\n", i); !bytes.HasPrefix(data[offset:], []byte(want)) {
			t.Fatalf("%s: object %d is not at %d", file, i, offset)
		}
	}
	for _, m := range regexp.MustCompile(`<</Filter /FlateDecode /Length (\d+)>>\nstream\n`).FindAllSubmatchIndex(data, -1) {
		r, err := zlib.NewReader(bytes.NewReader(data[m[1]:]))
		if err != nil {
			t.Fatal(file, err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(file, err)
		}
		drawn += string(text)
	}
	if _, err := exec.LookPath("pdftotext"); err == nil {
		text, err := exec.Command("pdftotext", file, "-").CombinedOutput()
		if err != nil || !strings.Contains(string(text), "memory limit 4 GiB") || strings.Contains(string(text), "Error") {
			t.Errorf("%s: %v: %s", file, err, text)
		}
	}
	return drawn
}
