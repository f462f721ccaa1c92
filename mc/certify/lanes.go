package certify

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"orbitmc/aig"
	"orbitmc/encode"
	"orbitmc/mc/evidence"
	"orbitmc/model"
	"orbitmc/ts"
)

// lanes computes the steps of 64 members of a closure at once, by simulating the
// transition system as a circuit over the bits of a packed state. For each rule
// instance the inputs are constant, so that of each next function little is left:
// the latches that the instance may change. A lane is a member.
//
// A leaf of the model becomes latches and back by a table of all its values, made
// from what the encoding says its latches mean; latches that mean no value show.
type lanes struct {
	k     *closureCheck
	enc   *encode.Encoding
	gates []gate   // operands before their users
	words []uint64 // by node: 0 is false, then the bits of a packed state, then the gates
	bits  int      // of a packed state

	member lit   // the bits are those of a state that the encoding can tell
	shown  []lit // by property
	steps  []laneStep
	holds  map[*model.Property][]lit // by instance, of a liveness property

	base  [64][]byte
	at    [64]cursor
	as    [64]bool
	edges [64][]laneEdge // for liveness

	touched byte // keeps what step reads ahead
}

// lit is a node of the circuit times two, plus one if negated.
type lit uint32

type gate struct{ a, b lit }

// laneStep is a rule instance.
type laneStep struct {
	changes [][2]lit // the latches that it may change: the value now and then
	leaves  []laneLeaf
}

// laneLeaf is a leaf that a rule instance may change.
type laneLeaf struct {
	pos   int
	mask  uint64
	code  uint64  // if there are no latches
	latch []lit   // else the latches then
	table []int64 // by their values: the code, or -1
}

type laneEdge struct {
	to   int64
	perm *closurePerm
}

// Leaves with more values, or latches, than this have no table.
const (
	mostLaneValues  = 1 << 12
	mostLaneLatches = 12
)

// mostLaneGates bounds the gates that depend on inputs times the rule instances.
const mostLaneGates = 1 << 30

