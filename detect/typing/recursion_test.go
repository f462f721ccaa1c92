package typing_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"orbitmc/model"
)

// recursion makes random models whose loops over a class call a procedure that calls itself, and a
// function without parameters that looks at the whole state.
type recursion struct{ *rand.Rand }

func (g recursion) among(xs ...string) string { return xs[g.IntN(len(xs))] }

func (g recursion) p() string { return g.among("i", "i", "i", "j", "l", "l", "y[i]", "s", "r.a") }

func (g recursion) num() string {
	return g.among("0", "1", "1", "k", "o", "r.n", "x["+g.p()+"]", "rr["+g.p()+"].n")
}

// place is passed to the parameter by reference.
func (g recursion) place() string { return g.among("k", "o", "r.n", "x["+g.p()+"]") }

func (g recursion) stmt(depth int) string {
	if depth > 0 && g.IntN(3) == 0 {
		cond := g.among("again", "up()", "flag", "x["+g.p()+"] = "+g.num(), g.p()+" = "+g.p())
		return fmt.Sprintf("if %s then %s end;", cond, g.stmts(1+g.IntN(2), depth-1))
	}
	switch g.IntN(12) {
	case 0:
		return "l := " + g.p() + ";"
	case 1:
		return "k := " + g.num() + ";"
	case 2:
		return "o := " + g.num() + ";"
	case 3:
		return "r := rr[" + g.p() + "];"
	case 4:
		return "rr[" + g.p() + "] := r;"
	case 5:
		return "x[" + g.p() + "] := " + g.num() + ";"
	case 6:
		return "y[" + g.p() + "] := " + g.p() + ";"
	case 7:
		return g.among("return;", "flag := true;", `if k = 1 then error "E"; end;`, "undefine r.a;", "undefine rr["+g.p()+"].a;")
	}
	return fmt.Sprintf("if again then f(%s, %s, false, %s); end;", g.p(), g.p(), g.place())
}

func (g recursion) stmts(n, depth int) string {
	var b strings.Builder
	for range n {
		b.WriteString(g.stmt(depth) + " ")
	}
	return b.String()
}

func randomRecursion(seed uint64, _ model.Dialect) string {
	g := recursion{rand.New(rand.NewPCG(seed, 11))}
	return fmt.Sprintf(`type P: scalarset(3); R: record a: P; n: 0..1; end;
var x: array [P] of 0..1; y: array [P] of P; rr: array [P] of R; s: P; flag: boolean;
startstate for i: P do x[i] := 0; y[i] := i; rr[i].n := 0; end; flag := false; end;
function up(): boolean; begin for i: P do if %s then return true; end; end; return %s; end;
procedure f(i: P; j: P; again: boolean; var o: 0..1); var l: P; k: 0..1; r: R;
begin l := %s; k := %s; r.n := 0; %s end;
ruleset p: P do rule "set" %s s := p; x[p] := 1 - x[p]; rr[p].a := p; flag := %s; end; end;
rule "all" %s var o: 0..1; begin %s for q: P do o := 0; f(q, %s, true, %s); end; end;
`, g.among("x[i] = 1", "rr[i].n = 1", "!isundefined(rr[i].a)", "y[i] = i"), g.among("flag", "false"),
		g.among("i", "i", "j"), g.among("0", "1", "x[i]"), g.stmts(2+g.IntN(4), 2),
		g.among("", "up() ==>", "!up() ==>"), g.among("up()", "!flag", "false"),
		g.among("", "up() ==>", "!isundefined(s) ==>", "!up() & flag ==>"), g.among("", "flag := up();", "flag := false;"),
		g.among("q", "s", "y[q]"), g.among("o", "x[q]", "rr[q].n"))
}

// TestRandomRecursion compares, for both derivations, models with recursion in loops.
func TestRandomRecursion(t *testing.T) {
	t.Run("first", func(t *testing.T) {
		if sum := sweep(t, 150, compare, randomRecursion); sum.looping < 20 || sum.refused < 20 {
			t.Errorf("the models show too little: %+v", sum)
		}
	})
	t.Run("second", func(t *testing.T) {
		if sum := sweep(t, 60, compareTyped, randomRecursion); sum.accepted < 30 || sum.refused < 30 {
			t.Errorf("the models show too little: %+v", sum)
		}
	})
}
