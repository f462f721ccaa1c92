package task

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"orbitmc/encode"
	"orbitmc/model"
)

// TestSymmetrySteps: explicit search and detect get what of the symmetry is decided within a number
// of steps, and the names of the classes that are open; a limit of time, or the wish for
// explanations, takes the place of the steps in detect.
func TestSymmetrySteps(t *testing.T) {
	sink := filepath.Join(t.TempDir(), "sink.m") // it does not matter which turn of the loop is the last one
	if err := os.WriteFile(sink, []byte(`type P: scalarset(3);
var b: array [P] of boolean; flag: boolean;
startstate for p: P do b[p] := false; end; flag := false; end;
ruleset p: P do rule b[p] := !b[p]; end; end;
rule for p: P do flag := b[p] | !b[p]; end; end;
`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{sink, "../../benchmarks/murphi/token_ring.m"} { // typing does not show all
		analyse := func(ctx context.Context, steps int64, symbolic bool, opt Options) *Analysis {
			x, err := Open(ctx, file, opt)
			if err != nil {
				t.Fatal(err)
			}
			x.Source.(*modelSource).steps = steps
			a, err := x.Analyse(ctx, symbolic, nil)
			if err != nil || a.Problem.Program == nil {
				t.Fatalf("%s, %d steps: %+v, %v", file, steps, a, err)
			}
			return a
		}
		group := func(a *Analysis) string { return fmt.Sprint(a.Problem.Blocks, a.Problem.Rings) }
		whole := group(analyse(t.Context(), 1e12, false, Options{}))
		opens, least := 0, ""
		for steps := int64(1); ; steps *= 4 {
			a := analyse(t.Context(), steps, false, Options{})
			if least == "" {
				least = group(a)
			}
			if again := analyse(t.Context(), steps, false, Options{}); group(a) != group(again) || a.Partial != again.Partial {
				t.Errorf("%s, %d steps: %s %q, and then %s %q", file, steps, group(a), a.Partial, group(again), again.Partial)
			}
			if a.Partial == "" {
				if got := group(a); got != whole || got == least {
					t.Errorf("%s, %d steps: %s, want %s; at first %s", file, steps, got, whole, least)
				}
				break
			}
			opens++
			if !strings.Contains(a.Partial, "was not decided within the budget of steps") {
				t.Errorf("%s, %d steps: %s", file, steps, a.Partial)
			}
		}
		if opens == 0 {
			t.Errorf("%s: one step is enough", file)
		}
		timed, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		for _, c := range []struct {
			ctx     context.Context
			opt     Options
			limited bool
		}{
			{t.Context(), Options{Thorough: true}, true},
			{timed, Options{Thorough: true}, false},
			{t.Context(), Options{Thorough: true, Explain: true}, false},
			{t.Context(), Options{}, false}, // for engines
		} {
			if a := analyse(c.ctx, 1, true, c.opt); a.Partial != "" != c.limited {
				t.Errorf("%s, %+v: %q", file, c.opt, a.Partial)
			}
		}
	}
}

// TestThoroughByText: where the steps do not suffice for the circuits, `detect` says what the text shows; if that is all
// there may be, nothing is left open.
func TestThoroughByText(t *testing.T) {
	part := filepath.Join(t.TempDir(), "part.m") // the text shows the symmetry of Q, and not that of P
	if err := os.WriteFile(part, []byte(`type P: scalarset(3); Q: scalarset(3);
var b: array [P] of array [Q] of boolean; flag: boolean;
startstate for p: P do for q: Q do b[p][q] := false; end; end; flag := false; end;
ruleset p: P; q: Q do rule b[p][q] := !b[p][q]; end; end;
rule for p: P do flag := forall q: Q do b[p][q] end | true; end; end;
`), 0o644); err != nil {
		t.Fatal(err)
	}
	for file, whole := range map[string]bool{"../../benchmarks/murphi/msi_dir.m": true, part: false} {
		typed, open := 0, 0
		for steps := int64(1); ; steps = steps*5/4 + 1 {
			x, err := Open(t.Context(), file, Options{Thorough: true})
			if err != nil {
				t.Fatal(err)
			}
			x.Source.(*modelSource).steps = steps
			a, err := x.Analyse(t.Context(), true, nil)
			if err != nil {
				t.Fatal(err)
			}
			if a.Typed == nil && a.Partial == "" {
				break // decided on circuits
			}
			if a.Typed == nil && (a.Report == nil || a.Report.Common.Trivial()) {
				t.Errorf("%s, %d steps: no symmetry, %s", file, steps, a.Partial)
			}
			if a.Typed != nil {
				typed++
			}
			if a.Partial != "" {
				open++
			}
		}
		if typed == 0 || open > 0 == whole {
			t.Errorf("%s: by the text %d times, open %d times", file, typed, open)
		}
	}
}

// TestTextOnly: a search that keeps all states is given what the text shows of the symmetry, and
// nothing is encoded for it; nor for a model whose classes have one value each.
func TestTextOnly(t *testing.T) {
	single := filepath.Join(t.TempDir(), "single.m")
	if err := os.WriteFile(single, []byte(`type P: scalarset(1);
var b: array [P] of boolean;
startstate for p: P do b[p] := false; end; end;
ruleset p: P do rule b[p] := !b[p]; end; end;
`), 0o644); err != nil {
		t.Fatal(err)
	}
	for file, order := range map[string]string{"../../benchmarks/murphi/msi_net.m": "2", "../../benchmarks/murphi/token_ring.m": "", single: ""} {
		x, err := Open(t.Context(), file, Options{TextOnly: file != single})
		if err != nil {
			t.Fatal(err)
		}
		x.Source.(*modelSource).encode = func(context.Context, *model.Model) (*encode.Encoding, error) {
			t.Errorf("%s is encoded", file)
			return nil, nil
		}
		a, err := x.Analyse(t.Context(), false, nil)
		if err != nil || a.Problem.Program == nil || a.Partial != "" {
			t.Fatalf("%s: %+v, %v", file, a, err)
		}
		if a.Typed == nil && order != "" || a.Typed != nil && a.Typed.Order.String() != order {
			t.Errorf("%s: %+v, want order %q", file, a.Typed, order)
		}
	}
}

// TestSymmetryTime: explicit search gets its problem, without symmetry, when the verification
// of the symmetry takes more than its share of the time; and no longer than that where the
// whole time is over.
func TestSymmetryTime(t *testing.T) {
	for _, c := range []struct {
		timeout time.Duration
		over    bool
	}{{10 * time.Second, false}, {time.Nanosecond, true}} {
		ctx, cancel := context.WithTimeout(t.Context(), c.timeout)
		defer cancel()
		x, err := Open(t.Context(), "../../benchmarks/murphi/false_scalarset.m", Options{})
		if err != nil {
			t.Fatal(err)
		}
		x.Source.(*modelSource).encode = func(ctx context.Context, _ *model.Model) (*encode.Encoding, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		a, err := x.Analyse(ctx, false, nil)
		switch {
		case c.over && !CutShort(ctx, err):
			t.Errorf("%v: %v, %v", c.timeout, a, err)
		case !c.over && (err != nil || a.Problem.Program == nil || a.Partial == "" || len(a.Problem.Blocks) > 0):
			t.Errorf("%v: %+v, %v", c.timeout, a, err)
		}
	}
}
