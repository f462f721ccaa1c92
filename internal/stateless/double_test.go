package stateless

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"orbitmc/internal/task"
	"orbitmc/mc"
)

// TestDoubles breaks one rule at a time: then something is missed, on a program for each.
func TestDoubles(t *testing.T) {
	for _, c := range []struct {
		broken string
		combination
		src string
	}{
		{"dependent steps sleep", combination{Sleep, true, "off", false}, "byte x; active proctype A() { x = 1 } active proctype B() { byte r; r = x; if :: r == 0 -> assert(x == 0) :: else fi }"},
		{"dependent steps sleep", combination{Persistent, true, "off", false}, "byte x; active proctype A() { x = 1 } active proctype B() { byte r; r = x; if :: r == 0 -> assert(x == 0) :: else fi }"},
		{"blocked processes are left out", combination{Persistent, true, "off", false}, "byte x, y; active proctype A() { byte r; r = x; assert(r == 0) } active proctype B() { y == 1; x = 1 } active proctype C() { y = 1 }"},
		{"blocked processes are left out", combination{DPOR, true, "off", false}, "byte m, x; active proctype A() { byte r; d_step { m == 0; m = 1 }; r = x; assert(r == 0) } active proctype B() { d_step { m == 0; m = 2 }; x = 1; m = 0 }"},
		{"receivers have one way", combination{DPOR, true, "off", false}, "byte x; chan c = [0] of { byte }; active proctype A() { c!1 } active proctype B() { if :: c?1 :: x == 0 -> assert(false) fi } active proctype C() { x = 1 }"},
		{"sleepers tell", combination{DPOR, true, "off", false}, "byte x, y, k; active proctype A() { x = 1 + y } active proctype B() { byte v; d_step { x == 1 && k < 5 -> v = y } } active proctype C() { byte v; k = 1; v = x; assert(v != 2) } active proctype D() { byte v; y = 1 + x; v = y }"},
		{"any state is symmetric", combination{Persistent, true, "auto", false}, "byte x, y; active [2] proctype A() { byte r; d_step { r = x; x++ }; x == 2; if :: d_step { y == 0; y = 1 + r } :: d_step { y != 0; r = y } fi; assert(r != 2) }"},
		{"handshakes wake nobody", combination{Persistent, true, "off", false}, "byte x; chan c = [0] of { byte }; active proctype A() { byte r; r = x; assert(r == 0) } active proctype B() { c?1; x = 1 } active proctype C() { c!1 }"},
		{"dpor leaves out images", combination{DPOR, true, "off", true}, residual},
	} {
		file := filepath.Join(t.TempDir(), "double.pml")
		if err := os.WriteFile(file, []byte(c.src), 0o600); err != nil {
			t.Fatal(err)
		}
		want := full(t, file)
		whole := c.combination
		whole.twins = whole.twins && whole.reduction != DPOR
		got, _, _, _, ok := searched(t, file, whole, "", 100_000, nil)
		if !ok || !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", c.broken, got, want)
		}
		got, _, _, _, _ = searched(t, file, c.combination, c.broken, 100_000, nil)
		if slices.Equal(got, want) {
			t.Errorf("%q changes nothing: %v", c.broken, got)
		}
	}
}

// residual is a program on which dpor may leave out no twins, as was published: behind the first read of process
// 0 both run the same code, and the race of that read with the last step of process 1 is behind what is left out.
const residual = "byte x; active [2] proctype P() { byte a, b; if :: _pid == 0 -> a = x :: else fi; b = x; assert(a != 1); x++ }"

