package murphi

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"orbitmc/internal/testkit/nightly"
	"orbitmc/model"
)

// TestNesting checks that nesting is limited, wherever it occurs, with one
// error, and that what is within the limit is read.
func TestNesting(t *testing.T) {
	const open = "var x : boolean; n : 0..1; startstate "
	nests := map[string]func(n int) string{
		"parentheses": func(n int) string {
			return open + "x := " + strings.Repeat("(", n) + "x" + strings.Repeat(")", n) + "; end;"
		},
		"not":   func(n int) string { return open + "x := " + strings.Repeat("!", n) + "x; end;" },
		"minus": func(n int) string { return open + "n := " + strings.Repeat("- ", n) + "n; end;" },
		"implies": func(n int) string {
			return open + "x := " + strings.Repeat("x -> (", n) + "x" + strings.Repeat(")", n) + "; end;"
		},
		"index": func(n int) string {
			return "var a : array [0..1] of 0..1; startstate a[0] := " + strings.Repeat("a[", n) + "0" + strings.Repeat("]", n) + "; end;"
		},
		"forall": func(n int) string {
			return open + "x := " + strings.Repeat("forall i : 0..1 do ", n) + "x" + strings.Repeat(" end", n) + "; end;"
		},
		"quantifiers": func(n int) string {
			return open + "for " + strings.TrimSuffix(quantifierList(n), ";") + " do end; end;"
		},
		"if": func(n int) string {
			return open + strings.Repeat("if x then ", n) + strings.Repeat(" end;", n) + " end;"
		},
		"while": func(n int) string {
			return open + strings.Repeat("while x do ", n) + strings.Repeat(" end;", n) + " end;"
		},
		"alias": func(n int) string {
			return open + strings.Repeat("alias y : n do ", n) + strings.Repeat(" end;", n) + " end;"
		},
		"aliases": func(n int) string {
			return open + "alias " + strings.Repeat("y : n; ", n) + "do end; end;"
		},
		"alias rules": func(n int) string {
			return strings.TrimSuffix(open, "startstate ") + strings.Repeat("alias y : n + 1 do ", n) + "startstate end;" + strings.Repeat(" end;", n)
		},
		"choose": func(n int) string {
			return "var m : multiset [1] of boolean; startstate end; " + strings.Repeat("choose i : m do ", n) + "rule end;" + strings.Repeat(" end;", n)
		},
		"calls": func(n int) string {
			return "function f(x : boolean) : boolean; begin return x; end; " + open + "x := " + strings.Repeat("f(", n) + "x" + strings.Repeat(")", n) + "; end;"
		},
		"counts": func(n int) string {
			return "var m : multiset [1] of boolean; " + open + "n := " + strings.Repeat("multisetcount(i : m, 0 = ", n) + "0" + strings.Repeat(")", n) + "; end;"
		},
		"complement": func(n int) string { return open + "n := " + strings.Repeat("~", n) + "n; end;" },
		"multiset": func(n int) string {
			return "var a : " + strings.Repeat("multiset [1] of ", n) + "boolean; startstate end;"
		},
		"rulesets": func(n int) string {
			return strings.Repeat("ruleset i : 0..1 do ", n) + "startstate end;" + strings.Repeat(" end;", n)
		},
		"array": func(n int) string {
			return "var a : " + strings.Repeat("array [0..0] of ", n) + "boolean; startstate end;"
		},
		"named types": func(n int) string {
			var b strings.Builder
			b.WriteString("type T0 : boolean;\n")
			for i := range n {
				fmt.Fprintf(&b, "T%d : record f : T%d; end;\n", i+1, i)
			}
			return b.String() + "startstate end;"
		},
	}
	for name, make := range nests {
		mustParse(t, make(200), Options{})
		_, err := Parse("f.m", []byte(make(100_000)), Options{})
		list, ok := err.(ErrorList)
		if !ok || !strings.Contains(list[0].Msg, "nested more than 1000 deep") {
			t.Errorf("%s: got %.200v", name, err)
		}
		if name != "named types" && len(list) != 1 {
			t.Errorf("%s: %d errors", name, len(list))
		}
	}
}

func quantifierList(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "i%d : 0..1; ", i)
	}
	return strings.TrimSpace(b.String())
}

// TestChains checks that chains may be long, and that the result is not deep
// where the operator allows it.
func TestChains(t *testing.T) {
	const n = 50_000
	src := "var x : boolean; n : 0..1; startstate x := x" + strings.Repeat(" & x", n) + "; x := x" + strings.Repeat(" | x", n) +
		"; n := n" + strings.Repeat(" + n", maxArith) + "; end;"
	body := mustParse(t, src, Options{}).Starts[0].Body
	for i, want := range []int{17, 17, maxArith + 1} {
		if got := depth(body[i].(*model.Assign).RHS); got != want {
			t.Errorf("chain %d: depth %d, want %d", i, got, want)
		}
	}
	if got := leaves(body[0].(*model.Assign).RHS); got != n+1 {
		t.Errorf("%d operands, want %d", got, n+1)
	}
	_, err := Parse("f.m", []byte(strings.Replace(src, "n + n", "n + n + n", 1)), Options{})
	if err == nil || !strings.Contains(err.Error(), "more than 10000 operands") {
		t.Errorf("got %.200v", err)
	}
}

