package murphitest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// loops makes random models whose rules are mostly loops, counts and quantifiers over
// a class P, a union with it, and multisets; most are hazards of some sort.
type loops struct {
	*rand.Rand
	b      strings.Builder
	indent string
	ranged bool     // P is a range
	ps     []string // variables of type P that are bound
	inLoop int
	named  int
	conds  int // within a condition: nothing is changed
}

func (g *loops) line(format string, args ...any) {
	fmt.Fprintf(&g.b, g.indent+format+"\n", args...)
}

func (g *loops) block(head string, body func(), foot string) {
	g.line("%s", head)
	g.indent += "  "
	body()
	g.indent = g.indent[2:]
	g.line("%s", foot)
}

func (g *loops) fresh(prefix string) string {
	g.named++
	return fmt.Sprint(prefix, g.named)
}

func among(g *loops, xs ...string) string { return xs[g.IntN(len(xs))] }

// p is an expression of type P.
func (g *loops) p() string {
	if len(g.ps) > 0 && g.IntN(10) < 7 {
		return g.ps[len(g.ps)-1-g.IntN(min(2, len(g.ps)))]
	}
	switch g.IntN(8) {
	case 0:
		return "s"
	case 1:
		return "y[" + g.bound() + "]"
	case 2:
		return "r.a"
	case 3:
		return "rr[" + g.bound() + "].a"
	case 4:
		if g.ranged && g.IntN(3) == 0 {
			return fmt.Sprint(g.IntN(3))
		}
	}
	return g.bound()
}

func (g *loops) bound() string {
	if len(g.ps) == 0 {
		return "s"
	}
	return g.ps[g.IntN(len(g.ps))]
}

// set spells a multiset of P.
func (g *loops) set() string {
	if g.IntN(3) > 0 {
		return "ms"
	}
	return "mp[" + g.p() + "]"
}

func (g *loops) number() string {
	return among(g, "0", "1", "2", "n", "x["+g.p()+"]", "r.n", "rr["+g.bound()+"].n", "u["+g.p()+"]", "count("+g.p()+")", "tmp")
}

func (g *loops) cond() string {
	g.conds++
	defer func() { g.conds-- }()
	switch g.IntN(16) {
	case 0:
		return "x[" + g.p() + "] = " + g.number()
	case 1:
		return "b[" + g.p() + "]"
	case 2:
		return g.p() + " = " + g.p()
	case 3:
		return g.p() + " != " + g.p()
	case 4:
		return "flag"
	case 5:
		return "n < " + fmt.Sprint(g.IntN(7))
	case 6:
		return "z[" + g.p() + "][" + g.p() + "]"
	case 7:
		return "isundefined(" + among(g, "y["+g.bound()+"]", "s", "r.a", "x["+g.bound()+"]") + ")"
	case 8:
		return "!(" + g.cond() + ")"
	case 9:
		return "(" + g.cond() + " & " + g.cond() + ")"
	case 10:
		return "(" + g.cond() + " | " + g.cond() + ")"
	case 11:
		i, set := g.fresh("i"), g.set()
		return fmt.Sprintf("multisetcount(%s: %s, %s[%s] = %s) %s %d", i, set, set, i, g.p(), among(g, "=", ">", "<"), g.IntN(3))
	case 12, 13:
		i := g.fresh("q")
		q := among(g, "forall", "exists")
		g.ps = append(g.ps, i)
		c := g.cond()
		g.ps = g.ps[:len(g.ps)-1]
		return fmt.Sprintf("(%s %s: P do %s end)", q, i, c)
	case 14:
		return "search(" + g.p() + ")"
	default:
		if g.ranged && g.IntN(4) == 0 {
			return g.p() + " < " + g.p()
		}
		return "x[" + g.p() + "] < 2"
	}
}

func (g *loops) stmts(depth int) {
	for n := 1 + g.IntN(3); n > 0; n-- {
		g.stmt(depth)
	}
}

