package pdr

import (
	"context"
	"errors"
	"slices"

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

// Candidates returns candidates for p under a group of it.
func (t *Transfer) Candidates(p *mc.Problem, y *ts.Symmetry) [][]int32 {
	return Instances(p.Enc, y, t.patterns)
}

// errTired says that Engine.Candidates ended the search.
var errTired = errors.New("no more questions allowed")

// carry asks for candidates and adds those that are inductive to all frames: they
// hold in every reachable state. If few are, this is about something else, and what
// little they say is not worth the clauses.
func (x *search) carry(ctx context.Context) error {
	if x.e.Candidates == nil {
		return nil
	}
	clauses, more := x.e.Candidates(ctx, x.group, x.stats.Queries)
	if !more {
		return errTired
	}
	if x.given == nil {
		x.given = make(map[string]bool)
	}
	lemmas := slices.Clone(x.invariants)
	now := make(map[string]bool)
	for _, clause := range clauses {
		c := cube(negated(clause))
		slices.Sort(c)
		inside := !slices.ContainsFunc(c, func(l lit) bool {
			_, in := slices.BinarySearch(x.latches, int(l>>1))
			return !in
		})
		if !inside || x.given[c.key()] || now[c.key()] {
			continue
		}
		now[c.key()] = true
		if _, again := x.given[c.key()]; !again {
			x.given[c.key()] = false
			x.stats.Candidates++
		}
		lemmas = append(lemmas, x.newLemma(c, 0))
	}
	tried, had := len(lemmas), len(x.invariants)
	if tried == had {
		return nil
	}
	if x.e.fault != believeAll {
		var err error
		if lemmas, err = x.inductive(ctx, lemmas); err != nil {
			return err
		}
	}
	if fewest*len(lemmas) < tried {
		return nil
	}
	x.invariants = lemmas
	x.stats.Carried += int64(len(lemmas) - had)
	for _, l := range lemmas {
		if x.given[l.cube.key()] {
			continue
		}
		x.given[l.cube.key()] = true
		for _, level := range x.levels[1:] {
			for _, d := range l.images {
				level.solver.block(d)
			}
		}
	}
	return nil
}

// fewest is how many candidates there may be for one that is inductive.
const fewest = 8
