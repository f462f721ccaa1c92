package promelatest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Random returns a random program: two or three processes, which share variables and
// channels of sizes 0 to 2, with choices, loops, atomic sequences, d_steps, else, timeout,
// unless, run, for, select and jumps. It has finitely many states, mostly few.
func Random(rng *rand.Rand) string {
	g := &generator{rng: rng}
	return g.program()
}

type generator struct {
	rng     *rand.Rand
	b       strings.Builder
	depth   int
	atomic  bool
	dstep   bool
	runs    bool
	locals  []string
	unless  int
	inLoop  int
	noRV    bool
	chans   int
	caps    []int
	spawned int
	labels  int
}

func (g *generator) n(k int) int { return g.rng.IntN(k) }
func (g *generator) p(percent int) bool {
	return g.rng.IntN(100) < percent
}

func (g *generator) line(format string, args ...any) {
	g.b.WriteString(strings.Repeat("  ", g.depth))
	fmt.Fprintf(&g.b, format, args...)
	g.b.WriteByte('\n')
}

func (g *generator) program() string {
	g.line("mtype = { red, green, blue };")
	g.line("byte x, y = 1;")
	g.line("bool f;")
	g.line("byte a[2];")
	g.chans = 1 + g.n(2)
	for i := range g.chans {
		g.caps = append(g.caps, g.n(3))
		g.line("chan c%d = [%d] of { byte%s };", i, g.caps[i], []string{"", ", mtype"}[i%2])
	}
	procs := 2 + g.n(2)
	g.runs = g.p(25)
	if g.runs {
		g.line("proctype Q(byte v)")
		g.body(1+g.n(2), []string{"v", "i"})
	}
	for p := range procs {
		n := 1
		if p == 0 && g.p(30) {
			n = 2
		}
		g.line("active [%d] proctype P%d()", n, p)
		g.body(1+g.n(4), []string{"i"})
	}
	return g.b.String()
}

func (g *generator) body(n int, locals []string) {
	g.locals = locals
	g.line("{ byte i;")
	g.depth++
	if g.p(30) {
		kind := "do"
		g.line("end: %s", kind)
		for range 1 + g.n(2) {
			g.line(":: ")
			g.inLoop++
			g.block(1 + g.n(3))
			g.inLoop--
		}
		if g.p(50) {
			g.line(":: break")
		}
		g.line("od")
	} else {
		g.block(n)
	}
	g.depth--
	g.line("}")
}

func (g *generator) block(n int) {
	g.depth++
	for k := range n {
		sep := ";"
		if k == n-1 {
			sep = ""
		}
		g.statement(sep)
	}
	g.depth--
}

func (g *generator) variable() string {
	all := append([]string{"x", "y", "f", "a[0]", "a[x % 2]"}, g.locals...)
	return all[g.n(len(all))]
}

func (g *generator) number() string {
	switch g.n(6) {
	case 0, 1:
		return fmt.Sprint(g.n(3))
	case 2:
		return g.variable()
	case 3:
		return fmt.Sprintf("(%s + 1) %% 3", g.variable())
	case 4:
		return "_pid"
	}
	return fmt.Sprintf("(%s -> %d : %s)", g.cond(), g.n(3), g.variable())
}

func (g *generator) cond() string {
	switch g.n(7) {
	case 0:
		return fmt.Sprintf("%s == %d", g.variable(), g.n(3))
	case 1:
		return fmt.Sprintf("%s < %d", g.variable(), g.n(4))
	case 2:
		return fmt.Sprintf("%s != %s", g.variable(), g.variable())
	case 3:
		return "f"
	case 4:
		return "!f"
	case 5:
		return fmt.Sprintf("len(c%d) < %d", g.n(g.chans), 1+g.n(2))
	}
	return fmt.Sprintf("%s > 0 && %s < 2", g.variable(), g.variable())
}

func (g *generator) basic() string {
	switch g.n(9) {
	case 0, 1:
		return fmt.Sprintf("%s = %s", g.variable(), g.number())
	case 2:
		return fmt.Sprintf("x = (x + 1) %% %d", 2+g.n(3))
	case 3:
		if g.p(30) {
			return fmt.Sprintf("assert(%s)", g.cond())
		}
		return "skip"
	case 4:
		return fmt.Sprintf("(%s)", g.cond())
	case 5, 6:
		return g.send()
	case 7:
		return g.receive()
	}
	return "f = !f"
}

func (g *generator) channel() int {
	c := g.n(g.chans)
	if g.noRV || g.dstep {
		for k := range g.chans {
			if i := (c + k) % g.chans; g.caps[i] > 0 {
				return i
			}
		}
		return -1
	}
	return c
}

var colours = []string{"red", "green", "blue"}

