// Package aiger reads and writes netlists in AIGER 1.9, ascii (.aag) and
// binary (.aig), as transition systems.
//
// The format is that of A. Biere, "The AIGER And-Inverter Graph (AIG) Format
// Version 20071012", FMV report 07/1, and A. Biere, K. Heljanko, S. Wieringa,
// "AIGER 1.9 and Beyond", FMV report 11/2. A file is
//
//	header       aag M I L O A [B [C [J [F]]]]    (binary: aig)
//	inputs       2                                (binary: left out)
//	latches      4 next [reset]                   (binary: next [reset])
//	outputs, bads, constraints                    one literal a line
//	justice      J sizes, then the literals of each property
//	fairness     one literal a line
//	ANDs         6 4 2                            (binary: two differences)
//	symbols      i0 name, and l o b c j f
//	comments     c, then lines of any text
//
// where a literal is twice a variable, plus 1 if negated, and variable 0 is the
// constant false. Binary numbers inputs, latches and ANDs in this order from 1.
//
// # How a file becomes a system
//
//	input        ts.System.Inputs
//	latch        ts.System.Latches; reset 0, 1, or an initial input of its own
//	             when it is uninitialised (reset to itself)
//	bad          ts.System.Bads; in a file without bads and justice, as all were
//	             before version 1.9, the outputs are the bads
//	constraint   ts.System.Constraints
//	output, justice, fairness, comment            File
//
// The circuit goes into a plain graph, gate by gate: equal gates become one and
// constants fold, nothing else is rewritten, for the symmetry of the file is
// still to be found.
//
// Counterexamples are read and written as witnesses, see File.ReadWitnesses.
//
// # What is refused
//
// Reading is strict, as a file misread is a wrong verdict. Beyond what the
// reports demand, symbols may hold no control characters, and a number no
// leading zeros in either coding. Reset functions other than the three above,
// an extension of later versions of the AIGER library, are refused. An Error
// carries the place and the rule.
package aiger
