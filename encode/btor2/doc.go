// Package btor2 reads word-level netlists in BTOR2 as transition systems, and reads and
// writes witnesses for them.
//
// The format is that of A. Niemetz, M. Preiner, C. Wolf, A. Biere, "BTOR2, BtorMC and
// Boolector 3.0", CAV 2018. A file is a list of lines, each with a number of its own:
//
//	1 sort bitvec 8
//	2 state 1 count
//	3 zero 1
//	4 init 1 2 3
//	5 one 1
//	6 add 1 2 5
//	7 next 1 2 6
//	8 sort bitvec 1
//	9 eq 8 2 -3
//	10 bad 9
//
// An operand is the number of an earlier line; a minus sign complements its bits. Text
// behind a semicolon is a comment.
//
//	read.go     lines, sorts and operands are checked; File
//	ops.go      the operators and what sorts they take
//	words.go    an operator as a circuit
//	system.go   a file as a ts.System
//	memory.go   large arrays as a few of their elements
//	spurious.go whether a counterexample of that is one of the file, and more elements if not
//	value.go    words and arrays as values
//	eval.go     an operator on numbers: the meaning of a file, independent of the circuits
//	signals.go  traces of the system as runs on numbers
//	sample.go   random runs of the file beside the system
//	witness.go  counterexamples in the format of BtorMC
//
// # How a file becomes a system
//
//	state with next            a latch for each bit
//	state without next         inputs; latches that copy inputs if it has a first value,
//	                           or if the first value of another state reads it
//	input                      an input for each bit
//	bad, constraint            the same of ts.System
//	justice, fair              literals over them
//	output                     nothing
//
// What no property and no constraint depends on is left out.
//
// An array is the row of its elements: no array may have more than MaxArray bits, except with
// ReadLarge (docs/arrays.md). A state without init begins with any value. The first value of a state may depend on those of
// earlier states, but not on inputs.
//
// Division by zero, shifts and signed remainders are those of SMT-LIB. Words rotate by the
// second operand modulo their width.
package btor2
