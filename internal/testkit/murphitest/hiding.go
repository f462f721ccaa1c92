package murphitest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Hiding returns the text of a random model with quantifiers that may stop before an
// operand that errs: in guards, bodies, functions, properties and their parameters.
func Hiding(r *rand.Rand) string {
	pick := func(ss ...string) string { return ss[r.IntN(len(ss))] }
	// Of component x: what is always defined, and what may be undefined.
	sure := func(x string) string {
		return strings.ReplaceAll(pick("a[$] = 0", "a[$] > 0", "a[$] = 1", "!isundefined(u[$])", "n > 0", "isundefined(g)"), "$", x)
	}
	maybe := func(x string) string {
		return strings.ReplaceAll(pick("u[$]", "!u[$]", "w[$] = 1", "v[$] = $", "a[v[$]] = 1", "u[v[$]]"), "$", x)
	}
	term := func(x string) string {
		return fmt.Sprintf(pick("(%[1]s & %[2]s)", "(%[1]s -> %[2]s)", "(%[2]s | %[1]s)", "%[2]s", "(%[1]s | %[2]s)"), sure(x), maybe(x))
	}
	quant := func() string {
		inner := term("q")
		if r.IntN(4) == 0 {
			inner = fmt.Sprintf("%s (%s p: P do %s end)", sure("q")+pick(" &", " |", " ->"), pick("forall", "exists"), term("p"))
		}
		return fmt.Sprintf("%s q: P do %s end", pick("forall", "exists"), inner)
	}
	write := func(x string) string {
		s := pick("a[$] := 1 - a[$]", "u[$] := true", "u[$] := false", "undefine u[$]", "w[$] := 1", "undefine w[$]", "v[$] := $", "undefine v[$]",
			"n := 1 - n", "g := $", "undefine g", "a[$] := 1; u[$] := true; v[$] := $", "if "+term("$")+" then a[$] := 0; end",
			"if "+quant()+" then n := 1; end", "if some() then n := 0; end", "for y: P do if a[y] = 1 then u[y] := true; end; end")
		return strings.ReplaceAll(s, "$", x)
	}
	start := ""
	if r.IntN(8) == 0 {
		start = fmt.Sprintf(" for p: P do if a[p] = 0 & isundefined(g) then u[p] := false; g := p; end; end; if %s then n := 1; end;", quant())
	}
	var b strings.Builder
	fmt.Fprintf(&b, `type P: scalarset(3);
var a: array [P] of 0..1; u: array [P] of boolean; w: array [P] of 0..1; v: array [P] of P; n: 0..1; g: P;
function some(): boolean; begin return %s; end;
startstate for p: P do a[p] := 0; undefine u[p]; undefine w[p]; undefine v[p]; end; n := 0; undefine g;%s end;
`, quant(), start)
	for i := range 2 + r.IntN(2) {
		guard := pick(sure("p"), sure("p"), sure("p")+" & "+maybe("p"), "("+quant()+")", sure("p")+" & ("+quant()+")", "some()")
		fmt.Fprintf(&b, "ruleset p: P do rule \"r%d\" %s ==> %s; %s; end; end;\n", i, guard, write("p"), write("p"))
	}
	if r.IntN(2) == 0 {
		fmt.Fprintf(&b, "rule \"all\" %s ==> n := 1 - n; end;\n", quant())
	}
	fmt.Fprintf(&b, "invariant \"i\" %s;\n", quant())
	fmt.Fprintf(&b, "ruleset p: P do invariant \"j\" %s; end;\n", term("p"))
	if r.IntN(3) == 0 {
		fmt.Fprintf(&b, "assume \"k\" %s;\n", quant())
	}
	return b.String()
}
