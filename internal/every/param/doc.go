// Package param proves that a model keeps its properties whatever the sizes of its classes of
// components are. docs/theory/every-n.md has the theorems and their proofs.
//
// A class is free if its size is a constant of which nothing else in the model depends. It becomes
// a sort, and a family of leaves that differ in components only becomes a function. Each rule is
// run once on symbolic functions. This gives conditions: formulas without a model iff the
// invariants are inductive, no step errs and no state is deadlocked. A condition without ∃ inside
// ∀ has a model of few components if it has any, so it is decided by SAT at few sizes (Pnueli,
// Ruah, Zuck: Automatic deductive verification with invisible invariants, TACAS 2001).
//
//	term.go        formulas: equal ones are the same, quantifiers are moved inwards
//	value.go       what an expression may evaluate to, under conditions
//	exec.go        rules on a symbolic state
//	expr.go        expressions
//	linear.go      integers: linear terms
//	loop.go        loops over a free class: whether their iterations are independent
//	sums.go        loops that count
//	conditions.go  the conditions of a model
//	count.go       what is known of the numbers of a condition
//	cutoff.go      how many components a condition can tell apart
//	order.go       which sorts a ∃ inside a ∀ may depend on
//	ground.go      conditions as clauses, at all sizes up to one; ground_linear.go: with inequalities
//	prove.go       refuting them at all sizes up to the cutoff; candidates that fail are dropped
//	needs.go       which conjuncts each condition needs
//	smtlib.go      the conditions for SMT solvers
//	module.go      what is the same in tla.go and ivy.go: the model in TLA+ and in Ivy
package param
