package explicit_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/internal/explicit"
	"orbitmc/model"
	"orbitmc/model/traces"
)

// TestFirst: First finds the violations of our buggy models in at most as many states as there are orbits.
// On random symmetric models what it finds is there, no earlier; it never ends complete, and excludes no depth.
func TestFirst(t *testing.T) {
	run := func(p *model.Program, c explicit.Canon) *explicit.Result {
		r, err := explicit.Run(context.Background(), p, explicit.Options{Canon: c, Blocks: all(p.Model), All: true})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	depths := func(p *model.Program, r *explicit.Result) map[int]int {
		d := map[int]int{}
		for _, f := range r.Violations {
			if p.Model.Props[f.Prop].Kind == model.Liveness {
				continue
			}
			d[f.Prop] = f.Depth // of all but liveness, which is not decided
		}
		return d
	}
	compare := func(name string, p *model.Program) (missed bool) {
		first, exact := run(p, explicit.First), run(p, explicit.Exact)
		if first.Complete || first.Depth >= 0 || first.States > exact.States {
			t.Errorf("%s: complete %v, nothing within %d steps, %d states of %d orbits", name, first.Complete, first.Depth, first.States, exact.States)
		}
		want := depths(p, exact)
		for prop, d := range depths(p, first) {
			if w, ok := want[prop]; !ok || d < w {
				t.Errorf("%s: %s violated after %d steps, exact %d, %v", name, p.Model.Props[prop].Name, d, w, ok)
			}
		}
		for _, f := range first.Violations {
			if err := traces.Replay(p, f.Trace); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		return len(depths(p, first)) < len(want)
	}
	for _, c := range []struct {
		model  string
		consts map[string]string
	}{
		{"mutex_sem_bug", map[string]string{"N": "6"}}, {"sem_counter_bug", map[string]string{"N": "6"}}, {"peterson_bug", map[string]string{"N": "3"}},
		{"queue_lock_bug", map[string]string{"N": "3"}}, {"mesi_snoop_bug", map[string]string{"NODE_NUM": "4"}}, {"german_bug1", map[string]string{"NODE_NUM": "2", "DATA_NUM": "1"}},
	} {
		m, err := murphi.ReadFile("../../benchmarks/murphi/"+c.model+".m", murphi.Options{Consts: c.consts})
		if err != nil {
			t.Fatal(err)
		}
		if compare(c.model, model.Compile(m)) {
			t.Errorf("%s: a violation is missed", c.model)
		}
	}
	for seed := range uint64(25) {
		src := randomModel(rand.New(rand.NewPCG(seed, 29)))
		if strings.Contains(src, "multiset") {
			continue
		}
		compare(src, parse(t, src, murphi.Options{}))
	}
}
