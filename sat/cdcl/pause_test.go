package cdcl

import (
	"context"
	"slices"
	"testing"

	"orbitmc/sat"
)

// TestPause: a query pauses with the same steps in each run, the answer does not depend on that, and where the
// context has no pause there is none.
func TestPause(t *testing.T) {
	const holes = 7
	var steps [2][]int64
	for i := range steps {
		s := New()
		var in [holes + 1][holes]sat.Lit
		for p := range in {
			for h := range in[p] {
				in[p][h] = s.NewVar()
			}
			s.Add(in[p][:]...)
			for q := range p {
				for h := range in[p] {
					s.Add(in[p][h].Not(), in[q][h].Not())
				}
			}
		}
		ctx := sat.WithPause(t.Context(), func(n int64) { steps[i] = append(steps[i], n) })
		if s.Solve(sat.WithPause(ctx, nil), in[0][0], in[1][0]) != sat.Unsat || steps[i] != nil {
			t.Error("a pause that was taken back")
		}
		if s.Solve(ctx) != sat.Unsat {
			t.Error("a wrong answer")
		}
	}
	if len(steps[0]) < 3 || !slices.Equal(steps[0], steps[1]) || slices.Min(steps[0]) <= 0 {
		t.Errorf("pauses after %v", steps)
	}
	if sat.PauseOf(context.Background()) != nil {
		t.Error("a pause that nobody set")
	}
}
