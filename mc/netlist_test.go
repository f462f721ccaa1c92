package mc_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"orbitmc/aig"
	"orbitmc/internal/testkit/mctest"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/ts"
)

func TestNetlistProperties(t *testing.T) {
	p := mctest.Counting()
	indexed := mc.NewNetlist(p.Netlist, nil)
	for _, p := range []*mc.Problem{p, indexed} {
		netlistProperties(t, p)
	}
}

func netlistProperties(t *testing.T, p *mc.Problem) {
	var got []string
	for i := range p.NumProps() {
		got = append(got, fmt.Sprintf("%s: %v %v", p.Name(i), p.Kind(i), p.Bads(i)))
	}
	want := "two: invariant [0]; bad 1: invariant [1 3]; bad 2: invariant [2]"
	if strings.Join(got, "; ") != want {
		t.Errorf("%s", strings.Join(got, "; "))
	}
}

// TestManyBads: to name all properties takes time in proportion to their number, on the
// netlist and after clean-up.
func TestManyBads(t *testing.T) {
	const n = 200_000
	g := aig.NewPlain()
	in, l := g.Input(), g.Input()
	sys := &ts.System{G: g, W: aig.True, Inputs: []ts.Signal{{Name: "in", Node: in.Node()}}, Latches: []ts.Latch{{Name: "l", Node: l.Node(), Next: g.And(l, in)}}}
	for i := range n {
		b := ts.Bad{Lit: l, Prop: n - 1 - i}
		if i%2 == 0 {
			b.Name = "name " + strconv.Itoa(b.Prop)
		}
		sys.Bads = append(sys.Bads, b)
	}
	began := time.Now()
	p := mc.NewNetlist(sys, nil)
	for i := range n {
		p.Props = append(p.Props, i)
	}
	for _, clean := range []bool{false, true} {
		if clean {
			p.Clean()
		}
		for i := range p.NumProps() {
			name := "name " + strconv.Itoa(i)
			if i%2 == 0 {
				name = "bad " + strconv.Itoa(i)
			}
			bads, sources := p.Bads(i), p.Sources(i)
			if p.Name(i) != name || p.Kind(i) != model.Invariant || len(bads) != 1 || p.System().Bads[bads[0]].Prop != i || len(sources) != 1 || sources[0] != n-1-i {
				t.Fatalf("property %d: %q, %v, bads %v and %v", i, p.Name(i), p.Kind(i), bads, sources)
			}
		}
	}
	t.Logf("it took %v; a loop over all bads for each takes minutes", time.Since(began))
}
