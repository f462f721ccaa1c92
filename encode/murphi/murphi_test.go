package murphi

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"orbitmc/internal/testkit/murphitest"
	"orbitmc/model"
)

var update = flag.Bool("update", false, "rewrite the dumps in testdata/ok")

// dumpMark begins the expected dump at the end of a file in testdata/ok; its
// lines are comments.
const dumpMark = "\n--- dump\n"

// TestOK compares the dump of every file in testdata/ok with the one it ends in.
func TestOK(t *testing.T) {
	files, err := filepath.Glob("testdata/ok/*.m")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test files: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text, want, _ := strings.Cut(string(src), dumpMark)
			// Line ends and a missing last newline make no difference.
			opt := options(file)
			m := mustParse(t, text, opt)
			crlf := mustParse(t, strings.ReplaceAll(text, "\n", "\r\n"), opt)
			if dump(crlf) != dump(m) {
				t.Error("CRLF line ends change the model")
			}
			got := dump(m)
			if *update {
				out := strings.TrimRight(text, "\n") + "\n" + dumpMark + comment(got)
				if err := os.WriteFile(file, []byte(out), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if comment(got) != want {
				t.Errorf("got:\n%swant:\n%s", comment(got), want)
			}
		})
	}
}

// options gives test files whose name says so the dialect of Rumur.
func options(file string) Options {
	if strings.HasSuffix(file, ".rumur.m") {
		return Options{Dialect: model.Rumur}
	}
	return Options{}
}

func comment(s string) string {
	return "-- " + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n-- ") + "\n"
}

func dump(m *model.Model) string { return murphitest.Dump(m) }

func mustParse(t *testing.T, src string, opt Options) *model.Model {
	t.Helper()
	m, err := Parse("test.m", []byte(src), opt)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var wantError = regexp.MustCompile(`-- ERROR (\d+) ("(?:[^"\\]|\\.)*")`)

// TestBad compares the errors in every file in testdata/bad with the comments
// -- ERROR column "regexp" on the lines they belong to.
func TestBad(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.m")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test files: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			type place struct {
				pos string
				re  *regexp.Regexp
			}
			var want []place
			for i, line := range strings.Split(string(src), "\n") {
				for _, m := range wantError.FindAllStringSubmatch(line, -1) {
					text, err := strconv.Unquote(m[2])
					if err != nil {
						t.Fatalf("line %d: %v", i+1, err)
					}
					want = append(want, place{fmt.Sprintf("%s:%d:%s: ", file, i+1, m[1]), regexp.MustCompile(text)})
				}
			}
			m, err := ReadFile(file, options(file))
			list, ok := err.(ErrorList)
			if !ok || m != nil {
				t.Fatalf("got model %v and error %v", m, err)
			}
			for i, e := range list {
				if i >= len(want) {
					t.Errorf("unexpected: %v", e)
				} else if w := want[i]; !strings.HasPrefix(e.Error(), w.pos) || !w.re.MatchString(e.Msg) {
					t.Errorf("got  %v\nwant %s%v", e, w.pos, w.re)
				}
			}
			for _, w := range want[min(len(list), len(want)):] {
				t.Errorf("missing: %s%v", w.pos, w.re)
			}
		})
	}
}

