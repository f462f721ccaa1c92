package param

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"orbitmc/internal/testkit/nightly"
	"orbitmc/model"
	"orbitmc/sat"
	"orbitmc/sat/cdcl"
)

// counts makes random models that count components.
type counts struct{ source }

func (c *counts) node() string {
	if len(c.vars) > 0 && c.IntN(4) > 0 {
		return c.pick(c.vars...)
	}
	return "ptr"
}

func (c *counts) phase() string { return c.pick("A", "B", "C") }

func (c *counts) number() string {
	return c.pick("cnt", "cnt", "free", "nB()", "nC()", "own["+c.node()+"]")
}

func (c *counts) cond() string {
	switch c.IntN(10) {
	case 0:
		return fmt.Sprintf("%s %s %s", c.number(), c.pick("=", "!=", "<=", "<"), c.number())
	case 1:
		return fmt.Sprintf("%s + %s <= %s", c.number(), c.number(), c.pick("N", "K", "N - 1"))
	case 2, 3:
		return fmt.Sprintf("%s %s %s", c.number(), c.pick("=", ">", "<", ">=", "!="), c.pick("0", "1", "2", "N", "K", "N - 1"))
	case 4:
		return fmt.Sprintf("(exists q: P do st[q] = %s & q != %s end)", c.phase(), c.node())
	case 5:
		return fmt.Sprintf("(forall q: P do st[q] != %s end)", c.phase())
	case 6:
		return "flag"
	}
	return fmt.Sprintf("st[%s] %s %s", c.node(), c.pick("=", "!="), c.phase())
}

// step is statements; most keep cnt the number of those in B, and free that of those not in C.
func (c *counts) step(depth int) string {
	a := c.node()
	up := c.wild("cnt := cnt + 1;", "if cnt < N then cnt := cnt + 1; end;")
	down := c.wild("cnt := cnt - 1;", "if cnt > 0 then cnt := cnt - 1; end;")
	switch c.IntN(16) {
	case 0, 1, 2:
		return fmt.Sprintf("if st[%[1]s] != B then st[%[1]s] := B; cnt := cnt + 1; end; ", a)
	case 3, 4, 5:
		return fmt.Sprintf("if st[%[1]s] = B then st[%[1]s] := %[2]s; cnt := cnt - 1; end; ", a, c.pick("A", "A", "A", "C"))
	case 6:
		return fmt.Sprintf("if free > 0 & st[%[1]s] = A then st[%[1]s] := C; free := free - 1; end; ", a)
	case 7:
		return fmt.Sprintf("if st[%[1]s] = C then st[%[1]s] := A; free := free + 1; end; ", a)
	case 8:
		return c.pick("cnt := nB(); ", "cnt := 0; ", up, down, "free := K; ", "cnt := cnt; ")
	case 9:
		return fmt.Sprintf("for q: P do if st[q] = %s then st[q] := %s; end; end; ", c.pick("A", "B"), c.pick("A", "B"))
	case 10:
		return "for q: P do st[q] := A; end; cnt := 0; free := K; "
	case 11:
		return fmt.Sprintf("cnt := 0; for q: P do if %s then cnt := cnt + %s; end; end; ",
			c.pick("st[q] = B", "st[q] = B", "st[q] = B", "st[q] != A", "q != ptr", c.cond()), c.pick("1", "1", "1", "2", c.wild("-1", "1")))
	case 12:
		return fmt.Sprintf("own[%s] := %s; ", a, c.pick("cnt", "0", "nB()", "own[ptr]"))
	case 13:
		return c.pick("ptr := "+a+"; ", "flag := "+c.cond()+"; ", "assert nB() <= N; ", "assert free + nC() <= K; ")
	case 14:
		if depth > 0 {
			return fmt.Sprintf("if %s then %s else %s end; ", c.cond(), c.step(depth-1), c.step(depth-1))
		}
	}
	return fmt.Sprintf("if st[%[1]s] = A then st[%[1]s] := B; %[2]s end; ", a, c.wild(up, "cnt := cnt + 1;"))
}

