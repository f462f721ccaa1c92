package explicit

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"runtime/debug"
	"sync/atomic"
)

// set is the visited set: packed states of one size, numbered from 0 in the
// order of their insertion, in chunks that never move, with a table in front of
// them. If there are many that are large, a tree has the states (tree.go). The table is
// open addressing over buckets of one cache line. An entry has the number of a state and
// a few bits of its hash, five bytes in all. So a table that grows hashes the states
// again; it never lives beside the old one.
//
// Threads may look states up at the same time, and claim slots for states that are
// not found, by compare-and-swap: Laarman, van de Pol, Weber, Boosting multi-core
// reachability performance with shared hash tables (FMCAD 2010). A claim becomes an
// entry when its state gets a number, see search.number.
type set struct {
	row
	tree    *tree      // nil: row has the states
	plants  int        // with so many states a tree is made, or made again; 0 is never
	own     treeCursor // for one thread
	parents ascending  // by state: one more than the number of the state it was first reached from; 0 for a start state
	table   []bucket
	sum     uint64 // of what was fetched
}

// bucket is a part of the table, filled from slot 0 on.
type bucket struct {
	// low is the low half of a state number. Where high is 0, it is 0 in an empty slot,
	// and one more than a candidate in a claimed one.
	low [bucketSlots]uint32
	// high has the upper bits of the state number and tagBits of the hash, not all 0. The
	// rest is for looking at eight slots at a time.
	high [16]uint8
}

const (
	bucketSlots = 12
	tagBits     = 6
	noParent    = -1
	maxStates   = 1<<(40-tagBits) - 1 // what numbers in a bucket allow
)

// Eight bytes at a time: the lowest bits, the highest bits, and the tags.
const (
	lowest  = 0x0101010101010101
	highest = 0x80 * lowest
	tags    = lowest * (1<<tagBits - 1)
	part    = 1<<(8*(bucketSlots-8)) - 1 // of the second eight bytes
)

// eight returns the highest bit of each slot with a state and this tag, and of the first
// slot that has no state. Slots behind one with the tag may be said to have it, too.
func (bu *bucket) eight(tag uint8, second bool) (same, free uint64) {
	w, in := binary.LittleEndian.Uint64(bu.high[:8]), uint64(highest)
	if second {
		w, in = binary.LittleEndian.Uint64(bu.high[8:]), highest&part
	}
	x := w&tags ^ uint64(tag)*lowest
	free = (w - lowest) & ^w & in
	free &= -free
	return (x - lowest) & ^x & in & (free - 1), free
}

func newSet(size int) *set {
	return &set{row: newRow(size), table: make([]bucket, 1<<9)}
}

// States of so many bytes are kept in a tree, once there are so many; those in which components are sorted from sortedState
// on, as they have more in common. It is made again, from a larger sample, when there are later times as many, until
// lastTree.
const (
	largeState  = 64
	sortedState = 24
	firstTree   = 1 << 16
	laterTree   = 8
	lastTree    = 1 << 19
)

// plant makes a tree of the states.
func (s *set) plant() {
	t := newTree(s.size, newShape(s.size, s.n, s.at))
	t.reserve(s.n)
	var c treeCursor
	for i := range s.n {
		t.enter(i, s.at(i), &c)
	}
	s.tree, s.blocks, s.own = t, nil, c
	for s.plants > 0 && s.plants <= s.n {
		if s.plants *= laterTree; s.plants > lastTree {
			s.plants = 0
		}
	}
}

// at returns state i, valid until the next call. It is for one thread.
func (s *set) at(i int) []byte { return s.read(i, &s.own) }

// read returns state i, valid until the cursor is moved; it must not be changed.
func (s *set) read(i int, c *treeCursor) []byte {
	if s.tree != nil {
		return c.load(s.tree, i)
	}
	return s.row.at(i)
}

// reserve makes room for more states, as far as their number goes.
func (s *set) reserve(more int) {
	if s.tree != nil {
		s.tree.reserve(s.n + more)
	} else {
		s.row.reserve(more)
	}
}

// parent returns the number of the state that i was first reached from, or noParent.
func (s *set) parent(i int) int { return s.parents.at(i) - 1 }

