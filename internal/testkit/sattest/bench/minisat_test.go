package bench

import (
	"testing"

	"orbitmc/internal/testkit/sattest"
)

func TestConformance(t *testing.T) {
	if newMinisat == nil {
		t.Skip("built without the tag minisat")
	}
	sattest.Run(t, "minisat", newMinisat)
}
