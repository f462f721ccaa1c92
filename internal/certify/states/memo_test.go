package states

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/model/reference"
)

// collected is a closure that takes any state that it is asked for as a member.
type collected struct{ states [][]byte }

func (c *collected) Len() int64            { return int64(len(c.states)) }
func (c *collected) Member(i int64) []byte { return c.states[i] }
func (c *collected) add(s []byte) (i int64) {
	c.states = append(c.states, bytes.Clone(s))
	return c.Len() - 1
}
func (c *collected) Guess(s []byte) (int64, model.ScalarPerm, bool) {
	return c.add(s), nil, true
}

// memoCase compares a memo with the compiled interpreter on the first states of a model.
// It returns how they differ, and how many steps the memo looked up and found.
func memoCase(t *testing.T, m *model.Model, most int, change func(o *memo)) (differs string, looked, walked int64) {
	t.Helper()
	p := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m)}}
	k := newClosureCheck(p)
	if k.memo == nil {
		return "", 0, 0 // a leaf has too many values
	}
	o := k.memo
	if change != nil {
		change(o)
	}
	packer, mach := model.NewPacker(m), p.Program.NewMachine()
	want := &collected{}
	seen := map[string]bool{}
	var queue [][]byte
	visit := func(s model.State) {
		b := packer.Pack(nil, s)
		want.add(b)
		if !seen[string(b)] && len(queue) < most {
			seen[string(b)] = true
			queue = append(queue, b)
		}
	}
	shown := make([]bool, len(m.Props))
	violated := func(v *model.Violation) {
		for _, v := range v.Each() {
			shown[v.Prop] = true
		}
	}
	note := func(v *model.Violation) {
		violated(v)
		for _, q := range m.Props {
			if q.Kind == model.Cover && q.Expr == nil && mach.Hit(q.Index) {
				shown[q.Index] = true
			}
		}
	}
	mach.Starts(func(_ model.Choice, s model.State, v *model.Violation) bool {
		if note(v); v == nil {
			visit(s)
		}
		return true
	})
	check := func(what string, got *collected) string {
		switch {
		case !slices.EqualFunc(got.states, want.states, bytes.Equal):
			return fmt.Sprintf("%s: %d steps of the memo, %d of the interpreter, or others", what, len(got.states), len(want.states))
		case !slices.Equal(k.shown, shown):
			return fmt.Sprintf("%s: the memo shows %v, the interpreter %v", what, k.shown, shown)
		}
		return ""
	}
	got := &collected{}
	k.see(got)
	k.guess = got.Guess
	if err := k.starts(); err != nil {
		t.Fatal(err)
	}
	if differs = check("start states", got); differs != "" {
		return differs, 0, 0
	}
	s := make(model.State, m.Leaves())
	for i := 0; i < len(queue); i++ {
		want.states = nil
		clear(shown)
		clear(k.shown)
		packer.Unpack(queue[i], s)
		for _, q := range m.Props {
			switch q.Kind {
			case model.Invariant:
				violated(mach.Violated(s, q.Index))
			case model.Cover:
				if q.Expr != nil {
					ok, v := mach.Holds(s, q.Index, nil)
					shown[q.Index] = shown[q.Index] || ok && v == nil
					violated(v)
				}
			}
		}
		mach.Successors(s, func(_ model.Choice, next model.State, v *model.Violation) bool {
			if v == nil || !v.InGuard {
				note(v) // covers that an erring guard hit before are not told
			} else {
				violated(v)
			}
			if v == nil && len(mach.Changed()) > 0 {
				visit(slices.Clone(next))
			}
			return true
		})
		if dead := m.DeadlockProp(); dead != nil && mach.Deadlocked(s) {
			shown[dead.Index] = true
		}
		got := &collected{states: [][]byte{queue[i]}}
		k.see(got)
		k.guess = got.Guess
		if !o.pays() {
			o.empty()
		}
		if ok, err := o.look(0, nil); err != nil || !ok {
			t.Fatal(ok, err)
		}
		got.states = got.states[1:]
		if differs = check(fmt.Sprint("state ", i), got); differs != "" {
			break
		}
	}
	return differs, o.looked, o.walked
}

