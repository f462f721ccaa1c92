package murphitest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// This file makes random models of components that store nothing of each other, for tests of package
// counters.

// Counted returns the source of a random model with a class PROC, of 2 to 4 components, which mostly can be
// counted: a scalarset, or a range of which one value or none has a name. Each component has up to three
// leaves, of which one may be undefined. Rules have up to two components as parameters, quantifiers and
// loops over components of every form that package counters takes, and of some that it refuses. Errors, assertions and
// assumptions occur.
func Counted(rng *rand.Rand) string { return newCounted(rng).model() }

// CountedChances is Counted with rules that have probabilities, which need not add up. Of the components in a distribution some
// are its parameters and some are those of one rule in it.
func CountedChances(rng *rand.Rand) string {
	g := newCounted(rng)
	g.chances = true
	return g.model()
}

type counted struct {
	grammar
	n                                int
	named, hold, data, deep, chances bool     // named: the last component is called by its name
	scope                            []string // components that are bound
	weight                           string   // of the rule at hand, a real number
}

// In these rules @ is a component. hold, data and deep are words for leaves that components may have.
var countedRules = rulesOf(`
phase = N ~ T ~ C
equal = = ~ !=
bool = true ~ false
leaf = 4* $hold $holding ~ 4* $data $valued ~ 3* $deep $full ~ 2* $state
state = State[@] = $phase ~ State[@] != $phase
holding = Hold[@] ~ !Hold[@]
valued = isundefined(Val[@]) ~ Val[@] = Mem ~ Val[@] != Mem
full = Box[$2][@].Full ~ exists i: 0..1 do Box[i][@].Full end
cond = 3* $near ~ 2* $quantified ~ 2* $both ~ $same ~ 2* $plain
near = 19* $known ~ $quantified
plain = B ~ !B ~ G = 0 ~ G < 2 ~ G > 0
pair = (($cond) $junctor ($cond))
junctor = & ~ | ~ ->
quantifier = forall ~ exists
inside = $leaf ~ $outer
distant = @ $equal $proc & ($inside) ~ $inside
set = $hold Hold[@] := $held; ~ $data Val[@] := Mem; ~ $data undefine Val[@]; ~ $deep Box[$2][@].Full := $bool; ~ State[@] := State[$proc]; ~ $data Val[@] := Val[$proc]; ~ State[@] := $phase;
held = $bool ~ B ~ !Hold[@]
stmt = 4* $write ~ if $shallow then $then end; ~ $loop ~ $count ~ $note ~ assert $shallow "A$2"; ~ $forget ~ B := $cond; ~ if G < 2 then G := G + 1; else G := $more; end;
then = G := 0; ~ B := true; ~ B := !B; ~ G := 1;
written = $guarded ~ if @ != $proc then $guarded end; ~ $guarded
guarded = $set ~ if $leaf then $set end;
looped = 2* $written ~ $written $set
tested = @ != $proc & $leaf ~ $leaf
counting = if $tested then v := v + 1; end;
noting = if $leaf then $noted end;
noted = B := true; ~ G := G + 1; ~ G := G - 1; ~ G := 2;
more = 0 ~ G + 1 ~ 1
forget = 9* $data x := Mem; $lost ~ $other
lost = undefine Mem; ~ clear x; ~ undefine Val;
other = clear State; ~ B := true; ~ if B then return; end;
distinct = $apart & ($cond) ~ $cond
chance = 0.5 ~ 1.0 / 3 ~ 1.0 / (2 + G) ~ ($around ? 0.25 : 0.5)
`)

func newCounted(rng *rand.Rand) *counted {
	g := &counted{grammar: grammar{Rand: rng, rules: countedRules}}
	g.n, g.named = 2+g.IntN(3), g.rare(3)
	g.hold, g.data, g.deep = !g.rare(3), g.rare(2), g.rare(4)
	is := func(b *bool) func() string { return func() string { return map[bool]string{true: " "}[*b] } }
	proc := func() string { return g.any(g.procs()) }
	g.words = map[string]func() string{
		"hold": is(&g.hold), "data": is(&g.data), "deep": is(&g.deep), "proc": proc,
		"known": func() string { return g.of(proc(), "leaf") },
		"write": func() string { return g.of(proc(), "set") },
		"same": func() string {
			if len(g.procs()) < 2 {
				return ""
			}
			return g.fill("$proc $equal $proc")
		},
		"both":    func() string { return g.inner("pair") },
		"shallow": func() string { return g.at(1, g.scope, "cond") },
		"quantified": func() string {
			if g.depth == 0 {
				return ""
			}
			q := g.fresh("q")
			return g.fill("$quantifier ") + q + ": PROC do " + g.of(q, "distant") + " end"
		},
		"loop": func() string { return g.over("looped") },
		"count": func() string {
			return "v := 0; " + g.over("counting") + g.fill(" if v > 1 then G := 2; else B := v = $2; end;")
		},
		"note": func() string { return g.over("noting") },
		"apart": func() string {
			if len(g.scope) != 2 {
				return ""
			}
			return strings.Join(g.scope, " != ")
		},
	}
	return g
}

// procs returns names of components: those in scope, and the one with a name.
func (g *counted) procs() []string {
	if g.named {
		return append(slices.Clip(g.scope), fmt.Sprint(g.n))
	}
	return g.scope
}

