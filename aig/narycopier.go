// The n-ary copy, for symmetry checks.

package aig

// flattener is what a Copier needs to see trees of ANDs as n-ary gates.
type flattener struct {
	fanout []uint32 // by source node
	ops    []Lit    // operands of the gate at hand
	walk   []Lit
}

// NewNaryCopier returns a copier that sees every maximal tree of ANDs as one
// n-ary gate and rebuilds it with AndN: images of isomorphic structures are the
// same literal. A tree ends at nodes that occur more than once in the cone of
// roots, which should therefore be all that will be copied.
func NewNaryCopier(dst, src *Graph, roots []Lit) *Copier {
	return &Copier{dst: dst, src: src, flat: &flattener{fanout: src.FanoutCounts(roots)}}
}

// flatten gives node i an image if its operands have images, and otherwise
// pushes those that have none.
func (c *Copier) flatten(i uint32) {
	f, ready := c.flat, true
	n := c.src.nodes[i]
	f.walk = append(f.walk[:0], n.b, n.a)
	f.ops = f.ops[:0]
	for len(f.walk) > 0 {
		l := f.walk[len(f.walk)-1]
		f.walk = f.walk[:len(f.walk)-1]
		n := c.src.nodes[l>>1]
		image := c.image[l>>1]
		switch {
		case image != 0:
			f.ops = append(f.ops, (image-1)^l&1)
		case !l.Neg() && n.a != leaf && !c.shared(l.Node()):
			f.walk = append(f.walk, n.b, n.a)
		default:
			ready = false
			c.stack = append(c.stack, uint32(l>>1))
		}
	}
	if ready {
		c.put(i, c.dst.andSet(f.ops))
	}
}

func (c *Copier) shared(node int) bool {
	return node < len(c.flat.fanout) && c.flat.fanout[node] > 1
}