// newLanes returns nil if there are leaves with too many values, or too many rule
// instances for the size of the system.
func newLanes(k *closureCheck, enc *encode.Encoding) *lanes {
	l := &lanes{k: k, enc: enc, bits: 8 * k.packer.Size()}
	sys, m := enc.Sys, k.p.Model
	leaves := m.AllLeaves()
	meanings := make([][]encode.Meaning, len(leaves)) // by leaf and latch of LeafLatches
	all := enc.Meanings()
	for i, leaf := range leaves {
		latches := enc.LeafLatches(i)
		if leaf.Type.Card() > mostLaneValues {
			return nil
		}
		if len(latches) > mostLaneLatches && !hotLeaf(all, latches) {
			return nil
		}
		for _, n := range latches {
			meanings[i] = append(meanings[i], all[n])
		}
	}

	// Latches as functions of packed states.
	g := aig.New()
	ins := make([]aig.Lit, l.bits)
	for i := range ins {
		ins[i] = g.Input()
	}
	latchLit := make([]aig.Lit, len(sys.Latches))
	for i := range latchLit {
		latchLit[i] = aig.True // that of started
	}
	member := []aig.Lit{}
	for i, leaf := range leaves {
		pos, width := k.packer.Field(i)
		codes := decoder(g, ins[pos:pos+width])
		on := make([][]aig.Lit, len(meanings[i]))
		var valid []aig.Lit
		for _, v := range leafValues(enc, i, leaf.Type) {
			c := codes[k.packer.Code(i, v)]
			valid = append(valid, c)
			for j, mean := range meanings[i] {
				if enc.Holds(mean, v) {
					on[j] = append(on[j], c)
				}
			}
		}
		member = append(member, g.OrN(valid))
		for j, n := range enc.LeafLatches(i) {
			latchLit[n] = g.OrN(on[j])
		}
	}

	cof := newCofactor(g, sys, latchLit)
	if n := k.p.Program.NumInstances(); !n.IsInt64() || n.Int64()*int64(len(cof.ands)) > mostLaneGates || n.Int64() > mostLaneGates {
		return nil
	}
	shown := make([][]aig.Lit, len(m.Props))
	instances := enumerate(m.Rules)
	if instances == nil {
		instances = []model.Choice{{Rule: -1}} // the state is looked at all the same
	}
	type change struct {
		leaf    int
		latches []aig.Lit
	}
	type plan struct {
		changes [][2]aig.Lit
		leaves  []change
	}
	var plans []plan
	leafOf := make([]int, len(sys.Latches))
	for i, mean := range all {
		leafOf[i] = mean.Leaf
	}
	for _, ch := range instances {
		inputs := make([]bool, len(sys.Inputs))
		if ch.Rule >= 0 {
			inputs = enc.EncodeChoice(ch)
		}
		cof.choose(inputs)
		for _, bad := range sys.Bads {
			shown[bad.Prop] = append(shown[bad.Prop], cof.copy(bad.Lit))
		}
		var p plan
		next := make(map[int]aig.Lit)
		for i, latch := range sys.Latches {
			n := cof.copy(latch.Next)
			if n == latchLit[i] {
				continue
			}
			next[i] = n
			p.changes = append(p.changes, [2]aig.Lit{latchLit[i], n})
			if leafOf[i] < 0 {
				return nil // a started run stays one
			}
			if c := len(p.leaves); c == 0 || !slices.ContainsFunc(p.leaves, func(c change) bool { return c.leaf == leafOf[i] }) {
				p.leaves = append(p.leaves, change{leaf: leafOf[i]})
			}
		}
		if p.changes == nil {
			continue
		}
		for j := range p.leaves {
			for _, n := range enc.LeafLatches(p.leaves[j].leaf) {
				to, ok := next[n]
				if !ok {
					to = latchLit[n]
				}
				p.leaves[j].latches = append(p.leaves[j].latches, to)
			}
		}
		plans = append(plans, p)
	}

	// The circuit: what these need of the graph.
	roots := []aig.Lit{g.AndN(member)}
	for _, ls := range shown {
		roots = append(roots, g.OrN(ls))
	}
	holds := make(map[*model.Property][]aig.Lit)
	for prop, insts := range enc.Instances {
		q := m.Props[prop]
		for _, inst := range insts {
			holds[q] = append(holds[q], cof.copy(inst.Holds))
		}
		roots = append(roots, holds[q]...)
	}
	for _, p := range plans {
		for _, c := range p.changes {
			roots = append(roots, c[0], c[1])
		}
		for _, c := range p.leaves {
			roots = append(roots, c.latches...)
		}
	}
	number := make([]lit, g.Len())
	for i, in := range ins {
		number[in.Node()] = lit(1+i) << 1
	}
	of := func(x aig.Lit) lit {
		n := number[x.Node()]
		if x.Neg() {
			n ^= 1
		}
		return n
	}
	cone := g.Cone(roots)
	slices.Sort(cone)
	for _, n := range cone {
		if g.IsAnd(n) {
			a, b := g.Fanins(n)
			number[n] = lit(1+l.bits+len(l.gates)) << 1
			l.gates = append(l.gates, gate{of(a), of(b)})
		}
	}
	l.words = make([]uint64, 1+l.bits+len(l.gates))
	l.member = of(roots[0])
	for i := range shown {
		l.shown = append(l.shown, of(roots[1+i]))
	}
	l.holds = make(map[*model.Property][]lit)
	for q, ls := range holds {
		for _, x := range ls {
			l.holds[q] = append(l.holds[q], of(x))
		}
	}
	tables := make(map[int][]int64)
	for _, p := range plans {
		var step laneStep
		for _, c := range p.changes {
			step.changes = append(step.changes, [2]lit{of(c[0]), of(c[1])})
		}
		for _, c := range p.leaves {
			pos, width := k.packer.Field(c.leaf)
			leaf := laneLeaf{pos: pos, mask: 1<<width - 1}
			if tables[c.leaf] == nil {
				tables[c.leaf] = leafTable(k.packer, enc, c.leaf, leaves[c.leaf].Type, meanings[c.leaf])
			}
			known, constant := 0, true
			for j, x := range c.latches {
				constant = constant && x.Node() == 0
				if x == aig.True {
					known |= 1 << j
				}
				leaf.latch = append(leaf.latch, of(x))
			}
			leaf.table = tables[c.leaf]
			if hot := len(c.latches) > mostLaneLatches; constant && !hot && leaf.table[known] >= 0 {
				leaf.code, leaf.latch = uint64(leaf.table[known]), nil
			}
			step.leaves = append(step.leaves, leaf)
		}
		l.steps = append(l.steps, step)
	}
	return l
}

// hotLeaf reports whether each of the latches means one value.
func hotLeaf(all []encode.Meaning, latches []int) bool {
	for _, n := range latches {
		if !all[n].Hot {
			return false
		}
	}
	return true
}

// leafValues lists what a leaf may be.
func leafValues(enc *encode.Encoding, leaf int, t *model.Type) (values []int64) {
	if enc.MayBeUndefined(leaf) {
		values = append(values, model.Undef)
	}
	for v := t.Lo; v <= t.Hi; v++ {
		values = append(values, v)
	}
	return values
}

