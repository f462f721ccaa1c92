package gotest

import (
	"context"
	"testing"
)

// TestPapers counts the executions of programs whose number is known. Of aget, with three operations that do not commute in each
// of n threads, they are (3n)!/3!ⁿ, one of n! with symmetry; of n philosophers 2ⁿ-1.
func TestPapers(t *testing.T) {
	for _, c := range []struct {
		full, plain bool
		run         string
		want        map[string]int
	}{
		{false, true, "^Test(Aget2|Aget3|Philosophers[2-5])$", map[string]int{"TestAget2": 20, "TestAget3": 1680, "TestPhilosophers2": 3, "TestPhilosophers3": 7, "TestPhilosophers4": 15, "TestPhilosophers5": 31}},
		{false, false, "^Test(Aget2|Aget3)$", map[string]int{"TestAget2": 10, "TestAget3": 280}},
		{true, true, "^Test(Aget2|Philosophers2)$", map[string]int{"TestAget2": 100, "TestPhilosophers2": 14}},
	} {
		r, err := Run(context.Background(), Options{Dir: "../benchmarks/go", Patterns: []string{"."}, Run: c.run, All: true, Unreduced: c.full, Plain: c.plain, Random: -1})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Tests) != len(c.want) {
			t.Errorf("%s: %d tests", c.run, len(r.Tests))
		}
		for _, x := range r.Tests {
			if x.Executions != c.want[x.Name] {
				t.Errorf("full %v, plain %v: %s: %d executions, want %d", c.full, c.plain, x.Name, x.Executions, c.want[x.Name])
			}
		}
	}
}