func (c *counts) model() string {
	var b strings.Builder
	fmt.Fprintf(&b, `const N: 3; K: %s;
type P: scalarset(N); E: enum {A, B, C};
var st: array [P] of E; own: array [P] of 0..N; cnt: 0..N; free: 0..K; ptr: P; flag: boolean;
function nB(): 0..N; var n: 0..N; begin n := 0; for q: P do if st[q] = B then n := n + 1; end; end; return n; end;
function nC(): 0..N; var n: 0..N; begin n := 0; for q: P do if st[q] = C then n := n + 1; end; end; return n; end;
ruleset s: P do startstate begin for p: P do st[p] := A; own[p] := 0; end; cnt := 0; free := K; ptr := s; flag := false; end; end;
`, c.pick("N / 2", "N - 1", "N", "N + 1"))
	for k := range 2 + c.IntN(3) {
		c.vars = []string{"a", "b"}[:c.IntN(3)]
		for _, v := range c.vars {
			fmt.Fprintf(&b, "ruleset %s: P do ", v)
		}
		fmt.Fprintf(&b, "rule \"r%d\" %s ==> begin %s", k, c.pick("true", "true", c.cond()), c.step(1))
		if c.IntN(3) == 0 {
			b.WriteString(c.step(1))
		}
		fmt.Fprintf(&b, "end;%s\n", strings.Repeat(" end;", len(c.vars)))
	}
	c.vars = nil
	b.WriteString("rule \"idle\" true ==> begin flag := !flag; end;\n")
	for k, inv := range []string{
		"cnt = nB()", "free + nC() = K", "cnt <= 1", "nB() <= 1", "cnt < N", "cnt = 0 -> forall p: P do st[p] != B end",
		"cnt > 0 -> exists p: P do st[p] = B end", "forall p: P do forall q: P do st[p] = B & st[q] = B -> p = q end end",
		"nB() + nC() <= N", "nC() <= K", "forall p: P do own[p] <= cnt end", "forall p: P do own[p] = 0 end", "forall p: P do st[p] != C end",
		"free = K", "flag -> cnt = 0", "nB() >= 2 -> cnt >= 2", "forall p: P do st[p] != B end", "exists p: P do st[p] != C end", c.cond(),
	} {
		if c.IntN(3) > 0 && k > 1 {
			continue
		}
		fmt.Fprintf(&b, "invariant \"i%d\" %s;\n", k, inv)
	}
	return b.String()
}

// TestRandomCounts: as TestRandom, of models that count components; the long one in pieces.
func TestRandomCounts(t *testing.T) {
	if !nightly.On() {
		randomCounts(t, 0, 8, 4, 3000)
		return
	}
	for k := range 100 {
		t.Run(fmt.Sprint(k), func(t *testing.T) { randomCounts(t, 50*k, 50*(k+1), 8, 30000) })
	}
}

func randomCounts(t *testing.T, from, to, sizes, limit int) {
	var n tally
	accepted, proved, about, whole := 0, 0, 0, 0
	for seed := from; seed < to; seed++ {
		g := &counts{source{Rand: rand.New(rand.NewPCG(uint64(seed), 7)), tame: seed%4 > 0}}
		src := g.model()
		at := func(size int) (*model.Model, *Conditions) {
			m, err := read(t, "random.m", []byte(src), []string{"N"}, map[string]string{"N": fmt.Sprint(size)})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, src)
			}
			c, err := New(context.Background(), m, map[string]int{"N": 2}, nil)
			if err != nil {
				if !errors.As(err, new(*Refusal)) || !strings.HasPrefix(err.Error(), "random.m:") {
					t.Fatalf("seed %d: %v", seed, err)
				}
				return m, nil
			}
			return m, c
		}
		_, c := at(3)
		if c == nil {
			continue
		}
		accepted++
		for size := 2; size <= 3; size++ {
			_, c := at(size)
			x := newStructure(c)
			states := []model.State{randomState(g.Rand, c, x), randomState(g.Rand, c, x)}
			compare(t, fmt.Sprintf("seed %d, size %d\n%s", seed, size, src), c, states, &n)
		}
		o, err := c.prove(context.Background(), func() sat.Solver { return cdcl.New() }, func(int) bool { return true }, true)
		if err != nil {
			t.Fatal(err)
		}
		if !o.Proved() {
			continue
		}
		proved++
		for j, kept := range o.Kept {
			if kept && strings.Contains("i0 i1 i5 i6 i9", c.Conjuncts[j].Prop.Name) {
				about++
			}
		}
		size, p := refuted(c, o, 2, sizes, limit, func(size int) *model.Model { m, _ := at(size); return m })
		if p != "" {
			t.Fatalf("seed %d: proved for every size, and %q is violated at size %d\n%s", seed, p, size, src)
		}
		if size == 0 {
			whole++
		}
	}
	t.Logf("%d of %d accepted, %d proved (%d searched up to size %d) with %d invariants about counts; %+v",
		accepted, to-from, proved, whole, sizes, about, n)
	if accepted < (to-from)/2 || proved < (to-from)/10 || about < (to-from)/10 || n.known < to-from {
		t.Error("the models are too tame")
	}
}

