package pdr_test

import (
	"testing"

	"orbitmc/internal/testkit/mctest"
	"orbitmc/mc"
)

// load returns the problem of a model of benchmarks/murphi.
func load(t testing.TB, file string, consts map[string]string) *mc.Problem {
	t.Helper()
	return mctest.Load(t, "../../benchmarks/murphi/"+file, consts, newSolver)
}
