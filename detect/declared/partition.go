package declared

import (
	"fmt"
	"slices"

	"orbitmc/detect"
	"orbitmc/ts"
)

// The blocks of a class are its values that transpositions connect. Only some of the
// transpositions inside a block were verified; every other one is the product of those
// (derive), and it is an error of the source if it is not.

// partition divides values of a scalarset class into blocks.
type partition struct {
	class  int
	blocks [][]int              // ascending
	passed map[detect.Swap]bool // the transpositions that passed the check; they connect the blocks
}

// partition divides elems, ascending, into the blocks that the transpositions
// which pass the check connect. Neighbours are tried first, then all other pairs of
// which the outcome does not follow.
func (ru *run) partition(class int, elems []int, check func(c *candidate) (bool, error)) (*partition, error) {
	p := &partition{class: class, passed: make(map[detect.Swap]bool)}
	b := newBlocks(elems)
	try := func(i, j int) error {
		if b.decided(i, j) || ru.over() {
			return nil
		}
		c, err := ru.candidate(detect.Swap{Class: class, I: i, J: j})
		if err != nil {
			return err
		}
		switch ok, err := check(c); {
		case err != nil:
			return err
		case ok:
			p.passed[*c.Swap] = true
			b.join(i, j)
		default:
			b.apart = append(b.apart, [2]int{i, j})
		}
		return nil
	}
	for k := 1; k < len(elems); k++ {
		if err := try(elems[k-1], elems[k]); err != nil {
			return nil, err
		}
	}
	for k, j := range elems {
		for _, i := range elems[:k] {
			if err := try(i, j); err != nil {
				return nil, err
			}
		}
	}
	p.blocks = b.list()
	for _, s := range p.neighbours() {
		if err := ru.derive(p, s); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// blocks are classes of an equivalence on values, as far as they are known.
type blocks struct {
	elems []int       // ascending
	least map[int]int // by element: the least of its block
	apart [][2]int    // pairs that are not equivalent
}

func newBlocks(elems []int) *blocks {
	b := &blocks{elems: elems, least: make(map[int]int)}
	for _, e := range elems {
		b.least[e] = e
	}
	return b
}

// decided reports whether it follows from what is known if i and j are equivalent.
func (b *blocks) decided(i, j int) bool {
	i, j = b.least[i], b.least[j]
	return i == j || slices.ContainsFunc(b.apart, func(pair [2]int) bool {
		x, y := b.least[pair[0]], b.least[pair[1]]
		return x == i && y == j || x == j && y == i
	})
}

// join makes i and j equivalent.
func (b *blocks) join(i, j int) {
	i, j = b.least[i], b.least[j]
	for _, e := range b.elems {
		if b.least[e] == i || b.least[e] == j {
			b.least[e] = min(i, j)
		}
	}
}

// list returns the blocks in the order of their least elements.
func (b *blocks) list() (all [][]int) {
	for _, e := range b.elems {
		if b.least[e] != e {
			continue
		}
		all = append(all, slices.DeleteFunc(slices.Clone(b.elems), func(f int) bool { return b.least[f] != e }))
	}
	return all
}

// noProduct says that the permutation of an exchange is not the product that it should be. It
// may be a symmetry all the same: that of the inputs that choose slots of multisets may be
// moved by it in another way.
type noProduct struct {
	swap detect.Swap
	name string
}

func (n *noProduct) Error() string {
	return fmt.Sprintf("detect: %s is not the product of the transpositions it should be", n.name)
}

// derive makes sure that s, within a block of p, is in the group of the
// transpositions that passed: that it did so itself, or that the source's
// permutation is the product it should be. Otherwise the error is a *noProduct.
func (ru *run) derive(p *partition, s detect.Swap) error {
	if p.passed[s] {
		return nil
	}
	// Breadth-first search for a chain from s.I to s.J.
	from := map[int]int{s.I: s.I}
	queue := []int{s.I}
	n := int(ru.m.Scalarsets[s.Class].Card())
	for len(queue) > 0 {
		e := queue[0]
		queue = queue[1:]
		for f := range n {
			if _, seen := from[f]; !seen && p.passed[detect.Swap{Class: s.Class, I: min(e, f), J: max(e, f)}] {
				from[f] = e
				queue = append(queue, f)
			}
		}
	}
	var product *ts.Perm
	for e := s.J; e != s.I; e = from[e] {
		f, ok := from[e]
		if !ok {
			return fmt.Errorf("detect: internal error: %d and %d are not in one block", s.I, s.J)
		}
		c, err := ru.candidate(detect.Swap{Class: s.Class, I: min(e, f), J: max(e, f)})
		if err != nil {
			return err
		}
		if product == nil {
			product = c.Perm
		} else {
			product = c.Perm.Inverse().Then(product).Then(c.Perm)
		}
	}
	c, err := ru.candidate(s)
	if err != nil {
		return err
	}
	if !product.Equal(c.Perm) {
		return &noProduct{s, c.Perm.Name}
	}
	p.passed[s] = true
	return nil
}

// refine returns the common refinement, within the elements of part, of a
// partition with part; other blocks stay.
func refine(blocks, part [][]int) [][]int {
	in := make(map[int]int)
	for k, b := range part {
		for _, e := range b {
			in[e] = k + 1
		}
	}
	var out [][]int
	for _, b := range blocks {
		for len(b) > 0 {
			var same, rest []int
			for _, e := range b {
				if in[e] == in[b[0]] {
					same = append(same, e)
				} else {
					rest = append(rest, e)
				}
			}
			out = append(out, same)
			b = rest
		}
	}
	return out
}

// neighbours returns the transpositions of consecutive elements of the blocks.
func (p *partition) neighbours() []detect.Swap {
	var all []detect.Swap
	for _, b := range p.blocks {
		for k := 1; k < len(b); k++ {
			all = append(all, detect.Swap{Class: p.class, I: b[k-1], J: b[k]})
		}
	}
	return all
}
