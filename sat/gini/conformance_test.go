package gini_test

import (
	"testing"

	"orbitmc/sat"
	"orbitmc/sat/gini"
	"orbitmc/sat/sattest"
)

func TestConformance(t *testing.T) {
	sattest.Run(t, "gini", func() sat.Solver { return gini.New() })
}
