package explicit

import (
	"context"
	"sync"
	"sync/atomic"

	"orbitmc/model"
)

// This file expands a layer in rounds of many chunks. Several workers share the chunks of a
// round. They expand them, look up the successors in the set or claim slots for them, evaluate
// the properties in the new states, and number these (number.go). If a round has a finding, or
// there is one worker, the chunks are committed in order instead. Numbers follow the least pair
// of a predecessor and a rule instance either way. So numbers, parents and findings do not
// depend on the number of workers.

// Chunks have as many states as suits the cache, whatever the number of workers: where a
// search runs out of memory depends on it.
const (
	chunkStates = 64
	chunkBytes  = 1 << 16
)

// fetched is how many states are looked up together.
const fetched = 256

// Rounds are long, so that the workers seldom wait for each other.
const (
	roundChunks = 32      // by worker, at most
	roundBytes  = 1 << 24 // of successors, about
)

// begin returns chunk k of a round, to be filled from state number first on.
func (s *search) begin(k, first int) *chunk {
	for len(s.chunks) <= k {
		s.chunks = append(s.chunks, new(chunk))
	}
	s.chunks[k].reset(first)
	return s.chunks[k]
}

// round expands some of the states that are left of the layer.
func (s *search) round(ctx context.Context) {
	if s.ordered {
		s.sets = append(s.sets, make([]int32, s.hi-len(s.sets))...)
	}
	span := s.span
	n := min(s.together(), (s.hi-s.next+span-1)/span)
	for k := range n {
		s.begin(k, s.next+k*span)
	}
	s.share(n, func(w *worker, k int) {
		w.out = s.chunks[k]
		if w.out.err = ctx.Err(); w.out.err == nil {
			w.out.err = w.expandAll(min(w.out.first+span, s.hi))
		}
	})
	chunks := s.chunks[:n]
	if len(s.workers) > 1 && n > 1 && s.disk == nil {
		s.lookUp(chunks)
		if s.number(chunks) {
			return
		}
	}
	for _, c := range chunks {
		s.heaviest = max(s.heaviest, len(c.states))
		if s.reason == "" && c.err != nil {
			s.stop(c.err)
		}
		if s.reason != "" {
			return
		}
		if s.commit(c); s.reason == "" {
			s.next = c.first + len(c.ends)
			s.walks(ctx)
		}
	}
}

// together returns how many chunks a round may have.
func (s *search) together() int {
	if len(s.workers) == 1 {
		return 1
	}
	return max(len(s.workers), min(roundChunks*len(s.workers), roundBytes/max(1, s.heaviest)))
}

// share lets the workers do n things. The first worker has a core.
func (s *search) share(n int, do func(w *worker, k int)) {
	var next atomic.Int64
	work := func(w *worker) {
		for k := next.Add(1) - 1; k < int64(n); k = next.Add(1) - 1 {
			do(w, int(k))
			s.opt.Cores.Pass(s.ctx, false)
		}
	}
	var group sync.WaitGroup
	var crash atomic.Value
	for _, w := range s.workers[1:max(1, min(n, len(s.workers)))] {
		group.Add(1)
		go func() {
			defer group.Done()
			defer func() {
				if v := recover(); v != nil {
					crash.CompareAndSwap(nil, panicked{v})
				}
			}()
			s.opt.Cores.Take(s.ctx, false)
			defer s.opt.Cores.Give()
			work(w)
		}()
	}
	work(s.worker)
	s.opt.Cores.Give()
	group.Wait()
	s.opt.Cores.Take(s.ctx, false)
	if v, ok := crash.Load().(panicked); ok {
		panic(v.value)
	}
}

// panicked is what a worker panicked with.
type panicked struct{ value any }

// A candidate is a successor of a chunk of a round: the number of the chunk and that of
// the successor in one.
const candidateBits = 20

// lookUp looks up the successors in all chunks of a round, and evaluates the properties in
// the new states. It leaves this to commit if the table may have to grow soon.
func (s *search) lookUp(chunks []*chunk) {
	total := 0
	for _, c := range chunks {
		if total += len(c.hashes); len(c.hashes) >= 1<<candidateBits {
			return
		}
	}
	if s.set.full(total) || len(chunks) >= 1<<(32-candidateBits) {
		return
	}
	key := func(c uint32) []byte { return s.key(chunks[c>>candidateBits], int(c&(1<<candidateBits-1))) }
	s.share(len(chunks), func(w *worker, at int) {
		c := chunks[at]
		for k, h := range c.hashes {
			if k%fetched == 0 {
				w.sum += s.set.fetch(c.hashes[k:min(k+fetched, len(c.hashes))])
			}
			i, known, slot := s.set.claim(s.key(c, k), h, uint32(at<<candidateBits|k), key, &w.look)
			if !known {
				i = ^slot
			}
			c.places = append(c.places, i)
		}
	})
	s.share(len(chunks), func(w *worker, at int) {
		c := chunks[at]
		for k, i := range c.places {
			if i < 0 && s.set.owner(^i) == uint32(at<<candidateBits|k) {
				c.fresh = append(c.fresh, k)
				w.check(c, k, func(v *model.Violation) {
					if f := (finding{Depth: s.depth + 1, Violation: v, From: never}); s.news(f) {
						c.checked = append(c.checked, noted{k, f})
					}
				})
			}
		}
	})
}
