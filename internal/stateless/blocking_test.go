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

func (bl *blocker) p(percent int) bool { return bl.IntN(100) < percent }

func (bl *blocker) of(words ...string) string { return words[bl.IntN(len(words))] }

func (bl *blocker) cond() string {
	switch bl.IntN(9) {
	case 0:
		return "o == _pid"
	case 1:
		return bl.of("x", "y", "k") + " != " + bl.of("x", "y", bl.locals[0])
	case 2:
		return "a[" + bl.of("x", "o", bl.locals[0], "0") + " % 2] == " + bl.of("0", "1")
	case 3, 4:
		return bl.of("x", "y", "k") + bl.of(" > ", " < ") + bl.of("0", "1", "2", "5")
	case 5:
		if n := len(bl.chans); n > 0 {
			return fmt.Sprintf("len(c%d) == %d", bl.IntN(n), bl.IntN(2))
		}
	}
	return bl.of("x", "y", "k", bl.locals[0]) + " == " + bl.of("0", "0", "1", "2")
}

func (bl *blocker) conds() string {
	c := bl.cond()
	if bl.p(35) {
		c += bl.of(" && ", " && ", " || ") + bl.cond()
	}
	return c
}

func (bl *blocker) effect() string {
	switch bl.IntN(10) {
	case 0:
		return "o = _pid"
	case 1:
		return "a[" + bl.of("x", "o", bl.locals[0], "1") + " % 2] = " + bl.of("0", "1", bl.locals[0])
	case 2:
		return bl.of("x", "y", "k") + "--"
	case 3:
		return bl.of("x", "y", "k") + "++"
	case 4, 5:
		return bl.locals[0] + " = " + bl.of("x", "y", "k", "a[0]", "a[x % 2]", "o")
	case 6:
		return bl.of("x", "y") + " = " + bl.of("k + 1", bl.locals[0]+" + 1", "1 - x % 2")
	}
	return bl.of("x", "y", "k") + " = " + bl.of("0", "1", "1", "2")
}

// message is a send or receive, or "" if there are no channels.
func (bl *blocker) message() string {
	if len(bl.chans) == 0 {
		return ""
	}
	c := bl.IntN(len(bl.chans))
	if bl.p(50) {
		return fmt.Sprintf("c%d!%s", c, bl.of("1", "2", "x", bl.locals[0]))
	}
	return fmt.Sprintf("c%d?%s", c, bl.of(bl.locals[0], bl.locals[0], "1", "y", "eval(k)"))
}

// begin is what an option or sequence begins with.
func (bl *blocker) begin() string {
	if m := bl.message(); m != "" && bl.p(45) {
		return m
	}
	return bl.conds()
}

func (bl *blocker) statement() string {
	if bl.nested {
		return bl.of(bl.effect(), bl.effect(), "assert("+bl.cond()+")")
	}
	bl.nested = true
	defer func() { bl.nested = false }()
	switch bl.IntN(17) {
	case 0, 1, 2:
		return bl.of("d_step { ", "d_step { ", "atomic { ") + bl.conds() + bl.of("; ", "; ", "; assert("+bl.cond()+"); ") + bl.effect() + " }"
	case 3, 4, 5, 6:
		var b strings.Builder
		b.WriteString("if")
		for range 1 + bl.IntN(3) {
			b.WriteString(" :: " + bl.begin() + " -> " + bl.statement())
		}
		if bl.p(25) {
			b.WriteString(" :: else -> " + bl.statement())
		}
		return b.String() + " fi"
	case 7:
		return "atomic { " + bl.begin() + "; " + bl.effect() + "; " + bl.begin() + "; " + bl.effect() + " }"
	case 8: // a counter, which may wrap around
		v := bl.of("x", "y", "k")
		return bl.of("atomic", "d_step") + " { " + v + " > 0; " + v + "--; " + bl.of(v+"--", v+"--; "+bl.effect(), bl.effect()) + " }"
	case 9: // wait on a condition variable, with a mutex
		return "d_step { m == 0; m = 1 }; if :: " + bl.cond() + " :: else -> d_step { m = 0; w++ }; d_step { s > 0; s-- }; d_step { m == 0; m = 1 } fi; " + bl.effect() + "; m = 0"
	case 10: // signal
		return "d_step { m == 0; m = 1 }; " + bl.effect() + "; d_step { if :: w > 0 -> w--; s++ :: else fi; m = 0 }"
	case 11:
		if bl.p(50) {
			return "{ " + bl.begin() + "; " + bl.effect() + " } unless { " + bl.conds() + "; " + bl.effect() + " }"
		}
		return "timeout -> " + bl.effect()
	case 12, 13:
		if m := bl.message(); m != "" {
			return m
		}
	case 14:
		return bl.conds()
	case 15:
		return "assert(" + bl.cond() + ")"
	}
	return bl.effect()
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
