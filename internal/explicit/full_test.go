package explicit

import (
	"context"
	"errors"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/model"
	"orbitmc/model/traces"
)

// fullFile is a file on a disk with room for some bytes.
type fullFile struct {
	file
	left *int
}

var errFull = errors.New("no space left on device")

func (f fullFile) Write(b []byte) (int, error) {
	if *f.left -= len(b); *f.left < 0 {
		return 0, errFull
	}
	return f.file.Write(b)
}

// TestDiskFull: whenever the disk is full, the result is partial, and what it says is true.
func TestDiskFull(t *testing.T) {
	m, err := murphi.Parse("sum.m", []byte(`var x: 0..49; y: 0..49;
startstate begin x := 0; y := 0; end;
rule "x" x < 49 ==> begin x := x + 1; end;
rule "y" y < 49 ==> begin y := y + 1; end;
rule "back" true ==> begin x := 0; end;
invariant "sum" x + y < 40;
invariant "x" x < 45;`), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := model.Compile(m)
	depths, finished := make(map[int]bool), false
	for room := 0; !finished; room += 20_000 {
		dir := t.TempDir()
		s, err := newSearch(p, Options{All: true, MemLimit: 20_000, Spill: dir, Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		left := room
		s.create = func() (file, error) {
			f, err := scratchFile(dir)
			return fullFile{f, &left}, err
		}
		s.run(context.Background())
		r, err := s.result()
		if err != nil {
			t.Fatal(err)
		}
		depths[r.Depth] = true
		finished = r.Complete
		want := map[int]int{0: 40, 1: 45} // depths of violations
		for _, f := range r.Violations {
			if f.Depth != want[f.Prop] || traces.Replay(p, f.Trace) != nil {
				t.Errorf("room for %d bytes: %+v", room, f)
			}
			delete(want, f.Prop)
		}
		for prop, depth := range want {
			if depth <= r.Depth {
				t.Errorf("room for %d bytes: complete to depth %d, but no violation of property %d", room, r.Depth, prop)
			}
		}
		if !finished && (!strings.HasSuffix(string(r.Reason), errFull.Error()) || r.Visited != nil || r.States >= 2500) || finished && r.States != 2500 {
			t.Errorf("room for %d bytes: %+v", room, r)
		}
		if room > 100<<20 {
			t.Fatal("it needs too much room")
		}
	}
	if len(depths) < 10 {
		t.Errorf("only depths %v", depths)
	}
}

// TestCheckpointFull: a checkpoint that cannot be written ends the search, and the one before
// is good.
func TestCheckpointFull(t *testing.T) {
	p := readModel(t, "flash.m", nil)
	want, err := Run(context.Background(), p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	stopped := 0
	for room := 2_000; ; room += 5_000 {
		s, err := newSearch(p, Options{Checkpoint: dir, Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		s.saves.every = 500
		left := room
		s.saves.w = fullFile{s.saves.file, &left}
		s.run(context.Background())
		s.unlock()
		r, err := s.result()
		if err != nil {
			t.Fatal(err)
		}
		if r.Complete {
			if r.States != want.States || r.Fired != want.Fired || r.Depth != want.Depth {
				t.Errorf("%+v, want %+v", r, want)
			}
			break
		}
		if stopped++; !strings.HasSuffix(string(r.Reason), errFull.Error()) {
			t.Fatalf("%+v", r)
		}
		s.saves.file.Close()
	}
	if stopped < 3 {
		t.Errorf("stopped %d times only", stopped)
	}
}
