package murphitest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// This file makes random models of components that store nothing of each other, for tests of package
// counters.

// Counted returns the source of a random model with a class PROC, of 2 to 4 components, which mostly can be
// counted: a scalarset, or a range of which one value or none has a name. Each component has up to three
// leaves, of which one may be undefined. Rules have up to two components as parameters, quantifiers and
// loops over components of every form that package counters takes, and of some that it refuses. Errors, assertions and
// assumptions occur.
func Counted(rng *rand.Rand) string {
	g := &countedGen{rng: rng, n: 2 + rng.IntN(3)}
	g.named = g.one(3)
	g.model()
	return g.b.String()
}

// CountedChances is Counted with rules that have probabilities, which need not add up. Of the components in a distribution some
// are its parameters and some are those of one rule in it.
func CountedChances(rng *rand.Rand) string {
	g := &countedGen{rng: rng, n: 2 + rng.IntN(3), chances: true}
	g.named = g.one(3)
	g.model()
	return g.b.String()
}

type countedGen struct {
	rng                      *rand.Rand
	b                        strings.Builder
	n                        int
	named                    bool // the last component is called by its name
	ranged, hold, data, deep bool
	bound                    int // names that were used
	chances                  bool
	weight                   string // of the rule at hand, a real number
}

// one is true once in n times.
func (g *countedGen) one(n int) bool { return g.rng.IntN(n) == 0 }

func (g *countedGen) of(xs ...string) string { return xs[g.rng.IntN(len(xs))] }

func (g *countedGen) f(format string, args ...any) { fmt.Fprintf(&g.b, format+"\n", args...) }

func (g *countedGen) fresh(prefix string) string {
	g.bound++
	return fmt.Sprint(prefix, g.bound)
}

func (g *countedGen) model() {
	g.ranged = g.named || g.one(3)
	g.hold, g.data, g.deep = !g.one(3), g.one(2), g.one(4)
	proc := fmt.Sprintf("scalarset(%d)", g.n)
	if g.ranged {
		proc = fmt.Sprintf("1..%d", g.n)
	}
	g.f("type PROC: %s;\n  PHASE: enum {N, T, C};\n  DATA: scalarset(2);\n  SMALL: 0..2;", proc)
	g.f("var State: array[PROC] of PHASE;")
	if g.hold {
		g.f("  Hold: array[PROC] of boolean;")
	}
	if g.data {
		g.f("  Val: array[PROC] of DATA;\n  Mem: DATA;")
	}
	if g.deep {
		g.f("  Box: array[0..1] of array[PROC] of record Full: boolean; end;")
	}
	g.f("  G: SMALL;\n  B: boolean;")
	g.f("startstate \"Init\"\n  for p: PROC do State[p] := N; end;")
	if g.hold {
		g.f("  for p: PROC do Hold[p] := false; end;")
	}
	if g.deep {
		g.f("  for p: PROC do Box[0][p].Full := false; Box[1][p].Full := false; end;")
	}
	if g.data {
		g.f("  undefine Mem;")
		if g.one(2) {
			g.f("  undefine Val;")
		}
	}
	g.f("  G := 0; B := false;\nend;")
	if g.one(4) { // a start state that tells one apart
		g.f("ruleset p: PROC do startstate \"One\"\n  clear State;")
		if g.hold {
			g.f("  clear Hold;")
		}
		if g.deep {
			g.f("  clear Box;")
		}
		g.f("  State[p] := T; G := 1; B := false;")
		if g.data {
			g.f("  undefine Mem;")
		}
		g.f("end; end;")
	}
	for i := range 1 + g.rng.IntN(4) {
		g.rule(i)
	}
	if g.data {
		g.f("ruleset d: DATA do rule \"Store\" isundefined(Mem) ==> begin Mem := d; end; end;")
	}
	for i := range g.rng.IntN(3) {
		g.property(i)
	}
	if g.one(8) {
		g.f("assume \"A\" forall a: PROC do State[a] = C -> !B end;")
	}
}

// procs returns names of components: those in scope, and the one with a name.
func (g *countedGen) procs(scope []string) []string {
	if g.named {
		return append(append([]string{}, scope...), fmt.Sprint(g.n))
	}
	return scope
}