// at makes a name with so many levels of conditions, and these components in scope.
func (g *counted) at(depth int, scope []string, name string) string {
	defer func(depth int, scope []string) { g.depth, g.scope = depth, scope }(g.depth, g.scope)
	g.depth, g.scope = depth, scope
	return g.make(name)
}

// of makes what a name stands for, of a component; "" if that is "".
func (g *counted) of(p, name string) string {
	if p == "" {
		return ""
	}
	outer := g.words["outer"]
	defer func() { g.words["outer"] = outer }()
	g.words["outer"] = func() string { return g.at(g.depth-1, append(slices.Clip(g.scope), p), "cond") }
	return strings.ReplaceAll(g.make(name), "@", p)
}

// over makes a loop over the components.
func (g *counted) over(name string) string {
	q := g.fresh("q")
	return "for " + q + ": PROC do " + g.of(q, name) + " end;"
}

func (g *counted) f(format string, args ...any) { fmt.Fprintf(&g.b, format+"\n", args...) }

// each returns a text once for each leaf that components have.
func (g *counted) each(state, hold, deep, data string) string {
	for _, x := range []struct {
		is   bool
		text string
	}{{g.hold, hold}, {g.deep, deep}, {g.data, data}} {
		if x.is {
			state += "\n" + x.text
		}
	}
	return state
}

func (g *counted) model() string {
	proc := fmt.Sprintf("scalarset(%d)", g.n)
	if g.named || g.rare(3) {
		proc = fmt.Sprintf("1..%d", g.n)
	}
	g.f("type PROC: %s;\n  PHASE: enum {N, T, C};\n  DATA: scalarset(2);\n  SMALL: 0..2;", proc)
	g.f("%s", g.each("var State: array[PROC] of PHASE;", "  Hold: array[PROC] of boolean;",
		"  Box: array[0..1] of array[PROC] of record Full: boolean; end;", "  Val: array[PROC] of DATA;\n  Mem: DATA;"))
	g.f("  G: SMALL;\n  B: boolean;")
	g.f("%s", g.each("startstate \"Init\"\n  for p: PROC do State[p] := N; end;", "  for p: PROC do Hold[p] := false; end;",
		"  for p: PROC do Box[0][p].Full := false; Box[1][p].Full := false; end;", "  undefine Mem;"+g.among("", "\n  undefine Val;")))
	g.f("  G := 0; B := false;\nend;")
	if g.rare(4) { // a start state that tells one apart
		g.f("%s", g.each("ruleset p: PROC do startstate \"One\"\n  clear State;", "  clear Hold;", "  clear Box;", "  undefine Mem;"))
		g.f("  State[p] := T; G := 1; B := false;\nend; end;")
	}
	for i := range 1 + g.IntN(4) {
		var scope []string
		for range g.IntN(3) {
			scope = append(scope, g.fresh("p"))
		}
		if g.chances && !g.rare(3) {
			g.distribution(i, scope)
		} else {
			g.ruleset(fmt.Sprint("R", i), scope, scope)
		}
	}
	if g.data {
		g.f("ruleset d: DATA do rule \"Store\" isundefined(Mem) ==> begin Mem := d; end; end;")
	}
	for i := range g.IntN(3) {
		switch g.IntN(4) {
		case 0:
			g.f("cover \"K%d\" %s;", i, g.at(2, nil, "cond"))
		case 1:
			g.f("ruleset a: PROC do invariant \"I%d\" %s; end;", i, g.at(1, []string{"a"}, "cond"))
		default:
			g.f("invariant \"I%d\" %s;", i, g.at(2, nil, "cond"))
		}
	}
	if g.rare(8) {
		g.f("assume \"A\" forall a: PROC do State[a] = C -> !B end;")
	}
	return g.b.String()
}

// distribution writes a distribution, of which some of the components are parameters, or rules that are left to chance
// without one.
func (g *counted) distribution(i int, scope []string) {
	outer := g.IntN(len(scope) + 1)
	bare := outer == 0 && g.rare(2)
	for _, p := range scope[:outer] {
		g.f("ruleset %s: PROC do", p)
	}
	if !bare {
		g.f("distribution")
	}
	for k := range 1 + g.IntN(2) {
		in := scope
		if k > 0 {
			in = scope[:outer+g.IntN(len(scope)-outer+1)]
		}
		g.words["around"] = func() string { return g.at(1, in[:outer], "cond") }
		g.weight = g.make("chance")
		g.ruleset(fmt.Sprintf("R%d_%d", i, k), in[outer:], in)
		g.weight = ""
	}
	if !bare {
		g.f("end;")
	}
	g.f("%s", strings.Repeat("end; ", outer))
}

// ruleset writes a rule with some parameters, of the components in scope.
func (g *counted) ruleset(name string, params, scope []string) {
	head := ""
	for _, p := range params {
		head += fmt.Sprintf("ruleset %s: PROC do ", p)
	}
	guard := g.at(2, scope, "distinct")
	if len(scope) > 0 {
		guard = fmt.Sprintf("%s & (%s)", g.of(scope[0], "leaf"), guard)
	}
	if g.weight != "" {
		guard = fmt.Sprintf("(%s) ? %s : 0.0", guard, g.weight)
	}
	g.f("%srule \"%s\" %s ==>\nvar v: 0..%d; x: DATA;\nbegin\n  v := 0;", head, name, guard, g.n)
	for range 1 + g.IntN(3) {
		g.f("  %s", g.at(2, scope, "stmt"))
	}
	g.f("end;%s", strings.Repeat(" end;", len(params)))
}
