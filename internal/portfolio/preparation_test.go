package portfolio

import (
	"context"
	"testing"

	"orbitmc/internal/task"
)

// TestExchange: engines that run beside each other exchange lemmas, on a netlist only if other processes do.
func TestExchange(t *testing.T) {
	const model, netlist = "../../benchmarks/murphi/german.m", "../../benchmarks/netlists/german_tight_safe_4.aig"
	for _, c := range []struct {
		file, engine string
		opt          Options
		want         bool
	}{
		{model, "all", Options{}, true},
		{model, "pdr", Options{}, false},
		{netlist, "all", Options{}, false},
		{netlist, "all", Options{Share: t.TempDir()}, true},
		{netlist, "pdr", Options{Share: t.TempDir()}, true},
	} {
		tk, err := task.Open(t.Context(), c.file, task.Options{})
		if err != nil {
			t.Fatal(err)
		}
		engines, err := Engines(tk, c.engine)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		x := prepare(ctx, cancel, tk, engines, c.opt)
		cancel()
		<-x.done
		if got := x.lemmasOf(x.initial) != nil; got != c.want {
			t.Errorf("%s, %s, %+v: lemmas are exchanged: %v", c.file, c.engine, c.opt, got)
		}
	}
}
