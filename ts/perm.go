package ts

import (
	"encoding/binary"
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
)

// Perm is a signed permutation of the latches, inputs and initial inputs of a
// System: latch i goes to the literal Latch[i]; the same for Input and Init. As an
// action on states, (π·x)[Latch[i].Index()] = x[i] xor Latch[i].Neg().
type Perm struct {
	Name               string // "NODE_1 <-> NODE_2"
	Latch, Input, Init []Lit  // by latch, input and initial input
}

// Parts returns the images of latches, inputs and initial inputs, in this order.
func (p *Perm) Parts() [3][]Lit { return [3][]Lit{p.Latch, p.Input, p.Init} }

// Identity returns the identity on s.
func Identity(s *System) *Perm {
	return &Perm{
		Name:  "identity",
		Latch: identity(len(s.Latches)),
		Input: identity(len(s.Inputs)),
		Init:  identity(len(s.Init)),
	}
}

func identity(n int) []Lit {
	return lists.Make(n, func(i int) Lit { return MkLit(i, false) })
}

// Check reports whether p is a signed permutation of the right sizes for s.
func (p *Perm) Check(s *System) error {
	for k, leaves := range s.Leaves() {
		what, image, n := [...]string{"latch", "input", "initial input"}[k], p.Parts()[k], len(leaves)
		if len(image) != n {
			return fmt.Errorf("permutation %s: %d %s images, want %d", p.Name, len(image), what, n)
		}
		seen := make([]bool, n)
		for i, l := range image {
			j := int(l >> 1)
			if l < 0 || j >= n || seen[j] {
				return fmt.Errorf("permutation %s: %s %d has no or a repeated image", p.Name, what, i)
			}
			seen[j] = true
		}
	}
	return nil
}

// Then returns the permutation that applies p first and q second.
func (p *Perm) Then(q *Perm) *Perm {
	return &Perm{
		Name:  p.Name + ", " + q.Name,
		Latch: then(p.Latch, q.Latch),
		Input: then(p.Input, q.Input),
		Init:  then(p.Init, q.Init),
	}
}

func then(p, q []Lit) []Lit {
	return lists.Map(p, func(l Lit) Lit { return l.Under(q) })
}

// Inverse returns the inverse of p.
func (p *Perm) Inverse() *Perm {
	return &Perm{
		Name:  p.Name + " inverse",
		Latch: inverse(p.Latch),
		Input: inverse(p.Input),
		Init:  inverse(p.Init),
	}
}

func inverse(p []Lit) []Lit {
	r := make([]Lit, len(p))
	for i, l := range p {
		r[l>>1] = MkLit(i, l.Neg())
	}
	return r
}

// IsIdentity reports whether p moves nothing.
func (p *Perm) IsIdentity() bool {
	return !moves(p.Latch) && !moves(p.Input) && !moves(p.Init)
}

// Equal reports whether p and q are the same permutation, whatever their names.
func (p *Perm) Equal(q *Perm) bool {
	return slices.Equal(p.Latch, q.Latch) && slices.Equal(p.Input, q.Input) && slices.Equal(p.Init, q.Init)
}

// Key returns a string that tells permutations of one system apart by what they do.
func (p *Perm) Key() string {
	var key []byte
	for _, part := range p.Parts() {
		for _, x := range part {
			key = binary.AppendUvarint(key, uint64(x))
		}
	}
	return string(key)
}

// MovesLatches reports whether p moves or negates a latch.
func (p *Perm) MovesLatches() bool { return moves(p.Latch) }

func moves(part []Lit) bool {
	for i, l := range part {
		if l != MkLit(i, false) {
			return true
		}
	}
	return false
}

// Apply returns part permuted by image (one of p's fields): element i of bits
// goes to place image[i].Index(), negated if image[i].Neg().
func Apply(image []Lit, bits []bool) []bool {
	out := make([]bool, len(bits))
	for i, l := range image {
		out[l>>1] = bits[i] != l.Neg()
	}
	return out
}

// Disjoint reports whether no leaf is moved or negated by both p and q, which
// are of the same system.
func (p *Perm) Disjoint(q *Perm) bool {
	for k, part := range p.Parts() {
		for i, l := range part {
			if fixed := MkLit(i, false); l != fixed && q.Parts()[k][i] != fixed {
				return false
			}
		}
	}
	return true
}

// ApplyLits permutes lits by image as Apply does: if lits are the literals of x, it
// returns the literals of π·x.
func ApplyLits(image []Lit, lits []aig.Lit) []aig.Lit {
	out := make([]aig.Lit, len(lits))
	for i, l := range image {
		out[l>>1] = lits[i].NotIf(l.Neg())
	}
	return out
}
