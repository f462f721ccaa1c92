package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// benchDir makes a batch of four instances that each took a number of seconds.
func benchDir(t *testing.T, name string, cpu float64) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	var journal strings.Builder
	for i := range 4 {
		fmt.Fprintf(&journal, `{"key":"m|N=%d|c|0","model":"m","family":"m","params":"N=%d","n":%d,"config":"c","status":"ok","verdict":"safe","cpu_s":%g,"log":"logs/%d.txt"}`+"\n", i, i, i, cpu, i)
	}
	for file, text := range map[string]string{"machine.json": `{"suite":"s.yaml"}`, "journal.jsonl": journal.String(), "runs.json": "[" + strings.TrimSuffix(strings.ReplaceAll(journal.String(), "\n", ","), ",") + "]"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func orbitmc(args ...string) (code int, stdout, stderr string) { return newProgram().call(args...) }

func (p *program) call(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = p.run(context.Background(), append([]string{"orbitmc"}, args...), &out, &errs)
	return code, out.String(), errs.String()
}

func TestBenchCompare(t *testing.T) {
	a, b := benchDir(t, "a", 1), benchDir(t, "b", 1.5)
	for _, x := range []struct {
		args []string
		code int
		want string // on stdout or, if the code is 1, on stderr
	}{
		{[]string{a, b}, 3, "REGRESSION: overall: cpu grew by a factor of 1.500 [1.500, 1.500], beyond 1.1\n"},
		{[]string{b, a}, 0, "no regression beyond 1.1\n"},
		{[]string{a, b, "--threshold", "1.6"}, 0, "no regression beyond 1.6\n"},
		{[]string{"--threshold=1.4", a, b, "--json"}, 3, `"overall: cpu grew by a factor of 1.500 [1.500, 1.500], beyond 1.4"`},
		{[]string{a, b, "--metric", "wall"}, 0, "ratio B/A of wall"},
		{[]string{a, b, "--metric", "luck"}, 1, "want cpu, wall, memory"},
		{[]string{a, b, "--threshold", "0"}, 1, "want at least 1"},
		{[]string{a}, 1, "two batches"},
		{[]string{a, filepath.Join(a, "nowhere")}, 1, "no such file"},
	} {
		code, stdout, stderr := orbitmc(append([]string{"bench", "compare"}, x.args...)...)
		if text := map[bool]string{true: stderr, false: stdout}[x.code == 1]; code != x.code || !strings.Contains(text, x.want) {
			t.Errorf("%q: code %d, want %d; %q in\n%s%s", x.args, code, x.code, x.want, stdout, stderr)
		}
	}
}

func TestBenchReport(t *testing.T) {
	dir := benchDir(t, "a b", 1)
	page := filepath.Join(filepath.Dir(dir), "page.html")
	tables := filepath.Join(filepath.Dir(dir), "tables.md")
	latex := filepath.Join(filepath.Dir(dir), "tables.tex")
	plots := filepath.Join(filepath.Dir(dir), "plots")
	code, stdout, stderr := orbitmc("bench", "report", dir, "-o", page, "-o", tables, "-o", latex, "--plots", plots)
	if code != 0 || stdout != "" || stderr != "" {
		t.Fatal(code, stdout, stderr)
	}
	for file, want := range map[string]string{page: `href="a%20b/logs/3.txt"`, tables: "| c | 4 | 4 |", latex: "c & 4 & 4 &", filepath.Join(plots, "scaling-m.svg"): "<svg"} {
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %q (%v)", file, want, err)
		}
	}
	if _, err := os.Stat(filepath.Join(plots, "cactus.png")); err != nil {
		t.Error(err)
	}
	for _, args := range [][]string{{dir}, {"-o", page}, {dir, dir, "-o", page}, {dir, "-o", filepath.Join(dir, "page.pdf")}, {dir, "-o", filepath.Join(dir, "no", "page.html")}} {
		if code, _, stderr := orbitmc(append([]string{"bench", "report"}, args...)...); code != 1 || stderr == "" {
			t.Errorf("%q: code %d, %q", args, code, stderr)
		}
	}
}