// TestPrecedence gives expressions and how they group.
func TestPrecedence(t *testing.T) {
	tests := []struct{ in, want string }{
		{"a & b | c", "((a & b) | c)"},
		{"a | b & c", "(a | (b & c))"},
		{"a | b -> c & d", "((a | b) -> (c & d))"},
		{"a -> b ? c : d", "((a -> b) ? c : d)"},
		{"a ? b -> c : d -> a", "(a ? (b -> c) : (d -> a))"},
		{"a ? b ? c : d : a", "(a ? (b ? c : d) : a)"},
		{"!a & b", "(!a & b)"},
		{"!a = b", "!(a = b)"},
		{"!a = b & c", "(!(a = b) & c)"},
		{"a = !b", "(a = !b)"},
		{"a = !b = c", "(a = !(b = c))"},
		{"a & !b = c | d", "((a & !(b = c)) | d)"},
		{"!!a", "!!a"},
		{"a && b || c", "((a & b) | c)"},
		{"a | b && c", "((a | b) & c)"},
		{"a || b && c", "(a | (b & c))"},
		{"a & b && c & d", "(a & b & c & d)"},
		{"a ∨ b ∧ c | d", "(a | (b & (c | d)))"},
		{"i + j < k - i", "((i + j) < (k - i))"},
		{"i - j - k = 0", "(((i - j) - k) = 0)"},
		{"i + j * k = 0", "((i + (j * k)) = 0)"},
		{"i * j / k % i = 0", "((((i * j) / k) % i) = 0)"},
		{"i / j * k = 0", "(((i / j) * k) = 0)"},
		{"i - (j - k) = 0", "((i - (j - k)) = 0)"},
		{"-i * j = 0", "((-i * j) = 0)"},
		{"-i + j = 0", "((-i + j) = 0)"},
		{"i - -j = 0", "((i - -j) = 0)"},
		{"+i * -+j = 0", "((i * -j) = 0)"},
		{"i = j & a", "((i = j) & a)"},
		{"a & i != j -> b", "((a & (i != j)) -> b)"},
		{"forall n : 0..3 do n = i end & a", "(forall n : 0..3 do (n = i) end & a)"},
		{"!exists n : 0..3 do n = i endexists | a", "(!exists n : 0..3 do (n = i) end | a)"},
		{"forall n : 0..1; m := n to 3 : n = m end", "forall n : 0..1 do forall m := n to 3 do (n = m) end end"},
		{"(a ? i : j) + 1 = 0", "(((a ? i : j) + 1) = 0)"},
		{"a & b & c & d & a & b & c", "(a & b & c & d & a & b & c)"},
		{"(i | j ^ k & i) = 0", "((i | (j ^ (k & i))) = 0)"},
		{"(i & j | k) = 0", "(((i & j) | k) = 0)"},
		{"i << j + k < i", "((i << (j + k)) < i)"},
		{"i << j >> k = 0", "(((i << j) >> k) = 0)"},
		{"~i + j = 0", "((~i + j) = 0)"},
		{"-~-i * j = 0", "((-~-i * j) = 0)"},
		{"(i & j & k) = 0", "(((i & j) & k) = 0)"},
		{"a & (i & j) = k", "(a & ((i & j) = k))"},
		{"a || b | c && d", "(a | ((b | c) & d))"},
	}
	for _, tt := range tests {
		m := mustParse(t, "var a, b, c, d : boolean; i, j, k : 0..7; startstate a := "+tt.in+"; end;", Options{})
		_, got, _ := strings.Cut(dump(m), "  a := ")
		got, _, _ = strings.Cut(got, "\n")
		if got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.in, got, tt.want)
		}
	}
}

// TestOverrides sets constants from outside; those declared in terms of them
// follow.
func TestOverrides(t *testing.T) {
	const src = `const N : 3; M : N * 2; B : false;
type E : enum { red, green }; const C : red; type T : 0..M;
startstate end; rule const N : 1; begin end;`
	tests := []struct {
		set  map[string]string
		want string // constants, or the error
	}{
		{nil, "N=3 M=6 B=false C=red 0..6"},
		{map[string]string{"N": "5"}, "N=5 M=10 B=false C=red 0..10"},
		{map[string]string{"M": " 1 ", "N": "-2"}, "N=-2 M=1 B=false C=red 0..1"},
		{map[string]string{"B": "TRUE", "C": "green"}, "N=3 M=6 B=true C=green 0..6"},
		{map[string]string{"N": "-1"}, "f.m:2:55: the range 0..-2 is empty"},
		{map[string]string{"N": "x"}, `f.m:1:7: constant N cannot have the value "x": it is of type integer`},
		{map[string]string{"N": "99999999999999999999"}, `f.m:1:7: constant N cannot have the value "99999999999999999999": it is of type integer`},
		{map[string]string{"B": "1"}, `f.m:1:25: constant B cannot have the value "1": it is of type boolean`},
		{map[string]string{"C": "blue"}, `f.m:2:37: constant C cannot have the value "blue": it is of type E`},
		{map[string]string{"N": "9223372036854775807"}, "f.m:1:20: the result of 9223372036854775807 * 2 does not fit in 64 bits"},
		{map[string]string{"Z": "1", "A": "1", "N": "1"}, "f.m: the model has no constant A; its constants are N, M, B, C\n" +
			"f.m: the model has no constant Z; its constants are N, M, B, C"},
		{map[string]string{"n": "1"}, "f.m: the model has no constant n; its constants are N, M, B, C"},
		{map[string]string{"red": "1"}, "f.m: the model has no constant red; its constants are N, M, B, C"},
	}
	for _, tt := range tests {
		m, err := Parse("f.m", []byte(src), Options{Consts: tt.set})
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			for _, c := range m.Consts {
				v := strconv.FormatInt(c.Value, 10)
				if !c.Type.Numeric() {
					v = c.Type.Format(c.Value)
				}
				got += c.Name + "=" + v + " "
			}
			u := m.Types[1]
			got += fmt.Sprintf("%d..%d", u.Lo, u.Hi)
		}
		if got != tt.want {
			t.Errorf("%v:\ngot  %s\nwant %s", tt.set, got, tt.want)
		}
	}
	_, err := Parse("f.m", []byte("startstate end;"), Options{Consts: map[string]string{"N": "1"}})
	if want := "f.m: the model has no constant N; it has no constants"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestDialects gives texts whose meaning depends on the dialect.
