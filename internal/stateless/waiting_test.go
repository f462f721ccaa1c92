package stateless

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestRandomWaiting compares each combination with a search of all states on small programs in which whether a step
// is enabled depends on what other processes cannot do, or on how many there are: timeout, else, provided, unless,
// _nr_pr, the length of channels, remote references, priorities.
func TestRandomWaiting(t *testing.T) {
	compareAll(t, 50, 30_000, func(seed uint64) string {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 13))}
		return acyclic(g.waiting())
	})
}

func (g *generator) waiting() string {
	g.line(0, "byte x, y = 1;")
	slots := g.IntN(3)
	g.line(0, "chan c = [%d] of { byte };", slots)
	ranks := slots > 0 && g.p(30)
	threads := 2 + g.IntN(2)
	counts := g.p(50) // how many processes there are can be told, so they do not stay at their ends
	made := counts && g.p(50)
	for k := range threads {
		active, provided := "active", ""
		if ranks {
			provided = fmt.Sprintf(" priority %d", 1+g.IntN(3))
		}
		if made && k > 0 {
			active = ""
		}
		if g.p(15) {
			provided += fmt.Sprintf(" provided (%s)", g.of("x == 0", "y > 0", "len(c) == 0"))
		}
		g.line(0, "%s proctype P%d()%s { byte r;", active, k, provided)
		if made && k == 0 {
			g.line(1, "atomic { run P1(); %s };", []string{"skip", "run P2()"}[threads-2])
		}
		for range 1 + g.IntN(3) {
			if ranks && g.p(30) {
				g.line(1, "%s;", g.of("set_priority(_pid, 2)", "_priority = 1", "set_priority(0, 3)", "set_priority(1, x + 1)"))
			}
			g.wait(1, counts)
			g.line(1, ";")
		}
		if g.p(40) {
			g.line(0, "end: false }")
		} else {
			g.line(0, "skip }")
		}
	}
	return g.b.String()
}

// look returns a condition.
func (g *generator) look(counts bool) string {
	switch k := g.IntN(8); {
	case k == 0 && counts:
		return fmt.Sprintf("_nr_pr %s %d", g.of("==", "<", ">"), 1+g.IntN(3))
	case k == 1:
		return g.of("len(c) == 0", "len(c) == 1", "nempty(c)", "nfull(c)", "empty(c)")
	case k == 2:
		return "timeout"
	}
	return g.of("x == 0", "x == 1", "y == 1", "y == 2", "x == y", "r == 0")
}

// wait writes a statement.
func (g *generator) wait(depth int, counts bool) {
	switch g.IntN(9) {
	case 0:
		g.line(depth, "timeout")
	case 1:
		g.line(depth, "%s", g.look(counts))
	case 2:
		g.line(depth, "assert(%s)", strings.ReplaceAll(g.look(counts), "timeout", "x == 0"))
	case 3, 4:
		g.line(depth, "%s = %s", g.of("x", "y", "r"), g.of("0", "1", "2", "x", "y"))
	case 5:
		g.line(depth, g.of("c!1", "c?r", "c?1"))
	case 6:
		g.line(depth, "if :: %s -> %s = 2 :: %s fi", g.of(g.look(counts), "c?r", "c!2"), g.of("x", "y"), g.of("else", "timeout", g.look(counts)))
	case 7:
		g.line(depth, "{ %s; %s } unless { %s }", g.of("x = 1", "y = 2", "skip"), g.look(counts), g.look(counts))
	default:
		g.line(depth, "atomic { %s -> %s = 1 }", g.of(g.look(counts), "c?r"), g.of("x", "y"))
	}
}
