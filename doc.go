// Package orbitmc is a model checker that exploits verified symmetry. Open reads a Murphi model, a
// Promela program or a netlist. Model.Check, Model.Prove and Sweep decide its properties. Model.Detect
// says which symmetry holds. Certify checks a proof. The command line is in cmd/orbitmc.
//
// Below is the map of the packages. A model takes this way through them:
//
//	text ─ encode/murphi ─► model.Model ─ encode ─► ts.System ─ engine ─► mc.Result ─► cmd/orbitmc
//	                            │                     │    ▲                  │
//	                            ▼                     ▼    │                  ▼
//	                         explicit              detect ─ rep          certify.Verify
//
//	internal/ltl     linear temporal logic: formulas, their automata
//	internal/ctl     computation tree logic: formulas
//	internal/pctl    probabilistic computation tree logic: formulas
//	model            models: typed rules, and the interpreter that defines what they do; model/reference: the
//	                 reference interpreter, which walks the syntax tree, and why a state violates a property;
//	                 model/traces: traces and lassos replayed, written, read, shortened
//	encode/murphi    Murphi text to model; internal/testkit/murphitest: random models as text, for tests
//	internal/counters models in which the components are counted: counter abstraction
//	internal/prog    programs: the statements that each rule of their model stands for
//	encode/promela   Promela text to program; internal/testkit/promelatest: random programs, and SPIN as oracle, for
//	                 tests
//	encode/aiger     netlists in AIGER to transition system and back; witnesses
//	encode/btor2     word-level netlists in BTOR2 to transition system; witnesses, and runs on numbers
//	internal/coverage how often rules fire and statements run, as a page
//	internal/table   what a controller does in each state, as a table
//	internal/networks how many virtual networks a protocol needs
//	internal/litmus  short programs on a protocol: what a memory model allows, as one model with the protocol
//	encode/fair      formulas and fairness: a model as a system with justice
//	internal/trace   counterexamples as pages for people, and the steps that a violation depends on
//	encode           model to transition system, traces back to the model
//	encode/cnf       circuits to clauses; time frames
//	internal/front   what front ends share: names for editors, indentation, corrections of misspelt names
//	internal/pace    counts of work, so that slices and limits of work do not depend on time
//	internal/fault   errors that end a reading wherever they are found
//	internal/lists   slices and maps made of slices
//	internal/ternary values of circuits of which some inputs are unknown
//	internal/disjoint sets of numbers that are joined one by one (union-find)
//	ts               transition systems, traces, cubes and clauses, permutations, symmetries, sequential clean-up;
//	                 internal/testkit/tstest: small random symmetric systems, for tests
//	aig              and-inverter graphs
//	sat              the solver interface, with its protocol in internal/protocol; back ends in
//	                 sat/cdcl (the default), sat/gini and sat/cadical (by a build tag, through internal/ipasir, as
//	                 other libraries). For the checker: sat/checked, sat/gophersat, and sat/rup, which verifies
//	                 refutations. internal/testkit/sattest: the conformance kit of back ends;
//	                 internal/testkit/sattest/bench: the queries of engines, asked of all back ends;
//	                 sat/linear: linear inequalities, with reasons
//	detect           the report: which permutations are symmetries. detect/verify decides on circuits whether a
//	                 permutation is a symmetry, detect/typing derives symmetry from the text of a model. Proposals
//	                 come from detect/declared, detect/infer and detect/rename for models, from detect/structure for
//	                 netlists. detect/explain says why a permutation was refuted. detect/decompose makes a group of
//	                 the verified permutations. detect/graph finds automorphisms of coloured
//	                 graphs, detect/group computes with permutation groups
//	rep              predicates that keep few representatives of each orbit; canonicalising circuits,
//	                 quotients; internal/testkit/reptest: random systems of every kind of group, for tests
//	mc               what engines are given, and the results they return. mc/evidence: what evidence is;
//	                 internal/certify: the check of evidence, which trusts no engine, with internal/certify/states: lists of
//	                 states, and internal/certify/typing: symmetry derived from the text once more; internal/certfile: proofs
//	                 in files; internal/board: lemmas from engine to engine; internal/exchange: lines from process to process,
//	                 by files;
//	                 internal/testkit/mctest: problems, for tests
//	bmc              bounded model checking, k-induction and signal correspondence
//	internal/pdr     property directed reachability; a lemma stands for its orbit; internal/pdr/klive: justice by counting
//	                 (k-liveness), pdr on a system that counts
//	internal/every   proofs for every size. internal/every/param: conditions over classes of any size, and the
//	                 sizes at which a condition has to be refuted (cutoffs); internal/every/transfer: lemmas of a
//	                 proof as candidates for the same model at another size; internal/every/invariants: lemmas as
//	                 invariants in the language of Murphi
//	cofactor         backward reachability by circuit cofactoring, after an inductive invariant; liveness, together with
//	                 another engine
//	internal/explicit search of all reachable states, one of each orbit; internal/explicit/netlist: netlists of
//	                 few states; internal/testkit/emptiness: fair runs by the components of the graph, for tests
//	internal/markov  probabilities and expected numbers of steps, on the states of explicit search
//	internal/stateless search of the executions of a program, without stored states, by partial orders and symmetry;
//	                 internal/stateless/events: the orders of steps that it explores, for Go tests that are run, too
//	gotest           Go tests under every schedule: their sources rewritten and built. Compiled into them, in the place
//	                 of the packages of these names: gotest/shim/sync, gotest/shim/time, gotest/shim/rand,
//	                 gotest/shim/runtime, gotest/shim/testing, gotest/shim/synctest, on gotest/shim/sched, the scheduler;
//	                 explore: the same from within a test
//	internal/task    a file made ready for engines: reading, symmetry, encoding, clean-up, limits
//	internal/portfolio engines side by side; lemmas carried from small sizes; certificates
//	benchmarks       our models and programs, with the verdicts expected of them; benchmarks/runner: batches of runs;
//	                 benchmarks/report: their pages; benchmarks/measure: what is only measured of symmetry;
//	                 benchmarks/netlists: two models in tight binary
//	internal/cluster commands as tasks of Slurm; internal/testkit/clustertest: a Slurm for tests;
//	                 internal/testkit/nightly: how much a test does
//	internal/simulate steps by hand, in the terminal and in a browser
//	internal/lsp     the language server
//	cmd/orbitmc      the command line
//
// ARCHITECTURE.md follows a file to its verdict and says where each technique is; docs/theory/soundness.md
// has the rules of soundness, with what breaks without each.
package orbitmc
