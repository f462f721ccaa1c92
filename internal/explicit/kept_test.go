package explicit

import (
	"context"
	"path/filepath"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/model"
)

// TestKeptSum: what a note counts for are all states, also those found since the last checkpoint.
func TestKeptSum(t *testing.T) {
	sums := make(map[uint32]bool)
	for _, step := range []string{"1", "3"} { // the same states in another order
		m, err := murphi.Parse("m.m", []byte("var x: 0..9; startstate x := 0; end; rule true ==> x := (x + "+step+") % 10; end;"), murphi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(context.Background(), model.Compile(m), Options{Canon: None, All: true, Checkpoint: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		k := r.Visited.(*closure).kept
		if k == nil || k.states != 10 || k.sum == 0 || sums[k.sum] {
			t.Errorf("step %s: %+v", step, k)
			continue
		}
		sums[k.sum] = true
	}
}

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
