package report

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"orbitmc/benchmarks"
)

// synthetic makes a record of three families, five configurations, N from 2 to
// 8 and two repeats, with timeouts, memouts, a failing tool, one that does not
// take a family, and one wrong answer.
func synthetic() *benchmarks.Record {
	rec := &benchmarks.Record{
		Suite: "benchmarks/suites/synthetic.yaml", Digest: strings.Repeat("0123456789abcdef", 4),
		Command: []string{"orbitmc", "bench", "run", "synthetic suite.yaml", "--out", "out"}, Commit: "0123abc+",
		Began:    time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC),
		Machine:  benchmarks.Machine{Host: "host", OS: "linux 6.1", CPU: "Example <CPU> & Co", Cores: 2, Memory: 24 << 30},
		Versions: []benchmarks.Version{{Name: "rumur", Version: "2023.05.21"}},
		Limits:   benchmarks.Limits{CPU: 60, Wall: 120, Memory: 4 << 30}, Jobs: 1, Enforcer: "rlimit",
	}
	for f, family := range []string{"german", "mesi", "peterson_bug"} {
		for n := int64(2); n <= 8; n++ {
			for c, config := range []string{"bmc rep=frontier", "bmc rep=off", "cmurphi", "explicit", "rumur"} {
				for repeat := range 2 {
					r := benchmarks.Run{
						Model: "a&b/<" + family + ".m", Family: family, Params: fmt.Sprintf("N=%d", n), N: n, Config: config, Tool: strings.Fields(config)[0],
						Repeat: repeat, Status: benchmarks.OK, Verdict: "safe", Depth: -1, Expected: "safe", Args: []string{config},
					}
					if f == 2 {
						r.Verdict, r.Expected, r.Depth = "unsafe", "unsafe", 7
					}
					growth := []float64{0.7, 1.3, 1.9, 1.5, 2.1}[c] + 0.2*float64(f)
					r.CPU = 0.012*math.Exp(growth*float64(n-2)) + 0.001*float64(repeat+c)
					r.Wall = r.CPU * 1.1
					r.Memory = int64(6e6 * math.Exp(growth*0.7*float64(n-2)))
					if config == "cmurphi" || config == "rumur" {
						r.Build = 1.5
					}
					switch {
					case r.CPU > 60:
						r.Status, r.Verdict, r.CPU, r.Exit, r.Depth = benchmarks.Timeout, "unknown", 60.02, -1, -1
					case r.Memory > 4<<30:
						r.Status, r.Verdict, r.Memory, r.Exit, r.Depth = benchmarks.Memout, "unknown", 4<<30, -1, -1
					case config == "cmurphi" && family == "mesi":
						r.Status, r.Verdict, r.Note = benchmarks.Skipped, "unknown", "does not take <unions>"
					case config == "explicit" && family == "peterson_bug" && n == 4:
						r.Verdict, r.Wrong, r.Depth = "safe", true, -1
					case config == "rumur" && family == "german" && n == 5:
						r.Status, r.Verdict, r.Exit = benchmarks.Failed, "unknown", 139
					}
					r.Key = fmt.Sprintf("%s|%s|%s|%d", r.Model, r.Params, config, repeat)
					r.Log = fmt.Sprintf("logs/%s %s %s #%d.txt", family, r.Params, config, repeat)
					rec.Runs = append(rec.Runs, r)
				}
			}
		}
	}
	return rec
}

// writeBatch writes a record as the runner does.
func writeBatch(t *testing.T, dir string, rec *benchmarks.Record) {
	t.Helper()
	head := *rec
	head.Runs = nil
	var journal strings.Builder
	for _, r := range rec.Runs {
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		journal.Write(append(line, '\n'))
	}
	put := func(name string, v any) {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), string(text))
	}
	put("machine.json", &head)
	put("runs.json", rec.Runs)
	write(t, filepath.Join(dir, "journal.jsonl"), journal.String())
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
