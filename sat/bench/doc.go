// Package bench measures SAT solvers on what engines ask of them. Its tests record the calls
// that an engine makes of its solver, and make the same calls of every back end: the answers
// must be equal, and the CPU seconds are logged.
package bench
