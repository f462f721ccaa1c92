package certify_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/mc/certify"
	"orbitmc/mc/evidence"
)

// TestEvery: a proof for every size is accepted with its lemmas, and rejected without one of them,
// or if a start state, or a larger size, is against it.
func TestEvery(t *testing.T) {
	read := func(file string) string {
		src, err := os.ReadFile("../../benchmarks/murphi/" + file)
		if err != nil {
			t.Fatal(err)
		}
		return string(src)
	}
	mutex := read("mutex_sem.m")
	const taken = "invariant \"taken\" forall p: PROC do State[p] = Critical -> !Free end;\n"
	const held = "invariant \"held\" !Free -> exists p: PROC do State[p] = Critical end;\n"
	late := read("late_marks.m") + `
invariant "given" forall m: MARK do (m <= Given) = !isundefined(Holder[m]) end;
invariant "distinct" forall m: MARK do forall n: MARK do m != n & !isundefined(Holder[m]) & !isundefined(Holder[n]) -> Holder[m] != Holder[n] end end;
`
	for _, c := range []struct {
		name, src string
		ok        bool
	}{
		{"all lemmas", mutex + taken + held, true},
		{"no lemma", mutex, false},
		{"deadlock is open", mutex + taken, false},
		{"a wrong start", strings.Replace(mutex, ":= Noncritical; end;", ":= Critical; end;", 1) + taken + held, false},
		{"contradictory lemmas", mutex + taken + "invariant \"no\" Free & !Free;\n", false},
		{"violated from six on", late, false},
	} {
		m, err := murphi.Parse("m.m", []byte(c.src), murphi.Options{Opaque: []string{"N"}})
		if err != nil {
			t.Fatal(err)
		}
		how, err := certify.Every(context.Background(), &evidence.Every{Model: m, Least: map[string]int{"N": 2}}, func(int64) {})
		if (err == nil) != c.ok {
			t.Errorf("%s: %s, %v", c.name, how, err)
		}
	}
}
