package btor2

import (
	"context"
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// This file makes the system of a file.

// MaxGates bounds how many gates the system of a file may have.
const MaxGates = 1 << 26

// place says where the bits of an input or state are in the system: from a first index on.
type place struct {
	latch, input, init int // -1: none there
}

type builder struct {
	*File
	circuit
	ctx    context.Context
	values []word // by node, in a step
	cells
}

// build makes f.Sys.
func (r *reader) build(ctx context.Context) error {
	g := aig.NewPlain()
	f := r.File
	f.Sys = &ts.System{G: g, W: aig.True}
	b := &builder{File: f, circuit: circuit{g}, ctx: ctx, values: make([]word, len(f.nodes))}
	read := f.readFirst()
	used := f.used()
	if f.memory != nil {
		if len(f.justice) > 0 {
			f.limit = max(f.limit, MaxArray)
		}
		f.memory.part, f.memory.read, f.memory.used = f.parts(), read, used
		b.prepare()
	}
	for i := range f.nodes {
		switch n := &f.nodes[i]; {
		case !used[i]:
		case f.large(n.sort):
			if len(f.justice) > 0 {
				panic(&Error{f.name, n.line, 1, fmt.Sprintf("justice is decided where arrays have at most %d bits; this is %v", MaxArray, n.sort)})
			}
			b.array(i)
		case n.op == opInput:
			b.free(i)
		case n.op == opState:
			if b.keeps(i, read) {
				b.place[i] = place{latch: len(b.Sys.Latches), input: -1, init: -1}
				b.values[i], _ = b.latches(n.bits(), n.bitName)
			} else {
				b.free(i)
			}
		default:
			if err := b.step(b.values, i); err != nil {
				return err
			}
		}
	}
	if err := b.resets(read, used); err != nil {
		return err
	}
	for _, i := range f.states {
		n := &f.nodes[i]
		p, ok := f.place[i]
		if !ok || p.latch < 0 {
			continue
		}
		var next word
		if n.next != nil {
			next = b.operand(b.values, *n.next)
		} else { // any value
			p.input = len(f.Sys.Inputs)
			f.place[i] = p
			next = b.signals(n, &f.Sys.Inputs, "'")
		}
		b.setNext(p.latch, next)
	}
	if f.memory != nil {
		b.nextArrays()
	}
	bit := func(x ref) aig.Lit { return b.operand(b.values, x)[0] }
	holds := func(c root) aig.Lit { return bit(c.ref) }
	f.Sys.Constraints = lists.Map(f.constraints, holds)
	f.Fair = lists.Map(f.fair, holds)
	for _, j := range f.justice {
		f.Justice = append(f.Justice, ts.Justice{Name: j.symbol, Lits: lists.Map(j.conditions, bit)})
	}
	for i, bad := range f.bads {
		f.Sys.Bads = append(f.Sys.Bads, ts.Bad{Name: bad.symbol, Lit: bit(bad.ref), Prop: i})
	}
	if f.memory != nil {
		b.askFor()
	}
	return nil
}

// keeps reports whether a state has latches; if not, it is an input. See readFirst for read.
func (f *File) keeps(i int, read []bool) bool {
	n := &f.nodes[i]
	return n.next != nil || n.init != nil || read[i]
}

// readFirst returns by node whether the first value of a state depends on it. It panics with
// an *Error if that is an input.
func (f *File) readFirst() []bool {
	read := make([]bool, len(f.nodes))
	for i := len(f.nodes) - 1; i >= 0; i-- {
		n := &f.nodes[i]
		if n.init != nil {
			read[n.init.node] = true
		}
		if !read[i] {
			continue
		}
		if n.op == opInput {
			panic(&Error{f.name, n.line, 1, "the first value of a state depends on this input; it may depend on states only"})
		}
		for _, x := range n.operands() {
			read[x.node] = true
		}
	}
	return read
}

// used returns by node whether a property or a constraint depends on it, in any frame. The others
// are left out: a file may have large circuits on which nothing depends.
func (f *File) used() []bool {
	roots := lists.Map(slices.Concat(f.bads, f.constraints, f.fair), func(r root) ref { return r.ref })
	for _, j := range f.justice {
		roots = append(roots, j.conditions...)
	}
	return f.reached(roots, true)
}

// reached returns by node whether some operands depend on it: in any frame, or in the frame at hand.
func (f *File) reached(roots []ref, any bool) []bool {
	reached := make([]bool, len(f.nodes))
	var open []int
	use := func(x ref) {
		if !reached[x.node] {
			reached[x.node] = true
			open = append(open, x.node)
		}
	}
	for _, x := range roots {
		use(x)
	}
	for len(open) > 0 {
		n := &f.nodes[open[len(open)-1]]
		open = open[:len(open)-1]
		below := n.operands()
		if any {
			below = append(below, n.others()...)
		}
		for _, x := range below {
			use(x)
		}
	}
	return reached
}

func (n *node) operands() []ref {
	switch {
	case n.op < opNot:
		return nil
	case n.op < opIff:
		return n.args[:1:1]
	case n.op < opIte:
		return n.args[:2:2]
	}
	return n.args[:3:3]
}

// bitName names a bit of a word, or of an element of an array.
func (n *node) bitName(k int) string {
	name := n.name()
	if n.sort.index > 0 {
		name = fmt.Sprintf("%s[%d]", name, k/n.sort.width)
	}
	if n.sort.width > 1 {
		name = fmt.Sprintf("%s[%d]", name, k%n.sort.width)
	}
	return name
}

// bits returns how many bits a value has.
func (n *node) bits() int { return n.sort.width * n.sort.words() }

// leaves adds leaves to a list.
func (b *builder) leaves(count int, list *[]ts.Signal, name func(k int) string) word {
	return lists.Make(count, func(k int) aig.Lit {
		l := b.g.Input()
		*list = append(*list, ts.Signal{Name: name(k), Node: l.Node()})
		return l
	})
}

// latches adds latches, and returns the place of the first one.
func (b *builder) latches(count int, name func(k int) string) (w word, first int) {
	first = len(b.Sys.Latches)
	return lists.Make(count, func(k int) aig.Lit {
		l := b.g.Input()
		b.Sys.Latches = append(b.Sys.Latches, ts.Latch{Name: name(k), Node: l.Node()})
		return l
	}), first
}

// setNext and setReset set the functions of latches from a first one on.
func (b *builder) setNext(first int, w word) {
	for k, l := range w {
		b.Sys.Latches[first+k].Next = l
	}
}

func (b *builder) setReset(first int, w word) {
	for k, l := range w {
		b.Sys.Latches[first+k].Reset = l
	}
}

// signals adds a leaf for each bit of a node to a list.
func (b *builder) signals(n *node, list *[]ts.Signal, suffix string) word {
	return b.leaves(n.bits(), list, func(k int) string { return n.bitName(k) + suffix })
}

// free makes inputs of a node.
func (b *builder) free(i int) {
	n := &b.nodes[i]
	b.place[i] = place{latch: -1, input: len(b.Sys.Inputs), init: -1}
	b.values[i] = b.signals(n, &b.Sys.Inputs, "")
}

// step makes the word of a node that is not a leaf.
func (b *builder) step(values []word, i int) error {
	n := &b.nodes[i]
	if n.op == opConst {
		values[i] = constantWord(n.value.Bit, n.sort.width)
		return nil
	}
	refs := n.operands()
	of := b.nodes[refs[0].node].sort
	cost := 0
	if b.large(of) {
		cost = 20 * (of.index + of.width) * (len(b.memory.addresses) + 1)
	} else {
		cost = n.cost(of)
	}
	if b.g.Len()+cost > MaxGates {
		return &Error{b.name, n.line, 1, fmt.Sprintf("the netlist may have more than %d gates", MaxGates)}
	}
	if i&0xff == 0 && b.ctx.Err() != nil {
		return b.ctx.Err()
	}
	if b.large(of) {
		b.ofArrays(i)
		return nil
	}
	values[i] = b.apply(n, lists.Map(refs, func(x ref) word { return b.operand(values, x) }))
	return nil
}

func (b *builder) operand(values []word, x ref) word {
	if x.not {
		return values[x.node].not()
	}
	return values[x.node]
}

// resets makes the first values of states. They are functions of the first values that
// the file leaves open.
func (b *builder) resets(read, used []bool) error {
	first := make([]word, len(b.nodes)) // by node: its value when the run begins
	for i := range b.nodes {
		n := &b.nodes[i]
		p, ok := b.place[i]
		switch {
		case !used[i]:
		case b.large(n.sort):
			if n.op == opState && b.keeps(i, read) || n.op > opState && read[i] {
				b.beginArray(i, first)
			}
		case n.op == opState:
			if !ok || p.latch < 0 {
				continue
			}
			if n.init == nil {
				p.init = len(b.Sys.Init)
				b.place[i] = p
				first[i] = b.signals(n, &b.Sys.Init, "")
			} else {
				first[i] = b.operand(first, *n.init)
				if bits := n.sort.width; len(first[i]) == bits { // an element for all, or a word
					first[i] = slices.Repeat(first[i], n.sort.words())
				}
			}
			b.setReset(p.latch, first[i])
		case read[i]:
			if refs := n.operands(); len(refs) > 0 && b.large(b.nodes[refs[0].node].sort) {
				return &Error{b.name, n.line, 1, fmt.Sprintf("the first value of a state depends on this; it may read arrays of at most %d bits", MaxArray)}
			}
			if err := b.step(first, i); err != nil {
				return err
			}
		}
	}
	return nil
}
