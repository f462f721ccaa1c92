package stateless

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestDoubles breaks one rule at a time: then something is missed, on a program for each.
func TestDoubles(t *testing.T) {
	for _, c := range []struct {
		broken string
		combination
		src string
	}{
		{"dependent steps sleep", combination{Sleep, true, "off"}, "byte x; active proctype A() { x = 1 } active proctype B() { byte r; r = x; if :: r == 0 -> assert(x == 0) :: else fi }"},
		{"dependent steps sleep", combination{Persistent, true, "off"}, "byte x; active proctype A() { x = 1 } active proctype B() { byte r; r = x; if :: r == 0 -> assert(x == 0) :: else fi }"},
		{"blocked processes are left out", combination{Persistent, true, "off"}, "byte x, y; active proctype A() { byte r; r = x; assert(r == 0) } active proctype B() { y == 1; x = 1 } active proctype C() { y = 1 }"},
		{"blocked processes are left out", combination{DPOR, true, "off"}, "byte m, x; active proctype A() { byte r; d_step { m == 0; m = 1 }; r = x; assert(r == 0) } active proctype B() { d_step { m == 0; m = 2 }; x = 1; m = 0 }"},
		{"any state is symmetric", combination{Persistent, true, "auto"}, "byte x, y; active [2] proctype A() { byte r; d_step { r = x; x++ }; x == 2; if :: d_step { y == 0; y = 1 + r } :: d_step { y != 0; r = y } fi; assert(r != 2) }"},
	} {
		file := filepath.Join(t.TempDir(), "double.pml")
		if err := os.WriteFile(file, []byte(c.src), 0o600); err != nil {
			t.Fatal(err)
		}
		want := full(t, file)
		got, _, _, _, ok := searched(t, file, c.combination, "", 100_000, nil)
		if !ok || !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", c.broken, got, want)
		}
		got, _, _, _, _ = searched(t, file, c.combination, c.broken, 100_000, nil)
		if slices.Equal(got, want) {
			t.Errorf("%q changes nothing: %v", c.broken, got)
		}
	}
}

// residual is a program on which the rule of twins by residual code is wrong.
const residual = `byte x;
active proctype A() { byte a, b; a = x; b = x; assert(a != 1); x++ }
active proctype B() { byte a, b; b = x; assert(a != 1); x++ }`

// TestHunt looks for programs on which doubles miss something: BROKEN names one.
func TestHunt(t *testing.T) {
	broken := os.Getenv("BROKEN")
	if broken == "" {
		t.Skip("no BROKEN")
	}
	file := filepath.Join(t.TempDir(), "random.pml")
	for seed := range uint64(3000) {
		src := randomProgram(seed)
		if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, c := range combinations {
			_, all, _, _, ok := searched(t, file, combination{None, c.visible, "off"}, "", 4_000, nil)
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
