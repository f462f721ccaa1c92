package states_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"orbitmc/internal/certify"
	"orbitmc/internal/explicit"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
)

// shortly is a context that ends when it was asked often enough.
type shortly struct {
	context.Context
	left atomic.Int64
}

func (s *shortly) Err() error {
	if s.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestResumeCheck: a check that is stopped again and again goes on where it was in later runs, with the checkpoint of
// the search, unless what it wrote is damaged. Once it is done the next run checks everything.
func TestResumeCheck(t *testing.T) {
	for _, encoded := range []bool{false, true} {
		dir := t.TempDir()
		p := watchProblem(t, "../../../benchmarks/murphi/german.m", map[string]string{"NODE_NUM": "2"}, encoded)
		run := func(stops int64) *mc.Result {
			t.Helper()
			r, err := (&explicit.Engine{Canon: explicit.None, Checkpoint: dir}).Run(t.Context(), p, mc.Options{All: true})
			if err != nil {
				t.Fatal(err)
			}
			ctx := &shortly{Context: context.Background()}
			ctx.left.Store(stops)
			if err := certify.Verify(ctx, p, r); err != nil {
				t.Fatal(err)
			}
			return r
		}
		file := func() string {
			t.Helper()
			files, err := filepath.Glob(filepath.Join(dir, "*", "checked"))
			if err != nil || len(files) != 1 {
				t.Fatalf("%v, %v", files, err)
			}
			return files[0]
		}
		const stops = 5 // 256 states are checked between two looks at the context
		first := run(stops).Stopped
		if !strings.Contains(first, "unfinished at ") || strings.HasSuffix(first, " 0 %") {
			t.Fatalf("encoded %v: %q", encoded, first)
		}
		after := run(stops).Stopped
		if after == first {
			t.Errorf("encoded %v: the second run begins anew: %q", encoded, after)
		}
		text, err := os.ReadFile(file())
		if err != nil {
			t.Fatal(err)
		}
		for i := range text { // what is damaged does not count
			if i%17 == 0 {
				bad := bytes.Clone(text)
				bad[i] ^= 1
				if err := os.WriteFile(file(), bad, 0o666); err != nil {
					t.Fatal(err)
				}
				if got := run(stops).Stopped; got != first {
					t.Fatalf("encoded %v: damaged at byte %d: %q, want %q", encoded, i, got, first)
				}
			}
		}
		if err := os.WriteFile(file(), text, 0o666); err != nil {
			t.Fatal(err)
		}
		r := run(stops)
		for n := 0; r.Verdict() == mc.Unknown && n < 100; n++ {
			r = run(stops)
		}
		if r.Verdict() != mc.Safe || !strings.HasSuffix(r.Props[0].Evidence, " states in an earlier run") {
			t.Errorf("encoded %v: %v, %q", encoded, r.Verdict(), r.Props[0].Evidence)
		}
		if r := run(stops); r.Stopped != first {
			t.Errorf("encoded %v: what is finished is not checked again: %q", encoded, r.Stopped)
		}
	}
}

// keeps is a closure with a note.
type keeps struct {
	evidence.Closure
	note []byte
}

func (k *keeps) Checked() []byte { return k.note }

func (k *keeps) Keep(note []byte) { k.note = note }

// TestNotes: what an earlier run saw counts, and a note that is of something else does not.
func TestNotes(t *testing.T) {
	p := watchProblem(t, "../../../benchmarks/murphi/german.m", map[string]string{"NODE_NUM": "2"}, false)
	r, err := (&explicit.Engine{Canon: explicit.None}).Run(t.Context(), p, mc.Options{All: true})
	if err != nil {
		t.Fatal(err)
	}
	n, props := r.Closure.Len(), make([]bool, len(p.Model.Props))
	seen := make([]bool, len(props))
	seen[p.Props[0]] = true
	visited := r.Closure
	for _, c := range []struct {
		what    string
		note    any
		earlier bool
		err     string
	}{
		{"half", map[string]any{"Done": n / 2, "Shown": props}, true, ""},
		{"more than there is", map[string]any{"Done": n + 1, "Shown": props}, false, ""},
		{"other properties", map[string]any{"Done": n / 2, "Shown": props[1:]}, false, ""},
		{"no note", 7, false, ""},
		{"a violation", map[string]any{"Done": n / 2, "Shown": seen}, true, "a state or step shows what the verdict"},
		{"hidden errors", map[string]any{"Done": n / 2, "Shown": props, "Hid": true}, true, "an operand errs"},
	} {
		note, err := json.Marshal(c.note)
		if err != nil {
			t.Fatal(err)
		}
		got := *r
		got.Props = slices.Clone(r.Props)
		got.Closure = &keeps{visited, note}
		err = certify.Verify(t.Context(), p, &got)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v", c.what, err)
			}
		case err != nil || got.Verdict() != mc.Safe || strings.Contains(got.Props[0].Evidence, "earlier run") != c.earlier:
			t.Errorf("%s: %v, %v, %q", c.what, err, got.Verdict(), got.Props[0].Evidence)
		}
	}
}
