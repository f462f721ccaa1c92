package murphitest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"orbitmc/model"
)

// calls makes random models whose loops over a class P mostly do what is symmetric, by
// calls of procedures that return early, and of functions whose results are arguments.
type calls struct {
	loops
	rumur bool
	one   int         // what most writes of n write
	procs int         // to be called
	heads []signature // of those
	sc    scope
	calls int // around
}

// scope is what may be named: the first of ps is mostly that of the loop.
type scope struct {
	ps, nums, lnums, recs, lrecs []string
	proc                         string // P, N, R: what is returned; "-": nothing; "": no procedure
	turn                         bool   // within a loop over P
	top                          bool   // within a rule, not within a loop
}

type signature struct {
	name, result string
	params       string // one letter each: p, k, v (record), o (var number), w (var record)
}

func (g *calls) rare(n int) bool { return g.IntN(n) == 0 }

func (g *calls) own() string {
	if len(g.sc.ps) > 0 && !g.rare(80) {
		return g.sc.ps[len(g.sc.ps)-1]
	}
	return g.p()
}

// p is an expression of type P.
func (g *calls) p() string {
	if len(g.sc.ps) > 0 && !g.rare(3) {
		return among(&g.loops, g.sc.ps...)
	}
	if len(g.sc.recs) > 0 && g.rare(2) {
		return among(&g.loops, g.sc.recs...) + ".a"
	}
	if f := g.call("P"); f != "" && g.rare(2) {
		return f
	}
	if len(g.sc.ps) > 0 && g.rare(2) {
		return "y[" + g.sc.ps[len(g.sc.ps)-1] + "]"
	}
	return "t"
}

func (g *calls) num() string {
	switch g.IntN(9) {
	case 0, 1, 2:
		if len(g.sc.nums) > 0 {
			return among(&g.loops, g.sc.nums...)
		}
	case 3:
		if len(g.sc.recs) > 0 {
			return among(&g.loops, g.sc.recs...) + ".n"
		}
	case 4:
		if len(g.sc.ps) > 0 {
			return "x[" + g.own() + "]"
		}
	case 5, 6:
		if f := g.call("N"); f != "" {
			return f
		}
	}
	return fmt.Sprint(g.IntN(3))
}

// rec is a record to be read.
func (g *calls) rec() string {
	if f := g.call("R"); f != "" && !g.rare(3) {
		return f
	}
	if len(g.sc.ps) > 0 && g.rare(2) {
		return "rr[" + g.own() + "]"
	}
	if len(g.sc.recs) > 0 {
		return among(&g.loops, g.sc.recs...)
	}
	return "c"
}

// call is a call of something with that result, or "".
func (g *calls) call(result string) string {
	var fit []signature
	for _, h := range g.heads[:g.procs] {
		if h.result == result && (len(g.sc.ps) > 0 || !strings.Contains(h.params, "p") || g.rare(20)) {
			fit = append(fit, h)
		}
	}
	if len(fit) == 0 || g.calls > 2 {
		return ""
	}
	g.calls++
	defer func() { g.calls-- }()
	h := fit[g.IntN(len(fit))]
	s := h.name + "("
	for i, p := range h.params {
		if i > 0 {
			s += ", "
		}
		switch p {
		case 'p':
			s += g.own()
		case 'k':
			s += g.num()
		case 'v':
			s += g.rec()
		case 'o':
			s += g.place()
		case 'w':
			s += g.recPlace()
		}
	}
	return s + ")"
}

// place is a number to be written.
func (g *calls) place() string {
	if len(g.sc.lnums) > 0 && !g.rare(4) {
		return among(&g.loops, g.sc.lnums...)
	}
	if len(g.sc.lrecs) > 0 && g.rare(3) {
		return among(&g.loops, g.sc.lrecs...) + ".n"
	}
	if g.rare(8) {
		return "n"
	}
	if len(g.sc.ps) > 0 {
		return among(&g.loops, "x["+g.own()+"]", "rr["+g.own()+"].n")
	}
	return "n"
}

func (g *calls) recPlace() string {
	if len(g.sc.lrecs) > 0 && !g.rare(4) {
		return among(&g.loops, g.sc.lrecs...)
	}
	if len(g.sc.ps) > 0 {
		return "rr[" + g.own() + "]"
	}
	return "r"
}

func (g *calls) cond() string {
	switch g.IntN(10) {
	case 0, 1, 2:
		return fmt.Sprintf("%s %s %s", g.num(), among(&g.loops, "=", "=", "!=", "<"), among(&g.loops, "0", "1", "2", g.num()))
	case 3, 4:
		if len(g.sc.ps) > 0 {
			return "b[" + g.own() + "]"
		}
	case 5:
		return g.p() + " = " + g.p()
	case 6:
		return "!(" + g.cond() + ")"
	case 7:
		return "(" + g.cond() + among(&g.loops, " & ", " | ") + g.cond() + ")"
	case 8:
		return "isundefined(" + among(&g.loops, append([]string{"r.a"}, g.sc.lnums...)...) + ")"
	}
	return g.num() + " = " + fmt.Sprint(g.IntN(3))
}

