package portfolio

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"orbitmc/internal/every/param"
)

// TestEveryCTI proves German's protocol without its invariants, and with data that stays undefined for
// good or is left over. Lemmas of pdr do not show that it is free of deadlock, as some say "the two others".
func TestEveryCTI(t *testing.T) {
	src, err := os.ReadFile("../../benchmarks/murphi/german.m")
	if err != nil {
		t.Fatal(err)
	}
	src = src[:bytes.Index(src, []byte(`invariant "CtrlProp"`))]
	start := bytes.Index(src, []byte("---- clients"))
	left := regexp.MustCompile(`undefine [^;]*;`).ReplaceAll(src[start:], nil)
	file := filepath.Join(t.TempDir(), "german.m")
	if err := os.WriteFile(file, slices.Concat(src[:start], left), 0o644); err != nil {
		t.Fatal(err)
	}
	e := &Every{File: file, Most: 3}
	if err := e.Run(context.Background()); err != nil || e.Proved == nil {
		t.Fatalf("%v, %s", err, e.Obstacle())
	}
	if !slices.ContainsFunc(e.Proved.Lemmas, func(l string) bool { return regexp.MustCompile(`^!\(.*\(forall`).MatchString(l) }) {
		t.Errorf("no lemma says that there is some component: %q", e.Proved.Lemmas)
	}
}

// TestExclude compares the lemmas for a counterexample, with states that have it and with others.
func TestExclude(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.m")
	text := `const N: 2;
type P: scalarset(N); S: enum {idle, wait, busy};
var s: array[P] of S; who: P; held: boolean;
startstate begin for i: P do s[i] := idle; end; held := false; end;
ruleset i: P do
  rule s[i] = idle ==> begin s[i] := wait; end;
  rule s[i] = wait & !held ==> begin s[i] := busy; held := true; who := i; end;
  rule s[i] = busy ==> begin s[i] := idle; held := false; undefine who; end;
end;`
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	e := &Every{File: file}
	if err := e.Open(context.Background()); err != nil {
		t.Fatal(err)
	}
	_, c, err := e.conditions(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	family := func(name string) *param.Family {
		i := slices.IndexFunc(c.Families, func(f *param.Family) bool { return f.Name == name })
		return c.Families[i]
	}
	s, who, held := family("s[#0]"), family("who"), family("held")
	at := func(a, b, h int) []param.Fact {
		none := param.Anywhere
		return []param.Fact{{Fam: s, Args: []int{0}, Opt: a, To: none}, {Fam: s, Args: []int{1}, Opt: b, To: none}, {Fam: held, Opt: h, To: none}}
	}
	for _, x := range []struct {
		facts []param.Fact
		want  []string
	}{
		{at(0, 1, 0), nil}, // it is reached
		{at(2, 2, 1), []string{
			"forall c1: P do forall c2: P do !(c1 != c2 & (s[c1] != idle & s[c1] != wait) & (s[c2] != idle & s[c2] != wait)) end end"}},
		{at(1, 2, 0), []string{"forall c1: P do !((s[c1] != idle & s[c1] != wait) & (held != true)) end"}},
		{at(1, 0, 1), []string{"!((held != false) & (forall c0: P do (s[c0] != busy) end))"}},
		{append(at(1, 2, 1), param.Fact{Fam: who, Opt: 0, To: param.Elsewhere}), []string{
			"forall c1: P do !((s[c1] != idle & s[c1] != wait) & (!isundefined(who) & (who != c1))) end",
			"forall c1: P do !((s[c1] != idle & s[c1] != wait) & (isundefined(who) | (who != c1))) end"}},
	} {
		got := e.exclude(context.Background(), c, []*param.CTI{{Size: []int{2}, Facts: x.facts}})
		if x.want == nil != (got == nil) || got != nil && !slices.Contains(x.want, got[0]) {
			t.Errorf("%v: got %q, want one of %q", x.facts, got, x.want)
		}
	}
}

// TestNameless: components of a scalarset that is not left open have no names, so that no lemma is about one of them.
func TestNameless(t *testing.T) {
	const src = `const N: 3;
type P: scalarset(N); D: scalarset(2);
var v: array[P] of D; last: D; on: array[P] of boolean;
ruleset d: D do startstate begin for i: P do v[i] := d; on[i] := false; end; last := d; end; end;
ruleset i: P; d: D do rule "write" on[i] ==> begin v[i] := d; last := d; for j: P do if j != i then on[j] := false; end; end; end; end;
ruleset i: P do rule "read" true ==> begin on[i] := true; v[i] := last; end; end;
`
	file := filepath.Join(t.TempDir(), "m.m")
	if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	e := &Every{File: file, Only: []string{"N"}}
	if err := e.Open(context.Background()); err != nil {
		t.Fatal(err)
	}
	_, c, err := e.conditions(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var facts []param.Fact
	for _, f := range c.Families {
		for i := range 2 {
			switch f.Name {
			case "v[#0]":
				facts = append(facts, param.Fact{Fam: f, Args: []int{i}, To: param.Anywhere})
			case "on[#0]":
				facts = append(facts, param.Fact{Fam: f, Args: []int{i}, Opt: 1, To: param.Anywhere})
			}
		}
		if f.Name == "last" {
			facts = append(facts, param.Fact{Fam: f, Opt: 1, To: param.Anywhere})
		}
	}
	lemmas := e.exclude(context.Background(), c, []*param.CTI{{Size: []int{2}, Facts: facts}})
	text, _ := withLemmas(e.source, lemmas)
	if _, err := e.parse(text, e.Free, nil); err != nil || len(facts) != 5 {
		t.Errorf("%d facts; %q: %v", len(facts), lemmas, err)
	}
}

// TestTwoSorts: one type serves two sorts, as p is compared with no index of st.
func TestTwoSorts(t *testing.T) {
	const src = `const N: 3;
type P: 1..N; E: enum {A, B, C, D};
var st: array [P] of E; mk: array [P] of boolean; ptr: P; flag: boolean; num: 0..2;
ruleset s: P do startstate begin for p: P do st[p] := A; mk[p] := false; end; ptr := s; flag := false; num := 0; end; end;
ruleset p: P; x: E do rule "set" st[p] != x ==> begin st[p] := x; end; end;
ruleset p: P do rule "mark" true ==> begin mk[p] := !mk[p]; end; end;
ruleset p: P do rule "move" ptr != p ==> begin ptr := p; end; end;
rule "num" true ==> begin num := (num + 1) % 3; end;
rule "bad" !flag & (exists y: P do exists z: P do z != y & st[y] = B & st[z] = B end end) & (exists x: P do exists y: P do exists z: P do y != x & z != x & z != y & st[x] = C & st[y] = D & st[z] = D end end end) ==> begin flag := true; end;
invariant "i" !flag;
`
	file := filepath.Join(t.TempDir(), "m.m")
	if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	e := &Every{File: file}
	if err := e.Run(context.Background()); err != nil || !e.Violated || e.Sizes[len(e.Sizes)-1].N != 5 {
		t.Errorf("%v, %+v", err, e)
	}
}