// TestMemo compares memos with the compiled interpreter on all our models.
func TestMemo(t *testing.T) {
	var paths []string
	for _, dir := range []string{"murphi", "semantics"} {
		more, err := filepath.Glob("../../../benchmarks/" + dir + "/*.m")
		if err != nil || len(more) == 0 {
			t.Fatal(len(more), err)
		}
		paths = append(paths, more...)
	}
	var looked, walked int64
	models := 0
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []model.Dialect{model.CMurphi, model.Rumur} {
			m, err := murphi.Parse(path, src, murphi.Options{Dialect: d})
			if err != nil || model.Compile(m).NumInstances().Int64() > 1000 {
				continue
			}
			models++
			differs, l, w := memoCase(t, m, 300, nil)
			if differs != "" {
				t.Errorf("%s, %v: %s", path, d, differs)
			}
			looked, walked = looked+l, walked+w
		}
	}
	t.Logf("%d models; %d of %d steps were walked", models, walked, looked)
	if models < 150 || looked < 4*walked || walked == 0 {
		t.Errorf("%d models; %d of %d steps were walked", models, walked, looked)
	}
}

// TestMemoEmptied: one that is emptied again and again says the same. Nodes with one, several and many edges
// occur.
func TestMemoEmptied(t *testing.T) {
	m, err := murphi.Parse("m.m", []byte(`
var x: 0..15; y, w: 0..12; z: array[0..15] of boolean;
startstate begin x := 0; y := 0; w := 0; for i: 0..15 do z[i] := false; end; end;
rule "x" x < 15 ==> begin if z[x] then x := x + 1; else z[x] := true; end; end;
rule "y" y < 12 & x > 2 ==> begin y := y + 1; end;
rule "w" w < y ==> begin w := w + 1; end;
rule "back" y = 12 ==> begin y := 0; end;
invariant "z" forall i: 0..15 do z[i] -> i <= x end;
`), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows, emptied := false, 0
	for _, most := range []int{1 << 30, 1 << 13} {
		differs, _, _ := memoCase(t, m, 3000, func(o *memo) {
			o.most = most
			fire := o.fire
			o.fire = func(s model.State, r *model.Rule, params []int64) reference.Walked {
				rows = rows || len(o.edges.list) > 0 && len(o.edges.rows) > 0
				if o.walked == 1 {
					emptied++
				}
				return fire(s, r, params)
			}
		})
		if differs != "" {
			t.Errorf("%d bytes: %s", most, differs)
		}
	}
	if !rows || emptied < 10 {
		t.Errorf("emptied %d times, rows %v", emptied, rows)
	}
}

// TestMemoNeedsAllReads: were one leaf that an instance reads forgotten, it would be
// taken to do what it did where the leaf had another value.
func TestMemoNeedsAllReads(t *testing.T) {
	m, err := murphi.Parse("m.m", []byte(`
var x, y: 0..3; flag: boolean;
startstate begin x := 0; y := 0; flag := false; end;
rule "x" x < 3 ==> begin x := x + 1; end;
rule "y" true ==> begin if x = 2 then y := 3; else flag := !flag; end; end;
`), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	forget := func(o *memo) {
		fire := o.fire
		o.fire = func(s model.State, r *model.Rule, params []int64) reference.Walked {
			w := fire(s, r, params)
			w.Reads = slices.DeleteFunc(slices.Clone(w.Reads), func(leaf int) bool { return leaf == 0 })
			return w
		}
	}
	if differs, _, _ := memoCase(t, m, 100, nil); differs != "" {
		t.Error(differs)
	}
	if differs, _, _ := memoCase(t, m, 100, forget); differs == "" {
		t.Error("a leaf that was forgotten does not show")
	}
}

// TestMemoTells: were a leaf that is compared once more, with another value, taken to be told by the first comparison,
// an instance would be taken to do what it did where it had another value. So it would if a leaf without a value were
// taken to be one that differs.
func TestMemoTells(t *testing.T) {
	m, err := murphi.Parse("m.m", []byte(`
var x, y: 0..3; z: 0..1;
startstate begin x := 0; y := 0; z := 0; end;
rule "x" x < 3 ==> begin x := x + 1; end;
rule "none" true ==> begin undefine x; end;
rule "y" true ==> begin if isundefined(x) then y := 3; elsif x = 1 then y := 1; elsif x = 2 then y := 2; else y := 0; end; end;
rule "z" true ==> begin if x = 1 then z := 1 - z; end; end;
`), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for what, tell := range map[string]func(o *memo, w *reference.Walked){
		"all": func(*memo, *reference.Walked) {},
		"one comparison of each leaf": func(_ *memo, w *reference.Walked) {
			for len(w.Tests) > 0 && len(w.Reads) > w.Tests[0].At+1 {
				w.Reads = w.Reads[:len(w.Reads)-1]
			}
		},
		"another value": func(_ *memo, w *reference.Walked) {
			w.Tests = slices.Clone(w.Tests)
			for i := range w.Tests {
				w.Tests[i].Than = 3
			}
		},
		"not that it is undefined": func(o *memo, w *reference.Walked) {
			for i := range o.code {
				if o.code[i] == 0 {
					o.code[i] = 4
				}
			}
		},
	} {
		wrong := func(o *memo) {
			fire := o.fire
			o.fire = func(s model.State, r *model.Rule, params []int64) reference.Walked {
				w := fire(s, r, params)
				tell(o, &w)
				return w
			}
		}
		if differs, _, _ := memoCase(t, m, 100, wrong); (differs == "") != (what == "all") {
			t.Errorf("%s: %q", what, differs)
		}
	}
}

// TestMemoPermutes compares the images of packed states with those that the interpreter
// makes.
func TestMemoPermutes(t *testing.T) {
	moved := 0
	for _, name := range []string{"msi_net", "mesi_net", "flash", "german"} {
		path := "../../../benchmarks/murphi/" + name + ".m"
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, err := murphi.Parse(path, src, murphi.Options{Consts: map[string]string{"NODE_NUM": "3"}})
		if err != nil {
			t.Fatal(err)
		}
		p := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m)}}
		k := newClosureCheck(p)
		r := rand.New(rand.NewPCG(1, 1))
		mach := p.Program.NewMachine()
		var s model.State
		mach.Starts(func(_ model.Choice, start model.State, _ *model.Violation) bool {
			s = slices.Clone(start)
			return false
		})
		for range 500 {
			perm := make(model.ScalarPerm, len(m.Scalarsets))
			for class, t := range m.Scalarsets {
				if !t.Slots {
					perm[class] = r.Perm(int(t.Card()))
				}
			}
			image := make(model.State, len(s))
			p.Program.ApplyPerm(perm, s, image)
			packed := append(k.packer.Pack(nil, s), make([]byte, model.PackedPad)...)
			got := make([]byte, len(packed))
			k.prepare(perm).apply(packed, got)
			k.sort(got, k.allBags)
			want := k.packer.Pack(nil, image)
			if !bytes.Equal(got[:len(want)], want) {
				t.Fatalf("%s: %v of %v: %v, want %v", name, perm, s, got, want)
			}
			for by := (&closurePerm{perm: perm}); by.uses <= someUses; { // unpacked, and then as above
				if !k.maps(by, packed, want) {
					t.Fatalf("%s: %v does not map %v to its image", name, perm, s)
				}
			}
			if !slices.Equal(s, image) {
				moved++
			}
			var next []model.State
			mach.Successors(s, func(_ model.Choice, to model.State, _ *model.Violation) bool {
				if to != nil {
					next = append(next, slices.Clone(to))
				}
				return true
			})
			s = next[r.IntN(len(next))]
		}
	}
	if moved < 1000 {
		t.Errorf("only %d states moved", moved)
	}
}

