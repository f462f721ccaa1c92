package murphitest

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// locals makes random models whose loops over a class P keep what they know in locals. What
// the locals may hold decides whether a loop is symmetric: a probe, which most often is never
// reached, writes what depends on the order. Locals are written in all ways there are: in
// branches, by procedures that return early, through aliases, in conditions.
type locals struct {
	grammar
	one   string    // what most locals always hold
	procs []routine // parameters: o (var number), k (number), q (var P), w (var record), p (P)
	sc    names
}

// names is what is in scope.
type names struct {
	own    string   // of type P
	nums   []string // numbers that may be written
	reads  []string // and that may be read only
	ps     []string // of type P, that may be written
	recs   []string // records that may be written
	result string   // of the procedure around; "": of a rule
	loop   bool     // in a loop over P
}

var localRules = rulesOf(`
constant = 11* $one ~ $4
num = 2* $place ~ 3? $reads ~ 2* $callN ~ $ternary ~ 3? x[$own] ~ 9* $constant
p = s ~ y[$own] ~ 2* $ps ~ 2* $own
conds = 2* b[$own] ~ 2* x[$own] $compare $3 ~ 2* $place $equal $constant ~ isundefined($place) ~ !($cond) ~ ($cond $and $cond) ~ 2* $callB ~ $quantified ~ $p = $p
compare = = ~ != ~ <
equal = = ~ !=
and = & ~ | ~ ->
quantifier = exists ~ forall
stmt = 8* $block ~ 4* $simple
blocks = 2* if $cond then {$inner} $elsif $otherwise end; ~ 2* $switch ~ $counting ~ 2* $alias ~ cnt := 0; while $bounded do {cnt := cnt + 1; $flat} end;
elsif = elsif $cond then {$inner} $elsif ~ 2*
otherwise = else {$inner} ~
switch = 2* switch $num {case 0: {$inner} $caseN $otherwise} end; ~ switch $p {case s: {$inner} $caseP $otherwise} end;
caseN = 2* case 1: {$inner} $caseO ~
caseO = case 2: {$inner} ~
caseP = 2* case y[$own]: {$inner} $caseQ ~
caseQ = case $p: {$inner} ~
bounded = cnt < x[$own] ~ (cnt < x[$own] & $cond)
from = 2* 0 ~ $place
to = 0 ~ 1 ~ x[$own]
simple = 2* $callV; ~ 4? undefine $place; ~ $clear ~ $setrec ~ $ps := $p; ~ 8? $place1 := $place1 + 1; ~ 4? assert $cond "A"; ~ $looped ~ 5* $place := $num;
setrec = 11* $recs1 := c; $recs1.n := $constant; ~ $recs1 := c; $recs1.n := $constant; $recs1 := rr[$own]; ~ $recs1 := c; $recs1.n := $constant; undefine $recs1;
looping = x[$own] := 1; ~ b[$own] := false; ~ y[$own] := s;
probe = if $probed then $told end;
probed = $odd & b[$own] ~ b[$own] & $odd ~ $odd
odd = 3* $place $than $strange ~ isundefined($place)
than = 3* = ~ >
strange = 2* 2 ~ 3 ~ $another
told = s := $own; ~ n := x[$own]; ~ flag := b[$own]; ~ s := y[$own];
begun = l1 := $constant; l2 := $constant; $record j := s;
record = e := c; e.n := $one; ~ e.a := s; e.n := $constant; ~ e.n := $constant;
first = 3* $begun ~
each = 5* $begun ~
again = 5* ~ $stmt $probe
held = 2* ~ j := $own;
late = 2* ~ $begun
used = t := j; ~ t := e.a; ~ n := l1; ~ if l2 = 2 then flag := !flag; end; ~ n := e.n;
behind = $late $inner $used ~
result = 2* - ~ N ~ boolean
params = op ~ oop ~ okp ~ qp ~ wp ~ owp ~ oqp
`)

// within makes a text with changes of what is in scope.
func (g *locals) within(change func(), text string) string {
	defer func(old names) { g.sc = old }(g.sc)
	change()
	return g.fill(text)
}

func (g *locals) ret() string {
	switch g.sc.result {
	case "N":
		return g.fill("return $num;")
	case "boolean":
		return g.fill("return $cond;")
	}
	return "return;"
}

// reading makes a text behind a head that brings a number into scope, which may be read.
func (g *locals) reading(head, text string) string {
	k := g.fresh("k")
	return fmt.Sprintf(g.fill(head), k) + g.within(func() { g.sc.reads = append(slices.Clip(g.sc.reads), k) }, text)
}

func (g *locals) inner() string {
	s := g.some("stmt", 1, 2)
	if g.sc.result != "" && g.rare(4) {
		s += "\n" + g.ret()
	}
	return s
}

