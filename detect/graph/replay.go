package graph

// The right side of the pair of ordered partitions (Darga, Sakallah, Markov,
// “Faster symmetry discovery using sparsity of symmetries”, DAC 2008), refined
// against the trace of the left side. A splitter that sees another multiset of
// neighbours than on the left ends the attempt at once (conflict anticipation:
// Katebi, Sakallah, Markov, SAT 2012). So both sides always have the same cells,
// and one array of cell sizes serves both. The left cell at [p, q) is the set of
// vertices at these positions at the end of the first path, since later splits
// only reorder vertices within the cell.

// deviation is where and how a replay left the trace; it depends on the right
// partition up to isomorphism only. The zero value means it did not.
type deviation struct {
	step int32 // 1 + steps of the level that agreed
	hash uint64
}

// descend individualises v in the target cell of level j on the right side and
// replays the refinement of the level. On a deviation the right side is as before,
// up to order within cells.
func (s *search) descend(j int, v int32) deviation {
	l := &s.levels[j]
	s.stats.Nodes++
	s.individualise(v, l.target)
	begin := s.stepsBefore(j)
	k := s.splitsBefore(j) + 1
	for n, st := range s.trace[begin:l.steps] {
		hash := s.look(st.splitter)
		if hash == st.hash {
			k = s.replay(k, st.end)
		}
		s.forget()
		if hash != st.hash || k < st.end {
			s.undo(k, s.splitsBefore(j))
			s.stats.BadNodes++
			return deviation{int32(n) + 1, hash}
		}
	}
	return deviation{}
}

// replay makes the recorded splits k..end-1 and returns end, or the first of them
// that cannot be made because two multisets had the same hash.
func (s *search) replay(k, end int32) int32 {
	for k < end {
		d := s.splits[k].from
		for _, at := range s.fragments(d) {
			if k == end || s.splits[k] != (split{d, at}) {
				return k
			}
			s.cut(d, at)
			k++
		}
		if k < end && s.splits[k].from == d {
			return k
		}
	}
	return k
}

// undo joins the cells that splits to..from-1 made, last first.
func (s *search) undo(from, to int32) {
	for k := from - 1; k >= to; k-- {
		s.join(s.splits[k])
	}
}
