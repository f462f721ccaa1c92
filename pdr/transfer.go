package pdr

import (
	"orbitmc/mc"
	"orbitmc/ts"
)

// Transfer carries lemmas from proofs of a model to the same model with other
// constants. A lemma that is carried is a candidate: it is kept if it is inductive
// there, together with others. So nothing has to be believed of the way they
// came, and a group that is another one there does no harm.
type Transfer struct {
	patterns []*Pattern
	seen     map[string]bool
}

// Learn takes the lemmas of the proofs in r, which is about p, and returns how many
// are new.
func (t *Transfer) Learn(p *mc.Problem, r *mc.Result) int {
	if t.seen == nil {
		t.seen = make(map[string]bool)
	}
	before := len(t.patterns)
	read := make(map[*mc.Proof]bool)
	for _, pr := range r.Props {
		if pr.Proof == nil || read[pr.Proof] {
			continue
		}
		read[pr.Proof] = true
		for _, x := range Patterns(p.Enc, pr.Proof.Group, pr.Proof.Clauses) {
			if s := x.String(); !t.seen[s] {
				t.seen[s] = true
				t.patterns = append(t.patterns, x)
			}
		}
	}
	return len(t.patterns) - before
}

// Len returns the number of lemmas to carry, in all their readings.
func (t *Transfer) Len() int { return len(t.patterns) }

// Candidates returns what Engine.Candidates is to be for p.
func (t *Transfer) Candidates(p *mc.Problem) func(*ts.Symmetry) [][]int32 {
	return func(y *ts.Symmetry) [][]int32 { return Instances(p.Enc, y, t.patterns) }
}
