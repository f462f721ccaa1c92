package benchmarks_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orbitmc/benchmarks"
	"orbitmc/bmc"
	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/mc"
)

// TestInductionTable: the k with which each property of our models is proved by
// induction, with the group and without, is the one that benchmarks/murphi/induction.md states, and
// nothing is proved that is expected to be violated.
func TestInductionTable(t *testing.T) {
	const maxK = 5
	doc, err := os.ReadFile("murphi/induction.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("murphi/*.m")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d models, %v", len(files), err)
	}
	var rows []string
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".m")
		m, err := murphi.ReadFile(f, murphi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(name, "_range") || manySlots(m) {
			continue // the same with other types; slots take too long
		}
		p, _, err := assemble(m, nil)
		if err != nil {
			t.Fatal(err)
		}
		expected, err := benchmarks.ReadExpectations(f)
		if err != nil {
			t.Fatal(err)
		}
		size := "" // of the model as it is
		if len(expected) > 0 {
			size = expected[0].Size
		}
		var by [2][]string // with the group, without
		for i := range by {
			q := *p
			if i == 1 {
				q.Groups = nil
			}
			r, err := (&bmc.Inductor{NewSolver: newSolver, MaxK: maxK}).Run(context.Background(), &q, mc.Options{All: true})
			if err == nil {
				err = certify.Verify(context.Background(), &q, r)
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, pr := range r.Props {
				switch {
				case pr.Proof != nil:
					by[i] = append(by[i], fmt.Sprintf("%s %d", m.Props[pr.Prop].Name, pr.Proof.K))
					if slices.ContainsFunc(expected, func(e benchmarks.Expectation) bool {
						return !e.Safe && e.Prop == m.Props[pr.Prop].Name && e.Size == size
					}) {
						t.Errorf("%s: %q is proved, and expected to be violated", name, m.Props[pr.Prop].Name)
					}
				case pr.Status == mc.Unknown:
					by[i] = append(by[i], m.Props[pr.Prop].Name+" –")
				default:
					by[i] = append(by[i], fmt.Sprintf("%s at %d", m.Props[pr.Prop].Name, pr.Depth))
				}
			}
		}
		without := strings.Join(by[1], ", ")
		if slices.Equal(by[0], by[1]) {
			without = "the same"
		}
		rows = append(rows, fmt.Sprintf("| `%s` | %s | %s |\n", name, strings.Join(by[0], ", "), without))
	}
	table := strings.Join(rows, "")
	if !strings.Contains(string(doc), table) {
		t.Errorf("the table is\n%s", table)
	}
}
