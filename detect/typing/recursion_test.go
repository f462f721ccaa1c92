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

func (r recursion) among(xs ...string) string { return xs[r.IntN(len(xs))] }

func (r recursion) p() string { return r.among("i", "i", "i", "j", "l", "l", "y[i]", "s", "r.a") }

func (r recursion) num() string {
	return r.among("0", "1", "1", "k", "o", "r.n", "x["+r.p()+"]", "rr["+r.p()+"].n")
}

// place is passed to the parameter by reference.
func (r recursion) place() string { return r.among("k", "o", "r.n", "x["+r.p()+"]") }

func (r recursion) stmt(depth int) string {
	if depth > 0 && r.IntN(3) == 0 {
		cond := r.among("again", "up()", "flag", "x["+r.p()+"] = "+r.num(), r.p()+" = "+r.p())
		return fmt.Sprintf("if %s then %s end;", cond, r.stmts(1+r.IntN(2), depth-1))
	}
	switch r.IntN(12) {
	case 0:
		return "l := " + r.p() + ";"
	case 1:
		return "k := " + r.num() + ";"
	case 2:
		return "o := " + r.num() + ";"
	case 3:
		return "r := rr[" + r.p() + "];"
	case 4:
		return "rr[" + r.p() + "] := r;"
	case 5:
		return "x[" + r.p() + "] := " + r.num() + ";"
	case 6:
		return "y[" + r.p() + "] := " + r.p() + ";"
	case 7:
		return r.among("return;", "flag := true;", `if k = 1 then error "E"; end;`, "undefine r.a;", "undefine rr["+r.p()+"].a;")
	}
	return fmt.Sprintf("if again then f(%s, %s, false, %s); end;", r.p(), r.p(), r.place())
}

func (r recursion) stmts(n, depth int) string {
	var b strings.Builder
	for range n {
		b.WriteString(r.stmt(depth) + " ")
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