func (g *loops) stmt(depth int) {
	if depth > 0 {
		switch g.IntN(7) {
		case 0, 1:
			i := g.fresh("i")
			domain := "P"
			if g.IntN(5) == 0 && !g.ranged {
				domain = "U"
			}
			g.block(fmt.Sprintf("for %s: %s do", i, domain), func() {
				body := func() {
					g.inLoop++
					g.ps = append(g.ps, i)
					g.stmts(depth - 1)
					g.ps = g.ps[:len(g.ps)-1]
					g.inLoop--
				}
				if domain == "U" {
					g.block("if ismember("+i+", P) then", body, "end;")
				} else {
					body()
				}
			}, "end;")
			return
		case 2, 3:
			g.block("if "+g.cond()+" then", func() { g.stmts(depth - 1) }, "end;")
			return
		}
	}
	switch g.IntN(26) {
	case 0, 1:
		g.line("x[%s] := %s;", g.p(), g.number())
	case 2:
		g.line("b[%s] := %s;", g.p(), among(g, "true", "false", "flag"))
	case 3:
		g.line("flag := %s;", among(g, "true", "false", g.cond()))
	case 4, 5:
		g.line("n := n %s %s;", among(g, "+", "+", "-"), among(g, "1", "1", "2", "x["+g.bound()+"]"))
	case 6:
		g.line("y[%s] := %s;", g.p(), g.p())
	case 7:
		g.line("s := %s;", g.p())
	case 8:
		g.line("z[%s][%s] := %s;", g.p(), g.p(), among(g, "true", "false"))
	case 9:
		x, set := g.p(), g.set()
		if g.IntN(2) == 0 {
			i := g.fresh("i")
			g.line("if multisetcount(%s: %s, %s[%s] = %s) = 0 then multisetadd(%s, %s); end;", i, set, set, i, x, x, set)
			break
		}
		g.line("multisetadd(%s, %s);", x, set)
	case 10:
		i, set := g.fresh("m"), g.set()
		g.line("multisetremovepred(%s: %s, %s[%s] = %s);", i, set, set, i, g.p())
	case 11:
		g.line("r.a := %s; r.n := %s;", g.p(), g.number())
	case 12:
		g.line("rr[%s] := r;", g.p())
	case 13:
		g.line("undefine %s;", among(g, "y["+g.p()+"]", "s", "r", "ms", "rr["+g.p()+"]"))
	case 14:
		g.line("tmp := %s; x[%s] := tmp;", g.number(), g.p())
	case 15:
		g.line("send(%s, %s);", g.p(), g.number())
	case 16:
		g.line("assert %s \"A\";", g.cond())
	case 17:
		g.line("local := %s; y[local] := local;", g.p())
	case 18:
		g.line("mail.a := %s; post(mail);", g.p())
	case 19:
		g.line("x[%s] := x[%s] + 1;", g.p(), g.p())
	case 20:
		if g.IntN(3) == 0 {
			g.line("return;")
		} else {
			g.line("u[%s] := 1;", g.p())
		}
	case 21:
		if g.IntN(3) == 0 {
			g.line("clear %s;", among(g, "y", "s", "x["+g.p()+"]"))
		} else {
			g.line("keep(rr[%s], %s);", g.p(), g.p())
		}
	case 22:
		g.line("multisetadd(r, mr);")
	case 23:
		if g.IntN(3) == 0 {
			g.line("assert %s \"B\";", g.cond())
		} else {
			g.line("rr[%s].a := %s;", g.p(), g.p())
		}
	case 24:
		if g.IntN(4) == 0 {
			g.line("%s %s;", among(g, "assume", "cover"), g.cond())
		} else {
			g.line("last(%s);", among(g, "s", "r.a", "local"))
		}
	case 25:
		g.line("flag := flag | %s;", g.cond())
	}
}

