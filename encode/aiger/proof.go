// Witness circuits, the certificates of N. Froleyks, E. Yu, M. Preiner, A. Biere,
// K. Heljanko, "Introducing Certificates to the Hardware Model Checking
// Competition", CAV 2025. A witness circuit is a netlist. Its inputs and latches
// that stand for those of the model say so by their symbols, "= " and the literal
// in the model.

package aiger

import (
	"fmt"

	"orbitmc/ts"
)

// WitnessCircuit returns s as a witness circuit for the File that FromSystem makes
// of a system with its inputs, initial inputs, constraints and the first of its latches,
// and for one with this system that was read and is written again: each input, and each
// of these latches, stands for that with the same number.
func WitnessCircuit(s *ts.System, latches int) *File {
	f := FromSystem(s)
	for i := range f.Sys.Inputs {
		f.Sys.Inputs[i].Name = fmt.Sprintf("= %d", 2*(1+i))
	}
	for i := range f.Sys.Latches {
		at := i
		if i >= len(s.Latches) { // init
			at = latches + i - len(s.Latches)
		} else if i >= latches {
			continue
		}
		f.Sys.Latches[i].Name = fmt.Sprintf("= %d", 2*(1+len(f.Sys.Inputs)+at))
	}
	return f
}
