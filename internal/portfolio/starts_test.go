package portfolio

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orbitmc/internal/certify"
	"orbitmc/internal/task"
	"orbitmc/mc"
	"orbitmc/ts"
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
// TestStartsNotClosed has doubles that do not keep it, and bmc/verified_test.go has those of bmc, one
// for each kind of representatives.
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

// TestStartsNotClosed gives pdr and cofactor all permutations of V, which keep the rules and the
// property, but not the start state. Representatives are then no start states: the engine misses the
// violation, finds it too deep, or calls the property safe, and the check of its evidence rejects that. The
// first or the last value of V is named, since it depends on the order of representatives which of
// them is kept. With the permutations that keep the start state the engines are right.
func TestStartsNotClosed(t *testing.T) {
	first := strings.Replace(lastStart, "x := v;", "if isundefined(x) then x := v; end;", 1)
	ctx, opt := context.Background(), mc.Options{MaxDepth: 12}
	for _, name := range []string{"pdr", "cofactor"} {
		wrong := 0
		for _, src := range []string{first, lastStart} {
			file := filepath.Join(t.TempDir(), "starts.m")
			if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
				t.Fatal(err)
			}
			e, err := decide(file, name, "auto", task.Options{Props: []string{"few"}}, opt)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			p := e.out.Problem
			prop := p.Props[0]
			full := ts.Block{Name: "V", Elems: []int{0, 1, 2, 3}}
			for v := range 3 {
				full.Swaps = append(full.Swaps, p.Enc.Transposition(full.Class, v, v+1))
			}
			for _, group := range []*ts.Symmetry{p.Group(prop), {Blocks: []ts.Block{full}}} {
				q := *p
				q.Groups = make([]*ts.Symmetry, len(p.Model.Props))
				q.Groups[prop] = group
				es, err := Engines(e.t, name)
				if err != nil {
					t.Fatal(err)
				}
				r, err := es[0].Run(ctx, &q, opt)
				if err == nil {
					err = certify.Verify(ctx, &q, r)
				}
				right := err == nil && r.Props[0].Status == mc.Unsafe && (r.Props[0].Depth == 4 || name == "pdr")
				switch {
				case len(group.Blocks) > 0 && len(group.Blocks[0].Elems) == 4:
					if !right {
						wrong++
					}
					if err == nil && r.Props[0].Status == mc.Safe {
						t.Errorf("%s: a proof under permutations that move the start state is accepted", name)
					}
				case !right:
					t.Errorf("%s: %v, %v", name, r, err)
				}
			}
		}
		if wrong == 0 {
			t.Errorf("%s is right under permutations that move the start state", name)
		}
	}
}
