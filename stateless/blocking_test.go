package stateless

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Random programs in which processes wait for each other: few statements each, most of them with a condition. There are
// condition variables, choices between messages and conditions, conditions behind the first statement of an
// atomic sequence, counters that wrap around, stored process numbers, processes that others run, timeout and unless.

type blocker struct {
	*rand.Rand
	chans  []int
	locals []string
	nested bool // in a choice or sequence
}

func (g *blocker) p(percent int) bool { return g.IntN(100) < percent }

func (g *blocker) of(words ...string) string { return words[g.IntN(len(words))] }

func (g *blocker) cond() string {
	switch g.IntN(9) {
	case 0:
		return "o == _pid"
	case 1:
		return g.of("x", "y", "k") + " != " + g.of("x", "y", g.locals[0])
	case 2:
		return "a[" + g.of("x", "o", g.locals[0], "0") + " % 2] == " + g.of("0", "1")
	case 3, 4:
		return g.of("x", "y", "k") + g.of(" > ", " < ") + g.of("0", "1", "2", "5")
	case 5:
		if n := len(g.chans); n > 0 {
			return fmt.Sprintf("len(c%d) == %d", g.IntN(n), g.IntN(2))
		}
	}
	return g.of("x", "y", "k", g.locals[0]) + " == " + g.of("0", "0", "1", "2")
}

func (g *blocker) conds() string {
	c := g.cond()
	if g.p(35) {
		c += g.of(" && ", " && ", " || ") + g.cond()
	}
	return c
}

func (g *blocker) effect() string {
	switch g.IntN(10) {
	case 0:
		return "o = _pid"
	case 1:
		return "a[" + g.of("x", "o", g.locals[0], "1") + " % 2] = " + g.of("0", "1", g.locals[0])
	case 2:
		return g.of("x", "y", "k") + "--"
	case 3:
		return g.of("x", "y", "k") + "++"
	case 4, 5:
		return g.locals[0] + " = " + g.of("x", "y", "k", "a[0]", "a[x % 2]", "o")
	case 6:
		return g.of("x", "y") + " = " + g.of("k + 1", g.locals[0]+" + 1", "1 - x % 2")
	}
	return g.of("x", "y", "k") + " = " + g.of("0", "1", "1", "2")
}

// message is a send or receive, or "" if there are no channels.
func (g *blocker) message() string {
	if len(g.chans) == 0 {
		return ""
	}
	c := g.IntN(len(g.chans))
	if g.p(50) {
		return fmt.Sprintf("c%d!%s", c, g.of("1", "2", "x", g.locals[0]))
	}
	return fmt.Sprintf("c%d?%s", c, g.of(g.locals[0], g.locals[0], "1", "y", "eval(k)"))
}

// begin is what an option or sequence begins with.
func (g *blocker) begin() string {
	if m := g.message(); m != "" && g.p(45) {
		return m
	}
	return g.conds()
}

func (g *blocker) statement() string {
	if g.nested {
		return g.of(g.effect(), g.effect(), "assert("+g.cond()+")")
	}
	g.nested = true
	defer func() { g.nested = false }()
	switch g.IntN(17) {
	case 0, 1, 2:
		return g.of("d_step { ", "d_step { ", "atomic { ") + g.conds() + g.of("; ", "; ", "; assert("+g.cond()+"); ") + g.effect() + " }"
	case 3, 4, 5, 6:
		var b strings.Builder
		b.WriteString("if")
		for range 1 + g.IntN(3) {
			b.WriteString(" :: " + g.begin() + " -> " + g.statement())
		}
		if g.p(25) {
			b.WriteString(" :: else -> " + g.statement())
		}
		return b.String() + " fi"
	case 7:
		return "atomic { " + g.begin() + "; " + g.effect() + "; " + g.begin() + "; " + g.effect() + " }"
	case 8: // a counter, which may wrap around
		v := g.of("x", "y", "k")
		return g.of("atomic", "d_step") + " { " + v + " > 0; " + v + "--; " + g.of(v+"--", v+"--; "+g.effect(), g.effect()) + " }"
	case 9: // wait on a condition variable, with a mutex
		return "d_step { m == 0; m = 1 }; if :: " + g.cond() + " :: else -> d_step { m = 0; w++ }; d_step { s > 0; s-- }; d_step { m == 0; m = 1 } fi; " + g.effect() + "; m = 0"
	case 10: // signal
		return "d_step { m == 0; m = 1 }; " + g.effect() + "; d_step { if :: w > 0 -> w--; s++ :: else fi; m = 0 }"
	case 11:
		if g.p(50) {
			return "{ " + g.begin() + "; " + g.effect() + " } unless { " + g.conds() + "; " + g.effect() + " }"
		}
		return "timeout -> " + g.effect()
	case 12, 13:
		if m := g.message(); m != "" {
			return m
		}
	case 14:
		return g.conds()
	case 15:
		return "assert(" + g.cond() + ")"
	}
	return g.effect()
}

// randomBlocking returns a program that always ends, though that may not be seen.
func randomBlocking(seed uint64) string {
	g := &blocker{Rand: rand.New(rand.NewPCG(seed, 13))}
	var b strings.Builder
	fmt.Fprintf(&b, "byte x, y, k = %d, o, m, w, s; byte a[2];\n", g.IntN(2))
	for i := range g.IntN(3) {
		g.chans = append(g.chans, g.IntN(2))
		fmt.Fprintf(&b, "chan c%d = [%d] of { byte };\n", i, g.chans[i])
	}
	run := g.p(15)
	var runs []string
	threads, types := 3+g.IntN(2), 0
	for ; threads > 0; types++ {
		n := 1
		if g.p(25) {
			n = 1 + g.IntN(min(threads, 3))
		}
		threads -= n
		g.locals = []string{g.of("r", "v")}
		if run {
			fmt.Fprintf(&b, "proctype P%d(byte z) {", types)
			g.locals = append(g.locals, "z")
			for range n {
				runs = append(runs, fmt.Sprintf("run P%d(%d)", types, g.IntN(2)))
			}
		} else {
			fmt.Fprintf(&b, "active [%d] proctype P%d() {", n, types)
		}
		fmt.Fprintf(&b, " byte %s;", g.locals[0])
		for i := range 1 + g.IntN(2) {
			if i > 0 {
				b.WriteString(";")
			}
			b.WriteString(" " + g.statement())
		}
		b.WriteString(" }\n")
	}
	if run {
		if g.p(30) {
			runs = append(runs, g.of("x = 1", "y++", "k--", "assert(x == 0)"))
		}
		text := strings.Join(runs, "; ")
		if g.p(50) {
			text = "atomic { " + text + " }"
		}
		fmt.Fprintf(&b, "init { %s }\n", text)
	}
	return b.String()
}

// TestRandomBlocking does so for programs in which processes wait for each other.
func TestRandomBlocking(t *testing.T) {
	compareAll(t, 25, 30_000, func(seed uint64) string { return acyclic(randomBlocking(seed)) })
}
