//go:build cadical

package cadical_test

import (
	"testing"

	"orbitmc/sat/cadical"
	"orbitmc/sat/sattest"
)

func TestConformance(t *testing.T) { sattest.Run(t, "cadical", cadical.New) }
