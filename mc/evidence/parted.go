package evidence

import (
	"context"
	"hash/crc64"
	"iter"

	"orbitmc/model"
)

// Parted is a Closure in parts, on many machines, which check it part by part. The numbers of its members go on from
// part to part.
type Parted interface {
	Closure
	// Parts returns what was found of each part. If ctx ends first the error is that of ctx, and share says how much was done.
	Parts(ctx context.Context) (looked []*Looked, met []*Met, share float64, err error)
}

// Part is a part of a Parted. A state that a step leads to is sent to the part of which its image is to be a member.
type Part interface {
	View        // its members, each valid until the next is asked for
	Len() int64 // of them
	Parts() (number, of int)

	// Guess returns a permutation that may lead to a member of some part; valid until the next call.
	Guess(s []byte) model.ScalarPerm
	// Of returns the part that may have a state as a member.
	Of(s []byte) int
	Send(s []byte, to int) error

	// Sorted yields the members in ascending order.
	Sorted() iter.Seq2[[]byte, error]
	// Received yields what was sent to the part, each state once, in ascending order. It calls told for each state and
	// part from which it was sent, with the number of times.
	Received(told func(s []byte, from int, times int64)) iter.Seq2[[]byte, error]
}

// Tally counts states, each as often as it is added, with the sum of their hashes. So two tallies are equal, but for
// chance, if the same states were added, in whichever order.
type Tally struct {
	N   int64  `json:"n"`
	Sum uint64 `json:"sum"`
}

var crcTable = crc64.MakeTable(crc64.ECMA)

// Add adds a state so many times.
func (t *Tally) Add(s []byte, times int64) {
	t.N += times
	t.Sum += uint64(times) * (crc64.Checksum(s, crcTable) | 1) * 0x9e3779b97f4a7c15
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
