package task

import (
	"context"
	"testing"
	"time"

	"orbitmc/encode"
	"orbitmc/model"
)

// TestSymmetryTime: explicit search gets its problem, without symmetry, when the verification
// of the symmetry takes more than its share of the time; and no longer than that where the
// whole time is over.
func TestSymmetryTime(t *testing.T) {
	for _, c := range []struct {
		timeout time.Duration
		over    bool
	}{{2 * time.Second, false}, {time.Nanosecond, true}} {
		ctx, cancel := context.WithTimeout(t.Context(), c.timeout)
		defer cancel()
		x, err := Open(t.Context(), "../benchmarks/murphi/false_scalarset.m", Options{})
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
