package murphitest

import "math/rand/v2"

// loops makes random models whose rules are mostly loops, counts and quantifiers over
// a class P, a union with it, and multisets; most are hazards of some sort.
type loops struct {
	grammar
	ranged bool     // P is a range
	ps     []string // variables of type P that are bound
}

var loopRules = rulesOf(`
p = 7* $recent ~ 3* $other
other = s ~ y[$bound] ~ r.a ~ rr[$bound].a ~ 3? $ranged$3 ~ 3* $bound
set = 2* ms ~ mp[$p]
number = 0 ~ 1 ~ 2 ~ n ~ x[$p] ~ r.n ~ rr[$bound].n ~ u[$p] ~ count($p) ~ tmp
unknown = y[$bound] ~ s ~ r.a ~ x[$bound]
cond = x[$p] = $number ~ b[$p] ~ $p = $p ~ $p != $p ~ flag ~ n < $7 ~ z[$p][$p] ~ isundefined($unknown) ~ !($cond) ~ ($cond & $cond) ~ ($cond | $cond) ~ multisetcount($i1: $set1, $set1[$i1] = $p) $compare $3 ~ 2* $quantified ~ search($p) ~ $compared
compared = $ranged$p < $p ~ 3* x[$p] < 2
compare = = ~ > ~ <
quantifier = forall ~ exists
bool = true ~ false
stmt = 4* $block ~ 3* $simple
blocks = $loop ~ if $cond then {$stmts} end;
simple = 2* x[$p] := $number; ~ b[$p] := $bit; ~ flag := $flag; ~ 2* n := n $sign $step; ~ y[$p] := $p; ~ s := $p; ~ z[$p][$p] := $bool; ~ $add ~ multisetremovepred($m1: $set1, $set1[$m1] = $p); ~ r.a := $p; r.n := $number; ~ rr[$p] := r; ~ undefine $undefined; ~ tmp := $number; x[$p] := tmp; ~ send($p, $number); ~ assert $cond "A"; ~ local := $p; y[local] := local; ~ mail.a := $p; post(mail); ~ x[$p] := x[$p] + 1; ~ $ended ~ $reset ~ multisetadd(r, mr); ~ $asserted ~ $assuming ~ flag := flag | $cond;
ended = return; ~ 2* u[$p] := 1;
reset = clear $cleared; ~ 2* keep(rr[$p], $p);
asserted = assert $cond "B"; ~ 2* rr[$p].a := $p;
assuming = $assumed $cond; ~ 3* last($lasting);
bit = $bool ~ flag
flag = $bool ~ $cond
sign = 2* + ~ -
step = 2* 1 ~ 2 ~ x[$bound]
add = if multisetcount($i1: $set1, $set1[$i1] = $p1) = 0 then multisetadd($p1, $set1); end; ~ multisetadd($p, $set);
undefined = y[$p] ~ s ~ r ~ ms ~ rr[$p]
cleared = y ~ s ~ x[$p]
assumed = assume ~ cover
lasting = s ~ r.a ~ local
counted = b[j] ~ z[i][j] ~ y[j] = i
searched = b[j] ~ x[j] = 1 ~ z[j][i] ~ y[j] = i
found = 2* true ~ b[j]
sent = ~ n := n + 1; ~ b[i] := true;
sum = k ~ x[i] + 1 ~ 0
posted = 1 ~ m.n ~ x[m.a] + 1
mail = ~ m.n := 1;
kept = ~ s := i; ~ x[i] := 1;
last = ~ x[v] := 1; ~ b[j] := true;
many = 2* y[i] := i; ~
start = 2* ~ for i: P do s := i; end;
guard = true ~ $cond
chosen = ms ~ mr
ruled = 3* $rule ~ choose $c: $chosen do {$rule} end;
rule = rule $guard ==> var local: P; mail: R; begin {$stmts} end;
move = rule s := $moved; b[s] := true; n := 0; end; ~ ruleset $b1: P do rule s := $b1; b[s] := true; n := 0; end; end;
moved = s ~ y[s]
kind = 2* invariant ~ cover ~ liveness
property = $kind $cond;
`)

