package model_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	. "orbitmc/model"
	"orbitmc/model/traces"
)

// permuted returns the image of the leaves l of a value of type t, the slow way.
func permuted(t *Type, l []int64, perm ScalarPerm) []int64 {
	value := func(t *Type, v int64) int64 {
		for w := t.Lo; v != Undef && w <= t.Hi; w++ {
			if p, k := unionPart(t, v); p.Kind == Scalarset && !p.Slots && perm[p.Class] != nil {
				if q, j := unionPart(t, w); q == p && j == int64(perm[p.Class][k]) {
					return w
				}
			}
		}
		return v
	}
	out := slices.Clone(l)
	switch t.Kind {
	case Record:
		for _, f := range t.Fields {
			copy(out[f.Offset:], permuted(f.Type, l[f.Offset:f.Offset+f.Type.Leaves], perm))
		}
	case Array:
		n := t.Elem.Leaves
		for i := t.Index.Lo; i <= t.Index.Hi; i++ {
			from, to := int(i-t.Index.Lo)*n, int(value(t.Index, i)-t.Index.Lo)*n
			copy(out[to:], permuted(t.Elem, l[from:from+n], perm))
		}
	case Multiset:
		n := 1 + t.Elem.Leaves
		for i := 0; i < len(l); i += n {
			copy(out[i+1:], permuted(t.Elem, l[i+1:i+n], perm))
		}
		sortSets(t, out)
	default:
		out[0] = value(t, l[0])
	}
	return out
}

func unionPart(t *Type, v int64) (*Type, int64) {
	if t.Kind != Union {
		return t, v
	}
	return t.Part(v)
}

// TestStatesOfRandomModels checks, on states with unions and nested multisets:
// permutations against the slow way, packing, sorting, and the descriptions of
// leaves.
func TestStatesOfRandomModels(t *testing.T) {
	moved := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		m := randomModel(r)
		p, packer := Compile(m), NewPacker(m)
		names := map[string]bool{}
		for i, l := range m.AllLeaves() {
			if names[l.Name] {
				t.Fatalf("two leaves called %s", l.Name)
			}
			names[l.Name] = true
			if (l.Type == PresentType) != (l.Slot == i) {
				t.Fatalf("leaf %d is in slot %d", i, l.Slot)
			}
		}
		for range 20 {
			s := randomState(r, m)
			perm := make(ScalarPerm, len(m.Scalarsets))
			for c, y := range m.Scalarsets { // those of slots must not count
				perm[c] = r.Perm(int(y.Card()))
			}
			if r.IntN(5) == 0 {
				perm[0] = nil
			}
			got, want := make(State, len(s)), make(State, len(s))
			p.ApplyPerm(perm, s, got)
			for _, v := range m.Vars {
				copy(want[v.Offset:], permuted(v.Type, s[v.Offset:v.Offset+v.Type.Leaves], perm))
			}
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: image of %v under %v is %v, want %v", seed, s, perm, got, want)
			}
			if !slices.Equal(got, s) {
				moved++
			}
			b := packer.Pack(nil, s)
			if packer.Unpack(b, got); len(b) != packer.Size() || !slices.Equal(got, s) {
				t.Fatalf("seed %d: %v unpacked is %v", seed, s, got)
			}
		}
	}
	if moved < 1000 {
		t.Errorf("only %d states moved", moved)
	}
}

// TestSlotNames pins the names of leaves in multisets and the bits they take.
func TestSlotNames(t *testing.T) {
	m := &Model{}
	P := newScalarset(m, "P", 2)
	inner := multisetType(m, 1, rangeType(0, 2))
	outer := multisetType(m, 2, recordType(Field{Name: "id", Type: P}, Field{Name: "bag", Type: inner}))
	m.Vars = newModel(stateVar("net", arrayType(P, outer))).Vars
	var names []string
	for _, l := range m.AllLeaves()[:8] {
		names = append(names, fmt.Sprint(l.Name, " ", l.Slot))
	}
	want := "present(net[P_1]{0}) 0, net[P_1]{0}.id 0, present(net[P_1]{0}.bag{0}) 2, net[P_1]{0}.bag{0} 2, " +
		"present(net[P_1]{1}) 4, net[P_1]{1}.id 4, present(net[P_1]{1}.bag{0}) 6, net[P_1]{1}.bag{0} 6"
	if got := strings.Join(names, ", "); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if n := NewPacker(m).Size(); n != 3 { // 4 times 1 + 2 + 1 + 2 bits
		t.Errorf("%d bytes", n)
	}
}

