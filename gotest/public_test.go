package gotest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestPublic explores tests of public packages that are well kept, at the versions of testdata/public/go.mod, if
// ORBITMC_PUBLIC is set: they are downloaded. testdata/public/public.tsv says what comes out: all schedules, with their
// number; or why not all; or a violation, each of which was read: it is real.
func TestPublic(t *testing.T) {
	if os.Getenv("ORBITMC_PUBLIC") == "" {
		t.Skip("ORBITMC_PUBLIC is not set")
	}
	if !racing() {
		t.Skip("no C compiler, and so no race detector")
	}
	table, err := os.ReadFile("testdata/public/public.tsv")
	if err != nil {
		t.Fatal(err)
	}
	get := exec.Command("go", "mod", "download")
	get.Dir = "testdata/public"
	if out, err := get.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	type group struct{ path, limit string }
	tests, want := map[group][]string{}, map[string]string{}
	var groups []group
	for _, line := range strings.Split(strings.TrimSpace(string(table)), "\n")[1:] {
		row := strings.SplitN(line, "\t", 4) // package, limit of executions, test, and what comes out
		g := group{row[0], row[1]}
		if tests[g] == nil {
			groups = append(groups, g)
		}
		tests[g] = append(tests[g], row[2])
		want[row[0]+" "+row[2]] = row[3]
	}
	for _, g := range groups {
		t.Run(strings.ReplaceAll(g.path, "/", ".")+" "+g.limit, func(t *testing.T) {
			limit, err := strconv.Atoi(g.limit)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Run(context.Background(), Options{Dir: "testdata/public", Patterns: []string{g.path}, Run: "^(" + strings.Join(tests[g], "|") + ")$", Race: true, Limit: limit})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Tests) != len(tests[g]) {
				t.Errorf("%d tests, want %d", len(r.Tests), len(tests[g]))
			}
			for _, x := range r.Tests {
				got := x.Verdict
				switch x.Verdict {
				case Explored:
					got += fmt.Sprintf("\t%d", x.Executions)
				case Violated:
					var kinds []string
					for _, v := range x.Violations {
						if !slices.Contains(kinds, v.Kind) {
							kinds = append(kinds, v.Kind)
						}
					}
					slices.Sort(kinds)
					got += "\t" + strings.Join(kinds, ", ")
				case Incomplete: // by what: a call, steps, the limit, ...
					why, _, _ := strings.Cut(x.Gaps[0], " at ")
					got += "\t" + why
				}
				if !strings.HasPrefix(want[g.path+" "+x.Name]+"\t", got+"\t") {
					t.Errorf("got\n%s\t%s\t%s\t%s", g.path, g.limit, x.Name, got)
				}
			}
		})
	}
}
