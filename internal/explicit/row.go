package explicit

// row is a list of byte strings of one size, in blocks that never move.
type row struct {
	size   int  // bytes of each; 0 for states of a model without variables
	shift  uint // a block has 1<<shift of them
	blocks [][]byte
	n      int
	gone   int      // blocks that are no longer there
	spare  [][]byte // of these, those to be used again
}

// blockSize is how many bytes a block has, at most.
const blockSize = 1 << 20

func newRow(size int) row {
	r := row{size: size, shift: 15}
	for r.shift > 0 && size<<r.shift > blockSize {
		r.shift--
	}
	return r
}

// at returns string i; it must not be changed.
func (r *row) at(i int) []byte {
	k := i & (1<<r.shift - 1) * r.size
	return r.blocks[i>>r.shift][k : k+r.size : k+r.size]
}

// append adds a string and returns its number.
func (r *row) append(b []byte) int {
	i := r.n
	r.reserve(1)
	r.n++
	copy(r.at(i), b)
	return i
}

// reserve makes room for more strings.
func (r *row) reserve(more int) {
	for len(r.blocks)<<r.shift < r.n+more {
		n := len(r.spare) - 1
		if n < 0 {
			r.blocks = append(r.blocks, make([]byte, r.size<<r.shift))
			continue
		}
		r.blocks, r.spare = append(r.blocks, r.spare[n]), r.spare[:n]
	}
}

// drop gives up the blocks in which all strings are before i. They are used again.
func (r *row) drop(i int) {
	for ; r.gone < i>>r.shift; r.gone++ {
		r.spare = append(r.spare, r.blocks[r.gone])
		r.blocks[r.gone] = nil
	}
}

// memory returns the bytes in use, and what one more string may add.
func (r *row) memory() (used, next int64) {
	block := int64(r.size) << r.shift
	if r.n == len(r.blocks)<<r.shift && len(r.spare) == 0 {
		next = block
	}
	return int64(len(r.blocks)-r.gone+len(r.spare)) * block, next
}
