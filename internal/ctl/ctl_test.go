package ctl

import "testing"

// TestText: a formula is written as it was meant, whatever it is made of; its temporal operators are numbered from the
// inside, equal ones once.
func TestText(t *testing.T) {
	a, b := Of(0), Of(1)
	for want, f := range map[string]*Formula{
		"AG (a0 -> AF a1)":      Path(true, "G", Implies(a, Path(true, "F", b))),
		"EG EX a0":              Path(false, "G", Path(false, "X", a)),
		"AX (a0 | a1)":          Path(true, "X", Or(a, b)),
		"A [a0 U a1]":           Paths(true, "U", a, b),
		"E [a0 R a1]":           Paths(false, "R", a, b),
		"A [a1 R (a0 | a1)]":    Paths(true, "W", a, b),
		"E [a0 S EY a1]":        Two(Since, a, &Formula{Op: Last, X: b}),
		"AH a0":                 No(Two(Since, Yes, No(a))),
		"!true":                 No(Yes),
		"(EF a0 -> AG EF a0)":   Implies(Path(false, "F", a), Path(true, "G", Path(false, "F", a))),
		"(a0 -> !a1)":           No(Two(And, a, b)),
		"EF (a0 & (a0 -> !a1))": Path(false, "F", Two(And, a, No(Two(And, a, b)))),
	} {
		shared, temporal := Number(f)
		if f.String() != want || shared.String() != want {
			t.Errorf("%v or %v, want %s", f, shared, want)
		}
		seen := map[string]bool{}
		for i, g := range temporal {
			for _, x := range []*Formula{g.X, g.Y} {
				if x != nil && x.Op >= Next && x.N >= i {
					t.Errorf("%v: %v is decided before %v", f, g, x)
				}
			}
			if g.N != i || seen[g.String()] {
				t.Errorf("%v: %v has number %d", f, g, g.N)
			}
			seen[g.String()] = true
		}
	}
	if x, ok := Path(true, "G", a).Everywhere(); !ok || x.String() != "a0" {
		t.Errorf("AG a0 is about %v", x)
	}
	if _, ok := Path(true, "F", a).Everywhere(); ok {
		t.Error("AF a0 is about each state")
	}
}

// TestNumberNested: a formula whose parts are used several times, at each of many levels, is numbered part by part; written
// out it would have no end.
func TestNumberNested(t *testing.T) {
	const levels = 60
	f := Of(0)
	for k := range levels {
		f = Paths(true, "U", Of(k+1), f)
	}
	if _, temporal := Number(f.Fairly()); len(temporal) != 2*levels+1 { // E [!y U !x & !y] and EG !y, and one EG true
		t.Errorf("%d temporal operators", len(temporal))
	}
}
