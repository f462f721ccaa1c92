package encode_test

import (
	"context"
	"strings"
	"testing"

	"orbitmc/aig"
	"orbitmc/encode"
	"orbitmc/sat/gini"
	"orbitmc/ts"
)

// TestProveWellFormed: each conjunct of W is proved, for resets and for steps. In
// four latches that stay 0, one that is 1 after reset, or becomes 1, is noticed
// wherever it stands.
func TestProveWellFormed(t *testing.T) {
	for at := -1; at < 4; at++ {
		for _, step := range []bool{false, true} {
			g := aig.NewPlain()
			s := &ts.System{G: g}
			in := g.Input()
			s.Inputs = []ts.Signal{{Name: "i", Node: in.Node()}}
			var low []aig.Lit
			for i := range 4 {
				l := ts.Latch{Name: "l", Node: g.Input().Node(), Reset: aig.False, Next: aig.False}
				switch {
				case i == at && step:
					l.Next = in
				case i == at:
					l.Reset = aig.True
				}
				s.Latches = append(s.Latches, l)
				low = append(low, s.LatchLit(i).Not())
			}
			s.W = g.AndN(low)
			err := encode.ProveWellFormed(context.Background(), s, gini.New())
			want := ""
			switch {
			case at >= 0 && step:
				want = "successor"
			case at >= 0:
				want = "reset"
			}
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("latch %d, in a step %v: %v, want %q", at, step, err, want)
			}
		}
	}
}
