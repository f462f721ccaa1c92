package evidence

import (
	"context"
	"hash/crc64"
)

// Parted is a Closure in parts, on many machines, which check it part by part.
type Parted interface {
	Closure
	// Checked returns what was found of each part. If ctx ends first the error is that of ctx, and share says how much
	// was done.
	Checked(ctx context.Context) (looked []*Looked, met []*Met, share float64, err error)
}

// Part is a part of a Parted, with its members only; each is valid until the next is asked for. A state that a step
// leads to is sent to the part of which its image is to be a member. Of Guess the permutation counts.
type Part interface {
	Closure
	Number() (number, of int)
	Of(s []byte) int // the part that may have a state as a member
	Send(s []byte, to int) error

	// Meet yields the members, from being -1, and what was sent to the part, as often as it was sent, with the part
	// from which it was: all in ascending order, a member before the same state that was sent.
	Meet(yield func(s []byte, from int) error) error
}

// Tally counts states, each as often as it is added, with the sum of their hashes. So two tallies are equal, but for
// chance, if the same states were added, in whichever order.
type Tally struct {
	N   int64
	Sum uint64
}

var crcTable = crc64.MakeTable(crc64.ECMA)

// Add adds a state.
func (t *Tally) Add(s []byte) {
	t.N++
	t.Sum += (crc64.Checksum(s, crcTable) | 1) * 0x9e3779b97f4a7c15
}

// Looked is what was found of the members of a part, and where their steps lead.
type Looked struct {
	Members   Tally
	Sent      []Tally // by part
	Shown     []bool  // by property: a member or a step of one shows it
	Hid       bool    // a quantifier of mc.Problem.Strict hid an error
	Reference bool    // all was looked at by the reference interpreter
}

// Met is what was found of a part and what was sent to it: all was a member.
type Met struct {
	Members  Tally
	Received []Tally // by part
}