// memory returns the bytes in use, and what the next insertion may add.
func (s *set) memory() (used, next int64) {
	used, next = s.parents.memory()
	states, more := s.row.memory()
	if s.tree != nil {
		states, more = s.tree.memory(s.n)
	}
	used += states + 64*int64(len(s.table))
	next += more
	if s.full(1) {
		next += 64 * int64(s.grown()-len(s.table))
	}
	return used, next
}

// full reports whether the table must grow before more insertions.
func (s *set) full(more int) bool { return s.n+more > len(s.table)*bucketSlots/8*7 }

// grown returns the number of buckets of the next table: large ones grow slowly, and more so
// if the table takes much of the memory.
func (s *set) grown() int {
	switch n := len(s.table); {
	case s.tree != nil && n >= 1<<14:
		return n + n/4
	case n < 1<<17:
		return 2 * n
	default:
		return n + n/2
	}
}

// home returns the first bucket in which a state with hash h may be.
func (s *set) home(h uint64) int {
	k, _ := bits.Mul64(h, uint64(len(s.table)))
	return int(k)
}

// tagOf returns what a bucket has of a hash.
func tagOf(h uint64) uint8 {
	t := uint8(h) & (1<<tagBits - 1)
	if t == 0 {
		t = 1
	}
	return t
}

// find returns the number of state b, whose hash is h, or the slot in which to
// insert it. There must be no claims.
func (s *set) find(b []byte, h uint64) (i int, found bool, slot int) { return s.seek(b, h, &s.own) }

// seek is find for several threads.
func (s *set) seek(b []byte, h uint64, by *treeCursor) (i int, found bool, slot int) {
	k, tag := s.home(h), tagOf(h)
	for {
		i, j := s.look(&s.table[k], tag, b, by)
		if i >= 0 {
			return i, true, 0
		}
		if j < bucketSlots {
			return 0, false, k*bucketSlots + j
		}
		if k++; k == len(s.table) {
			k = 0
		}
	}
}

// look looks for state b in a bucket. It returns its number, or -1 and the first slot
// without a state.
func (s *set) look(q *bucket, tag uint8, b []byte, by *treeCursor) (i, j int) {
	for first := 0; first < bucketSlots; first += 8 {
		same, free := q.eight(tag, first > 0)
		for ; same != 0; same &= same - 1 {
			if i := q.number(first + bits.TrailingZeros64(same)/8); bytes.Equal(s.read(i, by), b) {
				return i, 0
			}
		}
		if free != 0 {
			return -1, first + bits.TrailingZeros64(free)/8
		}
	}
	return -1, bucketSlots
}

// number returns the number of the state in slot j.
func (bu *bucket) number(j int) int { return int(bu.high[j]>>tagBits)<<32 | int(bu.low[j]) }

// claim is find for several threads, if all slots claimed before are settled. Of equal states, which candidate(c)
// returns for those that claimed a slot, the least c keeps it.
func (s *set) claim(b []byte, h uint64, c uint32, candidate func(c uint32) []byte, by *treeCursor) (i int, found bool, slot int) {
	k, tag := s.home(h), tagOf(h)
	for {
		q := &s.table[k]
		i, j := s.look(q, tag, b, by)
		if i >= 0 {
			return i, true, 0
		}
		for ; j < bucketSlots; j++ {
			if q.claim(j, b, c, candidate) {
				return 0, false, k*bucketSlots + j
			}
		}
		if k++; k == len(s.table) {
			k = 0
		}
	}
}

// claim claims slot j, which holds no state, unless there is a candidate with another
// state.
func (bu *bucket) claim(j int, b []byte, c uint32, candidate func(c uint32) []byte) bool {
	for {
		switch old := atomic.LoadUint32(&bu.low[j]); {
		case old == 0:
			if atomic.CompareAndSwapUint32(&bu.low[j], 0, c+1) {
				return true
			}
		case !bytes.Equal(candidate(old-1), b):
			return false
		case old <= c+1 || atomic.CompareAndSwapUint32(&bu.low[j], old, c+1):
			return true
		}
	}
}

// owner returns the candidate that keeps a claimed slot.
func (s *set) owner(slot int) uint32 { return s.table[slot/bucketSlots].low[slot%bucketSlots] - 1 }

// settled returns the number of the state in a slot, unless it is claimed only.
func (s *set) settled(slot int) (i int, ok bool) {
	q, j := &s.table[slot/bucketSlots], slot%bucketSlots
	return q.number(j), q.high[j] != 0
}

