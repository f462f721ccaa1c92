package pdr_test

import (
	"context"
	"os"
	"testing"

	"orbitmc/aig"
	"orbitmc/detect/declared"
	"orbitmc/detect/verify"
	"orbitmc/encode"
	"orbitmc/encode/murphi"
	"orbitmc/mc"
)

// load reads a model and verifies its symmetry.
func load(t testing.TB, file string, consts map[string]string) *mc.Problem {
	t.Helper()
	src, err := os.ReadFile("../benchmarks/murphi/" + file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := murphi.Parse(file, src, murphi.Options{Consts: consts})
	if err != nil {
		t.Fatal(err)
	}
	enc, err := encode.Model(m)
	if err != nil {
		t.Fatal(err)
	}
	p := &mc.Problem{Model: m, Program: enc.Program, Enc: enc, WellFormed: true}
	for i := range m.Props {
		p.Props = append(p.Props, i)
	}
	if err := encode.ProveWellFormed(context.Background(), enc.Sys, newSolver); err != nil {
		t.Fatal(err)
	}
	r, err := declared.Check(context.Background(), m, enc, enc.Sys, enc.PropBads, declared.Options{
		Verify: verify.Options{NewProver: func(g *aig.Graph) verify.Prover { return encode.NewProver(g, newSolver()) }},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Groups = r.ByProp
	return p
}
