package explicit

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// treeStates returns different states in which a few words change at a time.
func treeStates(r *rand.Rand, size, n int) (states [][]byte) {
	known := make(map[string]bool)
	b := make([]byte, size)
	for len(states) < n {
		if b = slices.Clone(b); r.IntN(50) == 0 && len(states) > 0 {
			copy(b, states[r.IntN(len(states))])
		}
		for range 1 + r.IntN(3) {
			b[r.IntN(size)] = byte(r.IntN(4))
		}
		if !known[string(b)] {
			known[string(b)] = true
			states = append(states, b)
		}
	}
	return states
}

// TestTree: a tree returns what was entered, in any order, finds each state and no other, and equal parts are there
// once.
func TestTree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 30))
	for _, size := range []int{3, 8, 9, 33, 64, 130, 301} {
		states := treeStates(r, size, min(20_000, 1<<min(15, 2*size-1)))
		s := newSet(size)
		s.plants = 1 + r.IntN(1+len(states)/10)
		for i, b := range states {
			h := hash(b)
			_, found, slot := s.find(b, h)
			if found {
				t.Fatalf("%d bytes: state %d is found before it is there", size, i)
			}
			used, next := s.memory()
			if s.insert(b, slot, h, i-1) != i {
				t.Fatal("another number")
			}
			if now, _ := s.memory(); now > used+next && s.tree != nil && s.n-1 != s.plants/laterTree {
				t.Fatalf("%d bytes: memory grew from %d to %d, announced %d", size, used, now, next)
			}
		}
		var c treeCursor
		for range 2 * len(states) {
			i := r.IntN(len(states))
			if !bytes.Equal(s.at(i), states[i]) || !bytes.Equal(s.read(i, &c), states[i]) {
				t.Fatalf("%d bytes: state %d is %x, want %x", size, i, s.at(i), states[i])
			}
			if k, found, _ := s.find(states[i], hash(states[i])); !found || k != i {
				t.Fatalf("%d bytes: state %d is found as %d, %v", size, i, k, found)
			}
			other := slices.Clone(states[i])
			other[r.IntN(size)] ^= 0x80
			if k, found, _ := s.find(other, hash(other)); found {
				t.Fatalf("%d bytes: a state that is not there is found as %d", size, k)
			}
		}
		if s.tree == nil || s.blocks != nil {
			t.Fatalf("%d bytes: the states are in rows", size)
		}
		known := make(map[uint64]bool)
		for i := range s.tree.count() {
			p := s.tree.part(uint32(i))
			if known[p] {
				t.Fatalf("%d bytes: a pair is there twice", size)
			}
			known[p] = true
		}
	}
}

// TestTreeTogether: states that several threads enter at a time are there, equal pairs are there once, and the memory is
// what one thread needs.
func TestTreeTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 30))
	for round := range 20 {
		size := 20 + r.IntN(100)
		states := treeStates(r, size, 6000)
		shape := newShape(size, 100, func(i int) []byte { return states[i] })
		alone, both := newTree(size, shape), newTree(size, shape)
		alone.reserve(len(states))
		both.reserve(len(states))
		var c treeCursor
		cursors := make([]treeCursor, 4)
		for at := 0; at < len(states); at += 500 {
			some := states[at : at+500]
			for i, b := range some {
				alone.enter(at+i, b, &c)
			}
			left := make([][]int, len(cursors))
			for w := range cursors {
				both.lend(&cursors[w])
			}
			var group sync.WaitGroup
			for w := range cursors {
				group.Go(func() {
					for i := range some { // they want the same pairs
						root, ok := cursors[w].enter(both, some[i])
						if i%len(cursors) != w {
							continue
						}
						if both.roots[(at+i)/treeBlock][(at+i)%treeBlock] = root; !ok {
							left[w] = append(left[w], at+i)
						}
					}
				})
			}
			group.Wait()
			for w := range cursors {
				both.regain(&cursors[w])
			}
			for w := range cursors {
				for _, i := range left[w] {
					both.enter(i, states[i], &c)
				}
			}
			if a, b := alone.count(), both.count(); a != b {
				t.Fatalf("round %d, %d states: %d pairs, one thread has %d", round, at, b, a)
			}
			a, more := alone.memory(at + 500)
			if b, next := both.memory(at + 500); a != b || more != next {
				t.Fatalf("round %d, %d states: %d bytes and %d more, one thread has %d and %d", round, at, b, next, a, more)
			}
		}
		for i := range states {
			if !bytes.Equal(c.load(both, i), states[i]) {
				t.Fatalf("round %d: state %d is %x", round, i, c.load(both, i))
			}
		}
		spare := make(map[uint32]bool)
		for _, i := range both.spare {
			spare[i] = true
		}
		known := make(map[uint64]bool)
		for i := range both.used.Load() {
			if p := both.part(i); !spare[i] {
				if known[p] {
					t.Fatalf("round %d: a pair is there twice", round)
				}
				known[p] = true
			}
		}
	}
}

// TestShape: the words of a state are all there once, and words that change together are put together before
// others.
func TestShape(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 30))
	for _, words := range []int{12, mostGroups + 12} {
		at := func(i int) []byte {
			b := make([]byte, 4*words) // words 0 and 7 change together, and so do 3 and 11; others on their own
			b[0], b[28] = byte(i%10), byte(i%10)
			b[12], b[44] = byte(i/10%10), byte(i/10%10)
			b[20] = byte(r.IntN(100))
			for k := 48; k < len(b); k++ {
				b[k] = byte(r.IntN(100))
			}
			return b
		}
		s := newShape(4*words, 16*1000, at)
		if len(s.splits) != words-1 {
			t.Fatalf("%d splits of %d words", len(s.splits), words)
		}
		seen := make(map[int32]int)
		for k, halves := range s.splits {
			for _, h := range halves {
				if h >= int32(k) {
					t.Errorf("split %d has %d", k, h)
				}
				seen[h]++
				if h < 0 && s.holds[^h] != int32(k) || h >= 0 && s.above[h] != int32(k) {
					t.Errorf("split %d is not above %d", k, h)
				}
			}
		}
		if len(seen) != 2*words-2 {
			t.Errorf("%d halves, want %d different ones", len(seen), 2*words-2)
		}
		if words <= mostGroups && (s.holds[0] != s.holds[7] || s.holds[3] != s.holds[11]) {
			t.Errorf("words that change together are apart: %v", s.splits)
		}
	}
}

// TestRow: blocks that are given up are used again, and nothing else is written.
func TestRow(t *testing.T) {
	r := newRow(blockSize / 2)
	fill := func(i int) []byte { return bytes.Repeat([]byte{byte(i)}, r.size) }
	for i := range 40 {
		if got := r.append(fill(i)); got != i {
			t.Fatalf("string %d has number %d", i, got)
		}
		from := max(0, i-5)
		r.drop(from)
		for k := from; k <= i; k++ {
			if !bytes.Equal(r.at(k), fill(k)) {
				t.Fatalf("string %d is not what was appended, after %d", k, i)
			}
		}
	}
	if used, _ := r.memory(); used > 5*blockSize {
		t.Errorf("%d bytes are in use for the last six strings", used)
	}
}