const countHead = `const N: 3; K: N / 2;
type P: scalarset(N); E: enum {A, B, C};
var st: array [P] of E; cnt: 0..N; free: 0..K; ptr: P; flag: boolean;
function nB(): 0..N; var n: 0..N; begin n := 0; for q: P do if st[q] = B then n := n + 1; end; end; return n; end;
ruleset s: P do startstate begin for p: P do st[p] := A; end; cnt := 0; free := K; ptr := s; flag := false; end; end;
rule "idle" true ==> begin flag := !flag; end;
`

// TestCountRules: each rule of soundness about counts, and what is proved wrongly without it.
func TestCountRules(t *testing.T) {
	enter := "ruleset a: P do rule \"enter\" st[a] = A ==> begin st[a] := B; cnt := cnt + 1; end; end;\n"
	for _, c := range []struct {
		name, src string
		size      int // at which a property is violated
		broken    rules
	}{
		{"terms may be one component", `
			ruleset a: P; b: P do rule "both" st[a] = A & st[b] = A & cnt = 0 ==> begin st[a] := B; st[b] := B; cnt := 2; end; end;
			invariant cnt = nB();`, 2, rules{twice: true}},
		{"a step changes others", `
			ruleset a: P do rule "all" true ==> begin for q: P do st[q] := B; end; end; end;
			invariant nB() = 0;`, 2, rules{kept: true}},
		{"different components", enter + `
			rule "look" nB() = 1 & exists p: P do st[p] = B end ==> begin assert false; end;
			invariant cnt = nB();`, 2, rules{one: true}},
		{"loops add", enter + `
			rule "even" nB() + nB() = N ==> begin cnt := 0; for q: P do if st[q] = B then cnt := cnt + 1; else cnt := cnt + -1; end; end; cnt := nB(); end;
			invariant forall p: P do st[p] != C end;
			invariant cnt = nB();`, 2, rules{falling: true}},
		{"loops that add do not read", `
			rule "twice" true ==> begin cnt := 0; for q: P do if cnt = 0 then cnt := cnt + 1; end; end; end;
			invariant cnt = 0 | cnt = N;`, 2, rules{read: true}},
		{"each call adds to its own", `
			procedure add(d: 0..1; i: P); var n: 0..N; begin n := 0;
				if d = 1 then for q: P do add(0, q); if st[q] = B then n := n + 1; end; end;
				elsif st[i] != B then n := n + 1; assert n = 0; end;
			end;
			ruleset a: P do rule "add" true ==> begin add(1, a); end; end;`, 2, rules{callee: true}},
	} {
		wrongWithout(t, c.name, countHead+c.src+"\n", c.size, c.broken)
	}
}

// wrongWithout checks that a model is not proved, and wrongly proved without a rule of soundness:
// it is violated at a size.
func wrongWithout(t *testing.T, name, src string, at int, broken rules) {
	t.Helper()
	m, err := read(t, "m.m", []byte(src), []string{"N"}, map[string]string{"N": "8"})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	k, err := New(context.Background(), m, map[string]int{"N": 2}, nil)
	if err == nil && prove(t, k).Proved() {
		t.Errorf("%s: it is proved", name)
	}
	if k, err = newConditions(context.Background(), m, map[string]int{"N": 2}, nil, broken); err != nil {
		t.Errorf("%s: without the rule: %v", name, err)
		return
	}
	o := prove(t, k)
	if !o.Proved() {
		t.Errorf("%s: without the rule it is not proved: %s at %v", name, k.Name(o.Failed), o.Size)
	}
	size, p := refuted(k, o, 2, 4, 3000, func(size int) *model.Model {
		m, _ := read(t, "m.m", []byte(src), []string{"N"}, map[string]string{"N": fmt.Sprint(size)})
		return m
	})
	if size != at || p == "" {
		t.Errorf("%s: %q is violated at %d, want %d", name, p, size, at)
	}
}