func depth(e model.Expr) int {
	if b, ok := e.(*model.Binary); ok {
		return 1 + max(depth(b.X), depth(b.Y))
	}
	return 1
}

func leaves(e model.Expr) int {
	if b, ok := e.(*model.Binary); ok {
		return leaves(b.X) + leaves(b.Y)
	}
	return 1
}

// TestNoise reads large inputs that are not Murphi: errors, soon.
func TestNoise(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	size := nightly.Or(1<<20, 10<<20)
	bytes := make([]byte, size)
	for i := range bytes {
		bytes[i] = byte(rnd.Uint32())
	}
	words := []string{"rule ", "end ", "( ", ") ", "x ", "var ", ": ", "; ", "\n", "begin ", "if ", "= ", "\"s\" ", ":= ", "1 "}
	var salad strings.Builder
	for salad.Len() < size {
		salad.WriteString(words[rnd.IntN(len(words))])
	}
	for name, src := range map[string]string{
		"bytes":      string(bytes),
		"words":      salad.String(),
		"zeros":      string(make([]byte, size)),
		"name":       strings.Repeat("a", size),
		"selectors":  "var x : boolean; startstate x" + strings.Repeat(".x", size/2) + " := x; end;",
		"semicolons": strings.Repeat(";", size),
		"comment":    "/*" + strings.Repeat("*", size),
		"fields":     "type R : record " + strings.Repeat("a : R; ", size/7),
	} {
		_, err := Parse("f.m", []byte(src), Options{})
		list, ok := err.(ErrorList)
		if !ok || len(list) > maxErrors+1 {
			t.Errorf("%s: got %.200v", name, err)
		}
		for _, e := range list {
			if len(e.Msg) > 300 {
				t.Errorf("%s: a message of %d bytes", name, len(e.Msg))
			}
		}
	}
}

// TestRepeat checks the limits on what is repeated in rules and in guards.
func TestRepeat(t *testing.T) {
	rules := func(n int) string {
		return "var n : 0..9; startstate n := 0; end;\nalias " + strings.Repeat("y : n + 1; ", 500) + "do " + strings.Repeat("rule end;", n) + " end;"
	}
	levels := func(n int) string {
		return "startstate end;\n" + strings.Repeat("rule true ==> end;", n) + strings.Repeat("rule 1 begin end;", n)
	}
	for _, tt := range []struct {
		make func(int) string
		n    int
		want string
	}{
		{rules, 2097, "f.m:2:24383: what aliases and choose around rules repeat in them has more than 1048576 parts"},
		{levels, 256, "f.m:2:8962: rule priorities relate more than 65536 pairs of rules"},
	} {
		mustParse(t, tt.make(tt.n), Options{})
		if _, err := Parse("f.m", []byte(tt.make(tt.n+1)), Options{}); err == nil || err.Error() != tt.want {
			t.Errorf("got %.200v, want %s", err, tt.want)
		}
	}
}

// TestSelf checks that what a procedure changes is found through calls of itself
// that hand it on, one parameter a time.
func TestSelf(t *testing.T) {
	const n = 200
	var b strings.Builder
	b.WriteString("var n : 0..3; function f(var x0")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, ", x%d", i)
	}
	fmt.Fprintf(&b, " : 0..3) : boolean; begin if n = 0 then x%d := 1; return true; end; return f(x0", n-1)
	for i := range n - 1 {
		fmt.Fprintf(&b, ", x%d", i)
	}
	b.WriteString("); end; function g() : boolean; var l : 0..3; begin return f(n" + strings.Repeat(", l", n-1) + "); end;\n" +
		"rule g() ==> end; startstate end;")
	_, err := Parse("f.m", []byte(b.String()), Options{})
	if want := "f.m:2:6: g cannot be called in the guard, which must not change anything: it changes x199 at 1:"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}

// TestLowering checks the limit on what comparing whole records may expand to.
func TestLowering(t *testing.T) {
	var b strings.Builder
	b.WriteString("type T0 : boolean;\n")
	for i := range 21 {
		fmt.Fprintf(&b, "T%d : record f, g : T%d; end;\n", i+1, i)
	}
	src := b.String() + "var x, y : T%d; startstate if x = y then end; end;"
	if _, err := Parse("f.m", fmt.Appendf(nil, src, 10), Options{}); err != nil {
		t.Error(err)
	}
	_, err := Parse("f.m", fmt.Appendf(nil, src, 21), Options{})
	if want := "f.m:23:33: comparing and copying whole records takes more than 1048576 parts"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
