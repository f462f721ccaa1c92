package murphitest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Loose returns a random model of components that seldom meet.
func Loose(rng *rand.Rand) string {
	var b strings.Builder
	pick := func(among ...string) string { return among[rng.IntN(len(among))] }
	b.WriteString("type P: " + pick("scalarset(2)", "scalarset(3)", "0..1") + "; L: 0..2;\n")
	b.WriteString("var a: array[P] of L; f: array[P] of boolean; k: array[P] of 0..1; s: array[0..1] of 0..1; x: 0..1; o: P;\n")
	fmt.Fprintf(&b, "startstate \"go\" begin for p: P do a[p] := 0; f[p] := false; k[p] := %d; end; s[0] := 0; s[1] := 0; x := %d; undefine o; end;\nruleset p: P do\n", rng.IntN(2), rng.IntN(2))
	for r := range 2 + rng.IntN(4) {
		fmt.Fprintf(&b, "rule \"r%d\" a[p] = %d", r, rng.IntN(3))
		for range rng.IntN(2 + rng.IntN(2)) {
			b.WriteString(" & " + pick("f[p]", "!f[p]", "f[p]", "k[p] = 1", "k[p] = 0", "!f[p]", "x = 0", "x = 1", "k[p] = 0", "!isundefined(o)", "isundefined(o)", "o = p", "s[k[p]] = 0", "s[1 - k[p]] = 1", "a[o] = 1", "exists q: P do a[q] = 1 end"))
		}
		fmt.Fprintf(&b, " ==> begin a[p] := %d; ", rng.IntN(3))
		for range rng.IntN(2 + rng.IntN(2)) {
			b.WriteString(pick("f[p] := !f[p]; ", "f[p] := !f[p]; ", "k[p] := 1; ", "f[p] := true; ", "f[p] := false; ", "k[p] := 1 - k[p]; ", "k[p] := 1 - k[p]; ", "x := 1 - x; ", "x := 1; ", "o := p; ", "undefine o; ", "undefine k[p]; ",
				"s[k[p]] := 1; ", "s[k[p]] := 1 - s[k[p]]; ", "s[0] := 0; ", "assume !f[p]; ", "assume x = 0; ", `if f[p] & k[p] = 1 then error "f"; end; `, "a[p] := a[p] + 1; ", "for q: P do f[q] := false; end; "))
		}
		b.WriteString("end;\n")
	}
	b.WriteString("end;\n")
	switch rng.IntN(4) {
	case 0:
		b.WriteString("rule \"idle\" " + pick("true", "x = 0", "s[0] = 1") + " ==> begin end;\n")
	case 1:
		b.WriteString("rule \"flip\" " + pick("true", "x = 0") + " ==> begin x := 1 - x; end;\n")
	case 2:
		b.WriteString("rule \"set\" true ==> begin x := 1; end;\n")
	}
	if rng.IntN(6) == 0 {
		b.WriteString("assume \"a\" " + pick("x = 0 | s[1] = 0", "forall p: P do !f[p] | x = 0 end") + ";\n")
	}
	return b.String()
}
