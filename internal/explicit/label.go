package explicit

import (
	"bytes"
	"slices"

	"orbitmc/model"
)

// labelling is the search for the least packed image of a state whose refined
// partition has cells that are not made of twins. At each node the first such
// cell is branched on: one of its members becomes a cell of its own in front of
// the rest, and the partition is refined again. Three things keep the tree
// small without touching the result:
//
//   - of twins one is tried;
//   - of the children only those with the least refinement hash are kept, a
//     choice that does not depend on the numbering;
//   - a leaf with the image of an earlier one exhibits an automorphism that
//     maps the one path to the other and fixes what they share. So below the
//     node where they part the subtree at hand is the image of one seen before,
//     and is left at once. All leaves with different images are kept for this:
//     they are few, and looking at the first and the least one only is
//     exponentially worse on some states.
type labelling struct {
	levels []partition // by depth
	path   []int       // vertices made singletons on the way to the current node
	leaves int         // visited by the last search
	kept   []leafNode  // the first of them that differ from those before
	best   int         // the least of kept
}

// leafNode is a leaf of the search tree.
type leafNode struct {
	packed []byte
	path   []int
	perm   model.ScalarPerm
}

// branch finds the least packed image if the partition cur leaves a choice, and
// then sets packed and perm; otherwise it returns false.
func (c *canonicaliser) branch(s model.State) bool {
	if c.cur.open < 0 {
		return false
	}
	l := &c.label
	l.path, l.kept, l.best = l.path[:0], l.kept[:0], 0
	c.level(0).copyFrom(&c.cur)
	c.search(s, 0)
	best := &l.kept[l.best]
	c.packed = append(c.packed[:0], best.packed...)
	for k := range c.perm {
		copy(c.perm[k], best.perm[k])
	}
	return true
}

func (c *canonicaliser) level(d int) *partition {
	for len(c.label.levels) <= d {
		c.label.levels = append(c.label.levels, partition{})
	}
	return &c.label.levels[d]
}

// open returns the start of the first cell that is not made of twins, or -1.
func (c *canonicaliser) open(s model.State, p *partition) int {
	for i := 0; i < len(p.order); {
		j := p.end(i)
		for _, x := range p.order[i+1 : j] {
			if !c.alike(s, p.order[i], x) {
				return i
			}
		}
		i = j
	}
	return -1
}

// search explores the node at depth d, whose partition is in levels[d]. It
// returns the depth of the node at which to go on.
func (c *canonicaliser) search(s model.State, d int) int {
	l := &c.label
	i := c.level(d).open
	if i < 0 {
		return c.leaf(s, d)
	}
	children := c.children(s, d, i)
	for _, x := range children {
		c.child(s, d, i, x)
		l.path = append(l.path[:d], x)
		if r := c.search(s, d+1); r < d {
			return r
		}
	}
	return d - 1
}

// children returns the members of the cell at i to branch on: one of each class
// of twins, and of these the ones with the least refinement hash.
func (c *canonicaliser) children(s model.State, d, i int) []int {
	p := c.level(d)
	var reps []int
	for _, x := range p.order[i:p.end(i)] {
		if !slices.ContainsFunc(reps, func(y int) bool { return c.alike(s, x, y) }) {
			reps = append(reps, x)
		}
	}
	var least uint64
	n := 0
	for _, x := range reps {
		seen := c.child(s, d, i, x)
		if n == 0 || seen < least {
			n, least = 0, seen
		}
		if seen == least {
			reps[n] = x
			n++
		}
	}
	return reps[:n]
}

// child makes levels[d+1] the refinement of levels[d] with x, a member of the
// cell at i, in a cell of its own.
func (c *canonicaliser) child(s model.State, d, i, x int) (seen uint64) {
	q := c.level(d + 1)
	q.copyFrom(c.level(d))
	k := i + slices.Index(q.order[i:], x)
	for j := q.end(i) - 1; j > i; j-- {
		q.rank[q.order[j]] = i + 1
	}
	q.rank[q.order[i]] = i + 1
	copy(q.order[i+1:k+1], q.order[i:k])
	q.order[i] = x
	q.rank[x] = i
	return c.refine(s, q)
}

// leaf looks at a leaf at depth d: it keeps it, or finds the node to go back to
// because of an automorphism.
func (c *canonicaliser) leaf(s model.State, d int) int {
	l := &c.label
	l.leaves++
	c.packed = c.pack(c.packed[:0], s, c.level(d))
	path := l.path[:d]
	for i := range l.kept {
		if n := &l.kept[i]; bytes.Equal(c.packed, n.packed) {
			k := 0
			for path[k] == n.path[k] {
				k++
			}
			return k
		}
	}
	if len(l.kept) == cap(l.kept) {
		l.kept = append(l.kept, leafNode{})
	} else {
		l.kept = l.kept[:len(l.kept)+1]
	}
	n := &l.kept[len(l.kept)-1]
	n.packed = append(n.packed[:0], c.packed...)
	n.path = append(n.path[:0], path...)
	if n.perm == nil {
		n.perm = make(model.ScalarPerm, len(c.perm))
	}
	for k := range c.perm {
		n.perm[k] = append(n.perm[k][:0], c.perm[k]...)
	}
	if bytes.Compare(n.packed, l.kept[l.best].packed) < 0 {
		l.best = len(l.kept) - 1
	}
	return d - 1
}
