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
//	model           what a model means: typed rules, and the interpreter that all else is held to
//	encode/murphi   Murphi text to model
//	encode/aiger    netlists in AIGER to transition system and back
//	encode          model to transition system and back; circuits to clauses; time frames
//	ts              transition systems, traces, permutations, symmetries
//	aig             and-inverter graphs
//	sat             the solver interface; back ends in sat/gini and sat/gophersat
//	detect          which permutations really are symmetries; detect/graph finds automorphisms of coloured
//	                graphs, detect/group computes with permutation groups
//	rep             predicates that keep few representatives of each orbit
//	mc              results, and the check of their evidence
//	bmc             bounded model checking
//	explicit        search of all reachable states
//	benchmarks      our models, with the verdicts expected of them; batch runs and reports
//
// ARCHITECTURE.md tells the data flow, the rules of soundness and why each of
// them is kept.
package orbitmc