// many returns an invariant about a sum of variables.
func many(name string, n int) string {
	vars, sum := "var ", "0"
	for i := range n {
		vars += fmt.Sprintf("%s%d: 0..N; ", name, i)
		sum += fmt.Sprintf(" + %s%d", name, i)
	}
	return vars + "invariant " + sum + " >= 0;"
}

// TestCountRefused: what is outside the theorem is refused, at its place.
func TestCountRefused(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"rule true ==> begin for q: P do if st[q] = A & cnt < N then cnt := cnt + 1; end; end; end;", "cnt"},
		{"rule true ==> begin for q: P do if st[q] = A then cnt := cnt - 1; end; end; end;", "cnt"},
		{"rule true ==> begin for q: P do for r: P do if st[q] != st[r] then cnt := cnt + 1; end; end; end; end;", "sums over choices of several components"},
		{"rule true ==> begin alias c: cnt do for q: P do cnt := cnt + 1; c := 1; end; end; end;", "cnt"},
		{"rule true ==> begin for q: P do cnt := cnt + nB(); end; end;", "cnt"},
		{"rule cnt / 2 = 1 ==> begin flag := true; end;", "only sums are proved"},
		{"rule cnt * free = 1 ==> begin flag := true; end;", "only sums are proved"},
		{"invariant cnt * 1048576 * 1048576 * 16777216 <= 0;", "a number beyond 1048576"}, // 2^64 is no 0
		{"invariant cnt + 4294967296 + 1 > cnt;", "a number beyond 4294967296"},
		{many("sum", 65), "a sum of more than 64 numbers"},
		{many("sum", 64), ""},
		{"ruleset k: 0..K do rule free = k ==> begin flag := true; end; end;", "not interchangeable, and K is left open"},
		{"ruleset a: P do rule true ==> begin cnt := 0; for q: P do if exists r: P do st[r] = st[q] & r != q end then cnt := cnt + 1; end; end; end; end;", ""},
		{"invariant forall a: P do forall b: P do nB() = 0 | st[a] = st[b] end end;", ""},
		{"ruleset a: P do rule true ==> begin st[a] := B; end; end; function near(a: P): 0..N; var n: 0..N; begin n := 0; for q: P do if st[q] = st[a] then n := n + 1; end; end; return n; end;\ninvariant forall a: P do near(a) <= N end;", "a count that depends on a component"},
		{"invariant cnt < 7 | ptr != ptr;", ""},
	} {
		m, err := read(t, "m.m", []byte(countHead+c.src+"\n"), []string{"N"}, map[string]string{"N": "8"})
		if err != nil {
			t.Fatalf("%s: %v", c.src, err)
		}
		_, err = New(context.Background(), m, map[string]int{"N": 2}, nil)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "m.m:")) {
			t.Errorf("%s: %v, want %q", c.src, err, c.want)
		}
	}
}

// TestCountsTranslate: what is said of the numbers of our models is true in random states.
func TestCountsTranslate(t *testing.T) {
	for _, file := range []string{"sem_counter.m", "sem_counter_bug.m", "readers_count.m"} {
		src, err := os.ReadFile("../../../benchmarks/murphi/" + file)
		if err != nil {
			t.Fatal(err)
		}
		var n tally
		for size := 2; size <= 5; size++ {
			m, err := read(t, file, src, []string{"N"}, map[string]string{"N": fmt.Sprint(size)})
			if err != nil {
				t.Fatal(err)
			}
			c, err := New(context.Background(), m, map[string]int{"N": 2}, nil)
			if err != nil {
				t.Fatal(err)
			}
			r, x := rand.New(rand.NewPCG(uint64(size), 1)), newStructure(c)
			var states []model.State
			for range 40 {
				states = append(states, randomState(r, c, x))
			}
			compare(t, fmt.Sprintf("%s, size %d", file, size), c, states, &n)
		}
		if n.fired < 100 || n.known < 100 {
			t.Errorf("%s: %+v", file, n)
		}
	}
}
