package mctest

import (
	"context"
	"os"
	"testing"

	"orbitmc/aig"
	"orbitmc/detect/declared"
	"orbitmc/detect/verify"
	"orbitmc/encode"
	"orbitmc/encode/cnf"
	"orbitmc/encode/murphi"
	"orbitmc/mc"
	"orbitmc/sat"
)

// Load reads and encodes a Murphi model, verifies its symmetry and proves W. The problem is about
// all properties.
func Load(t testing.TB, file string, consts map[string]string, newSolver func() sat.Solver) *mc.Problem {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := murphi.Parse(file, src, murphi.Options{Consts: consts})
	if err != nil {
		t.Fatal(err)
	}
	enc, err := encode.Model(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	p := &mc.Problem{OfModel: mc.OfModel{Model: m, Program: enc.Program, Enc: enc}, WellFormed: true}
	for i := range m.Props {
		p.Props = append(p.Props, i)
	}
	if err := encode.ProveWellFormed(t.Context(), enc.Sys, newSolver); err != nil {
		t.Fatal(err)
	}
	r, err := declared.Check(t.Context(), m, enc, enc.Sys, enc.PropBads, declared.Options{
		Verify: verify.Options{NewProver: func(g *aig.Graph) verify.Prover { return cnf.NewProver(g, newSolver()) }},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Groups = r.ByProp
	return p
}
