package graph

import "slices"

// Completion along edges guesses at once what the search would settle level by
// level. Suppose row r of a matrix goes to row s. Refinement then knows that the
// cells of row r go to those of row s, but not which cell to which: that depends
// on the columns, and fixing one column after the other costs a level for each.
// But the columns need not move. So vertices that are not off are assumed to be
// fixed. An open vertex goes to a vertex of its right cell that is adjacent to
// the same fixed vertices (findAnchored) and to the images of its settled
// neighbours (propagate). If there is still a choice, as for the children of a
// node of a tree, any vertex next to the image of a neighbour is taken (extend).
//
// A guess costs the neighbourhoods of the vertices that are off. The check finds
// a wrong guess. The next guess is made after the search has gone down twice as
// many levels as before the last.

// anchored is an open vertex with a hash of its fixed neighbours.
type anchored struct {
	v    int32
	cell int32  // left cell of a vertex, right cell of an image
	sign uint64 // neighbours in singleton cells, which all of the cell have, left out
}

// bucket counts the vertices and images of one cell and sign.
type bucket struct {
	vertices, images int32
	image            int32 // index of one of the images
}

// follow assigns images to the open vertices. Vertices in fresh were assigned
// just before.
func (s *search) follow() bool {
	s.agenda = s.agenda[:0]
	if !s.propagate() || !s.findAnchored() || !s.propagate() {
		return false
	}
	for _, v := range s.offList {
		if s.off[v] == placed {
			s.agenda = append(s.agenda, v)
		}
	}
	if !s.extend() {
		return false
	}
	// What is left is not next to anything that has an image.
	return !slices.ContainsFunc(s.vertices, func(a anchored) bool { return s.image[a.v] == none })
}

// findAnchored sorts the open vertices by their fixed neighbours and assigns images
// where these leave one possibility.
func (s *search) findAnchored() bool {
	s.vertices, s.images = s.vertices[:0], s.images[:0]
	for _, v := range s.offList {
		free, wanted := s.image[v] == none, s.inverse[v] == none
		if !free && !wanted {
			continue
		}
		h := uint64(0)
		for _, u := range s.g.adj[s.g.offset[v]:s.g.offset[v+1]] {
			if s.off[u] == matched && s.size[s.cellOf[u]] > 1 {
				h += mix(u, 1)
			}
		}
		if free {
			s.vertices = append(s.vertices, anchored{v: v, cell: s.leftCell(v), sign: h})
		}
		if wanted {
			s.images = append(s.images, anchored{v: v, cell: s.cellOf[v], sign: h})
		}
	}
	if len(s.vertices) != len(s.images) {
		return false
	}
	size := 4
	for size < 2*len(s.vertices) {
		size *= 2
	}
	if cap(s.buckets) < size {
		s.buckets = make([]bucket, size)
	}
	s.buckets = s.buckets[:size]
	for k := range s.buckets {
		s.buckets[k] = bucket{image: none}
	}
	for k, a := range s.images {
		b := &s.buckets[s.slot(a.cell, a.sign)]
		b.images++
		b.image = int32(k)
	}
	for _, a := range s.vertices {
		b := &s.buckets[s.slot(a.cell, a.sign)]
		b.vertices++
		if b.vertices > b.images {
			return false
		}
	}
	for _, a := range s.vertices {
		b := &s.buckets[s.slot(a.cell, a.sign)]
		if b.images == 1 {
			s.assign(a.v, s.images[b.image].v)
			s.fresh = append(s.fresh, a.v)
		}
	}
	return true
}

// slot returns the index of the bucket of a cell and sign: open addressing, the key
// is that of any image in the bucket.
func (s *search) slot(cell int32, sign uint64) int {
	mask := len(s.buckets) - 1
	for k := int(sign+mix(cell, 2)) & mask; ; k = (k + 1) & mask {
		b := s.buckets[k].image
		if b == none || s.images[b].cell == cell && s.images[b].sign == sign {
			return k
		}
	}
}

// propagate assigns what the fresh images force: if a vertex has one neighbour
// without image in a left cell, and its image has one free neighbour in the right
// cell, the one goes to the other. It returns false on a contradiction.
func (s *search) propagate() bool {
	offset, adj := s.g.offset, s.g.adj
	ok := true
	for ok && len(s.fresh) > 0 {
		v := s.fresh[len(s.fresh)-1]
		s.fresh = s.fresh[:len(s.fresh)-1]
		s.agenda = append(s.agenda, v)
		from := adj[offset[v]:offset[v+1]]
		w := s.image[v]
		to := adj[offset[w]:offset[w+1]]
		for _, u := range from {
			if s.off[u] != matched && s.image[u] == none {
				s.marked[s.leftCell(u)]++
			}
		}
		for _, x := range to {
			if s.off[x] != matched && s.inverse[x] == none {
				c := s.cellOf[x]
				s.count[c]++
				s.degree[c] = x
			}
		}
		for _, u := range from {
			if s.off[u] == matched {
				continue
			}
			if c := s.leftCell(u); s.marked[c] > 0 {
				if s.marked[c] != s.count[c] {
					ok = false
				} else if s.marked[c] == 1 && s.image[u] == none {
					s.assign(u, s.degree[c])
					s.fresh = append(s.fresh, u)
				}
			}
		}
		for _, u := range from {
			s.marked[s.leftCell(u)] = 0
		}
		for _, x := range to {
			s.count[s.cellOf[x]] = 0
		}
	}
	s.fresh = s.fresh[:0]
	return ok
}

// extend goes through the vertices of the agenda and sends each neighbour that still
// has no image to some free neighbour of the vertex's image.
func (s *search) extend() bool {
	offset, adj := s.g.offset, s.g.adj
	for len(s.agenda) > 0 {
		v := s.agenda[len(s.agenda)-1]
		s.agenda = s.agenda[:len(s.agenda)-1]
		w := s.image[v]
		to := adj[offset[w]:offset[w+1]]
		k := 0
		for _, u := range adj[offset[v]:offset[v+1]] {
			if s.off[u] == matched || s.image[u] != none {
				continue
			}
			c := s.leftCell(u)
			tries := 0
			for ; tries < len(to); tries++ {
				if k == len(to) {
					k = 0
				}
				if x := to[k]; s.cellOf[x] == c && s.off[x] != matched && s.inverse[x] == none {
					break
				}
				k++
			}
			if tries == len(to) {
				return false
			}
			s.assign(u, to[k])
			s.fresh = append(s.fresh, u)
			if !s.propagate() {
				return false
			}
		}
	}
	return true
}