func (g *generator) send() string {
	c := g.channel()
	if c < 0 {
		return "y = 0"
	}
	op := "!"
	if g.caps[c] > 0 && g.p(20) {
		op = "!!"
	}
	if c%2 == 1 {
		return fmt.Sprintf("c%d%s%s,%s", c, op, g.number(), colours[g.n(3)])
	}
	return fmt.Sprintf("c%d%s%s", c, op, g.number())
}

func (g *generator) receive() string {
	c := g.channel()
	if c < 0 {
		return "y = 2"
	}
	op := "?"
	if g.caps[c] > 0 && g.p(20) {
		op = "??"
	}
	first := "i"
	switch g.n(4) {
	case 0:
		first = fmt.Sprint(g.n(3))
	case 1:
		first = "eval(y)"
	case 2:
		first = "x"
	}
	if c%2 == 1 {
		return fmt.Sprintf("c%d%s%s,%s", c, op, first, []string{"red", "green", "_"}[g.n(3)])
	}
	return fmt.Sprintf("c%d%s%s", c, op, first)
}

func (g *generator) statement(sep string) {
	k := g.n(23)
	if g.depth > 5 {
		k = 0
	}
	switch {
	case k < 11:
		g.line("%s%s", g.basic(), sep)
	case k < 14:
		g.choice("if", "fi"+sep)
	case k == 14 && !g.dstep && !g.atomic && g.inLoop == 0:
		g.inLoop++
		g.choice("do", "od"+sep)
		g.inLoop--
	case k == 15 && !g.dstep && !g.atomic:
		g.line("atomic {")
		g.atomic = true
		g.block(2 + g.n(2))
		g.atomic = false
		g.line("}%s", sep)
	case k == 16 && !g.dstep:
		g.line("d_step {")
		g.dstep = true
		g.depth++
		g.line("%s = %s;", g.variable(), g.number())
		if g.p(40) {
			g.line("if :: %s -> x = 1 :: else fi;", g.cond())
		}
		g.line("f = %s", g.cond())
		g.depth--
		g.dstep = false
		g.line("}%s", sep)
	case k == 17 && !g.dstep && g.unless == 0 && !g.atomic:
		g.unless++
		g.line("{")
		g.block(1 + g.n(2))
		g.line("} unless {")
		g.depth++
		g.line("(%s);", g.cond())
		g.depth--
		g.block(1)
		g.line("}%s", sep)
		g.unless--
	case k == 18 && !g.dstep && !g.atomic:
		g.line("timeout -> y = %d%s", g.n(3), sep)
	case k == 19 && g.runs && !g.dstep && g.inLoop == 0 && g.spawned < 2 && len(g.locals) == 1:
		g.spawned++
		g.line("run Q(%s)%s", g.number(), sep)
	case k == 20 && !g.dstep && !g.atomic && g.inLoop == 0:
		g.loop(sep)
	case k == 21 && !g.dstep:
		g.line("select (i : %d .. %s)%s", g.n(2), []string{"2", "3", "y"}[g.n(3)], sep)
	case k == 22 && !g.dstep && !g.atomic && g.inLoop == 0:
		g.again(sep)
	default:
		g.line("%s%s", g.basic(), sep)
	}
}

// loop makes a loop that counts, perhaps with an escape.
func (g *generator) loop(sep string) {
	g.inLoop++
	g.line("for (i : %d .. %s) {", g.n(2), []string{"1", "2", "y"}[g.n(3)])
	g.block(1)
	g.inLoop--
	if g.unless > 0 || g.p(60) {
		g.line("}%s", sep)
		return
	}
	g.line("} unless { (%s); %s }%s", g.cond(), g.basic(), sep)
}

// again makes a statement with a label, and a jump back to it.
func (g *generator) again(sep string) {
	g.labels++
	name := fmt.Sprintf("%s%d", []string{"L", "end"}[g.n(2)], g.labels)
	g.b.WriteString(name + ":\n")
	g.inLoop++
	switch g.n(3) {
	case 0:
		g.loop(";")
	case 1:
		g.line("select (i : 0 .. %s);", []string{"2", "y"}[g.n(2)])
	default:
		g.choice("if", "fi;")
	}
	g.inLoop--
	g.line("if :: %s -> goto %s :: else -> %s fi%s", g.cond(), name, g.basic(), sep)
}

func (g *generator) choice(open, shut string) {
	g.line("%s", open)
	n := 1 + g.n(3)
	for range n {
		first := fmt.Sprintf("(%s)", g.cond())
		if g.p(35) {
			first = g.basic()
			if open == "do" && first == "skip" {
				first = "x = 0"
			}
		}
		if open == "do" && g.p(40) {
			g.line(":: %s -> break", first)
			continue
		}
		g.line(":: %s -> ", first)
		g.depth++
		g.statement("")
		g.depth--
	}
	if g.p(50) || open == "do" {
		if open == "do" {
			g.line(":: else -> break")
		} else {
			g.line(":: else -> %s", g.basic())
		}
	}
	g.line("%s", shut)
}
