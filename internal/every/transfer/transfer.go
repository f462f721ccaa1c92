// Package transfer carries lemmas from proofs of a model to the same model with other
// constants: lemmas about three components become candidates for sixty.
//
// A lemma is read as a formula about the source, a pattern (pattern.go). Each literal is
// about a leaf of the model. The components in the name of the leaf become variables, and so
// does a component that the leaf is compared with. Different variables stand for different
// components. Under the group, a lemma about some components holds for every other choice of
// different components, so the pattern is universally quantified. Pnueli, Ruah and Zuck
// (Automatic deductive verification with invisible invariants, TACAS 2001) find quantified
// invariants in this way from the reachable states of a small instance. Here they come from
// the lemmas of a proof, which are fewer and about the property.
//
// At another size one instance of each pattern is a candidate, and the group gives the
// other instances. An engine keeps a candidate if it is inductive there together with other
// candidates. So neither the pattern nor the group need be right at the other size.
//
//	names.go     what the latches of an encoding mean
//	pattern.go   lemmas as formulas about the source, and their instances
//	transfer.go  the lemmas of several proofs
//	share.go     lemmas of other processes
package transfer

import (
	"orbitmc/internal/exchange"
	"orbitmc/mc"
	"orbitmc/ts"
)

// Lemmas are lemmas of proofs of one model at several sizes. The zero value has none.
type Lemmas struct {
	patterns []*Pattern
	seen     map[string]bool

	files *exchange.Folder // nil: not shared with other processes
	fresh []*Pattern       // learnt since the last exchange
}

// Learn takes the lemmas of the proofs in r, which is about p, and returns how many
// are new.
func (l *Lemmas) Learn(p *mc.Problem, r *mc.Result) int {
	before := len(l.patterns)
	for _, f := range r.Proofs() {
		n := NewNames(p.Enc, f.Group)
		for _, clause := range f.Clauses {
			for _, x := range n.Patterns(clause) {
				l.add(x)
			}
		}
	}
	if l.files != nil {
		l.fresh = append(l.fresh, l.patterns[before:]...)
	}
	return len(l.patterns) - before
}

// add adds a pattern that is new.
func (l *Lemmas) add(x *Pattern) {
	if l.seen == nil {
		l.seen = make(map[string]bool)
	}
	if s := x.String(); !l.seen[s] {
		l.seen[s] = true
		l.patterns = append(l.patterns, x)
	}
}

// Len returns the number of lemmas to carry, in all their readings.
func (l *Lemmas) Len() int { return len(l.patterns) }

// Candidates returns clauses that may hold in all reachable states of p, each with its
// images under a group of it: one for each lemma that p has one of.
func (l *Lemmas) Candidates(p *mc.Problem, y *ts.Symmetry) (clauses []ts.Clause) {
	n := NewNames(p.Enc, y)
	for _, x := range l.patterns {
		if c := n.instance(x); c != nil {
			clauses = append(clauses, c)
		}
	}
	return clauses
}
