package invariants_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"orbitmc/encode"
	"orbitmc/encode/murphi"
	"orbitmc/internal/every/invariants"
	"orbitmc/internal/every/transfer"
	"orbitmc/model"
	"orbitmc/ts"
)

// source has leaves that may be undefined (owner) and a variable named as a quantified
// one would be (c1).
const source = `
type N: scalarset(3); S: enum {idle, wait, crit};
var s: array [N] of S; owner: N; c1: boolean;
startstate begin for i: N do s[i] := idle; end; undefine owner; c1 := false; end;
ruleset i: N do
  rule "enter" s[i] = wait & isundefined(owner) ==> begin s[i] := crit; owner := i; end;
  rule "leave" s[i] = crit ==> begin s[i] := idle; undefine owner; end;
  rule "wait" s[i] = idle ==> begin s[i] := wait; c1 := true; end;
end;
`

// load encodes a model and returns the group that its first scalarset declares.
func load(t *testing.T, src string) (*encode.Encoding, *ts.Symmetry) {
	t.Helper()
	m, err := murphi.Parse("model.m", []byte(src), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	enc, err := encode.Model(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	b := ts.Block{Name: "N"}
	for i := range int(m.Scalarsets[0].Card()) {
		b.Elems = append(b.Elems, i)
		if i > 0 {
			b.Swaps = append(b.Swaps, enc.Transposition(0, i-1, i))
		}
	}
	return enc, &ts.Symmetry{Blocks: []ts.Block{b}}
}

// TestWrite: in every state, what is written for a random clause is true iff all images
// of the clause are. It can be read where it is written.
func TestWrite(t *testing.T) {
	enc, y := load(t, source)
	leaves := transfer.NewNames(enc, y).Leaves
	var states []model.State
	for s := []model.State{nil}; len(s) > 0; s = s[1:] {
		if len(s[0]) == len(leaves) {
			states = append(states, s[0])
			continue
		}
		i := len(s[0])
		if enc.MayBeUndefined(i) {
			s = append(s, append(s[0][:i:i], model.Undef))
		}
		for v := leaves[i].Type.Lo; v <= leaves[i].Type.Hi; v++ {
			s = append(s, append(s[0][:i:i], v))
		}
	}
	if len(states) != 27*4*2 {
		t.Fatalf("%d states", len(states))
	}
	var perms []*ts.Perm // all six
	for _, p := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		perms = append(perms, enc.Permutation(model.ScalarPerm{p}))
	}
	rng := rand.New(rand.NewPCG(1, 1))
	written, some, quantified := 0, 0, 0
	for range 300 {
		var clause ts.Clause
		used := make(map[int]bool)
		for range 1 + rng.IntN(4) {
			l := rng.IntN(len(enc.Sys.Latches))
			if !used[l] {
				used[l] = true
				clause = append(clause, ts.Lit(l)<<1|ts.Lit(rng.IntN(2)))
			}
		}
		exprs, refused := invariants.Write(enc, y, []ts.Clause{clause})
		if len(exprs)+len(refused) != 1 {
			t.Fatalf("clause %v: %q, refused %v", clause, exprs, refused)
		}
		if len(exprs) == 0 {
			continue
		}
		written++
		if strings.Count(exprs[0], "forall") > 1 {
			quantified++
		}
		text := fmt.Sprintf("%s\ninvariant \"lemma\" %s;\n", source, exprs[0])
		m, err := murphi.Parse("lemma.m", []byte(text), murphi.Options{})
		if err != nil {
			t.Fatalf("clause %v is written as\n%s\n%v", clause, exprs[0], err)
		}
		mach := model.Compile(m).NewMachine()
		holds := 0
		for _, s := range states {
			want := true
			for _, p := range perms {
				bits := ts.Apply(p.Latch, enc.EncodeState(s))
				one := false
				for _, l := range clause {
					one = one || bits[l>>1] != (l&1 == 1)
				}
				want = want && one
			}
			if want {
				holds++
			}
			if got := mach.Violated(s, 0) == nil; got != want {
				t.Fatalf("clause %v is written as\n%s\nwhich is %v in %v, want %v", clause, exprs[0], got, s, want)
			}
		}
		if holds > 0 && holds < len(states) {
			some++
		}
	}
	t.Logf("%d written, %d of them neither true nor false, %d with two variables or more", written, some, quantified)
	if written < 200 || some < 100 || quantified < 50 {
		t.Error("the clauses are too tame")
	}
}

// TestWriteOnce: images of a clause are written once, and a lemma about a slot of a
// multiset, which has no name, is refused.
func TestWriteOnce(t *testing.T) {
	enc, y := load(t, source)
	a := enc.LeafLatches(0)[0]
	var both []ts.Clause
	for _, p := range []*ts.Perm{ts.Identity(enc.Sys), y.Blocks[0].Swaps[0]} {
		both = append(both, ts.Clause{p.Latch[a]})
	}
	if exprs, refused := invariants.Write(enc, y, both); len(exprs) != 1 || len(refused) != 0 || both[0][0] == both[1][0] {
		t.Errorf("%v: %q, refused %v", both, exprs, refused)
	}

	enc, y = load(t, `
type N: scalarset(3);
var bag: multiset [2] of N;
startstate begin undefine bag; end;
ruleset i: N do rule multisetcount(b: bag, true) < 2 ==> begin multisetadd(i, bag); end; end;
`)
	slots := 0
	for i, leaf := range transfer.NewNames(enc, y).Leaves {
		if leaf.Slot < 0 {
			continue
		}
		slots++
		for _, l := range enc.LeafLatches(i) {
			if exprs, refused := invariants.Write(enc, y, []ts.Clause{{ts.Lit(l) << 1}}); len(exprs) != 0 || len(refused) != 1 {
				t.Errorf("%s: %q, refused %v", enc.Sys.Latches[l].Name, exprs, refused)
			}
		}
	}
	if slots < 2 {
		t.Errorf("%d leaves of slots", slots)
	}
}

// TestBeside: where a clause names all components, it is also read as one about few of them and all
// alike. That reading says no less: the clause holds in each state in which it is true.
func TestBeside(t *testing.T) {
	enc, y := load(t, source)
	perms := [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	rng := rand.New(rand.NewPCG(2, 2))
	state := enc.LeafLatches(0)
	owner := enc.LeafLatches(3)
	few, alike := 0, 0
	for range 300 {
		clause := ts.Clause{ts.Lit(owner[rng.IntN(len(owner))]) << 1}
		for i := range 3 {
			of := enc.LeafLatches(i)
			clause = append(clause, ts.Lit(of[rng.IntN(len(state))])<<1|ts.Lit(rng.IntN(2)))
		}
		clause[0] |= ts.Lit(rng.IntN(2))
		for _, e := range invariants.Readings(enc, y, []ts.Clause{clause}, func(*model.Type) string { return "" }, true) {
			if !strings.Contains(e, "forall c0: N do") || strings.Contains(e, "(isundefined(owner))") {
				continue
			}
			alike++
			if strings.HasPrefix(e, "forall") && strings.Count(e, "forall") == 2 {
				few++
			}
			m, err := murphi.Parse("lemma.m", fmt.Appendf(nil, "%s\ninvariant \"lemma\" %s;\n", source, e), murphi.Options{})
			if err != nil {
				t.Fatalf("clause %v is read as\n%s\n%v", clause, e, err)
			}
			mach := model.Compile(m).NewMachine()
			for n := range 27 * 4 * 2 {
				s := model.State{int64(n % 3), int64(n / 3 % 3), int64(n / 9 % 3), int64(n/27%4) - 1, int64(n / 108)}
				for i, l := range transfer.NewNames(enc, y).Leaves {
					if s[i] < 0 {
						s[i] = model.Undef
					} else {
						s[i] += l.Type.Lo
					}
				}
				if mach.Violated(s, 0) != nil {
					continue
				}
				for _, p := range perms {
					bits, one := ts.Apply(enc.Permutation(model.ScalarPerm{p}).Latch, enc.EncodeState(s)), false
					for _, l := range clause {
						one = one || bits[l>>1] != (l&1 == 1)
					}
					if !one {
						t.Fatalf("clause %v is read as\n%s\nwhich is true in %v, where an image of the clause is not", clause, e, s)
					}
				}
			}
		}
	}
	t.Logf("%d readings, %d of them about few components and all", alike, few)
	if few < 50 {
		t.Error("the clauses are too tame")
	}
}
