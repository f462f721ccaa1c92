package explicit_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/explicit"
	"orbitmc/model"
	"orbitmc/model/traces"
)

func parse(t testing.TB, src string, opt murphi.Options) *model.Program {
	t.Helper()
	m, err := murphi.Parse("test.m", []byte(src), opt)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return model.Compile(m)
}

// all returns one block with all values for each class.
func all(m *model.Model) (blocks [][][]int) {
	for _, t := range m.Scalarsets {
		var b []int
		for v := range t.Card() {
			b = append(b, int(v))
		}
		blocks = append(blocks, [][]int{b})
	}
	return blocks
}

// randomModel returns the text of a random model that is symmetric in P: an
// error or a false invariant of an instance does not depend on the numbering.
func randomModel(r *rand.Rand) string {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	num := func() string { return fmt.Sprint(r.IntN(3)) }
	atom := func(total bool) string { // total: never errs, in either dialect
		as := []string{"a[p] = " + num(), "a[p] != a[q]", "a[q] < 2", "n = " + num(), "isundefined(g)", "isundefined(b[p])", "p = q", "n > a[p]"}
		if !total {
			as = append(as, "h[p]", "!h[q]", "n + a[q] < 3", "a[b[p]] = 1", "g = p", "b[p] = q", "b[q] != b[p]")
		}
		return pick(as...)
	}
	action := func() string {
		return pick("a[p] := "+num(), "a[q] := a[p]", "b[p] := q", "g := p", "g := b[q]", "undefine g", "undefine b[p]",
			"n := (n + 1) % 3", "n := a[p]", "h[p] := true", "h[q] := a[p] = 1", "for r: P do a[r] := n; end",
			"for r: P do if b[r] = p then a[r] := 2; end; end", "a[p] := a[p] + 1", "if isundefined(b[p]) then b[p] := p; else n := 0; end",
			`assert (a[p] != 2 | n != 2) "small"`, `if a[p] = 2 & a[q] = 2 & g = q then error "boom"; end`)
	}
	var w strings.Builder
	w.WriteString("type P: scalarset(3);\nvar a: array[P] of 0..2; b: array[P] of P; h: array[P] of boolean; g: P; n: 0..2;\n")
	if r.IntN(2) == 0 {
		w.WriteString("startstate \"s\" begin for r: P do a[r] := 0; end; n := 0; end;\n")
	} else {
		w.WriteString("ruleset p: P; q: P do startstate \"s\" begin for r: P do a[r] := 1; h[r] := r = p; end; b[p] := q; a[q] := 0; n := 1;")
		if r.IntN(4) == 0 {
			w.WriteString(" if p = q then a[p] := a[p] - 1; end;")
		}
		w.WriteString("end; end;\n")
	}
	for i := range 2 + r.IntN(3) {
		fmt.Fprintf(&w, "ruleset p: P; q: P do rule \"r%d\" %s", i, atom(r.IntN(2) == 0))
		for range r.IntN(3) {
			w.WriteString(" & " + atom(r.IntN(2) == 0))
		}
		w.WriteString(" ==> begin ")
		for range 1 + r.IntN(3) {
			w.WriteString(action() + "; ")
		}
		w.WriteString("end; end;\n")
	}
	for i := range r.IntN(3) {
		fmt.Fprintf(&w, "invariant \"i%d\" forall p: P do forall q: P do %s | %s end end;\n", i, atom(true), atom(true))
	}
	return w.String()
}

// truth is what a plain search over a map finds.
type truth struct {
	states, orbits, fired, depth int
	violated                     map[int]int // least depth by property
}

