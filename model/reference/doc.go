// Package reference has the reference interpreter of models, which walks the syntax tree. Tests compare the
// compiled interpreter with it. It also explains violations: which leaves decide a property (cause.go), and which
// writes that depends on (flow.go); and it counts which statements run (coverage.go). It is slow.
//
// It takes the tree and the states from package model, and nothing there that says what the tree means: what both
// interpreters have to know, each knows by itself. TestWalkerStandsAlone lists what it calls.
package reference
