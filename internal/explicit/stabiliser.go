package explicit

import (
	"slices"

	"orbitmc/model"
)

// Permutations that keep a state map the rule instances in it to each other, and what one does
// to what its image does. So the successors of such instances are in one orbit, and one of them
// is fired.
//
// The permutations looked at are the products of exchanges of neighbours in a block. In a
// representative almost all values that can be exchanged are neighbours. A *run* is a longest
// sequence of values each of which can be exchanged with the next one. The instance that is
// fired names the values of each run in order: of (1, 2), (2, 1), (1, 3), … it is (1, 2).
// It has the least number, so parents and traces are what they are if all are fired.
//
// This needs more than that the permutations keep the set of all steps: they have to map what
// each rule does to what it does. Symmetry by typing says so. The check of the visited states
// finds the permutations again, and leaves out the same instances (internal/certify/states/stabiliser.go).
type stabiliser struct {
	c     *canonicaliser
	named [][]bool     // by rule and parameter: it may name vertices; nil if all instances of the rule are fired
	pairs []neighbours // ascending
	of    [][]int      // by vertex: the pairs that it is in
	but   []uint64     // the instances to leave out
	rest  []int        // by vertex: the values from it to the end of its run
}

// neighbours are two vertices next to each other in a block.
type neighbours struct {
	x, y int
	but  []uint64 // instances that their exchange maps to ones with smaller numbers
}

// newStabiliser returns nil if there is nothing to leave out.
func newStabiliser(c *canonicaliser) *stabiliser {
	p := c.p
	z := &stabiliser{c: c, of: make([][]int, c.vertices), but: make([]uint64, (p.AllInstances()+63)/64), rest: make([]int, c.vertices)}
	for i, y := range c.start {
		if i == 0 {
			continue
		}
		if x := c.start[i-1]; c.cells[x] == c.cells[y] {
			z.of[x], z.of[y] = append(z.of[x], len(z.pairs)), append(z.of[y], len(z.pairs))
			z.pairs = append(z.pairs, neighbours{x, y, make([]uint64, len(z.but))})
		}
	}
	some := false
	for k, r := range p.Model.Rules {
		named := make([]bool, len(r.Params))
		for i, q := range r.Params {
			t := q.Var.Type
			if named[i] = t.Classed() || t.Kind == model.Union; t.Slots { // its element may go to another slot
				named = nil
				break
			}
		}
		z.named = append(z.named, named)
		some = z.exchange(k) || some
	}
	if !some {
		return nil
	}
	return z
}

// vertex returns the vertex that parameter i of a rule names, or -1.
func (st *stabiliser) vertex(r *model.Rule, i int, v int64) int {
	if class, w, ok := r.Params[i].Var.Type.Element(v); ok {
		return st.c.base[class] + int(w)
	}
	return -1
}

// exchange notes the instances of rule k that the exchange of two neighbours maps to ones with
// smaller numbers, and reports whether there are any. An instance names few values, so few exchanges
// move it.
func (st *stabiliser) exchange(k int) (some bool) {
	p, r := st.c.p, st.c.p.Model.Rules[k]
	first, count := p.Instances(k)
	if st.named[k] == nil {
		return false
	}
	params, image := make([]int64, len(r.Params)), make([]int64, len(r.Params))
	for i := first; i < first+count; i++ {
		p.Instance(k, i-first, params)
		for j, v := range params {
			x := st.vertex(r, j, v)
			if x < 0 {
				continue
			}
			for _, n := range st.of[x] {
				st.image(k, &st.pairs[n], params, image)
				if to, ok := p.InstanceOf(k, image); ok && to < i {
					st.pairs[n].but[i/64] |= 1 << (i % 64)
					some = true
				}
			}
		}
	}
	return some
}

// image stores what the exchange of two vertices maps the parameters of rule k to.
func (st *stabiliser) image(k int, n *neighbours, params, image []int64) {
	r, base := st.c.p.Model.Rules[k], st.c.base[st.c.classOf[n.x]]
	x, y := int64(n.x-base), int64(n.y-base)
	copy(image, params)
	for j, v := range params {
		if !st.named[k][j] {
			continue
		}
		switch t := r.Params[j].Var.Type; st.vertex(r, j, v) {
		case n.x:
			image[j] = t.Image(v, x, y)
		case n.y:
			image[j] = t.Image(v, y, x)
		}
	}
}

// at finds the instances to leave out in s, which the canonicaliser follows. packed is s, with
// model.PackedPad bytes behind it. It returns nil if there are none.
func (st *stabiliser) at(s model.State, packed []byte) []uint64 {
	clear(st.but)
	st.c.packing(packed)
	if st.c.comps != nil {
		st.c.locate(s, nil)
	}
	some := false
	for i := range st.rest {
		st.rest[i] = 1
	}
	for _, n := range slices.Backward(st.pairs) {
		if st.c.first[n.x] != st.c.first[n.y] || !st.c.alike(s, n.x, n.y) {
			continue
		}
		st.rest[n.x] += st.rest[n.y]
		for i, w := range n.but {
			st.but[i] |= w
		}
		some = true
	}
	if !some {
		return nil
	}
	return st.but
}

// standsFor returns how many instances an instance of the state at hand that is fired stands
// for, itself included.
func (st *stabiliser) standsFor(ch model.Choice) int64 {
	n, named := 1, st.named[ch.Rule]
	if _, count := st.c.p.Instances(ch.Rule); count == 0 {
		return 1
	}
	r := st.c.p.Model.Rules[ch.Rule]
	for i, v := range ch.Params {
		if len(named) == 0 || !named[i] {
			continue
		}
		// The values of the run before it are named already, and those from it on are not.
		x := st.vertex(r, i, v)
		seen := false
		for j := range i {
			seen = seen || named[j] && st.vertex(r, j, ch.Params[j]) == x
		}
		if x >= 0 && !seen {
			n *= st.rest[x]
		}
	}
	return int64(n)
}
