// Package structure finds the symmetry of a netlist: permutations of latches and inputs
// that its circuit shows.
//
// A netlist has no types, so the circuit is drawn as a coloured graph, and the
// automorphisms of the graph are the proposals. Darga, Sakallah and Markov (DAC 2008)
// do so for clauses; gates take their place here. How gates were nested hides symmetry,
// so the graph is made of normal forms of n-ary gates. Normal forms of gates of hundreds
// of operands depend on numbers, so the circuit as it is gets a graph, too. Guesses come
// from truth tables of small functions and from numbers in the names of leaves. Every
// proposal is verified, whatever its source.
//
// [Detect] finds the group that keeps all bads of a system, [ByProp] that of each property,
// and [Obstacles] the single places without which the group is larger.
//
//	structure.go  all sources together
//	circuit.go    the coloured graph of a system
//	cone.go       the same with truth tables in place of small functions
//	names.go      guesses from the names of leaves
//	byprop.go     each property by itself
//	images.go     properties that are images of each other
//	obstacles.go  the places of a netlist without which there is more
package structure