// model returns the text of a model.
func (g *loops) model() string {
	g.ranged = g.IntN(3) == 0
	p := "scalarset(3)"
	if g.ranged {
		p = "0..2"
	}
	union := "union {Q, P}"
	if g.ranged {
		union = "P"
	} else if g.IntN(2) == 0 {
		union = "union {P, Q}"
	}
	g.line("type P: %s; Q: enum {XX, YY}; U: %s;", p, union)
	g.line("R: record a: P; n: 0..3; end;")
	g.line("var x: array [P] of 0..3; y: array [P] of P; b: array [P] of boolean; z: array [P] of array [P] of boolean;")
	g.line("s: P; n: 0..6; flag: boolean; u: array [U] of 0..3; ms: multiset [3] of P; mp: array [U] of multiset [1] of P; mr: multiset [2] of R; r: R; rr: array [P] of R; tmp: 0..3; k: P;")
	g.line("function count(i: P): 0..3; var c: 0..3; begin c := 0; for j: P do if %s then c := c + 1; end; end; return c; end;", among(g, "b[j]", "z[i][j]", "y[j] = i"))
	g.line("function search(i: P): boolean; begin for j: P do if %s then return %s; end; end; return false; end;", among(g, "b[j]", "x[j] = 1", "z[j][i]", "y[j] = i"), among(g, "true", "true", "b[j]"))
	g.line("procedure send(i: P; k: 0..3); begin assert x[i] < 3 \"C\"; %s x[i] := %s; end;", among(g, "", "n := n + 1;", "b[i] := true;"), among(g, "k", "x[i] + 1", "0"))
	g.line("procedure post(var m: R); begin if !isundefined(m.a) then x[m.a] := %s; end; %s end;", among(g, "1", "m.n", "x[m.a] + 1"), among(g, "", "m.n := 1;"))
	g.line("procedure keep(var m: R; i: P); begin m.a := i; %s end;", among(g, "", "s := i;", "x[i] := 1;"))
	g.line("procedure last(var v: P); begin for j: P do v := j; %s end; end;", among(g, "", "x[v] := 1;", "b[j] := true;"))
	many := ""
	if g.IntN(3) > 0 {
		many = "y[i] := i;"
	}
	g.line("startstate for i: P do x[i] := 0; b[i] := false; u[i] := 0; %s for j: P do z[i][j] := false; end; end; n := 0; flag := false; tmp := 0; r.n := 0; %s end;", many, among(g, "", "", "for i: P do s := i; end;"))
	for n := 1 + g.IntN(2); n > 0; n-- {
		i := g.fresh("p")
		g.block("ruleset "+i+": P do", func() {
			g.ps = []string{i}
			choose := ""
			if g.IntN(4) == 0 {
				choose = g.fresh("c")
				g.line("choose %s: %s do", choose, among(g, "ms", "mr"))
			}
			guard := "true"
			if g.IntN(2) == 0 {
				guard = g.cond()
			}
			g.block("rule "+guard+" ==> var local: P; mail: R; begin", func() { g.stmts(3) }, "end;")
			if choose != "" {
				g.line("end;")
			}
			g.ps = nil
		}, "end;")
	}
	if g.IntN(2) == 0 {
		g.line("rule s := %s; b[s] := true; n := 0; end;", among(g, "s", "y[s]"))
	} else {
		i := g.fresh("p")
		g.line("ruleset %s: P do rule s := %s; b[s] := true; n := 0; end; end;", i, i)
	}
	for n := g.IntN(3); n > 0; n-- {
		i := g.fresh("p")
		g.ps = []string{i}
		g.line("ruleset %s: P do %s %s; end;", i, among(g, "invariant", "invariant", "cover", "liveness"), g.cond())
		g.ps = nil
	}
	g.line("invariant \"last\" n < 7 & (flag -> true);")
	return g.b.String()
}

// Loops returns the source of a random model that is full of loops over a class.
func Loops(rng *rand.Rand) string {
	g := &loops{Rand: rng}
	return g.model()
}
