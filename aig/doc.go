// Package aig is the and-inverter graph: Boolean functions as a graph whose
// nodes are one constant, leaves and two-input ANDs, and whose edges may be
// complemented. It is the form in which transition systems, time frames and
// state sets are held before they become clauses.
//
// # Literals and nodes
//
// A Lit is an edge: a node number and a complement bit, so that negation costs
// nothing. Node 0 is the constant; False and True are its two literals. Nodes
// are numbered in topological order and never change or vanish: a function,
// once built, keeps its literal for ever, and a pass over all nodes in ascending
// order meets operands before their users.
//
// Structural hashing gives equal literals to equal structure. Equal literals
// are equal functions; different literals may be equal functions too, and only a
// solver can tell. Two things narrow that gap.
//
// Two-level rewriting (And) finds, among the operands of the operands, what
// makes a node superfluous. It never makes the graph larger. But it rewrites the
// pairs of operands that happen to meet, so a symmetric function may get an
// asymmetric shape. A graph made by NewPlain does without rewriting.
//
// N-ary normal form (NewNaryCopier) makes the shape a function of the set of
// operands. It recognises a permutation as a symmetry: copy a function with its
// leaves permuted, copy the function it should become, and compare the two
// literals. AndN, OrN and XorN build a single gate in normal form.
//
// # Operations
//
//	build     Input                        a fresh leaf
//	          And Or Xor Equal Implies Mux  two and three operands
//	          AndN OrN XorN                functions of the set of operands
//	look      Fanins IsAnd IsInput         a node
//	          MatchXor MatchMux            gates of several ANDs, for better clauses
//	          Conjuncts                    the n-ary gate below a literal
//	          Cone Support FanoutCounts    what a set of roots depends on
//	copy      Copier                       to another graph, leaves or nodes replaced:
//	                                       time frames, images, cones of influence
//	          Compose Cofactor             the same within one graph
//	          NewNaryCopier                the same into normal form
//	evaluate  Sim                          64 valuations at once
//	examine   Check                        invariants
//
// No operation recurses over the graph: a chain of a million nodes is an ordinary
// input. Methods panic on literals and nodes the graph does not have.
package aig
