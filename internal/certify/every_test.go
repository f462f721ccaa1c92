package certify_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/mc/evidence"
)

// TestEvery: a proof for every size is accepted with its lemmas, and rejected without one of them,
// or if a start state, or a larger size, is against it.
func TestEvery(t *testing.T) {
	read := func(file string) string {
		src, err := os.ReadFile("../../benchmarks/murphi/" + file)
		if err != nil {
			t.Fatal(err)
		}
		return string(src)
	}
	mutex := read("mutex_sem.m")
	const taken = "invariant \"taken\" forall p: PROC do State[p] = Critical -> !Free end;\n"
	const held = "invariant \"held\" !Free -> exists p: PROC do State[p] = Critical end;\n"
	late := read("late_marks.m") + `
invariant "given" forall m: MARK do (m <= Given) = !isundefined(Holder[m]) end;
invariant "distinct" forall m: MARK do forall n: MARK do m != n & !isundefined(Holder[m]) & !isundefined(Holder[n]) -> Holder[m] != Holder[n] end end;
`
	// The component that the invariant points to is there, and so are those of a rule besides it.
	pointer := func(guard string) string {
		return `const N: 4; type P: scalarset(N); var a: array [P] of boolean; p: P; b: boolean;
ruleset i: P do startstate for j: P do a[j] := false; end; a[i] := true; p := i; b := false; end; end;
rule "turn" exists i: P do a[i] end ==> b := !b; end;
rule "two" ` + guard + ` ==> a[p] := false; end;
invariant "on" a[p];
`
	}
	// What a and b are connected to is two components, though one formula says it of both.
	const four = `const N: 4; type P: scalarset(N); E: enum {A, B, C}; var st: array [P] of E; edge: array [P] of array [P] of boolean; flag: boolean;
startstate for p: P do st[p] := A; for q: P do edge[p][q] := false; end; end; flag := false; end;
ruleset p: P; q: P do rule "turn" true ==> edge[p][q] := !edge[p][q]; end; end;
ruleset p: P; x: E do rule "set" true ==> st[p] := x; end; end;
rule "four" (exists a: P do st[a] = A & exists b: P do edge[a][b] & st[b] = C end end) &
	(exists a: P do st[a] = B & exists b: P do edge[a][b] & st[b] = C end end) &
	(forall a: P do forall b: P do forall c: P do edge[a][c] & edge[b][c] -> a = b end end end) ==> flag := true; end;
invariant !flag;
`
	for _, c := range []struct {
		name, src string
		ok        bool
	}{
		{"violated from four on", four, false},
		{"a pointer in the invariant", pointer("forall i: P do !a[i] end"), true},
		{"violated from three on", pointer("exists i: P do exists j: P do i != j & !a[i] & !a[j] end end"), false},
		{"all lemmas", mutex + taken + held, true},
		{"no lemma", mutex, false},
		{"deadlock is open", mutex + taken, false},
		{"a wrong start", strings.Replace(mutex, ":= Noncritical; end;", ":= Critical; end;", 1) + taken + held, false},
		{"contradictory lemmas", mutex + taken + "invariant \"no\" Free & !Free;\n", false},
		{"violated from six on", late, false},
	} {
		m, err := murphi.Parse("m.m", []byte(c.src), murphi.Options{Opaque: []string{"N"}})
		if err != nil {
			t.Fatal(err)
		}
		how, err := certify.Every(context.Background(), &evidence.Every{Model: m, Least: map[string]int{"N": 2}}, func(int64) {})
		if (err == nil) != c.ok {
			t.Errorf("%s: %s, %v", c.name, how, err)
		}
	}
}

// TestEverySizes: all sizes that matter to a condition are looked at, whatever matters to the others about its step.
func TestEverySizes(t *testing.T) {
	const head = `const N: 4; M: 4; type P: scalarset(N); Q: scalarset(M);
var st, other: array [P] of boolean; mk: array [Q] of boolean; go, flag, h: boolean;
startstate for p: P do st[p] := false; other[p] := false; end; for q: Q do mk[q] := false; end; go := false; flag := false; h := false; end;
ruleset p: P do rule "turn" true ==> st[p] := !st[p]; end; rule "another" true ==> other[p] := !other[p]; end; end;
ruleset q: Q do rule "mark" true ==> mk[q] := !mk[q]; end; end;
`
	const three = "exists p: P do exists q: P do exists r: P do p != q & q != r & p != r end end end"
	const two = "forall p: P do forall q: P do forall r: P do p = q | q = r | p = r end end end"
	for name, src := range map[string]string{
		"the second of two limits is violated":          `rule "r" true ==> go := h; flag := true; end; invariant !h; invariant !go; invariant flag -> ` + two + `;`,
		"smaller sizes matter to the second of a group": `rule "r" true ==> go := h; flag := true; end; invariant !h; invariant !go; invariant flag -> ` + three + `;`,
		"a third parameter, where there are three": `ruleset p: P; q: P; r: P do rule "r" p != q & q != r & p != r & (forall x: P do x = p | x = q | x = r end) ==> flag := true; end; end;
invariant !flag;`,
		"two of the first sort, where four can be told apart": `rule "go" ` + two + ` ==> go := true; end;
rule "fall" go & (exists a: P do st[a] end) & (exists b: P do !st[b] end) & (exists c: P do other[c] end) & (exists d: P do !other[d] end) ==> flag := true; end;
invariant go -> ` + two + `; invariant !flag;`,
	} {
		m, err := murphi.Parse("m.m", []byte(head+src), murphi.Options{Opaque: []string{"N", "M"}})
		if err != nil {
			t.Fatal(err)
		}
		how, err := certify.Every(context.Background(), &evidence.Every{Model: m, Least: map[string]int{"N": 2, "M": 2}}, func(int64) {})
		if err == nil {
			t.Errorf("%s: %s", name, how)
		}
	}
}

