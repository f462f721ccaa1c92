package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"orbitmc/benchmarks"
)

// quick makes a run from "config model status verdict cpu expected".
func quick(config, model string, status benchmarks.Status, verdict string, cpu float64) benchmarks.Run {
	return benchmarks.Run{Key: model + "||" + config + "|0", Model: model, Family: model, Config: config, Status: status, Verdict: verdict,
		Depth: -1, CPU: cpu, Wall: cpu, Memory: 100 << 20}
}

func handMade() *benchmarks.Record {
	expect := func(r benchmarks.Run, verdict string) benchmarks.Run { r.Expected = verdict; return r }
	repeat := func(r benchmarks.Run, n int) benchmarks.Run {
		r.Repeat, r.Key = n, strings.TrimSuffix(r.Key, "0")+string(rune('0'+n))
		return r
	}
	deep := func(r benchmarks.Run, depth int) benchmarks.Run { r.Depth = depth; return r }
	return &benchmarks.Record{
		Limits: benchmarks.Limits{CPU: 10, Wall: 100},
		Runs: []benchmarks.Run{
			// m1: a solves in the median 2 of 1, 2, 6; b times out: unique for a.
			quick("a", "m1", "ok", "safe", 6), repeat(quick("a", "m1", "ok", "safe", 1), 1), repeat(quick("a", "m1", "ok", "safe", 2), 2),
			quick("b", "m1", "timeout", "unknown", 10),
			// m2: a is wrong by the expectation, though the runner did not say so: b is unique.
			expect(quick("a", "m2", "ok", "safe", 1), "unsafe"), expect(deep(quick("b", "m2", "ok", "unsafe", 3), 4), "unsafe"),
			// m3: nobody knows, and they contradict each other; both count as solved.
			quick("a", "m3", "ok", "safe", 1), quick("b", "m3", "ok", "unsafe", 1),
			// m4: one of two repeats fails: not solved. b ran out of memory.
			quick("a", "m4", "ok", "safe", 1), repeat(quick("a", "m4", "failed", "unknown", 1), 1), quick("b", "m4", "memout", "unknown", 5),
			// m5: skipped by a, unknown by b.
			quick("a", "m5", "skipped", "unknown", 0), quick("b", "m5", "ok", "unknown", 2),
			// m6: both unsafe, at different depths.
			deep(quick("a", "m6", "ok", "unsafe", 1), 3), deep(quick("b", "m6", "ok", "unsafe", 1), 5),
		},
	}
}