// fetch has the processor fetch what find will look at for each of these hashes, all
// at once: the search waits for memory more than for anything else. The result keeps the
// compiler from leaving that out.
func (s *set) fetch(hashes []uint64) (sum uint64) {
	for _, h := range hashes {
		sum += uint64(s.table[s.home(h)].high[0])
	}
	if s.size > 0 {
		for _, h := range hashes {
			q, tag := &s.table[s.home(h)], tagOf(h)
			if same, _ := q.eight(tag, false); same != 0 {
				sum += s.touch(q.number(bits.TrailingZeros64(same) / 8))
			} else if same, _ := q.eight(tag, true); same != 0 {
				sum += s.touch(q.number(8 + bits.TrailingZeros64(same)/8))
			}
		}
	}
	return sum
}

// touch returns something of state i.
func (s *set) touch(i int) uint64 {
	if s.tree != nil {
		return s.tree.roots[i/treeBlock][i%treeBlock]
	}
	return uint64(s.row.at(i)[0])
}

// insert adds a state that find did not find, or for which a slot is claimed, and
// returns its number.
func (s *set) insert(b []byte, slot int, h uint64, parent int) int {
	if s.full(1) {
		s.grow()
		slot = s.free(h)
	}
	if s.plants > 0 && s.n >= s.plants {
		s.plant()
	}
	i := s.n
	s.reserve(1)
	s.put(i, b)
	s.n++
	s.parents.append(parent + 1)
	s.enter(slot, i, h)
	return i
}

// put makes b state i, for which there is room. It is for one thread.
func (s *set) put(i int, b []byte) {
	if s.tree != nil {
		s.tree.enter(i, b, &s.own)
	} else {
		copy(s.row.at(i), b)
	}
}

// place is insert for a state for which a slot is claimed, there is room and number i is
// reserved. Threads may place states at the same time. They count when n and parents are raised. If it returns false,
// the state is left to put.
func (s *set) place(i int, b []byte, slot int, h uint64, by *treeCursor) bool {
	s.enter(slot, i, h)
	if s.tree == nil {
		copy(s.row.at(i), b)
		return true
	}
	root, ok := by.enter(s.tree, b)
	s.tree.roots[i/treeBlock][i%treeBlock] = root
	return ok
}

// enter makes a slot the entry of state i.
func (s *set) enter(slot, i int, h uint64) {
	q, j := &s.table[slot/bucketSlots], slot%bucketSlots
	q.low[j] = uint32(i)
	q.high[j] = uint8(i>>32)<<tagBits | tagOf(h)
}

// free returns the slot for a state with hash h that is not in the table.
func (s *set) free(h uint64) int {
	for k := s.home(h); ; {
		for first := 0; first < bucketSlots; first += 8 {
			if _, free := s.table[k].eight(0, first > 0); free != 0 {
				return k*bucketSlots + first + bits.TrailingZeros64(free)/8
			}
		}
		if k++; k == len(s.table) {
			k = 0
		}
	}
}

// returned is how many bytes of an old table are worth a garbage collection at once.
const returned = 16 << 20

// grow makes a larger table of all states. The old one goes first.
func (s *set) grow() {
	n := s.grown()
	s.table = nil
	if 64*n > returned {
		debug.FreeOSMemory()
	}
	s.table = make([]bucket, n)
	hashes := make([]uint64, 0, fetched)
	for i := 0; i < s.n; {
		hashes = hashes[:min(fetched, s.n-i)]
		for k := range hashes {
			hashes[k] = hash(s.at(i + k))
		}
		sum := uint64(0)
		for _, h := range hashes {
			sum += uint64(s.table[s.home(h)].high[0])
		}
		s.sum += sum
		for _, h := range hashes {
			s.enter(s.free(h), i, h)
			i++
		}
	}
}

// mix is a cheap hash of two words: the folded 128-bit product.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xd1b54a32d192ed03)
	return hi ^ lo
}

func hash(b []byte) uint64 {
	h := uint64(len(b))
	for ; len(b) >= 8; b = b[8:] {
		h = mix(h, binary.LittleEndian.Uint64(b))
	}
	if len(b) > 0 {
		var w uint64
		for i, x := range b {
			w |= uint64(x) << (8 * i)
		}
		h = mix(h, w)
	}
	return mix(h, 0x2545f4914f6cdd1d)
}
