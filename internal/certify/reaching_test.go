package certify_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"orbitmc/aig"
	"orbitmc/cofactor"
	"orbitmc/encode"
	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/internal/pdr"
	"orbitmc/mc"
	"orbitmc/mc/evidence"
	"orbitmc/model"
	"orbitmc/sat"
	"orbitmc/sat/gini"
)

// constant is the set of all states, or of none.
func constant(n int, out aig.Lit) *evidence.Circuit {
	c := &evidence.Circuit{G: aig.New(), Out: out}
	for range n {
		c.Latches = append(c.Latches, c.G.Input())
	}
	return c
}

func TestReachingIsChecked(t *testing.T) {
	m, err := murphi.Parse("trap.m", []byte(trap), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	enc, err := encode.Model(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	p := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: enc.Program, Enc: enc}}
	at := make(map[string]int) // in p.Props
	for i, q := range m.Props {
		if q.Kind == model.Liveness {
			at[q.Name] = len(p.Props)
			p.Props = append(p.Props, i)
		}
	}
	ctx := context.Background()
	newSolver := func() sat.Solver { return gini.New() }
	result, err := (&cofactor.Engine{NewSolver: newSolver, Reach: &pdr.Engine{NewSolver: newSolver}}).Run(ctx, p, mc.Options{All: true})
	if err != nil {
		t.Fatal(err)
	}
	n := len(enc.Sys.Latches)
	// verify checks a copy of the result in which the evidence on one property was
	// tampered with.
	verify := func(name string, change func(pr *mc.PropResult, f *evidence.Reaching)) error {
		r := *result
		r.Props = slices.Clone(result.Props)
		if name != "" {
			pr := &r.Props[at[name]]
			f := *pr.Reaching
			f.Insts = slices.Clone(f.Insts)
			for i := range f.Insts {
				f.Insts[i].Steps = slices.Clone(f.Insts[i].Steps)
			}
			pr.Reaching = &f
			change(pr, &f)
		}
		return certify.Verify(ctx, p, &r)
	}
	if err := verify("", nil); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]mc.Status{"served": mc.Unsafe, "served or done": mc.Safe, "free": mc.Safe} {
		if got := result.Props[at[name]].Status; got != want {
			t.Fatalf("%q is %v", name, got)
		}
	}
	for _, c := range []struct {
		what, prop, why string
		change          func(pr *mc.PropResult, f *evidence.Reaching)
	}{
		{"other inputs", "served or done", "without a step into an earlier set", func(_ *mc.PropResult, f *evidence.Reaching) {
			f.Insts[0].Steps[0].Inputs = make([]bool, len(enc.Sys.Inputs))
		}},
		{"all states", "served or done", "without a step into an earlier set", func(_ *mc.PropResult, f *evidence.Reaching) {
			f.Insts[1].Steps[0].From = constant(n, aig.True)
		}},
		{"a later set", "served or done", "without a step into an earlier set", func(_ *mc.PropResult, f *evidence.Reaching) {
			slices.Reverse(f.Insts[2].Steps)
		}},
		{"few inputs", "served or done", "of", func(_ *mc.PropResult, f *evidence.Reaching) {
			f.Insts[2].Steps[0].Inputs = nil
		}},
		{"another circuit", "served or done", "circuit", func(_ *mc.PropResult, f *evidence.Reaching) {
			f.Insts[2].Steps[0].From = constant(n-1, aig.False)
		}},
		{"no sets", "served or done", "violation", func(_ *mc.PropResult, f *evidence.Reaching) {
			f.Insts[2].Steps = nil
		}},
		{"no instance", "served or done", "sets for 2 of 3 instances", func(_ *mc.PropResult, f *evidence.Reaching) {
			f.Insts = f.Insts[:2]
		}},
		{"no proof", "served or done", "no proof", func(_ *mc.PropResult, f *evidence.Reaching) {
			f.Insts[1].Proof = nil
		}},
		{"another proof", "served or done", "invariant", func(_ *mc.PropResult, f *evidence.Reaching) {
			f.Insts[1].Proof = &evidence.Proof{K: 1, Circuit: constant(n, aig.False)}
		}},
		{"safe without evidence", "served", "sets for 0 of 3 instances", func(pr *mc.PropResult, f *evidence.Reaching) {
			pr.Status, pr.Trace = mc.Safe, nil
		}},
		{"all states are the trap", "served", "it holds in the set", func(_ *mc.PropResult, f *evidence.Reaching) {
			f.Trap = constant(n, aig.True)
		}},
		{"no trap", "served", "does not end in the set", func(_ *mc.PropResult, f *evidence.Reaching) {
			f.Trap = constant(n, aig.False)
		}},
		{"none at all", "served", "no set of states", func(_ *mc.PropResult, f *evidence.Reaching) {
			f.Trap = nil
		}},
		{"another instance", "served", "", func(_ *mc.PropResult, f *evidence.Reaching) {
			f.Inst = (f.Inst + 1) % 3
		}},
		{"the trap is left", "served", "a step leaves the set", func(pr *mc.PropResult, f *evidence.Reaching) {
			f.Trap = constant(n, aig.False)
			var end []aig.Lit
			for i, on := range enc.EncodeState(pr.Trace.Steps[len(pr.Trace.Steps)-1].State) {
				end = append(end, f.Trap.Latches[i].NotIf(!on))
			}
			f.Trap.Out = f.Trap.G.AndN(end)
		}},
		{"a shorter trace", "served", "", func(pr *mc.PropResult, f *evidence.Reaching) {
			short := *pr.Trace
			short.Steps = short.Steps[:len(short.Steps)-1]
			pr.Trace, pr.Depth = &short, pr.Depth-1
		}},
		{"the trap of another property", "served or done", "trace", func(pr *mc.PropResult, f *evidence.Reaching) {
			pr.Status, pr.Reaching = mc.Unsafe, result.Props[at["served"]].Reaching
		}},
	} {
		if err := verify(c.prop, c.change); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if err := certify.Verify(stopped, p, result); err != nil || result.Open() != len(p.Props) || result.Stopped == "" {
		t.Errorf("with a context that ended: %v, %d open, stopped %q", err, result.Open(), result.Stopped)
	}
}