// TestCoverTraces replays and prints traces that hit covers: a state, a statement
// and a statement that an error follows; and one that may violate a liveness
// property.
func TestCoverTraces(t *testing.T) {
	x := stateVar("x", rangeType(0, 3))
	k := boundVar("k", x.Type)
	m := newModel(x)
	is := func(n int64) Expr { return bin(ref(x), Eq, num(n)) }
	state := addProp(m, &Property{Name: "three", Kind: Cover, Params: []*Param{param(k)}, Expr: bin(bin(ref(k), Eq, num(3)), And, bin(ref(x), Eq, ref(k)))})
	stmt := addProp(m, &Property{Name: "half way", Kind: Cover})
	live := addProp(m, &Property{Name: "back", Kind: Liveness, Params: []*Param{param(k)}, Expr: bin(ref(k), Ne, bin(ref(x), Add, num(1)))})
	m.Assumptions = []*Property{{Expr: bin(ref(x), Ne, num(2))}}
	addStart(m, set(ref(x), num(0)))
	addStart(m, set(ref(x), num(2)))
	addRule(m, "step", bin(ref(x), Lt, num(3)), &CoverStmt{Cond: is(1), Prop: stmt}, set(ref(x), bin(ref(x), Add, num(1))), when(is(2), set(ref(x), num(3))))
	addRule(m, "boom", nil, &CoverStmt{Cond: is(1), Prop: stmt}, set(ref(x), num(4)))
	p := Compile(m)
	mach := p.NewMachine()
	build := func(prop int, rules ...int) *Trace {
		tr := &Trace{Prop: prop, Violation: &Violation{Prop: prop, Message: "covered"}}
		tr.StartState, _ = mach.Start(Choice{})
		for _, r := range rules {
			fireNext(tr, t, mach, r)
		}
		return tr
	}
	for _, tc := range []struct {
		name string
		t    *Trace
		err  string
	}{
		{"state", build(state, 0, 0), ""},
		{"state not hit", build(state, 0), "three is not hit"},
		{"statement", build(stmt, 0, 0), ""},
		{"statement not hit", build(stmt, 0), "half way is not hit"},
		{"statement, then an error", build(stmt, 0, 1), ""},
		{"an error only", build(stmt, 1), "violates another property"},
		{"liveness", build(live, 0), ""},
		{"liveness holds", build(live, 0, 0), "back is not violated"},
		{"disabled start", &Trace{Start: Choice{Rule: 1}, StartState: State{2}, Prop: state}, `startstate "init" is disabled`},
	} {
		err := traces.Replay(p, tc.t)
		if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%s: %v", tc.name, err)
		}
		if tc.err != "" {
			continue
		}
		for style := traces.Plain; style <= traces.RumurStyle; style++ {
			var b strings.Builder
			if err := traces.Write(&b, m, tc.t, style); err != nil {
				t.Fatal(err)
			}
			u, err := traces.Read(p, "t", []byte(b.String()), false)
			if err != nil {
				t.Errorf("%s: %v\n%s", tc.name, err, b.String())
				continue
			}
			if err := traces.Replay(p, u); err != nil || u.Prop != tc.t.Prop || len(u.Steps) != len(tc.t.Steps) {
				t.Errorf("%s: reads as one of %d, %d steps: %v\n%s", tc.name, u.Prop, len(u.Steps), err, b.String())
			}
		}
	}
}

// TestLeftOut: a state whose only step leads to one that violates an assumption
// has no successor, but is not deadlocked, unlike one without steps.
func TestLeftOut(t *testing.T) {
	x := stateVar("x", rangeType(0, 3))
	m := newModel(x)
	addProp(m, &Property{Name: "deadlock", Kind: Deadlock})
	m.Assumptions = []*Property{{Expr: bin(ref(x), Ne, num(2))}}
	addRule(m, "step", bin(ref(x), Eq, num(1)), set(ref(x), num(2)))
	addRule(m, "assume", bin(ref(x), Eq, num(3)), set(ref(x), num(0)), &Assume{Cond: boolean(false)})
	for _, mode := range []DeadlockMode{Stuttering, Stuck} {
		m.Deadlock = mode
		mach := Compile(m).NewMachine()
		for k, dead := range []bool{true, false, true, true} {
			s, n := State{int64(k)}, 0
			mach.Successors(s, func(Choice, State, *Violation) bool { n++; return true })
			if n != 0 || mach.LeftOut() == dead || mach.Deadlocked(s) != dead {
				t.Errorf("%v, x = %d: %d successors, deadlocked is %v, want %v", mode, k, n, !dead, dead)
			}
		}
	}
}

// TestPackedSets permutes packed states with multisets, and packs permuted ones.
func TestPackedSets(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	m := newModel()
	p, e := newScalarset(m, "P", 4), enumType("E", "A", "B", "C")
	u := &Type{Kind: Union, Name: "U", Parts: []*Type{e, p}, Hi: 6, Leaves: 1}
	rec := recordType(Field{Name: "e", Type: e}, Field{Name: "u", Type: u}, Field{Name: "p", Type: p})
	full := newModel(stateVar("a", arrayType(p, multisetType(m, 3, rec))), stateVar("x", p), stateVar("b", multisetType(m, 5, u)))
	m.Vars, m.Props = full.Vars, full.Props
	prog, packer := Compile(m), NewPacker(m)
	sets := prog.NewPackedSets(packer)
	if sets == nil {
		t.Fatal("they cannot be sorted")
	}
	moved := 0
	for range 2000 {
		s := randomState(r, m)
		perm := make(ScalarPerm, len(m.Scalarsets))
		perm[0] = r.Perm(4)
		image := make(State, len(s))
		prog.ApplyPerm(perm, s, image)
		q, err := prog.NewPackedPerm(packer, perm)
		if err != nil {
			t.Fatal(err)
		}
		packed, got := packer.Pack(nil, s), make([]byte, packer.Size()+PackedPad)
		q.Apply(append(packed, make([]byte, PackedPad)...), got)
		if !slices.Equal(got[:packer.Size()], packer.Pack(nil, image)) {
			moved++
		}
		sets.Sort(got)
		if want := packer.Pack(nil, image); !slices.Equal(got[:packer.Size()], want) {
			t.Fatalf("%v of %v: %v, want %v", perm, s, got, want)
		}
	}
	if moved < 500 {
		t.Errorf("only %d states had to be sorted", moved)
	}
	if nested := randomModel(r); Compile(nested).NewPackedSets(NewPacker(nested)) != nil {
		t.Error("a multiset in an element of another is no reason")
	}
}
