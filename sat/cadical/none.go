//go:build !cadical

package cadical

import "orbitmc/sat"

// New is nil: this program was built without the library.
var New func() sat.Solver