// leafTable returns the code for each valuation of the latches of a leaf, -1 where
// they mean no value. If they are many they are one-hot, and the table is by the
// number of the latch that is 1, the code of the undefined value in front.
func leafTable(packer *model.Packer, enc *encode.Encoding, leaf int, t *model.Type, latches []encode.Meaning) []int64 {
	hot := len(latches) > mostLaneLatches
	n := 1 << len(latches)
	if hot {
		n = 1 + len(latches)
	}
	table := slices.Repeat([]int64{-1}, n)
	for _, v := range leafValues(enc, leaf, t) {
		at := 0
		for j, mean := range latches {
			if !enc.Holds(mean, v) {
			} else if hot {
				at = 1 + j
			} else {
				at |= 1 << j
			}
		}
		table[at] = int64(packer.Code(leaf, v))
	}
	return table
}

// decoder returns, by code, the condition that the bits are that.
func decoder(g *aig.Graph, bits []aig.Lit) []aig.Lit {
	codes := []aig.Lit{aig.True}
	for i := len(bits) - 1; i >= 0; i-- {
		longer := make([]aig.Lit, 0, 2*len(codes))
		for _, c := range codes {
			longer = append(longer, g.And(c, bits[i].Not()), g.And(c, bits[i]))
		}
		codes = longer
	}
	return codes
}

// cofactor copies functions of a transition system for constant inputs. First it
// finds the gates that are constant then, which are most.
type cofactor struct {
	g      *aig.Graph
	sys    *ts.System
	fixed  []int8    // by node: 0 or 1, or free if that is not constant
	ands   []int     // those that depend on inputs, ascending
	inside []bool    // by node: it depends on inputs
	image  []aig.Lit // by node: the image plus 1
	made   []int     // nodes with an image that depend on inputs
	stack  []int
}

const free = 2

// newCofactor returns a cofactor into g, where the latches are the literals given.
func newCofactor(g *aig.Graph, sys *ts.System, latches []aig.Lit) *cofactor {
	n := sys.G.Len()
	c := &cofactor{g: g, sys: sys, fixed: slices.Repeat([]int8{free}, n), inside: make([]bool, n), image: make([]aig.Lit, n)}
	c.fixed[0], c.image[0] = 0, aig.False+1
	for i, l := range sys.Latches {
		c.image[l.Node] = latches[i] + 1
	}
	for _, in := range sys.Inputs {
		c.inside[in.Node] = true
	}
	for i := range n {
		if sys.G.IsAnd(i) {
			a, b := sys.G.Fanins(i)
			if c.inside[a.Node()] || c.inside[b.Node()] {
				c.inside[i] = true
				c.ands = append(c.ands, i)
			}
		}
	}
	return c
}

// choose sets the inputs.
func (c *cofactor) choose(inputs []bool) {
	for _, n := range c.made {
		c.image[n] = 0
	}
	c.made = c.made[:0]
	for i, in := range c.sys.Inputs {
		c.fixed[in.Node] = 0
		if inputs[i] {
			c.fixed[in.Node] = 1
		}
	}
	value := func(l aig.Lit) int8 {
		if v := c.fixed[l.Node()]; v != free && l.Neg() {
			return 1 - v
		} else {
			return v
		}
	}
	for _, n := range c.ands {
		x, y := c.sys.G.Fanins(n)
		a, b := value(x), value(y)
		switch {
		case a == 0 || b == 0:
			c.fixed[n] = 0
		case a == 1 && b == 1:
			c.fixed[n] = 1
		default:
			c.fixed[n] = free
		}
	}
}

// copy returns the image of root, which does not depend on initial inputs.
func (c *cofactor) copy(root aig.Lit) aig.Lit {
	known := func(l aig.Lit) (aig.Lit, bool) {
		n := l.Node()
		if v := c.fixed[n]; v != free {
			return aig.False.NotIf(v == 1).NotIf(l.Neg()), true
		}
		return (c.image[n] - 1).NotIf(l.Neg()), c.image[n] != 0
	}
	c.stack = append(c.stack[:0], root.Node())
	for len(c.stack) > 0 {
		n := c.stack[len(c.stack)-1]
		if _, ok := known(aig.MkLit(n, false)); ok {
			c.stack = c.stack[:len(c.stack)-1]
			continue
		}
		x, y := c.sys.G.Fanins(n)
		a, ok := known(x)
		b, too := known(y)
		if !ok {
			c.stack = append(c.stack, x.Node())
		}
		if !too {
			c.stack = append(c.stack, y.Node())
		}
		if ok && too {
			c.image[n] = c.g.And(a, b) + 1
			if c.inside[n] {
				c.made = append(c.made, n)
			}
		}
	}
	l, _ := known(root)
	return l
}

// word returns the value of a literal in each lane.
func (l *lanes) word(x lit) uint64 { return l.words[x>>1] ^ -uint64(x&1) }