// leaf returns a condition on a leaf of a component.
func (g *countedGen) leaf(p string) string {
	all := []string{fmt.Sprintf("State[%s] = %s", p, g.of("N", "T", "C")), fmt.Sprintf("State[%s] != %s", p, g.of("N", "T", "C"))}
	if g.hold {
		all = append(all, fmt.Sprintf("Hold[%s]", p), fmt.Sprintf("!Hold[%s]", p))
	}
	if g.data {
		all = append(all, fmt.Sprintf("isundefined(Val[%s])", p), fmt.Sprintf("Val[%s] = Mem", p), fmt.Sprintf("Val[%s] != Mem", p))
	}
	if g.deep {
		all = append(all, fmt.Sprintf("Box[%d][%s].Full", g.rng.IntN(2), p), fmt.Sprintf("exists i: 0..1 do Box[i][%s].Full end", p))
	}
	return g.of(all...)
}

// cond returns a condition.
func (g *countedGen) cond(scope []string, depth int) string {
	known := g.procs(scope)
	switch k := g.rng.IntN(10); {
	case k < 3 && len(known) > 0:
		return g.leaf(g.of(known...))
	case k < 5 && depth > 0:
		q := g.fresh("q")
		body := g.leaf(q)
		if g.one(2) {
			body = g.cond(append(append([]string{}, scope...), q), depth-1)
		}
		if len(known) > 0 && g.one(2) {
			body = fmt.Sprintf("%s %s %s & (%s)", q, g.of("=", "!="), g.of(known...), body)
		}
		return fmt.Sprintf("%s %s: PROC do %s end", g.of("forall", "exists"), q, body)
	case k < 7 && depth > 0:
		return fmt.Sprintf("((%s) %s (%s))", g.cond(scope, depth-1), g.of("&", "|", "->"), g.cond(scope, depth-1))
	case k == 7 && len(known) > 1:
		return fmt.Sprintf("%s %s %s", g.of(known...), g.of("=", "!="), g.of(known...))
	}
	return g.of("B", "!B", "G = 0", "G < 2", "G > 0")
}

func (g *countedGen) rule(i int) {
	var scope []string
	for range g.rng.IntN(3) {
		scope = append(scope, g.fresh("p"))
	}
	if g.chances && !g.one(3) {
		g.distribution(i, scope)
		return
	}
	g.ruleset(fmt.Sprint("R", i), scope, scope)
}

// distribution writes a distribution, of which some of the components are parameters, or rules that are left to chance
// without one.
func (g *countedGen) distribution(i int, scope []string) {
	outer := g.rng.IntN(len(scope) + 1)
	bare := outer == 0 && g.one(2)
	for _, p := range scope[:outer] {
		g.f("ruleset %s: PROC do", p)
	}
	if !bare {
		g.f("distribution")
	}
	for k := range 1 + g.rng.IntN(2) {
		in := scope
		if k > 0 {
			in = scope[:outer+g.rng.IntN(len(scope)-outer+1)]
		}
		g.weight = g.of("0.5", "1.0 / 3", "1.0 / (2 + G)", fmt.Sprintf("(%s ? 0.25 : 0.5)", g.cond(in[:outer], 1)))
		g.ruleset(fmt.Sprintf("R%d_%d", i, k), in[outer:], in)
		g.weight = ""
	}
	if !bare {
		g.f("end;")
	}
	g.f("%s", strings.Repeat("end; ", outer))
}

// ruleset writes a rule with some parameters, of the components in scope.
func (g *countedGen) ruleset(name string, params, scope []string) {
	head := ""
	for _, p := range params {
		head += fmt.Sprintf("ruleset %s: PROC do ", p)
	}
	guard := g.cond(scope, 2)
	if len(scope) > 0 {
		guard = fmt.Sprintf("%s & (%s)", g.leaf(scope[0]), guard)
	}
	if len(scope) == 2 && g.one(2) {
		guard = fmt.Sprintf("%s != %s & (%s)", scope[0], scope[1], guard)
	}
	if g.weight != "" {
		guard = fmt.Sprintf("(%s) ? %s : 0.0", guard, g.weight)
	}
	g.f("%srule \"%s\" %s ==>\nvar v: 0..%d; x: DATA;\nbegin", head, name, guard, g.n)
	g.f("  v := 0;")
	for range 1 + g.rng.IntN(3) {
		g.stmt(scope)
	}
	g.f("end;%s", strings.Repeat(" end;", len(params)))
}

