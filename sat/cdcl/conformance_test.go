package cdcl_test

import (
	"testing"

	"orbitmc/internal/testkit/sattest"
	"orbitmc/sat"
	"orbitmc/sat/cdcl"
)

func TestConformance(t *testing.T) {
	sattest.Run(t, "cdcl", func() sat.Solver { return cdcl.New() })
	sattest.Run(t, "eager", func() sat.Solver { return cdcl.NewEager() })
	sattest.Run(t, "newest", func() sat.Solver {
		s := cdcl.New()
		s.NewestFirst()
		return s
	})
}