func enumerate(p *model.Program) truth {
	m := p.Model
	mach := p.NewMachine()
	tr := truth{violated: map[int]int{}}
	violate := func(prop, depth int) {
		if d, ok := tr.violated[prop]; !ok || depth < d {
			tr.violated[prop] = depth
		}
	}
	var perms []model.ScalarPerm
	for _, q := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		perms = append(perms, model.ScalarPerm{q})
	}
	seen, orbits := map[string]bool{}, map[string]bool{}
	var level, next []model.State
	add := func(s model.State, depth int) {
		if seen[fmt.Sprint(s)] {
			return
		}
		seen[fmt.Sprint(s)] = true
		next = append(next, slices.Clone(s))
		least, img := fmt.Sprint(s), make(model.State, len(s))
		for _, sp := range perms {
			p.ApplyPerm(sp, s, img)
			least = min(least, fmt.Sprint(img))
		}
		orbits[least] = true
		for i, prop := range m.Props {
			if prop.Kind == model.Invariant {
				if v := mach.Violated(s, i); v != nil {
					violate(v.Prop, depth)
				}
			}
		}
	}
	mach.Starts(func(_ model.Choice, s model.State, v *model.Violation) bool {
		if v != nil {
			violate(v.Prop, 0)
		} else {
			add(s, 0)
		}
		return true
	})
	for depth := 0; len(next) > 0; depth++ {
		tr.depth = depth
		level, next = next, nil
		for _, s := range level {
			if d := m.DeadlockProp(); d != nil && mach.Deadlocked(s) {
				violate(d.Index, depth)
			}
			mach.Successors(s, func(_ model.Choice, to model.State, v *model.Violation) bool {
				switch {
				case v == nil:
					tr.fired++
					add(to, depth+1)
				case v.InGuard && m.Dialect == model.CMurphi:
					violate(v.Prop, depth)
				case v.InGuard:
					violate(v.Prop, depth+1)
				default:
					tr.fired++
					violate(v.Prop, depth+1)
				}
				return true
			})
		}
	}
	tr.states, tr.orbits = len(seen), len(orbits)
	return tr
}

// TestAgainstEnumeration compares searches of random models with a plain one:
// states, orbits, depths of all violations, with traces that replay.
func TestAgainstEnumeration(t *testing.T) {
	violations, proved := 0, 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 11))
		src := randomModel(r)
		p := parse(t, src, murphi.Options{Dialect: model.Dialect(r.IntN(2)), Deadlock: model.DeadlockMode(r.IntN(3))})
		m := p.Model
		want := enumerate(p)
		if want.states > 20000 {
			continue
		}
		first := 1 << 30
		for _, d := range want.violated {
			first = min(first, d)
		}
		for canon := explicit.None; canon <= explicit.Exact; canon++ {
			for _, goOn := range []bool{false, true} {
				res, err := explicit.Run(context.Background(), p, explicit.Options{Canon: canon, Blocks: all(m), All: goOn})
				if err != nil {
					t.Fatalf("seed %d: %v: %v\n%s", seed, canon, err, src)
				}
				bad := func(format string, args ...any) {
					t.Fatalf("seed %d: %v, all %v: %s\n%+v\nwant %+v\n%s", seed, canon, goOn, fmt.Sprintf(format, args...), res, want, src)
				}
				found := map[int]int{}
				for _, f := range res.Violations {
					found[f.Prop] = f.Depth
					if err := traces.Replay(p, f.Trace); err != nil {
						bad("%v", err)
					}
					if d := f.Trace.Depth(m); d != f.Depth || f.Trace.Violation.Prop != f.Prop {
						bad("trace of property %d has depth %d and violation %+v", f.Prop, d, f.Trace.Violation)
					}
				}
				for i, prop := range m.Props {
					d, violated := want.violated[i]
					if !goOn && d > first {
						violated = false
					}
					if got, ok := found[i]; ok != violated || ok && got != d {
						bad("property %s", prop.Name)
					}
					if violated {
						violations++
					} else {
						proved++
					}
				}
				if len(want.violated) == 0 && !res.Complete {
					bad("not complete")
				}
				if res.Complete != (res.Reason == "") || !goOn && !res.Complete && res.Depth != first {
					bad("did not stop at the first violation")
				}
				if !goOn && res.Complete && first <= want.depth {
					bad("did not stop")
				}
				if !res.Complete {
					continue
				}
				states := want.states
				if canon == explicit.Exact {
					states = want.orbits
				}
				if canon.Several() && (res.States < int64(want.orbits) || res.States > int64(want.states)) || !canon.Several() && res.States != int64(states) {
					bad("%d states", res.States)
				}
				if res.Depth != want.depth && !canon.Several() || res.Depth < want.depth || canon == explicit.None && res.Fired != int64(want.fired) {
					bad("depth or fired")
				}
			}
		}
	}
	if violations < 500 || proved < 500 {
		t.Errorf("only %d violations and %d properties without", violations, proved)
	}
}

const counter = `var x: 0..99; y: 0..99;
startstate begin x := 0; y := 0; end;
rule "x" x < 99 ==> begin x := x + 1; end;
rule "y" y < 99 ==> begin y := y + 1; end;
rule "back" true ==> begin x := 0; end;
invariant "sum" x + y < 50;
invariant "x" x < 60;
invariant "any" true;`

