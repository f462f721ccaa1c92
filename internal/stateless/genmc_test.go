package stateless

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orbitmc/internal/testkit/nightly"
)

// TestTraces counts the executions of small programs, without symmetry, and compares them with what
// GenMC 0.11.0 expects of its own versions of them under sequential consistency
// (tests/correct/synthetic/*/expected.sc.mo.in). It distinguishes executions by who reads from whom and
// by the order of writes, which is the same as the order of steps that conflict.
func TestTraces(t *testing.T) {
	threads := func(n int, f func(i int) string) string {
		var b strings.Builder
		for i := 1; i <= n; i++ {
			fmt.Fprintf(&b, "active proctype T%d() { byte r; %s }\n", i, f(i))
		}
		return b.String()
	}
	for _, c := range []struct {
		name string
		src  func(n int) string
		want map[int]int64
		long int // from this n on with ORBITMC_LONG=1
	}{
		{"ainc: each adds one", func(n int) string {
			return "byte x; " + threads(n, func(int) string { return "x++" })
		}, map[int]int64{2: 2, 3: 6, 4: 24, 5: 120, 6: 720, 7: 5040}, 7},
		{"inc: each reads and then writes", func(n int) string {
			return "byte x; " + threads(n, func(i int) string { return fmt.Sprintf("r = x; x = r + %d", i) })
		}, map[int]int64{2: 4, 3: 36, 4: 576}, 5},
		{"casrot: each compares and exchanges", func(n int) string {
			return "byte x; " + threads(n, func(i int) string { return fmt.Sprintf("if :: d_step { x == %d; x = %d } :: else fi", i-1, i) })
		}, map[int]int64{2: 2, 3: 5, 4: 14, 5: 43, 6: 144, 7: 523, 8: 2048, 9: 8597}, 8},
		{"readers: one writes, others read", func(n int) string {
			return "byte x; active proctype W() { x = 42 }\n" + threads(n, func(int) string { return "r = x" })
		}, map[int]int64{2: 4, 8: 256, 13: 8192}, 9},
		{"lastzero: one looks for the last zero", func(n int) string {
			read := "skip"
			for i := range n + 1 { // elements above are not zero
				if i == 0 {
					read = "r = a[0]"
				} else {
					read = fmt.Sprintf("r = a[%d]; if :: r != 0 -> %s :: else fi", i, read)
				}
			}
			return fmt.Sprintf("byte a[%d]; active proctype R() { byte r; %s }\n", n+1, read) +
				threads(n, func(i int) string { return fmt.Sprintf("r = a[%d]; a[%d] = r + 1", i-1, i) })
		}, map[int]int64{5: 64, 10: 3328, 15: 147_456}, 11},
		{"fib: two add the variables of each other", func(n int) string {
			turn := func(v string) string { return strings.Repeat(fmt.Sprintf("p = x; q = y; %s = p + q; ", v), n) }
			return "int x = 1, y = 1; active proctype A() { int p, q; " + turn("x") + "}\nactive proctype B() { int p, q; " + turn("y") + "}\n" +
				"active proctype C() { if :: x > 144 -> assert(false) :: else -> if :: y > 144 -> assert(false) :: else fi fi }"
		}, map[int]int64{5: 218_243}, 5},
	} {
		t.Run(strings.Split(c.name, ":")[0], func(t *testing.T) {
			for _, n := range slices.Sorted(maps.Keys(c.want)) {
				if n >= c.long && !nightly.On() {
					continue
				}
				file := filepath.Join(t.TempDir(), "traces.pml")
				if err := os.WriteFile(file, []byte(c.src(n)), 0o600); err != nil {
					t.Fatal(err)
				}
				for _, r := range []Reduction{Sleep, Persistent, DPOR} {
					if want := c.want[n]; r == Sleep && want > 1000 || r == DPOR && want > 100_000 {
						continue // that takes minutes
					}
					s := counted(t, file, combination{r, true, "off", false})
					if s.Executions != c.want[n] {
						t.Errorf("%s, n = %d, %v: %d executions, want %d", c.name, n, r, s.Executions, c.want[n])
					}
					t.Logf("%s, n = %d, %v: %d executions, %d steps", c.name, n, r, s.Executions, s.Transitions)
				}
			}
		})
	}
}
