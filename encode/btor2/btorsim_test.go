package btor2

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// notOfBtorsim finds what btorsim refuses, or gets wrong: operators for overflow, a complement
// at a root, rotation by more than the width.
var notOfBtorsim = regexp.MustCompile(`(?m)^\d+ ((bad|constraint) -|(rol|ror|[su](add|sub|mul)o|sdivo) )`)

// otherArrays reports whether a file compares or chooses arrays, which btorsim cannot, or has
// arrays as inputs, with which it crashes.
func otherArrays(f *File) bool {
	return slices.ContainsFunc(f.nodes, func(n node) bool {
		return n.op == opInput && n.sort.index > 0 || (n.op == opEq || n.op == opNeq || n.op == opIte) && f.nodes[n.args[1].node].sort.index > 0
	})
}

// TestBtorsim: btorsim accepts our witnesses, and refuses claims that are false.
func TestBtorsim(t *testing.T) {
	sim := os.Getenv("ORBITMC_BTORSIM")
	if sim == "" {
		var err error
		if sim, err = exec.LookPath("btorsim"); err != nil {
			t.Skip("btorsim is not installed, and ORBITMC_BTORSIM is not set")
		}
	}
	accepted, refused, arrays := 0, 0, 0
	for seed := 0; accepted < 300; seed++ {
		rng := rand.New(rand.NewPCG(uint64(seed), 7))
		text := randomFile(rng, make(map[string]int))
		if notOfBtorsim.MatchString(text) {
			continue
		}
		f := readText(t, text)
		if otherArrays(f) {
			continue
		}
		tr := randomTrace(rng, f.Sys, 4)
		dir := t.TempDir()
		file, witness := filepath.Join(dir, "x.btor2"), filepath.Join(dir, "w")
		for bad := range f.bads {
			claim := *tr
			frame, wrong := f.Run(f.Stimulus(tr)).Shows(bad)
			if wrong == nil {
				claim.Inputs = tr.Inputs[:frame+1]
			} else if refused == 30 {
				continue
			}
			var b bytes.Buffer
			if err := f.write(&b, 'b', bad, f.Stimulus(&claim)); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(witness, b.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command(sim, "-c", file, witness).CombinedOutput()
			if (err == nil) != (wrong == nil) {
				t.Fatalf("seed %d: %v\n%s\nwant %v\n%s\n%s", seed, err, out, wrong, text, b.String())
			}
			if wrong != nil {
				refused++
				continue
			}
			accepted++
			if bytes.Contains(b.Bytes(), []byte("[")) {
				arrays++
			}
		}
	}
	if refused < 30 || arrays < 30 {
		t.Errorf("%d claims are false, %d witnesses have arrays", refused, arrays)
	}
}
