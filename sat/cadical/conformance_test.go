//go:build cadical

package cadical_test

import (
	"testing"

	"orbitmc/internal/testkit/sattest"
	"orbitmc/sat/cadical"
)

func TestConformance(t *testing.T) { sattest.Run(t, "cadical", cadical.New) }