func (g *calls) stmts(depth int) {
	for n := 1 + g.IntN(3); n > 0; n-- {
		g.stmt(depth)
	}
}

func (g *calls) ret() {
	switch {
	case g.sc.proc == "-":
		g.line("return;")
	case g.sc.proc == "P":
		g.line("return %s;", g.p())
	case g.sc.proc == "N":
		g.line("return %s;", g.num())
	case g.sc.proc == "R":
		g.line("return %s;", among(&g.loops, append([]string{g.rec()}, g.sc.lrecs...)...))
	case g.sc.top && g.rare(8):
		g.line("return;")
	}
}

func (g *calls) stmt(depth int) {
	if depth > 0 {
		switch g.IntN(9) {
		case 0, 1:
			if !g.sc.turn || g.rare(6) {
				g.loop(depth)
				return
			}
		case 2, 3:
			g.block("if "+g.cond()+" then", func() {
				g.stmts(depth - 1)
				if g.rare(2) {
					g.ret()
				}
			}, "end;")
			return
		case 4:
			g.block("if "+g.cond()+" then", func() { g.stmts(depth - 1) }, "else")
			g.indent += "  "
			g.stmts(depth - 1)
			g.indent = g.indent[2:]
			g.line("end;")
			return
		case 5:
			if g.rare(3) {
				i := g.fresh("o")
				old := g.sc
				g.sc.nums = append(g.sc.nums[:len(g.sc.nums):len(g.sc.nums)], i)
				g.block("for "+i+" := 0 to 1 do", func() { g.stmts(depth - 1) }, "end;")
				g.sc = old
				return
			}
		}
	}
	switch g.IntN(16) {
	case 0, 1, 2, 3:
		if f := g.call("-"); f != "" {
			g.line("%s;", f)
			return
		}
	case 4:
		if len(g.sc.ps) > 0 {
			g.line("x[%s] := %s;", g.own(), g.num())
			return
		}
	case 5:
		if len(g.sc.ps) > 0 {
			g.line("b[%s] := %s;", g.own(), g.cond())
			return
		}
	case 6:
		if len(g.sc.ps) > 0 {
			g.line("y[%s] := %s;", g.own(), g.p())
			return
		}
	case 7:
		if g.rare(3) {
			g.line("n := %s;", among(&g.loops, fmt.Sprint(g.one), g.num()))
		} else {
			g.line("n := %d;", g.one)
		}
		return
	case 8:
		g.line("m := m + 1;")
		return
	case 9:
		if len(g.sc.lrecs) > 0 {
			v := among(&g.loops, g.sc.lrecs...)
			switch g.IntN(3) {
			case 0:
				g.line("%s := %s;", v, g.rec())
			case 1:
				g.line("%s.n := %s;", v, g.num())
			case 2:
				g.line("%s.a := %s;", v, g.p())
			}
			return
		}
	case 10:
		if len(g.sc.ps) > 0 {
			g.line("rr[%s] := %s;", g.own(), g.rec())
			return
		}
	case 11:
		if len(g.sc.lnums) > 0 {
			v := among(&g.loops, g.sc.lnums...)
			g.line("%s := %s + 1;", v, v)
			return
		}
	case 12:
		if g.rare(4) {
			g.line("assert %s \"A\";", g.cond())
			return
		}
		if len(g.sc.lnums) > 0 && g.rare(3) {
			g.line("undefine %s;", among(&g.loops, g.sc.lnums...))
			return
		}
	}
	if len(g.sc.lnums) > 0 {
		g.line("%s := %s;", among(&g.loops, g.sc.lnums...), g.num())
	}
}

func (g *calls) loop(depth int) {
	i := g.fresh("i")
	old := g.sc
	g.sc.ps = append(g.sc.ps[:len(g.sc.ps):len(g.sc.ps)], i)
	g.sc.turn = true
	if g.sc.top = g.sc.top && g.rare(10); !g.rare(4) {
		g.sc.proc = "" // a loop that returns must not write
	}
	g.block("for "+i+": P do", func() {
		for _, v := range g.sc.lnums {
			n := g.IntN(20)
			if n < 3 {
				g.line("if %s then %s := %s; end;", g.cond(), v, g.num())
			}
			if n > 0 {
				g.line("%s := %d;", v, g.IntN(3))
			}
		}
		for _, v := range g.sc.lrecs {
			if !g.rare(15) {
				g.line("%s := %s;", v, among(&g.loops, "c", "rr["+i+"]"))
			}
		}
		g.stmts(depth - 1)
		g.stmts(depth - 1)
	}, "end;")
	g.sc = old
}

