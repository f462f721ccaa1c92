// Package bench measures SAT solvers on what engines ask of them. Its tests record the calls
// that an engine makes of its solver, and make the same calls of every back end: the answers
// must be equal, and the CPU seconds are logged. With the tag cadical CaDiCaL is among them, with the tag
// minisat MiniSat.
package bench

import "orbitmc/sat"

// newMinisat makes an empty solver; nil: this test was built without the library.
var newMinisat func() sat.Solver
