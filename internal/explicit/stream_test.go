package explicit

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestStream: a stream reads what was written. Its bytes do not depend on when it was written, a changed byte is noticed,
// and states that are alike take little room.
func TestStream(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 91))
		size, n := r.IntN(300), 1+r.IntN(12000)
		states, parents := make([][]byte, n), make([]int, n)
		for i := range states {
			states[i], parents[i] = make([]byte, size), noParent
			if i > 0 {
				copy(states[i], states[i-1])
				parents[i] = parents[i-1] + r.IntN(min(4, i-parents[i-1]))
			}
			for range r.IntN(1 + min(size, 8)) {
				states[i][r.IntN(size)] = byte(r.IntN(256))
			}
		}
		at, parent := func(i int) []byte { return states[i] }, func(i int) int { return parents[i] }
		write := func() (text bytes.Buffer, x *stream) {
			x = &stream{coder: coder{state: make([]byte, size), parent: noParent}, w: &text}
			for x.n < n {
				if err := x.save(min(n, x.n+1+r.IntN(n)), at, parent); err != nil || x.bytes != int64(text.Len()) {
					t.Fatalf("seed %d: %d of %d bytes, %v", seed, x.bytes, text.Len(), err)
				}
			}
			return text, x
		}
		text, x := write()
		if again, y := write(); !bytes.Equal(text.Bytes(), again.Bytes()) || !bytes.Equal(x.rest, y.rest) || x.sum != y.sum {
			t.Fatalf("seed %d: another stream of the same states", seed)
		}
		read := func(text, rest []byte) (right bool, sum uint32, err error) {
			y := &stream{coder: coder{state: make([]byte, size), parent: noParent}}
			right, i := true, 0
			err = y.read(n, bytes.NewReader(text), rest, func() error {
				right = right && bytes.Equal(y.state, states[i]) && y.parent == parents[i]
				i++
				return nil
			})
			return right && i == n, y.sum, err
		}
		if right, sum, err := read(text.Bytes(), x.rest); err != nil || !right || sum != x.sum {
			t.Fatalf("seed %d: %v, sum %x of %x, %v", seed, right, sum, x.sum, err)
		}
		for range 20 {
			bad, rest := bytes.Clone(text.Bytes()), bytes.Clone(x.rest)
			if k := r.IntN(len(bad) + len(rest)); k < len(bad) {
				bad[k] ^= byte(1 + r.IntN(255))
			} else {
				rest[k-len(bad)] ^= byte(1 + r.IntN(255))
			}
			if right, sum, err := read(bad, rest); err == nil && sum == x.sum && !right {
				t.Fatalf("seed %d: a changed byte is not noticed", seed)
			}
		}
		if size > 100 && n > 2*streamBlock && text.Len() > 20*n {
			t.Errorf("seed %d: %d bytes for %d states of %d", seed, text.Len(), n, size)
		}
	}
}
