package murphi

import (
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"orbitmc/model"
)

// TestCorpus reads public models where a copy of them is at hand (a folder
// shared/models/murphi next to some parent folder). Each loads, or is refused
// only for features that are not supported yet, or is known to be in error.
func TestCorpus(t *testing.T) {
	root := findCorpus(t)
	reject := readRejects(t, filepath.Join(root, "..", "rumur_tests.tsv"))
	files, err := filepath.Glob(filepath.Join(root, "*", "*.m"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no models in %s: %v", root, err)
	}
	loaded := make(map[string]int) // by folder
	refused := make(map[string]int)
	for _, file := range files {
		folder, name := filepath.Base(filepath.Dir(file)), filepath.Base(file)
		opt := Options{}
		if folder == "rumur-tests" {
			opt.Dialect = model.Rumur
		}
		_, err := ReadFile(file, opt)
		if err == nil {
			loaded[folder]++
			if reject[name] && folder == "rumur-tests" {
				t.Errorf("%s: is read but is in error", name)
			}
			continue
		}
		later := true
		for _, e := range err.(ErrorList) {
			if what, ok := strings.CutSuffix(e.Msg, " not supported yet"); ok {
				refused[what]++
			} else {
				later = false
			}
		}
		if !later && !(reject[name] && folder == "rumur-tests") {
			t.Errorf("%v", err)
		}
	}
	for _, folder := range []string{"paraverifier", "semantics", "rumur-tests", "cmurphi"} {
		if loaded[folder] == 0 {
			t.Errorf("nothing was read from %s", folder)
		}
	}
	t.Logf("read, by folder: %v", loaded)
	var whats []string
	for what := range refused {
		whats = append(whats, what)
	}
	sort.Strings(whats)
	for _, what := range whats {
		t.Logf("%4d models refused because %s not supported yet", refused[what], what)
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