// TestFalseSymmetry: under permutations that do not keep an assertion its violation is missed; they are
// refuted, so that they are not used.
func TestFalseSymmetry(t *testing.T) {
	file := filepath.Join(t.TempDir(), "false.pml")
	src := "byte x, y; active [3] proctype P() { byte r; d_step { r = x; x++ }; if :: _pid == 2 && r == 0 -> y = 1; assert(false) :: else fi }"
	if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, forced := range []bool{false, true} {
		k, err := task.Open(context.Background(), file, task.Options{Symmetry: "auto", Executions: true, Staying: true})
		if err == nil {
			err = k.Prepare(context.Background(), false)
		}
		if err != nil {
			t.Fatal(err)
		}
		if forced {
			k.Problem.Blocks = make([][][]int, len(k.Problem.Model.Scalarsets))
			for c, class := range k.Problem.Model.Scalarsets {
				if class.Card() == 3 {
					k.Problem.Blocks[c] = [][]int{{0, 1, 2}}
				}
			}
		}
		e := &Engine{Program: task.ProgramOf(k), Reduction: Persistent, Visible: true}
		r, err := e.Run(context.Background(), k.Problem, mc.Options{All: true})
		if err != nil {
			t.Fatal(err)
		}
		if r.Violated() == forced {
			t.Errorf("forced %v: violated %v; blocks %v", forced, r.Violated(), k.Problem.Blocks)
		}
	}
}

// TestTwins: with persistent sets, twins may be left out there, and some are.
func TestTwins(t *testing.T) {
	file := filepath.Join(t.TempDir(), "residual.pml")
	if err := os.WriteFile(file, []byte(residual), 0o600); err != nil {
		t.Fatal(err)
	}
	var executions []int64
	for _, twins := range []bool{false, true} {
		c := combination{Persistent, true, "off", twins}
		got, _, _, _, _ := searched(t, file, c, "", 100_000, nil)
		if !slices.Equal(got, []string{"assert((a!=1))"}) {
			t.Errorf("%+v: got %v", c, got)
		}
		executions = append(executions, counted(t, file, c).Executions)
	}
	if executions[1] >= executions[0] {
		t.Errorf("%d executions, with twins %d", executions[0], executions[1])
	}
}

// TestHunt looks for programs on which doubles miss something: BROKEN names one.
func TestHunt(t *testing.T) {
	broken := os.Getenv("BROKEN")
	if broken == "" {
		t.Skip("no BROKEN")
	}
	file := filepath.Join(t.TempDir(), "random.pml")
	for seed := range uint64(3000) {
		src := acyclic(randomBlocking(seed))
		if seed%2 == 0 {
			src = randomProgram(seed)
		}
		if src == "" {
			continue
		}
		if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, c := range combinations {
			_, all, _, _, ok := searched(t, file, combination{None, c.visible, "off", false}, "", 4_000, nil)
			if !ok || all == nil {
				continue
			}
			c.symmetry = "auto"
			a, _, _, _, _ := searched(t, file, c, "", 4_000, all)
			b, _, missed, _, _ := searched(t, file, c, broken, 4_000, all)
			if !slices.Equal(a, b) || missed > 0 {
				fmt.Println(seed, c, a, b, missed, len(src), src)
				return
			}
		}
	}
}

// TestAloneForever: a process that goes round alone does not keep others from their turns, if all orders are explored.
func TestAloneForever(t *testing.T) {
	file := filepath.Join(t.TempDir(), "alone.pml")
	if err := os.WriteFile(file, []byte("byte x; active proctype A() { byte r; do :: r = 1 - r od } active proctype B() { x = 1; assert(x == 0) }"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, r := range []Reduction{None, Sleep} {
		c := combination{r, true, "off", false}
		k := opened(t, file, c)
		e := &Engine{Program: task.ProgramOf(k), Reduction: r, Visible: true}
		got, err := e.Run(context.Background(), k.Problem, mc.Options{All: true, MaxDepth: 3, Bounded: true})
		if err != nil || !got.Violated() || got.Stopped == Complete {
			t.Errorf("%v: %v, violated %v, stopped: %s", r, err, got.Violated(), got.Stopped)
		}
	}
}

// TestAmple: stubborn sets see that a step may make an assertion inside of another one fail.
func TestAmple(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ample.pml")
	if err := os.WriteFile(file, []byte("byte x, y; active proctype A() { x = 1 } active proctype B() { end: d_step { x == 0; assert(y == 0) } } active proctype C() { y = 1 }"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, _ := ample(t, file, "off"); !slices.Equal(got, full(t, file)) || len(got) == 0 {
		t.Errorf("got %v", got)
	}
}
