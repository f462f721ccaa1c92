package encode_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"orbitmc/aig"
	"orbitmc/detect/declared"
	"orbitmc/detect/verify"
	"orbitmc/encode"
	"orbitmc/encode/cnf"
	"orbitmc/encode/murphi"
	"orbitmc/internal/testkit/tstest"
	"orbitmc/model"
	"orbitmc/sat/gini"
	"orbitmc/ts"
)

// TestWholeLanguage compares models by hand: of each construct what random models
// seldom do.
func TestWholeLanguage(t *testing.T) {
	for name, src := range map[string]string{
		"returns in loops, branches and switches": `
			var a: array [0..3] of 0..3; x: 0..3;
			function find(v: 0..3): 0..3; begin for i: 0..3 do switch a[i] case 0: if v = 0 then return i; end; case 1, 2: if a[i] = v then x := v; return i; end; else return 3; end; end; error "none"; end;
			procedure stop(v: 0..3); begin if v = 0 then return; end; while true do x := v; if v < 3 then return; end; a[0] := 0; return; end; end;
			startstate begin for i: 0..3 do a[i] := i; end; x := 0; end;
			ruleset i: 0..3; j: 0..3 do rule begin a[i] := j; end; rule begin x := find(j); end; rule begin stop(i); a[j] := find(find(i)); end; end;
			rule begin if x = 1 then return; end; x := 1; end;`,
		"recursion, mutual through arguments, to the error": `
			var x: 0..5; n: 0..3;
			function sum(k: 0..5): 0..15; begin if k = 0 then return 0; end; return k + sum(k - 1); end;
			procedure forever(k: 0..5); begin x := k; forever((k + 1) % 6); end;
			procedure down(var k: 0..5); begin if k > 0 then k := k - 1; down(k); n := (n + 1) % 4; end; end;
			startstate begin x := 5; n := 0; end;
			ruleset i: 0..5 do rule sum(i) < 10 ==> begin x := i; end; end; rule x = 2 ==> begin forever(0); end; rule begin down(x); end; rule begin x := sum(sum(2)); end; rule n := sum(x) % 4; end;`,
		"functions that change locals of the caller, and read variables that others set": `
			var x: 0..3; y: 0..3; z: 0..3;
			function inc(var k: 0..3): 0..3; begin k := (k + 1) % 4; return k; end;
			function low(k: 0..3): boolean; begin return z <= k; end;
			startstate begin x := 0; y := 0; z := 0; end;
			ruleset i: 0..3 do rule var l: 0..3; begin l := i; x := inc(l); y := l; end; end;
			rule var l: 0..3; begin l := 1; y := inc(l) + inc(l) - 2; x := l; end; rule var l: 0..3; begin l := 1; x := inc(l); y := l; end; rule low(2) ==> begin z := inc(x); end;
			rule begin if low(2) then z := 3; end; if low(2) then y := 0; end; end; rule begin undefine z; end; invariant low(2) | x < 3;`,
		"references are fixed when they are made": `
			type R: record p: 0..2; q: 0..2; end;
			var a: array [0..2] of R; i: 0..2; b: boolean;
			procedure both(var u: 0..2; var v: 0..2); begin u := v; i := 1; v := 2 - u; u := i; end;
			startstate begin for k: 0..2 do a[k].p := k; a[k].q := 0; end; i := 0; b := false; end;
			rule begin alias c: a[i] do i := 2; c.p := 1; i := c.q; end; end;
			rule begin both(a[i].p, a[(i + 1) % 3].q); end; rule begin both(a[i].p, a[i].p); end; rule begin both(i, a[i].p); end;
			ruleset k: 0..2 do rule begin alias c: a[k].p; d: a[c].q do d := c; end; end; alias e: a[i + 1] do rule e.p = k ==> begin i := k; e.q := 2; end; end; rule begin a[k] := a[i]; undefine a[i].q; end; rule begin i := k; end; end;
			rule begin alias s: i + 1; do i := 0; if s = 2 then b := !b; end; end; end;`,
		"clear, and copies of everything": `
			type E: enum {A, B}; S: multiset [2] of E; R: record e: E; m: S; f: array [E] of boolean; x: -2..1; end;
			var r, s: R; e: E;
			function get(): R; var l: R; begin clear l; multisetadd(e, l.m); return l; end;
			startstate begin clear r; clear s; e := A; end;
			rule begin r := s; end; rule begin s := get(); end; rule begin clear r; end; rule begin clear s.m; end; rule begin undefine r; end; rule begin e := B; end;
			rule begin multisetadd(e, r.m); end; choose i: r.m do rule begin r.m[i] := A; end; rule r.m[i] = B ==> begin multisetremove(i, r.m); end; end;
			rule begin multisetremovepred(i: s.m, s.m[i] = e); s.x := multisetcount(i: s.m, true) - 1; end; rule begin r.f := s.f; s.f[e] := true; end;`,
		"unions of everything": `
			type P: scalarset(2); Q: scalarset(2); E: enum {A, B}; U: union {P, E}; V: union {E, Q};
			var u, w: U; v: V; e: E; p: P; a: array [U] of 0..2;
			startstate begin for i: U do a[i] := 0; end; end;
			ruleset x: U do rule begin u := x; end; rule begin a[x] := (a[x] + 1) % 3; end; end; ruleset x: V do rule begin v := x; end; end;
			rule begin e := u; end; rule begin p := u; end; rule begin w := e; end; rule begin u := p; end; rule begin u := w; end;
			rule u = w ==> begin a[u] := 2; end; rule ismember(u, P) ==> begin a[u] := 0; end; rule ismember(v, E) ==> begin v := A; end; rule begin undefine u; end;
			rule begin switch u case A: a[A] := 1; case B: u := A; else a[B] := 1; end; end; rule u = e ==> begin e := A; end; invariant forall x: U do a[x] < 2 | isundefined(u) end;`,
		"loops that end, or not": `
			var x: 0..7; y: 0..7;
			startstate begin x := 0; y := 7; end;
			ruleset i: 0..7 do rule begin x := i; end; rule begin y := i; end; end;
			rule begin while x < y do x := x + 1; end; end; rule begin while x != y do x := (x + 3) % 8; if x = 6 then y := x; end; end; end; rule begin while x = y do y := y; end; end;
			rule begin while x < 5 do while y > x do y := y - 1; if y = 3 then return; end; end; x := x + 1; end; assert x = 5 | y = 3 "a"; end;`,
		"a multiset of records, and another of the same type": `
			type P: scalarset(2); M: record p: P; k: 0..1; end; T: multiset [2] of M;
			var n, o: T; c: array [P] of 0..1; d: 0..2;
			procedure put1(p: P); var m: M; begin m.p := p; m.k := c[p]; multisetadd(m, n); end;
			startstate begin for p: P do c[p] := 0; end; d := 0; end;
			ruleset p: P do rule c[p] = 0 ==> begin c[p] := 1; put1(p); end; rule begin put1(p); put1(p); end; end; rule begin for p: P do if c[p] = 1 then put1(p); c[p] := 0; end; end; end;
			choose i: n do rule begin multisetadd(n[i], o); multisetremove(i, n); end; rule d = 0 ==> begin n[i].k := 1 - n[i].k; end; choose j: n do rule n[i].p = n[j].p & n[i].k < n[j].k ==> begin multisetremove(i, n); multisetremove(j, n); end; end; end;
			rule begin d := multisetcount(i: n, n[i].k = 1); o := n; end; rule multisetcount(i: o, true) = 2 ==> begin undefine o; end;`,
	} {
		for _, dl := range []model.DeadlockMode{model.Stuttering, model.Stuck} {
			if _, err := compare(src, murphi.Options{Deadlock: dl, LoopMax: 12}, 3, 60); err != nil {
				t.Errorf("%s, deadlock %v: %v", name, dl, err)
			}
		}
	}
	for name, src := range map[string]string{
		"bits and shifts": `
			var x: -4..7; y: 0..5; z: -70..70;
			startstate begin x := 0; y := 0; z := 0; end; ruleset i: -4..7 do rule begin x := i; end; end; ruleset i: 0..5 do rule begin y := i; end; end;
			rule begin z := x & y; end; rule begin z := x | y; end; rule begin z := x ^ y; end; rule begin z := ~x; end; rule begin z := x << 2; end; rule begin z := x >> 1; end;
			rule begin z := y << x; end; rule begin z := x >> y; end; rule begin z := (x << y) & 7; end; rule begin z := y >> x; end; rule begin z := ~(y ^ 3) | x; end; rule begin z := x >> 64; end; rule begin z := (x & 1) << 0 - 3; end;`,
		"assumptions, covers, liveness": `
			var x: 0..3; y: 0..3;
			startstate begin x := 0; y := 0; cover x = 0 "start"; assume y = 0; end; startstate begin x := 1; y := 1; cover true "never"; assume x = 0; end; startstate begin x := 2; y := 3; end;
			rule begin x := (x + 1) % 4; cover x = 2 "two"; assume x != y; end; rule begin y := y + 1; cover y = 3 "three"; x := 4 - y; end; rule x > y ==> begin y := x; assume false; end;
			assume "at most" x + y < 6; assume y = 3 -> x / (x - 2) >= 0; cover "both" x = 3 & y = 1; cover "error" x / (y - 2) > 1; ruleset i: 0..3 do liveness x = i; liveness y / (x - i) >= 0; cover "any" x = i & y = i; end;`,
		"for counts both ways": `
			var x, y, z: 0..3; startstate begin x := 0; y := 3; z := 0; end; ruleset i: 0..3 do rule begin x := i; end; rule begin y := i; end; end;
			rule begin for i := x to y do z := i; x := y; end; end; rule begin for i := x to y by 1 do z := i; end; end; rule exists i := x to 1 do i = z end ==> begin z := 3 - z; end;`,
	} {
		for _, dl := range []model.DeadlockMode{model.Stuttering, model.Stuck} {
			if _, err := compare(src, murphi.Options{Dialect: model.Rumur, Deadlock: dl}, 3, 60); err != nil {
				t.Errorf("%s, deadlock %v: %v", name, dl, err)
			}
		}
	}
}

