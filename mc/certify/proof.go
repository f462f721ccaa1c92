package certify

import (
	"fmt"
	"slices"

	"orbitmc/mc"
	"orbitmc/mc/evidence"
)

// wellFormed reports what is malformed in a proof that is given for prop.
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
