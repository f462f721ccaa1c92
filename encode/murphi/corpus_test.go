package murphi

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orbitmc/model"
)

// TestCorpus reads public models where a copy of them is at hand (a folder
// shared/models/murphi next to some parent folder). Each loads under each
// dialect, or is known to be in error.
func TestCorpus(t *testing.T) {
	root := findCorpus(t)
	reject := readRejects(t, filepath.Join(root, "..", "rumur_tests.tsv"))
	refused := readRefused(t, filepath.Join(root, "..", "fresh_murphi.tsv"))
	// Both loops go the wrong way, which CMurphi takes for no way at all.
	rumurOnly := map[string]bool{"for-step-1.m": true, "for-step-neg-1.m": true}
	files, err := filepath.Glob(filepath.Join(root, "*", "*.m"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no models in %s: %v", root, err)
	}
	for _, d := range []model.Dialect{model.CMurphi, model.Rumur} {
		loaded := make(map[string]int) // by folder
		total := make(map[string]int)
		for _, file := range files {
			folder, name := filepath.Base(filepath.Dir(file)), filepath.Base(file)
			inError := reject[name] && folder == "rumur-tests" && (d == model.Rumur || !rumurOnly[name]) ||
				refused[name] && folder == "fresh"
			total[folder]++
			_, err := ReadFile(file, Options{Dialect: d})
			switch {
			case err == nil && inError:
				t.Errorf("%s: is read under %v but is in error", name, d)
			case err == nil:
				loaded[folder]++
			case !inError:
				t.Errorf("%v: %v", d, err)
			}
		}
		t.Logf("%v: read %v of %v", d, loaded, total)
	}
}

func findCorpus(t *testing.T) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		root := filepath.Join(dir, "shared", "models", "murphi")
		if _, err := os.Stat(root); err == nil {
			return root
		}
		if dir == filepath.Dir(dir) {
			t.Skip("no shared/models/murphi next to a parent folder")
		}
		dir = filepath.Dir(dir)
	}
}

// readRejects returns the tests that are in error whatever the options.
func readRejects(t *testing.T, file string) map[string]bool {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	reject := make(map[string]bool)
	lines := strings.Split(string(data), "\n")
	column := make(map[string]int)
	for i, name := range strings.Split(lines[0], "\t") {
		column[name] = i
	}
	for _, line := range lines[1:] {
		f := strings.Split(line, "\t")
		if len(f) > 1 && f[column["rumur_exit"]] == "1" && f[column["scope"]] != "tool-option" {
			reject[f[column["name"]]] = true
		}
	}
	if len(reject) == 0 {
		t.Fatalf("%s names no test that is in error", file)
	}
	return reject
}

// readRefused returns the models that are in error in both tools, or whose guards change
// the state. No file is no such model.
func readRefused(t *testing.T, file string) map[string]bool {
	data, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	refused := make(map[string]bool)
	for line := range strings.Lines(string(data)) {
		if f := strings.Split(line, "\t"); len(f) > 5 && f[4] == "refused" && f[5] == "refused" {
			refused[f[0]] = true
		}
	}
	return refused
}