func TestDialects(t *testing.T) {
	const octal = "var x : 0..010; startstate end;"
	if hi := mustParse(t, octal, Options{}).Vars[0].Type.Hi; hi != 10 {
		t.Errorf("cmurphi: 010 is %d", hi)
	}
	if hi := mustParse(t, octal, Options{Dialect: model.Rumur}).Vars[0].Type.Hi; hi != 8 {
		t.Errorf("rumur: 010 is %d", hi)
	}
	const down = "startstate for i := 2 to 1 do end; end;"
	m := mustParse(t, down, Options{Deadlock: model.DeadlockOff})
	if f := m.Starts[0].Body[0].(*model.For); f.Var.Type != model.IntType || len(f.Domain.Values()) != 0 {
		t.Errorf("cmurphi: the empty loop has type %v", f.Var.Type)
	}
	if len(m.Props) != 1 || m.Dialect != model.CMurphi || m.Deadlock != model.DeadlockOff {
		t.Errorf("options are not carried over: %d properties, %v, %v", len(m.Props), m.Dialect, m.Deadlock)
	}
	if m := mustParse(t, "startstate end;", Options{LoopMax: 7}); m.LoopMax != 7 {
		t.Errorf("LoopMax is %d", m.LoopMax)
	}
	for src, want := range map[string]string{
		"type E : enum { A, B }; var x : 0..B; startstate end;": "f.m:1:36: a range bound must be a number, not of type E",
		"var x : 0..1; startstate end; rule x ==> end;":         "f.m:1:36: the guard must be boolean, not of type 0..1: compare it with a number",
		"startstate end; /* open":                               "f.m:1:17: comment does not end",
		"startstate \"a\nb\" end;": "f.m:1:12: string does not end on its line\nf.m:2:2: string does not end on its line\n" +
			"f.m:2:2: expected ':=', found a string\nf.m:2:8: expected 'end' of the start state at 1:1, found end of file",
	} {
		if _, err := Parse("f.m", []byte(src), Options{}); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", src, err, want)
		}
		mustParse(t, src, Options{Dialect: model.Rumur})
	}
	for src, want := range map[string]string{
		"startstate \"a\nend;":           "f.m:1:12: string does not end",
		down:                             "f.m:1:16: the loop from 2 to 1 steps the wrong way",
		"var x : 0..09; startstate end;": "f.m:1:12: the number 09 is not octal",
	} {
		_, err := Parse("f.m", []byte(src), Options{Dialect: model.Rumur})
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", src, err, want)
		}
	}
}

// TestIdentity checks what a dump does not show: which types and variables are
// one and the same.
func TestIdentity(t *testing.T) {
	m := mustParse(t, `type A : 1..3; B : A; C : enum { cc }; D : C; S : scalarset(2); P : S;
var a : A; b : B; c : C; d : D; s : S; q : P; r : scalarset(4);
ruleset i : S do startstate a := 1; end; rule s = i ==> end; end;`, Options{})
	typ := func(i int) *model.Type { return m.Vars[i].Type }
	if typ(0) == typ(1) || typ(1).Name != "B" || typ(1).Lo != 1 || typ(1).Hi != 3 {
		t.Error("a name for a range does not make a range of its own")
	}
	if typ(2) != typ(3) || typ(2).Name != "C" || typ(4) != typ(5) || typ(4).Name != "S" {
		t.Error("a name for a type other than a range does not share it")
	}
	if len(m.Types) != 4 || len(m.Scalarsets) != 2 {
		t.Errorf("%d types and %d scalarsets", len(m.Types), len(m.Scalarsets))
	}
	for i, s := range m.Scalarsets {
		if s.Class != i {
			t.Errorf("scalarset %d has class %d", i, s.Class)
		}
	}
	if m.Scalarsets[0] != typ(4) || m.Scalarsets[1] != typ(6) {
		t.Error("scalarsets are not in source order")
	}
	guard := m.Rules[0].Guard.(*model.Binary)
	if guard.Y.(*model.Ref).Var != m.Rules[0].Params[0].Var {
		t.Error("the guard does not refer to the parameter")
	}
	if guard.Pos != (model.Pos{Line: 3, Col: 49}) || m.Rules[0].Pos != (model.Pos{Line: 3, Col: 42}) {
		t.Errorf("rule at %v, guard at %v", m.Rules[0].Pos, guard.Pos)
	}
}

