package cdcl

// This file has an arena. Its blocks are never moved and hold no pointers: it grows without
// copying, and the garbage collector need not look into it.

const (
	unitBits   = 12
	firstBlock = 1 << 8  // values of the first block
	largeBlock = 1 << 17 // values of a large block; what is longer has a block of its own
)

// blocks is an arena of values, which have addresses. The zero value has none.
type blocks[T any] struct {
	units     [][]T // by address / 2^unitBits: from there to the end of the block
	full      []extent
	first     uint32 // address of the block that is filled
	next, end uint32 // addresses in this block: of its free part, and of its end
	size      int    // of this block
}

// extent is the addresses from first to end.
type extent struct{ first, end uint32 }

// at returns the values from an address to the end of the block.
func (b *blocks[T]) at(address uint32) []T {
	return b.units[address>>unitBits][address&(1<<unitBits-1):]
}

// fits reports whether the block has room for n values.
func (b *blocks[T]) fits(n int) bool { return int(b.end-b.next) >= n }

// take returns the address of n values one after the other, which may be of any value.
func (b *blocks[T]) take(n int) uint32 {
	if !b.fits(n) {
		b.full = append(b.full, extent{b.first, b.next})
		b.size = max(min(2*b.size, largeBlock), firstBlock, n)
		if uint64(len(b.units))<<unitBits+uint64(b.size) >= 1<<32 {
			panic("cdcl: more than 2^32 words of clauses or watches")
		}
		b.first = uint32(len(b.units)) << unitBits
		b.next, b.end = b.first, b.first+uint32(b.size)
		for block := make([]T, b.size); len(block) > 0; block = block[min(len(block), 1<<unitBits):] {
			b.units = append(b.units, block)
		}
	}
	address := b.next
	b.next += uint32(n)
	return address
}

// extents returns what was taken, block by block.
func (b *blocks[T]) extents() []extent { return append(b.full, extent{b.first, b.next}) }
