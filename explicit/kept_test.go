package explicit

import (
	"path/filepath"
	"testing"
)

// TestKeptNotes: a note counts for the states that it was made for.
func TestKeptNotes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "checked")
	of := func(states int, sum uint32) *closure { return &closure{kept: &kept{file, states, sum}} }
	of(7, 8).Keep([]byte("some\nthing"))
	for _, c := range []struct {
		states int
		sum    uint32
		want   string
	}{{7, 8, "some\nthing"}, {8, 8, ""}, {7, 7, ""}} {
		if got := string(of(c.states, c.sum).Checked()); got != c.want {
			t.Errorf("%d states with sum %d: %q, want %q", c.states, c.sum, got, c.want)
		}
	}
	if of(7, 8).Keep(nil); of(7, 8).Checked() != nil {
		t.Error("what is forgotten is still there")
	}
	gone := &closure{kept: &kept{filepath.Join(file, "none"), 7, 8}}
	if gone.Keep([]byte("note")); gone.Checked() != nil {
		t.Error("what cannot be written is there")
	}
}