func TestScores(t *testing.T) {
	got := arrange(handMade(), false).scores("")
	want := []score{
		// Charged 20 each for m2 (wrong) and m4 (failed): (2+20+1+20+1)/5.
		{Config: "a", Instances: 5, classes: [8]int{solved: 3, wrong: 1, failed: 1, skipped: 1}, Safe: 2, Unsafe: 1, PAR2: 44.0 / 5, Scored: true, CPU: 14, Unique: 1},
		// m1, m4 and m5 charged 20: (20+3+1+20+20+1)/6.
		{Config: "b", Instances: 6, classes: [8]int{solved: 3, timeout: 1, memout: 1, unknown: 1}, Unsafe: 3, PAR2: 65.0 / 6, Scored: true, CPU: 22, Unique: 1},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	one := arrange(handMade(), false).scores("m1")
	if one[0].PAR2 != 2 || one[0].Unique != 1 || one[1].PAR2 != 20 || one[1].Instances != 1 {
		t.Errorf("family m1: %+v", one)
	}
	rec := handMade()
	rec.Limits.CPU = 0
	if s := arrange(rec, false).scores("m1")[1]; s.PAR2 != 200 {
		t.Errorf("without CPU limit the wall limit is charged: got %v", s.PAR2)
	}
	rec.Limits.Wall = 0
	if s := arrange(rec, false).scores("m1"); !s[0].Scored || s[1].Scored {
		t.Errorf("without limits only what is all solved has a score: %+v", s)
	}
}

func TestDisputes(t *testing.T) {
	var got []string
	for _, d := range arrange(handMade(), false).disputes() {
		line := d.Instance
		if d.Depths {
			line += " depths"
		}
		for _, c := range d.Claims {
			line += "; " + c.Says + " by " + c.Configs()
			if c.Wrong {
				line += " WRONG"
			}
		}
		got = append(got, line)
	}
	want := []string{
		"m2; safe by a WRONG; unsafe at depth 4 by b",
		"m3; safe by a; unsafe by b",
		"m6 depths; unsafe at depth 3 by a; unsafe at depth 5 by b",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestOrders: of the orders of groups, a rounded one and an exact one do not contradict
// each other, nor what is expected; tables show the first digits.
func TestOrders(t *testing.T) {
	rec := func(first, second, expected string) *benchmarks.Record {
		runs := []benchmarks.Run{quick("a", "g", "ok", first, 1), quick("b", "g", "ok", second, 1)}
		for i := range runs {
			runs[i].Expected = expected
		}
		return &benchmarks.Record{Runs: runs}
	}
	const exact, rounded = "order 230843697339241380472092742683027581083278564571807941132288000000000000", "order 2.308436973392e71"
	for _, x := range []struct {
		second, expected string
		disputes         int
	}{
		{rounded, "", 0}, {rounded, exact, 0}, {exact, rounded, 0}, {"order 2.308436983392e71", "", 1}, {rounded, "order 8", 1},
	} {
		if got := len(arrange(rec(exact, x.second, x.expected), false).disputes()); got != x.disputes {
			t.Errorf("%s, expected %q: %d disputes", x.second, x.expected, got)
		}
	}
	var w bytes.Buffer
	if err := WriteMarkdown(&w, rec(exact, rounded, exact), nil, false); err != nil {
		t.Fatal(err)
	}
	if want := "| g | order 2.30844e71 | order 2.30844e71 1 | order 2.308436973392e71 1 |\n"; !strings.Contains(w.String(), want) {
		t.Errorf("%s\nis not in %s", want, w.String())
	}
}

func TestMarkdown(t *testing.T) {
	var w bytes.Buffer
	if err := WriteMarkdown(&w, handMade(), []string{"cut"}, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"> Note: cut.\n", "## Wrong or contradicting verdicts: 2\n", "| m2 | unsafe | **WRONG: safe** | a |\n",
		"| a | 5 | 3 | 2 | 1 | **1** | 0 | 0 | 0 | 1 | 0 | 1 | 8.8 | 14 | 0 | 1 |\n", "| b | 6 | 3 | 0 | 3 | 0 | 1 | 0 | 1 | 0 | 1 | 0 | 10.83 | 22 | 0 | 1 |\n",
		"| m1 |  | safe 2 | timeout |\n", "charged 2 × 10 s = 20 s",
	} {
		if !strings.Contains(w.String(), want) {
			t.Errorf("lacks %q in\n%s", want, w.String())
		}
	}
}

func TestCactus(t *testing.T) {
	c := arrange(handMade(), false).cactus("")
	var got [][2]float64
	for _, m := range c.series[0].marks {
		got = append(got, [2]float64{m.x, m.y})
	}
	if want := [][2]float64{{1, 1}, {2, 1}, {3, 2}}; !slices.Equal(got, want) {
		t.Errorf("a: got %v, want %v", got, want)
	}
	if len(c.series[1].marks) != 3 {
		t.Errorf("b: %v", c.series[1].marks)
	}
}

func TestLimitOnAxis(t *testing.T) {
	for _, x := range []struct {
		values []float64
		limit  float64
		guides int
		lo, hi float64
	}{
		{[]float64{1, 2}, 10, 1, 1, 10}, {[]float64{1, 2}, 100, 0, 0.447, 4.472}, {[]float64{1, 100}, 0, 0, 1, 100}, {nil, 10, 1, 3.162, 31.62},
	} {
		c := &chart{y: axis{log: true}}
		c.span(x.values, x.limit, "limit")
		if len(c.guides) != x.guides || c.y.lo > x.lo*1.001 || c.y.lo < x.lo*0.7 || c.y.hi < x.hi*0.999 || c.y.hi > x.hi*1.4 {
			t.Errorf("%v: %d guides, axis from %v to %v", x, len(c.guides), c.y.lo, c.y.hi)
		}
	}
}

func TestConditions(t *testing.T) {
	rec := synthetic()
	rec.Commit = strings.Repeat("0123456789", 4) + "+"
	rec.Versions[0].Version = "v1 of " + rec.Commit + "\nmore"
	rec.Limits.Memory = 0
	got := conditions(rec)
	if want := "Measured on host, Example <CPU> & Co, 2 cores, 24 GiB; commit 012345678901+; CPU limit 60 s; wall limit 120 s; no memory limit; 1 at a time; rumur v1 of 012345678901+"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	rec.Cores = 2
	if got := conditions(rec); !strings.Contains(got, "; 1 at a time, each on 2 cores; ") {
		t.Errorf("two cores: %s", got)
	}
	if got := strings.Join(wrap("aa; bb; cc", 8), "|"); got != "aa; bb; |cc" {
		t.Errorf("wrapped: %q", got)
	}
}

func TestScatterBands(t *testing.T) {
	_, points := arrange(handMade(), false).scatterAxis()
	got := map[string][]float64{}
	for _, p := range points {
		got[p.Name] = p.At
	}
	want := map[string][]float64{"m1": {2, 14}, "m2": {28, 3}, "m3": {1, 1}, "m4": {28, 28}, "m5": {28, 28}, "m6": {1, 1}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestTicks(t *testing.T) {
	for _, x := range []struct {
		a    axis
		want string
	}{
		{axis{lo: 0, hi: 21, whole: true}, "0 5 10 15 20"},
		{axis{lo: 0, hi: 2.06, whole: true}, "0 1 2"},
		{axis{lo: 0.005, hi: 300, log: true}, "0.01 0.1 1 10 100"},
		{axis{lo: 0.9, hi: 30, log: true}, "1 2 5 10 20"},
		{axis{lo: 3 << 20, hi: 5 << 30, log: true, memory: true}, "4 MiB 16 MiB 64 MiB 256 MiB 1 GiB 4 GiB"},
	} {
		var got []string
		for _, k := range x.a.ticks() {
			got = append(got, k.text)
		}
		if s := strings.Join(got, " "); s != x.want {
			t.Errorf("%+v: got %q, want %q", x.a, s, x.want)
		}
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	rec := synthetic()
	writeBatch(t, dir, rec)
	got, notes, err := Load(dir)
	if err != nil || len(notes) != 0 {
		t.Fatal(notes, err)
	}
	slices.SortStableFunc(rec.Runs, compareRuns)
	if !reflect.DeepEqual(got, rec) {
		t.Error("what was written is not what was read")
	}

	part := *rec
	part.Planned = len(rec.Runs) + 4
	dirOfPart := t.TempDir()
	writeBatch(t, dirOfPart, &part)
	if _, notes, err = Load(dirOfPart); err != nil || !slices.Equal(notes, []string{"the batch has 210 of the 214 runs of its suite"}) {
		t.Errorf("a part of a suite: %q %v", notes, err)
	}

	// What only runs.json knows counts; with a journal that knows more, it does not.
	rec.Runs[3].Wrong = true
	text, err := json.Marshal(rec)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "runs.json"), string(text))
	if got, notes, err = Load(dir); err != nil || len(notes) != 0 || !reflect.DeepEqual(got, rec) {
		t.Errorf("a record as runs.json: %q %v", notes, err)
	}
	rec.Runs = rec.Runs[:5]
	if text, err = json.Marshal(rec.Runs); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "runs.json"), string(text))
	if got, notes, err = Load(dir); err != nil || len(notes) != 1 || len(got.Runs) != 210 || got.Runs[3].Wrong {
		t.Errorf("an old runs.json: %q %v", notes, err)
	}
	if err := os.Remove(filepath.Join(dir, "runs.json")); err != nil {
		t.Fatal(err)
	}

	journal := filepath.Join(dir, "journal.jsonl")
	line := `{"key":"k","model":"m","config":"c","status":"ok","verdict":"safe","cpu_s":1}` + "\n"
	newer := strings.Replace(line, `"cpu_s":1`, `"cpu_s":2`, 1)
	write(t, journal, line+newer+`{"key":"l","mod`)
	got, notes, err = Load(dir)
	if err != nil || len(got.Runs) != 1 || got.Runs[0].CPU != 2 || len(notes) != 2 || !strings.Contains(notes[0], "line 3 ") || !strings.Contains(notes[1], "not complete") {
		t.Errorf("cut journal: %v %q %v", got, notes, err)
	}
	// A record of an earlier program tells the limits apart by the note alone.
	write(t, journal, `{"key":"a","status":"timeout","note":"while building: limit of wall"}`+"\n"+`{"key":"b","status":"timeout","note":"limit of cpu"}`+"\n")
	if got, _, err = Load(dir); err != nil || got.Runs[0].Status != benchmarks.Walltime || got.Runs[1].Status != benchmarks.Timeout {
		t.Errorf("limits of an earlier program: %+v %v", got, err)
	}
	write(t, journal, line+"{\"key\"\n"+line)
	if _, _, err = Load(dir); err == nil || !strings.Contains(err.Error(), "journal.jsonl:2: ") {
		t.Errorf("a broken line inside: %v", err)
	}
	write(t, journal, "")
	if _, _, err = Load(dir); err == nil || !strings.Contains(err.Error(), "no runs") {
		t.Errorf("empty journal: %v", err)
	}
	if _, _, err = Load(t.TempDir()); err == nil {
		t.Error("no directory of a batch, no error")
	}
}

func TestNaturalOrder(t *testing.T) {
	xs := []string{"N=10", "N=2 K=3", "N=2", "M", "N=02 K=10", ""}
	slices.SortFunc(xs, compareNatural)
	if want := []string{"", "M", "N=2", "N=2 K=3", "N=02 K=10", "N=10"}; !slices.Equal(xs, want) {
		t.Errorf("got %q, want %q", xs, want)
	}
}