// TestMemoGivenUp: the compiled interpreter goes on where a memo does not pay, and sees
// the same.
func TestMemoGivenUp(t *testing.T) {
	src, err := os.ReadFile("../../../benchmarks/murphi/msi_net.m")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*mc.Problem{problemOf(t, "msi_net.m", string(src)), problemOf(t, "looping.m", `
type num: 0..5;
var a: array[num] of num;
startstate for i: num do a[i] := i; end; end;
ruleset i: num do
  rule "move" i > 0 ==>
    var j: num; v: num;
  begin
    j := i; v := a[i];
    while j > 0 & a[j - (j > 0 ? 1 : 0)] != v + (v < 5 ? 1 : 0) do
      a[j] := a[j - 1]; j := j - 1;
    end;
    a[j] := v;
  end;
end;
invariant "first" a[0] != 4;
`), problemOf(t, "plain.m", `
type num: 0..19;
var a: array[num] of num;
startstate for i: num do a[i] := i; end; end;
ruleset i: num; j: num do
  rule "copy" i < 2 ==> begin a[i] := a[j]; end;
end;
invariant "first" a[0] != 3;
`)} {
		steps := func(change func(o *memo)) (all [][]byte, shown []bool, kept bool) {
			k := newClosureCheck(p)
			all = stepsOf(t, k, func() { change(k.memo) })
			return all, k.shown, k.memo != nil
		}
		want, shown, kept := steps(func(*memo) {})
		got, same, gone := steps(func(o *memo) { o.answered = 1 << 40 })
		if !kept || gone || len(want) < 400 || !slices.EqualFunc(want, got, bytes.Equal) || !slices.Equal(shown, same) {
			t.Errorf("%v, %v: %d and %d steps, shown %v and %v", kept, gone, len(want), len(got), shown, same)
		}
	}
}

