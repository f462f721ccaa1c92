package param

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"orbitmc/model"
	"orbitmc/sat"
	"orbitmc/sat/cdcl"
)

// conditions reads a model with N left open.
func conditions(t testing.TB, src string, least int) *Conditions {
	t.Helper()
	free, sizes, leasts := []string{"N"}, map[string]string{"N": "8"}, map[string]int{"N": least}
	if strings.Contains(src, "M: 3") {
		free, sizes["M"], leasts["M"] = append(free, "M"), "8", least
	}
	m, err := read(t, "m.m", []byte(src), free, sizes)
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(context.Background(), m, leasts, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// prove proves conditions without dropping anything.
func prove(t testing.TB, c *Conditions) *Outcome {
	t.Helper()
	o, err := c.Prove(context.Background(), func() sat.Solver { return cdcl.New() }, func(int) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	return o
}

const head = `const N: 3; type P: scalarset(N); E: enum {A, B, C};
var st: array [P] of E; link: array [P] of P; ptr: P; flag: boolean; num: 0..2; other: array [P] of E;
`

const initial = `
ruleset s: P do startstate begin for p: P do st[p] := A; other[p] := A; link[p] := p; end; ptr := s; flag := false; num := 0; end; end;
`

// twoSorts is a model of two classes, whose sizes are N and M.
const twoSorts = `const N: 3; M: 3; type P: scalarset(N); Q: scalarset(M); var own: array [P] of array [Q] of boolean; flag: boolean;
startstate begin for p: P do for q: Q do own[p][q] := true; end; end; flag := false; end;
ruleset p: P; q: Q do rule "turn" true ==> begin own[p][q] := !own[p][q]; end; end;
`

// TestRefused: what is outside the theorems is refused, at its place.
func TestRefused(t *testing.T) {
	rule := func(body string) string {
		return head + initial + "ruleset p: P do rule \"r\" true ==> " + body + " end;\n"
	}
	for _, c := range []struct{ src, want string }{
		{rule("begin clear link; end;"), "m.m:5:41: clear sets link[#0] to a particular component"},
		{strings.Replace(rule("begin clear link; end;"), "scalarset(N)", "1..N", 1), ""},
		{rule("begin for q: P do ptr := q; end; end;"), "iterations of the loop at 5:41 over P affect each other, or their order counts: ptr"},
		{rule("begin for q: P do if st[q] = A then num := 1; else num := 2; end; end; end;"), "or their order counts: num"},
		{rule("begin for q: P do st[q] := st[p]; end; end;"), "affect each other"},
		{rule("begin for q: P do st[q] := B; flag := st[p] = A; end; end;"), "affect each other"},
		{rule("begin for q: P do if !flag then st[q] := B; flag := true; end; end; end;"), "affect each other"},
		{rule("begin for q: P do st[link[q]] := B; end; end;"), ""},
		{rule("begin for q: P do other[q] := st[q]; st[q] := B; end; end;"), ""},
		{rule("begin for q: P do if st[q] = A then flag := true; end; end; end;"), ""},
		{rule("var x: P; begin for q: P do x := q; st[q] := B; end; ptr := x; end;"), "m.m:5:95: x is read after the loop at 5:51"},
		{rule("var x: P; begin for q: P do x := q; if x = p then st[q] := B; end; end; end;"), ""},
		{rule("var x: P; begin x := p; for q: P do if x = q then st[q] := B; end; x := q; end; end;"), "reads what another one may have written: x"},
		{rule("begin while st[p] = A do st[p] := B; end; end;"), "while statements"},
		{rule("begin for q: P do if st[q] = A then return; end; end; end;"), "ends by return"},
		{rule("begin assert \"a\" forall q: P do forall r: P do st[q] = st[r] end end; end;"), ""},
		{rule("begin assume flag; ptr := p; end;"), "assumptions are not proved"},
		{rule("begin ptr := p; end;") + "liveness \"l\" flag;\n", "liveness properties are not proved"},
		{strings.Replace(rule("begin ptr := p; end;"), "num: 0..2", "num: 0..2; bag: multiset [2] of P", 1), "multisets are not proved"},
		{strings.NewReplacer("scalarset(N)", "1..N", "true ==>", "p = 1 ==>").Replace(rule("begin ptr := p; end;")), ""},
		{strings.NewReplacer("scalarset(N)", "1..N", "true ==>", "p = 3 ==>").Replace(rule("begin ptr := p; end;")), "m.m:5:28: 3 is no component of a free class at some size, P"},
		{strings.NewReplacer("scalarset(N)", "1..N", "true ==>", "p != N ==>").Replace(rule("begin ptr := p; end;")), ""},
		{strings.NewReplacer("scalarset(N)", "1..N", "true ==>", "p = N | p = 1 ==>").Replace(rule("begin ptr := p; end;")), ""},
		{strings.NewReplacer("scalarset(N)", "1..N", "true ==>", "p = N | p = 2 ==>").Replace(rule("begin ptr := p; end;")), "2 is the last component of P at one size and not at another"},
		{strings.NewReplacer("scalarset(N)", "1..N", "true ==>", "p = 2 | p = N ==>").Replace(rule("begin ptr := p; end;")), "2 is the last component of P at one size and not at another"},
		{strings.NewReplacer("scalarset(N)", "0..N-1", "true ==>", "p = 2 | p = N-1 ==>").Replace(rule("begin ptr := p; end;")), "2 is no component of a free class at some size, P"},
		{strings.NewReplacer("scalarset(N)", "1..N", "true ==>", "p < ptr ==>").Replace(rule("begin ptr := p; end;")), "P"},
		{strings.NewReplacer("scalarset(N)", "1..N").Replace(rule("begin switch p case 7: num := 1; end; end;")), "m.m:5:55: 7 is no component of a free class at some size, P"},
		{strings.NewReplacer("scalarset(N)", "1..N").Replace(rule("begin ptr := 0; end;")), "0 is no component of a free class at some size, P"},
		// At size 8 both ranges have the same values, and at 9 they have not.
		{"const N: 3; type P: scalarset(N); A: 1..N; B: 1..8; var st: array [P] of boolean; x: A; startstate begin for p: P do st[p] := false; end; x := 1; end;\n" +
			"ruleset a: A do rule true ==> begin x := a; end; end; invariant exists b: B do x = b end;\n", "m.m:2:9: the values of A are not interchangeable, and N is left open"},
	} {
		m, err := read(t, "m.m", []byte(c.src), []string{"N"}, map[string]string{"N": "8"})
		if err != nil {
			t.Fatalf("%s: %v", c.src, err)
		}
		_, err = New(context.Background(), m, map[string]int{"N": 2}, nil)
		switch {
		case c.want == "" && err == nil:
		case c.want == "" && strings.Contains(c.src, "st[link[q]]") && err != nil: // rows of others
		case c.want == "" || err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "m.m:"):
			t.Errorf("%s: %v, want %q", c.src[len(head+initial):], err, c.want)
		}
	}
}

// late is safe for N ≤ 5, and unsafe from 6 on.
func late(t testing.TB) string {
	src, err := os.ReadFile("../../../benchmarks/murphi/late_marks.m")
	if err != nil {
		t.Fatal(err)
	}
	return string(src) + `
invariant "given" forall m: MARK do (m <= Given) = !isundefined(Holder[m]) end;
invariant "distinct" forall m: MARK do forall n: MARK do m != n & !isundefined(Holder[m]) & !isundefined(Holder[n]) -> Holder[m] != Holder[n] end end;
`
}

// TestRules: each rule of soundness, and what is proved wrongly without it.
func TestRules(t *testing.T) {
	idle := "ruleset p: P do rule \"turn\" true ==> begin if st[p] = A then st[p] := B; else st[p] := A; end; end; end;\n"
	for _, c := range []struct {
		name, src string
		least     int
		size      int // at which a condition has a model
		broken    rules
	}{
		{"a component fewer", late(t), 2, 6, rules{fewer: 1}},
		{"the largest size only", head + initial + idle + `
			rule "alone" (exists a: P do exists b: P do st[a] = A & other[b] = A end end) & (forall a: P do forall b: P do a = b end end) ==> begin flag := true; end;
			invariant !flag;` + "\n", 1, 1, rules{largest: true}},
		{"a component with a name is one more", strings.Replace(head, "scalarset(N)", "1..N", 1) + initial + idle + `
			rule "three" exists a: P do exists b: P do a != b & a != N & b != N & st[a] = B & st[b] = B & st[N] = A end end ==> begin flag := true; end;
			invariant !flag;` + "\n", 2, 3, rules{fewer: 1}},
		{"components with two names", strings.Replace(head, "scalarset(N)", "1..N", 1) + initial + idle + `
			rule "three" exists a: P do a != 1 & a != N & st[a] = B & st[1] = B & st[N] = A end ==> begin flag := true; end;
			invariant !flag;` + "\n", 2, 3, rules{fewer: 1}},
		{"conjuncts that share components", head + initial + idle + `
			rule "six" (exists a: P do exists b: P do exists c: P do a != b & a != c & b != c & st[a] = A & st[b] = A & st[c] = A end end end) &
				(exists a: P do exists b: P do exists c: P do a != b & a != c & b != c & st[a] = B & st[b] = B & st[c] = B end end end) ==> begin flag := true; end;
			invariant !flag;` + "\n", 2, 6, rules{common: true}},
		{"the same ∃ of two components", head + "edge: array [P] of array [P] of boolean;\n" + strings.Replace(initial, "link[p] := p;", "link[p] := p; for q: P do edge[p][q] := false; end;", 1) + `
			ruleset p: P; q: P do rule "turn" true ==> begin edge[p][q] := !edge[p][q]; end; end;
			ruleset p: P; x: E do rule "set" true ==> begin st[p] := x; end; end;
			rule "four" (exists a: P do st[a] = A & exists b: P do edge[a][b] & st[b] = C end end) &
				(exists a: P do st[a] = B & exists b: P do edge[a][b] & st[b] = C end end) &
				(forall a: P do forall b: P do forall c: P do edge[a][c] & edge[b][c] -> a = b end end end) ==> begin flag := true; end;
			invariant !flag;` + "\n", 2, 4, rules{shared: true}},
		{"a shared ∀ with both signs", head + initial + idle + `
			ruleset p: P do rule "mixed" st[p] = B & ((forall a: P do st[a] = A end) | num = 0) & (!(forall a: P do st[a] = A end) | num = 1) ==>
				begin flag := true; end; end;
			invariant !flag;` + "\n", 1, 1, rules{signs: true, ignored: func(k *Condition) bool { return k.Step == nil }}},
		{"∃ inside ∀", head + "edge: array [P] of array [P] of boolean;\n" + strings.Replace(initial, "link[p] := p;", "link[p] := p; for q: P do edge[p][q] := false; end;", 1) + `
			ruleset p: P; q: P do rule "turn" true ==> begin edge[p][q] := !edge[p][q]; end; end;
			rule "circle" (forall p: P do exists q: P do edge[p][q] end end) &
				(forall p: P do !edge[p][p] & forall q: P do !(edge[p][q] & edge[q][p]) end end) ==> begin flag := true; end;
			invariant !flag;` + "\n", 2, 2, rules{nested: true}},
		{"∃ inside ∀ that depends on its own sort", head + "edge: array [P] of array [P] of boolean;\n" + strings.Replace(initial, "link[p] := p;", "link[p] := p; for q: P do edge[p][q] := false; end;", 1) + `
			ruleset p: P; q: P do rule "turn" true ==> begin edge[p][q] := !edge[p][q]; end; end;
			rule "circle" (forall p: P do exists q: P do edge[p][q] end end) &
				(forall p: P do !edge[p][p] & forall q: P do !(edge[p][q] & edge[q][p]) end end) ==> begin flag := true; end;
			invariant !flag;` + "\n", 2, 2, rules{cyclic: true}},
		{"∃ inside ∀ for each component", twoSorts + `
			rule "three" (exists a: P do exists b: P do exists c: P do a != b & a != c & b != c end end end) &
				(forall p: P do exists q: Q do own[p][q] end end) &
				(forall q: Q do forall a: P do forall b: P do own[a][q] & own[b][q] -> a = b end end end) ==> begin flag := true; end;
			invariant !flag;` + "\n", 1, 3, rules{nested: true}},
		{"∃ inside ∃ inside ∀", twoSorts + `
			rule "two" forall p: P do exists q: Q do own[p][q] & exists r: Q do !own[p][r] & q != r end end end ==> begin flag := true; end;
			invariant !flag;` + "\n", 1, 2, rules{fewer: 1}},
		{"components that are copies", head + initial + idle + `
			rule "four" (exists a: P do exists b: P do exists c: P do exists d: P do
					a != b & a != c & a != d & b != c & b != d & c != d & (forall x: P do x = a | x = b | x = c | x = d end) end end end end) &
				(exists a: P do st[a] = A end) & (exists a: P do st[a] = B end) & (exists a: P do st[a] = A & other[a] = A end) ==> begin flag := true; end;
			invariant !flag;` + "\n", 1, 4, rules{copied: true}},
		{"components that are not there", head + initial + idle + `
			rule "four" (exists a: P do exists b: P do exists c: P do exists d: P do
					a != b & a != c & a != d & b != c & b != d & c != d & (forall x: P do x = a | x = b | x = c | x = d end) end end end end) &
				(exists a: P do st[a] = A end) & (exists a: P do st[a] = B end) & (exists a: P do st[a] = A & other[a] = A end) ==> begin flag := true; end;
			invariant !flag;` + "\n", 1, 4, rules{absent: true}},
		{"an assumption that no start state satisfies", twoSorts + `
			ruleset p: P do rule "fall" true ==> begin flag := true; end; end;
			assume "no quorums" forall q: Q do exists p: P do own[p][q] & !own[p][q] end end;
			invariant !flag;` + "\n", 1, 1, rules{ignored: func(k *Condition) bool { return k.Alone && k.Conjunct == 1 }}},
		{"an assumption that errs", head + initial + idle + `
			rule "drop" true ==> begin undefine link[ptr]; end;
			assume st[link[ptr]] != C;` + "\n", 1, 1,
			rules{ignored: func(k *Condition) bool { return k.Conjunct < 0 && k.Step != nil }}},
		{"pointers that lead outside", head + initial + `
			ruleset p: P; q: P do rule "turn" link[p] != q ==> begin link[p] := q; end; end;
			rule "circle" forall p: P do link[p] != p & link[link[p]] != p & link[link[link[p]]] != p end ==> begin flag := true; end;
			invariant !flag;` + "\n", 2, 2, rules{total: true}},
		{"a lemma of one component", head + initial + `
			ruleset p: P do rule "turn" true ==> begin link[p] := ptr; ptr := p; if st[p] = A then st[p] := B; else st[p] := A; end; end; end;
			invariant "same" forall p: P do link[p] = ptr end;
			invariant "one" forall p: P do forall q: P do p = q end end;` + "\n", 1, 2, rules{fewer: 9}},
		{"errors", head + strings.Replace(initial, "link[p] := p", "undefine link[p]", 1) + idle + `
			rule "read" st[ptr] = A ==> begin st[link[ptr]] := B; end;` + "\n", 2, 2,
			rules{ignored: func(k *Condition) bool { return k.Conjunct < 0 && k.Step != nil }}},
		{"deadlock", head + initial + "ruleset a: P; b: P do rule \"turn\" a != b & ptr = a ==> begin ptr := b; end; end;\n", 1, 1,
			rules{ignored: func(k *Condition) bool { return k.Step == nil }}},
	} {
		k := conditions(t, c.src, c.least)
		if o := prove(t, k); o.Proved() || slices.Max(o.Size) != c.size {
			t.Errorf("%s: proved is %v, failed at %v, want %d", c.name, o.Proved(), o.Size, c.size)
		}
		k.rules = c.broken
		if o := prove(t, k); !o.Proved() {
			t.Errorf("%s: without the rule it is not proved: %s at %v", c.name, k.Name(o.Failed), o.Size)
		}
	}
	// From two components on there is no deadlock.
	if o := prove(t, conditions(t, head+initial+"ruleset a: P; b: P do rule \"turn\" a != b & ptr = a ==> begin ptr := b; end; end;\n", 2)); !o.Proved() {
		t.Error("a deadlock at size one counts from two on")
	}
}

// TestOnce: a ∃ without variables counts once, in however many parts of which one must hold.
func TestOnce(t *testing.T) {
	k := conditions(t, head+initial+`ruleset p: P do rule "turn" flag | num = 0 ==> begin st[p] := B; end; end;`+"\n", 2)
	is := func(name string, value int, args ...Term) Formula {
		i := slices.IndexFunc(k.Families, func(f *Family) bool { return f.Name == name })
		return k.Is(k.Families[i], value, args)
	}
	x := k.Fresh(0)
	some := k.Exists(x, is("st[#0]", 2, x))
	parts := []Formula{k.Or(is("num", 0), some), k.Or(is("num", 1), some), k.Or(is("flag", 1), some)}
	for i, f := range []Formula{some, k.And(parts...), k.And(append(parts, k.Exists(x, is("st[#0]", 1, x)))...)} {
		if need, weak := k.Witnesses(f); weak || need[0] != 1+i/2 {
			t.Errorf("%d: %v components, weak is %v", i, need, weak)
		}
	}
}

// TestLast: in a start state the last iteration of a loop may decide. Where it may not, something
// would be proved wrongly.
func TestLast(t *testing.T) {
	idle := "ruleset p: P do rule \"turn\" true ==> begin if st[p] = A then st[p] := B; else st[p] := A; end; end; end;\n"
	start := func(body string) string {
		return head + strings.Replace(initial, "num := 0;", "num := 0; "+body, 1)
	}
	if o := prove(t, conditions(t, start("for q: P do for r: P do link[r] := q; st[r] := B; end; ptr := q; flag := ptr = q; end;")+
		idle+"invariant \"same\" flag & forall p: P do link[p] = ptr end;\n", 1)); !o.Proved() {
		t.Errorf("%s is not proved", "same")
	}
	if o := prove(t, conditions(t, start("for q: P do ptr := q; end;")+idle+"invariant \"first\" forall p: P do p = ptr end;\n", 1)); o.Proved() {
		t.Errorf("%s is proved", "first")
	}
	wrongWithout(t, "a rule", head+initial+"rule \"last\" true ==> begin for q: P do ptr := q; end; end;\n", 2, rules{lastRule: true})
	wrongWithout(t, "other places", strings.Replace(start("for q: P do if q = s then a := q; else b := q; end; end;"), initial[:3], "a: P; b: P;"+initial[:3], 1)+
		idle+"invariant \"one\" isundefined(a) | isundefined(b);\n", 2, rules{lastGuard: true})
	wrongWithout(t, "an earlier iteration", start("flag := true; for q: P do flag := num = 0; num := num = 0 ? 1 : 2; end;")+idle+"invariant \"first\" flag;\n", 2, rules{lastRead: true})
}

// TestSMT: z3 and cvc5 agree, quantifiers and all: on a model that is proved all conditions are
// unsat, and on one that is not, some condition is not.
func TestSMT(t *testing.T) {
	src, err := os.ReadFile("../../../benchmarks/murphi/mutex_sem.m")
	if err != nil {
		t.Fatal(err)
	}
	lemma := `
invariant "taken" forall p: PROC do State[p] = Critical -> !Free end;
invariant "held" !Free -> exists p: PROC do State[p] = Critical end;
`
	for _, solver := range [][]string{{"z3", "-in", "-t:20000"}, {"cvc5", "--incremental", "--lang=smt2", "--tlimit-per=20000"}} {
		path, err := exec.LookPath(solver[0])
		if err != nil {
			t.Logf("%s is not there", solver[0])
			continue
		}
		for _, proved := range []bool{true, false} {
			text := string(src)
			if proved {
				text += lemma
			}
			c := conditions(t, text, 2)
			if prove(t, c).Proved() != proved {
				t.Errorf("proved is %v", !proved)
			}
			var b bytes.Buffer
			if err := c.WriteSMT(&b); err != nil {
				t.Fatal(err)
			}
			// Statuses are what a proof says, not what there is.
			cmd := exec.Command(path, solver[1:]...)
			cmd.Stdin = strings.NewReader(strings.ReplaceAll(b.String(), "(set-info :status unsat)\n", ""))
			out, _ := cmd.Output()
			lines := strings.Split(string(out), "\n")
			count := func(s string) (n int) {
				for _, l := range lines {
					if l == s {
						n++
					}
				}
				return n
			}
			if all := len(c.Conditions()); count("unsat")+count("sat")+count("unknown") != all || proved != (count("unsat") == all) {
				t.Errorf("%s, proved %v: %d of %d conditions are unsat, %d sat\n%s", solver[0], proved, count("unsat"), all, count("sat"), out)
			}
		}
	}
}

// TestSMTNames: classes that have one range, and variables of any name, are told apart.
func TestSMTNames(t *testing.T) {
	vars, rules := "", ""
	for i := range 40 { // one has the number of a parameter
		vars += fmt.Sprintf("p%d: boolean; ", i)
		rules += fmt.Sprintf("p%d := true; ", i)
	}
	src := "const N: 3; type V4: 1..N; var " + vars + `a: array [V4] of boolean; b: array [V4] of 0..3;
startstate begin for i: V4 do a[i] := false; end; for i: V4 do b[i] := 0; end; ` + rules + ` end;
ruleset i: V4; j: V4 do rule "turn" true ==> begin a[i] := !a[i]; if b[j] = 3 then b[j] := 0; else b[j] := b[j] + 1; end; p3 := a[i]; end; end;
invariant "differ" exists i: V4 do exists j: V4 do b[j] < 2 | a[i] | !a[i] end end;
`
	c := conditions(t, src, 2)
	if len(c.Sorts) != 2 || c.Sorts[0].Name != c.Sorts[1].Name {
		t.Fatalf("sorts: %+v", c.Sorts)
	}
	if o := prove(t, c); !o.Proved() {
		t.Fatalf("not proved: %s", c.Name(o.Failed))
	}
	z3, err := exec.LookPath("z3")
	if err != nil {
		t.Skip("z3 is not there")
	}
	var b bytes.Buffer
	if err := c.WriteSMT(&b); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(z3, "-in", "-t:20000")
	cmd.Stdin = &b
	out, _ := cmd.Output()
	if all := len(c.Conditions()); strings.Contains(string(out), "error") || strings.Count(string(out), "unsat") != all {
		t.Errorf("%d conditions: %s", all, out)
	}
}

// TestCandidates: a proof keeps the candidates that it needs, and those that these need. What is not inductive
// is dropped, and no declared property is.
func TestCandidates(t *testing.T) {
	src := head + initial + `ruleset p: P do rule "turn" true ==> begin if st[p] = A then st[p] := B; else st[p] := A; end; end; end;
rule "chain" flag ==> begin other[ptr] := num = 0 ? A : B; end;
rule "number" other[ptr] = B ==> begin num := 1; end;
invariant "flag" !flag | num = 0;
rule "raise" other[ptr] != C ==> begin flag := !flag; end;
invariant "same" forall p: P do other[p] = A end;
invariant "wrong" forall p: P do st[p] = A end;
invariant "third" forall p: P do st[p] != C end;
invariant "number" num = 0;
`
	c := conditions(t, src, 2)
	candidate := func(j int) bool { return c.Conjuncts[j].Prop.Name != "flag" }
	for all, want := range map[bool][]bool{false: {true, true, false, false, true}, true: {true, true, false, true, true}} {
		o, err := c.prove(context.Background(), func() sat.Solver { return cdcl.New() }, candidate, all)
		if err != nil || !o.Proved() || !slices.Equal(o.Kept, want) {
			t.Errorf("all %v: kept %v, proved %v, %v", all, o.Kept, o.Proved(), err)
		}
	}
	o, err := c.Prove(context.Background(), func() sat.Solver { return cdcl.New() }, func(j int) bool { return c.Conjuncts[j].Prop.Name == "third" })
	if err != nil || o.Proved() || c.Conjuncts[o.Failed.Conjunct].Prop.Name != "wrong" || c.Pos(o.Failed) == (model.Pos{}) {
		t.Error("what is no candidate was dropped")
	}
}

// TestFewWitnesses: of candidates that there is some component only those stay without which there is no
// proof, as each raises the cutoff.
func TestFewWitnesses(t *testing.T) {
	src, err := os.ReadFile("../../../benchmarks/murphi/mutex_sem.m")
	if err != nil {
		t.Fatal(err)
	}
	c := conditions(t, string(src)+`
invariant "taken" forall p: PROC do State[p] = Critical -> !Free end;
invariant "held" !Free -> exists p: PROC do State[p] = Critical end;
invariant "weaker" !Free -> exists p: PROC do State[p] != Noncritical end;
`, 2)
	declared := func(j int) bool { return c.Conjuncts[j].Prop.Name != "held" && c.Conjuncts[j].Prop.Name != "weaker" }
	prove := func(candidate func(int) bool) *Outcome {
		o, err := c.Prove(context.Background(), func() sat.Solver { return cdcl.New() }, candidate)
		if err != nil || !o.Proved() {
			t.Fatalf("not proved: %v", err)
		}
		return o
	}
	few, all := prove(func(j int) bool { return !declared(j) }), prove(func(int) bool { return false })
	var kept []string
	for j, k := range few.Kept {
		if k && !declared(j) {
			kept = append(kept, c.Conjuncts[j].Prop.Name)
		}
	}
	if len(kept) != 1 || few.Cutoff[0] >= all.Cutoff[0] {
		t.Errorf("kept %v, cutoff %v, with all %v", kept, few.Cutoff, all.Cutoff)
	}
}
