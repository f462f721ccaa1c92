package litmus

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/explicit"
	"orbitmc/model"
)

var forbids = regexp.MustCompile(`(i_cpu\[\d\]\.instrstr\.Queue\[\d\]\.cl = )\d`)

// TestHeteroGen compares two_clusters.m with files that HeteroGen made of MSI × MESI and a test (docs/coherence.md), where they
// are: the outcomes of MP, SB and LB that are seen are the same ones. Such a file asks for one outcome, and is changed to ask for each.
func TestHeteroGen(t *testing.T) {
	dir := os.Getenv("ORBITMC_HETEROGEN")
	if dir == "" {
		t.Skip("ORBITMC_HETEROGEN is not set: the folder Litmus_Tests of MSI_MESI")
	}
	const name = "../../benchmarks/murphi/two_clusters.m"
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := murphi.Parse(name, src, murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := Embedded(name, string(src))
	if err != nil {
		t.Fatal(err)
	}
	in, err := ParseMapping(name, text)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range Classics() {
		if !slices.Contains([]string{"MP", "SB", "LB"}, x.Name) {
			continue
		}
		p, err := New(src, m, in, x, false)
		if err != nil {
			t.Fatal(err)
		}
		ours := ends(t, withDone(p))
		for _, placed := range []string{"1_2", "2_1"} { // those that two_clusters with a cache in each cluster has, too
			files, _ := filepath.Glob(filepath.Join(dir, x.Name, placed, "Murphi", "*__p_SC1__p", "*.m"))
			if len(files) != 1 {
				t.Fatal(x.Name, files)
			}
			text, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			var theirs []string
			for n := range int64(4) {
				o := Outcome{n / 2, n % 2}
				if asks(t, files[0], text, o) {
					theirs = append(theirs, x.Text(o))
				}
			}
			if !slices.Equal(ours, theirs) {
				t.Errorf("%s, placement %s: HeteroGen's outcomes are %q, ours %q", x.Name, placed, theirs, ours)
			}
			t.Logf("%s, placement %s: %q", x.Name, placed, theirs)
		}
	}
}

// asks reports whether a run of HeteroGen's file ends in an outcome.
func asks(t *testing.T, file string, text []byte, o Outcome) bool {
	n := 0
	text = forbids.ReplaceAllFunc(text, func(line []byte) []byte {
		n++
		return fmt.Appendf(nil, "%s%d", line[:len(line)-1], o[n-1])
	})
	if n != len(o) {
		t.Fatalf("%s: its condition has %d parts", file, n)
	}
	m, err := murphi.Parse(file, text, murphi.Options{Deadlock: model.DeadlockOff})
	if err != nil {
		t.Fatal(err)
	}
	found, err := explicit.Run(context.Background(), model.Compile(m), explicit.Options{Whole: true})
	if err != nil || !found.Complete {
		t.Fatal(found, err)
	}
	seen := false
	for _, v := range found.Violations {
		if m.Props[v.Prop].Name != "Litmus Test Failed" {
			t.Errorf("%s: %q is violated", file, m.Props[v.Prop].Name)
		}
		seen = true
	}
	return seen
}