func (g *locals) routine() {
	r := routine{g.fresh("f"), g.make("result"), g.make("params")}
	g.sc = names{own: "s", result: r.result, nums: []string{"l"}}
	sc := &g.sc
	head := g.head(r, map[rune]string{'o': "var #: N", 'k': "#: N", 'q': "var #: P", 'w': "var #: R", 'p': "#: P"}, func(param rune, v string) {
		switch param {
		case 'o':
			sc.nums = append(sc.nums, v)
		case 'k':
			sc.reads = append(sc.reads, v)
		case 'q':
			sc.ps = append(sc.ps, v)
		case 'w':
			sc.recs, sc.nums, sc.ps = append(sc.recs, v), append(sc.nums, v+".n"), append(sc.ps, v+".a")
		case 'p':
			sc.own = v
		}
	})
	g.depth = 2
	g.model(head + "; var l: N; cnt: 0..9; begin {" + g.fill("l := $constant;\n$few\n$ret") + "} end;")
	g.procs = append(g.procs, r)
}

// Locals returns the source of a random model whose loops over a class keep what they know
// in locals. It uses ?: if conditional says so.
func Locals(rng *rand.Rand, conditional bool) string {
	g := &locals{grammar: grammar{Rand: rng, rules: localRules}}
	g.one = g.among("0", "1")
	called := func(result string) func() string {
		return func() string {
			return g.call(g.procs, result, map[rune]string{'o': "place", 'k': "num", 'q': "ps", 'w': "recs", 'p': "own"})
		}
	}
	g.words = map[string]func() string{
		"one": func() string { return g.one }, "another": func() string { return map[string]string{"0": "1", "1": "0"}[g.one] },
		"own": func() string { return g.sc.own }, "place": func() string { return g.any(g.sc.nums) }, "reads": func() string { return g.any(g.sc.reads) },
		"ps": func() string { return g.any(g.sc.ps) }, "recs": func() string { return g.any(g.sc.recs) },
		"callN": called("N"), "callB": called("boolean"), "callV": called("-"), "ret": g.ret, "inner": g.inner,
		"few": func() string { return g.some("stmt", 1, 3) }, "block": func() string { return g.grammar.inner("blocks") },
		"cond": func() string {
			if g.calls > 3 {
				return "b[" + g.sc.own + "]"
			}
			g.calls++
			defer func() { g.calls-- }()
			return g.make("conds")
		},
		"ternary": func() string {
			if !conditional {
				return ""
			}
			return g.fill("($cond ? $constant : $constant)")
		},
		"quantified": func() string { return g.reading("($quantifier %s: N do ", "$cond end)") },
		"counting":   func() string { return g.reading("for %s := $from to $to do {", "$inner} end;") },
		"alias": func() string {
			q, of := g.fresh("q"), g.make("place")
			return "alias " + q + ": " + of + " do {" + g.within(func() { g.sc.nums = append(slices.Clip(g.sc.nums), q) }, "$inner} end;")
		},
		"flat": func() string {
			defer func(depth int) { g.depth = depth }(g.depth)
			g.depth = 0
			return g.inner()
		},
		"clear": func() string {
			if g.one == "0" || g.rare(5) {
				return g.fill("clear $place;")
			}
			return ""
		},
		"looped": func() string {
			if !g.sc.loop {
				return ""
			}
			return g.make("looping")
		},
	}
	g.b.WriteString(`type P: scalarset(3); N: 0..3; R: record a: P; n: N; end;
var x: array [P] of 0..2; y: array [P] of P; b: array [P] of boolean; rr: array [P] of R; c: R; s: P; t: P; n: N; m: 0..9; flag: boolean;
`)
	for range g.IntN(3) {
		g.routine()
	}
	g.b.WriteString(`ruleset v: P do startstate for i: P do x[i] := 0; y[i] := i; b[i] := true; rr[i].a := i; rr[i].n := 0; end; n := 0; m := 0; flag := false; c.n := 1; c.a := v; s := v; t := v; end; end;
ruleset v: P do rule s := v; b[v] := !b[v]; end; end;
ruleset v: P; k: 0..2 do rule x[v] := k; n := 0; end; end;
`)
	g.sc = names{own: "s", nums: []string{"l1", "l2", "e.n"}, ps: []string{"j", "e.a"}, recs: []string{"e"}}
	g.depth = 2
	body, i := g.make("first"), g.fresh("i")
	body += "\nfor " + i + ": P do {" + g.within(func() { g.sc.own, g.sc.loop = i, true }, "$each\n$few\n$probe\n$again\n$held} end;\n") + g.make("behind")
	g.model("rule var l1: N; l2: N; e: R; j: P; cnt: 0..9; begin {" + body + "} end;")
	return g.b.String()
}
