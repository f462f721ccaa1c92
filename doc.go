// Package orbitmc is the map of a SAT-based model checker that exploits
// verified symmetry. It holds no code: the program is cmd/orbitmc.
//
// A model takes this way through the packages:
//
//	text ─ encode/murphi ─► model.Model ─ encode ─► ts.System ─ engine ─► mc.Result ─► cmd/orbitmc
//	                            │                     │    ▲                  │
//	                            ▼                     ▼    │                  ▼
//	                         explicit              detect ─ rep          mc.Verify
//
//	model            what a model means: typed rules, and the interpreter that all else is held to
//	encode/murphi    Murphi text to model; encode/murphi/murphitest: random models as text, for tests
//	encode/aiger     netlists in AIGER to transition system and back; witnesses
//	encode           model to transition system and back; circuits to clauses; time frames
//	ts               transition systems, traces, permutations, symmetries, sequential clean-up;
//	                 ts/tstest: small random symmetric systems, for tests
//	aig              and-inverter graphs
//	sat              the solver interface, with its protocol in sat/internal/protocol; back ends in
//	                 sat/cdcl, sat/gini and sat/gophersat; sat/rup: the check of refutations;
//	                 sat/sattest: the conformance kit of back ends
//	detect           which permutations really are symmetries: declared, inferred from uses, or detected;
//	                 detect/typing: shown by the form of a model;
//	                 detect/graph: automorphisms of coloured graphs; detect/group: permutation groups
//	rep              predicates that keep few representatives of each orbit; canonicalising circuits,
//	                 quotients; rep/reptest: random systems of every kind of group, for tests
//	mc               results, and the check of their evidence: traces, closed sets, inductive proofs
//	bmc              bounded model checking and k-induction
//	pdr              property directed reachability; a lemma stands for its orbit, and for other sizes
//	cofactor         backward reachability by circuit cofactoring; liveness, together with another engine
//	explicit         search of all reachable states, one of each orbit
//	benchmarks       our models, with the verdicts expected of them; benchmarks/runner: batches of runs;
//	                 benchmarks/report: their pages; benchmarks/netlists: two models in tight binary
//	cmd/orbitmc      the command line
//
// ARCHITECTURE.md tells the data flow, the rules of soundness and why each of
// them is kept.
package orbitmc