// net is a model whose only symmetry is that of slots.
const net = `
	type M: record k: 0..1; end; T: multiset [3] of M;
	var n: T; x: 0..1;
	procedure send(v: 0..1); var m: M; begin m.k := v; multisetadd(m, n); end;
	startstate begin x := 0; send(0); end;
	rule multisetcount(i: n, true) < 2 ==> begin send(x); end;
	choose i: n do rule n[i].k = x ==> begin multisetremove(i, n); x := 1 - x; end; end;
	invariant multisetcount(i: n, n[i].k = 1) < 3;`

// TestSlotSymmetry: the slots of a multiset are verified to be interchangeable,
// and are not when the slot for a new element does not come from an input.
func TestSlotSymmetry(t *testing.T) {
	m, err := murphi.Parse("net.m", []byte(net), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	enc, err := encode.Model(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	group := func(sys *ts.System) (swaps int) {
		r, err := declared.Check(context.Background(), m, enc, sys, enc.PropBads, declared.Options{
			Verify: verify.Options{NewProver: func(g *aig.Graph) verify.Prover { return cnf.NewProver(g, gini.New()) }, Budget: 10 * time.Second},
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range r.System.Blocks {
			swaps += len(b.Swaps)
		}
		return swaps
	}
	if got := group(enc.Sys); got != 2 {
		t.Errorf("%d adjacent transpositions are verified, want 2", got)
	}
	fixed := fixTarget(enc.Sys)
	if err := tstest.Check(fixed); err != nil {
		t.Fatal(err)
	}
	if got := group(fixed); got != 1 {
		t.Errorf("%d are where new elements go into the first slot, want that of the others only", got)
	}
}

// fixTarget replaces the targets in the next functions by the first slot.
func fixTarget(sys *ts.System) *ts.System {
	subst := make(map[int]aig.Lit)
	for _, in := range sys.Inputs {
		if strings.HasPrefix(in.Name, "target") {
			subst[in.Node] = aig.False.NotIf(strings.HasSuffix(in.Name, "=0"))
		}
	}
	out := *sys
	out.Latches = append([]ts.Latch(nil), sys.Latches...)
	for i, l := range out.Latches {
		out.Latches[i].Next = sys.G.Compose([]aig.Lit{l.Next}, subst)[0]
	}
	return &out
}

// TestOrder: loops over slots, and slots that stand for other elements, are refused
// where they stand if their effect may depend on the order of the elements, and only
// then.
func TestOrder(t *testing.T) {
	const head = "type M: record k: 0..3; l: 0..3; end; S: multiset [3] of M; var m, n: S; a: array [0..3] of S; r: M; x, y: 0..3; function ends(k: 0..3): boolean; begin assume k > 0; assert k < 2 \"d\"; return true; end; function hits(k: 0..3): boolean; begin cover k = 1; assert k < 2 \"e\"; return true; end; procedure later(var e: M); begin clear m; multisetadd(r, m); x := e.k; end; procedure sooner(var e: M); begin x := e.k; clear n; multisetadd(r, n); end; procedure add(var s: S); begin multisetadd(r, s); end; function inc(k: 0..3): boolean; begin x := (x + 1) % 4; return k = x; end; function two(k: 0..3): boolean; begin assert k < 2 \"a\"; assert k > 0 \"b\"; return true; end; function one(k: 0..3): boolean; begin assert x < 2 \"c\"; return x = 0; end; startstate begin x := 0; end;\n"
	for body, ok := range map[string]bool{
		"rule begin multisetremovepred(i: m, m[i].k = x); end;":                                                        true,
		"choose c: m do rule var v: 0..3; begin v := m[c].k; multisetremovepred(i: m, m[i].k = v); end; end;":          true,
		"choose c: m do rule begin multisetremovepred(i: m, m[i].k = m[c].k); end; end;":                               false,
		"choose c: m do rule begin alias e: m[c] do multisetremovepred(i: m, m[i].k = e.k); end; end; end;":            false,
		"rule begin multisetremovepred(i: m, multisetcount(j: m, m[j].k = m[i].k) > 1); end;":                          false,
		"rule begin x := multisetcount(i: m, m[i].k = x); end;":                                                        true,
		"rule begin x := multisetcount(i: m, multisetcount(j: m, m[j].k = m[i].l) = 1); end;":                          true,
		"rule var n: 0..3; begin n := multisetcount(i: m, inc(m[i].k)); x := n; end;":                                  false,
		"rule begin x := multisetcount(i: m, one(m[i].k)); end;":                                                       true,
		"rule begin x := multisetcount(i: m, two(m[i].k)); end;":                                                       false,
		"rule begin x := multisetcount(i: m, ends(m[i].k)); end;":                                                      false,
		"rule begin if hits(0) then x := multisetcount(i: m, hits(m[i].k)); end; end;":                                 false,
		"choose c: m do rule begin x := m[c].k; multisetadd(m[c], n); multisetremove(c, m); end; end;":                 true,
		"choose c: m do rule begin x := n[c].k; end; end;":                                                             false,
		"choose c: m do choose d: m do rule c != d ==> begin multisetremove(c, m); x := m[d].k; end; end; end;":        true,
		"choose c: m do choose d: n do rule c != d ==> begin x := 0; end; end; end;":                                   false,
		"choose c: m do rule begin multisetadd(r, m); multisetremove(c, m); end; end;":                                 true,
		"choose c: m do rule begin multisetremove(c, m); multisetadd(r, m); end; end;":                                 true,
		"choose c: m do rule begin multisetremove(c, m); multisetadd(r, m); x := m[c].k; end; end;":                    false,
		"choose c: m do rule begin alias p: m[c] do multisetremove(c, m); multisetadd(r, m); x := p.k; end; end; end;": false,
		"choose c: m do rule begin alias p: m[c] do multisetadd(r, m); x := p.k; end; end; end;":                       true,
		"choose c: m do rule begin later(m[c]); multisetremove(c, m); end; end;":                                       false,
		"choose c: m do rule begin sooner(m[c]); multisetremove(c, m); end; end;":                                      true,
		"choose c: m do rule begin alias d: c; e: m[d] do x := e.k; multisetremove(d, m); end; end; end;":              true,
		"choose c: m do rule begin alias d: c; e: n[d] do x := e.k; end; end; end;":                                    false,
		"choose c: m do rule begin clear n; add(n); x := m[c].k; end; end;":                                            true,
		"choose c: m do rule begin m := n; x := m[c].k; end; end;":                                                     false,
		"choose c: a[x] do rule begin y := a[x][c].k; x := y; end; end;":                                               true,
		"choose c: a[x] do rule begin x := y; y := a[x][c].k; end; end;":                                               false,
		"rule begin clear m; add(m); x := multisetcount(i: m, m[i].k = 0); end;":                                       true,
	} {
		m, err := murphi.Parse("f.m", []byte(head+body), murphi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = encode.Model(context.Background(), m)
		if (err == nil) != ok || err != nil && (!strings.HasPrefix(err.Error(), "f.m:") || !strings.Contains(err.Error(), "order of the elements")) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// TestInlining: what is inlined without end is refused where it stands.
func TestInlining(t *testing.T) {
	var b strings.Builder
	b.WriteString("var a: array [0..255] of 0..255; x: 0..255;\nprocedure p(k: 0..255); begin a[a[k]] := a[k] * x; if a[k] > 3 then p(a[k]); end; p(x); end;\nstartstate begin x := 0; end;\nrule begin p(x); end;")
	m, err := murphi.Parse("f.m", []byte(b.String()), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := encode.ModelWithin(m, 1<<16); err == nil || !strings.HasPrefix(err.Error(), "f.m:2:") || !strings.Contains(err.Error(), "AND nodes") {
		t.Errorf("error %v", err)
	}
}
