package graph

import "slices"

// Refinement to the coarsest equitable partition with a queue of splitters
// (Hopcroft 1971; Paige and Tarjan, SIAM J. Computing 16(6), 1987): every fragment of
// a split cell but the largest becomes a splitter, unless the cell waits as
// one. Singleton splitters go first, as in saucy (Darga, Liffiton, Sakallah,
// Markov, DAC 2004): they cost least and split most. Cells without a neighbour in
// the splitter are never looked at, so the cost is the edges of the splitters.
//
// The left side runs first and writes a trace: the splitters in order, the
// splits of each, and a hash of what the splitter saw. Nothing in it depends on
// the order in which neighbours are listed except the order of the splits of one
// splitter, and the right side follows the recorded order. So nothing is
// sorted, and the right side needs no queue.

// step is what one splitter did.
type step struct {
	splitter int32  // cell
	end      int32  // its splits end here in refiner.splits
	hash     uint64 // of the multiset of (cell, neighbours in the splitter) over all vertices
}

type refiner struct {
	g *Graph
	partition

	splits []split // of the first path, or of the right side as far as it goes
	trace  []step  // of the first path

	// Queue of the left side.
	single  []int32 // last in, first out
	several []int32 // first in, first out, from head on
	head    int
	queued  []bool // by cell

	// What the current splitter sees.
	cells  []int32 // cells of two and more vertices that it touches
	marked []int32 // by cell: touched vertices, which stand at its end; 0 between splitters
	degree []int32 // by cell: neighbours in the splitter of its touched vertices, mixed if they differ
	seen   []int32 // touched vertices, for splitters of two and more vertices
	count  []int32 // by vertex: neighbours in such a splitter; 0 between splitters

	// Scratch of fragments.
	histogram []int32 // by count; 0 between calls
	values    []int32
	sorted    []int32
	cuts      []int32

	refinements int64 // splitters used, both sides
	edges       int64 // looked at since the search counted them the last time
}

const mixed = -1

func newRefiner(g *Graph) *refiner {
	n := g.N()
	r := &refiner{
		g:      g,
		queued: make([]bool, n),
		marked: make([]int32, n),
		degree: make([]int32, n),
		count:  make([]int32, n),
	}
	most := 0
	for v := range n {
		most = max(most, len(g.Neighbours(v)))
	}
	r.histogram = make([]int32, most+1)
	var cells []int32
	r.partition, cells = newPartition(g)
	for _, c := range cells {
		r.push(c)
	}
	return r
}

func (r *refiner) push(c int32) {
	r.queued[c] = true
	if r.size[c] == 1 {
		r.single = append(r.single, c)
	} else {
		r.several = append(r.several, c)
	}
}

func (r *refiner) pop() (c int32, ok bool) {
	switch {
	case len(r.single) > 0:
		c = r.single[len(r.single)-1]
		r.single = r.single[:len(r.single)-1]
	case r.head < len(r.several):
		c = r.several[r.head]
		r.head++
	default:
		r.several, r.head = r.several[:0], 0
		return 0, false
	}
	r.queued[c] = false
	return c, true
}

// refine empties the queue and records what it does. It stops early and
// returns false when stop, asked now and then, says so.
func (r *refiner) refine(stop func() bool) bool {
	for {
		c, ok := r.pop()
		if !ok {
			return true
		}
		hash := r.look(c)
		for _, d := range r.cells {
			cuts := r.fragments(d)
			if len(cuts) == 0 {
				continue
			}
			largest, most := d, cuts[len(cuts)-1]-d
			end := d + r.size[d]
			for _, at := range cuts {
				r.splits = append(r.splits, split{d, at})
				r.cut(d, at)
				if end-at > most {
					largest, most = at, end-at
				}
				end = at
			}
			if r.queued[d] {
				largest = d
			} else if largest != d {
				r.push(d)
			}
			for _, at := range cuts {
				if at != largest {
					r.push(at)
				}
			}
		}
		r.forget()
		r.trace = append(r.trace, step{c, int32(len(r.splits)), hash})
		if r.refinements&1023 == 0 && stop() {
			return false
		}
	}
}