// TestStringEnd covers a string without an end, which cannot share its line with
// an expectation.
func TestStringEnd(t *testing.T) {
	for src, want := range map[string]string{
		"rule \"name\n end; startstate end;": "f.m:1:6: string does not end on its line",
		"rule \"name":                        "f.m:1:6: string does not end on its line\nf.m:1:11: expected 'end' of the rule at 1:1, found end of file",
		"rule \"name\\":                      "f.m:1:6: string does not end on its line\nf.m:1:12: expected 'end' of the rule at 1:1, found end of file",
	} {
		if _, err := Parse("f.m", []byte(src), Options{}); err == nil || err.Error() != want {
			t.Errorf("%q: got %v\nwant %s", src, err, want)
		}
	}
}

// TestReadFile covers a file that is not there and one that is in error.
func TestReadFile(t *testing.T) {
	if _, err := ReadFile("testdata/none.m", Options{}); !os.IsNotExist(err) {
		t.Errorf("got %v", err)
	}
	_, err := ReadFile("testdata/bad/start.m", Options{})
	var e *Error
	if !errors.As(err, &e) || e.File != "testdata/bad/start.m" || e.Pos != (model.Pos{Line: 1, Col: 1}) {
		t.Errorf("got %v", err)
	}
}

// What SetConsts writes is what overrides mean.
func TestSetConsts(t *testing.T) {
	tests := []struct {
		src  string
		set  map[string]string
		want string
	}{
		{"const N: 3; -- three\n  M: N * 2; B : false;", map[string]string{"N": "5", "B": "true"}, "const N: 5; -- three\n  M: N * 2; B: true;"},
		{"const A, N : 3 /* both */; M: (A + N) -- sum\n;", map[string]string{"N": "-1"}, "const A: 3; N: -1 /* both */; M: (A + N) -- sum\n;"},
		{"\ufeffconst N: 3 M: N", map[string]string{"M": "7"}, "const N: 3 M: 7"},
		{"type E: enum {red, green}; const C: red;", map[string]string{"C": "green"}, "type E: enum {red, green}; const C: green;"},
		{"const N: 3; function f(): 0..9; const N: 4; begin return N; end;", map[string]string{"N": "5"}, "const N: 5; function f(): 0..9; const N: 4; begin return N; end;"},
	}
	for _, tt := range tests {
		out, err := SetConsts("f.m", []byte(tt.src), tt.set, 0)
		if err != nil || string(out) != tt.want {
			t.Errorf("got  %q, %v\nwant %q", out, err, tt.want)
			continue
		}
		a, err := Parse("f.m", []byte(tt.src+" startstate end;"), Options{Consts: tt.set})
		if err != nil {
			t.Fatal(err)
		}
		b, err := Parse("f.m", append(out, " startstate end;"...), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range a.Consts {
			if d := b.Consts[i]; c.Name != d.Name || c.Value != d.Value {
				t.Errorf("%q: %s is %d, want %s %d", tt.src, d.Name, d.Value, c.Name, c.Value)
			}
		}
	}
}

// TestAssignmentFirst: a rule without guard and begin may start with an assignment to any
// place, and ':=' in an index is still an error.
func TestAssignmentFirst(t *testing.T) {
	const head = `type P: scalarset(2); R: record a: array [P] of P; end; var x: array [P] of P; r: R; s: P;
startstate begin undefine x; undefine r; undefine s; end;
`
	for _, rule := range []string{"x[p] := s;", "r.a[x[p]] := p;", "x[x[x[p]]] := p; s := p;"} {
		if _, err := Parse("m.m", []byte(head+"ruleset p: P do rule "+rule+" end; end;"), Options{}); err != nil {
			t.Errorf("%s: %v", rule, err)
		}
	}
	if _, err := Parse("m.m", []byte(head+"ruleset p: P do rule x[p := s] := s; end; end;"), Options{}); err == nil {
		t.Error("':=' in an index is accepted")
	}
}
