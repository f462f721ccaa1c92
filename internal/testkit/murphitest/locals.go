package murphitest

import (
	"fmt"
	"math/rand/v2"
)

// locals makes random models whose loops over a class P keep what they know in locals. What
// the locals may hold decides whether a loop is symmetric: a probe, which most often is never
// reached, writes what depends on the order. Locals are written in all ways there are: in
// branches, by procedures that return early, through aliases, in conditions.
type locals struct {
	loops
	conditional bool // ?: is used
	one         string
	procs       []routine
	sc          names
}

// routine is a procedure that may be called.
type routine struct {
	name, result string // N, B (boolean) or ""
	params       string // one letter each: o (var number), k (number), q (var P), w (var record), p (P)
}

// names is what is in scope.
type names struct {
	own    string   // of type P
	nums   []string // numbers that may be written
	reads  []string // and that may be read only
	ps     []string // of type P, that may be written
	recs   []string // records that may be written
	result string   // of the procedure around; "-": of a rule
	loop   bool     // in a loop over P
	conds  int
}

func (g *locals) rare(n int) bool { return g.IntN(n) == 0 }

// constant is mostly the one that most locals always hold.
func (g *locals) constant() string {
	if g.rare(12) {
		return fmt.Sprint(g.IntN(4))
	}
	return g.one
}

func (g *locals) place() string { return g.sc.nums[g.IntN(len(g.sc.nums))] }

func (g *locals) num() string {
	switch g.IntN(16) {
	case 0, 1:
		return g.place()
	case 2:
		if len(g.sc.reads) > 0 && g.rare(3) {
			return g.sc.reads[g.IntN(len(g.sc.reads))]
		}
	case 3, 6:
		if f := g.call("N"); f != "" {
			return f
		}
	case 4:
		if g.conditional {
			return "(" + g.cond() + " ? " + g.constant() + " : " + g.constant() + ")"
		}
	case 5:
		if g.rare(3) {
			return "x[" + g.sc.own + "]"
		}
	}
	return g.constant()
}

func (g *locals) p() string {
	switch g.IntN(6) {
	case 0:
		return "s"
	case 1:
		return "y[" + g.sc.own + "]"
	case 2, 3:
		if len(g.sc.ps) > 0 {
			return g.sc.ps[g.IntN(len(g.sc.ps))]
		}
	}
	return g.sc.own
}

// call calls something with that result, or is "".
func (g *locals) call(result string) string {
	var fit []routine
	for _, h := range g.procs {
		if h.result == result {
			fit = append(fit, h)
		}
	}
	if len(fit) == 0 || g.sc.conds > 2 {
		return ""
	}
	g.sc.conds++
	defer func() { g.sc.conds-- }()
	h := fit[g.IntN(len(fit))]
	s := h.name + "("
	for i, p := range h.params {
		if i > 0 {
			s += ", "
		}
		switch p {
		case 'o':
			s += g.place()
		case 'k':
			s += g.num()
		case 'q':
			if len(g.sc.ps) == 0 {
				return ""
			}
			s += g.sc.ps[g.IntN(len(g.sc.ps))]
		case 'w':
			if len(g.sc.recs) == 0 {
				return ""
			}
			s += g.sc.recs[g.IntN(len(g.sc.recs))]
		case 'p':
			s += g.sc.own
		}
	}
	return s + ")"
}

func (g *locals) cond() string {
	if g.sc.conds > 3 {
		return "b[" + g.sc.own + "]"
	}
	g.sc.conds++
	defer func() { g.sc.conds-- }()
	switch g.IntN(13) {
	case 0, 1:
		return "b[" + g.sc.own + "]"
	case 2, 3:
		return fmt.Sprintf("x[%s] %s %s", g.sc.own, among(&g.loops, "=", "!=", "<"), among(&g.loops, "0", "1", "2"))
	case 4, 5:
		return fmt.Sprintf("%s %s %s", g.place(), among(&g.loops, "=", "!="), g.constant())
	case 6:
		return "isundefined(" + g.place() + ")"
	case 7:
		return "!(" + g.cond() + ")"
	case 8:
		return "(" + g.cond() + among(&g.loops, " & ", " | ", " -> ") + g.cond() + ")"
	case 9, 10:
		if f := g.call("B"); f != "" {
			return f
		}
	case 11:
		k := g.fresh("k")
		old := g.sc
		g.sc.reads = append(g.sc.reads[:len(g.sc.reads):len(g.sc.reads)], k)
		s := fmt.Sprintf("(%s %s: N do %s end)", among(&g.loops, "exists", "forall"), k, g.cond())
		g.sc = old
		return s
	}
	return g.p() + " = " + g.p()
}

