package promelatest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// RandomClaims returns a small random program with claims, and their names: formulas, most of the safety fragment, and a
// never claim.
func RandomClaims(rng *rand.Rand) (src string, names []string) { return randomClaims(rng, false) }

// RandomFormulas is RandomClaims with claims about infinite runs.
func RandomFormulas(rng *rand.Rand) (src string, names []string) { return randomClaims(rng, true) }

func randomClaims(rng *rand.Rand, infinite bool) (src string, names []string) {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("byte x, y; chan c = [%d] of { byte };", rng.IntN(3))
	stmts := []string{"x = (x + 1) % 3", "y = 1 - y", "x = y", "z = x", "c?z", "c!x", "c!1", "c?x", "c?_", "x == y", "x > 0", "atomic { x = 2; y = 0; x = 1 }",
		"atomic { x = 1; x == y; y = 1 }", "d_step { y = x; x = 0 }", "if :: x > 1 -> y = 1 :: else -> y = 0 fi", "if :: timeout -> x = 2 :: y == 0 fi"}
	for p := range 2 {
		line("active proctype P%d() { byte z = 1;", p)
		loop := rng.IntN(2) == 0
		if loop {
			line("do ::")
		}
		for i := range 2 + rng.IntN(3) {
			label := ""
			if i > 0 && rng.IntN(4) == 0 {
				label = fmt.Sprintf("end%d: ", i)
			}
			line("  %s%s;", label, stmts[rng.IntN(len(stmts))])
		}
		line("  L: %s", stmts[rng.IntN(3)])
		if loop {
			line("od")
		}
		line("}")
	}
	conds := []string{"(x == 0)", "(x == 1)", "(x != 2)", "(y == 0)", "(y == x)", "(x < 2)", "(len(c) == 0)", "(P0@L)", "(P1@L)", "(P0:z == 1)"}
	cond := func() string {
		s := conds[rng.IntN(len(conds))]
		if rng.IntN(4) == 0 {
			s = "!" + s
		}
		return s
	}
	var formula func(depth int, strong bool) string
	formula = func(depth int, strong bool) string {
		if depth == 0 {
			return cond()
		}
		sub := func() string { return formula(rng.IntN(depth), strong) }
		switch rng.IntN(9) {
		case 0, 1:
			return "([] " + sub() + ")"
		case 2, 3:
			return "(" + sub() + " W " + sub() + ")"
		case 4:
			return "(" + sub() + " V " + sub() + ")"
		case 5:
			return "(" + sub() + " && " + sub() + ")"
		case 6:
			return "(" + sub() + " || " + sub() + ")"
		case 7:
			if strong {
				return "(<> " + sub() + ")"
			}
			return "(" + cond() + " -> " + sub() + ")"
		}
		if strong {
			return "(" + sub() + " U " + sub() + ")"
		}
		return "(!(<> " + cond() + "))"
	}
	for i := range 3 {
		name := fmt.Sprintf("f%d", i)
		names = append(names, name)
		text := formula(1+rng.IntN(3), infinite || rng.IntN(8) == 0)
		if infinite && rng.IntN(2) == 0 {
			text = []string{"[] <> ", "<> [] ", "[] (" + cond() + " -> <> "}[i] + text + []string{"", "", ")"}[i]
		}
		line("ltl %s { %s }", name, text)
	}
	names = append(names, "n")
	line("never n {")
	places := 2 + rng.IntN(3)
	for i := range places {
		if infinite && rng.IntN(2) == 0 {
			line("accept%d:", i)
		}
		line("T%d: do", i)
		for range 1 + rng.IntN(2) {
			line(":: %s -> goto T%d", cond(), rng.IntN(places+1))
		}
		switch rng.IntN(3) {
		case 0:
			line(":: else")
		case 1:
			line(":: true")
		}
		if rng.IntN(4) == 0 {
			line(":: atomic { %s -> assert(%s) }", cond(), cond())
		}
		line("od;")
	}
	line("T%d: skip }", places)
	return b.String(), names
}

// PanClaims makes SPIN's verifier of a program in the folder dir and says which claims it
// finds violated, with more options of the verifier.
func PanClaims(dir, file string, names []string, limit time.Duration, options ...string) (bad []bool, err error) {
	if out, err := Run(dir, limit, "spin", "-o1", "-o2", "-o3", "-a", file); err != nil {
		return nil, fmt.Errorf("spin: %.200s", out)
	}
	if out, err := Run(dir, limit, "gcc", "-O0", "-w", "-DNOREDUCE", "-DNFAIR=3", "-o", "pan", "pan.c"); err != nil {
		return nil, fmt.Errorf("gcc: %.200s", out)
	}
	for _, name := range names {
		args := append([]string{"-a", "-E", "-n", "-m100000"}, options...)
		if len(names) > 1 {
			args = append(args, "-N", name)
		}
		out, err := Run(dir, limit, "./pan", args...)
		if err != nil && strings.Contains(err.Error(), "limit") {
			return nil, err
		}
		if strings.Contains(out, "max search depth") || !strings.Contains(out, "errors: ") {
			return nil, fmt.Errorf("pan: %.200s", out)
		}
		bad = append(bad, !strings.Contains(out, "errors: 0"))
	}
	return bad, nil
}
