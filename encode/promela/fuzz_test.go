package promela_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/encode/promela"
	"orbitmc/internal/testkit/promelatest"
	"orbitmc/model"
)

// FuzzParse wants an *Error or a program whose model compiles, and never a panic. What is
// printed of a program is read, and printed in the same way.
func FuzzParse(f *testing.F) {
	for seed := range uint64(20) {
		f.Add([]byte(promelatest.Random(rand.New(rand.NewPCG(seed, 1)))))
	}
	f.Add([]byte("typedef T { byte a[2]; short s }; T t[2]; #define N 2\nchan c = [N] of { T };\ninline I(x) { x.s = 1 }\ninit { atomic { I(t[0]); run P(c, 1) } }\nproctype P(chan q; int i) { T m; for (i : 0 .. 3) { q??eval(i),_ } L: q?[1]; goto L }"))
	f.Add([]byte(words))
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 2000 {
			return
		}
		p, err := promela.Parse("f.pml", src, promela.Options{})
		if x := promela.Index("f.pml", src, promela.Options{}); x.Whole != (err == nil) {
			t.Errorf("Parse says %v, and the index has the problems %v", err, x.Problems)
		}
		if out, err := promela.Indent("f.pml", src, "  "); err == nil {
			if again, err := promela.Indent("f.pml", out, "  "); err != nil || string(again) != string(out) {
				t.Errorf("indented twice: %v\n%s\n%s", err, out, again)
			}
		}
		var e *promela.Error
		switch {
		case err == nil:
			model.Compile(p.Model)
			out, err := promela.Format("f.pml", src, promela.Options{})
			if err != nil {
				t.Fatal(err)
			}
			again, err := promela.Format("f.pml", out, promela.Options{})
			if err != nil || string(again) != string(out) {
				t.Fatalf("%v\n%s\nprinted again:\n%s", err, out, again)
			}
		case !errors.As(err, &e):
			t.Fatalf("not an *Error: %v", err)
		}
	})
}

// FuzzFormula checks that reading a claim ends, in a formula or in an error.
func FuzzFormula(f *testing.F) {
	const src = "byte x; bool y; chan c = [1] of { byte };\n#define p (x == 1)\nactive proctype A() { L: do :: x = 1 - x :: c!x :: c?x od }\n"
	for _, text := range []string{"[] <> p", "<> (x == 1 && A@L)", "(p U (y V !p)) -> [] y", "len(c) == 1 W (A:x == 1)", "!(<> [] (x > 0))", "p }", "true until (y || always p)", "!4!"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := promela.Parse("f.pml", []byte(src), promela.Options{Formulas: []string{"f: " + text}, Fair: []string{"weak:*"}})
		if err != nil {
			if _, ok := err.(*promela.Error); !ok {
				t.Fatalf("error %T", err)
			}
			return
		}
		if p, err := promela.Parse("f.pml", []byte(src), promela.Options{Trees: []string{"f: AG (" + text + ")"}}); err == nil {
			m := p.Model
			if i := slices.IndexFunc(m.Props, func(q *model.Property) bool { return q.Kind == model.Branching }); m.Props[i].Index != i || len(m.Props[i].Tree.Atoms) != len(m.Props[i].Tree.Texts) {
				t.Errorf("%q: the formula is not among the properties", text)
			}
		}
		for _, a := range p.Model.Formulas[0].Atoms {
			if p.Model.Props[a.Index] != a {
				t.Errorf("%q: a condition is not among the properties", text)
			}
		}
	})
}