func TestLimits(t *testing.T) {
	p := parse(t, counter, murphi.Options{})
	run := func(ctx context.Context, opt explicit.Options) *explicit.Result {
		t.Helper()
		res, err := explicit.Run(ctx, p, opt)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	bg := context.Background()
	if res := run(bg, explicit.Options{All: true}); !res.Complete || res.States != 10000 || res.Depth != 198 || len(res.Violations) != 2 {
		t.Errorf("%+v", res)
	}
	// The property that is violated first is not looked at.
	if res := run(bg, explicit.Options{Props: []int{1}}); res.Complete || res.Depth != 60 || len(res.Violations) != 1 || res.Violations[0].Prop != 1 {
		t.Errorf("%+v", res)
	}
	if res := run(bg, explicit.Options{Props: []int{2}}); !res.Complete || len(res.Violations) != 0 {
		t.Errorf("%+v", res)
	}
	// All stops when nothing is left to find.
	if res := run(bg, explicit.Options{All: true, Props: []int{0, 1}}); res.Complete || res.Depth != 60 || len(res.Violations) != 2 {
		t.Errorf("%+v", res)
	}
	// A bound: violations up to it are found, others are not.
	for bound, want := range map[int]int{0: 0, 49: 0, 50: 1, 59: 1, 60: 2, 70: 2} {
		res := run(bg, explicit.Options{All: true, Bounded: true, MaxDepth: bound, Props: []int{0, 1, 2}})
		if res.Complete || res.Depth != bound || len(res.Violations) != want || res.Reason != "depth bound" {
			t.Errorf("bound %d: %+v", bound, res)
		}
	}
	boom := parse(t, `var x: 0..9; startstate begin x := 0; end; rule true ==> begin x := x + 1; if x = 3 then error "three"; end; end; rule x > 0 ==> begin x := 0; end;`, murphi.Options{})
	for bound, want := range map[int]int{2: 0, 3: 1, 4: 1} {
		res, err := explicit.Run(bg, boom, explicit.Options{Bounded: true, MaxDepth: bound})
		if err != nil || len(res.Violations) != want {
			t.Errorf("bound %d: %+v, %v", bound, res, err)
		}
	}
	if _, err := explicit.Run(bg, p, explicit.Options{Props: []int{9}}); err == nil {
		t.Error("property 9 accepted")
	}
	ctx, cancel := context.WithCancel(bg)
	cancel()
	if res := run(ctx, explicit.Options{}); res.Complete || res.Depth != -1 || string(res.Reason) != context.Canceled.Error() {
		t.Errorf("%+v", res)
	}
	// Cancelled on the way: what is said about the depth must hold.
	ctx, cancel = context.WithCancel(bg)
	var seen []explicit.Stats
	wide := parse(t, `var a: array[0..11] of 0..3; startstate begin for i: 0..11 do a[i] := 0; end; end;
		ruleset i: 0..11 do rule a[i] < 3 ==> begin a[i] := a[i] + 1; end; end; invariant "corner" exists i: 0..11 do a[i] < 3 end;`, murphi.Options{})
	res, err := explicit.Run(ctx, wide, explicit.Options{Progress: func(s explicit.Stats) {
		if seen = append(seen, s); s.States > 100_000 {
			cancel()
		}
	}})
	if err != nil || res.Complete || res.Reason == "" || len(seen) < 2 || len(res.Violations) != 0 {
		t.Fatalf("%+v, %v, %d progress calls", res, err, len(seen))
	}
	// A memory limit: levels up to Depth are complete.
	const limit = 4 << 20
	res, err = explicit.Run(bg, wide, explicit.Options{MemLimit: limit})
	if err != nil || res.Complete || res.Reason != "out of memory" || res.Memory > limit || res.States < 50_000 {
		t.Fatalf("%+v, %v", res, err)
	}
	upto := 0 // states with sum at most Depth + 1 have been found
	for d := range res.Depth + 2 {
		upto += compositions(12, 3, d)
	}
	if int64(upto) > res.States || int64(upto+compositions(12, 3, res.Depth+2)) <= res.States {
		t.Errorf("depth %d with %d states, %d expected up to there", res.Depth, res.States, upto)
	}
}

// TestLeastDepth: the run-time error of a body, met first, is one step deeper
// than that of a guard in a later state of the same level; and an invariant that
// is not looked at still errs.
func TestLeastDepth(t *testing.T) {
	const src = `var x: 0..3; y: 0..3; z: 0..3;
startstate begin x := 0; y := 0; end;
rule "first" x = 0 & y = 0 ==> begin x := 1; end;
rule "second" x = 0 & y = 0 ==> begin y := 1; end;
rule "body" x = 1 ==> begin x := z; end;
rule "guard" y = 1 & z = 0 ==> begin end;
rule "loop" x != 1 | y != 1 ==> begin x := 3 - x; end;
invariant "z" y < 2 | z = 0;`
	for d, want := range map[model.Dialect]int{model.CMurphi: 1, model.Rumur: 2} {
		p := parse(t, strings.Replace(src, "x := z", "x := z + 0", 1), murphi.Options{Dialect: d})
		for _, goOn := range []bool{false, true} {
			res, err := explicit.Run(context.Background(), p, explicit.Options{All: goOn})
			if err != nil || len(res.Violations) != 1 || res.Violations[0].Depth != want {
				t.Errorf("%v, all %v: %+v, %v, want depth %d", d, goOn, res, err, want)
			}
		}
	}
	p := parse(t, `var x: 0..3; z: 0..3; startstate begin x := 0; end; rule true ==> begin x := (x + 1) % 4; end; invariant "z" x < 2 | z = 0;`, murphi.Options{})
	res, err := explicit.Run(context.Background(), p, explicit.Options{Props: []int{p.Model.Runtime().Index}})
	if err != nil || len(res.Violations) != 1 || res.Violations[0].Depth != 2 {
		t.Errorf("%+v, %v", res, err)
	}
}

// compositions counts the vectors of n numbers 0..k with this sum.
func compositions(n, k, sum int) int {
	if n == 0 {
		if sum == 0 {
			return 1
		}
		return 0
	}
	c := 0
	for i := 0; i <= min(k, sum); i++ {
		c += compositions(n-1, k, sum-i)
	}
	return c
}

// TestFalseSymmetry gives blocks that are not interchangeable: a violation that
// is found must be reported with a real trace, or Run must say that the symmetry
// does not hold.
func TestFalseSymmetry(t *testing.T) {
	const src = `type P: scalarset(3); var a: array[P] of 0..3; g: 0..3;
startstate begin g := 0; for i: P do a[i] := g; g := g + 1; end; end;
ruleset i: P do rule "up" a[i] = 0 ==> begin a[i] := 3; end; end;
ruleset i: P do rule "down" a[i] = 3 ==> begin for j: P do if a[j] = 1 then g := 0; end; a[j] := 2; end; a[i] := 1; end; end;
invariant "g" g != 0;`
	m, err := murphi.Parse("test.m", []byte(src), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := model.Compile(m)
	plain, err := explicit.Run(context.Background(), p, explicit.Options{})
	if err != nil || len(plain.Violations) == 0 {
		t.Fatalf("%+v, %v", plain, err)
	}
	res, err := explicit.Run(context.Background(), p, explicit.Options{Canon: explicit.Exact, Blocks: all(m)})
	if err == nil {
		for _, f := range res.Violations {
			if err := traces.Replay(p, f.Trace); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestTracesOfSorted finds traces along states whose orbits Sorted gives several
// representatives: the successor of a state and that of its image may have
// different ones.
func TestTracesOfSorted(t *testing.T) {
	p := parse(t, `type A: scalarset(4); B: scalarset(3);
var v: array[B] of boolean; w: array[B] of A;
startstate begin for i: B do v[i] := true; end; end;
ruleset i: B; x: A do rule v[i] := false; w[i] := x; end; end;
invariant "never" !(exists j: B do exists i: B do i != j & v[i] = false & v[j] = false end end);`, murphi.Options{})
	for c := explicit.None; c <= explicit.Exact; c++ {
		res, err := explicit.Run(context.Background(), p, explicit.Options{Canon: c, All: true, Blocks: [][][]int{{{0, 1, 2, 3}}, {{0, 1}}}})
		if err != nil {
			t.Fatalf("canon %v: %v", c, err)
		}
		if f := res.Violations[0]; f.Prop != 0 || f.Depth != 2 || f.Trace.Depth(p.Model) != 2 {
			t.Errorf("canon %v: %+v, want depth 2", c, f)
		}
	}
}

func TestParseCanon(t *testing.T) {
	for _, c := range []explicit.Canon{explicit.None, explicit.Sorted, explicit.Star, explicit.Exact} {
		if got, err := explicit.ParseCanon(c.String()); got != c || err != nil {
			t.Errorf("%v: %v, %v", c, got, err)
		}
	}
	if _, err := explicit.ParseCanon("best"); err == nil {
		t.Error("best was accepted")
	}
}
