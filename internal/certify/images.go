package certify

import (
	"orbitmc/mc/evidence"
	"orbitmc/ts"
)

// This file writes out the clauses of a proof with all their images, for certificates and
// witness circuits, whose readers need not know the symmetry. The code is that of the check.

// Images writes out the clauses of proofs.
type Images struct{ some, all *Checker }

// Images returns a writer of proofs of the problem of c.
func (c *Checker) Images() *Images {
	x := &Images{c.For(c.p), c.For(c.p)}
	x.some.whole, x.all.whole = false, true
	return x
}

// Clause is a clause of a proof, its literals ascending.
type Clause struct {
	Lits  ts.Clause
	Orbit bool // it stands for all its images
}

// Large reports whether a proof has orbits that are too large to be checked image by image.
func (i *Images) Large(f *evidence.Proof) (bool, error) {
	v, err := i.some.invariant(f)
	return err == nil && v.components != nil, err
}

// Clauses returns the clauses of a proof with all their images; if there are more than
// 2^20, one clause stands for each large orbit.
func (i *Images) Clauses(f *evidence.Proof) ([]Clause, error) {
	v, err := i.some.written(f)
	if err != nil {
		return nil, err
	}
	var clauses []Clause
	for _, a := range v.all {
		switch {
		case a.large != nil:
			clauses = append(clauses, Clause{a.large.clause, true})
		case a.clause != nil:
			clauses = append(clauses, Clause{a.clause, false})
		}
	}
	return clauses, nil
}

// All returns the clauses of a proof with all their images, however many. The error says
// what is malformed in the proof, or that there are more than 2^20 images.
func (i *Images) All(f *evidence.Proof) ([]ts.Clause, error) {
	if err := wellFormed(i.all.p, f, f.Props[0]); err != nil {
		return nil, err
	}
	v, err := i.all.invariant(f)
	if err != nil {
		return nil, err
	}
	var clauses []ts.Clause
	for _, a := range v.all {
		if a.clause != nil {
			clauses = append(clauses, a.clause)
		}
	}
	return clauses, nil
}