// set returns a statement that writes a leaf of a component.
func (g *countedGen) set(p string, scope []string) string {
	all := []string{fmt.Sprintf("State[%s] := %s;", p, g.of("N", "T", "C"))}
	if g.hold {
		all = append(all, fmt.Sprintf("Hold[%s] := %s;", p, g.of("true", "false", "B", "!Hold["+p+"]")))
	}
	if g.data {
		all = append(all, fmt.Sprintf("Val[%s] := Mem;", p), fmt.Sprintf("undefine Val[%s];", p))
	}
	if g.deep {
		all = append(all, fmt.Sprintf("Box[%d][%s].Full := %s;", g.rng.IntN(2), p, g.of("true", "false")))
	}
	if q := g.procs(scope); len(q) > 0 {
		all = append(all, fmt.Sprintf("State[%s] := State[%s];", p, g.of(q...)))
		if g.data {
			all = append(all, fmt.Sprintf("Val[%s] := Val[%s];", p, g.of(q...)))
		}
	}
	return g.of(all...)
}

func (g *countedGen) stmt(scope []string) {
	known := g.procs(scope)
	switch g.rng.IntN(12) {
	case 0, 1, 2, 3:
		if len(known) > 0 {
			g.f("  %s", g.set(g.of(known...), scope))
		}
	case 4:
		g.f("  if %s then %s end;", g.cond(scope, 1), g.of("G := 0;", "B := true;", "B := !B;", "G := 1;"))
	case 5: // a loop that writes its components
		q := g.fresh("q")
		body := g.set(q, nil)
		if g.one(2) {
			body = fmt.Sprintf("if %s then %s end;", g.leaf(q), body)
		}
		if len(known) > 0 && g.one(2) {
			body = fmt.Sprintf("if %s != %s then %s end;", q, g.of(known...), body)
		}
		if g.one(3) {
			body += " " + g.set(q, nil)
		}
		g.f("  for %s: PROC do %s end;", q, body)
	case 6: // a loop that counts
		q := g.fresh("q")
		cond := g.leaf(q)
		if len(known) > 0 && g.one(2) {
			cond = fmt.Sprintf("%s != %s & %s", q, g.of(known...), cond)
		}
		g.f("  v := 0; for %s: PROC do if %s then v := v + 1; end; end;", q, cond)
		g.f("  if v > 1 then G := 2; else B := v = %d; end;", g.rng.IntN(2))
	case 7: // a loop that counts up to an error, or notes
		q := g.fresh("q")
		g.f("  for %s: PROC do if %s then %s end; end;", q, g.leaf(q), g.of("B := true;", "G := G + 1;", "G := G - 1;", "G := 2;"))
	case 8:
		g.f("  assert %s \"A%d\";", g.cond(scope, 1), g.rng.IntN(2))
	case 9:
		g.f("  if G < 2 then G := G + 1; else G := %s; end;", g.of("0", "G + 1", "1"))
	case 10:
		g.f("  B := %s;", g.cond(scope, 2))
	case 11:
		if g.data {
			g.f("  x := Mem; %s", g.of("undefine Mem;", "clear x;", "undefine Val;"))
		} else {
			g.f("  %s", g.of("clear State;", "B := true;", "if B then return; end;"))
		}
	}
}

func (g *countedGen) property(i int) {
	switch g.rng.IntN(4) {
	case 0:
		g.f("cover \"K%d\" %s;", i, g.cond(nil, 2))
	case 1:
		g.f("ruleset a: PROC do invariant \"I%d\" %s; end;", i, g.cond([]string{"a"}, 1))
	default:
		g.f("invariant \"I%d\" %s;", i, g.cond(nil, 2))
	}
}
