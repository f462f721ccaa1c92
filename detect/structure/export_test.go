package structure

import (
	"io"

	"orbitmc/ts"
)

// WritePlainGraph is WriteGraph for the circuit as it is.
func WritePlainGraph(w io.Writer, sys *ts.System) error { return writeGraph(w, sys, plain) }
