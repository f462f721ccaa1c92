package rep_test

import (
	"testing"

	"orbitmc/internal/testkit/reptest"
	"orbitmc/rep"
	"orbitmc/ts"
)

// TestInvariant: states of one orbit have the same value, and where every bit belongs to one component of one latch, the
// others have not.
func TestInvariant(t *testing.T) {
	for name, c := range shapes() {
		var gens []*ts.Perm
		if c.y != nil {
			gens = c.y.Generators()
		}
		v, values := rep.NewInvariant(c.y, c.n), make(map[string]bool)
		for _, s := range states(c.n) {
			for _, p := range gens {
				if v.Of(ts.Apply(p.Latch, s)) != v.Of(s) {
					t.Fatalf("%s: %v maps %v to another value", name, p, s)
				}
			}
			values[v.Of(s)] = true
		}
		_, orbits := reptest.Count(states(c.n), nil, gens, nil)
		exact := name == "rows of one" || name == "trivial"
		if len(values) < 2 || len(values) > orbits || exact && len(values) < orbits {
			t.Errorf("%s: %d values, %d orbits", name, len(values), orbits)
		}
	}
}
