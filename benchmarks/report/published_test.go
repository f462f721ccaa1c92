package report

import (
	"strings"
	"testing"

	"orbitmc/benchmarks"
)

// TestPublished: figures beside those published, equal, different, divided, missing.
func TestPublished(t *testing.T) {
	run := func(params, config string, status benchmarks.Status, stats map[string]float64) benchmarks.Run {
		return benchmarks.Run{Key: "m|" + params + "|" + config + "|0", Model: "m", Family: "m", Params: params, Config: config, Status: status, Verdict: "safe", Stats: stats}
	}
	rec := &benchmarks.Record{
		Runs: []benchmarks.Run{
			run("N=2", "a", benchmarks.OK, map[string]float64{"states": 1234567}),
			run("N=2", "b", benchmarks.OK, map[string]float64{"states": 500}),
			run("N=3", "a", benchmarks.OK, map[string]float64{"states": 7}),
			run("N=3", "b", benchmarks.Timeout, nil),
		},
		Tables: []benchmarks.Table{{Title: "Table 1", Note: "old", Model: "m", Rows: []string{"N=2", "N=3"}, Columns: []benchmarks.Column{
			{Name: "plain", Kind: benchmarks.Exact, Config: "a", Stat: "states", Values: []string{"1,234,567", "8"}},
			{Name: "less", Kind: benchmarks.Ratio, Config: "a", Over: "b", Stat: "states", Values: []string{"30", "?"}},
			{Name: "b", Kind: benchmarks.Exact, Config: "b", Stat: "states", Add: -1, Values: []string{"60", "9"}},
		}}},
	}
	b := arrange(rec, false)
	got := b.published()[0]
	want := [][]figure{
		{{Published: "1,234,567", Ours: "1,234,567", Equal: true}, {Published: "0.5", Ours: "2469.1"}, {Published: "60", Ours: "499", Differs: true}},
		{{Published: "8", Ours: "7", Differs: true}, {Why: "timeout"}, {Published: "9", Why: "timeout"}},
	}
	for i, row := range want {
		for j, f := range row {
			if got.Cells[i][j] != f {
				t.Errorf("cell %d, %d: %+v, want %+v", i, j, got.Cells[i][j], f)
			}
		}
	}
	if s := got.Tally(); s != "Of the exact figures 1 are equal, 2 differ, 1 are not measured." {
		t.Error(s)
	}
	var md, html strings.Builder
	if err := WriteMarkdown(&md, rec, nil, false); err != nil {
		t.Fatal(err)
	}
	if err := WriteHTML(&html, rec, nil, "logs", false); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"### Table 1, published and ours", "| N=2 | 1,234,567 | 1,234,567 | 0.5 | 2469.1 | 60 | **differs: 499** |", "| N=3 | 8 | **differs: 7** |  | timeout | 9 | timeout |"} {
		if !strings.Contains(md.String(), s) {
			t.Errorf("the Markdown lacks %q:\n%s", s, md.String())
		}
	}
	for _, s := range []string{`<h3>Table 1</h3>`, `<td class="bad">differs: 499</td>`, `<a href="#published">`} {
		if !strings.Contains(html.String(), s) {
			t.Errorf("the page lacks %q", s)
		}
	}
}
