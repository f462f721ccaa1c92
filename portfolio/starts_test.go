package portfolio

import (
	"os"
	"path/filepath"
	"testing"

	"orbitmc/mc"
	"orbitmc/task"
)

// lastStart is a model whose start state names the last value of V; all else is symmetric.
const lastStart = `type V: scalarset(4);
var x: V; y: V; on: array [V] of boolean;
startstate for v: V do x := v; on[v] := false; end; y := x; end;
ruleset v: V do rule "flip" v != x ==> on[v] := !on[v]; end; end;
ruleset v: V do rule "move" on[v] & on[y] ==> y := v; end; end;
ruleset v: V do rule "first" on[v] & y = x ==> y := v; end; end;
invariant "few" !(forall v: V do v = x | on[v] end) | y = x;
invariant "kept" on[x] = false;
`

// TestStarts: a start state that is not symmetric does not cost explicit search any symmetry, and
// engines that compare paths with their images use permutations that keep it. All agree.
// bmc/verified_test.go has the double that does not keep it.
func TestStarts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "starts.m")
	if err := os.WriteFile(file, []byte(lastStart), 0o644); err != nil {
		t.Fatal(err)
	}
	ref, err := decide(file, "explicit", "off", task.Options{}, mc.Options{All: true})
	if err != nil {
		t.Fatal(err)
	}
	if ref.first() != 4 {
		t.Fatalf("violated at depth %d", ref.first())
	}
	for _, engine := range []string{"explicit", "bmc", "pdr", "ind", "cofactor", "all"} {
		for _, prop := range []string{"few", "kept"} {
			e, err := decide(file, engine, "auto", task.Options{Props: []string{prop}}, mc.Options{MaxDepth: 12})
			if err != nil {
				t.Fatalf("%s: %v", engine, err)
			}
			pr := e.out.Result.Props[0]
			want := mc.Safe
			if prop == "few" {
				want = mc.Unsafe
			}
			if bounded := engine == "bmc" && prop == "kept" && pr.Status == mc.Unknown; pr.Status != want && !bounded {
				t.Errorf("%s: %s is %v", engine, prop, pr.Status)
			}
			if d := e.first(); prop == "few" && (d < 4 || d > 4 && (engine == "explicit" || engine == "bmc")) {
				t.Errorf("%s: violated at depth %d", engine, d)
			}
			if p := e.out.Problem; engine == "explicit" {
				if n := OrbitSize(p).Int64(); n != 24 {
					t.Errorf("orbits of at most %d states, want 24", n)
				}
			} else if engine != "all" {
				for _, b := range p.Group(pr.Prop).Blocks {
					if len(b.Elems) > 3 {
						t.Errorf("%s: a group that moves the start state: %v", engine, b.Elems)
					}
				}
			}
		}
	}
	e, err := decide(file, "explicit", "auto", task.Options{}, mc.Options{All: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.agrees(ref, true); err != nil {
		t.Error(err)
	}
	if x, y := e.out.Each[0].Stats.States, ref.out.Each[0].Stats.States; x != int64(orbits(e.out.Problem, ref.out.Each[0].Closure)) || x >= y {
		t.Errorf("%d states instead of %d", x, y)
	}
}
