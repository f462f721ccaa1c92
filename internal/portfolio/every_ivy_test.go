package portfolio

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"orbitmc/internal/every/param"
	"orbitmc/internal/task"
)

// TestIvy: what is written of a proof is accepted by the command in ORBITMC_IVY, such as ivy_check, and is refused with a
// model that is not right.
func TestIvy(t *testing.T) {
	ivy := strings.Fields(os.Getenv("ORBITMC_IVY"))
	if len(ivy) == 0 {
		t.Skip("no ORBITMC_IVY")
	}
	for _, c := range []struct{ model, is, mutant string }{
		{"german", "forall j: NODE do !ShrSet[j] end ==>", "true ==>"},
		{"distributed/consensus", "Leader[n] & forall", "forall"},
		{"distributed/client_server", "Asked[c][r] & Match[r][p] ==>", "Asked[c][r] ==>"},
		{"moesi", "AuxData := d;\n  end;\nend;\n", "end;\nend;\n"},
	} {
		e := &Every{File: "../../benchmarks/murphi/" + c.model + ".m", Task: task.Options{Deadlock: "off"}, Most: 5}
		if err := e.Run(context.Background()); err != nil || e.Proved == nil {
			t.Fatalf("%s is not proved: %v, %s", c.model, err, e.Obstacle())
		}
		for _, mutant := range []bool{false, true} {
			var text bytes.Buffer
			w := bufio.NewWriter(&text)
			if mutant {
				changed := strings.Replace(string(e.source), c.is, c.mutant, 1)
				if changed == string(e.source) {
					t.Fatalf("%s: no %q", c.model, c.is)
				}
				src, _ := withLemmas([]byte(changed), e.Proved.Lemmas, e.counters...)
				m, err := e.parse(src, e.Free, nil)
				if err != nil {
					t.Fatal(err)
				}
				k, err := param.New(context.Background(), m, e.Leasts(), nil)
				if err != nil {
					t.Fatal(err)
				}
				if err := k.WriteIvy(w); err != nil {
					t.Fatal(err)
				}
			} else if err := e.Write(w, "model.ivy"); err != nil {
				t.Fatal(err)
			}
			w.Flush()
			file := filepath.Join(t.TempDir(), "model.ivy")
			if err := os.WriteFile(file, text.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command(ivy[0], append(ivy[1:], file)...).CombinedOutput()
			if mutant && (err == nil || !bytes.Contains(out, []byte(" ... FAIL"))) || !mutant && (err != nil || !bytes.HasSuffix(out, []byte("\nOK\n"))) {
				t.Errorf("%s, mutant %v: %v\n%s", c.model, mutant, err, out)
			}
		}
	}
}
