package aiger_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"orbitmc/benchmarks"
	"orbitmc/encode"
	"orbitmc/encode/aiger"
	"orbitmc/encode/murphi"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/model"
	"orbitmc/ts"
)

// abc runs commands of berkeley-abc on a file and returns what it prints.
func abc(t *testing.T, program, file, commands string) string {
	t.Helper()
	cmd := exec.Command(program, "-q", "read_aiger "+file+"; "+commands)
	cmd.Dir = filepath.Dir(file) // it leaves a history there
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", file, err, out)
	}
	return string(out)
}

// prepare makes a network what the engines of ABC expect.
const prepare = "logic; undc; strash; zero; fold; "

var asserted = regexp.MustCompile(`was asserted in frame (\d+)`)

// onlyBads returns the file with the given bads and no other.
func onlyBads(f *aiger.File, bads []ts.Bad) *aiger.File {
	sys := *f.Sys
	sys.Bads = bads
	return &aiger.File{Sys: &sys}
}

// TestABC writes our models in their smallest sizes as AIGER and asks
// berkeley-abc for their verdicts: the depth of each violation by bmc3, which
// counts frames, hence one less than a step for an error inside it; and a proof
// by pdr. With ORBITMC_LONG=1 it asks about large models too, and may find no
// answer in half a minute. Liveness has no bads, and to hit a cover is no violation.
func TestABC(t *testing.T) {
	program := tool(t, "ABC", "berkeley-abc")
	files, err := filepath.Glob("../../benchmarks/murphi/*.m")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d models, %v", len(files), err)
	}
	name := filepath.Join(t.TempDir(), "x.aig")
	ask := func(f *aiger.File, commands string) string {
		if err := os.WriteFile(name, write(t, f, true), 0o666); err != nil {
			t.Fatal(err)
		}
		return abc(t, program, name, prepare+commands)
	}
	safe, unsafe := 0, 0
	for _, file := range files {
		expect, err := benchmarks.ReadExpectations(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range expect {
			small := e.States <= 100 && e.Depth <= 10
			if e.Size != expect[0].Size || !small && !nightly.On() {
				continue
			}
			what := fmt.Sprintf("%s %s %s", filepath.Base(file), e.Size, e.Prop)
			m, err := murphi.ReadFile(file, murphi.Options{Consts: e.Consts})
			if err != nil {
				t.Fatal(err)
			}
			enc, err := encode.Model(context.Background(), m)
			if err != nil {
				t.Fatal(err)
			}
			f := aiger.FromSystem(enc.Sys)
			if slices.ContainsFunc(m.Props, func(p *model.Property) bool { return p.Name == e.Prop && p.Kind == model.Liveness }) {
				continue
			}
			if e.Safe {
				f = onlyBads(f, slices.DeleteFunc(f.Sys.Bads, func(b ts.Bad) bool { return m.Props[b.Prop].Kind == model.Cover }))
				switch out := ask(f, "orpos; pdr -T 30"); {
				case strings.Contains(out, "Property proved"):
					safe++
				case !small && strings.Contains(out, "UNDECIDED"):
					t.Logf("%s is undecided", what)
				default:
					t.Errorf("%s: %s", what, out)
				}
				continue
			}
			depth, undecided := -1, false
			for _, b := range f.Sys.Bads {
				if m.Props[b.Prop].Name != e.Prop {
					continue
				}
				out := ask(onlyBads(f, []ts.Bad{b}), fmt.Sprintf("bmc3 -T 30 -F %d", e.Depth+1))
				hit := asserted.FindStringSubmatch(out)
				switch {
				case hit != nil:
					frame, _ := strconv.Atoi(hit[1])
					if d := frame + b.Delay; depth < 0 || d < depth {
						depth = d
					}
				case !strings.Contains(out, fmt.Sprintf("No output asserted in %d frames", e.Depth+1)):
					undecided = true
					t.Logf("%s: %s", what, out)
				}
			}
			switch {
			case depth == e.Depth && !undecided:
				unsafe++
			case small || !undecided || depth >= 0 && depth < e.Depth:
				t.Errorf("%s: depth %d, want %d", what, depth, e.Depth)
			}
		}
	}
	if safe < 7 || unsafe < 13 {
		t.Errorf("only %d proofs and %d depths", safe, unsafe)
	}
	t.Logf("%d proofs, %d depths", safe, unsafe)
}
