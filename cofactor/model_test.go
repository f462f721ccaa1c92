package cofactor

import (
	"context"
	"os"
	"testing"

	"orbitmc/aig"
	"orbitmc/detect"
	"orbitmc/encode"
	"orbitmc/encode/murphi"
	"orbitmc/mc"
)

// load makes the problem of a model of benchmarks/murphi, its symmetry verified.
func load(t testing.TB, name string, consts map[string]string) *mc.Problem {
	t.Helper()
	src, err := os.ReadFile("../benchmarks/murphi/" + name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := murphi.Parse(name, src, murphi.Options{Consts: consts})
	if err != nil {
		t.Fatal(err)
	}
	enc, err := encode.Model(m)
	if err != nil {
		t.Fatal(err)
	}
	p := &mc.Problem{Model: m, Program: enc.Program, Enc: enc}
	for i := range m.Props {
		p.Props = append(p.Props, i)
	}
	ctx := context.Background()
	r, err := detect.Declared(ctx, m, enc, enc.Sys, enc.PropBads, detect.Options{
		NewProver: func(g *aig.Graph) detect.Prover { return encode.NewProver(g, newSolver()) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := encode.ProveWellFormed(ctx, enc.Sys, newSolver()); err != nil {
		t.Fatal(err)
	}
	p.Groups, p.WellFormed = r.ByProp, true
	return p
}
