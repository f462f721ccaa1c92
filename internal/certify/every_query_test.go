package certify

import (
	"context"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/every/param"
	"orbitmc/sat"
)

// TestAbsent: what the invariant says of three components is nothing where there are two.
func TestAbsent(t *testing.T) {
	m, err := murphi.Parse("m.m", []byte(`const N: 4; type P: scalarset(N); var st: array [P] of boolean;
startstate for p: P do st[p] := false; end; end;
ruleset p: P do rule "turn" true ==> st[p] := !st[p]; end; end;
invariant forall a: P do forall b: P do forall c: P do a = b | a = c | b = c end end end;
`), murphi.Options{Opaque: []string{"N"}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := param.New(context.Background(), m, map[string]int{"N": 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	k := &everyCheck{ctx: context.Background(), c: c}
	q := &everyQuery{everyCheck: k, f: newFormula(), sure: []int{2}, size: []int{4}, rows: make(map[string]*row), known: make(map[string]sat.Lit)}
	q.components()
	solve := func(there int) sat.Status {
		d := sound().decider(q.f)
		status, err := d.solve(k.ctx, nil, q.exists(0, there-1), q.exists(0, there).Not())
		if err != nil {
			t.Fatal(err)
		}
		if status == sat.Sat {
			q.model = d.values()
		}
		return status
	}
	if solve(3) != sat.Sat {
		t.Fatal("there are no three components")
	}
	broken := 0
	q.breaks(part{c.Conjuncts[0].F, map[param.Term]int{}}, func(i instance) {
		broken++
		q.use(i)
	})
	if broken == 0 || solve(3) != sat.Unsat || solve(2) != sat.Sat {
		t.Errorf("%d instances; of three components %v, of two %v", broken, solve(3), solve(2))
	}
}
