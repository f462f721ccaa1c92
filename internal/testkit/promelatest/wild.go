package promelatest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Wild returns a random program with all that the language has where it is least expected: nested escapes with offers at a
// rendezvous, d_steps that begin with receives, provided, remote references, structs, channels in arrays, of processes and in
// messages, numbers that are truncated. SPIN refuses some of them.
func Wild(rng *rand.Rand) string {
	g := &wild{rng: rng}
	return g.program()
}

type wild struct {
	rng           *rand.Rand
	labels, loops int
	dstep, atomic bool
}

func (w *wild) pick(all ...string) string { return all[w.rng.IntN(len(all))] }

func (w *wild) number() string {
	return w.pick("0", "1", "2", "x", "y", "w", "s.v", "s.f", "arr[x % 2]", "z", "_pid", "_nr_pr", "(x -> y : 1)", "u", "-1", "(w * 3)", "(y << 7)", "~x", "sh",
		"len(c1)", "300", "b[0]", "len(q[1])")
}

func (w *wild) variable() string {
	return w.pick("x", "y", "w", "s.v", "s.f", "arr[x % 2]", "z", "u", "sh", "b[0]", "ss[y % 2].v", "g")
}

func (w *wild) cond() string {
	return w.pick("x == "+w.number(), "y < 2", "x > y", "g", "!g", "P1@L", "P0[0]@M", "P0:z == 1", "empty(c1)", "nfull(c2)", "len(c2) > 0", "c1?[1]", "c2??[_,1]",
		"true", "z != x", "timeout", "full(c1)", "w < 0", "u > 2", "rv?[1]", "rv?[x] && x > 0")
}

// pass sends or receives, at a rendezvous or not.
func (w *wild) pass(rendezvous bool) string {
	if rendezvous {
		return w.pick("rv!"+w.number(), "rv?"+w.pick("x", "1", "eval(y)", "_", "z", "2", "arr[x % 2]"), "rw?z,"+w.pick("1", "x", "_", "eval(z)"),
			"rw!"+w.number()+","+w.number(), "my?z", "q[0]!1", "q[0]?x")
	}
	return w.pick("c1!"+w.number(), "c1?"+w.pick("x", "1", "eval(y)", "_", "z", "u"), "c2!"+w.number()+","+w.number(), "c2!!"+w.number()+","+w.number(),
		"c2?z,_", "c2??x,1", "c2??eval(y),z", "c2?<x,y>", "c2??<_,1>", "q[1]!2", "q[1]?x", "cc!c1", "d = c1; d?z")
}

func (w *wild) basic() string {
	switch w.rng.IntN(9) {
	case 0, 1, 2:
		return w.variable() + " = " + w.number()
	case 3:
		return "(" + w.cond() + ")"
	case 4, 5:
		return w.pass(!w.dstep)
	case 6:
		return w.pass(false)
	case 7:
		if w.rng.IntN(3) == 0 {
			return "assert(" + strings.ReplaceAll(w.cond(), "timeout", "g") + ")"
		}
		return w.pick("skip", "x++", "g = !g", `printf("a")`)
	}
	return "x = (x + 1) % 3"
}

func (w *wild) sequence(n, depth int) string {
	var all []string
	for range n {
		all = append(all, w.statement(depth))
	}
	return strings.Join(all, ";\n")
}

func (w *wild) choice(word string, depth int) string {
	for range 1 + w.rng.IntN(3) {
		word += "\n:: " + w.sequence(1+w.rng.IntN(2), depth)
	}
	return word
}

func (w *wild) statement(depth int) string {
	switch k := w.rng.IntN(20); {
	case depth == 0 || k < 8:
		return w.basic()
	case k < 11:
		text := w.choice("if", depth-1)
		if w.rng.IntN(3) == 0 {
			text += "\n:: else" + w.pick("", " -> "+w.basic())
		}
		return text + "\nfi"
	case k == 11 && !w.atomic && w.loops < 2:
		w.loops++
		text := w.choice("do", depth-1) + "\n:: " + w.pick("break", "x > 1 -> break", "else -> break", w.pass(true)+"; break") + "\nod"
		w.loops--
		return text
	case k < 14 && !w.atomic:
		w.atomic = true
		text := "atomic {\n" + w.sequence(1+w.rng.IntN(3), depth-1) + "\n}"
		w.atomic = false
		return text
	case k == 14:
		return "d_step { " + w.pick("rv?"+w.pick("1", "x", "_"), "c1?x", "x > 0", "x = 1", "skip", "g", "if :: rv?1 -> y = 1 :: rv?_ -> y = 2 fi",
			"if :: x > 0 -> y = 1 :: y > 0 -> x = 2 fi", "if :: x == 1 -> y = 0 :: else fi") +
			"; " + w.pick("x = 2", "y = x", "if :: x > 1 -> z = 1 :: else -> z = 2 fi", "w = w + sh; x = 0") + " }"
	case k < 17:
		return "{ " + w.sequence(1+w.rng.IntN(2), depth-1) + " } unless " + w.pick("{ "+w.pass(true)+" }", "{ "+w.pass(true)+"; "+w.basic()+" }",
			"{ ("+w.cond()+"); "+w.basic()+" }", "{ if :: "+w.pass(true)+" :: "+w.cond()+" -> skip fi }", "{ "+w.pass(false)+" }", "atomic { "+w.pass(true)+"; "+w.basic()+" }")
	case k == 17 && !w.atomic:
		w.labels++
		return fmt.Sprintf("%s%d: %s", w.pick("end", "L"), w.labels, w.basic())
	case k == 18 && w.loops == 0:
		return w.pick("run R(1, c1)", "run R(x, q[1])", "z = run R(2, c1)", "run R(0, my)")
	}
	return "{ " + w.sequence(1+w.rng.IntN(2), depth-1) + " }"
}

func (w *wild) program() string {
	text := fmt.Sprintf(`typedef S { byte v; bit f }; typedef T { S s; short k[2]; byte v };
byte x, y = 1; int w; short sh = 7; unsigned u : 3 = 5; bit g; bit b[2]; S s; T ss[2]; byte arr[2] = 1;
chan rv = [0] of { byte }; chan rw = [0] of { byte, bit }; chan c1 = [1] of { byte }; chan c2 = [2] of { byte, bit };
chan q[2] = [%d] of { byte }; chan cc = [1] of { chan }; chan d;
proctype R(byte a; chan k) { byte z = a; chan my = [1] of { byte }; %s; end: z = 0 }
`, w.rng.IntN(2), w.pick("k!a", "x = a", "if :: k?z :: x = 1 fi", "rv!2"))
	for p := range 2 + w.rng.IntN(2) {
		w.labels = 10 * p
		text += fmt.Sprintf("active proctype P%d() %s { byte z; chan my = [%d] of { byte };\n%s;\n%sM: %s;\nL: %s\n}\n", p, w.pick("", "", "", "provided (x < 2)"), w.rng.IntN(2),
			w.sequence(1+w.rng.IntN(3), 2), w.pick("", "", "goto L;\n"), w.basic(), w.statement(2))
	}
	return text
}