func (g *locals) stmts(depth, n int) {
	for ; n > 0; n-- {
		g.stmt(depth)
	}
}

func (g *locals) inner(depth int) {
	old := g.sc
	g.stmts(depth-1, 1+g.IntN(2))
	if g.sc.result != "-" && g.rare(4) {
		g.ret()
	}
	g.sc = old
}

func (g *locals) ret() {
	switch g.sc.result {
	case "":
		g.line("return;")
	case "N":
		g.line("return %s;", g.num())
	case "B":
		g.line("return %s;", g.cond())
	}
}

func (g *locals) stmt(depth int) {
	if depth > 0 {
		switch g.IntN(12) {
		case 0, 1:
			g.line("if %s then", g.cond())
			g.indent += "  "
			g.inner(depth)
			for g.rare(3) {
				g.indent = g.indent[2:]
				g.line("elsif %s then", g.cond())
				g.indent += "  "
				g.inner(depth)
			}
			if g.rare(2) {
				g.indent = g.indent[2:]
				g.line("else")
				g.indent += "  "
				g.inner(depth)
			}
			g.indent = g.indent[2:]
			g.line("end;")
			return
		case 2, 3:
			x, values := g.num(), []string{"0", "1", "2"}
			if g.rare(3) {
				x, values = g.p(), []string{"s", "y[" + g.sc.own + "]", g.p()}
			}
			g.line("switch %s", x)
			for _, v := range values[:1+g.IntN(3)] {
				g.block("case "+v+":", func() { g.inner(depth) }, "")
			}
			if g.rare(2) {
				g.block("else", func() { g.inner(depth) }, "")
			}
			g.line("end;")
			return
		case 4:
			k := g.fresh("k")
			g.block(fmt.Sprintf("for %s := %s to %s do", k, among(&g.loops, "0", "0", g.place()), among(&g.loops, "0", "1", "x["+g.sc.own+"]")), func() {
				old := g.sc
				g.sc.reads = append(g.sc.reads[:len(g.sc.reads):len(g.sc.reads)], k)
				g.inner(depth)
				g.sc = old
			}, "end;")
			return
		case 5, 6:
			q := g.fresh("q")
			g.block("alias "+q+": "+g.place()+" do", func() {
				old := g.sc
				g.sc.nums = append(g.sc.nums[:len(g.sc.nums):len(g.sc.nums)], q)
				g.inner(depth)
				g.sc = old
			}, "end;")
			return
		case 7:
			cond := "cnt < x[" + g.sc.own + "]"
			if g.rare(2) {
				cond = "(" + cond + " & " + g.cond() + ")"
			}
			g.line("cnt := 0;")
			g.block("while "+cond+" do", func() {
				g.line("cnt := cnt + 1;")
				g.inner(0)
			}, "end;")
			return
		}
	}
	switch g.IntN(14) {
	case 0, 1:
		if f := g.call(""); f != "" {
			g.line("%s;", f)
			return
		}
	case 2:
		if g.rare(4) {
			g.line("undefine %s;", g.place())
			return
		}
	case 3:
		if g.one == "0" || g.rare(5) {
			g.line("clear %s;", g.place())
			return
		}
	case 4:
		if len(g.sc.recs) > 0 {
			r := g.sc.recs[g.IntN(len(g.sc.recs))]
			g.line("%s := c; %s.n := %s;", r, r, g.constant())
			if g.rare(6) {
				g.line(among(&g.loops, "%s := rr["+g.sc.own+"];", "undefine %s;"), r)
			}
			return
		}
	case 5:
		if len(g.sc.ps) > 0 {
			g.line("%s := %s;", g.sc.ps[g.IntN(len(g.sc.ps))], g.p())
			return
		}
	case 6:
		if !g.rare(8) {
			break
		}
		v := g.place()
		g.line("%s := %s + 1;", v, v)
		return
	case 7:
		if g.rare(4) {
			g.line("assert %s \"A\";", g.cond())
			return
		}
	case 8:
		if g.sc.loop {
			g.line("%s", among(&g.loops, "x["+g.sc.own+"] := 1;", "b["+g.sc.own+"] := false;", "y["+g.sc.own+"] := s;"))
			return
		}
	}
	g.line("%s := %s;", g.place(), g.num())
}

// probe writes what depends on the order, if a local holds what it mostly does not.
func (g *locals) probe() {
	cond := g.place() + among(&g.loops, " = ", " = ", " = ", " > ") + among(&g.loops, "2", "2", "3", fmt.Sprint(1-int(g.one[0]-'0')))
	if g.rare(4) {
		cond = "isundefined(" + g.place() + ")"
	}
	switch g.IntN(3) {
	case 0:
		cond += " & b[" + g.sc.own + "]"
	case 1:
		cond = "b[" + g.sc.own + "] & " + cond
	}
	g.line("if %s then %s end;", cond, among(&g.loops, "s := "+g.sc.own+";", "n := x["+g.sc.own+"];", "flag := b["+g.sc.own+"];", "s := y["+g.sc.own+"];"))
}

