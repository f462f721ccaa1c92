// The n-ary copy, for symmetry checks: functions whose structures are isomorphic
// as circuits of n-ary gates get the same literal, although the two-input ANDs
// they consist of were chained, split and shared differently.
//
// Every maximal tree of ANDs is read as one gate, and every exclusive or as a
// gate of its own; both are built in normal form.

package aig

// naryView is how a Copier reads its source as n-ary gates, and builds them.
type naryView struct {
	gates
	fanout []uint32 // by node of src
	ops    []Lit    // images of the operands of the gate at hand
	walk   []Lit
}

// NewNaryCopier returns a copier whose images are in n-ary normal form. If an
// isomorphism of circuits of n-ary ANDs, n-ary exclusive ors and leaves takes f
// to h, and corresponding leaves have the same images in two copies to dst, then
// f and h have the same image, provided dst has been built by such copiers only.
// Equal images are always equal functions; different ones may be equal too.
//
// The roots are the functions that will be copied: conjunctions that occur once
// in their cone are flattened whatever their size.
func NewNaryCopier(dst, src *Graph, roots []Lit) *Copier {
	return &Copier{dst: dst, src: src, nary: &naryView{gates: gates{g: dst}, fanout: src.FanoutCounts(roots)}}
}

// runNary gives node i of src an image if its operands have images, and
// otherwise puts those that have none on the stack.
func (c *Copier) runNary(i uint32) {
	v := c.nary
	v.ops = v.ops[:0]
	if a, b, ok := c.src.MatchXor(int(i)); ok {
		if c.operand(a) && c.operand(b) {
			c.put(i, v.xor(v.ops...))
		}
		return
	}
	ready := true
	for v.walk = append(v.walk[:0], Lit(i)<<1); len(v.walk) > 0; {
		l := v.walk[len(v.walk)-1]
		v.walk = v.walk[:len(v.walk)-1]
		if l == Lit(i)<<1 || c.inside(l) {
			n := c.src.nodes[l>>1]
			v.walk = append(v.walk, n.b, n.a)
		} else if !c.operand(l) {
			ready = false
		}
	}
	if ready {
		c.put(i, v.and(v.ops))
	}
}

// inside reports whether the operand l of a gate belongs to the gate.
func (c *Copier) inside(l Lit) bool {
	i := l.Node()
	return c.src.isGate(l) && c.image[i] == 0 && (i >= len(c.nary.fanout) || c.nary.fanout[i] <= 1)
}

// operand appends the image of l to the operands, or puts the node of l on the
// stack and returns false if there is none.
func (c *Copier) operand(l Lit) bool {
	image := c.image[l>>1]
	if image == 0 {
		c.stack = append(c.stack, uint32(l>>1))
		return false
	}
	c.nary.ops = append(c.nary.ops, (image-1)^l&1)
	return true
}
