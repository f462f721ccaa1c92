package explicit

import (
	"encoding/binary"
	"slices"

	"orbitmc/internal/lists"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// This file takes components apart whose conditions of strong fairness are not met, and hands the components of all
// levels over as evidence.

// level is the components of some states.
type level struct {
	e     *emptiness
	local map[int]int // by state of the product, its number in e; nil: they are the same
	parts map[int]*level
}

// subgraph is the graph of some states of the product.
type subgraph struct {
	states []int
	arcs   [][]arc
}

func (s *subgraph) size() int { return len(s.states) }

func (s *subgraph) successors(i int, arcs []arc) ([]arc, bool) {
	return append(arcs, s.arcs[i]...), false
}

// refine divides the components of a level; arcsOf returns the arcs of a state. It returns the states of one with a fair run; nil
// if there is none. Where stop returns true, it ends early.
func (l *level) refine(arcsOf func(i int) []arc, stop func() bool) (accepting []int) {
	l.parts = make(map[int]*level)
	for c, x := range l.e.components {
		if !x.strong {
			continue
		}
		p := &subgraph{}
		next := &level{local: make(map[int]int)}
		for _, i := range x.states {
			waiting := l.e.imagesOf(l.e.turn[i], x.waiting)
			arcs := arcsOf(l.global(i))
			if stop() {
				return nil
			}
			if !slices.ContainsFunc(arcs, func(a arc) bool { return both(waiting, l.e.labels.all[a.label].could) != nil }) {
				next.local[l.global(i)] = len(p.states)
				p.states, p.arcs = append(p.states, l.global(i)), append(p.arcs, arcs)
			}
		}
		for i, arcs := range p.arcs {
			p.arcs[i] = p.among(arcs, next.local)
		}
		next.e = newEmptiness(l.e.conditions, p)
		next.e.every = l.e.every
		l.parts[c] = next
		for i := range p.states {
			if next.e.visit(i) {
				return next.accepting()
			}
		}
		if accepting = next.refine(arcsOf, stop); accepting != nil || stop() {
			return accepting
		}
	}
	return nil
}

// fair calls do with the states of each component with a fair run, of this level and those below, until it returns false.
func (l *level) fair(do func(states []int) bool) bool {
	for c, x := range l.e.components {
		if part := l.parts[c]; part != nil && !part.fair(do) || x.fair && !do(lists.Map(x.states, l.global)) {
			return false
		}
	}
	return true
}

// among returns the arcs to some states, with their local numbers.
func (s *subgraph) among(arcs []arc, local map[int]int) (all []arc) {
	for _, a := range arcs {
		if to, ok := local[int(a.to)]; ok {
			a.to = uint32(to)
			all = append(all, a)
		}
	}
	return all
}

// accepting returns the states of the component with a fair run, by their numbers in the product.
func (l *level) accepting() (all []int) {
	return lists.Map(l.e.accepting, l.global)
}

// global returns the number in the product of a state of the level.
func (l *level) global(i int) int {
	if p, ok := l.e.g.(*subgraph); ok {
		return p.states[i]
	}
	return i
}

// componentList implements evidence.Components.
type componentList struct {
	*buchi
	top    *level
	state  model.State
	member []byte
}

func (c *componentList) Len() int64 { return int64(len(c.pairs)) }

func (c *componentList) Member(i int64) []byte {
	x := c.pairs[i]
	c.member, _ = c.paired(c.member, c.set.at(int(x.base)), int64(x.at))
	return c.member
}

// paired makes dst a packed state with another state of the automaton, and returns the code of the one that it has.
func (c *componentList) paired(dst, s []byte, at int64) (out []byte, code uint64) {
	pos, width := c.packer.Field(c.buchi.state)
	dst = append(append(dst[:0], s...), zeros[:]...)
	code = binary.LittleEndian.Uint64(dst[pos/8:]) >> (pos % 8) & (1<<width - 1)
	model.PutBits(dst, pos, 1<<width-1, c.packer.Code(c.buchi.state, at))
	return dst[:len(s)], code
}

func (c *componentList) Sibling(i int64) int64 { return int64(c.pairs[i].before) - 1 }

func (c *componentList) Guess(s []byte) (i int64, perm model.ScalarPerm, ok bool) {
	s, at := c.paired(c.buf, s, model.Undef)
	if c.buf = s; c.canon != nil {
		c.packer.Unpack(s, c.state)
		s, perm = c.canon.canon(c.state), c.canon.perm
	}
	n, ok, _ := c.set.find(s, hash(s))
	if !ok {
		return 0, nil, false
	}
	i = int64(c.find(uint32(n), int(at)-1)) - 1
	return i, perm, i >= 0
}

func (c *componentList) Component(i int64, at int) (number int, waiting []uint32, ok bool) {
	return c.top.component(int(i), at)
}

// component returns what evidence says of a state of the graph: see evidence.Components.
func (l *level) component(i, at int) (number int, waiting []uint32, ok bool) {
	k := i
	for ; at >= 0; at-- {
		if l == nil {
			return 0, nil, false
		}
		if l.local != nil {
			if k, ok = l.local[i]; !ok {
				return 0, nil, false
			}
		}
		if number = int(^l.e.order[k]); number < 0 {
			return 0, nil, false
		}
		if at > 0 {
			l = l.parts[number]
		}
	}
	return number, l.e.imagesOf(l.e.turn[k], l.e.components[number].waiting), true
}

func (c *componentList) Condition(number uint32) evidence.Condition { return c.list.all[number] }

func (c *componentList) Rank(i int64) int64 { return int64(c.top.e.ended[i]) }

func (c *componentList) Stubborn(i int64, s model.State, can []model.Choice) (set []int32) {
	o, from := c.orders, c.pairs[i].from
	if from == 0 {
		return nil
	}
	return o.members(s, from-1, can)
}