func problemOf(t *testing.T, name, text string) *mc.Problem {
	t.Helper()
	m, err := murphi.Parse(name, []byte(text), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m)}}
}

// stepsOf returns the steps that a check sees from the start states on, in the order in which it
// sees them. Before the member 50 is looked at, it makes a change.
func stepsOf(t *testing.T, k *closureCheck, change func()) (all [][]byte) {
	t.Helper()
	index := map[string]int64{}
	var states [][]byte
	k.see(memberOf(func(i int64) []byte { return states[i] }))
	k.guess = func(s []byte) (int64, model.ScalarPerm, bool) {
		all = append(all, bytes.Clone(s))
		i, ok := index[string(s)]
		if !ok {
			i = int64(len(states))
			index[string(s)] = i
			states = append(states, bytes.Clone(s))
		}
		return i, nil, true
	}
	if err := k.interpretStarts(); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(states); i++ {
		if i == 50 {
			change()
		}
		if err := k.members(int64(i), 1, nil); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

type memberOf func(i int64) []byte

func (m memberOf) Member(i int64) []byte { return m(i) }

// TestSuccessor: what the machine says that a step changes is packed, and soon found out where it is not so.
func TestSuccessor(t *testing.T) {
	m, err := murphi.Parse("m.m", []byte(`
var a, b: 0..100; wide: -1000000000000000000..1000000000000000000;
startstate begin a := 0; b := 0; wide := 0; end;
rule "step" true ==> begin a := (a + 1) % 100; wide := wide + 1; end;
rule "other" true ==> begin b := 1 - b % 2; end;
`), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	k := newClosureCheck(&mc.Problem{OfModel: mc.OfModel{Model: m, Program: model.Compile(m)}})
	from := model.State{1, 2, 3}
	b := k.packer.Pack(nil, from)
	for _, c := range []struct {
		to      model.State
		changed []int
		wrong   bool
	}{
		{model.State{5, 2, 3}, []int{0}, false},
		{model.State{5, 7, 3}, []int{0, 1}, false},
		{model.State{5, 7, 9}, []int{0, 1, 2}, false},
		{model.State{5, 7, 3}, []int{0}, true},
		{model.State{5, 7, 3}, nil, true},
	} {
		var err error
		for range wholly {
			if err = k.successor(b, c.to, c.changed); err != nil {
				break
			}
			if got, want := k.packed[:len(b)], k.packer.Pack(nil, c.to); !c.wrong && !bytes.Equal(got, want) {
				t.Errorf("%v: %v, want %v", c.to, got, want)
			}
		}
		if (err != nil) != c.wrong {
			t.Errorf("%v, said to change %v: %v", c.to, c.changed, err)
		}
	}
}
