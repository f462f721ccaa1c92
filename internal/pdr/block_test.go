package pdr_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"orbitmc/internal/pdr"
	"orbitmc/mc"
	"orbitmc/ts"
)

// TestObligations: no solver is asked about an obligation that has an image which is
// known to be blocked, however lemmas stand for their orbits; on its own, a lemma does
// not say so.
func TestObligations(t *testing.T) {
	for _, c := range []struct {
		name  string
		e     pdr.Engine
		again bool
	}{
		{"written out", pdr.Engine{NewSolver: newSolver}, false},
		{"on demand", *pdr.Engine{NewSolver: newSolver}.Eager(1), false},
		{"chains", *pdr.Engine{NewSolver: newSolver}.Eager(1).WithChains(), false},
		{"plain", pdr.Engine{NewSolver: newSolver, Plain: true}, true},
	} {
		asked, images, known := 0, 0, 0
		for seed := range uint64(150) {
			for _, h := range shapes(rand.New(rand.NewPCG(seed, 5))) {
				sys, group := h.system(rand.New(rand.NewPCG(seed, 6)))
				for prop := range sys.Bads {
					p := &mc.Problem{OfNetlist: mc.OfNetlist{Netlist: sys}}
					for i := range p.NumProps() {
						p.Props, p.Groups = append(p.Props, i), append(p.Groups, group)
					}
					p.Props = p.Props[prop : prop+1]
					blocked := make(map[string]int) // by cube: up to which level an image is
					e := c.e.Watched(func(cube ts.Cube, level, at int) {
						if at == 0 {
							asked++
							if blocked[fmt.Sprint(cube)] >= level {
								known++
							}
							return
						}
						orbit := []ts.Cube{slices.Sorted(slices.Values(cube))}
						for i := 0; i < len(orbit); i++ {
							for _, g := range group.Generators() {
								d := orbit[i].Image(g.Latch)
								if !slices.ContainsFunc(orbit, func(c ts.Cube) bool { return slices.Equal(c, d) }) {
									orbit = append(orbit, d)
								}
							}
						}
						images += len(orbit)
						for _, d := range orbit {
							blocked[fmt.Sprint(d)] = max(blocked[fmt.Sprint(d)], at)
						}
					})
					if _, err := e.Run(context.Background(), p, mc.Options{}); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		t.Logf("%s: %d obligations, %d images blocked, %d asked about again", c.name, asked, images, known)
		if (known > 0) != c.again || asked < 500 || images < 2*asked {
			t.Errorf("%s: %d of %d obligations have an image that is blocked", c.name, known, asked)
		}
	}
}
