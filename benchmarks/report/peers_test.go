package report

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"orbitmc/benchmarks"
)

// besidePeers is a batch of "ours" and two peers, decided within 30 s of wall time.
func besidePeers() *benchmarks.Record {
	run := func(config, model, verdict string, wall, build float64) benchmarks.Run {
		r := quick(config, model, benchmarks.OK, verdict, wall)
		r.CPU, r.BuildWall = 100*wall, build // CPU seconds are of no account
		if verdict == "unknown" {
			r.Status = benchmarks.Timeout
		}
		return r
	}
	against := run("p", "wrong", "unsafe", 1, 1)
	against.Expected = "safe"
	late := run("p", "repeated", "safe", 28, 1)
	late.Repeat, late.Key = 1, "repeated||p|1"
	return &benchmarks.Record{
		Limits:  benchmarks.Limits{CPU: 70, Wall: 32},
		Compare: &benchmarks.Compare{Config: "ours", Peers: []string{"p", "q"}, Within: 30},
		Runs: []benchmarks.Run{
			// p is faster with its building (1+8 < 16+1 s), q is not in either: 2 of 9, no ratio of runs below 2 s.
			run("ours", "short", "safe", 2, 0), run("p", "short", "safe", 1, 8), run("q", "short", "safe", 16, 1),
			// p is faster with building (4+4), q without (3, 20 to build): 1/8 and 1/3.
			run("ours", "long", "unsafe", 1, 0), run("p", "long", "unsafe", 4, 4), run("q", "long", "unsafe", 3, 20),
			// Ours does not decide: 30 of 5+5 s, 30 of 5 s.
			run("ours", "missed", "unknown", 12, 0), run("p", "missed", "safe", 5, 5),
			// Ours decides too late: 30 of 10 s, no run of 2 s.
			run("ours", "late", "safe", 31, 0), run("q", "late", "safe", 1, 9),
			// The verdict of p is too late with its building, and q has none: no instance of the figures.
			run("ours", "slow", "safe", 1, 0), run("p", "slow", "safe", 24, 7), run("q", "slow", "unknown", 1, 1),
			// A wrong verdict of a peer does not count, nor does an instance that ours alone decides.
			run("ours", "wrong", "safe", 1, 0), against, run("ours", "own", "safe", 1, 0),
			// Not run by ours: 30 of the median 20+1 s, 30 of the median 20 s.
			run("p", "repeated", "safe", 12, 1), late,
		},
	}
}

func TestPeers(t *testing.T) {
	f := arrange(besidePeers(), false).peers()
	want := []peerRow{
		{"late", "safe too late", false, 30, 30, "q", 10, 1},
		{"long", "unsafe", true, 1, 1, "p", 8, 3},
		{"missed", "timeout", false, 30, 30, "p", 10, 5},
		{"repeated", "not run", false, 30, 30, "p", 21, 20},
		{"short", "safe", true, 2, 2, "p", 9, 1},
	}
	if !slices.Equal(f.Rows, want) {
		t.Errorf("got  %+v\nwant %+v", f.Rows, want)
	}
	if r := f.Total; r.Pairs != 5 || !near(r.Mean, math.Pow(3.0/8*3*30/21*2/9, 1.0/5)) {
		t.Errorf("with building: %+v", r)
	}
	if r := f.Run; r.Pairs != 3 || !near(r.Mean, math.Pow(1.0/3*6*1.5, 1.0/3)) {
		t.Errorf("without building: %+v", r)
	}
	rec := besidePeers()
	rec.Runs = rec.Runs[:3] // "short" alone
	if f := arrange(rec, false).peers(); f.Run.Pairs != 0 || !strings.HasSuffix(f.Lines()[1], ": no instance") || len(f.Missed()) != 0 {
		t.Errorf("no run of 2 s: %q", f.Lines())
	}
	rec.Compare = nil
	if f := arrange(rec, false).peers(); f != nil {
		t.Errorf("a suite without peers: %+v", f)
	}
}

// TestPeersShown looks for the figures in both kinds of report, and for none of a suite
// that names no peers.
func TestPeersShown(t *testing.T) {
	for _, compare := range []bool{true, false} {
		rec := besidePeers()
		if !compare {
			rec.Compare = nil
		}
		var page, table bytes.Buffer
		if err := WriteHTML(&page, rec, nil, ".", false); err != nil {
			t.Fatal(err)
		}
		if err := WriteMarkdown(&table, rec, nil, false); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"time to a verdict, building included, over that of the faster of p, q: 0.814 [",
			"where the faster run takes 2 s and more: 1.442 [",
			"decided by a peer within 30 s, building included: 5; of these not by ours: 3",
		} {
			if strings.Contains(page.String(), want) != compare || strings.Contains(table.String(), want) != compare {
				t.Errorf("%q: want %v in\n%s", want, compare, table.String())
			}
		}
		if strings.Contains(table.String(), "| missed | **not decided: timeout** | 30 | p | 10 | 5 |\n") != compare ||
			strings.Contains(page.String(), "<strong>not decided</strong>: timeout</td><td>30</td><td>p</td><td>10</td><td>5</td>") != compare {
			t.Errorf("what is missed: want %v in\n%s\n%s", compare, table.String(), page.String())
		}
	}
}
