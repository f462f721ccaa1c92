package murphitest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"orbitmc/model"
)

// calls makes random models whose loops over a class P mostly do what is symmetric, by
// calls of procedures that return early, and of functions whose results are arguments.
type calls struct {
	grammar
	procs []routine // parameters: p, k, v (record), o (var number), w (var record)
	sc    scope
}

// scope is what may be named: the last of ps is mostly that of the loop.
type scope struct {
	ps, nums, lnums, recs, lrecs []string
	proc                         string // P, N, R: what is returned; "-": nothing; "": no procedure
	turn                         bool   // within a loop over P
	top                          bool   // within a rule, not within a loop
}

var callRules = rulesOf(`
p = 2* $ps ~ $other
other = 2* $recs.a ~ $callP ~ y[$mine] ~ t
num = 3* $nums ~ $recs.n ~ x[$mine] ~ 2* $callN ~ 2* $3
rec = 2* $callR ~ $held
held = rr[$mine] ~ $kept
kept = 9* $recs ~ c
place = 3* $lnums ~ $far
far = 8* $lrecs.n ~ 7* x[$mine] ~ 7* rr[$mine].n ~ 2* n
recplace = 3* $lrecs ~ $recfar
recfar = 9* rr[$mine] ~ r
cond = 3* $num $compare $small ~ 2* b[$mine] ~ $p = $p ~ !($cond) ~ ($cond $and $cond) ~ isundefined($unsure) ~ $num = $3
compare = 2* = ~ != ~ <
and = & ~ |
small = 0 ~ 1 ~ 2 ~ $num
unsure = r.a ~ $lnums
stmt = 7* $block ~ 3* $simple
blocks = 2* $loop ~ 2* if $cond then {$stmts} {$maybe} end; ~ if $cond then {$stmts} else {$stmts} end; ~ 3? $counting ~ $simple
maybe = $ret ~
simple = 4* $callV; ~ x[$mine] := $num; ~ b[$mine] := $cond; ~ y[$mine] := $p; ~ n := $written; ~ m := m + 1; ~ $setrec ~ rr[$mine] := $rec; ~ $lnums1 := $lnums1 + 1; ~ 4? assert $cond "A"; ~ 4? undefine $lnums; ~ 3* $lnums := $num;
setrec = $lrecs := $rec; ~ $lrecs.n := $num; ~ $lrecs.a := $p;
written = 5* $one ~ $num
returned = $rec ~ $lrecs
result = 2* - ~ 2* N ~ R ~ P
params = p ~ pk ~ kp ~ vvp ~ pvk ~ pkk ~ vvpk ~ po ~ pw ~ pow ~ vp ~ k ~ vk ~ kk
fewer = k ~ kk ~ vk
`)

// mine is mostly the variable of the loop, "" outside of one.
func (g *calls) mine() string {
	if len(g.sc.ps) > 0 && g.rare(80) {
		return g.make("p")
	}
	return strings.Join(g.sc.ps[max(0, len(g.sc.ps)-1):], "")
}

func (g *calls) called(result string) func() string {
	return func() string {
		fit := slices.Clone(g.procs)
		if len(g.sc.ps) == 0 && !g.rare(20) {
			fit = slices.DeleteFunc(fit, func(r routine) bool { return strings.Contains(r.params, "p") })
		}
		return g.call(fit, result, map[rune]string{'p': "own", 'k': "num", 'v': "rec", 'o': "place", 'w': "recplace"})
	}
}

func (g *calls) ret() string {
	switch {
	case g.sc.proc == "-", g.sc.proc == "" && g.sc.top && g.rare(8):
		return "return;"
	case g.sc.proc == "":
		return ""
	}
	return "return " + g.make(map[string]string{"P": "p", "N": "num", "R": "returned"}[g.sc.proc]) + ";"
}

// within makes a text with a variable in scope that is added to the names in one list of them.
func (g *calls) within(list *[]string, name string, f func() string) string {
	defer func(old scope) { g.sc = old }(g.sc)
	*list = append(slices.Clip(*list), name)
	return f()
}

func (g *calls) loop() string {
	if g.sc.turn && !g.rare(6) {
		return ""
	}
	return g.looped()
}

func (g *calls) looped() string {
	i := g.fresh("i")
	return g.within(&g.sc.ps, i, func() string {
		g.sc.turn = true
		if g.sc.top = g.sc.top && g.rare(10); !g.rare(4) {
			g.sc.proc = "" // a loop that returns must not write
		}
		begin := ""
		for _, v := range g.sc.lnums {
			n := g.IntN(20)
			if n < 3 {
				begin += g.fill("if $cond then " + v + " := $num; end;\n")
			}
			if n > 0 {
				begin += g.fill(v + " := $3;\n")
			}
		}
		for _, v := range g.sc.lrecs {
			if !g.rare(15) {
				begin += v + " := " + g.among("c", "rr["+i+"]") + ";\n"
			}
		}
		return "for " + i + ": P do {" + begin + g.fill("$stmts\n$stmts") + "} end;"
	})
}

