package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"orbitmc/benchmarks/report"
)

// TestBenchExec exports a suite, has BenchExec run it, and reads its results. It is skipped where
// benchexec is not installed.
func TestBenchExec(t *testing.T) {
	benchexec, err := exec.LookPath("benchexec")
	if err != nil {
		t.Skip("benchexec is not installed")
	}
	models, err := filepath.Abs("../../benchmarks/murphi")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	suite := filepath.Join(dir, "two tools.yaml")
	text := fmt.Sprintf(`
limits: {cpu: 60s, wall: 100s, memory: 2GiB}
repeats: 2
configs:
  - {name: check, tool: orbitmc, args: [check]}
  - {name: "up to 3", tool: orbitmc, args: [bmc, -k, "3"]}
  - {name: sweep, tool: orbitmc, args: [sweep]}
  - {name: other, tool: rumur}
models:
  - {path: %[1]q, params: {NODE_NUM: 2..3, DATA_NUM: 1}, expect: safe}
  - {path: %[2]q, params: {NODE_NUM: 2}}
`, filepath.Join(models, "german.m"), filepath.Join(models, "mesi_snoop_bug.m"))
	if err := os.WriteFile(suite, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	code, stdout, stderr := orbitmc("bench", "export", suite, "--out", out)
	if want := "not exported: repeats: BenchExec runs each task once\nnot exported: other: rumur is another tool\n"; code != 0 || stdout != filepath.Join(out, "two tools.xml")+"\n" || stderr != want {
		t.Fatalf("%d %s%s", code, stdout, stderr)
	}
	cmd := exec.Command(benchexec, "two tools.xml", "--no-container", "-o", "results/")
	cmd.Dir = out
	cmd.Env = append(os.Environ(), "PYTHONPATH=.")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	rec, notes, err := report.Load(filepath.Join(out, "results"))
	if err != nil || len(notes) != 0 {
		t.Fatal(notes, err)
	}
	var got []string
	for _, r := range rec.Runs {
		got = append(got, fmt.Sprintf("%s %s %d %s: %s %s, expected %s", r.Model, r.Params, r.N, r.Config, r.Status, r.Verdict, r.Expected))
		if r.CPU <= 0 || r.Memory <= 0 || r.Wall <= 0 {
			t.Errorf("%+v", r)
		}
	}
	var want []string
	for n := 2; n <= 3; n++ {
		for _, c := range []string{"check: ok safe", "sweep: ok safe", "up to 3: ok unknown"} {
			want = append(want, fmt.Sprintf("german DATA_NUM=1 NODE_NUM=%d %d %s, expected safe", n, n, c))
		}
	}
	for _, c := range []string{"check: ok unsafe", "sweep: ok unsafe", "up to 3: ok unknown"} {
		want = append(want, "mesi_snoop_bug NODE_NUM=2 2 "+c+", expected unsafe")
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if rec.Limits.CPU != 60 || rec.Limits.Memory != 2<<30 || rec.Cores != 1 || rec.Versions[0].Version != "devel" {
		t.Errorf("%+v", rec)
	}
}
