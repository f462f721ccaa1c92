package explicit

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"

	"orbitmc/mc/evidence"
)

// This file keeps large states as a tree table: Blom, Lisser, van de Pol, Weber, A database approach to distributed
// state space generation (2007); Laarman, van de Pol, Weber, Parallel recursive state compression for free (SPIN
// 2011). A state is cut into words, which are put together in pairs, and pairs of pairs, up to one root. Equal pairs
// are stored once. Most of a large state is as in many others, so what is left of it is little more than its root,
// eight bytes.
//
// The order in which words are put together comes from the states that are known (shape.go). Roots are in the order
// of states, as a row is, and the table in front of them is that of set. The table of the other pairs is apart: its
// slots have numbers of pairs, so that it can grow. The quotiented roots of Laarman (Optimal compression of
// combinatorial state spaces, 2019) would save four bytes a state, but they move when the table grows, and here a
// number names a state for good.
//
// Threads may enter states at the same time. A new pair gets a number, and then a slot, by compare-and-swap; if another
// thread was faster, the number is spared for the next pair. Numbers of pairs depend on who wins, so they appear in no
// output. How many pairs there are does not: those of different splits are told apart by a salt. (If two fall together
// in spite of it, in a billion pairs with a probability of a few percent, one is spared and nothing is lost.)

// tree is a list of states. Equal parts of states have equal numbers.
type tree struct {
	*shape
	size  int
	roots [][]uint64 // by state, in blocks of evidence.TreeBlock
	parts [][]uint64 // by number, in such blocks
	used  atomic.Uint32
	spare []uint32 // numbers below used that no pair has
	index []uint32 // hash table: one more than the number of a pair; 0 is free
}

const (
	treeBlock = evidence.TreeBlock
	fewParts  = 1 << 10
	maxParts  = 1<<32 - 2 // numbers of pairs are below
)

func newTree(size int, s *shape) *tree {
	return &tree{shape: s, size: size, index: make([]uint32, fewParts)}
}

// part returns the pair with a number.
func (t *tree) part(i uint32) uint64 { return t.parts[i/treeBlock][i%treeBlock] }

// count returns how many pairs there are besides roots.
func (t *tree) count() int { return int(t.used.Load()) - len(t.spare) }

// reserve makes room for the roots of n states.
func (t *tree) reserve(n int) {
	for len(t.roots)*treeBlock < n {
		t.roots = append(t.roots, make([]uint64, treeBlock))
	}
}

// room returns how many pairs there can be before grow must make room.
func (t *tree) room() int { return min(len(t.index)/5*4, len(t.parts)*treeBlock) }

// grow makes room for more pairs.
func (t *tree) grow() {
	n := t.count()
	if n >= len(t.parts)*treeBlock {
		t.parts = append(t.parts, make([]uint64, treeBlock))
	}
	if n < len(t.index)/5*4 {
		return
	}
	size := grownIndex(len(t.index))
	t.index = nil
	t.index = make([]uint32, size)
	for i := range t.used.Load() { // none is spare then
		k := t.home(t.part(i))
		for t.index[k] != 0 {
			k = t.after(k)
		}
		t.index[k] = i + 1
	}
}

// grownIndex returns the slots after a table of n.
func grownIndex(n int) int {
	if n < 1<<16 {
		return 2 * n
	}
	return n + n/4
}

// home returns the first slot in which a pair may be.
func (t *tree) home(pair uint64) int {
	k, _ := bits.Mul64(mix(pair, 0), uint64(len(t.index)))
	return int(k)
}

func (t *tree) after(k int) int {
	if k++; k == len(t.index) {
		return 0
	}
	return k
}

// memory returns the bytes in use, and what one more state, number n, may add.
func (t *tree) memory(n int) (used, next int64) {
	used = 8*treeBlock*int64(len(t.roots)+len(t.parts)) + 4*int64(len(t.index))
	if n == len(t.roots)*treeBlock {
		next = 8 * treeBlock
	}
	if pairs := t.count() + len(t.splits); pairs > t.room() {
		next += 8 * treeBlock * int64(pairs/treeBlock+1-len(t.parts))
		for size := len(t.index); pairs > size/5*4; {
			grown := grownIndex(size)
			next += 4 * int64(grown-size)
			size = grown
		}
	}
	return used, next
}

// full reports whether numbers may not do for one more state.
func (t *tree) full() bool { return t.count()+len(t.splits) > maxParts }

// treeCursor goes from state to state of a tree, for one thread. It looks only at parts that are not as in the state
// before.
type treeCursor struct {
	of    *tree
	parts []uint32 // by split: its number in the state at hand
	state []byte   // packed, up to the end of the last word
	dirty []uint64 // bits by split: it is not known
	spare []uint32 // at most one: see tree
}

// use lets the cursor go over to t, if it is at another tree.
func (c *treeCursor) use(t *tree) {
	if c.of == t {
		return
	}
	n := len(t.splits)
	*c = treeCursor{of: t, parts: make([]uint32, n), state: make([]byte, 4*(n+1)), dirty: make([]uint64, (n+63)/64)}
	c.forget()
}

// forget makes all splits unknown.
func (c *treeCursor) forget() {
	for i := range c.parts {
		c.parts[i] = maxParts
		c.dirty[i/64] |= 1 << (i % 64)
	}
}

