// The n-ary copy, for symmetry checks. It gives functions the same literal if
// their structures are isomorphic as circuits of n-ary gates, even though their
// two-input ANDs were chained, split and shared differently.
//
// Every maximal tree of ANDs is read as one gate, and every exclusive or as a
// gate of its own; both are built in normal form.

package aig

// naryView is how a Copier reads its source as n-ary gates, and builds them.
type naryView struct {
	gates
	fanout []uint32 // by node of src, for those at construction
	ops    []Lit    // images of the operands of the current gate
	todo   []Lit
}

// NewNaryCopier returns a copier whose images are in n-ary normal form. If an
// isomorphism of circuits of n-ary ANDs, n-ary exclusive ors and leaves takes f
// to h, and corresponding leaves have the same images in two copies to dst, then
// f and h get the same image in general: exceptions need gates of more than 256
// operands, or complemented gates that meet in several ways. Equal images always
// are equal functions; so a difference only means that another proof is needed.
//
// The roots are the functions that will be copied: conjunctions that occur once
// in their cone are flattened whatever their size. To see all symmetries of src,
// build it with NewPlain.
func NewNaryCopier(dst, src *Graph, roots []Lit) *Copier {
	c := NewCopier(dst, src)
	c.nary = &naryView{gates: gates{g: dst}, fanout: src.FanoutCounts(roots)}
	return c
}

// runNary gives node i of src an image if its operands have images, and
// otherwise puts those that have none on the stack.
func (c *Copier) runNary(i uint32) {
	v := c.nary
	v.ops = v.ops[:0]
	if a, b, ok := c.src.MatchXor(int(i)); ok && !c.replacedBelow(i) {
		if c.operand(a) && c.operand(b) {
			c.put(i, v.xor(v.ops...))
		}
		return
	}
	ready := true
	for v.todo = append(v.todo[:0], Lit(i)<<1); len(v.todo) > 0; {
		l := v.todo[len(v.todo)-1]
		v.todo = v.todo[:len(v.todo)-1]
		if l == Lit(i)<<1 || c.inside(l) {
			n := c.src.nodes[l>>1]
			v.todo = append(v.todo, n.b, n.a)
		} else if !c.operand(l) {
			ready = false
		}
	}
	if ready {
		c.put(i, v.and(v.ops))
	}
}

// replacedBelow reports whether Set has replaced an operand of node i.
func (c *Copier) replacedBelow(i uint32) bool {
	n := c.src.nodes[i]
	return len(c.replaced) > 0 && (c.replaced[n.a.Node()] || c.replaced[n.b.Node()])
}

// inside reports whether the operand l of a gate belongs to the gate.
func (c *Copier) inside(l Lit) bool {
	i := l.Node()
	return i < len(c.nary.fanout) && c.nary.fanout[i] == 1 && c.image[i] == 0 && c.src.isGate(l)
}

// operand appends the image of l to the operands, or puts the node of l on the
// stack and returns false if there is none.
func (c *Copier) operand(l Lit) bool {
	image := c.image[l>>1]
	if image == 0 && c.shared(uint32(l>>1)) {
		image = c.image[l>>1]
	}
	if image == 0 {
		c.stack = append(c.stack, uint32(l>>1))
		return false
	}
	c.nary.ops = append(c.nary.ops, (image-1)^l&1)
	return true
}
