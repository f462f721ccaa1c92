package sat_test

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"orbitmc/internal/testkit/sattest"
	"orbitmc/sat"
)

func lit(n int) sat.Lit { return sat.MkLit(max(n, -n), n < 0) }

func TestLit(t *testing.T) {
	for _, n := range []int{1, -1, 7, -1 << 30} {
		l := lit(n)
		if l.Dimacs() != n || l.Not().Dimacs() != -n || l.Neg() != (n < 0) || l.Var() != max(n, -n) {
			t.Errorf("literal of %d: %v, not %v, var %d, neg %v", n, l, l.Not(), l.Var(), l.Neg())
		}
	}
}

func TestWriteDIMACS(t *testing.T) {
	f := &sat.CNF{NumVars: 3, Clauses: [][]sat.Lit{{lit(1), lit(-3)}, {}, {lit(2)}}}
	var b strings.Builder
	if err := f.WriteDIMACS(&b, "bound 3", "x 1\n\ny 2"); err != nil {
		t.Fatal(err)
	}
	want := "c bound 3\nc x 1\nc\nc y 2\np cnf 3 3\n1 -3 0\n0\n2 0\n"
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
	got, err := sattest.ReadDIMACS(strings.NewReader(want), "f.cnf")
	if err != nil || !reflect.DeepEqual(got, f) {
		t.Errorf("read back %v, %v", got, err)
	}
	f.Clauses[2][0] = lit(4)
	if err := f.WriteDIMACS(&b); err == nil || err.Error() != "cnf: clause 2: literal 4 is not over 1..3" {
		t.Errorf("literal out of range: %v", err)
	}
}

func TestReadDIMACS(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{"c hi\np cnf 2 2\nc\n1\n-2 0 \t2 0\n", ""},
		{"p cnf 0 0\n", ""},
		{"p cnf 0 1\n0", ""},
		{"", "f.cnf:1:1: no header"},
		{"c only\n", "f.cnf:2:1: no header"},
		{"1 0\np cnf 1 1\n", `f.cnf:1:1: "1" before the header`},
		{"p cnf 1 1\np cnf 1 1\n1 0\n", "f.cnf:2:1: second header"},
		{"p cnf 1\n1 0\n", `f.cnf:1:1: header "p cnf 1" is not of the form "p cnf VARIABLES CLAUSES"`},
		{"p cnf 1 1 1\n1 0\n", "f.cnf:1:1: header"},
		{"p dnf 1 1\n", "f.cnf:1:1: header"},
		{"p cnf +1 1\n", "f.cnf:1:1: header"},
		{"p cnf -1 1\n", "f.cnf:1:1: negative count"},
		{"p cnf 2 1\n1 -3 0\n", "f.cnf:2:3: literal -3 is not over 1..2"},
		{"p cnf 2 1\n1 99999999999 0\n", "f.cnf:2:3: literal 99999999999 is not over 1..2"},
		{"p cnf 2 1\n1 x 0\n", `f.cnf:2:3: "x" is no literal`},
		{"p cnf 2 1\n 02 0\n", `f.cnf:2:2: "02" is no literal`},
		{"p cnf 2 1\n+2 0\n", `f.cnf:2:1: "+2" is no literal`},
		{"p cnf 2 1\n-0\n", `f.cnf:2:1: "-0" is no literal`},
		{"p cnf 2 1\n1 0\n2 0\n", "f.cnf:3:1: more than the announced 1 clauses"},
		{"p cnf 2 1\n1 0 0\n", "f.cnf:2:5: more than the announced 1 clauses"},
		{"p cnf 2 2\n1 0\n", "f.cnf:3:1: 1 of the announced 2 clauses"},
		{"p cnf 2 1\n1 2\n", "f.cnf:3:1: last clause is not ended by 0"},
		{"p cnf 2 1\n1 c 0\n", `f.cnf:2:3: "c" is no literal`},
		{"p cnf 2 1\n1 0\n%\n0\n", `f.cnf:3:1: "%" is no literal`},
	} {
		_, err := sattest.ReadDIMACS(strings.NewReader(c.text), "f.cnf")
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.HasPrefix(err.Error(), c.says)) {
			t.Errorf("%q: %v, want %q", c.text, err, c.says)
		}
	}
}

// The recorder keeps clauses in order, under the same numbers as solvers.
func TestRecorder(t *testing.T) {
	var r sat.Recorder
	a, b := r.NewVar(), r.NewVar()
	scratch := []sat.Lit{a, b}
	r.Add(scratch...)
	clear(scratch)
	before := r.CNF()
	r.Add(b.Not())
	c := r.NewVar()
	r.Add(c)
	if got := r.CNF(); !reflect.DeepEqual(got, &sat.CNF{NumVars: 3, Clauses: [][]sat.Lit{{a, b}, {b.Not()}, {c}}}) {
		t.Errorf("recorded: %v", got)
	}
	if !reflect.DeepEqual(before, &sat.CNF{NumVars: 2, Clauses: [][]sat.Lit{{a, b}}}) {
		t.Errorf("before: %v", before)
	}
	for _, l := range []sat.Lit{lit(4), 0} {
		func() {
			defer func() {
				if p, _ := recover().(string); !strings.Contains(p, "of a variable that NewVar did not return") {
					t.Errorf("panic %q of literal %v", p, l)
				}
			}()
			r.Add(a, l)
		}()
	}
}

// What is written is read back, for random formulas.
func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	for range 200 {
		f := &sat.CNF{NumVars: 1 + rng.IntN(30)}
		for range rng.IntN(20) {
			c := []sat.Lit{}
			for range rng.IntN(6) {
				c = append(c, sat.MkLit(1+rng.IntN(f.NumVars), rng.IntN(2) == 1))
			}
			f.Clauses = append(f.Clauses, c)
		}
		var b strings.Builder
		if err := f.WriteDIMACS(&b); err != nil {
			t.Fatal(err)
		}
		got, err := sattest.ReadDIMACS(strings.NewReader(b.String()), "f")
		if err != nil || !reflect.DeepEqual(got, f) {
			t.Fatalf("wrote %q, read %v, %v", b.String(), got, err)
		}
	}
}