const loopDeclarations = `R: record a: P; n: 0..3; end;
var x: array [P] of 0..3; y: array [P] of P; b: array [P] of boolean; z: array [P] of array [P] of boolean;
s: P; n: 0..6; flag: boolean; u: array [U] of 0..3; ms: multiset [3] of P; mp: array [U] of multiset [1] of P; mr: multiset [2] of R; r: R; rr: array [P] of R; tmp: 0..3; k: P;
function count(i: P): 0..3; var c: 0..3; begin c := 0; for j: P do if $counted then c := c + 1; end; end; return c; end;
function search(i: P): boolean; begin for j: P do if $searched then return $found; end; end; return false; end;
procedure send(i: P; k: 0..3); begin assert x[i] < 3 "C"; $sent x[i] := $sum; end;
procedure post(var m: R); begin if !isundefined(m.a) then x[m.a] := $posted; end; $mail end;
procedure keep(var m: R; i: P); begin m.a := i; $kept end;
procedure last(var v: P); begin for j: P do v := j; $last end; end;
startstate for i: P do x[i] := 0; b[i] := false; u[i] := 0; $many for j: P do z[i][j] := false; end; end; n := 0; flag := false; tmp := 0; r.n := 0; $start end;
`

// over makes a text with one more variable of type P in scope.
func (g *loops) over(prefix, head, name, foot string) string {
	i := g.fresh(prefix)
	g.ps = append(g.ps, i)
	defer func() { g.ps = g.ps[:len(g.ps)-1] }()
	return g.fill(head) + " " + i + ": P do " + g.make(name) + foot
}

// Loops returns the source of a random model that is full of loops over a class.
func Loops(rng *rand.Rand) string {
	g := &loops{grammar: grammar{Rand: rng, rules: loopRules, depth: 3}}
	g.ranged = g.rare(3)
	bound := func() string {
		if len(g.ps) == 0 {
			return "s"
		}
		return g.among(g.ps...)
	}
	g.words = map[string]func() string{
		"i": func() string { return g.fresh("i") }, "m": func() string { return g.fresh("m") },
		"b": func() string { return g.fresh("p") }, "c": func() string { return g.fresh("c") },
		"bound":      bound,
		"recent":     func() string { return g.any(g.ps[max(0, len(g.ps)-2):]) },
		"ranged":     func() string { return map[bool]string{true: " "}[g.ranged] },
		"quantified": func() string { return g.over("q", "($quantifier", "cond", " end)") },
		"stmts":      func() string { return g.some("stmt", 1, 3) },
		"block":      func() string { return g.inner("blocks") },
		"loop": func() string {
			if g.ranged || !g.rare(5) {
				return g.over("i", "for", "looped", " end;")
			}
			i := g.fresh("i")
			g.ps = append(g.ps, i)
			defer func() { g.ps = g.ps[:len(g.ps)-1] }()
			return "for " + i + ": U do {if ismember(" + i + ", P) then {" + g.make("stmts") + "} end;} end;"
		},
		"looped": func() string { return "{" + g.make("stmts") + "}" },
		"ruleof": func() string { return "{" + g.make("ruled") + "}" },
	}
	p, union := "scalarset(3)", g.among("union {Q, P}", "union {P, Q}")
	if g.ranged {
		p, union = "0..2", "P"
	}
	g.b.WriteString("type P: " + p + "; Q: enum {XX, YY}; U: " + union + ";\n" + g.fill(loopDeclarations))
	for range 1 + g.IntN(2) {
		g.model(g.over("p", "ruleset", "ruleof", " end;"))
	}
	g.model(g.make("move"))
	for range g.IntN(3) {
		g.model(g.over("p", "ruleset", "property", " end;"))
	}
	g.model(`invariant "last" n < 7 & (flag -> true);`)
	return g.b.String()
}
