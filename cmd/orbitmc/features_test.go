package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestFeatures: in the table of docs/comparison.md, each "yes" of ours names tests
// that exist, and nothing else does.
func TestFeatures(t *testing.T) {
	text, err := os.ReadFile("../../docs/comparison.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n| | orbitmc | shown by |")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := regexp.MustCompile(`(?m)^\| ([^|]+) \| (yes|–) \| ([^|]*)\|((?: (?:yes|–) \|){8})$`).FindAllStringSubmatch(table, -1)
	if n := strings.Count(table, "\n") - 1; len(rows) < 15 || len(rows) != n { // one of the lines is below the head
		t.Fatalf("%d rows that can be read, of %d", len(rows), n)
	}
	for _, r := range rows {
		names := regexp.MustCompile("`([\\w/]+) (\\w+)`").FindAllStringSubmatch(r[3], -1)
		if (len(names) > 0) != (r[2] == "yes") {
			t.Errorf("%s: %s, shown by %q", r[1], r[2], r[3])
		}
		for _, n := range names {
			files, _ := filepath.Glob(filepath.Join("../..", n[1], "*_test.go"))
			if !slices.ContainsFunc(files, func(file string) bool {
				src, _ := os.ReadFile(file)
				return strings.Contains(string(src), "\nfunc "+n[2]+"(t *testing.T)")
			}) {
				t.Errorf("%s: there is no test %s in %s", r[1], n[2], n[1])
			}
		}
	}
}
