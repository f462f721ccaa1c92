package stateless

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"orbitmc/internal/prog"
	"orbitmc/internal/task"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/model"
)

// counted searches a program to the end and returns what was counted.
func counted(t *testing.T, file string, c combination, defines ...string) mc.Stats {
	t.Helper()
	k, err := task.Open(context.Background(), file, task.Options{Symmetry: c.symmetry, Defines: defines, Executions: true, Staying: c.visible})
	if err == nil {
		err = k.Prepare(context.Background(), false)
	}
	if err != nil {
		t.Fatal(err)
	}
	e := &Engine{Program: task.ProgramOf(k), Reduction: c.reduction, Visible: c.visible, Twins: c.twins}
	deadlock := k.Problem.Model.DeadlockProp().Index
	for _, q := range k.Problem.Model.Props { // so that the search goes on
		if q.Index != deadlock {
			k.Problem.Props = []int{q.Index}
		}
	}
	r, err := e.Run(context.Background(), k.Problem, mc.Options{All: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.Stopped != Complete {
		t.Fatalf("stopped: %s", r.Stopped)
	}
	return r.Stats
}

const philosophers = "../../benchmarks/promela/philosophers.pml"

// TestPhilosophers compares the transitions of all executions with those published (Godefroid
// 1999), and holds the reductions below the published ones.
func TestPhilosophers(t *testing.T) {
	tree := []int64{18, 1_680, 386_816}
	order, symmetric := []int64{17, 75, 275, 959}, []int64{9, 37, 133, 461}
	fewest, fewer := []int64{17, 67, 198, 507}, []int64{9, 32, 90, 220} // of prototypes
	for n := 2; n <= 5; n++ {
		count := func(r Reduction, visible bool, symmetry string) int64 {
			return counted(t, philosophers, combination{r, visible, symmetry, false}, fmt.Sprint("N=", n)).Transitions
		}
		for _, visible := range []bool{false, true} {
			if n < 5 {
				if got := count(None, visible, "off"); got != tree[n-2] {
					t.Errorf("N=%d: %d transitions of all executions, want %d", n, got, tree[n-2])
				}
			}
			off, auto := count(Persistent, visible, "off"), count(Persistent, visible, "auto")
			if off > order[n-2] || auto > symmetric[n-2] || n == 2 && (off != 17 || auto != 9) {
				t.Errorf("N=%d: %d and, with symmetry, %d transitions; published are %d and %d", n, off, auto, order[n-2], symmetric[n-2])
			}
			if off > fewest[n-2] || auto > fewer[n-2] {
				t.Errorf("N=%d: %d and, with symmetry, %d transitions; %d and %d are possible", n, off, auto, fewest[n-2], fewer[n-2])
			}
			dpor := count(DPOR, visible, "off")
			if dpor > order[n-2] {
				t.Errorf("N=%d: %d transitions with dpor; published are %d", n, dpor, order[n-2])
			}
			t.Logf("N=%d: persistent %d, with symmetry %d; dpor %d", n, off, auto, dpor)
		}
	}
}

// TestPhilosophersTree counts the transitions of all executions of five philosophers by
// paths through the states and, with ORBITMC_LONG=1, by executing them.
func TestPhilosophersTree(t *testing.T) {
	const want = 354_940_010
	k, err := task.Open(context.Background(), philosophers, task.Options{Symmetry: "off", Defines: []string{"N=5"}, Executions: true, Staying: true})
	if err != nil {
		t.Fatal(err)
	}
	m := model.Compile(k.Problem.Model).NewMachine()
	below := map[string]int64{}
	edges := int64(0)
	var count func(s model.State) int64
	count = func(s model.State) (n int64) {
		key := fmt.Sprint(s)
		if n, ok := below[key]; ok {
			return n
		}
		var next []model.State
		m.Successors(s, func(ch model.Choice, s model.State, _ *model.Violation) bool {
			if task.ProgramOf(k).Edges[ch.Rule].Kind == prog.Step {
				next = append(next, append(model.State(nil), s...))
			}
			return true
		})
		for _, s := range next {
			n += 1 + count(s)
			edges++
		}
		below[key] = n
		return n
	}
	start, _ := m.Start(model.Choice{})
	if got := count(start); got != want || edges != 3765 {
		t.Errorf("%d transitions of all executions, %d of the graph; want %d and 3765", got, edges, want)
	}
	if !nightly.On() {
		return
	}
	if got := counted(t, philosophers, combination{None, true, "off", false}, "N=5").Transitions; got != want {
		t.Errorf("%d transitions were executed, want %d", got, want)
	}
}

// TestThreads counts the executions of n threads with k operations each that do not commute: (kn)!/k!^n
// and, with symmetry, the standard Young tableaux of n columns of height k.
func TestThreads(t *testing.T) {
	for _, c := range []struct {
		k, n       int
		all, sieve int64
	}{
		{2, 2, 6, 2}, {2, 3, 90, 5}, {2, 4, 2520, 14}, {2, 5, 113_400, 42},
		{3, 2, 20, 5}, {3, 3, 1680, 42}, {3, 4, 369_600, 462}, {3, 5, 0, 6006}, {3, 6, 0, 87_516},
	} {
		text := fmt.Sprintf("byte x; active [%d] proctype P() { byte r; ", c.n)
		for range c.k {
			text += "d_step { r = x; x++ } "
		}
		file := filepath.Join(t.TempDir(), "threads.pml")
		if err := os.WriteFile(file, []byte(text+"}"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, r := range []Reduction{Sleep, Persistent, DPOR} {
			if c.all == 0 || c.all > 10_000 && (r != DPOR || !nightly.On()) {
				continue
			}
			if got := counted(t, file, combination{r, true, "off", false}).Executions; got != c.all {
				t.Errorf("%d threads, %d operations, %v: %d executions, want %d", c.n, c.k, r, got, c.all)
			}
		}
		for _, how := range []combination{{Persistent, true, "auto", false}, {Persistent, true, "off", true}} {
			if got := counted(t, file, how).Executions; got != c.sieve {
				t.Errorf("%d threads, %d operations, %+v: %d executions, want %d", c.n, c.k, how, got, c.sieve)
			}
		}
	}
}
