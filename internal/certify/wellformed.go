package certify

import (
	"fmt"
	"slices"

	"orbitmc/mc"
	"orbitmc/mc/evidence"
)

// wellFormed returns an error if a proof for prop is malformed: it names properties that do
// not exist or that no trace violates, or it does not fit the system.
func wellFormed(p *mc.Problem, f *evidence.Proof, prop int) error {
	props := f.About(prop)
	if !slices.IsSorted(props) || !slices.Contains(props, prop) {
		return fmt.Errorf("the proof is about the properties %v", props)
	}
	for _, q := range props {
		if q < 0 || q >= p.NumProps() || !mc.HasTrace(p.Kind(q)) {
			return fmt.Errorf("the proof is about property %d", q)
		}
	}
	return f.Check(p.System())
}