// locals are begun mostly.
func (g *calls) locals() (s string) {
	for _, v := range g.sc.lnums {
		if !g.rare(5) {
			s += g.fill(v + " := $3;\n")
		}
	}
	for _, v := range g.sc.lrecs {
		if !g.rare(5) {
			s += v + " := c;\n"
		}
		if g.rare(2) {
			s += g.fill(v + ".n := $3;\n")
		}
	}
	return s
}

// sometimes makes a name once in n times.
func (g *calls) sometimes(n int, name string) string {
	if !g.rare(n) {
		return ""
	}
	return g.make(name) + "\n"
}

func (g *calls) routine(rumur bool) {
	r := routine{g.fresh("f"), g.make("result"), g.make("params")}
	if r.result == "R" && !rumur {
		r.result = "N"
	}
	if r.result == "R" && g.rare(2) {
		r.params = g.make("fewer")
	}
	l, e := g.fresh("l"), g.fresh("e")
	g.sc = scope{proc: r.result, turn: true}
	head := g.head(r, map[rune]string{'p': "#: P", 'k': "#: N", 'v': "#: R", 'o': "var #: N", 'w': "var #: R"}, g.declare)
	g.declare('o', l)
	g.declare('w', e)
	g.depth = 2
	body := g.locals() + g.make("stmts") + "\n" + g.sometimes(5, "looped") + g.ret()
	g.model(fmt.Sprintf("%s; var %s: N; %s: R; begin {%s} end;", head, l, e, body))
	g.procs = append(g.procs, r)
}

// declare brings a parameter into scope.
func (g *calls) declare(param rune, v string) {
	sc := &g.sc
	for _, list := range map[rune][]*[]string{'p': {&sc.ps}, 'k': {&sc.nums}, 'v': {&sc.recs}, 'o': {&sc.nums, &sc.lnums}, 'w': {&sc.recs, &sc.lrecs}}[param] {
		*list = append(*list, v)
	}
}

// Calls returns the source of a random model whose loops over a class call procedures that
// return early.
func Calls(rng *rand.Rand, d model.Dialect) string {
	g := &calls{grammar: grammar{Rand: rng, rules: callRules}}
	one := fmt.Sprint(1 + g.IntN(2)) // what most writes of n write
	g.words = map[string]func() string{
		"ps": func() string { return g.any(g.sc.ps) }, "nums": func() string { return g.any(g.sc.nums) }, "lnums": func() string { return g.any(g.sc.lnums) },
		"recs": func() string { return g.any(g.sc.recs) }, "lrecs": func() string { return g.any(g.sc.lrecs) },
		"callP": g.called("P"), "callN": g.called("N"), "callR": g.called("R"), "callV": g.called("-"),
		"mine": g.mine, "one": func() string { return one }, "ret": g.ret, "loop": g.loop, "looped": g.looped,
		"own": func() string {
			if s := g.mine(); s != "" {
				return s
			}
			return g.make("p")
		},
		"stmts": func() string { return g.some("stmt", 1, 3) }, "block": func() string { return g.inner("blocks") },
		"counting": func() string {
			i := g.fresh("o")
			return g.within(&g.sc.nums, i, func() string { return "for " + i + " := 0 to 1 do {" + g.make("stmts") + "} end;" })
		},
	}
	g.b.WriteString(`type P: scalarset(3); N: 0..2; R: record a: P; n: N; end;
var x: array [P] of N; y: array [P] of P; b: array [P] of boolean; rr: array [P] of R; r: R; c: R; t: P; n: N; m: 0..9;
`)
	for range 2 + g.IntN(3) {
		g.routine(d == model.Rumur)
	}
	g.b.WriteString(`ruleset v: P do startstate for i: P do x[i] := 0; y[i] := i; b[i] := false; rr[i].a := i; rr[i].n := 0; end; n := 0; m := 0; r.n := 0; c.n := 1; c.a := v; t := v; end; end;
ruleset v: P do rule t := v; b[v] := !b[v]; m := 0; end; end;
ruleset v: P; k: N do rule x[v] := k; n := 0; rr[v].n := k; end; end;
`)
	for range 1 + g.IntN(2) {
		l, e := g.fresh("l"), g.fresh("e")
		g.sc = scope{top: true, nums: []string{l}, lnums: []string{l}, recs: []string{e}, lrecs: []string{e}}
		g.depth = 2 // the loop is one
		body := g.locals() + g.looped() + "\n"
		if g.rare(3) {
			if !g.rare(3) {
				body += g.locals()
			}
			body += g.make("stmts")
		}
		g.model(fmt.Sprintf("rule var %s: N; %s: R; begin {%s} end;", l, e, body))
	}
	g.model(`invariant "last" n < 3;`)
	return g.b.String()
}
