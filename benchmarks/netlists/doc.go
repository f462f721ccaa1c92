// Package netlists writes two of the benchmark models as a hardware designer would:
// every choice and every variable in binary, nothing one-hot, no definedness, no
// errors but the invariant. Model checkers of circuits are compared with orbitmc on
// these, and on what orbitmc exports, so that its encoding is not their handicap.
// The .aig files in this folder are made by
//
//	go test ./benchmarks/netlists -update
package netlists
