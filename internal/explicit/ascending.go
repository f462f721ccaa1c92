package explicit

import (
	"math/bits"
	"unsafe"
)

// ascending is a list of numbers that never decrease, number i being i at most: the
// parents of states that are numbered in the order in which they are found. It is a
// row of bits. For each number it has as many zeros as the number is greater than the
// one before, and a one: two bits a number at most (Elias, Efficient storage and
// retrieval by content and address of static files, JACM 1974).
type ascending struct {
	blocks []*ascendingBlock
	n      int
}

// ascendingBlock has the bits for some numbers, and where the ones of every so many
// numbers are in the row.
type ascendingBlock struct {
	words [2 * blockNumbers / 64]uint64
	ones  [blockNumbers / sampled]int
}

const (
	blockNumbers = 1 << 17
	sampled      = 1 << 9
)

// word returns a word of the row.
func (a *ascending) word(k int) *uint64 {
	const words = 2 * blockNumbers / 64
	return &a.blocks[k/words].words[k%words]
}

// append adds a number.
func (a *ascending) append(x int) {
	if a.n%blockNumbers == 0 {
		a.blocks = append(a.blocks, new(ascendingBlock))
	}
	one := x + a.n
	if a.n%sampled == 0 {
		a.blocks[a.n/blockNumbers].ones[a.n%blockNumbers/sampled] = one
	}
	*a.word(one / 64) |= 1 << (one % 64)
	a.n++
}

// at returns number i: the zeros in front of its one.
func (a *ascending) at(i int) int {
	one := a.blocks[i/blockNumbers].ones[i%blockNumbers/sampled]
	k, rest := one/64, i%sampled
	w := *a.word(k) >> (one % 64) << (one % 64)
	for n := bits.OnesCount64(w); n <= rest; n = bits.OnesCount64(w) {
		rest -= n
		k++
		w = *a.word(k)
	}
	for ; rest > 0; rest-- {
		w &= w - 1
	}
	return 64*k + bits.TrailingZeros64(w) - i
}

// memory returns the bytes in use, and what one more number may add.
func (a *ascending) memory() (used, next int64) {
	const size = int64(unsafe.Sizeof(ascendingBlock{}))
	if a.n == len(a.blocks)*blockNumbers {
		next = size
	}
	return int64(len(a.blocks)) * size, next
}
