package gini_test

import (
	"testing"

	"orbitmc/internal/testkit/sattest"
	"orbitmc/sat"
	"orbitmc/sat/gini"
)

func TestConformance(t *testing.T) {
	sattest.Run(t, "gini", func() sat.Solver { return gini.New() })
}