// members looks at n members, at most 64, from first on; see the method of
// closureCheck.
func (l *lanes) members(first int64, n int, steps *evidence.Steps) error {
	k := l.k
	used := ^uint64(0) >> (64 - n)
	for i := range n {
		l.base[i] = k.c.Member(first + int64(i))
		l.at[i], l.as[i] = start(steps, first+int64(i)), true
	}
	l.load(n)
	words := l.words
	for i, at := 0, 1+l.bits; i < len(l.gates); i, at = i+1, at+1 {
		g := l.gates[i]
		words[at] = (words[g.a>>1] ^ -uint64(g.a&1)) & (words[g.b>>1] ^ -uint64(g.b&1))
	}
	if l.word(l.member)&used != used {
		return fmt.Errorf("a state that the encoding takes to be impossible")
	}
	for prop, x := range l.shown {
		k.shown[prop] = k.shown[prop] || l.word(x)&used != 0
	}
	for i := range l.steps {
		s := &l.steps[i]
		moved := uint64(0)
		for _, c := range s.changes {
			moved |= l.word(c[0]) ^ l.word(c[1])
		}
		if moved &= used; moved == 0 {
			continue
		}
		if err := l.step(s, moved, steps); err != nil {
			return err
		}
	}
	for i := range n {
		if !l.as[i] || l.at[i].at != l.at[i].end {
			k.later = append(k.later, first+int64(i))
		}
		if k.live == nil {
			continue
		}
		for _, c := range k.live {
			err := c.enter(first+int64(i), func(inst int) bool { return l.word(l.holds[c.prop][inst])>>i&1 == 1 })
			for _, e := range l.edges[i] {
				if err == nil {
					err = c.step(e.to, e.perm.perm)
				}
			}
			if err == nil {
				err = c.leave()
			}
			if err != nil {
				return err
			}
		}
		l.edges[i] = l.edges[i][:0]
	}
	return nil
}

// load puts the first n of base into words.
func (l *lanes) load(n int) {
	size := l.bits / 8
	for at := 0; at < size; at += 8 {
		var rows [64]uint64
		for i := range n {
			if b := l.base[i]; at+8 <= size {
				rows[i] = binary.LittleEndian.Uint64(b[at:])
			} else {
				for j, x := range b[at:] {
					rows[i] |= uint64(x) << (8 * j)
				}
			}
		}
		transpose(&rows)
		copy(l.words[1+8*at:1+min(8*at+64, l.bits)], rows[:])
	}
}

// transpose makes bit j of row i bit i of row j (Warren, Hacker's Delight, 7-3).
func transpose(rows *[64]uint64) {
	for j, mask := 32, uint64(1<<32-1); j > 0; j, mask = j>>1, mask^mask<<(j>>1) {
		for k := 0; k < 64; k = (k + j + 1) &^ j {
			t := (rows[k]>>j ^ rows[k+j]) & mask
			rows[k] ^= t << j
			rows[k+j] ^= t
		}
	}
}

// step looks at a rule instance in the lanes in which it moves.
func (l *lanes) step(s *laneStep, moved uint64, steps *evidence.Steps) error {
	k := l.k
	size := l.bits / 8
	if steps != nil { // have the members fetched, all at once
		var sum byte
		for rest := moved; rest != 0; rest &= rest - 1 {
			if at := l.at[bits.TrailingZeros64(rest)]; at.at < at.end && size > 0 {
				sum += k.c.Member(int64(steps.Targets[at.at]))[0]
			}
		}
		l.touched = sum
	}
	for ; moved != 0; moved &= moved - 1 {
		lane := bits.TrailingZeros64(moved)
		b := k.packed
		copy(b, l.base[lane])
		for i := range s.leaves {
			f := &s.leaves[i]
			code := f.code
			if f.latch != nil {
				c := l.code(f, lane)
				if c < 0 {
					return fmt.Errorf("a step leads to latches that mean no state")
				}
				code = uint64(c)
			}
			model.PutBits(b, f.pos, f.mask, code)
		}
		to, perm, ok, err := k.step(b, steps, &l.at[lane])
		if err != nil {
			return err
		}
		l.as[lane] = l.as[lane] && ok
		if k.live != nil {
			l.edges[lane] = append(l.edges[lane], laneEdge{to, perm})
		}
	}
	return nil
}

// code returns the code of a leaf in a lane, or -1.
func (l *lanes) code(f *laneLeaf, lane int) int64 {
	at := 0
	if len(f.latch) <= mostLaneLatches {
		for j, x := range f.latch {
			at |= int(l.word(x)>>lane&1) << j
		}
		return f.table[at]
	}
	for j, x := range f.latch {
		if l.word(x)>>lane&1 == 1 {
			if at != 0 {
				return -1
			}
			at = 1 + j
		}
	}
	return f.table[at]
}
