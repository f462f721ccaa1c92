package portfolio

import (
	"strings"
	"testing"

	"orbitmc/mc"
)

// TestVisited: the line about a large search fits 80 columns, with the margin that a terminal needs.
func TestVisited(t *testing.T) {
	e := mc.Event{Engine: "explicit", Depth: 123, Stats: mc.Stats{States: 9_123_456_789, Bytes: 20 << 30},
		Search: &mc.Search{Frontier: 1_234_567_890, PerSecond: 123_456, Limit: 24 << 30, Part: 0.421}}
	got := Progress(e)
	if want := "explicit: depth 123, 9123M states at 2 B, 1235M open, 123k/s, mem 83 %, ~42 %"; got != want || len(got) > 77 {
		t.Errorf("%q, want %q", got, want)
	}
	e.Search.Limit, e.Search.Part, e.Stats.States = 0, 0.001, 9999
	if got := Progress(e); !strings.HasPrefix(got, "explicit: depth 123, 9999 states at 2147698 B, 1235M open, 123k/s, 20.0 GiB") || strings.Contains(got, "%") {
		t.Error(got)
	}
}
