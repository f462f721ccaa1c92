// Package verify decides whether a permutation is a symmetry of a transition system.
// It is the trusted half of detection: no group is used whose generators did not pass
// here, whoever proposed them. It knows nothing of models, graphs or names.
//
// A permutation π moves, and may negate, latches, inputs and initial inputs. It is a
// symmetry if
//
//	reset_π(l)(π·z) = reset_l(z)      next_π(l)(π·x, π·y) = next_l(x, y)
//	C∘π = C        W∘π = W            B∘π = B
//
// for every latch l, the conjunction C of the constraints and every bad B of the
// properties the group is meant for. Of a property with instances π maps each to
// another: H_πi(π·x) = H_i(x) for the condition H_i of instance i. Resets and W must be
// kept everywhere, the other functions where W holds; that W holds in every reachable
// state is for the maker of the system to guarantee.
//
// There are two stages. A [Verifier] compares structures: it brings each function and
// its image into the normal form of n-ary gates, and equal ones become one literal.
// Most symmetries need no more. A [Decider] asks a SAT solver about the pairs that are
// left. It does so by SAT sweeping (Kuehlmann, ICCAD 2004), as a single query about
// two large circuits took minutes. What is open when the budget is used up counts as
// no symmetry.
//
// A [Checker] does both for systems without a model.
//
//	verify.go   pairs of functions that differ in structure
//	decide.go   which of them are equal all the same
//	sweep.go    SAT sweeping: the graph of merged functions
//	checker.go  both stages for a netlist, and what they verified
//	options.go  the prover and its budget
package verify
