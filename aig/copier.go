// Copying functions from graph to graph with nodes replaced: the one operation
// behind time frames, cofactors, composition and images under permutations.

package aig

import "fmt"

// Copier copies functions of a source graph into a destination graph, which may
// be the same, with nodes replaced as told by Set. It remembers the image of
// every node it has seen. Not safe for concurrent use; several copiers may read
// one source concurrently.
type Copier struct {
	dst, src *Graph
	image    []Lit        // by source node: literal of dst plus 1, 0 if none yet
	touched  []uint32     // source nodes with an image
	replaced map[int]bool // ANDs that have theirs by Set
	stack    []uint32
	identity bool // a leaf without image is its own image
	nary     *naryView
	base     *Copier // has the images of nodes below which nothing is moved
	moved    []bool  // by source node
}

// NewCopier returns a copier from src to dst without any image.
func NewCopier(dst, src *Graph) *Copier {
	return &Copier{dst: dst, src: src, replaced: map[int]bool{}}
}

// Set makes the literal image of dst stand for node of src, whatever node is. It
// panics if node has another image already, by Set or by Copy.
func (c *Copier) Set(node int, image Lit) {
	c.src.mustHave("Set", MkLit(node, false))
	c.dst.mustHave("Set", image)
	c.extend(node)
	switch old := c.image[node]; old {
	case 0:
		c.put(uint32(node), image)
		if c.src.IsAnd(node) {
			c.replaced[node] = true
		}
	case image + 1:
	default:
		panic(fmt.Sprintf("aig: Set: node %d already has the image %v", node, old-1))
	}
}

// Share takes the images of all nodes that are not moved, by source node, from base,
// a copier between the same graphs, as they are there. It ends with the next Reset.
func (c *Copier) Share(base *Copier, moved []bool) {
	if base.dst != c.dst || base.src != c.src {
		panic("aig: Share: the other copier is between other graphs")
	}
	c.base, c.moved = base, moved
}

// shared gives a node that is not moved its image, and reports whether it has one.
func (c *Copier) shared(node uint32) bool {
	if c.base == nil || int(node) >= len(c.moved) || c.moved[node] {
		return false
	}
	c.put(node, c.base.Copy(Lit(node)<<1))
	return true
}

// Copy returns the image of root in dst. It panics if a leaf in the cone of root
// has no image.
func (c *Copier) Copy(root Lit) Lit {
	c.src.mustHave("Copy", root)
	c.extend(root.Node())
	if c.image[root>>1] == 0 {
		c.run(uint32(root >> 1))
	}
	return (c.image[root>>1] - 1) ^ root&1
}

// Reset forgets all images in time proportional to their number.
func (c *Copier) Reset() {
	for _, i := range c.touched {
		c.image[i] = 0
	}
	c.touched = c.touched[:0]
	clear(c.replaced)
	c.base, c.moved = nil, nil
}

func (c *Copier) put(node uint32, image Lit) {
	c.image[node] = image + 1
	c.touched = append(c.touched, node)
}

// extend makes room for images up to node.
func (c *Copier) extend(node int) {
	if node >= len(c.image) {
		c.image = append(c.image, make([]Lit, max(node+1, c.src.Len())-len(c.image))...)
	}
}

// run gives root and its cone images, operands first.
func (c *Copier) run(root uint32) {
	c.stack = append(c.stack[:0], root)
	for len(c.stack) > 0 {
		i := c.stack[len(c.stack)-1]
		if c.image[i] != 0 {
			c.stack = c.stack[:len(c.stack)-1]
			continue
		}
		if c.shared(i) {
			continue
		}
		n := c.src.nodes[i]
		if n.a == leaf {
			c.put(i, c.leafImage(i))
			continue
		}
		if c.nary != nil {
			c.runNary(i)
			continue
		}
		a, b := c.image[n.a>>1], c.image[n.b>>1]
		if a == 0 {
			c.stack = append(c.stack, uint32(n.a>>1))
		}
		if b == 0 {
			c.stack = append(c.stack, uint32(n.b>>1))
		}
		if a == 0 || b == 0 {
			continue
		}
		a, b = (a-1)^n.a&1, (b-1)^n.b&1
		if c.dst == c.src && a == n.a && b == n.b {
			c.put(i, Lit(i)<<1)
		} else {
			c.put(i, c.dst.And(a, b))
		}
	}
}

func (c *Copier) leafImage(i uint32) Lit {
	switch {
	case i == 0:
		return False
	case c.identity:
		return Lit(i) << 1
	}
	panic(fmt.Sprintf("aig: Copy: leaf %d has no image", i))
}

// Cofactor returns the roots with the leaves in assign replaced by constants.
func (g *Graph) Cofactor(roots []Lit, assign map[int]bool) []Lit {
	subst := make(map[int]Lit, len(assign))
	for i, v := range assign {
		subst[i] = False.NotIf(v)
	}
	return g.Compose(roots, subst)
}

// Compose returns the roots with the nodes in subst replaced, all at once.
func (g *Graph) Compose(roots []Lit, subst map[int]Lit) []Lit {
	c := NewCopier(g, g)
	c.identity = true
	for i, l := range subst {
		c.Set(i, l)
	}
	images := make([]Lit, len(roots))
	for k, r := range roots {
		images[k] = c.Copy(r)
	}
	return images
}