// TestEverySMT: an SMT solver refutes all conditions of a proof, and its answers count as they are: one
// that is not unsat, or none, is no proof.
func TestEverySMT(t *testing.T) {
	src, err := os.ReadFile("../../benchmarks/murphi/mutex_sem.m")
	if err != nil {
		t.Fatal(err)
	}
	const lemmas = "invariant \"taken\" forall p: PROC do State[p] = Critical -> !Free end;\ninvariant \"held\" !Free -> exists p: PROC do State[p] = Critical end;\n"
	for _, proved := range []bool{true, false} {
		text := string(src)
		if proved {
			text += lemmas
		}
		m, err := murphi.Parse("m.m", []byte(text), murphi.Options{Opaque: []string{"N"}})
		if err != nil {
			t.Fatal(err)
		}
		how, err := certify.EverySMT(context.Background(), &evidence.Every{Model: m, Least: map[string]int{"N": 2}})
		if errors.Is(err, certify.ErrNoSolver) {
			t.Skip(err)
		}
		var open *certify.OpenError
		if errors.As(err, &open) == proved || (err == nil) != proved || proved != strings.Contains(how, "refuted by Z3") {
			t.Errorf("proved %v: %q, %v", proved, how, err)
		}
	}
}

// TestSiftSMT: invariants that are not inductive are lost, and no others.
func TestSiftSMT(t *testing.T) {
	src, err := os.ReadFile("../../benchmarks/murphi/mutex_sem.m")
	if err != nil {
		t.Fatal(err)
	}
	for lemmas, want := range map[string]string{
		`invariant "taken" forall p: PROC do State[p] = Critical -> !Free end; invariant "free" Free;`: "[free]",
		`invariant "open" forall p: PROC do State[p] != Critical end;`:                                 "[open]",
	} {
		m, err := murphi.Parse("m.m", []byte(string(src)+lemmas), murphi.Options{Opaque: []string{"N"}})
		if err != nil {
			t.Fatal(err)
		}
		lost, err := certify.SiftSMT(context.Background(), &evidence.Every{Model: m, Least: map[string]int{"N": 2}})
		if errors.Is(err, certify.ErrNoSolver) {
			t.Skip(err)
		}
		var names []string
		for p := range lost {
			names = append(names, p.Name)
		}
		slices.Sort(names)
		if err != nil || fmt.Sprint(names) != want {
			t.Errorf("%s: %v is lost, %v, want %s", lemmas, names, err, want)
		}
	}
}

// TestRefuted: what an SMT solver answers is read to the end.
func TestRefuted(t *testing.T) {
	for out, ok := range map[string]bool{
		"a\nunsat\nb\nunsat\n":   true,
		"a\nunsat\nb\nsat\n":     false,
		"a\nunsat\nb\nunknown\n": false,
		"a\nunsat\n":             false,
		"a\nunsat\nb\n":          false,
		"":                       false,
		"a\nunsat\n(error \"line 1\")\nb\nunsat\n": false,
	} {
		if err := certify.Refuted([]byte(out), 2, "z3"); (err == nil) != ok {
			t.Errorf("%q: %v", out, err)
		}
	}
}

// TestEveryCounts: a proof about counts is accepted with the equation, and rejected without it or with a
// wrong one, and if the model gives out more than there is.
func TestEveryCounts(t *testing.T) {
	src, err := os.ReadFile("../../benchmarks/murphi/sem_counter.m")
	if err != nil {
		t.Fatal(err)
	}
	sem := string(src)
	lemma := func(equation string) string {
		return "function inside_(): 0..N; var n: 0..N; begin n := 0; for c: PROC do if State[c] = Critical then n := n + 1; end; end; return n; end;\ninvariant \"lemma\" " + equation + ";\n"
	}
	for _, c := range []struct {
		name, src string
		ok        bool
	}{
		{"the equation", sem + lemma("Free + inside_() = K"), true},
		{"at most", sem + lemma("Free + inside_() <= K"), true},
		{"at least", sem + lemma("Free + inside_() >= K"), false},
		{"no lemma", sem, false},
		{"too many", sem + lemma("Free + inside_() = K + 1"), false},
		{"of N", sem + lemma("Free + inside_() = N"), false},
		{"contradictory", sem + lemma("inside_() > N"), false},
		{"a permit too many", strings.Replace(sem, "Free := K;", "Free := K; State[p_] := Critical;", 1) + lemma("Free + inside_() = K"), false},
		{"none is taken", strings.Replace(sem, "Free := Free - 1;", "", 1) + lemma("Free + inside_() = K"), false},
	} {
		text := strings.Replace(c.src, "startstate", "ruleset p_: PROC do startstate", 1)
		text = strings.Replace(text, "Free := K;\nend;", "Free := K;\nend; end;", 1)
		text = strings.Replace(text, "State[p_] := Critical;\nend;", "State[p_] := Critical;\nend; end;", 1)
		m, err := murphi.Parse("m.m", []byte(text), murphi.Options{Opaque: []string{"N"}})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		e := &evidence.Every{Model: m, Least: map[string]int{"N": 2}}
		how, err := certify.Every(context.Background(), e, func(int64) {})
		if (err == nil) != c.ok {
			t.Errorf("%s: %s, %v", c.name, how, err)
		}
		smt, err := certify.EverySMT(context.Background(), e)
		if errors.Is(err, certify.ErrNoSolver) {
			continue
		}
		if (err == nil) != c.ok {
			t.Errorf("%s: %s, %v", c.name, smt, err)
		}
	}
}
