package graph

import "slices"

// Early automorphisms (Katebi, Sakallah, Markov, SAT 2010: matching
// ordered-partition pairs). A vertex is off if its left cell differs from its
// right cell. While the right side goes down, the set of vertices that are off is
// kept up to date, at the cost of the vertices that splits moved. Vertices of
// singleton cells have their images. If no other vertex is off, the identity on
// the rest completes the images to an automorphism.
//
// If other vertices are off, but each is the image of a vertex whose own image is
// settled, then sending each back to that vertex is tried: a block that goes to
// another block usually comes back by the inverse. Only this guess needs the
// check, which looks at the neighbourhoods of moved vertices only. Every
// automorphism is checked all the same, since traces are compared by hashes.

// settled reports whether the cell c of state j needs no further choice.
func (s *search) settled(c int32, j int) bool { return s.size[c] == 1 || s.whole[c] <= int32(j) }

// States of a vertex in search.off.
const (
	matched = iota // in the same cell on both sides
	placed         // off, and its left cell is settled
	back           // off, and only its right cell is settled
	open           // off, and neither of its cells is settled
)

func (s *search) leftCell(v int32) int32 { return s.cellOf[s.lab[s.leftPos[v]]] }

// compare brings the set of vertices that are off up to date after the splits
// of level j.
func (s *search) compare(j int) {
	l := &s.levels[j]
	for _, sp := range s.splits[s.splitsBefore(j):l.splits] {
		s.compareCell(sp.at, j+1)
		if s.size[sp.from] == 1 {
			s.compareCell(sp.from, j+1)
		}
	}
	for _, c := range s.wholes[s.wholesBefore(j):l.wholes] {
		s.compareCell(c, j+1)
	}
}

func (s *search) compareCell(c int32, j int) {
	for p := c; p < c+s.size[c]; p++ {
		v, w := s.left[p], s.lab[p]
		s.classify(w, s.leftCell(w), c, j)
		if v != w {
			s.classify(v, c, s.cellOf[v], j)
		}
	}
}

// classify notes that v is in the cells left and right of state j.
func (s *search) classify(v, left, right int32, j int) {
	now := uint8(matched)
	if left != right {
		switch {
		case s.settled(left, j):
			now = placed
		case s.settled(right, j):
			now = back
		default:
			now = open
		}
	}
	if old := s.off[v]; old != now {
		s.log = append(s.log, change{v, old})
		s.setOff(v, now)
	}
}

// change is an entry of the undo log of search.off.
type change struct {
	v   int32
	old uint8
}

func (s *search) setOff(v int32, now uint8) {
	old := s.off[v]
	s.off[v] = now
	s.offs[old]--
	s.offs[now]++
	switch {
	case old == matched:
		s.offAt[v] = int32(len(s.offList))
		s.offList = append(s.offList, v)
	case now == matched:
		k, last := s.offAt[v], s.offList[len(s.offList)-1]
		s.offList[k], s.offAt[last] = last, k
		s.offList = s.offList[:len(s.offList)-1]
	}
}

// unlog takes back the changes of search.off down to length n of the log.
func (s *search) unlog(n int) {
	for len(s.log) > n {
		c := s.log[len(s.log)-1]
		s.log = s.log[:len(s.log)-1]
		s.setOff(c.v, c.old)
	}
}

const none = -1

// complete tries to complete the pair of state j to an automorphism and
// returns it.
func (s *search) complete(j int) (Perm, bool) {
	s.edges += int64(len(s.offList))
	ok := s.guess() && s.preserves()
	var p Perm
	if ok {
		p.Moved = slices.Clone(s.offList)
		slices.Sort(p.Moved)
		p.Image = make([]int32, len(p.Moved))
		for k, v := range p.Moved {
			p.Image[k] = s.image[v]
		}
	}
	for _, v := range s.offList {
		if s.image[v] != none {
			s.inverse[s.image[v]] = none
			s.image[v] = none
		}
	}
	return p, ok
}

func (s *search) assign(v, w int32) {
	s.image[v] = w
	s.inverse[w] = v
}

// guess fills image and inverse for all vertices that are off; the others are
// taken to be fixed.
func (s *search) guess() bool {
	for _, v := range s.offList {
		if s.off[v] != placed || s.image[v] != none {
			continue
		}
		c := s.leftCell(v)
		if s.size[c] == 1 {
			s.assign(v, s.lab[c])
			continue
		}
		// Any bijection will do between what only the left and what only the
		// right cell holds.
		q := c
		for _, v := range s.left[c : c+s.size[c]] {
			if s.cellOf[v] == c {
				continue
			}
			for s.leftCell(s.lab[q]) == c {
				q++
			}
			s.assign(v, s.lab[q])
			q++
		}
	}
	if s.offs[back] == 0 && s.offs[open] == 0 {
		return true
	}
	s.fresh = s.fresh[:0]
	for _, v := range s.offList {
		if s.off[v] != back {
			continue
		}
		w := s.inverse[v]
		if w == none || s.cellOf[w] != s.leftCell(v) {
			return false
		}
		s.assign(v, w)
		s.fresh = append(s.fresh, v)
	}
	return s.offs[open] == 0 || s.follow()
}

// preserves checks that image maps the edges at moved vertices to edges. As image
// is a bijection that keeps degrees, no more is needed.
func (s *search) preserves() bool {
	offset, adj := s.g.offset, s.g.adj
	for _, v := range s.offList {
		w := s.image[v]
		from, to := adj[offset[v]:offset[v+1]], adj[offset[w]:offset[w+1]]
		if len(from) != len(to) || s.g.colour[v] != s.g.colour[w] {
			return false
		}
		s.edges += int64(len(from) + len(to))
		stamp := s.nextStamp()
		for _, u := range to {
			s.stamped[u] = stamp
		}
		for _, u := range from {
			if s.image[u] != none {
				u = s.image[u]
			}
			if s.stamped[u] != stamp {
				return false
			}
		}
	}
	return true
}
