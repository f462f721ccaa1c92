package gotest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestGoKer explores kernels of bugs that were found in programs that are in use: those of a checkout of
// github.com/timmyyuan/gobench in the folder ORBITMC_GOKER. testdata/goker.tsv says what is found in which.
func TestGoKer(t *testing.T) {
	checkout := os.Getenv("ORBITMC_GOKER")
	if checkout == "" {
		t.Skip("ORBITMC_GOKER is not set")
	}
	goker(t, checkout, "")
}

// goker explores the kernels whose name ends in one of some words.
func goker(t *testing.T, checkout string, ends ...string) {
	table, err := os.ReadFile("testdata/goker.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(table)), "\n")[1:] {
		row := strings.Split(line, "\t")
		kernel, timers, race, want := row[0], row[1], row[2] == "yes", row[3]
		if !slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(kernel, end) }) {
			continue
		}
		t.Run(kernel, func(t *testing.T) {
			if race && !racing() {
				t.Skip("no C compiler, and so no race detector")
			}
			files, err := filepath.Glob(filepath.Join(checkout, "gobench", "goker", kernel, "*.go"))
			if err != nil || len(files) == 0 {
				t.Fatalf("no kernel: %v", err)
			}
			dir := t.TempDir()
			for _, f := range files {
				text, err := os.ReadFile(f)
				if err == nil {
					err = os.WriteFile(filepath.Join(dir, filepath.Base(f)), text, 0o666)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			// The kernels are of a time when loops had one variable for all rounds.
			if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module kernel\n\ngo 1.13\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
			defer cancel()
			r, err := Run(ctx, Options{Dir: dir, Patterns: []string{"."}, Race: race, AnyTime: timers == "any", Limit: 1000})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, x := range r.Tests {
				for _, v := range x.Violations {
					got = append(got, v.Kind)
				}
				if slices.ContainsFunc(x.Gaps, func(g string) bool { return strings.Contains(g, "is not controlled") }) {
					got = append(got, "refused")
				}
			}
			if r.Verdict == Incomplete && !slices.Contains(got, "refused") {
				got = append(got, "missed")
			}
			if !slices.Contains(got, want) {
				t.Errorf("%s: %v, want %s", r.Verdict, got, want)
			}
		})
	}
}
