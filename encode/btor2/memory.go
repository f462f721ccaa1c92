package btor2

import (
	"fmt"
	"math/big"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/disjoint"
	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// This file makes circuits of large arrays, as P. Bjesse remodels memories (Word-level
// sequential memory abstraction for model checking, FMCAD 2008). The system has the elements at
// a few addresses, which stay as they are in a run, and which nothing else is said of: cells. What
// is read elsewhere is any value. So each run of the file is one of the system, whatever the addresses are.
//
// An address may be that at which a given line reads, so many frames before the bad: the bad is in the system
// only where it is that. Nothing is lost by it, as a run of the file that violates the property goes along
// with the addresses that it has there. spurious.go chooses the addresses.

// address is an address with a cell in each array of a part.
type address struct {
	part  int
	value *big.Int // nil: it is that of a line, in the frame so many before the bad
	line  ref      // its operand, or what compares arrays
	where bool     // line compares arrays: the address is the one at which they are said to differ
	delay int
}

func (a address) equal(b address) bool {
	if a.value != nil && b.value != nil {
		return a.part == b.part && a.value.Cmp(b.value) == 0
	}
	return a.value == nil && b.value == nil && a.part == b.part && a.line == b.line && a.where == b.where && a.delay == b.delay
}

// memory is what a file has of its large arrays.
type memory struct {
	addresses []address
	part      []int  // by node: the first array that has elements in common with this one
	used      []bool // by node, see File.used
	read      []bool // by node, see File.readFirst

	// Places in the system: of the first of some bits.
	any     map[int]int    // by line that reads: input, its value where there is no cell
	compare map[int]place3 // by line that compares
	inputs  map[cell]int   // of cells that are open in each frame: input; of states, from frame 1 on
	init    map[cell]int   // of cells that are open in frame 0: initial input
	start   []int          // by address: initial input; -1: it is a number
	latches map[cell]int   // of cells that the system keeps: latch
}

// place3 is what the value of a line that compares arrays is made of, in inputs: whether they are said to be
// equal, the address at which they differ else, and the elements there, where there is no cell.
type place3 struct{ equal, where, left, right int }

// cell is the element of an array at an address.
type cell struct{ address, node int }

// large reports whether the arrays of a sort have cells only.
func (f *File) large(s sort) bool {
	return f.memory != nil && s.index > 0 && (s.index > 20 || s.width<<s.index > f.limit)
}

// parts divides large arrays into those that may have elements in common.
func (f *File) parts() []int {
	parts := disjoint.New[int](len(f.nodes))
	for i := range f.nodes {
		n := &f.nodes[i]
		arrays := []int{}
		if f.large(n.sort) {
			arrays = append(arrays, i)
		}
		for _, x := range append(n.operands(), n.others()...) {
			if f.large(f.nodes[x.node].sort) {
				arrays = append(arrays, x.node)
			}
		}
		if n.op == opRead {
			continue
		}
		for _, x := range arrays {
			parts.Join(arrays[0], x)
		}
	}
	return parts.Leasts()
}

// others returns the first and next values of a state.
func (n *node) others() (all []ref) {
	for _, x := range []*ref{n.init, n.next} {
		if x != nil {
			all = append(all, *x)
		}
	}
	return all
}

// cells is the part of a builder that is about large arrays.
type cells struct {
	inStep, atStart []word                // addresses, in a step and when the run begins
	now             map[cell]word         // elements in a step
	begin           map[cell]word         // when the run begins
	same            map[[2]int][2]aig.Lit // whether two addresses are the same, in a step and when the run begins
}

// prepare makes the latches of addresses.
func (b *builder) prepare() {
	m := b.memory
	b.cells = cells{now: make(map[cell]word), begin: make(map[cell]word), same: make(map[[2]int][2]aig.Lit)}
	m.any, m.compare = make(map[int]int), make(map[int]place3)
	m.inputs, m.init, m.latches, m.start = make(map[cell]int), make(map[cell]int), make(map[cell]int), nil
	for j, a := range m.addresses {
		width := b.nodes[a.part].sort.index
		if a.value != nil {
			w := constantWord(a.value.Bit, width)
			b.inStep, b.atStart, m.start = append(b.inStep, w), append(b.atStart, w), append(m.start, -1)
			continue
		}
		name := fmt.Sprintf("address%d", j)
		m.start = append(m.start, len(b.Sys.Init))
		start := b.wordOf(name, width, &b.Sys.Init)
		at, from := b.register(name, width)
		b.setReset(from, start)
		b.setNext(from, at)
		b.inStep, b.atStart = append(b.inStep, at), append(b.atStart, start)
	}
}

// bitsOf names the bits of a word.
func bitsOf(name string) func(k int) string {
	return func(k int) string { return fmt.Sprintf("%s[%d]", name, k) }
}

// wordOf adds a leaf for each bit of a word to a list.
func (b *builder) wordOf(name string, width int, list *[]ts.Signal) word {
	return b.leaves(width, list, bitsOf(name))
}

// register adds latches for a word, and returns the place of the first one.
func (b *builder) register(name string, width int) (w word, first int) {
	return b.latches(width, bitsOf(name))
}

// of calls f for each address of the part of an array.
func (m *memory) of(array int, f func(j int)) {
	for j, a := range m.addresses {
		if a.part == m.part[array] {
			f(j)
		}
	}
}

// sameAddress reports whether two addresses are the same, in a step or when the run begins.
func (b *builder) sameAddress(i, j int, begin bool) aig.Lit {
	x := lists.Memo(b.same, [2]int{i, j}, func([2]int) [2]aig.Lit {
		return [2]aig.Lit{b.equal(b.inStep[i], b.inStep[j]), b.equal(b.atStart[i], b.atStart[j])}
	})
	if begin {
		return x[1]
	}
	return x[0]
}

// open returns an element that may have any value: that of an earlier address if they are the same.
func (b *builder) open(c cell, w word, elements map[cell]word, begin bool) word {
	for i := c.address - 1; i >= 0; i-- {
		if b.memory.addresses[i].part == b.memory.addresses[c.address].part {
			w = b.mux(b.sameAddress(i, c.address, begin), elements[cell{i, c.node}], w)
		}
	}
	return w
}

// openInputs is open, for inputs.
func (b *builder) openInputs(c cell, elements map[cell]word) word {
	n := &b.nodes[c.node]
	b.memory.inputs[c] = len(b.Sys.Inputs)
	return b.open(c, b.wordOf(fmt.Sprintf("%s[address%d]", n.name(), c.address), n.sort.width, &b.Sys.Inputs), elements, false)
}

// array makes the elements of a large array, in a step.
func (b *builder) array(i int) {
	n := &b.nodes[i]
	b.memory.of(i, func(j int) {
		c := cell{j, i}
		switch {
		case n.op == opState && b.keeps(i, b.memory.read):
			b.now[c], b.memory.latches[c] = b.register(fmt.Sprintf("%s[address%d]", n.name(), j), n.sort.width)
		case n.op == opInput || n.op == opState:
			b.now[c] = b.openInputs(c, b.now)
		default:
			b.now[c] = b.element(j, n, b.values, b.now, b.inStep[j])
		}
	})
}

// element returns the element of an operator at an address.
func (b *builder) element(j int, n *node, values []word, elements map[cell]word, at word) word {
	if n.op == opIte {
		return b.mux(b.operand(values, n.args[0])[0], elements[cell{j, n.args[1].node}], elements[cell{j, n.args[2].node}])
	}
	here := b.equal(b.operand(values, n.args[1]), at) // opWrite
	return b.mux(here, b.operand(values, n.args[2]), elements[cell{j, n.args[0].node}])
}

// look returns the element of an array at an index: any value where there is no cell.
func (b *builder) look(array int, index word, any word) word {
	w := any
	for j := len(b.memory.addresses) - 1; j >= 0; j-- {
		if b.memory.addresses[j].part == b.memory.part[array] {
			w = b.mux(b.equal(index, b.inStep[j]), b.now[cell{j, array}], w)
		}
	}
	return w
}

// ofArrays makes the word of a line that reads a large array or compares two.
func (b *builder) ofArrays(i int) {
	n, m := &b.nodes[i], b.memory
	input := func(what string, width int) (word, int) {
		first := len(b.Sys.Inputs)
		return b.wordOf(fmt.Sprintf("%s%d", what, n.id), width, &b.Sys.Inputs), first
	}
	array := n.args[0].node
	s := b.nodes[array].sort
	if n.op == opRead {
		w, first := input("read", s.width)
		m.any[i] = first
		b.values[i] = b.look(array, b.operand(b.values, n.args[1]), w)
		return
	}
	var p place3
	var equal, where, left, right word
	equal, p.equal = input("equal", 1)
	where, p.where = input("differ", s.index)
	left, p.left = input("left", s.width)
	right, p.right = input("right", s.width)
	m.compare[i] = p
	other := n.args[1].node
	alike := word{b.g.Or(equal[0], b.equal(b.look(array, where, left), b.look(other, where, right)))}
	m.of(array, func(j int) { alike = append(alike, b.equal(b.now[cell{j, array}], b.now[cell{j, other}])) })
	b.values[i] = word{b.g.AndN(alike).NotIf(n.op == opNeq)}
}

// beginArray makes the elements of a large array when the run begins.
func (b *builder) beginArray(i int, first []word) {
	n, m := &b.nodes[i], b.memory
	m.of(i, func(j int) {
		c := cell{j, i}
		switch {
		case n.op != opState:
			b.begin[c] = b.element(j, n, first, b.begin, b.atStart[j])
			return
		case n.init == nil:
			m.init[c] = len(b.Sys.Init)
			b.begin[c] = b.open(c, b.wordOf(fmt.Sprintf("%s[address%d]", n.name(), j), n.sort.width, &b.Sys.Init), b.begin, true)
		case b.nodes[n.init.node].sort.index == 0:
			b.begin[c] = b.operand(first, *n.init)
		default:
			b.begin[c] = b.begin[cell{j, n.init.node}]
		}
		b.setReset(m.latches[c], b.begin[c])
	})
}

// nextArrays makes the successors of cells.
func (b *builder) nextArrays() {
	for _, i := range b.states {
		n := &b.nodes[i]
		if !b.memory.used[i] || !b.large(n.sort) {
			continue
		}
		anything := make(map[cell]word)
		b.memory.of(i, func(j int) {
			c := cell{j, i}
			from, ok := b.memory.latches[c]
			if !ok {
				return
			}
			var next word
			if n.next != nil {
				next = b.now[cell{j, n.next.node}]
			} else {
				next = b.openInputs(c, anything)
				anything[c] = next
			}
			b.setNext(from, next)
		})
	}
}

// asked returns by address whether it is that which it is to be if the bad is in this frame. Before there are so
// many frames it is 0, which excludes nothing: each address is asked for once.
func (b *builder) asked() []aig.Lit {
	type line struct {
		ref
		where bool
	}
	past := make(map[line][]word)
	all := make([]aig.Lit, len(b.memory.addresses))
	for j, a := range b.memory.addresses {
		if a.value != nil {
			all[j] = aig.True
			continue
		}
		l := line{a.line, a.where}
		for len(past[l]) <= a.delay {
			switch n := len(past[l]); {
			case n > 0:
				before := past[l][n-1]
				w, from := b.register(fmt.Sprintf("index%d.%d.%d", b.nodes[a.line.node].id, j, n), len(before))
				b.setReset(from, zeros(len(w)))
				b.setNext(from, before)
				past[l] = append(past[l], w)
			case a.where:
				first := b.memory.compare[a.line.node].where
				at := b.Sys.Inputs[first:][:len(b.inStep[j])]
				past[l] = append(past[l], lists.Map(at, func(in ts.Signal) aig.Lit { return aig.MkLit(in.Node, false) }))
			default:
				past[l] = append(past[l], b.operand(b.values, a.line))
			}
		}
		all[j] = b.equal(past[l][a.delay], b.inStep[j])
	}
	return all
}

// askFor lets bads hold only where the addresses of arrays that they depend on are what they are to be.
func (b *builder) askFor() {
	if len(b.memory.addresses) == 0 {
		return
	}
	asked := b.asked()
	constraints := lists.Map(b.constraints, func(c root) ref { return c.ref })
	for k := range b.Sys.Bads {
		reached := b.reached(append(constraints[:len(constraints):len(constraints)], b.bads[k].ref), true)
		var parts []int
		for i, r := range reached {
			if r && b.large(b.nodes[i].sort) {
				parts = append(parts, b.memory.part[i])
			}
		}
		for j, a := range b.memory.addresses {
			if slices.Contains(parts, a.part) {
				b.Sys.Bads[k].Lit = b.g.And(b.Sys.Bads[k].Lit, asked[j])
			}
		}
	}
}
