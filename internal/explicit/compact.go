package explicit

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Hash compaction: the visited set holds hashes of 40 to 64 bits instead of states
// (Wolper and Leroy, Reliable hashing without collision detection, CAV 1993; Stern and
// Dill, Improved probabilistic verification by hash compaction, CHARME 1995). Of states
// with the same hash only the first is visited, so states may be missing, and a search
// that visits all it finds is no proof. States are kept until they are expanded. A
// violation is real: its trace is found again from the hashes, and replayed.

// compact turns states into hashes.
type compact struct {
	bits int
	seed uint64

	first bool // signatures are held, see First
}

// hashCompact lets the set hold hashes.
func (s *search) hashCompact() error {
	switch n := s.opt.HashBits; {
	case n < 40 || n > 64:
		return fmt.Errorf("explicit: hashes of %d bits; want 40 to 64", n)
	case s.opt.Canon.Several():
		return errors.New("explicit: hash compaction needs exact representatives, or none")
	}
	s.holdKeys(&compact{bits: s.opt.HashBits, seed: s.opt.Seed})
	return nil
}

// holdKeys lets the set hold what compact makes of states.
func (s *search) holdKeys(c *compact) {
	states := newRow(s.packer.Size())
	s.compact, s.set, s.states = c, newSet((c.bits+7)/8), &states
}

// key returns what the set holds for successor k of a chunk.
func (s *search) key(c *chunk, k int) []byte {
	if s.compact != nil {
		return c.keys[k*s.set.size : (k+1)*s.set.size : (k+1)*s.set.size]
	}
	return c.state(k, s.set.size)
}

// key appends the hash of a packed state: words in four chains, so that the processor works on
// four at a time, and then the chains in one. Each step is a bijection of what comes before, and
// of the word (Stafford, variant 13 of the finalizer of MurmurHash3).
func (c *compact) key(dst, b []byte) []byte {
	const odd = 0x9e3779b97f4a7c15
	scramble := func(h uint64) uint64 {
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		return h ^ h>>31
	}
	h := scramble(c.seed + odd)
	h0 := h + odd
	h1 := h0 + odd
	h2 := h1 + odd
	h3 := h2 + odd
	for ; len(b) >= 32; b = b[32:] {
		h0 = scramble(h0^binary.LittleEndian.Uint64(b)) + odd
		h1 = scramble(h1^binary.LittleEndian.Uint64(b[8:])) + odd
		h2 = scramble(h2^binary.LittleEndian.Uint64(b[16:])) + odd
		h3 = scramble(h3^binary.LittleEndian.Uint64(b[24:])) + odd
	}
	for _, chain := range [...]uint64{h0, h1, h2, h3} {
		h = scramble(h^chain) + odd
	}
	for ; len(b) >= 8; b = b[8:] {
		h = scramble(h^binary.LittleEndian.Uint64(b)) + odd
	}
	var last [8]byte
	copy(last[:], b)
	h = scramble(h ^ binary.LittleEndian.Uint64(last[:]))
	h >>= 64 - c.bits
	binary.LittleEndian.PutUint64(last[:], h)
	return append(dst, last[:(c.bits+7)/8]...)
}

// omission returns the probability that a state is missing if n are visited and hashes are
// uniformly distributed: 1 - (1 - 1/m)(1 - 2/m)…(1 - (n-1)/m), or a little more, for m
// hashes.
func (c *compact) omission(n int64) float64 {
	x := float64(n) * float64(n-1) / 2 / math.Exp2(float64(c.bits))
	return -math.Expm1(-x / (1 - min(float64(n)/math.Exp2(float64(c.bits)), 0.5)))
}
