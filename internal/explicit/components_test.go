package explicit

import (
	"context"
	"fmt"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/model"
)

// TestManyLocalStates: components with more local states than counters would do for are sorted, and what a state takes does
// not grow with their number.
func TestManyLocalStates(t *testing.T) {
	for _, c := range []struct{ n, v int }{{20, 3}, {20, 10}, {80, 8}} {
		m, err := murphi.ReadFile("../../benchmarks/suites/boolean_program.m", murphi.Options{Consts: map[string]string{"N": fmt.Sprint(c.n), "V": fmt.Sprint(c.v)}})
		if err != nil {
			t.Fatal(err)
		}
		var block []int
		for x := range c.n {
			block = append(block, x)
		}
		r, err := Run(context.Background(), model.Compile(m), Options{Canon: Exact, Blocks: [][][]int{{block}}, ByRule: true})
		if err != nil || !r.Complete || len(r.Violations) > 0 {
			t.Fatalf("%+v: %+v, %v", c, r, err)
		}
		// One thread is inside, at a line after which it has chosen that many variables, and of the others some begin again; or
		// all, or none, do. The shared variable has two values.
		if want := int64(c.n<<(c.v+2) + 2); r.States != want {
			t.Errorf("%+v: %d states, want %d", c, r.States, want)
		}
		if c.v > 7 && float64(r.Memory) > 20*float64(r.States) {
			t.Errorf("%+v: %d bytes for %d states of %d", c, r.Memory, r.States, model.NewPacker(m).Size())
		}
	}
}