// load goes to state i of t and returns it, valid until the next call.
func (c *treeCursor) load(t *tree, i int) []byte {
	c.use(t)
	c.put(len(t.splits)-1, t.roots[i/treeBlock][i%treeBlock])
	return c.state[:t.size:t.size]
}

// put makes the pair of split k part of the state at hand.
func (c *treeCursor) put(k int, pair uint64) {
	halves := &c.of.splits[k]
	c.dirty[k/64] &^= 1 << (k % 64)
	c.half(halves[0], uint32(pair>>32))
	c.half(halves[1], uint32(pair))
}

func (c *treeCursor) half(k int32, x uint32) {
	switch {
	case k < 0:
		binary.LittleEndian.PutUint32(c.state[4*^k:], x)
	case c.parts[k] != x:
		c.parts[k] = x
		c.put(int(k), c.of.part(x)^c.of.salts[k])
	}
}

// enter goes to state b, whose parts it adds to t where they are new, and returns the root. ok is false if there is no
// room for them. Threads may do this at the same time.
func (c *treeCursor) enter(t *tree, b []byte) (root uint64, ok bool) {
	c.use(t)
	c.differ(b)
	last := len(t.splits) - 1
	for k := range c.dirty {
		for c.dirty[k] != 0 {
			i := 64*k + bits.TrailingZeros64(c.dirty[k])
			c.dirty[k] &= c.dirty[k] - 1
			if i == last {
				break
			}
			x, ok := c.intern(c.pair(i) ^ t.salts[i])
			if !ok {
				c.forget()
				return 0, false
			}
			if c.parts[i] != x {
				c.parts[i] = x
				c.soil(t.above[i])
			}
		}
	}
	return c.pair(last), true
}

// soil makes a split one that is not known.
func (c *treeCursor) soil(k int32) { c.dirty[k/64] |= 1 << (k % 64) }

// differ makes b the state at hand, and those splits unknown that have a word that is not as before.
func (c *treeCursor) differ(b []byte) {
	at := 0
	for ; at+8 <= len(b); at += 8 {
		x := binary.LittleEndian.Uint64(b[at:])
		if flip := x ^ binary.LittleEndian.Uint64(c.state[at:]); flip != 0 {
			binary.LittleEndian.PutUint64(c.state[at:], x)
			if uint32(flip) != 0 {
				c.soil(c.of.holds[at/4])
			}
			if flip>>32 != 0 {
				c.soil(c.of.holds[at/4+1])
			}
		}
	}
	for ; at < len(b); at++ {
		if b[at] != c.state[at] {
			c.state[at] = b[at]
			c.soil(c.of.holds[at/4])
		}
	}
}

// pair returns the pair of a split in the state at hand.
func (c *treeCursor) pair(k int) (pair uint64) {
	for _, half := range c.of.splits[k] {
		x := uint32(0)
		if half < 0 {
			x = binary.LittleEndian.Uint32(c.state[4*^half:])
		} else {
			x = c.parts[half]
		}
		pair = pair<<32 | uint64(x)
	}
	return pair
}

// intern returns the number of a pair. ok is false if it is new and there is no room for it.
func (c *treeCursor) intern(pair uint64) (i uint32, ok bool) {
	t := c.of
	for k := t.home(pair); ; {
		x := atomic.LoadUint32(&t.index[k])
		switch {
		case x != 0 && t.part(x-1) == pair:
			return x - 1, true
		case x != 0:
			k = t.after(k)
		case !c.draw():
			return 0, false
		default:
			i := c.spare[0]
			t.parts[i/treeBlock][i%treeBlock] = pair
			if atomic.CompareAndSwapUint32(&t.index[k], 0, i+1) {
				c.spare = c.spare[:0]
				return i, true
			}
		}
	}
}

// draw makes sure that there is a number to spare.
func (c *treeCursor) draw() bool {
	if len(c.spare) > 0 {
		return true
	}
	i := c.of.used.Add(1) - 1
	if int(i) >= c.of.room() {
		c.of.used.Add(^uint32(0))
		return false
	}
	c.spare = append(c.spare, i)
	return true
}

// lend gives the cursor a number that no pair has, if there is one.
func (t *tree) lend(c *treeCursor) {
	c.use(t)
	if n := len(t.spare); n > 0 && len(c.spare) == 0 {
		c.spare = append(c.spare, t.spare[n-1])
		t.spare = t.spare[:n-1]
	}
}

// regain takes back a number that the cursor did not need.
func (t *tree) regain(c *treeCursor) {
	if c.of == t {
		t.spare = append(t.spare, c.spare...)
		c.spare = c.spare[:0]
	}
}

// enter makes b state i, for whose root there is room. It is for one thread.
func (t *tree) enter(i int, b []byte, c *treeCursor) {
	for {
		t.lend(c)
		root, ok := c.enter(t, b)
		t.regain(c)
		if ok {
			t.roots[i/treeBlock][i%treeBlock] = root
			return
		}
		t.grow()
	}
}

// now returns the states that are there now, to be read. It stays as it is when there are more.
func (t *tree) now() *tree {
	return &tree{shape: t.shape, size: t.size, roots: t.roots, parts: t.parts}
}

func (t *tree) evidence() *evidence.Tree {
	return &evidence.Tree{Size: t.size, Splits: t.splits, Salts: t.salts, Roots: t.roots, Parts: t.parts}
}