// individualise cuts v off the end of its cell c of two and more vertices.
func (r *refiner) individualise(v, c int32) split {
	last := c + r.size[c] - 1
	r.moveTo(v, last)
	r.cut(c, last)
	return split{c, last}
}

// look counts the neighbours that every vertex has in the splitter c, moves the
// touched vertices to the ends of their cells, and returns the hash.
func (r *refiner) look(c int32) uint64 {
	r.refinements++
	if r.size[c] == 1 {
		return r.lookSingle(r.lab[c])
	}
	return r.lookSeveral(c)
}

func (r *refiner) lookSingle(v int32) (hash uint64) {
	lab, pos, cellOf, size, marked := r.lab, r.pos, r.cellOf, r.size, r.marked
	r.edges += int64(r.g.offset[v+1] - r.g.offset[v])
	for _, u := range r.g.adj[r.g.offset[v]:r.g.offset[v+1]] {
		d := cellOf[u]
		n := size[d]
		if n == 1 {
			hash += mix(d, 1)
			continue
		}
		m := marked[d]
		if m == 0 {
			r.cells = append(r.cells, d)
			r.degree[d] = 1
		}
		marked[d] = m + 1
		q := d + n - 1 - m
		if p := pos[u]; p != q {
			w := lab[q]
			lab[q], pos[u] = u, q
			lab[p], pos[w] = w, p
		}
	}
	for _, d := range r.cells {
		hash += mix(d, marked[d])
	}
	return hash
}

func (r *refiner) lookSeveral(c int32) (hash uint64) {
	offset, adj, count := r.g.offset, r.g.adj, r.count
	for _, v := range r.lab[c : c+r.size[c]] {
		r.edges += int64(offset[v+1] - offset[v])
		for _, u := range adj[offset[v]:offset[v+1]] {
			if count[u] == 0 {
				r.seen = append(r.seen, u)
			}
			count[u]++
		}
	}
	for _, u := range r.seen {
		d, k := r.cellOf[u], count[u]
		hash += mix(d, k)
		n := r.size[d]
		if n == 1 {
			continue
		}
		m := r.marked[d]
		if m == 0 {
			r.cells = append(r.cells, d)
			r.degree[d] = k
		} else if r.degree[d] != k {
			r.degree[d] = mixed
		}
		r.marked[d] = m + 1
		if q := d + n - 1 - m; r.pos[u] != q {
			r.moveTo(u, q)
		}
	}
	return hash
}

// fragments orders the touched vertices of d by their counts and returns the
// positions where d is to be cut, last first; the slice is valid until the next call.
func (r *refiner) fragments(d int32) []int32 {
	r.cuts = r.cuts[:0]
	n, m := r.size[d], r.marked[d]
	start := d + n - m
	if r.degree[d] != mixed {
		if m < n {
			r.cuts = append(r.cuts, start)
		}
		return r.cuts
	}
	r.values = r.values[:0]
	r.sorted = append(r.sorted[:0], r.lab[start:start+m]...)
	for _, u := range r.sorted {
		k := r.count[u]
		if r.histogram[k] == 0 {
			r.values = append(r.values, k)
		}
		r.histogram[k]++
	}
	slices.Sort(r.values)
	end := d + n
	for i := len(r.values) - 1; i >= 0; i-- {
		k := r.values[i]
		end -= r.histogram[k]
		r.histogram[k] = end
		if end != d {
			r.cuts = append(r.cuts, end)
		}
	}
	for _, u := range r.sorted {
		k := r.count[u]
		q := r.histogram[k]
		r.lab[q], r.pos[u] = u, q
		r.histogram[k] = q + 1
	}
	for _, k := range r.values {
		r.histogram[k] = 0
	}
	return r.cuts
}

// forget clears what look noted.
func (r *refiner) forget() {
	for _, d := range r.cells {
		r.marked[d] = 0
	}
	r.cells = r.cells[:0]
	for _, u := range r.seen {
		r.count[u] = 0
	}
	r.seen = r.seen[:0]
}

// mix hashes a pair; sums of it are compared, never the values.
func mix(d, k int32) uint64 {
	h := (uint64(uint32(d))<<32 | uint64(uint32(k))) * 0x9e3779b97f4a7c15
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return h ^ h>>32
}
