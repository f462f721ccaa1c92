package explicit

import "math"

// number does what commit does for all chunks of a round, by all workers. A chunk has as many new
// states as it has candidates that keep their slots; the sum of these over the chunks before it says
// where its numbers begin. So the numbers are those that one worker gives. If anything was found in
// the round, a limit may be met, or random walks are due, it does nothing and returns false.
func (s *search) number(chunks []*chunk) bool {
	if !s.frontier || s.ctl != nil || s.compact != nil {
		return false
	}
	fresh, fired := 0, s.fired
	for _, c := range chunks {
		if c.err != nil || len(c.found)+len(c.checked) > 0 || len(c.places) < len(c.hashes) {
			return false
		}
		c.number = s.set.n + fresh
		fresh += len(c.fresh)
		fired += c.fired
	}
	if s.walksDue(fired) {
		return false
	}
	if p := s.set.plants; p > 0 && s.set.n+fresh >= p || s.set.tree != nil && s.set.tree.full() {
		return false
	}
	if s.set.n+fresh > min(maxStates, math.MaxUint32) || s.opt.MemLimit > 0 && s.memoryWith(fresh) > s.opt.MemLimit {
		return false
	}
	s.set.reserve(fresh)
	s.place(chunks)
	for _, c := range chunks {
		n := 0
		for _, k := range c.fresh {
			for c.ends[n] <= k {
				n++
			}
			s.set.parents.append(c.first + n + 1)
		}
	}
	s.set.n += fresh
	if s.steps != nil {
		s.share(len(chunks), func(w *worker, at int) {
			for k, i := range chunks[at].places {
				if i < 0 {
					chunks[at].places[k], _ = s.set.settled(^i)
				}
			}
		})
	}
	for _, c := range chunks {
		s.edges(c)
		s.heaviest = max(s.heaviest, len(c.states))
		s.expanded += int64(len(c.ends))
		s.fired += c.fired
		s.next = c.first + len(c.ends)
	}
	return true
}

// place puts the new states of chunks into the set.
func (s *search) place(chunks []*chunk) {
	t := s.set.tree
	for _, w := range s.workers {
		if t != nil {
			t.lend(&w.look)
		}
	}
	s.share(len(chunks), func(w *worker, at int) {
		c := chunks[at]
		for i, k := range c.fresh {
			if !s.set.place(c.number+i, s.key(c, k), ^c.places[k], c.hashes[k], &w.look) {
				c.left = append(c.left, i)
			}
		}
	})
	if t == nil {
		return
	}
	for _, w := range s.workers {
		t.regain(&w.look)
	}
	for _, c := range chunks {
		for _, i := range c.left {
			s.set.put(c.number+i, s.key(c, c.fresh[i]))
		}
	}
}

// edges notes where the steps of a chunk lead, all of which have numbers.
func (s *search) edges(c *chunk) {
	if s.steps == nil {
		return
	}
	k := 0
	for n, end := range c.ends {
		for ; k < end; k++ {
			s.edge(c, k, c.first+n, c.places[k])
		}
		s.edgesEnd(c.first+n, c.still[n])
	}
}

// edgesEnd notes that all steps of a state are noted, and tells the watch now and then. still says that a
// step leads from it to itself.
func (s *search) edgesEnd(from int, still bool) {
	if s.ctl != nil {
		s.ctl.ends(from, still)
	}
	if s.steps == nil {
		return
	}
	s.steps.Ends = append(s.steps.Ends, uint32(len(s.steps.Targets)))
	if len(s.steps.Ends) == watched {
		s.flush(from + 1)
	}
}

// memoryWith returns the bytes in use with some more states, or a few more.
func (s *search) memoryWith(more int) int64 {
	used, next := s.memory()
	if t := s.set.tree; t != nil {
		return used + next + int64(more)*int64(9+24*len(t.splits)) + 2*blockSize
	}
	return used + next + int64(more)*int64(s.set.size+1) + 2*blockSize
}
