package structure

import "orbitmc/ts"

// WritePlainGraph is WriteGraph for the circuit as it is.
func WritePlainGraph(file string, sys *ts.System) error { return writeGraph(file, sys, plain) }