// locals are begun mostly.
func (g *calls) locals() {
	for _, v := range g.sc.lnums {
		if !g.rare(5) {
			g.line("%s := %d;", v, g.IntN(3))
		}
	}
	for _, v := range g.sc.lrecs {
		if !g.rare(5) {
			g.line("%s := c;", v)
		}
		if g.rare(2) {
			g.line("%s.n := %d;", v, g.IntN(3))
		}
	}
}

func (g *calls) proc() {
	h := signature{name: g.fresh("f"), result: among(&g.loops, "-", "-", "N", "N", "R", "P")}
	if h.result == "R" && !g.rumur {
		h.result = "N"
	}
	h.params = among(&g.loops, "p", "pk", "kp", "vvp", "pvk", "pkk", "vvpk", "po", "pw", "pow", "vp", "k", "vk", "kk")
	if h.result == "R" && g.rare(2) {
		h.params = among(&g.loops, "k", "kk", "vk")
	}
	g.sc = scope{proc: h.result, turn: true}
	head := ""
	for i, p := range h.params {
		if i > 0 {
			head += "; "
		}
		v := fmt.Sprintf("%c%d", p, i)
		switch p {
		case 'p':
			head += v + ": P"
			g.sc.ps = append(g.sc.ps, v)
		case 'k':
			head += v + ": N"
			g.sc.nums = append(g.sc.nums, v)
		case 'v':
			head += v + ": R"
			g.sc.recs = append(g.sc.recs, v)
		case 'o':
			head += "var " + v + ": N"
			g.sc.nums, g.sc.lnums = append(g.sc.nums, v), append(g.sc.lnums, v)
		case 'w':
			head += "var " + v + ": R"
			g.sc.recs, g.sc.lrecs = append(g.sc.recs, v), append(g.sc.lrecs, v)
		}
	}
	l, e := g.fresh("l"), g.fresh("e")
	g.sc.nums, g.sc.lnums = append(g.sc.nums, l), append(g.sc.lnums, l)
	g.sc.recs, g.sc.lrecs = append(g.sc.recs, e), append(g.sc.lrecs, e)
	kind := "procedure"
	result := ""
	if h.result != "-" {
		kind, result = "function", ": "+h.result
	}
	g.line("%s %s(%s)%s; var %s: N; %s: R; begin", kind, h.name, head, result, l, e)
	g.indent += "  "
	g.locals()
	g.stmts(2)
	if g.rare(5) {
		g.loop(2)
	}
	g.ret()
	g.indent = g.indent[2:]
	g.line("end;")
	g.heads = append(g.heads, h)
	g.procs = len(g.heads)
}

func (g *calls) model() string {
	g.one = 1 + g.IntN(2)
	g.line("type P: scalarset(3); N: 0..2; R: record a: P; n: N; end;")
	g.line("var x: array [P] of N; y: array [P] of P; b: array [P] of boolean; rr: array [P] of R; r: R; c: R; t: P; n: N; m: 0..9;")
	for k := 2 + g.IntN(3); k > 0; k-- {
		g.proc()
	}
	g.line("ruleset v: P do startstate for i: P do x[i] := 0; y[i] := i; b[i] := false; rr[i].a := i; rr[i].n := 0; end; n := 0; m := 0; r.n := 0; c.n := 1; c.a := v; t := v; end; end;")
	g.line("ruleset v: P do rule t := v; b[v] := !b[v]; m := 0; end; end;")
	g.line("ruleset v: P; k: N do rule x[v] := k; n := 0; rr[v].n := k; end; end;")
	for k := 1 + g.IntN(2); k > 0; k-- {
		l, e := g.fresh("l"), g.fresh("e")
		g.sc = scope{top: true, nums: []string{l}, lnums: []string{l}, recs: []string{e}, lrecs: []string{e}}
		g.line("rule var %s: N; %s: R; begin", l, e)
		g.indent += "  "
		g.locals()
		g.loop(3)
		if g.rare(3) {
			if !g.rare(3) {
				g.locals()
			}
			g.stmts(2)
		}
		g.indent = g.indent[2:]
		g.line("end;")
	}
	g.line("invariant \"last\" n < 3;")
	return g.b.String()
}

// Calls returns the source of a random model whose loops over a class call procedures that
// return early.
func Calls(rng *rand.Rand, d model.Dialect) string {
	g := &calls{rumur: d == model.Rumur}
	g.Rand = rng
	return g.model()
}
