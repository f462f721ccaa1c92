// Package cnf makes clauses from circuits: of functions, and of time frames of a transition system. It
// knows nothing of models.
//
//	cnf.go     clauses of functions
//	cone.go    the variables that a query is about
//	frames.go  time frames as a graph
//	unroll.go  time frames as clauses: instances of one cover of the system
//	cuts.go    the cover; truth.go: its gates as truth tables
//	solve.go   a prover for packages that do not know about clauses
package cnf