func (g *locals) routine() {
	h := routine{name: g.fresh("f"), result: among(&g.loops, "", "", "N", "B"), params: among(&g.loops, "op", "oop", "okp", "qp", "wp", "owp", "oqp")}
	g.sc = names{own: "s", result: h.result, nums: []string{"l"}}
	head := ""
	for i, p := range h.params {
		v := fmt.Sprintf("%c%d", p, i)
		if i > 0 {
			head += "; "
		}
		switch p {
		case 'o':
			head += "var " + v + ": N"
			g.sc.nums = append(g.sc.nums, v)
		case 'k':
			head += v + ": N"
			g.sc.reads = append(g.sc.reads, v)
		case 'q':
			head += "var " + v + ": P"
			g.sc.ps = append(g.sc.ps, v)
		case 'w':
			head += "var " + v + ": R"
			g.sc.recs, g.sc.nums, g.sc.ps = append(g.sc.recs, v), append(g.sc.nums, v+".n"), append(g.sc.ps, v+".a")
		case 'p':
			head += v + ": P"
			g.sc.own = v
		}
	}
	kind, result := "procedure", ""
	switch h.result {
	case "N":
		kind, result = "function", ": N"
	case "B":
		kind, result = "function", ": boolean"
	}
	g.line("%s %s(%s)%s; var l: N; cnt: 0..9; begin", kind, h.name, head, result)
	g.indent += "  "
	g.line("l := %s;", g.constant())
	g.stmts(2, 1+g.IntN(3))
	g.ret()
	g.indent = g.indent[2:]
	g.line("end;")
	g.procs = append(g.procs, h)
}

func (g *locals) model() string {
	g.one = among(&g.loops, "0", "1")
	g.line("type P: scalarset(3); N: 0..3; R: record a: P; n: N; end;")
	g.line("var x: array [P] of 0..2; y: array [P] of P; b: array [P] of boolean; rr: array [P] of R; c: R; s: P; t: P; n: N; m: 0..9; flag: boolean;")
	for k := g.IntN(3); k > 0; k-- {
		g.routine()
	}
	g.line("ruleset v: P do startstate for i: P do x[i] := 0; y[i] := i; b[i] := true; rr[i].a := i; rr[i].n := 0; end; n := 0; m := 0; flag := false; c.n := 1; c.a := v; s := v; t := v; end; end;")
	g.line("ruleset v: P do rule s := v; b[v] := !b[v]; end; end;")
	g.line("ruleset v: P; k: 0..2 do rule x[v] := k; n := 0; end; end;")
	g.line("rule var l1: N; l2: N; e: R; j: P; cnt: 0..9; begin")
	g.indent += "  "
	g.sc = names{own: "s", nums: []string{"l1", "l2", "e.n"}, ps: []string{"j", "e.a"}, recs: []string{"e"}, result: "-"}
	begin := func() {
		g.line("l1 := %s; l2 := %s;", g.constant(), g.constant())
		g.line("%s", among(&g.loops, "e := c; e.n := "+g.one+";", "e.a := s; e.n := "+g.constant()+";", "e.n := "+g.constant()+";"))
		g.line("j := s;")
	}
	if !g.rare(4) {
		begin()
	}
	i := g.fresh("i")
	g.block("for "+i+": P do", func() {
		old := g.sc
		g.sc.own, g.sc.loop = i, true
		if !g.rare(6) {
			begin()
		}
		g.stmts(2, 1+g.IntN(3))
		g.probe()
		if g.rare(6) {
			g.stmts(1, 1)
			g.probe()
		}
		if g.rare(3) {
			g.line("j := %s;", i)
		}
		g.sc = old
	}, "end;")
	if g.rare(2) {
		if g.rare(3) {
			begin()
		}
		g.stmts(2, 1+g.IntN(2))
		g.line("%s", among(&g.loops, "t := j;", "t := e.a;", "n := l1;", "if l2 = 2 then flag := !flag; end;", "n := e.n;"))
	}
	g.indent = g.indent[2:]
	g.line("end;")
	return g.b.String()
}

// Locals returns the source of a random model whose loops over a class keep what they know
// in locals. It uses ?: if conditional says so.
func Locals(rng *rand.Rand, conditional bool) string {
	g := &locals{conditional: conditional}
	g.Rand = rng
	return g.model()
}
